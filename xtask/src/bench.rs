//! `cargo xtask bench`: speed and size, natively and in the browser, measured in one run on one machine.
//!
//! No figure decides a test; whoever changes something compares two runs on the same machine.

use anyhow::Context as _;

use crate::command::{answer, run};
use crate::setup::{self, Tool};
use crate::workspace::Workspace;
use crate::{dist, page, test};

/// What a line that tells a figure begins with.
const FIGURE: &str = "figure: ";

/// Searches through ever more states, natively, and prints a line for each power of ten.
pub(crate) fn growth() -> anyhow::Result<()> {
    let workspace = Workspace::locate()?;
    let mut native = workspace.command("cargo");
    native.args("run --quiet --profile search -p barrierscope-tests --bin growth".split(' '));
    run(&mut native)
}

/// Measures, and prints a line for each figure.
pub(crate) fn bench() -> anyhow::Result<()> {
    let workspace = Workspace::locate()?;
    let tools = setup::FOR_PAGE
        .iter()
        .copied()
        .chain([Tool::Browser, Tool::Axe, Tool::Mermaid]);
    let toolbox = setup::provide(&workspace, tools)?;

    println!("\nNatively (the build first, about 3 min):");
    let mut native = workspace.command("cargo");
    native.args("run --quiet --profile search -p barrierscope-tests --bin figures".split(' '));
    run(&mut native)?;

    let folder = page::folder(&workspace);
    page::build(&workspace, &toolbox, &folder)?;
    println!("\nThe page:");
    print!("{}", dist::sizes(&folder)?);

    println!("\nIn headless Chromium:");
    let mut browser = test::browser_tests(&workspace, &toolbox)?;
    browser.args(["measure", "--", "--nocapture", "--test-threads=1"]);
    let output = answer(&mut browser).context("the measurements in the browser failed")?;
    for line in output.lines() {
        // The test harness begins the line on which a test prints.
        if let Some(at) = line.find(FIGURE) {
            println!("{}", &line[at..]);
        }
    }
    Ok(())
}
