//! Scripts from npm that only the browser tests load into a page.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::command::run;
use crate::report::timed;

use super::binaryen::npm;
use super::folder::ToolFolder;

/// A script of an npm package.
pub(super) struct Script {
    /// The package.
    pub(super) package: &'static str,
    /// The version that is installed.
    pub(super) version: &'static str,
    /// The script in it.
    pub(super) file: &'static str,
    /// The variable that tells the tests where it is.
    pub(super) variable: &'static str,
    /// What the tests need it for.
    pub(super) why: &'static str,
}

/// Finds what shuts people out: too little contrast, names and roles that are missing.
pub(super) const AXE: Script = Script {
    package: "axe-core",
    version: "4.14.1",
    file: "axe.min.js",
    variable: "AXE",
    why: "the browser tests check with it whether everybody can use the page",
};

/// Reads the sequence diagrams that the page writes.
pub(super) const MERMAID: Script = Script {
    package: "mermaid",
    version: "12.3.0",
    file: "dist/mermaid.min.js",
    variable: "MERMAID",
    why: "the browser tests have it read the diagrams that the page writes",
};

impl Script {
    /// Where the script is, with the variable that tells so; installs it first where it is missing.
    pub(super) fn provide(&self, tools: &ToolFolder) -> anyhow::Result<(&'static str, PathBuf)> {
        let Self {
            package,
            version,
            why,
            ..
        } = self;
        let name = format!("{package}-{version}");
        let folder = tools.of(&name);
        let is_there = |folder: &Path| self.in_folder(folder).is_file();
        if is_there(&folder) {
            println!("  {package} {version} is there, in {}", folder.display());
            return Ok((self.variable, self.in_folder(&folder)));
        }
        let announcement = format!("Installing {package} {version} by npm: {why}; about 20 s");
        timed(&announcement, || {
            tools.install(
                &name,
                |folder, _| run(&mut npm(folder, package, version)),
                is_there,
            )
        })
        .with_context(|| format!("{package} comes by npm: install Node with npm"))?;
        Ok((self.variable, self.in_folder(&folder)))
    }

    fn in_folder(&self, folder: &Path) -> PathBuf {
        let package = folder.join("node_modules").join(self.package);
        package.join(self.file)
    }
}
