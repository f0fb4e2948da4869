//! What clients and brokers say to each other.

use smallvec::SmallVec;

use crate::id::{PartitionId, RecordId};
use crate::kafka::batch::Batch;
use crate::kafka::error::{GroupError, ProduceError, TransactionError};
use crate::kafka::group::{Generation, MemberId, Offsets};
use crate::kafka::log::Outcome;
use crate::kafka::producer::BatchNumber;
use crate::kafka::transaction_coordinator::{Session, TransactionalId};
use crate::scenario::delivery::{Api, Part};
use crate::scene::kafka::Message;

/// What a client asks of a broker or a coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Request {
    Produce {
        partition: PartitionId,
        number: BatchNumber,
        batch: Batch,
        /// Of a producer in a transaction.
        id: Option<TransactionalId>,
    },
    InitProducerId {
        /// None for an idempotent producer without a transactional id.
        id: Option<TransactionalId>,
        expected: Option<Session>,
    },
    AddPartitionsToTxn {
        id: TransactionalId,
        session: Session,
        partitions: SmallVec<[PartitionId; 2]>,
    },
    AddOffsetsToTxn {
        id: TransactionalId,
        session: Session,
        group: u16,
    },
    TxnOffsetCommit {
        id: TransactionalId,
        session: Session,
        group: u16,
        from: Option<(MemberId, Generation)>,
        offsets: Offsets,
    },
    EndTxn {
        id: TransactionalId,
        session: Session,
        outcome: Outcome,
    },
    OffsetCommit {
        group: u16,
        from: Option<(MemberId, Generation)>,
        offsets: Offsets,
    },
}

/// What is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Reply {
    Produced {
        partition: PartitionId,
        number: BatchNumber,
        record: RecordId,
        records: u32,
        result: Result<(), ProduceError>,
    },
    Called {
        api: Api,
        result: Result<Option<Session>, Refusal>,
    },
}

/// Why a request other than a batch is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Refusal {
    Transaction(TransactionError),
    Group(GroupError),
}

impl Request {
    /// Whose transaction it is about.
    pub(super) fn transactional_id(&self) -> Option<TransactionalId> {
        match self {
            Self::Produce { id, .. } | Self::InitProducerId { id, .. } => *id,
            Self::AddPartitionsToTxn { id, .. }
            | Self::AddOffsetsToTxn { id, .. }
            | Self::TxnOffsetCommit { id, .. }
            | Self::EndTxn { id, .. } => Some(*id),
            Self::OffsetCommit { .. } => None,
        }
    }

    pub(super) fn api(&self) -> Api {
        match self {
            Self::Produce { .. } => Api::Produce,
            Self::InitProducerId { .. } => Api::InitProducerId,
            Self::AddPartitionsToTxn { .. } => Api::AddPartitionsToTxn,
            Self::AddOffsetsToTxn { .. } => Api::AddOffsetsToTxn,
            Self::TxnOffsetCommit { .. } => Api::TxnOffsetCommit,
            Self::EndTxn { .. } => Api::EndTxn,
            Self::OffsetCommit { .. } => Api::OffsetCommit,
        }
    }

    pub(super) fn message(&self, late: bool) -> Message {
        let (record, records, outcome) = match self {
            Self::Produce { batch, .. } => (
                batch.records().first().copied(),
                batch.records().len() as u32,
                None,
            ),
            Self::EndTxn { outcome, .. } => (None, 0, Some(*outcome)),
            _ => (None, 0, None),
        };
        Message {
            api: self.api(),
            part: Part::Request,
            record,
            records,
            outcome,
            success: true,
            late,
        }
    }
}

impl Reply {
    pub(super) fn api(&self) -> Api {
        match self {
            Self::Produced { .. } => Api::Produce,
            Self::Called { api, .. } => *api,
        }
    }

    pub(super) fn message(&self, late: bool) -> Message {
        let (record, records, success) = match self {
            Self::Produced {
                record,
                records,
                result,
                ..
            } => (Some(*record), *records, result.is_ok()),
            Self::Called { result, .. } => (None, 0, result.is_ok()),
        };
        Message {
            api: self.api(),
            part: Part::Response,
            record,
            records,
            outcome: None,
            success,
            late,
        }
    }
}
