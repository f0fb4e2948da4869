//! Who sees what came out: the records in the order in which they are seen, and the account.

use barrierscope_core::id::RecordId;
use barrierscope_core::scene::Node;
use barrierscope_core::scene::kafka::AudienceView;
use yew::{Html, classes, html};

use super::{BOLD, Context, line};
use crate::stage::geometry::{Rect, point, px};
use crate::stage::lettering::width_of;
use crate::stage::shape::{Anchor, rect, stroke, words};
use crate::text::kafka::face;
use crate::text::kafka::tally::{Kept, Tally};
use crate::text::{self, Lang};

/// From the edge of the box.
const INSET: f64 = 10.0;
/// Where the records are, and how high they are.
const STRIP: (f64, f64) = (23.0, 18.0);
/// How wide it is that says how many more there are.
const MORE: f64 = 34.0;

/// Draws it.
pub(super) fn inside(context: &Context<'_>, node: &Node, view: &AudienceView) -> Html {
    let (lang, room) = (context.lang, context.place.w - 2.0 * INSET);
    let tally = context.tally.unwrap_or_default();
    let kept = tally.kept();
    let look = match kept.right() {
        Some(false) => "label wrong",
        _ if kept == Kept::Stuck => "label stuck",
        _ => "label",
    };
    let sees = face::sees(lang, view.audience, &tally);
    let name = text::kafka::name(lang, context.nodes, node);
    // Where there is no room beside the name, it stands in short with the account.
    let is_roomy = width_of(&name) * BOLD + width_of(&sees) + 6.0 <= room;
    let short = format!("{}/{}", tally.seen, tally.expected);
    html! {
        <>
            { line(if view.judged { "strong" } else { "label" }, INSET, 15.0, room, &name) }
            if is_roomy {
                { words("label", point(context.place.w - INSET, 15.0), Anchor::End, sees) }
            }
            { strip(view, context.records, room) }
            { counts(lang, &tally, (!is_roomy).then_some(short), room) }
            { line(look, INSET, 73.0, room, &said(context, view, kept)) }
        </>
    }
}

/// What has been kept, and whether the scenario asks for it.
fn said(context: &Context<'_>, view: &AudienceView, kept: Kept) -> String {
    let word = kept.word(context.lang);
    match view.judged {
        true => format!("{}{word}", context.lang.pick("verdict: ", "结论 · ")),
        false => word.to_owned(),
    }
}

fn strip(view: &AudienceView, of: u32, room: f64) -> Html {
    let (top, high) = STRIP;
    let digits = of.max(1).ilog10() + 1;
    let pitch = (7.0 + 7.1 * f64::from(digits)).max(16.0);
    // What there is no room for is said in the place of the first ones; the inspector names them all.
    let all = view.records.len();
    let fits = ((room / pitch) as usize).max(1);
    let count = if all > fits {
        ((room - MORE) / pitch) as usize
    } else {
        fits
    };
    let first = all.saturating_sub(count);
    let start = if first > 0 { INSET + MORE } else { INSET };
    let bed = Rect {
        x: INSET - 2.0,
        y: top - 2.0,
        w: room + 4.0,
        h: high + 4.0,
    };
    let is_twice = |record: &RecordId| {
        let mut witnesses = view.verdict.witnesses.iter();
        witnesses.any(|witness| witness.record == *record && witness.copies > 1)
            || view.records.iter().filter(|other| *other == record).count() > 1
    };
    html! {
        <>
            { rect("bed", &bed, 4.0) }
            if first > 0 {
                { words("label more", point(INSET + MORE / 2.0 - 2.0, top + high / 2.0 + 4.0), Anchor::Middle, format!("+{first}")) }
            }
            for (at, record) in view.records.iter().skip(first).enumerate() {
                <g
                    key={first + at}
                    class={classes!("cell", "entry", "seen", is_twice(record).then_some("again"))}
                    transform={format!("translate({} {})", px(start + pitch * at as f64), px(top))}
                >
                    { rect("body", &Rect { x: 0.0, y: 0.0, w: pitch - 2.0, h: high }, 3.0) }
                    { words("", point((pitch - 2.0) / 2.0, high / 2.0 + 4.0), Anchor::Middle, face::number(*record, of)) }
                    if is_twice(record) {
                        { stroke("twice", format!("M1.5 {}h{}", px(high - 1.5), px(pitch - 5.0))) }
                    }
                </g>
            }
        </>
    }
}

/// What is not as it should be, or not yet, side by side.
fn counts(lang: Lang, tally: &Tally, sees: Option<String>, room: f64) -> Html {
    let mut counts = tally.counts(lang);
    if counts.is_empty() && sees.is_none() {
        let says = lang.pick("nothing lost, nothing doubled", "无丢失，无重复");
        return line("label", INSET, 58.0, room, says);
    }
    counts.splice(0..0, sees.map(|sees| (sees, false)));
    let mut x = INSET;
    let parts = counts.into_iter().map(|(text, wrong)| {
        let class = if wrong { "label wrong" } else { "label" };
        let at = x;
        x += width_of(&text) + 9.0;
        line(class, at, 58.0, (INSET + room - at).max(0.0), &text)
    });
    html! { for part in parts { { part } } }
}
