//! `cargo xtask test`: every check there is, in order, up to the first that fails.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use lexopt::Arg;

use crate::command::run;
use crate::page;
use crate::report::Spoken;
use crate::setup::{self, NO_STD_TARGET, Tool, Toolbox, WASM_TARGET};
use crate::workspace::Workspace;

/// The tests that run as WebAssembly in a browser: the crate's folder, its name, and its test.
const WASM_TESTS: [WasmTests; 2] = [
    WasmTests {
        folder: "web",
        package: "barrierscope-web",
        test: "dom",
    },
    WasmTests {
        folder: "tests",
        package: "barrierscope-tests",
        test: "equal_everywhere",
    },
];

struct WasmTests {
    folder: &'static str,
    package: &'static str,
    test: &'static str,
}

/// One check. They are done in the order in which they stand here: what is quick and fails often first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Fmt,
    Clippy,
    Docs,
    Native,
    NoStd,
    Wasm,
    Page,
    Browser,
}

use Step::{Browser, Clippy, Docs, Fmt, Native, NoStd, Page, Wasm};

const ALL: [Step; 8] = [Fmt, Clippy, Docs, Native, NoStd, Wasm, Page, Browser];

impl Step {
    fn name(self) -> &'static str {
        match self {
            Fmt => "fmt",
            Clippy => "clippy",
            Docs => "docs",
            Native => "native",
            NoStd => "no-std",
            Wasm => "wasm",
            Page => "page",
            Browser => "browser",
        }
    }

    /// What it does, and how long that takes on two cores if nothing is built yet.
    fn purpose(self) -> &'static str {
        match self {
            Fmt => "the formatting of all crates; 1 s",
            Clippy => {
                "Clippy on all crates, natively and for WebAssembly; compiles what they depend on, about 1 min"
            }
            Docs => "the documentation of all crates, without warnings; about 1 min",
            Native => "the native tests of all crates; compiles them first, about 1 min",
            NoStd => {
                "the core, built for a machine without operating system or standard library; about 20 s"
            }
            Wasm => {
                "the tests that run as WebAssembly in headless Chromium; compiles them first, about 2 min"
            }
            Page => "the page that the browser tests are about",
            Browser => "the tests that use the built page in headless Chromium; about 1 min",
        }
    }

    fn tools(self) -> &'static [Tool] {
        match self {
            Fmt => &[Tool::Rustfmt],
            Clippy => &[Tool::Clippy, Tool::WasmTarget],
            Docs | Native => &[],
            NoStd => &[Tool::NoStdTarget],
            Wasm => &[
                Tool::WasmTarget,
                Tool::WasmBindgen,
                Tool::WasmPack,
                Tool::Browser,
            ],
            Page => setup::FOR_PAGE,
            Browser => &[Tool::Browser, Tool::Axe, Tool::Mermaid],
        }
    }

    fn run(self, workspace: &Workspace, toolbox: &Toolbox) -> anyhow::Result<()> {
        let cargo = |args: &str| {
            let mut command = workspace.command("cargo");
            command.args(args.split(' '));
            command
        };
        match self {
            Fmt => run(&mut cargo("fmt --all --check")),
            Clippy => {
                // All features, or the browser tests would not be looked at.
                run(&mut cargo(
                    "clippy --workspace --all-targets --all-features -- -D warnings",
                ))?;
                let packages = WASM_TESTS.iter().flat_map(|tests| ["-p", tests.package]);
                let mut command = cargo("clippy --all-targets --target");
                run(command
                    .arg(WASM_TARGET)
                    .args(packages)
                    .args(["-p", "barrierscope-search"])
                    .args(["--", "-D", "warnings"]))
            }
            Docs => run(cargo("doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings")),
            Native => run(&mut cargo("test")),
            NoStd => run(cargo("build -p barrierscope-core --target").arg(NO_STD_TARGET)),
            Wasm => {
                // The browsers of these tests are killed, and leave behind what they have written.
                let scratch = tempfile::tempdir()?;
                WASM_TESTS.iter().try_for_each(|tests| {
                    let mut command = tests.command(workspace, toolbox)?;
                    run(command.env("TMPDIR", scratch.path()))
                })
            }
            Page => page::build(workspace, toolbox, &page::folder(workspace)),
            Browser => run(&mut browser_tests(workspace, toolbox)?),
        }
    }
}

impl WasmTests {
    fn command(&self, workspace: &Workspace, toolbox: &Toolbox) -> anyhow::Result<Command> {
        let mut command = workspace.command("wasm-pack");
        command.args([
            "test",
            "--headless",
            "--chrome",
            "--mode",
            "no-install",
            "--chromedriver",
        ]);
        // What follows the folder is for Cargo.
        command.arg(&toolbox.browser()?.driver).args([
            self.folder,
            "--locked",
            "--test",
            self.test,
        ]);
        // The runner gives up after 20 s otherwise, which is short on a machine that does other work too.
        command.env("WASM_BINDGEN_TEST_TIMEOUT", "300");
        toolbox.equip(&mut command)?;
        Ok(command)
    }
}

/// The tests of the built page, which must be there.
pub(crate) fn browser_tests(workspace: &Workspace, toolbox: &Toolbox) -> anyhow::Result<Command> {
    let browser = toolbox.browser()?;
    let mut command = workspace.command("cargo");
    command
        .args("test -p barrierscope-tests --features browser --test browser".split(' '))
        .env(
            "BARRIERSCOPE_DIST",
            std::path::absolute(page::folder(workspace))?,
        )
        .env("CHROMEDRIVER", &browser.driver)
        .env("CHROMIUM", &browser.chromium)
        .envs(toolbox.scripts());
    Ok(command)
}

/// Reads `[STEP...]`: all steps if none is named. The browser tests bring with them the page that they are about.
pub(crate) fn parse(args: &mut lexopt::Parser) -> Result<BTreeSet<Step>, lexopt::Error> {
    let mut steps = BTreeSet::new();
    while let Some(arg) = args.next()? {
        let Arg::Value(name) = arg else {
            return Err(arg.unexpected());
        };
        let step = ALL.into_iter().find(|step| name == step.name());
        steps.insert(
            step.ok_or_else(|| lexopt::Error::Custom(format!("there is no step {name:?}").into()))?,
        );
    }
    if steps.is_empty() {
        steps.extend(ALL);
    }
    if steps.contains(&Browser) {
        steps.insert(Page);
    }
    Ok(steps)
}

/// Runs the steps, and tells at the end what came of each. The error of a step is the last thing that is said.
pub(crate) fn test(steps: &BTreeSet<Step>) -> anyhow::Result<()> {
    let workspace = Workspace::locate()?;
    let mut record = Record::default();
    let result = record.run("set-up", || {
        setup::provide(
            &workspace,
            steps.iter().flat_map(|step| step.tools()).copied(),
        )
    });
    let result = result.and_then(|toolbox| {
        steps.iter().enumerate().try_for_each(|(i, step)| {
            println!(
                "\n[{}/{}] {}: {}",
                i + 1,
                steps.len(),
                step.name(),
                step.purpose()
            );
            record.run(step.name(), || step.run(&workspace, &toolbox))
        })
    });
    print!("\n{}", record.table(steps));
    match result {
        Ok(()) => {
            let passed = if steps.len() == 1 {
                "1 step".to_owned()
            } else {
                format!("{} steps", steps.len())
            };
            println!("\nPassed: {passed}, in {}.", Spoken(record.total()));
            Ok(())
        }
        Err(error) => {
            let failed = record.rows.last().context("no step was run")?.name;
            Err(error.context(format!(
                "step {failed} failed, after {} in all",
                Spoken(record.total())
            )))
        }
    }
}

/// What was done so far.
#[derive(Debug, Default)]
struct Record {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    name: &'static str,
    time: Duration,
    passed: bool,
}

impl Record {
    fn run<T>(
        &mut self,
        name: &'static str,
        work: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let start = Instant::now();
        let result = work();
        let row = Row {
            name,
            time: start.elapsed(),
            passed: result.is_ok(),
        };
        println!("{name}: {} in {}", row.outcome(), Spoken(row.time));
        self.rows.push(row);
        result
    }

    fn total(&self) -> Duration {
        self.rows.iter().map(|row| row.time).sum()
    }

    fn table(&self, steps: &BTreeSet<Step>) -> String {
        let mut table = format!("{:<10} {:>13}  result\n", "step", "time");
        for row in &self.rows {
            table.push_str(&format!(
                "{:<10} {:>13}  {}\n",
                row.name,
                Spoken(row.time),
                row.outcome()
            ));
        }
        for step in steps
            .iter()
            .filter(|step| self.rows.iter().all(|row| row.name != step.name()))
        {
            table.push_str(&format!("{:<10} {:>13}  not run\n", step.name(), "–"));
        }
        table
    }
}

impl Row {
    fn outcome(&self) -> &'static str {
        if self.passed { "passed" } else { "FAILED" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(line: &[&str]) -> Result<Vec<Step>, lexopt::Error> {
        Ok(parse(&mut lexopt::Parser::from_args(line))?
            .into_iter()
            .collect())
    }

    #[test]
    fn steps_are_done_in_their_order_and_once() {
        assert_eq!(steps(&[]).unwrap(), ALL);
        assert_eq!(steps(&["native", "fmt", "native"]).unwrap(), [Fmt, Native]);
        assert_eq!(steps(&["browser"]).unwrap(), [Page, Browser]);
        for step in ALL {
            assert!(steps(&[step.name()]).unwrap().contains(&step));
        }
    }

    #[test]
    fn a_step_that_is_not_there_is_refused() {
        assert_eq!(
            steps(&["lint"]).unwrap_err().to_string(),
            "there is no step \"lint\""
        );
        assert!(steps(&["--fast"]).is_err());
    }

    #[test]
    fn the_table_tells_what_came_of_each_step() {
        let mut record = Record::default();
        record.run("fmt", || Ok(())).unwrap();
        assert!(
            record
                .run("clippy", || Err::<(), _>(anyhow::anyhow!("a warning")))
                .is_err()
        );
        record.rows[1].time = Duration::from_secs(75);
        let table = record.table(&BTreeSet::from([Fmt, Clippy, Native]));
        let lines: Vec<Vec<&str>> = table
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(lines[1], ["fmt", "0.0", "s", "passed"]);
        assert_eq!(lines[2], ["clippy", "1", "min", "15", "s", "FAILED"]);
        assert_eq!(lines[3], ["native", "–", "not", "run"]);
    }
}
