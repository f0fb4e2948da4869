//! A run as a front end holds it: one object-safe door, whatever the model.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use crate::commit::costs::Costs;
use crate::commit::properties::Property;
use crate::diagram::Diagram;
use crate::event::Event;
use crate::explorer::question::Property as Promise;
use crate::id::{NodeId, RecordId};
use crate::mark::{Ending, Mark};
use crate::protocol::Disabled;
use crate::scenario::StoryRef;
use crate::scene::votes::{PropertyStatus, PropertyView};
use crate::scene::{Choice, Scene, Withheld};
use crate::statistics::CheckpointStatistics;
use crate::time::Micros;
use crate::verdict::{Guarantee, Verdict};

/// A run that has a position: a step at which one looks at it.
///
/// Step 0 is the state before anything happened; step n is the state after the n-th action.
pub trait Session {
    /// The scenario that is run.
    fn story(&self) -> StoryRef<'_>;
    /// The last step there is.
    fn last(&self) -> usize;
    /// The step at which one looks.
    fn at(&self) -> usize;
    /// The virtual time of a step; of the last one where `step` lies beyond it.
    fn time(&self, step: usize) -> Micros;
    /// Looks at another step; at the last one where `step` lies beyond it.
    fn go_to(&mut self, step: usize);
    /// The last step that is not later than a moment.
    fn step_at(&self, moment: Micros) -> usize;
    /// What there is to draw.
    fn scene(&self) -> Scene;
    /// What the action that led here did; nothing at step 0.
    fn events(&self) -> Vec<Event>;
    /// The choice that led here, as it stood before; nothing at step 0.
    fn chosen(&self) -> Option<Choice>;
    /// What stands out along the run.
    fn marks(&self) -> &[Mark];
    /// The statistics of the checkpoints of the whole run.
    fn checkpoints(&self) -> &[CheckpointStatistics];
    /// What may happen next, faults last.
    fn choices(&self) -> Vec<Choice>;
    /// What may not happen next though it belongs there, and why.
    fn withheld(&self) -> Vec<Withheld>;
    /// Makes a new run that shares this one's past, does what was chosen, and goes on from there;
    /// it looks at the step of the choice. This run stays as it is.
    ///
    /// # Errors
    /// [`Disabled`] if the choice is not among [`choices`](Self::choices).
    fn branch(&self, choice: Choice) -> Result<Box<dyn Session>, Disabled>;
    /// The whole run in space and time. It is made anew at each call, by going through the run once.
    fn diagram(&self) -> Diagram;
    /// The account at this step.
    fn verdict(&self) -> Verdict;
    /// What a record says: its key and its value.
    fn record(&self, record: RecordId) -> Option<(&str, u64)>;
    /// How a transactional id is called that an event names by its number: also one that no coordinator knows
    /// yet.
    fn transactional_id(&self, number: u32) -> Option<String>;
    /// The fingerprint of the state at this step.
    fn fingerprint(&self) -> u64;
    /// Why the run ends where it ends.
    fn ending(&self) -> Ending;
    /// The properties of atomic commitment at this step; none where the model is not about them.
    fn properties(&self) -> Vec<PropertyView> {
        Vec::new()
    }
    /// What the model promises, and whether each promise holds at this step.
    fn promises(&self) -> Vec<Promised> {
        Vec::new()
    }
    /// What two-phase commit has cost up to this step; nothing in other models.
    fn costs(&self) -> Costs {
        Costs::default()
    }
}

/// A promise of a model at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promised {
    /// What is promised.
    pub promise: Promise,
    /// Its number among those of its model.
    pub number: u32,
    /// Whether it holds.
    pub standing: Standing,
}

/// Whether a promise holds at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It holds; what is to be reached is reached.
    Shows,
    /// It is broken; what is to be reached is not.
    Not,
    /// It is said of ends alone, and something is left to happen.
    NotAsked,
}

/// The verdict at the step at which one looks, as JSON, with the records named; of two-phase commit the properties and
/// the costs: what `cargo xtask run` prints.
pub fn verdict_json(session: &dyn Session) -> String {
    if session.story().votes().is_some() {
        return properties_json(session);
    }
    #[derive(Serialize)]
    struct Report<'a> {
        scenario: &'a str,
        guarantee: Guarantee,
        ending: Ending,
        steps: usize,
        #[serde(flatten)]
        verdict: &'a Verdict,
        named: Vec<Named<'a>>,
    }
    #[derive(Serialize)]
    struct Named<'a> {
        key: &'a str,
        value: u64,
        copies: u32,
    }
    let verdict = session.verdict();
    let named = verdict.witnesses.iter().filter_map(|witness| {
        let (key, value) = session.record(witness.record)?;
        Some(Named {
            key,
            value,
            copies: witness.copies,
        })
    });
    let report = Report {
        scenario: session.story().name(),
        guarantee: verdict.guarantee(),
        ending: session.ending(),
        steps: session.at(),
        named: named.collect(),
        verdict: &verdict,
    };
    serde_json::to_string_pretty(&report).unwrap_or_default()
}

/// How two-phase commit stands at the step at which one looks, as JSON, with the processes named.
fn properties_json(session: &dyn Session) -> String {
    #[derive(Serialize)]
    struct Report<'a> {
        scenario: &'a str,
        ending: Ending,
        steps: usize,
        properties: Vec<Row>,
        costs: Costs,
    }
    #[derive(Serialize)]
    struct Row {
        property: Property,
        status: &'static str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        processes: Vec<String>,
    }
    let nodes = session.scene().nodes;
    let name = |id: NodeId| {
        let node = nodes.iter().find(|node| node.id == id);
        node.map_or_else(String::new, |node| node.name.clone())
    };
    let rows = session.properties().into_iter().map(|view| Row {
        property: view.property,
        status: match view.status {
            PropertyStatus::Holds => "holds",
            PropertyStatus::NotYet => "not-yet",
            PropertyStatus::Broken(_) => "broken",
        },
        processes: view.nodes.into_iter().map(name).collect(),
    });
    let report = Report {
        scenario: session.story().name(),
        ending: session.ending(),
        steps: session.at(),
        properties: rows.collect(),
        costs: session.costs(),
    };
    serde_json::to_string_pretty(&report).unwrap_or_default()
}
