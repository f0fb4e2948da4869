//! Crash, failover and recovery, and how transactions end.

use super::state::{Budget, Contents, JobStatus};
use super::{Pipeline, Role, State};
use crate::collections::Bits;
use crate::event::Event;
use crate::flink::barrier::handler::Handler;
use crate::flink::coordinator::FailureReason;
use crate::id::{ActorId, ChannelId, SubtaskId};
use crate::kafka::log::{Outcome, PartitionLog, TransactionId};
use crate::protocol::{Disabled, Observer};
use crate::scenario::Ticket;

/// What makes the job, or a region of it, fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// A subtask dies.
    Subtask(SubtaskId),
    /// A subtask fails with an exception: it is closed like those that are cancelled with it.
    Task(SubtaskId),
    /// The whole job is killed.
    Killed,
    /// A TaskManager is lost.
    TaskManager(u16),
    /// The JobManager is lost.
    JobManager,
    /// The coordinator has the job fail.
    Coordinator,
}

impl Pipeline {
    pub(super) fn fresh_budget(&self) -> Budget {
        let faults = &self.scenario.faults;
        Budget {
            crashes: faults.max_crashes,
            declines: faults.max_declines,
            refusals: faults.max_refusals,
            losses: faults.max_lost_notifications,
            savepoints: self.scenario.savepoints.max,
        }
    }

    /// Whether something may be lost now.
    pub(super) fn may_break(&self, state: &State, cause: Cause) -> bool {
        state.budget.crashes > 0
            && !self.is_over(state)
            && match cause {
                Cause::JobManager => state.down.is_empty(),
                Cause::Coordinator | Cause::Task(_) | Cause::Killed => false,
                Cause::Subtask(_) | Cause::TaskManager(_) => {
                    let mut hit = self.hit_by(state, cause);
                    hit.any(|subtask| !state.down.contains(subtask.index()))
                }
            }
    }

    /// Whether the job has come to its end, and runs no more: it has failed for good, was stopped, or has
    /// finished, and whoever had to hear of it has.
    pub(super) fn is_over(&self, state: &State) -> bool {
        match state.job {
            JobStatus::Failed => true,
            JobStatus::Stopping | JobStatus::Finishing => {
                let without_end = state.job == JobStatus::Finishing
                    && !self.scenario.checkpointing.after_tasks_finish;
                state.all_run()
                    && state.notices.is_empty()
                    && self.sinks_are_idle(state)
                    && (without_end || self.all_committed(state))
                    && self.table_is_settled(state)
            }
            JobStatus::Running => false,
        }
    }

    /// The subtasks that die of it.
    fn hit_by<'a>(
        &'a self,
        state: &'a State,
        cause: Cause,
    ) -> impl Iterator<Item = SubtaskId> + 'a {
        self.present(state).filter(move |subtask| match cause {
            Cause::Subtask(dead) => *subtask == dead,
            Cause::TaskManager(number) => self.task_manager_of(*subtask) == number,
            Cause::Killed => true,
            Cause::Task(_) | Cause::JobManager | Cause::Coordinator => false,
        })
    }

    pub(super) fn lose(
        &self,
        state: &mut State,
        cause: Cause,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if !self.may_break(state, cause) {
            return Err(Disabled);
        }
        state.budget.crashes -= 1;
        self.fail(state, cause, o);
        Ok(())
    }

    /// Something has failed: what is connected with it is cancelled, and waits for the restart.
    pub(super) fn fail(&self, state: &mut State, cause: Cause, o: &mut impl Observer) {
        let mut dead = Bits::default();
        for subtask in self.hit_by(state, cause) {
            if !state.down.contains(subtask.index()) {
                dead.insert(subtask.index());
            }
        }
        let attempts = self.scenario.restart.attempts;
        let killed = cause == Cause::Killed;
        let given_up = !killed && attempts.is_some_and(|attempts| state.restarts >= attempts);
        // A savepoint with which the job was to stop is complete, and its transactions are not all committed:
        // Flink does not go back to an earlier checkpoint (`StopWithSavepointStoppingException`).
        let stopping = state.job == JobStatus::Stopping && !killed;
        let given_up = given_up || stopping && !self.lacks(Ticket::Flink26783);
        let region = self.region_of(state, cause, &dead, given_up || stopping);
        self.tell_failure(state, cause, &dead, &region, o);
        if stopping && given_up {
            o.event(Event::StopFailed {
                checkpoint: state.stopped_with,
            });
        }
        self.abort_current_of_others(state, &dead, &region, o);
        self.stop_sinks(state, &dead, &region, o);
        // All checkpoints under way miss somebody now.
        while let Some(checkpoint) = state.coordinator.abort_oldest() {
            self.abandon(state, checkpoint, FailureReason::Suspended, o);
        }
        let splits = state.live.splits.clone();
        self.lose_memory(state, &region, o);
        self.restore_splits(state, cause, &region, &splits, o);
        if cause == Cause::JobManager {
            state.coordinator.recover();
        }
        for subtask in region.iter() {
            state.down.insert(subtask);
            state.starting.remove(subtask);
        }
        for subtask in dead.iter() {
            state.dead.insert(subtask);
        }
        // What is left of a savepoint with which the job was to stop counts for nothing now.
        state.job = JobStatus::Running;
        state.rushed = false;
        if given_up {
            state.job = JobStatus::Failed;
            o.event(Event::JobFailed {
                restarts: u32::from(state.restarts),
            });
        } else if attempts.is_some() && !killed {
            state.restarts += 1;
        }
        self.prune(state);
        o.interrupted(self.coordinator_actor());
    }

    /// The subtasks that are cancelled: those that channels connect with one that died; all of them if the
    /// job is given up.
    fn region_of(&self, state: &State, cause: Cause, dead: &Bits, given_up: bool) -> Bits {
        let all = given_up
            || self.scenario.restart.resubmitted
            || matches!(
                cause,
                Cause::JobManager | Cause::Coordinator | Cause::Killed
            );
        let failed = match cause {
            Cause::Task(subtask) => Some(subtask.index()),
            _ => None,
        };
        let hit = |subtask: usize| {
            let own = self.regions.get(subtask);
            all || dead
                .iter()
                .chain(failed)
                .any(|dead| self.regions.get(dead) == own)
        };
        let mut region = Bits::default();
        for subtask in self.present(state).map(SubtaskId::index) {
            if hit(subtask) && !state.down.contains(subtask) {
                region.insert(subtask);
            }
        }
        region
    }

    fn tell_failure(
        &self,
        state: &State,
        cause: Cause,
        dead: &Bits,
        region: &Bits,
        o: &mut impl Observer,
    ) {
        let channels = state.channels.iter().zip(self.graph.channels());
        let in_flight = channels
            .filter(|(_, ends)| region.contains(ends.to.index()))
            .map(|(channel, _)| channel.records() as u32)
            .sum();
        match cause {
            Cause::Subtask(subtask) => o.event(Event::SubtaskCrashed {
                subtask: self.subtask_node(subtask),
                in_flight,
            }),
            Cause::TaskManager(number) => o.event(Event::TaskManagerLost {
                number,
                subtasks: dead.len() as u32,
                in_flight,
            }),
            Cause::JobManager => o.event(Event::JobManagerLost { in_flight }),
            // What has led to it was told before.
            Cause::Coordinator | Cause::Task(_) | Cause::Killed => {}
        }
    }

    /// The subtasks that did not die are cancelled, and a sink that is closed aborts its current
    /// transaction (`TwoPhaseCommitSinkFunction.close`); the one that died cannot.
    pub(super) fn abort_current_of_others(
        &self,
        state: &mut State,
        dead: &Bits,
        region: &Bits,
        o: &mut impl Observer,
    ) {
        for (number, sink) in self.sinks.iter().enumerate() {
            let current = state.live.sinks.get(number).map(|s| s.current());
            if let Some(current) = current
                && region.contains(sink.index())
                && !dead.contains(sink.index())
            {
                self.end_transaction(state, *sink, current.0, Ending::Abort, o);
            }
        }
    }

    /// Nothing in memory or under way survives in these subtasks; what they hold is what the last
    /// completed checkpoint says.
    fn lose_memory(&self, state: &mut State, region: &Bits, o: &mut impl Observer) {
        for (id, ends) in self.graph.channels().iter().enumerate() {
            if region.contains(ends.to.index())
                && let Some(channel) = state.channels.get_mut(id)
            {
                channel.clear();
                o.purged(self.channel_link(ChannelId(id as u32)));
            }
        }
        for at in region.iter() {
            let id = SubtaskId(at as u16);
            for under_way in &mut state.under_way {
                under_way.triggers.remove(at);
                under_way.waiting.remove(at);
                under_way.told.remove(at);
            }
            state.reports.retain(|report| report.subtask != id);
            for notice in &mut state.notices {
                notice.to.remove(at);
            }
            if id.0 < self.sources {
                o.purged(self.trigger_link(id));
            }
            o.purged(self.snapshot_link(id));
            o.purged(self.notify_link(id));
            state.timers.remove(at);
            let restarted = Handler::restarted(self.handler(), state.coordinator.triggered());
            if let Some(gate) = self.gate_number(id).and_then(|at| state.gates.get_mut(at)) {
                *gate = restarted;
            }
            o.interrupted(ActorId(id.0));
        }
        state.notices.retain(|notice| !notice.to.is_empty());
        if region.len() == self.present_count(state) {
            state.under_way.clear();
            state.live = state.stored.clone();
            state.turns = self.fresh_turns();
            return;
        }
        for at in region.iter() {
            self.copy(SubtaskId(at as u16), &state.stored, &mut state.live);
        }
        let ends = self.graph.channels();
        let of_region = state.stored.in_flight.iter().filter(|item| {
            let to = ends.get(item.channel.index()).map(|ends| ends.to);
            to.is_some_and(|to| region.contains(to.index()))
        });
        for item in of_region {
            state.live.store_in_flight(*item);
        }
    }

    /// Copies what belongs to one subtask from some contents to others.
    pub(super) fn copy(&self, subtask: SubtaskId, from: &Contents, to: &mut Contents) {
        match self.role(subtask) {
            Some(Role::Source) => {
                for partition in self.partitions_of(subtask) {
                    let from = from.offsets.get(partition.index());
                    if let (Some(from), Some(to)) = (from, to.offsets.get_mut(partition.index())) {
                        *to = *from;
                    }
                }
            }
            Some(Role::Keyed { mask, .. } | Role::Broadcast { mask, .. }) => {
                to.counted.copy_masked(&from.counted, mask)
            }
            Some(Role::Sink { number, .. }) => {
                if let (Some(from), Some(to)) = (from.sinks.get(*number), to.sinks.get_mut(*number))
                {
                    *to = from.clone();
                }
                let held = from.on_brokers.get(*number);
                if let (Some(from), Some(to)) = (held, to.on_brokers.get_mut(*number)) {
                    to.clone_from(from);
                }
                to.prefix = from.prefix;
            }
            Some(Role::TableWriter { .. } | Role::Committer { .. }) => {
                self.copy_table_state(subtask, from, to);
            }
            Some(Role::Stateless { .. }) | None => {}
        }
    }

    pub(super) fn may_restart(&self, state: &State) -> bool {
        !state.down.is_empty() && state.job != JobStatus::Failed
    }

    pub(super) fn restart(&self, state: &mut State, o: &mut impl Observer) -> Result<(), Disabled> {
        if !self.may_restart(state) {
            return Err(Disabled);
        }
        let down = core::mem::take(&mut state.down);
        state.dead.clear();
        let read: u32 = state.live.offsets.iter().sum();
        let read = read.max(self.skipped(state));
        o.event(Event::JobRestored {
            checkpoint: state.coordinator.completed(),
            unread: (self.records.len() as u32).saturating_sub(read),
            in_flight: state.live.in_flight.len() as u32,
            subtasks: down.len() as u32,
        });
        self.submit_anew(state, o);
        self.restore_copies(state, &down, o);
        // In-flight data is processed before anything new comes.
        let in_flight = match state.live.in_flight.is_empty() {
            true => Default::default(),
            false => core::mem::take(&mut state.live.in_flight),
        };
        for item in in_flight {
            self.put_record(state, item.channel, item.record, o);
        }
        let mut sinks = Bits::default();
        for sink in &self.sinks {
            if self.brokers.is_some() && down.contains(sink.index()) {
                sinks.insert(sink.index());
            }
        }
        let next = state.coordinator.triggered().next();
        for (number, id) in self.sinks.iter().copied().enumerate() {
            if !down.contains(id.index()) {
                continue;
            }
            let Some(sink) = state.live.sinks.get_mut(number) else {
                break;
            };
            for transaction in sink.recover(next) {
                self.end_transaction(state, id, transaction.0, Ending::RecoveredCommit, o);
            }
            self.abort_lingering(state, id, o);
        }
        self.recover_table(state, &down, o);
        if self.scenario.costs.deploy_ms.0 > 0 {
            // Another region may be on its way already: both run when the later one is deployed.
            for subtask in down.iter() {
                state.starting.insert(subtask);
            }
            o.restarted(self.deploy_timer());
        } else {
            for subtask in down.iter() {
                o.woken(ActorId(subtask as u16));
            }
            self.start_sinks(state, &sinks, o);
            for sink in sinks.iter() {
                state.starting.insert(sink);
            }
        }
        o.restarted(self.trigger_timer());
        o.woken(self.coordinator_actor());
        Ok(())
    }

    /// The subtasks that were deployed run.
    pub(super) fn run(&self, state: &mut State, o: &mut impl Observer) -> Result<(), Disabled> {
        if !self.may_run(state) {
            return Err(Disabled);
        }
        let open = self.starting_sinks(state);
        let mut deployed = core::mem::take(&mut state.starting);
        for sink in open.iter() {
            deployed.remove(sink);
        }
        for subtask in deployed.iter() {
            o.woken(ActorId(subtask as u16));
        }
        self.start_sinks(state, &deployed, o);
        state.starting = self.starting_sinks(state);
        if state.starting.is_empty() {
            o.event(Event::JobRuns);
        }
        Ok(())
    }

    /// Whether subtasks are deployed that do not run yet; sinks that talk to Kafka do.
    pub(super) fn may_run(&self, state: &State) -> bool {
        let open = self.starting_sinks(state);
        state.starting.iter().any(|subtask| !open.contains(subtask))
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

/// How a transaction ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Its checkpoint is complete.
    Commit,
    /// The checkpoint that was restored says that it was pre-committed.
    RecoveredCommit,
    /// It belongs to no completed checkpoint.
    Abort,
}
