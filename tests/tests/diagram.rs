//! A run in space and time says what had to happen before what.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use barrierscope_core::commit::{Decision, Vote};
use barrierscope_core::diagram::{BarKind, Causality, Diagram, End, LaneKind};
use barrierscope_core::event::{Event, JobEvent, KafkaEvent, VotesEvent};
use barrierscope_core::id::{CheckpointId, LaneId, RecordId};
use barrierscope_core::models::Barriers;
use barrierscope_core::scenario::{DeliveryGuarantee, Scenario, Story};
use barrierscope_core::scene::TokenKind;
use barrierscope_core::session::Session;
use barrierscope_tests::scenarios::{long, story};

/// Every scenario of the program, by its file.
fn stories() -> Vec<(String, Story)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let mut found = Vec::new();
    for folder in [root.clone(), root.join("cases")] {
        let entries = fs::read_dir(&folder).expect("the folder of scenarios");
        for entry in entries {
            let path = entry.expect("an entry").path();
            let json = match path.extension() {
                Some(kind) if kind == "json" => fs::read_to_string(&path).expect("a file"),
                _ => continue,
            };
            // The lists of reports and lessons are no scenarios.
            if let Ok(story) = Story::from_json(&json) {
                found.push((path.display().to_string(), story));
            }
        }
    }
    assert!(found.len() > 30, "{} scenarios", found.len());
    found
}

fn each_story(mut check: impl FnMut(&str, &mut dyn Session, &Diagram)) {
    for (name, story) in stories() {
        let mut run = barrierscope_core::start(story).expect("it makes sense");
        let diagram = run.diagram();
        check(&name, run.as_mut(), &diagram);
    }
}

fn scenario(name: &str) -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let json = fs::read_to_string(path.join(name)).expect("a scenario");
    match Story::from_json(&json) {
        Ok(Story::Pipeline(scenario)) => scenario,
        other => panic!("{name} is a pipeline: {other:?}"),
    }
}

fn steps(diagram: &Diagram) -> impl Iterator<Item = (u32, &Event)> {
    (1..=diagram.last()).flat_map(|step| diagram.events(step).iter().map(move |it| (step, it)))
}

#[test]
fn it_tells_what_the_run_tells() {
    each_story(|name, run, diagram| {
        assert_eq!(diagram.last() as usize, run.last(), "{name}");
        let points = diagram.points.iter();
        let points = points.map(|it| (it.step, it.kind, it.checkpoint));
        let marks = run
            .marks()
            .iter()
            .map(|it| (it.step, it.kind, it.checkpoint));
        assert!(points.eq(marks), "{name}: landmarks");
        for step in (1..=diagram.last()).step_by(97) {
            run.go_to(step as usize);
            assert_eq!(run.events(), diagram.events(step), "{name}, step {step}");
            assert_eq!(
                run.time(step as usize),
                diagram.time(step),
                "{name}, step {step}"
            );
        }
    });
}

#[test]
fn what_is_under_way_is_what_the_stage_shows() {
    each_story(|name, run, diagram| {
        for step in (0..=diagram.last()).step_by(61) {
            run.go_to(step as usize);
            let wires = run.scene().links;
            let shown: usize = wires.iter().map(|wire| wire.tokens.len()).sum();
            let ends = |end: End| end.step().is_none_or(|end| step < end);
            // What a topic holds is on no way.
            let is_from_topic =
                |from: LaneId| diagram.lanes[from.index()].kind == LaneKind::TopicWriter;
            let under_way = diagram.messages.iter().filter(|message| {
                message.sent <= step && ends(message.end) && !is_from_topic(message.from)
            });
            assert_eq!(under_way.count(), shown, "{name}, step {step}");
        }
    });
}

#[test]
fn nothing_is_taken_before_it_is_sent_or_elsewhere() {
    each_story(|name, _, diagram| {
        let mut before = 0;
        for message in &diagram.messages {
            assert!(before <= message.sent, "{name}: in their order");
            before = message.sent;
            let after = message.end.step().is_none_or(|end| message.sent < end);
            assert!(after, "{name}: {message:?}");
            if let End::Received(step) = message.end {
                assert!(
                    diagram.lanes_of(step).contains(&message.to),
                    "{name}: {message:?}"
                );
            }
        }
        for bar in &diagram.bars {
            assert!(bar.from.step <= bar.to.step, "{name}: {bar:?}");
            assert!(bar.from.time <= bar.to.time, "{name}: {bar:?}");
            assert!(bar.to.step <= diagram.last(), "{name}: {bar:?}");
        }
    });
}

#[test]
fn past_and_future_are_each_others_mirror() {
    each_story(|name, _, diagram| {
        let causality = Causality::of(diagram);
        let last = diagram.last();
        let sample: Vec<u32> = (1..=last).step_by((last as usize / 23).max(1)).collect();
        for step in &sample {
            let (past, future) = (causality.past(*step), causality.future(*step));
            for other in 0..=last + 1 {
                let is_before = other < *step && other > 0;
                assert!(
                    !past.contains(other) || is_before,
                    "{name}: {other} before {step}"
                );
                let is_after = *step < other && other <= last;
                assert!(
                    !future.contains(other) || is_after,
                    "{name}: {other} after {step}"
                );
            }
            for other in &sample {
                let mirrored = causality.future(*other).contains(*step);
                assert_eq!(
                    past.contains(*other),
                    mirrored,
                    "{name}: {other} and {step}"
                );
            }
            for lane in diagram.lanes_of(*step) {
                let own = (1..*step).filter(|it| diagram.lanes_of(*it).contains(lane));
                assert!(
                    own.into_iter().all(|it| past.contains(it)),
                    "{name}: lane of {step}"
                );
            }
        }
    });
}

#[test]
fn a_record_was_sent_before_it_is_processed() {
    let mut processed = 0;
    each_story(|name, _, diagram| {
        let causality = Causality::of(diagram);
        let mut sent: BTreeMap<RecordId, Vec<u32>> = BTreeMap::new();
        let mut checked = 0;
        for (step, event) in steps(diagram) {
            let record = match *event {
                Event::RecordEmitted { record, .. }
                | Event::Kafka(KafkaEvent::Sent { record, .. }) => {
                    sent.entry(record).or_default().push(step);
                    continue;
                }
                Event::RecordProcessed { record, .. }
                | Event::RecordFiltered { record, .. }
                | Event::RecordWritten { record, .. }
                | Event::Kafka(KafkaEvent::Processed { record, .. })
                | Event::Job(JobEvent::LoopPassed { record, .. }) => record,
                _ => continue,
            };
            // What Streams has written has a number of its own.
            let Some(sent) = sent.get(&record) else {
                continue;
            };
            checked += 1;
            if checked % 7 == 1 {
                let past = causality.past(step);
                let known = sent.iter().any(|it| past.contains(*it));
                assert!(known, "{name}: step {step} knows of {record} from nowhere");
                processed += 1;
            }
        }
    });
    assert!(processed > 300, "{processed} of them");
}

#[test]
fn a_checkpoint_has_its_trigger_and_all_its_snapshots_in_its_past() {
    let mut completed = 0;
    each_story(|name, _, diagram| {
        let causality = Causality::of(diagram);
        for front in &diagram.fronts {
            let id = front.checkpoint;
            for (step, event) in steps(diagram) {
                let of = match *event {
                    Event::SnapshotAcknowledged { checkpoint, .. }
                    | Event::CheckpointDeclined { checkpoint, .. } => checkpoint,
                    _ => continue,
                };
                if of == id {
                    let known = causality.past(step).contains(front.triggered);
                    assert!(known, "{name}: {event:?} in step {step}");
                }
            }
            let Some((end, true)) = front.ended else {
                continue;
            };
            let past = causality.past(end);
            for (lane, cut) in &front.cuts {
                assert!(
                    past.contains(*cut),
                    "{name}: checkpoint {id} without lane {lane}"
                );
            }
            completed += 1;
        }
    });
    assert!(completed > 100, "{completed} checkpoints");
}

/// The records that a checkpoint would count twice or not at all: received before the receiver's cut, though sent
/// behind the sender's.
fn crossing(diagram: &Diagram, checkpoint: CheckpointId) -> usize {
    let front = diagram
        .fronts
        .iter()
        .find(|front| front.checkpoint == checkpoint);
    let cuts = &front.expect("a checkpoint").cuts;
    let cut = |lane: LaneId| {
        cuts.iter()
            .find(|(it, _)| *it == lane)
            .map(|(_, step)| *step)
    };
    let messages = diagram.messages.iter();
    let crossing = messages.filter(|message| {
        let is_record = matches!(message.what, TokenKind::Record(_));
        match (cut(message.from), cut(message.to), message.end) {
            (Some(from), Some(to), End::Received(step)) => {
                is_record && from < message.sent && step < to
            }
            _ => false,
        }
    });
    crossing.count()
}

#[test]
fn the_front_of_an_exactly_once_checkpoint_is_a_consistent_cut() {
    let slow = scenario("slow-join.json");
    for (barriers, consistent) in [
        (Barriers::Aligned, true),
        (Barriers::Unaligned, true),
        (Barriers::AtLeastOnce, false),
    ] {
        let run = barrierscope_core::start(barriers.apply(slow.clone())).expect("it makes sense");
        let diagram = run.diagram();
        let completed = diagram.fronts.iter();
        let completed = completed.filter(|it| matches!(it.ended, Some((_, true))));
        let crossing: Vec<usize> = completed
            .map(|it| crossing(&diagram, it.checkpoint))
            .collect();
        assert!(!crossing.is_empty(), "{barriers:?} completes some");
        let is_consistent = crossing.iter().all(|records| *records == 0);
        assert_eq!(is_consistent, consistent, "{barriers:?}: {crossing:?}");
        let aligned = diagram.bars.iter();
        let mut aligned = aligned.filter(|bar| matches!(bar.kind, BarKind::Alignment(_)));
        assert!(
            aligned.any(|bar| bar.from.step < bar.to.step),
            "{barriers:?}: it takes time"
        );
    }
}

#[test]
fn nobody_commits_without_knowing_of_every_vote() {
    let mut decisions = 0;
    each_story(|name, _, diagram| {
        let causality = Causality::of(diagram);
        let mut votes = Vec::new();
        for (step, event) in steps(diagram) {
            match event {
                Event::Votes(VotesEvent::Voted {
                    vote: Vote::Commit, ..
                }) => votes.push(step),
                Event::Votes(VotesEvent::Decided {
                    decision: Decision::Commit,
                    ..
                }) => {
                    let past = causality.past(step);
                    let known = votes.iter().all(|vote| past.contains(*vote));
                    assert!(known, "{name}: commit in step {step}");
                    decisions += 1;
                }
                _ => {}
            }
        }
    });
    assert!(decisions > 2, "{decisions} decisions");
}

#[test]
fn concurrent_sources_know_nothing_of_each_other_before_the_first_message() {
    let run = barrierscope_core::start(story(DeliveryGuarantee::ExactlyOnce)).expect("a story");
    let diagram = run.diagram();
    let causality = Causality::of(&diagram);
    let first = |lane: u16| {
        let mut steps = 1..=diagram.last();
        let own = steps.find(|it| diagram.lanes_of(*it) == [LaneId(lane)]);
        own.expect("each source does something")
    };
    let (one, other) = (first(0), first(1));
    let (earlier, later) = (one.min(other), one.max(other));
    assert!(
        !causality.past(later).contains(earlier),
        "{earlier} and {later} are concurrent"
    );
}

#[test]
fn a_long_run_has_a_diagram_too() {
    let run = barrierscope_core::start(long(DeliveryGuarantee::ExactlyOnce, 20_000));
    let diagram = run.expect("it makes sense").diagram();
    assert_eq!(diagram.last(), 20_000);
    let causality = Causality::of(&diagram);
    assert!(causality.past(20_000).len() > 1_000);
    assert!(causality.causes(20_000).iter().all(|cause| *cause < 20_000));
}
