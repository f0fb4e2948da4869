//! The settings that the page can change.

use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::scenario::{
    CheckpointingMode, DeliveryGuarantee, Failover, Fault, Operator, Scenario,
};
use barrierscope_core::time::{Micros, Millis};

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
}

impl Knob {
    /// The field of the scenario that it sets.
    pub const fn field(&self) -> &'static str {
        match self {
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
        }
    }
}

/// Sets a scenario's setting.
pub(super) fn turn(scenario: &mut Scenario, knob: Knob) {
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
    }
}
