use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{
    Breakage, CheckpointingMode, Operator, Partitioning, Phase, Scenario, ScenarioError, VERSION,
    Workload,
};
use crate::flink::job_graph::{self, EdgePlan, GraphError, JobGraph, VertexPlan};
use crate::time::{Micros, Millis};

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
    /// Checkpoints under way at once.
    pub const CONCURRENT: u8 = 32;
    /// Bytes of a record, of a key, of an empty snapshot.
    pub const BYTES: u32 = 1 << 30;
}

pub(super) type Checked = Result<(), ScenarioError>;

pub(super) fn between(field: &str, value: u64, least: u64, most: u64) -> Checked {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(ScenarioError::new(
        field,
        format!("{value} is out of range: {least} to {most}"),
    ))
}

pub(super) fn refuse(field: impl Into<alloc::string::String>, reason: &str) -> Checked {
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
        let most = u64::from(Limits::PARALLELISM);
        let task_managers = u64::from(self.job.task_managers);
        between("job.task_managers", task_managers, 1, most)?;
        self.check_vertices()?;
        let graph = self.graph()?;
        self.check_shape()?;
        self.check_table()?;
        self.check_loops()?;
        self.check_starts()?;
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
        self.check_kafka()?;
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
            let bytes = u64::from(input.record_bytes);
            between(&field("record_bytes"), bytes, 1, u64::from(Limits::BYTES))?;
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
                Operator::Source { interval_ms, .. } => ("interval_ms", interval_ms.into(), 0),
                Operator::Map { cost_ms }
                | Operator::Filter { cost_ms, .. }
                | Operator::FlatMap { cost_ms, .. }
                | Operator::Sum { cost_ms }
                | Operator::Join { cost_ms }
                | Operator::Iteration { cost_ms }
                | Operator::TableWriter { cost_ms }
                | Operator::BroadcastState { cost_ms, .. }
                | Operator::Sink { cost_ms, .. } => ("cost_ms", cost_ms, 0),
                Operator::TableCommitter { .. } | Operator::GlobalCommitter { .. } => {
                    ("cost_ms", Micros::ZERO, 0)
                }
            };
            between(
                &field(&format!("operator.{name}")),
                cost.0.div_ceil(1_000),
                least,
                u64::from(Limits::DURATION.0),
            )?;
            for (name, bytes, least) in [
                ("record_bytes", vertex.record_bytes, 1),
                ("state.bytes", vertex.state.map(|state| state.bytes), 0),
                (
                    "state.key_bytes",
                    vertex.state.map(|state| state.key_bytes),
                    0,
                ),
            ] {
                let most = u64::from(Limits::BYTES);
                between(&field(name), u64::from(bytes.unwrap_or(1)), least, most)?;
            }
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
            Operator::BroadcastState { apply_ms, .. } => between(
                &field("operator.apply_ms"),
                apply_ms.0.div_ceil(1_000),
                0,
                u64::from(Limits::DURATION.0),
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
                feedback: edge.feedback.is_some(),
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
                    "the edges run in a circle through `{}`: a job graph has none, but for edges with `feedback` \
                     that lead back to an `iteration`",
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
            (
                "sink",
                self.writes_table() || vertices.iter().any(|v| is_sink(&v.operator)),
            ),
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
        if !is_sink(operator) && !commits(operator) && leaving == 0 {
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
        if let Some(delay) = self.checkpointing.initial_delay_ms {
            between("checkpointing.initial_delay_ms", u64::from(delay.0), 0, day)?;
        }
        if let Some(network) = &self.network {
            let most = u64::from(Limits::BUFFERS);
            for (name, value, least, most) in [
                ("buffers_per_channel", network.buffers_per_channel, 1, most),
                (
                    "floating_buffers_per_gate",
                    network.floating_buffers_per_gate,
                    0,
                    most,
                ),
                (
                    "max_buffers_per_channel",
                    network.max_buffers_per_channel,
                    1,
                    most,
                ),
                (
                    "segment_bytes",
                    network.segment_bytes,
                    1,
                    u64::from(Limits::BYTES),
                ),
            ] {
                between(&format!("network.{name}"), u64::from(value), least, most)?;
            }
        }
        let pause = u64::from(self.checkpointing.min_pause_ms.0);
        between("checkpointing.min_pause_ms", pause, 0, day)?;
        let concurrent = u64::from(self.checkpointing.max_concurrent);
        let most = u64::from(Limits::CONCURRENT);
        between("checkpointing.max_concurrent", concurrent, 1, most)?;
        if concurrent > 1 && self.checkpointing.unaligned {
            return refuse(
                "checkpointing.max_concurrent",
                "unaligned checkpoints are taken one at a time: set checkpointing.max_concurrent to 1",
            );
        }
        for (name, cost) in [
            ("hop_ms", costs.hop_ms.into()),
            ("control_ms", costs.control_ms.into()),
            ("sync_ms", costs.sync_ms),
            ("snapshot_ms", costs.snapshot_ms.into()),
            ("flush_ms", costs.flush_ms),
            ("in_flight_ms", costs.in_flight_ms),
            ("commit_ms", costs.commit_ms.into()),
            ("restart_ms", costs.restart_ms.into()),
            ("deploy_ms", costs.deploy_ms.into()),
        ] {
            between(&format!("costs.{name}"), cost.0.div_ceil(1_000), 0, day)?;
        }
        for (name, bytes) in [
            ("state_bytes", costs.state_bytes),
            ("key_bytes", costs.key_bytes),
        ] {
            let most = u64::from(Limits::BYTES);
            between(&format!("costs.{name}"), u64::from(bytes), 0, most)?;
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
        let day = u64::from(Limits::DURATION.0);
        for (at, fault) in self.faults.schedule.iter().enumerate() {
            let field = |name: &str| format!("faults.schedule[{at}].{name}");
            between(&field("at_ms"), u64::from(fault.at_ms.0), 0, day)?;
            match &fault.what {
                Breakage::Crash(subtask) => self.check_subtask(&field("crash"), subtask)?,
                Breakage::LoseNotification(subtask) => {
                    self.check_subtask(&field("lose_notification"), subtask)?;
                }
                Breakage::LoseCommitResponse(subtask) => {
                    self.check_subtask(&field("lose_commit_response"), subtask)?;
                    let vertex = self.subtask_named(subtask);
                    let vertex = vertex.and_then(|(at, _)| self.job.vertices.get(at));
                    if !vertex.is_some_and(|vertex| commits(&vertex.operator)) {
                        return Err(ScenarioError::new(
                            field("lose_commit_response"),
                            format!(
                                "`{subtask}` commits to no catalog: name a `table-committer` or `global-committer`"
                            ),
                        ));
                    }
                }
                Breakage::LoseTaskManager(number) => {
                    let last = u64::from(self.job.task_managers) - 1;
                    between(&field("lose_task_manager"), u64::from(*number), 0, last)?;
                }
                Breakage::LoseJobManager => {}
                Breakage::Redeploy(redeploy) => {
                    if redeploy.prefix.is_some() && self.kafka.is_none() {
                        return refuse(
                            field("redeploy.transactionalIdPrefix"),
                            "a sink has a prefix where it writes to brokers: add `\"kafka\": {}`",
                        );
                    }
                    if let Some(parallelism) = redeploy.parallelism {
                        self.check_rescaling(&field("redeploy.parallelism"), parallelism)?;
                    }
                }
            }
        }
        for (at, fault) in self.faults.snapshots.iter().enumerate() {
            let field = |name: &str| format!("faults.snapshots[{at}].{name}");
            if fault.checkpoint == 0 {
                return refuse(field("checkpoint"), "the first checkpoint is number 1");
            }
            match (&fault.subtask, fault.phase) {
                (Some(subtask), _) => self.check_subtask(&field("subtask"), subtask)?,
                (None, Phase::Finalize) => {}
                (None, _) => {
                    return refuse(
                        field("subtask"),
                        "it is missing: a snapshot is that of a subtask, as in `total[1]`",
                    );
                }
            }
        }
        for (at, savepoint) in self.savepoints.schedule.iter().enumerate() {
            let field = format!("savepoints.schedule[{at}].at_ms");
            between(&field, u64::from(savepoint.at_ms.0), 0, day)?;
        }
        let lost = |fault: &&super::Fault| {
            matches!(
                fault.what,
                Breakage::LoseNotification(_) | Breakage::LoseCommitResponse(_)
            )
        };
        let losses = self.faults.schedule.iter().filter(lost).count();
        let crashes = self.faults.schedule.len() - losses;
        for (field, most, scheduled, what) in [
            (
                "faults.max_crashes",
                self.faults.max_crashes,
                crashes,
                "crashes in faults.schedule",
            ),
            (
                "faults.max_lost_notifications",
                self.faults.max_lost_notifications,
                losses,
                "lost notifications in faults.schedule",
            ),
            (
                "savepoints.max",
                self.savepoints.max,
                self.savepoints.schedule.len(),
                "savepoints in savepoints.schedule",
            ),
        ] {
            if scheduled > usize::from(most) {
                return Err(ScenarioError::new(
                    field,
                    format!("{most} is less than the {scheduled} {what}"),
                ));
            }
        }
        Ok(())
    }

    /// Whether the sink may have so many subtasks when the job is deployed again.
    fn check_rescaling(&self, field: &str, parallelism: u16) -> Checked {
        let sink = self.kafka.as_ref().and_then(|_| self.sink());
        let Some((sink, _)) = sink else {
            return refuse(
                field,
                "a sink may have another parallelism where it writes to brokers: add `\"kafka\": {}`",
            );
        };
        let most = u64::from(sink.parallelism);
        between(field, u64::from(parallelism), 1, most)?;
        let mut edges = self.job.edges.iter().enumerate();
        let fixed = edges.find(|(_, edge)| {
            edge.to == sink.name
                && matches!(
                    edge.partitioning,
                    Partitioning::Forward | Partitioning::Broadcast
                )
        });
        match fixed {
            Some((at, edge)) if parallelism < sink.parallelism => Err(ScenarioError::new(
                field,
                format!(
                    "`job.edges[{at}]`, into `{}`, is `{}`: fewer subtasks would need `hash` or `rebalance` there",
                    sink.name,
                    match edge.partitioning {
                        Partitioning::Broadcast => "broadcast",
                        _ => "forward",
                    }
                ),
            )),
            _ => Ok(()),
        }
    }

    fn check_subtask(&self, field: &str, subtask: &str) -> Checked {
        if self.subtask_named(subtask).is_some() {
            return Ok(());
        }
        let vertices = &self.job.vertices;
        let names: Vec<_> = vertices
            .iter()
            .map(|v| match v.parallelism {
                1 => format!("{}[0]", v.name),
                more => format!("{}[0] to [{}]", v.name, more.saturating_sub(1)),
            })
            .collect();
        Err(ScenarioError::new(
            field,
            format!(
                "there is no subtask `{subtask}`; a subtask is written `{}[0]`, and there are: {}",
                vertices.first().map_or("name", |v| v.name.as_str()),
                names.join(", ")
            ),
        ))
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

fn commits(operator: &Operator) -> bool {
    matches!(
        operator,
        Operator::TableCommitter { .. } | Operator::GlobalCommitter { .. }
    )
}

fn is_sink(operator: &Operator) -> bool {
    matches!(operator, Operator::Sink { .. })
}
