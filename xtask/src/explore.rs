//! `cargo xtask explore`: a search through every order of what may happen, with faults at every moment.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use barrierscope_core::event::Event;
use barrierscope_core::explorer::Settings;
use barrierscope_core::explorer::progress::{Progress, Status};
use barrierscope_core::explorer::question::{Kind, Property};
use barrierscope_core::models::faults::{FaultKind, Selection};
use barrierscope_core::models::search::{Counterexample, Search, search_with};
use barrierscope_core::scenario::Story;
use barrierscope_tests::words::Names;
use barrierscope_tests::{answers, searches, specs, threads};
use lexopt::{Arg, ValueExt as _};

use crate::run;

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// A specification or a scenario's file.
    what: String,
    faults: u8,
    selection: Selection,
    threads: usize,
    limit: Option<u64>,
    memory_mb: usize,
    symmetry: bool,
    random: Option<u32>,
}

impl Options {
    /// Reads `NAME | FILE [--faults N] [--kinds KIND,…] [--nodes NODE,…] [--threads N] [--limit N] [--memory MB] [--symmetry] [--random N]`.
    pub(crate) fn parse(args: &mut lexopt::Parser) -> Result<Self, lexopt::Error> {
        let mut what = None;
        let mut options = Self {
            what: String::new(),
            faults: 1,
            selection: Selection::default(),
            threads: 1,
            limit: None,
            memory_mb: 2_000,
            symmetry: false,
            random: None,
        };
        while let Some(arg) = args.next()? {
            match arg {
                Arg::Long("faults") => options.faults = args.value()?.parse()?,
                Arg::Long("kinds") => {
                    options.selection.kinds = args.value()?.parse_with(kinds_of)?
                }
                Arg::Long("nodes") => options.selection.nodes = list(&args.value()?.string()?),
                Arg::Long("threads") => options.threads = args.value()?.parse_with(threads_of)?,
                Arg::Long("limit") => options.limit = Some(args.value()?.parse()?),
                Arg::Long("memory") => options.memory_mb = args.value()?.parse()?,
                Arg::Long("symmetry") => options.symmetry = true,
                Arg::Long("random") => options.random = Some(args.value()?.parse()?),
                Arg::Value(value) if what.is_none() => what = Some(value.string()?),
                _ => return Err(arg.unexpected()),
            }
        }
        options.what = what.ok_or_else(|| {
            let message = format!(
                "name what is to be explored: the file of a scenario, or {}",
                specs::NAMES.join(", ")
            );
            lexopt::Error::Custom(message.into())
        })?;
        if options.random.is_some() && options.threads > 1 {
            return Err(lexopt::Error::Custom(
                "--random runs on one thread: leave out --threads".into(),
            ));
        }
        Ok(options)
    }

    fn settings(&self) -> Settings {
        Settings {
            memory: self.memory_mb.saturating_mul(1_000_000),
            states: self.limit.unwrap_or(u64::MAX),
            symmetry: self.symmetry,
            ..Settings::default()
        }
    }

    fn limit(&self) -> Option<usize> {
        self.limit
            .map(|limit| usize::try_from(limit).unwrap_or(usize::MAX))
    }
}

/// What stands between commas.
fn list(words: &str) -> Vec<String> {
    words
        .split(',')
        .map(|word| word.trim().to_owned())
        .collect()
}

fn kinds_of(words: &str) -> Result<Vec<FaultKind>, String> {
    let kind = |word: String| {
        FaultKind::of_word(&word).ok_or_else(|| {
            let all = FaultKind::ALL.map(FaultKind::word).join(", ");
            format!("there is no kind of fault {word:?}; there are {all}")
        })
    };
    list(words).into_iter().map(kind).collect()
}

fn threads_of(number: &str) -> Result<usize, &'static str> {
    let threads = number.parse().ok().filter(|it| (1..=256).contains(it));
    threads.ok_or("threads are a number from 1 to 256")
}

/// Searches, and prints what was found.
pub(crate) fn explore(options: &Options) -> anyhow::Result<()> {
    let file = Path::new(&options.what);
    if !file.exists() && specs::is_name(&options.what) {
        return specification(options);
    }
    if !file.exists() && file.extension().is_none() {
        anyhow::bail!(
            "{:?} is neither a file nor a specification; there are {}",
            options.what,
            specs::NAMES.join(", ")
        );
    }
    let story = run::story(Some(file))?;
    let story = options.selection.prepare(story, options.faults);
    match (options.random, options.threads) {
        (Some(steps), _) => random(&story, options, steps),
        (None, 1) => scenario(&story, options),
        (None, _) => on_threads(&story, options),
    }
}

fn specification(options: &Options) -> anyhow::Result<()> {
    anyhow::ensure!(
        options.random.is_none(),
        "--random is for scenarios: specifications are small enough to be exhausted"
    );
    if options.threads > 1 {
        anyhow::ensure!(
            !options.symmetry,
            "--symmetry works on one thread: leave out --threads"
        );
        let found = threads::search(&options.what, options.threads, options.limit())?;
        println!(
            "distinct {} generated {} depth {}",
            found.distinct, found.generated, found.depth
        );
        if let Some(run) = found.counterexample {
            println!("broken after {} steps:", run.len());
            for step in run {
                println!("  {step}");
            }
        }
        return Ok(());
    }
    let found = answers::search(&options.what, options.settings())?;
    println!("{}", counts(&found.progress));
    match found.counterexample {
        Some(run) => {
            let steps = run.len().saturating_sub(1);
            println!("broken after {steps} steps: {}", found.property);
            for line in run {
                println!("  {line}");
            }
        }
        None => println!(
            "{}",
            outcome(&found.progress, &[Property::always(found.property)])
        ),
    }
    Ok(())
}

fn counts(progress: &Progress) -> String {
    format!(
        "distinct {} generated {} depth {}",
        progress.distinct, progress.generated, progress.depth
    )
}

/// What a search comes to that has found nothing.
fn outcome(progress: &Progress, properties: &[Property]) -> String {
    let names = properties.iter().filter(|it| it.kind != Kind::Sometimes);
    let names = names.map(|it| it.name).collect::<Vec<_>>().join("; ");
    let states = progress.distinct;
    match progress.status {
        Status::Exhausted => format!("holds, in all {states} states: {names}"),
        Status::Full | Status::Limited => format!(
            "nothing found in the first {states} states, {} of them not yet looked into: this is not all of them, {}",
            progress.frontier,
            match progress.status {
                Status::Full => "but the memory is used up (--memory allows more)",
                _ => "but as many as --limit allows",
            }
        ),
        Status::Running | Status::Found => String::from("not finished"),
    }
}

fn scenario(story: &Story, options: &Options) -> anyhow::Result<()> {
    let settings = Settings {
        faults: Some(options.faults),
        ..options.settings()
    };
    let mut search = search_with(story.clone(), settings, &options.selection)?;
    let began = Instant::now();
    let mut told = began;
    while search.step(20_000).status.is_running() {
        if told.elapsed() >= Duration::from_secs(1) {
            told = Instant::now();
            eprintln!("{}", line(search.progress(), began));
        }
    }
    let progress = search.progress().clone();
    eprintln!("{}", line(&progress, began));
    println!("{}", counts(&progress));
    match search.counterexample() {
        Some(run) => broken(&*search, &run, options)?,
        None => {
            let holds = outcome(&progress, search.properties());
            println!("{holds}, with {} anywhere", faults(options.faults));
        }
    }
    let properties = (0..).zip(search.properties());
    for (number, property) in properties.filter(|(_, it)| it.kind == Kind::Sometimes) {
        match search.witness(number) {
            Some(run) => println!("{}: yes, after {} steps", property.name, run.steps.len()),
            None if progress.is_exhausted() => println!("{}: never", property.name),
            None => {}
        }
    }
    Ok(())
}

fn faults(count: u8) -> String {
    match count {
        0 => String::from("no fault"),
        1 => String::from("1 fault"),
        more => format!("{more} faults"),
    }
}

/// How far a search is.
fn line(progress: &Progress, began: Instant) -> String {
    let seconds = began.elapsed().as_secs_f64();
    format!(
        "{seconds:6.1} s: {} distinct states, {} on the frontier, depth {}, {:.0} a second, {} MB",
        progress.distinct,
        progress.frontier,
        progress.depth,
        progress.distinct as f64 / seconds.max(1e-3),
        progress.bytes / 1_000_000
    )
}

/// A counterexample, event by event, and what it comes to.
fn broken(search: &dyn Search, run: &Counterexample, options: &Options) -> anyhow::Result<()> {
    let property = search.properties().get(run.property as usize);
    println!(
        "broken: {}, after {} steps, with {} at most",
        property.map_or("?", |it| it.name),
        run.steps.len(),
        faults(options.faults)
    );
    let session = search.open(run).context("the run cannot be replayed")?;
    tell(&Names::of(&*session), &run.steps);
    for witness in session.verdict().witnesses {
        let key = session.record(witness.record).map_or("?", |(key, _)| key);
        println!(
            "record {key:?}: seen {} times, due {} times",
            witness.copies, witness.due
        );
    }
    for held in session.verdict().held {
        let key = session.record(held.record).map_or("?", |(key, _)| key);
        println!("record {key:?} waits: {:?}", held.by);
    }
    Ok(())
}

/// What happens in a run, one line for each event, with the number of the step.
fn tell(names: &Names, steps: &[Vec<Event>]) {
    for (number, events) in (1..).zip(steps) {
        if events.is_empty() {
            println!("{number:>4}");
        }
        for event in events {
            println!("{number:>4} {}", names.event(event));
        }
    }
}

fn on_threads(story: &Story, options: &Options) -> anyhow::Result<()> {
    let found = searches::on_threads(
        story.clone(),
        options.faults,
        &options.selection,
        options.threads,
        options.limit(),
    )?;
    println!(
        "distinct {} generated {} depth {}",
        found.distinct, found.generated, found.depth
    );
    let limited = options.limit.is_some_and(|limit| found.distinct >= limit);
    match found.counterexample {
        Some(steps) => {
            println!("broken after {} steps:", steps.len());
            let session = barrierscope_core::start(story.clone())?;
            tell(&Names::of(&*session), &steps);
        }
        None if limited => println!("nothing found in the first {} states", found.distinct),
        None => println!(
            "holds, in all {} states, with {} anywhere",
            found.distinct,
            faults(options.faults)
        ),
    }
    Ok(())
}

fn random(story: &Story, options: &Options, steps: u32) -> anyhow::Result<()> {
    let found = searches::random(
        story.clone(),
        options.faults,
        &options.selection,
        steps,
        options.settings().memory,
    )?;
    let sample = &found.sample;
    println!(
        "{} random runs, {} steps, {}{} distinct states, {} of the runs came to an end, the longest had {} steps",
        sample.runs,
        sample.steps,
        if sample.full { "at least " } else { "" },
        sample.distinct,
        sample.ended,
        sample.longest
    );
    match found.broken {
        Some((property, run)) => {
            println!(
                "broken: {property}, after {} steps (there may be a shorter run)",
                run.len()
            );
            let session = barrierscope_core::start(story.clone())?;
            tell(&Names::of(&*session), &run);
        }
        None => println!("nothing found in these: which says nothing of the others"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &[&str]) -> Result<Options, lexopt::Error> {
        Options::parse(&mut lexopt::Parser::from_args(line))
    }

    #[test]
    fn what_and_how_in_any_order() {
        let options = parse(&["--faults", "2", "story.json", "--threads=4"]).unwrap();
        assert_eq!(options.what, "story.json");
        assert_eq!((options.faults, options.threads), (2, 4));
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_would() {
        let error = |line: &[&str]| parse(line).unwrap_err().to_string();
        assert!(error(&[]).contains("two-phase:N"));
        assert!(error(&["tcommit", "--threads", "0"]).contains("1 to 256"));
        assert!(error(&["tcommit", "acp-sb"]).contains("unexpected"));
        let refused = |line: &[&str]| explore(&parse(line).unwrap()).unwrap_err().to_string();
        assert!(refused(&["two-phases"]).contains("acp-nb-wrong"));
        assert!(refused(&["two-phase:12"]).contains("1 to 9"));
        assert!(refused(&["missing.json"]).contains("cannot read missing.json"));
    }

    #[test]
    fn a_specification_and_a_scenario_are_explored() {
        explore(&parse(&["two-phase:4"]).unwrap()).unwrap();
        explore(&parse(&["two-phase:4", "--threads", "2"]).unwrap()).unwrap();
    }
}
