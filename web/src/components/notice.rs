//! A message to the person, above everything else, until it is dismissed.

use yew::{Callback, Html, MouseEvent, classes, html};

use crate::state::{Action, Notice};
use crate::text::{Label, Lang, label};

/// A message.
pub fn notice(notice: &Notice, lang: Lang, on: &Callback<Action>) -> Html {
    html! {
        <div
            class={classes!("notice", (notice.about == Label::OptionsIgnored).then_some("calm"))}
            role="alert"
            data-testid="notice"
        >
            <p>
                <strong>{ label(lang, notice.about) }</strong>
                <span>{ notice.detail.clone() }</span>
            </p>
            <button onclick={on.reform(|_: MouseEvent| Action::Dismiss)}>
                { label(lang, Label::Dismiss) }
            </button>
        </div>
    }
}
