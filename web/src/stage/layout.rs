//! Where everything stands, computed from a scene: for any graph, and for wide rooms as for narrow ones.
//!
//! In a wide room data flows from left to right and parallel subtasks stand below each other; in a
//! narrow one it flows from top to bottom and they stand side by side. Control is above the flow, what
//! is durable below it. Lengths are in pixels of the stage before it is zoomed; text needs its size, so
//! a graph that does not fit is scrolled rather than shrunk.

use std::collections::BTreeMap;

use barrierscope_core::id::NodeId;
use barrierscope_core::scene::{Facts, Node, Place, Scene, WireKind};

use super::geometry::{Rect, Size, point};
use super::track::{PILL_END, Track, tracks};

/// Which way data flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// From left to right.
    Right,
    /// From top to bottom.
    Down,
}

impl Flow {
    /// The way that suits a room.
    pub fn for_room(room: Size) -> Self {
        if room.w < NARROW {
            Self::Down
        } else {
            Self::Right
        }
    }
}

/// Below this width data flows from top to bottom.
pub const NARROW: f64 = 600.0;

/// Where everything stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Which way data flows.
    pub flow: Flow,
    /// How much room it all takes, before zooming.
    pub size: Size,
    /// By how much it is enlarged.
    pub zoom: f64,
    /// The boxes of the nodes, in the order of the scene's nodes.
    pub nodes: Vec<Rect>,
    /// The ways of the links, in the order of the scene's links.
    pub tracks: Vec<Track>,
}

/// Around everything.
const MARGIN: f64 = 11.0;
/// A cell of a log.
pub const CELL: Size = Size { w: 14.0, h: 20.0 };
/// Where the cells of a log begin, below its name.
pub const CELL_TOP: f64 = 16.0;
const COORDINATOR: Size = Size { w: 340.0, h: 45.0 };
const INPUT_H: f64 = 52.0;
const SOURCE: Size = Size { w: 104.0, h: 62.0 };
const OPERATOR: Size = Size { w: 136.0, h: 92.0 };
const SINK: Size = Size { w: 142.0, h: 98.0 };
const OUTPUT_H: f64 = 53.0;
const READER: Size = Size { w: 300.0, h: 92.0 };
const STORE_H: f64 = 68.0;
/// The free stretch of a channel before its buffers.
const REACH: f64 = 24.0;
/// A link that no time passes on.
const LOG_GAP: f64 = 18.0;

/// The stages of the flow, without the output topic, and what stands around them.
pub(super) struct Plan<'a> {
    pub(super) scene: &'a Scene,
    pub(super) index: BTreeMap<NodeId, usize>,
    pub(super) stages: Vec<Vec<usize>>,
    pub(super) outputs: Vec<usize>,
    pub(super) coordinators: Vec<usize>,
    pub(super) stores: Vec<usize>,
    pub(super) readers: Vec<usize>,
    /// How many channels lead into each node.
    pub(super) inbound: Vec<usize>,
    /// How many records fit into the largest channel.
    pub(super) capacity: u32,
}

impl<'a> Plan<'a> {
    fn new(scene: &'a Scene) -> Self {
        let index: BTreeMap<NodeId, usize> = (scene.nodes.iter().enumerate())
            .map(|(at, node)| (node.id, at))
            .collect();
        let mut plan = Self {
            scene,
            index,
            stages: Vec::new(),
            outputs: Vec::new(),
            coordinators: Vec::new(),
            stores: Vec::new(),
            readers: Vec::new(),
            inbound: vec![0; scene.nodes.len()],
            capacity: 1,
        };
        let mut stages: BTreeMap<u16, Vec<(u16, usize)>> = BTreeMap::new();
        for (at, node) in scene.nodes.iter().enumerate() {
            match (node.place, &node.facts) {
                (Place::Flow { .. }, Facts::Output { .. }) => plan.outputs.push(at),
                (Place::Flow { stage, lane, .. }, _) => {
                    stages.entry(stage).or_default().push((lane, at));
                }
                (Place::Control, _) => plan.coordinators.push(at),
                (Place::Durable, _) => plan.stores.push(at),
                (Place::Reader, _) => plan.readers.push(at),
            }
        }
        for mut stage in stages.into_values() {
            stage.sort_unstable();
            plan.stages
                .push(stage.into_iter().map(|(_, at)| at).collect());
        }
        for wire in &scene.links {
            if let WireKind::Channel { capacity, .. } = wire.kind {
                plan.capacity = plan.capacity.max(capacity);
                if let Some(to) = plan.index.get(&wire.to) {
                    plan.inbound[*to] += 1;
                }
            }
        }
        plan
    }

    pub(super) fn node(&self, at: usize) -> &Node {
        &self.scene.nodes[at]
    }

    pub(super) fn slot(&self) -> f64 {
        (104.0 / f64::from(self.capacity)).min(17.0)
    }

    pub(super) fn pill_length(&self) -> f64 {
        self.slot() * f64::from(self.capacity) + 2.0 * PILL_END
    }

    /// From one channel of a node to the next.
    pub(super) fn pitch(&self, at: usize, room: f64) -> f64 {
        let channels = self.inbound[at].max(1) as f64;
        ((room - 14.0) / channels).clamp(12.0, 38.0)
    }

    /// How large a node has to be.
    fn least(&self, at: usize) -> Size {
        let size = match self.node(at).facts {
            Facts::Input { .. } => Size {
                w: 5.0 * CELL.w + 23.0,
                h: INPUT_H,
            },
            Facts::Source { .. } => SOURCE,
            Facts::Operator { .. } => OPERATOR,
            _ => SINK,
        };
        Size {
            w: size.w,
            h: size.h,
        }
    }

    /// Whether channels lead from one stage to the next.
    fn channels_into(&self, stage: &[usize]) -> bool {
        stage.iter().any(|at| self.inbound[*at] > 0)
    }
}

/// Arranges a scene in a room.
pub fn arrange(scene: &Scene, room: Size) -> Layout {
    let plan = Plan::new(scene);
    match Flow::for_room(room) {
        Flow::Right => arrange_right(&plan, room),
        Flow::Down => arrange_down(&plan, room),
    }
}

fn arrange_right(plan: &Plan<'_>, room: Size) -> Layout {
    let height_of = |at: usize| {
        let channels = plan.inbound[at] as f64;
        plan.least(at).h.max(channels * 16.0 + 14.0)
    };
    let width_of = |stage: &[usize]| (stage.iter().map(|at| plan.least(*at).w)).fold(0.0, f64::max);
    let lane_gap = 12.0;
    let flow_least = (plan.stages.iter())
        .map(|stage| {
            let tallest = stage.iter().map(|at| height_of(*at)).fold(0.0, f64::max);
            (tallest + lane_gap) * stage.len() as f64
        })
        .fold(0.0, f64::max);
    let channel_gaps = (plan.stages.iter().skip(1))
        .filter(|stage| plan.channels_into(stage))
        .count() as f64;
    let log_gaps = (plan.stages.len() as f64 - 1.0 - channel_gaps).max(0.0);
    let widths: f64 = plan.stages.iter().map(|stage| width_of(stage)).sum();
    let aside = 16.0 + 7.0 * plan.outputs.len() as f64;
    let least_w = (2.0 * MARGIN + aside)
        + widths
        + log_gaps * LOG_GAP
        + channel_gaps * (REACH + plan.pill_length());
    let outputs_h = (plan.outputs.len() as f64 * OUTPUT_H).max(READER.h);
    let gaps = [14.0, 11.0, 10.0];
    let least_h =
        2.0 * MARGIN + COORDINATOR.h + flow_least + outputs_h + STORE_H + gaps.iter().sum::<f64>();

    let zoom = (room.w / (least_w + 24.0 * channel_gaps))
        .min(room.h / (least_h + 24.0))
        .clamp(0.94, 1.5);
    let w = (room.w / zoom).max(least_w);
    let h = (room.h / zoom).max(least_h);
    let spare_h = h - least_h;
    let reach = REACH + ((w - least_w) * 0.6 / channel_gaps.max(1.0)).min(60.0);
    let used = least_w + (reach - REACH) * channel_gaps;
    // What is left over widens the nodes, within reason, and then the margins.
    // The first stage, the input log, gains most by it.
    let shares = plan.stages.len() as f64 + 2.0;
    let widen = ((w - used) / shares).clamp(0.0, 26.0);
    let left = MARGIN + (w - used - widen * shares).max(0.0) / 2.0;

    let mut nodes = vec![Rect::default(); plan.scene.nodes.len()];
    let gap = |at: usize| gaps[at] + spare_h * [0.16, 0.12, 0.12][at];
    let flow_top = MARGIN + COORDINATOR.h + gap(0);
    let flow_h = flow_least + spare_h * 0.4;
    let mut x = left;
    for (number, stage) in plan.stages.iter().enumerate() {
        if number > 0 {
            x += if plan.channels_into(stage) {
                reach + plan.pill_length()
            } else {
                LOG_GAP
            };
        }
        let width = width_of(stage) + widen * if number == 0 { 3.0 } else { 1.0 };
        for (lane, at) in stage.iter().enumerate() {
            let centre = flow_top + flow_h * (lane as f64 + 0.5) / stage.len() as f64;
            nodes[*at] = Rect {
                x,
                y: centre - height_of(*at) / 2.0,
                w: width,
                h: height_of(*at),
            };
        }
        x += width;
    }
    let middle = w / 2.0;
    for at in &plan.coordinators {
        nodes[*at] = Rect::around(point(middle, MARGIN + COORDINATOR.h / 2.0), COORDINATOR);
    }
    let band = flow_top + flow_h + gap(1);
    let band_h = outputs_h + spare_h * 0.2;
    let reader_w = (w * 0.36).clamp(READER.w, 380.0);
    for at in &plan.readers {
        nodes[*at] = Rect {
            x: MARGIN,
            y: band,
            w: reader_w,
            h: band_h,
        };
    }
    let log_x = MARGIN + reader_w + 48.0;
    for (number, at) in plan.outputs.iter().enumerate() {
        let pitch = band_h / plan.outputs.len() as f64;
        nodes[*at] = Rect {
            x: log_x,
            y: band + pitch * number as f64 + (pitch - OUTPUT_H) / 2.0,
            w: w - MARGIN - aside - log_x,
            h: OUTPUT_H,
        };
    }
    for at in &plan.stores {
        nodes[*at] = Rect {
            x: MARGIN,
            y: h - MARGIN - STORE_H,
            w: w - 2.0 * MARGIN,
            h: STORE_H,
        };
    }
    let tracks = tracks(plan, Flow::Right, &nodes);
    Layout {
        flow: Flow::Right,
        size: Size { w, h },
        zoom,
        nodes,
        tracks,
    }
}

fn arrange_down(plan: &Plan<'_>, room: Size) -> Layout {
    let margin = 12.0;
    let lane_gap = 20.0;
    let widest = (plan.stages.iter().map(Vec::len)).max().unwrap_or(1).max(1) as f64;
    let least_lane = |at: usize| (plan.inbound[at] as f64 * 16.0 + 14.0).max(142.0);
    let lane = (plan.stages.iter().flatten().map(|at| least_lane(*at))).fold(142.0, f64::max);
    let zoom = (room.w / 366.0).clamp(0.94, 1.2);
    let w = (room.w / zoom).max(2.0 * margin + widest * (lane + lane_gap) - lane_gap);
    let inner = w - 2.0 * margin + lane_gap;

    let mut nodes = vec![Rect::default(); plan.scene.nodes.len()];
    let across = |number: usize, count: usize, h: f64, y: f64| {
        let pitch = inner / count as f64;
        let width = (pitch - lane_gap).min(260.0);
        let centre = margin + pitch * (number as f64 + 0.5) - lane_gap / 2.0;
        Rect {
            x: centre - width / 2.0,
            y,
            w: width,
            h,
        }
    };
    let whole = |h: f64, y: f64| Rect {
        x: margin,
        y,
        w: w - 2.0 * margin,
        h,
    };
    let mut y = margin;
    for at in &plan.coordinators {
        nodes[*at] = whole(COORDINATOR.h, y);
        y += COORDINATOR.h + 16.0;
    }
    for (number, stage) in plan.stages.iter().enumerate() {
        if number > 0 {
            y += if plan.channels_into(stage) {
                REACH + plan.pill_length()
            } else {
                LOG_GAP
            };
        }
        let tallest = stage.iter().map(|at| plan.least(*at).h).fold(0.0, f64::max);
        for (lane, at) in stage.iter().enumerate() {
            nodes[*at] = across(lane, stage.len(), plan.least(*at).h, y);
        }
        y += tallest;
    }
    y += LOG_GAP + 6.0;
    let beside = (((w - 2.0 * margin + lane_gap) / (130.0 + lane_gap)) as usize).max(1);
    for row in plan.outputs.chunks(beside) {
        for (number, at) in row.iter().enumerate() {
            nodes[*at] = across(number, row.len(), OUTPUT_H, y);
        }
        y += OUTPUT_H + 8.0;
    }
    y += 10.0;
    for at in &plan.readers {
        nodes[*at] = whole(READER.h, y);
        y += READER.h + 14.0;
    }
    for at in &plan.stores {
        nodes[*at] = whole(STORE_H, y);
        y += STORE_H + margin;
    }
    let tracks = tracks(plan, Flow::Down, &nodes);
    Layout {
        flow: Flow::Down,
        size: Size { w, h: y },
        zoom,
        nodes,
        tracks,
    }
}

/// The number of a subtask among those that store snapshots, and how many there are.
pub(super) fn part_of(scene: &Scene, id: NodeId) -> (usize, usize) {
    let storing = || (scene.links.iter()).filter(|wire| matches!(wire.kind, WireKind::Acknowledge));
    let number = storing().position(|wire| wire.from == id).unwrap_or(0);
    (number, storing().count())
}

/// Where in the store the cell of a subtask is: row 0 holds the completed checkpoint, row 1 the one
/// under way.
pub fn store_cell(store: &Rect, row: usize, number: usize, parts: usize) -> Rect {
    let label = 30.0;
    // The words beside a row need room, except where it is narrow: there they stand above.
    let words = if store.w < NARROW { 0.0 } else { 150.0 };
    let pitch = ((store.w - label - words) / parts.max(1) as f64).min(92.0);
    Rect {
        x: store.x + label + pitch * number as f64,
        y: store.y + 20.0 + 26.0 * row as f64,
        w: pitch - if pitch > 20.0 { 4.0 } else { 1.0 },
        h: 21.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::samples::scene;
    use crate::stage::track::Pill;

    const ROOMS: [Size; 5] = [
        Size { w: 900.0, h: 628.0 },
        Size { w: 720.0, h: 470.0 },
        Size { w: 366.0, h: 500.0 },
        Size {
            w: 1600.0,
            h: 1000.0,
        },
        Size { w: 610.0, h: 400.0 },
    ];

    fn each(check: impl Fn(&Scene, &Layout, &str)) {
        for parallelism in 1..=8 {
            for stages in 3..=6 {
                let scene = scene(parallelism, stages);
                for room in ROOMS {
                    let layout = arrange(&scene, room);
                    let name = format!("{stages} stages of {parallelism} in {room:?}");
                    check(&scene, &layout, &name);
                }
            }
        }
    }

    #[test]
    fn nothing_overlaps() {
        each(|scene, layout, name| {
            for (a, first) in layout.nodes.iter().enumerate() {
                for (b, second) in layout.nodes.iter().enumerate().skip(a + 1) {
                    let (a, b) = (&scene.nodes[a].name, &scene.nodes[b].name);
                    assert!(
                        !first.overlaps(second),
                        "{name}: {a} {first:?} and {b} {second:?}"
                    );
                }
            }
        });
    }

    #[test]
    fn nothing_is_cut_off() {
        each(|scene, layout, name| {
            for (node, rect) in scene.nodes.iter().zip(&layout.nodes) {
                let inside = rect.x >= 0.0
                    && rect.y >= 0.0
                    && rect.right() <= layout.size.w + 0.01
                    && rect.bottom() <= layout.size.h + 0.01;
                assert!(
                    inside,
                    "{name}: {} {rect:?} in {:?}",
                    node.name, layout.size
                );
                assert!(
                    rect.w > 0.0 && rect.h > 0.0,
                    "{name}: {} has no size",
                    node.name
                );
            }
        });
    }

    #[test]
    fn channels_of_one_gate_stand_beside_each_other() {
        each(|scene, layout, name| {
            let pills: Vec<(&Pill, _)> = (layout.tracks.iter().zip(&scene.links))
                .filter_map(|(track, wire)| Some((track.pill.as_ref()?, wire.to)))
                .collect();
            for (a, (first, to)) in pills.iter().enumerate() {
                for (second, other) in pills.iter().skip(a + 1) {
                    if to == other {
                        let apart = (first.to - second.to).length();
                        let broad = (first.breadth + second.breadth) / 2.0;
                        assert!(apart >= broad, "{name}: {apart} apart, {broad} broad");
                    }
                }
            }
        });
    }

    #[test]
    fn channels_lead_forwards() {
        each(|_, layout, name| {
            for pill in layout.tracks.iter().filter_map(|track| track.pill) {
                let way = pill.to - pill.from;
                match layout.flow {
                    Flow::Right => assert!(way.x > 0.0 && way.y == 0.0, "{name}"),
                    Flow::Down => assert!(way.y > 0.0 && way.x == 0.0, "{name}"),
                }
            }
        });
    }

    #[test]
    fn a_narrow_room_is_filled_from_top_to_bottom() {
        let room = Size { w: 366.0, h: 600.0 };
        let layout = arrange(&scene(2, 3), room);
        assert_eq!(layout.flow, Flow::Down);
        assert!(
            layout.size.w * layout.zoom <= room.w + 0.01,
            "no scrolling sideways"
        );
    }

    #[test]
    fn the_story_fits_the_rooms_it_is_looked_at_in() {
        for room in [Size { w: 900.0, h: 600.0 }, Size { w: 720.0, h: 480.0 }] {
            let layout = arrange(&scene(2, 3), room);
            assert!(
                layout.size.w * layout.zoom <= room.w + 0.01,
                "{room:?}: {:?}",
                layout.size
            );
            assert!(
                layout.size.h * layout.zoom <= room.h + 0.01,
                "{room:?}: {:?}",
                layout.size
            );
        }
    }
}
