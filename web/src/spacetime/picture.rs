//! What of a run in space and time is to be drawn, and where: pure, and only what lies in the window.
//!
//! A place is how far along the time it lies, and how far across the lanes; whoever draws it decides which of the two
//! goes to the right.

use barrierscope_core::diagram::{BarKind, End, Message};
use barrierscope_core::id::{CheckpointId, LaneId};
use barrierscope_core::mark::MarkKind;
use barrierscope_core::scene::TokenKind;
use barrierscope_core::time::Micros;

use super::strips::Strips;
use crate::state::{Along, Chart, Cone};

/// A place: along the time, and across the lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spot {
    /// Along the time, in pixels from the beginning of the window.
    pub along: f64,
    /// Across the lanes, in pixels from the first one's edge.
    pub across: f64,
}

/// The part of a run that is looked at, in steps or in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
}

impl Window {
    /// How much of the run it shows.
    pub fn span(self) -> f64 {
        (self.to - self.from).max(f64::MIN_POSITIVE)
    }

    /// The window that shows so many times as much, with `fixed` staying in its place; within a run of this length.
    #[must_use]
    pub fn zoomed(self, factor: f64, fixed: f64, end: f64, least: f64) -> Self {
        let span = (self.span() * factor).clamp(least.min(end), end);
        let part = ((fixed - self.from) / self.span()).clamp(0.0, 1.0);
        Self::within(fixed - span * part, span, end)
    }

    /// The window moved by a part of itself.
    #[must_use]
    pub fn moved(self, part: f64, end: f64) -> Self {
        Self::within(self.from + part * self.span(), self.span(), end)
    }

    /// The window of this span that begins here, as far as the run allows.
    pub fn within(from: f64, span: f64, end: f64) -> Self {
        let span = span.min(end);
        let from = from.clamp(0.0, (end - span).max(0.0));
        Self {
            from,
            to: from + span,
        }
    }

    /// Whether it shows a place.
    pub fn shows(self, place: f64) -> bool {
        self.from <= place && place <= self.to
    }
}

/// How the window lies in the room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// What runs along.
    pub axis: Along,
    /// What of it.
    pub window: Window,
    /// How long the room is, along the time, in pixels.
    pub length: f64,
    /// From one strip to the next, in pixels.
    pub pitch: f64,
    /// Beyond this step nothing is told yet.
    pub limit: u32,
}

/// How something stands to the step that is pointed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Nothing is pointed at.
    Plain,
    /// It is that step.
    Here,
    /// It happened before.
    Past,
    /// It happened only after.
    Future,
    /// Neither: it could have been otherwise without making a difference.
    Apart,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrow {
    /// Where it was sent.
    pub from: Spot,
    /// Where it was received, or lost.
    pub to: Spot,
    /// What it is.
    pub what: TokenKind,
    /// The checkpoint interval it belongs to, or the checkpoint it is about.
    pub epoch: CheckpointId,
    /// Whether it was lost.
    pub lost: bool,
    /// How it stands to what is pointed at.
    pub tone: Tone,
}

/// Something that takes time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// From where.
    pub from: Spot,
    /// To where along the time.
    pub to: f64,
    /// What.
    pub kind: BarKind,
    /// How it stands to what is pointed at.
    pub tone: Tone,
}

/// A step on a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// Where.
    pub at: Spot,
    /// Which.
    pub step: u32,
    /// How it stands to what is pointed at.
    pub tone: Tone,
}

/// Something that stands out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sign {
    /// Where.
    pub at: Spot,
    /// What.
    pub kind: MarkKind,
    /// The checkpoint it is about.
    pub checkpoint: CheckpointId,
    /// How it stands to what is pointed at.
    pub tone: Tone,
}

/// A checkpoint's front: the cut across the lanes between what it contains and what it does not.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Which.
    pub checkpoint: CheckpointId,
    /// From lane to lane.
    pub through: Vec<Spot>,
    /// Whether it was given up.
    pub failed: bool,
}

/// What of a run is to be drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// Messages.
    pub arrows: Vec<Arrow>,
    /// What takes time.
    pub blocks: Vec<Block>,
    /// Steps; none where they would lie on each other.
    pub dots: Vec<Dot>,
    /// What stands out.
    pub signs: Vec<Sign>,
    /// Fronts of checkpoints.
    pub fronts: Vec<Line>,
    /// Marks along the time: where, and the step or the moment.
    pub ticks: Vec<(f64, f64)>,
    /// How many records' messages are left out because there is no room for them.
    pub left_out: usize,
}

/// So near to each other steps are not drawn one by one, in pixels.
const DOT_EVERY: f64 = 3.0;
/// No more arrows of records than these are drawn: what lies on each other says nothing.
const MOST_RECORDS: usize = 1_500;
/// From one mark of the time to the next, in pixels, at least.
const TICK_EVERY: f64 = 90.0;

/// Draws what lies in the window.
pub fn picture(chart: &Chart, strips: &Strips, view: View, cone: Option<&Cone>) -> Picture {
    let plan = Plan {
        chart,
        strips,
        view,
        cone,
    };
    let mut picture = Picture {
        ticks: view.ticks(),
        ..Picture::default()
    };
    plan.arrows(&mut picture);
    plan.bars(&mut picture);
    plan.steps(&mut picture);
    plan.fronts(&mut picture);
    picture
}

impl View {
    /// Where a step lies along the axis.
    pub fn place(&self, chart: &Chart, step: u32) -> f64 {
        match self.axis {
            Along::Steps => f64::from(step),
            Along::Time => chart.diagram.time(step).0 as f64,
        }
    }

    /// Where that is in the room.
    pub fn along(&self, place: f64) -> f64 {
        (place - self.window.from) / self.window.span() * self.length
    }

    /// What of the axis lies at a place of the room.
    pub fn place_at(&self, along: f64) -> f64 {
        self.window.from + along / self.length.max(1.0) * self.window.span()
    }

    /// Where a strip lies.
    pub fn across(&self, strip: usize) -> f64 {
        self.pitch * (strip as f64 + 0.5)
    }

    /// The strip at a place of the room.
    pub fn strip_at(&self, across: f64) -> usize {
        (across / self.pitch.max(1.0)).max(0.0) as usize
    }

    /// Round numbers, as far from each other as there is room for.
    fn ticks(&self) -> Vec<(f64, f64)> {
        let least = self.window.span() * TICK_EVERY / self.length.max(TICK_EVERY);
        let magnitude = 10.0_f64.powf(least.max(1.0).log10().floor());
        let every = [1.0, 2.0, 5.0, 10.0]
            .map(|factor| factor * magnitude)
            .into_iter()
            .find(|every| *every >= least)
            .unwrap_or(magnitude * 10.0);
        let first = (self.window.from / every).ceil() as u64;
        let last = (self.window.to / every).floor() as u64;
        (first..=last)
            .map(|number| number as f64 * every)
            .map(|place| (self.along(place), place))
            .collect()
    }

    /// The steps in the window, with those just outside whose signs reach into it.
    pub fn steps(&self, chart: &Chart) -> std::ops::RangeInclusive<u32> {
        let last = chart.diagram.last().min(self.limit);
        let at = |place: f64| match self.axis {
            Along::Steps => place.max(0.0) as u32,
            Along::Time => chart.diagram.step_at(Micros(place.max(0.0) as u64)),
        };
        let first = at(self.window.from).max(1);
        first..=at(self.window.to).saturating_add(1).min(last)
    }
}

struct Plan<'a> {
    chart: &'a Chart,
    strips: &'a Strips,
    view: View,
    cone: Option<&'a Cone>,
}

impl Plan<'_> {
    fn spot(&self, lane: LaneId, step: u32) -> Option<Spot> {
        let strip = self.strips.of(lane)?;
        Some(Spot {
            along: self.view.along(self.view.place(self.chart, step)),
            across: self.view.across(strip),
        })
    }

    fn tone(&self, step: u32) -> Tone {
        match self.cone {
            None => Tone::Plain,
            Some(cone) if cone.here == step => Tone::Here,
            Some(cone) if cone.past.contains(step) => Tone::Past,
            Some(cone) if cone.future.contains(step) => Tone::Future,
            Some(_) => Tone::Apart,
        }
    }

    /// A message is of the past if its receipt is, and of the future if its sending is.
    fn tone_of(&self, message: &Message) -> Tone {
        let ends = match message.end {
            End::Received(step) => self.tone(step),
            End::Lost(_) | End::UnderWay => Tone::Apart,
        };
        match (self.tone(message.sent), ends) {
            (Tone::Plain, _) => Tone::Plain,
            (Tone::Here | Tone::Future, _) => Tone::Future,
            (Tone::Past, Tone::Past | Tone::Here) => Tone::Past,
            _ => Tone::Apart,
        }
    }

    fn is_in_window(&self, first: u32, last: u32) -> bool {
        let place = |step| self.view.place(self.chart, step);
        place(first) <= self.view.window.to && self.view.window.from <= place(last)
    }

    fn arrows(&self, picture: &mut Picture) {
        let limit = self.view.limit;
        let end_of_run = self.chart.diagram.last().min(limit);
        let visible = self.chart.diagram.messages.iter().filter(|message| {
            let end = message.end.step().unwrap_or(end_of_run).min(end_of_run);
            message.sent <= limit
                && self.is_in_window(message.sent, end)
                && self.strips.of(message.from) != self.strips.of(message.to)
        });
        let is_record = |what| matches!(what, TokenKind::Record(_));
        let records = visible.clone().filter(|message| is_record(message.what));
        let all = records.count();
        let without_records = all > MOST_RECORDS;
        for message in visible {
            let tone = self.tone_of(message);
            let matters = !matches!(tone, Tone::Plain | Tone::Apart);
            if without_records && is_record(message.what) && !matters {
                picture.left_out += 1;
                continue;
            }
            picture.arrows.extend(self.arrow(message, tone, end_of_run));
        }
    }

    fn arrow(&self, message: &Message, tone: Tone, end_of_run: u32) -> Option<Arrow> {
        let from = self.spot(message.from, message.sent)?;
        let known = message.end.step().filter(|step| *step <= end_of_run);
        let mut to = self.spot(message.to, known.unwrap_or(end_of_run))?;
        let lost = known.is_some() && matches!(message.end, End::Lost(_));
        // What has not arrived gets most of the way.
        if known.is_none() || lost {
            to.across = from.across + (to.across - from.across) * 0.7;
        }
        Some(Arrow {
            from,
            to,
            what: message.what,
            epoch: about(message),
            lost,
            tone,
        })
    }

    fn bars(&self, picture: &mut Picture) {
        let limit = self.view.limit;
        for bar in &self.chart.diagram.bars {
            if bar.from.step > limit || !self.is_in_window(bar.from.step, bar.to.step) {
                continue;
            }
            let Some(strip) = self.strips.of(bar.lane) else {
                continue;
            };
            let place = |step: u32, time: Micros| match self.view.axis {
                Along::Steps => f64::from(step),
                Along::Time => time.0 as f64,
            };
            let to = match bar.to.step <= limit {
                true => place(bar.to.step, bar.to.time),
                false => self.view.place(self.chart, limit),
            };
            let (from, to) = (
                self.view.along(place(bar.from.step, bar.from.time)),
                self.view.along(to),
            );
            picture.blocks.push(Block {
                from: Spot {
                    along: from.clamp(-10.0, self.view.length + 10.0),
                    across: self.view.across(strip),
                },
                to: to.clamp(-10.0, self.view.length + 10.0),
                kind: bar.kind,
                tone: match (self.tone(bar.from.step), self.tone(bar.to.step)) {
                    (one, other) if one == other => one,
                    (Tone::Past, _) => Tone::Past,
                    (_, Tone::Future) => Tone::Future,
                    _ => Tone::Apart,
                },
            });
        }
    }

    fn steps(&self, picture: &mut Picture) {
        let steps = self.view.steps(self.chart);
        let count = f64::from(steps.end().saturating_sub(*steps.start()) + 1);
        let diagram = &self.chart.diagram;
        if self.view.length / count >= DOT_EVERY {
            for step in steps.clone() {
                let tone = self.tone(step);
                let mut strips = smallest(diagram.lanes_of(step), self.strips);
                strips.dedup();
                let along = self.view.along(self.view.place(self.chart, step));
                picture.dots.extend(strips.into_iter().map(|strip| Dot {
                    at: Spot {
                        along,
                        across: self.view.across(strip),
                    },
                    step,
                    tone,
                }));
            }
        }
        let first = diagram
            .points
            .partition_point(|it| it.step < *steps.start());
        let points = diagram.points.iter().skip(first);
        for point in points.take_while(|it| it.step <= *steps.end()) {
            // A channel that is blocked is seen by its bar, a barrier that overtakes by its arrow.
            let at = point.lane.and_then(|lane| self.spot(lane, point.step));
            if let (Some(at), false) = (
                at,
                matches!(point.kind, MarkKind::Blocked | MarkKind::Overtaken),
            ) {
                picture.signs.push(Sign {
                    at,
                    kind: point.kind,
                    checkpoint: point.checkpoint,
                    tone: self.tone(point.step),
                });
            }
        }
    }

    fn fronts(&self, picture: &mut Picture) {
        let limit = self.view.limit;
        for front in &self.chart.diagram.fronts {
            let last = front.cuts.iter().map(|(_, step)| *step).max();
            let last = last.unwrap_or(front.triggered);
            if front.triggered > limit || !self.is_in_window(front.triggered, last) {
                continue;
            }
            let cuts = front.cuts.iter().filter(|(_, step)| *step <= limit);
            let mut through: Vec<Spot> = cuts
                .filter_map(|(lane, step)| self.spot(*lane, *step))
                .collect();
            through
                .sort_by(|a, b| (a.across.total_cmp(&b.across)).then(a.along.total_cmp(&b.along)));
            // Subtasks that share a strip have one cut there: the last one's.
            through.dedup_by(|later, kept| {
                let same = later.across == kept.across;
                if same {
                    kept.along = later.along;
                }
                same
            });
            if through.len() > 1 {
                picture.fronts.push(Line {
                    checkpoint: front.checkpoint,
                    through,
                    failed: matches!(front.ended, Some((step, false)) if step <= limit),
                });
            }
        }
    }
}

/// The strips of some lanes, each once.
fn smallest(lanes: &[LaneId], strips: &Strips) -> Vec<usize> {
    let mut found: Vec<usize> = lanes.iter().filter_map(|lane| strips.of(*lane)).collect();
    found.sort_unstable();
    found
}

/// The checkpoint that a message belongs to or is about.
fn about(message: &Message) -> CheckpointId {
    match message.what {
        TokenKind::Record(_) => message.epoch,
        TokenKind::Barrier(id)
        | TokenKind::Trigger(id)
        | TokenKind::Snapshot(id, _)
        | TokenKind::Notification(id)
        | TokenKind::Abort(id)
        | TokenKind::Decline(id, _)
        | TokenKind::Cancellation(id) => id,
        TokenKind::Message(_) | TokenKind::TwoPhaseCommit(_) => CheckpointId::NONE,
    }
}

/// The step that is nearest to a place of the room, if one is near enough.
pub fn hit(chart: &Chart, strips: &Strips, view: View, at: Spot, near: f64) -> Option<u32> {
    let strip = view.strip_at(at.across);
    let around = View {
        window: Window {
            from: view.place_at(at.along - near),
            to: view.place_at(at.along + near),
        },
        ..view
    };
    let distance = |step: u32| {
        let strips = smallest(chart.diagram.lanes_of(step), strips);
        let across = strips.iter().map(|it| (view.across(*it) - at.across).abs());
        let across = across.fold(f64::INFINITY, f64::min);
        let along = (view.along(view.place(chart, step)) - at.along).abs();
        let is_on_it = strips.contains(&strip);
        (is_on_it && along <= near).then(|| across.hypot(along))
    };
    let near = around
        .steps(chart)
        .filter_map(|step| Some((distance(step)?, step)));
    near.min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, step)| step)
}

/// The next step on a strip, or the one before.
pub fn next_on(
    chart: &Chart,
    strips: &Strips,
    strip: usize,
    from: u32,
    forwards: bool,
    limit: u32,
) -> Option<u32> {
    let is_on = |step: &u32| smallest(chart.diagram.lanes_of(*step), strips).contains(&strip);
    let last = chart.diagram.last().min(limit);
    if forwards {
        (from + 1..=last).find(is_on)
    } else {
        (1..from).rev().find(is_on)
    }
}

/// The step on a strip that is nearest to another step.
pub fn nearest_on(
    chart: &Chart,
    strips: &Strips,
    strip: usize,
    to: u32,
    limit: u32,
) -> Option<u32> {
    let before = next_on(chart, strips, strip, to + 1, false, limit);
    let after = next_on(chart, strips, strip, to, true, limit);
    match (before, after) {
        (Some(before), Some(after)) if after - to < to - before => Some(after),
        (Some(before), _) => Some(before),
        (None, after) => after,
    }
}
