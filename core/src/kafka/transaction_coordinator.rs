//! The transaction coordinator: what it answers to each request.
//!
//! Sources: Kafka's `TransactionCoordinator`; KIP-98, KIP-360 (a producer goes on after an error),
//! KIP-890 (an epoch for every transaction), KIP-939 (transactions that never time out). A decision is
//! made when it is in the log of the coordinator; the markers only carry it to the partitions.
//!
//! Of KIP-939 only the flag is here: to keep a prepared transaction across `InitProducerId` is not in
//! a release yet. An `InitProducerId` without a transactional id needs no coordinator:
//! [`new_producer`](TransactionCoordinator::new_producer).

use smallvec::SmallVec;

use super::batch::{CoordinatorEpoch, Marker, ProducerEpoch, ProducerId};
use super::error::TransactionError;
use super::log::Outcome;
use super::transaction_state::{
    Metadata, Participant, Participants, Transaction, TransactionState,
};
use crate::time::Millis;

/// A `transactional.id`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactionalId(pub u32);

/// The feature `transaction.version`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TransactionVersion {
    /// 0 and 1: a producer keeps its epoch from one transaction to the next.
    One,
    /// 2: every end of a transaction bumps the epoch (KIP-890, 4.0).
    #[default]
    Two,
}

/// The coordinator's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoordinatorOptions {
    /// `transaction.max.timeout.ms`
    pub max_timeout: Millis,
    /// `transaction.two.phase.commit.enable` of the broker
    pub two_phase_commit: bool,
    /// `transaction.version`
    pub version: TransactionVersion,
}

impl Default for CoordinatorOptions {
    fn default() -> Self {
        Self {
            max_timeout: Millis(15 * 60 * 1_000),
            two_phase_commit: false,
            version: TransactionVersion::default(),
        }
    }
}

/// A producer session: what a request names, and what a client goes on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Session {
    /// The producer id.
    pub producer: ProducerId,
    /// Its epoch.
    pub epoch: ProducerEpoch,
}

/// The request `InitProducerId` with a transactional id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InitProducerId {
    /// `transaction.timeout.ms`
    pub timeout: Millis,
    /// `transaction.two.phase.commit.enable` of the client: the transactions never time out.
    pub two_phase_commit: bool,
    /// The session the client has, if it goes on after an error (KIP-360).
    pub expected: Option<Session>,
}

/// What comes of a request that is not refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Success, at once; nothing changes.
    Now(Session),
    /// A transition is pending: success when it is logged.
    WhenLogged,
    /// The transaction that was open is being aborted: `CONCURRENT_TRANSACTIONS` when that is logged,
    /// so that the client asks again.
    Fencing,
}

/// What holds since a transition was logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Logged {
    /// Where the transactional id is.
    pub state: TransactionState,
    /// What the client goes on with. After the end of a transaction of version 2 that is a new epoch.
    pub session: Session,
}

/// The coordinator of some transactional ids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TransactionCoordinator {
    epoch: CoordinatorEpoch,
    /// The next producer id to be given out.
    next: ProducerId,
    /// In the order of their ids.
    transactions: SmallVec<[(TransactionalId, Transaction); 1]>,
}

impl TransactionCoordinator {
    /// Gives out a producer id that nobody has.
    pub fn new_producer(&mut self) -> ProducerId {
        let given = self.next;
        self.next.0 = self.next.0.saturating_add(1);
        given
    }

    /// `InitProducerId`: a client begins, or goes on after an error. Whoever had the transactional id
    /// before is fenced.
    pub fn init_producer_id(
        &mut self,
        options: &CoordinatorOptions,
        id: TransactionalId,
        request: &InitProducerId,
    ) -> Result<Answer, TransactionError> {
        let timeout = match request.two_phase_commit {
            true if !options.two_phase_commit => {
                return Err(TransactionError::TransactionalIdAuthorizationFailed);
            }
            true => None,
            false if request.timeout > options.max_timeout || request.timeout == Millis(0) => {
                return Err(TransactionError::InvalidTransactionTimeout);
            }
            false => Some(request.timeout),
        };
        let at = self.transactions.partition_point(|(known, _)| *known < id);
        if self
            .transactions
            .get(at)
            .is_none_or(|(known, _)| *known != id)
        {
            let transaction = Transaction::new(self.new_producer(), timeout);
            self.transactions.insert(at, (id, transaction));
        }
        let mut fresh = self.next;
        let transaction = self.find_mut(id)?;
        let answer = transaction.init(options.version, request.expected, timeout, &mut fresh)?;
        self.next = fresh;
        Ok(answer)
    }

    /// `AddPartitionsToTxn` and `AddOffsetsToTxn`: the transaction begins with the first one.
    pub fn add(
        &mut self,
        id: TransactionalId,
        session: Session,
        participants: &[Participant],
    ) -> Result<Answer, TransactionError> {
        self.find_mut(id)?.add(session, participants)
    }

    /// Whether a partition is in the open transaction, before a leader lets the first batch of one in
    /// (`transaction.partition.verification.enable`, KIP-890 part 1).
    pub fn verify(
        &self,
        id: TransactionalId,
        session: Session,
        participant: Participant,
    ) -> Result<(), TransactionError> {
        let transaction = self.get(id);
        let transaction = transaction.ok_or(TransactionError::InvalidProducerIdMapping)?;
        transaction.check(session)?;
        if transaction.state().decision().is_some() {
            return Err(TransactionError::ConcurrentTransactions);
        }
        match transaction.current().participants.contains(&participant) {
            true => Ok(()),
            false => Err(TransactionError::TransactionAbortable),
        }
    }

    /// `EndTxn`, by a client that speaks this transaction version.
    pub fn end(
        &mut self,
        version: TransactionVersion,
        id: TransactionalId,
        session: Session,
        outcome: Outcome,
    ) -> Result<Answer, TransactionError> {
        let mut fresh = self.next;
        let transaction = self.find_mut(id)?;
        let answer = match version {
            TransactionVersion::One => transaction.end(session, outcome),
            TransactionVersion::Two => transaction.end_with_bump(session, outcome, &mut fresh),
        }?;
        self.next = fresh;
        Ok(answer)
    }

    /// Whether a transaction may time out: it is open, nothing is pending, and it has a timeout.
    pub fn may_time_out(&self, id: TransactionalId) -> bool {
        self.get(id).is_some_and(|transaction| {
            transaction.state() == TransactionState::Ongoing
                && transaction.pending().is_none()
                && transaction.current().timeout.is_some()
        })
    }

    /// The scan (`abortTimedOutTransactions`, every 10 s) finds that more than the timeout has passed
    /// since the first partition was added: the transaction is aborted and its producer fenced. False
    /// if it may not time out.
    pub fn time_out(&mut self, options: &CoordinatorOptions, id: TransactionalId) -> bool {
        if !self.may_time_out(id) {
            return false;
        }
        let fenced = self
            .find_mut(id)
            .and_then(|transaction| transaction.abort_and_fence(options.version));
        fenced.is_ok()
    }

    /// `transactional.id.expiration.ms` has passed: the id is forgotten when that is logged. False if
    /// a transaction is open or being ended.
    pub fn expire(&mut self, id: TransactionalId) -> bool {
        self.find_mut(id).is_ok_and(|transaction| {
            let dead = Metadata {
                state: TransactionState::Dead,
                participants: Participants::new(),
                ..transaction.current().clone()
            };
            transaction.prepare(dead).is_ok()
        })
    }

    /// The pending transition of this id is in the log, and replicated. None if nothing could be
    /// logged.
    pub fn logged(&mut self, id: TransactionalId) -> Option<Logged> {
        let transaction = self.find_mut(id).ok()?;
        let state = transaction.logged()?;
        let goes_on = transaction.change().unwrap_or(transaction.current());
        let session = Session {
            producer: goes_on.producer,
            epoch: goes_on.epoch.unwrap_or_default(),
        };
        if state == TransactionState::Dead {
            self.transactions.retain(|(known, _)| *known != id);
        }
        Some(Logged { state, session })
    }

    /// The pending transition of this id could not be written to the log.
    pub fn failed(&mut self, id: TransactionalId) {
        if let Ok(transaction) = self.find_mut(id) {
            transaction.failed();
        }
    }

    /// The marker that the participants of a decided transaction get (`WriteTxnMarkers`). They are
    /// those in [`Transaction::unmarked`]; it is sent until each has taken it.
    pub fn marker(&self, id: TransactionalId) -> Option<Marker> {
        let current = self.get(id)?.current();
        Some(Marker {
            producer: current.producer,
            epoch: current.epoch?,
            coordinator: self.epoch,
            outcome: current.state.decision()?,
        })
    }

    /// A participant has taken the marker. False if it needed none.
    pub fn marked(&mut self, id: TransactionalId, participant: Participant) -> bool {
        self.find_mut(id)
            .is_ok_and(|transaction| transaction.marked(participant))
    }

    /// Another broker takes over, with what the log holds.
    pub fn recover(&mut self) {
        self.epoch.0 = self.epoch.0.saturating_add(1);
        for (_, transaction) in &mut self.transactions {
            transaction.recover();
        }
    }

    /// Its term: how often another broker has taken over.
    pub fn term(&self) -> u32 {
        self.epoch.0
    }

    /// What is known of a transactional id.
    pub fn get(&self, id: TransactionalId) -> Option<&Transaction> {
        let at = self.place(id)?;
        Some(&self.transactions.get(at)?.1)
    }

    /// The transactional ids that it knows, the smallest first.
    pub fn ids(&self) -> impl Iterator<Item = TransactionalId> + '_ {
        self.transactions.iter().map(|(id, _)| *id)
    }

    /// Those of them under which something is open, or is being logged or ended: the others wait for a request.
    pub fn active(&self) -> impl Iterator<Item = TransactionalId> + '_ {
        let active = self.transactions.iter().filter(|(_, transaction)| {
            transaction.pending().is_some()
                || matches!(
                    transaction.state(),
                    TransactionState::Ongoing
                        | TransactionState::PrepareCommit
                        | TransactionState::PrepareAbort
                )
        });
        active.map(|(id, _)| *id)
    }

    fn place(&self, id: TransactionalId) -> Option<usize> {
        let known = &self.transactions;
        known.binary_search_by_key(&id, |(known, _)| *known).ok()
    }

    fn find_mut(&mut self, id: TransactionalId) -> Result<&mut Transaction, TransactionError> {
        let at = self.place(id);
        let found = at.and_then(|at| self.transactions.get_mut(at));
        let (_, transaction) = found.ok_or(TransactionError::InvalidProducerIdMapping)?;
        Ok(transaction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::PartitionId;

    const ID: TransactionalId = TransactionalId(4);
    const ONE: Participant = Participant::Partition(PartitionId(1));
    const TWO: Participant = Participant::Partition(PartitionId(2));

    /// A coordinator, and a session that has just begun a transaction on a partition.
    fn begun(
        options: &CoordinatorOptions,
        two_phase_commit: bool,
    ) -> (TransactionCoordinator, Session) {
        let mut coordinator = TransactionCoordinator::default();
        let request = InitProducerId {
            timeout: Millis(60_000),
            two_phase_commit,
            expected: None,
        };
        let init = coordinator.init_producer_id(options, ID, &request);
        assert_eq!(init, Ok(Answer::WhenLogged));
        let session = coordinator.logged(ID).expect("it is pending").session;
        assert_eq!(coordinator.add(ID, session, &[ONE]), Ok(Answer::WhenLogged));
        coordinator.logged(ID);
        (coordinator, session)
    }

    #[test]
    fn success_is_told_when_the_decision_is_logged_and_markers_follow() {
        let options = CoordinatorOptions::default();
        let (mut coordinator, session) = begun(&options, false);
        let commit = coordinator.end(TransactionVersion::One, ID, session, Outcome::Commit);
        assert_eq!(commit, Ok(Answer::WhenLogged));
        assert_eq!(coordinator.marker(ID), None, "not decided yet");
        let logged = coordinator.logged(ID).expect("it is pending");
        assert_eq!(logged.state, TransactionState::PrepareCommit);
        assert_eq!(logged.session, session);
        let marker = coordinator.marker(ID).expect("it is decided");
        assert_eq!(
            (marker.epoch, marker.outcome),
            (session.epoch, Outcome::Commit)
        );
        assert_eq!(coordinator.logged(ID), None, "a marker is missing");
        assert!(coordinator.marked(ID, ONE));
        let logged = coordinator.logged(ID).expect("it is pending");
        assert_eq!(logged.state, TransactionState::CompleteCommit);
    }

    #[test]
    fn only_an_open_transaction_times_out_and_its_producer_is_fenced() {
        let options = CoordinatorOptions {
            version: TransactionVersion::One,
            ..CoordinatorOptions::default()
        };
        let (mut coordinator, session) = begun(&options, false);
        let decided = {
            let mut coordinator = coordinator.clone();
            let commit = coordinator.end(options.version, ID, session, Outcome::Commit);
            assert_eq!(commit, Ok(Answer::WhenLogged));
            assert!(!coordinator.time_out(&options, ID), "something is pending");
            coordinator.logged(ID);
            coordinator
        };
        assert!(!decided.may_time_out(ID), "it is decided");
        assert!(coordinator.time_out(&options, ID));
        let late = coordinator.end(options.version, ID, session, Outcome::Commit);
        assert_eq!(late, Err(TransactionError::ProducerFenced));
        coordinator.logged(ID);
        let marker = coordinator.marker(ID).expect("it is decided");
        assert_eq!(marker.epoch, session.epoch.bumped());
        assert_eq!(marker.outcome, Outcome::Abort);
    }

    #[test]
    fn a_transaction_in_a_two_phase_commit_never_times_out() {
        let mut options = CoordinatorOptions::default();
        let request = InitProducerId {
            timeout: Millis(1),
            two_phase_commit: true,
            expected: None,
        };
        let refused = TransactionCoordinator::default().init_producer_id(&options, ID, &request);
        assert_eq!(
            refused,
            Err(TransactionError::TransactionalIdAuthorizationFailed)
        );
        options.two_phase_commit = true;
        let (coordinator, _) = begun(&options, true);
        assert!(!coordinator.may_time_out(ID));
        assert!(begun(&options, false).0.may_time_out(ID));
    }

    #[test]
    fn the_next_coordinator_finishes_what_was_decided_and_forgets_what_was_not() {
        let options = CoordinatorOptions::default();
        let (mut coordinator, session) = begun(&options, false);
        let commit = |coordinator: &mut TransactionCoordinator| {
            coordinator.end(TransactionVersion::Two, ID, session, Outcome::Commit)
        };
        assert_eq!(commit(&mut coordinator), Ok(Answer::WhenLogged));
        coordinator.recover();
        assert_eq!(coordinator.marker(ID), None, "it was never logged");
        assert_eq!(commit(&mut coordinator), Ok(Answer::WhenLogged));
        coordinator.logged(ID);
        coordinator.marked(ID, ONE);
        coordinator.recover();
        let marker = coordinator.marker(ID).expect("it is decided");
        assert_eq!(marker.coordinator, CoordinatorEpoch(2));
        assert!(coordinator.marked(ID, ONE), "once more");
        assert!(coordinator.logged(ID).is_some());
    }

    #[test]
    fn a_partition_is_verified_only_in_the_open_transaction() {
        let (mut coordinator, session) = begun(&CoordinatorOptions::default(), false);
        assert_eq!(coordinator.verify(ID, session, ONE), Ok(()));
        let other = coordinator.verify(ID, session, TWO);
        assert_eq!(other, Err(TransactionError::TransactionAbortable));
        let abort = coordinator.end(TransactionVersion::One, ID, session, Outcome::Abort);
        assert_eq!(abort, Ok(Answer::WhenLogged));
        coordinator.logged(ID);
        let late = coordinator.verify(ID, session, ONE);
        assert_eq!(late, Err(TransactionError::ConcurrentTransactions));
        coordinator.marked(ID, ONE);
        coordinator.logged(ID);
        let late = coordinator.verify(ID, session, ONE);
        assert_eq!(late, Err(TransactionError::TransactionAbortable));
    }

    #[test]
    fn an_id_expires_when_nothing_is_open() {
        let (mut coordinator, session) = begun(&CoordinatorOptions::default(), false);
        assert!(!coordinator.expire(ID));
        assert!(coordinator.time_out(&CoordinatorOptions::default(), ID));
        coordinator.logged(ID);
        coordinator.marked(ID, ONE);
        coordinator.logged(ID);
        assert!(coordinator.expire(ID));
        coordinator.logged(ID);
        assert_eq!(coordinator.get(ID), None);
        let late = coordinator.add(ID, session, &[ONE]);
        assert_eq!(late, Err(TransactionError::InvalidProducerIdMapping));
    }
}
