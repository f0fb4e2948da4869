//! What moves through the channels by itself: from output queues to input queues, as far as there is
//! credit.

use super::state::InFlight;
use super::{Pipeline, State};
use crate::event::{Event, JobEvent};
use crate::flink::barrier::handler::Mode;
use crate::flink::channel::{Buffers, Element, ElementKind};
use crate::flink::job_graph::{Output, Partitioning};
use crate::id::{ActorId, ChannelId, CheckpointId, RecordId, SubtaskId};
use crate::protocol::Observer;

impl Pipeline {
    /// How many records fit into the two queues of a channel.
    pub(super) fn buffers_of(&self, id: ChannelId) -> Buffers {
        // A barrier that goes round a loop is for the head alone, and stops nobody.
        let aligned = self.mode() != Mode::AtLeastOnce && !self.feedback.contains(id.index());
        let Some(network) = self.scenario.network else {
            let all = self.scenario.costs.buffers_per_channel;
            let input = all.div_ceil(2);
            return Buffers {
                input,
                output: all.saturating_sub(input),
                aligned,
            };
        };
        let Some(ends) = self.graph.channels().get(id.index()) else {
            return Buffers::default();
        };
        let remote = |channel: ChannelId| {
            self.graph
                .channels()
                .get(channel.index())
                .is_some_and(|ends| {
                    self.task_manager_of(ends.from) != self.task_manager_of(ends.to)
                })
        };
        let bytes = u64::from(self.record_size(id));
        let records = |buffers: u32| {
            let all = u64::from(buffers) * u64::from(network.segment_bytes);
            u32::try_from(all / bytes).unwrap_or(u32::MAX).max(1)
        };
        let input_number = self.inputs_of_channels.get(id.index());
        let gate = self
            .channels_into(ends.to)
            .filter(|other| self.inputs_of_channels.get(other.index()) == input_number);
        let remotes = gate.filter(|other| remote(*other)).count() as u32;
        Buffers {
            input: if remote(id) {
                let floating = network.floating_buffers_per_gate / remotes.max(1);
                records(network.buffers_per_channel + floating)
            } else {
                1
            },
            output: records(network.max_buffers_per_channel),
            aligned,
        }
    }

    /// Whether the buffers that an output shares among its channels (Flink's `LocalBufferPool`) have room
    /// for one more record.
    pub(super) fn pool_has_room(&self, state: &State, output: &Output) -> bool {
        let Some(network) = self.scenario.network else {
            return true;
        };
        let channels = self.channels_of(state, output).len() as u64;
        let pool = u64::from(network.buffers_per_channel) * channels
            + u64::from(network.floating_buffers_per_gate);
        // Each channel has a buffer that is being filled: half of it, on an average.
        let bytes = (2 * pool).saturating_sub(channels) * u64::from(network.segment_bytes) / 2;
        let first = output.channels.first();
        let record = u64::from(first.map_or(1, |id| self.record_size(*id)));
        let queued: usize = output
            .channels
            .iter()
            .filter_map(|id| state.channels.get(id.index()))
            .map(|channel| channel.records() - channel.input_records())
            .sum();
        (queued as u64) < (bytes / record.max(1)).max(1)
    }

    /// How many bytes a record takes in a channel, at most.
    fn record_size(&self, id: ChannelId) -> u32 {
        let own = self.channel_bytes.get(id.index()).copied().flatten();
        let largest = self.topics.iter().map(|topic| topic.bytes).max();
        own.or(largest).unwrap_or(1).max(1)
    }

    /// Puts a record into a channel.
    pub(super) fn put_record(
        &self,
        state: &mut State,
        id: ChannelId,
        record: RecordId,
        o: &mut impl Observer,
    ) {
        if let Some(channel) = state.channels.get_mut(id.index()) {
            o.queued(self.channel_link(id), channel.iter().len());
            channel.put(Element::record(record));
        }
        self.advance(state, id, o);
    }

    /// Moves what has credit from a channel's output queue to its input queue.
    pub(super) fn advance(&self, state: &mut State, id: ChannelId, o: &mut impl Observer) {
        let Some(buffers) = self.buffers.get(id.index()).copied() else {
            return;
        };
        let mut moved = false;
        while let Some(element) = state
            .channels
            .get_mut(id.index())
            .and_then(|channel| channel.advance(buffers))
        {
            moved = true;
            o.sent(self.channel_link(id));
            match element {
                ElementKind::Record(record) => self.record_arrived(state, id, record, o),
                ElementKind::Cancel(_) => {}
                barrier => {
                    if let Some(checkpoint) = barrier.barrier() {
                        self.barrier_arrived(state, id, barrier, checkpoint, o);
                    }
                }
            }
        }
        if moved && let Some(ends) = self.graph.channels().get(id.index()) {
            o.woken(ActorId(ends.from.0));
        }
    }

    /// A record has come to an input queue; if the receiver waits there for the barrier of an unaligned
    /// checkpoint, the record belongs to that.
    fn record_arrived(
        &self,
        state: &mut State,
        id: ChannelId,
        record: RecordId,
        o: &mut impl Observer,
    ) {
        let mut all = state.under_way.iter_mut();
        let Some(under_way) = all.find(|u| u.persisting.contains(id.index())) else {
            return;
        };
        under_way.contents.store_in_flight(InFlight {
            channel: id,
            output: false,
            record,
        });
        let receiver = self.graph.channels().get(id.index());
        if self.feedback.contains(id.index()) {
            o.event(Event::Job(JobEvent::FeedbackLogged {
                subtask: self.subtask_node(receiver.map_or(SubtaskId(0), |ends| ends.to)),
                checkpoint: under_way.checkpoint,
                record,
            }));
            return;
        }
        o.event(Event::InFlightStored {
            subtask: self.subtask_node(receiver.map_or(SubtaskId(0), |ends| ends.to)),
            checkpoint: under_way.checkpoint,
            records: 1,
            bytes: u64::from(self.bytes_of(id, record)),
            output: false,
        });
    }

    /// A barrier has left its sender.
    fn barrier_arrived(
        &self,
        state: &mut State,
        id: ChannelId,
        barrier: ElementKind,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        if let Some(under_way) = state.of_mut(checkpoint) {
            under_way.persisting.remove(id.index());
        }
        if self.mode() != Mode::Alternating {
            return;
        }
        if matches!(barrier, ElementKind::Barrier(_)) && self.may_overtake(id) {
            self.announce(state, id, checkpoint, o);
        }
        if let Some(ends) = self.graph.channels().get(id.index()) {
            self.upload_if_barriers_left(state, ends.from, checkpoint, o);
        }
    }

    /// Resumes the channels into a subtask whose barriers its handler has dealt with.
    pub(super) fn resume(&self, state: &mut State, subtask: SubtaskId, o: &mut impl Observer) {
        for id in self.channels_into(subtask) {
            let Some(channel) = state.channels.get_mut(id.index()) else {
                continue;
            };
            if !channel.is_stopped() {
                continue;
            }
            let number = self.number_in_gate(subtask, id);
            let gate = self.gate_number(subtask).and_then(|at| state.gates.get(at));
            if gate.is_some_and(|gate| !super::barriers::is_blocked(gate, number)) {
                channel.resume();
                self.advance(state, id, o);
            }
        }
    }

    /// Whether the barrier of a checkpoint that may time out waits in an output queue of a subtask.
    pub(super) fn barrier_waits(
        &self,
        state: &State,
        sender: SubtaskId,
        checkpoint: CheckpointId,
    ) -> bool {
        self.channels_from(sender).any(|id| {
            let channel = state.channels.get(id.index());
            self.may_overtake(id)
                && channel.is_some_and(|channel| {
                    channel.events_in_output()
                        && channel
                            .output()
                            .any(|kind| kind == ElementKind::Barrier(checkpoint))
                })
        })
    }

    /// The channels that lead from a subtask.
    pub(super) fn channels_from(&self, sender: SubtaskId) -> impl Iterator<Item = ChannelId> + '_ {
        let outputs = self.graph.subtask(sender).map(|sender| &sender.outputs);
        let outputs = outputs.into_iter().flatten();
        outputs.flat_map(|output| output.channels.iter().copied())
    }

    /// The channels that lead to a subtask.
    pub(super) fn channels_into(
        &self,
        receiver: SubtaskId,
    ) -> impl Iterator<Item = ChannelId> + use<> {
        let inputs = self.graph.subtask(receiver);
        let inputs = inputs.map(|subtask| subtask.inputs.clone());
        inputs.unwrap_or_default().map(ChannelId)
    }

    /// Whether barriers may overtake in a channel: not on pointwise and broadcast edges (Flink's
    /// `StreamPartitioner`s say which ones support unaligned checkpoints).
    pub(super) fn may_overtake(&self, id: ChannelId) -> bool {
        self.overtaking.contains(id.index())
    }

    /// How many bytes a record takes in a channel.
    pub(super) fn bytes_of(&self, channel: ChannelId, record: RecordId) -> u32 {
        let own = self.channel_bytes.get(channel.index()).copied().flatten();
        own.unwrap_or_else(|| self.topic_of(record).map_or(0, |topic| topic.bytes))
    }
}

/// Whether barriers may overtake on an edge.
pub(super) fn supports_unaligned(partitioning: Partitioning) -> bool {
    match partitioning {
        Partitioning::Hash | Partitioning::Rebalance => true,
        Partitioning::Forward | Partitioning::Broadcast => false,
    }
}
