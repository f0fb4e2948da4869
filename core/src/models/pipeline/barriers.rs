//! The way of the barriers: through the channels, past records or not, and what each gate makes of them.

use smallvec::SmallVec;

use super::{Pipeline, Role, State};
use crate::collections::Bits;
use crate::event::Event;
use crate::flink::barrier::handler::{Handler, Mode};
use crate::flink::barrier::{Barrier, Content, Effect, Host, Inputs, Options, Snapshot};
use crate::flink::channel::{Element, ElementKind};
use crate::flink::job_graph::Partitioning;
use crate::id::{ActorId, ChannelId, CheckpointId, SubtaskId};
use crate::kafka::log::TransactionId;
use crate::protocol::{Disabled, Observer};
use crate::time::Micros;

/// What a handler asks for, in its order.
#[derive(Default)]
struct Effects(SmallVec<[Effect; 8]>);

impl Host for Effects {
    fn perform(&mut self, effect: Effect) {
        self.0.push(effect);
    }
}

/// What a handler's effects need to know that neither the channels nor the handler can tell afterwards.
struct Before {
    /// The channels that were blocked when the handler was called.
    blocked: Bits,
    /// The barrier that is being received, which is not in its channel any more, and how many elements
    /// it has passed there.
    barrier: Option<(ChannelId, usize)>,
}

impl Before {
    fn of(gate: &Handler, inputs: Inputs, barrier: Option<(ChannelId, usize)>) -> Self {
        let mut blocked = Bits::default();
        for channel in (0..usize::from(inputs.channels)).filter(|c| is_blocked(gate, *c)) {
            blocked.insert(channel);
        }
        Self { blocked, barrier }
    }
}

/// Whether a channel of a gate is blocked.
pub(super) fn is_blocked(gate: &Handler, channel: usize) -> bool {
    match gate {
        Handler::Aligned(handler) => handler.is_blocked(channel),
        Handler::Unaligned(handler) => handler.is_blocked(channel),
        Handler::Alternating(handler) => handler.is_blocked(channel),
        Handler::AtLeastOnce(_) => false,
    }
}

/// On how many channels of a gate the barrier of a checkpoint is still awaited.
fn missing(gate: &Handler, checkpoint: CheckpointId, inputs: Inputs) -> usize {
    match gate {
        Handler::Aligned(handler) => handler.missing(inputs),
        Handler::Unaligned(handler) => handler.missing(inputs),
        Handler::Alternating(handler) => handler.missing(inputs),
        Handler::AtLeastOnce(handler) => handler.missing(checkpoint, inputs),
    }
}

impl Pipeline {
    /// Puts a barrier into every output of a subtask.
    pub(super) fn broadcast(
        &self,
        state: &mut State,
        sender: SubtaskId,
        checkpoint: CheckpointId,
        unaligned: bool,
        o: &mut impl Observer,
    ) {
        let Some(sender) = self.graph.subtask(sender) else {
            return;
        };
        for output in &sender.outputs {
            let may_overtake = may_overtake(output.partitioning);
            for id in &output.channels {
                if let Some(channel) = state.channels.get_mut(id.index()) {
                    channel.put(if unaligned && may_overtake {
                        Element::unaligned_barrier(checkpoint)
                    } else {
                        Element::barrier(checkpoint)
                    });
                    o.sent(self.channel_link(*id));
                    state.persisting.remove(id.index());
                }
                if !unaligned && may_overtake && self.mode() == Mode::Alternating {
                    self.announce(state, *id, checkpoint, o);
                }
            }
        }
    }

    /// The barrier in a channel that may be taken past what is before it.
    pub(super) fn overtaker(
        &self,
        state: &State,
        channel: ChannelId,
    ) -> Option<(usize, ElementKind)> {
        state.channels.get(channel.index())?.overtaker()
    }

    pub(super) fn overtake(
        &self,
        state: &mut State,
        id: ChannelId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if state.crashed.is_some() {
            return Err(Disabled);
        }
        let (place, barrier) = self.overtaker(state, id).ok_or(Disabled)?;
        if let Some(channel) = state.channels.get_mut(id.index()) {
            channel.take_at(place);
        }
        o.taken_at(self.channel_link(id), place);
        self.receive_barrier(state, id, barrier, place, o);
        Ok(())
    }

    /// The receiver of a channel gets a barrier from it, past so many elements.
    pub(super) fn receive_barrier(
        &self,
        state: &mut State,
        channel: ChannelId,
        barrier: ElementKind,
        overtaken: usize,
        o: &mut impl Observer,
    ) {
        let (checkpoint, options) = match barrier {
            ElementKind::Record(_) => return,
            // A barrier that its receiver lets overtake is of the same kind as before.
            ElementKind::Barrier(checkpoint) | ElementKind::PrioritisedBarrier(checkpoint) => {
                (checkpoint, self.waiting_options(channel))
            }
            ElementKind::UnalignedBarrier(checkpoint) => {
                (checkpoint, Options::unaligned(Snapshot::Checkpoint))
            }
        };
        let Some(ends) = self.graph.channels().get(channel.index()) else {
            return;
        };
        let subtask = ends.to;
        let number = self.number_in_gate(subtask, channel);
        let inputs = self.inputs_of(subtask);
        let gate = self.gate_number(subtask);
        let Some(gate) = gate.and_then(|gate| state.gates.get_mut(gate)) else {
            return;
        };
        let before = Before::of(gate, inputs, Some((channel, overtaken)));
        let mut effects = Effects::default();
        let content = Content::Barrier(barrier_of(checkpoint, options));
        gate.receive(number, content, inputs, Micros::ZERO, &mut effects);

        let arrival = Arrival {
            number: number as u32,
            checkpoint,
            overtaken: overtaken as u32,
            missing: missing(gate, checkpoint, inputs) as u32,
            known: !effects.0.is_empty(),
        };
        o.event(self.told(subtask, gate, inputs, arrival));
        for effect in effects.0 {
            self.perform(state, subtask, effect, &before, o);
        }
    }

    /// The arrival of a barrier, as an event.
    fn told(&self, subtask: SubtaskId, gate: &Handler, inputs: Inputs, arrival: Arrival) -> Event {
        let subtask = self.subtask_node(subtask);
        let Arrival {
            number,
            checkpoint,
            overtaken,
            missing,
            known,
        } = arrival;
        let waits = match gate {
            Handler::Aligned(_) => true,
            Handler::Alternating(handler) => !handler.is_unaligned() && overtaken == 0,
            Handler::Unaligned(_) | Handler::AtLeastOnce(_) => false,
        };
        match (known || matches!(gate, Handler::AtLeastOnce(_)), waits) {
            (false, _) => Event::BarrierIgnored {
                subtask,
                checkpoint,
            },
            (true, false) => Event::BarrierArrived {
                subtask,
                channel: number,
                checkpoint,
                overtaken,
                missing,
            },
            (true, true) if missing > 0 => Event::ChannelBlocked {
                subtask,
                channel: number,
                checkpoint,
                missing,
            },
            (true, true) => Event::AlignmentCompleted {
                subtask,
                checkpoint,
                channels: u32::from(inputs.channels),
            },
        }
    }

    /// What a barrier says that waits in a channel.
    fn waiting_options(&self, channel: ChannelId) -> Options {
        let overtakes = || {
            let sender = self.graph.channels().get(channel.index());
            let sender = sender.and_then(|ends| self.graph.subtask(ends.from));
            let mut outputs = sender.into_iter().flat_map(|sender| &sender.outputs);
            outputs.any(|output| {
                may_overtake(output.partitioning) && output.channels.contains(&channel)
            })
        };
        if self.mode() == Mode::Alternating && overtakes() {
            Options::timeoutable(self.scenario.checkpointing.aligned_timeout_ms)
        } else {
            Options::aligned(Snapshot::Checkpoint)
        }
    }

    /// Tells a receiver that a barrier which may time out is in one of its channels.
    fn announce(
        &self,
        state: &mut State,
        channel: ChannelId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        let Some(ends) = self.graph.channels().get(channel.index()) else {
            return;
        };
        let subtask = ends.to;
        let barrier = barrier_of(checkpoint, self.waiting_options(channel));
        let number = self.number_in_gate(subtask, channel);
        let inputs = self.inputs_of(subtask);
        let gate = self.gate_number(subtask);
        let Some(gate) = gate.and_then(|gate| state.gates.get_mut(gate)) else {
            return;
        };
        let before = Before::of(gate, inputs, None);
        let mut effects = Effects::default();
        let content = Content::Announcement(barrier);
        gate.receive(number, content, inputs, Micros::ZERO, &mut effects);
        for effect in effects.0 {
            self.perform(state, subtask, effect, &before, o);
        }
    }

    /// The alignment of a subtask has taken too long.
    pub(super) fn time_out(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if !state.timers.remove(subtask.index()) {
            return Err(Disabled);
        }
        let inputs = self.inputs_of(subtask);
        let gate = self.gate_number(subtask);
        let gate = gate.and_then(|gate| state.gates.get_mut(gate));
        let Some(gate) = gate else { return Ok(()) };
        let checkpoint = gate.latest_checkpoint();
        let before = Before::of(gate, inputs, None);
        let mut effects = Effects::default();
        gate.timer(checkpoint, inputs, &mut effects);
        o.event(Event::AlignmentTimedOut {
            subtask: self.subtask_node(subtask),
            checkpoint,
        });
        for effect in effects.0 {
            self.perform(state, subtask, effect, &before, o);
        }
        Ok(())
    }

    /// A subtask hears that a checkpoint was given up.
    pub(super) fn cancel(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        let inputs = self.inputs_of(subtask);
        let gate = self.gate_number(subtask);
        let Some(gate) = gate.and_then(|gate| state.gates.get_mut(gate)) else {
            return;
        };
        let before = Before::of(gate, inputs, None);
        let mut effects = Effects::default();
        gate.receive(
            0,
            Content::Cancel(checkpoint),
            inputs,
            Micros::ZERO,
            &mut effects,
        );
        for effect in effects.0 {
            self.perform(state, subtask, effect, &before, o);
        }
    }

    /// Does what a handler asks for.
    fn perform(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        effect: Effect,
        before: &Before,
        o: &mut impl Observer,
    ) {
        match effect {
            Effect::Trigger {
                checkpoint,
                options,
            } => {
                self.pass_barrier(state, subtask, checkpoint, options.is_unaligned(), o);
                // A tracker triggers at the last barrier, and says no more.
                if self.mode() == Mode::AtLeastOnce {
                    self.upload(state, subtask, o);
                }
            }
            Effect::AllBarriersReceived(_) => self.upload(state, subtask, o),
            Effect::StartInFlight(checkpoint) => {
                self.start_in_flight(state, subtask, checkpoint, before, o);
            }
            Effect::StopInFlight(_) => {
                for channel in self.channels_into(subtask) {
                    state.persisting.remove(channel.index());
                }
            }
            Effect::Abort { checkpoint, .. } => {
                if state.coordinator.pending() == Some(checkpoint) {
                    state.coordinator.abort();
                    o.event(Event::CheckpointAborted { checkpoint });
                }
            }
            Effect::Prioritise {
                channel,
                checkpoint,
            } => {
                let id = self.channels_into(subtask).nth(channel);
                if let Some(channel) = id.and_then(|id| state.channels.get_mut(id.index())) {
                    channel.prioritise(checkpoint);
                }
                o.woken(ActorId(subtask.0));
            }
            Effect::RegisterTimer { .. } => {
                state.timers.insert(subtask.index());
                o.woken(ActorId(subtask.0));
            }
            Effect::DropTimer(_) => {
                state.timers.remove(subtask.index());
            }
            // A handler knows by itself what it has blocked, and nobody here measures.
            Effect::Block(_)
            | Effect::Resume(_)
            | Effect::AlignmentStarted { .. }
            | Effect::AlignmentEnded
            | Effect::AlignmentReset => {}
        }
    }

    /// Stores what is in the channels before the barrier of an unaligned checkpoint, and has what comes
    /// before it stored on arrival.
    fn start_in_flight(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        before: &Before,
        o: &mut impl Observer,
    ) {
        let mut stored = 0;
        for id in self.channels_into(subtask) {
            let Some(channel) = state.channels.get(id.index()) else {
                continue;
            };
            let barrier = match before.barrier {
                Some((received, place)) if received == id => Some(place),
                _ => channel.place_of_barrier(checkpoint),
            };
            // A channel that waits behind its barrier holds nothing of this checkpoint any more.
            let waits = before.blocked.contains(self.number_in_gate(subtask, id));
            let end = match barrier {
                None if waits => 0,
                barrier => barrier.unwrap_or(usize::MAX),
            };
            for element in channel.iter().take(end) {
                if let ElementKind::Record(record) = element {
                    state.pending.store_in_flight(id, record);
                    stored += 1;
                }
            }
            if barrier.is_none() && !waits {
                state.persisting.insert(id.index());
            }
        }
        if stored > 0 {
            o.event(Event::InFlightStored {
                subtask: self.subtask_node(subtask),
                checkpoint,
                records: stored,
            });
        }
    }

    fn channels_into(&self, subtask: SubtaskId) -> impl Iterator<Item = ChannelId> + use<> {
        let inputs = self.graph.subtask(subtask);
        let inputs = inputs.map(|subtask| subtask.inputs.clone());
        inputs.unwrap_or_default().map(ChannelId)
    }

    pub(super) fn inputs_of(&self, subtask: SubtaskId) -> Inputs {
        let channels = self.graph.subtask(subtask).map_or(0, |s| s.inputs.len());
        Inputs {
            channels: channels as u16,
            checkpoints_after_finish: true,
        }
    }

    /// A snapshot is due: a sink pre-commits, the barrier goes on, then the state is copied. That order
    /// is Flink's (`SubtaskCheckpointCoordinatorImpl.checkpointState`).
    fn pass_barrier(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        unaligned: bool,
        o: &mut impl Observer,
    ) {
        let node = self.subtask_node(subtask);
        if let Some(Role::Sink {
            number, partition, ..
        }) = self.role(subtask)
        {
            if let Some(sink) = state.live.sinks.get_mut(*number) {
                let transaction = sink.pre_commit(checkpoint).0;
                let id = TransactionId::new(subtask.0, transaction);
                let log = state.output.get(partition.index());
                o.event(Event::PreCommitted {
                    subtask: node,
                    checkpoint,
                    transaction,
                    records: log.map_or(0, |log| log.open_records(id)),
                });
            }
        } else {
            o.event(Event::BarrierForwarded {
                subtask: node,
                checkpoint,
            });
            self.broadcast(state, subtask, checkpoint, unaligned, o);
        }
        self.snapshot(state, subtask, checkpoint, o);
    }
}

/// How a barrier arrived.
#[derive(Clone, Copy)]
struct Arrival {
    number: u32,
    checkpoint: CheckpointId,
    overtaken: u32,
    missing: u32,
    /// The handler had something to ask for.
    known: bool,
}

/// No state knows the time: an alignment times out when its timer fires, and only then. So all barriers
/// are of the same moment.
fn barrier_of(checkpoint: CheckpointId, options: Options) -> Barrier {
    Barrier {
        checkpoint,
        options,
        created: Micros::ZERO,
    }
}

/// Whether barriers may overtake on an edge: not on pointwise and broadcast ones (Flink's
/// `StreamPartitioner`s say which ones support unaligned checkpoints).
fn may_overtake(partitioning: Partitioning) -> bool {
    match partitioning {
        Partitioning::Hash | Partitioning::Rebalance => true,
        Partitioning::Forward | Partitioning::Broadcast => false,
    }
}
