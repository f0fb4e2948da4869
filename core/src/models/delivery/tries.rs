//! What clients try again and again, so that a search comes to an end.
//!
//! A client that gets no answer asks again, as long as it takes. Three things keep what that comes to finite, and none of
//! them leaves anything out that matters:
//!
//! * **A time-out is a fault where the answer may still come**: it is on its way, or the broker is about to give it. Then
//!   somebody is late, which is something that goes wrong, and a search has a budget for that. Where the answer cannot come
//!   any more (it, or the request, is lost; the connection is closed; the broker stands still), the time-out follows from
//!   what has gone wrong, and happens by itself. So with n faults a search sees every run in which n messages are lost or
//!   late or bodies down, in any mixture. Likewise that a batch, a transaction or a poll takes longer than it may
//!   (`delivery.timeout.ms`, `transaction.timeout.ms`, `max.poll.interval.ms`).
//!   A broker that stands still lets a client time out once by itself; that it stands still for a second
//!   `request.timeout.ms` is one fault more.
//! * **What time does to those that run is left out**: heartbeats arrive, fetches of followers are not overdue, and what takes
//!   longer than an hour does not happen (`models::promises`).
//! * **Counters that nothing depends on are forgotten**: how often a batch was sent, if `retries` sets no end; and the
//!   numbers of connections, which are only ever compared with each other. Two states that differ in these allow the same
//!   actions for ever.

use smallvec::SmallVec;

use super::state::{Awaiting, State, Whose};
use super::{ClientId, Delivery};
use crate::id::LinkId;

impl Delivery {
    /// Whether a client would give something up there although its answer may still come.
    pub(super) fn is_late(&self, state: &State, client: ClientId, destination: u16) -> bool {
        let at = usize::from(destination);
        let Some(own) = state.clients.get(usize::from(client.0)) else {
            return false;
        };
        if own.closed.contains(at) {
            return false;
        }
        let Some(current) = own.connections.get(at).copied() else {
            return false;
        };
        let link = self.link_to(client, destination);
        let reply = state
            .replies
            .get(self.reply_slot(self.reply_link(client, destination)));
        if reply.is_some_and(|queue| queue.iter().any(|(it, _)| *it == current)) {
            return true;
        }
        let requests = || {
            let links = [link, LinkId(link.0 + 1)].into_iter();
            links.filter_map(|link| state.requests.get(self.request_slot(link)))
        };
        if !self.is_standing(state, destination) {
            // It stands still: the first time it is no wonder.
            return requests().flatten().any(|(it, _)| *it != current);
        }
        let asked = requests().flatten().any(|(it, _)| *it == current);
        !own.deaf.contains(at) && (asked || self.is_pending(state, client, destination, current))
    }

    /// Whether a broker or a coordinator takes what comes to it.
    fn is_standing(&self, state: &State, destination: u16) -> bool {
        destination >= self.brokers() || Self::is_up(state, destination)
    }

    /// Whether a request has been taken, and is to be answered.
    fn is_pending(
        &self,
        state: &State,
        client: ClientId,
        destination: u16,
        connection: u8,
    ) -> bool {
        let unlogged = state.unlogged.iter();
        let mut unlogged =
            unlogged.filter(|it| (it.client, it.connection) == (client.0, connection));
        let mut awaiting = state.awaiting.iter().filter(|it| {
            let on = match it.whose {
                Whose::Client { connection, .. } => Some(connection),
                Whose::Marker(_) => None,
            };
            on == Some(connection) && self.waits_at(state, client, it) == Some(destination)
        });
        destination == self.transactions() && unlogged.next().is_some() || awaiting.next().is_some()
    }

    /// Forgets how often clients have tried.
    pub(super) fn forget_tries(&self, state: &mut State) {
        for client in self.client_ids().take(state.clients.len()) {
            let writes = self.writes(client);
            if let (Some(own), Some(writes)) =
                (state.clients.get_mut(usize::from(client.0)), writes)
            {
                for producer in &mut own.producers {
                    producer.forget_attempts(&writes.options);
                }
            }
            for destination in 0..self.destinations() {
                self.forget_connections(state, client, destination);
            }
        }
    }

    /// Numbers the connections of a client to a broker or a coordinator anew: those that something is left of, from the
    /// oldest on, and the one in use behind them.
    fn forget_connections(&self, state: &mut State, client: ClientId, destination: u16) {
        let own = state.clients.get(usize::from(client.0));
        let current = own.and_then(|own| own.connections.get(usize::from(destination)).copied());
        let Some(current @ 1..) = current else {
            return;
        };
        let mut ages: SmallVec<[u8; 4]> = SmallVec::new();
        self.each_connection(state, client, destination, &mut |connection| {
            let age = current.wrapping_sub(*connection);
            if age > 0 && !ages.contains(&age) {
                ages.push(age);
            }
        });
        ages.sort_unstable_by(|one, other| other.cmp(one));
        self.each_connection(state, client, destination, &mut |connection| {
            let age = current.wrapping_sub(*connection);
            let place = ages.iter().position(|it| *it == age);
            *connection = place.unwrap_or(ages.len()) as u8;
        });
        let own = state.clients.get_mut(usize::from(client.0));
        if let Some(connection) =
            own.and_then(|own| own.connections.get_mut(usize::from(destination)))
        {
            *connection = ages.len() as u8;
        }
    }

    /// Does something with each mention of a connection of a client to a broker or a coordinator, but that it is the one in
    /// use.
    fn each_connection(
        &self,
        state: &mut State,
        client: ClientId,
        destination: u16,
        see: &mut impl FnMut(&mut u8),
    ) {
        let link = self.link_to(client, destination);
        for link in [link, LinkId(link.0 + 1)] {
            let queue = state.requests.get_mut(self.request_slot(link));
            queue.into_iter().flatten().for_each(|(it, _)| see(it));
        }
        let slot = self.reply_slot(self.reply_link(client, destination));
        let queue = state.replies.get_mut(slot);
        queue.into_iter().flatten().for_each(|(it, _)| see(it));
        if destination == self.transactions() {
            let own = state.unlogged.iter_mut();
            let own = own.filter(|it| it.client == client.0);
            own.for_each(|it| see(&mut it.connection));
        }
        let mut own: SmallVec<[usize; 2]> = SmallVec::new();
        for (at, awaiting) in state.awaiting.iter().enumerate() {
            if self.waits_at(state, client, awaiting) == Some(destination) {
                own.push(at);
            }
        }
        for at in own {
            let awaiting = state.awaiting.get_mut(at);
            if let Some(Whose::Client { connection, .. }) = awaiting.map(|it| &mut it.whose) {
                see(connection);
            }
        }
    }

    /// The broker from which a client waits for the answer to a write; none if that broker does not lead any more, and tells
    /// nobody.
    fn waits_at(&self, state: &State, client: ClientId, awaiting: &Awaiting) -> Option<u16> {
        match awaiting.whose {
            Whose::Client { client: whose, .. } if whose == client.0 => {
                self.broker_of_epoch(state, awaiting.partition, &awaiting.produced)
            }
            _ => None,
        }
    }
}
