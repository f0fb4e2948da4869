//! `cargo xtask cases`: public fault reports, without and with their fix, beside what was reported.

use std::process::ExitCode;

use barrierscope_tests::cases;

/// Runs all cases and prints the table; or one, event by event.
pub(crate) fn cases(name: Option<&str>) -> anyhow::Result<ExitCode> {
    let mut outcomes = cases::run().map_err(anyhow::Error::msg)?;
    if let Some(name) = name {
        let wanted = name.to_ascii_uppercase();
        let known: Vec<String> = outcomes.iter().map(|it| it.case.id.clone()).collect();
        outcomes.retain(|it| it.case.id.to_ascii_uppercase().starts_with(&wanted));
        anyhow::ensure!(
            !outcomes.is_empty(),
            "there is no case {name}; there are {}",
            known.join(", ")
        );
        for outcome in &outcomes {
            print!("{}", cases::story(outcome).map_err(anyhow::Error::msg)?);
        }
    }
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
