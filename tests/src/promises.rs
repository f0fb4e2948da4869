//! What each model promises, searched to the end in small configurations: those that promise exactly once hold, and of
//! the others the shortest run that shows it.

use core::fmt::Write;

use barrierscope_core::commit::Vote;
use barrierscope_core::explorer::Settings;
use barrierscope_core::explorer::progress::Status;
use barrierscope_core::explorer::question::Kind;
use barrierscope_core::scenario::DeliveryGuarantee::{AtLeastOnce, ExactlyOnce};
use barrierscope_core::scenario::{self, Scenario, Story};
use barrierscope_core::search;

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
}

/// All cases.
pub fn cases() -> Vec<Case> {
    let mut cases = pipelines();
    cases.extend(deliveries());
    cases.extend(commitments());
    cases
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
            cases.push(Case {
                name: format!("pipeline, {name} checkpoints, {sink:?} sink"),
                story: Story::from(with_barriers(narrow(sink), barriers)).for_search(faults),
                faults,
            });
        }
    }
    // With one input there is nothing to align: only two of them show what at-least-once barriers do.
    cases.push(Case {
        name: String::from("pipeline of two lanes, at-least-once checkpoints, ExactlyOnce sink"),
        story: Story::from(with_barriers(small(ExactlyOnce, 2, 1, 0), BARRIERS[3].1)).for_search(1),
        faults: 1,
    });
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
    let case = |name: &str, story: Story, faults: u8| Case {
        name: format!("delivery, {name}"),
        story,
        faults,
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

fn commitments() -> Vec<Case> {
    let mut cases = Vec::new();
    for (cooperative, presumed) in votes::CONFIGURATIONS {
        for faults in [1, 2] {
            let story = votes::small(&[Vote::Commit; 2], (cooperative, presumed), faults);
            cases.push(Case {
                name: format!(
                    "votes of two, cooperative termination {cooperative}, presumed {presumed:?}"
                ),
                story: Story::Votes(story),
                faults,
            });
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
    let mut search = search(case.story.clone(), settings).expect("the scenario makes sense");
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
        if property.kind == Kind::Sometimes
            && let Some(run) = search.witness(number)
        {
            let _ = write!(line, "; {} after {} steps", property.name, run.steps.len());
        }
    }
    line
}

/// All cases, one a line.
pub fn table() -> String {
    cases().iter().map(|case| line(case) + "\n").collect()
}
