//! The ways between the nodes, and the queues at both ends of channels.

use std::collections::BTreeMap;

use barrierscope_core::id::NodeId;
use barrierscope_core::scene::{Facts, Scene, Wire, WireKind};

use super::brokers::ways::{to_coordinator, to_log};
use super::geometry::{Path, Point, Rect, point};
use super::layout::{CELL, CELL_TOP, Flow, Plan, part_of, store_cell};

/// The way of a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// From the sender to the receiver.
    pub path: Path,
    /// The input queue at the receiver's end, if it is a channel: it ends at the receiver's gate.
    pub pill: Option<Pill>,
    /// The output queue at the sender's end, if it is a channel that has one.
    pub outbox: Option<Pill>,
    /// Whom it leads from and to, where that may change from step to step.
    pub ends: Option<(NodeId, NodeId)>,
}

impl Track {
    /// Whether it is the way of a link.
    pub fn is_of(&self, wire: &Wire) -> bool {
        self.ends.is_none_or(|ends| ends == (wire.from, wire.to))
    }
}

/// The ways of all links of a scene whose links may change from step to step, in their order: `way` leads from one
/// node to another, both by their places in the scene.
pub fn between_nodes(scene: &Scene, way: impl Fn(&Wire, usize, usize) -> Path) -> Vec<Track> {
    let index: BTreeMap<NodeId, usize> = (scene.nodes.iter().enumerate())
        .map(|(at, node)| (node.id, at))
        .collect();
    let of = |wire: &Wire| match (index.get(&wire.from), index.get(&wire.to)) {
        (Some(&from), Some(&to)) => Track {
            path: way(wire, from, to),
            ends: Some((wire.from, wire.to)),
            ..Track::default()
        },
        _ => Track::default(),
    };
    scene.links.iter().map(of).collect()
}

/// A queue of a channel: a lane with places for records.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pill {
    /// Where it begins.
    pub from: Point,
    /// Where it ends, and its first record stands.
    pub to: Point,
    /// How broad it is.
    pub breadth: f64,
    /// How long the place of one record is.
    pub slot: f64,
    /// How many records fit.
    pub capacity: u32,
}

impl Pill {
    /// How far before its end the record stands that so many others are ahead of.
    pub fn place(&self, ahead: usize) -> f64 {
        PILL_END + self.slot * (ahead as f64 + 0.5)
    }

    /// How long it is.
    pub fn length(&self) -> f64 {
        (self.to - self.from).length()
    }
}

/// Between the first place of a queue and its end.
pub(super) const PILL_END: f64 = 4.0;
/// Beside a node, where control passes.
const ASIDE: f64 = 9.0;

impl Flow {
    /// The unit vector along which data flows.
    fn along(self) -> Point {
        match self {
            Self::Right => point(1.0, 0.0),
            Self::Down => point(0.0, 1.0),
        }
    }

    /// The unit vector from lane to lane.
    fn across(self) -> Point {
        match self {
            Self::Right => point(0.0, 1.0),
            Self::Down => point(1.0, 0.0),
        }
    }

    /// How long a box is along the flow, and across it.
    fn extent(self, rect: &Rect) -> (f64, f64) {
        match self {
            Self::Right => (rect.w, rect.h),
            Self::Down => (rect.h, rect.w),
        }
    }

    /// The middle of the side where data enters, and of the one where it leaves.
    fn sides(self, rect: &Rect) -> (Point, Point) {
        let half = self.along() * (self.extent(rect).0 / 2.0);
        (rect.centre() - half, rect.centre() + half)
    }
}

/// The ways of all links, in the order of the scene's links.
pub(super) fn tracks(plan: &Plan<'_>, flow: Flow, nodes: &[Rect], w: f64) -> Vec<Track> {
    let outgoing = outgoing(plan, flow, nodes);
    let mut corridors = Corridors::default();
    let mut log_number = 0;
    (plan.scene.links.iter().enumerate())
        .map(|(link, wire)| {
            let ends = (plan.index.get(&wire.from), plan.index.get(&wire.to));
            let (Some(&from), Some(&to)) = ends else {
                return Track::default();
            };
            let (start, end) = (&nodes[from], &nodes[to]);
            match wire.kind {
                WireKind::Channel {
                    number,
                    capacity,
                    credit,
                } => {
                    let entry = Entry {
                        node: to,
                        rect: end,
                        number,
                        room: credit,
                    };
                    let exit = Exit {
                        node: from,
                        rect: start,
                        place: outgoing[link],
                        room: capacity.saturating_sub(credit),
                    };
                    let around = corridors.between(plan, flow, nodes, (from, to));
                    channel(plan, flow, &exit, &entry, around)
                }
                WireKind::Log => Track {
                    path: if matches!(plan.node(to).facts, Facts::Output { .. }) {
                        log_number += 1;
                        into_output(flow, start, end, log_number)
                    } else if matches!(plan.node(from).facts, Facts::Output { .. }) {
                        into_reader(flow, start, end)
                    } else {
                        into_source(flow, start, end)
                    },
                    ..Track::default()
                },
                WireKind::Request | WireKind::Response => Track {
                    path: to_kafka(plan, flow, nodes, (from, to), w),
                    ..Track::default()
                },
                WireKind::TwoPhaseCommit => Track::default(),
                WireKind::Trigger | WireKind::Notify => Track {
                    path: from_control(start, end),
                    ..Track::default()
                },
                WireKind::Acknowledge => Track {
                    path: into_store(plan, flow, nodes, start, end, wire.from),
                    ..Track::default()
                },
            }
        })
        .zip(&plan.scene.links)
        .map(|(track, wire)| Track {
            ends: Some((wire.from, wire.to)),
            ..track
        })
        .collect()
}

/// Between a sink and a partition that it writes, or the transaction coordinator, there or back.
fn to_kafka(
    plan: &Plan<'_>,
    flow: Flow,
    nodes: &[Rect],
    (from, to): (usize, usize),
    w: f64,
) -> Path {
    let back = !matches!(plan.node(from).facts, Facts::Sink { .. });
    let (sink, other) = if back { (to, from) } else { (from, to) };
    if plan.transactions == Some(other) {
        return to_coordinator(flow, &nodes[sink], &nodes[other], back, w);
    }
    let right = |rect: &Rect| rect.right();
    let outputs = plan.outputs.iter().map(|at| right(&nodes[*at]));
    let margin =
        outputs.fold(right(&nodes[sink]), f64::max) + ASIDE + 7.0 * plan.outputs.len() as f64;
    to_log(flow, &nodes[sink], &nodes[other], back, margin.min(w - 3.0))
}

/// For each link: its place among the channels that leave its sender, counted from the middle one.
fn outgoing(plan: &Plan<'_>, flow: Flow, nodes: &[Rect]) -> Vec<f64> {
    let mut places = vec![0.0; plan.scene.links.len()];
    for node in &plan.scene.nodes {
        let mut leaving: Vec<(i64, usize)> = (plan.scene.links.iter().enumerate())
            .filter(|(_, wire)| {
                wire.from == node.id && matches!(wire.kind, WireKind::Channel { .. })
            })
            .filter_map(|(link, wire)| {
                let centre = nodes[*plan.index.get(&wire.to)?].centre();
                let lane = centre.x * flow.across().x + centre.y * flow.across().y;
                Some((lane as i64, link))
            })
            .collect();
        leaving.sort_unstable();
        let middle = (leaving.len() as f64 - 1.0) / 2.0;
        for (place, (_, link)) in leaving.into_iter().enumerate() {
            places[link] = place as f64 - middle;
        }
    }
    places
}

/// Where a channel leaves its sender.
struct Exit<'a> {
    node: usize,
    rect: &'a Rect,
    /// Its place among the channels that leave, counted from the middle one.
    place: f64,
    /// How many records fit into its output queue.
    room: u32,
}

/// Where a channel comes to its receiver.
struct Entry<'a> {
    node: usize,
    rect: &'a Rect,
    /// Its number in the receiver's input gate.
    number: u32,
    /// How many records fit into its input queue.
    room: u32,
}

/// The free ways past stages that channels skip.
#[derive(Default)]
struct Corridors {
    /// How many channels use one already, by its place across the flow.
    used: BTreeMap<i64, u32>,
}

/// A way past stages: how far across the flow it lies, and where the stages that it passes begin and end.
#[derive(Clone, Copy, Debug)]
struct Corridor {
    across: f64,
    from: f64,
    to: f64,
}

/// Between a way past a box and the box.
const BESIDE: f64 = 5.0;
/// From one way in a corridor to the next.
const APART: f64 = 4.0;
/// So many lie beside each other; more lie on each other.
const BESIDE_EACH_OTHER: u32 = 4;

impl Corridors {
    /// The way past the stages between two nodes, if there are any: between two boxes where there is room, or beyond
    /// the outermost.
    fn between(
        &mut self,
        plan: &Plan<'_>,
        flow: Flow,
        nodes: &[Rect],
        (from, to): (usize, usize),
    ) -> Option<Corridor> {
        let stage_of = |node: usize| plan.stages.iter().position(|stage| stage.contains(&node));
        let (first, last) = (stage_of(from)?, stage_of(to)?);
        let between = plan.stages.get(first + 1..last)?;
        let passed: Vec<&Rect> = between.iter().flatten().map(|at| &nodes[*at]).collect();
        let begin = |rect: &Rect| rect.centre().along(flow.along()) - flow.extent(rect).0 / 2.0;
        let end = |rect: &Rect| rect.centre().along(flow.along()) + flow.extent(rect).0 / 2.0;
        let span = |rect: &Rect| {
            let (middle, half) = (
                rect.centre().along(flow.across()),
                flow.extent(rect).1 / 2.0 + BESIDE,
            );
            (middle - half, middle + half)
        };
        let (start, goal) = (&nodes[from], &nodes[to]);
        let wanted = start
            .centre()
            .towards(goal.centre(), 0.5)
            .along(flow.across());
        let is_free = |across: f64| {
            let mut passed = passed.iter().map(|rect| span(rect));
            passed.all(|(low, high)| across <= low || high <= across)
        };
        let edges = passed.iter().flat_map(|rect| {
            let (low, high) = span(rect);
            [low, high]
        });
        let nearest = edges
            .chain([wanted])
            .filter(|across| is_free(*across))
            .min_by(|a, b| (a - wanted).abs().total_cmp(&(b - wanted).abs()))?;
        let used = self.used.entry((nearest * 10.0) as i64).or_default();
        let beside = APART * f64::from(*used % BESIDE_EACH_OTHER);
        *used += 1;
        // Away from the box that it passes nearest.
        let outwards = passed
            .iter()
            .map(|rect| rect.centre().along(flow.across()) - nearest);
        let outwards = outwards.min_by(|a, b| a.abs().total_cmp(&b.abs()))?;
        let shifted = nearest - beside * outwards.signum();
        Some(Corridor {
            across: if is_free(shifted) { shifted } else { nearest },
            from: passed
                .iter()
                .map(|rect| begin(rect))
                .fold(f64::INFINITY, f64::min),
            to: passed
                .iter()
                .map(|rect| end(rect))
                .fold(f64::NEG_INFINITY, f64::max),
        })
    }
}

fn channel(
    plan: &Plan<'_>,
    flow: Flow,
    exit: &Exit<'_>,
    entry: &Entry<'_>,
    around: Option<Corridor>,
) -> Track {
    let (along, across) = (flow.along(), flow.across());
    let queue = |from: Point, to: Point, pitch: f64, room: u32| Pill {
        from,
        to,
        breadth: (pitch * 0.7).clamp(8.0, 22.0),
        slot: plan.slot(),
        capacity: room,
    };
    let (gate_side, _) = flow.sides(entry.rect);
    let pitch = plan.pitch(plan.inbound[entry.node], flow.extent(entry.rect).1);
    let channels = plan.inbound[entry.node].max(1) as f64;
    let offset = (f64::from(entry.number) - (channels - 1.0) / 2.0) * pitch;
    let gate = gate_side + across * offset;
    let begin = gate - along * plan.queue_length(entry.room);
    let pill = queue(begin, gate, pitch, entry.room);

    let (_, sender_side) = flow.sides(exit.rect);
    let pitch = plan.pitch(plan.outbound[exit.node], flow.extent(exit.rect).1);
    let start = sender_side + across * (pitch * exit.place);
    let path = Path::from(start);
    let (path, left, outbox) = if exit.room == 0 {
        (path, start, None)
    } else {
        let left = start + along * plan.queue_length(exit.room);
        let outbox = queue(start, left, pitch, exit.room);
        (path.line(left), left, Some(outbox))
    };
    let free = (begin.x - left.x) * along.x + (begin.y - left.y) * along.y;
    if free < 0.0 && exit.rect.centre().along(along) >= entry.rect.centre().along(along) {
        return Track {
            path: back(flow, path, (left, begin), (exit.rect, entry.rect)).line(gate),
            pill: Some(pill),
            outbox,
            ends: None,
        };
    }
    if let Some(corridor) = around {
        let at = |place: f64| along * place + across * corridor.across;
        let (turn, back) = (at(corridor.from - 2.0), at(corridor.to + 2.0));
        let lead = along * ((turn - left).along(along) * 0.5).max(6.0);
        let land = along * ((begin - back).along(along) * 0.5).max(6.0);
        return Track {
            path: path
                .curve(left + lead, turn - lead, turn)
                .line(back)
                .curve(back + land, begin - land, begin)
                .line(gate),
            pill: Some(pill),
            outbox,
            ends: None,
        };
    }
    let bend = along * (free * 0.55).max(8.0);
    Track {
        path: path.curve(left + bend, begin - bend, begin).line(gate),
        pill: Some(pill),
        outbox,
        ends: None,
    }
}

/// A way that leads back, from the end of a queue to the beginning of another one that lies before it: around the
/// boxes of both.
fn back(flow: Flow, path: Path, (left, begin): (Point, Point), boxes: (&Rect, &Rect)) -> Path {
    let (along, across) = (flow.along(), flow.across());
    let edge = |rect: &Rect| rect.centre().along(across) + flow.extent(rect).1 / 2.0;
    let beyond = edge(boxes.0).max(edge(boxes.1)) + 16.0;
    let lowered = |place: Point| place + across * (beyond - place.along(across));
    let turn = along * 24.0;
    path.curve(left + turn, lowered(left + turn), lowered(left))
        .line(lowered(begin))
        .curve(lowered(begin - turn), begin - turn, begin)
}

/// From a partition of the input to the source that reads it.
fn into_source(flow: Flow, log: &Rect, source: &Rect) -> Path {
    let (enter, _) = flow.sides(source);
    let start = match flow {
        Flow::Right => point(log.right(), log.centre().y),
        Flow::Down => point(log.centre().x, log.bottom()),
    };
    let bend = flow.along() * 10.0;
    Path::from(start).curve(start + bend, enter - bend, enter)
}

/// From a sink to the partition it writes to.
fn into_output(flow: Flow, sink: &Rect, log: &Rect, number: u32) -> Path {
    match flow {
        Flow::Down => {
            let start = point(sink.centre().x, sink.bottom());
            let end = point(log.centre().x, log.y);
            let bend = point(0.0, (end.y - start.y) * 0.5);
            Path::from(start).curve(start + bend, end - bend, end)
        }
        Flow::Right => {
            // Out of the flow to the right, down beside it, and back into the log's open end.
            let start = point(sink.right(), sink.centre().y);
            let end = point(log.right(), log.y + CELL_TOP + CELL.h / 2.0);
            let x = log.right().max(sink.right()) + 10.0 + 7.0 * f64::from(number - 1);
            let r = 8.0_f64.min(x - start.x).min(x - end.x);
            Path::from(start)
                .line(point(x - r, start.y))
                .curve(point(x, start.y), point(x, start.y), point(x, start.y + r))
                .line(point(x, end.y - r))
                .curve(point(x, end.y), point(x, end.y), point(x - r, end.y))
                .line(end)
        }
    }
}

/// From a partition of the output to who reads it.
fn into_reader(flow: Flow, log: &Rect, reader: &Rect) -> Path {
    match flow {
        Flow::Down => {
            let x = log.centre().x.clamp(reader.x + 20.0, reader.right() - 20.0);
            Path::from(point(log.centre().x, log.bottom())).line(point(x, reader.y))
        }
        Flow::Right => {
            let start = point(log.x, log.y + CELL_TOP + CELL.h / 2.0);
            let end = point(reader.right(), reader.y + reader.h * 0.42);
            let bend = point((start.x - end.x) * 0.5, 0.0);
            Path::from(start).curve(start - bend, end + bend, end)
        }
    }
}

/// From the coordinator down beside a node, and in at its upper corner.
fn from_control(coordinator: &Rect, node: &Rect) -> Path {
    let x = node.right() + ASIDE;
    let enter = point(node.right(), node.y + 16.0);
    let start = point(
        x.clamp(coordinator.x + 20.0, coordinator.right() - 20.0),
        coordinator.bottom(),
    );
    let down = point(x, (start.y + 44.0).min(enter.y - 8.0));
    Path::from(start)
        .curve(start + point(0.0, 26.0), down - point(0.0, 26.0), down)
        .line(point(x, enter.y - 6.0))
        .curve(point(x, enter.y), point(x, enter.y), enter)
}

/// From a node down beside the flow to its cell in the store.
fn into_store(
    plan: &Plan<'_>,
    flow: Flow,
    nodes: &[Rect],
    node: &Rect,
    store: &Rect,
    id: NodeId,
) -> Path {
    let start = point(node.right(), node.bottom() - 14.0);
    let x = node.right() + ASIDE;
    let (number, parts) = part_of(plan.scene, id);
    let cell = store_cell(store, 1, number, parts);
    let end = point(cell.centre().x, cell.y);
    let bent = Path::from(start).curve(
        point(x, start.y),
        point(x, start.y),
        point(x, start.y + 6.0),
    );
    let landing = end - point(0.0, 40.0);
    let Some((gap, top)) = gap(plan, nodes).filter(|_| flow == Flow::Right) else {
        let down = point(x, (end.y - 70.0).max(start.y + 6.0));
        return bent.line(down).curve(down + point(0.0, 40.0), landing, end);
    };
    // Between the reader and the logs there is nothing to be read that it would cover.
    let (turn, down) = (point(x, top), point(gap, (end.y - 70.0).max(top + 20.0)));
    let side = (gap - x).clamp(-10.0, 10.0);
    bent.line(turn - point(0.0, 10.0))
        .curve(turn, turn, turn + point(side, 0.0))
        .line(point(gap - side, top))
        .curve(point(gap, top), point(gap, top), point(gap, top + 10.0))
        .line(down)
        .curve(down + point(0.0, 40.0), landing, end)
}

/// The gap between the reader and the logs beside it: where it is, and how high it reaches.
fn gap(plan: &Plan<'_>, nodes: &[Rect]) -> Option<(f64, f64)> {
    let placed = || plan.scene.nodes.iter().zip(nodes);
    let (_, reader) = placed().find(|(node, _)| matches!(node.facts, Facts::Reader { .. }))?;
    let logs = placed().filter(|(node, _)| matches!(node.facts, Facts::Output { .. }));
    let left = logs.map(|(_, rect)| rect.x).fold(f64::INFINITY, f64::min);
    (left > reader.right()).then_some((f64::midpoint(reader.right(), left), reader.y - 12.0))
}
