//! Draws a picture of space and time on a canvas.

use barrierscope_core::diagram::BarKind;
use barrierscope_core::id::CheckpointId;
use barrierscope_core::mark::MarkKind;
use barrierscope_core::scene::TokenKind;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement};

use super::picture::{Arrow, Block, Line, Picture, Sign, Spot, Tone};
use crate::stage::geometry::{Point, Size, point};
use crate::stage::turn;

/// The colours of the theme, by what they are for.
#[derive(Clone, Debug, Default)]
pub struct Colours(Vec<String>);

/// The classes of the swatches that the colours are read from.
pub const SWATCHES: [&str; 11] = [
    "e0", "e1", "e2", "e3", "surface", "ink", "muted", "line", "wrong", "right", "doubt",
];

impl Colours {
    /// Reads them from the page: the children of `swatches`, in their order.
    pub fn read(swatches: &Element) -> Self {
        let colour = |at: u32| {
            let swatch = swatches.children().item(at)?;
            let style = web_sys::window()?.get_computed_style(&swatch).ok()??;
            style.get_property_value("color").ok()
        };
        let all = 0..SWATCHES.len() as u32;
        Self(all.map(|at| colour(at).unwrap_or_default()).collect())
    }

    fn named(&self, name: &str) -> &str {
        let place = SWATCHES.iter().position(|it| *it == name);
        let colour = place.and_then(|place| self.0.get(place));
        colour.map_or("#888", String::as_str)
    }

    fn of(&self, epoch: CheckpointId) -> &str {
        match turn(epoch) {
            Some(turn) => self.0.get(turn).map_or("#888", String::as_str),
            None => self.named("muted"),
        }
    }
}

/// Which way time goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the right; lanes lie below each other.
    Right,
    /// Downwards; lanes stand beside each other.
    Down,
}

impl Direction {
    /// A place on the canvas.
    pub const fn point(self, spot: Spot) -> Point {
        match self {
            Self::Right => point(spot.along, spot.across),
            Self::Down => point(spot.across, spot.along),
        }
    }

    /// A place in the picture.
    pub const fn spot(self, at: Point) -> Spot {
        match self {
            Self::Right => Spot {
                along: at.x,
                across: at.y,
            },
            Self::Down => Spot {
                along: at.y,
                across: at.x,
            },
        }
    }
}

/// Draws a picture.
pub struct Painter<'a> {
    context: CanvasRenderingContext2d,
    colours: &'a Colours,
    direction: Direction,
    size: Size,
}

impl<'a> Painter<'a> {
    /// A painter for a canvas of this size, emptied.
    pub fn new(
        canvas: &HtmlCanvasElement,
        colours: &'a Colours,
        direction: Direction,
        size: Size,
    ) -> Option<Self> {
        let context = canvas.get_context("2d").ok()??;
        let context: CanvasRenderingContext2d = context.dyn_into().ok()?;
        let dots = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
        // Setting the size empties the canvas, too.
        canvas.set_width((size.w * dots).ceil() as u32);
        canvas.set_height((size.h * dots).ceil() as u32);
        // None of the calls on it can fail: the numbers are finite.
        let _ = context.set_transform(dots, 0.0, 0.0, dots, 0.0, 0.0);
        Some(Self {
            context,
            colours,
            direction,
            size,
        })
    }

    /// Draws everything, strips first.
    pub fn paint(&self, picture: &Picture, strips: usize, pitch: f64) {
        for (along, _) in &picture.ticks {
            self.line(*along, 0.0, *along, pitch * strips as f64, "line", 1.0);
        }
        for strip in 0..strips {
            let across = pitch * (strip as f64 + 0.5);
            self.line(-1.0, across, self.length(), across, "line", 1.0);
        }
        for block in &picture.blocks {
            self.block(block, pitch);
        }
        // What is pointed at lies above what is not.
        for above in [false, true] {
            for arrow in &picture.arrows {
                if matches!(arrow.tone, Tone::Plain | Tone::Apart) != above {
                    self.arrow(arrow);
                }
            }
        }
        for front in &picture.fronts {
            self.front(front, picture);
        }
        for dot in &picture.dots {
            let (radius, colour) = match dot.tone {
                Tone::Here => (5.0, "ink"),
                Tone::Plain | Tone::Past | Tone::Future => (2.2, "ink"),
                Tone::Apart => (1.6, "muted"),
            };
            self.context.set_global_alpha(alpha(dot.tone));
            self.disc(
                self.direction.point(dot.at),
                radius,
                self.colours.named(colour),
            );
        }
        for sign in &picture.signs {
            self.sign(sign);
        }
        self.context.set_global_alpha(1.0);
    }

    fn length(&self) -> f64 {
        match self.direction {
            Direction::Right => self.size.w,
            Direction::Down => self.size.h,
        }
    }

    fn line(&self, along: f64, across: f64, to_along: f64, to_across: f64, colour: &str, w: f64) {
        let from = self.direction.point(Spot { along, across });
        let to = self.direction.point(Spot {
            along: to_along,
            across: to_across,
        });
        self.context
            .set_stroke_style_str(self.colours.named(colour));
        self.context.set_line_width(w);
        self.stroke(from, to);
    }

    fn stroke(&self, from: Point, to: Point) {
        self.context.begin_path();
        self.context.move_to(from.x, from.y);
        self.context.line_to(to.x, to.y);
        self.context.stroke();
    }

    fn disc(&self, at: Point, radius: f64, colour: &str) {
        self.context.set_fill_style_str(colour);
        self.context.begin_path();
        // The radius is positive: cannot fail.
        let _ = self
            .context
            .arc(at.x, at.y, radius, 0.0, std::f64::consts::TAU);
        self.context.fill();
    }

    fn dashed(&self, dashes: &[f64]) {
        let list = js_sys::Array::new();
        for dash in dashes {
            list.push(&(*dash).into());
        }
        let _ = self.context.set_line_dash(&list);
    }

    fn block(&self, block: &Block, pitch: f64) {
        let (half, colour, filled) = match block.kind {
            BarKind::Alignment(id) => (0.34, self.colours.of(id), 0.22),
            BarKind::Flush(id) => (0.26, self.colours.of(id), 0.4),
            BarKind::Sync(id) => (0.26, self.colours.of(id), 1.0),
            BarKind::Async(id) => (0.12, self.colours.of(id), 0.75),
            BarKind::Down => (0.4, self.colours.named("wrong"), 0.18),
            BarKind::Paused => (0.4, self.colours.named("muted"), 0.25),
            BarKind::Transaction(_) => (0.3, self.colours.named("muted"), 0.12),
            BarKind::InDoubt => (0.3, self.colours.named("doubt"), 0.22),
            BarKind::Blocked => (0.18, self.colours.named("doubt"), 0.9),
        };
        let half = (pitch * half).min(11.0);
        let from = self.direction.point(Spot {
            along: block.from.along,
            across: block.from.across - half,
        });
        let to = self.direction.point(Spot {
            along: block.to.max(block.from.along + 1.5),
            across: block.from.across + half,
        });
        let dim = alpha(block.tone);
        self.context.set_fill_style_str(colour);
        self.context.set_global_alpha(filled * dim);
        self.context
            .fill_rect(from.x, from.y, to.x - from.x, to.y - from.y);
        if matches!(block.kind, BarKind::Alignment(_) | BarKind::Transaction(_)) {
            self.context.set_stroke_style_str(colour);
            self.context.set_global_alpha(dim * 0.8);
            self.context.set_line_width(1.0);
            self.context
                .stroke_rect(from.x, from.y, to.x - from.x, to.y - from.y);
        }
        self.context.set_global_alpha(1.0);
    }

    fn arrow(&self, arrow: &Arrow) {
        let (width, dashes, fade): (f64, &[f64], f64) = match arrow.what {
            TokenKind::Record(_) => (1.0, &[], 0.55),
            TokenKind::Barrier(_) => (2.2, &[], 1.0),
            TokenKind::Cancellation(_) => (1.6, &[5.0, 3.0], 1.0),
            TokenKind::TwoPhaseCommit(_) => (1.5, &[], 0.9),
            TokenKind::Message(_) => (1.2, &[], 0.7),
            TokenKind::Trigger(_)
            | TokenKind::Snapshot(..)
            | TokenKind::Notification(_)
            | TokenKind::Abort(_)
            | TokenKind::Decline(..) => (1.1, &[4.0, 3.0], 0.85),
        };
        let colour = match (arrow.lost, arrow.what) {
            (true, _) => self.colours.named("wrong"),
            (_, TokenKind::TwoPhaseCommit(_) | TokenKind::Message(_)) => self.colours.named("ink"),
            _ => self.colours.of(arrow.epoch),
        };
        let stressed = matches!(arrow.tone, Tone::Past | Tone::Future);
        self.context.set_global_alpha(match stressed {
            true => 1.0,
            false => fade * alpha(arrow.tone),
        });
        self.context.set_stroke_style_str(colour);
        self.context
            .set_line_width(if stressed { width + 0.7 } else { width });
        self.dashed(dashes);
        let (from, to) = (
            self.direction.point(arrow.from),
            self.direction.point(arrow.to),
        );
        self.stroke(from, to);
        self.dashed(&[]);
        match arrow.lost {
            true => self.cross(to, 3.5),
            false => self.head(from, to, colour),
        }
        self.context.set_global_alpha(1.0);
    }

    fn head(&self, from: Point, to: Point, colour: &str) {
        let way = (to - from).direction();
        let (back, side) = (way * 6.0, way.normal() * 2.6);
        self.context.set_fill_style_str(colour);
        self.context.begin_path();
        self.context.move_to(to.x, to.y);
        for corner in [to - back + side, to - back - side] {
            self.context.line_to(corner.x, corner.y);
        }
        self.context.fill();
    }

    fn cross(&self, at: Point, arm: f64) {
        for turn in [1.0, -1.0] {
            let (from, to) = (
                point(at.x - arm, at.y - arm * turn),
                point(at.x + arm, at.y + arm * turn),
            );
            self.stroke(from, to);
        }
    }

    fn front(&self, front: &Line, picture: &Picture) {
        let is_dimmed = picture.arrows.iter().any(|arrow| arrow.tone == Tone::Apart);
        self.context
            .set_global_alpha(if is_dimmed { 0.18 } else { 0.36 });
        self.context
            .set_stroke_style_str(self.colours.of(front.checkpoint));
        self.context.set_line_width(7.0);
        if front.failed {
            self.dashed(&[3.0, 5.0]);
        }
        self.context.begin_path();
        for (number, spot) in front.through.iter().enumerate() {
            let at = self.direction.point(*spot);
            match number {
                0 => self.context.move_to(at.x, at.y),
                _ => self.context.line_to(at.x, at.y),
            }
        }
        self.context.stroke();
        self.dashed(&[]);
        if let Some(first) = front.through.first() {
            let at = self.direction.point(*first);
            let says = front.checkpoint.to_string();
            self.context.set_font("650 11px system-ui, sans-serif");
            let w = 7.0 * says.len() as f64 + 7.0;
            self.context
                .set_fill_style_str(self.colours.of(front.checkpoint));
            self.context.set_global_alpha(1.0);
            let (x, y) = (at.x + 3.0, at.y - 15.0);
            self.context.fill_rect(x, y.max(0.0), w, 14.0);
            self.context
                .set_fill_style_str(self.colours.named("surface"));
            self.context.set_text_align("center");
            self.context.set_text_baseline("middle");
            let _ = self.context.fill_text(&says, x + w / 2.0, y.max(0.0) + 7.5);
        }
        self.context.set_global_alpha(1.0);
    }

    fn sign(&self, sign: &Sign) {
        let at = self.direction.point(sign.at);
        self.context.set_global_alpha(alpha(sign.tone).max(0.3));
        let colour = match sign.kind {
            MarkKind::Fault
            | MarkKind::Broken
            | MarkKind::PropertyBroken
            | MarkKind::CommitDropped
            | MarkKind::SinkFailed
            | MarkKind::StopFailed
            | MarkKind::Again => self.colours.named("wrong"),
            MarkKind::Aborted | MarkKind::Undone | MarkKind::AbortReached | MarkKind::Lingering => {
                self.colours.named("muted")
            }
            MarkKind::CommitReached | MarkKind::Voted | MarkKind::Decided => {
                self.colours.named("ink")
            }
            MarkKind::InDoubtBlocked | MarkKind::InDoubtReleased => self.colours.named("doubt"),
            _ if sign.checkpoint != CheckpointId::NONE => self.colours.of(sign.checkpoint),
            _ => self.colours.named("ink"),
        };
        self.context.set_stroke_style_str(colour);
        self.context.set_fill_style_str(colour);
        self.context.set_line_width(2.0);
        let corners: &[(f64, f64)] = match sign.kind {
            MarkKind::Fault
            | MarkKind::Broken
            | MarkKind::SinkFailed
            | MarkKind::StopFailed
            | MarkKind::PropertyBroken => {
                self.context.set_line_width(2.4);
                self.cross(at, 5.0);
                &[]
            }
            MarkKind::Aborted
            | MarkKind::Undone
            | MarkKind::AbortReached
            | MarkKind::Lingering
            | MarkKind::CommitDropped => {
                self.cross(at, 3.6);
                &[]
            }
            MarkKind::Completed | MarkKind::Elected => &[(0.0, -6.0), (5.5, 4.5), (-5.5, 4.5)],
            MarkKind::Committed | MarkKind::CommitReached | MarkKind::Decided => {
                &[(0.0, -6.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)]
            }
            MarkKind::Triggered => &[(0.0, -8.0), (8.0, -4.5), (0.0, -1.0)],
            MarkKind::Voted => &[(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)],
            MarkKind::Restored | MarkKind::Redeployed | MarkKind::Back | MarkKind::Rebalanced => {
                &[(-4.0, -5.5), (6.0, 0.0), (-4.0, 5.5)]
            }
            MarkKind::Again
            | MarkKind::InDoubtBlocked
            | MarkKind::InDoubtReleased
            | MarkKind::Blocked
            | MarkKind::Overtaken => &[(-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)],
        };
        if !corners.is_empty() {
            self.context.begin_path();
            for (x, y) in corners {
                self.context.line_to(at.x + x, at.y + y);
            }
            self.context.close_path();
            self.context.fill();
        }
        self.context.set_global_alpha(1.0);
    }
}

/// How much is seen of something.
const fn alpha(tone: Tone) -> f64 {
    match tone {
        Tone::Plain | Tone::Here | Tone::Past | Tone::Future => 1.0,
        Tone::Apart => 0.16,
    }
}
