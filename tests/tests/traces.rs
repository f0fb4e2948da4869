//! Data-driven traces: files under `traces/`, each a scenario and a list of actions, with the events that
//! each action leads to beside it. `BLESS=1 cargo test -p barrierscope-tests` writes the events anew;
//! the difference is then read like any other change.
//!
//! A line that begins with `> ` chooses an action by the words in which the laboratory offers it; the
//! lines after it are what happened. `> offers` lists what may be chosen, `> verdict` what the reader got.
//! `> play` goes on to the end as the clock does it, `> play from the fault` tells only what comes from the first
//! fault on, and `> properties` tells how two-phase commit stands.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use barrierscope_core::commit::Vote;
use barrierscope_core::commit::options::Presumed;
use barrierscope_core::mark::{Mark, MarkKind};
use barrierscope_core::scenario::DeliveryGuarantee;
use barrierscope_core::session::Session;
use barrierscope_core::time::Millis;
use barrierscope_tests::scenarios::{BARRIERS, small, with_barriers};
use barrierscope_tests::votes::calm;
use barrierscope_tests::words::Names;
use serde_json::Value;

/// Replays a trace: what it should read like.
fn replay(text: &str) -> Result<String, String> {
    let mut written = String::new();
    let mut run: Option<Box<dyn Session>> = None;
    for line in text.lines() {
        if line.starts_with('#') || line.is_empty() {
            let _ = writeln!(written, "{line}");
        } else if let Some(settings) = line.strip_prefix("scenario ") {
            let _ = writeln!(written, "{line}");
            run = Some(open(settings)?);
        } else if let Some(command) = line.strip_prefix("> ") {
            let _ = writeln!(written, "{line}");
            let here = run.as_mut().ok_or("the first line must be a scenario")?;
            obey(command, here, &mut written)?;
        }
    }
    Ok(written)
}

/// `exactly-once, 4 records, 1 checkpoints, 1 crashes`, and `, unaligned` where checkpoints are not
/// aligned; then ` with {"faults": {"max_declines": 1}}` for anything else that differs.
fn open(settings: &str) -> Result<Box<dyn Session>, String> {
    let (settings, changes) = settings.split_once(" with ").unwrap_or((settings, "{}"));
    let changes = serde_json::from_str(changes).map_err(|error| error.to_string())?;
    if let Some(settings) = settings.strip_prefix("votes, ") {
        return votes(settings, changes);
    }
    let mut parts = settings.split(", ");
    let sink = match parts.next() {
        Some("exactly-once") => DeliveryGuarantee::ExactlyOnce,
        Some("at-least-once") => DeliveryGuarantee::AtLeastOnce,
        other => return Err(format!("no such sink: {other:?}")),
    };
    let mut number = || -> Result<u32, String> {
        let part = parts
            .next()
            .ok_or(format!("too few settings: {settings}"))?;
        let digits = part.split(' ').next().unwrap_or_default();
        digits.parse().map_err(|_| format!("no number: {part}"))
    };
    let mut scenario = small(sink, number()?, number()?, number()? as u8);
    if let Some(name) = parts.next() {
        let (_, barriers) = BARRIERS
            .into_iter()
            .find(|(known, _)| *known == name)
            .ok_or(format!("no such checkpoints: {name}"))?;
        scenario = with_barriers(scenario, barriers);
    }
    let mut json = serde_json::to_value(scenario).map_err(|error| error.to_string())?;
    change(&mut json, changes);
    barrierscope_core::open(&json.to_string()).map_err(|error| error.to_string())
}

/// `votes, 2 participants`, and where it is so `, p2 votes abort`, `, cooperative termination`, `, presumed abort`.
fn votes(settings: &str, changes: Value) -> Result<Box<dyn Session>, String> {
    let mut votes = Vec::new();
    let mut configuration = (false, Presumed::Nothing);
    for setting in settings.split(", ") {
        match setting.split(' ').collect::<Vec<_>>()[..] {
            [count, "participants"] => {
                let count: usize = count.parse().map_err(|_| format!("no number: {count}"))?;
                votes = vec![Vote::Commit; count];
            }
            ["cooperative", "termination"] => configuration.0 = true,
            ["presumed", "abort"] => configuration.1 = Presumed::Abort,
            [name, "votes", "abort"] => {
                let number = name.strip_prefix('p').and_then(|it| it.parse().ok());
                let place = number.and_then(|it: usize| it.checked_sub(1));
                let vote = place.and_then(|it| votes.get_mut(it));
                *vote.ok_or(format!("no such participant: {name}"))? = Vote::Abort;
            }
            _ => return Err(format!("no such setting: {setting}")),
        }
    }
    let mut scenario = calm(&votes, configuration);
    scenario.costs.restart_ms = Millis(150);
    let mut json = serde_json::to_value(scenario).map_err(|error| error.to_string())?;
    change(&mut json, changes);
    barrierscope_core::open(&json.to_string()).map_err(|error| error.to_string())
}

/// Replaces in `json` what `changes` says, object by object.
fn change(json: &mut Value, changes: Value) {
    match (json, changes) {
        (Value::Object(fields), Value::Object(changes)) => {
            for (name, changed) in changes {
                change(fields.entry(name).or_insert(Value::Null), changed);
            }
        }
        (json, changed) => *json = changed,
    }
}

fn obey(command: &str, run: &mut Box<dyn Session>, written: &mut String) -> Result<(), String> {
    let names = Names::of(&**run);
    let offers: Vec<_> = run
        .choices()
        .into_iter()
        .map(|choice| (names.choice(choice), choice))
        .collect();
    match command {
        "offers" => {
            for (words, _) in &offers {
                let _ = writeln!(written, "    {words}");
            }
        }
        "verdict" => {
            let v = run.verdict();
            let _ = writeln!(
                written,
                "    {:?}: visible {}, lost {}, doubled {}, miscounted {}, waiting {}, total {} of {}",
                v.guarantee(),
                v.visible,
                v.lost,
                v.doubled,
                v.miscounted,
                v.waiting,
                v.total,
                v.true_total
            );
        }
        "play" | "play from the fault" => {
            let broken = |mark: &&Mark| mark.kind == MarkKind::Broken;
            let first = match command {
                "play" => None,
                _ => run
                    .marks()
                    .iter()
                    .find(broken)
                    .map(|mark| mark.step as usize),
            };
            for step in first.unwrap_or(run.at() + 1)..=run.last() {
                run.go_to(step);
                let time = run.time(step).0 as f64 / 1_000.0;
                for event in run.events() {
                    let _ = writeln!(written, "    {time:>7} ms  {}", names.event(&event));
                }
            }
            let _ = writeln!(written, "    {:?}", run.ending());
        }
        "properties" => {
            for view in run.properties() {
                let nodes = view.nodes.iter().map(|node| names.node(*node));
                let nodes: Vec<_> = nodes.collect();
                let status = format!(
                    "{:?} {:?}: {}",
                    view.property,
                    view.status,
                    nodes.join(", ")
                );
                let _ = writeln!(written, "    {}", status.trim_end_matches(": "));
            }
            let costs = run.costs();
            let _ = writeln!(
                written,
                "    {} forced, {} lazy, {} messages",
                costs.forced, costs.lazy, costs.messages
            );
        }
        _ => {
            let Some((_, choice)) = offers.iter().find(|(words, _)| words == command) else {
                let offered: Vec<_> = offers.iter().map(|(words, _)| words.as_str()).collect();
                return Err(format!(
                    "`{command}` is not offered, but: {}",
                    offered.join("; ")
                ));
            };
            *run = run.branch(*choice).map_err(|error| error.to_string())?;
            for event in run.events() {
                let _ = writeln!(written, "    {}", names.event(&event));
            }
        }
    }
    Ok(())
}

#[test]
fn traces_read_as_they_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("traces");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let text = fs::read_to_string(&file).expect("it can be read");
        let replayed = replay(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        if std::env::var_os("BLESS").is_some() {
            fs::write(&file, replayed).expect("it can be written");
        } else {
            assert!(
                replayed == text,
                "{} is not what happens; this is:\n{replayed}",
                file.display()
            );
        }
    }
}
