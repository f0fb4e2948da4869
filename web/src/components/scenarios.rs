//! The list of models, each with the scenario it starts with.

use barrierscope_core::scenario::votes::VOTES_COOPERATIVE;
use web_sys::{Event, HtmlSelectElement};
use yew::{AttrValue, Callback, Html, Properties, TargetCast, component, html};

use crate::state::{Action, Model, Reported};
use crate::text::{Label, Lang, label};

/// What stands for the second scenario of two-phase commit.
const COOPERATIVE: &str = "votes-cooperative";
/// The same, of a scenario that is none of the list's.
const OTHER: &str = "other";

/// What the list depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The language.
    pub lang: Lang,
    /// The model of the run.
    pub model: Model,
    /// The fault report that the run is of, if it is one.
    pub report: Option<Reported>,
    /// What the scenario is called, if it is neither a report's nor one of the list's.
    pub other: Option<AttrValue>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The list of what can be opened.
#[component]
pub fn Scenarios(props: &Props) -> Html {
    let lang = props.lang;
    let open = match (props.report, &props.other) {
        (Some(reported), _) => reported.with_fix(false).code(),
        (None, Some(_)) => OTHER.to_owned(),
        (None, None) => props.model.code().to_owned(),
    };
    // What is open is no model's own scenario: each of those can be picked.
    let own = match (props.report, &props.other) {
        (Some(reported), _) => Some(AttrValue::from(reported.report().id)),
        (None, other) => other.clone(),
    };
    let is_other = own.is_some();
    let choose = {
        let (on, open) = (props.on.clone(), open.clone());
        Callback::from(move |event: Event| {
            let list: HtmlSelectElement = event.target_unchecked_into();
            let picked = list.value();
            // The list says what is shown, until something else is.
            list.set_value(&open);
            let model = Model::ALL.into_iter().find(|model| model.code() == picked);
            if picked == COOPERATIVE {
                on.emit(Action::Open(VOTES_COOPERATIVE.to_owned()));
                return;
            }
            if let Some(model) = model {
                on.emit(Action::Model(model));
            }
        })
    };
    html! {
        <select
            class="models"
            key={open.clone()}
            aria-label={label(lang, Label::Model)}
            onchange={choose}
            data-testid="model"
        >
            if let Some(own) = own {
                <option value={open.clone()} selected=true hidden=true>{ own }</option>
            }
            <optgroup label={label(lang, Label::Models)}>
                for known in Model::ALL {
                    <option
                        value={known.code()}
                        selected={!is_other && known == props.model}
                    >
                        { name(lang, known) }
                    </option>
                }
                <option value={COOPERATIVE}>{ label(lang, Label::VotesCooperative) }</option>
            </optgroup>
        </select>
    }
}

const fn name(lang: Lang, model: Model) -> &'static str {
    label(
        lang,
        match model {
            Model::Pipeline => Label::Pipeline,
            Model::Sink => Label::KafkaToKafka,
            Model::Delivery => Label::Delivery,
            Model::Streams => Label::Streams,
            Model::Votes => Label::Votes,
        },
    )
}
