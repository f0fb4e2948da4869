//! What the published schema of scenarios says of a field: for whoever writes one.

use serde_json::Value;

/// What is said of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// What it is for.
    pub what: String,
    /// What may stand there: `integer, 0 to 2147483647`, or the words.
    pub may_be: String,
    /// What it is if it is left out.
    pub default: Option<String>,
}

/// Deeper than any schema of ours.
const DEEPEST: usize = 40;

/// What the schema says of a field of a document, by its path as errors write it: `job.vertices[1].parallelism`.
pub fn describe(schema: &Value, document: &Value, path: &str) -> Option<Described> {
    let (mut at, mut here) = (vec![schema], Some(document));
    let mut rest = path;
    while !rest.is_empty() {
        let all: Vec<&Value> = at
            .iter()
            .flat_map(|it| alternatives(schema, it, here, 0))
            .collect();
        if let Some(inner) = rest.strip_prefix('[') {
            let (number, further) = inner.split_once(']')?;
            at = all.iter().filter_map(|it| it.get("items")).collect();
            here = here.and_then(|here| here.get(number.parse::<usize>().ok()?));
            rest = further.trim_start_matches('.');
        } else {
            // Kafka's options have dots in their names: the longest name that is there is meant.
            let ends = rest
                .match_indices(['.', '['])
                .map(|(end, _)| end)
                .chain([rest.len()]);
            let known = ends.collect::<Vec<_>>().into_iter().rev().find_map(|end| {
                let name = &rest[..end];
                let found: Vec<&Value> = all
                    .iter()
                    .filter_map(|it| it.get("properties")?.get(name))
                    .collect();
                (!found.is_empty()).then_some((name, found))
            });
            let (name, found) = known?;
            here = here.and_then(|here| here.get(name));
            at = found;
            rest = rest[name.len()..].trim_start_matches('.');
        }
    }
    let field = *at.first()?;
    let all: Vec<&Value> = alternatives(schema, field, None, 0);
    let word = |name: &str| {
        field
            .get(name)
            .or_else(|| all.iter().find_map(|it| it.get(name)))
    };
    let what = word("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    Some(Described {
        what: what.replace('\n', " "),
        may_be: may_be(&all),
        default: word("default")
            .filter(|it| !it.is_null())
            .map(Value::to_string),
    })
}

/// What a schema comes to: what it refers to, and of several those that fit the document.
fn alternatives<'a>(
    root: &'a Value,
    schema: &'a Value,
    document: Option<&Value>,
    depth: usize,
) -> Vec<&'a Value> {
    if depth > DEEPEST {
        return Vec::new();
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let found = root.pointer(target.trim_start_matches('#'));
        return found.map_or_else(Vec::new, |it| alternatives(root, it, document, depth + 1));
    }
    let parts = ["oneOf", "anyOf", "allOf"]
        .into_iter()
        .filter_map(|name| schema.get(name)?.as_array());
    let parts: Vec<&Value> = parts.flatten().collect();
    if parts.is_empty() {
        return vec![schema];
    }
    let inner = parts
        .into_iter()
        .flat_map(|it| alternatives(root, it, document, depth + 1));
    let all: Vec<&Value> = inner
        .filter(|it| it.get("type").is_none_or(|it| it != "null"))
        .collect();
    let fits = |it: &&&Value| document.is_none_or(|document| tags_fit(root, it, document));
    let fitting: Vec<&Value> = all.iter().filter(fits).copied().collect();
    if fitting.is_empty() { all } else { fitting }
}

/// Whether what says which of several kinds it is (`kind`, `model`) is what the document has there.
fn tags_fit(root: &Value, schema: &Value, document: &Value) -> bool {
    let (Some(properties), Some(fields)) = (
        schema.get("properties").and_then(Value::as_object),
        document.as_object(),
    ) else {
        return true;
    };
    ["kind", "model"].iter().all(|tag| {
        let Some(tagged) = properties.get(*tag) else {
            return true;
        };
        let words: Vec<Value> = alternatives(root, tagged, None, 0)
            .into_iter()
            .flat_map(words_of)
            .collect();
        match fields.get(*tag) {
            Some(word) => words.is_empty() || words.contains(word),
            // A scenario without a model is a pipeline.
            None => *tag == "model" && words.contains(&Value::from("pipeline")),
        }
    })
}

fn words_of(schema: &Value) -> Vec<Value> {
    let one = schema.get("const").cloned();
    let several = schema.get("enum").and_then(Value::as_array).cloned();
    one.into_iter()
        .chain(several.into_iter().flatten())
        .collect()
}

/// What may stand there, in short.
fn may_be(all: &[&Value]) -> String {
    let words: Vec<String> = all
        .iter()
        .flat_map(|it| words_of(it))
        .map(|it| it.to_string())
        .collect();
    if !words.is_empty() {
        return words.join(", ");
    }
    let kinds = all.iter().filter_map(|it| {
        let kind = match it.get("type")? {
            Value::String(kind) => kind.clone(),
            Value::Array(kinds) => kinds
                .iter()
                .filter_map(Value::as_str)
                .find(|it| *it != "null")?
                .to_owned(),
            _ => return None,
        };
        let number = |name: &str| it.get(name).map(Value::to_string);
        Some(match (number("minimum"), number("maximum")) {
            (Some(low), Some(high)) => format!("{kind}, {low} … {high}"),
            (Some(low), None) => format!("{kind}, ≥ {low}"),
            _ => kind,
        })
    });
    let mut kinds: Vec<String> = kinds.collect();
    kinds.dedup();
    kinds.join(" / ")
}

#[cfg(test)]
mod tests {
    use barrierscope_core::scenario::DEFAULT_STORY;
    use barrierscope_core::scenario::delivery::DEFAULT_DELIVERY;

    use super::*;

    const SCHEMA: &str = include_str!("../../schema/scenario.schema.json");

    fn said(document: &str, path: &str) -> Described {
        let schema = serde_json::from_str(SCHEMA).unwrap();
        let document = serde_json::from_str(document).unwrap();
        describe(&schema, &document, path).unwrap_or_else(|| panic!("{path}"))
    }

    #[test]
    fn fields_of_every_model_are_described() {
        let interval = said(DEFAULT_STORY, "checkpointing.interval_ms");
        assert!(
            interval.what.contains("execution.checkpointing.interval"),
            "{interval:?}"
        );
        assert_eq!(interval.may_be, "integer, 0 … 2147483647");
        let guarantee = said(DEFAULT_STORY, "job.vertices[2].operator.delivery_guarantee");
        assert!(
            guarantee.may_be.contains("\"exactly-once\""),
            "{guarantee:?}"
        );
        let timeout = said(DEFAULT_STORY, "checkpointing.timeout_ms");
        assert_eq!(timeout.default.as_deref(), Some("600000"));
        assert!(
            said(DEFAULT_STORY, "faults.schedule[0].crash")
                .what
                .contains("total[1]")
        );
        let acks = said(DEFAULT_DELIVERY, "producers[0].config.acks");
        assert!(acks.may_be.contains("\"all\""), "{acks:?}");
        let idempotence = said(DEFAULT_DELIVERY, "producers[0].config.enable.idempotence");
        assert_eq!(idempotence.may_be, "boolean");
    }

    #[test]
    fn what_is_no_field_is_not_described() {
        let schema = serde_json::from_str(SCHEMA).unwrap();
        let document = serde_json::from_str(DEFAULT_STORY).unwrap();
        for path in [
            "nothing",
            "job.vertices[0].nothing",
            "seed.deeper",
            "job[",
            "[0]",
        ] {
            assert_eq!(describe(&schema, &document, path), None, "{path}");
        }
    }
}
