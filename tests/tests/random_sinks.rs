//! A job that writes to brokers, whatever the graph, the costs and the faults, in the job and in Kafka: as long as no
//! outage is longer than a transaction may be open, every record is seen once behind a sink that promises
//! `EXACTLY_ONCE`, and at least once behind one that promises `AT_LEAST_ONCE`; `NONE` loses.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::mark::Ending;
use barrierscope_core::models::measure;
use barrierscope_core::scenario::{
    Breakage, CheckpointingMode, DeliveryGuarantee, TransactionNamingStrategy,
};
use barrierscope_tests::random::{is_left_behind, on_kafka, waits_for_itself};

/// What a run came to.
struct Outcome {
    doubled: bool,
    lost: bool,
}

/// Runs the scenario of a seed and holds it to what it promises in the end; now and then, on the way too.
fn try_out(seed: u64) {
    if seed.is_multiple_of(20) {
        run(seed, DeliveryGuarantee::ExactlyOnce);
        return;
    }
    let scenario = on_kafka(seed, DeliveryGuarantee::ExactlyOnce);
    let exact = scenario.checkpointing.mode == CheckpointingMode::ExactlyOnce;
    let json = || scenario.to_json();
    let outcome = match measure(scenario.clone()) {
        Ok(outcome) => outcome,
        Err(error) => panic!("seed {seed}: {error}\n{}", json()),
    };
    if outcome.ending != Ending::Done {
        run(seed, DeliveryGuarantee::ExactlyOnce);
        return;
    }
    let verdict = outcome.verdict;
    assert_eq!(verdict.lost, 0, "seed {seed}\n{}", json());
    assert_eq!(verdict.visible, verdict.expected, "seed {seed}\n{}", json());
    if exact {
        assert_eq!(verdict.doubled, 0, "seed {seed}\n{}", json());
        assert_eq!(verdict.total, verdict.true_total, "seed {seed}\n{}", json());
    }
}

/// Runs the scenario of a seed and holds it to its promises, on the way and in the end.
fn run(seed: u64, guarantee: DeliveryGuarantee) -> Outcome {
    let scenario = on_kafka(seed, guarantee);
    let exact = scenario.checkpointing.mode == CheckpointingMode::ExactlyOnce
        && guarantee == DeliveryGuarantee::ExactlyOnce;
    let keeps = guarantee != DeliveryGuarantee::None;
    let json = scenario.to_json();
    let mut run = match barrierscope_core::start(scenario) {
        Ok(run) => run,
        Err(error) => panic!("seed {seed}: {error}\n{json}"),
    };
    let done = run.ending() == Ending::Done;
    let last = run.last();
    run.go_to(last);
    let accounted = done || waits_for_itself(&*run) || is_left_behind(&*run);
    assert!(accounted, "seed {seed}: {:?}\n{json}", run.ending());
    for step in (0..last).step_by(last / 10 + 1).chain([last]) {
        run.go_to(step);
        let verdict = run.verdict();
        if keeps {
            assert_eq!(verdict.lost, 0, "seed {seed}, step {step}\n{json}");
        }
        if exact {
            assert_eq!(verdict.doubled, 0, "seed {seed}, step {step}\n{json}");
        }
        let _ = run.scene();
    }
    let verdict = run.verdict();
    if done && keeps {
        assert_eq!(verdict.visible, verdict.expected, "seed {seed}\n{json}");
    }
    if done && exact {
        assert_eq!(verdict.total, verdict.true_total, "seed {seed}\n{json}");
    }
    Outcome {
        doubled: verdict.doubled > 0,
        lost: verdict.lost > 0,
    }
}

#[test]
fn twenty_thousand_random_pipelines_write_every_record_once() {
    // Every second seed on a thread of its own.
    std::thread::scope(|scope| {
        for first in 0..2 {
            scope.spawn(move || (first..20_000).step_by(2).for_each(try_out));
        }
    });
}

/// The pipelines that are tried out are deployed again with fewer subtasks of their sink often enough to count, also
/// where records are in flight in a checkpoint, and with both ways of naming transactions.
#[test]
fn many_of_them_lose_subtasks_of_their_sink() {
    let all = (0..2_000).map(|seed| on_kafka(seed, DeliveryGuarantee::ExactlyOnce));
    let rescaled = all.filter(|scenario| {
        let subtasks = scenario.sink().map_or(1, |(sink, _)| sink.parallelism);
        let mut faults = scenario.faults.schedule.iter();
        faults.any(|fault| match &fault.what {
            Breakage::Redeploy(redeploy) => redeploy.parallelism.is_some_and(|it| it < subtasks),
            _ => false,
        })
    });
    let rescaled: Vec<_> = rescaled.collect();
    let unaligned = rescaled.iter().filter(|it| it.checkpointing.unaligned);
    let pooled = rescaled.iter().filter(|it| {
        let kafka = it.kafka.as_ref();
        kafka.is_some_and(|kafka| kafka.sink.naming == TransactionNamingStrategy::Pooling)
    });
    let counts = (rescaled.len(), unaligned.count(), pooled.count());
    assert!(
        counts.0 > 200 && counts.1 > 80 && counts.2 > 80,
        "{counts:?}"
    );
}

#[test]
fn what_promises_less_is_broken() {
    let outcomes = |guarantee| (0..500).map(move |seed| run(seed, guarantee));
    let doubled = outcomes(DeliveryGuarantee::AtLeastOnce).filter(|it| it.doubled);
    assert!(doubled.count() > 50, "AT_LEAST_ONCE writes records again");
    let lost = outcomes(DeliveryGuarantee::None).filter(|it| it.lost);
    assert!(lost.count() > 5, "NONE loses records");
}
