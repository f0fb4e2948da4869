//! The sentences in English.

use barrierscope_core::event::{SinkEvent, SinkFailure};
use barrierscope_core::id::NodeId;

use super::may_be_committed;
use crate::text::{Lexicon, after, plural};

pub(super) fn happened(
    lexicon: &Lexicon<'_>,
    event: SinkEvent,
    who: &dyn Fn(NodeId) -> String,
) -> String {
    use SinkEvent as E;
    let id = |number| lexicon.transactional_id(number);
    match event {
        E::Probes {
            subtask,
            transactional_id,
        } if lexicon.terms.pooling => format!(
            "{} has found a transaction open as {}, and calls initTransactions() under that id to abort it.",
            who(subtask),
            id(transactional_id)
        ),
        E::Probes {
            subtask,
            transactional_id,
        } => format!(
            "{} calls initTransactions() as {}: has an earlier attempt left a transaction open under that id?",
            who(subtask),
            id(transactional_id)
        ),
        E::Lingering {
            subtask,
            transactional_id,
        } => format!(
            "{} was used before, by an earlier attempt of {}: whatever was open under it is aborted.",
            id(transactional_id),
            lexicon.node(subtask)
        ),
        E::LeftOpen {
            subtask,
            transactional_id,
        } => format!(
            "A transaction is open as {}, and {} leaves it alone: the restored checkpoint holds that id as pre-committed (FLINK-40626).",
            id(transactional_id),
            lexicon.node(subtask)
        ),
        E::Clean { subtask } => format!(
            "No transaction of an earlier attempt of {} is open any more.",
            lexicon.node(subtask)
        ),
        E::Initializes {
            subtask,
            transactional_id,
        } => format!(
            "{} needs a producer for its next transaction, and has it call initTransactions() as {}.",
            who(subtask),
            id(transactional_id)
        ),
        E::Reuses {
            subtask,
            transactional_id,
        } => format!(
            "{} takes the producer of {} from its pool as it is, without initTransactions() (FLINK-8132).",
            who(subtask),
            id(transactional_id)
        ),
        E::Begins {
            subtask,
            transactional_id,
        } => format!(
            "{} began a transaction as {}: records go into it from now on.",
            who(subtask),
            id(transactional_id)
        ),
        E::Flushes {
            subtask,
            checkpoint,
            outstanding: 0,
        } => format!(
            "{} calls flush() at barrier {checkpoint}: everything that it has written is acknowledged already.",
            who(subtask)
        ),
        E::Flushes {
            subtask,
            checkpoint,
            outstanding,
        } => format!(
            "{} calls flush() at barrier {checkpoint}, and waits: {outstanding} record{} not acknowledged by the brokers yet.",
            who(subtask),
            if outstanding == 1 { " is" } else { "s are" }
        ),
        E::Flushed {
            subtask,
            outstanding: 0,
            ..
        } => format!(
            "{} has flushed: the brokers have acknowledged every record before the barrier.",
            who(subtask)
        ),
        E::Flushed {
            subtask,
            checkpoint,
            outstanding,
        } => format!(
            "{} goes on for checkpoint {checkpoint} without flush(), though {outstanding} record{} not acknowledged.",
            who(subtask),
            if outstanding == 1 { " is" } else { "s are" }
        ),
        E::NothingToCommit {
            subtask,
            checkpoint,
        } => format!(
            "{} has written nothing since the barrier before: it has no transaction to commit for checkpoint {checkpoint}, and closes that producer.",
            who(subtask)
        ),
        E::Commits {
            subtask,
            transactional_id,
            recovered: false,
        } => format!(
            "{} asks the transaction coordinator to commit {}, and waits for the answer.",
            who(subtask),
            id(transactional_id)
        ),
        E::Commits {
            subtask,
            transactional_id,
            recovered: true,
        } => format!(
            "{} takes {} from the restored checkpoint, with the producer id and epoch that it had then, and asks the transaction coordinator to commit it.",
            who(subtask),
            id(transactional_id)
        ),
        E::Dropped {
            subtask,
            transactional_id,
            records,
            error,
        } => format!(
            "The commit of {} was refused ({error}): {} drops it, with {records} record{}, and goes on.",
            id(transactional_id),
            lexicon.node(subtask),
            plural(records.into())
        ),
        E::RetriesLater {
            subtask,
            transactional_id,
            retries,
        } => format!(
            "{} has heard nothing for max.block.ms, and will ask for the commit of {} again: try {retries} of 10.",
            who(subtask),
            id(transactional_id)
        ),
        E::Overlooked { subtask } => format!(
            "A record of {} could not be written, and nobody notices: its flush() will find nothing outstanding (FLINK-35749).",
            lexicon.node(subtask)
        ),
        E::Failed { subtask, reason } => format!("{} fails: {}.", who(subtask), failure(reason)),
    }
}

fn failure(reason: SinkFailure) -> String {
    match reason {
        SinkFailure::Send => "a record could not be written".to_owned(),
        SinkFailure::Init(error) => {
            format!("the coordinator refuses its producer an identity ({error})")
        }
        SinkFailure::Commit(error) => format!("its commit is refused ({error})"),
        SinkFailure::Timeout => {
            "it has heard nothing from the transaction coordinator for max.block.ms".to_owned()
        }
        SinkFailure::Retries => {
            "its commit was tried again as often as sink.committer.retries allows, 10 times"
                .to_owned()
        }
    }
}

pub(super) fn reason(lexicon: &Lexicon<'_>, event: SinkEvent) -> String {
    use SinkEvent as E;
    match event {
        E::Probes { .. } => {
            "Asking for the identity of an id aborts what is open under it. It takes no records meanwhile: a transaction that was left open would hold back every read_committed reader until its timeout."
        }
        E::Lingering { .. } => {
            "No checkpoint has promised these records, so the sources will read them again. Now they cannot come twice, and no longer hold back the last stable offset."
        }
        E::LeftOpen { .. } => {
            "With pooled ids an id says nothing about which of its transactions is meant: this may be a later one. It stays open until transaction.timeout.ms has passed, and read_committed readers wait."
        }
        E::Clean { .. } if lexicon.terms.pooling => {
            "The coordinator lists no other under its prefix that a checkpoint has not promised. Now it may begin a transaction of its own."
        }
        E::Clean { .. } => {
            "The first id that was never used ends the search. Now it may begin a transaction of its own."
        }
        E::Initializes { .. } => {
            "InitProducerId gives the id a producer id and an epoch, and fences whoever had it before. Until the coordinator has answered, the sink cannot write, so it waits."
        }
        E::Reuses { .. } => {
            "Two transactions have one identity from here on. If the earlier one is committed once more at recovery, that commit ends the later one."
        }
        E::Begins { .. } => {
            "Nobody who reads committed records sees them before the checkpoint is complete and the transaction committed. The coordinator hears of it with the first record."
        }
        E::Flushes { outstanding: 0, .. } => {
            "So it has nothing to wait for before it pre-commits."
        }
        E::Flushes { .. } => {
            "What it promises with its snapshot must be on the brokers. Until then its thread does nothing else: records and barriers wait in its channel."
        }
        E::Flushed { outstanding: 0, .. } => {
            "Only now may the checkpoint say that these records are written."
        }
        E::Flushed { .. } => {
            "That is the guarantee NONE: the checkpoint is stored without these records being safe. If they are lost now, nobody reads them again."
        }
        E::NothingToCommit { .. } => {
            "A KafkaCommittable is made for records only. The next transaction has an id of its own all the same."
        }
        E::Commits {
            recovered: false, ..
        } => {
            "The checkpoint is complete, so the decision is made. The coordinator logs it first, and then has a commit marker written to each partition."
        }
        E::Commits {
            recovered: true, ..
        } => {
            "The checkpoint was complete before the crash, so the decision stands, whether the commit came through or not. If it did, committing once more changes nothing."
        }
        E::Dropped { error, .. } if may_be_committed(error) => {
            "Fenced or unknown can mean that it was committed before and its id used again: then nothing is lost. It can also mean that the transaction timed out and was aborted: then its records are lost, and nothing but a line in the log says so."
        }
        E::Dropped { .. } => {
            "The committable is given up (signalFailedWithKnownReason). If it was not committed before, its records are lost."
        }
        E::RetriesLater { .. } => {
            "Without an answer nobody knows whether it is committed. To commit again is always right, to abort never: the checkpoint has promised it."
        }
        E::Overlooked { .. } => {
            "The next checkpoint will be complete without that record, and the source will not read it again: it is lost. Since July 2024 the sink fails instead."
        }
        E::Failed { reason, .. } => {
            return match reason {
                SinkFailure::Send => "So the job fails too, and reads again from its last checkpoint: better twice than never. Within a transaction it is not even twice.".to_owned(),
                SinkFailure::Init(_) => "It cannot write without one. If transaction.timeout.ms is above the broker’s transaction.max.timeout.ms, this happens at every start.".to_owned(),
                SinkFailure::Commit(_) => "The checkpoint is complete and the commit is not. The job fails, and commits at recovery what the checkpoint holds.".to_owned(),
                SinkFailure::Timeout | SinkFailure::Retries => "The job fails with it, and is restarted from its last completed checkpoint. What that holds as pre-committed is committed then.".to_owned(),
            };
        }
    }
    .to_owned()
        + &next_interval(lexicon, event)
}

/// With ids by checkpoint, which interval a new transaction is for.
fn next_interval(lexicon: &Lexicon<'_>, event: SinkEvent) -> String {
    use barrierscope_core::scene::SinkWait;
    let SinkEvent::Initializes {
        subtask,
        transactional_id,
    } = event
    else {
        return String::new();
    };
    match super::wait_of(lexicon.nodes, subtask) {
        Some(SinkWait::Beginning(checkpoint))
            if super::is_gap(lexicon, transactional_id, checkpoint) =>
        {
            " No checkpoint has used that id: it is only asked for so that the ids leave no gap, which would end a later search too early.".to_owned()
        }
        Some(SinkWait::Beginning(checkpoint)) => format!(
            " The transaction is for what comes behind barrier {checkpoint}, and is committed with checkpoint {}.",
            after(checkpoint)
        ),
        _ => String::new(),
    }
}
