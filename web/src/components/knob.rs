//! A setting: a number to type, or a word to choose, with a sentence on what it does.

use barrierscope_core::time::{Micros, Millis};
use web_sys::{Event, HtmlInputElement, HtmlSelectElement};
use yew::{
    AttrValue, Callback, Html, Properties, TargetCast, component, html, use_effect, use_node_ref,
};

use super::option_name::breakable;
use crate::state::{Action, Field, Knob, Notice};
use crate::text::{Label, Lang, label};

/// A setting that was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The field of the scenario.
    pub field: Field,
    /// What the core says of it.
    pub reason: AttrValue,
}

impl Refused {
    /// Why a field was refused, if it is this one.
    pub(super) fn reason(refused: Option<&Self>, field: &str) -> Option<AttrValue> {
        let refused = refused.filter(|refused| refused.field == field);
        refused.map(|refused| refused.reason.clone())
    }
}

/// What settings have in common.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The language.
    pub lang: Lang,
    /// The setting that was refused last.
    pub refused: Option<&'a Refused>,
    /// Where actions go.
    pub on: &'a Callback<Action>,
}

/// A setting that is a number.
pub struct NumberKnob {
    /// The option's own name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub hint: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Its value.
    pub value: String,
    /// The least that makes sense.
    pub least: u32,
    /// By how much the arrows change it.
    pub step: u32,
    /// The setting that a text stands for; none if it stands for none.
    pub knob: fn(&str) -> Option<Knob>,
}

impl NumberKnob {
    /// Draws it.
    pub fn show(&self, context: Context<'_>) -> Html {
        let field = (self.knob)("1").map_or(Field::Borrowed(""), |knob| knob.field());
        let refused = Refused::reason(context.refused, &field);
        let id = format!("knob-{field}");
        let change = {
            let (on, old, knob) = (context.on.clone(), self.value.clone(), self.knob);
            let lang = context.lang;
            Callback::from(move |event: Event| {
                let input: HtmlInputElement = event.target_unchecked_into();
                let text = input.value();
                // What is no number at all the browser gives out as nothing.
                let is_garbled = text.is_empty() && !input.check_validity();
                let action = match knob(text.trim()).filter(|_| !is_garbled) {
                    Some(knob) => Action::Set(knob),
                    None => Action::Notify(Notice {
                        about: Label::BadScenario,
                        detail: label(lang, Label::NeedsNumber).to_owned(),
                        field: Some(field.clone()),
                    }),
                };
                // What is in force stands there until the page has another value for it.
                input.set_value(&old);
                on.emit(action);
            })
        };
        html! {
            <label class="knob">
                <span class="knob-name">{ breakable(self.name) }</span>
                <span class="field">
                    <input
                        type="number"
                        // The arrows count from here.
                        min={if self.step > 1 { 0 } else { self.least }.to_string()}
                        step={self.step.to_string()}
                        value={self.value.clone()}
                        aria-invalid={refused.is_some().to_string()}
                        onchange={change}
                        data-testid={id}
                    />
                    <span class="unit">{ self.unit }</span>
                </span>
                { below(self.hint, refused) }
            </label>
        }
    }
}

/// A setting that is one of two words.
pub struct ChoiceKnob {
    /// The option's own name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub hint: &'static str,
    /// The words.
    pub options: [&'static str; 2],
    /// Whether it is the second of them that is in force.
    pub second: bool,
    /// The setting that the first or the second word stands for.
    pub knob: fn(bool) -> Knob,
}

impl ChoiceKnob {
    /// Draws it.
    pub fn show(&self, context: Context<'_>) -> Html {
        let knob = self.knob;
        let field = knob(self.second).field();
        let refused = Refused::reason(context.refused, &field);
        let set = context
            .on
            .reform(move |picked: usize| Action::Set(knob(picked == 1)));
        html! {
            <label class="knob">
                <span class="knob-name">{ breakable(self.name) }</span>
                <span class="field">
                    <Words
                        options={self.options.map(|word| (word.into(), word.into())).to_vec()}
                        chosen={usize::from(self.second)}
                        is_refused={refused.is_some()}
                        id={format!("knob-{field}")}
                        {set}
                    />
                </span>
                { below(self.hint, refused) }
            </label>
        }
    }
}

/// A setting that is one of several words.
pub struct WordKnob {
    /// The option's own name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub hint: &'static str,
    /// The words.
    pub options: Vec<&'static str>,
    /// Which of them is in force.
    pub chosen: usize,
    /// The setting that a word stands for, by its place.
    pub knob: fn(usize) -> Knob,
}

impl WordKnob {
    /// Draws it.
    pub fn show(&self, context: Context<'_>) -> Html {
        let knob = self.knob;
        let field = knob(self.chosen).field();
        let refused = Refused::reason(context.refused, &field);
        let set = context
            .on
            .reform(move |picked: usize| Action::Set(knob(picked)));
        let options = self.options.iter();
        let options = options.map(|word| (AttrValue::from(*word), AttrValue::from(*word)));
        html! {
            <label class="knob">
                <span class="knob-name">{ breakable(self.name) }</span>
                <span class="field">
                    <Words
                        options={options.collect::<Vec<_>>()}
                        chosen={self.chosen}
                        is_refused={refused.is_some()}
                        id={format!("knob-{field}")}
                        {set}
                    />
                </span>
                { below(self.hint, refused) }
            </label>
        }
    }
}

/// What a list of words depends on.
#[derive(Properties, Clone, PartialEq)]
pub(super) struct WordsProps {
    /// The words: what each stands for, and what is read.
    pub options: Vec<(AttrValue, AttrValue)>,
    /// Which of them is in force.
    pub chosen: usize,
    /// Whether what was picked last was refused.
    pub is_refused: bool,
    /// Whether nothing can be picked.
    #[prop_or_default]
    pub is_off: bool,
    /// By which tests find it.
    pub id: AttrValue,
    /// Where what was picked goes.
    pub set: Callback<usize>,
}

/// A list of words. Which of them is in force the page says, not what was picked last: a list that was
/// picked from heeds no attribute of its options any more, so it is told each time.
#[component]
pub(super) fn Words(props: &WordsProps) -> Html {
    let list = use_node_ref();
    let in_force = i32::try_from(props.chosen).unwrap_or(0);
    {
        let list = list.clone();
        use_effect(move || {
            if let Some(list) = list.cast::<HtmlSelectElement>() {
                list.set_selected_index(in_force);
            }
        });
    }
    let change = {
        let set = props.set.clone();
        Callback::from(move |event: Event| {
            let list: HtmlSelectElement = event.target_unchecked_into();
            let picked = list.selected_index();
            list.set_selected_index(in_force);
            set.emit(usize::try_from(picked).unwrap_or(0));
        })
    };
    html! {
        <select
            ref={list}
            onchange={change}
            disabled={props.is_off}
            aria-invalid={props.is_refused.to_string()}
            data-testid={props.id.clone()}
        >
            for (at, (value, word)) in props.options.iter().enumerate() {
                <option value={value.clone()} selected={at == props.chosen}>{ word.clone() }</option>
            }
        </select>
    }
}

/// What stands below a setting: what it does, or why it was refused.
pub(super) fn below(hint: impl Into<AttrValue>, refused: Option<AttrValue>) -> Html {
    match refused {
        Some(reason) => html! { <span class="refused" role="alert">{ reason }</span> },
        None => html! { <span class="hint">{ hint.into() }</span> },
    }
}

/// A whole number of milliseconds, as it was typed.
pub fn millis(text: &str) -> Option<Millis> {
    text.parse().ok().map(Millis)
}

/// Milliseconds with up to three decimals, as they were typed.
pub fn micros(text: &str) -> Option<Micros> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 3 {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let decimals: u64 = format!("{decimals:0<3}").parse().ok()?;
    Some(Micros(whole.checked_mul(1_000)?.checked_add(decimals)?))
}

/// Milliseconds as they are typed.
pub fn decimal(duration: Micros) -> String {
    let (whole, rest) = (duration.0 / 1_000, duration.0 % 1_000);
    let rest = format!("{rest:03}");
    match rest.trim_end_matches('0') {
        "" => whole.to_string(),
        decimals => format!("{whole}.{decimals}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_are_written_as_they_are_read() {
        for (text, duration) in [("5", 5_000), ("5.8", 5_800), ("0.025", 25), ("0", 0)] {
            assert_eq!(micros(text), Some(Micros(duration)));
            assert_eq!(decimal(Micros(duration)), text);
        }
        for wrong in ["", "-1", "1.2345", "one", "1.x"] {
            assert_eq!(micros(wrong), None, "{wrong}");
        }
    }
}
