//! What a model promises, asked of every state: nothing lost, nothing doubled, nothing stuck; of two-phase commit, the
//! properties of atomic commitment.

use super::Model;
use super::faults::{Allowed, FaultAt};
use crate::commit::properties::Property as OfCommitment;
use crate::explorer::question::{Property, Question, Shown};
use crate::protocol::Timing;
use crate::scenario::StoryRef;
use crate::scene::votes::PropertyStatus;
use crate::time::Micros;

/// The promises of a model whose records somebody reads.
pub const OF_RECORDS: [Property; 4] = [
    Property::always("nothing is lost"),
    Property::always("nothing is doubled"),
    Property::always("no state counts a record wrongly"),
    Property::at_ends("nothing is stuck"),
];

/// The promises of two-phase commit, and what it is known for.
pub const OF_VOTES: [Property; 6] = [
    Property::always("AC1: all decide the same"),
    Property::always("AC2: nobody reverses a decision"),
    Property::always("AC3: nobody commits without all votes, or aborts without a reason"),
    Property::always("AC4: if nothing fails and all vote commit, all commit"),
    Property::at_ends("AC5: everybody decides"),
    Property::sometimes("a participant is blocked"),
];

/// The number of the property that nothing is doubled, where records are read.
pub const DOUBLED: u32 = 1;
/// The number of the property that nothing is stuck, or that everybody decides.
const STUCK: [u32; 2] = [3, 4];
/// The number of the property that somebody is blocked.
const BLOCKED: u32 = 5;

/// What takes longer than this does not happen in a search: in an hour, everything else is over. Without a clock, a
/// producer would be forgotten (`producer.id.expiration.ms`, a day) while its batch is on its way.
const HORIZON: Micros = Micros(3_600_000_000);

/// What the model of a scenario promises. The order of properties is their number.
pub const fn promised(story: StoryRef<'_>) -> &'static [Property] {
    match story {
        StoryRef::Votes(_) => &OF_VOTES,
        StoryRef::Pipeline(_) | StoryRef::Delivery(_) => &OF_RECORDS,
    }
}

/// The question whether a model keeps what it promises, whatever of some faults happens.
#[derive(Clone, Debug)]
pub struct Promises {
    properties: &'static [Property],
    faults: Allowed,
}

impl Promises {
    /// Those of a model, with every fault.
    pub fn of<M: Model>(model: &M) -> Self {
        Self::under(model, Allowed::default())
    }

    /// Those of a model, with these faults only.
    pub fn under<M: Model>(model: &M, faults: Allowed) -> Self {
        Self {
            faults,
            properties: promised(model.story()),
        }
    }

    fn is_about_votes(&self) -> bool {
        self.properties.len() == OF_VOTES.len()
    }

    /// Whether an action is no fault, or one of those that are to be tried.
    fn allows<M: Model>(&self, model: &M, state: &M::State, action: M::Action) -> bool {
        if !model.is_fault(state, action) {
            return true;
        }
        let choice = model.choice(state, action);
        let fault = choice.as_ref().and_then(FaultAt::of);
        fault.is_some_and(|fault| self.faults.contains(fault))
    }
}

impl<M: Model> Question<M> for Promises {
    fn properties(&self) -> &[Property] {
        self.properties
    }

    fn admits(&self, model: &M, state: &M::State, action: M::Action) -> bool {
        match model.timing(state, action) {
            Timing::Delay(_, wait) | Timing::Since(_, wait) if wait >= HORIZON => false,
            _ => self.faults.is_everything() || self.allows(model, state, action),
        }
    }

    fn judge(&mut self, model: &M, state: &M::State) -> Shown {
        if !self.is_about_votes() {
            let verdict = model.verdict(state);
            return Shown::NONE
                .with(0, verdict.lost > 0)
                .with(1, verdict.doubled > 0)
                .with(2, verdict.miscounted > 0);
        }
        let mut shown = Shown::NONE.with(BLOCKED, model.is_blocked(state));
        for view in model.properties(state) {
            let number = OfCommitment::ALL.iter().position(|it| *it == view.property);
            let broken = matches!(view.status, PropertyStatus::Broken(_));
            if let Some(number) = number {
                shown = shown.with(number as u32, broken && number < STUCK[1] as usize);
            }
        }
        shown
    }

    fn judge_end(&mut self, model: &M, state: &M::State) -> Shown {
        let number = STUCK[usize::from(self.is_about_votes())];
        Shown::NONE.with(number, model.is_stuck(state))
    }
}
