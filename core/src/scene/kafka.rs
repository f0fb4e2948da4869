//! What Kafka's clients, brokers and coordinators are and hold.

use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use super::CellStatus;
use crate::id::{NodeId, Offset, PartitionId, RecordId};
use crate::kafka::batch::{ProducerEpoch, ProducerId, Sequence};
use crate::kafka::log::{IsolationLevel, Outcome};
use crate::kafka::transaction_state::TransactionState;
use crate::scenario::delivery::{Api, Part};
use crate::verdict::Verdict;

/// A producer, in an application or in Kafka Streams.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProducerView {
    /// Producer id and epoch; none without idempotence, and before it has asked for one.
    pub session: Option<(ProducerId, ProducerEpoch)>,
    /// Whether its batches carry them.
    pub idempotent: bool,
    /// Its `transactional.id`.
    pub transactional_id: Option<String>,
    /// Where its transaction is.
    pub transaction: ClientTransaction,
    /// How many records it has to send in all.
    pub records: u32,
    /// How many of them it was told of success.
    pub acknowledged: u32,
    /// How many of them it was told of failure.
    pub failed: u32,
    /// What it has under way, the oldest first.
    pub outstanding: Vec<BatchView>,
}

/// A batch that an application waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BatchView {
    /// Where to.
    pub partition: PartitionId,
    /// Its records.
    pub records: Vec<RecordId>,
    /// Its first sequence, once it has been sent.
    pub sequence: Option<Sequence>,
    /// Whether a response is awaited.
    pub in_flight: bool,
    /// How often it has been sent.
    pub attempts: u32,
}

/// Where a transaction is, as its client sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub enum ClientTransaction {
    /// It writes in none.
    #[default]
    None,
    /// It asks for its producer id and epoch.
    Initializing,
    /// There is none at the moment.
    Ready,
    /// It is open.
    Open,
    /// It is being committed.
    Committing,
    /// It is being aborted.
    Aborting,
    /// It can only be aborted.
    MustAbort,
    /// The client is fenced.
    Fenced,
}

/// A replica of a partition. Its node is called like its topic, and its number is that of its partition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplicaView {
    /// Which partition.
    pub partition: PartitionId,
    /// The broker it is on, from 1.
    pub broker: u16,
    /// Whether it leads.
    pub leads: bool,
    /// Whether it is in sync.
    pub in_sync: bool,
    /// The leader's term.
    pub epoch: u32,
    /// Where the log begins.
    pub start: Offset,
    /// Where the next entry will stand.
    pub end: Offset,
    /// Below it, everything is on every replica that is in sync, as far as this one knows.
    pub high_watermark: Offset,
    /// Up to where a `read_committed` reader may read.
    pub last_stable: Offset,
    /// Its entries.
    pub entries: Vec<EntryView>,
}

/// An entry of a log that occupies one offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct EntryView {
    /// Where it stands.
    pub offset: Offset,
    /// The record; none for a control record.
    pub record: Option<RecordId>,
    /// What has become of it.
    pub status: CellStatus,
    /// Producer id and epoch; none for a producer without idempotence.
    pub producer: Option<(ProducerId, ProducerEpoch)>,
    /// Its sequence.
    pub sequence: Option<Sequence>,
    /// Whether a batch begins with it.
    pub begins_batch: bool,
}

/// The transaction coordinator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TransactionsView {
    /// Its transactional ids.
    pub rows: Vec<TransactionRow>,
    /// Its term: how often another broker has taken over.
    pub term: u32,
}

/// A transactional id, as the coordinator knows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TransactionRow {
    /// Its number, by which events name it.
    pub number: u32,
    /// The id.
    pub transactional_id: String,
    /// Where it is.
    pub state: TransactionState,
    /// Where a transition leads that is being logged.
    pub pending: Option<TransactionState>,
    /// Its producer id.
    pub producer: ProducerId,
    /// The epoch that holds.
    pub epoch: Option<ProducerEpoch>,
    /// The partitions that take part.
    pub partitions: Vec<PartitionId>,
    /// Whether the offsets of a group do.
    pub offsets: bool,
    /// How many markers are still to be written.
    pub unmarked: u32,
    /// A failed transition has locked it.
    pub locked: bool,
}

/// The group coordinator.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupsView {
    /// Its groups.
    pub groups: Vec<GroupView>,
}

/// A consumer group.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupView {
    /// Its name.
    pub name: String,
    /// Its generation.
    pub generation: u32,
    /// Whether it waits for members to join again.
    pub rebalancing: bool,
    /// Its members.
    pub members: Vec<NodeId>,
    /// Its partitions.
    pub rows: Vec<OffsetRow>,
}

/// What a group knows of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OffsetRow {
    /// The partition.
    pub partition: PartitionId,
    /// The committed offset.
    pub committed: Option<Offset>,
    /// An offset that holds if a transaction is committed.
    pub pending: Option<Offset>,
    /// Who has the partition.
    pub owner: Option<NodeId>,
}

/// A consumer, in an application or in Kafka Streams.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConsumerView {
    /// Its group.
    pub group: String,
    /// The generation it believes to be in.
    pub generation: Option<u32>,
    /// What it reads.
    pub isolation: IsolationLevel,
    /// Its partitions.
    pub rows: Vec<PositionRow>,
    /// What `poll` has returned and is not finished, in order.
    pub buffered: Vec<RecordId>,
    /// What is being worked on.
    pub working: Vec<RecordId>,
    /// The application has failed: neither a committed offset nor a reset policy.
    pub failed: bool,
}

/// Where a consumer is in a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PositionRow {
    /// The partition.
    pub partition: PartitionId,
    /// What it fetches next.
    pub position: Offset,
    /// The offset that it would commit now.
    pub stored: Option<Offset>,
    /// What is committed, as the coordinator knows.
    pub committed: Option<Offset>,
    /// How far it may read.
    pub readable: Offset,
}

/// The local store of a Streams application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoreView {
    /// By key: how many records it has counted, each as often as it was applied.
    pub counts: Vec<(String, u32)>,
    /// How many records it contains more often than it should.
    pub counted_twice: u32,
}

/// What somebody sees who is judged.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AudienceView {
    /// Who.
    pub audience: Audience,
    /// Whether the scenario's verdict is about it.
    pub judged: bool,
    /// The records it sees, in order, each as often as it does.
    pub records: Vec<RecordId>,
    /// The account.
    pub verdict: Verdict,
}

/// Who is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Audience {
    /// A reader of the topics that are written last.
    Reader(IsolationLevel),
    /// What the consumers of a group did, by its number.
    Effects(u16),
    /// The store of a Streams application, by its number among them.
    Store(u16),
}

/// A request or a response on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Message {
    /// The request.
    pub api: Api,
    /// Whether it is the request or its response.
    pub part: Part,
    /// The first record, for a batch.
    pub record: Option<RecordId>,
    /// How many records it holds.
    pub records: u32,
    /// How a transaction is to end.
    pub outcome: Option<Outcome>,
    /// Whether a response tells of success.
    pub success: bool,
    /// Its client has given it up.
    pub late: bool,
}
