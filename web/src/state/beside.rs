//! Runs side by side: the scenario that is run, with the same input and the same faults, and one knob turned.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use barrierscope_core::Barriers;
use barrierscope_core::id::NodeId;
use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::scenario::{DeliveryGuarantee, Scenario, ScenarioError, Story};
use barrierscope_core::scene::{Choice, Node};
use barrierscope_core::time::{Micros, Millis};
use serde_json::{Value, json};

use super::knob::{Knob, turned};
use super::run::{Run, View, look};
use super::{Model, Reported};

/// What the runs differ in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axis {
    /// How checkpoints are taken: aligned, unaligned, at-least-once.
    #[default]
    Barriers,
    /// `execution.checkpointing.aligned-checkpoint-timeout`.
    AlignedTimeout,
    /// The sink's `DeliveryGuarantee`.
    Sink,
    /// The reader's `isolation.level`.
    Isolation,
    /// The producers' `acks`.
    Acks,
    /// The producers' `enable.idempotence`.
    Idempotence,
    /// `processing.guarantee` of Kafka Streams.
    Processing,
    /// Cooperative termination of two-phase commit.
    Termination,
    /// Presumed abort.
    Presumed,
    /// The fix of a fault report.
    Fix,
    /// Nothing but what was chosen: the run, and those that it shares a past with.
    Branch,
}

impl Axis {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Barriers,
        Self::AlignedTimeout,
        Self::Sink,
        Self::Isolation,
        Self::Acks,
        Self::Idempotence,
        Self::Processing,
        Self::Termination,
        Self::Presumed,
        Self::Fix,
        Self::Branch,
    ];

    /// The word for it in the address.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Barriers => "barriers",
            Self::AlignedTimeout => "aligned-timeout",
            Self::Sink => "sink",
            Self::Isolation => "isolation",
            Self::Acks => "acks",
            Self::Idempotence => "idempotence",
            Self::Processing => "processing",
            Self::Termination => "termination",
            Self::Presumed => "presumed",
            Self::Fix => "fix",
            Self::Branch => "branch",
        }
    }

    /// What the run that is looked at can be compared in, the most telling first.
    pub(super) fn of(run: &Run, runs: &[Rc<Run>]) -> Vec<Self> {
        let model = run.model();
        let mut axes = Vec::new();
        if run.report().is_some_and(has_a_fix) {
            axes.push(Self::Fix);
        }
        axes.extend_from_slice(match model {
            Model::Pipeline | Model::Sink => &[
                Self::Barriers,
                Self::AlignedTimeout,
                Self::Sink,
                Self::Isolation,
            ],
            Model::Delivery => &[Self::Acks, Self::Idempotence, Self::Isolation],
            Model::Streams => &[Self::Processing],
            Model::Votes => &[Self::Termination, Self::Presumed],
        });
        axes.retain(|axis| run.with(|session| axis.fits(&session.story().to_story())));
        if runs.len() > 1 {
            axes.push(Self::Branch);
        }
        axes
    }

    /// Whether a scenario has what the knob turns.
    fn fits(self, story: &Story) -> bool {
        match (self, story) {
            (Self::Acks | Self::Idempotence, Story::Delivery(scenario)) => {
                let mut producers = scenario.producers.iter();
                // A transaction allows for neither.
                !scenario.producers.is_empty()
                    && producers.all(|app| app.config.transactional_id.is_none())
            }
            (Self::Isolation, Story::Delivery(scenario)) => !scenario.consumers.is_empty(),
            (Self::Processing, Story::Delivery(scenario)) => !scenario.streams.is_empty(),
            _ => true,
        }
    }

    /// The scenarios that stand side by side.
    fn sides(self, story: &Story) -> Vec<(Side, Result<Story, ScenarioError>)> {
        let turn = |knob: Knob| turned(story, knob);
        match (self, story) {
            (Self::Barriers, Story::Pipeline(scenario)) => (Barriers::ALL.into_iter())
                .map(|way| (Side::Barriers(way), Ok(taken(way, scenario))))
                .collect(),
            (Self::AlignedTimeout, Story::Pipeline(scenario)) => timeouts(scenario)
                .into_iter()
                .map(|(side, timeout)| {
                    let unaligned = taken(Barriers::Unaligned, scenario);
                    let story = match timeout {
                        None => Ok(taken(Barriers::Aligned, scenario)),
                        Some(timeout) => turned(&unaligned, Knob::AlignedTimeout(timeout)),
                    };
                    (side, story)
                })
                .collect(),
            (Self::Sink, Story::Pipeline(scenario)) => {
                let guarantees = [
                    DeliveryGuarantee::None,
                    DeliveryGuarantee::AtLeastOnce,
                    DeliveryGuarantee::ExactlyOnce,
                ];
                // Without brokers nothing is lost that was handed to a producer.
                let from = usize::from(scenario.kafka.is_none());
                (guarantees.into_iter().skip(from))
                    .map(|it| (Side::Sink(it), turn(Knob::Guarantee(it))))
                    .collect()
            }
            (Self::Isolation, Story::Pipeline(_)) => {
                let levels = [
                    IsolationLevel::ReadUncommitted,
                    IsolationLevel::ReadCommitted,
                ];
                (levels.into_iter())
                    .map(|level| (Side::Isolation(level), turn(Knob::Isolation(level))))
                    .collect()
            }
            (Self::Isolation, _) => options(
                story,
                "consumers",
                &[
                    ("isolation.level", json!("read_uncommitted"), &[]),
                    ("isolation.level", json!("read_committed"), &[]),
                ],
            ),
            (Self::Acks, _) => {
                // Idempotence demands acks=all: where they differ in acks, none of them has it.
                let also: &[(&str, Value)] = &[("enable.idempotence", json!(false))];
                options(
                    story,
                    "producers",
                    &[
                        ("acks", json!("0"), also),
                        ("acks", json!("1"), also),
                        ("acks", json!("all"), also),
                    ],
                )
            }
            (Self::Idempotence, _) => {
                let also: &[(&str, Value)] = &[("acks", json!("all"))];
                options(
                    story,
                    "producers",
                    &[
                        ("enable.idempotence", json!(false), also),
                        ("enable.idempotence", json!(true), also),
                    ],
                )
            }
            (Self::Processing, _) => options(
                story,
                "streams",
                &[
                    ("processing.guarantee", json!("at_least_once"), &[]),
                    ("processing.guarantee", json!("exactly_once_v2"), &[]),
                ],
            ),
            (Self::Termination, _) => [false, true]
                .map(|on| {
                    let story = set(story, &["protocol", "cooperative_termination"], json!(on));
                    (Side::Termination(on), story)
                })
                .into(),
            (Self::Presumed, _) => [false, true]
                .map(|on| {
                    let word = if on { "abort" } else { "nothing" };
                    let story = set(story, &["protocol", "presumed"], json!(word));
                    (Side::Presumed(on), story)
                })
                .into(),
            _ => Vec::new(),
        }
    }
}

fn has_a_fix(reported: Reported) -> bool {
    reported.with_fix(true).story().is_ok() && reported.report().has_fix()
}

fn taken(way: Barriers, scenario: &Scenario) -> Story {
    Story::Pipeline(way.apply(scenario.clone()))
}

/// The timeouts that are compared: never, after a while, at once.
fn timeouts(scenario: &Scenario) -> [(Side, Option<Millis>); 3] {
    let known = scenario.checkpointing.aligned_timeout_ms;
    // A tenth of the interval is a while that passes during an alignment under backpressure.
    let some = if known.0 > 0 {
        known
    } else {
        Millis((scenario.checkpointing.interval_ms.0 / 10).max(1))
    };
    [
        (Side::Barriers(Barriers::Aligned), None),
        (Side::AlignedTimeout(some), Some(some)),
        (Side::AlignedTimeout(Millis(0)), Some(Millis(0))),
    ]
}

/// An option of all clients of a kind with a value, and with what goes along.
type Turned<'a> = (&'static str, Value, &'a [(&'a str, Value)]);

fn options(
    story: &Story,
    clients: &str,
    values: &[Turned<'_>],
) -> Vec<(Side, Result<Story, ScenarioError>)> {
    let sides = values.iter().map(|(name, value, also)| {
        let mut json: Value = serde_json::from_str(&story.as_ref().to_json()).unwrap_or_default();
        let apps = json.get_mut(clients).and_then(Value::as_array_mut);
        for app in apps.into_iter().flatten() {
            let Some(app) = app.as_object_mut() else {
                continue;
            };
            let config = app.entry("config").or_insert_with(|| json!({}));
            for (name, value) in also
                .iter()
                .map(|(name, value)| (*name, value))
                .chain([(*name, value)])
            {
                config[name] = value.clone();
            }
        }
        let word = match value {
            Value::String(word) => word.clone(),
            other => other.to_string(),
        };
        (
            Side::Option(name, word),
            Story::from_json(&json.to_string()),
        )
    });
    sides.collect()
}

/// The story with a field set, whether what it stands in is there or not.
fn set(story: &Story, path: &[&str], value: Value) -> Result<Story, ScenarioError> {
    let mut json: Value = serde_json::from_str(&story.as_ref().to_json()).unwrap_or_default();
    let mut field = &mut json;
    for name in path {
        if !field.is_object() {
            *field = json!({});
        }
        field = &mut field[*name];
    }
    *field = value;
    Story::from_json(&json.to_string())
}

/// What is particular to one of the runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// How its checkpoints are taken.
    Barriers(Barriers),
    /// How long its unaligned checkpoints stay aligned.
    AlignedTimeout(Millis),
    /// Its sink's guarantee.
    Sink(DeliveryGuarantee),
    /// What its reader sees.
    Isolation(IsolationLevel),
    /// An option of its clients, and its value.
    Option(&'static str, String),
    /// With cooperative termination, or without.
    Termination(bool),
    /// With presumed abort, or without.
    Presumed(bool),
    /// With the fix, or without.
    Fix(bool),
    /// The number of the run.
    Run(usize),
}

/// One of the runs.
#[derive(Clone)]
pub struct Column {
    /// What is particular to it.
    pub side: Side,
    /// Whether it is the run that is looked at.
    pub is_this: bool,
    /// What was chosen in the run that is looked at, and cannot be done here.
    pub dropped: Vec<Choice>,
    /// What there is to see of it at the moment; none until it is run.
    pub view: Option<Result<Rc<View>, ScenarioError>>,
    story: Option<Story>,
}

impl Column {
    /// What there is to see, if it could be run.
    pub fn shown(&self) -> Option<&Rc<View>> {
        self.view.as_ref()?.as_ref().ok()
    }
}

/// Runs side by side.
#[derive(Clone, Default)]
pub struct Beside {
    /// What they differ in.
    pub axis: Axis,
    /// What they could differ in.
    pub axes: Vec<Axis>,
    /// The runs.
    pub columns: Vec<Column>,
    /// The run that is looked at.
    run: Option<Rc<Run>>,
    serial: u64,
}

impl Beside {
    /// The runs beside one, where they are to differ in what is `wanted` if they can; none if they stand there already.
    pub(super) fn anew(
        &self,
        view: &Rc<View>,
        runs: &[Rc<Run>],
        wanted: Option<Axis>,
    ) -> Option<Self> {
        let axes = Axis::of(&view.run, runs);
        let axis = wanted.filter(|axis| axes.contains(axis));
        let axis = axis.or(axes.first().copied()).unwrap_or_default();
        let is_same = self
            .run
            .as_ref()
            .is_some_and(|old| Rc::ptr_eq(old, &view.run));
        if is_same && self.axis == axis && self.axes == axes {
            return None;
        }
        let columns = match axis {
            Axis::Branch => branches(view, runs),
            Axis::Fix => fixes(view),
            axis => turns(view, axis),
        };
        Some(Self {
            axis,
            axes,
            columns,
            run: Some(Rc::clone(&view.run)),
            serial: self.serial,
        })
    }

    /// Whether something has still to be run.
    pub(super) fn is_incomplete(&self) -> bool {
        self.columns.iter().any(|column| column.view.is_none())
    }

    /// The same with one more of them run: that takes as long as it takes.
    pub(super) fn with_next(&self) -> Option<Self> {
        let at = self
            .columns
            .iter()
            .position(|column| column.view.is_none())?;
        let original = self.run.as_ref()?;
        let mut next = self.clone();
        let column = next.columns.get_mut(at)?;
        let story = column.story.take()?;
        column.view = Some(ran(story, original).map(|(run, dropped)| {
            column.dropped = dropped;
            Rc::new(look(&Rc::new(run), 0, u64::MAX))
        }));
        Some(next)
    }

    /// The same runs at the moment at which one looks at `view`: at their ends, if that is at its own.
    pub(super) fn at(&self, view: &Rc<View>, moment: Micros) -> Option<Self> {
        let is_over = view.step == view.last;
        let mut next = None;
        for (at, column) in self.columns.iter().enumerate() {
            let Some(shown) = column.shown() else {
                continue;
            };
            let shown = if column.is_this {
                (!Rc::ptr_eq(shown, view)).then(|| Rc::clone(view))
            } else {
                let step = match is_over {
                    true => shown.last,
                    false => shown.run.with(|session| session.step_at(moment)),
                };
                let named = shown.names == view.names;
                let is_new = shown.step != step || !named || shown.is_unseen();
                is_new.then(|| {
                    let serial = (1 << 48) + self.serial + at as u64;
                    Rc::new(look(&shown.run, step, serial).named(view.names, serial))
                })
            };
            let Some(shown) = shown else {
                continue;
            };
            let next = next.get_or_insert_with(|| self.clone());
            if let Some(column) = next.columns.get_mut(at) {
                column.view = Some(Ok(shown));
            }
        }
        let mut next = next?;
        next.serial += next.columns.len() as u64;
        Some(next)
    }

    /// The nodes of a run that stand differently from those of the first one, in the order of the stage.
    pub fn different(&self, view: &View) -> Vec<NodeId> {
        let Some(first) = self.columns.iter().find_map(Column::shown) else {
            return Vec::new();
        };
        let same = |one: &Node, other: &Node| one.name == other.name && one.number == other.number;
        let nodes = view.scene.nodes.iter().enumerate();
        let differs = nodes.filter(|(at, node)| {
            // Replicas of a partition are called alike: the first one there is the first one here.
            let before = view.scene.nodes.iter().take(*at);
            let before = before.filter(|it| same(it, node)).count();
            let mut others = first.scene.nodes.iter().filter(|it| same(it, node));
            let other = others.nth(before);
            other.is_none_or(|other| other.facts != node.facts || other.health != node.health)
        });
        differs.map(|(_, node)| node.id).collect()
    }
}

/// The run that is looked at and those that it shares a past with: the first one, and the newest ones.
fn branches(view: &Rc<View>, runs: &[Rc<Run>]) -> Vec<Column> {
    let mut others: Vec<&Rc<Run>> = (runs.iter())
        .filter(|run| !Rc::ptr_eq(run, &view.run))
        .collect();
    if others.len() > 2 {
        others = vec![others[0], others[others.len() - 1]];
    }
    let mut columns: Vec<Column> = others
        .into_iter()
        .map(|run| Column {
            side: Side::Run(run.number),
            is_this: false,
            dropped: Vec::new(),
            view: Some(Ok(Rc::new(look(run, 0, u64::MAX)))),
            story: None,
        })
        .collect();
    columns.push(this(Side::Run(view.run.number), view));
    columns.sort_by_key(|column| match column.side {
        Side::Run(number) => number,
        _ => 0,
    });
    columns
}

fn fixes(view: &Rc<View>) -> Vec<Column> {
    let Some(open) = view.run.report() else {
        return Vec::new();
    };
    let column = |fixed: bool| match open.fixed == fixed {
        true => this(Side::Fix(fixed), view),
        false => column(Side::Fix(fixed), open.with_fix(fixed).story()),
    };
    vec![column(false), column(true)]
}

fn turns(view: &Rc<View>, axis: Axis) -> Vec<Column> {
    let story = view.run.with(|session| session.story().to_story());
    let sides = axis.sides(&story).into_iter();
    sides
        .map(|(side, turned)| match turned {
            Ok(turned) if turned == story => this(side, view),
            turned => column(side, turned),
        })
        .collect()
}

fn this(side: Side, view: &Rc<View>) -> Column {
    Column {
        side,
        is_this: true,
        dropped: Vec::new(),
        view: Some(Ok(Rc::clone(view))),
        story: None,
    }
}

fn column(side: Side, story: Result<Story, ScenarioError>) -> Column {
    let (story, view) = match story {
        Ok(story) => (Some(story), None),
        Err(error) => (None, Some(Err(error))),
    };
    Column {
        side,
        is_this: false,
        dropped: Vec::new(),
        view,
        story,
    }
}

/// A scenario run with what a person broke in another run, at the same moments; and what could not be done again.
fn ran(story: Story, original: &Run) -> Result<(Run, Vec<Choice>), ScenarioError> {
    let mut session = barrierscope_core::start(story)?;
    let mut dropped = Vec::new();
    for (moment, choice) in &original.faults {
        let step = session.step_at(*moment);
        session.go_to(step);
        match session.branch(*choice) {
            Ok(branch) => session = branch,
            Err(_) => dropped.push(*choice),
        }
    }
    let run = Run {
        number: original.number,
        origin: None,
        branches: Vec::new(),
        trail: Rc::default(),
        faults: original.faults.clone(),
        subject: None,
        changes: OnceCell::new(),
        chronicle: OnceCell::new(),
        chart: OnceCell::new(),
        tip: 0,
        seen: Cell::default(),
        session: RefCell::new(session),
    };
    Ok((run, dropped))
}
