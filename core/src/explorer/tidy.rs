//! A run made easier to follow: what one actor does stands together, and what does not matter is left out.
//!
//! Among the runs of a length a search finds the first one by the order of its actions, in which actors take turns that have
//! nothing to do with each other. Here actions are moved to where their actor has acted before, and dropped where they are
//! not needed, one at a time, as long as the run remains one that the rules allow and that shows the same at its end.

use alloc::vec::Vec;

use crate::protocol::Protocol;

/// The same run, tidied: `shows` says of its last state whether it is still what was found.
pub fn tidy<P: Protocol>(
    protocol: &P,
    start: &P::State,
    mut actions: Vec<P::Action>,
    mut shows: impl FnMut(&P::State) -> bool,
) -> Vec<P::Action> {
    let mut stands = |actions: &[P::Action]| {
        let mut state = start.clone();
        let possible = actions
            .iter()
            .all(|action| protocol.apply(&mut state, *action, &mut ()).is_ok());
        possible && shows(&state)
    };
    let mut at = actions.len();
    while at > 0 {
        at -= 1;
        let mut without = actions.clone();
        without.remove(at);
        if stands(&without) {
            actions = without;
        }
    }
    for at in 1..actions.len() {
        let Some(moved) = together(protocol, &actions, at) else {
            continue;
        };
        if turns(protocol, &moved) < turns(protocol, &actions) && stands(&moved) {
            actions = moved;
        }
    }
    actions
}

/// How often another actor acts than the one before.
pub fn turns<P: Protocol>(protocol: &P, actions: &[P::Action]) -> usize {
    let pairs = actions.iter().zip(actions.iter().skip(1));
    let other =
        |(one, next): &(&P::Action, &P::Action)| protocol.actor(**one) != protocol.actor(**next);
    pairs.filter(other).count()
}

/// With the next action of the actor that has acted before a place moved there, if that is not so.
fn together<P: Protocol>(protocol: &P, actions: &[P::Action], at: usize) -> Option<Vec<P::Action>> {
    let actor = protocol.actor(*actions.get(at.checked_sub(1)?)?);
    let next = actions.iter().skip(at);
    let far = { next }.position(|action| protocol.actor(*action) == actor)?;
    if far == 0 {
        return None;
    }
    let mut moved = actions.to_vec();
    let action = moved.remove(at + far);
    moved.insert(at, action);
    Some(moved)
}
