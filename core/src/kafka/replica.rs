//! One copy of a partition: entries in order, each with the term of the leader that wrote it.
//!
//! Sources: Kafka's `UnifiedLog` (high watermark, last stable offset), `LeaderEpochFileCache` (where a
//! term ends), `TransactionIndex` (aborted transactions), `ProducerStateManager`; KIP-101, KIP-98.
//!
//! A replica keeps its high watermark over a crash; Kafka writes it to a file from time to time. There
//! is no retention: a log begins at offset 0.

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
    /// log anew.
    pub fn truncate(&mut self, end: Offset) {
        self.entries.retain(|placed| placed.end() <= end);
        let entries = self.entries.iter();
        self.producers = ProducerStates::rebuild(entries.map(|it| (it.offset, &it.entry)));
        self.high_watermark = self.high_watermark.min(self.end());
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
        self.entries.last().map_or(Offset(0), Placed::end)
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
    /// (`OffsetsForLeaderEpoch`).
    pub fn end_of_epoch(&self, epoch: LeaderEpoch) -> (Option<LeaderEpoch>, Offset) {
        let until = self.entries.partition_point(|placed| placed.epoch <= epoch);
        let last = until.checked_sub(1).and_then(|last| self.entries.get(last));
        match last {
            Some(last) => (Some(last.epoch), last.end()),
            None => (None, Offset(0)),
        }
    }

    /// Where this log parts from that of the leader, if it does: up to there it is to be truncated. It
    /// may part again before that.
    pub fn divergence(&self, leader: &Self) -> Option<Offset> {
        let mine = self.last_epoch()?;
        let (epoch, end) = leader.end_of_epoch(mine);
        if epoch == Some(mine) && end >= self.end() {
            return None;
        }
        let here = epoch.map_or(Offset(0), |epoch| self.end_of_epoch(epoch).1);
        Some(here.min(end))
    }

    /// The last stable offset: below it, every transaction is decided, and its marker below the high
    /// watermark.
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

    /// Calls `visit` with every record that a reader of this isolation level sees, from an offset on.
    /// Returns its position afterwards.
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
        let mut states = ProducerStates::default();
        let learn = |placed: &Placed| states.learn(placed.offset, &placed.entry);
        self.entries.iter().filter_map(learn).collect()
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
}
