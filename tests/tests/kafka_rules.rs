//! Kafka's rules, against tables of them that are written down here once more, and what they come to
//! together: a producer and a partition among faults.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use barrierscope_core::fingerprint::fingerprint;
use barrierscope_core::id::{Offset, RecordId};
use barrierscope_core::kafka::batch::{
    CoordinatorEpoch, Marker, ProducerEpoch, ProducerId, Sequence, Stamp,
};
use barrierscope_core::kafka::error::BatchError;
use barrierscope_core::kafka::log::{IsolationLevel, Outcome};
use barrierscope_core::kafka::producer::{Fate, Producer, Request, Response};
use barrierscope_core::kafka::producer_options::Effective;
use barrierscope_core::kafka::producer_state::{ProducerStates, Verdict};
use barrierscope_core::kafka::replicated_log::{
    Acks, Produced, ReplicaId, ReplicatedLog, TopicOptions,
};
use barrierscope_core::kafka::transaction_coordinator::Session;
use barrierscope_core::kafka::transaction_state::{
    Metadata, Transaction, TransactionState, TransitionError,
};

/// Each state, and those it may come after: `validPreviousStates` of `TransactionMetadata`.
const PREDECESSORS: [(&str, &str); 8] = [
    ("Empty", "Empty CompleteCommit CompleteAbort"),
    ("Ongoing", "Ongoing Empty CompleteCommit CompleteAbort"),
    ("PrepareCommit", "Ongoing"),
    ("PrepareAbort", "Ongoing PrepareEpochFence"),
    ("CompleteCommit", "PrepareCommit"),
    ("CompleteAbort", "PrepareAbort"),
    ("PrepareEpochFence", "Ongoing"),
    ("Dead", "Empty CompleteCommit CompleteAbort"),
];

fn prepare(transaction: &mut Transaction, to: TransactionState) -> Result<(), TransitionError> {
    let change = Metadata {
        state: to,
        ..transaction.current().clone()
    };
    transaction.prepare(change)
}

/// A transactional id that has gone this way.
fn after(way: &[TransactionState]) -> Transaction {
    let mut transaction = Transaction::new(ProducerId(0), None);
    for state in way {
        if transaction.pending() != Some(*state) {
            prepare(&mut transaction, *state).expect("there is such a way");
        }
        transaction.logged();
    }
    transaction
}

#[test]
fn the_coordinator_allows_exactly_the_transitions_of_kafka() {
    use TransactionState::*;
    let ways: [&[TransactionState]; 8] = [
        &[],
        &[Ongoing],
        &[Ongoing, PrepareCommit],
        &[Ongoing, PrepareAbort],
        &[Ongoing, PrepareCommit, CompleteCommit],
        &[Ongoing, PrepareAbort, CompleteAbort],
        &[Ongoing, PrepareEpochFence],
        &[Dead],
    ];
    let mut allowed = BTreeSet::new();
    for (from, way) in [
        Empty,
        Ongoing,
        PrepareCommit,
        PrepareAbort,
        CompleteCommit,
        CompleteAbort,
        PrepareEpochFence,
        Dead,
    ]
    .into_iter()
    .zip(ways)
    {
        for to in TransactionState::ALL {
            let mut transaction = after(way);
            // A decision is completed by itself: that is pending, and nothing else may begin.
            if let (PrepareCommit | PrepareAbort, Some(next)) = (from, transaction.pending()) {
                let refused = prepare(&mut transaction, to);
                assert_eq!(refused, Err(TransitionError::Pending(next)));
                if next == to {
                    assert_eq!(transaction.logged(), Some(to));
                    allowed.insert((format!("{from}"), format!("{to}")));
                }
                assert_eq!(to.follows(from), next == to, "{from} to {to}");
                continue;
            }
            match from {
                PrepareEpochFence => assert_eq!(transaction.pending(), Some(from)),
                _ => assert_eq!((transaction.state(), transaction.pending()), (from, None)),
            }
            match prepare(&mut transaction, to) {
                Ok(()) => {
                    allowed.insert((format!("{from}"), format!("{to}")));
                    let logged = transaction.logged();
                    let never = to == PrepareEpochFence;
                    assert_eq!(logged, (!never).then_some(to), "{from} to {to}");
                }
                Err(error) => assert_eq!(error, TransitionError::Illegal { from, to }),
            }
        }
    }
    let mut table = BTreeSet::new();
    for (to, before) in PREDECESSORS {
        for from in before.split(' ') {
            table.insert((from.to_owned(), to.to_owned()));
        }
    }
    assert_eq!(allowed, table);
}

/// What the table makes of a batch, by Kafka's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Said {
    Duplicate(u32),
    InvalidProducerEpoch,
    NewEpochNotFromZero,
    NewEpoch,
    OutOfOrder,
    FellOutOfTheWindow,
    NextAfterWrap,
    Next,
    Unknown,
    NotTransactional,
}

/// Everything that was ever written by one producer since it was last forgotten.
#[derive(Default)]
struct History {
    /// Epoch, first sequence, last sequence, offset; the newest last.
    batches: Vec<(u16, u32, u32, u32)>,
    epoch: u16,
    open: bool,
}

/// The rules, as a table in the order of the document, from whole histories.
fn table(history: Option<&History>, stamp: &Stamp) -> Said {
    let (epoch, first, last) = (stamp.epoch.0, stamp.first.number(), stamp.last.number());
    let Some(history) = history else {
        return Said::Unknown;
    };
    let same_epoch: Vec<_> = history
        .batches
        .iter()
        .filter(|batch| batch.0 == history.epoch)
        .collect();
    let same = |batch: &&&(u16, u32, u32, u32)| (batch.0, batch.1, batch.2) == (epoch, first, last);
    if let Some(batch) = same_epoch.iter().rev().take(5).find(same) {
        return Said::Duplicate(batch.3);
    }
    if epoch < history.epoch {
        return Said::InvalidProducerEpoch;
    }
    if epoch > history.epoch && first != 0 {
        return Said::NewEpochNotFromZero;
    }
    let mut wraps = false;
    if epoch == history.epoch {
        let expected = match same_epoch.last() {
            None => 0,
            Some((_, _, 2_147_483_647, _)) => {
                wraps = true;
                0
            }
            Some((_, _, last, _)) => last + 1,
        };
        if first != expected {
            return match same_epoch.iter().find(same) {
                Some(_) => Said::FellOutOfTheWindow,
                None => Said::OutOfOrder,
            };
        }
    }
    match () {
        () if history.open && !stamp.transactional => Said::NotTransactional,
        () if epoch > history.epoch => Said::NewEpoch,
        () if wraps => Said::NextAfterWrap,
        () => Said::Next,
    }
}

/// The same in the words of the program.
fn expected(said: Said) -> Result<Verdict, BatchError> {
    match said {
        Said::Duplicate(offset) => Ok(Verdict::Duplicate(Offset(offset))),
        Said::InvalidProducerEpoch => Err(BatchError::InvalidProducerEpoch),
        Said::NewEpochNotFromZero | Said::OutOfOrder | Said::FellOutOfTheWindow => {
            Err(BatchError::OutOfOrderSequence)
        }
        Said::NotTransactional => Err(BatchError::InvalidTxnState),
        Said::NewEpoch | Said::NextAfterWrap | Said::Next | Said::Unknown => Ok(Verdict::Append),
    }
}

/// A stream of random numbers.
struct Dice(u64);

impl Dice {
    /// A number below `count`.
    fn below(&mut self, count: u32) -> u32 {
        self.0 = self.0.wrapping_add(1);
        (fingerprint(&self.0) % u64::from(count)) as u32
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
}

/// How a run's producers begin.
#[derive(Clone, Copy)]
struct Start {
    sequence: u32,
    transactional: bool,
}

/// A batch that may be the next one, one of those before, or anything else.
fn batch(dice: &mut Dice, sent: &[Stamp], producer: ProducerId, start: Start) -> Stamp {
    let newest = sent.iter().rev().find(|stamp| stamp.producer == producer);
    let records = 1 + dice.below(3);
    let (epoch, first) = match (newest, dice.below(10)) {
        (None, _) => (
            ProducerEpoch(dice.below(2) as u16),
            Sequence::new(start.sequence),
        ),
        (Some(newest), 0..=4) => (newest.epoch, newest.last.next()),
        (Some(_), 5..=7) => {
            let mut mine = sent.iter().filter(|stamp| stamp.producer == producer);
            let count = mine.clone().count() as u32;
            // Mostly one of the last ones, as a retry is.
            let back = dice.below(count.min(8));
            let old = mine.nth((count - 1 - back) as usize).expect("it is there");
            let mut again = *old;
            if dice.chance(10) {
                again.last = again.last.next();
            }
            return again;
        }
        (Some(newest), 8) => {
            let bumped = ProducerEpoch(newest.epoch.0 + 1);
            let first = if dice.chance(60) { 0 } else { dice.below(4) };
            (bumped, Sequence::new(first))
        }
        (Some(newest), _) => (
            ProducerEpoch(newest.epoch.0.saturating_sub(dice.below(2) as u16)),
            newest.last.plus(dice.below(4)),
        ),
    };
    Stamp {
        producer,
        epoch,
        first,
        last: first.plus(records - 1),
        transactional: start.transactional != dice.chance(5),
    }
}

fn name(said: Said) -> String {
    let said = format!("{said:?}");
    said.split('(').next().unwrap_or_default().to_owned()
}

#[test]
fn deduplication_agrees_with_the_rules_on_random_sequences_of_batches() {
    let mut tally: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..100_000_u64 {
        let mut dice = Dice(fingerprint(&(seed, "batches")));
        let mut states = ProducerStates::default();
        let mut histories: BTreeMap<ProducerId, History> = BTreeMap::new();
        let mut sent: Vec<Stamp> = Vec::new();
        let mut end = 0;
        let start = Start {
            sequence: match dice.below(3) {
                0 => 2_147_483_647 - dice.below(12),
                _ => 0,
            },
            transactional: dice.chance(50),
        };
        for _ in 0..30 {
            let producer = ProducerId(dice.below(2));
            match dice.below(30) {
                0 => {
                    let history = histories.get(&producer);
                    let may = history.is_some_and(|history| !history.open);
                    assert_eq!(states.expire(producer), may, "seed {seed}");
                    if may {
                        histories.remove(&producer);
                    }
                }
                1 | 2 => {
                    let Some(history) = histories.get_mut(&producer) else {
                        continue;
                    };
                    history.epoch += dice.below(2) as u16;
                    let marker = Marker {
                        producer,
                        epoch: ProducerEpoch(history.epoch),
                        coordinator: CoordinatorEpoch(0),
                        outcome: Outcome::Commit,
                    };
                    assert_eq!(states.check_marker(&marker), Ok(()), "seed {seed}");
                    let ended = states.append_marker(&marker, Offset(end));
                    assert_eq!(ended.is_some(), history.open, "seed {seed}");
                    history.open = false;
                    end += 1;
                }
                _ => {
                    let stamp = batch(&mut dice, &sent, producer, start);
                    let said = table(histories.get(&producer), &stamp);
                    let answer = states.check(&stamp);
                    assert_eq!(answer, expected(said), "seed {seed}: {stamp:?}: {said:?}");
                    *tally.entry(name(said)).or_default() += 1;
                    if answer != Ok(Verdict::Append) {
                        continue;
                    }
                    states.append(&stamp, Offset(end));
                    let history = histories.entry(producer).or_default();
                    history.epoch = stamp.epoch.0;
                    history.open |= stamp.transactional;
                    let (first, last) = (stamp.first.number(), stamp.last.number());
                    history.batches.push((stamp.epoch.0, first, last, end));
                    end += 3;
                    sent.push(stamp);
                }
            }
        }
    }
    // Every line of the table was reached, and often.
    for (said, times) in &tally {
        assert!(*times > 10_000, "{said}: {times} of {tally:?}");
    }
    assert_eq!(tally.len(), 10, "{tally:?}");
}

/// A producer, a partition with three replicas, and the connection between them. Nothing expires.
struct World {
    options: Effective,
    topic: TopicOptions,
    producer: Producer,
    log: ReplicatedLog,
    /// Under way to the leader, in order, each with the number of its attempt.
    requests: VecDeque<(u32, Request)>,
    /// Written, and waiting for the followers.
    waiting: Vec<(u32, Request, Produced)>,
    /// The attempt whose response is awaited, of each batch.
    attempts: BTreeMap<u32, u32>,
    made: u32,
    attempt: u32,
    acknowledged: BTreeSet<u32>,
}

impl World {
    /// One record is on every replica, so that all of them know the producer.
    fn new(options: Effective) -> Self {
        let mut producer = Producer::default();
        producer.init(Session {
            producer: ProducerId(1),
            epoch: ProducerEpoch(0),
        });
        let mut world = Self {
            options,
            topic: TopicOptions {
                min_in_sync: 2,
                unclean_election: false,
            },
            producer,
            log: ReplicatedLog::new(3),
            requests: VecDeque::new(),
            waiting: Vec::new(),
            attempts: BTreeMap::new(),
            made: 0,
            attempt: 0,
            acknowledged: BTreeSet::new(),
        };
        world.send();
        world.calm();
        world
    }

    fn send(&mut self) {
        self.producer.send(&[RecordId(self.made)]);
        self.made += 1;
    }

    fn transmit(&mut self) -> bool {
        let Some(request) = self.producer.transmit(&self.options) else {
            return false;
        };
        self.attempt += 1;
        self.attempts.insert(request.number.0, self.attempt);
        self.requests.push_back((self.attempt, request));
        true
    }

    fn respond(&mut self, attempt: u32, request: &Request, response: Response) {
        if self.attempts.get(&request.number.0) != Some(&attempt) {
            return;
        }
        let fate = self
            .producer
            .receive(&self.options, request.number, response);
        if fate == Some(Fate::Acknowledged) {
            let records = request.batch.records().iter();
            self.acknowledged.extend(records.map(|record| record.0));
        }
    }

    fn arrive(&mut self) {
        let Some((attempt, request)) = self.requests.pop_front() else {
            return;
        };
        let acks = self.options.acks;
        match self.log.produce(&self.topic, acks, request.batch.clone()) {
            Ok(produced) => self.waiting.push((attempt, request, produced)),
            Err(error) => self.respond(attempt, &request, Response::Refused(error)),
        }
    }

    fn acknowledge(&mut self) {
        for (attempt, request, produced) in std::mem::take(&mut self.waiting) {
            let acks = self.options.acks;
            match self.log.acknowledged(&self.topic, acks, &produced) {
                Ok(true) => self.respond(attempt, &request, Response::Success),
                Ok(false) => self.waiting.push((attempt, request, produced)),
                Err(error) => self.respond(attempt, &request, Response::Refused(error)),
            }
        }
    }

    /// The connection breaks: what is under way is lost, or only the responses to it.
    fn disconnect(&mut self) {
        let requests = std::mem::take(&mut self.requests);
        let waiting = std::mem::take(&mut self.waiting);
        let waiting = waiting.into_iter().map(|(attempt, it, _)| (attempt, it));
        for (attempt, request) in waiting.chain(requests) {
            self.respond(attempt, &request, Response::Missing);
        }
    }

    fn happen(&mut self, dice: &mut Dice) {
        let replica = ReplicaId(dice.below(3) as u16);
        match dice.below(24) {
            0..=2 if self.made < 8 => self.send(),
            3..=6 => {
                self.transmit();
            }
            7..=10 => self.arrive(),
            11 | 12 => self.acknowledge(),
            13..=17 => {
                self.log.fetch(replica, dice.below(3) as usize);
            }
            18 => {
                // The client gives up waiting, while the request may still arrive.
                let late = self.requests.front().cloned();
                if let Some((attempt, request)) = late {
                    self.respond(attempt, &request, Response::Missing);
                }
            }
            19 => self.disconnect(),
            20 => {
                if self.log.leader() == Some(replica) {
                    self.disconnect();
                }
                self.log.crash(replica);
            }
            21 => self.log.restart(replica),
            22 => {
                if self.log.elect(&self.topic, replica).is_ok() {
                    self.disconnect();
                }
            }
            _ => {
                self.log.fall_behind(replica);
            }
        }
    }

    /// Everything comes back, and all that can be done is done. Returns what can be read.
    fn calm(&mut self) -> Vec<u32> {
        for replica in 0..3 {
            self.log.restart(ReplicaId(replica));
        }
        for replica in 0..3 {
            if self.log.leader().is_none() {
                let _ = self.log.elect(&self.topic, ReplicaId(replica));
            }
        }
        for _ in 0..60 {
            for replica in 0..3 {
                self.log.fetch(ReplicaId(replica), 9);
            }
            self.acknowledge();
            self.transmit();
            self.arrive();
        }
        let mut records = Vec::new();
        let from = Offset(0);
        let visit = |_, record: RecordId| records.push(record.0);
        self.log.read(IsolationLevel::ReadUncommitted, from, visit);
        records
    }
}

/// Runs among faults; how many of them lost an acknowledged record, and how many doubled one.
fn runs(options: Effective, seeds: u64) -> (u32, u32) {
    let (mut lost, mut doubled) = (0, 0);
    for seed in 0..seeds {
        let mut dice = Dice(fingerprint(&(seed, "faults")));
        let mut world = World::new(options);
        for _ in 0..120 {
            world.happen(&mut dice);
        }
        let read = world.calm();
        let once: BTreeSet<u32> = read.iter().copied().collect();
        lost += u32::from(!world.acknowledged.is_subset(&once));
        doubled += u32::from(once.len() < read.len());
        if options.idempotence {
            let all: Vec<u32> = (0..world.made).collect();
            assert_eq!(read, all, "seed {seed}: each once, and in order");
            assert_eq!(world.acknowledged.len(), all.len(), "seed {seed}");
        }
    }
    (lost, doubled)
}

#[test]
fn an_idempotent_producer_loses_and_doubles_nothing_and_others_do() {
    let idempotent = Effective {
        acks: Acks::All,
        retries: u32::MAX,
        max_in_flight: 5,
        idempotence: true,
        transactional: false,
        shares_sequences: false,
    };
    assert_eq!(runs(idempotent, 10_000), (0, 0));
    let plain = Effective {
        idempotence: false,
        ..idempotent
    };
    let (lost, doubled) = runs(plain, 1_000);
    assert!(lost == 0 && doubled > 100, "lost {lost}, doubled {doubled}");
    let quick = Effective {
        acks: Acks::Leader,
        ..plain
    };
    let (lost, _) = runs(quick, 1_000);
    assert!(lost > 20, "lost {lost}");
}
