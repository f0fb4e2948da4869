//! The sentences in English.

use barrierscope_core::commit::log::Record;
use barrierscope_core::commit::message::Message;
use barrierscope_core::commit::{Decision, Vote};
use barrierscope_core::event::{Awaited, Event, VotesEvent};
use barrierscope_core::id::NodeId;

use super::{Circumstances, all_blocked, all_released, face, names, property};
use crate::text::{Lang, Lexicon, capital, plural};

/// What an event says happened.
pub(super) fn happened(
    lexicon: &Lexicon<'_>,
    event: VotesEvent,
    who: &dyn Fn(NodeId) -> String,
    events: &[Event],
) -> String {
    use VotesEvent as E;
    let name = |id| lexicon.node(id);
    let said = match event {
        E::Begun { coordinator } => {
            format!(
                "The application asked {} to commit the transaction.",
                name(coordinator)
            )
        }
        E::Sent { from, to, message } => format!("{} sent {message} to {}.", who(from), name(to)),
        E::Received {
            node,
            from,
            message,
        } => {
            format!("{} received {message} from {}.", who(node), name(from))
        }
        E::Ignored {
            node,
            from,
            message,
        } => {
            format!(
                "{} received {message} from {}, and ignored it.",
                who(node),
                name(from)
            )
        }
        E::Unanswered { node, from } => format!(
            "{} was asked for the decision by {}, and does not know it either.",
            who(node),
            name(from)
        ),
        E::Missed {
            node,
            from,
            message,
        } => format!(
            "{message} from {} came to {}, which is down: nobody will ever read it.",
            name(from),
            name(node)
        ),
        E::Written {
            node,
            record,
            forced,
        } => {
            let rest = match forced {
                true => "forces its log, and waits until that is on disk",
                false => "goes on at once, before that is on disk",
            };
            format!("{} wrote {record}: it {rest}.", who(node))
        }
        E::Forced { node, records, .. } => {
            format!(
                "{} has its log on disk: {records} record{}.",
                who(node),
                plural(records.into())
            )
        }
        E::Voted {
            node,
            vote: Vote::Commit,
        } => {
            format!(
                "{} has voted commit, and is in doubt from now on.",
                who(node)
            )
        }
        E::Voted {
            node,
            vote: Vote::Abort,
        } => format!("{} has voted abort.", who(node)),
        E::Decided { node, decision } => {
            format!(
                "{} has decided {}.",
                who(node),
                face::decision_word(Lang::En, decision)
            )
        }
        E::Ended { coordinator } => format!("{} may forget the transaction.", who(coordinator)),
        E::TimedOut { node, awaited } => {
            let what = match awaited {
                Awaited::VoteRequest => "VOTE_REQUEST",
                Awaited::Votes => "votes",
                Awaited::Decision => "the decision",
                Awaited::Acknowledgements => "acknowledgements",
            };
            format!("{} has waited long enough for {what}.", who(node))
        }
        E::Blocked { .. } => {
            let all = all_blocked(events);
            let (is, they) = match all.as_slice() {
                [_] => ("is", "it"),
                _ => ("are", "them"),
            };
            let all = names(Lang::En, lexicon.nodes, &all);
            format!("{all} {is} blocked: nobody that runs can tell {they} the decision.")
        }
        E::Released { by, .. } => {
            let all = all_released(events, by);
            let is = if all.len() == 1 { "is" } else { "are" };
            let is_self = all.as_slice() == [by];
            let all = names(Lang::En, lexicon.nodes, &all);
            let why = match is_self {
                true => "the decision has come, or is on its way".to_owned(),
                false if is_coordinator(lexicon, by) => format!("{} is back", name(by)),
                false => format!("{} knows the decision, or can make it", name(by)),
            };
            format!("{all} {is} no longer blocked: {why}.")
        }
        E::Crashed { node, lost, stays } => {
            let stays = if stays { ", and stays down" } else { "" };
            let lost = match lost {
                0 => "all of its log was on disk, and stays".to_owned(),
                lost => format!(
                    "{lost} log record{} not on disk went with it",
                    plural(lost.into())
                ),
            };
            format!("{} crashed{stays}; {lost}.", who(node))
        }
        E::Recovered { node, last } => {
            let last = match last {
                Some(last) => format!("its last record is {last}"),
                None => "there is nothing in it".to_owned(),
            };
            format!("{} is back, and has read its log: {last}.", who(node))
        }
        E::MessageLost { from, to, message } => {
            format!(
                "{message} from {} to {} was lost on its way.",
                name(from),
                name(to)
            )
        }
        E::MessageDelayed { from, to, message } => {
            format!(
                "{message} from {} to {} will be late.",
                name(from),
                name(to)
            )
        }
        E::MessageDuplicated { from, to, message } => {
            format!(
                "{message} from {} to {} will come twice.",
                name(from),
                name(to)
            )
        }
        E::PropertyBroken {
            property: which,
            node,
        } => format!(
            "{} ({}) is broken: by {}.",
            property::code(which),
            property::name(Lang::En, which),
            name(node)
        ),
    };
    capital(&said)
}

fn is_coordinator(lexicon: &Lexicon<'_>, id: NodeId) -> bool {
    let mut nodes = lexicon.nodes.iter();
    nodes.any(|node| {
        node.id == id && matches!(node.facts, barrierscope_core::scene::Facts::Committer(_))
    })
}

/// Why it matters; empty where it goes without saying.
pub(super) fn reason(event: VotesEvent, here: &Circumstances) -> String {
    use VotesEvent as E;
    match event {
        E::Begun { .. } => "The voting phase: the coordinator asks everybody whether they can commit. Only if all can, may anybody.".to_owned(),
        E::Sent { message, .. } => sent(message, here).to_owned(),
        E::Received { message, .. } => received(message, here).to_owned(),
        E::Ignored { .. } => "A message may be late, or come twice: what is known already changes nothing.".to_owned(),
        E::Unanswered { .. } if here.is_coordinator => "Votes are still missing: there is no decision to tell.".to_owned(),
        E::Unanswered { .. } => "It has voted commit, too. Those in doubt cannot decide among themselves, however many they are: the coordinator may have decided either way.".to_owned(),
        E::Missed { .. } => "Who is down reads nothing, and nobody tells the sender: it finds out by waiting in vain.".to_owned(),
        E::Written { record, forced, .. } => written(record, forced, here).to_owned(),
        E::Forced { awaited: false, .. } => "Nobody has waited for that.".to_owned(),
        E::Forced { .. } => "What is on disk survives a crash.".to_owned(),
        E::Voted { vote: Vote::Commit, .. } => "Who has voted commit may not decide alone: the others may have committed on the strength of this vote, or one of them may have aborted. Until it hears the decision, it must wait.".to_owned(),
        E::Voted { vote: Vote::Abort, .. } => "Who has not voted commit has promised nothing, and may abort by itself: without its vote nobody can commit.".to_owned(),
        E::Decided { decision, .. } => decided(decision, here).to_owned(),
        E::Ended { .. } if here.presumed_abort && here.decision == Some(Decision::Abort) => "Presumed abort: nobody acknowledges an abort. Whoever asks later finds no record, and is told abort.".to_owned(),
        E::Ended { .. } => "All have acknowledged: each has the decision on its disk, and will never ask for it.".to_owned(),
        E::TimedOut { awaited, .. } => match awaited {
            Awaited::VoteRequest => "It has promised nothing yet, so it may abort by itself rather than wait.",
            Awaited::Votes => "A vote that does not come cannot be counted on: it decides abort.",
            Awaited::Decision if here.cooperative => "It may not decide alone; all that it can do is ask: the coordinator, and with cooperative termination the other participants, too.",
            Awaited::Decision => "It may not decide alone; all that it can do is ask the coordinator.",
            Awaited::Acknowledgements => "It tells the decision again until it is acknowledged: it may forget the transaction only when nobody can ask any more.",
        }.to_owned(),
        E::Blocked { .. } => blocked(here),
        E::Released { .. } if !here.cooperative => "A decision to commit would be on the coordinator’s disk; if there is none, it is abort. Either way it can answer now.".to_owned(),
        E::Released { .. } => "With cooperative termination whoever knows the decision may tell it, and whoever has not voted may decide abort: it need not be the coordinator.".to_owned(),
        E::Crashed { .. } if here.is_coordinator => "Its memory is gone: votes, acknowledgements, and what it was about to send. Its log, as far as it was on disk, is all that it will know.".to_owned(),
        E::Crashed { .. } => "Its memory is gone. Whether it has promised anything, its log will tell it.".to_owned(),
        E::Recovered { last, .. } => recovered(last, here).to_owned(),
        E::MessageLost { .. } => "Nobody is told that a message is lost: who waits for it finds out by waiting in vain.".to_owned(),
        E::MessageDelayed { .. } => "Late looks like lost, until it comes: the protocol must bear both.".to_owned(),
        E::MessageDuplicated { .. } => "A copy must make no difference.".to_owned(),
        E::PropertyBroken { property: which, .. } => property::demand(Lang::En, which).to_owned(),
    }
}

const fn sent(message: Message, here: &Circumstances) -> &'static str {
    match message {
        Message::VoteRequest => {
            "Nobody is bound yet: whoever has not voted may still abort by itself."
        }
        Message::VoteCommit => {
            "The vote was on disk before it was sent: it is a promise, and must hold across a crash."
        }
        Message::VoteAbort => "It has aborted already: who refuses need not wait for anybody.",
        Message::GlobalCommit if here.is_coordinator => {
            "The commit phase: the decision was on disk before anybody is told, so that the coordinator can never say anything else afterwards."
        }
        Message::GlobalAbort if here.is_coordinator && here.presumed_abort => {
            "Presumed abort: nobody need acknowledge it, for whoever misses it will ask, and be told abort."
        }
        Message::GlobalAbort if here.is_coordinator => {
            "The commit phase: those who voted commit wait for this."
        }
        Message::GlobalCommit | Message::GlobalAbort => {
            "Cooperative termination: whoever knows the decision may tell it to whoever asks."
        }
        Message::Ack => {
            "It has the decision on disk, and will never ask for it: the coordinator may cross it off."
        }
        Message::DecisionRequest if here.cooperative => {
            "With cooperative termination all others are asked: one that knows the decision can tell it, one that has not voted can decide abort."
        }
        Message::DecisionRequest => {
            "Only the coordinator is asked. Other participants may know the decision; without cooperative termination nobody asks them."
        }
    }
}

const fn received(message: Message, here: &Circumstances) -> &'static str {
    match message {
        Message::VoteRequest => "It answers by its vote.",
        Message::VoteCommit => "It may decide commit when all have voted commit, and not before.",
        Message::VoteAbort => "One vote to abort is enough.",
        Message::GlobalCommit | Message::GlobalAbort
            if here.presumed_abort && matches!(message, Message::GlobalAbort) =>
        {
            "Its doubt is over. Presumed abort: it need neither force this nor acknowledge it."
        }
        Message::GlobalCommit | Message::GlobalAbort => "Its doubt is over.",
        Message::Ack => {
            "When all have acknowledged, nobody can ask any more, and the transaction may be forgotten."
        }
        Message::DecisionRequest => "Whoever asks is in doubt.",
    }
}

const fn written(record: Record, forced: bool, here: &Circumstances) -> &'static str {
    match record {
        Record::Start2Pc => {
            "It need not be forced: a coordinator that does not find it knows of no transaction, and that comes to an abort."
        }
        Record::VoteCommit => {
            "The vote is forced before it is sent: the others may commit on the strength of it, so it must not be forgotten in a crash."
        }
        Record::VoteAbort if !forced => {
            "Presumed abort: it has promised nothing, and whoever finds no record takes the transaction for aborted; so this one need not be forced."
        }
        Record::VoteAbort => {
            "Who has not voted commit has promised nothing, and may abort by itself."
        }
        Record::GlobalCommit if here.is_coordinator => {
            "When this record is on disk, the transaction is committed, whatever happens afterwards; before, nobody may be told."
        }
        Record::GlobalAbort if !forced => {
            "Presumed abort: whoever finds no record takes it for an abort, so this one need not be forced."
        }
        Record::GlobalAbort if here.is_coordinator => {
            "Without presumed abort an abort is recorded like a commit, before anybody is told."
        }
        Record::GlobalCommit | Record::GlobalAbort => {
            "It acknowledges when this is on disk: from then on it need never ask."
        }
        Record::End => {
            "It need not be forced: without it the coordinator would only tell the decision once more."
        }
    }
}

const fn decided(decision: Decision, here: &Circumstances) -> &'static str {
    match decision {
        Decision::Commit if here.is_coordinator => {
            "All have voted commit, and the decision is on disk: this is the commit. Everybody has yet to be told."
        }
        Decision::Abort if here.is_coordinator => {
            "Abort is always safe as long as nobody has been told commit."
        }
        Decision::Commit => {
            "It has heard the decision, and has it on disk: what it promised it now carries out."
        }
        Decision::Abort if here.voted_abort => {
            "It has aborted by itself: nobody can have committed without its vote."
        }
        Decision::Abort => "It has heard the decision: its work is undone.",
    }
}

fn blocked(here: &Circumstances) -> String {
    if here.cooperative {
        return "All that run have voted commit, and none of them knows the decision: the coordinator, or somebody who is down, may have decided either way. Locks are kept until one of these is back.".to_owned();
    }
    match &here.knows {
        Some(knows) => format!(
            "Who voted commit may not decide alone, and asks the coordinator only, which is down; locks are kept until it is back. {knows} knows the decision, but without cooperative termination nobody asks {knows}."
        ),
        None => "Who voted commit may not decide alone: the decision may be either. Only the coordinator can tell it, and that is down; locks are kept until it is back.".to_owned(),
    }
}

const fn recovered(last: Option<Record>, here: &Circumstances) -> &'static str {
    match (here.is_coordinator, last) {
        (true, None) => {
            "It knows of no transaction. Nobody can have been told commit, for that would be on record: whoever asks is told abort."
        }
        (true, Some(Record::Start2Pc)) => {
            "It had asked for votes and not decided: it decides abort."
        }
        (true, Some(Record::End)) => "All had acknowledged: nothing is left to do.",
        (true, Some(Record::GlobalCommit | Record::GlobalAbort)) => {
            "A decision without END: it does not know who has acknowledged, and tells everybody again."
        }
        (true, Some(Record::VoteCommit | Record::VoteAbort)) => "",
        (false, Some(Record::VoteCommit)) => {
            "It finds its vote, and no decision: it is in doubt, and has to ask."
        }
        (false, Some(Record::GlobalCommit | Record::GlobalAbort | Record::VoteAbort)) => {
            "It finds the decision, and need not ask anybody."
        }
        (false, None | Some(Record::Start2Pc | Record::End)) => {
            "It finds no vote: it has promised nothing, and may still abort by itself."
        }
    }
}
