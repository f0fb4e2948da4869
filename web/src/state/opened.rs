//! What a file has that was dropped, pasted or picked; and, if it is wrong, where.

use barrierscope_core::scenario::{Ignored, ScenarioError, Story};
use serde_json::Value;

use crate::export::trace::{self, TraceError, Way};
use crate::places::{Place, Places};
use crate::text::{self, Label, Lang};

/// What a file has.
#[derive(Debug)]
pub(super) enum Opened {
    /// A scenario, and what of it makes no difference.
    Scenario(Box<Story>, Vec<Ignored>),
    /// A run that was saved: its scenario, and the way through it.
    Run(Box<Story>, Way),
}

/// What is wrong with a file.
#[derive(Debug)]
pub(super) enum Trouble {
    /// With its scenario; and the line, if it can be told.
    Scenario(ScenarioError, Option<Place>),
    /// With the run that was saved.
    Run(TraceError),
}

impl Opened {
    /// Reads a file.
    pub(super) fn read(text: &str) -> Result<Self, Trouble> {
        let value: Option<Value> = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok();
        if let Some(run) = value.filter(trace::is_trace) {
            let (scenario, way) = trace::read(&run).map_err(Trouble::Run)?;
            let story = Story::from_json(&scenario);
            return match story {
                Ok(story) => Ok(Self::Run(Box::new(story), way)),
                // The lines are those of the file, in which the scenario is a part.
                Err(error) => Err(Trouble::Scenario(error, None)),
            };
        }
        match Story::read(text) {
            Ok((story, ignored)) => Ok(Self::Scenario(Box::new(story), ignored)),
            Err(error) => {
                let place = Places::of(text).of_field(&error.field);
                Err(Trouble::Scenario(error, place))
            }
        }
    }
}

impl Trouble {
    /// In words.
    pub(super) fn told(&self, lang: Lang) -> String {
        match self {
            Self::Scenario(error, place) => {
                let told = text::original(lang, &error.to_string());
                match (place, lang) {
                    // The reader of JSON says the line itself.
                    (Some(_), _) if error.to_string().contains("line ") => told,
                    (Some(place), Lang::En) => format!("line {}: {told}", place.line),
                    (Some(place), Lang::Zh) => format!("第 {} 行：{told}", place.line),
                    (None, _) => told,
                }
            }
            Self::Run(error) => text::label(
                lang,
                match error {
                    TraceError::Newer(_) => Label::NewerRun,
                    TraceError::NoScenario => Label::RunWithoutScenario,
                    TraceError::Branches => Label::RunWithoutWay,
                },
            )
            .to_owned(),
        }
    }
}
