//! Options as configuration files have them, pasted or dropped: `acks=1` of a `producer.properties`,
//! `execution.checkpointing.interval: 3 s` of Flink's configuration.

use serde_json::{Value, json};

/// An option and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What it is set to.
    pub value: String,
}

/// Reads options; nothing if some line is none. Lines with `#` or `!` at the beginning are comments.
pub fn read(text: &str) -> Option<Vec<Property>> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '!']) || line == "---" {
            continue;
        }
        let (name, value) = line.split_once('=').or_else(|| line.split_once(':'))?;
        let (name, value) = (name.trim(), value.trim());
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || ".-_".contains(letter);
        if !name.contains(|letter: char| letter.is_ascii_lowercase()) || !name.chars().all(is_name)
        {
            return None;
        }
        found.push(Property {
            name: name.to_owned(),
            value: value.trim_matches(['"', '\'']).to_owned(),
        });
    }
    (!found.is_empty()).then_some(found)
}

/// How a value is written in a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Millis,
    Number,
    Truth,
    /// `EXACTLY_ONCE` becomes `exactly-once`.
    Word,
    /// `32kb` becomes a number of bytes.
    Bytes,
}

/// What Flink calls the option that a scenario has at a path, with the unit that is in the scenario's name.
pub fn flinks_name(path: &str) -> Option<(&'static str, &'static str)> {
    // The builder of the sink sets it, and its documentation calls it so.
    if path.ends_with(".delivery_guarantee") {
        return Some(("sink.delivery-guarantee", ""));
    }
    // The last one of those that are the same is today's.
    let (name, _, form) = FLINK.iter().rev().find(|(_, place, _)| *place == path)?;
    let unit = if *form == Form::Millis { " ms" } else { "" };
    Some((name, unit))
}

/// Flink's options, and where a scenario has them.
const FLINK: [(&str, &str, Form); 19] = [
    (
        "execution.checkpointing.interval",
        "checkpointing.interval_ms",
        Form::Millis,
    ),
    (
        "execution.checkpointing.mode",
        "checkpointing.mode",
        Form::Word,
    ),
    (
        "execution.checkpointing.unaligned",
        "checkpointing.unaligned",
        Form::Truth,
    ),
    (
        "execution.checkpointing.unaligned.enabled",
        "checkpointing.unaligned",
        Form::Truth,
    ),
    (
        "execution.checkpointing.aligned-checkpoint-timeout",
        "checkpointing.aligned_timeout_ms",
        Form::Millis,
    ),
    (
        "execution.checkpointing.timeout",
        "checkpointing.timeout_ms",
        Form::Millis,
    ),
    (
        "execution.checkpointing.min-pause",
        "checkpointing.min_pause_ms",
        Form::Millis,
    ),
    (
        "execution.checkpointing.max-concurrent-checkpoints",
        "checkpointing.max_concurrent",
        Form::Number,
    ),
    (
        "execution.checkpointing.tolerable-failed-checkpoints",
        "checkpointing.tolerable_failures",
        Form::Number,
    ),
    (
        "execution.checkpointing.checkpoints-after-tasks-finish",
        "checkpointing.after_tasks_finish",
        Form::Truth,
    ),
    (
        "execution.checkpointing.checkpoints-after-tasks-finish.enabled",
        "checkpointing.after_tasks_finish",
        Form::Truth,
    ),
    (
        "restart-strategy.fixed-delay.attempts",
        "restart.attempts",
        Form::Number,
    ),
    (
        "restart-strategy.fixed-delay.delay",
        "costs.restart_ms",
        Form::Millis,
    ),
    (
        "jobmanager.execution.failover-strategy",
        "restart.failover",
        Form::Word,
    ),
    (
        "taskmanager.network.memory.buffers-per-channel",
        "network.buffers_per_channel",
        Form::Number,
    ),
    (
        "taskmanager.network.memory.floating-buffers-per-gate",
        "network.floating_buffers_per_gate",
        Form::Number,
    ),
    (
        "taskmanager.network.memory.max-buffers-per-channel",
        "network.max_buffers_per_channel",
        Form::Number,
    ),
    (
        "taskmanager.memory.segment-size",
        "network.segment_bytes",
        Form::Bytes,
    ),
    ("isolation.level", "reader.isolation_level", Form::Word),
];

/// What only a consumer has: everything else is a producer's.
const OF_CONSUMERS: [&str; 16] = [
    "group.id",
    "group.protocol",
    "isolation.level",
    "enable.auto.commit",
    "auto.commit.interval.ms",
    "enable.auto.offset.store",
    "auto.offset.reset",
    "max.poll.records",
    "max.poll.interval.ms",
    "session.timeout.ms",
    "heartbeat.interval.ms",
    "fetch.min.bytes",
    "fetch.max.wait.ms",
    "max.partition.fetch.bytes",
    "key.deserializer",
    "value.deserializer",
];

/// Where a scenario has an option, and as what: several places, if it has several clients. None if it has none.
pub fn changes(scenario: &Value, property: &Property) -> Vec<(String, Value)> {
    let list = |name: &str| {
        scenario
            .get(name)
            .and_then(Value::as_array)
            .map_or(0, Vec::len)
    };
    let name = property.name.as_str();
    if scenario.get("job").is_some() {
        if let Some((_, path, form)) = FLINK.iter().find(|(known, ..)| *known == name) {
            return vec![((*path).to_owned(), typed(*form, name, &property.value))];
        }
        let has_brokers = scenario.get("kafka").is_some_and(Value::is_object);
        let is_flinks = [
            "execution.",
            "taskmanager.",
            "jobmanager.",
            "restart-strategy.",
            "state.",
            "pipeline.",
        ]
        .iter()
        .any(|it| name.starts_with(it));
        return match has_brokers && !is_flinks {
            true => vec![(format!("kafka.sink.config.{name}"), plain(&property.value))],
            false => Vec::new(),
        };
    }
    let clients = if OF_CONSUMERS.contains(&name) {
        "consumers"
    } else {
        "producers"
    };
    let all = |clients: &str| {
        (0..list(clients))
            .map(move |at| format!("{clients}.{at}.config.{name}"))
            .collect::<Vec<_>>()
    };
    let mut paths = all(clients);
    // Streams applications have their producer's options in a part of their own.
    if ["processing.guarantee", "commit.interval.ms"].contains(&name) || paths.is_empty() {
        paths = all("streams");
    }
    let value = plain(&property.value);
    paths
        .into_iter()
        .map(|path| (path, value.clone()))
        .collect()
}

/// A value as Kafka's options have it: a truth, a number, or a word. What is no number stays a word, and is refused as one.
fn plain(value: &str) -> Value {
    match value {
        "true" | "false" => json!(value == "true"),
        _ => value
            .parse::<i64>()
            .map_or_else(|_| json!(value), |number| json!(number)),
    }
}

fn typed(form: Form, name: &str, value: &str) -> Value {
    match form {
        Form::Truth => match value.to_ascii_lowercase().as_str() {
            "true" => json!(true),
            "false" => json!(false),
            _ => json!(value),
        },
        Form::Number => plain(value),
        Form::Word if name == "isolation.level" => json!(value.to_ascii_lowercase()),
        Form::Word => json!(value.to_ascii_lowercase().replace('_', "-")),
        Form::Millis => scaled(
            value,
            &[
                ("ms", 1),
                ("milli", 1),
                ("s", 1_000),
                ("min", 60_000),
                ("m", 60_000),
                ("h", 3_600_000),
                ("d", 86_400_000),
            ],
        ),
        Form::Bytes => scaled(
            value,
            &[
                ("b", 1),
                ("kb", 1_024),
                ("k", 1_024),
                ("mb", 1_048_576),
                ("m", 1_048_576),
            ],
        ),
    }
}

/// A number with a unit, as Flink's configuration has it; without one, it is in the smallest.
fn scaled(value: &str, units: &[(&str, u64)]) -> Value {
    let split = value
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(value.len());
    let (number, unit) = value.split_at(split);
    let unit = unit.trim().to_ascii_lowercase();
    let unit = unit
        .trim_end_matches("econds")
        .trim_end_matches("econd")
        .trim_end_matches("utes")
        .trim_end_matches("ute");
    let factor = match unit {
        "" => Some(1),
        unit => units
            .iter()
            .find(|(known, _)| *known == unit)
            .map(|(_, factor)| *factor),
    };
    match (number.parse::<u64>(), factor) {
        (Ok(number), Some(factor)) => json!(number.saturating_mul(factor)),
        _ => json!(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_files_are_read() {
        let text = "# a comment\nacks=all\n\nexecution.checkpointing.interval: 3 s\n transactional.id = \"a=b\" \n";
        let read = read(text).unwrap();
        let read: Vec<_> = read
            .iter()
            .map(|it| (it.name.as_str(), it.value.as_str()))
            .collect();
        assert_eq!(
            read,
            [
                ("acks", "all"),
                ("execution.checkpointing.interval", "3 s"),
                ("transactional.id", "a=b")
            ]
        );
        for other in [
            "",
            "hello world",
            "{\"a\": 1}",
            "x = 1\nwhat is this",
            "https://example.org/?a=b",
            "A: 1",
        ] {
            assert_eq!(super::read(other), None, "{other}");
        }
    }

    #[test]
    fn options_find_their_fields() {
        let job = json!({"job": {}, "checkpointing": {}});
        let of = |scenario: &Value, name: &str, value: &str| {
            let property = Property {
                name: name.to_owned(),
                value: value.to_owned(),
            };
            changes(scenario, &property)
        };
        for (value, millis) in [
            ("3s", 3_000),
            ("3 seconds", 3_000),
            ("250", 250),
            ("250ms", 250),
            ("10 min", 600_000),
            ("1 h", 3_600_000),
        ] {
            let found = of(&job, "execution.checkpointing.interval", value);
            assert_eq!(
                found,
                [("checkpointing.interval_ms".to_owned(), json!(millis))],
                "{value}"
            );
        }
        assert_eq!(
            of(&job, "execution.checkpointing.mode", "AT_LEAST_ONCE")[0].1,
            json!("at-least-once")
        );
        assert_eq!(
            of(&job, "execution.checkpointing.unaligned.enabled", "true")[0].1,
            json!(true)
        );
        assert_eq!(
            of(&job, "taskmanager.memory.segment-size", "32kb")[0].1,
            json!(32_768)
        );
        assert_eq!(
            of(&job, "acks", "1"),
            [],
            "without brokers there is no producer"
        );
        let clients = json!({"producers": [{}, {}], "consumers": [{}]});
        let acks = of(&clients, "acks", "1");
        assert_eq!(acks.len(), 2);
        assert_eq!(acks[1], ("producers.1.config.acks".to_owned(), json!(1)));
        assert_eq!(
            of(&clients, "enable.auto.commit", "false")[0],
            (
                "consumers.0.config.enable.auto.commit".to_owned(),
                json!(false)
            )
        );
        assert_eq!(of(&clients, "transactional.id", "x")[0].1, json!("x"));
    }
}
