//! A button for something that may be done now: it stays in its place where it may not, and says when it may.

use barrierscope_core::scene::Choice;
use yew::{Callback, Html, MouseEvent, html};

use crate::state::{Action, View};
use crate::text::{self, Label, Lang, label};

/// What a button is for.
pub(super) struct Deed<'a> {
    /// What it says.
    pub word: String,
    /// To whom it is done, where that is not said beside it for everybody.
    pub whom: Option<&'a str>,
    /// What it does, if it may be done now.
    pub found: Option<Choice>,
    /// When else.
    pub when: Label,
    /// How it looks.
    pub look: &'static str,
    /// Its name for tests.
    pub id: String,
}

/// The button.
pub(super) fn deed(view: &View, lang: Lang, on: &Callback<Action>, deed: Deed<'_>) -> Html {
    let says = match deed.found {
        Some(choice) => text::choice(&view.lexicon(lang), choice),
        None => label(lang, deed.when).to_owned(),
    };
    let act = (deed.found).map(|choice| on.reform(move |_: MouseEvent| Action::Do(choice)));
    html! {
        <button
            key={deed.id.clone()}
            class={deed.look}
            disabled={deed.found.is_none()}
            title={says}
            aria-label={deed.whom.map(|whom| format!("{} {whom}", deed.word))}
            onclick={act}
            data-testid={deed.id}
        >
            { deed.word }
        </button>
    }
}
