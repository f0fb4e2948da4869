//! What a stage is drawn on: what moves there, and the canvas that it is painted on.

use std::cell::RefCell;

use barrierscope_core::id::RecordId;
use web_sys::{Element, HtmlCanvasElement, HtmlElement};

use super::Screen;
use super::motion::Motion;
use super::paint::{Painter, Palette};
use crate::same::Same;
use crate::state::View;

/// What a stage is drawn on.
#[derive(Clone)]
pub struct Canvas {
    /// What moves.
    pub motion: Same<RefCell<Motion>>,
    /// The elements that the stage fills in.
    pub screen: Screen,
    painter: Same<RefCell<Option<Painter>>>,
}

impl PartialEq for Canvas {
    fn eq(&self, other: &Self) -> bool {
        self.motion == other.motion
    }
}

impl Default for Canvas {
    fn default() -> Self {
        Self {
            motion: Same::new(RefCell::new(Motion::default())),
            screen: Screen::default(),
            painter: Same::new(RefCell::new(None)),
        }
    }
}

impl Canvas {
    /// Whoever asked for less movement sees a step, then the next one.
    pub fn reduce(&self, is_reduced: bool) {
        self.motion.borrow_mut().reduced = is_reduced;
    }

    /// Moves everything on to a moment of a view, in virtual microseconds, so many milliseconds after the last time, and
    /// shows where a record is whose life is told; tells whether something still moves.
    pub fn advance(&self, view: &View, now: f64, millis: f64, traced: Option<RecordId>) -> bool {
        let mut motion = self.motion.borrow_mut();
        motion.show(&view.scene, view.step);
        motion.names = view.names;
        motion.traced = traced;
        let now = match motion.reduced {
            true => view.time.0 as f64,
            false => now,
        };
        motion.advance(now, millis)
    }

    /// The colours of the theme, as the stage's elements have them.
    pub fn palette(&self) -> Option<Palette> {
        let swatches = self.screen.swatches.cast::<Element>()?;
        Some(Palette::read(&swatches))
    }

    /// Draws what moves.
    pub fn paint(&self, palette: Option<&Palette>) {
        // The stage comes and goes, and its canvas with it.
        let canvas = self.screen.canvas.cast::<HtmlCanvasElement>();
        let mut painter = self.painter.borrow_mut();
        if painter.as_ref().map(Painter::canvas) != canvas.as_ref() {
            *painter = canvas.and_then(Painter::new);
        }
        let motion = self.motion.borrow();
        if let (Some(painter), Some(palette)) = (painter.as_ref(), palette) {
            painter.paint(&motion, palette);
        }
        self.place_tip(&motion);
    }

    /// Has the note follow the token that is pointed at.
    fn place_tip(&self, motion: &Motion) {
        let (Some(tip), Some(layout)) = (self.screen.tip.cast::<HtmlElement>(), motion.layout())
        else {
            return;
        };
        let place = match motion.pointed_at() {
            Some(drawn) => {
                let (w, h) = (layout.size.w * layout.zoom, layout.size.h * layout.zoom);
                let x = (drawn.at.x * layout.zoom + 14.0)
                    .min(w - f64::from(tip.offset_width()) - 4.0)
                    .max(4.0);
                let y = (drawn.at.y * layout.zoom + 14.0)
                    .min(h - f64::from(tip.offset_height()) - 4.0)
                    .max(4.0);
                format!(
                    "transform:translate({}px,{}px)",
                    x.round() as i64,
                    y.round() as i64
                )
            }
            None => "visibility:hidden".to_owned(),
        };
        // An attribute with a fixed name: cannot fail.
        let _ = tip.set_attribute("style", &place);
    }
}
