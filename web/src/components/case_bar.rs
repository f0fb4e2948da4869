//! The bar above the stage while a fault report is open: what it is about, and the switch of its fix.

use yew::{Callback, Html, MouseEvent, Properties, classes, component, html, use_state_eq};

use super::changes::changes;
use super::found::both;
use super::option_name::breakable;
use crate::same::Same;
use crate::state::gallery::Gallery;
use crate::state::{Action, Reported, Sight};
use crate::text::{Label, Lang, label};

/// What the bar depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The report.
    pub reported: Reported,
    /// What the reports come to, as far as they were run.
    pub gallery: Same<Gallery>,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The bar.
#[component]
pub fn CaseBar(props: &Props) -> Html {
    let is_open = use_state_eq(|| false);
    let toggle = {
        let is_open = is_open.clone();
        Callback::from(move |_: MouseEvent| is_open.set(!*is_open))
    };
    let (lang, reported, on) = (props.lang, props.reported, &props.on);
    let report = reported.report();
    let words = report.words(lang);
    let says = if reported.fixed {
        words.fix
    } else {
        words.wrong
    };
    html! {
        <section class="case-bar panel" aria-label={words.title} data-testid="case">
            <div class="case-head">
                <button
                    class="quiet to-gallery"
                    title={label(lang, Label::ToGalleryHint)}
                    onclick={on.reform(|_: MouseEvent| Action::Look(Sight::Gallery))}
                    data-testid="to-gallery"
                >
                    { "‹\u{a0}" }{ label(lang, Label::ToGallery) }
                </button>
                <span class="ticket">
                    if let Some(link) = report.link {
                        // The one thing here that needs a network, when it is followed.
                        <a href={link} target="_blank" rel="noopener noreferrer">
                            { breakable(report.ticket) }{ "\u{a0}↗" }
                        </a>
                    } else {
                        { breakable(report.ticket) }
                    }
                </span>
                <h2>{ breakable(words.title) }</h2>
                { both(lang, &props.gallery, reported) }
                if report.has_fix() {
                    { switch(lang, reported, on) }
                } else {
                    <span class="hint">{ label(lang, Label::NoFixNeeded) }</span>
                }
            </div>
            <p class="case-says" aria-live="polite">{ breakable(says) }</p>
            if report.has_fix() {
                <button
                    class="link"
                    aria-expanded={is_open.to_string()}
                    onclick={toggle}
                    data-testid="fix-changes"
                >
                    { label(lang, Label::FixChanges) }
                    <span aria-hidden="true">{ if *is_open { " ▾" } else { " ▸" } }</span>
                </button>
                if *is_open {
                    { changes(lang, report) }
                }
            }
        </section>
    }
}

/// The switch: off, the scenario is as reported; on, it has the fix.
fn switch(lang: Lang, reported: Reported, on: &Callback<Action>) -> Html {
    let fixed = reported.fixed;
    let state = if fixed { Label::FixOn } else { Label::FixOff };
    html! {
        <button
            class={classes!("switch", fixed.then_some("on"))}
            role="switch"
            aria-checked={fixed.to_string()}
            title={label(lang, Label::FixHint)}
            onclick={on.reform(move |_: MouseEvent| Action::Report(reported.with_fix(!fixed)))}
            data-testid="fix"
        >
            { label(lang, Label::Fix) }
            <span class="switch-slot" aria-hidden="true"><i /></span>
            <span class="switch-word" aria-hidden="true">{ label(lang, state) }</span>
        </button>
    }
}
