//! What stands out along a run, and why it ends: the landmarks that one goes to.

use serde::Serialize;

use crate::commit::Decision;
use crate::event::{Event, KafkaEvent, SinkEvent, VotesEvent};
use crate::id::CheckpointId;
use crate::kafka::log::Outcome;

/// Why a run ends where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The story is over.
    Done,
    /// The scenario's limit of steps was reached.
    Limit,
    /// Nothing can happen any more, though the story is not over.
    Idle,
    /// The job has failed for good.
    Failed,
    /// The job was stopped with a savepoint.
    Stopped,
}

/// Something that stands out along a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The step that led to it.
    pub step: u32,
    /// What it is.
    pub kind: MarkKind,
    /// The checkpoint it is about; [`CheckpointId::NONE`] where it is about none.
    pub checkpoint: CheckpointId,
}

/// What a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// A checkpoint was triggered.
    Triggered,
    /// A channel was blocked: alignment began somewhere.
    Blocked,
    /// A barrier overtook records: nothing waits for it.
    Overtaken,
    /// A checkpoint was completed.
    Completed,
    /// A checkpoint was given up.
    Aborted,
    /// A transaction was committed.
    Committed,
    /// Something was broken.
    Fault,
    /// The job was restored.
    Restored,
    /// A client, a broker, a coordinator or a message of Kafka met with a fault; or a process or a message of
    /// two-phase commit.
    Broken,
    /// What was down or stood still goes on.
    Back,
    /// A replica was made leader.
    Elected,
    /// A group has a new generation.
    Rebalanced,
    /// A transaction of Kafka was decided: commit.
    Decided,
    /// A transaction of Kafka was decided: abort.
    Undone,
    /// A record was written, processed or counted once more.
    Again,
    /// A participant of two-phase commit has voted.
    Voted,
    /// A process of two-phase commit has decided commit.
    CommitReached,
    /// A process of two-phase commit has decided abort.
    AbortReached,
    /// A participant of two-phase commit is blocked.
    InDoubtBlocked,
    /// A participant of two-phase commit is no longer blocked.
    InDoubtReleased,
    /// A property of atomic commitment is broken.
    PropertyBroken,
    /// A sink's commit was refused, and dropped for good.
    CommitDropped,
    /// A sink has failed.
    SinkFailed,
    /// A transaction that an earlier attempt of a sink has left open was aborted.
    Lingering,
    /// The job was killed, and deployed again.
    Redeployed,
    /// The job was to stop with a savepoint, and has failed before everything was committed.
    StopFailed,
}

impl Mark {
    /// The mark that an event leaves, if it leaves one.
    pub fn of(event: &Event, step: usize) -> Option<Self> {
        let (kind, checkpoint) = match *event {
            Event::CheckpointTriggered { checkpoint, .. } => (MarkKind::Triggered, checkpoint),
            Event::ChannelBlocked { checkpoint, .. } => (MarkKind::Blocked, checkpoint),
            Event::BarrierArrived {
                checkpoint,
                overtaken: 1..,
                ..
            } => (MarkKind::Overtaken, checkpoint),
            Event::CheckpointCompleted { checkpoint, .. } => (MarkKind::Completed, checkpoint),
            Event::CheckpointAborted { checkpoint, .. } => (MarkKind::Aborted, checkpoint),
            Event::TransactionCommitted { transaction, .. } => {
                (MarkKind::Committed, CheckpointId(transaction))
            }
            Event::SubtaskCrashed { .. }
            | Event::TaskManagerLost { .. }
            | Event::JobManagerLost { .. }
            | Event::ToleranceExceeded
            | Event::JobFailed { .. } => (MarkKind::Fault, CheckpointId::NONE),
            Event::SnapshotFailed { checkpoint, .. }
            | Event::NotificationLost { checkpoint, .. }
            | Event::StoreRefused { checkpoint } => (MarkKind::Fault, checkpoint),
            Event::JobRestored { checkpoint, .. } => (MarkKind::Restored, checkpoint),
            Event::JobRedeployed { checkpoint, .. } => (MarkKind::Redeployed, checkpoint),
            Event::StopFailed { checkpoint } => (MarkKind::StopFailed, checkpoint),
            Event::Sink(event) => (sink(event)?, CheckpointId::NONE),
            Event::Kafka(event) => (kafka(event)?, CheckpointId::NONE),
            Event::Votes(event) => (votes(event)?, CheckpointId::NONE),
            _ => return None,
        };
        Some(Self {
            step: u32::try_from(step).unwrap_or(u32::MAX),
            kind,
            checkpoint,
        })
    }
}

/// What an event of a sink and its producers stands out as.
fn sink(event: SinkEvent) -> Option<MarkKind> {
    Some(match event {
        SinkEvent::Dropped { .. } => MarkKind::CommitDropped,
        SinkEvent::Failed { .. } => MarkKind::SinkFailed,
        SinkEvent::Lingering { .. } => MarkKind::Lingering,
        SinkEvent::Overlooked { .. } | SinkEvent::LeftOpen { .. } => MarkKind::Broken,
        _ => return None,
    })
}

/// What an event of two-phase commit stands out as.
fn votes(event: VotesEvent) -> Option<MarkKind> {
    Some(match event {
        VotesEvent::Voted { .. } => MarkKind::Voted,
        VotesEvent::Decided { decision, .. } => match decision {
            Decision::Commit => MarkKind::CommitReached,
            Decision::Abort => MarkKind::AbortReached,
        },
        VotesEvent::Blocked { .. } => MarkKind::InDoubtBlocked,
        VotesEvent::Released { .. } => MarkKind::InDoubtReleased,
        VotesEvent::PropertyBroken { .. } => MarkKind::PropertyBroken,
        VotesEvent::Crashed { .. }
        | VotesEvent::MessageLost { .. }
        | VotesEvent::MessageDelayed { .. }
        | VotesEvent::MessageDuplicated { .. } => MarkKind::Broken,
        VotesEvent::Recovered { .. } => MarkKind::Back,
        _ => return None,
    })
}

/// What an event between Kafka's clients and brokers stands out as.
fn kafka(event: KafkaEvent) -> Option<MarkKind> {
    Some(match event {
        KafkaEvent::Crashed { .. }
        | KafkaEvent::Stopped { .. }
        | KafkaEvent::Paused { .. }
        | KafkaEvent::LogLost { .. }
        | KafkaEvent::MessageLost { .. }
        | KafkaEvent::MessageDelayed { .. }
        | KafkaEvent::ClockSteppedBack { .. }
        | KafkaEvent::GivenUp { .. }
        | KafkaEvent::Fenced { .. }
        | KafkaEvent::Skipped { .. }
        | KafkaEvent::TransactionTimedOut { .. } => MarkKind::Broken,
        KafkaEvent::Resumed { .. } | KafkaEvent::Started { .. } => MarkKind::Back,
        KafkaEvent::Elected { .. } => MarkKind::Elected,
        KafkaEvent::Rebalanced { .. } => MarkKind::Rebalanced,
        KafkaEvent::TransactionLogged { state, .. } => match state.decision()? {
            Outcome::Commit => MarkKind::Decided,
            Outcome::Abort => MarkKind::Undone,
        },
        KafkaEvent::Appended { again: true, .. }
        | KafkaEvent::Processed {
            times: 2..,
            known: false,
            ..
        }
        | KafkaEvent::Counted { times: 2.., .. } => MarkKind::Again,
        _ => return None,
    })
}
