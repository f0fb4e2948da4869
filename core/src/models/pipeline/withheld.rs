//! What is not enabled though it belongs there, and why.

use alloc::vec::Vec;

use super::barriers::is_blocked;
use super::state::JobStatus;
use super::wires::token_kind;
use super::{Pipeline, State};
use crate::flink::channel::{Channel, ElementKind};
use crate::flink::split::Split;
use crate::id::{ChannelId, NodeId, PartitionId, RecordId, SubtaskId};
use crate::scene::{Deed, Why, Withheld};

impl Pipeline {
    /// Subtask by subtask, then the coordinator.
    pub(super) fn withheld_in(&self, state: &State) -> Vec<Withheld> {
        let mut all = Vec::new();
        for subtask in self.present(state) {
            self.withheld_at_source(state, subtask, &mut all);
            self.withheld_at_gate(state, subtask, &mut all);
            self.withheld_at_sink(state, subtask, &mut all);
        }
        self.withheld_at_outputs(state, &mut all);
        self.withheld_at_coordinator(state, &mut all);
        all
    }

    fn withheld_at_source(&self, state: &State, source: SubtaskId, into: &mut Vec<Withheld>) {
        for partition in self.partitions_of(source) {
            let offset = state.live.offsets.get(partition.index()).copied();
            let record = offset.and_then(|offset| self.record_at(partition, offset));
            if let (Some(offset), Some(record)) = (offset, record)
                && let Some(why) = self.why_not_read(state, source, partition, offset, record)
            {
                into.push(Withheld {
                    node: self.subtask_node(source),
                    what: Deed::Emit(record),
                    why,
                });
            }
        }
    }

    fn why_not_read(
        &self,
        state: &State,
        source: SubtaskId,
        partition: PartitionId,
        offset: u32,
        record: RecordId,
    ) -> Option<Why> {
        if !state.runs(source.index()) {
            return Some(Why::Down);
        }
        if !self.may_emit(state, source) {
            return Some(Why::JobEnds);
        }
        if Self::split(&state.live, partition) != Split::Assigned {
            return Some(Why::Unassigned);
        }
        if offset >= self.written(state, partition) {
            return Some(Why::NotWritten);
        }
        self.why_no_room(state, source, None, record)
    }

    /// Who has no buffer free for what becomes of a record.
    fn why_no_room(
        &self,
        state: &State,
        sender: SubtaskId,
        came_by: Option<ChannelId>,
        record: RecordId,
    ) -> Option<Why> {
        if self.has_room(state, sender, came_by, record) {
            return None;
        }
        let outputs = self.graph.subtask(sender).map(|sender| &sender.outputs);
        let outputs = outputs.into_iter().flatten();
        let used = outputs.filter(|output| self.sends_by(output, came_by));
        let mut routes = used.flat_map(|output| self.route(state, output, record));
        let is_full = |id: &&ChannelId| {
            let buffers = self.buffers.get(id.index()).copied().unwrap_or_default();
            let channel = state.channels.get(id.index());
            channel.is_none_or(|channel| !channel.has_room(buffers))
        };
        let full = routes.clone().find(is_full).or_else(|| routes.next());
        let to = full.and_then(|id| self.graph.channels().get(id.index()));
        Some(Why::NoBuffer(to.map_or(NodeId::default(), |ends| {
            self.subtask_node(ends.to)
        })))
    }

    fn withheld_at_gate(&self, state: &State, subtask: SubtaskId, into: &mut Vec<Withheld>) {
        for id in self.channels_into(subtask) {
            let channel = state.channels.get(id.index());
            // Behind a barrier that has blocked it, its sender holds back what comes next.
            let held = |channel: &Channel| match self.is_closed(state, subtask, id) {
                true => channel.output().next(),
                false => None,
            };
            let first = channel.and_then(|it| it.first().or_else(|| held(it)));
            if let Some(first) = first
                && let Some(why) = self.why_not_taken(state, subtask, id, first)
            {
                into.push(Withheld {
                    node: self.subtask_node(subtask),
                    what: Deed::Take {
                        channel: self.number_in_gate(subtask, id) as u32,
                        token: token_kind(first),
                    },
                    why,
                });
            }
        }
    }

    /// Whether a barrier has blocked a channel at its receiver.
    fn is_closed(&self, state: &State, receiver: SubtaskId, id: ChannelId) -> bool {
        let gate = self.gate_number(receiver);
        let gate = gate.and_then(|at| state.gates.get(at));
        gate.is_some_and(|gate| is_blocked(gate, self.number_in_gate(receiver, id)))
    }

    /// The reasons for which [`takeable`](Self::takeable) says no, in its order.
    fn why_not_taken(
        &self,
        state: &State,
        subtask: SubtaskId,
        id: ChannelId,
        first: ElementKind,
    ) -> Option<Why> {
        if self.takeable(state, id).is_some() {
            return None;
        }
        if !state.runs(subtask.index()) {
            return Some(Why::Down);
        }
        if let Some(wait) = self.sink_wait(state, subtask) {
            return Some(Why::Engaged(wait));
        }
        let gate = self
            .gate_number(subtask)
            .and_then(|at| state.gates.get(at))?;
        if is_blocked(gate, self.number_in_gate(subtask, id)) {
            let channels = self.channels_into(subtask);
            let waits = channels.filter(|other| {
                let number = self.number_in_gate(subtask, *other);
                !is_blocked(gate, number) && !self.feedback.contains(other.index())
            });
            let senders = waits.filter_map(|other| self.graph.channels().get(other.index()));
            return Some(Why::BlockedBy {
                checkpoint: gate.pending().next().unwrap_or_default(),
                awaited: senders.map(|ends| self.subtask_node(ends.from)).collect(),
            });
        }
        match first {
            ElementKind::Record(record) => self.why_no_room(state, subtask, Some(id), record),
            _ => None,
        }
    }

    /// What waits in output queues: there is no credit for it, or its sender has stopped behind a barrier.
    fn withheld_at_outputs(&self, state: &State, into: &mut Vec<Withheld>) {
        for (at, channel) in state.channels.iter().enumerate() {
            let (Some(first), Some(ends)) =
                (channel.output().next(), self.graph.channels().get(at))
            else {
                continue;
            };
            if self.is_closed(state, ends.to, ChannelId(at as u32)) {
                continue;
            }
            let to = self.subtask_node(ends.to);
            let barrier = channel.input().last().and_then(ElementKind::barrier);
            into.push(Withheld {
                node: self.subtask_node(ends.from),
                what: Deed::SetOut {
                    to,
                    token: token_kind(first),
                },
                why: match barrier.filter(|_| channel.is_stopped()) {
                    Some(checkpoint) => Why::StoppedBehind(checkpoint),
                    None if channel.is_stopped() => self.stopped_at(state, ends.to),
                    None => Why::NoCredit(to),
                },
            });
        }
    }

    /// A sender that has stopped goes on when its receiver's alignment is over.
    fn stopped_at(&self, state: &State, receiver: SubtaskId) -> Why {
        let gate = self
            .gate_number(receiver)
            .and_then(|at| state.gates.get(at));
        let pending = gate.and_then(|gate| gate.pending().next());
        Why::StoppedBehind(pending.unwrap_or_default())
    }

    /// A transaction that is pre-committed waits for its checkpoint, then for word of it.
    fn withheld_at_sink(&self, state: &State, sink: SubtaskId, into: &mut Vec<Withheld>) {
        let number = self.sinks.iter().position(|it| *it == sink);
        let (Some(number), None) = (number, self.next_notice(state, sink)) else {
            return;
        };
        let node = self.subtask_node(sink);
        let held = state.live.sinks.get(number).into_iter();
        let held = held.flat_map(|sink| sink.pending());
        let held = held.map(|pending| (pending.checkpoint, pending.number.0));
        let on_brokers = self.brokers.iter().flat_map(|brokers| {
            let sinks = state.live.on_brokers.get(number).into_iter();
            let all = sinks.flat_map(|sink| &sink.committables);
            all.map(|it| (it.checkpoint, brokers.number(it.id)))
        });
        for (checkpoint, transaction) in held.chain(on_brokers) {
            let is_pending = state.coordinator.pending();
            let is_pending = is_pending.iter().any(|it| it.id == checkpoint);
            into.push(Withheld {
                node,
                what: Deed::Commit(transaction),
                why: match (state.runs(sink.index()), is_pending) {
                    (false, _) => Why::Down,
                    (true, true) => Why::Completion(checkpoint),
                    (true, false) => match self.sink_wait(state, sink) {
                        Some(wait) => Why::Engaged(wait),
                        None => Why::Notification(checkpoint),
                    },
                },
            });
        }
    }

    fn withheld_at_coordinator(&self, state: &State, into: &mut Vec<Withheld>) {
        let node = self.coordinator_node();
        for pending in state.coordinator.pending() {
            let missing = self.present(state).filter(|subtask| {
                !pending.acknowledged.contains(subtask.index())
                    && state
                        .report(*subtask, pending.id)
                        .is_none_or(|(_, report)| report.declines.is_some())
            });
            let missing: Vec<NodeId> = missing.map(|it| self.subtask_node(it)).collect();
            if !missing.is_empty() {
                into.push(Withheld {
                    node,
                    what: Deed::Complete(pending.id),
                    why: Why::Acknowledgements(missing),
                });
            }
        }
        if let Some(why) = self.why_not_triggered(state) {
            into.push(Withheld {
                node,
                what: Deed::Trigger(state.coordinator.triggered().next()),
                why,
            });
        }
    }

    /// The reasons for which [`may_trigger`](Self::may_trigger) says no.
    fn why_not_triggered(&self, state: &State) -> Option<Why> {
        if self.may_trigger(state) || self.scenario.checkpointing.interval_ms.0 == 0 {
            return None;
        }
        let checkpointing = &self.scenario.checkpointing;
        if !state.down.is_empty() {
            return Some(Why::NotAllRun);
        }
        if state.job != JobStatus::Running {
            return Some(Why::JobEnds);
        }
        let under_way = state.coordinator.pending().len() as u32;
        if under_way >= checkpointing.max_concurrent.into() {
            return Some(Why::UnderWay(under_way));
        }
        let most = checkpointing.max_checkpoints.unwrap_or(u32::MAX);
        if state.coordinator.triggered().0 >= most {
            return Some(Why::Enough);
        }
        Some(Why::JobEnds)
    }
}
