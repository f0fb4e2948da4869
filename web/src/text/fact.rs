//! What a node is and holds, in words.

use barrierscope_core::scene::{Facts, Gate, Health, Node, Transaction, Wire, WireKind};

use super::{Lang, Lexicon, number};

/// One line of what is known about a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is about.
    pub term: &'static str,
    /// What is known.
    pub text: String,
}

/// What kind of thing a node is.
pub const fn kind(lang: Lang, facts: &Facts) -> &'static str {
    match facts {
        Facts::Input { .. } => lang.pick("input topic, partition", "输入主题的分区"),
        Facts::Source { .. } => lang.pick("source subtask", "source 子任务"),
        Facts::Operator { sum: Some(_), .. } => lang.pick(
            "operator subtask with keyed state",
            "带键控状态的算子子任务",
        ),
        Facts::Operator { sum: None, .. } => {
            lang.pick("operator subtask without state", "无状态的算子子任务")
        }
        Facts::Sink { open: None, .. } => lang.pick("sink subtask", "sink 子任务"),
        Facts::Sink { .. } => {
            lang.pick("sink subtask, two-phase commit", "sink 子任务，两阶段提交")
        }
        Facts::Output { .. } => lang.pick("output topic, partition", "输出主题的分区"),
        Facts::Coordinator { .. } => lang.pick("on the JobManager", "位于 JobManager"),
        Facts::Store { .. } => lang.pick("survives every crash", "崩溃后依然保留"),
        Facts::Reader { .. } => lang.pick("consumer of the output topic", "输出主题的消费者"),
    }
}

/// The one line that a node shows about its health, if it does not simply run.
pub const fn headline(lang: Lang, health: Health) -> Option<&'static str> {
    match health {
        Health::Running => None,
        Health::Crashed => Some(lang.pick("crashed", "已崩溃")),
        Health::Cancelled => Some(lang.pick("cancelled", "已取消")),
    }
}

/// Everything that is known about a node.
pub fn rows(lexicon: &Lexicon<'_>, node: &Node, inputs: &[&Wire]) -> Vec<Row> {
    let lang = lexicon.lang;
    let mut rows = Vec::new();
    let mut add = |term: &'static str, text: String| rows.push(Row { term, text });
    if let Some(health) = headline(lang, node.health) {
        let why = match node.health {
            Health::Cancelled => lang.pick(
                ", because another subtask crashed; waits for the restart",
                "：另一个子任务崩溃，等待重启",
            ),
            _ => lang.pick("; waits for the restart", "，等待重启"),
        };
        add(lang.pick("health", "健康状况"), format!("{health}{why}"));
    }
    match &node.facts {
        Facts::Input { cells, next, .. } => {
            let length = number(cells.len() as u64);
            add(lang.pick("records", "记录"), length);
            add(lang.pick("read next", "下一个读取"), offset(lang, next.0));
        }
        Facts::Source { positions, epoch } => {
            for (partition, next) in positions {
                let partition = match lang {
                    Lang::En => format!("offset {next} of partition {partition} is next"),
                    Lang::Zh => format!("分区 {partition}：下一个读取位移 {next}"),
                };
                add(lang.pick("state", "状态"), partition);
            }
            add("epoch", checkpoint(lang, epoch.0));
        }
        Facts::Operator {
            alignment,
            sum,
            counted,
            counted_twice,
            epoch,
        } => {
            gate(lexicon, alignment, inputs, &mut add);
            if let Some(sum) = sum {
                let records = number((*counted).into());
                let text = match lang {
                    Lang::En => format!("Σ {} of {records} records", number(*sum)),
                    Lang::Zh => format!("Σ {}，{records} 条记录", number(*sum)),
                };
                add(lang.pick("state", "状态"), text);
                if *counted_twice > 0 {
                    add(
                        lang.pick("counted twice", "重复计算"),
                        number((*counted_twice).into()),
                    );
                }
            }
            add("epoch", checkpoint(lang, epoch.0));
        }
        Facts::Sink {
            alignment,
            open,
            pending,
            committed,
            epoch,
        } => {
            gate(lexicon, alignment, inputs, &mut add);
            match open {
                Some(open) => {
                    add(lang.pick("open", "未提交"), transaction(lang, open));
                }
                None if node.health == Health::Running => add(
                    lang.pick("writes", "写入"),
                    lang.pick("at once, outside any transaction", "立即写入，不经事务")
                        .to_owned(),
                ),
                None => {}
            }
            for pending in pending {
                add(
                    lang.pick("pre-committed", "已预提交"),
                    transaction(lang, pending),
                );
            }
            if let Some(committed) = committed {
                let text = match lang {
                    Lang::En => format!("transaction {committed} was the last"),
                    Lang::Zh => format!("最近一个是事务 {committed}"),
                };
                add(lang.pick("committed", "已提交"), text);
            }
            add("epoch", checkpoint(lang, epoch.0));
        }
        Facts::Output {
            cells, last_stable, ..
        } => {
            add(
                lang.pick("end of the log", "日志末尾"),
                offset(lang, cells.len() as u32),
            );
            add(
                lang.pick("last stable offset", "最后稳定位移（LSO）"),
                offset(lang, last_stable.0),
            );
        }
        Facts::Coordinator {
            pending,
            completed,
            restarting,
        } => {
            if let Some((id, have, need)) = pending {
                let text = match lang {
                    Lang::En => format!("checkpoint {id}, {have} of {need} acknowledged"),
                    Lang::Zh => format!("检查点 {id}，已确认 {have}/{need}"),
                };
                add(lang.pick("under way", "进行中"), text);
            }
            add(
                lang.pick("last complete", "最近完成"),
                match completed {
                    Some(id) => checkpoint(lang, id.0),
                    None => lang.pick("none yet", "暂无").to_owned(),
                },
            );
            if let Some(from) = restarting {
                let text = match (lang, from.0) {
                    (Lang::En, 0) => "from the beginning".to_owned(),
                    (Lang::Zh, 0) => "从头开始".to_owned(),
                    (Lang::En, n) => format!("from checkpoint {n}"),
                    (Lang::Zh, n) => format!("从检查点 {n}"),
                };
                add(lang.pick("about to restart", "即将重启"), text);
            }
        }
        Facts::Store { rows: stored } => {
            for row in stored {
                let have = row.parts.iter().filter(|(_, stored)| *stored).count();
                let need = row.parts.len();
                let text = match (lang, row.complete) {
                    (Lang::En, true) => format!("complete, {need} parts"),
                    (Lang::Zh, true) => format!("已完成，共 {need} 份"),
                    (Lang::En, false) => format!("{have} of {need} parts"),
                    (Lang::Zh, false) => format!("{have}/{need} 份"),
                };
                add(
                    lang.pick("holds", "保存"),
                    format!("{} · {text}", checkpoint(lang, row.checkpoint.0)),
                );
            }
        }
        Facts::Reader {
            read_committed,
            total,
            true_total,
        } => {
            let level = if *read_committed {
                "read_committed"
            } else {
                "read_uncommitted"
            };
            add("isolation.level", level.to_owned());
            add(lang.pick("shows", "显示"), number(*total));
            add(lang.pick("true total", "真实总数"), number(*true_total));
        }
    }
    rows
}

fn gate(
    lexicon: &Lexicon<'_>,
    gate: &Gate,
    inputs: &[&Wire],
    add: &mut impl FnMut(&'static str, String),
) {
    let lang = lexicon.lang;
    let text = match (lang, &gate.collecting) {
        (Lang::En, Some(collecting)) if collecting.blocked.is_empty() => format!(
            "open; barrier {} has come on {} of {} channels",
            collecting.checkpoint,
            gate.channels as usize - collecting.awaited.len(),
            gate.channels
        ),
        (Lang::Zh, Some(collecting)) if collecting.blocked.is_empty() => format!(
            "全部打开；{} 个通道中已有 {} 个收到 barrier {}",
            gate.channels,
            gate.channels as usize - collecting.awaited.len(),
            collecting.checkpoint
        ),
        (Lang::En, None) => {
            let s = if gate.channels == 1 { "" } else { "s" };
            format!("{} channel{s}, open", gate.channels)
        }
        (Lang::Zh, None) => format!("{} 个通道，全部打开", gate.channels),
        (Lang::En, Some(collecting)) => format!(
            "aligns barrier {}: {} of {} channels blocked",
            collecting.checkpoint,
            collecting.blocked.len(),
            gate.channels
        ),
        (Lang::Zh, Some(collecting)) => format!(
            "对齐 barrier {}：{} 个通道中 {} 个被阻塞",
            collecting.checkpoint,
            gate.channels,
            collecting.blocked.len()
        ),
    };
    add(lang.pick("input gate", "输入门"), text);
    for wire in inputs {
        if let WireKind::Channel { number, .. } = wire.kind {
            add(
                CHANNELS[lang.pick(0, 1)]
                    .get(number as usize)
                    .copied()
                    .unwrap_or("…"),
                self::wire(lexicon, wire),
            );
        }
    }
}

/// The names of the first channels; more than these are not listed one by one.
const CHANNELS: [[&str; 8]; 2] = [
    [
        "channel 0",
        "channel 1",
        "channel 2",
        "channel 3",
        "channel 4",
        "channel 5",
        "channel 6",
        "channel 7",
    ],
    [
        "通道 0", "通道 1", "通道 2", "通道 3", "通道 4", "通道 5", "通道 6", "通道 7",
    ],
];

/// What is on a channel, in a few words.
pub fn wire(lexicon: &Lexicon<'_>, wire: &Wire) -> String {
    let lang = lexicon.lang;
    let count = wire.tokens.len();
    let from = lexicon.node(wire.from);
    let load = match (lang, count) {
        (Lang::En, 0) => "empty".to_owned(),
        (Lang::Zh, 0) => "空".to_owned(),
        (Lang::En, 1) => "1 element".to_owned(),
        (Lang::En, n) => format!("{n} elements"),
        (Lang::Zh, n) => format!("{n} 个元素"),
    };
    match (lang, wire.blocked_by) {
        (Lang::En, None) => format!("from {from}: {load}"),
        (Lang::Zh, None) => format!("来自 {from}：{load}"),
        (Lang::En, Some(n)) => format!("from {from}: blocked by barrier {n}, {load}"),
        (Lang::Zh, Some(n)) => format!("来自 {from}：被 barrier {n} 阻塞，{load}"),
    }
}

fn offset(lang: Lang, offset: u32) -> String {
    let offset = number(offset.into());
    match lang {
        Lang::En => format!("offset {offset}"),
        Lang::Zh => format!("位移 {offset}"),
    }
}

fn checkpoint(lang: Lang, checkpoint: u32) -> String {
    match lang {
        Lang::En => format!("checkpoint {checkpoint}"),
        Lang::Zh => format!("检查点 {checkpoint}"),
    }
}

fn transaction(lang: Lang, transaction: &Transaction) -> String {
    let Transaction {
        number: id,
        records,
        checkpoint,
    } = transaction;
    match (lang, checkpoint) {
        (Lang::En, None) => format!("transaction {id}, {records} records"),
        (Lang::Zh, None) => format!("事务 {id}，{records} 条记录"),
        (Lang::En, Some(n)) => {
            format!("transaction {id}, {records} records, until checkpoint {n} is complete")
        }
        (Lang::Zh, Some(n)) => format!("事务 {id}，{records} 条记录，等待检查点 {n} 完成"),
    }
}
