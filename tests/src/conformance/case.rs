//! What a case file says (section 1 of the README beside the cases, 2.1 and 2.2, and the words of 4).
//!
//! Everything is read strictly: a field, a step or an expectation that is not known is an error.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{self, DeserializeOwned, Deserializer};
use serde_json::{Map, Value};

/// One case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name: the file's, and its own.
    pub id: String,
    /// The unit test that it comes from.
    pub flink_test: String,
    /// Where that is.
    pub source: Source,
    /// Which handler.
    pub mode: Mode,
    /// How elements travel from arrival to the task.
    pub gate: Gate,
    /// How many channels there are.
    pub channels: u16,
    /// What they are.
    pub channel_kinds: Kinds,
    /// What the barriers say themselves.
    #[serde(deserialize_with = "present")]
    pub alignment_timeout_ms: Option<u64>,
    /// Whether the end of a channel counts as a barrier.
    pub enable_checkpoints_after_tasks_finish: bool,
    /// Whether it would end otherwise with the flag flipped.
    pub depends_on_enable_flag: bool,
    /// Whether an element comes from a blocked channel.
    pub feeds_blocked_channel: bool,
    /// The time at the start, if it matters.
    #[serde(deserialize_with = "present")]
    pub clock_start_ms: Option<i64>,
    /// Which triggers are refused.
    #[serde(deserialize_with = "present")]
    pub trigger_guard: Option<TriggerGuard>,
    /// Whether timers cannot be dropped.
    #[serde(default)]
    pub uncancellable_timers: bool,
    /// How much data may be withheld.
    #[serde(default)]
    pub alignment_limit_bytes: Option<u64>,
    /// What else there is to say.
    #[serde(default)]
    pub notes: Option<String>,
    /// What happens.
    pub input: Vec<Step>,
    /// What must come of it.
    pub expect: Vec<Expectation>,
}

/// Where a unit test is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Source {
    pub repo: String,
    pub path: String,
    pub commit: String,
}

/// Which handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Mode {
    Aligned,
    Unaligned,
    Alternating,
    AtLeastOnce,
}

/// How elements travel from arrival to the task (2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Each arrival is pulled at once.
    Fifo,
    /// Arrivals wait in one queue, and what is blocked is passed over.
    Withhold,
    /// Arrivals are queued, and the task pulls until nothing comes.
    Drain,
    /// Arrivals are queued until a step pulls them.
    Queued,
    /// Arrivals are for the handler alone.
    Direct,
}

/// What all channels are, or each.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kinds {
    All(Kind),
    Each(Vec<Kind>),
}

/// What a channel is (2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Without rules for its queue.
    Plain,
    /// One plain queue.
    Local,
    /// A queue with a priority section.
    Remote,
}

/// Which triggers are refused (4.4).
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriggerGuard {
    /// Which checkpoint alone may be triggered first; any if none.
    #[serde(deserialize_with = "present")]
    pub initial: Option<u32>,
    /// Whether any may be triggered after an abort.
    pub reset_on_abort: bool,
}

/// One thing that happens.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Step {
    Arrival(Arrival),
    Poll,
    Drain,
    RunTimers,
    Close,
    AdvanceClock { ms: u64, run_timers: bool },
    NetworkBlock(Vec<u16>),
    NetworkUnblock(Vec<u16>),
}

/// Something arrives.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Arrival {
    pub id: String,
    pub channel: u16,
    pub what: What,
}

/// What arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum What {
    Buffer { bytes: Option<u32> },
    Barrier(Barrier),
    Announcement(Barrier),
    Cancel { checkpoint: u32 },
    EndOfPartition,
}

/// A barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Barrier {
    pub checkpoint: u32,
    pub kind: BarrierKind,
    /// Always there if it may time out.
    pub timeout_ms: Option<u32>,
    /// Where there is none, any moment will do.
    pub timestamp: Option<i64>,
    pub savepoint: bool,
}

/// Whether a barrier waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum BarrierKind {
    Aligned,
    AlignedWithTimeout,
    Unaligned,
}

/// What must be so after a step.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// After which step, from 0; none if before the first.
    pub after: Option<usize>,
    /// What must be so.
    pub demand: Demand,
    /// The expectation as it stands in the file.
    pub told: String,
}

/// What must be so (4).
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[expect(
    missing_docs,
    reason = "the names are the file's, and its README explains them"
)]
pub enum Demand {
    Deliver(String),
    Polled(Polled),
    Output(Vec<String>),
    Ends(True),
    Blocked(Vec<u16>),
    NetworkBlocked(BTreeMap<u16, bool>),
    TriggerCount(usize),
    AbortCount(usize),
    AnyTrigger(bool),
    AnyAbort(bool),
    Triggered(Vec<u32>),
    Aborted(Vec<u32>),
    LastTriggered(Option<u32>),
    LastAborted {
        id: u32,
        reason: Option<Reason>,
    },
    TriggerCountOf {
        id: u32,
        count: usize,
    },
    AbortCountOf {
        id: Option<u32>,
        reason: Reason,
        count: usize,
    },
    NotificationsPrefixOf(Vec<Notification>),
    TriggeredOptions(Vec<TriggeredOptions>),
    LastTriggeredAlignment(Alignment),
    NeverTriggeredUnaligned(True),
    DuringAbort {
        id: u32,
        all_barriers_received_done: bool,
    },
    SetTriggerGuard(Option<u32>),
    LatestCheckpoint(i64),
    Pending(bool),
    PendingCheckpoints(Vec<u32>),
    OpenChannels(usize),
    DuringAlignment(bool),
    AllBarriersReceived {
        checkpoint: u32,
        done: bool,
    },
    AlignmentDurationNs(Bounds),
    CheckpointStartDelayNs(Bounds),
    LastTriggerAlignmentNs(Bounds),
    LastTriggerBytesDuringAlignment(Option<u64>),
    LastTriggerWithheldData(Vec<String>),
    LastStartedInflight(i64),
    PersistedInflight(Vec<String>),
    PersistedTotal(BTreeMap<u16, usize>),
    PersistedAny(True),
}

/// The word `true`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "bool")]
pub struct True;

/// What a pull returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Polled {
    Data,
    Barrier,
    Announcement,
    EndOfPartition,
    Cancel,
}

/// Why a checkpoint was aborted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Reason {
    CancellationBarrier,
    Subsumed,
    EndOfInput,
    AlignmentLimit,
}

/// What the task was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Notification {
    Trigger(u32),
    Abort(u32),
}

/// How a checkpoint was triggered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names say it")]
pub struct TriggeredOptions {
    pub alignment: Alignment,
    pub timeout_ms: Option<u32>,
}

/// Whether a checkpoint was triggered aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Alignment {
    Aligned,
    Unaligned,
}

/// Bounds of a figure; at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Bounds {
    pub eq: Option<i128>,
    pub min: Option<i128>,
    pub max: Option<i128>,
}

impl Case {
    /// The kind of each channel.
    pub fn kinds(&self) -> Vec<Kind> {
        match &self.channel_kinds {
            Kinds::All(kind) => vec![*kind; usize::from(self.channels)],
            Kinds::Each(kinds) => kinds.clone(),
        }
    }

    /// The moments that the barriers name.
    pub fn timestamps(&self) -> impl Iterator<Item = i64> + '_ {
        self.input.iter().filter_map(|step| match step {
            Step::Arrival(Arrival {
                what: What::Barrier(barrier) | What::Announcement(barrier),
                ..
            }) => barrier.timestamp,
            _ => None,
        })
    }

    /// Whether the parts of the case fit each other.
    ///
    /// # Errors
    /// What does not.
    pub fn validate(&self) -> Result<(), String> {
        let kinds = self.kinds();
        if kinds.len() != usize::from(self.channels) || kinds.is_empty() {
            return Err(format!(
                "{} kinds for {} channels",
                kinds.len(),
                self.channels
            ));
        }
        let queues = matches!(self.gate, Gate::Drain | Gate::Queued);
        if queues && kinds.contains(&Kind::Plain) {
            return Err("plain channels have no queue, but the gate has".to_owned());
        }
        if self.gate == Gate::Withhold && self.mode != Mode::Aligned {
            return Err("the gate `withhold` is for the mode `aligned` alone".to_owned());
        }
        for (number, step) in self.input.iter().enumerate() {
            let channels = match step {
                Step::Arrival(arrival) => std::slice::from_ref(&arrival.channel),
                Step::NetworkBlock(channels) | Step::NetworkUnblock(channels) => channels,
                _ => &[],
            };
            if let Some(channel) = channels.iter().find(|&&channel| channel >= self.channels) {
                return Err(format!("step {number}: there is no channel {channel}"));
            }
        }
        let late = |expectation: &&Expectation| {
            expectation
                .after
                .is_some_and(|step| step >= self.input.len())
        };
        match self.expect.iter().find(late) {
            Some(expectation) => Err(format!("no step comes before {}", expectation.told)),
            None => Ok(()),
        }
    }
}

impl TryFrom<bool> for True {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, Self::Error> {
        value.then_some(Self).ok_or("only `true` makes sense here")
    }
}

/// A field that may be null but must be there.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::deserialize(deserializer)
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = Map::deserialize(deserializer)?;
        let step = if object.contains_key("advance_clock_ms") {
            AdvanceClock::deserialize(Value::Object(object)).map(|step| Self::AdvanceClock {
                ms: step.advance_clock_ms,
                run_timers: step.run_timers,
            })
        } else {
            RawStep::deserialize(Value::Object(object)).and_then(Self::try_from)
        };
        step.map_err(de::Error::custom)
    }
}

impl<'de> Deserialize<'de> for Expectation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut object = Map::deserialize(deserializer)?;
        let after = take(&mut object, "after").and_then(|after: i64| match after {
            -1 => Ok(None),
            _ => usize::try_from(after)
                .map(Some)
                .map_err(|_| de::Error::custom("`after` is -1 or a step")),
        });
        let told = Value::Object(object.clone()).to_string();
        let demand = Demand::deserialize(Value::Object(object));
        Ok(Self {
            after: after.map_err(de::Error::custom)?,
            demand: demand.map_err(de::Error::custom)?,
            told,
        })
    }
}

fn take<T: DeserializeOwned>(
    object: &mut Map<String, Value>,
    field: &str,
) -> Result<T, serde_json::Error> {
    let value = object
        .remove(field)
        .ok_or_else(|| de::Error::custom(format!("missing field `{field}`")))?;
    serde_json::from_value(value)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AdvanceClock {
    advance_clock_ms: u64,
    run_timers: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum RawStep {
    Buffer {
        id: String,
        channel: u16,
        bytes: Option<u32>,
    },
    Barrier(RawBarrier),
    Announcement(RawAnnouncement),
    Cancel {
        id: String,
        channel: u16,
        checkpoint: u32,
    },
    EndOfPartition {
        id: String,
        channel: u16,
    },
    Poll(True),
    Drain(True),
    RunTimers(True),
    Close(True),
    NetworkBlock(Vec<u16>),
    NetworkUnblock(Vec<u16>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBarrier {
    id: String,
    channel: u16,
    checkpoint: u32,
    kind: BarrierKind,
    timeout_ms: Option<u32>,
    timestamp: Option<i64>,
    snapshot: Option<RawSnapshot>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAnnouncement {
    id: String,
    channel: u16,
    checkpoint: u32,
    kind: BarrierKind,
    timeout_ms: u32,
    timestamp: i64,
    /// The place of the barrier in the channel; the core finds it by its checkpoint.
    #[serde(rename = "sequence_number")]
    _sequence_number: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RawSnapshot {
    Checkpoint,
    Savepoint,
}

impl TryFrom<RawStep> for Step {
    type Error = serde_json::Error;

    fn try_from(step: RawStep) -> Result<Self, Self::Error> {
        let arrival = |id, channel, what| Self::Arrival(Arrival { id, channel, what });
        Ok(match step {
            RawStep::Buffer { id, channel, bytes } => arrival(id, channel, What::Buffer { bytes }),
            RawStep::Barrier(raw) => {
                let times_out = raw.kind == BarrierKind::AlignedWithTimeout;
                if times_out != raw.timeout_ms.is_some() || times_out && raw.timestamp.is_none() {
                    return Err(de::Error::custom(
                        "a barrier has a `timeout_ms` and a `timestamp` if it is `aligned_with_timeout`",
                    ));
                }
                let barrier = Barrier {
                    checkpoint: raw.checkpoint,
                    kind: raw.kind,
                    timeout_ms: raw.timeout_ms,
                    timestamp: raw.timestamp,
                    savepoint: raw.snapshot == Some(RawSnapshot::Savepoint),
                };
                arrival(raw.id, raw.channel, What::Barrier(barrier))
            }
            RawStep::Announcement(raw) => {
                if raw.kind != BarrierKind::AlignedWithTimeout {
                    return Err(de::Error::custom(
                        "only barriers that may time out are announced",
                    ));
                }
                let barrier = Barrier {
                    checkpoint: raw.checkpoint,
                    kind: raw.kind,
                    timeout_ms: Some(raw.timeout_ms),
                    timestamp: Some(raw.timestamp),
                    savepoint: false,
                };
                arrival(raw.id, raw.channel, What::Announcement(barrier))
            }
            RawStep::Cancel {
                id,
                channel,
                checkpoint,
            } => arrival(id, channel, What::Cancel { checkpoint }),
            RawStep::EndOfPartition { id, channel } => arrival(id, channel, What::EndOfPartition),
            RawStep::Poll(True) => Self::Poll,
            RawStep::Drain(True) => Self::Drain,
            RawStep::RunTimers(True) => Self::RunTimers,
            RawStep::Close(True) => Self::Close,
            RawStep::NetworkBlock(channels) => Self::NetworkBlock(channels),
            RawStep::NetworkUnblock(channels) => Self::NetworkUnblock(channels),
        })
    }
}
