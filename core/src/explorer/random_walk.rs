//! A search for what is too large to be exhausted: runs in which chance decides what happens next.
//!
//! It may find a counterexample, which is seldom a shortest one. It never says that something holds, only how much it
//! has seen.

use alloc::vec::Vec;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use serde::{Deserialize, Serialize};

use super::progress::Finding;
use super::question::{Kind, Question, Shown};
use super::seen::{Place, Seen};
use super::{Run, enabled_in};
use crate::fingerprint::fingerprint;
use crate::protocol::Protocol;

/// How runs are made up.
#[derive(Clone, Copy, Debug)]
pub struct Chance {
    /// The same seed makes the same runs.
    pub seed: u64,
    /// After so many steps a run is given up, and the next one begun.
    pub longest: u32,
    /// How many [faults](Protocol::is_fault) a run may have besides the protocol's own budget; if none, only that one
    /// counts.
    pub faults: Option<u8>,
    /// Bytes in which it remembers what it has seen; what is seen beyond that is not counted.
    pub memory: usize,
}

/// How much random runs have seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sample {
    /// Runs begun.
    pub runs: u64,
    /// Steps taken in all of them.
    pub steps: u64,
    /// Distinct states seen; at least so many where [`full`](Self::full) says so.
    pub distinct: u64,
    /// Runs that came to an end; the others were given up.
    pub ended: u64,
    /// Steps in the longest run.
    pub longest: u32,
    /// Whether there were more distinct states than could be remembered.
    pub full: bool,
    /// The property that was found broken in the run under way.
    pub found: Option<Finding>,
}

/// Random runs, one after the other.
#[derive(Debug)]
pub struct RandomWalk<P: Protocol> {
    chance: Chance,
    random: Pcg32,
    seen: Seen,
    sample: Sample,
    state: P::State,
    run: Run<P::Action>,
    faults: u8,
    enabled: Vec<P::Action>,
}

impl<P: Protocol> RandomWalk<P> {
    /// At the start of the first run.
    pub fn new(protocol: &P, chance: Chance) -> Self {
        let mut walk = Self {
            chance,
            random: Pcg32::seed_from_u64(chance.seed),
            seen: Seen::new(false),
            sample: Sample::default(),
            state: protocol.initial(),
            run: Run {
                start: 0,
                actions: Vec::new(),
            },
            faults: 0,
            enabled: Vec::new(),
        };
        walk.begin(protocol);
        walk
    }

    /// Goes on for so many steps, or until a property is broken.
    pub fn step<Q: Question<P>>(&mut self, protocol: &P, question: &mut Q, steps: u32) -> &Sample {
        for _ in 0..steps {
            if self.sample.found.is_some() {
                break;
            }
            self.go_on(protocol, question);
        }
        &self.sample
    }

    /// How much it has seen.
    pub fn sample(&self) -> &Sample {
        &self.sample
    }

    /// Bytes in which it remembers what it has seen.
    pub fn bytes(&self) -> usize {
        self.seen.bytes()
    }

    /// The run under way: the counterexample, if a property was found broken.
    pub fn run(&self) -> &Run<P::Action> {
        &self.run
    }

    fn below(&mut self, count: usize) -> usize {
        let wide = u64::from(self.random.next_u32()) * count as u64;
        (wide >> 32) as usize
    }

    fn begin(&mut self, protocol: &P) {
        let mut starts = protocol.initials();
        let start = self.below(starts.len());
        if start < starts.len() {
            self.state = starts.swap_remove(start);
        }
        self.run.start = u16::try_from(start).unwrap_or(u16::MAX);
        self.run.actions.clear();
        self.faults = 0;
        self.sample.runs += 1;
        self.see();
    }

    fn see(&mut self) {
        if self.sample.full {
            return;
        }
        let spare = (self.chance.memory).saturating_sub(self.seen.bytes());
        if self.seen.is_crowded() && !self.seen.grow(spare) {
            self.sample.full = true;
            return;
        }
        match self.seen.insert(fingerprint(&self.state), 0, 0) {
            Place::New => self.sample.distinct += 1,
            Place::Known(_) => {}
            Place::NoRoom => self.sample.full = true,
        }
    }

    fn go_on<Q: Question<P>>(&mut self, protocol: &P, question: &mut Q) {
        enabled_in(protocol, &self.state, &mut self.enabled);
        let (state, faults, most) = (&self.state, self.faults, self.chance.faults);
        let mut quiet = true;
        self.enabled.retain(|action| {
            let fault = protocol.is_fault(state, *action);
            let may = question.admits(protocol, state, *action)
                && !(fault && most.is_some_and(|most| faults >= most));
            quiet &= !may || fault;
            may
        });
        if quiet || protocol.is_done(state) {
            let shown = question.judge_end(protocol, state);
            self.note(question, shown, Kind::AtEnds);
        }
        let long = self.run.actions.len() >= self.chance.longest as usize;
        if self.sample.found.is_some() {
            return;
        }
        if long || self.enabled.is_empty() {
            self.sample.ended += u64::from(self.enabled.is_empty());
            self.begin(protocol);
            return;
        }
        let at = self.below(self.enabled.len());
        let Some(action) = self.enabled.get(at).copied() else {
            return;
        };
        let fault = protocol.is_fault(&self.state, action);
        if protocol.apply(&mut self.state, action, &mut ()).is_err() {
            return;
        }
        protocol.forget(&mut self.state);
        self.faults = self.faults.saturating_add(u8::from(fault));
        self.run.actions.push(action);
        self.sample.steps += 1;
        self.sample.longest = self.sample.longest.max(self.run.actions.len() as u32);
        self.see();
        let shown = question.judge(protocol, &self.state);
        self.note(question, shown, Kind::Always);
    }

    fn note<Q: Question<P>>(&mut self, question: &Q, shown: Shown, kind: Kind) {
        for (property, it) in (0..).zip(question.properties()) {
            if it.kind == kind && shown.contains(property) && self.sample.found.is_none() {
                self.sample.found = Some(Finding { property, state: 0 });
            }
        }
    }
}
