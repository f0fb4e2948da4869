//! What can be taken away of a run: its steps in formats that other tools read, and pictures of the stage.
//!
//! * [`recording`]: a stretch of a run, off which the formats are written.
//! * [`trace`]: the program's own format, which can be opened again.
//! * [`mermaid`], [`shiviz`], [`perfetto`], [`itf`]: those of other tools.
//! * [`mod@format`]: all of them by name.
//! * [`pen`]: draws SVG as one draws on a canvas; [`film`]: makes an animated GIF of pixels.
//! * [`wish`]: what a person asks for.
//!
//! None of these knows of a browser. [`picture`] and [`canvas`] do: they take the picture off the page.

pub mod canvas;
pub mod datum;
pub mod film;
pub mod format;
pub mod itf;
pub mod mermaid;
pub mod pen;
pub mod perfetto;
pub mod picture;
pub mod recording;
pub mod shiviz;
#[cfg(test)]
mod tests;
pub mod trace;
pub mod wish;
