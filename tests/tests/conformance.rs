//! All conformance cases pass.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use std::path::Path;

use barrierscope_tests::conformance;

#[test]
fn every_case_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance");
    let report = conformance::run_folder(&folder).expect("the cases can be read");
    assert!(report.failures.is_empty(), "{report}");
    assert_eq!(report.passed, 90);
}
