//! The default story on the page: it runs by itself, and ends with the totals that the core computes.

use barrierscope_core::scenario::DeliveryGuarantee::{self, AtLeastOnce, ExactlyOnce};
use barrierscope_tests::scenarios::story;

use crate::harness::Page;

#[tokio::test]
async fn the_story_runs_by_itself() {
    let page = Page::open().await;
    page.until(
        "a record moves",
        "return performance.getEntriesByName('first-moving-record').length > 0",
    )
    .await;
    let before = page.step().await;
    page.until(
        "it goes on",
        &format!("return Number(document.documentElement.dataset.step) > {before} + 3"),
    )
    .await;
    page.close().await;
}

#[tokio::test]
async fn it_comes_up_each_time() {
    let page = Page::open().await;
    for _ in 0..8 {
        page.visit("").await;
    }
    page.close().await;
}

#[tokio::test]
async fn both_sinks_end_with_the_totals_of_the_core() {
    let page = Page::open().await;
    for (sink, name) in [
        (AtLeastOnce, "sink-at-least-once"),
        (ExactlyOnce, "sink-exactly-once"),
    ] {
        page.pause().await;
        page.click(name).await;
        let mut run = barrierscope_core::start(story(sink)).expect("the story makes sense");
        run.go_to(run.last());
        page.until(
            "the run of this sink is there",
            &format!("return window.barrierscope.last() === {}", run.last()),
        )
        .await;
        page.go_to(run.last()).await;
        let verdict = run.verdict();
        let shown = page.attribute("dashboard-total", "data-value").await;
        assert_eq!(shown, verdict.total.to_string());
        for (attribute, value) in [
            ("data-visible", verdict.visible),
            ("data-lost", verdict.lost),
            ("data-doubled", verdict.doubled),
        ] {
            assert_eq!(
                page.attribute("verdict", attribute).await,
                value.to_string()
            );
        }
        match sink {
            ExactlyOnce => assert_eq!(shown, "1991379"),
            // The story has no brokers, so there is no third one.
            DeliveryGuarantee::None | AtLeastOnce => {
                assert!(verdict.total > 2_000_000);
                let (key, _) = run
                    .record(verdict.witnesses[0].record)
                    .expect("it is named");
                page.click("name-witnesses").await;
                let words = page.text("verdict").await;
                assert!(words.contains(key), "{key} is named in: {words}");
            }
        }
    }
    page.close().await;
}

#[tokio::test]
async fn every_step_back_and_forward_is_where_one_was() {
    let page = Page::open().await;
    page.pause().await;
    let differences = page
        .ask(
            "const b = window.barrierscope, wrong = [];
             for (let n = 1; n <= b.last(); n++) {
                 b.goTo(n); const here = b.fingerprint();
                 b.goTo(n - 1); const before = b.fingerprint();
                 b.goTo(n);
                 if (b.fingerprint() !== here || before === here) wrong.push(n);
             }
             return wrong;",
        )
        .await;
    assert_eq!(differences, serde_json::json!([]));
    page.close().await;
}

#[tokio::test]
async fn the_page_has_the_states_of_the_core() {
    let page = Page::open().await;
    page.pause().await;
    let mut run = barrierscope_core::start(story(AtLeastOnce)).expect("the story makes sense");
    for step in (0..=run.last()).step_by(41) {
        run.go_to(step);
        page.go_to(step).await;
        let shown = page.ask("return window.barrierscope.fingerprint()").await;
        assert_eq!(shown, format!("{:016x}", run.fingerprint()), "step {step}");
    }
    page.close().await;
}

#[tokio::test]
async fn after_the_first_visit_it_works_without_a_network() {
    let page = Page::open().await;
    page.until(
        "all files are kept",
        "return !!(navigator.serviceWorker && navigator.serviceWorker.controller)
            || (navigator.serviceWorker.ready.then(() => window.kept = true), window.kept === true)",
    )
    .await;
    page.cdp("Network.enable", serde_json::json!({})).await;
    page.cdp(
        "Network.emulateNetworkConditions",
        serde_json::json!({"offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}),
    )
    .await;
    page.visit("").await;
    page.until(
        "it goes on",
        "return Number(document.documentElement.dataset.step) > 3",
    )
    .await;
    page.close_whatever_went_wrong().await;
}
