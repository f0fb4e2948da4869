//! What several tests share: small scenarios, the golden figures that must come out alike natively and
//! in WebAssembly, the words in which traces are written, and the runner of the conformance cases.

pub mod answers;
pub mod cases;
pub mod conformance;
pub mod delivery;
pub mod golden;
pub mod random;
pub mod recorded;
pub mod scenarios;
pub mod specs;
pub mod votes;
pub mod words;
