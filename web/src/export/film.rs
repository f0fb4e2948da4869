//! An animated GIF, frame by frame. What did not change since the frame before is not stored again.

use std::borrow::Cow;

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

/// How many frames there are in a second. Browsers slow down what is faster than fifty, and the format counts in
/// hundredths of a second.
pub const RATE: u32 = 10;

/// A longer film is told faster, so that it has no more frames than this.
pub const MOST: u32 = 300;

/// How carefully colours are chosen: from 1, slow, to 30. The stage has few.
const SPEED: i32 = 10;

/// How many frames a stretch of time has at a speed.
pub fn frames(micros: u64, speed: f64) -> u32 {
    let seconds = micros as f64 / 1_000_000.0 / speed.max(f64::MIN_POSITIVE);
    ((seconds * f64::from(RATE)).ceil() as u32).clamp(1, MOST - 1) + 1
}

/// A film that is being made.
pub struct Film {
    encoder: Encoder<Vec<u8>>,
    size: (u16, u16),
    /// The pixels of the frame before.
    before: Vec<u8>,
}

impl Film {
    /// A film with no frame yet.
    ///
    /// # Errors
    /// [`EncodingError`] if the size is one that the format does not have.
    pub fn new(width: u16, height: u16) -> Result<Self, EncodingError> {
        let mut encoder = Encoder::new(Vec::new(), width, height, &[])?;
        encoder.set_repeat(Repeat::Infinite)?;
        Ok(Self {
            encoder,
            size: (width, height),
            before: Vec::new(),
        })
    }

    /// Adds a frame: four bytes (red, green, blue, alpha) for each pixel. The last one is to be seen for longer.
    ///
    /// # Errors
    /// [`EncodingError`] if there are not as many pixels as the film has.
    pub fn add(&mut self, pixels: &[u8], is_last: bool) -> Result<(), EncodingError> {
        let (width, height) = (usize::from(self.size.0), usize::from(self.size.1));
        let part = changed(&self.before, pixels, width, height);
        let mut cut = Vec::with_capacity(part.width * part.height * 4);
        for row in part.top..part.top + part.height {
            let start = (row * width + part.left) * 4;
            cut.extend(
                pixels
                    .get(start..start + part.width * 4)
                    .unwrap_or_default(),
            );
        }
        let side = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
        let mut frame =
            Frame::from_rgba_speed(side(part.width), side(part.height), &mut cut, SPEED);
        (frame.left, frame.top) = (side(part.left), side(part.top));
        frame.dispose = DisposalMethod::Keep;
        let hundredths = 100 / RATE;
        frame.delay = if is_last { 150 } else { hundredths as u16 };
        frame.buffer = Cow::Owned(frame.buffer.into_owned());
        self.encoder.write_frame(&frame)?;
        self.before.clear();
        self.before.extend_from_slice(pixels);
        Ok(())
    }

    /// The film.
    ///
    /// # Errors
    /// [`EncodingError`] if the end cannot be written.
    pub fn finish(self) -> Result<Vec<u8>, EncodingError> {
        self.encoder.into_inner()
    }
}

/// A part of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

/// The smallest part with everything that is different; one pixel, if nothing is.
fn changed(before: &[u8], now: &[u8], width: usize, height: usize) -> Part {
    if before.len() != now.len() {
        return Part {
            left: 0,
            top: 0,
            width,
            height,
        };
    }
    let (mut left, mut right, mut top, mut bottom) = (usize::MAX, 0, usize::MAX, 0);
    let rows = before
        .chunks_exact(width * 4)
        .zip(now.chunks_exact(width * 4));
    for (row, (old, new)) in rows.enumerate() {
        if old == new {
            continue;
        }
        let differs = |(old, new): (&[u8], &[u8])| old != new;
        let pairs = || old.chunks_exact(4).zip(new.chunks_exact(4));
        left = left.min(pairs().position(differs).unwrap_or(0));
        right = right.max(pairs().rposition(differs).unwrap_or(0));
        top = top.min(row);
        bottom = row;
    }
    if top == usize::MAX {
        return Part {
            left: 0,
            top: 0,
            width: 1,
            height: 1,
        };
    }
    Part {
        left,
        top,
        width: right - left + 1,
        height: bottom - top + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(dot: usize) -> Vec<u8> {
        let mut pixels = vec![255; 40 * 20 * 4];
        for (place, value) in pixels[dot * 4..dot * 4 + 4]
            .iter_mut()
            .zip([200, 30, 20, 255])
        {
            *place = value;
        }
        pixels
    }

    #[test]
    fn a_film_is_read_back_as_it_was_drawn() {
        let mut film = Film::new(40, 20).unwrap();
        let places = [45, 46, 46, 399];
        for (at, dot) in places.into_iter().enumerate() {
            film.add(&picture(dot), at + 1 == places.len()).unwrap();
        }
        let bytes = film.finish().unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut reader = options.read_info(bytes.as_slice()).unwrap();
        assert_eq!((reader.width(), reader.height()), (40, 20));
        let mut screen = vec![0; 40 * 20 * 4];
        for (at, dot) in places.into_iter().enumerate() {
            let frame = reader.read_next_frame().unwrap().unwrap();
            let (left, top) = (usize::from(frame.left), usize::from(frame.top));
            let width = usize::from(frame.width);
            if at > 0 {
                assert!(
                    frame.buffer.len() < 40 * 20 * 4 / 2,
                    "only what changed is stored"
                );
            }
            for (row, line) in frame.buffer.chunks_exact(width * 4).enumerate() {
                let start = ((top + row) * 40 + left) * 4;
                screen[start..start + width * 4].copy_from_slice(line);
            }
            assert_eq!(screen, picture(dot), "frame {at}");
        }
        assert!(reader.read_next_frame().unwrap().is_none());
    }

    #[test]
    fn a_film_has_as_many_frames_as_its_time_needs() {
        assert_eq!(frames(0, 1.0), 2);
        assert_eq!(frames(1_000_000, 1.0), RATE + 1);
        assert_eq!(frames(1_000_000, 0.5), 2 * RATE + 1);
        assert_eq!(frames(u64::MAX, 1.0), MOST);
        assert_eq!(frames(1_000_000, 0.0), MOST);
    }
}
