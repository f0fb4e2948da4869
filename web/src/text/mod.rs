//! Every word on the page, in English and in Chinese.
//!
//! What is said about an event, a fact or a choice is a `match` over the core's own types, so that a
//! missing sentence does not compile. Terms are those of Kafka, Flink and their users.

pub mod beside;
pub mod checkpoint;
mod choice;
pub mod claims;
pub mod comparison;
mod event;
pub mod face;
mod fact;
pub mod family;
pub mod fault_matrix;
mod finding;
pub mod gallery;
pub mod job;
pub mod kafka;
mod label;
pub mod lesson;
pub mod life;
mod mark;
pub mod names;
mod number;
pub mod option;
pub mod search;
pub mod sink;
pub mod spacetime;
pub mod ticket;
pub mod verdict;
pub mod votes;
pub mod withheld;

use barrierscope_core::flink::coordinator::Purpose;
use barrierscope_core::flink::table_committer::Committable;
use barrierscope_core::id::{CheckpointId, NodeId, RecordId};
use barrierscope_core::kafka::replicated_log::Acks;
use barrierscope_core::scene::{Facts, JobView, Node, Place, TokenKind};

use crate::state::titled;
pub use choice::{choice, done};
pub use event::{Telling, is_notable, is_striking, subject_of, tell};
pub use fact::{Row, fate, headline, kind, rows, wire};
pub use finding::findings;
pub use label::{Label, label};
pub use mark::mark;
pub use number::{bytes, duration, number, seconds, speed};
pub use verdict::{Account, Summary, account, summary};

/// An English sentence with a capital letter, if it begins with a word of ours: a name that a scenario gives stays as it is,
/// and so does an option's.
fn capital(sentence: &str) -> String {
    let begins = [
        ("the ", "The "),
        ("broker ", "Broker "),
        ("group ", "Group "),
        ("checkpoint ", "Checkpoint "),
        ("somebody ", "Somebody "),
        ("retention ", "Retention "),
    ];
    let found = begins
        .iter()
        .find_map(|(small, large)| Some(format!("{large}{}", sentence.strip_prefix(small)?)));
    found.unwrap_or_else(|| sentence.to_owned())
}

/// A language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Chinese, in simplified characters.
    Zh,
}

impl Lang {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// The code that HTML and the address use.
    pub const fn code(self) -> &'static str {
        self.pick("en", "zh")
    }

    /// The language of a code such as `zh-CN`.
    pub fn of(code: &str) -> Option<Self> {
        match code.get(..2)? {
            "en" => Some(Self::En),
            "zh" => Some(Self::Zh),
            _ => None,
        }
    }

    /// One of two wordings.
    pub const fn pick<T: Copy>(self, en: T, zh: T) -> T {
        match self {
            Self::En => en,
            Self::Zh => zh,
        }
    }
}

/// What a run knows that is told.
pub trait Records {
    /// The key and the value of a record.
    fn record(&self, id: RecordId) -> Option<(String, u64)>;
    /// What a checkpoint was triggered for.
    fn purpose(&self, checkpoint: CheckpointId) -> Option<Purpose>;
    /// What an application's producer waits for, by the application's name; none for whoever has none.
    fn acks(&self, client: &str) -> Option<Acks>;
    /// Whether an application's consumer stores its offsets together with the effects of what it processes.
    fn stores_offsets(&self, client: &str) -> bool;
    /// Whether some consumer begins at the end where it finds no committed offset.
    fn begins_at_the_end(&self) -> bool;
    /// Whether a broker has taken the batch of a record for another one.
    fn was_mistaken(&self, id: RecordId) -> bool;
    /// How a transactional id is called that an event names by its number.
    fn transactional_id(&self, number: u32) -> Option<String>;
    /// Whether a client or a broker has run before the step that is told about.
    fn has_run_before(&self, node: NodeId) -> bool;
}

/// The settings on which sentences depend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Nothing waits for barriers: records behind them may get into the state before the snapshot.
    pub at_least_once: bool,
    /// Sinks write in transactions.
    pub transactional: bool,
    /// The sink's transactional ids are used again when their transactions are committed.
    pub pooling: bool,
    /// The textbook's names of two-phase commit are wanted beside Flink's.
    pub textbook: bool,
    /// How many checkpoints in a row may fail.
    pub tolerable: u32,
    /// In two-phase commit: participants in doubt ask each other.
    pub cooperative: bool,
    /// In two-phase commit: whoever finds no record of a transaction takes it for aborted.
    pub presumed_abort: bool,
}

/// Knows what things are called.
#[derive(Clone, Copy)]
pub struct Lexicon<'a> {
    /// In which language.
    pub lang: Lang,
    /// The nodes on the stage.
    pub nodes: &'a [Node],
    /// The records of the workload.
    pub records: &'a dyn Records,
    /// How the job is set.
    pub terms: Terms,
}

impl Lexicon<'_> {
    /// What a node is called in a sentence.
    pub fn node(&self, id: NodeId) -> String {
        match self.nodes.iter().find(|node| node.id == id) {
            Some(node) => match (&node.facts, self.lang) {
                (Facts::Committer(_), Lang::En) => format!("the {}", name(Lang::En, node)),
                _ => kafka::name(self.lang, self.nodes, node),
            },
            None => format!("#{id}"),
        }
    }

    /// Whether a node is a sink: nothing is downstream of it.
    fn is_sink(&self, id: NodeId) -> bool {
        let node = self.nodes.iter().find(|node| node.id == id);
        node.is_some_and(|node| matches!(node.facts, Facts::Sink { .. }))
    }

    /// Whether a node is a sink that has a transaction open, or some that wait for a commit.
    fn has_transaction(&self, id: NodeId) -> bool {
        self.terms.transactional && self.is_sink(id)
    }

    /// Whether the job has failed, and is not restarted any more.
    fn has_failed(&self) -> bool {
        self.nodes.iter().any(|node| {
            matches!(
                node.facts,
                Facts::Coordinator {
                    job: JobView::Failed,
                    ..
                }
            )
        })
    }

    /// What a checkpoint was triggered for.
    fn purpose(&self, checkpoint: CheckpointId) -> Purpose {
        self.records.purpose(checkpoint).unwrap_or_default()
    }

    /// A record in a sentence: its key and its value; among Kafka's clients and brokers, its number and
    /// its key.
    pub fn record(&self, id: RecordId) -> String {
        let all = kafka::records(self.nodes);
        if all > 0 {
            let key = self.records.record(id).map(|(key, _)| key);
            let number = kafka::face::number(id, all);
            return key.map_or_else(|| format!("#{number}"), |key| format!("#{number} {key}"));
        }
        match self.records.record(id) {
            Some((key, value)) => {
                let value = number(value);
                match self.lang {
                    Lang::En => format!("{key} ({value})"),
                    Lang::Zh => format!("{key}（{value}）"),
                }
            }
            None => match (Committable::of(id), self.lang) {
                (Some(_), Lang::En) => "a committable".to_owned(),
                (Some(_), Lang::Zh) => "committable".to_owned(),
                (None, _) => format!("#{id}"),
            },
        }
    }

    /// Something that moves, in a sentence.
    pub fn token(&self, token: TokenKind) -> String {
        let zh = self.lang == Lang::Zh;
        match token {
            TokenKind::Record(record) => self.record(record),
            TokenKind::Barrier(n) => format!("barrier {n}"),
            TokenKind::Trigger(n) if zh => format!("触发检查点 {n} 的消息"),
            TokenKind::Trigger(n) => format!("the request to start checkpoint {n}"),
            TokenKind::Snapshot(n, _) if zh => format!("检查点 {n} 的快照"),
            TokenKind::Snapshot(n, _) => format!("a snapshot for checkpoint {n}"),
            TokenKind::Notification(n) if zh => format!("检查点 {n} 已完成的通知"),
            TokenKind::Notification(n) => format!("the message that checkpoint {n} is complete"),
            TokenKind::Abort(n) if zh => format!("检查点 {n} 被放弃的通知"),
            TokenKind::Abort(n) => format!("the message that checkpoint {n} is given up"),
            TokenKind::Decline(n, _) if zh => format!("拒绝检查点 {n} 的消息"),
            TokenKind::Decline(n, _) => format!("the message that checkpoint {n} is declined"),
            TokenKind::Cancellation(n) if zh => format!("检查点 {n} 的取消标记"),
            TokenKind::Cancellation(n) => format!("the cancellation marker of checkpoint {n}"),
            TokenKind::Message(message) => self.message(message),
            TokenKind::TwoPhaseCommit(message) => message.name().to_owned(),
        }
    }
}

/// What a node is called: a subtask by its operator and its number, counted from 1 as Flink does.
pub fn name(lang: Lang, node: &Node) -> String {
    match (&node.facts, node.place) {
        (Facts::Coordinator { .. }, _) => label(lang, Label::Coordinator).to_owned(),
        (Facts::Store { .. }, _) => label(lang, Label::Store).to_owned(),
        (Facts::Input { .. } | Facts::Output { .. }, _) => {
            format!("{} · {}", node.name, node.number)
        }
        (Facts::Transactions(_), _) => label(lang, Label::Transactions).to_owned(),
        (Facts::Groups(_), _) => label(lang, Label::Groups).to_owned(),
        (Facts::Committer(_), _) => label(lang, Label::Committer).to_owned(),
        (Facts::Participant(_), _) => node.name.clone(),
        (Facts::Replica(replica), _) => {
            format!("{}-{} · broker {}", node.name, node.number, replica.broker)
        }
        (Facts::Audience(view), _) => kafka::face::audience(lang, view.audience, &node.name),
        (Facts::Producer(_) | Facts::Consumer(_) | Facts::Streams { .. }, _) => node.name.clone(),
        (_, Place::Flow { .. }) => format!("{} {}/{}", node.name, node.number + 1, node.of),
        _ => node.name.clone(),
    }
}

/// The name of a scenario: that of those that come with the page in both languages, any other as its
/// author wrote it.
pub fn scenario(lang: Lang, name: &str) -> String {
    let mut known = [
        Label::Story,
        Label::OrdersStory,
        Label::CountingStory,
        Label::SinkStory,
        Label::VotesStory,
        Label::CooperativeStory,
        Label::SmallPipeline,
        Label::SmallSink,
        Label::SmallDelivery,
        Label::SmallStreams,
        Label::SmallVotes,
    ]
    .into_iter();
    let found = known.find(|story| name == label(Lang::En, *story));
    let found = found.map(|story| label(lang, story));
    let found = found.or_else(|| titled(lang, name)).map(str::to_owned);
    let found = found.or_else(|| fault_matrix::title(lang, name));
    found.unwrap_or_else(|| name.to_owned())
}

/// A message of the core's, which speaks English: in another language it is quoted.
pub fn original(lang: Lang, message: &str) -> String {
    match lang {
        Lang::En => message.to_owned(),
        Lang::Zh => format!("原文：“{message}”"),
    }
}

/// The number of the checkpoint interval that follows.
const fn after(checkpoint: CheckpointId) -> CheckpointId {
    checkpoint.next()
}

/// `s` unless there is exactly one.
const fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
