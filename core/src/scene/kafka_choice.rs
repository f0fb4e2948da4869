//! What may happen between Kafka's clients and brokers.

use super::kafka::Message;
use crate::id::{LinkId, NodeId, Offset, PartitionId, RecordId};
use crate::kafka::log::Outcome;
use crate::kafka::transaction_state::TransactionState;
use crate::scenario::delivery::{Api, Part};

/// An action of the models *delivery* and *streams*, described for whoever chooses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KafkaChoice {
    /// An application hands the next record to its producer.
    Send {
        /// The client.
        client: NodeId,
        /// The record.
        record: RecordId,
    },
    /// An application commits or aborts.
    Finish {
        /// The client.
        client: NodeId,
        /// Which of the two.
        outcome: Outcome,
    },
    /// A client makes the request that it needs next.
    Call {
        /// The client.
        client: NodeId,
        /// The request.
        api: Api,
    },
    /// A producer sends a batch.
    Transmit {
        /// The client.
        client: NodeId,
        /// Where to.
        partition: PartitionId,
        /// The first record of the batch.
        record: RecordId,
    },
    /// A message is taken from a link.
    Deliver {
        /// Who takes it.
        node: NodeId,
        /// Whose request it is.
        client: NodeId,
        /// What.
        message: Message,
        /// The link.
        link: LinkId,
        /// How many others it overtakes there.
        place: u32,
    },
    /// A response has not come in time.
    TimeOut {
        /// The client.
        client: NodeId,
        /// From whom it was awaited.
        from: NodeId,
    },
    /// `delivery.timeout.ms` has passed for a batch.
    Expire {
        /// The client.
        client: NodeId,
        /// The first record of the batch.
        record: RecordId,
    },
    /// A follower fetches.
    Fetch {
        /// The follower.
        replica: NodeId,
    },
    /// A replica is put out of sync.
    FallBehind {
        /// The replica.
        replica: NodeId,
    },
    /// A replica is made leader.
    Elect {
        /// The replica.
        replica: NodeId,
    },
    /// The broker forgets a producer.
    ForgetProducer {
        /// The leader.
        replica: NodeId,
        /// The producer id.
        producer: u32,
    },
    /// Retention deletes the beginning of a log.
    Delete {
        /// The leader.
        replica: NodeId,
        /// Where the log begins then.
        start: Offset,
    },
    /// The coordinator logs a transition.
    Log {
        /// The coordinator.
        coordinator: NodeId,
        /// The transactional id, by its number.
        transactional_id: u32,
        /// Where it leads.
        state: TransactionState,
    },
    /// The coordinator has a marker written.
    WriteMarker {
        /// The coordinator.
        coordinator: NodeId,
        /// The transactional id, by its number.
        transactional_id: u32,
        /// The partition; none for the offsets of a group.
        partition: Option<PartitionId>,
    },
    /// A transaction has been open for its whole timeout.
    Overdue {
        /// The coordinator.
        coordinator: NodeId,
        /// The transactional id, by its number.
        transactional_id: u32,
    },
    /// The coordinator looks for transactions that have taken too long.
    Scan {
        /// The coordinator.
        coordinator: NodeId,
    },
    /// A consumer joins its group, or joins again.
    Join {
        /// The client.
        client: NodeId,
    },
    /// A consumer takes over what its group has given to it.
    Assign {
        /// The client.
        client: NodeId,
    },
    /// A Streams application makes the store of a partition ready.
    Restore {
        /// The client.
        client: NodeId,
        /// The partition that it reads.
        partition: PartitionId,
    },
    /// A consumer polls.
    Poll {
        /// The client.
        client: NodeId,
    },
    /// A consumer begins with a record.
    Begin {
        /// The client.
        client: NodeId,
        /// The record.
        record: RecordId,
    },
    /// A consumer finishes a record.
    Process {
        /// The client.
        client: NodeId,
        /// The record.
        record: RecordId,
    },
    /// A consumer commits.
    Commit {
        /// The client.
        client: NodeId,
    },
    /// A member leaves its group, or is put out of it.
    Leave {
        /// The client.
        client: NodeId,
    },
    /// The committed offsets of an empty group are deleted.
    ExpireOffsets {
        /// The coordinator.
        coordinator: NodeId,
        /// The group, by its number.
        group: u16,
    },
    /// Something that was down runs again.
    Start {
        /// What.
        node: NodeId,
        /// The broker, from 1, if it is one.
        broker: Option<u16>,
    },
    /// Fault: a client, a broker or a coordinator dies.
    Crash {
        /// Which; a broker is named by its first replica.
        node: NodeId,
        /// The broker, from 1, if it is one.
        broker: Option<u16>,
    },
    /// Fault: a client or a broker stands still.
    Pause {
        /// Which.
        node: NodeId,
        /// The broker, from 1, if it is one.
        broker: Option<u16>,
    },
    /// What stood still goes on.
    Resume {
        /// Which.
        node: NodeId,
        /// The broker, from 1, if it is one.
        broker: Option<u16>,
    },
    /// Fault: a client is shut down, or a broker stays down.
    Stop {
        /// Which.
        node: NodeId,
        /// The broker, from 1, if it is one.
        broker: Option<u16>,
    },
    /// Fault: a broker that is down loses its log.
    LoseLog {
        /// A replica on it.
        node: NodeId,
        /// The broker, from 1.
        broker: u16,
    },
    /// Fault: a message is lost.
    Lose {
        /// Whose request it is.
        client: NodeId,
        /// The request.
        api: Api,
        /// Whether it is the request or its response.
        part: Part,
        /// The first record, for a batch.
        record: Option<RecordId>,
        /// The link.
        link: LinkId,
        /// Which of those on this link it is.
        place: u32,
    },
    /// Fault: the transaction coordinator's clock is set back.
    StepClockBack {
        /// The coordinator.
        coordinator: NodeId,
    },
}

impl KafkaChoice {
    /// The node at which it happens.
    pub fn node(&self) -> NodeId {
        match *self {
            Self::Send { client, .. }
            | Self::Finish { client, .. }
            | Self::Call { client, .. }
            | Self::Transmit { client, .. }
            | Self::TimeOut { client, .. }
            | Self::Expire { client, .. }
            | Self::Join { client }
            | Self::Assign { client }
            | Self::Restore { client, .. }
            | Self::Begin { client, .. }
            | Self::Poll { client }
            | Self::Process { client, .. }
            | Self::Commit { client }
            | Self::Leave { client }
            | Self::Lose { client, .. } => client,
            Self::Fetch { replica }
            | Self::FallBehind { replica }
            | Self::Elect { replica }
            | Self::ForgetProducer { replica, .. }
            | Self::Delete { replica, .. } => replica,
            Self::Log { coordinator, .. }
            | Self::WriteMarker { coordinator, .. }
            | Self::Overdue { coordinator, .. }
            | Self::Scan { coordinator }
            | Self::ExpireOffsets { coordinator, .. }
            | Self::StepClockBack { coordinator } => coordinator,
            Self::Deliver { node, .. }
            | Self::Start { node, .. }
            | Self::Crash { node, .. }
            | Self::Pause { node, .. }
            | Self::Resume { node, .. }
            | Self::Stop { node, .. }
            | Self::LoseLog { node, .. } => node,
        }
    }

    /// Whether it breaks something.
    pub fn is_fault(&self) -> bool {
        matches!(
            self,
            Self::Crash { .. }
                | Self::Pause { .. }
                | Self::Stop { .. }
                | Self::LoseLog { .. }
                | Self::Lose { .. }
                | Self::StepClockBack { .. }
        )
    }
}
