//! Every public fault report comes out as reported, without its fix and with it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use std::path::PathBuf;

use barrierscope_tests::cases::{self, Outcome, Words};

/// The cases that have a scenario: `cargo xtask gallery` counts the others as failed.
fn outcomes() -> Vec<Outcome> {
    let mut outcomes = cases::run().expect("the files make sense");
    outcomes.retain(|outcome| outcome.without.is_some());
    outcomes
}

#[test]
fn every_report_comes_out_as_reported() {
    let outcomes = outcomes();
    let wrong = outcomes.iter().filter(|outcome| !outcome.agrees()).count();
    assert_eq!(wrong, 0, "\n{}", cases::table(&outcomes));
    assert_eq!(outcomes.len(), 44, "a report has no scenario");
}

/// The list is that of the public reports, with nothing left out.
#[test]
fn all_44_reports_are_listed_once() {
    let all = cases::all().expect("the list makes sense");
    let mut short: Vec<&str> = (all.iter())
        .filter_map(|case| case.id.split('-').next())
        .collect();
    let systems = ["KP", "KC", "KT", "KS", "F"].map(|system| {
        let of_it = |id: &&&str| id.trim_end_matches(|c: char| c.is_ascii_digit()) == system;
        short.iter().filter(of_it).count()
    });
    assert_eq!(systems, [7, 8, 9, 1, 19]);
    short.sort_unstable();
    short.dedup();
    assert_eq!(short.len(), 44, "an id is there twice");
}

#[test]
fn every_report_is_told_in_both_languages() {
    let is_chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    for case in cases::all().expect("the list makes sense") {
        let (en, zh) = (&case.en, &case.zh);
        let parts = |words: &Words| {
            [
                ("title", words.title.clone()),
                ("source", words.source.clone()),
                ("versions", words.versions.clone()),
                ("wrong", words.wrong.clone()),
                ("why", words.why.clone()),
                ("fix", words.fix.clone()),
                ("note", words.note.clone().unwrap_or_default()),
            ]
        };
        for ((part, en), (_, zh)) in parts(en).into_iter().zip(parts(zh)) {
            let is_there = !en.is_empty() && !zh.is_empty();
            let id = &case.id;
            assert!(is_there || part == "note" && en == zh, "{id}: {part}");
            assert!(!is_chinese(&en), "{id}: {part} is not English");
            // Names of tickets are the same in both.
            let may_be_the_same = ["source", "note"].contains(&part);
            assert!(
                may_be_the_same || is_chinese(&zh),
                "{id}: {part} is not Chinese"
            );
            if ["wrong", "why", "fix"].contains(&part) {
                assert!(en.ends_with('.'), "{id}: {part} is a sentence");
                assert!(
                    zh.ends_with('。') || zh.ends_with('）'),
                    "{id}: {part} is a sentence"
                );
            }
        }
    }
}

/// What happens on the way, event by event: `BLESS=1 cargo test -p barrierscope-tests --test cases` writes the
/// files anew.
#[test]
fn every_report_happens_in_the_same_way() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/cases/traces"));
    for outcome in outcomes() {
        let found = cases::trace(&outcome.case).expect("the file is there");
        let path = folder.join(format!("{}.txt", outcome.case.id));
        if std::env::var_os("BLESS").is_some() {
            std::fs::create_dir_all(&folder).expect("the folder can be made");
            std::fs::write(&path, found).expect("the file can be written");
            continue;
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        for (found, expected) in found.lines().zip(expected.lines()) {
            assert_eq!(found, expected, "{}", path.display());
        }
        assert_eq!(found.lines().count(), expected.lines().count());
    }
}
