//! What there is to draw at one step, with no word about how: nodes, links, tokens, facts.
//!
//! A scene is made by a model from its state and the Clock's account of what is under way. Whoever
//! draws it decides on places, shapes, colours and words, and owns no rule. Every token is a token of
//! the core's state.

mod job_choice;
pub mod kafka;
mod kafka_choice;
pub mod votes;
pub mod whereabouts;
mod withheld;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

pub use job_choice::JobChoice;
pub use kafka_choice::KafkaChoice;
pub use withheld::{Deed, Why, Withheld};

use serde::Serialize;

use crate::flink::coordinator::Purpose;
use crate::id::{CheckpointId, LinkId, NodeId, Offset, PartitionId, RecordId, SubtaskId};
use crate::time::Micros;

/// Everything that can be seen at one step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scene {
    /// The moment of the step.
    #[serde(rename = "at_us", serialize_with = "crate::time::whole")]
    pub at: Micros,
    /// The things that stand: in the order of their ids, sources first, along the flow of data.
    pub nodes: Vec<Node>,
    /// The ways between them.
    pub links: Vec<Wire>,
}

/// A thing that stands in its place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Node {
    /// Its id: the same in every scene of a run.
    pub id: NodeId,
    /// The name of the operator, topic or role.
    pub name: String,
    /// Its number among those of the same name, from 0.
    pub number: u16,
    /// How many of the same name there are.
    pub of: u16,
    /// Where it belongs.
    pub place: Place,
    /// The TaskManager it runs on, for a subtask of a job that has several.
    pub task_manager: Option<u16>,
    /// Whether it runs.
    pub health: Health,
    /// What it does at the moment.
    pub work: Option<Work>,
    /// What it is and what it holds.
    pub facts: Facts,
}

impl Node {
    /// The name by which a person finds it among all others: `total[0]`, `out-0@broker-1`.
    pub fn full_name(&self) -> String {
        match (&self.facts, self.place) {
            (Facts::Replica(replica), _) => {
                format!("{}-{}@broker-{}", self.name, self.number, replica.broker)
            }
            (
                Facts::Producer(_)
                | Facts::Consumer(_)
                | Facts::Streams { .. }
                | Facts::Participant(_),
                _,
            ) => self.name.clone(),
            (_, Place::Flow { .. }) => format!("{}[{}]", self.name, self.number),
            _ => self.name.clone(),
        }
    }
}

/// Where a node belongs: data flows from stage to stage, control above it, what is durable below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Place {
    /// In the flow of data.
    Flow {
        /// How far along, from 0.
        stage: u16,
        /// Which of the parallel ones, from 0.
        lane: u16,
        /// How many parallel ones there are.
        lanes: u16,
    },
    /// Above the flow: coordination.
    Control,
    /// Below the flow: what survives a crash.
    Durable,
    /// At the end: who reads the result.
    Reader,
}

/// Whether a node runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Health {
    /// It does.
    Running,
    /// It is deployed, and will run soon.
    Starting,
    /// It was the one that died.
    Crashed,
    /// It was stopped because another one died, or shut down.
    Cancelled,
    /// It stands still, and does not know it.
    Paused,
    /// It is no part of the job any more, which was deployed again with fewer subtasks.
    Removed,
}

/// An action that has begun and will be applied later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Work {
    /// When it began.
    #[serde(rename = "began_us", serialize_with = "crate::time::whole")]
    pub began: Micros,
    /// When it will be applied.
    #[serde(rename = "until_us", serialize_with = "crate::time::whole")]
    pub until: Micros,
    /// The record that is worked on, if it is one.
    pub record: Option<RecordId>,
}

/// What a node is and holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub enum Facts {
    /// A partition of the input topic.
    Input {
        /// Which partition.
        partition: PartitionId,
        /// Its records, and what has become of each.
        cells: Vec<Cell>,
        /// The offset that the source reads next.
        next: Offset,
    },
    /// A source subtask.
    Source {
        /// The partitions it reads, with the offset it reads next in each.
        positions: Vec<(PartitionId, Offset)>,
        /// The checkpoint whose epoch its next record belongs to.
        epoch: CheckpointId,
    },
    /// An operator subtask.
    Operator {
        /// How it treats its input.
        alignment: Gate,
        /// The sum of the values in its state, each as often as it was counted; none without state.
        sum: Option<u64>,
        /// How many different records its state contains.
        counted: u32,
        /// How many of them more often than they should be.
        counted_twice: u32,
        /// If it is a broadcast state: the records that this copy holds, each as often as it was applied.
        applied: Option<Vec<RecordId>>,
        /// If it is a part of a table sink: how many records it holds that are not in the table yet.
        holds: Option<u32>,
        /// The checkpoint whose epoch its state belongs to.
        epoch: CheckpointId,
    },
    /// A sink subtask.
    Sink {
        /// How it treats its input.
        alignment: Gate,
        /// The transaction it writes into; none if it writes at once.
        open: Option<Transaction>,
        /// Transactions that wait for their checkpoint to complete, the oldest first.
        pending: Vec<Transaction>,
        /// The number of the last transaction known as committed.
        committed: Option<u32>,
        /// What its thread waits for in Kafka, where the output topic has brokers: it does nothing else
        /// meanwhile.
        waits: Option<SinkWait>,
        /// Its producers, where the output topic has brokers.
        producers: Vec<kafka::ProducerView>,
        /// The checkpoint whose epoch its next record belongs to.
        epoch: CheckpointId,
    },
    /// A partition of the output topic.
    Output {
        /// Which partition.
        partition: PartitionId,
        /// Its entries, control records included.
        cells: Vec<Cell>,
        /// Up to where a `read_committed` reader may read.
        last_stable: Offset,
    },
    /// The checkpoint coordinator.
    Coordinator {
        /// The checkpoints under way, the oldest first.
        pending: Vec<PendingView>,
        /// The last completed checkpoint, savepoints left out.
        completed: Option<CheckpointId>,
        /// How many checkpoints in a row have failed, and how many may before the job does.
        failures: (u32, u32),
        /// Whether subtasks are about to be restarted, and from which checkpoint.
        restarting: Option<CheckpointId>,
        /// What becomes of the job.
        job: JobView,
    },
    /// The checkpoint store: one row per checkpoint that it holds, the oldest first.
    Store {
        /// The rows.
        rows: Vec<StoreRow>,
    },
    /// The reader of the result.
    Reader {
        /// Whether it sees committed records only.
        read_committed: bool,
        /// The sum that it shows.
        total: u64,
        /// The sum that is right in the end.
        true_total: u64,
    },
    /// An application that writes with Kafka's producer.
    Producer(kafka::ProducerView),
    /// A replica of a partition.
    Replica(kafka::ReplicaView),
    /// Kafka's transaction coordinator.
    Transactions(kafka::TransactionsView),
    /// Kafka's group coordinator.
    Groups(kafka::GroupsView),
    /// An application that reads with Kafka's consumer.
    Consumer(kafka::ConsumerView),
    /// An instance of a Kafka Streams application.
    Streams {
        /// Its consumer.
        consumer: kafka::ConsumerView,
        /// Its producer.
        producer: kafka::ProducerView,
        /// Its local store.
        store: Option<kafka::StoreView>,
    },
    /// Somebody who sees what came out.
    Audience(kafka::AudienceView),
    /// The coordinator of a two-phase commit.
    Committer(votes::CommitterView),
    /// A participant in a two-phase commit.
    Participant(votes::ParticipantView),
}

/// A checkpoint under way, as the coordinator sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PendingView {
    /// Which.
    pub checkpoint: CheckpointId,
    /// What for.
    pub purpose: Purpose,
    /// How many subtasks have acknowledged it.
    pub acknowledged: u32,
    /// How many there are.
    pub subtasks: u32,
}

/// What becomes of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum JobView {
    /// It goes on.
    Running,
    /// It stops with a savepoint.
    Stopping,
    /// It has come to the end of its data.
    Finishing,
    /// It has failed for good.
    Failed,
}

/// The input side of a subtask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Gate {
    /// How many channels it has.
    pub channels: u32,
    /// What it does with the barriers of checkpoints of which some have come and some have not, the
    /// oldest first. Only an at-least-once tracker has several.
    pub collecting: Vec<Collecting>,
}

/// The barriers of a checkpoint, as far as they have come to an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Collecting {
    /// Which checkpoint.
    pub checkpoint: CheckpointId,
    /// The channels that are blocked.
    pub blocked: Vec<u32>,
    /// The channels on which its barrier has still to come.
    pub awaited: Vec<u32>,
}

/// A transaction of a sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Transaction {
    /// Its number: the checkpoint whose records it holds.
    pub number: u32,
    /// How many records are in it.
    pub records: u32,
    /// The checkpoint with which it will be committed, once it is pre-committed.
    pub checkpoint: Option<CheckpointId>,
}

/// What the thread of a sink waits for in Kafka.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum SinkWait {
    /// It is deployed, and begins.
    Deployed,
    /// It commits what the restored checkpoint holds.
    Recommitting,
    /// It looks for transactions that an earlier attempt has left open.
    Cleaning,
    /// Its first producer asks for an identity.
    Opening,
    /// What it has written before this barrier is not acknowledged yet.
    Flushing(CheckpointId),
    /// The producer of the next transaction asks for an identity, behind this barrier.
    Beginning(CheckpointId),
    /// It commits what belongs to this checkpoint.
    Committing(CheckpointId),
}

/// An entry of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// The record; none for a control record.
    pub record: Option<RecordId>,
    /// What has become of it.
    pub status: CellStatus,
    /// The checkpoint interval it belongs to, where that is known.
    pub epoch: Option<CheckpointId>,
}

/// What has become of an entry of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum CellStatus {
    /// In an input log: before the offset at which its source begins to read.
    Skipped,
    /// In an input log: not read yet.
    Ahead,
    /// In an input log: read, but not covered by a completed checkpoint: a crash has it read again.
    Read,
    /// In an input log: covered by the last completed checkpoint.
    Covered,
    /// Written outside any transaction: visible at once.
    Plain,
    /// In a transaction that is open.
    Open,
    /// In a committed transaction, and readable.
    Committed,
    /// In a committed transaction, hidden behind an older open one.
    Hidden,
    /// In an aborted transaction.
    Aborted,
    /// A control record: commit.
    CommitMarker,
    /// A control record: abort.
    AbortMarker,
}

/// A checkpoint in the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StoreRow {
    /// Which.
    pub checkpoint: CheckpointId,
    /// What for.
    pub purpose: Purpose,
    /// Whether it is complete.
    pub complete: bool,
    /// How many records it holds as in-flight data.
    pub in_flight: u32,
    /// How large it is so far, in bytes.
    pub bytes: u64,
    /// The subtasks in their order, and whether each one's snapshot is stored.
    pub parts: Vec<(NodeId, bool)>,
}

/// A way from node to node, with what is on it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Wire {
    /// Its id: the same in every scene of a run.
    pub id: LinkId,
    /// From where.
    pub from: NodeId,
    /// To where.
    pub to: NodeId,
    /// What it is for.
    pub kind: WireKind,
    /// The checkpoint whose barrier has blocked it.
    pub blocked_by: Option<CheckpointId>,
    /// What is on it, the first to arrive first.
    pub tokens: Vec<Token>,
}

/// What a way is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum WireKind {
    /// A channel between subtasks.
    Channel {
        /// Its number in the receiver's input gate, from 0.
        number: u32,
        /// How many records fit.
        capacity: u32,
        /// How many of them fit into the receiver's input queue; the others wait in the sender's output
        /// queue.
        credit: u32,
    },
    /// From a log to its reader or from a writer to its log: no time passes on it.
    Log,
    /// From the coordinator to a source: start a checkpoint.
    Trigger,
    /// From a subtask to the store and the coordinator: a snapshot and its acknowledgement.
    Acknowledge,
    /// From the coordinator to a subtask: what became of a checkpoint.
    Notify,
    /// From a client to a broker or a coordinator.
    Request,
    /// Back.
    Response,
    /// From one process to another, in two-phase commit.
    TwoPhaseCommit,
}

/// Something that moves, or waits to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// The checkpoint interval it belongs to.
    pub epoch: CheckpointId,
    /// A record that is stored with the pending checkpoint, or a barrier that may overtake.
    pub unaligned: bool,
    /// It waits in the sender's output queue: it has not set out yet.
    pub queued: bool,
    /// How many bytes it takes.
    pub bytes: u64,
    /// When it was put on its way.
    #[serde(rename = "sent_us", serialize_with = "crate::time::whole")]
    pub sent: Micros,
    /// When it has come to the other end.
    #[serde(rename = "ready_us", serialize_with = "crate::time::whole")]
    pub ready: Micros,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum TokenKind {
    /// A record.
    Record(RecordId),
    /// A checkpoint barrier.
    Barrier(CheckpointId),
    /// The request to start a checkpoint.
    Trigger(CheckpointId),
    /// A snapshot on its way to the store, acknowledged when it is there.
    Snapshot(CheckpointId, SubtaskId),
    /// The message that a checkpoint is complete.
    Notification(CheckpointId),
    /// The message that a checkpoint is given up.
    Abort(CheckpointId),
    /// A subtask's message that it cannot take part in a checkpoint.
    Decline(CheckpointId, SubtaskId),
    /// A marker among the records: the barrier of this checkpoint will not come.
    Cancellation(CheckpointId),
    /// A request of a Kafka client, or its response.
    Message(kafka::Message),
    /// A message of two-phase commit.
    TwoPhaseCommit(crate::commit::message::Message),
}

/// An action, described for whoever chooses one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A source reads the next record of a partition.
    Emit {
        /// The source.
        source: NodeId,
        /// The record.
        record: RecordId,
    },
    /// A source puts the barrier into its outputs.
    Inject {
        /// The source.
        source: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A subtask takes the first element of a channel.
    Take {
        /// The subtask.
        subtask: NodeId,
        /// Which of its channels, from 0.
        channel: u32,
        /// What it takes.
        token: TokenKind,
    },
    /// A subtask takes a barrier past what is before it in its channel.
    Overtake {
        /// The subtask.
        subtask: NodeId,
        /// Which of its channels, from 0.
        channel: u32,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// How many elements it overtakes.
        overtaken: u32,
    },
    /// The alignment of a subtask has taken too long.
    TimeOut {
        /// The subtask.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// The coordinator starts a checkpoint.
    Trigger {
        /// The coordinator.
        coordinator: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// The coordinator hears that a snapshot is stored.
    Acknowledge {
        /// The coordinator.
        coordinator: NodeId,
        /// Whose snapshot.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A barrier has waited too long in the output queues of a subtask.
    TimeOutOutput {
        /// The subtask.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// The coordinator hears that a subtask declines a checkpoint.
    HearDecline {
        /// The coordinator.
        coordinator: NodeId,
        /// Who declines.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// A subtask hears what became of a checkpoint.
    Notify {
        /// The subtask.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
        /// Whether it is complete; otherwise it is given up.
        completed: bool,
    },
    /// The subtasks that were deployed run.
    Run {
        /// The coordinator.
        coordinator: NodeId,
    },
    /// A person asks for a savepoint.
    Savepoint {
        /// The coordinator.
        coordinator: NodeId,
        /// Whether the job is to stop with it.
        stop: bool,
    },
    /// The pending checkpoint has taken too long.
    Expire {
        /// The coordinator.
        coordinator: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// The job is restarted.
    Restart {
        /// The coordinator.
        coordinator: NodeId,
        /// From which checkpoint.
        checkpoint: CheckpointId,
    },
    /// Fault: a subtask dies.
    Crash {
        /// The subtask.
        subtask: NodeId,
    },
    /// Fault: a TaskManager is lost.
    LoseTaskManager {
        /// The coordinator, which restarts its subtasks.
        coordinator: NodeId,
        /// Its number, from 0.
        number: u16,
    },
    /// Fault: the JobManager is lost.
    LoseJobManager {
        /// The coordinator, which is part of it.
        coordinator: NodeId,
    },
    /// Fault: a snapshot under way to the store fails.
    FailSnapshot {
        /// Whose.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// Fault: the store refuses a checkpoint that all have acknowledged.
    Refuse {
        /// The store.
        store: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// Fault: a notification is lost.
    LoseNotification {
        /// To whom.
        subtask: NodeId,
        /// Which checkpoint.
        checkpoint: CheckpointId,
    },
    /// The thread of a sink goes on: what it waited for has come from Kafka.
    GoOn {
        /// The sink.
        subtask: NodeId,
    },
    /// A sink has waited for Kafka as long as `max.block.ms` allows.
    Block {
        /// The sink.
        subtask: NodeId,
    },
    /// Fault: the job is killed, and deployed again.
    Redeploy {
        /// The coordinator.
        coordinator: NodeId,
        /// From which checkpoint; 0: from none.
        checkpoint: CheckpointId,
        /// Whether its sink has another prefix from then on.
        prefix_changes: bool,
        /// How many subtasks its sink has from then on, if not as many as before.
        parallelism: Option<u16>,
    },
    /// In the models *delivery* and *streams*, and in a pipeline that has brokers.
    /// What happens in few jobs.
    Job(JobChoice),
    /// In the models *delivery* and *streams*.
    Kafka(KafkaChoice),
    /// In the model *votes*.
    Votes(votes::VotesChoice),
}

impl Choice {
    /// The node at which it happens.
    pub fn node(&self) -> NodeId {
        match *self {
            Self::Emit { source, .. } | Self::Inject { source, .. } => source,
            Self::Take { subtask, .. }
            | Self::Overtake { subtask, .. }
            | Self::TimeOut { subtask, .. }
            | Self::TimeOutOutput { subtask, .. }
            | Self::Notify { subtask, .. }
            | Self::FailSnapshot { subtask, .. }
            | Self::LoseNotification { subtask, .. }
            | Self::GoOn { subtask }
            | Self::Block { subtask }
            | Self::Crash { subtask } => subtask,
            Self::Refuse { store, .. } => store,
            Self::HearDecline { coordinator, .. }
            | Self::Redeploy { coordinator, .. }
            | Self::Run { coordinator }
            | Self::Savepoint { coordinator, .. }
            | Self::LoseTaskManager { coordinator, .. }
            | Self::LoseJobManager { coordinator }
            | Self::Trigger { coordinator, .. }
            | Self::Acknowledge { coordinator, .. }
            | Self::Expire { coordinator, .. }
            | Self::Restart { coordinator, .. } => coordinator,
            Self::Job(choice) => choice.node(),
            Self::Kafka(choice) => choice.node(),
            Self::Votes(choice) => choice.node(),
        }
    }

    /// Whether it breaks something.
    pub fn is_fault(&self) -> bool {
        match self {
            Self::Kafka(choice) => return choice.is_fault(),
            Self::Votes(choice) => return choice.is_fault(),
            _ => {}
        }
        matches!(
            self,
            Self::Crash { .. }
                | Self::LoseTaskManager { .. }
                | Self::LoseJobManager { .. }
                | Self::FailSnapshot { .. }
                | Self::Refuse { .. }
                | Self::LoseNotification { .. }
                | Self::Redeploy { .. }
                | Self::Job(JobChoice::LoseResponse { .. })
        )
    }
}
