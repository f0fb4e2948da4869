//! The bar above the stage while a lesson is open: what it is about, the question, and the run's answer.

use yew::{Callback, Html, MouseEvent, Properties, classes, component, html};

use super::option_name::breakable;
use crate::state::lesson::{Answer, LESSONS};
use crate::state::{Action, Page, Predicted, Sight, Task};
use crate::text::lesson as words;
use crate::text::{Label, Lang, label};

/// How far a part of a lesson is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The run is not where it asks yet.
    Before,
    /// It asks.
    Asks,
    /// A prediction is there, and the run has not answered yet.
    Awaits(Predicted),
    /// The run has answered.
    Told(Predicted),
    /// The run is another one by now: somebody plays with it.
    Left,
}

impl Stage {
    /// How far a part is on the page.
    pub fn of(page: &Page, task: Task) -> Self {
        if !page.view.run.is_untouched() {
            return Self::Left;
        }
        let goes_on = page.halt().is_some();
        match (page.predictions.get(&task), goes_on) {
            (None, true) => Self::Before,
            (None, false) => Self::Asks,
            (Some(it), true) => Self::Awaits(*it),
            (Some(it), false) => Self::Told(*it),
        }
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Asks => "asks",
            Self::Awaits(_) => "awaits",
            Self::Told(_) => "told",
            Self::Left => "left",
        }
    }
}

/// What the bar depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The part of a lesson that is open.
    pub task: Task,
    /// How far it is.
    pub stage: Stage,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The bar.
#[component]
pub fn LessonBar(props: &Props) -> Html {
    let (lang, task, on) = (props.lang, props.task, &props.on);
    let (taught, asked) = (task.lesson().words(lang), task.part().words(lang));
    let question = || html! { <p class="question">{ breakable(asked.ask) }</p> };
    let now = match props.stage {
        Stage::Before => onward(lang, Label::ToQuestion, Some(Label::WillAsk), on),
        Stage::Asks => html! { <>{ question() }{ answers(props, None) }</> },
        Stage::Awaits(predicted) => html! {
            <>
                { question() }
                { answers(props, Some((predicted, false))) }
                { onward(lang, Label::ToAnswer, None, on) }
            </>
        },
        Stage::Told(predicted) => html! {
            <>
                { question() }
                { answers(props, Some((predicted, true))) }
                <p class="why">
                    <strong>{ words::told(lang, predicted.given == predicted.right) }</strong>
                    { " " }
                    { breakable(asked.why) }
                </p>
                if task.is_last_part() {
                    <p class="keep">{ breakable(taught.keep) }</p>
                }
                if task.next().is_none() {
                    <p class="why">{ words::finished(lang, LESSONS.len()) }</p>
                }
                { next(props) }
            </>
        },
        Stage::Left => html! {
            <>
                <p class="case-says">{ label(lang, Label::LessonLeft) }</p>
                <button
                    onclick={on.reform(move |_: MouseEvent| Action::Learn(task))}
                    data-testid="lesson-again"
                >
                    { label(lang, Label::LessonAgain) }
                </button>
            </>
        },
    };
    html! {
        <section
            class="case-bar lesson-bar panel"
            aria-label={taught.title}
            data-testid="lesson"
            data-stage={props.stage.code()}
        >
            <div class="case-head">
                <button
                    class="quiet to-gallery"
                    title={label(lang, Label::ToLessonsHint)}
                    onclick={on.reform(|_: MouseEvent| Action::Look(Sight::Lessons))}
                    data-testid="to-lessons"
                >
                    { "‹\u{a0}" }{ label(lang, Label::ToLessons) }
                </button>
                <span class="ticket">{ words::number(lang, task) }</span>
                <h2>{ breakable(taught.title) }</h2>
            </div>
            // Who is asked early can still read what it is about.
            if props.stage == Stage::Before || task.number() == 1 && !matches!(props.stage, Stage::Told(_)) {
                <p class="case-says">{ breakable(taught.idea) }</p>
            }
            <div class="lesson-now" aria-live="polite">{ now }</div>
        </section>
    }
}

/// The button that leads to where the lesson stops next.
fn onward(lang: Lang, says: Label, hint: Option<Label>, on: &Callback<Action>) -> Html {
    html! {
        <div class="onward">
            <button
                onclick={on.reform(|_: MouseEvent| Action::Onward)}
                data-testid="lesson-onward"
            >
                { label(lang, says) }{ "\u{a0}›" }
            </button>
            if let Some(hint) = hint {
                <span class="hint">{ label(lang, hint) }</span>
            }
        </div>
    }
}

/// The answers: to choose from, or with the one that was given and, once the run has told, the right one.
fn answers(props: &Props, predicted: Option<(Predicted, bool)>) -> Html {
    let all = props.task.part().answers.iter().enumerate();
    html! {
        <div class="answers" role="group" aria-label={label(props.lang, Label::Answers)}>
            for (at, answer) in all {
                { choice(props, at, answer, predicted) }
            }
        </div>
    }
}

fn choice(props: &Props, at: usize, answer: &Answer, predicted: Option<(Predicted, bool)>) -> Html {
    let lang = props.lang;
    let given = predicted.is_some_and(|(it, _)| it.given == at);
    let told = predicted.filter(|(_, told)| *told).map(|(it, _)| it);
    let right = told.is_some_and(|it| it.right == at);
    let wrong = told.is_some() && given && !right;
    let sign = match (right, wrong) {
        (true, _) => "✓ ",
        (_, true) => "✕ ",
        _ => "",
    };
    html! {
        <button
            class={classes!(
                "answer",
                given.then_some("given"),
                right.then_some("right"),
                wrong.then_some("wrong"),
            )}
            aria-pressed={given.to_string()}
            disabled={told.is_some()}
            onclick={props.on.reform(move |_: MouseEvent| Action::Predict(at))}
            data-testid={format!("answer-{at}")}
        >
            <span aria-hidden="true">{ sign }</span>
            { breakable(answer.words(lang)) }
            if let Some(says) = words::remark(lang, given, right, told.is_some()) {
                <span class="unseen">{ says }</span>
            }
        </button>
    }
}

/// What comes after a part.
fn next(props: &Props) -> Html {
    let (lang, task, on) = (props.lang, props.task, &props.on);
    let Some(next) = task.next() else {
        return Html::default();
    };
    let title = next.lesson().words(lang).title;
    html! {
        <button
            class="lesson-next"
            onclick={on.reform(move |_: MouseEvent| Action::Learn(next))}
            data-testid="lesson-next"
        >
            { words::next(lang, next, title) }{ "\u{a0}›" }
        </button>
    }
}
