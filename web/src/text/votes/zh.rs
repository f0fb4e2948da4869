//! The sentences in Chinese.

use barrierscope_core::commit::log::Record;
use barrierscope_core::commit::message::Message;
use barrierscope_core::commit::{Decision, Vote};
use barrierscope_core::event::{Awaited, Event, VotesEvent};
use barrierscope_core::id::NodeId;
use barrierscope_core::scene::Facts;

use super::{Circumstances, all_blocked, all_released, face, names, property};
use crate::text::{Lang, Lexicon};

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
        E::Begun { coordinator } => format!("应用请求 {} 提交事务。", name(coordinator)),
        E::Sent { from, to, message } => {
            format!("{} 向 {} 发送了 {message}。", who(from), name(to))
        }
        E::Received {
            node,
            from,
            message,
        } => {
            format!("{} 收到了 {} 的 {message}。", who(node), name(from))
        }
        E::Ignored {
            node,
            from,
            message,
        } => {
            format!(
                "{} 收到了 {} 的 {message}，未予理会。",
                who(node),
                name(from)
            )
        }
        E::Unanswered { node, from } => {
            format!("{} 被 {} 问及决定，但它也不知道。", who(node), name(from))
        }
        E::Missed {
            node,
            from,
            message,
        } => format!(
            "{} 的 {message} 到达时 {} 不在运行：没有人会读到它。",
            name(from),
            name(node)
        ),
        E::Written {
            node,
            record,
            forced,
        } => {
            let rest = match forced {
                true => "并强制写盘，等待完成",
                false => "不等落盘就继续",
            };
            format!("{} 写下日志记录 {record}，{rest}。", who(node))
        }
        E::Forced { node, records, .. } => {
            format!("{} 的日志已落盘：{records} 条记录。", who(node))
        }
        E::Voted {
            node,
            vote: Vote::Commit,
        } => {
            format!("{} 投了提交票，从此悬而未决。", who(node))
        }
        E::Voted {
            node,
            vote: Vote::Abort,
        } => format!("{} 投了中止票。", who(node)),
        E::Decided { node, decision } => {
            format!(
                "{} 决定{}。",
                who(node),
                face::decision_word(Lang::Zh, decision)
            )
        }
        E::Ended { coordinator } => format!("{} 可以忘记该事务了。", who(coordinator)),
        E::TimedOut { node, awaited } => {
            let what = match awaited {
                Awaited::VoteRequest => " VOTE_REQUEST ",
                Awaited::Votes => "投票",
                Awaited::Decision => "决定",
                Awaited::Acknowledgements => "确认",
            };
            format!("{} 等待{what}超时。", who(node))
        }
        E::Blocked { .. } => {
            let all = names(Lang::Zh, lexicon.nodes, &all_blocked(events));
            format!("{all} 被阻塞：运行中的进程没有谁能告知决定。")
        }
        E::Released { by, .. } => {
            let all = all_released(events, by);
            let is_self = all.as_slice() == [by];
            let all = names(Lang::Zh, lexicon.nodes, &all);
            let is_coordinator = (lexicon.nodes.iter())
                .any(|node| node.id == by && matches!(node.facts, Facts::Committer(_)));
            let why = match is_self {
                true => "决定已到达或正在途中".to_owned(),
                false if is_coordinator => format!("{} 已恢复", name(by)),
                false => format!("{} 知道决定，或可以作出决定", name(by)),
            };
            format!("{all} 不再阻塞：{why}。")
        }
        E::Crashed { node, lost, stays } => {
            let stays = if stays { "，不会自行恢复" } else { "" };
            let lost = match lost {
                0 => "日志都已落盘，得以保留".to_owned(),
                lost => format!("{lost} 条未落盘的日志记录随之丢失"),
            };
            format!("{} 崩溃{stays}；{lost}。", who(node))
        }
        E::Recovered { node, last } => {
            let last = match last {
                Some(last) => format!("最后一条是 {last}"),
                None => "日志是空的".to_owned(),
            };
            format!("{} 恢复并读取了日志：{last}。", who(node))
        }
        E::MessageLost { from, to, message } => {
            format!("{} 发往 {} 的 {message} 在途中丢失。", name(from), name(to))
        }
        E::MessageDelayed { from, to, message } => {
            format!("{} 发往 {} 的 {message} 将迟到。", name(from), name(to))
        }
        E::MessageDuplicated { from, to, message } => {
            format!("{} 发往 {} 的 {message} 将到达两次。", name(from), name(to))
        }
        E::PropertyBroken {
            property: which,
            node,
        } => format!(
            "{}（{}）被 {} 破坏。",
            property::code(which),
            property::name(Lang::Zh, which),
            name(node)
        ),
    };
    // A space parts Chinese from Latin letters, not Chinese from Chinese.
    said.replace("协调者 ", "协调者")
        .replace(" 协调者", "协调者")
}

/// Why it matters; empty where it goes without saying.
pub(super) fn reason(event: VotesEvent, here: &Circumstances) -> String {
    use VotesEvent as E;
    match event {
        E::Begun { .. } => "表决阶段：协调者询问每个参与者能否提交。只有全体都能，才可以提交。".to_owned(),
        E::Sent { message, .. } => sent(message, here).to_owned(),
        E::Received { message, .. } => received(message, here).to_owned(),
        E::Ignored { .. } => "消息可能迟到，也可能重复：已知的事不会因此改变。".to_owned(),
        E::Unanswered { .. } if here.is_coordinator => "投票还没有到齐：没有决定可以告知。".to_owned(),
        E::Unanswered { .. } => "它也投了提交票。悬而未决者无论多少，都不能自行决定：协调者可能作出了任何一种决定。".to_owned(),
        E::Missed { .. } => "不在运行的进程读不到任何消息，也没有人通知发送方：它只能靠超时发现。".to_owned(),
        E::Written { record, forced, .. } => written(record, forced, here).to_owned(),
        E::Forced { awaited: false, .. } => "没有人为此等待。".to_owned(),
        E::Forced { .. } => "落盘的内容在崩溃后仍然保留。".to_owned(),
        E::Voted { vote: Vote::Commit, .. } => "投了提交票就不能自行决定：其他进程可能凭这一票已经提交，也可能有谁中止了。在得知决定之前必须等待。".to_owned(),
        E::Voted { vote: Vote::Abort, .. } => "没有投提交票就没有承诺，可以自行中止：缺了这一票，谁也不能提交。".to_owned(),
        E::Decided { decision, .. } => decided(decision, here).to_owned(),
        E::Ended { .. } if here.presumed_abort && here.decision == Some(Decision::Abort) => "假定中止：中止无需确认。以后谁来询问，找不到记录，就得到中止的答复。".to_owned(),
        E::Ended { .. } => "全体都已确认：每个参与者都把决定写到了盘上，不会再询问。".to_owned(),
        E::TimedOut { awaited, .. } => match awaited {
            Awaited::VoteRequest => "它还没有作出承诺，与其等待，不如自行中止。",
            Awaited::Votes => "没有到达的票不能算数：它决定中止。",
            Awaited::Decision if here.cooperative => "它不能自行决定，只能询问：问协调者，在协作终止下也问其他参与者。",
            Awaited::Decision => "它不能自行决定，只能询问协调者。",
            Awaited::Acknowledgements => "它反复告知决定，直到得到确认：只有在无人再会询问时才能忘记事务。",
        }.to_owned(),
        E::Blocked { .. } => blocked(here),
        E::Released { .. } if !here.cooperative => "提交的决定必定在协调者的盘上；若没有，就是中止。无论哪种，它现在都能回答。".to_owned(),
        E::Released { .. } => "在协作终止下，知道决定的都可以告知，尚未投票的可以决定中止：不一定要等协调者。".to_owned(),
        E::Crashed { .. } if here.is_coordinator => "内存中的一切都丢失了：投票、确认以及将要发送的消息。它以后只知道已落盘的日志。".to_owned(),
        E::Crashed { .. } => "内存中的一切都丢失了。它是否作过承诺，要看日志。".to_owned(),
        E::Recovered { last, .. } => recovered(last, here).to_owned(),
        E::MessageLost { .. } => "没有人会通知消息丢失：等待它的进程只能靠超时发现。".to_owned(),
        E::MessageDelayed { .. } => "在到达之前，迟到与丢失看起来一样：协议必须两者都能承受。".to_owned(),
        E::MessageDuplicated { .. } => "重复的消息不应产生任何影响。".to_owned(),
        E::PropertyBroken { property: which, .. } => property::demand(Lang::Zh, which).to_owned(),
    }
}

const fn sent(message: Message, here: &Circumstances) -> &'static str {
    match message {
        Message::VoteRequest => "还没有谁受到约束：尚未投票的仍可自行中止。",
        Message::VoteCommit => "投票在发送之前已落盘：它是承诺，崩溃之后也必须有效。",
        Message::VoteAbort => "它已经中止：拒绝者不必等待任何人。",
        Message::GlobalCommit if here.is_coordinator => {
            "提交阶段：决定在告知任何人之前已落盘，此后协调者不可能再有别的说法。"
        }
        Message::GlobalAbort if here.is_coordinator && here.presumed_abort => {
            "假定中止：无需确认，没收到的人会来询问，并得到中止的答复。"
        }
        Message::GlobalAbort if here.is_coordinator => {
            "提交阶段：投了提交票的参与者在等待这个消息。"
        }
        Message::GlobalCommit | Message::GlobalAbort => "协作终止：知道决定的都可以告诉询问者。",
        Message::Ack => "它已把决定写到盘上，不会再询问：协调者可以把它划掉。",
        Message::DecisionRequest if here.cooperative => {
            "在协作终止下，其他参与者都会被问到：知道决定的可以告知，尚未投票的可以决定中止。"
        }
        Message::DecisionRequest => {
            "只询问协调者。其他参与者也许知道决定；没有协作终止，就没有人问它们。"
        }
    }
}

const fn received(message: Message, here: &Circumstances) -> &'static str {
    match message {
        Message::VoteRequest => "它以投票作答。",
        Message::VoteCommit => "只有全体都投了提交票，才可以决定提交。",
        Message::VoteAbort => "一张中止票就够了。",
        Message::GlobalAbort if here.presumed_abort => {
            "疑虑到此为止。假定中止：既不必强制写盘，也不必确认。"
        }
        Message::GlobalCommit | Message::GlobalAbort => "疑虑到此为止。",
        Message::Ack => "全体都确认之后，不会再有人询问，事务就可以忘记了。",
        Message::DecisionRequest => "询问者悬而未决。",
    }
}

const fn written(record: Record, forced: bool, here: &Circumstances) -> &'static str {
    match record {
        Record::Start2Pc => "不必强制写盘：找不到它的协调者不知道任何事务，结果等同于中止。",
        Record::VoteCommit => "投票先强制写盘再发送：其他进程可能凭这一票提交，崩溃后不能忘记它。",
        Record::VoteAbort if !forced => {
            "假定中止：它没有承诺，而找不到记录就视为中止，因此这条记录不必强制写盘。"
        }
        Record::VoteAbort => "没有投提交票就没有承诺，可以自行中止。",
        Record::GlobalCommit if here.is_coordinator => {
            "这条记录一旦落盘，事务就已提交，无论之后发生什么；在此之前不得告知任何人。"
        }
        Record::GlobalAbort if !forced => {
            "假定中止：找不到记录就视为中止，因此这条记录不必强制写盘。"
        }
        Record::GlobalAbort if here.is_coordinator => {
            "没有假定中止时，中止与提交一样，先记录再告知。"
        }
        Record::GlobalCommit | Record::GlobalAbort => "落盘之后才确认：从此它再也不必询问。",
        Record::End => "不必强制写盘：没有它，协调者不过是再告知一次决定。",
    }
}

const fn decided(decision: Decision, here: &Circumstances) -> &'static str {
    match decision {
        Decision::Commit if here.is_coordinator => {
            "全体都投了提交票，决定也已落盘：这就是提交。接下来要告知每个参与者。"
        }
        Decision::Abort if here.is_coordinator => "只要没有人被告知提交，中止总是安全的。",
        Decision::Commit => "它得知了决定并已落盘：现在兑现承诺。",
        Decision::Abort if here.voted_abort => "它自行中止：缺了它的一票，谁也不可能提交。",
        Decision::Abort => "它得知了决定：撤销所做的工作。",
    }
}

fn blocked(here: &Circumstances) -> String {
    if here.cooperative {
        return "运行中的参与者都投了提交票，却没有谁知道决定：协调者或某个不在运行的进程可能作出了任何一种决定。在其中之一恢复之前，锁一直保留。".to_owned();
    }
    match &here.knows {
        Some(knows) => format!(
            "投了提交票就不能自行决定，而它只询问协调者，协调者却不在运行；在其恢复之前，锁一直保留。{knows} 知道决定，但没有协作终止，就没有人问 {knows}。"
        ),
        None => "投了提交票就不能自行决定：两种决定都有可能。只有协调者能告知，而它不在运行；在其恢复之前，锁一直保留。".to_owned(),
    }
}

const fn recovered(last: Option<Record>, here: &Circumstances) -> &'static str {
    match (here.is_coordinator, last) {
        (true, None) => {
            "它不知道任何事务。不可能有人被告知提交，否则会有记录：谁来询问，都答复中止。"
        }
        (true, Some(Record::Start2Pc)) => "它曾要求投票，但没有作出决定：它决定中止。",
        (true, Some(Record::End)) => "全体都已确认：没有要做的事了。",
        (true, Some(Record::GlobalCommit | Record::GlobalAbort)) => {
            "有决定而没有 END：它不知道谁已确认，于是再告知所有人。"
        }
        (true, Some(Record::VoteCommit | Record::VoteAbort)) => "",
        (false, Some(Record::VoteCommit)) => {
            "它找到了自己的投票，没有找到决定：悬而未决，必须询问。"
        }
        (false, Some(Record::GlobalCommit | Record::GlobalAbort | Record::VoteAbort)) => {
            "它找到了决定，不必询问任何人。"
        }
        (false, None | Some(Record::Start2Pc | Record::End)) => {
            "它没有找到投票：没有承诺，仍可自行中止。"
        }
    }
}
