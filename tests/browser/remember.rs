//! What the browser keeps from visit to visit; and what is left when the program makes a mistake.

use serde_json::{Value, json};

use crate::harness::{Page, Setup};

#[tokio::test]
async fn the_last_scenario_is_there_again_until_one_starts_afresh() {
    let page = Page::open().await;
    page.click("sink-exactly-once").await;
    page.pause().await;
    page.until(
        "the address has it",
        "return location.hash.includes('exactly-once')",
    )
    .await;
    page.visit("").await;
    page.until(
        "it is there again",
        "return location.hash.includes('sink=exactly-once')",
    )
    .await;
    // A link is stronger than a memory.
    page.visit("model=votes&step=3").await;
    page.wait_for_step(3).await;
    page.visit("").await;
    page.until(
        "the last one is there",
        "return location.hash.includes('model=votes')",
    )
    .await;
    page.press("s").await;
    page.click("afresh").await;
    page.until(
        "it is as for the first time",
        "return !location.hash.includes('model=votes') && window.barrierscope.last() > 300",
    )
    .await;
    page.close().await;
}

#[tokio::test]
async fn garbage_and_refusal_do_no_harm() {
    let page = Page::open().await;
    for garbage in [
        "{",
        "null",
        "{\"address\": \"model=nothing&x\"}",
        "{\"scenario\": \"{\"}",
    ] {
        page.ask(&format!(
            "localStorage.setItem('barrierscope:1', {})",
            json!(garbage)
        ))
        .await;
        page.visit("").await;
        page.until(
            "the default story is there",
            "return window.barrierscope.last() > 300",
        )
        .await;
        assert_eq!(
            page.ask("return !!document.querySelector('[role=alert]')")
                .await,
            json!(false),
            "{garbage}"
        );
    }
    // A browser that keeps nothing, and says so by throwing.
    page.cdp(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({"source": "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError') }})"}),
    )
    .await;
    page.visit("step=20").await;
    page.wait_for_step(20).await;
    page.close().await;
}

#[tokio::test]
async fn after_a_mistake_the_run_can_be_saved_and_opened_again() {
    let page = Page::open_with(Setup {
        fragment: "sink=exactly-once&step=200".to_owned(),
        ..Setup::default()
    })
    .await;
    page.pause().await;
    page.click("crash-total[1]").await;
    page.wait_for_step(201).await;
    let print = page.ask("return window.barrierscope.fingerprint()").await;
    page.ask("try { window.barrierscope.panic() } catch (_) {}")
        .await;
    page.find("panic").await;
    page.picture("panic").await;
    assert_eq!(
        page.ask("return document.querySelectorAll('.panic').length")
            .await,
        json!(1),
        "one message, not two"
    );
    let run = page
        .ask("return decodeURIComponent(document.querySelector('.panic a[download]').href.split(',').slice(1).join(','))")
        .await;
    let run = run.as_str().expect("text").to_owned();
    let parsed: Value = serde_json::from_str(&run).expect("it is JSON");
    assert_eq!(parsed["step"], 201);
    page.visit("model=votes").await;
    page.ask(&format!("return window.barrierscope.open({})", json!(run)))
        .await;
    page.wait_for_step(201).await;
    assert_eq!(
        page.ask("return window.barrierscope.fingerprint()").await,
        print
    );
    page.close_whatever_went_wrong().await;
}
