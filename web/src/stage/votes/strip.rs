//! A log as a strip of records: solid what is on disk, hatched what is in memory only.

use barrierscope_core::scene::votes::RecordView;
use yew::{Html, classes, html};

use super::hatched;
use crate::stage::geometry::{Point, Rect, point};
use crate::stage::lettering::width_of;
use crate::stage::shape::{Anchor, rect, words};

/// How high a record is.
pub(super) const RECORD_H: f64 = 18.0;
/// From one to the next.
const GAP: f64 = 4.0;

/// How wide a record is.
fn width(entry: &RecordView) -> f64 {
    width_of(entry.record.name()) + 12.0
}

/// A strip of records from a corner on; what does not fit beside the others stands below them.
pub(super) fn strip(records: &[RecordView], corner: Point, room: f64) -> Html {
    let mut at = point(0.0, 0.0);
    let mut placed = Vec::new();
    for entry in records {
        let w = width(entry).min(room);
        if at.x > 0.0 && at.x + w > room {
            at = point(0.0, at.y + RECORD_H + GAP);
        }
        placed.push((
            entry,
            Rect {
                x: corner.x + at.x,
                y: corner.y + at.y,
                w,
                h: RECORD_H,
            },
        ));
        at.x += w + GAP;
    }
    html! {
        for (entry, place) in placed {
            { record(entry, &place) }
        }
    }
}

fn record(entry: &RecordView, place: &Rect) -> Html {
    let look = if entry.forced { "forced" } else { "unforced" };
    html! {
        <g class={classes!("log-record", look)}>
            { rect("body", place, 3.0) }
            if !entry.forced {
                { hatched(place, 3.0, "url(#in-memory)") }
            }
            { words("", point(place.centre().x, place.y + 13.0), Anchor::Middle, entry.record.name()) }
        </g>
    }
}
