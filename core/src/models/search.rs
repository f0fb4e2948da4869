//! A search as a front end holds it: one object-safe door, whatever the model.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use serde::Serialize;

use super::faults::{Selection, node_names};
use super::promises::Promises;
use super::spared::{Asked, Spared};
use super::{Model, Run, delivery, pipeline, trail, votes};
use crate::clock::Pace;
use crate::event::Event;
use crate::explorer::progress::{Progress, Status};
use crate::explorer::question::{Kind, Property, Question};
use crate::explorer::random_walk::Sample;
use crate::explorer::tidy::tidy;
use crate::explorer::{Explorer, Settings};
use crate::id::ActorId;
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
    /// A run that gets to where no end can be reached any more, and goes round there for ever, if there is one. Known only
    /// when everything was seen, and the search was asked for [cycles](Settings::cycles).
    fn trap(&self) -> Option<Trap>;
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

/// A run that goes round for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// How one gets there, step by step.
    pub steps: Vec<Vec<Event>>,
    /// What happens there again and again.
    pub round: Vec<Vec<Event>>,
}

struct Under<M: Model> {
    model: Rc<M>,
    pace: Pace<M::Action>,
    limit: usize,
    asked: Asked,
    settings: Settings,
    explorer: Explorer<M>,
    /// The search with reductions, if it has found something: the one under way is without them, for a shortest run.
    reduced: Option<Explorer<M>>,
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
            settings,
            explorer,
            reduced: None,
        }))
    }

    /// What was found with reductions is looked for again without them: what is found then is a shortest run. If memory
    /// does not allow that, the longer one stands.
    fn shorten(&mut self) {
        let found = |explorer: &Explorer<M>| explorer.progress().status == Status::Found;
        let is_running = self.explorer.progress().status.is_running();
        match self.reduced.take() {
            None if self.settings.is_reduced() && found(&self.explorer) => {
                let settings = Settings {
                    symmetry: false,
                    order: false,
                    ..self.settings
                };
                let whole = Explorer::new(&*self.model, &mut self.asked, settings);
                self.reduced = Some(mem::replace(&mut self.explorer, whole));
            }
            Some(reduced) if !is_running && !found(&self.explorer) => {
                self.explorer = reduced;
                self.settings.order = false;
            }
            other => self.reduced = other,
        }
    }

    /// The run to a state in which a property shows itself, in the order in which it is easiest to follow.
    fn tidied(&self, property: u32, state: u32) -> Option<Vec<M::Action>> {
        let run = self.explorer.run_to(&*self.model, state)?;
        let model = &*self.model;
        let mut asked = self.asked.clone();
        let known = Question::<M>::properties(&asked).get(property as usize);
        let of_ends = known.is_some_and(|it| it.kind == Kind::AtEnds);
        let shows = |state: &M::State| match of_ends {
            true => {
                let quiet = model.is_done(state) || is_quiet(model, &asked, state);
                quiet && asked.judge_end(model, state).contains(property)
            }
            false => asked.judge(model, state).contains(property),
        };
        Some(tidy(model, &model.initial(), run.actions, shows))
    }

    fn told(&self, property: u32, state: u32) -> Option<Counterexample> {
        let actions = self.tidied(property, state)?;
        Some(Counterexample {
            property,
            state,
            steps: tell(&*self.model, &actions)?,
            choices: trail::numbers(&*self.model, &actions)?,
        })
    }

    /// What happens on the way from a state on, step by step.
    fn events(&self, here: &mut M::State, actions: &[M::Action]) -> Option<Vec<Vec<Event>>> {
        let mut steps = Vec::new();
        for action in actions {
            let mut events: Vec<Event> = Vec::new();
            self.model.apply(here, *action, &mut events).ok()?;
            steps.push(events);
        }
        Some(steps)
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
        self.explorer.step(&*self.model, &mut self.asked, steps);
        if self.reduced.is_some() || self.settings.is_reduced() {
            self.shorten();
        }
        self.explorer.progress()
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

    fn trap(&self) -> Option<Trap> {
        let lasso = self.explorer.trap(&*self.model)?;
        let mut here = self.model.initial();
        Some(Trap {
            steps: self.events(&mut here, &lasso.run.actions)?,
            round: self.events(&mut here, &lasso.round)?,
        })
    }

    fn open(&self, run: &Counterexample) -> Result<Box<dyn Session>, Disabled> {
        let actions = self.tidied(run.property, run.state).ok_or(Disabled)?;
        let model = Rc::clone(&self.model);
        Ok(Box::new(Run::along(
            model, &self.pace, &actions, self.limit,
        )?))
    }
}

/// Whether nothing is left to happen in a state but faults.
fn is_quiet<M: Model>(model: &M, asked: &Asked, state: &M::State) -> bool {
    let mut actions = Vec::new();
    for actor in 0..model.actors() {
        model.enabled(state, ActorId(actor as u16), &mut actions);
    }
    let mut happens = actions.iter().filter(|it| asked.admits(model, state, **it));
    happens.all(|action| model.is_fault(state, *action))
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
