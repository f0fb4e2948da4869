//! Building the page: the one way in which `serve`, `dist` and the browser tests come by it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

use crate::command::run;
use crate::offline;
use crate::report::timed;
use crate::setup::{Toolbox, WASM_TARGET};
use crate::workspace::Workspace;

/// Where the page is that `serve` serves and the browser tests test.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target().join("page")
}

/// Builds the release page into a folder, which then holds nothing else.
pub(crate) fn build(workspace: &Workspace, toolbox: &Toolbox, folder: &Path) -> anyhow::Result<()> {
    fetch(workspace)?;
    let announcement = "Building the release page: the whole program is optimised at once, so 1 to 2 min on two cores \
                        the first time, and 1 min after a change";
    timed(announcement, || {
        let mut command = trunk(workspace, toolbox, "build", folder)?;
        if toolbox.has_wasm_opt() {
            command.arg("--release");
        } else {
            // The same build, but what Trunk takes for one that wasm-opt has no part in.
            command.args(["--cargo-profile", "release"]);
        }
        run(&mut command)?;
        offline::add(folder).context("the page is built, but cannot be made to work offline")
    })
}

/// A Trunk that builds without optimisation, serves, and builds again after each change.
pub(crate) fn dev_server(
    workspace: &Workspace,
    toolbox: &Toolbox,
    port: u16,
) -> anyhow::Result<Command> {
    fetch(workspace)?;
    let mut command = trunk(
        workspace,
        toolbox,
        "serve",
        &workspace.target().join("page-dev"),
    )?;
    command
        .args(["--address", "127.0.0.1", "--port", &port.to_string()])
        // Whoever adds a dependency while it runs gets it.
        .args(["--offline", "false", "--locked", "false"]);
    Ok(command)
}

/// Downloads the crates that the page is made of. Trunk may not, so that it does not download tools.
fn fetch(workspace: &Workspace) -> anyhow::Result<()> {
    timed(
        "Fetching the crates that the page is made of, if they are not there yet",
        || {
            run(workspace
                .command("cargo")
                .args(["fetch", "--locked", "--target", WASM_TARGET]))
        },
    )
}

fn trunk(
    workspace: &Workspace,
    toolbox: &Toolbox,
    subcommand: &str,
    folder: &Path,
) -> anyhow::Result<Command> {
    let mut command = workspace.command("trunk");
    command
        .args([subcommand, "index.html", "--dist"])
        .arg(folder)
        .env("TRUNK_SKIP_VERSION_CHECK", "true");
    // Trunk takes the usual NO_COLOR=1 for a wrong argument.
    if std::env::var_os("NO_COLOR").is_some() {
        command.env_remove("NO_COLOR").env("TRUNK_COLOR", "never");
    }
    toolbox.equip(&mut command)?;
    Ok(command)
}
