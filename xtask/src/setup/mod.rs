//! Which tools a command needs, where they are, and how a missing one is installed.
//!
//! A tool on PATH is used if its version fits. Otherwise it comes from the tool folder ([`folder`]), into which it is
//! installed the first time: from rustup ([`toolchain`]), from its crate ([`crates`]), from npm ([`binaryen`], [`script`]); the
//! browser comes from the system's package manager ([`browser`]).

mod binaryen;
mod browser;
mod crates;
mod folder;
mod script;
mod toolchain;
mod version;

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

pub(crate) use browser::Browser;

use crate::report::timed;
use crate::workspace::Workspace;

use binaryen::WasmOpt;
use crates::CrateTool;
use folder::ToolFolder;
use version::{Fit, Version};

/// What the page is compiled for.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";
/// A target that has no standard library, on which the core has to compile.
pub(crate) const NO_STD_TARGET: &str = "thumbv7em-none-eabihf";
/// The version of the wasm-bindgen CLI as long as Cargo.lock asks for none.
const WASM_BINDGEN_VERSION: &str = "0.2.130";

/// All that a command may need, in the order in which it is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tool {
    Rustfmt,
    Clippy,
    WasmTarget,
    NoStdTarget,
    WasmBindgen,
    Trunk,
    WasmPack,
    WasmOpt,
    Browser,
    Axe,
    Mermaid,
}

/// What building the page takes.
pub(crate) const FOR_PAGE: &[Tool] = &[
    Tool::WasmTarget,
    Tool::WasmBindgen,
    Tool::Trunk,
    Tool::WasmOpt,
];

/// What building the page takes without optimisation.
pub(crate) const FOR_DEV_PAGE: &[Tool] = &[Tool::WasmTarget, Tool::WasmBindgen, Tool::Trunk];

const EVERYTHING: [Tool; 11] = [
    Tool::Rustfmt,
    Tool::Clippy,
    Tool::WasmTarget,
    Tool::NoStdTarget,
    Tool::WasmBindgen,
    Tool::Trunk,
    Tool::WasmPack,
    Tool::WasmOpt,
    Tool::Browser,
    Tool::Axe,
    Tool::Mermaid,
];

/// The tools that are there now, and how child processes find them.
#[derive(Debug, Default)]
pub(crate) struct Toolbox {
    /// Come before PATH.
    folders: Vec<PathBuf>,
    has_wasm_opt: bool,
    browser: Option<Browser>,
    /// Scripts for the browser tests, each with the variable that tells them where it is.
    scripts: Vec<(&'static str, PathBuf)>,
}

impl Toolbox {
    /// Lets a command, and what it starts, find the tools.
    pub(crate) fn equip<'a>(&self, command: &'a mut Command) -> anyhow::Result<&'a mut Command> {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = self.folders.iter().cloned().chain(env::split_paths(&path));
        Ok(command.env(
            "PATH",
            env::join_paths(folders).context("the tool folder's name cannot be put on PATH")?,
        ))
    }

    /// Whether releases can be optimised.
    pub(crate) fn has_wasm_opt(&self) -> bool {
        self.has_wasm_opt
    }

    /// Scripts for the browser tests, each with the variable that tells them where it is.
    pub(crate) fn scripts(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        (self.scripts.iter()).map(|(variable, script)| (*variable, script.as_path()))
    }

    /// The browser, for those who asked for it.
    pub(crate) fn browser(&self) -> anyhow::Result<&Browser> {
        self.browser.as_ref().context("no browser was asked for")
    }
}

/// `cargo xtask setup`.
pub(crate) fn everything() -> anyhow::Result<()> {
    provide(&Workspace::locate()?, EVERYTHING)?;
    println!(
        "Everything is there: `cargo xtask serve` and `cargo xtask test` install nothing more."
    );
    Ok(())
}

/// Sees to it that the tools are there: looks for each, and installs what is missing.
pub(crate) fn provide(
    workspace: &Workspace,
    tools: impl IntoIterator<Item = Tool>,
) -> anyhow::Result<Toolbox> {
    let tools = BTreeSet::from_iter(tools);
    if tools.is_empty() {
        return Ok(Toolbox::default());
    }
    timed(
        "Looking for the tools, and installing what is missing",
        || {
            let folder = ToolFolder::locate()?;
            let mut toolbox = Toolbox::default();
            for tool in tools {
                tool.provide(workspace, &folder, &mut toolbox)?;
            }
            Ok(toolbox)
        },
    )
}

impl Tool {
    fn provide(
        self,
        workspace: &Workspace,
        folder: &ToolFolder,
        toolbox: &mut Toolbox,
    ) -> anyhow::Result<()> {
        match self {
            Self::Rustfmt => toolchain::component("rustfmt", "fmt", "it checks the formatting")?,
            Self::Clippy => toolchain::component("clippy", "clippy", "it finds likely mistakes")?,
            Self::WasmTarget => toolchain::target(WASM_TARGET, "browsers run it")?,
            Self::NoStdTarget => toolchain::target(
                NO_STD_TARGET,
                "it shows that the core needs no operating system",
            )?,
            Self::WasmBindgen => toolbox
                .folders
                .extend(wasm_bindgen(workspace)?.provide(folder)?),
            Self::Trunk => toolbox.folders.extend(trunk().provide(folder)?),
            Self::WasmPack => toolbox.folders.extend(wasm_pack().provide(folder)?),
            Self::WasmOpt => match binaryen::provide(folder) {
                WasmOpt::OnPath => toolbox.has_wasm_opt = true,
                WasmOpt::In(folder) => {
                    toolbox.folders.push(folder);
                    toolbox.has_wasm_opt = true;
                }
                WasmOpt::Missing => {}
            },
            Self::Browser => toolbox.browser = Some(browser::provide()?),
            Self::Axe => toolbox.scripts.push(script::AXE.provide(folder)?),
            Self::Mermaid => toolbox.scripts.push(script::MERMAID.provide(folder)?),
        }
        Ok(())
    }
}

fn wasm_bindgen(workspace: &Workspace) -> anyhow::Result<CrateTool> {
    let version = workspace
        .locked("wasm-bindgen")?
        .unwrap_or_else(|| WASM_BINDGEN_VERSION.to_owned());
    let exactly = Version::find(&version)
        .with_context(|| format!("Cargo.lock has wasm-bindgen {version:?}"))?;
    Ok(CrateTool {
        program: "wasm-bindgen",
        companion: Some("wasm-bindgen-test-runner"),
        package: "wasm-bindgen-cli",
        version,
        fit: Fit::Exactly(exactly),
        // Not --locked: its lock file may ask for crates that have been withdrawn.
        flags: &[],
        why: "it makes WebAssembly loadable by a page, and must have the version of the wasm-bindgen in Cargo.lock",
        time: "1 to 3 min on two cores",
    })
}

fn trunk() -> CrateTool {
    CrateTool {
        program: "trunk",
        companion: None,
        package: "trunk",
        version: "0.21.14".to_owned(),
        fit: Fit::Patch(Version(0, 21, 14)),
        // Without TLS, which takes long to build and which a Trunk that downloads nothing does not need.
        flags: &["--locked", "--no-default-features"],
        why: "it builds the page out of index.html and the crates",
        time: "2 to 5 min on two cores",
    }
}

fn wasm_pack() -> CrateTool {
    CrateTool {
        program: "wasm-pack",
        companion: None,
        package: "wasm-pack",
        version: "0.15.1".to_owned(),
        fit: Fit::Patch(Version(0, 15, 1)),
        flags: &["--locked"],
        why: "it runs tests in WebAssembly, in a browser",
        time: "1 to 5 min on two cores",
    }
}
