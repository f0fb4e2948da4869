//! Which faults a search tries can be said by kind and by node.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::explorer::Settings;
use barrierscope_core::models::faults::{FaultKind, Selection};
use barrierscope_core::models::search::fault_nodes;
use barrierscope_core::scenario::{DeliveryGuarantee, Story};
use barrierscope_core::search_with;
use barrierscope_tests::promises::producer;
use barrierscope_tests::scenarios::small;

const ALL: &str = r#"{ "acks": "all", "enable.idempotence": false }"#;

fn selection(kinds: &[FaultKind], nodes: &[&str]) -> Selection {
    Selection {
        kinds: kinds.to_vec(),
        nodes: nodes.iter().map(|it| it.to_string()).collect(),
    }
}

/// The name of the promise that is broken with one of these faults, if one is.
fn broken(story: &Story, faults: &Selection) -> Option<&'static str> {
    let settings = Settings {
        faults: Some(1),
        ..Settings::default()
    };
    let story = faults.prepare(story.clone(), 1);
    let mut search = search_with(story, settings, faults).unwrap();
    while search.step(100_000).status.is_running() {}
    let found = search.counterexample();
    assert!(found.is_some() || search.progress().is_exhausted());
    found.map(|it| search.properties()[it.property as usize].name)
}

#[test]
fn only_what_is_named_happens() {
    let story = producer(1, ALL);
    // A lost request is sent again; a lost answer has the batch sent twice.
    let [request, answer] = [FaultKind::LostRequest, FaultKind::LostAcknowledgement];
    assert_eq!(broken(&story, &selection(&[request], &[])), None);
    let doubled = Some("nothing is doubled");
    assert_eq!(broken(&story, &selection(&[answer], &[])), doubled);
    assert_eq!(
        broken(&story, &selection(&[request, answer], &["P"])),
        doubled
    );
    // Answers are lost at the client, not at the broker.
    assert_eq!(broken(&story, &selection(&[answer], &["broker-1"])), None);
    assert_eq!(broken(&story, &Selection::default()), doubled);
}

#[test]
fn a_kind_that_is_named_has_a_budget() {
    let story = Story::from(small(DeliveryGuarantee::ExactlyOnce, 1, 1, 0));
    let notifications = selection(&[FaultKind::LostNotification], &["sink[0]"]);
    let Story::Pipeline(prepared) = notifications.prepare(story, 2) else {
        panic!("it is a pipeline");
    };
    assert_eq!(prepared.faults.max_lost_notifications, 2);
}

#[test]
fn what_there_is_not_is_told_with_what_there_is() {
    let story = producer(1, ALL);
    let refused = |faults: &Selection| {
        let story = faults.prepare(story.clone(), 1);
        let error = search_with(story, Settings::default(), faults)
            .err()
            .unwrap();
        error.to_string()
    };
    let message = refused(&selection(&[FaultKind::FailedSnapshot], &[]));
    assert!(message.starts_with("faults.kinds[0]"), "{message}");
    assert!(message.contains("lost-acknowledgement"), "{message}");
    let message = refused(&selection(&[], &["P", "broker-2"]));
    assert!(message.starts_with("faults.nodes[1]"), "{message}");
    assert!(message.contains("broker-1"), "{message}");
    assert!(
        fault_nodes(story.clone())
            .unwrap()
            .contains(&"P".to_string())
    );
    for kind in FaultKind::ALL {
        assert_eq!(FaultKind::of_word(kind.word()), Some(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.word());
    }
}
