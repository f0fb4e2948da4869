//! A participant: its state, its vote, what it waits for, and its log.

use barrierscope_core::commit::participant::ParticipantState;
use barrierscope_core::scene::votes::ParticipantView;
use barrierscope_core::scene::{Health, Node};
use yew::{Html, classes, html};

use super::strip::strip;
use super::{DOUBT, dead, hatched, line, wrapped};
use crate::stage::geometry::{Rect, point};
use crate::stage::lettering::{fitted, width_of};
use crate::stage::shape::{Anchor, rect, words};
use crate::text::Lang;
use crate::text::votes::face;

/// Between the edges of a box and what it holds.
const INSET: f64 = 10.0;
/// Where the log begins.
const LOG: f64 = 121.0;
/// From one line of small words to the next, and so many of them there may be.
const PITCH: f64 = 14.5;
const LINES: usize = 3;

/// A box lower than this has no room for lines below each other.
const LOW: f64 = 100.0;
/// In a low one: how wide the state's plate is.
const PLATE_W: f64 = 128.0;
/// And how much of its last line a record takes.
const BESIDE: f64 = 112.0;
/// By so much bold words are wider.
const BOLD: f64 = 1.12;

/// The inside of a participant's box.
pub(super) fn inside(
    lang: Lang,
    nodes: &[Node],
    place: &Rect,
    node: &Node,
    view: &ParticipantView,
) -> Html {
    let room = place.w - 2.0 * INSET;
    let is_blocked = view.blocked_since.is_some();
    let waits = face::waits(lang, nodes, node, view);
    let class = if is_blocked { "label stuck" } else { "label" };
    let vote = face::vote(lang, view);
    let gate = Rect {
        x: 6.0,
        y: -4.0,
        w: place.w - 12.0,
        h: 7.0,
    };
    let lines = if place.h < LOW {
        let name_w = width_of(&node.name) * 1.3 + 10.0;
        let plate = Rect {
            x: place.w - INSET - PLATE_W,
            y: 6.0,
            w: PLATE_W,
            h: 20.0,
        };
        let [first, second] = &waits;
        // Who is blocked has one record only: there is room beside it.
        let (first, beside) = match is_blocked || second.is_empty() {
            true => (first.clone(), second.as_str()),
            false => (format!("{first} · {second}"), ""),
        };
        let right = point(place.w - INSET, 58.0);
        html! {
            <>
                { line("title", INSET, 20.5, plate.x - INSET - 4.0, &node.name) }
                { line("label", INSET + name_w, 20.5, plate.x - INSET - name_w - 4.0, vote) }
                { standing(lang, node, view, &plate) }
                { line(class, INSET, 39.0, room / BOLD, &first) }
                { strip(&view.log, point(INSET, 45.0), room) }
                if !beside.is_empty() {
                    { words("label", right, Anchor::End, fitted(beside, room - BESIDE)) }
                }
            </>
        }
    } else {
        let [first, second] = &waits;
        let below: Vec<(String, &'static str)> = wrapped(first, room / BOLD)
            .into_iter()
            .map(|says| (says, class))
            .chain(
                wrapped(second, room)
                    .into_iter()
                    .map(|says| (says, "label")),
            )
            .collect();
        let plate = Rect {
            x: INSET,
            y: 43.0,
            w: room,
            h: 22.0,
        };
        html! {
            <>
                { line("title", INSET, 20.0, room - 8.0, &node.name) }
                { line("label", INSET, 36.0, room, vote) }
                { standing(lang, node, view, &plate) }
                for (at, (says, class)) in below.into_iter().take(LINES).enumerate() {
                    { line(class, INSET, 81.0 + PITCH * at as f64, room, &says) }
                }
                { strip(&view.log, point(INSET, LOG), room) }
            </>
        }
    };
    html! {
        <>
            if is_blocked {
                <g class="closed">{ rect("", &gate, 3.0) }</g>
            }
            { lines }
            { dead(place, node) }
        </>
    }
}

/// The state, on a plate: hatched if it is in doubt, filled if it is sure.
fn standing(lang: Lang, node: &Node, view: &ParticipantView, plate: &Rect) -> Html {
    let is_doubtful = node.health == Health::Running && view.in_doubt_since.is_some();
    let (look, says) = match (face::fate(lang, node.health), view.state) {
        (Some(fate), _) => ("down", fate.to_owned()),
        (None, ParticipantState::Ready) => ("doubt", face::standing(lang, view)),
        (None, ParticipantState::Init) => ("free", face::standing(lang, view)),
        (None, ParticipantState::Commit | ParticipantState::Abort) => {
            ("sure", face::standing(lang, view))
        }
    };
    let (x, y) = (plate.x + 8.0, plate.y + plate.h / 2.0 + 4.5);
    html! {
        <g class={classes!("standing", look)}>
            { rect("body", plate, 5.0) }
            if is_doubtful {
                { hatched(plate, 5.0, DOUBT) }
            }
            { line("strong", x, y, plate.w / 1.1 - 10.0, &says) }
        </g>
    }
}
