//! The words of a record's life: where it is, and what it is there.

use barrierscope_core::scene::CellStatus;
use barrierscope_core::scene::whereabouts::Whereabouts;

use super::{Lang, Lexicon};

/// Where a record is, in a few words.
pub fn place(lexicon: &Lexicon<'_>, place: &Whereabouts) -> String {
    let lang = lexicon.lang;
    match *place {
        Whereabouts::Input {
            node,
            offset,
            status,
            ..
        } => {
            let (name, offset) = (lexicon.node(node), offset.0);
            match lang {
                Lang::En => format!("{name}, offset {offset}: {}", input(lang, status)),
                Lang::Zh => format!("{name}，偏移量 {offset}：{}", input(lang, status)),
            }
        }
        Whereabouts::Channel {
            from,
            to,
            queued,
            stored,
        } => {
            let way = format!("{} → {}", lexicon.node(from), lexicon.node(to));
            let more = match (queued, stored) {
                (_, true) => lang.pick(", stored as in-flight data", "，作为在途数据保存"),
                (true, false) => lang.pick(", in the output queue", "，在输出队列中"),
                (false, false) => "",
            };
            format!("{way}{more}")
        }
        Whereabouts::Worked { node } => {
            let name = lexicon.node(node);
            match lang {
                Lang::En => format!("{name} works on it"),
                Lang::Zh => format!("{name} 正在处理"),
            }
        }
        Whereabouts::Sending {
            node,
            attempts,
            in_flight,
        } => {
            let name = lexicon.node(node);
            match (lang, attempts, in_flight) {
                (Lang::En, 0, _) => format!("in a batch of {name}, not sent yet"),
                (Lang::Zh, 0, _) => format!("在 {name} 的批次中，尚未发送"),
                (Lang::En, 1, true) => format!("sent by {name}, not acknowledged"),
                (Lang::Zh, 1, true) => format!("{name} 已发送，未确认"),
                (Lang::En, _, true) => format!("sent by {name} for the {} time", nth(attempts)),
                (Lang::Zh, _, true) => format!("{name} 第 {attempts} 次发送"),
                (Lang::En, _, false) => format!("{name} will send it again"),
                (Lang::Zh, _, false) => format!("{name} 将重新发送"),
            }
        }
        Whereabouts::Log {
            node,
            broker,
            offset,
            status,
        } => {
            let (name, offset) = (lexicon.node(node), offset.0);
            let name = match broker {
                None => name,
                Some(broker) => match lang {
                    Lang::En => format!("{name} on broker {broker}"),
                    Lang::Zh => format!("broker {broker} 上的 {name}"),
                },
            };
            match lang {
                Lang::En => format!("{name}, offset {offset}: {}", output(lang, status)),
                Lang::Zh => format!("{name}，偏移量 {offset}：{}", output(lang, status)),
            }
        }
        Whereabouts::Buffered { node } => {
            let name = lexicon.node(node);
            match lang {
                Lang::En => format!("returned by poll() to {name}"),
                Lang::Zh => format!("poll() 已返回给 {name}"),
            }
        }
        Whereabouts::Applied { node, copies } => {
            let name = lexicon.node(node);
            match (lang, copies) {
                (Lang::En, 1) => format!("in the state of {name}"),
                (Lang::En, _) => format!("in the state of {name}, {copies} times"),
                (Lang::Zh, 1) => format!("在 {name} 的状态中"),
                (Lang::Zh, _) => format!("在 {name} 的状态中，{copies} 次"),
            }
        }
        Whereabouts::Seen { node, copies } => {
            let name = lexicon.node(node);
            match (lang, copies) {
                (Lang::En, 1) => format!("seen: {name}"),
                (Lang::En, _) => format!("seen {copies} times: {name}"),
                (Lang::Zh, 1) => format!("可见：{name}"),
                (Lang::Zh, _) => format!("可见 {copies} 次：{name}"),
            }
        }
    }
}

fn nth(number: u32) -> String {
    match number {
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        _ => format!("{number}th"),
    }
}

/// What has become of an entry of an input log.
const fn input(lang: Lang, status: CellStatus) -> &'static str {
    match status {
        CellStatus::Skipped => lang.pick("skipped", "跳过"),
        CellStatus::Ahead => lang.pick("not read", "未读取"),
        CellStatus::Read => lang.pick("read, a crash has it read again", "已读取，崩溃后会重读"),
        CellStatus::Covered => lang.pick("covered by a checkpoint", "已被检查点覆盖"),
        _ => output(lang, status),
    }
}

/// What has become of an entry of a log that is written.
const fn output(lang: Lang, status: CellStatus) -> &'static str {
    match status {
        CellStatus::Plain => lang.pick("written, visible at once", "已写入，立即可见"),
        CellStatus::Open => lang.pick("written, transaction open", "已写入，事务未结束"),
        CellStatus::Committed => lang.pick("committed", "已提交"),
        CellStatus::Hidden => lang.pick(
            "committed, behind an open transaction",
            "已提交，在未结束事务之后",
        ),
        CellStatus::Aborted => lang.pick("aborted", "已中止"),
        CellStatus::CommitMarker | CellStatus::AbortMarker => {
            lang.pick("a control record", "控制记录")
        }
        CellStatus::Skipped | CellStatus::Ahead | CellStatus::Read | CellStatus::Covered => {
            input(lang, status)
        }
    }
}
