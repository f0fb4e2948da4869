//! The textbook's names of two-phase commit, beside Flink's: who is the coordinator, what is a vote, what is the
//! decision.

use barrierscope_core::event::Event;
use barrierscope_core::flink::coordinator::Purpose;
use barrierscope_core::scene::{Facts, TokenKind};

use super::{Lang, Lexicon};

/// What a node of a job is in two-phase commit.
pub const fn node(lang: Lang, facts: &Facts) -> Option<&'static str> {
    Some(match facts {
        Facts::Coordinator { .. } => lang.pick("coordinator", "协调者"),
        Facts::Source { .. } | Facts::Operator { .. } => lang.pick("participant", "参与者"),
        Facts::Sink { pending, .. } if !pending.is_empty() => {
            lang.pick("participant, in doubt", "参与者，悬而未决")
        }
        Facts::Sink { .. } => lang.pick("participant", "参与者"),
        Facts::Store { .. } => lang.pick("the coordinator’s log", "协调者的日志"),
        _ => return None,
    })
}

/// What a message between the coordinator and a subtask is in two-phase commit.
pub const fn token(kind: TokenKind) -> Option<&'static str> {
    Some(match kind {
        TokenKind::Barrier(_) | TokenKind::Trigger(_) => "VOTE_REQUEST",
        TokenKind::Snapshot(..) => "VOTE_COMMIT",
        TokenKind::Decline(..) => "VOTE_ABORT",
        TokenKind::Notification(_) => "GLOBAL_COMMIT",
        TokenKind::Abort(_) | TokenKind::Cancellation(_) => "GLOBAL_ABORT",
        TokenKind::Record(_) | TokenKind::Message(_) | TokenKind::TwoPhaseCommit(_) => return None,
    })
}

/// The same, with the checkpoint that it is about; nothing for what has no such name.
pub fn sign(kind: TokenKind) -> Option<String> {
    let number = match kind {
        TokenKind::Barrier(number)
        | TokenKind::Trigger(number)
        | TokenKind::Snapshot(number, _)
        | TokenKind::Decline(number, _)
        | TokenKind::Notification(number)
        | TokenKind::Abort(number)
        | TokenKind::Cancellation(number) => number,
        TokenKind::Record(_) | TokenKind::Message(_) | TokenKind::TwoPhaseCommit(_) => return None,
    };
    Some(format!("{} {number}", token(kind)?))
}

/// What happened in a step, in the textbook's names; nothing where it has none for it.
pub(super) fn told(lexicon: &Lexicon<'_>, events: &[Event]) -> String {
    let mut all: Vec<String> = Vec::new();
    for event in events {
        if let Some(says) = name(lexicon, event, events)
            && !all.contains(&says)
        {
            all.push(says);
        }
    }
    all.join(lexicon.lang.pick(" ", ""))
}

fn name(lexicon: &Lexicon<'_>, event: &Event, events: &[Event]) -> Option<String> {
    let lang = lexicon.lang;
    let who = |id| lexicon.node(id);
    Some(match (*event, lang) {
        // No sink hears of a savepoint that the job goes on after: nobody votes on anything.
        (Event::CheckpointTriggered { purpose: Purpose::Savepoint, .. }, _) => return None,
        (Event::CheckpointTriggered { .. }, Lang::En) => {
            "The coordinator sends VOTE_REQUEST to the participants.".to_owned()
        }
        (Event::CheckpointTriggered { .. }, Lang::Zh) => {
            "协调者向参与者发送 VOTE_REQUEST。".to_owned()
        }
        (Event::BarrierInjected { source: subtask, .. } | Event::BarrierForwarded { subtask, .. }, Lang::En) => {
            format!("{} passes VOTE_REQUEST on.", who(subtask))
        }
        (Event::BarrierInjected { source: subtask, .. } | Event::BarrierForwarded { subtask, .. }, Lang::Zh) => {
            format!("{} 传递 VOTE_REQUEST。", who(subtask))
        }
        (Event::ChannelBlocked { subtask, .. }, Lang::En) => {
            format!("VOTE_REQUEST has come to {} on one channel.", who(subtask))
        }
        (Event::ChannelBlocked { subtask, .. }, Lang::Zh) => {
            format!("VOTE_REQUEST 已从一个通道到达 {}。", who(subtask))
        }
        (Event::PreCommitted { subtask, .. }, Lang::En) => format!(
            "{} prepares: with its VOTE_COMMIT it gives up the right to abort, and is in doubt.",
            who(subtask)
        ),
        (Event::PreCommitted { subtask, .. }, Lang::Zh) => format!(
            "{} 进入准备状态：投出 VOTE_COMMIT 后不得自行中止，处于悬而未决。",
            who(subtask)
        ),
        (Event::SnapshotUploading { subtask, .. }, Lang::En) => {
            format!("VOTE_COMMIT of {} is on its way.", who(subtask))
        }
        (Event::SnapshotUploading { subtask, .. }, Lang::Zh) => {
            format!("{} 的 VOTE_COMMIT 在途中。", who(subtask))
        }
        (Event::SnapshotAcknowledged { subtask, .. }, Lang::En) => {
            format!("The coordinator has VOTE_COMMIT from {}.", who(subtask))
        }
        (Event::SnapshotAcknowledged { subtask, .. }, Lang::Zh) => {
            format!("协调者收到 {} 的 VOTE_COMMIT。", who(subtask))
        }
        (Event::CheckpointDeclined { subtask, .. }, Lang::En) => {
            format!("The coordinator has VOTE_ABORT from {}.", who(subtask))
        }
        (Event::CheckpointDeclined { subtask, .. }, Lang::Zh) => {
            format!("协调者收到 {} 的 VOTE_ABORT。", who(subtask))
        }
        (Event::CheckpointCompleted { .. }, Lang::En) => {
            "All have voted VOTE_COMMIT: the coordinator writes GLOBAL_COMMIT into its log. That is the decision.".to_owned()
        }
        (Event::CheckpointCompleted { .. }, Lang::Zh) => {
            "全体投了 VOTE_COMMIT：协调者把 GLOBAL_COMMIT 写入日志，这就是决定。".to_owned()
        }
        (Event::StoreRefused { .. }, Lang::En) => {
            "The coordinator could not log GLOBAL_COMMIT: there is no decision to commit.".to_owned()
        }
        (Event::StoreRefused { .. }, Lang::Zh) => {
            "协调者未能记下 GLOBAL_COMMIT：没有作出提交的决定。".to_owned()
        }
        (Event::CheckpointAborted { .. }, Lang::En) => {
            "The coordinator decides GLOBAL_ABORT. Flink’s participants keep what they have prepared for the next vote, unless the job fails.".to_owned()
        }
        (Event::CheckpointAborted { .. }, Lang::Zh) => {
            "协调者决定 GLOBAL_ABORT。除非作业失败，Flink 的参与者会把已准备的内容留给下一次表决。".to_owned()
        }
        (Event::CompletionNotified { subtask, .. }, Lang::En) => {
            format!("{} hears GLOBAL_COMMIT.", who(subtask))
        }
        (Event::CompletionNotified { subtask, .. }, Lang::Zh) => {
            format!("{} 收到 GLOBAL_COMMIT。", who(subtask))
        }
        (Event::AbortNotified { subtask, .. }, Lang::En) => {
            format!("{} hears GLOBAL_ABORT.", who(subtask))
        }
        (Event::AbortNotified { subtask, .. }, Lang::Zh) => {
            format!("{} 收到 GLOBAL_ABORT。", who(subtask))
        }
        (Event::NotificationLost { .. }, Lang::En) => {
            "GLOBAL_COMMIT was lost. The participant stays in doubt until it hears of the decision in another way.".to_owned()
        }
        (Event::NotificationLost { .. }, Lang::Zh) => {
            "GLOBAL_COMMIT 丢失。参与者悬而未决，直到以别的方式得知决定。".to_owned()
        }
        (Event::TransactionCommitted { subtask, .. }, Lang::En) => {
            format!("{} has committed, and is no longer in doubt.", who(subtask))
        }
        (Event::TransactionCommitted { subtask, .. }, Lang::Zh) => {
            format!("{} 已提交，不再悬而未决。", who(subtask))
        }
        (Event::JobRestored { checkpoint, .. }, Lang::En) if checkpoint.0 > 0 => {
            "The coordinator finds GLOBAL_COMMIT in its log, and tells the participants that were in doubt.".to_owned()
        }
        (Event::JobRestored { checkpoint, .. }, Lang::Zh) if checkpoint.0 > 0 => {
            "协调者在日志中找到 GLOBAL_COMMIT，告知悬而未决的参与者。".to_owned()
        }
        (Event::SubtaskCrashed { subtask, .. }, _) if events.len() == 1 => match lang {
            Lang::En => format!("A participant, {}, has crashed.", who(subtask)),
            Lang::Zh => format!("参与者 {} 崩溃。", who(subtask)),
        },
        (Event::JobManagerLost { .. }, Lang::En) => "The coordinator has crashed; its log is left.".to_owned(),
        (Event::JobManagerLost { .. }, Lang::Zh) => "协调者崩溃，日志仍在。".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use barrierscope_core::id::{CheckpointId, SubtaskId};

    #[test]
    fn every_message_of_a_checkpoint_has_a_name() {
        let two = CheckpointId(2);
        let signs = [
            (TokenKind::Trigger(two), "VOTE_REQUEST 2"),
            (TokenKind::Barrier(two), "VOTE_REQUEST 2"),
            (TokenKind::Snapshot(two, SubtaskId(0)), "VOTE_COMMIT 2"),
            (TokenKind::Decline(two, SubtaskId(0)), "VOTE_ABORT 2"),
            (TokenKind::Notification(two), "GLOBAL_COMMIT 2"),
            (TokenKind::Abort(two), "GLOBAL_ABORT 2"),
        ];
        for (kind, says) in signs {
            assert_eq!(sign(kind).as_deref(), Some(says));
        }
    }
}
