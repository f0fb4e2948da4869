//! What can be broken in *votes*: the coordinator, the participants and messages.

use std::rc::Rc;

use barrierscope_core::id::NodeId;
use barrierscope_core::scene::votes::VotesChoice;
use barrierscope_core::scene::{Choice, Node};
use yew::{Callback, Html, Properties, component, html};

use super::deed::{Deed, deed};
use crate::state::{Action, View};
use crate::text::{self, Label, Lang, label};

/// What the section depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// What can be broken.
#[component]
pub fn Failures(props: &Props) -> Html {
    let lang = props.lang;
    html! {
        <>
            <h2>{ label(lang, Label::Break) }</h2>
            <div class="outages two">
                for node in props.view.scene.nodes.iter() {
                    { process(props, node) }
                }
            </div>
            <div class="crashes">
                { message(props, Label::LoseMessage, "lose-message", |choice| {
                    matches!(choice, VotesChoice::Lose { .. })
                }) }
                { message(props, Label::DuplicateMessage, "duplicate-message", |choice| {
                    matches!(choice, VotesChoice::Duplicate { .. })
                }) }
            </div>
            <p class="hint">{ label(lang, Label::BreakHint) }</p>
        </>
    }
}

fn find(view: &View, is_it: impl Fn(&VotesChoice) -> bool) -> Option<Choice> {
    let mut choices = view.choices.iter().copied();
    choices.find(|choice| matches!(choice, Choice::Votes(votes) if is_it(votes)))
}

/// A process: crash it, or stop it and recover it, which share a button.
fn process(props: &Props, node: &Node) -> Html {
    let (view, id) = (&props.view, node.id);
    let name = text::name(props.lang, node);
    let here = |at: NodeId| at == id;
    let crash = find(
        view,
        |it| matches!(it, VotesChoice::Crash { node } if here(*node)),
    );
    let stop = find(
        view,
        |it| matches!(it, VotesChoice::Stop { node } if here(*node)),
    );
    let back = find(
        view,
        |it| matches!(it, VotesChoice::Recover { node } if here(*node)),
    );
    let (word, second, look) = match back {
        Some(_) => (Label::Recovers, back, "request"),
        None => (Label::Halts, stop, "fault"),
    };
    let button = |word, found, look, id| {
        let button = Deed {
            word: label(props.lang, word).to_owned(),
            whom: Some(&name),
            found,
            when: Label::WhenUp,
            look,
            id,
        };
        deed(&props.view, props.lang, &props.on, button)
    };
    html! {
        <div class="outage" key={node.name.clone()}>
            <span class="outage-name" title={name.clone()}>{ name.clone() }</span>
            { button(Label::Crash, crash, "fault", format!("crash-{}", node.name)) }
            { button(word, second, look, format!("stop-{}", node.name)) }
        </div>
    }
}

/// A button for the first message on its way.
fn message(
    props: &Props,
    word: Label,
    id: &'static str,
    is_it: impl Fn(&VotesChoice) -> bool,
) -> Html {
    let button = Deed {
        word: label(props.lang, word).to_owned(),
        whom: None,
        found: find(&props.view, is_it),
        when: Label::WhenMessage,
        look: "fault",
        id: id.to_owned(),
    };
    deed(&props.view, props.lang, &props.on, button)
}
