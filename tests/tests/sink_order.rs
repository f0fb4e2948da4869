//! What a sink does for a checkpoint, in the order in which recorded sinks of a real Flink did it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use std::collections::BTreeMap;

use barrierscope_core::event::{Event, SinkEvent};
use barrierscope_core::scenario::Scenario;
use barrierscope_tests::random::on_kafka;

/// By run: each order in which a sink subtask was seen to act for a checkpoint, and how often.
type Recorded = BTreeMap<String, BTreeMap<String, u32>>;

/// The order in which every recorded sink acted whose transaction was committed with its checkpoint.
const RECORDED: &str = "flush prepareCommit beginTransaction broadcastBarrier snapshotState acknowledge complete commit";

/// The same at a `KafkaSink`. The barrier has left before the next transaction begins there (`snapshotState` begins
/// it), and goes to nobody behind the last operator: no event tells of it.
const HERE: &str = "flush prepareCommit beginTransaction snapshotState acknowledge complete commit";

fn recorded() -> Recorded {
    let text = include_str!("../recordings/sink-order.json");
    serde_json::from_str(text).expect("the file makes sense")
}

#[test]
fn every_recorded_sink_acts_in_one_order() {
    let recorded = recorded();
    assert_eq!(recorded.len(), 15);
    let mut committed = 0;
    for (run, orders) in &recorded {
        for (order, times) in orders {
            let parts: Vec<&str> = order.split(' ').collect();
            let mut at = RECORDED.split(' ');
            let in_order = parts.iter().all(|part| at.any(|other| other == *part));
            assert!(in_order, "{run}: {order}");
            if order == RECORDED {
                committed += times;
            }
        }
    }
    assert_eq!(committed, 350);
}

/// By sink, attempt and checkpoint: what happened, in order.
fn simulated(scenario: Scenario) -> Vec<String> {
    let mut all: BTreeMap<(u16, u32), Vec<&str>> = BTreeMap::new();
    let mut begun: BTreeMap<u16, u32> = BTreeMap::new();
    let mut holds: BTreeMap<(u16, u32), u32> = BTreeMap::new();
    let outcome = barrierscope_core::models::listen(scenario, &mut |_, event| match event {
        Event::Sink(SinkEvent::Flushes {
            subtask,
            checkpoint,
            ..
        }) => {
            begun.insert(subtask.0, checkpoint.0);
            all.insert((subtask.0, checkpoint.0), vec!["flush"]);
        }
        Event::PreCommitted {
            subtask,
            checkpoint,
            transaction,
            ..
        } => {
            holds.insert((subtask.0, *transaction), checkpoint.0);
            if let Some(done) = all.get_mut(&(subtask.0, checkpoint.0)) {
                done.push("prepareCommit");
            }
        }
        Event::Sink(SinkEvent::Begins { subtask, .. }) => {
            if let Some(checkpoint) = begun.get(&subtask.0)
                && let Some(done) = all.get_mut(&(subtask.0, *checkpoint))
            {
                done.push("beginTransaction");
            }
        }
        Event::SnapshotTaken {
            subtask,
            checkpoint,
            ..
        } => {
            begun.remove(&subtask.0);
            if let Some(done) = all.get_mut(&(subtask.0, checkpoint.0)) {
                done.push("snapshotState");
            }
        }
        Event::SnapshotAcknowledged {
            subtask,
            checkpoint,
            ..
        } => {
            if let Some(done) = all.get_mut(&(subtask.0, checkpoint.0)) {
                done.push("acknowledge");
            }
        }
        Event::CheckpointCompleted { checkpoint, .. } => {
            for ((_, of), done) in &mut all {
                if of == &checkpoint.0 {
                    done.push("complete");
                }
            }
        }
        Event::TransactionCommitted {
            subtask,
            transaction,
            recovered: false,
            ..
        } => {
            if let Some(checkpoint) = holds.remove(&(subtask.0, *transaction))
                && let Some(done) = all.get_mut(&(subtask.0, checkpoint))
            {
                done.push("commit");
            }
        }
        // Whoever begins anew does so for no checkpoint.
        Event::JobRestored { .. } => begun.clear(),
        _ => {}
    });
    outcome.expect("the scenario makes sense");
    all.into_values().map(|done| done.join(" ")).collect()
}

#[test]
fn a_kafka_sink_acts_in_that_order_whatever_breaks() {
    let mut committed = 0;
    for seed in 0..200 {
        let guarantee = barrierscope_core::scenario::DeliveryGuarantee::ExactlyOnce;
        for order in simulated(on_kafka(seed, guarantee)) {
            let parts: Vec<&str> = order.split(' ').collect();
            let mut at = HERE.split(' ');
            let in_order = parts.iter().all(|part| at.any(|other| other == *part));
            assert!(in_order, "seed {seed}: {order}");
            committed += u32::from(order == HERE);
        }
    }
    assert!(committed > 200, "{committed}");
}
