use crate::id::{LinkId, PartitionId};
use crate::kafka::batch::ProducerId;
use crate::kafka::producer::BatchNumber;
use crate::kafka::replicated_log::ReplicaId;
use crate::kafka::transaction_coordinator::TransactionalId;
use crate::kafka::transaction_state::Participant;

/// A client of the scenario: producers, then consumers, then Streams applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u16);

/// Something that can be down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Body {
    /// A client.
    Client(ClientId),
    /// A broker, by its number from 0.
    Broker(u16),
    /// The transaction coordinator.
    TransactionCoordinator,
    /// The group coordinator.
    GroupCoordinator,
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// An application hands the next records to its producer.
    Send(ClientId),
    /// An application commits or aborts its transaction; Streams begins its commit.
    Finish(ClientId),
    /// A client makes the request that it needs next.
    Call(ClientId),
    /// A producer sends a batch.
    Transmit(ClientId, PartitionId),
    /// Whoever is at the end of a link takes the message at this place of it.
    Receive(LinkId, u16),
    /// A client gives up what it has asked of a broker or a coordinator.
    TimeOut(ClientId, u16),
    /// A batch has taken too long.
    Expire(ClientId, PartitionId, BatchNumber),
    /// A consumer joins its group.
    Join(ClientId),
    /// A consumer takes over its partitions.
    Assign(ClientId),
    /// A Streams application makes the store of a partition ready.
    Restore(ClientId, PartitionId),
    /// A consumer polls.
    Poll(ClientId),
    /// A worker takes the next record that was polled.
    Take(ClientId, u16),
    /// A worker finishes its record.
    Process(ClientId, u16),
    /// A client commits by itself.
    AutoCommit(ClientId),
    /// A consumer leaves its group: it has not polled for too long.
    Leave(ClientId),
    /// A follower fetches.
    Fetch(PartitionId, ReplicaId),
    /// A follower is put out of sync.
    FallBehind(PartitionId, ReplicaId),
    /// A replica is made leader.
    Elect(PartitionId, ReplicaId),
    /// A leader forgets a producer.
    Forget(PartitionId, ProducerId),
    /// A leader deletes its first entry.
    Delete(PartitionId),
    /// The coordinator logs a transition.
    Log(TransactionalId),
    /// The coordinator has a marker written.
    WriteMarker(TransactionalId, Participant),
    /// A transaction has been open for its whole timeout.
    Overdue(TransactionalId),
    /// The coordinator looks for those.
    Scan,
    /// The coordinator puts a member out of its group.
    Evict(ClientId),
    /// The committed offsets of an empty group are deleted.
    ExpireOffsets(u16),
    /// Something that was down runs again.
    Start(Body),
    /// Fault: it dies.
    Crash(Body),
    /// Fault: it is shut down.
    Stop(Body),
    /// Fault: it stands still.
    Pause(Body),
    /// It goes on.
    Resume(Body),
    /// Fault: a broker that is down loses its log.
    LoseLog(u16),
    /// Fault: the message at this place of a link is lost.
    Lose(LinkId, u16),
    /// Fault: the transaction coordinator's clock is set back.
    StepClockBack,
}
