//! A search for a counterexample as a person holds it: what is asked, how far it is, and what it has come to.
//!
//! The page knows no worker: it says which [`Task`] is to be done, and hears what is told of it.

mod answer;
pub mod fit;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use barrierscope_core::explorer::progress::Progress;
use barrierscope_core::models::spared::Spared;
use barrierscope_core::scenario::Story;
use barrierscope_search::{Ask, Told, Way};

pub use answer::{Answer, CameTo, Finding};
pub use fit::Size;

use super::Subject;

/// The most faults that may be asked for.
pub const MOST_FAULTS: u8 = 3;
/// How much memory a search may take, in megabytes.
pub const MEMORY: [u32; 4] = [128, 512, 1_024, 2_048];
/// Steps of random runs.
const RANDOM_STEPS: u64 = 2_000_000;
/// So many samples are kept for the chart; when there are more, every second one is.
const SAMPLES: usize = 240;

/// What a person asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// How many faults a run may have in all.
    pub faults: u8,
    /// What is not broken.
    pub spared: Spared,
    /// Megabytes that the search may take.
    pub memory: u32,
    /// Whether chance decides, instead of every order.
    pub random: bool,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            faults: 1,
            spared: Spared::default(),
            memory: MEMORY[1],
            random: false,
        }
    }
}

impl Wanted {
    /// What a worker is asked for about a scenario that is fit for it.
    fn ask(&self, story: &Story) -> Ask {
        let seed = *story.clone().seed_mut();
        Ask {
            scenario: story.as_ref().to_json(),
            faults: self.faults,
            spared: self.spared.clone(),
            memory: u64::from(self.memory) << 20,
            goes_on: false,
            only: None,
            way: match self.random {
                true => Way::Random {
                    seed,
                    steps: RANDOM_STEPS,
                },
                false => Way::Exhaustive,
            },
        }
    }
}

/// What a person does about a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Ask for something else the next time.
    Want(Wanted),
    /// Begin.
    Begin,
    /// Search the same with its fix.
    BeginFixed,
    /// Stand still, or go on.
    Pause(bool),
    /// Give it up.
    Cancel,
    /// Open the small scenario of the model.
    Small,
    /// Open a run on the stage.
    Open(Which),
    /// The worker has ended, and why.
    Fail(String),
}

/// A run that a search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The counterexample; or that of the scenario with its fix.
    Broken(bool),
    /// The one that reaches something, by the number of the property.
    Reached(u32),
}

/// A search that a worker is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Each has its own.
    pub serial: u64,
    /// What is asked.
    pub ask: Ask,
    /// Whether it stands still.
    pub is_paused: bool,
}

/// How far a search was at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Milliseconds of searching so far.
    pub ms: u64,
    /// Distinct states.
    pub distinct: u64,
    /// Depth.
    pub depth: u32,
}

/// A search under way, or one that was cancelled.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    /// What is done.
    pub task: Task,
    /// What is searched.
    pub story: Rc<Story>,
    /// What it is about, if it came with the program.
    pub subject: Option<Subject>,
    /// Whether it is the one with the fix.
    pub fixed: bool,
    /// How far it is.
    pub progress: Progress,
    /// Milliseconds of searching so far, pauses left out.
    pub ms: u64,
    /// How it got there.
    pub samples: Vec<Sample>,
}

impl Running {
    /// A search that begins.
    pub fn new(task: Task, story: Story, subject: Option<Subject>, fixed: bool) -> Self {
        Self {
            task,
            story: Rc::new(story),
            subject,
            fixed,
            progress: Progress::default(),
            ms: 0,
            samples: Vec::new(),
        }
    }

    fn hear(&mut self, progress: Progress, ms: u64) {
        self.samples.push(Sample {
            ms,
            distinct: progress.distinct,
            depth: progress.depth,
        });
        if self.samples.len() > SAMPLES {
            let mut at = 0;
            self.samples.retain(|_| {
                at += 1;
                at % 2 == 0
            });
        }
        (self.progress, self.ms) = (progress, ms);
    }
}

/// Distinct states a second.
pub fn rate(distinct: u64, ms: u64) -> u64 {
    distinct.saturating_mul(1_000) / ms.max(1)
}

/// What becomes of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Phase {
    /// None was begun, or the last one is over.
    #[default]
    Idle,
    /// It is done.
    Running(Running),
    /// It was cancelled.
    Cancelled(Running),
    /// It could not be done, and why.
    Failed(String),
}

/// The search of the page.
#[derive(Clone, Default)]
pub struct Search {
    /// What is asked for next.
    pub wanted: Wanted,
    /// What is done.
    pub phase: Phase,
    /// What came out last: as the scenario is, and with its fix.
    pub answers: [Option<Rc<Answer>>; 2],
}

impl Search {
    /// The search under way.
    pub const fn running(&self) -> Option<&Running> {
        match &self.phase {
            Phase::Running(running) => Some(running),
            _ => None,
        }
    }

    /// Begins a search.
    pub(super) fn begin(
        &mut self,
        serial: u64,
        story: &Story,
        subject: Option<Subject>,
        fixed: bool,
    ) {
        let story = story.clone().for_search(self.wanted.faults);
        let mut wanted = self.wanted.clone();
        if fixed && let Some(answer) = &self.answers[0] {
            // The two are to be compared.
            wanted = answer.wanted.clone();
        }
        let task = Task {
            serial,
            ask: wanted.ask(&story),
            is_paused: false,
        };
        self.answers[usize::from(fixed)] = None;
        if !fixed {
            self.answers[1] = None;
        }
        self.phase = Phase::Running(Running::new(task, story, subject, fixed));
    }

    /// Does what needs nothing but the search itself.
    pub(super) fn act(&mut self, deed: Deed) {
        match deed {
            Deed::Want(wanted) => self.wanted = wanted,
            Deed::Pause(is_paused) => self.pause(is_paused),
            Deed::Cancel => self.cancel(),
            Deed::Fail(why) if self.running().is_some() => self.phase = Phase::Failed(why),
            Deed::Begin | Deed::BeginFixed | Deed::Small | Deed::Open(_) | Deed::Fail(_) => {}
        }
    }

    /// Has the search under way stand still, or go on.
    fn pause(&mut self, is_paused: bool) {
        if let Phase::Running(running) = &mut self.phase {
            running.task.is_paused = is_paused;
        }
    }

    /// Gives the search under way up. What it has seen is still told.
    fn cancel(&mut self) {
        if let Phase::Running(running) = std::mem::take(&mut self.phase) {
            self.phase = Phase::Cancelled(running);
        }
    }

    /// Hears of the search under way.
    pub(super) fn hear(&mut self, told: Told) {
        let Phase::Running(running) = &mut self.phase else {
            return;
        };
        match told {
            Told::Ready => {}
            Told::Progress { progress, ms } => running.hear(progress, ms),
            Told::Refused(why) => self.phase = Phase::Failed(why),
            Told::Over { outcome, ms } => {
                running.hear(outcome.progress.clone(), ms);
                let wanted = match (running.fixed, &self.answers[0]) {
                    (true, Some(answer)) => answer.wanted.clone(),
                    _ => self.wanted.clone(),
                };
                let place = usize::from(running.fixed);
                let answer = Answer::of(running, wanted, outcome);
                self.answers[place] = Some(Rc::new(answer));
                self.phase = Phase::Idle;
            }
        }
    }
}
