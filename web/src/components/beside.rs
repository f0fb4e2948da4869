//! Runs side by side, each on a stage of its own, and a table of how they stand.

use std::rc::Rc;

use barrierscope_core::id::NodeId;
use barrierscope_core::symptom::Symptom;
use yew::{Callback, Html, MouseEvent, Properties, classes, component, html};

use super::found::look;
use super::option_name::breakable;
use crate::same::Same;
use crate::stage::Stage;
use crate::stage::canvas::Canvas;
use crate::state::gallery::code;
use crate::state::{Action, Axis, Beside, Column, Model, View};
use crate::text::beside as words;
use crate::text::beside::Told;
use crate::text::gallery::outcome;
use crate::text::kafka::name;
use crate::text::{Label, Lang, choice, label, original};

/// What the runs depend on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The runs.
    pub beside: Same<Beside>,
    /// What each of them is drawn on, in their order.
    pub canvases: Vec<Canvas>,
    /// The language.
    pub lang: Lang,
    /// The node that was selected.
    pub selected: Option<NodeId>,
    /// Whether time passes.
    pub playing: bool,
    /// Where actions go.
    pub on: Callback<Action>,
    /// Asks for another frame.
    pub wake: Callback<()>,
}

/// The runs.
#[component]
pub fn SideBySide(props: &Props) -> Html {
    let (lang, beside) = (props.lang, &props.beside);
    let count = beside.columns.len().to_string();
    html! {
        <>
            <div class="axes">
                <span class="hint" id="beside-by">{ label(lang, Label::BesideBy) }</span>
                <div class="segmented small" role="group" aria-labelledby="beside-by">
                    for axis in beside.axes.iter().copied() {
                        { way(props, axis) }
                    }
                </div>
            </div>
            <div class="beside" style={format!("--columns:{count}")} data-testid="beside">
                for (at, column) in beside.columns.iter().enumerate() {
                    { run(props, at, column) }
                }
            </div>
            { figures(props) }
        </>
    }
}

fn way(props: &Props, axis: Axis) -> Html {
    html! {
        <button
            key={axis.code()}
            aria-pressed={(axis == props.beside.axis).to_string()}
            data-testid={format!("beside-{}", axis.code())}
            onclick={props.on.reform(move |_: MouseEvent| Action::Beside(axis))}
        >
            { breakable(words::axis(props.lang, axis)) }
        </button>
    }
}

fn run(props: &Props, at: usize, column: &Column) -> Html {
    let lang = props.lang;
    let shown = column.shown();
    html! {
        <section
            key={at}
            class={classes!("beside-run", column.is_this.then_some("this"))}
            aria-label={words::side(lang, &column.side)}
            data-testid="beside-run"
            data-step={shown.map(|view| view.step.to_string())}
        >
            <header>
                <h3>{ breakable(&words::side(lang, &column.side)) }</h3>
                if column.is_this {
                    <small>{ label(lang, Label::ThisRun) }</small>
                }
                if let Some(view) = shown {
                    { comes_to(lang, view) }
                }
            </header>
            { stage(props, at, column) }
        </section>
    }
}

/// What a run comes to so far.
fn comes_to(lang: Lang, view: &View) -> Html {
    if view.run.model() == Model::Votes {
        return html! {};
    }
    let ending = (view.step == view.last).then(|| view.run.with(|session| session.ending()));
    let symptom = Symptom::of(&view.verdict, ending);
    let (class, sign) = look(symptom);
    html! {
        <span class={classes!("chip", class)} data-symptom={code(symptom)}>
            <span aria-hidden="true">{ sign }</span>
            { outcome(lang, symptom, &view.verdict) }
        </span>
    }
}

fn stage(props: &Props, at: usize, column: &Column) -> Html {
    let (lang, beside) = (props.lang, &props.beside);
    let view = match &column.view {
        None => {
            return html! { <p class="hint" role="status">{ label(lang, Label::BesideRunning) }</p> };
        }
        Some(Err(error)) => {
            return html! { <p class="refused" role="alert">{ original(lang, &error.to_string()) }</p> };
        }
        Some(Ok(view)) => view,
    };
    let Some(canvas) = props.canvases.get(at) else {
        return html! {};
    };
    let different = beside.different(view);
    let nodes = &view.scene.nodes;
    let named = different.iter().filter_map(|id| {
        let node = nodes.iter().find(|node| node.id == *id)?;
        Some(name(lang, nodes, node))
    });
    let named: Vec<String> = named.collect();
    let lexicon = view.lexicon(lang);
    let dropped: Vec<String> = (column.dropped.iter())
        .map(|what| choice(&lexicon, *what))
        .collect();
    let is_first = beside.columns.iter().position(|it| it.shown().is_some()) == Some(at);
    html! {
        <>
            <Stage
                view={Rc::clone(view)}
                {lang}
                selected={props.selected}
                playing={props.playing}
                replicas={false}
                motion={canvas.motion.clone()}
                screen={canvas.screen.clone()}
                beside={at}
                different={Rc::new(different)}
                on={props.on.clone()}
                wake={props.wake.clone()}
            />
            if !is_first {
                <p class="hint" data-testid="different">{ words::different(lang, &named) }</p>
            }
            if !dropped.is_empty() {
                <p class="refused">{ words::dropped(lang, &dropped) }</p>
            }
        </>
    }
}

/// How they stand at the moment.
fn figures(props: &Props) -> Html {
    let (lang, columns) = (props.lang, &props.beside.columns);
    let Some(model) = columns
        .iter()
        .find_map(Column::shown)
        .map(|it| it.run.model())
    else {
        return html! {};
    };
    html! {
        <div class="table-frame" data-scrolls="true">
            <table class="compare" data-testid="beside-figures">
                <thead>
                    <tr>
                        <th scope="col">{ label(lang, Label::BesideNow) }</th>
                        for column in columns {
                            <th scope="col">{ breakable(&words::side(lang, &column.side)) }</th>
                        }
                    </tr>
                </thead>
                <tbody>
                    for told in Told::of(model).iter().copied() {
                        { row(lang, told, columns) }
                    }
                </tbody>
            </table>
        </div>
    }
}

fn row(lang: Lang, told: Told, columns: &[Column]) -> Html {
    let value = |column: &Column| told.value(column.shown()?);
    let values: Vec<Option<u64>> = columns.iter().map(value).collect();
    let differs = values.iter().any(|value| *value != values[0]);
    html! {
        <tr class={classes!(differs.then_some("differs"))}>
            <th scope="row">
                { told.name(lang) }
                if differs {
                    <span class="unequal" title={lang.pick("differs", "不同")}>{ " ≠" }</span>
                }
            </th>
            for value in values {
                <td class={classes!(value.is_none().then_some("none"), (told.is_of_faults() && value > Some(0)).then_some("wrong"))}>
                    { value.map_or("–".to_owned(), |value| told.write(value).replace(' ', "\u{a0}")) }
                </td>
            }
        </tr>
    }
}
