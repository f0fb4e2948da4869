//! What a sentence about an event depends on beside the event itself: who else is there, what the client is
//! set to, and what has happened before.

use barrierscope_core::event::KafkaEvent;
use barrierscope_core::id::{NodeId, RecordId};
use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::kafka::replicated_log::Acks;
use barrierscope_core::scene::{CellStatus, Facts, Health, Node};

use super::super::Lexicon;
use super::subject_of;
use super::tally::leaders;

/// What a sentence depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Circumstances {
    /// The client's producer has `acks=0`: nothing is confirmed to it.
    pub unconfirmed: bool,
    /// What the sentence is about has never run before.
    pub is_first: bool,
    /// It does not run.
    pub is_down: bool,
    /// Somebody else is in its group.
    pub has_others: bool,
    /// Its batches carry a producer id.
    pub is_idempotent: bool,
    /// It stores its offsets together with the effects of what it processes.
    pub stores_offsets: bool,
    /// The copies of the record that the leaders have.
    pub copies: Copies,
    /// Whoever reads the record reads what is not committed.
    pub reads_uncommitted: bool,
}

/// The copies of a record in the leaders' logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Copies {
    /// All of them.
    pub all: u32,
    /// Those of a transaction that was aborted.
    pub aborted: u32,
    /// Those of one that is not decided.
    pub open: u32,
}

impl Circumstances {
    /// Those of an event.
    pub(super) fn of(lexicon: &Lexicon<'_>, event: KafkaEvent) -> Self {
        let subject = subject_of(event);
        let node = subject.and_then(|id| find(lexicon.nodes, id));
        let name = node.map_or("", |node| node.name.as_str());
        Self {
            unconfirmed: lexicon.records.acks(name) == Some(Acks::None),
            is_first: match node.map(|node| &node.facts) {
                // Brokers and coordinators run from the start.
                Some(Facts::Producer(_) | Facts::Consumer(_) | Facts::Streams { .. }) => {
                    subject.is_some_and(|id| !lexicon.records.has_run_before(id))
                }
                _ => false,
            },
            is_down: node
                .is_some_and(|node| matches!(node.health, Health::Crashed | Health::Cancelled)),
            has_others: subject.is_some_and(|id| has_others(lexicon.nodes, id)),
            is_idempotent: matches!(
                node.map(|node| &node.facts),
                Some(Facts::Producer(view) | Facts::Streams { producer: view, .. }) if view.idempotent
            ) || matches!(
                node.map(|node| &node.facts),
                Some(Facts::Sink { producers, .. })
                    if lexicon.terms.transactional || producers.iter().any(|it| it.idempotent)
            ),
            stores_offsets: lexicon.records.stores_offsets(name),
            copies: record_of(event).map_or(Copies::default(), |id| copies(lexicon.nodes, id)),
            reads_uncommitted: matches!(
                node.map(|node| &node.facts),
                Some(Facts::Consumer(view)) if view.isolation == IsolationLevel::ReadUncommitted
            ),
        }
    }
}

fn find(nodes: &[Node], id: NodeId) -> Option<&Node> {
    nodes.iter().find(|node| node.id == id)
}

/// Whether somebody else is in the group of a client.
fn has_others(nodes: &[Node], client: NodeId) -> bool {
    let name = find(nodes, client).and_then(|node| match &node.facts {
        Facts::Consumer(view) | Facts::Streams { consumer: view, .. } => Some(view.group.as_str()),
        _ => None,
    });
    nodes.iter().any(|node| match &node.facts {
        Facts::Groups(view) => view.groups.iter().any(|group| {
            Some(group.name.as_str()) == name
                && group.members.iter().any(|member| *member != client)
        }),
        _ => false,
    })
}

/// The record of an event whose copies matter.
const fn record_of(event: KafkaEvent) -> Option<RecordId> {
    match event {
        KafkaEvent::Appended { record, .. }
        | KafkaEvent::Processed { record, .. }
        | KafkaEvent::Counted { record, .. } => Some(record),
        _ => None,
    }
}

fn copies(nodes: &[Node], record: RecordId) -> Copies {
    let mut found = Copies::default();
    for (_, entries) in leaders(nodes) {
        // A record that is passed on stands in several topics: what counts is where it is most often.
        let here = entries.iter().filter(|entry| entry.record == Some(record));
        let mut copies = Copies::default();
        for entry in here {
            copies.all += 1;
            copies.aborted += u32::from(entry.status == CellStatus::Aborted);
            copies.open += u32::from(entry.status == CellStatus::Open);
        }
        if copies.all > found.all {
            found = copies;
        }
    }
    found
}
