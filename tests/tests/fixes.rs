//! What fixes a reported fault of a Flink job holds wherever something else fails besides.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::scenario::{Breakage, Fault, Scenario};
use barrierscope_core::time::Millis;

/// The cases whose parts only few jobs have.
const FIXES: [&str; 7] = [
    "F10-unaligned-late-result-dropped",
    "F11-unaligned-broadcast-state",
    "F12-at-least-once-mode-shuffle",
    "F13-feedback-loop-records",
    "F20-final-committables-lost",
    "F21-latest-reevaluated-on-recovery",
    "F23-commit-response-lost-new-job-id",
];

fn fixed(case: &str) -> Scenario {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/cases/");
    let json = std::fs::read_to_string(format!("{folder}{case}.fixed.json"));
    Scenario::from_json(&json.expect("the file is there")).expect("it makes sense")
}

#[test]
fn each_fix_holds_wherever_something_else_fails() {
    for case in FIXES {
        let scenario = fixed(case);
        let vertices = scenario.job.vertices.iter();
        let subtasks = vertices.flat_map(|vertex| {
            (0..vertex.parallelism).map(|number| format!("{}[{number}]", vertex.name))
        });
        let losses = subtasks.map(Breakage::Crash);
        for loss in losses.chain([Breakage::LoseJobManager]) {
            for at in (0..2_600).step_by(37) {
                for again in [None, Some(at + 700)] {
                    check(case, &scenario, &loss, at, again);
                }
            }
        }
    }
}

fn check(case: &str, scenario: &Scenario, loss: &Breakage, at: u32, again: Option<u32>) {
    let mut scenario = scenario.clone();
    scenario.seed = u64::from(at);
    scenario.costs.jitter_percent = 20;
    for at in [Some(at), again].into_iter().flatten() {
        scenario.faults.schedule.push(Fault {
            at_ms: Millis(at),
            what: loss.clone(),
        });
    }
    let mut run = barrierscope_core::open(&scenario.to_json()).expect("it makes sense");
    run.go_to(run.last());
    let verdict = run.verdict();
    assert!(
        verdict.done
            && verdict.visible == verdict.expected
            && [
                verdict.lost,
                verdict.doubled,
                verdict.stuck,
                verdict.miscounted
            ] == [0; 4],
        "{case}: {loss:?} at {at} and {again:?}: {verdict:?}"
    );
}

/// What the notes of the cases say of other ways out, and of other failures.
#[test]
fn there_are_other_ways_out() {
    for (case, from, to) in [
        (
            "F10-unaligned-late-result-dropped",
            "\"iceberg-v1\"",
            "\"iceberg-v1-late-to-next\"",
        ),
        (
            "F10-unaligned-late-result-dropped",
            "\"iceberg-v1\"",
            "\"sink-v2\"",
        ),
        ("F11-unaligned-broadcast-state", "\"subtask0\"", "\"own\""),
        (
            "F21-latest-reevaluated-on-recovery",
            "\"lose_job_manager\": true",
            "\"crash\": \"source[0]\"",
        ),
        (
            "F23-commit-response-lost-new-job-id",
            "\"job-id\"",
            "\"committable-job-id\"",
        ),
    ] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/cases/");
        let json = std::fs::read_to_string(format!("{folder}{case}.json")).expect("it is there");
        assert!(json.contains(from), "{case}");
        let mut run = barrierscope_core::open(&json.replace(from, to)).expect("it makes sense");
        run.go_to(run.last());
        let verdict = run.verdict();
        let wrong = verdict.lost + verdict.doubled + verdict.stuck + verdict.miscounted;
        assert_eq!(
            (wrong, verdict.visible),
            (0, verdict.expected),
            "{case}: {to}"
        );
    }
}
