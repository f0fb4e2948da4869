//! The checkpoint store: a row for the completed checkpoint and one for each under way, a cell for each
//! subtask, filled when its snapshot is there.

use barrierscope_core::scene::{Scene, StoreRow};
use yew::{Html, classes, html};

use super::geometry::{Rect, point};
use super::layout::{NARROW, store_cell, store_rows};
use super::shape::{Anchor, rect, words};
use super::sign::epoch_class;
use crate::text::{Label, Lang, face, label};

/// What the store shows of itself.
pub fn inside(lang: Lang, scene: &Scene, place: &Rect, rows: &[StoreRow], names: bool) -> Html {
    let shown = shown(place, rows);
    let is_narrow = place.w < NARROW;
    let mut heading = label(lang, Label::Store).to_owned();
    if names {
        heading.push_str(lang.pick(" = coordinator’s log", " = 协调者的日志"));
    }
    if rows.is_empty() {
        heading = format!("{heading} · {}", label(lang, Label::Empty));
    } else if is_narrow {
        // There is no room beside the rows.
        for (_, row) in &shown {
            let colon = lang.pick(": ", "：");
            heading = format!(
                "{heading} · {}{colon}{}",
                row.checkpoint,
                face::stored(lang, row)
            );
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
            for (number, shown) in shown {
                { row(lang, scene, &local, shown, number, is_narrow) }
            }
        </>
    }
}

/// The rows that have room, and in which place each one stands: the completed checkpoint, then the newest
/// of those under way.
fn shown<'a>(place: &Rect, rows: &'a [StoreRow]) -> Vec<(usize, &'a StoreRow)> {
    let complete = rows.iter().rev().find(|row| row.complete);
    let pending: Vec<_> = rows.iter().filter(|row| !row.complete).collect();
    let most = store_rows(place).saturating_sub(1);
    let newest = pending.iter().skip(pending.len().saturating_sub(most));
    let newest = newest.enumerate().map(|(at, row)| (at + 1, *row));
    complete
        .map(|row| (0, row))
        .into_iter()
        .chain(newest)
        .collect()
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
            { words("number", point(12.0, base), Anchor::Middle, number_of(row)) }
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

/// The number of a checkpoint; that of a savepoint is marked as one.
fn number_of(row: &StoreRow) -> String {
    let mark = if row.purpose.is_savepoint() { "S" } else { "" };
    format!("{mark}{}", row.checkpoint)
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
