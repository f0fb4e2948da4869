//! Statements that people make about these systems: what is known of each, and the searches that decide it.

use std::rc::Rc;

use barrierscope_core::explorer::progress::Progress;
use barrierscope_core::models::spared::Spared;
use barrierscope_core::scenario::{ScenarioError, Story};
use barrierscope_search::claim::{self, CameTo, Claimed, Of, Verdict};
use barrierscope_search::{Shown, Told};

use super::search::Task;

/// A statement.
#[derive(Debug)]
pub struct Claim {
    /// Its name.
    pub id: &'static str,
    /// The statement, in each language.
    pub says: [&'static str; 2],
    /// Why it is as it is.
    pub why: [&'static str; 2],
    /// What is expected to become of it: `cargo xtask claims` holds it against the searches.
    pub expected: Verdict,
    /// What decides it.
    pub cases: &'static [Case],
}

/// A configuration, and what a statement says of it.
#[derive(Debug)]
pub struct Case {
    scenario: &'static str,
    /// What it is, in each language.
    pub words: [&'static str; 2],
    /// How many faults a run may have.
    pub faults: u8,
    /// Whether crashes and messages are spared.
    spares: [bool; 2],
    /// To whom nothing happens.
    nodes: &'static [u16],
    /// Which property.
    pub of: Of,
    /// What the statement says of it.
    pub claimed: Claimed,
    /// Whether it is about a limit of the statement.
    pub but: bool,
    /// Steps of the shortest run that is expected to show it.
    pub expected: Option<u32>,
}

/// All of them. The build script makes the table.
pub const CLAIMS: &[Claim] = include!(concat!(env!("OUT_DIR"), "/claims.rs"));

impl Case {
    fn case(&self) -> claim::Case<'static> {
        let [crashes, messages] = self.spares;
        claim::Case {
            scenario: self.scenario,
            faults: self.faults,
            spared: Spared {
                crashes,
                messages,
                nodes: self.nodes.to_vec(),
            },
            of: self.of,
            claimed: self.claimed,
            but: self.but,
            expected: self.expected,
        }
    }

    /// The scenario that is searched.
    ///
    /// # Errors
    /// None, as long as the scenarios that come with the program are whole.
    pub fn story(&self) -> Result<Story, ScenarioError> {
        Ok(Story::from_json(self.scenario)?.for_search(self.faults))
    }
}

/// What a person does about the statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Decide one.
    Decide(usize),
    /// Decide all, one after the other.
    DecideAll,
    /// Stop.
    Stop,
    /// Open the run of a case of a statement, by their places.
    Open(usize, usize),
}

/// What the search of a case has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// In a word.
    pub came_to: CameTo,
    /// The run that shows it.
    pub shown: Option<Shown>,
    /// Whether that was expected.
    pub is_expected: bool,
    /// How long it took, in milliseconds.
    pub ms: u64,
}

/// A search under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Running {
    task: Task,
    /// The statement and its case, by their places.
    pub place: (usize, usize),
    /// How far it is.
    pub progress: Progress,
}

/// What is known of all statements.
#[derive(Clone, Default)]
pub struct Claims {
    /// By statement and case, as far as they are decided.
    known: Vec<Vec<Option<Rc<Known>>>>,
    /// What is to be searched next.
    queue: Vec<(usize, usize)>,
    running: Option<Running>,
}

impl Claims {
    /// What a case has come to, if it was searched.
    pub fn known(&self, claim: usize, case: usize) -> Option<&Rc<Known>> {
        self.known.get(claim)?.get(case)?.as_ref()
    }

    /// The search under way.
    pub const fn running(&self) -> Option<&Running> {
        self.running.as_ref()
    }

    /// Whether something of a statement is to be searched.
    pub fn is_due(&self, claim: usize) -> bool {
        let running = self.running.as_ref().map(|running| running.place);
        let mut due = running.iter().chain(&self.queue);
        due.any(|(of, _)| *of == claim)
    }

    /// What becomes of a statement, once all its cases are searched.
    pub fn verdict(&self, place: usize) -> Option<Verdict> {
        let cases = CLAIMS.get(place)?.cases.iter().enumerate();
        Verdict::of(cases.map(|(at, case)| {
            let known = self.known(place, at);
            (
                case.but,
                known.and_then(|it| case.case().agrees(it.came_to)),
            )
        }))
    }

    /// Whether everything that is known of a statement is as expected.
    pub fn is_as_expected(&self, place: usize) -> bool {
        let cases = 0..CLAIMS.get(place).map_or(0, |claim| claim.cases.len());
        let as_expected = |at| self.known(place, at).is_none_or(|it| it.is_expected);
        cases.into_iter().all(as_expected)
            && self
                .verdict(place)
                .is_none_or(|verdict| verdict == CLAIMS[place].expected)
    }

    /// How many statements are decided.
    pub fn decided(&self) -> usize {
        (0..CLAIMS.len())
            .filter(|place| self.verdict(*place).is_some())
            .count()
    }

    /// What a worker is to do for them.
    pub(super) fn task(&self) -> Option<&Task> {
        self.running.as_ref().map(|running| &running.task)
    }

    /// Has the cases of statements be searched, those that are known as well.
    pub(super) fn decide(&mut self, places: impl Iterator<Item = usize>, serial: &mut u64) {
        let cases = places.flat_map(|place| {
            let cases = CLAIMS.get(place).map_or(0, |claim| claim.cases.len());
            (0..cases).map(move |case| (place, case))
        });
        for place in cases {
            if !self.queue.contains(&place) {
                self.queue.push(place);
            }
        }
        if self.running.is_none() {
            self.next(serial);
        }
    }

    pub(super) fn stop(&mut self) {
        self.queue.clear();
        self.running = None;
    }

    fn next(&mut self, serial: &mut u64) {
        self.running = None;
        while !self.queue.is_empty() {
            let place = self.queue.remove(0);
            let case = CLAIMS.get(place.0).and_then(|it| it.cases.get(place.1));
            if let Some(Ok(ask)) = case.map(|case| case.case().ask()) {
                *serial += 1;
                let task = Task {
                    serial: *serial,
                    ask,
                    is_paused: false,
                };
                self.running = Some(Running {
                    task,
                    place,
                    progress: Progress::default(),
                });
                return;
            }
        }
    }

    /// Hears of the search under way.
    pub(super) fn hear(&mut self, told: Told, serial: &mut u64) {
        let Some(running) = &mut self.running else {
            return;
        };
        match told {
            Told::Ready => {}
            Told::Progress { progress, .. } => running.progress = progress,
            Told::Refused(_) => self.next(serial),
            Told::Over { outcome, ms } => {
                let (claim, at) = running.place;
                let case = CLAIMS[claim].cases[at].case();
                let came_to = case.came_to(&outcome);
                let known = Known {
                    came_to,
                    is_expected: case.is_as_expected(came_to),
                    shown: outcome.shown(case.of.number()).cloned(),
                    ms,
                };
                self.known.resize(CLAIMS.len(), Vec::new());
                self.known[claim].resize(CLAIMS[claim].cases.len(), None);
                self.known[claim][at] = Some(Rc::new(known));
                self.next(serial);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use barrierscope_search::Job;

    use super::*;

    #[test]
    fn a_statement_is_decided_case_by_case() {
        let place = CLAIMS.iter().position(|it| it.id == "acks-0").unwrap();
        let (mut claims, mut serial) = (Claims::default(), 7);
        claims.decide([place].into_iter(), &mut serial);
        let mut searched = 0;
        while let Some(task) = claims.task().cloned() {
            assert_eq!(claims.verdict(place), None);
            assert!(claims.is_due(place));
            let outcome = Job::begin(&task.ask).unwrap().finish();
            claims.hear(Told::Over { outcome, ms: 1 }, &mut serial);
            searched += 1;
        }
        assert_eq!((searched, serial), (2, 9));
        assert_eq!(claims.verdict(place), Some(Verdict::True));
        assert!(claims.is_as_expected(place));
        assert_eq!(claims.decided(), 1);
        let shown = claims.known(place, 1).unwrap().shown.clone().unwrap();
        let story = CLAIMS[place].cases[1].story().unwrap();
        let run = barrierscope_core::replay(story, &shown.choices).unwrap();
        assert_eq!(run.verdict().lost, 1);
    }

    #[test]
    fn every_scenario_makes_sense() {
        assert!(CLAIMS.len() >= 18);
        for claim in CLAIMS {
            for case in claim.cases {
                assert!(case.case().ask().is_ok(), "{}", claim.id);
                assert!(barrierscope_core::start(case.story().unwrap()).is_ok());
            }
        }
    }

    #[test]
    fn stopping_leaves_nothing_to_do() {
        let (mut claims, mut serial) = (Claims::default(), 0);
        claims.decide(0..CLAIMS.len(), &mut serial);
        assert!(claims.task().is_some());
        claims.stop();
        assert!(claims.task().is_none());
        assert!(!claims.is_due(0) && !claims.is_due(5));
    }
}
