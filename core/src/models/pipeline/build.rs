//! From a scenario to a pipeline: everything that never changes is found out once.

use alloc::vec;
use alloc::vec::Vec;

use super::kafka_sink::Brokers;
use super::{
    Doomed, Effect, Flow, InputPartition, Onward, Pipeline, Role, Topic, delivery, network, rules,
};
use crate::collections::{Bits, Tally};
use crate::flink::channel::Buffers;
use crate::flink::job_graph::Partitioning;
use crate::flink::key_groups;
use crate::flink::table_committer::Keeping;
use crate::id::{ChannelId, CheckpointId, PartitionId, RecordId, SubtaskId};
use crate::models::delivery::Base;
use crate::models::delivery::driven::Naming;
use crate::scenario::{
    CopyOnRestore, DeliveryGuarantee, Failover, Feedback, Limits, Operator, Scenario,
    ScenarioError, StartupMode, TableConnector,
};
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
            writers: 0,
            committers: Vec::new(),
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
            brokers: None,
            redeployments: Vec::new(),
            fills: false,
            begins_late: false,
            feedback: Bits::default(),
            logged: Bits::default(),
            into_loop: Bits::default(),
            control: Bits::default(),
            graph,
            records,
            key_hashes,
            scenario,
        };
        pipeline.assign_inputs();
        pipeline.assign_ways();
        pipeline.assign_flows();
        pipeline.check_copies()?;
        pipeline.assign_keys();
        pipeline.assign_roles();
        pipeline.assign_dues();
        pipeline.assign_channels();
        pipeline.assign_doomed();
        pipeline.assign_redeployments();
        pipeline.assign_brokers()?;
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
                            start,
                            ..
                        } if *topic == input.topic => Some((
                            vertex.subtasks.clone(),
                            Micros::from(*interval_ms),
                            u64::from(*skew_percent),
                            *start,
                        )),
                        _ => None,
                    });
            // A topic that nobody reads is not part of the run.
            if let Some((subtasks, interval, skew, start)) = reader {
                self.fills |= input.arrival.is_some();
                self.begins_late |= start.startup_mode == StartupMode::LatestOffset;
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
                        present: input.arrival.map_or(u32::MAX, |arrival| arrival.present),
                        arrival: input.arrival.map(|arrival| arrival.interval_ms.into()),
                        start,
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
                Some(Operator::Iteration { .. }) => Effect::Loop,
                Some(Operator::Sink { .. } | Operator::TableWriter { .. }) => Effect::Sink,
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
                let to_all = output.partitioning == Partitioning::Broadcast;
                let copies = if to_all {
                    output.channels.len() as u32
                } else {
                    1
                };
                let edge = self.scenario.job.edges.get(output.edge)?;
                let receiver = vertices.get(to).and_then(|vertex| self.operator(vertex));
                let applied = matches!(receiver, Some(Operator::BroadcastState { .. }));
                Some(Onward {
                    to,
                    copies,
                    back: edge.feedback.is_some(),
                    into_loop: self.scenario.leads_into_loop(edge),
                    control: to_all && applied,
                })
            });
            let onward = onward.collect();
            self.flows.push(Flow { effect, onward });
        }
    }

    /// No more copies of a record may come together than can be counted.
    fn check_copies(&self) -> Result<(), ScenarioError> {
        for source in 0..usize::from(self.source_vertices()) {
            let arriving = self.arriving(source, None);
            for (vertex, copies) in self.graph.vertices().iter().zip(&arriving) {
                let most = match self.operator(vertex) {
                    Some(Operator::Sum { .. } | Operator::Join { .. }) => Limits::COUNT,
                    Some(Operator::BroadcastState { .. }) => {
                        Limits::COUNT * vertex.subtasks.len() as u32
                    }
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
        let all = self.arriving_by(source, record, |_| true);
        all.into_iter().map(|(fresh, back)| fresh + back).collect()
    }

    /// The same, counted by those ways that are chosen; on other edges, and on those of feedback.
    fn arriving_by(
        &self,
        source: usize,
        record: Option<RecordId>,
        counts: impl Fn(&Onward) -> bool,
    ) -> Vec<(u32, u32)> {
        let mut returned = vec![0_u32; self.flows.len()];
        let mut counted = Vec::new();
        // What comes out of a loop is known only when what went into it is: once more for each loop.
        for _ in 0..=self.loops() {
            let mut arriving = vec![0_u32; self.flows.len()];
            let mut back = vec![0_u32; self.flows.len()];
            counted = vec![(0_u32, 0_u32); self.flows.len()];
            if let (Some(first), Some(seen)) = (arriving.get_mut(source), counted.get_mut(source)) {
                (*first, seen.0) = (1, 1);
            }
            for (vertex, flow) in self.flows.iter().enumerate() {
                let fresh = arriving.get(vertex).copied().unwrap_or(0);
                let came_back = returned.get(vertex).copied().unwrap_or(0);
                for way in &flow.onward {
                    let here = match flow.effect {
                        Effect::Loop if !way.into_loop => came_back,
                        _ => fresh,
                    };
                    let sent = here.saturating_mul(self.copies_sent(flow.effect, record));
                    let copies = sent.saturating_mul(way.copies);
                    let there = if way.back { &mut back } else { &mut arriving };
                    if let Some(there) = there.get_mut(way.to) {
                        *there = there.saturating_add(copies);
                    }
                    if let Some(seen) = counted.get_mut(way.to)
                        && counts(way)
                    {
                        let seen = if way.back { &mut seen.1 } else { &mut seen.0 };
                        *seen = seen.saturating_add(copies);
                    }
                }
            }
            returned = back;
        }
        counted
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
        let tables = u16::from(self.scenario.writes_table());
        self.output_partitions = self.scenario.output.partitions.unwrap_or(sinks + tables);
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
                    | Operator::FlatMap { cost_ms, .. }
                    | Operator::Iteration { cost_ms } => Role::Stateless { cost: cost_ms },
                    Operator::BroadcastState {
                        cost_ms,
                        apply_ms,
                        restored,
                    } => {
                        let records = self.records.len();
                        let own = base + index * records;
                        Role::Broadcast {
                            cost: cost_ms,
                            apply: apply_ms,
                            base: own,
                            restored_from: match restored {
                                CopyOnRestore::Own => own,
                                CopyOnRestore::Subtask0 => base,
                            },
                            mask: Tally::mask_of(own..own + records),
                        }
                    }
                    Operator::Sum { cost_ms } | Operator::Join { cost_ms } => Role::Keyed {
                        cost: cost_ms,
                        base,
                        mask: self.mask_of(base, index as u16, parallelism),
                        keys: self.keys_of(index as u16, parallelism),
                    },
                    Operator::TableWriter { cost_ms } => {
                        self.writers += 1;
                        Role::TableWriter {
                            cost: cost_ms,
                            number: self.writers - 1,
                        }
                    }
                    Operator::TableCommitter {
                        connector,
                        dedupe_key,
                        end_of_data,
                    } => {
                        self.committers.push(SubtaskId(subtask));
                        let follows = self.graph.subtask(SubtaskId(subtask));
                        let follows = follows.is_some_and(|own| !own.outputs.is_empty());
                        Role::Committer {
                            number: self.committers.len() - 1,
                            keeping: match connector {
                                TableConnector::SinkV2 => Keeping::ByCheckpoint,
                                TableConnector::IcebergV1 => Keeping::Replaces,
                                TableConnector::IcebergV1LateToNext => Keeping::NextCheckpoint,
                            },
                            dedupe_key,
                            global: false,
                            hands_on: follows.then_some(end_of_data),
                        }
                    }
                    Operator::GlobalCommitter { dedupe_key } => {
                        self.committers.push(SubtaskId(subtask));
                        Role::Committer {
                            number: self.committers.len() - 1,
                            keeping: Keeping::ByCheckpoint,
                            dedupe_key,
                            global: true,
                            hands_on: None,
                        }
                    }
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
                Operator::BroadcastState { .. } => self.keyed += usize::from(parallelism),
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
                *due = yields.at(source, false);
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
            self.assign_control_dues(source, record, &mut counts_due);
        }
        self.copies_due = copies_due;
        self.counts_due = counts_due;
    }

    /// How often each copy of a broadcast state should hold a record in the end.
    fn assign_control_dues(&self, source: usize, record: RecordId, counts_due: &mut [u8]) {
        if self.control.is_empty() {
            return;
        }
        let applied = self.arriving_by(source, Some(record), |way| way.control);
        for (vertex, (copies, _)) in self.graph.vertices().iter().zip(applied) {
            let each = copies.checked_div(vertex.subtasks.len() as u32);
            for subtask in vertex.subtasks.clone() {
                if let Some(Role::Broadcast { base, .. }) = self.roles.get(usize::from(subtask))
                    && let Some(due) = counts_due.get_mut(base + record.index())
                {
                    *due = each.unwrap_or(0) as u8;
                }
            }
        }
    }

    /// Which channels lead around a loop, and which bring control streams.
    fn assign_ways(&mut self) {
        let vertices = self.graph.vertices();
        for subtask in self.graph.subtasks() {
            for output in &subtask.outputs {
                let Some(edge) = self.scenario.job.edges.get(output.edge) else {
                    continue;
                };
                let from = vertices.get(subtask.vertex.index());
                let is_head = from.and_then(|vertex| self.operator(vertex));
                let is_head = matches!(is_head, Some(Operator::Iteration { .. }));
                let to = vertices.iter().find(|vertex| vertex.name == edge.to);
                let to = to.and_then(|vertex| self.operator(vertex));
                let applies = matches!(to, Some(Operator::BroadcastState { .. }));
                for id in &output.channels {
                    if let Some(feedback) = edge.feedback {
                        self.feedback.insert(id.index());
                        if feedback == Feedback::Logged {
                            self.logged.insert(id.index());
                        }
                    }
                    if is_head && self.scenario.leads_into_loop(edge) {
                        self.into_loop.insert(id.index());
                    }
                    if applies && output.partitioning == Partitioning::Broadcast {
                        self.control.insert(id.index());
                    }
                    if edge.force_unaligned {
                        self.overtaking.insert(id.index());
                    }
                }
            }
        }
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
                        // Sink V2 takes barriers in order between its parts (FLINK-36287).
                        let edge = self.scenario.job.edges.get(output.edge);
                        let to = edge.and_then(|edge| {
                            let mut vertices = self.scenario.job.vertices.iter();
                            vertices.find(|vertex| vertex.name == edge.to)
                        });
                        let in_sink = to.is_some_and(|to| {
                            matches!(
                                to.operator,
                                Operator::GlobalCommitter { .. }
                                    | Operator::TableCommitter {
                                        connector: TableConnector::SinkV2,
                                        ..
                                    }
                            )
                        });
                        if network::supports_unaligned(output.partitioning) && !in_sink {
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

    /// Kafka, with its numbers behind those of the job.
    fn assign_brokers(&mut self) -> Result<(), ScenarioError> {
        let (Some(kafka), Some(delivery), Some((vertex, guarantee))) = (
            self.scenario.kafka.clone(),
            self.scenario.sink_as_delivery(),
            self.scenario.sink(),
        ) else {
            return Ok(());
        };
        let parallelism = vertex.parallelism;
        let base = Base {
            node: self.nodes_end(),
            actor: self.environment().0 + 1 + u16::from(self.fills),
            link: self.notify_link(SubtaskId(self.subtasks() as u16)).0,
            timer: rules::KAFKA_TIMERS,
        };
        let naming = Naming {
            prefixes: self.prefixes(&kafka.sink.prefix),
            // An attempt with more subtasks is looked for up to here.
            subtasks: parallelism.saturating_mul(4),
        };
        self.brokers = Some(Brokers {
            delivery: delivery::Delivery::for_sinks(
                delivery,
                base,
                &self.drivers(),
                kafka.transaction_timeout(),
                naming,
            )?,
            guarantee,
            strategy: kafka.sink.naming,
        });
        Ok(())
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
