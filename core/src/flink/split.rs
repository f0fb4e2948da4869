//! What the enumerator of a source knows of a partition, and what a checkpoint holds of that.
//!
//! Source: `KafkaSourceEnumerator`, `KafkaSourceEnumState`, `AssignmentStatus` of the Kafka connector; FLINK-38453.
//! The enumerator finds a partition, evaluates the offset at which it is to be read, and assigns it, with that
//! offset, to a reader as soon as one has registered. From then on the reader's state has its position. A checkpoint
//! that comes between holds the partition as not assigned: before FLINK-38453 its name alone, so that whoever
//! restores it evaluates the offset once more, at another moment.

use serde::{Deserialize, Serialize};

/// How far the enumerator is with a partition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Split {
    /// It does not know it.
    #[default]
    Unknown,
    /// It has found it and evaluated its start offset, and has not assigned it yet.
    Found,
    /// It was restored with its name alone: its start offset is to be evaluated.
    Named,
    /// A reader has it.
    Assigned,
}

impl Split {
    /// What a checkpoint holds of it, with or without the start offset of what is not assigned.
    pub const fn stored(self, with_offset: bool) -> Self {
        match self {
            Self::Found if !with_offset => Self::Named,
            split => split,
        }
    }

    /// A failed reader gives it back: what it did not have at the checkpoint to which it returns is to be assigned
    /// again, from the start offset that the enumerator remembers (`SplitAssignmentTracker`, `addSplitsBack`).
    pub fn given_back(self, at_checkpoint: Self) -> Self {
        match self {
            Self::Assigned if at_checkpoint != Self::Assigned => Self::Found,
            split => split,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_alone_is_not_enough() {
        assert_eq!(Split::Found.stored(false), Split::Named);
        assert_eq!(Split::Found.stored(true), Split::Found);
        assert_eq!(Split::Assigned.stored(false), Split::Assigned);
    }

    #[test]
    fn a_reader_gives_back_what_it_got_since() {
        assert_eq!(Split::Assigned.given_back(Split::Named), Split::Found);
        assert_eq!(Split::Assigned.given_back(Split::Assigned), Split::Assigned);
        assert_eq!(Split::Found.given_back(Split::Unknown), Split::Found);
    }
}
