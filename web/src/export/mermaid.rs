//! A stretch of a run as a sequence diagram of Mermaid: who sends what to whom, and what is told of it.

use std::collections::BTreeMap;

use barrierscope_core::id::LaneId;
use barrierscope_core::scene::TokenKind;

use super::recording::{Message, Recording};

/// Mermaid draws no text that is longer than this, unless it is told to (`maxTextSize`).
pub const LONGEST: usize = 50_000;

/// Writes a stretch. `name` says what somebody is called, `says` what there is to tell of a step, if there is something.
pub fn write(
    recording: &Recording,
    name: impl Fn(LaneId) -> String,
    token: impl Fn(TokenKind) -> String,
    says: &BTreeMap<usize, String>,
) -> String {
    let mut text = format!("sequenceDiagram\n  title {}\n", safe(&recording.name));
    let speakers = speakers(recording, says);
    let actors = recording.actors.iter();
    for actor in actors.filter(|actor| speakers.contains(&actor.lane)) {
        text.push_str(&format!(
            "  participant n{} as {}\n",
            actor.lane,
            safe(&name(actor.lane))
        ));
    }
    let mut ends: BTreeMap<usize, Vec<&Message>> = BTreeMap::new();
    for message in &recording.messages {
        let step = message.end.step().map_or(0, |step| step as usize);
        ends.entry(step).or_default().push(message);
    }
    for step in &recording.steps {
        for message in ends.remove(&step.number).unwrap_or_default() {
            text.push_str(&format!(
                "  n{}{}n{}: {}\n",
                message.from,
                arrow(message),
                message.to,
                safe(&token(message.kind))
            ));
        }
        if let (Some(told), Some(lane)) = (says.get(&step.number), step.lanes.first()) {
            text.push_str(&format!("  Note over n{lane}: {}\n", safe(told)));
        }
    }
    text
}

/// Who takes part.
fn speakers(recording: &Recording, says: &BTreeMap<usize, String>) -> Vec<LaneId> {
    let within = |step: usize| (recording.from..=recording.to).contains(&step);
    let mut speakers = Vec::new();
    for message in &recording.messages {
        if message.end.step().is_some_and(|step| within(step as usize)) {
            speakers.extend([message.from, message.to]);
        }
    }
    for step in &recording.steps {
        if says.contains_key(&step.number) {
            speakers.extend(step.lanes.first());
        }
    }
    speakers
}

/// Data are drawn solid, control is dotted, and what is lost ends in a cross.
const fn arrow(message: &Message) -> &'static str {
    match (message.kind, message.lost()) {
        (TokenKind::Record(_) | TokenKind::Barrier(_) | TokenKind::Cancellation(_), Some(_)) => {
            "-x"
        }
        (_, Some(_)) => "--x",
        (TokenKind::Record(_), None) => "->>",
        (TokenKind::Barrier(_) | TokenKind::Cancellation(_), None) => "-)",
        (_, None) => "-->>",
    }
}

/// Text in which nothing means something to Mermaid.
fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => safe.push(' '),
            '#' => safe.push_str("#35;"),
            ';' => safe.push_str("#59;"),
            ':' => safe.push_str("#58;"),
            '<' => safe.push_str("#lt;"),
            '>' => safe.push_str("#gt;"),
            '%' => safe.push_str("#37;"),
            '"' => safe.push_str("#quot;"),
            '{' => safe.push_str("#123;"),
            '}' => safe.push_str("#125;"),
            other => safe.push(other),
        }
    }
    // `end` alone closes a block, wherever it stands.
    match safe.trim() {
        "" => "·".to_owned(),
        trimmed if trimmed.eq_ignore_ascii_case("end") => format!("‹{trimmed}›"),
        trimmed => trimmed.to_owned(),
    }
}
