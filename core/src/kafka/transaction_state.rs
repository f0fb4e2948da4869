//! What is known of one `transactional.id`, and how it changes: one transition at a time.
//!
//! Source: Kafka's `TransactionMetadata` and `TransactionStateManager.appendTransactionToLog`. A
//! transition is prepared, then written to `__transaction_state`, and holds when that is replicated.
//! Until then no other may begin.
//!
//! The transitions are those up to 4.0.0-SNAPSHOT of October 2024. Later versions let a client of
//! transaction version 2 abort before it has added a partition (`PrepareAbort` after `Empty` or
//! `Complete*`); here that is `INVALID_TXN_STATE`, as before.

use core::fmt;

use smallvec::SmallVec;

use super::batch::{ProducerEpoch, ProducerId};
use super::log::Outcome;
use crate::id::PartitionId;
use crate::time::Millis;

/// Where a transactional id is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub enum TransactionState {
    /// There is no transaction.
    Empty,
    /// A partition has been added.
    Ongoing,
    /// It is decided: commit. Markers are being written.
    PrepareCommit,
    /// It is decided: abort. Markers are being written.
    PrepareAbort,
    /// Every commit marker has been written.
    CompleteCommit,
    /// Every abort marker has been written.
    CompleteAbort,
    /// The transactional id has expired.
    Dead,
    /// The epoch is being bumped to keep the producer out. It is only ever pending, never logged.
    PrepareEpochFence,
}

impl TransactionState {
    /// All of them, in the order of Kafka's numbers.
    pub const ALL: [Self; 8] = [
        Self::Empty,
        Self::Ongoing,
        Self::PrepareCommit,
        Self::PrepareAbort,
        Self::CompleteCommit,
        Self::CompleteAbort,
        Self::Dead,
        Self::PrepareEpochFence,
    ];

    /// Whether it may come after `before` (`validPreviousStates`).
    pub fn follows(self, before: Self) -> bool {
        use TransactionState::{
            CompleteAbort, CompleteCommit, Dead, Empty, Ongoing, PrepareAbort, PrepareCommit,
            PrepareEpochFence,
        };
        match self {
            Empty | Dead => matches!(before, Empty | CompleteCommit | CompleteAbort),
            Ongoing => matches!(before, Ongoing | Empty | CompleteCommit | CompleteAbort),
            PrepareCommit | PrepareEpochFence => before == Ongoing,
            PrepareAbort => matches!(before, Ongoing | PrepareEpochFence),
            CompleteCommit => before == PrepareCommit,
            CompleteAbort => before == PrepareAbort,
        }
    }

    /// What has been decided, while markers are being written.
    pub fn decision(self) -> Option<Outcome> {
        match self {
            Self::PrepareCommit => Some(Outcome::Commit),
            Self::PrepareAbort => Some(Outcome::Abort),
            _ => None,
        }
    }
}

impl fmt::Display for TransactionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A consumer group, whose offsets are a partition of `__consumer_offsets`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u16);

/// What takes part in a transaction, and gets a marker at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Participant {
    /// A partition that is written to.
    Partition(PartitionId),
    /// The offsets of a group.
    Offsets(GroupId),
}

/// Participants, in order, each once.
pub type Participants = SmallVec<[Participant; 3]>;

/// What the log holds of a transactional id (`TransactionLogValue`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Metadata {
    /// Where it is.
    pub state: TransactionState,
    /// The producer id.
    pub producer: ProducerId,
    /// The producer id before the last transition.
    pub previous: Option<ProducerId>,
    /// The producer id with which the client goes on when this transaction is complete, if its epochs
    /// are exhausted.
    pub next: Option<ProducerId>,
    /// The epoch; none before the first transition.
    pub epoch: Option<ProducerEpoch>,
    /// The epoch that the same client had before, so that it may ask again. None where another client
    /// has taken over.
    pub last_epoch: Option<ProducerEpoch>,
    /// `transaction.timeout.ms`; none for one that never times out (KIP-939).
    pub timeout: Option<Millis>,
    /// What takes part.
    pub participants: Participants,
}

impl Metadata {
    /// When all markers have been written.
    fn completed(&self, decision: Outcome) -> Self {
        let state = match decision {
            Outcome::Commit => TransactionState::CompleteCommit,
            Outcome::Abort => TransactionState::CompleteAbort,
        };
        let (producer, epoch) = match self.next {
            Some(next) => (next, Some(ProducerEpoch::FIRST)),
            None => (self.producer, self.epoch),
        };
        Self {
            state,
            producer,
            previous: Some(self.producer),
            next: None,
            epoch,
            participants: Participants::new(),
            ..*self
        }
    }
}

/// Why a transition cannot be prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransitionError {
    /// Another one is pending.
    Pending(TransactionState),
    /// There is no such transition.
    Illegal {
        /// Where it is.
        from: TransactionState,
        /// Where it was to go.
        to: TransactionState,
    },
}

impl fmt::Display for TransitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pending(to) => write!(f, "a transition to {to} is pending"),
            Self::Illegal { from, to } => write!(f, "there is no transition from {from} to {to}"),
        }
    }
}

impl core::error::Error for TransitionError {}

/// The transition under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Pending {
    None,
    Fence,
    Log(Metadata),
}

/// One transactional id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transaction {
    /// What holds: what the log says.
    current: Metadata,
    pending: Pending,
    /// The epoch to which a fence has bumped it, before that is logged: the older one is kept out at
    /// once. It stays if logging fails, and is not bumped again (`hasFailedEpochFence`).
    fence: Option<ProducerEpoch>,
    /// What has still to get a marker.
    unmarked: Participants,
}

impl Transaction {
    /// A transactional id that comes for the first time, and will have this producer id.
    pub fn new(producer: ProducerId, timeout: Option<Millis>) -> Self {
        Self {
            current: Metadata {
                state: TransactionState::Empty,
                producer,
                previous: None,
                next: None,
                epoch: None,
                last_epoch: None,
                timeout,
                participants: Participants::new(),
            },
            pending: Pending::None,
            fence: None,
            unmarked: Participants::new(),
        }
    }

    /// Begins a transition to `change`. It holds when [`logged`](Self::logged) is called; a fence holds
    /// at once, and only an abort may come after it.
    pub fn prepare(&mut self, mut change: Metadata) -> Result<(), TransitionError> {
        let from = match &self.pending {
            Pending::None => self.current.state,
            Pending::Fence => TransactionState::PrepareEpochFence,
            Pending::Log(other) => return Err(TransitionError::Pending(other.state)),
        };
        let to = change.state;
        if !to.follows(from) {
            return Err(TransitionError::Illegal { from, to });
        }
        self.pending = if to == TransactionState::PrepareEpochFence {
            self.fence = change.epoch;
            Pending::Fence
        } else {
            change.previous = Some(self.current.producer);
            Pending::Log(change)
        };
        Ok(())
    }

    /// Whether the pending transition may be written to the log: completion waits for the markers.
    pub fn may_log(&self) -> bool {
        matches!(self.pending, Pending::Log(_)) && self.unmarked.is_empty()
    }

    /// The pending transition is in the log, and replicated: it holds. A decision is followed by its
    /// completion, which waits for the markers. Returns where it is now; none if nothing could be
    /// logged.
    pub fn logged(&mut self) -> Option<TransactionState> {
        if !self.may_log() {
            return None;
        }
        let Pending::Log(change) = core::mem::replace(&mut self.pending, Pending::None) else {
            return None;
        };
        self.current = change;
        self.fence = None;
        self.complete_next();
        Some(self.current.state)
    }

    /// The pending transition could not be written: it is given up. A decision that is logged is not.
    pub fn failed(&mut self) {
        if self.current.state.decision().is_none() {
            self.pending = Pending::None;
        }
    }

    /// Another coordinator has read the log: it knows what was logged. A decided transaction is
    /// completed, every marker once more.
    pub fn recover(&mut self) {
        self.pending = Pending::None;
        self.fence = None;
        self.unmarked.clear();
        self.complete_next();
    }

    /// A participant has got its marker, replicated. False if it needed none.
    pub fn marked(&mut self, participant: Participant) -> bool {
        let before = self.unmarked.len();
        self.unmarked.retain(|other| *other != participant);
        self.unmarked.len() < before
    }

    fn complete_next(&mut self) {
        if let Some(decision) = self.current.state.decision() {
            self.unmarked = self.current.participants.clone();
            self.pending = Pending::Log(self.current.completed(decision));
        }
    }

    /// What the log says.
    pub fn current(&self) -> &Metadata {
        &self.current
    }

    /// Where it is.
    pub fn state(&self) -> TransactionState {
        self.current.state
    }

    /// Where the pending transition leads.
    pub fn pending(&self) -> Option<TransactionState> {
        match &self.pending {
            Pending::None => None,
            Pending::Fence => Some(TransactionState::PrepareEpochFence),
            Pending::Log(change) => Some(change.state),
        }
    }

    /// What will hold when the pending transition is logged.
    pub fn change(&self) -> Option<&Metadata> {
        match &self.pending {
            Pending::Log(change) => Some(change),
            _ => None,
        }
    }

    /// The epoch against which requests are checked; none before the first transition.
    pub fn epoch(&self) -> Option<ProducerEpoch> {
        self.fence.or(self.current.epoch)
    }

    /// Whether a fence has bumped the epoch, but is not in the log.
    pub fn is_fenced(&self) -> bool {
        self.fence.is_some()
    }

    /// What has still to get a marker.
    pub fn unmarked(&self) -> &[Participant] {
        &self.unmarked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TransactionState::*;

    const PARTITION: Participant = Participant::Partition(PartitionId(3));

    fn change(transaction: &Transaction, state: TransactionState) -> Metadata {
        Metadata {
            state,
            ..transaction.current().clone()
        }
    }

    fn ongoing() -> Transaction {
        let mut transaction = Transaction::new(ProducerId(1), None);
        let mut begun = change(&transaction, Ongoing);
        begun.epoch = Some(ProducerEpoch(4));
        begun.participants.push(PARTITION);
        assert_eq!(transaction.prepare(begun), Ok(()));
        assert_eq!(transaction.state(), Empty, "not logged yet");
        assert_eq!(transaction.logged(), Some(Ongoing));
        transaction
    }

    #[test]
    fn one_transition_at_a_time() {
        let mut transaction = ongoing();
        let abort = change(&transaction, PrepareAbort);
        assert_eq!(transaction.prepare(abort.clone()), Ok(()));
        assert_eq!(
            transaction.prepare(abort),
            Err(TransitionError::Pending(PrepareAbort))
        );
        transaction.failed();
        assert_eq!(
            (transaction.state(), transaction.pending()),
            (Ongoing, None)
        );
    }

    #[test]
    fn a_decision_is_complete_when_every_marker_is_written() {
        let mut transaction = ongoing();
        let commit = change(&transaction, PrepareCommit);
        assert_eq!(transaction.prepare(commit), Ok(()));
        assert_eq!(transaction.logged(), Some(PrepareCommit));
        assert_eq!(transaction.pending(), Some(CompleteCommit));
        assert_eq!(transaction.logged(), None, "a marker is missing");
        transaction.failed();
        assert_eq!(transaction.pending(), Some(CompleteCommit), "decided");
        assert!(transaction.marked(PARTITION));
        assert!(!transaction.marked(PARTITION));
        transaction.recover();
        assert_eq!(transaction.unmarked(), [PARTITION], "every one once more");
        assert!(transaction.marked(PARTITION));
        assert_eq!(transaction.logged(), Some(CompleteCommit));
        assert!(transaction.current().participants.is_empty());
    }

    #[test]
    fn a_fence_holds_before_it_is_logged_and_only_an_abort_follows() {
        let mut transaction = ongoing();
        let mut fence = change(&transaction, PrepareEpochFence);
        fence.epoch = Some(ProducerEpoch(5));
        assert_eq!(transaction.prepare(fence), Ok(()));
        assert_eq!(transaction.epoch(), Some(ProducerEpoch(5)));
        assert_eq!(transaction.logged(), None, "it is never logged");
        let commit = change(&transaction, PrepareCommit);
        assert!(transaction.prepare(commit).is_err());
        let abort = change(&transaction, PrepareAbort);
        assert_eq!(transaction.prepare(abort), Ok(()));
        transaction.recover();
        assert_eq!(transaction.epoch(), Some(ProducerEpoch(4)), "never logged");
    }
}
