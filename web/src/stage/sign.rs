//! The signs of a checkpoint interval: its colour, and a second sign for those who do not see it.

use barrierscope_core::id::CheckpointId;
use yew::{Classes, Html, classes, html};

use super::geometry::{Point, Rect, Size};
use super::shape::{disc, rect};

/// The sign inside a record, beside its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Nothing.
    Plain,
    /// A dot.
    Dot,
    /// A bar.
    Bar,
    /// A ring.
    Ring,
}

impl Sign {
    /// The sign of a checkpoint interval.
    pub fn of(epoch: CheckpointId) -> Self {
        match turn(epoch) {
            Some(1) => Self::Dot,
            Some(2) => Self::Bar,
            Some(3) => Self::Ring,
            _ => Self::Plain,
        }
    }
}

/// Whose turn it is among the four colours; none before the first checkpoint.
pub fn turn(epoch: CheckpointId) -> Option<usize> {
    Some(epoch.index().checked_sub(1)? % 4)
}

/// The class that gives an element the colours of a checkpoint interval.
pub fn epoch_class(epoch: Option<CheckpointId>) -> Classes {
    match epoch.and_then(turn) {
        Some(0) => classes!("e0"),
        Some(1) => classes!("e1"),
        Some(2) => classes!("e2"),
        Some(_) => classes!("e3"),
        None => classes!("e-none"),
    }
}

/// A record's shape, as SVG.
pub fn glyph(epoch: CheckpointId, at: Point, radius: f64) -> Html {
    let bar = Size {
        w: radius * 1.2,
        h: radius * 0.42,
    };
    let sign = match Sign::of(epoch) {
        Sign::Plain => html! {},
        Sign::Dot => disc("inner", at, radius * 0.4),
        Sign::Bar => rect("inner", &Rect::around(at, bar), 0.0),
        Sign::Ring => disc("ring", at, radius * 0.52),
    };
    html! {
        <g class={classes!("glyph", epoch_class(Some(epoch)))}>
            { disc("body", at, radius) }
            { sign }
        </g>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_differ_in_colour_and_sign() {
        for n in 1..40 {
            let (a, b) = (CheckpointId(n), CheckpointId(n + 1));
            assert_ne!(turn(a), turn(b));
            assert_ne!(Sign::of(a), Sign::of(b));
        }
        assert_eq!(turn(CheckpointId::NONE), None);
    }
}
