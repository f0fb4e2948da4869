//! A Kafka topic → a Flink job → a Kafka topic → a reader, with checkpoints.
//!
//! Sources read partitions and inject barriers; operators align them or let them overtake, store their
//! state and pass them on; a sink writes at once, or in a transaction that is committed when the checkpoint is complete. Any
//! subtask may crash at any moment: everything in memory and under way is gone, and the job starts again
//! from the last completed checkpoint.
//!
//! This module composes; the rules are those of [`flink`](crate::flink) and [`kafka`](crate::kafka).
//!
//! # What this model leaves out
//!
//! A source subtask of Flink learns its partitions from an enumerator; here partition p belongs to
//! subtask p modulo the parallelism. A `join` keeps the records of its inputs
//! by key, as a `sum` does; both pass on what each record added, and the reader
//! adds that up: a running total would hide duplicates. A flat-map needs room for one record to emit
//! several (Flink lends it overdraft buffers). Notifications go to sinks only, and a newer one takes the
//! place of an older one that is still under way. The sink's transactions are those of
//! `TwoPhaseCommitSinkFunction`, with a KafkaSink's clean-up of lingering ones; its committer's retries
//! are not modelled. See also what `flink` and `kafka` leave out.

mod account;
mod barriers;
mod checkpoint;
mod failure;
mod flow;
mod picture;
mod rules;
mod state;

use alloc::vec;
use alloc::vec::Vec;

pub use state::State;

use crate::clock::Pace;
use crate::collections::Tally;
use crate::flink::barrier::handler::Mode;
use crate::flink::job_graph::{JobGraph, Output, Partitioning, Vertex};
use crate::flink::key_groups;
use crate::id::{ActorId, ChannelId, LinkId, NodeId, PartitionId, RecordId, SubtaskId};
use crate::kafka::log::IsolationLevel;
use crate::scenario::{
    CheckpointingMode, DeliveryGuarantee, Limits, Operator, Record, Scenario, ScenarioError,
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
    Inject(SubtaskId),
    /// The source of a partition reads the next record.
    Emit(PartitionId),
    /// A subtask takes the next element of a channel: a record is processed, a barrier aligned.
    Take(ChannelId),
    /// A subtask takes a barrier that is not the next element of its channel, past those before it.
    Overtake(ChannelId),
    /// The alignment of a subtask has taken too long.
    TimeOut(SubtaskId),
    /// A subtask hears that a checkpoint is complete.
    Notify(SubtaskId),
    /// The coordinator starts a checkpoint.
    Trigger,
    /// The coordinator hears that a subtask's snapshot is stored.
    Acknowledge(SubtaskId),
    /// The pending checkpoint has taken too long.
    Expire,
    /// All subtasks start again from the last completed checkpoint.
    Restart,
    /// A subtask dies.
    Crash(SubtaskId),
}

impl Pipeline {
    /// Builds the pipeline that a scenario describes.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field that makes no sense.
    pub fn new(scenario: Scenario) -> Result<Self, ScenarioError> {
        scenario.check()?;
        let graph = scenario.graph()?;
        let records = scenario.records();
        let key_hashes: Vec<u32> = records
            .iter()
            .map(|record| key_groups::key_hash(&record.key))
            .collect();
        let mut pipeline = Self {
            roles: Vec::new(),
            inputs: Vec::new(),
            flows: Vec::new(),
            sources: 0,
            sinks: Vec::new(),
            keyed: 0,
            copies_due: Vec::new(),
            counts_due: Vec::new(),
            output_partitions: 0,
            graph,
            records,
            key_hashes,
            scenario,
        };
        pipeline.assign_inputs();
        pipeline.assign_flows();
        pipeline.check_copies()?;
        pipeline.assign_roles();
        pipeline.assign_dues();
        Ok(pipeline)
    }

    /// The operator of a vertex, as the scenario has it.
    fn operator(&self, vertex: &Vertex) -> Option<&Operator> {
        let planned = self.scenario.job.vertices.get(vertex.plan)?;
        Some(&planned.operator)
    }

    fn assign_inputs(&mut self) {
        let mut first_of_topic = 0;
        for (at, input) in self.scenario.inputs.iter().enumerate() {
            let records = input.workload.records().len() as u32;
            let reader =
                self.graph
                    .vertices()
                    .iter()
                    .find_map(|vertex| match self.operator(vertex)? {
                        Operator::Source {
                            topic,
                            interval_ms,
                            skew_percent,
                        } if *topic == input.topic => Some((
                            vertex.subtasks.clone(),
                            Micros::from(*interval_ms),
                            u64::from(*skew_percent),
                        )),
                        _ => None,
                    });
            // A topic that nobody reads is not part of the run.
            if let Some((subtasks, interval, skew)) = reader {
                for number in 0..input.partitions {
                    let percent = 100 + skew * u64::from(number);
                    let readers = subtasks.len() as u16;
                    let reader = subtasks.start + number.checked_rem(readers).unwrap_or(0);
                    self.inputs.push(InputPartition {
                        topic: at as u16,
                        source: SubtaskId(reader),
                        interval: Micros(interval.0.saturating_mul(percent) / 100),
                        first: first_of_topic + u32::from(number),
                        step: u32::from(input.partitions),
                        len: records
                            .saturating_sub(u32::from(number))
                            .div_ceil(u32::from(input.partitions)),
                    });
                }
            }
            first_of_topic += records;
        }
    }

    fn assign_flows(&mut self) {
        let vertices = self.graph.vertices();
        for vertex in vertices {
            let effect = match self.operator(vertex) {
                Some(Operator::Filter { drop_every, .. }) => Effect::DropEvery(*drop_every),
                Some(Operator::FlatMap { copies, .. }) => Effect::Copies(*copies),
                Some(Operator::Sink { .. }) => Effect::Sink,
                _ => Effect::Copies(1),
            };
            let outputs = self
                .graph
                .subtasks()
                .get(usize::from(vertex.subtasks.start));
            let onward = outputs.into_iter().flat_map(|subtask| &subtask.outputs);
            let onward = onward.filter_map(|output| {
                let receiver = self
                    .graph
                    .channels()
                    .get(output.channels.first()?.index())?
                    .to;
                let to = self.graph.subtask(receiver)?.vertex.index();
                let copies = match output.partitioning {
                    Partitioning::Broadcast => output.channels.len() as u32,
                    _ => 1,
                };
                Some((to, copies))
            });
            self.flows.push(Flow {
                effect,
                onward: onward.collect(),
            });
        }
    }

    /// No more copies of a record may come together than can be counted.
    fn check_copies(&self) -> Result<(), ScenarioError> {
        for source in 0..usize::from(self.source_vertices()) {
            let arriving = self.arriving(source, None);
            for (vertex, copies) in self.graph.vertices().iter().zip(&arriving) {
                let most = match self.operator(vertex) {
                    Some(Operator::Sum { .. } | Operator::Join { .. }) => Limits::COUNT,
                    _ => Limits::MULTIPLICITY,
                };
                if *copies > most {
                    return Err(ScenarioError::new(
                        "job.edges",
                        alloc::format!(
                            "{copies} copies of one record would reach `{}`: at most {most} may",
                            vertex.name
                        ),
                    ));
                }
            }
        }
        Ok(())
    }

    fn source_vertices(&self) -> u16 {
        let sources = self.graph.vertices().iter().filter(|v| v.depth == 0);
        sources.count() as u16
    }

    /// By vertex: how many copies of a record of a source's arrive there; without a record, at most.
    fn arriving(&self, source: usize, record: Option<RecordId>) -> Vec<u32> {
        let mut arriving = vec![0_u32; self.flows.len()];
        if let Some(first) = arriving.get_mut(source) {
            *first = 1;
        }
        for (vertex, flow) in self.flows.iter().enumerate() {
            let here = arriving.get(vertex).copied().unwrap_or(0);
            let sent = here.saturating_mul(self.copies_sent(flow.effect, record));
            for (to, copies) in &flow.onward {
                if let Some(there) = arriving.get_mut(*to) {
                    *there = there.saturating_add(sent.saturating_mul(*copies));
                }
            }
        }
        arriving
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
                let number = record.0.saturating_sub(self.first_of_topic(record)) + 1;
                u32::from(!number.is_multiple_of(every))
            }
            (Effect::DropEvery(_), None) => 1,
            (Effect::Sink, _) => 0,
        }
    }

    /// The first record of the topic to which a record belongs.
    fn first_of_topic(&self, record: RecordId) -> u32 {
        let firsts = self.inputs.iter().filter(|input| input.first <= record.0);
        let topic = firsts.clone().map(|input| input.topic).max();
        firsts
            .filter(|input| Some(input.topic) == topic)
            .map(|input| input.first)
            .min()
            .unwrap_or(0)
    }

    fn assign_roles(&mut self) {
        let mut roles = Vec::new();
        let sinks: u16 = self
            .graph
            .vertices()
            .iter()
            .filter(|vertex| matches!(self.operator(vertex), Some(Operator::Sink { .. })))
            .map(|vertex| vertex.subtasks.len() as u16)
            .sum();
        self.output_partitions = self.scenario.output.partitions.unwrap_or(sinks);
        for vertex in self.graph.vertices() {
            let parallelism = vertex.subtasks.len() as u16;
            let Some(operator) = self.operator(vertex).cloned() else {
                continue;
            };
            let base = self.keyed * self.records.len();
            for (index, subtask) in vertex.subtasks.clone().enumerate() {
                roles.push(match operator {
                    Operator::Source { .. } => Role::Source,
                    Operator::Map { cost_ms }
                    | Operator::Filter { cost_ms, .. }
                    | Operator::FlatMap { cost_ms, .. } => Role::Stateless {
                        cost: cost_ms.into(),
                    },
                    Operator::Sum { cost_ms } | Operator::Join { cost_ms } => Role::Keyed {
                        cost: cost_ms.into(),
                        base,
                        mask: self.mask_of(base, index as u16, parallelism),
                    },
                    Operator::Sink {
                        delivery_guarantee,
                        cost_ms,
                    } => {
                        let number = self.sinks.len();
                        self.sinks.push(SubtaskId(subtask));
                        let partition = (number as u16).checked_rem(self.output_partitions);
                        Role::Sink {
                            cost: cost_ms.into(),
                            transactional: delivery_guarantee == DeliveryGuarantee::ExactlyOnce,
                            number,
                            partition: PartitionId(partition.unwrap_or(0)),
                        }
                    }
                });
            }
            match operator {
                Operator::Source { .. } => self.sources += parallelism,
                Operator::Sum { .. } | Operator::Join { .. } => self.keyed += 1,
                _ => {}
            }
        }
        self.roles = roles;
    }

    fn assign_dues(&mut self) {
        let mut copies_due = vec![0; self.records.len()];
        let mut counts_due = vec![0; self.records.len() * self.keyed];
        let records = (0..self.records.len()).map(|record| RecordId(record as u32));
        for record in records {
            let Some((partition, _)) = self.place_of(record) else {
                continue;
            };
            let source = self.graph.subtask(self.reader_of(partition));
            let source = source.map_or(0, |subtask| subtask.vertex.index());
            let yields = self.yields(record);
            if let Some(due) = copies_due.get_mut(record.index()) {
                *due = yields.get(source).copied().unwrap_or(0);
            }
            let arriving = self.arriving(source, Some(record));
            for (vertex, copies) in self.graph.vertices().iter().zip(arriving) {
                let role = self.roles.get(usize::from(vertex.subtasks.start));
                if let Some(Role::Keyed { base, .. }) = role
                    && let Some(due) = counts_due.get_mut(base + record.index())
                {
                    *due = copies as u8;
                }
            }
        }
        self.copies_due = copies_due;
        self.counts_due = counts_due;
    }

    /// Selects the counts of the keys that belong to one of a vertex's subtasks.
    fn mask_of(&self, base: usize, index: u16, parallelism: u16) -> Vec<u64> {
        let owned = self
            .key_hashes
            .iter()
            .enumerate()
            .filter(|(_, hash)| key_groups::subtask_of(**hash, parallelism) == index);
        Tally::mask_of(owned.map(|(record, _)| base + record))
    }

    /// The seed, the jitter and the scheduled faults of the scenario.
    pub fn pace(&self) -> Pace<Action> {
        Pace {
            seed: self.scenario.seed,
            jitter_percent: self.scenario.costs.jitter_percent,
            faults: self
                .scenario
                .faults
                .schedule
                .iter()
                .filter_map(|fault| {
                    let (plan, index) = self.scenario.subtask_named(&fault.crash)?;
                    let vertex = self.graph.vertices().iter().find(|v| v.plan == plan)?;
                    let subtask = SubtaskId(vertex.subtasks.start + index);
                    Some((fault.at_ms.into(), Action::Crash(subtask)))
                })
                .collect(),
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
        self.input_partitions().find_map(|partition| {
            let input = self.inputs.get(partition.index())?;
            let distance = record.0.checked_sub(input.first)?;
            let offset = distance / input.step.max(1);
            let here = distance.is_multiple_of(input.step.max(1)) && offset < input.len;
            here.then_some((partition, offset))
        })
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
