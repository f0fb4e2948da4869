//! What tests and measurements hold the page by.

use std::cell::RefCell;
use std::rc::Rc;

use barrierscope_core::explorer;
use barrierscope_core::models::pipeline::Pipeline;
use barrierscope_core::scenario::Scenario;
use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::{Closure, JsValue};
use yew::Context;

use super::{App, Message};
use crate::browser;
use crate::state::{Action, Page};

/// Puts `window.barrierscope` there, by which tests measure and compare:
/// `goTo(step)` looks at a step and says how many milliseconds that took, the scene included;
/// `fingerprint()` is that of the state that is shown, in hexadecimal digits; `last()` is the last step;
/// `open(json)` opens a scenario; `walk(json)` walks through every state of a scenario and says how many
/// there are and how long that took; `measure(json)` runs a scenario to its end and says how many steps and
/// events that were and how long it took; `memory()` is how many bytes the program has taken so far; `panic()` makes a
/// mistake, to see what comes of it.
pub(super) fn expose(ctx: &Context<App>, page: &Rc<RefCell<Page>>) -> Vec<Function> {
    let link = ctx.link().clone();
    let held = Rc::clone(page);
    let go_to = Function::new(move |step: JsValue| {
        let step = step.as_f64().unwrap_or(0.0).max(0.0) as usize;
        let began = browser::wall_time();
        held.borrow_mut().update(Action::GoTo(step));
        let took = browser::wall_time() - began;
        link.send_message(Message::Refresh);
        took.into()
    });
    let held = Rc::clone(page);
    let fingerprint = Function::new(move |_| {
        let page = held.borrow();
        format!(
            "{:016x}",
            page.view.run.with(|session| session.fingerprint())
        )
        .into()
    });
    let held = Rc::clone(page);
    let last = Function::new(move |_| JsValue::from_f64(held.borrow().view.last as f64));
    let link = ctx.link().clone();
    let held = Rc::clone(page);
    let open = Function::new(move |json: JsValue| {
        let json = json.as_string().unwrap_or_default();
        held.borrow_mut().update(Action::Open(json));
        link.send_message(Message::Refresh);
        JsValue::UNDEFINED
    });
    let walk = Function::new(|json: JsValue| walk(&json.as_string().unwrap_or_default()));
    let measure = Function::new(|json: JsValue| measure(&json.as_string().unwrap_or_default()));
    let memory = Function::new(|_| JsValue::from_f64(browser::memory() as f64));
    let panic = Function::new(|_| panic!("as asked for"));
    let handle = Object::new();
    for (name, closure) in [
        ("goTo", &go_to),
        ("fingerprint", &fingerprint),
        ("last", &last),
        ("open", &open),
        ("walk", &walk),
        ("measure", &measure),
        ("memory", &memory),
        ("panic", &panic),
    ] {
        // A plain object takes any property.
        let _ = Reflect::set(&handle, &name.into(), closure.as_ref());
    }
    if let Some(window) = browser::window() {
        let _ = Reflect::set(&window, &"barrierscope".into(), &handle);
    }
    vec![go_to, fingerprint, last, open, walk, measure, memory, panic]
}

/// A function that can be called from outside, as long as this is kept.
type Function = Closure<dyn FnMut(JsValue) -> JsValue>;

/// Walks through a scenario: what was found, as an object; or what is wrong with the scenario.
fn walk(json: &str) -> JsValue {
    let pipeline = match Scenario::from_json(json).and_then(Pipeline::new) {
        Ok(pipeline) => pipeline,
        Err(error) => return error.to_string().into(),
    };
    let began = browser::wall_time();
    let report = explorer::walk(&pipeline, usize::MAX, |_, _| false);
    let took = browser::wall_time() - began;
    numbers(&[
        ("distinct", report.distinct as f64),
        ("generated", report.generated as f64),
        ("depth", report.depth.into()),
        ("ms", took),
    ])
}

/// Runs a scenario to its end: what it came to, as an object; or what is wrong with the scenario.
fn measure(json: &str) -> JsValue {
    let began = browser::wall_time();
    let measured = match Scenario::from_json(json).and_then(barrierscope_core::measure) {
        Ok(measured) => measured,
        Err(error) => return error.to_string().into(),
    };
    let took = browser::wall_time() - began;
    numbers(&[
        ("steps", measured.steps as f64),
        ("events", measured.events as f64),
        ("ms", took),
    ])
}

/// An object of numbers.
fn numbers(fields: &[(&str, f64)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        // A plain object takes any property.
        let _ = Reflect::set(&object, &(*name).into(), &(*value).into());
    }
    object.into()
}
