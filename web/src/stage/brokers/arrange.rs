//! How much room brokers take on the stage of a job.

use crate::stage::geometry::Rect;

/// So many transactional ids are listed.
pub const ID_ROWS: usize = 3;
/// How high the coordinators are, beside each other.
pub const CONTROL_H: f64 = 72.0;
/// A broker, folded behind the log of which it has a replica.
const FOLDED_H: f64 = 20.0;
/// The log of a replica, unfolded.
const UNFOLDED_H: f64 = 27.0;
/// Between a log and what is below it.
const BELOW: f64 = 3.0;
/// Between brokers.
const GAP: f64 = 6.0;
/// The button that unfolds them.
const BUTTON_W: f64 = 22.0;

/// How much higher a log is with its replicas.
pub fn height(replicas: usize, unfolded: bool) -> f64 {
    match (replicas, unfolded) {
        (0, _) => 0.0,
        (2.., true) => BELOW + FOLDED_H + 2.0 + (UNFOLDED_H + 2.0) * replicas as f64,
        _ => BELOW + FOLDED_H + 6.0,
    }
}

/// Where the replicas of a log stand, and the button that unfolds them: there is none where there is only one.
pub fn below(log: &Rect, replicas: usize, unfolded: bool) -> (Vec<Rect>, Option<Rect>) {
    let top = log.bottom() + BELOW;
    let button = (replicas > 1).then_some(Rect {
        x: log.x,
        y: top,
        w: BUTTON_W,
        h: FOLDED_H,
    });
    if unfolded && replicas > 1 {
        let rows = (0..replicas).map(|at| Rect {
            x: log.x,
            y: top + FOLDED_H + 2.0 + (UNFOLDED_H + 2.0) * at as f64,
            w: log.w,
            h: UNFOLDED_H,
        });
        return (rows.collect(), button);
    }
    let left = button.map_or(0.0, |button| button.w + GAP);
    let count = replicas.max(1) as f64;
    let w = ((log.w - left - GAP * (count - 1.0)) / count).min(150.0);
    let chips = (0..replicas).map(|at| Rect {
        x: log.x + left + (w + GAP) * at as f64,
        y: top,
        w,
        h: FOLDED_H,
    });
    (chips.collect(), button)
}
