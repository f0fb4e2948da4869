//! What a search may try alone, and what it need not tell apart.
//!
//! An action stands alone if whoever else acts first or later makes no difference: it is then tried before everything
//! else, and nothing else in its place. Such are
//!
//! * an acknowledgement that does not complete its checkpoint (the last one does, whichever that is);
//! * a sink that takes a record, if nobody else writes to its partition, and no barrier can overtake that;
//! * an operator that takes a record from the only input that is open to it, the others being blocked behind a barrier
//!   which only that input can release, and no barrier can overtake that;
//! * a source that reads its partition when no barrier can come any more.
//!
//! Of losses that come to the same one is tried ([`Pipeline::loss`]).
//!
//! Each of them commutes with everything that others can do, disables none of it, and leaves a record that is lost, doubled
//! or miscounted so. What a fault does to it the search checks itself, in every state: a crash must absorb it, so that it
//! makes no difference whether it had happened ([`Settings::order`](crate::explorer::Settings::order)). `tests/reductions.rs`
//! holds all that against every state of small jobs.

use super::failure::Cause;
use super::state::{JobStatus, UnderWay};
use super::{Action, Pipeline, Role, State};
use crate::flink::channel::{Channel, ElementKind};
use crate::id::{ChannelId, CheckpointId, PartitionId, SubtaskId};

impl Pipeline {
    /// Whether an action, which is enabled, stands alone.
    pub(super) fn stands_alone(&self, state: &State, action: Action) -> bool {
        // At the end of a topic that ends, whatever is read last has a checkpoint triggered.
        let is_plain = !self.bounded && !self.fills && self.brokers.is_none() && self.writers == 0;
        let runs = state.job == JobStatus::Running && state.all_run();
        is_plain
            && runs
            && self.feedback.is_empty()
            && match action {
                Action::Acknowledge(_, checkpoint) => self.leaves_open(state, checkpoint),
                Action::Take(channel) => self.takes_alone(state, channel),
                Action::Emit(partition) => self.reads_alone(state, partition),
                _ => false,
            }
    }

    /// Whether one acknowledgement more does not complete a checkpoint.
    fn leaves_open(&self, state: &State, checkpoint: CheckpointId) -> bool {
        let subtasks = self.present_count(state);
        let missing = state.coordinator.missing(checkpoint, subtasks);
        missing.is_some_and(|missing| missing > 1)
    }

    fn takes_alone(&self, state: &State, channel: ChannelId) -> bool {
        // A barrier that is still to come may overtake what is not taken yet.
        if self.scenario.checkpointing.unaligned && self.is_barrier_about(state) {
            return false;
        }
        let first = state.channels.get(channel.index()).and_then(Channel::first);
        let (Some(ElementKind::Record(_)), Some(ends)) =
            (first, self.graph.channels().get(channel.index()))
        else {
            return false;
        };
        let receiver = ends.to;
        let fits = match self.role(receiver) {
            Some(Role::Sink { partition, .. }) => self.writes_alone(receiver, *partition),
            Some(Role::Stateless { .. } | Role::Keyed { .. }) => true,
            _ => false,
        };
        fits && self.is_only_open(state, receiver, channel)
    }

    /// Whether nobody else writes to the partition of a sink.
    fn writes_alone(&self, sink: SubtaskId, partition: PartitionId) -> bool {
        self.sinks.iter().all(|other| {
            *other == sink
                || !matches!(self.role(*other), Some(Role::Sink { partition: it, .. }) if *it == partition)
        })
    }

    /// Whether a subtask has no other input, or all others are blocked.
    fn is_only_open(&self, state: &State, receiver: SubtaskId, channel: ChannelId) -> bool {
        let gate = self
            .gate_number(receiver)
            .and_then(|at| state.gates.get(at));
        let Some(gate) = gate else {
            return false;
        };
        self.channels_into(receiver).all(|other| {
            let number = self.number_in_gate(receiver, other);
            other == channel || super::barriers::is_blocked(gate, number)
        })
    }

    /// Whether no checkpoint will be triggered any more.
    fn is_last_triggered(&self, state: &State) -> bool {
        let most = self.scenario.checkpointing.max_checkpoints;
        most.is_some_and(|most| state.coordinator.triggered().0 >= most)
            && state.budget.savepoints == 0
    }

    /// Whether some barrier is on its way, or may still come.
    fn is_barrier_about(&self, state: &State) -> bool {
        let is_about = |it: &UnderWay| !it.triggers.is_empty() || !it.persisting.is_empty();
        !self.is_last_triggered(state)
            || state.under_way.iter().any(is_about)
            || state.channels.iter().any(Channel::has_events)
    }

    /// Whether a source has nothing to do any more but to read one partition.
    fn reads_alone(&self, state: &State, partition: PartitionId) -> bool {
        let source = self.reader_of(partition);
        let no_more = self.is_last_triggered(state)
            && state
                .under_way
                .iter()
                .all(|it| !it.triggers.contains(source.index()));
        let others = self.partitions_of(source).filter(|it| *it != partition);
        let read = |other: PartitionId| {
            let offset = state.live.offsets.get(other.index());
            offset.is_some_and(|offset| self.record_at(other, *offset).is_none())
        };
        no_more && { others }.all(read)
    }

    /// What makes the loss of some subtasks differ from that of others: whose current transaction nobody aborts, since the
    /// sink that could has died. All else that is connected with them is cancelled with them, whoever they are.
    pub(super) fn loss(&self, state: &State, cause: Cause) -> Option<u64> {
        let is_one_region = self.regions.iter().all(|region| *region == 0);
        if !is_one_region || self.fills || self.brokers.is_some() || !state.down.is_empty() {
            return None;
        }
        let hit = |sink: &SubtaskId| match cause {
            Cause::Subtask(subtask) => *sink == subtask,
            Cause::TaskManager(number) => self.task_manager_of(*sink) == number,
            _ => false,
        };
        let mut lost = 0;
        for (number, sink) in self.sinks.iter().enumerate() {
            if number < state.live.sinks.len() && hit(sink) {
                lost |= 1_u64.checked_shl(number as u32)?;
            }
        }
        Some(lost)
    }

    /// Forgets the order in which records stand in the output, as far as no reader can tell.
    pub(super) fn forget_order(&self, state: &mut State) {
        let isolation = self.isolation();
        // What is shared has been through this before.
        for log in state.output.own().into_iter().flatten() {
            log.forget_order(isolation);
        }
    }
}
