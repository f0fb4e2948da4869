//! What a coordinator and its participants are and hold, and what may happen between them.

use alloc::vec::Vec;

use serde::Serialize;

use crate::commit::coordinator::CoordinatorState;
use crate::commit::log::Record;
use crate::commit::message::Message;
use crate::commit::participant::ParticipantState;
use crate::commit::properties::{Breach, Property};
use crate::commit::{Decision, Vote};
use crate::id::{LinkId, NodeId};
use crate::time::Micros;

/// The coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommitterView {
    /// Where it is.
    pub state: CoordinatorState,
    /// Its log.
    pub log: Vec<RecordView>,
    /// Whether it waits until its log is on disk.
    pub forcing: bool,
    /// What it has to send, and to whom.
    pub outbox: Vec<(NodeId, Message)>,
    /// By participant: what it knows of the vote.
    pub votes: Vec<(NodeId, Option<Vote>)>,
    /// Who has still to acknowledge the decision.
    pub unacknowledged: Vec<NodeId>,
    /// What it has decided.
    pub decision: Option<Decision>,
}

/// A participant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ParticipantView {
    /// Where it is.
    pub state: ParticipantState,
    /// How it votes when it is asked.
    pub vote: Vote,
    /// Its log.
    pub log: Vec<RecordView>,
    /// Whether it waits until its log is on disk.
    pub forcing: bool,
    /// What it has to send, and to whom.
    pub outbox: Vec<(NodeId, Message)>,
    /// What it has decided.
    pub decision: Option<Decision>,
    /// If it has voted commit and does not know the decision: since when. Of one that is down, as its log says.
    #[serde(
        rename = "in_doubt_since_us",
        serialize_with = "crate::time::whole_if_any"
    )]
    pub in_doubt_since: Option<Micros>,
    /// If it is blocked: since when.
    #[serde(
        rename = "blocked_since_us",
        serialize_with = "crate::time::whole_if_any"
    )]
    pub blocked_since: Option<Micros>,
    /// If it is blocked: those that are down and whose recovery releases it. Otherwise empty.
    pub blocked_by: Vec<NodeId>,
}

/// A log record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RecordView {
    /// What.
    pub record: Record,
    /// Whether it is on disk.
    pub forced: bool,
}

/// A property of atomic commitment at one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PropertyView {
    /// Which.
    pub property: Property,
    /// Whether it holds so far.
    pub status: PropertyStatus,
    /// Who it is about: who has still to decide, or who breaks it.
    pub nodes: Vec<NodeId>,
}

/// Whether a property holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum PropertyStatus {
    /// It does, so far.
    Holds,
    /// It is about decisions that have not been reached yet.
    NotYet,
    /// It does not, and never will again.
    Broken(Breach),
}

/// An action of the model *votes*, described for whoever chooses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VotesChoice {
    /// The application asks the coordinator to commit.
    Begin {
        /// The coordinator.
        coordinator: NodeId,
    },
    /// A process forces its log: it waits for that.
    Force {
        /// Who.
        node: NodeId,
        /// The last record that comes to disk.
        record: Record,
    },
    /// Log records that nobody waits for come to disk.
    Flush {
        /// Whose.
        node: NodeId,
        /// The last record that comes to disk.
        record: Record,
    },
    /// A process sends a message.
    Send {
        /// Who.
        from: NodeId,
        /// To whom.
        to: NodeId,
        /// What.
        message: Message,
    },
    /// A message is taken from a link.
    Deliver {
        /// Who takes it.
        node: NodeId,
        /// Who has sent it.
        from: NodeId,
        /// What.
        message: Message,
        /// The link.
        link: LinkId,
        /// How many others it overtakes there.
        place: u32,
    },
    /// A process has waited long enough.
    TimeOut {
        /// Who.
        node: NodeId,
        /// For what.
        awaited: crate::event::Awaited,
    },
    /// A process that is down comes back.
    Recover {
        /// Who.
        node: NodeId,
    },
    /// Fault: a process dies, and comes back by itself.
    Crash {
        /// Who.
        node: NodeId,
    },
    /// Fault: a process dies, and stays down.
    Stop {
        /// Who.
        node: NodeId,
    },
    /// Fault: a message is lost.
    Lose {
        /// Who has sent it.
        from: NodeId,
        /// To whom.
        to: NodeId,
        /// What.
        message: Message,
        /// The link.
        link: LinkId,
        /// Which of those on this link it is.
        place: u32,
    },
    /// Fault: a message is duplicated.
    Duplicate {
        /// Who has sent it.
        from: NodeId,
        /// To whom.
        to: NodeId,
        /// What.
        message: Message,
        /// The link.
        link: LinkId,
        /// Which of those on this link it is.
        place: u32,
    },
}

impl VotesChoice {
    /// The node at which it happens.
    pub fn node(&self) -> NodeId {
        match *self {
            Self::Begin { coordinator } => coordinator,
            Self::Send { from, .. } | Self::Lose { from, .. } | Self::Duplicate { from, .. } => {
                from
            }
            Self::Force { node, .. }
            | Self::Flush { node, .. }
            | Self::Deliver { node, .. }
            | Self::TimeOut { node, .. }
            | Self::Recover { node }
            | Self::Crash { node }
            | Self::Stop { node } => node,
        }
    }

    /// Whether it breaks something.
    pub fn is_fault(&self) -> bool {
        matches!(
            self,
            Self::Crash { .. } | Self::Stop { .. } | Self::Lose { .. } | Self::Duplicate { .. }
        )
    }
}
