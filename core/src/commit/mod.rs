//! Two-phase commit as the textbooks have it: one coordinator, some participants, one transaction.
//!
//! Sources: Gray, *Notes on Data Base Operating Systems* (1978); Bernstein, Hadzilacos and Goodman,
//! *Concurrency Control and Recovery in Database Systems* (1987), chapter 7, for the properties AC1 to AC5, the
//! uncertainty period and cooperative termination; Tanenbaum and van Steen, *Distributed Systems*, for the names of
//! states, messages and log records; Mohan, Lindsay and Obermarck, *Transaction Management in the R\* Distributed
//! Database Management System* (1986), for what is forced and acknowledged, and for presumed abort.
//!
//! | module | its story |
//! | --- | --- |
//! | [`log`] | a write-ahead log: what is forced survives a crash, what is not is lost |
//! | [`message`] | what processes say to each other |
//! | [`options`] | cooperative termination, presumed abort |
//! | [`coordinator`] | INIT, WAIT, COMMIT, ABORT, END |
//! | [`participant`] | INIT, READY (in doubt), COMMIT, ABORT |
//! | [`properties`] | the properties of atomic commitment, and who is blocked |
//! | [`costs`] | forced writes, lazy writes and messages |
//!
//! Each of the two is a state machine that can be used alone. It takes messages, time-outs, crashes and recoveries,
//! writes its log, and puts what it has to say into its [`Outbox`](message::Outbox). Two rules hold everywhere:
//!
//! * Forcing the log is a step of its own, so that a crash can come between a write and its force.
//! * Nothing is sent while a force is awaited: a message is sent only after what it says is on disk.

pub mod coordinator;
pub mod costs;
pub mod log;
pub mod message;
pub mod options;
pub mod participant;
pub mod properties;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

/// A coordinator or a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Process(pub u8);

impl Process {
    /// The coordinator.
    pub const COORDINATOR: Self = Self(0);

    /// A participant, by its number from 0.
    #[must_use]
    pub const fn participant(number: u8) -> Self {
        Self(number.saturating_add(1))
    }

    /// Whether it is the coordinator.
    pub const fn is_coordinator(self) -> bool {
        self.0 == 0
    }

    /// The number of a participant, from 0; none for the coordinator.
    pub fn number(self) -> Option<usize> {
        usize::from(self.0).checked_sub(1)
    }
}

/// A set of processes, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Processes(u16);

impl Processes {
    /// Nobody.
    pub const NONE: Self = Self(0);

    /// So many participants: all that there are.
    #[must_use]
    pub fn participants(count: u8) -> Self {
        (0..count).map(Process::participant).collect()
    }

    const fn bit(process: Process) -> u16 {
        match process.0 {
            number @ 0..16 => 1 << number,
            _ => 0,
        }
    }

    /// Whether `process` is in it.
    pub const fn contains(self, process: Process) -> bool {
        self.0 & Self::bit(process) != 0
    }

    /// Adds `process`.
    pub fn insert(&mut self, process: Process) {
        self.0 |= Self::bit(process);
    }

    /// Takes `process` out.
    pub fn remove(&mut self, process: Process) {
        self.0 &= !Self::bit(process);
    }

    /// Those that are not in `others`.
    #[must_use]
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Those that are in both.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Whether it is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many there are.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// All of them, the coordinator first.
    pub fn iter(self) -> impl Iterator<Item = Process> {
        (0..16).map(Process).filter(move |it| self.contains(*it))
    }
}

impl FromIterator<Process> for Processes {
    fn from_iter<I: IntoIterator<Item = Process>>(processes: I) -> Self {
        let mut set = Self::NONE;
        for process in processes {
            set.insert(process);
        }
        set
    }
}

/// What becomes of the transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Decision {
    /// It takes effect everywhere.
    Commit,
    /// It takes effect nowhere.
    Abort,
}

/// A participant's answer to VOTE_REQUEST.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Vote {
    /// It can commit, and promises to do so if all others can.
    #[default]
    Commit,
    /// It cannot.
    Abort,
}
