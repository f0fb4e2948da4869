//! A replica of a partition: its log, as far as there is room, with what is known of it.

use barrierscope_core::id::Offset;
use barrierscope_core::scene::kafka::{EntryView, ReplicaView};
use barrierscope_core::scene::{CellStatus, Facts, Health, Node};
use yew::{Classes, Html, classes, html};

use super::{BOLD, Context, fate, line, session_class};
use crate::stage::geometry::{Rect, point, px};
use crate::stage::lettering::width_of;
use crate::stage::shape::{Anchor, rect, stroke, words};
use crate::stage::sign::epoch_class;
use crate::text::kafka::face;

/// Left of the cells.
const GUTTER: f64 = 74.0;
/// Where the cells of the leader are, and how high they are.
const LEADER: (f64, f64) = (29.0, 22.0);
/// The same for who follows.
const FOLLOWER: (f64, f64) = (5.0, 17.0);

/// The part of a log that is shown.
struct Window {
    first: u32,
    count: u32,
    /// From one cell to the next.
    pitch: f64,
    room: f64,
}

impl Window {
    fn new(context: &Context<'_>, view: &ReplicaView) -> Self {
        let digits = context.records.max(context.end.0).max(1).ilog10() + 1;
        let pitch = (8.0 + 7.1 * f64::from(digits)).max(20.0);
        let room = context.place.w - GUTTER - 4.0;
        let count = ((room / pitch) as u32).max(1);
        let first = (context.end.0.saturating_sub(count)).max(view.start.0);
        Self {
            first,
            count,
            pitch,
            room,
        }
    }

    /// Where the edge before a cell is.
    fn edge(&self, offset: Offset) -> f64 {
        let cells = offset.0.saturating_sub(self.first).min(self.count);
        GUTTER + f64::from(cells) * self.pitch
    }

    fn shows(&self, offset: Offset) -> bool {
        (self.first..self.first + self.count).contains(&offset.0)
    }
}

/// Draws it.
pub(super) fn inside(context: &Context<'_>, node: &Node, view: &ReplicaView) -> Html {
    let window = Window::new(context, view);
    let is_large = view.leads && !context.small;
    let (top, high) = if is_large { LEADER } else { FOLLOWER };
    let bed = Rect {
        x: GUTTER - 2.0,
        y: top - 2.0,
        w: f64::from(window.count) * window.pitch + 3.0,
        h: high + 4.0,
    };
    let role = fate(context, node).unwrap_or(face::role(context.lang, view));
    let is_down = node.health != Health::Running;
    let look = if is_down {
        "label fate"
    } else if view.leads {
        "label leads"
    } else if view.in_sync {
        "label"
    } else {
        "label behind"
    };
    let shown = view
        .entries
        .iter()
        .filter(|entry| window.shows(entry.offset));
    // Where every record is a batch of its own, nothing is said by where one begins.
    let has_batches = view
        .entries
        .iter()
        .any(|entry| !entry.begins_batch && entry.record.is_some());
    let broker = format!("broker {}", view.broker);
    let middle = top + high / 2.0;
    html! {
        <>
            if is_large {
                { line("strong", 2.0, 11.0, context.place.w - 4.0, &format!("{}-{}", node.name, node.number)) }
                for entry in shown.clone() {
                    { words("label offset", point(window.edge(entry.offset) + window.pitch / 2.0, 25.0), Anchor::Middle, entry.offset.to_string()) }
                }
            }
            { words("label", point(2.0, middle - 2.0), Anchor::Start, broker) }
            { words(look, point(2.0, middle + 10.5), Anchor::Start, role) }
            { rect("bed", &bed, 4.0) }
            for entry in shown {
                { cell(context, &window, view, entry, (top, high), has_batches) }
            }
            if is_large {
                { pins(&window, view, top, high) }
            } else if view.high_watermark.0 >= window.first {
                <g class="pin strong">
                    { stroke("", format!("M{} {}v{}", px(window.edge(view.high_watermark)), px(top - 2.0), px(high + 4.0))) }
                </g>
            }
        </>
    }
}

fn cell(
    context: &Context<'_>,
    window: &Window,
    view: &ReplicaView,
    entry: &EntryView,
    (top, high): (f64, f64),
    has_batches: bool,
) -> Html {
    let w = window.pitch - 2.0;
    let body = Rect {
        x: 0.0,
        y: 0.0,
        w,
        h: high,
    };
    let (look, is_written) = look(entry.status);
    let is_twice = entry
        .record
        .is_some_and(|record| context.doubled.contains(&record))
        && !matches!(entry.status, CellStatus::Aborted | CellStatus::Open);
    let number = entry
        .record
        .map(|record| face::number(record, context.records));
    let (mid_x, mid_y) = (w / 2.0, high / 2.0);
    html! {
        <g
            key={entry.offset.0}
            class={classes!("cell", "entry", look, colour(context, view, entry))}
            transform={format!("translate({} {})", px(window.edge(entry.offset) + 1.0), px(top))}
        >
            <title>{ spoken(entry, context.records) }</title>
            { rect("body", &body, 3.0) }
            if !is_written {
                { stroke("hatch", hatch(w, high)) }
            }
            if entry.begins_batch && has_batches {
                { stroke("begins", format!("M-1 -2v{}", px(high + 4.0))) }
            }
            if let (Some(number), true) = (&number, view.leads && !context.small) {
                { words("", point(mid_x, mid_y + 4.0), Anchor::Middle, number.clone()) }
            }
            if entry.status == CellStatus::Aborted {
                { stroke("cross", format!("M2 {}L{} 2", px(high - 2.0), px(w - 2.0))) }
            }
            if let Some(tick) = tick(entry.status) {
                <g transform={format!("translate({} {})", px(mid_x), px(mid_y))}>
                    { stroke("tick", tick) }
                </g>
            }
            if is_twice {
                { stroke("twice", format!("M1.5 {}h{}", px(high - 2.5), px(w - 3.0))) }
            }
        </g>
    }
}

/// The colour of an entry: that of its producer's session; on a job's stage that of its checkpoint interval, as in the
/// log of the partition.
fn colour(context: &Context<'_>, view: &ReplicaView, entry: &EntryView) -> Classes {
    if !context.small {
        return session_class(entry.producer);
    }
    let place = entry.offset.0.saturating_sub(view.start.0) as usize;
    let epoch = context.nodes.iter().find_map(|node| match &node.facts {
        Facts::Output {
            partition, cells, ..
        } if *partition == view.partition => cells.get(place)?.epoch,
        _ => None,
    });
    epoch_class(epoch)
}

/// The class of a cell, and whether what it holds is certain.
const fn look(status: CellStatus) -> (&'static str, bool) {
    match status {
        CellStatus::Plain => ("plain", true),
        CellStatus::Open => ("open", false),
        CellStatus::Hidden => ("hidden-behind", false),
        CellStatus::Committed => ("committed", true),
        CellStatus::Aborted => ("aborted", true),
        CellStatus::CommitMarker | CellStatus::AbortMarker => ("control", true),
        CellStatus::Skipped | CellStatus::Ahead => ("ahead", true),
        CellStatus::Read => ("read", true),
        CellStatus::Covered => ("covered", true),
    }
}

const fn tick(status: CellStatus) -> Option<&'static str> {
    match status {
        CellStatus::CommitMarker => Some("M-3.5 0.5l2.4 3l4.4 -6.5"),
        CellStatus::AbortMarker => Some("M-3 -3l6 6m0 -6l-6 6"),
        _ => None,
    }
}

/// Strokes across the lower edge: written, and not yet certain.
fn hatch(w: f64, h: f64) -> String {
    let count = ((w - 4.0) / 4.0) as u32;
    (0..count)
        .map(|at| format!("M{} {}l3.5 -4", px(2.0 + 4.0 * f64::from(at)), px(h - 1.0)))
        .collect()
}

/// What a pointer that rests on a cell is told.
fn spoken(entry: &EntryView, of: u32) -> String {
    let record = entry.record.map_or(String::new(), |record| {
        format!(" · #{}", face::number(record, of))
    });
    let session = entry.producer.map_or(String::new(), |(id, epoch)| {
        format!(" · PID {} · epoch {}", id.0, epoch.0)
    });
    let sequence = entry.sequence.map_or(String::new(), |sequence| {
        format!(" · seq {}", sequence.number())
    });
    format!("offset {}{record}{session}{sequence}", entry.offset)
}

/// High watermark and last stable offset, as lines with their names below.
fn pins(window: &Window, view: &ReplicaView, top: f64, high: f64) -> Html {
    let (high_at, stable_at) = (
        window.edge(view.high_watermark),
        window.edge(view.last_stable),
    );
    let y = top + high + 14.0;
    let mark = |x: f64, class: &'static str| {
        html! {
            <g class={classes!("pin", class)}>
                { stroke("", format!("M{} {}v{}", px(x), px(top - 3.0), px(high + 9.0))) }
            </g>
        }
    };
    if view.high_watermark == view.last_stable {
        let says = format!("HW = LSO {}", view.high_watermark);
        return html! {
            <>
                { mark(high_at, "strong") }
                <g class="pin strong">{ label(window, high_at, y, &says, GUTTER) }</g>
            </>
        };
    }
    // The last stable offset is never beyond the high watermark: its name stands to the left of its line.
    let (high_says, stable_says) = (
        format!("HW {}", view.high_watermark),
        format!("LSO {}", view.last_stable),
    );
    let right = GUTTER + window.room;
    let stable_w = width_of(&stable_says);
    let high_w = width_of(&high_says) * BOLD;
    let latest = right - high_w - stable_w - 8.0;
    let stable_x = (stable_at - stable_w / 2.0)
        .min(latest)
        .min(high_at - stable_w)
        .max(GUTTER);
    let high_x = (high_at - high_w / 2.0)
        .max(stable_x + stable_w + 8.0)
        .min(right - high_w);
    html! {
        <>
            { mark(stable_at, "stable") }
            { mark(high_at, "strong") }
            <g class="pin stable">{ words("", point(stable_x, y), Anchor::Start, stable_says) }</g>
            <g class="pin strong">{ words("", point(high_x, y), Anchor::Start, high_says) }</g>
        </>
    }
}

fn label(window: &Window, at: f64, y: f64, says: &str, least: f64) -> Html {
    let wide = width_of(says) * BOLD;
    let x = (at - wide / 2.0)
        .min(GUTTER + window.room - wide)
        .max(least);
    words("", point(x, y), Anchor::Start, says.to_owned())
}
