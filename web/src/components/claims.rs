//! Statements that people make about these systems, each with its verdict, the searches that decide it, and their runs.

use barrierscope_search::claim::{CameTo, Verdict};
use yew::{Callback, Html, MouseEvent, Properties, classes, component, html};

use super::icon::{Shape, icon};
use super::option_name::breakable;
use crate::same::Same;
use crate::state::Action;
use crate::state::claims::{CLAIMS, Case, Claim, Claims as Known, Deed};
use crate::text::claims as words;
use crate::text::search::time;
use crate::text::{Label, Lang, label};

/// What the statements depend on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What is known of them.
    pub claims: Same<Known>,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

impl Props {
    fn does(&self, deed: Deed) -> Callback<MouseEvent> {
        (self.on).reform(move |_: MouseEvent| Action::Claims(deed))
    }
}

/// The statements.
#[component]
pub fn Claims(props: &Props) -> Html {
    let (lang, known) = (props.lang, &props.claims);
    let is_running = known.running().is_some();
    html! {
        <section
            class="sheet panel claims"
            id="stage"
            aria-label={label(lang, Label::Claims)}
            aria-busy={is_running.to_string()}
            data-testid="claims"
            data-decided={known.decided().to_string()}
        >
            <h2 tabindex="0">{ label(lang, Label::Claims) }</h2>
            <p class="hint">{ label(lang, Label::ClaimsHint) }</p>
            <p class="doors">
                <button
                    class="primary"
                    disabled={is_running}
                    onclick={props.does(Deed::DecideAll)}
                    data-testid="claims-all"
                >
                    { label(lang, Label::ClaimsAll) }
                </button>
                if is_running {
                    <button onclick={props.does(Deed::Stop)} data-testid="claims-stop">
                        { label(lang, Label::SearchCancel) }
                    </button>
                }
                <span class="hint" role="status" aria-live="polite">
                    { words::progress(lang, known.decided(), CLAIMS.len()) }
                </span>
            </p>
            <ol>
                for (place, claim) in CLAIMS.iter().enumerate() {
                    { card(props, place, claim) }
                }
            </ol>
        </section>
    }
}

const fn look(verdict: Verdict) -> (&'static str, Shape) {
    match verdict {
        Verdict::True => ("right", Shape::Right),
        Verdict::TrueBut => ("open", Shape::Neither),
        Verdict::False => ("wrong", Shape::Wrong),
    }
}

fn card(props: &Props, place: usize, claim: &'static Claim) -> Html {
    let (lang, known) = (props.lang, &props.claims);
    let decided = known.verdict(place);
    let shown = decided.unwrap_or(claim.expected);
    let (look, shape) = look(shown);
    let [en, zh] = claim.says;
    let [why_en, why_zh] = claim.why;
    let differs = !known.is_as_expected(place);
    html! {
        <li
            class={classes!("claim", look, differs.then_some("differs"))}
            key={claim.id}
            data-testid={format!("claim-{}", claim.id)}
            data-decided={decided.is_some().to_string()}
            data-differs={differs.to_string()}
        >
            <header>
                <h3>{ breakable(lang.pick(en, zh)) }</h3>
                <span class="claim-verdict">
                    <span class="seal">{ icon(shape) }</span>
                    <strong>{ words::verdict(lang, shown) }</strong>
                    if decided.is_none() {
                        <small>{ label(lang, Label::ClaimsExpected) }</small>
                    }
                </span>
                <button
                    disabled={known.is_due(place)}
                    onclick={props.does(Deed::Decide(place))}
                    data-testid={format!("decide-{}", claim.id)}
                >
                    { label(lang, Label::ClaimsDecide) }
                </button>
            </header>
            <p class="why">{ breakable(lang.pick(why_en, why_zh)) }</p>
            if differs {
                <p class="refused" role="alert">{ label(lang, Label::ClaimsDiffer) }</p>
            }
            <ul>
                for (at, case) in claim.cases.iter().enumerate() {
                    { row(props, place, at, case) }
                }
            </ul>
        </li>
    }
}

/// A case: its configuration, what is asked, and what came out.
fn row(props: &Props, place: usize, at: usize, case: &Case) -> Html {
    let (lang, claims) = (props.lang, &props.claims);
    let [en, zh] = case.words;
    let known = claims.known(place, at);
    let running = claims
        .running()
        .filter(|running| running.place == (place, at));
    let expected = match case.expected {
        Some(steps) => words::came_to(lang, case.of, CameTo::Shows(steps)),
        None => words::never(lang, case.of).to_owned(),
    };
    html! {
        <li class={classes!("claim-case", case.but.then_some("but"))}>
            <span class="configuration">
                { breakable(lang.pick(en, zh)) }
                <small>{ words::faults(lang, case.faults) }</small>
            </span>
            <span class="asked-of">{ words::property(lang, case.of) }</span>
            <span class="came-out">
                if let Some(running) = running {
                    <em>{ words::searching(lang, running.progress.distinct) }</em>
                } else if let Some(known) = known {
                    <strong>{ words::came_to(lang, case.of, known.came_to) }</strong>
                    <small>{ time(lang, known.ms) }</small>
                    if !known.is_expected {
                        <small class="refused">{ label(lang, Label::ClaimsExpected) }{ lang.pick(": ", "：") }{ expected }</small>
                    }
                } else {
                    <span class="expected">{ expected }</span>
                }
            </span>
            if known.is_some_and(|known| known.shown.is_some()) {
                <button
                    onclick={props.does(Deed::Open(place, at))}
                    data-testid={format!("claim-open-{}-{at}", CLAIMS[place].id)}
                >
                    { label(lang, Label::SearchOpen) }
                </button>
            }
        </li>
    }
}
