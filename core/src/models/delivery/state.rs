//! What changes while clients and brokers talk.

use smallvec::SmallVec;

use super::message::{Reply, Request};
use crate::collections::{Bits, Tally};
use crate::id::{Offset, PartitionId, RecordId};
use crate::kafka::batch::{ProducerEpoch, ProducerId, Sequence};
use crate::kafka::error::TransactionError;
use crate::kafka::group::{Generation, Group, Offsets};
use crate::kafka::producer::{BatchNumber, Producer};
use crate::kafka::replicated_log::{Produced, ReplicatedLog};
use crate::kafka::state_store::StateStore;
use crate::kafka::transaction_coordinator::{Session, TransactionCoordinator, TransactionalId};
use crate::scenario::delivery::Api;
use crate::scene::kafka::ClientTransaction;

/// Everything that changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// By partition.
    pub(super) logs: SmallVec<[ReplicatedLog; 2]>,
    /// By partition: records that readers have seen and retention has deleted.
    pub(super) deleted: SmallVec<[Tally; 1]>,
    /// By broker.
    pub(super) brokers: SmallVec<[Standing; 3]>,
    /// By client.
    pub(super) clients: SmallVec<[ClientState; 2]>,
    pub(super) coordinator: TransactionCoordinator,
    /// Transactional ids whose transaction has been open for its whole timeout.
    pub(super) overdue: Ids,
    /// Transactional ids that a failed transition has locked.
    pub(super) locked: Ids,
    /// The coordinator's clock has been set back, and no transition has failed because of it yet.
    pub(super) clock_back: bool,
    /// Requests that are answered when a transition is logged.
    pub(super) unlogged: SmallVec<[Unlogged; 1]>,
    /// Writes that are answered when they are replicated.
    pub(super) awaiting: SmallVec<[Awaiting; 2]>,
    /// What leaders remember of transactions that they have asked the coordinator about, and of which nothing
    /// has been appended.
    pub(super) verifications: SmallVec<[Verification; 1]>,
    /// By group.
    pub(super) groups: SmallVec<[GroupState; 1]>,
    /// By link: what is under way, the first to arrive first.
    pub(super) requests: SmallVec<[Queue<Request>; 4]>,
    pub(super) replies: SmallVec<[Queue<Reply>; 4]>,
    /// By record.
    pub(super) fates: SmallVec<[Fate; 8]>,
    /// By fault of messages: how many of these messages there have been.
    pub(super) counted: SmallVec<[u16; 2]>,
    pub(super) crashes: u8,
    pub(super) losses: u8,
}

/// Some transactional ids, the smallest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Ids(SmallVec<[TransactionalId; 1]>);

impl Ids {
    pub(super) fn contains(&self, id: TransactionalId) -> bool {
        self.0.binary_search(&id).is_ok()
    }

    pub(super) fn insert(&mut self, id: TransactionalId) {
        if let Err(at) = self.0.binary_search(&id) {
            self.0.insert(at, id);
        }
    }

    pub(super) fn remove(&mut self, id: TransactionalId) {
        self.0.retain(|known| *known != id);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = TransactionalId> + use<> {
        self.0.clone().into_iter()
    }
}

/// Messages under way, each with the connection on which it was sent.
pub(super) type Queue<T> = SmallVec<[(u8, T); 1]>;

/// Whether something runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Standing {
    /// It has not been started yet.
    Waiting,
    Running,
    /// It has died, and comes back by itself.
    Down,
    /// It is down until it is started.
    Stopped,
    /// It stands still, and does not know it.
    Paused,
}

/// What a producing application knows of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Fate {
    /// It has not been sent, or will be sent again.
    Unsent,
    /// It is in the hands of the producer.
    Sent,
    /// The application was told of success.
    Acknowledged,
    /// The application was told of failure.
    Failed,
    /// `send` has failed, and nobody has looked.
    Dropped,
    /// It was in a transaction that the application has aborted.
    Aborted,
}

/// A request that is answered when a transition is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Unlogged {
    pub id: TransactionalId,
    pub client: u16,
    pub connection: u8,
    pub api: Api,
    /// The client has to ask again: somebody's transaction is being aborted first.
    pub fencing: bool,
}

/// A write that is answered when it is replicated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Awaiting {
    pub partition: PartitionId,
    pub produced: Produced,
    pub whose: Whose,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Whose {
    Client {
        client: u16,
        connection: u8,
        number: BatchNumber,
    },
    Marker(TransactionalId),
}

/// The lowest sequence that a leader has seen of a transaction before it appends any of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Verification {
    pub partition: PartitionId,
    pub producer: ProducerId,
    pub epoch: ProducerEpoch,
    pub lowest: Sequence,
}

/// A client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ClientState {
    pub standing: Standing,
    /// By destination: a new one is opened when a response does not come.
    pub connections: SmallVec<[u8; 4]>,
    /// Destinations to which nothing more gets through on this connection: a request was lost on it.
    pub mute: Bits,
    /// Destinations from which nothing more gets through: a response was lost.
    pub deaf: Bits,
    /// Destinations that have died since something was sent to them: the connection is closed, and the client
    /// has not noticed yet.
    pub closed: Bits,
    /// Batches that are under way.
    pub flights: SmallVec<[Flight; 1]>,
    /// The request, other than batches, that is under way.
    pub call: Option<Call>,
    /// It waits before it asks again.
    pub backing_off: bool,
    /// By partition that it writes.
    pub producers: SmallVec<[Producer; 1]>,
    /// Its `transactional.id`.
    pub id: Option<TransactionalId>,
    /// Its identity as a producer.
    pub session: Option<Session>,
    /// What its application was told, if that is not part of this model.
    pub trouble: Option<Trouble>,
    pub transaction: Transaction,
    /// The next of its records to be sent, by its place among them.
    pub next: u32,
    /// Records to be sent again.
    pub again: SmallVec<[RecordId; 1]>,
    pub reading: Reading,
    /// By partition that it reads: its local store, on disk.
    pub stores: SmallVec<[Store; 1]>,
}

/// What an application is told that it cannot go on after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::models) enum Trouble {
    /// A request was refused, and nothing can be done about it.
    Refused(TransactionError),
    /// Records could not be written.
    Send,
}

/// A batch that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Flight {
    pub destination: u16,
    pub partition: PartitionId,
    pub number: BatchNumber,
}

/// A request that is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Call {
    pub api: Api,
    pub destination: u16,
}

/// A transaction, as its client sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Transaction {
    pub phase: ClientTransaction,
    /// How many the application has ended.
    pub ended: u32,
    /// The place of its first record among those of the application.
    pub begun_at: u32,
    /// The partitions that the coordinator knows of.
    pub added: SmallVec<[PartitionId; 2]>,
    /// The partitions that it is being told of.
    pub asked: SmallVec<[PartitionId; 2]>,
    pub offsets_added: bool,
    pub offsets_sent: bool,
    /// Something was, or may have been, written in it.
    pub used: bool,
    /// `InitProducerId` is needed before the next one: something is in doubt.
    pub renew: bool,
    /// The application repeats it.
    pub repeated: bool,
    /// The client makes `InitProducerId` in the middle of it, and goes on.
    pub reinitializes: bool,
}

/// Where an application is that reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Reading {
    /// The generation it believes to be in.
    pub generation: Option<Generation>,
    pub parts: SmallVec<[Part; 1]>,
    /// What `poll` has returned and nobody has begun with.
    pub buffer: SmallVec<[Item; 2]>,
    /// By worker.
    pub working: SmallVec<[Option<Item>; 1]>,
    /// Records that are done while some before them are not.
    pub done: SmallVec<[Item; 1]>,
    /// Offsets to be committed, and whether the application waits for that.
    pub commit: Option<(Offsets, bool)>,
    /// Offsets of partitions that are no longer assigned, which an old client keeps.
    pub stale: Offsets,
    /// Neither a committed offset nor a reset policy: the application has failed.
    pub failed: bool,
    /// Streams: offsets, output and changelog are being committed.
    pub committing: bool,
}

/// A partition that a consumer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Part {
    pub partition: PartitionId,
    /// What is fetched next.
    pub position: Offset,
    /// What is stored, to be committed by the client: librdkafka.
    pub stored: Option<Offset>,
    /// What the client knows as committed.
    pub committed: Option<Offset>,
    /// Behind the last record that is done, as long as all before are.
    pub finished: Offset,
}

/// A record that was polled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Item {
    pub record: RecordId,
    pub partition: PartitionId,
    pub offset: Offset,
}

/// A local store of Streams.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Store {
    pub counts: StateStore,
    /// It may be used.
    pub ready: bool,
}

/// A consumer group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct GroupState {
    pub group: Group,
    /// By record: how often its effect has happened.
    pub effects: Tally,
    /// By partition that it reads: the offsets whose effect has happened, where that is remembered.
    pub known: SmallVec<[Bits; 1]>,
    /// By partition that it reads: the offset that is stored with the effects.
    pub stored: SmallVec<[Option<Offset>; 1]>,
}

impl ClientState {
    pub(super) fn is_running(&self) -> bool {
        self.standing == Standing::Running
    }

    /// As a producer it is nobody any more, and has nothing to send.
    pub(super) fn forget_producer(&mut self) {
        for producer in &mut self.producers {
            *producer = Producer::default();
        }
        self.session = None;
    }

    /// Whether something it has sent there is not answered.
    pub(super) fn awaits_of(&self, destination: u16) -> bool {
        self.call.is_some_and(|it| it.destination == destination)
            || self.flights.iter().any(|it| it.destination == destination)
    }

    /// Whether something it has sent is not answered.
    pub(super) fn awaits(&self) -> bool {
        self.call.is_some() || !self.flights.is_empty()
    }

    /// Whether the application waits for a batch.
    pub(super) fn is_outstanding(&self) -> bool {
        self.producers
            .iter()
            .any(|producer| producer.outstanding().next().is_some())
    }
}

impl Reading {
    /// Whether something that was polled is not done.
    pub(super) fn is_busy(&self) -> bool {
        !self.buffer.is_empty() || self.working.iter().any(Option::is_some)
    }

    pub(super) fn part(&self, partition: PartitionId) -> Option<&Part> {
        self.parts.iter().find(|part| part.partition == partition)
    }

    pub(super) fn part_mut(&mut self, partition: PartitionId) -> Option<&mut Part> {
        self.parts
            .iter_mut()
            .find(|part| part.partition == partition)
    }

    /// It loses everything it had of its partitions.
    pub(super) fn revoke(&mut self) {
        self.parts.clear();
        self.buffer.clear();
        self.done.clear();
        self.commit = None;
    }

    /// Everything that is in memory is gone.
    pub(super) fn crash(&mut self) {
        let workers = self.working.len();
        *self = Self {
            working: SmallVec::from_elem(None, workers),
            ..Self::default()
        };
    }
}
