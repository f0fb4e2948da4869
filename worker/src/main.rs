//! The Web Worker: hears orders, searches in slices, tells how far it is.
//!
//! Between two slices the browser hands over what has come meanwhile. A channel to itself has the next slice follow at
//! once; a timer would have it wait.

use std::cell::RefCell;
use std::rc::Rc;

use barrierscope_search::{Job, Order, Told};
use js_sys::global;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{Closure, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageChannel, MessageEvent};

/// A slice takes about so many milliseconds: orders are heard between two of them.
const SLICE: f64 = 25.0;
/// How far it is, it tells so often, in milliseconds.
const EVERY: f64 = 100.0;
/// Steps in the first slice, at least and at most in any.
const STEPS: (u32, u32, u32) = (500, 20, 5_000_000);

fn main() {
    let Ok(scope) = global().dyn_into::<DedicatedWorkerGlobalScope>() else {
        return;
    };
    let Ok(channel) = MessageChannel::new() else {
        return;
    };
    let worker = Rc::new(RefCell::new(Worker {
        scope: scope.clone(),
        channel,
        job: None,
        is_paused: false,
        is_due: false,
        steps: STEPS.0,
        told: 0.0,
        spent: 0.0,
    }));
    let held = Rc::clone(&worker);
    let on_order = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let text = event.data().as_string().unwrap_or_default();
        held.borrow_mut().obey(&text);
    });
    let held = Rc::clone(&worker);
    let on_turn = Closure::<dyn FnMut(MessageEvent)>::new(move |_| held.borrow_mut().turn());
    scope.set_onmessage(Some(on_order.as_ref().unchecked_ref()));
    let turns = worker.borrow().channel.port2();
    turns.set_onmessage(Some(on_turn.as_ref().unchecked_ref()));
    // They are heard as long as the worker lives.
    on_order.forget();
    on_turn.forget();
    worker.borrow().tell(&Told::Ready);
}

struct Worker {
    scope: DedicatedWorkerGlobalScope,
    channel: MessageChannel,
    job: Option<Job>,
    is_paused: bool,
    /// The next slice was asked for.
    is_due: bool,
    /// Steps in a slice.
    steps: u32,
    /// When it was told last how far it is.
    told: f64,
    /// Milliseconds in slices so far.
    spent: f64,
}

impl Worker {
    fn tell(&self, told: &Told) {
        let text = serde_json::to_string(told).unwrap_or_default();
        // Text can always be sent.
        let _ = self.scope.post_message(&JsValue::from_str(&text));
    }

    fn now(&self) -> f64 {
        let performance = self.scope.performance();
        performance.map_or(0.0, |performance| performance.now())
    }

    fn obey(&mut self, text: &str) {
        match serde_json::from_str(text) {
            Ok(Order::Begin(ask)) => match Job::begin(&ask) {
                Ok(job) => self.job = Some(job),
                Err(error) => self.tell(&Told::Refused(error.to_string())),
            },
            Ok(Order::Pause) => self.is_paused = true,
            Ok(Order::Resume) => self.is_paused = false,
            Err(error) => self.tell(&Told::Refused(format!("no order: {error}"))),
        }
        self.call();
    }

    /// Asks for the next slice.
    fn call(&mut self) {
        if self.is_due || self.is_paused || self.job.is_none() {
            return;
        }
        let called = self.channel.port1().post_message(&JsValue::NULL);
        self.is_due = called.is_ok();
    }

    /// Does a slice.
    fn turn(&mut self) {
        self.is_due = false;
        if self.is_paused {
            return;
        }
        let began = self.now();
        let steps = self.steps;
        let Some(job) = &mut self.job else {
            return;
        };
        let is_more = job.step(steps);
        let now = self.now();
        self.spent += now - began;
        let ms = self.spent as u64;
        if !is_more {
            let Some(job) = self.job.take() else {
                return;
            };
            let outcome = job.outcome();
            return self.tell(&Told::Over { outcome, ms });
        }
        let fits = f64::from(steps) * SLICE / (now - began).max(0.1);
        self.steps = (fits as u32).clamp(STEPS.1, steps.saturating_mul(2).min(STEPS.2));
        if now - self.told >= EVERY {
            self.told = now;
            if let Some(job) = &self.job {
                let progress = job.progress();
                self.tell(&Told::Progress { progress, ms });
            }
        }
        self.call();
    }
}
