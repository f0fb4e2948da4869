//! Going back and forth in a run changes nothing in it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::scenario::DeliveryGuarantee::{AtLeastOnce, ExactlyOnce};
use barrierscope_core::scene::Choice;
use barrierscope_tests::scenarios::{long, story};

#[test]
fn one_back_and_one_forward_is_where_one_was() {
    for sink in [AtLeastOnce, ExactlyOnce] {
        let mut run = barrierscope_core::start(story(sink)).expect("the story makes sense");
        for step in 1..=run.last() {
            run.go_to(step);
            let (here, events) = (run.fingerprint(), run.events());
            run.go_to(step - 1);
            let before = run.fingerprint();
            run.go_to(step);
            assert_eq!(run.fingerprint(), here, "step {step}");
            assert_eq!(run.events(), events, "step {step}");
            assert!(!events.is_empty(), "step {step} reports what it did");
            assert_ne!(before, here, "step {step} changes something");
        }
    }
}

#[test]
fn jumping_finds_what_walking_finds() {
    let mut walked = barrierscope_core::start(long(ExactlyOnce, 20_000)).expect("it makes sense");
    let mut jumped = barrierscope_core::start(long(ExactlyOnce, 20_000)).expect("it makes sense");
    assert_eq!(walked.last(), 20_000);
    let mut hashes = vec![walked.fingerprint()];
    for step in 1..=walked.last() {
        walked.go_to(step);
        hashes.push(walked.fingerprint());
    }
    let mut step = 7;
    for _ in 0..500 {
        step = step * 7_919 % 20_001;
        jumped.go_to(step);
        assert_eq!(jumped.fingerprint(), hashes[step], "step {step}");
    }
}

#[test]
fn a_branch_shares_the_past_and_leaves_the_run_alone() {
    let mut run = barrierscope_core::start(story(ExactlyOnce)).expect("the story makes sense");
    let last = run.last();
    run.go_to(300);
    let past = run.fingerprint();
    let crash = run
        .choices()
        .into_iter()
        .find(|choice| matches!(choice, Choice::Crash { .. }))
        .expect("a subtask may crash");
    let mut branch = run.branch(crash).expect("it is enabled");
    assert_eq!(branch.at(), 301);
    assert_eq!(run.last(), last);
    branch.go_to(300);
    assert_eq!(branch.fingerprint(), past);
    branch.go_to(branch.last());
    run.go_to(last);
    assert_ne!(branch.last(), run.last());
    assert_eq!(branch.verdict().total, run.verdict().total);
    branch.go_to(301);
    assert!(
        branch.branch(crash).is_err(),
        "what is down cannot crash again"
    );
}

#[test]
fn every_choice_at_every_step_can_be_taken() {
    let mut run = barrierscope_core::start(story(ExactlyOnce)).expect("the story makes sense");
    for step in (0..=run.last()).step_by(29) {
        run.go_to(step);
        for choice in run.choices() {
            let branch = run.branch(choice);
            assert!(branch.is_ok(), "step {step}: {choice:?}");
        }
    }
}
