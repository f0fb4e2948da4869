use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::Model;
use super::chart::Recorder;
use super::promises::Promises;
use crate::clock::Pace;
use crate::commit::costs::Costs;
use crate::diagram::Diagram;
use crate::event::Event;
use crate::explorer::question::{Kind, Question, Shown};
use crate::fingerprint::fingerprint;
use crate::id::{ActorId, RecordId};
use crate::kafka::log::IsolationLevel;
use crate::mark::{Ending, Mark};
use crate::measurement::{Measurement, Meter};
use crate::protocol::Disabled;
use crate::scenario::StoryRef;
use crate::scene::votes::PropertyView;
use crate::scene::{Choice, Scene, Withheld};
use crate::session::{Promised, Session, Standing};
use crate::statistics::CheckpointStatistics;
use crate::time::Micros;
use crate::timeline::{Heard, Simulation, Timeline};
use crate::verdict::Verdict;

/// A recorded run of a model.
pub struct Run<M: Model> {
    timeline: Timeline<M>,
    limit: usize,
    ending: Ending,
}

/// Runs a model to its end, or for `limit` steps, tells what happens and adds it up.
pub(super) fn measure<M: Model>(
    model: &M,
    pace: &Pace<M::Action>,
    limit: u32,
    hear: &mut dyn FnMut(Micros, &Event),
) -> Measurement {
    let (records, uncommitted) = match model.story() {
        StoryRef::Pipeline(scenario) => (
            scenario.inputs.iter().map(|i| i.workload.len()).sum(),
            scenario.reader.isolation_level == IsolationLevel::ReadUncommitted,
        ),
        StoryRef::Delivery(scenario) => (scenario.records(), false),
        StoryRef::Votes(_) => (0, false),
    };
    let mut meter = Meter::new(records as usize, uncommitted);
    let mut simulation = Simulation::new(model, pace);
    let mut heard = Heard::default();
    let (mut steps, mut time) = (0, Micros::ZERO);
    let ending = loop {
        if steps >= u64::from(limit) {
            break Ending::Limit;
        }
        match simulation.step(model, &mut heard) {
            Some(taken) => {
                (steps, time) = (steps + 1, taken.at);
                for event in heard.0.drain(..) {
                    hear(taken.at, &event);
                    meter.hear(taken.at, &event);
                }
            }
            None if model.is_done(&simulation.state) => break model.ending(&simulation.state),
            None if simulation.clock.is_cut() => break Ending::Limit,
            None => break Ending::Idle,
        }
    };
    meter.finish(model.verdict(&simulation.state), ending, steps, time)
}

impl<M: Model + 'static> Run<M> {
    /// Runs a model to its end, or for `limit` steps.
    pub fn record(model: M, pace: &Pace<M::Action>, limit: usize) -> Self {
        Self::new(Timeline::record(Rc::new(model), pace, limit), limit)
    }

    /// A run that begins with these actions, and looks at the step after the last of them.
    ///
    /// # Errors
    /// [`Disabled`] if the rules do not allow one of them where it stands.
    pub fn along(
        model: Rc<M>,
        pace: &Pace<M::Action>,
        actions: &[M::Action],
        limit: usize,
    ) -> Result<Self, Disabled> {
        let timeline = Timeline::along(model, pace, actions, limit)?;
        Ok(Self::new(timeline, limit))
    }

    fn new(timeline: Timeline<M>, limit: usize) -> Self {
        let ending = match timeline.ending() {
            Ending::Done => timeline.protocol().ending(&timeline.end().state),
            other => other,
        };
        Self {
            timeline,
            limit,
            ending,
        }
    }

    /// The timeline underneath.
    pub fn timeline(&self) -> &Timeline<M> {
        &self.timeline
    }

    fn enabled(&self) -> Vec<M::Action> {
        let model = self.timeline.protocol();
        let mut actions = Vec::new();
        for actor in 0..model.actors() {
            let actor = ActorId(actor as u16);
            model.enabled(&self.timeline.here().state, actor, &mut actions);
        }
        actions
    }
}

impl<M: Model + 'static> Session for Run<M> {
    fn story(&self) -> StoryRef<'_> {
        self.timeline.protocol().story()
    }

    fn last(&self) -> usize {
        self.timeline.last()
    }

    fn at(&self) -> usize {
        self.timeline.at()
    }

    fn time(&self, step: usize) -> Micros {
        self.timeline.time(step)
    }

    fn go_to(&mut self, step: usize) {
        self.timeline.go_to(step);
    }

    fn step_at(&self, moment: Micros) -> usize {
        self.timeline.step_at(moment)
    }

    fn scene(&self) -> Scene {
        let here = self.timeline.here();
        self.timeline.protocol().scene(&here.state, &here.clock)
    }

    fn events(&self) -> Vec<Event> {
        self.timeline.events()
    }

    fn chosen(&self) -> Option<Choice> {
        let before = self.timeline.before()?;
        let action = self.timeline.action(self.timeline.at())?;
        self.timeline.protocol().choice(&before.state, action)
    }

    fn marks(&self) -> &[Mark] {
        self.timeline.marks()
    }

    fn checkpoints(&self) -> &[CheckpointStatistics] {
        self.timeline.checkpoints()
    }

    fn choices(&self) -> Vec<Choice> {
        let model = self.timeline.protocol();
        let state = &self.timeline.here().state;
        self.enabled()
            .into_iter()
            .filter_map(|action| model.choice(state, action))
            .collect()
    }

    fn withheld(&self) -> Vec<Withheld> {
        let here = self.timeline.here();
        self.timeline.protocol().withheld(&here.state)
    }

    fn branch(&self, choice: Choice) -> Result<Box<dyn Session>, Disabled> {
        let model = self.timeline.protocol();
        let state = &self.timeline.here().state;
        let action = self
            .enabled()
            .into_iter()
            .find(|action| model.choice(state, *action) == Some(choice))
            .ok_or(Disabled)?;
        let fork = self.timeline.fork(action, self.limit)?;
        Ok(Box::new(Self::new(fork, self.limit)))
    }

    fn diagram(&self) -> Diagram {
        let mut recorder = Recorder::new(self.timeline.protocol());
        self.timeline.retrace(&mut recorder);
        recorder.finish()
    }

    fn verdict(&self) -> Verdict {
        let here = self.timeline.here();
        self.timeline
            .protocol()
            .verdict_at(&here.state, &here.clock)
    }

    fn record(&self, record: RecordId) -> Option<(&str, u64)> {
        self.timeline.protocol().record(record)
    }

    fn transactional_id(&self, number: u32) -> Option<String> {
        self.timeline.protocol().transactional_id(number)
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&self.timeline.here().state)
    }

    fn ending(&self) -> Ending {
        self.ending
    }

    fn properties(&self) -> Vec<PropertyView> {
        let here = self.timeline.here();
        self.timeline.protocol().properties(&here.state)
    }

    fn promises(&self) -> Vec<Promised> {
        let (model, state) = (self.timeline.protocol(), &self.timeline.here().state);
        let mut promises = Promises::of(model);
        let shown = promises.judge(model, state);
        let happens =
            |it: &M::Action| !model.is_fault(state, *it) && promises.admits(model, state, *it);
        let is_end = model.is_done(state) || !self.enabled().iter().any(happens);
        let at_end = match is_end {
            true => promises.judge_end(model, state),
            false => Shown::NONE,
        };
        let numbered = (0..).zip(Question::<M>::properties(&promises));
        let promised = numbered.map(|(number, promise)| Promised {
            promise: *promise,
            number,
            standing: match (promise.kind, shown.contains(number)) {
                (Kind::AtEnds, _) if !is_end => Standing::NotAsked,
                (Kind::AtEnds, _) if at_end.contains(number) => Standing::Not,
                (Kind::AtEnds, _) | (Kind::Always, false) | (Kind::Sometimes, true) => {
                    Standing::Shows
                }
                (Kind::Always, true) | (Kind::Sometimes, false) => Standing::Not,
            },
        });
        promised.collect()
    }

    fn costs(&self) -> Costs {
        self.timeline.costs()
    }
}
