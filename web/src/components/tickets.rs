//! The faults of Flink and its connectors that the versions of a job may still have.

use barrierscope_core::scenario::{Scenario, Ticket};
use web_sys::{Event, HtmlInputElement};
use yew::{Callback, Html, TargetCast, html};

use crate::state::{Action, Knob};
use crate::text::ticket::ticket as says;
use crate::text::{Label, Lang, label};

/// A switch for each fault, with what it does.
pub(super) fn tickets(lang: Lang, scenario: &Scenario, on: &Callback<Action>) -> Html {
    html! {
        <>
            <h2>{ label(lang, Label::Tickets) }</h2>
            for ticket in Ticket::ALL {
                { one(lang, scenario, ticket, on) }
            }
        </>
    }
}

fn one(lang: Lang, scenario: &Scenario, ticket: Ticket, on: &Callback<Action>) -> Html {
    let set = on.reform(move |event: Event| {
        let input: HtmlInputElement = event.target_unchecked_into();
        Action::Set(Knob::Unfixed(ticket, input.checked()))
    });
    html! {
        <label class="tick" key={ticket.key()}>
            <input
                type="checkbox"
                checked={scenario.unfixed.contains(&ticket)}
                onchange={set}
                data-testid={format!("unfixed-{}", ticket.key())}
            />
            <span>
                { ticket.key() }
                <span class="hint">{ says(lang, ticket) }</span>
            </span>
        </label>
    }
}
