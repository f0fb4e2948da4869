//! What holds of every handler: whatever comes, in whatever order.

use alloc::vec;
use alloc::vec::Vec;

use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng as _, SeedableRng as _};

use super::aligned::Aligned;
use super::alternating::Alternating;
use super::at_least_once::AtLeastOnce;
use super::channel_queue::ChannelKind;
use super::handler::{Handler, Mode};
use super::input_gate::InputGate;
use super::unaligned::Unaligned;
use super::*;
use crate::time::Millis;

const MODES: [Mode; 4] = [
    Mode::Aligned,
    Mode::Unaligned,
    Mode::Alternating,
    Mode::AtLeastOnce,
];

/// Chance, the same in every run.
struct Chance(Pcg32);

impl Chance {
    fn new(seed: u64) -> Self {
        Self(Pcg32::seed_from_u64(seed))
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0.next_u32() as usize % bound.max(1)
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }
}

fn barrier(checkpoint: u32, options: Options) -> Barrier {
    Barrier {
        checkpoint: CheckpointId(checkpoint),
        options,
        created: Micros::ZERO,
    }
}

fn options(kind: usize) -> Options {
    match kind {
        0 => Options::aligned(Snapshot::Checkpoint),
        1 => Options::aligned(Snapshot::Savepoint),
        2 => Options::timeoutable(Millis(1)),
        _ => Options::unaligned(Snapshot::Checkpoint),
    }
}

/// Handlers are part of a state that is copied by the million.
#[test]
fn handlers_are_small() {
    assert!(size_of::<Aligned>() <= 32);
    assert!(size_of::<Unaligned>() <= 32);
    assert!(size_of::<Alternating>() <= 48);
    assert!(size_of::<AtLeastOnce>() <= 72);
}

#[test]
fn nothing_that_comes_is_too_much() {
    for seed in 0..500 {
        let mut chance = Chance::new(seed);
        let inputs = Inputs {
            channels: chance.below(5) as u16,
            checkpoints_after_finish: chance.one_in(2),
        };
        for mode in MODES {
            let mut handler = Handler::new(mode);
            let mut effects = Vec::new();
            for now in 0..60 {
                let channel = [0, 1, 2, 3, 4, usize::MAX][chance.below(6)];
                let checkpoint = chance.below(4) as u32;
                let options = options(chance.below(4));
                let content = match chance.below(8) {
                    0 => Content::Cancel(CheckpointId(checkpoint)),
                    1 => Content::EndOfPartition,
                    2 => Content::Announcement(barrier(checkpoint, options)),
                    _ => Content::Barrier(barrier(checkpoint, options)),
                };
                let now = Micros(now * 100);
                handler.receive(channel, content, inputs, now, &mut effects);
                if chance.one_in(8) {
                    handler.timer(CheckpointId(checkpoint), inputs, &mut effects);
                }
            }
            handler.close(inputs, &mut effects);
        }
    }
}

/// What travels in the runs below: data are numbered by channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item {
    number: usize,
    content: Content,
}

impl Element for Item {
    fn content(&self) -> Content {
        self.content
    }

    fn announcement(of: Barrier) -> Self {
        Self {
            number: 0,
            content: Content::Announcement(of),
        }
    }
}

/// A task with one gate, its senders, and what a checkpoint would restore.
struct Run {
    inputs: Inputs,
    handler: Handler,
    site: Site,
    /// What each sender has still to send, the last first.
    to_send: Vec<Vec<Item>>,
}

struct Site {
    gate: InputGate<Item>,
    now: Micros,
    timers: Vec<(Micros, CheckpointId)>,
    /// The senders that have stopped behind a barrier.
    stopped: Vec<bool>,
    /// How much data the task has taken from each channel.
    taken: Vec<usize>,
    blocked: Vec<bool>,
    /// The checkpoint whose in-flight data is being stored.
    started: Option<CheckpointId>,
    snapshot: Option<Snapshotted>,
    completed: Vec<CheckpointId>,
    triggered: Vec<CheckpointId>,
    /// How many checkpoints have turned out unaligned with something in flight.
    with_in_flight: usize,
    /// By channel and checkpoint: how much data comes before the barrier. If the channel ends without
    /// one, that is all.
    before: Vec<Vec<usize>>,
}

/// What the newest checkpoint stores.
struct Snapshotted {
    checkpoint: CheckpointId,
    /// How much data of each channel is in the state.
    taken: Vec<usize>,
    /// The data of each channel that was stored beside it.
    in_flight: Vec<Vec<usize>>,
}

impl Run {
    fn new(mode: Mode, chance: &mut Chance) -> Self {
        let channels = 1 + chance.below(4);
        let checkpoints = 1 + chance.below(5);
        let inputs = Inputs {
            channels: channels as u16,
            checkpoints_after_finish: true,
        };
        let (mut to_send, mut before) = (Vec::new(), Vec::new());
        for _ in 0..channels {
            let (items, counts) = script(mode, checkpoints, chance);
            to_send.push(items);
            before.push(counts);
        }
        Self {
            inputs,
            handler: Handler::new(mode),
            site: Site {
                gate: InputGate::new(vec![ChannelKind::Remote; channels]),
                now: Micros::ZERO,
                timers: Vec::new(),
                stopped: vec![false; channels],
                taken: vec![0; channels],
                blocked: vec![false; channels],
                started: None,
                snapshot: None,
                completed: Vec::new(),
                triggered: Vec::new(),
                with_in_flight: 0,
                before,
            },
            to_send,
        }
    }

    /// Lets chance decide what happens, until nothing can.
    fn go(&mut self, chance: &mut Chance) {
        for _ in 0..10_000 {
            let may_send: Vec<_> = (0..self.to_send.len())
                .filter(|&channel| !self.site.stopped[channel])
                .filter(|&channel| !self.to_send[channel].is_empty())
                .collect();
            match chance.below(5) {
                0 => self.wait(Micros(chance.below(400) as u64)),
                1 | 2 if !may_send.is_empty() => self.send(may_send[chance.below(may_send.len())]),
                _ if !self.pull() && may_send.is_empty() => return,
                _ => {}
            }
        }
        panic!("it does not end");
    }

    fn send(&mut self, channel: usize) {
        let item = self.to_send[channel].pop().expect("there is something");
        if let Content::Barrier(barrier) = item.content
            && !barrier.options.is_unaligned()
        {
            self.site.stopped[channel] = true;
        }
        if self.site.gate.arrive(channel, item) {
            self.site.store(channel, item);
        }
    }

    fn pull(&mut self) -> bool {
        let Some((channel, item)) = self.site.gate.pull() else {
            return false;
        };
        let (content, now) = (item.content, self.site.now);
        self.handler
            .receive(channel, content, self.inputs, now, &mut self.site);
        if let Content::Data { .. } = content {
            assert_eq!(item.number, self.site.taken[channel], "in order");
            self.site.taken[channel] += 1;
        }
        true
    }

    fn wait(&mut self, time: Micros) {
        self.site.now = self.site.now + time;
        let now = self.site.now;
        let due: Vec<_> = self
            .site
            .timers
            .extract_if(.., |timer| timer.0 <= now)
            .collect();
        for (_, checkpoint) in due {
            self.handler.timer(checkpoint, self.inputs, &mut self.site);
        }
    }
}

/// What one sender sends, the last first, and how much data comes before each barrier.
fn script(mode: Mode, checkpoints: usize, chance: &mut Chance) -> (Vec<Item>, Vec<usize>) {
    let (mut items, mut before) = (Vec::new(), vec![None]);
    let mut number = 0;
    let mut data = |items: &mut Vec<Item>, chance: &mut Chance| {
        for _ in 0..chance.below(4) {
            items.push(Item {
                number,
                content: Content::Data { bytes: 1 },
            });
            number += 1;
        }
        number
    };
    let last = chance.below(3 * checkpoints);
    for checkpoint in 1..=checkpoints as u32 {
        let so_far = data(&mut items, chance);
        before.push(None);
        if checkpoint as usize > last + 1 {
            continue;
        }
        let content = match (mode, chance.below(20)) {
            (_, 0) => Content::Cancel(CheckpointId(checkpoint)),
            // The sender has given the checkpoint up and says so too late.
            (_, 1) => continue,
            (Mode::Unaligned, _) => Content::Barrier(barrier(checkpoint, options(3))),
            (Mode::Alternating, 2) => Content::Barrier(barrier(checkpoint, options(1))),
            (Mode::Alternating, 3..6) => Content::Barrier(barrier(checkpoint, options(3))),
            (Mode::Alternating, _) => Content::Barrier(barrier(checkpoint, options(2))),
            _ => Content::Barrier(barrier(checkpoint, options(0))),
        };
        if let Content::Barrier(_) = content {
            before[checkpoint as usize] = Some(so_far);
        }
        items.push(Item { number: 0, content });
    }
    let all = data(&mut items, chance);
    let before = before
        .into_iter()
        .map(|count| count.unwrap_or(all))
        .collect();
    items.push(Item {
        number: 0,
        content: Content::EndOfPartition,
    });
    items.reverse();
    (items, before)
}

impl Site {
    fn store(&mut self, channel: usize, item: Item) {
        let started = self.started.expect("something has started");
        let snapshot = self.snapshot.as_mut().expect("it is being taken");
        assert_eq!(snapshot.checkpoint, started);
        snapshot.in_flight[channel].push(item.number);
    }
}

impl Host for Site {
    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Block(channel) => {
                assert!(!self.blocked[channel], "blocked twice");
                self.blocked[channel] = true;
            }
            Effect::Resume(channel) => {
                self.blocked[channel] = false;
                self.stopped[channel] = false;
            }
            Effect::Trigger {
                checkpoint,
                options,
            } => {
                assert!(self.triggered.last() < Some(&checkpoint), "triggered anew");
                self.triggered.push(checkpoint);
                if options.is_unaligned() {
                    let snapshot = self.snapshot.as_ref().expect("it was started");
                    assert_eq!(snapshot.checkpoint, checkpoint);
                } else {
                    self.snapshot = Some(self.snapshot_of(checkpoint));
                }
            }
            Effect::Abort { checkpoint, .. } => {
                assert!(
                    !self.completed.contains(&checkpoint),
                    "complete, then aborted"
                );
            }
            Effect::StopInFlight(checkpoint) => {
                self.gate.stop_in_flight(checkpoint);
                self.started = None;
            }
            Effect::Prioritise {
                channel,
                checkpoint,
            } => self.gate.prioritise(channel, checkpoint),
            Effect::RegisterTimer { checkpoint, at } => self.timers.push((at, checkpoint)),
            Effect::DropTimer(checkpoint) => self.timers.retain(|timer| timer.1 != checkpoint),
            Effect::AllBarriersReceived(checkpoint) => {
                self.completed.push(checkpoint);
                self.check_snapshot(checkpoint);
            }
            Effect::StartInFlight(_)
            | Effect::AlignmentStarted { .. }
            | Effect::AlignmentEnded
            | Effect::AlignmentReset => {}
        }
    }

    fn start_in_flight(&mut self, checkpoint: CheckpointId) -> Result<(), NewerBarrier> {
        let mut snapshot = self.snapshot_of(checkpoint);
        self.gate.start_in_flight(checkpoint, |channel, item| {
            snapshot.in_flight[channel].push(item.number);
        })?;
        assert_eq!(self.started, None, "one at a time");
        self.started = Some(checkpoint);
        self.snapshot = Some(snapshot);
        Ok(())
    }
}

impl Site {
    fn snapshot_of(&self, checkpoint: CheckpointId) -> Snapshotted {
        Snapshotted {
            checkpoint,
            taken: self.taken.clone(),
            in_flight: vec![Vec::new(); self.taken.len()],
        }
    }

    /// A checkpoint holds all data before its barriers, in the state or in flight, and nothing else.
    fn check_snapshot(&mut self, checkpoint: CheckpointId) {
        let snapshot = self.snapshot.as_ref().expect("it was taken");
        assert_eq!(snapshot.checkpoint, checkpoint);
        for (channel, in_flight) in snapshot.in_flight.iter().enumerate() {
            let stored = snapshot.taken[channel]..self.before[channel][checkpoint.index()];
            assert!(
                in_flight.iter().copied().eq(stored.clone()),
                "channel {channel} of checkpoint {checkpoint}: {in_flight:?} for {stored:?}"
            );
        }
        if snapshot.in_flight.iter().any(|stored| !stored.is_empty()) {
            self.with_in_flight += 1;
        }
    }
}

/// Exactly once, as far as a gate can give it; and no sender waits for ever.
#[test]
fn a_checkpoint_holds_what_came_before_its_barriers() {
    for mode in [Mode::Aligned, Mode::Unaligned, Mode::Alternating] {
        let (mut completed, mut with_in_flight) = (0, 0);
        for seed in 0..3_000 {
            let mut chance = Chance::new(seed);
            let mut run = Run::new(mode, &mut chance);
            run.go(&mut chance);
            assert!(
                run.to_send.iter().all(Vec::is_empty),
                "{mode:?} {seed}: a sender waits for ever"
            );
            assert!(run.site.gate.is_finished());
            assert_eq!(run.handler.pending().count(), 0);
            completed += run.site.completed.len();
            with_in_flight += run.site.with_in_flight;
        }
        assert!(completed > 3_000, "{mode:?}: only {completed} complete");
        assert_eq!(with_in_flight > 100, mode != Mode::Aligned);
    }
}
