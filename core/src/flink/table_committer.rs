//! What the committer of a table sink holds: committables by checkpoint, until the checkpoint is complete.
//!
//! A writer gives its committables out before it passes a barrier on (`prepareSnapshotPreBarrier`), each with the
//! id of the checkpoint. The committer collects them, stores them with its snapshot, and commits them when it hears
//! that the checkpoint is complete.
//!
//! Sources: Sink V2 (`SinkWriterOperator`, `CommitterOperator`, `CommittableCollector`) stores whatever it has
//! received, by checkpoint. Iceberg's `IcebergFilesCommitter` keeps what came since its last snapshot apart, and
//! stores it with the next one under its own checkpoint: where barriers overtake, that puts it in the place of what
//! was stored for that checkpoint before (apache/iceberg#15846).

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::id::{CheckpointId, RecordId};

/// A committable, by its number among all there ever were: the data files that a writer closed at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Committable(pub u32);

/// From here on numbers of records are those of committables: there are far fewer records.
const COMMITTABLES: u32 = 1 << 30;

impl Committable {
    /// As it travels through a channel, among records and like one.
    pub const fn on_the_way(self) -> RecordId {
        RecordId(COMMITTABLES.saturating_add(self.0))
    }

    /// The committable that travels as this record, if it is one.
    pub const fn of(record: RecordId) -> Option<Self> {
        match record.0.checked_sub(COMMITTABLES) {
            Some(number) => Some(Self(number)),
            None => None,
        }
    }
}

/// A committable under a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Filed {
    /// The checkpoint with which it is committed.
    pub checkpoint: CheckpointId,
    /// Which.
    pub committable: Committable,
}

/// How a committer stores what it receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// All of it, under its own checkpoint.
    ByCheckpoint,
    /// What came since the last snapshot takes the place of what was stored for its checkpoint.
    Replaces,
    /// What comes after the snapshot of its checkpoint is filed under the next one.
    NextCheckpoint,
}

/// The committables of one committer; also what its snapshot holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Committables {
    /// What came since the last snapshot.
    received: SmallVec<[Filed; 2]>,
    /// What is stored, the oldest checkpoint first.
    stored: SmallVec<[Filed; 2]>,
    /// The last checkpoint of which it took a snapshot.
    snapshot: CheckpointId,
}

impl Committables {
    /// Takes in a committable. Whether it came after the snapshot of its checkpoint.
    pub fn receive(&mut self, filed: Filed) -> bool {
        self.received.push(filed);
        filed.checkpoint <= self.snapshot
    }

    /// The snapshot of `checkpoint` is due: what came is stored. Returns what that drove out.
    pub fn store(&mut self, checkpoint: CheckpointId, keeping: Keeping) -> SmallVec<[Filed; 2]> {
        let received = core::mem::take(&mut self.received);
        let mut gone = SmallVec::new();
        if keeping == Keeping::Replaces {
            let replaced =
                |old: &Filed| received.iter().any(|new| new.checkpoint == old.checkpoint);
            gone = self.stored.iter().copied().filter(replaced).collect();
            self.stored.retain(|old| !replaced(old));
        }
        for mut filed in received {
            if keeping == Keeping::NextCheckpoint {
                filed.checkpoint = checkpoint;
            }
            let behind = self
                .stored
                .partition_point(|other| other.checkpoint <= filed.checkpoint);
            self.stored.insert(behind, filed);
        }
        self.snapshot = checkpoint;
        gone
    }

    /// What is to be committed with a checkpoint that is complete, and with older ones; it is kept until it is
    /// [committed](Self::committed).
    pub fn ready(&self, checkpoint: CheckpointId) -> SmallVec<[Filed; 2]> {
        let ready = self.stored.iter().copied();
        ready
            .filter(|filed| filed.checkpoint <= checkpoint)
            .collect()
    }

    /// What was filed under a checkpoint is committed.
    pub fn committed(&mut self, checkpoint: CheckpointId) {
        self.stored.retain(|filed| filed.checkpoint != checkpoint);
    }

    /// What a snapshot holds: what came since is not in it.
    #[must_use]
    pub fn snapshot(&self) -> Self {
        Self {
            received: SmallVec::new(),
            ..self.clone()
        }
    }

    /// Everything it holds.
    pub fn all(&self) -> impl Iterator<Item = Filed> + '_ {
        self.stored.iter().chain(&self.received).copied()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.stored.is_empty() && self.received.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filed(checkpoint: u32, committable: u32) -> Filed {
        Filed {
            checkpoint: CheckpointId(checkpoint),
            committable: Committable(committable),
        }
    }

    /// The first comes before the snapshot of checkpoint 1, the second after it; then comes checkpoint 2.
    fn late(keeping: Keeping) -> (Committables, SmallVec<[Filed; 2]>) {
        let mut committer = Committables::default();
        assert!(!committer.receive(filed(1, 1)));
        assert!(committer.store(CheckpointId(1), keeping).is_empty());
        assert!(committer.receive(filed(1, 2)));
        committer.receive(filed(2, 3));
        let gone = committer.store(CheckpointId(2), keeping);
        (committer, gone)
    }

    #[test]
    fn a_late_one_drives_out_what_was_stored() {
        let (committer, gone) = late(Keeping::Replaces);
        assert_eq!(gone.as_slice(), [filed(1, 1)]);
        let ready = committer.ready(CheckpointId(2));
        assert_eq!(ready.as_slice(), [filed(1, 2), filed(2, 3)]);
    }

    #[test]
    fn or_goes_with_the_next_checkpoint() {
        let (committer, gone) = late(Keeping::NextCheckpoint);
        assert!(gone.is_empty());
        assert_eq!(committer.ready(CheckpointId(1)).as_slice(), [filed(1, 1)]);
        assert_eq!(committer.ready(CheckpointId(2)).len(), 3);
    }

    #[test]
    fn what_is_committed_is_not_committed_again() {
        let (mut committer, _) = late(Keeping::ByCheckpoint);
        committer.committed(CheckpointId(1));
        assert_eq!(committer.ready(CheckpointId(2)).as_slice(), [filed(2, 3)]);
    }
}
