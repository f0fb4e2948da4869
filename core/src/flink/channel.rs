//! What is on its way between two subtasks: records and barriers, in order, in finite buffers.
//!
//! A channel is the sender's output queue (Flink's `PipelinedSubpartition`) and the receiver's input queue
//! (`RemoteInputChannel`). What the receiver has given credit for is in its input queue, the rest waits
//! at the sender. A barrier needs no credit. A barrier that is to be aligned stops the sender: what is
//! behind it stays in the output queue until the receiver resumes the channel. A barrier that may
//! overtake goes to the front of the output queue, and past what is in the input queue.
//!
//! What has credit is in the input queue at once; the time that takes is the Clock's affair.

use core::fmt;
use core::hash::{Hash, Hasher};
use serde::{Deserialize, Serialize};

use smallvec::SmallVec;

use crate::id::{CheckpointId, RecordId};

/// What travels through a channel, packed into one word: states hold many of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Element(u32);

/// What an [`Element`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// A record.
    Record(RecordId),
    /// A checkpoint barrier: what is before it belongs to the checkpoint, what is behind it does not.
    Barrier(CheckpointId),
    /// The barrier of a savepoint, which is always aligned.
    SavepointBarrier(CheckpointId),
    /// A barrier that may overtake what is before it.
    UnalignedBarrier(CheckpointId),
    /// A barrier that was to wait, and that its receiver lets overtake since it took too long.
    PrioritisedBarrier(CheckpointId),
    /// Word that a checkpoint was given up: its barrier will not come (`CancelCheckpointMarker`).
    Cancel(CheckpointId),
}

/// The bit that tells everything else from a record.
const EVENT: u32 = 1 << 31;
/// The bit of a barrier that may overtake.
const UNALIGNED: u32 = 1 << 30;
/// The bit of a barrier that its receiver lets overtake.
const PRIORITISED: u32 = 1 << 29;
/// The bit of the barrier of a savepoint.
const SAVEPOINT: u32 = 1 << 28;
/// The bit of a cancellation marker.
const CANCEL: u32 = 1 << 27;
/// The bits of the checkpoint.
const CHECKPOINT: u32 = CANCEL - 1;

impl Element {
    /// A record. Numbers from 2³¹ on do not fit and wrap; scenarios are limited far below that.
    pub const fn record(record: RecordId) -> Self {
        Self(record.0 & !EVENT)
    }

    /// A barrier. Numbers of checkpoints wrap at 2²⁷.
    pub const fn barrier(checkpoint: CheckpointId) -> Self {
        Self(checkpoint.0 & CHECKPOINT | EVENT)
    }

    /// The barrier of a savepoint.
    pub const fn savepoint_barrier(checkpoint: CheckpointId) -> Self {
        Self(checkpoint.0 & CHECKPOINT | SAVEPOINT | EVENT)
    }

    /// A barrier that may overtake.
    pub const fn unaligned_barrier(checkpoint: CheckpointId) -> Self {
        Self(checkpoint.0 & CHECKPOINT | UNALIGNED | EVENT)
    }

    /// A cancellation marker.
    pub const fn cancel(checkpoint: CheckpointId) -> Self {
        Self(checkpoint.0 & CHECKPOINT | CANCEL | EVENT)
    }

    /// What it is.
    pub const fn kind(self) -> ElementKind {
        let checkpoint = CheckpointId(self.0 & CHECKPOINT);
        if !self.is_event() {
            ElementKind::Record(RecordId(self.0))
        } else if self.0 & CANCEL != 0 {
            ElementKind::Cancel(checkpoint)
        } else if self.0 & UNALIGNED != 0 {
            ElementKind::UnalignedBarrier(checkpoint)
        } else if self.0 & PRIORITISED != 0 {
            ElementKind::PrioritisedBarrier(checkpoint)
        } else if self.0 & SAVEPOINT != 0 {
            ElementKind::SavepointBarrier(checkpoint)
        } else {
            ElementKind::Barrier(checkpoint)
        }
    }

    const fn is_event(self) -> bool {
        self.0 & EVENT != 0
    }
}

impl ElementKind {
    /// The checkpoint whose barrier it is.
    pub const fn barrier(self) -> Option<CheckpointId> {
        match self {
            Self::Barrier(checkpoint)
            | Self::SavepointBarrier(checkpoint)
            | Self::UnalignedBarrier(checkpoint)
            | Self::PrioritisedBarrier(checkpoint) => Some(checkpoint),
            Self::Record(_) | Self::Cancel(_) => None,
        }
    }

    /// Whether its sender stops behind it, if barriers are aligned.
    const fn stops(self) -> bool {
        matches!(self, Self::Barrier(_) | Self::SavepointBarrier(_))
    }
}

impl fmt::Debug for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

/// How many records fit where, and whether barriers are to be aligned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Buffers {
    /// In the receiver's input queue: the credit that it gives.
    pub input: u32,
    /// In the sender's output queue.
    pub output: u32,
    /// Whether a barrier that does not overtake stops its sender: in every mode but at-least-once.
    pub aligned: bool,
}

/// A channel: an output queue and an input queue, each with room for a finite number of records.
///
/// A record needs a buffer, so a full output queue stops its sender: that is all there is to
/// backpressure.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    /// The input queue, then the output queue; the next to come first.
    elements: SmallVec<[Element; 4]>,
    /// How many of them are in the input queue.
    arrived: u32,
    /// How many are no records, in both queues.
    events: u32,
    /// How many are no records, in the input queue.
    arrived_events: u32,
    /// Whether the last element that arrived was a barrier that is to be aligned.
    stopped: bool,
}

/// A search copies it by the million: all elements at once.
impl Clone for Channel {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            elements: SmallVec::from_slice(&self.elements),
            arrived: self.arrived,
            events: self.events,
            arrived_events: self.arrived_events,
            stopped: self.stopped,
        }
    }
}

/// As few words as it takes: how many elements are events follows from the elements.
impl Hash for Channel {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let len = (self.elements.len() as u64) << 32;
        hasher.write_u64(len | u64::from(self.arrived) << 1 | u64::from(self.stopped));
        for pair in self.elements.chunks(2) {
            let word = |at: usize| pair.get(at).map_or(0, |element| u64::from(element.0));
            hasher.write_u64(word(1) << 32 | word(0));
        }
    }
}

impl Channel {
    /// The element that the receiver gets next.
    pub fn first(&self) -> Option<ElementKind> {
        let first = self.elements.first()?;
        (self.arrived > 0).then(|| first.kind())
    }

    /// Takes the element that comes next.
    pub fn take(&mut self) -> Option<ElementKind> {
        self.take_at(0)
    }

    /// Takes the element at a place of the input queue, past those before it.
    pub fn take_at(&mut self, place: usize) -> Option<ElementKind> {
        if place >= self.arrived as usize {
            return None;
        }
        let element = self.elements.remove(place);
        self.arrived -= 1;
        self.events -= u32::from(element.is_event());
        self.arrived_events -= u32::from(element.is_event());
        Some(element.kind())
    }

    /// The first barrier in the input queue that may overtake, and where it stands, if it is not the next
    /// element anyway.
    pub fn overtaker(&self) -> Option<(usize, ElementKind)> {
        if self.arrived_events == 0 {
            return None;
        }
        self.input().enumerate().skip(1).find(|(_, kind)| {
            matches!(
                kind,
                ElementKind::UnalignedBarrier(_) | ElementKind::PrioritisedBarrier(_)
            )
        })
    }

    /// Lets the barrier of a checkpoint overtake what is before it, if it stands in the input queue and
    /// waits.
    pub fn prioritise(&mut self, checkpoint: CheckpointId) {
        let arrived = self.arrived as usize;
        for element in self.elements.iter_mut().take(arrived) {
            if element.kind() == ElementKind::Barrier(checkpoint) {
                element.0 |= PRIORITISED;
            }
        }
    }

    /// Where the barrier of a checkpoint stands in the input queue.
    pub fn place_of_barrier(&self, checkpoint: CheckpointId) -> Option<usize> {
        if self.arrived_events == 0 {
            return None;
        }
        let mut input = self.input();
        input.position(|kind| kind.barrier() == Some(checkpoint))
    }

    /// Whether the output queue takes one more record.
    pub fn has_room(&self, buffers: Buffers) -> bool {
        let queued = self.records() - self.input_records();
        queued < buffers.output as usize
            || queued == 0 && !self.stopped && self.input_records() < buffers.input as usize
    }

    /// How many records it holds.
    pub fn records(&self) -> usize {
        self.elements.len() - self.events as usize
    }

    /// How many records are in the input queue.
    pub fn input_records(&self) -> usize {
        (self.arrived - self.arrived_events) as usize
    }

    /// Puts an element at the end of the output queue.
    pub fn put(&mut self, element: Element) {
        self.events += u32::from(element.is_event());
        self.elements.push(element);
    }

    /// Puts a barrier that may overtake at the front of the output queue, behind others of its kind;
    /// returns its place in that queue.
    pub fn put_first(&mut self, barrier: Element) -> usize {
        self.events += 1;
        let arrived = self.arrived as usize;
        let overtakes = |kind: &ElementKind| matches!(kind, ElementKind::UnalignedBarrier(_));
        let before = self.output().take_while(overtakes).count();
        let place = (arrived + before).min(self.elements.len());
        self.elements.insert(place, barrier);
        before
    }

    /// Takes the barrier of a checkpoint that is to be aligned out of the output queue, if it is there;
    /// returns how many elements were before it in that queue.
    pub fn withdraw(&mut self, checkpoint: CheckpointId) -> Option<usize> {
        let arrived = self.arrived as usize;
        let waits = |element: &Element| element.kind() == ElementKind::Barrier(checkpoint);
        let place = self.elements.iter().skip(arrived).position(waits)?;
        self.elements.remove(arrived + place);
        self.events -= 1;
        Some(place)
    }

    /// Moves the next element from the output queue to the input queue, if there is credit for it and
    /// the sender has not stopped.
    pub fn advance(&mut self, buffers: Buffers) -> Option<ElementKind> {
        if self.stopped {
            return None;
        }
        let next = self.elements.get(self.arrived as usize)?;
        if !next.is_event() && self.input_records() >= buffers.input as usize {
            return None;
        }
        self.arrived += 1;
        self.arrived_events += u32::from(next.is_event());
        self.stopped = buffers.aligned && next.kind().stops();
        Some(next.kind())
    }

    /// Whether anything but records is in it.
    pub fn has_events(&self) -> bool {
        self.events > 0
    }

    /// Whether anything but records is in the output queue.
    pub fn events_in_output(&self) -> bool {
        self.events > self.arrived_events
    }

    /// Whether the sender has stopped behind a barrier.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// The receiver has dealt with the barrier behind which the sender has stopped, and resumes the
    /// channel. Nothing happens while that barrier is still in the input queue.
    pub fn resume(&mut self) {
        let last = (self.arrived as usize).checked_sub(1);
        let last = last.and_then(|last| self.elements.get(last));
        let waits = last.is_some_and(|last| {
            let kind = last.kind();
            kind.stops() || matches!(kind, ElementKind::PrioritisedBarrier(_))
        });
        self.stopped &= waits;
    }

    /// Loses everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// What is in it, input queue and output queue, the next to come first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = ElementKind> + ExactSizeIterator + '_ {
        self.elements.iter().map(|element| element.kind())
    }

    /// What is in the input queue, the next to come first.
    pub fn input(&self) -> impl ExactSizeIterator<Item = ElementKind> + '_ {
        self.iter().take(self.arrived as usize)
    }

    /// What is in the output queue, the next to come first.
    pub fn output(&self) -> impl ExactSizeIterator<Item = ElementKind> + '_ {
        self.iter().skip(self.arrived as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFERS: Buffers = Buffers {
        input: 1,
        output: 2,
        aligned: true,
    };
    const THREE: CheckpointId = CheckpointId(3);

    fn record(number: u32) -> ElementKind {
        ElementKind::Record(RecordId(number))
    }

    fn filled() -> Channel {
        let mut channel = Channel::default();
        for number in 0..3 {
            assert!(channel.has_room(BUFFERS), "record {number}");
            channel.put(Element::record(RecordId(number)));
            while channel.advance(BUFFERS).is_some() {}
        }
        channel
    }

    #[test]
    fn what_has_no_credit_waits_at_the_sender_and_stops_it() {
        let mut channel = filled();
        assert!(!channel.has_room(BUFFERS));
        assert_eq!(channel.input().len(), 1);
        assert_eq!(channel.take(), Some(record(0)));
        assert_eq!(channel.take(), None, "nothing else has arrived");
        assert_eq!(channel.advance(BUFFERS), Some(record(1)));
        assert!(channel.has_room(BUFFERS));
    }

    #[test]
    fn a_barrier_needs_no_credit_and_stops_its_sender() {
        let mut channel = Channel::default();
        channel.put(Element::record(RecordId(0)));
        channel.put(Element::barrier(THREE));
        channel.put(Element::record(RecordId(1)));
        let barrier = ElementKind::Barrier(THREE);
        assert_eq!(channel.advance(BUFFERS), Some(record(0)));
        assert_eq!(channel.advance(BUFFERS), Some(barrier));
        assert_eq!(channel.take(), Some(record(0)));
        assert_eq!(channel.advance(BUFFERS), None, "there is credit again");
        channel.resume();
        assert!(channel.is_stopped(), "the barrier is still there");
        assert_eq!(channel.take(), Some(barrier));
        channel.resume();
        assert_eq!(channel.advance(BUFFERS), Some(record(1)));
    }

    #[test]
    fn a_barrier_that_is_not_aligned_stops_nobody() {
        let mut channel = Channel::default();
        channel.put(Element::barrier(THREE));
        channel.put(Element::record(RecordId(1)));
        let tracked = Buffers {
            aligned: false,
            ..BUFFERS
        };
        channel.advance(tracked);
        assert_eq!(channel.advance(tracked), Some(record(1)));
    }

    #[test]
    fn an_unaligned_barrier_passes_both_queues() {
        let mut channel = filled();
        assert_eq!(channel.put_first(Element::unaligned_barrier(THREE)), 0);
        let barrier = ElementKind::UnalignedBarrier(THREE);
        assert_eq!(channel.output().len(), 3);
        let four = CheckpointId(4);
        assert_eq!(channel.put_first(Element::unaligned_barrier(four)), 1);
        assert_eq!(channel.advance(BUFFERS), Some(barrier));
        assert_eq!(channel.overtaker(), Some((1, barrier)));
        assert_eq!(channel.take_at(1), Some(barrier));
        let next = ElementKind::UnalignedBarrier(four);
        assert_eq!(channel.advance(BUFFERS), Some(next));
        assert_eq!(channel.take_at(1), Some(next));
        assert_eq!(channel.overtaker(), None);
        assert_eq!(channel.records(), 3);
    }

    #[test]
    fn a_barrier_that_waits_too_long_is_let_past() {
        let mut channel = filled();
        channel.put(Element::barrier(THREE));
        assert_eq!(channel.withdraw(THREE), Some(2), "it waits at the sender");
        assert_eq!(channel.withdraw(THREE), None);
        let mut channel = Channel::default();
        channel.put(Element::record(RecordId(0)));
        channel.put(Element::barrier(THREE));
        while channel.advance(BUFFERS).is_some() {}
        channel.prioritise(THREE);
        let barrier = ElementKind::PrioritisedBarrier(THREE);
        assert_eq!(channel.overtaker(), Some((1, barrier)));
        assert_eq!(channel.place_of_barrier(THREE), Some(1));
    }
}
