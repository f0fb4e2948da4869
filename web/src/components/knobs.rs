//! The panel on the left: what can be set, and what can be broken.

use std::rc::Rc;

use barrierscope_core::scenario::{Dataset, Scenario, Story, Workload};
use web_sys::{Event, HtmlInputElement};
use yew::{Callback, Html, MouseEvent, Properties, TargetCast, component, html};

use super::failures::Failures;
use super::faults::Faults;
use super::knob::Refused;
use super::options::Options;
use super::outages::Outages;
use super::settings::Settings;
use super::voters::Voters;
use crate::browser::read_file;
use crate::state::{Action, View};
use crate::text::{Label, Lang, label};

/// What the panel depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The language.
    pub lang: Lang,
    /// The setting that was refused last, and why.
    pub refused: Option<Refused>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The panel on the left.
#[component]
pub fn Knobs(props: &Props) -> Html {
    let lang = props.lang;
    let (view, on, refused) = (
        Rc::clone(&props.view),
        props.on.clone(),
        props.refused.clone(),
    );
    let story = view.run.with(|session| session.story().to_story());
    let (inside, credit) = match story {
        Story::Pipeline(scenario) => {
            let credit = credit(lang, &scenario);
            let has_story = credit.is_some();
            let inside = html! {
                <>
                    <Faults view={Rc::clone(&view)} {lang} {has_story} on={on.clone()} />
                    if scenario.kafka.is_some() {
                        <Outages {view} {lang} of_job=true on={on.clone()} />
                    }
                    <Settings {scenario} {lang} {refused} {on} />
                </>
            };
            (inside, credit)
        }
        Story::Delivery(scenario) => {
            let inside = html! {
                <>
                    <Outages {view} {lang} on={on.clone()} />
                    <Options story={Story::Delivery(scenario)} {lang} {refused} {on} />
                </>
            };
            (inside, None)
        }
        Story::Votes(scenario) => {
            let inside = html! {
                <>
                    <Failures {view} {lang} on={on.clone()} />
                    <Voters {scenario} {lang} {refused} {on} />
                </>
            };
            (inside, None)
        }
    };
    html! {
        <aside class="knobs panel" aria-label={label(lang, Label::Knobs)}>
            <button
                class="quiet icon-button knobs-close"
                onclick={props.on.reform(|_: MouseEvent| Action::Knobs(false))}
                aria-label={label(lang, Label::HideKnobs)}
                title={label(lang, Label::HideKnobs)}
                data-testid="close-knobs"
            >
                { "✕" }
            </button>
            { inside }
            { open_scenario(lang, credit, &props.on) }
        </aside>
    }
}

/// Whom the data comes from, where it is not the scenario's own.
fn credit(lang: Lang, scenario: &Scenario) -> Option<&'static str> {
    let mut workloads = scenario.inputs.iter().map(|input| &input.workload);
    workloads.find_map(|workload| match workload {
        Workload::Dataset(Dataset::Confirmed20200414) => Some(label(lang, Label::Credit)),
        Workload::Records(_) | Workload::Numbered { .. } => None,
    })
}

/// The button that opens a scenario from a file: a label, so that the browser's own file button does it.
fn open_scenario(lang: Lang, credit: Option<&'static str>, on: &Callback<Action>) -> Html {
    let on = on.clone();
    let read = Callback::from(move |event: Event| {
        let input: HtmlInputElement = event.target_unchecked_into();
        if let Some(file) = input.files().and_then(|files| files.get(0)) {
            read_file(file, on.clone());
        }
        // So that the same file can be chosen again.
        input.set_value("");
    });
    html! {
        <div class="open-scenario">
            <label class="file">
                { label(lang, Label::OpenScenario) }
                <input
                    class="unseen"
                    type="file"
                    accept=".json,application/json"
                    onchange={read}
                    data-testid="scenario-file"
                />
            </label>
            <p class="hint">{ label(lang, Label::OpenHint) }</p>
            if let Some(credit) = credit {
                <p class="hint credit">{ credit }</p>
            }
        </div>
    }
}
