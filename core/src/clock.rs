//! The Clock drives a protocol through virtual time: seeded, deterministic.
//!
//! Every actor does one thing at a time. A free actor starts the action that has been waiting
//! longest (a message since it was first on its link, a timer since it was due), is occupied for the action's cost,
//! and the action is applied when that has passed. Backpressure, alignment delay and checkpoint
//! duration are never scripted: they come out of finite buffers and costs.

use alloc::collections::{BinaryHeap, VecDeque};
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::mem;

use rand_core::Rng;
use rand_pcg::Pcg32;

use crate::event::Event;
use crate::id::{ActorId, LinkId};
use crate::protocol::{Disabled, Observer, Protocol, Rate, Taking, TimerId, Timing};
use crate::time::Micros;

/// How a run is timed.
#[derive(Clone, Debug)]
pub struct Pace<A> {
    /// Chooses the jitter of every cost and delay. The same seed gives the same run.
    pub seed: u64,
    /// How far a cost or delay may be off, in percent of it, to either side. At most 100.
    pub jitter_percent: u8,
    /// Faults to come, each at its moment.
    pub faults: Vec<(Micros, A)>,
    /// When the run is cut off, if it is.
    pub until: Option<Micros>,
}

/// An action, and when it was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken<A> {
    /// What was done.
    pub action: A,
    /// When.
    pub at: Micros,
}

/// A message under way or waiting at the end of its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transit {
    /// When it was put on the link.
    pub sent: Micros,
    /// When it has come to the other end.
    pub ready: Micros,
}

/// Virtual time, and what is under way in it.
#[derive(Clone, Debug)]
pub struct Clock<A> {
    now: Micros,
    jitter_percent: u8,
    agenda: BinaryHeap<Reverse<Moment<A>>>,
    entries: u64,
    actors: Vec<Actor<A>>,
    links: Vec<Way>,
    /// When each timer fired last, in the order of the timers.
    fired: Vec<(TimerId, Micros)>,
    /// The timers with a fixed rate.
    beats: Vec<Beat>,
    /// When something was last taken from each input of several links.
    inputs: Vec<Micros>,
    /// Faults whose moment has passed and that could not happen yet.
    deferred: Vec<A>,
    /// Since when each delay timer has been running, and whose it is.
    armed: Vec<(TimerId, ActorId, Micros)>,
    /// Faults that are still to come.
    faults_ahead: usize,
    /// When the run is cut off, and whether it has come to that.
    until: Option<Micros>,
    cut: bool,
    scratch: Vec<A>,
}

/// A timer with a fixed rate, as the clock sees it.
#[derive(Clone, Copy, Debug)]
struct Beat {
    timer: TimerId,
    /// When it started.
    origin: Micros,
    /// When it is due, once it has fired since.
    due: Option<Micros>,
    paused: Option<Micros>,
}

impl Beat {
    const fn new(timer: TimerId) -> Self {
        Self {
            timer,
            origin: Micros::ZERO,
            due: None,
            paused: None,
        }
    }

    fn due(&self, rate: Rate) -> Micros {
        self.due.unwrap_or(self.origin + rate.first)
    }

    fn pause_ends(&self, rate: Rate) -> Micros {
        self.paused.map_or(Micros::ZERO, |since| since + rate.pause)
    }
}

/// A link, as the clock sees it.
#[derive(Clone, Debug)]
struct Way {
    transit: VecDeque<Transit>,
    /// When a message was last taken from it.
    taken: Micros,
    random: Pcg32,
}

/// Every actor and every link draws from a stream of its own, so that runs that differ in one option
/// differ in nothing else by chance.
#[derive(Clone, Debug)]
struct Actor<A> {
    random: Pcg32,
    busy: Option<Work<A>>,
    free_since: Micros,
    /// Until when it is occupied with what it has done last.
    occupied: Micros,
    /// The earliest moment at which the agenda will look at this actor.
    wake: Option<Micros>,
}

#[derive(Clone, Copy, Debug)]
struct Work<A> {
    action: A,
    began: Micros,
    until: Micros,
    /// The agenda entry that ends it: an interrupted work's entry finds another number here.
    ticket: u64,
}

#[derive(Clone, Copy, Debug)]
struct Moment<A> {
    at: Micros,
    /// Entries of one moment are handled in the order in which they were made.
    order: u64,
    due: Due<A>,
}

#[derive(Clone, Copy, Debug)]
enum Due<A> {
    Look(ActorId),
    Finish(ActorId),
    Fault(A),
}

impl<A> PartialEq for Moment<A> {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.order) == (other.at, other.order)
    }
}
impl<A> Eq for Moment<A> {}
impl<A> PartialOrd for Moment<A> {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<A> Ord for Moment<A> {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}

impl<A: Copy + Eq + Ord> Clock<A> {
    /// A clock at the start of a run of `protocol`.
    pub fn new<P: Protocol<Action = A>>(protocol: &P, pace: &Pace<A>) -> Self {
        let mut clock = Self {
            now: Micros::ZERO,
            jitter_percent: pace.jitter_percent.min(100),
            agenda: BinaryHeap::new(),
            entries: 0,
            actors: (0..protocol.actors() as u64)
                .map(|actor| Actor {
                    random: Pcg32::new(pace.seed, 2 * actor),
                    busy: None,
                    free_since: Micros::ZERO,
                    occupied: Micros::ZERO,
                    wake: None,
                })
                .collect(),
            links: (0..protocol.links() as u64)
                .map(|link| Way {
                    transit: VecDeque::new(),
                    taken: Micros::ZERO,
                    random: Pcg32::new(pace.seed, 2 * link + 1),
                })
                .collect(),
            fired: Vec::new(),
            beats: Vec::new(),
            inputs: Vec::new(),
            deferred: Vec::new(),
            armed: Vec::new(),
            faults_ahead: pace.faults.len(),
            until: pace.until,
            cut: false,
            scratch: Vec::new(),
        };
        for (at, action) in &pace.faults {
            clock.enter(*at, Due::Fault(*action));
        }
        for actor in 0..protocol.actors() {
            clock.look(ActorId(actor as u16), Micros::ZERO);
        }
        clock
    }

    /// The moment at which the last action was applied.
    pub fn now(&self) -> Micros {
        self.now
    }

    /// What is on a link, the first to arrive first.
    pub fn transit(&self, link: LinkId) -> impl Iterator<Item = Transit> + '_ {
        let way = self.links.get(link.index());
        way.into_iter().flat_map(|way| &way.transit).copied()
    }

    /// What an actor is busy with: the action, when it began, and when it will be done.
    pub fn busy(&self, actor: ActorId) -> Option<(A, Micros, Micros)> {
        let work = self.actors.get(actor.index())?.busy?;
        Some((work.action, work.began, work.until))
    }

    /// Whether a scheduled fault is still to come.
    pub fn faults_ahead(&self) -> bool {
        self.faults_ahead > 0
    }

    /// Whether the time is over that the run may take.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// Goes on to the next action and applies it. None when nothing is left to happen.
    pub fn step<P: Protocol<Action = A>>(
        &mut self,
        protocol: &P,
        state: &mut P::State,
        observer: &mut impl Observer,
    ) -> Option<Taken<A>> {
        for at in 0..self.deferred.len() {
            let Some(action) = self.deferred.get(at).copied() else {
                break;
            };
            if self.perform(protocol, state, action, observer).is_ok() {
                self.deferred.remove(at);
                return Some(Taken {
                    action,
                    at: self.now,
                });
            }
        }
        while let Some(Reverse(moment)) = self.agenda.pop() {
            if self.until.is_some_and(|until| moment.at > until) {
                self.cut = true;
                self.agenda.push(Reverse(moment));
                return None;
            }
            self.now = self.now.max(moment.at);
            let action = match moment.due {
                Due::Look(id) => {
                    self.consider(protocol, state, id, moment.at);
                    continue;
                }
                Due::Finish(id) => match self.finish(id, moment.order) {
                    Some(action) => action,
                    None => continue,
                },
                Due::Fault(action) => {
                    self.faults_ahead = self.faults_ahead.saturating_sub(1);
                    if self.perform(protocol, state, action, observer).is_err() {
                        self.deferred.push(action);
                        continue;
                    }
                    return Some(Taken {
                        action,
                        at: self.now,
                    });
                }
            };
            if self.perform(protocol, state, action, observer).is_ok() {
                return Some(Taken {
                    action,
                    at: self.now,
                });
            }
        }
        None
    }

    /// Lets time pass up to a moment, without anything happening.
    pub(crate) fn wait_until(&mut self, moment: Micros) {
        self.now = self.now.max(moment);
    }

    /// Lets as much time pass as an action takes by itself, a millisecond at least.
    pub(crate) fn wait_for<P: Protocol<Action = A>>(
        &mut self,
        protocol: &P,
        state: &P::State,
        action: A,
    ) {
        let takes = match protocol.timing(state, action) {
            Timing::Work(cost) => cost,
            Timing::Periodic(_, wait) | Timing::Since(_, wait) | Timing::Delay(_, wait) => wait,
            Timing::Rate(_, rate) => rate.interval,
            Timing::Urgent | Timing::Never => Micros::ZERO,
        };
        let way = protocol.takes(state, action);
        let delay = way.map_or(Micros::ZERO, |taking| protocol.link(taking.link).delay);
        let takes = (takes + delay).max(Micros(1_000));
        self.now = self.now + takes;
    }

    /// Applies an action that somebody chose, now. What its actor was doing is given up.
    ///
    /// # Errors
    /// [`Disabled`] if the rules do not allow it.
    pub fn force<P: Protocol<Action = A>>(
        &mut self,
        protocol: &P,
        state: &mut P::State,
        action: A,
        observer: &mut impl Observer,
    ) -> Result<Taken<A>, Disabled> {
        self.perform(protocol, state, action, observer)?;
        let actor = protocol.actor(action);
        if let Some(actor) = self.actors.get_mut(actor.index()) {
            actor.busy = None;
        }
        self.look(actor, self.now);
        Ok(Taken {
            action,
            at: self.now,
        })
    }

    fn perform<P: Protocol<Action = A>>(
        &mut self,
        protocol: &P,
        state: &mut P::State,
        action: A,
        observer: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let timing = protocol.timing(state, action);
        let result = protocol.apply(
            state,
            action,
            &mut Relay {
                clock: self,
                protocol,
                observer,
            },
        );
        let actor = protocol.actor(action);
        if result.is_ok() {
            match timing {
                Timing::Periodic(timer, _) => self.set_fired(timer),
                Timing::Rate(timer, rate) => self.beat(timer, rate),
                Timing::Delay(timer, _) => self.armed.retain(|(id, ..)| *id != timer),
                Timing::Work(_) | Timing::Urgent | Timing::Since(..) | Timing::Never => {}
            }
        }
        self.look(actor, self.now);
        result
    }

    /// Lets a free actor start what has been waiting longest, or notes when to look again.
    fn consider<P: Protocol<Action = A>>(
        &mut self,
        protocol: &P,
        state: &P::State,
        id: ActorId,
        at: Micros,
    ) {
        let Some(actor) = self.actors.get_mut(id.index()) else {
            return;
        };
        if actor.wake == Some(at) {
            actor.wake = None;
        }
        if actor.busy.is_some() {
            return;
        }
        if actor.occupied > self.now {
            let until = actor.occupied;
            self.look(id, until);
            return;
        }
        let free_since = actor.free_since;
        let mut actions = mem::take(&mut self.scratch);
        actions.clear();
        protocol.enabled(state, id, &mut actions);
        self.disarm(protocol, state, id, &actions);

        // What is urgent and there goes first, then what has waited longest. The inputs take turns, and in
        // each of them the links.
        let mut best: Option<(bool, Micros, Micros, A, Timing)> = None;
        for action in &actions {
            let timing = protocol.timing(state, *action);
            let mut turn = Micros::ZERO;
            let since = match timing {
                Timing::Work(_) | Timing::Urgent => match protocol.takes(state, *action) {
                    Some(message) => {
                        let link = self.waiting_since(message);
                        turn = link;
                        let input = protocol.link(message.link).input;
                        match input.and_then(|input| self.inputs.get(input as usize)) {
                            Some(taken) => self.arrived(message).max(*taken),
                            None => link,
                        }
                    }
                    None => free_since,
                },
                Timing::Periodic(timer, after) | Timing::Since(timer, after) => {
                    self.last_fired(timer) + after
                }
                Timing::Rate(timer, rate) => {
                    let beat = self.beats.iter().find(|beat| beat.timer == timer);
                    let beat = beat.copied().unwrap_or(Beat::new(timer));
                    beat.due(rate).max(beat.pause_ends(rate))
                }
                Timing::Delay(timer, after) => self.arm(timer, id) + after,
                Timing::Never => continue,
            };
            let later = timing != Timing::Urgent || since > self.now;
            let order = (later, since, turn);
            if best.is_none_or(|(other, earliest, first, ..)| order < (other, earliest, first)) {
                best = Some((later, since, turn, *action, timing));
            }
        }
        self.scratch = actions;

        let Some((_, since, _, action, timing)) = best else {
            return;
        };
        if since > self.now {
            self.look(id, since);
            return;
        }
        let percent = self.jitter_percent;
        let cost = match (timing, self.actors.get_mut(id.index())) {
            (Timing::Work(cost), Some(actor)) => jittered(cost, percent, &mut actor.random),
            _ => Micros::ZERO,
        };
        let until = self.now + cost;
        let ticket = self.enter(until, Due::Finish(id));
        if let Some(actor) = self.actors.get_mut(id.index()) {
            actor.busy = Some(Work {
                action,
                began: self.now,
                until,
                ticket,
            });
        }
    }

    fn finish(&mut self, id: ActorId, ticket: u64) -> Option<A> {
        let actor = self.actors.get_mut(id.index())?;
        let work = actor.busy.take_if(|work| work.ticket == ticket)?;
        actor.free_since = self.now;
        Some(work.action)
    }

    fn enter(&mut self, at: Micros, due: Due<A>) -> u64 {
        let order = self.entries;
        self.entries += 1;
        self.agenda.push(Reverse(Moment { at, order, due }));
        order
    }

    /// Has the agenda look at an actor at a moment, unless it will do so earlier anyway.
    fn look(&mut self, id: ActorId, at: Micros) {
        let Some(actor) = self.actors.get_mut(id.index()) else {
            return;
        };
        if actor.wake.is_some_and(|wake| wake <= at) {
            return;
        }
        actor.wake = Some(at);
        self.enter(at, Due::Look(id));
    }

    /// Since when a message has been there to be taken. The first one on a link counts from when it
    /// became that: so links take turns, as the channels of Flink's input gate do, which line up anew
    /// after each element.
    fn waiting_since(&self, message: Taking) -> Micros {
        let Some(way) = self.links.get(message.link.index()) else {
            return self.now;
        };
        match way.transit.get(message.place) {
            Some(first) if message.place == 0 => first.ready.max(way.taken),
            Some(other) => other.ready,
            None => self.now,
        }
    }

    /// When a message came to the end of its link.
    fn arrived(&self, message: Taking) -> Micros {
        let way = self.links.get(message.link.index());
        let transit = way.and_then(|way| way.transit.get(message.place));
        transit.map_or(self.now, |transit| transit.ready)
    }

    /// When a timer fired last; at first, the start of the run.
    pub fn last_fired(&self, timer: TimerId) -> Micros {
        let place = self.fired.binary_search_by_key(&timer, |(id, _)| *id);
        let fired = place.ok().and_then(|at| self.fired.get(at));
        fired.map_or(Micros::ZERO, |(_, at)| *at)
    }

    fn set_fired(&mut self, timer: TimerId) {
        let now = self.now;
        match self.fired.binary_search_by_key(&timer, |(id, _)| *id) {
            Ok(at) => {
                if let Some((_, fired)) = self.fired.get_mut(at) {
                    *fired = now;
                }
            }
            Err(at) => self.fired.insert(at, (timer, now)),
        }
    }

    /// A timer with a fixed rate has fired.
    fn beat(&mut self, timer: TimerId, rate: Rate) {
        let now = self.now;
        let Some(beat) = self.beat_of(timer) else {
            return;
        };
        let due = beat.due(rate);
        let held = beat.pause_ends(rate) > due;
        beat.due = Some(if held { now } else { due } + rate.interval);
    }

    fn beat_of(&mut self, timer: TimerId) -> Option<&mut Beat> {
        if self.beats.iter().all(|beat| beat.timer != timer) {
            self.beats.push(Beat::new(timer));
        }
        self.beats.iter_mut().find(|beat| beat.timer == timer)
    }

    fn arm(&mut self, timer: TimerId, actor: ActorId) -> Micros {
        if let Some((.., since)) = self.armed.iter().find(|(id, ..)| *id == timer) {
            return *since;
        }
        self.armed.push((timer, actor, self.now));
        self.now
    }

    /// Stops the delay timers of an actor whose actions are no longer enabled.
    fn disarm<P: Protocol<Action = A>>(
        &mut self,
        protocol: &P,
        state: &P::State,
        actor: ActorId,
        enabled: &[A],
    ) {
        self.armed.retain(|(timer, owner, _)| {
            *owner != actor
                || enabled.iter().any(|action| {
                    matches!(protocol.timing(state, *action), Timing::Delay(id, _) if id == *timer)
                })
        });
    }
}

/// A duration that is off by up to `percent` of it, to either side.
fn jittered(duration: Micros, percent: u8, random: &mut Pcg32) -> Micros {
    let spread = u64::from(percent);
    if spread == 0 || duration == Micros::ZERO {
        return duration;
    }
    let percent = 100 - spread + u64::from(random.next_u32()) % (2 * spread + 1);
    Micros(duration.0.saturating_mul(percent) / 100)
}

/// Passes events on, and keeps the clock's own account of what is under way.
struct Relay<'a, P: Protocol, O> {
    clock: &'a mut Clock<P::Action>,
    protocol: &'a P,
    observer: &'a mut O,
}

impl<P: Protocol, O> Relay<'_, P, O> {
    /// Puts a message on a link, which sets out at `start` and takes so much longer than the link's
    /// delay; how much longer it will have taken.
    fn put(&mut self, id: LinkId, start: Micros, after: Micros) -> Micros {
        let link = self.protocol.link(id);
        let sent = self.clock.now;
        let percent = self.clock.jitter_percent;
        let Some(way) = self.clock.links.get_mut(id.index()) else {
            return after;
        };
        let after = jittered(after, percent, &mut way.random);
        let ready = start + after + jittered(link.delay, percent, &mut way.random);
        let last = way.transit.back();
        let ready = last.map_or(ready, |last| last.ready.max(ready));
        way.transit.push_back(Transit { sent, ready });
        self.clock.look(link.to, ready);
        after
    }
}

impl<P: Protocol, O: Observer> Observer for Relay<'_, P, O> {
    fn event(&mut self, event: Event) {
        self.observer.event(event);
    }

    fn wants_detail(&self) -> bool {
        self.observer.wants_detail()
    }

    fn is_timed(&self) -> bool {
        true
    }

    fn queued(&mut self, id: LinkId, place: usize) {
        self.observer.queued(id, place);
    }

    fn withdrawn(&mut self, id: LinkId, place: usize) {
        self.observer.withdrawn(id, place);
    }

    fn sent(&mut self, id: LinkId) {
        self.observer.sent(id);
        let now = self.clock.now;
        self.put(id, now, Micros::ZERO);
    }

    fn sent_late(&mut self, id: LinkId, after: Micros) -> Micros {
        self.observer.sent(id);
        let from = self.protocol.link(id).from;
        let sender = self.clock.actors.get(from.index());
        let free = sender.map_or(Micros::ZERO, |sender| sender.occupied);
        self.put(id, free.max(self.clock.now), after)
    }

    fn occupied(&mut self, id: ActorId, cost: Micros) -> Micros {
        let percent = self.clock.jitter_percent;
        let now = self.clock.now;
        let Some(actor) = self.clock.actors.get_mut(id.index()) else {
            return cost;
        };
        let cost = jittered(cost, percent, &mut actor.random);
        actor.occupied = actor.occupied.max(now) + cost;
        actor.free_since = actor.occupied;
        cost
    }

    fn fired(&mut self, timer: TimerId) {
        self.clock.set_fired(timer);
    }

    fn paused(&mut self, timer: TimerId) {
        let now = self.clock.now;
        if let Some(beat) = self.clock.beat_of(timer) {
            beat.paused = Some(now);
        }
    }

    fn restarted(&mut self, timer: TimerId) {
        let now = self.clock.now;
        let mut armed = self.clock.armed.iter_mut();
        if let Some((.., since)) = armed.find(|(id, ..)| *id == timer) {
            *since = now;
        } else if let Some(beat) = self.clock.beat_of(timer) {
            (beat.origin, beat.due) = (now, None);
        }
    }

    fn taken_at(&mut self, id: LinkId, place: usize) {
        self.observer.taken_at(id, place);
        let link = self.protocol.link(id);
        if let Some(way) = self.clock.links.get_mut(id.index()) {
            way.transit.remove(place);
            if place == 0 {
                way.taken = self.clock.now;
            }
        }
        if let Some(input) = link.input {
            let inputs = &mut self.clock.inputs;
            if inputs.len() <= input as usize {
                inputs.resize(input as usize + 1, Micros::ZERO);
            }
            if let Some(taken) = inputs.get_mut(input as usize) {
                *taken = self.clock.now;
            }
        }
        // The sender may have been waiting for room.
        self.clock.look(link.from, self.clock.now);
    }

    fn purged(&mut self, id: LinkId) {
        self.observer.purged(id);
        if let Some(way) = self.clock.links.get_mut(id.index()) {
            way.transit.clear();
        }
    }

    fn woken(&mut self, actor: ActorId) {
        self.clock.look(actor, self.clock.now);
    }

    fn interrupted(&mut self, id: ActorId) {
        if let Some(actor) = self.clock.actors.get_mut(id.index()) {
            actor.busy = None;
            actor.free_since = self.clock.now;
            actor.occupied = self.clock.now;
        }
        self.clock.look(id, self.clock.now);
    }
}
