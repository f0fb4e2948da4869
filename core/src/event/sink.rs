//! What the sink of a Flink job does with its Kafka producers.
//!
//! Sources: `ExactlyOnceKafkaWriter`, `KafkaCommitter`, `TransactionAbortStrategyImpl`
//! (flink-connector-kafka), `CommitterOperator` and `CommitRequestImpl` (Flink's Sink V2).

use serde::Serialize;

use crate::id::{CheckpointId, NodeId};
use crate::kafka::error::TransactionError;

/// One fact about a `KafkaSink`. Transactional ids are named by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum SinkEvent {
    /// At the start: a producer asks for the identity of an id, so that whatever is open under it is aborted.
    Probes {
        /// The sink.
        subtask: NodeId,
        /// The id.
        transactional_id: u32,
    },
    /// At the start: the id was used before; what was open under it is aborted now.
    Lingering {
        /// The sink.
        subtask: NodeId,
        /// The id.
        transactional_id: u32,
    },
    /// At the start: a transaction is open whose id the restored checkpoint holds as pre-committed, so it is
    /// left alone, though it is a later one (FLINK-40626).
    LeftOpen {
        /// The sink.
        subtask: NodeId,
        /// The id.
        transactional_id: u32,
    },
    /// At the start: nothing is left behind.
    Clean {
        /// The sink.
        subtask: NodeId,
    },
    /// A producer is to write in a transaction of this id, and asks for its identity.
    Initializes {
        /// The sink.
        subtask: NodeId,
        /// The id.
        transactional_id: u32,
    },
    /// A producer of the pool is used again as it is (FLINK-8132).
    Reuses {
        /// The sink.
        subtask: NodeId,
        /// The id.
        transactional_id: u32,
    },
    /// The next transaction begins.
    Begins {
        /// The sink.
        subtask: NodeId,
        /// The id.
        transactional_id: u32,
    },
    /// The barrier has come: the sink waits until what it has written is acknowledged.
    Flushes {
        /// The sink.
        subtask: NodeId,
        /// The barrier's checkpoint.
        checkpoint: CheckpointId,
        /// How many records are not acknowledged.
        outstanding: u32,
    },
    /// Everything is acknowledged, or nobody waits for it.
    Flushed {
        /// The sink.
        subtask: NodeId,
        /// The barrier's checkpoint.
        checkpoint: CheckpointId,
        /// How many records are not acknowledged, with the guarantee `NONE`.
        outstanding: u32,
    },
    /// Nothing was written in the transaction: there is nothing to commit.
    NothingToCommit {
        /// The sink.
        subtask: NodeId,
        /// The barrier's checkpoint.
        checkpoint: CheckpointId,
    },
    /// The committer commits a transaction.
    Commits {
        /// The sink.
        subtask: NodeId,
        /// The id.
        transactional_id: u32,
        /// The restored checkpoint holds it as pre-committed.
        recovered: bool,
    },
    /// A commit is refused for a reason that is known: the committable is dropped, and the job goes on
    /// (`signalFailedWithKnownReason`). If it was committed before, nothing is lost; if not, it is.
    Dropped {
        /// The sink.
        subtask: NodeId,
        /// The id.
        transactional_id: u32,
        /// How many records were in it.
        records: u32,
        /// The reason.
        error: TransactionError,
    },
    /// `max.block.ms` has passed: the committer tries again later (`retryLater`).
    RetriesLater {
        /// The sink.
        subtask: NodeId,
        /// The id.
        transactional_id: u32,
        /// How often it has tried again.
        retries: u32,
    },
    /// A record could not be written, and nobody notices (FLINK-35749).
    Overlooked {
        /// The sink.
        subtask: NodeId,
    },
    /// The sink fails, and the job with it.
    Failed {
        /// The sink.
        subtask: NodeId,
        /// Why.
        reason: SinkFailure,
    },
}

/// Why a sink fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum SinkFailure {
    /// A record could not be written.
    Send,
    /// The coordinator refuses the identity of a producer.
    Init(TransactionError),
    /// A commit is refused, and that is not to be tolerated.
    Commit(TransactionError),
    /// Nothing is heard from the coordinator for `max.block.ms`.
    Timeout,
    /// A commit was tried again as often as `sink.committer.retries` allows.
    Retries,
}
