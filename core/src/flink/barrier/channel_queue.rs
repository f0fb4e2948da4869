//! One channel at the receiver: what has arrived and was not taken yet.
//!
//! A barrier that overtakes goes to the priority section; one that may do so later waits among the
//! data, and an announcement of it goes ahead.
//! Source: Flink's `RemoteInputChannel`, `LocalInputChannel`, `PrioritizedDeque`.

use smallvec::SmallVec;

use super::in_flight::InFlight;
use super::{AlignmentType, Content, Element, NewerBarrier};
use crate::id::CheckpointId;

/// From where a channel comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelKind {
    /// From a task in the same process. It is a plain queue: in Flink what waits is still in the
    /// sender's output queue, and is overtaken and stored there.
    Local,
    /// From another process, through the network.
    Remote,
}

/// The queue of one channel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChannelQueue<E: Element> {
    kind: ChannelKind,
    /// What is taken before all else, in order.
    priority: SmallVec<[E; 1]>,
    normal: SmallVec<[E; 4]>,
    in_flight: InFlight,
}

/// What the arrival of an element means to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The channel was empty.
    pub first: bool,
    /// Nothing else is in the priority section.
    pub first_priority: bool,
    /// The element is data that belongs to the checkpoint that has started.
    pub to_store: bool,
}

impl<E: Element> ChannelQueue<E> {
    /// An empty queue.
    pub fn new(kind: ChannelKind) -> Self {
        Self {
            kind,
            priority: SmallVec::new(),
            normal: SmallVec::new(),
            in_flight: InFlight::default(),
        }
    }

    /// From where the channel comes.
    pub fn kind(&self) -> ChannelKind {
        self.kind
    }

    /// An element arrives.
    pub fn arrive(&mut self, element: E) -> Arrival {
        let first = self.is_empty();
        let (mut first_priority, mut to_store) = (false, false);
        match element.content() {
            Content::Barrier(barrier) if self.kind == ChannelKind::Remote => {
                self.in_flight
                    .barrier(barrier.checkpoint, self.normal.len());
                match barrier.options.alignment() {
                    AlignmentType::Unaligned => first_priority = self.push_priority(element),
                    AlignmentType::Timeoutable(_) => {
                        self.normal.push(element);
                        first_priority = self.push_priority(E::announcement(barrier));
                    }
                    AlignmentType::Aligned => self.normal.push(element),
                }
            }
            content => {
                to_store =
                    matches!(content, Content::Data { .. }) && self.in_flight.stores_arrivals();
                self.normal.push(element);
            }
        }
        Arrival {
            first,
            first_priority,
            to_store,
        }
    }

    /// Takes the element that comes next.
    pub fn take(&mut self) -> Option<E> {
        if !self.priority.is_empty() {
            return Some(self.priority.remove(0));
        }
        if self.normal.is_empty() {
            return None;
        }
        self.in_flight.taken();
        Some(self.normal.remove(0))
    }

    /// Moves the barrier of `checkpoint`, if it is among the data, to the end of the priority section.
    /// Returns whether it is alone there.
    pub fn prioritise(&mut self, checkpoint: CheckpointId) -> bool {
        let place = self.normal.iter().position(|element| {
            matches!(element.content(), Content::Barrier(barrier) if barrier.checkpoint == checkpoint)
        });
        match place {
            Some(place) if self.kind == ChannelKind::Remote => {
                self.in_flight.taken_out(place);
                let barrier = self.normal.remove(place);
                self.push_priority(barrier)
            }
            _ => false,
        }
    }

    /// Whether [`start_in_flight`](Self::start_in_flight) is possible.
    ///
    /// # Errors
    /// [`NewerBarrier`] if it is too late.
    pub fn may_start(&self, checkpoint: CheckpointId) -> Result<(), NewerBarrier> {
        self.in_flight.may_start(checkpoint)
    }

    /// An unaligned checkpoint starts. Returns the data in the queue that belongs to it.
    pub fn start_in_flight(&mut self, checkpoint: CheckpointId) -> impl Iterator<Item = &E> {
        let covered = match self.kind {
            ChannelKind::Local => 0,
            ChannelKind::Remote => self.in_flight.start(checkpoint),
        };
        self.normal
            .iter()
            .take(covered)
            .filter(|element| matches!(element.content(), Content::Data { .. }))
    }

    /// The checkpoint is complete or aborted.
    pub fn stop_in_flight(&mut self, checkpoint: CheckpointId) {
        if self.kind == ChannelKind::Remote {
            self.in_flight.stop(checkpoint);
        }
    }

    /// Whether the element that comes next is in the priority section.
    pub fn has_priority(&self) -> bool {
        !self.priority.is_empty()
    }

    /// Whether there is nothing to take.
    pub fn is_empty(&self) -> bool {
        self.priority.is_empty() && self.normal.is_empty()
    }

    /// What is in it, the next to come first.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.priority.iter().chain(&self.normal)
    }

    fn push_priority(&mut self, element: E) -> bool {
        self.priority.push(element);
        self.priority.len() == 1
    }
}
