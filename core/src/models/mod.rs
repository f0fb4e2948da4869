//! The models that a person opens: protocols composed into something that runs.
//!
//! * [`pipeline`]: a Kafka topic → a Flink job → a Kafka topic → a reader, with checkpoints.

pub mod pipeline;
mod run;

use alloc::boxed::Box;

pub use run::Run;

use crate::clock::Clock;
use crate::id::RecordId;
use crate::protocol::Protocol;
use crate::scenario::{Scenario, ScenarioError};
use crate::scene::{Choice, Scene};
use crate::session::Session;
use crate::verdict::Verdict;

/// A protocol that can be shown and judged.
pub trait Model: Protocol {
    /// The scenario that it runs.
    fn scenario(&self) -> &Scenario;
    /// What there is to draw.
    fn scene(&self, state: &Self::State, clock: &Clock<Self::Action>) -> Scene;
    /// An action, described for whoever chooses one.
    fn choice(&self, state: &Self::State, action: Self::Action) -> Option<Choice>;
    /// What the reader got.
    fn verdict(&self, state: &Self::State) -> Verdict;
    /// What a record says: its key and its value.
    fn record(&self, record: RecordId) -> Option<(&str, u64)>;
}

/// Starts a run of the model that a scenario is about.
///
/// # Errors
/// [`ScenarioError`] names the field that makes no sense, and why.
pub fn start(scenario: Scenario) -> Result<Box<dyn Session>, ScenarioError> {
    let limit = scenario.max_steps as usize;
    let pipeline = pipeline::Pipeline::new(scenario)?;
    let pace = pipeline.pace();
    Ok(Box::new(Run::record(pipeline, &pace, limit)))
}

/// Starts a run of a scenario given as JSON.
///
/// # Errors
/// [`ScenarioError`] names the field that is wrong, and why.
pub fn open(json: &str) -> Result<Box<dyn Session>, ScenarioError> {
    start(Scenario::from_json(json)?)
}
