//! The space-time diagram: a lane for each process, messages as arrows, checkpoints as fronts across the lanes; and of
//! the step that is pointed at, what had to happen before it and what only after.
//!
//! [`mod@picture`] says what is to be drawn and where, and is pure; [`paint`] draws it; the component is what a person
//! holds on to.

mod lanes;
pub mod paint;
pub mod picture;
pub mod strips;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use web_sys::{Element, HtmlCanvasElement, WheelEvent};
use yew::{
    Callback, Html, KeyboardEvent, MouseEvent, NodeRef, PointerEvent, Properties, UseStateHandle,
    component, hook, html, use_effect_with, use_memo, use_mut_ref, use_node_ref, use_state,
    use_state_eq,
};

use crate::address::Theme;
use crate::browser::{self, use_wheel};
use crate::same::Same;
use crate::stage::geometry::{Size, point, px};
use crate::state::{Action, Along, Chart, Cone, View};
use crate::text::{Label, Lang, label, spacetime as words};
use lanes::lanes;
use paint::{Colours, Direction, Painter, SWATCHES};
use picture::{Picture, Spot, Window, hit, nearest_on, next_on, picture};
use strips::Strips;

/// What the diagram depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// Beyond this step nothing is told yet.
    pub limit: Option<usize>,
    /// What runs along it.
    pub axis: Along,
    /// The language.
    pub lang: Lang,
    /// The theme: its colours are drawn.
    pub theme: Theme,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// A strip has so much room at least, and at most, across.
const PITCH: (f64, f64) = (17.0, 46.0);
/// Beside each other they need more: their names stand above them.
const PITCH_DOWN: (f64, f64) = (38.0, 90.0);
/// A step has so much room, unless somebody wants more or less.
const STEP: f64 = 7.0;
/// The fewest steps to be seen at once.
const FEWEST: f64 = 8.0;
/// How near to a step one has to point.
const NEAR: f64 = 12.0;
/// Below this width of the page time runs downwards.
const NARROW: f64 = 760.0;
/// The way of the pointer from which on it is a drag.
const DRAG: f64 = 4.0;
/// So near to the end there is no room for a mark of the time.
const EDGE: f64 = 20.0;

/// Where somebody has moved the window, and the step that was looked at then.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Moved {
    from: Option<f64>,
    span: Option<f64>,
    at: usize,
}

/// A pointer that is down: where it went down, the window as it was then, and whether it has been moved since.
type Drag = (f64, Window, bool);

/// The diagram.
#[component]
pub fn SpaceTime(props: &Props) -> Html {
    let (view, lang) = (&props.view, props.lang);
    let room = use_state(Size::default);
    let (frame, canvas, swatches) = (use_node_ref(), use_node_ref(), use_node_ref());
    let whole = use_node_ref();
    {
        // On a narrow page it opens below the stage: who asked for it is led there.
        let whole = whole.clone();
        use_effect_with((), move |()| {
            if let Some(whole) = whole.cast::<Element>() {
                browser::scroll_into_view(&whole);
            }
        });
    }
    {
        let room = room.clone();
        use_effect_with(frame.clone(), move |frame| {
            let frame = frame.cast::<Element>();
            let observed = frame.and_then(|frame| browser::watch_size(&frame, room));
            move || drop(observed)
        });
    }
    let direction = match browser::window_size().0 < NARROW {
        true => Direction::Down,
        false => Direction::Right,
    };
    let chart = Same(view.run.chart());
    let unfolded = use_state(BTreeSet::<String>::new);
    let (length, across, pitches) = match direction {
        Direction::Right => (room.w, room.h, PITCH),
        Direction::Down => (room.h, room.w, PITCH_DOWN),
    };
    let places = (across / pitches.0).max(1.0) as usize;
    let strips = use_memo(
        (chart.clone(), places, (*unfolded).clone()),
        |(chart, places, unfolded)| Strips::arrange(&chart.diagram, *places, unfolded),
    );
    let pitch = (across / strips.all.len().max(1) as f64).clamp(pitches.0, pitches.1);
    let limit = props.limit.unwrap_or(usize::MAX).min(view.last) as u32;
    let moved = use_state_eq(Moved::default);
    let window = window(props, &chart, *moved, length);
    let sight = picture::View {
        axis: props.axis,
        window,
        length,
        pitch,
        limit,
    };
    let pointed = use_state_eq(|| None::<u32>);
    let held = use_state_eq(|| None::<(usize, u32)>);
    let here = (*pointed).or(held.map(|(_, step)| step));
    let cone = use_memo((chart.clone(), here), |(chart, here)| {
        here.map(|step| chart.cone(step))
    });
    let drawn = {
        let deps = (
            chart.clone(),
            Same(Rc::clone(&strips)),
            Seen(sight),
            Same(Rc::clone(&cone)),
        );
        use_memo(deps, |(chart, strips, Seen(sight), cone)| {
            picture(chart, strips, *sight, cone.as_ref())
        })
    };
    {
        let (canvas, swatches, size) = (canvas.clone(), swatches.clone(), *room);
        let (strips, drawn) = (strips.all.len(), Same(Rc::clone(&drawn)));
        let theme = (
            props.theme,
            browser::prefers("(prefers-color-scheme: dark)"),
        );
        use_effect_with(
            (drawn, size, strips, theme),
            move |(drawn, size, strips, _)| {
                let canvas = canvas.cast::<HtmlCanvasElement>();
                let colours = swatches.cast::<Element>().map(|it| Colours::read(&it));
                if let (Some(canvas), Some(colours)) = (canvas, colours)
                    && let Some(painter) = Painter::new(&canvas, &colours, direction, *size)
                {
                    painter.paint(drawn, *strips, pitch);
                }
            },
        );
    }
    let end = end_of(props, &chart, limit);
    let set_window = {
        let (moved, at) = (moved.clone(), view.step);
        Callback::from(move |window: Window| {
            moved.set(Moved {
                from: Some(window.from),
                span: Some(window.span()),
                at,
            });
        })
    };
    let zoom = {
        let set_window = set_window.clone();
        let fixed = sight.place(&chart, view.step as u32);
        let fixed = if window.shows(fixed) {
            fixed
        } else {
            (window.from + window.to) / 2.0
        };
        Callback::from(move |factor: f64| {
            set_window.emit(window.zoomed(factor, fixed, end, least(end, limit)));
        })
    };
    use_zoom_by_wheel(
        &frame,
        direction,
        sight,
        (end, least(end, limit)),
        &set_window,
    );
    let finder = Finder {
        frame: frame.clone(),
        chart: chart.clone(),
        strips: Same(Rc::clone(&strips)),
        sight,
        direction,
    };
    let drag = use_mut_ref(|| None::<Drag>);
    let pointer = pointer(props, &finder, &pointed, &drag, &set_window, end);
    let keys = keys(props, &finder, &held, &zoom, &set_window, window, end);
    let cursor = sight.along(sight.place(&chart, view.step as u32));
    let told = here.map(|step| words::event(&view.at(step as usize), lang, &chart, step));
    html! {
        <section
            class="spacetime panel"
            ref={whole}
            aria-label={label(lang, Label::SpaceTime)}
            data-testid="spacetime"
        >
            <header>
                <h2>{ label(lang, Label::SpaceTime) }</h2>
                { axes(props) }
                { tools(props, &zoom, &set_window, window, end) }
            </header>
            <div class={if direction == Direction::Down { "chart down" } else { "chart" }}>
                { lanes(props, &strips, &chart, pitch, direction, &unfolded) }
                <div class="chart-area">
                    { ticks(props.axis, &drawn, direction, length) }
                <div
                    class="chart-frame"
                    ref={frame}
                    tabindex="0"
                    role="application"
                    aria-roledescription={label(lang, Label::SpaceTime)}
                    aria-label={label(lang, Label::SpaceTimeHint)}
                    data-testid="spacetime-frame"
                    data-here={here.map(|step| step.to_string())}
                    data-from={window.from.to_string()}
                    data-to={window.to.to_string()}
                    onpointerdown={pointer.down}
                    onpointermove={pointer.over}
                    onpointerup={pointer.up}
                    onpointerleave={pointer.away}
                    onkeydown={keys}
                    onblur={
                        let held = held.clone();
                        Callback::from(move |_| held.set(None))
                    }
                >
                    <canvas ref={canvas} aria-hidden="true" style={format!("width:{}px;height:{}px", px(room.w), px(room.h))} />
                    </div>
                    if (0.0..=length).contains(&cursor) {
                        <div class="cursor" style={place(direction, cursor)} data-testid="spacetime-cursor" />
                    }
                </div>
            </div>
            { footer(lang, &drawn, told.as_deref(), cone.as_ref().as_ref()) }
            <div class="swatches" ref={swatches} hidden=true>
                for class in SWATCHES {
                    <i {class} />
                }
            </div>
        </section>
    }
}

/// A view of the picture, as something that a drawing depends on.
#[derive(Clone, Copy, PartialEq)]
struct Seen(picture::View);

/// How much of the run can be looked at, in what runs along.
fn end_of(props: &Props, chart: &Chart, limit: u32) -> f64 {
    match props.axis {
        Along::Steps => f64::from(limit).max(1.0),
        Along::Time => (chart.diagram.time(limit).0 as f64).max(1.0),
    }
}

/// The least that is looked at.
fn least(end: f64, limit: u32) -> f64 {
    end * (FEWEST / f64::from(limit).max(FEWEST))
}

/// The part of the run that is looked at: where somebody has moved it, as long as the step is in it or has not changed
/// since; otherwise the page of it that has the step.
fn window(props: &Props, chart: &Chart, moved: Moved, length: f64) -> Window {
    let limit = props.limit.unwrap_or(usize::MAX).min(props.view.last) as u32;
    let end = end_of(props, chart, limit);
    let steps = (length / STEP).max(FEWEST);
    let usual = end * (steps / f64::from(limit).max(steps));
    let span = moved
        .span
        .unwrap_or(usual)
        .clamp(least(end, limit).min(end), end);
    let place = match props.axis {
        Along::Steps => props.view.step as f64,
        Along::Time => props.view.time.0 as f64,
    };
    if let Some(from) = moved.from {
        let window = Window::within(from, span, end);
        if moved.at == props.view.step || window.shows(place) {
            return window;
        }
    }
    // What came just before the step is seen too.
    let page = span * 0.8;
    Window::within((place / page).floor() * page - span * 0.1, span, end)
}

fn axes(props: &Props) -> Html {
    let name = |axis| match axis {
        Along::Steps => Label::AxisSteps,
        Along::Time => Label::AxisTime,
    };
    html! {
        <div class="segmented small" role="group" aria-label={label(props.lang, Label::SpaceTimeAxis)}>
            for axis in Along::ALL {
                <button
                    aria-pressed={(axis == props.axis).to_string()}
                    data-testid={format!("axis-{}", axis.code())}
                    onclick={props.on.reform(move |_: MouseEvent| Action::SpaceTime(Some(axis)))}
                >
                    { label(props.lang, name(axis)) }
                </button>
            }
        </div>
    }
}

fn tools(
    props: &Props,
    zoom: &Callback<f64>,
    set_window: &Callback<Window>,
    window: Window,
    end: f64,
) -> Html {
    let move_by = |part: f64| set_window.reform(move |_: MouseEvent| window.moved(part, end));
    let zoom_by = |factor: f64| zoom.reform(move |_: MouseEvent| factor);
    let all = set_window.reform(move |_: MouseEvent| Window { from: 0.0, to: end });
    let button = |name: Label, sign: &'static str, act: Callback<MouseEvent>, id: &'static str| {
        let name = label(props.lang, name);
        html! {
            <button class="icon-button quiet" title={name} aria-label={name} onclick={act} data-testid={id}>
                { sign }
            </button>
        }
    };
    html! {
        <div class="tools">
            { button(Label::Earlier, "‹", move_by(-0.5), "spacetime-earlier") }
            { button(Label::Later, "›", move_by(0.5), "spacetime-later") }
            { button(Label::ZoomOut, "−", zoom_by(1.6), "spacetime-out") }
            { button(Label::ZoomIn, "+", zoom_by(1.0 / 1.6), "spacetime-in") }
            { button(Label::ZoomAll, "↔", all, "spacetime-all") }
            { button(Label::CloseDiagram, "✕", props.on.reform(|_: MouseEvent| Action::SpaceTime(None)), "spacetime-close") }
        </div>
    }
}

fn ticks(axis: Along, drawn: &Picture, direction: Direction, length: f64) -> Html {
    let has_room = |along: &f64| *along < length - EDGE;
    html! {
        <div class="ticks" aria-hidden="true">
            for (along, at) in drawn.ticks.iter().filter(|(along, _)| has_room(along)) {
                <span style={place(direction, *along)}>{ words::tick(axis, *at) }</span>
            }
        </div>
    }
}

fn place(direction: Direction, along: f64) -> String {
    match direction {
        Direction::Right => format!("left:{}px", px(along)),
        Direction::Down => format!("top:{}px", px(along)),
    }
}

/// What is said of the step that is pointed at; without one, how the diagram is read.
fn footer(lang: Lang, drawn: &Picture, told: Option<&str>, cone: Option<&Cone>) -> Html {
    html! {
        <p class="cone" data-testid="spacetime-told">
            <span role="status" aria-live="polite">
                if let Some(told) = told {
                    { told }
                    if let Some(cone) = cone {
                        <em>{ words::cone(lang, cone) }</em>
                    }
                }
            </span>
            if told.is_none() {
                <span class="hint">
                    if drawn.left_out > 0 {
                        { words::left_out(lang, drawn.left_out) }
                    } else {
                        { label(lang, Label::SpaceTimeLegend) }
                    }
                </span>
            }
        </p>
    }
}

/// Finds steps in the picture.
#[derive(Clone)]
struct Finder {
    frame: NodeRef,
    chart: Same<Chart>,
    strips: Same<Strips>,
    sight: picture::View,
    direction: Direction,
}

impl Finder {
    fn spot(&self, event: &MouseEvent) -> Option<Spot> {
        // Events are heard at the root of the page: the event does not say whose they are.
        let corner = self.frame.cast::<Element>()?.get_bounding_client_rect();
        Some(self.direction.spot(point(
            f64::from(event.client_x()) - corner.x(),
            f64::from(event.client_y()) - corner.y(),
        )))
    }

    fn step_at(&self, spot: Spot) -> Option<u32> {
        hit(&self.chart, &self.strips, self.sight, spot, NEAR)
    }
}

/// What the pointer does.
struct Pointer {
    down: Callback<PointerEvent>,
    over: Callback<PointerEvent>,
    up: Callback<PointerEvent>,
    away: Callback<PointerEvent>,
}

fn pointer(
    props: &Props,
    finder: &Finder,
    pointed: &UseStateHandle<Option<u32>>,
    drag: &Rc<RefCell<Option<Drag>>>,
    set_window: &Callback<Window>,
    end: f64,
) -> Pointer {
    let down = {
        let (finder, drag) = (finder.clone(), Rc::clone(drag));
        Callback::from(move |event: PointerEvent| {
            let spot = finder.spot(&event);
            *drag.borrow_mut() = spot.map(|spot| (spot.along, finder.sight.window, false));
        })
    };
    let over = {
        let (finder, drag, pointed) = (finder.clone(), Rc::clone(drag), pointed.clone());
        let set_window = set_window.clone();
        Callback::from(move |event: PointerEvent| {
            let Some(spot) = finder.spot(&event) else {
                return;
            };
            if let Some((from, window, is_drag)) = &mut *drag.borrow_mut()
                && event.buttons() & 1 == 1
            {
                let way = spot.along - *from;
                *is_drag |= way.abs() > DRAG;
                if *is_drag {
                    let part = -way / finder.sight.length.max(1.0);
                    set_window.emit(window.moved(part, end));
                }
                return;
            }
            if event.pointer_type() != "touch" {
                pointed.set(finder.step_at(spot));
            }
        })
    };
    let up = {
        let (finder, drag, pointed) = (finder.clone(), Rc::clone(drag), pointed.clone());
        let on = props.on.clone();
        Callback::from(move |event: PointerEvent| {
            let was_drag = drag.borrow_mut().take().is_some_and(|(.., drag)| drag);
            let spot = finder.spot(&event).filter(|_| !was_drag);
            let Some(spot) = spot else {
                return;
            };
            match finder.step_at(spot) {
                Some(step) => {
                    pointed.set(Some(step));
                    on.emit(Action::GoTo(step as usize));
                }
                None => pointed.set(None),
            }
        })
    };
    let away = {
        let (pointed, drag) = (pointed.clone(), Rc::clone(drag));
        Callback::from(move |event: PointerEvent| {
            *drag.borrow_mut() = None;
            if event.pointer_type() != "touch" {
                pointed.set(None);
            }
        })
    };
    Pointer {
        down,
        over,
        up,
        away,
    }
}

/// Zooms by a wheel with Ctrl, which is what two fingers on a touchpad send, and moves sideways; a wheel alone scrolls
/// the page.
#[hook]
fn use_zoom_by_wheel(
    frame: &NodeRef,
    direction: Direction,
    sight: picture::View,
    bounds: (f64, f64),
    set_window: &Callback<Window>,
) {
    let (window, set_window) = (sight.window, set_window.clone());
    let (end, least) = bounds;
    use_wheel(frame, move |event: &WheelEvent, at| {
        let spot = direction.spot(at);
        if event.ctrl_key() {
            let factor = (event.delta_y() * 0.008).clamp(-1.0, 1.0).exp();
            let fixed = sight.place_at(spot.along);
            set_window.emit(window.zoomed(factor, fixed, end, least));
            return true;
        }
        let way = if event.shift_key() && event.delta_x() == 0.0 {
            event.delta_y()
        } else {
            event.delta_x()
        };
        if way == 0.0 || direction == Direction::Down {
            return false;
        }
        set_window.emit(window.moved(way / sight.length.max(1.0), end));
        true
    });
}

/// What keys do while the diagram has the focus: they go from step to step along a lane, and from lane to lane.
fn keys(
    props: &Props,
    finder: &Finder,
    held: &UseStateHandle<Option<(usize, u32)>>,
    zoom: &Callback<f64>,
    set_window: &Callback<Window>,
    window: Window,
    end: f64,
) -> Callback<KeyboardEvent> {
    let (finder, held, on) = (finder.clone(), held.clone(), props.on.clone());
    let (zoom, set_window, now) = (zoom.clone(), set_window.clone(), props.view.step as u32);
    Callback::from(move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key() {
            return;
        }
        let Finder {
            chart,
            strips,
            sight,
            direction,
            ..
        } = &finder;
        let here = *held;
        let begin = || {
            let lanes = chart.diagram.lanes_of(now.max(1));
            lanes.first().and_then(|lane| strips.of(*lane)).unwrap_or(0)
        };
        let along = |forwards: bool| {
            let (strip, step) = here.unwrap_or_else(|| (begin(), now));
            let next = next_on(chart, strips, strip, step, forwards, sight.limit);
            Some((strip, next.unwrap_or(step)))
        };
        let across = |way: isize| {
            let (strip, step) = here.unwrap_or_else(|| (begin(), now));
            let mut strip = strip;
            loop {
                strip = strip
                    .checked_add_signed(way)
                    .filter(|it| *it < strips.all.len())?;
                if let Some(step) = nearest_on(chart, strips, strip, step, sight.limit) {
                    return Some((strip, step));
                }
            }
        };
        let key = event.key();
        let arrow = match (key.as_str(), direction) {
            ("ArrowRight", Direction::Right) | ("ArrowDown", Direction::Down) => along(true),
            ("ArrowLeft", Direction::Right) | ("ArrowUp", Direction::Down) => along(false),
            ("ArrowDown", Direction::Right) | ("ArrowRight", Direction::Down) => across(1),
            ("ArrowUp", Direction::Right) | ("ArrowLeft", Direction::Down) => across(-1),
            _ => None,
        };
        match key.as_str() {
            "ArrowRight" | "ArrowLeft" | "ArrowUp" | "ArrowDown" => {
                if let Some((strip, step)) = arrow {
                    held.set(Some((strip, step)));
                    let place = sight.place(chart, step);
                    if !sight.window.shows(place) {
                        let span = sight.window.span();
                        set_window.emit(Window::within(place - span / 2.0, span, end));
                    }
                }
            }
            "Enter" => match here {
                Some((_, step)) => on.emit(Action::GoTo(step as usize)),
                None => return,
            },
            "Escape" if here.is_some() => held.set(None),
            "+" | "=" => zoom.emit(1.0 / 1.6),
            "-" | "_" => zoom.emit(1.6),
            "0" => set_window.emit(Window { from: 0.0, to: end }),
            "PageUp" => set_window.emit(window.moved(-0.8, end)),
            "PageDown" => set_window.emit(window.moved(0.8, end)),
            _ => return,
        }
        event.prevent_default();
    })
}
