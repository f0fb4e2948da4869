//! Messages on their way. Any may overtake any other.

use super::state::{Flight, State};
use super::{Passage, Votes};
use crate::commit::Process;
use crate::commit::message::{Letter, Message};
use crate::event::{Event, VotesEvent};
use crate::id::LinkId;
use crate::protocol::Observer;
use crate::time::Micros;

impl Votes {
    /// The messages on a link, the first to arrive first.
    pub(super) fn on_link(state: &State, link: LinkId) -> impl Iterator<Item = Message> + '_ {
        let flights = state.wire.iter();
        flights
            .skip_while(move |flight| u32::from(flight.link) < link.0)
            .take_while(move |flight| u32::from(flight.link) == link.0)
            .map(|flight| flight.message)
    }

    /// The links with something on them, each with the place and the message. Of messages on one link that are
    /// alike the first stands for all.
    pub(super) fn takable<'a>(
        &'a self,
        state: &'a State,
    ) -> impl Iterator<Item = (LinkId, u16, Message)> + 'a {
        let mut place = 0;
        let mut last = None;
        let mut seen = 0_u8;
        state.wire.iter().filter_map(move |flight| {
            if last != Some(flight.link) {
                (place, seen, last) = (0, 0, Some(flight.link));
            }
            let at = place;
            place += 1;
            let kind = 1 << (flight.message as u8);
            let again = seen & kind != 0;
            seen |= kind;
            (!again).then_some((LinkId(u32::from(flight.link)), at, flight.message))
        })
    }

    /// Whether a message can be sent: not while the last one like it is still on the same way.
    pub(super) fn may_send(&self, state: &State, from: Process, letter: Letter) -> bool {
        let link = self.link_between(from, letter.to);
        Self::on_link(state, link).all(|message| message != letter.message)
    }

    /// Puts a message on its way.
    pub(super) fn post(
        &self,
        state: &mut State,
        from: Process,
        letter: Letter,
        observer: &mut impl Observer,
    ) {
        let link = self.link_between(from, letter.to);
        let (sender, receiver) = (Self::node_of(from), Self::node_of(letter.to));
        let message = letter.message;
        observer.event(Event::Votes(VotesEvent::Sent {
            from: sender,
            to: receiver,
            message,
        }));
        match self.passage(state, from, letter) {
            Passage::Free => put(state, link, message, Micros::ZERO, observer),
            Passage::Lost => observer.event(Event::Votes(VotesEvent::MessageLost {
                from: sender,
                to: receiver,
                message,
            })),
            Passage::Late(delay) => {
                observer.event(Event::Votes(VotesEvent::MessageDelayed {
                    from: sender,
                    to: receiver,
                    message,
                }));
                let late = LinkId(link.0 + 1);
                put(state, late, message, Micros::from(delay), observer);
            }
            Passage::Twice => {
                observer.event(Event::Votes(VotesEvent::MessageDuplicated {
                    from: sender,
                    to: receiver,
                    message,
                }));
                put(state, link, message, Micros::ZERO, observer);
                put(state, link, message, Micros::ZERO, observer);
            }
        }
    }

    /// What the scenario says of this message: it is counted.
    fn passage(&self, state: &mut State, from: Process, letter: Letter) -> Passage {
        let mut passage = Passage::Free;
        for (fault, counted) in self.messages.iter().zip(&mut state.counted) {
            let other = fault.from.is_some_and(|it| it != from);
            if other || (fault.to, fault.message) != (letter.to, letter.message) {
                continue;
            }
            let until = fault.first.saturating_add(fault.count);
            *counted = counted.saturating_add(1).min(until);
            if (fault.first..until).contains(counted) {
                passage = fault.what;
            }
        }
        passage
    }

    /// Takes a message from a link.
    pub(super) fn take(
        state: &mut State,
        link: LinkId,
        place: u16,
        observer: &mut impl Observer,
    ) -> Option<Message> {
        let at = place_on(state, link, place)?;
        observer.taken_at(link, usize::from(place));
        Some(state.wire.remove(at).message)
    }

    pub(super) fn may_lose(&self, state: &State, link: LinkId, place: u16) -> bool {
        state.losses < self.scenario.faults.max_losses && place_on(state, link, place).is_some()
    }

    pub(super) fn may_duplicate(&self, state: &State, link: LinkId, place: u16) -> bool {
        state.duplicates < self.scenario.faults.max_duplicates
            && place_on(state, link, place).is_some()
    }

    /// A message is lost.
    pub(super) fn lose(
        &self,
        state: &mut State,
        link: LinkId,
        place: u16,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_lose(state, link, place) {
            return false;
        }
        let Some(message) = Self::take(state, link, place, observer) else {
            return false;
        };
        state.losses = state.losses.saturating_add(1);
        state.history.note_failure();
        let (from, to) = self.ends(link);
        observer.event(Event::Votes(VotesEvent::MessageLost {
            from: Self::node_of(from),
            to: Self::node_of(to),
            message,
        }));
        true
    }

    /// A message comes twice.
    pub(super) fn duplicate(
        &self,
        state: &mut State,
        link: LinkId,
        place: u16,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_duplicate(state, link, place) {
            return false;
        }
        let at = place_on(state, link, place);
        let Some(flight) = at.and_then(|at| state.wire.get(at)).copied() else {
            return false;
        };
        state.duplicates = state.duplicates.saturating_add(1);
        let (from, to) = self.ends(link);
        observer.event(Event::Votes(VotesEvent::MessageDuplicated {
            from: Self::node_of(from),
            to: Self::node_of(to),
            message: flight.message,
        }));
        put(state, link, flight.message, Micros::ZERO, observer);
        true
    }
}

/// Where a message is among all that are under way.
fn place_on(state: &State, link: LinkId, place: u16) -> Option<usize> {
    let first = state
        .wire
        .partition_point(|flight| u32::from(flight.link) < link.0);
    let at = first.saturating_add(usize::from(place));
    let flight = state.wire.get(at)?;
    (u32::from(flight.link) == link.0).then_some(at)
}

/// Puts a message behind the others on its link.
fn put(
    state: &mut State,
    link: LinkId,
    message: Message,
    after: Micros,
    observer: &mut impl Observer,
) {
    let Ok(number) = u16::try_from(link.0) else {
        return;
    };
    let at = state.wire.partition_point(|flight| flight.link <= number);
    let flight = Flight {
        link: number,
        message,
    };
    state.wire.insert(at, flight);
    match after {
        Micros::ZERO => observer.sent(link),
        after => {
            observer.sent_late(link, after);
        }
    }
}
