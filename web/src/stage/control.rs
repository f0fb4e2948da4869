//! The inside of the coordinator's box: the checkpoints under way, how far each one is, the last complete
//! one, and how many have failed in a row.

use barrierscope_core::id::CheckpointId;
use barrierscope_core::scene::{JobView, PendingView};
use yew::{Html, classes, html};

use super::geometry::{Rect, point};
use super::lettering::fitted;
use super::shape::{Anchor, rect, words};
use super::sign::{epoch_class, glyph};
use crate::text::{Label, Lang, face, label};

/// What the coordinator shows of itself.
pub struct Coordinator<'a> {
    /// The checkpoints under way, the oldest first.
    pub pending: &'a [PendingView],
    /// The last complete one.
    pub completed: Option<CheckpointId>,
    /// How many have failed in a row.
    pub failures: u32,
    /// Whether subtasks are about to be restarted, and from which checkpoint.
    pub restarting: Option<CheckpointId>,
    /// What becomes of the job.
    pub job: JobView,
    /// Whether the textbook's names of two-phase commit are wanted.
    pub names: bool,
}

/// So many checkpoints under way have room beside each other.
const BESIDE: usize = 4;
/// From the edge of the box.
const INSET: f64 = 14.0;

impl Coordinator<'_> {
    /// Draws it.
    pub fn show(&self, lang: Lang, place: &Rect) -> Html {
        let is_down = self.restarting.is_some() || self.job == JobView::Failed;
        html! {
            <>
                { words("label", point(INSET, 18.0), Anchor::Start, self.heading(lang)) }
                { self.aside(lang, place) }
                if self.pending.len() > 1 && !is_down {
                    { self.several(place) }
                } else {
                    { self.one(lang, place, is_down) }
                }
            </>
        }
    }

    fn heading(&self, lang: Lang) -> String {
        let name = label(lang, Label::Coordinator);
        match (self.names, lang) {
            (false, _) => name.to_owned(),
            (true, Lang::En) => format!("{name} = coordinator"),
            (true, Lang::Zh) => format!("{name} = 协调者"),
        }
    }

    /// At the right of the first line: what has failed, or the last complete one while another is under
    /// way.
    fn aside(&self, lang: Lang, place: &Rect) -> Html {
        let at = point(place.w - INSET, 18.0);
        if let Some(failures) = face::failures(lang, self.failures) {
            return words("label wrong", at, Anchor::End, failures);
        }
        match self.completed {
            Some(completed) if !self.pending.is_empty() => html! {
                <g class={classes!("done", epoch_class(Some(completed)))}>
                    { words("", at, Anchor::End, format!("✓ {completed}")) }
                </g>
            },
            _ => html! {},
        }
    }

    fn one(&self, lang: Lang, place: &Rect, is_down: bool) -> Html {
        let pending = self.pending.last();
        let epoch = pending.map(|pending| pending.checkpoint).or(self.completed);
        let says = match self.names {
            true => face::voting(lang, self.pending, self.completed).filter(|_| !is_down),
            false => None,
        };
        let says = says.unwrap_or_else(|| {
            face::coordinator(
                lang,
                self.pending,
                self.completed,
                self.restarting,
                self.job,
            )
        });
        // Bold words are wider than others.
        let says = fitted(&says, (place.w - 2.0 * INSET) / 1.08);
        let look = if is_down { "strong fault" } else { "strong" };
        html! {
            <g class={epoch_class(epoch)}>
                { words(look, point(INSET, 35.0), Anchor::Start, says) }
                if let (Some(pending), false) = (pending, is_down) {
                    { meter(pending, INSET, place.h - 6.0, place.w - 2.0 * INSET) }
                }
            </g>
        }
    }

    /// Several under way: each with its sign, its number, and how many have acknowledged it.
    fn several(&self, place: &Rect) -> Html {
        let shown = self.pending.len().min(BESIDE);
        let pitch = (place.w - 2.0 * INSET) / shown as f64;
        html! {
            for (at, pending) in self.pending.iter().take(shown).enumerate() {
                { under_way(pending, INSET + pitch * at as f64, pitch - 8.0, place) }
            }
        }
    }
}

fn under_way(pending: &PendingView, x: f64, w: f64, place: &Rect) -> Html {
    let (id, have, need) = (pending.checkpoint, pending.acknowledged, pending.subtasks);
    let savepoint = if pending.purpose.is_savepoint() {
        "S"
    } else {
        ""
    };
    html! {
        <g class={epoch_class(Some(id))}>
            { glyph(id, point(x + 5.0, 30.5), 5.0) }
            { words("strong", point(x + 14.0, 35.0), Anchor::Start, format!("{savepoint}{id} · {have}/{need}")) }
            { meter(pending, x, place.h - 6.0, w) }
        </g>
    }
}

/// How far a checkpoint under way is.
fn meter(pending: &PendingView, x: f64, y: f64, w: f64) -> Html {
    let done = f64::from(pending.acknowledged) / f64::from(pending.subtasks.max(1));
    let bar = Rect { x, y, w, h: 2.5 };
    html! {
        <>
            { rect("meter", &bar, 1.2) }
            { rect("progress", &Rect { w: w * done, ..bar }, 1.2) }
        </>
    }
}
