//! The one trait against which every driver is written.
//!
//! A [`Protocol`] is the *configuration* (graph, options, workload: what never changes). Its
//! [`State`](Protocol::State) holds only what changes. The drivers (Clock, Timeline, Explorer) know
//! nothing else.

use alloc::vec::Vec;
use core::fmt;
use core::hash::Hash;

use crate::event::Event;
use crate::id::{ActorId, LinkId};
use crate::time::Micros;

/// What may happen, and what happens then.
pub trait Protocol {
    /// What changes. A value: no clock reading, no random number, no floating point in it.
    type State: Clone + Eq + Hash;
    /// One thing that can happen. Actions are ordered, so that lists of them are canonical.
    type Action: Copy + Eq + Ord + Hash + fmt::Debug;

    /// The state in which every run starts.
    fn initial(&self) -> Self::State;

    /// Every state in which a run may start, for a search: more than one where a specification leaves it open.
    fn initials(&self) -> Vec<Self::State> {
        Vec::from([self.initial()])
    }

    /// How many actors there are; their ids are the numbers below it.
    fn actors(&self) -> usize;

    /// How many links there are; their ids are the numbers below it.
    fn links(&self) -> usize;

    /// The ends and the delay of a link.
    fn link(&self, link: LinkId) -> Link;

    /// Appends every action that `actor` may take in `state`, in a canonical order.
    fn enabled(&self, state: &Self::State, actor: ActorId, into: &mut Vec<Self::Action>);

    /// The actor that performs `action`.
    fn actor(&self, action: Self::Action) -> ActorId;

    /// The message that `action` takes from a link, if it takes one.
    fn takes(&self, state: &Self::State, action: Self::Action) -> Option<Taking>;

    /// When the Clock performs `action`, and for how long it occupies its actor.
    fn timing(&self, state: &Self::State, action: Self::Action) -> Timing;

    /// Whether `action` is a fault: nothing that happens by itself, but what a search tries within its budget.
    fn is_fault(&self, state: &Self::State, action: Self::Action) -> bool {
        self.timing(state, action) == Timing::Never
    }

    /// Forgets what makes no difference to anything that may follow: how often somebody has tried something that is tried
    /// without end, what numbers two connections have that are not the same. A search does so after every step, so that it
    /// comes to an end; the actions enabled before and after are the same, in the same order.
    fn forget(&self, _state: &mut Self::State) {}

    /// Whether an action, which is enabled and no fault, stands alone: it commutes with everything that others can do before
    /// it, now and later, disables none of it and is not disabled by it; its actor can do nothing else before it; what is
    /// broken stays broken; and such actions alone come to an end. A search that is asked to then tries it before
    /// everything else, and nothing else in its place. Faults are no part of that promise: the search checks them itself.
    fn stands_alone(&self, _state: &Self::State, _action: Self::Action) -> bool {
        false
    }

    /// A number that two enabled actions of a state share only if they lead to the same state, once what makes no difference
    /// is [forgotten](Self::forget): a search tries the first of them. None if nothing is known of that.
    fn likeness(&self, _state: &Self::State, _action: Self::Action) -> Option<u64> {
        None
    }

    /// The state that stands for this one and for all that differ from it only in which of several equal parts
    /// (participants, subtasks) is which. A search that is asked for symmetry sees one of them only; what it asks must
    /// not tell such states apart, and every one of them must have the same representative.
    fn canonical(&self, state: &Self::State) -> Self::State {
        state.clone()
    }

    /// Performs `action`, reporting to `observer` what happened.
    ///
    /// # Errors
    /// [`Disabled`] if the action is not enabled; `state` is then as it was.
    fn apply(
        &self,
        state: &mut Self::State,
        action: Self::Action,
        observer: &mut impl Observer,
    ) -> Result<(), Disabled>;

    /// Puts a state into as few bytes as it takes, for a search whose frontier has many: `into` holds them afterwards,
    /// whatever was in it before. False if there is no such form of this protocol's states: they are kept as they are.
    fn pack(&self, _state: &Self::State, _into: &mut Vec<u8>) -> bool {
        false
    }

    /// The state that was [packed](Self::pack).
    fn unpack(&self, _bytes: &[u8]) -> Option<Self::State> {
        None
    }

    /// About how many bytes a state takes: by this, a timeline limits how many it keeps.
    fn size(&self, _state: &Self::State) -> usize {
        core::mem::size_of::<Self::State>()
    }

    /// Whether the story is over: nothing will happen any more but idling.
    fn is_done(&self, state: &Self::State) -> bool;
}

/// An action was asked for that the rules do not allow in this state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disabled;

impl fmt::Display for Disabled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the action is not enabled in this state")
    }
}

impl core::error::Error for Disabled {}

/// A directed way for messages, in order, from one actor to another.
///
/// A hop delays, it does not occupy: many messages are under way on one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Who sends.
    pub from: ActorId,
    /// Who receives.
    pub to: ActorId,
    /// The receiver's inputs, each of several links, get their turn one after the other: which of them
    /// it belongs to. No two receivers share a number.
    pub input: Option<u32>,
    /// How long a message is under way.
    pub delay: Micros,
}

/// A message that is taken from a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taking {
    /// Which link.
    pub link: LinkId,
    /// How many messages it overtakes on it: 0 for the first one.
    pub place: usize,
}

/// When the Clock performs an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// As soon as the actor is free (and the message it takes has arrived); the actor is occupied
    /// for this long, and the action is applied when it has passed.
    Work(Micros),
    /// As soon as the actor is free and the message it takes has arrived, before anything else that the
    /// actor might do. Occupies no one.
    Urgent,
    /// This long after the same timer fired last (at first: after the start of the run), as soon as
    /// the action is enabled and the actor free. Occupies no one.
    Periodic(TimerId, Micros),
    /// At a fixed rate. Occupies no one.
    Rate(TimerId, Rate),
    /// This long after a timer fired last, if the action is enabled. Occupies no one.
    Since(TimerId, Micros),
    /// This long after the action became enabled, if it still is. Occupies no one.
    Delay(TimerId, Micros),
    /// Never by itself: a fault, which a scenario schedules, a person causes or a search tries.
    Never,
}

/// A fixed rate: due `first` after the start of the run, or after [`Observer::restarted`], and then at each
/// interval, as often as the intervals that have passed: what comes late is made up for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// When it is due for the first time.
    pub first: Micros,
    /// How often from then on.
    pub interval: Micros,
    /// How long after [`Observer::paused`] at least; what waits for that begins the rate anew.
    pub pause: Micros,
}

/// One of a protocol's timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerId(pub u32);

/// Hears what an action did.
///
/// People are told by [`event`](Self::event); everything else is for the Clock, which keeps track of
/// what is under way and of who may have something to do. Every method does nothing by default, so
/// that with no listener (`()`) reporting costs nothing.
pub trait Observer {
    /// Something happened.
    fn event(&mut self, _event: Event) {}
    /// Whether details that are costly to find out are wanted in the events.
    fn wants_detail(&self) -> bool {
        false
    }
    /// Whether anybody keeps the time. If not, no duration need be found out.
    fn is_timed(&self) -> bool {
        false
    }
    /// A message was put in line for `link`, behind so many others that are on it or in line for it. It sets out
    /// when it is [`sent`](Self::sent). Told only where the two are not the same.
    fn queued(&mut self, _link: LinkId, _place: usize) {}
    /// The message at this place was taken out of the line again.
    fn withdrawn(&mut self, _link: LinkId, _place: usize) {}
    /// A message was put on `link`: the first in line for it, if any is.
    fn sent(&mut self, _link: LinkId) {}
    /// A message was put on `link` that sets out when its sender has done what it is
    /// [occupied](Self::occupied) with, and takes this much longer than the link's delay; returns how much
    /// longer it will have taken.
    fn sent_late(&mut self, link: LinkId, after: Micros) -> Micros {
        self.sent(link);
        after
    }
    /// `actor` can do nothing else for this long from now on, or from when it is free; returns how long
    /// it will be.
    fn occupied(&mut self, _actor: ActorId, cost: Micros) -> Micros {
        cost
    }
    /// A timer that [`Timing::Since`] counts from fired.
    fn fired(&mut self, _timer: TimerId) {}
    /// The pause of a timer with a fixed rate begins.
    fn paused(&mut self, _timer: TimerId) {}
    /// A timer with a fixed rate, or one that counts already, starts anew.
    fn restarted(&mut self, _timer: TimerId) {}
    /// The first message was taken from `link`.
    fn taken(&mut self, link: LinkId) {
        self.taken_at(link, 0);
    }
    /// A message was taken from `link`, past so many others.
    fn taken_at(&mut self, _link: LinkId, _place: usize) {}
    /// Everything on `link` was lost.
    fn purged(&mut self, _link: LinkId) {}
    /// `actor` may have something to do now, though no message tells it so.
    fn woken(&mut self, _actor: ActorId) {}
    /// What `actor` was doing is undone.
    fn interrupted(&mut self, _actor: ActorId) {}
}

impl Observer for () {}

/// Collects the events.
impl Observer for Vec<Event> {
    fn event(&mut self, event: Event) {
        self.push(event);
    }
    fn wants_detail(&self) -> bool {
        true
    }
}
