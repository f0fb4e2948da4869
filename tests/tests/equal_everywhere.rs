//! The same figures natively and in WebAssembly: both are held against the same files.
#![allow(missing_docs)]

use barrierscope_tests::promises::PARTS;
use barrierscope_tests::{answers, golden, promises};

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::{wasm_bindgen_test as test, wasm_bindgen_test_configure};

#[cfg(target_arch = "wasm32")]
wasm_bindgen_test_configure!(run_in_browser);

fn hold(name: &str, found: &str, expected: &str) {
    #[cfg(not(target_arch = "wasm32"))]
    if std::env::var_os("BLESS").is_some() {
        let path = format!("{}/golden/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::write(path, found).expect("the file can be written");
        return;
    }
    for (found, expected) in found.lines().zip(expected.lines()) {
        assert_eq!(found, expected, "{name}");
    }
    assert_eq!(found.lines().count(), expected.lines().count(), "{name}");
}

#[test]
fn the_first_thousand_states_have_the_same_fingerprints() {
    hold(
        "fingerprints.txt",
        &golden::fingerprints(),
        include_str!("../golden/fingerprints.txt"),
    );
}

const WALKS: &str = include_str!("../golden/walks.txt");

/// Holds a part of the walks against as many lines of their file, from one on.
fn hold_walks(from: usize, found: &str) {
    #[cfg(not(target_arch = "wasm32"))]
    if std::env::var_os("BLESS").is_some() {
        // One of the parts writes all of them.
        if from == 0 {
            hold("walks.txt", &golden::walks(), WALKS);
        }
        return;
    }
    let expected: Vec<&str> = WALKS
        .lines()
        .skip(from)
        .take(found.lines().count())
        .collect();
    assert_eq!(found.lines().collect::<Vec<_>>(), expected, "walks.txt");
}

/// How many lines each way of taking checkpoints has.
const EACH: usize = 3;

#[test]
fn the_walk_counts_the_same_states_with_aligned_checkpoints() {
    hold_walks(0, &golden::walks_with(0));
}

#[test]
fn the_walk_counts_the_same_states_with_unaligned_checkpoints() {
    hold_walks(EACH, &golden::walks_with(1));
}

#[test]
fn the_walk_counts_the_same_states_with_a_timeout() {
    hold_walks(2 * EACH, &golden::walks_with(2));
}

#[test]
fn the_walk_counts_the_same_states_with_at_least_once_checkpoints() {
    hold_walks(3 * EACH, &golden::walks_with(3));
}

#[test]
fn the_walk_counts_the_same_states_with_other_faults() {
    let found = golden::walks_with_faults();
    assert_eq!(WALKS.lines().count(), 4 * EACH + found.lines().count());
    hold_walks(4 * EACH, &found);
}

#[test]
fn the_walk_through_two_phase_commit_counts_the_same_states() {
    hold(
        "votes.txt",
        &golden::votes_walks(),
        include_str!("../golden/votes.txt"),
    );
}

#[test]
fn deliveries_end_in_the_same_states() {
    hold(
        "deliveries.txt",
        &golden::deliveries(),
        include_str!("../golden/deliveries.txt"),
    );
}

#[test]
fn published_specifications_count_the_same_states() {
    hold(
        "answers.txt",
        &answers::table(),
        include_str!("../golden/answers.txt"),
    );
}

const PROMISES: &str = include_str!("../golden/promises.txt");

/// Holds a part of the promises against its lines of the file. A browser gives up on a page that is silent for half a
/// minute: each part is a test of its own.
fn hold_promises(at: usize) {
    let before = PARTS.iter().take(at).map(|part| part().len()).sum();
    #[cfg(not(target_arch = "wasm32"))]
    if std::env::var_os("BLESS").is_some() {
        // One of the parts writes all of them.
        if at == 0 {
            let all: String = PARTS.iter().map(|part| promises::table(*part)).collect();
            hold("promises.txt", &all, PROMISES);
        }
        return;
    }
    let found = promises::table(PARTS[at]);
    let expected = PROMISES.lines().skip(before).take(found.lines().count());
    assert_eq!(
        found.lines().collect::<Vec<_>>(),
        expected.collect::<Vec<_>>(),
        "promises.txt"
    );
}

#[test]
fn pipelines_keep_or_break_what_they_promise_in_the_same_way() {
    hold_promises(0);
}

#[test]
fn producers_keep_or_break_what_they_promise_in_the_same_way() {
    hold_promises(1);
}

#[test]
fn transactions_keep_or_break_what_they_promise_in_the_same_way() {
    hold_promises(2);
}

#[test]
fn consumers_keep_or_break_what_they_promise_in_the_same_way() {
    hold_promises(3);
}

#[test]
fn streams_keep_or_break_what_they_promise_in_the_same_way() {
    hold_promises(4);
}

#[test]
fn sinks_in_kafka_keep_or_break_what_they_promise_in_the_same_way() {
    hold_promises(5);
}

#[test]
fn two_phase_commit_keeps_or_breaks_what_it_promises_in_the_same_way() {
    assert_eq!(PROMISES.lines().count(), promises::cases().len());
    hold_promises(6);
}
