//! Exactly once, unaligned.
//!
//! The first barrier triggers the snapshot at once. What it has overtaken, and what comes on the other
//! channels before their barriers, belongs to the checkpoint too: it is in-flight data and is stored
//! with the state, until the barrier has come on every channel.
//! Source: Flink's `SingleCheckpointBarrierHandler` with the states
//! `AlternatingWaitingForFirstBarrierUnaligned` and `AlternatingCollectingBarriersUnaligned`.

use super::marks::{BLOCKED, COUNTED, FINISHED, Marks};
use super::{Barrier, Effect, Host, Inputs, Reason};
use crate::id::CheckpointId;
use serde::{Deserialize, Serialize};

/// The unaligned handler of one gate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Unaligned {
    /// The newest checkpoint of which was heard.
    current: CheckpointId,
    /// Whether it is neither complete nor aborted. It has been triggered, then.
    pending: bool,
    channels: Marks<3>,
}

impl Unaligned {
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
        if barrier.checkpoint < self.current || barrier.checkpoint == self.current && !self.pending
        {
            if !barrier.options.is_unaligned() {
                host.perform(Effect::Resume(channel));
            }
            return;
        }
        let begins = barrier.checkpoint > self.current;
        if begins {
            self.give_up(Reason::Subsumed, inputs, host);
            self.current = barrier.checkpoint;
            self.pending = true;
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
        let complete = self.channels.missing(inputs) == 0;
        if complete {
            host.perform(Effect::AlignmentEnded);
        }
        // A sender that knows nothing of unaligned checkpoints has stopped behind its barrier.
        if !barrier.options.is_unaligned() && self.channels.set(channel, BLOCKED) {
            host.perform(Effect::Block(channel));
        }
        if begins {
            if host.start_in_flight(self.current).is_err() {
                self.abort(Reason::Subsumed, inputs, host);
                return;
            }
            host.perform(Effect::Trigger {
                checkpoint: self.current,
                options: barrier.options.into_unaligned(),
            });
        }
        if complete {
            self.complete(inputs, host);
        }
    }

    /// The marker comes that `checkpoint` was given up upstream. One is enough.
    pub fn cancel(&mut self, checkpoint: CheckpointId, inputs: Inputs, host: &mut impl Host) {
        if checkpoint > self.current || checkpoint == self.current && self.pending {
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
        if !self.pending {
            return;
        }
        self.channels.unset(channel, BLOCKED);
        if self.channels.missing(inputs) == 0 {
            host.perform(Effect::AlignmentEnded);
            self.complete(inputs, host);
        }
    }

    /// The task is closed.
    pub fn close(&mut self, inputs: Inputs) {
        self.pending = false;
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
        self.channels.has(channel, BLOCKED)
    }

    /// Whether the barrier of the pending checkpoint is still awaited on `channel`.
    pub fn awaits(&self, channel: usize) -> bool {
        self.pending
            && !self.channels.has(channel, COUNTED)
            && !self.channels.has(channel, FINISHED)
    }

    /// On how many channels the barrier of the pending checkpoint is still awaited.
    pub fn missing(&self, inputs: Inputs) -> usize {
        if self.pending {
            self.channels.missing(inputs)
        } else {
            0
        }
    }

    /// The checkpoint whose barriers are being collected.
    pub fn pending(&self) -> Option<CheckpointId> {
        self.pending.then_some(self.current)
    }

    /// The newest checkpoint of which was heard; [`CheckpointId::NONE`] before the first.
    pub fn current(&self) -> CheckpointId {
        self.current
    }

    /// How many channels have not ended.
    pub fn open_channels(&self, inputs: Inputs) -> usize {
        self.channels.open(inputs)
    }

    /// The last awaited channel was counted.
    fn complete(&mut self, inputs: Inputs, host: &mut impl Host) {
        self.settle(inputs, host);
        host.perform(Effect::AllBarriersReceived(self.current));
    }

    /// Aborts the pending checkpoint, if there is one.
    fn give_up(&mut self, reason: Reason, inputs: Inputs, host: &mut impl Host) {
        if self.pending {
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

    /// The pending checkpoint, if there is one, is over.
    fn settle(&mut self, inputs: Inputs, host: &mut impl Host) {
        if self.pending {
            host.perform(Effect::StopInFlight(self.current));
        }
        for channel in self.channels.with(BLOCKED, inputs) {
            host.perform(Effect::Resume(channel));
        }
        self.pending = false;
        self.channels.clear(COUNTED, inputs);
        self.channels.clear(BLOCKED, inputs);
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::flink::barrier::{Options, Snapshot};
    use crate::time::Micros;

    const ONE: CheckpointId = CheckpointId(1);
    const TWO: CheckpointId = CheckpointId(2);
    const INPUTS: Inputs = Inputs {
        channels: 2,
        checkpoints_after_finish: true,
    };

    fn barrier(checkpoint: CheckpointId, options: Options) -> Barrier {
        Barrier {
            checkpoint,
            options,
            created: Micros::ZERO,
        }
    }

    #[test]
    fn the_first_barrier_triggers_and_the_last_completes() {
        let unaligned = Options::unaligned(Snapshot::Checkpoint);
        let mut handler = Unaligned::default();
        let mut effects = Vec::new();
        handler.barrier(1, barrier(ONE, unaligned), INPUTS, &mut effects);
        assert_eq!(
            effects,
            [
                Effect::AlignmentStarted {
                    checkpoint: ONE,
                    created: Micros::ZERO
                },
                Effect::StartInFlight(ONE),
                Effect::Trigger {
                    checkpoint: ONE,
                    options: unaligned
                },
            ]
        );
        assert_eq!((handler.pending(), handler.missing(INPUTS)), (Some(ONE), 1));
        effects.clear();
        handler.end_of_partition(0, INPUTS, &mut effects);
        assert_eq!(
            effects,
            [
                Effect::AlignmentEnded,
                Effect::StopInFlight(ONE),
                Effect::AllBarriersReceived(ONE),
            ]
        );
    }

    #[test]
    fn a_newer_cancellation_speaks_for_the_pending_checkpoint() {
        let mut handler = Unaligned::default();
        let mut effects = Vec::new();
        let unaligned = Options::unaligned(Snapshot::Checkpoint);
        handler.barrier(0, barrier(ONE, unaligned), INPUTS, &mut effects);
        effects.clear();
        handler.cancel(TWO, INPUTS, &mut effects);
        assert_eq!(
            effects,
            [
                Effect::StopInFlight(TWO),
                Effect::AlignmentReset,
                Effect::Abort {
                    checkpoint: TWO,
                    reason: Reason::CancellationBarrier
                },
            ]
        );
    }

    #[test]
    fn a_sender_that_has_stopped_is_not_forgotten() {
        let savepoint = Options::aligned(Snapshot::Savepoint);
        let mut handler = Unaligned::default();
        let mut effects = Vec::new();
        handler.barrier(0, barrier(ONE, savepoint), INPUTS, &mut effects);
        assert!(handler.is_blocked(0));
        handler.barrier(1, barrier(ONE, savepoint), INPUTS, &mut effects);
        assert!(effects.contains(&Effect::Resume(0)) && effects.contains(&Effect::Resume(1)));
        assert!(!handler.is_blocked(0));
    }
}
