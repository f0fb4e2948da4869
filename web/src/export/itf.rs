//! A stretch of a run in the Informal Trace Format of Apalache and Quint: every state, with its variables from the scene.
//!
//! Numbers are `#bigint`, tuples `#tup`, a variant is a record of `tag` and `value`.
//! <https://apalache-mc.org/docs/adr/015adr-trace.html>

use barrierscope_core::event::Event;
use barrierscope_core::scene::Scene;
use serde_json::{Map, Value, json};

use super::datum::Datum;
use super::recording::Recording;

/// The variables of a state.
const VARIABLES: [&str; 4] = ["time_us", "events", "nodes", "links"];

/// The states of a stretch, while they are collected: scenes are large, so none is kept.
#[derive(Debug, Default)]
pub struct States(Vec<Value>);

impl States {
    /// Adds the state after a step.
    pub fn add(&mut self, step: usize, scene: &Scene, events: &[Event]) {
        let nodes = scene.nodes.iter().map(|node| {
            let name = number(node.id.0.into());
            json!([name, value(&Datum::of(node))])
        });
        let links = scene.links.iter().map(|wire| {
            let name = number(wire.id.0.into());
            json!([name, value(&Datum::of(wire))])
        });
        let events = events.iter().map(|event| value(&Datum::of(event)));
        self.0.push(json!({
            "#meta": { "index": self.0.len(), "step": step.to_string() },
            "time_us": number(i64::try_from(scene.at.0).unwrap_or(i64::MAX)),
            "events": events.collect::<Value>(),
            "nodes": { "#map": nodes.collect::<Value>() },
            "links": { "#map": links.collect::<Value>() },
        }));
    }

    /// Writes the trace.
    pub fn write(self, recording: &Recording) -> String {
        let head = json!({
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": recording.name,
            "status": "ok",
            "description": format!(
                "Created by Barrierscope: states {} to {} of a run of {}",
                recording.from, recording.to, recording.last
            ),
        });
        let states: Vec<String> = self.0.iter().map(Value::to_string).collect();
        format!(
            "{{\"#meta\": {head},\n\"vars\": {},\n\"states\": [\n{}\n]}}\n",
            json!(VARIABLES),
            states.join(",\n")
        )
    }
}

fn number(number: i64) -> Value {
    json!({ "#bigint": number.to_string() })
}

/// A value as the format has it.
fn value(datum: &Datum) -> Value {
    match datum {
        Datum::Nothing => json!({ "tag": "None", "value": { "#tup": [] } }),
        Datum::Something(inner) => json!({ "tag": "Some", "value": value(inner) }),
        Datum::Truth(truth) => json!(truth),
        Datum::Number(it) => number(*it),
        Datum::Text(text) => json!(text),
        Datum::List(items) => items.iter().map(value).collect(),
        Datum::Tuple(items) => json!({ "#tup": items.iter().map(value).collect::<Value>() }),
        Datum::Record(fields) => {
            let fields = fields.iter();
            let fields: Map<String, Value> = fields
                .map(|(name, it)| ((*name).to_owned(), value(it)))
                .collect();
            Value::Object(fields)
        }
        Datum::Variant(name, inner) => json!({ "tag": name, "value": value(inner) }),
    }
}
