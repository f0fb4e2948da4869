//! The table of guarantees: settings of a producer, and when offsets are committed.

use std::rc::Rc;

use barrierscope_core::models::delivery::matrix::{Cell, Setting};
use barrierscope_core::scenario::delivery::CommitWhen;
use barrierscope_core::verdict::Guarantee;
use yew::{Callback, Html, MouseEvent, Properties, classes, component, html};

use super::option_name::breakable;
use crate::same::Same;
use crate::state::{Action, Assumed, Guarantees as Table, Proof, View, corresponding};
use crate::text::kafka::{face, matrix};
use crate::text::{Label, Lang, label, original};

/// What the table depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is open: its cell is marked.
    pub view: Rc<View>,
    /// What is computed so far.
    pub table: Same<Table>,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The table.
#[component]
pub fn Guarantees(props: &Props) -> Html {
    let (lang, cells) = (props.lang, &props.table.cells);
    let (done, all) = (props.table.done(), cells.len());
    let columns = columns(cells.iter().map(|(setting, _)| setting));
    let rows = rows(cells.iter().map(|(setting, _)| setting));
    let found = props.view.run.with(|session| {
        let scenario = session.story().delivery()?;
        Some(corresponding(&props.table, scenario))
    });
    let open = found.as_ref().and_then(|found| found.as_ref().ok());
    let open = open.map(|found| found.cell);
    let setting = open
        .and_then(|at| cells.get(at))
        .map(|(setting, _)| setting);
    html! {
        <section
            class="sheet panel"
            id="stage"
            aria-label={label(lang, Label::Guarantees)}
            aria-busy={(done < all).to_string()}
            data-testid="guarantees"
            data-computed={done.to_string()}
        >
            <h2 tabindex="0">{ label(lang, Label::Guarantees) }</h2>
            <p class="hint">{ label(lang, Label::GuaranteesHint) }</p>
            if let Some(assumed) = Assumed::of(&props.table) {
                <p class="hint" data-testid="assumed">
                    { breakable(&matrix::assumed(lang, &assumed, tried(&props.table))) }
                </p>
            }
            if let Some(found) = &found {
                <p class="open-setting" data-testid="open-setting">
                    { breakable(&matrix::open(lang, found, setting)) }
                </p>
            }
            <p class="hint" role="status" aria-live="polite">
                if done < all {
                    { matrix::progress(lang, done, all) }
                }
            </p>
            <table class="guarantees">
                <thead>
                    <tr>
                        <th scope="col">{ label(lang, Label::ProducerKnobs) }</th>
                        for when in &columns {
                            <th scope="col">{ head(lang, *when) }</th>
                        }
                    </tr>
                </thead>
                <tbody>
                    for row in rows {
                        <tr>
                            <th scope="row">
                                for option in matrix::row(&row) {
                                    <span>{ breakable(&option) }</span>
                                }
                            </th>
                            for when in &columns {
                                { cell(props, &row, *when, open) }
                            }
                        </tr>
                    }
                </tbody>
            </table>
        </section>
    }
}

/// How many runs there are of a cell, as far as one is computed.
fn tried(table: &Table) -> Option<u32> {
    table
        .cells
        .iter()
        .find_map(|(_, cell)| match cell.as_deref() {
            Some(Cell::Computed { tried, .. }) => Some(*tried),
            _ => None,
        })
}

fn head(lang: Lang, when: CommitWhen) -> Html {
    let (name, hint) = matrix::commit(lang, when);
    html! {
        <>
            <span class="unseen">{ label(lang, Label::CommittedWhen) }{ " " }</span>
            { name }
            <small>{ breakable(hint) }</small>
        </>
    }
}

/// The moments of the commit, each once, in their order.
fn columns<'a>(settings: impl Iterator<Item = &'a Setting>) -> Vec<CommitWhen> {
    let mut found = Vec::new();
    for setting in settings {
        if !found.contains(&setting.commit) {
            found.push(setting.commit);
        }
    }
    found
}

/// The settings of the producer, each once, in their order.
fn rows<'a>(settings: impl Iterator<Item = &'a Setting>) -> Vec<Setting> {
    let mut found: Vec<Setting> = Vec::new();
    for setting in settings {
        if !found.iter().any(|row| is_same_row(row, setting)) {
            found.push(*setting);
        }
    }
    found
}

fn is_same_row(a: &Setting, b: &Setting) -> bool {
    (a.acks, a.retries, a.idempotence) == (b.acks, b.retries, b.idempotence)
}

fn cell(props: &Props, row: &Setting, when: CommitWhen, open: Option<usize>) -> Html {
    let lang = props.lang;
    let mut cells = props.table.cells.iter().enumerate();
    let found = cells.find(|(_, (setting, _))| is_same_row(setting, row) && setting.commit == when);
    let Some((at, (setting, cell))) = found else {
        return html! { <td class="none">{ "–" }</td> };
    };
    let (name, _) = matrix::commit(lang, when);
    let is_open = open == Some(at);
    let column = html! {
        <>
            <span class="column" aria-hidden="true">{ name }</span>
            if is_open {
                <em class="open-mark">{ matrix::mark(lang) }</em>
            }
        </>
    };
    let id = format!("cell-{at}");
    let current = is_open.then_some("true");
    let marked = is_open.then_some("marked");
    match cell.as_deref() {
        None => html! {
            <td class={classes!("none", marked)} aria-current={current} data-testid={id}>{ column }{ label(lang, Label::Computing) }</td>
        },
        Some(Cell::Refused { reason }) => html! {
            <td class={classes!("none", marked)} aria-current={current} data-testid={id} data-guarantee="refused">
                { column }
                <span>{ label(lang, Label::Refused) }</span>
                <small>{ breakable(&original(lang, reason)) }</small>
            </td>
        },
        Some(Cell::Computed {
            guarantee,
            tried,
            loss,
            duplicate,
            ..
        }) => {
            let shows = [
                (Proof::Loss, loss.is_some()),
                (Proof::Duplicate, duplicate.is_some()),
                (Proof::Calm, loss.is_none() && duplicate.is_none()),
            ];
            html! {
                <td class={classes!(look(*guarantee), marked)} aria-current={current} data-testid={id} data-guarantee={code(*guarantee)}>
                    { column }
                    <strong>{ face::guarantee(lang, *guarantee) }</strong>
                    <small>{ matrix::tried(lang, *tried) }</small>
                    <span class="proofs">
                        for (proof, is_there) in shows {
                            if is_there {
                                { button(props, at, setting, proof) }
                            }
                        }
                    </span>
                </td>
            }
        }
    }
}

/// The button that opens a run.
fn button(props: &Props, at: usize, setting: &Setting, proof: Proof) -> Html {
    let says = matrix::opens(props.lang, setting, proof);
    html! {
        <button
            class={classes!("link", "proof")}
            title={says.clone()}
            aria-label={says}
            onclick={props.on.reform(move |_: MouseEvent| Action::Prove(at, proof))}
            data-testid={format!("proof-{at}-{}", id(proof))}
        >
            { matrix::proof(props.lang, proof) }
        </button>
    }
}

const fn id(proof: Proof) -> &'static str {
    match proof {
        Proof::Loss => "loss",
        Proof::Duplicate => "duplicate",
        Proof::Calm => "calm",
    }
}

const fn look(guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::ExactlyOnce => "right",
        Guarantee::AtLeastOnce | Guarantee::AtMostOnce | Guarantee::Stuck => "partly",
        Guarantee::None => "wrong",
    }
}

const fn code(guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::ExactlyOnce => "exactly-once",
        Guarantee::AtLeastOnce => "at-least-once",
        Guarantee::AtMostOnce => "at-most-once",
        Guarantee::None => "none",
        Guarantee::Stuck => "stuck",
    }
}
