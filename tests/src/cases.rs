//! Public fault reports, each a scenario without and with its fix, held against what was reported.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use barrierscope_core::kafka::log::IsolationLevel;
use barrierscope_core::scenario::delivery::{Delivery, Judge};
use barrierscope_core::scene::Facts;
use barrierscope_core::scene::kafka::Audience;
use barrierscope_core::session::Session;
use barrierscope_core::verdict::{Guarantee, Verdict};
use serde::Deserialize;

use crate::words::Names;

/// What was reported.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name, and that of its scenario's files.
    pub id: String,
    /// What its scenario is called.
    pub title: String,
    /// Where it comes from.
    pub source: String,
    /// The versions for which it holds.
    pub versions: String,
    /// What went wrong.
    pub observed: Observed,
    /// The cause.
    pub why: String,
    /// What avoids it.
    pub fix: String,
    /// For whom it is judged.
    pub judged: Judge,
    /// The records that are seen without the fix.
    pub visible: Vec<String>,
    /// And with it.
    pub visible_with_fix: Vec<String>,
    /// Where the scenario differs from the report.
    #[serde(default)]
    pub note: Option<String>,
}

/// What went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Observed {
    /// A record was lost.
    Loss,
    /// One was doubled.
    Duplicates,
    /// One was not visible, though nothing was wrong with it.
    Stuck,
    /// A producer was stopped; the data is right.
    Fenced,
}

/// A case, and what came out.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The case.
    pub case: Case,
    /// Without the fix.
    pub without: Seen,
    /// With it.
    pub with: Seen,
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The records that the judged one sees, by key, each as often as it does.
    pub records: Vec<String>,
    /// Who that is.
    pub judged: Judge,
    /// The account.
    pub verdict: Verdict,
}

impl Outcome {
    /// Whether what came out is what was reported.
    pub fn agrees(&self) -> bool {
        let verdict = &self.without.verdict;
        let (lost, doubled) = (verdict.lost > 0, verdict.doubled > 0);
        let hidden = verdict.stuck + verdict.waiting > 0;
        let observed = match self.case.observed {
            Observed::Loss => lost && !doubled,
            Observed::Duplicates => doubled && !lost,
            Observed::Stuck => hidden && !lost && !doubled,
            Observed::Fenced => verdict.failed > 0 && !lost && !doubled,
        };
        let fixed = &self.with.verdict;
        let clean = fixed.guarantee() == Guarantee::ExactlyOnce
            && [fixed.stuck, fixed.waiting, fixed.miscounted] == [0; 3];
        let same = |seen: &Seen, expected: &[String]| {
            seen.judged == self.case.judged && counted(&seen.records) == counted(expected)
        };
        observed
            && clean
            && same(&self.without, &self.case.visible)
            && same(&self.with, &self.case.visible_with_fix)
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

/// Runs all cases.
///
/// # Errors
/// A file that is missing or makes no sense, by its name.
pub fn run() -> Result<Vec<Outcome>, String> {
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/cases.json");
    let text = std::fs::read_to_string(tests).map_err(|error| format!("{tests}: {error}"))?;
    let cases: Vec<Case> =
        serde_json::from_str(&text).map_err(|error| format!("{tests}: {error}"))?;
    let outcome = |case: Case| {
        Ok(Outcome {
            without: seen(&format!("{}.json", case.id), &case.title)?,
            with: seen(&format!("{}.fixed.json", case.id), &case.title)?,
            case,
        })
    };
    cases.into_iter().map(outcome).collect()
}

fn open(file: &str, title: &str) -> Result<Box<dyn Session>, String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/cases/");
    let path = format!("{folder}{file}");
    let json = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let scenario = Delivery::from_json(&json).map_err(|error| format!("{file}: {error}"))?;
    if scenario.name != title {
        return Err(format!("{file}: it is called \"{}\"", scenario.name));
    }
    barrierscope_core::open(&json).map_err(|error| format!("{file}: {error}"))
}

fn seen(file: &str, title: &str) -> Result<Seen, String> {
    let mut run = open(file, title)?;
    run.go_to(run.last());
    let scene = run.scene();
    let judged = scene.nodes.iter().find_map(|node| match &node.facts {
        Facts::Audience(audience) if audience.judged => Some(audience),
        _ => None,
    });
    let judged = judged.ok_or_else(|| format!("{file}: nobody is judged"))?;
    let keys = judged
        .records
        .iter()
        .filter_map(|record| Some(run.record(*record)?.0.to_owned()));
    Ok(Seen {
        records: keys.collect(),
        judged: match judged.audience {
            Audience::Reader(IsolationLevel::ReadCommitted) => Judge::ReadCommitted,
            Audience::Reader(IsolationLevel::ReadUncommitted) => Judge::ReadUncommitted,
            Audience::Effects(_) => Judge::Effects,
            Audience::Store(_) => Judge::Store,
        },
        verdict: judged.verdict.clone(),
    })
}

/// What happens in a case without its fix, one event a line.
///
/// # Errors
/// A file that is missing or makes no sense, by its name.
pub fn trace(case: &Case) -> Result<String, String> {
    let mut run = open(&format!("{}.json", case.id), &case.title)?;
    let names = Names::of(&*run);
    let mut text = format!("{}\n{}\n\n", case.id, case.why);
    for step in 1..=run.last() {
        run.go_to(step);
        for event in run.events() {
            let time = run.time(step).to_string();
            let _ = writeln!(text, "{time:>12} {}", names.event(&event));
        }
    }
    Ok(text)
}

/// A case as it happened: what was reported, every event without the fix, and what avoids it.
///
/// # Errors
/// A file that is missing or makes no sense, by its name.
pub fn story(outcome: &Outcome) -> Result<String, String> {
    let case = &outcome.case;
    Ok(format!(
        "{}\n{}, {}\n\n{}\nThe fix: {}\n\n",
        case.title,
        case.source,
        case.versions,
        trace(case)?,
        case.fix
    ))
}

/// The table: case by case, what was reported and what came out.
pub fn table(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{:<38} {:<11} {:<34} {:<34} agrees",
        "case", "reported", "without the fix", "with the fix"
    );
    for outcome in outcomes {
        let _ = writeln!(
            text,
            "{:<38} {:<11} {:<34} {:<34} {}",
            outcome.case.id,
            format!("{:?}", outcome.case.observed).to_lowercase(),
            short(&outcome.without),
            short(&outcome.with),
            if outcome.agrees() { "yes" } else { "NO" },
        );
    }
    text
}

fn short(seen: &Seen) -> String {
    let verdict = &seen.verdict;
    let mut text = format!("[{}]", seen.records.join(" "));
    let counts = [
        (verdict.lost, "lost"),
        (verdict.doubled, "doubled"),
        (verdict.stuck + verdict.waiting, "stuck"),
        (verdict.failed, "failed"),
    ];
    for (count, name) in counts {
        if count > 0 {
            let _ = write!(text, " {count} {name}");
        }
    }
    text
}
