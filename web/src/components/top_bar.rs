//! The bar at the top: what this is, and how the sink writes.

use barrierscope_core::scenario::DeliveryGuarantee;
use web_sys::{Event, HtmlSelectElement};
use yew::{AttrValue, Callback, Html, MouseEvent, Properties, TargetCast, component, html};

use super::icon::{Shape, icon};
use super::views::Views;
use crate::address::Theme;
use crate::state::{Action, Knob, Model, Sight};
use crate::text::{Label, Lang, label};

/// What the bar depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The language.
    pub lang: Lang,
    /// The theme.
    pub theme: Theme,
    /// The name of the scenario.
    pub scenario: AttrValue,
    /// The model of the run.
    pub model: Model,
    /// In which way the run is looked at.
    pub sight: Sight,
    /// How the sink writes.
    pub guarantee: Option<DeliveryGuarantee>,
    /// Whether the knobs are shown.
    pub knobs: bool,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The bar at the top.
#[component]
pub fn TopBar(props: &Props) -> Html {
    let (lang, on) = (props.lang, &props.on);
    let act = |action: Action| on.reform(move |_: MouseEvent| action.clone());
    let (theme, shape) = match props.theme {
        Theme::Auto => (Label::ThemeAuto, Shape::Auto),
        Theme::Light => (Label::ThemeLight, Shape::Light),
        Theme::Dark => (Label::ThemeDark, Shape::Dark),
    };
    let theme = label(lang, theme);
    let knobs = label(
        lang,
        if props.knobs {
            Label::HideKnobs
        } else {
            Label::ShowKnobs
        },
    );
    html! {
        <header class="top-bar">
            <a class="skip" href="#stage" onclick={skip()}>{ label(lang, Label::Skip) }</a>
            <button
                class="quiet icon-button"
                onclick={act(Action::Knobs(!props.knobs))}
                aria-expanded={props.knobs.to_string()}
                aria-label={knobs}
                title={knobs}
            >
                { icon(Shape::Knobs) }
            </button>
            <h1>{ "Barrierscope" }</h1>
            { models(lang, props.model, on) }
            <p class="scenario-name">{ props.scenario.clone() }</p>
            <Views {lang} model={props.model} sight={props.sight} on={on.clone()} />
            if let Some(guarantee) = props.guarantee {
                { sink_switch(lang, guarantee, on) }
            }
            <div class="top-tools">
                <div class="segmented small" role="group" aria-label={label(lang, Label::Language)}>
                    for choice in Lang::ALL {
                        <button
                            aria-pressed={(choice == lang).to_string()}
                            onclick={act(Action::Language(choice))}
                            lang={choice.code()}
                        >
                            { choice.pick("EN", "中文") }
                        </button>
                    }
                </div>
                <button
                    class="quiet icon-button"
                    onclick={act(Action::Theme(props.theme.next()))}
                    aria-label={theme}
                    title={theme}
                >
                    { icon(shape) }
                </button>
                <button
                    class="quiet icon-button"
                    onclick={act(Action::Help(true))}
                    aria-label={label(lang, Label::Help)}
                    title={format!("{} (?)", label(lang, Label::Help))}
                >
                    { "?" }
                </button>
            </div>
        </header>
    }
}

/// Goes to the stage without touching the address, which holds the state of the page.
fn skip() -> Callback<MouseEvent> {
    Callback::from(|event: MouseEvent| {
        event.prevent_default();
        let first = web_sys::window()
            .and_then(|window| window.document())
            .and_then(|document| document.query_selector("#stage [tabindex]").ok().flatten());
        if let Some(first) = first {
            crate::browser::focus(&first);
        }
    })
}

/// The list of models: which of them is simulated.
fn models(lang: Lang, model: Model, on: &Callback<Action>) -> Html {
    let name = |model: Model| {
        label(
            lang,
            match model {
                Model::Pipeline => Label::Pipeline,
                Model::Delivery => Label::Delivery,
                Model::Streams => Label::Streams,
            },
        )
    };
    let choose = on.reform(move |event: Event| {
        let list: HtmlSelectElement = event.target_unchecked_into();
        let picked = usize::try_from(list.selected_index()).unwrap_or(0);
        let picked = Model::ALL.get(picked).copied().unwrap_or_default();
        // The list says what is shown, until something else is.
        let place = Model::ALL.iter().position(|known| *known == model);
        list.set_selected_index(
            place
                .and_then(|place| i32::try_from(place).ok())
                .unwrap_or(0),
        );
        Action::Model(picked)
    });
    html! {
        <select
            class="models"
            key={model.code()}
            aria-label={label(lang, Label::Model)}
            onchange={choose}
            data-testid="model"
        >
            for known in Model::ALL {
                <option value={known.code()} selected={known == model}>{ name(known) }</option>
            }
        </select>
    }
}

/// The switch that decides the story: how the sink writes.
fn sink_switch(lang: Lang, guarantee: DeliveryGuarantee, on: &Callback<Action>) -> Html {
    let sides = [
        (
            DeliveryGuarantee::AtLeastOnce,
            Label::AtLeastOnce,
            Label::AtLeastOnceHint,
            "sink-at-least-once",
        ),
        (
            DeliveryGuarantee::ExactlyOnce,
            Label::ExactlyOnce,
            Label::ExactlyOnceHint,
            "sink-exactly-once",
        ),
    ];
    html! {
        <div class="sink-switch" data-testid="sink-switch">
            <span class="sink-word">{ label(lang, Label::Sink) }</span>
            <div class="segmented" role="group" aria-label={label(lang, Label::Sink)}>
                for (side, name, hint, id) in sides {
                    <button
                        aria-pressed={(side == guarantee).to_string()}
                        title={label(lang, hint)}
                        data-testid={id}
                        onclick={on.reform(move |_: MouseEvent| Action::Set(Knob::Guarantee(side)))}
                    >
                        { label(lang, name) }
                        <small>{ label(lang, hint) }</small>
                    </button>
                }
            </div>
        </div>
    }
}
