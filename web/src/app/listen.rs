//! Hears what happens to the page as a whole: keys, files, the address, the system's preferences.

use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{ClipboardEvent, DragEvent, Element, MediaQueryList};
use yew::{Context, KeyboardEvent};

use super::{App, DARK, Message, REDUCED_MOTION};
use crate::browser;
use crate::state::{Action, properties};

/// Hears what happens to the page as a whole.
pub(super) fn listen(ctx: &Context<App>) -> (Vec<EventListener>, Vec<MediaQueryList>) {
    let (Some(window), Some(document)) = (browser::window(), browser::document()) else {
        return (Vec::new(), Vec::new());
    };
    let mut listeners = Vec::new();
    let active = EventListenerOptions::enable_prevent_default();
    let link = ctx.link().clone();
    listeners.push(EventListener::new_with_options(
        &document,
        "keydown",
        active,
        move |event| {
            if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                link.send_message(Message::Key(event.clone()));
            }
        },
    ));
    let link = ctx.link().clone();
    listeners.push(EventListener::new(&window, "hashchange", move |_| {
        link.send_message(Message::Address);
    }));
    for (name, is_over) in [("dragover", true), ("dragleave", false), ("drop", false)] {
        let link = ctx.link().clone();
        listeners.push(EventListener::new_with_options(
            &document,
            name,
            active,
            move |event| {
                event.prevent_default();
                let Some(event) = event.dyn_ref::<DragEvent>() else {
                    return;
                };
                // Between two elements of the page it leaves one only to enter the other.
                if name == "dragleave" && event.related_target().is_some() {
                    return;
                }
                link.send_message(Message::Dragging(is_over));
                let files = event.data_transfer().and_then(|transfer| transfer.files());
                if let (false, Some(file)) = (is_over, files.and_then(|files| files.get(0))) {
                    browser::read_file(file, link.callback(Message::Act));
                }
            },
        ));
    }
    let link = ctx.link().clone();
    listeners.push(EventListener::new(&document, "paste", move |event| {
        // What is pasted into a field is for the field.
        let target = event
            .target()
            .and_then(|target| target.dyn_into::<Element>().ok());
        let tag = target.map(|target| target.tag_name()).unwrap_or_default();
        if matches!(tag.as_str(), "INPUT" | "TEXTAREA") {
            return;
        }
        let text = event
            .dyn_ref::<ClipboardEvent>()
            .and_then(ClipboardEvent::clipboard_data)
            .and_then(|data| data.get_data("text").ok())
            .unwrap_or_default();
        let is_ours = text.trim_start().starts_with('{') || properties::read(&text).is_some();
        if is_ours {
            link.send_message(Message::Act(Action::Open(text)));
        }
    }));
    let mut preferences = Vec::new();
    for query in [REDUCED_MOTION, DARK] {
        if let Ok(Some(list)) = window.match_media(query) {
            let link = ctx.link().clone();
            listeners.push(EventListener::new(&list, "change", move |_| {
                link.send_message(Message::Preferences);
            }));
            // A list that nobody holds may be forgotten, and its listener with it.
            preferences.push(list);
        }
    }
    (listeners, preferences)
}
