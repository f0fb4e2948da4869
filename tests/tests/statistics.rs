//! The identities that hold of the statistics of real Flink jobs hold of those of every simulated
//! checkpoint.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::scenario::{DeliveryGuarantee, Operator};
use barrierscope_core::statistics::{CheckpointStatistics, Kind, Status};
use barrierscope_core::time::Micros;
use barrierscope_tests::random::scenario;
use barrierscope_tests::scenarios::{BARRIERS, story, with_barriers};

fn hold(statistics: &CheckpointStatistics, unaligned: bool, place: &str) {
    let subtasks = &statistics.subtasks;
    let acknowledged = || statistics.acknowledged();
    let latest = acknowledged().filter_map(|s| s.end_to_end).max();
    if statistics.status == Status::Completed {
        // 2. The checkpoint takes as long as its slowest subtask.
        assert_eq!(Some(statistics.end_to_end), latest, "{place}");
        assert!(subtasks.iter().all(|s| s.end_to_end.is_some()), "{place}");
    }
    if let Status::Failed(_) = statistics.status {
        // 3. That of a failed one is as long as it took to fail.
        assert!(
            latest.is_none_or(|latest| latest <= statistics.end_to_end),
            "{place}"
        );
    }
    for subtask in subtasks {
        // 8. In-flight data is stored by unaligned checkpoints only.
        if !unaligned || statistics.purpose.is_savepoint() {
            assert_eq!(subtask.persisted, 0, "{place}");
        }
        let Some(end_to_end) = subtask.end_to_end else {
            continue;
        };
        let parts = subtask.start_delay + subtask.sync + subtask.asynchronous;
        // 10. The size of a snapshot includes the in-flight data.
        assert!(
            subtask.state_size >= subtask.persisted,
            "{place}: {subtask:?}"
        );
        // 6. This holds always.
        assert!(end_to_end >= parts, "{place}: {subtask:?}");
        // 5. Of what is aligned, the parts come one after the other.
        if !unaligned || statistics.purpose.is_savepoint() {
            assert!(
                end_to_end >= parts + subtask.alignment,
                "{place}: {subtask:?}"
            );
        }
        // What is late belongs to a checkpoint that has failed.
        assert!(
            !subtask.late || matches!(statistics.status, Status::Failed(_)),
            "{place}"
        );
    }
    // 9. An unaligned checkpoint is one that has stored in-flight data anywhere.
    assert_eq!(
        statistics.kind() == Kind::UnalignedCheckpoint,
        statistics.persisted() > 0,
        "{place}"
    );
}

#[test]
fn the_identities_of_flinks_statistics_hold() {
    let mut completed = 0;
    for seed in 0..2_000 {
        let scenario = scenario(seed);
        let unaligned = scenario.checkpointing.unaligned;
        let run = barrierscope_core::start(scenario).expect("it makes sense");
        for (at, statistics) in run.checkpoints().iter().enumerate() {
            assert_eq!(
                statistics.checkpoint.index(),
                at + 1,
                "ids go on after restarts"
            );
            hold(
                statistics,
                unaligned,
                &format!("seed {seed}, checkpoint {}", at + 1),
            );
            completed += usize::from(statistics.status == Status::Completed);
        }
    }
    assert!(completed > 5_000, "{completed}");
}

/// The medians of a run's completed checkpoints: end to end, alignment, in-flight records stored.
fn medians(run: &[CheckpointStatistics]) -> (Micros, Micros, u64) {
    let completed = || run.iter().filter(|s| s.status == Status::Completed);
    let mut durations: Vec<_> = completed().map(|s| s.end_to_end).collect();
    let mut alignments: Vec<_> = completed().map(CheckpointStatistics::alignment).collect();
    let mut persisted: Vec<_> = completed().map(CheckpointStatistics::persisted).collect();
    durations.sort();
    alignments.sort();
    persisted.sort();
    let middle = durations.len() / 2;
    (durations[middle], alignments[middle], persisted[middle])
}

#[test]
fn under_backpressure_an_unaligned_checkpoint_is_faster_and_larger() {
    let mut found = Vec::new();
    for (name, barriers) in BARRIERS {
        let mut scenario = with_barriers(story(DeliveryGuarantee::ExactlyOnce), barriers);
        scenario.faults.schedule.clear();
        // An operator that is too slow for its sources: every buffer before it is full.
        if let Operator::Sum { cost_ms } = &mut scenario.job.vertices[1].operator {
            cost_ms.0 = 600_000;
        }
        let run = barrierscope_core::start(scenario).expect("it makes sense");
        found.push((name, medians(run.checkpoints())));
    }
    let of = |name: &str| {
        found
            .iter()
            .find(|(n, _)| *n == name)
            .expect("it is there")
            .1
    };
    let (aligned, unaligned) = (of("aligned"), of("unaligned"));
    let (timeout, tracker) = (of("aligned-with-timeout"), of("at-least-once"));
    assert!(unaligned.0.0 * 2 < aligned.0.0, "{found:?}");
    assert!(
        timeout.0 < aligned.0 && timeout.0 > unaligned.0,
        "{found:?}"
    );
    assert_eq!((aligned.2, tracker.2), (0, 0), "{found:?}");
    assert!(unaligned.2 > 0, "{found:?}");
    // At-least-once blocks nothing, but its barriers queue behind the data all the same.
    assert!(tracker.0.0 * 2 > aligned.0.0, "{found:?}");
}
