//! One search, in slices.

use barrierscope_core::explorer::Settings;
use barrierscope_core::explorer::progress::{Progress, Status};
use barrierscope_core::explorer::random_walk::Chance;
use barrierscope_core::models::search::Search;
use barrierscope_core::scenario::{ScenarioError, Story};
use barrierscope_core::{search_sparing, wander};

use crate::message::{Ask, Outcome, Shown, Way};

/// The longest random run: what has not ended by then goes round and round.
const LONGEST: u32 = 2_000;

/// A search under way.
pub struct Job {
    search: Box<dyn Search>,
    /// Steps of random runs that are asked for.
    steps: Option<u64>,
}

impl Job {
    /// Begins a search.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field that makes no sense, and why.
    pub fn begin(ask: &Ask) -> Result<Self, ScenarioError> {
        let story = Story::from_json(&ask.scenario)?;
        let (memory, spared) = (ask.memory as usize, ask.spared.clone());
        let (search, steps) = match ask.way {
            Way::Exhaustive => {
                let settings = Settings {
                    memory,
                    faults: Some(ask.faults),
                    goes_on: ask.goes_on,
                    ..Settings::default()
                };
                (search_sparing(story, settings, spared, ask.only)?, None)
            }
            Way::Random { seed, steps } => {
                let chance = Chance {
                    seed,
                    longest: LONGEST,
                    faults: Some(ask.faults),
                    memory,
                };
                (wander(story, chance, spared, ask.only)?, Some(steps))
            }
        };
        Ok(Self { search, steps })
    }

    /// Goes on for about so many steps of the protocol; tells whether there is more to do.
    pub fn step(&mut self, steps: u32) -> bool {
        self.search.step(steps);
        self.progress().status.is_running()
    }

    /// Does all of it.
    pub fn finish(mut self) -> Outcome {
        while self.step(50_000) {}
        self.outcome()
    }

    /// How far it is. Random runs end when they have taken the steps that were asked for.
    pub fn progress(&self) -> Progress {
        let mut progress = self.search.progress().clone();
        if progress.status.is_running() && self.steps.is_some_and(|most| progress.generated >= most)
        {
            progress.status = Status::Limited;
        }
        progress
    }

    /// What it has come to so far.
    pub fn outcome(&self) -> Outcome {
        let progress = self.progress();
        let counterexample = self.search.counterexample();
        let found = progress.findings.iter();
        let found = found.filter_map(|it| self.search.witness(it.property));
        let found: Vec<Shown> = found
            .map(|run| Shown {
                property: run.property,
                choices: run.choices,
            })
            .collect();
        let is_it = |shown: &Shown| {
            let run = counterexample.as_ref();
            run.is_some_and(|run| run.property == shown.property)
        };
        Outcome {
            sample: self.search.sample().cloned(),
            broken: found.iter().position(is_it),
            progress,
            found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A producer that waits for no acknowledgement, and one record.
    fn acks_0() -> String {
        let json = r#"{
            "version": 1, "model": "delivery", "name": "one record",
            "cluster": { "brokers": 1 },
            "topics": [{ "name": "t" }],
            "producers": [{ "name": "P", "topic": "t", "sends": [{ "key": "r1" }],
                "config": { "acks": "0", "enable.idempotence": false } }]
        }"#;
        let story = Story::from_json(json).unwrap().for_search(1);
        story.as_ref().to_json()
    }

    fn ask(way: Way) -> Ask {
        Ask {
            scenario: acks_0(),
            faults: 1,
            spared: Default::default(),
            memory: 1 << 24,
            goes_on: false,
            only: None,
            way,
        }
    }

    #[test]
    fn slices_come_to_the_same_whatever_their_size() {
        let whole = Job::begin(&ask(Way::Exhaustive)).unwrap().finish();
        let mut job = Job::begin(&ask(Way::Exhaustive)).unwrap();
        while job.step(1) {}
        let sliced = job.outcome();
        assert_eq!(sliced.found, whole.found);
        // Memory is looked at between slices, too.
        let counts = |it: &Progress| (it.distinct, it.generated, it.depth, it.status);
        assert_eq!(counts(&sliced.progress), counts(&whole.progress));
        let run = whole.counterexample().expect("a record is lost");
        assert_eq!((run.property, run.choices.len()), (0, 4));
    }

    #[test]
    fn what_is_found_can_be_taken_again() {
        for way in [
            Way::Exhaustive,
            Way::Random {
                seed: 1,
                steps: 10_000,
            },
        ] {
            let found = Job::begin(&ask(way)).unwrap().finish();
            let run = found.counterexample().expect("a record is lost");
            let story = Story::from_json(&acks_0()).unwrap();
            let session = barrierscope_core::replay(story, &run.choices).unwrap();
            assert_eq!(session.at(), run.choices.len());
            assert_eq!(session.verdict().lost, 1, "{way:?}");
        }
    }

    #[test]
    fn what_is_spared_does_not_break() {
        let mut spared = ask(Way::Exhaustive);
        spared.spared.crashes = true;
        spared.spared.messages = true;
        let found = Job::begin(&spared).unwrap().finish();
        assert_eq!(found.counterexample(), None);
        assert_eq!(found.progress.status, Status::Exhausted);
    }

    #[test]
    fn random_runs_end() {
        let few = Way::Random { seed: 1, steps: 3 };
        let mut asked = ask(few);
        asked.spared.crashes = true;
        asked.spared.messages = true;
        let found = Job::begin(&asked).unwrap().finish();
        assert_eq!(found.progress.status, Status::Limited);
        assert!(found.sample.is_some_and(|sample| sample.steps >= 3));
    }

    #[test]
    fn messages_come_back() {
        use crate::message::{Order, Told};
        let order = Order::Begin(ask(Way::Random { seed: 1, steps: 7 }));
        let text = serde_json::to_string(&order).unwrap();
        assert_eq!(serde_json::from_str::<Order>(&text).unwrap(), order);
        let told = Told::Over {
            outcome: Job::begin(&ask(Way::Exhaustive)).unwrap().finish(),
            ms: 12,
        };
        let text = serde_json::to_string(&told).unwrap();
        assert_eq!(serde_json::from_str::<Told>(&text).unwrap(), told);
    }
}
