//! What happens in two-phase commit.

use serde::Serialize;

use crate::commit::log::Record;
use crate::commit::message::Message;
use crate::commit::properties::Property;
use crate::commit::{Decision, Vote};
use crate::id::NodeId;

/// One fact about what an action did to a coordinator or a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum VotesEvent {
    /// The application asked the coordinator to commit the transaction.
    Begun {
        /// The coordinator.
        coordinator: NodeId,
    },
    /// A process sent a message.
    Sent {
        /// Who.
        from: NodeId,
        /// To whom.
        to: NodeId,
        /// What.
        message: Message,
    },
    /// A message came, and was taken note of.
    Received {
        /// To whom it came.
        node: NodeId,
        /// From whom.
        from: NodeId,
        /// What.
        message: Message,
    },
    /// A message came that makes no difference: it is late, or had come before.
    Ignored {
        /// To whom it came.
        node: NodeId,
        /// From whom.
        from: NodeId,
        /// What.
        message: Message,
    },
    /// A process was asked for the decision, and does not know it either.
    Unanswered {
        /// Who was asked.
        node: NodeId,
        /// By whom.
        from: NodeId,
    },
    /// A message came to a process that is down: nobody will ever read it.
    Missed {
        /// To whom it came.
        node: NodeId,
        /// From whom.
        from: NodeId,
        /// What.
        message: Message,
    },
    /// A process wrote a log record.
    Written {
        /// Who.
        node: NodeId,
        /// What.
        record: Record,
        /// Whether it waits until the record is on disk.
        forced: bool,
    },
    /// Log records came to disk.
    Forced {
        /// Whose.
        node: NodeId,
        /// How many.
        records: u32,
        /// Whether their writer has waited for that.
        awaited: bool,
    },
    /// A participant has cast its vote. With [`Vote::Commit`] it is in doubt from now on.
    Voted {
        /// Who.
        node: NodeId,
        /// How.
        vote: Vote,
    },
    /// A process has reached the decision.
    Decided {
        /// Who.
        node: NodeId,
        /// What.
        decision: Decision,
    },
    /// Nobody needs the coordinator any more: it may forget the transaction.
    Ended {
        /// The coordinator.
        coordinator: NodeId,
    },
    /// A process has waited long enough for a message.
    TimedOut {
        /// Who.
        node: NodeId,
        /// For what.
        awaited: Awaited,
    },
    /// A participant in doubt is blocked: nobody that runs can tell it the decision.
    Blocked {
        /// Who.
        node: NodeId,
    },
    /// A participant is no longer blocked: it will hear the decision, or has heard it.
    Released {
        /// Who.
        node: NodeId,
        /// Who released it: the coordinator by being back, or a participant that knows.
        by: NodeId,
    },
    /// A process died.
    Crashed {
        /// Who.
        node: NodeId,
        /// How many log records were not on disk, and are lost.
        lost: u32,
        /// Whether it stays down until somebody recovers it.
        stays: bool,
    },
    /// A process is back, and has read its log.
    Recovered {
        /// Who.
        node: NodeId,
        /// The last record in it.
        last: Option<Record>,
    },
    /// A message was lost on its way.
    MessageLost {
        /// From whom.
        from: NodeId,
        /// To whom.
        to: NodeId,
        /// What.
        message: Message,
    },
    /// A message will be late.
    MessageDelayed {
        /// From whom.
        from: NodeId,
        /// To whom.
        to: NodeId,
        /// What.
        message: Message,
    },
    /// A message was duplicated on its way.
    MessageDuplicated {
        /// From whom.
        from: NodeId,
        /// To whom.
        to: NodeId,
        /// What.
        message: Message,
    },
    /// A property of atomic commitment is broken from now on.
    PropertyBroken {
        /// Which.
        property: Property,
        /// Who breaks it.
        node: NodeId,
    },
}

/// What a process waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Awaited {
    /// A participant: VOTE_REQUEST.
    VoteRequest,
    /// The coordinator: votes.
    Votes,
    /// A participant: the decision.
    Decision,
    /// The coordinator: acknowledgements.
    Acknowledgements,
}
