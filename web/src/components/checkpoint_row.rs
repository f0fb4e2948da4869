//! A checkpoint in the table, and its subtasks once it is opened.

use std::rc::Rc;

use barrierscope_core::id::CheckpointId;
use barrierscope_core::statistics::{Kind, Status};
use yew::{Callback, Html, MouseEvent, Properties, classes, component, html, use_state_eq};

use super::bars::bars;
use crate::stage::epoch_class;
use crate::stage::geometry::point;
use crate::stage::sign::glyph;
use crate::state::{Action, Entry, Line};
use crate::text::{Label, Lang, bytes, checkpoint, duration, label};

/// What the row depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The checkpoint.
    pub entry: Entry,
    /// What its subtasks are called.
    pub names: Rc<Vec<String>>,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// A checkpoint in the table.
#[component]
pub fn CheckpointRow(props: &Props) -> Html {
    let is_open = use_state_eq(|| false);
    let (lang, entry) = (props.lang, &props.entry);
    let (id, step) = (entry.checkpoint.0, entry.step);
    let visit = props.on.reform(move |_: MouseEvent| Action::Visit(step));
    let toggle = {
        let is_open = is_open.clone();
        Callback::from(move |event: MouseEvent| {
            // The row leads elsewhere.
            event.stop_propagation();
            is_open.set(!*is_open);
        })
    };
    let (have, need) = entry.acknowledged;
    // Its parts are known as far as subtasks have acknowledged.
    let is_known =
        (entry.subtasks.iter()).any(|(_, line)| line.as_ref().is_some_and(|line| !line.late));
    let open = checkpoint::open(lang, id);
    let body = format!("subtasks-{id}");
    html! {
        <>
            <tbody class={epoch_class(Some(entry.checkpoint))}>
                <tr class="whole" onclick={visit.clone()} data-testid={format!("checkpoint-{id}")}>
                    <th scope="row">
                        <button
                            class="quiet disclose"
                            aria-expanded={is_open.to_string()}
                            aria-controls={body.clone()}
                            aria-label={open.clone()}
                            title={open}
                            onclick={toggle}
                            data-testid={format!("open-checkpoint-{id}")}
                        >
                            { if *is_open { "▾" } else { "▸" } }
                        </button>
                        <button
                            class="link number"
                            title={checkpoint::visit(lang, id, step)}
                            aria-label={checkpoint::visit(lang, id, step)}
                            onclick={visit}
                        >
                            { sign(entry.checkpoint) }
                            { id }
                        </button>
                    </th>
                    <td class="kind">{ kind(entry.kind) }</td>
                    <td class="status">{ status(lang, entry.status) }</td>
                    <td>{ format!("{have}/{need}") }</td>
                    { figures(Some(&entry.whole), is_known) }
                </tr>
            </tbody>
            <tbody
                id={body}
                class={classes!("parts", epoch_class(Some(entry.checkpoint)))}
                hidden={!*is_open}
            >
                if *is_open {
                    { heading(lang) }
                    for ((node, line), name) in entry.subtasks.iter().zip(props.names.iter()) {
                        <tr key={node.index()} data-testid="subtask-row">
                            <th scope="row">{ name }</th>
                            <td colspan="2">{ bars(line.as_ref(), entry.whole.end_to_end) }</td>
                            <td>{ part(lang, line.as_ref()) }</td>
                            { figures(line.as_ref(), true) }
                        </tr>
                    }
                }
            </tbody>
        </>
    }
}

/// As Flink writes it, with a place where the line may break.
fn kind(kind: Kind) -> String {
    kind.name().replace('_', "_\u{200b}")
}

fn sign(checkpoint: CheckpointId) -> Html {
    html! {
        <svg class="legend-epoch" viewBox="0 0 16 16" aria-hidden="true">
            { glyph(checkpoint, point(8.0, 8.0), 6.0) }
        </svg>
    }
}

fn status(lang: Lang, status: Status) -> Html {
    let word = checkpoint::status(lang, status);
    let look = match status {
        Status::InProgress => "pending",
        Status::Completed => "right",
        Status::Failed(_) => "wrong",
    };
    let mark = match status {
        Status::InProgress => "…",
        Status::Completed => "✓",
        Status::Failed(_) => "✕",
    };
    html! {
        <>
            <span class={look}>{ format!("{mark} {word}") }</span>
            if let Some(message) = checkpoint::failure(status) {
                <span class="message" lang="en">{ message }</span>
            }
        </>
    }
}

/// A quantity whose unit stays beside its number.
fn unbroken(quantity: String) -> String {
    quantity.replace(' ', "\u{a0}")
}

/// Whether a subtask has acknowledged.
fn part(lang: Lang, line: Option<&Line>) -> Html {
    let word = checkpoint::part(lang, line);
    let (mark, look) = match line {
        None => ("–", "none"),
        Some(line) if line.late => ("✕", "wrong"),
        Some(_) => ("✓", "right"),
    };
    html! {
        <span class={look} title={word}>
            <span aria-hidden="true">{ mark }</span>
            <span class="unseen">{ word }</span>
        </span>
    }
}

/// What stands above the subtasks of a checkpoint: what the bars are, in the checkpoint's own colour.
fn heading(lang: Lang) -> Html {
    html! {
        <tr class="parts-head">
            <th scope="col">{ label(lang, Label::Subtask) }</th>
            <td colspan="10">
                <div class="bar-legend">
                    <span>{ label(lang, Label::Bars) }</span>
                    <span><i class="delay" />{ label(lang, Label::StartDelay) }</span>
                    <span><i class="align" />{ label(lang, Label::Alignment) }</span>
                    <span><i class="sync" />{ label(lang, Label::SyncPart) }</span>
                    <span><i class="async" />{ label(lang, Label::AsyncPart) }</span>
                </div>
            </td>
        </tr>
    }
}

/// The columns that checkpoints and subtasks have in common; of a checkpoint whose parts are not known
/// yet, there is only how long it has taken.
fn figures(line: Option<&Line>, is_known: bool) -> Html {
    let Some(line) = line else {
        return html! {
            for _ in 0..7 {
                <td class="none">{ "–" }</td>
            }
        };
    };
    if !is_known {
        return html! {
            <>
                <td>{ duration(line.end_to_end) }</td>
                for _ in 0..6 {
                    <td class="none">{ "–" }</td>
                }
            </>
        };
    }
    let times = [
        line.end_to_end,
        line.start_delay,
        line.alignment,
        line.sync,
        line.asynchronous,
    ];
    html! {
        <>
            for time in times {
                <td>{ duration(time) }</td>
            }
            <td class="processed">
                { unbroken(bytes(line.processed)) }
                { " " }
                { format!("({})", unbroken(bytes(line.persisted))) }
            </td>
            <td>{ bytes(line.size) }</td>
        </>
    }
}
