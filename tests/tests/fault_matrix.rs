//! What becomes of a record at every crash point of a job that writes to Kafka, held against what Flink's and Kafka's
//! documentation and sources say of it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use std::collections::{BTreeMap, BTreeSet};

use barrierscope_core::explorer::Settings;
use barrierscope_core::kafka::log::IsolationLevel::{ReadCommitted, ReadUncommitted};
use barrierscope_core::models::faults::FaultKind;
use barrierscope_core::models::pipeline::fault_matrix::{
    CrashPoint, READERS, SINKS, cell, everywhere,
};
use barrierscope_core::scenario::DeliveryGuarantee;
use barrierscope_core::search_with;
use barrierscope_core::symptom::Symptom::{self, Duplicates, Loss, Ok, Stuck};

/// What is to be expected behind a sink with `EXACTLY_ONCE`, for a `read_committed` reader.
const fn exactly_once(point: CrashPoint) -> Symptom {
    match point {
        // What is open is aborted and written again; what a complete checkpoint holds is committed at the restart, once
        // more where it was committed already; what an aborted checkpoint has prepared is committed with the next.
        CrashPoint::BeforeBarrier
        | CrashPoint::BeforeCompletion
        | CrashPoint::BeforeNotification
        | CrashPoint::AfterCommit
        | CrashPoint::CheckpointAborted => Ok,
        // The broker has aborted what the checkpoint promises.
        CrashPoint::BeforeNotificationTimedOut | CrashPoint::CheckpointAbortedTimedOut => Loss,
        // What was committed since is committed again.
        CrashPoint::OlderCheckpoint => Duplicates,
        // Nobody aborts the transaction that hides what comes after it.
        CrashPoint::PrefixChanged => Stuck,
    }
}

/// Whether records are written again: whoever does not wait for commits sees them twice.
const fn writes_again(point: CrashPoint) -> bool {
    !matches!(
        point,
        CrashPoint::CheckpointAborted | CrashPoint::CheckpointAbortedTimedOut
    )
}

#[test]
fn every_cell_is_as_the_sources_have_it() {
    for point in CrashPoint::ALL {
        for sink in SINKS {
            for reader in READERS {
                let expected = match (sink, reader) {
                    (DeliveryGuarantee::ExactlyOnce, ReadCommitted) => exactly_once(point),
                    (_, ReadCommitted | ReadUncommitted) if writes_again(point) => Duplicates,
                    _ => Ok,
                };
                let cell = cell(point, sink, reader).expect("the job starts");
                assert_eq!(
                    cell.symptom, expected,
                    "{point:?}, {sink:?}, {reader:?}: {:?}",
                    cell.verdict
                );
            }
        }
    }
}

/// What a run has shown, a search finds; where no run with such a fault has shown anything, there is nothing: with the
/// fault at every moment, in every order of all else.
#[test]
fn every_cell_that_can_be_searched_is_so_at_every_moment() {
    // Four points are one search: a crash is a crash, whenever it comes.
    let mut searched: BTreeMap<_, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for point in CrashPoint::ALL {
        for (sink, reader) in SINKS
            .into_iter()
            .flat_map(|it| READERS.map(|reader| (it, reader)))
        {
            let Some((story, selection, faults)) = everywhere(point, sink, reader) else {
                continue;
            };
            let key = (selection.kinds.clone(), format!("{sink:?} {reader:?}"));
            let (shown, _) = searched.entry(key).or_insert_with(|| {
                let settings = Settings {
                    faults: Some(faults),
                    goes_on: true,
                    ..Settings::default()
                };
                let mut search = search_with(story, settings, &selection).unwrap();
                while search.step(100_000).status.is_running() {}
                assert!(search.progress().is_exhausted());
                let findings = search.progress().findings.iter();
                let found = findings.map(|it| search.properties()[it.property as usize].name);
                (BTreeSet::new(), found.collect())
            });
            match cell(point, sink, reader).expect("the job starts").symptom {
                Ok => {}
                Loss => _ = shown.insert("nothing is lost"),
                Duplicates => _ = shown.insert("nothing is doubled"),
                other => panic!("{point:?}, {sink:?}, {reader:?} comes to {other:?}"),
            }
        }
    }
    for (key, (shown, found)) in &searched {
        assert!(shown.is_subset(found), "{key:?}: {shown:?}, {found:?}");
        // Without a clock a request of a sink that has crashed may be on its way for as long as it likes: an
        // InitProducerId that arrives in the middle of the next transaction aborts that.
        let straggles = key.0 == [FaultKind::Crash] && key.1.starts_with("ExactlyOnce");
        let by_stragglers = BTreeSet::from_iter(straggles.then_some("nothing is lost"));
        assert!(
            !shown.is_empty() || found.is_subset(&by_stragglers),
            "{key:?}: {found:?}"
        );
    }
    assert_eq!(searched.len(), 4 * SINKS.len() * READERS.len());
}

/// The run that a cell opens is the run that it was computed by.
#[test]
fn a_cell_opens_the_run_that_proves_it() {
    for point in CrashPoint::ALL {
        let cell = cell(point, DeliveryGuarantee::ExactlyOnce, ReadCommitted);
        let cell = cell.expect("the job starts");
        let mut run = barrierscope_core::open(&cell.scenario.to_json()).expect("it makes sense");
        run.go_to(run.last());
        assert_eq!(run.verdict(), cell.verdict, "{point:?}");
    }
}
