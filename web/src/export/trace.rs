//! A run in the program's own format: the scenario, and every step with its time, its actor and its events.
//!
//! A file of this format can be opened again: it has the scenario, what a person chose on the way, and the step that was
//! looked at. `version` grows when a reader of an older version would misunderstand a file.

use serde_json::{Value, json};

use super::datum::Datum;
use super::recording::{Message, Recording, Step};

/// What the field `format` says.
pub const FORMAT: &str = "barrierscope-trace";

/// The version of the format.
pub const VERSION: u32 = 1;

/// The way that a person took through a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// What was chosen: at which step, and its number there.
    pub branches: Vec<(usize, usize)>,
    /// The step that was looked at.
    pub step: usize,
}

/// Writes a run.
pub fn write(recording: &Recording, way: &Way) -> String {
    let scenario: Value = serde_json::from_str(&recording.scenario).unwrap_or_default();
    let actors = recording.actors.iter();
    let actors: Value = actors
        .map(|actor| json!({"lane": actor.lane.0, "name": actor.name, "kind": actor.kind, "nodes": Datum::of(&actor.nodes).json()}))
        .collect();
    let branches = way.branches.iter();
    let branches: Value = branches
        .map(|(step, choice)| json!({"step": step, "choice": choice}))
        .collect();
    // Small parts on lines of their own: a file that can be read, and compared line by line.
    let head = [
        ("format", json!(FORMAT)),
        ("version", json!(VERSION)),
        ("name", json!(recording.name)),
        ("scenario", scenario),
        ("branches", branches),
        ("step", json!(way.step)),
        ("last", json!(recording.last)),
        ("from", json!(recording.from)),
        ("to", json!(recording.to)),
    ];
    let mut text = String::from("{\n");
    for (name, value) in head {
        text.push_str(&format!("  {}: {value},\n", json!(name)));
    }
    text.push_str(&format!("  \"actors\": {},\n", lines(&actors)));
    let steps: Value = recording.steps.iter().map(entry).collect();
    text.push_str(&format!("  \"steps\": {},\n", lines(&steps)));
    let messages: Value = recording.messages.iter().map(message).collect();
    text.push_str(&format!("  \"messages\": {}\n}}\n", lines(&messages)));
    text
}

/// Writes only what a run is made from: its scenario, and the way through it. The steps come of it when it is opened.
pub fn write_way(scenario: &str, way: &Way) -> String {
    let branches: Vec<String> = (way.branches.iter())
        .map(|(step, choice)| format!("{{\"step\":{step},\"choice\":{choice}}}"))
        .collect();
    format!(
        "{{\n\"format\": \"{FORMAT}\",\n\"version\": {VERSION},\n\"branches\": [{}],\n\"step\": {},\n\"scenario\": {scenario}\n}}\n",
        branches.join(","),
        way.step
    )
}

/// One step.
fn entry(step: &Step) -> Value {
    let events = step.events.iter();
    let events: Value = events.map(|event| Datum::of(event).json()).collect();
    json!({
        "step": step.number,
        "time_us": step.at.0,
        "lanes": Datum::of(&step.lanes).json(),
        "events": events,
    })
}

/// A message, by the lanes of its ends.
fn message(message: &Message) -> Value {
    json!({
        "what": Datum::of(&message.kind).json(),
        "from": message.from.0,
        "to": message.to.0,
        "sent": message.sent,
        "received": message.taken(),
        "lost": message.lost(),
    })
}

/// A list with an entry on each line.
fn lines(list: &Value) -> String {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    if items.is_empty() {
        return "[]".to_owned();
    }
    let lines: Vec<String> = items.iter().map(|item| format!("    {item}")).collect();
    format!("[\n{}\n  ]", lines.join(",\n"))
}

/// What is wrong with a file of this format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceError {
    /// It was written by a newer program.
    Newer(u64),
    /// It has no scenario.
    NoScenario,
    /// What was chosen is no list of steps and choices.
    Branches,
}

/// Whether a JSON text is of this format, and not a scenario.
pub fn is_trace(value: &Value) -> bool {
    value.get("format").and_then(Value::as_str) == Some(FORMAT)
}

/// The scenario of a run, as JSON, and the way through it.
///
/// # Errors
/// [`TraceError`] says what the file lacks.
pub fn read(value: &Value) -> Result<(String, Way), TraceError> {
    let version = value.get("version").and_then(Value::as_u64).unwrap_or(0);
    if version > u64::from(VERSION) {
        return Err(TraceError::Newer(version));
    }
    let scenario = value.get("scenario").filter(|it| it.is_object());
    let scenario = scenario.ok_or(TraceError::NoScenario)?.to_string();
    let number = |value: &Value, name: &str| {
        let number = value.get(name)?.as_u64()?;
        usize::try_from(number).ok()
    };
    let branches = match value.get("branches") {
        None => Vec::new(),
        Some(branches) => (branches.as_array())
            .and_then(|all| {
                all.iter()
                    .map(|it| Some((number(it, "step")?, number(it, "choice")?)))
                    .collect::<Option<Vec<_>>>()
            })
            .ok_or(TraceError::Branches)?,
    };
    let step = number(value, "step").unwrap_or(0);
    Ok((scenario, Way { branches, step }))
}
