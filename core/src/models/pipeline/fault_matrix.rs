//! What becomes of a record when a job that writes to Kafka breaks at a given point: every crash point × kind of
//! sink × reader, each found out by a run.
//!
//! The moments are those of an undisturbed run of the same job: a crash comes between two events of it. A cell is
//! what that one run comes to; it proves what can happen, and not that nothing else can. That is what [`everywhere`] is
//! for: the same fault at every moment, in every order of all else, in a job that is small enough to be searched to the end.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use crate::event::{Event, SinkEvent};
use crate::id::CheckpointId;
use crate::kafka::log::IsolationLevel;
use crate::measurement::Measurement;
use crate::models::faults::{FaultKind, Selection};
use crate::models::{listen, measure};
use crate::scenario::delivery::{Cluster, DeliveryCosts, ProducerConfig};
use crate::scenario::{
    Breakage, Checkpointing, CheckpointingMode, Costs, DeliveryGuarantee, Edge, Fault, Faults,
    Input, Job, Kafka, KafkaSink, Operator, Output, Partitioning, Phase, PipelineName, Reader,
    Redeploy, Restart, Savepoints, Scenario, SnapshotFault, Start, Story, VERSION, Vertex,
    Workload,
};
use crate::symptom::Symptom;
use crate::time::{Micros, Millis};
use crate::verdict::Verdict;

/// Where the job breaks. Checkpoint n is the second one; T(n) is the transaction that it is to commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CrashPoint {
    /// Before barrier n reaches the sink.
    BeforeBarrier,
    /// After the sink has prepared its commit, before checkpoint n is complete.
    BeforeCompletion,
    /// After checkpoint n is complete, before the sink hears of it.
    BeforeNotification,
    /// The same, and the job is down for longer than `transaction.timeout.ms`.
    BeforeNotificationTimedOut,
    /// After the commit, before the next checkpoint.
    AfterCommit,
    /// Nothing crashes: checkpoint n is given up, and the job runs on.
    CheckpointAborted,
    /// The same, and T(n) is open for longer than `transaction.timeout.ms` before the next checkpoint commits it.
    CheckpointAbortedTimedOut,
    /// The job is killed and deployed again from checkpoint n − 1, though n is committed.
    OlderCheckpoint,
    /// The job is killed before its first checkpoint and deployed again without state, under another
    /// `transactionalIdPrefix`.
    PrefixChanged,
}

impl CrashPoint {
    /// All of them, row by row.
    pub const ALL: [Self; 9] = [
        Self::BeforeBarrier,
        Self::BeforeCompletion,
        Self::BeforeNotification,
        Self::BeforeNotificationTimedOut,
        Self::AfterCommit,
        Self::CheckpointAborted,
        Self::CheckpointAbortedTimedOut,
        Self::OlderCheckpoint,
        Self::PrefixChanged,
    ];

    /// Where that is, in words.
    pub const fn title(self) -> &'static str {
        match self {
            Self::BeforeBarrier => "before barrier n reaches the sink",
            Self::BeforeCompletion => "after the pre-commit, before checkpoint n is complete",
            Self::BeforeNotification => "checkpoint n is complete, the sink has not heard of it",
            Self::BeforeNotificationTimedOut => {
                "checkpoint n is complete, the job is down for longer than transaction.timeout.ms"
            }
            Self::AfterCommit => "after the commit, before the next checkpoint",
            Self::CheckpointAborted => "no crash: checkpoint n is given up",
            Self::CheckpointAbortedTimedOut => {
                "checkpoint n is given up, T(n) is open for longer than transaction.timeout.ms"
            }
            Self::OlderCheckpoint => "deployed again from checkpoint n − 1, though n is committed",
            Self::PrefixChanged => {
                "killed before checkpoint 1, deployed without state under another transactionalIdPrefix"
            }
        }
    }

    /// The name of the scenarios of its cells.
    pub fn scenario_name(self) -> String {
        alloc::format!("{NAME}: {}", self.title())
    }

    /// The crash point whose scenario has a name.
    pub fn named(name: &str) -> Option<Self> {
        let title = name.strip_prefix(NAME)?.strip_prefix(": ")?;
        Self::ALL.into_iter().find(|point| point.title() == title)
    }
}

/// How the name of each cell's scenario begins.
const NAME: &str = "Fault matrix";

/// The kinds of sink, from column to column.
pub const SINKS: [DeliveryGuarantee; 3] = [
    DeliveryGuarantee::None,
    DeliveryGuarantee::AtLeastOnce,
    DeliveryGuarantee::ExactlyOnce,
];

/// The readers, from column to column.
pub const READERS: [IsolationLevel; 2] = [
    IsolationLevel::ReadUncommitted,
    IsolationLevel::ReadCommitted,
];

/// What a job comes to that breaks at a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Where.
    pub point: CrashPoint,
    /// Its sink's guarantee.
    pub sink: DeliveryGuarantee,
    /// Its reader.
    pub reader: IsolationLevel,
    /// The run that shows it.
    pub scenario: Scenario,
    /// In one word.
    pub symptom: Symptom,
    /// Record by record.
    pub verdict: Verdict,
}

/// The cell for a crash point, a sink and a reader; none if the job would not start, which a test excludes.
pub fn cell(point: CrashPoint, sink: DeliveryGuarantee, reader: IsolationLevel) -> Option<Cell> {
    let calm = job(point, sink, reader);
    let moments = Moments::of(&calm)?;
    let mut scenario = calm;
    break_at(&mut scenario, point, &moments);
    let Measurement {
        verdict, ending, ..
    } = measure(scenario.clone()).ok()?;
    Some(Cell {
        point,
        sink,
        reader,
        symptom: Symptom::of(&verdict, Some(ending)),
        verdict,
        scenario,
    })
}

/// What is to be searched for a cell: a small job of the same kind, which faults may happen, and how many of them. None
/// where the job is deployed again by hand: a search breaks what runs, and deploys nothing.
pub fn everywhere(
    point: CrashPoint,
    sink: DeliveryGuarantee,
    reader: IsolationLevel,
) -> Option<(Story, Selection, u8)> {
    let (kinds, at, faults) = match point {
        CrashPoint::BeforeBarrier
        | CrashPoint::BeforeCompletion
        | CrashPoint::BeforeNotification
        | CrashPoint::AfterCommit => (vec![FaultKind::Crash], "sink[0]", 1),
        CrashPoint::BeforeNotificationTimedOut => (
            vec![FaultKind::Crash, FaultKind::TransactionTimeout],
            "sink[0]",
            2,
        ),
        CrashPoint::CheckpointAborted => (vec![FaultKind::FailedSnapshot], "sum[0]", 1),
        CrashPoint::CheckpointAbortedTimedOut => (
            vec![FaultKind::FailedSnapshot, FaultKind::TransactionTimeout],
            "sum[0]",
            2,
        ),
        CrashPoint::OlderCheckpoint | CrashPoint::PrefixChanged => return None,
    };
    let mut nodes = vec![at.to_string()];
    if faults > 1 {
        nodes.push("transaction-coordinator".to_string());
    }
    let mut scenario = job(point, sink, reader);
    for input in &mut scenario.inputs {
        input.workload = Workload::Numbered { count: 1, keys: 1 };
    }
    if let Some(kafka) = &mut scenario.kafka {
        kafka.cluster.brokers = 1;
        kafka.replication_factor = 1;
        kafka.min_in_sync = 1;
    }
    // A checkpoint that is given up is followed by another one, which commits for both.
    scenario.checkpointing.max_checkpoints = Some(match at {
        "sum[0]" => 2,
        _ => 1,
    });
    let selection = Selection { kinds, nodes };
    let story = selection.prepare(Story::from(scenario), faults);
    Some((story, selection, faults))
}

/// When what happens in an undisturbed run, for checkpoint n.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    /// The barrier reaches the sink.
    barrier: Micros,
    /// The sink's snapshot is taken.
    snapshot: Micros,
    /// The checkpoint is complete.
    complete: Micros,
    /// The sink has committed, or would have.
    committed: Micros,
}

const BEFORE: CheckpointId = CheckpointId(1);
const N: CheckpointId = CheckpointId(2);

impl Moments {
    fn of(calm: &Scenario) -> Option<Self> {
        let mut moments = Self::default();
        let mut latest_commit = None;
        let hear = &mut |at, event: &Event| match event {
            Event::Sink(SinkEvent::Flushes { checkpoint, .. }) if *checkpoint == N => {
                moments.barrier = at;
            }
            Event::SnapshotTaken { checkpoint, .. } if *checkpoint == N => moments.snapshot = at,
            Event::CheckpointCompleted { checkpoint, .. } if *checkpoint == N => {
                moments.complete = at;
            }
            Event::TransactionCommitted { transaction, .. } if *transaction == N.0 => {
                latest_commit = latest_commit.or(Some(at));
            }
            _ => {}
        };
        listen(calm.clone(), hear).ok()?;
        let told = Micros::from(Millis(40));
        moments.committed = latest_commit.unwrap_or(moments.complete + told);
        Some(moments)
    }
}

/// A job that sums eight records and writes them to one partition with three replicas.
fn job(point: CrashPoint, sink: DeliveryGuarantee, reader: IsolationLevel) -> Scenario {
    // A transaction that is to time out waits for the checkpoint after next; the others are quick.
    let slow = point == CrashPoint::CheckpointAbortedTimedOut;
    let (interval, checkpoints) = if slow { (2_000, 8_000) } else { (45, 200) };
    let timeout = match point {
        CrashPoint::BeforeNotificationTimedOut => 20_000,
        CrashPoint::CheckpointAbortedTimedOut => 12_000,
        _ => 900_000,
    };
    let vertex = |name: &str, operator| Vertex {
        name: name.to_string(),
        operator,
        parallelism: 1,
        record_bytes: None,
        state: None,
    };
    let edge = |from: &str, to: &str, partitioning| Edge {
        from: from.to_string(),
        to: to.to_string(),
        partitioning,
        feedback: None,
        force_unaligned: false,
    };
    Scenario {
        version: VERSION,
        model: PipelineName::Pipeline,
        name: point.scenario_name(),
        seed: 0,
        inputs: vec![Input {
            topic: "orders".to_string(),
            partitions: 1,
            workload: Workload::Numbered { count: 12, keys: 3 },
            record_bytes: 100,
            arrival: None,
        }],
        job: Job {
            vertices: vec![
                vertex(
                    "source",
                    Operator::Source {
                        topic: "orders".to_string(),
                        interval_ms: Millis(interval),
                        skew_percent: 0,
                        bounded: false,
                        start: Start::default(),
                    },
                ),
                vertex(
                    "sum",
                    Operator::Sum {
                        cost_ms: Micros::from(Millis(2)),
                    },
                ),
                vertex(
                    "sink",
                    Operator::Sink {
                        delivery_guarantee: sink,
                        cost_ms: Micros::from(Millis(2)),
                    },
                ),
            ],
            edges: vec![
                edge("source", "sum", Partitioning::Hash),
                edge("sum", "sink", Partitioning::Forward),
            ],
            task_managers: 1,
        },
        output: Output {
            topic: "totals".to_string(),
            partitions: None,
        },
        kafka: Some(Kafka {
            cluster: Cluster {
                brokers: 3,
                timeout_scan: Millis(1_000),
                ..Cluster::default()
            },
            replication_factor: 3,
            min_in_sync: 2,
            sink: KafkaSink {
                prefix: "a".to_string(),
                config: ProducerConfig {
                    transaction_timeout: Some(Millis(timeout)),
                    ..ProducerConfig::default()
                },
                ..KafkaSink::default()
            },
            costs: DeliveryCosts {
                network_ms: Millis(2),
                log_ms: Millis(2),
                ..DeliveryCosts::default()
            },
            ..Kafka::default()
        }),
        reader: Reader {
            isolation_level: reader,
            ..Reader::default()
        },
        checkpointing: Checkpointing {
            mode: CheckpointingMode::ExactlyOnce,
            unaligned: false,
            aligned_timeout_ms: Millis(0),
            interval_ms: Millis(checkpoints),
            timeout_ms: Millis(600_000),
            min_pause_ms: Millis(0),
            max_concurrent: 1,
            tolerable_failures: 3,
            initial_delay_ms: None,
            after_tasks_finish: true,
            force: false,
            max_checkpoints: None,
        },
        savepoints: Savepoints::default(),
        restart: Restart::default(),
        costs: Costs {
            jitter_percent: 0,
            restart_ms: match point {
                CrashPoint::BeforeNotificationTimedOut => Millis(30_000),
                _ => Millis(500),
            },
            ..Costs::default()
        },
        network: None,
        faults: Faults::default(),
        unfixed: Vec::new(),
        until_ms: Some(Millis(60_000)),
        max_steps: 20_000,
    }
}

fn break_at(scenario: &mut Scenario, point: CrashPoint, moments: &Moments) {
    let millis = |at: Micros| Millis((at.0 / 1_000) as u32);
    let mut schedule = |at: Micros, what| {
        scenario.faults.schedule.push(Fault {
            at_ms: millis(at),
            what,
        });
    };
    let crash = || Breakage::Crash("sink[0]".to_string());
    let between = |one: Micros, other: Micros| Micros((one.0 + other.0) / 2);
    let little = Micros::from(Millis(3));
    match point {
        CrashPoint::BeforeBarrier => {
            schedule(Micros(moments.barrier.0.saturating_sub(little.0)), crash());
        }
        CrashPoint::BeforeCompletion => {
            schedule(between(moments.snapshot, moments.complete), crash());
        }
        CrashPoint::BeforeNotification | CrashPoint::BeforeNotificationTimedOut => {
            schedule(moments.complete + little, crash());
        }
        CrashPoint::AfterCommit => schedule(moments.committed + little, crash()),
        CrashPoint::CheckpointAborted | CrashPoint::CheckpointAbortedTimedOut => {
            scenario.faults.snapshots.push(SnapshotFault {
                checkpoint: N.0,
                subtask: Some("sum[0]".to_string()),
                phase: Phase::Async,
            });
        }
        CrashPoint::OlderCheckpoint => schedule(
            moments.committed + little,
            Breakage::Redeploy(Redeploy {
                checkpoint: Some(BEFORE.0),
                prefix: None,
                ..Redeploy::default()
            }),
        ),
        CrashPoint::PrefixChanged => schedule(
            Micros::from(Millis(150)),
            Breakage::Redeploy(Redeploy {
                checkpoint: Some(0),
                prefix: Some("b".to_string()),
                ..Redeploy::default()
            }),
        ),
    }
}
