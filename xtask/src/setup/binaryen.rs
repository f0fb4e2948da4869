//! wasm-opt, which makes the WebAssembly of a release smaller and faster. The page works without it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{answer, on_path, run};
use crate::report::timed;

use super::folder::ToolFolder;
use super::version::{Fit, Version};

/// The version that npm installs, as a program that Node runs.
const VERSION: &str = "132.0.0";
/// Older ones, among them the newest that is a crate, refuse instructions that wasm-bindgen uses.
const OLDEST: Fit = Fit::AtLeast(Version(119, 0, 0));
pub(super) const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };
const PROGRAM: &str = if cfg!(windows) {
    "wasm-opt.cmd"
} else {
    "wasm-opt"
};

/// Whether there is a wasm-opt, and where.
#[derive(Debug)]
pub(super) enum WasmOpt {
    /// It is on PATH already.
    OnPath,
    /// This folder has to be on PATH.
    In(PathBuf),
    /// There is none, and none could be installed.
    Missing,
}

/// Looks for wasm-opt and installs it where it is missing and can be had.
pub(super) fn provide(tools: &ToolFolder) -> WasmOpt {
    if let Some(found) = on_path("wasm-opt").and_then(|program| version(&program)) {
        println!("  wasm-opt {found} is there, on PATH");
        return WasmOpt::OnPath;
    }
    let name = format!("binaryen-{VERSION}");
    let folder = tools.of(&name);
    if works(&folder) {
        println!("  wasm-opt {VERSION} is there, in {}", folder.display());
        return WasmOpt::In(programs(&folder));
    }
    let announcement = format!(
        "Installing wasm-opt {VERSION} by npm: it makes a release smaller and faster; about 10 s"
    );
    match timed(&announcement, || {
        tools.install(
            &name,
            |folder, _| run(&mut npm(folder, "binaryen", VERSION)),
            works,
        )
    }) {
        Ok(()) => WasmOpt::In(programs(&folder)),
        Err(error) => {
            println!(
                "  that did not work: {error:#}\n  \
                 The page is built without it: it does the same, but is a third larger, and slower. To have it, \
                 install Node with npm, or a binaryen of version 119 or later."
            );
            WasmOpt::Missing
        }
    }
}

/// Has npm put a package into a folder.
pub(super) fn npm(folder: &Path, package: &str, version: &str) -> Command {
    let mut command = Command::new(NPM);
    command
        .args([
            "install",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            "--prefix",
            ".",
        ])
        .arg(format!("{package}@{version}"))
        .current_dir(folder);
    command
}

/// Where npm puts programs.
fn programs(folder: &Path) -> PathBuf {
    folder.join("node_modules").join(".bin")
}

fn works(folder: &Path) -> bool {
    version(&programs(folder).join(PROGRAM)).is_some()
}

fn version(program: &Path) -> Option<Version> {
    let told = answer(Command::new(program).arg("--version"))?;
    Version::find(&told).filter(|found| OLDEST.admits(*found))
}
