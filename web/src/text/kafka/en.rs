//! The sentences about Kafka in English.

use std::borrow::Cow;

use barrierscope_core::event::{KafkaEvent, Leaving};
use barrierscope_core::id::{NodeId, RecordId};
use barrierscope_core::kafka::batch::{ProducerEpoch, ProducerId, Sequence};
use barrierscope_core::kafka::consumer_options::AutoOffsetReset;
use barrierscope_core::kafka::error::{BatchError, GroupError, ProduceError, TransactionError};
use barrierscope_core::kafka::log::Outcome;
use barrierscope_core::kafka::transaction_state::TransactionState;
use barrierscope_core::scenario::delivery::{Api, Part};

use super::circumstances::Circumstances;
use super::{Lexicon, api};
use crate::text::{capital, plural};

/// What an event says happened. `who` names a node, or stands for it.
pub(super) fn happened(
    lexicon: &Lexicon<'_>,
    event: KafkaEvent,
    who: &dyn Fn(NodeId) -> String,
    here: &Circumstances,
) -> String {
    use KafkaEvent as E;
    let record = |id| lexicon.record(id);
    let partition = |id| lexicon.partition(id);
    let group = |number| lexicon.group(number);
    match event {
        E::Sent {
            client,
            record: id,
            partition: to,
            again,
        } => format!(
            "{} called send() with {} for {}{}.",
            who(client),
            record(id),
            partition(to),
            if again { " once more" } else { "" }
        ),
        E::TooLarge {
            record: id, noticed, ..
        } => format!(
            "send() failed at once: {} is larger than max.request.size. {}",
            record(id),
            if noticed {
                "The transaction can only be aborted now."
            } else {
                "Nobody looked at the result."
            }
        ),
        E::Transmitted {
            client,
            partition: to,
            record: id,
            records,
            attempt,
            stamp,
        } => format!(
            "{} sent {} to the leader of {}{}{}.",
            who(client),
            batch(lexicon, id, records),
            partition(to),
            stamp.map_or(String::new(), stamped),
            match attempt {
                0 | 1 => String::new(),
                more => format!("; this is attempt {more}"),
            }
        ),
        E::Appended {
            leader,
            record: id,
            records,
            offset,
            again,
            ..
        } => format!(
            "{} appended {} at offset {offset}{}.",
            who(leader),
            batch(lexicon, id, records),
            if again { ", though it stands in the log already" } else { "" }
        ),
        E::Deduplicated {
            leader,
            record: id,
            offset,
            ..
        } => format!(
            "{} takes {} for a batch that it has at offset {offset}: it answers with success and appends nothing.",
            who(leader),
            record(id)
        ),
        E::Refused {
            leader,
            record: id,
            error,
            ..
        } => format!("{} refused {}: {error}.", who(leader), record(id)),
        E::Replicated {
            follower,
            entries,
            joined,
            ..
        } => format!(
            "{} fetched {}{}.",
            who(follower),
            match entries {
                0 => "from the leader; there was nothing new".to_owned(),
                1 => "1 entry from the leader".to_owned(),
                more => format!("{more} entries from the leader"),
            },
            if joined { ", and is in sync again" } else { "" }
        ),
        E::Truncated {
            replica, offset, ..
        } => format!(
            "{} cut its log off at offset {offset}, where it parts from the leader’s.",
            who(replica)
        ),
        E::FellBehind {
            replica, in_sync, ..
        } => format!(
            "{} is no longer in sync; {in_sync} replica{} still {}.",
            who(replica),
            plural(in_sync.into()),
            if in_sync == 1 { "is" } else { "are" }
        ),
        E::Elected {
            partition: of,
            replica,
            clean,
        } => format!(
            "{} leads {} from now on{}.",
            capital(&lexicon.machine(replica)),
            partition(of),
            if clean { "" } else { ", though it was not in sync: an unclean election" }
        ),
        E::Acknowledged {
            client,
            record: id,
            records,
        } if here.unconfirmed => format!(
            "{} counts {} as sent.",
            who(client),
            batch(lexicon, id, records)
        ),
        E::Acknowledged {
            client,
            record: id,
            records,
        } => format!(
            "{} was told that {} is written.",
            who(client),
            batch(lexicon, id, records)
        ),
        E::WillRetry {
            client,
            record: id,
            error: None,
        } => format!(
            "{} heard nothing about {}, and will send it again.",
            who(client),
            record(id)
        ),
        E::WillRetry {
            client,
            record: id,
            error: Some(error),
        } => format!(
            "{} was told {error} for {}, and will send it again.",
            who(client),
            record(id)
        ),
        E::GivenUp {
            client,
            record: id,
            records,
            error,
        } => format!(
            "{} gave {} up{}, and told the application that it failed.",
            who(client),
            batch(lexicon, id, records),
            error.map_or(String::new(), |error| format!(" after {error}"))
        ),
        E::RequestTimedOut { client, api: what } => format!(
            "No response to {} came to {} within request.timeout.ms: it opens a new connection.",
            api(what),
            lexicon.node(client)
        ),
        E::Disconnected {
            client,
            from,
            api: what,
        } => format!(
            "{} finds its connection to {} closed{}, and opens a new one.",
            who(client),
            lexicon.node(from),
            what.map_or(String::new(), |what| format!(
                " while it waits for the response to {}",
                api(what)
            ))
        ),
        E::Identified {
            client,
            producer,
            epoch,
        } => format!(
            "{} goes on as producer id {}, epoch {}.",
            who(client),
            producer.0,
            epoch.0
        ),
        E::ProducerForgotten {
            partition: of,
            producer,
        } => format!(
            "The broker forgot producer id {} on {}: it had not written for producer.id.expiration.ms.",
            producer.0,
            partition(of)
        ),
        E::MessageLost {
            client,
            api: what,
            part,
        } => format!(
            "The {} {} {} was lost.",
            api(what),
            part_of(part),
            lexicon.node(client)
        ),
        E::MessageDelayed {
            client,
            api: what,
            part,
        } => format!(
            "The {} {} {} will be late.",
            api(what),
            part_of(part),
            lexicon.node(client)
        ),
        E::StragglerArrived { client, api: what } if here.is_down => format!(
            "A {} of {} arrived that was on its way when the client went down.",
            api(what),
            lexicon.node(client)
        ),
        E::StragglerArrived { client, api: what } => format!(
            "A late {} of {} arrived: the client had given it up long ago.",
            api(what),
            lexicon.node(client)
        ),
        E::TransactionBegun { client, number } => {
            format!("{} began {}.", who(client), transaction(lexicon, client, number))
        }
        E::TransactionEnded {
            client,
            number,
            outcome,
        } => format!(
            "{} was told that {} is {}.",
            who(client),
            transaction(lexicon, client, number),
            ended(outcome)
        ),
        E::MustAbort { client, number } => {
            format!(
                "{} can only abort {} now.",
                who(client),
                transaction(lexicon, client, number)
            )
        }
        E::Reinitialized { client } => format!(
            "{} asked for another epoch in the middle of a transaction, and goes on as if nothing had happened.",
            who(client)
        ),
        E::Fenced { client, api: what } => format!(
            "{} was fenced by the answer to {}: its epoch is no longer that of its transactional id.",
            who(client),
            api(what)
        ),
        E::TransactionRefused {
            client,
            api: what,
            error,
        } => format!(
            "The coordinator refused {} of {}: {error}.",
            api(what),
            lexicon.node(client)
        ),
        E::TransactionLogged {
            transactional_id,
            state,
            epoch,
            ..
        } => format!(
            "The transaction coordinator logged {state} for {}, epoch {}.",
            lexicon.transactional_id(transactional_id),
            epoch.0
        ),
        E::TransactionTimedOut {
            transactional_id, ..
        } => format!(
            "The transaction of {} has been open for longer than transaction.timeout.ms: the coordinator aborts it.",
            lexicon.transactional_id(transactional_id)
        ),
        E::Asked { client, api: what } => format!("{} sent {}.", who(client), api(what)),
        E::Taken { client, api: what } => format!(
            "{} took {} of {}; it answers when what follows is logged.",
            coordinator(what),
            api(what),
            who(client)
        ),
        E::Granted { client, api: what } => {
            format!("{} was told that {} succeeded.", who(client), api(what))
        }
        E::Ending {
            client,
            outcome: Outcome::Commit,
        } => format!("{} commits.", who(client)),
        E::Ending {
            client,
            outcome: Outcome::Abort,
        } => format!("{} aborts its transaction.", who(client)),
        E::Begun { client, record: id } => format!("{} began with {}.", who(client), record(id)),
        E::AutoCommits { client } => {
            format!("{} commits its offsets by itself.", who(client))
        }
        E::Overdue {
            transactional_id, ..
        } => format!(
            "transaction.timeout.ms has passed for the transaction of {}: the next look of the coordinator will find it.",
            lexicon.transactional_id(transactional_id)
        ),
        E::Scanned { found, .. } => match found {
            0 => "The transaction coordinator looked for transactions that have taken too long, and found none.".to_owned(),
            1 => "The transaction coordinator found a transaction that has taken too long.".to_owned(),
            more => format!("The transaction coordinator found {more} transactions that have taken too long."),
        },
        E::MarkerWritten {
            partition: of,
            offset,
            outcome,
            producer,
            ..
        } => format!(
            "{} got the {} marker of producer id {} at offset {offset}.",
            partition(of),
            marker(outcome),
            producer.0
        ),
        E::MarkerRefused {
            partition: of,
            producer,
        } => format!(
            "{} refused a marker of producer id {}: it has a newer epoch there.",
            partition(of),
            producer.0
        ),
        E::OffsetsDecided {
            group: of,
            outcome: Outcome::Commit,
        } => format!("The offsets of {} that were pending hold now.", group(of)),
        E::OffsetsDecided {
            group: of,
            outcome: Outcome::Abort,
        } => format!("The offsets of {} that were pending are dropped.", group(of)),
        E::Joined { client, group: of } => format!("{} joined {}.", who(client), group(of)),
        E::Left {
            client,
            group: of,
            reason,
        } => format!(
            "{} is no longer in {}: {}.",
            who(client),
            group(of),
            match reason {
                Leaving::Closed => "it was closed",
                Leaving::PollTooLate => "it did not call poll() within max.poll.interval.ms",
                Leaving::NoHeartbeat => "no heartbeat came within session.timeout.ms",
                Leaving::Restarted => "it has been started again, as another member",
            }
        ),
        E::Rebalanced {
            group: of,
            generation,
        } => format!(
            "{} has a new generation, {generation}: its partitions are spread anew.",
            capital(&group(of))
        ),
        E::Assigned {
            client,
            partition: of,
            position,
            reset,
        } => format!(
            "{} got {} and goes on at offset {position}{}.",
            who(client),
            partition(of),
            match reset {
                None if here.stores_offsets => ", the one that is stored with the effects",
                None => ", the committed one",
                Some(AutoOffsetReset::Latest) =>
                    ": no committed offset is in the log, and auto.offset.reset is latest",
                Some(AutoOffsetReset::Earliest) =>
                    ": no committed offset is in the log, and auto.offset.reset is earliest",
                Some(AutoOffsetReset::None) =>
                    ": no committed offset is in the log, and auto.offset.reset is none",
            }
        ),
        E::NoOffset {
            client,
            partition: of,
        } => format!(
            "{} failed: there is no committed offset in the log of {}, and auto.offset.reset is none.",
            who(client),
            partition(of)
        ),
        E::Polled {
            client,
            partition: of,
            records,
            position,
        } => format!(
            "poll() returned {records} record{} of {} to {}; its position is {position} now.",
            plural(records.into()),
            partition(of),
            lexicon.node(client)
        ),
        E::Skipped {
            client,
            partition: of,
            records,
        } => format!(
            "{} dropped {records} record{} of {} that it should have returned.",
            who(client),
            plural(records.into()),
            partition(of)
        ),
        E::Processed {
            client,
            record: id,
            known: true,
            ..
        } => format!(
            "{} processed {} again; its effect was known and did not happen again.",
            who(client),
            record(id)
        ),
        E::Processed {
            client,
            record: id,
            times,
            known: false,
        } => format!("{} processed {}{}.", who(client), record(id), nth(times)),
        E::Counted {
            client,
            record: id,
            times,
        } => format!(
            "{} counted {} in its store{}.",
            who(client),
            record(id),
            nth(times)
        ),
        E::OffsetCommitted {
            client,
            group: of,
            partition: place,
            offset,
            backwards,
            pending,
        } => format!(
            "{} {} offset {offset} of {} for {}{}.",
            who(client),
            if pending { "added to its transaction" } else { "committed" },
            partition(place),
            group(of),
            if backwards { ", which is lower than before" } else { "" }
        ),
        E::CommitRefused { client, error, .. } => format!(
            "The group coordinator refused the commit of {}: {error}.",
            lexicon.node(client)
        ),
        E::OffsetsExpired { group: of } => format!(
            "The committed offsets of {} were deleted: it had been empty for offsets.retention.minutes.",
            group(of)
        ),
        E::Deleted {
            partition: of,
            start,
        } => format!(
            "Retention deleted the beginning of {}: its log begins at offset {start} now.",
            partition(of)
        ),
        E::StoreReady {
            client,
            restored: true,
        } => format!(
            "{} wiped its local store and restored it from the changelog.",
            who(client)
        ),
        E::StoreReady {
            client,
            restored: false,
        } => format!("{} kept its local store as it was on disk.", who(client)),
        E::Crashed { node } => format!("{} crashed.", capital(&lexicon.machine(node))),
        E::Stopped { node } => format!("{} was shut down.", capital(&lexicon.machine(node))),
        E::Started { node } if here.is_first => {
            format!("{} starts.", capital(&lexicon.machine(node)))
        }
        E::Started { node } => format!("{} runs again.", capital(&lexicon.machine(node))),
        E::Paused { node } => format!("{} stands still.", capital(&lexicon.machine(node))),
        E::Resumed { node } => format!(
            "{} goes on, and does not know that time has passed.",
            capital(&lexicon.machine(node))
        ),
        E::LogLost { node } => format!(
            "{} lost its logs: they had not been flushed to disk.",
            capital(&lexicon.machine(node))
        ),
        E::ClockSteppedBack { locks, .. } => format!(
            "The clock of the transaction coordinator was set back{}.",
            if locks { ": a transition failed, and its transactional id is locked" } else { "" }
        ),
    }
}

/// Who takes a request that is answered when its outcome is logged.
const fn coordinator(api: Api) -> &'static str {
    match api {
        Api::TxnOffsetCommit | Api::OffsetCommit => "The group coordinator",
        Api::Produce
        | Api::InitProducerId
        | Api::AddPartitionsToTxn
        | Api::AddOffsetsToTxn
        | Api::EndTxn => "The transaction coordinator",
    }
}

/// A transaction of a client: by its number, unless its application calls it by an id.
fn transaction(lexicon: &Lexicon<'_>, client: NodeId, number: u32) -> String {
    if lexicon.is_sink(client) {
        "its transaction".to_owned()
    } else {
        format!("transaction {number}")
    }
}

/// Why it matters; empty where it goes without saying.
pub(super) fn reason(event: KafkaEvent, here: &Circumstances) -> Cow<'static, str> {
    use KafkaEvent as E;
    let fixed = match event {
        E::Processed {
            times,
            known: false,
            ..
        } => return processed(times, here),
        E::Appended { again: true, .. } => return appended_again(here),
        E::Left { reason, .. } => left(reason, here),
        E::StragglerArrived { api, .. } => straggler(api, here),
        E::Acknowledged { .. } if here.unconfirmed => {
            "With acks=0 there is no response: whether a broker has it, the client never learns."
        }
        E::MessageLost {
            part: Part::Request,
            api: Api::Produce,
            ..
        } if here.unconfirmed => {
            "No broker hears of it, and with acks=0 the client does not either: to it, the record is sent."
        }
        E::Refused { .. } if here.unconfirmed => {
            "With acks=0 the client is not told: to it, the record is sent."
        }
        E::Rebalanced {
            generation: 0 | 1, ..
        } => "The members of the group share its partitions.",
        E::Sent { again: true, .. } => {
            "To the producer this is a new record: if the first one was written after all, it will be there twice."
        }
        E::TooLarge { noticed: false, .. } => {
            "The transaction goes on, and is committed without this record."
        }
        E::TooLarge { noticed: true, .. } => "A transaction is committed whole, or not at all.",
        E::Transmitted {
            attempt: 2..,
            stamp: None,
            ..
        } => {
            "Nothing in the batch tells the broker that it has come before: if the earlier one was written, this one is written too."
        }
        E::Transmitted {
            attempt: 2..,
            stamp: Some(_),
            ..
        } => {
            "Producer id, epoch and sequence are those of the attempt before: by them the broker knows the batch."
        }
        E::Deduplicated {
            mistaken: false, ..
        } => {
            "Producer id, epoch and sequences equal one of the last five batches of this producer."
        }
        E::Deduplicated { mistaken: true, .. } => {
            "But another record stands there: the content is not compared. This one is lost, though its producer is told of success."
        }
        E::Refused { error, .. } => refused(error),
        E::Truncated { .. } => {
            "A leader’s log is the truth: what the others have beyond it is dropped, acknowledged or not."
        }
        E::FellBehind { .. } => {
            "acks=all waits for those that are in sync: from now on for fewer of them."
        }
        E::Elected { clean: true, .. } => {
            "It was in sync, so it has all that was acknowledged with acks=all. What only the old leader had is gone."
        }
        E::Elected { clean: false, .. } => {
            "What it does not have is lost, even what was acknowledged with acks=all."
        }
        E::WillRetry { error: None, .. } => {
            "No answer does not mean no write: the batch may be in the log, or not."
        }
        E::GivenUp { error: None, .. } => {
            "It may have been written all the same: the outcome is in doubt."
        }
        E::Identified {
            epoch: ProducerEpoch(0),
            ..
        } => {
            "To the brokers this is a new producer: they remember nothing of what another one sent."
        }
        E::Identified { .. } => "Whoever still has an older epoch of this producer id is fenced.",
        E::ProducerForgotten { .. } => {
            "A producer that is not known may begin at any sequence: a repeated batch will not be noticed."
        }
        E::MessageLost {
            part: Part::Response,
            ..
        } => "The broker has done what it was asked for; the client does not learn of it.",
        E::MessageLost {
            part: Part::Request,
            ..
        } => "The broker never hears of it; to the client it looks the same as a lost response.",
        E::TransactionEnded {
            outcome: Outcome::Commit,
            ..
        } => "It is decided; readers see it when its markers are written.",
        E::Reinitialized { .. } => {
            "The coordinator aborts what was written so far: the commit will cover only the rest."
        }
        E::Fenced { .. } => {
            "The epoch is raised when another producer takes the transactional id over, and when the coordinator aborts a transaction after transaction.timeout.ms: whoever comes with an older one is a zombie."
        }
        E::TransactionRefused { error, .. } => transaction_refused(error),
        E::TransactionLogged { state, .. } => logged(state),
        E::TransactionTimedOut { .. } => {
            "Nobody can wait for a client for ever: an open transaction holds back the last stable offset of its partitions."
        }
        E::MarkerWritten {
            outcome: Outcome::Commit,
            ..
        } => {
            "Readers with read_committed see its records as soon as no older transaction is open on this partition."
        }
        E::MarkerWritten {
            outcome: Outcome::Abort,
            ..
        } => {
            "Readers with read_committed will skip its records; those with read_uncommitted see them all the same."
        }
        E::Rebalanced { .. } => {
            "Whoever gets a partition starts at the committed offset: what was processed past that is processed again."
        }
        E::Assigned {
            reset: Some(AutoOffsetReset::Latest),
            ..
        } => "What is in the log already is skipped.",
        E::Assigned {
            reset: Some(AutoOffsetReset::Earliest),
            ..
        } => "All that is in the log is read, again if need be.",
        E::Skipped { .. } => "This is a defect of the client: the records are lost to its group.",
        E::Counted { times: 2.., .. } => {
            "The store still held the effect of the time before: it was not wiped, though its transaction was not committed."
        }
        E::OffsetCommitted { pending: true, .. } => {
            "It holds only if the transaction is committed: offsets and output are decided together."
        }
        E::OffsetCommitted {
            backwards: true, ..
        } => "Records between the two are read again by the next owner.",
        E::OffsetCommitted { .. } => {
            "Whoever takes over begins here: what lies below will not be read again, whether or not it has had its effect."
        }
        E::CommitRefused { error, .. } => group_refused(error),
        E::OffsetsExpired { .. } => "When somebody joins again, auto.offset.reset decides.",
        E::StoreReady {
            restored: false, ..
        } => "It may hold effects of records that will be read again.",
        E::StoreReady { restored: true, .. } => {
            "The changelog holds what was committed, and nothing else."
        }
        E::Crashed { .. } => "What it had in memory is gone.",
        E::Paused { .. } => "A long garbage collection looks to the others like a death.",
        E::LogLost { .. } => "Kafka relies on the other replicas for that.",
        E::ClockSteppedBack { locks: true, .. } => {
            "Until another broker takes over, this transactional id gets CONCURRENT_TRANSACTIONS for everything."
        }
        E::Sent { .. }
        | E::Transmitted { .. }
        | E::Appended { .. }
        | E::Replicated { .. }
        | E::Acknowledged { .. }
        | E::WillRetry { .. }
        | E::GivenUp { .. }
        | E::RequestTimedOut { .. }
        | E::Disconnected { .. }
        | E::MessageDelayed { .. }
        | E::TransactionBegun { .. }
        | E::TransactionEnded { .. }
        | E::MustAbort { .. }
        | E::Scanned { .. }
        | E::Asked { .. }
        | E::Taken { .. }
        | E::Granted { .. }
        | E::Ending { .. }
        | E::Begun { .. }
        | E::AutoCommits { .. }
        | E::Overdue { .. }
        | E::MarkerRefused { .. }
        | E::OffsetsDecided { .. }
        | E::Joined { .. }
        | E::Assigned { .. }
        | E::NoOffset { .. }
        | E::Polled { .. }
        | E::Processed { .. }
        | E::Counted { .. }
        | E::Deleted { .. }
        | E::Stopped { .. }
        | E::Started { .. }
        | E::Resumed { .. }
        | E::ClockSteppedBack { .. } => "",
    };
    Cow::Borrowed(fixed)
}

/// Why a record has the effect that it has: how often it came, and from where.
fn processed(times: u32, here: &Circumstances) -> Cow<'static, str> {
    let copies = here.copies;
    let is_undecided = here.reads_uncommitted && copies.aborted + copies.open > 0;
    Cow::Borrowed(match times {
        0 | 1 if is_undecided && copies.aborted == copies.all => {
            "Its transaction was aborted: with isolation.level=read_uncommitted it is processed all the same."
        }
        0 | 1 if is_undecided && copies.open == copies.all => {
            "Its transaction is not decided yet: with isolation.level=read_uncommitted nobody waits for that."
        }
        0 | 1 => "",
        _ if is_undecided && times <= copies.all => {
            "The application aborted the transaction and sent it again: with isolation.level=read_uncommitted the consumer sees the aborted copy, too."
        }
        _ if times <= copies.all => {
            return Cow::Owned(format!(
                "It is in the log {}: to a consumer each copy is a record of its own.",
                often(copies.all)
            ));
        }
        _ => {
            "It was read again: when its partition was taken over, no offset past it had been committed."
        }
    })
}

fn appended_again(here: &Circumstances) -> Cow<'static, str> {
    let copies = here.copies;
    match copies.aborted + 1 == copies.all {
        // Whoever repeats an aborted transaction doubles nothing.
        true if copies.aborted > 0 => Cow::Borrowed(
            "What stands there was aborted: read_committed will see this copy only, read_uncommitted sees both.",
        ),
        _ => Cow::Owned(format!(
            "The leader has no way to tell: from now on the record is in the log {}.",
            often(copies.all.max(2))
        )),
    }
}

/// What it means that somebody is no longer in a group.
const fn left(reason: Leaving, here: &Circumstances) -> &'static str {
    match (reason, here.has_others) {
        (Leaving::Restarted, _) => {
            "Whoever is restarted is another member. Kafka misses the old one until its session ends; here it is replaced at once."
        }
        (Leaving::Closed, _) => "",
        (_, true) if here.is_down => {
            "Somebody else gets its partitions, and starts at the committed offset."
        }
        (_, false) if here.is_down => {
            "Nobody else is there: its partitions wait for whoever joins, and starts at the committed offset."
        }
        (_, true) => {
            "Somebody else gets its partitions, and starts at the committed offset. What it does from now on it does as a zombie."
        }
        (_, false) => {
            "It has to join again, and starts at the committed offset. What it does until then it does as a zombie."
        }
    }
}

/// What it means that a request comes late.
const fn straggler(api: Api, here: &Circumstances) -> &'static str {
    match api {
        Api::Produce if here.is_idempotent => {
            "The broker cannot see that nobody waits for it any more: producer id, epoch and sequence decide whether it is written."
        }
        Api::Produce => {
            "Nothing in it says that nobody waits for it any more: it is written, even if the record has been sent again since."
        }
        Api::OffsetCommit => {
            "The group coordinator looks at member and generation only: while they hold it takes the offset, even if a higher one has been committed since."
        }
        Api::InitProducerId
        | Api::AddPartitionsToTxn
        | Api::AddOffsetsToTxn
        | Api::TxnOffsetCommit
        | Api::EndTxn => {
            "The coordinator cannot see that nobody waits for it any more: only an epoch that has been bumped since would tell."
        }
    }
}

const fn refused(error: ProduceError) -> &'static str {
    match error {
        ProduceError::NotLeaderOrFollower => {
            "Nobody leads the partition at the moment, or somebody else does: the client asks who, and tries again."
        }
        ProduceError::NotEnoughReplicas => {
            "Fewer replicas are in sync than min.insync.replicas: with acks=all nothing is written rather than something that might be lost."
        }
        ProduceError::NotEnoughReplicasAfterAppend => {
            "It is in the leader’s log, but on fewer replicas than min.insync.replicas: a retry writes it again, unless the broker knows the batch."
        }
        ProduceError::InvalidRecord => "A batch holds at least one record.",
        ProduceError::Batch(BatchError::InvalidProducerEpoch) => {
            "A newer session of this producer has written here: this one is a zombie."
        }
        ProduceError::Batch(BatchError::OutOfOrderSequence) => {
            "Its sequence is not the next one: something before it is missing, or it is older than the last five batches."
        }
        ProduceError::Batch(BatchError::InvalidTxnState) => {
            "It belongs to no transaction that the coordinator knows of."
        }
        ProduceError::Transaction(error) => transaction_refused(error),
        ProduceError::Marker(_) => "A newer epoch, or a newer coordinator, has written here.",
    }
}

const fn transaction_refused(error: TransactionError) -> &'static str {
    match error {
        TransactionError::InvalidTransactionTimeout => {
            "transaction.timeout.ms is longer than transaction.max.timeout.ms."
        }
        TransactionError::TransactionalIdAuthorizationFailed => "The broker does not allow it.",
        TransactionError::ConcurrentTransactions => {
            "A transition of this transactional id is under way: the client asks again."
        }
        TransactionError::ProducerFenced => {
            "This transactional id has a newer epoch: another producer has taken it over, or its transaction has timed out."
        }
        TransactionError::InvalidProducerIdMapping => {
            "The transactional id has another producer id by now, or is not known."
        }
        TransactionError::InvalidTxnState => {
            "There is no transaction to end, or it has ended the other way."
        }
        TransactionError::TransactionAbortable => {
            "The partition is not part of the transaction: it can only be aborted."
        }
    }
}

const fn group_refused(error: GroupError) -> &'static str {
    match error {
        GroupError::IllegalGeneration => {
            "The group has been rebalanced since: somebody else may have the partition."
        }
        GroupError::UnknownMemberId => {
            "It is not in the group any more: somebody else has its partitions."
        }
        GroupError::RebalanceInProgress => "It has to join again first.",
        GroupError::UnstableOffsetCommit => "A transaction has an offset pending: it asks again.",
    }
}

const fn logged(state: TransactionState) -> &'static str {
    match state {
        TransactionState::Ongoing => {
            "From now on the transaction is open: the coordinator knows who takes part."
        }
        TransactionState::PrepareCommit => {
            "This is the decision: whatever crashes now, the markers will be written."
        }
        TransactionState::PrepareAbort => {
            "This is the decision: none of its records will be seen by read_committed."
        }
        TransactionState::CompleteCommit | TransactionState::CompleteAbort => {
            "Every marker is written: the next transaction may begin."
        }
        TransactionState::PrepareEpochFence => "The client that had it before is fenced.",
        TransactionState::Empty | TransactionState::Dead => "",
    }
}

fn batch(lexicon: &Lexicon<'_>, first: RecordId, records: u32) -> String {
    let record = lexicon.record(first);
    match records {
        0 | 1 => record,
        2 => format!("{record} and 1 more"),
        more => format!("{record} and {} more", more - 1),
    }
}

fn stamped((producer, epoch, sequence): (ProducerId, ProducerEpoch, Sequence)) -> String {
    format!(
        " (producer id {}, epoch {}, sequence {})",
        producer.0,
        epoch.0,
        sequence.number()
    )
}

const fn part_of(part: Part) -> &'static str {
    match part {
        Part::Request => "request from",
        Part::Response => "response to",
    }
}

const fn ended(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Commit => "committed",
        Outcome::Abort => "aborted",
    }
}

const fn marker(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Commit => "commit",
        Outcome::Abort => "abort",
    }
}

fn often(times: u32) -> String {
    match times {
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}

fn nth(times: u32) -> String {
    match times {
        0 | 1 => String::new(),
        2 => " a second time".to_owned(),
        3 => " a third time".to_owned(),
        more => format!(" for the {more}th time"),
    }
}
