//! Scenarios that tests are made of.

use barrierscope_core::scenario::{
    Breakage, CheckpointingMode, DeliveryGuarantee, Edge, Fault, Faults, Operator, Partitioning,
    Scenario, Vertex, Workload,
};
use barrierscope_core::time::{Micros, Millis};

/// The default story with this sink.
pub fn story(sink: DeliveryGuarantee) -> Scenario {
    let mut scenario = Scenario::default_story().expect("the story is part of the program");
    if let Some(guarantee) = scenario.sink_mut() {
        *guarantee = sink;
    }
    scenario
}

/// The default story's job on a few records with different keys, for searches and traces.
pub fn small(sink: DeliveryGuarantee, records: u32, checkpoints: u32, crashes: u8) -> Scenario {
    let mut scenario = story(sink);
    scenario.name = "small".into();
    scenario.inputs[0].workload = Workload::Numbered {
        count: records,
        keys: records,
    };
    scenario.checkpointing.max_checkpoints = Some(checkpoints);
    // One fault at a time: a search would let every checkpoint expire at every moment.
    scenario.checkpointing.timeout_ms = Millis(0);
    scenario.faults = Faults {
        max_crashes: crashes,
        ..Faults::none()
    };
    scenario.savepoints.max = 0;
    scenario
}

/// How checkpoints are taken: mode, unaligned, timeout of the alignment.
pub type Barriers = (CheckpointingMode, bool, Millis);

/// Each way of taking checkpoints, by name.
pub const BARRIERS: [(&str, Barriers); 4] = [
    (
        "aligned",
        (CheckpointingMode::ExactlyOnce, false, Millis(0)),
    ),
    (
        "unaligned",
        (CheckpointingMode::ExactlyOnce, true, Millis(0)),
    ),
    (
        "aligned-with-timeout",
        (CheckpointingMode::ExactlyOnce, true, Millis(500)),
    ),
    (
        "at-least-once",
        (CheckpointingMode::AtLeastOnce, false, Millis(0)),
    ),
];

/// The same, with its checkpoints taken in this way.
pub fn with_barriers(mut scenario: Scenario, barriers: Barriers) -> Scenario {
    let checkpointing = &mut scenario.checkpointing;
    (
        checkpointing.mode,
        checkpointing.unaligned,
        checkpointing.aligned_timeout_ms,
    ) = barriers;
    scenario
}

/// Small scenarios for searches, in each of which one more thing may happen than in [`small`]. Every vertex
/// has one subtask.
pub fn faulty() -> Vec<(&'static str, Scenario)> {
    let narrow = |records, checkpoints, crashes| {
        let exactly_once = DeliveryGuarantee::ExactlyOnce;
        let mut scenario = small(exactly_once, records, checkpoints, crashes);
        scenario.inputs[0].partitions = 1;
        scenario.checkpointing.tolerable_failures = 1;
        for vertex in &mut scenario.job.vertices {
            vertex.parallelism = 1;
        }
        scenario
    };
    let mut scenarios = Vec::new();
    let mut declined = narrow(2, 2, 1);
    declined.faults.max_declines = 1;
    scenarios.push(("a snapshot may fail", declined));
    let mut refused = narrow(2, 2, 1);
    refused.faults.max_refusals = 1;
    scenarios.push(("the store may refuse", refused));
    let mut lost = narrow(2, 2, 1);
    lost.faults.max_lost_notifications = 1;
    scenarios.push(("a notification may be lost", lost));
    let mut concurrent = narrow(2, 2, 1);
    concurrent.checkpointing.max_concurrent = 2;
    scenarios.push(("two checkpoints at once", concurrent));
    let mut expiring = narrow(2, 2, 0);
    expiring.checkpointing.timeout_ms = Millis(1_000);
    scenarios.push(("a checkpoint may expire", expiring));
    for (name, crashes) in [("savepoints", 0), ("a savepoint and a crash", 1)] {
        let mut scenario = narrow(1, 2, crashes);
        scenario.savepoints.max = 1;
        scenarios.push((name, scenario));
    }
    // Room for one record at each end of a channel.
    for (name, barriers) in [
        ("unaligned, full queues", BARRIERS[1].1),
        ("aligned with timeout, full queues", BARRIERS[2].1),
    ] {
        let mut scenario = with_barriers(narrow(3, 1, 1), barriers);
        scenario.costs.buffers_per_channel = 2;
        scenario.inputs[0].partitions = 2;
        scenario.job.vertices[0].parallelism = 2;
        scenarios.push((name, scenario));
    }
    scenarios
}

/// The default story's job with so many records that it takes about `steps` steps.
pub fn long(sink: DeliveryGuarantee, steps: u32) -> Scenario {
    let mut scenario = story(sink);
    scenario.name = "long".into();
    // A record is emitted, summed and written; checkpoints take one step in twelve or so.
    scenario.inputs[0].workload = Workload::Numbered {
        count: steps / 3,
        keys: 50,
    };
    scenario.max_steps = steps;
    scenario
}

/// Vertices and parallelism of the graphs of 10, 100 and 1,000 subtasks whose simulation is timed.
pub const GRAPHS: [(u16, u16); 3] = [(5, 2), (5, 20), (8, 125)];

/// A job of `vertices` vertices with `parallelism` subtasks each: a source, maps, a sum by key behind the
/// first of them, maps, a sink. Under light load, with `records` records.
pub fn wide(vertices: u16, parallelism: u16, records: u32) -> Scenario {
    let mut scenario = story(DeliveryGuarantee::ExactlyOnce);
    scenario.name = format!("{} subtasks", vertices * parallelism);
    scenario.inputs[0].partitions = parallelism;
    scenario.inputs[0].workload = Workload::Numbered {
        count: records,
        keys: 1_000,
    };
    let story = scenario.job.vertices.clone();
    let map = |at: u16| Vertex {
        name: format!("map-{at}"),
        operator: Operator::Map {
            cost_ms: Micros(1_000),
        },
        ..story[0].clone()
    };
    scenario.job.vertices = [story[0].clone(), map(0), story[1].clone()]
        .into_iter()
        .chain((1..vertices - 3).map(map))
        .chain([story[2].clone()])
        .collect();
    for vertex in &mut scenario.job.vertices {
        vertex.parallelism = parallelism;
    }
    let names = scenario.job.vertices.iter().map(|v| v.name.clone());
    let names: Vec<_> = names.collect();
    scenario.job.edges = (1..names.len())
        .map(|at| Edge {
            from: names[at - 1].clone(),
            to: names[at].clone(),
            partitioning: if at == 2 {
                Partitioning::Hash
            } else {
                Partitioning::Forward
            },
            feedback: None,
            force_unaligned: false,
        })
        .collect();
    scenario.faults = Faults::none();
    scenario.max_steps = 10_000_000;
    scenario
}

/// Makes `subtask` crash at a moment, and nothing else.
pub fn with_crash(mut scenario: Scenario, at: Millis, subtask: &str) -> Scenario {
    scenario.faults.schedule = vec![Fault {
        at_ms: at,
        what: Breakage::Crash(subtask.into()),
    }];
    scenario
}
