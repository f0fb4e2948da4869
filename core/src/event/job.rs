use serde::Serialize;

use crate::id::{CheckpointId, NodeId, Offset, RecordId};

/// One fact about what happened in a job that few jobs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum JobEvent {
    /// A record came to a topic while the job read it.
    RecordArrived {
        /// The partition.
        topic: NodeId,
        /// The record.
        record: RecordId,
        /// Its place there.
        offset: Offset,
    },
    /// The enumerator of a source knows a partition, and has evaluated where it ends: from there it is to be read.
    PartitionFound {
        /// The reader to which it will be assigned.
        source: NodeId,
        /// The partition.
        topic: NodeId,
        /// Where it is to be read from.
        start: Offset,
        /// It had been evaluated before: the checkpoint that was restored did not say with what result.
        again: bool,
    },
    /// The enumerator assigned a partition to a reader: from now on the reader's state has its position.
    PartitionAssigned {
        /// The reader.
        source: NodeId,
        /// The partition.
        topic: NodeId,
        /// Where it is read from.
        start: Offset,
    },
    /// The enumerator's part of a checkpoint holds partitions that no reader has yet.
    EnumeratorStored {
        /// The coordinator, in which the enumerator runs.
        coordinator: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// How many.
        unassigned: u32,
        /// Whether it holds where they are to be read from; otherwise their names alone.
        with_offsets: bool,
    },
    /// A writer put a record into a data file of a table.
    FileWritten {
        /// The writer.
        subtask: NodeId,
        /// The record.
        record: RecordId,
        /// How many bytes it took in its channel.
        bytes: u32,
    },
    /// A part of a table sink handed over data files: a writer at a barrier, a committer when it has heard that the
    /// checkpoint is complete.
    CommittablesSent {
        /// Who.
        subtask: NodeId,
        /// The checkpoint to which they belong.
        checkpoint: CheckpointId,
        /// How many records they hold.
        records: u32,
    },
    /// A committer received data files.
    CommittablesReceived {
        /// The committer.
        subtask: NodeId,
        /// The checkpoint to which they belong.
        checkpoint: CheckpointId,
        /// How many records they hold.
        records: u32,
        /// It had taken its snapshot for that checkpoint already.
        late: bool,
    },
    /// What a committer received late took the place of what it had stored for the same checkpoint.
    CommittablesReplaced {
        /// The committer.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// How many records nobody will commit.
        records: u32,
    },
    /// Data files were committed: their records are in the table.
    TableCommitted {
        /// The committer.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// How many records.
        records: u32,
        /// The job that the catalog names with it: how often it had been submitted anew.
        job: u32,
        /// The committer did it on recovery, from what the checkpoint holds.
        recovered: bool,
    },
    /// The catalog says that a checkpoint was committed before: nothing is to be done.
    AlreadyCommitted {
        /// The committer.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// The catalog's answer to the next commit of a committer is going to be lost.
    ResponseWillBeLost {
        /// The committer.
        subtask: NodeId,
    },
    /// A commit is done, and its committer does not know: the answer was lost, and it fails.
    ResponseLost {
        /// The committer.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A global committer has heard of the end of the data and of the last checkpoint, and has finished.
    CommitterFinished {
        /// The committer.
        subtask: NodeId,
        /// The last checkpoint.
        checkpoint: CheckpointId,
    },
    /// Data files came to a committer that had finished: nobody commits them.
    CommittablesTooLate {
        /// The committer.
        subtask: NodeId,
        /// The checkpoint to which they belong.
        checkpoint: CheckpointId,
        /// How many records they hold.
        records: u32,
    },
    /// The job is submitted anew, with another id.
    JobResubmitted {
        /// How often it was by now.
        job: u32,
    },
    /// A subtask got another one's copy of the broadcast state.
    CopyRestored {
        /// The subtask.
        subtask: NodeId,
        /// Whose copy.
        from: NodeId,
        /// How many records it holds.
        records: u32,
    },
    /// A record came to the head of a loop.
    LoopPassed {
        /// The head.
        subtask: NodeId,
        /// The record.
        record: RecordId,
        /// How many bytes it took in its channel.
        bytes: u32,
        /// It came back, and leaves the loop; otherwise it goes into it.
        leaves: bool,
    },
    /// The head of a loop took its snapshot, and stores with it what comes back from now on.
    LogStarted {
        /// The head.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// How many records had come back and waited to be taken: they belong to it.
        records: u32,
        /// How many bytes these are.
        bytes: u64,
    },
    /// A record came back to the head of a loop before the barrier that goes round: it is stored.
    FeedbackLogged {
        /// The head.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// The record.
        record: RecordId,
    },
    /// A barrier has gone round a loop: the snapshot of its head is whole.
    BarrierCameRound {
        /// The head.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
}
