//! Requests and responses on their way.
//!
//! A connection keeps the order of what is sent on it, and where something on it is lost, so is everything
//! behind that. A client that gives a request up opens a new one; what was sent on the old one may still
//! arrive (Kafka's `NetworkClient.handleTimedOutRequests`).

use super::message::{Reply, Request};
use super::state::{Call, Flight, Queue, State};
use super::{ClientId, Delivery};
use crate::event::{Event, KafkaEvent};
use crate::id::LinkId;
use crate::protocol::Observer;
use crate::scenario::delivery::{Api, Part};
use crate::time::Micros;

/// What becomes of a message.
#[derive(Clone, Copy)]
enum Passage {
    Free,
    Lost,
    Late(Micros),
}

impl Delivery {
    /// Puts a request on its way to a broker or a coordinator.
    pub(super) fn ask(
        &self,
        state: &mut State,
        client: ClientId,
        destination: u16,
        request: Request,
        observer: &mut impl Observer,
    ) {
        let api = request.api();
        let passage = self.passage(state, client, api, Part::Request, observer);
        let link = self.link_to(client, destination);
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return;
        };
        let Some(connection) = own.connections.get(usize::from(destination)).copied() else {
            return;
        };
        if !own.awaits_of(destination) {
            observer.fired(self.response_timer(client, destination));
        }
        match &request {
            Request::Produce {
                partition, number, ..
            } => own.flights.push(Flight {
                destination,
                partition: *partition,
                number: *number,
            }),
            _ => own.call = Some(Call { api, destination }),
        }
        // What is sent behind a late message on the same connection waits for it.
        let late = LinkId(link.0 + 1);
        let behind = state
            .requests
            .get(self.request_slot(late))
            .is_some_and(|queue| queue.iter().any(|(other, _)| *other == connection));
        if matches!(passage, Passage::Lost)
            && let Some(own) = state.clients.get_mut(usize::from(client.0))
        {
            own.mute.insert(usize::from(destination));
        }
        let own = state.clients.get(usize::from(client.0));
        if own.is_some_and(|own| {
            own.mute.contains(usize::from(destination))
                || own.closed.contains(usize::from(destination))
        }) {
            return;
        }
        let (link, after) = match passage {
            Passage::Lost => return,
            Passage::Late(after) => (late, after),
            Passage::Free if behind => (late, Micros::ZERO),
            Passage::Free => (link, Micros::ZERO),
        };
        if let Some(queue) = state.requests.get_mut(self.request_slot(link)) {
            queue.push((connection, request));
            send(observer, link, after);
        }
    }

    /// Puts a response on its way, unless its client has closed the connection.
    pub(super) fn answer(
        &self,
        state: &mut State,
        client: ClientId,
        (destination, connection): (u16, u8),
        reply: Reply,
        observer: &mut impl Observer,
    ) {
        let passage = self.passage(state, client, reply.api(), Part::Response, observer);
        let Some(own) = state.clients.get_mut(usize::from(client.0)) else {
            return;
        };
        if own.connections.get(usize::from(destination)) != Some(&connection) {
            return;
        }
        if matches!(passage, Passage::Lost) {
            own.deaf.insert(usize::from(destination));
        }
        if own.deaf.contains(usize::from(destination)) {
            return;
        }
        let after = match passage {
            Passage::Lost => return,
            Passage::Late(after) => after,
            Passage::Free => Micros::ZERO,
        };
        let link = self.reply_link(client, destination);
        if let Some(queue) = state.replies.get_mut(self.reply_slot(link)) {
            queue.push((connection, reply));
            send(observer, link, after);
        }
    }

    /// Takes a message from a link.
    pub(super) fn take_request(
        &self,
        state: &mut State,
        link: LinkId,
        place: u16,
        observer: &mut impl Observer,
    ) -> Option<(u8, Request)> {
        let queue = state.requests.get_mut(self.request_slot(link))?;
        take(queue, link, place, observer)
    }

    pub(super) fn take_reply(
        &self,
        state: &mut State,
        link: LinkId,
        place: u16,
        observer: &mut impl Observer,
    ) -> Option<(u8, Reply)> {
        let queue = state.replies.get_mut(self.reply_slot(link))?;
        take(queue, link, place, observer)
    }

    /// The places of a link from which a message may be taken: the first of each connection.
    pub(super) fn takable(&self, state: &State, link: LinkId) -> impl Iterator<Item = u16> {
        let connections: smallvec::SmallVec<[u8; 4]> = match self.ends(link).2 {
            2 => connections(state.replies.get(self.reply_slot(link))),
            _ => connections(state.requests.get(self.request_slot(link))),
        };
        // Of each connection one bit: thousands of messages may be under way.
        let mut seen = [0_u64; 4];
        let is_first = move |(_, connection): &(usize, u8)| {
            let bit = 1_u64 << (connection % 64);
            let known = seen.get_mut(usize::from(connection / 64));
            known.is_some_and(|known| core::mem::replace(known, *known | bit) & bit == 0)
        };
        let numbered = connections.into_iter().enumerate();
        numbered.filter(is_first).map(|(at, _)| at as u16)
    }

    /// Takes a message away, and with it what is behind it on the same connection.
    pub(super) fn cut(
        &self,
        state: &mut State,
        link: LinkId,
        place: u16,
        observer: &mut impl Observer,
    ) -> Option<(Api, Part)> {
        let (client, destination, kind) = self.ends(link);
        let (lost, part) = match kind {
            2 => {
                let (connection, reply) = self.take_reply(state, link, place, observer)?;
                let queue = state.replies.get_mut(self.reply_slot(link))?;
                cut_behind(queue, connection, link, place, observer);
                ((connection, reply.api()), Part::Response)
            }
            _ => {
                let (connection, request) = self.take_request(state, link, place, observer)?;
                let queue = state.requests.get_mut(self.request_slot(link))?;
                cut_behind(queue, connection, link, place, observer);
                ((connection, request.api()), Part::Request)
            }
        };
        let own = state.clients.get_mut(usize::from(client.0))?;
        if own.connections.get(usize::from(destination)) == Some(&lost.0) {
            match part {
                Part::Request => own.mute.insert(usize::from(destination)),
                Part::Response => own.deaf.insert(usize::from(destination)),
            };
        }
        Some((lost.1, part))
    }

    /// How many messages are on a link.
    pub(super) fn under_way(&self, state: &State, link: LinkId) -> usize {
        match self.ends(link).2 {
            2 => state
                .replies
                .get(self.reply_slot(link))
                .map_or(0, |queue| queue.len()),
            _ => state
                .requests
                .get(self.request_slot(link))
                .map_or(0, |queue| queue.len()),
        }
    }

    /// A client closes a connection and opens another: responses on the old one are gone.
    pub(super) fn reconnect(
        &self,
        state: &mut State,
        client: ClientId,
        destination: u16,
        observer: &mut impl Observer,
    ) {
        if let Some(own) = state.clients.get_mut(usize::from(client.0)) {
            if let Some(connection) = own.connections.get_mut(usize::from(destination)) {
                *connection = connection.wrapping_add(1);
            }
            own.mute.remove(usize::from(destination));
            own.deaf.remove(usize::from(destination));
            own.closed.remove(usize::from(destination));
            own.flights
                .retain(|flight| flight.destination != destination);
            own.call.take_if(|call| call.destination == destination);
        }
        let link = self.reply_link(client, destination);
        if let Some(queue) = state.replies.get_mut(self.reply_slot(link)) {
            queue.clear();
            observer.purged(link);
        }
    }

    /// Everything on the way to a broker that has died is gone, and the connections to it are closed. What it
    /// has answered before is on its way.
    pub(super) fn purge(&self, state: &mut State, destination: u16, observer: &mut impl Observer) {
        for client in self.client_ids() {
            if let Some(own) = state.clients.get_mut(usize::from(client.0))
                && own.awaits_of(destination)
            {
                own.closed.insert(usize::from(destination));
            }
            let link = self.link_to(client, destination);
            for link in [link, LinkId(link.0 + 1)] {
                if let Some(queue) = state.requests.get_mut(self.request_slot(link)) {
                    queue.clear();
                    observer.purged(link);
                }
            }
        }
    }

    pub(super) fn request_slot(&self, link: LinkId) -> usize {
        let number = link.0.saturating_sub(self.base.link);
        (number / 3 * 2 + number % 3) as usize
    }

    pub(super) fn reply_slot(&self, link: LinkId) -> usize {
        (link.0.saturating_sub(self.base.link) / 3) as usize
    }

    /// What the scenario says of this message: it is counted.
    fn passage(
        &self,
        state: &mut State,
        client: ClientId,
        api: Api,
        part: Part,
        observer: &mut impl Observer,
    ) -> Passage {
        let mut passage = Passage::Free;
        for (fault, counted) in self.messages.iter().zip(&mut state.counted) {
            if (fault.client, fault.api, fault.part) != (self.named(client).0, api, part) {
                continue;
            }
            let until = fault.first.saturating_add(fault.count);
            *counted = counted.saturating_add(1).min(until);
            if (fault.first..until).contains(counted) {
                passage = match fault.delay {
                    Some(delay) => Passage::Late(Micros::from(delay)),
                    None => Passage::Lost,
                };
            }
        }
        let client = self.client_node(client);
        match passage {
            Passage::Free => {}
            Passage::Lost => {
                observer.event(Event::Kafka(KafkaEvent::MessageLost { client, api, part }))
            }
            Passage::Late(_) => observer.event(Event::Kafka(KafkaEvent::MessageDelayed {
                client,
                api,
                part,
            })),
        }
        passage
    }
}

fn connections<T>(queue: Option<&Queue<T>>) -> smallvec::SmallVec<[u8; 4]> {
    let queue = queue.into_iter().flatten();
    queue.map(|(connection, _)| *connection).collect()
}

fn cut_behind<T>(
    queue: &mut Queue<T>,
    connection: u8,
    link: LinkId,
    place: u16,
    observer: &mut impl Observer,
) {
    let mut at = usize::from(place);
    while let Some((other, _)) = queue.get(at) {
        if *other == connection {
            observer.taken_at(link, at);
            queue.remove(at);
        } else {
            at += 1;
        }
    }
}

fn take<T>(
    queue: &mut Queue<T>,
    link: LinkId,
    place: u16,
    observer: &mut impl Observer,
) -> Option<(u8, T)> {
    if usize::from(place) >= queue.len() {
        return None;
    }
    observer.taken_at(link, usize::from(place));
    Some(queue.remove(usize::from(place)))
}

fn send(observer: &mut impl Observer, link: LinkId, after: Micros) {
    match after {
        Micros::ZERO => observer.sent(link),
        after => {
            observer.sent_late(link, after);
        }
    }
}
