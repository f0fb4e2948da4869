//! Starting other programs: shown when they do work, silent when they are only asked something.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

/// Shows a command as one could type it, runs it with our own output, and fails when it fails.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let line = spelled(command);
    println!("  $ {line}");
    let status = command
        .status()
        .with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// What a program says on standard output, or `None` where it cannot be started or fails.
pub(crate) fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Where on PATH a program is, as the system would find it.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path)
        .map(|folder| folder.join(&name))
        .find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

/// The command line, with the variables that matter and without those that everything gets.
fn spelled(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        let (name, value) = (name.to_str()?, value?.to_str()?);
        (name != "PATH").then(|| format!("{name}={}", quoted(value)))
    });
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    variables
        .chain(words.map(|word| quoted(&word.to_string_lossy())))
        .collect::<Vec<_>>()
        .join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=./:@,+\\".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("\"{word}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_one_could_type_it() {
        let mut command = Command::new("cargo");
        command
            .args(["doc", "--no-deps", ""])
            .env("RUSTDOCFLAGS", "-D warnings")
            .env("PATH", "/bin");
        command.env_remove("RUSTFLAGS");
        assert_eq!(
            spelled(&command),
            "RUSTDOCFLAGS=\"-D warnings\" cargo doc --no-deps \"\""
        );
    }

    #[test]
    fn a_failing_command_is_an_error_that_names_it() {
        let error = run(Command::new("cargo")
            .arg("no-such-subcommand")
            .stderr(Stdio::null()))
        .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("`cargo no-such-subcommand` failed"),
            "{error}"
        );
        let error = run(&mut Command::new("no-such-program")).unwrap_err();
        assert_eq!(error.to_string(), "cannot start `no-such-program`");
    }

    #[test]
    fn programs_are_found_on_path() {
        assert!(on_path("cargo").is_some());
        assert_eq!(on_path("no-such-program"), None);
    }
}
