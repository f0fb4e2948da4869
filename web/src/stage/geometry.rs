//! Points, boxes and ways on the plane of the stage.

use std::fmt::Write;
use std::ops::{Add, Mul, Sub};

/// A point, or the vector to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

/// Shorthand for a [`Point`].
pub const fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}

impl Point {
    /// How long the vector is.
    pub fn length(self) -> f64 {
        self.x.hypot(self.y)
    }

    /// How far it lies along a direction, which is a vector of length 1.
    pub fn along(self, direction: Self) -> f64 {
        self.x * direction.x + self.y * direction.y
    }

    /// The vector of length 1 in the same direction; to the right if it has none.
    #[must_use]
    pub fn direction(self) -> Self {
        let length = self.length();
        if length > 0.0 {
            self * length.recip()
        } else {
            point(1.0, 0.0)
        }
    }

    /// The vector turned by a right angle, to the left of where it points.
    #[must_use]
    pub const fn normal(self) -> Self {
        point(self.y, -self.x)
    }

    /// The point part of the way to another one.
    #[must_use]
    pub fn towards(self, other: Self, part: f64) -> Self {
        self + (other - self) * part
    }
}

impl Add for Point {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        point(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Point {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        point(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Point {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        point(self.x * factor, self.y * factor)
    }
}

/// How wide and how high something is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

/// A box.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Its left edge.
    pub x: f64,
    /// Its upper edge.
    pub y: f64,
    /// Width.
    pub w: f64,
    /// Height.
    pub h: f64,
}

impl Rect {
    /// The box of a size around a point.
    pub fn around(centre: Point, size: Size) -> Self {
        Self {
            x: centre.x - size.w / 2.0,
            y: centre.y - size.h / 2.0,
            w: size.w,
            h: size.h,
        }
    }

    /// Its right edge.
    pub fn right(&self) -> f64 {
        self.x + self.w
    }

    /// Its lower edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.h
    }

    /// Its middle.
    pub fn centre(&self) -> Point {
        point(self.x + self.w / 2.0, self.y + self.h / 2.0)
    }

    /// Whether two boxes share more than an edge.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }
}

/// A way along which something can move: straight pieces and curves, measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    outline: String,
    points: Vec<Point>,
    /// How far along each point is.
    reach: Vec<f64>,
}

/// Into how many straight pieces a curve is cut.
const PIECES: u32 = 20;

impl Path {
    /// A way that starts at a point.
    pub fn from(start: Point) -> Self {
        Self {
            outline: format!("M{} {}", px(start.x), px(start.y)),
            points: vec![start],
            reach: vec![0.0],
        }
    }

    /// Goes on straight to a point.
    #[must_use]
    pub fn line(mut self, to: Point) -> Self {
        // Writing to a string cannot fail.
        let _ = write!(self.outline, "L{} {}", px(to.x), px(to.y));
        self.extend(to);
        self
    }

    /// Goes on in a Bézier curve to a point.
    #[must_use]
    pub fn curve(mut self, lead: Point, tail: Point, to: Point) -> Self {
        let from = self.end();
        let _ = write!(
            self.outline,
            "C{} {} {} {} {} {}",
            px(lead.x),
            px(lead.y),
            px(tail.x),
            px(tail.y),
            px(to.x),
            px(to.y)
        );
        for piece in 1..=PIECES {
            let t = f64::from(piece) / f64::from(PIECES);
            let ab = from.towards(lead, t);
            let bc = lead.towards(tail, t);
            let cd = tail.towards(to, t);
            self.extend(ab.towards(bc, t).towards(bc.towards(cd, t), t));
        }
        self
    }

    /// The same way from its end to its start, straight from point to point.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let mut points = self.points.iter().rev().copied();
        let start = points.next().unwrap_or_default();
        points.fold(Self::from(start), Self::line)
    }

    fn extend(&mut self, to: Point) {
        let reach = self.length() + (to - self.end()).length();
        self.points.push(to);
        self.reach.push(reach);
    }

    /// Where it starts.
    pub fn start(&self) -> Point {
        self.points.first().copied().unwrap_or_default()
    }

    /// Where it ends.
    pub fn end(&self) -> Point {
        self.points.last().copied().unwrap_or_default()
    }

    /// How long it is.
    pub fn length(&self) -> f64 {
        self.reach.last().copied().unwrap_or_default()
    }

    /// The point this far along, and the direction there.
    pub fn at(&self, distance: f64) -> (Point, Point) {
        let next = self
            .reach
            .partition_point(|reach| *reach < distance)
            .clamp(1, self.points.len().max(2) - 1);
        let (Some(a), Some(b)) = (self.points.get(next - 1), self.points.get(next)) else {
            return (self.start(), point(1.0, 0.0));
        };
        let step = *b - *a;
        let part = (distance - self.reach[next - 1]) / step.length().max(f64::EPSILON);
        (a.towards(*b, part.clamp(0.0, 1.0)), step.direction())
    }

    /// The points of the way.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The way as the `d` of an SVG path.
    pub fn outline(&self) -> &str {
        &self.outline
    }
}

/// A length for SVG and CSS, to a tenth of a pixel. (Formatting floating-point numbers in full would
/// cost the page ten kilobytes.)
pub fn px(length: f64) -> String {
    let tenths = (length * 10.0).round() as i64;
    let sign = if tenths < 0 { "-" } else { "" };
    let (whole, tenth) = (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
    if tenth == 0 {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{tenth}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_short() {
        assert_eq!(px(12.0), "12");
        assert_eq!(px(-0.25), "-0.3");
        assert_eq!(px(2.749), "2.7");
        assert_eq!(px(-0.01), "0");
    }

    #[test]
    fn a_path_is_measured() {
        let path = Path::from(point(0.0, 0.0))
            .line(point(10.0, 0.0))
            .line(point(10.0, 10.0));
        assert_eq!(path.length(), 20.0);
        assert_eq!(path.at(5.0), (point(5.0, 0.0), point(1.0, 0.0)));
        assert_eq!(path.at(15.0), (point(10.0, 5.0), point(0.0, 1.0)));
        assert_eq!(path.at(-3.0).0, path.start());
        assert_eq!(path.at(99.0).0, path.end());
        assert_eq!(path.outline(), "M0 0L10 0L10 10");
    }

    #[test]
    fn a_curve_ends_where_it_should() {
        let path =
            Path::from(point(0.0, 0.0)).curve(point(5.0, 0.0), point(5.0, 9.0), point(10.0, 9.0));
        assert_eq!(path.end(), point(10.0, 9.0));
        assert!(path.length() > 13.0 && path.length() < 16.0);
    }

    #[test]
    fn the_normal_of_right_is_up() {
        assert_eq!(point(1.0, 0.0).normal(), point(0.0, -1.0));
        assert_eq!(point(0.0, 1.0).normal(), point(1.0, 0.0));
    }
}
