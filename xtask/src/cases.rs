//! `cargo xtask cases`: public fault reports, without and with their fix, beside what was reported.

use std::process::ExitCode;

use barrierscope_tests::cases;

/// Runs all cases and prints the table.
pub(crate) fn cases() -> anyhow::Result<ExitCode> {
    let outcomes = cases::run().map_err(anyhow::Error::msg)?;
    print!("{}", cases::table(&outcomes));
    for outcome in &outcomes {
        if let Some(note) = &outcome.case.note {
            println!("{}: {note}", outcome.case.id);
        }
    }
    let wrong = outcomes.iter().filter(|outcome| !outcome.agrees()).count();
    println!("{} as reported, {wrong} otherwise", outcomes.len() - wrong);
    Ok(match wrong {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}
