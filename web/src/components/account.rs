//! The bar at the bottom: what the reader got, compared with what it should have got.

use std::rc::Rc;

use barrierscope_core::id::RecordId;
use barrierscope_core::scenario::DeliveryGuarantee;
use barrierscope_core::scene::Facts;
use barrierscope_core::verdict::{Held, Verdict};
use yew::{Callback, Html, MouseEvent, Properties, classes, component, html, use_state_eq};

use super::icon::{Shape, icon};
use super::promises::promises;
use crate::state::{Action, Model, Outcome, Sight, View};
use crate::text::kafka::stuck_behind;
use crate::text::kafka::tally::{Kept, Tally};
use crate::text::{self, Label, Lang, label, number, summary};

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

/// So many witnesses are named; more would not be read.
const NAMED: usize = 60;

/// The table that says what is guaranteed, if there is one for a model.
const fn table_of(model: Model) -> Option<Sight> {
    match model {
        Model::Delivery => Some(Sight::Guarantees),
        Model::Pipeline | Model::Sink => Some(Sight::FaultMatrix),
        Model::Streams | Model::Votes => None,
    }
}

/// The bar at the bottom.
#[component]
pub fn AccountBar(props: &Props) -> Html {
    let is_open = use_state_eq(|| false);
    let (lang, verdict) = (props.lang, &props.view.verdict);
    let (view, outcome) = (&props.view, props.view.outcome());
    let mut said = summary(lang, verdict, outcome, &level(view, lang));
    let tally = judged(view);
    let mut look = match said.right {
        Some(true) => "right",
        Some(false) => "wrong",
        None => "open",
    };
    if let Some(tally) = tally.filter(|_| matches!(outcome, Outcome::Open | Outcome::Unread)) {
        let kept = tally.kept();
        said.title = kept.word(lang);
        said.right = kept.right();
        look = match kept.right() {
            Some(true) => "right",
            Some(false) => "wrong",
            None if kept == Kept::Stuck => "open stuck",
            None => "open",
        };
    }
    let shape = match said.right {
        Some(true) => Shape::Right,
        Some(false) => Shape::Wrong,
        None => Shape::Neither,
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
                        if let Some(table) = table_of(view.run.model()) {
                            // What one run comes to is one question, what is guaranteed is another.
                            <button
                                class="link to-guarantees"
                                onclick={props.on.reform(move |_: MouseEvent| Action::Look(table))}
                                data-testid="to-guarantees"
                            >
                                if table == Sight::FaultMatrix {
                                    <span class="at-every">{ label(lang, Label::AtEveryCrashPoint) }</span>
                                    { label(lang, Label::FaultMatrix) }
                                } else {
                                    { label(lang, Label::WhatIsGuaranteed) }
                                }
                            </button>
                        }
                    </div>
                </div>
                if let Some(tally) = tally {
                    { kafka_figures(lang, &verdict.held, &tally) }
                } else {
                    { figures(view, lang, verdict) }
                }
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
            { promises(view, lang) }
            if tally.is_some() {
                { others(view, lang) }
            }
            if any && *is_open {
                { witnesses(props, verdict) }
            }
        </footer>
    }
}

/// What those see whom the verdict of a run between Kafka's clients and brokers is about; none for any other
/// run.
fn judged(view: &View) -> Option<Tally> {
    view.scene.nodes.iter().find_map(|node| match &node.facts {
        Facts::Audience(seen) if seen.judged => Some(Tally::of(&view.scene.nodes, seen)),
        _ => None,
    })
}

/// The figures of a job.
fn figures(view: &View, lang: Lang, verdict: &Verdict) -> Html {
    html! {
        <>
            { figure(lang, Label::Produced, verdict.read.into(), false) }
            { figure(lang, Label::Visible, verdict.visible.into(), false) }
            { figure(lang, Label::Lost, verdict.lost.into(), verdict.lost > 0) }
            { figure(lang, Label::Doubled, verdict.doubled.into(), verdict.doubled > 0) }
            { figure(lang, waiting(view), verdict.waiting.into(), false) }
            if verdict.stuck > 0 {
                { figure(lang, Label::Stuck, verdict.stuck.into(), false) }
            }
            if verdict.miscounted > 0 {
                { figure(lang, Label::Miscounted, verdict.miscounted.into(), true) }
            }
            if verdict.failed > 0 {
                { figure(lang, Label::Failed, verdict.failed.into(), false) }
            }
            { figure(lang, Label::Shown, verdict.total, verdict.total > verdict.true_total) }
            { figure(lang, Label::Truth, verdict.true_total, false) }
        </>
    }
}

/// The figures between Kafka's clients and brokers: the records that are to be seen, and what has become of
/// them, which adds up; and beside them, what is seen too often.
fn kafka_figures(lang: Lang, held: &[Held], tally: &Tally) -> Html {
    let part = |name: &'static str, count: u32, look: Option<&'static str>| {
        html! {
            <div class={classes!("figure", look)}>
                <strong>{ number(count.into()) }</strong>
                <span>{ name }</span>
            </div>
        }
    };
    let wrong = |count: u32| (count > 0).then_some("wrong");
    let mut parts = vec![
        (label(lang, Label::Seen), tally.seen, None),
        (label(lang, Label::Lost), tally.lost, wrong(tally.lost)),
    ];
    // Those that there may be.
    if tally.failed > 0 {
        parts.push((label(lang, Label::Failed), tally.failed, Some("wrong")));
    }
    for (why, count) in stuck_behind(lang, held) {
        parts.push((why, count, Some("stuck")));
    }
    if tally.waiting > 0 {
        parts.push((label(lang, Label::UnderWay), tally.waiting, None));
    }
    html! {
        <>
            <div class="sum">
                { part(label(lang, Label::Records), tally.expected, None) }
                for (at, (name, count, look)) in parts.into_iter().enumerate() {
                    <span class="sign" aria-hidden="true">{ if at == 0 { "=" } else { "+" } }</span>
                    { part(name, count, look) }
                }
            </div>
            { part(label(lang, Label::Twice), tally.doubled, wrong(tally.doubled)) }
            if tally.aborted > 0 {
                { part(label(lang, Label::AbortedSeen), tally.aborted, wrong(tally.aborted)) }
            }
            if tally.copies != tally.seen {
                { part(label(lang, Label::Copies), tally.copies, None) }
            }
        </>
    }
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
                Some((name, Tally::of(&view.scene.nodes, seen)))
            }
            _ => None,
        });
    html! {
        <p class="others">
            <span>{ label(lang, Label::Others) }{ lang.pick(":", "：") }</span>
            for (name, tally) in others {
                <span>
                    { name }
                    { " " }
                    <strong>{ tally.kept().word(lang) }</strong>
                    for (count, wrong) in tally.counts(lang) {
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
        None | Some(DeliveryGuarantee::None | DeliveryGuarantee::AtLeastOnce) => Label::UnderWay,
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
                Label::Truth => Some("truth"),
                _ => None,
            },
        )}>
            <strong>{ number(value) }</strong>
            <span>{ label(lang, name) }</span>
        </div>
    }
}

/// Has the life of a record be told, beside the stage.
fn trace(props: &Props, record: RecordId) -> Callback<MouseEvent> {
    let on = props.on.clone();
    Callback::from(move |_: MouseEvent| {
        on.emit(Action::Look(Sight::Watch));
        on.emit(Action::Trace(Some(record)));
    })
}

fn witnesses(props: &Props, verdict: &Verdict) -> Html {
    let lexicon = props.view.lexicon(props.lang);
    let more = verdict.witnesses.len().saturating_sub(NAMED);
    html! {
        <ul class="witnesses" data-testid="witnesses">
            for witness in verdict.witnesses.iter().take(NAMED) {
                <li>
                    <button
                        class="link"
                        title={label(props.lang, Label::TraceRecord)}
                        onclick={trace(props, witness.record)}
                        data-testid="witness"
                    >
                        { lexicon.record(witness.record) }
                    </button>
                    <strong>
                        { match (witness.copies, witness.due) {
                            (0, _) => label(props.lang, Label::Lost).to_owned(),
                            // Nobody was to see it.
                            (1, 0) => label(props.lang, Label::AbortedSeen).to_owned(),
                            (copies, _) => format!("×{copies}"),
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
