//! `cargo xtask gallery`: public fault reports, without and with their fix, beside what was reported.

use std::process::ExitCode;

use barrierscope_tests::cases;

/// Runs all cases and prints the table; or those whose name begins so, event by event. Fails if one comes out
/// otherwise than reported, or has no scenario.
pub(crate) fn gallery(name: Option<&str>) -> anyhow::Result<ExitCode> {
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
            print!(
                "{}",
                cases::story(&outcome.case).map_err(anyhow::Error::msg)?
            );
        }
    }
    print!("{}", cases::table(&outcomes));
    for outcome in &outcomes {
        if let Some(note) = &outcome.case.en.note {
            println!("{}: {note}", outcome.case.id);
        }
    }
    let failed = outcomes.iter().filter(|outcome| !outcome.agrees()).count();
    println!("{} passed, {failed} failed", outcomes.len() - failed);
    Ok(match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}
