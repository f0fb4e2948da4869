//! The words of the table of guarantees.

use barrierscope_core::kafka::replicated_log::Acks;
use barrierscope_core::models::delivery::matrix::Setting;
use barrierscope_core::scenario::delivery::CommitWhen;

use crate::state::Proof;
use crate::text::Lang;

/// The value of the option `acks`.
pub const fn acks(acks: Acks) -> &'static str {
    match acks {
        Acks::None => "0",
        Acks::Leader => "1",
        Acks::All => "all",
    }
}

/// The producer's options of a row.
pub fn row(setting: &Setting) -> [String; 3] {
    [
        format!("acks={}", acks(setting.acks)),
        format!(
            "retries={}",
            if setting.retries { "2147483647" } else { "0" }
        ),
        format!("enable.idempotence={}", setting.idempotence),
    ]
}

/// When offsets are committed, and what exactly that is.
pub const fn commit(lang: Lang, when: CommitWhen) -> (&'static str, &'static str) {
    match when {
        CommitWhen::Auto => lang.pick(
            ("automatically", "enable.auto.commit=true"),
            ("自动提交", "enable.auto.commit=true"),
        ),
        CommitWhen::StoreAfterProcessing => lang.pick(
            ("stored after processing", "enable.auto.offset.store=false"),
            ("处理后存储", "enable.auto.offset.store=false"),
        ),
        CommitWhen::BeforeProcessing => lang.pick(
            ("before processing", "by hand, when poll() has returned"),
            ("处理前", "手动，poll() 返回之后"),
        ),
        CommitWhen::AfterProcessing => lang.pick(
            ("after processing", "by hand, when all of a poll is done"),
            ("处理后", "手动，一次 poll 的记录全部处理完"),
        ),
        CommitWhen::HighestDone => lang.pick(
            ("behind the highest done", "by hand, several workers"),
            ("最高已完成", "手动，多个工作线程"),
        ),
        CommitWhen::ContiguousDone => lang.pick(
            ("behind all that are done", "by hand, several workers"),
            ("连续已完成", "手动，多个工作线程"),
        ),
        CommitWhen::Never => lang.pick(
            (
                "with the effect",
                "stored together, never committed to Kafka",
            ),
            ("与效果一起", "一起保存，从不提交给 Kafka"),
        ),
    }
}

/// What a run shows that is opened from a cell.
pub const fn proof(lang: Lang, proof: Proof) -> &'static str {
    match proof {
        Proof::Loss => lang.pick("a loss", "丢失的例子"),
        Proof::Duplicate => lang.pick("a duplicate", "重复的例子"),
        Proof::Calm => lang.pick("a run", "一次运行"),
    }
}

/// How many schedules of faults were tried.
pub fn tried(lang: Lang, count: u32) -> String {
    match lang {
        Lang::En => format!("in {count} runs"),
        Lang::Zh => format!("{count} 次运行中"),
    }
}

/// How far the table is.
pub fn progress(lang: Lang, done: usize, all: usize) -> String {
    match lang {
        Lang::En => format!("{done} of {all} computed"),
        Lang::Zh => format!("已计算 {done}/{all}"),
    }
}

/// What a button in a cell opens, for who does not see the table.
pub fn opens(lang: Lang, setting: &Setting, shows: Proof) -> String {
    let row = row(setting).join(", ");
    let (when, _) = commit(lang, setting.commit);
    let what = proof(lang, shows);
    match lang {
        Lang::En => format!("open {what}: {row}, offsets committed {when}"),
        Lang::Zh => format!("打开{what}：{row}，位移提交：{when}"),
    }
}
