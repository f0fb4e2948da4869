//! What a setting of producer and consumer guarantees: found out by running it against every fault of a
//! family.
//!
//! Three records go through one partition with three replicas to one consumer. Each run has one fault, or
//! two: a request or a response lost, the leader, the producer's broker or the consumer dead at one of many
//! moments. A cell says the worst that happened; that nothing did is proof for this family only.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::Delivery as Model;
use crate::kafka::consumer_options::AutoOffsetReset;
use crate::kafka::replicated_log::Acks;
use crate::scenario::Delivery;
use crate::scenario::VERSION;
use crate::scenario::delivery::{
    Api, Cluster, CommitWhen, ConsumerApp, ConsumerConfig, DeliveryBreakage, DeliveryCosts,
    DeliveryFault, DeliveryFaults, Effect, Judge, MessageFault, ModelName, Numbered, OnError, Part,
    ProducerApp, ProducerConfig, Sends, Topic,
};
use crate::time::{Micros, Millis};
use crate::timeline::Simulation;
use crate::verdict::{Guarantee, Verdict};

/// A setting of producer and consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// `acks`
    pub acks: Acks,
    /// Whether `retries` is left at its default; otherwise it is 0.
    pub retries: bool,
    /// `enable.idempotence`
    pub idempotence: bool,
    /// When the consumer commits; [`CommitWhen::Never`] stands for an offset that is stored together with the
    /// effect.
    pub commit: CommitWhen,
}

/// What a setting comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// The producer does not start.
    Refused {
        /// What it says.
        reason: alloc::string::String,
    },
    /// It was run.
    Computed {
        /// The worst that happened.
        guarantee: Guarantee,
        /// How many runs there were.
        tried: u32,
        /// A run in which a record is lost, or reported as failed.
        loss: Option<Box<Delivery>>,
        /// A run in which one is doubled.
        duplicate: Option<Box<Delivery>>,
        /// The run with the most steps in which nothing happened to any record.
        calm: Box<Delivery>,
    },
}

/// When a consumer commits, from column to column.
pub const COMMITS: [CommitWhen; 4] = [
    CommitWhen::BeforeProcessing,
    CommitWhen::Auto,
    CommitWhen::AfterProcessing,
    CommitWhen::Never,
];

/// All settings, row by row.
pub fn settings() -> Vec<Setting> {
    let mut settings = Vec::new();
    for idempotence in [false, true] {
        for retries in [false, true] {
            for acks in [Acks::None, Acks::Leader, Acks::All] {
                for commit in COMMITS {
                    settings.push(Setting {
                        acks,
                        retries,
                        idempotence,
                        commit,
                    });
                }
            }
        }
    }
    settings
}

/// Runs a setting against the family of faults.
pub fn compute(setting: Setting) -> Cell {
    let base = scenario(setting);
    if let Some(app) = base.producers.first()
        && let Err(error) = super::producer_options(app)
    {
        return Cell::Refused {
            reason: error.to_string(),
        };
    }
    let (mut loss, mut duplicate) = (None, None);
    let (mut tried, mut calm, mut longest) = (0, base.clone(), 0);
    for faults in family() {
        let scenario = Delivery {
            faults,
            ..base.clone()
        };
        let Some((verdict, steps)) = run(&scenario) else {
            continue;
        };
        tried += 1;
        let lost = verdict.lost + verdict.failed > 0;
        if lost && loss.is_none() {
            loss = Some(scenario.clone());
        }
        if verdict.doubled > 0 && duplicate.is_none() {
            duplicate = Some(scenario.clone());
        }
        if !lost && verdict.doubled == 0 && steps > longest {
            (calm, longest) = (scenario, steps);
        }
    }
    Cell::Computed {
        guarantee: match (loss.is_some(), duplicate.is_some()) {
            (false, false) => Guarantee::ExactlyOnce,
            (false, true) => Guarantee::AtLeastOnce,
            (true, false) => Guarantee::AtMostOnce,
            (true, true) => Guarantee::None,
        },
        tried,
        loss: loss.map(Box::new),
        duplicate: duplicate.map(Box::new),
        calm: Box::new(calm),
    }
}

/// Runs a scenario to its end; the verdict there, and how many steps it took. None if it makes no sense.
pub fn run(scenario: &Delivery) -> Option<(Verdict, u32)> {
    let model = Model::new(scenario.clone()).ok()?;
    let mut simulation = Simulation::new(&model, &model.pace());
    let mut steps = 0;
    while steps < scenario.max_steps && simulation.step(&model, &mut ()).is_some() {
        steps += 1;
    }
    let verdict = crate::models::Model::verdict(&model, &simulation.state);
    Some((verdict, steps))
}

/// The faults against which a setting is run.
fn family() -> Vec<DeliveryFaults> {
    let mut family = Vec::new();
    let message = |part, number| MessageFault {
        client: PRODUCER.to_string(),
        api: Api::Produce,
        part,
        number,
        count: 1,
        delay_ms: None,
    };
    for number in 1..=RECORDS as u16 {
        for part in [Part::Request, Part::Response] {
            family.push(DeliveryFaults {
                messages: Vec::from([message(part, number)]),
                ..DeliveryFaults::default()
            });
        }
    }
    let crash = |name: &str, at_ms: u32| DeliveryFault {
        at_ms: Millis(at_ms),
        what: DeliveryBreakage::Crash(name.to_string()),
    };
    for step in 0..MOMENTS {
        for name in ["broker-1", CONSUMER] {
            family.push(DeliveryFaults {
                schedule: Vec::from([crash(name, step * GRID + 1)]),
                ..DeliveryFaults::default()
            });
        }
        // Both at once: the response of the last batch is lost, and later the leader dies or the consumer.
        for name in ["broker-1", CONSUMER] {
            family.push(DeliveryFaults {
                schedule: Vec::from([crash(name, step * GRID + 1)]),
                messages: Vec::from([message(Part::Response, RECORDS as u16)]),
                ..DeliveryFaults::default()
            });
        }
    }
    family
}

const PRODUCER: &str = "shop";
const CONSUMER: &str = "billing";
const RECORDS: u32 = 3;
/// Moments at which something dies, so many milliseconds apart.
const MOMENTS: u32 = 40;
const GRID: u32 = 4;

/// A setting as a scenario without faults.
pub fn scenario(setting: Setting) -> Delivery {
    let with_offset = setting.commit == CommitWhen::Never;
    Delivery {
        version: VERSION,
        model: ModelName::Delivery,
        name: "acks, retries, idempotence and commits".to_string(),
        seed: 0,
        cluster: Cluster {
            brokers: 3,
            replica_lag: Millis(200),
            ..Cluster::default()
        },
        topics: Vec::from([Topic {
            name: "orders".to_string(),
            partitions: 1,
            replication_factor: 3,
            min_in_sync: 2,
            unclean_election: false,
            retention: None,
        }]),
        producers: Vec::from([ProducerApp {
            name: PRODUCER.to_string(),
            client: crate::kafka::client::Client::default(),
            topic: "orders".to_string(),
            sends: Sends::Numbered(Numbered {
                count: RECORDS,
                keys: RECORDS,
            }),
            start_ms: Millis(0),
            interval_ms: Millis(10),
            batch_records: 1,
            transaction_records: None,
            abort_transactions: Vec::new(),
            on_error: OnError::Report,
            config: ProducerConfig {
                acks: Some(setting.acks),
                retries: (!setting.retries).then_some(0),
                idempotence: Some(setting.idempotence),
                request_timeout: Some(Millis(60)),
                ..ProducerConfig::default()
            },
        }]),
        consumers: Vec::from([ConsumerApp {
            name: CONSUMER.to_string(),
            client: crate::kafka::client::Client::default(),
            topic: "orders".to_string(),
            start_ms: Millis(0),
            processing_ms: Micros(15_000),
            workers: 1,
            commit: Some(setting.commit),
            effect: match with_offset {
                true => Effect::WithOffset,
                false => Effect::Plain,
            },
            config: ConsumerConfig {
                group: CONSUMER.to_string(),
                auto_commit: Some(setting.commit == CommitWhen::Auto),
                auto_commit_interval: (setting.commit == CommitWhen::Auto).then_some(Millis(10)),
                auto_offset_reset: Some(AutoOffsetReset::Earliest),
                ..ConsumerConfig::default()
            },
        }]),
        streams: Vec::new(),
        judge: Some(Judge::Effects),
        costs: DeliveryCosts {
            restart_ms: Millis(100),
            election_ms: Millis(20),
            ..DeliveryCosts::default()
        },
        faults: DeliveryFaults::default(),
        until_ms: None,
        max_steps: 5_000,
    }
}
