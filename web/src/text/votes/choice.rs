//! What may be done next, in two-phase commit.

use barrierscope_core::event::Awaited;
use barrierscope_core::scene::votes::VotesChoice;

use super::super::{Lang, Lexicon};

/// A choice, as something to do.
pub(in crate::text) fn choice(lexicon: &Lexicon<'_>, choice: VotesChoice) -> String {
    match lexicon.lang {
        Lang::En => english(lexicon, choice),
        Lang::Zh => chinese(lexicon, choice),
    }
}

fn english(lexicon: &Lexicon<'_>, choice: VotesChoice) -> String {
    use VotesChoice as C;
    let name = |id| lexicon.node(id);
    match choice {
        C::Begin { coordinator } => {
            format!("the application asks {} to commit", name(coordinator))
        }
        C::Force { node, record } => format!("{record} of {} comes to disk", name(node)),
        C::Flush { node, record } => {
            format!(
                "{record} of {} comes to disk; nobody waits for it",
                name(node)
            )
        }
        C::Send { from, to, message } => {
            format!("{} sends {message} to {}", name(from), name(to))
        }
        C::Deliver {
            node,
            from,
            message,
            place,
            ..
        } => {
            let early = match place {
                0 => String::new(),
                others => format!(", ahead of {others}"),
            };
            format!(
                "{} receives {message} from {}{early}",
                name(node),
                name(from)
            )
        }
        C::TimeOut { node, awaited } => {
            let what = match awaited {
                Awaited::VoteRequest => "VOTE_REQUEST",
                Awaited::Votes => "votes",
                Awaited::Decision => "the decision",
                Awaited::Acknowledgements => "acknowledgements",
            };
            format!("{} has waited long enough for {what}", name(node))
        }
        C::Recover { node } => format!("{} comes back", name(node)),
        C::Crash { node } => format!("{} crashes", name(node)),
        C::Stop { node } => format!("{} dies and stays down", name(node)),
        C::Lose {
            from, to, message, ..
        } => {
            format!("{message} from {} to {} is lost", name(from), name(to))
        }
        C::Duplicate {
            from, to, message, ..
        } => {
            format!("{message} from {} to {} comes twice", name(from), name(to))
        }
    }
}

fn chinese(lexicon: &Lexicon<'_>, choice: VotesChoice) -> String {
    use VotesChoice as C;
    let name = |id| lexicon.node(id);
    let said = match choice {
        C::Begin { coordinator } => format!("应用请求{}提交事务", name(coordinator)),
        C::Force { node, record } => format!("{} 的 {record} 落盘", name(node)),
        C::Flush { node, record } => format!("{} 的 {record} 落盘（无人等待）", name(node)),
        C::Send { from, to, message } => {
            format!("{} 向 {} 发送 {message}", name(from), name(to))
        }
        C::Deliver {
            node,
            from,
            message,
            place,
            ..
        } => {
            let early = match place {
                0 => String::new(),
                others => format!("，越过 {others} 条"),
            };
            format!("{} 收到 {} 的 {message}{early}", name(node), name(from))
        }
        C::TimeOut { node, awaited } => {
            let what = match awaited {
                Awaited::VoteRequest => " VOTE_REQUEST ",
                Awaited::Votes => "投票",
                Awaited::Decision => "决定",
                Awaited::Acknowledgements => "确认",
            };
            format!("{} 等待{what}超时", name(node))
        }
        C::Recover { node } => format!("{} 恢复", name(node)),
        C::Crash { node } => format!("{} 崩溃", name(node)),
        C::Stop { node } => format!("{} 停止，不自行恢复", name(node)),
        C::Lose {
            from, to, message, ..
        } => {
            format!("{} 发往 {} 的 {message} 丢失", name(from), name(to))
        }
        C::Duplicate {
            from, to, message, ..
        } => {
            format!("{} 发往 {} 的 {message} 重复到达", name(from), name(to))
        }
    };
    // A space parts Chinese from Latin letters, not Chinese from Chinese.
    said.replace("协调者 ", "协调者")
        .replace(" 协调者", "协调者")
}
