//! What happens between Kafka's clients and brokers.

use serde::Serialize;

use crate::id::{NodeId, Offset, PartitionId, RecordId};
use crate::kafka::batch::{ProducerEpoch, ProducerId, Sequence};
use crate::kafka::consumer_options::AutoOffsetReset;
use crate::kafka::error::{GroupError, ProduceError, TransactionError};
use crate::kafka::log::Outcome;
use crate::kafka::transaction_state::TransactionState;
use crate::scenario::delivery::{Api, Part};

/// One fact about what an action did to a client, a broker or a coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum KafkaEvent {
    /// An application handed a record to its producer.
    Sent {
        /// The client.
        client: NodeId,
        /// The record.
        record: RecordId,
        /// Where it goes.
        partition: PartitionId,
        /// Whether the application had sent it before.
        again: bool,
    },
    /// `send` failed at once: the record is larger than `max.request.size`.
    TooLarge {
        /// The client.
        client: NodeId,
        /// The record.
        record: RecordId,
        /// Whether the transaction can only be aborted now. Otherwise nobody looked at it.
        noticed: bool,
    },
    /// A producer sent a batch to the leader.
    Transmitted {
        /// The client.
        client: NodeId,
        /// Where to.
        partition: PartitionId,
        /// The first record of the batch.
        record: RecordId,
        /// How many records it holds.
        records: u32,
        /// The how-manieth attempt it is, from 1.
        attempt: u32,
        /// Producer id, epoch and first sequence; none without idempotence.
        stamp: Option<(ProducerId, ProducerEpoch, Sequence)>,
    },
    /// The leader appended a batch.
    Appended {
        /// The partition.
        partition: PartitionId,
        /// The leader.
        leader: NodeId,
        /// The first record of the batch.
        record: RecordId,
        /// How many records it holds.
        records: u32,
        /// Where the first one stands.
        offset: Offset,
        /// Whether the first record stood in the log before.
        again: bool,
    },
    /// The leader has the batch already, as far as it can tell: it answers with success and appends nothing.
    Deduplicated {
        /// The partition.
        partition: PartitionId,
        /// The leader.
        leader: NodeId,
        /// The first record of the batch.
        record: RecordId,
        /// Where it stands, as the leader believes.
        offset: Offset,
        /// Whether it is another record that stands there.
        mistaken: bool,
    },
    /// The leader refused a batch.
    Refused {
        /// The partition.
        partition: PartitionId,
        /// Who leads, or should.
        leader: NodeId,
        /// The first record of the batch.
        record: RecordId,
        /// Why.
        error: ProduceError,
    },
    /// A follower fetched.
    Replicated {
        /// The partition.
        partition: PartitionId,
        /// The follower.
        follower: NodeId,
        /// How many entries it copied.
        entries: u32,
        /// Whether it is in sync since.
        joined: bool,
    },
    /// A replica cut its log off where it parts from the leader's.
    Truncated {
        /// The partition.
        partition: PartitionId,
        /// The replica.
        replica: NodeId,
        /// Where.
        offset: Offset,
    },
    /// A replica is no longer in sync.
    FellBehind {
        /// The partition.
        partition: PartitionId,
        /// The replica.
        replica: NodeId,
        /// How many still are.
        in_sync: u32,
    },
    /// A replica leads from now on.
    Elected {
        /// The partition.
        partition: PartitionId,
        /// The replica.
        replica: NodeId,
        /// Whether it was in sync. If not, what is missing in its log is lost.
        clean: bool,
    },
    /// A client was told of success.
    Acknowledged {
        /// The client.
        client: NodeId,
        /// The first record of the batch.
        record: RecordId,
        /// How many records it holds.
        records: u32,
    },
    /// A client will send a batch again.
    WillRetry {
        /// The client.
        client: NodeId,
        /// The first record of the batch.
        record: RecordId,
        /// What the broker said; none if nothing came in time.
        error: Option<ProduceError>,
    },
    /// A client gave a batch up, and told the application.
    GivenUp {
        /// The client.
        client: NodeId,
        /// The first record of the batch.
        record: RecordId,
        /// How many records it holds.
        records: u32,
        /// What the broker said; none if nothing came in time: then it may have been written.
        error: Option<ProduceError>,
    },
    /// No response came within `request.timeout.ms`: the client opens a new connection.
    RequestTimedOut {
        /// The client.
        client: NodeId,
        /// What it had asked for last.
        api: Api,
    },
    /// A client finds its connection closed, and opens a new one.
    Disconnected {
        /// The client.
        client: NodeId,
        /// Whom it was connected to.
        from: NodeId,
        /// What it had asked for last, if it waits for an answer.
        api: Option<Api>,
    },
    /// A client goes on with a new identity.
    Identified {
        /// The client.
        client: NodeId,
        /// Its producer id.
        producer: ProducerId,
        /// Its epoch.
        epoch: ProducerEpoch,
    },
    /// The broker forgot a producer that had not written for `producer.id.expiration.ms`.
    ProducerForgotten {
        /// The partition.
        partition: PartitionId,
        /// Which.
        producer: ProducerId,
    },
    /// A client asked a coordinator for something.
    Asked {
        /// The client.
        client: NodeId,
        /// For what.
        api: Api,
    },
    /// A coordinator has taken a request, and answers when it has logged what follows.
    Taken {
        /// The client.
        client: NodeId,
        /// The request.
        api: Api,
    },
    /// A client was told that a coordinator has done what it had asked for.
    Granted {
        /// The client.
        client: NodeId,
        /// What it had asked for.
        api: Api,
    },
    /// An application commits or aborts its transaction; Streams commits.
    Ending {
        /// The client.
        client: NodeId,
        /// Which of the two.
        outcome: Outcome,
    },
    /// A consumer began with a record.
    Begun {
        /// The client.
        client: NodeId,
        /// The record.
        record: RecordId,
    },
    /// A client will commit by itself what it has positions for.
    AutoCommits {
        /// The client.
        client: NodeId,
    },
    /// A transaction has been open for `transaction.timeout.ms`: the next look for such transactions finds it.
    Overdue {
        /// The coordinator.
        coordinator: NodeId,
        /// The transactional id, by its number.
        transactional_id: u32,
    },
    /// A message was lost.
    MessageLost {
        /// The client that made the request.
        client: NodeId,
        /// The request.
        api: Api,
        /// Whether it was the request or its response.
        part: Part,
    },
    /// A message will be late.
    MessageDelayed {
        /// The client that made the request.
        client: NodeId,
        /// The request.
        api: Api,
        /// Whether it was the request or its response.
        part: Part,
    },
    /// A request came late: its client had given it up.
    StragglerArrived {
        /// The client that made the request.
        client: NodeId,
        /// The request.
        api: Api,
    },
    /// An application began a transaction.
    TransactionBegun {
        /// The client.
        client: NodeId,
        /// Its number in the application, from 1.
        number: u32,
    },
    /// An application was told how its transaction ended.
    TransactionEnded {
        /// The client.
        client: NodeId,
        /// Its number in the application, from 1.
        number: u32,
        /// How.
        outcome: Outcome,
    },
    /// An application has to abort its transaction.
    MustAbort {
        /// The client.
        client: NodeId,
        /// Its number in the application, from 1.
        number: u32,
    },
    /// The client went through `InitProducerId` in the middle of a transaction, and goes on as if nothing
    /// had happened.
    Reinitialized {
        /// The client.
        client: NodeId,
    },
    /// A client was fenced: another one has its transactional id. It cannot go on.
    Fenced {
        /// The client.
        client: NodeId,
        /// What the coordinator or the broker said.
        api: Api,
    },
    /// The coordinator refused a request of a client.
    TransactionRefused {
        /// The client.
        client: NodeId,
        /// The request.
        api: Api,
        /// Why.
        error: TransactionError,
    },
    /// The coordinator logged a transition of a transactional id.
    TransactionLogged {
        /// The coordinator.
        coordinator: NodeId,
        /// The transactional id, by its number.
        transactional_id: u32,
        /// Where it is now.
        state: TransactionState,
        /// The epoch that holds.
        epoch: ProducerEpoch,
    },
    /// The transaction has been open for longer than `transaction.timeout.ms`: it is aborted.
    TransactionTimedOut {
        /// The coordinator.
        coordinator: NodeId,
        /// The transactional id, by its number.
        transactional_id: u32,
    },
    /// The coordinator looked for transactions that have taken too long.
    Scanned {
        /// The coordinator.
        coordinator: NodeId,
        /// How many it found.
        found: u32,
    },
    /// A partition got the control record that ends a transaction.
    MarkerWritten {
        /// The partition.
        partition: PartitionId,
        /// The leader.
        leader: NodeId,
        /// Where it stands.
        offset: Offset,
        /// How the transaction ends.
        outcome: Outcome,
        /// Whose.
        producer: ProducerId,
    },
    /// A partition refused the control record: its producer has a newer epoch there.
    MarkerRefused {
        /// The partition.
        partition: PartitionId,
        /// Whose.
        producer: ProducerId,
    },
    /// The offsets of a group that were pending in a transaction hold now, or are dropped.
    OffsetsDecided {
        /// The group, by its number.
        group: u16,
        /// How the transaction ends.
        outcome: Outcome,
    },
    /// A member joined its group, or joined again.
    Joined {
        /// The client.
        client: NodeId,
        /// The group, by its number.
        group: u16,
    },
    /// A member is no longer in its group.
    Left {
        /// The client.
        client: NodeId,
        /// The group, by its number.
        group: u16,
        /// Why.
        reason: Leaving,
    },
    /// A group has a new generation: partitions are spread anew.
    Rebalanced {
        /// The group, by its number.
        group: u16,
        /// The generation.
        generation: u32,
    },
    /// A consumer got partitions, and where it goes on in one of them.
    Assigned {
        /// The client.
        client: NodeId,
        /// The partition.
        partition: PartitionId,
        /// Where it goes on.
        position: Offset,
        /// What decided that: an `auto.offset.reset`, or a committed offset.
        reset: Option<AutoOffsetReset>,
    },
    /// A consumer has neither a committed offset that is in the log nor a policy: it fails.
    NoOffset {
        /// The client.
        client: NodeId,
        /// The partition.
        partition: PartitionId,
    },
    /// `poll` returned records of a partition.
    Polled {
        /// The client.
        client: NodeId,
        /// The partition.
        partition: PartitionId,
        /// How many.
        records: u32,
        /// The position afterwards.
        position: Offset,
    },
    /// A client dropped records that it should have returned.
    Skipped {
        /// The client.
        client: NodeId,
        /// The partition.
        partition: PartitionId,
        /// How many.
        records: u32,
    },
    /// A consumer finished a record: the effect is there.
    Processed {
        /// The client.
        client: NodeId,
        /// The record.
        record: RecordId,
        /// How often its effect has happened now.
        times: u32,
        /// The effect was there already, and did not happen again.
        known: bool,
    },
    /// A Streams application applied a record to its store.
    Counted {
        /// The client.
        client: NodeId,
        /// The record.
        record: RecordId,
        /// How often the store contains it now.
        times: u32,
    },
    /// The coordinator stored a committed offset.
    OffsetCommitted {
        /// The client.
        client: NodeId,
        /// The group, by its number.
        group: u16,
        /// The partition.
        partition: PartitionId,
        /// The next offset to be read.
        offset: Offset,
        /// Whether it is lower than the one before.
        backwards: bool,
        /// Whether it holds only if a transaction is committed.
        pending: bool,
    },
    /// The coordinator refused a commit.
    CommitRefused {
        /// The client.
        client: NodeId,
        /// The group, by its number.
        group: u16,
        /// Why.
        error: GroupError,
    },
    /// The committed offsets of a group were deleted: nobody had been in it for `offsets.retention.minutes`.
    OffsetsExpired {
        /// The group, by its number.
        group: u16,
    },
    /// Retention deleted the beginning of a log.
    Deleted {
        /// The partition.
        partition: PartitionId,
        /// Where the log begins now.
        start: Offset,
    },
    /// A Streams application made its store ready.
    StoreReady {
        /// The client.
        client: NodeId,
        /// Whether it was wiped and restored from the changelog; otherwise it was kept as it was on disk.
        restored: bool,
    },
    /// A broker, a client or a coordinator died.
    Crashed {
        /// Which.
        node: NodeId,
    },
    /// It was shut down.
    Stopped {
        /// Which.
        node: NodeId,
    },
    /// It runs again.
    Started {
        /// Which.
        node: NodeId,
    },
    /// It stands still.
    Paused {
        /// Which.
        node: NodeId,
    },
    /// It goes on.
    Resumed {
        /// Which.
        node: NodeId,
    },
    /// A broker that is down has lost its log.
    LogLost {
        /// A replica on it.
        node: NodeId,
    },
    /// The transaction coordinator's clock was set back.
    ClockSteppedBack {
        /// The coordinator.
        coordinator: NodeId,
        /// Whether a transition failed because of it, and the transactional id is locked.
        locks: bool,
    },
}

/// Why a member left its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Leaving {
    /// It was shut down.
    Closed,
    /// It did not call `poll` within `max.poll.interval.ms`.
    PollTooLate,
    /// No heartbeat came within `session.timeout.ms`.
    NoHeartbeat,
    /// It has been started again, and what it was before it died is no member any more.
    Restarted,
}
