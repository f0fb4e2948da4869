//! What there is to say about Kafka's clients, brokers and coordinators.

mod choice;
mod circumstances;
mod en;
pub mod face;
mod fact;
mod loss;
pub mod matrix;
mod stuck;
pub mod tally;
mod zh;

use barrierscope_core::event::KafkaEvent;
use barrierscope_core::id::{NodeId, PartitionId};
use barrierscope_core::scenario::delivery::{Api, Part};
use barrierscope_core::scene::kafka::{Audience, Message};
use barrierscope_core::scene::{Facts, Node};

use super::{Lang, Lexicon};
pub(super) use choice::choice;
use circumstances::Circumstances;
pub(super) use fact::{kind, own_producer, rows};
pub use loss::why_lost;
pub use stuck::stuck_behind;

/// The name of a request in Kafka's protocol.
pub const fn api(api: Api) -> &'static str {
    match api {
        Api::Produce => "Produce",
        Api::InitProducerId => "InitProducerId",
        Api::AddPartitionsToTxn => "AddPartitionsToTxn",
        Api::AddOffsetsToTxn => "AddOffsetsToTxn",
        Api::TxnOffsetCommit => "TxnOffsetCommit",
        Api::EndTxn => "EndTxn",
        Api::OffsetCommit => "OffsetCommit",
    }
}

/// What an event says happened.
pub(super) fn happened(
    lexicon: &Lexicon<'_>,
    event: KafkaEvent,
    who: &dyn Fn(NodeId) -> String,
) -> String {
    let here = Circumstances::of(lexicon, event);
    match lexicon.lang {
        Lang::En => en::happened(lexicon, event, who, &here),
        Lang::Zh => zh::happened(lexicon, event, who, &here),
    }
}

/// Why it matters; empty where it goes without saying.
pub(super) fn reason(lexicon: &Lexicon<'_>, event: KafkaEvent) -> String {
    let here = Circumstances::of(lexicon, event);
    match lexicon.lang {
        Lang::En => en::reason(event, &here),
        Lang::Zh => zh::reason(event, &here),
    }
    .into_owned()
}

/// How much an event says about why a step matters.
pub(super) const fn weight(event: KafkaEvent) -> u8 {
    use KafkaEvent as E;
    match event {
        E::Crashed { .. } | E::LogLost { .. } => 15,
        E::Paused { .. }
        | E::Stopped { .. }
        | E::ClockSteppedBack { .. }
        | E::MessageLost { .. }
        | E::Elected { clean: false, .. }
        | E::Deduplicated { mistaken: true, .. } => 14,
        E::Appended { again: true, .. }
        | E::Elected { .. }
        | E::Truncated { .. }
        | E::Fenced { .. }
        | E::GivenUp { .. }
        | E::Skipped { .. }
        | E::NoOffset { .. }
        | E::TooLarge { .. }
        | E::StragglerArrived { .. }
        | E::Reinitialized { .. }
        | E::TransactionTimedOut { .. }
        | E::OffsetsExpired { .. } => 13,
        E::Deduplicated { .. }
        | E::Processed { times: 2.., .. }
        | E::Counted { times: 2.., .. }
        | E::OffsetCommitted {
            backwards: true, ..
        }
        | E::MessageDelayed { .. }
        | E::Resumed { .. }
        | E::Left { .. }
        | E::Deleted { .. }
        | E::ProducerForgotten { .. } => 12,
        E::Refused { .. }
        | E::TransactionRefused { .. }
        | E::CommitRefused { .. }
        | E::MarkerRefused { .. }
        | E::RequestTimedOut { .. }
        | E::Disconnected { .. }
        | E::MustAbort { .. }
        | E::FellBehind { .. } => 11,
        E::TransactionLogged { .. }
        | E::MarkerWritten { .. }
        | E::Rebalanced { .. }
        | E::StoreReady { .. }
        | E::WillRetry { .. }
        | E::Sent { again: true, .. } => 9,
        E::Started { .. }
        | E::TransactionEnded { .. }
        | E::OffsetsDecided { .. }
        | E::Identified { .. }
        | E::Assigned { .. }
        | E::Transmitted { attempt: 2.., .. } => 8,
        E::TransactionBegun { .. } | E::OffsetCommitted { .. } | E::Joined { .. } => 6,
        E::Appended { .. } | E::Replicated { joined: true, .. } => 5,
        E::Acknowledged { .. } | E::Polled { .. } | E::Processed { .. } | E::Counted { .. } => 3,
        E::Sent { .. } | E::Transmitted { .. } => 2,
        E::Ending { .. } | E::AutoCommits { .. } | E::Overdue { .. } => 4,
        E::Asked { .. }
        | E::Taken { .. }
        | E::Granted { .. }
        | E::Begun { .. }
        | E::Replicated { .. }
        | E::Scanned { .. } => 1,
    }
}

/// The node that an event is about.
pub(super) const fn subject_of(event: KafkaEvent) -> Option<NodeId> {
    use KafkaEvent as E;
    match event {
        E::Sent { client, .. }
        | E::TooLarge { client, .. }
        | E::Transmitted { client, .. }
        | E::Acknowledged { client, .. }
        | E::WillRetry { client, .. }
        | E::GivenUp { client, .. }
        | E::RequestTimedOut { client, .. }
        | E::Disconnected { client, .. }
        | E::Identified { client, .. }
        | E::Asked { client, .. }
        | E::Taken { client, .. }
        | E::Granted { client, .. }
        | E::Ending { client, .. }
        | E::Begun { client, .. }
        | E::AutoCommits { client }
        | E::MessageLost { client, .. }
        | E::MessageDelayed { client, .. }
        | E::StragglerArrived { client, .. }
        | E::TransactionBegun { client, .. }
        | E::TransactionEnded { client, .. }
        | E::MustAbort { client, .. }
        | E::Reinitialized { client }
        | E::Fenced { client, .. }
        | E::TransactionRefused { client, .. }
        | E::Joined { client, .. }
        | E::Left { client, .. }
        | E::Assigned { client, .. }
        | E::NoOffset { client, .. }
        | E::Polled { client, .. }
        | E::Skipped { client, .. }
        | E::Processed { client, .. }
        | E::Counted { client, .. }
        | E::OffsetCommitted { client, .. }
        | E::CommitRefused { client, .. }
        | E::StoreReady { client, .. } => Some(client),
        E::Appended { leader, .. }
        | E::Deduplicated { leader, .. }
        | E::Refused { leader, .. }
        | E::MarkerWritten { leader, .. } => Some(leader),
        E::Replicated { follower, .. } => Some(follower),
        E::Truncated { replica, .. }
        | E::FellBehind { replica, .. }
        | E::Elected { replica, .. } => Some(replica),
        E::TransactionLogged { coordinator, .. }
        | E::TransactionTimedOut { coordinator, .. }
        | E::Scanned { coordinator, .. }
        | E::Overdue { coordinator, .. }
        | E::ClockSteppedBack { coordinator, .. } => Some(coordinator),
        E::Crashed { node }
        | E::Stopped { node }
        | E::Started { node }
        | E::Paused { node }
        | E::Resumed { node }
        | E::LogLost { node } => Some(node),
        E::ProducerForgotten { .. }
        | E::MarkerRefused { .. }
        | E::OffsetsDecided { .. }
        | E::Rebalanced { .. }
        | E::OffsetsExpired { .. }
        | E::Deleted { .. } => None,
    }
}

/// Whether the sentence about an event begins with the node that it is about: only then may the next one
/// call it "it".
pub(super) const fn is_about_its_subject(event: KafkaEvent) -> bool {
    use KafkaEvent as E;
    !matches!(
        event,
        E::TooLarge { .. }
            | E::RequestTimedOut { .. }
            | E::Disconnected { .. }
            | E::MessageLost { .. }
            | E::MessageDelayed { .. }
            | E::StragglerArrived { .. }
            | E::TransactionRefused { .. }
            | E::CommitRefused { .. }
            | E::MarkerWritten { .. }
            | E::Polled { .. }
            | E::Taken { .. }
            | E::Overdue { .. }
            | E::ClockSteppedBack { .. }
            | E::TransactionTimedOut { .. }
    )
}

/// A partition, as Kafka writes it: `orders-0`.
pub fn partition(nodes: &[Node], id: PartitionId) -> String {
    let found = nodes.iter().find_map(|node| match &node.facts {
        Facts::Replica(replica) if replica.partition == id => {
            Some(format!("{}-{}", node.name, node.number))
        }
        _ => None,
    });
    found.unwrap_or_else(|| format!("#{id}"))
}

/// How many records the producers send; 0 where there are none of Kafka's.
pub fn records(nodes: &[Node]) -> u32 {
    let of = |node: &Node| match &node.facts {
        Facts::Producer(view) => view.records,
        _ => 0,
    };
    nodes.iter().map(of).sum()
}

/// What a node is called among the others; who sees something has the name of its group or application.
pub fn name(lang: Lang, nodes: &[Node], node: &Node) -> String {
    let Facts::Audience(view) = &node.facts else {
        return super::name(lang, node);
    };
    let found = match view.audience {
        Audience::Reader(_) => None,
        Audience::Effects(group) => nodes.iter().find_map(|node| match &node.facts {
            Facts::Groups(view) => {
                let group = view.groups.get(usize::from(group))?;
                Some(group.name.as_str())
            }
            _ => None,
        }),
        Audience::Store(number) => (nodes.iter())
            .filter(|node| matches!(node.facts, Facts::Streams { .. }))
            .nth(usize::from(number))
            .map(|node| node.name.as_str()),
    };
    face::audience(lang, view.audience, found.unwrap_or_default())
}

impl Lexicon<'_> {
    /// A partition, as Kafka writes it: `orders-0`.
    pub fn partition(&self, id: PartitionId) -> String {
        partition(self.nodes, id)
    }

    /// What dies as a whole: for a replica, its broker.
    pub(super) fn machine(&self, id: NodeId) -> String {
        match self.nodes.iter().find(|node| node.id == id) {
            Some(node) => match &node.facts {
                Facts::Replica(replica) => format!("broker {}", replica.broker),
                Facts::Transactions(_) | Facts::Groups(_) if self.lang == Lang::En => {
                    format!("the {}", super::name(self.lang, node))
                }
                _ => super::name(self.lang, node),
            },
            None => format!("#{id}"),
        }
    }

    /// The name of a group.
    fn group(&self, number: u16) -> String {
        let found = self.nodes.iter().find_map(|node| match &node.facts {
            Facts::Groups(view) => view.groups.get(usize::from(number)),
            _ => None,
        });
        let name = found.map_or_else(|| format!("#{number}"), |group| group.name.clone());
        match self.lang {
            Lang::En => format!("group {name}"),
            Lang::Zh => format!("组 {name}"),
        }
    }

    /// How a transactional id is called that an event names by its number: also one that the coordinator does not
    /// know yet.
    pub(super) fn transactional_id(&self, number: u32) -> String {
        let mut rows = self.nodes.iter().flat_map(|node| match &node.facts {
            Facts::Transactions(view) => view.rows.as_slice(),
            _ => &[],
        });
        let found = rows.find(|row| row.number == number);
        found
            .map(|row| row.transactional_id.clone())
            .or_else(|| self.records.transactional_id(number))
            .unwrap_or_else(|| format!("#{number}"))
    }

    /// A message in a sentence.
    pub(super) fn message(&self, message: Message) -> String {
        let name = api(message.api);
        let about = match (message.record, message.records) {
            (Some(first), 0 | 1) => format!(" {}", self.record(first)),
            (Some(first), more) => format!(" {} +{}", self.record(first), more - 1),
            (None, _) => String::new(),
        };
        let outcome = message
            .outcome
            .map_or("", |outcome| face::outcome(self.lang, outcome));
        let part = match (message.part, message.success, self.lang) {
            (Part::Request, _, Lang::En) => "request",
            (Part::Request, _, Lang::Zh) => "请求",
            (Part::Response, true, Lang::En) => "response: success",
            (Part::Response, true, Lang::Zh) => "响应：成功",
            (Part::Response, false, Lang::En) => "response: error",
            (Part::Response, false, Lang::Zh) => "响应：错误",
        };
        let late = match (message.late, self.lang) {
            (false, _) => "",
            (true, Lang::En) => ", given up by its client",
            (true, Lang::Zh) => "，客户端已放弃",
        };
        let gap = if outcome.is_empty() { "" } else { " " };
        format!("{name}{about}{gap}{outcome} {part}{late}")
    }
}
