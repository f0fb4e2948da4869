//! The way of the barriers: through the channels, past records or not, and what each gate makes of them.

use smallvec::SmallVec;

use super::{Pipeline, State};
use crate::collections::Bits;
use crate::event::Event;
use crate::flink::barrier::handler::{Handler, Mode};
use crate::flink::barrier::{Barrier, Content, Effect, Host, Inputs, Options, Reason, Snapshot};
use crate::flink::channel::ElementKind;
use crate::flink::coordinator::FailureReason;
use crate::id::{ActorId, ChannelId, CheckpointId, SubtaskId};
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
    /// The channels that were blocked when the handler was called, and for which checkpoint: the call may
    /// give that up for a newer one.
    blocked: Bits,
    blocked_for: Option<CheckpointId>,
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
        Self {
            blocked,
            blocked_for: gate.pending().next(),
            barrier,
        }
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
    /// The barrier in a channel that may be taken past what is before it.
    pub(super) fn overtaker(
        &self,
        state: &State,
        channel: ChannelId,
    ) -> Option<(usize, ElementKind)> {
        // Most channels have none: ask them first.
        let overtaker = state.channels.get(channel.index())?.overtaker()?;
        let receiver = self.graph.channels().get(channel.index())?.to;
        let free = state.runs(receiver.index()) && !self.is_engaged(state, receiver);
        free.then_some(overtaker)
    }

    pub(super) fn overtake(
        &self,
        state: &mut State,
        id: ChannelId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
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
            barrier if self.feedback.contains(channel.index()) => {
                if let Some(checkpoint) = barrier.barrier() {
                    self.barrier_came_round(state, channel, checkpoint, o);
                }
                return;
            }
            ElementKind::Cancel(checkpoint) => {
                self.receive_cancellation(state, channel, checkpoint, o);
                return;
            }
            ElementKind::SavepointBarrier(checkpoint) => {
                (checkpoint, Options::aligned(Snapshot::Savepoint))
            }
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
        let number = self.number_in_gate(ends.to, channel);
        let content = Content::Barrier(barrier_of(checkpoint, options));
        let received = Some((channel, overtaken));
        let call = |gate: &mut Handler, inputs: Inputs, effects: &mut Effects| {
            let awaited = gate.awaits(number, checkpoint, inputs);
            gate.receive(number, content, inputs, Micros::ZERO, effects);
            let arrival = Arrival {
                number: number as u32,
                checkpoint,
                overtaken: overtaken as u32,
                missing: missing(gate, checkpoint, inputs) as u32,
                known: awaited || gate.latest_checkpoint() == checkpoint && !effects.0.is_empty(),
            };
            Some(self.told(ends.to, gate, inputs, arrival))
        };
        self.call(state, ends.to, received, call, o);
    }

    /// Has the handler of a subtask's gate act, tells what it says of it, and does what it asks for, in its
    /// order, as long as the subtask runs.
    fn call(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        received: Option<(ChannelId, usize)>,
        call: impl FnOnce(&mut Handler, Inputs, &mut Effects) -> Option<Event>,
        o: &mut impl Observer,
    ) {
        let inputs = self.inputs_of(subtask);
        let gate = self.gate_number(subtask);
        let Some(gate) = gate.and_then(|gate| state.gates.get_mut(gate)) else {
            return;
        };
        let before = Before::of(gate, inputs, received);
        let mut effects = Effects::default();
        if let Some(event) = call(gate, inputs, &mut effects) {
            o.event(event);
        }
        for effect in effects.0 {
            if state.runs(subtask.index()) {
                self.perform(state, subtask, effect, &before, o);
            }
        }
        self.resume(state, subtask, o);
    }

    /// The receiver of a channel gets word from it that a checkpoint was given up.
    fn receive_cancellation(
        &self,
        state: &mut State,
        channel: ChannelId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        let Some(ends) = self.graph.channels().get(channel.index()) else {
            return;
        };
        let number = self.number_in_gate(ends.to, channel);
        let call = |gate: &mut Handler, inputs: Inputs, effects: &mut Effects| {
            gate.receive(
                number,
                Content::Cancel(checkpoint),
                inputs,
                Micros::ZERO,
                effects,
            );
            Some(Event::CancellationReceived {
                subtask: self.subtask_node(ends.to),
                channel: number as u32,
                checkpoint,
            })
        };
        self.call(state, ends.to, None, call, o);
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
        if self.mode() == Mode::Alternating && self.may_overtake(channel) {
            Options::timeoutable(self.scenario.checkpointing.aligned_timeout_ms)
        } else {
            Options::aligned(Snapshot::Checkpoint)
        }
    }

    /// Tells a receiver that a barrier which may time out is in one of its channels.
    pub(super) fn announce(
        &self,
        state: &mut State,
        channel: ChannelId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        let Some(ends) = self.graph.channels().get(channel.index()) else {
            return;
        };
        let barrier = barrier_of(checkpoint, self.waiting_options(channel));
        let number = self.number_in_gate(ends.to, channel);
        let call = |gate: &mut Handler, inputs: Inputs, effects: &mut Effects| {
            let content = Content::Announcement(barrier);
            gate.receive(number, content, inputs, Micros::ZERO, effects);
            None
        };
        self.call(state, ends.to, None, call, o);
    }

    /// The alignment of a subtask has taken too long.
    pub(super) fn time_out(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if !state.runs(subtask.index())
            || self.is_engaged(state, subtask)
            || !state.timers.remove(subtask.index())
        {
            return Err(Disabled);
        }
        let call = |gate: &mut Handler, inputs: Inputs, effects: &mut Effects| {
            let checkpoint = gate.latest_checkpoint();
            gate.timer(checkpoint, inputs, effects);
            Some(Event::AlignmentTimedOut {
                subtask: self.subtask_node(subtask),
                checkpoint,
            })
        };
        self.call(state, subtask, None, call, o);
        Ok(())
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
                self.checkpoint_state(state, subtask, checkpoint, options.is_unaligned(), o);
                // A tracker triggers at the last barrier, and says no more.
                if self.mode() == Mode::AtLeastOnce {
                    self.upload(state, subtask, checkpoint, o);
                }
            }
            Effect::AllBarriersReceived(checkpoint) => {
                self.upload(state, subtask, checkpoint, o);
            }
            Effect::StartInFlight(checkpoint) => {
                self.start_in_flight(state, subtask, checkpoint, before, o);
            }
            Effect::StopInFlight(checkpoint) => {
                if let Some(under_way) = state.of_mut(checkpoint) {
                    for channel in self.channels_into(subtask) {
                        under_way.persisting.remove(channel.index());
                    }
                }
            }
            Effect::Abort { checkpoint, reason } => {
                let reason = match reason {
                    Reason::CancellationBarrier => FailureReason::CancellationBarrier,
                    Reason::Subsumed => FailureReason::DeclinedSubsumed,
                    Reason::EndOfInput => FailureReason::InputEnded,
                    Reason::AlignmentLimit => FailureReason::AlignmentLimit,
                };
                self.decline(state, subtask, checkpoint, reason, o);
                self.forward_cancellation(state, subtask, checkpoint, o);
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
        let (mut records, mut bytes) = (0, 0);
        for id in self.channels_into(subtask) {
            let Some(channel) = state.channels.get(id.index()) else {
                continue;
            };
            if self.feedback.contains(id.index()) {
                continue;
            }
            let barrier = match before.barrier {
                Some((received, place)) if received == id => Some(place),
                _ => channel.place_of_barrier(checkpoint),
            };
            // A channel that waits behind its barrier holds nothing of this checkpoint any more.
            let waits = before.blocked_for == Some(checkpoint)
                && before.blocked.contains(self.number_in_gate(subtask, id));
            let end = match barrier {
                None if waits => 0,
                barrier => barrier.unwrap_or(usize::MAX),
            };
            let end = end.min(channel.input().len());
            let stored = self.store_elements(state, id, checkpoint, false, 0..end);
            (records, bytes) = (records + stored.0, bytes + stored.1);
            if barrier.is_none()
                && !waits
                && let Some(under_way) = state.of_mut(checkpoint)
                && !under_way.over
            {
                under_way.persisting.insert(id.index());
            }
        }
        if records > 0 {
            o.event(Event::InFlightStored {
                subtask: self.subtask_node(subtask),
                checkpoint,
                records,
                bytes,
                output: false,
            });
        }
    }

    pub(super) fn inputs_of(&self, subtask: SubtaskId) -> Inputs {
        let channels = if self.feedback.is_empty() {
            self.graph.subtask(subtask).map_or(0, |s| s.inputs.len())
        } else {
            // Those that lead back come last at a gate, and the handler does not know of them.
            let channels = self.channels_into(subtask);
            channels
                .filter(|id| !self.feedback.contains(id.index()))
                .count()
        };
        Inputs {
            channels: channels as u16,
            checkpoints_after_finish: true,
        }
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
