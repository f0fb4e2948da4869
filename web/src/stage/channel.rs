//! A channel: its way, its queue at either end, and its gate.

use barrierscope_core::id::CheckpointId;
use yew::{Html, Properties, classes, component, html};

use super::geometry::{Point, Rect, Size, point};
use super::layout::Layout;
use super::shape::{Anchor, rect, stroke, words};
use super::sign::epoch_class;
use super::track::Pill;
use crate::same::Same;
use crate::text::Lang;

/// What a channel's picture depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The arrangement of the stage.
    pub layout: Same<Layout>,
    /// Which link it is.
    pub link: usize,
    /// The barrier that has blocked it.
    pub blocked_by: Option<CheckpointId>,
    /// The language.
    pub lang: Lang,
}

/// Below this length a slot is not drawn by itself.
const LEAST_SLOT: f64 = 9.0;

/// A channel, without what moves on it.
#[component]
pub fn Channel(props: &Props) -> Html {
    let Some(track) = props.layout.tracks.get(props.link) else {
        return html! {};
    };
    let Some(pill) = track.pill else {
        return stroke("way", track.path.outline().to_owned());
    };
    html! {
        <g class={classes!("channel", props.blocked_by.map(|_| "blocked"))}>
            { stroke("way", track.path.outline().to_owned()) }
            if let Some(outbox) = track.outbox {
                { queue(&outbox, "lane outbox", 3.0) }
            }
            { queue(&pill, "lane", pill.breadth / 2.0) }
        </g>
    }
}

/// A queue with its places. That of the sender has corners, so that the two are not taken for each other.
fn queue(pill: &Pill, class: &'static str, corner: f64) -> Html {
    let lane = across(pill, 0.0, pill.length(), pill.breadth);
    let slots = if pill.slot < LEAST_SLOT {
        0
    } else {
        pill.capacity as usize
    };
    html! {
        <>
            { rect(class, &lane, corner) }
            for ahead in 0..slots {
                { slot(pill, ahead) }
            }
        </>
    }
}

/// A box across the pill, so far before its gate.
fn across(pill: &Pill, from: f64, to: f64, breadth: f64) -> Rect {
    let back = (pill.from - pill.to).direction();
    let (a, b) = (pill.to + back * from, pill.to + back * to);
    let size = Point {
        x: (a.x - b.x).abs(),
        y: (a.y - b.y).abs(),
    };
    let size = if size.x > size.y {
        Size {
            w: size.x,
            h: breadth,
        }
    } else {
        Size {
            w: breadth,
            h: size.y,
        }
    };
    Rect::around(a.towards(b, 0.5), size)
}

fn slot(pill: &Pill, ahead: usize) -> Html {
    let middle = pill.place(ahead);
    let half = pill.slot / 2.0 - 1.0;
    let place = across(pill, middle - half, middle + half, pill.breadth - 7.0);
    rect("slot", &place, 4.0)
}

/// The gate of a blocked channel: the barrier that closed it, standing across its end.
pub fn gate(pill: &Pill, barrier: CheckpointId) -> Html {
    let bar = across(pill, 0.5, 7.5, pill.breadth + 10.0);
    let along = (pill.to - pill.from).direction();
    let end = pill.to - along * 4.0 + along.normal() * (pill.breadth / 2.0 + 5.0);
    let number = barrier.to_string();
    let size = Size {
        w: flag_width(&number),
        h: FLAG_HEIGHT,
    };
    let middle = flag_place(end, along, size);
    html! {
        <g class={classes!("gate", epoch_class(Some(barrier)))}>
            { rect("bar", &bar, 3.0) }
            { rect("flag", &Rect::around(middle, size), 3.0) }
            { words("", middle + point(0.0, 4.0), Anchor::Middle, number) }
        </g>
    }
}

/// How high the flag of a barrier is.
pub const FLAG_HEIGHT: f64 = 15.0;

/// How wide the flag of a barrier is, with its number.
pub fn flag_width(number: &str) -> f64 {
    (8.0 + 7.0 * number.len() as f64).max(20.0)
}

/// Where the flag of a barrier hangs: at the end of its bar, back over the records that follow.
pub fn flag_place(end: Point, along: Point, size: Size) -> Point {
    let side = along.normal();
    let reach = (side.x * size.w).abs() / 2.0 + (side.y * size.h).abs() / 2.0;
    let back = (along.x * size.w).abs() / 2.0 + (along.y * size.h).abs() / 2.0;
    end + side * (reach - 2.0) - along * (back - 2.0)
}
