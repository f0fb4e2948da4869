//! A job that is deployed again with fewer subtasks of its Kafka sink: who goes on with what those have left that are
//! no part of it any more.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use std::collections::BTreeSet;

use barrierscope_core::event::{Event, KafkaEvent, SinkEvent};
use barrierscope_core::id::NodeId;
use barrierscope_core::scenario::delivery::{Api, MessageFault, Part};
use barrierscope_core::scenario::{Breakage, Fault, Redeploy, Scenario};
use barrierscope_core::scene::{Facts, Health};
use barrierscope_core::session::Session;
use barrierscope_core::time::Millis;
use barrierscope_tests::random::is_left_behind;

/// Numbered records into a sink of three subtasks; killed behind the second checkpoint.
fn scenario(naming: &str, redeployments: &[(u32, u16)]) -> Scenario {
    let json = format!(
        r#"{{"version": 1, "name": "fewer subtasks",
            "inputs": [{{"topic": "in", "workload": {{"numbered": {{"count": 40, "keys": 20}}}}}}],
            "job": {{
                "vertices": [
                    {{"name": "source", "operator": {{"kind": "source", "topic": "in", "interval_ms": 20}}}},
                    {{"name": "sink", "parallelism": 3,
                      "operator": {{"kind": "sink", "delivery_guarantee": "exactly-once"}}}}
                ],
                "edges": [{{"from": "source", "to": "sink", "partitioning": "rebalance"}}]
            }},
            "output": {{"topic": "out", "partitions": 1}},
            "kafka": {{"sink": {{"transactionNamingStrategy": "{naming}",
                "config": {{"transaction.timeout.ms": 600000}}}}}},
            "checkpointing": {{"interval_ms": 150}},
            "costs": {{"jitter_percent": 0}}}}"#
    );
    let mut scenario = Scenario::from_json(&json).expect("it makes sense");
    for (at, parallelism) in redeployments {
        scenario.faults.schedule.push(Fault {
            at_ms: Millis(*at),
            what: Breakage::Redeploy(Redeploy {
                parallelism: Some(*parallelism),
                ..Redeploy::default()
            }),
        });
    }
    scenario
}

fn run(scenario: &Scenario) -> Box<dyn Session> {
    barrierscope_core::open(&scenario.to_json()).expect("it makes sense")
}

/// What each subtask of the sink does behind the last redeployment: its number, what it does, and the id.
fn acts(run: &mut dyn Session) -> Vec<(u16, &'static str, String)> {
    let mut acts = Vec::new();
    for step in 1..=run.last() {
        run.go_to(step);
        let scene = run.scene();
        let number = |id: NodeId| {
            let node = scene.nodes.iter().find(|node| node.id == id);
            node.map_or(u16::MAX, |node| node.number)
        };
        for event in run.events() {
            let (subtask, what, id) = match event {
                Event::JobRedeployed { .. } => {
                    acts.clear();
                    continue;
                }
                Event::Sink(SinkEvent::Commits {
                    subtask,
                    transactional_id,
                    recovered: true,
                }) => (subtask, "commits", transactional_id),
                Event::Sink(SinkEvent::Probes {
                    subtask,
                    transactional_id,
                }) => (subtask, "probes", transactional_id),
                Event::Sink(SinkEvent::Initializes {
                    subtask,
                    transactional_id,
                }) => (subtask, "makes", transactional_id),
                Event::Kafka(KafkaEvent::Sent { client, .. }) => {
                    acts.push((number(client), "sends", String::new()));
                    continue;
                }
                _ => continue,
            };
            let name = run.transactional_id(id).expect("the id has a name");
            acts.push((number(subtask), what, name));
        }
    }
    acts
}

/// The subtask numbers in the ids with which a subtask does something.
fn named(acts: &[(u16, &str, String)], subtask: u16, what: &str) -> BTreeSet<u16> {
    let own = acts.iter().filter(|it| it.0 == subtask && it.1 == what);
    own.map(|(_, _, id)| {
        let number = id.split('-').nth(1).expect("prefix-subtask-number");
        number.parse().expect("it is a number")
    })
    .collect()
}

fn assert_all_seen_once(run: &mut dyn Session) {
    run.go_to(run.last());
    let verdict = run.verdict();
    assert!(verdict.done, "{verdict:?}");
    assert_eq!(
        (
            verdict.visible,
            verdict.lost,
            verdict.doubled,
            verdict.stuck
        ),
        (40, 0, 0, 0)
    );
}

/// The killed job has a transaction open in each subtask, and holds three that are prepared.
const KILLED: u32 = 385;

/// What is stored is one list, of which each subtask gets a run: with three entries for two, the first gets two. A
/// pooled id is that of the first subtask that its maker owns, and no new one is made for the others.
#[test]
fn pooled_ids_are_looked_after_by_who_owns_them_and_made_under_the_first_one() {
    let mut run = run(&scenario("POOLING", &[(KILLED, 2)]));
    let acts = acts(&mut *run);
    assert_eq!(named(&acts, 0, "commits"), BTreeSet::from([0, 1]));
    assert_eq!(named(&acts, 1, "commits"), BTreeSet::from([2]));
    assert_eq!(named(&acts, 0, "probes"), BTreeSet::from([0, 1]));
    assert_eq!(named(&acts, 1, "probes"), BTreeSet::from([2]));
    assert_eq!(named(&acts, 0, "makes"), BTreeSet::from([0]));
    assert_eq!(named(&acts, 1, "makes"), BTreeSet::from([2]));
    assert!(acts.iter().all(|it| it.0 < 2), "the third one does nothing");
    assert_all_seen_once(&mut *run);
}

/// Where each transaction has an id of its own, a subtask makes those of its number, and looks after those whose
/// number modulo the parallelism is its own.
#[test]
fn other_ids_are_made_by_number_and_looked_after_by_modulo() {
    let mut run = run(&scenario("INCREMENTING", &[(KILLED, 2)]));
    let acts = acts(&mut *run);
    assert_eq!(named(&acts, 0, "commits"), BTreeSet::from([0, 1]));
    assert_eq!(named(&acts, 1, "commits"), BTreeSet::from([2]));
    let probed = named(&acts, 0, "probes");
    assert!(probed.contains(&0) && probed.contains(&2), "{probed:?}");
    assert!(named(&acts, 1, "probes").contains(&1));
    assert_eq!(named(&acts, 0, "makes"), BTreeSet::from([0]));
    assert_eq!(named(&acts, 1, "makes"), BTreeSet::from([1]));
    assert_all_seen_once(&mut *run);
}

#[test]
fn records_go_to_all_that_are_left_and_to_nobody_else() {
    for naming in ["POOLING", "INCREMENTING"] {
        for left in 1..=3 {
            let mut run = run(&scenario(naming, &[(KILLED, left)]));
            let acts = acts(&mut *run);
            let senders: BTreeSet<u16> =
                (acts.iter().filter(|it| it.1 == "sends").map(|it| it.0)).collect();
            assert_eq!(senders, (0..left).collect(), "{naming}, {left}");
            assert_all_seen_once(&mut *run);
        }
    }
}

/// Those that were removed may come back, and more than once.
#[test]
fn subtasks_may_be_fewer_and_more_again() {
    for naming in ["POOLING", "INCREMENTING"] {
        for (first, second) in [(1, 3), (2, 3), (1, 2), (2, 1), (3, 1)] {
            let again = KILLED + 1_300;
            let mut run = run(&scenario(naming, &[(KILLED, first), (again, second)]));
            let senders = acts(&mut *run);
            assert!(
                senders.iter().all(|it| it.0 < second),
                "{naming}, {first}, {second}"
            );
            assert_all_seen_once(&mut *run);
        }
    }
}

#[test]
fn a_removed_subtask_is_shown_as_removed_and_counts_for_nothing() {
    let mut run = run(&scenario("POOLING", &[(KILLED, 1)]));
    let count = |run: &dyn Session, health| {
        let scene = run.scene();
        let sinks = scene
            .nodes
            .iter()
            .filter(|node| matches!(node.facts, Facts::Sink { .. }));
        sinks.filter(|node| node.health == health).count()
    };
    run.go_to(0);
    assert_eq!(count(&*run, Health::Removed), 0);
    run.go_to(run.last());
    assert_eq!(count(&*run, Health::Removed), 2);
    assert_eq!(count(&*run, Health::Running), 1);
    let scene = run.scene();
    let removed: Vec<NodeId> = (scene.nodes.iter())
        .filter(|node| node.health == Health::Removed)
        .map(|node| node.id)
        .collect();
    let leads_there = |id: NodeId| removed.contains(&id);
    let mut wires = scene.links.iter();
    let all_lead_elsewhere = wires.all(|wire| !leads_there(wire.from) && !leads_there(wire.to));
    assert!(all_lead_elsewhere, "nothing leads to it, or from it");
    // Source and sink acknowledge, and nobody else is waited for.
    let last = run.checkpoints().last().expect("there are checkpoints");
    assert_eq!(last.subtasks.len(), 2, "{last:?}");
}

/// What probing does not find: the first subtask had not got its first id yet when the job was killed, so that its
/// successor takes it that nobody was there, and does not look for what the others have left open.
#[test]
fn what_a_removed_subtask_has_begun_is_not_looked_for_where_its_heir_had_not() {
    let mut scenario = scenario("INCREMENTING", &[(120, 1)]);
    let kafka = scenario.kafka.as_mut().expect("it has brokers");
    kafka.faults.messages.push(MessageFault {
        client: "sink[0]".into(),
        api: Api::InitProducerId,
        part: Part::Request,
        number: 1,
        count: 1,
        delay_ms: None,
    });
    scenario.until_ms = Some(Millis(30_000));
    let mut run = run(&scenario);
    run.go_to(run.last());
    let verdict = run.verdict();
    assert_eq!(verdict.visible, 0, "{verdict:?}");
    assert!(is_left_behind(&*run));
}
