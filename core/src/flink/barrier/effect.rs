//! What a handler asks for.
//!
//! Source: Flink's `CheckpointableInput` and `CheckpointableTask`, through which its handlers act.

use alloc::vec::Vec;
use core::fmt;

use super::Options;
use crate::id::CheckpointId;
use crate::time::Micros;

/// One thing that a handler asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Take nothing more from this channel.
    Block(usize),
    /// Take from this channel again; its sender, which has stopped behind a barrier, goes on.
    Resume(usize),
    /// Take the snapshot, and send the barrier on.
    Trigger {
        /// Of which checkpoint.
        checkpoint: CheckpointId,
        /// How: these options go on with the barrier.
        options: Options,
    },
    /// Tell the coordinator, and those downstream, that the checkpoint is given up.
    Abort {
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// Why.
        reason: Reason,
    },
    /// Store with this checkpoint what is in the channels, and what comes on each until its barrier.
    StartInFlight(CheckpointId),
    /// Store no more of that.
    StopInFlight(CheckpointId),
    /// Let the barrier of this checkpoint, which waits in the channel, overtake what is before it.
    Prioritise {
        /// Which channel.
        channel: usize,
        /// Which checkpoint. A channel never holds two barriers of one checkpoint, so that this says
        /// as much as the place in the channel that Flink names here.
        checkpoint: CheckpointId,
    },
    /// Tell the handler when this moment has come, unless the timer is dropped before.
    RegisterTimer {
        /// For which checkpoint.
        checkpoint: CheckpointId,
        /// When.
        at: Micros,
    },
    /// Forget the timer of this checkpoint, if it has not fired yet.
    DropTimer(CheckpointId),
    /// The first channel was counted for this checkpoint.
    AlignmentStarted {
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// When it was triggered by the coordinator.
        created: Micros,
    },
    /// The last channel was counted.
    AlignmentEnded,
    /// No alignment is under way any more, and the last one counts for nothing.
    AlignmentReset,
    /// The barrier was received on every channel: all in-flight input of the checkpoint is known.
    AllBarriersReceived(CheckpointId),
}

/// Why a checkpoint was aborted. The names in Flink's `CheckpointFailureReason` stand beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// `CHECKPOINT_DECLINED_ON_CANCELLATION_BARRIER`: someone upstream gave it up.
    CancellationBarrier,
    /// `CHECKPOINT_DECLINED_SUBSUMED`: a newer one began.
    Subsumed,
    /// `CHECKPOINT_DECLINED_INPUT_END_OF_STREAM`: a channel ended before its barrier came.
    EndOfInput,
    /// `CHECKPOINT_DECLINED_ALIGNMENT_LIMIT_EXCEEDED`, up to Flink 1.10: too much was withheld.
    AlignmentLimit,
}

/// In-flight data cannot be stored any more: a channel has already received a newer barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewerBarrier;

impl fmt::Display for NewerBarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a channel has already received the barrier of a newer checkpoint")
    }
}

impl core::error::Error for NewerBarrier {}

/// The gate and the task that a handler serves.
pub trait Host {
    /// Does what the handler asks for.
    fn perform(&mut self, effect: Effect);

    /// Does [`Effect::StartInFlight`].
    ///
    /// # Errors
    /// [`NewerBarrier`] if it is too late; nothing is done then, and the handler aborts the checkpoint.
    fn start_in_flight(&mut self, checkpoint: CheckpointId) -> Result<(), NewerBarrier> {
        self.perform(Effect::StartInFlight(checkpoint));
        Ok(())
    }
}

/// Collects the effects.
impl Host for Vec<Effect> {
    fn perform(&mut self, effect: Effect) {
        self.push(effect);
    }
}
