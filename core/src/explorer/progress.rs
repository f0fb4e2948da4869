//! How far a search is, and what it has found: plain values, to be told or sent.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

/// How far a search is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// Distinct states seen, those in which runs start included.
    pub distinct: u64,
    /// Steps taken, and states in which runs start: what TLC calls states generated.
    pub generated: u64,
    /// States in the longest of the shortest runs to each state seen, its first state included: what TLC calls depth.
    pub depth: u32,
    /// States from which nothing can happen at all.
    pub ends: u64,
    /// States that are seen and not yet looked into.
    pub frontier: u64,
    /// The most that these have been, looked at every thousand states.
    pub widest: u64,
    /// Bytes in use.
    pub bytes: u64,
    /// The most that these have been, looked at every thousand states.
    pub most_bytes: u64,
    /// Whether it goes on, and if not, why.
    pub status: Status,
    /// What it has found, in this order.
    pub findings: Vec<Finding>,
}

impl Progress {
    /// Whether every state was seen: only then may one say that something holds.
    pub fn is_exhausted(&self) -> bool {
        self.status == Status::Exhausted
    }

    /// Where a property first showed itself: the number of the state.
    pub fn finding(&self, property: u32) -> Option<u32> {
        let mut findings = self.findings.iter();
        let finding = findings.find(|it| it.property == property)?;
        Some(finding.state)
    }
}

/// Whether a search goes on, and if not, why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// There is more to see.
    #[default]
    Running,
    /// Every state was seen.
    Exhausted,
    /// A property is broken.
    Found,
    /// The memory that it may take is used up.
    Full,
    /// It has seen as many states as it may.
    Limited,
}

impl Status {
    /// Whether there is more to see.
    pub const fn is_running(self) -> bool {
        matches!(self, Self::Running)
    }
}

/// A property showed itself: it is broken, or what was to be reached is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Which, by number.
    pub property: u32,
    /// In which state, by number; [`Explorer::run_to`](super::Explorer::run_to) says how one gets there.
    pub state: u32,
}
