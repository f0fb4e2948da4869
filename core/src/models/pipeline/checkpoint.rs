//! The way of a checkpoint: trigger, snapshots, acknowledgements, completion, commit.

use smallvec::SmallVec;

use super::failure::Ending;
use super::state::Contents;
use super::{Pipeline, Role, State};
use crate::event::Event;
use crate::flink::barrier::handler::{Handler, Mode};
use crate::flink::coordinator::Acknowledgement;
use crate::id::{ActorId, CheckpointId, SubtaskId};
use crate::kafka::log::TransactionId;
use crate::protocol::{Disabled, Observer};

impl Pipeline {
    pub(super) fn may_trigger(&self, state: &State) -> bool {
        let most = self.scenario.checkpointing.max_checkpoints;
        let most = most.unwrap_or(u32::MAX).min(TransactionId::MAX_NUMBER - 1);
        state.crashed.is_none()
            && state.coordinator.may_trigger()
            && state.coordinator.triggered().0 < most
    }

    pub(super) fn trigger(&self, state: &mut State, o: &mut impl Observer) -> Result<(), Disabled> {
        if !self.may_trigger(state) {
            return Err(Disabled);
        }
        let checkpoint = state.coordinator.trigger();
        o.event(Event::CheckpointTriggered { checkpoint });
        state.pending = self.empty_contents();
        for source in 0..self.sources {
            state.triggers.insert(usize::from(source));
            o.sent(self.trigger_link(SubtaskId(source)));
        }
        Ok(())
    }

    pub(super) fn may_expire(&self, state: &State) -> bool {
        self.scenario.checkpointing.timeout_ms.0 > 0 && state.coordinator.pending().is_some()
    }

    /// The pending checkpoint has taken too long: it is given up, and every subtask hears of it at once
    /// (`CheckpointCoordinator.abortPendingCheckpoint`; in Flink by a call each, which may be lost).
    pub(super) fn expire(&self, state: &mut State, o: &mut impl Observer) -> Result<(), Disabled> {
        if !self.may_expire(state) {
            return Err(Disabled);
        }
        let checkpoint = state.coordinator.abort().ok_or(Disabled)?;
        o.event(Event::CheckpointAborted { checkpoint });
        for source in core::mem::take(&mut state.triggers).iter() {
            o.purged(self.trigger_link(SubtaskId(source as u16)));
        }
        for subtask in core::mem::take(&mut state.uploads).iter() {
            o.purged(self.snapshot_link(SubtaskId(subtask as u16)));
        }
        state.pending = Contents::default();
        for subtask in (0..self.subtasks() as u16).map(SubtaskId) {
            self.cancel(state, subtask, checkpoint, o);
            o.woken(ActorId(subtask.0));
        }
        Ok(())
    }

    pub(super) fn inject(
        &self,
        state: &mut State,
        source: SubtaskId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let checkpoint = state.coordinator.pending().ok_or(Disabled)?;
        if !state.triggers.remove(source.index()) {
            return Err(Disabled);
        }
        o.taken(self.trigger_link(source));
        o.event(Event::BarrierInjected {
            source: self.subtask_node(source),
            checkpoint,
        });
        let unaligned = self.mode() == Mode::Unaligned;
        self.broadcast(state, source, checkpoint, unaligned, o);
        self.snapshot(state, source, checkpoint, o);
        self.upload(state, source, o);
        Ok(())
    }

    pub(super) fn snapshot(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        match self.role(subtask) {
            Some(Role::Source) => {
                for partition in self.partitions_of(subtask) {
                    if let (Some(to), Some(from)) = (
                        state.pending.offsets.get_mut(partition.index()),
                        state.live.offsets.get(partition.index()),
                    ) {
                        *to = *from;
                    }
                }
            }
            Some(Role::Keyed { mask, .. }) => {
                state.pending.counted.copy_masked(&state.live.counted, mask);
            }
            Some(Role::Sink { number, .. }) => {
                if let (Some(to), Some(from)) = (
                    state.pending.sinks.get_mut(*number),
                    state.live.sinks.get(*number),
                ) {
                    *to = from.clone();
                }
            }
            Some(Role::Stateless { .. }) | None => {}
        }
        o.event(Event::SnapshotTaken {
            subtask: self.subtask_node(subtask),
            checkpoint,
        });
    }

    /// A snapshot has all that belongs to it, in-flight data included, and goes to the store.
    pub(super) fn upload(&self, state: &mut State, subtask: SubtaskId, o: &mut impl Observer) {
        if state.uploads.insert(subtask.index()) {
            o.sent(self.snapshot_link(subtask));
        }
    }

    /// Whether a subtask has taken its snapshot for the pending checkpoint.
    pub(super) fn has_snapshot(&self, state: &State, subtask: SubtaskId) -> bool {
        let at = subtask.index();
        let gate = self
            .gate_number(subtask)
            .and_then(|gate| state.gates.get(gate));
        state.uploads.contains(at)
            || state.coordinator.has_acknowledged(at)
            || match gate {
                Some(Handler::Unaligned(handler)) => handler.pending().is_some(),
                Some(Handler::Alternating(handler)) => handler.has_triggered(),
                _ => false,
            }
    }

    pub(super) fn acknowledge(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let checkpoint = state.coordinator.pending().ok_or(Disabled)?;
        if !state.uploads.remove(subtask.index()) {
            return Err(Disabled);
        }
        o.taken(self.snapshot_link(subtask));
        let subtasks = self.subtasks();
        let result = state
            .coordinator
            .acknowledge(subtask.index(), checkpoint, subtasks);
        let missing = match result {
            Acknowledgement::Counted { missing } => missing as u32,
            Acknowledgement::Completed | Acknowledgement::Discarded => 0,
        };
        o.event(Event::SnapshotAcknowledged {
            subtask: self.subtask_node(subtask),
            checkpoint,
            missing,
        });
        if result == Acknowledgement::Completed {
            state.stored = core::mem::take(&mut state.pending);
            o.event(Event::CheckpointCompleted { checkpoint });
            o.woken(self.coordinator_actor());
            if self.is_transactional() {
                for sink in &self.sinks {
                    if state.notifications.insert(sink.index()) {
                        o.sent(self.notify_link(*sink));
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn notify(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if !state.notifications.remove(subtask.index()) {
            return Err(Disabled);
        }
        o.taken(self.notify_link(subtask));
        let checkpoint = state.coordinator.completed();
        o.event(Event::CompletionNotified {
            subtask: self.subtask_node(subtask),
            checkpoint,
        });
        let number = self.sinks.iter().position(|sink| *sink == subtask);
        let ready = match number.and_then(|number| state.live.sinks.get_mut(number)) {
            Some(sink) => sink.complete(checkpoint),
            None => SmallVec::new(),
        };
        for transaction in ready {
            self.end_transaction(state, subtask, transaction.0, Ending::Commit, o);
        }
        Ok(())
    }
}
