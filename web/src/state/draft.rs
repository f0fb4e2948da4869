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
    /// The last change was made by typing: the next letter belongs to it.
    is_typing: bool,
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
        self.is_typing = false;
    }

    /// Somebody has typed: the whole text as it is now.
    pub fn type_in(&mut self, text: String) {
        if !self.is_typing {
            self.remember();
        }
        self.is_typing = true;
        self.undone.clear();
        self.text = text;
    }

    /// Typing is over: what comes next is another change.
    pub fn pause(&mut self) {
        self.is_typing = false;
    }

    /// Changes one thing, by a form. What the text says no longer, or cannot say, stays as it is.
    pub fn change(&mut self, change: Change) {
        let Some(mut scenario) = self.pipeline() else {
            return;
        };
        form::apply(&mut scenario, change);
        let text = scenario.to_json();
        if text != self.text {
            self.remember();
            self.is_typing = false;
            self.undone.clear();
            self.text = text;
        }
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
            self.is_typing = false;
        }
    }

    /// Does again what was taken back.
    pub fn redo(&mut self) {
        if let Some(after) = self.undone.pop() {
            self.past.push(std::mem::replace(&mut self.text, after));
            self.is_typing = false;
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
