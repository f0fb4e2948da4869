//! The search for a counterexample: what is asked, how far it is, what it has come to.

mod answer;
mod asked;
mod chart;
mod progress;

use std::rc::Rc;

use yew::{Callback, Html, MouseEvent, Properties, component, html};

use crate::same::Same;
use crate::state::search::{Deed, Phase, Running, Search as Known, Size};
use crate::state::{Action, Sight, View};
use crate::text::search::too_large;
use crate::text::{Label, Lang, label, original, scenario};

/// What the search depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is open: that is searched.
    pub view: Rc<View>,
    /// The search.
    pub search: Same<Known>,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

impl Props {
    /// Does something about the search, when a button is pressed.
    fn does(&self, deed: Deed) -> Callback<MouseEvent> {
        (self.on).reform(move |_: MouseEvent| Action::Search(deed.clone()))
    }
}

/// The search.
#[component]
pub fn Search(props: &Props) -> Html {
    let (lang, search) = (props.lang, &props.search);
    let size = props.view.run.with(|session| Size::of(session.story()));
    let name = props
        .view
        .run
        .with(|session| session.story().name().to_owned());
    let phase = match &search.phase {
        Phase::Idle => "idle",
        Phase::Running(running) if running.task.is_paused => "paused",
        Phase::Running(_) => "running",
        Phase::Cancelled(_) => "cancelled",
        Phase::Failed(_) => "failed",
    };
    html! {
        <section
            class="sheet panel hunt"
            id="stage"
            aria-label={label(lang, Label::SearchView)}
            aria-busy={(phase == "running").to_string()}
            data-testid="hunt"
            data-phase={phase}
        >
            <h2 tabindex="0">
                { label(lang, Label::SearchView) }
                <small data-testid="searched">{ scenario(lang, &name) }</small>
            </h2>
            <p class="hint">
                { label(lang, Label::SearchViewHint) }
                { " " }
                <button
                    class="link"
                    title={format!("{} (a)", label(lang, Label::Claims))}
                    onclick={props.on.reform(|_: MouseEvent| Action::Look(Sight::Claims))}
                    data-testid="to-claims"
                >
                    { label(lang, Label::ToClaims) }
                </button>
            </p>
            if size.is_too_large() {
                <p class="large" data-testid="too-large">
                    { too_large(lang, &size) }
                    { " " }
                    <button onclick={props.does(Deed::Small)} data-testid="search-small">
                        { label(lang, Label::SearchSmall) }
                    </button>
                </p>
            }
            { asked::asked(props) }
            <div role="status" aria-live="polite" class="unseen">{ aloud(lang, &search.phase) }</div>
            { state(props) }
            if search.answers.iter().any(Option::is_some) {
                { answer::answers(props) }
            }
        </section>
    }
}

/// What becomes of the search, in a word that is read out.
fn aloud(lang: Lang, phase: &Phase) -> &'static str {
    match phase {
        Phase::Idle => "",
        Phase::Running(running) if running.task.is_paused => label(lang, Label::SearchPaused),
        Phase::Running(_) => label(lang, Label::SearchRunning),
        Phase::Cancelled(_) => label(lang, Label::SearchCancelled),
        Phase::Failed(_) => label(lang, Label::SearchFailed),
    }
}

/// The search under way, and what one may do about it.
fn state(props: &Props) -> Html {
    let lang = props.lang;
    match &props.search.phase {
        Phase::Idle => html! {},
        Phase::Running(running) => html! {
            <div class="under-way">
                { progress::progress(lang, running) }
                { controls(props, running) }
            </div>
        },
        Phase::Cancelled(running) => html! {
            <div class="under-way">
                { progress::progress(lang, running) }
                <p class="search-cancelled" data-testid="search-cancelled">{ label(lang, Label::SearchCancelled) }</p>
            </div>
        },
        Phase::Failed(why) => html! {
            <p class="refused" data-testid="search-failed">
                { label(lang, Label::SearchFailed) }
                { " " }
                { original(lang, why) }
            </p>
        },
    }
}

fn controls(props: &Props, running: &Running) -> Html {
    let (lang, is_paused) = (props.lang, running.task.is_paused);
    let word = if is_paused {
        Label::SearchResume
    } else {
        Label::SearchPause
    };
    html! {
        <p class="doors">
            <button onclick={props.does(Deed::Pause(!is_paused))} data-testid="search-pause">
                { label(lang, word) }
            </button>
            <button onclick={props.does(Deed::Cancel)} data-testid="search-cancel">
                { label(lang, Label::SearchCancel) }
            </button>
            <span class="hint">
                if is_paused {
                    { label(lang, Label::SearchPaused) }
                } else {
                    { label(lang, Label::SearchRunning) }
                }
            </span>
        </p>
    }
}
