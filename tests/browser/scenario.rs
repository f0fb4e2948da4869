//! Scenarios and addresses from outside: good ones are opened, bad ones explained.

use barrierscope_core::scenario::DEFAULT_STORY;

use crate::harness::Page;

/// Drops a file on the page.
async fn drop_file(page: &Page, text: &str) {
    let script = format!(
        "const data = new DataTransfer();
         data.items.add(new File([{}], 'scenario.json', {{type: 'application/json'}}));
         const target = document.querySelector('[data-testid=app]');
         for (const kind of ['dragenter', 'dragover', 'drop'])
             target.dispatchEvent(new DragEvent(kind, {{dataTransfer: data, bubbles: true, cancelable: true}}));",
        serde_json::to_string(text).expect("text is JSON")
    );
    page.ask(&script).await;
}

#[tokio::test]
async fn a_bad_scenario_is_explained_and_nothing_is_lost() {
    let page = Page::open().await;
    page.go_to(123).await;
    let last = page.last().await;
    for (from, to, said) in [
        (
            "\"parallelism\": 2",
            "\"parallelism\": 0",
            "job.vertices[0].parallelism",
        ),
        (
            "\"kind\": \"source\"",
            "\"kind\": \"spring\"",
            "job.vertices[0].operator.kind",
        ),
        (
            "{ \"from\": \"total\", \"to\": \"sink\"",
            "{ \"from\": \"total\", \"to\": \"total\"",
            "circle",
        ),
        ("{", "", "line 2"),
    ] {
        drop_file(&page, &DEFAULT_STORY.replacen(from, to, 1)).await;
        page.until(
            &format!("{said} is told"),
            &format!(
                "const a = document.querySelector('[role=alert]'); return !!a && a.textContent.includes({said:?})"
            ),
        )
        .await;
        assert_eq!((page.step().await, page.last().await), (123, last));
    }
    page.close().await;
}

#[tokio::test]
async fn a_good_scenario_is_opened() {
    let page = Page::open().await;
    let text = DEFAULT_STORY
        .replace("Two million that never were", "Three lanes")
        .replace("\"parallelism\": 2", "\"parallelism\": 3");
    drop_file(&page, &text).await;
    page.until(
        "its name is shown",
        "return document.body.textContent.includes('Three lanes')",
    )
    .await;
    page.until(
        "it has three sinks",
        "return !!document.querySelector('[data-testid=\"crash-sink[2]\"]')",
    )
    .await;
    page.close().await;
}

#[tokio::test]
async fn the_address_holds_the_state_of_the_page() {
    let page = Page::open().await;
    page.click("sink-exactly-once").await;
    page.go_to(321).await;
    page.until("the address has it", "return location.hash.includes('321')")
        .await;
    let fragment = page.ask("return location.hash.slice(1)").await;
    let print = page.ask("return window.barrierscope.fingerprint()").await;
    page.visit(fragment.as_str().expect("text")).await;
    page.wait_for_step(321).await;
    assert_eq!(
        page.ask("return window.barrierscope.fingerprint()").await,
        print
    );
    page.close().await;
}

#[tokio::test]
async fn a_branch_comes_back_by_its_link() {
    let page = Page::open().await;
    page.go_to(200).await;
    page.click("crash-total[1]").await;
    page.wait_for_step(201).await;
    page.go_to(260).await;
    page.until("the address has it", "return location.hash.includes('260')")
        .await;
    let fragment = page.ask("return location.hash.slice(1)").await;
    let print = page.ask("return window.barrierscope.fingerprint()").await;
    page.visit(fragment.as_str().expect("text")).await;
    page.wait_for_step(260).await;
    assert_eq!(
        page.ask("return window.barrierscope.fingerprint()").await,
        print
    );
    page.close().await;
}

#[tokio::test]
async fn a_bad_link_is_explained() {
    let page = Page::open().await;
    for fragment in [
        "step=many",
        "nonsense",
        "v=99",
        "%%%",
        "step=99999999999999999999",
    ] {
        page.visit(fragment).await;
        page.until(
            &format!("{fragment} is explained"),
            "const a = document.querySelector('[role=alert]'); return !!a && a.textContent.length > 20",
        )
        .await;
        assert!(page.last().await > 100, "the default story is there");
    }
    page.close_whatever_went_wrong().await;
}
