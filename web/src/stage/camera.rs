//! How near one looks at the stage: zoom by keys, buttons, a wheel with Ctrl or two fingers, and moving it by dragging.
//!
//! What does not fit into its frame scrolls in it, as everything else does on a page: so wheel and touch never get
//! caught, and the browser does the moving.

use std::collections::BTreeMap;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, WheelEvent};
use yew::{
    Callback, Html, KeyboardEvent, MouseEvent, NodeRef, PointerEvent, UseStateHandle, hook, html,
    use_effect_with, use_mut_ref, use_state_eq,
};

use super::geometry::{Point, point};
use crate::browser::use_wheel;
use crate::text::{Label, Lang, label};

/// By how much one key or button zooms.
const STEP: f64 = 1.25;
/// The least and the most, compared with what fits.
const FACTORS: (f64, f64) = (0.5, 4.0);
/// By how far an arrow moves, in pixels.
const WAY: f64 = 60.0;
/// The way of the pointer from which on it is a drag.
const DRAG: f64 = 4.0;

/// How near one looks at the stage.
#[derive(Clone)]
pub(super) struct Camera {
    /// How much larger than what fits.
    pub factor: f64,
    frame: NodeRef,
    state: UseStateHandle<f64>,
    /// What is to stay in its place when the size changes: the part of the stage, and where it is in the frame.
    anchor: std::rc::Rc<std::cell::RefCell<Option<(Point, Point)>>>,
}

/// Follows how near somebody looks.
#[hook]
pub(super) fn use_camera(frame: &NodeRef) -> Camera {
    let state = use_state_eq(|| 1.0);
    let camera = Camera {
        factor: *state,
        frame: frame.clone(),
        state,
        anchor: use_mut_ref(|| None),
    };
    {
        let camera = camera.clone();
        use_effect_with(camera.factor.to_bits(), move |_| camera.settle());
    }
    {
        let camera = camera.clone();
        use_wheel(frame, move |event: &WheelEvent, at| {
            if !event.ctrl_key() {
                return false;
            }
            camera.zoom((-event.delta_y() * 0.008).clamp(-1.0, 1.0).exp(), Some(at));
            true
        });
    }
    camera
}

impl Camera {
    fn frame(&self) -> Option<HtmlElement> {
        self.frame.cast::<HtmlElement>()
    }

    /// Looks at the whole.
    pub(super) fn fit(&self) {
        self.state.set(1.0);
    }

    /// Zooms, with what is at a place of the frame staying there; without a place, with its middle.
    pub(super) fn zoom(&self, by: f64, at: Option<Point>) {
        let Some(frame) = self.frame() else {
            return;
        };
        let at = at.unwrap_or_else(|| {
            point(
                f64::from(frame.client_width()) / 2.0,
                f64::from(frame.client_height()) / 2.0,
            )
        });
        let (w, h) = (
            f64::from(frame.scroll_width()).max(1.0),
            f64::from(frame.scroll_height()).max(1.0),
        );
        let part = point(
            (f64::from(frame.scroll_left()) + at.x) / w,
            (f64::from(frame.scroll_top()) + at.y) / h,
        );
        *self.anchor.borrow_mut() = Some((part, at));
        self.state
            .set((self.factor * by).clamp(FACTORS.0, FACTORS.1));
    }

    /// Has what was to stay in its place be there.
    fn settle(&self) {
        let anchor = self.anchor.borrow_mut().take();
        if let (Some((part, at)), Some(frame)) = (anchor, self.frame()) {
            let place = |part: f64, all: i32, at: f64| (part * f64::from(all) - at).round() as i32;
            frame.set_scroll_left(place(part.x, frame.scroll_width(), at.x));
            frame.set_scroll_top(place(part.y, frame.scroll_height(), at.y));
        }
    }

    /// Keys that mean something while the stage has the focus.
    pub(super) fn keys(&self) -> Callback<KeyboardEvent> {
        let camera = self.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() {
                return;
            }
            let is_button = |event: &KeyboardEvent| {
                let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
                target.is_some_and(|it| it.tag_name() == "BUTTON")
            };
            match event.key().as_str() {
                "+" | "=" => camera.zoom(STEP, None),
                "-" | "_" => camera.zoom(STEP.recip(), None),
                "0" => camera.fit(),
                key if !is_button(&event) && !event.shift_key() => {
                    let way = match key {
                        "ArrowLeft" => point(-WAY, 0.0),
                        "ArrowRight" => point(WAY, 0.0),
                        "ArrowUp" => point(0.0, -WAY),
                        "ArrowDown" => point(0.0, WAY),
                        _ => return,
                    };
                    // On a thing on the stage they go on to step through time.
                    if !camera.is_focused() || !camera.moves(way) {
                        return;
                    }
                }
                _ => return,
            }
            event.prevent_default();
            event.stop_propagation();
        })
    }

    fn is_focused(&self) -> bool {
        let frame = self.frame();
        let active = crate::browser::focused();
        frame.is_some_and(|frame| active.as_ref() == Some(frame.as_ref()))
    }

    /// Moves the frame; false if all of the stage is in it.
    fn moves(&self, way: Point) -> bool {
        let Some(frame) = self.frame() else {
            return false;
        };
        let fits = frame.scroll_width() <= frame.client_width() + 1
            && frame.scroll_height() <= frame.client_height() + 1;
        if !fits {
            frame.set_scroll_left(frame.scroll_left() + way.x as i32);
            frame.set_scroll_top(frame.scroll_top() + way.y as i32);
        }
        !fits
    }

    /// The buttons.
    pub(super) fn buttons(&self, lang: Lang) -> Html {
        let button = |name: Label, sign: String, id: &'static str, act: Callback<MouseEvent>| {
            let name = label(lang, name);
            // What stands on it is a part of its name, so that whoever says what they see is understood.
            let spoken = match sign.ends_with('%') {
                true => format!("{sign}, {name}"),
                false => name.to_owned(),
            };
            html! {
                <button class="quiet" title={name} aria-label={spoken} onclick={act} data-testid={id}>
                    { sign }
                </button>
            }
        };
        let zoom = |by: f64| {
            let camera = self.clone();
            Callback::from(move |_: MouseEvent| camera.zoom(by, None))
        };
        let fit = {
            let camera = self.clone();
            Callback::from(move |_: MouseEvent| camera.fit())
        };
        let percent = format!("{} %", (self.factor * 100.0).round() as i64);
        html! {
            <div class="zoom" role="group" aria-label={label(lang, Label::Zoom)}>
                { button(Label::ZoomOut, "−".to_owned(), "stage-out", zoom(STEP.recip())) }
                { button(Label::ZoomFit, percent, "stage-fit", fit) }
                { button(Label::ZoomIn, "+".to_owned(), "stage-in", zoom(STEP)) }
            </div>
        }
    }
}

/// What the pointer does to the stage.
pub(super) struct Grip {
    pub down: Callback<PointerEvent>,
    pub over: Callback<PointerEvent>,
    pub up: Callback<PointerEvent>,
}

/// What holds the stage: a pointer that drags it, or two fingers.
#[derive(Default)]
struct Held {
    drag: Option<(Point, i32, i32)>,
    fingers: BTreeMap<i32, Point>,
    apart: f64,
}

/// Lets the stage be dragged where nothing else is, and be zoomed by two fingers. One finger scrolls, as everywhere.
#[hook]
pub(super) fn use_grip(camera: &Camera) -> Grip {
    let held = use_mut_ref(Held::default);
    let place = |event: &PointerEvent| point(event.client_x().into(), event.client_y().into());
    let down = {
        let (held, camera) = (held.clone(), camera.clone());
        Callback::from(move |event: PointerEvent| {
            let mut held = held.borrow_mut();
            if event.pointer_type() == "touch" {
                held.fingers.insert(event.pointer_id(), place(&event));
                held.apart = apart(&held.fingers);
                return;
            }
            let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
            let is_thing = target
                .is_some_and(|it| it.closest(".node, .fold, button").ok().flatten().is_some());
            if let (false, 0, Some(frame)) = (is_thing, event.button(), camera.frame()) {
                held.drag = Some((place(&event), frame.scroll_left(), frame.scroll_top()));
            }
        })
    };
    let over = {
        let (held, camera) = (held.clone(), camera.clone());
        Callback::from(move |event: PointerEvent| {
            let mut held = held.borrow_mut();
            let at = place(&event);
            if let Some(finger) = held.fingers.get_mut(&event.pointer_id()) {
                *finger = at;
                let now = apart(&held.fingers);
                if held.fingers.len() == 2
                    && held.apart > 0.0
                    && (now / held.apart - 1.0).abs() > 0.03
                {
                    camera.zoom(now / held.apart, camera.middle(&held.fingers));
                    held.apart = now;
                }
                return;
            }
            if event.buttons() & 1 == 0 {
                held.drag = None;
            }
            if let (Some((from, left, top)), Some(frame)) = (held.drag, camera.frame()) {
                let way = at - from;
                if way.length() > DRAG {
                    frame.set_scroll_left(left - way.x as i32);
                    frame.set_scroll_top(top - way.y as i32);
                }
            }
        })
    };
    let up = Callback::from(move |event: PointerEvent| {
        let mut held = held.borrow_mut();
        held.drag = None;
        held.fingers.remove(&event.pointer_id());
    });
    Grip { down, over, up }
}

impl Camera {
    /// The middle between two fingers, as a place of the frame.
    fn middle(&self, fingers: &BTreeMap<i32, Point>) -> Option<Point> {
        let corner = self.frame()?.get_bounding_client_rect();
        let mut all = fingers.values();
        let (one, other) = (all.next()?, all.next()?);
        Some(one.towards(*other, 0.5) - point(corner.x(), corner.y()))
    }
}

/// How far two fingers are from each other.
fn apart(fingers: &BTreeMap<i32, Point>) -> f64 {
    let mut all = fingers.values();
    match (all.next(), all.next()) {
        (Some(one), Some(other)) => (*one - *other).length(),
        _ => 0.0,
    }
}
