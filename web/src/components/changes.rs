//! What a fix changes in a scenario, option by option: computed from the two.

use yew::{Html, html};

use super::option_name::breakable;
use crate::state::Report;
use crate::state::gallery::changed;
use crate::text::{Label, Lang, label};

/// The options that a report's fix changes, each with what it was and what it is.
pub(super) fn changes(lang: Lang, report: &Report) -> Html {
    let value = |value: Option<String>| match value {
        Some(value) => html! { <code>{ breakable(&value) }</code> },
        None => html! { <em>{ label(lang, Label::NotSet) }</em> },
    };
    html! {
        <table class="changes" aria-label={label(lang, Label::FixChanges)}>
            <thead>
                <tr>
                    <th scope="col">{ label(lang, Label::Option) }</th>
                    <th scope="col">{ label(lang, Label::WithoutFix) }</th>
                    <th scope="col">{ label(lang, Label::WithFix) }</th>
                </tr>
            </thead>
            <tbody>
                for change in changed(report) {
                    <tr>
                        <th scope="row"><code>{ breakable(&change.path) }</code></th>
                        <td class="old">{ value(change.old) }</td>
                        <td class="new">{ value(change.new) }</td>
                    </tr>
                }
            </tbody>
        </table>
    }
}
