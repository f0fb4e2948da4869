//! What a person opens: topology, options, workload and faults, as data.
//!
//! A scenario is JSON that a user can write. [`Scenario::from_json`] names the field that does not
//! parse; [`Scenario::check`] names the field that makes no sense, and says what would be right.

mod check;
mod dataset;
pub mod delivery;
mod delivery_check;
mod delivery_clients;
mod delivery_faults;
mod delivery_flow;
mod kafka_sink;
mod nearest;
mod options;
#[cfg(feature = "schema")]
pub mod schema;
mod search;
mod shapes;
mod story;
mod tables;
mod ticket;
pub mod votes;
mod votes_check;
mod words;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

pub use check::Limits;
pub use dataset::Dataset;
pub use delivery::Delivery;
pub use kafka_sink::{KAFKA_TO_KAFKA, Kafka, KafkaSink, TransactionNamingStrategy};
pub use options::Ignored;
pub use shapes::{Arrival, CopyOnRestore, EnumeratorState, Feedback, Start, StartupMode};
pub use story::{Story, StoryRef};
pub use tables::{DedupeKey, EndOfData, TableConnector};
pub use ticket::Ticket;
pub use votes::Votes;

use crate::kafka::log::IsolationLevel;
use crate::time::{Micros, Millis};

/// The version of the format that this program reads.
pub const VERSION: u32 = 1;

/// The default story, as JSON.
pub const DEFAULT_STORY: &str = include_str!("../../../scenarios/two-million.json");

/// A scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The version of the format: [`VERSION`].
    pub version: u32,
    /// Which model: there may be no other name here.
    #[serde(default, skip_serializing_if = "PipelineName::is_implied")]
    pub model: PipelineName,
    /// What to call it.
    pub name: String,
    /// Chooses the jitter of costs and delays: the same seed gives the same run.
    #[serde(default)]
    pub seed: u64,
    /// The topics that are read, and what is in them.
    pub inputs: Vec<Input>,
    /// The job.
    pub job: Job,
    /// The topic that is written.
    pub output: Output,
    /// The brokers of that topic, and the sink's producers. If left out, the topic takes no time and never
    /// fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kafka: Option<Kafka>,
    /// Who reads the result.
    #[serde(default)]
    pub reader: Reader,
    /// How checkpoints are taken.
    pub checkpointing: Checkpointing,
    /// What a person asks of the job while it runs.
    #[serde(default)]
    pub savepoints: Savepoints,
    /// What happens after a failure.
    #[serde(default)]
    pub restart: Restart,
    /// How long things take.
    #[serde(default)]
    pub costs: Costs,
    /// How large the buffers are, as Flink is configured. If left out, every channel has the room that
    /// `costs.buffers_per_channel` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// What breaks.
    #[serde(default)]
    pub faults: Faults,
    /// Faults of Flink and its connectors that are not mended in the versions that the job has, by their
    /// tickets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfixed: Vec<Ticket>,
    /// When the run is cut off, if it does not end before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<Millis>,
    /// After how many steps the run is cut off.
    #[serde(default = "default_limit")]
    pub max_steps: u32,
}

/// The name of the model that a [`Scenario`] describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PipelineName {
    /// The only one.
    #[default]
    Pipeline,
}

impl PipelineName {
    /// It need not be written.
    const fn is_implied(&self) -> bool {
        true
    }
}

const fn default_limit() -> u32 {
    100_000
}

/// Where the records come from. Record n goes to partition n modulo the number of partitions, as a
/// producer without keys that takes turns would send it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Workload {
    /// A data set that comes with the program.
    Dataset(Dataset),
    /// Records that are written out.
    Records(Vec<Record>),
    /// Records numbered through: keys `key-0`, `key-1`, … in turn, each with the value 1.
    Numbered {
        /// How many records.
        count: u32,
        /// How many different keys.
        keys: u32,
    },
}

impl Workload {
    /// How many records there are.
    pub fn len(&self) -> u64 {
        match self {
            Self::Dataset(dataset) => dataset.records().len() as u64,
            Self::Records(records) => records.len() as u64,
            Self::Numbered { count, .. } => u64::from(*count),
        }
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The records, in the order of production.
    pub fn records(&self) -> Vec<Record> {
        match self {
            Self::Dataset(dataset) => dataset.records(),
            Self::Records(records) => records.clone(),
            Self::Numbered { count, keys } => (0..*count)
                .map(|number| Record {
                    key: alloc::format!("key-{}", number.checked_rem(*keys).unwrap_or(0)),
                    value: 1,
                })
                .collect(),
        }
    }
}

/// A record of a workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// What it is about: keyBy sends equal keys to the same subtask.
    pub key: String,
    /// What it adds to the total.
    pub value: u32,
}

/// A topic that a source reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Its name, by which a source refers to it.
    pub topic: String,
    /// How many partitions it has.
    #[serde(default = "one")]
    pub partitions: u16,
    /// The records in it.
    pub workload: Workload,
    /// How many bytes one of its records takes, in every channel.
    #[serde(default = "hundred")]
    pub record_bytes: u32,
    /// When its records come to it; if left out, all are there from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival: Option<Arrival>,
}

/// The topic that the sinks write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Its name.
    pub topic: String,
    /// How many partitions it has; if left out, one for each sink subtask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partitions: Option<u16>,
}

/// A job: vertices and edges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The operators.
    pub vertices: Vec<Vertex>,
    /// How they are connected.
    pub edges: Vec<Edge>,
    /// How many TaskManagers there are: subtask i of each vertex runs on TaskManager i modulo this, as
    /// with one slot for each pipeline.
    #[serde(default = "one")]
    pub task_managers: u16,
}

/// An operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Vertex {
    /// Its name, by which edges and faults refer to it.
    pub name: String,
    /// What it does.
    pub operator: Operator,
    /// How many subtasks it has.
    #[serde(default = "one")]
    pub parallelism: u16,
    /// How many bytes a record takes that it sends; if left out, as many as it took when it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_bytes: Option<u32>,
    /// How large its snapshots are; if left out, as `costs` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateSize>,
}

/// How large the snapshot of a subtask is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StateSize {
    /// Bytes without any key.
    pub bytes: u32,
    /// What each key adds, in bytes.
    #[serde(default)]
    pub key_bytes: u32,
}

const fn yes() -> bool {
    true
}

const fn ten_minutes() -> Millis {
    Millis(600_000)
}

const fn one() -> u16 {
    1
}

const fn one_checkpoint() -> u8 {
    1
}

const fn hundred() -> u32 {
    100
}

/// What an operator does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Operator {
    /// Reads a topic.
    Source {
        /// Which of the inputs.
        topic: String,
        /// A record from each partition this often, if there is room downstream.
        interval_ms: Millis,
        /// How much longer, in percent, each next partition's interval is than that of the one before.
        #[serde(default)]
        skew_percent: u16,
        /// Whether the topic ends where its records end, as with `KafkaSource.setBounded`. When every
        /// source is bounded, the job takes a last checkpoint at the end of the data, and finishes.
        #[serde(default)]
        bounded: bool,
        /// Where it begins to read, and what its enumerator stores of that.
        #[serde(default, skip_serializing_if = "Start::is_default")]
        start: Start,
    },
    /// Passes each record on; no state.
    Map {
        /// The time one record takes.
        #[serde(default)]
        cost_ms: Micros,
    },
    /// Passes on all records but each n-th one of its topic.
    Filter {
        /// The n: 2 drops every second record.
        drop_every: u32,
        /// The time one record takes.
        #[serde(default)]
        cost_ms: Micros,
    },
    /// Passes each record on several times.
    FlatMap {
        /// How often.
        copies: u8,
        /// The time one record takes.
        #[serde(default)]
        cost_ms: Micros,
    },
    /// Adds each record to the sum of its key, and passes on what it added.
    Sum {
        /// The time one record takes.
        #[serde(default)]
        cost_ms: Micros,
    },
    /// Keeps the records of two inputs by key, and passes each one on.
    Join {
        /// The time one record takes.
        #[serde(default)]
        cost_ms: Micros,
    },
    /// Applies each record of a control stream to its broadcast state: what comes on an edge that is
    /// `broadcast` comes to every subtask, and each keeps a copy of the state
    /// (`BroadcastProcessFunction`). Passes on what it applies; and, untouched, what comes on other edges.
    BroadcastState {
        /// The time a record of another edge takes (`processElement`).
        #[serde(default)]
        cost_ms: Micros,
        /// The time it takes to apply one of the control stream (`processBroadcastElement`).
        #[serde(default)]
        apply_ms: Micros,
        /// Which copy of the state a subtask gets when it is restored.
        #[serde(default, skip_serializing_if = "CopyOnRestore::is_default")]
        restored: CopyOnRestore,
    },
    /// The head of a loop (`DataStream.iterate`): a record goes round once. What comes on other edges it
    /// sends into the loop; what comes back on a feedback edge it sends out of it. No state.
    Iteration {
        /// The time one record takes.
        #[serde(default)]
        cost_ms: Micros,
    },
    /// Writes records into data files of a table, and at each barrier hands over what it has closed: the output
    /// is a table then, and no topic. A `table-committer` follows.
    TableWriter {
        /// The time one record takes.
        #[serde(default)]
        cost_ms: Micros,
    },
    /// Collects what table writers hand over, and commits it to the table's catalog when the checkpoint is complete;
    /// or, where a `global-committer` follows, hands it on then. One subtask.
    TableCommitter {
        /// Which connector's.
        #[serde(default)]
        connector: TableConnector,
        /// How it recognises in the catalog what it has committed before.
        #[serde(default)]
        dedupe_key: DedupeKey,
        /// When a committer that hands on lets those behind it know of the end of the data.
        #[serde(default)]
        end_of_data: EndOfData,
    },
    /// Commits to the table's catalog what a `table-committer` hands on: the post-commit topology of Sink V2
    /// (`StandardSinkTopologies.addGlobalCommitter`). One subtask.
    GlobalCommitter {
        /// How it recognises in the catalog what it has committed before.
        #[serde(default)]
        dedupe_key: DedupeKey,
    },
    /// Writes each record to the output topic.
    Sink {
        /// What it promises: Flink's `DeliveryGuarantee`.
        delivery_guarantee: DeliveryGuarantee,
        /// The time one record takes.
        #[serde(default)]
        cost_ms: Micros,
    },
}

/// What a sink promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DeliveryGuarantee {
    /// Each record is handed to the producer, and nobody waits for it: what the producer has not sent when
    /// it dies is lost. Needs brokers (`kafka`).
    None,
    /// Each record is written at once, outside any transaction.
    AtLeastOnce,
    /// Records are written in a transaction that is committed when the checkpoint is complete.
    ExactlyOnce,
}

/// An edge between two vertices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// The name of the sending vertex.
    pub from: String,
    /// The name of the receiving vertex.
    pub to: String,
    /// How records are spread over the receiver's subtasks.
    pub partitioning: Partitioning,
    /// For an edge that leads back to an `iteration` and closes its loop: how records on it get into a
    /// checkpoint, if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Feedback>,
    /// Whether barriers may overtake on this edge though it is `broadcast`, as they could in Flink before
    /// FLINK-22815; since then they never may.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub force_unaligned: bool,
}

/// How an edge spreads records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Partitioning {
    /// To the subtask of the same number.
    Forward,
    /// By key: what keyBy does.
    Hash,
    /// To each subtask in turn.
    Rebalance,
    /// To every subtask.
    Broadcast,
}

/// Who reads the output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reader {
    /// Its name.
    pub name: String,
    /// The consumer option of this name.
    pub isolation_level: IsolationLevel,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            name: "dashboard".to_string(),
            isolation_level: IsolationLevel::ReadCommitted,
        }
    }
}

/// How checkpoints are taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Checkpointing {
    /// `execution.checkpointing.mode`.
    #[serde(default)]
    pub mode: CheckpointingMode,
    /// `execution.checkpointing.unaligned.enabled`: whether barriers overtake records.
    #[serde(default)]
    pub unaligned: bool,
    /// `execution.checkpointing.aligned-checkpoint-timeout`: how long an unaligned checkpoint stays
    /// aligned; 0: not at all.
    #[serde(default)]
    pub aligned_timeout_ms: Millis,
    /// `execution.checkpointing.interval`.
    pub interval_ms: Millis,
    /// `execution.checkpointing.timeout`: a checkpoint that takes longer is given up; 0: none ever is.
    #[serde(default = "ten_minutes")]
    pub timeout_ms: Millis,
    /// `execution.checkpointing.min-pause`: at least this long after a checkpoint was completed, the
    /// next one is triggered.
    #[serde(default)]
    pub min_pause_ms: Millis,
    /// `execution.checkpointing.max-concurrent-checkpoints`: how many may be under way at once.
    #[serde(default = "one_checkpoint")]
    pub max_concurrent: u8,
    /// `execution.checkpointing.tolerable-failed-checkpoints`: how many checkpoints in a row may fail
    /// before the job does; Flink's default is 0.
    #[serde(default)]
    pub tolerable_failures: u32,
    /// How long after the start of the job, or after a restart, the first checkpoint is due; if left out,
    /// one interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_delay_ms: Option<Millis>,
    /// `execution.checkpointing.checkpoints-after-tasks-finish`: whether there are checkpoints when sources have
    /// come to their end. Without, a bounded job ends without the one that would commit its last
    /// transactions (before FLIP-147; the default since 1.15).
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub after_tasks_finish: bool,
    /// `CheckpointConfig.setForceCheckpointing`: whether checkpoints are taken of a job with a loop whose
    /// records on the feedback edge no checkpoint holds. Flink refuses such a job otherwise.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub force: bool,
    /// After how many checkpoints no more are triggered; none: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_checkpoints: Option<u32>,
}

/// What checkpoints promise of the state: Flink's `CheckpointingMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CheckpointingMode {
    /// The state holds every record once: records behind a barrier wait, or are stored with it.
    #[default]
    ExactlyOnce,
    /// Nothing waits: after a recovery, records may be in the state twice.
    AtLeastOnce,
}

/// What a person asks of the job while it runs, and how often it may be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Savepoints {
    /// How many savepoints there may be in all, by the schedule, by hand or in a search.
    pub max: u8,
    /// Savepoints at given moments.
    pub schedule: Vec<Savepoint>,
}

impl Default for Savepoints {
    fn default() -> Self {
        Self {
            max: 9,
            schedule: Vec::new(),
        }
    }
}

/// A savepoint at a given moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Savepoint {
    /// When, in virtual time since the start.
    pub at_ms: Millis,
    /// Whether the job is to stop with it (`flink stop`).
    #[serde(default)]
    pub stop: bool,
}

/// What happens after a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Restart {
    /// `restart-strategy.fixed-delay.attempts`: how often the job is restarted before it fails for good;
    /// none: always. The delay is `costs.restart_ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u8>,
    /// `jobmanager.execution.failover-strategy`.
    pub failover: Failover,
    /// Whether the job is not restarted by its cluster, but submitted anew from its last checkpoint: all of it, and
    /// with another job id.
    #[serde(skip_serializing_if = "core::ops::Not::not")]
    pub resubmitted: bool,
}

/// Which subtasks are restarted when one has failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Failover {
    /// Those that are connected with it by channels (Flink's default).
    #[default]
    Region,
    /// All.
    Full,
}

/// How long things take, and how much fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Costs {
    /// How long a record or barrier is under way in a channel.
    pub hop_ms: Millis,
    /// How long a message between coordinator and subtask is under way.
    pub control_ms: Millis,
    /// How long the synchronous part of a snapshot takes: the subtask does nothing else meanwhile.
    pub sync_ms: Micros,
    /// How long the asynchronous part of a snapshot takes, whatever its size, until it is stored.
    pub snapshot_ms: Millis,
    /// How many bytes of state are stored in a millisecond besides; 0: their number takes no time.
    pub store_bytes_per_ms: u32,
    /// How much longer it takes to store a snapshot with in-flight data.
    pub in_flight_ms: Micros,
    /// What the snapshot of a subtask with a state takes, in bytes, without any key.
    pub state_bytes: u32,
    /// What each key adds to it, in bytes.
    pub key_bytes: u32,
    /// How long a sink takes to flush what it has written, before its snapshot.
    pub flush_ms: Micros,
    /// How long a sink takes to commit.
    pub commit_ms: Millis,
    /// How long after a failure the job is restarted: `restart-strategy.fixed-delay.delay`.
    pub restart_ms: Millis,
    /// How long the subtasks take from the start until they run: a checkpoint that is due meanwhile is
    /// refused.
    pub deploy_ms: Millis,
    /// How far each of these may be off, in percent, to either side.
    pub jitter_percent: u8,
    /// How many records fit into a channel: the first half of them (the larger one) into the receiver's
    /// input queue, the others into the sender's output queue. Flink has two at least; with one, the sender
    /// stands still while a barrier is aligned.
    pub buffers_per_channel: u32,
}

/// Flink's network buffers. Between subtasks on different TaskManagers, a channel has buffers at both
/// ends; on one TaskManager, the receiver reads from the sender's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// `taskmanager.network.memory.buffers-per-channel`.
    pub buffers_per_channel: u32,
    /// `taskmanager.network.memory.floating-buffers-per-gate`, shared equally by its channels here.
    pub floating_buffers_per_gate: u32,
    /// `taskmanager.network.memory.max-buffers-per-channel`.
    pub max_buffers_per_channel: u32,
    /// `taskmanager.memory.segment-size`, in bytes.
    pub segment_bytes: u32,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            buffers_per_channel: 2,
            floating_buffers_per_gate: 8,
            max_buffers_per_channel: 10,
            segment_bytes: 32_768,
        }
    }
}

impl Default for Costs {
    fn default() -> Self {
        Self {
            hop_ms: Millis(10),
            control_ms: Millis(5),
            sync_ms: Micros::ZERO,
            snapshot_ms: Millis(50),
            store_bytes_per_ms: 0,
            in_flight_ms: Micros::ZERO,
            state_bytes: 200,
            key_bytes: 100,
            flush_ms: Micros::ZERO,
            commit_ms: Millis(10),
            restart_ms: Millis(1_000),
            deploy_ms: Millis(0),
            jitter_percent: 10,
            buffers_per_channel: 4,
        }
    }
}

/// What breaks, and how much may: by the schedule, by hand or in a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Faults {
    /// How often a subtask, a TaskManager or the JobManager may be lost.
    pub max_crashes: u8,
    /// How many snapshots may fail in their asynchronous part.
    pub max_declines: u8,
    /// How often the store may refuse to complete a checkpoint.
    pub max_refusals: u8,
    /// How many notifications of the coordinator's may be lost.
    pub max_lost_notifications: u8,
    /// Faults at given moments.
    pub schedule: Vec<Fault>,
    /// Faults at given checkpoints.
    pub snapshots: Vec<SnapshotFault>,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            max_crashes: 9,
            max_declines: 9,
            max_refusals: 9,
            max_lost_notifications: 9,
            schedule: Vec::new(),
            snapshots: Vec::new(),
        }
    }
}

impl Faults {
    /// Nothing ever breaks.
    pub fn none() -> Self {
        Self {
            max_crashes: 0,
            max_declines: 0,
            max_refusals: 0,
            max_lost_notifications: 0,
            schedule: Vec::new(),
            snapshots: Vec::new(),
        }
    }
}

/// A fault at a given moment. One that cannot happen then (what it hits is down) waits until it can.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "PlainFault", into = "PlainFault")]
pub struct Fault {
    /// When, in virtual time since the start.
    pub at_ms: Millis,
    /// What breaks.
    pub what: Breakage,
}

/// What breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Breakage {
    /// A subtask dies: the vertex's name and the subtask's number from 0, as in `total[1]`.
    Crash(String),
    /// A TaskManager is lost with its subtasks: its number from 0.
    LoseTaskManager(u16),
    /// The JobManager is lost, and with it every checkpoint under way.
    LoseJobManager,
    /// The next notification to this subtask is lost.
    LoseNotification(String),
    /// The job is killed, and deployed again.
    Redeploy(Redeploy),
    /// The catalog's answer to the next commit of this committer is lost: it is done, and the committer does not hear
    /// of it, and fails.
    LoseCommitResponse(String),
}

/// How a job is deployed again that was killed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Redeploy {
    /// From which of the completed checkpoints; 0: from none, with no state. If left out, from the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<u32>,
    /// The sink's prefix from now on. If left out, it stays.
    #[serde(
        rename = "transactionalIdPrefix",
        skip_serializing_if = "Option::is_none"
    )]
    pub prefix: Option<String>,
    /// How many subtasks the sink has from now on, at most as many as its vertex has. If left out, that stays.
    /// Only where it writes to brokers, and its input is not `forward` or `broadcast`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallelism: Option<u16>,
}

/// A fault as it is written: its moment, and one of the others.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct PlainFault {
    /// When, in virtual time since the start.
    at_ms: Millis,
    /// A subtask dies: the vertex and the number from 0, as in `total[1]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crash: Option<String>,
    /// A TaskManager is lost with its subtasks: its number from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lose_task_manager: Option<u16>,
    /// The JobManager is lost, and with it every checkpoint under way.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    lose_job_manager: bool,
    /// The next notification to this subtask is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lose_notification: Option<String>,
    /// The job is killed, and deployed again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    redeploy: Option<Redeploy>,
    /// The catalog’s answer to the next commit of this committer is lost.
    lose_commit_response: Option<String>,
}

impl TryFrom<PlainFault> for Fault {
    type Error = &'static str;

    fn try_from(plain: PlainFault) -> Result<Self, Self::Error> {
        let mut kinds = [
            plain.crash.map(Breakage::Crash),
            plain.lose_task_manager.map(Breakage::LoseTaskManager),
            plain.lose_job_manager.then_some(Breakage::LoseJobManager),
            plain.lose_notification.map(Breakage::LoseNotification),
            plain.redeploy.map(Breakage::Redeploy),
            plain.lose_commit_response.map(Breakage::LoseCommitResponse),
        ]
        .into_iter()
        .flatten();
        match (kinds.next(), kinds.next()) {
            (Some(what), None) => Ok(Self {
                at_ms: plain.at_ms,
                what,
            }),
            _ => Err(
                "a fault has its moment and one of `crash`, `lose_task_manager`, \
                 `lose_job_manager`, `lose_notification`, `lose_commit_response`, `redeploy`",
            ),
        }
    }
}

impl From<Fault> for PlainFault {
    fn from(fault: Fault) -> Self {
        let mut plain = Self {
            at_ms: fault.at_ms,
            ..Self::default()
        };
        match fault.what {
            Breakage::Crash(subtask) => plain.crash = Some(subtask),
            Breakage::LoseTaskManager(number) => plain.lose_task_manager = Some(number),
            Breakage::LoseJobManager => plain.lose_job_manager = true,
            Breakage::LoseNotification(subtask) => plain.lose_notification = Some(subtask),
            Breakage::Redeploy(redeploy) => plain.redeploy = Some(redeploy),
            Breakage::LoseCommitResponse(subtask) => plain.lose_commit_response = Some(subtask),
        }
        plain
    }
}

/// A snapshot that fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SnapshotFault {
    /// Which checkpoint: ids start at 1.
    pub checkpoint: u32,
    /// Whose snapshot, as in `total[1]`; the last one to be acknowledged where the store refuses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtask: Option<String>,
    /// In which part of it.
    pub phase: Phase,
}

/// The parts of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// The synchronous part: the subtask fails, and the job with it.
    Sync,
    /// The asynchronous part: the subtask declines the checkpoint and runs on.
    Async,
    /// The end: the store refuses the checkpoint when all have acknowledged it.
    Finalize,
}

/// What is wrong with a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// The field, as a path: `job.vertices[1].parallelism`; empty where the text is no JSON at all.
    pub field: String,
    /// What is wrong with it, and what would be right.
    pub reason: String,
}

impl ScenarioError {
    pub(crate) fn new(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            reason: reason.into(),
        }
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() {
            f.write_str(&self.reason)
        } else {
            write!(f, "{}: {}", self.field, self.reason)
        }
    }
}

impl core::error::Error for ScenarioError {}

impl Scenario {
    /// The story on the first page: 190 country reports, summed by a Flink job, and a crash.
    ///
    /// # Errors
    /// None, as long as the file that is part of this program is whole; a test opens it.
    pub fn default_story() -> Result<Self, ScenarioError> {
        Self::from_json(DEFAULT_STORY)
    }

    /// Reads a scenario that is being written: it need not make sense yet.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field that does not parse.
    pub fn draft(json: &str) -> Result<Self, ScenarioError> {
        story::read(json)
    }

    /// Reads a scenario and checks it.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field, and says what is wrong with it and what would be right.
    pub fn from_json(json: &str) -> Result<Self, ScenarioError> {
        let scenario: Self = story::read(json)?;
        scenario.check()?;
        Ok(scenario)
    }

    /// The scenario as JSON, laid out for people.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The records of all inputs, one input after the other, each in the order of production.
    pub fn records(&self) -> Vec<Record> {
        let inputs = self.inputs.iter();
        inputs.flat_map(|input| input.workload.records()).collect()
    }

    /// The vertex that is the sink, if there is one.
    pub fn sink_mut(&mut self) -> Option<&mut DeliveryGuarantee> {
        self.job
            .vertices
            .iter_mut()
            .find_map(|vertex| match &mut vertex.operator {
                Operator::Sink {
                    delivery_guarantee, ..
                } => Some(delivery_guarantee),
                _ => None,
            })
    }

    /// What the sink promises, if there is one.
    pub fn delivery_guarantee(&self) -> Option<DeliveryGuarantee> {
        self.job
            .vertices
            .iter()
            .find_map(|vertex| match vertex.operator {
                Operator::Sink {
                    delivery_guarantee, ..
                } => Some(delivery_guarantee),
                _ => None,
            })
    }
}
