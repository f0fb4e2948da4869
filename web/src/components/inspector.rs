//! The panel on the right: the node that something happens at, and what may be done next.

use std::rc::Rc;

use barrierscope_core::id::NodeId;
use barrierscope_core::scene::{Wire, WireKind};
use yew::{Callback, Html, MouseEvent, Properties, component, html};

use super::life::LifeOfARecord;
use super::next::next;
use super::option_name::breakable;
use crate::same::Same;
use crate::state::{Action, Life, View, can_crash};
use crate::text::{self, Label, Lang, label};

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
        <LifeOfARecord
            view={Rc::clone(&props.view)}
            life={props.life.clone()}
            playing={props.playing}
            {lang}
            on={props.on.clone()}
        />
    };
    html! {
        <aside class="inspector panel" aria-label={label(lang, Label::Inspector)}>
            { node(props) }
            if is_told {
                { life }
                { next(&props.view, lang, props.playing, &props.on) }
            } else {
                { next(&props.view, lang, props.playing, &props.on) }
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
