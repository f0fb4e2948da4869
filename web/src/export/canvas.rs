//! Puts a [`Pen`] where a canvas' context is expected.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use web_sys::CanvasRenderingContext2d;

use super::pen::{Pen, Style};

/// Numbers that a call has; those that are left out are no numbers.
type Call = Closure<dyn FnMut(f64, f64, f64, f64, f64, f64)>;

/// Something that can be drawn on as on a canvas, as long as this is kept.
pub struct SvgCanvas {
    pen: Rc<RefCell<Pen>>,
    object: Object,
    _calls: Vec<Call>,
    _text: Closure<dyn FnMut(String, f64, f64)>,
    _dashes: Closure<dyn FnMut(Array)>,
    _measure: Closure<dyn FnMut(String) -> JsValue>,
}

/// A call by its name, and what the pen does.
type Deed = (&'static str, fn(&mut Pen, &Object, [f64; 6]));

const CALLS: [Deed; 24] = [
    ("save", |pen, _, _| pen.save()),
    ("restore", |pen, _, _| pen.restore()),
    ("setTransform", |pen, _, matrix| pen.set_matrix(matrix)),
    ("resetTransform", |pen, _, _| {
        pen.set_matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    }),
    ("transform", |pen, _, matrix| pen.transform(matrix)),
    ("translate", |pen, _, [x, y, ..]| {
        pen.transform([1.0, 0.0, 0.0, 1.0, x, y])
    }),
    ("scale", |pen, _, [x, y, ..]| {
        pen.transform([x, 0.0, 0.0, y, 0.0, 0.0])
    }),
    ("rotate", |pen, _, [angle, ..]| {
        let (sin, cos) = angle.sin_cos();
        pen.transform([cos, sin, -sin, cos, 0.0, 0.0]);
    }),
    // All is drawn anew, and nothing lies below.
    ("clearRect", |pen, _, _| pen.clear()),
    ("beginPath", |pen, _, _| pen.begin()),
    ("closePath", |pen, _, _| pen.close()),
    ("moveTo", |pen, _, [x, y, ..]| pen.move_to(x, y)),
    ("lineTo", |pen, _, [x, y, ..]| pen.line_to(x, y)),
    ("quadraticCurveTo", |pen, _, [a, b, c, d, ..]| {
        pen.curve(&[a, b, c, d])
    }),
    ("bezierCurveTo", |pen, _, points| pen.curve(&points)),
    ("arc", |pen, _, [x, y, r, from, to, counter]| {
        pen.arc(x, y, r, from, to, counter == 1.0)
    }),
    ("arcTo", |pen, _, [a, b, c, d, r, _]| {
        pen.arc_to(a, b, c, d, r)
    }),
    ("rect", |pen, _, [x, y, w, h, ..]| pen.rect(x, y, w, h)),
    ("roundRect", |pen, _, [x, y, w, h, r, _]| {
        pen.round_rect(x, y, w, h, r)
    }),
    ("fill", |pen, object, _| pen.fill(&style(object))),
    ("stroke", |pen, object, _| pen.stroke(&style(object))),
    ("fillRect", |pen, object, [x, y, w, h, ..]| {
        pen.fill_rect(x, y, w, h, &style(object))
    }),
    ("strokeRect", |pen, object, [x, y, w, h, ..]| {
        pen.stroke_rect(x, y, w, h, &style(object))
    }),
    ("clip", |_, _, _| ()),
];

/// What a context says of how things look, before anything else is said.
const LOOKS: [(&str, &str); 7] = [
    ("fillStyle", "#000000"),
    ("strokeStyle", "#000000"),
    ("lineCap", "butt"),
    ("lineJoin", "miter"),
    ("font", "10px sans-serif"),
    ("textAlign", "start"),
    ("textBaseline", "alphabetic"),
];

impl SvgCanvas {
    /// An empty one.
    pub fn new() -> Self {
        let (pen, object) = (Rc::new(RefCell::new(Pen::default())), Object::new());
        // A plain object takes any property.
        let put = |name: &str, value: &JsValue| drop(Reflect::set(&object, &name.into(), value));
        for (name, value) in LOOKS {
            put(name, &value.into());
        }
        put("lineWidth", &1.0.into());
        put("globalAlpha", &1.0.into());
        let calls: Vec<Call> = (CALLS.iter())
            .map(|(name, deed)| {
                let (pen, held) = (Rc::clone(&pen), object.clone());
                let call = Call::new(move |a, b, c, d, e, f| {
                    deed(&mut pen.borrow_mut(), &held, [a, b, c, d, e, f]);
                });
                put(name, call.as_ref());
                call
            })
            .collect();
        let (held, looks) = (Rc::clone(&pen), object.clone());
        let text = Closure::new(move |text: String, x: f64, y: f64| {
            held.borrow_mut().text(&text, x, y, &style(&looks));
        });
        put("fillText", text.as_ref());
        let held = Rc::clone(&pen);
        let dashes = Closure::new(move |dashes: Array| {
            let dashes = dashes.iter().filter_map(|it| it.as_f64()).collect();
            held.borrow_mut().set_dashes(dashes);
        });
        put("setLineDash", dashes.as_ref());
        let measure = Closure::new(|text: String| {
            let width = text.chars().count() as f64 * 6.6;
            let measured = Object::new();
            let _ = Reflect::set(&measured, &"width".into(), &width.into());
            measured.into()
        });
        put("measureText", measure.as_ref());
        Self {
            pen,
            object,
            _calls: calls,
            _text: text,
            _dashes: dashes,
            _measure: measure,
        }
    }

    /// The context, for whoever draws. It must not be kept longer than this.
    pub fn context(&self) -> CanvasRenderingContext2d {
        // Not one of the browser's: it has the calls of one.
        self.object.clone().unchecked_into()
    }

    /// What was drawn.
    pub fn into_svg(self) -> String {
        self.pen.take().into_svg()
    }
}

impl Default for SvgCanvas {
    fn default() -> Self {
        Self::new()
    }
}

/// How things look by what the context says now.
fn style(object: &Object) -> Style {
    let get = |name: &str| Reflect::get(object, &name.into()).unwrap_or_default();
    let word = |name: &str| get(name).as_string().unwrap_or_default();
    let number = |name: &str| get(name).as_f64().unwrap_or(1.0);
    Style {
        fill: word("fillStyle"),
        stroke: word("strokeStyle"),
        width: number("lineWidth"),
        cap: word("lineCap"),
        join: word("lineJoin"),
        alpha: number("globalAlpha"),
        font: word("font"),
        align: word("textAlign"),
        baseline: word("textBaseline"),
    }
}
