//! From a scenario to a pipeline: everything that never changes is found out once.

use alloc::vec;
use alloc::vec::Vec;

use super::{Doomed, Effect, Flow, InputPartition, Pipeline, Role, Topic, network};
use crate::collections::{Bits, Tally};
use crate::flink::channel::Buffers;
use crate::flink::job_graph::Partitioning;
use crate::flink::key_groups;
use crate::id::{ChannelId, CheckpointId, PartitionId, RecordId, SubtaskId};
use crate::scenario::{DeliveryGuarantee, Failover, Limits, Operator, Scenario, ScenarioError};
use crate::time::Micros;

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
            buffers: Vec::new(),
            channel_bytes: Vec::new(),
            topics: Vec::new(),
            inputs_of_channels: Vec::new(),
            overtaking: Bits::default(),
            regions: Vec::new(),
            keys: Vec::new(),
            doomed: Vec::new(),
            bounded: false,
            graph,
            records,
            key_hashes,
            scenario,
        };
        pipeline.assign_inputs();
        pipeline.assign_flows();
        pipeline.check_copies()?;
        pipeline.assign_keys();
        pipeline.assign_roles();
        pipeline.assign_dues();
        pipeline.assign_channels();
        pipeline.assign_doomed();
        Ok(pipeline)
    }

    fn assign_inputs(&mut self) {
        let mut first_of_topic = 0;
        for (at, input) in self.scenario.inputs.iter().enumerate() {
            let records = input.workload.len() as u32;
            self.topics.push(Topic {
                first: first_of_topic,
                bytes: input.record_bytes,
                partition: self.inputs.len() as u16,
                partitions: input.partitions,
            });
            let reader =
                self.graph
                    .vertices()
                    .iter()
                    .find_map(|vertex| match self.operator(vertex)? {
                        Operator::Source {
                            topic,
                            interval_ms,
                            skew_percent,
                            ..
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
                    | Operator::FlatMap { cost_ms, .. } => Role::Stateless { cost: cost_ms },
                    Operator::Sum { cost_ms } | Operator::Join { cost_ms } => Role::Keyed {
                        cost: cost_ms,
                        base,
                        mask: self.mask_of(base, index as u16, parallelism),
                        keys: self.keys_of(index as u16, parallelism),
                    },
                    Operator::Sink {
                        delivery_guarantee,
                        cost_ms,
                    } => {
                        let number = self.sinks.len();
                        self.sinks.push(SubtaskId(subtask));
                        let partition = (number as u16).checked_rem(self.output_partitions);
                        Role::Sink {
                            cost: cost_ms,
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

    /// What each channel is like, and which subtasks channels connect.
    fn assign_channels(&mut self) {
        let channels = self.graph.channels().len();
        self.buffers = vec![Buffers::default(); channels];
        self.channel_bytes = vec![None; channels];
        self.inputs_of_channels = vec![0; channels];
        let mut sent_bytes = vec![None; self.graph.vertices().len()];
        let mut inputs = 0;
        for (at, vertex) in self.graph.vertices().iter().enumerate() {
            let planned = self.scenario.job.vertices.get(vertex.plan);
            if let (Some(own), Some(sent)) = (
                planned.and_then(|planned| planned.record_bytes),
                sent_bytes.get_mut(at),
            ) {
                *sent = Some(own);
            }
            let bytes = sent_bytes.get(at).copied().flatten();
            for subtask in vertex.subtasks.clone() {
                let outputs = self.graph.subtask(SubtaskId(subtask));
                for output in outputs.into_iter().flat_map(|subtask| &subtask.outputs) {
                    for id in &output.channels {
                        if let Some(channel) = self.channel_bytes.get_mut(id.index()) {
                            *channel = bytes;
                        }
                        if network::supports_unaligned(output.partitioning) {
                            self.overtaking.insert(id.index());
                        }
                        let to = self.graph.channels().get(id.index());
                        let to = to.and_then(|ends| Some(self.graph.subtask(ends.to)?.vertex));
                        let next = to.and_then(|to| sent_bytes.get_mut(to.index()));
                        if let Some(next) = next {
                            *next = next.or(bytes);
                        }
                    }
                }
                let gate = self.graph.subtask(SubtaskId(subtask));
                let gate = gate.map(|subtask| subtask.inputs.clone());
                let mut sender = None;
                for id in gate.unwrap_or_default() {
                    let ends = self.graph.channels().get(id as usize);
                    let from = ends.and_then(|ends| Some(self.graph.subtask(ends.from)?.vertex));
                    if from != sender {
                        (sender, inputs) = (from, inputs + 1);
                    }
                    if let Some(input) = self.inputs_of_channels.get_mut(id as usize) {
                        *input = inputs;
                    }
                }
            }
        }
        for id in 0..channels {
            let buffers = self.buffers_of(ChannelId(id as u32));
            if let Some(channel) = self.buffers.get_mut(id) {
                *channel = buffers;
            }
        }
        self.regions = self.connected();
    }

    /// By subtask: the smallest subtask that channels connect it with, or 0 if all are restarted together.
    fn connected(&self) -> Vec<u16> {
        let mut regions: Vec<u16> = (0..self.subtasks() as u16).collect();
        if self.scenario.restart.failover == Failover::Full {
            return vec![0; regions.len()];
        }
        let root = |regions: &[u16], mut at: u16| {
            while let Some(next) = regions.get(usize::from(at))
                && *next != at
            {
                at = *next;
            }
            at
        };
        for ends in self.graph.channels() {
            let (one, other) = (root(&regions, ends.from.0), root(&regions, ends.to.0));
            if let Some(larger) = regions.get_mut(usize::from(one.max(other))) {
                *larger = one.min(other);
            }
        }
        (0..self.subtasks() as u16)
            .map(|subtask| root(&regions, subtask))
            .collect()
    }

    fn assign_keys(&mut self) {
        let mut order: Vec<usize> = (0..self.records.len()).collect();
        let key = |at: &usize| self.records.get(*at).map(|record| record.key.as_str());
        order.sort_by(|one, other| key(one).cmp(&key(other)));
        let mut keys = vec![0; self.records.len()];
        let mut number = 0;
        for pair in order.windows(2) {
            let [one, other] = pair else { continue };
            number += u32::from(key(one) != key(other));
            if let Some(place) = keys.get_mut(*other) {
                *place = number;
            }
        }
        self.keys = keys;
    }

    fn assign_doomed(&mut self) {
        let sources = self.scenario.job.vertices.iter();
        self.bounded = sources
            .filter_map(|vertex| match vertex.operator {
                Operator::Source { bounded, .. } => Some(bounded),
                _ => None,
            })
            .all(|bounded| bounded);
        let faults = self.scenario.faults.snapshots.iter();
        self.doomed = faults
            .map(|fault| Doomed {
                checkpoint: CheckpointId(fault.checkpoint),
                subtask: match &fault.subtask {
                    Some(name) => self.subtask_named(name),
                    None => None,
                },
                phase: fault.phase,
            })
            .collect();
    }

    /// How many different keys belong to one of a vertex's subtasks.
    fn keys_of(&self, index: u16, parallelism: u16) -> u32 {
        let mut seen = Bits::default();
        let keys = self.keys.iter().zip(&self.key_hashes);
        let own = keys.filter(|(_, hash)| key_groups::subtask_of(**hash, parallelism) == index);
        own.filter(|(key, _)| seen.insert(**key as usize)).count() as u32
    }
}
