//! The scenario editor: form and text stay in step, mistakes are told as one types, and what is written runs.

use serde_json::json;
use thirtyfour::prelude::*;

use crate::harness::{Page, Setup};

async fn text(page: &Page) -> String {
    let text = page
        .ask("return document.querySelector('[data-testid=draft]').value")
        .await;
    text.as_str().expect("text").to_owned()
}

/// Types a whole text.
async fn write(page: &Page, text: &str) {
    page.ask(&format!(
        "const area = document.querySelector('[data-testid=draft]'); area.value = {};
         area.dispatchEvent(new InputEvent('input', {{bubbles: true}}));",
        json!(text)
    ))
    .await;
}

async fn verdict_has(page: &Page, word: &str) {
    page.until(
        &format!("it says {word}"),
        &format!(
            "return document.querySelector('[data-testid=draft-verdict]').textContent.includes({})",
            json!(word)
        ),
    )
    .await;
}

async fn open() -> Page {
    let page = Page::open_with(Setup {
        fragment: "step=20".to_owned(),
        ..Setup::default()
    })
    .await;
    page.press("e").await;
    page.find("editor").await;
    page
}

#[tokio::test]
async fn a_scenario_is_built_and_run() {
    let page = open().await;
    page.ask(
        "const kind = document.querySelector('[data-testid=operator-kind]');
         kind.value = 'filter'; kind.dispatchEvent(new Event('change', {bubbles: true}));",
    )
    .await;
    page.click("add-operator").await;
    page.until(
        "the text has it",
        "return document.querySelector('[data-testid=draft]').value.includes('drop_every')",
    )
    .await;
    verdict_has(&page, "can be run").await;
    page.ask(
        "const field = document.querySelector('[data-testid=\"form-job.vertices[2].parallelism\"]');
         field.value = '3';
         for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, {bubbles: true}));",
    )
    .await;
    // Three subtasks behind two need another way of spreading records, and the form says so.
    verdict_has(&page, "job.edges[1].partitioning").await;
    page.ask(
        "const field = document.querySelector('[data-testid=\"form-job.edges[1].partitioning\"]');
         field.value = 'rebalance'; field.dispatchEvent(new Event('change', {bubbles: true}));",
    )
    .await;
    verdict_has(&page, "can be run").await;
    page.click("add-fault").await;
    page.until(
        "the text has the fault",
        "return document.querySelector('[data-testid=draft]').value.includes('sink[0]')",
    )
    .await;
    page.picture("editor").await;
    page.click("draft-run").await;
    page.until(
        "the run has it",
        "return !!document.querySelector('[data-testid=\"crash-filter[2]\"]')",
    )
    .await;
    page.close().await;
}

#[tokio::test]
async fn a_mistake_is_told_with_its_line_and_can_be_taken_back() {
    let page = open().await;
    let before = text(&page).await;
    write(
        &page,
        &before.replacen("\"parallelism\": 2", "\"parallelism\": 0", 1),
    )
    .await;
    verdict_has(&page, "job.vertices[0].parallelism").await;
    verdict_has(&page, "line ").await;
    assert_eq!(
        page.attribute("form-job.vertices[0].parallelism", "aria-invalid")
            .await,
        "true"
    );
    let disabled = page
        .find("draft-run")
        .await
        .prop("disabled")
        .await
        .expect("it has");
    assert_eq!(disabled.as_deref(), Some("true"));
    page.click("draft-show").await;
    let selected = page
        .ask("const a = document.querySelector('[data-testid=draft]'); return a.value.slice(a.selectionStart, a.selectionEnd)")
        .await;
    assert!(
        selected
            .as_str()
            .is_some_and(|it| it.contains("\"parallelism\": 0")),
        "{selected}"
    );
    // What the field means stands below, out of the schema.
    page.until(
        "the field is described",
        "return document.querySelector('[data-testid=draft-field]').textContent.includes('How many subtasks')",
    )
    .await;
    page.picture("editor-mistake").await;
    page.click("draft-undo").await;
    verdict_has(&page, "can be run").await;
    assert_eq!(text(&page).await, before);
    write(&page, &before.replacen(':', "", 1)).await;
    verdict_has(&page, "no JSON").await;
    assert_eq!(
        page.ask("return !!document.querySelector('.editor-form h3')")
            .await,
        json!(false)
    );
    page.close().await;
}

#[tokio::test]
async fn any_model_can_be_written_as_json() {
    for model in ["delivery", "streams", "votes", "kafka-to-kafka"] {
        let page = Page::open_with(Setup {
            fragment: format!("model={model}&view=editor"),
            ..Setup::default()
        })
        .await;
        page.find("editor").await;
        verdict_has(&page, "can be run").await;
        let changed = text(&page)
            .await
            .replacen("\"name\": \"", "\"name\": \"Mine: ", 1);
        write(&page, &changed).await;
        verdict_has(&page, "can be run").await;
        page.click("draft-run").await;
        page.until("it is run", "return location.hash.includes('name=Mine')")
            .await;
        page.close().await;
    }
}

#[tokio::test]
async fn the_editor_fits_every_window() {
    for (name, width, height, dark, language) in [
        ("editor-light", 1440, 900, false, "en-US"),
        ("editor-dark-zh", 1024, 768, true, "zh-CN"),
        ("editor-narrow", 390, 844, false, "en-US"),
        ("editor-320-zh", 320, 640, true, "zh-CN"),
    ] {
        let page = Page::open_with(Setup {
            width,
            height,
            dark,
            language,
            fragment: "step=20&view=editor".to_owned(),
            ..Setup::default()
        })
        .await;
        page.find("editor").await;
        page.picture(name).await;
        let fits = page
            .ask("const e = document.querySelector('[data-testid=editor]'); return document.documentElement.scrollWidth <= innerWidth && e.scrollWidth <= e.clientWidth")
            .await;
        assert_eq!(fits, json!(true), "{name}");
        page.press(Key::Escape).await;
        page.close().await;
    }
}
