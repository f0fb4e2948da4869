//! The life of a record: every place that it, or a copy of it, came to, up to the step that is looked at.

use std::rc::Rc;

use barrierscope_core::id::RecordId;
use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;
use yew::{
    Callback, Event, FocusEvent, Html, MouseEvent, PointerEvent, Properties, classes, component,
    html, use_state,
};

use super::option_name::breakable;
use crate::same::Same;
use crate::state::{Action, Chapter, Life, Model, View};
use crate::text::life::place;
use crate::text::{Label, Lang, Lexicon, label, seconds, tell};

/// What the section depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is shown.
    pub view: Rc<View>,
    /// The life that was asked for.
    pub life: Option<Same<Life>>,
    /// Whether time passes.
    pub playing: bool,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The section.
#[component]
pub fn LifeOfARecord(props: &Props) -> Html {
    let (lang, view) = (props.lang, &props.view);
    let lexicon = view.lexicon(lang);
    let traced = props.life.as_ref().map(|life| life.record);
    // There may be tens of thousands of records: while time passes they are listed for those who reach for the list.
    let (is_pointed_at, is_focused) = (use_state(|| false), use_state(|| false));
    let is_listed = !props.playing || *is_pointed_at || *is_focused;
    let mut records = if is_listed {
        view.scene.records()
    } else {
        Vec::new()
    };
    records.extend(traced.filter(|record| !records.contains(record)));
    if view.run.model() == Model::Votes || (is_listed && records.is_empty()) {
        return html! {};
    }
    let over = |is: bool| {
        let state = is_pointed_at.clone();
        move |_: PointerEvent| state.set(is)
    };
    let focus = |is: bool| {
        let state = is_focused.clone();
        move |_: FocusEvent| state.set(is)
    };
    let choose = props.on.reform(|event: Event| {
        let chosen = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlSelectElement>().ok());
        let number = chosen.and_then(|select| select.value().parse().ok());
        Action::Trace(number.map(RecordId))
    });
    html! {
        <section class="life" data-testid="life">
            <h2><label for="traced">{ label(lang, Label::LifeOf) }</label></h2>
            <select
                id="traced"
                onchange={choose}
                onpointerenter={over(true)}
                onpointerleave={over(false)}
                onfocus={focus(true)}
                onblur={focus(false)}
                data-testid="traced"
            >
                <option value="" selected={traced.is_none()}>{ label(lang, Label::NoRecord) }</option>
                for record in records {
                    <option value={record.0.to_string()} selected={traced == Some(record)}>
                        { lexicon.record(record) }
                    </option>
                }
            </select>
            if let Some(life) = &props.life {
                { chapters(props, &lexicon, life) }
            }
        </section>
    }
}

fn chapters(props: &Props, lexicon: &Lexicon<'_>, life: &Life) -> Html {
    let (lang, view) = (props.lang, &props.view);
    let so_far = life.chapters.iter().filter(|it| it.step <= view.step);
    let ahead = life
        .chapters
        .iter()
        .filter(|it| it.step > view.step)
        .count();
    html! {
        <>
            <ol class="chapters">
                for chapter in so_far {
                    { told(props, lexicon, chapter) }
                }
            </ol>
            <h3>{ label(lang, Label::NowAt) }</h3>
            <ul class="now-at" data-testid="whereabouts">
                for it in view.scene.whereabouts(life.record) {
                    <li>{ breakable(&place(lexicon, &it)) }</li>
                }
            </ul>
            if !life.is_complete() {
                <p class="hint" role="status">{ format!("{} %", life.percent()) }</p>
            } else if ahead > 0 {
                <p class="hint">
                    { match lang {
                        Lang::En => format!("{ahead} more still to come"),
                        Lang::Zh => format!("之后还有 {ahead} 处变化"),
                    } }
                </p>
            }
        </>
    }
}

fn told(props: &Props, lexicon: &Lexicon<'_>, chapter: &Chapter) -> Html {
    let step = chapter.step;
    let is_here = step == props.view.step;
    html! {
        <li class={classes!(is_here.then_some("here"))}>
            <button
                class="link"
                title={tell(lexicon, &chapter.events).aloud()}
                aria-current={is_here.then_some("step")}
                onclick={props.on.reform(move |_: MouseEvent| Action::GoTo(step))}
            >
                { seconds(chapter.time) }
            </button>
            <span>
                for it in chapter.came.iter() {
                    <span class="came">{ breakable(&place(lexicon, it)) }</span>
                }
                if chapter.came.is_empty() {
                    for it in chapter.went.iter() {
                        <s>{ breakable(&place(lexicon, it)) }</s>
                    }
                }
            </span>
        </li>
    }
}
