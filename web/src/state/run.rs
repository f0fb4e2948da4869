//! A run, and what there is to see at one step of it.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use barrierscope_core::event::Event;
use barrierscope_core::flink::coordinator::Purpose;
use barrierscope_core::id::{CheckpointId, NodeId, RecordId};
use barrierscope_core::mark::{Ending, Mark};
use barrierscope_core::scenario::{CheckpointingMode, DeliveryGuarantee};
use barrierscope_core::scene::{Choice, Facts, JobView, KafkaChoice, Node, Scene};
use barrierscope_core::session::Session;
use barrierscope_core::time::Micros;
use barrierscope_core::verdict::Verdict;
use serde_json::Value;

use super::{Model, SPEEDS};
use crate::address;
use crate::text::{self, Lang, Lexicon, Records, Terms};

/// A run, and where it came from.
pub struct Run {
    /// Its number in the list, from 1.
    pub number: usize,
    /// What made it, if it is a branch.
    pub origin: Option<Origin>,
    /// What was chosen on the way to it: at which step, and its number there.
    pub branches: Vec<(usize, usize)>,
    /// The moments of the faults that a person caused on the way to it.
    pub(super) faults: Vec<(Micros, Choice)>,
    /// What differs from the default scenario of its model, for the address.
    pub(super) changes: OnceCell<Vec<(String, Value)>>,
    pub(super) session: RefCell<Box<dyn Session>>,
}

/// What made a branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The step at which something was chosen.
    pub step: usize,
    /// What was chosen.
    pub choice: Choice,
}

impl Run {
    /// What differs from the default scenario of its model.
    pub(super) fn changes(&self) -> &[(String, Value)] {
        self.changes
            .get_or_init(|| self.with(|session| address::changes(session.story())))
    }

    /// The model that it is a run of.
    pub fn model(&self) -> Model {
        self.with(|session| Model::of(session.story()))
    }

    /// Reads from the run as it stands.
    pub fn with<T>(&self, read: impl FnOnce(&dyn Session) -> T) -> T {
        read(self.session.borrow().as_ref())
    }
}

impl Records for Run {
    fn record(&self, id: RecordId) -> Option<(String, u64)> {
        self.with(|session| {
            let (key, value) = session.record(id)?;
            Some((key.to_owned(), value))
        })
    }

    fn purpose(&self, checkpoint: CheckpointId) -> Option<Purpose> {
        self.with(|session| {
            let mut known = session.checkpoints().iter().rev();
            known
                .find(|known| known.checkpoint == checkpoint)
                .map(|known| known.purpose)
        })
    }
}

/// Everything there is to see at one step of one run. Two views are equal if they are the same one.
#[derive(Clone)]
pub struct View {
    /// The run.
    pub run: Rc<Run>,
    /// The step.
    pub step: usize,
    /// The last step of the run.
    pub last: usize,
    /// The moment of the step.
    pub time: Micros,
    /// The moment of the last step.
    pub end: Micros,
    /// What there is to draw.
    pub scene: Rc<Scene>,
    /// What happened in the step.
    pub events: Vec<Event>,
    /// The account so far.
    pub verdict: Verdict,
    /// What may happen next.
    pub choices: Vec<Choice>,
    serial: u64,
}

impl PartialEq for View {
    fn eq(&self, other: &Self) -> bool {
        self.serial == other.serial
    }
}

/// A run between Kafka's clients and brokers takes so many seconds at least.
const LONG_ENOUGH: f64 = 24.0;

/// How the job stands at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// No record has been read yet.
    Unread,
    /// It has failed for good.
    Failed,
    /// It was stopped with a savepoint.
    Stopped,
    /// None of these.
    Open,
}

impl View {
    /// Knows what the things on the stage are called.
    pub fn lexicon(&self, lang: Lang) -> Lexicon<'_> {
        Lexicon {
            lang,
            nodes: &self.scene.nodes,
            records: self.run.as_ref(),
            terms: self.run.with(|session| match session.story().pipeline() {
                Some(scenario) => Terms {
                    at_least_once: scenario.checkpointing.mode == CheckpointingMode::AtLeastOnce,
                    transactional: scenario.delivery_guarantee()
                        == Some(DeliveryGuarantee::ExactlyOnce),
                    tolerable: scenario.checkpointing.tolerable_failures,
                },
                None => Terms::default(),
            }),
        }
    }

    /// How the job stands: what the account is to say first.
    pub fn outcome(&self) -> Outcome {
        let job = self.scene.nodes.iter().find_map(|node| match node.facts {
            Facts::Coordinator { job, .. } => Some(job),
            _ => None,
        });
        let ending = self.run.with(|session| session.ending());
        let is_last = self.step == self.last;
        let (read, visible) = (self.verdict.read, self.verdict.visible);
        match (job, ending) {
            (Some(JobView::Failed), _) => Outcome::Failed,
            (_, Ending::Failed) if is_last => Outcome::Failed,
            (_, Ending::Stopped) if is_last => Outcome::Stopped,
            _ if read == 0 && visible == 0 && self.verdict.lost == 0 => Outcome::Unread,
            _ => Outcome::Open,
        }
    }

    /// How fast to play it first. Between Kafka's clients and brokers everything takes milliseconds: it is
    /// slowed down, so that one can follow.
    pub(super) fn pace(&self) -> f64 {
        let seconds = self.end.0 as f64 / 1_000_000.0;
        match self.run.model() {
            Model::Pipeline => 1.0,
            Model::Delivery | Model::Streams => (seconds / LONG_ENOUGH).clamp(SPEEDS.0, 1.0),
        }
    }

    /// A node of the scene.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.scene.nodes.iter().find(|node| node.id == id)
    }

    /// The choice that crashes a node, or the broker that it is on, if it can crash now.
    pub fn crash_of(&self, id: NodeId) -> Option<Choice> {
        self.choices.iter().copied().find(|choice| match choice {
            Choice::Crash { subtask } => *subtask == id,
            Choice::Kafka(KafkaChoice::Crash { .. }) => self.is_at(*choice, id),
            _ => false,
        })
    }

    /// Whether a choice is about a node, or about the broker that it is on.
    pub fn is_at(&self, choice: Choice, id: NodeId) -> bool {
        match broker_of(choice) {
            Some(broker) => (self.node(id)).is_some_and(|node| is_on(node, broker)),
            None => choice.node() == id,
        }
    }

    /// The subtasks, in their order.
    pub fn subtasks(&self) -> impl Iterator<Item = &Node> {
        self.scene.nodes.iter().filter(|node| is_subtask(node))
    }

    /// The node that the step was about.
    pub(super) fn subject(&self) -> Option<NodeId> {
        let about = self.events.iter().find_map(text::subject_of);
        about.or_else(|| {
            self.scene
                .nodes
                .iter()
                .find(|node| matches!(node.facts, Facts::Coordinator { .. } | Facts::Producer(_)))
                .map(|node| node.id)
        })
    }
}

/// The broker that a choice is about, if it is one.
pub const fn broker_of(choice: Choice) -> Option<u16> {
    match choice {
        Choice::Kafka(
            KafkaChoice::Crash { broker, .. }
            | KafkaChoice::Pause { broker, .. }
            | KafkaChoice::Resume { broker, .. }
            | KafkaChoice::Stop { broker, .. }
            | KafkaChoice::Start { broker, .. },
        ) => broker,
        Choice::Kafka(KafkaChoice::LoseLog { broker, .. }) => Some(broker),
        _ => None,
    }
}

/// Whether a node is a replica on a broker.
fn is_on(node: &Node, broker: u16) -> bool {
    matches!(&node.facts, Facts::Replica(replica) if replica.broker == broker)
}

/// Whether a node is something that can crash.
pub fn can_crash(node: &Node) -> bool {
    is_subtask(node)
        || matches!(
            node.facts,
            Facts::Producer(_)
                | Facts::Replica(_)
                | Facts::Transactions(_)
                | Facts::Groups(_)
                | Facts::Consumer(_)
                | Facts::Streams { .. }
        )
}

/// Whether a node is a subtask of a job.
pub fn is_subtask(node: &Node) -> bool {
    matches!(
        node.facts,
        Facts::Source { .. } | Facts::Operator { .. } | Facts::Sink { .. }
    )
}

/// Looks at a step of a run.
pub(super) fn look(run: &Rc<Run>, step: usize, serial: u64) -> View {
    let mut session = run.session.borrow_mut();
    session.go_to(step);
    let (at, last) = (session.at(), session.last());
    View {
        run: Rc::clone(run),
        step: at,
        last,
        time: session.time(at),
        end: session.time(last),
        scene: Rc::new(session.scene()),
        events: session.events(),
        verdict: session.verdict(),
        choices: session.choices(),
        serial,
    }
}

/// The marks of a run, with the part of its time at which each stands.
pub fn timeline(view: &View) -> Vec<(Mark, f64)> {
    let end = view.end.0.max(1) as f64;
    view.run.with(|session| {
        (session.marks().iter())
            .map(|mark| (*mark, session.time(mark.step as usize).0 as f64 / end))
            .collect()
    })
}
