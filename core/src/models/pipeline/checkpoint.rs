//! What the coordinator does for a checkpoint: trigger, count acknowledgements, complete or give up, and
//! tell the subtasks.

use smallvec::SmallVec;

use super::failure::{Cause, Ending};
use super::state::{JobStatus, Notice, UnderWay};
use super::{Pipeline, State};
use crate::collections::{Bits, Shared};
use crate::event::Event;
use crate::flink::coordinator::{Acknowledgement, Consequence, FailureReason, Purpose};
use crate::id::{CheckpointId, SubtaskId};
use crate::kafka::log::TransactionId;
use crate::protocol::{Disabled, Observer, TimerId};
use crate::scenario::Phase;

impl Pipeline {
    /// Whether a checkpoint may be triggered, or refused because not all subtasks run yet.
    pub(super) fn may_trigger(&self, state: &State) -> bool {
        let checkpointing = &self.scenario.checkpointing;
        let most = checkpointing.max_checkpoints.unwrap_or(u32::MAX);
        self.may_ask(state)
            && state
                .coordinator
                .may_trigger(usize::from(checkpointing.max_concurrent))
            && state.coordinator.triggered().0 < most.min(TransactionId::MAX_NUMBER - 1)
    }

    /// Whether the coordinator takes any request for a checkpoint: the job is not down, nor about to
    /// stop.
    fn may_ask(&self, state: &State) -> bool {
        let goes_on = match state.job {
            JobStatus::Running => true,
            // A subtask that has not heard of the last checkpoint waits for another one.
            JobStatus::Finishing => {
                self.scenario.checkpointing.after_tasks_finish
                    && state.notices.is_empty()
                    && !self.all_committed(state)
            }
            JobStatus::Stopping | JobStatus::Failed => false,
        };
        state.down.is_empty()
            && goes_on
            && state.under_way.iter().all(|under_way| {
                under_way.over || under_way.purpose != Purpose::StopWithSavepoint && !under_way.last
            })
    }

    /// Whether no sink has anything left to commit.
    pub(super) fn all_committed(&self, state: &State) -> bool {
        let mut sinks = state.live.sinks.iter();
        let mut prepared = state.live.committables();
        sinks.all(|sink| sink.pending().is_empty())
            && prepared.next().is_none()
            && self.committers_are_done(state)
    }

    pub(super) fn may_ask_for_savepoint(&self, state: &State) -> bool {
        // A savepoint does not wait for its turn, except where checkpoints are unaligned
        // (`CheckpointProperties.forSavepoint`: it is forced only if they are not).
        let checkpointing = &self.scenario.checkpointing;
        let most = usize::from(checkpointing.max_concurrent);
        let turn = !checkpointing.unaligned || state.coordinator.may_trigger(most);
        turn && self.may_ask(state)
            && !self.is_over(state)
            && state.budget.savepoints > 0
            && state.coordinator.triggered().0 < TransactionId::MAX_NUMBER - 1
    }

    /// The moment at which the last periodic checkpoint was triggered is this timer's.
    pub(super) fn trigger_timer(&self) -> TimerId {
        TimerId(self.inputs.len() as u32)
    }

    /// What counts until subtasks that are deployed run.
    pub(super) fn deploy_timer(&self) -> TimerId {
        TimerId(self.inputs.len() as u32 + 2)
    }

    pub(super) fn trigger(&self, state: &mut State, o: &mut impl Observer) -> Result<(), Disabled> {
        if !self.may_trigger(state) {
            return Err(Disabled);
        }
        if !self.scenario.checkpointing.after_tasks_finish && self.at_end_of_data(state) {
            self.finish_without_checkpoint(state, o);
        } else {
            self.start_checkpoint(state, Purpose::Checkpoint, o);
        }
        Ok(())
    }

    /// The tasks of a bounded job end, and no checkpoint comes any more: what would have been committed with
    /// it is aborted.
    fn finish_without_checkpoint(&self, state: &mut State, o: &mut impl Observer) {
        state.job = JobStatus::Finishing;
        o.event(Event::JobFinished {
            checkpoint: CheckpointId::NONE,
        });
        while let Some(checkpoint) = state.coordinator.abort_oldest() {
            self.abandon(state, checkpoint, FailureReason::Shutdown, o);
        }
        let all = Bits::below(self.subtasks());
        self.abort_current_of_others(state, &Bits::default(), &all, o);
        self.close_current(state, o);
        o.woken(self.coordinator_actor());
    }

    /// A person asks for a savepoint.
    pub(super) fn savepoint(
        &self,
        state: &mut State,
        stop: bool,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if !self.may_ask_for_savepoint(state) {
            return Err(Disabled);
        }
        state.budget.savepoints -= 1;
        let purpose = if stop {
            Purpose::StopWithSavepoint
        } else {
            Purpose::Savepoint
        };
        self.start_checkpoint(state, purpose, o);
        Ok(())
    }

    fn start_checkpoint(&self, state: &mut State, purpose: Purpose, o: &mut impl Observer) {
        if !state.starting.is_empty() {
            o.event(Event::CheckpointRefused { purpose });
            return;
        }
        let last = purpose == Purpose::Checkpoint && self.at_end_of_data(state);
        state.rushed |= last;
        let checkpoint = state.coordinator.trigger(purpose);
        if purpose == Purpose::Checkpoint {
            o.fired(self.trigger_timer());
        }
        o.event(Event::CheckpointTriggered {
            checkpoint,
            purpose,
        });
        let mut triggers = Bits::default();
        for source in 0..self.sources {
            triggers.insert(usize::from(source));
            o.sent(self.trigger_link(SubtaskId(source)));
        }
        let mut contents = self.empty_contents();
        self.store_enumerators(state, checkpoint, &mut contents, o);
        state.under_way.push(UnderWay {
            checkpoint,
            purpose,
            last,
            triggers,
            contents: Shared::new(contents),
            ..UnderWay::default()
        });
        o.woken(self.coordinator_actor());
    }

    /// At the end of the data a checkpoint is triggered at once.
    pub(super) fn wake_at_end_of_data(&self, state: &State, o: &mut impl Observer) {
        if self.bounded && !state.rushed && self.at_end_of_data(state) {
            o.woken(self.coordinator_actor());
        }
    }

    /// Whether every source has come to the end of a topic that ends, and everything has come through.
    /// Flink triggers a checkpoint at once then (FLINK-28386), and the job finishes with it.
    pub(super) fn at_end_of_data(&self, state: &State) -> bool {
        self.bounded
            && state.all_run()
            && self.all_read(state)
            && state.channels.iter().all(|channel| channel.records() == 0)
    }

    pub(super) fn may_expire(&self, state: &State, checkpoint: CheckpointId) -> bool {
        self.scenario.checkpointing.timeout_ms.0 > 0 && state.coordinator.find(checkpoint).is_some()
    }

    /// A checkpoint has taken too long.
    pub(super) fn expire(
        &self,
        state: &mut State,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if !self.may_expire(state, checkpoint) {
            return Err(Disabled);
        }
        self.give_up(state, checkpoint, FailureReason::Expired, o);
        Ok(())
    }

    pub(super) fn acknowledge(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        self.take_snapshot_report(state, subtask, checkpoint, o)?;
        let subtasks = self.present_count(state);
        if state.coordinator.missing(checkpoint, subtasks) == Some(1)
            && self.is_doomed(checkpoint, Some(subtask), Phase::Finalize)
        {
            self.refuse_to_complete(state, subtask, checkpoint, o);
            return Ok(());
        }
        let result = state
            .coordinator
            .acknowledge(subtask.index(), checkpoint, subtasks);
        let missing = match result {
            Acknowledgement::Counted { missing } => missing as u32,
            Acknowledgement::Completed(_) => 0,
            Acknowledgement::Discarded => {
                o.event(Event::AcknowledgedLate {
                    subtask: self.subtask_node(subtask),
                    checkpoint,
                });
                self.prune(state);
                return Ok(());
            }
        };
        o.event(Event::SnapshotAcknowledged {
            subtask: self.subtask_node(subtask),
            checkpoint,
            missing,
        });
        if let Acknowledgement::Completed(purpose) = result {
            self.complete(state, checkpoint, purpose, o);
        }
        Ok(())
    }

    fn complete(
        &self,
        state: &mut State,
        checkpoint: CheckpointId,
        purpose: Purpose,
        o: &mut impl Observer,
    ) {
        o.event(Event::CheckpointCompleted {
            checkpoint,
            purpose,
        });
        o.paused(self.trigger_timer());
        let at = state
            .under_way
            .iter()
            .position(|u| u.checkpoint == checkpoint);
        let Some(done) = at.map(|at| state.under_way.remove(at)) else {
            return;
        };
        self.keep(state, checkpoint, &done.contents);
        if purpose == Purpose::Checkpoint {
            state.stored = done.contents;
            while let Some(older) = state.coordinator.subsume(checkpoint) {
                self.abandon(state, older, FailureReason::Subsumed, o);
            }
        }
        // Nobody is told of a savepoint, unless the job stops with it.
        if purpose != Purpose::Savepoint && (self.is_transactional() || !self.committers.is_empty())
        {
            let mut to = Bits::default();
            for sink in self.sinks.iter().chain(&self.committers) {
                if !self.is_removed(state, *sink) {
                    to.insert(sink.index());
                }
            }
            self.tell(state, checkpoint, true, to, o);
        }
        if purpose == Purpose::StopWithSavepoint {
            state.job = JobStatus::Stopping;
            state.stopped_with = checkpoint;
            o.event(Event::JobStopped { checkpoint });
        } else if done.last {
            state.job = JobStatus::Finishing;
            o.event(Event::JobFinished { checkpoint });
        }
        self.prune(state);
        o.woken(self.coordinator_actor());
    }

    /// The store does not take a checkpoint that all have acknowledged.
    pub(super) fn refuse(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if !self.may_refuse(state, subtask, checkpoint) {
            return Err(Disabled);
        }
        state.budget.refusals -= 1;
        self.take_snapshot_report(state, subtask, checkpoint, o)?;
        self.refuse_to_complete(state, subtask, checkpoint, o);
        Ok(())
    }

    pub(super) fn may_refuse(
        &self,
        state: &State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
    ) -> bool {
        state.budget.refusals > 0
            && state
                .coordinator
                .missing(checkpoint, self.present_count(state))
                == Some(1)
            && state
                .report(subtask, checkpoint)
                .is_some_and(|(_, report)| report.declines.is_none())
    }

    fn refuse_to_complete(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        o.event(Event::SnapshotAcknowledged {
            subtask: self.subtask_node(subtask),
            checkpoint,
            missing: 0,
        });
        o.event(Event::StoreRefused { checkpoint });
        self.give_up(state, checkpoint, FailureReason::Finalize, o);
    }

    pub(super) fn hear_decline(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let (place, report) = state.report(subtask, checkpoint).ok_or(Disabled)?;
        let reason = report.declines.ok_or(Disabled)?;
        state.take_report(report);
        o.taken_at(self.snapshot_link(subtask), place);
        o.event(Event::CheckpointDeclined {
            subtask: self.subtask_node(subtask),
            checkpoint,
            reason,
        });
        self.give_up(state, checkpoint, reason, o);
        self.prune(state);
        Ok(())
    }

    /// A pending checkpoint has failed: it is given up, every subtask is told, and if too many have
    /// failed in a row the job fails.
    fn give_up(
        &self,
        state: &mut State,
        checkpoint: CheckpointId,
        reason: FailureReason,
        o: &mut impl Observer,
    ) {
        let tolerable = self.scenario.checkpointing.tolerable_failures;
        let Some(consequence) = state.coordinator.fail(checkpoint, reason, tolerable) else {
            return;
        };
        self.abandon(state, checkpoint, reason, o);
        self.prune(state);
        if consequence == Consequence::JobFails {
            o.event(Event::ToleranceExceeded);
            self.fail(state, Cause::Coordinator, o);
        }
        o.woken(self.coordinator_actor());
    }

    /// What follows when a checkpoint is not pending any more and not complete either.
    pub(super) fn abandon(
        &self,
        state: &mut State,
        checkpoint: CheckpointId,
        reason: FailureReason,
        o: &mut impl Observer,
    ) {
        o.event(Event::CheckpointAborted { checkpoint, reason });
        if let Some(under_way) = state.of_mut(checkpoint) {
            under_way.over = true;
            under_way.persisting.clear();
            under_way.contents = Default::default();
        }
        let mut to = Bits::default();
        for subtask in self.present(state).map(SubtaskId::index) {
            if state.runs(subtask) {
                to.insert(subtask);
            }
        }
        self.tell(state, checkpoint, false, to, o);
    }

    fn tell(
        &self,
        state: &mut State,
        checkpoint: CheckpointId,
        completed: bool,
        to: Bits,
        o: &mut impl Observer,
    ) {
        for subtask in to.iter() {
            o.sent(self.notify_link(SubtaskId(subtask as u16)));
        }
        let latest = if completed {
            checkpoint
        } else {
            state.coordinator.completed()
        };
        state.notices.push(Notice {
            checkpoint,
            completed,
            latest,
            to,
        });
    }

    /// The next notification that a subtask hears: of which checkpoint, and whether it was completed.
    pub(super) fn next_notice(
        &self,
        state: &State,
        subtask: SubtaskId,
    ) -> Option<(CheckpointId, bool)> {
        let mut notices = state.notices.iter();
        let next = notices.find(|notice| notice.to.contains(subtask.index()))?;
        Some((next.checkpoint, next.completed))
    }

    fn take_notice(&self, state: &mut State, subtask: SubtaskId) -> Option<Heard> {
        let mut notices = state.notices.iter_mut();
        let next = notices.find(|notice| notice.to.contains(subtask.index()))?;
        next.to.remove(subtask.index());
        let heard = Heard {
            checkpoint: next.checkpoint,
            completed: next.completed,
            latest: next.latest,
        };
        state.notices.retain(|notice| !notice.to.is_empty());
        Some(heard)
    }

    /// A subtask hears what became of a checkpoint.
    pub(super) fn notify(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        if !state.runs(subtask.index()) || self.is_engaged(state, subtask) {
            return Err(Disabled);
        }
        let heard = self.take_notice(state, subtask).ok_or(Disabled)?;
        let checkpoint = heard.checkpoint;
        o.taken(self.notify_link(subtask));
        if heard.completed {
            o.event(Event::CompletionNotified {
                subtask: self.subtask_node(subtask),
                checkpoint,
            });
        } else {
            self.hear_abort(state, subtask, checkpoint, o);
        }
        self.commit_up_to(state, subtask, heard.latest, o);
        self.commit_to_table(state, subtask, heard.latest, o);
        self.prune(state);
        Ok(())
    }

    /// A sink commits what it has pre-committed for a checkpoint that is complete, and for older ones.
    fn commit_up_to(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) {
        if self.writer_number(subtask).is_some() {
            self.commit_on_brokers(state, subtask, checkpoint, o);
            return;
        }
        let number = self.sinks.iter().position(|sink| *sink == subtask);
        let ready = match number.and_then(|number| state.live.sinks.get_mut(number)) {
            Some(sink) => sink.complete(checkpoint),
            None => SmallVec::new(),
        };
        for transaction in ready {
            self.end_transaction(state, subtask, transaction.0, Ending::Commit, o);
        }
    }

    /// A notification is lost on its way.
    pub(super) fn lose_notification(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let left = state.budget.losses.checked_sub(1).ok_or(Disabled)?;
        let heard = self.take_notice(state, subtask).ok_or(Disabled)?;
        let checkpoint = heard.checkpoint;
        if let Some(under_way) = state.of_mut(checkpoint) {
            under_way.unheard = true;
        }
        state.budget.losses = left;
        o.taken(self.notify_link(subtask));
        o.event(Event::NotificationLost {
            subtask: self.subtask_node(subtask),
            checkpoint,
        });
        self.prune(state);
        Ok(())
    }

    /// Takes a snapshot, and the acknowledgement that follows it, from its way.
    fn take_snapshot_report(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let (place, report) = state.report(subtask, checkpoint).ok_or(Disabled)?;
        if report.declines.is_some() {
            return Err(Disabled);
        }
        state.take_report(report);
        o.taken_at(self.snapshot_link(subtask), place);
        Ok(())
    }

    /// A snapshot under way to the store fails.
    pub(super) fn fail_snapshot(
        &self,
        state: &mut State,
        subtask: SubtaskId,
        checkpoint: CheckpointId,
        o: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let left = state.budget.declines.checked_sub(1).ok_or(Disabled)?;
        self.take_snapshot_report(state, subtask, checkpoint, o)?;
        state.budget.declines = left;
        o.event(Event::SnapshotFailed {
            subtask: self.subtask_node(subtask),
            checkpoint,
            sync: false,
        });
        self.decline(state, subtask, checkpoint, FailureReason::Asynchronous, o);
        Ok(())
    }

    /// A checkpoint that a subtask's next record belongs to: the oldest one under way of which it has
    /// taken no snapshot, or the next to be triggered.
    pub(super) fn epoch_of(&self, state: &State, subtask: SubtaskId) -> CheckpointId {
        let mut under_way = state.under_way.iter();
        let next = under_way.find(|u| !u.over && !u.taken.contains(subtask.index()));
        next.map_or(state.coordinator.triggered().next(), |u| u.checkpoint)
    }
}

/// What a subtask hears from the coordinator.
struct Heard {
    checkpoint: CheckpointId,
    /// Whether it was completed; otherwise it was given up.
    completed: bool,
    /// The last one that was completed.
    latest: CheckpointId,
}
