//! The inside of a subtask's box: its name, what it waits for, its state, its transactions.

use barrierscope_core::id::CheckpointId;
use barrierscope_core::scene::{Facts, Gate, Health, Node, Place, Transaction};
use yew::{Html, classes, html};

use super::geometry::{Rect, point, px};
use super::shape::{Anchor, disc, rect, stroke, words};
use super::sign::{epoch_class, glyph};
use crate::text::{self, Lang, face, number, sink};

/// Between the edges of a box and what it holds.
const INSET: f64 = 10.0;
/// Where the line below the name stands.
const LINE: f64 = 39.0;
/// How high a plate is.
const PLATE: f64 = 23.0;

/// What a subtask shows of itself.
pub fn inside(lang: Lang, node: &Node, place: &Rect, on_brokers: bool, names: bool) -> Html {
    let last = place.h - PLATE - 9.0;
    let is_up = node.health == Health::Running;
    let body = match &node.facts {
        Facts::Sink { .. } if on_brokers => on_kafka(lang, node, place, names),
        Facts::Source { positions, epoch } if is_up => {
            plate(place, last, *epoch, "state", face::offsets(lang, positions))
        }
        Facts::Operator {
            alignment,
            sum,
            counted,
            counted_twice,
            holds,
            epoch,
            ..
        } if is_up => html! {
            <>
                { waiting(lang, alignment).unwrap_or_else(|| load(lang, sum.map(|_| *counted).or(*holds), *counted_twice)) }
                if let Some(sum) = sum {
                    { plate(place, last, *epoch, "state", format!("Σ {}", number(*sum))) }
                }
            </>
        },
        Facts::Sink {
            alignment,
            open: None,
            epoch,
            ..
        } if is_up => {
            let [above, below] = face::plain(lang);
            html! {
                <>
                    { waiting(lang, alignment).unwrap_or_else(|| line(above)) }
                    { plate(place, last, *epoch, "solid", below) }
                </>
            }
        }
        Facts::Sink {
            alignment,
            open: Some(open),
            pending,
            committed,
            ..
        } if is_up => html! {
            <>
                { match (waiting(lang, alignment), pending.last()) {
                    (Some(waits), _) => waits,
                    (None, Some(pending)) => transaction(lang, place, last - PLATE - 4.0, pending),
                    (None, None) => line(face::committed(lang, *committed)),
                } }
                { transaction(lang, place, last, open) }
            </>
        },
        Facts::Sink { pending, .. } => html! {
            <>
                { down(lang, node, place) }
                if let Some(pending) = pending.last() {
                    { transaction(lang, place, last, pending) }
                }
            </>
        },
        _ => down(lang, node, place),
    };
    let number = match node.place {
        Place::Flow { .. } if node.of > 1 => format!("{}/{}", node.number + 1, node.of),
        _ => String::new(),
    };
    let room = place.w - 24.0 - 7.0 * number.len() as f64;
    html! {
        <>
            if let Some(number) = node.task_manager {
                { words("label manager", point(place.w - 4.0, -4.0), Anchor::End, face::task_manager(number)) }
            }
            { words("title", point(12.0, 21.0), Anchor::Start, fitting(&node.name, room)) }
            { words("label", point(place.w - 12.0, 21.0), Anchor::End, number) }
            { body }
        </>
    }
}

/// A sink with producers: what its thread waits for, what it has prepared, and what it writes into.
fn on_kafka(lang: Lang, node: &Node, place: &Rect, names: bool) -> Html {
    let Facts::Sink {
        alignment,
        open,
        pending,
        waits,
        producers,
        epoch,
        ..
    } = &node.facts
    else {
        return html! {};
    };
    let is_up = matches!(node.health, Health::Running | Health::Starting);
    let last = place.h - PLATE - 9.0;
    let plain = producers
        .first()
        .filter(|producer| producer.transactional_id.is_none());
    let more = match pending.len() {
        0 | 1 => String::new(),
        count => format!(" +{}", count - 1),
    };
    let busy = waits.is_some().then_some("busy");
    html! {
        <>
            if !is_up {
                { down(lang, node, place) }
            } else if let Some(waits) = waiting(lang, alignment).filter(|_| waits.is_none()) {
                { waits }
            } else {
                <g class={classes!("thread", busy)}>{ line(sink::face::wait(lang, *waits)) }</g>
            }
            if let Some(pending) = pending.first() {
                { plate(
                    place,
                    last - PLATE - 4.0,
                    pending.checkpoint.unwrap_or(*epoch),
                    "promised",
                    sink::face::transaction(lang, pending, names) + &more,
                ) }
            }
            if let Some(open) = open.as_ref().filter(|_| is_up) {
                { plate(place, last, *epoch, "open", sink::face::transaction(lang, open, names)) }
            } else if let Some(producer) = plain.filter(|_| is_up) {
                { plate(place, last, *epoch, "solid", sink::face::outstanding(lang, producer.outstanding.len())) }
            }
        </>
    }
}

/// A name, cut short where there is no room for all of it.
fn fitting(name: &str, room: f64) -> String {
    let fit = (room / 7.6).max(1.0) as usize;
    if name.chars().count() <= fit {
        return name.to_owned();
    }
    let start: String = name.chars().take(fit.saturating_sub(1)).collect();
    format!("{start}…")
}

fn line(text: impl Into<yew::AttrValue>) -> Html {
    words("label", point(12.0, LINE), Anchor::Start, text)
}

/// A plate in the colour of a checkpoint interval.
fn plate(
    place: &Rect,
    y: f64,
    epoch: CheckpointId,
    look: &'static str,
    text: impl Into<yew::AttrValue>,
) -> Html {
    let body = Rect {
        x: INSET,
        y,
        w: place.w - 2.0 * INSET,
        h: PLATE,
    };
    html! {
        <g class={classes!("chip", look, epoch_class(Some(epoch)))}>
            { rect("", &body, 7.0) }
            { glyph(epoch, point(INSET + 12.0, y + PLATE / 2.0), 5.0) }
            { words("", point(INSET + 23.0, y + 15.8), Anchor::Start, text) }
        </g>
    }
}

/// A transaction: open, or written and promised to be committed.
fn transaction(lang: Lang, place: &Rect, y: f64, transaction: &Transaction) -> Html {
    let look = match transaction.checkpoint {
        None => "open",
        Some(_) => "promised",
    };
    let epoch = CheckpointId(transaction.number);
    plate(place, y, epoch, look, face::transaction(lang, transaction))
}

/// What a subtask waits for, if it aligns.
fn waiting(lang: Lang, gate: &Gate) -> Option<Html> {
    let collecting = gate.collecting.first()?;
    let [what, place] = face::waits(lang, collecting);
    Some(html! {
        <g class={classes!("waits", epoch_class(Some(collecting.checkpoint)))}>
            { words("", point(12.0, LINE - 1.0), Anchor::Start, what) }
            { words("", point(12.0, LINE + 13.0), Anchor::Start, place) }
        </g>
    })
}

fn load(lang: Lang, counted: Option<u32>, twice: u32) -> Html {
    html! {
        <>
            { line(face::load(lang, counted)) }
            if twice > 0 {
                { words("label wrong", point(12.0, LINE + 14.0), Anchor::Start, face::twice(lang, twice)) }
            }
        </>
    }
}

/// What a subtask shows that does not run.
fn down(lang: Lang, node: &Node, place: &Rect) -> Html {
    let says = text::headline(lang, node.health).unwrap_or_default();
    html! {
        <>
            { words("label fate", point(12.0, LINE), Anchor::Start, says) }
            if node.health == Health::Crashed {
                <g class="dead" transform={format!("translate({} 0)", px(place.w - 12.0))}>
                    { disc("", point(0.0, 0.0), 10.0) }
                    { stroke("", "M-4 -4L4 4M4 -4L-4 4") }
                </g>
            }
        </>
    }
}
