//! Runs that go round for ever: states from which no end can be reached any more.
//!
//! A protocol that may try something again has cycles, and most are harmless: some step leads out of them. One that
//! does harm is a cycle, or several, from which no step leads to an end, however fair everybody is. So a state is
//! *trapped* when neither a state in which nothing is left to happen, nor one in which the story is over, can be
//! reached from it.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::log::Log;
use super::{Explorer, Run, enabled_in};
use crate::protocol::Protocol;

/// A run that gets into a trap, and what happens there again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso<A> {
    /// How one gets there: a shortest run.
    pub run: Run<A>,
    /// What happens from there on, before it comes to a state where it has been.
    pub round: Vec<A>,
}

/// The steps between the states that were seen.
#[derive(Debug, Default)]
pub(super) struct Graph {
    steps: Log<(u32, u32)>,
    ends: Vec<u64>,
}

impl Graph {
    pub(super) fn add(&mut self, from: u32, to: u32) {
        if from != to {
            self.steps.push((from, to));
        }
    }

    pub(super) fn end_at(&mut self, state: u32) {
        mark(&mut self.ends, state);
    }

    pub(super) fn bytes(&self) -> usize {
        self.steps.bytes() + self.ends.capacity() * 8
    }

    /// The first of `states` states that is trapped.
    fn first_trapped(&self, states: u32) -> Option<u32> {
        let mut free = self.ends.clone();
        // Steps were found breadth-first: most lead onwards, and one pass backwards sees nearly all of them.
        let mut changes = true;
        while changes {
            changes = false;
            for (from, to) in self.steps.iter_back() {
                if is_marked(&free, to) && !is_marked(&free, from) {
                    mark(&mut free, from);
                    changes = true;
                }
            }
        }
        (0..states).find(|state| !is_marked(&free, *state))
    }
}

fn mark(set: &mut Vec<u64>, state: u32) {
    let word = state as usize / 64;
    if set.len() <= word {
        set.extend(vec![0; word + 1 - set.len()]);
    }
    if let Some(word) = set.get_mut(word) {
        *word |= 1 << (state % 64);
    }
}

fn is_marked(set: &[u64], state: u32) -> bool {
    let word = set.get(state as usize / 64);
    word.is_some_and(|word| word & (1 << (state % 64)) != 0)
}

impl<P: Protocol> Explorer<P> {
    /// A shortest run into a trap, if there is one. Known only when every state was seen, and the search was asked for
    /// [cycles](super::Settings::cycles).
    pub fn trap(&self, protocol: &P) -> Option<Lasso<P::Action>> {
        let graph = self.graph.as_ref()?;
        if !self.progress.is_exhausted() {
            return None;
        }
        let state = graph.first_trapped(self.seen.len() as u32)?;
        let (run, mut here) = self.retrace(protocol, state)?;
        let mut been = BTreeSet::from([self.print(protocol, &here, 0)]);
        let mut round = Vec::new();
        let mut enabled = Vec::new();
        loop {
            enabled_in(protocol, &here, &mut enabled);
            let by_itself = enabled.iter().find(|it| !protocol.is_fault(&here, **it));
            let action = *by_itself?;
            protocol.apply(&mut here, action, &mut ()).ok()?;
            protocol.forget(&mut here);
            round.push(action);
            if !been.insert(self.print(protocol, &here, 0)) {
                return Some(Lasso { run, round });
            }
        }
    }
}
