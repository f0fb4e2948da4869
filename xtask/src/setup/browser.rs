//! Chromium and its driver, in which the WebAssembly tests and the browser tests run.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

use crate::command::{answer, on_path, run};
use crate::report::timed;

use super::version::Version;

/// A browser, and the driver of the same version through which tests steer it.
#[derive(Clone, Debug)]
pub(crate) struct Browser {
    pub(crate) chromium: PathBuf,
    pub(crate) driver: PathBuf,
}

/// One of the two programs: the variable that names it, and where it is otherwise.
struct Program {
    variable: &'static str,
    names: &'static [&'static str],
    /// For systems that do not put it on PATH.
    files: &'static [&'static str],
}

const CHROMIUM: Program = Program {
    variable: "CHROMIUM",
    names: &[
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "chrome",
    ],
    files: &[
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    ],
};

const DRIVER: Program = Program {
    variable: "CHROMEDRIVER",
    names: &["chromedriver"],
    files: &[
        "/usr/lib/chromium-browser/chromedriver",
        "/usr/lib64/chromium-browser/chromedriver",
    ],
};

impl Program {
    /// Where it is. What the variable names is taken, or it is an error that it is not there.
    fn find(&self) -> anyhow::Result<Option<PathBuf>> {
        if let Some(named) = env::var_os(self.variable).filter(|value| !value.is_empty()) {
            let named = PathBuf::from(named);
            if !named.is_file() {
                bail!(
                    "{} names {}, which is not there",
                    self.variable,
                    named.display()
                );
            }
            return Ok(Some(named));
        }
        let installed = || {
            self.files
                .iter()
                .map(PathBuf::from)
                .find(|file| file.is_file())
        };
        Ok(self
            .names
            .iter()
            .find_map(|name| on_path(name))
            .or_else(installed))
    }
}

/// A way to install both, which the system has or has not.
#[derive(Debug)]
struct Manager {
    program: &'static str,
    as_root: bool,
    /// What has to be done before, and may fail.
    refresh: &'static [&'static str],
    install: &'static [&'static str],
}

const APT: &str = "apt-get";
const MANAGERS: [Manager; 7] = [
    Manager {
        program: APT,
        as_root: true,
        refresh: &["update"],
        install: &["install", "-y", "chromium", "chromium-driver"],
    },
    Manager {
        program: "dnf",
        as_root: true,
        refresh: &[],
        install: &["install", "-y", "chromium", "chromedriver"],
    },
    Manager {
        program: "pacman",
        as_root: true,
        refresh: &[],
        install: &["-S", "--needed", "--noconfirm", "chromium"],
    },
    Manager {
        program: "zypper",
        as_root: true,
        refresh: &[],
        install: &["--non-interactive", "install", "chromium", "chromedriver"],
    },
    Manager {
        program: "apk",
        as_root: true,
        refresh: &[],
        install: &["add", "chromium", "chromium-chromedriver"],
    },
    Manager {
        program: "brew",
        as_root: false,
        refresh: &[],
        install: &["install", "--cask", "google-chrome", "chromedriver"],
    },
    Manager {
        program: "winget",
        as_root: false,
        refresh: &[],
        install: &["install", "Google.Chrome", "Chromium.ChromeDriver"],
    },
];

/// Ubuntu has the same two under other names.
const UBUNTU: Manager = Manager {
    program: APT,
    as_root: true,
    refresh: &["update"],
    install: &["install", "-y", "chromium-browser", "chromium-chromedriver"],
};

/// Looks for Chromium and its driver, and installs them where one is missing and we may.
pub(super) fn provide() -> anyhow::Result<Browser> {
    if let Some(browser) = find()? {
        println!(
            "  Chromium is there: {}, with {}",
            browser.chromium.display(),
            browser.driver.display()
        );
        return Ok(browser);
    }
    let announcement =
        "Installing Chromium and chromedriver: the tests of the page run in them; about 2 min";
    timed(announcement, install)?;
    find()?.context("Chromium was installed, but is not on PATH: name it and its driver in CHROMIUM and CHROMEDRIVER")
}

fn find() -> anyhow::Result<Option<Browser>> {
    let (Some(chromium), Some(driver)) = (CHROMIUM.find()?, DRIVER.find()?) else {
        return Ok(None);
    };
    // On Windows the browser does not tell its version but opens a window.
    if !cfg!(windows) {
        let browser = told_version(&chromium)?;
        let wanted = told_version(&driver)?;
        if browser.0 != wanted.0 {
            bail!(
                "{} is version {}, and {} is for version {}: bring both to the same version, or name others in \
                 CHROMIUM and CHROMEDRIVER",
                chromium.display(),
                browser.0,
                driver.display(),
                wanted.0
            );
        }
    }
    Ok(Some(Browser { chromium, driver }))
}

fn told_version(program: &Path) -> anyhow::Result<Version> {
    answer(Command::new(program).arg("--version"))
        .and_then(|text| Version::find(&text))
        .with_context(|| format!("{} does not run: `{0} --version` fails", program.display()))
}

fn install() -> anyhow::Result<()> {
    let Some(manager) = manager() else {
        bail!(
            "no package manager is known here: install Chromium and chromedriver, or name them in CHROMIUM and CHROMEDRIVER"
        );
    };
    let Some(prefix) = privilege(manager) else {
        bail!(
            "only root may install packages here: run\n\n    {}\n\nand then this command again",
            by_hand(manager)
        );
    };
    if !manager.refresh.is_empty() {
        // A source of packages that cannot be reached need not be the one that has Chromium.
        let _ = run(&mut command(manager, prefix, manager.refresh));
    }
    run(&mut command(manager, prefix, manager.install))
}

fn manager() -> Option<&'static Manager> {
    let manager = MANAGERS
        .iter()
        .find(|manager| on_path(manager.program).is_some())?;
    let release = || std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    Some(if manager.program == APT && is_ubuntu(&release()) {
        &UBUNTU
    } else {
        manager
    })
}

fn is_ubuntu(os_release: &str) -> bool {
    os_release.lines().any(|line| {
        matches!(
            line,
            "ID=ubuntu" | "ID_LIKE=ubuntu" | "ID_LIKE=\"ubuntu debian\""
        )
    })
}

/// What has to stand before a command so that it may install, or `None` where we may not.
fn privilege(manager: &Manager) -> Option<&'static [&'static str]> {
    if !manager.as_root || answer(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0") {
        Some(&[])
    } else {
        // Without asking for a password, which nobody may be there to give.
        answer(Command::new("sudo").args(["-n", "true"])).map(|_| ["sudo", "-n"].as_slice())
    }
}

fn command(manager: &Manager, prefix: &[&str], args: &[&str]) -> Command {
    let mut words = prefix.iter().chain([&manager.program]).chain(args);
    let mut command = Command::new(words.next().unwrap_or(&manager.program));
    command
        .args(words)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null());
    command
}

/// The same as a line to type.
fn by_hand(manager: &Manager) -> String {
    let line = |args: &[&str]| format!("sudo {} {}", manager.program, args.join(" "));
    if manager.refresh.is_empty() {
        line(manager.install)
    } else {
        format!("{} && {}", line(manager.refresh), line(manager.install))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_not_install_is_told_the_command() {
        assert_eq!(
            by_hand(&MANAGERS[0]),
            "sudo apt-get update && sudo apt-get install -y chromium chromium-driver"
        );
        assert_eq!(
            by_hand(&MANAGERS[1]),
            "sudo dnf install -y chromium chromedriver"
        );
    }

    #[test]
    fn who_may_by_sudo_uses_it() {
        let command = command(&MANAGERS[1], &["sudo", "-n"], MANAGERS[1].install);
        assert_eq!(command.get_program(), "sudo");
        assert_eq!(
            command.get_args().collect::<Vec<_>>(),
            ["-n", "dnf", "install", "-y", "chromium", "chromedriver"]
        );
    }

    #[test]
    fn ubuntu_is_told_from_debian() {
        assert!(is_ubuntu("NAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE=debian\n"));
        assert!(is_ubuntu(
            "NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"
        ));
        assert!(!is_ubuntu("NAME=\"Debian\"\nID=debian\n"));
    }
}
