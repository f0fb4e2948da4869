//! A Kafka topic → a Flink job → a Kafka topic → a reader, with checkpoints.
//!
//! Sources read partitions and inject barriers; operators align them or let them overtake, store their
//! state and pass them on; a sink writes at once, or in a transaction that is committed when the
//! checkpoint is complete. Any subtask, TaskManager or JobManager may be lost at any moment: what was in
//! memory and under way is gone, and the job, or the region that was hit, starts again from the last
//! completed checkpoint.
//!
//! | module | its story |
//! | --- | --- |
//! | `build` | from a scenario to a pipeline |
//! | `state` | what changes |
//! | `rules` | what may happen when: the [`Protocol`](crate::Protocol) |
//! | `flow` | the way of the records |
//! | `network` | what moves through the channels by itself |
//! | `barriers` | the way of the barriers, and what each gate makes of them |
//! | `snapshot` | what a subtask does for a checkpoint |
//! | `checkpoint` | what the coordinator does |
//! | `failure` | crash, failover, recovery, and how transactions end |
//! | `account` | what became of each record |
//! | `picture`, `wires` | all of it as a scene |
//!
//! This module composes; the rules are those of [`flink`](crate::flink) and [`kafka`](crate::kafka).
//!
//! # What this model leaves out
//!
//! A source subtask of Flink learns its partitions from an enumerator; here partition p belongs to
//! subtask p modulo the parallelism. A `join` keeps the records of its inputs
//! by key, as a `sum` does; both pass on what each record added, and the reader
//! adds that up: a running total would hide duplicates. A flat-map needs room for one record to emit
//! several (Flink lends it overdraft buffers). Word of a completed checkpoint goes to sinks only; the other
//! subtasks would do nothing with it. An announcement of a barrier takes no time. A task learns that a
//! checkpoint is given up by a message; what it has not yet finished for it is then dropped. The loss of
//! a TaskManager is noticed at once, and another takes its place; one delay serves for all regions that wait
//! for their restart; the subtasks of a lost JobManager start
//! again, as they do when they lose touch with it. Subtasks whose source has come to its end go on
//! taking part in checkpoints until the last one. The sink's transactions are those of
//! `TwoPhaseCommitSinkFunction`, with a KafkaSink's clean-up of lingering ones; its committer's retries
//! are not modelled. See also what `flink` and `kafka` leave out.

mod account;
mod barriers;
mod build;
mod checkpoint;
mod failure;
mod flow;
mod network;
mod picture;
mod rules;
mod snapshot;
mod state;
mod wires;

use alloc::vec::Vec;

pub use state::State;

use crate::clock::Pace;
use crate::collections::Bits;
use crate::flink::barrier::handler::Mode;
use crate::flink::channel::Buffers;
use crate::flink::job_graph::{JobGraph, Output, Partitioning, Vertex};
use crate::flink::key_groups;
use crate::id::{
    ActorId, ChannelId, CheckpointId, LinkId, NodeId, PartitionId, RecordId, SubtaskId,
};
use crate::kafka::log::IsolationLevel;
use crate::scenario::{
    Breakage, CheckpointingMode, DeliveryGuarantee, Limits, Operator, Phase, Record, Scenario,
    StateSize,
};
use crate::time::Micros;

/// The configuration: what never changes during a run.
#[derive(Debug)]
pub struct Pipeline {
    scenario: Scenario,
    graph: JobGraph,
    records: Vec<Record>,
    /// By record: the hash by which its key's group is found.
    key_hashes: Vec<u32>,
    /// By subtask.
    roles: Vec<Role>,
    /// By input partition, numbered through all topics.
    inputs: Vec<InputPartition>,
    /// By vertex.
    flows: Vec<Flow>,
    /// How many source subtasks there are; they are the first.
    sources: u16,
    /// By sink number.
    sinks: Vec<SubtaskId>,
    /// How many vertices keep a state by key.
    keyed: usize,
    /// By record: how many copies of it the reader should see in the end.
    copies_due: Vec<u32>,
    /// By keyed vertex and record: how often its state should count it in the end.
    counts_due: Vec<u8>,
    output_partitions: u16,
    /// By channel: how many records fit into its queues.
    buffers: Vec<Buffers>,
    /// By channel: how many bytes a record takes there, if not as many as in its topic.
    channel_bytes: Vec<Option<u32>>,
    topics: Vec<Topic>,
    /// By channel: the input it belongs to, of those of all receivers.
    inputs_of_channels: Vec<u32>,
    /// The channels in which barriers may overtake.
    overtaking: Bits,
    /// By subtask: the region that is restarted with it.
    regions: Vec<u16>,
    /// By record: the number of its key.
    keys: Vec<u32>,
    /// Snapshots that are to fail.
    doomed: Vec<Doomed>,
    /// Whether every topic ends where its records end.
    bounded: bool,
}

/// A snapshot that is to fail.
#[derive(Clone, Copy, Debug)]
struct Doomed {
    checkpoint: CheckpointId,
    /// Whose; none: the store refuses the checkpoint.
    subtask: Option<SubtaskId>,
    phase: Phase,
}

/// A topic that is read.
#[derive(Clone, Copy, Debug)]
struct Topic {
    /// The first of its records.
    first: u32,
    /// How many bytes one takes.
    bytes: u32,
    /// The first of its partitions, and how many there are.
    partition: u16,
    partitions: u16,
}

/// A partition of an input topic. The record at offset o is `first + o × step`.
#[derive(Clone, Copy, Debug)]
struct InputPartition {
    /// The topic's place in the scenario.
    topic: u16,
    source: SubtaskId,
    interval: Micros,
    first: u32,
    step: u32,
    len: u32,
}

/// Where a vertex's records go, and how many copies become of one.
#[derive(Clone, Debug)]
struct Flow {
    effect: Effect,
    /// The vertices it sends to, each with the number of copies that it sends there.
    onward: Vec<(usize, u32)>,
}

/// What becomes of a record in an operator.
#[derive(Clone, Copy, Debug)]
enum Effect {
    /// It is sent on so many times.
    Copies(u8),
    /// It is dropped if it is each n-th of its topic, and sent on otherwise.
    DropEvery(u32),
    /// It has arrived.
    Sink,
}

/// What a subtask does, with what it needs to do it.
#[derive(Clone, Debug)]
enum Role {
    Source,
    /// Keeps nothing.
    Stateless {
        cost: Micros,
    },
    /// Keeps records by key.
    Keyed {
        cost: Micros,
        /// Where the vertex's counts begin in the tally.
        base: usize,
        /// Selects this subtask's keys in the tally.
        mask: Vec<u64>,
        /// How many different keys that are.
        keys: u32,
    },
    Sink {
        cost: Micros,
        transactional: bool,
        /// Its number among the sinks.
        number: usize,
        partition: PartitionId,
    },
}

/// One thing that can happen in a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// A source hears that a checkpoint starts: it stores its position and injects the barrier.
    Inject(SubtaskId, CheckpointId),
    /// The source of a partition reads the next record.
    Emit(PartitionId),
    /// A subtask takes the next element of a channel: a record is processed, a barrier aligned.
    Take(ChannelId),
    /// A subtask takes a barrier that is not the next element of its channel, past those before it.
    Overtake(ChannelId),
    /// The alignment of a subtask has taken too long.
    TimeOut(SubtaskId),
    /// A barrier has waited too long in the output queues of a subtask.
    TimeOutOutput(SubtaskId),
    /// A subtask hears what became of a checkpoint.
    Notify(SubtaskId),
    /// The coordinator starts a checkpoint.
    Trigger,
    /// The coordinator hears that a subtask's snapshot is stored.
    Acknowledge(SubtaskId, CheckpointId),
    /// The coordinator hears that a subtask declines a checkpoint.
    HearDecline(SubtaskId, CheckpointId),
    /// A checkpoint has taken too long.
    Expire(CheckpointId),
    /// The subtasks that are down are deployed again, from the last completed checkpoint.
    Restart,
    /// The subtasks that are deployed run.
    Run,
    /// A person asks for a savepoint; with `true`, to stop with it.
    Savepoint(bool),
    /// A subtask dies.
    Crash(SubtaskId),
    /// A TaskManager is lost.
    LoseTaskManager(u16),
    /// The JobManager is lost.
    LoseJobManager,
    /// A snapshot under way to the store fails.
    FailSnapshot(SubtaskId, CheckpointId),
    /// The store refuses a checkpoint when the last acknowledgement has come.
    Refuse(SubtaskId, CheckpointId),
    /// The next notification to a subtask is lost.
    LoseNotification(SubtaskId),
}

impl Pipeline {
    /// The operator of a vertex, as the scenario has it.
    fn operator(&self, vertex: &Vertex) -> Option<&Operator> {
        let planned = self.scenario.job.vertices.get(vertex.plan)?;
        Some(&planned.operator)
    }

    /// By vertex: how many copies at sinks become of a record that arrives there.
    fn yields(&self, record: RecordId) -> [u32; Limits::VERTICES] {
        let mut yields = [0_u32; Limits::VERTICES];
        for (vertex, flow) in self.flows.iter().enumerate().rev() {
            let onward = flow
                .onward
                .iter()
                .map(|(to, copies)| copies.saturating_mul(yields.get(*to).copied().unwrap_or(0)));
            let sum = match flow.effect {
                Effect::Sink => 1,
                effect => onward
                    .fold(0, u32::saturating_add)
                    .saturating_mul(self.copies_sent(effect, Some(record))),
            };
            if let Some(here) = yields.get_mut(vertex) {
                *here = sum;
            }
        }
        yields
    }

    /// How many times an operator sends a record on; without a record, at most.
    fn copies_sent(&self, effect: Effect, record: Option<RecordId>) -> u32 {
        match (effect, record) {
            (Effect::Copies(copies), _) => u32::from(copies),
            (Effect::DropEvery(every), Some(record)) => {
                let number = record
                    .0
                    .saturating_sub(self.topic_of(record).map_or(0, |topic| topic.first))
                    + 1;
                u32::from(!number.is_multiple_of(every))
            }
            (Effect::DropEvery(_), None) => 1,
            (Effect::Sink, _) => 0,
        }
    }

    fn subtask_named(&self, name: &str) -> Option<SubtaskId> {
        let (plan, index) = self.scenario.subtask_named(name)?;
        let vertex = self.graph.vertices().iter().find(|v| v.plan == plan)?;
        Some(SubtaskId(vertex.subtasks.start + index))
    }

    /// Whether the snapshot of a subtask is to fail in this part of it.
    fn is_doomed(
        &self,
        checkpoint: CheckpointId,
        subtask: Option<SubtaskId>,
        phase: Phase,
    ) -> bool {
        self.doomed.iter().any(|doomed| {
            doomed.checkpoint == checkpoint
                && doomed.phase == phase
                && (phase == Phase::Finalize || doomed.subtask == subtask)
        })
    }

    /// How large the snapshots of a subtask's vertex are.
    fn state_size(&self, subtask: SubtaskId) -> StateSize {
        let vertex = self.graph.subtask(subtask).map(|subtask| subtask.vertex);
        let vertex = vertex.and_then(|vertex| self.graph.vertex(vertex));
        let planned = vertex.and_then(|v| self.scenario.job.vertices.get(v.plan));
        let costs = &self.scenario.costs;
        planned
            .and_then(|planned| planned.state)
            .unwrap_or(StateSize {
                bytes: match self.role(subtask) {
                    Some(Role::Stateless { .. }) | None => 0,
                    Some(_) => costs.state_bytes,
                },
                key_bytes: costs.key_bytes,
            })
    }

    /// The TaskManager on which a subtask runs.
    fn task_manager_of(&self, subtask: SubtaskId) -> u16 {
        let index = self.graph.subtask(subtask).map_or(0, |s| s.index);
        index
            .checked_rem(self.scenario.job.task_managers)
            .unwrap_or(0)
    }

    /// The seed, the jitter and the scheduled faults of the scenario.
    pub fn pace(&self) -> Pace<Action> {
        let faults = self.scenario.faults.schedule.iter();
        let faults = faults.filter_map(|fault| {
            let action = match &fault.what {
                Breakage::Crash(subtask) => Action::Crash(self.subtask_named(subtask)?),
                Breakage::LoseTaskManager(number) => Action::LoseTaskManager(*number),
                Breakage::LoseJobManager => Action::LoseJobManager,
                Breakage::LoseNotification(subtask) => {
                    Action::LoseNotification(self.subtask_named(subtask)?)
                }
            };
            Some((fault.at_ms.into(), action))
        });
        let savepoints = self.scenario.savepoints.schedule.iter();
        let savepoints =
            savepoints.map(|savepoint| (savepoint.at_ms.into(), Action::Savepoint(savepoint.stop)));
        Pace {
            seed: self.scenario.seed,
            jitter_percent: self.scenario.costs.jitter_percent,
            faults: faults.chain(savepoints).collect(),
            until: None,
        }
    }

    /// How barriers are handled.
    fn mode(&self) -> Mode {
        let checkpointing = &self.scenario.checkpointing;
        match checkpointing.mode {
            CheckpointingMode::AtLeastOnce => Mode::AtLeastOnce,
            CheckpointingMode::ExactlyOnce if checkpointing.aligned_timeout_ms.0 > 0 => {
                Mode::Alternating
            }
            CheckpointingMode::ExactlyOnce if checkpointing.unaligned => Mode::Unaligned,
            CheckpointingMode::ExactlyOnce => Mode::Aligned,
        }
    }

    /// Which handler the gates have: with unaligned checkpoints, one that can do both, for savepoints and
    /// the barriers of some edges are aligned all the same (Flink's `InputProcessorUtil`).
    fn handler(&self) -> Mode {
        match self.mode() {
            Mode::Unaligned => Mode::Alternating,
            mode => mode,
        }
    }

    /// How many channels there are.
    pub fn channels(&self) -> usize {
        self.graph.channels().len()
    }

    fn role(&self, subtask: SubtaskId) -> Option<&Role> {
        self.roles.get(subtask.index())
    }

    fn subtasks(&self) -> usize {
        self.roles.len()
    }

    fn is_transactional(&self) -> bool {
        self.scenario.delivery_guarantee() == Some(DeliveryGuarantee::ExactlyOnce)
    }

    /// The number of an input gate: sources, which come first, have none.
    fn gate_number(&self, subtask: SubtaskId) -> Option<usize> {
        subtask.0.checked_sub(self.sources).map(usize::from)
    }

    /// The input partitions.
    fn input_partitions(&self) -> impl Iterator<Item = PartitionId> + use<> {
        (0..self.inputs.len() as u16).map(PartitionId)
    }

    /// The record at a place in an input partition.
    fn record_at(&self, partition: PartitionId, offset: u32) -> Option<RecordId> {
        let input = self.inputs.get(partition.index())?;
        let record = input.first.checked_add(offset.checked_mul(input.step)?)?;
        (offset < input.len).then_some(RecordId(record))
    }

    /// Where a record stands in the input topics.
    fn place_of(&self, record: RecordId) -> Option<(PartitionId, u32)> {
        let topic = self.topic_of(record)?;
        let distance = record.0.checked_sub(topic.first)?;
        let number = distance.checked_rem(u32::from(topic.partitions))? as u16;
        let partition = PartitionId(topic.partition.checked_add(number)?);
        let offset = distance / u32::from(topic.partitions);
        let input = self.inputs.get(partition.index())?;
        (offset < input.len).then_some((partition, offset))
    }

    /// The topic to which a record belongs.
    fn topic_of(&self, record: RecordId) -> Option<&Topic> {
        let behind = self.topics.partition_point(|topic| topic.first <= record.0);
        self.topics.get(behind.checked_sub(1)?)
    }

    /// The source subtask that reads a partition.
    fn reader_of(&self, partition: PartitionId) -> SubtaskId {
        let input = self.inputs.get(partition.index());
        input.map_or(SubtaskId(0), |input| input.source)
    }

    /// The partitions that a source subtask reads.
    fn partitions_of(&self, source: SubtaskId) -> impl Iterator<Item = PartitionId> {
        let inputs = self.inputs.iter().enumerate();
        inputs
            .filter(move |(_, input)| input.source == source)
            .map(|(at, _)| PartitionId(at as u16))
    }

    /// The channels through which an output sends its next record.
    fn route<'a>(&self, state: &State, output: &'a Output, record: RecordId) -> &'a [ChannelId] {
        let channels = &output.channels;
        let at = match output.partitioning {
            Partitioning::Broadcast => return channels,
            Partitioning::Forward => 0,
            Partitioning::Hash => {
                let hash = self.key_hashes.get(record.index()).copied();
                let parallelism = channels.len() as u16;
                usize::from(key_groups::subtask_of(hash.unwrap_or(0), parallelism))
            }
            Partitioning::Rebalance => {
                let turn = output
                    .turn
                    .and_then(|turn| state.turns.get(usize::from(turn)));
                let turn = usize::from(turn.copied().unwrap_or(0));
                turn.checked_rem(channels.len()).unwrap_or(0)
            }
        };
        channels.get(at..at + 1).unwrap_or_default()
    }

    fn isolation(&self) -> IsolationLevel {
        self.scenario.reader.isolation_level
    }

    fn coordinator_actor(&self) -> ActorId {
        ActorId(self.subtasks() as u16)
    }

    /// Faults are performed by no one in the pipeline.
    fn environment(&self) -> ActorId {
        ActorId(self.subtasks() as u16 + 1)
    }

    fn channel_link(&self, channel: ChannelId) -> LinkId {
        LinkId(channel.0)
    }

    fn trigger_link(&self, source: SubtaskId) -> LinkId {
        LinkId(self.graph.channels().len() as u32 + u32::from(source.0))
    }

    fn snapshot_link(&self, subtask: SubtaskId) -> LinkId {
        let before = self.graph.channels().len() as u32 + u32::from(self.sources);
        LinkId(before + u32::from(subtask.0))
    }

    fn notify_link(&self, subtask: SubtaskId) -> LinkId {
        let before = self.snapshot_link(SubtaskId(0)).0 + self.subtasks() as u32;
        LinkId(before + u32::from(subtask.0))
    }

    fn input_node(&self, partition: PartitionId) -> NodeId {
        NodeId(partition.0)
    }

    fn subtask_node(&self, subtask: SubtaskId) -> NodeId {
        NodeId(self.inputs.len() as u16 + subtask.0)
    }

    fn output_node(&self, partition: PartitionId) -> NodeId {
        let before = self.inputs.len() + self.subtasks();
        NodeId(before as u16 + partition.0)
    }

    /// The coordinator; the store and the reader come after it.
    fn coordinator_node(&self) -> NodeId {
        self.output_node(PartitionId(self.output_partitions))
    }

    fn store_node(&self) -> NodeId {
        NodeId(self.coordinator_node().0 + 1)
    }

    fn reader_node(&self) -> NodeId {
        NodeId(self.coordinator_node().0 + 2)
    }
}
