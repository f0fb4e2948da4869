//! Faults of Flink and its connectors that a version still has, by their tickets.

use serde::{Deserialize, Serialize};

/// A fault of Flink or of a connector, as it was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Ticket {
    /// A commit that is refused at recovery is fatal, also where the transaction was committed before and
    /// its id used again: the job never starts (before flink PR #5030, November 2017).
    #[serde(rename = "FLINK-8086")]
    Flink8086,
    /// A producer that goes back to the pool is used for the next transaction as it is, without
    /// `initTransactions`: two transactions have one identity (before flink PR #5053, November 2017).
    #[serde(rename = "FLINK-8132")]
    Flink8132,
    /// A record that could not be written is not noticed: `flush` finds nothing outstanding, and the
    /// checkpoint is completed without it (before flink-connector-kafka PR #107, July 2024).
    #[serde(rename = "FLINK-35749")]
    Flink35749,
    /// A transaction whose id the restored checkpoint holds as pre-committed is not aborted at the start,
    /// though it may be a later one under the same id (flink-connector-kafka PR #314).
    #[serde(rename = "FLINK-40626")]
    Flink40626,
    /// When a commit fails after the savepoint with which the job is to stop was completed, the job is started
    /// again from the checkpoint before it, and what the savepoint has committed is read again. Since 1.15 it
    /// fails for good instead, and is started again from the savepoint (flink PR #19198, March 2022).
    #[serde(rename = "FLINK-26783")]
    Flink26783,
}

impl Ticket {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Flink8086,
        Self::Flink8132,
        Self::Flink35749,
        Self::Flink40626,
        Self::Flink26783,
    ];

    /// Its key in Flink's issue tracker.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Flink8086 => "FLINK-8086",
            Self::Flink8132 => "FLINK-8132",
            Self::Flink35749 => "FLINK-35749",
            Self::Flink40626 => "FLINK-40626",
            Self::Flink26783 => "FLINK-26783",
        }
    }
}
