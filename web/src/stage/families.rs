//! What a box shows that stands for several: how many they are, what blocks them, who has stored, what waits.

use yew::{Html, classes, html};

use super::fold::Family;
use super::geometry::{Rect, point};
use super::lettering::fitted as fitting;
use super::shape::{Anchor, words};
use super::sign::epoch_class;
use crate::text::{Lang, family as text};

/// From one line to the next.
const LINE: f64 = 15.5;

/// The inside of the box.
pub(super) fn inside(lang: Lang, name: &str, family: &Family, place: &Rect) -> Html {
    let count = format!("× {}", family.of);
    let room = place.w - 28.0 - 7.0 * count.chars().count() as f64;
    let lines = text::lines(lang, family);
    let last = ((place.h - 26.0) / LINE).max(1.0) as usize;
    let top = if place.h < 60.0 { 37.0 } else { 39.0 };
    html! {
        <>
            { words("title", point(12.0, 21.0), Anchor::Start, fitting(name, room)) }
            { words("strong", point(place.w - 10.0, 21.0), Anchor::End, count) }
            for (at, (epoch, line)) in lines.into_iter().take(last).enumerate() {
                <g class={classes!("of-family", epoch.is_some().then_some("waits"), epoch_class(epoch))}>
                    { words("label", point(12.0, top + LINE * at as f64), Anchor::Start, fitting(&line, place.w - 18.0)) }
                </g>
            }
        </>
    }
}
