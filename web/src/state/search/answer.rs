//! What a search has come to, and the runs that show it.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use barrierscope_core::explorer::progress::Status;
use barrierscope_core::explorer::question::{Kind, Property};
use barrierscope_core::models::promises::{DOUBLED, promised};
use barrierscope_core::scenario::DeliveryGuarantee::AtLeastOnce;
use barrierscope_core::scenario::Story;
use barrierscope_search::{Outcome, Shown};

use super::{Running, Wanted};
use crate::state::run::look;
use crate::state::{Run, Subject, View};

/// So many of the last steps of a run are told; what random runs find may be far longer.
const TOLD: usize = 200;

/// What a search has come to.
pub struct Answer {
    /// What was searched.
    pub story: Rc<Story>,
    /// What it is about, if it came with the program.
    pub subject: Option<Subject>,
    /// What was asked.
    pub wanted: Wanted,
    /// What came out.
    pub outcome: Outcome,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The counterexample, if there is one.
    pub broken: Option<Finding>,
}

/// A property that showed itself, and the run that leads there.
pub struct Finding {
    /// Which, by number.
    pub property: u32,
    /// The steps, by their numbers.
    pub choices: Rc<[u16]>,
    /// The last steps, as they are told: the last one is where the property shows.
    pub views: Vec<Rc<View>>,
}

/// What is said of the properties as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CameTo {
    /// They hold, in all states.
    Holds,
    /// One is broken.
    Broken,
    /// Nothing was found in what was seen, and there is more to see.
    Limited,
    /// The same: the memory is used up.
    Full,
}

impl Answer {
    /// What a search has come to that is over.
    pub(super) fn of(running: &Running, wanted: Wanted, outcome: Outcome) -> Self {
        let broken = outcome.counterexample();
        Self {
            broken: broken.and_then(|shown| Finding::of(&running.story, running.subject, shown)),
            story: Rc::clone(&running.story),
            subject: running.subject,
            wanted,
            ms: running.ms,
            outcome,
        }
    }

    /// What it says of the properties as a whole.
    pub fn came_to(&self) -> CameTo {
        match self.outcome.progress.status {
            _ if self.outcome.broken.is_some() => CameTo::Broken,
            Status::Exhausted => CameTo::Holds,
            Status::Full => CameTo::Full,
            _ => CameTo::Limited,
        }
    }

    /// Whether what was found is nothing that the scenario promises: a job whose sink is not exactly-once.
    pub fn is_allowed(&self) -> bool {
        let is_doubled = self
            .broken
            .as_ref()
            .is_some_and(|it| it.property == DOUBLED);
        let job = self.story.as_ref().as_ref().pipeline();
        is_doubled && job.is_some_and(|job| job.delivery_guarantee() == Some(AtLeastOnce))
    }

    /// The properties that were asked for.
    pub fn properties(&self) -> &'static [Property] {
        promised(self.story.as_ref().as_ref())
    }

    /// What can be reached, by number, and the run that does, if it was found.
    pub fn reachable(&self) -> impl Iterator<Item = (u32, Option<&Shown>)> {
        let numbered = (0..).zip(self.properties());
        let sometimes = numbered.filter(|(_, property)| property.kind == Kind::Sometimes);
        sometimes.map(|(number, _)| (number, self.outcome.shown(number)))
    }
}

impl Finding {
    /// The run of what was found, taken step by step.
    pub fn of(story: &Story, subject: Option<Subject>, shown: &Shown) -> Option<Self> {
        let session = barrierscope_core::replay(story.clone(), &shown.choices).ok()?;
        let run = Rc::new(Run {
            number: 1,
            origin: None,
            branches: Vec::new(),
            trail: shown.choices.clone().into(),
            faults: Vec::new(),
            subject,
            changes: OnceCell::new(),
            chronicle: OnceCell::new(),
            chart: OnceCell::new(),
            tip: 0,
            seen: Cell::default(),
            session: RefCell::new(session),
        });
        let steps = shown.choices.len();
        let from = (steps + 1).saturating_sub(TOLD).max(1);
        Some(Self {
            property: shown.property,
            choices: Rc::clone(&run.trail),
            // Serial numbers are for views that are looked at one after the other.
            views: (from..=steps)
                .map(|step| Rc::new(look(&run, step, 0)))
                .collect(),
        })
    }

    /// How many steps it has.
    pub fn steps(&self) -> usize {
        self.choices.len()
    }

    /// The step at which the property shows.
    pub fn last(&self) -> Option<&Rc<View>> {
        self.views.last()
    }
}
