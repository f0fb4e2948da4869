//! The Kafka that a job writes to, and the sink that does, as data.
//!
//! Sources: Flink's `KafkaSink`, `KafkaSinkBuilder`, `TransactionNamingStrategy` (flink-connector-kafka).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::check::{Checked, between, refuse};
use super::delivery::{
    Cluster, Delivery, DeliveryCosts, DeliveryFaults, ModelName, OnError, ProducerApp,
    ProducerConfig, Sends, Topic,
};
use super::{DeliveryGuarantee, Operator, Scenario, ScenarioError, Vertex, one, options};
use crate::kafka::client::Client;
use crate::time::Millis;

/// A job that reads from Kafka and writes to Kafka, with a crash between completion and commit: a scenario that
/// comes with the program.
pub const KAFKA_TO_KAFKA: &str = include_str!("../../../scenarios/kafka-to-kafka.json");

/// Kafka, where a run has its brokers: without this, the output topic takes no time and never fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Kafka {
    /// The brokers and their coordinators.
    pub cluster: Cluster,
    /// How many replicas each partition of the output topic has. Replica n of partition p is on broker
    /// (p + n) modulo the number of brokers.
    #[serde(rename = "replication.factor")]
    pub replication_factor: u16,
    /// How many of them have to be in sync for a write with `acks=all`.
    #[serde(rename = "min.insync.replicas")]
    pub min_in_sync: u16,
    /// Whether a replica that is out of sync may lead when no other is left.
    #[serde(rename = "unclean.leader.election.enable")]
    pub unclean_election: bool,
    /// The job's `KafkaSink`.
    pub sink: KafkaSink,
    /// How long things take in Kafka.
    pub costs: DeliveryCosts,
    /// What breaks in Kafka. Clients are the sink's subtasks, as `sink[0]`.
    pub faults: DeliveryFaults,
}

impl Default for Kafka {
    fn default() -> Self {
        Self {
            cluster: Cluster::default(),
            replication_factor: one(),
            min_in_sync: one(),
            unclean_election: false,
            sink: KafkaSink::default(),
            costs: DeliveryCosts::default(),
            faults: DeliveryFaults::default(),
        }
    }
}

/// A `KafkaSink`, as its builder makes it. Its `DeliveryGuarantee` is the sink vertex's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct KafkaSink {
    /// The client library of its producers.
    pub client: Client,
    /// `setTransactionalIdPrefix`
    #[serde(rename = "transactionalIdPrefix")]
    pub prefix: String,
    /// `setTransactionNamingStrategy`
    #[serde(rename = "transactionNamingStrategy")]
    pub naming: TransactionNamingStrategy,
    /// `setKafkaProducerConfig`. If left out, `transaction.timeout.ms` is an hour, as the builder has it.
    #[serde(deserialize_with = "options::producer")]
    pub config: ProducerConfig,
}

impl Default for KafkaSink {
    fn default() -> Self {
        Self {
            client: Client::default(),
            prefix: "sink".to_string(),
            naming: TransactionNamingStrategy::default(),
            config: ProducerConfig::default(),
        }
    }
}

/// How a sink calls its transactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TransactionNamingStrategy {
    /// `prefix-subtask-checkpoint`: an id for every transaction. What an earlier attempt has left open is
    /// found at the start by trying the ids, one after the other, until one was never used (probing).
    #[default]
    Incrementing,
    /// `prefix-subtask-number`, and an id is used again when its transaction is committed. What an earlier
    /// attempt has left open is found at the start by a list of all open transactions (listing).
    Pooling,
}

/// Subtasks of the sink.
const SINKS: u16 = 16;

impl Kafka {
    /// The `transaction.timeout.ms` of the sink's producers.
    pub fn transaction_timeout(&self) -> Millis {
        let own = self.sink.config.transaction_timeout;
        own.unwrap_or(Millis(3_600_000))
    }
}

impl Scenario {
    /// The sink, and what it writes to, as producers and topics of the model *delivery*: so they are
    /// checked and built as those are.
    pub(crate) fn sink_as_delivery(&self) -> Option<Delivery> {
        let kafka = self.kafka.as_ref()?;
        let (vertex, guarantee) = self.sink()?;
        let partitions = self.output.partitions.unwrap_or(vertex.parallelism);
        let sink = &kafka.sink;
        let producers = (0..vertex.parallelism).map(|subtask| {
            let mut config = sink.config.clone();
            if guarantee == DeliveryGuarantee::ExactlyOnce {
                config.transactional_id = Some(format!("{}-{subtask}", sink.prefix));
                // A longer one than the broker allows is no mistake of the scenario: the sink never starts.
                let most = kafka.cluster.transaction_max_timeout;
                config.transaction_timeout = Some(kafka.transaction_timeout().min(most));
            }
            ProducerApp {
                name: format!("{}[{subtask}]", vertex.name),
                client: sink.client,
                topic: self.output.topic.clone(),
                sends: Sends::Listed(Vec::new()),
                start_ms: Millis(0),
                interval_ms: Millis(0),
                batch_records: 1,
                transaction_records: None,
                abort_transactions: Vec::new(),
                on_error: OnError::Report,
                config,
            }
        });
        Some(Delivery {
            version: self.version,
            model: ModelName::Delivery,
            name: self.name.clone(),
            seed: self.seed,
            cluster: kafka.cluster.clone(),
            topics: vec![Topic {
                name: self.output.topic.clone(),
                partitions,
                replication_factor: kafka.replication_factor,
                min_in_sync: kafka.min_in_sync,
                unclean_election: kafka.unclean_election,
                retention: None,
            }],
            producers: producers.collect(),
            consumers: Vec::new(),
            streams: Vec::new(),
            judge: None,
            costs: kafka.costs.clone(),
            faults: kafka.faults.clone(),
            until_ms: None,
            max_steps: self.max_steps,
        })
    }

    /// The vertex that is the sink, and what it promises.
    pub fn sink(&self) -> Option<(&Vertex, DeliveryGuarantee)> {
        let mut vertices = self.job.vertices.iter();
        vertices.find_map(|vertex| match vertex.operator {
            Operator::Sink {
                delivery_guarantee, ..
            } => Some((vertex, delivery_guarantee)),
            _ => None,
        })
    }

    pub(super) fn check_kafka(&self) -> Checked {
        let Some(kafka) = &self.kafka else {
            if self.delivery_guarantee() == Some(DeliveryGuarantee::None) {
                return refuse(
                    "job.vertices",
                    "a sink with the guarantee `none` loses what its producer has not sent: that needs brokers, so \
                     add `\"kafka\": {}`",
                );
            }
            return Ok(());
        };
        let sinks = self.job.vertices.iter();
        let sinks = sinks.filter(|vertex| matches!(vertex.operator, Operator::Sink { .. }));
        if sinks.count() != 1 {
            return refuse("kafka", "a job that writes to brokers has exactly one sink");
        }
        let Some((vertex, guarantee)) = self.sink() else {
            return refuse("kafka", "a job that writes to brokers has a sink");
        };
        between(
            "job.vertices.sink.parallelism",
            u64::from(vertex.parallelism),
            1,
            u64::from(SINKS),
        )?;
        if kafka.sink.config.transactional_id.is_some() {
            return refuse(
                "kafka.sink.config.transactional.id",
                "a KafkaSink makes its transactional ids itself, from `transactionalIdPrefix`",
            );
        }
        if guarantee == DeliveryGuarantee::ExactlyOnce && kafka.sink.prefix.is_empty() {
            return refuse(
                "kafka.sink.transactionalIdPrefix",
                "a sink with the guarantee `exactly-once` needs one",
            );
        }
        match self.sink_as_delivery() {
            Some(delivery) => delivery.check_parts().map_err(as_kafka),
            None => Ok(()),
        }
    }
}

/// The same error, by the names that the fields have here.
fn as_kafka(error: ScenarioError) -> ScenarioError {
    let ScenarioError { field, reason } = error;
    let field = match field.as_str() {
        "topics[0].partitions" => "output.partitions".to_string(),
        "topics[0].name" => "output.topic".to_string(),
        other => match (
            other.strip_prefix("topics[0]."),
            other.strip_prefix("producers[0]."),
        ) {
            (Some(rest), _) => format!("kafka.{rest}"),
            (_, Some(rest)) => format!("kafka.sink.{rest}"),
            _ => format!("kafka.{other}"),
        },
    };
    ScenarioError { field, reason }
}
