//! A search as the page has it done elsewhere: what is asked ([`Order`]), what is told ([`Told`]), and the search itself,
//! in slices ([`Job`]). The binary of this crate is the Web Worker around it.
//!
//! Both sides send JSON text: a search tells a few hundred bytes ten times a second, and text is what both can read
//! whatever the other's version.

pub mod claim;
pub mod job;
pub mod message;

pub use job::Job;
pub use message::{Ask, Order, Outcome, Shown, Told, Way};
