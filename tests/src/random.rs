//! Random scenarios: graphs, options, workloads and faults, chosen by a seed.

use barrierscope_core::fingerprint::fingerprint;
use barrierscope_core::flink::coordinator::FailureReason;
use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::kafka::transaction_state::TransactionState;
use barrierscope_core::models::pipeline::Pipeline;
use barrierscope_core::scenario::delivery::{
    Api, Cluster, DeliveryBreakage, DeliveryCosts, DeliveryFault, DeliveryFaults, MessageFault,
    Part, ProducerConfig,
};
use barrierscope_core::scenario::{
    Breakage, Checkpointing, CheckpointingMode, Costs, DeliveryGuarantee, Edge, Failover, Fault,
    Faults, Input, Job, Kafka, KafkaSink, Network, Operator, Output, Partitioning, Phase,
    PipelineName, Reader, Redeploy, Restart, Savepoint, Savepoints, Scenario, SnapshotFault, Start,
    TransactionNamingStrategy, VERSION, Vertex, Workload,
};
use barrierscope_core::scene::Facts;
use barrierscope_core::session::Session;
use barrierscope_core::statistics::Status;
use barrierscope_core::time::{Micros, Millis};

/// A stream of random numbers.
pub(crate) struct Dice(u64);

impl Dice {
    /// The stream of a seed; `name` tells apart what is made from it.
    pub(crate) fn of(seed: u64, name: &str) -> Self {
        Self(fingerprint(&(seed, name)))
    }

    /// A number from `least` to `most`.
    pub(crate) fn between(&mut self, least: u32, most: u32) -> u32 {
        self.0 = self.0.wrapping_add(1);
        least + (fingerprint(&self.0) % u64::from(most - least + 1)) as u32
    }

    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.between(1, 100) <= percent
    }

    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.between(0, choices.len() as u32 - 1) as usize]
    }
}

/// The scenario of a seed. It makes sense, and its job gets done.
pub fn scenario(seed: u64) -> Scenario {
    let mut dice = Dice::of(seed, "scenario");
    loop {
        // Seldom, too many copies of a record would come together.
        let scenario = throw(&mut dice, seed);
        if Pipeline::new(scenario.clone()).is_ok() {
            return scenario;
        }
    }
}

/// The scenario of a seed in which the output topic has brokers: they crash, messages are lost or late, and no
/// outage is longer than a transaction may be open. It makes sense, and its job gets done.
pub fn on_kafka(seed: u64, guarantee: DeliveryGuarantee) -> Scenario {
    let mut dice = Dice::of(seed, "kafka");
    loop {
        let mut scenario = throw(&mut dice, seed);
        if let Some(sink) = scenario.sink_mut() {
            *sink = guarantee;
        }
        // With one buffer a channel has no output queue: its sender stands still while a barrier is aligned,
        // and for good where sinks that wait for brokers leave no time between two barriers.
        let buffers = &mut scenario.costs.buffers_per_channel;
        *buffers = (*buffers).max(2);
        scenario.kafka = Some(kafka(&mut dice, &scenario));
        if guarantee == DeliveryGuarantee::ExactlyOnce && dice.chance(20) {
            scenario.faults.schedule.push(Fault {
                at_ms: Millis(dice.between(1, 2_000)),
                what: Breakage::Redeploy(Redeploy::default()),
            });
        }
        if Pipeline::new(scenario.clone()).is_ok() {
            return match guarantee {
                DeliveryGuarantee::ExactlyOnce => rescaled(seed, scenario),
                _ => scenario,
            };
        }
    }
}

/// The same, at times deployed again with fewer subtasks of the sink, or with some more after that. The dice are others,
/// so that everything else about a seed stays as it is.
fn rescaled(seed: u64, scenario: Scenario) -> Scenario {
    let mut dice = Dice::of(seed, "rescaled");
    let subtasks = scenario.sink().map_or(1, |(sink, _)| sink.parallelism);
    if subtasks == 1 || !dice.chance(40) {
        return scenario;
    }
    let mut with = scenario.clone();
    for _ in 0..dice.between(1, 2) {
        with.faults.schedule.push(Fault {
            at_ms: Millis(dice.between(1, 2_000)),
            what: Breakage::Redeploy(Redeploy {
                parallelism: Some(dice.between(1, u32::from(subtasks)) as u16),
                ..Redeploy::default()
            }),
        });
    }
    match Pipeline::new(with.clone()) {
        Ok(_) => with,
        // Where each subtask of the sink takes from one before it, they stay as many.
        Err(_) => scenario,
    }
}

fn kafka(dice: &mut Dice, scenario: &Scenario) -> Kafka {
    let brokers = dice.between(1, 3) as u16;
    let replicas = dice.between(1, u32::from(brokers)) as u16;
    let (vertex, _) = scenario.sink().expect("there is a sink");
    let subtasks = u32::from(vertex.parallelism);
    let messages = (0..dice.between(0, 3)).map(|_| {
        let api = dice.one_of(&[Api::Produce, Api::InitProducerId, Api::EndTxn]);
        MessageFault {
            client: format!("{}[{}]", vertex.name, dice.between(0, subtasks - 1)),
            api,
            part: dice.one_of(&[Part::Request, Part::Response]),
            number: dice.between(1, 8) as u16,
            count: dice.between(1, 3) as u16,
            // An `InitProducerId` that arrives when the next attempt has prepared its transaction aborts that: nothing in
            // the protocol tells the two attempts apart.
            delay_ms: (api != Api::InitProducerId && dice.chance(40))
                .then(|| Millis(dice.between(1, 3_000))),
        }
    });
    let messages = messages.collect();
    let schedule = (0..dice.between(0, 3)).map(|_| DeliveryFault {
        at_ms: Millis(dice.between(1, 2_000)),
        what: match dice.between(0, 3) {
            0 => DeliveryBreakage::Crash("transaction-coordinator".into()),
            _ => DeliveryBreakage::Crash(format!("broker-{}", dice.between(1, u32::from(brokers)))),
        },
    });
    let schedule = schedule.collect();
    Kafka {
        cluster: Cluster {
            brokers,
            transaction_version: dice.one_of(&[1, 2]),
            transaction_max_timeout: Millis(3_600_000),
            replica_lag: Millis(dice.between(50, 500)),
            ..Cluster::default()
        },
        replication_factor: replicas,
        // What is acknowledged by one replica alone is not there for good.
        min_in_sync: if replicas > 1 { 2 } else { 1 },
        unclean_election: false,
        sink: KafkaSink {
            naming: dice.one_of(&[
                TransactionNamingStrategy::Incrementing,
                TransactionNamingStrategy::Pooling,
            ]),
            config: ProducerConfig {
                request_timeout: Some(Millis(dice.between(200, 1_000))),
                delivery_timeout: Some(Millis(dice.between(1_000, 4_000))),
                retry_backoff: Some(Millis(dice.between(1, 100))),
                ..ProducerConfig::default()
            },
            ..KafkaSink::default()
        },
        costs: DeliveryCosts {
            network_ms: Millis(dice.between(0, 30)),
            log_ms: Millis(dice.between(0, 20)),
            fetch_ms: Millis(dice.between(1, 20)),
            restart_ms: Millis(dice.between(1, 2_000)),
            election_ms: Millis(dice.between(1, 100)),
            ..DeliveryCosts::default()
        },
        faults: DeliveryFaults {
            schedule,
            messages,
            ..DeliveryFaults::default()
        },
    }
}

fn throw(dice: &mut Dice, seed: u64) -> Scenario {
    let sink = dice.one_of(&[
        DeliveryGuarantee::AtLeastOnce,
        DeliveryGuarantee::ExactlyOnce,
    ]);
    let timeout_ms = Millis(dice.one_of(&[2_000, 20_000, 600_000]));
    let task_managers = dice.between(1, 3);
    let (inputs, job) = job(dice, sink, task_managers as u16);
    let timeout = Millis(dice.between(1, 200));
    let (mode, unaligned, aligned_timeout_ms) = dice.one_of(&[
        (CheckpointingMode::ExactlyOnce, false, Millis(0)),
        (CheckpointingMode::ExactlyOnce, true, Millis(0)),
        (CheckpointingMode::ExactlyOnce, true, timeout),
        (CheckpointingMode::AtLeastOnce, false, Millis(0)),
    ]);
    let snapshots = (0..dice.between(0, 2))
        .map(|_| {
            let vertex = dice.between(0, job.vertices.len() as u32 - 1) as usize;
            SnapshotFault {
                checkpoint: dice.between(1, 6),
                subtask: Some(format!("{}[0]", job.vertices[vertex].name)),
                phase: dice.one_of(&[Phase::Sync, Phase::Async, Phase::Finalize]),
            }
        })
        .collect();
    let savepoints = (0..dice.between(0, 2))
        .map(|_| Savepoint {
            at_ms: Millis(dice.between(1, 2_000)),
            stop: false,
        })
        .collect();
    let crashes = dice.between(0, 3);
    let schedule = (0..crashes)
        .map(|_| {
            let vertex = dice.between(0, job.vertices.len() as u32 - 1) as usize;
            let vertex = &job.vertices[vertex];
            let subtask = dice.between(0, u32::from(vertex.parallelism) - 1);
            let subtask = format!("{}[{subtask}]", vertex.name);
            let what = match dice.between(0, 9) {
                0 => Breakage::LoseTaskManager(dice.between(0, task_managers - 1) as u16),
                1 => Breakage::LoseJobManager,
                2 => Breakage::LoseNotification(subtask),
                _ => Breakage::Crash(subtask),
            };
            Fault {
                at_ms: Millis(dice.between(1, 2_000)),
                what,
            }
        })
        .collect();
    Scenario {
        version: VERSION,
        model: PipelineName::Pipeline,
        name: format!("random {seed}"),
        seed,
        inputs,
        job,
        output: Output {
            topic: "out".into(),
            partitions: dice.chance(50).then(|| dice.between(1, 4) as u16),
        },
        reader: Reader {
            isolation_level: IsolationLevel::ReadCommitted,
            ..Reader::default()
        },
        checkpointing: Checkpointing {
            mode,
            unaligned,
            aligned_timeout_ms,
            interval_ms: Millis(dice.between(1, 400)),
            timeout_ms,
            min_pause_ms: Millis(dice.one_of(&[0, 0, 50, 500])),
            max_concurrent: if unaligned {
                1
            } else {
                dice.one_of(&[1, 1, 2, 3])
            },
            // A job whose checkpoints need longer than they may would be restarted for ever. And where a
            // barrier that overtakes becomes one that is aligned (on a forward or broadcast edge), a
            // subtask may wait for barriers that cannot come before it takes the records behind that
            // one: such a checkpoint expires.
            tolerable_failures: if unaligned || timeout_ms < Millis(20_000) {
                u32::MAX
            } else {
                dice.one_of(&[0, 1, 100])
            },
            initial_delay_ms: dice.chance(30).then(|| Millis(dice.between(0, 200))),
            after_tasks_finish: true,
            force: false,
            max_checkpoints: None,
        },
        savepoints: Savepoints {
            max: 9,
            schedule: savepoints,
        },
        restart: Restart {
            attempts: None,
            failover: dice.one_of(&[Failover::Region, Failover::Full]),
            resubmitted: false,
        },
        network: dice.chance(30).then(|| Network {
            buffers_per_channel: dice.between(1, 2),
            floating_buffers_per_gate: dice.between(0, 4),
            max_buffers_per_channel: dice.between(1, 3),
            segment_bytes: dice.between(50, 400),
        }),
        costs: Costs {
            hop_ms: Millis(dice.between(0, 60)),
            control_ms: Millis(dice.between(0, 60)),
            sync_ms: Micros(u64::from(dice.between(0, 20)) * 500),
            snapshot_ms: Millis(dice.between(0, 200)),
            store_bytes_per_ms: dice.one_of(&[0, 10, 1_000]),
            in_flight_ms: Micros(u64::from(dice.between(0, 20)) * 1_000),
            flush_ms: Micros(u64::from(dice.between(0, 20)) * 500),
            deploy_ms: Millis(dice.one_of(&[0, 0, 100])),
            commit_ms: Millis(dice.between(0, 20)),
            restart_ms: Millis(dice.between(0, 300)),
            jitter_percent: dice.between(0, 100) as u8,
            buffers_per_channel: dice.between(1, 5),
            ..Costs::default()
        },
        faults: Faults {
            schedule,
            snapshots,
            ..Faults::default()
        },
        kafka: None,
        unfixed: Vec::new(),
        until_ms: None,
        max_steps: 200_000,
    }
}

/// One or two sources, up to five operators, one or two sinks; every operator takes from one or two
/// things before it, and what nothing takes from goes to a sink.
fn job(dice: &mut Dice, guarantee: DeliveryGuarantee, task_managers: u16) -> (Vec<Input>, Job) {
    let mut inputs = Vec::new();
    let mut vertices: Vec<Vertex> = Vec::new();
    let mut edges: Vec<Edge> = Vec::new();
    let bounded = dice.chance(30);
    for at in 0..dice.between(1, 2) {
        let topic = format!("topic-{at}");
        inputs.push(Input {
            topic: topic.clone(),
            partitions: dice.between(1, 4) as u16,
            workload: Workload::Numbered {
                count: dice.between(1, 25),
                keys: dice.between(1, 12),
            },
            record_bytes: dice.between(1, 200),
            arrival: None,
        });
        vertices.push(Vertex {
            name: format!("source-{at}"),
            parallelism: dice.between(1, 3) as u16,
            operator: Operator::Source {
                topic,
                interval_ms: Millis(dice.between(1, 40)),
                skew_percent: dice.between(0, 100) as u16,
                bounded,
                start: Start::default(),
            },
            record_bytes: None,
            state: None,
        });
    }
    let sources = vertices.len();
    let operators = dice.between(0, 5) as usize;
    for at in 0..operators {
        let name = format!("operator-{at}");
        let cost_ms = Micros::from(Millis(dice.between(0, 30)));
        let from = dice.between(0, vertices.len() as u32 - 1) as usize;
        let other = dice.between(0, vertices.len() as u32 - 1) as usize;
        let operator = match dice.between(0, 4) {
            0 => Operator::Map { cost_ms },
            1 => Operator::Filter {
                drop_every: dice.between(2, 5),
                cost_ms,
            },
            2 => Operator::FlatMap { copies: 2, cost_ms },
            3 if from != other => Operator::Join { cost_ms },
            _ => Operator::Sum { cost_ms },
        };
        let union = matches!(operator, Operator::Join { .. }) || (from != other && dice.chance(20));
        vertices.push(Vertex {
            name,
            operator,
            parallelism: dice.between(1, 3) as u16,
            record_bytes: dice.chance(20).then(|| dice.between(1, 50)),
            state: None,
        });
        let here = vertices.len() - 1;
        for before in [from].into_iter().chain(union.then_some(other)) {
            edges.push(edge(dice, &vertices, before, here));
        }
    }
    let sinks = dice.between(1, 2);
    for at in 0..sinks {
        vertices.push(Vertex {
            name: format!("sink-{at}"),
            parallelism: dice.between(1, 3) as u16,
            operator: Operator::Sink {
                delivery_guarantee: guarantee,
                cost_ms: Millis(dice.between(0, 30)).into(),
            },
            record_bytes: None,
            state: None,
        });
    }
    let first_sink = sources + operators;
    for at in 0..first_sink {
        if !edges.iter().any(|edge| edge.from == vertices[at].name) {
            let sink = first_sink + dice.between(0, sinks - 1) as usize;
            edges.push(edge(dice, &vertices, at, sink));
        }
    }
    // A sink that nothing goes to gets what the first source reads.
    for sink in first_sink..vertices.len() {
        if !edges.iter().any(|edge| edge.to == vertices[sink].name) {
            edges.push(edge(dice, &vertices, 0, sink));
        }
    }
    let job = Job {
        vertices,
        edges,
        task_managers,
    };
    (inputs, job)
}

fn edge(dice: &mut Dice, vertices: &[Vertex], from: usize, to: usize) -> Edge {
    let keyed = matches!(
        vertices[to].operator,
        Operator::Sum { .. } | Operator::Join { .. }
    );
    let partitioning = match dice.between(0, 9) {
        _ if keyed => Partitioning::Hash,
        0..=2 if vertices[from].parallelism == vertices[to].parallelism => Partitioning::Forward,
        3..=5 => Partitioning::Rebalance,
        // Broadcast multiplies: only into a sink, and seldom.
        6 if matches!(vertices[to].operator, Operator::Sink { .. })
            && vertices[to].parallelism < 3 =>
        {
            Partitioning::Broadcast
        }
        _ => Partitioning::Hash,
    };
    Edge {
        from: vertices[from].name.clone(),
        to: vertices[to].name.clone(),
        partitioning,
        feedback: None,
        force_unaligned: false,
    }
}

/// Whether a job came to a standstill in the one way there is: a barrier that has overtaken records becomes
/// one that is aligned (on a forward or broadcast edge), and blocks the way of the very records behind
/// which another barrier of its checkpoint waits. Such a checkpoint can only expire.
pub fn waits_for_itself(run: &dyn Session) -> bool {
    let Some(scenario) = run.story().pipeline() else {
        return false;
    };
    let checkpointing = &scenario.checkpointing;
    let aligned_edges = scenario.job.edges.iter();
    let mut aligned_edges = aligned_edges.filter(|e| {
        matches!(
            e.partitioning,
            Partitioning::Forward | Partitioning::Broadcast
        )
    });
    let expired = Status::Failed(FailureReason::Expired);
    let mut newest = run.checkpoints().iter().rev();
    let under_way = newest
        .next()
        .is_some_and(|c| c.status == Status::InProgress);
    checkpointing.unaligned
        && aligned_edges.next().is_some()
        && under_way
        && newest.take(10).all(|c| c.status == expired)
}

/// Whether readers wait for a transaction that a removed subtask of the sink has left open and nobody looks for: where
/// each transaction has an id of its own, whoever goes on from there takes it that nothing is left behind if its own
/// first id was never used (`TransactionAbortStrategyImpl.PROBING`), as when a job is killed whose subtasks have not all
/// begun. It stays open until `transaction.timeout.ms` has passed.
pub fn is_left_behind(run: &dyn Session) -> bool {
    let Some(scenario) = run.story().pipeline() else {
        return false;
    };
    let faults = scenario.faults.schedule.iter();
    let left = faults.filter_map(|fault| match &fault.what {
        Breakage::Redeploy(redeploy) => redeploy.parallelism,
        _ => None,
    });
    let naming = scenario.kafka.as_ref().map(|kafka| kafka.sink.naming);
    let (Some(left), Some(TransactionNamingStrategy::Incrementing)) = (left.min(), naming) else {
        return false;
    };
    let scene = run.scene();
    let mut rows = scene.nodes.iter().flat_map(|node| match &node.facts {
        Facts::Transactions(view) => view.rows.as_slice(),
        _ => &[],
    });
    rows.any(|row| {
        let subtask = row.transactional_id.split('-').nth(1);
        let subtask = subtask.and_then(|number| number.parse::<u16>().ok());
        row.state == TransactionState::Ongoing && subtask.is_some_and(|subtask| subtask >= left)
    })
}
