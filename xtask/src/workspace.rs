//! Where things lie in this repository.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

/// The repository that this xtask belongs to.
#[derive(Clone, Debug)]
pub(crate) struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace around this crate. Cargo says where it is now, which need not be where it was built.
    pub(crate) fn locate() -> anyhow::Result<Self> {
        let here = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let root = here
            .parent()
            .context("the xtask crate lies in no workspace")?
            .to_owned();
        Ok(Self { root })
    }

    /// The folder of the workspace's Cargo.toml.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A command that runs in the workspace's root.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root);
        command
    }

    /// Where Cargo puts what it builds, and we what we build from it.
    pub(crate) fn target(&self) -> PathBuf {
        self.root
            .join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
    }

    /// The version of a package in Cargo.lock, if it is there.
    pub(crate) fn locked(&self, package: &str) -> anyhow::Result<Option<String>> {
        let file = self.root.join("Cargo.lock");
        let lock = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        Ok(locked_version(&lock, package).map(str::to_owned))
    }
}

/// Finds a package's version in the text of a Cargo.lock, in which Cargo writes it on the line after the name.
fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().map(str::trim).skip_while(|line| *line != name);
    lines
        .nth(1)?
        .strip_prefix("version = \"")?
        .strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4

[[package]]
name = "wasm-bindgen-macro"
version = "0.2.1"

[[package]]
name = "wasm-bindgen"
version = "0.2.130"
source = "registry+somewhere"
dependencies = [
 "cfg-if",
]
"#;

    #[test]
    fn the_lock_tells_the_version_of_exactly_the_package_asked_for() {
        assert_eq!(locked_version(LOCK, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked_version(LOCK, "wasm-bindgen-macro"), Some("0.2.1"));
        assert_eq!(locked_version(LOCK, "wasm"), None);
        assert_eq!(locked_version("", "wasm-bindgen"), None);
        assert_eq!(
            locked_version(&LOCK.replace('\n', "\r\n"), "wasm-bindgen"),
            Some("0.2.130")
        );
    }

    #[test]
    fn the_workspace_is_the_one_this_crate_lies_in() {
        let workspace = Workspace::locate().unwrap();
        assert!(workspace.root().join("xtask/Cargo.toml").is_file());
        assert!(workspace.locked("xtask").unwrap().is_some());
    }
}
