//! What happened, as structured facts.
//!
//! Narration, history, diagrams, statistics and exports are made from events; none of them looks into
//! a state on its own account. One vocabulary serves all models, so that a sentence is written once.

use crate::id::{CheckpointId, NodeId, Offset, PartitionId, RecordId};

/// One fact about what an action did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A source read a record of its partition and sent it downstream.
    RecordEmitted {
        /// The source.
        source: NodeId,
        /// The record.
        record: RecordId,
        /// Where it stood.
        partition: PartitionId,
        /// Where it stood.
        offset: Offset,
    },
    /// An operator took a record and passed its result on.
    RecordProcessed {
        /// The operator's subtask.
        subtask: NodeId,
        /// The record.
        record: RecordId,
        /// How often the subtask's state contains the record now; none for an operator without state.
        counted: Option<u8>,
    },
    /// An operator dropped a record, as it is there to do.
    RecordFiltered {
        /// The operator's subtask.
        subtask: NodeId,
        /// The record.
        record: RecordId,
    },
    /// A sink appended a record to the output partition.
    RecordWritten {
        /// The sink.
        subtask: NodeId,
        /// The record.
        record: RecordId,
        /// Where to.
        partition: PartitionId,
        /// Its place there.
        offset: Offset,
        /// The number of the sink's transaction that it belongs to; none if it was written at once.
        transaction: Option<u32>,
        /// How many copies of it the reader sees now; told only to an observer that
        /// [wants detail](crate::protocol::Observer::wants_detail).
        copies: Option<u32>,
    },
    /// The checkpoint coordinator started a checkpoint.
    CheckpointTriggered {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// A source put the barrier into its outputs, and stored its position.
    BarrierInjected {
        /// The source.
        source: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A barrier came to the head of a channel, which is blocked from now on.
    ChannelBlocked {
        /// Whose input.
        subtask: NodeId,
        /// Which of its channels, from 0.
        channel: u32,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// From how many channels the barrier is still awaited.
        missing: u32,
    },
    /// A barrier came, and its channel stays open.
    BarrierArrived {
        /// Whose input.
        subtask: NodeId,
        /// On which of its channels, from 0.
        channel: u32,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// How many records it overtook in the channel.
        overtaken: u32,
        /// From how many channels the barrier is still awaited.
        missing: u32,
    },
    /// The alignment took longer than it may: the checkpoint goes on unaligned.
    AlignmentTimedOut {
        /// Whose input.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// Records that the barriers of an unaligned checkpoint overtook are stored with it; they are still
    /// in their channels, and will be processed there.
    InFlightStored {
        /// Whose input.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// How many records.
        records: u32,
    },
    /// The barrier has come from every channel; all are open again.
    AlignmentCompleted {
        /// Whose input.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// How many channels were aligned.
        channels: u32,
    },
    /// A late barrier of a checkpoint that is over was dropped.
    BarrierIgnored {
        /// Whose input.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A subtask passed the barrier on to all its outputs.
    BarrierForwarded {
        /// The subtask.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A subtask stored its state: the snapshot is on its way to the checkpoint store.
    SnapshotTaken {
        /// The subtask.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A sink flushed its transaction and will commit it when the checkpoint is complete.
    PreCommitted {
        /// The sink.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// The number of the transaction.
        transaction: u32,
        /// How many records it holds.
        records: u32,
    },
    /// A snapshot reached the store, and the coordinator heard of it.
    SnapshotAcknowledged {
        /// The subtask whose snapshot it is.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// How many subtasks have not acknowledged yet.
        missing: u32,
    },
    /// All have acknowledged: the checkpoint is complete. This is the decision to commit.
    CheckpointCompleted {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// A checkpoint will never be complete.
    CheckpointAborted {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// A subtask heard that a checkpoint is complete.
    CompletionNotified {
        /// The subtask.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A transaction was committed: its records are visible to `read_committed` readers.
    TransactionCommitted {
        /// The sink.
        subtask: NodeId,
        /// The number of the transaction.
        transaction: u32,
        /// How many records it holds.
        records: u32,
        /// The sink did it on recovery, from what the checkpoint says.
        recovered: bool,
    },
    /// A transaction was aborted: no `read_committed` reader will see its records.
    TransactionAborted {
        /// The sink.
        subtask: NodeId,
        /// The number of the transaction.
        transaction: u32,
        /// How many records it held.
        records: u32,
    },
    /// A subtask died, and with it everything that was in memory and under way.
    SubtaskCrashed {
        /// The subtask.
        subtask: NodeId,
        /// How many records were in channels and are gone from there.
        in_flight: u32,
    },
    /// All subtasks run again, from the last completed checkpoint, or from the beginning.
    JobRestored {
        /// The checkpoint that was restored; [`CheckpointId::NONE`] for the beginning.
        checkpoint: CheckpointId,
        /// How many records the sources have to read from there, some of them again.
        unread: u32,
        /// How many records are put back into the channels: the in-flight data of the checkpoint.
        in_flight: u32,
    },
}
