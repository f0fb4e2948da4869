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
        (Lang::En, MarkKind::Overtaken) => format!("barrier {n} overtakes records"),
        (Lang::Zh, MarkKind::Overtaken) => format!("barrier {n} 越过记录"),
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
        (Lang::En, MarkKind::Broken) => "a fault, or what came of one".to_owned(),
        (Lang::Zh, MarkKind::Broken) => "故障或其后果".to_owned(),
        (Lang::En, MarkKind::Back) => "what was down or stood still goes on".to_owned(),
        (Lang::Zh, MarkKind::Back) => "启动或恢复运行".to_owned(),
        (Lang::En, MarkKind::Elected) => "a new leader".to_owned(),
        (Lang::Zh, MarkKind::Elected) => "选出新的 leader".to_owned(),
        (Lang::En, MarkKind::Rebalanced) => "a rebalance".to_owned(),
        (Lang::Zh, MarkKind::Rebalanced) => "消费者组重平衡".to_owned(),
        (Lang::En, MarkKind::Decided) => "a transaction is decided: commit".to_owned(),
        (Lang::Zh, MarkKind::Decided) => "事务已决定：提交".to_owned(),
        (Lang::En, MarkKind::Undone) => "a transaction is decided: abort".to_owned(),
        (Lang::Zh, MarkKind::Undone) => "事务已决定：中止".to_owned(),
        (Lang::En, MarkKind::Again) => "a record is written or processed once more".to_owned(),
        (Lang::Zh, MarkKind::Again) => "记录被再次写入或处理".to_owned(),
        (Lang::En, MarkKind::Voted) => "a participant has voted".to_owned(),
        (Lang::Zh, MarkKind::Voted) => "参与者已投票".to_owned(),
        (Lang::En, MarkKind::CommitReached) => "a process has decided commit".to_owned(),
        (Lang::Zh, MarkKind::CommitReached) => "进程已决定提交".to_owned(),
        (Lang::En, MarkKind::AbortReached) => "a process has decided abort".to_owned(),
        (Lang::Zh, MarkKind::AbortReached) => "进程已决定中止".to_owned(),
        (Lang::En, MarkKind::InDoubtBlocked) => "a participant in doubt is blocked".to_owned(),
        (Lang::Zh, MarkKind::InDoubtBlocked) => "悬而未决的参与者被阻塞".to_owned(),
        (Lang::En, MarkKind::InDoubtReleased) => "a participant is no longer blocked".to_owned(),
        (Lang::Zh, MarkKind::InDoubtReleased) => "参与者不再阻塞".to_owned(),
        (Lang::En, MarkKind::CommitDropped) => "a refused commit is dropped".to_owned(),
        (Lang::Zh, MarkKind::CommitDropped) => "被拒绝的提交遭放弃".to_owned(),
        (Lang::En, MarkKind::SinkFailed) => "a sink fails".to_owned(),
        (Lang::Zh, MarkKind::SinkFailed) => "sink 失败".to_owned(),
        (Lang::En, MarkKind::Lingering) => "a lingering transaction is aborted".to_owned(),
        (Lang::Zh, MarkKind::Lingering) => "遗留的事务被中止".to_owned(),
        (Lang::En, MarkKind::Redeployed) if n.0 == 0 => {
            "the job is deployed again from the beginning".to_owned()
        }
        (Lang::Zh, MarkKind::Redeployed) if n.0 == 0 => "作业从头重新部署".to_owned(),
        (Lang::En, MarkKind::Redeployed) => {
            format!("the job is deployed again from checkpoint {n}")
        }
        (Lang::Zh, MarkKind::Redeployed) => format!("作业从检查点 {n} 重新部署"),
        (Lang::En, MarkKind::StopFailed) => format!("the stop with savepoint {n} fails"),
        (Lang::Zh, MarkKind::StopFailed) => format!("以保存点 {n} 停止失败"),
        (Lang::En, MarkKind::PropertyBroken) => {
            "a property of atomic commitment is broken".to_owned()
        }
        (Lang::Zh, MarkKind::PropertyBroken) => "原子提交的一个性质被破坏".to_owned(),
    }
}
