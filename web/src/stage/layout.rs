//! Where everything stands, computed from a scene: for any graph, and for wide rooms as for narrow ones.
//!
//! In a wide room data flows from left to right and parallel subtasks stand below each other; in a
//! narrow one it flows from top to bottom and they stand side by side. Control is above the flow, what
//! is durable below it. Lengths are in pixels of the stage before it is zoomed; text needs its size, so
//! a graph that does not fit is scrolled rather than shrunk.

use std::collections::BTreeMap;
use std::rc::Rc;

use barrierscope_core::id::{NodeId, PartitionId};
use barrierscope_core::scene::{Facts, Node, Place, Scene, WireKind};

use super::brokers::arrange::{CONTROL_H, below, height};
use super::fold::{Folding, families, fold, is_family};
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
    /// The buttons that unfold the replicas of logs, or fold them.
    pub folds: Vec<Rect>,
}

impl Layout {
    /// Whether it does not fit into the width of a room in which data flows downwards.
    pub fn is_wider_than(&self, room: Size) -> bool {
        self.flow == Flow::Down && self.size.w * self.zoom > room.w + 1.0
    }

    /// The same, made small enough to fit into a room, and then larger by a factor. Where data flows downwards, the
    /// page scrolls: it need not fit in height.
    #[must_use]
    pub fn seen(self, room: Size, factor: f64) -> Self {
        let wide = room.w / self.size.w.max(1.0);
        let fits = match self.flow {
            Flow::Right => wide.min(room.h / self.size.h.max(1.0)),
            Flow::Down => wide,
        };
        let zoom = self.zoom.min(fits.max(SMALLEST)) * factor;
        // What moves is drawn on one canvas, and those have their limits.
        let most = MOST_PIXELS / self.size.w.max(self.size.h).max(1.0);
        Self {
            zoom: zoom.min(most.max(SMALLEST)),
            ..self
        }
    }
}

/// A canvas is not longer than this, in pixels of the page.
const MOST_PIXELS: f64 = 6_000.0;

/// How a job is to be arranged, besides what is in its scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// How many checkpoints may be under way.
    pub under_way: usize,
    /// Whether the logs of all replicas are shown.
    pub unfolded: bool,
}

/// Around everything.
const MARGIN: f64 = 11.0;
/// A cell of a log.
pub const CELL: Size = Size { w: 14.0, h: 20.0 };
/// Where the cells of a log begin, below its name.
pub const CELL_TOP: f64 = 16.0;
const COORDINATOR: Size = Size { w: 360.0, h: 45.0 };
const INPUT_H: f64 = 52.0;
const SOURCE: Size = Size { w: 104.0, h: 62.0 };
const OPERATOR: Size = Size { w: 136.0, h: 92.0 };
const SINK: Size = Size { w: 142.0, h: 98.0 };
/// A sink with what its thread waits for, a prepared transaction and an open one.
const SINK_ON_BROKERS: Size = Size { w: 164.0, h: 122.0 };
const OUTPUT_H: f64 = 53.0;
const READER: Size = Size { w: 300.0, h: 92.0 };
/// One that stands for many says how many, and what they are about.
const FAMILY: Size = Size { w: 150.0, h: 92.0 };
/// Above the rows of the store.
const STORE_HEAD: f64 = 16.0;
/// From one row of the store to the next.
const STORE_ROW: f64 = 26.0;
/// The store shows no more checkpoints under way than these.
pub const MOST_UNDER_WAY: usize = 3;
/// The free stretch of a channel before its buffers.
const REACH: f64 = 24.0;
/// How long the place of one record in a queue is at most; and where that does not fit into the room.
const LARGEST_SLOT: f64 = 17.0;
const SMALLER_SLOT: f64 = 10.0;
/// Text needs its size.
const LEAST_ZOOM: f64 = 0.94;
/// Where that does not fit, all of it is made smaller, down to this; what does not fit even then is folded, or scrolls.
pub const SMALLEST: f64 = 0.6;
/// A link that no time passes on.
const LOG_GAP: f64 = 18.0;

/// The stages of the flow, without the output topic, and what stands around them.
pub(super) struct Plan<'a> {
    pub(super) scene: &'a Scene,
    pub(super) index: BTreeMap<NodeId, usize>,
    pub(super) stages: Vec<Vec<usize>>,
    pub(super) outputs: Vec<usize>,
    pub(super) coordinators: Vec<usize>,
    /// The transaction coordinator, where the output topic has brokers.
    pub(super) transactions: Option<usize>,
    /// By output partition: its replicas.
    pub(super) replicas: Vec<Vec<usize>>,
    unfolded: bool,
    pub(super) stores: Vec<usize>,
    pub(super) readers: Vec<usize>,
    /// How many channels lead into each node.
    pub(super) inbound: Vec<usize>,
    /// How many checkpoints under way the store has room for.
    under_way: usize,
    /// How long the place of one record in a queue is at most.
    largest_slot: f64,
    /// How many channels leave each node.
    pub(super) outbound: Vec<usize>,
    /// How many records fit into the largest input queue, and into the largest output queue.
    pub(super) queues: (u32, u32),
}

impl<'a> Plan<'a> {
    fn new(scene: &'a Scene, wanted: Wanted) -> Self {
        let index: BTreeMap<NodeId, usize> = (scene.nodes.iter().enumerate())
            .map(|(at, node)| (node.id, at))
            .collect();
        let mut plan = Self {
            scene,
            index,
            stages: Vec::new(),
            outputs: Vec::new(),
            coordinators: Vec::new(),
            transactions: None,
            replicas: Vec::new(),
            unfolded: wanted.unfolded,
            stores: Vec::new(),
            readers: Vec::new(),
            inbound: vec![0; scene.nodes.len()],
            under_way: wanted.under_way.clamp(1, MOST_UNDER_WAY),
            largest_slot: LARGEST_SLOT,
            outbound: vec![0; scene.nodes.len()],
            queues: (1, 0),
        };
        let mut stages: BTreeMap<u16, Vec<(u16, usize)>> = BTreeMap::new();
        let mut replicas: BTreeMap<PartitionId, Vec<usize>> = BTreeMap::new();
        for (at, node) in scene.nodes.iter().enumerate() {
            match (node.place, &node.facts) {
                (Place::Flow { .. }, Facts::Output { .. }) => plan.outputs.push(at),
                (_, Facts::Replica(view)) => replicas.entry(view.partition).or_default().push(at),
                (_, Facts::Transactions(_)) => plan.transactions = Some(at),
                (Place::Flow { stage, lane, .. }, _) => {
                    stages.entry(stage).or_default().push((lane, at));
                }
                (Place::Control, _) => plan.coordinators.push(at),
                (Place::Durable, _) => plan.stores.push(at),
                (Place::Reader, _) => plan.readers.push(at),
            }
        }
        plan.replicas = replicas.into_values().collect();
        for mut stage in stages.into_values() {
            stage.sort_unstable();
            plan.stages
                .push(stage.into_iter().map(|(_, at)| at).collect());
        }
        for wire in &scene.links {
            if let WireKind::Channel {
                capacity, credit, ..
            } = wire.kind
            {
                let (input, output) = plan.queues;
                let room = capacity.saturating_sub(credit);
                plan.queues = (input.max(credit), output.max(room));
                if let Some(to) = plan.index.get(&wire.to) {
                    plan.inbound[*to] += 1;
                }
                if let Some(from) = plan.index.get(&wire.from) {
                    plan.outbound[*from] += 1;
                }
            }
        }
        plan
    }

    pub(super) fn node(&self, at: usize) -> &Node {
        &self.scene.nodes[at]
    }

    pub(super) fn slot(&self) -> f64 {
        let (input, output) = self.queues;
        (104.0 / f64::from(input.saturating_add(output))).min(self.largest_slot)
    }

    /// How long a queue is into which so many records fit.
    pub(super) fn queue_length(&self, room: u32) -> f64 {
        if room == 0 {
            return 0.0;
        }
        self.slot() * f64::from(room) + 2.0 * PILL_END
    }

    /// How long both queues of a channel are together.
    pub(super) fn queues_length(&self) -> f64 {
        let (input, output) = self.queues;
        self.queue_length(input) + self.queue_length(output)
    }

    /// From one of so many channels at a side of a node to the next.
    pub(super) fn pitch(&self, channels: usize, room: f64) -> f64 {
        ((room - 14.0) / channels.max(1) as f64).clamp(12.0, 38.0)
    }

    /// How many channels there are at the side of a node that has more of them.
    fn channels_at(&self, at: usize) -> f64 {
        self.inbound[at].max(self.outbound[at]) as f64
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
            _ if self.transactions.is_some() => SINK_ON_BROKERS,
            _ => SINK,
        };
        match is_family(self.node(at)) {
            true => Size {
                w: size.w.max(FAMILY.w),
                h: size.h.max(FAMILY.h),
            },
            false => size,
        }
    }

    /// How high the store is: a row for the completed checkpoint, and one for each under way.
    fn store_height(&self) -> f64 {
        STORE_HEAD + STORE_ROW * (1.0 + self.under_way as f64)
    }

    /// How wide a stage is at least.
    fn width_of(&self, stage: &[usize]) -> f64 {
        (stage.iter().map(|at| self.least(*at).w)).fold(0.0, f64::max)
    }

    /// How many gaps between stages hold channels.
    fn channel_gaps(&self) -> f64 {
        let stages = self.stages.iter().skip(1);
        stages.filter(|stage| self.channels_into(stage)).count() as f64
    }

    /// How high an output log is with its replicas, and from one to the next.
    fn output_height(&self) -> f64 {
        let replicas = self.replicas.iter().map(Vec::len).max();
        OUTPUT_H + height(replicas.unwrap_or(0), self.unfolded)
    }

    /// How high the coordinators are.
    fn control_height(&self) -> f64 {
        match self.transactions {
            Some(_) => CONTROL_H,
            None => COORDINATOR.h,
        }
    }

    /// Puts the replicas of each log below it; the buttons that unfold them.
    fn place_replicas(&self, nodes: &mut [Rect]) -> Vec<Rect> {
        let mut folds = Vec::new();
        for (log, replicas) in self.outputs.iter().zip(&self.replicas) {
            let (places, button) = below(&nodes[*log], replicas.len(), self.unfolded);
            for (at, place) in replicas.iter().zip(places) {
                nodes[*at] = place;
            }
            folds.extend(button);
        }
        folds
    }

    /// The room beside the flow in which sinks reach their logs, and their Kafka where it has brokers.
    fn aside(&self) -> f64 {
        let requests = if self.transactions.is_some() {
            12.0
        } else {
            0.0
        };
        16.0 + 7.0 * self.outputs.len() as f64 + requests
    }

    /// How much room there has to be for a flow from left to right.
    fn least_width(&self) -> f64 {
        let channel_gaps = self.channel_gaps();
        let log_gaps = (self.stages.len() as f64 - 1.0 - channel_gaps).max(0.0);
        let widths: f64 = self.stages.iter().map(|stage| self.width_of(stage)).sum();
        (2.0 * MARGIN + self.aside())
            + widths
            + log_gaps * LOG_GAP
            + channel_gaps * (REACH + self.queues_length())
    }

    /// Whether channels lead from one stage to the next.
    fn channels_into(&self, stage: &[usize]) -> bool {
        stage.iter().any(|at| self.inbound[*at] > 0)
    }
}

/// What of a scene decides where its links lead: they may change from step to step.
pub fn shape(scene: &Scene) -> Vec<u16> {
    let ends = scene.links.iter().flat_map(|wire| [wire.from.0, wire.to.0]);
    ends.collect()
}

/// Arranges a scene in a room.
pub fn arrange(scene: &Scene, room: Size, wanted: Wanted) -> Layout {
    let mut plan = Plan::new(scene, wanted);
    if plan.least_width() * LEAST_ZOOM > room.w {
        plan.largest_slot = SMALLER_SLOT;
    }
    match Flow::for_room(room) {
        Flow::Right => arrange_right(&plan, room),
        Flow::Down => arrange_down(&plan, room),
    }
}

/// Arranges a job; families that have no room are folded, the largest first, unless somebody has said otherwise.
pub fn arrange_folded(
    scene: &Rc<Scene>,
    room: Size,
    wanted: Wanted,
    by_hand: &BTreeMap<String, bool>,
) -> (Layout, Folding) {
    let mut families = families(scene);
    let mut folding: Folding = (families.iter())
        .filter(|(name, _)| by_hand.get(name) == Some(&true))
        .map(|(name, _)| name.clone())
        .collect();
    families.retain(|(name, count)| *count >= FOLDABLE && !by_hand.contains_key(name));
    families.sort_by_key(|(_, count)| *count);
    loop {
        let layout = arrange(&fold(scene, &folding).scene, room, wanted);
        let seen = layout.clone().seen(room, 1.0).zoom;
        let is_small = room.w > 0.0 && (seen < FOLDS_BELOW || layout.is_wider_than(room));
        match families.pop().filter(|_| is_small) {
            Some((name, _)) => folding.insert(name),
            None => return (layout, folding),
        };
    }
}

/// The same beside other stages, where one wants to see them all to their ends: what is too high is made smaller.
pub fn arrange_beside(
    scene: &Rc<Scene>,
    room: Size,
    wanted: Wanted,
    by_hand: &BTreeMap<String, bool>,
) -> (Layout, Folding) {
    let (layout, folding) = arrange_folded(scene, room, wanted, by_hand);
    let height = layout.size.h * layout.zoom;
    if layout.flow == Flow::Right || height <= room.h {
        return (layout, folding);
    }
    let smaller = (room.h / height).max(SMALLEST_BESIDE);
    let room = Size {
        // It flows downwards still.
        w: (room.w / smaller).min(NARROW - 1.0),
        h: room.h / smaller,
    };
    let (layout, folding) = arrange_folded(scene, room, wanted, by_hand);
    let zoom = layout.zoom * smaller;
    (Layout { zoom, ..layout }, folding)
}

/// Stages that stand side by side are not made smaller than by this factor: one has to read them.
const SMALLEST_BESIDE: f64 = 0.68;

/// Families with fewer members than this are not folded unless somebody asks for it, and need no button for it.
pub const FOLDABLE: usize = 3;

/// Below this size subtasks fold into their operators.
const FOLDS_BELOW: f64 = 0.62;
fn arrange_right(plan: &Plan<'_>, room: Size) -> Layout {
    let height_of = |at: usize| {
        let channels = plan.channels_at(at);
        plan.least(at).h.max(channels * 16.0 + 14.0)
    };
    let lane_gap = 12.0;
    let flow_least = (plan.stages.iter())
        .map(|stage| {
            let tallest = stage.iter().map(|at| height_of(*at)).fold(0.0, f64::max);
            (tallest + lane_gap) * stage.len() as f64
        })
        .fold(0.0, f64::max);
    let channel_gaps = plan.channel_gaps();
    let (aside, least_w) = (plan.aside(), plan.least_width());
    let output_h = plan.output_height();
    let outputs_h = (plan.outputs.len() as f64 * output_h).max(READER.h);
    let control_h = plan.control_height();
    let gaps = [14.0, 11.0, 10.0];
    let least_h = 2.0 * MARGIN
        + control_h
        + flow_least
        + outputs_h
        + plan.store_height()
        + gaps.iter().sum::<f64>();

    let zoom = (room.w / (least_w + 24.0 * channel_gaps))
        .min(room.h / (least_h + 24.0))
        .clamp(LEAST_ZOOM, 1.5);
    let tight = (room.w / least_w).min(room.h / least_h);
    let zoom = zoom.min(tight.max(SMALLEST));
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
    let flow_top = MARGIN + control_h + gap(0);
    let flow_h = flow_least + spare_h * 0.4;
    let mut x = left;
    for (number, stage) in plan.stages.iter().enumerate() {
        if number > 0 {
            x += if plan.channels_into(stage) {
                reach + plan.queues_length()
            } else {
                LOG_GAP
            };
        }
        let width = plan.width_of(stage) + widen * if number == 0 { 3.0 } else { 1.0 };
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
    if let Some(transactions) = plan.transactions {
        // Beside each other.
        let free = w - 2.0 * MARGIN;
        let each = ((free - 14.0) / 2.0).min(380.0);
        // The checkpoint coordinator has the longer line.
        let more = each * 0.09;
        let mut x = MARGIN + (free - 2.0 * each - 14.0) / 2.0;
        let both = plan.coordinators.iter().map(|at| (*at, each + more));
        for (at, w) in both.chain([(transactions, each - more)]) {
            nodes[at] = Rect {
                x,
                y: MARGIN,
                w,
                h: control_h,
            };
            x += w + 14.0;
        }
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
            y: band + pitch * number as f64 + (pitch - output_h) / 2.0,
            w: w - MARGIN - aside - log_x,
            h: OUTPUT_H,
        };
    }
    for at in &plan.stores {
        nodes[*at] = Rect {
            x: MARGIN,
            y: h - MARGIN - plan.store_height(),
            w: w - 2.0 * MARGIN,
            h: plan.store_height(),
        };
    }
    let folds = plan.place_replicas(&mut nodes);
    let tracks = tracks(plan, Flow::Right, &nodes, w);
    Layout {
        flow: Flow::Right,
        size: Size { w, h },
        zoom,
        nodes,
        tracks,
        folds,
    }
}

fn arrange_down(plan: &Plan<'_>, room: Size) -> Layout {
    let margin = 12.0;
    let lane_gap = 20.0;
    let widest = (plan.stages.iter().map(Vec::len)).max().unwrap_or(1).max(1) as f64;
    let least_lane = |at: usize| (plan.channels_at(at) * 16.0 + 14.0).max(142.0);
    let lane = (plan.stages.iter().flatten().map(|at| least_lane(*at))).fold(142.0, f64::max);
    let zoom = (room.w / 366.0).clamp(LEAST_ZOOM, 1.2);
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
    if let Some(at) = plan.transactions {
        y -= 8.0;
        nodes[at] = whole(CONTROL_H, y);
        y += CONTROL_H + 16.0;
    }
    for (number, stage) in plan.stages.iter().enumerate() {
        if number > 0 {
            y += if plan.channels_into(stage) {
                REACH + plan.queues_length()
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
    let beside = match plan.transactions {
        // The brokers of a log need its whole width.
        Some(_) => 1,
        None => (((w - 2.0 * margin + lane_gap) / (130.0 + lane_gap)) as usize).max(1),
    };
    for row in plan.outputs.chunks(beside) {
        for (number, at) in row.iter().enumerate() {
            nodes[*at] = match plan.transactions {
                Some(_) => whole(OUTPUT_H, y),
                None => across(number, row.len(), OUTPUT_H, y),
            };
        }
        y += plan.output_height() + 8.0;
    }
    let folds = plan.place_replicas(&mut nodes);
    y += 10.0;
    for at in &plan.readers {
        nodes[*at] = whole(READER.h, y);
        y += READER.h + 14.0;
    }
    for at in &plan.stores {
        nodes[*at] = whole(plan.store_height(), y);
        y += plan.store_height() + margin;
    }
    let tracks = tracks(plan, Flow::Down, &nodes, w);
    Layout {
        flow: Flow::Down,
        size: Size { w, h: y },
        zoom,
        nodes,
        tracks,
        folds,
    }
}

/// The number of a subtask among those that store snapshots, and how many there are.
pub(super) fn part_of(scene: &Scene, id: NodeId) -> (usize, usize) {
    let storing = || (scene.links.iter()).filter(|wire| matches!(wire.kind, WireKind::Acknowledge));
    let number = storing().position(|wire| wire.from == id).unwrap_or(0);
    (number, storing().count())
}

/// Where in the store the cell of a subtask is: row 0 holds the completed checkpoint, the others those
/// under way.
pub fn store_cell(store: &Rect, row: usize, number: usize, parts: usize) -> Rect {
    let label = 30.0;
    // The words beside a row need room, except where it is narrow: there they stand above.
    let words = if store.w < NARROW { 0.0 } else { 190.0 };
    let pitch = ((store.w - label - words) / parts.max(1) as f64).min(92.0);
    Rect {
        x: store.x + label + pitch * number as f64,
        y: store.y + 20.0 + STORE_ROW * row as f64,
        w: pitch - if pitch > 20.0 { 4.0 } else { 1.0 },
        h: 21.0,
    }
}

/// How many rows a store has room for.
pub fn store_rows(store: &Rect) -> usize {
    ((store.h - STORE_HEAD) / STORE_ROW + 0.01) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::fold::family;
    use crate::stage::samples::{random, scene};
    use crate::stage::track::Pill;
    use crate::state::{Action, Page};
    use crate::text::Lang;

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

    const PLAIN: Wanted = Wanted {
        under_way: 1,
        unfolded: false,
    };

    /// The story with brokers, at several of its steps, with one sink and with three.
    fn on_brokers() -> Vec<(String, Scene)> {
        let mut scenes = Vec::new();
        for more in [
            "",
            "&job.vertices.2.parallelism=3&job.vertices.1.parallelism=3",
        ] {
            let story = format!("model=kafka-to-kafka{more}");
            let mut page = Page::open(&story, Lang::En).unwrap();
            assert_eq!(page.notice, None, "{story}");
            for part in 0..=6 {
                page.update(Action::GoTo(page.view.last * part / 6));
                let scene = page.view.scene.as_ref().clone();
                scenes.push((format!("{story} at step {}", page.view.step), scene));
            }
        }
        scenes
    }

    fn each(check: impl Fn(&Scene, &Layout, &str)) {
        for (story, scene) in on_brokers() {
            for room in ROOMS {
                for unfolded in [false, true] {
                    let wanted = Wanted { unfolded, ..PLAIN };
                    let layout = arrange(&scene, room, wanted);
                    let name = format!("{story}, {room:?}, unfolded: {unfolded}");
                    check(&scene, &layout, &name);
                }
            }
        }
        for parallelism in 1..=8 {
            for stages in 3..=6 {
                let scene = scene(parallelism, stages);
                for room in ROOMS {
                    let layout = arrange(&scene, room, PLAIN);
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

    /// Rooms that one looks in, and how many random graphs are laid out in each.
    const SEEDS: u64 = 16;
    const LOOKED_IN: [Size; 3] = [
        Size { w: 840.0, h: 560.0 },
        Size { w: 700.0, h: 330.0 },
        Size { w: 360.0, h: 600.0 },
    ];

    fn each_random(check: impl Fn(&Scene, &Layout, Size, &str)) {
        for seed in 0..SEEDS {
            let scene = Rc::new(random(seed));
            let subtasks = scene
                .nodes
                .iter()
                .filter(|node| family(node).is_some())
                .count();
            for room in LOOKED_IN {
                let (layout, folding) = arrange_folded(&scene, room, PLAIN, &BTreeMap::new());
                let folded = fold(&scene, &folding);
                let name = format!("seed {seed}, {subtasks} things, {folding:?} folded, {room:?}");
                check(&folded.scene, &layout, room, &name);
            }
        }
    }

    #[test]
    fn no_two_boxes_of_any_graph_overlap_and_all_of_it_is_seen() {
        each_random(|scene, layout, room, name| {
            assert_eq!(layout.nodes.len(), scene.nodes.len(), "{name}");
            for (a, first) in layout.nodes.iter().enumerate() {
                for (b, second) in layout.nodes.iter().enumerate().skip(a + 1) {
                    let (a, b) = (&scene.nodes[a].name, &scene.nodes[b].name);
                    assert!(
                        !first.overlaps(second),
                        "{name}: {a} {first:?} and {b} {second:?}"
                    );
                }
                let inside = first.x >= 0.0
                    && first.y >= 0.0
                    && first.right() <= layout.size.w + 0.01
                    && first.bottom() <= layout.size.h + 0.01;
                assert!(inside, "{name}: {first:?} in {:?}", layout.size);
            }
            let seen = layout.clone().seen(room, 1.0);
            assert!(seen.zoom >= SMALLEST, "{name}: {}", seen.zoom);
            // Text needs its size: what does not fit even folded scrolls.
            let smallest = seen.zoom <= SMALLEST + 0.001;
            let wide = seen.size.w * seen.zoom <= room.w + 0.5 || smallest;
            let high = seen.size.h * seen.zoom <= room.h + 0.5 || smallest;
            assert!(wide, "{name}: {:?} at {}", seen.size, seen.zoom);
            assert!(
                high || layout.flow == Flow::Down,
                "{name}: {:?} at {}",
                seen.size,
                seen.zoom
            );
            let closer = layout.clone().seen(room, 3.0);
            assert!(
                closer.zoom >= seen.zoom && closer.nodes == seen.nodes,
                "{name}"
            );
        });
    }

    #[test]
    fn no_channel_runs_through_a_box_that_it_passes() {
        each_random(|scene, layout, _, name| {
            for (wire, track) in scene.links.iter().zip(&layout.tracks) {
                if !matches!(wire.kind, WireKind::Channel { .. }) {
                    continue;
                }
                let others = (scene.nodes.iter().zip(&layout.nodes)).filter(|(node, _)| {
                    node.id != wire.from && node.id != wire.to && family(node).is_some()
                });
                let others: Vec<_> = others.collect();
                let length = track.path.length();
                for part in 0..=60 {
                    let at = track.path.at(length * f64::from(part) / 60.0).0;
                    let hit = others.iter().find(|(_, rect)| {
                        rect.x + 0.5 < at.x
                            && at.x < rect.right() - 0.5
                            && rect.y + 0.5 < at.y
                            && at.y < rect.bottom() - 0.5
                    });
                    let hit = hit.map(|(node, rect)| (&node.name, node.number, *rect));
                    assert!(
                        hit.is_none(),
                        "{name}: {} to {} through {hit:?}",
                        wire.from,
                        wire.to
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
        let layout = arrange(&scene(2, 3), room, PLAIN);
        assert_eq!(layout.flow, Flow::Down);
        assert!(
            layout.size.w * layout.zoom <= room.w + 0.01,
            "no scrolling sideways"
        );
    }

    #[test]
    fn every_way_between_a_sink_and_its_kafka_is_there() {
        for (story, scene) in on_brokers() {
            for room in ROOMS {
                let layout = arrange(&scene, room, PLAIN);
                for (wire, track) in scene.links.iter().zip(&layout.tracks) {
                    assert!(track.is_of(wire), "{story}: {wire:?}");
                    assert!(track.path.length() > 0.0, "{story}, {room:?}: {wire:?}");
                }
            }
        }
    }

    #[test]
    fn the_story_with_brokers_fits_the_rooms_it_is_looked_at_in() {
        let (_, scene) = on_brokers().swap_remove(0);
        for room in [Size { w: 900.0, h: 600.0 }, Size { w: 720.0, h: 480.0 }] {
            let layout = arrange(&scene, room, PLAIN);
            let (w, h) = (layout.size.w * layout.zoom, layout.size.h * layout.zoom);
            assert!(
                w <= room.w + 0.01 && h <= room.h + 0.01,
                "{room:?}: {w} × {h}"
            );
        }
    }

    #[test]
    fn the_story_fits_the_rooms_it_is_looked_at_in() {
        for room in [Size { w: 900.0, h: 600.0 }, Size { w: 720.0, h: 480.0 }] {
            let layout = arrange(&scene(2, 3), room, PLAIN);
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
