//! From a scenario to a model.

use alloc::vec::Vec;

use smallvec::{SmallVec, smallvec};

use super::action::Action;
use super::state::{Standing, State};
use super::{MessageFault, MomentFault, Passage, Strike, Votes};
use crate::clock::Pace;
use crate::commit::coordinator::Coordinator;
use crate::commit::participant::Participant;
use crate::commit::properties::History;
use crate::scenario;
use crate::scenario::ScenarioError;
use crate::scenario::votes::{VotesBreakage, VotesMessageFault, When};
use crate::time::Micros;

impl Votes {
    /// The model of a scenario.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field that makes no sense, and why.
    pub fn new(scenario: scenario::Votes) -> Result<Self, ScenarioError> {
        scenario.check()?;
        let messages = scenario.faults.messages.iter();
        let messages = messages.filter_map(|fault| message_fault(&scenario, fault));
        let moments = scenario.faults.schedule.iter().filter_map(|fault| {
            let When::After(moment) = &fault.when else {
                return None;
            };
            let process = scenario.process(fault.what.name())?;
            let by = match &moment.by {
                Some(by) => scenario.process(by)?,
                None => process,
            };
            Some(MomentFault {
                by,
                deed: moment.done,
                number: moment.number,
                process,
                what: match fault.what {
                    VotesBreakage::Crash(_) => Strike::Crash,
                    VotesBreakage::Stop(_) => Strike::Stop,
                    VotesBreakage::Recover(_) => Strike::Recover,
                },
            })
        });
        Ok(Self {
            options: scenario.options(),
            votes: scenario.participants.iter().map(|it| it.vote).collect(),
            messages: messages.collect(),
            moments: moments.collect(),
            scenario,
        })
    }

    /// How the Clock runs it: with the seed, the jitter and the faults of the scenario.
    pub fn pace(&self) -> Pace<Action> {
        let faults = self.scenario.faults.schedule.iter().filter_map(|fault| {
            let When::At(at) = fault.when else {
                return None;
            };
            let process = self.scenario.process(fault.what.name())?;
            let action = match fault.what {
                VotesBreakage::Crash(_) => Action::Crash(process),
                VotesBreakage::Stop(_) => Action::Stop(process),
                VotesBreakage::Recover(_) => Action::Recover(process),
            };
            Some((Micros::from(at), action))
        });
        Pace {
            seed: self.scenario.seed,
            jitter_percent: self.scenario.costs.jitter_percent,
            faults: faults.collect::<Vec<_>>(),
            until: self.scenario.until_ms.map(Micros::from),
        }
    }

    pub(super) fn start_state(&self) -> State {
        let participants = usize::from(self.options.participants);
        State {
            coordinator: Coordinator::default(),
            participants: smallvec![Participant::default(); participants],
            standing: smallvec![Standing::Running; participants + 1],
            wire: SmallVec::new(),
            begun: false,
            history: History::default(),
            counted: smallvec![0; self.messages.len() + self.moments.len()],
            crashes: 0,
            losses: 0,
            duplicates: 0,
            early: 0,
        }
    }
}

fn message_fault(scenario: &scenario::Votes, fault: &VotesMessageFault) -> Option<MessageFault> {
    let from = match &fault.from {
        Some(from) => Some(scenario.process(from)?),
        None => None,
    };
    Some(MessageFault {
        message: fault.message,
        to: scenario.process(&fault.to)?,
        from,
        first: fault.number,
        count: fault.count,
        what: match (fault.delay_ms, fault.duplicate) {
            (Some(delay), _) => Passage::Late(delay),
            (None, true) => Passage::Twice,
            (None, false) => Passage::Lost,
        },
    })
}
