//! The sentences in English.

use barrierscope_core::event::Event;
use barrierscope_core::flink::coordinator::{FailureReason, Purpose};
use barrierscope_core::id::{CheckpointId, NodeId};
use barrierscope_core::time::Micros;

use super::{
    Lexicon, after, asks_for_next, failed_purpose, gives_up, loses_job_manager, plural, restores,
};
use crate::text::{self, Lang, duration, face, job, kafka, sink, votes};

/// What an event says happened.
pub(super) fn happened(
    lexicon: &Lexicon<'_>,
    event: &Event,
    subject: Option<NodeId>,
    events: &[Event],
) -> String {
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
            "{} read {} at offset {offset} of partition {partition} and sent it downstream.",
            who(source),
            record(id)
        ),
        Event::RecordProcessed {
            subtask,
            record: id,
            counted: None,
            ..
        } => {
            format!("{} took {} and passed it on.", who(subtask), record(id))
        }
        Event::RecordProcessed {
            subtask,
            record: id,
            counted: Some(times),
            ..
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
        Event::CheckpointTriggered {
            checkpoint,
            purpose: Purpose::Checkpoint,
        } => {
            format!(
                "The checkpoint coordinator started checkpoint {checkpoint}: it asks every source for a barrier."
            )
        }
        Event::CheckpointTriggered {
            checkpoint,
            purpose: Purpose::Savepoint,
        } => {
            format!(
                "Somebody asked for a savepoint: the coordinator started savepoint {checkpoint}, and asks every source for a barrier."
            )
        }
        Event::CheckpointTriggered {
            checkpoint,
            purpose: Purpose::StopWithSavepoint,
        } => {
            format!(
                "Somebody asked the job to stop with a savepoint: the coordinator started savepoint {checkpoint}, and asks every source for a barrier."
            )
        }
        Event::CheckpointRefused { purpose } => format!(
            "A {} was due, and the coordinator refused it: “{}”",
            if purpose.is_savepoint() {
                "savepoint"
            } else {
                "checkpoint"
            },
            FailureReason::TasksNotRunning.message()
        ),
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
        Event::CancellationForwarded {
            subtask,
            checkpoint,
        } if lexicon.is_sink(subtask) => format!(
            "{} does nothing for checkpoint {checkpoint}: it was told that it is given up.",
            who(subtask)
        ),
        Event::CancellationForwarded {
            subtask,
            checkpoint,
        } => format!(
            "{} put a cancellation marker for checkpoint {checkpoint} into its outputs, in the place of the barrier.",
            who(subtask)
        ),
        Event::CancellationReceived {
            subtask,
            channel,
            checkpoint,
        } => format!(
            "The cancellation marker of checkpoint {checkpoint} arrived on channel {channel} of {}: that barrier will not come, and no channel waits for it any more.",
            lexicon.node(subtask)
        ),
        Event::SnapshotTaken {
            subtask,
            checkpoint,
            sync,
            bytes,
            ..
        } => {
            let size = match bytes {
                0 => String::new(),
                more => format!(", {}", text::bytes(more)),
            };
            let time = match sync {
                Micros::ZERO => String::new(),
                more => format!("; that stops it for {}", duration(more)),
            };
            format!(
                "{} copied its state for checkpoint {checkpoint}{size}{time}.",
                who(subtask)
            )
        }
        Event::SnapshotUploading {
            subtask,
            checkpoint,
            bytes: 0,
            ..
        } => format!(
            "The snapshot of {} for checkpoint {checkpoint} is on its way to the store.",
            lexicon.node(subtask)
        ),
        Event::SnapshotUploading {
            subtask,
            checkpoint,
            bytes,
            asynchronous,
        } => format!(
            "The snapshot of {} for checkpoint {checkpoint}, {}, is on its way to the store; that takes {}.",
            lexicon.node(subtask),
            text::bytes(bytes),
            duration(asynchronous)
        ),
        Event::SnapshotFailed {
            subtask,
            checkpoint,
            sync: true,
        } => format!(
            "The snapshot of {} for checkpoint {checkpoint} failed in its synchronous part.",
            lexicon.node(subtask)
        ),
        Event::SnapshotFailed {
            subtask,
            checkpoint,
            sync: false,
        } => format!(
            "The snapshot of {} for checkpoint {checkpoint} failed in its asynchronous part: the subtask declines the checkpoint, and runs on.",
            lexicon.node(subtask)
        ),
        Event::CheckpointDeclined {
            subtask,
            checkpoint,
            reason,
        } => format!(
            "The coordinator heard that {} declines checkpoint {checkpoint}: “{}”",
            lexicon.node(subtask),
            reason.message()
        ),
        Event::AcknowledgedLate {
            subtask,
            checkpoint,
        } => format!(
            "The acknowledgement of {} for checkpoint {checkpoint} came too late, and was discarded.",
            lexicon.node(subtask)
        ),
        Event::PreCommitted {
            subtask,
            checkpoint,
            transaction,
            records,
        } => format!(
            "{} pre-committed transaction {transaction}, with {records} record{}, for checkpoint {checkpoint}{}.",
            who(subtask),
            plural(records.into()),
            // A sink with producers has to ask for the next one first.
            if asks_for_next(events) { "" } else { ", and opened the next one" }
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
        Event::CheckpointCompleted {
            checkpoint,
            purpose,
        } => {
            let what = if purpose.is_savepoint() {
                "savepoint"
            } else {
                "checkpoint"
            };
            format!("The last snapshot is stored: {what} {checkpoint} is complete.")
        }
        Event::StoreRefused { checkpoint } => format!(
            "Every subtask has acknowledged {} {checkpoint}, but the store does not take it.",
            face::purpose(Lang::En, lexicon.purpose(checkpoint))
        ),
        Event::CheckpointAborted {
            checkpoint,
            reason: FailureReason::Suspended,
        } if loses_job_manager(events) => format!(
            "With the JobManager, {} {checkpoint} is gone, which it had under way.",
            face::purpose(Lang::En, lexicon.purpose(checkpoint))
        ),
        Event::CheckpointAborted { checkpoint, reason } => format!(
            "{} {checkpoint} is given up: “{}”",
            if lexicon.purpose(checkpoint).is_savepoint() {
                "Savepoint"
            } else {
                "Checkpoint"
            },
            reason.message()
        ),
        Event::AbortNotified {
            subtask,
            checkpoint,
        } => format!(
            "{} heard that checkpoint {checkpoint} is given up.",
            who(subtask)
        ),
        Event::NotificationLost {
            subtask,
            checkpoint,
        } => format!(
            "The notification about checkpoint {checkpoint} was lost on its way to {}.",
            lexicon.node(subtask)
        ),
        Event::CompletionNotified {
            subtask,
            checkpoint,
        } => {
            format!(
                "{} heard that {} {checkpoint} is complete.",
                who(subtask),
                face::purpose(Lang::En, lexicon.purpose(checkpoint))
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
            "{} aborted transaction {transaction}{}: {records} record{}.",
            who(subtask),
            if restores(events) {
                ", which had been left open before the restart"
            } else {
                ""
            },
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
        Event::TaskManagerLost {
            number,
            subtasks,
            in_flight,
        } => format!(
            "TaskManager {} was lost, and with it {subtasks} subtask{} and {in_flight} record{} in the channels.",
            number + 1,
            plural(subtasks.into()),
            plural(in_flight.into())
        ),
        Event::JobManagerLost { in_flight } => format!(
            "The JobManager was lost, and with it the coordinator’s memory of what was under way. The subtasks stop, and {in_flight} record{} in the channels {} gone.",
            plural(in_flight.into()),
            if in_flight == 1 { "is" } else { "are" }
        ),
        Event::ToleranceExceeded => {
            if failed_purpose(lexicon, events) == Purpose::StopWithSavepoint {
                "The savepoint with which the job was to stop has failed: so the job fails."
                    .to_owned()
            } else {
                let tolerable = lexicon.terms.tolerable;
                let failed = tolerable.saturating_add(1);
                format!(
                    "{failed} checkpoint{} failed{}, {tolerable} {} tolerated: “Exceeded checkpoint tolerable failure threshold.”",
                    plural(failed.into()),
                    if failed == 1 { "" } else { " in a row" },
                    if tolerable == 1 { "is" } else { "are" }
                )
            }
        }
        Event::JobFailed { restarts } => format!(
            "The job has failed for good, after {restarts} restart{}.",
            plural(restarts.into())
        ),
        Event::JobStopped { checkpoint } => {
            format!(
                "The job stops with savepoint {checkpoint}: the sinks commit when they hear of it."
            )
        }
        Event::StopFailed { checkpoint } => format!(
            "The job was to stop with savepoint {checkpoint}, which is complete, and has failed before every transaction of it was committed."
        ),
        Event::JobRedeployed {
            checkpoint,
            prefix_changed,
            parallelism,
        } => format!(
            "The job was killed, and is deployed again {}{}{}.",
            match checkpoint {
                CheckpointId::NONE => "from the beginning, without any state".to_owned(),
                more => format!("from checkpoint {more}"),
            },
            if prefix_changed {
                ", with another transactionalIdPrefix"
            } else {
                ""
            },
            match parallelism {
                None => String::new(),
                Some(1) => ", with one subtask of the sink".to_owned(),
                Some(count) => format!(", with {count} subtasks of the sink"),
            }
        ),
        Event::JobFinished {
            checkpoint: CheckpointId::NONE,
        } => "Every source has come to the end of its topic: the job has finished, without a last checkpoint.".to_owned(),
        Event::JobFinished { checkpoint } => format!(
            "Every source has come to the end of its topic, and checkpoint {checkpoint}, the last one, is complete: the job has finished."
        ),
        Event::Job(event) => job::happened(lexicon, event, &who),
        Event::Sink(event) => sink::happened(lexicon, event, &who),
        Event::Kafka(event) => kafka::happened(lexicon, event, &who),
        Event::Votes(event) => votes::happened(lexicon, event, &who, events),
        Event::JobRuns => "The subtasks that were deployed run now.".to_owned(),
        Event::JobRestored {
            checkpoint: CheckpointId::NONE,
            unread,
            ..
        } => format!(
            "The job starts again from the beginning: the sources have {unread} record{} to read.",
            plural(unread.into())
        ),
        Event::JobRestored {
            checkpoint,
            unread,
            in_flight,
            ..
        } => {
            let stored = match in_flight {
                0 => String::new(),
                1 => " 1 record of its in-flight data is back in its channel.".to_owned(),
                more => {
                    format!(" {more} records of its in-flight data are back in their channels.")
                }
            };
            format!(
                "The job starts again, restored from checkpoint {checkpoint}: from there the sources have {unread} record{} to read.{stored}",
                plural(unread.into())
            )
        }
        Event::RecordFiltered {
            subtask,
            record: id,
            ..
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
            bytes,
            output,
        } => format!(
            "{records} record{} in the {} queues of {} ({}) {} stored with checkpoint {checkpoint} as in-flight data.",
            plural(records.into()),
            if output { "output" } else { "input" },
            lexicon.node(subtask),
            text::bytes(bytes),
            if records == 1 { "is" } else { "are" }
        ),
        Event::OutputTimedOut {
            subtask,
            checkpoint,
        } => format!(
            "Barrier {checkpoint} has waited too long in the output queues of {}: it goes past the records before it.",
            lexicon.node(subtask)
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
pub(super) fn reason(lexicon: &Lexicon<'_>, event: &Event, events: &[Event]) -> String {
    let terms = lexicon.terms;
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
        Event::CheckpointTriggered { purpose: Purpose::Savepoint, .. } => {
            let barriers = if terms.at_least_once {
                "In this mode nothing waits for its barriers"
            } else {
                "Its barriers are always aligned"
            };
            format!(
                "A savepoint is for a person to keep. {barriers}; the job does not recover from it, and no sink commits because of it."
            )
        }
        Event::CheckpointTriggered { purpose: Purpose::StopWithSavepoint, .. } => {
            let barriers = if terms.at_least_once {
                ""
            } else {
                "Its barriers are always aligned. "
            };
            format!(
                "{barriers}Once it is complete the sinks hear of it and commit, and the job ends. Nothing behind the savepoint is read before it is started again."
            )
        }
        Event::CheckpointRefused { .. } => {
            "A checkpoint needs every subtask, and some are still starting. It got no id; the next one comes when it is due.".to_owned()
        }
        Event::CheckpointTriggered { checkpoint, .. } if terms.at_least_once => format!(
            "Checkpoint {checkpoint} will hold the effects of every record before the barriers. In this mode nothing waits for them, so it may hold effects of records behind them too."
        ),
        Event::CheckpointTriggered { checkpoint, .. } => format!(
            "Checkpoint {checkpoint} will hold the effects of every record before the barriers, and of none behind them."
        ),
        Event::BarrierInjected { checkpoint, .. } if terms.at_least_once => format!(
            "What it sent before the barrier is in checkpoint {checkpoint}. What follows is read again after a crash, and some of it may be in the snapshots already."
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
            "It was the last barrier of this checkpoint that was still to come here.".to_owned()
        }
        Event::BarrierArrived { overtaken: 0, checkpoint, .. } if terms.at_least_once => format!(
            "Nothing waits for the other barriers. Records behind this one that are taken before the others have come go into the snapshot of checkpoint {checkpoint} too. After a crash they are read again, and counted twice."
        ),
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
        Event::OutputTimedOut { .. } => {
            "It began aligned and has exceeded aligned-checkpoint-timeout before it was even sent: that is backpressure. From here on the checkpoint is unaligned.".to_owned()
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
        Event::CancellationForwarded { subtask, .. } if lexicon.is_sink(subtask) => {
            "Nobody is behind it, so nobody has to be told.".to_owned()
        }
        Event::CancellationForwarded { .. } => {
            "It takes no snapshot. The marker tells those behind it that they need not wait for a barrier that will not come.".to_owned()
        }
        Event::CancellationReceived { .. } => {
            "A checkpoint that is given up must not keep anything waiting.".to_owned()
        }
        Event::SnapshotTaken { .. } => {
            "This is the synchronous part, the only one for which the subtask stops.".to_owned()
        }
        Event::SnapshotUploading { .. } => {
            "This is the asynchronous part: the subtask goes on with new records meanwhile; only the copy travels.".to_owned()
        }
        Event::SnapshotFailed { sync: true, .. } => {
            "What goes wrong in the synchronous part is thrown inside the subtask: it fails, and the job with it.".to_owned()
        }
        Event::SnapshotFailed { sync: false, .. } => {
            format!(
                "The asynchronous part is apart from the processing of records: its failure costs the checkpoint, not the subtask. But if more in a row fail than are tolerated ({}), the job fails.",
                terms.tolerable
            )
        }
        Event::CheckpointDeclined { checkpoint, .. } if !gives_up(events, checkpoint) => {
            "The checkpoint is over already, so this changes nothing.".to_owned()
        }
        Event::CheckpointDeclined { .. } => {
            "One subtask that cannot take part is enough: the checkpoint will never be complete.".to_owned()
        }
        Event::AcknowledgedLate { .. } => {
            "The checkpoint is over already. What was stored for it is thrown away.".to_owned()
        }
        Event::PreCommitted { checkpoint, .. } => format!(
            "With that it votes yes: it has promised to commit once checkpoint {checkpoint} is complete, even after a crash."
        ),
        Event::SnapshotAcknowledged { .. } => {
            "A checkpoint counts only when every subtask has stored its part.".to_owned()
        }
        Event::CheckpointCompleted { purpose: Purpose::Savepoint, .. } => {
            "It is kept for whoever asked for it. Recovery goes on to use the last completed checkpoint.".to_owned()
        }
        Event::CheckpointCompleted { purpose: Purpose::StopWithSavepoint, .. } => {
            "That is the decision to commit, and to stop: the sinks are told, and after that the job ends.".to_owned()
        }
        Event::CheckpointCompleted { checkpoint, purpose: Purpose::Checkpoint } => format!(
            "After a crash the job now starts from checkpoint {checkpoint}. For sinks with transactions this is the decision to commit, and it is final."
        ),
        Event::StoreRefused { .. } => {
            "Until the store has it, a checkpoint is not complete, and nobody may commit because of it.".to_owned()
        }
        Event::CheckpointAborted { reason: FailureReason::Suspended, .. } if loses_job_manager(events) => {
            "It was only in the JobManager’s memory. What was complete is in the store.".to_owned()
        }
        Event::CheckpointAborted { reason, .. } => aborted(reason).to_owned(),
        Event::AbortNotified { subtask, .. } if !lexicon.has_transaction(subtask) => {
            "What it has not yet done for that checkpoint it need not do any more.".to_owned()
        }
        Event::AbortNotified { .. } => {
            "What it has not yet done for that checkpoint it need not do any more. A pre-committed transaction waits for the next checkpoint.".to_owned()
        }
        Event::NotificationLost { .. } => {
            "Notifications are best effort: nobody repeats them. A commit that is missed because of that is made up for by the next checkpoint, or by recovery.".to_owned()
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
        Event::SubtaskCrashed { subtask, .. } if lexicon.has_transaction(subtask) => {
            "Flink cancels every subtask that is connected with it and restarts them from the last completed checkpoint. What was pre-committed for a completed checkpoint is committed after the restart. Every other transaction is aborted: at once by sinks that are cancelled, and after the restart for the one that died.".to_owned()
        }
        Event::SubtaskCrashed { .. } => {
            "Flink cancels every subtask that is connected with it and restarts them from the last completed checkpoint. What is written in Kafka stays written.".to_owned()
        }
        Event::TaskManagerLost { .. } => {
            "Its subtasks, and all that are connected with them, start again on another one, from the last completed checkpoint.".to_owned()
        }
        Event::JobManagerLost { .. } => {
            "A new JobManager finds the last completed checkpoint in the store, and starts everything again from there. A checkpoint that was complete stays complete, even if nobody had heard of it yet.".to_owned()
        }
        Event::ToleranceExceeded => {
            if failed_purpose(lexicon, events) == Purpose::StopWithSavepoint {
                "It cannot stay between running and stopping. It is restarted from the last completed checkpoint.".to_owned()
            } else {
                "Without new checkpoints a later crash would cost more and more work. So the job fails now, and is restarted.".to_owned()
            }
        }
        Event::JobFailed { .. } => {
            "The restart strategy allows no further attempt. What is written in Kafka stays, and so does the last completed checkpoint.".to_owned()
        }
        Event::JobStopped { .. } => {
            "What they commit is everything before the savepoint. Whoever starts the job again from it goes on behind it.".to_owned()
        }
        Event::StopFailed { .. } => {
            "It is not restarted from an earlier checkpoint: what the savepoint has committed would be read again. Whoever starts it again from the savepoint commits the rest.".to_owned()
        }
        Event::JobRedeployed {
            prefix_changed: true,
            ..
        } => {
            "Nobody looks for transactions under the old prefix any more. What is open there stays open until transaction.timeout.ms has passed, and holds back read_committed readers meanwhile.".to_owned()
        }
        Event::JobRedeployed {
            checkpoint: CheckpointId::NONE,
            ..
        } => {
            "The sources read everything again. What was committed stays in Kafka, so it comes a second time.".to_owned()
        }
        Event::JobRedeployed {
            parallelism: Some(_),
            ..
        } => {
            "What the sink's subtasks have stored is shared out among those that there are now: who gets what a removed one has prepared commits that too, and looks after its transactional ids, but does not use them again.".to_owned()
        }
        Event::JobRedeployed { .. } => {
            "The sources go back to the offsets of that checkpoint. If it is not the last one, what was committed since comes a second time.".to_owned()
        }
        Event::JobFinished {
            checkpoint: CheckpointId::NONE,
        } if terms.transactional => {
            "Without checkpoints after tasks finish nobody decides on the last transactions: the sinks close, and abort them. Their records are lost, though they were read.".to_owned()
        }
        Event::JobFinished {
            checkpoint: CheckpointId::NONE,
        } => "Checkpoints after tasks finish are switched off, so none is taken at the end.".to_owned(),
        Event::JobFinished { .. } => {
            "With this last checkpoint the sinks commit what they still hold.".to_owned()
        }
        Event::Job(event) => job::reason(lexicon.lang, event).to_owned(),
        Event::Sink(event) => sink::reason(lexicon, event),
        Event::Kafka(event) => kafka::reason(lexicon, event),
        Event::Votes(event) => votes::reason(lexicon, event),
        Event::JobRuns => {
            "Until then a checkpoint that was due would have been refused.".to_owned()
        }
        Event::JobRestored { checkpoint: CheckpointId::NONE, .. } => {
            "No checkpoint was complete, so there is nothing to go back to but the start.".to_owned()
        }
        Event::JobRestored { .. } if terms.at_least_once => {
            "The sources go back to the offsets of the checkpoint. The state may already hold some of the records that they read again: these are counted twice.".to_owned()
        }
        Event::JobRestored { .. } => {
            "State and offsets come from the same moment, so together they are as if the records since had never been read.".to_owned()
        }
    }
}

/// What it means that a checkpoint is given up for this reason.
const fn aborted(reason: FailureReason) -> &'static str {
    match reason {
        FailureReason::Expired => {
            "It was not complete within the checkpoint timeout. Nothing is lost by that: the next one covers the same records."
        }
        FailureReason::Asynchronous => {
            "Nothing is lost by that: the next checkpoint covers the same records. But the failure counts towards those that are tolerated."
        }
        FailureReason::CancellationBarrier
        | FailureReason::DeclinedSubsumed
        | FailureReason::InputEnded
        | FailureReason::AlignmentLimit => {
            "Nothing is lost by that: the next checkpoint covers the same records. It does not count towards the failures that are tolerated."
        }
        FailureReason::Subsumed => {
            "A newer checkpoint is complete, and holds all that this one would have held."
        }
        FailureReason::Suspended => {
            "The job goes down, so no subtask would answer. It does not count towards the failures that are tolerated."
        }
        FailureReason::Shutdown => "The job has come to its end.",
        FailureReason::Finalize => {
            "Recovery goes on to use the checkpoint before. The failure counts towards those that are tolerated."
        }
        FailureReason::TasksNotRunning => "The next one comes when it is due.",
    }
}
