//! Crash and recovery, and how transactions end.

use super::state::Contents;
use super::{Pipeline, Role, State};
use crate::event::Event;
use crate::flink::barrier::handler::Handler;
use crate::flink::channel::Channel;
use crate::id::{ActorId, ChannelId, SubtaskId};
use crate::kafka::log::{Outcome, PartitionLog, TransactionId};
use crate::protocol::{Disabled, Observer};

impl Pipeline {
    pub(super) fn crash(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if state.crashed.is_some() || self.role(subtask).is_none() {
            return Err(Disabled);
        }
        state.crashes_left = state.crashes_left.checked_sub(1).ok_or(Disabled)?;
        state.crashed = Some(subtask);
        let in_flight = state.channels.iter().map(Channel::records).sum::<usize>();
        o.event(Event::SubtaskCrashed {
            subtask: self.subtask_node(subtask),
            in_flight: in_flight as u32,
        });
        self.abort_current_of_others(state, subtask, o);

        // Nothing in memory or under way survives.
        for (id, channel) in state.channels.iter_mut().enumerate() {
            channel.clear();
            o.purged(self.channel_link(ChannelId(id as u32)));
        }
        state.triggers.clear();
        state.uploads.clear();
        state.notifications.clear();
        for id in (0..self.subtasks() as u16).map(SubtaskId) {
            if id.0 < self.sources {
                o.purged(self.trigger_link(id));
            }
            o.purged(self.snapshot_link(id));
            o.purged(self.notify_link(id));
            o.interrupted(ActorId(id.0));
        }
        if let Some(checkpoint) = state.coordinator.abort() {
            o.event(Event::CheckpointAborted { checkpoint });
        }
        state.pending = Contents::default();
        state.live = state.stored.clone();
        state.turns = self.fresh_turns();
        for gate in &mut state.gates {
            *gate = Handler::restarted(self.mode(), state.coordinator.triggered());
        }
        state.persisting.clear();
        state.timers.clear();
        o.interrupted(self.coordinator_actor());
        Ok(())
    }

    /// The subtasks that did not die are cancelled, and a sink that is closed aborts its current
    /// transaction (`TwoPhaseCommitSinkFunction.close`); the one that died cannot.
    fn abort_current_of_others(&self, state: &mut State, dead: SubtaskId, o: &mut impl Observer) {
        for (number, sink) in self.sinks.iter().enumerate() {
            let current = state.live.sinks.get(number).map(|s| s.current());
            if let Some(current) = current
                && *sink != dead
            {
                self.end_transaction(state, *sink, current.0, Ending::Abort, o);
            }
        }
    }

    pub(super) fn restart(&self, state: &mut State, o: &mut impl Observer) -> Result<(), Disabled> {
        if state.crashed.take().is_none() {
            return Err(Disabled);
        }
        let read: u32 = state.live.offsets.iter().sum();
        o.event(Event::JobRestored {
            checkpoint: state.coordinator.completed(),
            unread: (self.records.len() as u32).saturating_sub(read),
            in_flight: state.live.in_flight.len() as u32,
        });
        // In-flight data is processed before anything new comes.
        for (channel, record) in core::mem::take(&mut state.live.in_flight) {
            self.put_record(state, channel, record, o);
        }
        let next = state.coordinator.triggered().next();
        for (number, id) in self.sinks.iter().copied().enumerate() {
            let Some(sink) = state.live.sinks.get_mut(number) else {
                break;
            };
            for transaction in sink.recover(next) {
                self.end_transaction(state, id, transaction.0, Ending::RecoveredCommit, o);
            }
            self.abort_lingering(state, id, o);
        }
        for subtask in 0..self.subtasks() as u16 {
            o.woken(ActorId(subtask));
        }
        Ok(())
    }

    /// Aborts what an earlier attempt of a sink left open, as a KafkaSink does for its transactional-id
    /// prefix when it starts.
    fn abort_lingering(&self, state: &mut State, sink: SubtaskId, o: &mut impl Observer) {
        let Some(Role::Sink { partition, .. }) = self.role(sink) else {
            return;
        };
        let open = state
            .output
            .get(partition.index())
            .map(PartitionLog::open_transactions)
            .unwrap_or_default();
        for id in open.iter().filter(|id| id.producer() == sink.0) {
            self.end_transaction(state, sink, id.number(), Ending::Abort, o);
        }
    }

    pub(super) fn end_transaction(
        &self,
        state: &mut State,
        sink: SubtaskId,
        transaction: u32,
        ending: Ending,
        o: &mut impl Observer,
    ) {
        let Some(Role::Sink { partition, .. }) = self.role(sink) else {
            return;
        };
        let Some(log) = state.output.get_mut(partition.index()) else {
            return;
        };
        let outcome = match ending {
            Ending::Commit | Ending::RecoveredCommit => Outcome::Commit,
            Ending::Abort => Outcome::Abort,
        };
        let id = TransactionId::new(sink.0, transaction);
        // None: it wrote nothing, or has been ended before; committing again changes nothing.
        let Some(records) = log.end_transaction(id, outcome) else {
            return;
        };
        let subtask = self.subtask_node(sink);
        o.event(match outcome {
            Outcome::Commit => Event::TransactionCommitted {
                subtask,
                transaction,
                records,
                recovered: ending == Ending::RecoveredCommit,
            },
            Outcome::Abort => Event::TransactionAborted {
                subtask,
                transaction,
                records,
            },
        });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Commit,
    RecoveredCommit,
    Abort,
}
