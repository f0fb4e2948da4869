//! An option of Kafka's as a knob: a number, a word, a text, or whatever it is by default.

use serde_json::Value;
use web_sys::{Event, HtmlInputElement};
use yew::{AttrValue, Callback, Html, TargetCast, classes, html};

use super::knob::{Context, Refused, Words, below};
use super::option_name::breakable;
use crate::state::{Action, ByDefault, Field, Knob as Setting, Notice};
use crate::text::option::{CLIENTS, Kind, Knob};
use crate::text::{Label, Lang, label};

/// An option, where it stands, and what it is set to.
pub struct OptionKnob<'a> {
    /// The option.
    pub knob: &'static Knob,
    /// Its JSON pointer.
    pub pointer: String,
    /// What it is set to; none if nobody says.
    pub value: Option<&'a Value>,
    /// What it is then, if that depends on the client.
    pub known: Option<ByDefault>,
}

impl OptionKnob<'_> {
    /// Draws it.
    pub fn show(&self, context: Context<'_>) -> Html {
        let lang = context.lang;
        let refused = Refused::reason(context.refused, &self.pointer);
        let field = match self.knob.kind {
            Kind::Flag => self.words(context, &["true", "false"]),
            Kind::Words(words) => self.words(context, words),
            Kind::Client => self.words(context, &CLIENTS),
            Kind::Number(unit, least, step) => self.number(context, unit, least, step),
            Kind::Decimal => self.number(context, "ms", 0, 1),
            Kind::Text => self.text(context),
        };
        html! {
            <label class={classes!("knob", self.is_unknown().then_some("unknown"))}>
                <span class="knob-name">{ breakable(lang.pick(self.knob.name[0], self.knob.name[1])) }</span>
                <span class="field">{ field }</span>
                { below(self.knob.hint(lang, self.known.as_ref()), refused) }
            </label>
        }
    }

    /// Whether the client has no such option. One that is set all the same can be taken out.
    fn is_unknown(&self) -> bool {
        matches!(self.known, Some(ByDefault::Unknown { .. })) && self.written().is_empty()
    }

    /// What stands in its place while nobody has set it.
    fn unset(&self, lang: Lang) -> String {
        let by_default = || label(lang, Label::ByDefault).to_owned();
        (self.knob.unset(lang, self.known.as_ref())).unwrap_or_else(by_default)
    }

    fn id(&self) -> AttrValue {
        format!("knob{}", self.pointer).into()
    }

    /// What it is set to, as it is written.
    fn written(&self) -> String {
        match self.value {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        }
    }

    fn is_refused(&self, context: Context<'_>) -> bool {
        Refused::reason(context.refused, &self.pointer).is_some()
    }

    fn words(&self, context: Context<'_>, words: &[&'static str]) -> Html {
        let written = self.written();
        let mut options: Vec<AttrValue> = words.iter().map(|word| AttrValue::from(*word)).collect();
        // What is set stands in the list, whether it is a usual one or not.
        if !written.is_empty() && !words.contains(&written.as_str()) {
            options.push(written.clone().into());
        }
        let chosen = options.iter().position(|option| *option == written);
        let kind = self.knob.kind;
        let pointer = self.pointer.clone();
        let picks: Vec<AttrValue> = options.clone();
        let set = context.on.reform(move |picked: usize| {
            let word = picked.checked_sub(1).and_then(|at| picks.get(at));
            let value = match (word, kind) {
                (None, _) => Value::Null,
                (Some(word), Kind::Flag) => Value::Bool(*word == "true"),
                (Some(word), _) => Value::String(word.to_string()),
            };
            Action::Set(Setting::Option(Field::Owned(pointer.clone()), value))
        });
        let unset = (
            AttrValue::from(""),
            AttrValue::from(match self.known {
                Some(ByDefault::Is { .. }) => {
                    let by_default = label(context.lang, Label::ByDefault);
                    format!("{} ({by_default})", self.unset(context.lang))
                }
                _ => self.unset(context.lang),
            }),
        );
        let options = options.into_iter().map(|word| (word.clone(), word));
        html! {
            <Words
                options={core::iter::once(unset).chain(options).collect::<Vec<_>>()}
                chosen={chosen.map_or(0, |at| at + 1)}
                is_refused={self.is_refused(context)}
                is_off={self.is_unknown()}
                id={self.id()}
                {set}
            />
        }
    }

    fn number(&self, context: Context<'_>, unit: &'static str, least: u32, step: u32) -> Html {
        let decimal = self.knob.kind == Kind::Decimal;
        let change = self.change(context, move |text| number(text, decimal));
        html! {
            <>
                <input
                    type="number"
                    min={if step > 1 { 0 } else { least }.to_string()}
                    step={if decimal { "any".to_owned() } else { step.to_string() }}
                    value={self.written()}
                    disabled={self.is_unknown()}
                    placeholder={self.unset(context.lang)}
                    aria-invalid={self.is_refused(context).to_string()}
                    onchange={change}
                    data-testid={self.id()}
                />
                <span class="unit">{ unit }</span>
            </>
        }
    }

    fn text(&self, context: Context<'_>) -> Html {
        let change = self.change(context, |text| Some(Value::String(text.to_owned())));
        html! {
            <input
                type="text"
                value={self.written()}
                disabled={self.is_unknown()}
                    placeholder={self.unset(context.lang)}
                aria-invalid={self.is_refused(context).to_string()}
                onchange={change}
                data-testid={self.id()}
            />
        }
    }

    /// What to do when something was typed; with nothing in it, the option is left out.
    fn change(
        &self,
        context: Context<'_>,
        read: impl Fn(&str) -> Option<Value> + 'static,
    ) -> Callback<Event> {
        let (on, old, pointer) = (context.on.clone(), self.written(), self.pointer.clone());
        let lang = context.lang;
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let text = input.value();
            // What is no number at all the browser gives out as nothing.
            let is_garbled = text.is_empty() && !input.check_validity();
            let value = match text.trim() {
                _ if is_garbled => None,
                "" => Some(Value::Null),
                text => read(text),
            };
            let field = Field::Owned(pointer.clone());
            let action = match value {
                Some(value) => Action::Set(Setting::Option(field, value)),
                None => Action::Notify(Notice {
                    about: Label::BadScenario,
                    detail: label(lang, Label::NeedsNumber).to_owned(),
                    field: Some(field),
                }),
            };
            // What is in force stands there until the page has another value for it.
            input.set_value(&old);
            on.emit(action);
        })
    }
}

/// A number as it was typed, whole where it has to be.
fn number(text: &str, decimal: bool) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    let fits = value.is_u64() || decimal && value.as_f64().is_some_and(|number| number >= 0.0);
    fits.then_some(value)
}
