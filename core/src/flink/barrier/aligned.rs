//! Exactly once, aligned.
//!
//! A channel whose barrier has come is blocked until the barrier has come on every channel: so no
//! record of the next epoch reaches the state before the snapshot of this one is taken.
//! Source: Flink's `SingleCheckpointBarrierHandler` with the states `WaitingForFirstBarrier` and
//! `CollectingBarriers`.

use super::marks::{COUNTED, FINISHED, Marks};
use super::{Barrier, Effect, Host, Inputs, Options, Reason};
use crate::id::CheckpointId;
use serde::{Deserialize, Serialize};

/// The aligned handler of one gate.
///
/// A channel waits behind every barrier, whatever the barrier's options say: in this mode no barrier is
/// sent that could do otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Aligned {
    /// The newest checkpoint of which was heard.
    current: CheckpointId,
    /// What its first barrier said, as long as it is pending.
    pending: Option<Options>,
    /// A channel is blocked if it was counted and has not ended: nothing else need be kept.
    channels: Marks<2>,
}

impl Aligned {
    /// A barrier comes on `channel`.
    pub fn barrier(
        &mut self,
        channel: usize,
        barrier: Barrier,
        inputs: Inputs,
        host: &mut impl Host,
    ) {
        if !inputs.has(channel) {
            return;
        }
        if barrier.checkpoint < self.current
            || barrier.checkpoint == self.current && self.pending.is_none()
        {
            // The checkpoint is over, but the sender has stopped behind its barrier.
            if !barrier.options.is_unaligned() {
                host.perform(Effect::Resume(channel));
            }
            return;
        }
        let begins = barrier.checkpoint > self.current;
        if begins {
            self.give_up(Reason::Subsumed, inputs, host);
            self.current = barrier.checkpoint;
            self.pending = Some(barrier.options);
        }
        if !self.channels.set(channel, COUNTED) {
            return;
        }
        if begins {
            host.perform(Effect::AlignmentStarted {
                checkpoint: barrier.checkpoint,
                created: barrier.created,
            });
        }
        host.perform(Effect::Block(channel));
        self.trigger_if_complete(barrier.options, inputs, host);
    }

    /// The marker comes that `checkpoint` was given up upstream. One is enough.
    pub fn cancel(&mut self, checkpoint: CheckpointId, inputs: Inputs, host: &mut impl Host) {
        let pending = checkpoint == self.current && self.pending.is_some();
        if checkpoint > self.current || pending {
            // An older checkpoint that was pending goes without a word of its own: whoever hears of
            // this one knows of that one.
            self.current = checkpoint;
            self.abort(Reason::CancellationBarrier, inputs, host);
        }
    }

    /// `channel` has ended.
    pub fn end_of_partition(&mut self, channel: usize, inputs: Inputs, host: &mut impl Host) {
        if !inputs.has(channel) || self.channels.has(channel, FINISHED) {
            return;
        }
        if !inputs.checkpoints_after_finish {
            self.give_up(Reason::EndOfInput, inputs, host);
        }
        self.channels.set(channel, FINISHED);
        if let Some(options) = self.pending {
            self.trigger_if_complete(options, inputs, host);
        }
    }

    /// More was withheld on blocked channels than is allowed (Flink up to 1.10).
    pub fn exceed_limit(&mut self, inputs: Inputs, host: &mut impl Host) {
        self.give_up(Reason::AlignmentLimit, inputs, host);
    }

    /// Nothing is left but what is withheld, so that the pending checkpoint cannot complete: all
    /// channels are released, and nobody is told (Flink up to 1.10).
    pub fn release(&mut self, inputs: Inputs, host: &mut impl Host) {
        self.settle(inputs, host);
        host.perform(Effect::AlignmentReset);
    }

    /// The task is closed.
    pub fn close(&mut self, inputs: Inputs) {
        self.pending = None;
        self.channels.clear(COUNTED, inputs);
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
        self.channels.has(channel, COUNTED) && !self.channels.has(channel, FINISHED)
    }

    /// The blocked channels.
    pub fn blocked(&self, inputs: Inputs) -> impl Iterator<Item = usize> + '_ {
        self.channels
            .with(COUNTED, inputs)
            .filter(|&channel| !self.channels.has(channel, FINISHED))
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

    /// The checkpoint that is being aligned.
    pub fn pending(&self) -> Option<CheckpointId> {
        self.pending.map(|_| self.current)
    }

    /// The newest checkpoint of which was heard; [`CheckpointId::NONE`] before the first.
    pub fn current(&self) -> CheckpointId {
        self.current
    }

    /// The checkpoint to which the next record belongs that the task takes.
    pub fn epoch(&self) -> CheckpointId {
        self.pending().unwrap_or(self.current.next())
    }

    /// How many channels have not ended.
    pub fn open_channels(&self, inputs: Inputs) -> usize {
        self.channels.open(inputs)
    }

    /// If the last awaited channel was counted: the snapshot is taken before any channel goes on.
    fn trigger_if_complete(&mut self, options: Options, inputs: Inputs, host: &mut impl Host) {
        if self.channels.missing(inputs) > 0 {
            return;
        }
        host.perform(Effect::AlignmentEnded);
        host.perform(Effect::Trigger {
            checkpoint: self.current,
            options,
        });
        self.settle(inputs, host);
        host.perform(Effect::AllBarriersReceived(self.current));
    }

    /// Aborts the pending checkpoint, if there is one.
    fn give_up(&mut self, reason: Reason, inputs: Inputs, host: &mut impl Host) {
        if self.pending.is_some() {
            self.abort(reason, inputs, host);
        }
    }

    fn abort(&mut self, reason: Reason, inputs: Inputs, host: &mut impl Host) {
        self.settle(inputs, host);
        host.perform(Effect::AlignmentReset);
        host.perform(Effect::Abort {
            checkpoint: self.current,
            reason,
        });
    }

    /// The pending checkpoint is over, one way or the other.
    fn settle(&mut self, inputs: Inputs, host: &mut impl Host) {
        for channel in self.blocked(inputs) {
            host.perform(Effect::Resume(channel));
        }
        self.pending = None;
        self.channels.clear(COUNTED, inputs);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::flink::barrier::Snapshot;
    use crate::time::Micros;

    const INPUTS: Inputs = Inputs {
        channels: 3,
        checkpoints_after_finish: true,
    };

    fn barrier(checkpoint: u32) -> Barrier {
        Barrier {
            checkpoint: CheckpointId(checkpoint),
            options: Options::aligned(Snapshot::Checkpoint),
            created: Micros::ZERO,
        }
    }

    fn trigger(checkpoint: u32) -> Effect {
        Effect::Trigger {
            checkpoint: CheckpointId(checkpoint),
            options: Options::aligned(Snapshot::Checkpoint),
        }
    }

    #[test]
    fn the_snapshot_is_taken_before_any_channel_goes_on() {
        let mut handler = Aligned::default();
        let mut effects = Vec::new();
        handler.barrier(1, barrier(1), INPUTS, &mut effects);
        handler.barrier(0, barrier(1), INPUTS, &mut effects);
        assert!(handler.is_blocked(0) && handler.is_blocked(1) && !handler.is_blocked(2));
        assert_eq!(handler.missing(INPUTS), 1);
        effects.clear();
        handler.barrier(2, barrier(1), INPUTS, &mut effects);
        assert_eq!(
            effects,
            [
                Effect::Block(2),
                Effect::AlignmentEnded,
                trigger(1),
                Effect::Resume(0),
                Effect::Resume(1),
                Effect::Resume(2),
                Effect::AllBarriersReceived(CheckpointId(1)),
            ]
        );
        assert_eq!(handler.pending(), None);
    }

    #[test]
    fn a_channel_that_ends_is_not_waited_for() {
        let mut handler = Aligned::default();
        let mut effects = Vec::new();
        handler.end_of_partition(1, INPUTS, &mut effects);
        assert!(effects.is_empty());
        handler.barrier(0, barrier(1), INPUTS, &mut effects);
        handler.end_of_partition(2, INPUTS, &mut effects);
        assert!(effects.contains(&trigger(1)));
        assert_eq!(handler.open_channels(INPUTS), 1);
    }

    #[test]
    fn an_end_aborts_where_checkpoints_after_finish_are_not_enabled() {
        let inputs = Inputs {
            checkpoints_after_finish: false,
            ..INPUTS
        };
        let mut handler = Aligned::default();
        let mut effects = Vec::new();
        handler.barrier(0, barrier(1), inputs, &mut effects);
        effects.clear();
        handler.end_of_partition(0, inputs, &mut effects);
        assert!(matches!(
            effects.last(),
            Some(Effect::Abort {
                reason: Reason::EndOfInput,
                ..
            })
        ));
    }
}
