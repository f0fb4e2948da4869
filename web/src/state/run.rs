//! A run, and what there is to see at one step of it.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use barrierscope_core::commit::costs::Costs;
use barrierscope_core::commit::options::Presumed;
use barrierscope_core::commit::properties::Property;
use barrierscope_core::event::{Event, VotesEvent};
use barrierscope_core::flink::coordinator::Purpose;
use barrierscope_core::id::{CheckpointId, NodeId, RecordId};
use barrierscope_core::kafka::consumer_options::AutoOffsetReset;
use barrierscope_core::kafka::replicated_log::Acks;
use barrierscope_core::mark::{Ending, Mark, MarkKind};
use barrierscope_core::models::delivery::{consumer_options, producer_options, streams_options};
use barrierscope_core::scenario::delivery::Effect;
use barrierscope_core::scenario::{
    CheckpointingMode, DeliveryGuarantee, StoryRef, TransactionNamingStrategy,
};
use barrierscope_core::scene::kafka::Audience;
use barrierscope_core::scene::votes::{PropertyStatus, PropertyView, VotesChoice};
use barrierscope_core::scene::{Choice, Facts, JobView, KafkaChoice, Node, Scene, Withheld};
use barrierscope_core::session::{Promised, Session};
use barrierscope_core::time::Micros;
use barrierscope_core::verdict::Verdict;
use serde_json::Value;

use super::chart::Chart;
use super::chronicle::Chronicle;
use super::{Model, Reported, SPEEDS, Subject, Task};
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
    /// If it was found by a search: the steps with which it begins, by their numbers.
    pub trail: Rc<[u16]>,
    /// The moments of the faults that a person caused on the way to it.
    pub(super) faults: Vec<(Micros, Choice)>,
    /// The fault report or the part of a lesson that it began with, if it did with one.
    pub(super) subject: Option<Subject>,
    /// What differs from the default scenario of its model, or from its subject's, for the address.
    pub(super) changes: OnceCell<Vec<(String, Value)>>,
    /// What happened in it that no state says, between Kafka's clients and brokers.
    pub(super) chronicle: OnceCell<Chronicle>,
    /// The run in space and time.
    pub(super) chart: OnceCell<Rc<Chart>>,
    /// The step to which the latest choice on the way to it has led.
    pub(super) tip: usize,
    /// The furthest step that was looked at.
    pub(super) seen: Cell<usize>,
    pub(super) session: RefCell<Box<dyn Session>>,
}

/// What made a branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The number of the run that it left.
    pub from: usize,
    /// The step at which something was chosen.
    pub step: usize,
    /// What was chosen.
    pub choice: Choice,
    /// How much more was chosen right after that, step by step.
    pub more: usize,
}

impl Run {
    /// What differs from the default scenario of its model, or from its subject's.
    pub(super) fn changes(&self) -> &[(String, Value)] {
        self.changes
            .get_or_init(|| self.with(|session| address::changes(self.subject, session.story())))
    }

    /// The fault report that it is a run of, changed or not.
    pub fn report(&self) -> Option<Reported> {
        self.subject?.report()
    }

    /// The part of a lesson that it is a run of, changed or not.
    pub fn task(&self) -> Option<Task> {
        self.subject?.task()
    }

    /// Whether it is as its scenario began: nobody has changed a setting, or chosen another way.
    pub fn is_untouched(&self) -> bool {
        self.branches.is_empty() && self.trail.is_empty() && self.changes().is_empty()
    }

    /// The model that it is a run of.
    pub fn model(&self) -> Model {
        self.with(|session| Model::of(session.story()))
    }

    /// What there is to see at a step, without looking at it on the page.
    pub fn view_of(self: &Rc<Self>, step: usize) -> View {
        let at = self.with(|session| session.at());
        let view = look(self, step, 0);
        self.session.borrow_mut().go_to(at);
        view
    }

    /// Goes from step to step, and back to the one that was looked at.
    pub fn walk(
        &self,
        steps: impl IntoIterator<Item = usize>,
        mut visit: impl FnMut(&dyn Session),
    ) {
        let mut session = self.session.borrow_mut();
        let at = session.at();
        for step in steps {
            session.go_to(step);
            visit(session.as_ref());
        }
        session.go_to(at);
    }

    /// The run in space and time. It is made when it is asked for the first time.
    pub fn chart(&self) -> Rc<Chart> {
        let chart = self.chart.get_or_init(|| {
            let diagram = self.with(|session| session.diagram());
            Rc::new(Chart::of(diagram))
        });
        Rc::clone(chart)
    }

    /// Reads from the run as it stands.
    pub fn with<T>(&self, read: impl FnOnce(&dyn Session) -> T) -> T {
        read(self.session.borrow().as_ref())
    }
}

/// A view, as far as it knows what to tell of another step of its run.
pub struct AtStep<'a> {
    view: &'a View,
    step: usize,
}

impl AtStep<'_> {
    /// Knows what the things on the stage are called.
    pub fn lexicon(&self, lang: Lang) -> Lexicon<'_> {
        Lexicon {
            records: self,
            ..self.view.lexicon(lang)
        }
    }
}

impl Records for AtStep<'_> {
    fn record(&self, id: RecordId) -> Option<(String, u64)> {
        self.view.record(id)
    }

    fn acks(&self, client: &str) -> Option<Acks> {
        self.view.acks(client)
    }

    fn stores_offsets(&self, client: &str) -> bool {
        self.view.stores_offsets(client)
    }

    fn begins_at_the_end(&self) -> bool {
        self.view.begins_at_the_end()
    }

    fn transactional_id(&self, number: u32) -> Option<String> {
        self.view.transactional_id(number)
    }

    fn was_mistaken(&self, id: RecordId) -> bool {
        let chronicle = self.view.run.chronicle.get();
        chronicle.is_some_and(|chronicle| chronicle.was_mistaken(id, self.step))
    }

    fn has_run_before(&self, node: NodeId) -> bool {
        let chronicle = self.view.run.chronicle.get();
        chronicle.is_none_or(|chronicle| chronicle.has_run_before(node, self.step))
    }

    fn purpose(&self, checkpoint: CheckpointId) -> Option<Purpose> {
        self.view.purpose(checkpoint)
    }
}

impl Records for View {
    fn record(&self, id: RecordId) -> Option<(String, u64)> {
        self.run.with(|session| {
            let (key, value) = session.record(id)?;
            Some((key.to_owned(), value))
        })
    }

    fn acks(&self, client: &str) -> Option<Acks> {
        self.run.with(|session| {
            let kafka = (session.story().pipeline()).and_then(|scenario| scenario.kafka.as_ref());
            if let Some(kafka) = kafka {
                return kafka.sink.config.acks;
            }
            let scenario = session.story().delivery()?;
            let (mut producers, mut streams) = (scenario.producers.iter(), scenario.streams.iter());
            let options = match producers.find(|app| app.name == client) {
                Some(app) => producer_options(app),
                None => streams_options(streams.find(|app| app.name == client)?).map(|it| it.0),
            };
            options.ok().map(|options| options.acks)
        })
    }

    fn stores_offsets(&self, client: &str) -> bool {
        self.run.with(|session| {
            let scenario = session.story().delivery();
            let mut consumers = scenario.into_iter().flat_map(|it| &it.consumers);
            let app = consumers.find(|app| app.name == client);
            app.is_some_and(|app| app.effect == Effect::WithOffset)
        })
    }

    fn begins_at_the_end(&self) -> bool {
        self.run.with(|session| {
            let scenario = session.story().delivery();
            let mut consumers = scenario.into_iter().flat_map(|it| &it.consumers);
            consumers.any(|app| {
                consumer_options(app)
                    .is_ok_and(|options| options.auto_offset_reset == AutoOffsetReset::Latest)
            })
        })
    }

    fn transactional_id(&self, number: u32) -> Option<String> {
        self.run.with(|session| session.transactional_id(number))
    }

    fn was_mistaken(&self, id: RecordId) -> bool {
        self.at(self.step).was_mistaken(id)
    }

    fn has_run_before(&self, node: NodeId) -> bool {
        self.at(self.step).has_run_before(node)
    }

    fn purpose(&self, checkpoint: CheckpointId) -> Option<Purpose> {
        self.run.with(|session| {
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
    /// What was done in it, where nothing came of it that could be told.
    pub quiet: Option<Choice>,
    /// The account so far.
    pub verdict: Verdict,
    /// The records of Kafka's clients that are lost since this step, for whom the verdict is about.
    pub lost: Vec<RecordId>,
    /// What may happen next.
    pub choices: Vec<Choice>,
    /// The properties of atomic commitment, in two-phase commit.
    pub properties: Vec<PropertyView>,
    /// What the model promises, and whether it holds.
    pub promises: Vec<Promised>,
    /// The steps that broke those which are broken.
    pub broken_at: Vec<(Property, usize)>,
    /// What two-phase commit has cost so far.
    pub costs: Costs,
    /// The textbook's names of two-phase commit are wanted beside Flink's.
    pub names: bool,
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
    /// What may not happen next though it belongs there, and why.
    pub fn withheld(&self) -> Vec<Withheld> {
        self.run.with(|session| match session.at() == self.step {
            true => session.withheld(),
            // The run is looked at from another step by now.
            false => Vec::new(),
        })
    }

    /// What it knows to tell of another step of its run.
    pub const fn at(&self, step: usize) -> AtStep<'_> {
        AtStep { view: self, step }
    }

    /// Knows what the things on the stage are called.
    pub fn lexicon(&self, lang: Lang) -> Lexicon<'_> {
        Lexicon {
            lang,
            nodes: &self.scene.nodes,
            records: self,
            terms: self.run.with(|session| match session.story() {
                StoryRef::Pipeline(scenario) => Terms {
                    at_least_once: scenario.checkpointing.mode == CheckpointingMode::AtLeastOnce,
                    transactional: scenario.delivery_guarantee()
                        == Some(DeliveryGuarantee::ExactlyOnce),
                    tolerable: scenario.checkpointing.tolerable_failures,
                    pooling: (scenario.kafka.as_ref()).is_some_and(|kafka| {
                        kafka.sink.naming == TransactionNamingStrategy::Pooling
                    }),
                    textbook: self.names,
                    ..Terms::default()
                },
                StoryRef::Votes(scenario) => Terms {
                    cooperative: scenario.protocol.cooperative_termination,
                    presumed_abort: scenario.protocol.presumed == Presumed::Abort,
                    ..Terms::default()
                },
                StoryRef::Delivery(_) => Terms::default(),
            }),
        }
    }

    /// Whether nobody has looked at it yet: it only says which run it is of.
    pub(super) const fn is_unseen(&self) -> bool {
        self.serial == u64::MAX
    }

    /// The same, told in the names that are wanted.
    #[must_use]
    pub(super) fn named(&self, names: bool, serial: u64) -> Self {
        Self {
            names,
            serial,
            ..self.clone()
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

    /// How fast to play it first. Between Kafka's clients and brokers, and in two-phase commit, everything takes
    /// milliseconds: it is slowed down, so that one can follow.
    pub(super) fn pace(&self) -> f64 {
        let seconds = self.end.0 as f64 / 1_000_000.0;
        match self.run.model() {
            Model::Pipeline => 1.0,
            Model::Sink | Model::Delivery | Model::Streams => {
                (seconds / LONG_ENOUGH).clamp(0.05, 1.0)
            }
            Model::Votes => (seconds / LONG_ENOUGH).clamp(SPEEDS.0, 1.0),
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
            Choice::Votes(VotesChoice::Crash { node }) => *node == id,
            _ => false,
        })
    }

    /// The subtasks of a job that can crash now.
    pub fn crashable(&self) -> HashSet<NodeId> {
        let subtask = |choice: &Choice| match choice {
            Choice::Crash { subtask } => Some(*subtask),
            _ => None,
        };
        self.choices.iter().filter_map(subtask).collect()
    }

    /// Whether a choice is about a node, or about the broker that it is on.
    pub fn is_at(&self, choice: Choice, id: NodeId) -> bool {
        match broker_of(choice) {
            Some(broker) => {
                let node = self.node(id);
                node.is_some_and(|node| is_on(node, broker) || self.leads(broker, node))
            }
            None => choice.node() == id,
        }
    }

    /// Whether a node is the log of a partition that a broker leads: that log is drawn for the partition's.
    fn leads(&self, broker: u16, node: &Node) -> bool {
        let Facts::Output { partition, .. } = node.facts else {
            return false;
        };
        let mut nodes = self.scene.nodes.iter();
        nodes.any(|node| match &node.facts {
            Facts::Replica(view) => {
                view.leads && view.partition == partition && view.broker == broker
            }
            _ => false,
        })
    }

    /// Whether the output topic of a job has brokers.
    pub fn has_brokers(&self) -> bool {
        self.run.model() == Model::Sink
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
                .find(|node| {
                    matches!(
                        node.facts,
                        Facts::Coordinator { .. } | Facts::Producer(_) | Facts::Committer(_)
                    )
                })
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
                | Facts::Committer(_)
                | Facts::Participant(_)
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
    let (mut scene, verdict, mut lost) = (session.scene(), session.verdict(), Vec::new());
    if session.story().delivery().is_some() {
        let chronicle = (run.chronicle).get_or_init(|| Chronicle::of(session.as_mut()));
        put_in_order(&mut scene, chronicle, at);
        lost = newly_lost(session.as_mut(), &verdict);
    }
    let properties = session.properties();
    let broken_at = broken_at(session.as_mut(), &properties);
    let events = session.events();
    View {
        run: Rc::clone(run),
        step: at,
        last,
        time: session.time(at),
        end: session.time(last),
        scene: Rc::new(scene),
        quiet: match events.is_empty() {
            true => session.chosen(),
            false => None,
        },
        events,
        verdict,
        lost,
        choices: session.choices(),
        properties,
        promises: session.promises(),
        broken_at,
        costs: session.costs(),
        names: false,
        serial,
    }
}

/// The steps that broke the properties which are broken at the step that a session looks at.
fn broken_at(session: &mut dyn Session, properties: &[PropertyView]) -> Vec<(Property, usize)> {
    let is_broken = |view: &PropertyView| matches!(view.status, PropertyStatus::Broken(_));
    if !properties.iter().any(is_broken) {
        return Vec::new();
    }
    let at = session.at();
    let marks = session.marks().iter();
    let breaks = marks.filter(|mark| mark.kind == MarkKind::PropertyBroken);
    let steps: Vec<usize> = breaks.map(|mark| mark.step as usize).collect();
    let mut found = Vec::new();
    for step in steps.into_iter().filter(|step| *step <= at) {
        session.go_to(step);
        for event in session.events() {
            if let Event::Votes(VotesEvent::PropertyBroken { property, .. }) = event
                && found.iter().all(|(known, _)| *known != property)
            {
                found.push((property, step));
            }
        }
    }
    session.go_to(at);
    found
}

/// The records that are lost at the step that a session looks at, and were not at the step before.
fn newly_lost(session: &mut dyn Session, now: &Verdict) -> Vec<RecordId> {
    let at = session.at();
    if now.lost == 0 || at == 0 {
        return Vec::new();
    }
    session.go_to(at - 1);
    let before = session.verdict();
    session.go_to(at);
    let lost = |verdict: &Verdict| -> Vec<RecordId> {
        let witnesses = verdict.witnesses.iter();
        (witnesses.filter(|witness| witness.copies == 0))
            .map(|witness| witness.record)
            .collect()
    };
    let known = lost(&before);
    let mut lost = lost(now);
    lost.retain(|record| !known.contains(record));
    lost
}

/// Puts the effects of each group in the order in which they happened: a state knows only how many there
/// are of each record.
fn put_in_order(scene: &mut Scene, chronicle: &Chronicle, step: usize) {
    let groups = scene.nodes.iter().find_map(|node| match &node.facts {
        Facts::Groups(view) => Some(view.groups.iter().map(|group| group.name.clone())),
        _ => None,
    });
    let groups: Vec<String> = groups.into_iter().flatten().collect();
    let members: Vec<(NodeId, String)> = (scene.nodes.iter())
        .filter_map(|node| match &node.facts {
            Facts::Consumer(view) => Some((node.id, view.group.clone())),
            _ => None,
        })
        .collect();
    for node in &mut scene.nodes {
        let Facts::Audience(view) = &mut node.facts else {
            continue;
        };
        let Audience::Effects(group) = view.audience else {
            continue;
        };
        let name = groups.get(usize::from(group));
        let is_member = |client: NodeId| {
            let mut members = members.iter();
            members.any(|(id, group)| *id == client && Some(group) == name)
        };
        let effects = chronicle.effects(step);
        let ordered: Vec<RecordId> = (effects.filter(|(client, _)| is_member(*client)))
            .map(|(_, record)| record)
            .collect();
        // A run too long for a chronicle keeps the order that it has.
        if ordered.len() == view.records.len() {
            view.records = ordered;
        }
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
