//! Draws what moves onto the canvas.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use barrierscope_core::id::CheckpointId;
use barrierscope_core::scenario::delivery::Part;
use barrierscope_core::scene::TokenKind;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement};

use super::channel::{FLAG_HEIGHT, flag_place, flag_width};
use super::geometry::{Point, Size, point};
use super::motion::{Drawn, Motion};
use super::sign::{Sign, turn};
use super::votes::Look;
use crate::text::bytes;
use crate::text::kafka::{face, records};
use crate::text::names;

/// The colours of the theme, as the canvas needs them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Palette {
    epochs: [String; 4],
    surface: String,
    ink: String,
    muted: String,
}

impl Palette {
    /// Reads the colours from the page: the children of `swatches`, in order.
    pub fn read(swatches: &Element) -> Self {
        let colour = |at: u32| {
            let swatch = swatches.children().item(at)?;
            let style = web_sys::window()?.get_computed_style(&swatch).ok()??;
            style.get_property_value("color").ok()
        };
        let colour = |at| colour(at).unwrap_or_default();
        Self {
            epochs: [colour(0), colour(1), colour(2), colour(3)],
            surface: colour(4),
            ink: colour(5),
            muted: colour(6),
        }
    }

    fn of(&self, epoch: CheckpointId) -> &str {
        turn(epoch).map_or(&self.muted, |turn| &self.epochs[turn])
    }
}

/// The canvas, and how to draw on it.
pub struct Painter {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    /// How wide the picture is.
    width: Cell<f64>,
    /// It knows the letters to write with.
    is_lettered: Cell<bool>,
    /// Records as they are drawn, ready to be put down; none where every line has to be told.
    sprites: Option<RefCell<Sprites>>,
}

/// Records as they are drawn, by their look. To put down a picture takes a tenth of the time that drawing it takes, but it
/// is a little blurred between two pixels.
#[derive(Default)]
struct Sprites {
    palette: Palette,
    scale: f64,
    /// By turn, whether it is outlined, and the bits of its radius.
    by_look: HashMap<(Option<usize>, bool, u64), HtmlCanvasElement>,
}

/// More messages on one way lie on each other: nobody sees the others.
const MOST_MESSAGES: usize = 60;
/// From so many records on, they are put down as pictures.
const MANY: usize = 150;

/// About how wide a letter on a plate is.
const fn letter(sign: char) -> f64 {
    match sign {
        'A'..='Z' | '_' => 8.7,
        '✓' | '✕' => 10.0,
        _ => 6.6,
    }
}

/// A barrier reaches this far beyond the lane it crosses.
const BEYOND: f64 = 4.0;

impl Painter {
    /// A painter for a canvas, if the browser can paint on it.
    pub fn new(canvas: HtmlCanvasElement) -> Option<Self> {
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        Some(Self {
            canvas,
            context,
            width: Cell::new(f64::INFINITY),
            is_lettered: Cell::new(false),
            sprites: Some(RefCell::default()),
        })
    }

    /// A painter that draws elsewhere than on the canvas, which only says how large the picture is.
    pub fn with(canvas: HtmlCanvasElement, context: CanvasRenderingContext2d) -> Self {
        Self {
            canvas,
            context,
            width: Cell::new(f64::INFINITY),
            is_lettered: Cell::new(false),
            sprites: None,
        }
    }

    /// The canvas that it paints on.
    pub fn canvas(&self) -> &HtmlCanvasElement {
        &self.canvas
    }

    /// Paints everything that moves.
    pub fn paint(&self, motion: &Motion, palette: &Palette) {
        let Some(layout) = motion.layout() else {
            return;
        };
        self.width.set(layout.size.w);
        let dots = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
        let scale = dots * layout.zoom;
        let (w, h) = (
            (layout.size.w * scale).ceil(),
            (layout.size.h * scale).ceil(),
        );
        // Setting the size clears the canvas, even where it stays the same.
        if f64::from(self.canvas.width()) != w || f64::from(self.canvas.height()) != h {
            self.canvas.set_width(w as u32);
            self.canvas.set_height(h as u32);
            // A canvas of another size has forgotten everything.
            self.is_lettered.set(false);
        }
        // No call below can fail: the numbers are finite.
        let _ = self.context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0);
        self.context.clear_rect(0.0, 0.0, w, h);
        let _ = self.context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0);
        if !self.is_lettered.replace(true) {
            self.context.set_text_align("center");
            self.context.set_text_baseline("middle");
            self.context.set_font("600 11.7px system-ui, sans-serif");
        }
        self.work(motion, palette);
        let is_record = |drawn: &&Drawn| matches!(drawn.kind, TokenKind::Record(_));
        let are_many = motion.drawn().filter(is_record).count() >= MANY;
        let mut messages_on: HashMap<usize, usize> = HashMap::new();
        for drawn in motion.drawn() {
            if matches!(drawn.kind, TokenKind::Message(_)) {
                let count = messages_on.entry(drawn.link).or_default();
                *count += 1;
                if *count > MOST_MESSAGES {
                    continue;
                }
            }
            self.context.set_global_alpha(drawn.alpha.clamp(0.0, 1.0));
            let colour = palette.of(drawn.epoch);
            let named = motion.names.then(|| names::sign(drawn.kind)).flatten();
            if let (Some(says), false) = (
                &named,
                matches!(
                    drawn.kind,
                    TokenKind::Barrier(_) | TokenKind::Cancellation(_)
                ),
            ) {
                self.way(motion, drawn, colour);
                let is_solid = matches!(drawn.kind, TokenKind::Notification(_));
                self.badge(drawn.at, says, 3.0, colour, palette, is_solid);
                continue;
            }
            match drawn.kind {
                TokenKind::Record(_) => {
                    let slot = (layout.tracks.get(drawn.link))
                        .and_then(|track| track.pill)
                        .map_or(18.0, |pill| pill.slot.min(pill.breadth));
                    let radius = (slot * 0.36).clamp(2.5, 6.5);
                    if !(are_many && self.put_down(drawn, radius, scale, palette)) {
                        record(
                            &self.context,
                            drawn.at,
                            RecordLook::of(drawn),
                            radius,
                            palette,
                        );
                    }
                }
                TokenKind::Barrier(number) | TokenKind::Cancellation(number) => {
                    let breadth = (layout.tracks.get(drawn.link))
                        .and_then(|track| track.pill)
                        .map_or(20.0, |pill| pill.breadth);
                    self.barrier(drawn, breadth, number, named.as_deref(), palette);
                }
                TokenKind::Trigger(number) => {
                    self.way(motion, drawn, colour);
                    self.badge(drawn.at, &number.to_string(), 8.0, colour, palette, false);
                }
                TokenKind::Snapshot(number, _) => {
                    self.way(motion, drawn, colour);
                    let says = match drawn.bytes {
                        0 => number.to_string(),
                        size => format!("{number} · {}", bytes(size)),
                    };
                    self.badge(drawn.at, &says, 2.5, colour, palette, false);
                }
                TokenKind::Decline(number, _) => {
                    self.way(motion, drawn, colour);
                    self.badge(drawn.at, &format!("✕{number}"), 2.5, colour, palette, false);
                }
                TokenKind::Abort(number) => {
                    self.way(motion, drawn, colour);
                    self.badge(drawn.at, &format!("✕{number}"), 8.0, colour, palette, false);
                }
                TokenKind::Message(message) => {
                    let colour = if message.late {
                        &palette.muted
                    } else {
                        &palette.ink
                    };
                    self.way(motion, drawn, colour);
                    let all = motion.scene().map_or(0, |scene| records(&scene.nodes));
                    let is_solid = message.part == Part::Response && message.success;
                    self.badge(
                        drawn.at,
                        &face::message(&message, all),
                        3.0,
                        colour,
                        palette,
                        is_solid,
                    );
                }
                TokenKind::TwoPhaseCommit(message) => {
                    let look = Look::of(message);
                    let colour = &palette.epochs[look.phase];
                    self.way(motion, drawn, colour);
                    let says = format!("{}{message}", look.sign);
                    self.badge(drawn.at, &says, look.corner, colour, palette, look.solid);
                }
                TokenKind::Notification(number) => {
                    self.way(motion, drawn, colour);
                    self.badge(drawn.at, &format!("✓{number}"), 8.0, colour, palette, true);
                }
            }
        }
        self.context.set_global_alpha(1.0);
        for drawn in motion.traced().chain(motion.pointed_at()) {
            self.context.set_stroke_style_str(&palette.ink);
            self.context.set_line_width(1.5);
            disc(&self.context, drawn.at, 10.0);
            self.context.stroke();
        }
    }

    /// A line below each node that works, as long as the part that is done.
    fn work(&self, motion: &Motion, palette: &Palette) {
        let (Some(scene), Some(layout)) = (motion.scene(), motion.layout()) else {
            return;
        };
        self.context.set_stroke_style_str(&palette.muted);
        self.context.set_line_width(2.0);
        self.context.set_line_cap("round");
        for (node, rect) in scene.nodes.iter().zip(&layout.nodes) {
            let Some(done) = node.work.and_then(|work| motion.part_done(&work)) else {
                continue;
            };
            let start = point(rect.x + 14.0, rect.bottom() - 4.0);
            self.context.begin_path();
            self.context.move_to(start.x, start.y);
            self.context
                .line_to(start.x + (rect.w - 28.0) * done, start.y);
            self.context.stroke();
        }
    }

    /// Puts down a record as a picture, if that can be done.
    fn put_down(&self, drawn: &Drawn, radius: f64, scale: f64, palette: &Palette) -> bool {
        let Some(sprites) = &self.sprites else {
            return false;
        };
        let look = RecordLook::of(drawn);
        let mut sprites = sprites.borrow_mut();
        if sprites.scale != scale || sprites.palette != *palette {
            *sprites = Sprites {
                palette: palette.clone(),
                scale,
                by_look: HashMap::new(),
            };
        }
        let half = (radius + 5.0).ceil();
        let key = (turn(look.epoch), look.unaligned, radius.to_bits());
        let sprite = match sprites.by_look.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => match sprite(look, radius, half, scale, palette) {
                Some(sprite) => place.insert(sprite),
                None => return false,
            },
        };
        let (x, y) = (drawn.at.x - half, drawn.at.y - half);
        let w = f64::from(sprite.width()) / scale;
        self.context
            .draw_image_with_html_canvas_element_and_dw_and_dh(sprite, x, y, w, w)
            .is_ok()
    }

    fn barrier(
        &self,
        drawn: &Drawn,
        breadth: f64,
        number: CheckpointId,
        named: Option<&str>,
        palette: &Palette,
    ) {
        let colour = palette.of(number);
        let side = drawn.along.normal();
        let (a, b) = (
            drawn.at + side * (breadth / 2.0 + BEYOND),
            drawn.at - side * (breadth / 2.0 + BEYOND),
        );
        // What stands in a barrier's place, and stops nothing, is broken.
        let is_cancelled = matches!(drawn.kind, TokenKind::Cancellation(_));
        if is_cancelled {
            let dashes = js_sys::Array::of2(&3.0.into(), &5.5.into());
            let _ = self.context.set_line_dash(&dashes);
        }
        self.context.set_line_cap("round");
        for (width, style) in [(7.0, palette.surface.as_str()), (4.5, colour)] {
            self.context.begin_path();
            self.context.move_to(a.x, a.y);
            self.context.line_to(b.x, b.y);
            self.context.set_line_width(width);
            self.context.set_stroke_style_str(style);
            self.context.stroke();
        }
        let _ = self.context.set_line_dash(&js_sys::Array::new());
        // At the start several barriers lie on top of each other: no flag would be read there.
        if !drawn.is_under_way() {
            return;
        }
        let text = match (is_cancelled, drawn.unaligned) {
            (true, _) => format!("✕{number}"),
            (false, true) => format!("{number} »"),
            (false, false) => number.to_string(),
        };
        let text = named.map_or(text, str::to_owned);
        let size = Size {
            w: if named.is_some() {
                11.0 + text.chars().map(letter).sum::<f64>()
            } else {
                flag_width(&text)
            },
            h: FLAG_HEIGHT,
        };
        let middle = flag_place(a, drawn.along, size);
        self.plate(middle, point(size.w, size.h), 3.0);
        self.context.set_fill_style_str(colour);
        self.context.fill();
        self.context.set_fill_style_str(&palette.surface);
        let _ = self.context.fill_text(&text, middle.x, middle.y + 0.5);
    }

    /// The way of a message of the coordinator or of a snapshot, while it is under way.
    fn way(&self, motion: &Motion, drawn: &Drawn, colour: &str) {
        let Some(track) = motion
            .layout()
            .and_then(|layout| layout.tracks.get(drawn.link))
        else {
            return;
        };
        let alpha = self.context.global_alpha();
        self.context.set_global_alpha(alpha * 0.5);
        self.context.set_stroke_style_str(colour);
        self.context.set_line_width(1.2);
        let dashes = js_sys::Array::of2(&3.0.into(), &4.0.into());
        let _ = self.context.set_line_dash(&dashes);
        self.context.begin_path();
        for (number, at) in track.path.points().iter().enumerate() {
            if number == 0 {
                self.context.move_to(at.x, at.y);
            } else {
                self.context.line_to(at.x, at.y);
            }
        }
        self.context.stroke();
        let _ = self.context.set_line_dash(&js_sys::Array::new());
        self.context.set_global_alpha(alpha);
    }

    /// A small plate with a number.
    fn badge(
        &self,
        at: Point,
        text: &str,
        corner: f64,
        colour: &str,
        palette: &Palette,
        solid: bool,
    ) {
        let w = 11.0 + text.chars().map(letter).sum::<f64>();
        // Beside the last stage there is no room for a long one: it must not run out of the picture.
        let most = (self.width.get() - w / 2.0 - 2.0).max(w / 2.0 + 2.0);
        let at = point(at.x.clamp(w / 2.0 + 2.0, most), at.y);
        self.plate(at, point(w, 16.0), corner);
        let (fill, letters) = if solid {
            (colour, palette.surface.as_str())
        } else {
            (palette.surface.as_str(), colour)
        };
        self.context.set_fill_style_str(fill);
        self.context.fill();
        self.context.set_stroke_style_str(colour);
        self.context.set_line_width(1.6);
        self.context.stroke();
        self.context.set_fill_style_str(letters);
        let _ = self.context.fill_text(text, at.x, at.y + 0.5);
    }

    fn plate(&self, middle: Point, size: Point, corner: f64) {
        let (x, y) = (middle.x - size.x / 2.0, middle.y - size.y / 2.0);
        let (right, bottom) = (x + size.x, y + size.y);
        let context = &self.context;
        context.begin_path();
        context.move_to(x + corner, y);
        // Corners of a positive radius: cannot fail.
        let _ = context.arc_to(right, y, right, bottom, corner);
        let _ = context.arc_to(right, bottom, x, bottom, corner);
        let _ = context.arc_to(x, bottom, x, y, corner);
        let _ = context.arc_to(x, y, right, y, corner);
        context.close_path();
    }
}

/// What a record looks like.
#[derive(Clone, Copy)]
struct RecordLook {
    epoch: CheckpointId,
    /// In-flight data: outlined where it stands, since a copy of it is in the checkpoint.
    unaligned: bool,
}

impl RecordLook {
    const fn of(drawn: &Drawn) -> Self {
        Self {
            epoch: drawn.epoch,
            unaligned: drawn.unaligned,
        }
    }
}

/// A picture of a record, so far from its middle to each side.
fn sprite(
    look: RecordLook,
    radius: f64,
    half: f64,
    scale: f64,
    palette: &Palette,
) -> Option<HtmlCanvasElement> {
    let document = web_sys::window()?.document()?;
    let canvas: HtmlCanvasElement = document.create_element("canvas").ok()?.dyn_into().ok()?;
    let size = (2.0 * half * scale).ceil() as u32;
    canvas.set_width(size);
    canvas.set_height(size);
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    context.scale(scale, scale).ok()?;
    record(&context, point(half, half), look, radius, palette);
    Some(canvas)
}

fn disc(context: &CanvasRenderingContext2d, at: Point, radius: f64) {
    context.begin_path();
    // A full turn of a positive radius: cannot fail.
    let _ = context.arc(at.x, at.y, radius, 0.0, std::f64::consts::TAU);
}

fn record(
    context: &CanvasRenderingContext2d,
    at: Point,
    look: RecordLook,
    radius: f64,
    palette: &Palette,
) {
    let colour = palette.of(look.epoch);
    if look.unaligned {
        disc(context, at, radius + 3.2);
        context.set_fill_style_str(colour);
        context.fill();
    }
    disc(context, at, radius + 1.2);
    context.set_fill_style_str(&palette.surface);
    context.fill();
    disc(context, at, radius);
    context.set_fill_style_str(colour);
    context.fill();
    context.set_fill_style_str(&palette.surface);
    context.set_stroke_style_str(&palette.surface);
    match Sign::of(look.epoch) {
        Sign::Plain => {}
        Sign::Dot => {
            disc(context, at, radius * 0.4);
            context.fill();
        }
        Sign::Bar => {
            let (w, h) = (radius * 1.2, radius * 0.42);
            context.fill_rect(at.x - w / 2.0, at.y - h / 2.0, w, h);
        }
        Sign::Ring => {
            disc(context, at, radius * 0.52);
            context.set_line_width(radius * 0.28);
            context.stroke();
        }
    }
}
