//! The lessons: the path through all of them, the questions, and what the runs answer.

use serde_json::json;

use crate::harness::{Page, Setup};
use crate::layout::MISFITS;

async fn open(width: u32, height: u32, dark: bool, language: &'static str) -> Page {
    Page::open_with(Setup {
        width,
        height,
        dark,
        language,
        ..Setup::default()
    })
    .await
}

async fn stage(page: &Page, name: &str) {
    page.until(
        &format!("the lesson is at {name:?}"),
        &format!(
            "const l = document.querySelector('[data-testid=lesson]'); return !!l && l.dataset.stage === '{name}'"
        ),
    )
    .await;
}

/// To where the lesson stops next, unless the run is there by itself.
async fn onward(page: &Page) {
    page.ask("const b = document.querySelector('[data-testid=lesson-onward]'); if (b) b.click();")
        .await;
}

async fn fits(page: &Page, what: &str) {
    assert_eq!(page.ask(MISFITS).await, json!([]), "{what}");
}

/// Which part of which lesson is open, as the address has it.
async fn code(page: &Page) -> String {
    let code = page
        .ask("return new URLSearchParams(location.hash.slice(1)).get('lesson')")
        .await;
    code.as_str().unwrap_or_default().to_owned()
}

/// From the first lesson to the end of the last one, by the buttons alone.
async fn all_lessons(width: u32, height: u32, dark: bool, language: &'static str) {
    let page = open(width, height, dark, language).await;
    page.press("l").await;
    page.until(
        "the lessons are there",
        "return document.querySelectorAll('[data-testid=lessons] li').length === 14",
    )
    .await;
    fits(&page, "the lessons").await;
    page.picture(&format!("{width}x{height}-{language}-lessons"))
        .await;
    page.click("lesson-1").await;
    let mut parts = Vec::new();
    loop {
        page.until(
            "a lesson begins",
            "const l = document.querySelector('[data-testid=lesson]'); return !!l && (l.dataset.stage === 'before' || l.dataset.stage === 'asks')",
        )
        .await;
        let what = format!("{width}×{height}, {language}, lesson {}", code(&page).await);
        onward(&page).await;
        stage(&page, "asks").await;
        fits(&page, &what).await;
        page.picture(&format!(
            "{width}x{height}-{language}-lesson-{}-asks",
            parts.len() + 1
        ))
        .await;
        page.click("answer-1").await;
        onward(&page).await;
        stage(&page, "told").await;
        fits(&page, &what).await;
        page.picture(&format!(
            "{width}x{height}-{language}-lesson-{}-told",
            parts.len() + 1
        ))
        .await;
        let right = page
            .ask("return document.querySelectorAll('.answer.right').length")
            .await;
        assert_eq!(right, json!(1), "{what}: one answer is right");
        parts.push(code(&page).await);
        let is_more = page
            .ask("return !!document.querySelector('[data-testid=lesson-next]')")
            .await;
        if is_more == json!(false) {
            break;
        }
        page.click("lesson-next").await;
    }
    assert_eq!(parts.len(), 21, "{parts:?}");
    page.click("to-lessons").await;
    page.until(
        "every lesson is done",
        "return document.querySelectorAll('[data-testid=lessons] .done').length === 14",
    )
    .await;
    fits(&page, "the lessons, done").await;
    page.close().await;
}

#[tokio::test]
async fn the_path_leads_through_all_lessons_on_a_desktop() {
    all_lessons(1440, 900, false, "en-US").await;
}

#[tokio::test]
async fn the_path_leads_through_all_lessons_on_a_tablet() {
    all_lessons(1024, 768, true, "zh-CN").await;
}

#[tokio::test]
async fn the_path_leads_through_all_lessons_on_a_phone() {
    all_lessons(390, 844, false, "zh-CN").await;
}

/// Who plays with a lesson's run leaves the path, and comes back by a button.
#[tokio::test]
async fn one_may_leave_a_lesson_and_come_back() {
    let page = Page::open_with(Setup {
        fragment: "lesson=2.2".to_owned(),
        ..Setup::default()
    })
    .await;
    stage(&page, "before").await;
    onward(&page).await;
    stage(&page, "asks").await;
    // The last choice of all is a fault.
    page.ask("[...document.querySelectorAll('[data-testid=choice]')].at(-1).click()")
        .await;
    stage(&page, "left").await;
    page.click("lesson-again").await;
    page.until(
        "the lesson’s own run is back",
        "return document.querySelector('[data-testid=lesson]').dataset.stage !== 'left'",
    )
    .await;
    assert_eq!(code(&page).await, "2.2");
    page.close().await;
}
