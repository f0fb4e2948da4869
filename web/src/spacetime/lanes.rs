//! The names of the lanes; those of an operator's subtasks can be folded into one, and unfolded.

use std::collections::BTreeSet;

use yew::{Html, MouseEvent, UseStateHandle, html};

use super::Props;
use super::paint::Direction;
use super::strips::{Strip, Strips};
use crate::stage::geometry::px;
use crate::state::Chart;
use crate::text::spacetime as words;

pub(super) fn lanes(
    props: &Props,
    strips: &Strips,
    chart: &Chart,
    pitch: f64,
    direction: Direction,
    unfolded: &UseStateHandle<BTreeSet<String>>,
) -> Html {
    let size = match direction {
        Direction::Right => format!("height:{}px", px(pitch)),
        Direction::Down => format!("width:{}px", px(pitch)),
    };
    html! {
        <ol class="lanes">
            for strip in strips.all.iter() {
                <li style={size.clone()}>{ lane(props, strip, chart, unfolded) }</li>
            }
        </ol>
    }
}

fn lane(
    props: &Props,
    strip: &Strip,
    chart: &Chart,
    unfolded: &UseStateHandle<BTreeSet<String>>,
) -> Html {
    let name = words::lane(&props.view.lexicon(props.lang), chart, strip);
    let is_unfolded = strip
        .family
        .as_ref()
        .is_some_and(|it| unfolded.contains(it));
    let family = strip
        .family
        .clone()
        .filter(|_| strip.is_folded() || is_unfolded);
    let Some(family) = family else {
        return html! { <span title={name.clone()}>{ name }</span> };
    };
    let toggle = {
        let unfolded = unfolded.clone();
        move |_: MouseEvent| {
            let mut all = (*unfolded).clone();
            if !all.remove(&family) {
                all.insert(family.clone());
            }
            unfolded.set(all);
        }
    };
    html! {
        <button
            class="link"
            title={name.clone()}
            aria-expanded={is_unfolded.to_string()}
            onclick={toggle}
            data-testid="lane-fold"
        >
            { name }
        </button>
    }
}
