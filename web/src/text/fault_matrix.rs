//! The words of the fault matrix.

use barrierscope_core::models::pipeline::fault_matrix::CrashPoint;
use barrierscope_core::scenario::DeliveryGuarantee;

use super::Lang;
use super::kafka::face::isolation;
use crate::state::Place;

/// A crash point.
pub const fn point(lang: Lang, point: CrashPoint) -> &'static str {
    let Lang::Zh = lang else {
        return point.title();
    };
    match point {
        CrashPoint::BeforeBarrier => "barrier n 到达 sink 之前",
        CrashPoint::BeforeCompletion => "预提交之后，检查点 n 完成之前",
        CrashPoint::BeforeNotification => "检查点 n 已完成，sink 尚未得知",
        CrashPoint::BeforeNotificationTimedOut => {
            "检查点 n 已完成，作业停机超过 transaction.timeout.ms"
        }
        CrashPoint::AfterCommit => "提交之后，下一个检查点之前",
        CrashPoint::CheckpointAborted => "没有崩溃：检查点 n 被放弃",
        CrashPoint::CheckpointAbortedTimedOut => {
            "检查点 n 被放弃，T(n) 未结超过 transaction.timeout.ms"
        }
        CrashPoint::OlderCheckpoint => "n 已提交，却从检查点 n − 1 重新部署",
        CrashPoint::PrefixChanged => {
            "检查点 1 之前被终止，以另一个 transactionalIdPrefix 无状态地重新部署"
        }
    }
}

/// What becomes of the transaction of checkpoint n behind a sink with `EXACTLY_ONCE`.
pub const fn why(lang: Lang, point: CrashPoint) -> &'static str {
    match point {
        CrashPoint::BeforeBarrier => lang.pick(
            "T(n) is open: the restarted sink aborts it, its records are read again.",
            "T(n) 未结：重启的 sink 中止它，其中的记录重新读取。",
        ),
        CrashPoint::BeforeCompletion => lang.pick(
            "T(n) is flushed, but in no completed checkpoint: it is aborted, its records are read again.",
            "T(n) 已 flush，但不在任何已完成的检查点中：它被中止，其中的记录重新读取。",
        ),
        CrashPoint::BeforeNotification => lang.pick(
            "T(n) is in the restored checkpoint: the restarted sink commits it.",
            "T(n) 在恢复的检查点中：重启的 sink 提交它。",
        ),
        CrashPoint::BeforeNotificationTimedOut => lang.pick(
            "The broker has aborted T(n), whose records the checkpoint counts as written.",
            "broker 已中止 T(n)，而检查点认为其中的记录已写入。",
        ),
        CrashPoint::AfterCommit => lang.pick(
            "The restarted sink commits T(n) once more: that changes nothing.",
            "重启的 sink 再次提交 T(n)：不会改变什么。",
        ),
        CrashPoint::CheckpointAborted => lang.pick(
            "T(n) is committed together with T(n + 1).",
            "T(n) 与 T(n + 1) 一起提交。",
        ),
        CrashPoint::CheckpointAbortedTimedOut => lang.pick(
            "The broker has aborted T(n) before checkpoint n + 1 commits it.",
            "检查点 n + 1 提交 T(n) 之前，broker 已中止它。",
        ),
        CrashPoint::OlderCheckpoint => lang.pick(
            "T(n) stays committed, and its records are written once more.",
            "T(n) 保持已提交，其中的记录又写了一遍。",
        ),
        CrashPoint::PrefixChanged => lang.pick(
            "Nobody aborts what the old prefix left open: readers wait behind it until transaction.timeout.ms has passed.",
            "没有人中止旧前缀留下的未结事务：读者一直等到 transaction.timeout.ms 过去。",
        ),
    }
}

/// A sink's guarantee, as `KafkaSink` spells it.
pub const fn sink(guarantee: DeliveryGuarantee) -> &'static str {
    match guarantee {
        DeliveryGuarantee::None => "NONE",
        DeliveryGuarantee::AtLeastOnce => "AT_LEAST_ONCE",
        DeliveryGuarantee::ExactlyOnce => "EXACTLY_ONCE",
    }
}

/// What a button in a cell opens, for who does not see the table.
pub fn opens(lang: Lang, place: Place, outcome: &str) -> String {
    let (point, sink, reader) = (
        point(lang, place.point),
        sink(place.sink),
        isolation(place.reader),
    );
    match lang {
        Lang::En => format!("open the run: {point}; {sink}, {reader}: {outcome}"),
        Lang::Zh => format!("打开这次运行：{point}；{sink}，{reader}：{outcome}"),
    }
}

/// The name of a cell's scenario, in a language.
pub fn title(lang: Lang, name: &str) -> Option<String> {
    let found = CrashPoint::named(name)?;
    Some(match lang {
        Lang::En => name.to_owned(),
        Lang::Zh => format!("故障矩阵：{}", point(lang, found)),
    })
}
