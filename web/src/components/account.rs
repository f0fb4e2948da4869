//! The bar at the bottom: what the reader got, compared with what it should have got.

use std::rc::Rc;

use barrierscope_core::scenario::DeliveryGuarantee;
use barrierscope_core::scene::Facts;
use barrierscope_core::verdict::Verdict;
use yew::{Callback, Html, MouseEvent, Properties, classes, component, html, use_state_eq};

use super::icon::{Shape, icon};
use crate::state::View;
use crate::text::{Label, Lang, label, number, summary};

/// What the bar depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The language.
    pub lang: Lang,
}

/// So many witnesses are named; more would not be read.
const NAMED: usize = 60;

/// The bar at the bottom.
#[component]
pub fn AccountBar(props: &Props) -> Html {
    let is_open = use_state_eq(|| false);
    let (lang, verdict) = (props.lang, &props.view.verdict);
    let said = summary(lang, verdict, props.view.outcome(), level(&props.view));
    let (shape, look) = match said.right {
        Some(true) => (Shape::Right, "right"),
        Some(false) => (Shape::Wrong, "wrong"),
        None => (Shape::Neither, "open"),
    };
    let toggle = {
        let is_open = is_open.clone();
        Callback::from(move |_: MouseEvent| is_open.set(!*is_open))
    };
    let any = !verdict.witnesses.is_empty();
    html! {
        <footer
            class={classes!("account", "panel", look)}
            aria-label={label(lang, Label::Verdict)}
            data-testid="verdict"
            data-lost={verdict.lost.to_string()}
            data-doubled={verdict.doubled.to_string()}
            data-visible={verdict.visible.to_string()}
            data-total={verdict.total.to_string()}
        >
            <div class="figures">
                <div class="kept">
                    <span class="seal">{ icon(shape) }</span>
                    <div>
                        <strong>{ said.title }</strong>
                        <span>{ said.scope }</span>
                    </div>
                </div>
                { figure(lang, Label::Produced, verdict.read.into(), false) }
                { figure(lang, Label::Visible, verdict.visible.into(), false) }
                { figure(lang, Label::Lost, verdict.lost.into(), verdict.lost > 0) }
                { figure(lang, Label::Doubled, verdict.doubled.into(), verdict.doubled > 0) }
                { figure(lang, waiting(&props.view), verdict.waiting.into(), false) }
                if verdict.stuck > 0 {
                    { figure(lang, Label::Stuck, verdict.stuck.into(), false) }
                }
                if verdict.miscounted > 0 {
                    { figure(lang, Label::Miscounted, verdict.miscounted.into(), true) }
                }
                { figure(lang, Label::Shown, verdict.total, verdict.total > verdict.true_total) }
                { figure(lang, Label::Truth, verdict.true_total, false) }
                if any {
                    <button
                        class="link"
                        aria-expanded={is_open.to_string()}
                        onclick={toggle}
                        data-testid="name-witnesses"
                    >
                        { label(lang, Label::Witnesses) }
                        { if *is_open { " ▾" } else { " ▸" } }
                    </button>
                }
            </div>
            if any && *is_open {
                { witnesses(props, verdict) }
            }
        </footer>
    }
}

/// For whom the verdict holds.
fn level(view: &View) -> &'static str {
    let committed = view.scene.nodes.iter().any(|node| {
        matches!(
            node.facts,
            Facts::Reader {
                read_committed: true,
                ..
            }
        )
    });
    if committed {
        "read_committed"
    } else {
        "read_uncommitted"
    }
}

/// What the records that are read and not visible wait for.
fn waiting(view: &View) -> Label {
    let guarantee = view
        .run
        .with(|session| session.scenario().delivery_guarantee());
    match guarantee {
        Some(DeliveryGuarantee::AtLeastOnce) => Label::UnderWay,
        _ => Label::Waiting,
    }
}

fn figure(lang: Lang, name: Label, value: u64, wrong: bool) -> Html {
    html! {
        <div class={classes!(
            "figure",
            wrong.then_some("wrong"),
            match name {
                Label::Shown => Some("shown"),
                Label::Truth => Some("truth"),
                _ => None,
            },
        )}>
            <strong>{ number(value) }</strong>
            <span>{ label(lang, name) }</span>
        </div>
    }
}

fn witnesses(props: &Props, verdict: &Verdict) -> Html {
    let lexicon = props.view.lexicon(props.lang);
    let more = verdict.witnesses.len().saturating_sub(NAMED);
    html! {
        <ul class="witnesses" data-testid="witnesses">
            for witness in verdict.witnesses.iter().take(NAMED) {
                <li>
                    { lexicon.record(witness.record) }
                    <strong>
                        { if witness.copies == 0 {
                            label(props.lang, Label::Lost).to_owned()
                        } else {
                            format!("×{}", witness.copies)
                        } }
                    </strong>
                </li>
            }
            if more > 0 {
                <li>{ format!("+ {}", number(more as u64)) }</li>
            }
        </ul>
    }
}
