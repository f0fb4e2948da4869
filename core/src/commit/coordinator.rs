//! The coordinator: asks for votes, decides, and tells the decision until everybody has acknowledged it.

use super::log::{Log, Record};
use super::message::{Letter, Message, Outbox};
#[cfg(test)]
use super::options::Flaw;
use super::options::{Options, Presumed};
use super::{Decision, Process, Processes};

/// Where the coordinator is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub enum CoordinatorState {
    /// It knows of no transaction: none has begun, or it has no record of it.
    #[default]
    Init,
    /// It waits for votes.
    Wait,
    /// It has decided commit.
    Commit,
    /// It has decided abort.
    Abort,
    /// Nobody needs it any more.
    End,
}

/// The coordinator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Coordinator {
    state: CoordinatorState,
    log: Log,
    outbox: Outbox,
    /// Whether it waits for its log to be forced.
    forcing: bool,
    /// Who has voted commit.
    voted: Processes,
    /// Who has voted abort: they need not be told.
    refused: Processes,
    /// Who has not acknowledged the decision yet.
    owed: Processes,
}

impl Coordinator {
    /// Where it is.
    pub fn state(&self) -> CoordinatorState {
        self.state
    }

    /// Its log.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// What it has to send.
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// Whether it waits for its log to be forced: until then it does nothing else.
    pub fn is_forcing(&self) -> bool {
        self.forcing
    }

    /// Who has voted commit.
    pub fn voted(&self) -> Processes {
        self.voted
    }

    /// Who has voted abort.
    pub fn refused(&self) -> Processes {
        self.refused
    }

    /// Who has not acknowledged the decision yet.
    pub fn owed(&self) -> Processes {
        self.owed
    }

    /// What it has decided; also what it would answer, after it has forgotten.
    pub fn decision(&self) -> Option<Decision> {
        match self.state {
            CoordinatorState::Init | CoordinatorState::Wait => None,
            CoordinatorState::Commit => Some(Decision::Commit),
            CoordinatorState::Abort => Some(Decision::Abort),
            // With presumed abort the record of an abort may be missing.
            CoordinatorState::End => Some(self.log.decision().unwrap_or(Decision::Abort)),
        }
    }

    /// The transaction is to be committed: everybody is asked to vote. False if it knows of one already.
    pub fn begin(&mut self, options: &Options) -> bool {
        if self.state != CoordinatorState::Init || self.forcing || !self.log.records().is_empty() {
            return false;
        }
        if options.presumed == Presumed::Nothing {
            self.log.write(Record::Start2Pc);
        }
        self.state = CoordinatorState::Wait;
        for participant in options.all().iter() {
            self.outbox.put(participant, Message::VoteRequest);
        }
        true
    }

    /// A message has come. False if it makes no difference; and while a force is awaited: it has to wait.
    pub fn receive(&mut self, from: Process, message: Message, options: &Options) -> bool {
        use CoordinatorState::{Abort, Commit, Wait};
        if self.forcing {
            return false;
        }
        match (self.state, message) {
            (Wait, Message::VoteCommit) => {
                self.voted.insert(from);
                if self.has_all_votes(options) {
                    self.decide(Decision::Commit, options);
                }
            }
            (Wait, Message::VoteAbort) => {
                self.refused.insert(from);
                self.decide(Decision::Abort, options);
            }
            (Commit | Abort, Message::Ack) => {
                self.owed.remove(from);
                self.settle(options);
            }
            (_, Message::DecisionRequest) => return self.answer(from, options),
            _ => return false,
        }
        true
    }

    fn has_all_votes(&self, options: &Options) -> bool {
        #[cfg(test)]
        if options.has(Flaw::CommitsEarly) {
            return self.voted.len() + 1 >= u32::from(options.participants);
        }
        self.voted == options.all()
    }

    /// Answers whoever is in doubt. While votes are missing there is nothing to say.
    fn answer(&mut self, from: Process, options: &Options) -> bool {
        match (self.decision(), self.state) {
            (Some(decision), _) => self.outbox.put(from, decision.into()),
            // Whatever was before, a commit would be on record, since it is forced before anybody is told.
            (None, CoordinatorState::Init) => match options.presumed {
                Presumed::Abort => self.outbox.put(from, Message::GlobalAbort),
                Presumed::Nothing => self.decide(Decision::Abort, options),
            },
            (None, _) => return false,
        }
        true
    }

    fn decide(&mut self, decision: Decision, options: &Options) {
        #[cfg(test)]
        let decision = match options.has(Flaw::NeverCommits) {
            true => Decision::Abort,
            false => decision,
        };
        self.log.write(match decision {
            Decision::Commit => Record::GlobalCommit,
            Decision::Abort => Record::GlobalAbort,
        });
        self.outbox.drop_all(Message::VoteRequest);
        let told = options.all().without(self.refused);
        for participant in told.iter() {
            self.outbox.put(participant, decision.into());
        }
        if options.acknowledges(decision) {
            self.owed = told;
        }
        self.forcing = options.forces(decision);
        #[cfg(test)]
        if options.has(Flaw::CommitNotForced) {
            self.forcing = false;
        }
        if !self.forcing {
            self.reach(decision, options);
        }
    }

    fn reach(&mut self, decision: Decision, options: &Options) {
        self.state = match decision {
            Decision::Commit => CoordinatorState::Commit,
            Decision::Abort => CoordinatorState::Abort,
        };
        self.settle(options);
    }

    /// Ends when everybody has acknowledged; a decision that nobody acknowledges, when everybody was told.
    fn settle(&mut self, options: &Options) {
        let decision = match self.state {
            CoordinatorState::Commit => Decision::Commit,
            CoordinatorState::Abort => Decision::Abort,
            _ => return,
        };
        if options.acknowledges(decision) {
            if self.owed.is_empty() {
                self.outbox.drop_all(decision.into());
                self.log.write(Record::End);
                self.state = CoordinatorState::End;
            }
        } else if self.outbox.is_empty() {
            self.state = CoordinatorState::End;
        }
    }

    /// The log has come to disk; returns how many records that were.
    pub fn force(&mut self, options: &Options) -> usize {
        let records = self.log.force();
        if self.forcing {
            self.forcing = false;
            if let Some(decision) = self.log.decision() {
                self.reach(decision, options);
            }
        }
        records
    }

    /// A message has been sent. False if there was no such message.
    pub fn sent(&mut self, letter: Letter, options: &Options) -> bool {
        let sent = self.outbox.take(letter);
        if sent {
            self.settle(options);
        }
        sent
    }

    /// Whether it waits for something that may not come.
    pub fn may_time_out(&self) -> bool {
        !self.forcing
            && self.outbox.is_empty()
            && match self.state {
                CoordinatorState::Wait => true,
                CoordinatorState::Commit | CoordinatorState::Abort => !self.owed.is_empty(),
                CoordinatorState::Init | CoordinatorState::End => false,
            }
    }

    /// It has waited long enough: for votes, and decides abort; for acknowledgements, and tells the decision once
    /// more. False if it waits for nothing.
    pub fn time_out(&mut self, options: &Options) -> bool {
        if !self.may_time_out() {
            return false;
        }
        match self.decision() {
            None => self.decide(Decision::Abort, options),
            Some(decision) => self.tell(decision),
        }
        true
    }

    fn tell(&mut self, decision: Decision) {
        for participant in self.owed.iter() {
            self.outbox.put(participant, decision.into());
        }
    }

    /// Everything but what is forced is lost; returns how many log records that were.
    pub fn crash(&mut self) -> usize {
        let lost = self.log.crash();
        *self = Self {
            log: core::mem::take(&mut self.log),
            ..Self::default()
        };
        lost
    }

    /// It is back, and reads its log. What it had begun without a decision it aborts; a decision that was not
    /// acknowledged by all is told again; without a record it knows of no transaction.
    pub fn recover(&mut self, options: &Options) {
        match self.log.decision() {
            Some(decision) if !options.acknowledges(decision) || self.log.contains(Record::End) => {
                self.state = CoordinatorState::End;
            }
            Some(decision) => {
                self.owed = options.all();
                self.tell(decision);
                self.reach(decision, options);
            }
            None if self.log.contains(Record::Start2Pc) => self.decide(Decision::Abort, options),
            None => {}
        }
    }
}
