//! The question whether a model keeps what it promises while some kinds of faults, and some who could fail, are spared.

use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::Model;
use super::faults::{FaultAt, FaultKind};
use super::promises::{OF_RECORDS, Promises};
use crate::explorer::question::{Property, Question, Shown};
use crate::id::NodeId;
use crate::scene::Choice;

/// What a search does not break, whatever its budget.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Spared {
    /// Nobody crashes, stops or stands still.
    pub crashes: bool,
    /// No message is lost, late or doubled, nothing that was asked for is refused, and no time-out comes early.
    pub messages: bool,
    /// To these nothing happens, by their numbers on the stage.
    pub nodes: Vec<u16>,
}

impl Spared {
    /// Whether nothing is spared.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a fault is one of those that do not happen.
    fn spares(&self, fault: &Choice) -> bool {
        let kind = match FaultAt::of(fault) {
            Some(fault) if is_of_whoever_runs(fault.kind) => self.crashes,
            Some(_) => self.messages,
            None => false,
        };
        let NodeId(node) = fault.node();
        kind || self.nodes.contains(&node)
    }
}

/// Whether a fault is one of whoever runs, and not of a message, a request, a snapshot or a time-out.
const fn is_of_whoever_runs(kind: FaultKind) -> bool {
    matches!(
        kind,
        FaultKind::Crash
            | FaultKind::Stop
            | FaultKind::Pause
            | FaultKind::LostTaskManager
            | FaultKind::LostJobManager
            | FaultKind::Redeployment
            | FaultKind::LostLog
            | FaultKind::ClockStep
    )
}

/// The number of the property that somebody sees some of the records, and others not yet.
pub const PART: u32 = OF_RECORDS.len() as u32;

/// Somebody sees some of the records, and others not yet. It is asked for only where it is asked for alone.
const IN_PART: Property = Property::sometimes("a part is seen");

/// The promises of records, and that.
const WITH_PART: [Property; 5] = {
    let [lost, doubled, counted, stuck] = OF_RECORDS;
    [lost, doubled, counted, stuck, IN_PART]
};

/// What a search asks: the promises of a model, with what is spared left out.
#[derive(Clone, Debug)]
pub struct Asked {
    promises: Promises,
    spared: Spared,
    is_nothing: bool,
    only: Option<u32>,
}

impl Asked {
    /// These promises; or only the one of this number.
    pub fn of(promises: Promises, spared: Spared, only: Option<u32>) -> Self {
        Self {
            promises,
            is_nothing: spared.is_nothing(),
            spared,
            only,
        }
    }

    /// Leaves out what is not asked for.
    fn asked(&self, shown: Shown) -> Shown {
        match self.only {
            Some(only) => Shown::NONE.with(only, shown.contains(only)),
            None => shown,
        }
    }
}

impl<M: Model> Question<M> for Asked {
    fn properties(&self) -> &[Property] {
        let promised = Question::<M>::properties(&self.promises);
        match self.only {
            Some(PART) if promised.len() == OF_RECORDS.len() => &WITH_PART,
            _ => promised,
        }
    }

    fn admits(&self, model: &M, state: &M::State, action: M::Action) -> bool {
        if !self.promises.admits(model, state, action) {
            return false;
        }
        // What a fault is called costs more than all else that is asked of a step.
        if self.is_nothing || !model.is_fault(state, action) {
            return true;
        }
        let fault = model.choice(state, action);
        !fault.is_some_and(|fault| self.spared.spares(&fault))
    }

    fn judge(&mut self, model: &M, state: &M::State) -> Shown {
        if self.only == Some(PART) && model.story().votes().is_none() {
            let verdict = model.verdict(state);
            let is_part = (1..verdict.expected).contains(&verdict.visible);
            return Shown::NONE.with(PART, is_part);
        }
        let shown = self.promises.judge(model, state);
        self.asked(shown)
    }

    fn judge_end(&mut self, model: &M, state: &M::State) -> Shown {
        let shown = self.promises.judge_end(model, state);
        self.asked(shown)
    }
}
