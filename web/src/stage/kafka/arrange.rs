//! Where everything stands: for wide rooms as for narrow ones.

use std::collections::BTreeMap;

use barrierscope_core::id::PartitionId;
use barrierscope_core::scene::{Facts, Place, Scene};

use super::ways::ways;
use crate::stage::geometry::{Rect, Size};
use crate::stage::layout::{Flow, Layout};

/// Around everything.
const MARGIN: f64 = 12.0;
/// From one box to the next.
const GAP: f64 = 10.0;
/// Between clients and logs, where messages travel.
const WAY: f64 = 38.0;
/// How wide a client is.
const CLIENT_W: f64 = 188.0;
/// How wide a log is at least.
const LOG_W: f64 = 220.0;
/// The row of the replica that leads, and of one that follows.
const LEADER_H: f64 = 68.0;
const FOLLOWER_H: f64 = 27.0;
/// How high who sees the result is.
const AUDIENCE_H: f64 = 80.0;
/// How wide who sees the result is at least.
const AUDIENCE_W: f64 = 150.0;
/// Text needs its size.
const LEAST_ZOOM: f64 = 0.95;
const MOST_ZOOM: f64 = 1.25;
/// So many transactional ids or groups are listed.
pub(super) const ROWS: usize = 2;

/// What of a scene decides where things stand: as long as it stays the same, they do.
pub fn shape(scene: &Scene) -> Vec<u16> {
    let ends = scene.links.iter().flat_map(|wire| [wire.from.0, wire.to.0]);
    (scene.nodes.iter())
        .map(|node| match &node.facts {
            Facts::Replica(view) => u16::from(view.leads),
            Facts::Transactions(view) => view.rows.len().min(ROWS) as u16,
            Facts::Groups(view) => view.groups.len().min(ROWS) as u16,
            Facts::Consumer(view) => view.rows.len() as u16,
            Facts::Streams { consumer, .. } => consumer.rows.len() as u16,
            _ => 0,
        })
        .chain(ends)
        .collect()
}

/// The things of a scene by where they belong.
#[derive(Default)]
struct Plan {
    left: Vec<usize>,
    right: Vec<usize>,
    /// By partition: its replicas.
    logs: Vec<Vec<usize>>,
    control: Vec<usize>,
    audience: Vec<usize>,
}

impl Plan {
    fn of(scene: &Scene) -> Self {
        let mut plan = Self::default();
        let mut logs: BTreeMap<PartitionId, Vec<usize>> = BTreeMap::new();
        for (at, node) in scene.nodes.iter().enumerate() {
            match (&node.facts, node.place) {
                (Facts::Replica(view), _) => logs.entry(view.partition).or_default().push(at),
                (Facts::Consumer(_), _) => plan.right.push(at),
                (Facts::Audience(_), _) | (_, Place::Reader | Place::Durable) => {
                    plan.audience.push(at);
                }
                (_, Place::Control) => plan.control.push(at),
                _ => plan.left.push(at),
            }
        }
        plan.logs = logs.into_values().collect();
        plan
    }
}

fn height(scene: &Scene, at: usize) -> f64 {
    match &scene.nodes[at].facts {
        Facts::Replica(view) if view.leads => LEADER_H,
        Facts::Replica(_) => FOLLOWER_H,
        Facts::Producer(view) if view.transactional_id.is_some() => 124.0,
        Facts::Producer(_) => 106.0,
        Facts::Consumer(view) => 78.0 + 15.0 * view.rows.len().clamp(1, 4) as f64,
        Facts::Streams { consumer, .. } => 160.0 + 15.0 * consumer.rows.len().clamp(1, 4) as f64,
        Facts::Transactions(view) => 24.0 + 30.0 * view.rows.len().clamp(1, ROWS) as f64,
        Facts::Groups(view) => 24.0 + 30.0 * view.groups.len().clamp(1, ROWS) as f64,
        _ => AUDIENCE_H,
    }
}

/// How high a partition is with all its replicas.
fn log_height(scene: &Scene, replicas: &[usize]) -> f64 {
    let rows: f64 = replicas.iter().map(|at| height(scene, *at)).sum();
    rows + 2.0 * replicas.len().saturating_sub(1) as f64
}

/// How high some things are below each other.
fn stacked(scene: &Scene, all: &[usize]) -> f64 {
    let heights: f64 = all.iter().map(|at| height(scene, *at)).sum();
    heights + GAP * all.len().saturating_sub(1) as f64
}

/// Arranges a scene in a room.
pub fn arrange(scene: &Scene, room: Size) -> Layout {
    let plan = Plan::of(scene);
    match Flow::for_room(room) {
        Flow::Right => wide(scene, &plan, room),
        Flow::Down => narrow(scene, &plan, room),
    }
}

fn wide(scene: &Scene, plan: &Plan, room: Size) -> Layout {
    let sides = [&plan.left, &plan.right];
    let sides = sides.iter().filter(|side| !side.is_empty()).count() as f64;
    let beside = 2.0 * MARGIN + sides * (CLIENT_W + WAY);
    let control_h = tallest(scene, &plan.control);
    let audience_columns = columns(plan.audience.len(), room.w - 2.0 * MARGIN, AUDIENCE_W);
    let audience_rows = plan.audience.len().div_ceil(audience_columns) as f64;
    let around = 2.0 * MARGIN + control_h + 22.0 + 18.0 + audience_rows * (AUDIENCE_H + GAP) - GAP;
    let clients = stacked(scene, &plan.left).max(stacked(scene, &plan.right));
    // Partitions stand below each other, or in two columns where that takes too much height.
    let logs_h = |columns: usize| {
        let columns = split(plan.logs.len(), columns).into_iter();
        let heights = columns.map(|range| {
            let logs = plan.logs.get(range).unwrap_or_default();
            let heights: f64 = logs.iter().map(|log| log_height(scene, log) + GAP).sum();
            (heights - GAP).max(0.0)
        });
        heights.fold(0.0, f64::max)
    };
    let too_high = around + logs_h(1).max(clients) > room.h / LEAST_ZOOM;
    let has_room = room.w - beside >= 2.0 * LOG_W + GAP;
    let log_columns = if too_high && has_room && plan.logs.len() > 1 {
        2
    } else {
        1
    };
    let flow_h = logs_h(log_columns).max(clients);
    let (least_w, least_h) = (
        beside + log_columns as f64 * (LOG_W + GAP) - GAP,
        around + flow_h,
    );
    let zoom = (room.h / least_h)
        .min(room.w / (least_w + 160.0))
        .clamp(LEAST_ZOOM, MOST_ZOOM);
    let w = (room.w / zoom).max(least_w);
    let spare = (room.h / zoom - least_h).max(0.0);

    let mut nodes = vec![Rect::default(); scene.nodes.len()];
    row(
        scene,
        &mut nodes,
        &plan.control,
        MARGIN,
        w,
        control_h,
        520.0,
    );
    let top = MARGIN + control_h + 22.0 + spare * 0.2;
    let band = flow_h + spare * 0.5;
    let x_logs = MARGIN
        + if plan.left.is_empty() {
            0.0
        } else {
            CLIENT_W + WAY
        };
    column(scene, &mut nodes, &plan.left, MARGIN, top, band);
    column(
        scene,
        &mut nodes,
        &plan.right,
        w - MARGIN - CLIENT_W,
        top,
        band,
    );
    let logs_w = w - beside;
    let log_w = (logs_w - GAP * (log_columns as f64 - 1.0)) / log_columns as f64;
    for (number, range) in split(plan.logs.len(), log_columns).into_iter().enumerate() {
        let logs = plan.logs.get(range).unwrap_or_default();
        let heights: f64 = logs.iter().map(|log| log_height(scene, log)).sum();
        let gap = ((band - heights) / logs.len().max(1) as f64).clamp(GAP, 40.0);
        let used = heights + gap * logs.len().saturating_sub(1) as f64;
        let mut y = top + ((band - used) / 2.0).max(0.0);
        let x = x_logs + (log_w + GAP) * number as f64;
        for log in logs {
            y = stack_log(scene, &mut nodes, log, x, y, log_w) + gap;
        }
    }
    let h = (room.h / zoom).max(least_h);
    let y = h - MARGIN - (audience_rows * (AUDIENCE_H + GAP) - GAP);
    grid(&mut nodes, &plan.audience, y, w, audience_columns);
    let tracks = ways(scene, Flow::Right, &nodes, w);
    Layout {
        flow: Flow::Right,
        size: Size { w, h },
        zoom,
        nodes,
        tracks,
        folds: Vec::new(),
    }
}

fn narrow(scene: &Scene, plan: &Plan, room: Size) -> Layout {
    let zoom = (room.w / 366.0).clamp(LEAST_ZOOM, 1.2);
    let w = (room.w / zoom).max(330.0);
    let inner = w - 2.0 * MARGIN - 8.0;
    let mut nodes = vec![Rect::default(); scene.nodes.len()];
    let mut y = MARGIN;
    let x = MARGIN + 4.0;
    let whole = |y: f64, h: f64| Rect { x, y, w: inner, h };
    for at in &plan.control {
        nodes[*at] = whole(y, height(scene, *at));
        y = nodes[*at].bottom() + 8.0;
    }
    y += 8.0;
    for at in &plan.left {
        nodes[*at] = whole(y, height(scene, *at));
        y = nodes[*at].bottom() + GAP;
    }
    y += 12.0;
    for log in &plan.logs {
        y = stack_log(scene, &mut nodes, log, x, y, inner) + GAP;
    }
    y += 12.0;
    for at in &plan.right {
        nodes[*at] = whole(y, height(scene, *at));
        y = nodes[*at].bottom() + GAP;
    }
    y += 8.0;
    let columns = columns(plan.audience.len(), inner, AUDIENCE_W);
    grid(&mut nodes, &plan.audience, y, w, columns);
    let rows = plan.audience.len().div_ceil(columns) as f64;
    let h = y + rows * (AUDIENCE_H + GAP) + MARGIN;
    let tracks = ways(scene, Flow::Down, &nodes, w);
    Layout {
        flow: Flow::Down,
        size: Size { w, h },
        zoom,
        nodes,
        tracks,
        folds: Vec::new(),
    }
}

fn tallest(scene: &Scene, all: &[usize]) -> f64 {
    all.iter().map(|at| height(scene, *at)).fold(0.0, f64::max)
}

/// In how many columns so many things stand that need so much room each.
fn columns(count: usize, room: f64, least: f64) -> usize {
    let fit = ((room + GAP) / (least + GAP)) as usize;
    fit.clamp(1, count.max(1))
}

/// Divides so many things among columns, one after the other.
fn split(count: usize, columns: usize) -> Vec<std::ops::Range<usize>> {
    let each = count.div_ceil(columns.max(1));
    (0..columns)
        .map(|column| (column * each).min(count)..((column + 1) * each).min(count))
        .collect()
}

/// Things side by side, in the middle, none wider than `most`.
fn row(scene: &Scene, nodes: &mut [Rect], all: &[usize], y: f64, w: f64, h: f64, most: f64) {
    let count = all.len().max(1) as f64;
    let each = ((w - 2.0 * MARGIN - GAP * (count - 1.0)) / count).min(most);
    let left = (w - each * count - GAP * (count - 1.0)) / 2.0;
    for (number, at) in all.iter().enumerate() {
        nodes[*at] = Rect {
            x: left + (each + GAP) * number as f64,
            y,
            w: each,
            h: height(scene, *at).min(h),
        };
    }
}

/// Clients below each other, spread over the band.
fn column(scene: &Scene, nodes: &mut [Rect], all: &[usize], x: f64, top: f64, band: f64) {
    let heights: f64 = all.iter().map(|at| height(scene, *at)).sum();
    let gap = ((band - heights) / all.len().max(1) as f64).clamp(GAP, 40.0);
    let used = heights + gap * all.len().saturating_sub(1) as f64;
    let mut y = top + ((band - used) / 2.0).max(0.0);
    for at in all {
        let h = height(scene, *at);
        nodes[*at] = Rect {
            x,
            y,
            w: CLIENT_W,
            h,
        };
        y += h + gap;
    }
}

/// The replicas of a partition, in the order of their brokers; where the next one may begin.
fn stack_log(scene: &Scene, nodes: &mut [Rect], replicas: &[usize], x: f64, y: f64, w: f64) -> f64 {
    let mut y = y;
    for (number, at) in replicas.iter().enumerate() {
        if number > 0 {
            y += 2.0;
        }
        let h = height(scene, *at);
        nodes[*at] = Rect { x, y, w, h };
        y += h;
    }
    y
}

/// Who sees the result, in rows.
fn grid(nodes: &mut [Rect], all: &[usize], y: f64, w: f64, columns: usize) {
    for (number, chunk) in all.chunks(columns.max(1)).enumerate() {
        let count = chunk.len() as f64;
        let each = (w - 2.0 * MARGIN - GAP * (count - 1.0)) / count;
        for (column, at) in chunk.iter().enumerate() {
            nodes[*at] = Rect {
                x: MARGIN + (each + GAP) * column as f64,
                y: y + (AUDIENCE_H + GAP) * number as f64,
                w: each,
                h: AUDIENCE_H,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Action, Page};
    use crate::text::Lang;

    const ROOMS: [Size; 4] = [
        Size { w: 870.0, h: 620.0 },
        Size { w: 736.0, h: 490.0 },
        Size { w: 366.0, h: 440.0 },
        Size {
            w: 1500.0,
            h: 900.0,
        },
    ];

    /// The scenes of some stories, at several of their steps.
    fn scenes() -> Vec<(String, Scene)> {
        let stories = [
            "model=delivery",
            "model=delivery&cluster.brokers=1&topics.0.replication.factor=1&topics.0.min.insync.replicas=1&topics.0.partitions=8",
            "model=streams",
            "model=streams&cluster.brokers=3&topics.0.replication.factor=3&topics.1.replication.factor=3",
        ];
        let mut scenes = Vec::new();
        for story in stories {
            let mut page = Page::open(story, Lang::En).unwrap();
            assert_eq!(page.notice, None, "{story}");
            for part in 0..=4 {
                page.update(Action::GoTo(page.view.last * part / 4));
                let scene = page.view.scene.as_ref().clone();
                scenes.push((format!("{story} at step {}", page.view.step), scene));
            }
        }
        scenes
    }

    #[test]
    fn nothing_overlaps_and_nothing_is_cut_off() {
        for (story, scene) in scenes() {
            for room in ROOMS {
                let layout = arrange(&scene, room);
                for (a, first) in layout.nodes.iter().enumerate() {
                    let name = &scene.nodes[a].name;
                    assert!(
                        first.w > 0.0 && first.h > 0.0,
                        "{story}, {room:?}: {name} {first:?}"
                    );
                    assert!(
                        first.x >= 0.0
                            && first.y >= 0.0
                            && first.right() <= layout.size.w + 0.01
                            && first.bottom() <= layout.size.h + 0.01,
                        "{story}, {room:?}: {name} {first:?} in {:?}",
                        layout.size
                    );
                    for (b, second) in layout.nodes.iter().enumerate().skip(a + 1) {
                        let other = &scene.nodes[b].name;
                        assert!(
                            !first.overlaps(second),
                            "{story}, {room:?}: {name} {first:?} and {other} {second:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn no_room_makes_it_scroll_sideways() {
        for (story, scene) in scenes() {
            for room in ROOMS {
                let layout = arrange(&scene, room);
                let w = layout.size.w * layout.zoom;
                assert!(w <= room.w + 0.01, "{story}, {room:?}: {w} wide");
            }
        }
    }

    #[test]
    fn every_way_leads_from_one_box_to_another() {
        for (story, scene) in scenes() {
            for room in ROOMS {
                let layout = arrange(&scene, room);
                for (wire, track) in scene.links.iter().zip(&layout.tracks) {
                    assert!(track.is_of(wire) && track.ends.is_some(), "{story}");
                    assert!(track.path.length() > 0.0, "{story}: {wire:?}");
                }
            }
        }
    }

    #[test]
    fn the_stories_fit_the_rooms_they_are_looked_at_in() {
        for story in ["model=delivery", "model=streams"] {
            let page = Page::open(story, Lang::En).unwrap();
            for room in &ROOMS[..2] {
                let layout = arrange(&page.view.scene, *room);
                let h = layout.size.h * layout.zoom;
                assert!(h <= room.h + 0.01, "{story}, {room:?}: {h} high");
            }
        }
    }
}
