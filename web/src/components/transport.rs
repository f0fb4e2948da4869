//! Play, step, and how fast.

use std::rc::Rc;

use web_sys::{HtmlInputElement, InputEvent};
use yew::{Callback, Html, MouseEvent, Properties, TargetCast, classes, component, html};

use super::branches::Branches;
use super::icon::{Shape, icon};
use super::scrubber::Scrubber;
use crate::same::Same;
use crate::state::{Action, Along, Run, SPEEDS, View};
use crate::text::{Label, Lang, label, number, seconds, speed};

/// What the controls depend on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The runs.
    pub runs: Vec<Same<Run>>,
    /// Beyond this step nothing is told yet.
    pub limit: Option<usize>,
    /// The language.
    pub lang: Lang,
    /// Whether time passes.
    pub playing: bool,
    /// How fast.
    pub speed: f64,
    /// Whether the space-time diagram is shown, where it can be.
    pub charted: Option<bool>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The speed slider has this many steps from one power of ten to the next.
const FINENESS: f64 = 20.0;

/// Playback: controls and timeline.
#[component]
pub fn Transport(props: &Props) -> Html {
    let (lang, view) = (props.lang, &props.view);
    let button = |action: Action, shape: Shape, name: Label, id: &'static str| {
        let name = label(lang, name);
        html! {
            <button
                class={classes!("round", (id == "play").then_some("primary"), id)}
                onclick={props.on.reform(move |_: MouseEvent| action.clone())}
                // The focus stays where it was, so that space goes on to mean play and pause.
                onmousedown={|event: MouseEvent| event.prevent_default()}
                aria-label={name}
                title={name}
                data-testid={id}
            >
                { icon(shape) }
            </button>
        }
    };
    let (play, shape) = if props.playing {
        (Label::Pause, Shape::Pause)
    } else {
        (Label::Play, Shape::Play)
    };
    let faster = props.on.reform(|event: InputEvent| {
        let input: HtmlInputElement = event.target_unchecked_into();
        let place = input.value_as_number();
        let place = if place.is_finite() { place } else { 0.0 };
        Action::Speed(10.0_f64.powf(place / FINENESS))
    });
    let place = |speed: f64| ((speed.log10() * FINENESS).round() as i64).to_string();
    let (step, last) = (number(view.step as u64), number(view.last as u64));
    let steps = match lang {
        Lang::En => format!("step {step} of {last}"),
        Lang::Zh => format!("第 {step} 步，共 {last} 步"),
    };
    html! {
        <section class="transport panel" aria-label={label(lang, Label::Transport)}>
            <div class="controls">
                <div class="buttons">
                    { button(Action::Start, Shape::Start, Label::Start, "start") }
                    { button(Action::PreviousMark, Shape::Previous, Label::PreviousMark, "previous-mark") }
                    { button(Action::Back, Shape::Back, Label::Back, "back") }
                    { button(Action::Toggle, shape, play, "play") }
                    { button(Action::Step, Shape::Step, Label::Step, "step") }
                    { button(Action::NextMark, Shape::Next, Label::NextMark, "next-mark") }
                    { button(Action::End, Shape::End, Label::End, "end") }
                </div>
                <p class="where">
                    <strong>{ steps }</strong>
                    <span>{ seconds(view.time) }</span>
                </p>
                <label class="speed">
                    <span>{ label(lang, Label::Speed) }</span>
                    <input
                        type="range"
                        min={place(SPEEDS.0)}
                        max={place(SPEEDS.1)}
                        step="1"
                        value={place(props.speed)}
                        oninput={faster}
                        aria-label={label(lang, Label::Speed)}
                        aria-valuetext={speed(props.speed)}
                    />
                    <output>{ speed(props.speed) }</output>
                </label>
                if let Some(charted) = props.charted {
                    <button
                        class="spacetime-switch"
                        aria-pressed={charted.to_string()}
                        title={label(lang, Label::SpaceTimeToggle)}
                        onmousedown={|event: MouseEvent| event.prevent_default()}
                        onclick={props.on.reform(move |_: MouseEvent| {
                            Action::SpaceTime((!charted).then_some(Along::Steps))
                        })}
                        data-testid="spacetime-switch"
                    >
                        { label(lang, Label::SpaceTimeShort) }
                    </button>
                }
            </div>
            <Scrubber view={Rc::clone(view)} limit={props.limit} {lang} on={props.on.clone()} />
            <Branches view={Rc::clone(view)} runs={props.runs.clone()} {lang} on={props.on.clone()} />
        </section>
    }
}
