//! The settings of *votes*: who takes part and how each one votes, the protocol, what breaks by itself, and times.

use barrierscope_core::scenario::Votes;
use serde_json::{Value, json};
use web_sys::{Event, HtmlInputElement};
use yew::{
    AttrValue, Callback, Html, MouseEvent, Properties, TargetCast, component, html, use_state_eq,
};

use super::knob::{Context, Refused, Words, below};
use super::option_knob::OptionKnob;
use crate::state::{Action, Field, Knob, Notice};
use crate::text::option::{self, Knob as Shown};
use crate::text::votes::face;
use crate::text::votes::plan::{Plan, crashes, messages};
use crate::text::{Label, Lang, label};

/// What the settings depend on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The scenario.
    pub scenario: Votes,
    /// The language.
    pub lang: Lang,
    /// The setting that was refused last, and why.
    pub refused: Option<Refused>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// What those are called who are added.
const NAMES: [&str; 9] = [
    "orders", "stock", "payments", "shipping", "invoices", "points", "mail", "audit", "search",
];

/// The settings.
#[component]
pub fn Voters(props: &Props) -> Html {
    let wants_more = use_state_eq(|| false);
    let toggle = {
        let wants_more = wants_more.clone();
        Callback::from(move |_: MouseEvent| wants_more.set(!*wants_more))
    };
    let (lang, scenario) = (props.lang, &props.scenario);
    let json: Value = serde_json::from_str(&scenario.to_json()).unwrap_or_default();
    let refused = props.refused.as_ref();
    let is_refused =
        |knob: &&Shown| refused.is_some_and(|it| it.field == format!("/{}", knob.path));
    let has_more = *wants_more
        || option::PROTOCOL_COSTS
            .iter()
            .filter(|it| it.more)
            .any(|it| is_refused(&it));
    let context = Context {
        lang,
        refused,
        on: &props.on,
    };
    let knob = |knob: &'static Shown| {
        let pointer = format!("/{}", knob.path);
        let value = json.pointer(&pointer);
        OptionKnob {
            knob,
            pointer,
            value,
            known: None,
        }
        .show(context)
    };
    let times = option::PROTOCOL_COSTS
        .iter()
        .filter(|it| has_more || !it.more);
    html! {
        <>
            <h2>{ label(lang, Label::PlanKnobs) }</h2>
            { plan(context, "/faults/schedule", &json, crashes(lang, scenario), Label::PlanCrash) }
            { plan(context, "/faults/messages", &json, messages(lang, scenario), Label::PlanMessage) }
            <h2>{ label(lang, Label::ProtocolKnobs) }</h2>
            for it in option::PROTOCOL.iter() {
                { knob(it) }
            }
            <h2>{ label(lang, Label::ParticipantKnobs) }</h2>
            { count(context, scenario, &json) }
            { votes(context, scenario) }
            <h2>{ label(lang, Label::CostKnobs) }</h2>
            for it in times {
                { knob(it) }
            }
            <button
                class="link more"
                aria-expanded={has_more.to_string()}
                onclick={toggle}
                data-testid="more-costs"
            >
                { label(lang, if has_more { Label::FewerKnobs } else { Label::MoreKnobs }) }
                { if has_more { " ▾" } else { " ▸" } }
            </button>
        </>
    }
}

fn set(pointer: &str, value: Value) -> Action {
    Action::Set(Knob::Option(Field::Owned(pointer.to_owned()), value))
}

/// A list of plans, of which one is in force; what none of them is, is called that of the scenario.
fn plan(
    context: Context<'_>,
    pointer: &'static str,
    json: &Value,
    plans: Vec<Plan>,
    name: Label,
) -> Html {
    let lang = context.lang;
    let in_force = json.pointer(pointer).cloned().unwrap_or_else(|| json!([]));
    let chosen = plans
        .iter()
        .position(|plan| is_alike(&plan.faults, &in_force));
    let mut options: Vec<(AttrValue, AttrValue)> = (plans.iter())
        .map(|plan| (plan.code.into(), plan.name.into()))
        .collect();
    if chosen.is_none() {
        options.push(("other".into(), label(lang, Label::PlanOther).into()));
    }
    let refused = Refused::reason(context.refused, pointer);
    let last = plans.len();
    let hint = match chosen.and_then(|at| plans.get(at)) {
        Some(plan) => plan.says.clone(),
        None => label(lang, Label::PlanOtherHint).to_owned(),
    };
    let faults: Vec<Value> = plans.into_iter().map(|plan| plan.faults).collect();
    let set = context.on.reform(move |picked: usize| {
        let faults = faults.get(picked).or(faults.first());
        set(pointer, faults.cloned().unwrap_or_else(|| json!([])))
    });
    html! {
        <label class="knob">
            <span class="knob-name">{ label(lang, name) }</span>
            <span class="field">
                <Words
                    {options}
                    chosen={chosen.unwrap_or(last)}
                    is_refused={refused.is_some()}
                    id={format!("knob{pointer}")}
                    {set}
                />
            </span>
            { below(hint, refused) }
        </label>
    }
}

/// Whether two lists of faults are the same, whether or not they say that the first time is meant.
fn is_alike(one: &Value, other: &Value) -> bool {
    fn explicit(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let kept = fields.iter().filter(|(name, value)| {
                    !(["number", "count"].contains(&name.as_str()) && **value == json!(1))
                });
                kept.map(|(name, value)| (name.clone(), explicit(value)))
                    .collect()
            }
            Value::Array(items) => items.iter().map(explicit).collect(),
            other => other.clone(),
        }
    }
    explicit(one) == explicit(other)
}

/// How many participants there are.
fn count(context: Context<'_>, scenario: &Votes, json: &Value) -> Html {
    let (lang, on) = (context.lang, context.on.clone());
    let pointer = "/participants";
    let refused = Refused::reason(context.refused, pointer);
    let known = json
        .pointer(pointer)
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let old = scenario.participants.len().to_string();
    let change = {
        let old = old.clone();
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let action = match input.value().trim().parse::<usize>() {
                // The core refuses too many, and says how many there may be.
                Ok(count @ 0..=99) => set(pointer, Value::Array(with_members(&known, count))),
                _ => Action::Notify(Notice {
                    about: Label::BadScenario,
                    detail: label(lang, Label::NeedsNumber).to_owned(),
                    field: Some(Field::Borrowed(pointer)),
                }),
            };
            // What is in force stands there until the page has another value for it.
            input.set_value(&old);
            on.emit(action);
        })
    };
    html! {
        <label class="knob">
            <span class="knob-name">{ label(lang, Label::ParticipantCount) }</span>
            <span class="field">
                <input
                    type="number"
                    min="1"
                    max={Votes::PARTICIPANTS.to_string()}
                    value={old}
                    aria-invalid={refused.is_some().to_string()}
                    onchange={change}
                    data-testid="knob/participants"
                />
            </span>
            { below(label(lang, Label::ParticipantCountHint), refused) }
        </label>
    }
}

/// So many participants: the first ones stay as they are.
fn with_members(known: &[Value], count: usize) -> Vec<Value> {
    let mut members: Vec<Value> = known.iter().take(count).cloned().collect();
    let is_taken = |members: &[Value], name: &str| {
        members
            .iter()
            .any(|member| member.get("name").and_then(Value::as_str) == Some(name))
    };
    let mut number = 0;
    while members.len() < count {
        number += 1;
        let name = match NAMES.get(number - 1) {
            Some(name) => (*name).to_owned(),
            None => format!("participant {number}"),
        };
        if !is_taken(&members, &name) {
            members.push(json!({ "name": name, "vote": "commit" }));
        }
    }
    members
}

/// How each of them votes.
fn votes(context: Context<'_>, scenario: &Votes) -> Html {
    use barrierscope_core::commit::Vote;
    let lang = context.lang;
    let row = |at: usize, name: &str, vote: Vote| {
        let pointer = format!("/participants/{at}/vote");
        let refused = Refused::reason(context.refused, &pointer);
        let options = [("commit", Vote::Commit), ("abort", Vote::Abort)]
            .map(|(code, vote)| (code.into(), face::vote_word(lang, vote).into()));
        let id = format!("knob{pointer}");
        let set = context.on.reform(move |picked: usize| {
            let word = if picked == 1 { "abort" } else { "commit" };
            set(&pointer, word.into())
        });
        html! {
            <label class="member" key={at}>
                <span>{ name.to_owned() }</span>
                <span class="field">
                    <Words
                        options={options.to_vec()}
                        chosen={usize::from(vote == Vote::Abort)}
                        is_refused={refused.is_some()}
                        {id}
                        {set}
                    />
                </span>
            </label>
        }
    };
    html! {
        <div class="members" role="group" aria-label={label(lang, Label::ParticipantVotes)}>
            for (at, member) in scenario.participants.iter().enumerate() {
                { row(at, &member.name, member.vote) }
            }
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_added_has_a_name_of_its_own() {
        let known = [json!({ "name": "stock", "vote": "abort" })];
        for count in 1..=9 {
            let members = with_members(&known, count);
            let names: std::collections::BTreeSet<String> =
                members.iter().map(|it| it["name"].to_string()).collect();
            assert_eq!(names.len(), count);
            assert_eq!(members[0], known[0]);
        }
        assert_eq!(with_members(&known, 0), Vec::<Value>::new());
    }
}
