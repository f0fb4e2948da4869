//! What there is to say about two-phase commit.

mod choice;
mod en;
pub mod face;
mod fact;
pub mod plan;
pub mod property;
mod zh;

use barrierscope_core::commit::log::Record;
use barrierscope_core::commit::{Decision, Vote};
use barrierscope_core::event::{Event, VotesEvent};
use barrierscope_core::id::NodeId;
use barrierscope_core::scene::{Facts, Health, Node};

use super::{Lang, Lexicon};
pub(super) use choice::choice;
pub(super) use fact::{kind, rows};

/// What an event says happened.
pub(super) fn happened(
    lexicon: &Lexicon<'_>,
    event: VotesEvent,
    who: &dyn Fn(NodeId) -> String,
    events: &[Event],
) -> String {
    match lexicon.lang {
        Lang::En => en::happened(lexicon, event, who, events),
        Lang::Zh => zh::happened(lexicon, event, who, events),
    }
}

/// Why it matters; empty where it goes without saying.
pub(super) fn reason(lexicon: &Lexicon<'_>, event: VotesEvent) -> String {
    let here = Circumstances::of(lexicon, event);
    match lexicon.lang {
        Lang::En => en::reason(event, &here),
        Lang::Zh => zh::reason(event, &here),
    }
}

/// How much an event says about why a step matters.
pub(super) const fn weight(event: VotesEvent) -> u8 {
    use VotesEvent as E;
    match event {
        E::PropertyBroken { .. } => 17,
        // That somebody is blocked by a crash, or released by a return, matters more than either.
        E::Blocked { .. } | E::Released { .. } => 16,
        E::Crashed { .. } => 15,
        E::MessageLost { .. }
        | E::MessageDelayed { .. }
        | E::MessageDuplicated { .. }
        | E::Recovered { .. } => 13,
        // With presumed abort: that it need not be on disk.
        E::Written {
            record: Record::GlobalAbort | Record::VoteAbort,
            forced: false,
            ..
        } => 13,
        E::Decided { .. } => 12,
        E::Voted { .. } => 11,
        E::TimedOut { .. } | E::Unanswered { .. } => 10,
        E::Ended { .. } | E::Missed { .. } => 9,
        E::Written { forced: true, .. } => 8,
        E::Written { .. } | E::Ignored { .. } => 7,
        E::Begun { .. } | E::Forced { .. } => 6,
        E::Sent { .. } => 5,
        E::Received { .. } => 4,
    }
}

/// The node that an event is about.
pub(super) const fn subject_of(event: VotesEvent) -> NodeId {
    use VotesEvent as E;
    match event {
        E::Begun { coordinator } | E::Ended { coordinator } => coordinator,
        E::Sent { from, .. }
        | E::MessageLost { from, .. }
        | E::MessageDelayed { from, .. }
        | E::MessageDuplicated { from, .. } => from,
        E::Received { node, .. }
        | E::Ignored { node, .. }
        | E::Unanswered { node, .. }
        | E::Missed { node, .. }
        | E::Written { node, .. }
        | E::Forced { node, .. }
        | E::Voted { node, .. }
        | E::Decided { node, .. }
        | E::TimedOut { node, .. }
        | E::Blocked { node }
        | E::Released { node, .. }
        | E::Crashed { node, .. }
        | E::Recovered { node, .. }
        | E::PropertyBroken { node, .. } => node,
    }
}

/// Whether the sentence about an event begins with the node that it is about: only then may the next one call
/// it "it".
pub(super) const fn is_about_its_subject(event: VotesEvent) -> bool {
    use VotesEvent as E;
    !matches!(
        event,
        E::Begun { .. }
            | E::Missed { .. }
            | E::Blocked { .. }
            | E::Released { .. }
            | E::MessageLost { .. }
            | E::MessageDelayed { .. }
            | E::MessageDuplicated { .. }
            | E::PropertyBroken { .. }
    )
}

/// Whether the sentence about another event of the step tells of this one, too: who is blocked, or released, is
/// told of together.
pub(super) fn is_told_by_another(event: VotesEvent, events: &[Event]) -> bool {
    let first = events.iter().find_map(|other| match (event, other) {
        (VotesEvent::Blocked { .. }, Event::Votes(other @ VotesEvent::Blocked { .. })) => {
            Some(*other)
        }
        (
            VotesEvent::Released { by, .. },
            Event::Votes(other @ VotesEvent::Released { by: same, .. }),
        ) if by == *same => Some(*other),
        _ => None,
    });
    first.is_some_and(|first| first != event)
}

/// Those who are blocked by a step.
fn all_blocked(events: &[Event]) -> Vec<NodeId> {
    let all = events.iter().filter_map(|event| match event {
        Event::Votes(VotesEvent::Blocked { node }) => Some(*node),
        _ => None,
    });
    all.collect()
}

/// Those who are released by somebody in a step.
fn all_released(events: &[Event], who: NodeId) -> Vec<NodeId> {
    let all = events.iter().filter_map(|event| match event {
        Event::Votes(VotesEvent::Released { node, by }) if *by == who => Some(*node),
        _ => None,
    });
    all.collect()
}

/// What a sentence about why something matters depends on, beside the event.
struct Circumstances {
    /// Whether the event is about the coordinator.
    is_coordinator: bool,
    /// Whether participants in doubt ask each other.
    cooperative: bool,
    /// Whether an abort leaves no record.
    presumed_abort: bool,
    /// A participant that runs and knows the decision.
    knows: Option<String>,
    /// What the coordinator has decided.
    decision: Option<Decision>,
    /// Whether the node that the event is about has decided by itself.
    voted_abort: bool,
}

impl Circumstances {
    fn of(lexicon: &Lexicon<'_>, event: VotesEvent) -> Self {
        let subject = subject_of(event);
        let (mut knows, mut decision) = (None, None);
        let (mut is_coordinator, mut voted_abort) = (false, false);
        for node in lexicon.nodes {
            match &node.facts {
                Facts::Committer(view) => {
                    decision = view.decision;
                    is_coordinator = node.id == subject;
                }
                Facts::Participant(view) => {
                    let runs = node.health == Health::Running;
                    if runs && view.decision.is_some() && node.id != subject {
                        knows.get_or_insert_with(|| node.name.clone());
                    }
                    if node.id == subject {
                        voted_abort = face::cast(view) == Some(Vote::Abort);
                    }
                }
                _ => {}
            }
        }
        Self {
            is_coordinator,
            cooperative: lexicon.terms.cooperative,
            presumed_abort: lexicon.terms.presumed_abort,
            knows,
            decision,
            voted_abort,
        }
    }
}

/// Names of nodes, one after the other.
pub fn names(lang: Lang, nodes: &[Node], ids: &[NodeId]) -> String {
    let find = |id: &NodeId| nodes.iter().find(|node| node.id == *id);
    let names: Vec<String> = (ids.iter().filter_map(find))
        .map(|node| super::name(lang, node))
        .collect();
    match (lang, names.as_slice()) {
        (Lang::Zh, names) => names.join("、"),
        (Lang::En, [one]) => one.clone(),
        (Lang::En, [some @ .., last]) => format!("{} and {last}", some.join(", ")),
        (Lang::En, []) => String::new(),
    }
}
