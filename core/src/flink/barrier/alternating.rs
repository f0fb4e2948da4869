//! Exactly once, aligned with a timeout.
//!
//! A checkpoint begins aligned. A barrier that may time out is announced ahead of the data in its
//! channel, so that the time runs from the moment at which it is near. When the time is up the
//! barriers overtake what is before them, and the checkpoint goes on as an unaligned one.
//! Source: Flink's `SingleCheckpointBarrierHandler` with the four `Alternating…` states.

use super::marks::{ANNOUNCED, BLOCKED, COUNTED, FINISHED, Marks};
use super::{Barrier, Effect, Host, Inputs, NewerBarrier, Reason};
use crate::id::CheckpointId;
use crate::time::Micros;
use serde::{Deserialize, Serialize};

/// The alternating handler of one gate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Alternating {
    /// The newest checkpoint of which was heard.
    current: CheckpointId,
    /// Its first barrier or announcement, as long as it is pending.
    pending: Option<Barrier>,
    phase: Phase,
    channels: Marks<4>,
}

/// How far the pending checkpoint is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Phase {
    /// Aligned, and no barrier has come.
    #[default]
    Waiting,
    /// Aligned, and some barriers have come.
    Collecting,
    /// Unaligned, and no barrier has come: the first will trigger.
    WaitingUnaligned,
    /// Unaligned and triggered; some barriers have come.
    CollectingUnaligned,
}

impl Phase {
    fn is_unaligned(self) -> bool {
        matches!(self, Self::WaitingUnaligned | Self::CollectingUnaligned)
    }
}

impl Alternating {
    /// A barrier comes on `channel`.
    pub fn barrier(
        &mut self,
        channel: usize,
        barrier: Barrier,
        inputs: Inputs,
        now: Micros,
        host: &mut impl Host,
    ) {
        if !inputs.has(channel) {
            return;
        }
        if self.is_over(barrier.checkpoint) {
            // The checkpoint is over, but the sender of an aligned barrier has stopped behind it.
            if !barrier.options.is_unaligned() {
                host.perform(Effect::Resume(channel));
            }
            return;
        }
        self.begin_if_new(barrier, inputs, now, host);
        if !self.count(channel, barrier, inputs, host) {
            return;
        }
        if self.receive(channel, barrier, inputs, now, host).is_err() {
            self.abort(Reason::Subsumed, inputs, host);
        } else {
            self.settle_if_complete(inputs, host);
        }
    }

    /// The announcement comes on `channel` that this barrier is in it. It begins a checkpoint as the
    /// barrier would, but does not count as one.
    pub fn announcement(
        &mut self,
        channel: usize,
        barrier: Barrier,
        inputs: Inputs,
        now: Micros,
        host: &mut impl Host,
    ) {
        if !inputs.has(channel) || self.is_over(barrier.checkpoint) {
            return;
        }
        self.begin_if_new(barrier, inputs, now, host);
        if self.phase.is_unaligned() {
            host.perform(Effect::Prioritise {
                channel,
                checkpoint: self.current,
            });
        } else if !self.channels.has(channel, FINISHED) {
            self.channels.set(channel, ANNOUNCED);
        }
    }

    /// The marker comes that `checkpoint` was given up upstream. One is enough, but not while the
    /// checkpoint is known from announcements alone.
    pub fn cancel(&mut self, checkpoint: CheckpointId, inputs: Inputs, host: &mut impl Host) {
        let counting = self.pending.is_some() && self.channels.any_counted(inputs);
        if checkpoint > self.current || checkpoint == self.current && counting {
            self.current = checkpoint;
            self.abort(Reason::CancellationBarrier, inputs, host);
        }
    }

    /// `channel` has ended.
    pub fn end_of_partition(
        &mut self,
        channel: usize,
        inputs: Inputs,
        now: Micros,
        host: &mut impl Host,
    ) {
        if !inputs.has(channel) || self.channels.has(channel, FINISHED) {
            return;
        }
        if !inputs.checkpoints_after_finish && self.pending.is_some() {
            self.abort(Reason::EndOfInput, inputs, host);
        }
        self.channels.set(channel, FINISHED);
        let Some(first) = self.pending else {
            return;
        };
        self.count(channel, first, inputs, host);
        self.channels.unset(channel, BLOCKED);
        self.channels.unset(channel, ANNOUNCED);
        if self.phase == Phase::Collecting {
            if self.channels.missing(inputs) == 0 {
                self.trigger(first, host);
            } else if first.is_timed_out(now) && self.time_out(first, inputs, host).is_err() {
                self.abort(Reason::Subsumed, inputs, host);
                return;
            }
        }
        self.settle_if_complete(inputs, host);
    }

    /// The timer fires that was registered for `checkpoint`. Nothing happens if it comes too late.
    pub fn timer(&mut self, checkpoint: CheckpointId, inputs: Inputs, host: &mut impl Host) {
        let Some(first) = self.pending else {
            return;
        };
        if checkpoint != self.current || self.phase.is_unaligned() {
            return;
        }
        if self.time_out(first, inputs, host).is_err() {
            self.abort(Reason::Subsumed, inputs, host);
        }
    }

    /// The task is closed.
    pub fn close(&mut self, inputs: Inputs, host: &mut impl Host) {
        self.drop_timer(host);
        self.pending = None;
        self.phase = Phase::Waiting;
        self.channels.clear(COUNTED, inputs);
        self.channels.clear(ANNOUNCED, inputs);
    }

    /// The task starts anew; `checkpoint` is the newest one that it need not expect any more.
    pub fn restart(&mut self, checkpoint: CheckpointId) {
        *self = Self {
            current: checkpoint,
            ..Self::default()
        };
    }

    /// Whether `channel` is blocked.
    pub fn is_blocked(&self, channel: usize) -> bool {
        self.channels.has(channel, BLOCKED)
    }

    /// Whether the pending checkpoint has turned unaligned.
    pub fn is_unaligned(&self) -> bool {
        self.phase.is_unaligned()
    }

    /// Whether the barrier of the pending checkpoint is still awaited on `channel`.
    pub fn awaits(&self, channel: usize) -> bool {
        self.pending.is_some()
            && !self.channels.has(channel, COUNTED)
            && !self.channels.has(channel, FINISHED)
    }

    /// On how many channels the barrier of the pending checkpoint is still awaited.
    pub fn missing(&self, inputs: Inputs) -> usize {
        match self.pending {
            Some(_) => self.channels.missing(inputs),
            None => 0,
        }
    }

    /// The checkpoint whose barriers are being collected, or were announced.
    pub fn pending(&self) -> Option<CheckpointId> {
        self.pending.map(|_| self.current)
    }

    /// The newest checkpoint of which was heard; [`CheckpointId::NONE`] before the first.
    pub fn current(&self) -> CheckpointId {
        self.current
    }

    /// How many channels have not ended.
    pub fn open_channels(&self, inputs: Inputs) -> usize {
        self.channels.open(inputs)
    }

    /// Whether the pending checkpoint was triggered, and barriers of it are still awaited.
    pub fn has_triggered(&self) -> bool {
        self.phase == Phase::CollectingUnaligned
    }

    /// Whether nothing can come of this checkpoint any more.
    fn is_over(&self, checkpoint: CheckpointId) -> bool {
        checkpoint < self.current || checkpoint == self.current && self.pending.is_none()
    }

    fn begin_if_new(&mut self, first: Barrier, inputs: Inputs, now: Micros, host: &mut impl Host) {
        if first.checkpoint <= self.current {
            return;
        }
        if self.pending.is_some() {
            self.abort(Reason::Subsumed, inputs, host);
        }
        self.current = first.checkpoint;
        self.pending = Some(first);
        if let Some(deadline) = first.deadline() {
            host.perform(Effect::RegisterTimer {
                checkpoint: first.checkpoint,
                at: deadline.max(now),
            });
        }
    }

    /// Counts a channel for the pending checkpoint; false if it had been counted before.
    fn count(
        &mut self,
        channel: usize,
        barrier: Barrier,
        inputs: Inputs,
        host: &mut impl Host,
    ) -> bool {
        let first = !self.channels.any_counted(inputs);
        if !self.channels.set(channel, COUNTED) {
            return false;
        }
        if first {
            host.perform(Effect::AlignmentStarted {
                checkpoint: self.current,
                created: barrier.created,
            });
        }
        if self.channels.missing(inputs) == 0 {
            host.perform(Effect::AlignmentEnded);
        }
        true
    }

    /// What a barrier that was counted leads to.
    fn receive(
        &mut self,
        channel: usize,
        barrier: Barrier,
        inputs: Inputs,
        now: Micros,
        host: &mut impl Host,
    ) -> Result<(), NewerBarrier> {
        self.channels.unset(channel, ANNOUNCED);
        let waits = !barrier.options.is_unaligned();
        // The sender has stopped behind a barrier that waits, in an unaligned checkpoint as well.
        if waits && self.channels.set(channel, BLOCKED) {
            host.perform(Effect::Block(channel));
        }
        if !self.phase.is_unaligned() {
            if waits && self.channels.missing(inputs) == 0 {
                // However late it is: there is nothing left to overtake.
                self.trigger(barrier, host);
                return Ok(());
            }
            if waits && !barrier.is_timed_out(now) {
                self.phase = Phase::Collecting;
                return Ok(());
            }
            self.time_out(barrier, inputs, host)?;
        }
        if self.phase == Phase::WaitingUnaligned {
            self.trigger_unaligned(barrier, host)?;
        }
        Ok(())
    }

    /// The pending checkpoint turns from aligned to unaligned. If it has already had a barrier, that
    /// one triggers it now; else the next will.
    fn time_out(
        &mut self,
        barrier: Barrier,
        inputs: Inputs,
        host: &mut impl Host,
    ) -> Result<(), NewerBarrier> {
        for channel in self.channels.with(ANNOUNCED, inputs) {
            host.perform(Effect::Prioritise {
                channel,
                checkpoint: self.current,
            });
        }
        self.channels.clear(ANNOUNCED, inputs);
        if self.phase == Phase::Collecting {
            self.trigger_unaligned(barrier, host)
        } else {
            self.phase = Phase::WaitingUnaligned;
            Ok(())
        }
    }

    fn trigger(&mut self, barrier: Barrier, host: &mut impl Host) {
        host.perform(Effect::Trigger {
            checkpoint: self.current,
            options: barrier.options,
        });
    }

    fn trigger_unaligned(
        &mut self,
        barrier: Barrier,
        host: &mut impl Host,
    ) -> Result<(), NewerBarrier> {
        host.start_in_flight(self.current)?;
        self.trigger(barrier.into_unaligned(), host);
        self.phase = Phase::CollectingUnaligned;
        Ok(())
    }

    fn settle_if_complete(&mut self, inputs: Inputs, host: &mut impl Host) {
        if self.channels.missing(inputs) == 0 {
            self.settle(inputs, host);
            self.drop_timer(host);
            self.pending = None;
            host.perform(Effect::AllBarriersReceived(self.current));
        }
    }

    /// Gives up what is pending, if anything is, in the name of the current checkpoint.
    fn abort(&mut self, reason: Reason, inputs: Inputs, host: &mut impl Host) {
        self.drop_timer(host);
        self.settle(inputs, host);
        self.pending = None;
        host.perform(Effect::AlignmentReset);
        host.perform(Effect::Abort {
            checkpoint: self.current,
            reason,
        });
    }

    /// Everything is as it was before the pending checkpoint.
    fn settle(&mut self, inputs: Inputs, host: &mut impl Host) {
        if self.phase == Phase::CollectingUnaligned {
            host.perform(Effect::StopInFlight(self.current));
        }
        for channel in self.channels.with(BLOCKED, inputs) {
            host.perform(Effect::Resume(channel));
        }
        self.phase = Phase::Waiting;
        self.channels.clear(COUNTED, inputs);
        self.channels.clear(BLOCKED, inputs);
        self.channels.clear(ANNOUNCED, inputs);
    }

    fn drop_timer(&self, host: &mut impl Host) {
        if let Some(first) = self.pending
            && first.deadline().is_some()
        {
            host.perform(Effect::DropTimer(first.checkpoint));
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::flink::barrier::{Options, Snapshot};
    use crate::time::Millis;

    const ONE: CheckpointId = CheckpointId(1);
    const TWO: CheckpointId = CheckpointId(2);
    const INPUTS: Inputs = Inputs {
        channels: 2,
        checkpoints_after_finish: true,
    };
    const IN_TIME: Micros = Micros(110_000);
    const TOO_LATE: Micros = Micros(110_001);

    /// Created at 100 ms, it may take 10 ms.
    fn barrier(checkpoint: CheckpointId) -> Barrier {
        Barrier {
            checkpoint,
            options: Options::timeoutable(Millis(10)),
            created: Micros(100_000),
        }
    }

    fn triggered(effects: &[Effect]) -> Vec<(CheckpointId, bool)> {
        let trigger = |effect: &Effect| match *effect {
            Effect::Trigger {
                checkpoint,
                options,
            } => Some((checkpoint, options.is_unaligned())),
            _ => None,
        };
        effects.iter().filter_map(trigger).collect()
    }

    #[test]
    fn a_barrier_that_comes_too_late_turns_the_checkpoint_unaligned() {
        for (now, unaligned) in [(IN_TIME, false), (TOO_LATE, true)] {
            let mut handler = Alternating::default();
            let mut effects = Vec::new();
            handler.barrier(0, barrier(ONE), INPUTS, now, &mut effects);
            assert_eq!(handler.is_unaligned(), unaligned);
            let expected: &[_] = if unaligned { &[(ONE, true)] } else { &[] };
            assert_eq!(triggered(&effects), expected);
            assert!(handler.is_blocked(0), "its sender has stopped all the same");
        }
    }

    #[test]
    fn the_last_barrier_triggers_an_aligned_checkpoint_however_late_it_is() {
        let mut handler = Alternating::default();
        let mut effects = Vec::new();
        handler.barrier(0, barrier(ONE), INPUTS, IN_TIME, &mut effects);
        handler.barrier(1, barrier(ONE), INPUTS, TOO_LATE, &mut effects);
        assert_eq!(triggered(&effects), [(ONE, false)]);
        assert_eq!(handler.pending(), None);
    }

    #[test]
    fn a_timer_is_for_one_checkpoint() {
        let mut handler = Alternating::default();
        let mut effects = Vec::new();
        handler.barrier(0, barrier(ONE), INPUTS, IN_TIME, &mut effects);
        assert!(effects.contains(&Effect::RegisterTimer {
            checkpoint: ONE,
            at: IN_TIME
        }));
        effects.clear();
        handler.barrier(0, barrier(TWO), INPUTS, IN_TIME, &mut effects);
        assert_eq!(effects.first(), Some(&Effect::DropTimer(ONE)));
        assert!(effects.contains(&Effect::Abort {
            checkpoint: ONE,
            reason: Reason::Subsumed
        }));
        handler.timer(ONE, INPUTS, &mut effects);
        assert!(!handler.is_unaligned());
        handler.timer(TWO, INPUTS, &mut effects);
        assert_eq!(triggered(&effects), [(TWO, true)]);
    }

    #[test]
    fn what_was_announced_overtakes_when_the_time_is_up() {
        let prioritise = |channel| Effect::Prioritise {
            channel,
            checkpoint: ONE,
        };
        let mut handler = Alternating::default();
        let mut effects = Vec::new();
        handler.announcement(0, barrier(ONE), INPUTS, IN_TIME, &mut effects);
        handler.timer(ONE, INPUTS, &mut effects);
        assert_eq!(effects.last(), Some(&prioritise(0)));
        handler.announcement(1, barrier(ONE), INPUTS, IN_TIME, &mut effects);
        assert_eq!(effects.last(), Some(&prioritise(1)));
        assert_eq!(triggered(&effects), [], "the first barrier will trigger");
        handler.barrier(0, barrier(ONE), INPUTS, TOO_LATE, &mut effects);
        assert_eq!(triggered(&effects), [(ONE, true)]);
    }

    #[test]
    fn the_end_of_a_channel_is_counted_before_any_barrier() {
        let mut handler = Alternating::default();
        let mut effects = Vec::new();
        handler.announcement(0, barrier(ONE), INPUTS, IN_TIME, &mut effects);
        handler.end_of_partition(1, INPUTS, IN_TIME, &mut effects);
        assert!(matches!(
            effects.last(),
            Some(Effect::AlignmentStarted { .. })
        ));
        handler.barrier(0, barrier(ONE), INPUTS, IN_TIME, &mut effects);
        assert_eq!(triggered(&effects), [(ONE, false)]);
    }

    #[test]
    fn a_savepoint_never_turns() {
        let savepoint = Barrier {
            options: Options::aligned(Snapshot::Savepoint),
            ..barrier(ONE)
        };
        let mut handler = Alternating::default();
        let mut effects = Vec::new();
        handler.barrier(0, savepoint, INPUTS, TOO_LATE, &mut effects);
        handler.barrier(1, savepoint, INPUTS, TOO_LATE, &mut effects);
        assert_eq!(triggered(&effects), [(ONE, false)]);
    }

    #[test]
    fn nothing_comes_after_close() {
        let mut handler = Alternating::default();
        let mut effects = Vec::new();
        handler.barrier(0, barrier(ONE), INPUTS, IN_TIME, &mut effects);
        handler.close(INPUTS, &mut effects);
        handler.timer(ONE, INPUTS, &mut effects);
        assert_eq!(effects.last(), Some(&Effect::DropTimer(ONE)));
    }
}
