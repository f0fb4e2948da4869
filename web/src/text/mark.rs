//! What stands out along a run.

use barrierscope_core::mark::{Mark, MarkKind};

use super::Lang;

/// What a mark on the timeline stands for.
pub fn mark(lang: Lang, mark: &Mark) -> String {
    let n = mark.checkpoint;
    match (lang, mark.kind) {
        (Lang::En, MarkKind::Triggered) => format!("checkpoint {n} starts"),
        (Lang::Zh, MarkKind::Triggered) => format!("检查点 {n} 启动"),
        (Lang::En, MarkKind::Blocked) => format!("a channel is blocked by barrier {n}"),
        (Lang::Zh, MarkKind::Blocked) => format!("通道被 barrier {n} 阻塞"),
        (Lang::En, MarkKind::Completed) => format!("checkpoint {n} is complete"),
        (Lang::Zh, MarkKind::Completed) => format!("检查点 {n} 完成"),
        (Lang::En, MarkKind::Aborted) => format!("checkpoint {n} is given up"),
        (Lang::Zh, MarkKind::Aborted) => format!("检查点 {n} 被放弃"),
        (Lang::En, MarkKind::Committed) => format!("transaction {n} is committed"),
        (Lang::Zh, MarkKind::Committed) => format!("事务 {n} 提交"),
        (Lang::En, MarkKind::Fault) if n.0 == 0 => "a failure of the job".to_owned(),
        (Lang::Zh, MarkKind::Fault) if n.0 == 0 => "作业故障".to_owned(),
        (Lang::En, MarkKind::Fault) => format!("a fault that concerns checkpoint {n}"),
        (Lang::Zh, MarkKind::Fault) => format!("与检查点 {n} 有关的故障"),
        (Lang::En, MarkKind::Restored) if n.0 == 0 => {
            "the job starts again from the beginning".to_owned()
        }
        (Lang::Zh, MarkKind::Restored) if n.0 == 0 => "作业从头开始".to_owned(),
        (Lang::En, MarkKind::Restored) => format!("the job is restored from checkpoint {n}"),
        (Lang::Zh, MarkKind::Restored) => format!("作业从检查点 {n} 恢复"),
    }
}
