//! The recorded jobs and the simulated ones side by side, as text.

use std::fmt::Write as _;

use super::{
    Medians, Recording, outcome, recorded_medians, recorded_outcome, simulate, simulated_medians,
};
use barrierscope_core::id::CheckpointId;

/// A column of the table: its name, and where its figure is.
type Column = (&'static str, fn(&Medians) -> f64);

const COLUMNS: [Column; 5] = [
    ("end to end, ms", |m| m.end_to_end),
    ("start delay of the join, ms", |m| m.start_delay),
    ("alignment of the join, ms", |m| m.alignment),
    ("persisted in-flight data, B", |m| m.persisted),
    ("state size, B", |m| m.state_size),
];

/// What `cargo xtask recorded` prints: medians, then what became of each checkpoint and transaction of the
/// runs that failed.
pub fn report() -> String {
    let mut text =
        String::from("Medians of the completed checkpoints: simulated, recorded, off by\n");
    for letter in ["a", "b", "c", "d", "g", "e1", "e3", "j", "m"] {
        medians(letter, &mut text);
    }
    text.push_str(
        "\nFailures: each checkpoint, simulated and recorded, and the sink's transactions, simulated\n",
    );
    for letter in ["e1", "e2", "e3", "f1", "f3", "f4", "j", "m"] {
        failures(letter, &mut text);
    }
    text.push_str(
        "\nNot simulated: e4 and e6 (a TaskManager is killed and not replaced; here another takes its place)\n",
    );
    text
}

fn medians(letter: &str, text: &mut String) {
    let recording = Recording::of(letter);
    let recorded = recorded_medians(&recording);
    let simulated = simulated_medians(&simulate(&recording));
    let _ = writeln!(
        text,
        "{} ({} and {} checkpoints)",
        recording.name(),
        simulated.count,
        recorded.count
    );
    for (name, of) in COLUMNS {
        let (found, expected) = (of(&simulated), of(&recorded));
        let _ = write!(text, "  {name:<28}{found:>10.0}{expected:>10.0}");
        if expected > 0.0 {
            let _ = write!(text, "{:>+8.0} %", (found / expected - 1.0) * 100.0);
        }
        text.push('\n');
    }
}

fn failures(letter: &str, text: &mut String) {
    let recording = Recording::of(letter);
    let simulated = simulate(&recording);
    let measured = &simulated.measured;
    let _ = writeln!(
        text,
        "{}: restored {} times; {} records doubled, {} miscounted in state, {} lost",
        recording.name(),
        measured.restored,
        measured.verdict.doubled,
        measured.verdict.miscounted,
        measured.verdict.lost,
    );
    let mut recorded = recording.checkpoints().iter();
    for checkpoint in &measured.checkpoints {
        let _ = write!(
            text,
            "  checkpoint {}: {}, {}/10 acknowledged, {:.0} ms",
            checkpoint.checkpoint,
            outcome(checkpoint),
            checkpoint.acknowledged().count(),
            checkpoint.end_to_end.0 as f64 / 1_000.0,
        );
        let _ = match recorded.next() {
            Some(recorded) => writeln!(
                text,
                "; recorded: {}, {}/10, {} ms",
                recorded_outcome(recorded),
                recorded["acks"],
                recorded["end_to_end"]
            ),
            None => writeln!(text, "; recorded: none, the data had ended"),
        };
    }
    for t in &simulated.transactions {
        let of = |checkpoint: Option<CheckpointId>| {
            checkpoint.map_or("none".to_string(), |checkpoint| checkpoint.to_string())
        };
        let _ = writeln!(
            text,
            "  transaction {} of sink[{}]: {} records, prepared with {}, {}",
            t.number,
            t.subtask,
            t.records,
            of(t.prepared_with),
            match (t.aborted, t.committed_after) {
                (true, _) => "aborted".into(),
                (false, None) => "left open".into(),
                (false, after) => format!("committed after {}", of(after)),
            }
        );
    }
}
