//! The words of the table of checkpoints.

use barrierscope_core::statistics::Status;

use super::Lang;
use crate::state::Line;

/// What has become of a checkpoint.
pub const fn status(lang: Lang, status: Status) -> &'static str {
    match status {
        Status::InProgress => lang.pick("in progress", "进行中"),
        Status::Completed => lang.pick("completed", "已完成"),
        Status::Failed(_) => lang.pick("failed", "失败"),
    }
}

/// Flink's failure message, if it failed.
pub const fn failure(status: Status) -> Option<&'static str> {
    match status {
        Status::Failed(reason) => Some(reason.message()),
        Status::InProgress | Status::Completed => None,
    }
}

/// What has become of a subtask's part of it; none of it is known before it has acknowledged.
pub const fn part(lang: Lang, line: Option<&Line>) -> &'static str {
    match line {
        None => lang.pick("not acknowledged", "未确认"),
        Some(line) if line.late => lang.pick("acknowledged too late", "确认太晚"),
        Some(_) => lang.pick("acknowledged", "已确认"),
    }
}

/// What a checkpoint's row leads to.
pub fn visit(lang: Lang, checkpoint: u32, step: usize) -> String {
    match lang {
        Lang::En => format!("go to step {step}, where checkpoint {checkpoint} was triggered"),
        Lang::Zh => format!("转到触发检查点 {checkpoint} 的第 {step} 步"),
    }
}

/// The button that opens a checkpoint's subtasks.
pub fn open(lang: Lang, checkpoint: u32) -> String {
    match lang {
        Lang::En => format!("subtasks of checkpoint {checkpoint}"),
        Lang::Zh => format!("检查点 {checkpoint} 的子任务"),
    }
}

/// How many older checkpoints are not listed.
pub fn older(lang: Lang, count: usize) -> String {
    match lang {
        Lang::En => format!("{count} older ones are not listed."),
        Lang::Zh => format!("另有 {count} 个更早的未列出。"),
    }
}
