//! What somebody sees of Kafka's records, counted so that it adds up: records apart from copies, and what was
//! aborted apart from what is doubled.

use barrierscope_core::id::RecordId;
use barrierscope_core::scene::kafka::{Audience, AudienceView, EntryView};
use barrierscope_core::scene::{CellStatus, Facts, Node};
use barrierscope_core::verdict::Verdict;

use super::super::Lang;

/// What somebody sees, in numbers.
///
/// The records that are to be seen are those that are seen, that are lost, failed or stuck, and that are on
/// their way; whatever is seen beside them was aborted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many records are to be seen.
    pub expected: u32,
    /// How many of them are seen, each counted once.
    pub seen: u32,
    /// How many of them are seen more than once.
    pub doubled: u32,
    /// How many records are seen of which a copy is in a transaction that was aborted, or is not decided: none
    /// is due, or is a second time.
    pub aborted: u32,
    /// How many of them will never be seen.
    pub lost: u32,
    /// How many of them were not written, and whoever sent them was told so.
    pub failed: u32,
    /// How many of them are there, or will be sent, and nothing moves them on.
    pub stuck: u32,
    /// How many of them are on their way.
    pub waiting: u32,
    /// How many things are seen in all: each record as often as it is.
    pub copies: u32,
    /// Whether the run is over.
    pub done: bool,
}

/// What a run has kept for somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Nothing is seen yet, and nothing is wrong.
    Nothing,
    /// Each once, as far as they are seen; others are still to come.
    SoFar,
    /// Each once.
    Once,
    /// Nothing is wrong with them, but some do not come.
    Stuck,
    /// What was aborted is seen.
    Aborted,
    /// Some were not written, and whoever sent them was told so.
    Failed,
    /// Some are doubled.
    Doubled,
    /// Some are lost.
    Lost,
    /// Some are lost, others doubled.
    Neither,
}

impl Tally {
    /// Counts what somebody sees.
    pub fn of(nodes: &[Node], view: &AudienceView) -> Self {
        let verdict: &Verdict = &view.verdict;
        let reads_all = reads_uncommitted(nodes, view.audience);
        let (mut doubled, mut aborted, mut copies) = (0, 0, verdict.visible);
        for witness in verdict.witnesses.iter().filter(|it| it.copies > it.due) {
            // Those that are due are among the visible ones already, once each.
            copies += witness.copies - witness.due.min(1);
            let of_none = match reads_all {
                true => uncommitted(nodes, witness.record),
                false => 0,
            };
            match witness.due == 0 || witness.copies <= witness.due + of_none {
                true => aborted += 1,
                false => doubled += 1,
            }
        }
        Self {
            expected: verdict.expected,
            seen: verdict.visible,
            doubled,
            aborted,
            lost: verdict.lost,
            failed: verdict.failed,
            stuck: verdict.stuck,
            waiting: verdict.waiting,
            copies,
            done: verdict.done,
        }
    }

    /// What it comes to.
    pub const fn kept(&self) -> Kept {
        match (self.lost > 0, self.doubled > 0) {
            (true, true) => Kept::Neither,
            (true, false) => Kept::Lost,
            (false, true) => Kept::Doubled,
            (false, false) if self.aborted > 0 => Kept::Aborted,
            (false, false) if self.failed > 0 => Kept::Failed,
            (false, false) if self.stuck > 0 => Kept::Stuck,
            (false, false) if self.seen == 0 && self.expected > 0 => Kept::Nothing,
            (false, false) if self.waiting > 0 => Kept::SoFar,
            (false, false) => Kept::Once,
        }
    }

    /// What is not as it should be, or not yet, each with whether it is wrong.
    pub fn counts(&self, lang: Lang) -> Vec<(String, bool)> {
        let all = [
            (self.lost, lang.pick("lost", "丢失"), true),
            (self.doubled, lang.pick("doubled", "重复"), true),
            (
                self.aborted,
                lang.pick("aborted, seen", "已中止却可见"),
                true,
            ),
            (self.stuck, lang.pick("stuck", "卡住"), false),
            (self.failed, lang.pick("failed", "失败"), false),
            (self.waiting, lang.pick("on the way", "在途"), false),
        ];
        all.into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, word, wrong)| match lang {
                Lang::En => (format!("{count} {word}"), wrong),
                Lang::Zh => (format!("{word} {count}"), wrong),
            })
            .collect()
    }
}

impl Kept {
    /// What has been kept, in a word or two: that of a run, which may have been lucky.
    pub const fn word(self, lang: Lang) -> &'static str {
        match self {
            Self::Nothing => lang.pick("nothing yet", "尚无"),
            Self::SoFar => lang.pick("nothing lost or doubled", "无丢失，无重复"),
            Self::Once => lang.pick("exactly once in this run", "本次运行精确一次"),
            Self::Stuck => lang.pick("stuck", "卡住"),
            Self::Aborted => lang.pick("aborted data seen", "看到已中止的数据"),
            Self::Failed => lang.pick("failed, and told so", "失败，且已告知"),
            Self::Doubled => lang.pick("doubled in this run", "本次运行有重复"),
            Self::Lost => lang.pick("lost in this run", "本次运行有丢失"),
            Self::Neither => lang.pick("lost and doubled", "既有丢失又有重复"),
        }
    }

    /// Whether it is as it should be; neither where that cannot be said.
    pub const fn right(self) -> Option<bool> {
        match self {
            Self::Once => Some(true),
            Self::Nothing | Self::SoFar | Self::Stuck => None,
            Self::Aborted | Self::Failed | Self::Doubled | Self::Lost | Self::Neither => {
                Some(false)
            }
        }
    }
}

/// What a node sees, in numbers, if it is one that is judged.
pub fn of_node(nodes: &[Node], node: &Node) -> Option<Tally> {
    match &node.facts {
        Facts::Audience(view) => Some(Tally::of(nodes, view)),
        _ => None,
    }
}

/// Whether somebody sees what is not committed.
fn reads_uncommitted(nodes: &[Node], audience: Audience) -> bool {
    use barrierscope_core::kafka::log::IsolationLevel::ReadUncommitted;
    match audience {
        Audience::Reader(level) => level == ReadUncommitted,
        // The consumers of a group are alike.
        Audience::Effects(_) => nodes.iter().any(|node| {
            matches!(&node.facts, Facts::Consumer(view) if view.isolation == ReadUncommitted)
        }),
        Audience::Store(_) => false,
    }
}

/// How many copies of a record stand in the leaders' logs that are in a transaction that was aborted, or is
/// not decided.
fn uncommitted(nodes: &[Node], record: RecordId) -> u32 {
    let copies = leaders(nodes)
        .flat_map(|(_, entries)| entries)
        .filter(|entry| {
            entry.record == Some(record)
                && matches!(entry.status, CellStatus::Aborted | CellStatus::Open)
        });
    copies.count() as u32
}

/// The logs of the leaders.
pub(super) fn leaders(nodes: &[Node]) -> impl Iterator<Item = (&Node, &[EntryView])> {
    nodes.iter().filter_map(|node| match &node.facts {
        Facts::Replica(view) if view.leads => Some((node, view.entries.as_slice())),
        _ => None,
    })
}
