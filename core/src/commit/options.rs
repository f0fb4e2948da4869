//! What the processes have agreed on before the first message.

use serde::{Deserialize, Serialize};

use super::{Decision, Processes};

/// The protocol's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// How many participants there are.
    pub participants: u8,
    /// Whether a participant in doubt asks all other participants too, not the coordinator alone (BHG 7.4).
    pub cooperative_termination: bool,
    /// What it means that nothing is known of the transaction.
    pub presumed: Presumed,
    /// A rule that is broken on purpose, to see that the properties notice.
    #[cfg(test)]
    pub(crate) flaw: Option<Flaw>,
}

/// What it means that a coordinator has no record of the transaction.
///
/// | | `nothing` | `abort` |
/// | --- | --- | --- |
/// | START_2PC of the coordinator | written, not forced | not written |
/// | GLOBAL_COMMIT of the coordinator | forced | forced |
/// | GLOBAL_ABORT of the coordinator | forced | written, not forced |
/// | VOTE_COMMIT, GLOBAL_COMMIT of a participant | forced | forced |
/// | VOTE_ABORT, GLOBAL_ABORT of a participant | forced | written, not forced |
/// | commit is acknowledged | yes | yes |
/// | abort is acknowledged | yes | no: the coordinator forgets it at once |
/// | END, when all have acknowledged | written, not forced | the same, for a commit |
/// | a coordinator without a record is asked | decides abort, forces that, then answers | answers abort |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Presumed {
    /// The basic protocol: both decisions are forced and acknowledged.
    #[default]
    Nothing,
    /// Presumed abort: what is not known to be committed is aborted. A commit costs the same, an abort less.
    Abort,
}

/// A rule that is broken on purpose.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Flaw {
    /// A participant votes commit without forcing that.
    VoteNotForced,
    /// The coordinator sends GLOBAL_COMMIT without forcing it.
    CommitNotForced,
    /// A participant that has waited long enough in doubt aborts.
    AbortsInDoubt,
    /// The coordinator does not wait for the last vote.
    CommitsEarly,
    /// The coordinator aborts when all have voted commit.
    NeverCommits,
}

impl Options {
    /// The basic protocol.
    #[must_use]
    pub const fn new(participants: u8) -> Self {
        Self {
            participants,
            cooperative_termination: false,
            presumed: Presumed::Nothing,
            #[cfg(test)]
            flaw: None,
        }
    }

    /// All participants.
    pub fn all(&self) -> Processes {
        Processes::participants(self.participants)
    }

    /// Whether a decision is forced before anybody is told of it. Otherwise it is written all the same.
    pub fn forces(&self, decision: Decision) -> bool {
        decision == Decision::Commit || self.presumed == Presumed::Nothing
    }

    /// Whether participants acknowledge a decision, and the coordinator remembers it until they have.
    pub fn acknowledges(&self, decision: Decision) -> bool {
        self.forces(decision)
    }

    #[cfg(test)]
    pub(crate) fn has(&self, flaw: Flaw) -> bool {
        self.flaw == Some(flaw)
    }
}
