//! The lessons: a path of short ones, each over a live run.

use std::rc::Rc;

use yew::{Callback, Html, MouseEvent, Properties, classes, component, html};

use super::option_name::breakable;
use crate::state::lesson::{LESSONS, Lesson, done};
use crate::state::{Action, Predictions, Task};
use crate::text::lesson as words;
use crate::text::{Label, Lang, label};

/// What the list depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What was predicted so far.
    pub predictions: Rc<Predictions>,
    /// The part that is open on the stage.
    pub open: Option<Task>,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The list.
#[component]
pub fn Lessons(props: &Props) -> Html {
    let lang = props.lang;
    html! {
        <section
            class="sheet panel lessons"
            id="stage"
            aria-label={label(lang, Label::Lessons)}
            data-testid="lessons"
        >
            <h2 tabindex="0">{ label(lang, Label::Lessons) }</h2>
            <p class="hint">{ label(lang, Label::LessonsHint) }</p>
            <ol>
                for (place, lesson) in LESSONS.iter().enumerate() {
                    { card(props, place, lesson) }
                }
            </ol>
        </section>
    }
}

fn card(props: &Props, place: usize, lesson: &'static Lesson) -> Html {
    let lang = props.lang;
    let taught = lesson.words(lang);
    let right = done(&props.predictions, place);
    let is_open = props.open.is_some_and(|open| open.place() == place);
    // Who has begun goes on.
    let task = props.open.filter(|_| is_open).or(Task::first_of(place));
    let Some(task) = task else {
        return Html::default();
    };
    html! {
        <li class={classes!(is_open.then_some("marked"), right.is_some().then_some("done"))}>
            <button
                class="lesson-card"
                aria-current={is_open.then_some("true")}
                onclick={props.on.reform(move |_: MouseEvent| Action::Learn(task))}
                data-testid={format!("lesson-{}", place + 1)}
            >
                <span class="lesson-number" aria-hidden="true">{ place + 1 }</span>
                <span class="lesson-words">
                    <strong>{ breakable(taught.title) }</strong>
                    if let Some(right) = right {
                        // Before, it would give the answers away.
                        <small>{ breakable(taught.keep) }</small>
                        <em class="lesson-done">{ words::done(lang, right, lesson.parts.len()) }</em>
                    }
                </span>
            </button>
        </li>
    }
}
