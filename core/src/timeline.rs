//! The actions of a run, with keyframes: go to any step, step back, fork from any step.
//!
//! A run is recorded to its end when it is made. What is kept is the list of actions, and now and then
//! a whole simulation (state and clock); any step is reached from the nearest keyframe before it. Since
//! everything is deterministic, what is replayed is what happened.

use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::clock::{Clock, Pace, Taken};
use crate::commit::costs::{Bill, Costs};
use crate::event::Event;
use crate::mark::{Ending, Mark};
use crate::protocol::{Disabled, Observer, Protocol};
use crate::statistics::{CheckpointStatistics, Tracker};
use crate::time::Micros;

/// Steps between keyframes at first; the distance doubles as a run grows.
const SPACING: usize = 64;
/// More keyframes than this are thinned out to half.
const KEYFRAMES: usize = 512;
/// And so are keyframes that take more bytes than this altogether, as long as there are more than a few.
const BYTES: usize = 128 << 20;

/// A state and the clock that drives it.
pub struct Simulation<P: Protocol> {
    /// The state.
    pub state: P::State,
    /// The clock.
    pub clock: Clock<P::Action>,
}

impl<P: Protocol> Clone for Simulation<P> {
    fn clone(&self) -> Self {
        Self {
            state: self.state.clone(),
            clock: self.clock.clone(),
        }
    }
}

impl<P: Protocol> Simulation<P> {
    /// At the start of a run.
    pub fn new(protocol: &P, pace: &Pace<P::Action>) -> Self {
        Self {
            state: protocol.initial(),
            clock: Clock::new(protocol, pace),
        }
    }

    /// Goes on by one action; none when the story is over or nothing is left to happen.
    pub fn step(&mut self, protocol: &P, observer: &mut impl Observer) -> Option<Taken<P::Action>> {
        if protocol.is_done(&self.state) && !self.clock.faults_ahead() {
            return None;
        }
        self.clock.step(protocol, &mut self.state, observer)
    }

    fn replay(&mut self, protocol: &P, step: &Step<P::Action>, observer: &mut impl Observer) {
        if step.chosen {
            self.clock.wait_until(step.at);
            // It was enabled when it was recorded, and the state is the same.
            let _ = self
                .clock
                .force(protocol, &mut self.state, step.action, observer);
        } else {
            let _ = self.step(protocol, observer);
        }
    }
}

/// One step of a run.
#[derive(Clone, Copy, Debug)]
struct Step<A> {
    action: A,
    at: Micros,
    /// A person chose it: the clock would not have taken it, or not now.
    chosen: bool,
}

/// A run, and the step at which one looks at it.
pub struct Timeline<P: Protocol> {
    protocol: Rc<P>,
    steps: Vec<Step<P::Action>>,
    told: Told,
    /// Simulations at the steps that are multiples of `spacing`.
    keyframes: Vec<Simulation<P>>,
    spacing: usize,
    ending: Ending,
    at: usize,
    here: Simulation<P>,
}

impl<P: Protocol> Timeline<P> {
    /// A run in which nothing has happened yet.
    fn begin(protocol: Rc<P>, pace: &Pace<P::Action>) -> Self {
        let here = Simulation::new(&*protocol, pace);
        Self {
            protocol,
            steps: Vec::new(),
            told: Told::default(),
            keyframes: Vec::from([here.clone()]),
            spacing: SPACING,
            ending: Ending::Limit,
            at: 0,
            here,
        }
    }

    /// Runs a protocol to its end, or for `limit` steps, and looks at the start.
    pub fn record(protocol: Rc<P>, pace: &Pace<P::Action>, limit: usize) -> Self {
        let mut timeline = Self::begin(protocol, pace);
        timeline.run(limit);
        timeline.go_to(0);
        timeline
    }

    /// A run that begins with these actions, one after the other, and goes on by itself for at most `limit` steps in
    /// all. It looks at the step just after the last of them.
    ///
    /// Each action takes as long as it does when nothing else is going on, and a millisecond at least: what was found
    /// without a clock is to be watched.
    ///
    /// # Errors
    /// [`Disabled`] if the rules do not allow one of them where it stands.
    pub fn along(
        protocol: Rc<P>,
        pace: &Pace<P::Action>,
        actions: &[P::Action],
        limit: usize,
    ) -> Result<Self, Disabled> {
        let mut timeline = Self::begin(protocol, pace);
        let mut heard = Heard::default();
        for action in actions {
            let Simulation { state, clock } = &mut timeline.here;
            clock.wait_for(&*timeline.protocol, state, *action);
            let taken = clock.force(&*timeline.protocol, state, *action, &mut heard)?;
            timeline.push(taken, true, &mut heard);
        }
        let found = timeline.at;
        timeline.run(limit);
        timeline.go_to(found);
        Ok(timeline)
    }

    /// A run that shares this one's past up to the step at which one looks, takes `action` there, and
    /// goes on for at most `limit` steps in all. It looks at the step just after the choice.
    ///
    /// # Errors
    /// [`Disabled`] if the rules do not allow the action here.
    pub fn fork(&self, action: P::Action, limit: usize) -> Result<Self, Disabled> {
        let mut steps = self.steps.clone();
        steps.truncate(self.at);
        let mut keyframes = self.keyframes.clone();
        keyframes.truncate(self.at / self.spacing + 1);
        let mut fork = Self {
            protocol: Rc::clone(&self.protocol),
            steps,
            told: Told::default(),
            keyframes,
            spacing: self.spacing,
            ending: Ending::Limit,
            at: self.at,
            here: self.here.clone(),
        };
        let mut heard = Heard::default();
        let here = &mut fork.here;
        let taken = here
            .clock
            .force(&*fork.protocol, &mut here.state, action, &mut heard)?;
        fork.retell();
        fork.push(taken, true, &mut heard);
        let chosen = fork.at;
        fork.run(limit);
        fork.go_to(chosen);
        Ok(fork)
    }

    /// Tells the shared past once more: what stands out in it, and its statistics.
    fn retell(&mut self) {
        let Some(mut simulation) = self.keyframes.first().cloned() else {
            return;
        };
        let mut heard = Heard::default();
        for (before, step) in self.steps.iter().enumerate() {
            simulation.replay(&self.protocol, step, &mut heard);
            self.told.tell(before + 1, step.at, &mut heard);
        }
    }

    /// Goes on from the end.
    fn run(&mut self, limit: usize) {
        let mut heard = Heard::default();
        self.ending = loop {
            if self.steps.len() >= limit {
                break Ending::Limit;
            }
            match self.here.step(&*self.protocol, &mut heard) {
                Some(taken) => self.push(taken, false, &mut heard),
                None if self.protocol.is_done(&self.here.state) => break Ending::Done,
                None if self.here.clock.is_cut() => break Ending::Limit,
                None => break Ending::Idle,
            }
        };
    }

    fn push(&mut self, taken: Taken<P::Action>, chosen: bool, heard: &mut Heard) {
        self.told.tell(self.steps.len() + 1, taken.at, heard);
        self.steps.push(Step {
            action: taken.action,
            at: taken.at,
            chosen,
        });
        self.at = self.steps.len();
        if self.at.is_multiple_of(self.spacing) && self.at / self.spacing == self.keyframes.len() {
            self.keyframes.push(self.here.clone());
            self.thin_out();
        }
    }

    /// Keeps every second keyframe only, if they have become too many or too large.
    fn thin_out(&mut self) {
        let bytes = || {
            let newest = self.protocol.size(&self.here.state);
            // States only grow: half of the newest one's size is about the average.
            newest.saturating_mul(self.keyframes.len()) / 2
        };
        if self.keyframes.len() > KEYFRAMES || self.keyframes.len() > 8 && bytes() > BYTES {
            let mut number = 0;
            self.keyframes.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.spacing *= 2;
        }
    }

    /// Goes through the run from its start to its end, whatever the step at which one looks, and has `listener` see
    /// the state before and after each action.
    pub fn retrace(&self, listener: &mut impl Listener<P>) {
        let Some(mut simulation) = self.keyframes.first().cloned() else {
            return;
        };
        for step in &self.steps {
            listener.before(&simulation.state, step.action, step.at);
            simulation.replay(&self.protocol, step, listener);
            listener.after(&simulation.state);
        }
    }

    /// The protocol that is run.
    pub fn protocol(&self) -> &P {
        &self.protocol
    }

    /// The step at which one looks: the number of actions taken before.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The last step.
    pub fn last(&self) -> usize {
        self.steps.len()
    }

    /// State and clock at the step at which one looks.
    pub fn here(&self) -> &Simulation<P> {
        &self.here
    }

    /// State and clock at the last step.
    pub fn end(&self) -> Simulation<P> {
        let last = self.steps.len();
        let nearest = last / self.spacing;
        let Some(keyframe) = self.keyframes.get(nearest) else {
            return self.here.clone();
        };
        let mut end = keyframe.clone();
        for step in self.steps.get(nearest * self.spacing..).unwrap_or_default() {
            end.replay(&self.protocol, step, &mut ());
        }
        end
    }

    /// Why the run ends where it ends.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// What stands out along the run, by step.
    pub fn marks(&self) -> &[Mark] {
        &self.told.marks
    }

    /// The statistics of the run's checkpoints.
    pub fn checkpoints(&self) -> &[CheckpointStatistics] {
        self.told.statistics.checkpoints()
    }

    /// What two-phase commit has cost up to the step at which one looks.
    pub fn costs(&self) -> Costs {
        self.told.bill.at(self.at)
    }

    /// The action that led to a step.
    pub fn action(&self, step: usize) -> Option<P::Action> {
        Some(self.steps.get(step.checked_sub(1)?)?.action)
    }

    /// The virtual time of a step; of the last one where `step` lies beyond it.
    pub fn time(&self, step: usize) -> Micros {
        step.min(self.steps.len())
            .checked_sub(1)
            .and_then(|before| self.steps.get(before))
            .map_or(Micros::ZERO, |step| step.at)
    }

    /// The last step that is not later than a moment.
    pub fn step_at(&self, moment: Micros) -> usize {
        self.steps.partition_point(|step| step.at <= moment)
    }

    /// Looks at another step; at the last one where `step` lies beyond it.
    pub fn go_to(&mut self, step: usize) {
        let step = step.min(self.steps.len());
        let near = self.at <= step && step - self.at < self.spacing;
        if !near && let Some(keyframe) = self.keyframes.get(step / self.spacing) {
            self.here = keyframe.clone();
            self.at = step / self.spacing * self.spacing;
        }
        for step in self.steps.get(self.at..step).unwrap_or_default() {
            self.here.replay(&self.protocol, step, &mut ());
        }
        self.at = step;
    }

    /// What the action that led here did; nothing at step 0.
    pub fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        if let (Some(mut before), Some(step)) = (self.before(), self.last_step()) {
            before.replay(&self.protocol, step, &mut events);
        }
        events
    }

    /// The run just before the action that led here; nothing at step 0.
    pub fn before(&self) -> Option<Simulation<P>> {
        let before = self.at.checked_sub(1)?;
        let nearest = before / self.spacing;
        let mut simulation = self.keyframes.get(nearest)?.clone();
        for step in self.steps.get(nearest * self.spacing..before)? {
            simulation.replay(&self.protocol, step, &mut ());
        }
        Some(simulation)
    }

    /// The step that led here.
    fn last_step(&self) -> Option<&Step<P::Action>> {
        self.steps.get(self.at.checked_sub(1)?)
    }
}

/// Follows a run action by action: hears what each one does, and sees the states between them.
pub trait Listener<P: Protocol>: Observer {
    /// The next action will be taken in this state, at this moment.
    fn before(&mut self, state: &P::State, action: P::Action, at: Micros);
    /// This is what it led to.
    fn after(&mut self, state: &P::State);
}

/// What is kept of the events of a run.
#[derive(Default)]
struct Told {
    marks: Vec<Mark>,
    statistics: Tracker,
    bill: Bill,
}

impl Told {
    fn tell(&mut self, step: usize, at: Micros, heard: &mut Heard) {
        for event in heard.0.drain(..) {
            self.marks.extend(Mark::of(&event, step));
            self.statistics.hear(at, &event);
            self.bill.hear(step, &event);
        }
    }
}

/// The events of a step, until it is known when it happened.
#[derive(Default)]
pub(crate) struct Heard(pub(crate) Vec<Event>);

impl Observer for Heard {
    fn event(&mut self, event: Event) {
        self.0.push(event);
    }
}
