//! The bar at the bottom: what the reader got, compared with what it should have got.

use std::rc::Rc;

use barrierscope_core::scenario::DeliveryGuarantee;
use barrierscope_core::scene::Facts;
use barrierscope_core::verdict::Verdict;
use yew::{Callback, Html, MouseEvent, Properties, classes, component, html, use_state_eq};

use super::icon::{Shape, icon};
use crate::state::{Outcome, View};
use crate::text::kafka::face;
use crate::text::{self, Label, Lang, label, number, summary};

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
    let (view, outcome) = (&props.view, props.view.outcome());
    let mut said = summary(lang, verdict, outcome, &level(view, lang));
    let is_kafka = is_kafka(view);
    if is_kafka && outcome == Outcome::Open {
        said.title = face::kept(lang, verdict);
        said.right = said.right.filter(|right| !right || verdict.failed == 0);
    }
    let [read, doubled, shown, truth] = if is_kafka {
        [Label::Sent, Label::Twice, Label::SumSeen, Label::TrueSum]
    } else {
        [Label::Produced, Label::Doubled, Label::Shown, Label::Truth]
    };
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
                { figure(lang, read, verdict.read.into(), false) }
                { figure(lang, Label::Visible, verdict.visible.into(), false) }
                { figure(lang, Label::Lost, verdict.lost.into(), verdict.lost > 0) }
                { figure(lang, doubled, verdict.doubled.into(), verdict.doubled > 0) }
                { figure(lang, waiting(&props.view), verdict.waiting.into(), false) }
                if verdict.stuck > 0 {
                    { figure(lang, Label::Stuck, verdict.stuck.into(), false) }
                }
                if verdict.miscounted > 0 {
                    { figure(lang, Label::Miscounted, verdict.miscounted.into(), true) }
                }
                if verdict.failed > 0 {
                    { figure(lang, Label::Failed, verdict.failed.into(), false) }
                }
                { figure(lang, shown, verdict.total, verdict.total > verdict.true_total) }
                { figure(lang, truth, verdict.true_total, false) }
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
            if is_kafka {
                { others(view, lang) }
            }
            if any && *is_open {
                { witnesses(props, verdict) }
            }
        </footer>
    }
}

/// Whether the run is one of Kafka's clients and brokers alone.
fn is_kafka(view: &View) -> bool {
    view.run
        .with(|session| session.story().delivery().is_some())
}

/// What those see whom the verdict is not about.
fn others(view: &View, lang: Lang) -> Html {
    let others = view
        .scene
        .nodes
        .iter()
        .filter_map(|node| match &node.facts {
            Facts::Audience(seen) if !seen.judged => {
                let name = text::kafka::name(lang, &view.scene.nodes, node);
                Some((name, &seen.verdict))
            }
            _ => None,
        });
    html! {
        <p class="others">
            <span>{ label(lang, Label::Others) }{ lang.pick(":", "：") }</span>
            for (name, verdict) in others {
                <span>
                    { name }
                    { " " }
                    <strong>{ face::kept(lang, verdict) }</strong>
                    for (count, wrong) in face::counts(lang, verdict) {
                        <span class={classes!("count", wrong.then_some("wrong"))}>{ count }</span>
                    }
                </span>
            }
        </p>
    }
}

/// For whom the verdict holds.
fn level(view: &View, lang: Lang) -> String {
    let judged = view
        .scene
        .nodes
        .iter()
        .find(|node| matches!(&node.facts, Facts::Audience(seen) if seen.judged));
    if let Some(judged) = judged {
        return text::kafka::name(lang, &view.scene.nodes, judged);
    }
    let committed = view.scene.nodes.iter().any(|node| {
        matches!(
            node.facts,
            Facts::Reader {
                read_committed: true,
                ..
            }
        )
    });
    let level = if committed {
        "read_committed"
    } else {
        "read_uncommitted"
    };
    level.to_owned()
}

/// What the records that are read and not visible wait for.
fn waiting(view: &View) -> Label {
    let guarantee = view
        .run
        .with(|session| session.story().pipeline()?.delivery_guarantee());
    match guarantee {
        None | Some(DeliveryGuarantee::AtLeastOnce) => Label::UnderWay,
        Some(DeliveryGuarantee::ExactlyOnce) => Label::Waiting,
    }
}

fn figure(lang: Lang, name: Label, value: u64, wrong: bool) -> Html {
    html! {
        <div class={classes!(
            "figure",
            wrong.then_some("wrong"),
            match name {
                Label::Shown => Some("shown"),
                Label::Truth | Label::SumSeen | Label::TrueSum => Some("truth"),
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
