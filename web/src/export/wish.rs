//! What a person asks to have of the page.

use super::format::Format;
use super::recording::Stretch;

/// Something to be saved, or to be put onto the clipboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The link to what is shown, on the clipboard.
    CopyLink,
    /// What a page has to hold to have this in a frame, on the clipboard.
    CopyFrame,
    /// The scenario as a file.
    SaveScenario,
    /// A stretch of the run as a file.
    SaveSteps(Format, Stretch),
    /// The same on the clipboard.
    CopySteps(Format, Stretch),
    /// The stage as SVG.
    SaveSvg,
    /// The stage as PNG.
    SavePng,
    /// A stretch of the run as an animated picture.
    Film(Stretch),
    /// No longer.
    StopFilm,
    /// Whatever the browser has kept of earlier visits is to be forgotten.
    Afresh,
}
