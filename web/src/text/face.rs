//! The few words that stand on a node itself.

use barrierscope_core::flink::coordinator::Purpose;
use barrierscope_core::id::{CheckpointId, Offset, PartitionId};
use barrierscope_core::scene::{Collecting, JobView, PendingView, StoreRow, Transaction};

use super::{Lang, bytes, number, plural};

/// The offset up to which a log is read.
pub fn next(lang: Lang, offset: Offset) -> String {
    let offset = number(offset.0.into());
    match lang {
        Lang::En => format!("next {offset}"),
        Lang::Zh => format!("下一个 {offset}"),
    }
}

/// The last stable offset of a log; in short where there is little room.
pub fn last_stable(lang: Lang, offset: Offset, short: bool) -> String {
    let name = if short {
        "LSO"
    } else {
        lang.pick("last stable offset", "最后稳定位移")
    };
    format!("{name} {}", number(offset.0.into()))
}

/// Where a log ends.
pub fn end(lang: Lang, length: usize) -> String {
    format!("{} {}", lang.pick("end", "末尾"), number(length as u64))
}

/// The state of a source: what it reads next.
pub fn offsets(lang: Lang, positions: &[(PartitionId, Offset)]) -> String {
    match positions {
        [(_, next)] => format!("{} {next}", lang.pick("offset", "位移")),
        [(p, a), (q, b)] => format!("{p}: {a} · {q}: {b}"),
        [(p, a), (q, b), ..] => format!("{p}: {a} · {q}: {b} …"),
        [] => "–".to_owned(),
    }
}

/// Which barriers have still to come to a subtask, in two lines. It waits for them only where a channel
/// is blocked until they come.
pub fn waits(lang: Lang, collecting: &Collecting) -> [String; 2] {
    let barrier = collecting.checkpoint;
    let place = match (lang, collecting.awaited.as_slice()) {
        (Lang::En, [one]) => format!("on channel {one}"),
        (Lang::Zh, [one]) => format!("通道 {one} 尚未到达"),
        (Lang::En, more) => format!("on {} channels", more.len()),
        (Lang::Zh, more) => format!("还有 {} 个通道未到达", more.len()),
    };
    let what = match (lang, collecting.blocked.is_empty()) {
        (Lang::En, false) => format!("waits for barrier {barrier}"),
        (Lang::Zh, false) => format!("等待 barrier {barrier}"),
        (Lang::En, true) => format!("barrier {barrier} to come"),
        (Lang::Zh, true) => format!("barrier {barrier} 未到齐"),
    };
    [what, place]
}

/// How many records the state of an operator holds; none if it has no state.
pub fn load(lang: Lang, counted: Option<u32>) -> String {
    match (lang, counted) {
        (Lang::En, None) => "no state".to_owned(),
        (Lang::Zh, None) => "无状态".to_owned(),
        (Lang::En, Some(count)) => {
            format!("{} record{}", number(count.into()), plural(count.into()))
        }
        (Lang::Zh, Some(count)) => format!("{} 条记录", number(count.into())),
    }
}

/// How many of them it holds more than once.
pub fn twice(lang: Lang, count: u32) -> String {
    let count = number(count.into());
    match lang {
        Lang::En => format!("{count} counted twice"),
        Lang::Zh => format!("{count} 条重复"),
    }
}

/// What a sink has committed.
pub fn committed(lang: Lang, transaction: Option<u32>) -> String {
    match (lang, transaction) {
        (Lang::En, Some(n)) => format!("txn {n} committed"),
        (Lang::Zh, Some(n)) => format!("事务 {n} 已提交"),
        (Lang::En, None) => "none committed yet".to_owned(),
        (Lang::Zh, None) => "尚无已提交事务".to_owned(),
    }
}

/// A sink's transaction: open, or pre-committed.
pub fn transaction(lang: Lang, transaction: &Transaction) -> String {
    let state = match transaction.checkpoint {
        None => lang.pick("open", "未提交"),
        Some(_) => lang.pick("ready", "预提交"),
    };
    format!(
        "{} {} · {state}",
        lang.pick("txn", "事务"),
        transaction.number
    )
}

/// A sink that uses no transactions: the line above, and the one below.
pub const fn plain(lang: Lang) -> [&'static str; 2] {
    [
        lang.pick("no transaction", "不用事务"),
        lang.pick("writes at once", "立即写入"),
    ]
}

/// What the coordinator is about, in one line. Of several checkpoints under way it is the newest.
pub fn coordinator(
    lang: Lang,
    pending: &[PendingView],
    completed: Option<CheckpointId>,
    restarting: Option<CheckpointId>,
    job: JobView,
) -> String {
    match (lang, job, restarting) {
        (Lang::En, JobView::Failed, _) => return "the job has failed for good".to_owned(),
        (Lang::Zh, JobView::Failed, _) => return "作业已彻底失败".to_owned(),
        (Lang::En, _, Some(CheckpointId::NONE)) => {
            return "job down · restarts from the beginning".to_owned();
        }
        (Lang::Zh, _, Some(CheckpointId::NONE)) => return "作业已停止 · 将从头重启".to_owned(),
        (Lang::En, _, Some(n)) => return format!("job down · restarts from checkpoint {n}"),
        (Lang::Zh, _, Some(n)) => return format!("作业已停止 · 将从检查点 {n} 重启"),
        _ => {}
    }
    if let Some(pending) = pending.last() {
        let (id, have, need) = (pending.checkpoint, pending.acknowledged, pending.subtasks);
        let what = purpose(lang, pending.purpose);
        return match lang {
            Lang::En => format!("{what} {id} pending · {have} of {need} acknowledged"),
            Lang::Zh => format!("{what} {id} 进行中 · 已确认 {have}/{need}"),
        };
    }
    match (lang, job, completed) {
        (Lang::En, JobView::Stopping, _) => "the job stops with a savepoint".to_owned(),
        (Lang::Zh, JobView::Stopping, _) => "以保存点停止作业".to_owned(),
        (Lang::En, JobView::Finishing, _) => "the job has come to the end of its data".to_owned(),
        (Lang::Zh, JobView::Finishing, _) => "作业已到达数据末尾".to_owned(),
        (Lang::En, _, Some(n)) => format!("checkpoint {n} complete"),
        (Lang::Zh, _, Some(n)) => format!("检查点 {n} 已完成"),
        (Lang::En, _, None) => "no checkpoint complete yet".to_owned(),
        (Lang::Zh, _, None) => "尚无已完成的检查点".to_owned(),
    }
}

/// What the coordinator is about in the textbook's names; none where these say nothing of it.
pub fn voting(
    lang: Lang,
    pending: &[PendingView],
    completed: Option<CheckpointId>,
) -> Option<String> {
    if let Some(pending) = pending.last() {
        let (id, have, need) = (pending.checkpoint, pending.acknowledged, pending.subtasks);
        return Some(match lang {
            Lang::En => format!("vote {id} · {have} of {need} VOTE_COMMIT"),
            Lang::Zh => format!("表决 {id} · VOTE_COMMIT {have}/{need}"),
        });
    }
    completed.map(|id| match lang {
        Lang::En => format!("GLOBAL_COMMIT {id} logged"),
        Lang::Zh => format!("已记下 GLOBAL_COMMIT {id}"),
    })
}

/// What a checkpoint is, by what it is taken for.
pub const fn purpose(lang: Lang, purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Checkpoint => lang.pick("checkpoint", "检查点"),
        Purpose::Savepoint | Purpose::StopWithSavepoint => lang.pick("savepoint", "保存点"),
    }
}

/// How many checkpoints in a row have failed; nothing while none has.
pub fn failures(lang: Lang, count: u32) -> Option<String> {
    (count > 0).then(|| match lang {
        Lang::En => format!("{count} failed in a row"),
        Lang::Zh => format!("连续失败 {count} 次"),
    })
}

/// The TaskManager that a subtask runs on, counted from 1.
pub fn task_manager(number: u16) -> String {
    format!("TM {}", number + 1)
}

/// How far a checkpoint in the store is, and how large.
pub fn stored(lang: Lang, row: &StoreRow) -> String {
    let size = bytes(row.bytes);
    let in_flight = match (lang, row.in_flight) {
        (_, 0) => String::new(),
        (Lang::En, 1) => " · +1 record in flight".to_owned(),
        (Lang::En, records) => format!(" · +{records} records in flight"),
        (Lang::Zh, records) => format!(" · 在途记录 +{records}"),
    };
    if row.complete {
        let complete = lang.pick("complete", "已完成");
        return format!("{complete} · {size}{in_flight}");
    }
    let have = row.parts.iter().filter(|(_, stored)| *stored).count();
    let need = row.parts.len();
    match lang {
        Lang::En => format!("{have} of {need} · {size}{in_flight}"),
        Lang::Zh => format!("{have}/{need} · {size}{in_flight}"),
    }
}
