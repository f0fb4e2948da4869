use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::Model;
use crate::clock::Pace;
use crate::event::Event;
use crate::fingerprint::fingerprint;
use crate::id::{ActorId, RecordId};
use crate::mark::{Ending, Mark};
use crate::protocol::Disabled;
use crate::scenario::Scenario;
use crate::scene::{Choice, Scene};
use crate::session::Session;
use crate::statistics::CheckpointStatistics;
use crate::time::Micros;
use crate::timeline::Timeline;
use crate::verdict::Verdict;

/// A recorded run of a model.
pub struct Run<M: Model> {
    timeline: Timeline<M>,
    limit: usize,
}

impl<M: Model + 'static> Run<M> {
    /// Runs a model to its end, or for `limit` steps.
    pub fn record(model: M, pace: &Pace<M::Action>, limit: usize) -> Self {
        Self {
            timeline: Timeline::record(Rc::new(model), pace, limit),
            limit,
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
    fn scenario(&self) -> &Scenario {
        self.timeline.protocol().scenario()
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

    fn branch(&self, choice: Choice) -> Result<Box<dyn Session>, Disabled> {
        let model = self.timeline.protocol();
        let state = &self.timeline.here().state;
        let action = self
            .enabled()
            .into_iter()
            .find(|action| model.choice(state, *action) == Some(choice))
            .ok_or(Disabled)?;
        Ok(Box::new(Self {
            timeline: self.timeline.fork(action, self.limit)?,
            limit: self.limit,
        }))
    }

    fn verdict(&self) -> Verdict {
        self.timeline
            .protocol()
            .verdict(&self.timeline.here().state)
    }

    fn record(&self, record: RecordId) -> Option<(&str, u64)> {
        self.timeline.protocol().record(record)
    }

    fn fingerprint(&self) -> u64 {
        fingerprint(&self.timeline.here().state)
    }

    fn ending(&self) -> Ending {
        self.timeline.ending()
    }
}
