//! The timeline: where in the run one is, and what stands out along it.

use std::rc::Rc;

use barrierscope_core::mark::{Mark, MarkKind};
use barrierscope_core::time::Micros;
use web_sys::Element;
use yew::{
    Callback, Html, MouseEvent, NodeRef, PointerEvent, Properties, classes, component, html,
    use_memo, use_node_ref,
};

use crate::browser::window_size;
use crate::same::Same;
use crate::stage::epoch_class;
use crate::state::{Action, View, timeline};
use crate::text::{self, Label, Lang, label, number, seconds};

/// What the timeline depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// Beyond this step nothing is told yet.
    pub limit: Option<usize>,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// Marks of one kind that are nearer to each other than this part of the run are drawn as one.
const NEAR: f64 = 0.004;
/// Between Kafka's clients and brokers, and in two-phase commit, much happens at once: there, marks of any kind that would lie on each
/// other are drawn as one. So wide is a sign, in pixels.
const SIGN: f64 = 15.0;
/// Beside the rail, in pixels.
const MARGINS: f64 = 60.0;

/// The timeline.
#[component]
pub fn Scrubber(props: &Props) -> Html {
    let rail = use_node_ref();
    let (view, lang) = (&props.view, props.lang);
    let near = SIGN / (window_size().0 - MARGINS).max(SIGN);
    let limit = props.limit.unwrap_or(usize::MAX);
    let marks = use_memo((Same(Rc::clone(&view.run)), near.to_bits(), limit), |_| {
        let mut marks = timeline(view);
        marks.retain(|(mark, _)| mark.step as usize <= limit);
        thin(marks, near)
    });
    let down = seek(&props.on, &rail, view.end, false);
    let drag = seek(&props.on, &rail, view.end, true);
    let part = view.time.0 as f64 / view.end.0.max(1) as f64;
    let (step, last) = (number(view.step as u64), number(view.last as u64));
    let spoken = match lang {
        Lang::En => format!("step {step} of {last}, {}", seconds(view.time)),
        Lang::Zh => format!("第 {step} 步，共 {last} 步，{}", seconds(view.time)),
    };
    html! {
        <div class="scrubber">
            <div
                class="rail"
                ref={rail}
                role="slider"
                tabindex="0"
                aria-label={label(lang, Label::Timeline)}
                aria-valuemin="0"
                aria-valuemax={view.last.to_string()}
                aria-valuenow={view.step.to_string()}
                aria-valuetext={spoken}
                data-testid="scrubber"
                onpointerdown={down}
                onpointermove={drag}
            >
                <div class="track" />
                <div class="track done" style={format!("width:{}", percent(part))} />
                <div class="thumb" style={format!("left:{}", percent(part))} />
            </div>
            <Marks marks={Same(marks)} {lang} on={props.on.clone()} />
        </div>
    }
}

/// A part of the whole, for a style.
pub(super) fn percent(part: f64) -> String {
    let thousandths = (part.clamp(0.0, 1.0) * 100_000.0).round() as u64;
    format!("{}.{:03}%", thousandths / 1_000, thousandths % 1_000)
}

fn seek(
    on: &Callback<Action>,
    rail: &NodeRef,
    end: Micros,
    dragging: bool,
) -> Callback<PointerEvent> {
    let (on, rail) = (on.clone(), rail.clone());
    Callback::from(move |event: PointerEvent| {
        let Some(rail) = rail.cast::<Element>() else {
            return;
        };
        if event.buttons() & 1 == 0 {
            return;
        }
        if !dragging {
            // Without the capture a drag ends at the rail's edge: a loss, but no mistake.
            let _ = rail.set_pointer_capture(event.pointer_id());
        }
        let place = rail.get_bounding_client_rect();
        let part = (f64::from(event.client_x()) - place.x()) / place.width().max(1.0);
        on.emit(Action::Seek(Micros(
            (part.clamp(0.0, 1.0) * end.0 as f64) as u64,
        )));
    })
}

/// A sign on the timeline: one mark, or several that lie so near to each other that they have one.
#[derive(Clone, Debug, PartialEq)]
struct Sign {
    /// The one that gives it its look: it matters most.
    mark: Mark,
    /// At which part of the run.
    part: f64,
    /// All of them, the first one first.
    marks: Vec<Mark>,
}

/// Puts marks together that would be drawn on top of each other.
fn thin(marks: Vec<(Mark, f64)>, near: f64) -> Vec<Sign> {
    let mut signs: Vec<Sign> = Vec::new();
    for (mark, part) in marks {
        let together = |sign: &Sign| {
            let lies_on = match (lane(sign.mark.kind), lane(mark.kind)) {
                (Some((lane, _)), Some((other, _))) => lane == other,
                _ => sign.mark.kind == mark.kind,
            };
            let reach = if lane(mark.kind).is_some() {
                near
            } else {
                NEAR
            };
            lies_on && part - sign.part < reach
        };
        match signs.iter_mut().rev().find(|sign| together(sign)) {
            Some(sign) => {
                let weight = |mark: &Mark| lane(mark.kind).map_or(0, |(_, weight)| weight);
                if weight(&mark) > weight(&sign.mark) {
                    sign.mark = mark;
                }
                sign.marks.push(mark);
            }
            None => signs.push(Sign {
                mark,
                part,
                marks: vec![mark],
            }),
        }
    }
    signs
}

/// On which side of the rail a mark of Kafka's or of two-phase commit stands, and how much it matters there; none for others, which
/// each have their own height.
const fn lane(kind: MarkKind) -> Option<(u8, u8)> {
    match kind {
        MarkKind::PropertyBroken => Some((0, 3)),
        MarkKind::Broken => Some((0, 2)),
        MarkKind::Again => Some((0, 1)),
        MarkKind::InDoubtBlocked => Some((1, 9)),
        MarkKind::InDoubtReleased => Some((1, 8)),
        MarkKind::CommitReached => Some((1, 7)),
        MarkKind::AbortReached => Some((1, 6)),
        MarkKind::Elected => Some((1, 5)),
        MarkKind::Undone => Some((1, 4)),
        MarkKind::Decided => Some((1, 3)),
        MarkKind::Rebalanced => Some((1, 2)),
        MarkKind::Back => Some((1, 1)),
        MarkKind::Voted => Some((1, 0)),
        MarkKind::Triggered
        | MarkKind::Blocked
        | MarkKind::Overtaken
        | MarkKind::Completed
        | MarkKind::Aborted
        | MarkKind::Committed
        | MarkKind::Fault
        | MarkKind::Restored
        | MarkKind::CommitDropped
        | MarkKind::SinkFailed
        | MarkKind::Lingering
        | MarkKind::Redeployed
        | MarkKind::StopFailed => None,
    }
}

/// What the marks depend on.
#[derive(Properties, Clone, PartialEq)]
struct MarksProps {
    marks: Same<Vec<Sign>>,
    lang: Lang,
    on: Callback<Action>,
}

/// The marks along the run. They are for the pointer; the keyboard goes from one to the next with
/// Shift and an arrow.
#[component]
fn Marks(props: &MarksProps) -> Html {
    html! {
        <div class="marks">
            for (at, mark) in props.marks.iter().enumerate() {
                { sign(props, at, mark) }
            }
        </div>
    }
}

fn sign(props: &MarksProps, key: usize, sign: &Sign) -> Html {
    let mark = &sign.mark;
    // It leads to what it shows.
    let step = mark.step as usize;
    let (kind, shape) = match mark.kind {
        MarkKind::Triggered => ("triggered", "M6 0v16M6 1h5v5H6"),
        MarkKind::Blocked => ("blocked", "M6 11v4"),
        MarkKind::Overtaken => ("blocked", "M2.5 9.5L5 12.5l-2.5 3M6.5 9.5L9 12.5l-2.5 3"),
        MarkKind::Completed => ("completed", "M6 2L11 11H1z"),
        MarkKind::Aborted => ("aborted", "M6 0v16M3 5l6 6"),
        MarkKind::Committed => ("committed", "M6 1l5 5-5 5-5-5z"),
        MarkKind::Fault => ("fault", "M2 2l8 8M10 2l-8 8"),
        MarkKind::Restored | MarkKind::Back => {
            ("restored", "M10.5 6A4.5 4.5 0 1 1 8 2M8 -1v3.5H11")
        }
        MarkKind::Broken | MarkKind::SinkFailed | MarkKind::StopFailed => {
            ("fault", "M2 2l8 8M10 2l-8 8")
        }
        MarkKind::CommitDropped => ("fault", "M6 0v8M6 11v1"),
        MarkKind::Lingering => ("aborted", "M6 0v16M3 5l6 6"),
        MarkKind::Redeployed => ("restored", "M10.5 6A4.5 4.5 0 1 1 8 2M8 -1v3.5H11"),
        MarkKind::Elected => ("restored", "M6 1l5 9H1z"),
        MarkKind::Rebalanced => ("restored", "M1 4h10M8 1l3 3-3 3M11 12H1M4 9l-3 3 3 3"),
        MarkKind::Decided => ("committed", "M6 1l5 5-5 5-5-5z"),
        MarkKind::Undone => ("aborted", "M6 0v16M3 5l6 6"),
        MarkKind::Again => ("fault", "M6 1v10M1 6h10"),
        MarkKind::Voted => ("voted", "M1.5 6.5L5 10l6-8"),
        MarkKind::CommitReached => ("committed", "M6 1l5 5-5 5-5-5z"),
        MarkKind::AbortReached => ("aborted", "M6 0v16M3 5l6 6"),
        MarkKind::InDoubtBlocked => ("doubt", "M2 1h8M2 11h8M3.5 1v10M8.5 1v10"),
        MarkKind::InDoubtReleased => ("doubt", "M1 6h9M6.5 2.5L10 6l-3.5 3.5"),
        MarkKind::PropertyBroken => ("fault", "M6 0v8M6 11v1"),
    };
    let words = words(props.lang, &sign.marks);
    html! {
        <button
            {key}
            class={classes!("mark", kind, epoch_class(Some(mark.checkpoint)))}
            style={format!("left:{}", percent(sign.part))}
            tabindex="-1"
            title={words.clone()}
            aria-label={words}
            onclick={props.on.reform(move |_: MouseEvent| Action::GoTo(step))}
            onmousedown={|event: MouseEvent| event.prevent_default()}
        >
            <svg viewBox="0 -2 12 20" aria-hidden="true"><path d={shape} /></svg>
        </button>
    }
}

/// What a sign stands for: each kind once, in the order in which they come.
fn words(lang: Lang, marks: &[Mark]) -> String {
    let mut all: Vec<String> = Vec::new();
    for mark in marks {
        let word = text::mark(lang, mark);
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all.join(lang.pick("; ", "；"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_that_would_overlap_share_a_sign() {
        let mark = |step, kind| Mark {
            step,
            kind,
            checkpoint: barrierscope_core::id::CheckpointId::NONE,
        };
        let signs = thin(
            vec![
                (mark(1, MarkKind::Back), 0.0),
                (mark(2, MarkKind::Rebalanced), 0.001),
                (mark(3, MarkKind::Broken), 0.002),
                (mark(9, MarkKind::Back), 0.5),
                (mark(12, MarkKind::Triggered), 0.5),
                (mark(13, MarkKind::Completed), 0.5),
            ],
            0.01,
        );
        let kinds: Vec<_> = signs
            .iter()
            .map(|sign| (sign.mark.kind, sign.marks.len()))
            .collect();
        assert_eq!(
            kinds,
            [
                (MarkKind::Rebalanced, 2),
                (MarkKind::Broken, 1),
                (MarkKind::Back, 1),
                (MarkKind::Triggered, 1),
                (MarkKind::Completed, 1),
            ]
        );
        assert_eq!(
            signs[0].mark.step, 2,
            "a click leads to what the sign shows"
        );
    }

    #[test]
    fn parts_are_written_as_percent() {
        assert_eq!(percent(0.0), "0.000%");
        assert_eq!(percent(0.123_456), "12.346%");
        assert_eq!(percent(7.0), "100.000%");
    }
}
