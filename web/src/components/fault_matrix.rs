//! The fault matrix: where a job that writes to Kafka breaks, and what becomes of its records behind each kind of sink,
//! for each reader.

use std::rc::Rc;

use barrierscope_core::models::pipeline::fault_matrix::{CrashPoint, READERS, SINKS};
use yew::{Callback, Html, MouseEvent, Properties, classes, component, html};

use super::found::look;
use super::option_name::breakable;
use crate::same::Same;
use crate::state::gallery::code;
use crate::state::{Action, FaultMatrix as Table, Place, View};
use crate::text::fault_matrix as words;
use crate::text::gallery::outcome;
use crate::text::kafka::face::isolation;
use crate::text::kafka::matrix::{mark, progress};
use crate::text::{Label, Lang, label};

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
pub fn FaultMatrix(props: &Props) -> Html {
    let lang = props.lang;
    let (done, all) = (props.table.done(), props.table.all());
    let open = (props.view.run).with(|session| session.story().pipeline().and_then(Table::of));
    html! {
        <section
            class="sheet panel"
            id="stage"
            aria-label={label(lang, Label::FaultMatrix)}
            aria-busy={(done < all).to_string()}
            data-testid="fault-matrix"
            data-computed={done.to_string()}
        >
            <h2 tabindex="0">{ label(lang, Label::FaultMatrix) }</h2>
            <p class="hint">{ breakable(label(lang, Label::FaultMatrixHint)) }</p>
            <p class="hint" role="status" aria-live="polite">
                if done < all {
                    { progress(lang, done, all) }
                }
            </p>
            <table class="guarantees faults">
                <thead>
                    <tr>
                        <th scope="col" rowspan="2">{ label(lang, Label::CrashPoint) }</th>
                        for sink in SINKS {
                            <th scope="colgroup" colspan={READERS.len().to_string()}>
                                { breakable(words::sink(sink)) }
                            </th>
                        }
                    </tr>
                    <tr>
                        for _ in SINKS {
                            for reader in READERS {
                                <th scope="col"><small>{ behind_its_bar(isolation(reader)) }</small></th>
                            }
                        }
                    </tr>
                </thead>
                <tbody>
                    for point in CrashPoint::ALL {
                        <tr>
                            <th scope="row">
                                <span>{ breakable(words::point(lang, point)) }</span>
                                <small>{ "EXACTLY_" }<wbr />{ "ONCE: " }{ breakable(words::why(lang, point)) }</small>
                            </th>
                            for sink in SINKS {
                                for reader in READERS {
                                    { cell(props, Place { point, sink, reader }, open) }
                                }
                            }
                        </tr>
                    }
                </tbody>
            </table>
        </section>
    }
}

/// A reader's level, which breaks behind its bar where there is no room.
fn behind_its_bar(reader: &str) -> Html {
    let (read, level) = reader.split_once('_').unwrap_or((reader, ""));
    html! { <>{ read }{ "_" }<wbr />{ level }</> }
}

fn cell(props: &Props, place: Place, open: Option<Place>) -> Html {
    let lang = props.lang;
    let is_open = open == Some(place);
    let current = is_open.then_some("true");
    let marked = is_open.then_some("marked");
    let column = html! {
        <>
            <span class="column" aria-hidden="true">
                { breakable(words::sink(place.sink)) }{ " " }
                <small>{ breakable(isolation(place.reader)) }</small>
            </span>
            if is_open {
                <em class="open-mark">{ mark(lang) }</em>
            }
        </>
    };
    let Some(computed) = props.table.cell(place) else {
        return html! {
            <td class={classes!("none", marked)} aria-current={current}>
                { column }
                { label(lang, Label::Computing) }
            </td>
        };
    };
    let (look, sign) = look(computed.symptom);
    let outcome = outcome(lang, computed.symptom, &computed.verdict);
    let says = words::opens(lang, place, &outcome);
    html! {
        <td
            class={classes!(look, marked)}
            aria-current={current}
            data-testid={format!("fault-{:?}-{}-{}", place.point, words::sink(place.sink), isolation(place.reader))}
            data-symptom={code(computed.symptom)}
        >
            { column }
            <button
                class="link cell"
                title={says.clone()}
                aria-label={says}
                onclick={props.on.reform(move |_: MouseEvent| Action::Fault(place))}
            >
                <span aria-hidden="true">{ sign }</span>
                { outcome }
            </button>
        </td>
    }
}
