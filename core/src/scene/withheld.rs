//! What is not enabled though it belongs there, and why: a record that may not be taken, a decision that waits for
//! votes.

use alloc::vec::Vec;

use super::{SinkWait, TokenKind};
use crate::commit::Decision;
use crate::commit::message::Message;
use crate::id::{CheckpointId, NodeId, Offset, PartitionId, RecordId};

/// Something that a node would do next, were it not for a reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withheld {
    /// Who would do it.
    pub node: NodeId,
    /// What.
    pub what: Deed,
    /// Why it does not.
    pub why: Why,
}

/// What a node would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// A source reads the next record of a partition.
    Emit(RecordId),
    /// A subtask takes the first element of a channel.
    Take {
        /// Which of its channels, from 0.
        channel: u32,
        /// What stands there.
        token: TokenKind,
    },
    /// What stands first in an output queue sets out.
    SetOut {
        /// To whom.
        to: NodeId,
        /// What stands there.
        token: TokenKind,
    },
    /// The coordinator starts the next checkpoint.
    Trigger(CheckpointId),
    /// The coordinator completes a checkpoint.
    Complete(CheckpointId),
    /// A sink commits a transaction that is pre-committed.
    Commit(u32),
    /// An application hands the next record to its producer.
    Send(RecordId),
    /// A producer sends a batch to the leader.
    Transmit {
        /// Where to.
        partition: PartitionId,
        /// The first record of the batch.
        record: RecordId,
    },
    /// An application ends its transaction.
    EndTransaction,
    /// A consumer polls records that are in the log.
    Poll {
        /// From which partition.
        partition: PartitionId,
        /// From where on.
        position: Offset,
    },
    /// A consumer begins with the next record that was polled.
    Process(RecordId),
    /// A coordinator of two-phase commit decides.
    Decide(Decision),
    /// A coordinator of two-phase commit forgets the transaction.
    Forget,
    /// A process sends a message.
    SendMessage {
        /// To whom.
        to: NodeId,
        /// What.
        message: Message,
    },
    /// A participant learns the decision.
    Learn,
}

/// Why something is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The barrier of a checkpoint has blocked the channel; it has still to come from these.
    BlockedBy {
        /// Which.
        checkpoint: CheckpointId,
        /// Whose barriers are awaited.
        awaited: Vec<NodeId>,
    },
    /// There is no buffer free for the result on the way to this one.
    NoBuffer(NodeId),
    /// The receiver has no credit to give.
    NoCredit(NodeId),
    /// The sender has stopped behind a barrier that its receiver has not dealt with.
    StoppedBehind(CheckpointId),
    /// It does not run.
    Down,
    /// It stands still.
    Paused,
    /// Its thread waits for Kafka.
    Engaged(SinkWait),
    /// The record has not come to the topic yet.
    NotWritten,
    /// The enumerator has not assigned the partition yet.
    Unassigned,
    /// The job stops, has come to its end, or has failed.
    JobEnds,
    /// So many checkpoints are under way as may be.
    UnderWay(u32),
    /// Not all subtasks run.
    NotAllRun,
    /// There are as many checkpoints as the scenario wants.
    Enough,
    /// It waits for the acknowledgements of these.
    Acknowledgements(Vec<NodeId>),
    /// It waits until this checkpoint is complete.
    Completion(CheckpointId),
    /// It waits for word that this checkpoint is complete.
    Notification(CheckpointId),
    /// It waits for what it has asked of a coordinator.
    Coordinator,
    /// So many batches are in flight as `max.in.flight.requests.per.connection` allows, or the batch is.
    InFlight,
    /// The partition has no leader.
    NoLeader,
    /// Another producer has its transactional id.
    Fenced,
    /// The earlier transaction has not ended.
    TransactionEnds,
    /// Records of the transaction are not sent, or not acknowledged.
    Outstanding,
    /// The offset is not below what the reader may read: a transaction is open, or replicas have to follow.
    Unstable(Offset),
    /// The group is being rebalanced.
    Rebalancing,
    /// It works on records that were polled before.
    Busy,
    /// It waits for a commit of offsets.
    Committing,
    /// It waits for the votes of these.
    Votes(Vec<NodeId>),
    /// It waits for the decision; were these back, they could tell it.
    Decision(Vec<NodeId>),
    /// It waits until its log is forced.
    Log,
    /// The same message is still on its way.
    SameMessage,
}
