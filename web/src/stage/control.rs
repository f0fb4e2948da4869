//! The inside of the coordinator's box: the checkpoint it is about, and how far that is.

use barrierscope_core::id::CheckpointId;
use yew::{Html, html};

use super::geometry::{Rect, point};
use super::shape::{Anchor, rect, words};
use super::sign::epoch_class;
use crate::text::{Label, Lang, face, label};

/// What the coordinator shows of itself.
pub fn coordinator(
    lang: Lang,
    place: &Rect,
    pending: Option<(CheckpointId, u32, u32)>,
    completed: Option<CheckpointId>,
    restarting: Option<CheckpointId>,
) -> Html {
    let epoch = pending.map(|(id, ..)| id).or(completed);
    let done = pending.map(|(_, have, need)| f64::from(have) / f64::from(need.max(1)));
    let says = face::coordinator(lang, pending, completed, restarting);
    let look = if restarting.is_some() {
        "strong fault"
    } else {
        "strong"
    };
    let bar = Rect {
        x: 14.0,
        y: place.h - 6.0,
        w: place.w - 28.0,
        h: 2.5,
    };
    html! {
        <g class={epoch_class(epoch)}>
            { words("label", point(14.0, 18.0), Anchor::Start, label(lang, Label::Coordinator)) }
            { words(look, point(14.0, 35.0), Anchor::Start, says) }
            if let (Some(done), None) = (done, restarting) {
                { rect("meter", &bar, 1.2) }
                { rect("progress", &Rect { w: bar.w * done, ..bar }, 1.2) }
            }
        </g>
    }
}
