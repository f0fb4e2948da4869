//! A counterexample is a run that one can step through, and it shows what it is said to show.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use std::mem::discriminant;

use barrierscope_core::event::Event;
use barrierscope_core::explorer::Settings;
use barrierscope_core::models::faults::Selection;
use barrierscope_core::search;
use barrierscope_core::session::Session;
use barrierscope_tests::promises::{Case, cases};
use barrierscope_tests::searches::{on_threads, random};

fn settings(case: &Case) -> Settings {
    Settings {
        faults: Some(case.faults),
        ..Settings::default()
    }
}

/// Whether the property of this name is broken at the step at which one looks.
fn shows(run: &dyn Session, property: &str) -> bool {
    let verdict = run.verdict();
    match property {
        "nothing is lost" => verdict.lost > 0,
        "nothing is doubled" => verdict.doubled > 0,
        "no state counts a record wrongly" => verdict.miscounted > 0,
        "nothing is stuck" => verdict.stuck > 0,
        other => panic!("{other} is not broken anywhere"),
    }
}

#[test]
fn it_opens_in_the_stepper_at_the_step_that_breaks_the_promise() {
    let mut broken = 0;
    for case in cases() {
        let mut search = search(case.story.clone(), settings(&case)).unwrap();
        while search.step(50_000).status.is_running() {}
        let Some(found) = search.counterexample() else {
            continue;
        };
        broken += 1;
        let name = search.properties()[found.property as usize].name;
        let mut run = search.open(&found).unwrap();
        assert_eq!(run.at(), found.steps.len(), "{}", case.name);
        assert!(shows(&*run, name), "{}: {name}", case.name);
        // Step by step it is what was found, and no step before the last one breaks the promise.
        for (step, events) in (1..).zip(&found.steps) {
            run.go_to(step);
            // How long something takes is known to the stepper only.
            let kinds = |events: &[Event]| events.iter().map(discriminant).collect::<Vec<_>>();
            let stepped = kinds(&run.events());
            assert_eq!(stepped, kinds(events), "{}, step {step}", case.name);
            assert!(run.time(step) > run.time(step - 1));
            let last = step == found.steps.len();
            assert_eq!(shows(&*run, name), last, "{}, step {step}", case.name);
        }
        // And backwards.
        run.go_to(0);
        assert!(!shows(&*run, name), "{}", case.name);
    }
    assert!(broken >= 8, "only {broken} are broken");
}

#[test]
fn threads_and_chance_find_it_too() {
    let (mut by_chance, every) = (0, Selection::default());
    for case in cases() {
        let mut search = search(case.story.clone(), settings(&case)).unwrap();
        while search.step(50_000).status.is_running() {}
        let Some(found) = search.counterexample() else {
            continue;
        };
        let threads = on_threads(case.story.clone(), case.faults, &every, 1, None).unwrap();
        let length = threads.counterexample.map(|run| run.len());
        assert_eq!(length, Some(found.steps.len()), "{}", case.name);
        let chance = random(case.story.clone(), case.faults, &every, 400_000, 1 << 24).unwrap();
        // It may miss what needs one order of many.
        if let Some((_, run)) = chance.broken {
            by_chance += 1;
            assert!(run.len() >= found.steps.len(), "{}", case.name);
        }
    }
    assert!(by_chance >= 8, "chance has found only {by_chance}");
}
