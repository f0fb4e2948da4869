use crate::id::{NodeId, RecordId};

/// An action of a job that few jobs have, described for whoever chooses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobChoice {
    /// The next record comes to an input partition.
    Append {
        /// The partition.
        topic: NodeId,
        /// The record.
        record: RecordId,
    },
    /// The enumerator of a source finds a partition, and evaluates its start offset.
    Find {
        /// The reader to which it will be assigned.
        source: NodeId,
        /// The partition.
        topic: NodeId,
    },
    /// The enumerator assigns a partition to its reader.
    Assign {
        /// The reader.
        source: NodeId,
        /// The partition.
        topic: NodeId,
    },
    /// Fault: the catalog's answer to the next commit of a committer is lost.
    LoseResponse {
        /// The committer.
        subtask: NodeId,
    },
}

impl JobChoice {
    /// The node at which it happens.
    pub const fn node(&self) -> NodeId {
        match *self {
            Self::Append { topic, .. } => topic,
            Self::LoseResponse { subtask } => subtask,
            Self::Find { source, .. } | Self::Assign { source, .. } => source,
        }
    }
}
