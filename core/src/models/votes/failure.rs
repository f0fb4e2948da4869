//! Crash, recovery, and faults at moments of the protocol.

use super::state::{Standing, State};
use super::steps::Deeds;
use super::{Strike, Votes};
use crate::commit::Process;
use crate::event::{Event, VotesEvent};
use crate::protocol::Observer;

impl Votes {
    pub(super) fn may_crash(&self, state: &State, process: Process) -> bool {
        state.crashes < self.scenario.faults.max_crashes && state.is_running(process)
    }

    pub(super) fn may_recover(state: &State, process: Process) -> bool {
        matches!(
            state.standing_of(process),
            Some(Standing::Down | Standing::Stopped)
        )
    }

    fn set_standing(state: &mut State, process: Process, standing: Standing) {
        if let Some(known) = state.standing.get_mut(usize::from(process.0)) {
            *known = standing;
        }
    }

    /// A process dies: what is in its memory is lost, what is in its log and forced is not.
    pub(super) fn go_down(
        &self,
        state: &mut State,
        process: Process,
        strike: Strike,
        observer: &mut impl Observer,
    ) -> bool {
        if !self.may_crash(state, process) {
            return false;
        }
        state.crashes = state.crashes.saturating_add(1);
        state.history.note_failure();
        let lost = match state.participant_mut(process) {
            Some(own) => own.crash(),
            None => state.coordinator.crash(),
        };
        let stays = strike == Strike::Stop;
        let standing = if stays {
            Standing::Stopped
        } else {
            Standing::Down
        };
        Self::set_standing(state, process, standing);
        observer.event(Event::Votes(VotesEvent::Crashed {
            node: Self::node_of(process),
            lost: u32::try_from(lost).unwrap_or(u32::MAX),
            stays,
        }));
        observer.interrupted(Self::actor_of(process));
        observer.woken(self.environment());
        true
    }

    /// A process is back, and reads its log.
    pub(super) fn recover(
        &self,
        state: &mut State,
        process: Process,
        deeds: &mut Deeds,
        observer: &mut impl Observer,
    ) -> bool {
        if !Self::may_recover(state, process) {
            return false;
        }
        Self::set_standing(state, process, Standing::Running);
        let last = Self::log_of(state, process).and_then(|log| log.records().last());
        observer.event(Event::Votes(VotesEvent::Recovered {
            node: Self::node_of(process),
            last: last.copied(),
        }));
        let seat = self.seat(process);
        let before = Self::before(state, process).as_logged(Self::log_of(state, process));
        match state.participant_mut(process) {
            Some(own) => own.recover(&seat, &self.options),
            None => state.coordinator.recover(&self.options),
        }
        self.changed(state, process, before, deeds, observer);
        observer.woken(Self::actor_of(process));
        true
    }

    /// What the scenario lets happen right after what was just done.
    pub(super) fn strike(&self, state: &mut State, deeds: Deeds, observer: &mut impl Observer) {
        if self.moments.is_empty() {
            return;
        }
        let mut deeds = deeds;
        // A process that comes back does something itself. Each fault happens once, so that this ends.
        while !deeds.is_empty() {
            let mut later = Deeds::new();
            for (by, deed) in deeds {
                self.follow(state, (by, deed), &mut later, observer);
            }
            deeds = later;
        }
    }

    fn follow(
        &self,
        state: &mut State,
        done: (Process, crate::scenario::votes::Deed),
        later: &mut Deeds,
        observer: &mut impl Observer,
    ) {
        for (at, fault) in self.moments.iter().enumerate() {
            if (fault.by, fault.deed) != done {
                continue;
            }
            let Some(counted) = state.counted.get_mut(self.messages.len() + at) else {
                continue;
            };
            let before = *counted;
            *counted = before.saturating_add(1).min(fault.number);
            if before < fault.number && *counted == fault.number {
                match fault.what {
                    Strike::Crash | Strike::Stop => {
                        self.go_down(state, fault.process, fault.what, observer)
                    }
                    Strike::Recover => self.recover(state, fault.process, later, observer),
                };
            }
        }
    }
}
