//! What happened, as structured facts.
//!
//! Narration, history, diagrams, statistics and exports are made from events; none of them looks into
//! a state on its own account. One vocabulary serves all models, so that a sentence is written once.

mod job;
mod kafka;
mod sink;
mod votes;

pub use job::JobEvent;
pub use kafka::{KafkaEvent, Leaving};
pub use sink::{SinkEvent, SinkFailure};
pub use votes::{Awaited, VotesEvent};

use serde::Serialize;

use crate::flink::coordinator::{FailureReason, Purpose};
use crate::id::{CheckpointId, NodeId, Offset, PartitionId, RecordId};
use crate::time::Micros;

/// One fact about what an action did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Event {
    /// A sink's producers did something.
    Sink(SinkEvent),
    /// The job was to stop with a savepoint, which is complete, and has failed before all of its transactions
    /// were committed: it has to be started again from it.
    StopFailed {
        /// The savepoint.
        checkpoint: CheckpointId,
    },
    /// The job was killed, and is deployed again.
    JobRedeployed {
        /// From which checkpoint; 0: from none.
        checkpoint: CheckpointId,
        /// Whether its sink has another prefix from now on.
        prefix_changed: bool,
        /// How many subtasks its sink has from now on, if not as many as before.
        parallelism: Option<u16>,
    },
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
        /// How many bytes it took in its channel.
        bytes: u32,
    },
    /// An operator dropped a record, as it is there to do.
    RecordFiltered {
        /// The operator's subtask.
        subtask: NodeId,
        /// The record.
        record: RecordId,
        /// How many bytes it took in its channel.
        bytes: u32,
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
        /// How many bytes it took in its channel.
        bytes: u32,
    },
    /// The checkpoint coordinator started a checkpoint.
    CheckpointTriggered {
        /// Which.
        checkpoint: CheckpointId,
        /// What for.
        purpose: Purpose,
    },
    /// A checkpoint was due and got no id: not all subtasks run.
    CheckpointRefused {
        /// What it would have been for.
        purpose: Purpose,
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
        /// Who stores them.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// How many records.
        records: u32,
        /// How many bytes.
        bytes: u64,
        /// Whether they were in its output queues; otherwise in its input queues.
        output: bool,
    },
    /// A barrier that may time out waited too long in an output queue, and went past what was before it.
    OutputTimedOut {
        /// Whose output.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
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
    /// A subtask that was told that a checkpoint is given up passed that on instead of the barrier: a
    /// cancellation marker.
    CancellationForwarded {
        /// The subtask.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// Word came on a channel that a checkpoint was given up upstream: its barrier will not come.
    CancellationReceived {
        /// The subtask.
        subtask: NodeId,
        /// On which of its channels, from 0.
        channel: u32,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A subtask copied its state: the synchronous part of its snapshot.
    SnapshotTaken {
        /// The subtask.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// How long a sink takes to flush before it.
        #[serde(rename = "flush_us", serialize_with = "crate::time::whole")]
        flush: Micros,
        /// How long it takes.
        #[serde(rename = "sync_us", serialize_with = "crate::time::whole")]
        sync: Micros,
        /// The size of the state; 0 if nobody keeps the time.
        bytes: u64,
    },
    /// A subtask has all that belongs to its snapshot, and stores it: the asynchronous part.
    SnapshotUploading {
        /// The subtask.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// The size of it all, in-flight data included; 0 if nobody keeps the time.
        bytes: u64,
        /// How long it takes from now on.
        #[serde(rename = "asynchronous_us", serialize_with = "crate::time::whole")]
        asynchronous: Micros,
    },
    /// A snapshot failed in its asynchronous part: the subtask declines the checkpoint and runs on.
    SnapshotFailed {
        /// The subtask.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// Whether it was the synchronous part, with which the subtask fails.
        sync: bool,
    },
    /// The coordinator heard that a subtask declines a checkpoint.
    CheckpointDeclined {
        /// The subtask.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// Why.
        reason: FailureReason,
    },
    /// An acknowledgement came for a checkpoint that is over: it is discarded.
    AcknowledgedLate {
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
        /// What for.
        purpose: Purpose,
    },
    /// All have acknowledged, but the store does not take the checkpoint.
    StoreRefused {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// A checkpoint will never be complete.
    CheckpointAborted {
        /// Which.
        checkpoint: CheckpointId,
        /// Why.
        reason: FailureReason,
    },
    /// A subtask heard that a checkpoint is given up.
    AbortNotified {
        /// The subtask.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A notification was lost on its way.
    NotificationLost {
        /// To whom.
        subtask: NodeId,
        /// Which checkpoint.
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
    /// A TaskManager was lost with all its subtasks.
    TaskManagerLost {
        /// Its number, from 0.
        number: u16,
        /// How many subtasks ran on it.
        subtasks: u32,
        /// How many records were in channels and are gone from there.
        in_flight: u32,
    },
    /// The JobManager was lost, and with it every checkpoint and notification under way.
    JobManagerLost {
        /// How many records were in channels and are gone from there.
        in_flight: u32,
    },
    /// More checkpoints in a row have failed than are tolerated, or the savepoint with which the job was
    /// to stop: the job fails, and is restarted.
    ToleranceExceeded,
    /// The job has failed, and is not restarted any more.
    JobFailed {
        /// How often it was restarted.
        restarts: u32,
    },
    /// The job has stopped with a savepoint.
    JobStopped {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// Every source has come to the end of its topic, and the last checkpoint is complete.
    JobFinished {
        /// Which.
        checkpoint: CheckpointId,
    },
    /// Subtasks are deployed again, from the last completed checkpoint, or from the beginning.
    JobRestored {
        /// The checkpoint that was restored; [`CheckpointId::NONE`] for the beginning.
        checkpoint: CheckpointId,
        /// How many records the sources have to read from there, some of them again.
        unread: u32,
        /// How many records are put back into the channels: the in-flight data of the checkpoint.
        in_flight: u32,
        /// How many subtasks are restarted: all, or those of a region.
        subtasks: u32,
    },
    /// The subtasks that were deployed run.
    JobRuns,
    /// What few jobs have.
    Job(JobEvent),
    /// Between Kafka's clients and brokers.
    Kafka(KafkaEvent),
    /// In two-phase commit.
    Votes(VotesEvent),
}
