//! What is said of the statements in `scenarios/claims.json` is what searches find.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_tests::claims::{all, decide};

#[test]
fn every_statement_is_what_it_is_said_to_be() {
    let claims = all();
    assert!(claims.len() >= 18, "there are only {}", claims.len());
    let mut wrong = Vec::new();
    for claim in &claims {
        let decided = decide(claim);
        if !decided.is_as_expected(claim) {
            wrong.push(format!("{}: {decided:?}", claim.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
