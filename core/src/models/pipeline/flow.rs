//! The way of the records: from the input partitions through channels and operators to the output.

use smallvec::SmallVec;

use super::state::JobStatus;
use super::{Pipeline, Role, State};
use crate::event::Event;
use crate::flink::channel::ElementKind;
use crate::flink::coordinator::Purpose;
use crate::flink::split::Split;
use crate::id::{ChannelId, Offset, PartitionId, RecordId, SubtaskId};
use crate::kafka::log::TransactionId;
use crate::protocol::{Disabled, Observer};

impl Pipeline {
    pub(super) fn all_read(&self, state: &State) -> bool {
        let mut inputs = self.inputs.iter().zip(&state.live.offsets);
        inputs.all(|(input, read)| *read >= input.len)
    }

    /// Whether a source may read on: it runs, and has not come to the savepoint with which the job stops.
    pub(super) fn may_emit(&self, state: &State, source: SubtaskId) -> bool {
        state.runs(source.index())
            && state.job == JobStatus::Running
            && !state.under_way.iter().any(|under_way| {
                under_way.purpose == Purpose::StopWithSavepoint
                    && !under_way.over
                    && !under_way.triggers.contains(source.index())
            })
    }

    /// The record that a partition's source would read next, if there is one and room for it.
    pub(super) fn next_record(&self, state: &State, partition: PartitionId) -> Option<RecordId> {
        let offset = state.live.offsets.get(partition.index())?;
        let record = self.record_at(partition, *offset)?;
        if *offset >= self.written(state, partition)
            || Self::split(&state.live, partition) != Split::Assigned
        {
            return None;
        }
        self.has_room(state, self.reader_of(partition), None, record)
            .then_some(record)
    }

    /// Whether a subtask that gets a record, by a channel unless it is a source, may send on what becomes of it.
    pub(super) fn has_room(
        &self,
        state: &State,
        sender: SubtaskId,
        came_by: Option<ChannelId>,
        record: RecordId,
    ) -> bool {
        if self.copies_sent_by(sender, record) == 0 {
            return true;
        }
        let full = |id: &ChannelId| {
            let channel = state.channels.get(id.index());
            let buffers = self.buffers.get(id.index()).copied().unwrap_or_default();
            channel.is_none_or(|channel| !channel.has_room(buffers))
        };
        self.graph.subtask(sender).is_some_and(|sender| {
            let outputs = sender.outputs.iter();
            let mut outputs = outputs.filter(|output| self.sends_by(output, came_by));
            outputs.all(|output| {
                self.pool_has_room(state, output)
                    && !self.route(state, output, record).iter().any(full)
            })
        })
    }

    pub(super) fn copies_sent_by(&self, sender: SubtaskId, record: RecordId) -> u32 {
        let vertex = self.graph.subtask(sender).map(|sender| sender.vertex);
        let flow = vertex.and_then(|vertex| self.flows.get(vertex.index()));
        flow.map_or(0, |flow| self.copies_sent(flow.effect, Some(record)))
    }

    pub(super) fn send(
        &self,
        state: &mut State,
        sender: SubtaskId,
        came_by: impl Into<Option<ChannelId>>,
        record: RecordId,
        o: &mut impl Observer,
    ) {
        let copies = self.copies_sent_by(sender, record);
        let Some(sender) = self.graph.subtask(sender) else {
            return;
        };
        let came_by = came_by.into();
        let outputs = sender.outputs.iter();
        for output in outputs.filter(|output| self.sends_by(output, came_by)) {
            for _ in 0..copies {
                for id in self.route(state, output, record) {
                    self.put_record(state, *id, record, o);
                }
                let channels = self.channels_of(state, output).len();
                if let Some(turn) = output.turn
                    && let Some(turn) = state.turns.get_mut(usize::from(turn))
                {
                    let next = usize::from(*turn) + 1;
                    *turn = next.checked_rem(channels).unwrap_or(0) as u16;
                }
            }
        }
    }

    pub(super) fn emit(
        &self,
        state: &mut State,
        partition: PartitionId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if !self.may_emit(state, self.reader_of(partition)) {
            return Err(Disabled);
        }
        let record = self.next_record(state, partition).ok_or(Disabled)?;
        let source = self.reader_of(partition);
        let offset = state
            .live
            .offsets
            .get_mut(partition.index())
            .ok_or(Disabled)?;
        o.event(Event::RecordEmitted {
            source: self.subtask_node(source),
            record,
            partition,
            offset: Offset(*offset),
        });
        *offset += 1;
        self.send(state, source, None, record, o);
        Ok(())
    }

    pub(super) fn take(
        &self,
        state: &mut State,
        channel: ChannelId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let element = self.takeable(state, channel).ok_or(Disabled)?;
        let receiver = self
            .graph
            .channels()
            .get(channel.index())
            .ok_or(Disabled)?
            .to;
        if let Some(channel) = state.channels.get_mut(channel.index()) {
            channel.take();
        }
        o.taken(self.channel_link(channel));
        match element {
            ElementKind::Record(record) => {
                // The buffer is free again: credit for the sender.
                self.advance(state, channel, o);
                self.process(state, receiver, channel, record, o);
                self.wake_at_end_of_data(state, o);
            }
            barrier => self.receive_barrier(state, channel, barrier, 0, o),
        }
        Ok(())
    }

    pub(super) fn process(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        channel: ChannelId,
        record: RecordId,
        o: &mut impl Observer,
    ) {
        let bytes = self.bytes_of(channel, record);
        let node = self.subtask_node(subtask);
        match self.role(subtask) {
            Some(Role::Sink {
                transactional,
                number,
                partition,
                ..
            }) => {
                let transaction = match state.live.sinks.get(*number) {
                    Some(sink) if *transactional => Some(sink.current().0),
                    _ => None,
                };
                if self.brokers.is_some() {
                    self.produce(state, subtask, record, o);
                    return;
                }
                let Some(log) = state.output.get_mut(partition.index()) else {
                    return;
                };
                let id = transaction.map(|number| TransactionId::new(subtask.0, number));
                let offset = log.append(record, id);
                let copies = o.wants_detail().then(|| self.copies(state, record));
                o.event(Event::RecordWritten {
                    subtask: node,
                    record,
                    partition: *partition,
                    offset,
                    transaction,
                    copies,
                    bytes,
                });
            }
            Some(Role::Keyed { base, .. }) => {
                let index = base + record.index();
                state.live.counted.add(index);
                o.event(Event::RecordProcessed {
                    subtask: node,
                    record,
                    counted: Some(state.live.counted.get(index)),
                    bytes,
                });
                self.send(state, subtask, channel, record, o);
            }
            Some(Role::TableWriter { number, .. }) => {
                self.write_to_file(state, subtask, *number, channel, record, o);
            }
            Some(Role::Committer { .. }) => self.receive_committable(state, subtask, record, o),
            Some(Role::Broadcast { .. }) => {
                self.process_at_broadcast(state, subtask, channel, record, o);
            }
            Some(Role::Stateless { .. }) if self.heads_loop(subtask) => {
                self.pass_head(state, subtask, channel, record, o);
            }
            Some(Role::Stateless { .. }) => {
                o.event(if self.copies_sent_by(subtask, record) == 0 {
                    Event::RecordFiltered {
                        subtask: node,
                        record,
                        bytes,
                    }
                } else {
                    Event::RecordProcessed {
                        subtask: node,
                        record,
                        counted: None,
                        bytes,
                    }
                });
                self.send(state, subtask, channel, record, o);
            }
            Some(Role::Source) | None => {}
        }
    }

    /// How many copies of a record the reader sees.
    pub(super) fn copies(&self, state: &State, record: RecordId) -> u32 {
        let mut copies = 0;
        for log in state.output.iter() {
            log.read(self.isolation(), |other| {
                copies += u32::from(other == record)
            });
        }
        copies
    }

    /// The element that the receiver of a channel may take: it is not blocked, and if it is a record,
    /// there is room for it downstream.
    pub(super) fn takeable(&self, state: &State, channel: ChannelId) -> Option<ElementKind> {
        let first = state.channels.get(channel.index())?.first()?;
        let receiver = self.graph.channels().get(channel.index())?.to;
        if !state.runs(receiver.index()) || self.is_engaged(state, receiver) {
            return None;
        }
        let gate = state.gates.get(self.gate_number(receiver)?)?;
        if super::barriers::is_blocked(gate, self.number_in_gate(receiver, channel)) {
            return None;
        }
        match first {
            ElementKind::Record(record)
                if !self.has_room(state, receiver, Some(channel), record) =>
            {
                None
            }
            first => Some(first),
        }
    }

    /// The number of a channel in its receiver's gate.
    pub(super) fn number_in_gate(&self, receiver: SubtaskId, channel: ChannelId) -> usize {
        let first = self.graph.subtask(receiver).map_or(0, |s| s.inputs.start);
        channel.0.saturating_sub(first) as usize
    }

    /// Each output that takes turns begins at its subtask's own number, so that not all begin alike.
    pub(super) fn fresh_turns(&self) -> SmallVec<[u16; 4]> {
        let mut turns = smallvec::smallvec![0; usize::from(self.graph.turns())];
        for subtask in self.graph.subtasks() {
            for turn in subtask.outputs.iter().filter_map(|output| output.turn) {
                if let Some(first) = turns.get_mut(usize::from(turn)) {
                    *first = subtask.index;
                }
            }
        }
        turns
    }
}
