//! The scenario editor: the scenario as text, and, for a pipeline, a form that stays in step with it.

use std::rc::Rc;

use serde_json::Value;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Event, HtmlTextAreaElement};
use yew::{
    Callback, FocusEvent, Html, InputEvent, KeyboardEvent, MouseEvent, Properties, TargetCast,
    component, html, use_effect_with, use_node_ref, use_state,
};

use super::editor_form::EditorForm;
use crate::browser;
use crate::places::Places;
use crate::same::Same;
use crate::schema::{Described, describe};
use crate::state::draft::{Draft, Flaw};
use crate::state::{Action, Stroke};
use crate::text::{self, Label, Lang, label};

/// What the editor depends on.
#[derive(Properties, Clone, PartialEq)]
pub struct Props {
    /// The language.
    pub lang: Lang,
    /// What is being written.
    pub draft: Rc<Draft>,
    /// Where actions go.
    pub on: Callback<Action>,
}

/// The editor.
#[component]
pub fn Editor(props: &Props) -> Html {
    let (lang, draft) = (props.lang, &props.draft);
    let schema = use_state(|| None::<Same<Value>>);
    {
        let schema = schema.clone();
        use_effect_with((), move |()| {
            // It is large, and only the editor needs it.
            spawn_local(async move {
                let text = browser::fetch_text("scenario.schema.json").await;
                let parsed = text.and_then(|text| serde_json::from_str(&text).ok());
                schema.set(parsed.map(Same::new));
            });
        });
    }
    let area = use_node_ref();
    let cursor = use_state(|| 0_usize);
    let look = {
        let cursor = cursor.clone();
        Callback::from(move |area: HtmlTextAreaElement| cursor.set(cursor_of(&area)))
    };
    let type_in = {
        let (on, look) = (props.on.clone(), look.clone());
        Callback::from(move |event: InputEvent| {
            let area: HtmlTextAreaElement = event.target_unchecked_into();
            look.emit(area.clone());
            on.emit(Action::Draft(Stroke::Type(area.value())));
        })
    };
    let moved = look.reform(|event: Event| event.target_unchecked_into::<HtmlTextAreaElement>());
    let keyed =
        look.reform(|event: KeyboardEvent| event.target_unchecked_into::<HtmlTextAreaElement>());
    let clicked =
        look.reform(|event: MouseEvent| event.target_unchecked_into::<HtmlTextAreaElement>());
    // What a text area takes back by itself knows nothing of the form.
    let undo = {
        let on = props.on.clone();
        Callback::from(move |event: KeyboardEvent| {
            let is_command = event.ctrl_key() || event.meta_key();
            let stroke = match (event.key().as_str(), event.shift_key()) {
                ("z", false) => Stroke::Undo,
                ("Z" | "z", true) | ("y", false) => Stroke::Redo,
                _ => return,
            };
            if is_command {
                event.prevent_default();
                on.emit(Action::Draft(stroke));
            }
        })
    };
    let left = props
        .on
        .reform(|_: FocusEvent| Action::Draft(Stroke::Pause));
    let flaw = draft.flaw();
    let show = {
        let (area, offset) = (
            area.clone(),
            flaw.as_ref().and_then(|flaw| Some(flaw.place?.offset)),
        );
        let text = draft.text.clone();
        Callback::from(move |_: MouseEvent| {
            if let (Some(area), Some(offset)) = (area.cast::<HtmlTextAreaElement>(), offset) {
                select(&area, &text, offset);
            }
        })
    };
    let field = Places::of(&draft.text).field_at(*cursor).map(str::to_owned);
    let described = field.as_ref().and_then(|field| {
        let document = serde_json::from_str(&draft.text).unwrap_or_default();
        describe(schema.as_ref()?, &document, field)
    });
    let (can_undo, can_redo) = draft.can_undo_and_redo();
    let stroke = |stroke: Stroke| {
        props
            .on
            .reform(move |_: MouseEvent| Action::Draft(stroke.clone()))
    };
    let pipeline = draft.pipeline();
    html! {
        <section class="sheet panel editor" aria-label={label(lang, Label::Editor)} data-testid="editor">
            <div class="editor-head">
                <h2>{ label(lang, Label::Editor) }</h2>
                <button onclick={stroke(Stroke::Undo)} disabled={!can_undo} data-testid="draft-undo">{ label(lang, Label::DraftUndo) }</button>
                <button onclick={stroke(Stroke::Redo)} disabled={!can_redo} data-testid="draft-redo">{ label(lang, Label::DraftRedo) }</button>
                <button
                    class="run-draft"
                    onclick={stroke(Stroke::Run)}
                    disabled={flaw.is_some()}
                    data-testid="draft-run"
                >
                    { label(lang, Label::DraftRun) }
                </button>
                <button onclick={stroke(Stroke::Fresh)} disabled={!draft.is_changed()} data-testid="draft-fresh">{ label(lang, Label::DraftFresh) }</button>
            </div>
            { verdict(lang, flaw.as_ref(), show) }
            <div class="editor-body">
                if let Some(scenario) = pipeline {
                    <EditorForm {lang} scenario={Rc::new(scenario)} flaw={flaw.map(|flaw| (flaw.error.field, flaw.error.reason))} on={props.on.clone()} />
                } else {
                    <p class="hint editor-form">{ label(lang, Label::NoForm) }</p>
                }
                <div class="editor-text">
                    <label for="draft">{ label(lang, Label::AsJson) }</label>
                    <textarea
                        id="draft"
                        ref={area}
                        value={draft.text.clone()}
                        spellcheck="false"
                        autocomplete="off"
                        autocapitalize="off"
                        wrap="off"
                        oninput={type_in}
                        onselect={moved}
                        onkeydown={undo}
                        onkeyup={keyed}
                        onclick={clicked}
                        onblur={left}
                        aria-describedby="draft-verdict draft-field"
                        data-testid="draft"
                    />
                    <div class="editor-field" id="draft-field" data-testid="draft-field">
                        { help(lang, field.as_deref(), described.as_ref()) }
                    </div>
                </div>
            </div>
        </section>
    }
}

/// Whether the draft can be run, and if not, why.
fn verdict(lang: Lang, flaw: Option<&Flaw>, show: Callback<MouseEvent>) -> Html {
    let Some(Flaw { error, place }) = flaw else {
        return html! {
            <p class="editor-verdict" id="draft-verdict" role="status" data-testid="draft-verdict">
                { label(lang, Label::DraftFits) }
            </p>
        };
    };
    let place = place.map(|place| match lang {
        Lang::En => format!("line {}, column {}", place.line, place.column),
        Lang::Zh => format!("第 {} 行，第 {} 列", place.line, place.column),
    });
    html! {
        <p class="editor-verdict wrong" id="draft-verdict" role="status" data-testid="draft-verdict">
            if let Some(place) = place {
                <button class="link" onclick={show} data-testid="draft-show">{ place }</button>
            }
            { text::original(lang, &error.to_string()) }
        </p>
    }
}

/// What the schema says of the field in which the cursor stands. It speaks English.
fn help(lang: Lang, field: Option<&str>, described: Option<&Described>) -> Html {
    let Some(field) = field else {
        return html! { <span class="hint">{ label(lang, Label::FieldHint) }</span> };
    };
    html! {
        <>
            <strong>{ field.to_owned() }</strong>
            if let Some(described) = described {
                <span lang="en">{ described.what.clone() }</span>
                <span class="hint" lang="en">
                    { described.may_be.clone() }
                    if let Some(default) = &described.default {
                        { format!(" · {}: {default}", label(lang, Label::DefaultValue)) }
                    }
                </span>
            }
        </>
    }
}

/// Where the cursor stands, in bytes; a browser counts in units of UTF-16.
fn cursor_of(area: &HtmlTextAreaElement) -> usize {
    let units = area.selection_start().ok().flatten().unwrap_or(0) as usize;
    let mut seen = 0;
    let text = area.value();
    for (offset, letter) in text.char_indices() {
        if seen >= units {
            return offset;
        }
        seen += letter.len_utf16();
    }
    text.len()
}

/// Selects from a place to the end of its line, and scrolls to it: the cursor is in the field that stands there.
fn select(area: &HtmlTextAreaElement, text: &str, offset: usize) {
    let (before, after) = text.split_at(offset.min(text.len()));
    let end = offset + after.find('\n').unwrap_or(after.len());
    let units = |bytes: usize| text[..bytes].encode_utf16().count() as u32;
    browser::focus(area);
    // A text area has a selection.
    let _ = area.set_selection_range(units(before.len()), units(end.min(text.len())));
    let (line, lines) = (
        before.lines().count() as f64,
        text.lines().count().max(1) as f64,
    );
    let height = f64::from(area.scroll_height());
    area.set_scroll_top((height * line / lines - 60.0).max(0.0) as i32);
}
