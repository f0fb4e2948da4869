//! The ways of messages: up and down between the coordinator and a participant, and from participant to participant.

use barrierscope_core::scene::Scene;

use super::is_committer;
use crate::stage::geometry::{Path, Rect, point};
use crate::stage::track::{Track, between_nodes};

/// What goes down and what comes up keep this far away from the middle.
const ASIDE: f64 = 10.0;
/// Where the way beside everything leads, from the edge of the room.
const LANE: f64 = 6.0;

/// The ways of all links, in the order of the scene's links. `first_row` is where the first participants stand.
pub(super) fn ways(scene: &Scene, nodes: &[Rect], first_row: f64) -> Vec<Track> {
    let is_coordinator = |at: usize| is_committer(&scene.nodes[at]);
    between_nodes(scene, |_, from, to| {
        let (start, end) = (&nodes[from], &nodes[to]);
        if is_coordinator(from) {
            down(start, end, -ASIDE, first_row)
        } else if is_coordinator(to) {
            down(end, start, ASIDE, first_row).reversed()
        } else {
            across(start, end)
        }
    })
}

/// From the coordinator down to a participant; to one that stands below others, through the gap beside them.
fn down(coordinator: &Rect, participant: &Rect, aside: f64, first_row: f64) -> Path {
    let end = point(participant.centre().x + aside, participant.y);
    // Ways that lead far to the side leave the box apart from each other.
    let spread = coordinator.w / 2.0 - 30.0;
    let middle = coordinator.centre().x;
    let leaves = |x: f64| middle + (x - middle).clamp(-spread, spread);
    if participant.y <= first_row + 1.0 {
        let start = point(leaves(end.x), coordinator.bottom());
        let bend = point(0.0, (end.y - start.y) * 0.45);
        return Path::from(start).curve(start + bend, end - bend, end);
    }
    let x = participant.x - 9.0 + aside * 0.35;
    let start = point(leaves(x), coordinator.bottom());
    let gate = point(x, first_row);
    let bend = point(0.0, (gate.y - start.y) * 0.45);
    let turn = point(x, end.y - 14.0);
    Path::from(start)
        .curve(start + bend, gate - bend, gate)
        .line(turn)
        .curve(point(x, end.y - 2.0), end - point(0.0, 14.0), end)
}

/// From one participant to another: below those that stand beside each other, or from row to row.
fn across(from: &Rect, to: &Rect) -> Path {
    let (a, b) = (from.centre(), to.centre());
    let is_beside = (from.y - to.y).abs() < 1.0;
    if is_beside {
        // The two directions keep apart.
        let toward = if b.x > a.x { 1.0 } else { -1.0 };
        let start = point(a.x + 16.0 * toward, from.bottom());
        let end = point(b.x - 4.0 * toward, to.bottom());
        let apart = (end.x - start.x).abs();
        let dip = point(0.0, 33.0 + (apart * 0.02).min(8.0) - 12.0 * toward);
        return Path::from(start).curve(start + dip, end + dip, end);
    }
    let (start, end) = if to.y > from.y {
        (point(a.x + 16.0, from.bottom()), point(b.x + 16.0, to.y))
    } else {
        (point(a.x - 16.0, from.y), point(b.x - 16.0, to.bottom()))
    };
    let bend = point(0.0, (end.y - start.y) * 0.4);
    Path::from(start).curve(start + bend, end - bend, end)
}

/// The ways in a narrow room: what goes down travels on the left of everything, what goes up on the right.
pub(super) fn beside(scene: &Scene, nodes: &[Rect], w: f64) -> Vec<Track> {
    between_nodes(scene, |_, from, to| {
        let is_down = nodes[to].y > nodes[from].y;
        let lane = if is_down { LANE } else { w - LANE };
        let side = |rect: &Rect| {
            let x = if is_down { rect.x } else { rect.right() };
            point(x, rect.centre().y)
        };
        let (start, end) = (side(&nodes[from]), side(&nodes[to]));
        Path::from(start)
            .line(point(lane, start.y))
            .line(point(lane, end.y))
            .line(end)
    })
}
