//! Barrier handlers: what an input gate does when checkpoint barriers arrive, in each of Flink's modes.
//!
//! | module | its story |
//! | --- | --- |
//! | [`aligned`] | exactly once: a channel waits behind its barrier until the barrier is there on all |
//! | [`unaligned`] | exactly once: the first barrier triggers, what it overtook is stored with the state |
//! | [`alternating`] | begins aligned, turns unaligned when it takes too long |
//! | [`at_least_once`] | counts barriers and blocks nothing |
//! | [`handler`] | whichever of them the configuration asks for |
//! | [`measures`] | how long an alignment took, and what passed meanwhile |
//! | [`input_gate`] | in which order a task gets what has arrived |
//! | [`channel_queue`], [`in_flight`] | one channel of it, and which of its data an unaligned checkpoint stores |
//! | [`withholding`] | the older design, in which the receiver keeps what comes on a blocked channel |
//! | [`options`], [`effect`] | what a barrier says, and what a handler asks for |
//!
//! A handler is a value without a clock: it is told what comes on which channel, and tells its
//! [`Host`] what is to be done, in the order in which Flink does it. What never changes, the
//! [`Inputs`], is handed to it with each call. Where time matters (a checkpoint that turns unaligned),
//! the present moment is an argument; a search that knows no time says "too late" or "not yet" with it,
//! and gives all barriers the same moment of creation.
//!
//! No handler refuses input that cannot come, as a channel that the gate has not: it ignores it.
//!
//! # What this leaves out
//!
//! Checkpoints that the coordinator triggers at a task with inputs by a call instead of a barrier.
//! Recovered in-flight data. Several gates of one task: their channels are numbered through here. What
//! is taken from a local channel between the start of an unaligned checkpoint and the channel's barrier
//! is in-flight data too in Flink. And Flink starts the clock of an alignment anew when the only channel
//! that was counted so far ends; here it runs on.

use crate::id::CheckpointId;
use crate::time::Micros;
use serde::{Deserialize, Serialize};

pub mod aligned;
pub mod alternating;
pub mod at_least_once;
pub mod channel_queue;
pub mod effect;
pub mod handler;
pub mod in_flight;
pub mod input_gate;
mod marks;
pub mod measures;
pub mod options;
pub mod unaligned;
pub mod withholding;

#[cfg(test)]
mod tests;

pub use effect::{Effect, Host, NewerBarrier, Reason};
pub use options::{AlignmentType, Options, Snapshot};

/// What a handler must know of the inputs of its task, and what never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// How many channels there are; they are numbered from 0.
    pub channels: u16,
    /// `execution.checkpointing.checkpoints-after-tasks-finish`: whether a channel that has ended
    /// counts as one whose barrier has come. Otherwise its end aborts the pending checkpoint.
    pub checkpoints_after_finish: bool,
}

impl Inputs {
    /// Whether there is such a channel.
    pub(crate) fn has(self, channel: usize) -> bool {
        channel < usize::from(self.channels)
    }
}

/// A checkpoint barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Barrier {
    /// Which checkpoint it belongs to.
    pub checkpoint: CheckpointId,
    /// How that is to be taken.
    pub options: Options,
    /// When the coordinator triggered the checkpoint.
    #[serde(with = "moment")]
    pub created: Micros,
}

/// A moment in a packed state: a scenario writes times in milliseconds, which a packed form knows nothing of.
mod moment {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::time::Micros;

    pub(super) fn serialize<S: Serializer>(moment: &Micros, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(moment.0)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Micros, D::Error> {
        u64::deserialize(from).map(Micros)
    }
}

impl Barrier {
    /// The moment up to which the checkpoint stays aligned, if it does not for good.
    pub(crate) fn deadline(self) -> Option<Micros> {
        match self.options.alignment() {
            AlignmentType::Timeoutable(timeout) => Some(self.created + timeout.into()),
            AlignmentType::Aligned | AlignmentType::Unaligned => None,
        }
    }

    /// Whether the checkpoint should have been done by `now`.
    pub(crate) fn is_timed_out(self, now: Micros) -> bool {
        self.deadline().is_some_and(|deadline| now > deadline)
    }

    /// The same barrier, after the sender or the receiver has given up aligning.
    pub(crate) fn into_unaligned(self) -> Self {
        Self {
            options: self.options.into_unaligned(),
            ..self
        }
    }
}

/// What can come through a channel, as far as handlers and gates are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Content {
    /// Records.
    Data {
        /// How much of it.
        bytes: u32,
    },
    /// A barrier.
    Barrier(Barrier),
    /// Word, ahead of the data, that this barrier is in the channel (Flink's `EventAnnouncement`).
    Announcement(Barrier),
    /// Word that the checkpoint was given up (Flink's `CancelCheckpointMarker`).
    Cancel(CheckpointId),
    /// Nothing comes after this.
    EndOfPartition,
}

/// What a gate must know of the elements in it.
pub trait Element: Clone {
    /// What it is.
    fn content(&self) -> Content;
    /// The announcement of a barrier.
    fn announcement(of: Barrier) -> Self;
}
