//! The few words that stand on Kafka's clients, replicas and coordinators themselves.

use barrierscope_core::id::RecordId;
use barrierscope_core::kafka::log::{IsolationLevel, Outcome};
use barrierscope_core::kafka::replicated_log::Acks;
use barrierscope_core::scenario::delivery::{Api, Part};
use barrierscope_core::scene::kafka::{
    Audience, BatchView, ClientTransaction, Message, OffsetRow, PositionRow, ProducerView,
    ReplicaView, TransactionRow,
};
use barrierscope_core::verdict::Guarantee;

use super::tally::Tally;
use crate::text::Lang;

/// How a transaction is to end.
pub const fn outcome(lang: Lang, outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Commit => lang.pick("commit", "提交"),
        Outcome::Abort => lang.pick("abort", "中止"),
    }
}

/// The option's own words.
pub const fn isolation(level: IsolationLevel) -> &'static str {
    match level {
        IsolationLevel::ReadCommitted => "read_committed",
        IsolationLevel::ReadUncommitted => "read_uncommitted",
    }
}

/// A record as a number, counted from 1, of so many that the producers send. One of a changelog has the
/// number of the record that made the change.
pub fn number(record: RecordId, of: u32) -> String {
    (record.0 % of.max(1) + 1).to_string()
}

/// Several records: `7–9`, or `7, 12`.
pub fn numbers(records: &[RecordId], of: u32) -> String {
    let number = |record: &RecordId| number(*record, of);
    match records {
        [] => String::new(),
        [one] => number(one),
        [first, .., last] if last.0.wrapping_sub(first.0) as usize == records.len() - 1 => {
            format!("{}–{}", number(first), number(last))
        }
        [first, second] => format!("{}, {}", number(first), number(second)),
        [first, rest @ ..] => format!("{} +{}", number(first), rest.len()),
    }
}

/// Who a producer is to the brokers.
pub fn session(lang: Lang, producer: &ProducerView) -> String {
    match (producer.session, producer.idempotent) {
        (Some((id, epoch)), _) => format!("PID {} · epoch {}", id.0, epoch.0),
        (None, true) => lang
            .pick("no producer id yet", "尚无 producer id")
            .to_owned(),
        (None, false) => lang.pick("not idempotent", "非幂等").to_owned(),
    }
}

/// Where a transaction is, as its client sees it.
pub const fn transaction(lang: Lang, transaction: ClientTransaction) -> Option<&'static str> {
    Some(match transaction {
        ClientTransaction::None => return None,
        ClientTransaction::Initializing => lang.pick("initTransactions()", "initTransactions()"),
        ClientTransaction::Ready => lang.pick("ready", "就绪"),
        ClientTransaction::Open => lang.pick("open", "事务打开"),
        ClientTransaction::Committing => lang.pick("committing", "正在提交"),
        ClientTransaction::Aborting => lang.pick("aborting", "正在中止"),
        ClientTransaction::MustAbort => lang.pick("must abort", "只能中止"),
        ClientTransaction::Fenced => lang.pick("fenced", "已被隔离"),
    })
}

/// What became of a producer's records. Without acknowledgements it knows only that it has sent them.
pub fn sent(lang: Lang, producer: &ProducerView, acks: Option<Acks>) -> String {
    let (done, all) = (producer.acknowledged, producer.records);
    let failed = match (producer.failed, lang) {
        (0, _) => String::new(),
        (more, Lang::En) => format!(" · {more} failed"),
        (more, Lang::Zh) => format!(" · 失败 {more}"),
    };
    match (lang, acks) {
        (Lang::En, Some(Acks::None)) => format!("{done} of {all} sent, acks=0{failed}"),
        (Lang::Zh, Some(Acks::None)) => format!("已发送 {done}/{all}，acks=0{failed}"),
        (Lang::En, _) => format!("{done} of {all} acknowledged{failed}"),
        (Lang::Zh, _) => format!("已确认 {done}/{all}{failed}"),
    }
}

/// A batch under way.
pub fn batch(partition: &str, batch: &BatchView, of: u32) -> String {
    let sequence = batch.sequence.map_or(String::new(), |sequence| {
        format!(" · seq {}", sequence.number())
    });
    let attempts = match batch.attempts {
        0 | 1 => String::new(),
        more => format!(" · ×{more}"),
    };
    format!(
        "{} → {partition}{sequence}{attempts}",
        numbers(&batch.records, of)
    )
}

/// What a replica is.
pub const fn role(lang: Lang, replica: &ReplicaView) -> &'static str {
    if replica.leads {
        "leader"
    } else if replica.in_sync {
        lang.pick("in sync", "已同步")
    } else {
        lang.pick("out of sync", "未同步")
    }
}

/// Where a consumer is in a partition.
pub fn position(lang: Lang, partition: &str, row: &PositionRow) -> String {
    let committed = row
        .committed
        .map_or_else(|| "–".to_owned(), |offset| offset.to_string());
    match lang {
        Lang::En => format!("{partition} at {} · committed {committed}", row.position),
        Lang::Zh => format!("{partition} 位于 {} · 已提交 {committed}", row.position),
    }
}

/// What a group has committed in a partition.
pub fn offset(lang: Lang, partition: &str, row: &OffsetRow) -> String {
    let committed = row
        .committed
        .map_or_else(|| "–".to_owned(), |offset| offset.to_string());
    match (row.pending, lang) {
        (None, _) => format!("{partition} {committed}"),
        (Some(pending), Lang::En) => format!("{partition} {committed} (pending {pending})"),
        (Some(pending), Lang::Zh) => format!("{partition} {committed}（待定 {pending}）"),
    }
}

/// A transactional id, as the coordinator knows it: the id, and the rest.
pub fn transactional(lang: Lang, row: &TransactionRow) -> [String; 2] {
    let pending = row
        .pending
        .map_or(String::new(), |pending| format!(" → {pending}"));
    let epoch = row
        .epoch
        .map_or(String::new(), |epoch| format!(" · epoch {}", epoch.0));
    let more = match (row.locked, row.unmarked, lang) {
        (true, _, Lang::En) => " · locked".to_owned(),
        (true, _, Lang::Zh) => " · 已锁住".to_owned(),
        (false, 0, _) => String::new(),
        (false, 1, Lang::En) => " · 1 marker to write".to_owned(),
        (false, more, Lang::En) => format!(" · {more} markers to write"),
        (false, more, Lang::Zh) => format!(" · 待写标记 {more}"),
    };
    [
        format!("{} · {}{pending}", row.transactional_id, row.state),
        format!("PID {}{epoch}{more}", row.producer.0),
    ]
}

/// Who sees something; `name` is that of the group or the application.
pub fn audience(lang: Lang, audience: Audience, name: &str) -> String {
    match (audience, lang) {
        (Audience::Reader(level), _) => isolation(level).to_owned(),
        (Audience::Effects(_), Lang::En) if name.is_empty() => "side effects".to_owned(),
        (Audience::Effects(_), Lang::Zh) if name.is_empty() => "副作用".to_owned(),
        (Audience::Store(_), Lang::En) if name.is_empty() => "local store".to_owned(),
        (Audience::Store(_), Lang::Zh) if name.is_empty() => "本地状态".to_owned(),
        (Audience::Effects(_), Lang::En) => format!("effects of {name}"),
        (Audience::Effects(_), Lang::Zh) => format!("{name} 的效果"),
        (Audience::Store(_), Lang::En) => format!("store of {name}"),
        (Audience::Store(_), Lang::Zh) => format!("{name} 的本地状态"),
    }
}

/// How many records somebody sees, of how many there are to be.
pub fn sees(lang: Lang, audience: Audience, tally: &Tally) -> String {
    let (seen, all) = (tally.seen, tally.expected);
    match (audience, lang) {
        (Audience::Reader(_), Lang::En) => format!("sees {seen} of {all}"),
        (Audience::Reader(_), Lang::Zh) => format!("看到 {seen}/{all}"),
        (Audience::Effects(_), Lang::En) => format!("{seen} of {all} done"),
        (Audience::Effects(_), Lang::Zh) => format!("完成 {seen}/{all}"),
        (Audience::Store(_), Lang::En) => format!("{seen} of {all} counted"),
        (Audience::Store(_), Lang::Zh) => format!("计入 {seen}/{all}"),
    }
}

/// A guarantee.
pub const fn guarantee(lang: Lang, guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::ExactlyOnce => lang.pick("exactly once", "精确一次"),
        Guarantee::AtLeastOnce => lang.pick("at least once", "至少一次"),
        Guarantee::AtMostOnce => lang.pick("at most once", "最多一次"),
        Guarantee::None => lang.pick("no guarantee", "无保证"),
        Guarantee::Stuck => lang.pick("stuck", "卡住"),
    }
}

/// A message, as short as it can be said.
pub fn message(message: &Message, of: u32) -> String {
    let what = match message.api {
        Api::Produce => match (message.record, message.records) {
            // In a job a record is called by its key, and that is too long here.
            (Some(_), _) if of == 0 => "Produce".to_owned(),
            (Some(first), 0 | 1) => number(first, of),
            (Some(first), more) => format!("{} +{}", number(first, of), more - 1),
            (None, _) => "Produce".to_owned(),
        },
        Api::InitProducerId => "InitProducerId".to_owned(),
        Api::AddPartitionsToTxn => "AddPartitions".to_owned(),
        Api::AddOffsetsToTxn => "AddOffsets".to_owned(),
        Api::TxnOffsetCommit => "TxnOffsets".to_owned(),
        Api::EndTxn => match message.outcome {
            Some(Outcome::Commit) => "EndTxn commit".to_owned(),
            Some(Outcome::Abort) => "EndTxn abort".to_owned(),
            None => "EndTxn".to_owned(),
        },
        Api::OffsetCommit => "OffsetCommit".to_owned(),
    };
    match (message.part, message.success) {
        (Part::Request, _) => what,
        (Part::Response, true) => format!("✓ {what}"),
        (Part::Response, false) => format!("✕ {what}"),
    }
}
