//! Several sets of channels in one row of bits.

use super::Inputs;
use crate::collections::Bits;
use serde::{Deserialize, Serialize};

/// For each channel, which of `KINDS` marks it bears.
///
/// One row instead of a set for each kind: a handler is part of a state that is copied by the million,
/// and this way the handler of a gate of up to 128 / `KINDS` channels is as small as one set, without
/// the heap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Marks<const KINDS: usize> {
    bits: Bits,
}

/// Its barrier, or its end, was counted for the pending checkpoint.
pub(super) const COUNTED: usize = 0;
/// It has ended.
pub(super) const FINISHED: usize = 1;
/// It was blocked.
pub(super) const BLOCKED: usize = 2;
/// Its barrier was announced but has not come yet.
pub(super) const ANNOUNCED: usize = 3;

impl<const KINDS: usize> Marks<KINDS> {
    pub(super) fn has(&self, channel: usize, kind: usize) -> bool {
        self.bits.contains(Self::place(channel, kind))
    }

    /// True if it did not bear the mark before.
    pub(super) fn set(&mut self, channel: usize, kind: usize) -> bool {
        self.bits.insert(Self::place(channel, kind))
    }

    /// True if it bore the mark before.
    pub(super) fn unset(&mut self, channel: usize, kind: usize) -> bool {
        self.bits.remove(Self::place(channel, kind))
    }

    /// Takes a mark from all channels.
    pub(super) fn clear(&mut self, kind: usize, inputs: Inputs) {
        for channel in channels(inputs) {
            self.unset(channel, kind);
        }
    }

    /// The channels with a mark, in order.
    pub(super) fn with(&self, kind: usize, inputs: Inputs) -> impl Iterator<Item = usize> + '_ {
        channels(inputs).filter(move |&channel| self.has(channel, kind))
    }

    /// How many channels have not ended.
    pub(super) fn open(&self, inputs: Inputs) -> usize {
        channels(inputs)
            .filter(|&channel| !self.has(channel, FINISHED))
            .count()
    }

    /// How many barriers are still awaited. A channel that had ended before the checkpoint began is
    /// not waited for; one that ends later is counted, or aborts the checkpoint.
    pub(super) fn missing(&self, inputs: Inputs) -> usize {
        channels(inputs)
            .filter(|&channel| !self.has(channel, COUNTED) && !self.has(channel, FINISHED))
            .count()
    }

    /// Whether any channel was counted.
    pub(super) fn any_counted(&self, inputs: Inputs) -> bool {
        self.with(COUNTED, inputs).next().is_some()
    }

    fn place(channel: usize, kind: usize) -> usize {
        channel.saturating_mul(KINDS).saturating_add(kind)
    }
}

fn channels(inputs: Inputs) -> impl Iterator<Item = usize> {
    0..usize::from(inputs.channels)
}
