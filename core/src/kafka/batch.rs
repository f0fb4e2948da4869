//! What is written to a partition: batches of a producer, and control records of a coordinator.
//!
//! Sources: Kafka's `RecordBatch` and `DefaultRecordBatch` (producer id, epoch, base sequence),
//! `EndTransactionMarker`; KIP-98. The producer id and epoch are the identity of a session, the range
//! of sequences that of a batch in it. Nothing in a batch names a transaction.

use core::fmt;

use smallvec::SmallVec;

use super::log::Outcome;
use crate::id::{Offset, RecordId};

/// A producer session's id, given out by a broker (PID).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct ProducerId(pub u32);

/// How often a producer id has been taken over: an older epoch is fenced by a newer one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct ProducerEpoch(pub u16);

impl ProducerEpoch {
    /// The epoch of a new producer id.
    pub const FIRST: Self = Self(0);
    /// The largest epoch there is (`Short.MAX_VALUE`). No client is ever given it, so that the
    /// coordinator can always fence the one before.
    pub const MAX: Self = Self(i16::MAX as u16);

    /// The epoch after this one; the largest one stays.
    #[must_use]
    pub fn bumped(self) -> Self {
        Self(self.0.saturating_add(1)).min(Self::MAX)
    }

    /// Whether a new producer id is needed for a client to go on
    /// (`TransactionMetadata.isEpochExhausted`).
    pub fn is_exhausted(self) -> bool {
        self.0 >= Self::MAX.0 - 1
    }
}

/// The number of a record among those that a producer session has written to a partition. It runs from
/// 0 to 2^31-1 and then from 0 again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct Sequence(u32);

impl Sequence {
    /// The first one of a session.
    pub const FIRST: Self = Self(0);
    /// The last one before the numbers begin again.
    pub const LAST: Self = Self(i32::MAX as u32);

    /// The sequence with this number, cut down to 31 bits.
    pub const fn new(number: u32) -> Self {
        Self(number & Self::LAST.0)
    }

    /// Its number.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The sequence so many records later.
    #[must_use]
    pub const fn plus(self, records: u32) -> Self {
        Self::new(self.0.wrapping_add(records))
    }

    /// The sequence of the next record.
    #[must_use]
    pub const fn next(self) -> Self {
        self.plus(1)
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The term of a transaction coordinator: the leader epoch of its partition of `__transaction_state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoordinatorEpoch(pub u32);

/// The term of a partition's leader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaderEpoch(pub u32);

/// What an idempotent or transactional producer puts on a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Whose batch it is.
    pub producer: ProducerId,
    /// In which session.
    pub epoch: ProducerEpoch,
    /// The sequence of the first record.
    pub first: Sequence,
    /// The sequence of the last record.
    pub last: Sequence,
    /// Whether it belongs to the producer's current transaction.
    pub transactional: bool,
}

/// Records that are written together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Batch {
    /// The session and the first sequence; none for a producer without idempotence.
    session: Option<Session>,
    records: SmallVec<[RecordId; 2]>,
}

/// The part of a stamp that does not follow from the number of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Session {
    producer: ProducerId,
    epoch: ProducerEpoch,
    first: Sequence,
    transactional: bool,
}

impl Batch {
    /// A batch of a producer without idempotence: nothing tells it from another.
    pub fn plain(records: &[RecordId]) -> Self {
        Self {
            session: None,
            records: records.into(),
        }
    }

    /// A batch of an idempotent producer, outside any transaction.
    pub fn idempotent(
        producer: ProducerId,
        epoch: ProducerEpoch,
        first: Sequence,
        records: &[RecordId],
    ) -> Self {
        Self {
            session: Some(Session {
                producer,
                epoch,
                first,
                transactional: false,
            }),
            records: records.into(),
        }
    }

    /// The same batch, in the producer's transaction. A batch without a producer id cannot be in one.
    #[must_use]
    pub fn in_transaction(mut self) -> Self {
        if let Some(session) = &mut self.session {
            session.transactional = true;
        }
        self
    }

    /// What the producer has put on it; none without idempotence, or without a record.
    pub fn stamp(&self) -> Option<Stamp> {
        let session = self.session?;
        let further = (self.records.len() as u32).checked_sub(1)?;
        Some(Stamp {
            producer: session.producer,
            epoch: session.epoch,
            first: session.first,
            last: session.first.plus(further),
            transactional: session.transactional,
        })
    }

    /// Its records, in order.
    pub fn records(&self) -> &[RecordId] {
        &self.records
    }
}

/// The control record with which a coordinator ends a transaction on a partition
/// (`EndTransactionMarker`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Marker {
    /// Whose transaction it ends.
    pub producer: ProducerId,
    /// The epoch the producer has from here on.
    pub epoch: ProducerEpoch,
    /// The term of the coordinator that wrote it.
    pub coordinator: CoordinatorEpoch,
    /// How the transaction ends.
    pub outcome: Outcome,
}

/// What stands in a log.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// Records. Each occupies an offset.
    Data(Batch),
    /// A control record. It occupies one offset and is never returned to a reader.
    Control(Marker),
}

impl Entry {
    /// How many offsets it occupies.
    pub fn len(&self) -> u32 {
        match self {
            Self::Data(batch) => batch.records.len() as u32,
            Self::Control(_) => 1,
        }
    }

    /// The offset behind it, if it stands at `offset`.
    pub fn end(&self, offset: Offset) -> Offset {
        Offset(offset.0.saturating_add(self.len()))
    }

    /// Whether it occupies none: a batch without a record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_begin_again_after_the_last_one() {
        assert_eq!(Sequence::LAST.next(), Sequence::FIRST);
        assert_eq!(Sequence::LAST.plus(3), Sequence::new(2));
        let records = [RecordId(1), RecordId(2), RecordId(3)];
        let batch = Batch::idempotent(
            ProducerId(1),
            ProducerEpoch::FIRST,
            Sequence::LAST,
            &records,
        );
        assert_eq!(
            batch.stamp().map(|stamp| stamp.last),
            Some(Sequence::new(1))
        );
    }

    #[test]
    fn the_last_epoch_is_kept_for_the_coordinator() {
        assert!(!ProducerEpoch(32_765).is_exhausted());
        assert!(ProducerEpoch(32_766).is_exhausted());
        assert_eq!(ProducerEpoch::MAX.bumped(), ProducerEpoch::MAX);
    }

    #[test]
    fn a_batch_without_a_producer_id_is_in_no_transaction() {
        let batch = Batch::plain(&[RecordId(1)]).in_transaction();
        assert_eq!(batch.stamp(), None);
    }
}
