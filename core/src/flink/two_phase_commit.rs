//! The transactions of a sink that commits with the checkpoint.
//!
//! Source: Flink's `TwoPhaseCommitSinkFunction`. Records go into the current transaction. At a barrier
//! the sink flushes it (pre-commit), keeps it as pending under the checkpoint's id, and begins the next
//! one; the snapshot holds the new current one and all pending ones. When the sink hears that a
//! checkpoint is complete, it commits every pending transaction up to that checkpoint. On recovery it
//! commits what the checkpoint holds as pending, and aborts everything that came later.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::id::CheckpointId;

/// The number of a sink's transaction: the checkpoint whose records it was begun for. With the sink's
/// subtask it makes the `transactional.id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TransactionNumber(pub u32);

/// A transaction that waits for its checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pending {
    /// It is committed when this checkpoint, or a later one, is complete.
    pub checkpoint: CheckpointId,
    /// Which transaction.
    pub number: TransactionNumber,
}

/// The transactions of one sink subtask; also what its snapshot holds.
#[derive(Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SinkTransactions {
    current: TransactionNumber,
    pending: SmallVec<[Pending; 2]>,
}

/// A search copies it by the million: all that is pending at once.
impl Clone for SinkTransactions {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            current: self.current,
            pending: SmallVec::from_slice(&self.pending),
        }
    }
}

impl Default for SinkTransactions {
    /// A sink that starts for the first time: the first transaction is for checkpoint 1.
    fn default() -> Self {
        Self {
            current: TransactionNumber(1),
            pending: SmallVec::new(),
        }
    }
}

impl SinkTransactions {
    /// The transaction into which records go.
    pub fn current(&self) -> TransactionNumber {
        self.current
    }

    /// The transactions that wait for their checkpoint, the oldest first.
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// The barrier of `checkpoint` has come: the current transaction is flushed and waits for it, the
    /// next one begins. Returns the flushed one.
    pub fn pre_commit(&mut self, checkpoint: CheckpointId) -> TransactionNumber {
        let flushed = self.current;
        self.pending.push(Pending {
            checkpoint,
            number: flushed,
        });
        self.current = TransactionNumber(checkpoint.next().0);
        flushed
    }

    /// The sink starts again from this snapshot: what it holds as pending is to be committed, and the
    /// next transaction, for checkpoint `next`, begins. Returns the transactions to commit, the oldest
    /// first; every other one of this sink that is still open is to be aborted.
    pub fn recover(&mut self, next: CheckpointId) -> SmallVec<[TransactionNumber; 2]> {
        let commit = self.pending.iter().map(|pending| pending.number).collect();
        self.pending.clear();
        self.current = TransactionNumber(next.0);
        commit
    }

    /// `checkpoint` is complete: takes out every transaction that is to be committed now, the oldest
    /// first. Older checkpoints that were given up are covered by this one.
    pub fn complete(&mut self, checkpoint: CheckpointId) -> SmallVec<[TransactionNumber; 2]> {
        let ready = |pending: &Pending| pending.checkpoint <= checkpoint;
        let commit = self
            .pending
            .iter()
            .filter(|pending| ready(pending))
            .map(|pending| pending.number)
            .collect();
        self.pending.retain(|pending| !ready(pending));
        commit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_checkpoint_commits_what_an_aborted_one_left() {
        let mut sink = SinkTransactions::default();
        assert_eq!(sink.pre_commit(CheckpointId(1)), TransactionNumber(1));
        assert_eq!(sink.current(), TransactionNumber(2));
        assert_eq!(sink.pre_commit(CheckpointId(2)), TransactionNumber(2));
        assert_eq!(
            sink.complete(CheckpointId(2)).as_slice(),
            [TransactionNumber(1), TransactionNumber(2)]
        );
        assert!(sink.complete(CheckpointId(2)).is_empty());
    }

    #[test]
    fn recovery_commits_what_was_pending() {
        let mut sink = SinkTransactions::default();
        sink.pre_commit(CheckpointId(1));
        let mut restored = sink.clone();
        assert_eq!(
            restored.recover(CheckpointId(3)).as_slice(),
            [TransactionNumber(1)]
        );
        assert_eq!(restored.current(), TransactionNumber(3));
        assert!(restored.pending().is_empty());
    }

    #[test]
    fn an_earlier_checkpoint_leaves_later_ones_waiting() {
        let mut sink = SinkTransactions::default();
        sink.pre_commit(CheckpointId(1));
        sink.pre_commit(CheckpointId(2));
        assert_eq!(
            sink.complete(CheckpointId(1)).as_slice(),
            [TransactionNumber(1)]
        );
        assert_eq!(sink.pending().len(), 1);
    }
}
