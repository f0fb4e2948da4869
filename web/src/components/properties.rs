//! The bar at the bottom of two-phase commit: the properties of atomic commitment, and what it has cost.

use std::rc::Rc;

use barrierscope_core::id::NodeId;
use barrierscope_core::scene::Facts;
use barrierscope_core::scene::votes::{PropertyStatus, PropertyView};
use yew::{Callback, Html, MouseEvent, Properties, classes, component, html};

use super::icon::{Shape, icon};
use crate::state::{Action, View};
use crate::text::votes::{names, property};
use crate::text::{Label, Lang, label, number};

/// What the bar depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The bar at the bottom.
#[component]
pub fn PropertiesBar(props: &Props) -> Html {
    let (lang, view) = (props.lang, &props.view);
    let blocked: Vec<NodeId> = (view.scene.nodes.iter())
        .filter(
            |node| matches!(&node.facts, Facts::Participant(view) if view.blocked_since.is_some()),
        )
        .map(|node| node.id)
        .collect();
    let waiting = names(lang, &view.scene.nodes, &blocked);
    let [title, scope] = property::summary(lang, &view.properties, &waiting);
    let (look, shape) = look(&view.properties, !blocked.is_empty());
    html! {
        <footer
            class={classes!("account", "properties", "panel", look)}
            aria-label={label(lang, Label::Properties)}
            data-testid="verdict"
            data-blocked={blocked.len().to_string()}
        >
            <div class="figures">
                <div class="kept">
                    <span class="seal">{ icon(shape) }</span>
                    <div>
                        <strong>{ title }</strong>
                        <span>{ scope }</span>
                    </div>
                </div>
                <ul class="demands">
                    for known in view.properties.iter() {
                        { demand(props, known) }
                    }
                </ul>
                <div class="costs">
                    { figure(lang, Label::ForcedWrites, view.costs.forced) }
                    { figure(lang, Label::LazyWrites, view.costs.lazy) }
                    { figure(lang, Label::MessagesSent, view.costs.messages) }
                </div>
            </div>
        </footer>
    }
}

/// How the whole looks: broken before blocked, blocked before undecided.
fn look(views: &[PropertyView], is_blocked: bool) -> (&'static str, Shape) {
    let any = |is_it: fn(&PropertyView) -> bool| views.iter().any(is_it);
    if any(|view| matches!(view.status, PropertyStatus::Broken(_))) {
        ("wrong", Shape::Wrong)
    } else if is_blocked {
        ("open stuck", Shape::Neither)
    } else if any(|view| view.status == PropertyStatus::NotYet) {
        ("open", Shape::Neither)
    } else {
        ("right", Shape::Right)
    }
}

/// A property, and whether it holds: if it is broken, with the way to the step that broke it.
fn demand(props: &Props, known: &PropertyView) -> Html {
    let (lang, view) = (props.lang, &props.view);
    let (look, sign) = match known.status {
        PropertyStatus::Holds => ("holds", "✓"),
        PropertyStatus::NotYet => ("not-yet", "…"),
        PropertyStatus::Broken(_) => ("broken", "✕"),
    };
    let about = property::about(lang, &view.scene.nodes, known);
    let broken = view
        .broken_at
        .iter()
        .find(|(which, _)| *which == known.property);
    let code = property::code(known.property);
    html! {
        <li
            class={classes!("demand", look)}
            title={property::demand(lang, known.property)}
            data-testid={code.to_ascii_lowercase()}
            data-status={look}
        >
            <span class="demand-name">
                <i aria-hidden="true">{ sign }</i>
                { format!("{code} {}", property::name(lang, known.property)) }
            </span>
            <span class="demand-status">
                { property::status(lang, known.status) }
                if let Some((_, step)) = broken.copied() {
                    <button
                        class="link"
                        title={label(lang, Label::BrokenAt)}
                        onclick={props.on.reform(move |_: MouseEvent| Action::Visit(step))}
                    >
                        { match lang {
                            Lang::En => format!("at step {}", number(step as u64)),
                            Lang::Zh => format!("第 {} 步", number(step as u64)),
                        } }
                    </button>
                }
            </span>
            if !about.is_empty() {
                <span class="demand-who">{ about }</span>
            }
        </li>
    }
}

fn figure(lang: Lang, name: Label, count: u32) -> Html {
    html! {
        <div class="figure">
            <strong>{ number(count.into()) }</strong>
            <span>{ label(lang, name) }</span>
        </div>
    }
}
