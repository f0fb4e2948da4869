//! What a run comes to for whom it is judged: in one word, as a public report of a fault would say it, and record by
//! record.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Deserialize;

use crate::id::RecordId;
use crate::kafka::log::IsolationLevel;
use crate::mark::Ending;
use crate::scene::kafka::Audience;
use crate::scene::{CellStatus, Facts, Scene};
use crate::session::Session;
use crate::verdict::Verdict;

/// What went wrong, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Symptom {
    /// Nothing: each record is seen, and counted, once.
    Ok,
    /// A record was lost.
    Loss,
    /// One was doubled.
    Duplicates,
    /// One is lost, and another one doubled.
    Both,
    /// One is not visible, though nothing is wrong with it.
    Stuck,
    /// Somebody was stopped or told of a failure; what is seen is right.
    Fenced,
    /// The state of an operator counts a record wrongly; what is seen is right.
    Miscounted,
}

impl Symptom {
    /// What an account comes to. `ending` is how the run ended, if it is over: what waits then, waits for ever.
    pub fn of(verdict: &Verdict, ending: Option<Ending>) -> Self {
        let cut = matches!(ending, Some(Ending::Limit | Ending::Idle));
        let unseen = verdict.expected > verdict.visible.saturating_add(verdict.lost);
        let hidden = verdict.stuck > 0 || ending.is_some() && verdict.waiting > 0 || cut && unseen;
        let refused = verdict.failed > 0 || ending == Some(Ending::Failed);
        match (verdict.lost > 0, verdict.doubled > 0) {
            (true, true) => Self::Both,
            (true, false) => Self::Loss,
            (false, true) => Self::Duplicates,
            (false, false) if refused => Self::Fenced,
            (false, false) if hidden => Self::Stuck,
            (false, false) if verdict.miscounted > 0 => Self::Miscounted,
            (false, false) => Self::Ok,
        }
    }
}

/// For whom a run is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    /// A reader with this `isolation.level`.
    ReadCommitted,
    /// The same, with this one.
    ReadUncommitted,
    /// What the consumers of a group did with the records.
    Effects,
    /// What the store of a Streams application holds.
    Store,
    /// What the state of a job's operators counts. No run is judged by that alone: what its reader sees is told, and
    /// that a state is [miscounted](Symptom::Miscounted).
    State,
}

/// What a run comes to at the step at which one looks, for whom it is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// In one word.
    pub symptom: Symptom,
    /// Who is judged.
    pub judged: Judged,
    /// The records that the judged one sees, by key, each as often as it does.
    pub records: Vec<String>,
    /// The account.
    pub verdict: Verdict,
}

impl Found {
    /// What a run comes to. Two-phase commit has nobody who sees records.
    pub fn of(run: &dyn Session) -> Option<Self> {
        let scene = run.scene();
        let (judged, ids, verdict) = match run.story().pipeline() {
            Some(scenario) => {
                let isolation = scenario.reader.isolation_level;
                (isolation.into(), read(&scene, isolation), run.verdict())
            }
            None => scene.nodes.iter().find_map(|node| match &node.facts {
                Facts::Audience(view) if view.judged => {
                    let judged = match view.audience {
                        Audience::Reader(isolation) => isolation.into(),
                        Audience::Effects(_) => Judged::Effects,
                        Audience::Store(_) => Judged::Store,
                    };
                    Some((judged, view.records.clone(), view.verdict.clone()))
                }
                _ => None,
            })?,
        };
        let keys = ids.into_iter();
        Some(Self {
            symptom: Symptom::of(&verdict, ending_of(run)),
            judged,
            records: keys
                .filter_map(|id| Some(run.record(id)?.0.to_owned()))
                .collect(),
            verdict,
        })
    }
}

impl From<IsolationLevel> for Judged {
    fn from(isolation: IsolationLevel) -> Self {
        match isolation {
            IsolationLevel::ReadCommitted => Self::ReadCommitted,
            IsolationLevel::ReadUncommitted => Self::ReadUncommitted,
        }
    }
}

/// The records of a pipeline's output that its reader sees, partition by partition.
fn read(scene: &Scene, isolation: IsolationLevel) -> Vec<RecordId> {
    let partitions = scene.nodes.iter().filter_map(|node| match &node.facts {
        Facts::Output { cells, .. } => Some(cells),
        _ => None,
    });
    let is_seen = |status| match status {
        CellStatus::Plain | CellStatus::Committed => true,
        // Whoever does not wait for commits sees whatever is written.
        _ => isolation == IsolationLevel::ReadUncommitted,
    };
    (partitions.flatten())
        .filter(|cell| is_seen(cell.status))
        .filter_map(|cell| cell.record)
        .collect()
}

/// How a run ended, if one looks at its end.
fn ending_of(run: &dyn Session) -> Option<Ending> {
    (run.at() == run.last()).then(|| run.ending())
}

/// The first step from which on a run comes to what it comes to in the end: where it goes wrong, if it does.
/// The run then looks at its last step.
pub fn decided_at(run: &mut dyn Session) -> usize {
    let last = run.last();
    run.go_to(last);
    let symptom = |run: &dyn Session| Symptom::of(&run.verdict(), ending_of(run));
    let end = symptom(run);
    let mut since = last;
    let mut before = false;
    for step in 0..=last {
        run.go_to(step);
        let now = symptom(run) == end;
        if now && !before {
            since = step;
        }
        before = now;
    }
    since
}
