//! The older design of a gate, up to Flink 1.9.
//!
//! The sender does not stop behind a barrier. The receiver takes what comes on a blocked channel and
//! keeps it, and works it off, before anything newer, when the channel is released. How much it may
//! keep is limited; an alignment that needs more is given up.
//! Source: Flink's `BarrierBuffer` and `BufferStorage` up to 1.9.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::aligned::Aligned;
use super::{Content, Effect, Element, Host, Inputs, NewerBarrier};
use crate::collections::Bits;
use crate::id::CheckpointId;

/// What has arrived at such a gate and was not taken yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Withholding<E: Element> {
    /// In the order of arrival, over all channels.
    arrived: SmallVec<[(u16, E); 4]>,
    /// How many of them, from the first, were passed over since the last release: they are withheld.
    withheld: usize,
    /// How much data that is.
    withheld_bytes: u64,
    /// How much it may be.
    limit: Option<u64>,
    /// Nothing was left but what was withheld: barriers mean nothing any more.
    ended: bool,
    /// The data that was withheld when the last checkpoint was triggered.
    at_trigger: Vec<E>,
}

impl<E: Element> Withholding<E> {
    /// An empty gate that withholds no more than `limit` bytes, or as much as there is.
    pub fn new(limit: Option<u64>) -> Self {
        Self {
            arrived: SmallVec::new(),
            withheld: 0,
            withheld_bytes: 0,
            limit,
            ended: false,
            at_trigger: Vec::new(),
        }
    }

    /// An element arrives.
    pub fn arrive(&mut self, channel: u16, element: E) {
        self.arrived.push((channel, element));
    }

    /// Takes the next element that is for the task, data or the end of a channel, and lets the handler
    /// work off what comes before it.
    pub fn pull(
        &mut self,
        handler: &mut Aligned,
        inputs: Inputs,
        host: &mut impl Host,
    ) -> Option<(usize, E)> {
        while !self.arrived.is_empty() {
            let Some((channel, element)) = self.arrived.get(self.withheld) else {
                self.end(handler, inputs, host);
                continue;
            };
            let (channel, content) = (usize::from(*channel), element.content());
            if handler.is_blocked(channel) {
                self.withhold(content, handler, inputs, host);
                continue;
            }
            let (_, element) = self.arrived.remove(self.withheld);
            let mut listener = Listener::new(handler, inputs, host);
            match content {
                Content::Barrier(barrier) if !self.ended => {
                    handler.barrier(channel, barrier, inputs, &mut listener);
                }
                Content::Cancel(checkpoint) => {
                    handler.cancel(checkpoint, inputs, &mut listener);
                }
                Content::EndOfPartition => {
                    handler.end_of_partition(channel, inputs, &mut listener);
                }
                Content::Barrier(_) | Content::Announcement(_) | Content::Data { .. } => {}
            }
            let heard = listener.heard;
            self.learn(heard);
            if matches!(content, Content::Data { .. } | Content::EndOfPartition) {
                return Some((channel, element));
            }
        }
        None
    }

    /// Whether everything was taken.
    pub fn is_empty(&self) -> bool {
        self.arrived.is_empty()
    }

    /// The data that was withheld when the last checkpoint was triggered.
    pub fn withheld_at_trigger(&self) -> &[E] {
        &self.at_trigger
    }

    /// Passes an element of a blocked channel over.
    fn withhold(
        &mut self,
        content: Content,
        handler: &mut Aligned,
        inputs: Inputs,
        host: &mut impl Host,
    ) {
        self.withheld += 1;
        if let Content::Data { bytes } = content {
            self.withheld_bytes = self.withheld_bytes.saturating_add(bytes.into());
        }
        if self.limit.is_some_and(|limit| self.withheld_bytes > limit) {
            let mut listener = Listener::new(handler, inputs, host);
            handler.exceed_limit(inputs, &mut listener);
            let heard = listener.heard;
            self.learn(heard);
        }
    }

    /// Everything that is left is withheld: no barrier can come any more that would release it.
    fn end(&mut self, handler: &mut Aligned, inputs: Inputs, host: &mut impl Host) {
        self.ended = true;
        let mut listener = Listener::new(handler, inputs, host);
        handler.release(inputs, &mut listener);
        let heard = listener.heard;
        self.learn(heard);
        self.begin_anew();
    }

    fn learn(&mut self, heard: Heard) {
        if heard.triggered {
            let withheld = self.arrived.iter().take(self.withheld);
            self.at_trigger = withheld
                .filter(|(_, element)| matches!(element.content(), Content::Data { .. }))
                .map(|(_, element)| element.clone())
                .collect();
        }
        if heard.released {
            self.begin_anew();
        }
    }

    /// What was withheld comes before what has arrived later.
    fn begin_anew(&mut self) {
        self.withheld = 0;
        self.withheld_bytes = 0;
    }
}

/// Stands between a handler and its host, and hears what concerns what is withheld.
struct Listener<'a, H> {
    host: &'a mut H,
    /// The channels that were blocked before.
    blocked: Bits,
    heard: Heard,
}

#[derive(Clone, Copy, Default)]
struct Heard {
    triggered: bool,
    released: bool,
}

impl<'a, H: Host> Listener<'a, H> {
    fn new(handler: &Aligned, inputs: Inputs, host: &'a mut H) -> Self {
        let mut blocked = Bits::default();
        for channel in handler.blocked(inputs) {
            blocked.insert(channel);
        }
        Self {
            host,
            blocked,
            heard: Heard::default(),
        }
    }
}

impl<H: Host> Host for Listener<'_, H> {
    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Trigger { .. } => self.heard.triggered = true,
            Effect::Resume(channel) if self.blocked.contains(channel) => self.heard.released = true,
            _ => {}
        }
        self.host.perform(effect);
    }

    fn start_in_flight(&mut self, checkpoint: CheckpointId) -> Result<(), NewerBarrier> {
        self.host.start_in_flight(checkpoint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flink::barrier::{Barrier, Options, Snapshot};
    use crate::time::Micros;

    /// Data are told apart by their size.
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

    const INPUTS: Inputs = Inputs {
        channels: 2,
        checkpoints_after_finish: false,
    };

    fn barrier(checkpoint: u32) -> Item {
        Item(Content::Barrier(Barrier {
            checkpoint: CheckpointId(checkpoint),
            options: Options::aligned(Snapshot::Checkpoint),
            created: Micros::ZERO,
        }))
    }

    fn data(bytes: u32) -> Item {
        Item(Content::Data { bytes })
    }

    fn run(limit: Option<u64>, arrivals: &[(u16, Item)]) -> (Vec<u32>, Vec<Effect>, usize) {
        let mut gate = Withholding::new(limit);
        for &(channel, item) in arrivals {
            gate.arrive(channel, item);
        }
        let (mut handler, mut effects, mut taken) = (Aligned::default(), Vec::new(), Vec::new());
        while let Some((_, item)) = gate.pull(&mut handler, INPUTS, &mut effects) {
            if let Item(Content::Data { bytes }) = item {
                taken.push(bytes);
            }
        }
        (taken, effects, gate.withheld_at_trigger().len())
    }

    #[test]
    fn what_was_withheld_comes_before_what_is_newer() {
        let (taken, effects, withheld) = run(
            None,
            &[
                (0, barrier(1)),
                (0, data(1)),
                (1, data(2)),
                (0, data(3)),
                (1, barrier(1)),
                (1, data(4)),
            ],
        );
        assert_eq!(taken, [2, 1, 3, 4]);
        assert_eq!(withheld, 2);
        assert_eq!(
            effects.iter().filter(|effect| is_trigger(effect)).count(),
            1
        );
    }

    #[test]
    fn when_nothing_else_is_left_all_is_released() {
        let (taken, effects, _) = run(
            None,
            &[
                (0, barrier(1)),
                (0, data(1)),
                (0, barrier(2)),
                (0, data(2)),
                (1, data(3)),
            ],
        );
        assert_eq!(taken, [3, 1, 2]);
        assert!(!effects.iter().any(is_trigger));
        let blocks = |effect: &&Effect| matches!(effect, Effect::Block(_));
        assert_eq!(
            effects.iter().filter(blocks).count(),
            1,
            "barrier 2 is idle"
        );
    }

    #[test]
    fn too_much_withheld_data_aborts() {
        let arrivals = [(0, barrier(1)), (0, data(60)), (0, data(40)), (1, data(7))];
        let aborts = |limit| {
            let (_, effects, _) = run(Some(limit), &arrivals);
            effects
                .iter()
                .any(|effect| matches!(effect, Effect::Abort { .. }))
        };
        assert!(aborts(99));
        assert!(!aborts(100));
    }

    fn is_trigger(effect: &Effect) -> bool {
        matches!(effect, Effect::Trigger { .. })
    }
}
