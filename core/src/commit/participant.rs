//! A participant: votes, is in doubt until it hears the decision, and carries it out.

use super::log::{Log, Record};
use super::message::{Letter, Message, Outbox};
#[cfg(test)]
use super::options::Flaw;
use super::options::Options;
use super::properties::Knowledge;
use super::{Decision, Process, Vote};

/// Where a participant is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub enum ParticipantState {
    /// It has not voted, and may still abort by itself.
    #[default]
    Init,
    /// It has voted commit, and may do nothing by itself: it is in doubt.
    Ready,
    /// It has committed.
    Commit,
    /// It has aborted.
    Abort,
}

/// Who a participant is, and how it will vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seat {
    /// Who it is.
    pub process: Process,
    /// How it will vote when it is asked.
    pub vote: Vote,
}

/// A participant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Participant {
    state: ParticipantState,
    log: Log,
    outbox: Outbox,
    /// Whether it waits for its log to be forced.
    forcing: bool,
    /// How often it has asked for the decision since it is in doubt, or is back; from the second time on alike.
    asked: u8,
}

impl Participant {
    /// Where it is.
    pub fn state(&self) -> ParticipantState {
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

    /// Whether it has asked for the decision in vain, and asks again.
    pub fn has_asked_in_vain(&self) -> bool {
        self.asked > 1
    }

    /// What it has decided.
    pub fn decision(&self) -> Option<Decision> {
        match self.state {
            ParticipantState::Init | ParticipantState::Ready => None,
            ParticipantState::Commit => Some(Decision::Commit),
            ParticipantState::Abort => Some(Decision::Abort),
        }
    }

    /// What it knows of the decision, or will know once it is back.
    pub fn knowledge(&self) -> Knowledge {
        match (self.decision().or(self.log.decision()), self.state) {
            (Some(decision), _) => Knowledge::Knows(decision),
            (None, ParticipantState::Ready) => Knowledge::InDoubt,
            (None, _) if self.log.has_forced(Record::VoteCommit) => Knowledge::InDoubt,
            (None, _) if self.log.contains(Record::VoteCommit) => Knowledge::Voting,
            (None, _) => Knowledge::Free,
        }
    }

    /// A message has come. False if it makes no difference; and while a force is awaited: it has to wait.
    pub fn receive(
        &mut self,
        from: Process,
        message: Message,
        seat: &Seat,
        options: &Options,
    ) -> bool {
        if self.forcing {
            return false;
        }
        match message {
            Message::VoteRequest => self.vote(seat, options),
            Message::GlobalCommit => self.learn(Decision::Commit, from, options),
            Message::GlobalAbort => self.learn(Decision::Abort, from, options),
            Message::DecisionRequest => self.answer(from, options),
            Message::VoteCommit | Message::VoteAbort | Message::Ack => false,
        }
    }

    fn vote(&mut self, seat: &Seat, options: &Options) -> bool {
        let voted = self.log.contains(Record::VoteCommit);
        let vote = match (self.state, seat.vote) {
            (ParticipantState::Init, Vote::Commit) => {
                self.log.write(Record::VoteCommit);
                self.forcing = true;
                #[cfg(test)]
                if options.has(Flaw::VoteNotForced) {
                    self.forcing = false;
                    self.state = ParticipantState::Ready;
                }
                Message::VoteCommit
            }
            (ParticipantState::Init, Vote::Abort) => {
                self.refuse(options);
                Message::VoteAbort
            }
            // It was asked before.
            (ParticipantState::Ready, _) => Message::VoteCommit,
            (ParticipantState::Abort, _) if !voted => Message::VoteAbort,
            (ParticipantState::Commit | ParticipantState::Abort, _) => return false,
        };
        self.outbox.put(Process::COORDINATOR, vote);
        true
    }

    /// Decides abort by itself, as it may before it has voted.
    fn refuse(&mut self, options: &Options) {
        self.log.write(Record::VoteAbort);
        self.carry_out(Decision::Abort, options);
    }

    fn carry_out(&mut self, decision: Decision, options: &Options) {
        self.outbox.drop_all(Message::DecisionRequest);
        self.forcing = options.forces(decision);
        if !self.forcing {
            self.reach(decision);
        }
    }

    fn reach(&mut self, decision: Decision) {
        self.state = match decision {
            Decision::Commit => ParticipantState::Commit,
            Decision::Abort => ParticipantState::Abort,
        };
    }

    fn learn(&mut self, decision: Decision, from: Process, options: &Options) -> bool {
        // An acknowledgement answers the coordinator: what another participant tells it need not know of.
        let acknowledges = from.is_coordinator() && options.acknowledges(decision);
        match (self.state, decision) {
            (ParticipantState::Ready, Decision::Commit) => self.log.write(Record::GlobalCommit),
            (ParticipantState::Ready | ParticipantState::Init, Decision::Abort) => {
                self.log.write(Record::GlobalAbort);
            }
            // Who has not voted cannot be told of a commit.
            (ParticipantState::Init, Decision::Commit) => return false,
            (ParticipantState::Commit | ParticipantState::Abort, _) => {
                // The acknowledgement was lost, or is on its way.
                if acknowledges {
                    self.outbox.put(Process::COORDINATOR, Message::Ack);
                }
                return acknowledges;
            }
        }
        if acknowledges {
            self.outbox.put(Process::COORDINATOR, Message::Ack);
        }
        self.carry_out(decision, options);
        true
    }

    /// Another participant is in doubt. Who has not voted yet aborts, and thereby knows (BHG 7.4).
    fn answer(&mut self, from: Process, options: &Options) -> bool {
        match (self.decision(), self.state) {
            (Some(decision), _) => self.outbox.put(from, decision.into()),
            (None, ParticipantState::Init) => {
                self.refuse(options);
                self.outbox.put(from, Message::GlobalAbort);
            }
            (None, _) => return false,
        }
        true
    }

    /// The log has come to disk; returns how many records that were.
    pub fn force(&mut self) -> usize {
        let records = self.log.force();
        if self.forcing {
            self.forcing = false;
            match self.log.decision() {
                Some(decision) => self.reach(decision),
                None => self.state = ParticipantState::Ready,
            }
        }
        records
    }

    /// A message has been sent. False if there was no such message.
    pub fn sent(&mut self, letter: Letter) -> bool {
        self.outbox.take(letter)
    }

    /// Whether it waits for something that may not come.
    pub fn may_time_out(&self) -> bool {
        !self.forcing && self.outbox.is_empty() && self.decision().is_none()
    }

    /// It has waited long enough: for VOTE_REQUEST, and decides abort; for the decision, and asks. False if it waits
    /// for nothing.
    pub fn time_out(&mut self, seat: &Seat, options: &Options) -> bool {
        if !self.may_time_out() {
            return false;
        }
        match self.state {
            ParticipantState::Init => self.refuse(options),
            #[cfg(test)]
            _ if options.has(Flaw::AbortsInDoubt) => {
                self.log.write(Record::GlobalAbort);
                self.carry_out(Decision::Abort, options);
            }
            _ => self.ask(seat, options),
        }
        true
    }

    fn ask(&mut self, seat: &Seat, options: &Options) {
        self.asked = self.asked.saturating_add(1).min(2);
        self.outbox
            .put(Process::COORDINATOR, Message::DecisionRequest);
        if options.cooperative_termination {
            for other in options.all().iter().filter(|other| *other != seat.process) {
                self.outbox.put(other, Message::DecisionRequest);
            }
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

    /// It is back, and reads its log. Without a vote on record it aborts; with one and no decision it is in doubt,
    /// and asks.
    pub fn recover(&mut self, seat: &Seat, options: &Options) {
        match self.log.decision() {
            Some(decision) => self.reach(decision),
            None if self.log.contains(Record::VoteCommit) => {
                self.state = ParticipantState::Ready;
                self.ask(seat, options);
            }
            None => self.refuse(options),
        }
    }
}
