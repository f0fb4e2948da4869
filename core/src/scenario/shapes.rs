//! What few jobs have: topics that fill while they are read, loops, broadcast state.

use alloc::format;

use serde::{Deserialize, Serialize};

use super::check::{Checked, Limits, between, refuse};
use super::{CheckpointingMode, Edge, Operator, Partitioning, Scenario, ScenarioError};
use crate::time::Millis;

/// When the records of a topic come to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Arrival {
    /// How many records each partition holds at the start.
    #[serde(default)]
    pub present: u32,
    /// How long after that, and after the one before, the next record comes to each partition.
    pub interval_ms: Millis,
}

/// Where a source begins to read, and what its enumerator stores of that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Start {
    /// `scan.startup.mode`; `OffsetsInitializer` in programs.
    #[serde(rename = "scan.startup.mode")]
    pub startup_mode: StartupMode,
    /// What a checkpoint holds of a partition that is not assigned yet.
    pub enumerator_state: EnumeratorState,
    /// How long a partition that the enumerator has found waits until it is assigned: until its reader has
    /// registered.
    pub assign_ms: Millis,
}

impl Start {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The offset with which a source begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StartupMode {
    /// The first one.
    #[default]
    EarliestOffset,
    /// The end of the partition at the moment at which the enumerator looks
    /// (`OffsetsInitializer.latest()`).
    LatestOffset,
}

/// What the enumerator of a source stores of a partition that is not assigned yet (`KafkaSourceEnumState`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EnumeratorState {
    /// Its name alone, as connectors do before FLINK-38453: whoever restores it evaluates the start offset
    /// anew.
    Partitions,
    /// The split, with the offset at which it starts (since FLINK-38453).
    #[default]
    Splits,
}

/// Which copy of a broadcast state a subtask gets when it is restored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CopyOnRestore {
    /// Its own, as long as the parallelism is the same (`RoundRobinOperatorStateRepartitioner`; Flink's
    /// documentation of the broadcast state pattern).
    #[default]
    Own,
    /// That of subtask 0, as Flink's documentation of checkpointing under backpressure has it; and as
    /// a subtask gets another one's copy when the parallelism grows.
    Subtask0,
}

impl CopyOnRestore {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How records on a feedback edge get into a checkpoint. Barriers that are to be aligned do not go round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Feedback {
    /// They do not: they are in a queue in memory between the tail and the head of the loop
    /// (`StreamIterationTail`, `StreamIterationHead`; until Flink 1.20).
    InMemory,
    /// From the moment of its snapshot on, the head stores what comes back, until a barrier has gone round
    /// too; then its snapshot is whole (Flink ML's `HeadOperator`, Stateful Functions'
    /// `FeedbackUnionOperator`).
    Logged,
}

impl Scenario {
    /// Topics that fill while they are read, and sources that do not begin at the beginning.
    pub(super) fn check_starts(&self) -> Checked {
        let day = u64::from(Limits::DURATION.0);
        for (at, input) in self.inputs.iter().enumerate() {
            let Some(arrival) = input.arrival else {
                continue;
            };
            let field = |name: &str| format!("inputs[{at}].arrival.{name}");
            let most = input.workload.len();
            between(&field("present"), u64::from(arrival.present), 0, most)?;
            let interval = u64::from(arrival.interval_ms.0);
            between(&field("interval_ms"), interval, 1, day)?;
        }
        for (at, vertex) in self.job.vertices.iter().enumerate() {
            let Operator::Source {
                topic,
                start,
                bounded,
                ..
            } = &vertex.operator
            else {
                continue;
            };
            let field = |name: &str| format!("job.vertices[{at}].operator.start.{name}");
            let assign = u64::from(start.assign_ms.0);
            between(&field("assign_ms"), assign, 0, day)?;
            if start.startup_mode == StartupMode::EarliestOffset {
                continue;
            }
            if *bounded {
                return refuse(
                    field("scan.startup.mode"),
                    "a bounded source that begins at the end would have nothing to read: set bounded to false, \
                     or begin at `earliest-offset`",
                );
            }
            let mut inputs = self.inputs.iter();
            if inputs.any(|input| input.topic == *topic && input.arrival.is_none()) {
                return Err(ScenarioError::new(
                    field("scan.startup.mode"),
                    format!(
                        "all records of `{topic}` are there from the start, so `latest-offset` would read none: \
                         give that input an `arrival`, or begin at `earliest-offset`"
                    ),
                ));
            }
        }
        Ok(())
    }

    /// Loops, and edges with a will of their own.
    pub(super) fn check_loops(&self) -> Checked {
        for (at, edge) in self.job.edges.iter().enumerate() {
            if edge.force_unaligned && edge.partitioning != Partitioning::Broadcast {
                return refuse(
                    format!("job.edges[{at}].force_unaligned"),
                    "it is for `broadcast` edges alone: set it to false",
                );
            }
            if edge.force_unaligned && !self.checkpointing.unaligned {
                return refuse(
                    format!("job.edges[{at}].force_unaligned"),
                    "it makes a difference with unaligned checkpoints only: set checkpointing.unaligned to true",
                );
            }
            if let Some(feedback) = edge.feedback {
                self.check_feedback(at, edge, feedback)?;
            }
        }
        for (at, vertex) in self.job.vertices.iter().enumerate() {
            let field = || format!("job.vertices[{at}]");
            let name = &vertex.name;
            let mut into = self.job.edges.iter().filter(|edge| edge.to == *name);
            match vertex.operator {
                Operator::Iteration { .. } => {
                    if !into.clone().any(|edge| edge.feedback.is_some()) {
                        return Err(ScenarioError::new(
                            field(),
                            format!(
                                "no edge with `feedback` leads back to `{name}`: an iteration is the head of a loop"
                            ),
                        ));
                    }
                    if into.all(|edge| edge.feedback.is_some()) {
                        return Err(ScenarioError::new(
                            field(),
                            format!("only feedback leads to `{name}`, so nothing would reach it"),
                        ));
                    }
                    let mut from = self.job.edges.iter().filter(|edge| edge.from == *name);
                    if from.all(|edge| self.leads_into_loop(edge)) {
                        return Err(ScenarioError::new(
                            field(),
                            format!(
                                "every edge from `{name}` leads back to it, so nothing would leave the loop"
                            ),
                        ));
                    }
                }
                Operator::BroadcastState { .. }
                    if !into.any(|edge| edge.partitioning == Partitioning::Broadcast) =>
                {
                    return Err(ScenarioError::new(
                        field(),
                        format!(
                            "no edge to `{name}` is `broadcast`: that is the control stream it applies"
                        ),
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_feedback(&self, at: usize, edge: &Edge, feedback: Feedback) -> Checked {
        let field = |name: &str| format!("job.edges[{at}].{name}");
        let mut vertices = self.job.vertices.iter();
        let head = vertices.find(|vertex| vertex.name == edge.to);
        if !head.is_some_and(|head| matches!(head.operator, Operator::Iteration { .. })) {
            return Err(ScenarioError::new(
                field("to"),
                format!(
                    "feedback leads to an `iteration`, and `{}` is none",
                    edge.to
                ),
            ));
        }
        if edge.partitioning != Partitioning::Forward {
            return refuse(
                field("partitioning"),
                "a feedback edge is `forward`: its ends run side by side, with the same parallelism",
            );
        }
        if edge.from != edge.to && !self.reaches(&edge.to, &edge.from) {
            return Err(ScenarioError::new(
                field("from"),
                format!(
                    "no edges lead from `{}` to `{}`, so this one closes no loop",
                    edge.to, edge.from
                ),
            ));
        }
        let checkpointing = &self.checkpointing;
        if checkpointing.unaligned {
            return refuse(
                "checkpointing.unaligned",
                "a job with a loop takes aligned checkpoints: set checkpointing.unaligned to false",
            );
        }
        match feedback {
            Feedback::InMemory if !checkpointing.force => refuse(
                field("feedback"),
                "records on their way back are in no checkpoint, and a failure loses them: to take checkpoints \
                 all the same, set checkpointing.force to true; or let them be `logged`",
            ),
            Feedback::Logged if checkpointing.mode != CheckpointingMode::ExactlyOnce => refuse(
                field("feedback"),
                "to log what comes back needs the mode `exactly-once`",
            ),
            Feedback::Logged if checkpointing.max_concurrent > 1 => refuse(
                "checkpointing.max_concurrent",
                "with a loop that is logged, checkpoints are taken one at a time: set it to 1",
            ),
            _ => Ok(()),
        }
    }

    /// Whether edges that are no feedback lead from one vertex to another.
    fn reaches(&self, from: &str, to: &str) -> bool {
        let mut reached = alloc::vec![from];
        let mut at = 0;
        while let Some(here) = reached.get(at).copied() {
            let edges = self.job.edges.iter();
            for edge in edges.filter(|edge| edge.from == here && edge.feedback.is_none()) {
                if edge.to == to {
                    return true;
                }
                if !reached.contains(&edge.to.as_str()) {
                    reached.push(&edge.to);
                }
            }
            at += 1;
        }
        false
    }

    /// Whether what an iteration sends on an edge comes back to it.
    pub(crate) fn leads_into_loop(&self, edge: &Edge) -> bool {
        let head = &edge.from;
        if edge.feedback.is_some() {
            return edge.to == *head;
        }
        let feedback = self.job.edges.iter();
        let mut feedback = feedback.filter(|other| other.feedback.is_some() && other.to == *head);
        feedback.any(|back| back.from == edge.to || self.reaches(&edge.to, &back.from))
    }
}
