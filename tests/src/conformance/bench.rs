//! A handler and a gate on a bench: what a step does, and what is written down about it.

use std::collections::BTreeSet;

use barrierscope_core::flink::barrier::channel_queue::ChannelKind;
use barrierscope_core::flink::barrier::handler::{self, Handler};
use barrierscope_core::flink::barrier::input_gate::InputGate;
use barrierscope_core::flink::barrier::measures::Measures;
use barrierscope_core::flink::barrier::withholding::Withholding;
use barrierscope_core::flink::barrier::{
    Barrier, Content, Effect, Element, Host, Inputs, NewerBarrier, Options, Reason, Snapshot,
};
use barrierscope_core::id::CheckpointId;
use barrierscope_core::time::{Micros, Millis};

use super::Mismatch;
use super::case::{self, BarrierKind, Case, Gate, Kind, Mode, Step, What};

/// A case under way.
pub(super) struct Bench<'c> {
    pub(super) case: &'c Case,
    pub(super) inputs: Inputs,
    pub(super) handler: Handler,
    /// The one queue of the older design.
    pub(super) withholding: Option<Withholding<Item>>,
    pub(super) site: Site,
}

/// Where the handler works: all that it acts upon.
pub(super) struct Site {
    pub(super) now: Micros,
    pub(super) measures: Measures,
    /// The gate, if arrivals are queued by channel.
    pub(super) gate: Option<InputGate<Item>>,
    timers: Vec<Timer>,
    uncancellable_timers: bool,
    pub(super) record: Record,
}

#[derive(Clone, Copy)]
struct Timer {
    at: Micros,
    checkpoint: CheckpointId,
}

/// What is written down.
#[derive(Default)]
pub(super) struct Record {
    /// The ids of what has arrived.
    pub(super) arrived: Vec<String>,
    /// What this step pulled last.
    pub(super) pulled: Option<Item>,
    /// The data and the ends of channels that the task got since it was last looked at.
    pub(super) output: Vec<usize>,
    pub(super) notices: Vec<Notice>,
    pub(super) guard: Option<Guard>,
    pub(super) blocked: BTreeSet<usize>,
    pub(super) network_blocked: BTreeSet<usize>,
    /// The checkpoints all of whose barriers were received.
    received: BTreeSet<u32>,
    /// The in-flight data that was stored: channel and arrival.
    pub(super) stored: Vec<(usize, usize)>,
    /// How much of it had been looked at before.
    pub(super) stored_seen: usize,
    /// The checkpoint that was last started to be stored since then.
    pub(super) started: Option<u32>,
    /// What a handler must never do, if it has.
    offence: Option<(String, String)>,
}

/// What the task was told.
#[derive(Clone, Copy)]
pub(super) enum Notice {
    Trigger {
        checkpoint: u32,
        options: Options,
    },
    Abort {
        checkpoint: u32,
        reason: Reason,
        /// Whether all its barriers had been received then.
        all_received: bool,
    },
}

/// Which trigger is allowed (4.4).
#[derive(Clone, Copy, Default)]
pub(super) struct Guard {
    pub(super) next: Option<u32>,
    reset_on_abort: bool,
}

/// Something on its way to the task. What the gate makes itself has not arrived.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) arrival: Option<usize>,
    content: Content,
}

impl Element for Item {
    fn content(&self) -> Content {
        self.content
    }

    fn announcement(of: Barrier) -> Self {
        Self {
            arrival: None,
            content: Content::Announcement(of),
        }
    }
}

/// The zero of a case's clock: moments before it are moments too.
const EPOCH_MS: i64 = 1 << 40;

fn moment(ms: i64) -> Micros {
    let since_epoch = u64::try_from(ms.saturating_add(EPOCH_MS)).unwrap_or(0);
    Micros(since_epoch.saturating_mul(1_000))
}

/// Cases number checkpoints from 0, as the unit tests do; the core does from 1, as Flink does in a job.
pub(super) fn checkpoint_id(number: u32) -> CheckpointId {
    CheckpointId(number).next()
}

/// The number of a checkpoint in the case; -1 before the first.
pub(super) fn number_of(checkpoint: CheckpointId) -> i64 {
    i64::from(checkpoint.0) - 1
}

fn told(checkpoint: CheckpointId) -> u32 {
    checkpoint.0.saturating_sub(1)
}

impl<'c> Bench<'c> {
    pub(super) fn new(case: &'c Case) -> Self {
        let start = case
            .clock_start_ms
            .unwrap_or_else(|| case.timestamps().max().unwrap_or(0));
        let kinds = case.kinds();
        let queues = matches!(case.gate, Gate::Drain | Gate::Queued);
        Self {
            case,
            inputs: Inputs {
                channels: case.channels,
                checkpoints_after_finish: case.enable_checkpoints_after_tasks_finish,
            },
            handler: Handler::new(match case.mode {
                Mode::Aligned => handler::Mode::Aligned,
                Mode::Unaligned => handler::Mode::Unaligned,
                Mode::Alternating => handler::Mode::Alternating,
                Mode::AtLeastOnce => handler::Mode::AtLeastOnce,
            }),
            withholding: (case.gate == Gate::Withhold)
                .then(|| Withholding::new(case.alignment_limit_bytes)),
            site: Site {
                now: moment(start),
                measures: Measures::default(),
                gate: queues.then(|| InputGate::new(kinds.into_iter().map(channel_kind))),
                timers: Vec::new(),
                uncancellable_timers: case.uncancellable_timers,
                record: Record {
                    guard: case.trigger_guard.map(|guard| Guard {
                        next: guard.initial,
                        reset_on_abort: guard.reset_on_abort,
                    }),
                    ..Record::default()
                },
            },
        }
    }

    /// Performs a step, with everything that it causes.
    pub(super) fn perform(&mut self, step: usize) -> Result<(), Mismatch> {
        self.site.record.pulled = None;
        match &self.case.input[step] {
            Step::Arrival(arrival) => self.arrive(arrival),
            Step::Poll => {
                self.pull();
            }
            Step::Drain => self.drain(),
            Step::RunTimers => self.run_timers(),
            Step::Close => self.handler.close(self.inputs, &mut self.site),
            Step::AdvanceClock { ms, run_timers } => {
                self.site.now = self.site.now + Micros(ms.saturating_mul(1_000));
                if *run_timers {
                    self.run_timers();
                }
            }
            Step::NetworkBlock(channels) => {
                let marks = channels.iter().map(|&channel| usize::from(channel));
                self.site.record.network_blocked.extend(marks);
            }
            Step::NetworkUnblock(channels) => {
                for &channel in channels {
                    let marks = &mut self.site.record.network_blocked;
                    marks.remove(&usize::from(channel));
                }
            }
        }
        match self.site.record.offence.take() {
            Some((expected, came)) => Err(Mismatch {
                step: Some(step),
                expected,
                came,
            }),
            None => Ok(()),
        }
    }

    /// An element arrives and goes as far as the gate lets it (2.3).
    fn arrive(&mut self, arrival: &case::Arrival) {
        let channel = usize::from(arrival.channel);
        let item = Item {
            arrival: Some(self.site.record.arrived.len()),
            content: content(arrival.what, self.site.now),
        };
        self.site.record.arrived.push(arrival.id.clone());
        match self.case.gate {
            Gate::Direct => self.hand_to_handler(channel, item),
            Gate::Fifo => {
                self.hand_to_handler(channel, item);
                self.site.hand_to_task(item);
            }
            Gate::Withhold => {
                if let Some(withholding) = &mut self.withholding {
                    withholding.arrive(arrival.channel, item);
                }
            }
            Gate::Queued | Gate::Drain => {
                if let Some(gate) = &mut self.site.gate
                    && gate.arrive(channel, item)
                {
                    self.site.store(channel, item);
                }
                if self.case.gate == Gate::Drain {
                    self.drain();
                }
            }
        }
    }

    /// The task pulls once; whether it got something.
    pub(super) fn pull(&mut self) -> bool {
        if let (Some(withholding), Handler::Aligned(handler)) =
            (&mut self.withholding, &mut self.handler)
        {
            let pulled = withholding.pull(handler, self.inputs, &mut self.site);
            if let Some((_, item)) = pulled {
                self.site.hand_to_task(item);
            }
            return pulled.is_some();
        }
        let Some((channel, item)) = self.site.gate.as_mut().and_then(InputGate::pull) else {
            return false;
        };
        self.hand_to_handler(channel, item);
        self.site.hand_to_task(item);
        true
    }

    fn drain(&mut self) {
        while self.pull() {}
    }

    fn hand_to_handler(&mut self, channel: usize, item: Item) {
        let now = self.site.now;
        self.handler
            .receive(channel, item.content, self.inputs, now, &mut self.site);
    }

    /// Fires the timers that are due, the earliest first.
    fn run_timers(&mut self) {
        while let Some(timer) = self.site.take_due() {
            self.handler
                .timer(timer.checkpoint, self.inputs, &mut self.site);
        }
    }

    /// Whether nothing more can come (4.1).
    pub(super) fn is_finished(&self) -> bool {
        match (&self.withholding, &self.site.gate) {
            (Some(withholding), _) => withholding.is_empty(),
            (None, Some(gate)) => gate.is_finished(),
            // What arrives at a gate without a queue is consumed in the same step.
            (None, None) => true,
        }
    }
}

impl Site {
    fn hand_to_task(&mut self, item: Item) {
        self.record.pulled = Some(item);
        if let Content::Data { bytes } = item.content {
            self.measures.handed_over(bytes);
        }
        if matches!(item.content, Content::Data { .. } | Content::EndOfPartition) {
            self.record.output.extend(item.arrival);
        }
    }

    fn store(&mut self, channel: usize, item: Item) {
        let arrival = item.arrival.map(|arrival| (channel, arrival));
        self.record.stored.extend(arrival);
    }

    fn take_due(&mut self) -> Option<Timer> {
        let timers = self.timers.iter().enumerate();
        let due = timers.filter(|(_, timer)| timer.at <= self.now);
        let (place, _) = due.min_by_key(|(_, timer)| timer.at)?;
        Some(self.timers.remove(place))
    }
}

impl Host for Site {
    fn perform(&mut self, effect: Effect) {
        self.measures.hear(&effect, self.now);
        match effect {
            Effect::Prioritise {
                channel,
                checkpoint,
            } => {
                if let Some(gate) = &mut self.gate {
                    gate.prioritise(channel, checkpoint);
                }
            }
            Effect::StopInFlight(checkpoint) => {
                if let Some(gate) = &mut self.gate {
                    gate.stop_in_flight(checkpoint);
                }
            }
            Effect::RegisterTimer { checkpoint, at } => self.timers.push(Timer { at, checkpoint }),
            Effect::DropTimer(checkpoint) if !self.uncancellable_timers => {
                self.timers.retain(|timer| timer.checkpoint != checkpoint);
            }
            _ => self.record.write_down(effect),
        }
    }

    fn start_in_flight(&mut self, checkpoint: CheckpointId) -> Result<(), NewerBarrier> {
        let mut stored = Vec::new();
        if let Some(gate) = &mut self.gate {
            gate.start_in_flight(checkpoint, |channel, &item| stored.push((channel, item)))?;
        }
        for (channel, item) in stored {
            self.store(channel, item);
        }
        self.record.started = Some(told(checkpoint));
        Ok(())
    }
}

impl Record {
    fn write_down(&mut self, effect: Effect) {
        match effect {
            Effect::Block(channel) => {
                let anew = self.blocked.insert(channel);
                if !anew {
                    self.offend(
                        format!("channel {channel} to be blocked once"),
                        "blocked while it was blocked".to_owned(),
                    );
                }
            }
            Effect::Resume(channel) => {
                self.blocked.remove(&channel);
                self.network_blocked.remove(&channel);
            }
            Effect::Trigger {
                checkpoint,
                options,
            } => {
                let checkpoint = told(checkpoint);
                self.ask_guard(checkpoint);
                self.notices.push(Notice::Trigger {
                    checkpoint,
                    options,
                });
            }
            Effect::Abort { checkpoint, reason } => {
                let checkpoint = told(checkpoint);
                if let Some(guard) = &mut self.guard
                    && guard.reset_on_abort
                {
                    guard.next = None;
                }
                self.notices.push(Notice::Abort {
                    checkpoint,
                    reason,
                    all_received: self.received.contains(&checkpoint),
                });
            }
            Effect::AllBarriersReceived(checkpoint) => {
                self.received.insert(told(checkpoint));
            }
            _ => {}
        }
    }

    fn ask_guard(&mut self, checkpoint: u32) {
        let Some(guard) = &mut self.guard else {
            return;
        };
        let allowed = guard.next.replace(checkpoint.saturating_add(1));
        if let Some(allowed) = allowed
            && allowed != checkpoint
        {
            self.offend(
                format!("the next checkpoint to be triggered to be {allowed}"),
                format!("{checkpoint} triggered"),
            );
        }
    }

    /// Only the first offence is told.
    fn offend(&mut self, expected: String, came: String) {
        self.offence.get_or_insert((expected, came));
    }
}

fn channel_kind(kind: Kind) -> ChannelKind {
    match kind {
        Kind::Plain | Kind::Local => ChannelKind::Local,
        Kind::Remote => ChannelKind::Remote,
    }
}

fn content(what: What, now: Micros) -> Content {
    match what {
        What::Buffer { bytes } => Content::Data {
            bytes: bytes.unwrap_or(0),
        },
        What::Barrier(barrier) => Content::Barrier(core_barrier(barrier, now)),
        What::Announcement(barrier) => Content::Announcement(core_barrier(barrier, now)),
        What::Cancel { checkpoint } => Content::Cancel(checkpoint_id(checkpoint)),
        What::EndOfPartition => Content::EndOfPartition,
    }
}

fn core_barrier(barrier: case::Barrier, now: Micros) -> Barrier {
    let snapshot = if barrier.savepoint {
        Snapshot::Savepoint
    } else {
        Snapshot::Checkpoint
    };
    let options = match (barrier.kind, barrier.timeout_ms) {
        (BarrierKind::AlignedWithTimeout, Some(timeout)) => Options::timeoutable(Millis(timeout)),
        (BarrierKind::Unaligned, _) => Options::unaligned(snapshot),
        (BarrierKind::Aligned | BarrierKind::AlignedWithTimeout, _) => Options::aligned(snapshot),
    };
    Barrier {
        checkpoint: checkpoint_id(barrier.checkpoint),
        options,
        created: barrier.timestamp.map_or(now, moment),
    }
}
