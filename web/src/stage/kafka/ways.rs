//! The ways of requests and responses: out of a box at its side, through the gaps, and into another one.

use barrierscope_core::scene::{Facts, Scene, WireKind};

use crate::stage::geometry::{Path, Rect, point};
use crate::stage::layout::Flow;
use crate::stage::track::{Track, between_nodes};

/// A response keeps this far away from the way of the request.
const APART: f64 = 9.0;
/// Where the cells of a leader's log are, from its top.
const CELLS: f64 = 40.0;

/// The ways of all links, in the order of the scene's links.
pub(super) fn ways(scene: &Scene, flow: Flow, nodes: &[Rect], w: f64) -> Vec<Track> {
    let is_control = |at: usize| {
        matches!(
            scene.nodes[at].facts,
            Facts::Transactions(_) | Facts::Groups(_)
        )
    };
    between_nodes(scene, |wire, from, to| {
        let (start, end) = (&nodes[from], &nodes[to]);
        let back = matches!(wire.kind, WireKind::Response);
        match flow {
            Flow::Down => beside(start, end, back, w),
            Flow::Right if is_control(to) => up(start, end, back, w),
            Flow::Right if is_control(from) => up(end, start, back, w).reversed(),
            Flow::Right => across(start, end, back),
        }
    })
}

/// Where a way meets a box: at the height of what is at the other end, as far as the box reaches.
fn height(of: &Rect, toward: f64, back: bool) -> f64 {
    let shift = if back { APART } else { 0.0 };
    (toward + shift).clamp(of.y + 10.0, (of.bottom() - 10.0).max(of.y + 10.0))
}

/// The height at which a log is written to.
fn entry(of: &Rect, back: bool) -> f64 {
    of.y + CELLS.min(of.h / 2.0) + if back { APART } else { 0.0 }
}

/// The way of what is read: from a log to a client beside it.
pub(super) fn between(log: &Rect, client: &Rect) -> Path {
    across(log, client, true)
}

/// From side to side.
fn across(from: &Rect, to: &Rect, back: bool) -> Path {
    let forwards = to.x >= from.right() - 1.0;
    let (start, end) = if back {
        let y = entry(from, true);
        let start = point(if forwards { from.right() } else { from.x }, y);
        let end = point(
            if forwards { to.x } else { to.right() },
            height(to, y, true),
        );
        (start, end)
    } else {
        let y = entry(to, false);
        let start = point(
            if forwards { from.right() } else { from.x },
            height(from, y, false),
        );
        let end = point(if forwards { to.x } else { to.right() }, y);
        (start, end)
    };
    let bend = point((end.x - start.x) * 0.5, 0.0);
    Path::from(start).curve(start + bend, end - bend, end)
}

/// From a client up through the gap beside it to a coordinator.
fn up(client: &Rect, coordinator: &Rect, back: bool, w: f64) -> Path {
    let is_left = client.centre().x < w / 2.0;
    let shift = if back { APART } else { 0.0 };
    let y = client.y + 18.0 + shift;
    let out = 12.0 + shift;
    let (start, x) = if is_left {
        (point(client.right(), y), client.right() + out)
    } else {
        (point(client.x, y), client.x - out)
    };
    let end = point(
        (x + shift).clamp(coordinator.x + 24.0, coordinator.right() - 24.0),
        coordinator.bottom(),
    );
    let turn = point(x, y);
    let below = point(x, (end.y + 16.0).min(y));
    let middle = point(0.0, (below.y - end.y) * 0.6);
    Path::from(start)
        .curve(turn, turn, point(x, y - 8.0))
        .line(below)
        .curve(below - middle, end + middle, end)
}

/// Beside everything, in a narrow room: requests on the left, responses on the right.
fn beside(from: &Rect, to: &Rect, back: bool, w: f64) -> Path {
    let x = if back { w - 7.0 } else { 7.0 };
    let side = |rect: &Rect| {
        let y = rect.y + (rect.h / 2.0).min(34.0);
        point(if back { rect.right() } else { rect.x }, y)
    };
    let (start, end) = (side(from), side(to));
    Path::from(start)
        .line(point(x, start.y))
        .line(point(x, end.y))
        .line(end)
}
