//! A pen that draws like a canvas, and leaves SVG.
//!
//! Whatever is painted on the stage's canvas is painted by one piece of code. For a picture that is to be kept, that code
//! gets this instead of a canvas: the same calls, and paths and texts come of them.

use std::fmt::Write as _;

/// A matrix as a canvas has it: `x' = a·x + c·y + e`, `y' = b·x + d·y + f`.
pub type Matrix = [f64; 6];

const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// How a shape looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// The colour of areas and letters.
    pub fill: String,
    /// The colour of lines.
    pub stroke: String,
    /// How wide a line is.
    pub width: f64,
    /// How a line ends.
    pub cap: String,
    /// How two lines meet.
    pub join: String,
    /// How solid it is, from 0 to 1.
    pub alpha: f64,
    /// The font, as CSS has it.
    pub font: String,
    /// Where a text stands: `start`, `center`, `end`.
    pub align: String,
    /// On which line: `alphabetic`, `middle`.
    pub baseline: String,
}

/// The pen.
#[derive(Clone, Debug)]
pub struct Pen {
    svg: String,
    path: String,
    at: (f64, f64),
    begin: (f64, f64),
    matrix: Matrix,
    dashes: Vec<f64>,
    saved: Vec<(Matrix, Vec<f64>)>,
}

impl Default for Pen {
    fn default() -> Self {
        Self {
            svg: String::new(),
            path: String::new(),
            at: (0.0, 0.0),
            begin: (0.0, 0.0),
            matrix: IDENTITY,
            dashes: Vec::new(),
            saved: Vec::new(),
        }
    }
}

impl Pen {
    /// What has been drawn.
    pub fn into_svg(self) -> String {
        self.svg
    }

    /// Forgets all that has been drawn.
    pub fn clear(&mut self) {
        self.svg.clear();
    }

    /// Keeps place and dashes, to come back to them.
    pub fn save(&mut self) {
        self.saved.push((self.matrix, self.dashes.clone()));
    }

    /// Comes back to what was kept last.
    pub fn restore(&mut self) {
        if let Some((matrix, dashes)) = self.saved.pop() {
            (self.matrix, self.dashes) = (matrix, dashes);
        }
    }

    /// Draws by another matrix from now on.
    pub fn set_matrix(&mut self, matrix: Matrix) {
        self.matrix = matrix;
    }

    /// Draws by another matrix within the one in use.
    pub fn transform(&mut self, [a, b, c, d, e, f]: Matrix) {
        let [ma, mb, mc, md, me, mf] = self.matrix;
        self.matrix = [
            ma * a + mc * b,
            mb * a + md * b,
            ma * c + mc * d,
            mb * c + md * d,
            ma * e + mc * f + me,
            mb * e + md * f + mf,
        ];
    }

    /// Lines are broken like this from now on.
    pub fn set_dashes(&mut self, dashes: Vec<f64>) {
        self.dashes = dashes;
    }

    /// Begins a path.
    pub fn begin(&mut self) {
        self.path.clear();
    }

    /// Goes somewhere without a line.
    pub fn move_to(&mut self, x: f64, y: f64) {
        self.add('M', &[x, y]);
        (self.at, self.begin) = ((x, y), (x, y));
    }

    /// Goes somewhere in a line.
    pub fn line_to(&mut self, x: f64, y: f64) {
        if self.path.is_empty() {
            return self.move_to(x, y);
        }
        self.add('L', &[x, y]);
        self.at = (x, y);
    }

    /// A curve with one point that it is drawn to, or two.
    pub fn curve(&mut self, points: &[f64]) {
        let letter = if points.len() == 4 { 'Q' } else { 'C' };
        self.add(letter, points);
        if let [.., x, y] = *points {
            self.at = (x, y);
        }
    }

    /// Closes the path.
    pub fn close(&mut self) {
        self.path.push('Z');
        self.at = self.begin;
    }

    /// A rectangle as a path of its own.
    pub fn rect(&mut self, x: f64, y: f64, w: f64, h: f64) {
        self.move_to(x, y);
        self.line_to(x + w, y);
        self.line_to(x + w, y + h);
        self.line_to(x, y + h);
        self.close();
    }

    /// A rectangle with round corners.
    pub fn round_rect(&mut self, x: f64, y: f64, w: f64, h: f64, r: f64) {
        let r = if r.is_finite() {
            r.clamp(0.0, w.min(h) / 2.0)
        } else {
            0.0
        };
        self.move_to(x + r, y);
        self.arc_to(x + w, y, x + w, y + h, r);
        self.arc_to(x + w, y + h, x, y + h, r);
        self.arc_to(x, y + h, x, y, r);
        self.arc_to(x, y, x + w, y, r);
        self.close();
    }

    /// A part of a circle, from one angle to another.
    pub fn arc(&mut self, x: f64, y: f64, r: f64, from: f64, to: f64, counter: bool) {
        let turn = std::f64::consts::TAU;
        let on = |angle: f64| (x + r * angle.cos(), y + r * angle.sin());
        let (start, mut sweep) = (on(from), to - from);
        let is_whole = sweep.abs() >= turn - 1e-9;
        if !is_whole {
            sweep = sweep.rem_euclid(turn);
            if counter {
                sweep -= turn;
            }
        }
        if self.path.is_empty() {
            self.move_to(start.0, start.1);
        } else {
            self.line_to(start.0, start.1);
        }
        // One arc of SVG cannot end where it begins: a circle is two.
        let parts = if is_whole { 2 } else { 1 };
        let each = sweep / f64::from(parts);
        for part in 1..=parts {
            let (ex, ey) = on(from + each * f64::from(part));
            let large = f64::from(u8::from(each.abs() > turn / 2.0));
            let clockwise = f64::from(u8::from(each > 0.0));
            self.add('A', &[r, r, 0.0, large, clockwise, ex, ey]);
            self.at = (ex, ey);
        }
    }

    /// Goes towards a corner, and round it with a radius.
    pub fn arc_to(&mut self, x1: f64, y1: f64, x2: f64, y2: f64, r: f64) {
        let (x0, y0) = self.at;
        let unit = |x: f64, y: f64| {
            let length = x.hypot(y);
            (x / length, y / length)
        };
        let (back, on) = (unit(x0 - x1, y0 - y1), unit(x2 - x1, y2 - y1));
        let cosine = back.0 * on.0 + back.1 * on.1;
        let cross = back.0 * on.1 - back.1 * on.0;
        // A corner that is none is gone past.
        if r <= 0.0 || !cosine.is_finite() || cross.abs() < 1e-9 {
            return self.line_to(x1, y1);
        }
        let half = cosine.clamp(-1.0, 1.0).acos() / 2.0;
        let reach = r / half.tan();
        self.line_to(x1 + back.0 * reach, y1 + back.1 * reach);
        let (ex, ey) = (x1 + on.0 * reach, y1 + on.1 * reach);
        let clockwise = f64::from(u8::from(cross < 0.0));
        self.add('A', &[r, r, 0.0, 0.0, clockwise, ex, ey]);
        self.at = (ex, ey);
    }

    /// Fills the path.
    pub fn fill(&mut self, style: &Style) {
        let path = self.path.clone();
        self.filled(&path, style);
    }

    /// Fills a rectangle; the path stays as it is.
    pub fn fill_rect(&mut self, x: f64, y: f64, w: f64, h: f64, style: &Style) {
        let path = self.rect_alone(x, y, w, h);
        self.filled(&path, style);
    }

    /// Draws the lines of the path.
    pub fn stroke(&mut self, style: &Style) {
        let path = self.path.clone();
        self.stroked(&path, style);
    }

    /// Draws the lines of a rectangle; the path stays as it is.
    pub fn stroke_rect(&mut self, x: f64, y: f64, w: f64, h: f64, style: &Style) {
        let path = self.rect_alone(x, y, w, h);
        self.stroked(&path, style);
    }

    /// Writes a text.
    pub fn text(&mut self, text: &str, x: f64, y: f64, style: &Style) {
        let anchor = match style.align.as_str() {
            "center" => "middle",
            "right" | "end" => "end",
            _ => "start",
        };
        // Not every program that shows SVG knows of other lines than the one on which letters stand.
        let drop = if style.baseline == "middle" {
            " dy=\".35em\""
        } else {
            ""
        };
        let _ = write!(
            self.svg,
            "<text x=\"{}\" y=\"{}\"{drop} text-anchor=\"{anchor}\" style=\"font:{}\" fill=\"{}\"{}{}>{}</text>",
            short(x),
            short(y),
            escaped(&style.font),
            escaped(&style.fill),
            opacity(style),
            self.placed(),
            escaped(text)
        );
    }

    fn rect_alone(&self, x: f64, y: f64, w: f64, h: f64) -> String {
        let mut alone = Self::default();
        alone.rect(x, y, w, h);
        alone.path
    }

    fn filled(&mut self, path: &str, style: &Style) {
        let place = self.placed();
        let _ = write!(
            self.svg,
            "<path d=\"{path}\" fill=\"{}\"{}{place}/>",
            escaped(&style.fill),
            opacity(style)
        );
    }

    fn stroked(&mut self, path: &str, style: &Style) {
        let place = self.placed();
        let _ = write!(
            self.svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"{}\" stroke-linejoin=\"{}\"",
            escaped(&style.stroke),
            short(style.width),
            escaped(&style.cap),
            escaped(&style.join),
        );
        if !self.dashes.is_empty() {
            let dashes: Vec<String> = self.dashes.iter().map(|it| short(*it)).collect();
            let _ = write!(self.svg, " stroke-dasharray=\"{}\"", dashes.join(" "));
        }
        let _ = write!(self.svg, "{}{place}/>", opacity(style));
    }

    fn add(&mut self, letter: char, numbers: &[f64]) {
        self.path.push(letter);
        let numbers: Vec<String> = numbers.iter().map(|it| short(*it)).collect();
        self.path.push_str(&numbers.join(" "));
    }

    fn placed(&self) -> String {
        if self.matrix == IDENTITY {
            return String::new();
        }
        let numbers: Vec<String> = self.matrix.iter().map(|it| short(*it)).collect();
        format!(" transform=\"matrix({})\"", numbers.join(" "))
    }
}

fn opacity(style: &Style) -> String {
    match style.alpha {
        alpha if alpha < 1.0 => format!(" opacity=\"{}\"", short(alpha)),
        _ => String::new(),
    }
}

/// A number with no more decimals than one sees.
pub fn short(number: f64) -> String {
    let rounded = (number * 1_000.0).round() / 1_000.0;
    // There is no minus nothing.
    format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
}

/// Text that means nothing to a reader of XML.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // XML has no place for these, not even escaped.
            '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style() -> Style {
        Style {
            fill: "#123456".to_owned(),
            stroke: "red".to_owned(),
            width: 2.0,
            cap: "round".to_owned(),
            join: "miter".to_owned(),
            alpha: 1.0,
            font: "600 11.7px system-ui, sans-serif".to_owned(),
            align: "center".to_owned(),
            baseline: "middle".to_owned(),
        }
    }

    #[test]
    fn a_circle_is_two_halves() {
        let mut pen = Pen::default();
        pen.begin();
        pen.arc(10.0, 10.0, 5.0, 0.0, std::f64::consts::TAU, false);
        pen.fill(&style());
        assert_eq!(
            pen.into_svg(),
            "<path d=\"M15 10A5 5 0 0 1 5 10A5 5 0 0 1 15 10\" fill=\"#123456\"/>"
        );
    }

    #[test]
    fn a_plate_has_round_corners() {
        let mut pen = Pen::default();
        pen.begin();
        pen.round_rect(0.0, 0.0, 20.0, 10.0, 3.0);
        pen.stroke(&style());
        let svg = pen.into_svg();
        assert!(
            svg.starts_with(
                "<path d=\"M3 0L17 0A3 3 0 0 1 20 3L20 7A3 3 0 0 1 17 10L3 10A3 3 0 0 1 0 7L0 3A3 3 0 0 1 3 0Z\""
            ),
            "{svg}"
        );
    }

    #[test]
    fn texts_and_matrices_are_written_out() {
        let mut pen = Pen::default();
        pen.set_matrix([2.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
        pen.save();
        pen.transform([1.0, 0.0, 0.0, 1.0, 5.0, 0.0]);
        let half = Style {
            alpha: 0.5,
            ..style()
        };
        pen.text("a < \"b\" & c", 1.0, -0.0001, &half);
        pen.restore();
        pen.set_dashes(vec![3.0, 4.0]);
        pen.begin();
        pen.move_to(0.0, 0.0);
        pen.line_to(1.5, 1.0);
        pen.stroke(&style());
        let svg = pen.into_svg();
        assert!(svg.contains("matrix(2 0 0 2 10 0)"), "{svg}");
        assert!(
            svg.contains(">a &lt; &quot;b&quot; &amp; c</text>"),
            "{svg}"
        );
        assert!(
            svg.contains("x=\"1\" y=\"0\" dy=\".35em\" text-anchor=\"middle\""),
            "{svg}"
        );
        assert!(svg.contains("opacity=\"0.5\""), "{svg}");
        assert!(
            svg.contains("stroke-dasharray=\"3 4\" transform=\"matrix(2 0 0 2 0 0)\""),
            "{svg}"
        );
    }
}
