//! Whatever the graph, the costs and the faults: nothing panics, every run ends and loses nothing. With
//! aligned or unaligned checkpoints the state counts every record once; with the transactional sink too,
//! the reader sees every record once. With at-least-once checkpoints neither holds.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::mark::Ending;
use barrierscope_core::scenario::{CheckpointingMode, DeliveryGuarantee};
use barrierscope_tests::random::{scenario, waits_for_itself};

/// Runs the scenario of a seed and holds it to its promises, on the way and in the end. True if a record
/// was miscounted in a state that promises no better.
fn run(seed: u64) -> bool {
    let scenario = scenario(seed);
    let state_exact = scenario.checkpointing.mode == CheckpointingMode::ExactlyOnce;
    let exact =
        state_exact && scenario.delivery_guarantee() == Some(DeliveryGuarantee::ExactlyOnce);
    let json = scenario.to_json();
    let mut run = match barrierscope_core::start(scenario) {
        Ok(run) => run,
        Err(error) => panic!("seed {seed}: {error}\n{json}"),
    };
    let done = run.ending() == Ending::Done;
    // Or it says why it waits: every checkpoint since has expired.
    assert!(done || waits_for_itself(&*run), "seed {seed}\n{json}");
    let last = run.last();
    for step in (0..last).step_by(last / 10 + 1).chain([last]) {
        run.go_to(step);
        let verdict = run.verdict();
        assert_eq!(verdict.lost, 0, "seed {seed}, step {step}\n{json}");
        if state_exact {
            assert_eq!(verdict.miscounted, 0, "seed {seed}, step {step}\n{json}");
        }
        if exact {
            assert_eq!(verdict.doubled, 0, "seed {seed}, step {step}\n{json}");
        }
        let _ = run.scene();
    }
    let verdict = run.verdict();
    if !done {
        return false;
    }
    assert_eq!(verdict.visible, verdict.expected, "seed {seed}\n{json}");
    if exact {
        assert_eq!(verdict.total, verdict.true_total, "seed {seed}\n{json}");
    }
    verdict.miscounted > 0
}

#[test]
fn ten_thousand_random_graphs_keep_what_they_promise() {
    let miscounted = (0..10_000).filter(|seed| run(*seed)).count();
    assert!(
        miscounted > 100,
        "at-least-once checkpoints do show what they do not promise: {miscounted}"
    );
}
