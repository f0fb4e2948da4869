//! The settings of *delivery* and *streams*, and of the Kafka that a job writes to: the options of clients, topics and
//! brokers.

use barrierscope_core::scenario::Story;
use serde_json::Value;
use web_sys::{Event, HtmlSelectElement};
use yew::{
    AttrValue, Callback, Html, MouseEvent, Properties, TargetCast, component, html, use_state_eq,
};

use super::knob::{Context, Refused};
use super::option_knob::OptionKnob;
use crate::state::{Action, by_default};
use crate::text::option::{self, Knob};
use crate::text::{Label, Lang, label};

/// What the settings depend on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The scenario.
    pub story: Story,
    /// The language.
    pub lang: Lang,
    /// The setting that was refused last, and why.
    pub refused: Option<Refused>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// What makes no difference to the Kafka that a job writes to, or is set elsewhere.
const NOT_OF_A_JOB: [&str; 4] = [
    "partitions",
    "retention.ms",
    "offsets.retention.minutes",
    "poll_ms",
];

/// The settings.
#[component]
pub fn Options(props: &Props) -> Html {
    let json: Value = serde_json::from_str(&props.story.as_ref().to_json()).unwrap_or_default();
    let lists = [
        (Label::ProducerKnobs, "producers", option::PRODUCER),
        (Label::ConsumerKnobs, "consumers", option::CONSUMER),
        (Label::StreamsKnobs, "streams", option::STREAMS),
        (Label::TopicKnobs, "topics", option::TOPIC),
    ];
    let section = |name: Label, bases: Vec<(String, String)>, knobs: &'static [Knob]| {
        html! {
            <Section
                key={label(Lang::En, name)}
                {name}
                {bases}
                {knobs}
                story={props.story.clone()}
                json={json.clone()}
                lang={props.lang}
                refused={props.refused.clone()}
                on={props.on.clone()}
            />
        }
    };
    if props.story.as_ref().pipeline().is_some() {
        let of = |base: &str| vec![(base.to_owned(), String::new())];
        return html! {
            <>
                { section(Label::SinkKnobs, of("/kafka/sink"), option::KAFKA_SINK) }
                { section(Label::OutputKnobs, of("/kafka"), option::TOPIC) }
                { section(Label::BrokerKnobs, of("/kafka/cluster"), option::CLUSTER) }
                { section(Label::KafkaCostKnobs, of("/kafka/costs"), option::COSTS) }
            </>
        };
    }
    html! {
        <>
            for (name, list, knobs) in lists {
                if let Some(items) = json.get(list).and_then(Value::as_array).filter(|items| !items.is_empty()) {
                    { section(name, bases(list, items), knobs) }
                }
            }
            { section(Label::ClusterKnobs, vec![("/cluster".to_owned(), String::new())], option::CLUSTER) }
            { section(Label::CostKnobs, vec![("/costs".to_owned(), String::new())], option::COSTS) }
            { section(Label::Chance, vec![(String::new(), String::new())], option::RUN) }
        </>
    }
}

/// The things of a list: where each stands, and what it is called.
fn bases(list: &str, items: &[Value]) -> Vec<(String, String)> {
    (items.iter().enumerate())
        .map(|(at, item)| {
            let name = item.get("name").and_then(Value::as_str).unwrap_or_default();
            (format!("/{list}/{at}"), name.to_owned())
        })
        .collect()
}

/// What a section depends on.
#[derive(Properties, Clone, PartialEq)]
struct SectionProps {
    name: Label,
    bases: Vec<(String, String)>,
    knobs: SameSlice,
    story: Story,
    json: Value,
    lang: Lang,
    refused: Option<Refused>,
    on: Callback<Action>,
}

/// Knobs that are the same if they are the same ones.
#[derive(Clone, Copy)]
struct SameSlice(&'static [Knob]);

impl PartialEq for SameSlice {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl From<&'static [Knob]> for SameSlice {
    fn from(knobs: &'static [Knob]) -> Self {
        Self(knobs)
    }
}

impl yew::html::IntoPropValue<SameSlice> for &'static [Knob] {
    fn into_prop_value(self) -> SameSlice {
        self.into()
    }
}

/// The settings of one of several things of a kind.
#[component]
fn Section(props: &SectionProps) -> Html {
    let chosen = use_state_eq(|| 0_usize);
    let wants_more = use_state_eq(|| false);
    let lang = props.lang;
    let at = (*chosen).min(props.bases.len().saturating_sub(1));
    let Some((base, name)) = props.bases.get(at) else {
        return html! {};
    };
    let pointer = |knob: &Knob| format!("{base}/{}", knob.path);
    let refused = props.refused.as_ref();
    let is_refused = |knob: &Knob| refused.is_some_and(|refused| refused.field == pointer(knob));
    let has_more = *wants_more
        || props
            .knobs
            .0
            .iter()
            .any(|knob| knob.more && is_refused(knob));
    let context = Context {
        lang,
        refused,
        on: &props.on,
    };
    let choose = {
        let chosen = chosen.clone();
        Callback::from(move |event: Event| {
            let list: HtmlSelectElement = event.target_unchecked_into();
            chosen.set(usize::try_from(list.selected_index()).unwrap_or(0));
        })
    };
    let toggle = {
        let wants_more = wants_more.clone();
        Callback::from(move |_: MouseEvent| wants_more.set(!*wants_more))
    };
    let shown = props.knobs.0.iter().filter(|knob| has_more || !knob.more);
    // A knob whose place is not there belongs to another way of writing the same thing.
    let shown = shown.filter(|knob| {
        let (parent, _) = knob.path.rsplit_once('/').unwrap_or(("", ""));
        let parent = if parent.is_empty() {
            base.clone()
        } else {
            format!("{base}/{parent}")
        };
        props.json.pointer(&parent).is_some_and(Value::is_object)
    });
    let is_of_job = base.starts_with("/kafka");
    let shown = shown.filter(|knob| !is_of_job || !NOT_OF_A_JOB.contains(&knob.path));
    html! {
        <>
            <h2>
                { label(lang, props.name) }
                if props.bases.len() == 1 && !name.is_empty() {
                    <span class="which">{ name.clone() }</span>
                }
            </h2>
            if props.bases.len() > 1 {
                <div class="field which">
                    <select onchange={choose} aria-label={label(lang, Label::Which)}>
                        for (number, (_, name)) in props.bases.iter().enumerate() {
                            <option value={number.to_string()} selected={number == at}>{ name.clone() }</option>
                        }
                    </select>
                </div>
            }
            for knob in shown {
                { option(props, knob, pointer(knob), context) }
            }
            if props.knobs.0.iter().any(|knob| knob.more) {
                <button
                    class="link more"
                    aria-expanded={has_more.to_string()}
                    onclick={toggle}
                    data-testid={AttrValue::from(format!("more-{}", more_of(base)))}
                >
                    { label(lang, if has_more { Label::FewerKnobs } else { Label::MoreKnobs }) }
                    { if has_more { " ▾" } else { " ▸" } }
                </button>
            }
        </>
    }
}

/// By what tests find the button for more of a section: the name of its list, or, of a job's Kafka, its own.
fn more_of(base: &str) -> &str {
    let base = base.trim_start_matches('/');
    match base.strip_prefix("kafka/") {
        Some(own) => own,
        None => base.split('/').next().unwrap_or_default(),
    }
}

fn option(
    props: &SectionProps,
    knob: &'static Knob,
    pointer: String,
    context: Context<'_>,
) -> Html {
    let known = by_default(&props.story, &pointer);
    let value = props.json.pointer(&pointer);
    let option = OptionKnob {
        knob,
        pointer,
        value,
        known,
    };
    option.show(context)
}
