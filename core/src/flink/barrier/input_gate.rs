//! In which order a task gets what has arrived on its channels.
//!
//! The channels that have something stand in line, those with a priority element before the others.
//! The gate does not withhold anything from a blocked channel: its sender has stopped behind the
//! barrier, and nothing arrives.
//! Source: Flink's `SingleInputGate`.

use smallvec::SmallVec;

use super::channel_queue::{ChannelKind, ChannelQueue};
use super::{Content, Element, NewerBarrier};
use crate::collections::Bits;
use crate::id::CheckpointId;

/// The queues of a gate, and the line of those that have something.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputGate<E: Element> {
    channels: SmallVec<[ChannelQueue<E>; 2]>,
    /// The channels with a priority element, in the order in which they get their turn.
    priority: SmallVec<[u16; 4]>,
    /// The channels without one, in that order.
    normal: SmallVec<[u16; 4]>,
    /// The channels whose end was taken.
    ended: Bits,
}

impl<E: Element> InputGate<E> {
    /// An empty gate with channels of these kinds, 65,535 at most.
    pub fn new(kinds: impl IntoIterator<Item = ChannelKind>) -> Self {
        Self {
            channels: kinds
                .into_iter()
                .take(usize::from(u16::MAX))
                .map(ChannelQueue::new)
                .collect(),
            priority: SmallVec::new(),
            normal: SmallVec::new(),
            ended: Bits::default(),
        }
    }

    /// An element arrives. Returns whether it is in-flight data that is to be stored.
    pub fn arrive(&mut self, channel: usize, element: E) -> bool {
        let Some(queue) = self.channels.get_mut(channel) else {
            return false;
        };
        let arrival = queue.arrive(element);
        if arrival.first_priority {
            self.enlist(channel, true);
        }
        if arrival.first {
            self.enlist(channel, false);
        }
        arrival.to_store
    }

    /// Takes the element that comes next, with its channel.
    pub fn pull(&mut self) -> Option<(usize, E)> {
        loop {
            let channel = usize::from(self.next_in_line()?);
            let Some(queue) = self.channels.get_mut(channel) else {
                continue;
            };
            // The gate learns that a local channel is empty only by trying to take from it.
            let stays = queue.kind() == ChannelKind::Local;
            let Some(element) = queue.take() else {
                continue;
            };
            let (more, priority) = (!queue.is_empty(), queue.has_priority());
            if element.content() == Content::EndOfPartition {
                self.ended.insert(channel);
            } else if more || stays {
                self.enlist(channel, priority);
            }
            return Some((channel, element));
        }
    }

    /// Lets the barrier of `checkpoint` overtake what is before it in its channel.
    pub fn prioritise(&mut self, channel: usize, checkpoint: CheckpointId) {
        let Some(queue) = self.channels.get_mut(channel) else {
            return;
        };
        if queue.prioritise(checkpoint) {
            self.enlist(channel, true);
        }
    }

    /// An unaligned checkpoint starts: `store` is handed the data in the queues that belongs to it,
    /// channel by channel.
    ///
    /// # Errors
    /// [`NewerBarrier`] if a channel has already received the barrier of a newer checkpoint. Nothing
    /// was started then. (Flink leaves the channels before that one started.)
    pub fn start_in_flight(
        &mut self,
        checkpoint: CheckpointId,
        mut store: impl FnMut(usize, &E),
    ) -> Result<(), NewerBarrier> {
        self.channels
            .iter()
            .try_for_each(|queue| queue.may_start(checkpoint))?;
        for (channel, queue) in self.channels.iter_mut().enumerate() {
            for element in queue.start_in_flight(checkpoint) {
                store(channel, element);
            }
        }
        Ok(())
    }

    /// The checkpoint is complete or aborted: what arrives from now on does not belong to it.
    pub fn stop_in_flight(&mut self, checkpoint: CheckpointId) {
        for queue in &mut self.channels {
            queue.stop_in_flight(checkpoint);
        }
    }

    /// Whether every channel has ended.
    pub fn is_finished(&self) -> bool {
        self.ended.len() == self.channels.len()
    }

    /// The queue of a channel.
    pub fn channel(&self, channel: usize) -> Option<&ChannelQueue<E>> {
        self.channels.get(channel)
    }

    /// Puts a channel at the end of a section of the line. A channel stands in line once; it can move
    /// up, but not down.
    fn enlist(&mut self, channel: usize, priority: bool) {
        let Ok(number) = u16::try_from(channel) else {
            return;
        };
        if self.ended.contains(channel) || self.priority.contains(&number) {
            return;
        }
        let place = self.normal.iter().position(|&other| other == number);
        match (place, priority) {
            (None, false) => self.normal.push(number),
            (Some(_), false) => {}
            (place, true) => {
                if let Some(place) = place {
                    self.normal.remove(place);
                }
                self.priority.push(number);
            }
        }
    }

    fn next_in_line(&mut self) -> Option<u16> {
        let section = if self.priority.is_empty() {
            &mut self.normal
        } else {
            &mut self.priority
        };
        (!section.is_empty()).then(|| section.remove(0))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::flink::barrier::{Barrier, Options};
    use crate::time::{Micros, Millis};

    /// Everything is told apart by what it is; data by its size.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Item(Content);

    impl Element for Item {
        fn content(&self) -> Content {
            self.0
        }

        fn announcement(of: Barrier) -> Self {
            Self(Content::Announcement(of))
        }
    }

    fn timeoutable() -> Barrier {
        Barrier {
            checkpoint: CheckpointId(1),
            options: Options::timeoutable(Millis(10)),
            created: Micros::ZERO,
        }
    }

    fn barrier() -> Item {
        Item(Content::Barrier(timeoutable()))
    }

    fn announcement() -> Item {
        Item::announcement(timeoutable())
    }

    fn data(bytes: u32) -> Item {
        Item(Content::Data { bytes })
    }

    fn channels(gate: &mut InputGate<Item>) -> Vec<usize> {
        core::iter::from_fn(|| gate.pull())
            .map(|(channel, _)| channel)
            .collect()
    }

    #[test]
    fn channels_take_turns() {
        let mut gate = InputGate::new([ChannelKind::Remote; 3]);
        for (channel, bytes) in [(2, 1), (2, 2), (0, 3), (0, 4), (1, 5)] {
            gate.arrive(channel, data(bytes));
        }
        assert_eq!(channels(&mut gate), [2, 0, 1, 2, 0]);
    }

    #[test]
    fn an_announcement_goes_ahead_and_the_barrier_follows_when_asked() {
        let mut gate = InputGate::new([ChannelKind::Remote; 2]);
        gate.arrive(0, data(1));
        for channel in [0, 1] {
            gate.arrive(channel, data(2));
            gate.arrive(channel, barrier());
        }
        assert_eq!(gate.pull(), Some((0, announcement())));
        gate.prioritise(0, CheckpointId(1));
        assert_eq!(gate.pull(), Some((1, announcement())));
        assert_eq!(gate.pull(), Some((0, barrier())));
        assert_eq!(channels(&mut gate), [1, 0, 1, 0]);
    }

    #[test]
    fn a_barrier_queues_behind_the_announcement_in_its_channel() {
        let mut gate = InputGate::new([ChannelKind::Remote]);
        gate.arrive(0, barrier());
        gate.prioritise(0, CheckpointId(1));
        assert_eq!(gate.pull(), Some((0, announcement())));
        assert_eq!(gate.pull(), Some((0, barrier())));
    }

    #[test]
    fn a_local_channel_keeps_its_place_until_it_is_found_empty() {
        for (kind, turns) in [(ChannelKind::Local, [0, 1]), (ChannelKind::Remote, [1, 0])] {
            let mut gate = InputGate::new([kind; 2]);
            gate.arrive(0, data(1));
            assert_eq!(gate.pull(), Some((0, data(1))));
            gate.arrive(1, data(2));
            gate.arrive(0, data(3));
            assert_eq!(channels(&mut gate), turns);
        }
    }

    #[test]
    fn nothing_comes_after_the_end() {
        let mut gate = InputGate::new([ChannelKind::Remote]);
        gate.arrive(0, Item(Content::EndOfPartition));
        gate.arrive(0, data(1));
        assert!(!gate.is_finished());
        assert_eq!(channels(&mut gate), [0]);
        assert!(gate.is_finished());
        gate.arrive(7, data(1));
        assert_eq!(gate.pull(), None);
    }
}
