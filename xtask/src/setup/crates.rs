//! Tools that are crates: prebuilt by cargo-binstall where it is there and finds one, else built from source.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{answer, on_path, run};
use crate::report::timed;

use super::folder::{Session, ToolFolder};
use super::version::{Fit, Version};

/// A program that a crate on the registry builds.
#[derive(Debug)]
pub(super) struct CrateTool {
    /// The program's name.
    pub(super) program: &'static str,
    /// A program of the same crate that has to lie beside it.
    pub(super) companion: Option<&'static str>,
    /// The crate's name.
    pub(super) package: &'static str,
    /// The version that is installed if no fitting one is there.
    pub(super) version: String,
    /// Which versions fit.
    pub(super) fit: Fit,
    /// How `cargo install` has to build it.
    pub(super) flags: &'static [&'static str],
    /// What it is for.
    pub(super) why: &'static str,
    /// How long building it takes.
    pub(super) time: &'static str,
}

impl CrateTool {
    /// Sees to it that the tool is there. Where it is not on PATH, says which folder has to be.
    pub(super) fn provide(&self, tools: &ToolFolder) -> anyhow::Result<Option<PathBuf>> {
        if let Some(found) = self.on_path() {
            println!("  {} {found} is there, on PATH", self.program);
            return Ok(None);
        }
        let name = format!("{}-{}", self.program, self.version);
        let folder = tools.of(&name);
        if self.works(&folder) {
            println!(
                "  {} {} is there, in {}",
                self.program,
                self.version,
                folder.display()
            );
        } else {
            let announcement =
                format!("Installing {} {}: {}", self.program, self.version, self.why);
            timed(&announcement, || {
                tools.install(
                    &name,
                    |folder, session| self.fill(folder, session),
                    |folder| self.works(folder),
                )
            })?;
        }
        Ok(Some(folder.join("bin")))
    }

    /// The version on PATH, if it fits.
    fn on_path(&self) -> Option<Version> {
        let program = on_path(self.program)?;
        self.fitting(&program)
    }

    fn works(&self, folder: &Path) -> bool {
        let program = format!("{}{}", self.program, env::consts::EXE_SUFFIX);
        self.fitting(&folder.join("bin").join(program)).is_some()
    }

    fn fitting(&self, program: &Path) -> Option<Version> {
        let complete = self.companion.is_none_or(|name| {
            program
                .with_file_name(format!("{name}{}", env::consts::EXE_SUFFIX))
                .is_file()
        });
        let version = Version::find(&answer(Command::new(program).arg("--version"))?)?;
        (complete && self.fit.admits(version)).then_some(version)
    }

    fn fill(&self, folder: &Path, session: &Session) -> anyhow::Result<()> {
        if answer(Command::new("cargo").args(["binstall", "-V"])).is_some() {
            println!("  cargo-binstall is there: looking for a prebuilt one, about 10 s");
            if run(&mut self.binstall(folder)).is_ok() && self.works(folder) {
                return Ok(());
            }
            println!("  there is none for this machine, or it cannot be fetched");
        }
        println!(
            "  building it from the crate {}: {}, and only once on this machine",
            self.package, self.time
        );
        run(&mut self.build(folder, session)?)
    }

    fn binstall(&self, folder: &Path) -> Command {
        let mut command = Command::new("cargo");
        command
            .arg("binstall")
            .arg(format!("{}@={}", self.package, self.version))
            .args([
                "--no-confirm",
                "--disable-telemetry",
                "--disable-strategies",
                "compile",
            ])
            .args(["--maximum-resolution-timeout", "15", "--root"])
            .arg(folder)
            .current_dir(folder);
        command
    }

    fn build(&self, folder: &Path, session: &Session) -> anyhow::Result<Command> {
        // Cargo would warn that the folder is not on PATH, where it has no business to be.
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::split_paths(&path).chain([folder.join("bin")]);
        let mut command = Command::new("cargo");
        command
            .args(["install", self.package, "--version", &self.version])
            .args(self.flags)
            .arg("--root")
            .arg(folder)
            // Not in the workspace, whose settings are not meant for its tools.
            .current_dir(folder)
            .env("PATH", env::join_paths(path)?)
            .env("CARGO_TARGET_DIR", session.build())
            // Built in a third of the time; what the tools then do is small, and takes seconds either way.
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
        for meant_for_the_workspace in [
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_BUILD_RUSTFLAGS",
            "CARGO_BUILD_TARGET",
            "CARGO_BUILD_TARGET_DIR",
            "CARGO_INSTALL_ROOT",
        ] {
            command.env_remove(meant_for_the_workspace);
        }
        Ok(command)
    }
}
