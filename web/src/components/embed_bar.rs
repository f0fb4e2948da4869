//! The control bar below the stage, where it is in a frame of another page.

use web_sys::HtmlInputElement;
use yew::{
    AttrValue, Callback, Html, InputEvent, MouseEvent, Properties, TargetCast, component, html,
};

use super::icon::{Shape, icon};
use crate::state::Action;
use crate::text::{Label, Lang, label};

/// What the bar depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The language.
    pub lang: Lang,
    /// The step that is looked at.
    pub step: usize,
    /// The last step.
    pub last: usize,
    /// Whether time passes.
    pub playing: bool,
    /// What happened in the step.
    pub says: AttrValue,
    /// The link to the same in the whole page.
    pub link: AttrValue,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The control bar.
#[component]
pub fn EmbedBar(props: &Props) -> Html {
    let (lang, on) = (props.lang, &props.on);
    let act = |action: Action| on.reform(move |_: MouseEvent| action.clone());
    let (shape, name) = match props.playing {
        true => (Shape::Pause, Label::Pause),
        false => (Shape::Play, Label::Play),
    };
    let seek = on.reform(|event: InputEvent| {
        let input: HtmlInputElement = event.target_unchecked_into();
        Action::GoTo(input.value().parse().unwrap_or(0))
    });
    let (play, back, step) = (
        label(lang, name),
        label(lang, Label::Back),
        label(lang, Label::Step),
    );
    html! {
        <footer class="embed-bar">
            <button class="round primary" onclick={act(Action::Toggle)} aria-label={play} title={play} data-testid="play">
                { icon(shape) }
            </button>
            <button class="round" onclick={act(Action::Back)} aria-label={back} title={back} disabled={props.step == 0}>
                { icon(Shape::Back) }
            </button>
            <button class="round" onclick={act(Action::Step)} aria-label={step} title={step} disabled={props.step == props.last} data-testid="step">
                { icon(Shape::Step) }
            </button>
            <input
                type="range"
                min="0"
                max={props.last.to_string()}
                value={props.step.to_string()}
                oninput={seek}
                aria-label={label(lang, Label::Timeline)}
                data-testid="scrubber"
            />
            <span class="where">{ format!("{} / {}", props.step, props.last) }</span>
            <p class="embed-says" aria-live={if props.playing { "off" } else { "polite" }}>{ props.says.clone() }</p>
            <a href={props.link.clone()} target="_blank" rel="noopener" data-testid="open-whole">
                { label(lang, Label::OpenWhole) }
            </a>
        </footer>
    }
}
