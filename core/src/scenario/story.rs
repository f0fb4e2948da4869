use alloc::string::{String, ToString};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{Delivery, Scenario, ScenarioError};

/// A scenario of any model. Its field `model` says of which; without one it is a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Story {
    /// Kafka → Flink → Kafka.
    Pipeline(Scenario),
    /// Producers, brokers, consumers and Streams applications.
    Delivery(Delivery),
}

/// The one field that says what the others mean.
#[derive(Deserialize)]
struct Model {
    #[serde(default)]
    model: Option<String>,
}

impl Story {
    /// Reads a scenario.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field that does not parse, or makes no sense.
    pub fn from_json(json: &str) -> Result<Self, ScenarioError> {
        let model = read::<Model>(json)?.model;
        match model.as_deref() {
            None | Some("pipeline") => Scenario::from_json(json).map(Self::Pipeline),
            Some("delivery" | "streams") => Delivery::from_json(json).map(Self::Delivery),
            Some(other) => Err(ScenarioError::new(
                "model",
                alloc::format!(
                    "there is no model \"{other}\"; there are \"pipeline\", \"delivery\" and \"streams\""
                ),
            )),
        }
    }

    /// To be read only.
    pub fn as_ref(&self) -> StoryRef<'_> {
        match self {
            Self::Pipeline(scenario) => StoryRef::Pipeline(scenario),
            Self::Delivery(scenario) => StoryRef::Delivery(scenario),
        }
    }
}

/// A [`Story`] that somebody else holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoryRef<'a> {
    /// Kafka → Flink → Kafka.
    Pipeline(&'a Scenario),
    /// Producers, brokers, consumers and Streams applications.
    Delivery(&'a Delivery),
}

impl<'a> StoryRef<'a> {
    /// The scenario as JSON that [`Story::from_json`] reads.
    pub fn to_json(self) -> String {
        match self {
            Self::Pipeline(scenario) => scenario.to_json(),
            Self::Delivery(scenario) => scenario.to_json(),
        }
    }

    /// What it is called.
    pub fn name(self) -> &'a str {
        match self {
            Self::Pipeline(scenario) => &scenario.name,
            Self::Delivery(scenario) => &scenario.name,
        }
    }

    /// The scenario of a pipeline.
    pub fn pipeline(self) -> Option<&'a Scenario> {
        match self {
            Self::Pipeline(scenario) => Some(scenario),
            Self::Delivery(_) => None,
        }
    }

    /// The scenario of the models *delivery* and *streams*.
    pub fn delivery(self) -> Option<&'a Delivery> {
        match self {
            Self::Pipeline(_) => None,
            Self::Delivery(scenario) => Some(scenario),
        }
    }

    /// A copy of one's own.
    pub fn to_story(self) -> Story {
        match self {
            Self::Pipeline(scenario) => Story::Pipeline(scenario.clone()),
            Self::Delivery(scenario) => Story::Delivery(scenario.clone()),
        }
    }
}

impl From<Scenario> for Story {
    fn from(scenario: Scenario) -> Self {
        Self::Pipeline(scenario)
    }
}

impl From<Delivery> for Story {
    fn from(scenario: Delivery) -> Self {
        Self::Delivery(scenario)
    }
}

/// Reads JSON; what is wrong with it is told with its field.
pub(super) fn read<T: DeserializeOwned>(json: &str) -> Result<T, ScenarioError> {
    // Some editors begin a file with a mark of its encoding.
    let json = json.trim_start_matches('\u{feff}');
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let (path, inner) = (error.path().to_string(), error.inner());
        // What is no JSON has no fields yet.
        if inner.is_syntax() || inner.is_eof() {
            return ScenarioError::new("", alloc::format!("no JSON: {inner}"));
        }
        let field = if path == "." { String::new() } else { path };
        ScenarioError::new(field, inner.to_string())
    })?;
    deserializer
        .end()
        .map_err(|error| ScenarioError::new("", error.to_string()))?;
    Ok(value)
}
