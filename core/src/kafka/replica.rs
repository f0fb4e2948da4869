//! One copy of a partition: entries in order, each with the term of the leader that wrote it.
//!
//! Sources: Kafka's `UnifiedLog` (high watermark, last stable offset, log start offset),
//! `LeaderEpochFileCache` (where a term ends), `TransactionIndex` (aborted transactions),
//! `ProducerStateManager`; KIP-101, KIP-98.
//!
//! A replica keeps its high watermark over a crash; Kafka writes it to a file from time to time. What
//! retention deletes ends with a whole entry, as a segment does in Kafka; what was known of producers
//! there stays known, from Kafka's snapshots of it.

use alloc::boxed::Box;

use smallvec::SmallVec;

use super::batch::{Entry, LeaderEpoch, ProducerId};
use super::log::{IsolationLevel, Outcome};
use super::producer_state::{EndedTransaction, ProducerStates};
use crate::id::{Offset, RecordId};

/// An entry in its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Placed {
    /// The offset of its first record.
    pub offset: Offset,
    /// The term of the leader that wrote it.
    pub epoch: LeaderEpoch,
    /// What stands there.
    pub entry: Entry,
}

impl Placed {
    /// The offset behind it.
    pub fn end(&self) -> Offset {
        self.entry.end(self.offset)
    }
}

/// One copy of a partition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Replica {
    entries: SmallVec<[Placed; 2]>,
    high_watermark: Offset,
    producers: ProducerStates,
    /// What was there below the first entry; none as long as nothing has been deleted.
    deleted: Option<Box<Deleted>>,
}

/// What is left of the entries below the log start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Deleted {
    /// Where the log starts.
    end: Offset,
    /// What they tell of producers.
    producers: ProducerStates,
}

/// The transactions that have ended in a log.
type Ended = SmallVec<[EndedTransaction; 4]>;

impl Replica {
    /// Appends an entry; where it stands.
    pub fn append(&mut self, epoch: LeaderEpoch, entry: Entry) -> Offset {
        let offset = self.end();
        self.producers.learn(offset, &entry);
        self.entries.push(Placed {
            offset,
            epoch,
            entry,
        });
        offset
    }

    /// Takes away everything that reaches beyond `end`. What is known of producers is read from the
    /// log anew. Below the log start nothing is left: the log starts again at `end`.
    pub fn truncate(&mut self, end: Offset) {
        if end < self.log_start() {
            return self.restart(end);
        }
        self.entries.retain(|placed| placed.end() <= end);
        self.producers = self.producers_before();
        for placed in &self.entries {
            self.producers.learn(placed.offset, &placed.entry);
        }
        self.high_watermark = self.high_watermark.min(self.end());
    }

    /// Takes everything away and starts again at `start`, where the leader's log starts, or ends
    /// (`truncateFullyAndStartAt`). Nothing is known of producers any more.
    pub fn restart(&mut self, start: Offset) {
        let deleted = Deleted {
            end: start,
            producers: ProducerStates::default(),
        };
        *self = Self {
            high_watermark: start,
            deleted: (start > Offset(0)).then(|| Box::new(deleted)),
            ..Self::default()
        };
    }

    /// `retention.ms`, `retention.bytes` or `DeleteRecords`: deletes the entries that end at `offset` or
    /// before, below the high watermark. False if there is none.
    pub fn delete_before(&mut self, offset: Offset) -> bool {
        let until = offset.min(self.high_watermark);
        let count = self.entries.partition_point(|it| it.end() <= until);
        if count == 0 {
            return false;
        }
        let deleted = self.deleted.get_or_insert_default();
        for placed in self.entries.drain(..count) {
            deleted.end = placed.end();
            deleted.producers.learn(placed.offset, &placed.entry);
        }
        true
    }

    /// Everything below `offset` is known to be on every replica that is in sync. It never goes back,
    /// and not beyond the end.
    pub fn raise_high_watermark(&mut self, offset: Offset) {
        self.high_watermark = self.high_watermark.max(offset.min(self.end()));
    }

    /// A producer has not written for a day: it is forgotten. False if it must not be.
    pub fn expire_producer(&mut self, producer: ProducerId) -> bool {
        self.producers.expire(producer)
    }

    /// Its entries, in order.
    pub fn entries(&self) -> &[Placed] {
        &self.entries
    }

    /// The log end offset: where the next entry will stand.
    pub fn end(&self) -> Offset {
        self.entries.last().map_or(self.log_start(), Placed::end)
    }

    /// The log start offset: where the first entry stands, or will stand.
    pub fn log_start(&self) -> Offset {
        self.deleted.as_ref().map_or(Offset(0), |it| it.end)
    }

    /// Below it, everything is on every replica that is in sync, as far as this one knows.
    pub fn high_watermark(&self) -> Offset {
        self.high_watermark
    }

    /// What is known of producers.
    pub fn producers(&self) -> &ProducerStates {
        &self.producers
    }

    /// The term of the last entry.
    pub fn last_epoch(&self) -> Option<LeaderEpoch> {
        Some(self.entries.last()?.epoch)
    }

    /// The newest term in the log that is not newer than `epoch`, and the offset at which it ends
    /// (`OffsetsForLeaderEpoch`). If all such terms may have been deleted, `epoch` itself is taken to end
    /// at the log start: what was there is common to all.
    pub fn end_of_epoch(&self, epoch: LeaderEpoch) -> (Option<LeaderEpoch>, Offset) {
        let until = self.entries.partition_point(|placed| placed.epoch <= epoch);
        let last = until.checked_sub(1).and_then(|last| self.entries.get(last));
        match last {
            Some(last) => (Some(last.epoch), last.end()),
            None if self.deleted.is_some() => (Some(epoch), self.log_start()),
            None => (None, Offset(0)),
        }
    }

    /// Where this log parts from that of the leader, if it does: up to there it is to be truncated. It
    /// may part again before that.
    pub fn divergence(&self, leader: &Self) -> Option<Offset> {
        let Some(mine) = self.last_epoch() else {
            // Nothing can differ, but after an unclean election the leader may end earlier.
            return (self.end() > leader.end()).then(|| leader.end());
        };
        let (epoch, end) = leader.end_of_epoch(mine);
        if epoch == Some(mine) && end >= self.end() {
            return None;
        }
        let here = epoch.map_or(Offset(0), |epoch| self.end_of_epoch(epoch).1);
        Some(here.min(end))
    }

    /// The last stable offset: below it, every transaction is decided, and its marker below the high
    /// watermark. It is not below the log start.
    pub fn last_stable_offset(&self) -> Offset {
        let ended = self.ended();
        let not_replicated = ended
            .iter()
            .filter(|ended| ended.marker >= self.high_watermark)
            .map(|ended| ended.first);
        let undecided = self.producers.first_undecided();
        not_replicated
            .chain(undecided)
            .fold(self.high_watermark, Offset::min)
            .max(self.log_start())
    }

    /// The transactions that a reader of committed records has to leave out: those that have been
    /// aborted and have a record between `from` and the last stable offset.
    pub fn aborted(&self, from: Offset) -> SmallVec<[EndedTransaction; 4]> {
        let stable = self.last_stable_offset();
        let mut ended = self.ended();
        ended.retain(|ended| {
            ended.outcome == Outcome::Abort && ended.marker >= from && ended.first < stable
        });
        ended
    }

    /// Where a reader of this isolation level has to stop.
    pub fn readable_end(&self, isolation: IsolationLevel) -> Offset {
        match isolation {
            IsolationLevel::ReadUncommitted => self.high_watermark,
            IsolationLevel::ReadCommitted => self.last_stable_offset(),
        }
    }

    /// Calls `visit` with every record that a reader of this isolation level sees, from an offset on, or
    /// from the log start: whether the offset is out of range is for the caller to check. Returns the
    /// reader's position afterwards.
    pub fn read(
        &self,
        isolation: IsolationLevel,
        from: Offset,
        mut visit: impl FnMut(Offset, RecordId),
    ) -> Offset {
        let until = self.readable_end(isolation);
        let aborted = match isolation {
            IsolationLevel::ReadUncommitted => Ended::new(),
            IsolationLevel::ReadCommitted => self.aborted(from),
        };
        for placed in &self.entries {
            let Entry::Data(batch) = &placed.entry else {
                continue;
            };
            let transactional = batch.stamp().filter(|stamp| stamp.transactional);
            let is_aborted = transactional.is_some_and(|stamp| {
                aborted.iter().any(|ended| {
                    ended.producer == stamp.producer
                        && (ended.first..ended.marker).contains(&placed.offset)
                })
            });
            if is_aborted {
                continue;
            }
            let mut offset = placed.offset;
            for record in batch.records() {
                if (from..until).contains(&offset) {
                    visit(offset, *record);
                }
                offset.0 = offset.0.saturating_add(1);
            }
        }
        from.max(until)
    }

    fn ended(&self) -> Ended {
        let mut states = self.producers_before();
        let learn = |placed: &Placed| states.learn(placed.offset, &placed.entry);
        self.entries.iter().filter_map(learn).collect()
    }

    /// What was known of producers at the log start.
    fn producers_before(&self) -> ProducerStates {
        let deleted = self.deleted.as_ref();
        deleted.map_or_else(ProducerStates::default, |it| it.producers.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::batch::{Batch, CoordinatorEpoch, Marker, ProducerEpoch, Sequence};
    use super::*;
    use alloc::vec::Vec;

    const FIRST: LeaderEpoch = LeaderEpoch(0);

    fn record(producer: u32, sequence: u32, record: u32) -> Entry {
        let first = Sequence::new(sequence);
        let (producer, epoch) = (ProducerId(producer), ProducerEpoch(0));
        let batch = Batch::idempotent(producer, epoch, first, &[RecordId(record)]);
        Entry::Data(batch.in_transaction())
    }

    fn marker(producer: u32, outcome: Outcome) -> Entry {
        Entry::Control(Marker {
            producer: ProducerId(producer),
            epoch: ProducerEpoch(0),
            coordinator: CoordinatorEpoch(0),
            outcome,
        })
    }

    fn replica(entries: impl IntoIterator<Item = Entry>) -> Replica {
        let mut replica = Replica::default();
        for entry in entries {
            replica.append(FIRST, entry);
        }
        replica.raise_high_watermark(replica.end());
        replica
    }

    fn read(replica: &Replica, isolation: IsolationLevel, from: u32) -> Vec<u32> {
        let mut records = Vec::new();
        replica.read(isolation, Offset(from), |_, record| records.push(record.0));
        records
    }

    const COMMITTED: IsolationLevel = IsolationLevel::ReadCommitted;
    const UNCOMMITTED: IsolationLevel = IsolationLevel::ReadUncommitted;

    #[test]
    fn aborted_records_stay_in_the_log_and_only_a_committed_read_leaves_them_out() {
        let log = replica([
            record(1, 0, 10),
            record(2, 0, 20),
            marker(1, Outcome::Abort),
            record(1, 1, 11),
            marker(2, Outcome::Commit),
            marker(1, Outcome::Commit),
        ]);
        assert_eq!(read(&log, UNCOMMITTED, 0), [10, 20, 11]);
        assert_eq!(read(&log, COMMITTED, 0), [20, 11]);
        let (first, marker) = (Offset(0), Offset(2));
        let aborted = log.aborted(Offset(0));
        assert_eq!((aborted[0].first, aborted[0].marker), (first, marker));
        assert!(log.aborted(Offset(3)).is_empty());
        assert_eq!(log.read(COMMITTED, Offset(4), |_, _| ()), Offset(6));
    }

    #[test]
    fn a_reader_of_committed_records_stops_at_the_first_open_transaction() {
        let log = replica([
            record(1, 0, 10),
            record(2, 0, 20),
            marker(2, Outcome::Commit),
        ]);
        assert_eq!(log.last_stable_offset(), Offset(0));
        assert!(read(&log, COMMITTED, 0).is_empty());
    }

    #[test]
    fn a_marker_counts_when_it_is_replicated() {
        let mut log = replica([record(1, 0, 10)]);
        log.append(FIRST, marker(1, Outcome::Commit));
        assert_eq!(log.producers().first_undecided(), None);
        assert_eq!(log.last_stable_offset(), Offset(0), "not replicated");
        log.raise_high_watermark(Offset(2));
        assert_eq!(log.last_stable_offset(), Offset(2));
        assert_eq!(read(&log, COMMITTED, 0), [10]);
    }

    #[test]
    fn an_abort_without_a_record_hides_nothing() {
        let plain = Entry::Data(Batch::plain(&[RecordId(1), RecordId(2)]));
        let log = replica([marker(9, Outcome::Abort), plain]);
        assert!(log.aborted(Offset(0)).is_empty());
        assert_eq!(read(&log, COMMITTED, 0), [1, 2]);
        assert_eq!(read(&log, COMMITTED, 2), [2], "from the middle of a batch");
    }

    #[test]
    fn a_log_parts_where_the_terms_do() {
        let mut leader = replica([record(1, 0, 10)]);
        let mut follower = leader.clone();
        follower.append(LeaderEpoch(0), record(1, 1, 11));
        follower.append(LeaderEpoch(2), record(1, 2, 12));
        leader.append(LeaderEpoch(1), record(1, 1, 13));
        leader.append(LeaderEpoch(3), record(1, 2, 14));
        assert_eq!(follower.divergence(&leader), Some(Offset(2)));
        follower.truncate(Offset(2));
        assert_eq!(follower.divergence(&leader), Some(Offset(1)));
        follower.truncate(Offset(1));
        assert_eq!(follower.divergence(&leader), None);
        let expected = follower.producers().expected(ProducerId(1));
        assert_eq!(expected, Some(Sequence::new(1)), "read anew");
    }

    #[test]
    fn whole_entries_below_the_high_watermark_are_deleted_and_producers_stay_known() {
        let pair = Batch::plain(&[RecordId(1), RecordId(2)]);
        let mut log = replica([record(1, 0, 10), Entry::Data(pair)]);
        log.append(FIRST, record(1, 1, 11));
        assert!(log.delete_before(Offset(2)));
        assert_eq!(log.log_start(), Offset(1), "an entry is not cut up");
        assert!(!log.delete_before(Offset(2)));
        assert!(log.delete_before(Offset(9)));
        assert_eq!((log.log_start(), log.end()), (Offset(3), Offset(4)));
        log.truncate(Offset(3));
        assert_eq!((log.log_start(), log.end()), (Offset(3), Offset(3)));
        let expected = log.producers().expected(ProducerId(1));
        assert_eq!(expected, Some(Sequence::new(1)), "from what is deleted");
        assert_eq!(log.append(FIRST, record(1, 1, 12)), Offset(3));
        log.truncate(Offset(2));
        let bounds = (log.log_start(), log.end(), log.high_watermark());
        assert_eq!(bounds, (Offset(2), Offset(2), Offset(2)));
        assert_eq!(log.producers().known().count(), 0);
    }

    #[test]
    fn a_transaction_whose_beginning_is_deleted_ends_as_it_should() {
        let mut log = replica([record(1, 0, 10), record(1, 1, 11), record(2, 0, 20)]);
        assert!(log.delete_before(Offset(1)));
        assert_eq!(log.last_stable_offset(), log.log_start(), "it is open");
        log.append(FIRST, marker(2, Outcome::Commit));
        log.append(FIRST, marker(1, Outcome::Abort));
        log.raise_high_watermark(Offset(5));
        assert_eq!(log.last_stable_offset(), Offset(5));
        assert_eq!(read(&log, COMMITTED, 0), [20]);
        assert_eq!(read(&log, UNCOMMITTED, 0), [11, 20], "from the start on");
    }

    #[test]
    fn logs_part_as_before_where_one_of_them_has_forgotten_a_term() {
        let mut leader = replica([record(1, 0, 10), record(1, 1, 11)]);
        let mut follower = leader.clone();
        leader.append(LeaderEpoch(1), record(1, 2, 12));
        assert!(leader.delete_before(Offset(2)));
        assert_eq!(follower.divergence(&leader), None);
        follower.append(FIRST, record(1, 2, 13));
        assert_eq!(follower.divergence(&leader), Some(Offset(2)));
        follower.truncate(Offset(2));
        assert_eq!(follower.divergence(&leader), None);
        assert!(follower.delete_before(Offset(2)));
        assert_eq!(follower.divergence(&leader), None, "it is empty");
        let shorter = replica([record(1, 0, 10)]);
        assert_eq!(follower.divergence(&shorter), Some(Offset(1)));
        leader.raise_high_watermark(Offset(3));
        assert!(leader.delete_before(Offset(3)));
        follower.append(FIRST, record(1, 2, 13));
        follower.append(FIRST, record(1, 3, 14));
        assert_eq!(follower.divergence(&leader), Some(Offset(3)));
    }
}
