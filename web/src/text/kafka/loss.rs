//! Why a record is lost: read off the stage at the step since which it is.

use barrierscope_core::event::{Event, KafkaEvent};
use barrierscope_core::id::{NodeId, Offset, PartitionId, RecordId};
use barrierscope_core::kafka::log::Outcome;
use barrierscope_core::kafka::replicated_log::Acks;
use barrierscope_core::scene::{CellStatus, Facts};

use super::super::{Lang, Lexicon};

/// Why nothing will ever show a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// The broker took it for another one.
    Mistaken,
    /// `send()` has failed, and nobody looked.
    NotSent,
    /// Nobody was to confirm it, and nobody sends it again.
    Unconfirmed,
    /// It was confirmed, and whoever leads now does not have it.
    NotOnLeader,
    /// Its transaction was aborted, and is not repeated.
    Aborted,
    /// The same, and the application was told that it is committed.
    BelievedCommitted,
    /// Retention has deleted it before it was read.
    Deleted,
    /// Its client dropped it.
    Dropped,
    /// The offset committed is behind it, and nobody works on it any more.
    Committed(PartitionId, Offset),
    /// Whoever reads its partition is behind it already.
    Passed(PartitionId, Offset),
    /// Nobody knows where to begin, and begins at the end.
    Latest,
    /// None of these.
    Unknown,
}

/// Says that records are lost since a step, and why.
pub fn why_lost(lexicon: &Lexicon<'_>, events: &[Event], lost: &[RecordId]) -> String {
    let mut causes: Vec<(Cause, Vec<RecordId>)> = Vec::new();
    for record in lost {
        let why = cause(lexicon, events, *record);
        match causes.iter_mut().find(|(known, _)| *known == why) {
            Some((_, records)) => records.push(*record),
            None => causes.push((why, vec![*record])),
        }
    }
    let sentences = causes.into_iter().map(|(why, records)| {
        let first = records
            .first()
            .map_or(String::new(), |first| lexicon.record(*first));
        let them = records.len() > 1;
        let why = explain(lexicon, why, them);
        match (lexicon.lang, records.len()) {
            (Lang::En, 0 | 1) => format!("{first} is lost from here on: {why}"),
            (Lang::En, more) => {
                format!("{first} and {} more are lost from here on: {why}", more - 1)
            }
            (Lang::Zh, 0 | 1) => format!("从此刻起 {first} 丢失：{why}"),
            (Lang::Zh, more) => format!("从此刻起 {first} 等 {more} 条记录丢失：{why}"),
        }
    });
    let sentences: Vec<String> = sentences.collect();
    sentences.join(lexicon.lang.pick(" ", ""))
}

fn explain(lexicon: &Lexicon<'_>, cause: Cause, them: bool) -> String {
    match lexicon.lang {
        Lang::En => english(lexicon, cause, them),
        Lang::Zh => chinese(lexicon, cause),
    }
}

fn english(lexicon: &Lexicon<'_>, cause: Cause, them: bool) -> String {
    let (it, is, was) = if them {
        ("them", "they are", "they were")
    } else {
        ("it", "it is", "it was")
    };
    match cause {
        Cause::Committed(partition, offset) => format!(
            "offset {offset} of {} is committed, which is past {it}, and nobody works on {it} any more. Whoever takes over begins there.",
            lexicon.partition(partition)
        ),
        Cause::Passed(partition, offset) => format!(
            "whoever reads {} goes on at offset {offset}, past {it}, and does not come back.",
            lexicon.partition(partition)
        ),
        Cause::Latest => format!(
            "the group has no committed offset that is in the log, and with auto.offset.reset=latest it begins at the end, past {it}."
        ),
        Cause::Mistaken => "the batch carries the sequence of another one: the broker took it for a repetition, and answered with success.".to_owned(),
        Cause::NotSent => "send() failed, nobody looked at the result, and the rest goes on.".to_owned(),
        Cause::Unconfirmed => format!(
            "with acks=0 nobody learns that {was} not written, so that nobody sends {it} again."
        ),
        Cause::NotOnLeader => format!(
            "the producer was told that {is} written, so that nobody sends {it} again; but no leader has {it}."
        ),
        Cause::Aborted => "the transaction is aborted, and nobody repeats it.".to_owned(),
        Cause::BelievedCommitted => {
            "the transaction was aborted, while the application was told that it is committed.".to_owned()
        }
        Cause::Deleted => format!("retention deleted {it} before {was} read."),
        Cause::Dropped => format!("the client dropped {it}, and goes on past {it}."),
        Cause::Unknown => format!("nothing that is stored or under way will ever show {it}."),
    }
}

fn chinese(lexicon: &Lexicon<'_>, cause: Cause) -> String {
    match cause {
        Cause::Committed(partition, offset) => format!(
            "{} 已提交的位移是 {offset}，已越过它，而且没有人再处理它；接管者从那里开始。",
            lexicon.partition(partition)
        ),
        Cause::Passed(partition, offset) => format!(
            "{} 的读者从位移 {offset} 继续，已越过它，不会再回头。",
            lexicon.partition(partition)
        ),
        Cause::Latest => {
            "该组没有仍在日志中的已提交位移，而 auto.offset.reset=latest 从末尾开始，越过了它。"
                .to_owned()
        }
        Cause::Mistaken => {
            "该批次用了另一个批次的序列号：broker 把它当作重复的批次，并回复成功。".to_owned()
        }
        Cause::NotSent => "send() 失败了，没有人检查结果，其余的照常进行。".to_owned(),
        Cause::Unconfirmed => "acks=0 时没有人知道它没有写入，因此没有人重发。".to_owned(),
        Cause::NotOnLeader => "生产者已得知写入成功，不会再发送；但没有 leader 拥有它。".to_owned(),
        Cause::Aborted => "其事务被中止，没有人重做。".to_owned(),
        Cause::BelievedCommitted => "其事务已被中止，而应用却得知它已提交。".to_owned(),
        Cause::Deleted => "在读到它之前，保留策略已把它删除。".to_owned(),
        Cause::Dropped => "客户端把它丢掉，并越过它继续。".to_owned(),
        Cause::Unknown => "已存储的和在途的内容都不会再显示它。".to_owned(),
    }
}

fn cause(lexicon: &Lexicon<'_>, events: &[Event], record: RecordId) -> Cause {
    let happened = |is_it: &dyn Fn(KafkaEvent) -> bool| {
        events
            .iter()
            .any(|event| matches!(event, Event::Kafka(event) if is_it(*event)))
    };
    use KafkaEvent as E;
    if lexicon.records.was_mistaken(record) {
        return Cause::Mistaken;
    }
    if happened(&|event| matches!(event, E::TooLarge { record: other, .. } if other == record)) {
        return Cause::NotSent;
    }
    if happened(&|event| matches!(event, E::Skipped { .. })) {
        return Cause::Dropped;
    }
    let places: Vec<(PartitionId, Offset, CellStatus)> = places(lexicon, record);
    let committed = places
        .iter()
        .find(|(_, _, status)| *status != CellStatus::Aborted);
    match (places.is_empty(), committed) {
        (true, _) if happened(&|event| matches!(event, E::Deleted { .. })) => Cause::Deleted,
        (true, _) if is_unconfirmed(lexicon, events) => Cause::Unconfirmed,
        (true, _) => Cause::NotOnLeader,
        (false, None) if happened(&|event| is_told_of_commit(event)) => Cause::BelievedCommitted,
        (false, None) => Cause::Aborted,
        (false, Some((partition, offset, _))) => passed(lexicon, *partition, *offset),
    }
}

const fn is_told_of_commit(event: KafkaEvent) -> bool {
    matches!(
        event,
        KafkaEvent::TransactionEnded {
            outcome: Outcome::Commit,
            ..
        }
    )
}

/// Where a record stands in the leaders' logs.
fn places(lexicon: &Lexicon<'_>, record: RecordId) -> Vec<(PartitionId, Offset, CellStatus)> {
    let leaders = lexicon.nodes.iter().filter_map(|node| match &node.facts {
        Facts::Replica(view) if view.leads => Some(view),
        _ => None,
    });
    leaders
        .flat_map(|view| {
            let entries = view.entries.iter();
            entries
                .filter(|entry| entry.record == Some(record))
                .map(|entry| (view.partition, entry.offset, entry.status))
        })
        .collect()
}

/// Whether a step loses what a producer sends with `acks=0`.
fn is_unconfirmed(lexicon: &Lexicon<'_>, events: &[Event]) -> bool {
    let confirms = |id: NodeId| {
        let node = lexicon.nodes.iter().find(|node| node.id == id);
        node.is_none_or(|node| lexicon.records.acks(&node.name) != Some(Acks::None))
    };
    let clients = events.iter().filter_map(|event| match event {
        Event::Kafka(
            KafkaEvent::MessageLost { client, .. } | KafkaEvent::Acknowledged { client, .. },
        ) => Some(*client),
        _ => None,
    });
    let mut clients = clients.peekable();
    match clients.peek() {
        Some(_) => clients.any(|client| !confirms(client)),
        // Whatever it is that the leader does not have, its producer is one of these.
        None => lexicon
            .nodes
            .iter()
            .filter(|node| matches!(node.facts, Facts::Producer(_)))
            .all(|node| !confirms(node.id)),
    }
}

/// A record that is in the log at an offset: why nobody reads it.
fn passed(lexicon: &Lexicon<'_>, partition: PartitionId, offset: Offset) -> Cause {
    let rows = lexicon.nodes.iter().filter_map(|node| match &node.facts {
        Facts::Groups(view) => Some(view.groups.iter().flat_map(|group| group.rows.iter())),
        _ => None,
    });
    let committed = rows
        .flatten()
        .filter(|row| row.partition == partition)
        .filter_map(|row| row.committed)
        .find(|committed| *committed > offset);
    if let Some(committed) = committed {
        return Cause::Committed(partition, committed);
    }
    let positions = lexicon.nodes.iter().filter_map(|node| match &node.facts {
        Facts::Consumer(view) | Facts::Streams { consumer: view, .. } => Some(view.rows.iter()),
        _ => None,
    });
    let position = positions
        .flatten()
        .filter(|row| row.partition == partition)
        .map(|row| row.position)
        .find(|position| *position > offset);
    match position {
        Some(position) => Cause::Passed(partition, position),
        None if lexicon.records.begins_at_the_end() => Cause::Latest,
        None => Cause::Unknown,
    }
}
