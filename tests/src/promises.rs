//! What each model promises, searched to the end in small configurations: those that promise exactly once hold, and of
//! the others the shortest run that shows it.

use core::fmt::Write;

use barrierscope_core::commit::Vote;
use barrierscope_core::explorer::Settings;
use barrierscope_core::explorer::progress::Status;
use barrierscope_core::explorer::question::Kind as Said;
use barrierscope_core::models::faults::FaultKind as Kind;
use barrierscope_core::models::faults::Selection;
use barrierscope_core::scenario::DeliveryGuarantee::{AtLeastOnce, ExactlyOnce};
use barrierscope_core::scenario::{self, KAFKA_TO_KAFKA, Scenario, Story, Workload};
use barrierscope_core::search_with;

use crate::scenarios::{BARRIERS, small, with_barriers};
use crate::votes;

/// States after which a search is given up: none of these has so many.
const LIMIT: u64 = 1_000_000;

/// A configuration to be searched.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is.
    pub name: String,
    /// The scenario, with its budgets of faults.
    pub story: Story,
    /// How many faults a run may have in all.
    pub faults: u8,
    /// Which faults these may be.
    pub selection: Selection,
}

impl Case {
    /// A scenario with every fault that its model has.
    fn new(name: impl Into<String>, story: Story, faults: u8) -> Self {
        Self {
            name: name.into(),
            story,
            faults,
            selection: Selection::default(),
        }
    }

    /// With these faults only.
    fn under(self, kinds: &[Kind], nodes: &[&str]) -> Self {
        let selection = Selection {
            kinds: kinds.to_vec(),
            nodes: nodes.iter().map(|it| it.to_string()).collect(),
        };
        Self {
            story: selection.prepare(self.story, self.faults),
            selection,
            ..self
        }
    }
}

/// Bodies that die, stop or stand still.
const BODIES: [Kind; 3] = [Kind::Crash, Kind::Stop, Kind::Pause];
/// Messages that are lost or late.
const MESSAGES: [Kind; 3] = [
    Kind::LostRequest,
    Kind::LostAcknowledgement,
    Kind::LateResponse,
];

/// The cases, model by model.
pub const PARTS: [fn() -> Vec<Case>; 7] = [
    pipelines,
    deliveries,
    transactions,
    consumers,
    streams,
    behind_kafka,
    commitments,
];

/// All cases.
pub fn cases() -> Vec<Case> {
    PARTS.iter().flat_map(|part| part()).collect()
}

/// One subtask for each vertex, two records of one partition, two checkpoints.
fn narrow(sink: scenario::DeliveryGuarantee) -> Scenario {
    let mut scenario = small(sink, 2, 2, 0);
    scenario.inputs[0].partitions = 1;
    for vertex in &mut scenario.job.vertices {
        vertex.parallelism = 1;
    }
    scenario
}

fn pipelines() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, barriers) in BARRIERS {
        for (sink, faults) in [(ExactlyOnce, 1), (ExactlyOnce, 2), (AtLeastOnce, 1)] {
            cases.push(Case::new(
                format!("pipeline, {name} checkpoints, {sink:?} sink"),
                Story::from(with_barriers(narrow(sink), barriers)).for_search(faults),
                faults,
            ));
        }
    }
    // With one input there is nothing to align: only two of them show what at-least-once barriers do.
    cases.push(Case::new(
        "pipeline of two lanes, at-least-once checkpoints, ExactlyOnce sink",
        Story::from(with_barriers(small(ExactlyOnce, 2, 1, 0), BARRIERS[3].1)).for_search(1),
        1,
    ));
    cases
}

/// A producer that sends one record to a topic with so many replicas.
pub fn producer(brokers: u16, config: &str) -> Story {
    let json = format!(
        r#"{{
            "version": 1, "model": "delivery", "name": "one record",
            "cluster": {{ "brokers": {brokers} }},
            "topics": [{{ "name": "t", "replication.factor": {brokers} }}],
            "producers": [{{
                "name": "P", "topic": "t", "sends": [{{ "key": "r1" }}], "config": {config}
            }}]
        }}"#
    );
    Story::from_json(&json).expect("it makes sense")
}

/// The same, but that nobody crashes: only messages are lost or late.
fn nobody_crashes(mut story: Story) -> Story {
    if let Story::Delivery(scenario) = &mut story {
        scenario.faults.max_crashes = 0;
    }
    story
}

fn deliveries() -> Vec<Case> {
    let plain = |acks: &str| format!(r#"{{ "acks": "{acks}", "enable.idempotence": false }}"#);
    let idempotent = r#"{ "acks": "all", "enable.idempotence": true }"#;
    let case = |name: &str, story: Story, faults: u8| {
        Case::new(format!("delivery, {name}"), story, faults)
    };
    let kind = |brokers, config: &str, faults| producer(brokers, config).for_search(faults);
    vec![
        case("acks=0, no fault", kind(1, &plain("0"), 0), 0),
        case("acks=0", kind(1, &plain("0"), 1), 1),
        case("acks=1, two replicas", kind(2, &plain("1"), 1), 1),
        case("acks=all", kind(1, &plain("all"), 1), 1),
        case(
            "acks=all, messages are lost or late",
            nobody_crashes(kind(1, &plain("all"), 1)),
            1,
        ),
        case(
            "idempotent, messages are lost or late",
            nobody_crashes(kind(1, idempotent, 1)),
            1,
        ),
        case(
            "idempotent, messages are lost or late",
            nobody_crashes(kind(1, idempotent, 2)),
            2,
        ),
        case("idempotent, anybody crashes", kind(1, idempotent, 1), 1),
    ]
}

/// A producer that sends one record in a transaction.
fn transactions() -> Vec<Case> {
    let story = |isolation: &str| {
        read(&format!(
            r#"{{
                "version": 1, "model": "delivery", "name": "one transaction", "judge": "{isolation}",
                "topics": [{{ "name": "t", "replication.factor": 1 }}], "cluster": {{ "brokers": 1 }},
                "producers": [{{
                    "name": "P", "topic": "t", "sends": [{{ "key": "r1" }}], "transaction_records": 1,
                    "config": {{ "acks": "all", "transactional.id": "p" }}
                }}]
            }}"#
        ))
    };
    let timeout = [Kind::TransactionTimeout];
    let anything = [&BODIES[..], &MESSAGES, &timeout].concat();
    let others = ["broker-1", "transaction-coordinator"];
    let committed = "delivery, transactional, read_committed";
    let mut cases = Vec::new();
    for faults in [1, 2] {
        let name = format!("{committed}, messages are lost or late, transactions take too long");
        let quick = [&MESSAGES[..], &timeout].concat();
        cases.push(Case::new(name, story("read_committed"), faults).under(&quick, &[]));
        let name = format!("{committed}, anything but the application fails");
        cases.push(Case::new(name, story("read_committed"), faults).under(&anything, &others));
    }
    let name = format!("{committed}, the application crashes");
    cases.push(Case::new(name, story("read_committed"), 1).under(&[Kind::Crash], &["P"]));
    let name = "delivery, transactional, read_uncommitted, a transaction takes too long";
    cases.push(Case::new(name, story("read_uncommitted"), 1).under(&timeout, &[]));
    cases
}

/// A consumer of one record.
fn consumers() -> Vec<Case> {
    let story = |commit: &str, effect: &str| {
        read(&format!(
            r#"{{
                "version": 1, "model": "delivery", "name": "one record",
                "topics": [{{ "name": "t", "replication.factor": 1 }}], "cluster": {{ "brokers": 1 }},
                "producers": [{{ "name": "P", "topic": "t", "sends": [{{ "key": "r1" }}], "config": {{ "acks": "all" }} }}],
                "consumers": [{{
                    "name": "C", "topic": "t", "commit": "{commit}", "effect": "{effect}",
                    "config": {{ "group.id": "g", "enable.auto.commit": {}, "auto.offset.reset": "earliest" }}
                }}]
            }}"#,
            commit == "auto"
        ))
    };
    let anything = [&BODIES[..], &MESSAGES, &[Kind::LatePoll]].concat();
    let nodes = ["C", "broker-1"];
    let case = |name: &str, (commit, effect), faults| {
        let name = format!("delivery, consumer that commits {name}");
        Case::new(name, story(commit, effect), faults).under(&anything, &nodes)
    };
    let mut cases = vec![
        case("before processing", ("before-processing", "plain"), 1),
        case("after processing", ("after-processing", "plain"), 1),
        case("automatically", ("auto", "plain"), 1),
    ];
    for faults in [1, 2] {
        let with = ("never", "with-offset");
        cases.push(case("its offset with the effect", with, faults));
        let idempotent = ("after-processing", "idempotent");
        cases.push(case(
            "after an effect that is idempotent",
            idempotent,
            faults,
        ));
    }
    cases
}

/// A Streams application between two topics.
fn streams() -> Vec<Case> {
    let story = |guarantee: &str| {
        read(&format!(
            r#"{{
                "version": 1, "model": "streams", "name": "one record", "cluster": {{ "brokers": 1 }},
                "topics": [{{ "name": "in", "replication.factor": 1 }}, {{ "name": "out", "replication.factor": 1 }}],
                "producers": [{{ "name": "P", "topic": "in", "sends": [{{ "key": "r1" }}], "config": {{ "acks": "all" }} }}],
                "streams": [{{
                    "name": "S", "application.id": "s", "input": "in", "output": "out", "store": false,
                    "config": {{ "processing.guarantee": "{guarantee}" }}
                }}]
            }}"#
        ))
    };
    let more = [Kind::TransactionTimeout, Kind::LatePoll];
    let anything = [&BODIES[..], &MESSAGES, &more].concat();
    let nodes = ["S", "broker-1", "transaction-coordinator"];
    let exactly = story("exactly_once_v2");
    vec![
        Case::new("streams, at_least_once", story("at_least_once"), 1).under(&anything, &nodes),
        Case::new("streams, exactly_once_v2", exactly.clone(), 1).under(&anything, &nodes),
        Case::new(
            "streams, exactly_once_v2, anybody crashes, messages are lost, transactions take too long",
            exactly,
            2,
        )
        .under(
            &[
                Kind::Crash,
                Kind::LostRequest,
                Kind::LostAcknowledgement,
                Kind::TransactionTimeout,
            ],
            &nodes,
        ),
    ]
}

/// A job whose output topic has brokers.
fn behind_kafka() -> Vec<Case> {
    let job = |records: &str| {
        let mut scenario = Scenario::from_json(KAFKA_TO_KAFKA).expect("it is part of the program");
        let records = serde_json::from_str(records).expect("these are records");
        scenario.inputs[0].workload = Workload::Records(records);
        scenario.inputs[0].partitions = 1;
        for vertex in &mut scenario.job.vertices {
            vertex.parallelism = 1;
        }
        if let Some(kafka) = &mut scenario.kafka {
            kafka.cluster.brokers = 1;
            kafka.replication_factor = 1;
            kafka.min_in_sync = 1;
        }
        scenario.checkpointing.max_checkpoints = Some(1);
        Story::from(scenario)
    };
    let one = job(r#"[{ "key": "a", "value": 1 }]"#);
    let lost = [Kind::LostRequest, Kind::LostAcknowledgement];
    let name = |what: &str| format!("pipeline, ExactlyOnce sink in Kafka, {what}");
    let crashes = [&[Kind::Crash, Kind::LostNotification], &lost[..]].concat();
    let sink = ["sink[0]", "broker-1", "transaction-coordinator"];
    vec![
        Case::new(name("anybody crashes, messages are lost"), one.clone(), 1).under(&crashes, &[]),
        Case::new(
            name("the sink or Kafka crashes, messages are lost"),
            one.clone(),
            2,
        )
        .under(&crashes, &sink),
        Case::new(name("a transaction takes too long"), one.clone(), 1)
            .under(&[Kind::TransactionTimeout], &[]),
        Case::new(name("a request is late"), one, 1).under(&[Kind::LateResponse], &[]),
    ]
}

fn read(json: &str) -> Story {
    Story::from_json(json).expect("it makes sense")
}

fn commitments() -> Vec<Case> {
    let mut cases = Vec::new();
    for (cooperative, presumed) in votes::CONFIGURATIONS {
        for faults in [1, 2] {
            let story = votes::small(&[Vote::Commit; 2], (cooperative, presumed), faults);
            cases.push(Case::new(
                format!(
                    "votes of two, cooperative termination {cooperative}, presumed {presumed:?}"
                ),
                Story::Votes(story),
                faults,
            ));
        }
    }
    cases
}

/// Searches a case: one line.
pub fn line(case: &Case) -> String {
    let settings = Settings {
        memory: 2_000_000_000,
        states: LIMIT,
        faults: Some(case.faults),
        ..Settings::default()
    };
    let search = search_with(case.story.clone(), settings, &case.selection);
    let mut search = search.expect("the scenario makes sense");
    while search.step(100_000).status.is_running() {}
    let progress = search.progress();
    let verdict = match (search.counterexample(), progress.status) {
        (Some(run), _) => {
            let property = search.properties().get(run.property as usize);
            let name = property.map_or("?", |it| it.name);
            format!("broken after {} steps: {name}", run.steps.len())
        }
        (None, Status::Exhausted) => String::from("holds"),
        (None, _) => String::from("not exhausted"),
    };
    let mut line = format!(
        "{}, {} faults: distinct {} generated {} depth {}: {verdict}",
        case.name, case.faults, progress.distinct, progress.generated, progress.depth
    );
    for (number, property) in (0..).zip(search.properties()) {
        if property.kind == Said::Sometimes
            && let Some(run) = search.witness(number)
        {
            let _ = write!(line, "; {} after {} steps", property.name, run.steps.len());
        }
    }
    line
}

/// The cases of a part, one a line.
pub fn table(part: fn() -> Vec<Case>) -> String {
    part().iter().map(|case| line(case) + "\n").collect()
}
