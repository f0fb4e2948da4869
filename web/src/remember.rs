//! What the browser keeps from visit to visit: what was looked at last, theme, language, speed, and what was predicted in
//! the lessons.
//!
//! A browser may keep nothing (a private window, a full disk), or have something quite different under these names: then
//! the page begins as for the first time. [`Memory`] knows of no browser; [`recall`] and [`keep`] do.

use serde_json::{Map, Value, json};

use crate::address::{Address, Theme};
use crate::browser;
use crate::state::{Page, Predicted, Predictions, SPEEDS, Task};
use crate::text::Lang;

/// The name under which the browser keeps it. Another format gets another name.
pub const NAME: &str = "barrierscope:1";

/// A longer memory is none of ours.
const LONGEST: usize = 400_000;

/// What is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    /// What stood behind `#`, but for the step and what was chosen.
    pub address: String,
    /// The scenario as JSON, where it is too long for an address.
    pub scenario: Option<String>,
    /// The language, if one was chosen.
    pub lang: Option<Lang>,
    /// The theme, if one was chosen.
    pub theme: Option<Theme>,
    /// How fast it was played.
    pub speed: Option<f64>,
    /// What was predicted in the lessons.
    pub predictions: Predictions,
}

impl Memory {
    /// What there is to keep of a page: a later visit begins with the scenario, not in the middle of its run.
    pub fn of(page: &Page, browser_lang: Lang) -> Self {
        let address = Address {
            branches: Vec::new(),
            step: None,
            ..page.address(browser_lang)
        };
        let is_too_long = crate::address::is_too_long(&address.changes);
        Self {
            scenario: is_too_long.then(|| page.view.run.with(|session| session.story().to_json())),
            lang: address.lang,
            theme: address.theme,
            address: address.write(),
            speed: Some(page.speed),
            predictions: (*page.predictions).clone(),
        }
    }

    /// As text.
    pub fn write(&self) -> String {
        let predictions = self.predictions.iter();
        let predictions: Map<String, Value> = predictions
            .map(|(task, it)| (task.code(), json!([it.given, it.right])))
            .collect();
        json!({
            "address": self.address,
            "scenario": self.scenario,
            "lang": self.lang.map(Lang::code),
            "theme": self.theme.map(Theme::code),
            "speed": self.speed,
            "predictions": predictions,
        })
        .to_string()
    }

    /// Reads it, as far as it means something: the rest is left out.
    pub fn read(text: &str) -> Self {
        let value: Value = match text.len() {
            0..=LONGEST => serde_json::from_str(text).unwrap_or_default(),
            _ => Value::Null,
        };
        let word = |name: &str| value.get(name).and_then(Value::as_str);
        let mut themes = [Theme::Auto, Theme::Light, Theme::Dark].into_iter();
        let speed = value.get("speed").and_then(Value::as_f64);
        let predictions = value.get("predictions").and_then(Value::as_object);
        Self {
            address: word("address").unwrap_or_default().to_owned(),
            scenario: word("scenario").map(str::to_owned),
            lang: word("lang").and_then(Lang::of),
            theme: themes.find(|theme| word("theme") == Some(theme.code())),
            speed: speed.filter(|speed| (SPEEDS.0..=SPEEDS.1).contains(speed)),
            predictions: (predictions.into_iter().flatten())
                .filter_map(|(code, answer)| prediction(code, answer))
                .collect(),
        }
    }
}

/// A prediction, if the lesson still has this part with these answers.
fn prediction(code: &str, answer: &Value) -> Option<(Task, Predicted)> {
    let task = Task::of(code)?;
    let number = |at: usize| {
        let number = usize::try_from(answer.get(at)?.as_u64()?).ok()?;
        (number < task.part().answers.len()).then_some(number)
    };
    let (given, right) = (number(0)?, number(1)?);
    Some((task, Predicted { given, right }))
}

/// What the browser has kept; nothing, if it keeps nothing.
pub fn recall() -> Option<Memory> {
    let text = browser::storage()?.get_item(NAME).ok()??;
    Some(Memory::read(&text))
}

/// Has the browser keep something. Where it does not, the page works as before.
pub fn keep(memory: &Memory) {
    if let Some(storage) = browser::storage() {
        let _ = storage.set_item(NAME, &memory.write());
    }
}

/// Has the browser forget everything.
pub fn forget() {
    if let Some(storage) = browser::storage() {
        let _ = storage.remove_item(NAME);
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::state::Action;

    #[test]
    fn what_is_kept_comes_back() {
        let mut page =
            Page::open("sink=exactly-once&step=40&lang=zh&theme=dark", Lang::En).unwrap();
        page.update(Action::Speed(3.0));
        let task = Task::of("1").or_else(|| Task::of("1.1")).unwrap();
        let mut predictions = Predictions::default();
        predictions.insert(task, Predicted { given: 0, right: 1 });
        page.predictions = Rc::new(predictions);
        let memory = Memory::of(&page, Lang::En);
        assert_eq!(Memory::read(&memory.write()), memory);
        assert_eq!(memory.lang, Some(Lang::Zh));
        assert_eq!(memory.speed, Some(3.0));
        assert_eq!(memory.predictions.len(), 1);
        assert_eq!(memory.scenario, None);
        assert_eq!(memory.address, "sink=exactly-once&lang=zh&theme=dark");
    }

    #[test]
    fn garbage_is_as_nothing() {
        let endless = "9".repeat(LONGEST + 1);
        for garbage in [
            "",
            "{",
            "null",
            "[1, 2]",
            "{\"address\": 5, \"speed\": \"fast\", \"lang\": \"xx\", \"theme\": [], \"predictions\": [3]}",
            "{\"speed\": 1e9, \"predictions\": {\"99.9\": [0, 0], \"1\": [77, 0], \"x\": null}}",
            &endless,
        ] {
            assert_eq!(Memory::read(garbage), Memory::default(), "{garbage:.60}");
        }
    }
}
