//! The models that a person opens: protocols composed into something that runs.
//!
//! * [`pipeline`]: a Kafka topic → a Flink job → a Kafka topic → a reader, with checkpoints;
//! * [`delivery`]: producers → Kafka brokers → consumers, and Kafka Streams applications between topics;
//! * [`votes`]: two-phase commit itself, coordinator and participants.
//!
//! [`search`] looks through every order of one of them, for what it [promises], with [faults] at every moment.

mod chart;
pub mod delivery;
pub mod faults;
pub mod pipeline;
pub mod promises;
mod run;
pub mod search;
pub mod spared;
pub mod trail;
pub mod votes;
pub mod wander;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

pub use run::Run;

use crate::clock::Clock;
use crate::diagram::{Lane, Reach};
use crate::event::Event;
use crate::id::{ActorId, CheckpointId, LaneId, LinkId, RecordId};
use crate::mark::Ending;
use crate::measurement::Measurement;
use crate::protocol::Protocol;
use crate::scenario::{CheckpointingMode, Scenario, ScenarioError, Story, StoryRef};
use crate::scene::votes::PropertyView;
use crate::scene::{Choice, Health, Scene, TokenKind, Withheld};
use crate::session::Session;
use crate::time::{Micros, Millis};
use crate::verdict::Verdict;

/// A protocol that can be shown and judged.
pub trait Model: Protocol {
    /// The scenario that it runs.
    fn story(&self) -> StoryRef<'_>;
    /// What there is to draw.
    fn scene(&self, state: &Self::State, clock: &Clock<Self::Action>) -> Scene;
    /// An action, described for whoever chooses one.
    fn choice(&self, state: &Self::State, action: Self::Action) -> Option<Choice>;
    /// What is not enabled though it belongs there, and why.
    fn withheld(&self, state: &Self::State) -> Vec<Withheld>;
    /// What the reader got.
    fn verdict(&self, state: &Self::State) -> Verdict;
    /// What the reader got, in a run that may go on because of what is scheduled for later.
    fn verdict_at(&self, state: &Self::State, _clock: &Clock<Self::Action>) -> Verdict {
        self.verdict(state)
    }
    /// What the reader got where nothing is left to happen, whatever the story says: what waits then, waits for ever.
    fn verdict_at_end(&self, state: &Self::State) -> Verdict {
        self.verdict(state)
    }
    /// Whether something will never be seen, or somebody never decide, where nothing is left to happen. What was reported
    /// as failed is not stuck; nor is what waits for a checkpoint, where no more of them may come.
    fn is_stuck(&self, state: &Self::State) -> bool {
        self.verdict_at_end(state).stuck > 0
    }
    /// Whether somebody waits for a decision, and cannot go on before somebody else is back.
    fn is_blocked(&self, _state: &Self::State) -> bool {
        false
    }
    /// What it means that the run is done in this state.
    fn ending(&self, state: &Self::State) -> Ending;
    /// What a record says: its key and its value.
    fn record(&self, record: RecordId) -> Option<(&str, u64)>;
    /// How a transactional id is called that an event names by its number.
    fn transactional_id(&self, _number: u32) -> Option<String> {
        None
    }
    /// The properties of atomic commitment, where the model is about them.
    fn properties(&self, _state: &Self::State) -> Vec<PropertyView> {
        Vec::new()
    }
    /// The lanes of its space-time diagram: the processes, by id.
    fn lanes(&self) -> Vec<Lane>;
    /// The lane of an actor; none for whoever stands for what nobody decides. Actors that share their memory, as the
    /// threads of a client, share a lane.
    fn lane_of(&self, actor: ActorId) -> Option<LaneId>;
    /// Whom an action concerns besides, where no message says so.
    fn reach(&self, state: &Self::State, action: Self::Action) -> Reach;
    /// What the message at a place of a link is, counted from the first to arrive; in a channel, what waits at its
    /// sender comes behind what has set out.
    fn message(&self, state: &Self::State, link: LinkId, place: usize) -> Option<TokenKind>;
    /// Whether a lane's process runs.
    fn health(&self, state: &Self::State, lane: LaneId) -> Health;
    /// The checkpoint interval to which belongs what a lane's process sends.
    fn epoch(&self, _state: &Self::State, _lane: LaneId) -> CheckpointId {
        CheckpointId::NONE
    }
}

/// Starts a run of the model that a scenario is about.
///
/// # Errors
/// [`ScenarioError`] names the field that makes no sense, and why.
pub fn start(story: impl Into<Story>) -> Result<Box<dyn Session>, ScenarioError> {
    match story.into() {
        Story::Pipeline(scenario) => {
            let limit = scenario.max_steps as usize;
            let pipeline = pipeline::Pipeline::new(scenario)?;
            let pace = pipeline.pace();
            Ok(Box::new(Run::record(pipeline, &pace, limit)))
        }
        Story::Delivery(scenario) => {
            let limit = scenario.max_steps as usize;
            let delivery = delivery::Delivery::new(scenario)?;
            let pace = delivery.pace();
            Ok(Box::new(Run::record(delivery, &pace, limit)))
        }
        Story::Votes(scenario) => {
            let limit = scenario.max_steps as usize;
            let votes = votes::Votes::new(scenario)?;
            let pace = votes.pace();
            Ok(Box::new(Run::record(votes, &pace, limit)))
        }
    }
}

/// Runs a scenario to its end and adds up what happens, without recording the run.
///
/// # Errors
/// [`ScenarioError`] names the field that makes no sense, and why.
pub fn measure(scenario: Scenario) -> Result<Measurement, ScenarioError> {
    listen(scenario, &mut |_, _| {})
}

/// The same, and tells every event, with its moment, as it happens.
///
/// # Errors
/// [`ScenarioError`] names the field that makes no sense, and why.
pub fn listen(
    scenario: Scenario,
    hear: &mut dyn FnMut(Micros, &Event),
) -> Result<Measurement, ScenarioError> {
    let limit = scenario.max_steps;
    let pipeline = pipeline::Pipeline::new(scenario)?;
    let pace = pipeline.pace();
    Ok(run::measure(&pipeline, &pace, limit, hear))
}

/// Ways of taking checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barriers {
    /// Exactly once: channels wait behind their barriers.
    Aligned,
    /// Exactly once: barriers overtake, at once.
    Unaligned,
    /// At least once: nothing waits.
    AtLeastOnce,
}

impl Barriers {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Aligned, Self::Unaligned, Self::AtLeastOnce];

    /// The same scenario, with its checkpoints taken in this way.
    #[must_use]
    pub fn apply(self, mut scenario: Scenario) -> Scenario {
        let checkpointing = &mut scenario.checkpointing;
        checkpointing.mode = match self {
            Self::AtLeastOnce => CheckpointingMode::AtLeastOnce,
            Self::Aligned | Self::Unaligned => CheckpointingMode::ExactlyOnce,
        };
        checkpointing.unaligned = self == Self::Unaligned;
        checkpointing.aligned_timeout_ms = Millis(0);
        if checkpointing.unaligned {
            checkpointing.max_concurrent = 1;
        }
        scenario
    }
}

/// Measures a scenario with its checkpoints taken in one of these ways.
///
/// # Errors
/// [`ScenarioError`] names the field that makes no sense, and why.
pub fn measure_with(scenario: &Scenario, barriers: Barriers) -> Result<Measurement, ScenarioError> {
    measure(barriers.apply(scenario.clone()))
}

/// Starts a run of a scenario given as JSON.
///
/// # Errors
/// [`ScenarioError`] names the field that is wrong, and why.
pub fn open(json: &str) -> Result<Box<dyn Session>, ScenarioError> {
    start(Story::from_json(json)?)
}
