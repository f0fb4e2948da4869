//! A partition of a topic, as its log holds it.

use barrierscope_core::id::{Offset, RecordId};
use barrierscope_core::scene::{Cell, CellStatus};
use yew::{Html, classes, html};

use super::geometry::{Rect, point, px};
use super::layout::{CELL, CELL_TOP};
use super::shape::{Anchor, rect, stroke, words};
use super::sign::epoch_class;
use crate::text::{Lang, face};

/// From one cell to the next.
const PITCH: f64 = CELL.w + 1.0;
const TOP: f64 = CELL_TOP;

/// The part of a log that is shown.
struct Window {
    first: usize,
    count: usize,
    left: f64,
}

impl Window {
    /// As many cells as fit, with `focus` among the last of them.
    fn new(width: f64, len: usize, focus: usize, ahead: usize) -> Self {
        let count = ((width - 4.0) / PITCH).floor().max(1.0) as usize;
        let most = len.saturating_sub(count);
        let first = (focus + ahead).saturating_sub(count).min(most);
        Self {
            first,
            count,
            left: 2.0,
        }
    }

    /// Where the edge before a cell is.
    fn edge(&self, offset: usize) -> f64 {
        let cells = offset as f64 - self.first as f64;
        (self.left + cells * PITCH).clamp(0.0, self.left + self.count as f64 * PITCH)
    }
}

/// A partition of the input topic: what is read, and up to where that is safe.
pub fn input(
    lang: Lang,
    name: &str,
    place: &Rect,
    cells: &[Cell],
    next: Offset,
    clip: &str,
) -> Html {
    let window = Window::new(place.w, cells.len(), next.index(), 3);
    let here = window.edge(next.index());
    let says = face::next(lang, next);
    html! {
        <>
            { words("label", point(2.0, 10.0), Anchor::Start, name.to_owned()) }
            { strip(&window, place, cells, &[], clip) }
            { pin(here, place, &says, true) }
        </>
    }
}

/// A partition of the output topic: what is written, committed, aborted; where it has brokers, with its leader's high
/// watermark.
pub fn output(
    lang: Lang,
    name: &str,
    place: &Rect,
    cells: &[Cell],
    (last_stable, high_watermark): (Offset, Option<Offset>),
    doubled: &[RecordId],
    clip: &str,
) -> Html {
    let window = Window::new(place.w, cells.len(), cells.len(), 0);
    let stable = window.edge(last_stable.index());
    let shown = last_stable.index() >= window.first;
    let says = face::last_stable(lang, last_stable, place.w < 200.0);
    let end = face::end(lang, cells.len());
    let end = match high_watermark {
        Some(offset) => format!("HW {offset} · {end}"),
        None => end,
    };
    html! {
        <>
            { words("label", point(2.0, 10.0), Anchor::Start, name.to_owned()) }
            { words("label", point(place.w - 2.0, 10.0), Anchor::End, end) }
            { strip(&window, place, cells, doubled, clip) }
            if shown {
                { pin(stable, place, &says, false) }
            }
        </>
    }
}

/// A line between two cells, with words below it.
fn pin(x: f64, place: &Rect, says: &str, strong: bool) -> Html {
    // Roughly as wide as it will be; it must not run out of the box.
    let wide = 6.4
        * says
            .chars()
            .map(|c| if c.is_ascii() { 1.0 } else { 1.8 })
            .sum::<f64>();
    let (anchor, at) = if x + wide / 2.0 > place.w {
        (Anchor::End, place.w)
    } else if x < wide / 2.0 {
        (Anchor::Start, 0.0)
    } else {
        (Anchor::Middle, x)
    };
    let line = format!("M{} {}v{}", px(x), px(TOP - 3.0), px(CELL.h + 6.0));
    html! {
        <g class={classes!("pin", strong.then_some("strong"))}>
            { stroke("", line) }
            { words("", point(at, TOP + CELL.h + 13.0), anchor, says.to_owned()) }
        </g>
    }
}

fn strip(window: &Window, place: &Rect, cells: &[Cell], doubled: &[RecordId], clip: &str) -> Html {
    // A cell or two more on either side, so that the strip glides without a gap.
    let from = window.first.saturating_sub(2);
    let to = (window.first + window.count + 2).min(cells.len());
    let shift = window.left - window.first as f64 * PITCH;
    let bed = Rect {
        x: 0.0,
        y: TOP - 1.0,
        w: place.w,
        h: CELL.h + 2.0,
    };
    html! {
        <g clip-path={format!("url(#{clip})")}>
            <clipPath id={clip.to_owned()}>{ rect("", &bed, 4.0) }</clipPath>
            { rect("bed", &bed, 4.0) }
            <g class="strip" style={format!("transform:translateX({}px)", px(shift))}>
                for offset in from..to {
                    { cell(offset, &cells[offset], doubled) }
                }
            </g>
        </g>
    }
}

/// What a cell shows beside its box, drawn from its upper left corner.
struct Look {
    class: &'static str,
    stroke: Option<(&'static str, &'static str)>,
}

/// Strokes across: written, and not yet certain.
const HATCH: &str = "M1 9L13 2M1 14L13 7M1 19L13 12";

const fn look(status: CellStatus) -> Look {
    let (class, stroke) = match status {
        CellStatus::Skipped => ("skipped", Some(("cross", "M3 5L11 15M11 5L3 15"))),
        CellStatus::Ahead => ("ahead", None),
        CellStatus::Read => ("read", Some(("hatch", HATCH))),
        CellStatus::Covered => ("covered", None),
        CellStatus::Plain => ("plain", None),
        CellStatus::Open => ("open", Some(("hatch", HATCH))),
        CellStatus::Committed => ("committed", None),
        CellStatus::Hidden => ("hidden-behind", Some(("hatch", HATCH))),
        CellStatus::Aborted => ("aborted", Some(("cross", "M3 5L11 15M11 5L3 15"))),
        CellStatus::CommitMarker => ("control", Some(("tick", "M3.8 10.5l2.4 3l4 -6"))),
        CellStatus::AbortMarker => ("control", Some(("tick", "M4.5 7l5 6m0 -6l-5 6"))),
    };
    Look { class, stroke }
}

fn cell(offset: usize, cell: &Cell, doubled: &[RecordId]) -> Html {
    let look = look(cell.status);
    let is_twice = cell.record.is_some_and(|record| doubled.contains(&record))
        && !matches!(cell.status, CellStatus::Aborted | CellStatus::Open);
    let body = Rect {
        x: 0.0,
        y: 0.0,
        w: CELL.w,
        h: CELL.h,
    };
    html! {
        <g
            key={offset}
            class={classes!("cell", look.class, epoch_class(cell.epoch))}
            transform={format!("translate({} {})", px(offset as f64 * PITCH), px(TOP))}
        >
            { rect("body", &body, 3.0) }
            if let Some((class, outline)) = look.stroke {
                { stroke(class, outline) }
            }
            if is_twice {
                { stroke("twice", "M1.5 16.5h11") }
            }
        </g>
    }
}
