//! Every public fault report comes out as reported, without its fix and with it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use std::path::PathBuf;

use barrierscope_tests::cases;

#[test]
fn every_report_comes_out_as_reported() {
    let outcomes = cases::run().expect("the files are there");
    let wrong = outcomes.iter().filter(|outcome| !outcome.agrees()).count();
    assert_eq!(wrong, 0, "\n{}", cases::table(&outcomes));
    assert_eq!(outcomes.len(), 25);
}

/// What happens on the way, event by event: `BLESS=1 cargo test -p barrierscope-tests --test cases` writes the
/// files anew.
#[test]
fn every_report_happens_in_the_same_way() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/cases/traces"));
    for outcome in cases::run().expect("the files are there") {
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
