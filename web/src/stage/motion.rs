//! Where everything that moves is drawn: positions out of the scene and virtual time, and the easing
//! that carries a token from where it was drawn to where it belongs.
//!
//! Nothing moves by script. What is drawn is the tokens on the scene's links; between `sent` and `ready`
//! a token is on its way, then it stands in its place in the buffers. A token that went on from one
//! link to the next glides on through the node between them.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use barrierscope_core::id::{CheckpointId, NodeId, RecordId};
use barrierscope_core::scene::{Facts, Health, Scene, Token, TokenKind, Wire, WireKind, Work};

use super::fold::{Folding, fold};
use super::geometry::Point;
use super::layout::Layout;
use super::track::Track;

/// Milliseconds in which a token comes by all but a third of the way to where it belongs.
const GLIDE: f64 = 70.0;
/// The same for a token that crosses a node.
const CROSSING: f64 = 110.0;
/// Milliseconds for which a token that has gone is still seen to fade.
const FADE: f64 = 180.0;
/// A jump over more steps than this is a jump, not a movement.
const JUMP: usize = 60;
/// What has come so many pixels along its way has left the node where the way begins.
const LEFT: f64 = 12.0;
/// What is closer than this to its place, in pixels, has arrived.
const ARRIVED: f64 = 0.05;

/// A token as it is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// On which of the scene's links.
    pub link: usize,
    /// What it is.
    pub kind: TokenKind,
    /// The checkpoint interval it belongs to.
    pub epoch: CheckpointId,
    /// A record that is stored with the pending checkpoint, or a barrier that may overtake.
    pub unaligned: bool,
    /// How many bytes it takes.
    pub bytes: u64,
    /// Where it is drawn.
    pub at: Point,
    /// The direction of its way there.
    pub along: Point,
    /// How solid it is drawn, from 0 to 1.
    pub alpha: f64,
    /// How far along its way.
    reach: f64,
    /// How far beside its way: what is left of the way from another link.
    shift: Point,
    /// It is no longer in the scene.
    gone: bool,
}

impl Drawn {
    /// Whether it has left the one that sent it.
    pub fn is_under_way(&self) -> bool {
        self.reach > LEFT
    }
}

/// Everything that moves.
#[derive(Default)]
pub struct Motion {
    /// No movement between places: tokens jump.
    pub reduced: bool,
    /// Messages have the textbook's names of two-phase commit.
    pub names: bool,
    /// The record whose life is told.
    pub traced: Option<RecordId>,
    /// The token that is pointed at.
    pub pointed: Option<(usize, TokenKind)>,
    layout: Option<Rc<Layout>>,
    /// What is folded, and the scene as it came, before that.
    folding: Rc<Folding>,
    source: Option<Rc<Scene>>,
    scene: Option<Rc<Scene>>,
    step: usize,
    drawn: Vec<Drawn>,
    /// The next frame puts everything in its place at once.
    snap: bool,
    /// A record was drawn in movement.
    record_moved: bool,
    /// The virtual moment that was drawn last, in microseconds.
    now: f64,
}

impl Motion {
    /// Takes over a layout, and what is folded in it; where things stand elsewhere, everything is in its place at once.
    pub fn arrange(&mut self, layout: Rc<Layout>, folding: &Rc<Folding>) {
        if self.folding != *folding {
            self.folding = Rc::clone(folding);
            if let Some(source) = self.source.take() {
                self.show(&source, self.step);
            }
        }
        let stays = self.layout.as_ref().is_some_and(|old| {
            (&old.nodes, old.size, old.zoom) == (&layout.nodes, layout.size, layout.zoom)
        });
        self.layout = Some(layout);
        self.snap |= !stays;
    }

    /// The layout in use.
    pub fn layout(&self) -> Option<&Rc<Layout>> {
        self.layout.as_ref()
    }

    /// The scene that is shown.
    pub fn scene(&self) -> Option<&Rc<Scene>> {
        self.scene.as_ref()
    }

    /// Takes over the scene of a step.
    pub fn show(&mut self, scene: &Rc<Scene>, step: usize) {
        if self
            .source
            .as_ref()
            .is_some_and(|old| Rc::ptr_eq(old, scene))
        {
            return;
        }
        self.source = Some(Rc::clone(scene));
        let scene = &fold(scene, &self.folding).scene;
        let far = self.step.abs_diff(step) > JUMP;
        let other_graph = (self.scene.as_ref()).is_none_or(|old| {
            let nodes = |scene: &Scene| scene.nodes.iter().map(|node| node.id).collect::<Vec<_>>();
            nodes(old) != nodes(scene)
        });
        let back = step < self.step;
        self.step = step;
        if far || other_graph {
            self.snap = true;
        }
        if self.snap {
            self.drawn.clear();
        } else {
            self.renumber(scene);
            self.carry_over(scene, back);
        }
        self.scene = Some(Rc::clone(scene));
    }

    /// Links come and go: what is drawn on one stays with it. What was drawn on one that is gone is gone, too.
    fn renumber(&mut self, scene: &Scene) {
        let Some(old) = self.scene.clone() else {
            return;
        };
        let ids = |scene: &Scene| scene.links.iter().map(|wire| wire.id).collect::<Vec<_>>();
        let (before, now) = (ids(&old), ids(scene));
        if before == now {
            return;
        }
        self.drawn.retain_mut(|drawn| {
            let id = before.get(drawn.link);
            let place = id.and_then(|id| now.iter().position(|other| other == id));
            drawn.link = place.unwrap_or(drawn.link);
            place.is_some()
        });
    }

    /// Marks what is gone, and has what is new start where the same thing was drawn before.
    fn carry_over(&mut self, scene: &Scene, back: bool) {
        let wires = scene.links.iter().enumerate();
        let on: HashSet<(usize, TokenKind)> = wires
            .flat_map(|(link, wire)| wire.tokens.iter().map(move |token| (link, token.kind)))
            .collect();
        let is_on = |link: usize, kind: TokenKind| on.contains(&(link, kind));
        let mut drawn_on = HashSet::new();
        let mut drawn_as: HashMap<TokenKind, Vec<usize>> = HashMap::new();
        for (at, drawn) in self.drawn.iter().enumerate() {
            drawn_as.entry(drawn.kind).or_default().push(at);
            if !drawn.gone {
                drawn_on.insert((drawn.link, drawn.kind));
            }
        }
        let mut taken = HashSet::new();
        let mut added = Vec::new();
        for (link, wire) in scene.links.iter().enumerate() {
            for token in &wire.tokens {
                if drawn_on.contains(&(link, token.kind)) {
                    continue;
                }
                let alike = drawn_as.get(&token.kind).into_iter().flatten().copied();
                let before = { alike }.find(|at| {
                    self.drawn.get(*at).is_some_and(|drawn| {
                        !is_on(drawn.link, drawn.kind)
                            && (scene.links.get(drawn.link)).is_some_and(|old| {
                                if back {
                                    old.from == wire.to
                                } else {
                                    old.to == wire.from
                                }
                            })
                    })
                });
                let start = before.and_then(|at| self.drawn.get(at));
                taken.extend(before);
                added.push(Drawn {
                    link,
                    kind: token.kind,
                    epoch: token.epoch,
                    unaligned: token.unaligned,
                    bytes: token.bytes,
                    at: start.map_or_else(
                        || self.entrance(scene, wire, token.kind, link),
                        |start| start.at,
                    ),
                    along: start.map_or(Point::default(), |start| start.along),
                    alpha: start.map_or(0.0, |start| start.alpha),
                    reach: f64::NAN,
                    shift: Point::default(),
                    gone: false,
                });
            }
        }
        let mut at = 0;
        self.drawn.retain_mut(|drawn| {
            drawn.gone = drawn.gone || !is_on(drawn.link, drawn.kind);
            at += 1;
            !taken.contains(&(at - 1))
        });
        self.drawn.append(&mut added);
    }

    /// Where a token comes from that was on no link before: a record out of the log that its source reads.
    fn entrance(&self, scene: &Scene, wire: &Wire, kind: TokenKind, link: usize) -> Point {
        let Some(layout) = &self.layout else {
            return Point::default();
        };
        let track_start = |link: usize| layout.tracks.get(link).map(|track| track.path.start());
        let out_of_log = || {
            let TokenKind::Record(record) = kind else {
                return None;
            };
            let log = scene.links.iter().position(|log| {
                log.to == wire.from
                    && matches!(log.kind, WireKind::Log)
                    && was_just_read(scene, log.from, record)
            })?;
            track_start(log)
        };
        out_of_log()
            .or_else(|| track_start(link))
            .unwrap_or_default()
    }

    /// Moves everything on: virtual time is `now` (in microseconds), and `millis` of wall time have
    /// passed. Tells whether anything still moves.
    pub fn advance(&mut self, now: f64, millis: f64) -> bool {
        let (Some(scene), Some(layout)) = (self.scene.clone(), self.layout.clone()) else {
            return false;
        };
        self.now = now;
        let snap = std::mem::take(&mut self.snap) || self.reduced;
        if snap {
            self.drawn.retain(|drawn| !drawn.gone);
        }
        let mut moving = false;
        let glide = if snap { 0.0 } else { (-millis / GLIDE).exp() };
        let crossing = if snap {
            0.0
        } else {
            (-millis / CROSSING).exp()
        };
        let known: HashMap<(usize, TokenKind), usize> = (self.drawn.iter().enumerate())
            .filter(|(_, drawn)| !drawn.gone)
            .map(|(at, drawn)| ((drawn.link, drawn.kind), at))
            .collect();
        for (link, wire) in scene.links.iter().enumerate() {
            // The links of a scene may be ahead of those that are laid out, for a frame.
            let Some(track) = layout.tracks.get(link).filter(|track| track.is_of(wire)) else {
                continue;
            };
            let mut ahead = Ahead::default();
            for token in &wire.tokens {
                let goal = goal(&scene, wire, track, token, ahead, now);
                ahead.add(token);
                let known = known.get(&(link, token.kind));
                let known = known.and_then(|at| self.drawn.get_mut(*at));
                let drawn = match known {
                    Some(drawn) => drawn,
                    None => {
                        let (at, along) = track.path.at(goal);
                        self.drawn.push(Drawn {
                            link,
                            kind: token.kind,
                            epoch: token.epoch,
                            unaligned: token.unaligned,
                            bytes: token.bytes,
                            at,
                            along,
                            alpha: if snap { 1.0 } else { 0.0 },
                            reach: goal,
                            shift: Point::default(),
                            gone: false,
                        });
                        continue;
                    }
                };
                drawn.epoch = token.epoch;
                drawn.unaligned = token.unaligned;
                drawn.bytes = token.bytes;
                let before = drawn.at;
                if drawn.reach.is_nan() {
                    // It has just come onto this link: it keeps its place, and comes over.
                    drawn.reach = goal;
                    drawn.shift = drawn.at - track.path.at(goal).0;
                }
                drawn.reach = goal + (drawn.reach - goal) * glide;
                drawn.shift = drawn.shift * crossing;
                let (at, along) = track.path.at(drawn.reach);
                drawn.at = at + drawn.shift;
                drawn.along = along;
                drawn.alpha = if snap {
                    1.0
                } else {
                    (drawn.alpha + millis / FADE * 1.5).min(1.0)
                };
                let moved = (drawn.at - before).length();
                moving |= (drawn.reach - goal).abs() + drawn.shift.length() > ARRIVED
                    || drawn.alpha < 1.0;
                self.record_moved |= moved > 0.5 && matches!(drawn.kind, TokenKind::Record(_));
            }
        }
        for drawn in self.drawn.iter_mut().filter(|drawn| drawn.gone) {
            drawn.alpha -= millis / FADE;
            let (Some(wire), Some(track)) =
                (scene.links.get(drawn.link), layout.tracks.get(drawn.link))
            else {
                continue;
            };
            // What was taken goes on into the node that took it; what was lost stays where it was.
            if runs(&scene, wire.to) && !drawn.reach.is_nan() {
                let goal = track.path.length();
                drawn.reach = goal + (drawn.reach - goal) * glide;
                drawn.at = track.path.at(drawn.reach).0 + drawn.shift;
            }
            moving = true;
        }
        self.drawn.retain(|drawn| drawn.alpha > 0.0 || !drawn.gone);
        moving
    }

    /// What is drawn: records first, so that barriers lie above them.
    pub fn drawn(&self) -> impl Iterator<Item = &Drawn> {
        let is_record = |drawn: &&Drawn| matches!(drawn.kind, TokenKind::Record(_));
        (self.drawn.iter().filter(is_record))
            .chain(self.drawn.iter().filter(move |drawn| !is_record(drawn)))
    }

    /// The token that is drawn nearest to a point, if one is within a distance.
    pub fn hit(&self, at: Point, distance: f64) -> Option<(usize, TokenKind)> {
        (self.drawn.iter())
            .filter(|drawn| !drawn.gone)
            .map(|drawn| ((drawn.at - at).length(), drawn))
            .filter(|(apart, _)| *apart <= distance)
            .min_by(|(a, _), (b, _)| a.total_cmp(b))
            .map(|(_, drawn)| (drawn.link, drawn.kind))
    }

    /// Where copies of the record are drawn whose life is told.
    pub fn traced(&self) -> impl Iterator<Item = &Drawn> {
        let kind = self.traced.map(TokenKind::Record);
        (self.drawn.iter()).filter(move |drawn| Some(drawn.kind) == kind && !drawn.gone)
    }

    /// Where the token is drawn that is pointed at.
    pub fn pointed_at(&self) -> Option<&Drawn> {
        let (link, kind) = self.pointed?;
        (self.drawn.iter()).find(|drawn| drawn.link == link && drawn.kind == kind && !drawn.gone)
    }

    /// Which part of a node's work is done at the moment that is drawn; none before it has begun.
    pub fn part_done(&self, work: &Work) -> Option<f64> {
        let done = part(work.began.0 as f64, work.until.0 as f64, self.now);
        (work.until > work.began && done > 0.0).then_some(done)
    }

    /// Whether a record has been drawn in movement since the last time this was asked.
    pub fn take_record_moved(&mut self) -> bool {
        std::mem::take(&mut self.record_moved)
    }
}

fn runs(scene: &Scene, id: NodeId) -> bool {
    (scene.nodes.iter()).any(|node| node.id == id && node.health == Health::Running)
}

fn was_just_read(scene: &Scene, log: NodeId, record: barrierscope_core::id::RecordId) -> bool {
    (scene.nodes.iter())
        .filter(|node| node.id == log)
        .any(|node| match &node.facts {
            Facts::Input { cells, next, .. } => (next.index().checked_sub(1))
                .and_then(|last| cells.get(last))
                .is_some_and(|cell| cell.record == Some(record)),
            _ => false,
        })
}

/// What stands before a token in its two queues: those that have set out come first, the others stand in the output queue
/// behind each other.
#[derive(Clone, Copy, Default)]
struct Ahead {
    arrived: Crowd,
    queued: Crowd,
}

#[derive(Clone, Copy, Default)]
struct Crowd {
    records: usize,
    others: u32,
}

impl Ahead {
    fn add(&mut self, token: &Token) {
        let crowd = if token.queued {
            &mut self.queued
        } else {
            &mut self.arrived
        };
        match token.kind {
            TokenKind::Record(_) => crowd.records += 1,
            _ => crowd.others += 1,
        }
    }
}

/// How far along its way a token is at a moment.
fn goal(scene: &Scene, wire: &Wire, track: &Track, token: &Token, ahead: Ahead, now: f64) -> f64 {
    let length = track.path.length();
    let sent = part(token.sent.0 as f64, token.ready.0 as f64, now);
    let Some(pill) = track.pill else {
        return sent * length;
    };
    let left = track.outbox.map_or(0.0, |outbox| outbox.length());
    let travelled = left + sent * (length - left);
    let crowd = if token.queued {
        ahead.queued
    } else {
        ahead.arrived
    };
    let is_record = matches!(token.kind, TokenKind::Record(_));
    // What is no record stands between two places, as it takes none up itself.
    let before = if is_record { 0.0 } else { pill.slot / 2.0 };
    let stands = pill.place(crowd.records) - before + 5.0 * f64::from(crowd.others);
    if token.queued {
        return (left - stands).max(0.0);
    }
    let waits = length - stands;
    if !is_record {
        return travelled.min(waits);
    }
    let work = (scene.nodes.iter())
        .find(|node| node.id == wire.to)
        .and_then(|node| node.work)
        .filter(|work| {
            crowd.records == 0
                && crowd.others == 0
                && work.record.map(TokenKind::Record) == Some(token.kind)
        });
    match work {
        // While it is worked on, it goes in through the gate.
        Some(work) => waits + part(work.began.0 as f64, work.until.0 as f64, now) * stands,
        None => travelled.min(waits),
    }
}

/// Which part of the time between two moments has passed.
fn part(from: f64, to: f64, now: f64) -> f64 {
    if to <= from {
        return 1.0;
    }
    ((now - from) / (to - from)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::geometry::{Size, point};
    use crate::stage::layout::{Wanted, arrange};
    use crate::stage::samples;
    use barrierscope_core::id::RecordId;
    use barrierscope_core::time::Micros;

    fn token(kind: TokenKind, sent: u64, ready: u64) -> Token {
        Token {
            kind,
            epoch: CheckpointId(1),
            unaligned: false,
            queued: false,
            bytes: 0,
            sent: Micros(sent),
            ready: Micros(ready),
        }
    }

    fn record(id: u32) -> TokenKind {
        TokenKind::Record(RecordId(id))
    }

    fn channel(scene: &Scene) -> usize {
        let is_channel = |wire: &Wire| matches!(wire.kind, WireKind::Channel { .. });
        scene.links.iter().position(is_channel).unwrap()
    }

    fn motion(scene: Scene) -> (Motion, usize) {
        let link = channel(&scene);
        let mut motion = Motion::default();
        let wanted = Wanted {
            under_way: 1,
            unfolded: false,
        };
        let room = Size { w: 900.0, h: 600.0 };
        motion.arrange(Rc::new(arrange(&scene, room, wanted)), &Rc::default());
        motion.show(&Rc::new(scene), 0);
        (motion, link)
    }

    #[test]
    fn a_token_under_way_is_where_its_time_says() {
        let mut scene = samples::scene(2, 3);
        let link = channel(&scene);
        scene.links[link].tokens = vec![token(record(0), 0, 1_000)];
        let (mut motion, _) = motion(scene);
        let track = motion.layout().unwrap().tracks[link].clone();
        motion.advance(250.0, 16.0);
        let drawn = motion.drawn().next().unwrap();
        let (left, length) = (track.outbox.unwrap().length(), track.path.length());
        assert_eq!(drawn.at, track.path.at(left + (length - left) / 4.0).0);
    }

    #[test]
    fn what_has_not_set_out_stands_in_the_output_queue() {
        let mut scene = samples::scene(2, 3);
        let link = channel(&scene);
        let queued = |kind| Token {
            queued: true,
            ..token(kind, 0, 0)
        };
        scene.links[link].tokens = vec![
            token(record(0), 0, 1),
            queued(TokenKind::Barrier(CheckpointId(1))),
            queued(record(1)),
            queued(record(2)),
        ];
        let (mut motion, _) = motion(scene);
        let track = motion.layout().unwrap().tracks[link].clone();
        let (pill, outbox) = (track.pill.unwrap(), track.outbox.unwrap());
        motion.advance(1_000.0, 16.0);
        let at = |kind: TokenKind| motion.drawn().find(|drawn| drawn.kind == kind).unwrap().at;
        let before = |end: Point, kind| (end - at(kind)).length();
        assert!((before(pill.to, record(0)) - pill.place(0)).abs() < 0.01);
        let barrier = before(outbox.to, TokenKind::Barrier(CheckpointId(1)));
        let (first, second) = (before(outbox.to, record(1)), before(outbox.to, record(2)));
        assert!(
            barrier < first && first < second,
            "{barrier} {first} {second}"
        );
        assert!(second < outbox.length(), "inside the queue");
    }

    #[test]
    fn tokens_queue_up_at_the_gate_and_barriers_take_no_place() {
        let mut scene = samples::scene(2, 3);
        let link = channel(&scene);
        scene.links[link].tokens = vec![
            token(record(0), 0, 1),
            token(TokenKind::Barrier(CheckpointId(1)), 0, 1),
            token(record(1), 0, 1),
        ];
        let (mut motion, _) = motion(scene);
        let pill = motion.layout().unwrap().tracks[link].pill.unwrap();
        motion.advance(1_000.0, 16.0);
        let gap = |kind: TokenKind| {
            let drawn = motion.drawn().find(|drawn| drawn.kind == kind).unwrap();
            (pill.to - drawn.at).length()
        };
        let first = gap(record(0));
        let barrier = gap(TokenKind::Barrier(CheckpointId(1)));
        let second = gap(record(1));
        assert!((first - pill.place(0)).abs() < 0.01);
        assert!(
            first < barrier && barrier < second,
            "{first} {barrier} {second}"
        );
        assert!(second < pill.place(1) + 6.0);
    }

    #[test]
    fn a_record_glides_from_one_link_to_the_next() {
        let mut before = samples::scene(1, 3);
        let first = channel(&before);
        let second = (before.links.iter())
            .position(|wire| {
                wire.from == before.links[first].to && matches!(wire.kind, WireKind::Channel { .. })
            })
            .unwrap();
        let mut after = before.clone();
        before.links[first].tokens = vec![token(record(0), 0, 1)];
        after.links[second].tokens = vec![token(record(0), 10, 1_000)];
        let (mut motion, _) = motion(before);
        motion.advance(10.0, 16.0);
        let start = motion.drawn().next().unwrap().at;
        motion.show(&Rc::new(after), 1);
        assert!(motion.advance(10.0, 1.0), "it is on its way");
        let drawn: Vec<&Drawn> = motion.drawn().collect();
        assert_eq!(drawn.len(), 1, "one record, not two");
        assert_eq!(drawn[0].link, second);
        assert!(
            (drawn[0].at - start).length() < 3.0,
            "it starts where it was"
        );
        for _ in 0..120 {
            motion.advance(10.0, 16.0);
        }
        let track = &motion.layout().unwrap().tracks[second];
        let drawn = motion.drawn().next().unwrap();
        let left = track.outbox.unwrap().to;
        assert!((drawn.at - left).length() < 5.0, "it has come over");
    }

    #[test]
    fn what_is_gone_fades() {
        let mut before = samples::scene(1, 3);
        let link = channel(&before);
        let after = before.clone();
        before.links[link].tokens = vec![token(record(0), 0, 1)];
        let (mut motion, _) = motion(before);
        motion.advance(10.0, 16.0);
        motion.show(&Rc::new(after), 1);
        assert!(motion.advance(10.0, 16.0));
        assert_eq!(motion.hit(motion.drawn().next().unwrap().at, 9.0), None);
        for _ in 0..30 {
            motion.advance(10.0, 16.0);
        }
        assert_eq!(motion.drawn().count(), 0);
        assert!(!motion.advance(10.0, 16.0), "all is still");
    }

    #[test]
    fn reduced_motion_jumps() {
        let mut scene = samples::scene(1, 3);
        let link = channel(&scene);
        let empty = scene.clone();
        scene.links[link].tokens = vec![token(record(0), 0, 1_000)];
        let (mut motion, _) = motion(empty);
        motion.reduced = true;
        motion.show(&Rc::new(scene), 1);
        assert!(!motion.advance(500.0, 16.0), "all is in its place");
        let track = &motion.layout().unwrap().tracks[link];
        let left = track.outbox.unwrap().length();
        let half = track.path.at((left + track.path.length()) / 2.0).0;
        assert_eq!(motion.drawn().next().unwrap().at, half);
        assert_eq!(
            motion.hit(half + point(3.0, 0.0), 9.0),
            Some((link, record(0)))
        );
        assert_eq!(motion.hit(half + point(30.0, 0.0), 9.0), None);
    }
}
