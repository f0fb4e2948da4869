//! A partition: records and control records in order, and what a reader may see of them.
//!
//! Sources: Kafka's `UnifiedLog` and `ProducerStateManager` (last stable offset, aborted transactions),
//! `ConsumerConfig` (`isolation.level`). A control record occupies one offset and is never returned.

use core::fmt;
use core::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::id::{Offset, RecordId};

/// What a reader wants to see: the consumer option `isolation.level`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum IsolationLevel {
    /// Everything, open and aborted transactions too. Kafka's default.
    #[default]
    ReadUncommitted,
    /// What is committed, up to the last stable offset.
    ReadCommitted,
}

/// A transaction in a log: the producer and its transaction's number, packed into one word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactionId(NonZeroU32);

/// Bits of a [`TransactionId`] that hold the producer.
const PRODUCER_BITS: u32 = 12;

impl TransactionId {
    /// The largest transaction number that fits.
    pub const MAX_NUMBER: u32 = (1 << (32 - PRODUCER_BITS)) - 2;
    /// The largest producer that fits.
    pub const MAX_PRODUCER: u16 = (1 << PRODUCER_BITS) - 1;

    /// The transaction `number` of `producer`; both are cut down to what fits.
    pub fn new(producer: u16, number: u32) -> Self {
        let number = number.min(Self::MAX_NUMBER) + 1;
        let producer = u32::from(producer.min(Self::MAX_PRODUCER));
        Self(NonZeroU32::MIN.saturating_add((number << PRODUCER_BITS | producer) - 1))
    }

    /// Whose it is.
    pub fn producer(self) -> u16 {
        (self.0.get() & u32::from(Self::MAX_PRODUCER)) as u16
    }

    /// Its number among its producer's transactions.
    pub fn number(self) -> u32 {
        (self.0.get() >> PRODUCER_BITS) - 1
    }
}

impl fmt::Debug for TransactionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.producer(), self.number())
    }
}

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Outcome {
    /// Its records count.
    Commit,
    /// Its records do not.
    Abort,
}

/// An entry of the log, in two words.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Entry {
    /// The record, or one of the two control records.
    payload: u32,
    transaction: Option<TransactionId>,
}

const COMMIT_MARKER: u32 = u32::MAX;
const ABORT_MARKER: u32 = u32::MAX - 1;

impl Entry {
    fn marker(self) -> Option<Outcome> {
        match self.payload {
            COMMIT_MARKER => Some(Outcome::Commit),
            ABORT_MARKER => Some(Outcome::Abort),
            _ => None,
        }
    }
}

/// What an entry is, and what has become of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryView {
    /// A record outside any transaction.
    Plain(RecordId),
    /// A record in a transaction, and how that ended, if it did.
    Transactional(RecordId, TransactionId, Option<Outcome>),
    /// A control record.
    Control(TransactionId, Outcome),
}

/// A partition's log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PartitionLog {
    entries: SmallVec<[Entry; 4]>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.marker(), self.transaction) {
            (Some(outcome), Some(transaction)) => write!(f, "{outcome:?} {transaction:?}"),
            (_, Some(transaction)) => write!(f, "{} in {transaction:?}", self.payload),
            _ => write!(f, "{}", self.payload),
        }
    }
}

/// How the transactions met so far, reading from the end, have ended.
type Fates = SmallVec<[(TransactionId, Outcome); 8]>;

impl PartitionLog {
    /// Appends a record, in a transaction or outside any.
    pub fn append(&mut self, record: RecordId, transaction: Option<TransactionId>) -> Offset {
        let offset = self.end();
        self.entries.push(Entry {
            payload: record.0.min(ABORT_MARKER - 1),
            transaction,
        });
        offset
    }

    /// Ends a transaction with a control record, if it has written here and is still open.
    /// Returns how many records it holds.
    pub fn end_transaction(&mut self, transaction: TransactionId, outcome: Outcome) -> Option<u32> {
        let records = self.open_records(transaction);
        if records == 0 {
            return None;
        }
        self.entries.push(Entry {
            payload: match outcome {
                Outcome::Commit => COMMIT_MARKER,
                Outcome::Abort => ABORT_MARKER,
            },
            transaction: Some(transaction),
        });
        Some(records)
    }

    /// How many records an open transaction has written here.
    pub fn open_records(&self, transaction: TransactionId) -> u32 {
        let open = self
            .entries
            .iter()
            .rev()
            .filter(|entry| entry.transaction == Some(transaction))
            .take_while(|entry| entry.marker().is_none());
        open.count() as u32
    }

    /// Every open transaction that has written here, in the order of their ids.
    pub fn open_transactions(&self) -> SmallVec<[TransactionId; 4]> {
        let mut open = SmallVec::new();
        self.scan(|_, view| {
            if let EntryView::Transactional(_, transaction, None) = view
                && !open.contains(&transaction)
            {
                open.push(transaction);
            }
        });
        open.sort_unstable();
        open
    }

    /// The offset at which the next entry will stand.
    pub fn end(&self) -> Offset {
        Offset(self.entries.len() as u32)
    }

    /// The last stable offset: below it, every transaction has been decided.
    pub fn last_stable_offset(&self) -> Offset {
        let mut stable = self.end();
        self.scan(|offset, view| {
            if let EntryView::Transactional(_, _, None) = view {
                stable = offset;
            }
        });
        stable
    }

    /// Calls `visit` with every record that a reader of this isolation level sees, in no certain order.
    pub fn read(&self, isolation: IsolationLevel, mut visit: impl FnMut(RecordId)) {
        let stable = match isolation {
            IsolationLevel::ReadUncommitted => self.end(),
            IsolationLevel::ReadCommitted => self.last_stable_offset(),
        };
        self.scan(|offset, view| match (view, isolation) {
            (EntryView::Transactional(record, ..), IsolationLevel::ReadUncommitted) => {
                visit(record);
            }
            (
                EntryView::Plain(record)
                | EntryView::Transactional(record, _, Some(Outcome::Commit)),
                _,
            ) if offset < stable => visit(record),
            _ => {}
        });
    }

    /// Calls `visit` with every entry, the last one first: only from the end can one know how each
    /// transaction ended.
    pub fn scan(&self, mut visit: impl FnMut(Offset, EntryView)) {
        let mut fates = Fates::new();
        for (at, entry) in self.entries.iter().enumerate().rev() {
            let view = match (entry.marker(), entry.transaction) {
                (Some(outcome), Some(transaction)) => {
                    fates.push((transaction, outcome));
                    EntryView::Control(transaction, outcome)
                }
                (_, Some(transaction)) => {
                    // The nearest control record behind the entry decides: a transaction's number may
                    // be used again after it was aborted.
                    let fate = fates.iter().rev().find(|(id, _)| *id == transaction);
                    EntryView::Transactional(
                        RecordId(entry.payload),
                        transaction,
                        fate.map(|(_, outcome)| *outcome),
                    )
                }
                (_, None) => EntryView::Plain(RecordId(entry.payload)),
            };
            visit(Offset(at as u32), view);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn read(log: &PartitionLog, isolation: IsolationLevel) -> Vec<u32> {
        let mut records = Vec::new();
        log.read(isolation, |record| records.push(record.0));
        records.sort_unstable();
        records
    }

    #[test]
    fn ids_keep_what_was_put_in() {
        for (producer, number) in [(0, 0), (1, 0), (4095, 1_048_574), (17, 3)] {
            let id = TransactionId::new(producer, number);
            assert_eq!((id.producer(), id.number()), (producer, number));
        }
    }

    #[test]
    fn a_decided_transaction_is_hidden_behind_an_older_open_one() {
        let (old, young) = (TransactionId::new(0, 1), TransactionId::new(1, 1));
        let mut log = PartitionLog::default();
        log.append(RecordId(0), None);
        log.append(RecordId(1), Some(old));
        log.append(RecordId(2), Some(young));
        assert_eq!(log.end_transaction(young, Outcome::Commit), Some(1));
        assert_eq!(log.last_stable_offset(), Offset(1));
        assert_eq!(read(&log, IsolationLevel::ReadCommitted), [0]);
        assert_eq!(read(&log, IsolationLevel::ReadUncommitted), [0, 1, 2]);
        assert_eq!(log.end_transaction(old, Outcome::Abort), Some(1));
        assert_eq!(read(&log, IsolationLevel::ReadCommitted), [0, 2]);
        assert_eq!(log.end(), Offset(5), "control records occupy an offset");
        assert_eq!(log.last_stable_offset(), Offset(5));
    }

    #[test]
    fn a_number_that_is_used_again_names_another_transaction() {
        let id = TransactionId::new(0, 2);
        let mut log = PartitionLog::default();
        log.append(RecordId(5), Some(id));
        log.end_transaction(id, Outcome::Abort);
        log.append(RecordId(5), Some(id));
        assert_eq!(log.open_transactions().as_slice(), [id]);
        assert_eq!(log.end_transaction(id, Outcome::Commit), Some(1));
        assert_eq!(
            log.end_transaction(id, Outcome::Commit),
            None,
            "nothing is open"
        );
        assert_eq!(read(&log, IsolationLevel::ReadCommitted), [5]);
    }
}
