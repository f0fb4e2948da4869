//! The stage of the model *votes*: the coordinator above, the participants side by side below it, and what each
//! has in its log.

pub mod arrange;
mod coordinator;
mod participant;
mod strip;
mod ways;

use barrierscope_core::commit::message::Message;
use barrierscope_core::scene::{Facts, Health, Node, Scene};
use yew::{Html, html};

use super::geometry::{Path, Rect, point, px};
use super::layout::Layout;
use super::lettering::{fitted, width_of};
use super::shape::{Anchor, cross, stroke, words};
use crate::text::Lang;

/// Whether a scene is one of this model's.
pub fn is_votes(scene: &Scene) -> bool {
    let is_committer = |node: &Node| matches!(node.facts, Facts::Committer(_));
    scene.nodes.iter().any(is_committer)
}

/// The inside of a process; none for any other node.
pub fn inside(lang: Lang, nodes: &[Node], place: &Rect, node: &Node) -> Option<Html> {
    Some(match &node.facts {
        Facts::Committer(view) => coordinator::inside(lang, nodes, place, node, view),
        Facts::Participant(view) => participant::inside(lang, nodes, place, node, view),
        _ => return None,
    })
}

/// How a message on its way looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Which colour: the phase that it belongs to.
    pub phase: usize,
    /// How round its corners are: a question or an acknowledgement is round, a vote or a decision has corners.
    pub corner: f64,
    /// Whether it is for good: a vote or a decision, not a question.
    pub solid: bool,
    /// What stands before its name.
    pub sign: &'static str,
}

/// The colours of the phases, among those of the epochs.
const VOTING: usize = 0;
const COMMIT: usize = 2;
const TERMINATION: usize = 3;

const ROUND: f64 = 8.0;
const SQUARE: f64 = 2.5;

impl Look {
    /// How a message looks.
    pub const fn of(message: Message) -> Self {
        let (phase, corner, solid, sign) = match message {
            Message::VoteRequest => (VOTING, ROUND, false, ""),
            Message::VoteCommit => (VOTING, SQUARE, true, "✓ "),
            Message::VoteAbort => (VOTING, SQUARE, true, "✕ "),
            Message::GlobalCommit => (COMMIT, SQUARE, true, "✓ "),
            Message::GlobalAbort => (COMMIT, SQUARE, true, "✕ "),
            Message::Ack => (COMMIT, ROUND, false, ""),
            Message::DecisionRequest => (TERMINATION, ROUND, false, ""),
        };
        Self {
            phase,
            corner,
            solid,
            sign,
        }
    }
}

/// The pattern of what is in doubt.
const DOUBT: &str = "url(#in-doubt)";

/// Who talks to whom: faint lines; and from each who is blocked, to each whose return releases it.
pub fn links(scene: &Scene, layout: &Layout) -> Html {
    let all = || scene.nodes.iter().zip(&layout.nodes);
    let find = |id| all().find(|(node, _)| node.id == id);
    let ways = (scene.links.iter().zip(&layout.tracks)).filter(|(wire, track)| {
        let is_control = |id| find(id).is_some_and(|(node, _)| is_committer(node));
        track.is_of(wire) && (is_control(wire.from) || is_control(wire.to))
    });
    let blocked = all().filter_map(|(node, _)| match &node.facts {
        Facts::Participant(view) => Some((node.id, view.blocked_by.as_slice())),
        _ => None,
    });
    let waits: Vec<Path> = blocked
        .flat_map(|(id, by)| by.iter().map(move |by| (id, *by)))
        .filter_map(|(id, by)| {
            let mut tracks = scene.links.iter().zip(&layout.tracks);
            let (_, track) = tracks.find(|(wire, _)| wire.from == id && wire.to == by)?;
            Some(track.path.clone())
        })
        .collect();
    html! {
        <>
            <defs>
                <pattern id="in-doubt" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <path class="doubt-line" d="M0 0v6" />
                </pattern>
                <pattern id="in-memory" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                    <path class="memory-line" d="M0 0v5" />
                </pattern>
            </defs>
            for (_, track) in ways {
                { stroke("way talks", track.path.outline().to_owned()) }
            }
            for path in waits {
                { stroke("way waits-for", path.outline().to_owned()) }
            }
        </>
    }
}

const fn is_committer(node: &Node) -> bool {
    matches!(node.facts, Facts::Committer(_))
}

/// A box with a pattern over its colour.
fn hatched(place: &Rect, corner: f64, pattern: &'static str) -> Html {
    html! {
        <rect
            fill={pattern}
            x={px(place.x)}
            y={px(place.y)}
            width={px(place.w)}
            height={px(place.h)}
            rx={px(corner)}
        />
    }
}

/// The cross at the corner of what is down.
fn dead(place: &Rect, node: &Node) -> Html {
    if node.health == Health::Running {
        return html! {};
    }
    cross(place)
}

/// A line of small words, cut down to the room that there is.
fn line(class: &'static str, x: f64, y: f64, room: f64, text: &str) -> Html {
    words(class, point(x, y), Anchor::Start, fitted(text, room))
}

/// Words in lines that fit into the room that there is, as far as spaces allow.
fn wrapped(text: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width_of(line) + width_of(word) + 4.6 <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
