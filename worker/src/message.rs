//! What the page and the worker say to each other.

use barrierscope_core::explorer::progress::Progress;
use barrierscope_core::explorer::random_walk::Sample;
use barrierscope_core::models::spared::Spared;
use serde::{Deserialize, Serialize};

/// What the worker is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Order {
    /// Begin a search. A worker does one in its life: whoever wants another one ends it and starts anew.
    Begin(Ask),
    /// Stand still, and keep everything.
    Pause,
    /// Go on.
    Resume,
}

/// A search that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ask {
    /// The scenario, as JSON, with its budgets of faults.
    pub scenario: String,
    /// How many faults a run may have in all.
    pub faults: u8,
    /// What is not broken, whatever the budget.
    #[serde(default)]
    pub spared: Spared,
    /// Bytes that the search may take.
    pub memory: u64,
    /// Whether it goes on when something is broken, until it has seen everything.
    #[serde(default)]
    pub goes_on: bool,
    /// The only property that is asked for, by its number, if not all are.
    #[serde(default)]
    pub only: Option<u32>,
    /// How it searches.
    pub way: Way,
}

/// How a search is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Way {
    /// Every order.
    #[default]
    Exhaustive,
    /// Runs in which chance decides.
    Random {
        /// The same seed makes the same runs.
        seed: u64,
        /// Steps in all of them.
        steps: u64,
    },
}

/// What the worker tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Told {
    /// It hears orders from now on.
    Ready,
    /// The scenario makes no sense, or the order does not.
    Refused(String),
    /// How far it is.
    Progress {
        /// States, steps, depth, memory.
        progress: Progress,
        /// Milliseconds of searching so far, pauses left out.
        ms: u64,
    },
    /// It is over.
    Over {
        /// What it came to.
        outcome: Outcome,
        /// Milliseconds of searching.
        ms: u64,
    },
}

/// What a search came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    /// How far it came.
    pub progress: Progress,
    /// How much random runs have seen, if it was a search in those.
    pub sample: Option<Sample>,
    /// Which broken promise is to be shown, by its place in [`found`](Self::found).
    pub broken: Option<usize>,
    /// What showed itself, each with a shortest run to it.
    pub found: Vec<Shown>,
}

impl Outcome {
    /// The run that breaks a promise.
    pub fn counterexample(&self) -> Option<&Shown> {
        self.found.get(self.broken?)
    }

    /// A run in which a property showed itself.
    pub fn shown(&self, property: u32) -> Option<&Shown> {
        self.found.iter().find(|shown| shown.property == property)
    }
}

/// A property that showed itself, and the run that leads there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    /// Which, by number.
    pub property: u32,
    /// The run, to be taken by [`replay`](barrierscope_core::replay).
    pub choices: Vec<u16>,
}
