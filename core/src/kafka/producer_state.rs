//! What a partition's leader remembers of each producer, and what it says to a batch because of it.
//!
//! Sources: Kafka's `ProducerStateEntry` (the last five batches), `ProducerAppendInfo` (epoch and
//! sequence), `ProducerStateManager` (expiry, rebuilding) and
//! `UnifiedLog.analyzeAndValidateProducerState` (duplicates come first); KIP-98.
//!
//! Rebuilding a state from the log brings back producers that had expired: how old a batch is, is not
//! known here. The stricter checks of transaction version 2 (no marker twice, no first batch but
//! sequence 0) came after 4.0 and are left out.

use smallvec::SmallVec;

use super::batch::{CoordinatorEpoch, Entry, Marker, ProducerEpoch, ProducerId, Sequence, Stamp};
use super::error::{BatchError, MarkerError};
use super::log::Outcome;
use crate::id::Offset;

/// Batches of a producer that are remembered (`NUM_BATCHES_TO_RETAIN`). A producer may therefore have
/// so many requests in flight.
pub const REMEMBERED_BATCHES: usize = 5;

/// What is to be done with a batch that is not refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It is new: append it.
    Append,
    /// It has been appended before, at this offset: answer with success and append nothing. The
    /// records are not compared.
    Duplicate(Offset),
}

/// A batch that has been appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Remembered {
    first: Sequence,
    last: Sequence,
    offset: Offset,
}

/// What is remembered of one producer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Producer {
    id: ProducerId,
    epoch: ProducerEpoch,
    /// The last batches of this epoch, the oldest first.
    batches: SmallVec<[Remembered; REMEMBERED_BATCHES]>,
    /// Where its open transaction begins.
    transaction: Option<Offset>,
    /// The term of the coordinator that wrote the last marker.
    coordinator: Option<CoordinatorEpoch>,
}

impl Producer {
    fn new(id: ProducerId, epoch: ProducerEpoch) -> Self {
        Self {
            id,
            epoch,
            batches: SmallVec::new(),
            transaction: None,
            coordinator: None,
        }
    }

    /// Batches of another epoch are forgotten: across epochs nothing is known again.
    fn enter(&mut self, epoch: ProducerEpoch) {
        if self.epoch != epoch {
            self.batches.clear();
            self.epoch = epoch;
        }
    }

    fn duplicate(&self, stamp: &Stamp) -> Option<Offset> {
        let same = |batch: &&Remembered| (batch.first, batch.last) == (stamp.first, stamp.last);
        if self.epoch != stamp.epoch {
            return None;
        }
        self.batches.iter().find(same).map(|batch| batch.offset)
    }

    fn check(&self, stamp: &Stamp) -> Result<Verdict, BatchError> {
        if let Some(offset) = self.duplicate(stamp) {
            return Ok(Verdict::Duplicate(offset));
        }
        if stamp.epoch < self.epoch {
            return Err(BatchError::InvalidProducerEpoch);
        }
        let last = self.batches.last().filter(|_| stamp.epoch == self.epoch);
        // After a new epoch, and after a marker that brought one, the sequences begin anew.
        let expected = last.map_or(Sequence::FIRST, |batch| batch.last.next());
        if stamp.first != expected {
            return Err(BatchError::OutOfOrderSequence);
        }
        if self.transaction.is_some() && !stamp.transactional {
            return Err(BatchError::InvalidTxnState);
        }
        Ok(Verdict::Append)
    }
}

/// A transaction that a marker has ended on this partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EndedTransaction {
    /// Whose it was.
    pub producer: ProducerId,
    /// Where it begins.
    pub first: Offset,
    /// Where the marker stands.
    pub marker: Offset,
    /// How it ended.
    pub outcome: Outcome,
}

/// What a replica remembers of all producers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ProducerStates {
    /// In the order of their ids.
    producers: SmallVec<[Producer; 1]>,
}

impl ProducerStates {
    /// What the leader says to a batch of a client. A producer of which nothing is known may begin with
    /// any sequence.
    pub fn check(&self, stamp: &Stamp) -> Result<Verdict, BatchError> {
        match self.find(stamp.producer) {
            Some(producer) => producer.check(stamp),
            None => Ok(Verdict::Append),
        }
    }

    /// What the leader says to a marker of a coordinator.
    pub fn check_marker(&self, marker: &Marker) -> Result<(), MarkerError> {
        let Some(producer) = self.find(marker.producer) else {
            return Ok(());
        };
        if marker.epoch < producer.epoch {
            return Err(MarkerError::InvalidProducerEpoch);
        }
        if Some(marker.coordinator) < producer.coordinator {
            return Err(MarkerError::TransactionCoordinatorFenced);
        }
        Ok(())
    }

    /// A batch has been appended at `offset`, by a leader that has checked it, by a follower that has
    /// not to, or long ago in a log that is read again.
    pub fn append(&mut self, stamp: &Stamp, offset: Offset) {
        let producer = self.entry(stamp.producer, stamp.epoch);
        producer.enter(stamp.epoch);
        if producer.batches.len() >= REMEMBERED_BATCHES {
            producer.batches.remove(0);
        }
        producer.batches.push(Remembered {
            first: stamp.first,
            last: stamp.last,
            offset,
        });
        if stamp.transactional && producer.transaction.is_none() {
            producer.transaction = Some(offset);
        }
    }

    /// A marker has been appended at `offset`. Returns the transaction it ended, if there was one: a
    /// marker alone is no transaction.
    pub fn append_marker(&mut self, marker: &Marker, offset: Offset) -> Option<EndedTransaction> {
        let producer = self.entry(marker.producer, marker.epoch);
        producer.enter(marker.epoch);
        producer.coordinator = Some(marker.coordinator);
        let first = producer.transaction.take()?;
        Some(EndedTransaction {
            producer: marker.producer,
            first,
            marker: offset,
            outcome: marker.outcome,
        })
    }

    /// Whether a producer may be forgotten: something is known of it, and no transaction is open.
    pub fn may_expire(&self, producer: ProducerId) -> bool {
        self.find(producer)
            .is_some_and(|producer| producer.transaction.is_none())
    }

    /// `producer.id.expiration.ms` has passed without a batch of this producer: it is forgotten. False
    /// if it must not be.
    pub fn expire(&mut self, producer: ProducerId) -> bool {
        let may = self.may_expire(producer);
        if may {
            self.producers.retain(|known| known.id != producer);
        }
        may
    }

    /// What a replica knows that reads its log from the start.
    pub fn rebuild<'a>(log: impl IntoIterator<Item = (Offset, &'a Entry)>) -> Self {
        let mut states = Self::default();
        for (offset, entry) in log {
            states.learn(offset, entry);
        }
        states
    }

    /// Takes an entry of the log in; the transaction that it ended, if any.
    pub fn learn(&mut self, offset: Offset, entry: &Entry) -> Option<EndedTransaction> {
        match entry {
            Entry::Data(batch) => {
                if let Some(stamp) = batch.stamp() {
                    self.append(&stamp, offset);
                }
                None
            }
            Entry::Control(marker) => self.append_marker(marker, offset),
        }
    }

    /// The epoch of a producer; none if nothing is known of it.
    pub fn epoch(&self, producer: ProducerId) -> Option<ProducerEpoch> {
        self.find(producer).map(|producer| producer.epoch)
    }

    /// The sequence that a producer's next batch must have in its epoch; none if any will do.
    pub fn expected(&self, producer: ProducerId) -> Option<Sequence> {
        let producer = self.find(producer)?;
        let last = producer.batches.last();
        Some(last.map_or(Sequence::FIRST, |batch| batch.last.next()))
    }

    /// Where a producer's open transaction begins on this partition.
    pub fn transaction(&self, producer: ProducerId) -> Option<Offset> {
        self.find(producer)?.transaction
    }

    /// Where the oldest open transaction begins.
    pub fn first_undecided(&self) -> Option<Offset> {
        self.producers
            .iter()
            .filter_map(|producer| producer.transaction)
            .min()
    }

    /// The producers of which something is known, in the order of their ids.
    pub fn known(&self) -> impl Iterator<Item = ProducerId> + '_ {
        self.producers.iter().map(|producer| producer.id)
    }

    fn find(&self, id: ProducerId) -> Option<&Producer> {
        self.producers.iter().find(|producer| producer.id == id)
    }

    fn entry(&mut self, id: ProducerId, epoch: ProducerEpoch) -> &mut Producer {
        let at = self.producers.partition_point(|known| known.id < id);
        if self.producers.get(at).is_none_or(|known| known.id != id) {
            self.producers.insert(at, Producer::new(id, epoch));
        }
        &mut self.producers[at]
    }
}

#[cfg(test)]
mod tests {
    use super::super::batch::Batch;
    use super::*;
    use crate::id::RecordId;
    use alloc::vec::Vec;

    const PRODUCER: ProducerId = ProducerId(7);

    fn stamp(epoch: u16, first: u32, records: u32) -> Stamp {
        Stamp {
            producer: PRODUCER,
            epoch: ProducerEpoch(epoch),
            first: Sequence::new(first),
            last: Sequence::new(first).plus(records - 1),
            transactional: false,
        }
    }

    fn in_transaction(epoch: u16, first: u32) -> Stamp {
        Stamp {
            transactional: true,
            ..stamp(epoch, first, 1)
        }
    }

    fn marker(epoch: u16, coordinator: u32) -> Marker {
        Marker {
            producer: PRODUCER,
            epoch: ProducerEpoch(epoch),
            coordinator: CoordinatorEpoch(coordinator),
            outcome: Outcome::Commit,
        }
    }

    /// What is known after batches of one record with the sequences from 0 up, one at each offset.
    fn after(batches: u32) -> ProducerStates {
        let mut states = ProducerStates::default();
        for at in 0..batches {
            states.append(&stamp(0, at, 1), Offset(at));
        }
        states
    }

    const APPEND: Result<Verdict, BatchError> = Ok(Verdict::Append);
    const OUT_OF_ORDER: Result<Verdict, BatchError> = Err(BatchError::OutOfOrderSequence);

    #[test]
    fn only_the_last_five_batches_are_known_again() {
        let states = after(6);
        assert_eq!(states.check(&stamp(0, 0, 1)), OUT_OF_ORDER);
        for at in 1..6 {
            let again = states.check(&stamp(0, at, 1));
            assert_eq!(again, Ok(Verdict::Duplicate(Offset(at))));
        }
        assert_eq!(states.check(&stamp(0, 6, 1)), APPEND);
        assert_eq!(states.check(&stamp(0, 7, 1)), OUT_OF_ORDER);
    }

    #[test]
    fn a_part_of_a_batch_is_no_duplicate() {
        let mut states = ProducerStates::default();
        states.append(&stamp(0, 0, 3), Offset(0));
        assert_eq!(states.check(&stamp(0, 0, 2)), OUT_OF_ORDER);
        assert_eq!(states.check(&stamp(0, 1, 2)), OUT_OF_ORDER);
    }

    #[test]
    fn a_newer_epoch_begins_at_0_and_forgets_the_batches() {
        let mut states = after(2);
        assert_eq!(states.check(&stamp(1, 2, 1)), OUT_OF_ORDER);
        assert_eq!(states.check(&stamp(1, 0, 1)), APPEND);
        states.append(&stamp(1, 0, 1), Offset(2));
        let older = states.check(&stamp(0, 1, 1));
        assert_eq!(older, Err(BatchError::InvalidProducerEpoch));
        assert_eq!(states.check(&stamp(1, 1, 1)), APPEND);
    }

    #[test]
    fn the_sequence_after_the_last_one_is_0() {
        let mut states = ProducerStates::default();
        let last = Sequence::LAST.number();
        states.append(&stamp(0, last, 1), Offset(0));
        assert_eq!(states.check(&stamp(0, 0, 1)), APPEND);
        assert_eq!(states.check(&stamp(0, 1, 1)), OUT_OF_ORDER);
    }

    #[test]
    fn a_producer_of_which_nothing_is_known_may_begin_anywhere() {
        let mut states = ProducerStates::default();
        assert_eq!(states.check(&stamp(0, 1, 1)), APPEND);
        states.append(&stamp(0, 1, 1), Offset(0));
        assert_eq!(
            states.check(&stamp(0, 0, 1)),
            OUT_OF_ORDER,
            "what came before it is refused for ever (KAFKA-14359)"
        );
    }

    #[test]
    fn sequences_continue_across_a_marker_unless_it_brings_a_new_epoch() {
        let mut states = ProducerStates::default();
        states.append(&in_transaction(0, 0), Offset(0));
        assert_eq!(
            states.check(&stamp(0, 1, 1)),
            Err(BatchError::InvalidTxnState)
        );
        assert_eq!(states.first_undecided(), Some(Offset(0)));
        let ended = states.append_marker(&marker(0, 0), Offset(1));
        assert_eq!(ended.map(|ended| ended.first), Some(Offset(0)));
        assert_eq!(states.check(&in_transaction(0, 1)), APPEND);
        assert_eq!(states.append_marker(&marker(1, 0), Offset(2)), None);
        assert_eq!(states.check(&in_transaction(1, 1)), OUT_OF_ORDER);
        assert_eq!(states.check(&in_transaction(1, 0)), APPEND);
        assert_eq!(
            states.check(&in_transaction(0, 1)),
            Err(BatchError::InvalidProducerEpoch)
        );
    }

    #[test]
    fn a_late_batch_of_the_same_epoch_opens_a_transaction_that_nobody_ends() {
        let mut states = ProducerStates::default();
        states.append_marker(&marker(0, 0), Offset(0));
        assert_eq!(states.check(&in_transaction(0, 0)), APPEND);
        states.append(&in_transaction(0, 0), Offset(1));
        assert_eq!(states.first_undecided(), Some(Offset(1)));
    }

    #[test]
    fn markers_of_older_producers_and_coordinators_are_refused() {
        let mut states = ProducerStates::default();
        states.append_marker(&marker(2, 3), Offset(0));
        let check = |epoch, coordinator| states.check_marker(&marker(epoch, coordinator));
        assert_eq!(check(1, 3), Err(MarkerError::InvalidProducerEpoch));
        assert_eq!(check(2, 2), Err(MarkerError::TransactionCoordinatorFenced));
        assert_eq!(check(2, 3), Ok(()));
        assert_eq!(check(3, 4), Ok(()));
    }

    #[test]
    fn a_producer_expires_but_not_in_a_transaction() {
        let mut states = ProducerStates::default();
        assert!(!states.expire(PRODUCER));
        states.append(&in_transaction(0, 0), Offset(0));
        assert!(!states.expire(PRODUCER));
        states.append_marker(&marker(0, 0), Offset(1));
        assert!(states.expire(PRODUCER));
        assert_eq!(states, ProducerStates::default());
    }

    #[test]
    fn the_log_tells_all_of_it() {
        let batch = |first| {
            let first = Sequence::new(first);
            let batch = Batch::idempotent(
                PRODUCER,
                ProducerEpoch(0),
                first,
                &[RecordId(first.number())],
            );
            Entry::Data(batch.in_transaction())
        };
        let plain = Entry::Data(Batch::plain(&[RecordId(9), RecordId(9)]));
        let log = [batch(0), plain, Entry::Control(marker(0, 1)), batch(1)];
        let mut places = Vec::new();
        let mut end = Offset(0);
        for entry in &log {
            places.push((end, entry));
            end = entry.end(end);
        }
        let mut states = ProducerStates::default();
        states.append(&in_transaction(0, 0), Offset(0));
        states.append_marker(&marker(0, 1), Offset(3));
        states.append(&in_transaction(0, 1), Offset(4));
        assert_eq!(ProducerStates::rebuild(places), states);
    }
}
