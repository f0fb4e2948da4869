//! The recorded Flink jobs, simulated with one set of constants, come out as they were recorded.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::id::CheckpointId;
use barrierscope_core::statistics::Kind;
use barrierscope_tests::recorded::{
    Recording, Simulated, finished, outcome, recorded_medians, recorded_outcome, simulate,
    simulate_with_seed, simulated_medians,
};

/// Whether a figure is within 30 % of what was recorded.
#[track_caller]
fn near(found: f64, recorded: f64, what: &str) {
    assert!(
        (found - recorded).abs() <= 0.3 * recorded,
        "{what}: simulated {found:.0}, recorded {recorded:.0}"
    );
}

#[test]
fn durations_and_sizes_are_those_of_the_recordings() {
    for letter in ["a", "b", "c", "d", "g"] {
        let recording = Recording::of(letter);
        let recorded = recorded_medians(&recording);
        let simulated = simulated_medians(&simulate(&recording));
        let what = |figure: &str| format!("{letter}, {figure}");
        near(
            simulated.end_to_end,
            recorded.end_to_end,
            &what("end to end"),
        );
        near(
            simulated.state_size,
            recorded.state_size,
            &what("state size"),
        );
        near(simulated.persisted, recorded.persisted, &what("persisted"));
        // Of b and g, the recorded alignments are a few messages' noise: 54 and 14 ms.
        if !["b", "g"].contains(&letter) {
            near(simulated.alignment, recorded.alignment, &what("alignment"));
        }
    }
}

#[test]
fn the_configurations_are_in_the_order_of_the_recordings() {
    let end_to_end = |letter: &str| simulated_medians(&simulate(&Recording::of(letter))).end_to_end;
    let (aligned, unaligned) = (end_to_end("a"), end_to_end("b"));
    let (timeout, tracker) = (end_to_end("c"), end_to_end("d"));
    assert!(end_to_end("g") < unaligned);
    assert!(unaligned < timeout && timeout < aligned && aligned < tracker);
    // About 20 in the recordings.
    assert!(
        (15.0..=35.0).contains(&(aligned / unaligned)),
        "{}",
        aligned / unaligned
    );
}

#[test]
fn without_in_flight_data_state_sizes_are_the_same() {
    for letter in ["a", "d", "m"] {
        let recording = Recording::of(letter);
        let recorded = recorded_medians(&recording).state_size;
        let simulated = simulated_medians(&simulate(&recording)).state_size;
        assert!(
            (simulated - recorded).abs() < 20.0,
            "{letter}: {simulated} {recorded}"
        );
    }
}

/// What became of each simulated checkpoint.
fn outcomes(simulated: &Simulated) -> Vec<String> {
    simulated.measured.checkpoints.iter().map(outcome).collect()
}

/// What became of each recorded checkpoint, as many as were triggered before the data ended.
fn recorded_outcomes(recording: &Recording, many: usize) -> Vec<String> {
    let checkpoints = recording.checkpoints().iter().take(many);
    checkpoints.map(recorded_outcome).collect()
}

#[test]
fn the_same_checkpoints_fail_with_the_same_message() {
    // As many as do not depend on when the data ended.
    for (letter, many) in [
        ("e1", 12),
        ("e2", 11),
        ("e3", 13),
        ("f1", 13),
        ("f3", 9),
        ("f4", 12),
    ] {
        let recording = Recording::of(letter);
        let found = outcomes(&simulate(&recording));
        let expected = recorded_outcomes(&recording, many);
        assert_eq!(found.get(..many), Some(&expected[..]), "{letter}");
    }
}

#[test]
fn only_at_least_once_counts_twice() {
    for (letter, doubles) in [("e1", false), ("e2", true), ("e3", false)] {
        let recording = Recording::of(letter);
        let simulated = simulate(&recording);
        let verdict = &simulated.measured.verdict;
        assert!(finished(&simulated), "{letter}");
        assert_eq!(simulated.measured.restored, 1, "{letter}");
        assert_eq!(verdict.lost, 0, "{letter}");
        assert_eq!(verdict.doubled > 0, doubles, "{letter}");
        assert_eq!(verdict.miscounted > 0, doubles, "{letter}");
        let recorded = recording.get("/output/duplicates");
        assert_eq!(
            recorded.and_then(|d| d.as_u64()) > Some(0),
            doubles,
            "{letter}"
        );
        // What was open when the join failed is aborted, in both subtasks, and nothing else.
        let aborted = simulated.transactions.iter().filter(|t| t.aborted);
        assert_eq!(aborted.clone().count(), 2, "{letter}");
        assert!(
            aborted.clone().all(|t| t.prepared_with.is_none()),
            "{letter}"
        );
        // About as many records as in the recording, which failed at another moment of the interval.
        let records = f64::from(aborted.map(|t| t.records).sum::<u32>());
        let recorded = recording.get("/output/aborted").and_then(|a| a.as_f64());
        assert!(
            records < 3.0 * recorded.unwrap_or(0.0),
            "{letter}: {records}"
        );
    }
}

#[test]
fn what_an_aborted_checkpoint_prepared_is_committed_with_the_next() {
    let recording = Recording::of("f3");
    // In the recording, the sinks had not prepared anything yet when checkpoint 3 was declined, and had
    // when checkpoint 5 was: that is a matter of milliseconds.
    let (mut prepared, mut unprepared) = (0, 0);
    for seed in 1..=20 {
        let simulated = simulate_with_seed(&recording, seed);
        let completed: Vec<_> = simulated
            .measured
            .completed()
            .map(|c| c.checkpoint)
            .collect();
        for transaction in &simulated.transactions {
            let with = transaction.prepared_with.expect("the job came to its end");
            let next = completed.iter().find(|c| **c >= with).copied();
            assert_eq!(
                transaction.committed_after, next,
                "seed {seed}: {transaction:?}"
            );
        }
        let transactions = simulated.transactions.iter();
        let of_five = transactions.filter(|t| t.prepared_with == Some(CheckpointId(5)));
        match of_five.count() {
            0 => unprepared += 1,
            _ => prepared += 1,
        }
        assert_eq!(
            outcomes(&simulated)[4],
            "FAILED: Asynchronous task checkpoint failed."
        );
    }
    assert!(prepared > 0 && unprepared > 0, "{prepared} {unprepared}");
}

#[test]
fn expired_checkpoints_leave_the_transaction_open() {
    let simulated = simulate(&Recording::of("f1"));
    let first = &simulated.transactions[0];
    assert_eq!(first.prepared_with, Some(CheckpointId(11)));
    // Recorded: 7,403 records in each of the two subtasks, then 40 and 8.
    assert!((7_350..7_450).contains(&first.records), "{first:?}");
    for expired in simulated.measured.checkpoints.iter().take(10) {
        assert_eq!(expired.acknowledged().count(), 4, "only the sources");
    }
}

#[test]
fn the_job_fails_when_more_checkpoints_in_a_row_fail_than_are_tolerated() {
    let simulated = simulate(&Recording::of("f4"));
    assert_eq!(simulated.measured.restored, 2);
    // Prepared with checkpoints that failed, and not in the one that was restored: aborted.
    let aborted = simulated.transactions.iter().filter(|t| t.aborted);
    let prepared: Vec<_> = aborted.filter_map(|t| t.prepared_with).collect();
    assert!(!prepared.is_empty());
    let failed = |c: &CheckpointId| outcomes(&simulated)[c.index() - 1].starts_with("FAILED");
    assert!(prepared.iter().all(failed), "{prepared:?}");
    assert_eq!(simulated.measured.verdict.doubled, 0);
}

#[test]
fn concurrent_checkpoints_overlap_and_are_shorter() {
    let simulated = simulate(&Recording::of("j"));
    let checkpoints = &simulated.measured.checkpoints;
    let under_way = |at: usize| {
        let this = &checkpoints[at];
        let before = checkpoints.iter().take(at);
        before
            .filter(|c| c.triggered + c.end_to_end > this.triggered)
            .count()
            + 1
    };
    let most = (0..checkpoints.len()).map(under_way).max();
    assert!(most > Some(1) && most <= Some(3), "{most:?}");
    let recorded = recorded_medians(&Recording::of("j"));
    near(
        simulated_medians(&simulated).end_to_end,
        recorded.end_to_end,
        "j",
    );
    let aligned = simulated_medians(&simulate(&Recording::of("a"))).end_to_end;
    assert!(simulated_medians(&simulated).end_to_end < aligned);
}

#[test]
fn a_flush_before_the_barrier_is_in_no_part() {
    let simulated = simulate(&Recording::of("m"));
    let sinks = simulated.measured.completed().flat_map(|c| &c.subtasks);
    let sinks =
        sinks.filter(|s| barrierscope_tests::recorded::vertex_of(s.subtask) == Some("sink"));
    for sink in sinks {
        let parts = sink.start_delay + sink.alignment + sink.sync + sink.asynchronous;
        let rest = sink.end_to_end.expect("it is complete") - parts;
        assert!(rest.0 > 200_000, "{sink:?}");
    }
}

#[test]
fn a_savepoint_commits_nothing_unless_the_job_stops_with_it() {
    let recording = Recording::of("g");
    let simulated = simulate(&recording);
    let of_kind = |kind: Kind| {
        let all = &simulated.measured.checkpoints;
        let found = all.iter().find(|c| c.kind() == kind);
        found.map_or(CheckpointId::NONE, |c| c.checkpoint)
    };
    let (savepoint, stop) = (of_kind(Kind::Savepoint), of_kind(Kind::SyncSavepoint));
    let after = |checkpoint: CheckpointId| {
        let with = Some(checkpoint);
        simulated
            .transactions
            .iter()
            .filter(|t| t.prepared_with == with)
            .map(|t| t.committed_after)
            .next()
    };
    assert_eq!(after(savepoint), Some(Some(savepoint.next())));
    assert_eq!(after(stop), Some(Some(stop)));
}
