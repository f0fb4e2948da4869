//! What a run has cost: the figures by which Mohan, Lindsay and Obermarck compare commit protocols.
//!
//! For a commit with n participants the basic protocol forces 2n + 1 records (each participant VOTE_COMMIT and
//! GLOBAL_COMMIT, the coordinator GLOBAL_COMMIT), writes START_2PC and END without forcing them, and sends 4n
//! messages; presumed abort costs the same, but for START_2PC. An abort by one vote costs the basic protocol 2n
//! forced writes and 4n − 2 messages, presumed abort n − 1 and 3n − 1.

use alloc::vec::Vec;
use core::ops::AddAssign;

use serde::Serialize;

use crate::event::{Event, VotesEvent};

/// How many log writes and messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Costs {
    /// Log records whose writer waited until they were on disk.
    pub forced: u32,
    /// Log records whose writer went on at once.
    pub lazy: u32,
    /// Messages that were sent, lost ones included.
    pub messages: u32,
}

impl AddAssign for Costs {
    fn add_assign(&mut self, other: Self) {
        self.forced = self.forced.saturating_add(other.forced);
        self.lazy = self.lazy.saturating_add(other.lazy);
        self.messages = self.messages.saturating_add(other.messages);
    }
}

impl Costs {
    /// What an event costs.
    pub fn of(event: &Event) -> Self {
        let mut costs = Self::default();
        match event {
            Event::Votes(VotesEvent::Written { forced: true, .. }) => costs.forced = 1,
            Event::Votes(VotesEvent::Written { forced: false, .. }) => costs.lazy = 1,
            Event::Votes(VotesEvent::Sent { .. }) => costs.messages = 1,
            _ => {}
        }
        costs
    }
}

/// What a run has cost, by step.
#[derive(Clone, Debug, Default)]
pub struct Bill(Vec<(usize, Costs)>);

impl Bill {
    /// Adds what an event of a step costs. Steps come in their order.
    pub fn hear(&mut self, step: usize, event: &Event) {
        let costs = Costs::of(event);
        if costs == Costs::default() {
            return;
        }
        let mut sum = self.0.last().map_or(Costs::default(), |(_, sum)| *sum);
        sum += costs;
        match self.0.last_mut() {
            Some((last, known)) if *last == step => *known = sum,
            _ => self.0.push((step, sum)),
        }
    }

    /// The costs up to a step.
    pub fn at(&self, step: usize) -> Costs {
        let after = self.0.partition_point(|(at, _)| *at <= step);
        let last = after.checked_sub(1).and_then(|at| self.0.get(at));
        last.map_or(Costs::default(), |(_, sum)| *sum)
    }
}
