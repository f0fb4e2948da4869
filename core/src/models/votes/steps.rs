//! What each action does, and what is told of it.

use smallvec::SmallVec;

use super::action::Action;
use super::state::State;
use super::{Of, Strike, Votes};
use crate::commit::coordinator::CoordinatorState;
use crate::commit::log::{Log, Record};
use crate::commit::message::{Letter, Message};
use crate::commit::participant::ParticipantState;
use crate::commit::properties::{History, Property};
use crate::commit::{Decision, Process, Processes, Vote};
use crate::event::{Awaited, Event, VotesEvent};
use crate::id::LinkId;
use crate::protocol::{Disabled, Observer};
use crate::scenario::votes::Deed;

/// What was done in a step, as far as faults may follow on it.
pub(super) type Deeds = SmallVec<[(Process, Deed); 4]>;

/// What is looked at before a step, to tell what it has changed.
#[derive(Clone, Copy)]
pub(super) struct Before {
    records: usize,
    decision: Option<Decision>,
    ready: bool,
    ended: bool,
}

impl Before {
    /// What is in the log of a process that comes back is no news.
    pub(super) fn as_logged(self, log: Option<&Log>) -> Self {
        let Some(log) = log else {
            return self;
        };
        Self {
            decision: log.decision(),
            ready: log.contains(Record::VoteCommit),
            ended: log.contains(Record::End),
            ..self
        }
    }
}

impl Votes {
    pub(super) fn step(
        &self,
        state: &mut State,
        action: Action,
        observer: &mut impl Observer,
    ) -> Result<(), Disabled> {
        let blocked = self.blocked(state);
        let history = state.history;
        let mut deeds = Deeds::new();
        let done = match action {
            Action::Begin => self.begin(state, &mut deeds, observer),
            Action::Force(process) => self.force(state, process, &mut deeds, observer),
            Action::Send(process, letter) => {
                self.send(state, process, letter, &mut deeds, observer)
            }
            Action::Receive(link, place) => self.receive(state, link, place, &mut deeds, observer),
            Action::TimeOut(process) => self.time_out(state, process, &mut deeds, observer),
            Action::Recover(process) => self.recover(state, process, &mut deeds, observer),
            Action::Crash(process) => self.go_down(state, process, Strike::Crash, observer),
            Action::Stop(process) => self.go_down(state, process, Strike::Stop, observer),
            Action::Lose(link, place) => self.lose(state, link, place, observer),
            Action::Duplicate(link, place) => self.duplicate(state, link, place, observer),
        };
        if !done {
            return Err(Disabled);
        }
        self.strike(state, deeds, observer);
        self.tell_blocked(state, blocked, observer);
        self.tell_broken(state, &history, observer);
        Ok(())
    }

    pub(super) fn before(state: &State, process: Process) -> Before {
        let records = Self::log_of(state, process).map_or(0, |log| log.records().len());
        let own = state.participant(process);
        Before {
            records,
            decision: match own {
                Some(own) => own.decision(),
                None => state.coordinator.decision(),
            },
            ready: own.is_some_and(|own| own.state() == ParticipantState::Ready),
            ended: own.is_none() && state.coordinator.state() == CoordinatorState::End,
        }
    }

    /// Tells what a step has changed in a process, and remembers what it has voted and decided.
    pub(super) fn changed(
        &self,
        state: &mut State,
        process: Process,
        before: Before,
        deeds: &mut Deeds,
        observer: &mut impl Observer,
    ) {
        let node = Self::node_of(process);
        let forced = Self::is_forcing(state, process);
        let records = Self::log_of(state, process).map_or(&[][..], |log| log.records());
        let refused = records.contains(&Record::VoteAbort);
        for record in records.get(before.records..).unwrap_or_default() {
            deeds.push((process, Deed::Written(*record)));
            let record = *record;
            tell(
                observer,
                VotesEvent::Written {
                    node,
                    record,
                    forced,
                },
            );
        }
        let after = Self::before(state, process);
        if after.ready && !before.ready {
            let vote = Vote::Commit;
            observer.fired(Self::timer(process, Of::Doubt));
            tell(observer, VotesEvent::Voted { node, vote });
        }
        if let (Some(decision), None) = (after.decision, before.decision) {
            if refused {
                let vote = Vote::Abort;
                tell(observer, VotesEvent::Voted { node, vote });
            }
            tell(observer, VotesEvent::Decided { node, decision });
        }
        if after.ended && !before.ended {
            tell(observer, VotesEvent::Ended { coordinator: node });
        }
        let own = process.number().and_then(|at| state.participants.get(at));
        match own {
            Some(own) => state.history.note_participant(process, own),
            None => state.history.note_coordinator(&state.coordinator),
        }
    }

    fn begin(&self, state: &mut State, deeds: &mut Deeds, observer: &mut impl Observer) -> bool {
        if !Self::may_begin(state) {
            return false;
        }
        let before = Self::before(state, Process::COORDINATOR);
        state.begun = state.coordinator.begin(&self.options);
        observer.event(Event::Votes(VotesEvent::Begun {
            coordinator: Self::node_of(Process::COORDINATOR),
        }));
        self.changed(state, Process::COORDINATOR, before, deeds, observer);
        true
    }

    fn force(
        &self,
        state: &mut State,
        process: Process,
        deeds: &mut Deeds,
        observer: &mut impl Observer,
    ) -> bool {
        if !Self::may_force(state, process) {
            return false;
        }
        let before = Self::before(state, process);
        let awaited = Self::is_forcing(state, process);
        if let Some(log) = Self::log_of(state, process) {
            let records = log.records().get(log.forced()..).unwrap_or_default();
            deeds.extend(records.iter().map(|it| (process, Deed::Forced(*it))));
        }
        let records = match state.participant_mut(process) {
            Some(own) => own.force(),
            None => state.coordinator.force(&self.options),
        };
        observer.event(Event::Votes(VotesEvent::Forced {
            node: Self::node_of(process),
            records: u32::try_from(records).unwrap_or(u32::MAX),
            awaited,
        }));
        self.changed(state, process, before, deeds, observer);
        true
    }

    fn send(
        &self,
        state: &mut State,
        process: Process,
        letter: Letter,
        deeds: &mut Deeds,
        observer: &mut impl Observer,
    ) -> bool {
        let may = state.is_running(process)
            && !Self::is_forcing(state, process)
            && Self::letters(state, process).contains(&letter)
            && self.may_send(state, process, letter);
        if !may {
            return false;
        }
        let before = Self::before(state, process);
        match state.participant_mut(process) {
            Some(own) => own.sent(letter),
            None => state.coordinator.sent(letter, &self.options),
        };
        self.post(state, process, letter, observer);
        deeds.push((process, Deed::Sent(letter.message)));
        self.changed(state, process, before, deeds, observer);
        true
    }

    fn receive(
        &self,
        state: &mut State,
        link: LinkId,
        place: u16,
        deeds: &mut Deeds,
        observer: &mut impl Observer,
    ) -> bool {
        let (from, to) = self.ends(link);
        let running = state.is_running(to);
        if running && Self::is_forcing(state, to) {
            return false;
        }
        let Some(message) = Self::take(state, link, place, observer) else {
            return false;
        };
        let (node, sender) = (Self::node_of(to), Self::node_of(from));
        if !running {
            observer.event(Event::Votes(VotesEvent::Missed {
                node,
                from: sender,
                message,
            }));
            return true;
        }
        let before = Self::before(state, to);
        let seat = self.seat(to);
        let counts = match state.participant_mut(to) {
            Some(own) => own.receive(from, message, &seat, &self.options),
            None => state.coordinator.receive(from, message, &self.options),
        };
        observer.event(Event::Votes(match (counts, message) {
            (true, _) => VotesEvent::Received {
                node,
                from: sender,
                message,
            },
            (false, Message::DecisionRequest) => VotesEvent::Unanswered { node, from: sender },
            (false, _) => VotesEvent::Ignored {
                node,
                from: sender,
                message,
            },
        }));
        deeds.push((to, Deed::Received(message)));
        self.changed(state, to, before, deeds, observer);
        true
    }

    /// What a process waits for.
    pub(super) fn awaited(state: &State, process: Process) -> Awaited {
        match state.participant(process) {
            Some(own) if own.state() == ParticipantState::Init => Awaited::VoteRequest,
            Some(_) => Awaited::Decision,
            None if state.coordinator.state() == CoordinatorState::Wait => Awaited::Votes,
            None => Awaited::Acknowledgements,
        }
    }

    fn time_out(
        &self,
        state: &mut State,
        process: Process,
        deeds: &mut Deeds,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_time_out(state, process) {
            return false;
        }
        if self.scenario.faults.max_early_timeouts.is_some() && self.is_busy(state) {
            state.early = state.early.saturating_add(1);
        }
        let before = Self::before(state, process);
        if before.decision.is_none() {
            state.history.note_failure();
        }
        observer.event(Event::Votes(VotesEvent::TimedOut {
            node: Self::node_of(process),
            awaited: Self::awaited(state, process),
        }));
        let seat = self.seat(process);
        match state.participant_mut(process) {
            Some(own) => own.time_out(&seat, &self.options),
            None => state.coordinator.time_out(&self.options),
        };
        self.changed(state, process, before, deeds, observer);
        true
    }

    /// Tells who is blocked since this step, and who no longer is.
    fn tell_blocked(&self, state: &State, before: Processes, observer: &mut impl Observer) {
        let after = self.blocked(state);
        if before == after {
            return;
        }
        for process in after.without(before).iter() {
            let node = Self::node_of(process);
            observer.fired(Self::timer(process, Of::Blocked));
            observer.event(Event::Votes(VotesEvent::Blocked { node }));
        }
        // Who has crashed is not released.
        let released = before.without(after).iter();
        for process in released.filter(|process| state.is_running(*process)) {
            observer.event(Event::Votes(VotesEvent::Released {
                node: Self::node_of(process),
                by: Self::node_of(self.releaser(state, process)),
            }));
        }
    }

    /// Tells which properties are broken since this step.
    fn tell_broken(&self, state: &State, before: &History, observer: &mut impl Observer) {
        let all = self.options.all();
        if state.history == *before || state.history.is_sound(all) {
            return;
        }
        for property in Property::ALL {
            let breach = state.history.breach(property, all);
            if let (Some(breach), None) = (breach, before.breach(property, all)) {
                let node = Self::node_of(breach.process());
                observer.event(Event::Votes(VotesEvent::PropertyBroken { property, node }));
            }
        }
    }
}

fn tell(observer: &mut impl Observer, event: VotesEvent) {
    observer.event(Event::Votes(event));
}
