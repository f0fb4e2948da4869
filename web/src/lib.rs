//! The Barrierscope page: turns the core's scenes and events into pictures and words.
//!
//! It owns no rule of any protocol. What may happen, what happens then and what it means comes from
//! `barrierscope_core` through one door, [`Session`](barrierscope_core::session::Session); the page
//! decides on places, shapes, colours and words.
//!
//! * [`state`]: what is shown, and the one place where that changes; it knows of no browser.
//! * [`address`]: the same as a link.
//! * [`text`]: every word, in English and Chinese.
//! * [`stage`]: the graph: computed layout, still parts as SVG, moving parts on a canvas.
//! * [`components`]: everything around the stage.
//! * [`export`]: what can be taken away of a run.
//! * [`app`]: holds it together: keys, frames, files, address.

pub mod address;
pub mod app;
pub mod browser;
pub mod components;
pub mod export;
pub mod panic;
pub mod places;
pub mod remember;
pub mod same;
pub mod save;
pub mod schema;
pub mod spacetime;
pub mod stage;
pub mod state;
pub mod text;

/// Starts the page in the document's body.
pub fn run() {
    panic::show_on_page();
    yew::Renderer::<app::App>::new().render();
}
