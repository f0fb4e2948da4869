//! Searches of scenarios that are not the Explorer's own: on several threads, and at random.

use std::sync::Arc;

use barrierscope_core::event::Event;
use barrierscope_core::explorer::question::Question;
use barrierscope_core::explorer::random_walk::{Chance, RandomWalk, Sample};
use barrierscope_core::models::Model;
use barrierscope_core::models::delivery::Delivery;
use barrierscope_core::models::faults::Selection;
use barrierscope_core::models::pipeline::Pipeline;
use barrierscope_core::models::promises::Promises;
use barrierscope_core::models::votes::Votes;
use barrierscope_core::scenario::{ScenarioError, Story};

use crate::threads::{Checked, Found};

/// A run in events, step by step.
pub type Told = Vec<Vec<Event>>;

/// What is done with a model.
trait With {
    type Out;
    fn with<M>(self, model: M) -> Self::Out
    where
        M: Model + Send + Sync + 'static,
        M::State: Send + Sync + 'static;
}

fn with<W: With>(story: Story, what: W) -> Result<W::Out, ScenarioError> {
    Ok(match story {
        Story::Pipeline(scenario) => what.with(Pipeline::new(scenario)?),
        Story::Delivery(scenario) => what.with(Delivery::new(scenario)?),
        Story::Votes(scenario) => what.with(Votes::new(scenario)?),
    })
}

fn told<M: Model>(model: &M, actions: &[M::Action]) -> Told {
    let mut state = model.initial();
    let tell = |action: &M::Action| {
        let mut events: Vec<Event> = Vec::new();
        model
            .apply(&mut state, *action, &mut events)
            .expect("it was enabled when it was found");
        events
    };
    actions.iter().map(tell).collect()
}

/// Searches a scenario on several threads, by Stateright.
///
/// # Errors
/// [`ScenarioError`] names the field that makes no sense, and why.
pub fn on_threads(
    story: Story,
    faults: u8,
    selection: &Selection,
    threads: usize,
    limit: Option<usize>,
) -> Result<Found<Vec<Event>>, ScenarioError> {
    struct OnThreads<'a>(u8, &'a Selection, usize, Option<usize>);
    impl With for OnThreads<'_> {
        type Out = Result<Found<Vec<Event>>, ScenarioError>;
        fn with<M>(self, model: M) -> Self::Out
        where
            M: Model + Send + Sync + 'static,
            M::State: Send + Sync + 'static,
        {
            let model = Arc::new(model);
            let promises = Promises::under(&*model, self.1.resolve(&*model)?);
            let checked = Checked::new(Arc::clone(&model), promises, Some(self.0));
            let found = checked.search(self.2, self.3);
            Ok(Found {
                distinct: found.distinct,
                generated: found.generated,
                depth: found.depth,
                counterexample: found.counterexample.map(|run| told(&*model, &run)),
            })
        }
    }
    with(story, OnThreads(faults, selection, threads, limit))?
}

/// What random runs of a scenario have seen.
#[derive(Clone, Debug)]
pub struct AtRandom {
    /// How much.
    pub sample: Sample,
    /// The property that one of them breaks, and what happens in it.
    pub broken: Option<(&'static str, Told)>,
}

/// The longest random run.
const LONGEST: u32 = 2_000;

/// Takes so many steps of random runs of a scenario, with so many faults in each at most, or stops at the first run
/// that breaks a promise.
///
/// # Errors
/// [`ScenarioError`] names the field that makes no sense, and why.
pub fn random(
    story: Story,
    faults: u8,
    selection: &Selection,
    steps: u32,
    memory: usize,
) -> Result<AtRandom, ScenarioError> {
    struct Random<'a>(Chance, &'a Selection, u32);
    impl With for Random<'_> {
        type Out = Result<AtRandom, ScenarioError>;
        fn with<M>(self, model: M) -> Self::Out
        where
            M: Model + Send + Sync + 'static,
            M::State: Send + Sync + 'static,
        {
            let mut promises = Promises::under(&model, self.1.resolve(&model)?);
            let mut walk = RandomWalk::new(&model, self.0);
            let sample = walk.step(&model, &mut promises, self.2).clone();
            let properties = Question::<M>::properties(&promises);
            let broken = sample.found.and_then(|found| {
                let property = properties.get(found.property as usize)?;
                Some((property.name, told(&model, &walk.run().actions)))
            });
            Ok(AtRandom { sample, broken })
        }
    }
    let seed = *story.clone().seed_mut();
    let chance = Chance {
        seed,
        longest: LONGEST,
        faults: Some(faults),
        memory,
    };
    with(story, Random(chance, selection, steps))?
}
