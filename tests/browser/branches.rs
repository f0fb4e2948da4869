//! The tree of branches: made, left, found again, closed, brought back.

use serde_json::json;
use thirtyfour::prelude::*;

use crate::harness::{Page, Setup};
use crate::layout::MISFITS;

const COUNT: &str = "return document.querySelectorAll('[data-testid=run]').length";
/// The row of the run that is looked at.
const CURRENT: &str = "return [...document.querySelectorAll('[data-testid=run]')].findIndex(row => row.ariaCurrent === 'true')";

#[tokio::test]
async fn a_branch_is_made_left_and_found_again() {
    let page = Page::open().await;
    page.go_to(200).await;
    assert!(
        page.ask("return document.querySelector('[data-testid=runs]').hidden")
            .await
            == json!(true),
        "one run alone takes no room"
    );
    page.click("crash-total[0]").await;
    page.wait_for_step(201).await;
    page.until("there are two", &format!("{COUNT} === 2")).await;
    let branch = page.ask("return window.barrierscope.fingerprint()").await;
    let name = page
        .ask("return document.querySelectorAll('[data-testid=run]')[1].textContent")
        .await;
    let name = name.as_str().unwrap_or_default().to_owned();
    assert!(name.contains("total 1/2") && name.contains("200"), "{name}");

    // Another one, of the same run at an earlier step.
    page.click("run").await;
    page.until("the first run is looked at", &format!("{CURRENT} === 0"))
        .await;
    page.go_to(100).await;
    page.press("c").await;
    page.until("there are three", &format!("{COUNT} === 3"))
        .await;
    page.until(
        "the newer one comes first: it leaves earlier",
        &format!("{CURRENT} === 1"),
    )
    .await;
    page.picture("branches").await;
    assert_eq!(page.ask(MISFITS).await, json!([]));

    // By keyboard to the one that was left; its future is as it was.
    page.press("]").await;
    page.until("it is found again", &format!("{CURRENT} === 2"))
        .await;
    page.go_to(201).await;
    assert_eq!(
        page.ask("return window.barrierscope.fingerprint()").await,
        branch
    );

    // In the tree itself: up to the first run, and Delete on a branch.
    page.ask("document.querySelector('[data-testid=run][aria-current=true]').focus()")
        .await;
    page.press(Key::Left).await;
    page.press(Key::Enter).await;
    page.until("the first run is looked at", &format!("{CURRENT} === 0"))
        .await;
    page.press(Key::Down).await;
    page.press(Key::Delete).await;
    page.until("it is closed", &format!("{COUNT} === 2")).await;
    page.click("undo").await;
    page.until("it is back", &format!("{COUNT} === 3")).await;
    page.close().await;
}

#[tokio::test]
async fn the_tree_leaves_room_on_a_phone() {
    let page = Page::open_with(Setup {
        width: 390,
        height: 844,
        fragment: "step=120".to_owned(),
        ..Setup::default()
    })
    .await;
    page.press("1").await;
    page.until("there are two", &format!("{COUNT} === 2")).await;
    page.picture("branches-390").await;
    assert_eq!(page.ask(MISFITS).await, json!([]));
    page.click("close-run").await;
    page.until("it is closed", &format!("{COUNT} === 1")).await;
    page.close().await;
}

#[tokio::test]
async fn what_may_not_happen_is_there_with_its_reason() {
    let page = Page::open().await;
    page.pause().await;
    // To a blocked channel.
    page.press(Key::Home).await;
    page.press_with_shift(Key::Right).await;
    const SAYS: &str = "const all = [...document.querySelectorAll('[data-testid=withheld]')].map(it => it.textContent);
         return all.some(text => text.includes('blocked by barrier 1'))
             && all.some(text => text.includes('waits for the acknowledgements of'));";
    for _ in 0..90 {
        if page.ask(SAYS).await == json!(true) {
            break;
        }
        let next = page.step().await + 1;
        page.go_to(next).await;
    }
    page.until("it says what blocks", SAYS).await;
    page.visit("model=votes&step=12&lang=zh").await;
    page.until(
        "so in two-phase commit",
        "return [...document.querySelectorAll('[data-testid=withheld]')].some(it => /等待|只有/.test(it.textContent))",
    )
    .await;
    page.close().await;
}
