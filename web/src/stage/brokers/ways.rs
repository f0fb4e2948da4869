//! The ways of requests and responses between a sink and its Kafka.

use crate::stage::geometry::{Path, Rect, point};
use crate::stage::layout::{CELL, CELL_TOP, Flow};

/// A response keeps this far away from the way of the request.
const APART: f64 = 8.0;

/// From a sink to the log that it writes to, beside the flow; a response comes back the same way.
pub fn to_log(flow: Flow, sink: &Rect, log: &Rect, back: bool, right: f64) -> Path {
    let shift = if back { APART } else { 0.0 };
    let way = match flow {
        Flow::Down => {
            let start = point(sink.centre().x + shift - 4.0, sink.bottom());
            let end = point(
                (start.x).clamp(log.x + 20.0, log.right() - 20.0),
                log.y + 4.0,
            );
            let bend = point(0.0, (end.y - start.y) * 0.5);
            Path::from(start).curve(start + bend, end - bend, end)
        }
        Flow::Right => {
            let start = point(sink.right(), sink.centre().y + shift);
            let end = point(log.right(), log.y + CELL_TOP + CELL.h / 2.0 - shift);
            around(start, end, right - shift)
        }
    };
    if back { way.reversed() } else { way }
}

/// From a sink up beside the flow to the transaction coordinator; a response comes back the same way.
pub fn to_coordinator(flow: Flow, sink: &Rect, coordinator: &Rect, back: bool, w: f64) -> Path {
    let shift = if back { APART } else { 0.0 };
    let way = match flow {
        Flow::Right => {
            let start = point(sink.right(), sink.y + 12.0 + shift);
            let x = (sink.right() + 16.0 + shift).min(w - 4.0);
            let end = point(
                x.clamp(coordinator.x + 20.0, coordinator.right() - 20.0),
                coordinator.bottom(),
            );
            let turn = point(x, start.y);
            let below = point(x, (end.y + 22.0).min(start.y - 8.0));
            Path::from(start)
                .curve(turn, turn, point(x, start.y - 8.0))
                .line(below)
                .curve(below - point(0.0, 12.0), end + point(0.0, 12.0), end)
        }
        Flow::Down => {
            let is_left = sink.centre().x <= w / 2.0;
            let edge = 4.0 + shift * 0.4;
            let x = if is_left { edge } else { w - edge };
            let side = |of: &Rect, y: f64| point(if is_left { of.x } else { of.right() }, y);
            let start = side(sink, sink.y + 34.0 + shift);
            let end = side(coordinator, coordinator.y + 30.0 + shift);
            Path::from(start)
                .line(point(x, start.y))
                .line(point(x, end.y))
                .line(end)
        }
    };
    if back { way.reversed() } else { way }
}

/// Out to the right, along the margin, and back in.
fn around(
    start: crate::stage::geometry::Point,
    end: crate::stage::geometry::Point,
    x: f64,
) -> Path {
    let r = 8.0_f64.min(x - start.x).min(x - end.x).max(0.0);
    Path::from(start)
        .line(point(x - r, start.y))
        .curve(point(x, start.y), point(x, start.y), point(x, start.y + r))
        .line(point(x, end.y - r))
        .curve(point(x, end.y), point(x, end.y), point(x - r, end.y))
        .line(end)
}
