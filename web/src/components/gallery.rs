//! The gallery: public fault reports, what each is about, and what the model makes of it.

use barrierscope_core::symptom::Symptom;
use web_sys::{Element, HtmlInputElement, InputEvent};
use yew::{
    Callback, Html, MouseEvent, Properties, TargetCast, classes, component, html, use_effect_with,
    use_node_ref,
};

use super::changes::changes;
use super::found::both;
use super::option_name::breakable;
use crate::same::Same;
use crate::state::gallery::{Excerpt, Gallery as Known, SYMPTOMS, code};
use crate::state::{Action, REPORTS, Report, Reported};
use crate::text::gallery::{filter, progress, symptom, system};
use crate::text::{Label, Lang, label};

/// What the gallery depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// What of it is shown.
    pub excerpt: Excerpt,
    /// What the reports come to, as far as they were run.
    pub gallery: Same<Known>,
    /// The report that is open on the stage.
    pub open: Option<Reported>,
    /// The language.
    pub lang: Lang,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The gallery.
#[component]
pub fn Gallery(props: &Props) -> Html {
    let (lang, excerpt, on) = (props.lang, &props.excerpt, &props.on);
    let sheet = use_node_ref();
    {
        // Who comes by a link that opens a card, or back from the stage, looks at that card.
        let sheet = sheet.clone();
        use_effect_with((), move |()| {
            let open = sheet
                .cast::<Element>()
                .and_then(|sheet| sheet.query_selector(".report.opened").ok().flatten());
            if let Some(card) = open {
                card.scroll_into_view();
            }
        });
    }
    let groups = excerpt.shown(lang);
    let shown: usize = groups.iter().map(|(_, places)| places.len()).sum();
    let to_run = Known::all() - props.gallery.done();
    let search = on.reform(|event: InputEvent| {
        let input: HtmlInputElement = event.target_unchecked_into();
        Action::Find(input.value())
    });
    html! {
        <section
            class="sheet panel gallery"
            id="stage"
            ref={sheet}
            aria-label={label(lang, Label::Gallery)}
            aria-busy={(to_run > 0).to_string()}
            data-testid="gallery"
            data-shown={shown.to_string()}
            data-to-run={to_run.to_string()}
        >
            <h2 tabindex="0">{ label(lang, Label::Gallery) }</h2>
            <p class="hint">{ label(lang, Label::GalleryHint) }</p>
            <div class="gallery-tools">
                <label class="search">
                    <span class="unseen">{ label(lang, Label::Search) }</span>
                    <input
                        type="search"
                        placeholder={label(lang, Label::SearchHint)}
                        value={excerpt.find.clone()}
                        oninput={search}
                        data-testid="search"
                    />
                </label>
                <div class="filters" role="group" aria-label={label(lang, Label::WentWrong)}>
                    { button(props, None) }
                    for kind in SYMPTOMS {
                        { button(props, Some(kind)) }
                    }
                </div>
                <p class="hint" role="status" aria-live="polite">
                    { progress(lang, shown, REPORTS.len(), to_run) }
                </p>
            </div>
            if shown == 0 {
                <p class="nothing">{ label(lang, Label::NothingFound) }</p>
            }
            for (group, places) in groups {
                <section class="group" key={format!("{group:?}")}>
                    <h3>
                        { system(lang, group) }
                        <span class="count">{ places.len() }</span>
                    </h3>
                    <ul>
                        for place in places {
                            { card(props, place) }
                        }
                    </ul>
                </section>
            }
        </section>
    }
}

/// The button that shows only what went wrong in one way.
fn button(props: &Props, only: Option<Symptom>) -> Html {
    let lang = props.lang;
    let count = props.excerpt.count(lang, only);
    let word = only.map_or(label(lang, Label::All), |only| symptom(lang, only));
    html! {
        <button
            aria-pressed={(props.excerpt.only == only).to_string()}
            aria-label={filter(lang, only, count)}
            data-testid={format!("only-{}", only.map_or("all", code))}
            onclick={props.on.reform(move |_: MouseEvent| Action::Only(only))}
        >
            { word }
            { " " }
            <small>{ count }</small>
        </button>
    }
}

/// A report: a line, and all there is to say about it when it is opened.
fn card(props: &Props, place: usize) -> Html {
    let (lang, report) = (props.lang, &REPORTS[place]);
    let words = report.words(lang);
    let is_open = props.excerpt.card == Some(place);
    let toggle = {
        let next = (!is_open).then_some(place);
        props.on.reform(move |_: MouseEvent| Action::Card(next))
    };
    let on_stage = props.open.is_some_and(|open| open.place() == place);
    html! {
        <li
            class={classes!("report", is_open.then_some("opened"))}
            key={report.id}
            aria-current={on_stage.then_some("true")}
        >
            <button
                class="report-head"
                aria-expanded={is_open.to_string()}
                onclick={toggle}
                data-testid={format!("report-{}", report.id)}
            >
                <span class="ticket">{ breakable(report.ticket) }</span>
                <strong>{ breakable(words.title) }</strong>
                <span class="came-to" data-testid={format!("found-{}", report.id)}>
                    if let Some(reported) = Reported::at(place) {
                        { both(lang, &props.gallery, reported) }
                    } else {
                        <span class="chip">{ label(lang, Label::NoScenario) }</span>
                    }
                </span>
            </button>
            if is_open {
                <div class="report-body">
                    { told(lang, report) }
                    <div class="report-side">
                        if report.has_fix() {
                            <h4>{ label(lang, Label::FixChanges) }</h4>
                            { changes(lang, report) }
                        }
                        if let Some(reported) = Reported::at(place) {
                            { doors(props, reported) }
                        }
                    </div>
                </div>
            }
        </li>
    }
}

/// All there is to say about a report.
fn told(lang: Lang, report: &Report) -> Html {
    let words = report.words(lang);
    let rows = [
        (Label::WentWrong, words.wrong),
        (Label::Why, words.why),
        (Label::TheFix, words.fix),
        (Label::Versions, words.versions),
        (Label::ScenarioNote, words.note.unwrap_or_default()),
    ];
    html! {
        <dl class="told">
            for (name, text) in rows {
                if !text.is_empty() {
                    <div>
                        <dt>{ label(lang, name) }</dt>
                        <dd>{ breakable(text) }</dd>
                    </div>
                }
            }
            <div>
                <dt>{ label(lang, Label::Source) }</dt>
                <dd>
                    { breakable(words.source) }
                    if let Some(link) = report.link {
                        { " " }
                        <a href={link} target="_blank" rel="noopener noreferrer">
                            { label(lang, Label::ReadOn) }{ "\u{a0}↗" }
                        </a>
                    }
                </dd>
            </div>
        </dl>
    }
}

/// The buttons that open a report on the stage.
fn doors(props: &Props, reported: Reported) -> Html {
    let lang = props.lang;
    let open = |reported: Reported| {
        props
            .on
            .reform(move |_: MouseEvent| Action::Report(reported))
    };
    let (id, has_fix) = (reported.report().id, reported.report().has_fix());
    let word = if has_fix {
        Label::OpenReport
    } else {
        Label::OpenCalm
    };
    html! {
        <p class="doors">
            <button class="primary" onclick={open(reported)} data-testid={format!("open-{id}")}>
                { label(lang, word) }
            </button>
            if has_fix {
                <button onclick={open(reported.with_fix(true))} data-testid={format!("open-{id}-fixed")}>
                    { label(lang, Label::OpenFixed) }
                </button>
            } else {
                <span class="hint">{ label(lang, Label::NoFixNeeded) }</span>
            }
        </p>
    }
}
