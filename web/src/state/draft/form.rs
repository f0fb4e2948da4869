//! What a form changes in a scenario: one thing at a time. Whatever refers to what is renamed or removed follows.

use barrierscope_core::scenario::{
    Breakage, DeliveryGuarantee, Edge, Fault, Input, Operator, Partitioning, Record, Redeploy,
    Scenario, Vertex, Workload,
};
use barrierscope_core::time::{Micros, Millis};

/// What an operator is, as far as the form offers it; all others are written as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads a topic.
    Source,
    /// Passes each record on.
    Map,
    /// Drops some.
    Filter,
    /// Passes each record on several times.
    FlatMap,
    /// Sums up by key.
    Sum,
    /// Joins two inputs.
    Join,
    /// Writes.
    Sink,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Source,
        Self::Map,
        Self::Filter,
        Self::FlatMap,
        Self::Sum,
        Self::Join,
        Self::Sink,
    ];

    /// As scenarios name it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Map => "map",
            Self::Filter => "filter",
            Self::FlatMap => "flat-map",
            Self::Sum => "sum",
            Self::Join => "join",
            Self::Sink => "sink",
        }
    }

    fn operator(self, scenario: &Scenario) -> Operator {
        let cost_ms = Micros::ZERO;
        match self {
            Self::Source => Operator::Source {
                topic: scenario
                    .inputs
                    .first()
                    .map_or_else(String::new, |it| it.topic.clone()),
                interval_ms: Millis(100),
                skew_percent: 0,
                bounded: false,
                start: Default::default(),
            },
            Self::Map => Operator::Map { cost_ms },
            Self::Filter => Operator::Filter {
                drop_every: 2,
                cost_ms,
            },
            Self::FlatMap => Operator::FlatMap { copies: 2, cost_ms },
            Self::Sum => Operator::Sum { cost_ms },
            Self::Join => Operator::Join { cost_ms },
            Self::Sink => Operator::Sink {
                delivery_guarantee: DeliveryGuarantee::ExactlyOnce,
                cost_ms,
            },
        }
    }
}

/// Where the records of a topic come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Numbered through: how many, and of how many keys.
    Numbered(u32, u32),
    /// Written out: a line for each, with its key and its value.
    Listed(String),
}

/// What a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A subtask dies.
    Crash,
    /// A TaskManager is lost.
    TaskManager,
    /// The JobManager is lost.
    JobManager,
    /// A notification is lost.
    Notification,
    /// The job is killed, and deployed again.
    Redeploy,
}

impl FaultKind {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Crash,
        Self::TaskManager,
        Self::JobManager,
        Self::Notification,
        Self::Redeploy,
    ];

    /// As scenarios name it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::TaskManager => "lose_task_manager",
            Self::JobManager => "lose_job_manager",
            Self::Notification => "lose_notification",
            Self::Redeploy => "redeploy",
        }
    }

    /// What a fault is; nothing for those that the form does not offer.
    pub const fn of(what: &Breakage) -> Option<Self> {
        Some(match what {
            Breakage::Crash(_) => Self::Crash,
            Breakage::LoseTaskManager(_) => Self::TaskManager,
            Breakage::LoseJobManager => Self::JobManager,
            Breakage::LoseNotification(_) => Self::Notification,
            Breakage::Redeploy(_) => Self::Redeploy,
            Breakage::LoseCommitResponse(_) => return None,
        })
    }

    fn breakage(self, target: String) -> Breakage {
        match self {
            Self::Crash => Breakage::Crash(target),
            Self::TaskManager => Breakage::LoseTaskManager(target.trim().parse().unwrap_or(0)),
            Self::JobManager => Breakage::LoseJobManager,
            Self::Notification => Breakage::LoseNotification(target),
            Self::Redeploy => Breakage::Redeploy(Redeploy::default()),
        }
    }
}

/// What is hit by a fault, in words; nothing where it is the whole job.
pub(super) fn target(what: &Breakage) -> String {
    match what {
        Breakage::Crash(subtask)
        | Breakage::LoseNotification(subtask)
        | Breakage::LoseCommitResponse(subtask) => subtask.clone(),
        Breakage::LoseTaskManager(number) => number.to_string(),
        Breakage::LoseJobManager | Breakage::Redeploy(_) => String::new(),
    }
}

/// One thing that a form changes. What is meant is said by its place in its list.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// What the scenario is called.
    Name(String),
    /// One operator more, connected behind the last that can have one behind it.
    AddOperator(Kind),
    /// An operator is gone, with its edges and the faults that hit it.
    RemoveOperator(usize),
    /// Another name for an operator, in edges and faults too.
    RenameOperator(usize, String),
    /// How many subtasks it has.
    Parallelism(usize, u16),
    /// How long a record takes; of a source, how often there is one.
    Cost(usize, f64),
    /// The topic that a source reads.
    ReadsTopic(usize, String),
    /// What a sink promises.
    Guarantee(usize, DeliveryGuarantee),
    /// One edge more: from, to.
    Connect(String, String),
    /// An edge is gone.
    Disconnect(usize),
    /// How an edge spreads records.
    Partitioning(usize, Partitioning),
    /// One topic more.
    AddTopic,
    /// A topic is gone.
    RemoveTopic(usize),
    /// Another name for a topic, in the sources too.
    RenameTopic(usize, String),
    /// How many partitions it has.
    Partitions(usize, u16),
    /// Its records.
    Records(usize, Source),
    /// One fault more.
    AddFault,
    /// A fault is gone.
    RemoveFault(usize),
    /// What breaks.
    FaultKind(usize, FaultKind),
    /// Whom it hits.
    FaultTarget(usize, String),
    /// When.
    FaultMoment(usize, u32),
}

impl Change {
    /// The place of what is changed letter by letter; none of what is done at once.
    pub(super) const fn place(&self) -> Option<usize> {
        Some(match self {
            Self::Name(_) => 0,
            Self::RenameOperator(at, _)
            | Self::Parallelism(at, _)
            | Self::Cost(at, _)
            | Self::RenameTopic(at, _)
            | Self::Partitions(at, _)
            | Self::Records(at, Source::Numbered(..))
            | Self::FaultMoment(at, _) => *at,
            _ => return None,
        })
    }
}

/// Changes one thing. What is not there is not changed.
pub(super) fn apply(scenario: &mut Scenario, change: Change) {
    match change {
        Change::Name(name) => scenario.name = name,
        Change::AddOperator(kind) => add_operator(scenario, kind),
        Change::RemoveOperator(at) => remove_operator(scenario, at),
        Change::RenameOperator(at, name) => rename_operator(scenario, at, &name),
        Change::Parallelism(at, parallelism) => {
            with(&mut scenario.job.vertices, at, |it| {
                it.parallelism = parallelism
            });
        }
        Change::Cost(at, millis) => with(&mut scenario.job.vertices, at, |it| {
            set_cost(&mut it.operator, millis);
        }),
        Change::ReadsTopic(at, wanted) => with(&mut scenario.job.vertices, at, |it| {
            if let Operator::Source { topic, .. } = &mut it.operator {
                *topic = wanted;
            }
        }),
        Change::Guarantee(at, wanted) => with(&mut scenario.job.vertices, at, |it| {
            if let Operator::Sink {
                delivery_guarantee, ..
            } = &mut it.operator
            {
                *delivery_guarantee = wanted;
            }
        }),
        Change::Connect(from, to) => connect(scenario, from, to),
        Change::Disconnect(at) => remove(&mut scenario.job.edges, at),
        Change::Partitioning(at, partitioning) => {
            with(&mut scenario.job.edges, at, |it| {
                it.partitioning = partitioning
            });
        }
        Change::AddTopic => {
            let topic = fresh("topic", |name| {
                scenario.inputs.iter().any(|it| it.topic == name)
            });
            scenario.inputs.push(Input {
                topic,
                partitions: 1,
                workload: Workload::Numbered { count: 20, keys: 4 },
                record_bytes: 100,
                arrival: None,
            });
        }
        Change::RemoveTopic(at) => remove(&mut scenario.inputs, at),
        Change::RenameTopic(at, name) => rename_topic(scenario, at, &name),
        Change::Partitions(at, partitions) => {
            with(&mut scenario.inputs, at, |it| it.partitions = partitions);
        }
        Change::Records(at, source) => {
            with(&mut scenario.inputs, at, |it| {
                it.workload = workload(source)
            });
        }
        Change::AddFault => {
            let last = scenario.job.vertices.last();
            let target = last.map_or_else(String::new, |it| format!("{}[0]", it.name));
            scenario.faults.schedule.push(Fault {
                at_ms: Millis(1_000),
                what: Breakage::Crash(target),
            });
        }
        Change::RemoveFault(at) => remove(&mut scenario.faults.schedule, at),
        Change::FaultKind(at, kind) => {
            let first = scenario.job.vertices.first();
            let someone = first.map_or_else(String::new, |it| format!("{}[0]", it.name));
            with(&mut scenario.faults.schedule, at, |it| {
                let before = target(&it.what);
                let is_subtask = before.ends_with(']');
                it.what = kind.breakage(if is_subtask { before } else { someone });
            });
        }
        Change::FaultTarget(at, target) => with(&mut scenario.faults.schedule, at, |it| {
            if let Some(kind) = FaultKind::of(&it.what) {
                it.what = kind.breakage(target);
            }
        }),
        Change::FaultMoment(at, millis) => {
            with(&mut scenario.faults.schedule, at, |it| {
                it.at_ms = Millis(millis)
            });
        }
    }
}

fn with<T>(list: &mut [T], at: usize, change: impl FnOnce(&mut T)) {
    if let Some(item) = list.get_mut(at) {
        change(item);
    }
}

fn remove<T>(list: &mut Vec<T>, at: usize) {
    if at < list.len() {
        list.remove(at);
    }
}

/// A name that nobody has yet: `map`, `map-2`.
fn fresh(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut names =
        std::iter::once(name.to_owned()).chain((2..).map(|number| format!("{name}-{number}")));
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

/// An operator behind the last one that has nothing behind it yet; before the sink, if that is the last.
fn add_operator(scenario: &mut Scenario, kind: Kind) {
    let name = fresh(kind.code(), |name| {
        scenario.job.vertices.iter().any(|it| it.name == name)
    });
    let operator = kind.operator(scenario);
    let by_key = matches!(kind, Kind::Sum | Kind::Join);
    let is_sink = |vertex: &Vertex| matches!(vertex.operator, Operator::Sink { .. });
    let parallelism = scenario.job.vertices.last().map_or(1, |it| it.parallelism);
    let edge = |from: &str, to: &str, by_key: bool| Edge {
        from: from.to_owned(),
        to: to.to_owned(),
        partitioning: if by_key {
            Partitioning::Hash
        } else {
            Partitioning::Rebalance
        },
        feedback: None,
        force_unaligned: false,
    };
    let sink = scenario
        .job
        .vertices
        .iter()
        .find(|it| is_sink(it))
        .map(|it| it.name.clone());
    match (kind, sink) {
        (Kind::Source, _) => {}
        (Kind::Sink, _) | (_, None) => {
            if let Some(last) = scenario.job.vertices.last() {
                let edge = edge(&last.name, &name, by_key);
                scenario.job.edges.push(edge);
            }
        }
        // It comes between the sink and whatever is before that.
        (_, Some(sink)) => {
            let into = scenario.job.edges.iter_mut().filter(|it| it.to == sink);
            for before in into {
                before.to.clone_from(&name);
                if by_key {
                    before.partitioning = Partitioning::Hash;
                }
            }
            scenario.job.edges.push(edge(&name, &sink, false));
        }
    }
    let vertex = Vertex {
        name,
        operator,
        parallelism,
        record_bytes: None,
        state: None,
    };
    let place = scenario.job.vertices.iter().position(is_sink);
    let place = place
        .filter(|_| kind != Kind::Sink)
        .unwrap_or(scenario.job.vertices.len());
    scenario.job.vertices.insert(place, vertex);
}

/// Whoever was before it is then before what was behind it.
fn remove_operator(scenario: &mut Scenario, at: usize) {
    if at >= scenario.job.vertices.len() {
        return;
    }
    let name = scenario.job.vertices.remove(at).name;
    let edges = std::mem::take(&mut scenario.job.edges);
    let (of_it, others): (Vec<_>, Vec<_>) = edges
        .into_iter()
        .partition(|it| it.from == name || it.to == name);
    scenario.job.edges = others;
    for into in of_it.iter().filter(|it| it.to == name) {
        for out in of_it.iter().filter(|it| it.from == name) {
            let is_there = |it: &Edge| it.from == into.from && it.to == out.to;
            if !scenario.job.edges.iter().any(is_there) {
                scenario.job.edges.push(Edge {
                    from: into.from.clone(),
                    ..out.clone()
                });
            }
        }
    }
    let hits = |subtask: &str| subtask.split('[').next() == Some(&name);
    scenario
        .faults
        .schedule
        .retain(|it| !hits(&target(&it.what)));
    scenario
        .faults
        .snapshots
        .retain(|it| !it.subtask.as_deref().is_some_and(hits));
}

fn rename_operator(scenario: &mut Scenario, at: usize, name: &str) {
    let Some(vertex) = scenario.job.vertices.get_mut(at) else {
        return;
    };
    let before = std::mem::replace(&mut vertex.name, name.to_owned());
    for edge in &mut scenario.job.edges {
        for end in [&mut edge.from, &mut edge.to] {
            if *end == before {
                name.clone_into(end);
            }
        }
    }
    let renamed = |subtask: &mut String| {
        let rest = subtask
            .strip_prefix(&before)
            .filter(|rest| rest.starts_with('['));
        if let Some(rest) = rest {
            *subtask = format!("{name}{rest}");
        }
    };
    for fault in &mut scenario.faults.schedule {
        if let Breakage::Crash(subtask)
        | Breakage::LoseNotification(subtask)
        | Breakage::LoseCommitResponse(subtask) = &mut fault.what
        {
            renamed(subtask);
        }
    }
    scenario
        .faults
        .snapshots
        .iter_mut()
        .filter_map(|it| it.subtask.as_mut())
        .for_each(renamed);
}

fn rename_topic(scenario: &mut Scenario, at: usize, name: &str) {
    let Some(input) = scenario.inputs.get_mut(at) else {
        return;
    };
    let before = std::mem::replace(&mut input.topic, name.to_owned());
    for vertex in &mut scenario.job.vertices {
        if let Operator::Source { topic, .. } = &mut vertex.operator
            && *topic == before
        {
            name.clone_into(topic);
        }
    }
}

fn connect(scenario: &mut Scenario, from: String, to: String) {
    let is_keyed = |it: &&Vertex| {
        it.name == to && matches!(it.operator, Operator::Sum { .. } | Operator::Join { .. })
    };
    let partitioning = match scenario.job.vertices.iter().find(is_keyed) {
        Some(_) => Partitioning::Hash,
        None => Partitioning::Rebalance,
    };
    if scenario
        .job
        .edges
        .iter()
        .any(|it| it.from == from && it.to == to)
    {
        return;
    }
    scenario.job.edges.push(Edge {
        from,
        to,
        partitioning,
        feedback: None,
        force_unaligned: false,
    });
}

fn set_cost(operator: &mut Operator, millis: f64) {
    let micros = Micros((millis.max(0.0) * 1_000.0).round() as u64);
    match operator {
        Operator::Source { interval_ms, .. } => *interval_ms = Millis(millis.max(0.0) as u32),
        Operator::Map { cost_ms }
        | Operator::Filter { cost_ms, .. }
        | Operator::FlatMap { cost_ms, .. }
        | Operator::Sum { cost_ms }
        | Operator::Join { cost_ms }
        | Operator::BroadcastState { cost_ms, .. }
        | Operator::Iteration { cost_ms }
        | Operator::TableWriter { cost_ms }
        | Operator::Sink { cost_ms, .. } => *cost_ms = micros,
        Operator::TableCommitter { .. } | Operator::GlobalCommitter { .. } => {}
    }
}

fn workload(source: Source) -> Workload {
    match source {
        Source::Numbered(count, keys) => Workload::Numbered { count, keys },
        Source::Listed(text) => {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            Workload::Records(lines.map(record).collect())
        }
    }
}

/// A key, and a value behind a comma, a tab or the last space; 1 if there is none.
fn record(line: &str) -> Record {
    let line = line.trim();
    let parted = line
        .rsplit_once([',', '\t'])
        .or_else(|| line.rsplit_once(' '));
    let valued = parted.and_then(|(key, value)| Some((key.trim(), value.trim().parse().ok()?)));
    let (key, value) = valued.unwrap_or((line, 1));
    Record {
        key: key.to_owned(),
        value,
    }
}
