//! What is not enabled though it belongs there, and why.

use alloc::vec::Vec;

use super::action::{Body, ClientId};
use super::state::{ClientState, Part, Standing, State};
use super::{Delivery, Writes};
use crate::kafka::group::MemberId;
use crate::kafka::replicated_log::ReplicatedLog;
use crate::scene::kafka::ClientTransaction;
use crate::scene::{Deed, Why, Withheld};

impl Delivery {
    /// Client by client: what it would send, transmit, end, poll and process.
    pub(super) fn withheld_in(&self, state: &State) -> Vec<Withheld> {
        let mut all = Vec::new();
        for client in self.client_ids().filter(|it| !self.is_driven(*it)) {
            let Some(own) = state.clients.get(usize::from(client.0)) else {
                continue;
            };
            self.withheld_at_producer(state, client, own, &mut all);
            self.withheld_at_consumer(state, client, own, &mut all);
        }
        all
    }

    fn withheld_at_producer(
        &self,
        state: &State,
        client: ClientId,
        own: &ClientState,
        into: &mut Vec<Withheld>,
    ) {
        let Some(writes) = self.writes(client) else {
            return;
        };
        let node = self.client_node(client);
        let mut add = |what, why| into.push(Withheld { node, what, why });
        if let Some((record, _)) = self.next_to_send(own, writes)
            && !self.may_send(state, client)
        {
            add(
                Deed::Send(record),
                standing(state, client).unwrap_or_else(|| why_not_sent(own)),
            );
        }
        for (partition, producer) in writes.partitions.iter().zip(&own.producers) {
            let waits = producer.outstanding().any(|(_, in_flight)| !in_flight);
            let may = self.may_transmit(state, client, *partition).is_some();
            if waits
                && !may
                && let Some(record) = producer.first_waiting()
            {
                let what = Deed::Transmit {
                    partition: *partition,
                    record,
                };
                let why = match standing(state, client) {
                    Some(why) => why,
                    None if self.leader_of(state, *partition).is_none() => Why::NoLeader,
                    None => why_not_transmitted(own, writes, *partition),
                };
                add(what, why);
            }
        }
        let is_open = matches!(
            own.transaction.phase,
            ClientTransaction::Open | ClientTransaction::MustAbort
        );
        if is_open
            && self.may_finish(state, client).is_none()
            && !self.may_begin_commit(state, client)
        {
            add(
                Deed::EndTransaction,
                standing(state, client).unwrap_or(Why::Outstanding),
            );
        }
    }

    fn withheld_at_consumer(
        &self,
        state: &State,
        client: ClientId,
        own: &ClientState,
        into: &mut Vec<Withheld>,
    ) {
        if self.reads(client).is_none() {
            return;
        }
        let node = self.client_node(client);
        let may_poll = self.may_poll(state, client);
        for part in own.reading.parts.iter().filter(|_| !may_poll) {
            let log = state.logs.get(part.partition.index());
            let leader = log.and_then(ReplicatedLog::leading);
            // Where everything is read, nothing waits.
            if leader.is_some_and(|leader| leader.end() <= part.position) {
                continue;
            }
            into.push(Withheld {
                node,
                what: Deed::Poll {
                    partition: part.partition,
                    position: part.position,
                },
                why: self.why_not_polled(state, client, own, part),
            });
        }
        let workers = 0..own.reading.working.len() as u16;
        let mut idle = workers.filter(|worker| self.may_take(state, client, *worker));
        if let (None, Some(item)) = (idle.next(), own.reading.buffer.first()) {
            let why = match standing(state, client) {
                Some(why) => why,
                None if own.reading.working.iter().all(Option::is_some) => Why::Busy,
                None => Why::Committing,
            };
            into.push(Withheld {
                node,
                what: Deed::Process(item.record),
                why,
            });
        }
    }

    /// The reasons for which [`may_poll`](Self::may_poll) says no.
    fn why_not_polled(
        &self,
        state: &State,
        client: ClientId,
        own: &ClientState,
        part: &Part,
    ) -> Why {
        if let Some(why) = standing(state, client) {
            return why;
        }
        let group = self.reads(client).map(|reads| usize::from(reads.group));
        let group = group.and_then(|group| state.groups.get(group));
        let is_member = group.is_some_and(|it| it.group.is_member(MemberId(client.0)));
        if !is_member || group.is_some_and(|it| it.group.is_rebalancing()) {
            return Why::Rebalancing;
        }
        let waits = own.reading.commit.as_ref().is_some_and(|(_, waits)| *waits);
        if waits || own.reading.committing {
            return Why::Committing;
        }
        if !own.reading.buffer.is_empty() || own.reading.working.iter().any(Option::is_some) {
            return Why::Busy;
        }
        let leader = self.leader_of(state, part.partition);
        if !leader.is_some_and(|broker| Self::is_up(state, broker)) {
            return Why::NoLeader;
        }
        let log = state.logs.get(part.partition.index());
        let readable = log.and_then(ReplicatedLog::leading);
        let readable = readable.map(|leader| leader.readable_end(self.isolation(client)));
        match readable.filter(|end| *end <= part.position) {
            Some(end) => Why::Unstable(end),
            None => Why::Coordinator,
        }
    }
}

/// Whether a client cannot do anything.
fn standing(state: &State, client: ClientId) -> Option<Why> {
    match Delivery::standing(state, Body::Client(client)) {
        Standing::Running => None,
        Standing::Paused => Some(Why::Paused),
        Standing::Waiting | Standing::Down | Standing::Stopped => Some(Why::Down),
    }
}

fn why_not_sent(own: &ClientState) -> Why {
    match own.transaction.phase {
        ClientTransaction::Open => Why::Outstanding,
        ClientTransaction::Initializing => Why::Coordinator,
        ClientTransaction::Fenced => Why::Fenced,
        _ => Why::TransactionEnds,
    }
}

fn why_not_transmitted(
    own: &ClientState,
    writes: &Writes,
    partition: crate::id::PartitionId,
) -> Why {
    let in_flight = own.flights.iter();
    let in_flight = in_flight.filter(|flight| flight.partition == partition);
    let full = in_flight.count() as u64 >= u64::from(writes.options.max_in_flight);
    match full
        || own
            .flights
            .iter()
            .any(|flight| flight.partition == partition)
    {
        true => Why::InFlight,
        false => Why::Coordinator,
    }
}
