//! What the coordinator and the participants are and hold, in words.

use barrierscope_core::commit::participant::ParticipantState;
use barrierscope_core::id::NodeId;
use barrierscope_core::scene::votes::{CommitterView, ParticipantView, RecordView};
use barrierscope_core::scene::{Facts, Health, Node};

use super::super::{Lang, Lexicon, seconds};
use super::{face, names};

/// What kind of thing a node is; none if it has no part in two-phase commit.
pub(in crate::text) const fn kind(lang: Lang, facts: &Facts) -> Option<&'static str> {
    match facts {
        Facts::Committer(_) => Some(lang.pick("of the two-phase commit", "两阶段提交的协调者")),
        Facts::Participant(_) => Some(lang.pick("participant", "参与者")),
        _ => None,
    }
}

/// Everything that is known about a process; nothing about other nodes.
pub(in crate::text) fn rows(
    lexicon: &Lexicon<'_>,
    node: &Node,
    add: &mut dyn FnMut(&'static str, String),
) {
    match &node.facts {
        Facts::Committer(view) => coordinator(lexicon, node, view, add),
        Facts::Participant(view) => participant(lexicon, node, view, add),
        _ => {}
    }
}

fn coordinator(
    lexicon: &Lexicon<'_>,
    node: &Node,
    view: &CommitterView,
    add: &mut dyn FnMut(&'static str, String),
) {
    let lang = lexicon.lang;
    let is_up = node.health == Health::Running;
    if is_up {
        add(
            lang.pick("state", "状态"),
            face::coordinator_state(view.state).to_owned(),
        );
        for (id, vote) in &view.votes {
            if let Some(vote) = vote {
                let says = match lang {
                    Lang::En => format!("{}: {}", lexicon.node(*id), face::vote_word(lang, *vote)),
                    Lang::Zh => format!("{}：{}", lexicon.node(*id), face::vote_word(lang, *vote)),
                };
                add(lang.pick("vote in", "已收到的投票"), says);
            }
        }
        if view.decision.is_none() {
            let missing = face::missing_votes(lang, lexicon.nodes, view);
            if !missing.is_empty() {
                add(lang.pick("votes missing", "缺少的投票"), missing);
            }
        }
        if !view.unacknowledged.is_empty() {
            let missing = names(lang, lexicon.nodes, &view.unacknowledged);
            add(lang.pick("not acknowledged by", "尚未确认"), missing);
        }
    }
    decided(lang, view.decision, add);
    log(lang, &view.log, view.forcing, add);
    outbox(lexicon, &view.outbox, add);
    if is_up {
        let waits = face::coordinator_waits(lang, node, view);
        if !waits.is_empty() {
            add(lang.pick("now", "此刻"), waits);
        }
    }
}

fn participant(
    lexicon: &Lexicon<'_>,
    node: &Node,
    view: &ParticipantView,
    add: &mut dyn FnMut(&'static str, String),
) {
    let lang = lexicon.lang;
    if node.health == Health::Running {
        add(lang.pick("state", "状态"), face::standing(lang, view));
    }
    add(lang.pick("vote", "投票"), face::vote(lang, view).to_owned());
    if let Some(since) = view.in_doubt_since {
        let since = seconds(since);
        let says = match lang {
            Lang::En => format!("since {since}: it may neither commit nor abort by itself"),
            Lang::Zh => format!("自 {since} 起：不得自行提交或中止"),
        };
        add(lang.pick("in doubt", "悬而未决"), says);
    }
    if let Some(since) = view.blocked_since {
        let by = face::released_by(lang, lexicon.nodes, &view.blocked_by);
        let since = seconds(since);
        let says = match lang {
            Lang::En => format!("since {since}, {by}"),
            Lang::Zh => format!("自 {since} 起，{by}"),
        };
        add(lang.pick("blocked", "阻塞"), says);
    }
    let is_free = view.state == ParticipantState::Init && view.log.is_empty();
    if node.health == Health::Running && is_free {
        let says = lang.pick("none yet: it may abort by itself", "尚无，可以自行中止");
        add(lang.pick("promise", "承诺"), says.to_owned());
    }
    decided(lang, view.decision, add);
    log(lang, &view.log, view.forcing, add);
    outbox(lexicon, &view.outbox, add);
}

fn decided(
    lang: Lang,
    decision: Option<barrierscope_core::commit::Decision>,
    add: &mut dyn FnMut(&'static str, String),
) {
    if let Some(decision) = decision {
        let says = face::decision_word(lang, decision).to_owned();
        add(lang.pick("decision", "决定"), says);
    }
}

fn log(
    lang: Lang,
    records: &[RecordView],
    forcing: bool,
    add: &mut dyn FnMut(&'static str, String),
) {
    if records.is_empty() {
        add(
            lang.pick("log", "日志"),
            lang.pick("empty", "空").to_owned(),
        );
    }
    for entry in records {
        let where_ = match (entry.forced, forcing) {
            (true, _) => lang.pick("on disk", "已落盘"),
            (false, true) => lang.pick("being forced", "正在强制写盘"),
            (false, false) => lang.pick("in memory only", "仅在内存中"),
        };
        let says = match lang {
            Lang::En => format!("{}, {where_}", entry.record),
            Lang::Zh => format!("{}，{where_}", entry.record),
        };
        add(lang.pick("log", "日志"), says);
    }
}

fn outbox(
    lexicon: &Lexicon<'_>,
    letters: &[(NodeId, barrierscope_core::commit::message::Message)],
    add: &mut dyn FnMut(&'static str, String),
) {
    for (to, message) in letters {
        // In a narrow panel a long name may break behind its stroke.
        let message = message.name().replace('_', "_\u{200b}");
        let says = format!("{message} → {}", lexicon.node(*to));
        add(lexicon.lang.pick("to send", "待发送"), says);
    }
}
