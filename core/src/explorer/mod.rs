//! The Explorer drives a protocol through every order: breadth-first, so that the first counterexample found is a
//! shortest one.
//!
//! It knows the [`Protocol`] trait and nothing else. What is asked of every state is a [`Question`]. States that were
//! seen are remembered as 64-bit fingerprints with a link to the state they were reached from (`seen`); whole states
//! live on the frontier only (`frontier`), packed where a protocol has a packed form of them. A search works in slices: [`Explorer::step`] does a part of it and says how
//! far it is, so that it can be paused, resumed and cancelled at any time.
//!
//! | module | its story |
//! | --- | --- |
//! | [`question`] | what is asked of every state |
//! | `seen`, `frontier`, `queue`, `log` | what is remembered, and how it is kept small |
//! | [`progress`] | how far a search is, and what it has found |
//! | [`cycles`] | runs that go round for ever |
//! | `order` | which actions are tried alone |
//! | [`tidy`] | a run made easier to follow |
//! | [`random_walk`] | a search for what is too large to be exhausted |
//!
//! # Examples
//!
//! ```
//! use barrierscope_core::explorer::question::Nothing;
//! use barrierscope_core::explorer::{Explorer, Settings};
//! # use barrierscope_core::{models::pipeline::Pipeline, scenario::{Faults, Scenario}};
//! # let mut scenario = Scenario::default_story()?;
//! # scenario.inputs[0].workload = barrierscope_core::scenario::Workload::Numbered { count: 1, keys: 1 };
//! # scenario.checkpointing.max_checkpoints = Some(1);
//! # scenario.checkpointing.timeout_ms = barrierscope_core::time::Millis(0);
//! # scenario.faults = Faults::none();
//! # scenario.savepoints.max = 0;
//! # let protocol = Pipeline::new(scenario)?;
//! let mut explorer = Explorer::new(&protocol, &mut Nothing, Settings::default());
//! while explorer.step(&protocol, &mut Nothing, 10_000).status.is_running() {
//!     // Here one may tell how far it is, or stop.
//! }
//! assert!(explorer.progress().is_exhausted());
//! # Ok::<(), barrierscope_core::scenario::ScenarioError>(())
//! ```

pub mod cycles;
mod frontier;
mod log;
mod order;
pub mod progress;
pub mod question;
mod queue;
pub mod random_walk;
mod seen;
#[cfg(test)]
mod tests;
pub mod tidy;
mod walk;

use alloc::vec::Vec;
use core::mem;

use cycles::Graph;
use frontier::Frontier;
use log::Log;
use progress::{Finding, Progress, Status};
use question::{Kind, Question, Shown};
use seen::{Place, Seen};

pub use walk::{Report, walk};

use crate::fingerprint::fingerprint;
use crate::id::ActorId;
use crate::protocol::Protocol;

/// How a search is done.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Bytes that the search may take. When they are used up it stops and says what it has covered.
    pub memory: usize,
    /// States after which it stops, at most 2³².
    pub states: u64,
    /// How many [faults](Protocol::is_fault) a run may have, whatever the protocol's own budget is; if none, only
    /// that one counts.
    pub faults: Option<u8>,
    /// Whether states that differ only in which of several equal parts is which are seen once
    /// ([`Protocol::canonical`]).
    pub symmetry: bool,
    /// Whether of the orders of actions that have nothing to do with each other one is tried
    /// ([`Protocol::stands_alone`]): far fewer states, and the same verdict; but a counterexample may be some steps longer
    /// than the shortest.
    pub order: bool,
    /// Whether steps are remembered, so that runs that go round for ever are found: 8 bytes for each step besides.
    pub cycles: bool,
    /// Whether the search goes on when a property is broken, until it has seen everything: then it finds a shortest
    /// counterexample for each.
    pub goes_on: bool,
}

impl Settings {
    /// Whether anything is left out that makes no difference to a verdict, though it may to the length of a run.
    pub const fn is_reduced(&self) -> bool {
        self.order
    }
}

impl Default for Settings {
    /// Without reductions and cycles, with a gigabyte.
    fn default() -> Self {
        Self {
            memory: 1 << 30,
            states: u64::MAX,
            faults: None,
            symmetry: false,
            order: false,
            cycles: false,
            goes_on: false,
        }
    }
}

/// A run through a protocol, as a search finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run<A> {
    /// In which of [the states in which a run may start](Protocol::initials).
    pub start: u16,
    /// What happens then.
    pub actions: Vec<A>,
}

/// A state that was just reached.
#[derive(Debug)]
struct Reached<S> {
    print: u64,
    /// What was in the table where it may be.
    peeked: u64,
    choice: u16,
    faults: u8,
    /// Until it is known to be new, and goes to the frontier.
    state: Option<S>,
}

/// A search under way.
#[derive(Debug)]
pub struct Explorer<P: Protocol> {
    settings: Settings,
    seen: Seen,
    queue: Frontier<P::State>,
    /// By state: how many faults led to it. Kept only where they are limited.
    faults: Log<u8>,
    graph: Option<Graph>,
    /// The number of the next state to look into.
    next: u32,
    /// The number behind the last state of the level under way.
    level_end: u32,
    progress: Progress,
    /// By property: whether it was found.
    found: Shown,
    /// A property was broken on the next level: what is left of this one is asked for ends only, which would be
    /// shorter.
    closing: bool,
    asks_ends: bool,
    actions: Vec<P::Action>,
    /// What the actions that were tried in a state are [like](Protocol::likeness).
    tried: Vec<u64>,
    reached: Vec<Reached<P::State>>,
}

impl<P: Protocol> Explorer<P> {
    /// Begins a search in the states in which runs start.
    pub fn new<Q: Question<P>>(protocol: &P, question: &mut Q, settings: Settings) -> Self {
        let properties = question.properties();
        let mut explorer = Self {
            seen: Seen::new(settings.cycles),
            queue: Frontier::new(protocol),
            faults: Log::default(),
            graph: settings.cycles.then(Graph::default),
            next: 0,
            level_end: 0,
            progress: Progress {
                depth: 1,
                ..Progress::default()
            },
            found: Shown::NONE,
            closing: false,
            asks_ends: properties.iter().any(|it| it.kind == Kind::AtEnds),
            actions: Vec::new(),
            tried: Vec::new(),
            reached: Vec::new(),
            settings,
        };
        for (choice, state) in protocol.initials().into_iter().enumerate() {
            let reached = Reached {
                print: explorer.print(protocol, &state, 0),
                peeked: 0,
                choice: u16::try_from(choice).unwrap_or(u16::MAX),
                faults: 0,
                state: Some(state),
            };
            let itself = explorer.seen.len() as u32;
            explorer.arrive(protocol, question, itself, &mut { reached });
        }
        explorer.progress.depth = 1;
        explorer.level_end = explorer.seen.len() as u32;
        explorer.measure();
        explorer
    }

    /// Goes on for about so many steps of the protocol: a slice of work, after which it says how far it is.
    pub fn step<Q: Question<P>>(
        &mut self,
        protocol: &P,
        question: &mut Q,
        steps: u32,
    ) -> &Progress {
        let until = self.progress.generated.saturating_add(u64::from(steps));
        while self.progress.status.is_running() && self.progress.generated < until {
            self.look_into_next(protocol, question);
        }
        self.measure();
        &self.progress
    }

    /// Goes on to the end: until everything was seen, something was found, or memory is used up.
    pub fn finish<Q: Question<P>>(&mut self, protocol: &P, question: &mut Q) -> &Progress {
        while self.step(protocol, question, 1 << 20).status.is_running() {}
        &self.progress
    }

    /// How far it is, and what it has found.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The first state, in the order of the lengths of the runs to them, in which a property is broken that is not only
    /// to be reached.
    pub fn counterexample<Q: Question<P>>(&self, question: &Q) -> Option<Finding> {
        let properties = question.properties();
        let is_broken = |finding: &&Finding| {
            let property = properties.get(finding.property as usize);
            property.is_some_and(|it| it.kind != Kind::Sometimes)
        };
        let broken = self.progress.findings.iter().filter(is_broken);
        broken.min_by_key(|finding| finding.state).copied()
    }

    /// The run by which a state was first reached: a shortest one. None if there is no state of this number.
    pub fn run_to(&self, protocol: &P, state: u32) -> Option<Run<P::Action>> {
        Some(self.retrace(protocol, state)?.0)
    }

    /// The run to a state, and the state.
    fn retrace(&self, protocol: &P, state: u32) -> Option<(Run<P::Action>, P::State)> {
        let mut choices = self.seen.choices_to(state).into_iter();
        let start = choices.next()?;
        let mut here = protocol.initials().into_iter().nth(usize::from(start))?;
        let mut actions = Vec::new();
        let mut enabled = Vec::new();
        for choice in choices {
            enabled_in(protocol, &here, &mut enabled);
            let action = *enabled.get(usize::from(choice))?;
            protocol.apply(&mut here, action, &mut ()).ok()?;
            protocol.forget(&mut here);
            actions.push(action);
        }
        Some((Run { start, actions }, here))
    }

    fn print(&self, protocol: &P, state: &P::State, faults: u8) -> u64 {
        let print = match self.settings.symmetry {
            true => fingerprint(&protocol.canonical(state)),
            false => fingerprint(state),
        };
        match self.settings.faults {
            // The same state is another one where fewer faults may follow.
            Some(_) => fingerprint(&(print, faults)),
            None => print,
        }
    }

    /// Bytes of a state on the heap.
    fn outside(protocol: &P, state: &P::State) -> usize {
        match mem::needs_drop::<P::State>() {
            true => protocol.size(state).saturating_sub(size_of::<P::State>()),
            false => 0,
        }
    }

    fn look_into_next<Q: Question<P>>(&mut self, protocol: &P, question: &mut Q) {
        if self.next == self.level_end {
            if self.closing {
                self.progress.status = Status::Found;
                return;
            }
            self.level_end = self.seen.len() as u32;
        }
        let Some(state) = self
            .queue
            .pop(protocol, |state| Self::outside(protocol, state))
        else {
            // A state that cannot be had back is one that was not looked into.
            self.progress.status = match self.queue.len() {
                0 => Status::Exhausted,
                _ => Status::Full,
            };
            return;
        };
        let number = self.next;
        self.next += 1;
        let quiet = self.try_everything(protocol, question, number, &state);
        let ends = self.asks_ends && (quiet || protocol.is_done(&state));
        if ends {
            let shown = question.judge_end(protocol, &state);
            self.note(question, number, shown, Kind::AtEnds);
        }
        if let Some(graph) = &mut self.graph
            && (quiet || protocol.is_done(&state))
        {
            graph.end_at(number);
        }
        let mut reached = mem::take(&mut self.reached);
        for reached in &mut reached {
            if !self.progress.status.is_running() || self.closing {
                break;
            }
            self.progress.generated += 1;
            if self.seen.is_known_by(reached.print, reached.peeked) {
                continue;
            }
            self.arrive(protocol, question, number, reached);
        }
        reached.clear();
        self.reached = reached;
    }

    /// Takes every step that is possible and admitted, and says whether none of them happens by itself.
    fn try_everything<Q: Question<P>>(
        &mut self,
        protocol: &P,
        question: &Q,
        number: u32,
        state: &P::State,
    ) -> bool {
        enabled_in(protocol, state, &mut self.actions);
        self.progress.ends += u64::from(self.actions.is_empty());
        let watched = self.asks_ends || self.graph.is_some() || self.settings.faults.is_some();
        let so_far = match self.settings.faults {
            Some(_) => self.faults.get(number).unwrap_or(0),
            None => 0,
        };
        let alone = match self.settings.order && !self.closing {
            true => self.alone(protocol, question, state, so_far),
            false => None,
        };
        let mut quiet = true;
        self.tried.clear();
        for (choice, action) in self.actions.iter().enumerate() {
            if alone.is_some_and(|alone| alone != choice)
                || !question.admits(protocol, state, *action)
            {
                continue;
            }
            let fault = watched && protocol.is_fault(state, *action);
            let faults = so_far.saturating_add(u8::from(fault));
            if fault && self.settings.faults.is_some_and(|most| faults > most) {
                continue;
            }
            quiet &= fault;
            if self.closing || is_tried(protocol.likeness(state, *action), &mut self.tried) {
                continue;
            }
            let mut reached = state.clone();
            if protocol.apply(&mut reached, *action, &mut ()).is_err() {
                continue;
            }
            protocol.forget(&mut reached);
            let print = self.print(protocol, &reached, faults);
            self.reached.push(Reached {
                print,
                peeked: self.seen.peek(print),
                choice: u16::try_from(choice).unwrap_or(u16::MAX),
                faults,
                state: Some(reached),
            });
        }
        quiet
    }

    /// A state was reached, from `parent` or, if that is the number it would have itself, as one where runs start.
    fn arrive<Q: Question<P>>(
        &mut self,
        protocol: &P,
        question: &mut Q,
        parent: u32,
        reached: &mut Reached<P::State>,
    ) {
        let number = self.seen.len() as u32;
        if parent == number {
            self.progress.generated += 1;
        }
        let is_limit = u64::from(number) >= self.settings.states;
        if is_limit && !self.seen.contains(reached.print) {
            self.progress.status = Status::Limited;
            return;
        }
        if self.seen.is_crowded() {
            let spare = (self.settings.memory).saturating_sub(self.bytes());
            if !self.seen.grow(spare) {
                self.progress.status = Status::Full;
                return;
            }
        }
        let place = self.seen.insert(reached.print, parent, reached.choice);
        if let Some(graph) = &mut self.graph {
            match place {
                Place::Known(to) => graph.add(parent, to),
                Place::New if parent != number => graph.add(parent, number),
                Place::New | Place::NoRoom => {}
            }
        }
        match place {
            Place::Known(_) => return,
            Place::NoRoom => {
                self.progress.status = Status::Full;
                return;
            }
            Place::New => {}
        }
        if self.settings.faults.is_some() {
            self.faults.push(reached.faults);
        }
        if number == self.level_end && parent != number {
            self.progress.depth += 1;
        }
        let Some(state) = reached.state.take() else {
            return;
        };
        let shown = question.judge(protocol, &state);
        let outside = |state: &P::State| Self::outside(protocol, state);
        if !self.queue.push(protocol, state, outside) {
            self.progress.status = Status::Full;
        }
        if !shown.is_empty() {
            self.note(question, number, shown, Kind::Always);
            self.note(question, number, shown, Kind::Sometimes);
        }
        if number.is_multiple_of(1 << 10) {
            self.measure();
            if self.progress.bytes > self.settings.memory as u64 {
                self.progress.status = Status::Full;
            }
        }
    }

    /// Notes which properties show themselves in a state for the first time, and whether the search is over with it.
    fn note<Q: Question<P>>(&mut self, question: &Q, number: u32, shown: Shown, kind: Kind) {
        for (property, it) in (0..).zip(question.properties()) {
            if it.kind != kind || !shown.contains(property) || self.found.contains(property) {
                continue;
            }
            self.found = self.found.with(property, true);
            self.progress.findings.push(Finding {
                property,
                state: number,
            });
            if self.settings.goes_on || kind == Kind::Sometimes {
                continue;
            }
            if kind == Kind::Always && self.asks_ends && number >= self.level_end {
                self.closing = true;
            } else {
                self.progress.status = Status::Found;
            }
        }
    }

    fn bytes(&self) -> usize {
        let graph = self.graph.as_ref().map_or(0, Graph::bytes);
        self.seen.bytes() + self.queue.bytes() + self.faults.bytes() + graph
    }

    fn measure(&mut self) {
        let bytes = self.bytes() as u64;
        let progress = &mut self.progress;
        progress.distinct = self.seen.len() as u64;
        progress.frontier = self.queue.len() as u64;
        progress.bytes = bytes;
        progress.most_bytes = progress.most_bytes.max(bytes);
        progress.widest = progress.widest.max(progress.frontier);
    }
}

/// Whether something like this was tried already; if not, it is noted.
fn is_tried(like: Option<u64>, tried: &mut Vec<u64>) -> bool {
    let Some(like) = like else {
        return false;
    };
    let is_tried = tried.contains(&like);
    if !is_tried {
        tried.push(like);
    }
    is_tried
}

/// Every action that is enabled in a state, in a canonical order.
pub(crate) fn enabled_in<P: Protocol>(protocol: &P, state: &P::State, into: &mut Vec<P::Action>) {
    into.clear();
    for actor in 0..protocol.actors() {
        protocol.enabled(state, ActorId(actor as u16), into);
    }
}
