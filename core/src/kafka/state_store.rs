//! The local store of a Kafka Streams task: how often each record has entered its aggregate.
//!
//! Sources: Kafka Streams' `RocksDBStore`, `ProcessorStateManager` and `OffsetCheckpoint` (the file
//! `.checkpoint`). The store is a copy of its changelog and more: it is written to at once, and what a
//! transaction that is aborted has written stays in it. So under exactly-once it has to be wiped after
//! an unclean stop and restored from the changelog.

use smallvec::SmallVec;

use crate::id::{Offset, RecordId};

/// A store with the position of its checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StateStore {
    /// In the order of the records; none with a count of 0.
    counts: SmallVec<[(RecordId, u32); 2]>,
    position: Option<Offset>,
}

impl StateStore {
    /// A record enters the aggregate; how often it is in it now.
    pub fn apply(&mut self, record: RecordId) -> u32 {
        let count = self.count(record).saturating_add(1);
        self.set(record, count);
        count
    }

    /// How often a record is in the aggregate.
    pub fn count(&self, record: RecordId) -> u32 {
        let found = self.find(record).ok().and_then(|at| self.counts.get(at));
        found.map_or(0, |(_, count)| *count)
    }

    /// Takes over what a changelog holds: counts, of which the last one of a record holds. A record with
    /// a count of 0 is gone.
    pub fn restore(&mut self, changes: impl Iterator<Item = (RecordId, u32)>) {
        for (record, count) in changes {
            self.set(record, count);
        }
    }

    /// The store is deleted, with its checkpoint.
    pub fn wipe(&mut self) {
        *self = Self::default();
    }

    /// How far of the changelog it contains, as its checkpoint says; none without one.
    pub fn position(&self) -> Option<Offset> {
        self.position
    }

    /// A checkpoint is written.
    pub fn set_position(&mut self, position: Offset) {
        self.position = Some(position);
    }

    /// The records in the aggregate, in order, and how often each is in it.
    pub fn iter(&self) -> impl Iterator<Item = (RecordId, u32)> + '_ {
        self.counts.iter().copied()
    }

    fn set(&mut self, record: RecordId, count: u32) {
        match self.find(record) {
            Ok(at) if count == 0 => {
                self.counts.remove(at);
            }
            Ok(at) => {
                if let Some(entry) = self.counts.get_mut(at) {
                    entry.1 = count;
                }
            }
            Err(_) if count == 0 => {}
            Err(at) => self.counts.insert(at, (record, count)),
        }
    }

    fn find(&self, record: RecordId) -> Result<usize, usize> {
        self.counts.binary_search_by_key(&record, |(it, _)| *it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn a_record_that_is_replayed_over_a_kept_store_counts_twice() {
        let mut store = StateStore::default();
        assert_eq!(store.apply(RecordId(7)), 1);
        assert_eq!(store.apply(RecordId(3)), 1);
        assert_eq!(store.apply(RecordId(7)), 2);
        let all: Vec<_> = store.iter().collect();
        assert_eq!(all, [(RecordId(3), 1), (RecordId(7), 2)]);
        assert_eq!(store.count(RecordId(9)), 0);
    }

    #[test]
    fn a_store_is_wiped_with_its_checkpoint_and_restored_to_the_last_counts() {
        let mut store = StateStore::default();
        store.apply(RecordId(1));
        store.set_position(Offset(4));
        assert_eq!(store.position(), Some(Offset(4)));
        store.wipe();
        assert_eq!(store, StateStore::default());
        let changes = [(5, 1), (2, 1), (5, 2), (2, 0), (8, 0)];
        let changes = changes.map(|(record, count)| (RecordId(record), count));
        store.restore(changes.into_iter());
        assert_eq!(store.iter().collect::<Vec<_>>(), [(RecordId(5), 2)]);
        assert_eq!(store.position(), None);
    }
}
