//! A write-ahead log (BHG's *DT log*): what is forced survives a crash, what is not is lost.

use core::fmt;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use super::Decision;

/// A log record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Record {
    /// The coordinator begins. Never forced: without it a coordinator that comes back knows of no transaction,
    /// and that comes to the same as aborting it.
    #[serde(rename = "START_2PC")]
    Start2Pc,
    /// The participant has voted commit: from here on it is in doubt.
    #[serde(rename = "VOTE_COMMIT")]
    VoteCommit,
    /// The participant has decided abort by itself.
    #[serde(rename = "VOTE_ABORT")]
    VoteAbort,
    /// The decision to commit.
    #[serde(rename = "GLOBAL_COMMIT")]
    GlobalCommit,
    /// The decision to abort.
    #[serde(rename = "GLOBAL_ABORT")]
    GlobalAbort,
    /// Everybody has acknowledged the decision: the coordinator may forget the transaction. Never forced.
    #[serde(rename = "END")]
    End,
}

impl Record {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Start2Pc,
        Self::VoteCommit,
        Self::VoteAbort,
        Self::GlobalCommit,
        Self::GlobalAbort,
        Self::End,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start2Pc => "START_2PC",
            Self::VoteCommit => "VOTE_COMMIT",
            Self::VoteAbort => "VOTE_ABORT",
            Self::GlobalCommit => "GLOBAL_COMMIT",
            Self::GlobalAbort => "GLOBAL_ABORT",
            Self::End => "END",
        }
    }

    /// The decision that it records.
    pub const fn decision(self) -> Option<Decision> {
        match self {
            Self::GlobalCommit => Some(Decision::Commit),
            Self::VoteAbort | Self::GlobalAbort => Some(Decision::Abort),
            Self::Start2Pc | Self::VoteCommit | Self::End => None,
        }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The records of one process, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Log {
    records: SmallVec<[Record; 8]>,
    /// How many of them are on disk.
    forced: u8,
}

impl Log {
    /// Appends a record. It is in memory only until the log is forced.
    pub fn write(&mut self, record: Record) {
        self.records.push(record);
    }

    /// Brings everything to disk; returns how many records that were.
    pub fn force(&mut self) -> usize {
        let before = usize::from(self.forced);
        self.forced = u8::try_from(self.records.len()).unwrap_or(u8::MAX);
        usize::from(self.forced).saturating_sub(before)
    }

    /// Memory is lost; returns how many records that were.
    pub fn crash(&mut self) -> usize {
        let before = self.records.len();
        self.records.truncate(usize::from(self.forced));
        before - self.records.len()
    }

    /// All records.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// How many of them, from the oldest on, are on disk.
    pub fn forced(&self) -> usize {
        usize::from(self.forced)
    }

    /// Whether everything is on disk.
    pub fn is_forced(&self) -> bool {
        self.records.len() <= self.forced()
    }

    /// Whether a record is in it, on disk or not.
    pub fn contains(&self, record: Record) -> bool {
        self.records.contains(&record)
    }

    /// Whether a record is on disk.
    pub fn has_forced(&self, record: Record) -> bool {
        let forced = self.records.get(..self.forced());
        forced.is_some_and(|it| it.contains(&record))
    }

    /// The decision that it records, on disk or not.
    pub fn decision(&self) -> Option<Decision> {
        self.records.iter().find_map(|record| record.decision())
    }
}
