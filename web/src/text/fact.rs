//! What a node is and holds, in words.

use barrierscope_core::scene::{
    Collecting, Facts, Gate, Health, JobView, Node, Transaction, Wire, WireKind,
};

use super::{Lang, Lexicon, bytes, face, kafka, names, number, plural, sink, votes};

/// One line of what is known about a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is about.
    pub term: &'static str,
    /// What is known.
    pub text: String,
}

/// What kind of thing a node is.
pub fn kind(lang: Lang, facts: &Facts) -> &'static str {
    match facts {
        Facts::Input { .. } => lang.pick("input topic, partition", "输入主题的分区"),
        Facts::Source { .. } => lang.pick("source subtask", "source 子任务"),
        Facts::Operator { holds: Some(_), .. } => {
            lang.pick("part of a table sink", "表 sink 的一部分")
        }
        Facts::Operator {
            applied: Some(_), ..
        } => lang.pick(
            "operator subtask with broadcast state",
            "带广播状态的算子子任务",
        ),
        Facts::Operator { sum: Some(_), .. } => lang.pick(
            "operator subtask with keyed state",
            "带键控状态的算子子任务",
        ),
        Facts::Operator { sum: None, .. } => {
            lang.pick("operator subtask without state", "无状态的算子子任务")
        }
        Facts::Sink {
            open: None,
            pending,
            producers,
            ..
        } if pending.is_empty() && !sink::is_transactional(producers) => {
            lang.pick("sink subtask", "sink 子任务")
        }
        Facts::Sink { .. } => {
            lang.pick("sink subtask, two-phase commit", "sink 子任务，两阶段提交")
        }
        Facts::Output { .. } => lang.pick("output topic, partition", "输出主题的分区"),
        Facts::Coordinator { .. } => lang.pick("on the JobManager", "位于 JobManager"),
        Facts::Store { .. } => lang.pick("survives every crash", "崩溃后依然保留"),
        Facts::Reader { .. } => lang.pick("consumer of the output topic", "输出主题的消费者"),
        Facts::Producer(_)
        | Facts::Replica(_)
        | Facts::Transactions(_)
        | Facts::Groups(_)
        | Facts::Consumer(_)
        | Facts::Streams { .. }
        | Facts::Audience(_) => kafka::kind(lang, facts).unwrap_or_default(),
        Facts::Committer(_) | Facts::Participant(_) => votes::kind(lang, facts).unwrap_or_default(),
    }
}

/// The one line that a node shows about its health, if it does not simply run.
pub const fn headline(lang: Lang, health: Health) -> Option<&'static str> {
    match health {
        Health::Running => None,
        Health::Starting => Some(lang.pick("starting", "启动中")),
        Health::Crashed => Some(lang.pick("crashed", "已崩溃")),
        Health::Cancelled => Some(lang.pick("cancelled", "已取消")),
        Health::Paused => Some(lang.pick("stands still", "停顿")),
        Health::Removed => Some(lang.pick("removed", "已移除")),
    }
}

/// The same, for a node: what is no subtask of a job is not cancelled, but shut down.
pub fn fate(lang: Lang, node: &Node) -> Option<&'static str> {
    if votes::kind(lang, &node.facts).is_some() {
        return votes::face::fate(lang, node.health);
    }
    if node.health == Health::Cancelled && kafka::kind(lang, &node.facts).is_some() {
        return Some(lang.pick("shut down", "已关闭"));
    }
    headline(lang, node.health)
}

/// Everything that is known about a node.
pub fn rows(lexicon: &Lexicon<'_>, node: &Node, inputs: &[&Wire]) -> Vec<Row> {
    let lang = lexicon.lang;
    let mut rows = Vec::new();
    let mut add = |term: &'static str, text: String| rows.push(Row { term, text });
    if let Some(health) = fate(lang, node) {
        let why = match node.health {
            Health::Removed => lang.pick(
                ": the job was deployed again with fewer subtasks of this sink",
                "：作业以更低的 sink 并行度重新部署",
            ),
            Health::Cancelled | Health::Crashed if lexicon.has_failed() => lang.pick(
                "; the job has failed for good and is not restarted",
                "；作业已彻底失败，不再重启",
            ),
            _ if votes::kind(lang, &node.facts).is_some() => {
                votes::face::returns(lang, node.health)
            }
            Health::Cancelled if kafka::kind(lang, &node.facts).is_some() => {
                lang.pick("; waits to be started", "，等待启动")
            }
            Health::Cancelled => lang.pick(
                ", because another subtask crashed; waits for the restart",
                "：另一个子任务崩溃，等待重启",
            ),
            Health::Paused => lang.pick("; does not know that time passes", "，不知道时间在流逝"),
            Health::Starting => lang.pick(", will run soon", "，很快就会运行"),
            Health::Crashed | Health::Running => lang.pick("; waits for the restart", "，等待重启"),
        };
        add(lang.pick("health", "健康状况"), format!("{health}{why}"));
    }
    if let Some(number) = node.task_manager {
        add("TaskManager", (number + 1).to_string());
    }
    if let Some(name) = names::node(lang, &node.facts).filter(|_| lexicon.terms.textbook) {
        add(
            lang.pick("in two-phase commit", "两阶段提交中"),
            name.to_owned(),
        );
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
            add(lang.pick("epoch", "检查点区间"), checkpoint(lang, epoch.0));
        }
        Facts::Operator {
            alignment,
            sum,
            counted,
            counted_twice,
            holds,
            epoch,
            ..
        } => {
            gate(lexicon, alignment, inputs, &mut add);
            if let Some(holds) = holds {
                let records = number((*holds).into());
                let text = match lang {
                    Lang::En => format!("{records} record{}", plural((*holds).into())),
                    Lang::Zh => format!("{records} 条记录"),
                };
                add(lang.pick("not in the table yet", "尚未进入表"), text);
            }
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
            add(lang.pick("epoch", "检查点区间"), checkpoint(lang, epoch.0));
        }
        Facts::Sink {
            alignment,
            open,
            pending,
            committed,
            waits,
            producers,
            epoch,
        } => {
            gate(lexicon, alignment, inputs, &mut add);
            if let Some(waits) = waits {
                add(
                    lang.pick("waits for", "等待"),
                    sink::face::waits_for(lang, *waits),
                );
            }
            match open {
                Some(open) => {
                    add(lang.pick("open", "未提交"), transaction(lang, open));
                }
                None if node.health == Health::Running
                    && waits.is_none()
                    && !lexicon.terms.transactional =>
                {
                    add(
                        lang.pick("writes", "写入"),
                        lang.pick("at once, outside any transaction", "立即写入，不经事务")
                            .to_owned(),
                    );
                }
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
            for producer in producers {
                kafka::own_producer(lexicon, producer, &mut add);
            }
            add(lang.pick("epoch", "检查点区间"), checkpoint(lang, epoch.0));
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
            failures: (failures, tolerable),
            restarting,
            job,
        } => {
            for pending in pending {
                let (id, have, need) = (pending.checkpoint, pending.acknowledged, pending.subtasks);
                let what = face::purpose(lang, pending.purpose);
                let text = match lang {
                    Lang::En => format!("{what} {id}, {have} of {need} acknowledged"),
                    Lang::Zh => format!("{what} {id}，已确认 {have}/{need}"),
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
            add(
                lang.pick("failed in a row", "连续失败"),
                match lang {
                    Lang::En => format!("{failures}; {tolerable} tolerated"),
                    Lang::Zh => format!("{failures} 次，可容忍 {tolerable} 次"),
                },
            );
            if let Some(job) = prospect(lang, *job) {
                add(lang.pick("the job", "作业"), job.to_owned());
            }
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
                let size = bytes(row.bytes);
                let text = match (lang, row.complete) {
                    (Lang::En, true) => format!("complete, {need} parts, {size}"),
                    (Lang::Zh, true) => format!("已完成，共 {need} 份，{size}"),
                    (Lang::En, false) => format!("{have} of {need} parts, {size}"),
                    (Lang::Zh, false) => format!("{have}/{need} 份，{size}"),
                };
                let what = face::purpose(lang, row.purpose);
                add(
                    lang.pick("holds", "保存"),
                    format!("{what} {} · {text}", row.checkpoint),
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
        Facts::Producer(_)
        | Facts::Replica(_)
        | Facts::Transactions(_)
        | Facts::Groups(_)
        | Facts::Consumer(_)
        | Facts::Streams { .. }
        | Facts::Audience(_) => kafka::rows(lexicon, node, &mut add),
        Facts::Committer(_) | Facts::Participant(_) => votes::rows(lexicon, node, &mut add),
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
    if gate.collecting.is_empty() {
        let text = match lang {
            Lang::En => {
                let s = if gate.channels == 1 { "" } else { "s" };
                format!("{} channel{s}, open", gate.channels)
            }
            Lang::Zh => format!("{} 个通道，全部打开", gate.channels),
        };
        add(lang.pick("input gate", "InputGate"), text);
    }
    for collecting in &gate.collecting {
        let text = self::collecting(lang, gate.channels, collecting);
        add(lang.pick("input gate", "InputGate"), text);
    }
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

/// What an input does with the barriers of one checkpoint.
fn collecting(lang: Lang, channels: u32, collecting: &Collecting) -> String {
    let (id, blocked) = (collecting.checkpoint, collecting.blocked.len());
    let come = (channels as usize).saturating_sub(collecting.awaited.len());
    match (lang, blocked) {
        (Lang::En, 0) => format!("open; barrier {id} has come on {come} of {channels} channels"),
        (Lang::Zh, 0) => {
            format!("全部打开；{channels} 个通道中已有 {come} 个收到 barrier {id}")
        }
        (Lang::En, _) => format!("aligns barrier {id}: {blocked} of {channels} channels blocked"),
        (Lang::Zh, _) => format!("对齐 barrier {id}：{channels} 个通道中 {blocked} 个被阻塞"),
    }
}

/// What becomes of a job that does not simply go on.
const fn prospect(lang: Lang, job: JobView) -> Option<&'static str> {
    match job {
        JobView::Running => None,
        JobView::Stopping => Some(lang.pick("stops with a savepoint", "以保存点停止")),
        JobView::Finishing => Some(lang.pick("has come to the end of its data", "已到达数据末尾")),
        JobView::Failed => Some(lang.pick("has failed for good", "已彻底失败")),
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
    let from = lexicon.node(wire.from);
    let queued = wire.tokens.iter().filter(|token| token.queued).count();
    let load = match (lang, wire.tokens.len() - queued, queued) {
        (Lang::En, 0, 0) => "empty".to_owned(),
        (Lang::Zh, 0, 0) => "空".to_owned(),
        (Lang::En, input, 0) => format!("{input} in the input queue"),
        (Lang::Zh, input, 0) => format!("输入队列 {input} 个"),
        (Lang::En, input, output) => {
            format!("{input} in the input queue, {output} in the sender’s output queue")
        }
        (Lang::Zh, input, output) => format!("输入队列 {input} 个，发送方输出队列 {output} 个"),
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
    let s = plural((*records).into());
    match (lang, checkpoint) {
        (Lang::En, None) => format!("transaction {id}, {records} record{s}"),
        (Lang::Zh, None) => format!("事务 {id}，{records} 条记录"),
        (Lang::En, Some(n)) => {
            format!("transaction {id}, {records} record{s}, to be committed with checkpoint {n}")
        }
        (Lang::Zh, Some(n)) => format!("事务 {id}，{records} 条记录，随检查点 {n} 提交"),
    }
}
