//! Two-phase commit: a coordinator and its participants, whose messages may be lost, late or duplicated, and which
//! may crash at any moment.
//!
//! | module | its story |
//! | --- | --- |
//! | `build` | from a scenario to a model |
//! | `state` | what changes |
//! | `action`, `rules` | what may happen when: the [`Protocol`](crate::Protocol) |
//! | `steps` | what each action does |
//! | `network` | messages on their way |
//! | `failure` | crash, recovery, and faults at moments of the protocol |
//! | `account` | the properties, who is blocked, and whether the run is over |
//! | `picture` | all of it as a scene |
//!
//! The rules are those of [`commit`](crate::commit); this module composes.
//!
//! # What it takes for granted
//!
//! Messages are single letters, not a connection: any may overtake any other, be lost or come twice. Who is down does
//! not read: what comes to it then is lost, while what is still on its way when it is back arrives, however old it
//! is. (In the model *delivery* a crash closes connections, and takes along what is on them; here nothing is lost
//! that could still do harm.)
//! A message is not sent again while the last one like it is still on the same way; that a sender is too hasty is
//! what a duplicate shows.
//!
//! # What this model leaves out
//!
//! There is one transaction, and what it does to data, its locks and its deadlocks are not shown. Votes are yes or no:
//! there is no read-only vote. Nobody hands its vote on: there are no trees of coordinators, no transfer of
//! coordination, no coordinator that votes. A log is never truncated, and never damaged. Presumed commit and
//! three-phase commit are other protocols.

mod account;
mod action;
mod build;
mod failure;
mod network;
mod picture;
mod rules;
mod state;
mod steps;
#[cfg(test)]
mod tests;
mod withheld;

use alloc::vec::Vec;

use smallvec::SmallVec;

pub use action::Action;
pub use state::{State, UnderWay};

use crate::commit::message::Message;
use crate::commit::options::Options;
use crate::commit::participant::Seat;
use crate::commit::{Process, Vote};
use crate::id::{ActorId, LinkId, NodeId};
use crate::protocol::TimerId;
use crate::scenario;
use crate::scenario::votes::Deed;
use crate::time::Millis;

/// The configuration: what never changes during a run.
#[derive(Debug)]
pub struct Votes {
    scenario: scenario::Votes,
    options: Options,
    votes: SmallVec<[Vote; 9]>,
    messages: Vec<MessageFault>,
    moments: Vec<MomentFault>,
}

/// Messages that are lost, late or duplicated.
#[derive(Clone, Copy, Debug)]
struct MessageFault {
    message: Message,
    to: Process,
    from: Option<Process>,
    first: u16,
    count: u16,
    what: Passage,
}

/// What becomes of a message on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passage {
    Free,
    Lost,
    Late(Millis),
    Twice,
}

/// A fault at a moment of the protocol.
#[derive(Clone, Copy, Debug)]
struct MomentFault {
    by: Process,
    deed: Deed,
    number: u16,
    process: Process,
    what: Strike,
}

/// What happens to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strike {
    Crash,
    Stop,
    Recover,
}

/// A process's timers.
#[derive(Clone, Copy)]
enum Of {
    /// Until a vote, or a request for one, has come.
    Vote,
    /// Until the decision or its acknowledgement has come.
    Decision,
    Flush,
    Restart,
    /// Since when a participant is in doubt.
    Doubt,
    /// Since when it is blocked.
    Blocked,
}

impl Votes {
    /// The options of the protocol.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// How many processes there are.
    fn processes(&self) -> u8 {
        self.options.participants.saturating_add(1)
    }

    /// All processes, the coordinator first.
    fn all(&self) -> impl Iterator<Item = Process> + use<> {
        (0..self.processes()).map(Process)
    }

    fn seat(&self, process: Process) -> Seat {
        let vote = process.number().and_then(|at| self.votes.get(at));
        Seat {
            process,
            vote: vote.copied().unwrap_or_default(),
        }
    }

    fn actor_of(process: Process) -> ActorId {
        ActorId(u16::from(process.0))
    }

    fn node_of(process: Process) -> NodeId {
        NodeId(u16::from(process.0))
    }

    /// The actor that stands for everything that nobody decides: faults and returns.
    fn environment(&self) -> ActorId {
        ActorId(u16::from(self.processes()))
    }

    /// The link from one process to another; the next one is for messages that are late.
    fn link_between(&self, from: Process, to: Process) -> LinkId {
        let count = u32::from(self.processes());
        LinkId((u32::from(from.0) * count + u32::from(to.0)) * 2)
    }

    /// From whom to whom a link leads.
    fn ends(&self, link: LinkId) -> (Process, Process) {
        let count = u32::from(self.processes());
        let pair = link.0 / 2;
        (
            Process(u8::try_from(pair / count).unwrap_or(u8::MAX)),
            Process(u8::try_from(pair % count).unwrap_or(u8::MAX)),
        )
    }

    fn timer(process: Process, of: Of) -> TimerId {
        TimerId(u32::from(process.0) * 6 + of as u32)
    }
}
