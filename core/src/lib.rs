//! The protocol core of Barrierscope.
//!
//! Everything that can happen in this laboratory is an *action* on a *state*. A [`Protocol`] says
//! which actions are enabled and what each one does; nothing else in the program knows the rules.
//! The crate is `no_std` and deterministic: it reads no clock, draws no random number that was not
//! seeded by the caller, keeps no floating-point number in a state, and refuses bad input with an
//! error instead of a panic. The same actions on the same initial state give the same state, byte
//! for byte, natively and in WebAssembly.
//!
//! The layers, from the bottom up; each knows only those above it in this list:
//!
//! 1. **Vocabulary**: [`id`] and [`time`] (newtypes for every id and unit), [`collections`] (containers
//!    that stay off the heap while they are small), [`fingerprint`] (one hash everywhere),
//!    [`event`] (what happened), [`mark`] (what stands out), [`statistics`] (of checkpoints), [`measurement`] (what a run comes to), [`diagram`] (a run in space and time, and what had to happen before what) and [`scene`] (what there is to draw, with no word about how).
//! 2. **Protocols**: [`kafka`] (logs, producers, consumers, coordinators), [`flink`] (job graph, channels,
//!    barrier alignment, checkpoint coordinator, two-phase-commit sink) and [`commit`] (two-phase commit as the
//!    textbooks have it): small state machines, each usable without the rest.
//! 3. **Models**: [`models`] composes the protocols into what a person opens, described by a
//!    [`scenario`], and judged by a [`verdict`]; a [`symptom`] is what that comes to in one word.
//! 4. **Drivers**: [`clock`] (virtual time, seeded), [`timeline`] (the actions taken, with keyframes:
//!    go anywhere, step back, fork), [`explorer`] (every order, exhaustively). They know the
//!    [`protocol`] trait only, never a model.
//! 5. **Session**: [`start`] a scenario, and hold its run through the [`session`] trait, whatever the
//!    model: the one door for front ends.
#![no_std]

extern crate alloc;

pub mod clock;
pub mod collections;
pub mod commit;
pub mod diagram;
pub mod event;
pub mod explorer;
pub mod fingerprint;
pub mod flink;
pub mod id;
pub mod kafka;
pub mod mark;
pub mod measurement;
pub mod models;
pub mod protocol;
pub mod scenario;
pub mod scene;
pub mod session;
pub mod statistics;
pub mod symptom;
pub mod time;
pub mod timeline;
pub mod verdict;

pub use models::search::{search, search_sparing, search_with};
pub use models::trail::replay;
pub use models::wander::wander;
pub use models::{Barriers, listen, measure, measure_with, open, start};
pub use protocol::Protocol;
