//! The Explorer on published specifications: what it finds beside what is published.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::explorer::Settings;
use barrierscope_tests::answers::{PUBLISHED, search};
use barrierscope_tests::specs::{NAMES, Use, named};

#[test]
fn it_finds_what_is_published() {
    for answer in PUBLISHED {
        let settings = Settings {
            symmetry: answer.symmetry,
            ..Settings::default()
        };
        let found = search(answer.name, settings).unwrap();
        assert!(answer.agrees(&found), "{answer:?}\n{found:#?}");
    }
}

/// Lamport's formulas, and those of the orbits: as many as there are multisets of what a manager may be.
#[test]
fn two_phase_commit_has_as_many_states_as_the_formulas_say() {
    for n in 1..=6 {
        let name = format!("two-phase:{n}");
        let found = search(&name, Settings::default()).unwrap().progress;
        let power = |base: u64, to: u32| base.pow(to);
        let states = power(6, n) + power(4, n) + power(2, n);
        let n64 = u64::from(n);
        let generated = 2 + (n64 + 1) * power(4, n) + n64 * power(2, n) + 8 * n64 * power(6, n - 1);
        assert_eq!(
            (found.distinct, found.generated),
            (states, generated),
            "{n}"
        );
        assert_eq!(found.depth, 3 * n + 2);
    }
}

/// What is seen once for all equal states comes to the same verdict.
#[test]
fn symmetry_changes_no_verdict() {
    for answer in PUBLISHED.iter().filter(|it| !it.symmetry) {
        let [with, without] = [true, false].map(|symmetry| {
            let settings = Settings {
                symmetry,
                ..Settings::default()
            };
            search(answer.name, settings).unwrap()
        });
        let length = |run: &Option<Vec<String>>| run.as_ref().map(Vec::len);
        assert_eq!(
            length(&with.counterexample),
            length(&without.counterexample),
            "{}",
            answer.name
        );
        assert!(with.progress.distinct <= without.progress.distinct);
        assert_eq!(with.progress.depth, without.progress.depth);
    }
}

#[test]
fn a_name_that_is_none_is_told_what_there_is() {
    struct Nothing;
    impl Use for Nothing {
        type Out = ();
        fn with<S: barrierscope_tests::specs::Spec>(self, _spec: S) {}
    }
    for name in [
        "two-phase:0",
        "two-phase:10",
        "two-phase:x",
        "ladder:",
        "tcomit",
        "",
    ] {
        let error = named(name, Nothing).unwrap_err().to_string();
        for known in NAMES {
            assert!(error.contains(known), "{error}");
        }
    }
}
