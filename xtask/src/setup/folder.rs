//! The tool folder: one sub-folder per tool and version, shared by all clones, complete or not there.

use std::cell::OnceCell;
use std::env;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

/// Names another place for the folder.
const VARIABLE: &str = "BARRIERSCOPE_TOOLS";

/// The folder that installed tools are in.
#[derive(Debug)]
pub(super) struct ToolFolder {
    root: PathBuf,
    /// There from the first installation on.
    session: OnceCell<Session>,
}

impl ToolFolder {
    /// The folder that `BARRIERSCOPE_TOOLS` names, else one in the user's cache directory.
    pub(super) fn locate() -> anyhow::Result<Self> {
        let root = match env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            Some(folder) => std::path::absolute(folder)?,
            None => user_cache()
                .with_context(|| {
                    format!(
                        "the user has no home directory: set {VARIABLE} to a folder for the tools"
                    )
                })?
                .join("barrierscope")
                .join("tools"),
        };
        Ok(Self::at(root))
    }

    fn at(root: PathBuf) -> Self {
        Self {
            root,
            session: OnceCell::new(),
        }
    }

    /// Where a tool is, once it is installed. The name holds the version.
    pub(super) fn of(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Installs a tool: `fill` puts it into the folder it is given, `works` says whether it is there and runs.
    ///
    /// The folder gets its name only when it is complete, so an interrupted installation leaves nothing that could be
    /// taken for one; and one process at a time installs, so two clones that start at once do the work once.
    pub(super) fn install(
        &self,
        name: &str,
        fill: impl FnOnce(&Path, &Session) -> anyhow::Result<()>,
        works: impl Fn(&Path) -> bool,
    ) -> anyhow::Result<()> {
        let session = self.session()?;
        let complete = self.of(name);
        if works(&complete) {
            println!("  another process has installed it meanwhile");
            return Ok(());
        }
        let partial = self.root.join(format!(".partial-{name}"));
        remove(&partial)?;
        fs::create_dir_all(&partial)
            .with_context(|| format!("cannot create {}", partial.display()))?;
        let filled = fill(&partial, session).and_then(|()| {
            if !works(&partial) {
                bail!("{name} was installed, but does not run");
            }
            // Something is in its place that does not work: an installation that was damaged later.
            remove(&complete)?;
            fs::rename(&partial, &complete)
                .with_context(|| format!("cannot create {}", complete.display()))
        });
        if filled.is_err() {
            remove(&partial)?;
        }
        filled
    }

    fn session(&self) -> anyhow::Result<&Session> {
        if self.session.get().is_none() {
            let _ = self.session.set(Session::begin(&self.root)?);
        }
        self.session
            .get()
            .context("the tool folder is not open for installation")
    }
}

/// The time in which this process alone may install: ends when it is dropped, or with the process.
#[derive(Debug)]
pub(super) struct Session {
    build: PathBuf,
    /// Closing the file releases the lock.
    _lock: File,
}

impl Session {
    fn begin(root: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(root)
            .with_context(|| format!("cannot create the tool folder {}", root.display()))?;
        let file = root.join(".lock");
        let lock =
            File::create(&file).with_context(|| format!("cannot create {}", file.display()))?;
        match lock.try_lock() {
            // A file system without locks: then the last rename wins, which is as good as the first.
            Ok(()) | Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) => {
                println!(
                    "  another process is installing into {}: waiting for it",
                    root.display()
                );
                lock.lock()
                    .with_context(|| format!("cannot lock {}", file.display()))?;
            }
        }
        Ok(Self {
            build: root.join(".build"),
            _lock: lock,
        })
    }

    /// A target directory for tools that are built from source. They share it, because they share many crates.
    pub(super) fn build(&self) -> &Path {
        &self.build
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Some hundred megabytes that nobody needs again. If they stay, the next session takes them away.
        let _ = remove(&self.build);
    }
}

/// Removes a folder if it is there.
fn remove(folder: &Path) -> anyhow::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Where this system wants users' caches to be.
fn user_cache() -> Option<PathBuf> {
    let folder = |variable| {
        env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    if cfg!(windows) {
        folder("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Caches"))
    } else {
        folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tool folder of its own for each test, gone afterwards.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let root =
                env::temp_dir().join(format!("barrierscope-folder-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&root);
            Self(root)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn fill(folder: &Path, _: &Session) -> anyhow::Result<()> {
        Ok(fs::write(folder.join("tool"), "complete")?)
    }

    fn works(folder: &Path) -> bool {
        fs::read(folder.join("tool")).is_ok_and(|content| content == b"complete")
    }

    #[test]
    fn what_fails_or_does_not_work_leaves_nothing() {
        let scratch = Scratch::new("fails");
        let tools = ToolFolder::at(scratch.0.clone());
        let broken = |folder: &Path, _: &Session| Ok(fs::write(folder.join("tool"), "half")?);
        assert!(tools.install("tool-1", broken, works).is_err());
        assert!(
            tools
                .install("tool-1", |_, _| bail!("no network"), works)
                .is_err()
        );
        let left: Vec<_> = fs::read_dir(&scratch.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, [".lock"]);
    }

    #[test]
    fn remains_of_an_interrupted_installation_do_no_harm() {
        let scratch = Scratch::new("remains");
        let tools = ToolFolder::at(scratch.0.clone());
        for remains in [".partial-tool-1", "tool-1"] {
            fs::create_dir_all(scratch.0.join(remains)).unwrap();
            fs::write(scratch.0.join(remains).join("tool"), "half").unwrap();
        }
        tools.install("tool-1", fill, works).unwrap();
        assert!(works(&tools.of("tool-1")));
        assert!(!scratch.0.join(".partial-tool-1").exists());
    }

    #[test]
    fn two_that_install_at_once_do_the_work_once() {
        let scratch = Scratch::new("at-once");
        let installed = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let slowly = |folder: &Path, session: &Session| {
                        installed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        std::thread::sleep(std::time::Duration::from_millis(20));
                        fill(folder, session)
                    };
                    ToolFolder::at(scratch.0.clone())
                        .install("tool-1", slowly, works)
                        .unwrap();
                });
            }
        });
        assert!(works(&scratch.0.join("tool-1")));
        assert_eq!(installed.into_inner(), 1);
    }
}
