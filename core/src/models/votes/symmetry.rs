//! Participants that are equal: which of them is which makes no difference to any property.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::Votes;
use super::state::{Flight, State};
use crate::commit::Process;
use crate::fingerprint::fingerprint;
use crate::id::LinkId;

/// More equal participants than these have too many orders to look at all of them.
const MOST: usize = 5;

/// By participant, from 0: whose place it takes.
type Places = SmallVec<[u8; 8]>;

impl Votes {
    /// The state that stands for all that differ from it in which of the equal participants is which: of all of them the
    /// one with the smallest fingerprint.
    pub(super) fn representative(&self, state: &State) -> State {
        let orders = self.orders();
        let renamed = orders.iter().map(|places| self.renamed(state, places));
        let smallest = renamed.min_by_key(fingerprint);
        smallest.unwrap_or_else(|| state.clone())
    }

    /// Every order in which equal participants may stand; none if a fault is about one of them by name.
    fn orders(&self) -> Vec<Places> {
        let count = self.votes.len();
        if !self.messages.is_empty() || !self.moments.is_empty() || count > MOST {
            return Vec::new();
        }
        let mut orders = alloc::vec![Places::new()];
        for at in 0..count {
            let longer = orders.iter().flat_map(|order: &Places| {
                let fits = |place: &u8| {
                    !order.contains(place)
                        && self.votes.get(usize::from(*place)) == self.votes.get(at)
                };
                (0..count as u8).filter(fits).map(|place| {
                    let mut longer = order.clone();
                    longer.push(place);
                    longer
                })
            });
            orders = longer.collect();
        }
        orders
    }

    /// The same state with every participant in another's place.
    fn renamed(&self, state: &State, places: &[u8]) -> State {
        let place = |process: Process| match process.number() {
            Some(number) => {
                let place = places.get(number).copied();
                place.map_or(process, Process::participant)
            }
            None => process,
        };
        let mut renamed = state.clone();
        renamed.coordinator.rename(&place);
        renamed.history.rename(&place);
        for (number, own) in state.participants.iter().enumerate() {
            let process = Process::participant(number as u8);
            let mut own = own.clone();
            own.rename(&place);
            if let Some(there) = renamed.participant_mut(place(process)) {
                *there = own;
            }
            let standing = state.standing_of(process);
            let there = renamed.standing.get_mut(usize::from(place(process).0));
            if let (Some(there), Some(standing)) = (there, standing) {
                *there = standing;
            }
        }
        renamed.wire.clear();
        renamed.wire.extend(state.wire.iter().map(|flight| {
            let link = u32::from(flight.link);
            let (from, to) = self.ends(LinkId(link));
            let other = self.link_between(place(from), place(to)).0 + link % 2;
            Flight {
                link: other as u16,
                message: flight.message,
            }
        }));
        // On each link the order stays.
        renamed.wire.sort_by_key(|flight| flight.link);
        renamed
    }
}
