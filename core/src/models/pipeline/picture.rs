use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::barriers::is_blocked;
use super::kafka_sink::Stage;
use super::state::{Contents, JobStatus};
use super::wires::token_kind;
use super::{Action, Pipeline, Role, State};
use crate::clock::Clock;
use crate::diagram::{Lane, Reach};
use crate::flink::coordinator::Purpose;
use crate::flink::job_graph::Vertex;
use crate::flink::split::Split;
use crate::flink::two_phase_commit::SinkTransactions;
use crate::id::{
    ActorId, CheckpointId, LaneId, LinkId, NodeId, Offset, PartitionId, RecordId, SubtaskId,
};
use crate::kafka::batch::ProducerId;
use crate::kafka::log::{EntryView, IsolationLevel, Outcome, PartitionLog, TransactionId};
use crate::kafka::transaction_coordinator::TransactionalId;
use crate::mark::Ending;
use crate::models::Model;
use crate::scenario::{StoryRef, TransactionNamingStrategy};
use crate::scene::{
    Cell, CellStatus, Choice, Collecting, Facts, Gate, Health, JobChoice, JobView, Node,
    PendingView, Place, Scene, SinkWait, StoreRow, TokenKind, Transaction, Withheld, Work,
};
use crate::verdict::Verdict;

impl Model for Pipeline {
    fn story(&self) -> StoryRef<'_> {
        StoryRef::Pipeline(&self.scenario)
    }

    fn scene(&self, state: &State, clock: &Clock<Action>) -> Scene {
        Scene {
            at: clock.now(),
            nodes: self.nodes(state, clock),
            links: self.wires(state, clock),
        }
    }

    fn choice(&self, state: &State, action: Action) -> Option<Choice> {
        let coordinator = self.coordinator_node();
        Some(match action {
            Action::Emit(partition) => Choice::Emit {
                source: self.subtask_node(self.reader_of(partition)),
                record: self.record_at(partition, *state.live.offsets.get(partition.index())?)?,
            },
            Action::Append(partition) => Choice::Job(JobChoice::Append {
                topic: self.input_node(partition),
                record: self.record_at(partition, self.written(state, partition))?,
            }),
            Action::Find(partition) => Choice::Job(JobChoice::Find {
                source: self.subtask_node(self.reader_of(partition)),
                topic: self.input_node(partition),
            }),
            Action::Assign(partition) => Choice::Job(JobChoice::Assign {
                source: self.subtask_node(self.reader_of(partition)),
                topic: self.input_node(partition),
            }),
            Action::Inject(source, checkpoint) => Choice::Inject {
                source: self.subtask_node(source),
                checkpoint,
            },
            Action::Take(channel) => {
                let receiver = self.graph.channels().get(channel.index())?.to;
                Choice::Take {
                    subtask: self.subtask_node(receiver),
                    channel: self.number_in_gate(receiver, channel) as u32,
                    token: token_kind(state.channels.get(channel.index())?.first()?),
                }
            }
            Action::Overtake(channel) => {
                let receiver = self.graph.channels().get(channel.index())?.to;
                let (place, barrier) = self.overtaker(state, channel)?;
                Choice::Overtake {
                    subtask: self.subtask_node(receiver),
                    channel: self.number_in_gate(receiver, channel) as u32,
                    checkpoint: barrier.barrier()?,
                    overtaken: place as u32,
                }
            }
            Action::TimeOut(subtask) => Choice::TimeOut {
                subtask: self.subtask_node(subtask),
                checkpoint: state
                    .gates
                    .get(self.gate_number(subtask)?)?
                    .latest_checkpoint(),
            },
            Action::TimeOutOutput(subtask) => Choice::TimeOutOutput {
                subtask: self.subtask_node(subtask),
                checkpoint: self.waiting_output(state, subtask)?,
            },
            Action::Notify(subtask) => {
                let (checkpoint, completed) = self.next_notice(state, subtask)?;
                Choice::Notify {
                    subtask: self.subtask_node(subtask),
                    checkpoint,
                    completed,
                }
            }
            Action::Trigger => Choice::Trigger {
                coordinator,
                checkpoint: state.coordinator.triggered().next(),
            },
            Action::Acknowledge(subtask, checkpoint) => Choice::Acknowledge {
                coordinator,
                subtask: self.subtask_node(subtask),
                checkpoint,
            },
            Action::HearDecline(subtask, checkpoint) => Choice::HearDecline {
                coordinator,
                subtask: self.subtask_node(subtask),
                checkpoint,
            },
            Action::Expire(checkpoint) => Choice::Expire {
                coordinator,
                checkpoint,
            },
            Action::Restart => Choice::Restart {
                coordinator,
                checkpoint: state.coordinator.completed(),
            },
            Action::Run => Choice::Run { coordinator },
            Action::Savepoint(stop) => Choice::Savepoint { coordinator, stop },
            Action::Crash(subtask) => Choice::Crash {
                subtask: self.subtask_node(subtask),
            },
            Action::LoseTaskManager(number) => Choice::LoseTaskManager {
                coordinator,
                number,
            },
            Action::LoseJobManager => Choice::LoseJobManager { coordinator },
            Action::FailSnapshot(subtask, checkpoint) => Choice::FailSnapshot {
                subtask: self.subtask_node(subtask),
                checkpoint,
            },
            Action::Refuse(_, checkpoint) => Choice::Refuse {
                store: self.store_node(),
                checkpoint,
            },
            Action::LoseResponse(subtask) => Choice::Job(JobChoice::LoseResponse {
                subtask: self.subtask_node(subtask),
            }),
            Action::LoseNotification(subtask) => Choice::LoseNotification {
                subtask: self.subtask_node(subtask),
                checkpoint: self.next_notice(state, subtask)?.0,
            },
            Action::GoOn(subtask) => Choice::GoOn {
                subtask: self.subtask_node(subtask),
            },
            Action::Block(subtask) => Choice::Block {
                subtask: self.subtask_node(subtask),
            },
            Action::Redeploy(number) => {
                let (checkpoint, prefix_changes, parallelism) = self.redeployment(state, number)?;
                Choice::Redeploy {
                    coordinator,
                    checkpoint,
                    prefix_changes,
                    parallelism,
                }
            }
            Action::Kafka(action) => {
                let on = state.brokers.as_ref()?;
                return self.brokers.as_ref()?.delivery.choice(&on.kafka, action);
            }
        })
    }

    fn withheld(&self, state: &State) -> Vec<Withheld> {
        self.withheld_in(state)
    }

    fn verdict(&self, state: &State) -> Verdict {
        self.account(state)
    }

    fn ending(&self, state: &State) -> Ending {
        match state.job {
            JobStatus::Failed => Ending::Failed,
            JobStatus::Stopping => Ending::Stopped,
            JobStatus::Running | JobStatus::Finishing => Ending::Done,
        }
    }

    fn transactional_id(&self, number: u32) -> Option<String> {
        let brokers = self.brokers.as_ref()?;
        brokers.delivery.id_name(TransactionalId(number))
    }

    fn record(&self, record: RecordId) -> Option<(&str, u64)> {
        let record = self.records.get(record.index())?;
        Some((&record.key, u64::from(record.value)))
    }

    fn lanes(&self) -> Vec<Lane> {
        self.processes()
    }

    fn lane_of(&self, actor: ActorId) -> Option<LaneId> {
        self.process_of(actor)
    }

    fn reach(&self, state: &State, action: Action) -> Reach {
        self.reach_of(state, action)
    }

    fn message(&self, state: &State, link: LinkId, place: usize) -> Option<TokenKind> {
        self.message_on(state, link, place)
    }

    fn health(&self, state: &State, lane: LaneId) -> Health {
        self.health_of(state, lane)
    }

    fn epoch(&self, state: &State, lane: LaneId) -> CheckpointId {
        match usize::from(lane.0) < self.subtasks() {
            true => self.epoch_of(state, SubtaskId(lane.0)),
            false => CheckpointId::NONE,
        }
    }
}

fn numbered(number: u16, of: u16, node: Node) -> Node {
    Node { number, of, ..node }
}

/// The nodes.
impl Pipeline {
    fn nodes(&self, state: &State, clock: &Clock<Action>) -> Vec<Node> {
        let mut nodes = Vec::new();
        let deepest = self.graph.vertices().iter().map(|v| v.depth).max();
        let last_stage = deepest.unwrap_or(0) + 2;
        for partition in self.input_partitions() {
            let topic = self.inputs.get(partition.index()).map(|input| input.topic);
            let input = topic.and_then(|at| self.scenario.inputs.get(usize::from(at)));
            let before = self.inputs.iter().take(partition.index());
            let before = before.filter(|other| Some(other.topic) == topic).count();
            let of = input.map_or(1, |input| input.partitions);
            nodes.push(numbered(
                before as u16,
                of,
                self.standing(
                    self.input_node(partition),
                    input.map(|input| input.topic.clone()).unwrap_or_default(),
                    Place::Flow {
                        stage: 0,
                        lane: partition.0,
                        lanes: self.inputs.len() as u16,
                    },
                    self.input_facts(state, partition),
                ),
            ));
        }
        for subtask in (0..self.subtasks() as u16).map(SubtaskId) {
            nodes.extend(self.subtask_picture(state, clock, subtask));
        }
        let on_brokers = self.on_brokers(state);
        for partition in (0..self.output_partitions).map(PartitionId) {
            nodes.push(numbered(
                partition.0,
                self.output_partitions,
                self.standing(
                    self.output_node(partition),
                    self.scenario.output.topic.clone(),
                    Place::Flow {
                        stage: last_stage,
                        lane: partition.0,
                        lanes: self.output_partitions,
                    },
                    self.output_facts(state, partition, &on_brokers),
                ),
            ));
        }
        nodes.push(self.standing(
            self.coordinator_node(),
            "checkpoint coordinator".to_string(),
            Place::Control,
            self.coordinator_facts(state),
        ));
        nodes.push(self.standing(
            self.store_node(),
            "checkpoint store".to_string(),
            Place::Durable,
            Facts::Store {
                rows: self.store_rows(state),
            },
        ));
        nodes.extend(on_brokers);
        let verdict = self.account(state);
        nodes.push(self.standing(
            self.reader_node(),
            self.scenario.reader.name.clone(),
            Place::Reader,
            Facts::Reader {
                read_committed: self.isolation() == IsolationLevel::ReadCommitted,
                total: verdict.total,
                true_total: verdict.true_total,
            },
        ));
        nodes
    }

    /// A node that neither works nor dies.
    fn standing(&self, id: NodeId, name: String, place: Place, facts: Facts) -> Node {
        Node {
            id,
            name,
            number: 0,
            of: 1,
            place,
            task_manager: None,
            health: Health::Running,
            work: None,
            facts,
        }
    }

    fn subtask_picture(&self, state: &State, clock: &Clock<Action>, id: SubtaskId) -> Option<Node> {
        let subtask = self.graph.subtask(id)?;
        let vertex = self.graph.vertex(subtask.vertex)?;
        let health = self.health_of(state, LaneId(id.0));
        let work = clock
            .busy(ActorId(id.0))
            .map(|(action, began, until)| Work {
                began,
                until,
                record: match self.choice(state, action) {
                    Some(Choice::Take {
                        token: TokenKind::Record(record),
                        ..
                    }) => Some(record),
                    _ => None,
                },
            });
        Some(Node {
            id: self.subtask_node(id),
            name: vertex.name.clone(),
            number: subtask.index,
            of: vertex.subtasks.len() as u16,
            place: self.place_of_subtask(vertex, subtask.index),
            task_manager: (self.scenario.job.task_managers > 1).then(|| self.task_manager_of(id)),
            health,
            work,
            facts: self.subtask_facts(state, id)?,
        })
    }

    /// Vertices of one stage stand below each other.
    fn place_of_subtask(&self, vertex: &Vertex, index: u16) -> Place {
        let stage = self
            .graph
            .vertices()
            .iter()
            .filter(|v| v.depth == vertex.depth);
        let (above, below): (Vec<_>, Vec<_>) =
            stage.partition(|other| other.subtasks.start < vertex.subtasks.start);
        let lanes = |vertices: &[&Vertex]| -> u16 {
            vertices.iter().map(|v| v.subtasks.len() as u16).sum()
        };
        let before = lanes(&above);
        Place::Flow {
            stage: vertex.depth + 1,
            lane: before + index,
            lanes: before + lanes(&below),
        }
    }

    fn subtask_facts(&self, state: &State, id: SubtaskId) -> Option<Facts> {
        let epoch = self.epoch_of(state, id);
        Some(match self.role(id)? {
            Role::Source => Facts::Source {
                positions: self
                    .partitions_of(id)
                    .map(|partition| {
                        let next = state.live.offsets.get(partition.index());
                        (partition, Offset(next.copied().unwrap_or(0)))
                    })
                    .collect(),
                epoch,
            },
            Role::Stateless { .. } | Role::TableWriter { .. } | Role::Committer { .. } => {
                Facts::Operator {
                    alignment: self.gate_picture(state, id),
                    sum: None,
                    counted: 0,
                    counted_twice: 0,
                    applied: None,
                    holds: self.held_for_table(state, id),
                    epoch,
                }
            }
            Role::Broadcast { base, .. } => {
                let (mut sum, mut counted, mut counted_twice) = (0, 0, 0);
                let mut applied = Vec::new();
                for (number, record) in self.records.iter().enumerate() {
                    let times = state.live.counted.get(base + number);
                    sum += u64::from(record.value) * u64::from(times);
                    counted += u32::from(times > 0);
                    let due = self.counts_due.get(base + number).copied().unwrap_or(1);
                    counted_twice += u32::from(times > due);
                    applied.extend((0..times).map(|_| RecordId(number as u32)));
                }
                Facts::Operator {
                    alignment: self.gate_picture(state, id),
                    sum: Some(sum),
                    counted,
                    counted_twice,
                    applied: Some(applied),
                    holds: None,
                    epoch,
                }
            }
            Role::Keyed { base, .. } => {
                let (mut sum, mut counted, mut counted_twice) = (0, 0, 0);
                for (number, record) in self.records.iter().enumerate() {
                    if !self.belongs_to(id, RecordId(number as u32)) {
                        continue;
                    }
                    let times = state.live.counted.get(base + number);
                    sum += u64::from(record.value) * u64::from(times);
                    counted += u32::from(times > 0);
                    let due = self.counts_due.get(base + number).copied().unwrap_or(1);
                    counted_twice += u32::from(times > due);
                }
                Facts::Operator {
                    alignment: self.gate_picture(state, id),
                    sum: Some(sum),
                    counted,
                    counted_twice,
                    applied: None,
                    holds: None,
                    epoch,
                }
            }
            Role::Sink { number, .. } if self.brokers.is_some() => {
                self.sink_on_brokers(state, id, *number)?
            }
            Role::Sink {
                number, partition, ..
            } => {
                let sink = state.live.sinks.get(*number);
                let log = state.output.get(partition.index())?;
                let view = |number: u32, checkpoint| Transaction {
                    number,
                    records: log.open_records(TransactionId::new(id.0, number)),
                    checkpoint,
                };
                let pending = sink.map(SinkTransactions::pending).unwrap_or_default();
                Facts::Sink {
                    alignment: self.gate_picture(state, id),
                    open: sink
                        .filter(|_| !state.down.contains(id.index()))
                        .map(|sink| view(sink.current().0, None)),
                    // While the job is down, what the checkpoint holds as pending may be committed already.
                    pending: pending
                        .iter()
                        .filter(|pending| {
                            let id = TransactionId::new(id.0, pending.number.0);
                            !state.down.contains(usize::from(id.producer()))
                                || log.open_records(id) > 0
                        })
                        .map(|pending| view(pending.number.0, Some(pending.checkpoint)))
                        .collect(),
                    committed: last_commit(log, id),
                    waits: None,
                    producers: Vec::new(),
                    epoch,
                }
            }
        })
    }

    /// Whether a record's key belongs to a `sum` subtask.
    fn belongs_to(&self, id: SubtaskId, record: RecordId) -> bool {
        let Some(subtask) = self.graph.subtask(id) else {
            return false;
        };
        let parallelism = self
            .graph
            .vertex(subtask.vertex)
            .map_or(1, |vertex| vertex.subtasks.len() as u16);
        self.key_hashes.get(record.index()).is_some_and(|hash| {
            crate::flink::key_groups::subtask_of(*hash, parallelism) == subtask.index
        })
    }

    fn gate_picture(&self, state: &State, id: SubtaskId) -> Gate {
        let gate = self.gate_number(id).and_then(|gate| state.gates.get(gate));
        let inputs = self.inputs_of(id);
        let channels = u32::from(inputs.channels);
        Gate {
            channels,
            collecting: gate.map_or(Vec::new(), |gate| {
                let all = || 0..channels;
                gate.pending()
                    .map(|checkpoint| Collecting {
                        checkpoint,
                        blocked: all().filter(|c| is_blocked(gate, *c as usize)).collect(),
                        awaited: all()
                            .filter(|c| gate.awaits(*c as usize, checkpoint, inputs))
                            .collect(),
                    })
                    .collect()
            }),
        }
    }

    fn input_facts(&self, state: &State, partition: PartitionId) -> Facts {
        let next = state.live.offsets.get(partition.index()).copied();
        let stored = state.stored.offsets.get(partition.index()).copied();
        let (next, stored) = (next.unwrap_or(0), stored.unwrap_or(0));
        // Of a partition that is not assigned, nothing has been read.
        let assigned = |contents| Self::split(contents, partition) == Split::Assigned;
        let next = if assigned(&state.live) { next } else { 0 };
        let stored = if assigned(&state.stored) { stored } else { 0 };
        let start = self.start_of(state, partition);
        let cells = (0..self.written(state, partition))
            .map(|offset| Cell {
                record: self.record_at(partition, offset),
                status: match offset {
                    offset if start.first.is_some() && offset < start.last => CellStatus::Skipped,
                    offset if offset < stored => CellStatus::Covered,
                    offset if offset < next => CellStatus::Read,
                    _ => CellStatus::Ahead,
                },
                epoch: None,
            })
            .collect();
        Facts::Input {
            partition,
            cells,
            next: Offset(next),
        }
    }

    fn sink_on_brokers(&self, state: &State, id: SubtaskId, number: usize) -> Option<Facts> {
        let (brokers, on) = (self.brokers.as_ref()?, state.brokers.as_ref()?);
        let writer = on.writers.get(number)?;
        let delivery = &brokers.delivery;
        let held = state.live.on_brokers.get(number);
        let open = writer.current.and_then(|slot| {
            let client = delivery.slot(number as u16, slot);
            Some(Transaction {
                number: brokers.number(delivery.id_of(&on.kafka, client)?),
                records: writer.records,
                checkpoint: None,
            })
        });
        let slots = writer.slots().into_iter();
        let producers = slots
            .filter_map(|slot| delivery.producer_of(&on.kafka, delivery.slot(number as u16, slot)));
        let held = held.into_iter().flat_map(|sink| &sink.committables);
        let pending = held.map(|committable| Transaction {
            number: brokers.number(committable.id),
            records: committable.records,
            checkpoint: Some(committable.checkpoint),
        });
        Some(Facts::Sink {
            alignment: self.gate_picture(state, id),
            open,
            pending: pending.collect(),
            committed: None,
            waits: self.sink_wait(state, id),
            producers: producers.collect(),
            epoch: self.epoch_of(state, id),
        })
    }

    /// What the thread of a sink waits for in Kafka.
    pub(super) fn sink_wait(&self, state: &State, sink: SubtaskId) -> Option<SinkWait> {
        match self.sink_writer(state, sink)?.stage {
            Stage::Down | Stage::Ready => None,
            Stage::Deployed => Some(SinkWait::Deployed),
            Stage::Recommitting(_) => Some(SinkWait::Recommitting),
            Stage::Cleaning(..) => Some(SinkWait::Cleaning),
            Stage::Opening(_) => Some(SinkWait::Opening),
            Stage::Flushing(checkpoint) => Some(SinkWait::Flushing(checkpoint)),
            Stage::Beginning(checkpoint, _) => Some(SinkWait::Beginning(checkpoint)),
            Stage::Committing(checkpoint) => Some(SinkWait::Committing(checkpoint)),
        }
    }

    /// The replicas and the transaction coordinator, where there are brokers.
    fn on_brokers(&self, state: &State) -> Vec<Node> {
        match (&self.brokers, &state.brokers) {
            (Some(brokers), Some(on)) => brokers.delivery.broker_nodes(&on.kafka),
            _ => Vec::new(),
        }
    }

    /// The checkpoint with which the records of a producer are committed: where every transaction has an id of
    /// its own, the id says so.
    fn epoch_of_producer(&self, nodes: &[Node], producer: ProducerId) -> Option<CheckpointId> {
        let brokers = self.brokers.as_ref()?;
        if brokers.strategy != TransactionNamingStrategy::Incrementing {
            return None;
        }
        let mut rows = nodes.iter().flat_map(|node| match &node.facts {
            Facts::Transactions(view) => view.rows.as_slice(),
            _ => &[],
        });
        let row = rows.find(|row| row.producer == producer)?;
        Some(CheckpointId(brokers.number(TransactionalId(row.number))))
    }

    /// The log of an output partition that has brokers.
    fn output_on_brokers(
        &self,
        state: &State,
        partition: PartitionId,
        nodes: &[Node],
    ) -> Option<Facts> {
        let (brokers, on) = (self.brokers.as_ref()?, state.brokers.as_ref()?);
        let (entries, last_stable) = brokers.delivery.entries_of(&on.kafka, partition);
        let cells = entries.into_iter().map(|entry| Cell {
            record: entry.record,
            status: entry.status,
            epoch: (entry.producer).and_then(|(id, _)| self.epoch_of_producer(nodes, id)),
        });
        Some(Facts::Output {
            partition,
            cells: cells.collect(),
            last_stable,
        })
    }

    fn output_facts(&self, state: &State, partition: PartitionId, on_brokers: &[Node]) -> Facts {
        if let Some(facts) = self.output_on_brokers(state, partition, on_brokers) {
            return facts;
        }
        if !self.committers.is_empty() {
            let rows = self.rows(state);
            let last_stable = Offset(rows.len() as u32);
            let cells = rows.into_iter().map(|(record, checkpoint)| Cell {
                record: Some(record),
                status: CellStatus::Committed,
                epoch: Some(checkpoint),
            });
            return Facts::Output {
                partition,
                cells: cells.collect(),
                last_stable,
            };
        }
        let Some(log) = state.output.get(partition.index()) else {
            return Facts::Output {
                partition,
                cells: Vec::new(),
                last_stable: Offset(0),
            };
        };
        let last_stable = log.last_stable_offset();
        let mut cells = Vec::new();
        log.scan(|offset, view| {
            let (record, transaction, status) = match view {
                EntryView::Plain(record) if offset < last_stable => {
                    (Some(record), None, CellStatus::Plain)
                }
                EntryView::Plain(record) => (Some(record), None, CellStatus::Hidden),
                EntryView::Transactional(record, id, outcome) => (
                    Some(record),
                    Some(id),
                    match outcome {
                        None => CellStatus::Open,
                        Some(Outcome::Abort) => CellStatus::Aborted,
                        Some(Outcome::Commit) if offset < last_stable => CellStatus::Committed,
                        Some(Outcome::Commit) => CellStatus::Hidden,
                    },
                ),
                EntryView::Control(id, Outcome::Commit) => {
                    (None, Some(id), CellStatus::CommitMarker)
                }
                EntryView::Control(id, Outcome::Abort) => (None, Some(id), CellStatus::AbortMarker),
            };
            cells.push(Cell {
                record,
                status,
                epoch: transaction.map(|id| CheckpointId(id.number())),
            });
        });
        cells.reverse();
        Facts::Output {
            partition,
            cells,
            last_stable,
        }
    }

    fn coordinator_facts(&self, state: &State) -> Facts {
        let coordinator = &state.coordinator;
        let completed = coordinator.completed();
        let subtasks = self.present_count(state) as u32;
        let pending = coordinator.pending().iter();
        Facts::Coordinator {
            pending: pending
                .map(|pending| PendingView {
                    checkpoint: pending.id,
                    purpose: pending.purpose,
                    acknowledged: pending.acknowledged.len() as u32,
                    subtasks,
                })
                .collect(),
            completed: (completed != CheckpointId::NONE).then_some(completed),
            failures: (
                coordinator.failures(),
                self.scenario.checkpointing.tolerable_failures,
            ),
            restarting: self.may_restart(state).then_some(completed),
            job: match state.job {
                JobStatus::Running => JobView::Running,
                JobStatus::Stopping => JobView::Stopping,
                JobStatus::Finishing => JobView::Finishing,
                JobStatus::Failed => JobView::Failed,
            },
        }
    }

    fn store_rows(&self, state: &State) -> Vec<StoreRow> {
        let subtasks = || self.present(state);
        let row = |checkpoint, purpose, stored: &dyn Fn(SubtaskId) -> bool, contents: &Contents| {
            let of_stored = subtasks().filter(|subtask| stored(*subtask));
            let bytes =
                of_stored.map(|s| self.bytes_in(contents, s) + self.in_flight_of(contents, s));
            StoreRow {
                checkpoint,
                purpose,
                complete: false,
                in_flight: contents.in_flight.len() as u32,
                bytes: bytes.sum(),
                parts: subtasks()
                    .map(|subtask| (self.subtask_node(subtask), stored(subtask)))
                    .collect(),
            }
        };
        let completed = state.coordinator.completed();
        let mut rows = Vec::new();
        if completed != CheckpointId::NONE {
            rows.push(StoreRow {
                complete: true,
                ..row(completed, Purpose::Checkpoint, &|_| true, &state.stored)
            });
        }
        for pending in state.coordinator.pending() {
            let stored = |subtask: SubtaskId| pending.acknowledged.contains(subtask.index());
            if let Some(under_way) = state.of(pending.id) {
                let contents = &under_way.contents;
                rows.push(row(pending.id, pending.purpose, &stored, contents));
            }
        }
        rows
    }
}

/// The number of the last transaction of a sink that was committed.
fn last_commit(log: &PartitionLog, sink: SubtaskId) -> Option<u32> {
    let mut last = None;
    log.scan(|_, view| {
        if let EntryView::Control(id, Outcome::Commit) = view
            && id.producer() == sink.0
        {
            last = last.or(Some(id.number()));
        }
    });
    last
}
