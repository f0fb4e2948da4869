//! What Kafka's clients, replicas and coordinators are and hold, in words.

use barrierscope_core::id::RecordId;
use barrierscope_core::scene::kafka::{
    AudienceView, ConsumerView, GroupsView, ProducerView, ReplicaView, StoreView, TransactionsView,
};
use barrierscope_core::scene::{Facts, Node};

use super::super::{Lang, Lexicon};
use super::face;
use super::tally::Tally;
use crate::text::number;

/// What kind of thing a node is; none if it is none of Kafka's.
pub(in crate::text) const fn kind(lang: Lang, facts: &Facts) -> Option<&'static str> {
    Some(match facts {
        Facts::Producer(_) => lang.pick("application with a producer", "使用生产者的应用"),
        Facts::Replica(_) => lang.pick("replica of a partition", "分区的副本"),
        Facts::Transactions(_) => lang.pick(
            "on the broker that leads __transaction_state",
            "位于 __transaction_state 的 leader broker",
        ),
        Facts::Groups(_) => lang.pick(
            "on the broker that leads __consumer_offsets",
            "位于 __consumer_offsets 的 leader broker",
        ),
        Facts::Consumer(_) => lang.pick("application with a consumer", "使用消费者的应用"),
        Facts::Streams { .. } => lang.pick("Kafka Streams application", "Kafka Streams 应用"),
        Facts::Audience(_) => lang.pick("who is judged by what it sees", "以所见判定结论"),
        Facts::Input { .. }
        | Facts::Source { .. }
        | Facts::Operator { .. }
        | Facts::Sink { .. }
        | Facts::Output { .. }
        | Facts::Coordinator { .. }
        | Facts::Store { .. }
        | Facts::Reader { .. }
        | Facts::Committer(_)
        | Facts::Participant(_) => return None,
    })
}

/// Everything that is known about a node of Kafka's; nothing about others.
pub(in crate::text) fn rows(
    lexicon: &Lexicon<'_>,
    node: &Node,
    add: &mut dyn FnMut(&'static str, String),
) {
    let name = node.name.as_str();
    match &node.facts {
        Facts::Producer(view) => producer(lexicon, name, view, add),
        Facts::Replica(view) => replica(lexicon, view, add),
        Facts::Transactions(view) => transactions(lexicon, view, add),
        Facts::Groups(view) => groups(lexicon, view, add),
        Facts::Consumer(view) => consumer(lexicon, view, add),
        Facts::Streams {
            consumer: reads,
            producer: writes,
            store: kept,
        } => {
            consumer(lexicon, reads, add);
            producer(lexicon, name, writes, add);
            if let Some(kept) = kept {
                store(lexicon.lang, kept, add);
            }
        }
        Facts::Audience(view) => audience(lexicon, view, add),
        Facts::Input { .. }
        | Facts::Source { .. }
        | Facts::Operator { .. }
        | Facts::Sink { .. }
        | Facts::Output { .. }
        | Facts::Coordinator { .. }
        | Facts::Store { .. }
        | Facts::Reader { .. }
        | Facts::Committer(_)
        | Facts::Participant(_) => {}
    }
}

fn producer(
    lexicon: &Lexicon<'_>,
    name: &str,
    view: &ProducerView,
    add: &mut dyn FnMut(&'static str, String),
) {
    let lang = lexicon.lang;
    add(lang.pick("session", "会话"), face::session(lang, view));
    if let Some(id) = &view.transactional_id {
        add("transactional.id", id.clone());
    }
    if let Some(transaction) = face::transaction(lang, view.transaction) {
        add(lang.pick("transaction", "事务"), transaction.to_owned());
    }
    // A Streams application sends what it makes of what it reads.
    if view.records > 0 {
        let acks = lexicon.records.acks(name);
        add(lang.pick("records", "记录"), face::sent(lang, view, acks));
    }
    for batch in &view.outstanding {
        let term = if batch.in_flight {
            lang.pick("in flight", "在途")
        } else {
            lang.pick("waits", "等待发送")
        };
        add(
            term,
            face::batch(
                &lexicon.partition(batch.partition),
                batch,
                super::records(lexicon.nodes),
            ),
        );
    }
}

/// A producer that is part of another node: what it is called and where it is, in one line.
pub(in crate::text) fn own_producer(
    lexicon: &Lexicon<'_>,
    view: &ProducerView,
    add: &mut dyn FnMut(&'static str, String),
) {
    let lang = lexicon.lang;
    let id = view.transactional_id.clone();
    let state = face::transaction(lang, view.transaction).map(str::to_owned);
    let known = [id, state, Some(face::session(lang, view))];
    let known: Vec<String> = known.into_iter().flatten().collect();
    add(lang.pick("producer", "生产者"), known.join(" · "));
    for batch in &view.outstanding {
        let term = if batch.in_flight {
            lang.pick("in flight", "在途")
        } else {
            lang.pick("waits", "等待发送")
        };
        let records: Vec<String> = (batch.records.iter())
            .map(|record| lexicon.record(*record))
            .collect();
        let sequence = batch.sequence.map_or(String::new(), |sequence| {
            format!(" · seq {}", sequence.number())
        });
        let to = lexicon.partition(batch.partition);
        add(term, format!("{} → {to}{sequence}", records.join(", ")));
    }
}

fn replica(lexicon: &Lexicon<'_>, view: &ReplicaView, add: &mut dyn FnMut(&'static str, String)) {
    let lang = lexicon.lang;
    add("broker", view.broker.to_string());
    add(lang.pick("role", "角色"), face::role(lang, view).to_owned());
    add(
        lang.pick("leader epoch", "leader epoch"),
        view.epoch.to_string(),
    );
    let range = format!("{} – {}", view.start, view.end);
    add(lang.pick("log", "日志"), range);
    add(
        lang.pick("high watermark", "高水位（HW）"),
        view.high_watermark.to_string(),
    );
    add(
        lang.pick("last stable offset", "最后稳定位移（LSO）"),
        view.last_stable.to_string(),
    );
    // The sequences of the newest batches, by which the leader knows a batch again.
    let stamped = view.entries.iter().rev().filter(|entry| entry.begins_batch);
    for entry in stamped.take(BATCHES) {
        let (Some((producer, epoch)), Some(record)) = (entry.producer, entry.record) else {
            continue;
        };
        let sequence = entry.sequence.map_or(0, |sequence| sequence.number());
        add(
            lang.pick("batch", "批次"),
            format!(
                "{} @ {} · PID {} · epoch {} · seq {sequence}",
                entry_name(lexicon, record),
                entry.offset,
                producer.0,
                epoch.0
            ),
        );
    }
}

/// A record of an entry: its number, or, in a job, its key.
fn entry_name(lexicon: &Lexicon<'_>, record: RecordId) -> String {
    match super::records(lexicon.nodes) {
        0 => lexicon.record(record),
        all => face::number(record, all),
    }
}

/// So many of the newest batches are listed: as many as a broker remembers of a producer.
const BATCHES: usize = 5;

fn transactions(
    lexicon: &Lexicon<'_>,
    view: &TransactionsView,
    add: &mut dyn FnMut(&'static str, String),
) {
    let lang = lexicon.lang;
    add(lang.pick("term", "任期"), view.term.to_string());
    for row in &view.rows {
        let [state, session] = face::transactional(lang, row);
        let mut parts: Vec<String> = (row.partitions.iter())
            .map(|partition| lexicon.partition(*partition))
            .collect();
        if row.offsets {
            parts.push("__consumer_offsets".to_owned());
        }
        add("transactional.id", format!("{state} · {session}"));
        if !parts.is_empty() {
            add(lang.pick("takes part", "参与者"), parts.join(", "));
        }
    }
}

fn groups(lexicon: &Lexicon<'_>, view: &GroupsView, add: &mut dyn FnMut(&'static str, String)) {
    let lang = lexicon.lang;
    for group in &view.groups {
        let members: Vec<String> = group.members.iter().map(|id| lexicon.node(*id)).collect();
        let state = match (group.rebalancing, lang) {
            (true, Lang::En) => ", rebalancing",
            (true, Lang::Zh) => "，重平衡中",
            (false, _) => "",
        };
        let text = match lang {
            Lang::En => format!("{}, generation {}{state}", group.name, group.generation),
            Lang::Zh => format!("{}，第 {} 代{state}", group.name, group.generation),
        };
        add(lang.pick("group", "组"), text);
        if !members.is_empty() {
            add(lang.pick("members", "成员"), members.join(", "));
        }
        for row in &group.rows {
            let owner = row
                .owner
                .map_or(String::new(), |owner| format!(" · {}", lexicon.node(owner)));
            let text = face::offset(lang, &lexicon.partition(row.partition), row);
            add(lang.pick("committed", "已提交"), text + &owner);
        }
    }
}

fn consumer(lexicon: &Lexicon<'_>, view: &ConsumerView, add: &mut dyn FnMut(&'static str, String)) {
    let lang = lexicon.lang;
    let generation = match (view.generation, lang) {
        (None, Lang::En) => "not joined".to_owned(),
        (None, Lang::Zh) => "未加入".to_owned(),
        (Some(generation), Lang::En) => format!("generation {generation}"),
        (Some(generation), Lang::Zh) => format!("第 {generation} 代"),
    };
    add("group.id", format!("{} · {generation}", view.group));
    add(
        "isolation.level",
        face::isolation(view.isolation).to_owned(),
    );
    for row in &view.rows {
        let text = face::position(lang, &lexicon.partition(row.partition), row);
        let more = match (row.stored, lang) {
            (Some(stored), Lang::En) => format!(" · would commit {stored}"),
            (Some(stored), Lang::Zh) => format!(" · 可提交 {stored}"),
            (None, _) => String::new(),
        };
        let readable = match lang {
            Lang::En => format!(" · readable to {}", row.readable),
            Lang::Zh => format!(" · 可读到 {}", row.readable),
        };
        add(lang.pick("position", "position"), text + &more + &readable);
    }
    let list = |records: &[_]| {
        let all: Vec<String> = records.iter().map(|id| lexicon.record(*id)).collect();
        all.join(", ")
    };
    if !view.working.is_empty() {
        add(lang.pick("works on", "正在处理"), list(&view.working));
    }
    if !view.buffered.is_empty() {
        add(lang.pick("polled", "已拉取"), list(&view.buffered));
    }
    if view.failed {
        let text = lang.pick("no offset to go on from", "没有可继续的位移");
        add(lang.pick("failed", "失败"), text.to_owned());
    }
}

fn store(lang: Lang, view: &StoreView, add: &mut dyn FnMut(&'static str, String)) {
    let all = view.counts.iter();
    let all: Vec<String> = all.map(|(key, count)| format!("{key} {count}")).collect();
    add(lang.pick("store", "本地状态"), all.join(", "));
    if view.counted_twice > 0 {
        add(
            lang.pick("counted twice", "重复计算"),
            number(view.counted_twice.into()),
        );
    }
}

fn audience(lexicon: &Lexicon<'_>, view: &AudienceView, add: &mut dyn FnMut(&'static str, String)) {
    let lang = lexicon.lang;
    if view.judged {
        add(
            lang.pick("verdict", "结论"),
            lang.pick("the scenario’s verdict is about this", "场景的结论以此为准")
                .to_owned(),
        );
    }
    let tally = Tally::of(lexicon.nodes, view);
    add(
        lang.pick("records", "记录"),
        face::sees(lang, view.audience, &tally),
    );
    if tally.copies != tally.seen {
        add(lang.pick("in all", "总计"), number(tally.copies.into()));
    }
    for (text, _) in tally.counts(lang) {
        add("", text);
    }
    for (why, count) in super::stuck_behind(lang, &view.verdict.held) {
        add("", format!("{count} · {why}"));
    }
    let when = match view.verdict.done {
        true => lang.pick("in the end", "最终"),
        false => lang.pick("so far", "目前为止"),
    };
    add(when, tally.kept().word(lang).to_owned());
    let all = super::records(lexicon.nodes);
    let seen: Vec<String> = (view.records.iter())
        .map(|record| face::number(*record, all))
        .collect();
    if !seen.is_empty() {
        add(lang.pick("in order", "依次为"), seen.join(" "));
    }
    for witness in view.verdict.witnesses.iter().take(WITNESSES) {
        let times = match (witness.copies, lang) {
            (0, Lang::En) => "lost".to_owned(),
            (0, Lang::Zh) => "丢失".to_owned(),
            (more, _) => format!("×{more}"),
        };
        add(
            lang.pick("witness", "例证"),
            format!("{} {times}", lexicon.record(witness.record)),
        );
    }
}

/// So many witnesses are named; the bar at the bottom has them all.
const WITNESSES: usize = 8;
