//! The tree of branches, along the same time as the timeline above it: every run is a line, and begins where it left
//! another one.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::{
    Callback, Html, KeyboardEvent, MouseEvent, NodeRef, Properties, classes, component, html,
    use_effect_with, use_node_ref,
};

use super::scrubber::percent;
use crate::browser;
use crate::same::Same;
use crate::state::{Action, Run, Twig, View, tree};
use crate::text::{Label, Lang, choice, label, number};

/// What the tree depends on.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct Props {
    /// What is shown.
    pub(super) view: Rc<View>,
    /// The runs.
    pub(super) runs: Vec<Same<Run>>,
    /// The language.
    pub(super) lang: Lang,
    /// Where actions go.
    pub(super) on: Callback<Action>,
}

/// From one run to the next, in pixels.
const ROW: usize = 24;

/// The tree; nothing while there is only one run.
#[component]
pub(super) fn Branches(props: &Props) -> Html {
    let (view, lang) = (&props.view, props.lang);
    let list = use_node_ref();
    {
        let list = list.clone();
        use_effect_with(view.run.number, move |_| {
            let list = list.cast::<Element>();
            let current = list.and_then(|list| list.query_selector("[aria-current=true]").ok()?);
            if let Some(current) = current {
                browser::scroll_into_view(&current);
            }
        });
    }
    let runs: Vec<Rc<Run>> = props.runs.iter().map(|run| Rc::clone(&run.0)).collect();
    let rows = tree(&runs);
    let keys = keys(props, &rows, &list);
    html! {
        <section class="branches" data-testid="runs" hidden={runs.len() < 2} aria-label={label(lang, Label::Branches)}>
            <ol role="tree" aria-label={label(lang, Label::BranchesHint)} onkeydown={keys} ref={list}>
                for (row, twig) in rows.iter().enumerate() {
                    { branch(props, &runs, &rows, row, *twig) }
                }
            </ol>
        </section>
    }
}

fn branch(props: &Props, runs: &[Rc<Run>], rows: &[Twig], row: usize, twig: Twig) -> Html {
    let (view, lang) = (&props.view, props.lang);
    let run = &runs[twig.place];
    let is_current = Rc::ptr_eq(run, &view.run);
    let end = view.end.0.max(1) as f64;
    let part = |step: usize| run.with(|session| session.time(step).0) as f64 / end;
    let from = run.origin.as_ref().map_or(0.0, |origin| part(origin.step));
    let (from, to) = (from.clamp(0.0, 1.0), part(usize::MAX).clamp(0.0, 1.0));
    let (name, full) = (name(view, run, lang), full_name(view, run, lang));
    let side = match from < 0.6 {
        true => format!("left:calc({} + 9px)", percent(from)),
        false => format!("right:calc(100% - {} + 9px)", percent(from)),
    };
    let up = twig.parent.map(|parent| (row - parent) * ROW);
    let place = twig.place;
    let go = props.on.reform(move |_: MouseEvent| Action::Run(place));
    let close = props.on.reform(move |event: MouseEvent| {
        event.stop_propagation();
        Action::Close(place)
    });
    let is_last = row + 1 == rows.len();
    html! {
        <li
            key={run.number}
            class={classes!("branch", is_current.then_some("current"), is_last.then_some("last"))}
            role="treeitem"
            aria-level={(twig.depth + 1).to_string()}
            aria-selected={is_current.to_string()}
            aria-current={is_current.then_some("true")}
            aria-label={full.clone()}
            tabindex={if is_current { "0" } else { "-1" }}
            data-testid="run"
            title={full}
            onclick={go}
        >
            if let Some(up) = up {
                <i class="joint" style={format!("left:{};top:{}px;height:{up}px", percent(from), 17 - up as i64)} />
            }
            <i class="line" style={format!("left:{};width:{}", percent(from), percent((to - from).max(0.0)))} />
            <span class="name" style={side}>{ name }</span>
            if run.origin.is_some() {
                <button
                    class="close"
                    tabindex="-1"
                    title={label(lang, Label::CloseBranch)}
                    aria-label={label(lang, Label::CloseBranch)}
                    onclick={close}
                    data-testid="close-run"
                >
                    { "✕" }
                </button>
            }
        </li>
    }
}

/// What keys do in the tree: they go through it, open a run, and close a branch.
fn keys(props: &Props, rows: &[Twig], list: &NodeRef) -> Callback<KeyboardEvent> {
    let (rows, on, list) = (rows.to_vec(), props.on.clone(), list.clone());
    Callback::from(move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let list = list.cast::<Element>();
        let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
        let (Some(list), Some(target)) = (list, target) else {
            return;
        };
        let items = list.children();
        let all = 0..items.length();
        let here = all
            .clone()
            .find(|at| items.item(*at).as_ref() == Some(&target));
        let Some((row, twig)) = here.and_then(|row| Some((row as usize, rows.get(row as usize)?)))
        else {
            return;
        };
        let go = match event.key().as_str() {
            "ArrowDown" => Some(row + 1),
            "ArrowUp" => row.checked_sub(1),
            "ArrowLeft" => twig.parent,
            "ArrowRight" => rows.iter().position(|other| other.parent == Some(row)),
            "Home" => Some(0),
            "End" => Some(rows.len() - 1),
            "Enter" | " " => {
                on.emit(Action::Run(twig.place));
                None
            }
            "Delete" | "Backspace" => {
                on.emit(Action::Close(twig.place));
                None
            }
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let item = go.and_then(|row| items.item(row as u32));
        if let Some(item) = item.and_then(|item| item.dyn_into::<HtmlElement>().ok()) {
            browser::focus(&item);
        }
    })
}

/// What a run is called: by what was chosen, and at which step it left the other one.
fn name(view: &View, run: &Run, lang: Lang) -> String {
    let Some(origin) = &run.origin else {
        return format!("{} · {}", run.number, label(lang, Label::FirstRun));
    };
    let what = choice(&view.lexicon(lang), origin.choice);
    let step = number(origin.step as u64);
    let number = run.number;
    match (lang, origin.more) {
        (Lang::En, 0) => format!("{number} · {what} · step {step}"),
        (Lang::Zh, 0) => format!("{number} · {what} · 第 {step} 步"),
        (Lang::En, more) => format!("{number} · {what}, and {more} more · from step {step}"),
        (Lang::Zh, more) => format!("{number} · {what}，以及另外 {more} 个 · 自第 {step} 步"),
    }
}

/// The same, with the run that it left.
fn full_name(view: &View, run: &Run, lang: Lang) -> String {
    let name = name(view, run, lang);
    match (&run.origin, lang) {
        (None, _) => name,
        (Some(origin), Lang::En) => format!("{name}, a branch of run {}", origin.from),
        (Some(origin), Lang::Zh) => format!("{name}，运行 {} 的分支", origin.from),
    }
}
