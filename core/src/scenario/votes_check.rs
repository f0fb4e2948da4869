//! Whether a scenario of the model *votes* makes sense.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::check::{Checked, Limits, between, refuse};
use super::delivery_check::{lasts, name_is_there};
use super::story::read;
use super::votes::{
    COORDINATOR, Deed, Moment, Votes, VotesBreakage, VotesFault, VotesMessageFault, When,
};
use super::{ScenarioError, VERSION};
use crate::commit::log::Record;
use crate::commit::message::Message;
use crate::commit::options::{Options, Presumed};
use crate::commit::{Process, Vote};

impl Votes {
    /// How many participants there may be.
    pub const PARTICIPANTS: u8 = 9;

    /// Reads a scenario.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field that does not parse, or makes no sense.
    pub fn from_json(json: &str) -> Result<Self, ScenarioError> {
        let scenario: Self = read(json)?;
        scenario.check()?;
        Ok(scenario)
    }

    /// The scenario as JSON that [`from_json`](Self::from_json) reads.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Whether the scenario makes sense.
    ///
    /// # Errors
    /// [`ScenarioError`] names the first field that does not, and says what would be right.
    pub fn check(&self) -> Checked {
        if self.version != VERSION {
            return refuse(
                "version",
                &format!(
                    "this program reads version {VERSION}, the scenario has {}",
                    self.version
                ),
            );
        }
        self.check_participants()?;
        self.check_votes_costs()?;
        for (at, fault) in self.faults.schedule.iter().enumerate() {
            self.check_fault(at, fault)?;
        }
        self.check_recoveries()?;
        self.check_crash_budget()?;
        for (at, fault) in self.faults.messages.iter().enumerate() {
            self.check_message_fault(at, fault)?;
        }
        Ok(())
    }

    /// The options of the protocol.
    pub fn options(&self) -> Options {
        let participants = self.participants.len().min(usize::from(Self::PARTICIPANTS));
        Options {
            cooperative_termination: self.protocol.cooperative_termination,
            presumed: self.protocol.presumed,
            ..Options::new(participants as u8)
        }
    }

    /// A process by its name.
    pub fn process(&self, name: &str) -> Option<Process> {
        if name == COORDINATOR {
            return Some(Process::COORDINATOR);
        }
        let at = self.participants.iter().position(|it| it.name == name)?;
        Some(Process::participant(u8::try_from(at).ok()?))
    }

    fn check_participants(&self) -> Checked {
        let count = self.participants.len() as u64;
        if !(1..=u64::from(Self::PARTICIPANTS)).contains(&count) {
            return refuse(
                "participants",
                &format!(
                    "{count} participants: there are 1 to {}",
                    Self::PARTICIPANTS
                ),
            );
        }
        for (at, member) in self.participants.iter().enumerate() {
            let field = format!("participants[{at}].name");
            name_is_there(&field, &member.name)?;
            if member.name == COORDINATOR {
                return refuse(
                    field,
                    "`coordinator` is the coordinator: it takes no vote of its own",
                );
            }
            let mut before = self.participants.iter().take(at);
            if before.any(|other| other.name == member.name) {
                return refuse(field, "another participant has this name already");
            }
        }
        Ok(())
    }

    fn check_votes_costs(&self) -> Checked {
        let costs = &self.costs;
        let most = u64::from(Limits::DURATION.0);
        for (field, time) in [
            ("costs.network_ms", costs.network_ms),
            ("costs.send_ms", costs.send_ms),
            ("costs.force_ms", costs.force_ms),
        ] {
            between(field, time.0.div_ceil(1_000), 0, most)?;
        }
        for (field, time, least) in [
            ("costs.flush_ms", costs.flush_ms, 1),
            ("costs.timeout_ms", costs.timeout_ms, 1),
            ("costs.restart_ms", costs.restart_ms, 0),
        ] {
            between(field, u64::from(time.0), least, most)?;
        }
        let jitter = u64::from(costs.jitter_percent);
        between("costs.jitter_percent", jitter, 0, 100)?;
        if let Some(until) = self.until_ms {
            lasts("until_ms", until, 1)?;
        }
        let steps = u64::from(self.max_steps);
        between("max_steps", steps, 1, u64::from(Limits::STEPS))
    }

    fn check_fault(&self, at: usize, fault: &VotesFault) -> Checked {
        let named = self.named(&field_of(at, fault), fault.what.name())?;
        let field = |name: &str| format!("faults.schedule[{at}].{name}");
        match &fault.when {
            When::At(moment) => lasts(&field("at_ms"), *moment, 0),
            When::After(moment) => {
                between(&field("after.number"), u64::from(moment.number), 1, 10_000)?;
                let by = match &moment.by {
                    Some(by) => self.named(&field("after.by"), by)?,
                    None => named,
                };
                if matches!(fault.what, VotesBreakage::Recover(_)) && by == named {
                    return refuse(
                        field("after.by"),
                        "what is down does nothing after which it could come back: name another process here",
                    );
                }
                self.check_deed(&format!("faults.schedule[{at}].after"), moment, by)
            }
        }
    }

    /// Whether a process may ever do that.
    fn check_deed(&self, field: &str, moment: &Moment, by: Process) -> Checked {
        let (kind, name, possible): (_, _, Vec<&str>) = match moment.done {
            Deed::Sent(message) => {
                let may = |it: &Message| self.may_send(by, *it);
                ("sent", message.name(), names_of(may))
            }
            Deed::Received(message) => {
                let may = |it: &Message| self.may_receive(by, *it);
                ("received", message.name(), names_of(may))
            }
            Deed::Written(record) => ("written", record.name(), self.records_of(by)),
            Deed::Forced(record) => ("forced", record.name(), self.records_of(by)),
        };
        if possible.contains(&name) {
            return Ok(());
        }
        refuse(
            format!("{field}.{kind}"),
            &format!(
                "{name} is never {kind} by \"{}\"; possible are: {}",
                self.name_of(by),
                possible.join(", ")
            ),
        )
    }

    fn may_send(&self, by: Process, message: Message) -> bool {
        match message {
            Message::VoteRequest => by.is_coordinator(),
            Message::GlobalCommit | Message::GlobalAbort => {
                by.is_coordinator() || self.protocol.cooperative_termination
            }
            Message::VoteCommit => self.votes(by) == Some(Vote::Commit),
            Message::VoteAbort | Message::Ack | Message::DecisionRequest => !by.is_coordinator(),
        }
    }

    fn may_receive(&self, by: Process, message: Message) -> bool {
        match message {
            Message::VoteRequest | Message::GlobalCommit | Message::GlobalAbort => {
                !by.is_coordinator()
            }
            Message::VoteCommit | Message::VoteAbort | Message::Ack => by.is_coordinator(),
            Message::DecisionRequest => {
                by.is_coordinator() || self.protocol.cooperative_termination
            }
        }
    }

    fn records_of(&self, by: Process) -> Vec<&'static str> {
        let nothing_presumed = self.protocol.presumed == Presumed::Nothing;
        let may = |record: &Record| match record {
            Record::Start2Pc => by.is_coordinator() && nothing_presumed,
            Record::End => by.is_coordinator(),
            Record::GlobalCommit | Record::GlobalAbort => true,
            Record::VoteCommit => self.votes(by) == Some(Vote::Commit),
            Record::VoteAbort => !by.is_coordinator(),
        };
        let possible = Record::ALL.into_iter().filter(may);
        possible.map(Record::name).collect()
    }

    fn votes(&self, process: Process) -> Option<Vote> {
        Some(self.participants.get(process.number()?)?.vote)
    }

    fn name_of(&self, process: Process) -> &str {
        let member = process.number().and_then(|at| self.participants.get(at));
        member.map_or(COORDINATOR, |it| it.name.as_str())
    }

    fn named(&self, field: &str, name: &str) -> Result<Process, ScenarioError> {
        self.process(name).ok_or_else(|| {
            let members = self.participants.iter().map(|it| it.name.as_str());
            let known: Vec<&str> = core::iter::once(COORDINATOR).chain(members).collect();
            ScenarioError::new(
                field,
                format!(
                    "there is no \"{name}\" here; there are: {}",
                    known.join(", ")
                ),
            )
        })
    }

    /// Whether what is to come back can be down by then.
    fn check_recoveries(&self) -> Checked {
        for (at, fault) in self.faults.schedule.iter().enumerate() {
            let (VotesBreakage::Recover(name), When::At(moment)) = (&fault.what, &fault.when)
            else {
                continue;
            };
            let breaks = |other: &&VotesFault| {
                let before = match other.when {
                    When::At(other) => other <= *moment,
                    When::After(_) => true,
                };
                let recovers = matches!(other.what, VotesBreakage::Recover(_));
                before && !recovers && other.what.name() == name
            };
            if !self.faults.schedule.iter().any(|other| breaks(&other)) {
                return refuse(
                    field_of(at, fault),
                    &format!(
                        "\"{name}\" runs at {} ms: stop it or let it crash before",
                        moment.0
                    ),
                );
            }
        }
        Ok(())
    }

    fn check_crash_budget(&self) -> Checked {
        let breaks = |fault: &&VotesFault| !matches!(fault.what, VotesBreakage::Recover(_));
        let count = self.faults.schedule.iter().filter(breaks).count();
        let most = self.faults.max_crashes;
        if count > usize::from(most) {
            return refuse(
                "faults.max_crashes",
                &format!("{most} is less than the {count} crashes and stops in faults.schedule"),
            );
        }
        Ok(())
    }

    fn check_message_fault(&self, at: usize, fault: &VotesMessageFault) -> Checked {
        let field = |name: &str| format!("faults.messages[{at}].{name}");
        let to = self.named(&field("to"), &fault.to)?;
        let message = fault.message;
        if !self.may_receive(to, message) {
            let may = |it: &Message| self.may_receive(to, *it);
            return refuse(
                field("message"),
                &format!(
                    "{message} is never sent to \"{}\"; possible are: {}",
                    fault.to,
                    names_of(may).join(", ")
                ),
            );
        }
        if let Some(from) = &fault.from {
            let sender = self.named(&field("from"), from)?;
            if sender == to {
                return refuse(field("from"), "nobody sends messages to itself");
            }
            if !self.may_send(sender, message) {
                return refuse(field("from"), &format!("\"{from}\" never sends {message}"));
            }
        }
        between(&field("number"), u64::from(fault.number), 1, 10_000)?;
        between(&field("count"), u64::from(fault.count), 1, 10_000)?;
        if let Some(delay) = fault.delay_ms {
            lasts(&field("delay_ms"), delay, 1)?;
            if fault.duplicate {
                return refuse(
                    field("duplicate"),
                    "a message is either late or duplicated: write two faults, one for each",
                );
            }
        }
        Ok(())
    }
}

fn names_of(may: impl Fn(&Message) -> bool) -> Vec<&'static str> {
    Message::ALL
        .into_iter()
        .filter(may)
        .map(Message::name)
        .collect()
}

/// The path of a fault in the schedule.
fn field_of(at: usize, fault: &VotesFault) -> String {
    let kind = match fault.what {
        VotesBreakage::Crash(_) => "crash",
        VotesBreakage::Stop(_) => "stop",
        VotesBreakage::Recover(_) => "recover",
    };
    format!("faults.schedule[{at}].{kind}")
}
