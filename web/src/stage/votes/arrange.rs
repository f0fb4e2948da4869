//! Where everything stands: for wide rooms as for narrow ones, for one participant as for nine.

use barrierscope_core::scene::{Facts, Node, Scene};

use super::ways::{beside, ways};
use super::{coordinator, is_committer};
use crate::stage::geometry::{Rect, Size};
use crate::stage::layout::{Flow, Layout};

/// Around everything.
const MARGIN: f64 = 14.0;
/// Between participants, where the ways to those below lead through.
const GAP: f64 = 24.0;
/// The same where they stand below each other.
const NARROW_GAP: f64 = 10.0;
/// A room is never taken for narrower than this.
const NARROWEST: f64 = 280.0;
/// Below a row of participants.
const BELOW: f64 = 24.0;
/// The same, where participants talk to each other.
const BELOW_TALK: f64 = 54.0;
/// In a narrow room participants stand below each other, and messages travel beside them.
const SIDE: f64 = 15.0;
const NARROW_H: f64 = 68.0;
const NARROW_WAY: f64 = 30.0;
/// Between the coordinator and the participants, where messages travel: at least, and at most.
const WAY: f64 = 84.0;
const LONGEST_WAY: f64 = 190.0;
/// How wide a participant is: text needs its room.
const LEAST_W: f64 = 164.0;
const MOST_W: f64 = 236.0;
const PARTICIPANT_H: f64 = 170.0;
/// How wide the coordinator is at most.
const COORDINATOR_W: f64 = 620.0;
/// By how much all of it may be enlarged.
const ZOOMS: [f64; 5] = [1.3, 1.2, 1.1, 1.05, 1.0];

/// What of a scene decides where things stand: as long as it stays the same, they do.
pub fn shape(scene: &Scene) -> Vec<u16> {
    let ends = scene.links.iter().flat_map(|wire| [wire.from.0, wire.to.0]);
    let count = u16::try_from(scene.nodes.len()).unwrap_or(u16::MAX);
    core::iter::once(count).chain(ends).collect()
}

/// Arranges a scene in a room.
pub fn arrange(scene: &Scene, room: Size) -> Layout {
    if Flow::for_room(room) == Flow::Down {
        return narrow(scene, room);
    }
    let smallest = wide(scene, room);
    // As large as it fits.
    let larger = ZOOMS.into_iter().find_map(|zoom| {
        let inner = Size {
            w: room.w / zoom,
            h: room.h / zoom,
        };
        let layout = wide(scene, inner);
        let fits = layout.size.h <= inner.h + 0.5;
        fits.then_some(Layout { zoom, ..layout })
    });
    larger.unwrap_or(smallest)
}

fn participants(scene: &Scene) -> usize {
    let is_one = |node: &&Node| matches!(node.facts, Facts::Participant(_));
    scene.nodes.iter().filter(is_one).count()
}

/// The participants below each other, where there is no room for them side by side.
fn narrow(scene: &Scene, room: Size) -> Layout {
    let w = room.w.max(NARROWEST);
    let inner = w - 2.0 * SIDE;
    let coordinator_h = coordinator::height(inner, participants(scene));
    let mut y = NARROW_GAP;
    let mut nodes = Vec::new();
    for node in &scene.nodes {
        let (h, below) = match is_committer(node) {
            true => (coordinator_h, NARROW_WAY),
            false => (NARROW_H, NARROW_GAP),
        };
        nodes.push(Rect {
            x: SIDE,
            y,
            w: inner,
            h,
        });
        y += h + below;
    }
    let tracks = beside(scene, &nodes, w);
    Layout {
        flow: Flow::Down,
        size: Size { w, h: y },
        zoom: 1.0,
        nodes,
        tracks,
        folds: Vec::new(),
    }
}

fn wide(scene: &Scene, room: Size) -> Layout {
    let count = participants(scene);
    let talk = scene.links.iter().any(|wire| {
        let both = [wire.from, wire.to];
        let mut nodes = scene.nodes.iter().filter(|node| both.contains(&node.id));
        nodes.all(|node| matches!(node.facts, Facts::Participant(_)))
    });
    let below = if talk { BELOW_TALK } else { BELOW };
    let gap = GAP;
    let w = room.w.max(LEAST_W + 2.0 * MARGIN);
    let inner = w - 2.0 * MARGIN;
    let most = (((inner + gap) / (LEAST_W + gap)).floor() as usize).clamp(1, count.max(1));
    let rows = count.div_ceil(most).max(1);
    let columns = count.div_ceil(rows).max(1);
    let participant_w = ((inner + gap) / columns as f64 - gap).min(MOST_W);

    let coordinator_w = inner.min(COORDINATOR_W);
    let coordinator_h = coordinator::height(coordinator_w, count);
    let rows_h = rows as f64 * (PARTICIPANT_H + below);
    let least = 2.0 * MARGIN + coordinator_h + rows_h;
    // What room is left over makes the way longer: messages are seen better on it.
    let way = (room.h - least).clamp(WAY, LONGEST_WAY);
    let h = least + way;
    let first_row = MARGIN + coordinator_h + way;

    let row_w = columns as f64 * (participant_w + gap) - gap;
    let mut number = 0_usize;
    let nodes: Vec<Rect> = (scene.nodes.iter())
        .map(|node| {
            if is_committer(node) {
                return Rect {
                    x: (w - coordinator_w) / 2.0,
                    y: MARGIN,
                    w: coordinator_w,
                    h: coordinator_h,
                };
            }
            let (row, column) = (number / columns, number % columns);
            number += 1;
            Rect {
                x: (w - row_w) / 2.0 + column as f64 * (participant_w + gap),
                y: first_row + row as f64 * (PARTICIPANT_H + below),
                w: participant_w,
                h: PARTICIPANT_H,
            }
        })
        .collect();
    let tracks = ways(scene, &nodes, first_row);
    Layout {
        flow: Flow::Right,
        size: Size { w, h },
        zoom: 1.0,
        nodes,
        tracks,
        folds: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use barrierscope_core::scenario::Story;
    use barrierscope_core::scenario::votes::VOTES_COOPERATIVE;
    use serde_json::{Value, json};

    fn scene(count: usize, cooperative: bool) -> Scene {
        let mut story: Value = serde_json::from_str(VOTES_COOPERATIVE).unwrap();
        let all = (0..count).map(|number| json!({ "name": format!("participant {number}") }));
        story["participants"] = all.collect();
        story["protocol"]["cooperative_termination"] = cooperative.into();
        let session = barrierscope_core::start(Story::from_json(&story.to_string()).unwrap());
        session.unwrap().scene()
    }

    #[test]
    fn nothing_overlaps_in_any_room() {
        let rooms = [
            (840.0, 520.0),
            (740.0, 420.0),
            (372.0, 400.0),
            (300.0, 300.0),
        ];
        for (w, h) in rooms {
            for count in 1..=9 {
                for cooperative in [false, true] {
                    let scene = scene(count, cooperative);
                    let layout = arrange(&scene, Size { w, h });
                    assert_eq!(layout.nodes.len(), count + 1);
                    assert_eq!(layout.tracks.len(), scene.links.len());
                    for (at, one) in layout.nodes.iter().enumerate() {
                        assert!(one.x >= 0.0 && one.right() <= layout.size.w + 0.01);
                        assert!(one.y >= 0.0 && one.bottom() <= layout.size.h + 0.01);
                        let mut others = layout.nodes.iter().skip(at + 1);
                        assert!(
                            others.all(|other| !one.overlaps(other)),
                            "{count} in {w}×{h}"
                        );
                    }
                    assert!(layout.size.w * layout.zoom <= w.max(NARROWEST) + 0.5);
                }
            }
        }
    }
}
