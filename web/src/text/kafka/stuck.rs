//! What records wait for that nothing moves on.

use barrierscope_core::verdict::{Held, Hindrance};

use super::super::Lang;

/// What records wait for that are stuck, each with how many do.
pub fn stuck_behind(lang: Lang, held: &[Held]) -> Vec<(&'static str, u32)> {
    let mut all: Vec<(Hindrance, u32)> = Vec::new();
    for one in held {
        match all.iter_mut().find(|(by, _)| *by == one.by) {
            Some((_, count)) => *count += 1,
            None => all.push((one.by, 1)),
        }
    }
    all.into_iter()
        .map(|(by, count)| (word(lang, by), count))
        .collect()
}

const fn word(lang: Lang, hindrance: Hindrance) -> &'static str {
    match hindrance {
        Hindrance::NotWritten => lang.pick(
            "stuck: not written, and nobody goes on",
            "卡住：尚未写入，也无人继续",
        ),
        Hindrance::NoLeader => lang.pick(
            "stuck: their partition has no leader",
            "卡住：分区没有 leader",
        ),
        Hindrance::NotReplicated => lang.pick(
            "stuck: not on every in-sync replica",
            "卡住：尚未到达全部同步副本",
        ),
        Hindrance::Undecided => lang.pick("stuck: their transaction is open", "卡住：所属事务未结"),
        Hindrance::OpenTransaction => lang.pick(
            "stuck behind an older open transaction",
            "卡住：前面有更早的未结事务",
        ),
        Hindrance::NoOffset => lang.pick(
            "stuck: their consumer has failed, it knows no offset to begin at",
            "卡住：消费者已失败，没有可开始的位移",
        ),
        Hindrance::NotProcessed => lang.pick(
            "stuck: nobody who runs processes them",
            "卡住：没有运行中的消费者处理它们",
        ),
    }
}
