//! What the processes say to each other, under the names of Tanenbaum and van Steen.

use core::fmt;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::{Decision, Process};

/// A message. It is about the one transaction; VOTE_REQUEST and DECISION_REQUEST name its participants, so that
/// whoever gets one knows whom else to ask or to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Message {
    /// Coordinator to participant: can you commit?
    VoteRequest,
    /// Participant to coordinator: it can, and has promised to.
    VoteCommit,
    /// Participant to coordinator: it cannot, and has aborted.
    VoteAbort,
    /// The decision is commit: from the coordinator, or from a participant that knows.
    GlobalCommit,
    /// The decision is abort: from the coordinator, or from a participant that knows.
    GlobalAbort,
    /// Participant to coordinator: it has the decision on disk.
    Ack,
    /// A participant that is in doubt asks for the decision.
    DecisionRequest,
}

impl Message {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::VoteRequest,
        Self::VoteCommit,
        Self::VoteAbort,
        Self::GlobalCommit,
        Self::GlobalAbort,
        Self::Ack,
        Self::DecisionRequest,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::VoteRequest => "VOTE_REQUEST",
            Self::VoteCommit => "VOTE_COMMIT",
            Self::VoteAbort => "VOTE_ABORT",
            Self::GlobalCommit => "GLOBAL_COMMIT",
            Self::GlobalAbort => "GLOBAL_ABORT",
            Self::Ack => "ACK",
            Self::DecisionRequest => "DECISION_REQUEST",
        }
    }

    /// The decision that it tells.
    pub const fn decision(self) -> Option<Decision> {
        match self {
            Self::GlobalCommit => Some(Decision::Commit),
            Self::GlobalAbort => Some(Decision::Abort),
            _ => None,
        }
    }
}

impl From<Decision> for Message {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Commit => Self::GlobalCommit,
            Decision::Abort => Self::GlobalAbort,
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A message and whom it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Letter {
    /// Whom it is for.
    pub to: Process,
    /// What it says.
    pub message: Message,
}

/// What a process has to say and has not sent yet. To send is one step for each message, so that a crash can come
/// between two of them. It is in memory: a crash loses it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Outbox(SmallVec<[Letter; 8]>);

impl Outbox {
    /// Puts a message in, unless it is in it already.
    pub fn put(&mut self, to: Process, message: Message) {
        let letter = Letter { to, message };
        if let Err(at) = self.0.binary_search(&letter) {
            self.0.insert(at, letter);
        }
    }

    /// Takes a message out; whether it was in it.
    pub fn take(&mut self, letter: Letter) -> bool {
        match self.0.binary_search(&letter) {
            Ok(at) => {
                self.0.remove(at);
                true
            }
            Err(_) => false,
        }
    }

    /// Drops all messages of a kind.
    pub fn drop_all(&mut self, message: Message) {
        self.0.retain(|letter| letter.message != message);
    }

    /// What is in it, by receiver.
    pub fn letters(&self) -> &[Letter] {
        &self.0
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
