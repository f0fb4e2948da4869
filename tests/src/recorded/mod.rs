//! The jobs that were recorded on a real Flink (see `recordings/README.md`), simulated.
//!
//! A recording says how its job was configured. What a machine takes for things, no configuration says:
//! those constants were read off all recordings together, and are the same for every run:
//!
//! | constant | where it comes from |
//! | --- | --- |
//! | a record of the join takes its sleep and 0.35 ms | between snapshots of the join: medians 5.26 to 5.63 ms in twelve runs that sleep 5 ms |
//! | a message takes 11 ms | trigger to source: 14 ms; stored to acknowledged: 5 ms; completed to commit: 14 ms (medians of all runs) |
//! | the synchronous part takes 1 ms | median 0 to 1 ms in all runs |
//! | the asynchronous part takes 2 ms, and 1 ms for 2,100 bytes | fit over the aligned runs |
//! | in-flight data takes 53 ms to store, however much it is | 112 ms in b, 53 ms in e3, 36 ms in c: no dependence on its size |
//! | any of these is off by up to half of it | a quarter of the messages takes twice the median |
//! | bytes of records and states | exact |
//! | subtasks take 500 ms to start, the first checkpoint is due after 600 ms, a restart after 1 s | all runs |
//!
//! Buffers are as Flink's defaults have them. The workload's keys are 64, half of them for each of two
//! subtasks, as in the recordings.

mod report;

pub use report::report;

use barrierscope_core::event::Event;
use barrierscope_core::flink::key_groups;
use barrierscope_core::id::{CheckpointId, NodeId};
use barrierscope_core::mark::Ending;
use barrierscope_core::measurement::Measurement;
use barrierscope_core::scenario::{
    Breakage, Checkpointing, CheckpointingMode, Costs, DeliveryGuarantee, Edge, Fault, Faults,
    Input, Job, Network, Operator, Output, Partitioning, Phase, PipelineName, Reader, Record,
    Restart, Savepoint, Savepoints, Scenario, SnapshotFault, Start, StateSize, VERSION, Vertex,
    Workload,
};
use barrierscope_core::statistics::{CheckpointStatistics, Status, SubtaskStatistics};
use barrierscope_core::time::{Micros, Millis};
use serde_json::Value;

/// The recordings, by letter.
pub const RECORDINGS: [(&str, &str); 15] = [
    ("a", include_str!("../../recordings/a.json")),
    ("b", include_str!("../../recordings/b.json")),
    ("c", include_str!("../../recordings/c.json")),
    ("d", include_str!("../../recordings/d.json")),
    ("e1", include_str!("../../recordings/e1.json")),
    ("e2", include_str!("../../recordings/e2.json")),
    ("e3", include_str!("../../recordings/e3.json")),
    ("e4", include_str!("../../recordings/e4.json")),
    ("e6", include_str!("../../recordings/e6.json")),
    ("f1", include_str!("../../recordings/f1.json")),
    ("f3", include_str!("../../recordings/f3.json")),
    ("f4", include_str!("../../recordings/f4.json")),
    ("g", include_str!("../../recordings/g.json")),
    ("j", include_str!("../../recordings/j.json")),
    ("m", include_str!("../../recordings/m.json")),
];

/// The vertices of the recorded job, in their order; each has two subtasks.
pub const VERTICES: [&str; 5] = ["fast-source", "slow-source", "slow-join", "format", "sink"];

/// A recording.
#[derive(Debug)]
pub struct Recording(Value);

impl Recording {
    /// The recording of this letter.
    ///
    /// # Panics
    /// If there is none: the recordings are part of the program.
    pub fn of(letter: &str) -> Self {
        let found = RECORDINGS.iter().find(|(known, _)| *known == letter);
        let (_, json) = found.unwrap_or_else(|| panic!("no recording {letter}"));
        Self(serde_json::from_str(json).expect("the recordings are JSON"))
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        self.0["run"].as_str().unwrap_or_default()
    }

    /// A field of it.
    pub fn get(&self, pointer: &str) -> Option<&Value> {
        self.0.pointer(pointer)
    }

    fn argument(&self, name: &str) -> Option<u64> {
        self.0["arguments"][name].as_u64()
    }

    fn option(&self, name: &str) -> Option<&str> {
        self.0["configuration"][format!("execution.checkpointing.{name}")].as_str()
    }

    fn duration(&self, name: &str) -> Option<Millis> {
        let (number, unit) = self.option(name)?.split_once(' ')?;
        let factor = match unit {
            "ms" => 1,
            "s" => 1_000,
            _ => 60_000,
        };
        Some(Millis(number.parse::<u32>().ok()? * factor))
    }

    fn number(&self, name: &str, default: u32) -> u32 {
        let text = self.option(name);
        text.and_then(|text| text.parse().ok()).unwrap_or(default)
    }

    /// The checkpoints, as recorded.
    pub fn checkpoints(&self) -> &[Value] {
        self.0["checkpoints"].as_array().map_or(&[], Vec::as_slice)
    }
}

/// When the first checkpoint is triggered.
const FIRST: Millis = Millis(600);

/// The recorded job.
pub fn scenario(recording: &Recording) -> Scenario {
    let argument = |name: &str| recording.argument(name).unwrap_or(0);
    let payload = argument("payload") as u32;
    let record_bytes = if payload == 1_000 {
        1_029
    } else {
        payload + 28
    };
    let source = |topic: &str, per_second: u64| Operator::Source {
        topic: topic.into(),
        // Each of the two partitions has half of the records.
        interval_ms: Millis(2_000_u64.checked_div(per_second).unwrap_or(0) as u32),
        skew_percent: 0,
        bounded: true,
        start: Start::default(),
    };
    let input = |topic: &str, count: u64| Input {
        topic: topic.into(),
        partitions: 2,
        workload: Workload::Records(records(count)),
        record_bytes,
        arrival: None,
    };
    let unaligned = recording.option("unaligned.enabled") == Some("true");
    Scenario {
        version: VERSION,
        model: PipelineName::Pipeline,
        name: recording.name().into(),
        seed: 1,
        inputs: vec![
            input("fast", argument("nFast")),
            input("slow", argument("nSlow")),
        ],
        job: Job {
            vertices: vec![
                vertex("fast-source", source("fast", argument("rFast")), 265, 0),
                vertex("slow-source", source("slow", argument("rSlow")), 265, 0),
                Vertex {
                    record_bytes: Some(29),
                    ..vertex(
                        "slow-join",
                        Operator::Join {
                            cost_ms: Micros(argument("sleepMs") * 1_000 + 350),
                        },
                        3_768,
                        payload + if payload == 1_000 { 33 } else { 32 },
                    )
                },
                vertex(
                    "format",
                    Operator::Map {
                        cost_ms: Micros::ZERO,
                    },
                    0,
                    0,
                ),
                vertex(
                    "sink",
                    Operator::Sink {
                        delivery_guarantee: DeliveryGuarantee::ExactlyOnce,
                        cost_ms: Micros::ZERO,
                    },
                    528,
                    83,
                ),
            ],
            edges: vec![
                edge("fast-source", "slow-join", Partitioning::Hash),
                edge("slow-source", "slow-join", Partitioning::Hash),
                edge("slow-join", "format", Partitioning::Rebalance),
                edge("format", "sink", Partitioning::Rebalance),
            ],
            task_managers: 2,
        },
        output: Output {
            topic: "files".into(),
            partitions: None,
        },
        reader: Reader::default(),
        checkpointing: Checkpointing {
            mode: if recording.option("mode") == Some("AT_LEAST_ONCE") {
                CheckpointingMode::AtLeastOnce
            } else {
                CheckpointingMode::ExactlyOnce
            },
            unaligned,
            aligned_timeout_ms: recording
                .duration("aligned-checkpoint-timeout")
                .unwrap_or_default(),
            interval_ms: recording.duration("interval").unwrap_or_default(),
            timeout_ms: recording.duration("timeout").unwrap_or_default(),
            min_pause_ms: Millis(0),
            max_concurrent: recording.number("max-concurrent-checkpoints", 1) as u8,
            tolerable_failures: recording.number("tolerable-failed-checkpoints", 0),
            initial_delay_ms: Some(FIRST),
            after_tasks_finish: true,
            force: false,
            max_checkpoints: None,
        },
        savepoints: savepoints(recording),
        restart: Restart {
            attempts: Some(3),
            ..Restart::default()
        },
        costs: Costs {
            hop_ms: Millis(1),
            control_ms: Millis(11),
            sync_ms: Micros(1_000),
            snapshot_ms: Millis(2),
            store_bytes_per_ms: 2_100,
            in_flight_ms: Micros(53_000),
            flush_ms: Micros(argument("flushSleepMs") * 1_000),
            commit_ms: Millis(1),
            restart_ms: Millis(1_000),
            deploy_ms: Millis(500),
            jitter_percent: 50,
            ..Costs::default()
        },
        network: Some(Network::default()),
        faults: Faults {
            snapshots: async_failures(recording),
            ..Faults::default()
        },
        kafka: None,
        unfixed: Vec::new(),
        until_ms: None,
        max_steps: 2_000_000,
    }
}

/// So many records with 64 keys in turn, every second one for the first of two subtasks.
fn records(count: u64) -> Vec<Record> {
    let keys = |subtask: u16| {
        let all = (0..).map(|number| format!("key-{number}"));
        let own =
            all.filter(move |key| key_groups::subtask_of(key_groups::key_hash(key), 2) == subtask);
        own.take(32).collect::<Vec<_>>()
    };
    let (first, second) = (keys(0), keys(1));
    let keys: Vec<_> = first
        .iter()
        .zip(&second)
        .flat_map(|(a, b)| [a, b])
        .collect();
    // Each of the two partitions goes through all keys.
    (0..count as usize)
        .map(|number| Record {
            key: keys[number / 2 % 64].clone(),
            value: 1,
        })
        .collect()
}

fn vertex(name: &str, operator: Operator, bytes: u32, key_bytes: u32) -> Vertex {
    Vertex {
        name: name.into(),
        operator,
        parallelism: 2,
        record_bytes: None,
        state: Some(StateSize { bytes, key_bytes }),
    }
}

fn edge(from: &str, to: &str, partitioning: Partitioning) -> Edge {
    Edge {
        from: from.into(),
        to: to.into(),
        partitioning,
        feedback: None,
        force_unaligned: false,
    }
}

/// `asyncFailAt`: the checkpoints whose asynchronous part fails in the join's first subtask.
fn async_failures(recording: &Recording) -> Vec<SnapshotFault> {
    let text = recording.0["arguments"]["asyncFailAt"].as_str();
    let checkpoints = text.into_iter().flat_map(|text| text.split(','));
    checkpoints
        .filter_map(|number| {
            Some(SnapshotFault {
                checkpoint: number.parse().ok()?,
                subtask: Some("slow-join[0]".into()),
                phase: Phase::Async,
            })
        })
        .collect()
}

/// The savepoints that were asked for.
fn savepoints(recording: &Recording) -> Savepoints {
    let requests = recording.0["requests"].as_array();
    let requests = requests.into_iter().flatten();
    let schedule = requests
        .filter_map(|request| {
            let what = request["request"].as_str()?;
            Some(Savepoint {
                at_ms: Millis(FIRST.0 + request["at"].as_u64()? as u32),
                stop: match what {
                    "POST /savepoints" => false,
                    "POST /stop" => true,
                    _ => return None,
                },
            })
        })
        .collect();
    Savepoints { max: 9, schedule }
}

/// What came of a simulated run.
#[derive(Debug)]
pub struct Simulated {
    /// Its figures.
    pub measured: Measurement,
    /// The sink's transactions, those that hold no record left out.
    pub transactions: Vec<Transaction>,
}

/// What became of a transaction of the sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Which of the two subtasks.
    pub subtask: usize,
    /// Its number, and which of those of this number it is: after a restart there may be another.
    pub number: u32,
    /// The checkpoint at whose barrier it was flushed.
    pub prepared_with: Option<CheckpointId>,
    /// The last checkpoint that the sink had been told was complete when it was committed.
    pub committed_after: Option<CheckpointId>,
    /// Whether it was aborted.
    pub aborted: bool,
    /// How many records it holds.
    pub records: u32,
}

/// The nodes of the ten subtasks begin here: the four input partitions come before them.
const FIRST_SUBTASK: u16 = 4;

/// Simulates a recorded job. `failAfterCp`: the join's first subtask throws after so many completed
/// checkpoints, as long after the last of them as in the recording.
pub fn simulate(recording: &Recording) -> Simulated {
    simulate_with_seed(recording, 1)
}

/// The same, with other chances.
pub fn simulate_with_seed(recording: &Recording, seed: u64) -> Simulated {
    let mut scenario = scenario(recording);
    scenario.seed = seed;
    if let Some(after) = recording.argument("failAfterCp") {
        let undisturbed = barrierscope_core::measure(scenario.clone()).expect("it makes sense");
        let last = undisturbed.completed().nth(after as usize - 1);
        let completed = last.map_or(Micros::ZERO, |c| c.triggered + c.end_to_end);
        let recorded = &recording.checkpoints()[after as usize - 1]["completed_at"];
        let thrown = recording.0["failures"][0]["at"].as_u64().unwrap_or(0);
        let later = thrown.saturating_sub(recorded.as_u64().unwrap_or(0));
        scenario.faults.schedule.push(Fault {
            at_ms: Millis((completed.0 / 1_000 + later) as u32),
            what: Breakage::Crash("slow-join[0]".into()),
        });
    }
    let mut transactions = Vec::new();
    let mut told = [CheckpointId::NONE; 2];
    let measured = barrierscope_core::listen(scenario, &mut |_, event| {
        hear(event, &mut transactions, &mut told);
    });
    transactions.retain(|t: &Transaction| t.records > 0);
    Simulated {
        measured: measured.expect("it makes sense"),
        transactions,
    }
}

/// Which of the two sink subtasks a node is.
fn sink_of(node: NodeId) -> Option<usize> {
    let first = usize::from(FIRST_SUBTASK) + 2 * (VERTICES.len() - 1);
    node.index().checked_sub(first).filter(|sink| *sink < 2)
}

fn hear(event: &Event, transactions: &mut Vec<Transaction>, told: &mut [CheckpointId; 2]) {
    let open = |transactions: &mut Vec<Transaction>, sink: usize, number: u32| -> usize {
        let is_it = |t: &Transaction| {
            (t.subtask, t.number) == (sink, number) && t.committed_after.is_none() && !t.aborted
        };
        transactions.iter().position(is_it).unwrap_or_else(|| {
            transactions.push(Transaction {
                subtask: sink,
                number,
                prepared_with: None,
                committed_after: None,
                aborted: false,
                records: 0,
            });
            transactions.len() - 1
        })
    };
    match *event {
        Event::RecordWritten {
            subtask,
            transaction: Some(number),
            ..
        } => {
            if let Some(sink) = sink_of(subtask) {
                let at = open(transactions, sink, number);
                transactions[at].records += 1;
            }
        }
        Event::PreCommitted {
            subtask,
            checkpoint,
            transaction,
            ..
        } => {
            if let Some(sink) = sink_of(subtask) {
                let at = open(transactions, sink, transaction);
                transactions[at].prepared_with = Some(checkpoint);
            }
        }
        Event::CompletionNotified {
            subtask,
            checkpoint,
        } => {
            if let Some(sink) = sink_of(subtask) {
                told[sink] = checkpoint;
            }
        }
        Event::JobRestored { checkpoint, .. } => *told = [checkpoint; 2],
        Event::TransactionCommitted {
            subtask,
            transaction,
            ..
        } => {
            if let Some(sink) = sink_of(subtask) {
                let at = open(transactions, sink, transaction);
                transactions[at].committed_after = Some(told[sink]);
            }
        }
        Event::TransactionAborted {
            subtask,
            transaction,
            ..
        } => {
            if let Some(sink) = sink_of(subtask) {
                let at = open(transactions, sink, transaction);
                transactions[at].aborted = true;
            }
        }
        _ => {}
    }
}

/// Medians over the checkpoints of a run: milliseconds and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Medians {
    /// Of the whole checkpoint.
    pub end_to_end: f64,
    /// Of the join's subtasks.
    pub start_delay: f64,
    /// Of the join's subtasks.
    pub alignment: f64,
    /// Of the whole checkpoint: sum of all subtasks.
    pub persisted: f64,
    /// Of the whole checkpoint.
    pub state_size: f64,
    /// How many checkpoints.
    pub count: usize,
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// The medians of what was recorded: of the completed checkpoints, savepoints and the last one left out.
pub fn recorded_medians(recording: &Recording) -> Medians {
    let completed = recording.checkpoints().iter().filter(|c| {
        c["status"] == "COMPLETED"
            && c["type"]
                .as_str()
                .is_some_and(|kind| !kind.contains("SAVEPOINT"))
    });
    let mut completed: Vec<&Value> = completed.collect();
    completed.pop();
    let of = |field: &str| median(completed.iter().filter_map(|c| c[field].as_f64()).collect());
    let join = |field: &str| {
        let subtasks = completed
            .iter()
            .filter_map(|c| c["subtasks"]["slow-join"].as_array());
        median(
            subtasks
                .flatten()
                .filter_map(|s| s[field].as_f64())
                .collect(),
        )
    };
    Medians {
        end_to_end: of("end_to_end"),
        start_delay: join("start_delay"),
        alignment: join("alignment"),
        persisted: of("persisted"),
        state_size: of("state_size"),
        count: completed.len(),
    }
}

/// The medians of what was simulated, in the same way.
pub fn simulated_medians(simulated: &Simulated) -> Medians {
    let completed = simulated.measured.completed();
    let completed = completed.filter(|c| !c.purpose.is_savepoint());
    let mut completed: Vec<&CheckpointStatistics> = completed.collect();
    completed.pop();
    let millis = |duration: Micros| duration.0 as f64 / 1_000.0;
    let of = |field: &dyn Fn(&CheckpointStatistics) -> f64| {
        median(completed.iter().map(|c| field(c)).collect())
    };
    let join = |field: &dyn Fn(&SubtaskStatistics) -> f64| {
        let subtasks = completed.iter().flat_map(|c| &c.subtasks);
        let of_join = subtasks.filter(|s| vertex_of(s.subtask) == Some("slow-join"));
        median(of_join.map(field).collect())
    };
    Medians {
        end_to_end: of(&|c| millis(c.end_to_end)),
        start_delay: join(&|s| millis(s.start_delay)),
        alignment: join(&|s| millis(s.alignment)),
        persisted: of(&|c| c.persisted() as f64),
        state_size: of(&|c| c.state_size() as f64),
        count: completed.len(),
    }
}

/// The vertex to which a node of the simulated job belongs.
pub fn vertex_of(node: NodeId) -> Option<&'static str> {
    let subtask = node.0.checked_sub(FIRST_SUBTASK)?;
    VERTICES.get(usize::from(subtask / 2)).copied()
}

/// What a checkpoint came to, in the words of the recordings.
pub fn outcome(checkpoint: &CheckpointStatistics) -> String {
    match checkpoint.status {
        Status::InProgress => "IN_PROGRESS".into(),
        Status::Completed => "COMPLETED".into(),
        Status::Failed(reason) => format!("FAILED: {}", reason.message()),
    }
}

/// What a recorded checkpoint came to, in the same words.
pub fn recorded_outcome(checkpoint: &Value) -> String {
    match checkpoint["failure_message"].as_str() {
        Some(message) => format!("FAILED: {message}"),
        None => "COMPLETED".into(),
    }
}

/// Whether a run came to the end of its data.
pub fn finished(simulated: &Simulated) -> bool {
    simulated.measured.ending == Ending::Done
}
