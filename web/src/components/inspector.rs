//! The panel on the right: the node that something happens at, and what may be done next.

use std::rc::Rc;

use barrierscope_core::id::NodeId;
use barrierscope_core::scene::{Wire, WireKind};
use yew::{Callback, Html, MouseEvent, Properties, classes, component, html};

use super::life::LifeOfARecord;
use super::option_name::breakable;
use super::runs::runs;
use crate::same::Same;
use crate::state::{Action, Life, Run, View, can_crash};
use crate::text::{self, Label, Lang, choice, label};

/// What the panel depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The language.
    pub lang: Lang,
    /// The node that is shown.
    pub inspected: Option<NodeId>,
    /// Whether it was selected, or is the one where something happened.
    pub is_selected: bool,
    /// Whether time passes.
    pub playing: bool,
    /// The life of a record that was asked for.
    pub life: Option<Same<Life>>,
    /// The runs.
    pub runs: Vec<Same<Run>>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The panel on the right.
#[component]
pub fn Inspector(props: &Props) -> Html {
    let lang = props.lang;
    // What was asked for stands before what may be done.
    let is_told = props.life.is_some();
    let life = html! {
        <LifeOfARecord view={Rc::clone(&props.view)} life={props.life.clone()} {lang} on={props.on.clone()} />
    };
    html! {
        <aside class="inspector panel" aria-label={label(lang, Label::Inspector)}>
            { runs(&props.view, &props.runs, lang, &props.on) }
            { node(props) }
            if is_told {
                { life }
                { next(props) }
            } else {
                { next(props) }
                { life }
            }
        </aside>
    }
}

fn node(props: &Props) -> Html {
    let (lang, view) = (props.lang, &props.view);
    let Some(node) = props.inspected.and_then(|id| view.node(id)) else {
        return html! {};
    };
    let id = node.id;
    let inputs: Vec<&Wire> = (view.scene.links.iter())
        .filter(|wire| wire.to == id && matches!(wire.kind, WireKind::Channel { .. }))
        .collect();
    let rows = text::rows(&view.lexicon(lang), node, &inputs);
    // The log of a partition that has brokers crashes with the one that leads it.
    let crash = can_crash(node) || view.crash_of(id).is_some();
    html! {
        <section class="facts">
            <header>
                <h2>{ text::kafka::name(lang, &view.scene.nodes, node) }</h2>
                if props.is_selected {
                    <button
                        class="link"
                        onclick={props.on.reform(|_: MouseEvent| Action::Select(None))}
                    >
                        { label(lang, Label::Follow) }
                    </button>
                }
            </header>
            <p class="hint">
                { text::kind(lang, &node.facts) }
                if !props.is_selected {
                    { " · " }
                    { label(lang, Label::Following) }
                }
            </p>
            <dl>
                for row in rows {
                    <div>
                        <dt>{ breakable(row.term) }</dt>
                        <dd>{ breakable(&row.text) }</dd>
                    </div>
                }
            </dl>
            if crash {
                <button
                    class="fault"
                    disabled={view.crash_of(id).is_none()}
                    onclick={props.on.reform(move |_: MouseEvent| Action::Crash(id))}
                    data-testid="crash-inspected"
                >
                    { label(lang, Label::Crash) }
                    <kbd>{ "c" }</kbd>
                </button>
            }
        </section>
    }
}

fn next(props: &Props) -> Html {
    let (lang, view) = (props.lang, &props.view);
    let lexicon = view.lexicon(lang);
    html! {
        <section class="next">
            <h2>{ label(lang, Label::Next) }</h2>
            if props.playing {
                <p class="hint">{ label(lang, Label::PauseToChoose) }</p>
            } else if view.choices.is_empty() {
                <p class="hint">{ label(lang, Label::NothingNext) }</p>
            } else {
                <ol data-testid="choices">
                    for (number, option) in view.choices.iter().enumerate() {
                        <li>
                            <button
                                data-testid="choice"
                                class={classes!("choice", option.is_fault().then_some("danger"))}
                                onclick={props.on.reform(move |_: MouseEvent| Action::Choose(number))}
                            >
                                <kbd>{ key(number) }</kbd>
                                <span>{ breakable(&choice(&lexicon, *option)) }</span>
                            </button>
                        </li>
                    }
                </ol>
                <p class="hint">{ label(lang, Label::NextHint) }</p>
            }
        </section>
    }
}

/// The key that does a choice, as far as there are keys.
fn key(number: usize) -> String {
    if number < 9 {
        (number + 1).to_string()
    } else {
        "·".to_owned()
    }
}
