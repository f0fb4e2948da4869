//! The runs: the one of the scenario, and the branches that a person made.

use std::rc::Rc;

use yew::{Callback, Html, MouseEvent, html};

use crate::same::Same;
use crate::state::{Action, Run, View};
use crate::text::{Label, Lang, choice, label, number};

/// The list of runs; nothing while there is only one.
pub fn runs(view: &View, runs: &[Same<Run>], lang: Lang, on: &Callback<Action>) -> Html {
    html! {
        <section class="runs" data-testid="runs" hidden={runs.len() < 2}>
            <h2>{ label(lang, Label::Runs) }</h2>
            <ol>
                for (place, run) in runs.iter().enumerate() {
                    <li key={run.number}>
                        <button
                            class="choice"
                            data-testid="run"
                            aria-pressed={Rc::ptr_eq(&run.0, &view.run).to_string()}
                            onclick={on.reform(move |_: MouseEvent| Action::Run(place))}
                        >
                            { name(view, run, lang) }
                        </button>
                    </li>
                }
            </ol>
        </section>
    }
}

fn name(view: &View, run: &Run, lang: Lang) -> String {
    let head = format!("{} {}", label(lang, Label::Run), run.number);
    let Some(origin) = &run.origin else {
        return head;
    };
    let what = choice(&view.lexicon(lang), origin.choice);
    let step = number(origin.step as u64);
    match lang {
        Lang::En => format!("{head} · {what}, after step {step}"),
        Lang::Zh => format!("{head} · 第 {step} 步之后，{what}"),
    }
}
