//! What is on its way between two subtasks: records and barriers, in order, in finite buffers.

use core::fmt;

use smallvec::SmallVec;

use crate::id::{CheckpointId, RecordId};

/// What travels through a channel, packed into one word: states hold many of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Element(u32);

/// What an [`Element`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementKind {
    /// A record.
    Record(RecordId),
    /// A checkpoint barrier: what is before it belongs to the checkpoint, what is behind it does not.
    Barrier(CheckpointId),
    /// A barrier that may overtake what is before it.
    UnalignedBarrier(CheckpointId),
    /// A barrier that was to wait, and that its receiver lets overtake since it took too long.
    PrioritisedBarrier(CheckpointId),
}

/// The bit that tells a barrier from a record.
const BARRIER: u32 = 1 << 31;
/// The bit of a barrier that may overtake.
const UNALIGNED: u32 = 1 << 30;
/// The bit of a barrier that its receiver lets overtake.
const PRIORITISED: u32 = 1 << 29;

impl Element {
    /// A record. Numbers from 2³¹ on do not fit and wrap; scenarios are limited far below that.
    pub const fn record(record: RecordId) -> Self {
        Self(record.0 & !BARRIER)
    }

    /// A barrier.
    pub const fn barrier(checkpoint: CheckpointId) -> Self {
        Self(checkpoint.0 & !(UNALIGNED | PRIORITISED) | BARRIER)
    }

    /// A barrier that may overtake.
    pub const fn unaligned_barrier(checkpoint: CheckpointId) -> Self {
        Self(checkpoint.0 & !PRIORITISED | UNALIGNED | BARRIER)
    }

    /// What it is.
    pub const fn kind(self) -> ElementKind {
        let checkpoint = CheckpointId(self.0 & !(BARRIER | UNALIGNED | PRIORITISED));
        match (self.0 & BARRIER, self.0 & UNALIGNED, self.0 & PRIORITISED) {
            (0, ..) => ElementKind::Record(RecordId(self.0)),
            (_, 0, 0) => ElementKind::Barrier(checkpoint),
            (_, 0, _) => ElementKind::PrioritisedBarrier(checkpoint),
            _ => ElementKind::UnalignedBarrier(checkpoint),
        }
    }
}

impl fmt::Debug for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

/// A channel: a queue with room for a finite number of records.
///
/// A record needs a buffer, so a full channel stops its sender: that is all there is to backpressure.
/// A barrier needs none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Channel {
    elements: SmallVec<[Element; 4]>,
}

impl Channel {
    /// The element that comes next.
    pub fn first(&self) -> Option<ElementKind> {
        self.elements.first().map(|element| element.kind())
    }

    /// Takes the element that comes next.
    pub fn take(&mut self) -> Option<ElementKind> {
        self.take_at(0)
    }

    /// Takes the element at a place, past those before it.
    pub fn take_at(&mut self, place: usize) -> Option<ElementKind> {
        (place < self.elements.len()).then(|| self.elements.remove(place).kind())
    }

    /// The first barrier that may overtake, and where it stands, if it is not the next element anyway.
    pub fn overtaker(&self) -> Option<(usize, ElementKind)> {
        self.iter().enumerate().skip(1).find(|(_, kind)| {
            matches!(
                kind,
                ElementKind::UnalignedBarrier(_) | ElementKind::PrioritisedBarrier(_)
            )
        })
    }

    /// Lets the barrier of a checkpoint overtake what is before it, if it stands here and waits.
    pub fn prioritise(&mut self, checkpoint: CheckpointId) {
        for element in &mut self.elements {
            if element.kind() == ElementKind::Barrier(checkpoint) {
                element.0 |= PRIORITISED;
            }
        }
    }

    /// Where the barrier of a checkpoint stands.
    pub fn place_of_barrier(&self, checkpoint: CheckpointId) -> Option<usize> {
        self.iter().position(|kind| {
            matches!(
                kind,
                ElementKind::Barrier(other)
                    | ElementKind::UnalignedBarrier(other)
                    | ElementKind::PrioritisedBarrier(other)
                    if other == checkpoint
            )
        })
    }

    /// Whether one more record fits.
    pub fn has_room(&self, capacity: u32) -> bool {
        self.records() < capacity as usize
    }

    /// How many records it holds.
    pub fn records(&self) -> usize {
        self.elements
            .iter()
            .filter(|element| matches!(element.kind(), ElementKind::Record(_)))
            .count()
    }

    /// Puts an element at the end.
    pub fn put(&mut self, element: Element) {
        self.elements.push(element);
    }

    /// Loses everything.
    pub fn clear(&mut self) {
        self.elements.clear();
    }

    /// What is in it, the next to come first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = ElementKind> + ExactSizeIterator + '_ {
        self.elements.iter().map(|element| element.kind())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unaligned_barrier_is_taken_past_what_is_before_it() {
        let mut channel = Channel::default();
        channel.put(Element::record(RecordId(7)));
        channel.put(Element::unaligned_barrier(CheckpointId(3)));
        let barrier = ElementKind::UnalignedBarrier(CheckpointId(3));
        assert_eq!(channel.overtaker(), Some((1, barrier)));
        assert_eq!(
            channel.take_at(1),
            Some(ElementKind::UnalignedBarrier(CheckpointId(3)))
        );
        assert_eq!(channel.overtaker(), None);
        channel.put(Element::barrier(CheckpointId(4)));
        channel.prioritise(CheckpointId(4));
        let barrier = ElementKind::PrioritisedBarrier(CheckpointId(4));
        assert_eq!(channel.overtaker(), Some((1, barrier)));
        assert_eq!(channel.take(), Some(ElementKind::Record(RecordId(7))));
    }

    #[test]
    fn a_full_channel_takes_barriers_but_no_records() {
        let mut channel = Channel::default();
        channel.put(Element::record(RecordId(7)));
        channel.put(Element::barrier(CheckpointId(1)));
        assert!(!channel.has_room(1));
        assert!(channel.has_room(2));
        assert_eq!(channel.take(), Some(ElementKind::Record(RecordId(7))));
        assert!(channel.has_room(1));
        assert_eq!(channel.take(), Some(ElementKind::Barrier(CheckpointId(1))));
        assert_eq!(channel.take(), None);
    }
}
