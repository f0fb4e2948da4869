//! The statistics of checkpoints, with Flink's names and meaning, made from events.
//!
//! Source: Flink's `CheckpointStatsTracker`, `SubtaskStateStats`, and recordings of its REST API: the
//! end-to-end duration of a subtask is its acknowledgement less the trigger; the start delay ends when
//! its first barrier is processed; the alignment lasts from its first barrier to its last. Of an aligned
//! checkpoint, start delay, alignment, synchronous and asynchronous part come one after the other. Of an
//! unaligned one they do not: the snapshot starts at the first barrier, and the asynchronous part lasts
//! until everything that was overtaken is stored. What a sink does to pre-commit is part of none of
//! them.

use alloc::vec::Vec;

use crate::event::{Event, JobEvent};
use crate::flink::coordinator::{FailureReason, Purpose};
use crate::id::{CheckpointId, NodeId};
use crate::time::Micros;

/// What became of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is under way.
    InProgress,
    /// It was completed.
    Completed,
    /// It was given up, for this reason.
    Failed(FailureReason),
}

/// What kind of checkpoint it was: Flink's `checkpoint_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `CHECKPOINT`
    Checkpoint,
    /// `UNALIGNED_CHECKPOINT`: in-flight data was stored anywhere.
    UnalignedCheckpoint,
    /// `SAVEPOINT`
    Savepoint,
    /// `SYNC_SAVEPOINT`: the job stops with it.
    SyncSavepoint,
}

impl Kind {
    /// As Flink writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checkpoint => "CHECKPOINT",
            Self::UnalignedCheckpoint => "UNALIGNED_CHECKPOINT",
            Self::Savepoint => "SAVEPOINT",
            Self::SyncSavepoint => "SYNC_SAVEPOINT",
        }
    }
}

/// The statistics of one checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointStatistics {
    /// Which.
    pub checkpoint: CheckpointId,
    /// What for.
    pub purpose: Purpose,
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
    /// The synchronous part of the snapshot.
    pub sync: Micros,
    /// The asynchronous part: from the end of the synchronous one until all of it is stored.
    pub asynchronous: Micros,
    /// From the trigger to the acknowledgement, once it is there.
    pub end_to_end: Option<Micros>,
    /// How many bytes the subtask processed during the alignment.
    pub processed: u64,
    /// How many bytes were stored as in-flight data.
    pub persisted: u64,
    /// How large its snapshot is, in-flight data included, in bytes.
    pub state_size: u64,
    /// Its acknowledgement came when the checkpoint was over: Flink's `aborted`.
    pub late: bool,
    /// When the synchronous part ended.
    synced: Micros,
}

impl CheckpointStatistics {
    /// What kind of checkpoint it was.
    pub fn kind(&self) -> Kind {
        match self.purpose {
            Purpose::Savepoint => Kind::Savepoint,
            Purpose::StopWithSavepoint => Kind::SyncSavepoint,
            Purpose::Checkpoint if self.persisted() > 0 => Kind::UnalignedCheckpoint,
            Purpose::Checkpoint => Kind::Checkpoint,
        }
    }

    /// The subtasks that have acknowledged it, in time.
    pub fn acknowledged(&self) -> impl Iterator<Item = &SubtaskStatistics> {
        let acknowledged = |s: &&SubtaskStatistics| s.end_to_end.is_some() && !s.late;
        self.subtasks.iter().filter(acknowledged)
    }

    /// The longest alignment of a subtask.
    pub fn alignment(&self) -> Micros {
        let alignments = self.subtasks.iter().map(|subtask| subtask.alignment);
        alignments.max().unwrap_or_default()
    }

    /// Bytes that were processed during alignments, by all that have acknowledged.
    pub fn processed(&self) -> u64 {
        self.acknowledged().map(|subtask| subtask.processed).sum()
    }

    /// Bytes of in-flight data, of all that have acknowledged.
    pub fn persisted(&self) -> u64 {
        self.acknowledged().map(|subtask| subtask.persisted).sum()
    }

    /// Bytes of all snapshots that were acknowledged.
    pub fn state_size(&self) -> u64 {
        self.acknowledged().map(|subtask| subtask.state_size).sum()
    }
}

/// Keeps the statistics of a run. It is told every event, with its moment, in order.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    checkpoints: Vec<CheckpointStatistics>,
    /// The subtasks that have seen a barrier of a checkpoint and still wait for others.
    aligning: Vec<(NodeId, CheckpointId)>,
    refused: u32,
    restored: u32,
}

impl Tracker {
    /// The checkpoints, the oldest first.
    pub fn checkpoints(&self) -> &[CheckpointStatistics] {
        &self.checkpoints
    }

    /// How many checkpoints were refused before they got an id. In Flink's counts they are failed ones.
    pub fn refused(&self) -> u32 {
        self.refused
    }

    /// How often the job was restored.
    pub fn restored(&self) -> u32 {
        self.restored
    }

    /// Something happened.
    pub fn hear(&mut self, at: Micros, event: &Event) {
        match *event {
            Event::CheckpointTriggered {
                checkpoint,
                purpose,
            } => self.checkpoints.push(CheckpointStatistics {
                checkpoint,
                purpose,
                triggered: at,
                status: Status::InProgress,
                end_to_end: Micros::ZERO,
                subtasks: Vec::new(),
            }),
            Event::CheckpointRefused { .. } => self.refused += 1,
            Event::JobRestored { .. } => self.restored += 1,
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
                bytes,
                ..
            } => {
                if let Some(entry) = self.entry(checkpoint, subtask) {
                    entry.persisted += bytes;
                }
            }
            Event::Job(
                JobEvent::LoopPassed { subtask, bytes, .. }
                | JobEvent::FileWritten { subtask, bytes, .. },
            )
            | Event::RecordProcessed { subtask, bytes, .. }
            | Event::RecordFiltered { subtask, bytes, .. }
            | Event::RecordWritten { subtask, bytes, .. } => self.processed(subtask, bytes),
            Event::SnapshotTaken {
                subtask,
                checkpoint,
                flush,
                sync,
                bytes,
            } => {
                if let Some(entry) = self.entry(checkpoint, subtask) {
                    (entry.sync, entry.synced) = (sync, at + flush + sync);
                    entry.state_size = bytes;
                }
            }
            Event::SnapshotUploading {
                subtask,
                checkpoint,
                asynchronous,
                ..
            } => {
                if let Some(entry) = self.entry(checkpoint, subtask) {
                    entry.asynchronous = (at - entry.synced) + asynchronous;
                    entry.state_size += entry.persisted;
                }
            }
            Event::SnapshotAcknowledged {
                subtask,
                checkpoint,
                ..
            } => self.acknowledged(at, subtask, checkpoint, false),
            Event::AcknowledgedLate {
                subtask,
                checkpoint,
            } => self.acknowledged(at, subtask, checkpoint, true),
            Event::CheckpointCompleted { checkpoint, .. } => {
                self.over(at, checkpoint, Status::Completed);
            }
            Event::CheckpointAborted { checkpoint, reason } => {
                self.over(at, checkpoint, Status::Failed(reason));
            }
            _ => {}
        }
    }

    fn checkpoint(&mut self, checkpoint: CheckpointId) -> Option<&mut CheckpointStatistics> {
        // Ids are dense, and begin at 1.
        let at = checkpoint.index().checked_sub(1)?;
        let known = self.checkpoints.get_mut(at)?;
        (known.checkpoint == checkpoint).then_some(known)
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
                sync: Micros::ZERO,
                asynchronous: Micros::ZERO,
                end_to_end: None,
                processed: 0,
                persisted: 0,
                state_size: 0,
                late: false,
                synced: at,
            }),
        }
        let this = (subtask, checkpoint);
        self.aligning.retain(|other| *other != this);
        if missing > 0 {
            self.aligning.push(this);
        }
    }

    fn processed(&mut self, subtask: NodeId, bytes: u32) {
        // Several checkpoints may align at once; what is processed counts for the oldest, as in Flink,
        // whose handlers measure one alignment at a time.
        let mut aligning = self.aligning.iter();
        let Some((_, checkpoint)) = aligning.find(|(other, _)| *other == subtask).copied() else {
            return;
        };
        if let Some(entry) = self.entry(checkpoint, subtask) {
            entry.processed += u64::from(bytes);
        }
    }

    fn acknowledged(&mut self, at: Micros, subtask: NodeId, checkpoint: CheckpointId, late: bool) {
        let Some(statistics) = self.checkpoint(checkpoint) else {
            return;
        };
        let end_to_end = at - statistics.triggered;
        if !late {
            statistics.end_to_end = end_to_end;
        }
        if let Some(entry) = self.entry(checkpoint, subtask) {
            entry.end_to_end = Some(end_to_end);
            entry.late = late;
            // A person may acknowledge what the Clock would have taken longer for.
            let before = entry.start_delay + entry.alignment;
            entry.sync = entry.sync.min(end_to_end - before);
            entry.asynchronous = entry.asynchronous.min(at - entry.synced);
        }
    }

    fn over(&mut self, at: Micros, checkpoint: CheckpointId, status: Status) {
        if let Some(statistics) = self.checkpoint(checkpoint) {
            statistics.status = status;
            statistics.end_to_end = at - statistics.triggered;
        }
        self.aligning.retain(|(_, other)| *other != checkpoint);
    }
}
