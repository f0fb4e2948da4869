//! The Web Worker that searches. It is started when a search begins, so that the page loads without it, and ended when
//! the search is over or given up: that is what takes effect at once, and gives its memory back.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use barrierscope_search::{Ask, Order, Told};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};
use yew::Callback;

use crate::state::Action;
use crate::state::search::{Deed, Task};
use crate::text::{Label, Lang, label};

/// Where the worker is, beside the page.
const SCRIPT: &str = "./barrierscope-search_loader.js";

/// A worker, and the search that it does.
pub(super) struct Searcher {
    serial: u64,
    is_paused: bool,
    worker: Worker,
    link: Rc<Link>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

/// What is to be sent as soon as the worker hears.
struct Link {
    is_ready: Cell<bool>,
    waiting: RefCell<Vec<Order>>,
}

impl Searcher {
    /// Starts a worker for a task; none if the browser has none.
    pub(super) fn start(task: &Task, lang: Lang, on: &Callback<Action>) -> Option<Self> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(SCRIPT, &options).ok()?;
        let link = Rc::new(Link {
            is_ready: Cell::new(false),
            waiting: RefCell::new(vec![begin(&task.ask)]),
        });
        let serial = task.serial;
        let on_message = {
            let (link, worker, on) = (Rc::clone(&link), worker.clone(), on.clone());
            Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
                let text = event.data().as_string().unwrap_or_default();
                match serde_json::from_str(&text) {
                    Ok(Told::Ready) => link.open(&worker),
                    Ok(told) => on.emit(Action::Told(serial, Box::new(told))),
                    // Another release's worker, from the browser's cache.
                    Err(error) => on.emit(Action::Search(Deed::Fail(error.to_string()))),
                }
            })
        };
        let on_error = {
            let on = on.clone();
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                event.prevent_default();
                let why = label(lang, Label::SearchNoMemory).to_owned();
                on.emit(Action::Search(Deed::Fail(why)));
            })
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Some(Self {
            serial,
            is_paused: false,
            worker,
            link,
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    /// Whether it does this task. If so, it stands still or goes on as the task says.
    pub(super) fn does(&mut self, task: &Task) -> bool {
        if self.serial != task.serial {
            return false;
        }
        if self.is_paused != task.is_paused {
            self.is_paused = task.is_paused;
            let order = match task.is_paused {
                true => Order::Pause,
                false => Order::Resume,
            };
            self.link.send(&self.worker, order);
        }
        true
    }
}

impl Drop for Searcher {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

impl Link {
    fn open(&self, worker: &Worker) {
        self.is_ready.set(true);
        for order in self.waiting.take() {
            post(worker, &order);
        }
    }

    fn send(&self, worker: &Worker, order: Order) {
        match self.is_ready.get() {
            true => post(worker, &order),
            false => self.waiting.borrow_mut().push(order),
        }
    }
}

fn begin(ask: &Ask) -> Order {
    Order::Begin(ask.clone())
}

fn post(worker: &Worker, order: &Order) {
    let text = serde_json::to_string(order).unwrap_or_default();
    // Text can always be sent.
    let _ = worker.post_message(&JsValue::from_str(&text));
}
