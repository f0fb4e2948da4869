//! The properties of atomic commitment, as Bernstein, Hadzilacos and Goodman state them (section 7.3), and who is
//! blocked.
//!
//! They are judged across crashes: [`History`] remembers every decision that a process has ever reached, whatever
//! became of its memory since.

use serde::Serialize;

use super::coordinator::Coordinator;
use super::log::Record;
use super::participant::{Participant, ParticipantState};
use super::{Decision, Process, Processes};

/// A property of atomic commitment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    /// AC1: all processes that reach a decision reach the same one.
    Agreement,
    /// AC2: a process cannot reverse its decision after it has reached one.
    Stability,
    /// AC3: commit is decided only if all processes have voted commit; and abort only if one has voted abort, or
    /// something has failed, or seemed to.
    Validity,
    /// AC4: if nothing fails, and all have voted commit, the decision is commit.
    NonTriviality,
    /// AC5: if all failures are repaired, and no new ones occur for long enough, all processes reach a decision.
    Termination,
}

impl Property {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 5] = [
        Self::Agreement,
        Self::Stability,
        Self::Validity,
        Self::NonTriviality,
        Self::Termination,
    ];
}

/// Whether a property holds so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It does.
    Holds,
    /// It is about something that has not happened yet: a decision of these processes.
    NotYet(Processes),
    /// It does not, and never will again.
    Broken(Breach),
}

/// Who breaks a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Breach {
    /// Two processes have decided differently.
    Disagree {
        /// Who has committed.
        committed: Process,
        /// Who has aborted.
        aborted: Process,
    },
    /// A process has decided both ways, one after the other.
    Reversed {
        /// Who.
        process: Process,
    },
    /// A process has committed without the vote of a participant.
    CommittedWithoutVote {
        /// Who has committed.
        process: Process,
        /// Whose vote it has not got.
        missing: Process,
    },
    /// A process has aborted, though nobody voted abort, and nothing failed or seemed to.
    AbortedWithoutReason {
        /// Who.
        process: Process,
    },
}

impl Breach {
    /// Who breaks it.
    pub fn process(&self) -> Process {
        match *self {
            Self::Disagree { aborted, .. } => aborted,
            Self::Reversed { process }
            | Self::CommittedWithoutVote { process, .. }
            | Self::AbortedWithoutReason { process } => process,
        }
    }

    /// Everybody it is about.
    pub fn processes(&self) -> Processes {
        let other = match *self {
            Self::Disagree { committed, .. } => Some(committed),
            Self::CommittedWithoutVote { missing, .. } => Some(missing),
            Self::Reversed { .. } | Self::AbortedWithoutReason { .. } => None,
        };
        core::iter::once(self.process()).chain(other).collect()
    }
}

/// Everything that was ever voted and decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct History {
    committed: Processes,
    aborted: Processes,
    voted_commit: Processes,
    voted_abort: Processes,
    /// Whether something has failed, or somebody without a decision has waited so long that it seemed so.
    failed: bool,
}

impl History {
    /// Notes what the coordinator has decided.
    pub fn note_coordinator(&mut self, coordinator: &Coordinator) {
        self.note(Process::COORDINATOR, coordinator.decision());
    }

    /// Notes what a participant has voted and decided.
    pub fn note_participant(&mut self, process: Process, participant: &Participant) {
        self.note(process, participant.decision());
        if participant.state() == ParticipantState::Ready {
            self.voted_commit.insert(process);
        }
        if participant.decision().is_some() && participant.log().contains(Record::VoteAbort) {
            self.voted_abort.insert(process);
        }
    }

    fn note(&mut self, process: Process, decision: Option<Decision>) {
        match decision {
            Some(Decision::Commit) => self.committed.insert(process),
            Some(Decision::Abort) => self.aborted.insert(process),
            None => {}
        }
    }

    /// Something has failed, or seems to have.
    pub fn note_failure(&mut self) {
        self.failed = true;
    }

    /// Who has ever committed.
    pub fn committed(&self) -> Processes {
        self.committed
    }

    /// Who has ever aborted.
    pub fn aborted(&self) -> Processes {
        self.aborted
    }

    /// Who has ever voted commit.
    pub fn voted_commit(&self) -> Processes {
        self.voted_commit
    }

    /// Who has ever aborted by itself.
    pub fn voted_abort(&self) -> Processes {
        self.voted_abort
    }

    /// Whether something has failed, or seemed to.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    /// The first breach of a property that does not depend on how the run goes on.
    pub fn breach(&self, property: Property, participants: Processes) -> Option<Breach> {
        let first = |processes: Processes| processes.iter().next();
        match property {
            Property::Agreement => {
                let pairs = self.committed.iter().flat_map(|committed| {
                    let aborted = self.aborted.iter();
                    aborted.map(move |aborted| (committed, aborted))
                });
                let (committed, aborted) = pairs.into_iter().find(|(one, other)| one != other)?;
                Some(Breach::Disagree { committed, aborted })
            }
            Property::Stability => {
                let process = first(self.committed.and(self.aborted))?;
                Some(Breach::Reversed { process })
            }
            Property::Validity => {
                let unvoted = first(participants.without(self.voted_commit));
                if let (Some(process), Some(missing)) = (first(self.committed), unvoted) {
                    return Some(Breach::CommittedWithoutVote { process, missing });
                }
                self.unreasoned_abort()
            }
            Property::NonTriviality => {
                let all = participants.without(self.voted_commit).is_empty();
                self.unreasoned_abort().filter(|_| all)
            }
            Property::Termination => None,
        }
    }

    fn unreasoned_abort(&self) -> Option<Breach> {
        let reason = self.failed || !self.voted_abort.is_empty();
        let process = self.aborted.iter().next().filter(|_| !reason)?;
        Some(Breach::AbortedWithoutReason { process })
    }

    /// Whether no property is broken: what can be asked at every step.
    pub fn is_sound(&self, participants: Processes) -> bool {
        // Nothing can be broken before somebody has decided.
        self.committed.is_empty() && (self.failed || self.aborted.is_empty())
            || Property::ALL
                .into_iter()
                .all(|property| self.breach(property, participants).is_none())
    }

    /// Whether a property holds so far, in a transaction of these participants.
    pub fn status(&self, property: Property, participants: Processes) -> Status {
        if let Some(breach) = self.breach(property, participants) {
            return Status::Broken(breach);
        }
        let mut undecided = participants.without(self.committed).without(self.aborted);
        let decided = !self.committed.is_empty() || !self.aborted.is_empty();
        match property {
            Property::Agreement | Property::Stability | Property::Validity if decided => {
                Status::Holds
            }
            // It promises nothing where something has failed or somebody cannot commit.
            Property::NonTriviality if self.failed || !self.voted_abort.is_empty() => Status::Holds,
            _ if undecided.is_empty() => Status::Holds,
            _ => {
                if !decided {
                    undecided.insert(Process::COORDINATOR);
                }
                Status::NotYet(undecided)
            }
        }
    }
}

/// What a participant knows of the decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Knowledge {
    /// It has not voted: it may decide abort by itself.
    Free,
    /// Its vote to commit is written, and about to be forced: it will be in doubt.
    Voting,
    /// It has voted commit, and does not know the decision: its uncertainty period.
    InDoubt,
    /// It knows.
    Knows(Decision),
}

/// What counts of a participant for who is blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Standpoint {
    /// Whether it runs.
    pub running: bool,
    /// What it knows; of one that is down, what its log will tell it.
    pub knowledge: Knowledge,
    /// Whether a message that tells the decision is on its way to it.
    pub told: bool,
}

impl Standpoint {
    /// Whether it will decide if nothing more fails, without the coordinator and without being asked.
    pub fn will_know(&self) -> bool {
        match self.knowledge {
            Knowledge::Free | Knowledge::Knows(_) => true,
            Knowledge::Voting | Knowledge::InDoubt => self.told,
        }
    }

    /// Whether its recovery would bring the decision, since its log has it, or since it will abort.
    fn would_know(&self) -> bool {
        matches!(self.knowledge, Knowledge::Free | Knowledge::Knows(_))
    }
}

/// Who is blocked: runs, is in doubt, and will stay so until somebody that is down is back.
///
/// That is so exactly when the coordinator is down, no message that tells the decision is on its way to it, and,
/// with cooperative termination, neither does any other running participant know the decision, nor is one on its
/// way to it, nor has it not voted yet, so that it may decide abort.
///
/// `participants` are in the order of their numbers.
pub fn blocked(
    coordinator_runs: bool,
    cooperative_termination: bool,
    participants: &[Standpoint],
) -> Processes {
    if coordinator_runs {
        return Processes::NONE;
    }
    let helped = cooperative_termination
        && participants
            .iter()
            .any(|other| other.running && other.will_know());
    let waits = |it: &Standpoint| it.running && it.knowledge == Knowledge::InDoubt && !it.told;
    (0..)
        .map(Process::participant)
        .zip(participants)
        .filter(|(_, it)| waits(it) && !helped)
        .map(|(process, _)| process)
        .collect()
}

/// By whose recovery those who are blocked are released: the coordinator's; with cooperative termination, also that
/// of a participant which knows the decision, or has not voted and will therefore abort.
pub fn releasers(cooperative_termination: bool, participants: &[Standpoint]) -> Processes {
    let knowing = (0..)
        .map(Process::participant)
        .zip(participants)
        .filter(|(_, it)| cooperative_termination && !it.running && it.would_know())
        .map(|(process, _)| process);
    core::iter::once(Process::COORDINATOR)
        .chain(knowing)
        .collect()
}
