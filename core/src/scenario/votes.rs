//! Two-phase commit, as data: a coordinator, participants and how they vote, options, costs and faults.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{default_limit, one};
use crate::commit::Vote;
use crate::commit::log::Record;
use crate::commit::message::Message;
use crate::commit::options::Presumed;
use crate::time::{Micros, Millis};

/// The default scenario of the model *votes*, as JSON: the coordinator crashes when it has told one participant.
pub const DEFAULT_VOTES: &str = include_str!("../../../scenarios/votes.json");

/// The same with cooperative termination, as JSON.
pub const VOTES_COOPERATIVE: &str = include_str!("../../../scenarios/votes-cooperative.json");

/// How the coordinator is named in faults.
pub const COORDINATOR: &str = "coordinator";

/// The name of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum VotesName {
    /// Two-phase commit.
    Votes,
}

/// A scenario of the model *votes*.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Votes {
    /// The version of the format: [`VERSION`](super::VERSION).
    pub version: u32,
    /// Which model.
    pub model: VotesName,
    /// What to call it.
    pub name: String,
    /// Chooses the jitter of costs and delays: the same seed gives the same run.
    #[serde(default)]
    pub seed: u64,
    /// The participants, 1 to 9.
    pub participants: Vec<Member>,
    /// The options of the protocol.
    #[serde(default)]
    pub protocol: VotesProtocol,
    /// How long things take.
    #[serde(default)]
    pub costs: VotesCosts,
    /// What breaks.
    #[serde(default)]
    pub faults: VotesFaults,
    /// When the run is cut off, if it does not end before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<Millis>,
    /// After how many steps the run is cut off.
    #[serde(default = "default_limit")]
    pub max_steps: u32,
}

/// A participant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// How it votes when it is asked, `commit` or `abort`.
    #[serde(default)]
    pub vote: Vote,
}

/// The options of the protocol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct VotesProtocol {
    /// Whether a participant in doubt asks all other participants too, not the coordinator alone.
    pub cooperative_termination: bool,
    /// What it means that a coordinator has no record of the transaction: `nothing` or `abort`.
    pub presumed: Presumed,
}

/// How long things take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct VotesCosts {
    /// A message, from one process to another.
    pub network_ms: Micros,
    /// To send a message: a process sends one after the other.
    pub send_ms: Micros,
    /// To force the log.
    pub force_ms: Micros,
    /// How long a log record that nobody waits for is in memory before it is written to disk all the same.
    pub flush_ms: Millis,
    /// How long a process waits for a message before it does something about it.
    pub timeout_ms: Millis,
    /// How long a process that has crashed is down.
    pub restart_ms: Millis,
    /// How far costs and delays may be off, in percent, to either side.
    pub jitter_percent: u8,
}

impl Default for VotesCosts {
    fn default() -> Self {
        Self {
            network_ms: Micros(10_000),
            send_ms: Micros(1_000),
            force_ms: Micros(5_000),
            flush_ms: Millis(200),
            timeout_ms: Millis(100),
            restart_ms: Millis(500),
            jitter_percent: 0,
        }
    }
}

/// What breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct VotesFaults {
    /// How many crashes and stops may happen at most, scheduled ones included.
    pub max_crashes: u8,
    /// How many messages may be lost at most, besides those of `messages`.
    pub max_losses: u8,
    /// How many messages may be duplicated at most, besides those of `messages`.
    pub max_duplicates: u8,
    /// How many time-outs may come too early at most: while something is still on its way to somebody, or about to
    /// be sent or forced. If left out, any number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_early_timeouts: Option<u8>,
    /// Faults with a moment: of time, or of the protocol.
    pub schedule: Vec<VotesFault>,
    /// Messages that are lost, late or duplicated.
    pub messages: Vec<VotesMessageFault>,
}

impl Default for VotesFaults {
    fn default() -> Self {
        Self {
            max_crashes: 9,
            max_losses: 9,
            max_duplicates: 9,
            max_early_timeouts: None,
            schedule: Vec::new(),
            messages: Vec::new(),
        }
    }
}

/// A fault with a moment. Processes are named as in the scenario; the coordinator is `coordinator`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "PlainVotesFault", into = "PlainVotesFault")]
pub struct VotesFault {
    /// When it happens.
    pub when: When,
    /// What happens.
    pub what: VotesBreakage,
}

/// When a fault happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// So long after the start of the run.
    At(Millis),
    /// Right after a moment of the protocol, before anything else can happen.
    After(Moment),
}

/// What happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VotesBreakage {
    /// A process dies, and comes back by itself.
    Crash(String),
    /// A process dies, and stays down until it is recovered.
    Stop(String),
    /// A process that is down comes back.
    Recover(String),
}

impl VotesBreakage {
    /// The process.
    pub fn name(&self) -> &str {
        match self {
            Self::Crash(name) | Self::Stop(name) | Self::Recover(name) => name,
        }
    }
}

/// A moment of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// What a process has just done.
    pub done: Deed,
    /// How often it has done that by then, from 1.
    pub number: u16,
    /// Which process, if it is another one than the one that breaks.
    pub by: Option<String>,
}

/// What a process does that can be seen from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Deed {
    /// It has sent a message.
    Sent(Message),
    /// It has received a message, and has not answered yet.
    Received(Message),
    /// It has written a record, and has not forced it yet.
    Written(Record),
    /// It has forced a record, and has not told anybody yet.
    Forced(Record),
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct PlainVotesFault {
    /// When, in virtual time since the start; or `after` something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at_ms: Option<Millis>,
    /// After what has happened, and before anything else can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<PlainMoment>,
    /// A process crashes, and comes back after `restart_ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crash: Option<String>,
    /// A process goes down, and stays down until it is recovered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stop: Option<String>,
    /// A process that is down comes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recover: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct PlainMoment {
    /// It has sent this message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sent: Option<Message>,
    /// It has received this message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    received: Option<Message>,
    /// It has written this record to its log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    written: Option<Record>,
    /// It has forced this record to its log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forced: Option<Record>,
    /// For the how-manieth time, from 1.
    #[serde(default = "one")]
    number: u16,
    /// Who, if not the one that breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

/// The one thing of a list that is there.
fn only<T>(things: impl IntoIterator<Item = Option<T>>) -> Option<T> {
    let mut there = things.into_iter().flatten();
    let first = there.next()?;
    there.next().is_none().then_some(first)
}

impl TryFrom<PlainVotesFault> for VotesFault {
    type Error = &'static str;

    fn try_from(plain: PlainVotesFault) -> Result<Self, Self::Error> {
        let when = match (plain.at_ms, plain.after) {
            (Some(at), None) => When::At(at),
            (None, Some(after)) => When::After(after.try_into()?),
            _ => return Err("a fault has one of `at_ms` and `after`"),
        };
        let what = only([
            plain.crash.map(VotesBreakage::Crash),
            plain.stop.map(VotesBreakage::Stop),
            plain.recover.map(VotesBreakage::Recover),
        ]);
        let what = what.ok_or("a fault has one of `crash`, `stop`, `recover`")?;
        Ok(Self { when, what })
    }
}

impl TryFrom<PlainMoment> for Moment {
    type Error = &'static str;

    fn try_from(plain: PlainMoment) -> Result<Self, Self::Error> {
        let done = only([
            plain.sent.map(Deed::Sent),
            plain.received.map(Deed::Received),
            plain.written.map(Deed::Written),
            plain.forced.map(Deed::Forced),
        ]);
        Ok(Self {
            done: done.ok_or("`after` has one of `sent`, `received`, `written`, `forced`")?,
            number: plain.number,
            by: plain.by,
        })
    }
}

impl From<VotesFault> for PlainVotesFault {
    fn from(fault: VotesFault) -> Self {
        let mut plain = Self::default();
        match fault.when {
            When::At(at) => plain.at_ms = Some(at),
            When::After(moment) => plain.after = Some(moment.into()),
        }
        match fault.what {
            VotesBreakage::Crash(name) => plain.crash = Some(name),
            VotesBreakage::Stop(name) => plain.stop = Some(name),
            VotesBreakage::Recover(name) => plain.recover = Some(name),
        }
        plain
    }
}

impl From<Moment> for PlainMoment {
    fn from(moment: Moment) -> Self {
        let mut plain = Self {
            sent: None,
            received: None,
            written: None,
            forced: None,
            number: moment.number,
            by: moment.by,
        };
        match moment.done {
            Deed::Sent(message) => plain.sent = Some(message),
            Deed::Received(message) => plain.received = Some(message),
            Deed::Written(record) => plain.written = Some(record),
            Deed::Forced(record) => plain.forced = Some(record),
        }
        plain
    }
}

/// Messages that are lost, late or duplicated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VotesMessageFault {
    /// The message.
    pub message: Message,
    /// Whom it is for.
    pub to: String,
    /// Who sends it; if left out, anybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Which of them, counted from 1.
    #[serde(default = "one")]
    pub number: u16,
    /// So many from there on.
    #[serde(default = "one")]
    pub count: u16,
    /// How much longer it takes; if left out, and it is not duplicated, it is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<Millis>,
    /// Whether it arrives twice.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub duplicate: bool,
}
