//! What a person opens: topology, options, workload and faults, as data.
//!
//! A scenario is JSON that a user can write. [`Scenario::from_json`] names the field that does not
//! parse; [`Scenario::check`] names the field that makes no sense, and says what would be right.

mod check;
mod dataset;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

pub use check::Limits;
pub use dataset::Dataset;

use crate::kafka::log::IsolationLevel;
use crate::time::Millis;

/// The version of the format that this program reads.
pub const VERSION: u32 = 1;

/// The default story, as JSON.
pub const DEFAULT_STORY: &str = include_str!("../../../scenarios/two-million.json");

/// A scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The version of the format: [`VERSION`].
    pub version: u32,
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
    /// Who reads the result.
    #[serde(default)]
    pub reader: Reader,
    /// How checkpoints are taken.
    pub checkpointing: Checkpointing,
    /// How long things take.
    #[serde(default)]
    pub costs: Costs,
    /// What breaks.
    #[serde(default)]
    pub faults: Faults,
    /// After how many steps the run is cut off.
    #[serde(default = "default_limit")]
    pub max_steps: u32,
}

const fn default_limit() -> u32 {
    100_000
}

/// Where the records come from. Record n goes to partition n modulo the number of partitions, as a
/// producer without keys that takes turns would send it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[serde(deny_unknown_fields)]
pub struct Record {
    /// What it is about: keyBy sends equal keys to the same subtask.
    pub key: String,
    /// What it adds to the total.
    pub value: u32,
}

/// A topic that a source reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Its name, by which a source refers to it.
    pub topic: String,
    /// How many partitions it has.
    #[serde(default = "one")]
    pub partitions: u16,
    /// The records in it.
    pub workload: Workload,
}

/// The topic that the sinks write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[serde(deny_unknown_fields)]
pub struct Job {
    /// The operators.
    pub vertices: Vec<Vertex>,
    /// How they are connected.
    pub edges: Vec<Edge>,
}

/// An operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vertex {
    /// Its name, by which edges and faults refer to it.
    pub name: String,
    /// What it does.
    pub operator: Operator,
    /// How many subtasks it has.
    #[serde(default = "one")]
    pub parallelism: u16,
}

const fn ten_minutes() -> Millis {
    Millis(600_000)
}

const fn one() -> u16 {
    1
}

/// What an operator does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    },
    /// Passes each record on; no state.
    Map {
        /// The time one record takes.
        #[serde(default)]
        cost_ms: Millis,
    },
    /// Passes on all records but each n-th one of its topic.
    Filter {
        /// The n: 2 drops every second record.
        drop_every: u32,
        /// The time one record takes.
        #[serde(default)]
        cost_ms: Millis,
    },
    /// Passes each record on several times.
    FlatMap {
        /// How often.
        copies: u8,
        /// The time one record takes.
        #[serde(default)]
        cost_ms: Millis,
    },
    /// Adds each record to the sum of its key, and passes on what it added.
    Sum {
        /// The time one record takes.
        #[serde(default)]
        cost_ms: Millis,
    },
    /// Keeps the records of two inputs by key, and passes each one on.
    Join {
        /// The time one record takes.
        #[serde(default)]
        cost_ms: Millis,
    },
    /// Writes each record to the output topic.
    Sink {
        /// What it promises: Flink's `DeliveryGuarantee`.
        delivery_guarantee: DeliveryGuarantee,
        /// The time one record takes.
        #[serde(default)]
        cost_ms: Millis,
    },
}

/// What a sink promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeliveryGuarantee {
    /// Each record is written at once, outside any transaction.
    AtLeastOnce,
    /// Records are written in a transaction that is committed when the checkpoint is complete.
    ExactlyOnce,
}

/// An edge between two vertices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edge {
    /// The name of the sending vertex.
    pub from: String,
    /// The name of the receiving vertex.
    pub to: String,
    /// How records are spread over the receiver's subtasks.
    pub partitioning: Partitioning,
}

/// How an edge spreads records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// After how many checkpoints no more are triggered; none: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_checkpoints: Option<u32>,
}

/// What checkpoints promise of the state: Flink's `CheckpointingMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckpointingMode {
    /// The state holds every record once: records behind a barrier wait, or are stored with it.
    #[default]
    ExactlyOnce,
    /// Nothing waits: after a recovery, records may be in the state twice.
    AtLeastOnce,
}

/// How long things take, and how much fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Costs {
    /// How long a record or barrier is under way in a channel.
    pub hop_ms: Millis,
    /// How long a message between coordinator and subtask is under way.
    pub control_ms: Millis,
    /// How long a snapshot is under way to the store.
    pub snapshot_ms: Millis,
    /// How long a sink takes to commit.
    pub commit_ms: Millis,
    /// How long after a failure the job is restarted: the delay of Flink's fixed-delay restart strategy.
    pub restart_ms: Millis,
    /// How far each of these may be off, in percent, to either side.
    pub jitter_percent: u8,
    /// How many records fit into a channel.
    pub buffers_per_channel: u32,
}

impl Default for Costs {
    fn default() -> Self {
        Self {
            hop_ms: Millis(10),
            control_ms: Millis(5),
            snapshot_ms: Millis(50),
            commit_ms: Millis(10),
            restart_ms: Millis(1_000),
            jitter_percent: 10,
            buffers_per_channel: 4,
        }
    }
}

/// What breaks, and how much may.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Faults {
    /// How many crashes there may be in all, by the schedule, by hand or in a search.
    pub max_crashes: u8,
    /// Faults at given moments.
    pub schedule: Vec<Fault>,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            max_crashes: 9,
            schedule: Vec::new(),
        }
    }
}

/// A fault at a given moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// When, in virtual time since the start.
    pub at_ms: Millis,
    /// The subtask that dies: the vertex's name and the subtask's number from 0, as in `total[1]`.
    pub crash: String,
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

    /// Reads a scenario and checks it.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field, and says what is wrong with it and what would be right.
    pub fn from_json(json: &str) -> Result<Self, ScenarioError> {
        // Some editors begin a file with a mark of its encoding.
        let json = json.trim_start_matches('\u{feff}');
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let scenario: Self =
            serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
                let (path, inner) = (error.path().to_string(), error.inner());
                // What is no JSON has no fields yet.
                if inner.is_syntax() || inner.is_eof() {
                    return ScenarioError::new("", alloc::format!("no JSON: {inner}"));
                }
                let field = if path == "." { String::new() } else { path };
                ScenarioError::new(field, inner.to_string())
            })?;
        deserializer
            .end()
            .map_err(|error| ScenarioError::new("", error.to_string()))?;
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
