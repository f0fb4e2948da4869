//! What can be given away and taken away: the link, a frame for another page, the scenario, the run, pictures.

use web_sys::{Event, HtmlElement, HtmlInputElement, HtmlSelectElement};
use yew::{
    AttrValue, Callback, Html, InputEvent, KeyboardEvent, MouseEvent, Properties, TargetCast,
    component, html, use_effect_with, use_node_ref, use_state,
};

use super::trap::keep_within;
use crate::browser;
use crate::export::format::Format;
use crate::export::recording::Stretch;
use crate::export::wish::Wish;
use crate::state::{Action, Sharing};
use crate::text::{Label, Lang, label};

/// What the dialog depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The language.
    pub lang: Lang,
    /// The step that is looked at.
    pub step: usize,
    /// The last step.
    pub last: usize,
    /// The link to what is shown.
    pub link: AttrValue,
    /// What a page has to hold to have this in a frame.
    pub frame: AttrValue,
    /// Whether the stage is shown, of which pictures are taken.
    pub has_stage: bool,
    /// How far things are.
    pub sharing: Sharing,
    /// Where actions go.
    pub on: Callback<Action>,
    /// Where wishes go.
    pub wish: Callback<Wish>,
}

/// Which stretch is chosen: by which of the three ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    All,
    Around,
    Between,
}

impl Way {
    const ALL: [(Self, &'static str, Label); 3] = [
        (Self::Around, "around", Label::StretchAround),
        (Self::All, "all", Label::StretchAll),
        (Self::Between, "between", Label::StretchBetween),
    ];
}

/// The dialog.
#[component]
pub fn Share(props: &Props) -> Html {
    let lang = props.lang;
    let dialog = use_node_ref();
    {
        let dialog = dialog.clone();
        use_effect_with((), move |()| {
            let first = dialog
                .cast::<HtmlElement>()
                .and_then(|it| it.query_selector("[data-testid=copy-link]").ok().flatten());
            if let Some(first) = first {
                browser::focus(&first);
            }
        });
    }
    let way = use_state(|| Way::Around);
    let ends = use_state(|| (0, props.last));
    let stretch = match *way {
        Way::All => Stretch::All,
        Way::Around => Stretch::Around(props.step),
        Way::Between => Stretch::Between(ends.0, ends.1),
    };
    let close = props.on.reform(|_: MouseEvent| Action::Share(false));
    let press = {
        let (on, dialog) = (props.on.clone(), dialog.clone());
        Callback::from(move |event: KeyboardEvent| {
            // The keys of the page mean nothing here.
            event.stop_propagation();
            match event.key().as_str() {
                "Escape" => on.emit(Action::Share(false)),
                "Tab" => keep_within(&event, dialog.cast()),
                _ => {}
            }
        })
    };
    let choose_way = {
        let way = way.clone();
        Callback::from(move |event: Event| {
            let value = event.target_unchecked_into::<HtmlSelectElement>().value();
            if let Some((chosen, ..)) = Way::ALL.into_iter().find(|(_, code, _)| *code == value) {
                way.set(chosen);
            }
        })
    };
    let end = |is_first: bool| {
        let (ends, last) = (ends.clone(), props.last);
        Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let step = input.value().trim().parse::<usize>().unwrap_or(0).min(last);
            let (from, to) = *ends;
            ends.set(if is_first { (step, to) } else { (from, step) });
        })
    };
    let pick = {
        let on = props.on.clone();
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            if let Some(file) = input.files().and_then(|files| files.get(0)) {
                on.emit(Action::Share(false));
                browser::read_file(file, on.clone());
            }
        })
    };
    let (from, to) = stretch.bounds(props.last);
    html! {
        <div class="dialog-place">
            <div class="veil dim" onclick={close.clone()} />
            <div
                class="dialog panel share"
                role="dialog"
                aria-modal="true"
                aria-label={label(lang, Label::Share)}
                ref={dialog}
                onkeydown={press}
                data-testid="share-dialog"
            >
                <header>
                    <h2>{ label(lang, Label::Share) }</h2>
                    <button class="quiet" onclick={close} data-testid="share-close">{ label(lang, Label::Close) }</button>
                </header>
                <p class="share-says" role="status" data-testid="share-says">
                    { props.sharing.says.map_or("", |says| label(lang, says)) }
                </p>
                { give(props, Label::Link, &props.link, "link", Wish::CopyLink, Label::LinkHint) }
                { give(props, Label::Frame, &props.frame, "frame", Wish::CopyFrame, Label::FrameHint) }
                <h3>{ label(lang, Label::Scenario) }</h3>
                <div class="share-row">
                    { wish(props, Label::SaveScenario, Wish::SaveScenario, "save-scenario") }
                    <label class="file-button">
                        { label(lang, Label::OpenFile) }
                        <input type="file" accept=".json,application/json" onchange={pick} data-testid="open-file" />
                    </label>
                </div>
                <p class="hint">{ label(lang, Label::OpenFileHint) }</p>
                <h3>{ label(lang, Label::Picture) }</h3>
                if props.has_stage {
                    <div class="share-row">
                        { wish(props, Label::SaveSvg, Wish::SaveSvg, "save-svg") }
                        { wish(props, Label::SavePng, Wish::SavePng, "save-png") }
                    </div>
                } else {
                    <p class="hint">{ label(lang, Label::NoStage) }</p>
                }
                <h3>{ label(lang, Label::Steps) }</h3>
                <div class="share-row stretch">
                    <select aria-label={label(lang, Label::Steps)} onchange={choose_way} data-testid="stretch">
                        for (each, code, name) in Way::ALL {
                            <option value={code} selected={each == *way}>{ label(lang, name) }</option>
                        }
                    </select>
                    if *way == Way::Between {
                        { step_field(lang, Label::FromStep, ends.0, props.last, end(true), "stretch-from") }
                        { step_field(lang, Label::ToStep, ends.1, props.last, end(false), "stretch-to") }
                    } else {
                        <span class="hint">{ format!("{from} … {to}") }</span>
                    }
                </div>
                <ul class="formats">
                    for format in Format::ALL {
                        { steps(props, format, stretch) }
                    }
                    if props.has_stage {
                        { film(props, stretch) }
                    }
                </ul>
                <h3>{ label(lang, Label::Afresh) }</h3>
                <div class="share-row">
                    { wish(props, Label::Afresh, Wish::Afresh, "afresh") }
                </div>
                <p class="hint">{ label(lang, Label::AfreshHint) }</p>
            </div>
        </div>
    }
}

/// A text that is copied as a whole, or by hand.
fn give(props: &Props, name: Label, text: &AttrValue, id: &str, wish: Wish, hint: Label) -> Html {
    let lang = props.lang;
    // What is selected is copied by hand, where the browser does not let the page do it.
    let select = Callback::from(|event: MouseEvent| {
        let input: HtmlInputElement = event.target_unchecked_into();
        input.select();
    });
    html! {
        <>
            <h3>{ label(lang, name) }</h3>
            <div class="share-row">
                <input
                    readonly=true
                    value={text.clone()}
                    aria-label={label(lang, name)}
                    onclick={select}
                    data-testid={format!("{id}-text")}
                />
                <button onclick={props.wish.reform(move |_: MouseEvent| wish)} data-testid={format!("copy-{id}")}>
                    { label(lang, Label::Copy) }
                </button>
            </div>
            <p class="hint">{ label(lang, hint) }</p>
        </>
    }
}

fn wish(props: &Props, name: Label, wish: Wish, id: &'static str) -> Html {
    html! {
        <button onclick={props.wish.reform(move |_: MouseEvent| wish)} data-testid={id}>
            { label(props.lang, name) }
        </button>
    }
}

fn step_field(
    lang: Lang,
    name: Label,
    value: usize,
    last: usize,
    oninput: Callback<InputEvent>,
    id: &'static str,
) -> Html {
    html! {
        <label>
            { label(lang, name) }
            <input type="number" min="0" max={last.to_string()} value={value.to_string()} {oninput} data-testid={id} />
        </label>
    }
}

/// A format in which the steps can be had.
fn steps(props: &Props, format: Format, stretch: Stretch) -> Html {
    let lang = props.lang;
    let (name, hint) = match format {
        Format::Trace => (Label::FormatTrace, Label::FormatTraceHint),
        Format::Mermaid => (Label::FormatMermaid, Label::FormatMermaidHint),
        Format::Shiviz => (Label::FormatShiviz, Label::FormatShivizHint),
        Format::Perfetto => (Label::FormatPerfetto, Label::FormatPerfettoHint),
        Format::Itf => (Label::FormatItf, Label::FormatItfHint),
    };
    let too_many = format.too_many(stretch, props.last);
    let refusal = too_many.map(|steps| match lang {
        Lang::En => format!("{steps} steps are too many: at most {}", format.most()),
        Lang::Zh => format!("{steps} 步太多：至多 {} 步", format.most()),
    });
    let make = |wish: Wish| props.wish.reform(move |_: MouseEvent| wish);
    let code = format.code();
    html! {
        <li>
            <div class="format-name">
                <strong>{ label(lang, name) }</strong>
                <span class="hint">{ refusal.unwrap_or_else(|| label(lang, hint).to_owned()) }</span>
            </div>
            <button
                disabled={too_many.is_some()}
                onclick={make(Wish::CopySteps(format, stretch))}
                aria-label={format!("{}: {}", label(lang, name), label(lang, Label::Copy))}
                data-testid={format!("copy-{code}")}
            >
                { label(lang, Label::Copy) }
            </button>
            <button
                disabled={too_many.is_some()}
                onclick={make(Wish::SaveSteps(format, stretch))}
                aria-label={format!("{}: {}", label(lang, name), label(lang, Label::Save))}
                data-testid={format!("save-{code}")}
            >
                { label(lang, Label::Save) }
            </button>
        </li>
    }
}

/// The steps as an animated picture, and how far it is.
fn film(props: &Props, stretch: Stretch) -> Html {
    let lang = props.lang;
    let wish = |wish: Wish| props.wish.reform(move |_: MouseEvent| wish);
    let name = label(lang, Label::FormatFilm);
    html! {
        <li>
            <div class="format-name">
                <strong>{ name }</strong>
                if let Some((done, all)) = props.sharing.film {
                    <progress
                        max={all.to_string()}
                        value={done.to_string()}
                        aria-label={label(lang, Label::Filming)}
                        data-testid="film-progress"
                    />
                } else {
                    <span class="hint">{ label(lang, Label::FormatFilmHint) }</span>
                }
            </div>
            if let Some((done, all)) = props.sharing.film {
                <span class="hint">{ format!("{done} / {all}") }</span>
                <button onclick={wish(Wish::StopFilm)} data-testid="stop-film">{ label(lang, Label::Cancel) }</button>
            } else {
                <button
                    onclick={wish(Wish::Film(stretch))}
                    aria-label={format!("{name}: {}", label(lang, Label::Save))}
                    data-testid="save-film"
                >
                    { label(lang, Label::Save) }
                </button>
            }
        </li>
    }
}
