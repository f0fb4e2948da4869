//! A stretch of a run, step by step: what every export of a run is made from. It is read off the run's diagram in space
//! and time.

use std::collections::BTreeMap;

use barrierscope_core::diagram::{Bar, Diagram, End, Front, Lane, LaneKind};
use barrierscope_core::event::Event;
use barrierscope_core::id::{LaneId, NodeId};
use barrierscope_core::scene::{TokenKind, WireKind};
use barrierscope_core::session::Session;
use barrierscope_core::time::Micros;

use super::datum::Datum;

/// Which steps of a run are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch {
    /// All of them.
    All,
    /// Some before and some after the one that is looked at.
    Around(usize),
    /// From one to another, both included.
    Between(usize, usize),
}

/// So many steps before and after the one that is looked at.
const AROUND: usize = 40;

impl Stretch {
    /// The first and the last step of it, in a run with so many.
    pub fn bounds(self, last: usize) -> (usize, usize) {
        match self {
            Self::All => (0, last),
            Self::Around(step) => {
                let from = step.min(last).saturating_sub(AROUND);
                (from, step.saturating_add(AROUND).min(last))
            }
            Self::Between(a, b) => (a.min(b).min(last), a.max(b).min(last)),
        }
    }
}

/// A process of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Actor {
    /// Its lane.
    pub lane: LaneId,
    /// What stands for it on the stage, and in the events.
    pub nodes: Vec<NodeId>,
    /// A name without spaces that nobody else has: `total[1]`.
    pub name: String,
    /// What it is: `Subtask`, `Broker`.
    pub kind: &'static str,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its number: step n leads from the state n - 1 to the state n.
    pub number: usize,
    /// When it happened.
    pub at: Micros,
    /// On whose lanes: who acted first, then those whom it befell.
    pub lanes: Vec<LaneId>,
    /// What happened.
    pub events: Vec<Event>,
}

/// Something that went from one to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// What it is, in one word and its number: `Barrier 2`.
    pub what: String,
    /// What it is.
    pub kind: TokenKind,
    /// Who sent it.
    pub from: LaneId,
    /// To whom.
    pub to: LaneId,
    /// The step that sent it.
    pub sent: usize,
    /// What became of it.
    pub end: End,
}

impl Message {
    /// The step that took it, if one did.
    pub const fn taken(&self) -> Option<usize> {
        match self.end {
            End::Received(step) => Some(step as usize),
            End::Lost(_) | End::UnderWay => None,
        }
    }

    /// The step that lost it, if one did.
    pub const fn lost(&self) -> Option<usize> {
        match self.end {
            End::Lost(step) => Some(step as usize),
            End::Received(_) | End::UnderWay => None,
        }
    }
}

/// A stretch of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The name of the scenario.
    pub name: String,
    /// The scenario, as JSON.
    pub scenario: String,
    /// The last step of the whole run.
    pub last: usize,
    /// The first state that is recorded.
    pub from: usize,
    /// The last step that is recorded.
    pub to: usize,
    /// Who takes part in the run.
    pub actors: Vec<Actor>,
    /// The steps, without step 0, in which nothing happens.
    pub steps: Vec<Step>,
    /// What was sent, taken or lost in it, in the order in which it was sent.
    pub messages: Vec<Message>,
    /// What a step has seen of others without a message: the earlier step, and the later one.
    pub looks: Vec<(usize, usize)>,
    /// What takes time, as far as it lies in the stretch.
    pub bars: Vec<Bar>,
    /// The checkpoints, as far as they lie in it.
    pub fronts: Vec<Front>,
}

impl Recording {
    /// Records a stretch of a run.
    pub fn of(session: &dyn Session, diagram: &Diagram, stretch: Stretch) -> Self {
        let (from, to) = stretch.bounds(session.last());
        let is_within = |step: u32| (from..=to).contains(&(step as usize));
        let messages = diagram.messages.iter();
        let messages = messages
            .filter(|it| is_within(it.sent) || it.end.step().is_some_and(is_within))
            .map(|it| Message {
                what: word(it.what),
                kind: it.what,
                from: it.from,
                to: it.to,
                sent: it.sent as usize,
                end: it.end,
            });
        let looks = diagram.looks().iter();
        let looks = looks
            .filter(|(_, later)| is_within(*later))
            .map(|(earlier, later)| (*earlier as usize, *later as usize));
        let overlaps = |began: u32, ended: u32| began as usize <= to && ended as usize >= from;
        let bars = diagram.bars.iter().copied();
        let fronts = diagram.fronts.iter().filter(|front| {
            let ended = front.ended.map_or(u32::MAX, |(step, _)| step);
            overlaps(front.triggered, ended)
        });
        Self {
            name: session.story().name().to_owned(),
            scenario: session.story().to_json(),
            last: session.last(),
            from,
            to,
            actors: actors(diagram),
            steps: (from.max(1)..=to)
                .map(|number| step(diagram, number))
                .collect(),
            messages: messages.collect(),
            looks: looks.collect(),
            bars: bars
                .filter(|bar| overlaps(bar.from.step, bar.to.step))
                .collect(),
            fronts: fronts.cloned().collect(),
        }
    }

    /// What somebody is called.
    pub fn name_of(&self, lane: LaneId) -> &str {
        let known = self.actors.get(lane.index());
        known.map_or("?", |actor| actor.name.as_str())
    }

    /// What everybody does in the stretch, in its order. In most steps one acts; others may be struck by what it does.
    pub fn deeds(&self) -> Vec<Deed<'_>> {
        let (mut taken, mut sent) = (Places::new(), Places::new());
        for (place, message) in self.messages.iter().enumerate() {
            sent.entry((message.sent, message.from))
                .or_default()
                .push(place);
            if let Some(step) = message.taken() {
                taken.entry((step, message.to)).or_default().push(place);
            }
        }
        let mut deeds = Vec::new();
        for step in &self.steps {
            for (at, who) in step.lanes.iter().enumerate() {
                let places =
                    |all: &mut Places| all.remove(&(step.number, *who)).unwrap_or_default();
                deeds.push(Deed {
                    step,
                    who: *who,
                    is_actor: at == 0,
                    takes: places(&mut taken),
                    sends: places(&mut sent),
                });
            }
        }
        deeds
    }
}

/// Messages, by step and lane: their places in the list.
type Places = BTreeMap<(usize, LaneId), Vec<usize>>;

/// What somebody does in a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Deed<'a> {
    /// The step.
    pub step: &'a Step,
    /// Who.
    pub who: LaneId,
    /// Whether they act; others are struck by it.
    pub is_actor: bool,
    /// What they take in it: places among the messages.
    pub takes: Vec<usize>,
    /// What they send in it.
    pub sends: Vec<usize>,
}

/// What a diagram does not have of a step: what only a scene and an account say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// The records in the channels after it.
    pub in_channels: u32,
    /// How many records the reader sees, how many of them more often than it should, and how many are lost.
    pub seen: (u32, u32, u32),
}

impl Measure {
    /// What there is to measure at the step at which a session looks.
    pub fn of(session: &dyn Session) -> Self {
        let scene = session.scene();
        let channels = scene.links.iter();
        let channels = channels.filter(|wire| matches!(wire.kind, WireKind::Channel { .. }));
        let tokens = channels.flat_map(|wire| &wire.tokens);
        let records = tokens.filter(|token| matches!(token.kind, TokenKind::Record(_)));
        let verdict = session.verdict();
        Self {
            in_channels: u32::try_from(records.count()).unwrap_or(u32::MAX),
            seen: (verdict.visible, verdict.doubled, verdict.lost),
        }
    }
}

fn step(diagram: &Diagram, number: usize) -> Step {
    let step = u32::try_from(number).unwrap_or(u32::MAX);
    Step {
        number,
        at: diagram.time(step),
        lanes: diagram.lanes_of(step).to_vec(),
        events: diagram.events(step).to_vec(),
    }
}

/// Everybody, with a name that nobody else has.
fn actors(diagram: &Diagram) -> Vec<Actor> {
    let mut actors: Vec<Actor> = Vec::new();
    for (number, lane) in diagram.lanes.iter().enumerate() {
        let mut name = machine_name(lane);
        if actors.iter().any(|actor| actor.name == name) {
            name = format!("{name}#{number}");
        }
        actors.push(Actor {
            lane: LaneId(number as u16),
            nodes: lane.nodes.to_vec(),
            name,
            kind: kind(lane.kind),
        });
    }
    actors
}

const fn kind(kind: LaneKind) -> &'static str {
    match kind {
        LaneKind::Subtask => "Subtask",
        LaneKind::CheckpointCoordinator => "CheckpointCoordinator",
        LaneKind::TopicWriter => "TopicWriter",
        LaneKind::Client => "Client",
        LaneKind::Broker => "Broker",
        LaneKind::TransactionCoordinator => "TransactionCoordinator",
        LaneKind::GroupCoordinator => "GroupCoordinator",
        LaneKind::Coordinator => "Coordinator",
        LaneKind::Participant => "Participant",
    }
}

/// A name for tools: without spaces, as scenarios name subtasks and brokers.
fn machine_name(lane: &Lane) -> String {
    let name = lane.name.replace(char::is_whitespace, "-");
    match lane.kind {
        LaneKind::Subtask => format!("{name}[{}]", lane.number),
        LaneKind::CheckpointCoordinator => "checkpoint-coordinator".to_owned(),
        LaneKind::TransactionCoordinator => "transaction-coordinator".to_owned(),
        LaneKind::GroupCoordinator => "group-coordinator".to_owned(),
        LaneKind::TopicWriter => "topic-writer".to_owned(),
        LaneKind::Broker => format!("broker-{}", lane.number),
        LaneKind::Coordinator if name.is_empty() => "coordinator".to_owned(),
        LaneKind::Client | LaneKind::Coordinator | LaneKind::Participant => name,
    }
}

/// What something that moves is, in one word and its number.
fn word(kind: TokenKind) -> String {
    let datum = Datum::of(&kind);
    let (name, inner) = datum.named();
    match inner {
        Datum::Number(number) => format!("{name} {number}"),
        Datum::Tuple(parts) => match parts.first() {
            Some(Datum::Number(number)) => format!("{name} {number}"),
            _ => name,
        },
        _ => kind_of_message(kind).unwrap_or(name),
    }
}

/// What a message of Kafka or of two-phase commit is called.
fn kind_of_message(kind: TokenKind) -> Option<String> {
    match kind {
        TokenKind::Message(message) => {
            let part = Datum::of(&message.part).named().0;
            Some(format!("{} {part}", Datum::of(&message.api).named().0))
        }
        TokenKind::TwoPhaseCommit(message) => Some(message.name().to_owned()),
        _ => None,
    }
}
