//! Producers, a Kafka cluster, consumers and Kafka Streams applications, as data.
//!
//! Options have Kafka's own names, so that a configuration can be pasted; what is left out has the
//! default of the client's version.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{default_limit, one, options};
use crate::kafka::client::{Client, GroupProtocol};
use crate::kafka::consumer_options::AutoOffsetReset;
use crate::kafka::log::IsolationLevel;
use crate::kafka::replicated_log::Acks;
use crate::time::{Micros, Millis};

/// The default scenario of the model *delivery*, as JSON.
pub const DEFAULT_DELIVERY: &str = include_str!("../../../scenarios/delivery.json");

/// The default scenario of the model *streams*, as JSON.
pub const DEFAULT_STREAMS: &str = include_str!("../../../scenarios/streams.json");

/// Which of the models that this format describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ModelName {
    /// Producers, brokers, consumers.
    Delivery,
    /// Applications that read, process and write.
    Streams,
}

/// A scenario of the models *delivery* and *streams*.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Delivery {
    /// The version of the format: [`VERSION`](super::VERSION).
    pub version: u32,
    /// Which model.
    pub model: ModelName,
    /// What to call it.
    pub name: String,
    /// Chooses the jitter of costs and delays: the same seed gives the same run.
    #[serde(default)]
    pub seed: u64,
    /// The brokers and their coordinators.
    #[serde(default)]
    pub cluster: Cluster,
    /// The topics.
    pub topics: Vec<Topic>,
    /// Applications that write.
    #[serde(default)]
    pub producers: Vec<ProducerApp>,
    /// Applications that read, and do something with each record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub consumers: Vec<ConsumerApp>,
    /// Instances of applications that read, process and write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<StreamsApp>,
    /// For whom the verdict is given. If left out: for the side effects of the first consumer group; where
    /// there is none, for a `read_committed` reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<Judge>,
    /// How long things take.
    #[serde(default)]
    pub costs: DeliveryCosts,
    /// What breaks.
    #[serde(default)]
    pub faults: DeliveryFaults,
    /// When the run is cut off, if it does not end before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<Millis>,
    /// After how many steps the run is cut off.
    #[serde(default = "default_limit")]
    pub max_steps: u32,
}

/// For whom the verdict is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    /// A reader of the topics that are written last, with this `isolation.level`.
    ReadCommitted,
    /// The same, with this `isolation.level`.
    ReadUncommitted,
    /// What the consumers did with the records.
    Effects,
    /// What the store of the first Streams application holds.
    Store,
}

/// The brokers and their coordinators.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Cluster {
    /// How many brokers there are.
    pub brokers: u16,
    /// Whether the coordinator takes a clock that was set back for an error of its own, and leaves the
    /// transactional id locked: so it did before 2.5 (fixed in March 2020).
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub coordinator_locks_on_clock_step: bool,
    /// `transaction.version`: with 2, every end of a transaction bumps the epoch (KIP-890, since 4.0).
    #[serde(rename = "transaction.version")]
    pub transaction_version: u8,
    /// A broker asks the coordinator before the first batch of a transaction (KIP-890, since 3.6).
    #[serde(rename = "transaction.partition.verification.enable")]
    pub verification: bool,
    /// The longest `transaction.timeout.ms` that is allowed.
    #[serde(rename = "transaction.max.timeout.ms")]
    pub transaction_max_timeout: Millis,
    /// How often the coordinator looks for transactions that have taken too long.
    #[serde(rename = "transaction.abort.timed.out.transaction.cleanup.interval.ms")]
    pub timeout_scan: Millis,
    /// How long a follower may be behind before it is out of sync.
    #[serde(rename = "replica.lag.time.max.ms")]
    pub replica_lag: Millis,
    /// How long an idempotent producer is remembered after its last batch.
    #[serde(rename = "producer.id.expiration.ms")]
    pub producer_expiration: Millis,
    /// How long the offsets of an empty group are kept.
    #[serde(rename = "offsets.retention.minutes")]
    pub offsets_retention_minutes: u32,
}

impl Default for Cluster {
    fn default() -> Self {
        Self {
            brokers: 1,
            coordinator_locks_on_clock_step: false,
            transaction_version: 2,
            verification: true,
            transaction_max_timeout: Millis(900_000),
            timeout_scan: Millis(10_000),
            replica_lag: Millis(30_000),
            producer_expiration: Millis(86_400_000),
            offsets_retention_minutes: 10_080,
        }
    }
}

/// A topic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// How many partitions it has.
    #[serde(default = "one")]
    pub partitions: u16,
    /// How many replicas each partition has. Replica n of partition p is on broker (p + n) modulo the
    /// number of brokers.
    #[serde(rename = "replication.factor", default = "one")]
    pub replication_factor: u16,
    /// How many replicas have to be in sync for a write with `acks=all`.
    #[serde(rename = "min.insync.replicas", default = "one")]
    pub min_in_sync: u16,
    /// Whether a replica that is out of sync may lead when no other is left.
    #[serde(rename = "unclean.leader.election.enable", default)]
    pub unclean_election: bool,
    /// How long records are kept; if left out, for ever.
    #[serde(
        rename = "retention.ms",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub retention: Option<Millis>,
}

/// An application that writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ProducerApp {
    /// Its name.
    pub name: String,
    /// The client library and its version: `java 4.0.0`, `librdkafka 1.9.0`, `kafkajs 1.16.0`.
    #[serde(default)]
    pub client: Client,
    /// The topic it writes.
    pub topic: String,
    /// What it sends, in this order.
    pub sends: Sends,
    /// When it starts.
    #[serde(default)]
    pub start_ms: Millis,
    /// How long it waits between two sends.
    #[serde(default = "ten")]
    pub interval_ms: Millis,
    /// How many records go into one batch: they are sent together.
    #[serde(default = "one")]
    pub batch_records: u16,
    /// How many records go into one transaction, with a `transactional.id`. If left out, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction_records: Option<u32>,
    /// The transactions that the application aborts and does not repeat, numbered from 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub abort_transactions: Vec<u32>,
    /// What the application does about a send that has failed.
    #[serde(default)]
    pub on_error: OnError,
    /// The client's options.
    #[serde(default, deserialize_with = "options::producer")]
    pub config: ProducerConfig,
}

/// What a producer sends: a list, or an object with the number of records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Sends {
    /// Records that are written out.
    Listed(Vec<Send>),
    /// Records with keys `key-0`, `key-1`, … in turn, each with the value 1.
    Numbered(Numbered),
}

impl<'de> Deserialize<'de> for Sends {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListedOrNumbered)
    }
}

/// Reads [`Sends`] so that what is wrong inside keeps its path.
struct ListedOrNumbered;

impl<'de> Visitor<'de> for ListedOrNumbered {
    type Value = Sends;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r#"a list of records, as in [{"key": "a"}], or {"count": 10, "keys": 4}"#)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Sends, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Sends::Listed)
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Sends, A::Error> {
        Numbered::deserialize(MapAccessDeserializer::new(fields)).map(Sends::Numbered)
    }
}

/// Records that are numbered through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Numbered {
    /// How many records.
    pub count: u32,
    /// How many different keys.
    pub keys: u32,
}

/// A record that a producer sends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Send {
    /// What it is about.
    pub key: String,
    /// What it adds to a total.
    #[serde(default = "one_value")]
    pub value: u32,
    /// The partition it goes to. If left out, the producer takes turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition: Option<u16>,
    /// It is larger than `max.request.size`: `send` fails at once. When the application repeats its
    /// transaction, it has made it smaller.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub too_large: bool,
    /// How long the application waits before it sends it, if not `interval_ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<Millis>,
    /// How long a consumer takes for it, if not as long as for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processing_ms: Option<Millis>,
}

/// What an application does about a send that has failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// It aborts the transaction and repeats it; without a transaction, it reports the record as failed.
    #[default]
    Report,
    /// It calls `send` again with the same record.
    SendAgain,
    /// It does not look at the result of `send`.
    Ignore,
}

/// A producer's options. What is left out has the default of the client's version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "schema", schemars(extend("additionalProperties" = true)))]
pub struct ProducerConfig {
    /// What a write waits for.
    #[serde(with = "acks", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<super::schema::Acks>"))]
    pub acks: Option<Acks>,
    /// How often a batch is sent again.
    #[serde(
        deserialize_with = "options::int::deserialize",
        skip_serializing_if = "Option::is_none"
    )]
    pub retries: Option<u32>,
    /// Whether batches carry a producer id and a sequence.
    #[serde(rename = "enable.idempotence", skip_serializing_if = "Option::is_none")]
    pub idempotence: Option<bool>,
    /// How many requests may be under way.
    #[serde(
        rename = "max.in.flight.requests.per.connection",
        deserialize_with = "options::int::deserialize",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_in_flight: Option<u32>,
    /// How long a response is waited for. If left out, 30 s.
    #[serde(rename = "request.timeout.ms", skip_serializing_if = "Option::is_none")]
    pub request_timeout: Option<Millis>,
    /// How long a record may take until `send` is answered. If left out, 2 min.
    #[serde(
        rename = "delivery.timeout.ms",
        skip_serializing_if = "Option::is_none"
    )]
    pub delivery_timeout: Option<Millis>,
    /// How long is waited before something is tried again. If left out, 100 ms.
    #[serde(rename = "retry.backoff.ms", skip_serializing_if = "Option::is_none")]
    pub retry_backoff: Option<Millis>,
    /// The identity of a transactional producer.
    #[serde(rename = "transactional.id", skip_serializing_if = "Option::is_none")]
    pub transactional_id: Option<String>,
    /// After how long the coordinator aborts a transaction. If left out, 1 min; 10 s for Streams.
    #[serde(
        rename = "transaction.timeout.ms",
        skip_serializing_if = "Option::is_none"
    )]
    pub transaction_timeout: Option<Millis>,
}

/// An application that reads, and does something with each record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ConsumerApp {
    /// Its name.
    pub name: String,
    /// The client library and its version.
    #[serde(default)]
    pub client: Client,
    /// The topic it subscribes to.
    pub topic: String,
    /// When it starts.
    #[serde(default)]
    pub start_ms: Millis,
    /// How long it takes for one record. The effect is there when that has passed.
    #[serde(default)]
    pub processing_ms: Micros,
    /// How many records are processed at the same time, by workers.
    #[serde(default = "one")]
    pub workers: u16,
    /// When the application commits. If left out: as `enable.auto.commit` says, and where that is off,
    /// after each poll's records are processed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitWhen>,
    /// What the effect of a record is like.
    #[serde(default)]
    pub effect: Effect,
    /// The client's options.
    #[serde(deserialize_with = "options::consumer")]
    pub config: ConsumerConfig,
}

/// When an application commits its offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CommitWhen {
    /// The client does it by itself: `enable.auto.commit`.
    Auto,
    /// With librdkafka and `enable.auto.offset.store=false`: the application stores an offset after
    /// processing, and the client commits what is stored.
    StoreAfterProcessing,
    /// By hand, when `poll` has returned.
    BeforeProcessing,
    /// By hand, when all records of a poll are processed.
    AfterProcessing,
    /// By hand, behind the last record that any worker has finished.
    HighestDone,
    /// By hand, behind the last record before which all are finished.
    ContiguousDone,
    /// Never.
    Never,
}

/// What the effect of processing a record is like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It happens each time.
    #[default]
    Plain,
    /// It is remembered by partition and offset, and happens once for each.
    Idempotent,
    /// It is stored together with the offset, and the consumer goes on from there.
    WithOffset,
}

/// A consumer's options. What is left out has the default of the client's version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "schema", schemars(extend("additionalProperties" = true)))]
pub struct ConsumerConfig {
    /// The group.
    #[serde(rename = "group.id")]
    pub group: String,
    /// What is read.
    #[serde(rename = "isolation.level", skip_serializing_if = "Option::is_none")]
    pub isolation_level: Option<IsolationLevel>,
    /// Whether the client commits by itself.
    #[serde(rename = "enable.auto.commit", skip_serializing_if = "Option::is_none")]
    pub auto_commit: Option<bool>,
    /// How often it does.
    #[serde(
        rename = "auto.commit.interval.ms",
        skip_serializing_if = "Option::is_none"
    )]
    pub auto_commit_interval: Option<Millis>,
    /// librdkafka: whether an offset is stored when a record is handed out.
    #[serde(
        rename = "enable.auto.offset.store",
        skip_serializing_if = "Option::is_none"
    )]
    pub auto_offset_store: Option<bool>,
    /// Where to begin without a committed offset, and where the committed one is no longer in the log.
    #[serde(rename = "auto.offset.reset", skip_serializing_if = "Option::is_none")]
    pub auto_offset_reset: Option<AutoOffsetReset>,
    /// How many records a poll returns at most.
    #[serde(
        rename = "max.poll.records",
        deserialize_with = "options::int::deserialize",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_poll_records: Option<u32>,
    /// How long may pass between two polls before the consumer leaves its group.
    #[serde(
        rename = "max.poll.interval.ms",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_poll_interval: Option<Millis>,
    /// How long the coordinator waits for a heartbeat before it takes the consumer for gone.
    #[serde(rename = "session.timeout.ms", skip_serializing_if = "Option::is_none")]
    pub session_timeout: Option<Millis>,
    /// `consumer` is the protocol of KIP-848.
    #[serde(rename = "group.protocol", skip_serializing_if = "Option::is_none")]
    pub group_protocol: Option<GroupProtocol>,
}

/// An instance of an application that reads, processes and writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StreamsApp {
    /// The instance's name.
    pub name: String,
    /// The client library and its version.
    #[serde(default)]
    pub client: Client,
    /// `application.id`: the group of its consumers, and the prefix of its transactional ids.
    #[serde(rename = "application.id")]
    pub application_id: String,
    /// The topic it reads.
    pub input: String,
    /// The topic it writes, to the partition of the same number, one record for each that it reads.
    pub output: String,
    /// Whether it counts the records by key, in a local store with a changelog topic.
    #[serde(default)]
    pub store: bool,
    /// When it starts.
    #[serde(default)]
    pub start_ms: Millis,
    /// How long it takes for one record.
    #[serde(default)]
    pub processing_ms: Micros,
    /// How it adds offsets to its transaction.
    #[serde(default)]
    pub send_offsets: SendOffsets,
    /// Its options.
    #[serde(default, deserialize_with = "options::streams")]
    pub config: StreamsConfig,
}

/// What `sendOffsetsToTransaction` names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SendOffsets {
    /// The consumer's group metadata: member id and generation (KIP-447).
    #[default]
    GroupMetadata,
    /// The group id only, as the old API does.
    GroupIdOnly,
}

/// What a Streams application promises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProcessingGuarantee {
    /// Offsets are committed after the output is acknowledged. The default.
    #[default]
    AtLeastOnce,
    /// Offsets, output and changelog are one transaction.
    ExactlyOnceV2,
}

/// A Streams application's options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "schema", schemars(extend("additionalProperties" = true)))]
pub struct StreamsConfig {
    /// What it promises.
    #[serde(rename = "processing.guarantee")]
    pub guarantee: ProcessingGuarantee,
    /// How often it commits. If left out: 100 ms with exactly_once_v2, else 30 s.
    #[serde(rename = "commit.interval.ms", skip_serializing_if = "Option::is_none")]
    pub commit_interval: Option<Millis>,
    /// Its producer's options.
    #[serde(deserialize_with = "options::streams_producer")]
    pub producer: ProducerConfig,
    /// Its consumer's `max.poll.interval.ms`. If left out, 5 min.
    #[serde(
        rename = "max.poll.interval.ms",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_poll_interval: Option<Millis>,
    /// Its consumer's `session.timeout.ms`. If left out, 45 s.
    #[serde(rename = "session.timeout.ms", skip_serializing_if = "Option::is_none")]
    pub session_timeout: Option<Millis>,
}

/// How long things take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct DeliveryCosts {
    /// A request or a response on its way.
    pub network_ms: Millis,
    /// How long a broker or a coordinator takes for a request.
    pub broker_ms: Micros,
    /// How long after something was appended a follower has fetched it.
    pub fetch_ms: Millis,
    /// How long it takes to write and replicate a transition of a transaction, or a marker.
    pub log_ms: Millis,
    /// How long it takes until a new leader is elected.
    pub election_ms: Millis,
    /// How long it takes until a client or a broker that has crashed runs again.
    pub restart_ms: Millis,
    /// How long a consumer waits between two polls that return nothing.
    pub poll_ms: Millis,
    /// How far a cost or delay may be off, in percent of it, to either side.
    pub jitter_percent: u8,
}

impl Default for DeliveryCosts {
    fn default() -> Self {
        Self {
            network_ms: Millis(5),
            broker_ms: Micros::ZERO,
            fetch_ms: Millis(5),
            log_ms: Millis(5),
            election_ms: Millis(50),
            restart_ms: Millis(1_000),
            poll_ms: Millis(10),
            jitter_percent: 0,
        }
    }
}

/// What breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct DeliveryFaults {
    /// How many crashes, pauses and lost logs may happen at most, scheduled ones included.
    pub max_crashes: u8,
    /// How many messages may be lost at most, those of `messages` included.
    pub max_losses: u8,
    /// Faults with a moment.
    pub schedule: Vec<DeliveryFault>,
    /// Messages that are lost or late.
    pub messages: Vec<MessageFault>,
}

impl Default for DeliveryFaults {
    fn default() -> Self {
        Self {
            max_crashes: 9,
            max_losses: 9,
            schedule: Vec::new(),
            messages: Vec::new(),
        }
    }
}

/// A fault with a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "PlainDeliveryFault", into = "PlainDeliveryFault")]
pub struct DeliveryFault {
    /// When it happens, since the start of the run.
    pub at_ms: Millis,
    /// What happens.
    pub what: DeliveryBreakage,
}

/// What happens. Clients are named as in the scenario, brokers `broker-1`, `broker-2`, …; and
/// `transaction-coordinator`, which can only crash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryBreakage {
    /// A client or a broker dies and comes back by itself; a coordinator moves to another broker.
    Crash(String),
    /// A client is shut down properly, or a broker dies, and stays down until it is started.
    Stop(String),
    /// It is started again.
    Start(String),
    /// A client or a broker stands still (garbage collection) until it is resumed.
    Pause(String),
    /// It goes on, and does not know that time has passed.
    Resume(String),
    /// A broker that is down loses what it has not written to disk: its whole log.
    LoseLog(String),
    /// The transaction coordinator's clock is set back.
    StepClockBack,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct PlainDeliveryFault {
    /// When, in virtual time since the start.
    at_ms: Millis,
    /// A client, a broker (`broker-1`) or a coordinator dies, and comes back by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crash: Option<String>,
    /// A client is shut down as it should be, or a broker dies and stays down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stop: Option<String>,
    /// What was stopped runs again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    /// A client or a broker stands still, and does not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pause: Option<String>,
    /// It goes on, and does not know that time has passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resume: Option<String>,
    /// A broker that is down loses what it has not written to disk: its whole log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lose_log: Option<String>,
    /// The transaction coordinator's clock is set back.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    step_clock_back: bool,
}

impl TryFrom<PlainDeliveryFault> for DeliveryFault {
    type Error = &'static str;

    fn try_from(plain: PlainDeliveryFault) -> Result<Self, Self::Error> {
        let mut kinds = [
            plain.crash.map(DeliveryBreakage::Crash),
            plain.stop.map(DeliveryBreakage::Stop),
            plain.start.map(DeliveryBreakage::Start),
            plain.pause.map(DeliveryBreakage::Pause),
            plain.resume.map(DeliveryBreakage::Resume),
            plain.lose_log.map(DeliveryBreakage::LoseLog),
            plain
                .step_clock_back
                .then_some(DeliveryBreakage::StepClockBack),
        ]
        .into_iter()
        .flatten();
        match (kinds.next(), kinds.next()) {
            (Some(what), None) => Ok(Self {
                at_ms: plain.at_ms,
                what,
            }),
            _ => Err(
                "a fault has its moment and one of `crash`, `stop`, `start`, `pause`, `resume`, \
                 `lose_log`, `step_clock_back`",
            ),
        }
    }
}

impl From<DeliveryFault> for PlainDeliveryFault {
    fn from(fault: DeliveryFault) -> Self {
        let mut plain = Self {
            at_ms: fault.at_ms,
            ..Self::default()
        };
        match fault.what {
            DeliveryBreakage::Crash(name) => plain.crash = Some(name),
            DeliveryBreakage::Stop(name) => plain.stop = Some(name),
            DeliveryBreakage::Start(name) => plain.start = Some(name),
            DeliveryBreakage::Pause(name) => plain.pause = Some(name),
            DeliveryBreakage::Resume(name) => plain.resume = Some(name),
            DeliveryBreakage::LoseLog(name) => plain.lose_log = Some(name),
            DeliveryBreakage::StepClockBack => plain.step_clock_back = true,
        }
        plain
    }
}

/// Messages that are lost or late.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MessageFault {
    /// The client that makes the request.
    pub client: String,
    /// The request, by its name in the protocol.
    pub api: Api,
    /// Whether it is the request or its response.
    pub part: Part,
    /// Which of them, counted from 1 for this client and request, attempts included.
    #[serde(default = "one")]
    pub number: u16,
    /// So many from there on.
    #[serde(default = "one")]
    pub count: u16,
    /// How much longer it takes; if left out, it is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<Millis>,
}

/// A request, by its name in Kafka's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Api {
    /// A batch of records for a partition.
    Produce,
    /// A producer asks for its producer id and epoch.
    InitProducerId,
    /// A partition joins the transaction.
    AddPartitionsToTxn,
    /// The offsets of a group join the transaction.
    AddOffsetsToTxn,
    /// Offsets that hold when the transaction is committed.
    TxnOffsetCommit,
    /// Commit or abort.
    EndTxn,
    /// A consumer commits offsets.
    OffsetCommit,
}

/// A request or its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// From the client.
    Request,
    /// To the client.
    Response,
}

const fn ten() -> Millis {
    Millis(10)
}

const fn one_value() -> u32 {
    1
}

/// The option `acks`: `"0"`, `"1"`, `"all"` (or `"-1"`), or the number.
mod acks {
    use core::fmt;

    use serde::de::{Error, Unexpected, Visitor};
    use serde::{Deserializer, Serializer};

    use crate::kafka::replicated_log::Acks;

    #[expect(clippy::ref_option, reason = "serde's signature")]
    pub(super) fn serialize<S: Serializer>(
        acks: &Option<Acks>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match acks {
            Some(Acks::None) => "0",
            Some(Acks::Leader) => "1",
            Some(Acks::All) | None => "all",
        })
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Acks>, D::Error> {
        deserializer.deserialize_any(Written)
    }

    struct Written;

    impl Visitor<'_> for Written {
        type Value = Option<Acks>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("\"0\", \"1\" or \"all\"")
        }

        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
            match number {
                -1 => Ok(Some(Acks::All)),
                0 => Ok(Some(Acks::None)),
                1 => Ok(Some(Acks::Leader)),
                other => Err(E::invalid_value(Unexpected::Signed(other), &self)),
            }
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
            match i64::try_from(number) {
                Ok(number) => self.visit_i64(number),
                Err(_) => Err(E::invalid_value(Unexpected::Unsigned(number), &self)),
            }
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
            match text {
                "0" => Ok(Some(Acks::None)),
                "1" => Ok(Some(Acks::Leader)),
                "all" | "-1" => Ok(Some(Acks::All)),
                other => Err(E::invalid_value(Unexpected::Str(other), &self)),
            }
        }
    }
}
