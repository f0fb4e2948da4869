//! The settings that the page can change.

use std::borrow::Cow;

use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::scenario::{
    CheckpointingMode, DeliveryGuarantee, Failover, Fault, Operator, Scenario, ScenarioError,
    Story, Ticket,
};
use barrierscope_core::time::{Micros, Millis};
use serde_json::Value;

/// The field of a scenario that a setting is about: what was refused is told beside it.
pub type Field = Cow<'static, str>;

/// A setting of the scenario that the page can change.
#[derive(Clone, Debug, PartialEq)]
pub enum Knob {
    /// When a record becomes visible.
    Guarantee(DeliveryGuarantee),
    /// What the reader sees.
    Isolation(IsolationLevel),
    /// What checkpoints promise of the state.
    Mode(CheckpointingMode),
    /// Whether barriers overtake.
    Unaligned(bool),
    /// How long an unaligned checkpoint stays aligned.
    AlignedTimeout(Millis),
    /// How often a checkpoint is triggered.
    Interval(Millis),
    /// How long a checkpoint may take before it is given up.
    CheckpointTimeout(Millis),
    /// How many checkpoints may be under way at once.
    MaxConcurrent(u8),
    /// How long the coordinator waits at least between two checkpoints.
    MinPause(Millis),
    /// How many checkpoints in a row may fail before the job does.
    TolerableFailures(u32),
    /// Which subtasks are restarted when one has failed.
    Failover(Failover),
    /// How often the job is restarted before it fails for good; none: always.
    Attempts(Option<u8>),
    /// How many records fit into a channel.
    Buffers(u32),
    /// How often a source reads a record.
    SourceInterval(Millis),
    /// What a record costs the sum.
    SumCost(Micros),
    /// How long after a crash the job is restarted.
    RestartDelay(Millis),
    /// The seed of the jitter.
    Seed(u64),
    /// What breaks by itself.
    Schedule(Vec<Fault>),
    /// Whether checkpoints go on when sources have come to their end.
    AfterTasksFinish(bool),
    /// Whether the output topic of a job has brokers.
    Brokers(bool),
    /// A fault of Flink that is not mended, or is.
    Unfixed(Ticket, bool),
    /// A field of a scenario, by its JSON pointer; null leaves it out, so that it
    /// has its default.
    Option(Field, Value),
}

impl Knob {
    /// The field of the scenario that it sets.
    pub fn field(&self) -> Field {
        Cow::Borrowed(match self {
            Self::Guarantee(_) => "delivery_guarantee",
            Self::Isolation(_) => "reader.isolation_level",
            Self::Mode(_) => "checkpointing.mode",
            Self::Unaligned(_) => "checkpointing.unaligned",
            Self::AlignedTimeout(_) => "checkpointing.aligned_timeout_ms",
            Self::Interval(_) => "checkpointing.interval_ms",
            Self::CheckpointTimeout(_) => "checkpointing.timeout_ms",
            Self::MaxConcurrent(_) => "checkpointing.max_concurrent",
            Self::MinPause(_) => "checkpointing.min_pause_ms",
            Self::TolerableFailures(_) => "checkpointing.tolerable_failures",
            Self::Failover(_) => "restart.failover",
            Self::Attempts(_) => "restart.attempts",
            Self::Buffers(_) => "costs.buffers_per_channel",
            Self::SourceInterval(_) => "interval_ms",
            Self::SumCost(_) => "cost_ms",
            Self::RestartDelay(_) => "costs.restart_ms",
            Self::Seed(_) => "seed",
            Self::Schedule(_) => "faults.schedule",
            Self::AfterTasksFinish(_) => "checkpointing.after_tasks_finish",
            Self::Brokers(_) => "kafka",
            Self::Unfixed(..) => "unfixed",
            Self::Option(pointer, _) => return pointer.clone(),
        })
    }
}

/// The story with a setting changed.
///
/// # Errors
/// [`ScenarioError`] if the field does not take the value.
pub(super) fn turned(story: &Story, knob: Knob) -> Result<Story, ScenarioError> {
    match (story, knob) {
        (story, Knob::Option(pointer, value)) => {
            let mut json = serde_json::from_str(&story.as_ref().to_json()).unwrap_or_default();
            put(&mut json, &pointer, value);
            Story::from_json(&json.to_string())
        }
        (Story::Pipeline(scenario), Knob::Brokers(true)) if scenario.kafka.is_none() => {
            let mut json = serde_json::from_str(&story.as_ref().to_json()).unwrap_or_default();
            put(&mut json, "/kafka", brokers());
            Story::from_json(&json.to_string())
        }
        (Story::Pipeline(scenario), knob) => {
            let mut scenario = scenario.clone();
            turn(&mut scenario, knob);
            Ok(Story::Pipeline(scenario))
        }
        // A setting of another model changes nothing.
        (Story::Delivery(_) | Story::Votes(_), _) => Ok(story.clone()),
    }
}

/// The Kafka that a job writes to when brokers are switched on: three, with a replica of the output on each, and a
/// `transaction.timeout.ms` that they allow.
fn brokers() -> Value {
    serde_json::json!({
        "cluster": { "brokers": 3 },
        "replication.factor": 3,
        "min.insync.replicas": 2,
        "sink": { "config": { "transaction.timeout.ms": 900_000 } }
    })
}

/// Sets what a JSON pointer leads to; null takes it out.
fn put(json: &mut Value, pointer: &str, value: Value) {
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        return;
    };
    let Some(Value::Object(fields)) = json.pointer_mut(parent) else {
        return;
    };
    if value.is_null() {
        fields.remove(name);
    } else {
        fields.insert(name.to_owned(), value);
    }
}

/// Sets a scenario's setting.
fn turn(scenario: &mut Scenario, knob: Knob) {
    match knob {
        Knob::Guarantee(guarantee) => {
            if let Some(sink) = scenario.sink_mut() {
                *sink = guarantee;
            }
        }
        Knob::Isolation(level) => scenario.reader.isolation_level = level,
        Knob::Mode(mode) => {
            scenario.checkpointing.mode = mode;
            if mode != CheckpointingMode::ExactlyOnce {
                turn(scenario, Knob::Unaligned(false));
            }
        }
        Knob::Unaligned(unaligned) => {
            scenario.checkpointing.unaligned = unaligned;
            if !unaligned {
                scenario.checkpointing.aligned_timeout_ms = Millis(0);
            }
        }
        Knob::AlignedTimeout(timeout) => scenario.checkpointing.aligned_timeout_ms = timeout,
        Knob::Interval(interval) => scenario.checkpointing.interval_ms = interval,
        Knob::CheckpointTimeout(timeout) => scenario.checkpointing.timeout_ms = timeout,
        Knob::MaxConcurrent(count) => scenario.checkpointing.max_concurrent = count,
        Knob::MinPause(pause) => scenario.checkpointing.min_pause_ms = pause,
        Knob::TolerableFailures(count) => scenario.checkpointing.tolerable_failures = count,
        Knob::Failover(failover) => scenario.restart.failover = failover,
        Knob::Attempts(attempts) => scenario.restart.attempts = attempts,
        Knob::Buffers(count) => scenario.costs.buffers_per_channel = count,
        Knob::SourceInterval(interval) => {
            for vertex in &mut scenario.job.vertices {
                if let Operator::Source { interval_ms, .. } = &mut vertex.operator {
                    *interval_ms = interval;
                }
            }
        }
        Knob::SumCost(cost) => {
            for vertex in &mut scenario.job.vertices {
                if let Operator::Sum { cost_ms } = &mut vertex.operator {
                    *cost_ms = cost;
                }
            }
        }
        Knob::RestartDelay(delay) => scenario.costs.restart_ms = delay,
        Knob::Seed(seed) => scenario.seed = seed,
        Knob::Schedule(schedule) => scenario.faults.schedule = schedule,
        Knob::AfterTasksFinish(goes_on) => scenario.checkpointing.after_tasks_finish = goes_on,
        Knob::Brokers(true) | Knob::Option(..) => {}
        Knob::Brokers(false) => {
            scenario.kafka = None;
            // Without brokers nothing is lost that was handed to a producer.
            if scenario.delivery_guarantee() == Some(DeliveryGuarantee::None) {
                turn(scenario, Knob::Guarantee(DeliveryGuarantee::AtLeastOnce));
            }
        }
        Knob::Unfixed(ticket, is_there) => {
            scenario.unfixed.retain(|other| *other != ticket);
            if is_there {
                scenario.unfixed.push(ticket);
            }
        }
    }
}
