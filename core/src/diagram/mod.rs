//! A run in space and time: a lane for each process, what it did when, and which message brought what from where.
//!
//! A diagram is made from what the actions of a run report to their [observer](crate::protocol::Observer): events, and
//! messages put on links and taken from them. Nobody draws it here; [`Causality`] says what had to happen before what.
//!
//! # What counts as a cause
//!
//! Lamport's *happened before*: the order of a lane's own steps, and for each message its sending before its receipt.
//! A record counts as sent when its sender has put it into its output queue. Where a model lets one process act on
//! another without a message (a follower's fetch, a marker that the transaction coordinator writes, a restart), the
//! step is on the lanes of both. Where it lets one look at another (a consumer's poll), what was looked at came
//! before. Credit that a receiver gives for the next buffers is no message here, though it is one in Flink: everything
//! downstream would be in the past of everything upstream.

mod causality;
mod reach;

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use smallvec::SmallVec;

pub use causality::{Causality, Steps};
pub use reach::Reach;

use crate::event::Event;
use crate::flink::coordinator::Purpose;
use crate::id::{CheckpointId, LaneId, NodeId};
use crate::mark::MarkKind;
use crate::scene::TokenKind;
use crate::time::Micros;

/// A run in space and time.
#[derive(Clone, Debug, Default)]
pub struct Diagram {
    /// The lanes, by id: in the order in which the model numbers its processes, sources before sinks.
    pub lanes: Vec<Lane>,
    /// Messages, in the order in which they were sent.
    pub messages: Vec<Message>,
    /// What takes time, in the order in which it began.
    pub bars: Vec<Bar>,
    /// What stands out, in its order: the landmarks of the run, each on its lane.
    pub points: Vec<Point>,
    /// The checkpoints, in the order in which they were triggered.
    pub fronts: Vec<Front>,
    /// For steps from 1 on.
    steps: Vec<Moment>,
    events: Vec<Event>,
    /// What a step has seen of others without a message: the earlier step, and the later one.
    looks: Vec<(u32, u32)>,
}

/// A process whose steps come one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// What it is.
    pub kind: LaneKind,
    /// The name of its operator, application or process; empty where the kind says it all.
    pub name: String,
    /// Its number among those of the same name, from 0.
    pub number: u16,
    /// How many of the same name there are.
    pub of: u16,
    /// What stands for it on the stage: the replicas of a broker are several things. The first one is the one to
    /// name it by.
    pub nodes: SmallVec<[NodeId; 2]>,
}

/// What a lane is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    /// A subtask of a job.
    Subtask,
    /// The checkpoint coordinator, and the JobManager that it is a part of.
    CheckpointCoordinator,
    /// Whoever writes the topics that fill while a job reads them.
    TopicWriter,
    /// An application with Kafka's clients.
    Client,
    /// A broker.
    Broker,
    /// Kafka's transaction coordinator.
    TransactionCoordinator,
    /// Kafka's group coordinator.
    GroupCoordinator,
    /// The coordinator of two-phase commit.
    Coordinator,
    /// A participant in two-phase commit.
    Participant,
}

/// A step, and the moment at which it happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// The step: the number of the action that led to it, from 1; 0 for the start of the run.
    pub step: u32,
    /// The virtual time.
    pub time: Micros,
}

/// A message from lane to lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who sent it.
    pub from: LaneId,
    /// For whom it is.
    pub to: LaneId,
    /// What it is.
    pub what: TokenKind,
    /// For a record or a barrier: the checkpoint interval it belongs to.
    pub epoch: CheckpointId,
    /// The step in which it was sent.
    pub sent: u32,
    /// What became of it.
    pub end: End,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It was received in this step.
    Received(u32),
    /// It was lost in this step: by a fault of its own, or because one of its ends died, or nobody waits for it any
    /// more.
    Lost(u32),
    /// It is on its way when the run ends.
    UnderWay,
}

impl End {
    /// The step in which it ends, if it does.
    pub const fn step(self) -> Option<u32> {
        match self {
            Self::Received(step) | Self::Lost(step) => Some(step),
            Self::UnderWay => None,
        }
    }
}

/// Something on a lane that takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bar {
    /// Where.
    pub lane: LaneId,
    /// What.
    pub kind: BarKind,
    /// When it began.
    pub from: At,
    /// When it was over; the end of the run, if it was not.
    pub to: At,
    /// Whether it was still going on at the end of the run.
    pub open: bool,
}

/// What takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BarKind {
    /// The alignment of a checkpoint: from its first barrier to its last.
    Alignment(CheckpointId),
    /// A sink flushes what belongs to a checkpoint, and waits for it.
    Flush(CheckpointId),
    /// The synchronous part of a snapshot: the subtask does nothing else.
    Sync(CheckpointId),
    /// The asynchronous part: the snapshot is on its way to the store.
    Async(CheckpointId),
    /// A process does not run: it has died, or was cancelled with another one, or is being started.
    Down,
    /// A process stands still, and does not know it.
    Paused,
    /// A client's transaction, by its number in the application.
    Transaction(u32),
    /// A participant has voted commit, and does not know the decision.
    InDoubt,
    /// A participant in doubt is blocked: nobody that runs can tell it the decision.
    Blocked,
}

impl BarKind {
    /// The checkpoint it is about.
    pub const fn checkpoint(self) -> Option<CheckpointId> {
        match self {
            Self::Alignment(id) | Self::Flush(id) | Self::Sync(id) | Self::Async(id) => Some(id),
            _ => None,
        }
    }
}

/// Something that stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Where; none for what happens to a message on its way.
    pub lane: Option<LaneId>,
    /// In which step.
    pub step: u32,
    /// What it is.
    pub kind: MarkKind,
    /// The checkpoint it is about; [`CheckpointId::NONE`] where it is about none.
    pub checkpoint: CheckpointId,
}

/// A checkpoint across the lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Front {
    /// Which.
    pub checkpoint: CheckpointId,
    /// What for.
    pub purpose: Purpose,
    /// The step that triggered it.
    pub triggered: u32,
    /// Where each subtask's snapshot was taken: its place on the lane is the cut between what the snapshot contains and
    /// what it does not.
    pub cuts: Vec<(LaneId, u32)>,
    /// The step that ended it, and whether it was completed then.
    pub ended: Option<(u32, bool)>,
}

/// A step as the diagram keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Moment {
    at: Micros,
    /// Those on which it happened, the one that acted first.
    lanes: SmallVec<[LaneId; 2]>,
    events: Range<u32>,
}

impl Diagram {
    /// An empty diagram with these lanes.
    pub(crate) fn new(lanes: Vec<Lane>) -> Self {
        Self {
            lanes,
            ..Self::default()
        }
    }

    /// The last step.
    pub fn last(&self) -> u32 {
        self.steps.len() as u32
    }

    fn moment(&self, step: u32) -> Option<&Moment> {
        self.steps.get(step.checked_sub(1)? as usize)
    }

    /// The virtual time of a step; of the last one where it lies beyond it.
    pub fn time(&self, step: u32) -> Micros {
        let moment = self.moment(step.min(self.last()));
        moment.map_or(Micros::ZERO, |moment| moment.at)
    }

    /// The last step that is not later than a moment.
    pub fn step_at(&self, moment: Micros) -> u32 {
        self.steps.partition_point(|step| step.at <= moment) as u32
    }

    /// The lanes on which a step happened, the one that acted first. None for what befalls a message on its way.
    pub fn lanes_of(&self, step: u32) -> &[LaneId] {
        self.moment(step).map_or(&[], |moment| &moment.lanes)
    }

    /// What happened in a step.
    pub fn events(&self, step: u32) -> &[Event] {
        let range = self.moment(step).map(|moment| &moment.events);
        let range = range.map(|range| range.start as usize..range.end as usize);
        range
            .and_then(|range| self.events.get(range))
            .unwrap_or_default()
    }

    /// The lane that something on the stage stands for.
    pub fn lane_of(&self, node: NodeId) -> Option<LaneId> {
        let mut lanes = self.lanes.iter();
        let place = lanes.position(|lane| lane.nodes.contains(&node))?;
        Some(LaneId(place as u16))
    }

    /// What steps have seen of others without a message: the earlier step, and the later one.
    pub fn looks(&self) -> &[(u32, u32)] {
        &self.looks
    }

    /// By lane: whether anything ever happens on it.
    pub fn used(&self) -> Vec<bool> {
        let mut used = alloc::vec![false; self.lanes.len()];
        let mut note = |lane: LaneId| {
            if let Some(used) = used.get_mut(lane.index()) {
                *used = true;
            }
        };
        self.steps
            .iter()
            .flat_map(|it| &it.lanes)
            .for_each(|it| note(*it));
        for message in &self.messages {
            note(message.from);
            note(message.to);
        }
        used
    }

    /// A step begins.
    pub(crate) fn begin(&mut self, at: Micros, lanes: SmallVec<[LaneId; 2]>) {
        let first = self.events.len() as u32;
        self.steps.push(Moment {
            at,
            lanes,
            events: first..first,
        });
    }

    /// The step happens on this lane, too.
    pub(crate) fn join(&mut self, lane: LaneId) {
        if let Some(moment) = self.steps.last_mut()
            && !moment.lanes.contains(&lane)
        {
            moment.lanes.push(lane);
        }
    }

    /// The step reports an event.
    pub(crate) fn tell(&mut self, event: Event) {
        self.events.push(event);
        if let Some(moment) = self.steps.last_mut() {
            moment.events.end = self.events.len() as u32;
        }
    }

    /// The step has seen what came about by an earlier one.
    pub(crate) fn look(&mut self, earlier: u32) {
        let now = self.last();
        if 0 < earlier && earlier < now {
            self.looks.push((earlier, now));
        }
    }
}
