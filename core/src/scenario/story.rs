use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::nearest::suggestion;
use super::options::Ignored;
use super::words::plain;
use super::{Delivery, Scenario, ScenarioError, Votes};

/// A scenario of any model. Its field `model` says of which; without one it is a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one for a run: what a smaller one saved would not be noticed"
)]
pub enum Story {
    /// Kafka → Flink → Kafka.
    Pipeline(Scenario),
    /// Producers, brokers, consumers and Streams applications.
    Delivery(Delivery),
    /// Two-phase commit.
    Votes(Votes),
}

/// The one field that says what the others mean. It is looked at for itself, whatever is in it.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Model {
    #[serde(default = "pipeline")]
    model: Value,
}

fn pipeline() -> Value {
    Value::from(MODELS[0])
}

/// The names of the models.
const MODELS: [&str; 4] = ["pipeline", "delivery", "streams", "votes"];

impl Story {
    /// Reads a scenario.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field that does not parse, or makes no sense.
    pub fn from_json(json: &str) -> Result<Self, ScenarioError> {
        Self::read(json).map(|(story, _)| story)
    }

    /// Reads a scenario, and names what of it makes no difference: options that Kafka has, but that change
    /// no guarantee.
    ///
    /// # Errors
    /// [`ScenarioError`] names the field that does not parse, or makes no sense.
    pub fn read(json: &str) -> Result<(Self, Vec<Ignored>), ScenarioError> {
        let model = read::<Model>(json)?.model;
        match model.as_str() {
            Some("pipeline") => {
                Scenario::from_json(json).map(|it| (Self::Pipeline(it), Vec::new()))
            }
            Some("delivery" | "streams") => {
                Delivery::read(json).map(|(it, ignored)| (Self::Delivery(it), ignored))
            }
            Some("votes") => Votes::from_json(json).map(|it| (Self::Votes(it), Vec::new())),
            _ => Err(no_model(&model)),
        }
    }

    /// The seed of its dice.
    pub fn seed_mut(&mut self) -> &mut u64 {
        match self {
            Self::Pipeline(scenario) => &mut scenario.seed,
            Self::Delivery(scenario) => &mut scenario.seed,
            Self::Votes(scenario) => &mut scenario.seed,
        }
    }

    /// To be read only.
    pub fn as_ref(&self) -> StoryRef<'_> {
        match self {
            Self::Pipeline(scenario) => StoryRef::Pipeline(scenario),
            Self::Delivery(scenario) => StoryRef::Delivery(scenario),
            Self::Votes(scenario) => StoryRef::Votes(scenario),
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
    /// Two-phase commit.
    Votes(&'a Votes),
}

impl<'a> StoryRef<'a> {
    /// The scenario as JSON that [`Story::from_json`] reads.
    pub fn to_json(self) -> String {
        match self {
            Self::Pipeline(scenario) => scenario.to_json(),
            Self::Delivery(scenario) => scenario.to_json(),
            Self::Votes(scenario) => scenario.to_json(),
        }
    }

    /// What it is called.
    pub fn name(self) -> &'a str {
        match self {
            Self::Pipeline(scenario) => &scenario.name,
            Self::Delivery(scenario) => &scenario.name,
            Self::Votes(scenario) => &scenario.name,
        }
    }

    /// The scenario of a pipeline.
    pub fn pipeline(self) -> Option<&'a Scenario> {
        match self {
            Self::Pipeline(scenario) => Some(scenario),
            Self::Delivery(_) | Self::Votes(_) => None,
        }
    }

    /// The scenario of the models *delivery* and *streams*.
    pub fn delivery(self) -> Option<&'a Delivery> {
        match self {
            Self::Pipeline(_) | Self::Votes(_) => None,
            Self::Delivery(scenario) => Some(scenario),
        }
    }

    /// The scenario of the model *votes*.
    pub fn votes(self) -> Option<&'a Votes> {
        match self {
            Self::Votes(scenario) => Some(scenario),
            Self::Pipeline(_) | Self::Delivery(_) => None,
        }
    }

    /// A copy of one's own.
    pub fn to_story(self) -> Story {
        match self {
            Self::Pipeline(scenario) => Story::Pipeline(scenario.clone()),
            Self::Delivery(scenario) => Story::Delivery(scenario.clone()),
            Self::Votes(scenario) => Story::Votes(scenario.clone()),
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

impl From<Votes> for Story {
    fn from(scenario: Votes) -> Self {
        Self::Votes(scenario)
    }
}

fn no_model(model: &Value) -> ScenarioError {
    let meant = model.as_str().and_then(|it| suggestion(it, MODELS));
    ScenarioError::new(
        "model",
        alloc::format!(
            "there is no model {model}; there are \"pipeline\", \"delivery\", \"streams\" and \"votes\"{}",
            meant.map_or_else(String::new, |meant| alloc::format!("; {meant}"))
        ),
    )
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
        let mut field = if path == "." { String::new() } else { path };
        let told = inner.to_string();
        if let Some(name) = field_inside::<T>(json, &field, &told) {
            field = alloc::format!("{field}.{name}");
        }
        ScenarioError::new(field, plain(&told))
    })?;
    deserializer
        .end()
        .map_err(|error| ScenarioError::new("", alloc::format!("no JSON: {error}")))?;
    Ok(value)
}

/// Where serde has to look for a `kind` first, it no longer knows the field that does not parse: it is the one
/// without which something else is said.
fn field_inside<T: DeserializeOwned>(json: &str, field: &str, told: &str) -> Option<String> {
    let scenario: Value = serde_json::from_str(json).ok()?;
    let pointer = alloc::format!(
        "/{}",
        field.replace('[', "/").replace(']', "").replace('.', "/")
    );
    let tagged = scenario.pointer(&pointer)?.as_object()?;
    tagged.get("kind")?;
    let mut names = tagged.keys().filter(|name| *name != "kind");
    let blamed = names.find(|name| {
        let mut without = scenario.clone();
        if let Some(Value::Object(fields)) = without.pointer_mut(&pointer) {
            fields.remove(*name);
        }
        let still = serde_json::from_value::<T>(without).err();
        still.is_none_or(|error| !told.starts_with(&error.to_string()))
    });
    blamed.cloned()
}
