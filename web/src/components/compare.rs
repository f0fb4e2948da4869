//! Runs side by side that differ in one knob; and of the ways of taking checkpoints, what whole runs come to.

use std::rc::Rc;

use barrierscope_core::Barriers;
use barrierscope_core::id::NodeId;
use barrierscope_core::scenario::{Breakage, Fault, ScenarioError};
use barrierscope_core::time::Millis;
use yew::{AttrValue, Callback, Html, MouseEvent, Properties, classes, component, html};

use super::beside::SideBySide;
use crate::same::Same;
use crate::stage::canvas::Canvas;
use crate::state::{Action, Axis, Beside, Comparison, Figures, Knob, View, barriers_of};
use crate::text::comparison::{Measure, barriers};
use crate::text::{Label, Lang, findings, label, original};

/// What the comparison depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The runs that stand side by side.
    pub beside: Same<Beside>,
    /// What they are drawn on.
    pub canvases: Vec<Canvas>,
    /// The node that was selected.
    pub selected: Option<NodeId>,
    /// Whether time passes.
    pub playing: bool,
    /// What is measured so far.
    pub comparison: Same<Comparison>,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
    /// Asks for another frame.
    pub wake: Callback<()>,
}

/// The comparison.
#[component]
pub fn Compare(props: &Props) -> Html {
    let lang = props.lang;
    let is_measured = props.beside.axis == Axis::Barriers;
    let done = props.comparison.columns.iter().flatten().count();
    html! {
        <section
            class="sheet panel"
            id="stage"
            aria-label={label(lang, Label::Compare)}
            aria-busy={(is_measured && done < 3).to_string()}
            data-testid="compare"
            data-measured={done.to_string()}
        >
            <h2 tabindex="0">{ label(lang, Label::Compare) }</h2>
            <p class="hint">{ label(lang, Label::BesideHint) }</p>
            <SideBySide
                beside={props.beside.clone()}
                canvases={props.canvases.clone()}
                {lang}
                selected={props.selected}
                playing={props.playing}
                on={props.on.clone()}
                wake={props.wake.clone()}
            />
            if is_measured {
                { measured(props) }
            }
        </section>
    }
}

/// What whole runs come to, for each way of taking checkpoints.
fn measured(props: &Props) -> Html {
    let (lang, columns) = (props.lang, &props.comparison.columns);
    let current = (props.view.run).with(|session| barriers_of(session.story().pipeline()?));
    let known = columns.each_ref().map(figures);
    let done = columns.iter().flatten().count();
    let progress = match lang {
        Lang::En => format!("{done} of 3 measured"),
        Lang::Zh => format!("已测量 {done}/3"),
    };
    html! {
        <>
            <h3>{ label(lang, Label::WholeRun) }</h3>
            <p class="hint">{ label(lang, Label::CompareHint) }</p>
            <div class="table-frame" data-scrolls="true">
                <table class="compare" data-testid="measured">
                    <thead>
                        <tr>
                            <th scope="col">{ label(lang, Label::Measured) }</th>
                            for way in Barriers::ALL {
                                <th scope="col">
                                    { barriers(lang, way) }
                                    if current == Some(way) {
                                        <small>{ label(lang, Label::ThisRun) }</small>
                                    }
                                </th>
                            }
                        </tr>
                    </thead>
                    <tbody>
                        for measure in Measure::ALL {
                            { row(lang, measure, columns, &known) }
                        }
                    </tbody>
                </table>
            </div>
            { errors(lang, columns) }
            <div role="status" aria-live="polite">
                if done < 3 {
                    <p class="hint">{ progress }</p>
                } else if let [Some(aligned), Some(unaligned), Some(at_least_once)] = known {
                    <h3>{ label(lang, Label::FindingsTitle) }</h3>
                    <ul class="findings" data-testid="findings">
                        for finding in findings(lang, [aligned, unaligned, at_least_once]) {
                            <li>{ finding }</li>
                        }
                    </ul>
                    if known.iter().flatten().all(|figures| figures.repeated.is_none()) {
                        { no_recovery(props) }
                    }
                }
            </div>
        </>
    }
}

type Column = Option<Result<Rc<Figures>, ScenarioError>>;

fn figures(column: &Column) -> Option<&Figures> {
    column.as_ref()?.as_ref().ok().map(Rc::as_ref)
}

fn row(lang: Lang, measure: Measure, columns: &[Column; 3], known: &[Option<&Figures>; 3]) -> Html {
    let (name, hint) = measure.name(lang);
    let best = measure
        .best(known)
        .filter(|_| known.iter().all(Option::is_some));
    html! {
        <tr>
            <th scope="row">
                { name }
                <small>{ hint }</small>
            </th>
            for (column, figures) in columns.iter().zip(known) {
                { cell(lang, measure, column.is_some(), *figures, best) }
            }
        </tr>
    }
}

fn cell(
    lang: Lang,
    measure: Measure,
    is_measured: bool,
    figures: Option<&Figures>,
    best: Option<u64>,
) -> Html {
    let value = figures.and_then(|figures| measure.value(figures));
    let is_best = value.is_some() && value == best;
    let says: AttrValue = match value {
        // The unit stays beside its number.
        Some(value) => measure.write(value).replace(' ', "\u{a0}").into(),
        None if is_measured => label(lang, Label::NotMeasured).into(),
        None => label(lang, Label::Measuring).into(),
    };
    html! {
        <td class={classes!(is_best.then_some("best"), value.is_none().then_some("none"))}>
            if is_best {
                <span aria-hidden="true">{ "▾ " }</span>
            }
            { says }
            if is_best {
                <span class="unseen">{ label(lang, Label::Least) }</span>
            }
        </td>
    }
}

/// Why a way could not be measured.
fn errors(lang: Lang, columns: &[Column; 3]) -> Html {
    html! {
        for (way, column) in Barriers::ALL.into_iter().zip(columns) {
            if let Some(Err(error)) = column {
                <p class="refused">
                    { barriers(lang, way) }
                    { lang.pick(": ", "：") }
                    { original(lang, &error.to_string()) }
                </p>
            }
        }
    }
}

/// Nothing has failed: what one may do so that something does.
fn no_recovery(props: &Props) -> Html {
    let (lang, view) = (props.lang, &props.view);
    let halfway = Millis(u32::try_from(view.end.0 / 2_000).unwrap_or(u32::MAX));
    let planned = (view.run).with(|session| {
        (session.story().pipeline()).map(|scenario| scenario.faults.schedule.clone())
    });
    let mut schedule = planned.unwrap_or_default();
    // One in the middle of the job: sources and sinks are at its ends.
    let subtasks: Vec<_> = view.subtasks().collect();
    if let Some(node) = subtasks.get(subtasks.len() / 2) {
        schedule.push(Fault {
            at_ms: halfway,
            what: Breakage::Crash(format!("{}[{}]", node.name, node.number)),
        });
    }
    let crash = props
        .on
        .reform(move |_: MouseEvent| Action::Set(Knob::Schedule(schedule.clone())));
    html! {
        <p class="no-recovery" data-testid="no-recovery">
            { label(lang, Label::NoRecovery) }
            { " " }
            <button class="fault" onclick={crash} data-testid="add-crash">
                { label(lang, Label::AddCrash) }
            </button>
        </p>
    }
}
