//! Whichever handler the configuration asks for.
//!
//! Source: Flink's `CheckpointedInputGate` and `InputProcessorUtil`.

use super::aligned::Aligned;
use super::alternating::Alternating;
use super::at_least_once::AtLeastOnce;
use super::unaligned::Unaligned;
use super::{Content, Host, Inputs};
use crate::id::CheckpointId;
use crate::time::Micros;
use serde::{Deserialize, Serialize};

/// How a job takes its checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Mode {
    /// Exactly once; channels wait behind their barriers.
    Aligned,
    /// Exactly once; barriers overtake.
    Unaligned,
    /// Exactly once; barriers wait, and overtake if that takes too long.
    Alternating,
    /// At least once; nothing waits.
    AtLeastOnce,
}

/// A handler of any mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Handler {
    /// See [`Mode::Aligned`].
    Aligned(Aligned),
    /// See [`Mode::Unaligned`].
    Unaligned(Unaligned),
    /// See [`Mode::Alternating`].
    Alternating(Alternating),
    /// See [`Mode::AtLeastOnce`].
    AtLeastOnce(AtLeastOnce),
}

impl Handler {
    /// A handler of this mode, of which no barrier has come.
    pub fn new(mode: Mode) -> Self {
        match mode {
            Mode::Aligned => Self::Aligned(Aligned::default()),
            Mode::Unaligned => Self::Unaligned(Unaligned::default()),
            Mode::Alternating => Self::Alternating(Alternating::default()),
            Mode::AtLeastOnce => Self::AtLeastOnce(AtLeastOnce::default()),
        }
    }

    /// A handler of a task that starts anew; `checkpoint` is the newest one that it need not expect any
    /// more.
    pub fn restarted(mode: Mode, checkpoint: CheckpointId) -> Self {
        let mut handler = Self::new(mode);
        match &mut handler {
            Self::Aligned(handler) => handler.restart(checkpoint),
            Self::Unaligned(handler) => handler.restart(checkpoint),
            Self::Alternating(handler) => handler.restart(checkpoint),
            Self::AtLeastOnce(handler) => handler.restart(checkpoint),
        }
        handler
    }

    /// The task is about to get this from `channel`: the handler acts before the task does.
    pub fn receive(
        &mut self,
        channel: usize,
        content: Content,
        inputs: Inputs,
        now: Micros,
        host: &mut impl Host,
    ) {
        match (content, self) {
            (Content::Data { .. }, _) => {}
            (Content::Barrier(barrier), Self::Aligned(handler)) => {
                handler.barrier(channel, barrier, inputs, host);
            }
            (Content::Barrier(barrier), Self::Unaligned(handler)) => {
                handler.barrier(channel, barrier, inputs, host);
            }
            (Content::Barrier(barrier), Self::Alternating(handler)) => {
                handler.barrier(channel, barrier, inputs, now, host);
            }
            (Content::Barrier(barrier), Self::AtLeastOnce(handler)) => {
                handler.barrier(channel, barrier, inputs, host);
            }
            (Content::Announcement(barrier), Self::Alternating(handler)) => {
                handler.announcement(channel, barrier, inputs, now, host);
            }
            (Content::Announcement(_), _) => {}
            (Content::Cancel(checkpoint), Self::Aligned(handler)) => {
                handler.cancel(checkpoint, inputs, host);
            }
            (Content::Cancel(checkpoint), Self::Unaligned(handler)) => {
                handler.cancel(checkpoint, inputs, host);
            }
            (Content::Cancel(checkpoint), Self::Alternating(handler)) => {
                handler.cancel(checkpoint, inputs, host);
            }
            (Content::Cancel(checkpoint), Self::AtLeastOnce(handler)) => {
                handler.cancel(channel, checkpoint, inputs, host);
            }
            (Content::EndOfPartition, Self::Aligned(handler)) => {
                handler.end_of_partition(channel, inputs, host);
            }
            (Content::EndOfPartition, Self::Unaligned(handler)) => {
                handler.end_of_partition(channel, inputs, host);
            }
            (Content::EndOfPartition, Self::Alternating(handler)) => {
                handler.end_of_partition(channel, inputs, now, host);
            }
            (Content::EndOfPartition, Self::AtLeastOnce(handler)) => {
                handler.end_of_partition(channel, inputs, host);
            }
        }
    }

    /// The timer fires that was registered for `checkpoint`.
    pub fn timer(&mut self, checkpoint: CheckpointId, inputs: Inputs, host: &mut impl Host) {
        if let Self::Alternating(handler) = self {
            handler.timer(checkpoint, inputs, host);
        }
    }

    /// The task is closed.
    pub fn close(&mut self, inputs: Inputs, host: &mut impl Host) {
        match self {
            Self::Aligned(handler) => handler.close(inputs),
            Self::Unaligned(handler) => handler.close(inputs),
            Self::Alternating(handler) => handler.close(inputs, host),
            Self::AtLeastOnce(_) => {}
        }
    }

    /// The newest checkpoint of which was heard; of a tracker, the newest that is pending.
    /// [`CheckpointId::NONE`] if there is none.
    pub fn latest_checkpoint(&self) -> CheckpointId {
        match self {
            Self::Aligned(handler) => handler.current(),
            Self::Unaligned(handler) => handler.current(),
            Self::Alternating(handler) => handler.current(),
            Self::AtLeastOnce(handler) => handler.pending().next_back().unwrap_or_default(),
        }
    }

    /// The pending checkpoints, the oldest first. Only a tracker has several.
    pub fn pending(&self) -> impl Iterator<Item = CheckpointId> + '_ {
        let (single, tracker) = match self {
            Self::Aligned(handler) => (handler.pending(), None),
            Self::Unaligned(handler) => (handler.pending(), None),
            Self::Alternating(handler) => (handler.pending(), None),
            Self::AtLeastOnce(handler) => (None, Some(handler)),
        };
        single
            .into_iter()
            .chain(tracker.into_iter().flat_map(AtLeastOnce::pending))
    }

    /// Whether the barrier of a pending checkpoint is still awaited on `channel`.
    pub fn awaits(&self, channel: usize, checkpoint: CheckpointId, inputs: Inputs) -> bool {
        inputs.has(channel)
            && self.pending().any(|pending| pending == checkpoint)
            && match self {
                Self::Aligned(handler) => handler.awaits(channel),
                Self::Unaligned(handler) => handler.awaits(channel),
                Self::Alternating(handler) => handler.awaits(channel),
                Self::AtLeastOnce(handler) => handler.awaits(channel, checkpoint),
            }
    }

    /// How many channels have not ended.
    pub fn open_channels(&self, inputs: Inputs) -> usize {
        match self {
            Self::Aligned(handler) => handler.open_channels(inputs),
            Self::Unaligned(handler) => handler.open_channels(inputs),
            Self::Alternating(handler) => handler.open_channels(inputs),
            Self::AtLeastOnce(handler) => handler.open_channels(inputs),
        }
    }

    /// Whether no barrier of `checkpoint` is awaited any more: it is complete or given up. A tracker
    /// triggers at the last barrier, so that one never has to ask.
    pub fn all_barriers_received(&self, checkpoint: CheckpointId, inputs: Inputs) -> bool {
        match self {
            Self::AtLeastOnce(_) => true,
            _ if self.open_channels(inputs) == 0 => true,
            _ if checkpoint > self.latest_checkpoint() => false,
            _ => self.pending().all(|pending| pending != checkpoint),
        }
    }
}
