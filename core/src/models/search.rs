//! A search as a front end holds it: one object-safe door, whatever the model.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use super::faults::{Selection, node_names};
use super::promises::Promises;
use super::spared::{Asked, Spared};
use super::{Model, Run, delivery, pipeline, trail, votes};
use crate::clock::Pace;
use crate::event::Event;
use crate::explorer::progress::Progress;
use crate::explorer::question::{Property, Question};
use crate::explorer::random_walk::Sample;
use crate::explorer::{Explorer, Settings};
use crate::protocol::Disabled;
use crate::scenario::{ScenarioError, Story, StoryRef};
use crate::session::Session;

/// A search through every order of a scenario, with its faults at every moment, for what its model promises.
///
/// It is done in slices: whoever calls [`step`](Self::step) may stop whenever it likes.
pub trait Search {
    /// The scenario that is searched.
    fn story(&self) -> StoryRef<'_>;
    /// What is promised, by number.
    fn properties(&self) -> &[Property];
    /// Goes on for about so many steps of the protocol, and says how far it is.
    fn step(&mut self, steps: u32) -> &Progress;
    /// How far it is.
    fn progress(&self) -> &Progress;
    /// How much random runs have seen, if it is a search in those.
    fn sample(&self) -> Option<&Sample> {
        None
    }
    /// The shortest run that breaks a promise, if one was found; of random runs, the one that did.
    fn counterexample(&self) -> Option<Counterexample>;
    /// A shortest run in which a property showed itself, if it did.
    fn witness(&self, property: u32) -> Option<Counterexample>;
    /// A run for the stepper that begins as a counterexample does, and looks at the step in which the promise is
    /// broken. After that it goes on by itself.
    ///
    /// # Errors
    /// [`Disabled`] if the counterexample is not one of this search.
    fn open(&self, run: &Counterexample) -> Result<Box<dyn Session>, Disabled>;
}

/// A run that breaks a promise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counterexample {
    /// Which property, by number.
    pub property: u32,
    /// In which state of the search, by number.
    pub state: u32,
    /// What happens, step by step.
    #[serde(skip)]
    pub steps: Vec<Vec<Event>>,
    /// The number of each step among those that are possible there: by these it can be taken again
    /// ([`replay`](super::trail::replay)).
    pub choices: Vec<u16>,
}

struct Under<M: Model> {
    model: Rc<M>,
    pace: Pace<M::Action>,
    limit: usize,
    asked: Asked,
    explorer: Explorer<M>,
}

impl<M: Model + 'static> Under<M> {
    fn begin(
        model: M,
        pace: Pace<M::Action>,
        limit: u32,
        settings: Settings,
        (faults, spared, only): (&Selection, Spared, Option<u32>),
    ) -> Result<Box<dyn Search>, ScenarioError> {
        let promises = Promises::under(&model, faults.resolve(&model)?);
        let mut asked = Asked::of(promises, spared, only);
        let explorer = Explorer::new(&model, &mut asked, settings);
        Ok(Box::new(Self {
            model: Rc::new(model),
            pace,
            limit: limit as usize,
            asked,
            explorer,
        }))
    }

    fn told(&self, property: u32, state: u32) -> Option<Counterexample> {
        let run = self.explorer.run_to(&*self.model, state)?;
        Some(Counterexample {
            property,
            state,
            steps: tell(&*self.model, &run.actions)?,
            choices: trail::numbers(&*self.model, &run.actions)?,
        })
    }
}

/// What happens in a run, step by step.
pub(super) fn tell<M: Model>(model: &M, actions: &[M::Action]) -> Option<Vec<Vec<Event>>> {
    let mut here = model.initial();
    let steps = actions.iter().map(|action| {
        let mut events: Vec<Event> = Vec::new();
        model.apply(&mut here, *action, &mut events).ok()?;
        Some(events)
    });
    steps.collect()
}

impl<M: Model + 'static> Search for Under<M> {
    fn story(&self) -> StoryRef<'_> {
        self.model.story()
    }

    fn properties(&self) -> &[Property] {
        Question::<M>::properties(&self.asked)
    }

    fn step(&mut self, steps: u32) -> &Progress {
        self.explorer.step(&*self.model, &mut self.asked, steps)
    }

    fn progress(&self) -> &Progress {
        self.explorer.progress()
    }

    fn counterexample(&self) -> Option<Counterexample> {
        let finding = self.explorer.counterexample(&self.asked)?;
        self.told(finding.property, finding.state)
    }

    fn witness(&self, property: u32) -> Option<Counterexample> {
        self.told(property, self.explorer.progress().finding(property)?)
    }

    fn open(&self, run: &Counterexample) -> Result<Box<dyn Session>, Disabled> {
        let found = self.explorer.run_to(&*self.model, run.state);
        let actions = found.ok_or(Disabled)?.actions;
        let model = Rc::clone(&self.model);
        Ok(Box::new(Run::along(
            model, &self.pace, &actions, self.limit,
        )?))
    }
}

/// Begins a search of the model that a scenario is about, with every fault that it has. The scenario should be one [for
/// a search](Story::for_search): what is scheduled for a moment is not tried.
///
/// # Errors
/// [`ScenarioError`] names the field that makes no sense, and why.
pub fn search(
    story: impl Into<Story>,
    settings: Settings,
) -> Result<Box<dyn Search>, ScenarioError> {
    search_with(story, settings, &Selection::default())
}

/// The same with these faults only. The scenario should be one that was [prepared](Selection::prepare) for them.
///
/// # Errors
/// [`ScenarioError`] names the field that makes no sense, and why; or the kind of fault, or the node, that the model does
/// not have.
pub fn search_with(
    story: impl Into<Story>,
    settings: Settings,
    faults: &Selection,
) -> Result<Box<dyn Search>, ScenarioError> {
    begin(story.into(), settings, (faults, Spared::default(), None))
}

/// The same with every fault, while some kinds do not happen, or not to everybody; and, if one is named by its number,
/// only whether that property shows.
///
/// # Errors
/// [`ScenarioError`] names the field that makes no sense, and why.
pub fn search_sparing(
    story: impl Into<Story>,
    settings: Settings,
    spared: Spared,
    only: Option<u32>,
) -> Result<Box<dyn Search>, ScenarioError> {
    begin(
        story.into(),
        settings,
        (&Selection::default(), spared, only),
    )
}

fn begin(
    story: Story,
    settings: Settings,
    asked: (&Selection, Spared, Option<u32>),
) -> Result<Box<dyn Search>, ScenarioError> {
    match story {
        Story::Pipeline(scenario) => {
            let limit = scenario.max_steps;
            let model = pipeline::Pipeline::new(scenario)?;
            let pace = model.pace();
            Under::begin(model, pace, limit, settings, asked)
        }
        Story::Delivery(scenario) => {
            let limit = scenario.max_steps;
            let model = delivery::Delivery::new(scenario)?;
            let pace = model.pace();
            Under::begin(model, pace, limit, settings, asked)
        }
        Story::Votes(scenario) => {
            let limit = scenario.max_steps;
            let model = votes::Votes::new(scenario)?;
            let pace = model.pace();
            Under::begin(model, pace, limit, settings, asked)
        }
    }
}

/// The names of the nodes of a scenario at which faults may happen, for a [`Selection`].
///
/// # Errors
/// [`ScenarioError`] names the field that makes no sense, and why.
pub fn fault_nodes(story: impl Into<Story>) -> Result<Vec<String>, ScenarioError> {
    Ok(match story.into() {
        Story::Pipeline(scenario) => node_names(&pipeline::Pipeline::new(scenario)?),
        Story::Delivery(scenario) => node_names(&delivery::Delivery::new(scenario)?),
        Story::Votes(scenario) => node_names(&votes::Votes::new(scenario)?),
    })
}
