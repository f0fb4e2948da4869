//! The words of the table of guarantees.

use barrierscope_core::kafka::replicated_log::Acks;
use barrierscope_core::models::delivery::matrix::Setting;
use barrierscope_core::scenario::delivery::CommitWhen;

use crate::state::{Assumed, Difference, Match, Outside, Proof};
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

/// What all cells have in common, and against what they are run; `tried` is how many runs there are of each,
/// as far as one is computed.
pub fn assumed(lang: Lang, assumed: &Assumed, tried: Option<u32>) -> String {
    let Assumed {
        replication_factor: replicas,
        min_in_sync: in_sync,
        client,
        records,
    } = assumed;
    match lang {
        Lang::En => {
            let runs =
                tried.map_or_else(|| "many runs".to_owned(), |tried| format!("{tried} runs"));
            format!(
                "Assumed: one partition with replication.factor={replicas} and min.insync.replicas={in_sync}, clients {client}, {records} records. \
                 Tried for each cell, in {runs}: one Produce request or response lost; the leader’s broker or the consumer crashed, at one moment after another; \
                 the last response lost and then such a crash. That nothing broke in these runs is no proof for other faults."
            )
        }
        Lang::Zh => {
            let runs = tried.map_or_else(|| "多次".to_owned(), |tried| format!("{tried} 次"));
            format!(
                "假定：一个分区，replication.factor={replicas}、min.insync.replicas={in_sync}，客户端 {client}，{records} 条记录。\
                 每格试验{runs}运行：丢失一个 Produce 请求或响应；leader 所在的 broker 或消费者依次在各个时刻崩溃；\
                 最后一个响应丢失之后再发生这样的崩溃。这些运行中没有出错，并不能证明其他故障下也不出错。"
            )
        }
    }
}

/// Which cell is that of the configuration in Watch, or why none is.
pub fn open(lang: Lang, found: &Result<Match, Outside>, setting: Option<&Setting>) -> String {
    match (found, setting) {
        (Ok(found), Some(setting)) => {
            let row = row(setting).join(", ");
            let (when, _) = commit(lang, setting.commit);
            let differs: Vec<String> = found
                .differs
                .iter()
                .map(|it| difference(lang, *it))
                .collect();
            match (differs.is_empty(), lang) {
                (true, Lang::En) => {
                    format!("Open in Watch, and marked below: {row}; offsets committed {when}.")
                }
                (true, Lang::Zh) => {
                    format!("“观看”中打开的配置（已在表中标出）：{row}；位移提交：{when}。")
                }
                (false, Lang::En) => format!(
                    "Open in Watch, and marked below: {row}; offsets committed {when}. It differs from what the table assumes: {}.",
                    differs.join(", ")
                ),
                (false, Lang::Zh) => format!(
                    "“观看”中打开的配置（已在表中标出）：{row}；位移提交：{when}。它与表的假定不同：{}。",
                    differs.join("，")
                ),
            }
        }
        (Err(outside), _) => outside_text(lang, *outside).to_owned(),
        (Ok(_), None) => String::new(),
    }
}

fn difference(lang: Lang, difference: Difference) -> String {
    match difference {
        Difference::ReplicationFactor(factor) => format!("replication.factor={factor}"),
        Difference::MinInSync(count) => format!("min.insync.replicas={count}"),
        Difference::Producer(client) => format!("{} {client}", lang.pick("producer", "生产者")),
        Difference::Consumer(client) => format!("{} {client}", lang.pick("consumer", "消费者")),
    }
}

const fn outside_text(lang: Lang, outside: Outside) -> &'static str {
    match outside {
        Outside::NoConsumer => lang.pick(
            "The configuration open in Watch has no cell here: the table is about the effects of a consumer, and it has none.",
            "“观看”中打开的配置不在此表中：此表关于消费者的效果，而它没有消费者。",
        ),
        Outside::Transactions => lang.pick(
            "The configuration open in Watch has no cell here: its producer writes in transactions.",
            "“观看”中打开的配置不在此表中：它的生产者在事务中写入。",
        ),
        Outside::Idempotent => lang.pick(
            "The configuration open in Watch has no cell here: its consumer remembers what it has processed.",
            "“观看”中打开的配置不在此表中：它的消费者记得处理过哪些记录。",
        ),
        Outside::Moment => lang.pick(
            "The configuration open in Watch has no cell here: it commits its offsets at another moment.",
            "“观看”中打开的配置不在此表中：它在别的时机提交位移。",
        ),
    }
}

/// What stands in the cell of the configuration that is open.
pub const fn mark(lang: Lang) -> &'static str {
    lang.pick("open in Watch", "“观看”中的配置")
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
