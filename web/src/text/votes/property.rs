//! The properties of atomic commitment, and whether they hold.

use barrierscope_core::commit::properties::{Breach, Property};
use barrierscope_core::scene::Node;
use barrierscope_core::scene::votes::{PropertyStatus, PropertyView};

use super::names;
use crate::text::Lang;

/// Its number in the books.
pub const fn code(property: Property) -> &'static str {
    match property {
        Property::Agreement => "AC1",
        Property::Stability => "AC2",
        Property::Validity => "AC3",
        Property::NonTriviality => "AC4",
        Property::Termination => "AC5",
    }
}

/// Its name.
pub const fn name(lang: Lang, property: Property) -> &'static str {
    match property {
        Property::Agreement => lang.pick("agreement", "一致性"),
        Property::Stability => lang.pick("stability", "稳定性"),
        Property::Validity => lang.pick("validity", "有效性"),
        Property::NonTriviality => lang.pick("non-triviality", "非平凡性"),
        Property::Termination => lang.pick("termination", "终止性"),
    }
}

/// What it demands.
pub const fn demand(lang: Lang, property: Property) -> &'static str {
    match property {
        Property::Agreement => lang.pick(
            "All processes that reach a decision reach the same one.",
            "所有作出决定的进程，决定都相同。",
        ),
        Property::Stability => lang.pick(
            "A process cannot reverse its decision after it has reached one.",
            "进程作出决定之后不能更改。",
        ),
        Property::Validity => lang.pick(
            "Commit is decided only if all have voted commit; abort only if one has voted abort, or something has failed.",
            "只有全体都投提交票才能决定提交；只有有人投中止票或发生过故障才能决定中止。",
        ),
        Property::NonTriviality => lang.pick(
            "If nothing fails and all vote commit, the decision is commit.",
            "若无故障且全体都投提交票，则决定提交。",
        ),
        Property::Termination => lang.pick(
            "If all failures are repaired, and no new ones occur for long enough, all processes reach a decision.",
            "若所有故障都已修复，且足够长时间没有新的故障，则所有进程都会作出决定。",
        ),
    }
}

/// Whether it holds, in a word or two.
pub const fn status(lang: Lang, status: PropertyStatus) -> &'static str {
    match status {
        PropertyStatus::Holds => lang.pick("holds", "成立"),
        PropertyStatus::NotYet => lang.pick("not yet", "尚未"),
        PropertyStatus::Broken(_) => lang.pick("broken", "被破坏"),
    }
}

/// Whom it waits for, or who breaks it; empty while it holds.
pub fn about(lang: Lang, nodes: &[Node], view: &PropertyView) -> String {
    let all = names(lang, nodes, &view.nodes);
    let is_nobody = view.nodes.len() == nodes.len();
    match (view.status, lang) {
        (PropertyStatus::NotYet, _) if is_nobody => {
            lang.pick("nobody has decided", "无人作出决定").to_owned()
        }
        (PropertyStatus::Holds, _) => String::new(),
        (PropertyStatus::NotYet, Lang::En) => format!("undecided: {all}"),
        (PropertyStatus::NotYet, Lang::Zh) => format!("未决定：{all}"),
        (PropertyStatus::Broken(breach), lang) => broken(lang, breach, &all),
    }
}

fn broken(lang: Lang, breach: Breach, all: &str) -> String {
    match (breach, lang) {
        (Breach::Disagree { .. }, Lang::En) => format!("{all} have decided differently"),
        (Breach::Disagree { .. }, Lang::Zh) => format!("{all} 的决定不同"),
        (Breach::Reversed { .. }, Lang::En) => format!("{all} has decided both ways"),
        (Breach::Reversed { .. }, Lang::Zh) => format!("{all} 先后作出了相反的决定"),
        (Breach::CommittedWithoutVote { .. }, Lang::En) => {
            format!("a commit without a vote: {all}")
        }
        (Breach::CommittedWithoutVote { .. }, Lang::Zh) => format!("缺一票却已提交：{all}"),
        (Breach::AbortedWithoutReason { .. }, Lang::En) => {
            format!("{all} has aborted for no reason")
        }
        (Breach::AbortedWithoutReason { .. }, Lang::Zh) => format!("{all} 无故中止"),
    }
}

/// The sentence over all of them: the title, and what it is about.
pub fn summary(lang: Lang, views: &[PropertyView], blocked: &str) -> [String; 2] {
    let any = |is_it: fn(&PropertyView) -> bool| views.iter().any(is_it);
    let is_broken = any(|view| matches!(view.status, PropertyStatus::Broken(_)));
    let is_open = any(|view| view.status == PropertyStatus::NotYet);
    let (title, scope) = match (is_broken, blocked.is_empty(), is_open) {
        (true, ..) => (
            lang.pick("not atomic", "不具原子性"),
            lang.pick("a property is broken for good", "有性质已被永久破坏")
                .to_owned(),
        ),
        (false, false, _) => (
            lang.pick("blocked", "阻塞"),
            match lang {
                Lang::En => format!("{blocked}: in doubt, must wait"),
                Lang::Zh => format!("{blocked}：悬而未决，必须等待"),
            },
        ),
        (false, true, true) => (
            lang.pick("undecided", "尚未决定"),
            lang.pick("no property is broken so far", "迄今没有性质被破坏")
                .to_owned(),
        ),
        (false, true, false) => (
            lang.pick("atomic", "具有原子性"),
            lang.pick("every process has decided alike", "所有进程的决定都相同")
                .to_owned(),
        ),
    };
    [title.to_owned(), scope]
}
