//! Scenes for the tests of this module: a job of any size, with nothing under way.

use barrierscope_core::id::{CheckpointId, LinkId, NodeId, Offset, PartitionId};
use barrierscope_core::scene::{Facts, Gate, Health, JobView, Node, Place, Scene, Wire, WireKind};
use barrierscope_core::time::Micros;

/// A job of so many stages (a source, operators, a sink), each with so many subtasks.
pub(crate) fn scene(parallelism: u16, stages: u16) -> Scene {
    let mut builder = Builder::default();
    let inputs = builder.stage("reports", 0, parallelism, |lane| Facts::Input {
        partition: PartitionId(lane),
        cells: Vec::new(),
        next: Offset(0),
    });
    let mut previous = inputs;
    for stage in 1..=stages {
        let gate = Gate {
            channels: if stage == stages {
                1
            } else {
                u32::from(parallelism)
            },
            collecting: Vec::new(),
        };
        let nodes = if stage == 1 {
            builder.stage("source", stage, parallelism, |_| Facts::Source {
                positions: Vec::new(),
                epoch: CheckpointId(1),
            })
        } else if stage == stages {
            builder.stage("sink", stage, parallelism, |_| Facts::Sink {
                alignment: gate.clone(),
                open: None,
                pending: Vec::new(),
                committed: None,
                waits: None,
                producers: Vec::new(),
                epoch: CheckpointId(1),
            })
        } else {
            builder.stage("operator", stage, parallelism, |_| Facts::Operator {
                alignment: gate.clone(),
                sum: Some(0),
                counted: 0,
                counted_twice: 0,
                applied: None,
                holds: None,
                epoch: CheckpointId(1),
            })
        };
        for (to_lane, to) in nodes.iter().enumerate() {
            for (from_lane, from) in previous.iter().enumerate() {
                if stage == 1 || stage == stages {
                    if from_lane == to_lane {
                        let kind = if stage == 1 {
                            WireKind::Log
                        } else {
                            WireKind::Channel {
                                number: 0,
                                capacity: 4,
                                credit: 2,
                            }
                        };
                        builder.link(*from, *to, kind);
                    }
                } else {
                    let number = from_lane as u32;
                    builder.link(
                        *from,
                        *to,
                        WireKind::Channel {
                            number,
                            capacity: 4,
                            credit: 2,
                        },
                    );
                }
            }
        }
        previous = nodes;
    }
    let outputs = builder.stage("confirmed", stages + 1, parallelism, |lane| Facts::Output {
        partition: PartitionId(lane),
        cells: Vec::new(),
        last_stable: Offset(0),
    });
    for (sink, output) in previous.iter().zip(&outputs) {
        builder.link(*sink, *output, WireKind::Log);
    }
    builder.surround(outputs);
    builder.scene
}

/// A job of up to 300 subtasks in up to seven stages, with channels that skip stages.
pub(crate) fn random(seed: u64) -> Scene {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut draw = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) % below
    };
    let mut builder = Builder::default();
    let count = 2 + draw(6) as u16;
    let most = [1, 3, 12, 300 / u64::from(count)][draw(4) as usize];
    let mut stages: Vec<Vec<NodeId>> = Vec::new();
    for stage in 0..count {
        let lanes = 1 + draw(most) as u16;
        let gate = Gate {
            channels: 1,
            collecting: Vec::new(),
        };
        let (name, facts): (String, Facts) = match stage {
            0 => (
                "source".to_owned(),
                Facts::Source {
                    positions: Vec::new(),
                    epoch: CheckpointId(1),
                },
            ),
            last if last + 1 == count => (
                "sink".to_owned(),
                Facts::Sink {
                    alignment: gate,
                    open: None,
                    pending: Vec::new(),
                    committed: None,
                    waits: None,
                    producers: Vec::new(),
                    epoch: CheckpointId(1),
                },
            ),
            _ => (
                format!("operator {stage}"),
                Facts::Operator {
                    alignment: gate,
                    sum: Some(0),
                    counted: 0,
                    counted_twice: 0,
                    applied: None,
                    holds: None,
                    epoch: CheckpointId(1),
                },
            ),
        };
        stages.push(builder.stage(&name, stage, lanes, |_| facts.clone()));
    }
    for to in 1..stages.len() {
        let skips = to > 1 && draw(2) == 0;
        let from = [Some(to - 1), skips.then(|| draw(to as u64 - 1) as usize)];
        let mut numbers = vec![0; stages[to].len()];
        for from in from.into_iter().flatten() {
            let forward = stages[from].len() == stages[to].len() && draw(2) == 0;
            for (a, sender) in stages[from].clone().into_iter().enumerate() {
                for (b, receiver) in stages[to].clone().into_iter().enumerate() {
                    if forward && a != b {
                        continue;
                    }
                    let kind = WireKind::Channel {
                        number: numbers[b],
                        capacity: 4,
                        credit: 2,
                    };
                    numbers[b] += 1;
                    builder.link(sender, receiver, kind);
                }
            }
        }
    }
    let sinks = stages.last().cloned().unwrap_or_default();
    let outputs = builder.stage("confirmed", count, 1 + draw(most.min(4)) as u16, |lane| {
        Facts::Output {
            partition: PartitionId(lane),
            cells: Vec::new(),
            last_stable: Offset(0),
        }
    });
    for (at, sink) in sinks.into_iter().enumerate() {
        builder.link(sink, outputs[at % outputs.len()], WireKind::Log);
    }
    builder.surround(outputs);
    builder.scene
}

struct Builder {
    scene: Scene,
}

impl Default for Builder {
    fn default() -> Self {
        let scene = Scene {
            at: Micros::ZERO,
            nodes: Vec::new(),
            links: Vec::new(),
        };
        Self { scene }
    }
}

impl Builder {
    fn node(&mut self, name: &str, place: Place, facts: Facts) -> NodeId {
        let id = NodeId(self.scene.nodes.len() as u16);
        self.scene.nodes.push(Node {
            id,
            name: name.to_owned(),
            number: 0,
            of: 1,
            place,
            task_manager: None,
            health: Health::Running,
            work: None,
            facts,
        });
        id
    }

    fn stage(
        &mut self,
        name: &str,
        stage: u16,
        lanes: u16,
        facts: impl Fn(u16) -> Facts,
    ) -> Vec<NodeId> {
        (0..lanes)
            .map(|lane| {
                let id = self.node(name, Place::Flow { stage, lane, lanes }, facts(lane));
                if let Some(node) = self.scene.nodes.last_mut() {
                    (node.number, node.of) = (lane, lanes);
                }
                id
            })
            .collect()
    }

    /// Everything around the flow: coordinator, store and reader, with their ways.
    fn surround(&mut self, outputs: Vec<NodeId>) {
        let coordinator = self.node(
            "coordinator",
            Place::Control,
            Facts::Coordinator {
                pending: Vec::new(),
                completed: None,
                failures: (0, 0),
                restarting: None,
                job: JobView::Running,
            },
        );
        let store = self.node("store", Place::Durable, Facts::Store { rows: Vec::new() });
        let reader = self.node(
            "dashboard",
            Place::Reader,
            Facts::Reader {
                read_committed: true,
                total: 0,
                true_total: 10,
            },
        );
        for output in outputs {
            self.link(output, reader, WireKind::Log);
        }
        for at in 0..self.scene.nodes.len() {
            let Node { id, ref facts, .. } = self.scene.nodes[at];
            match facts {
                Facts::Source { .. } => self.link(coordinator, id, WireKind::Trigger),
                Facts::Sink { .. } => self.link(coordinator, id, WireKind::Notify),
                Facts::Operator { .. } => {}
                _ => continue,
            }
            self.link(id, store, WireKind::Acknowledge);
        }
    }

    fn link(&mut self, from: NodeId, to: NodeId, kind: WireKind) {
        self.scene.links.push(Wire {
            id: LinkId(self.scene.links.len() as u32),
            from,
            to,
            kind,
            blocked_by: None,
            tokens: Vec::new(),
        });
    }
}
