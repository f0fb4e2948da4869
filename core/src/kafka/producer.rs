//! What a producer has under way to one partition: sequences, retries, requests in flight, doubt.
//!
//! Sources: the Java client's `Sender`, `RecordAccumulator` (`shouldStopDrainBatchesForPartition`) and
//! `TransactionManager` (`canRetry`, `maybeResolveSequences`,
//! `bumpIdempotentEpochAndResetIdIfNeeded`); KIP-91, KIP-360. A response that does not come says
//! nothing: the batch may have been written, or not.
//!
//! A batch that has used up its `retries` is treated like one that has used up its time. Batches are not
//! split, and a producer that writes to several partitions is several of these.

use smallvec::SmallVec;

use super::batch::{Batch, ProducerEpoch, Sequence};
use super::error::{BatchError, ProduceError, TransactionError};
use super::producer_options::Effective;
use super::replicated_log::Acks;
use super::transaction_coordinator::Session;
use crate::id::RecordId;

/// `retries` from which on nobody counts them.
const WITHOUT_END: u32 = 1 << 16;

/// A batch of this producer, numbered in the order in which they were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BatchNumber(pub u32);

/// What is sent to the leader.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    /// Which batch.
    pub number: BatchNumber,
    /// As it is sent: a later attempt may carry another epoch and sequence.
    pub batch: Batch,
}

/// What a request came to, as the client sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Response {
    /// The leader answers with success.
    Success,
    /// The leader answers with an error.
    Refused(ProduceError),
    /// Nothing comes within `request.timeout.ms`.
    Missing,
}

/// What becomes of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fate {
    /// The application is told of success.
    Acknowledged,
    /// It will be sent again.
    Again,
    /// The application is told of this error: it has not been written.
    Failed(ProduceError),
    /// The application is told of a `TimeoutException`: whether it has been written is not known.
    InDoubt,
}

/// A batch that the application waits for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Outstanding {
    number: BatchNumber,
    records: SmallVec<[RecordId; 2]>,
    /// Given when it is sent for the first time.
    sequence: Option<Sequence>,
    attempts: u32,
    in_flight: bool,
    /// Whether a new epoch has changed its sequence.
    reset: bool,
}

/// A producer's work for one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Producer {
    /// Who it is; none before `InitProducerId`, and without idempotence.
    session: Option<Session>,
    made: u32,
    /// The oldest first.
    outstanding: SmallVec<[Outstanding; 2]>,
    /// The sequence of the next new batch.
    next: Sequence,
    /// The last sequence that was acknowledged in this epoch.
    acknowledged: Option<Sequence>,
    /// A batch that was sent has been given up: nothing new is sent before that is settled.
    unresolved: bool,
    bump: bool,
    abortable: bool,
}

impl Producer {
    /// `InitProducerId` is answered: a new identity. Sequences begin at 0.
    pub fn init(&mut self, session: Session) {
        self.session = Some(session);
        self.begin_sequences();
        self.unresolved = false;
        self.abortable = false;
    }

    /// The application sends records, which go into one batch.
    pub fn send(&mut self, records: &[RecordId]) -> BatchNumber {
        let number = BatchNumber(self.made);
        self.made = self.made.saturating_add(1);
        self.outstanding.push(Outstanding {
            number,
            records: records.into(),
            sequence: None,
            attempts: 0,
            in_flight: false,
            reset: false,
        });
        number
    }

    /// Sends the next batch to the leader, if one may be sent now. With `acks=0` the application is told
    /// of success, and no response is awaited.
    pub fn transmit(&mut self, options: &Effective) -> Option<Request> {
        let at = self.ready(options)?;
        let session = self.session.filter(|_| options.idempotence);
        let next = self.next;
        let found = self.outstanding.get_mut(at)?;
        let batch = match session {
            None => Batch::plain(&found.records),
            Some(session) => {
                let first = found.sequence.unwrap_or(next);
                if found.sequence.is_none() && !options.shares_sequences {
                    self.next = next.plus(found.records.len() as u32);
                }
                found.sequence = Some(first);
                let Session { producer, epoch } = session;
                let batch = Batch::idempotent(producer, epoch, first, &found.records);
                match options.transactional {
                    true => batch.in_transaction(),
                    false => batch,
                }
            }
        };
        found.attempts = found.attempts.saturating_add(1);
        found.in_flight = true;
        let number = found.number;
        if options.acks == Acks::None {
            self.outstanding.remove(at);
        }
        Some(Request { number, batch })
    }

    /// The place of the batch that may be sent now.
    fn ready(&self, options: &Effective) -> Option<usize> {
        let in_flight = self.outstanding.iter().filter(|it| it.in_flight).count();
        let session = self.session.filter(|_| options.idempotence);
        let must_wait = options.idempotence && (session.is_none() || self.abortable);
        if must_wait || in_flight as u64 >= u64::from(options.max_in_flight) {
            return None;
        }
        let at = self.outstanding.iter().position(|it| !it.in_flight)?;
        let sequence = self.outstanding.get(at)?.sequence;
        let may = match (session, sequence) {
            (None, _) => true,
            // What is sent again goes alone, and in order.
            (Some(_), Some(_)) => at == 0,
            (Some(_), None) => !self.unresolved,
        };
        may.then_some(at)
    }

    /// The how-manieth attempt of its batch the next request would be, from 1; none if nothing may be sent.
    pub fn next_attempt(&self, options: &Effective) -> Option<u32> {
        let batch = self.outstanding.get(self.ready(options)?)?;
        Some(batch.attempts.saturating_add(1))
    }

    /// The first record of the batch that would be sent next.
    pub fn next_record(&self, options: &Effective) -> Option<RecordId> {
        let batch = self.outstanding.get(self.ready(options)?)?;
        batch.records.first().copied()
    }

    /// Forgets how often batches were sent, as far as nothing depends on it: once or more often, where they may be sent
    /// again without end (`retries` at its default, 2³¹ − 1, is no end that anybody sees).
    pub fn forget_attempts(&mut self, options: &Effective) {
        if options.retries >= WITHOUT_END {
            for batch in &mut self.outstanding {
                batch.attempts = batch.attempts.min(2);
            }
        }
    }

    /// What a request came to. None if nothing is in flight for this batch: a response that comes after
    /// its time is not looked at.
    pub fn receive(
        &mut self,
        options: &Effective,
        number: BatchNumber,
        response: Response,
    ) -> Option<Fate> {
        let in_flight = |it: &Outstanding| it.number == number && it.in_flight;
        let at = self.outstanding.iter().position(in_flight)?;
        let found = self.outstanding.get_mut(at)?;
        found.in_flight = false;
        let used_up = found.attempts > options.retries;
        let found = found.clone();
        let fate = match response {
            Response::Success => {
                if let Some(first) = found.sequence.filter(|_| !found.reset) {
                    let further = (found.records.len() as u32).saturating_sub(1);
                    self.acknowledged = self.acknowledged.max(Some(first.plus(further)));
                    if options.shares_sequences {
                        self.next = self.expected();
                    }
                }
                Fate::Acknowledged
            }
            Response::Missing if used_up => Fate::InDoubt,
            Response::Missing => Fate::Again,
            Response::Refused(error) if self.retries(options, &found, error) => match used_up {
                false => Fate::Again,
                true if error == ProduceError::NotEnoughReplicasAfterAppend => Fate::InDoubt,
                true => Fate::Failed(error),
            },
            Response::Refused(error) => Fate::Failed(error),
        };
        match fate {
            Fate::Again => {}
            Fate::Acknowledged => {
                self.outstanding.remove(at);
            }
            Fate::InDoubt => self.give_up(at),
            Fate::Failed(_) => {
                self.outstanding.remove(at);
                self.bump |= options.idempotence && !options.transactional;
                self.abortable |= options.transactional;
            }
        }
        self.settle(options);
        Some(fate)
    }

    /// `delivery.timeout.ms` has passed since the application sent this batch. None if it does not wait
    /// for it.
    pub fn expire(&mut self, options: &Effective, number: BatchNumber) -> Option<Fate> {
        let mut outstanding = self.outstanding.iter();
        let at = outstanding.position(|it| it.number == number)?;
        self.give_up(at);
        self.abortable |= options.transactional;
        self.settle(options);
        Some(Fate::InDoubt)
    }

    /// The application aborts its transaction: what is outstanding is dropped. Returns whether the
    /// producer must go through `InitProducerId` before the next one, for something is in doubt.
    pub fn abort(&mut self) -> bool {
        let in_doubt = self.outstanding.iter().any(|it| it.attempts > 0);
        self.outstanding.clear();
        self.next = self.expected();
        self.abortable = false;
        core::mem::take(&mut self.unresolved) || in_doubt
    }

    /// Whether the transaction can only be aborted: a batch of it has failed.
    pub fn must_abort(&self) -> bool {
        self.abortable
    }

    /// Who it is.
    pub fn session(&self) -> Option<Session> {
        self.session
    }

    /// The records of a batch that the application waits for.
    pub fn records(&self, number: BatchNumber) -> SmallVec<[RecordId; 2]> {
        let found = self.outstanding.iter().find(|it| it.number == number);
        found.map(|it| it.records.clone()).unwrap_or_default()
    }

    /// The first sequence of a batch that the application waits for, once it has been sent, and how often it
    /// was.
    pub fn sent(&self, number: BatchNumber) -> Option<(Option<Sequence>, u32)> {
        let found = self.outstanding.iter().find(|it| it.number == number)?;
        Some((found.sequence, found.attempts))
    }

    /// The batches that the application waits for, the oldest first, and whether each is in flight.
    pub fn outstanding(&self) -> impl Iterator<Item = (BatchNumber, bool)> + '_ {
        self.outstanding.iter().map(|it| (it.number, it.in_flight))
    }

    /// The first record of the first batch that is not in flight.
    pub fn first_waiting(&self) -> Option<RecordId> {
        let batch = self.outstanding.iter().find(|it| !it.in_flight)?;
        batch.records.first().copied()
    }

    /// Whether an error is one after which a batch is sent again (`canRetry`).
    fn retries(&mut self, options: &Effective, found: &Outstanding, error: ProduceError) -> bool {
        match error {
            ProduceError::Batch(BatchError::OutOfOrderSequence) => {
                let is_next = found.sequence == Some(self.expected());
                if !self.unresolved && (found.reset || !is_next) {
                    return true;
                }
                // There is a gap, which only a new epoch closes.
                self.bump |= !options.transactional && (!self.unresolved || is_next);
                !options.transactional
            }
            ProduceError::NotLeaderOrFollower
            | ProduceError::NotEnoughReplicas
            | ProduceError::NotEnoughReplicasAfterAppend
            // The markers of the transaction before are still being written.
            | ProduceError::Transaction(TransactionError::ConcurrentTransactions) => true,
            _ => false,
        }
    }

    fn give_up(&mut self, at: usize) {
        if at < self.outstanding.len() {
            let sent = self.outstanding.remove(at).sequence.is_some();
            self.unresolved |= sent;
        }
    }

    /// When nothing that was sent is outstanding, a batch in doubt is settled: if later ones were
    /// acknowledged it was written; else only a new epoch, or an abort, lets the producer go on.
    fn settle(&mut self, options: &Effective) {
        let sent = self.outstanding.iter().any(|it| it.sequence.is_some());
        if self.unresolved && !sent {
            if self.next == self.expected() {
                self.unresolved = false;
            } else if options.transactional {
                self.abortable = true;
            } else {
                self.unresolved = false;
                self.bump = true;
            }
        }
        if core::mem::take(&mut self.bump) {
            self.bump_epoch();
        }
    }

    /// A new epoch, which the client of an idempotent producer takes by itself; where there is none left,
    /// it needs another producer id.
    fn bump_epoch(&mut self) {
        self.session = self
            .session
            .filter(|session| session.epoch < ProducerEpoch::MAX)
            .map(|session| Session {
                epoch: session.epoch.bumped(),
                ..session
            });
        self.begin_sequences();
    }

    /// Sequences begin at 0, also those of batches that have been sent before.
    fn begin_sequences(&mut self) {
        self.next = Sequence::FIRST;
        self.acknowledged = None;
        for batch in &mut self.outstanding {
            if batch.sequence.is_some() {
                batch.sequence = Some(self.next);
                batch.reset = true;
                self.next = self.next.plus(batch.records.len() as u32);
            }
        }
    }

    fn expected(&self) -> Sequence {
        self.acknowledged.map_or(Sequence::FIRST, Sequence::next)
    }
}

#[cfg(test)]
mod tests {
    use super::super::batch::ProducerId;
    use super::super::log::IsolationLevel;
    use super::super::producer_options::{KafkaVersion, ProducerOptions, effective};
    use super::super::replicated_log::{ReplicatedLog, TopicOptions};
    use super::*;
    use crate::id::Offset;
    use alloc::vec::Vec;

    const TOPIC: TopicOptions = TopicOptions {
        min_in_sync: 1,
        unclean_election: false,
    };
    const NOT_ENOUGH: Response = Response::Refused(ProduceError::NotEnoughReplicas);

    fn options(idempotence: bool, transactional: bool) -> Effective {
        let options = ProducerOptions {
            idempotence: Some(idempotence),
            transactional,
            ..ProducerOptions::default()
        };
        effective(&options, KafkaVersion::new(4, 0, 0)).expect("they fit")
    }

    /// A producer that has an identity.
    fn producer() -> Producer {
        let mut producer = Producer::default();
        producer.init(Session {
            producer: ProducerId(1),
            epoch: ProducerEpoch::FIRST,
        });
        producer
    }

    fn arrive(log: &mut ReplicatedLog, request: Option<Request>) -> (BatchNumber, Response) {
        let request = request.expect("it may be sent");
        match log.produce(&TOPIC, Acks::All, request.batch) {
            Ok(_) => (request.number, Response::Success),
            Err(error) => (request.number, Response::Refused(error)),
        }
    }

    fn written(log: &ReplicatedLog) -> Vec<u32> {
        let mut records = Vec::new();
        let from = Offset(0);
        log.read(IsolationLevel::ReadUncommitted, from, |_, it| {
            records.push(it.0)
        });
        records
    }

    /// A record whose first response is lost.
    fn lost_response(idempotence: bool) -> Vec<u32> {
        let options = options(idempotence, false);
        let (mut producer, mut log) = (producer(), ReplicatedLog::new(1));
        producer.send(&[RecordId(7)]);
        let (number, _) = arrive(&mut log, producer.transmit(&options));
        let fate = producer.receive(&options, number, Response::Missing);
        assert_eq!(fate, Some(Fate::Again));
        let (number, response) = arrive(&mut log, producer.transmit(&options));
        let fate = producer.receive(&options, number, response);
        assert_eq!(fate, Some(Fate::Acknowledged));
        assert_eq!(producer.receive(&options, number, response), None);
        written(&log)
    }

    #[test]
    fn a_lost_response_doubles_a_record_unless_the_producer_is_idempotent() {
        assert_eq!(lost_response(false), [7, 7]);
        assert_eq!(lost_response(true), [7]);
    }

    /// Two records; the first one is refused once.
    fn refused_once(idempotence: bool, max_in_flight: u32) -> Vec<u32> {
        let options = Effective {
            max_in_flight,
            ..options(idempotence, false)
        };
        let (mut producer, mut log) = (producer(), ReplicatedLog::new(1));
        for record in 0..3 {
            producer.send(&[RecordId(record)]);
        }
        // The first one makes the producer known to the partition.
        let (number, response) = arrive(&mut log, producer.transmit(&options));
        producer.receive(&options, number, response);
        let refused = producer.transmit(&options).expect("it may be sent");
        let second = producer.transmit(&options);
        producer.receive(&options, refused.number, NOT_ENOUGH);
        if second.is_some() {
            let (number, response) = arrive(&mut log, second);
            producer.receive(&options, number, response);
        }
        while let Some(request) = producer.transmit(&options) {
            let (number, response) = arrive(&mut log, Some(request));
            producer.receive(&options, number, response);
        }
        written(&log)
    }

    #[test]
    fn a_retry_comes_out_of_order_unless_one_is_in_flight_or_the_producer_is_idempotent() {
        assert_eq!(refused_once(false, 5), [0, 2, 1]);
        assert_eq!(refused_once(false, 1), [0, 1, 2]);
        assert_eq!(refused_once(true, 5), [0, 1, 2]);
    }

    #[test]
    fn the_first_batch_is_stuck_where_the_second_one_made_the_producer_known() {
        let options = options(true, false);
        let (mut producer, mut log) = (producer(), ReplicatedLog::new(1));
        let stuck = producer.send(&[RecordId(1)]);
        producer.send(&[RecordId(2)]);
        producer.transmit(&options);
        let second = producer.transmit(&options);
        producer.receive(&options, stuck, NOT_ENOUGH);
        let (number, response) = arrive(&mut log, second);
        let fate = producer.receive(&options, number, response);
        assert_eq!(fate, Some(Fate::Acknowledged));
        for _ in 0..9 {
            let (number, response) = arrive(&mut log, producer.transmit(&options));
            let fate = producer.receive(&options, number, response);
            assert_eq!(fate, Some(Fate::Again), "{response:?}");
        }
        assert_eq!(producer.expire(&options, stuck), Some(Fate::InDoubt));
        assert_eq!(written(&log), [2]);
    }

    #[test]
    fn what_is_in_doubt_brings_a_new_epoch_in_which_nothing_is_known_again() {
        let options = options(true, false);
        let (mut producer, mut log) = (producer(), ReplicatedLog::new(1));
        let first = producer.send(&[RecordId(1)]);
        arrive(&mut log, producer.transmit(&options));
        assert_eq!(producer.expire(&options, first), Some(Fate::InDoubt));
        let epoch = producer.session().map(|session| session.epoch);
        assert_eq!(epoch, Some(ProducerEpoch(1)));
        producer.send(&[RecordId(1)]);
        arrive(&mut log, producer.transmit(&options));
        assert_eq!(written(&log), [1, 1], "the application sent it again");
    }

    #[test]
    fn a_transaction_with_something_in_doubt_can_only_be_aborted() {
        let options = options(true, true);
        let mut producer = producer();
        let first = producer.send(&[RecordId(1)]);
        assert!(producer.transmit(&options).is_some());
        producer.expire(&options, first);
        assert!(producer.must_abort());
        producer.send(&[RecordId(2)]);
        assert_eq!(producer.transmit(&options), None);
        assert!(producer.abort(), "it goes through InitProducerId");
        assert!(!producer.must_abort());
    }

    #[test]
    fn so_many_in_flight_and_no_more() {
        let options = options(true, false);
        let mut producer = producer();
        for record in 0..7 {
            producer.send(&[RecordId(record)]);
        }
        let mut sent = 0;
        while producer.transmit(&options).is_some() {
            sent += 1;
        }
        assert_eq!(sent, 5);
        let quick = Effective {
            acks: Acks::None,
            ..options
        };
        assert_eq!(Producer::default().transmit(&quick), None, "who is it?");
    }
}
