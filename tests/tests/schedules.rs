//! Whatever breaks in Kafka's clients, brokers and coordinators: configurations that promise exactly once
//! lose nothing and double nothing, on the way and in the end, and every run ends. For each configuration
//! that promises less there is a schedule that shows it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::mark::Ending;
use barrierscope_core::models::delivery::matrix;
use barrierscope_tests::delivery::{Configuration, scenario};

/// Schedules for each configuration that promises exactly once.
const SCHEDULES: u64 = 10_000;
/// One schedule in so many is looked at step by step.
const CLOSELY: u64 = 20;

#[test]
fn what_promises_exactly_once_keeps_it() {
    for configuration in Configuration::EXACT {
        for seed in 0..SCHEDULES {
            let scenario = scenario(configuration, seed);
            let json = scenario.to_json();
            if seed % CLOSELY == 0 {
                let mut run = barrierscope_core::start(scenario).expect("it makes sense");
                assert_eq!(
                    run.ending(),
                    Ending::Done,
                    "{configuration:?} {seed}\n{json}"
                );
                let last = run.last();
                for step in (0..last).step_by(last / 20 + 1) {
                    run.go_to(step);
                    let verdict = run.verdict();
                    let wrong = (verdict.lost, verdict.doubled);
                    assert_eq!(wrong, (0, 0), "{configuration:?} {seed}, {step}\n{json}");
                    let _ = (run.scene(), run.choices());
                }
                continue;
            }
            let (verdict, _) = matrix::run(&scenario).expect("it makes sense");
            assert!(verdict.done, "{configuration:?} {seed} ends\n{json}");
            let wrong = (verdict.lost, verdict.doubled, verdict.stuck);
            assert_eq!(wrong, (0, 0, 0), "{configuration:?} {seed}\n{json}");
            // A transactional producer may be told that it is fenced: it knows, and nothing is wrong.
            let told = configuration == Configuration::Transactional;
            assert!(
                told || verdict.failed == 0,
                "{configuration:?} {seed}\n{json}"
            );
        }
    }
}

#[test]
fn what_promises_less_can_be_broken() {
    for (configuration, weakness) in Configuration::WEAKER {
        let broken = (0..SCHEDULES).find(|seed| {
            let (verdict, _) =
                matrix::run(&scenario(configuration, *seed)).expect("it makes sense");
            weakness.shows(&verdict)
        });
        let seed = broken.unwrap_or_else(|| panic!("{configuration:?} shows no {weakness:?}"));
        println!("{configuration:?}: {weakness:?} with seed {seed}");
    }
}
