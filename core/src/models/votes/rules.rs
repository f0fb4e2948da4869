//! What may happen when.

use alloc::vec::Vec;

use super::action::Action;
use super::state::{Standing, State};
use super::{Of, Votes};
use crate::commit::coordinator::CoordinatorState;
use crate::commit::message::Letter;
use crate::commit::participant::ParticipantState;
use crate::commit::{Process, log};
use crate::id::{ActorId, LinkId};
use crate::protocol::{Disabled, Link, Observer, Protocol, Taking, Timing};
use crate::time::Micros;

impl Protocol for Votes {
    type State = State;
    type Action = Action;

    fn initial(&self) -> State {
        self.start_state()
    }

    fn actors(&self) -> usize {
        self.environment().index() + 1
    }

    fn links(&self) -> usize {
        let count = usize::from(self.processes());
        count * count * 2
    }

    fn link(&self, link: LinkId) -> Link {
        let (from, to) = self.ends(link);
        Link {
            from: Self::actor_of(from),
            to: Self::actor_of(to),
            input: None,
            delay: self.scenario.costs.network_ms,
        }
    }

    fn enabled(&self, state: &State, actor: ActorId, into: &mut Vec<Action>) {
        if actor == self.environment() {
            self.environment_may(state, into);
        } else if actor < self.environment() {
            self.process_may(state, Process(actor.0 as u8), into);
        }
    }

    fn actor(&self, action: Action) -> ActorId {
        match action {
            Action::Begin => Self::actor_of(Process::COORDINATOR),
            Action::Force(process) | Action::Send(process, _) | Action::TimeOut(process) => {
                Self::actor_of(process)
            }
            Action::Receive(link, _) => self.link(link).to,
            Action::Recover(_)
            | Action::Crash(_)
            | Action::Stop(_)
            | Action::Lose(..)
            | Action::Duplicate(..) => self.environment(),
        }
    }

    fn takes(&self, _state: &State, action: Action) -> Option<Taking> {
        match action {
            Action::Receive(link, place) => Some(Taking {
                link,
                place: usize::from(place),
            }),
            _ => None,
        }
    }

    fn timing(&self, state: &State, action: Action) -> Timing {
        let costs = &self.scenario.costs;
        match action {
            Action::Begin | Action::Receive(..) => Timing::Work(Micros::ZERO),
            Action::Send(..) => Timing::Work(costs.send_ms),
            Action::Force(process) => match Self::is_forcing(state, process) {
                true => Timing::Work(costs.force_ms),
                false => Timing::Delay(Self::timer(process, Of::Flush), costs.flush_ms.into()),
            },
            Action::TimeOut(process) => {
                let votes = match state.participant(process) {
                    Some(own) => own.state() == ParticipantState::Init,
                    None => state.coordinator.state() == CoordinatorState::Wait,
                };
                let of = if votes { Of::Vote } else { Of::Decision };
                Timing::Delay(Self::timer(process, of), costs.timeout_ms.into())
            }
            Action::Recover(process) => match state.standing_of(process) {
                Some(Standing::Down) => {
                    let timer = Self::timer(process, Of::Restart);
                    Timing::Delay(timer, costs.restart_ms.into())
                }
                _ => Timing::Never,
            },
            Action::Crash(_) | Action::Stop(_) | Action::Lose(..) | Action::Duplicate(..) => {
                Timing::Never
            }
        }
    }

    fn apply(
        &self,
        state: &mut State,
        action: Action,
        observer: &mut impl Observer,
    ) -> Result<(), Disabled> {
        self.step(state, action, observer)
    }

    fn canonical(&self, state: &State) -> State {
        self.representative(state)
    }

    /// Recovery is none: failures are repaired.
    fn is_fault(&self, _state: &State, action: Action) -> bool {
        matches!(
            action,
            Action::Crash(_) | Action::Stop(_) | Action::Lose(..) | Action::Duplicate(..)
        )
    }

    fn is_done(&self, state: &State) -> bool {
        self.is_over(state)
    }
}

impl Votes {
    pub(super) fn is_forcing(state: &State, process: Process) -> bool {
        match state.participant(process) {
            Some(own) => own.is_forcing(),
            None => process.is_coordinator() && state.coordinator.is_forcing(),
        }
    }

    pub(super) fn log_of(state: &State, process: Process) -> Option<&log::Log> {
        match process.is_coordinator() {
            true => Some(state.coordinator.log()),
            false => Some(state.participant(process)?.log()),
        }
    }

    pub(super) fn letters(state: &State, process: Process) -> &[Letter] {
        match state.participant(process) {
            Some(own) => own.outbox().letters(),
            None if process.is_coordinator() => state.coordinator.outbox().letters(),
            None => &[],
        }
    }

    pub(super) fn may_begin(state: &State) -> bool {
        let coordinator = &state.coordinator;
        !state.begun
            && state.is_running(Process::COORDINATOR)
            && coordinator.state() == CoordinatorState::Init
            && coordinator.log().records().is_empty()
            && !coordinator.is_forcing()
    }

    pub(super) fn may_force(state: &State, process: Process) -> bool {
        state.is_running(process) && Self::log_of(state, process).is_some_and(|it| !it.is_forced())
    }

    pub(super) fn may_time_out(&self, state: &State, process: Process) -> bool {
        let early = self.scenario.faults.max_early_timeouts;
        state.is_running(process)
            && early.is_none_or(|most| state.early < most || !self.is_busy(state))
            && match state.participant(process) {
                Some(own) => own.may_time_out(),
                None => process.is_coordinator() && state.coordinator.may_time_out(),
            }
    }

    /// What a process may do. One that waits for its log to be forced does nothing else; one that is down does
    /// nothing, and what comes to it is lost.
    fn process_may(&self, state: &State, process: Process, into: &mut Vec<Action>) {
        let running = state.is_running(process);
        let forcing = running && Self::is_forcing(state, process);
        if Self::may_force(state, process) {
            into.push(Action::Force(process));
        }
        if running && !forcing {
            if process.is_coordinator() && Self::may_begin(state) {
                into.push(Action::Begin);
            }
            for letter in Self::letters(state, process) {
                if self.may_send(state, process, *letter) {
                    into.push(Action::Send(process, *letter));
                }
            }
            if self.may_time_out(state, process) {
                into.push(Action::TimeOut(process));
            }
        }
        if !forcing {
            for (link, place, _) in self.takable(state) {
                if self.ends(link).1 == process {
                    into.push(Action::Receive(link, place));
                }
            }
        }
    }

    fn environment_may(&self, state: &State, into: &mut Vec<Action>) {
        for process in self.all() {
            if Self::may_recover(state, process) {
                into.push(Action::Recover(process));
            }
        }
        for process in self.all() {
            if self.may_crash(state, process) {
                into.push(Action::Crash(process));
                into.push(Action::Stop(process));
            }
        }
        for (link, place, _) in self.takable(state) {
            if self.may_lose(state, link, place) {
                into.push(Action::Lose(link, place));
            }
            if self.may_duplicate(state, link, place) {
                into.push(Action::Duplicate(link, place));
            }
        }
    }
}
