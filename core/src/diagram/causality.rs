//! What had to happen before what.

use alloc::vec::Vec;

use super::{Diagram, End};

/// The happened-before relation of a run, as the direct causes of each step.
#[derive(Clone, Debug, Default)]
pub struct Causality {
    /// By step: where its causes begin. One more than there are steps.
    starts: Vec<u32>,
    causes: Vec<u32>,
}

/// A set of steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    words: Vec<u64>,
}

impl Steps {
    fn none(last: usize) -> Self {
        Self {
            words: alloc::vec![0; last / 64 + 1],
        }
    }

    fn insert(&mut self, step: u32) {
        if let Some(word) = self.words.get_mut(step as usize / 64) {
            *word |= 1 << (step % 64);
        }
    }

    /// Whether a step is among them.
    pub fn contains(&self, step: u32) -> bool {
        let word = self.words.get(step as usize / 64);
        word.is_some_and(|word| word >> (step % 64) & 1 == 1)
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }
}

impl Causality {
    /// What a diagram says.
    pub fn of(diagram: &Diagram) -> Self {
        let last = diagram.last();
        // By lane: its last step so far.
        let mut latest = alloc::vec![0; diagram.lanes.len()];
        let mut edges: Vec<(u32, u32)> = Vec::new();
        for step in 1..=last {
            for lane in diagram.lanes_of(step) {
                if let Some(before) = latest.get_mut(lane.index()) {
                    edges.push((step, *before));
                    *before = step;
                }
            }
        }
        for message in &diagram.messages {
            match message.end {
                End::Received(step) => edges.push((step, message.sent)),
                // What befalls the message itself, and nobody else, could not have been without it.
                End::Lost(step) if diagram.lanes_of(step).is_empty() => {
                    edges.push((step, message.sent));
                }
                End::Lost(_) | End::UnderWay => {}
            }
        }
        edges.extend(
            diagram
                .looks()
                .iter()
                .map(|(earlier, later)| (*later, *earlier)),
        );
        edges.retain(|(later, earlier)| 0 < *earlier && earlier < later);
        edges.sort_unstable();
        edges.dedup();
        let mut starts = Vec::with_capacity(last as usize + 2);
        let mut at = 0;
        for step in 0..=last {
            starts.push(at as u32);
            while edges.get(at).is_some_and(|(later, _)| *later == step) {
                at += 1;
            }
        }
        starts.push(at as u32);
        Self {
            starts,
            causes: edges.into_iter().map(|(_, earlier)| earlier).collect(),
        }
    }

    fn last(&self) -> u32 {
        (self.starts.len() as u32).saturating_sub(2)
    }

    /// The direct causes of a step: the step before it on each of its lanes, and what sent the messages that it took.
    pub fn causes(&self, step: u32) -> &[u32] {
        let step = step as usize;
        let range = self.starts.get(step).zip(self.starts.get(step + 1));
        let range = range.map(|(start, end)| *start as usize..*end as usize);
        range
            .and_then(|range| self.causes.get(range))
            .unwrap_or_default()
    }

    /// Every step that happened before this one: without it, this one could have been otherwise.
    pub fn past(&self, step: u32) -> Steps {
        let mut past = Steps::none(self.last() as usize);
        for cause in self.causes(step) {
            past.insert(*cause);
        }
        for earlier in (1..step.min(self.last() + 1)).rev() {
            if past.contains(earlier) {
                for cause in self.causes(earlier) {
                    past.insert(*cause);
                }
            }
        }
        past
    }

    /// Every step before which this one happened.
    pub fn future(&self, step: u32) -> Steps {
        let mut future = Steps::none(self.last() as usize);
        for later in step.saturating_add(1)..=self.last() {
            let mut causes = self.causes(later).iter();
            if causes.any(|cause| *cause == step || future.contains(*cause)) {
                future.insert(later);
            }
        }
        future
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use smallvec::{SmallVec, smallvec};

    use super::*;
    use crate::diagram::{Lane, LaneKind, Message};
    use crate::id::{CheckpointId, LaneId, RecordId};
    use crate::scene::TokenKind;
    use crate::time::Micros;

    /// Three lanes; the second one hears of the first one's first step, in its second.
    fn three() -> Diagram {
        let lane = |number| Lane {
            kind: LaneKind::Client,
            name: String::new(),
            number,
            of: 3,
            nodes: SmallVec::new(),
        };
        let mut diagram = Diagram::new((0..3).map(lane).collect());
        for lanes in [
            smallvec![LaneId(0)],
            smallvec![LaneId(1)],
            smallvec![LaneId(2)],
            smallvec![LaneId(0)],
            smallvec![LaneId(1)],
            smallvec![LaneId(1), LaneId(2)],
        ] {
            diagram.begin(Micros::ZERO, lanes);
        }
        diagram.messages.push(Message {
            from: LaneId(0),
            to: LaneId(1),
            what: TokenKind::Record(RecordId(0)),
            epoch: CheckpointId::NONE,
            sent: 1,
            end: End::Received(5),
        });
        diagram
    }

    fn members(steps: &Steps) -> Vec<u32> {
        (0..10).filter(|step| steps.contains(*step)).collect()
    }

    #[test]
    fn a_message_carries_the_past_of_its_sender() {
        let causality = Causality::of(&three());
        assert_eq!(members(&causality.past(5)), [1, 2]);
        assert_eq!(members(&causality.past(4)), [1]);
        assert_eq!(members(&causality.past(6)), [1, 2, 3, 5]);
        assert_eq!(members(&causality.future(1)), [4, 5, 6]);
        assert_eq!(members(&causality.future(3)), [6]);
        assert!(causality.past(1).is_empty());
        assert_eq!(causality.past(6).len(), 4);
    }

    #[test]
    fn a_step_that_does_not_exist_has_neither_past_nor_future() {
        let causality = Causality::of(&three());
        assert!(causality.past(0).is_empty());
        assert!(causality.future(6).is_empty());
        assert!(causality.causes(7).is_empty() && causality.causes(u32::MAX).is_empty());
        assert!(causality.past(70).is_empty() && causality.future(u32::MAX).is_empty());
        assert!(Causality::default().past(3).is_empty());
    }
}
