//! The statistics of checkpoints, with Flink's names and meaning, made from events.
//!
//! Source: Flink's `CheckpointStatsTracker`, `SubtaskStateStats`, and recordings of its REST API: the
//! end-to-end duration of a subtask is its acknowledgement less the trigger; the start delay ends when
//! its first barrier is processed; the alignment lasts from its first barrier to its last. Data is
//! counted in records here, not in bytes.

use alloc::vec::Vec;

use crate::event::Event;
use crate::id::{CheckpointId, NodeId};
use crate::time::Micros;

/// What became of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is under way.
    InProgress,
    /// It was completed.
    Completed,
    /// It was given up.
    Failed,
}

/// The statistics of one checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointStatistics {
    /// Which.
    pub checkpoint: CheckpointId,
    /// When it was triggered.
    pub triggered: Micros,
    /// What became of it.
    pub status: Status,
    /// From the trigger to completion or failure; so far, while it is under way: to the latest
    /// acknowledgement.
    pub end_to_end: Micros,
    /// By subtask, in the order in which they were first heard of.
    pub subtasks: Vec<SubtaskStatistics>,
}

/// The statistics of one checkpoint at one subtask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubtaskStatistics {
    /// Whose.
    pub subtask: NodeId,
    /// From the trigger to the first barrier.
    pub start_delay: Micros,
    /// From the first barrier to the last.
    pub alignment: Micros,
    /// From the trigger to the acknowledgement, once it is there.
    pub end_to_end: Option<Micros>,
    /// How many records the subtask processed during the alignment.
    pub processed: u32,
    /// How many records were stored as in-flight data.
    pub persisted: u32,
}

impl CheckpointStatistics {
    /// Whether in-flight data was stored anywhere: Flink's type `UNALIGNED_CHECKPOINT`.
    pub fn is_unaligned(&self) -> bool {
        self.subtasks.iter().any(|subtask| subtask.persisted > 0)
    }

    /// The longest alignment of a subtask.
    pub fn alignment(&self) -> Micros {
        let alignments = self.subtasks.iter().map(|subtask| subtask.alignment);
        alignments.max().unwrap_or_default()
    }

    /// In-flight data of all subtasks, in records.
    pub fn persisted(&self) -> u32 {
        self.subtasks.iter().map(|subtask| subtask.persisted).sum()
    }
}

/// Keeps the statistics of a run. It is told every event, with its moment, in order.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    checkpoints: Vec<CheckpointStatistics>,
    /// The subtasks that have seen a barrier of the newest checkpoint and still wait for others.
    aligning: Vec<NodeId>,
}

impl Tracker {
    /// The checkpoints, the oldest first.
    pub fn checkpoints(&self) -> &[CheckpointStatistics] {
        &self.checkpoints
    }

    /// Something happened.
    pub fn hear(&mut self, at: Micros, event: &Event) {
        match *event {
            Event::CheckpointTriggered { checkpoint } => {
                self.aligning.clear();
                self.checkpoints.push(CheckpointStatistics {
                    checkpoint,
                    triggered: at,
                    status: Status::InProgress,
                    end_to_end: Micros::ZERO,
                    subtasks: Vec::new(),
                });
            }
            Event::BarrierInjected { source, checkpoint } => {
                self.barrier(at, source, checkpoint, 0);
            }
            Event::ChannelBlocked {
                subtask,
                checkpoint,
                missing,
                ..
            }
            | Event::BarrierArrived {
                subtask,
                checkpoint,
                missing,
                ..
            } => self.barrier(at, subtask, checkpoint, missing),
            Event::AlignmentCompleted {
                subtask,
                checkpoint,
                ..
            } => self.barrier(at, subtask, checkpoint, 0),
            Event::InFlightStored {
                subtask,
                checkpoint,
                records,
            } => {
                if let Some(entry) = self.entry(checkpoint, subtask) {
                    entry.persisted += records;
                }
            }
            Event::RecordProcessed { subtask, .. } | Event::RecordWritten { subtask, .. } => {
                self.processed(subtask);
            }
            Event::SnapshotAcknowledged {
                subtask,
                checkpoint,
                ..
            } => self.acknowledged(at, subtask, checkpoint),
            Event::CheckpointCompleted { checkpoint } => {
                self.over(at, checkpoint, Status::Completed);
            }
            Event::CheckpointAborted { checkpoint } => self.over(at, checkpoint, Status::Failed),
            _ => {}
        }
    }

    fn checkpoint(&mut self, checkpoint: CheckpointId) -> Option<&mut CheckpointStatistics> {
        let known = self.checkpoints.iter_mut().rev();
        known.take(64).find(|known| known.checkpoint == checkpoint)
    }

    fn entry(
        &mut self,
        checkpoint: CheckpointId,
        subtask: NodeId,
    ) -> Option<&mut SubtaskStatistics> {
        let subtasks = &mut self.checkpoint(checkpoint)?.subtasks;
        subtasks.iter_mut().find(|entry| entry.subtask == subtask)
    }

    fn barrier(&mut self, at: Micros, subtask: NodeId, checkpoint: CheckpointId, missing: u32) {
        let Some(statistics) = self.checkpoint(checkpoint) else {
            return;
        };
        let since = at - statistics.triggered;
        let entries = &mut statistics.subtasks;
        match entries.iter_mut().find(|entry| entry.subtask == subtask) {
            Some(entry) => entry.alignment = since - entry.start_delay,
            None => entries.push(SubtaskStatistics {
                subtask,
                start_delay: since,
                alignment: Micros::ZERO,
                end_to_end: None,
                processed: 0,
                persisted: 0,
            }),
        }
        self.aligning.retain(|other| *other != subtask);
        if missing > 0 {
            self.aligning.push(subtask);
        }
    }

    fn processed(&mut self, subtask: NodeId) {
        if !self.aligning.contains(&subtask) {
            return;
        }
        let newest = self.checkpoints.last().map(|newest| newest.checkpoint);
        if let Some(entry) = newest.and_then(|newest| self.entry(newest, subtask)) {
            entry.processed += 1;
        }
    }

    fn acknowledged(&mut self, at: Micros, subtask: NodeId, checkpoint: CheckpointId) {
        let Some(statistics) = self.checkpoint(checkpoint) else {
            return;
        };
        let end_to_end = at - statistics.triggered;
        statistics.end_to_end = end_to_end;
        if let Some(entry) = self.entry(checkpoint, subtask) {
            entry.end_to_end = Some(end_to_end);
        }
    }

    fn over(&mut self, at: Micros, checkpoint: CheckpointId, status: Status) {
        if let Some(statistics) = self.checkpoint(checkpoint) {
            statistics.status = status;
            statistics.end_to_end = at - statistics.triggered;
        }
        self.aligning.clear();
    }
}
