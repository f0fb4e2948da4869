//! `cargo xtask compare`: a scenario with its checkpoints aligned, unaligned and at-least-once, side by
//! side, measured in virtual time.

use std::fmt::Write as _;
use std::path::PathBuf;

use barrierscope_core::Barriers;
use barrierscope_core::measurement::Measurement;
use barrierscope_core::scenario::Scenario;
use barrierscope_core::time::Micros;
use lexopt::Arg;

use crate::run;

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// The scenario's file; the default story without one.
    file: Option<PathBuf>,
}

impl Options {
    /// Reads `[FILE]`.
    pub(crate) fn parse(args: &mut lexopt::Parser) -> Result<Self, lexopt::Error> {
        let mut options = Self { file: None };
        while let Some(arg) = args.next()? {
            match arg {
                Arg::Value(file) if options.file.is_none() => options.file = Some(file.into()),
                _ => return Err(arg.unexpected()),
            }
        }
        Ok(options)
    }
}

/// Measures the scenario in each way, and prints the table.
pub(crate) fn compare(options: &Options) -> anyhow::Result<()> {
    let scenario = run::pipeline(options.file.as_deref())?;
    print!("{}", table(&scenario)?);
    Ok(())
}

/// A row: its name, and how its figure is written.
type Row = (&'static str, fn(&Measurement) -> String);

const ROWS: [Row; 13] = [
    ("latency, median", |m| millis(m.latency.median)),
    ("latency, 99 of 100", |m| millis(m.latency.p99)),
    ("checkpoint, median", |m| millis(m.durations.median)),
    ("checkpoint, longest", |m| millis(m.durations.longest)),
    ("stored, median", |m| format!("{} B", m.sizes().0)),
    ("of it in-flight data", |m| format!("{} B", m.sizes().1)),
    ("channels blocked", |m| millis(m.blocked)),
    ("recovery, median", |m| match m.recovery.count {
        0 => "none".into(),
        _ => millis(m.recovery.median),
    }),
    ("records read again", |m| m.repeated.to_string()),
    ("checkpoints completed", |m| {
        m.completed().count().to_string()
    }),
    ("checkpoints failed", |m| m.failed().to_string()),
    ("records doubled", |m| m.verdict.doubled.to_string()),
    ("miscounted in state", |m| m.verdict.miscounted.to_string()),
];

fn millis(duration: Micros) -> String {
    format!("{:.1} ms", duration.0 as f64 / 1_000.0)
}

fn table(scenario: &Scenario) -> anyhow::Result<String> {
    let mut measured = Vec::new();
    for barriers in Barriers::ALL {
        measured.push(barrierscope_core::measure_with(scenario, barriers)?);
    }
    let mut text = format!("{}\n", scenario.name);
    let _ = writeln!(
        text,
        "{:<24}{:>16}{:>16}{:>16}",
        "", "aligned", "unaligned", "at-least-once"
    );
    for (name, figure) in ROWS {
        let _ = write!(text, "{name:<24}");
        for column in &measured {
            let _ = write!(text, "{:>16}", figure(column));
        }
        text.push('\n');
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_three_figures() {
        let table = table(&Scenario::default_story().unwrap()).unwrap();
        assert_eq!(table.lines().count(), 2 + ROWS.len());
        let recovery = table.lines().find(|line| line.starts_with("recovery"));
        assert_eq!(recovery.unwrap().matches(" ms").count(), 3, "{table}");
    }
}
