//! What several tests share: small scenarios, the golden figures that must come out alike natively and
//! in WebAssembly, the words in which traces are written, and the runner of the conformance cases.

pub mod answers;
pub mod cases;
#[cfg(not(target_arch = "wasm32"))]
pub mod claims;
pub mod conformance;
pub mod delivery;
pub mod golden;
pub mod promises;
pub mod random;
pub mod recorded;
pub mod scenarios;
#[cfg(not(target_arch = "wasm32"))]
pub mod searches;
pub mod specs;
#[cfg(not(target_arch = "wasm32"))]
pub mod threads;
pub mod votes;
pub mod words;
