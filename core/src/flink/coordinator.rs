//! The checkpoint coordinator: triggers checkpoints, counts acknowledgements and failures, decides.
//!
//! Source: Flink's `CheckpointCoordinator`, `PendingCheckpoint`, `CheckpointRequestDecider` and
//! `CheckpointFailureManager`. Completion is the decision to commit; notifications only tell of it.

use smallvec::SmallVec;

use crate::collections::Bits;
use crate::id::CheckpointId;

/// What a checkpoint is taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
pub enum Purpose {
    /// To recover from: a periodic one.
    #[default]
    Checkpoint,
    /// A savepoint: for a person to keep. It is not recovered from, and nobody commits because of it.
    Savepoint,
    /// A savepoint with which the job stops (`flink stop`): sinks commit because of it.
    StopWithSavepoint,
}

impl Purpose {
    /// Whether it is a savepoint of either kind.
    pub fn is_savepoint(self) -> bool {
        self != Self::Checkpoint
    }
}

/// Why a checkpoint failed: Flink's `CheckpointFailureReason`, those that can come here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum FailureReason {
    /// `CHECKPOINT_EXPIRED`
    Expired,
    /// `CHECKPOINT_ASYNC_EXCEPTION`
    Asynchronous,
    /// `CHECKPOINT_DECLINED_ON_CANCELLATION_BARRIER`
    CancellationBarrier,
    /// `CHECKPOINT_DECLINED_SUBSUMED`
    DeclinedSubsumed,
    /// `CHECKPOINT_DECLINED_INPUT_END_OF_STREAM`
    InputEnded,
    /// `CHECKPOINT_DECLINED_ALIGNMENT_LIMIT_EXCEEDED`, of older versions
    AlignmentLimit,
    /// `CHECKPOINT_SUBSUMED`
    Subsumed,
    /// `CHECKPOINT_COORDINATOR_SUSPEND`
    Suspended,
    /// `CHECKPOINT_COORDINATOR_SHUTDOWN`
    Shutdown,
    /// `FINALIZE_CHECKPOINT_FAILURE`
    Finalize,
    /// `NOT_ALL_REQUIRED_TASKS_RUNNING`: refused before it got an id.
    TasksNotRunning,
}

impl FailureReason {
    /// Flink's message.
    pub const fn message(self) -> &'static str {
        match self {
            Self::Expired => "Checkpoint expired before completing.",
            Self::Asynchronous => "Asynchronous task checkpoint failed.",
            Self::CancellationBarrier => "Task received cancellation from one of its inputs",
            Self::DeclinedSubsumed => {
                "Checkpoint was canceled because a barrier from newer checkpoint was received."
            }
            Self::InputEnded => "Checkpoint was declined because one input stream is finished",
            Self::AlignmentLimit => {
                "The checkpoint alignment phase needed to buffer more than the configured maximum bytes"
            }
            Self::Subsumed => "Checkpoint has been subsumed.",
            Self::Suspended => "Checkpoint Coordinator is suspending.",
            Self::Shutdown => "CheckpointCoordinator shutdown.",
            Self::Finalize => "Failure to finalize checkpoint.",
            Self::TasksNotRunning => "Not all required tasks are currently running.",
        }
    }

    /// Whether it counts towards the failures that are tolerated (`CheckpointFailureManager`).
    const fn counts(self) -> bool {
        matches!(self, Self::Expired | Self::Asynchronous | Self::Finalize)
    }
}

/// What the failure of a checkpoint leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// The job runs on.
    Tolerated,
    /// More checkpoints in a row have failed than are tolerated: "Exceeded checkpoint tolerable failure
    /// threshold.". The job fails.
    JobFails,
}

/// A checkpoint under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PendingCheckpoint {
    /// Which.
    pub id: CheckpointId,
    /// What for.
    pub purpose: Purpose,
    /// The subtasks that have acknowledged it.
    pub acknowledged: Bits,
}

/// The coordinator's state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Coordinator {
    /// The newest checkpoint that was triggered. Ids go on growing across restarts.
    triggered: CheckpointId,
    /// The last completed checkpoint, savepoints left out: what the job recovers from.
    completed: CheckpointId,
    /// Failures in a row.
    failures: u32,
    /// Under way, the oldest first.
    pending: SmallVec<[PendingCheckpoint; 1]>,
}

/// What an acknowledgement led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledgement {
    /// The checkpoint is not (or no longer) pending, or the subtask has acknowledged already.
    Discarded,
    /// Others have still to acknowledge.
    Counted {
        /// How many.
        missing: usize,
    },
    /// It was the last one: the checkpoint is complete.
    Completed(Purpose),
}

impl Coordinator {
    /// Whether a periodic checkpoint may be triggered, if so many may be under way. A savepoint may
    /// always.
    pub fn may_trigger(&self, max_concurrent: usize) -> bool {
        self.pending.len() < max_concurrent
    }

    /// Starts the next checkpoint.
    pub fn trigger(&mut self, purpose: Purpose) -> CheckpointId {
        self.triggered = self.triggered.next();
        self.pending.push(PendingCheckpoint {
            id: self.triggered,
            purpose,
            acknowledged: Bits::default(),
        });
        self.triggered
    }

    /// How many of `subtasks` have still to acknowledge a pending checkpoint.
    pub fn missing(&self, checkpoint: CheckpointId, subtasks: usize) -> Option<usize> {
        let pending = self.find(checkpoint)?;
        Some(subtasks.saturating_sub(pending.acknowledged.len()))
    }

    /// A subtask, one of `subtasks`, has stored its snapshot of `checkpoint`.
    pub fn acknowledge(
        &mut self,
        subtask: usize,
        checkpoint: CheckpointId,
        subtasks: usize,
    ) -> Acknowledgement {
        let mut pending = self.pending.iter_mut();
        let Some(found) = pending.find(|pending| pending.id == checkpoint) else {
            return Acknowledgement::Discarded;
        };
        if !found.acknowledged.insert(subtask) {
            return Acknowledgement::Discarded;
        }
        let missing = subtasks.saturating_sub(found.acknowledged.len());
        if missing > 0 {
            return Acknowledgement::Counted { missing };
        }
        let purpose = found.purpose;
        if purpose == Purpose::Checkpoint {
            self.completed = checkpoint;
        }
        self.failures = 0;
        self.pending.retain(|pending| pending.id != checkpoint);
        Acknowledgement::Completed(purpose)
    }

    /// The oldest checkpoint that a completed one makes superfluous, which is given up. Savepoints are
    /// not subsumed.
    pub fn subsume(&mut self, completed: CheckpointId) -> Option<CheckpointId> {
        let older = |pending: &&PendingCheckpoint| {
            pending.id < completed && !pending.purpose.is_savepoint()
        };
        let id = self.pending.iter().find(older)?.id;
        self.pending.retain(|pending| pending.id != id);
        Some(id)
    }

    /// A pending checkpoint has failed. None if it is not pending.
    pub fn fail(
        &mut self,
        checkpoint: CheckpointId,
        reason: FailureReason,
        tolerable: u32,
    ) -> Option<Consequence> {
        let purpose = self.find(checkpoint)?.purpose;
        self.pending.retain(|pending| pending.id != checkpoint);
        Some(match purpose {
            // The job was to stop with it and does not: it is started again.
            Purpose::StopWithSavepoint => Consequence::JobFails,
            // That a subtask declines it counts for a savepoint too; what happens at the JobManager does
            // not (`handleTaskLevelCheckpointException`, `handleJobLevelCheckpointException`).
            Purpose::Savepoint if reason != FailureReason::Asynchronous => Consequence::Tolerated,
            Purpose::Checkpoint | Purpose::Savepoint if reason.counts() => {
                self.failures = self
                    .failures
                    .saturating_add(1)
                    .min(tolerable.saturating_add(1));
                if self.failures > tolerable {
                    self.failures = 0;
                    Consequence::JobFails
                } else {
                    Consequence::Tolerated
                }
            }
            Purpose::Checkpoint | Purpose::Savepoint => Consequence::Tolerated,
        })
    }

    /// Gives up the oldest pending checkpoint; which one it was.
    pub fn abort_oldest(&mut self) -> Option<CheckpointId> {
        let oldest = self.pending.first()?.id;
        self.pending.remove(0);
        Some(oldest)
    }

    /// It starts anew, on another JobManager: it knows what was completed, and the ids go on.
    pub fn recover(&mut self) {
        self.pending.clear();
        self.failures = 0;
    }

    /// The job is deployed again from this checkpoint, and not from the last one; 0: from none.
    pub fn restore(&mut self, checkpoint: CheckpointId) {
        self.pending.clear();
        self.failures = 0;
        self.completed = checkpoint;
    }

    /// The checkpoints under way, the oldest first.
    pub fn pending(&self) -> &[PendingCheckpoint] {
        &self.pending
    }

    /// A checkpoint, if it is under way.
    pub fn find(&self, checkpoint: CheckpointId) -> Option<&PendingCheckpoint> {
        self.pending.iter().find(|pending| pending.id == checkpoint)
    }

    /// The newest checkpoint that was triggered; [`CheckpointId::NONE`] before the first.
    pub fn triggered(&self) -> CheckpointId {
        self.triggered
    }

    /// The last completed checkpoint, savepoints left out; [`CheckpointId::NONE`] before the first.
    pub fn completed(&self) -> CheckpointId {
        self.completed
    }

    /// How many checkpoints in a row have failed.
    pub fn failures(&self) -> u32 {
        self.failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coordinator(checkpoints: usize) -> Coordinator {
        let mut coordinator = Coordinator::default();
        for _ in 0..checkpoints {
            coordinator.trigger(Purpose::Checkpoint);
        }
        coordinator
    }

    const ONE: CheckpointId = CheckpointId(1);
    const TWO: CheckpointId = CheckpointId(2);
    const COMPLETED: Acknowledgement = Acknowledgement::Completed(Purpose::Checkpoint);

    #[test]
    fn complete_when_all_have_acknowledged() {
        let mut coordinator = coordinator(1);
        assert!(!coordinator.may_trigger(1));
        assert_eq!(
            coordinator.acknowledge(0, ONE, 2),
            Acknowledgement::Counted { missing: 1 }
        );
        assert_eq!(
            coordinator.acknowledge(0, ONE, 2),
            Acknowledgement::Discarded
        );
        assert_eq!(coordinator.acknowledge(1, ONE, 2), COMPLETED);
        assert_eq!(coordinator.completed(), ONE);
        assert_eq!(
            coordinator.acknowledge(1, ONE, 2),
            Acknowledgement::Discarded
        );
    }

    #[test]
    fn a_newer_checkpoint_subsumes_older_ones_but_no_savepoint() {
        let mut coordinator = coordinator(1);
        coordinator.trigger(Purpose::Savepoint);
        let three = coordinator.trigger(Purpose::Checkpoint);
        assert!(!coordinator.may_trigger(3));
        assert_eq!(coordinator.acknowledge(0, three, 1), COMPLETED);
        assert_eq!(coordinator.subsume(three), Some(ONE));
        assert_eq!(coordinator.subsume(three), None);
        assert_eq!(
            coordinator.acknowledge(0, TWO, 1),
            Acknowledgement::Completed(Purpose::Savepoint)
        );
        assert_eq!(
            coordinator.completed(),
            three,
            "nobody recovers from a savepoint"
        );
    }

    #[test]
    fn so_many_failures_in_a_row_are_tolerated() {
        let reason = FailureReason::Asynchronous;
        let mut coordinator = coordinator(4);
        assert_eq!(
            coordinator.fail(ONE, reason, 1),
            Some(Consequence::Tolerated)
        );
        assert_eq!(coordinator.fail(ONE, reason, 1), None);
        assert_eq!(coordinator.acknowledge(0, TWO, 1), COMPLETED);
        let three = TWO.next();
        assert_eq!(
            coordinator.fail(three, reason, 1),
            Some(Consequence::Tolerated),
            "success begins the count anew"
        );
        assert_eq!(
            coordinator.fail(three.next(), FailureReason::Expired, 1),
            Some(Consequence::JobFails)
        );
    }

    #[test]
    fn some_failures_do_not_count() {
        let mut coordinator = coordinator(1);
        assert_eq!(
            coordinator.fail(ONE, FailureReason::CancellationBarrier, 0),
            Some(Consequence::Tolerated)
        );
        let savepoint = coordinator.trigger(Purpose::Savepoint);
        assert_eq!(
            coordinator.fail(savepoint, FailureReason::Expired, 0),
            Some(Consequence::Tolerated)
        );
        let stop = coordinator.trigger(Purpose::StopWithSavepoint);
        assert_eq!(
            coordinator.fail(stop, FailureReason::Expired, 9),
            Some(Consequence::JobFails)
        );
    }

    #[test]
    fn ids_go_on_after_an_abort() {
        let mut coordinator = coordinator(2);
        assert_eq!(coordinator.abort_oldest(), Some(ONE));
        coordinator.recover();
        assert_eq!(
            coordinator.acknowledge(0, TWO, 1),
            Acknowledgement::Discarded
        );
        assert_eq!(coordinator.trigger(Purpose::Checkpoint), TWO.next());
        assert_eq!(coordinator.completed(), CheckpointId::NONE);
    }
}
