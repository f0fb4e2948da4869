//! What serde says of a scenario, in plain words.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::nearest::suggestion;

/// Says in plain words what serde says: what is wrong, what would be right, and at which line.
pub(super) fn plain(told: &str) -> String {
    let (told, place) = placed(told);
    let plain = mismatch(told)
        .or_else(|| unknown_field(told))
        .or_else(|| unknown_word(told))
        .or_else(|| {
            quoted(told, "missing field `").map(|it| format!("the field `{it}` is missing"))
        })
        .or_else(|| quoted(told, "duplicate field `").map(|it| format!("`{it}` is there twice")));
    plain.unwrap_or_else(|| told.to_string()) + &place
}

/// Takes the place off: ` at line 3 column 5`.
fn placed(told: &str) -> (&str, String) {
    let found = told.rsplit_once(" at line ").and_then(|(told, place)| {
        let (line, column) = place.split_once(" column ")?;
        let (line, column): (u32, u32) = (line.parse().ok()?, column.parse().ok()?);
        Some((told, format!(" (line {line}, column {column})")))
    });
    found.unwrap_or((told, String::new()))
}

fn quoted<'a>(told: &'a str, before: &str) -> Option<&'a str> {
    told.strip_prefix(before)?.strip_suffix('`')
}

/// `invalid type: string "two", expected u16`
fn mismatch(told: &str) -> Option<String> {
    let rest = told
        .strip_prefix("invalid type: ")
        .or_else(|| told.strip_prefix("invalid value: "))?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let expected = expected_words(expected);
    let hint = match number_in_quotes(found) && expected.contains("number") {
        true => ", without quotes",
        false => "",
    };
    Some(format!(
        "{} does not fit: it has to be {expected}{hint}",
        found_words(found)
    ))
}

fn number_in_quotes(found: &str) -> bool {
    let text = found
        .strip_prefix("string \"")
        .and_then(|it| it.strip_suffix('"'));
    text.is_some_and(|text| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit()))
}

/// What was found: `integer `-1``, `string "two"`, `sequence`.
fn found_words(found: &str) -> String {
    let named = ["integer `", "floating point `", "boolean `", "character `"];
    let number = named.into_iter().find_map(|kind| quoted(found, kind));
    match (number, found) {
        (Some(number), _) => number.to_string(),
        (_, "sequence") => "a list".to_string(),
        (_, "map") => "an object".to_string(),
        (_, "null" | "unit value" | "Option value") => "null".to_string(),
        (_, other) => other.strip_prefix("string ").unwrap_or(other).to_string(),
    }
}

/// What serde expects.
fn expected_words(expected: &str) -> String {
    let whole = |most: u64| format!("a whole number from 0 to {most}");
    match expected {
        "u8" => whole(u64::from(u8::MAX)),
        "u16" => whole(u64::from(u16::MAX)),
        "u32" => whole(u64::from(u32::MAX)),
        "u64" | "usize" => whole(u64::MAX),
        "a boolean" => "true or false".to_string(),
        "a string" | "string" => "text in quotes".to_string(),
        "a sequence" => "a list: […]".to_string(),
        "a map" => OBJECT.to_string(),
        other if other.starts_with("struct ") || other.contains("internally tagged enum") => {
            OBJECT.to_string()
        }
        other if other.starts_with("enum ") || other == "variant identifier" => {
            "one of the words that are possible here, in quotes".to_string()
        }
        other => other.to_string(),
    }
}

const OBJECT: &str = "an object: {…}";

/// `unknown field `x`, expected one of `a`, `b``
fn unknown_field(told: &str) -> Option<String> {
    let rest = told.strip_prefix("unknown field `")?;
    let (word, known) = rest.rsplit_once("`, expected ")?;
    let known = names(known);
    let hint = suggestion(word, known.iter().copied())
        .unwrap_or_else(|| format!("there are: {}", known.join(", ")));
    Some(format!("there is no field `{word}` here; {hint}"))
}

/// `unknown variant `x`, expected `a` or `b``
fn unknown_word(told: &str) -> Option<String> {
    let rest = told.strip_prefix("unknown variant `")?;
    let (word, known) = rest.rsplit_once("`, expected ")?;
    let known = names(known);
    if let Some((_, hint)) = FORMER.iter().find(|(former, _)| *former == word) {
        return Some(format!("`{word}` is not possible: {hint}"));
    }
    let hint = suggestion(word, known.iter().copied()).map(|it| format!("; {it}"));
    Some(format!(
        "`{word}` is not possible; it has to be one of: {}{}",
        known.join(", "),
        hint.unwrap_or_default()
    ))
}

/// Words that Kafka had, and what became of them.
const FORMER: [(&str, &str); 2] = [
    (
        "exactly_once",
        "version 1 of it, with a producer for each partition, is not modelled here and was removed in \
         4.0; there are: at_least_once, exactly_once_v2",
    ),
    (
        "exactly_once_beta",
        "write `exactly_once_v2`, its name since 3.0",
    ),
];

/// What stands in backticks.
fn names(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serde_is_told_in_plain_words() {
        let told = [
            (
                "invalid type: string \"two\", expected u16 at line 3 column 9",
                "\"two\" does not fit: it has to be a whole number from 0 to 65535 (line 3, column 9)",
            ),
            (
                "invalid type: string \"5\", expected u8",
                "\"5\" does not fit: it has to be a whole number from 0 to 255, without quotes",
            ),
            (
                "invalid value: integer `-1`, expected u32",
                "-1 does not fit: it has to be a whole number from 0 to 4294967295",
            ),
            (
                "invalid type: floating point `1.5`, expected u64",
                "1.5 does not fit: it has to be a whole number from 0 to 18446744073709551615",
            ),
            (
                "invalid type: sequence, expected a string",
                "a list does not fit: it has to be text in quotes",
            ),
            (
                "invalid type: null, expected struct Topic",
                "null does not fit: it has to be an object: {…}",
            ),
            (
                "unknown field `kay`, expected one of `key`, `value`",
                "there is no field `kay` here; did you mean `key`?",
            ),
            (
                "unknown field `zebra`, expected `key` or `value`",
                "there is no field `zebra` here; there are: key, value",
            ),
            (
                "unknown variant `erliest`, expected one of `latest`, `earliest`, `none`",
                "`erliest` is not possible; it has to be one of: latest, earliest, none; did you mean `earliest`?",
            ),
            (
                "missing field `name` at line 1 column 2",
                "the field `name` is missing (line 1, column 2)",
            ),
            ("duplicate field `a`", "`a` is there twice"),
            ("something else", "something else"),
        ];
        for (serde, expected) in told {
            assert_eq!(plain(serde), expected);
        }
    }
}
