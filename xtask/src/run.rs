//! `cargo xtask run`: a scenario without a browser, and its verdict as JSON on standard output.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use barrierscope_core::scenario::{DeliveryGuarantee, Scenario, Story};
use barrierscope_core::session::{self, Session};
use barrierscope_tests::words::Names;
use lexopt::{Arg, ValueExt as _};

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// The scenario's file; the default story without one.
    file: Option<PathBuf>,
    /// Takes the place of the scenario's own seed.
    seed: Option<u64>,
    /// Takes the place of the scenario's own delivery guarantee.
    sink: Option<DeliveryGuarantee>,
    /// Whether every event is printed, with its moment.
    events: bool,
}

impl Options {
    /// Reads `[FILE] [--seed N] [--sink GUARANTEE] [--events]`.
    pub(crate) fn parse(args: &mut lexopt::Parser) -> Result<Self, lexopt::Error> {
        let mut options = Self {
            file: None,
            seed: None,
            sink: None,
            events: false,
        };
        while let Some(arg) = args.next()? {
            match arg {
                Arg::Long("seed") => options.seed = Some(args.value()?.parse()?),
                Arg::Long("sink") => options.sink = Some(args.value()?.parse_with(guarantee)?),
                Arg::Long("events") => options.events = true,
                Arg::Value(file) if options.file.is_none() => options.file = Some(file.into()),
                _ => return Err(arg.unexpected()),
            }
        }
        Ok(options)
    }
}

fn guarantee(name: &str) -> Result<DeliveryGuarantee, &'static str> {
    match name {
        "at-least-once" => Ok(DeliveryGuarantee::AtLeastOnce),
        "exactly-once" => Ok(DeliveryGuarantee::ExactlyOnce),
        "none" => Ok(DeliveryGuarantee::None),
        _ => Err("a sink is `none`, `at-least-once` or `exactly-once`"),
    }
}

/// Runs the scenario to its end and prints the verdict.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    println!("{}", verdict(story(options.file.as_deref())?, options)?);
    Ok(())
}

/// The scenario in a file, or the default story.
pub(crate) fn story(file: Option<&Path>) -> anyhow::Result<Story> {
    let Some(file) = file else {
        return Ok(Scenario::default_story()?.into());
    };
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let (story, ignored) =
        Story::read(&text).with_context(|| format!("{} is refused", file.display()))?;
    for option in ignored {
        eprintln!("note: {option}");
    }
    Ok(story)
}

/// The scenario of a pipeline in a file, or the default story.
pub(crate) fn pipeline(file: Option<&Path>) -> anyhow::Result<Scenario> {
    match story(file)? {
        Story::Pipeline(scenario) => Ok(scenario),
        Story::Delivery(_) | Story::Votes(_) => {
            anyhow::bail!("this needs a scenario of the model \"pipeline\"")
        }
    }
}

/// The verdict on a scenario, with what the command line changes in it, as JSON.
fn verdict(mut story: Story, options: &Options) -> anyhow::Result<String> {
    if let Some(seed) = options.seed {
        *story.seed_mut() = seed;
    }
    match &mut story {
        Story::Pipeline(scenario) => {
            if let (Some(wanted), Some(sink)) = (options.sink, scenario.sink_mut()) {
                *sink = wanted;
            }
        }
        Story::Delivery(_) | Story::Votes(_) => {
            anyhow::ensure!(options.sink.is_none(), "--sink is for pipelines");
        }
    }
    let mut run = barrierscope_core::start(story)?;
    if options.events {
        events(&mut *run);
    }
    run.go_to(run.last());
    Ok(session::verdict_json(&*run))
}

/// Prints what happens, one line for each event.
fn events(run: &mut dyn Session) {
    let names = Names::of(run);
    for step in 1..=run.last() {
        run.go_to(step);
        for event in run.events() {
            println!("{:>12} {}", run.time(step).to_string(), names.event(&event));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &[&str]) -> Result<Options, lexopt::Error> {
        Options::parse(&mut lexopt::Parser::from_args(line))
    }

    #[test]
    fn file_and_seed_in_any_order() {
        let both = Options {
            file: Some("story.json".into()),
            seed: Some(7),
            sink: None,
            events: false,
        };
        assert_eq!(parse(&["story.json", "--seed", "7"]).unwrap(), both);
        assert_eq!(parse(&["--seed=7", "story.json"]).unwrap(), both);
        assert_eq!(
            parse(&[]).unwrap(),
            Options {
                file: None,
                seed: None,
                sink: None,
                events: false,
            }
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(parse(&["one.json", "two.json"]).is_err());
        assert!(parse(&["--seed", "many"]).is_err());
        assert!(parse(&["--sed", "7"]).is_err());
        assert!(parse(&["--sink", "twice"]).is_err());
    }

    #[test]
    fn the_sink_decides_what_the_dashboard_shows() {
        let total = |sink| {
            let story = Scenario::default_story().unwrap();
            let json = verdict(story.into(), &parse(&["--sink", sink]).unwrap()).unwrap();
            let line = json.lines().find(|line| line.contains("\"total\""));
            line.unwrap_or_default().trim().to_owned()
        };
        assert_eq!(total("exactly-once"), "\"total\": 1991379,");
        assert_ne!(total("at-least-once"), "\"total\": 1991379,");
    }
}
