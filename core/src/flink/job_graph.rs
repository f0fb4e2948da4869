//! The job graph: vertices with their parallelism, and the channels between their subtasks.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::id::{ChannelId, SubtaskId, VertexId};

/// How an edge spreads records over the receiver's subtasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partitioning {
    /// To the subtask of the same number: equal parallelism on both sides (`ForwardPartitioner`).
    Forward,
    /// By key (`KeyGroupStreamPartitioner`): what keyBy does.
    Hash,
    /// To each subtask in turn (`RebalancePartitioner`).
    Rebalance,
    /// To every subtask (`BroadcastPartitioner`).
    Broadcast,
}

/// A vertex to build the graph from.
#[derive(Clone, Debug)]
pub struct VertexPlan {
    /// Its name.
    pub name: String,
    /// How many subtasks it has.
    pub parallelism: u16,
}

/// An edge to build the graph from: between two vertices, by their places in the list.
#[derive(Clone, Copy, Debug)]
pub struct EdgePlan {
    /// From which vertex.
    pub from: usize,
    /// To which vertex.
    pub to: usize,
    /// How it spreads records.
    pub partitioning: Partitioning,
    /// Whether it leads back, and closes a loop.
    pub feedback: bool,
}

/// A graph, laid out: vertices in topological order, subtasks and channels numbered.
#[derive(Clone, Debug)]
pub struct JobGraph {
    vertices: Vec<Vertex>,
    subtasks: Vec<Subtask>,
    channels: Vec<Ends>,
    /// How many outputs send to each channel in turn.
    turns: u16,
}

/// A vertex, laid out.
#[derive(Clone, Debug)]
pub struct Vertex {
    /// Its name.
    pub name: String,
    /// Its place in the list it was built from.
    pub plan: usize,
    /// Its subtasks.
    pub subtasks: Range<u16>,
    /// How many edges lead to it from a source at most.
    pub depth: u16,
}

/// A subtask, laid out.
#[derive(Clone, Debug)]
pub struct Subtask {
    /// Whose it is.
    pub vertex: VertexId,
    /// Its number among the vertex's subtasks.
    pub index: u16,
    /// The channels of its input gate; those that lead back come last.
    pub inputs: Range<u32>,
    /// Its outputs, one for each edge that leaves the vertex.
    pub outputs: Vec<Output>,
}

/// One of a subtask's outputs.
#[derive(Clone, Debug)]
pub struct Output {
    /// How it spreads records.
    pub partitioning: Partitioning,
    /// The channels, in the order of the receiving subtasks.
    pub channels: Vec<ChannelId>,
    /// For an output that sends to each channel in turn: its number among those of the whole job.
    pub turn: Option<u16>,
    /// The place of its edge in the plan.
    pub edge: usize,
}

/// Between whom a channel runs.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// The sender.
    pub from: SubtaskId,
    /// The receiver.
    pub to: SubtaskId,
}

/// What is wrong with a plan. Numbers are places in the lists of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// An edge names a vertex that is not there.
    NoSuchVertex {
        /// Which edge.
        edge: usize,
    },
    /// A vertex has no subtask.
    NoSubtask {
        /// Which vertex.
        vertex: usize,
    },
    /// A forward edge between vertices of different parallelism.
    UnequalParallelism {
        /// Which edge.
        edge: usize,
    },
    /// The edges run in a circle, and none of them is said to lead back.
    Cycle {
        /// A vertex on it.
        vertex: usize,
    },
    /// More subtasks or channels than ids.
    TooLarge,
}

impl JobGraph {
    /// Lays a plan out.
    ///
    /// # Errors
    /// [`GraphError`] says what does not fit.
    pub fn new(plan: &[VertexPlan], edges: &[EdgePlan]) -> Result<Self, GraphError> {
        for (at, vertex) in plan.iter().enumerate() {
            if vertex.parallelism == 0 {
                return Err(GraphError::NoSubtask { vertex: at });
            }
        }
        for (at, edge) in edges.iter().enumerate() {
            let (Some(from), Some(to)) = (plan.get(edge.from), plan.get(edge.to)) else {
                return Err(GraphError::NoSuchVertex { edge: at });
            };
            if edge.partitioning == Partitioning::Forward && from.parallelism != to.parallelism {
                return Err(GraphError::UnequalParallelism { edge: at });
            }
        }
        let order = topological_order(plan.len(), edges)?;

        let mut graph = Self {
            vertices: Vec::new(),
            subtasks: Vec::new(),
            channels: Vec::new(),
            turns: 0,
        };
        let mut place = vec![0; plan.len()];
        for (vertex, (at, depth)) in order.iter().copied().enumerate() {
            if let Some(place) = place.get_mut(at) {
                *place = vertex;
            }
            let Some(planned) = plan.get(at) else {
                continue;
            };
            let first = u16::try_from(graph.subtasks.len()).map_err(|_| GraphError::TooLarge)?;
            let end = first
                .checked_add(planned.parallelism)
                .ok_or(GraphError::TooLarge)?;
            let id = VertexId(u16::try_from(vertex).map_err(|_| GraphError::TooLarge)?);
            graph
                .subtasks
                .extend((0..planned.parallelism).map(|index| Subtask {
                    vertex: id,
                    index,
                    inputs: 0..0,
                    outputs: Vec::new(),
                }));
            graph.vertices.push(Vertex {
                name: planned.name.clone(),
                plan: at,
                subtasks: first..end,
                depth,
            });
        }
        for vertex in 0..order.len() {
            graph.connect_inputs(vertex, edges, &place)?;
        }
        Ok(graph)
    }

    /// Makes the channels into one vertex, grouped by receiving subtask.
    fn connect_inputs(
        &mut self,
        vertex: usize,
        edges: &[EdgePlan],
        place: &[usize],
    ) -> Result<(), GraphError> {
        let Some(receiver) = self.vertices.get(vertex) else {
            return Ok(());
        };
        let at = receiver.plan;
        let receivers = receiver.subtasks.clone();
        let leading = |back: bool| {
            let edges = edges.iter().enumerate();
            edges.filter(move |(_, edge)| edge.to == at && edge.feedback == back)
        };
        let incoming: Vec<(Range<u16>, Partitioning, usize)> = leading(false)
            .chain(leading(true))
            .filter_map(|(number, edge)| {
                let sender = self.vertices.get(*place.get(edge.from)?)?;
                Some((sender.subtasks.clone(), edge.partitioning, number))
            })
            .collect();
        for (senders, partitioning, edge) in &incoming {
            for sender in senders.clone() {
                if let Some(sender) = self.subtasks.get_mut(usize::from(sender)) {
                    let turn = (*partitioning == Partitioning::Rebalance).then_some(self.turns);
                    self.turns += u16::from(turn.is_some());
                    sender.outputs.push(Output {
                        partitioning: *partitioning,
                        channels: Vec::new(),
                        turn,
                        edge: *edge,
                    });
                }
            }
        }
        for (index, to) in receivers.enumerate() {
            let first = self.channel_count()?;
            // The output just added for edge e of `incoming` is the one `incoming.len() - e` from the end.
            for (edge, (senders, partitioning, _)) in incoming.iter().enumerate() {
                for (number, from) in senders.clone().enumerate() {
                    if *partitioning == Partitioning::Forward && number != index {
                        continue;
                    }
                    let id = ChannelId(self.channel_count()?);
                    self.channels.push(Ends {
                        from: SubtaskId(from),
                        to: SubtaskId(to),
                    });
                    let output = self.subtasks.get_mut(usize::from(from)).and_then(|sender| {
                        let from_same = incoming[edge..]
                            .iter()
                            .filter(|(others, ..)| others == senders)
                            .count();
                        let at = sender.outputs.len().checked_sub(from_same)?;
                        sender.outputs.get_mut(at)
                    });
                    if let Some(output) = output {
                        output.channels.push(id);
                    }
                }
            }
            let end = self.channel_count()?;
            if let Some(subtask) = self.subtasks.get_mut(usize::from(to)) {
                subtask.inputs = first..end;
            }
        }
        Ok(())
    }

    fn channel_count(&self) -> Result<u32, GraphError> {
        u32::try_from(self.channels.len()).map_err(|_| GraphError::TooLarge)
    }

    /// The vertices, sources first.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }

    /// The subtasks, by id.
    pub fn subtasks(&self) -> &[Subtask] {
        &self.subtasks
    }

    /// The channels, by id.
    pub fn channels(&self) -> &[Ends] {
        &self.channels
    }

    /// How many outputs send to each channel in turn.
    pub fn turns(&self) -> u16 {
        self.turns
    }

    /// A subtask.
    pub fn subtask(&self, id: SubtaskId) -> Option<&Subtask> {
        self.subtasks.get(id.index())
    }

    /// A vertex.
    pub fn vertex(&self, id: VertexId) -> Option<&Vertex> {
        self.vertices.get(id.index())
    }
}

/// The vertices so that every edge but those of feedback leads forward, each with its depth. Among those that may come next,
/// the one that comes first in the plan does.
fn topological_order(vertices: usize, edges: &[EdgePlan]) -> Result<Vec<(usize, u16)>, GraphError> {
    let mut order: Vec<(usize, u16)> = Vec::new();
    let mut placed = vec![None; vertices];
    while order.len() < vertices {
        let next = (0..vertices).find_map(|vertex| {
            if placed.get(vertex).copied().flatten().is_some() {
                return None;
            }
            let mut depth = 0;
            let leading = |edge: &&EdgePlan| edge.to == vertex && !edge.feedback;
            for edge in edges.iter().filter(leading) {
                let before: u16 = placed.get(edge.from).copied().flatten()?;
                depth = depth.max(before.saturating_add(1));
            }
            Some((vertex, depth))
        });
        let Some((vertex, depth)) = next else {
            let vertex = placed.iter().position(Option::is_none).unwrap_or(0);
            return Err(GraphError::Cycle { vertex });
        };
        if let Some(place) = placed.get_mut(vertex) {
            *place = Some(depth);
        }
        order.push((vertex, depth));
    }
    // Vertices of equal depth stay in the order of the plan; all sources come first.
    order.sort_by_key(|(_, depth)| *depth);
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(parallelism: &[u16]) -> Vec<VertexPlan> {
        parallelism
            .iter()
            .enumerate()
            .map(|(at, parallelism)| VertexPlan {
                name: alloc::format!("v{at}"),
                parallelism: *parallelism,
            })
            .collect()
    }

    fn edge(from: usize, to: usize, partitioning: Partitioning) -> EdgePlan {
        EdgePlan {
            from,
            to,
            partitioning,
            feedback: false,
        }
    }

    #[test]
    fn hash_edges_connect_all_and_forward_edges_connect_pairs() {
        let graph = JobGraph::new(
            &plan(&[2, 3, 3]),
            &[
                edge(0, 1, Partitioning::Hash),
                edge(1, 2, Partitioning::Forward),
            ],
        )
        .unwrap();
        assert_eq!(graph.channels().len(), 6 + 3);
        assert_eq!(graph.subtasks()[3].inputs, 2..4);
        assert_eq!(
            graph.subtasks()[0].outputs[0].channels,
            [ChannelId(0), ChannelId(2), ChannelId(4)]
        );
        assert_eq!(graph.subtasks()[6].inputs, 7..8);
    }

    #[test]
    fn a_union_of_a_vertex_with_itself_keeps_its_outputs_apart() {
        let graph = JobGraph::new(
            &plan(&[1, 1]),
            &[
                edge(0, 1, Partitioning::Hash),
                edge(0, 1, Partitioning::Forward),
            ],
        )
        .unwrap();
        let outputs = &graph.subtasks()[0].outputs;
        assert_eq!(outputs[0].channels, [ChannelId(0)]);
        assert_eq!(outputs[1].channels, [ChannelId(1)]);
    }

    #[test]
    fn an_edge_that_leads_back_comes_last_at_its_gate() {
        let back = EdgePlan {
            feedback: true,
            ..edge(2, 1, Partitioning::Forward)
        };
        let graph = JobGraph::new(
            &plan(&[1, 1, 1]),
            &[
                back,
                edge(0, 1, Partitioning::Forward),
                edge(1, 2, Partitioning::Forward),
            ],
        )
        .unwrap();
        let depths: Vec<u16> = graph.vertices().iter().map(|v| v.depth).collect();
        assert_eq!(depths, [0, 1, 2]);
        assert_eq!(graph.subtasks()[1].inputs, 0..2);
        assert_eq!(graph.channels()[0].from, SubtaskId(0));
        assert_eq!(graph.subtasks()[2].outputs[0].channels, [ChannelId(1)]);
        assert_eq!(graph.subtasks()[2].outputs[0].edge, 0);
    }

    #[test]
    fn what_makes_no_graph_is_refused() {
        let cycle = [
            edge(0, 1, Partitioning::Hash),
            edge(1, 2, Partitioning::Hash),
            edge(2, 1, Partitioning::Hash),
        ];
        assert_eq!(
            JobGraph::new(&plan(&[1, 1, 1]), &cycle).unwrap_err(),
            GraphError::Cycle { vertex: 1 }
        );
        assert_eq!(
            JobGraph::new(&plan(&[0]), &[]).unwrap_err(),
            GraphError::NoSubtask { vertex: 0 }
        );
        assert_eq!(
            JobGraph::new(&plan(&[1, 2]), &[edge(0, 1, Partitioning::Forward)]).unwrap_err(),
            GraphError::UnequalParallelism { edge: 0 }
        );
        assert_eq!(
            JobGraph::new(&plan(&[1]), &[edge(0, 4, Partitioning::Hash)]).unwrap_err(),
            GraphError::NoSuchVertex { edge: 0 }
        );
    }
}
