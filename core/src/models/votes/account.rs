//! The properties, who is blocked, and whether the run is over.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::Votes;
use super::state::{Standing, State, UnderWay};
use crate::commit::coordinator::CoordinatorState;
use crate::commit::message::Message;
use crate::commit::properties::{self, Knowledge, Property, Standpoint, Status, releasers};
use crate::commit::{Process, Processes};
use crate::id::LinkId;
use crate::mark::Ending;
use crate::scene::votes::{PropertyStatus, PropertyView};

impl Votes {
    fn standpoints(&self, state: &State) -> SmallVec<[Standpoint; 9]> {
        let mut told = Processes::NONE;
        for letter in self.messages(state) {
            if letter.message.decision().is_some() {
                told.insert(letter.to);
            }
        }
        let participants = state.participants.iter().enumerate();
        participants
            .map(|(at, own)| {
                let process = Process::participant(u8::try_from(at).unwrap_or(u8::MAX));
                Standpoint {
                    running: state.is_running(process),
                    knowledge: own.knowledge(),
                    told: told.contains(process),
                }
            })
            .collect()
    }

    /// Who is blocked: see [`properties::blocked`].
    pub fn blocked(&self, state: &State) -> Processes {
        if state.is_running(Process::COORDINATOR) {
            return Processes::NONE;
        }
        properties::blocked(
            false,
            self.options.cooperative_termination,
            &self.standpoints(state),
        )
    }

    /// Whose recovery releases those who are blocked.
    pub(super) fn releasers(&self, state: &State) -> Processes {
        releasers(
            self.options.cooperative_termination,
            &self.standpoints(state),
        )
    }

    /// Who has released a process that was blocked.
    pub(super) fn releaser(&self, state: &State, process: Process) -> Process {
        if state.is_running(Process::COORDINATOR) {
            return Process::COORDINATOR;
        }
        let standpoints = self.standpoints(state);
        let mut others = standpoints.iter().enumerate().filter_map(|(at, it)| {
            let other = Process::participant(u8::try_from(at).ok()?);
            (it.running && it.will_know() && other != process).then_some(other)
        });
        others.next().unwrap_or(process)
    }

    /// What is under way.
    pub fn messages<'a>(&'a self, state: &'a State) -> impl Iterator<Item = UnderWay> + 'a {
        state.wire.iter().map(|flight| {
            let (from, to) = self.ends(LinkId(flight.link.into()));
            UnderWay {
                from,
                to,
                message: flight.message,
            }
        })
    }

    /// Whether no property is broken.
    pub fn is_sound(&self, state: &State) -> bool {
        state.history.is_sound(self.options.all())
    }

    /// The properties of atomic commitment in this state.
    pub(super) fn property_views(&self, state: &State) -> Vec<PropertyView> {
        let all = self.options.all();
        let views = Property::ALL.into_iter().map(|property| {
            let (status, processes) = match state.history.status(property, all) {
                Status::Holds => (PropertyStatus::Holds, Processes::NONE),
                Status::NotYet(processes) => (PropertyStatus::NotYet, processes),
                Status::Broken(breach) => (PropertyStatus::Broken(breach), breach.processes()),
            };
            PropertyView {
                property,
                status,
                nodes: processes.iter().map(Self::node_of).collect(),
            }
        });
        views.collect()
    }

    /// Whether nothing more will happen that makes a difference: everybody has decided and nobody is awaited, or
    /// those who wait, wait for somebody who will not come back by itself.
    pub(super) fn is_over(&self, state: &State) -> bool {
        if state.standing.contains(&Standing::Down)
            || Self::may_begin(state)
            || self.is_forcing_somewhere(state)
            || self.is_somebody_about_to_hear(state)
            || !self.coordinator_is_settled(state)
        {
            return false;
        }
        let blocked = self.blocked(state);
        let participants = (0..).map(Process::participant).zip(&state.participants);
        participants
            .filter(|(process, _)| state.is_running(*process))
            .all(|(process, own)| {
                own.decision().is_some() || own.has_asked_in_vain() && blocked.contains(process)
            })
    }

    fn is_forcing_somewhere(&self, state: &State) -> bool {
        let mut all = self.all();
        all.any(|process| state.is_running(process) && Self::is_forcing(state, process))
    }

    /// Whether a message is on its way, or about to be sent, that makes a difference to somebody. What goes to a
    /// process that is down makes none, nor does the question of one in doubt to another in doubt.
    fn is_somebody_about_to_hear(&self, state: &State) -> bool {
        let counts = |to: Process, message| {
            let own = state.participant(to);
            let knows = own.is_none_or(|own| own.knowledge() != Knowledge::InDoubt);
            state.is_running(to) && (message != Message::DecisionRequest || knows)
        };
        self.messages(state).any(|it| counts(it.to, it.message))
            || self.all().any(|process| {
                let mut letters = Self::letters(state, process).iter();
                letters.any(|letter| counts(letter.to, letter.message))
            })
    }

    /// Whether something is still going on, so that to wait no longer would be too early.
    pub(super) fn is_busy(&self, state: &State) -> bool {
        let mut all = self.all();
        !state.wire.is_empty()
            || Self::may_begin(state)
            || self.is_forcing_somewhere(state)
            || all.any(|process| {
                state.is_running(process) && !Self::letters(state, process).is_empty()
            })
    }

    fn coordinator_is_settled(&self, state: &State) -> bool {
        if !state.is_running(Process::COORDINATOR) {
            return true;
        }
        let coordinator = &state.coordinator;
        match coordinator.state() {
            CoordinatorState::Init => state.begun,
            CoordinatorState::Wait => false,
            CoordinatorState::Commit | CoordinatorState::Abort => coordinator
                .owed()
                .iter()
                .all(|process| !state.is_running(process)),
            CoordinatorState::End => true,
        }
    }

    /// What it means that the run is over: it is done if everybody knows, and nobody waits.
    pub(super) fn ending_of(&self, state: &State) -> Ending {
        let knows = |knowledge| matches!(knowledge, Knowledge::Knows(_));
        let known = state.participants.iter().all(|own| knows(own.knowledge()));
        let waits = matches!(
            state.coordinator.state(),
            CoordinatorState::Wait | CoordinatorState::Commit | CoordinatorState::Abort
        );
        match known && !waits {
            true => Ending::Done,
            false => Ending::Idle,
        }
    }
}
