//! At least once.
//!
//! Barriers are counted and nothing is blocked: records behind a barrier reach the state before the
//! snapshot is taken, and are counted twice after a recovery. So several checkpoints can be pending.
//! Source: Flink's `CheckpointBarrierTracker`.

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::{Barrier, Effect, Host, Inputs, Options, Reason};
use crate::collections::Bits;
use crate::id::CheckpointId;

/// How many pending checkpoints are kept.
const MAX_CHECKPOINTS_TO_TRACK: usize = 50;

/// The tracker of one gate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AtLeastOnce {
    /// The newest checkpoint that was ever pending.
    newest: CheckpointId,
    /// The pending checkpoints, the oldest first.
    pending: SmallVec<[Pending; 1]>,
    /// The channels that have ended.
    finished: Bits,
}

/// A checkpoint of which some barriers have come.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Pending {
    checkpoint: CheckpointId,
    /// What its first barrier said; none if it was aborted and only waits for its barriers to pass.
    options: Option<Options>,
    counted: Bits,
}

impl AtLeastOnce {
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
        let Barrier {
            checkpoint,
            options,
            created,
        } = barrier;
        if let Some(at) = self.place(checkpoint) {
            if self.count(at, channel, inputs) {
                self.complete(at, host);
            }
        } else if checkpoint > self.newest {
            host.perform(Effect::AlignmentStarted {
                checkpoint,
                created,
            });
            if self.open_channels(inputs) == 1 {
                // There is nothing to count, and so nothing is kept, the number of the checkpoint included.
                host.perform(Effect::AlignmentEnded);
                host.perform(Effect::Trigger {
                    checkpoint,
                    options,
                });
            } else {
                self.keep(checkpoint, Some(options), channel);
            }
        }
    }

    /// The marker comes on `channel` that `checkpoint` was given up upstream.
    pub fn cancel(
        &mut self,
        channel: usize,
        checkpoint: CheckpointId,
        inputs: Inputs,
        host: &mut impl Host,
    ) {
        if !inputs.has(channel) {
            return;
        }
        let newer = checkpoint > self.newest;
        if newer && self.open_channels(inputs) == 1 {
            host.perform(Effect::AlignmentReset);
            abort(checkpoint, Reason::CancellationBarrier, host);
            return;
        }
        while let Some(oldest) = self.pending.first()
            && oldest.checkpoint < checkpoint
        {
            self.pending
                .remove(0)
                .abort(Reason::CancellationBarrier, host);
        }
        if self.place(checkpoint) == Some(0) {
            if let Some(pending) = self.pending.first_mut() {
                pending.abort(Reason::CancellationBarrier, host);
            }
            if self.count(0, channel, inputs) {
                self.pending.remove(0);
            }
        } else if newer {
            abort(checkpoint, Reason::CancellationBarrier, host);
            self.keep(checkpoint, None, channel);
        }
    }

    /// `channel` has ended.
    pub fn end_of_partition(&mut self, channel: usize, inputs: Inputs, host: &mut impl Host) {
        if !inputs.has(channel) || !self.finished.insert(channel) {
            return;
        }
        if !inputs.checkpoints_after_finish {
            for mut pending in self.pending.drain(..) {
                pending.abort(Reason::EndOfInput, host);
            }
            host.perform(Effect::AlignmentReset);
            return;
        }
        // The newest that is complete now takes all older ones with it.
        for at in (0..self.pending.len()).rev() {
            if self.count(at, channel, inputs) {
                self.complete(at, host);
                return;
            }
        }
    }

    /// The task starts anew; `checkpoint` is the newest one that it need not expect any more.
    pub fn restart(&mut self, checkpoint: CheckpointId) {
        *self = Self {
            newest: checkpoint,
            ..Self::default()
        };
    }

    /// The pending checkpoints, the oldest first, and those that were aborted but whose barriers are
    /// still under way.
    pub fn pending(&self) -> impl DoubleEndedIterator<Item = CheckpointId> + '_ {
        self.pending.iter().map(|pending| pending.checkpoint)
    }

    /// Whether the barrier of a pending checkpoint is still awaited on `channel`.
    pub fn awaits(&self, channel: usize, checkpoint: CheckpointId) -> bool {
        let place = self.place(checkpoint);
        place
            .and_then(|at| self.pending.get(at))
            .is_some_and(|pending| {
                !pending.counted.contains(channel) && !self.finished.contains(channel)
            })
    }

    /// On how many channels the barrier of a pending checkpoint is still awaited; 0 if it is not pending.
    pub fn missing(&self, checkpoint: CheckpointId, inputs: Inputs) -> usize {
        (0..usize::from(inputs.channels))
            .filter(|channel| self.awaits(*channel, checkpoint))
            .count()
    }

    /// How many channels have not ended.
    pub fn open_channels(&self, inputs: Inputs) -> usize {
        usize::from(inputs.channels).saturating_sub(self.finished.len())
    }

    fn place(&self, checkpoint: CheckpointId) -> Option<usize> {
        self.pending
            .iter()
            .position(|pending| pending.checkpoint == checkpoint)
    }

    /// Counts a channel; whether no other is awaited now.
    fn count(&mut self, at: usize, channel: usize, inputs: Inputs) -> bool {
        let Some(pending) = self.pending.get_mut(at) else {
            return false;
        };
        pending.counted.insert(channel);
        (0..usize::from(inputs.channels))
            .all(|channel| pending.counted.contains(channel) || self.finished.contains(channel))
    }

    /// Triggers a checkpoint, unless it was aborted; older ones are forgotten without a word.
    fn complete(&mut self, at: usize, host: &mut impl Host) {
        let Some(complete) = self.pending.drain(..=at).next_back() else {
            return;
        };
        let Some(options) = complete.options else {
            return;
        };
        if complete.checkpoint == self.newest {
            host.perform(Effect::AlignmentEnded);
        }
        host.perform(Effect::Trigger {
            checkpoint: complete.checkpoint,
            options,
        });
    }

    fn keep(&mut self, checkpoint: CheckpointId, options: Option<Options>, channel: usize) {
        let mut counted = Bits::default();
        counted.insert(channel);
        self.newest = checkpoint;
        self.pending.push(Pending {
            checkpoint,
            options,
            counted,
        });
        if self.pending.len() > MAX_CHECKPOINTS_TO_TRACK {
            self.pending.remove(0);
        }
    }
}

impl Pending {
    /// Marks it as aborted, and tells so if it was not yet.
    fn abort(&mut self, reason: Reason, host: &mut impl Host) {
        if self.options.take().is_some() {
            abort(self.checkpoint, reason, host);
        }
    }
}

fn abort(checkpoint: CheckpointId, reason: Reason, host: &mut impl Host) {
    host.perform(Effect::Abort { checkpoint, reason });
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::flink::barrier::Snapshot;
    use crate::time::Micros;

    const INPUTS: Inputs = Inputs {
        channels: 2,
        checkpoints_after_finish: true,
    };

    fn barrier(checkpoint: u32) -> Barrier {
        Barrier {
            checkpoint: CheckpointId(checkpoint),
            options: Options::aligned(Snapshot::Checkpoint),
            created: Micros::ZERO,
        }
    }

    fn pending(tracker: &AtLeastOnce) -> Vec<u32> {
        tracker.pending().map(|checkpoint| checkpoint.0).collect()
    }

    fn is_notice(effect: &Effect) -> bool {
        matches!(effect, Effect::Trigger { .. } | Effect::Abort { .. })
    }

    #[test]
    fn a_complete_checkpoint_takes_the_older_ones_with_it() {
        let mut tracker = AtLeastOnce::default();
        let mut effects = Vec::new();
        for checkpoint in 1..=3 {
            tracker.barrier(0, barrier(checkpoint), INPUTS, &mut effects);
        }
        assert_eq!(pending(&tracker), [1, 2, 3]);
        tracker.barrier(1, barrier(2), INPUTS, &mut effects);
        assert_eq!(pending(&tracker), [3]);
        assert_eq!(effects.iter().filter(|effect| is_notice(effect)).count(), 1);
        tracker.barrier(1, barrier(1), INPUTS, &mut effects);
        assert_eq!(pending(&tracker), [3], "it is not begun anew");
    }

    #[test]
    fn a_cancelled_checkpoint_stays_until_all_its_barriers_have_passed() {
        let mut tracker = AtLeastOnce::default();
        let mut effects = Vec::new();
        tracker.cancel(0, CheckpointId(1), INPUTS, &mut effects);
        assert_eq!(pending(&tracker), [1]);
        tracker.cancel(1, CheckpointId(1), INPUTS, &mut effects);
        assert!(pending(&tracker).is_empty());
        tracker.cancel(0, CheckpointId(2), INPUTS, &mut effects);
        tracker.barrier(1, barrier(2), INPUTS, &mut effects);
        assert!(pending(&tracker).is_empty());
        assert_eq!(effects.iter().filter(|effect| is_notice(effect)).count(), 2);
    }

    #[test]
    fn a_single_open_channel_needs_no_counting() {
        let mut tracker = AtLeastOnce::default();
        let mut effects = Vec::new();
        tracker.end_of_partition(1, INPUTS, &mut effects);
        tracker.barrier(0, barrier(1), INPUTS, &mut effects);
        assert!(is_notice(&effects[2]));
        assert!(pending(&tracker).is_empty());
    }
}
