//! What one transactional id makes of each request: who is let in, who is fenced, what follows.
//!
//! Source: Kafka's `TransactionCoordinator`: `prepareInitProducerIdTransit`,
//! `handleAddPartitionsToTransaction`, `endTransactionWithTV1`, `endTransaction`; the order of the
//! checks is theirs.

use super::batch::{ProducerEpoch, ProducerId};
use super::error::TransactionError;
use super::log::Outcome;
use super::transaction_coordinator::{Answer, Session, TransactionVersion};
use super::transaction_state::{
    Metadata, Participant, Participants, Transaction, TransactionState,
};
use crate::time::Millis;

impl Transaction {
    /// `InitProducerId`. `fresh` is the next producer id to be given out.
    pub(super) fn init(
        &mut self,
        version: TransactionVersion,
        expected: Option<Session>,
        timeout: Option<Millis>,
        fresh: &mut ProducerId,
    ) -> Result<Answer, TransactionError> {
        if self.pending().is_some() {
            return Err(TransactionError::ConcurrentTransactions);
        }
        if !expected.is_none_or(|expected| self.may_be(expected)) {
            return Err(TransactionError::ProducerFenced);
        }
        if self.state() == TransactionState::Ongoing {
            // The epoch of the fence is never handed out: the client asks again and gets the next.
            self.abort_and_fence(version)?;
            return Ok(Answer::Fencing);
        }
        let current = self.current();
        let (producer, epoch, last_epoch) = match (self.epoch(), expected) {
            (None, _) => (current.producer, ProducerEpoch::FIRST, None),
            (Some(epoch), expected)
                if epoch.is_exhausted() && expected.is_none_or(|it| it.epoch == epoch) =>
            {
                let last_epoch = expected.map(|_| epoch);
                (next(fresh), ProducerEpoch::FIRST, last_epoch)
            }
            (Some(epoch), None) => (current.producer, epoch.bumped(), None),
            (Some(epoch), Some(expected)) if expected.epoch == epoch => {
                (current.producer, epoch.bumped(), Some(epoch))
            }
            // It asks again: the answer was lost.
            (Some(epoch), Some(expected)) if Some(expected.epoch) == current.last_epoch => {
                (current.producer, epoch, current.last_epoch)
            }
            _ => return Err(TransactionError::ProducerFenced),
        };
        self.begin(Metadata {
            state: TransactionState::Empty,
            producer,
            epoch: Some(epoch),
            last_epoch,
            timeout,
            participants: Participants::new(),
            ..self.current().clone()
        })
    }

    /// `AddPartitionsToTxn` and `AddOffsetsToTxn`.
    pub(super) fn add(
        &mut self,
        session: Session,
        participants: &[Participant],
    ) -> Result<Answer, TransactionError> {
        self.check(session)?;
        if self.pending().is_some() || self.state().decision().is_some() {
            return Err(TransactionError::ConcurrentTransactions);
        }
        let mut all = self.current().participants.clone();
        all.extend_from_slice(participants);
        all.sort_unstable();
        all.dedup();
        if self.state() == TransactionState::Ongoing && all == self.current().participants {
            return Ok(Answer::Now(session));
        }
        self.begin(Metadata {
            state: TransactionState::Ongoing,
            participants: all,
            ..self.current().clone()
        })
    }

    /// `EndTxn` before transaction version 2: the epoch stays, so that a request which comes late may
    /// end a later transaction.
    pub(super) fn end(
        &mut self,
        session: Session,
        outcome: Outcome,
    ) -> Result<Answer, TransactionError> {
        self.check(session)?;
        if self.pending().is_some() {
            return Err(TransactionError::ConcurrentTransactions);
        }
        match self.state() {
            TransactionState::Ongoing => self.decide(outcome, Bump::None),
            state => self.repeated(state, outcome),
        }
    }

    /// `EndTxn` of transaction version 2: the epoch is bumped. A request that names the epoch before is
    /// one that is made again.
    pub(super) fn end_with_bump(
        &mut self,
        session: Session,
        outcome: Outcome,
        fresh: &mut ProducerId,
    ) -> Result<Answer, TransactionError> {
        let current = self.current();
        let epoch = self.epoch();
        let before_overflow = current.previous == Some(session.producer)
            && session.epoch.0 == ProducerEpoch::MAX.0 - 1
            && epoch == Some(ProducerEpoch::FIRST);
        let before_bump =
            epoch.is_some_and(|epoch| epoch.0.checked_sub(1) == Some(session.epoch.0));
        if session.producer != current.producer && !before_overflow {
            return Err(TransactionError::InvalidProducerIdMapping);
        }
        let again = before_bump || before_overflow;
        let same = epoch == Some(session.epoch);
        let valid = match self.state() {
            TransactionState::PrepareCommit | TransactionState::PrepareAbort => before_bump,
            TransactionState::CompleteCommit | TransactionState::CompleteAbort => again || same,
            _ => same,
        };
        if !valid {
            return Err(TransactionError::ProducerFenced);
        }
        if self.pending().is_some() {
            return Err(TransactionError::ConcurrentTransactions);
        }
        match self.state() {
            TransactionState::Ongoing => {
                let exhausted = epoch.is_some_and(ProducerEpoch::is_exhausted);
                let bump = match exhausted {
                    true => Bump::Rotate(next(fresh)),
                    false => Bump::Epoch,
                };
                self.decide(outcome, bump)
            }
            state if again => self.repeated(state, outcome),
            _ => Err(TransactionError::InvalidTxnState),
        }
    }

    /// Keeps the producer out and aborts its transaction: `InitProducerId` of another client, or the
    /// timeout. In version 2 the end of the transaction bumps the epoch once more.
    pub(super) fn abort_and_fence(
        &mut self,
        version: TransactionVersion,
    ) -> Result<(), TransactionError> {
        // After a fence that could not be logged the epoch is not bumped again: nobody was given it.
        let epoch = match self.is_fenced() {
            true => self.epoch(),
            false => self.epoch().map(ProducerEpoch::bumped),
        };
        self.begin(Metadata {
            state: TransactionState::PrepareEpochFence,
            epoch,
            ..self.current().clone()
        })?;
        let bump = match version {
            TransactionVersion::One => Bump::None,
            TransactionVersion::Two => Bump::Epoch,
        };
        self.decide(Outcome::Abort, bump).map(|_| ())
    }

    /// Whether a request comes from the session that holds.
    pub(super) fn check(&self, session: Session) -> Result<(), TransactionError> {
        if session.producer != self.current().producer {
            return Err(TransactionError::InvalidProducerIdMapping);
        }
        if Some(session.epoch) != self.epoch() {
            return Err(TransactionError::ProducerFenced);
        }
        Ok(())
    }

    /// Whether the session that a client says it has may be one of this transactional id
    /// (`isValidProducerId`); its epoch is looked at later.
    fn may_be(&self, expected: Session) -> bool {
        self.epoch().is_none()
            || expected.producer == self.current().producer
            || (Some(expected.producer) == self.current().previous && expected.epoch.is_exhausted())
    }

    fn decide(&mut self, outcome: Outcome, bump: Bump) -> Result<Answer, TransactionError> {
        let state = match outcome {
            Outcome::Commit => TransactionState::PrepareCommit,
            Outcome::Abort => TransactionState::PrepareAbort,
        };
        let epoch = self.epoch();
        let last_epoch = match self.is_fenced() {
            true => None,
            false => self.current().last_epoch,
        };
        let (epoch, last_epoch, next) = match bump {
            Bump::None => (epoch, last_epoch, None),
            Bump::Epoch => (epoch.map(ProducerEpoch::bumped), epoch, None),
            Bump::Rotate(next) => (epoch.map(ProducerEpoch::bumped), epoch, Some(next)),
        };
        self.begin(Metadata {
            state,
            epoch,
            last_epoch,
            next,
            ..self.current().clone()
        })
    }

    /// The end of a transaction that is not open: the same once more, or something else.
    fn repeated(
        &self,
        state: TransactionState,
        outcome: Outcome,
    ) -> Result<Answer, TransactionError> {
        match (state, outcome) {
            (TransactionState::CompleteCommit, Outcome::Commit)
            | (TransactionState::CompleteAbort, Outcome::Abort) => Ok(Answer::Now(Session {
                producer: self.current().producer,
                epoch: self.epoch().unwrap_or_default(),
            })),
            (TransactionState::PrepareCommit, Outcome::Commit)
            | (TransactionState::PrepareAbort, Outcome::Abort) => {
                Err(TransactionError::ConcurrentTransactions)
            }
            _ => Err(TransactionError::InvalidTxnState),
        }
    }

    fn begin(&mut self, change: Metadata) -> Result<Answer, TransactionError> {
        match self.prepare(change) {
            Ok(()) => Ok(Answer::WhenLogged),
            Err(_) => Err(TransactionError::ConcurrentTransactions),
        }
    }
}

/// What the end of a transaction does to the producer's epoch.
#[derive(Clone, Copy)]
enum Bump {
    None,
    Epoch,
    /// It is bumped to the largest one, and the client goes on with this producer id.
    Rotate(ProducerId),
}

fn next(fresh: &mut ProducerId) -> ProducerId {
    let given = *fresh;
    fresh.0 = fresh.0.saturating_add(1);
    given
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::PartitionId;

    const PARTITION: Participant = Participant::Partition(PartitionId(1));
    const V1: TransactionVersion = TransactionVersion::One;
    const V2: TransactionVersion = TransactionVersion::Two;
    const COMMIT: Outcome = Outcome::Commit;
    const ABORT: Outcome = Outcome::Abort;
    const WHEN_LOGGED: Result<Answer, TransactionError> = Ok(Answer::WhenLogged);
    const CONCURRENT: Result<Answer, TransactionError> =
        Err(TransactionError::ConcurrentTransactions);
    const FENCED: Result<Answer, TransactionError> = Err(TransactionError::ProducerFenced);
    const INVALID: Result<Answer, TransactionError> = Err(TransactionError::InvalidTxnState);

    fn session(producer: u32, epoch: u16) -> Session {
        Session {
            producer: ProducerId(producer),
            epoch: ProducerEpoch(epoch),
        }
    }

    fn holds(transaction: &Transaction) -> Session {
        Session {
            producer: transaction.current().producer,
            epoch: transaction.epoch().expect("it has begun"),
        }
    }

    /// Producer 0, of this epoch, without a transaction. The next producer id is 1.
    fn empty(epoch: u16) -> (Transaction, ProducerId) {
        let mut transaction = Transaction::new(ProducerId(0), Some(Millis(60_000)));
        let mut change = transaction.current().clone();
        change.epoch = Some(ProducerEpoch(epoch));
        assert_eq!(transaction.prepare(change), Ok(()));
        transaction.logged();
        (transaction, ProducerId(1))
    }

    fn ongoing(epoch: u16) -> (Transaction, ProducerId) {
        let (mut transaction, fresh) = empty(epoch);
        let added = transaction.add(session(0, epoch), &[PARTITION]);
        assert_eq!(added, WHEN_LOGGED);
        transaction.logged();
        (transaction, fresh)
    }

    fn finish(transaction: &mut Transaction) {
        transaction.logged();
        transaction.marked(PARTITION);
        transaction.logged();
    }

    fn init(
        transaction: &mut Transaction,
        expected: Option<Session>,
        fresh: &mut ProducerId,
    ) -> Result<Answer, TransactionError> {
        let answer = transaction.init(V1, expected, Some(Millis(60_000)), fresh);
        if answer == WHEN_LOGGED {
            transaction.logged();
        }
        answer
    }

    #[test]
    fn a_new_client_fences_the_old_one_and_bumps_the_epoch_twice() {
        let (mut transaction, mut fresh) = ongoing(0);
        let answer = init(&mut transaction, None, &mut fresh);
        assert_eq!(answer, Ok(Answer::Fencing));
        assert_eq!(init(&mut transaction, None, &mut fresh), CONCURRENT);
        assert_eq!(transaction.end(session(0, 0), COMMIT), FENCED);
        transaction.logged();
        assert_eq!(init(&mut transaction, None, &mut fresh), CONCURRENT);
        transaction.marked(PARTITION);
        transaction.logged();
        assert_eq!(transaction.state(), TransactionState::CompleteAbort);
        assert_eq!(init(&mut transaction, None, &mut fresh), WHEN_LOGGED);
        assert_eq!(holds(&transaction), session(0, 2));
    }

    #[test]
    fn a_decided_commit_is_completed_before_a_new_client_begins() {
        let (mut transaction, mut fresh) = ongoing(0);
        assert_eq!(transaction.end(session(0, 0), COMMIT), WHEN_LOGGED);
        transaction.logged();
        assert_eq!(init(&mut transaction, None, &mut fresh), CONCURRENT);
        assert_eq!(transaction.state(), TransactionState::PrepareCommit);
        transaction.marked(PARTITION);
        transaction.logged();
        assert_eq!(init(&mut transaction, None, &mut fresh), WHEN_LOGGED);
    }

    #[test]
    fn a_client_goes_on_with_its_session_and_may_ask_again() {
        let (mut transaction, mut fresh) = empty(3);
        let mine = Some(session(0, 3));
        assert_eq!(init(&mut transaction, mine, &mut fresh), WHEN_LOGGED);
        assert_eq!(holds(&transaction), session(0, 4));
        assert_eq!(init(&mut transaction, mine, &mut fresh), WHEN_LOGGED);
        assert_eq!(holds(&transaction), session(0, 4), "the answer was lost");
        assert_eq!(init(&mut transaction, None, &mut fresh), WHEN_LOGGED);
        assert_eq!(init(&mut transaction, mine, &mut fresh), FENCED);
        let foreign = Some(session(9, 5));
        assert_eq!(init(&mut transaction, foreign, &mut fresh), FENCED);
    }

    #[test]
    fn exhausted_epochs_lead_to_a_new_producer_id() {
        let (mut transaction, mut fresh) = empty(32_766);
        let mine = Some(session(0, 32_766));
        assert_eq!(init(&mut transaction, mine, &mut fresh), WHEN_LOGGED);
        assert_eq!(holds(&transaction), session(1, 0));
        assert_eq!(init(&mut transaction, mine, &mut fresh), WHEN_LOGGED);
        assert_eq!(holds(&transaction), session(1, 0), "the answer was lost");
    }

    #[test]
    fn the_end_of_a_transaction_may_be_asked_for_again() {
        let (mut transaction, _) = ongoing(0);
        let mine = session(0, 0);
        assert_eq!(transaction.end(mine, COMMIT), WHEN_LOGGED);
        assert_eq!(transaction.end(mine, COMMIT), CONCURRENT);
        assert_eq!(transaction.add(mine, &[PARTITION]), CONCURRENT);
        transaction.logged();
        assert_eq!(transaction.end(mine, COMMIT), CONCURRENT);
        assert_eq!(transaction.add(mine, &[PARTITION]), CONCURRENT);
        transaction.marked(PARTITION);
        transaction.logged();
        assert_eq!(transaction.end(mine, COMMIT), Ok(Answer::Now(mine)));
        assert_eq!(transaction.end(mine, ABORT), INVALID);
        assert_eq!(transaction.end(session(0, 1), COMMIT), FENCED);
        let foreign = transaction.end(session(9, 0), COMMIT);
        assert_eq!(foreign, Err(TransactionError::InvalidProducerIdMapping));
    }

    #[test]
    fn an_empty_transaction_cannot_be_ended() {
        let (mut transaction, mut fresh) = empty(0);
        for outcome in [COMMIT, ABORT] {
            assert_eq!(transaction.end(session(0, 0), outcome), INVALID);
            let bumped = transaction.end_with_bump(session(0, 0), outcome, &mut fresh);
            assert_eq!(bumped, INVALID);
        }
    }

    #[test]
    fn a_late_end_ends_the_next_transaction_unless_every_end_bumps_the_epoch() {
        let mine = session(0, 0);
        let (mut transaction, mut fresh) = ongoing(0);
        assert_eq!(transaction.end(mine, ABORT), WHEN_LOGGED);
        finish(&mut transaction);
        assert_eq!(transaction.add(mine, &[PARTITION]), WHEN_LOGGED);
        transaction.logged();
        assert_eq!(transaction.end(mine, ABORT), WHEN_LOGGED, "the next one");

        let (mut transaction, _) = ongoing(0);
        let end = |transaction: &mut Transaction, fresh: &mut ProducerId| {
            transaction.end_with_bump(mine, ABORT, fresh)
        };
        assert_eq!(end(&mut transaction, &mut fresh), WHEN_LOGGED);
        finish(&mut transaction);
        let next = session(0, 1);
        assert_eq!(end(&mut transaction, &mut fresh), Ok(Answer::Now(next)));
        assert_eq!(transaction.add(next, &[PARTITION]), WHEN_LOGGED);
        transaction.logged();
        assert_eq!(end(&mut transaction, &mut fresh), FENCED);
    }

    #[test]
    fn the_last_epoch_is_followed_by_another_producer_id() {
        let (mut transaction, mut fresh) = ongoing(32_766);
        let mine = session(0, 32_766);
        let commit = transaction.end_with_bump(mine, COMMIT, &mut fresh);
        assert_eq!(commit, WHEN_LOGGED);
        transaction.logged();
        assert_eq!(holds(&transaction), session(0, 32_767), "for the markers");
        assert_eq!(
            transaction.end_with_bump(mine, COMMIT, &mut fresh),
            CONCURRENT
        );
        transaction.marked(PARTITION);
        transaction.logged();
        let next = session(1, 0);
        assert_eq!(holds(&transaction), next);
        let again = transaction.end_with_bump(mine, COMMIT, &mut fresh);
        assert_eq!(again, Ok(Answer::Now(next)));
        assert_eq!(transaction.end_with_bump(mine, ABORT, &mut fresh), INVALID);
        assert_eq!(transaction.add(next, &[PARTITION]), WHEN_LOGGED);
    }

    #[test]
    fn a_fence_that_could_not_be_logged_is_not_bumped_again() {
        let (mut transaction, _) = ongoing(0);
        assert_eq!(transaction.abort_and_fence(V1), Ok(()));
        transaction.failed();
        assert_eq!(holds(&transaction), session(0, 1));
        assert_eq!(transaction.end(session(0, 0), COMMIT), FENCED);
        assert_eq!(transaction.abort_and_fence(V1), Ok(()));
        transaction.logged();
        assert_eq!(holds(&transaction), session(0, 1));
    }

    #[test]
    fn in_version_2_a_fence_and_the_end_bump_one_epoch_each() {
        let (mut transaction, _) = ongoing(0);
        assert_eq!(transaction.abort_and_fence(V2), Ok(()));
        transaction.logged();
        assert_eq!(holds(&transaction), session(0, 2));
    }
}
