//! Which lanes are drawn, in which order, and which of them share a strip because there are too many.

use std::collections::BTreeSet;

use barrierscope_core::diagram::{Diagram, LaneKind};
use barrierscope_core::id::LaneId;

/// What is drawn as one line: a lane, or all lanes of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strip {
    /// Its lanes.
    pub lanes: Vec<LaneId>,
    /// The name of what it stands for if several lanes could share it: that of their operator.
    pub family: Option<String>,
}

impl Strip {
    /// Whether several lanes share it.
    pub fn is_folded(&self) -> bool {
        self.lanes.len() > 1
    }
}

/// The strips of a diagram.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strips {
    /// From control to the end of the flow of data.
    pub all: Vec<Strip>,
    /// By lane: its strip. None for a lane on which nothing ever happens.
    of: Vec<Option<usize>>,
}

impl Strips {
    /// The strip of a lane.
    pub fn of(&self, lane: LaneId) -> Option<usize> {
        self.of.get(lane.index()).copied().flatten()
    }

    /// The strips of a diagram, of which so many have room. Operators with the most subtasks are folded first, unless
    /// somebody wants them unfolded.
    pub fn arrange(diagram: &Diagram, room: usize, unfolded: &BTreeSet<String>) -> Self {
        let used = diagram.used();
        let mut lanes: Vec<LaneId> = (0..diagram.lanes.len() as u16)
            .map(LaneId)
            .filter(|lane| used.get(lane.index()).copied().unwrap_or(false))
            .collect();
        lanes.sort_by_key(|lane| rank(diagram.lanes[lane.index()].kind));
        let mut families: Vec<(String, usize)> = Vec::new();
        for lane in &lanes {
            let Some(name) = family(diagram, *lane) else {
                continue;
            };
            match families.iter_mut().find(|(other, _)| *other == name) {
                Some((_, count)) => *count += 1,
                None => families.push((name, 1)),
            }
        }
        let folded = folded(lanes.len(), room, families, unfolded);
        let mut strips = Self {
            all: Vec::new(),
            of: vec![None; diagram.lanes.len()],
        };
        for lane in lanes {
            let family = family(diagram, lane);
            let shared = family.as_ref().filter(|name| folded.contains(*name));
            let known = shared.and_then(|name| {
                let mut all = strips.all.iter();
                all.position(|strip| strip.family.as_ref() == Some(name))
            });
            let place = known.unwrap_or_else(|| {
                strips.all.push(Strip {
                    lanes: Vec::new(),
                    family,
                });
                strips.all.len() - 1
            });
            strips.all[place].lanes.push(lane);
            strips.of[lane.index()] = Some(place);
        }
        strips
    }
}

/// The families to be folded, so that what is left has room.
fn folded(
    mut strips: usize,
    room: usize,
    mut families: Vec<(String, usize)>,
    unfolded: &BTreeSet<String>,
) -> BTreeSet<String> {
    families.retain(|(name, count)| *count > 1 && !unfolded.contains(name));
    families.sort_by_key(|(_, count)| *count);
    let mut folded = BTreeSet::new();
    while strips > room
        && let Some((name, count)) = families.pop()
    {
        strips -= count - 1;
        folded.insert(name);
    }
    folded
}

/// The operator whose subtask a lane is.
fn family(diagram: &Diagram, lane: LaneId) -> Option<String> {
    let lane = &diagram.lanes[lane.index()];
    (lane.kind == LaneKind::Subtask && lane.of > 1).then(|| lane.name.clone())
}

/// Control first, then the flow of data, then what serves it.
const fn rank(kind: LaneKind) -> u8 {
    match kind {
        LaneKind::CheckpointCoordinator | LaneKind::Coordinator => 0,
        LaneKind::TopicWriter => 1,
        LaneKind::Subtask | LaneKind::Client | LaneKind::Participant => 2,
        LaneKind::Broker => 3,
        LaneKind::TransactionCoordinator => 4,
        LaneKind::GroupCoordinator => 5,
    }
}
