//! The errors of requests, by Kafka's own names.
//!
//! Source: Kafka's `Errors`. Each operation has those that it can answer with.

use core::fmt;

/// Why a batch of a producer is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum BatchError {
    /// `INVALID_PRODUCER_EPOCH`: a newer session has taken over (before 2.7 `PRODUCER_FENCED`).
    InvalidProducerEpoch,
    /// `OUT_OF_ORDER_SEQUENCE_NUMBER`: it is not the next one, and none of those remembered.
    OutOfOrderSequence,
    /// `INVALID_TXN_STATE`: it is outside a transaction while one of its producer is open.
    InvalidTxnState,
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidProducerEpoch => "INVALID_PRODUCER_EPOCH",
            Self::OutOfOrderSequence => "OUT_OF_ORDER_SEQUENCE_NUMBER",
            Self::InvalidTxnState => "INVALID_TXN_STATE",
        })
    }
}

impl core::error::Error for BatchError {}

/// Why a marker is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum MarkerError {
    /// `INVALID_PRODUCER_EPOCH`: its epoch is older than the producer's.
    InvalidProducerEpoch,
    /// `TRANSACTION_COORDINATOR_FENCED`: a newer coordinator has written here.
    TransactionCoordinatorFenced,
}

impl fmt::Display for MarkerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidProducerEpoch => "INVALID_PRODUCER_EPOCH",
            Self::TransactionCoordinatorFenced => "TRANSACTION_COORDINATOR_FENCED",
        })
    }
}

impl core::error::Error for MarkerError {}

/// Why a transaction coordinator refuses a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum TransactionError {
    /// `INVALID_TRANSACTION_TIMEOUT`: longer than the broker allows, or none.
    InvalidTransactionTimeout,
    /// `TRANSACTIONAL_ID_AUTHORIZATION_FAILED`: the broker allows no two-phase commit.
    TransactionalIdAuthorizationFailed,
    /// `CONCURRENT_TRANSACTIONS`: something is under way; ask again.
    ConcurrentTransactions,
    /// `PRODUCER_FENCED`: another epoch holds.
    ProducerFenced,
    /// `INVALID_PRODUCER_ID_MAPPING`: the transactional id has another producer id, or is unknown.
    InvalidProducerIdMapping,
    /// `INVALID_TXN_STATE`: there is nothing to end, or it has ended the other way.
    InvalidTxnState,
    /// `TRANSACTION_ABORTABLE`: the partition is not in the transaction.
    TransactionAbortable,
}

impl fmt::Display for TransactionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidTransactionTimeout => "INVALID_TRANSACTION_TIMEOUT",
            Self::TransactionalIdAuthorizationFailed => "TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
            Self::ConcurrentTransactions => "CONCURRENT_TRANSACTIONS",
            Self::ProducerFenced => "PRODUCER_FENCED",
            Self::InvalidProducerIdMapping => "INVALID_PRODUCER_ID_MAPPING",
            Self::InvalidTxnState => "INVALID_TXN_STATE",
            Self::TransactionAbortable => "TRANSACTION_ABORTABLE",
        })
    }
}

impl core::error::Error for TransactionError {}

/// Why a replica is not made leader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElectionError {
    /// `ELECTION_NOT_NEEDED`: it leads already.
    ElectionNotNeeded,
    /// `ELIGIBLE_LEADERS_NOT_AVAILABLE`: it does not live, or is out of sync where that matters.
    EligibleLeadersNotAvailable,
}

impl fmt::Display for ElectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ElectionNotNeeded => "ELECTION_NOT_NEEDED",
            Self::EligibleLeadersNotAvailable => "ELIGIBLE_LEADERS_NOT_AVAILABLE",
        })
    }
}

impl core::error::Error for ElectionError {}

/// Why a group coordinator refuses a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum GroupError {
    /// `ILLEGAL_GENERATION`: the group has been rebalanced since.
    IllegalGeneration,
    /// `UNKNOWN_MEMBER_ID`: there is no such member, or none is named where there are some.
    UnknownMemberId,
    /// `REBALANCE_IN_PROGRESS`: join again.
    RebalanceInProgress,
    /// `UNSTABLE_OFFSET_COMMIT`: a transaction has an offset pending; ask again.
    UnstableOffsetCommit,
}

impl fmt::Display for GroupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::IllegalGeneration => "ILLEGAL_GENERATION",
            Self::UnknownMemberId => "UNKNOWN_MEMBER_ID",
            Self::RebalanceInProgress => "REBALANCE_IN_PROGRESS",
            Self::UnstableOffsetCommit => "UNSTABLE_OFFSET_COMMIT",
        })
    }
}

impl core::error::Error for GroupError {}

/// Why a write is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum ProduceError {
    /// `NOT_LEADER_OR_FOLLOWER`: nobody leads, or no longer who took the write.
    NotLeaderOrFollower,
    /// `NOT_ENOUGH_REPLICAS`: fewer are in sync than `min.insync.replicas`. Nothing was appended.
    NotEnoughReplicas,
    /// `NOT_ENOUGH_REPLICAS_AFTER_APPEND`: the same, but it is in the leader's log.
    NotEnoughReplicasAfterAppend,
    /// `INVALID_RECORD`: a batch without a record.
    InvalidRecord,
    /// The batch does not fit what is known of its producer.
    Batch(BatchError),
    /// The marker does not.
    Marker(MarkerError),
    /// The coordinator does not know the partition in the producer's transaction, or knows another session.
    Transaction(TransactionError),
}

impl fmt::Display for ProduceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotLeaderOrFollower => "NOT_LEADER_OR_FOLLOWER",
            Self::NotEnoughReplicas => "NOT_ENOUGH_REPLICAS",
            Self::NotEnoughReplicasAfterAppend => "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
            Self::InvalidRecord => "INVALID_RECORD",
            Self::Batch(error) => return error.fmt(f),
            Self::Marker(error) => return error.fmt(f),
            Self::Transaction(error) => return error.fmt(f),
        })
    }
}

impl core::error::Error for ProduceError {}

impl From<BatchError> for ProduceError {
    fn from(error: BatchError) -> Self {
        Self::Batch(error)
    }
}

impl From<MarkerError> for ProduceError {
    fn from(error: MarkerError) -> Self {
        Self::Marker(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn an_error_is_told_by_the_name_kafka_gives_it() {
        let error = ProduceError::from(BatchError::OutOfOrderSequence);
        assert_eq!(error.to_string(), "OUT_OF_ORDER_SEQUENCE_NUMBER");
        let error = TransactionError::ConcurrentTransactions;
        assert_eq!(error.to_string(), "CONCURRENT_TRANSACTIONS");
    }
}
