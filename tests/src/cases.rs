//! Public fault reports, each a scenario without and with its fix, held against what was reported.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use barrierscope_core::session::Session;
use barrierscope_core::symptom::{Found, Judged, Symptom};
use serde::Deserialize;

use crate::words::Names;

/// The list of all reports.
const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/cases.json");
/// Their scenarios.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/cases");

/// What was reported.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name, and that of its scenario's files.
    pub id: String,
    /// Where it was reported, as short as it can be said.
    pub ticket: String,
    /// Where to read on.
    #[serde(default)]
    pub link: Option<String>,
    /// What went wrong.
    pub observed: Symptom,
    /// For whom it is judged; for nobody as long as there is no scenario.
    #[serde(default)]
    pub judged: Option<Judged>,
    /// The records that are seen without the fix.
    #[serde(default)]
    pub visible: Vec<String>,
    /// And with it.
    #[serde(default)]
    pub visible_with_fix: Vec<String>,
    /// What there is to say, in English.
    pub en: Words,
    /// And in Chinese.
    pub zh: Words,
}

/// What there is to say about a report, in one language.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// What its scenario is called, in English.
    pub title: String,
    /// Where it comes from.
    pub source: String,
    /// The versions for which it holds.
    pub versions: String,
    /// What went wrong.
    pub wrong: String,
    /// The cause.
    pub why: String,
    /// What avoids it.
    pub fix: String,
    /// Where the scenario differs from the report.
    #[serde(default)]
    pub note: Option<String>,
}

/// A case, and what came out.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The case.
    pub case: Case,
    /// Without the fix; nothing where there is no scenario.
    pub without: Option<Found>,
    /// With it; nothing where there is none, as nothing goes wrong without.
    pub with: Option<Found>,
}

impl Outcome {
    /// Whether what came out is what was reported. A case without a scenario is none that did.
    pub fn agrees(&self) -> bool {
        let Some(without) = &self.without else {
            return false;
        };
        let case = &self.case;
        let as_reported = self.is_as_expected(without, case.observed, &case.visible);
        match (&self.with, case.observed) {
            // Where nothing goes wrong there is nothing to fix.
            (None, Symptom::Ok) => as_reported,
            (None, _) | (Some(_), Symptom::Ok) => false,
            (Some(with), _) => {
                as_reported && self.is_as_expected(with, Symptom::Ok, &case.visible_with_fix)
            }
        }
    }

    fn is_as_expected(&self, found: &Found, symptom: Symptom, visible: &[String]) -> bool {
        // A report says of a state that it counts too much or too little; the account only that it counts wrongly.
        let is_state = self.case.judged == Some(Judged::State);
        let in_state = is_state
            && found.symptom == Symptom::Miscounted
            && matches!(symptom, Symptom::Loss | Symptom::Duplicates);
        (is_state || self.case.judged == Some(found.judged))
            && (found.symptom == symptom || in_state)
            && counted(&found.records) == counted(visible)
    }
}

/// How often each key occurs.
fn counted(keys: &[String]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for key in keys {
        *counts.entry(key.as_str()).or_default() += 1;
    }
    counts
}

/// All cases, in their order.
///
/// # Errors
/// What is wrong with the list.
pub fn all() -> Result<Vec<Case>, String> {
    let text = std::fs::read_to_string(LIST).map_err(|error| format!("{LIST}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{LIST}: {error}"))
}

/// Runs all cases.
///
/// # Errors
/// A file that makes no sense, by its name.
pub fn run() -> Result<Vec<Outcome>, String> {
    let outcome = |case: Case| {
        Ok(Outcome {
            without: found(&format!("{}.json", case.id), &case)?,
            with: found(&format!("{}.fixed.json", case.id), &case)?,
            case,
        })
    };
    all()?.into_iter().map(outcome).collect()
}

/// Opens a scenario; nothing if there is no such file.
fn open(file: &str, case: &Case) -> Result<Option<Box<dyn Session>>, String> {
    let path = Path::new(FOLDER).join(file);
    if !path.exists() {
        return Ok(None);
    }
    let json = std::fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
    let run = barrierscope_core::open(&json).map_err(|error| format!("{file}: {error}"))?;
    let name = run.story().name();
    if name != case.en.title {
        return Err(format!("{file}: it is called \"{name}\""));
    }
    Ok(Some(run))
}

fn found(file: &str, case: &Case) -> Result<Option<Found>, String> {
    let Some(mut run) = open(file, case)? else {
        return Ok(None);
    };
    run.go_to(run.last());
    let found = Found::of(&*run).ok_or_else(|| format!("{file}: nobody is judged"))?;
    Ok(Some(found))
}

/// What happens in a run of a case, one event a line; nothing where there is no scenario.
fn events(file: &str, case: &Case) -> Result<String, String> {
    let Some(mut run) = open(file, case)? else {
        return Ok(String::new());
    };
    let names = Names::of(&*run);
    let mut text = String::new();
    for step in 1..=run.last() {
        run.go_to(step);
        for event in run.events() {
            let time = run.time(step).to_string();
            let _ = writeln!(text, "{time:>12} {}", names.event(&event));
        }
    }
    Ok(text)
}

/// What happens in a case without its fix, one event a line.
///
/// # Errors
/// A file that makes no sense, by its name.
pub fn trace(case: &Case) -> Result<String, String> {
    let events = events(&format!("{}.json", case.id), case)?;
    Ok(format!("{}\n{}\n\n{events}", case.id, case.en.why))
}

/// A case as it happened: what was reported, every event without the fix and with it.
///
/// # Errors
/// A file that makes no sense, by its name.
pub fn story(case: &Case) -> Result<String, String> {
    let words = &case.en;
    let without = events(&format!("{}.json", case.id), case)?;
    let with = events(&format!("{}.fixed.json", case.id), case)?;
    let mut text = format!(
        "{}\n{}\n{}; {}\n\n{} {}\n\nWithout the fix:\n\n{without}\n",
        case.id, words.title, words.source, words.versions, words.wrong, words.why
    );
    if !with.is_empty() {
        let _ = writeln!(text, "With the fix: {}\n\n{with}", words.fix);
    }
    Ok(text)
}

/// The table: case by case, what was reported and what came out, without the fix and with it.
pub fn table(outcomes: &[Outcome]) -> String {
    let mut rows = vec![
        [
            "case",
            "source",
            "expected",
            "found",
            "expected with fix",
            "found with fix",
            "",
        ]
        .map(str::to_owned),
    ];
    rows.extend(outcomes.iter().map(row));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..rows[0].len()).filter_map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        let _ = writeln!(text, "{}", cells.join("  ").trim_end());
    }
    text
}

fn row(outcome: &Outcome) -> [String; 7] {
    let case = &outcome.case;
    let nothing = || "–".to_owned();
    let expected = |symptom, visible: &[String]| match case.judged {
        Some(_) => said(symptom, visible),
        None => word(symptom).to_owned(),
    };
    let found = |found: &Found| said(found.symptom, &found.records);
    [
        case.id.clone(),
        case.ticket.clone(),
        expected(case.observed, &case.visible),
        (outcome.without.as_ref()).map_or_else(|| "no scenario".to_owned(), found),
        match case.observed {
            Symptom::Ok => nothing(),
            _ => expected(Symptom::Ok, &case.visible_with_fix),
        },
        outcome.with.as_ref().map_or_else(nothing, found),
        if outcome.agrees() { "" } else { "FAILED" }.to_owned(),
    ]
}

fn said(symptom: Symptom, records: &[String]) -> String {
    format!("{} [{}]", word(symptom), records.join(" "))
}

const fn word(symptom: Symptom) -> &'static str {
    match symptom {
        Symptom::Ok => "ok",
        Symptom::Loss => "loss",
        Symptom::Duplicates => "duplicates",
        Symptom::Both => "loss, duplicates",
        Symptom::Stuck => "stuck",
        Symptom::Fenced => "fenced",
        Symptom::Miscounted => "miscounted",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(id: &str) -> Outcome {
        let mut all = run().expect("the files are there").into_iter();
        all.find(|it| it.case.id.starts_with(id))
            .expect("it is there")
    }

    #[test]
    fn what_comes_out_otherwise_has_failed() {
        let good = outcome("KP03");
        assert!(good.agrees());
        let mut bad = good.clone();
        bad.case.observed = Symptom::Loss;
        assert!(!bad.agrees());
        let mut bad = good.clone();
        bad.case.visible_with_fix.push("r2".to_owned());
        assert!(!bad.agrees());
        let mut bad = good;
        bad.with = None;
        assert!(!bad.agrees());
    }

    /// A report of Flink is judged by the reader of its pipeline's output.
    #[test]
    fn a_pipeline_is_judged_by_its_reader() {
        use barrierscope_core::scenario::{DeliveryGuarantee, Story};

        let found = |sink| {
            let story = Story::from(crate::scenarios::story(sink));
            let mut run = barrierscope_core::start(story).expect("the story is whole");
            run.go_to(run.last());
            Found::of(&*run).expect("there is a reader")
        };
        let doubled = found(DeliveryGuarantee::AtLeastOnce);
        assert_eq!(doubled.symptom, Symptom::Duplicates);
        let copies = counted(&doubled.records)
            .values()
            .filter(|it| **it > 1)
            .count();
        assert_eq!(copies, doubled.verdict.doubled as usize);
        let right = found(DeliveryGuarantee::ExactlyOnce);
        assert_eq!((right.symptom, right.records.len()), (Symptom::Ok, 190));
        assert_eq!(right.judged, Judged::ReadCommitted);
    }

    #[test]
    fn a_case_without_a_scenario_has_failed_and_is_named() {
        let mut missing = outcome("KP03");
        (missing.without, missing.with) = (None, None);
        assert!(!missing.agrees());
        let table = table(&[missing]);
        assert!(
            table.contains("no scenario") && table.contains("FAILED"),
            "{table}"
        );
    }

    #[test]
    fn a_case_in_which_nothing_goes_wrong_needs_no_fix() {
        let mut control = outcome("KP03");
        control.without = control.with.take();
        control.case.observed = Symptom::Ok;
        control.case.visible = control.case.visible_with_fix.clone();
        assert!(control.agrees());
    }

    #[test]
    fn a_state_that_counts_wrongly_is_what_a_report_says_of_a_state() {
        let mut state = outcome("KP03");
        state.case.judged = Some(Judged::State);
        let found = state.without.as_mut().expect("it was run");
        found.symptom = Symptom::Miscounted;
        assert!(state.agrees());
    }
}
