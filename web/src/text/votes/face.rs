//! The few words that stand on the coordinator and the participants themselves.

use barrierscope_core::commit::coordinator::CoordinatorState;
use barrierscope_core::commit::log::Record;
use barrierscope_core::commit::participant::ParticipantState;
use barrierscope_core::commit::{Decision, Vote};
use barrierscope_core::id::NodeId;
use barrierscope_core::scene::votes::{CommitterView, ParticipantView, RecordView};
use barrierscope_core::scene::{Facts, Health, Node};

use super::names;
use crate::text::{Lang, seconds};

/// The name of a coordinator's state.
pub const fn coordinator_state(state: CoordinatorState) -> &'static str {
    match state {
        CoordinatorState::Init => "INIT",
        CoordinatorState::Wait => "WAIT",
        CoordinatorState::Commit => "COMMIT",
        CoordinatorState::Abort => "ABORT",
        CoordinatorState::End => "END",
    }
}

/// The name of a participant's state.
pub const fn participant_state(state: ParticipantState) -> &'static str {
    match state {
        ParticipantState::Init => "INIT",
        ParticipantState::Ready => "READY",
        ParticipantState::Commit => "COMMIT",
        ParticipantState::Abort => "ABORT",
    }
}

/// A participant's state, with what it means.
pub fn standing(lang: Lang, view: &ParticipantView) -> String {
    let name = participant_state(view.state);
    match view.state {
        ParticipantState::Ready => format!("{name} · {}", lang.pick("in doubt", "悬而未决")),
        _ => name.to_owned(),
    }
}

/// The same for a screen reader: whether it is blocked, too.
pub fn spoken(lang: Lang, view: &ParticipantView) -> String {
    let standing = standing(lang, view);
    match view.blocked_since {
        Some(since) => format!("{standing}, {}", blocked_since(lang, &seconds(since))),
        None => standing,
    }
}

/// How a participant has voted, as its log says; none if it has not: a vote to commit counts when it is on disk,
/// one to abort when it has aborted.
pub fn cast(view: &ParticipantView) -> Option<Vote> {
    let counts = |entry: &&RecordView| entry.forced || view.decision.is_some();
    let mut counted = view.log.iter().filter(counts);
    counted.find_map(|entry| match entry.record {
        Record::VoteCommit => Some(Vote::Commit),
        Record::VoteAbort => Some(Vote::Abort),
        Record::Start2Pc | Record::GlobalCommit | Record::GlobalAbort | Record::End => None,
    })
}

/// How a participant votes, or has voted.
pub fn vote(lang: Lang, view: &ParticipantView) -> &'static str {
    match (cast(view), view.vote) {
        (Some(Vote::Commit), _) => lang.pick("voted commit", "已投提交票"),
        (Some(Vote::Abort), _) => lang.pick("voted abort", "已投中止票"),
        (None, Vote::Commit) => lang.pick("will vote commit", "将投提交票"),
        (None, Vote::Abort) => lang.pick("will vote abort", "将投中止票"),
    }
}

/// A vote as a word.
pub const fn vote_word(lang: Lang, vote: Vote) -> &'static str {
    match vote {
        Vote::Commit => lang.pick("commit", "提交"),
        Vote::Abort => lang.pick("abort", "中止"),
    }
}

/// A decision as a word.
pub const fn decision_word(lang: Lang, decision: Decision) -> &'static str {
    match decision {
        Decision::Commit => lang.pick("commit", "提交"),
        Decision::Abort => lang.pick("abort", "中止"),
    }
}

/// What becomes of a process that is down, if it is.
pub const fn fate(lang: Lang, health: Health) -> Option<&'static str> {
    match health {
        Health::Crashed => Some(lang.pick("crashed", "已崩溃")),
        Health::Cancelled => Some(lang.pick("stopped", "已停止")),
        Health::Running | Health::Starting | Health::Paused | Health::Removed => None,
    }
}

/// What a process that is down waits for.
pub const fn return_of(lang: Lang, health: Health) -> &'static str {
    match health {
        Health::Cancelled => lang.pick("stays down", "不会自行恢复"),
        _ => lang.pick("will come back", "会自行恢复"),
    }
}

/// The same, behind what has become of it.
pub(in crate::text) const fn returns(lang: Lang, health: Health) -> &'static str {
    match health {
        Health::Cancelled => lang.pick(
            "; stays down until somebody recovers it",
            "，等待有人恢复它",
        ),
        _ => lang.pick("; comes back by itself", "，会自行恢复"),
    }
}

/// What a participant waits for, in up to two lines.
pub fn waits(lang: Lang, nodes: &[Node], node: &Node, view: &ParticipantView) -> [String; 2] {
    let nothing = String::new;
    if node.health != Health::Running {
        let doubt = match view.in_doubt_since {
            Some(_) => lang
                .pick("in doubt, as its log says", "日志表明它悬而未决")
                .to_owned(),
            None => nothing(),
        };
        return [return_of(lang, node.health).to_owned(), doubt];
    }
    if let Some(since) = view.blocked_since {
        return [
            blocked_since(lang, &seconds(since)),
            released_by(lang, nodes, &view.blocked_by),
        ];
    }
    if view.forcing {
        let what = view.log.last().map_or("", |entry| entry.record.name());
        return [
            lang.pick("forces its log:", "正在强制写日志：").to_owned(),
            what.to_owned(),
        ];
    }
    if let Some((_, message)) = view.outbox.first() {
        let says = lang.pick("is about to send", "即将发送");
        return [says.to_owned(), message.name().to_owned()];
    }
    match view.state {
        ParticipantState::Init => [
            lang.pick("waits for VOTE_REQUEST", "等待 VOTE_REQUEST")
                .to_owned(),
            nothing(),
        ],
        ParticipantState::Ready => [
            lang.pick("waits for the decision", "等待决定").to_owned(),
            match (view.in_doubt_since, lang) {
                (Some(since), Lang::En) => format!("since {}", seconds(since)),
                (Some(since), Lang::Zh) => format!("自 {} 起", seconds(since)),
                (None, _) => nothing(),
            },
        ],
        ParticipantState::Commit | ParticipantState::Abort => [nothing(), nothing()],
    }
}

/// Since when somebody is blocked.
pub fn blocked_since(lang: Lang, since: &str) -> String {
    match lang {
        Lang::En => format!("blocked since {since}"),
        Lang::Zh => format!("自 {since} 起阻塞"),
    }
}

/// By whose return somebody is released.
pub fn released_by(lang: Lang, nodes: &[Node], by: &[NodeId]) -> String {
    let find = |id: &NodeId| nodes.iter().find(|node| node.id == *id);
    let all: Vec<String> = (by.iter().filter_map(find))
        .map(|node| match (lang, &node.facts) {
            (Lang::En, Facts::Committer(_)) => "the coordinator".to_owned(),
            _ => crate::text::name(lang, node),
        })
        .collect();
    match lang {
        // One of them is enough.
        Lang::En => format!("until {} is back", all.join(" or ")),
        Lang::Zh => format!("待{}恢复", all.join("或")),
    }
}

/// What the coordinator waits for, in one line.
pub fn coordinator_waits(lang: Lang, node: &Node, view: &CommitterView) -> String {
    let says = if node.health != Health::Running {
        return_of(lang, node.health)
    } else if view.forcing {
        lang.pick("forces its log", "正在强制写日志")
    } else if let Some((_, message)) = view.outbox.first() {
        return match lang {
            Lang::En => format!("is about to send {message}"),
            Lang::Zh => format!("即将发送 {message}"),
        };
    } else {
        match view.state {
            CoordinatorState::Init if view.log.is_empty() => {
                lang.pick("knows of no transaction", "不知道任何事务")
            }
            CoordinatorState::Init => "",
            CoordinatorState::Wait => lang.pick("waits for votes", "等待投票"),
            CoordinatorState::Commit | CoordinatorState::Abort => {
                lang.pick("waits for acknowledgements", "等待确认")
            }
            CoordinatorState::End => lang.pick("has forgotten the transaction", "已忘记该事务"),
        }
    };
    says.to_owned()
}

/// Who has not voted yet, as the coordinator knows.
pub fn missing_votes(lang: Lang, nodes: &[Node], view: &CommitterView) -> String {
    let missing: Vec<NodeId> = (view.votes.iter())
        .filter(|(_, vote)| vote.is_none())
        .map(|(id, _)| *id)
        .collect();
    names(lang, nodes, &missing)
}
