//! What is not enabled though it belongs there, and why.

use alloc::vec::Vec;

use super::state::{Standing, State};
use super::{Process, Votes};
use crate::commit::coordinator::CoordinatorState;
use crate::commit::participant::ParticipantState;
use crate::commit::{Decision, Processes};
use crate::id::NodeId;
use crate::scene::{Deed, Why, Withheld};

impl Votes {
    /// Process by process, the coordinator first.
    pub(super) fn withheld_in(&self, state: &State) -> Vec<Withheld> {
        let mut all = Vec::new();
        self.withheld_at_coordinator(state, &mut all);
        for process in self.all() {
            if let Some(own) = state.participant(process)
                && own.state() == ParticipantState::Ready
            {
                all.push(Withheld {
                    node: Self::node_of(process),
                    what: Deed::Learn,
                    why: self.why_in_doubt(state, process),
                });
            }
        }
        for process in self.all() {
            self.withheld_in_outbox(state, process, &mut all);
        }
        all
    }

    fn withheld_at_coordinator(&self, state: &State, into: &mut Vec<Withheld>) {
        let own = &state.coordinator;
        let (what, awaited) = match own.state() {
            CoordinatorState::Wait => {
                let missing = self.options.all().iter();
                let missing = missing.filter(|it| !own.voted().contains(*it));
                (Deed::Decide(Decision::Commit), nodes(missing))
            }
            CoordinatorState::Commit | CoordinatorState::Abort => {
                (Deed::Forget, nodes(own.owed().iter()))
            }
            CoordinatorState::Init | CoordinatorState::End => return,
        };
        let why = match what {
            _ if !state.is_running(Process::COORDINATOR) => Why::Down,
            _ if own.is_forcing() => Why::Log,
            Deed::Forget => Why::Acknowledgements(awaited),
            _ => Why::Votes(awaited),
        };
        into.push(Withheld {
            node: Self::node_of(Process::COORDINATOR),
            what,
            why,
        });
    }

    /// A participant that has voted commit may do nothing by itself.
    fn why_in_doubt(&self, state: &State, process: Process) -> Why {
        if !state.is_running(process) {
            return Why::Down;
        }
        let blocked = self.blocked(state).contains(process);
        let by = match blocked {
            true => self.releasers(state),
            false => Processes::NONE,
        };
        let coordinator = [Process::COORDINATOR].into_iter();
        Why::Decision(match by == Processes::NONE {
            true => nodes(coordinator),
            false => nodes(by.iter()),
        })
    }

    fn withheld_in_outbox(&self, state: &State, process: Process, into: &mut Vec<Withheld>) {
        for letter in Self::letters(state, process) {
            let why = match state.standing_of(process) {
                Some(Standing::Running) if Self::is_forcing(state, process) => Why::Log,
                Some(Standing::Running) if !self.may_send(state, process, *letter) => {
                    Why::SameMessage
                }
                Some(Standing::Running) => continue,
                _ => Why::Down,
            };
            into.push(Withheld {
                node: Self::node_of(process),
                what: Deed::SendMessage {
                    to: Self::node_of(letter.to),
                    message: letter.message,
                },
                why,
            });
        }
    }
}

fn nodes(processes: impl Iterator<Item = Process>) -> Vec<NodeId> {
    processes.map(Votes::node_of).collect()
}
