//! What a search has come to: the headline, the run in words, and what one may do with it.

use std::rc::Rc;

use barrierscope_core::mark::MarkKind;
use yew::{Html, MouseEvent, classes, html};

use super::Props;
use crate::address::{self, Address};
use crate::browser;
use crate::components::icon::{Shape, icon};
use crate::components::option_name::breakable;
use crate::components::story::telling;
use crate::state::search::{Answer, CameTo, Deed, Finding, Which, fit};
use crate::state::{Action, Notice, View, trail};
use crate::text::search as words;
use crate::text::{Label, Lang, label, number, scenario};

/// What came out: as the scenario is, and beside it with its fix.
pub(super) fn answers(props: &Props) -> Html {
    let [plain, fixed] = &props.search.answers;
    let is_stale = plain.as_ref().is_some_and(|it| is_stale(props, it));
    html! {
        <div class={classes!("search-answers", fixed.is_some().then_some("two"))}>
            if is_stale {
                <p class="hint">{ label(props.lang, Label::SearchStale) }</p>
            }
            if let Some(answer) = plain {
                { one(props, answer, false) }
            }
            if let Some(answer) = fixed {
                { one(props, answer, true) }
            }
        </div>
    }
}

/// Whether another search would be begun now.
fn is_stale(props: &Props, answer: &Answer) -> bool {
    let wanted = &props.search.wanted;
    let now = props.view.run.with(|session| session.story().to_story());
    *wanted != answer.wanted || now.for_search(wanted.faults) != *answer.story
}

const fn code(came_to: CameTo) -> &'static str {
    match came_to {
        CameTo::Holds => "holds",
        CameTo::Broken => "broken",
        CameTo::Limited => "limited",
        CameTo::Full => "full",
    }
}

fn one(props: &Props, answer: &Rc<Answer>, is_fixed: bool) -> Html {
    let lang = props.lang;
    let [title, about] = words::answer(lang, answer);
    let came_to = answer.came_to();
    let (look, shape) = match came_to {
        CameTo::Holds => ("right", Shape::Right),
        CameTo::Broken => ("wrong", Shape::Wrong),
        CameTo::Limited | CameTo::Full => ("open", Shape::Neither),
    };
    let steps = answer.broken.as_ref().map_or(0, Finding::steps);
    html! {
        <article
            class={classes!("answer-of", look)}
            data-testid={if is_fixed { "search-answer-fixed" } else { "search-answer" }}
            data-result={code(came_to)}
            data-distinct={answer.outcome.progress.distinct.to_string()}
            data-steps={steps.to_string()}
        >
            <header>
                <span class="seal">{ icon(shape) }</span>
                <div role="status" aria-live="polite">
                    if is_fixed {
                        <em>
                            { label(lang, Label::WithFix) }
                            { fix(props, answer) }
                        </em>
                    }
                    <h3>{ breakable(&title) }</h3>
                    <p>{ breakable(&about) }</p>
                    if answer.is_allowed() {
                        <p>{ breakable(label(lang, Label::SearchAllows)) }</p>
                    }
                </div>
            </header>
            { reachable(props, answer, is_fixed) }
            { doors(props, answer, is_fixed) }
            if let Some(broken) = &answer.broken {
                { run(lang, broken) }
            } else {
                { promises(lang, answer) }
            }
            <p class="hint">
                { label(lang, Label::SearchOf) }
                { lang.pick(": ", "：") }
                { scenario(lang, answer.story.as_ref().as_ref().name()) }
            </p>
        </article>
    }
}

/// What the fix changes: the options that differ from those of the search beside it.
fn fix(props: &Props, fixed: &Answer) -> Html {
    let Some(plain) = &props.search.answers[0] else {
        return Html::default();
    };
    let changed =
        address::differences(plain.story.as_ref().as_ref(), fixed.story.as_ref().as_ref());
    html! {
        <span data-testid="search-fix">
            { props.lang.pick(": ", "：") }
            { breakable(&changed.join(props.lang.pick(", ", "，"))) }
        </span>
    }
}

/// What can be reached: each with the run that does.
fn reachable(props: &Props, answer: &Answer, is_fixed: bool) -> Html {
    let lang = props.lang;
    html! {
        for (number, shown) in answer.reachable() {
            <p class="reachable" data-testid="search-reachable">
                { words::reachable(lang, answer, number) }
                if shown.is_some() && !is_fixed {
                    { " " }
                    <button
                        onclick={props.does(Deed::Open(Which::Reached(number)))}
                        data-testid={format!("search-reached-{number}")}
                    >
                        { label(lang, Label::SearchOpen) }
                    </button>
                }
            </p>
        }
    }
}

/// What holds, one by one.
fn promises(lang: Lang, answer: &Answer) -> Html {
    let is_votes = answer.story.as_ref().as_ref().votes().is_some();
    let reachable: Vec<u32> = answer.reachable().map(|(number, _)| number).collect();
    let all = (0..answer.properties().len() as u32).filter(|it| !reachable.contains(it));
    html! {
        <ul class="promises">
            for number in all {
                <li>{ words::promise(lang, is_votes, number) }</li>
            }
        </ul>
    }
}

fn doors(props: &Props, answer: &Rc<Answer>, is_fixed: bool) -> Html {
    let lang = props.lang;
    let has_fix =
        !is_fixed && answer.broken.is_some() && fit::fixed(&answer.story, answer.subject).is_some();
    html! {
        <p class="doors">
            if let Some(broken) = &answer.broken {
                <button
                    class="primary"
                    onclick={props.does(Deed::Open(Which::Broken(is_fixed)))}
                    data-testid="search-open"
                >
                    { label(lang, Label::SearchOpen) }
                </button>
                <button onclick={copy(props, answer, broken)} data-testid="search-copy">
                    { label(lang, Label::SearchCopy) }
                </button>
                <button onclick={save(answer, broken)} data-testid="search-save">
                    { label(lang, Label::SearchSave) }
                </button>
            }
            if has_fix {
                <button
                    title={label(lang, Label::SearchFixHint)}
                    disabled={props.search.running().is_some()}
                    onclick={props.does(Deed::BeginFixed)}
                    data-testid="search-fix"
                >
                    { label(lang, Label::SearchFix) }
                </button>
            }
        </p>
    }
}

fn copy(props: &Props, answer: &Rc<Answer>, broken: &Finding) -> yew::Callback<MouseEvent> {
    let (answer, choices) = (Rc::clone(answer), Rc::clone(&broken.choices));
    let on = props.on.clone();
    yew::Callback::from(move |_: MouseEvent| {
        let address = Address::of_run(answer.story.as_ref().as_ref(), answer.subject, &choices);
        let link = browser::link(&address.write());
        let (shown, on) = (link.clone(), on.clone());
        browser::copy(link, move |is_done| {
            let (about, detail) = match is_done {
                true => (Label::SearchCopied, String::new()),
                false => (Label::SearchNotCopied, shown),
            };
            on.emit(Action::Notify(Notice {
                about,
                detail,
                field: None,
            }));
        });
    })
}

fn save(answer: &Rc<Answer>, broken: &Finding) -> yew::Callback<MouseEvent> {
    let (answer, choices) = (Rc::clone(answer), Rc::clone(&broken.choices));
    yew::Callback::from(move |_: MouseEvent| {
        let text = trail::file(answer.story.as_ref().as_ref(), &choices);
        browser::save("barrierscope-run.json", &text);
    })
}

/// The run that breaks something, step by step.
fn run(lang: Lang, broken: &Finding) -> Html {
    let last = broken.last().map_or(0, |view| view.step);
    let concerned = broken
        .last()
        .map(|view| words::concerned(lang, view, broken.property));
    let skipped = broken.steps().saturating_sub(broken.views.len());
    html! {
        <>
            if let Some(concerned) = concerned.filter(|it| !it.is_empty()) {
                <p class="concerned" data-testid="search-concerned">
                    <strong>{ label(lang, Label::SearchConcerned) }{ lang.pick(": ", "：") }</strong>
                    { concerned.join(lang.pick("; ", "；")) }
                </p>
            }
            <h4>{ label(lang, Label::SearchRun) }</h4>
            if skipped > 0 {
                <p class="hint">{ format!("… {}", number(skipped as u64)) }</p>
            }
            <ol class="steps" start={(skipped + 1).to_string()} data-testid="search-steps">
                for view in &broken.views {
                    { step(lang, view, view.step == last) }
                }
            </ol>
        </>
    }
}

fn step(lang: Lang, view: &View, is_last: bool) -> Html {
    let told = telling(view, lang, false);
    let fault = is_fault(view);
    html! {
        <li
            class={classes!(is_last.then_some("breaks"), fault.then_some("is-fault"))}
            value={view.step.to_string()}
        >
            { breakable(&told.what) }
            if is_last {
                <strong>{ " ← " }{ label(lang, Label::SearchBreaks) }</strong>
                if !told.why.is_empty() {
                    <small>{ breakable(&told.why) }</small>
                }
            }
        </li>
    }
}

/// Whether a step is a fault: nothing that happens by itself.
fn is_fault(view: &View) -> bool {
    let is_it = |kind| {
        matches!(
            kind,
            MarkKind::Fault | MarkKind::Broken | MarkKind::Redeployed
        )
    };
    view.run.with(|session| {
        let mut marks = session.marks().iter();
        marks.any(|mark| mark.step as usize == view.step && is_it(mark.kind))
    })
}
