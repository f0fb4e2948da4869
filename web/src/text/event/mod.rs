//! What happened in a step, and why.

mod en;
mod zh;

use barrierscope_core::event::{Event, KafkaEvent, SinkEvent};
use barrierscope_core::flink::coordinator::Purpose;
use barrierscope_core::id::{CheckpointId, NodeId};

use super::{Lang, Lexicon, after, job, kafka, names, plural, sink, votes};

/// What there is to say about a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Telling {
    /// What happened.
    pub what: String,
    /// Why, and what it means; empty where it goes without saying.
    pub why: String,
    /// The same in the textbook's names of two-phase commit, where they are wanted.
    pub names: String,
}

impl Telling {
    /// All of it, to be read out.
    pub fn aloud(&self) -> String {
        let all = [&self.what, &self.why, &self.names];
        let said = all.into_iter().filter(|says| !says.is_empty());
        said.cloned().collect::<Vec<_>>().join(" ")
    }
}

/// Tells what happened in a step.
pub fn tell(lexicon: &Lexicon<'_>, events: &[Event]) -> Telling {
    let mut what = String::new();
    let mut subject = None;
    for (at, event) in events.iter().enumerate() {
        if is_told_by_another(event, events) {
            continue;
        }
        if let Some(all) = all_of_a_kind(events, event) {
            // One sentence for all of them, in the place of the first.
            if events.iter().position(|other| same_kind(other, event)) == Some(at) {
                if !what.is_empty() {
                    join(&mut what, lexicon.lang);
                }
                what.push_str(&together(lexicon.lang, event, all));
                subject = None;
            }
            continue;
        }
        if !what.is_empty() {
            join(&mut what, lexicon.lang);
        }
        what.push_str(&happened(lexicon, event, subject, events));
        subject = match event {
            // These sentences are about a barrier, records or a snapshot: "it" would be taken for that.
            Event::AlignmentCompleted { .. }
            | Event::ChannelBlocked { .. }
            | Event::BarrierArrived { .. }
            | Event::AlignmentTimedOut { .. }
            | Event::OutputTimedOut { .. }
            | Event::InFlightStored { .. }
            | Event::CancellationReceived { .. }
            | Event::SnapshotUploading { .. }
            | Event::NotificationLost { .. } => None,
            Event::Kafka(event) if !kafka::is_about_its_subject(*event) => None,
            Event::Sink(event) if !sink::is_about_its_subject(*event) => None,
            Event::Votes(event) if !votes::is_about_its_subject(*event) => None,
            other => subject_of(other),
        };
    }
    if lexicon.lang == Lang::Zh {
        // A space parts Chinese from Latin letters, not Chinese from Chinese.
        what = what.replace("它 ", "它").replace("） ", "）");
        what = what.replace(" 组 ", "组 ");
    }
    let why = (events.iter())
        .max_by_key(|event| weight(event))
        .map(|event| reason(lexicon, event, events))
        .unwrap_or_default();
    let names = match lexicon.terms.textbook {
        true => names::told(lexicon, events),
        false => String::new(),
    };
    Telling { what, why, names }
}

/// Has another sentence follow. One that ends with a quotation has no full stop of its own.
fn join(what: &mut String, lang: Lang) {
    match lang {
        Lang::En => what.push(' '),
        Lang::Zh if what.ends_with('”') => what.push('。'),
        Lang::Zh => {}
    }
}

/// Whether a step gave up a checkpoint.
fn gives_up(events: &[Event], which: CheckpointId) -> bool {
    events.iter().any(
        |event| matches!(event, Event::CheckpointAborted { checkpoint, .. } if *checkpoint == which),
    )
}

/// The purpose of the checkpoint that failed in a step, if one did.
fn failed_purpose(lexicon: &Lexicon<'_>, events: &[Event]) -> Purpose {
    let failed = events.iter().find_map(|event| match event {
        Event::CheckpointAborted { checkpoint, .. } => Some(*checkpoint),
        _ => None,
    });
    failed.map_or(Purpose::Checkpoint, |failed| lexicon.purpose(failed))
}

/// Whether a step lost the JobManager.
fn loses_job_manager(events: &[Event]) -> bool {
    let is_it = |event: &Event| matches!(event, Event::JobManagerLost { .. });
    events.iter().any(is_it)
}

/// Whether a sink has to ask for the identity of its next transaction in a step.
fn asks_for_next(events: &[Event]) -> bool {
    let is_it = |event: &Event| {
        matches!(
            event,
            Event::Sink(SinkEvent::Initializes { .. } | SinkEvent::Reuses { .. })
        )
    };
    events.iter().any(is_it)
}

/// Whether a step starts subtasks again.
fn restores(events: &[Event]) -> bool {
    let is_it = |event: &Event| matches!(event, Event::JobRestored { .. });
    events.iter().any(is_it)
}

/// How many transactions ended in one step in the same way, and how many records were in these, if it
/// was more than one.
fn all_of_a_kind(events: &[Event], event: &Event) -> Option<(u32, u32)> {
    let (mut transactions, mut sum) = (0, 0);
    for other in events.iter().filter(|other| same_kind(other, event)) {
        if let Event::TransactionCommitted { records, .. }
        | Event::TransactionAborted { records, .. } = other
        {
            transactions += 1;
            sum += records;
        }
    }
    (transactions > 1).then_some((transactions, sum))
}

fn same_kind(a: &Event, b: &Event) -> bool {
    matches!(
        (a, b),
        (
            Event::TransactionCommitted { .. },
            Event::TransactionCommitted { .. }
        ) | (
            Event::TransactionAborted { .. },
            Event::TransactionAborted { .. }
        )
    )
}

fn together(lang: Lang, event: &Event, (transactions, records): (u32, u32)) -> String {
    let s = plural(records.into());
    match (lang, event) {
        (Lang::En, Event::TransactionCommitted { .. }) => format!(
            "{transactions} transactions that the checkpoint had promised were committed: {records} record{s}."
        ),
        (Lang::Zh, Event::TransactionCommitted { .. }) => {
            format!("检查点所承诺的 {transactions} 个事务已提交：共 {records} 条记录。")
        }
        (Lang::En, _) => {
            format!(
                "{transactions} transactions that no checkpoint had promised were aborted: {records} record{s}."
            )
        }
        (Lang::Zh, _) => {
            format!("{transactions} 个未得到检查点承诺的事务被中止：共 {records} 条记录。")
        }
    }
}

/// Whether a step is worth being told while time passes: not every record that moves is.
pub fn is_notable(events: &[Event]) -> bool {
    events.iter().any(|event| weight(event) >= 5)
}

/// Whether a step is told at once, whatever is being told: a crash, a restart, a decision.
pub fn is_striking(events: &[Event]) -> bool {
    events.iter().any(|event| weight(event) >= 12)
}

/// An event that another one of the same step implies.
fn is_told_by_another(event: &Event, events: &[Event]) -> bool {
    let any = |told: fn(&Event) -> bool| events.iter().any(told);
    match event {
        Event::CompletionNotified { .. } => {
            any(|other| matches!(other, Event::TransactionCommitted { .. }))
        }
        Event::AlignmentCompleted { channels, .. } => *channels < 2,
        Event::SnapshotAcknowledged { .. } => any(|other| {
            matches!(
                other,
                Event::CheckpointCompleted { .. } | Event::StoreRefused { .. }
            )
        }),
        Event::SnapshotTaken { .. } => any(|other| {
            matches!(
                other,
                Event::PreCommitted { .. }
                    | Event::BarrierInjected { .. }
                    | Event::SnapshotUploading { .. }
            )
        }),
        Event::SnapshotUploading { .. } => any(|other| {
            matches!(
                other,
                Event::PreCommitted { .. } | Event::BarrierInjected { .. }
            )
        }),
        Event::Votes(event) => votes::is_told_by_another(*event, events),
        Event::Kafka(KafkaEvent::Ending { .. }) => {
            any(|other| matches!(other, Event::Sink(SinkEvent::Commits { .. })))
        }
        _ => false,
    }
}

/// How much an event says about why a step matters: the reason that is given is that of the weightiest.
const fn weight(event: &Event) -> u8 {
    match event {
        Event::JobRedeployed { .. } => 18,
        Event::JobFailed { .. } | Event::StopFailed { .. } => 17,
        Event::TaskManagerLost { .. } | Event::JobManagerLost { .. } => 16,
        Event::ToleranceExceeded
        | Event::JobStopped { .. }
        | Event::JobFinished { .. }
        | Event::SnapshotFailed { sync: true, .. } => 15,
        Event::SubtaskCrashed { .. } => 14,
        Event::JobRestored { .. } => 13,
        Event::CheckpointCompleted { .. }
        | Event::StoreRefused { .. }
        | Event::SnapshotFailed { sync: false, .. }
        | Event::NotificationLost { .. } => 12,
        Event::TransactionCommitted { .. } | Event::CheckpointDeclined { .. } => 11,
        // Where barriers are complete and a marker goes on, there is no snapshot to speak of.
        Event::PreCommitted { .. }
        | Event::CheckpointAborted { .. }
        | Event::CancellationForwarded { .. } => 10,
        Event::AlignmentCompleted { channels: 2.., .. }
        | Event::BarrierArrived {
            overtaken: 1..,
            missing: 1..,
            ..
        }
        | Event::AlignmentTimedOut { .. }
        | Event::OutputTimedOut { .. }
        | Event::CancellationReceived { .. } => 9,
        Event::ChannelBlocked { .. }
        | Event::BarrierArrived { .. }
        | Event::InFlightStored { .. }
        | Event::CheckpointRefused { .. }
        | Event::JobRuns => 8,
        Event::BarrierInjected { .. } => 7,
        Event::CheckpointTriggered { .. } | Event::AcknowledgedLate { .. } => 6,
        Event::SnapshotUploading { .. } => 5,
        Event::SnapshotTaken { .. }
        | Event::TransactionAborted { .. }
        | Event::AbortNotified { .. } => 4,
        Event::BarrierIgnored { .. } => 3,
        Event::RecordEmitted { .. }
        | Event::RecordProcessed { .. }
        | Event::RecordFiltered { .. }
        | Event::RecordWritten { .. }
        | Event::SnapshotAcknowledged { .. }
        | Event::CompletionNotified { .. } => 2,
        Event::BarrierForwarded { .. } | Event::AlignmentCompleted { .. } => 1,
        Event::Job(event) => job::weight(*event),
        Event::Kafka(event) => kafka::weight(*event),
        Event::Sink(event) => sink::weight(*event),
        Event::Votes(event) => votes::weight(*event),
    }
}

/// The node that an event is about.
pub const fn subject_of(event: &Event) -> Option<NodeId> {
    match *event {
        Event::RecordEmitted { source, .. } | Event::BarrierInjected { source, .. } => Some(source),
        Event::RecordProcessed { subtask, .. }
        | Event::RecordWritten { subtask, .. }
        | Event::RecordFiltered { subtask, .. }
        | Event::ChannelBlocked { subtask, .. }
        | Event::BarrierArrived { subtask, .. }
        | Event::InFlightStored { subtask, .. }
        | Event::AlignmentTimedOut { subtask, .. }
        | Event::OutputTimedOut { subtask, .. }
        | Event::AlignmentCompleted { subtask, .. }
        | Event::BarrierIgnored { subtask, .. }
        | Event::BarrierForwarded { subtask, .. }
        | Event::CancellationForwarded { subtask, .. }
        | Event::CancellationReceived { subtask, .. }
        | Event::SnapshotTaken { subtask, .. }
        | Event::SnapshotUploading { subtask, .. }
        | Event::SnapshotFailed { subtask, .. }
        | Event::CheckpointDeclined { subtask, .. }
        | Event::AcknowledgedLate { subtask, .. }
        | Event::PreCommitted { subtask, .. }
        | Event::SnapshotAcknowledged { subtask, .. }
        | Event::AbortNotified { subtask, .. }
        | Event::NotificationLost { subtask, .. }
        | Event::CompletionNotified { subtask, .. }
        | Event::TransactionCommitted { subtask, .. }
        | Event::TransactionAborted { subtask, .. }
        | Event::SubtaskCrashed { subtask, .. } => Some(subtask),
        Event::CheckpointTriggered { .. }
        | Event::CheckpointRefused { .. }
        | Event::CheckpointCompleted { .. }
        | Event::CheckpointAborted { .. }
        | Event::StoreRefused { .. }
        | Event::TaskManagerLost { .. }
        | Event::JobManagerLost { .. }
        | Event::ToleranceExceeded
        | Event::JobFailed { .. }
        | Event::JobStopped { .. }
        | Event::StopFailed { .. }
        | Event::JobRedeployed { .. }
        | Event::JobFinished { .. }
        | Event::JobRestored { .. }
        | Event::JobRuns => None,
        Event::Job(event) => job::subject_of(event),
        Event::Sink(event) => Some(sink::subject_of(event)),
        Event::Kafka(event) => kafka::subject_of(event),
        Event::Votes(event) => Some(votes::subject_of(event)),
    }
}

fn happened(
    lexicon: &Lexicon<'_>,
    event: &Event,
    subject: Option<NodeId>,
    events: &[Event],
) -> String {
    match lexicon.lang {
        Lang::En => en::happened(lexicon, event, subject, events),
        Lang::Zh => zh::happened(lexicon, event, subject, events),
    }
}

fn reason(lexicon: &Lexicon<'_>, event: &Event, events: &[Event]) -> String {
    match lexicon.lang {
        Lang::En => en::reason(lexicon, event, events),
        Lang::Zh => zh::reason(lexicon, event, events),
    }
}
