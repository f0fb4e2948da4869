//! The settings that the page can change.

use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::scenario::{
    CheckpointingMode, DeliveryGuarantee, Fault, Operator, Scenario,
};
use barrierscope_core::time::Millis;

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
    /// How many records fit into a channel.
    Buffers(u32),
    /// How often a source reads a record.
    SourceInterval(Millis),
    /// What a record costs the sum.
    SumCost(Millis),
    /// How long after a crash the job is restarted.
    RestartDelay(Millis),
    /// The seed of the jitter.
    Seed(u64),
    /// What breaks by itself.
    Schedule(Vec<Fault>),
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
