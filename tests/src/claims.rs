//! The statements of `scenarios/claims.json`, and the searches that decide them.

use std::fs;
use std::path::{Path, PathBuf};

use barrierscope_core::models::spared::Spared;
use barrierscope_search::Job;
use barrierscope_search::claim::{CameTo, Case, Claimed, Of, Verdict};
use serde::Deserialize;

/// A statement, as it is written down.
#[derive(Debug, Deserialize)]
pub struct Claim {
    /// Its name.
    pub id: String,
    /// What is expected to become of it.
    pub verdict: Verdict,
    /// In English.
    pub en: Words,
    /// The configurations that decide it.
    pub cases: Vec<Written>,
}

/// What there is to say of it.
#[derive(Debug, Deserialize)]
pub struct Words {
    /// The statement.
    pub claim: String,
}

/// A case, as it is written down.
#[derive(Debug, Deserialize)]
pub struct Written {
    /// The name of its scenario.
    pub scenario: String,
    faults: u8,
    #[serde(default)]
    spare: Spared,
    of: Of,
    claimed: Claimed,
    #[serde(default)]
    but: bool,
    steps: Option<u32>,
}

impl Written {
    /// The case, with its scenario.
    pub fn case<'a>(&self, scenario: &'a str) -> Case<'a> {
        Case {
            scenario,
            faults: self.faults,
            spared: self.spare.clone(),
            of: self.of,
            claimed: self.claimed,
            but: self.but,
            expected: self.steps,
        }
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios")
}

/// All statements.
///
/// # Panics
/// If the list is not there, or not whole.
pub fn all() -> Vec<Claim> {
    let list = fs::read_to_string(folder().join("claims.json")).expect("the list is there");
    serde_json::from_str(&list).expect("the list is whole")
}

/// The scenario of a case.
///
/// # Panics
/// If it is not there.
pub fn scenario(name: &str) -> String {
    let path = folder().join("claims").join(format!("{name}.json"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What the searches of a statement have come to.
#[derive(Debug)]
pub struct Decided {
    /// What follows; none if a search has not come to an end.
    pub verdict: Option<Verdict>,
    /// Case by case: what it came to, and whether that was expected.
    pub cases: Vec<(CameTo, bool)>,
}

impl Decided {
    /// Whether everything came out as was expected.
    pub fn is_as_expected(&self, claim: &Claim) -> bool {
        self.verdict == Some(claim.verdict) && self.cases.iter().all(|(_, expected)| *expected)
    }
}

/// Decides a statement.
///
/// # Panics
/// If a scenario of it makes no sense.
pub fn decide(claim: &Claim) -> Decided {
    let mut agree = Vec::new();
    let mut cases = Vec::new();
    for written in &claim.cases {
        let scenario = scenario(&written.scenario);
        let case = written.case(&scenario);
        let ask = case
            .ask()
            .unwrap_or_else(|error| panic!("{}: {error}", written.scenario));
        let job = Job::begin(&ask).unwrap_or_else(|error| panic!("{}: {error}", written.scenario));
        let came_to = case.came_to(&job.finish());
        println!("{}, {:?}: {came_to:?}", written.scenario, written.of);
        agree.push((case.but, case.agrees(came_to)));
        cases.push((came_to, case.is_as_expected(came_to)));
    }
    Decided {
        verdict: Verdict::of(agree),
        cases,
    }
}
