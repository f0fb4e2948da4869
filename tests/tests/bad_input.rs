//! What a user may get wrong in a scenario, and what they are told.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::scenario::{DEFAULT_STORY, Scenario};
use serde_json::{Value, json};

/// The default story with one value replaced, and what is said of it.
fn told(pointer: &str, value: Value) -> String {
    let mut story: Value = serde_json::from_str(DEFAULT_STORY).expect("the story is JSON");
    match story.pointer_mut(pointer) {
        Some(place) => *place = value,
        None => {
            let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
            story.pointer_mut(parent).expect("the parent is there")[name] = value;
        }
    }
    match Scenario::from_json(&story.to_string()) {
        Ok(_) => "accepted".into(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_message_names_the_field_and_the_reason() {
    let edges = |from: &str, to: &str| json!({"from": from, "to": to, "partitioning": "hash"});
    let cases = [
        (
            "/job/vertices/1/parallelism",
            json!(0),
            "job.vertices[1].parallelism: 0 is out of range: 1 to 128",
        ),
        (
            "/job/vertices/1/parallelism",
            json!("two"),
            "job.vertices[1].parallelism: invalid type: string \"two\", expected u16",
        ),
        (
            "/job/vertices/1/operator/kind",
            json!("window"),
            "job.vertices[1].operator.kind: unknown variant `window`, expected one of `source`, `map`, `filter`",
        ),
        (
            "/job/vertices/0",
            json!({"name": "source", "operator": {"kind": "map"}, "parallelism": 2}),
            "job.vertices: no source: a job needs a vertex of the kind `source`",
        ),
        (
            "/job/edges/1",
            edges("total", "total"),
            "job.edges: the edges run in a circle through `total`: a job graph has none",
        ),
        (
            "/job/edges/1",
            edges("total", "sunk"),
            "job.edges[1].to: there is no vertex `sunk`, but: source, total, sink",
        ),
        (
            "/job/edges/1",
            edges("source", "sink"),
            "job.vertices[1]: no edge leads on from `total`, so its results would go nowhere",
        ),
        (
            "/job/vertices/2/parallelism",
            json!(3),
            "job.edges[1].partitioning: `forward` needs the same parallelism on both sides; `hash` and `rebalance` do not",
        ),
        (
            "/job/edges/0/partitioning",
            json!("forward"),
            "job.edges[0].partitioning: `total` keeps its state by key, so the edge to it must be `hash`",
        ),
        (
            "/faults/schedule/0/crash",
            json!("total[2]"),
            "faults.schedule[0].crash: there is no subtask `total[2]`; a subtask is written `source[0]`, and there are: source[0] to [1], total[0] to [1], sink[0] to [1]",
        ),
        (
            "/faults/max_crashes",
            json!(0),
            "faults.max_crashes: 0 is less than the 1 crashes in faults.schedule",
        ),
        (
            "/faults/schedule/0",
            json!({"at_ms": 1, "lose_task_manager": 1}),
            "faults.schedule[0].lose_task_manager: 1 is out of range: 0 to 0",
        ),
        (
            "/faults/schedule/0",
            json!({"at_ms": 1}),
            "faults.schedule[0]: a fault has its moment and one of `crash`, `lose_task_manager`, `lose_job_manager`, `lose_notification`",
        ),
        (
            "/faults/schedule/0",
            json!({"at_ms": 1, "crash": "sink[0]", "lose_job_manager": true}),
            "faults.schedule[0]: a fault has its moment and one of `crash`,",
        ),
        (
            "/faults/snapshots",
            json!([{"checkpoint": 3, "phase": "async"}]),
            "faults.snapshots[0].subtask: it is missing: a snapshot is that of a subtask, as in `total[1]`",
        ),
        (
            "/faults/snapshots",
            json!([{"checkpoint": 0, "phase": "finalize"}]),
            "faults.snapshots[0].checkpoint: the first checkpoint is number 1",
        ),
        (
            "/savepoints",
            json!({"max": 0, "schedule": [{"at_ms": 1}]}),
            "savepoints.max: 0 is less than the 1 savepoints in savepoints.schedule",
        ),
        (
            "/checkpointing",
            json!({"interval_ms": 1000, "unaligned": true, "max_concurrent": 2}),
            "checkpointing.max_concurrent: unaligned checkpoints are taken one at a time: set checkpointing.max_concurrent to 1",
        ),
        (
            "/network",
            json!({"segment_bytes": 0}),
            "network.segment_bytes: 0 is out of range: 1 to 1073741824",
        ),
        (
            "/job/vertices/1/operator/cost_ms",
            json!(-0.5),
            "job.vertices[1].operator: invalid value: floating point `-0.5`, expected a number of milliseconds, 0 or more, with at most three decimals",
        ),
        (
            "/job/task_managers",
            json!(0),
            "job.task_managers: 0 is out of range: 1 to 128",
        ),
        (
            "/version",
            json!(2),
            "version: this program reads version 1, the scenario has 2",
        ),
        (
            "/checkpointing/interval_ms",
            json!(0),
            "checkpointing.interval_ms: 0 is out of range: 1 to 86400000",
        ),
        (
            "/costs/buffers_per_channel",
            json!(0),
            "costs.buffers_per_channel: 0 is out of range: 1 to 10000",
        ),
        (
            "/inputs/0/workload",
            json!({"records": []}),
            "inputs[0].workload.records: 0 is out of range: 1 to 200000",
        ),
        (
            "/reader/isolation_level",
            json!("serializable"),
            "reader.isolation_level: unknown variant `serializable`, expected `read_uncommitted` or `read_committed`",
        ),
    ];
    for (pointer, value, expected) in cases {
        let told = told(pointer, value);
        assert!(
            told.starts_with(expected),
            "{pointer}:\n  expected {expected}\n  found    {told}"
        );
    }
}

#[test]
fn what_is_no_json_is_told_where() {
    let error = Scenario::from_json("{\n  \"version\": 1,,\n}").expect_err("no JSON");
    assert!(error.to_string().starts_with("no JSON: "), "{error}");
    assert!(error.to_string().contains("line 2 column"), "{error}");
    let error = Scenario::from_json(&format!("{DEFAULT_STORY} x")).expect_err("more follows");
    assert!(error.to_string().contains("trailing"), "{error}");
    let error = Scenario::from_json("{}").expect_err("nothing in it");
    assert!(
        error.to_string().contains("missing field `version`"),
        "{error}"
    );
}

#[test]
fn a_scenario_survives_being_written_and_read() {
    let story = Scenario::default_story().expect("the story is part of the program");
    assert_eq!(Scenario::from_json(&story.to_json()), Ok(story));
}
