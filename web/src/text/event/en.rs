//! The sentences in English.

use barrierscope_core::event::Event;
use barrierscope_core::id::{CheckpointId, NodeId};

use super::{Lexicon, after, plural};

/// What an event says happened.
pub(super) fn happened(lexicon: &Lexicon<'_>, event: &Event, subject: Option<NodeId>) -> String {
    // A node that the sentence before was about need not be named again.
    let who = |id: NodeId| {
        if subject == Some(id) {
            "It".to_owned()
        } else {
            lexicon.node(id)
        }
    };
    let record = |id| lexicon.record(id);
    match *event {
        Event::RecordEmitted {
            source,
            record: id,
            partition,
            offset,
        } => format!(
            "{} read {} at offset {offset} of partition {partition} and sent it to the subtask that owns its key.",
            who(source),
            record(id)
        ),
        Event::RecordProcessed {
            subtask,
            record: id,
            counted: None,
        } => {
            format!("{} took {} and passed it on.", who(subtask), record(id))
        }
        Event::RecordProcessed {
            subtask,
            record: id,
            counted: Some(times),
        } => {
            let times = match times {
                0 | 1 => String::new(),
                2 => " a second time".to_owned(),
                more => format!(" for the {more}th time"),
            };
            format!(
                "{} added {} to its state{times} and passed it on.",
                who(subtask),
                record(id)
            )
        }
        Event::RecordWritten {
            subtask,
            record: id,
            partition,
            offset,
            transaction,
            ..
        } => {
            let how = match transaction {
                Some(number) => format!("in transaction {number}"),
                None => "outside any transaction".to_owned(),
            };
            format!(
                "{} wrote {} to output partition {partition}, offset {offset}, {how}.",
                who(subtask),
                record(id)
            )
        }
        Event::CheckpointTriggered { checkpoint } => {
            format!(
                "The checkpoint coordinator started checkpoint {checkpoint}: it asks every source for a barrier."
            )
        }
        Event::BarrierInjected { source, checkpoint } => format!(
            "{} stored the offsets it reads next, and put barrier {checkpoint} into each of its outputs.",
            who(source)
        ),
        Event::ChannelBlocked {
            subtask,
            channel,
            checkpoint,
            ..
        } => {
            format!(
                "Barrier {checkpoint} arrived on channel {channel} of {}, and the channel is blocked.",
                lexicon.node(subtask)
            )
        }
        Event::AlignmentCompleted {
            subtask,
            checkpoint,
            channels,
        } => format!(
            "Barrier {checkpoint} has now come on {} of {}: the alignment is over, and the channels are open again.",
            match channels {
                2 => "both channels".to_owned(),
                more => format!("all {more} channels"),
            },
            lexicon.node(subtask)
        ),
        Event::BarrierIgnored {
            subtask,
            checkpoint,
        } => {
            format!(
                "{} dropped a late barrier of checkpoint {checkpoint}.",
                who(subtask)
            )
        }
        Event::BarrierForwarded {
            subtask,
            checkpoint,
        } => {
            format!(
                "{} passed barrier {checkpoint} on to all its outputs.",
                who(subtask)
            )
        }
        Event::SnapshotTaken {
            subtask,
            checkpoint,
        } => format!(
            "{} took a snapshot of its state for checkpoint {checkpoint}; it is on its way to the store.",
            who(subtask)
        ),
        Event::PreCommitted {
            subtask,
            checkpoint,
            transaction,
            records,
        } => format!(
            "{} pre-committed transaction {transaction}, with {records} record{}, for checkpoint {checkpoint}, and opened the next one.",
            who(subtask),
            plural(records.into())
        ),
        Event::SnapshotAcknowledged {
            subtask,
            checkpoint,
            missing,
        } => format!(
            "The snapshot of {} for checkpoint {checkpoint} is stored. {missing} acknowledgement{} still missing.",
            lexicon.node(subtask),
            if missing == 1 { " is" } else { "s are" }
        ),
        Event::CheckpointCompleted { checkpoint } => {
            format!("The last snapshot is stored: checkpoint {checkpoint} is complete.")
        }
        Event::CheckpointAborted { checkpoint } => {
            format!("Checkpoint {checkpoint} is given up.")
        }
        Event::CompletionNotified {
            subtask,
            checkpoint,
        } => {
            format!(
                "{} heard that checkpoint {checkpoint} is complete.",
                who(subtask)
            )
        }
        Event::TransactionCommitted {
            subtask,
            transaction,
            records,
            recovered,
        } => {
            let when = if recovered { " on recovery" } else { "" };
            format!(
                "{} committed transaction {transaction}{when}: {records} record{}.",
                who(subtask),
                plural(records.into())
            )
        }
        Event::TransactionAborted {
            subtask,
            transaction,
            records,
        } => format!(
            "{} aborted transaction {transaction}: {records} record{}.",
            who(subtask),
            plural(records.into())
        ),
        Event::SubtaskCrashed { subtask, in_flight } => format!(
            "{} crashed: its state in memory is gone, and so {} in the channels.",
            lexicon.node(subtask),
            match in_flight {
                0 => "is whatever was".to_owned(),
                1 => "is the 1 record".to_owned(),
                more => format!("are the {more} records"),
            }
        ),
        Event::JobRestored {
            checkpoint: CheckpointId::NONE,
            unread,
            ..
        } => format!(
            "The job runs again, from the beginning: the sources have {unread} record{} to read.",
            plural(unread.into())
        ),
        Event::JobRestored {
            checkpoint,
            unread,
            in_flight,
        } => {
            let stored = match in_flight {
                0 => String::new(),
                1 => " 1 record of its in-flight data is back in its channel.".to_owned(),
                more => {
                    format!(" {more} records of its in-flight data are back in their channels.")
                }
            };
            format!(
                "The job runs again, restored from checkpoint {checkpoint}: from there the sources have {unread} record{} to read.{stored}",
                plural(unread.into())
            )
        }
        Event::RecordFiltered {
            subtask,
            record: id,
        } => {
            format!("{} dropped {}.", who(subtask), record(id))
        }
        Event::BarrierArrived {
            subtask,
            channel,
            checkpoint,
            overtaken: 0,
            ..
        } => format!(
            "Barrier {checkpoint} arrived on channel {channel} of {}, and the channel stays open.",
            lexicon.node(subtask)
        ),
        Event::BarrierArrived {
            subtask,
            channel,
            checkpoint,
            overtaken,
            ..
        } => format!(
            "Barrier {checkpoint} overtook {overtaken} record{} on channel {channel} of {}.",
            plural(overtaken.into()),
            lexicon.node(subtask)
        ),
        Event::InFlightStored {
            subtask,
            checkpoint,
            records,
        } => format!(
            "{records} record{} waiting before {} {} stored with checkpoint {checkpoint} as in-flight data.",
            plural(records.into()),
            lexicon.node(subtask),
            if records == 1 { "is" } else { "are" }
        ),
        Event::AlignmentTimedOut {
            subtask,
            checkpoint,
        } => format!(
            "The alignment of {} for checkpoint {checkpoint} has taken too long: from now on its barriers overtake.",
            lexicon.node(subtask)
        ),
    }
}

fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}

/// Why it happened, and what it means.
pub(super) fn reason(event: &Event) -> String {
    match *event {
        Event::RecordEmitted { .. } => {
            "All that a source has to remember is the offset it reads next.".to_owned()
        }
        Event::RecordProcessed { counted: None, .. } => "It keeps no state.".to_owned(),
        Event::RecordProcessed { counted: Some(0 | 1), .. } => {
            "What is in its state now, the next snapshot will hold.".to_owned()
        }
        Event::RecordProcessed { counted: Some(_), .. } => {
            "The state held this record already, so it is counted twice from here on.".to_owned()
        }
        Event::RecordWritten { transaction: Some(_), copies: None | Some(0), .. } => {
            "The transaction is open: nobody who reads committed records sees it before the commit.".to_owned()
        }
        Event::RecordWritten { transaction: Some(_), copies: Some(copies @ 2..), .. } => format!(
            "The reader takes uncommitted records, so it sees this one {}: the copy in the aborted transaction counts for it too.",
            times(copies)
        ),
        Event::RecordWritten { transaction: Some(_), .. } => {
            "The reader takes uncommitted records, so it sees this one before anybody has decided to keep it.".to_owned()
        }
        Event::RecordWritten { transaction: None, copies: None | Some(0 | 1), .. } => {
            "Every reader sees it at once, and it stays, whatever happens to the job.".to_owned()
        }
        Event::RecordWritten { transaction: None, copies: Some(copies), .. } => format!(
            "The reader sees it {} now: the copy from before the crash is still there, and nothing can take it back.",
            times(copies)
        ),
        Event::CheckpointTriggered { checkpoint } => format!(
            "Checkpoint {checkpoint} will hold the effects of every record before the barriers, and of none behind them."
        ),
        Event::BarrierInjected { checkpoint, .. } => format!(
            "What it sent before the barrier belongs to checkpoint {checkpoint}; what follows belongs to checkpoint {}.",
            after(checkpoint)
        ),
        Event::ChannelBlocked { checkpoint, missing, .. } => format!(
            "Everything behind it belongs to checkpoint {}, so it must not reach the state yet: the channel waits until barrier {checkpoint} has come on {} too.",
            after(checkpoint),
            match missing {
                1 => "the other channel".to_owned(),
                more => format!("{more} other channels"),
            }
        ),
        Event::RecordFiltered { .. } => "That is what a filter is there for.".to_owned(),
        Event::BarrierArrived { missing: 0, .. } => {
            "It was the last one that this subtask waited for.".to_owned()
        }
        Event::BarrierArrived { overtaken: 0, checkpoint, .. } => format!(
            "Nothing waits for the other barriers. Records behind this one belong to checkpoint {} already.",
            after(checkpoint)
        ),
        Event::BarrierArrived { .. } => {
            "An unaligned barrier does not queue behind data: so the checkpoint is fast even under backpressure. What it overtook must be stored with it.".to_owned()
        }
        Event::InFlightStored { .. } => {
            "These records were sent before the barrier, but the snapshot of the state is taken without them. After a crash they are put back into their channels.".to_owned()
        }
        Event::AlignmentTimedOut { .. } => {
            "The checkpoint began aligned, which stores least; now it goes on unaligned, which does not wait.".to_owned()
        }
        Event::AlignmentCompleted { checkpoint, .. } => format!(
            "At this moment the state holds exactly the records before barrier {checkpoint}: this is what the snapshot must say."
        ),
        Event::BarrierIgnored { .. } => {
            "That checkpoint is over, so there is nothing to align for it.".to_owned()
        }
        Event::BarrierForwarded { .. } => String::new(),
        Event::SnapshotTaken { .. } => {
            "It goes on with new records at once; only the copy travels.".to_owned()
        }
        Event::PreCommitted { checkpoint, .. } => format!(
            "With that it votes yes: it has promised to commit once checkpoint {checkpoint} is complete, even after a crash."
        ),
        Event::SnapshotAcknowledged { .. } => {
            "A checkpoint counts only when every subtask has stored its part.".to_owned()
        }
        Event::CheckpointCompleted { checkpoint } => format!(
            "After a crash the job now starts from checkpoint {checkpoint}. For sinks with transactions this is the decision to commit, and it is final."
        ),
        Event::CheckpointAborted { .. } => {
            "Nothing is lost by that: the next checkpoint covers the same records.".to_owned()
        }
        Event::CompletionNotified { .. } => {
            "It has no pre-committed transaction, so there is nothing to do.".to_owned()
        }
        Event::TransactionCommitted { records: 0, .. } => {
            "No record came in this interval, so the commit shows nothing new.".to_owned()
        }
        Event::TransactionCommitted { recovered: true, .. } => {
            "Its checkpoint was complete before the crash, so the decision stands; recovery carries it out. Doing it twice would change nothing.".to_owned()
        }
        Event::TransactionCommitted { recovered: false, .. } => {
            "From now on readers of committed records see them, all together.".to_owned()
        }
        Event::TransactionAborted { .. } => {
            "The records stay in the log, but no reader of committed records gets them; the sources will read them again.".to_owned()
        }
        Event::SubtaskCrashed { .. } => {
            "Flink cancels the other subtasks as well and restarts the job from the last complete checkpoint. What is written in Kafka stays written.".to_owned()
        }
        Event::JobRestored { checkpoint: CheckpointId::NONE, .. } => {
            "No checkpoint was complete, so there is nothing to go back to but the start.".to_owned()
        }
        Event::JobRestored { .. } => {
            "State and offsets come from the same moment, so together they are as if the records since had never been read.".to_owned()
        }
    }
}
