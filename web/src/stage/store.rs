//! The checkpoint store: a row for the completed checkpoint and one for that under way, a cell for each
//! subtask, filled when its snapshot is there.

use barrierscope_core::scene::{Scene, StoreRow};
use yew::{Html, classes, html};

use super::geometry::{Rect, point};
use super::layout::{NARROW, store_cell};
use super::shape::{Anchor, rect, words};
use super::sign::epoch_class;
use crate::text::{Label, Lang, face, label};

/// What the store shows of itself.
pub fn inside(lang: Lang, scene: &Scene, place: &Rect, rows: &[StoreRow]) -> Html {
    let complete = rows.iter().rev().find(|row| row.complete);
    let pending = rows.iter().rev().find(|row| !row.complete);
    let is_narrow = place.w < NARROW;
    let mut heading = label(lang, Label::Store).to_owned();
    if rows.is_empty() {
        heading = format!("{heading} · {}", label(lang, Label::Empty));
    } else if is_narrow {
        // There is no room beside the rows.
        for row in [complete, pending].into_iter().flatten() {
            heading = format!("{heading} · {} {}", row.checkpoint, face::stored(lang, row));
        }
    }
    let local = Rect {
        x: 0.0,
        y: 0.0,
        ..*place
    };
    html! {
        <>
            { words("label", point(2.0, 12.0), Anchor::Start, heading) }
            for (number, shown) in [complete, pending].into_iter().enumerate() {
                if let Some(shown) = shown {
                    { row(lang, scene, &local, shown, number, is_narrow) }
                }
            }
        </>
    }
}

fn row(
    lang: Lang,
    scene: &Scene,
    place: &Rect,
    row: &StoreRow,
    number: usize,
    is_narrow: bool,
) -> Html {
    let parts = row.parts.len();
    let first = store_cell(place, number, 0, parts);
    let end = store_cell(place, number, parts.saturating_sub(1), parts).right();
    let base = first.y + 15.0;
    html! {
        <g class={classes!("row", epoch_class(Some(row.checkpoint)))}>
            { words("number", point(12.0, base), Anchor::Middle, row.checkpoint.to_string()) }
            for (part, (id, stored)) in row.parts.iter().enumerate() {
                <g class={classes!("part", stored.then_some("stored"))}>
                    { cell(scene, &store_cell(place, number, part, parts), *id, *stored) }
                </g>
            }
            if !is_narrow {
                { words("label", point(end + 12.0, base), Anchor::Start, face::stored(lang, row)) }
            }
        </g>
    }
}

fn cell(scene: &Scene, place: &Rect, id: barrierscope_core::id::NodeId, stored: bool) -> Html {
    let node = scene.nodes.iter().find(|node| node.id == id);
    let name = node.map_or("", |node| node.name.as_str());
    let fits = 6.6 * name.chars().count() as f64 + 6.0 <= place.w;
    html! {
        <>
            { rect("", place, 5.0) }
            if stored && fits {
                { words("", point(place.centre().x, place.y + 14.5), Anchor::Middle, name.to_owned()) }
            }
        </>
    }
}
