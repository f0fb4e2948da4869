//! What a person does: keys, clicks, the scrubber, crashes, branches.

use thirtyfour::prelude::*;

use crate::harness::{Page, Setup};

#[tokio::test]
async fn keys_step_and_jump() {
    let page = Page::open().await;
    page.go_to(100).await;
    page.press(Key::Right).await;
    page.wait_for_step(101).await;
    page.press(Key::Left).await;
    page.press(Key::Left).await;
    page.wait_for_step(99).await;
    let sentence = page.text("sentence").await;
    assert!(sentence.len() > 20, "a step says what happened: {sentence}");
    page.press(Key::End).await;
    page.wait_for_step(page.last().await).await;
    page.press(Key::Home).await;
    page.wait_for_step(0).await;
    page.press_with_shift(Key::Right).await;
    page.until(
        "a landmark is reached",
        "return Number(document.documentElement.dataset.step) > 10",
    )
    .await;
    page.press(" ").await;
    let here = page.step().await;
    page.until(
        "it plays",
        &format!("return Number(document.documentElement.dataset.step) > {here}"),
    )
    .await;
    page.press(" ").await;
    page.pause().await;
    page.press("?").await;
    page.until(
        "help is open",
        "return !!document.querySelector('[role=dialog]')",
    )
    .await;
    page.press(Key::Escape).await;
    page.until(
        "help is closed",
        "return !document.querySelector('[role=dialog]')",
    )
    .await;
    page.close().await;
}

#[tokio::test]
async fn buttons_step_too() {
    let page = Page::open().await;
    page.go_to(50).await;
    page.click("step").await;
    page.wait_for_step(51).await;
    page.click("back").await;
    page.wait_for_step(50).await;
    page.click("play").await;
    page.until(
        "it plays",
        "return Number(document.documentElement.dataset.step) > 52",
    )
    .await;
    page.pause().await;
    page.close().await;
}

#[tokio::test]
async fn the_scrubber_seeks_where_it_is_dragged() {
    let page = Page::open().await;
    page.pause().await;
    let scrubber = page.find("scrubber").await;
    let size = scrubber.rect().await.expect("it has a place");
    page.driver
        .action_chain()
        .move_to_element_with_offset(&scrubber, -(size.width as i64) / 4, 0)
        .click_and_hold()
        .move_to_element_with_offset(&scrubber, 0, 0)
        .release()
        .perform()
        .await
        .expect("it can be dragged");
    let last = page.last().await as f64;
    page.until(
        "the middle is shown",
        &format!(
            "const step = Number(document.documentElement.dataset.step);
             return step > {} && step < {}",
            last * 0.3,
            last * 0.7
        ),
    )
    .await;
    assert_eq!(
        page.attribute("scrubber", "aria-valuenow").await,
        page.step().await.to_string()
    );
    page.close().await;
}

#[tokio::test]
async fn a_click_and_a_key_crash_a_subtask_and_the_old_run_is_kept() {
    let page = Page::open().await;
    page.click("sink-exactly-once").await;
    page.go_to(200).await;
    page.click("crash-total[0]").await;
    page.wait_for_step(201).await;
    page.until(
        "there are two runs",
        "return document.querySelectorAll('[data-testid=run]').length === 2",
    )
    .await;
    let sentence = page.text("sentence").await;
    assert!(sentence.contains("total"), "{sentence}");
    page.go_to(page.last().await).await;
    assert_eq!(
        page.attribute("dashboard-total", "data-value").await,
        "1991379",
        "two crashes change nothing"
    );
    // Back in the first run, everything is as it was.
    page.click("run").await;
    page.go_to(200).await;
    page.press("c").await;
    page.until(
        "there are three runs",
        "return document.querySelectorAll('[data-testid=run]').length === 3",
    )
    .await;
    page.close().await;
}

#[tokio::test]
async fn number_keys_choose_what_happens_next() {
    let page = Page::open().await;
    page.go_to(60).await;
    let offered = page.text("choice").await;
    page.press("1").await;
    page.wait_for_step(61).await;
    page.until(
        "a branch is made",
        "return document.querySelectorAll('[data-testid=run]').length === 2",
    )
    .await;
    assert!(!offered.is_empty());
    page.close().await;
}

#[tokio::test]
async fn who_wants_less_motion_starts_paused_and_may_still_play() {
    let page = Page::open_with(Setup {
        reduced_motion: true,
        ..Setup::default()
    })
    .await;
    assert!(!page.is_playing().await);
    tokio::time::sleep(std::time::Duration::from_millis(700)).await;
    assert!(!page.is_playing().await);
    let here = page.step().await;
    page.click("play").await;
    page.until(
        "it plays",
        &format!("return Number(document.documentElement.dataset.step) > {here}"),
    )
    .await;
    page.close().await;
}

#[tokio::test]
async fn a_menu_that_is_closed_leaves_the_focus_where_it_was() {
    let page = Page::open().await;
    page.go_to(150).await;
    // What the context-menu key does.
    page.ask(
        "const node = document.querySelector('[data-testid=node-2]');
         node.focus();
         node.dispatchEvent(new MouseEvent('contextmenu',
             {bubbles: true, cancelable: true, clientX: 400, clientY: 300}));",
    )
    .await;
    page.until(
        "the menu is open",
        "return !!document.querySelector('[data-testid=menu-crash]')",
    )
    .await;
    page.press(Key::Escape).await;
    page.until(
        "the node has the focus again",
        "return !document.querySelector('[data-testid=menu-crash]') && document.activeElement.dataset.testid === 'node-2'",
    )
    .await;
    page.close().await;
}
