//! Mermaid, which reads the sequence diagrams that the page writes: for the browser tests alone. They do without where there
//! is no npm.

use std::path::PathBuf;
use std::process::Command;

use crate::command::run;
use crate::report::timed;

use super::binaryen::NPM;
use super::folder::ToolFolder;

/// The version that npm installs.
const VERSION: &str = "12.3.0";

/// Looks for Mermaid's script, and installs it where it is missing and can be had.
pub(super) fn provide(tools: &ToolFolder) -> Option<PathBuf> {
    let name = format!("mermaid-{VERSION}");
    let script = tools
        .of(&name)
        .join("node_modules")
        .join("mermaid")
        .join("dist")
        .join("mermaid.min.js");
    if script.is_file() {
        println!(
            "  mermaid {VERSION} is there, in {}",
            tools.of(&name).display()
        );
        return Some(script);
    }
    let announcement = format!(
        "Installing mermaid {VERSION} by npm: the browser tests have it read the diagrams that the page writes; about 20 s"
    );
    let installed = timed(&announcement, || {
        tools.install(
            &name,
            |folder, _| {
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
                    .arg(format!("mermaid@{VERSION}"))
                    .current_dir(folder);
                run(&mut command)
            },
            |folder| {
                folder
                    .join("node_modules/mermaid/dist/mermaid.min.js")
                    .is_file()
            },
        )
    });
    match installed {
        Ok(()) => Some(script),
        Err(error) => {
            println!(
                "  that did not work: {error:#}\n  The diagrams are then held against the rules that are written here, and \
                 not read by Mermaid. To have that too, install Node with npm."
            );
            None
        }
    }
}
