//! The list of models, each with the scenario it starts with.

use barrierscope_core::scenario::votes::VOTES_COOPERATIVE;
use web_sys::{Event, HtmlSelectElement};
use yew::{Callback, Html, Properties, TargetCast, component, html};

use crate::state::{Action, Model, Reported};
use crate::text::{Label, Lang, label};

/// What stands for the second scenario of two-phase commit.
const COOPERATIVE: &str = "votes-cooperative";

/// What the list depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The language.
    pub lang: Lang,
    /// The model of the run.
    pub model: Model,
    /// The fault report that the run is of, if it is one.
    pub report: Option<Reported>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The list of what can be opened.
#[component]
pub fn Scenarios(props: &Props) -> Html {
    let lang = props.lang;
    let open = match props.report {
        Some(reported) => reported.with_fix(false).code(),
        None => props.model.code().to_owned(),
    };
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
            if let Some(reported) = props.report {
                // What is open is no model's own scenario: each of those can be picked.
                <option value={open.clone()} selected=true hidden=true>
                    { reported.report().id }
                </option>
            }
            <optgroup label={label(lang, Label::Models)}>
                for known in Model::ALL {
                    <option
                        value={known.code()}
                        selected={props.report.is_none() && known == props.model}
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
