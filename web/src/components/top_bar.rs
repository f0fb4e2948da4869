//! The bar at the top: what this is, and the one setting that decides its story.

use barrierscope_core::scenario::DeliveryGuarantee;
use serde_json::Value;
use yew::{AttrValue, Callback, Html, MouseEvent, Properties, classes, component, html};

use super::icon::{Shape, icon};
use super::scenarios::Scenarios;
use super::views::Views;
use crate::address::Theme;
use crate::state::{Action, Field, Knob, Model, Reported, Sight};
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
    /// The same, if it is none of those in the list.
    pub other: Option<AttrValue>,
    /// The model of the run.
    pub model: Model,
    /// The fault report that the run is of, if it is one.
    pub report: Option<Reported>,
    /// In which way the run is looked at.
    pub sight: Sight,
    /// How the sink writes.
    pub guarantee: Option<DeliveryGuarantee>,
    /// Whether participants in doubt ask everybody, in two-phase commit.
    pub cooperative: Option<bool>,
    /// Whether the knobs are shown.
    pub knobs: bool,
    /// Whether there is something that can be taken back.
    pub can_undo: bool,
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
        <header class={classes!("top-bar", (props.model == Model::Sink).then_some("crowded"))}>
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
            <Scenarios
                {lang}
                model={props.model}
                report={props.report}
                other={props.other.clone()}
                on={on.clone()}
            />
            <button
                class="quiet icon-button edit"
                onclick={act(Action::Look(Sight::Editor))}
                aria-pressed={(props.sight == Sight::Editor).to_string()}
                aria-label={label(lang, Label::Edit)}
                title={format!("{} (e)", label(lang, Label::Edit))}
                data-testid="edit"
            >
                { icon(Shape::Edit) }
            </button>
            <p class="scenario-name">
                // The bar of a report says it too, with what it is about.
                if props.report.is_none() {
                    { props.scenario.clone() }
                }
            </p>
            <Views {lang} model={props.model} sight={props.sight} on={on.clone()} />
            if let Some(guarantee) = props.guarantee {
                { sink_switch(lang, guarantee, props.model == Model::Sink, on) }
            }
            if let Some(cooperative) = props.cooperative {
                { termination_switch(lang, cooperative, on) }
            }
            <div class="top-tools">
                <button
                    class="quiet icon-button"
                    disabled={!props.can_undo}
                    onclick={act(Action::Undo)}
                    aria-label={label(lang, Label::Undo)}
                    title={label(lang, Label::Undo)}
                    data-testid="undo"
                >
                    { icon(Shape::Undo) }
                </button>
                <button
                    class="quiet icon-button"
                    onclick={act(Action::Share(true))}
                    aria-haspopup="dialog"
                    aria-label={label(lang, Label::Share)}
                    title={format!("{} (s)", label(lang, Label::Share))}
                    data-testid="share"
                >
                    { icon(Shape::Share) }
                </button>
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

/// The switch that decides the story: how the sink writes.
fn sink_switch(
    lang: Lang,
    guarantee: DeliveryGuarantee,
    has_brokers: bool,
    on: &Callback<Action>,
) -> Html {
    let sides = [
        (
            DeliveryGuarantee::None,
            Label::NoGuarantee,
            Label::NoGuaranteeHint,
            "sink-none",
        ),
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
                // Without brokers there is nothing that nobody could wait for.
                for (side, name, hint, id) in sides.into_iter().skip(usize::from(!has_brokers)) {
                    <button
                        aria-pressed={(side == guarantee).to_string()}
                        title={label(lang, hint)}
                        data-testid={id}
                        onclick={on.reform(move |_: MouseEvent| Action::Set(Knob::Guarantee(side)))}
                    >
                        { label(lang, name) }
                        // There is no room for the hints of all three.
                        if !has_brokers {
                            <small>{ label(lang, hint) }</small>
                        }
                    </button>
                }
            </div>
        </div>
    }
}

/// The switch that decides the story of two-phase commit: whom those in doubt ask.
fn termination_switch(lang: Lang, cooperative: bool, on: &Callback<Action>) -> Html {
    let sides = [
        (
            false,
            Label::AskCoordinator,
            Label::AskCoordinatorHint,
            "ask-coordinator",
        ),
        (true, Label::AskAll, Label::AskAllHint, "ask-all"),
    ];
    let set = |all: bool| {
        let field = Field::Borrowed("/protocol/cooperative_termination");
        Action::Set(Knob::Option(field, Value::Bool(all)))
    };
    html! {
        <div class="sink-switch" data-testid="termination-switch">
            <span class="sink-word">{ label(lang, Label::Termination) }</span>
            <div class="segmented" role="group" aria-label={label(lang, Label::Termination)}>
                for (side, name, hint, id) in sides {
                    <button
                        aria-pressed={(side == cooperative).to_string()}
                        title={label(lang, hint)}
                        data-testid={id}
                        onclick={on.reform(move |_: MouseEvent| set(side))}
                    >
                        { label(lang, name) }
                        <small>{ label(lang, hint) }</small>
                    </button>
                }
            </div>
        </div>
    }
}
