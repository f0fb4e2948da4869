//! What can be broken in *delivery* and *streams*: clients, brokers, coordinators and messages.

use std::rc::Rc;

use barrierscope_core::id::NodeId;
use barrierscope_core::scenario::delivery::Part;
use barrierscope_core::scene::{Choice, Facts, KafkaChoice};
use yew::{Callback, Html, Properties, classes, component, html};

use super::deed::{Deed, deed};
use crate::state::{Action, View, broker_of};
use crate::text::{self, Label, Lang, label};

/// What the section depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The language.
    pub lang: Lang,
    /// Whether it is about the Kafka that a job writes to: its clients are broken elsewhere.
    #[prop_or_default]
    pub of_job: bool,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// What one may do to something.
type Does = fn(&KafkaChoice) -> bool;

/// What can be broken.
#[component]
pub fn Outages(props: &Props) -> Html {
    let (lang, view) = (props.lang, &props.view);
    let mut brokers: Vec<u16> = (view.scene.nodes.iter())
        .filter_map(|node| match &node.facts {
            Facts::Replica(replica) => Some(replica.broker),
            _ => None,
        })
        .collect();
    brokers.sort_unstable();
    brokers.dedup();
    let clients = view.scene.nodes.iter().filter(|node| {
        matches!(
            node.facts,
            Facts::Producer(_) | Facts::Consumer(_) | Facts::Streams { .. }
        )
    });
    let coordinators = (view.scene.nodes.iter())
        .filter(|node| matches!(node.facts, Facts::Transactions(_) | Facts::Groups(_)));
    html! {
        <>
            <h2>{ label(lang, if props.of_job { Label::BreakKafka } else { Label::Break }) }</h2>
            <div class="outages">
                for node in clients {
                    { line(props, text::name(lang, node), &node.name, Whom::Node(node.id), 3) }
                }
                for broker in brokers {
                    { line(props, format!("broker {broker}"), &format!("broker-{broker}"), Whom::Broker(broker), 3) }
                }
                for node in coordinators {
                    { line(props, text::name(lang, node), &node.name, Whom::Node(node.id), 1) }
                }
            </div>
            <div class="crashes">
                { single(props, Label::LoseRequest, Label::WhenMessage, "lose-request", |choice| {
                    matches!(choice, KafkaChoice::Lose { part: Part::Request, .. })
                }) }
                { single(props, Label::LoseResponse, Label::WhenMessage, "lose-response", |choice| {
                    matches!(choice, KafkaChoice::Lose { part: Part::Response, .. })
                }) }
                { single(props, Label::LosesLog, Label::WhenNow, "lose-log", |choice| {
                    matches!(choice, KafkaChoice::LoseLog { .. })
                }) }
                { single(props, Label::StepClockBack, Label::WhenNow, "step-clock-back", |choice| {
                    matches!(choice, KafkaChoice::StepClockBack { .. })
                }) }
            </div>
            if !props.of_job {
                <p class="hint">{ label(lang, Label::BreakHint) }</p>
            }
        </>
    }
}

/// What breaks.
#[derive(Clone, Copy)]
enum Whom {
    Node(NodeId),
    Broker(u16),
}

impl Whom {
    fn is_meant_by(self, choice: Choice) -> bool {
        match self {
            Self::Node(id) => broker_of(choice).is_none() && choice.node() == id,
            Self::Broker(broker) => broker_of(choice) == Some(broker),
        }
    }
}

fn find(view: &View, is_it: impl Fn(&KafkaChoice) -> bool, whom: Option<Whom>) -> Option<Choice> {
    view.choices.iter().copied().find(|choice| {
        matches!(choice, Choice::Kafka(kafka) if is_it(kafka))
            && whom.is_none_or(|whom| whom.is_meant_by(*choice))
    })
}

/// A client, a broker or a coordinator, with what one may do to it: crash, pause, stop; each of the last
/// two and what undoes it share a button.
fn line(props: &Props, name: String, id: &str, whom: Whom, deeds: usize) -> Html {
    let all: [(Label, Does, Label, Does, &str); 3] = [
        (
            Label::Crash,
            |choice| matches!(choice, KafkaChoice::Crash { .. }),
            Label::Crash,
            |_| false,
            "crash",
        ),
        (
            Label::Pauses,
            |choice| matches!(choice, KafkaChoice::Pause { .. }),
            Label::Resumes,
            |choice| matches!(choice, KafkaChoice::Resume { .. }),
            "pause",
        ),
        (
            Label::Stops,
            |choice| matches!(choice, KafkaChoice::Stop { .. }),
            Label::Starts,
            |choice| matches!(choice, KafkaChoice::Start { .. }),
            "stop",
        ),
    ];
    html! {
        <div class={classes!("outage", (deeds == 1).then_some("single"))} key={id.to_owned()}>
            <span class="outage-name" title={name.clone()}>{ name.clone() }</span>
            for (word, does, undo_word, undoes, what) in all.into_iter().take(deeds) {
                { {
                    let undo = find(&props.view, undoes, Some(whom));
                    let found = undo.or_else(|| find(&props.view, does, Some(whom)));
                    let word = if undo.is_some() { undo_word } else { word };
                    let button = Deed {
                        word: label(props.lang, word).to_owned(),
                        whom: Some(&name),
                        found,
                        when: Label::WhenUp,
                        look: if undo.is_some() { "request" } else { "fault" },
                        id: format!("{what}-{id}"),
                    };
                    deed(&props.view, props.lang, &props.on, button)
                } }
            }
        </div>
    }
}

/// A button for the first choice of a kind.
fn single(props: &Props, word: Label, when: Label, id: &'static str, is_it: Does) -> Html {
    let button = Deed {
        word: label(props.lang, word).to_owned(),
        whom: None,
        found: find(&props.view, is_it, None),
        when,
        look: "fault",
        id: id.to_owned(),
    };
    deed(&props.view, props.lang, &props.on, button)
}
