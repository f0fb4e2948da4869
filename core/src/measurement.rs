//! What a run comes to, as figures in virtual time, so that ways of taking checkpoints can be compared.
//!
//! A run is driven to its end without being recorded, and its events are added up. Nothing is known here
//! in advance about any way of taking checkpoints.

use alloc::vec;
use alloc::vec::Vec;

use crate::event::Event;
use crate::id::{CheckpointId, NodeId, RecordId};
use crate::mark::Ending;
use crate::statistics::{CheckpointStatistics, Status, Tracker};
use crate::time::Micros;
use crate::verdict::Verdict;

/// The figures of one run.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// What the reader got.
    pub verdict: Verdict,
    /// Why the run ended.
    pub ending: Ending,
    /// How many steps it took.
    pub steps: u64,
    /// How many events they told.
    pub events: u64,
    /// How long it took, in virtual time.
    pub time: Micros,
    /// From the moment a source first read a record to the moment the reader saw it.
    pub latency: Spread,
    /// The end-to-end durations of the completed checkpoints.
    pub durations: Spread,
    /// For how long channels were blocked, all of them together.
    pub blocked: Micros,
    /// From each failure to the moment at which the sources had read again what they had read before.
    pub recovery: Spread,
    /// How many times a source read a record that had been read before.
    pub repeated: u32,
    /// The statistics of the checkpoints.
    pub checkpoints: Vec<CheckpointStatistics>,
    /// How many checkpoints were refused before they got an id.
    pub refused: u32,
    /// How often the job was restored.
    pub restored: u32,
}

impl Measurement {
    /// The completed checkpoints.
    pub fn completed(&self) -> impl Iterator<Item = &CheckpointStatistics> {
        let completed = |c: &&CheckpointStatistics| c.status == Status::Completed;
        self.checkpoints.iter().filter(completed)
    }

    /// How many checkpoints failed, those that were refused left out.
    pub fn failed(&self) -> usize {
        let failed = |c: &&CheckpointStatistics| matches!(c.status, Status::Failed(_));
        self.checkpoints.iter().filter(failed).count()
    }

    /// The median size of a completed checkpoint, in bytes; and of that, of its in-flight data.
    pub fn sizes(&self) -> (u64, u64) {
        let sizes = self.completed().map(CheckpointStatistics::state_size);
        let in_flight = self.completed().map(CheckpointStatistics::persisted);
        (median(sizes.collect()), median(in_flight.collect()))
    }
}

fn median(mut values: Vec<u64>) -> u64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

/// How durations are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// How many there are. Without any, the others are zero.
    pub count: u32,
    /// Half of them are no longer.
    pub median: Micros,
    /// 99 of 100 are no longer.
    pub p99: Micros,
    /// The longest.
    pub longest: Micros,
}

impl Spread {
    /// Of these durations.
    pub fn of(mut durations: Vec<Micros>) -> Self {
        durations.sort_unstable();
        let last = durations.len().saturating_sub(1);
        let at = |place: usize| durations.get(place).copied().unwrap_or_default();
        Self {
            count: durations.len() as u32,
            median: at(durations.len() / 2),
            p99: at(last * 99 / 100),
            longest: at(last),
        }
    }
}

/// Adds the events of a run up.
#[derive(Debug)]
pub(crate) struct Meter {
    tracker: Tracker,
    events: u64,
    /// By record: when it was first read.
    read: Vec<Option<Micros>>,
    /// By record: whether the reader has seen it.
    seen: Vec<bool>,
    /// What open transactions hold.
    open: Vec<(NodeId, u32, Vec<RecordId>)>,
    /// Whether the reader sees what no transaction has committed yet.
    uncommitted: bool,
    latencies: Vec<Micros>,
    blocked: Vec<(NodeId, CheckpointId, Micros)>,
    blocked_time: Micros,
    repeated: u32,
    /// Since when the job has been catching up, and how many records it has still to read again.
    behind: Option<(Micros, u32)>,
    recoveries: Vec<Micros>,
    /// How many records the sources have read, those that are read again counted once.
    position: u32,
    records: u32,
}

impl Meter {
    /// For a workload of so many records, and a reader that sees uncommitted ones or does not.
    pub(crate) fn new(records: usize, uncommitted: bool) -> Self {
        Self {
            tracker: Tracker::default(),
            events: 0,
            read: vec![None; records],
            seen: vec![false; records],
            open: Vec::new(),
            uncommitted,
            latencies: Vec::new(),
            blocked: Vec::new(),
            blocked_time: Micros::ZERO,
            repeated: 0,
            behind: None,
            recoveries: Vec::new(),
            position: 0,
            records: records as u32,
        }
    }

    pub(crate) fn hear(&mut self, at: Micros, event: &Event) {
        self.events += 1;
        self.tracker.hear(at, event);
        match *event {
            Event::RecordEmitted { record, .. } => self.read(at, record),
            Event::RecordWritten {
                subtask,
                record,
                transaction,
                ..
            } => match transaction {
                Some(number) if !self.uncommitted => self.hold(subtask, number, record),
                _ => self.see(at, record),
            },
            Event::TransactionCommitted {
                subtask,
                transaction,
                ..
            } => {
                for record in self.release(subtask, transaction) {
                    self.see(at, record);
                }
            }
            Event::TransactionAborted {
                subtask,
                transaction,
                ..
            } => {
                self.release(subtask, transaction);
            }
            Event::ChannelBlocked {
                subtask,
                checkpoint,
                ..
            } => self.blocked.push((subtask, checkpoint, at)),
            Event::AlignmentCompleted {
                subtask,
                checkpoint,
                ..
            }
            | Event::CancellationReceived {
                subtask,
                checkpoint,
                ..
            } => self.resume(at, |node, other| node == subtask && other == checkpoint),
            Event::SubtaskCrashed { .. }
            | Event::TaskManagerLost { .. }
            | Event::JobManagerLost { .. }
            | Event::ToleranceExceeded => {
                self.resume(at, |_, _| true);
                self.behind.get_or_insert((at, 0));
            }
            Event::JobRestored { unread, .. } => {
                let read = self.records.saturating_sub(unread);
                if let Some((_, missing)) = &mut self.behind {
                    *missing = self.position.saturating_sub(read);
                }
                self.caught_up(at);
            }
            _ => {}
        }
    }

    fn read(&mut self, at: Micros, record: RecordId) {
        match self.read.get_mut(record.index()) {
            Some(first @ None) => {
                *first = Some(at);
                self.position += 1;
            }
            Some(Some(_)) => {
                self.repeated += 1;
                if let Some((_, missing)) = &mut self.behind {
                    *missing = missing.saturating_sub(1);
                }
                self.caught_up(at);
            }
            None => {}
        }
    }

    fn caught_up(&mut self, at: Micros) {
        if let Some((since, _)) = self.behind.take_if(|(_, missing)| *missing == 0) {
            self.recoveries.push(at - since);
        }
    }

    fn see(&mut self, at: Micros, record: RecordId) {
        let read = self.read.get(record.index()).copied().flatten();
        if let (Some(seen), Some(read)) = (self.seen.get_mut(record.index()), read)
            && !*seen
        {
            *seen = true;
            self.latencies.push(at - read);
        }
    }

    fn hold(&mut self, subtask: NodeId, number: u32, record: RecordId) {
        let mut open = self.open.iter_mut();
        match open.find(|(node, other, _)| *node == subtask && *other == number) {
            Some((.., records)) => records.push(record),
            None => self.open.push((subtask, number, vec![record])),
        }
    }

    fn release(&mut self, subtask: NodeId, number: u32) -> Vec<RecordId> {
        let mut open = self.open.iter();
        let at = open.position(|(node, other, _)| *node == subtask && *other == number);
        at.map_or(Vec::new(), |at| self.open.swap_remove(at).2)
    }

    fn resume(&mut self, at: Micros, which: impl Fn(NodeId, CheckpointId) -> bool) {
        let blocked_time = &mut self.blocked_time;
        self.blocked.retain(|(node, checkpoint, since)| {
            let resumed = which(*node, *checkpoint);
            if resumed {
                *blocked_time = *blocked_time + (at - *since);
            }
            !resumed
        });
    }

    /// The run is over.
    pub(crate) fn finish(
        self,
        verdict: Verdict,
        ending: Ending,
        steps: u64,
        time: Micros,
    ) -> Measurement {
        let completed = self.tracker.checkpoints().iter();
        let completed = completed.filter(|c| c.status == Status::Completed);
        Measurement {
            verdict,
            ending,
            steps,
            events: self.events,
            time,
            latency: Spread::of(self.latencies),
            durations: Spread::of(completed.map(|c| c.end_to_end).collect()),
            blocked: self.blocked_time,
            recovery: Spread::of(self.recoveries),
            repeated: self.repeated,
            refused: self.tracker.refused(),
            restored: self.tracker.restored(),
            checkpoints: self.tracker.checkpoints().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_of_nothing_is_zero() {
        assert_eq!(Spread::of(Vec::new()), Spread::default());
    }

    #[test]
    fn a_spread_is_sorted() {
        let durations = (1..=101).rev().map(Micros).collect();
        assert_eq!(
            Spread::of(durations),
            Spread {
                count: 101,
                median: Micros(51),
                p99: Micros(100),
                longest: Micros(101),
            }
        );
    }
}
