//! Random scenarios: graphs, options, workloads and faults, chosen by a seed.

use barrierscope_core::fingerprint::fingerprint;
use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::models::pipeline::Pipeline;
use barrierscope_core::scenario::{
    Checkpointing, CheckpointingMode, Costs, DeliveryGuarantee, Edge, Fault, Faults, Input, Job,
    Operator, Output, Partitioning, Reader, Scenario, VERSION, Vertex, Workload,
};
use barrierscope_core::time::Millis;

/// A stream of random numbers.
struct Dice(u64);

impl Dice {
    /// A number from `least` to `most`.
    fn between(&mut self, least: u32, most: u32) -> u32 {
        self.0 = self.0.wrapping_add(1);
        least + (fingerprint(&self.0) % u64::from(most - least + 1)) as u32
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.between(1, 100) <= percent
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.between(0, choices.len() as u32 - 1) as usize]
    }
}

/// The scenario of a seed. It makes sense, and its job gets done.
pub fn scenario(seed: u64) -> Scenario {
    let mut dice = Dice(fingerprint(&(seed, "scenario")));
    loop {
        // Seldom, too many copies of a record would come together.
        let scenario = throw(&mut dice, seed);
        if Pipeline::new(scenario.clone()).is_ok() {
            return scenario;
        }
    }
}

fn throw(dice: &mut Dice, seed: u64) -> Scenario {
    let sink = dice.one_of(&[
        DeliveryGuarantee::AtLeastOnce,
        DeliveryGuarantee::ExactlyOnce,
    ]);
    let (inputs, job) = job(dice, sink);
    let timeout = Millis(dice.between(1, 200));
    let (mode, unaligned, aligned_timeout_ms) = dice.one_of(&[
        (CheckpointingMode::ExactlyOnce, false, Millis(0)),
        (CheckpointingMode::ExactlyOnce, true, Millis(0)),
        (CheckpointingMode::ExactlyOnce, true, timeout),
        (CheckpointingMode::AtLeastOnce, false, Millis(0)),
    ]);
    let crashes = dice.between(0, 3);
    let schedule = (0..crashes)
        .map(|_| {
            let vertex = dice.between(0, job.vertices.len() as u32 - 1) as usize;
            let vertex = &job.vertices[vertex];
            let subtask = dice.between(0, u32::from(vertex.parallelism) - 1);
            Fault {
                at_ms: Millis(dice.between(1, 2_000)),
                crash: format!("{}[{subtask}]", vertex.name),
            }
        })
        .collect();
    Scenario {
        version: VERSION,
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
            timeout_ms: Millis(dice.one_of(&[20_000, 600_000])),
            max_checkpoints: None,
        },
        costs: Costs {
            hop_ms: Millis(dice.between(0, 60)),
            control_ms: Millis(dice.between(0, 60)),
            snapshot_ms: Millis(dice.between(0, 200)),
            commit_ms: Millis(dice.between(0, 20)),
            restart_ms: Millis(dice.between(0, 300)),
            jitter_percent: dice.between(0, 100) as u8,
            buffers_per_channel: dice.between(1, 5),
        },
        faults: Faults {
            max_crashes: 9,
            schedule,
        },
        max_steps: 200_000,
    }
}

/// One or two sources, up to five operators, one or two sinks; every operator takes from one or two
/// things before it, and what nothing takes from goes to a sink.
fn job(dice: &mut Dice, guarantee: DeliveryGuarantee) -> (Vec<Input>, Job) {
    let mut inputs = Vec::new();
    let mut vertices: Vec<Vertex> = Vec::new();
    let mut edges: Vec<Edge> = Vec::new();
    for at in 0..dice.between(1, 2) {
        let topic = format!("topic-{at}");
        inputs.push(Input {
            topic: topic.clone(),
            partitions: dice.between(1, 4) as u16,
            workload: Workload::Numbered {
                count: dice.between(1, 25),
                keys: dice.between(1, 12),
            },
        });
        vertices.push(Vertex {
            name: format!("source-{at}"),
            parallelism: dice.between(1, 3) as u16,
            operator: Operator::Source {
                topic,
                interval_ms: Millis(dice.between(1, 40)),
                skew_percent: dice.between(0, 100) as u16,
            },
        });
    }
    let sources = vertices.len();
    let operators = dice.between(0, 5) as usize;
    for at in 0..operators {
        let name = format!("operator-{at}");
        let cost_ms = Millis(dice.between(0, 30));
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
                cost_ms: Millis(dice.between(0, 30)),
            },
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
    (inputs, Job { vertices, edges })
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
    }
}
