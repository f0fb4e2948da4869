//! The built page in a real browser: what a person does there, and what they then see.
//!
//! `cargo xtask test browser` builds the page and brings Chromium and its driver. Each test has a browser
//! of its own. Screenshots of the layout tests are left in `target/screenshots`.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

mod acting;
mod axe;
mod beside;
mod branches;
mod editor;
mod embed;
mod gallery;
mod harness;
mod kafka;
mod layout;
mod lessons;
mod measure;
mod remember;
mod scenario;
mod sharing;
mod sink;
mod spacetime;
mod stage;
mod story;
mod tables;
mod votes;
