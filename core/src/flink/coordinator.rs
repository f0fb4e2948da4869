//! The checkpoint coordinator: triggers checkpoints, counts acknowledgements, decides, notifies.
//!
//! Source: Flink's `CheckpointCoordinator`, `PendingCheckpoint`. One checkpoint at a time
//! (`execution.checkpointing.max-concurrent-checkpoints` = 1). Completion is the decision to commit;
//! notifications only tell of it.

use crate::collections::Bits;
use crate::id::CheckpointId;

/// The coordinator's state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Coordinator {
    /// The newest checkpoint that was triggered. Ids go on growing across restarts.
    triggered: CheckpointId,
    /// Whether the newest one is still under way.
    pending: bool,
    /// The subtasks that have acknowledged the pending checkpoint.
    acknowledged: Bits,
    /// The last completed checkpoint.
    completed: CheckpointId,
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
    Completed,
}

impl Coordinator {
    /// Whether a checkpoint may be triggered.
    pub fn may_trigger(&self) -> bool {
        !self.pending
    }

    /// Starts the next checkpoint.
    pub fn trigger(&mut self) -> CheckpointId {
        self.triggered = self.triggered.next();
        self.pending = true;
        self.acknowledged.clear();
        self.triggered
    }

    /// A subtask, one of `subtasks`, has stored its snapshot of `checkpoint`.
    pub fn acknowledge(
        &mut self,
        subtask: usize,
        checkpoint: CheckpointId,
        subtasks: usize,
    ) -> Acknowledgement {
        if self.pending() != Some(checkpoint) || !self.acknowledged.insert(subtask) {
            return Acknowledgement::Discarded;
        }
        let missing = subtasks.saturating_sub(self.acknowledged.len());
        if missing > 0 {
            return Acknowledgement::Counted { missing };
        }
        self.completed = checkpoint;
        self.pending = false;
        self.acknowledged.clear();
        Acknowledgement::Completed
    }

    /// Gives the pending checkpoint up; which one it was.
    pub fn abort(&mut self) -> Option<CheckpointId> {
        let aborted = self.pending();
        self.pending = false;
        self.acknowledged.clear();
        aborted
    }

    /// The checkpoint under way.
    pub fn pending(&self) -> Option<CheckpointId> {
        self.pending.then_some(self.triggered)
    }

    /// The newest checkpoint that was triggered; [`CheckpointId::NONE`] before the first.
    pub fn triggered(&self) -> CheckpointId {
        self.triggered
    }

    /// The last completed checkpoint; [`CheckpointId::NONE`] before the first.
    pub fn completed(&self) -> CheckpointId {
        self.completed
    }

    /// Whether a subtask has acknowledged the pending checkpoint.
    pub fn has_acknowledged(&self, subtask: usize) -> bool {
        self.acknowledged.contains(subtask)
    }

    /// How many subtasks have acknowledged the pending checkpoint.
    pub fn acknowledgements(&self) -> usize {
        self.acknowledged.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_when_all_have_acknowledged() {
        let mut coordinator = Coordinator::default();
        let one = coordinator.trigger();
        assert!(!coordinator.may_trigger());
        assert_eq!(
            coordinator.acknowledge(0, one, 2),
            Acknowledgement::Counted { missing: 1 }
        );
        assert_eq!(
            coordinator.acknowledge(0, one, 2),
            Acknowledgement::Discarded
        );
        assert_eq!(
            coordinator.acknowledge(1, one, 2),
            Acknowledgement::Completed
        );
        assert_eq!(coordinator.completed(), one);
        assert_eq!(
            coordinator.acknowledge(1, one, 2),
            Acknowledgement::Discarded
        );
    }

    #[test]
    fn ids_go_on_after_an_abort() {
        let mut coordinator = Coordinator::default();
        let one = coordinator.trigger();
        assert_eq!(coordinator.abort(), Some(one));
        assert_eq!(
            coordinator.acknowledge(0, one, 1),
            Acknowledgement::Discarded
        );
        assert_eq!(coordinator.trigger(), one.next());
        assert_eq!(coordinator.completed(), CheckpointId::NONE);
    }
}
