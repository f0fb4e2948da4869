use alloc::vec::Vec;

use smallvec::SmallVec;

use super::state::Contents;
use super::{Action, Pipeline, Role, State};
use crate::collections::Bits;
use crate::flink::barrier::handler::Handler;
use crate::flink::channel::{Channel, ElementKind};
use crate::flink::coordinator::Coordinator;
use crate::flink::two_phase_commit::SinkTransactions;
use crate::id::{ActorId, ChannelId, LinkId, SubtaskId};
use crate::kafka::log::PartitionLog;
use crate::protocol::{Disabled, Link, Observer, Protocol, Taking, TimerId, Timing};
use crate::time::Micros;

impl Protocol for Pipeline {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        let empty = self.empty_contents();
        State {
            crashed: None,
            crashes_left: self.scenario.faults.max_crashes,
            live: empty.clone(),
            channels: smallvec::smallvec![Channel::default(); self.graph.channels().len()],
            gates: smallvec::smallvec![
                Handler::new(self.mode());
                self.subtasks().saturating_sub(usize::from(self.sources))
            ],
            turns: self.fresh_turns(),
            coordinator: Coordinator::default(),
            triggers: Bits::default(),
            timers: Bits::default(),
            persisting: Bits::default(),
            uploads: Bits::default(),
            notifications: Bits::default(),
            pending: Contents::default(),
            stored: empty,
            output: smallvec::smallvec![
                PartitionLog::default();
                usize::from(self.output_partitions)
            ],
        }
    }

    fn actors(&self) -> usize {
        self.environment().index() + 1
    }

    fn links(&self) -> usize {
        self.notify_link(SubtaskId(self.subtasks() as u16)).index()
    }

    fn link(&self, link: LinkId) -> Link {
        let costs = &self.scenario.costs;
        let subtask = |first: LinkId| ActorId((link.0 - first.0) as u16);
        let coordinator = self.coordinator_actor();
        if let Some(ends) = self.graph.channels().get(link.index()) {
            return Link {
                from: ActorId(ends.from.0),
                to: ActorId(ends.to.0),
                delay: costs.hop_ms.into(),
            };
        }
        if link >= self.notify_link(SubtaskId(0)) {
            Link {
                from: coordinator,
                to: subtask(self.notify_link(SubtaskId(0))),
                delay: costs.control_ms.into(),
            }
        } else if link >= self.snapshot_link(SubtaskId(0)) {
            Link {
                from: subtask(self.snapshot_link(SubtaskId(0))),
                to: coordinator,
                delay: costs.snapshot_ms.into(),
            }
        } else {
            Link {
                from: coordinator,
                to: subtask(self.trigger_link(SubtaskId(0))),
                delay: costs.control_ms.into(),
            }
        }
    }

    fn enabled(&self, state: &State, actor: ActorId, into: &mut Vec<Action>) {
        if actor == self.environment() {
            if state.crashed.is_none() && state.crashes_left > 0 {
                into.extend((0..self.subtasks() as u16).map(|s| Action::Crash(SubtaskId(s))));
            }
        } else if actor == self.coordinator_actor() {
            into.extend(
                state
                    .uploads
                    .iter()
                    .map(|subtask| Action::Acknowledge(SubtaskId(subtask as u16))),
            );
            if self.may_trigger(state) {
                into.push(Action::Trigger);
            }
            if self.may_expire(state) {
                into.push(Action::Expire);
            }
            if state.crashed.is_some() {
                into.push(Action::Restart);
            }
        } else if state.crashed.is_none() {
            self.enabled_at(state, SubtaskId(actor.0), into);
        }
    }

    fn actor(&self, action: Action) -> ActorId {
        match action {
            Action::Inject(subtask) | Action::TimeOut(subtask) | Action::Notify(subtask) => {
                ActorId(subtask.0)
            }
            Action::Emit(partition) => ActorId(self.reader_of(partition).0),
            Action::Take(channel) | Action::Overtake(channel) => self
                .graph
                .channels()
                .get(channel.index())
                .map_or(self.environment(), |ends| ActorId(ends.to.0)),
            Action::Trigger | Action::Acknowledge(_) | Action::Expire | Action::Restart => {
                self.coordinator_actor()
            }
            Action::Crash(_) => self.environment(),
        }
    }

    fn takes(&self, state: &State, action: Action) -> Option<Taking> {
        let link = match action {
            Action::Inject(source) => self.trigger_link(source),
            Action::Take(channel) | Action::Overtake(channel) => self.channel_link(channel),
            Action::Notify(subtask) => self.notify_link(subtask),
            Action::Acknowledge(subtask) => self.snapshot_link(subtask),
            Action::Emit(_)
            | Action::TimeOut(_)
            | Action::Trigger
            | Action::Expire
            | Action::Restart
            | Action::Crash(_) => return None,
        };
        let place = match action {
            Action::Overtake(channel) => state.channels.get(channel.index())?.overtaker()?.0,
            _ => 0,
        };
        Some(Taking { link, place })
    }

    fn timing(&self, state: &State, action: Action) -> Timing {
        let costs = &self.scenario.costs;
        let partitions = self.inputs.len() as u16;
        match action {
            Action::Emit(partition) => match self.inputs.get(partition.index()) {
                Some(input) => Timing::Periodic(TimerId(partition.0), input.interval),
                None => Timing::Never,
            },
            Action::Take(channel) => {
                let first = state.channels.get(channel.index()).and_then(Channel::first);
                let receiver = self.graph.channels().get(channel.index());
                match (first, receiver.and_then(|ends| self.role(ends.to))) {
                    (
                        Some(ElementKind::Record(_)),
                        Some(
                            Role::Stateless { cost }
                            | Role::Keyed { cost, .. }
                            | Role::Sink { cost, .. },
                        ),
                    ) => Timing::Work(*cost),
                    _ => Timing::Work(Micros::ZERO),
                }
            }
            Action::Overtake(_) => Timing::Urgent,
            // Flink counts from the creation of the barrier: from when the checkpoint was triggered.
            Action::TimeOut(_) => Timing::Since(
                TimerId(partitions),
                self.scenario.checkpointing.aligned_timeout_ms.into(),
            ),
            Action::Notify(_) => Timing::Work(costs.commit_ms.into()),
            Action::Inject(_) | Action::Acknowledge(_) => Timing::Work(Micros::ZERO),
            Action::Trigger => Timing::Periodic(
                TimerId(partitions),
                self.scenario.checkpointing.interval_ms.into(),
            ),
            Action::Expire => Timing::Since(
                TimerId(partitions),
                self.scenario.checkpointing.timeout_ms.into(),
            ),
            Action::Restart => Timing::Delay(TimerId(partitions + 1), costs.restart_ms.into()),
            Action::Crash(_) => Timing::Never,
        }
    }

    fn apply(
        &self,
        state: &mut State,
        action: Action,
        observer: &mut impl Observer,
    ) -> Result<(), Disabled> {
        match action {
            Action::Inject(source) => self.inject(state, source, observer),
            Action::Emit(partition) => self.emit(state, partition, observer),
            Action::Take(channel) => self.take(state, channel, observer),
            Action::Overtake(channel) => self.overtake(state, channel, observer),
            Action::TimeOut(subtask) => self.time_out(state, subtask, observer),
            Action::Notify(subtask) => self.notify(state, subtask, observer),
            Action::Trigger => self.trigger(state, observer),
            Action::Acknowledge(subtask) => self.acknowledge(state, subtask, observer),
            Action::Expire => self.expire(state, observer),
            Action::Restart => self.restart(state, observer),
            Action::Crash(subtask) => self.crash(state, subtask, observer),
        }
    }

    fn is_done(&self, state: &State) -> bool {
        // Checkpoints go on for ever; what counts is that no record waits for anything.
        state.crashed.is_none()
            && self.all_read(state)
            && state.channels.iter().all(|channel| channel.records() == 0)
            && (!self.is_transactional()
                || state
                    .output
                    .iter()
                    .all(|log| log.open_transactions().is_empty()))
    }
}

/// What may happen where.
impl Pipeline {
    pub(super) fn empty_contents(&self) -> Contents {
        let sinks = if self.is_transactional() {
            self.sinks.len()
        } else {
            0
        };
        Contents {
            offsets: smallvec::smallvec![0; self.inputs.len()],
            counted: Default::default(),
            sinks: smallvec::smallvec![SinkTransactions::default(); sinks],
            in_flight: SmallVec::new(),
        }
    }

    /// What a running subtask may do.
    fn enabled_at(&self, state: &State, id: SubtaskId, into: &mut Vec<Action>) {
        if id.0 < self.sources {
            if state.triggers.contains(id.index()) {
                into.push(Action::Inject(id));
            }
            into.extend(
                self.partitions_of(id)
                    .filter(|partition| self.next_record(state, *partition).is_some())
                    .map(Action::Emit),
            );
            return;
        }
        if let Some(subtask) = self.graph.subtask(id) {
            into.extend(
                subtask
                    .inputs
                    .clone()
                    .map(ChannelId)
                    .filter(|channel| self.takeable(state, *channel).is_some())
                    .map(Action::Take),
            );
            into.extend(
                subtask
                    .inputs
                    .clone()
                    .map(ChannelId)
                    .filter(|channel| self.overtaker(state, *channel).is_some())
                    .map(Action::Overtake),
            );
        }
        if state.timers.contains(id.index()) {
            into.push(Action::TimeOut(id));
        }
        if state.notifications.contains(id.index()) {
            into.push(Action::Notify(id));
        }
    }
}
