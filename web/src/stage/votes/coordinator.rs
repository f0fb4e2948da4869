//! The coordinator: its state, whose votes are in, whose acknowledgements are missing, and its log.

use barrierscope_core::commit::Vote;
use barrierscope_core::commit::coordinator::CoordinatorState;
use barrierscope_core::commit::log::Record;
use barrierscope_core::scene::votes::CommitterView;
use barrierscope_core::scene::{Health, Node};
use yew::{Html, classes, html};

use super::strip::{RECORD_H, strip};
use super::{dead, line};
use crate::stage::geometry::{Rect, point};
use crate::stage::lettering::{fitted, width_of};
use crate::stage::shape::{Anchor, rect, words};
use crate::text::votes::face;
use crate::text::{self, Label, Lang, label};

/// Between the edges of the box and what it holds.
const INSET: f64 = 12.0;
/// Where the first row begins.
const TOP: f64 = 36.0;
/// How wide a row's name is.
const NAME_W: f64 = 46.0;
/// How wide a participant's plate is at least, and at most.
const LEAST_W: f64 = 72.0;
const MOST_W: f64 = 132.0;
const PLATE_H: f64 = 19.0;
const GAP: f64 = 4.0;
/// Between the rows.
const APART: f64 = 7.0;

/// How many plates stand beside each other in a box of this width, and how many rows of them there are.
fn grid(w: f64, count: usize) -> (usize, usize) {
    let room = w - 2.0 * INSET - NAME_W + GAP;
    let most = ((room / (LEAST_W + GAP)).floor() as usize).max(1);
    let rows = count.div_ceil(most).max(1);
    (count.div_ceil(rows).max(1), rows)
}

/// How high the box is.
pub(super) fn height(w: f64, participants: usize) -> f64 {
    let (_, rows) = grid(w, participants);
    let plates = rows as f64 * (PLATE_H + GAP) - GAP;
    TOP + 2.0 * (plates + APART) + RECORD_H + 11.0
}

/// What a participant's plate says.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Missing,
    Commit,
    Abort,
    /// Nobody waits for it.
    Idle,
}

impl Sign {
    const fn class(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Commit | Self::Abort => "is-in",
            Self::Idle => "idle",
        }
    }

    const fn sign(self) -> &'static str {
        match self {
            Self::Missing => "…",
            Self::Commit => "✓",
            Self::Abort => "✕",
            Self::Idle => "",
        }
    }
}

fn vote(view: &CommitterView, vote: Option<Vote>) -> Sign {
    match (vote, view.state) {
        (Some(Vote::Commit), _) => Sign::Commit,
        (Some(Vote::Abort), _) => Sign::Abort,
        (None, CoordinatorState::Wait) => Sign::Missing,
        (None, _) => Sign::Idle,
    }
}

fn acknowledgement(view: &CommitterView, vote: Option<Vote>, owes: bool) -> Sign {
    let has_decided = matches!(
        view.state,
        CoordinatorState::Commit | CoordinatorState::Abort | CoordinatorState::End
    );
    // With presumed abort nobody acknowledges an abort, and no END is written.
    let is_ended = view.log.iter().any(|entry| entry.record == Record::End);
    let is_acknowledged = is_ended || !view.unacknowledged.is_empty();
    match (has_decided && is_acknowledged, owes, vote) {
        // Who has voted abort need not be told, and says nothing.
        (false, ..) | (true, false, Some(Vote::Abort)) => Sign::Idle,
        (true, true, _) => Sign::Missing,
        (true, false, _) => Sign::Commit,
    }
}

/// The inside of the coordinator's box.
pub(super) fn inside(
    lang: Lang,
    nodes: &[Node],
    place: &Rect,
    node: &Node,
    view: &CommitterView,
) -> Html {
    let is_up = node.health == Health::Running;
    let name = text::name(lang, node);
    let (look, state) = match (face::fate(lang, node.health), view.state) {
        (Some(fate), _) => ("down", fate),
        (None, state @ (CoordinatorState::Init | CoordinatorState::Wait)) => {
            ("free", face::coordinator_state(state))
        }
        (None, state) => ("sure", face::coordinator_state(state)),
    };
    let plate = Rect {
        x: INSET + width_of(&name) * 1.3 + 12.0,
        y: 7.0,
        w: width_of(state) * 1.1 + 18.0,
        h: 21.0,
    };
    let (columns, rows) = grid(place.w, view.votes.len());
    let room = place.w - 2.0 * INSET - NAME_W;
    let plate_w = ((room + GAP) / columns as f64 - GAP).min(MOST_W);
    let step = rows as f64 * (PLATE_H + GAP) - GAP + APART;
    let log_y = TOP + 2.0 * step;
    let waits_x = plate.right() + 10.0;
    let waits_room = place.w - INSET - waits_x - if is_up { 0.0 } else { 14.0 };
    let plates = |y: f64, signs: Vec<Sign>| {
        html! {
            for (at, (sign, (id, _))) in signs.into_iter().zip(&view.votes).enumerate() {
                { {
                    let spot = Rect {
                        x: INSET + NAME_W + (at % columns) as f64 * (plate_w + GAP),
                        y: y + (at / columns) as f64 * (PLATE_H + GAP),
                        w: plate_w,
                        h: PLATE_H,
                    };
                    let who = nodes.iter().find(|node| node.id == *id);
                    show(who.map_or("", |who| who.name.as_str()), sign, &spot)
                } }
            }
        }
    };
    let votes = view
        .votes
        .iter()
        .map(|(_, cast)| vote(view, *cast))
        .collect();
    let acks = (view.votes.iter())
        .map(|(id, cast)| acknowledgement(view, *cast, view.unacknowledged.contains(id)))
        .collect();
    let row = |y: f64, says: Label| line("label", INSET, y + 14.0, NAME_W - 2.0, label(lang, says));
    html! {
        <>
            { words("title", point(INSET, 22.0), Anchor::Start, name) }
            <g class={classes!("standing", look)}>
                { rect("body", &plate, 5.0) }
                { words("strong", point(plate.centre().x, 22.0), Anchor::Middle, state) }
            </g>
            { line("label", waits_x, 22.0, waits_room, &face::coordinator_waits(lang, node, view)) }
            if is_up {
                { row(TOP, Label::VotesIn) }
                { plates(TOP, votes) }
                { row(TOP + step, Label::AcksIn) }
                { plates(TOP + step, acks) }
            } else {
                { line("label", INSET, TOP + 14.0, place.w - 2.0 * INSET, label(lang, Label::MemoryLost)) }
            }
            { row(log_y - 1.0, Label::LogName) }
            if view.log.is_empty() {
                { line("label", INSET + NAME_W, log_y + 13.0, room, label(lang, Label::Empty)) }
            }
            { strip(&view.log, point(INSET + NAME_W, log_y), room) }
            { dead(place, node) }
        </>
    }
}

fn show(name: &str, sign: Sign, place: &Rect) -> Html {
    let x = place.x + 7.0;
    html! {
        <g class={classes!("due", sign.class())}>
            { rect("body", place, 4.0) }
            { words("", point(x, place.y + 13.5), Anchor::Start, fitted(name, place.w - 25.0)) }
            { words("sign", point(place.right() - 6.0, place.y + 13.5), Anchor::End, sign.sign()) }
        </g>
    }
}
