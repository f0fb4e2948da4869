//! The JSON schema of scenarios, made from the types that read them: for editors, and for the page's help on fields.
//!
//! It says what may be written. What makes sense together is said by `check` alone, with the field and the reason.

use alloc::borrow::Cow;
use alloc::string::String;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{Delivery, Scenario, Votes};
use crate::time::{LONGEST, Micros, Millis};

/// The schema of a scenario of any model, laid out for people.
pub fn scenario_schema() -> String {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let models = [
        generator.subschema_for::<Scenario>(),
        generator.subschema_for::<Delivery>(),
        generator.subschema_for::<Votes>(),
    ];
    let mut schema = json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Barrierscope scenario",
        "description": "What a person opens in Barrierscope. The field `model` says which kind it is; without it, it is a pipeline.",
        "oneOf": models,
    });
    let definitions = generator.take_definitions(true);
    schema.insert("$defs".into(), definitions.into());
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// What a write waits for: a number, or a word, as Kafka's configuration has it.
pub(super) struct Acks;

impl JsonSchema for Acks {
    fn schema_name() -> Cow<'static, str> {
        "Acks".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "What a write waits for: 0, nobody; 1, the leader; all (or -1), every replica in sync.",
            "enum": ["0", "1", "all", "-1", 0, 1, -1],
        })
    }
}

impl JsonSchema for Millis {
    fn schema_name() -> Cow<'static, str> {
        "Millis".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A duration in whole milliseconds.",
            "type": "integer",
            "minimum": 0,
            "maximum": LONGEST.0,
        })
    }
}

impl JsonSchema for Micros {
    fn schema_name() -> Cow<'static, str> {
        "Micros".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A duration in milliseconds, with at most three decimals.",
            "type": "number",
            "minimum": 0,
            "maximum": LONGEST.0,
        })
    }
}
