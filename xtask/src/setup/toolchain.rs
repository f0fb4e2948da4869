//! What comes with Rust itself: targets and components, from rustup.

use std::path::Path;
use std::process::Command;

use anyhow::bail;

use crate::command::{answer, on_path, run};
use crate::report::timed;

/// Sees to it that the standard library for a target is there.
pub(super) fn target(name: &str, why: &str) -> anyhow::Result<()> {
    let present = || {
        let folder =
            answer(Command::new("rustc").args(["--print", "target-libdir", "--target", name]));
        folder.is_some_and(|folder| Path::new(folder.trim()).is_dir())
    };
    provide("target", name, why, present)
}

/// Sees to it that a component such as Clippy is there.
pub(super) fn component(name: &str, subcommand: &str, why: &str) -> anyhow::Result<()> {
    let present = || answer(Command::new("cargo").args([subcommand, "--version"])).is_some();
    provide("component", name, why, present)
}

fn provide(kind: &str, name: &str, why: &str, present: impl Fn() -> bool) -> anyhow::Result<()> {
    if present() {
        println!("  Rust {kind} {name} is there");
        return Ok(());
    }
    if on_path("rustup").is_none() {
        bail!(
            "the Rust {kind} {name} is missing ({why}), and so is rustup, which could install it"
        );
    }
    timed(
        &format!("Installing the Rust {kind} {name}: {why}; about 10 s"),
        || {
            run(Command::new("rustup").args([kind, "add", name]))?;
            if !present() {
                bail!(
                    "rustup has added the {kind} {name}, but the active toolchain does not have it"
                );
            }
            Ok(())
        },
    )
}
