//! Scenarios that tests are made of.

use barrierscope_core::scenario::{
    CheckpointingMode, DeliveryGuarantee, Fault, Faults, Scenario, Workload,
};
use barrierscope_core::time::Millis;

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
        schedule: Vec::new(),
    };
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

/// Makes `subtask` crash at a moment, and nothing else.
pub fn with_crash(mut scenario: Scenario, at: Millis, subtask: &str) -> Scenario {
    scenario.faults.schedule = vec![Fault {
        at_ms: at,
        crash: subtask.into(),
    }];
    scenario
}
