//! A run that was found, as it is shared: a scenario, and which of the possible steps is taken each time. In an address
//! it is one character a step; in a file it is JSON with a version.

use barrierscope_core::scenario::{Story, StoryRef};
use serde_json::{Value, json};

/// How steps are numbered: another way of writing them, or other rules, would be another version.
const VERSION: u64 = 1;

/// What a file of a run says that it is.
const KIND: &str = "run";

/// Digits of a step's number; a larger one stands between two `~`.
const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// The steps as they stand in an address.
pub fn write(choices: &[u16]) -> String {
    let mut text = format!("{VERSION}.");
    for choice in choices {
        match DIGITS.get(usize::from(*choice)) {
            Some(digit) => text.push(char::from(*digit)),
            None => text.push_str(&format!("~{choice}~")),
        }
    }
    text
}

/// Reads what [`write()`] wrote; nothing if it is of another version, or no run.
pub fn read(text: &str) -> Option<Vec<u16>> {
    let (version, steps) = text.split_once('.')?;
    if version.parse() != Ok(VERSION) || steps.is_empty() {
        return None;
    }
    let mut choices = Vec::new();
    // What stands between two `~` is one number.
    for (at, part) in steps.split('~').enumerate() {
        if at % 2 == 1 {
            choices.push(part.parse().ok()?);
            continue;
        }
        for digit in part.bytes() {
            let number = DIGITS.iter().position(|known| *known == digit)?;
            choices.push(u16::try_from(number).ok()?);
        }
    }
    steps
        .matches('~')
        .count()
        .is_multiple_of(2)
        .then_some(choices)
}

/// A run as a file.
pub fn file(story: StoryRef<'_>, choices: &[u16]) -> String {
    let scenario: Value = serde_json::from_str(&story.to_json()).unwrap_or_default();
    let file = json!({
        "barrierscope": KIND,
        "version": VERSION,
        "scenario": scenario,
        "choices": choices,
    });
    serde_json::to_string_pretty(&file).unwrap_or_default()
}

/// The run in a file, if the file says that it holds one.
///
/// # Errors
/// What is wrong with it.
pub fn of_file(text: &str) -> Option<Result<(Story, Vec<u16>), String>> {
    let file: Value = serde_json::from_str(text).ok()?;
    let kind = file.get("barrierscope")?;
    Some(if kind == KIND {
        run_in(&file)
    } else {
        Err(format!(
            "barrierscope: there is no {kind}; there is \"run\""
        ))
    })
}

fn run_in(file: &Value) -> Result<(Story, Vec<u16>), String> {
    let version = file.get("version").and_then(Value::as_u64);
    if version != Some(VERSION) {
        return Err(format!("version: this page reads version {VERSION}"));
    }
    let scenario = file.get("scenario").ok_or("scenario: it is missing")?;
    let story = Story::from_json(&scenario.to_string());
    let story = story.map_err(|error| format!("scenario.{error}"))?;
    let choices = file.get("choices").cloned().unwrap_or_default();
    let choices: Vec<u16> = serde_json::from_value(choices)
        .map_err(|_| "choices: they are a list of numbers from 0 to 65535")?;
    Ok((story, choices))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_run_comes_back() {
        for choices in [
            vec![0],
            vec![35, 36, 0, 700, 12],
            vec![40, 41],
            vec![9; 500],
        ] {
            assert_eq!(read(&write(&choices)), Some(choices));
        }
        assert_eq!(write(&[0, 10, 36, 1]), "1.0a~36~1");
    }

    #[test]
    fn what_is_no_run_is_none() {
        for bad in [
            "",
            "1.",
            "2.01",
            "01",
            "1.0A",
            "1.0~36",
            "1.~x~",
            "1.~99999~",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_file_comes_back_and_a_bad_one_says_why() {
        let story = crate::state::Model::Votes.story().unwrap();
        let text = file(story.as_ref(), &[1, 2, 70]);
        assert_eq!(of_file(&text), Some(Ok((story.clone(), vec![1, 2, 70]))));
        // A scenario is none.
        assert_eq!(of_file(&story.as_ref().to_json()), None);
        let wrong = |pointer: &str, value: Value| {
            let mut file: Value = serde_json::from_str(&text).unwrap();
            *file.pointer_mut(pointer).unwrap() = value;
            of_file(&file.to_string()).unwrap().unwrap_err()
        };
        assert!(wrong("/version", json!(2)).contains("version"));
        assert!(wrong("/choices/2", json!(-70)).starts_with("choices"));
        assert!(wrong("/barrierscope", json!("lap")).contains("there is no \"lap\""));
        assert!(wrong("/scenario/model", json!("veto")).starts_with("scenario.model"));
    }
}
