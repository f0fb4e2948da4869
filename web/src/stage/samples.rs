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
    let coordinator = builder.node(
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
    let store = builder.node("store", Place::Durable, Facts::Store { rows: Vec::new() });
    let reader = builder.node(
        "dashboard",
        Place::Reader,
        Facts::Reader {
            read_committed: true,
            total: 0,
            true_total: 10,
        },
    );
    for output in outputs {
        builder.link(output, reader, WireKind::Log);
    }
    for at in 0..builder.scene.nodes.len() {
        let Node { id, ref facts, .. } = builder.scene.nodes[at];
        match facts {
            Facts::Source { .. } => builder.link(coordinator, id, WireKind::Trigger),
            Facts::Sink { .. } => builder.link(coordinator, id, WireKind::Notify),
            Facts::Operator { .. } => {}
            _ => continue,
        }
        builder.link(id, store, WireKind::Acknowledge);
    }
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
