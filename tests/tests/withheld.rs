//! What may not happen is not among what may, and the reason is what the stage shows.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use barrierscope_core::scenario::Story;
use barrierscope_core::scene::votes::VotesChoice;
use barrierscope_core::scene::{
    Choice, Deed, Facts, Health, KafkaChoice, Scene, TokenKind, Why, WireKind, Withheld,
};

fn stories() -> Vec<(String, Story)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let mut found = Vec::new();
    for folder in [root.clone(), root.join("cases")] {
        for entry in fs::read_dir(&folder).expect("the folder of scenarios") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|kind| kind == "json") {
                let json = fs::read_to_string(&path).expect("a file");
                // The lists of reports and lessons are no scenarios.
                if let Ok(story) = Story::from_json(&json) {
                    found.push((path.display().to_string(), story));
                }
            }
        }
    }
    found
}

/// What the reason is in one word, for counting.
fn word(why: &Why) -> String {
    let all = format!("{why:?}");
    all.split([' ', '(']).next().unwrap_or_default().to_owned()
}

/// Whether a choice does what is withheld.
fn does(choice: &Choice, withheld: &Withheld) -> bool {
    let node = withheld.node;
    match (*choice, withheld.what) {
        (Choice::Emit { source, record }, Deed::Emit(other)) => (source, record) == (node, other),
        (
            Choice::Take {
                subtask, channel, ..
            },
            Deed::Take { channel: other, .. },
        ) => (subtask, channel) == (node, other),
        (Choice::Trigger { coordinator, .. }, Deed::Trigger(_)) => coordinator == node,
        (Choice::Kafka(KafkaChoice::Send { client, .. }), Deed::Send(_)) => client == node,
        (
            Choice::Kafka(KafkaChoice::Transmit {
                client, partition, ..
            }),
            Deed::Transmit {
                partition: other, ..
            },
        ) => (client, partition) == (node, other),
        (Choice::Kafka(KafkaChoice::Poll { client }), Deed::Poll { .. }) => client == node,
        (
            Choice::Votes(VotesChoice::Send { from, to, message }),
            Deed::SendMessage {
                to: other,
                message: said,
            },
        ) => (from, to, message) == (node, other, said),
        _ => false,
    }
}

/// Whether the stage shows the reason.
fn is_shown(scene: &Scene, withheld: &Withheld) -> bool {
    let of = |id| scene.nodes.iter().find(|node| node.id == id);
    let Some(node) = of(withheld.node) else {
        return false;
    };
    match (&withheld.what, &withheld.why) {
        (Deed::Take { channel, .. }, Why::BlockedBy { checkpoint, .. }) => {
            scene.links.iter().any(|wire| {
                let is_it =
                    matches!(wire.kind, WireKind::Channel { number, .. } if number == *channel);
                wire.to == node.id && is_it && wire.blocked_by == Some(*checkpoint)
            })
        }
        (Deed::Complete(id), Why::Acknowledgements(missing)) => match &node.facts {
            Facts::Coordinator { pending, .. } => {
                let pending = pending.iter().find(|it| it.checkpoint == *id);
                let under_way = scene.links.iter().flat_map(|wire| &wire.tokens);
                let under_way = under_way
                    .filter(|token| matches!(token.kind, TokenKind::Snapshot(of, _) if of == *id));
                let stored = pending.map(|it| it.acknowledged as usize + under_way.count());
                pending
                    .zip(stored)
                    .is_some_and(|(it, stored)| missing.len() + stored == it.subtasks as usize)
            }
            _ => false,
        },
        (Deed::Decide(_), Why::Votes(missing)) => match &node.facts {
            Facts::Committer(view) => {
                let open = view.votes.iter().filter(|(_, vote)| vote.is_none());
                open.map(|(node, _)| *node).eq(missing.iter().copied())
            }
            _ => false,
        },
        (_, Why::Down) => node.health != Health::Running,
        (_, Why::Paused) => node.health == Health::Paused,
        _ => true,
    }
}

#[test]
fn what_is_withheld_is_not_enabled_and_its_reason_is_shown() {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for (name, story) in stories() {
        let mut run = barrierscope_core::start(story).expect("it makes sense");
        for step in (0..=run.last()).step_by(13) {
            run.go_to(step);
            let (choices, scene) = (run.choices(), run.scene());
            for withheld in run.withheld() {
                let done = choices.iter().find(|choice| does(choice, &withheld));
                assert_eq!(done, None, "{name}, step {step}: {withheld:?}");
                assert!(
                    is_shown(&scene, &withheld),
                    "{name}, step {step}: {withheld:?}"
                );
                *reasons.entry(word(&withheld.why)).or_default() += 1;
            }
        }
    }
    for reason in [
        "BlockedBy",
        "NoBuffer",
        "NoCredit",
        "StoppedBehind",
        "Down",
        "Acknowledgements",
        "Completion",
        "UnderWay",
        "Engaged",
        "Outstanding",
        "Unstable",
        "Busy",
        "Votes",
        "Decision",
        "Log",
    ] {
        assert!(
            reasons.contains_key(reason),
            "{reason} never comes: {reasons:?}"
        );
    }
}

#[test]
fn whoever_stands_at_a_closed_gate_is_told_so() {
    let mut gates = 0;
    for (name, story) in stories() {
        let mut run = barrierscope_core::start(story).expect("it makes sense");
        for step in (0..=run.last()).step_by(29) {
            run.go_to(step);
            let (scene, withheld) = (run.scene(), run.withheld());
            for wire in &scene.links {
                let WireKind::Channel { number, .. } = wire.kind else {
                    continue;
                };
                if wire.blocked_by.is_none() || wire.tokens.is_empty() {
                    continue;
                }
                let told = withheld.iter().any(|it| {
                    it.node == wire.to
                        && matches!(it.what, Deed::Take { channel, .. } if channel == number)
                });
                assert!(told, "{name}, step {step}: {wire:?}");
                gates += 1;
            }
        }
    }
    assert!(gates > 50, "{gates} closed gates");
}
