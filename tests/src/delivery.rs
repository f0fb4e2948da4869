//! Random faults for configurations of Kafka's clients, chosen by a seed: for those that promise exactly
//! once, and for those that promise less.

use barrierscope_core::kafka::client::{Client, Library};
use barrierscope_core::kafka::consumer_options::AutoOffsetReset;
use barrierscope_core::kafka::replicated_log::Acks;
use barrierscope_core::scenario::delivery::{
    Api, Cluster, CommitWhen, ConsumerApp, ConsumerConfig, DeliveryBreakage, DeliveryCosts,
    DeliveryFault, DeliveryFaults, Effect, Judge, MessageFault, ModelName, Numbered, OnError, Part,
    ProcessingGuarantee, ProducerApp, ProducerConfig, SendOffsets, Sends, StreamsApp,
    StreamsConfig, Topic,
};
use barrierscope_core::scenario::{Delivery, VERSION};
use barrierscope_core::time::{Micros, Millis};
use barrierscope_core::verdict::Verdict;

use crate::random::Dice;

/// A configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configuration {
    /// An idempotent producer, `acks=all`, two replicas in sync.
    Idempotent,
    /// A transactional producer, `transaction.version` 2, read with `read_committed`.
    Transactional,
    /// A consumer that stores its offset together with the effect.
    OffsetWithEffect,
    /// A consumer whose effect is remembered by offset, and that commits after processing.
    IdempotentEffect,
    /// Kafka Streams with exactly_once_v2: what a `read_committed` reader sees.
    ExactlyOnceV2,
    /// The same: what its store counts.
    ExactlyOnceV2Store,
    /// `acks=0`
    NoAcks,
    /// `acks=1`
    LeaderAcks,
    /// `acks=all` with one replica in sync and unclean elections.
    OneInSync,
    /// No retries.
    NoRetries,
    /// Retries without idempotence.
    Retries,
    /// An application that sends again what has timed out.
    SendAgain,
    /// A consumer that commits before it processes.
    CommitBefore,
    /// A consumer that commits afterwards.
    CommitAfter,
    /// A Java consumer that commits by itself.
    AutoCommit,
    /// A consumer on librdkafka that commits by itself.
    Librdkafka,
    /// Workers, and a commit behind the last one that is done.
    HighestDone,
    /// Kafka Streams with at_least_once.
    AtLeastOnce,
    /// exactly_once_v2, read with `read_uncommitted`.
    ReadUncommitted,
    /// Transactions before `transaction.version` 2, without verification.
    OldTransactions,
    /// Kafka Streams in a version that keeps its store after an unclean stop.
    DirtyStore,
    /// A zombie that sends its offsets with the group id only.
    GroupIdOnly,
}

/// What a configuration does not promise to avoid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weakness {
    /// A record is lost, and nobody is told.
    Loss,
    /// One is lost, and the application is told.
    Failure,
    /// One is doubled.
    Duplicate,
    /// One stays hidden.
    Stuck,
}

impl Weakness {
    /// Whether a run shows it.
    pub fn shows(self, verdict: &Verdict) -> bool {
        let count = match self {
            Self::Loss => verdict.lost,
            Self::Failure => verdict.failed,
            Self::Duplicate => verdict.doubled,
            Self::Stuck => verdict.stuck,
        };
        count > 0
    }
}

impl Configuration {
    /// Those that promise exactly once.
    pub const EXACT: [Self; 6] = [
        Self::Idempotent,
        Self::Transactional,
        Self::OffsetWithEffect,
        Self::IdempotentEffect,
        Self::ExactlyOnceV2,
        Self::ExactlyOnceV2Store,
    ];
    /// Those that promise less.
    pub const WEAKER: [(Self, Weakness); 16] = [
        (Self::NoAcks, Weakness::Loss),
        (Self::LeaderAcks, Weakness::Loss),
        (Self::OneInSync, Weakness::Loss),
        (Self::NoRetries, Weakness::Failure),
        (Self::Retries, Weakness::Duplicate),
        (Self::SendAgain, Weakness::Duplicate),
        (Self::CommitBefore, Weakness::Loss),
        (Self::CommitAfter, Weakness::Duplicate),
        (Self::AutoCommit, Weakness::Duplicate),
        (Self::Librdkafka, Weakness::Loss),
        (Self::HighestDone, Weakness::Loss),
        (Self::AtLeastOnce, Weakness::Duplicate),
        (Self::ReadUncommitted, Weakness::Duplicate),
        (Self::OldTransactions, Weakness::Stuck),
        (Self::DirtyStore, Weakness::Duplicate),
        (Self::GroupIdOnly, Weakness::Duplicate),
    ];

    fn streams(self) -> bool {
        matches!(
            self,
            Self::ExactlyOnceV2
                | Self::ExactlyOnceV2Store
                | Self::AtLeastOnce
                | Self::ReadUncommitted
                | Self::DirtyStore
                | Self::GroupIdOnly
        )
    }

    fn consumes(self) -> bool {
        matches!(
            self,
            Self::OffsetWithEffect
                | Self::IdempotentEffect
                | Self::CommitBefore
                | Self::CommitAfter
                | Self::AutoCommit
                | Self::Librdkafka
                | Self::HighestDone
        )
    }

    /// Whether the transaction coordinator has anything to do.
    fn has_transactions(self) -> bool {
        self.transactional() || self.streams() && self != Self::AtLeastOnce
    }

    fn transactional(self) -> bool {
        matches!(self, Self::Transactional | Self::OldTransactions)
    }
}

/// The configuration with the faults of a seed.
pub fn scenario(configuration: Configuration, seed: u64) -> Delivery {
    let mut dice = Dice::of(seed, "delivery");
    let mut scenario = plain(configuration, &mut dice);
    scenario.seed = seed;
    scenario.costs.jitter_percent = dice.one_of(&[0, 10, 40]);
    scenario.faults = faults(configuration, &scenario, &mut dice);
    scenario
}

/// The configuration without faults.
fn plain(configuration: Configuration, dice: &mut Dice) -> Delivery {
    let partitions = dice.one_of(&[1, 2]);
    let topic = |name: &str| Topic {
        name: name.to_owned(),
        partitions,
        replication_factor: 3,
        min_in_sync: match configuration {
            Configuration::OneInSync | Configuration::LeaderAcks | Configuration::NoAcks => 1,
            _ => 2,
        },
        unclean_election: configuration == Configuration::OneInSync,
        retention: None,
    };
    let mut topics = vec![topic("orders")];
    if configuration.streams() {
        topics.push(topic("counts"));
    }
    Delivery {
        version: VERSION,
        model: match configuration.streams() {
            true => ModelName::Streams,
            false => ModelName::Delivery,
        },
        name: format!("{configuration:?}"),
        seed: 0,
        cluster: Cluster {
            brokers: 3,
            transaction_version: match configuration {
                Configuration::OldTransactions => 1,
                _ => 2,
            },
            verification: configuration != Configuration::OldTransactions,
            replica_lag: Millis(dice.one_of(&[30, 500])),
            timeout_scan: Millis(100),
            ..Cluster::default()
        },
        topics,
        producers: vec![producer(configuration, dice)],
        consumers: match configuration.consumes() {
            true => (0..dice.between(1, 2))
                .map(|at| consumer(configuration, at, dice))
                .collect(),
            false => Vec::new(),
        },
        streams: match configuration.streams() {
            true => (0..dice.between(1, 2))
                .map(|at| streams(configuration, at, dice))
                .collect(),
            false => Vec::new(),
        },
        judge: Some(match configuration {
            Configuration::ExactlyOnceV2Store | Configuration::DirtyStore => Judge::Store,
            Configuration::ReadUncommitted => Judge::ReadUncommitted,
            other if other.consumes() => Judge::Effects,
            _ => Judge::ReadCommitted,
        }),
        costs: DeliveryCosts {
            network_ms: Millis(dice.between(1, 6)),
            fetch_ms: Millis(dice.between(1, 10)),
            log_ms: Millis(dice.between(0, 8)),
            election_ms: Millis(dice.between(5, 40)),
            restart_ms: Millis(dice.between(5, 150)),
            poll_ms: Millis(dice.between(0, 10)),
            ..DeliveryCosts::default()
        },
        faults: DeliveryFaults::default(),
        until_ms: None,
        max_steps: 20_000,
    }
}

fn producer(configuration: Configuration, dice: &mut Dice) -> ProducerApp {
    let plain = matches!(
        configuration,
        Configuration::NoAcks
            | Configuration::LeaderAcks
            | Configuration::NoRetries
            | Configuration::Retries
    );
    let mut app = ProducerApp {
        name: "shop".to_owned(),
        client: Client::default(),
        topic: "orders".to_owned(),
        sends: Sends::Numbered(Numbered {
            count: dice.between(3, 10),
            keys: 3,
        }),
        start_ms: Millis(0),
        interval_ms: Millis(dice.between(1, 15)),
        batch_records: dice.one_of(&[1, 1, 3]),
        transaction_records: configuration.transactional().then(|| dice.between(1, 4)),
        abort_transactions: match configuration.transactional() {
            true => dice.one_of(&[&[][..], &[1], &[2]]).to_vec(),
            false => Vec::new(),
        },
        on_error: match configuration {
            Configuration::SendAgain => OnError::SendAgain,
            _ => OnError::Report,
        },
        config: ProducerConfig {
            acks: match configuration {
                Configuration::NoAcks => Some(Acks::None),
                Configuration::LeaderAcks => Some(Acks::Leader),
                _ => None,
            },
            retries: (configuration == Configuration::NoRetries).then_some(0),
            idempotence: plain.then_some(false),
            max_in_flight: dice.one_of(&[None, Some(1), Some(2)]),
            request_timeout: Some(Millis(dice.between(60, 150))),
            delivery_timeout: (configuration == Configuration::SendAgain).then_some(Millis(200)),
            retry_backoff: Some(Millis(dice.between(1, 30))),
            transactional_id: configuration.transactional().then(|| "shop".to_owned()),
            transaction_timeout: None,
        },
    };
    // One cannot abort a transaction that there is not.
    let each = app.transaction_records.map_or(u64::MAX, u64::from);
    let transactions = app.sends.len().div_ceil(each);
    app.abort_transactions
        .retain(|number| u64::from(*number) <= transactions);
    app
}

fn consumer(configuration: Configuration, at: u32, dice: &mut Dice) -> ConsumerApp {
    let librdkafka = configuration == Configuration::Librdkafka;
    let auto = librdkafka || configuration == Configuration::AutoCommit;
    let workers = configuration == Configuration::HighestDone;
    ConsumerApp {
        name: format!("billing-{at}"),
        client: match librdkafka {
            true => Client::new(Library::Librdkafka, 2, 3, 0),
            false => Client::default(),
        },
        topic: "orders".to_owned(),
        start_ms: Millis(dice.between(0, 60)),
        processing_ms: Micros(u64::from(dice.between(0, 20)) * 1_000),
        workers: if workers { 2 } else { 1 },
        commit: Some(match configuration {
            Configuration::OffsetWithEffect => CommitWhen::Never,
            Configuration::CommitBefore => CommitWhen::BeforeProcessing,
            Configuration::AutoCommit | Configuration::Librdkafka => CommitWhen::Auto,
            Configuration::HighestDone => CommitWhen::HighestDone,
            _ => CommitWhen::AfterProcessing,
        }),
        effect: match configuration {
            Configuration::OffsetWithEffect => Effect::WithOffset,
            Configuration::IdempotentEffect => Effect::Idempotent,
            _ => Effect::Plain,
        },
        config: ConsumerConfig {
            group: "billing".to_owned(),
            auto_commit: Some(auto),
            auto_commit_interval: auto.then_some(Millis(dice.between(5, 60))),
            auto_offset_reset: Some(AutoOffsetReset::Earliest),
            session_timeout: Some(Millis(dice.between(30, 200))),
            // With a shorter one, a poll's records might never be done in time.
            max_poll_interval: Some(Millis(300_000)),
            ..ConsumerConfig::default()
        },
    }
}

fn streams(configuration: Configuration, at: u32, dice: &mut Dice) -> StreamsApp {
    StreamsApp {
        name: format!("counter-{at}"),
        client: match configuration {
            Configuration::DirtyStore => Client::new(Library::Java, 4, 1, 0),
            _ => Client::default(),
        },
        application_id: "counter".to_owned(),
        input: "orders".to_owned(),
        output: "counts".to_owned(),
        store: true,
        start_ms: Millis(dice.between(0, 60)),
        processing_ms: Micros(u64::from(dice.between(0, 15)) * 1_000),
        send_offsets: match configuration {
            Configuration::GroupIdOnly => SendOffsets::GroupIdOnly,
            _ => SendOffsets::GroupMetadata,
        },
        config: StreamsConfig {
            guarantee: match configuration {
                Configuration::AtLeastOnce => ProcessingGuarantee::AtLeastOnce,
                _ => ProcessingGuarantee::ExactlyOnceV2,
            },
            commit_interval: Some(Millis(dice.between(5, 60))),
            producer: ProducerConfig {
                request_timeout: Some(Millis(dice.between(60, 150))),
                retry_backoff: Some(Millis(dice.between(1, 30))),
                transaction_timeout: Some(Millis(dice.one_of(&[150, 60_000]))),
                ..ProducerConfig::default()
            },
            max_poll_interval: Some(Millis(dice.one_of(&[60, 300_000]))),
            session_timeout: Some(Millis(dice.between(30, 200))),
        },
    }
}

/// Faults against which the configuration promises something: the producing application itself lives, for
/// nobody could tell what it has sent before it died.
fn faults(configuration: Configuration, scenario: &Delivery, dice: &mut Dice) -> DeliveryFaults {
    let readers: Vec<String> = scenario
        .client_names()
        .into_iter()
        .filter(|name| *name != "shop")
        .map(str::to_owned)
        .collect();
    let mut schedule = Vec::new();
    let mut fault = |at: u32, what| {
        schedule.push(DeliveryFault {
            at_ms: Millis(at),
            what,
        });
    };
    for _ in 0..dice.between(0, 4) {
        let at = dice.between(0, 300);
        let broker = format!("broker-{}", dice.between(1, 3));
        let reader = readers.get(dice.between(0, readers.len().max(1) as u32 - 1) as usize);
        let brokers_only = configuration == Configuration::OneInSync;
        let kind = if brokers_only {
            dice.between(0, 1)
        } else {
            dice.between(0, 5)
        };
        match (kind, reader) {
            (0, _) => fault(at, DeliveryBreakage::Crash(broker)),
            (1, _) => {
                fault(at, DeliveryBreakage::Pause(broker.clone()));
                let until = at + dice.between(1, 250);
                fault(until, DeliveryBreakage::Resume(broker));
            }
            (2, _) if configuration.has_transactions() => {
                let coordinator = "transaction-coordinator".to_owned();
                fault(at, DeliveryBreakage::Crash(coordinator));
            }
            (3, Some(reader)) => fault(at, DeliveryBreakage::Crash(reader.clone())),
            (4, Some(reader)) => {
                fault(at, DeliveryBreakage::Pause(reader.clone()));
                let until = at + dice.between(1, 400);
                fault(until, DeliveryBreakage::Resume(reader.clone()));
            }
            _ => {
                let name = "shop".to_owned();
                fault(at, DeliveryBreakage::Pause(name.clone()));
                let until = at + dice.between(1, 250);
                fault(until, DeliveryBreakage::Resume(name));
            }
        }
    }
    let names = scenario.client_names();
    let messages = (0..dice.between(0, 4))
        .map(|_| MessageFault {
            client: names[dice.between(0, names.len() as u32 - 1) as usize].to_owned(),
            api: dice.one_of(&[
                Api::Produce,
                Api::Produce,
                Api::Produce,
                Api::InitProducerId,
                Api::AddPartitionsToTxn,
                Api::AddOffsetsToTxn,
                Api::TxnOffsetCommit,
                Api::EndTxn,
                Api::EndTxn,
                Api::OffsetCommit,
            ]),
            part: dice.one_of(&[Part::Request, Part::Response]),
            number: dice.between(1, 8) as u16,
            count: dice.one_of(&[1, 1, 1, 3]),
            delay_ms: dice.one_of(&[None, Some(Millis(30)), Some(Millis(250))]),
        })
        .collect();
    DeliveryFaults {
        max_crashes: 20,
        max_losses: 20,
        schedule,
        messages,
    }
}
