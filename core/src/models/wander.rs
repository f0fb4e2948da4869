//! Random runs as a front end holds them: the same door as an exhaustive search has.

use alloc::boxed::Box;
use alloc::rc::Rc;

use super::promises::Promises;
use super::search::{Counterexample, Search, Trap, tell};
use super::spared::{Asked, Spared};
use super::{Model, Run, delivery, pipeline, trail, votes};
use crate::clock::Pace;
use crate::explorer::progress::{Finding, Progress, Status};
use crate::explorer::question::{Property, Question};
use crate::explorer::random_walk::{Chance, RandomWalk, Sample};
use crate::protocol::Disabled;
use crate::scenario::{ScenarioError, Story, StoryRef};
use crate::session::Session;

/// A search in runs in which chance decides. What is known of its progress: the steps taken are those
/// [generated](Progress::generated), the longest run is the [depth](Progress::depth), and it never ends by itself but
/// when it has found something.
struct Wandering<M: Model> {
    model: Rc<M>,
    pace: Pace<M::Action>,
    limit: usize,
    asked: Asked,
    walk: RandomWalk<M>,
    progress: Progress,
}

impl<M: Model + 'static> Wandering<M> {
    fn begin(
        model: M,
        pace: Pace<M::Action>,
        limit: u32,
        chance: Chance,
        (spared, only): (Spared, Option<u32>),
    ) -> Box<dyn Search> {
        let mut wandering = Self {
            asked: Asked::of(Promises::of(&model), spared, only),
            walk: RandomWalk::new(&model, chance),
            model: Rc::new(model),
            pace,
            limit: limit as usize,
            progress: Progress::default(),
        };
        wandering.measure();
        Box::new(wandering)
    }

    fn measure(&mut self) {
        let sample = self.walk.sample();
        let found = sample.found.map(|found| Finding {
            property: found.property,
            state: 0,
        });
        self.progress = Progress {
            distinct: sample.distinct,
            generated: sample.steps,
            depth: sample.longest,
            ends: sample.ended,
            bytes: self.walk.bytes() as u64,
            most_bytes: self.walk.bytes() as u64,
            status: match found {
                Some(_) => Status::Found,
                None => Status::Running,
            },
            findings: found.into_iter().collect(),
            ..Progress::default()
        };
    }
}

impl<M: Model + 'static> Search for Wandering<M> {
    fn story(&self) -> StoryRef<'_> {
        self.model.story()
    }

    fn properties(&self) -> &[Property] {
        Question::<M>::properties(&self.asked)
    }

    fn step(&mut self, steps: u32) -> &Progress {
        self.walk.step(&*self.model, &mut self.asked, steps);
        self.measure();
        &self.progress
    }

    fn progress(&self) -> &Progress {
        &self.progress
    }

    fn sample(&self) -> Option<&Sample> {
        Some(self.walk.sample())
    }

    fn counterexample(&self) -> Option<Counterexample> {
        let found = self.progress.findings.first()?;
        let actions = &self.walk.run().actions;
        Some(Counterexample {
            property: found.property,
            state: found.state,
            steps: tell(&*self.model, actions)?,
            choices: trail::numbers(&*self.model, actions)?,
        })
    }

    fn witness(&self, property: u32) -> Option<Counterexample> {
        self.counterexample().filter(|it| it.property == property)
    }

    /// Random runs do not know where they have been.
    fn trap(&self) -> Option<Trap> {
        None
    }

    fn open(&self, run: &Counterexample) -> Result<Box<dyn Session>, Disabled> {
        if self.counterexample().as_ref() != Some(run) {
            return Err(Disabled);
        }
        let (model, actions) = (Rc::clone(&self.model), &self.walk.run().actions);
        let run = Run::along(model, &self.pace, actions, self.limit)?;
        Ok(Box::new(run))
    }
}

/// Begins random runs of the model that a scenario is about, for what is too large to be exhausted; if one property is
/// named by its number, only for that. The scenario should be one [for a search](Story::for_search).
///
/// # Errors
/// [`ScenarioError`] names the field that makes no sense, and why.
pub fn wander(
    story: impl Into<Story>,
    chance: Chance,
    spared: Spared,
    only: Option<u32>,
) -> Result<Box<dyn Search>, ScenarioError> {
    let asked = (spared, only);
    Ok(match story.into() {
        Story::Pipeline(scenario) => {
            let limit = scenario.max_steps;
            let model = pipeline::Pipeline::new(scenario)?;
            let pace = model.pace();
            Wandering::begin(model, pace, limit, chance, asked)
        }
        Story::Delivery(scenario) => {
            let limit = scenario.max_steps;
            let model = delivery::Delivery::new(scenario)?;
            let pace = model.pace();
            Wandering::begin(model, pace, limit, chance, asked)
        }
        Story::Votes(scenario) => {
            let limit = scenario.max_steps;
            let model = votes::Votes::new(scenario)?;
            let pace = model.pace();
            Wandering::begin(model, pace, limit, chance, asked)
        }
    })
}
