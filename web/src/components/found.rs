//! What a run of a fault report comes to, as a small sign: a word, a number, a colour, and a shape.

use std::rc::Rc;

use barrierscope_core::symptom::{Found, Symptom};
use yew::{Html, classes, html};

use crate::state::Reported;
use crate::state::gallery::{Gallery, code};
use crate::text::gallery::found as says;
use crate::text::{Label, Lang, label};

/// What a report comes to without its fix, and with it.
pub(super) fn both(lang: Lang, gallery: &Gallery, reported: Reported) -> Html {
    let place = reported.place();
    html! {
        <span class="both">
            { chip(lang, gallery.found(place, false), Label::WithoutFix) }
            if reported.report().has_fix() {
                <span class="arrow" aria-hidden="true">{ "→" }</span>
                { chip(lang, gallery.found(place, true), Label::WithFix) }
            }
        </span>
    }
}

fn chip(lang: Lang, found: Option<&Rc<Found>>, side: Label) -> Html {
    let Some(found) = found else {
        return html! {
            <span class="chip" title={label(lang, side)}>{ label(lang, Label::RunningReport) }</span>
        };
    };
    let (look, sign) = look(found.symptom);
    html! {
        <span
            class={classes!("chip", look)}
            title={label(lang, side)}
            data-symptom={code(found.symptom)}
        >
            <span class="unseen">{ label(lang, side) }{ lang.pick(": ", "：") }</span>
            <span aria-hidden="true">{ sign }</span>
            { says(lang, found) }
        </span>
    }
}

/// The colour and the sign: what is wrong and what is right must be told apart without colours, too.
pub(super) const fn look(symptom: Symptom) -> (&'static str, &'static str) {
    match symptom {
        Symptom::Ok => ("right", "✓ "),
        Symptom::Stuck | Symptom::Fenced => ("stuck", "! "),
        Symptom::Loss | Symptom::Duplicates | Symptom::Both | Symptom::Miscounted => {
            ("wrong", "✕ ")
        }
    }
}
