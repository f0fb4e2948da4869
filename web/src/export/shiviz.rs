//! A stretch of a run as a log for ShiViz: each event with the vector clock of who it happened to.
//!
//! The first line of such a file is the expression by which ShiViz reads the rest, the second what separates several
//! runs, of which there is one. <https://bestchai.bitbucket.io/shiviz/>

use std::collections::BTreeMap;

use barrierscope_core::id::LaneId;
use serde_json::{Map, Value};

use super::datum::Datum;
use super::recording::{Deed, Recording};

/// By this, ShiViz reads an entry.
pub const PARSER: &str = r"(?<host>\S*) (?<clock>{.*})\n(?<event>.*)";

/// How often each one has acted, as far as somebody knows.
type VectorClock = BTreeMap<LaneId, u32>;

/// Writes a stretch.
pub fn write(recording: &Recording) -> String {
    let mut clocks: BTreeMap<LaneId, VectorClock> = BTreeMap::new();
    // By step: the clock of who acted in it.
    let mut of_step: BTreeMap<usize, VectorClock> = BTreeMap::new();
    let mut looks: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (earlier, later) in &recording.looks {
        looks.entry(*later).or_default().push(*earlier);
    }
    // What a message has with it: the clock of its sender when it was sent.
    let mut sent: BTreeMap<usize, VectorClock> = BTreeMap::new();
    let mut text = format!("{PARSER}\n\n");
    for deed in recording.deeds() {
        let mut clock = clocks.remove(&deed.who).unwrap_or_default();
        for known in deed.takes.iter().filter_map(|place| sent.get(place)) {
            join(&mut clock, known);
        }
        if deed.is_actor {
            for earlier in looks.remove(&deed.step.number).unwrap_or_default() {
                of_step
                    .get(&earlier)
                    .into_iter()
                    .for_each(|known| join(&mut clock, known));
            }
        } else if let Some(cause) = of_step.get(&deed.step.number) {
            // Whoever is struck by a step knows of who did it.
            join(&mut clock, cause);
        }
        *clock.entry(deed.who).or_default() += 1;
        for place in &deed.sends {
            sent.insert(*place, clock.clone());
        }
        if deed.is_actor {
            of_step.insert(deed.step.number, clock.clone());
        }
        text.push_str(&format!(
            "{} {}\n{}\n",
            recording.name_of(deed.who),
            written(recording, &clock),
            told(recording, &deed)
        ));
        clocks.insert(deed.who, clock);
    }
    text
}

/// Adds what another clock knows.
fn join(clock: &mut VectorClock, known: &VectorClock) {
    for (other, count) in known {
        let mine = clock.entry(*other).or_default();
        *mine = (*mine).max(*count);
    }
}

/// What somebody does in a step.
fn told(recording: &Recording, deed: &Deed<'_>) -> String {
    let mut parts: Vec<String> = Vec::new();
    if deed.is_actor {
        parts.extend(deed.step.events.iter().map(|event| Datum::of(event).line()));
    }
    let message = |place: &usize| recording.messages.get(*place);
    for message in deed.takes.iter().filter_map(message) {
        let from = recording.name_of(message.from);
        parts.push(format!("takes {} from {from}", message.what));
    }
    for message in deed.sends.iter().filter_map(message) {
        let to = recording.name_of(message.to);
        parts.push(format!("sends {} to {to}", message.what));
    }
    if parts.is_empty() {
        parts.push("is struck by it".to_owned());
    }
    format!("step {}: {}", deed.step.number, parts.join("; "))
}

fn written(recording: &Recording, clock: &VectorClock) -> Value {
    let entries = clock.iter();
    let entries: Map<String, Value> = entries
        .map(|(id, count)| (recording.name_of(*id).to_owned(), Value::from(*count)))
        .collect();
    Value::Object(entries)
}
