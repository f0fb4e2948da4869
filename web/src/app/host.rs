//! In a frame of another page: that page may drive this one by messages, and hears what it shows.
//!
//! Who speaks: only the window in which the frame is (`window.parent`), and only after it has said
//! `barrierscope:ping`; what it is told goes to the origin that the ping came from, and to no other. With
//! `?embed=1&host=https://example.org` no other origin is heard at all. Nothing that a message can ask for leaves this
//! page: `open` takes what stands behind `#` in an address, and nothing else.

use gloo_events::EventListener;
use js_sys::{JSON, Object, Reflect};
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::JsValue;
use web_sys::{MessageEvent, Window};
use yew::Context;

use super::{App, Message};
use crate::address::Address;
use crate::browser;
use crate::state::{Action, Page};

/// The version of what is said.
const VERSION: u32 = 1;

/// What messages begin with.
const NAME: &str = "barrierscope:";

/// The page is in a frame.
pub(super) struct Host {
    /// The only origin that is heard, if the frame's address says so.
    only: Option<String>,
    /// Whom it answers, since it was asked.
    origin: Option<String>,
    /// What it has told last.
    told: (Option<Value>, Option<Value>),
}

/// What the host has asked for.
#[allow(
    clippy::large_enum_variant,
    reason = "there is one at a time, and none is kept; where pointers have 32 bits it is small"
)]
pub(super) enum Asked {
    /// Whether anybody is there.
    Ping,
    /// To do something.
    Do(Action),
    /// Something that means nothing, and why.
    Nonsense(&'static str),
}

impl Host {
    /// The host, if the page is to be in a frame.
    pub(super) fn find() -> Option<Self> {
        let query = window_query()?;
        let value = |name: &str| {
            let parts = query.trim_start_matches('?').split('&');
            let mut named = parts.filter_map(|part| part.split_once('='));
            named.find_map(|(known, value)| (known == name).then(|| value.to_owned()))
        };
        (value("embed").as_deref() == Some("1")).then(|| Self {
            only: value("host").map(|host| {
                let decoded = js_sys::decode_uri_component(&host);
                decoded.map_or(host, String::from)
            }),
            origin: None,
            told: (None, None),
        })
    }

    /// Says that the page is there: to whoever it is, as nobody has asked yet.
    pub(super) fn announce(&self) {
        let target = self.only.as_deref().unwrap_or("*");
        post(
            &json!({ "type": format!("{NAME}ready"), "version": VERSION }),
            target,
        );
    }

    /// Whether a message is from who may speak; then who it is.
    fn hears(&self, event: &MessageEvent) -> Option<String> {
        let parent = browser::window()?.parent().ok()??;
        let source = event.source()?;
        let is_parent = Object::is(source.as_ref(), parent.as_ref());
        let is_alone =
            browser::window().is_some_and(|window| Object::is(parent.as_ref(), window.as_ref()));
        let origin = event.origin();
        let is_wanted = self.only.as_ref().is_none_or(|only| *only == origin);
        (is_parent && !is_alone && is_wanted).then_some(origin)
    }

    /// Takes a message; what it asks for, if it is one of ours from who may speak.
    pub(super) fn take(&mut self, event: &MessageEvent) -> Option<Asked> {
        let origin = self.hears(event)?;
        let said = |name: &str| Reflect::get(&event.data(), &name.into()).ok();
        let kind = said("type")?.as_string()?;
        let kind = kind.strip_prefix(NAME)?;
        if kind == "ping" {
            // A page without an origin of its own (a file, a sandbox) can only be told what all may hear.
            self.origin = Some(if origin == "null" {
                "*".to_owned()
            } else {
                origin
            });
            return Some(Asked::Ping);
        }
        // Nobody who has not asked is answered, or obeyed.
        self.origin.as_ref()?;
        Some(match kind {
            "play" => Asked::Do(Action::Play),
            "pause" => Asked::Do(Action::Pause),
            "step" => Asked::Do(Action::Step),
            "back" => Asked::Do(Action::Back),
            "goTo" => match said("step").and_then(|step| step.as_f64()) {
                Some(step) if step >= 0.0 => Asked::Do(Action::GoTo(step as usize)),
                _ => Asked::Nonsense("goTo needs a number: step"),
            },
            "open" => match said("address").and_then(|address| address.as_string()) {
                Some(address) => Asked::Do(open(&address)),
                None => {
                    Asked::Nonsense("open needs a text: address, what stands behind # in a link")
                }
            },
            _ => Asked::Nonsense("there are ping, play, pause, step, back, goTo and open"),
        })
    }

    /// Answers a ping.
    pub(super) fn pong(&mut self, page: &Page, address: &str) {
        self.told = (None, None);
        self.say(json!({
            "type": format!("{NAME}pong"), "version": VERSION, "program": env!("CARGO_PKG_VERSION"),
            "address": address,
        }));
        self.tell(page);
    }

    /// Says why a message was not obeyed.
    pub(super) fn complain(&self, why: &str) {
        self.say(json!({ "type": format!("{NAME}error"), "message": why }));
    }

    /// Tells what is shown, as far as that has changed.
    pub(super) fn tell(&mut self, page: &Page) {
        let view = &page.view;
        let step = json!({
            "type": format!("{NAME}step"), "step": view.step, "last": view.last,
            "time_us": view.time.0, "playing": page.playing,
        });
        if self.told.0.as_ref() != Some(&step) {
            self.say(step.clone());
            self.told.0 = Some(step);
        }
        let account = &view.verdict;
        let verdict = json!({
            "type": format!("{NAME}verdict"), "guarantee": account.guarantee(), "done": account.done,
            "expected": account.expected, "visible": account.visible, "lost": account.lost,
            "doubled": account.doubled, "stuck": account.stuck,
        });
        if self.told.1.as_ref() != Some(&verdict) {
            self.say(verdict.clone());
            self.told.1 = Some(verdict);
        }
    }

    fn say(&self, message: Value) {
        if let Some(origin) = &self.origin {
            post(&message, origin);
        }
    }
}

/// What stands behind `#` in a link, or a whole link.
fn open(address: &str) -> Action {
    let fragment = address
        .split_once('#')
        .map_or(address, |(_, fragment)| fragment);
    match Address::read(fragment) {
        (address, trouble) if trouble.is_empty() => Action::Address(address),
        (address, trouble) => Action::BadAddress(address, trouble),
    }
}

fn window_query() -> Option<String> {
    browser::window()?.location().search().ok()
}

fn post(message: &Value, origin: &str) {
    let parent: Option<Window> =
        browser::window().and_then(|window| window.parent().ok().flatten());
    let (Some(parent), Ok(message)) = (parent, JSON::parse(&message.to_string())) else {
        return;
    };
    // An origin that is none is refused: then nobody is told.
    let _ = parent.post_message(&message, origin);
}

/// Hears the host.
pub(super) fn listen(ctx: &Context<App>) -> Option<EventListener> {
    let (window, link) = (browser::window()?, ctx.link().clone());
    Some(EventListener::new(&window, "message", move |event| {
        if let Some(event) = event.dyn_ref::<MessageEvent>() {
            let event: JsValue = event.into();
            link.send_message(Message::Host(event.unchecked_into()));
        }
    }))
}
