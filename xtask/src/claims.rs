//! `cargo xtask claims`: the statements of `scenarios/claims.json`, decided by searches.

use std::process::ExitCode;
use std::time::Instant;

use barrierscope_search::claim::{CameTo, Verdict};
use barrierscope_tests::claims::{all, decide};

/// Decides all statements, or the one of this name, and tells which came out otherwise than expected.
pub(crate) fn claims(name: Option<&str>) -> anyhow::Result<ExitCode> {
    let mut claims = all();
    if let Some(name) = name {
        let known: Vec<String> = claims.iter().map(|claim| claim.id.clone()).collect();
        claims.retain(|claim| claim.id == name);
        anyhow::ensure!(
            !claims.is_empty(),
            "there is no statement {name:?}; there are {}",
            known.join(", ")
        );
    }
    let mut other = 0;
    for claim in &claims {
        let began = Instant::now();
        let decided = decide(claim);
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "{:<9} {} ({seconds:.1} s)",
            word(decided.verdict),
            claim.en.claim
        );
        for (written, (came_to, is_expected)) in claim.cases.iter().zip(&decided.cases) {
            let sign = if *is_expected {
                ""
            } else {
                "  NOT AS EXPECTED"
            };
            println!("          {}: {}{sign}", written.scenario, told(*came_to));
        }
        other += usize::from(!decided.is_as_expected(claim));
    }
    println!("{} of {} as expected", claims.len() - other, claims.len());
    Ok(match other {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn word(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::True) => "true",
        Some(Verdict::TrueBut) => "true, but",
        Some(Verdict::False) => "false",
        None => "undecided",
    }
}

fn told(came_to: CameTo) -> String {
    match came_to {
        CameTo::Holds(states) => format!("never, in all {states} states"),
        CameTo::Shows(steps) => format!("after {steps} steps"),
        CameTo::Undecided => String::from("the search has not come to an end"),
    }
}
