//! The Explorer's answers are Stateright's.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use std::sync::Arc;

use barrierscope_core::explorer::{Explorer, Settings};
use barrierscope_core::models::Model;
use barrierscope_core::models::pipeline::Pipeline;
use barrierscope_core::models::promises::Promises;
use barrierscope_core::models::votes::Votes;
use barrierscope_core::scenario::DeliveryGuarantee::{AtLeastOnce, ExactlyOnce};
use barrierscope_tests::answers::{PUBLISHED, search};
use barrierscope_tests::threads::{Checked, Found};
use barrierscope_tests::{scenarios, threads, votes};

#[test]
fn published_specifications_come_out_alike() {
    for answer in PUBLISHED.iter().filter(|it| !it.symmetry) {
        let ours = search(answer.name, Settings::default()).unwrap();
        for count in [1, 2] {
            let theirs = threads::search(answer.name, count, None).unwrap();
            let length = ours.counterexample.as_ref().map(|run| run.len() - 1);
            let their_length = theirs.counterexample.map(|run| run.len());
            assert_eq!(their_length.is_some(), length.is_some(), "{}", answer.name);
            if count == 1 {
                assert_eq!(their_length, length, "{}", answer.name);
            }
            // Who finds something stops at once, the one sooner than the other.
            if length.is_none() {
                let progress = &ours.progress;
                let counts = (progress.distinct, progress.generated);
                assert_eq!(
                    (theirs.distinct, theirs.generated),
                    counts,
                    "{}",
                    answer.name
                );
            }
        }
    }
}

/// Ours, and Stateright's on one thread and on two.
fn all<M>(model: impl Fn() -> M, faults: Option<u8>) -> [Found<M::Action>; 3]
where
    M: Model + Send + Sync + 'static,
    M::State: Send + Sync + 'static,
{
    let own = model();
    let mut promises = Promises::of(&own);
    let settings = Settings {
        faults,
        ..Settings::default()
    };
    let mut explorer = Explorer::new(&own, &mut promises, settings);
    let progress = explorer.finish(&own, &mut promises).clone();
    let found = explorer.counterexample(&promises);
    let run = found.and_then(|it| explorer.run_to(&own, it.state));
    let ours = Found {
        distinct: progress.distinct,
        generated: progress.generated,
        depth: progress.depth,
        counterexample: run.map(|run| run.actions),
    };
    let theirs = [1, 2].map(|threads| {
        Checked::new(Arc::new(model()), promises.clone(), faults).search(threads, None)
    });
    let [one, two] = theirs;
    [ours, one, two]
}

fn agree<A: PartialEq + core::fmt::Debug>([ours, one, two]: [Found<A>; 3], breaks: bool) {
    let length = |found: &Found<A>| found.counterexample.as_ref().map(Vec::len);
    assert_eq!(ours.counterexample.is_some(), breaks, "{ours:?}");
    assert_eq!(length(&ours), length(&one));
    assert_eq!(two.counterexample.is_some(), breaks);
    if !breaks {
        let counts = |found: &Found<A>| (found.distinct, found.generated);
        assert_eq!(counts(&ours), counts(&one));
        assert_eq!(counts(&ours), counts(&two));
    }
}

#[test]
fn pipelines_come_out_alike() {
    for (sink, breaks) in [(ExactlyOnce, false), (AtLeastOnce, true)] {
        let model = || Pipeline::new(scenarios::small(sink, 2, 1, 1)).unwrap();
        agree(all(model, Some(1)), breaks);
    }
}

#[test]
fn two_phase_commit_comes_out_alike() {
    use barrierscope_core::commit::Vote::{Abort, Commit};
    for votes_of in [[Commit, Commit], [Commit, Abort]] {
        let story = votes::small(&votes_of, votes::CONFIGURATIONS[0], 1);
        let model = || Votes::new(story.clone()).unwrap();
        agree(all(model, None), false);
    }
}
