//! When checkpoints are triggered, when the job is restarted, and how it ends.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::mark::Ending;
use barrierscope_core::measure;
use barrierscope_core::measurement::Measurement;
use barrierscope_core::scenario::{
    Breakage, DeliveryGuarantee, Fault, Operator, Restart, Savepoint, Scenario,
};
use barrierscope_core::time::{Micros, Millis};
use barrierscope_tests::scenarios::story;

fn quiet() -> Scenario {
    let mut scenario = story(DeliveryGuarantee::ExactlyOnce);
    scenario.faults.schedule.clear();
    scenario.costs.jitter_percent = 0;
    scenario
}

fn run(scenario: Scenario) -> Measurement {
    measure(scenario).expect("it makes sense")
}

fn crash(at: u32) -> Fault {
    Fault {
        at_ms: Millis(at),
        what: Breakage::Crash("total[1]".into()),
    }
}

#[test]
fn checkpoints_come_at_a_fixed_rate_and_what_is_late_is_made_up_for() {
    let mut scenario = quiet();
    scenario.checkpointing.interval_ms = Millis(2_000);
    // The first ones take longer than that, for buffers are full; later ones do not.
    scenario.costs.snapshot_ms = Millis(500);
    if let Operator::Sum { cost_ms } = &mut scenario.job.vertices[1].operator {
        *cost_ms = Micros(250_000);
    }
    let measured = run(scenario);
    let mut late = 0;
    for (before, this) in measured.checkpoints.iter().zip(&measured.checkpoints[1..]) {
        let due = Micros(u64::from(this.checkpoint.0) * 2_000_000);
        let over = before.triggered + before.end_to_end;
        assert_eq!(
            this.triggered,
            due.max(over),
            "checkpoint {}",
            this.checkpoint
        );
        late += usize::from(over > due);
    }
    assert!(late > 2, "{late}");
}

#[test]
fn a_pause_is_kept_and_begins_the_rate_anew() {
    let mut scenario = quiet();
    scenario.checkpointing.interval_ms = Millis(2_000);
    scenario.checkpointing.min_pause_ms = Millis(1_500);
    let measured = run(scenario);
    assert!(measured.checkpoints.len() > 4);
    for (before, this) in measured.checkpoints.iter().zip(&measured.checkpoints[1..]) {
        let pause = this.triggered - (before.triggered + before.end_to_end);
        assert!(pause >= Micros(1_500_000), "{pause}");
        let rate = before.triggered + Micros(2_000_000);
        assert!(
            pause == Micros(1_500_000) || this.triggered == rate,
            "{pause}"
        );
    }
}

#[test]
fn a_checkpoint_that_is_due_before_the_subtasks_run_is_refused() {
    let mut scenario = quiet();
    scenario.costs.deploy_ms = Millis(600);
    scenario.checkpointing.initial_delay_ms = Some(Millis(100));
    let interval = Micros::from(scenario.checkpointing.interval_ms);
    let measured = run(scenario);
    assert_eq!(measured.refused, 1);
    assert_eq!(
        measured.checkpoints[0].triggered,
        Micros(100_000) + interval
    );
    assert_eq!(measured.ending, Ending::Done);
}

#[test]
fn a_bounded_job_takes_a_last_checkpoint_at_once() {
    let mut scenario = quiet();
    let interval = Micros::from(scenario.checkpointing.interval_ms).0;
    if let Operator::Source { bounded, .. } = &mut scenario.job.vertices[0].operator {
        *bounded = true;
    }
    let measured = run(scenario);
    let last = measured.checkpoints.last().expect("there is one");
    assert!(
        !last.triggered.0.is_multiple_of(interval),
        "{}",
        last.triggered
    );
    assert_eq!(measured.ending, Ending::Done);
    assert_eq!(measured.verdict.visible, measured.verdict.expected);
}

#[test]
fn a_bounded_job_that_fails_after_its_last_checkpoint_takes_another() {
    let mut scenario = quiet();
    if let Operator::Source { bounded, .. } = &mut scenario.job.vertices[0].operator {
        *bounded = true;
    }
    let undisturbed = run(scenario.clone());
    let end = undisturbed.time.0 / 1_000;
    for at in end - 300..end {
        let mut scenario = scenario.clone();
        scenario.faults.schedule = vec![crash(at as u32)];
        let measured = run(scenario);
        assert_eq!(measured.ending, Ending::Done, "crash at {at} ms");
        assert_eq!(
            measured.verdict.total, measured.verdict.true_total,
            "crash at {at} ms"
        );
    }
}

#[test]
fn a_job_fails_for_good_when_its_attempts_are_used_up() {
    let mut scenario = quiet();
    scenario.restart = Restart {
        attempts: Some(2),
        ..Restart::default()
    };
    scenario.faults.schedule = vec![crash(3_000), crash(6_000), crash(9_000)];
    let measured = run(scenario.clone());
    assert_eq!((measured.ending, measured.restored), (Ending::Failed, 2));
    assert_eq!(
        measured.verdict.lost, 0,
        "what was not read may still be read"
    );
    scenario.faults.schedule.pop();
    assert_eq!(run(scenario).ending, Ending::Done);
}

#[test]
fn a_crash_while_the_job_is_down_waits_until_it_runs() {
    let mut scenario = quiet();
    scenario.faults.schedule = vec![crash(3_000), crash(3_001)];
    let measured = run(scenario);
    assert_eq!((measured.ending, measured.restored), (Ending::Done, 2));
}

#[test]
fn a_job_that_stops_with_a_savepoint_leaves_the_rest_unread() {
    let mut scenario = quiet();
    scenario.savepoints.schedule = vec![Savepoint {
        at_ms: Millis(5_000),
        stop: true,
    }];
    let measured = run(scenario);
    let verdict = &measured.verdict;
    assert_eq!(measured.ending, Ending::Stopped);
    assert!(verdict.visible < verdict.expected);
    assert_eq!((verdict.visible, verdict.lost), (verdict.read, 0));
}

#[test]
fn what_breaks_can_be_written_and_read() {
    let mut scenario = quiet();
    scenario.faults.schedule = [
        Breakage::Crash("total[1]".into()),
        Breakage::LoseTaskManager(0),
        Breakage::LoseJobManager,
        Breakage::LoseNotification("sink[0]".into()),
    ]
    .map(|what| Fault {
        at_ms: Millis(4_000),
        what,
    })
    .into();
    assert_eq!(
        Scenario::from_json(&scenario.to_json()),
        Ok(scenario.clone())
    );
    let measured = run(scenario);
    assert_eq!((measured.ending, measured.restored), (Ending::Done, 3));
    assert_eq!(measured.verdict.total, measured.verdict.true_total);
}
