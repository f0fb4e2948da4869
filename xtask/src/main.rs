//! `cargo xtask`: everything there is to do with this repository, on a machine that has nothing but Rust.
//!
//! | module | its story |
//! | --- | --- |
//! | [`setup`] | which tools a command needs, where they are, and how a missing one is installed |
//! | [`page`] | one way to build the page, for whoever needs it |
//! | [`offline`] | the service worker that lets the page work without a network |
//! | [`serve`], [`dist`] | what is done with the built page |
//! | [`mod@test`] | the steps of a full check, in order |
//! | [`run`] | a scenario without a browser |
//! | [`explore`] | a search through every order of a scenario, or of a published specification |
//! | [`mod@claims`] | statements that searches decide |
//! | [`mod@schema`] | the JSON schema of scenarios |
//! | [`compare`] | a scenario in each way of taking checkpoints, side by side |
//! | [`conform`] | the conformance cases, held against the core |
//! | [`mod@gallery`] | public fault reports, without and with their fix |
//! | [`mod@bench`] | speed and size, natively and in the browser |
//! | [`workspace`], [`command`], [`report`] | where things lie, how programs are started, how times are told |

mod bench;
mod claims;
mod command;
mod compare;
mod conform;
mod dist;
mod explore;
mod gallery;
mod matrix;
mod offline;
mod page;
mod report;
mod run;
mod schema;
mod serve;
mod setup;
mod test;
mod workspace;

use std::process::ExitCode;

use lexopt::{Arg, ValueExt as _};

const HELP: &str = "\
Barrierscope: set-up, serve, test, run, explore, compare, recorded, conform, gallery, bench and dist. Rust by rustup is all that has to be there before.

Usage: cargo xtask COMMAND [OPTIONS]

Commands:
  serve [--port N] [--open] [--dev]
             Builds the page and serves it on http://127.0.0.1:8080, or on the next free port.
               --port N   serve on port N, and on no other
               --open     open the address in the browser
               --dev      build without optimisation, and again after each change
  test [STEP...]
             Runs every check, or the named ones, in this order:
               fmt        formatting
               clippy     lints, natively and for WebAssembly
               docs       documentation without warnings
               native     native tests
               no-std     the core, built for a target without the standard library
               wasm       WebAssembly tests in headless Chromium
               page       the release build of the page
               browser    browser tests against that page
  run [FILE] [--seed N] [--sink GUARANTEE] [--events]
             Runs a scenario (without FILE: the default story) and prints the verdict as JSON.
               --seed N   the seed of the run, instead of the scenario's own
               --sink at-least-once | exactly-once
                          the sink's delivery guarantee, instead of the scenario's own
               --events   print what happens before the verdict, one line for each event
  explore NAME | FILE [--faults N] [--kinds KIND,...] [--nodes NODE,...] [--threads N]
          [--limit N] [--memory MB] [--symmetry] [--random N]
             Searches every order of what may happen, with faults at every moment, and says either that everything holds,
             in how many states, or what is the shortest run that breaks something. FILE is a scenario; NAME a published
             specification with known answers: two-phase:N, tcommit, two-phase-with-backup, acp-sb, acp-nb, acp-nb-wrong,
             alternating-bit, ladder:sequential, :crash, :transaction, :zombie, :fencing.
               --faults N    how many faults may happen in a run of a scenario (without it: 1)
               --kinds KIND,...
                             only faults of these kinds: crash,lost-acknowledgement; a wrong one is answered with a list
               --nodes NODE,...
                             only at these: sink[0],broker-1; a wrong one is answered with a list
               --threads N   on N threads (without it: 1); with more than one Stateright does the search
               --limit N     stops after N distinct states
               --memory MB   stops when so much memory is used (without it: 2000)
               --reduce none | symmetry | order | all
                             leaves out what makes no difference: which of equal parts is which, the order of actions that
                             have nothing to do with each other (without it: none)
               --cycles      looks for runs that go round for ever
               --symmetry    sees equal parts of a specification once
               --random N    N steps of random runs instead, for what is too large to be exhausted
  compare [FILE]
             Runs a scenario (without FILE: the default story) with aligned, unaligned and at-least-once checkpoints, and
             prints a table of what each costs, in virtual time.
  conform [DIR]
             Runs the conformance cases in every case file of DIR (without DIR: the project's own, in
             tests/conformance/), and tells what failed and how many passed.
  gallery [NAME]
             Runs the scenarios of all public fault reports (scenarios/cases.json), without and with their fix, and prints
             what comes out beside what was reported, and how many passed; with a name or its beginning (KT02) also what
             happens, event by event.
  claims [NAME]
             Decides the statements in scenarios/claims.json, or the one of this name, by searches, and tells which came
             out otherwise than expected.
  matrix     Breaks a job that writes to Kafka at every crash point, for every kind of sink and reader, and prints what
             becomes of its records.
  recorded   Simulates the jobs that were recorded on a real Flink, and prints both side by side.
  bench [growth]
             Measures speed and size, natively and in headless Chromium, and prints a line for each figure; with `growth`
             how rate and memory of a search grow from 10,000 states to ten million, natively.
  dist       Leaves a static site in dist/ that works from any folder of any web server, and without a network after
             the first visit; and tells its size.
  schema     Writes the JSON schema of scenarios, schema/scenario.schema.json, anew.
  setup      Only installs what the other commands need.
  help       Prints this text.

What is missing is installed: Rust targets by rustup, Chromium by the system's package manager, all else into a tool
folder in the user's cache directory, which all clones share. BARRIERSCOPE_TOOLS names another folder. A fitting tool
on PATH is used instead, and so are the browser and the driver that CHROMIUM and CHROMEDRIVER name.
";

fn main() -> ExitCode {
    match dispatch() {
        Ok(code) => code,
        Err(error) if error.is::<lexopt::Error>() => {
            eprintln!("error: {error}\n`cargo xtask help` lists the commands and their options.");
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Reads the command's name and hands the rest of the line to its module.
fn dispatch() -> anyhow::Result<ExitCode> {
    let mut args = lexopt::Parser::from_env();
    let name = match args.next()? {
        None | Some(Arg::Short('h') | Arg::Long("help")) => "help".into(),
        Some(Arg::Value(name)) => name,
        Some(option) => return Err(option.unexpected().into()),
    };
    if std::env::args()
        .skip(2)
        .any(|arg| arg == "-h" || arg == "--help")
    {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    match name.to_str() {
        // Its answer may be that cases have failed, which is no error of the command.
        Some("conform") => return conform::conform(&conform::Options::parse(&mut args)?),
        Some("gallery") => {
            let name = one_name(&mut args)?;
            return gallery::gallery(name.as_deref());
        }
        Some("claims") => {
            let name = one_name(&mut args)?;
            return claims::claims(name.as_deref());
        }
        Some("serve") => serve::serve(serve::Options::parse(&mut args)?),
        Some("test") => test::test(&test::parse(&mut args)?),
        Some("run") => run::run(&run::Options::parse(&mut args)?),
        Some("explore") => explore::explore(&explore::Options::parse(&mut args)?),
        Some("compare") => compare::compare(&compare::Options::parse(&mut args)?),
        Some("matrix") => {
            no_more(&mut args)?;
            matrix::matrix()
        }
        Some("recorded") => {
            no_more(&mut args)?;
            print!("{}", barrierscope_tests::recorded::report());
            Ok(())
        }
        Some("bench") => match args.next()? {
            None => bench::bench(),
            Some(Arg::Value(what)) if what == "growth" => {
                no_more(&mut args)?;
                bench::growth()
            }
            Some(other) => Err(other.unexpected().into()),
        },
        Some("dist") => {
            no_more(&mut args)?;
            dist::dist()
        }
        Some("schema") => {
            no_more(&mut args)?;
            schema::schema()
        }
        Some("setup") => {
            no_more(&mut args)?;
            setup::everything()
        }
        Some("help") => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(lexopt::Error::Custom(format!("there is no command {name:?}").into()).into()),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// For the commands that take a name, or none.
fn one_name(args: &mut lexopt::Parser) -> Result<Option<String>, lexopt::Error> {
    let name = args.next()?.map(|arg| match arg {
        Arg::Value(name) => name.string(),
        other => Err(other.unexpected()),
    });
    no_more(args)?;
    name.transpose()
}

/// For the commands that take no options.
fn no_more(args: &mut lexopt::Parser) -> Result<(), lexopt::Error> {
    args.next()?.map_or(Ok(()), |arg| Err(arg.unexpected()))
}
