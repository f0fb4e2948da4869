//! The Explorer drives a protocol through every order: breadth-first, so that the first
//! counterexample found is a shortest one.
//!
//! This is the plain walk over the [`Protocol`] trait. Seen states are remembered as 64-bit
//! fingerprints with a link to the state they were reached from; whole states live on the frontier only.

use alloc::vec::Vec;
use core::mem;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::fingerprint::fingerprint;
use crate::id::ActorId;
use crate::protocol::Protocol;

/// What a walk has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<A> {
    /// Distinct states, the initial one included.
    pub distinct: u64,
    /// Steps taken, the initial state included: what TLC calls states generated.
    pub generated: u64,
    /// States in the longest shortest run, the initial one included: what TLC calls depth.
    pub depth: u32,
    /// States from which nothing can happen.
    pub ends: u64,
    /// The most states that were on the frontier at once: the level under way and the next one.
    pub frontier: u64,
    /// Whether every reachable state was seen.
    pub exhausted: bool,
    /// A shortest run that leads to a state which `broken` names, if there is one.
    pub counterexample: Option<Vec<A>>,
}

/// A state that was seen: how it was reached.
#[derive(Clone, Copy)]
struct Seen<A> {
    fingerprint: u64,
    /// The state before, by its place in the list of seen states.
    parent: u32,
    /// None for the initial state.
    action: Option<A>,
}

/// Bytes that one seen state occupies, besides the frontier: its record and its slot in the table.
pub const fn bytes_per_seen_state<A>() -> usize {
    // The table keeps a 4-byte place and one control byte a slot, and is at most 7/8 full.
    mem::size_of::<Seen<A>>() + 5 * 8 / 7
}

/// Visits every reachable state, or the first `limit` of them; stops at the first that is `broken`.
///
/// `broken` is asked about every state, with whether it is an end: a state from which nothing can happen.
pub fn walk<P: Protocol>(
    protocol: &P,
    limit: usize,
    mut broken: impl FnMut(&P::State, bool) -> bool,
) -> Report<P::Action> {
    let initial = protocol.initial();
    let mut seen: Vec<Seen<P::Action>> = Vec::new();
    let mut table: HashTable<u32> = HashTable::new();
    let mut report = Report {
        distinct: 1,
        generated: 1,
        depth: 0,
        ends: 0,
        frontier: 1,
        exhausted: false,
        counterexample: None,
    };
    seen.push(Seen {
        fingerprint: fingerprint(&initial),
        parent: 0,
        action: None,
    });
    table.insert_unique(fingerprint(&initial), 0, |_| 0);

    let mut frontier: Vec<(u32, P::State)> = Vec::from([(0, initial)]);
    let mut next: Vec<(u32, P::State)> = Vec::new();
    let mut actions = Vec::new();
    while !frontier.is_empty() {
        report.depth += 1;
        let level = frontier.len() as u64;
        for (place, state) in frontier.drain(..) {
            actions.clear();
            for actor in 0..protocol.actors() {
                protocol.enabled(&state, ActorId(actor as u16), &mut actions);
            }
            let end = actions.is_empty();
            report.ends += u64::from(end);
            if broken(&state, end) {
                report.counterexample = Some(path(&seen, place));
                return report;
            }
            for action in &actions {
                let mut reached = state.clone();
                if protocol.apply(&mut reached, *action, &mut ()).is_err() {
                    continue;
                }
                report.generated += 1;
                let hash = fingerprint(&reached);
                let known = |at: &u32| {
                    seen.get(*at as usize)
                        .is_some_and(|seen| seen.fingerprint == hash)
                };
                let rehash = |at: &u32| seen.get(*at as usize).map_or(0, |seen| seen.fingerprint);
                if let Entry::Vacant(slot) = table.entry(hash, known, rehash) {
                    if seen.len() >= limit.min(u32::MAX as usize) {
                        return report;
                    }
                    let at = seen.len() as u32;
                    slot.insert(at);
                    seen.push(Seen {
                        fingerprint: hash,
                        parent: place,
                        action: Some(*action),
                    });
                    report.distinct += 1;
                    next.push((at, reached));
                }
            }
        }
        report.frontier = report.frontier.max(level + next.len() as u64);
        mem::swap(&mut frontier, &mut next);
    }
    report.exhausted = true;
    report
}

/// The actions that lead from the initial state to the one at `place`.
fn path<A: Copy>(seen: &[Seen<A>], place: u32) -> Vec<A> {
    let mut actions = Vec::new();
    let mut at = seen.get(place as usize);
    while let Some(Seen {
        parent,
        action: Some(action),
        ..
    }) = at
    {
        actions.push(*action);
        at = seen.get(*parent as usize);
    }
    actions.reverse();
    actions
}
