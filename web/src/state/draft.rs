//! A scenario that is being written: its text, what may be taken back, and what a form does to it.
//!
//! The text is what counts. A form reads it, changes one thing, and writes it anew; so the two can never differ.

mod form;
#[cfg(test)]
mod tests;

use barrierscope_core::scenario::{Breakage, Scenario, ScenarioError, Story};
use serde_json::Value;

pub use form::{Change, FaultKind, Kind, Source};

use crate::places::{Place, Places};

/// Whom a fault hits, in words; nothing where it is the whole job.
pub fn target(what: &Breakage) -> String {
    form::target(what)
}

/// So much can be taken back.
const LONGEST_PAST: usize = 200;

/// A scenario that is being written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// As JSON.
    pub text: String,
    /// What it was, the newest last.
    past: Vec<String>,
    /// What was taken back, the newest last.
    undone: Vec<String>,
    /// What was opened, or run last.
    run: String,
    /// What the last change was made to: the next letter there belongs to it.
    hand: Option<Slot>,
}

/// What a change is made to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slot {
    /// The text.
    Text,
    /// One field of the form.
    Field(std::mem::Discriminant<Change>, usize),
}

/// What is wrong with a draft.
#[derive(Clone, Debug, PartialEq)]
pub struct Flaw {
    /// The field and the reason.
    pub error: ScenarioError,
    /// Where it stands in the text, if that can be told.
    pub place: Option<Place>,
}

impl Draft {
    /// A draft that begins with a scenario.
    pub fn of(json: &str) -> Self {
        Self {
            text: json.to_owned(),
            run: json.to_owned(),
            ..Self::default()
        }
    }

    /// Whether it differs from what is run.
    pub fn is_changed(&self) -> bool {
        self.text != self.run
    }

    /// It is run as it is now.
    pub fn is_run(&mut self) {
        self.run.clone_from(&self.text);
        self.hand = None;
    }

    /// Somebody has typed: the whole text as it is now. Letters of one line are taken back together, whatever is pasted or
    /// cut by itself.
    pub fn type_in(&mut self, text: String) {
        let lines = |text: &str| text.bytes().filter(|it| *it == b'\n').count();
        let is_letter =
            text.len().abs_diff(self.text.len()) <= 4 && lines(&text) == lines(&self.text);
        self.replace(text, is_letter.then_some(Slot::Text));
    }

    /// Typing is over: what comes next is another change.
    pub fn pause(&mut self) {
        self.hand = None;
    }

    /// Changes one thing, by a form. What the text says no longer, or cannot say, stays as it is.
    pub fn change(&mut self, change: Change) {
        let Some(mut scenario) = self.pipeline() else {
            return;
        };
        let slot = change
            .place()
            .map(|at| Slot::Field(std::mem::discriminant(&change), at));
        form::apply(&mut scenario, change);
        let text = scenario.to_json();
        if text != self.text {
            self.replace(text, slot);
        }
    }

    /// Puts another text in the place of this one.
    fn replace(&mut self, text: String, slot: Option<Slot>) {
        if slot.is_none() || slot != self.hand {
            self.remember();
        }
        self.hand = slot;
        self.undone.clear();
        self.text = text;
    }

    fn remember(&mut self) {
        self.past.push(self.text.clone());
        if self.past.len() > LONGEST_PAST {
            self.past.remove(0);
        }
    }

    /// Whether something can be taken back, and whether something that was can be done again.
    pub fn can_undo_and_redo(&self) -> (bool, bool) {
        (!self.past.is_empty(), !self.undone.is_empty())
    }

    /// Takes the last change back.
    pub fn undo(&mut self) {
        if let Some(before) = self.past.pop() {
            self.undone.push(std::mem::replace(&mut self.text, before));
            self.hand = None;
        }
    }

    /// Does again what was taken back.
    pub fn redo(&mut self) {
        if let Some(after) = self.undone.pop() {
            self.past.push(std::mem::replace(&mut self.text, after));
            self.hand = None;
        }
    }

    /// The scenario of a pipeline, as far as it can be read: it need not make sense yet.
    pub fn pipeline(&self) -> Option<Scenario> {
        let value: Value = serde_json::from_str(&self.text).ok()?;
        let model = value.get("model").and_then(Value::as_str);
        if model.is_some_and(|model| model != "pipeline") {
            return None;
        }
        Scenario::draft(&self.text).ok()
    }

    /// What is wrong with it, if something is.
    pub fn flaw(&self) -> Option<Flaw> {
        let error = Story::from_json(&self.text).err()?;
        let place = match error.field.as_str() {
            "" => told_place(&self.text, &error.reason),
            field => Places::of(&self.text).of_field(field),
        };
        Some(Flaw { error, place })
    }
}

/// The place that the reader of JSON tells at the end of its message: `… at line 3 column 7`.
fn told_place(text: &str, reason: &str) -> Option<Place> {
    let number = |name: &str| {
        let rest = reason.split(name).nth(1)?;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().ok()
    };
    let (line, column) = (number("line ")?, number("column ")?);
    let before: usize = text
        .split_inclusive('\n')
        .take(line.checked_sub(1)?)
        .map(str::len)
        .sum();
    let offset = (before + column.saturating_sub(1)).min(text.len());
    Some(Place {
        line,
        column,
        offset,
    })
}
