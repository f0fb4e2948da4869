//! A run as numbers: which of the actions that are enabled at each step is taken. So it can be written down, sent and
//! taken again, whatever the actions of its model look like.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::fmt;

use super::{Model, Run, delivery, pipeline, votes};
use crate::clock::Pace;
use crate::explorer::enabled_in;
use crate::protocol::Protocol;
use crate::scenario::{ScenarioError, Story};
use crate::session::Session;

/// Why a run cannot be taken again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrailError {
    /// The scenario makes no sense.
    Scenario(ScenarioError),
    /// There is no such choice at that step: the run is one of another scenario, or of another version of the rules.
    Astray {
        /// After so many steps.
        step: usize,
        /// Which was to be taken, from 0.
        choice: u16,
        /// How many there are.
        of: usize,
    },
}

impl fmt::Display for TrailError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenario(error) => error.fmt(f),
            Self::Astray { step, choice, of } => write!(
                f,
                "choice {choice} after step {step}: there are {of} there, counted from 0; the run is one of another scenario"
            ),
        }
    }
}

impl core::error::Error for TrailError {}

impl From<ScenarioError> for TrailError {
    fn from(error: ScenarioError) -> Self {
        Self::Scenario(error)
    }
}

/// The numbers of the actions of a run among those that are enabled; none if one of them is not.
pub(super) fn numbers<P: Protocol>(protocol: &P, actions: &[P::Action]) -> Option<Vec<u16>> {
    let (mut here, mut enabled) = (protocol.initial(), Vec::new());
    let numbers = actions.iter().map(|action| {
        enabled_in(protocol, &here, &mut enabled);
        let number = enabled.iter().position(|it| it == action)?;
        protocol.apply(&mut here, *action, &mut ()).ok()?;
        u16::try_from(number).ok()
    });
    numbers.collect()
}

/// The actions that have these numbers.
fn actions<P: Protocol>(protocol: &P, numbers: &[u16]) -> Result<Vec<P::Action>, TrailError> {
    let (mut here, mut enabled) = (protocol.initial(), Vec::new());
    let actions = numbers.iter().enumerate().map(|(step, number)| {
        enabled_in(protocol, &here, &mut enabled);
        let astray = TrailError::Astray {
            step,
            choice: *number,
            of: enabled.len(),
        };
        let Some(action) = enabled.get(usize::from(*number)).copied() else {
            return Err(astray);
        };
        match protocol.apply(&mut here, action, &mut ()) {
            Ok(()) => Ok(action),
            Err(_) => Err(astray),
        }
    });
    actions.collect()
}

/// A run for the stepper that begins with the choices of these numbers, and looks at the step after the last of them.
/// After that it goes on by itself.
///
/// # Errors
/// [`TrailError`] says what is wrong with the scenario, or which choice is not there.
pub fn replay(story: impl Into<Story>, numbers: &[u16]) -> Result<Box<dyn Session>, TrailError> {
    fn along<M: Model + 'static>(
        model: M,
        pace: &Pace<M::Action>,
        numbers: &[u16],
        limit: u32,
    ) -> Result<Box<dyn Session>, TrailError> {
        let actions = actions(&model, numbers)?;
        let run = Run::along(Rc::new(model), pace, &actions, limit as usize);
        // They were just taken; only the Clock may object.
        let run = run.map_err(|_| TrailError::Astray {
            step: 0,
            choice: 0,
            of: 0,
        })?;
        Ok(Box::new(run))
    }
    match story.into() {
        Story::Pipeline(scenario) => {
            let limit = scenario.max_steps;
            let model = pipeline::Pipeline::new(scenario)?;
            let pace = model.pace();
            along(model, &pace, numbers, limit)
        }
        Story::Delivery(scenario) => {
            let limit = scenario.max_steps;
            let model = delivery::Delivery::new(scenario)?;
            let pace = model.pace();
            along(model, &pace, numbers, limit)
        }
        Story::Votes(scenario) => {
            let limit = scenario.max_steps;
            let model = votes::Votes::new(scenario)?;
            let pace = model.pace();
            along(model, &pace, numbers, limit)
        }
    }
}
