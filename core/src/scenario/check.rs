use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{
    CheckpointingMode, Operator, Partitioning, Scenario, ScenarioError, VERSION, Workload,
};
use crate::flink::job_graph::{self, EdgePlan, GraphError, JobGraph, VertexPlan};
use crate::time::Millis;

/// How large a scenario may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits;

impl Limits {
    /// Records in all workloads together.
    pub const RECORDS: u32 = 200_000;
    /// Topics that are read.
    pub const INPUTS: usize = 32;
    /// Edges of a job.
    pub const EDGES: usize = 128;
    /// Channels of a job: every state and every keyframe holds all of them.
    pub const CHANNELS: usize = 20_000;
    /// Records times subtasks: each subtask knows which keys are its own.
    pub const KEYS: u64 = 20_000_000;
    /// Subtasks of one vertex.
    pub const PARALLELISM: u16 = 128;
    /// Vertices of a job.
    pub const VERTICES: usize = 32;
    /// Partitions of a topic.
    pub const PARTITIONS: u16 = 512;
    /// Steps of a run.
    pub const STEPS: u32 = 10_000_000;
    /// The longest cost or interval: a day.
    pub const DURATION: Millis = Millis(86_400_000);
    /// Copies that a flat-map makes.
    pub const COPIES: u8 = 10;
    /// Copies of one record that may come together in an operator.
    pub const MULTIPLICITY: u32 = 1_000;
    /// Copies of one record that may come together in the state of an operator.
    pub const COUNT: u32 = 14;
    /// Records in a channel.
    pub const BUFFERS: u32 = 10_000;
}

type Checked = Result<(), ScenarioError>;

fn between(field: &str, value: u64, least: u64, most: u64) -> Checked {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(ScenarioError::new(
        field,
        format!("{value} is out of range: {least} to {most}"),
    ))
}

fn refuse(field: impl Into<alloc::string::String>, reason: &str) -> Checked {
    Err(ScenarioError::new(field, reason))
}

impl Scenario {
    /// Whether the scenario makes sense.
    ///
    /// # Errors
    /// [`ScenarioError`] names the first field that does not, and says what would be right.
    pub fn check(&self) -> Checked {
        if self.version != VERSION {
            return Err(ScenarioError::new(
                "version",
                format!(
                    "this program reads version {VERSION}, the scenario has {}",
                    self.version
                ),
            ));
        }
        self.check_inputs()?;
        self.check_vertices()?;
        let graph = self.graph()?;
        self.check_shape()?;
        let records = self
            .inputs
            .iter()
            .map(|input| input.workload.len())
            .sum::<u64>();
        let keys = records.saturating_mul(graph.subtasks().len() as u64);
        if keys > Limits::KEYS {
            return Err(ScenarioError::new(
                "inputs",
                format!(
                    "{records} records for {} subtasks are too many: their product is at most {}",
                    graph.subtasks().len(),
                    Limits::KEYS
                ),
            ));
        }
        self.check_times()?;
        self.check_faults()
    }

    fn check_inputs(&self) -> Checked {
        if self.inputs.is_empty() || self.inputs.len() > Limits::INPUTS {
            return Err(ScenarioError::new(
                "inputs",
                format!(
                    "{} topics: there are 1 to {}",
                    self.inputs.len(),
                    Limits::INPUTS
                ),
            ));
        }
        let mut records = 0;
        for (at, input) in self.inputs.iter().enumerate() {
            let field = |name: &str| format!("inputs[{at}].{name}");
            if self
                .inputs
                .iter()
                .take(at)
                .any(|other| other.topic == input.topic)
            {
                return Err(ScenarioError::new(
                    field("topic"),
                    format!("there is another input named `{}`", input.topic),
                ));
            }
            if input.topic.is_empty() || input.topic == self.output.topic {
                return refuse(
                    field("topic"),
                    "a topic has a name, and the input is not the topic that the job writes",
                );
            }
            let most = u64::from(Limits::RECORDS);
            let (name, count) = match &input.workload {
                Workload::Dataset(_) => ("dataset", input.workload.len()),
                Workload::Records(_) => ("records", input.workload.len()),
                Workload::Numbered { keys, .. } => {
                    between(&field("workload.numbered.keys"), u64::from(*keys), 1, most)?;
                    ("numbered.count", input.workload.len())
                }
            };
            between(&field(&format!("workload.{name}")), count, 1, most)?;
            records += count;
            let partitions = u64::from(input.partitions);
            between(
                &field("partitions"),
                partitions,
                1,
                u64::from(Limits::PARTITIONS),
            )?;
        }
        between("inputs", records, 1, u64::from(Limits::RECORDS))?;
        if self.output.topic.is_empty() {
            return refuse("output.topic", "a topic has a name");
        }
        if let Some(partitions) = self.output.partitions {
            let most = u64::from(Limits::PARTITIONS);
            between("output.partitions", u64::from(partitions), 1, most)?;
        }
        Ok(())
    }

    fn check_vertices(&self) -> Checked {
        let vertices = &self.job.vertices;
        if self.job.edges.len() > Limits::EDGES {
            return Err(ScenarioError::new(
                "job.edges",
                format!(
                    "{} edges: at most {} fit",
                    self.job.edges.len(),
                    Limits::EDGES
                ),
            ));
        }
        if vertices.len() > Limits::VERTICES {
            return Err(ScenarioError::new(
                "job.vertices",
                format!(
                    "{} vertices: at most {} fit",
                    vertices.len(),
                    Limits::VERTICES
                ),
            ));
        }
        for (at, vertex) in vertices.iter().enumerate() {
            let field = |name: &str| format!("job.vertices[{at}].{name}");
            if vertex.name.is_empty() || vertex.name.contains(['[', ']']) {
                return refuse(field("name"), "a name must not be empty, nor hold [ or ]");
            }
            if vertices
                .iter()
                .take(at)
                .any(|other| other.name == vertex.name)
            {
                return Err(ScenarioError::new(
                    field("name"),
                    format!("there is another vertex named `{}`", vertex.name),
                ));
            }
            between(
                &field("parallelism"),
                u64::from(vertex.parallelism),
                1,
                u64::from(Limits::PARALLELISM),
            )?;
            let (name, cost, least) = match vertex.operator {
                Operator::Source { interval_ms, .. } => ("interval_ms", interval_ms, 1),
                Operator::Map { cost_ms }
                | Operator::Filter { cost_ms, .. }
                | Operator::FlatMap { cost_ms, .. }
                | Operator::Sum { cost_ms }
                | Operator::Join { cost_ms }
                | Operator::Sink { cost_ms, .. } => ("cost_ms", cost_ms, 0),
            };
            between(
                &field(&format!("operator.{name}")),
                u64::from(cost.0),
                least,
                u64::from(Limits::DURATION.0),
            )?;
            self.check_operator(&vertex.operator, &field)?;
        }
        Ok(())
    }

    fn check_operator(&self, operator: &Operator, field: &dyn Fn(&str) -> String) -> Checked {
        match operator {
            Operator::Source {
                topic,
                skew_percent,
                ..
            } => {
                between(
                    &field("operator.skew_percent"),
                    u64::from(*skew_percent),
                    0,
                    1_000,
                )?;
                if self.inputs.iter().any(|input| input.topic == *topic) {
                    return Ok(());
                }
                let names: Vec<&str> = self.inputs.iter().map(|i| i.topic.as_str()).collect();
                Err(ScenarioError::new(
                    field("operator.topic"),
                    format!("there is no input `{topic}`, but: {}", names.join(", ")),
                ))
            }
            Operator::Filter { drop_every, .. } => between(
                &field("operator.drop_every"),
                u64::from(*drop_every),
                2,
                u64::from(u32::MAX),
            ),
            Operator::FlatMap { copies, .. } => between(
                &field("operator.copies"),
                u64::from(*copies),
                1,
                u64::from(Limits::COPIES),
            ),
            _ => Ok(()),
        }
    }

    /// The job graph of this scenario.
    ///
    /// # Errors
    /// [`ScenarioError`] names the vertex or edge that does not fit.
    pub(crate) fn graph(&self) -> Result<JobGraph, ScenarioError> {
        let plan: Vec<VertexPlan> = self
            .job
            .vertices
            .iter()
            .map(|vertex| VertexPlan {
                name: vertex.name.clone(),
                parallelism: vertex.parallelism,
            })
            .collect();
        let mut edges = Vec::new();
        for (at, edge) in self.job.edges.iter().enumerate() {
            let find = |name: &str, end: &str| {
                plan.iter()
                    .position(|vertex| vertex.name == name)
                    .ok_or_else(|| {
                        let names: Vec<&str> = plan.iter().map(|v| v.name.as_str()).collect();
                        ScenarioError::new(
                            format!("job.edges[{at}].{end}"),
                            format!("there is no vertex `{name}`, but: {}", names.join(", ")),
                        )
                    })
            };
            edges.push(EdgePlan {
                from: find(&edge.from, "from")?,
                to: find(&edge.to, "to")?,
                partitioning: match edge.partitioning {
                    Partitioning::Forward => job_graph::Partitioning::Forward,
                    Partitioning::Hash => job_graph::Partitioning::Hash,
                    Partitioning::Rebalance => job_graph::Partitioning::Rebalance,
                    Partitioning::Broadcast => job_graph::Partitioning::Broadcast,
                },
            });
        }
        let graph = JobGraph::new(&plan, &edges).map_err(|error| self.graph_error(error))?;
        if graph.channels().len() > Limits::CHANNELS {
            return Err(ScenarioError::new(
                "job.edges",
                format!(
                    "the edges make {} channels: at most {} fit",
                    graph.channels().len(),
                    Limits::CHANNELS
                ),
            ));
        }
        Ok(graph)
    }

    fn graph_error(&self, error: GraphError) -> ScenarioError {
        let vertex_name = |at: usize| self.job.vertices.get(at).map_or("", |v| v.name.as_str());
        match error {
            GraphError::NoSuchVertex { edge } => ScenarioError::new(
                format!("job.edges[{edge}]"),
                "an end of this edge is not a vertex",
            ),
            GraphError::NoSubtask { vertex } => ScenarioError::new(
                format!("job.vertices[{vertex}].parallelism"),
                "0 is out of range: a vertex has at least one subtask",
            ),
            GraphError::UnequalParallelism { edge } => ScenarioError::new(
                format!("job.edges[{edge}].partitioning"),
                "`forward` needs the same parallelism on both sides; `hash` and `rebalance` do not",
            ),
            GraphError::Cycle { vertex } => ScenarioError::new(
                "job.edges",
                format!(
                    "the edges run in a circle through `{}`: a job graph has none",
                    vertex_name(vertex)
                ),
            ),
            GraphError::TooLarge => {
                ScenarioError::new("job", "the graph has more subtasks or channels than fit")
            }
        }
    }

    /// Every vertex lies on a way from a source to a sink, and what keeps a state by key gets its
    /// records by key.
    fn check_shape(&self) -> Checked {
        let vertices = &self.job.vertices;
        for (what, found) in [
            ("source", vertices.iter().any(|v| is_source(&v.operator))),
            ("sink", vertices.iter().any(|v| is_sink(&v.operator))),
        ] {
            if !found {
                return refuse(
                    "job.vertices",
                    &format!("no {what}: a job needs a vertex of the kind `{what}`"),
                );
            }
        }
        for (at, vertex) in vertices.iter().enumerate() {
            self.check_edges_of(at, &vertex.name, &vertex.operator)?;
            if let Operator::Source { topic, .. } = &vertex.operator
                && vertices.iter().take(at).any(
                    |other| matches!(&other.operator, Operator::Source { topic: t, .. } if t == topic),
                )
            {
                return Err(ScenarioError::new(
                    format!("job.vertices[{at}].operator.topic"),
                    format!("another source reads `{topic}` already"),
                ));
            }
        }
        let reads = |v: &super::Vertex, name: &str| matches!(&v.operator, Operator::Source { topic, .. } if topic == name);
        for (at, input) in self.inputs.iter().enumerate() {
            if !vertices.iter().any(|vertex| reads(vertex, &input.topic)) {
                return Err(ScenarioError::new(
                    format!("inputs[{at}].topic"),
                    format!("no source reads `{}`", input.topic),
                ));
            }
        }
        let promises = vertices.iter().filter_map(|v| match v.operator {
            Operator::Sink {
                delivery_guarantee, ..
            } => Some(delivery_guarantee),
            _ => None,
        });
        if promises
            .clone()
            .any(|promise| Some(promise) != self.delivery_guarantee())
        {
            return refuse(
                "job.vertices",
                "the sinks differ in their delivery_guarantee: they write one topic, and must agree",
            );
        }
        Ok(())
    }

    fn check_edges_of(&self, at: usize, name: &str, operator: &Operator) -> Checked {
        let edges = || self.job.edges.iter().enumerate();
        let arriving = edges().filter(|(_, e)| e.to == name).count();
        let leaving = edges().filter(|(_, e)| e.from == name).count();
        if let Some((edge, _)) = edges().find(|(_, e)| e.to == name)
            && is_source(operator)
        {
            return refuse(format!("job.edges[{edge}].to"), "no edge leads to a source");
        }
        if let Some((edge, _)) = edges().find(|(_, e)| e.from == name)
            && is_sink(operator)
        {
            return refuse(
                format!("job.edges[{edge}].from"),
                "no edge leads on from a sink",
            );
        }
        let field = format!("job.vertices[{at}]");
        if !is_sink(operator) && leaving == 0 {
            return Err(ScenarioError::new(
                field,
                format!("no edge leads on from `{name}`, so its results would go nowhere"),
            ));
        }
        if !is_source(operator) && arriving == 0 {
            return Err(ScenarioError::new(
                field,
                format!("no edge leads to `{name}`, so nothing would reach it"),
            ));
        }
        if matches!(operator, Operator::Join { .. }) && arriving != 2 {
            return Err(ScenarioError::new(
                field,
                format!("a `join` has two inputs, but {arriving} edges lead to `{name}`"),
            ));
        }
        if matches!(operator, Operator::Sum { .. } | Operator::Join { .. })
            && let Some((edge, _)) =
                edges().find(|(_, e)| e.to == name && e.partitioning != Partitioning::Hash)
        {
            return Err(ScenarioError::new(
                format!("job.edges[{edge}].partitioning"),
                format!("`{name}` keeps its state by key, so the edge to it must be `hash`"),
            ));
        }
        Ok(())
    }

    fn check_times(&self) -> Checked {
        let day = u64::from(Limits::DURATION.0);
        let costs = &self.costs;
        let interval = self.checkpointing.interval_ms;
        between("checkpointing.interval_ms", u64::from(interval.0), 1, day)?;
        let timeout = u64::from(self.checkpointing.timeout_ms.0);
        between("checkpointing.timeout_ms", timeout, 0, day)?;
        let timeout = u64::from(self.checkpointing.aligned_timeout_ms.0);
        between("checkpointing.aligned_timeout_ms", timeout, 0, day)?;
        if timeout > 0 && !self.checkpointing.unaligned {
            return refuse(
                "checkpointing.aligned_timeout_ms",
                "a timeout needs unaligned checkpoints: set checkpointing.unaligned to true",
            );
        }
        if self.checkpointing.unaligned && self.checkpointing.mode != CheckpointingMode::ExactlyOnce
        {
            return refuse(
                "checkpointing.unaligned",
                "unaligned checkpoints need the mode `exactly-once`",
            );
        }
        for (name, cost) in [
            ("hop_ms", costs.hop_ms),
            ("control_ms", costs.control_ms),
            ("snapshot_ms", costs.snapshot_ms),
            ("commit_ms", costs.commit_ms),
            ("restart_ms", costs.restart_ms),
        ] {
            between(&format!("costs.{name}"), u64::from(cost.0), 0, day)?;
        }
        between(
            "costs.jitter_percent",
            u64::from(costs.jitter_percent),
            0,
            100,
        )?;
        let buffers = u64::from(costs.buffers_per_channel);
        between(
            "costs.buffers_per_channel",
            buffers,
            1,
            u64::from(Limits::BUFFERS),
        )?;
        between(
            "max_steps",
            u64::from(self.max_steps),
            1,
            u64::from(Limits::STEPS),
        )
    }

    fn check_faults(&self) -> Checked {
        for (at, fault) in self.faults.schedule.iter().enumerate() {
            between(
                &format!("faults.schedule[{at}].at_ms"),
                u64::from(fault.at_ms.0),
                0,
                u64::from(Limits::DURATION.0),
            )?;
            if self.subtask_named(&fault.crash).is_none() {
                let names: Vec<_> = self
                    .job
                    .vertices
                    .iter()
                    .map(|v| match v.parallelism {
                        1 => format!("{}[0]", v.name),
                        more => format!("{}[0] to [{}]", v.name, more.saturating_sub(1)),
                    })
                    .collect();
                return Err(ScenarioError::new(
                    format!("faults.schedule[{at}].crash"),
                    format!(
                        "there is no subtask `{}`; a subtask is written `{}[0]`, and there are: {}",
                        fault.crash,
                        self.job
                            .vertices
                            .first()
                            .map_or("name", |v| v.name.as_str()),
                        names.join(", ")
                    ),
                ));
            }
        }
        let scheduled = self.faults.schedule.len() as u64;
        if scheduled > u64::from(self.faults.max_crashes) {
            return Err(ScenarioError::new(
                "faults.max_crashes",
                format!(
                    "{} is less than the {scheduled} crashes in faults.schedule",
                    self.faults.max_crashes
                ),
            ));
        }
        Ok(())
    }

    /// The vertex (by its place in the list) and the subtask number that `name[number]` stands for.
    pub(crate) fn subtask_named(&self, text: &str) -> Option<(usize, u16)> {
        let (name, rest) = text.split_once('[')?;
        let digits = rest.strip_suffix(']')?;
        let number: u16 = digits.parse().ok().filter(|_| !digits.starts_with('+'))?;
        let at = self.job.vertices.iter().position(|v| v.name == name)?;
        let parallelism = self.job.vertices.get(at)?.parallelism;
        (number < parallelism).then_some((at, number))
    }
}

fn is_source(operator: &Operator) -> bool {
    matches!(operator, Operator::Source { .. })
}

fn is_sink(operator: &Operator) -> bool {
    matches!(operator, Operator::Sink { .. })
}
