//! Records a run in space and time: listens to its actions, and follows each message from its sender to its receiver.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::Model;
use crate::commit::Vote;
use crate::diagram::{At, Bar, BarKind, Diagram, End, Front, Message, Point, Reach};
use crate::event::{Event, JobEvent, KafkaEvent, SinkEvent, VotesEvent};
use crate::id::{CheckpointId, LaneId, LinkId, NodeId, RecordId};
use crate::mark::Mark;
use crate::protocol::{Observer, Taking};
use crate::scene::{Health, TokenKind};
use crate::time::Micros;
use crate::timeline::Listener;

/// Makes a [`Diagram`] of a run that it listens to.
pub(super) struct Recorder<'a, M: Model> {
    model: &'a M,
    diagram: Diagram,
    links: Vec<Line>,
    /// The links on which something was sent in this step.
    sent: SmallVec<[LinkId; 8]>,
    now: At,
    reach: Reach,
    /// The message that this step takes.
    taking: Option<Taking>,
    heard: Vec<Event>,
    /// By lane: its last step, and whether it runs.
    latest: Vec<u32>,
    health: Vec<Health>,
    /// The bars that are not over, by their places.
    open: Vec<usize>,
    /// Records that came to a topic while it was read: the step, and who wrote it.
    arrived: Vec<(RecordId, u32, LaneId)>,
}

/// What is on a link and in line for it.
#[derive(Default)]
struct Line {
    /// Places among the messages, the first to arrive first.
    messages: Vec<usize>,
    /// How many of them have set out.
    under_way: usize,
}

/// What stands for a message until it is known what it says.
const UNKNOWN: TokenKind = TokenKind::Trigger(CheckpointId::NONE);

impl<'a, M: Model> Recorder<'a, M> {
    pub(super) fn new(model: &'a M) -> Self {
        let lanes = model.lanes();
        let count = lanes.len();
        let mut recorder = Self {
            model,
            diagram: Diagram::new(lanes),
            links: (0..model.links()).map(|_| Line::default()).collect(),
            sent: SmallVec::new(),
            now: At::default(),
            reach: Reach::default(),
            taking: None,
            heard: Vec::new(),
            latest: alloc::vec![0; count],
            health: alloc::vec![Health::Running; count],
            open: Vec::new(),
            arrived: Vec::new(),
        };
        recorder.look_after_health(&model.initial());
        recorder
    }

    /// The diagram, when the run is over.
    pub(super) fn finish(self) -> Diagram {
        let mut diagram = self.diagram;
        let end = self.now;
        for bar in self.open {
            if let Some(bar) = diagram.bars.get_mut(bar) {
                (bar.to, bar.open) = (end, true);
            }
        }
        for at in 0..diagram.bars.len() {
            let Some(bar) = diagram.bars.get(at).copied() else {
                continue;
            };
            // When the synchronous and the asynchronous part end is known beforehand, but not after which step.
            if bar.to.step > 0 || bar.open {
                continue;
            }
            let from = match bar.from.step {
                0 => diagram.step_at(bar.from.time).max(1),
                step => step,
            };
            let to = diagram.step_at(bar.to.time.min(end.time));
            if let Some(bar) = diagram.bars.get_mut(at) {
                bar.open = bar.to.time > end.time;
                bar.from.step = from;
                bar.to = At {
                    step: to.max(from),
                    time: bar.to.time.min(end.time).max(bar.from.time),
                };
            }
        }
        diagram.messages.retain(|message| message.what != UNKNOWN);
        diagram.messages.sort_by_key(|message| message.sent);
        diagram
    }

    fn line(&mut self, link: LinkId) -> Option<&mut Line> {
        self.links.get_mut(link.index())
    }

    /// A message is sent in this step, and is the next one of the diagram.
    fn send(&mut self, link: LinkId) -> usize {
        let ends = self.model.link(link);
        let (from, to) = (self.model.lane_of(ends.from), self.model.lane_of(ends.to));
        let place = self.diagram.messages.len();
        let known = from.zip(to);
        let (from, to) = known.unwrap_or_default();
        self.diagram.messages.push(Message {
            from,
            to,
            what: UNKNOWN,
            epoch: CheckpointId::NONE,
            sent: self.now.step,
            end: End::UnderWay,
        });
        if known.is_some() {
            match self.reach.message {
                // Its copy is sent by nobody.
                Some((_, place)) => self.look_at_message(link, place),
                None => self.diagram.join(from),
            }
            self.sent.push(link);
        }
        place
    }

    fn look_at_message(&mut self, link: LinkId, place: usize) {
        let at = self.links.get(link.index());
        let at = at.and_then(|line| line.messages.get(place)).copied();
        if let Some(message) = at.and_then(|at| self.diagram.messages.get(at)) {
            let sent = message.sent;
            self.diagram.look(sent);
        }
    }

    fn end(&mut self, message: usize, end: End) {
        if let Some(message) = self.diagram.messages.get_mut(message) {
            message.end = end;
        }
    }

    /// Finds out what the messages say that were sent in this step.
    fn read(&mut self, state: &M::State) {
        for link in core::mem::take(&mut self.sent) {
            let Some(line) = self.links.get(link.index()) else {
                continue;
            };
            for (place, at) in line.messages.iter().enumerate() {
                let Some(message) = self.diagram.messages.get_mut(*at) else {
                    continue;
                };
                if message.what != UNKNOWN {
                    continue;
                }
                if let Some(what) = self.model.message(state, link, place) {
                    message.what = what;
                    message.epoch = match what {
                        TokenKind::Barrier(checkpoint) => checkpoint,
                        TokenKind::Record(_) => self.model.epoch(state, message.from),
                        _ => CheckpointId::NONE,
                    };
                }
            }
        }
    }

    /// A step is on the lanes of all whom it starts or stops.
    fn look_after_health(&mut self, state: &M::State) {
        for at in 0..self.health.len() {
            let lane = LaneId(at as u16);
            let health = self.model.health(state, lane);
            let Some(before) = self.health.get_mut(at) else {
                continue;
            };
            if *before == health {
                continue;
            }
            let (was, is) = (stands(*before), stands(health));
            *before = health;
            self.diagram.join(lane);
            if was == is {
                continue;
            }
            if let Some(kind) = was {
                self.close(lane, |other| other == kind);
            }
            if let Some(kind) = is {
                if kind == BarKind::Down {
                    self.interrupt(lane);
                }
                self.begin(lane, kind);
            }
        }
    }

    /// What a process was doing is over: it has died.
    fn interrupt(&mut self, lane: LaneId) {
        self.close(lane, |kind| {
            !matches!(kind, BarKind::InDoubt | BarKind::Blocked)
        });
        let now = self.now;
        let bars = self.diagram.bars.iter_mut().rev();
        for bar in bars.filter(|bar| bar.lane == lane && bar.to.time > now.time) {
            bar.to = now;
        }
    }

    fn begin(&mut self, lane: LaneId, kind: BarKind) {
        self.open.push(self.diagram.bars.len());
        self.diagram.bars.push(Bar {
            lane,
            kind,
            from: self.now,
            to: self.now,
            open: false,
        });
    }

    fn close(&mut self, lane: LaneId, which: impl Fn(BarKind) -> bool) {
        let (now, bars) = (self.now, &mut self.diagram.bars);
        self.open.retain(|at| {
            let Some(bar) = bars.get_mut(*at) else {
                return false;
            };
            let ends = bar.lane == lane && which(bar.kind);
            if ends {
                bar.to = now;
            }
            !ends
        });
    }

    /// Something whose end is known when it begins.
    fn timed(&mut self, lane: LaneId, kind: BarKind, from: Micros, takes: Micros) {
        if takes == Micros::ZERO {
            return;
        }
        let step = if from == self.now.time {
            self.now.step
        } else {
            0
        };
        self.diagram.bars.push(Bar {
            lane,
            kind,
            from: At { step, time: from },
            to: At {
                step: 0,
                time: from + takes,
            },
            open: false,
        });
    }

    /// The lane on which an event happened.
    fn place(&self, event: &Event) -> Option<LaneId> {
        let node = match *event {
            Event::SubtaskCrashed { subtask, .. }
            | Event::TransactionCommitted { subtask, .. }
            | Event::TransactionAborted { subtask, .. }
            | Event::SnapshotFailed { subtask, .. }
            | Event::NotificationLost { subtask, .. } => Some(subtask),
            Event::Kafka(
                KafkaEvent::Crashed { node }
                | KafkaEvent::Stopped { node }
                | KafkaEvent::Started { node }
                | KafkaEvent::Paused { node }
                | KafkaEvent::Resumed { node }
                | KafkaEvent::LogLost { node },
            ) => Some(node),
            Event::Kafka(KafkaEvent::Elected { replica, .. }) => Some(replica),
            Event::Votes(
                VotesEvent::Crashed { node, .. }
                | VotesEvent::Recovered { node, .. }
                | VotesEvent::Decided { node, .. }
                | VotesEvent::Voted { node, .. }
                | VotesEvent::Blocked { node }
                | VotesEvent::Released { node, .. }
                | VotesEvent::PropertyBroken { node, .. },
            ) => Some(node),
            _ => None,
        };
        let lane = node.and_then(|node| self.diagram.lane_of(node));
        lane.or_else(|| self.diagram.lanes_of(self.now.step).first().copied())
    }

    fn lane(&self, node: NodeId) -> LaneId {
        self.diagram.lane_of(node).unwrap_or_default()
    }

    fn hear(&mut self, event: &Event) {
        if let Some(mark) = Mark::of(event, self.now.step as usize) {
            let lane = self.place(event);
            self.diagram.points.push(Point {
                lane,
                step: mark.step,
                kind: mark.kind,
                checkpoint: mark.checkpoint,
            });
        }
        match *event {
            Event::Sink(event) => self.hear_sink(event),
            Event::Kafka(event) => self.hear_kafka(event),
            Event::Votes(event) => self.hear_votes(event),
            Event::Job(JobEvent::RecordArrived { record, .. }) => {
                let lane = self.diagram.lanes_of(self.now.step).first().copied();
                let step = self.now.step;
                self.arrived.extend(lane.map(|lane| (record, step, lane)));
            }
            Event::RecordEmitted { source, record, .. } => self.read_from_topic(source, record),
            _ => self.hear_checkpoint(event),
        }
    }

    /// What a source reads was written to its topic before.
    fn read_from_topic(&mut self, source: NodeId, record: RecordId) {
        let mut arrived = self.arrived.iter();
        let Some((_, sent, from)) = arrived.find(|(other, ..)| *other == record).copied() else {
            return;
        };
        self.diagram.messages.push(Message {
            from,
            to: self.lane(source),
            what: TokenKind::Record(record),
            epoch: CheckpointId::NONE,
            sent,
            end: End::Received(self.now.step),
        });
    }

    fn hear_checkpoint(&mut self, event: &Event) {
        match *event {
            Event::CheckpointTriggered {
                checkpoint,
                purpose,
            } => self.diagram.fronts.push(Front {
                checkpoint,
                purpose,
                triggered: self.now.step,
                cuts: Vec::new(),
                ended: None,
            }),
            Event::CheckpointCompleted { checkpoint, .. } => self.decide(checkpoint, true),
            Event::CheckpointAborted { checkpoint, .. } => self.decide(checkpoint, false),
            Event::ChannelBlocked {
                subtask,
                checkpoint,
                ..
            } => self.align(subtask, checkpoint, false),
            Event::BarrierArrived {
                subtask,
                checkpoint,
                missing,
                ..
            } => self.align(subtask, checkpoint, missing == 0),
            Event::AlignmentCompleted {
                subtask,
                checkpoint,
                ..
            }
            | Event::AbortNotified {
                subtask,
                checkpoint,
            }
            | Event::CancellationReceived {
                subtask,
                checkpoint,
                ..
            } => self.align(subtask, checkpoint, true),
            Event::AlignmentTimedOut {
                subtask,
                checkpoint,
            } => self.look_at_barriers(subtask, checkpoint),
            Event::SnapshotTaken {
                subtask,
                checkpoint,
                flush,
                sync,
                ..
            } => self.cut(subtask, checkpoint, flush, sync),
            Event::SnapshotUploading {
                subtask,
                checkpoint,
                asynchronous,
                ..
            } => self.upload(subtask, checkpoint, asynchronous),
            _ => {}
        }
    }

    fn decide(&mut self, checkpoint: CheckpointId, completed: bool) {
        let step = self.now.step;
        let mut fronts = self.diagram.fronts.iter_mut().rev();
        if let Some(front) = fronts.find(|front| front.checkpoint == checkpoint) {
            front.ended = Some((step, completed));
        }
    }

    /// A barrier has come to an input; or nobody waits for others any more.
    fn align(&mut self, subtask: NodeId, checkpoint: CheckpointId, is_over: bool) {
        let (lane, kind) = (self.lane(subtask), BarKind::Alignment(checkpoint));
        if is_over {
            self.close(lane, |other| other == kind);
            return;
        }
        let bars = &self.diagram.bars;
        let mut open = self.open.iter().filter_map(|at| bars.get(*at));
        if !open.any(|bar| bar.lane == lane && bar.kind == kind) {
            self.begin(lane, kind);
        }
    }

    /// An alignment times out because of barriers that have been announced, and are still in their channels.
    fn look_at_barriers(&mut self, subtask: NodeId, checkpoint: CheckpointId) {
        let (lane, what) = (self.lane(subtask), TokenKind::Barrier(checkpoint));
        let messages = self.diagram.messages.iter();
        let announced =
            messages.filter(|it| it.to == lane && it.what == what && it.end == End::UnderWay);
        let announced: SmallVec<[u32; 4]> = announced.map(|it| it.sent).collect();
        for step in announced {
            self.diagram.look(step);
        }
    }

    fn cut(&mut self, subtask: NodeId, checkpoint: CheckpointId, flush: Micros, sync: Micros) {
        let (lane, now) = (self.lane(subtask), self.now);
        let mut fronts = self.diagram.fronts.iter_mut().rev();
        if let Some(front) = fronts.find(|front| front.checkpoint == checkpoint) {
            front.cuts.push((lane, now.step));
        }
        self.timed(lane, BarKind::Flush(checkpoint), now.time, flush);
        self.timed(lane, BarKind::Sync(checkpoint), now.time + flush, sync);
    }

    fn upload(&mut self, subtask: NodeId, checkpoint: CheckpointId, takes: Micros) {
        let lane = self.lane(subtask);
        let mut bars = self.diagram.bars.iter().rev();
        let sync = bars.find(|bar| bar.lane == lane && bar.kind == BarKind::Sync(checkpoint));
        let from = sync.map_or(self.now.time, |sync| sync.to.time.max(self.now.time));
        self.timed(lane, BarKind::Async(checkpoint), from, takes);
    }

    fn hear_sink(&mut self, event: SinkEvent) {
        match event {
            SinkEvent::Flushes {
                subtask,
                checkpoint,
                ..
            } => self.begin(self.lane(subtask), BarKind::Flush(checkpoint)),
            SinkEvent::Flushed {
                subtask,
                checkpoint,
                ..
            } => self.close(self.lane(subtask), |kind| {
                kind == BarKind::Flush(checkpoint)
            }),
            _ => {}
        }
    }

    fn hear_kafka(&mut self, event: KafkaEvent) {
        let is_transaction = |kind| matches!(kind, BarKind::Transaction(_));
        match event {
            KafkaEvent::TransactionBegun { client, number } => {
                let lane = self.lane(client);
                self.close(lane, is_transaction);
                self.begin(lane, BarKind::Transaction(number));
            }
            KafkaEvent::TransactionEnded { client, .. } | KafkaEvent::Fenced { client, .. } => {
                self.close(self.lane(client), is_transaction);
            }
            _ => {}
        }
    }

    fn hear_votes(&mut self, event: VotesEvent) {
        match event {
            VotesEvent::Voted {
                node,
                vote: Vote::Commit,
            } => self.begin(self.lane(node), BarKind::InDoubt),
            VotesEvent::Decided { node, .. } => {
                self.close(self.lane(node), |kind| kind == BarKind::InDoubt);
            }
            VotesEvent::Blocked { node } => self.begin(self.lane(node), BarKind::Blocked),
            VotesEvent::Released { node, .. } => {
                self.close(self.lane(node), |kind| kind == BarKind::Blocked);
            }
            // Whoever is down reads nothing: what has come is gone.
            VotesEvent::Missed {
                node,
                from,
                message,
            } => {
                let (to, from, step) = (self.lane(node), self.lane(from), self.now.step);
                let mut messages = self.diagram.messages.iter_mut().rev();
                let missed = messages.find(|it| {
                    (it.from, it.to) == (from, to)
                        && it.what == TokenKind::TwoPhaseCommit(message)
                        && it.end == End::Received(step)
                });
                if let Some(missed) = missed {
                    missed.end = End::Lost(step);
                }
            }
            _ => {}
        }
    }
}

/// What is to be shown of a process that does not run as it should.
fn stands(health: Health) -> Option<BarKind> {
    match health {
        Health::Running => None,
        Health::Paused => Some(BarKind::Paused),
        Health::Starting | Health::Crashed | Health::Cancelled | Health::Removed => {
            Some(BarKind::Down)
        }
    }
}

impl<M: Model> Observer for Recorder<'_, M> {
    fn event(&mut self, event: Event) {
        self.heard.push(event);
    }

    fn wants_detail(&self) -> bool {
        true
    }

    fn queued(&mut self, link: LinkId, place: usize) {
        let message = self.send(link);
        if let Some(line) = self.line(link) {
            let place = place.min(line.messages.len());
            line.messages.insert(place, message);
        }
    }

    fn withdrawn(&mut self, link: LinkId, place: usize) {
        let Some(line) = self.line(link) else {
            return;
        };
        if place < line.messages.len() {
            let message = line.messages.remove(place);
            // It never was on its way: what takes its place is.
            if let Some(message) = self.diagram.messages.get_mut(message) {
                message.what = UNKNOWN;
            }
        }
    }

    fn sent(&mut self, link: LinkId) {
        let waits = self
            .line(link)
            .is_some_and(|line| line.under_way < line.messages.len());
        let message = (!waits).then(|| self.send(link));
        if let Some(line) = self.line(link) {
            line.messages.extend(message);
            line.under_way += 1;
        }
    }

    fn taken_at(&mut self, link: LinkId, place: usize) {
        let Some(line) = self.line(link) else {
            return;
        };
        if place >= line.messages.len() {
            return;
        }
        let message = line.messages.remove(place);
        line.under_way = line.under_way.saturating_sub(1);
        let step = self.now.step;
        let is_received = self
            .taking
            .take_if(|taking| *taking == Taking { link, place });
        let end = match is_received {
            Some(_) => End::Received(step),
            None => End::Lost(step),
        };
        self.end(message, end);
    }

    fn purged(&mut self, link: LinkId) {
        let Some(line) = self.line(link) else {
            return;
        };
        let lost = core::mem::take(line);
        let step = self.now.step;
        for message in lost.messages {
            self.end(message, End::Lost(step));
        }
    }
}

impl<M: Model> Listener<M> for Recorder<'_, M> {
    fn before(&mut self, state: &M::State, action: M::Action, at: Micros) {
        self.now = At {
            step: self.now.step + 1,
            time: at,
        };
        self.taking = self.model.takes(state, action);
        self.reach = self.model.reach(state, action);
        let own = self.model.lane_of(self.model.actor(action));
        let lanes = own.into_iter().chain(self.reach.lanes.iter().copied());
        let mut all: SmallVec<[LaneId; 2]> = SmallVec::new();
        for lane in lanes {
            if !all.contains(&lane) {
                all.push(lane);
            }
        }
        self.diagram.begin(at, all);
        let looks = self.reach.looks.iter();
        let seen: SmallVec<[u32; 2]> = looks
            .filter_map(|lane| self.latest.get(lane.index()).copied())
            .collect();
        for earlier in seen {
            self.diagram.look(earlier);
        }
    }

    fn after(&mut self, state: &M::State) {
        self.read(state);
        for event in core::mem::take(&mut self.heard) {
            self.hear(&event);
            self.diagram.tell(event);
        }
        self.look_after_health(state);
        let step = self.now.step;
        for lane in self.diagram.lanes_of(step) {
            if let Some(latest) = self.latest.get_mut(lane.index()) {
                *latest = step;
            }
        }
    }
}
