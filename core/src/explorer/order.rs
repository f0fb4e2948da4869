//! Which actions are tried alone: of all orders of actions that have nothing to do with each other, one.
//!
//! A protocol says which of its actions stand alone ([`Protocol::stands_alone`]). Faults are left out there, and looked into
//! here, in every state: whatever may be broken now must be broken alike after the action. Either the fault absorbs it: it
//! leads to the same state as if the action had not happened, at the latest when what must follow has followed (a crash,
//! then the restart that is all that can happen); or the two commute. Where neither is so, nothing is left out. A protocol
//! with a bug may well differ here from one without, so that trusting the rule alone would hide the bug.

use alloc::vec::Vec;

use super::question::Question;
use super::{Explorer, enabled_in, is_tried};
use crate::protocol::Protocol;

/// What must follow a fault is followed so far.
const FOLLOWED: usize = 3;

impl<P: Protocol> Explorer<P> {
    /// The place of the action that is tried alone in a state, if there is one.
    pub(super) fn alone<Q: Question<P>>(
        &self,
        protocol: &P,
        question: &Q,
        state: &P::State,
        faults: u8,
    ) -> Option<usize> {
        let spent = self.settings.faults.is_some_and(|most| faults >= most);
        let mut broken: Option<Vec<(P::Action, P::State)>> = None;
        self.actions.iter().position(|action| {
            if !protocol.stands_alone(state, *action) || !question.admits(protocol, state, *action)
            {
                return false;
            }
            let Some(after) = taken(protocol, state, *action) else {
                return false;
            };
            if spent {
                return true;
            }
            let broken = broken.get_or_insert_with(|| {
                let mut tried = Vec::new();
                let faults = self.actions.iter().copied().filter(|it| {
                    protocol.is_fault(state, *it)
                        && question.admits(protocol, state, *it)
                        && !is_tried(protocol.likeness(state, *it), &mut tried)
                });
                let broken = faults.filter_map(|it| Some((it, taken(protocol, state, it)?)));
                broken.collect()
            });
            broken.iter().all(|(fault, broken)| {
                taken(protocol, &after, *fault).is_some_and(|both| {
                    is_absorbed(protocol, broken, &both)
                        || taken(protocol, broken, *action).is_some_and(|other| other == both)
                })
            })
        })
    }
}

/// The state after an action.
pub(super) fn taken<P: Protocol>(
    protocol: &P,
    state: &P::State,
    action: P::Action,
) -> Option<P::State> {
    let mut after = state.clone();
    protocol.apply(&mut after, action, &mut ()).ok()?;
    protocol.forget(&mut after);
    Some(after)
}

/// Whether two states are the same, or will be when what must follow in both has followed.
fn is_absorbed<P: Protocol>(protocol: &P, one: &P::State, other: &P::State) -> bool {
    if one == other {
        return true;
    }
    let (mut one, mut other) = (one.clone(), other.clone());
    let [mut first, mut second] = [Vec::new(), Vec::new()];
    for _ in 0..FOLLOWED {
        enabled_in(protocol, &one, &mut first);
        enabled_in(protocol, &other, &mut second);
        let ([only], [same]) = (first.as_slice(), second.as_slice()) else {
            return false;
        };
        if only != same || protocol.is_fault(&one, *only) {
            return false;
        }
        let (Some(next), Some(same)) =
            (taken(protocol, &one, *only), taken(protocol, &other, *only))
        else {
            return false;
        };
        if next == same {
            return true;
        }
        (one, other) = (next, same);
    }
    false
}
