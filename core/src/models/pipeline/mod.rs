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
//! | `enumerator` | topics that fill while they are read, and where sources begin |
//! | `broadcast` | broadcast state, and which copy of it is restored |
//! | `loops` | iterations, and the records on their feedback edges |
//! | `table` | a table sink: writers, committers, and the catalog |
//! | `failure` | crash, failover, recovery, and how transactions end |
//! | `kafka_sink` | the sink's producers, where the output topic has brokers |
//! | `redeploy` | a job that is killed and deployed again |
//! | `account` | what became of each record |
//! | `picture`, `wires` | all of it as a scene |
//! | `lanes` | who has a lane in a space-time diagram, and whom an action concerns |
//!
//! This module composes; the rules are those of [`flink`](crate::flink) and [`kafka`](crate::kafka). Where
//! the output topic has brokers, these are the model [`delivery`] itself, and the sink's
//! producers are clients of it.
//!
//! # What this model leaves out
//!
//! Partition p belongs to source subtask p modulo the parallelism; its enumerator takes part only where a source
//! begins at the latest offset, and finds partitions at the start only. A record goes round a loop once. A `join` keeps the records of its inputs
//! by key, as a `sum` does; both pass on what each record added, and the reader
//! adds that up: a running total would hide duplicates. A flat-map needs room for one record to emit
//! several (Flink lends it overdraft buffers). Word of a completed checkpoint goes to sinks and committers only; the other
//! subtasks would do nothing with it. An announcement of a barrier takes no time. A task learns that a
//! checkpoint is given up by a message; what it has not yet finished for it is then dropped. The loss of
//! a TaskManager is noticed at once, and another takes its place; one delay serves for all regions that wait
//! for their restart; the subtasks of a lost JobManager start
//! again, as they do when they lose touch with it. Subtasks whose source has come to its end go on
//! taking part in checkpoints until the last one. Without brokers, the sink's transactions are those of
//! `TwoPhaseCommitSinkFunction`, with a KafkaSink's clean-up of lingering ones. With brokers, a sink subtask
//! that is cancelled aborts its transaction while the job already waits for its restart; it has at most 16
//! producers at once; records go to its producer one in a batch, and the producer's buffer is never full;
//! checkpoint ids go on when a job is deployed again; its sink may have another parallelism then, up to that of
//! its vertex, and every other vertex keeps its own. See also what `flink` and `kafka` leave out.

mod account;
mod barriers;
mod broadcast;
mod build;
mod checkpoint;
mod enumerator;
mod failure;
pub mod fault_matrix;

mod flow;
mod kafka_sink;
mod lanes;
mod loops;
mod network;
mod picture;
mod redeploy;
mod rules;
mod snapshot;
mod state;
mod table;
mod wires;
mod withheld;

use alloc::vec::Vec;

pub use state::State;

use super::delivery;
use crate::clock::Pace;
use crate::collections::Bits;
use crate::flink::barrier::handler::Mode;
use crate::flink::channel::Buffers;
use crate::flink::job_graph::{JobGraph, Output, Partitioning, Vertex};
use crate::flink::key_groups;
use crate::flink::table_committer::Keeping;
use crate::id::{
    ActorId, ChannelId, CheckpointId, LinkId, NodeId, PartitionId, RecordId, SubtaskId,
};
use crate::kafka::log::IsolationLevel;
use crate::scenario::{
    Breakage, CheckpointingMode, DedupeKey, DeliveryGuarantee, EndOfData, Limits, Operator, Phase,
    Record, Scenario, Start, StateSize, Ticket,
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
    /// How many table writers there are.
    writers: usize,
    /// By number: the committers of a table sink.
    committers: Vec<SubtaskId>,
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
    /// The brokers of the output topic, if it has any.
    brokers: Option<kafka_sink::Brokers>,
    /// How the job is deployed again, in the order of the schedule.
    redeployments: Vec<redeploy::Plan>,
    /// Whether a topic fills while it is read.
    fills: bool,
    /// Whether a source begins at the end of its topic.
    begins_late: bool,
    /// The channels that lead back to the head of a loop.
    feedback: Bits,
    /// Those of them whose records are logged.
    logged: Bits,
    /// The channels that lead from the head of a loop into it.
    into_loop: Bits,
    /// The channels of a control stream into a broadcast state.
    control: Bits,
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
    /// How many records it holds at the start, and how long after that and after one another the others come.
    present: u32,
    arrival: Option<Micros>,
    start: Start,
}

/// Where a vertex's records go, and how many copies become of one.
#[derive(Clone, Debug)]
struct Flow {
    effect: Effect,
    onward: Vec<Onward>,
}

/// Where a vertex sends records, and how many copies of each.
#[derive(Clone, Copy, Debug)]
struct Onward {
    to: usize,
    copies: u32,
    /// It leads back to the head of a loop.
    back: bool,
    /// It leads from the head of a loop into it.
    into_loop: bool,
    /// To every subtask, and to a broadcast state there.
    control: bool,
}

/// How many copies at sinks become of a record, by the vertex at which it arrives.
#[derive(Debug, Default)]
struct Yields {
    /// On any edge but those of feedback.
    fresh: [u32; Limits::VERTICES],
    /// At the head of a loop, on a feedback edge.
    back: [u32; Limits::VERTICES],
}

impl Yields {
    fn at(&self, vertex: usize, back: bool) -> u32 {
        let yields = if back { &self.back } else { &self.fresh };
        yields.get(vertex).copied().unwrap_or(0)
    }
}

/// What becomes of a record in an operator.
#[derive(Clone, Copy, Debug)]
enum Effect {
    /// It is sent on so many times.
    Copies(u8),
    /// It is dropped if it is each n-th of its topic, and sent on otherwise.
    DropEvery(u32),
    /// It goes into a loop, or, when it comes back, out of it.
    Loop,
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
    /// Keeps a copy of a broadcast state.
    Broadcast {
        cost: Micros,
        apply: Micros,
        /// Where this subtask's counts begin in the tally, and where those of the copy do that it gets when it is
        /// restored.
        base: usize,
        restored_from: usize,
        /// Selects this subtask's counts in the tally.
        mask: Vec<u64>,
    },
    /// Writes files of a table.
    TableWriter {
        cost: Micros,
        number: usize,
    },
    /// Commits them, or hands them on.
    Committer {
        number: usize,
        keeping: Keeping,
        dedupe_key: DedupeKey,
        /// Whether it commits at the completion of a checkpoint, as a global committer does not: it does as soon as
        /// it gets something.
        global: bool,
        /// Whether somebody follows, who is to hear of the end of the data only after the last committables.
        hands_on: Option<EndOfData>,
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
    /// The next record comes to an input partition.
    Append(PartitionId),
    /// The enumerator of a source finds a partition, and evaluates its start offset.
    Find(PartitionId),
    /// The enumerator assigns a partition to its reader.
    Assign(PartitionId),
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
    /// The thread of a sink goes on: what it waited for has come from Kafka.
    GoOn(SubtaskId),
    /// A sink has waited for Kafka as long as `max.block.ms` allows.
    Block(SubtaskId),
    /// The job is killed and deployed again: which of the scheduled times it is.
    Redeploy(u8),
    /// Something happens in Kafka.
    Kafka(delivery::Action),
    /// The catalog's answer to the next commit of a committer is lost.
    LoseResponse(SubtaskId),
}

impl Pipeline {
    /// The operator of a vertex, as the scenario has it.
    fn operator(&self, vertex: &Vertex) -> Option<&Operator> {
        let planned = self.scenario.job.vertices.get(vertex.plan)?;
        Some(&planned.operator)
    }

    /// By vertex: how many copies at sinks become of a record that arrives there.
    fn yields(&self, record: RecordId) -> Yields {
        let mut yields = Yields::default();
        // What comes out of a loop is known only when what follows it is: once more for each loop.
        for _ in 0..=self.loops() {
            for (vertex, flow) in self.flows.iter().enumerate().rev() {
                let sum = |into_loop: Option<bool>| {
                    let ways = flow.onward.iter();
                    ways.filter(|way| into_loop.is_none_or(|into| way.into_loop == into))
                        .map(|way| way.copies.saturating_mul(yields.at(way.to, way.back)))
                        .fold(0, u32::saturating_add)
                        .saturating_mul(self.copies_sent(flow.effect, Some(record)))
                };
                let (fresh, back) = match flow.effect {
                    Effect::Sink => (1, 0),
                    Effect::Loop => (sum(Some(true)), sum(Some(false))),
                    _ => (sum(None), 0),
                };
                if let Some(here) = yields.fresh.get_mut(vertex) {
                    *here = fresh;
                }
                if let Some(here) = yields.back.get_mut(vertex) {
                    *here = back;
                }
            }
        }
        yields
    }

    /// How many loops there are.
    fn loops(&self) -> usize {
        let flows = self.flows.iter();
        flows
            .filter(|flow| matches!(flow.effect, Effect::Loop))
            .count()
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
            (Effect::DropEvery(_), None) | (Effect::Loop, _) => 1,
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
        let mut redeployments = 0;
        let faults = faults.filter_map(|fault| {
            let action = match &fault.what {
                Breakage::Redeploy(_) => {
                    redeployments += 1;
                    Action::Redeploy(redeployments - 1)
                }
                Breakage::Crash(subtask) => Action::Crash(self.subtask_named(subtask)?),
                Breakage::LoseTaskManager(number) => Action::LoseTaskManager(*number),
                Breakage::LoseJobManager => Action::LoseJobManager,
                Breakage::LoseNotification(subtask) => {
                    Action::LoseNotification(self.subtask_named(subtask)?)
                }
                Breakage::LoseCommitResponse(subtask) => {
                    Action::LoseResponse(self.subtask_named(subtask)?)
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
            faults: faults
                .chain(savepoints)
                .chain(self.kafka_faults())
                .collect(),
            until: self.scenario.until_ms.map(Micros::from),
        }
    }

    fn kafka_faults(&self) -> Vec<(Micros, Action)> {
        let brokers = self.brokers.iter();
        let faults = brokers.flat_map(|brokers| brokers.delivery.pace().faults);
        faults
            .map(|(at, action)| (at, Action::Kafka(action)))
            .collect()
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

    /// Whether a fault of Flink or of a connector is not mended in this job's versions.
    fn lacks(&self, ticket: Ticket) -> bool {
        self.scenario.unfixed.contains(&ticket)
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
        let channels = self.channels_of(state, output);
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

    /// Who writes the input topics, where they fill while they are read.
    fn writer(&self) -> ActorId {
        ActorId(self.subtasks() as u16 + 2)
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

    /// Behind everything else; the nodes of Kafka's replicas and coordinator come after it.
    fn nodes_end(&self) -> u16 {
        self.reader_node().0 + 1
    }
}
