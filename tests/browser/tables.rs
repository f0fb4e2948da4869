//! The tables in the place of the stage: the checkpoints of the run, and the comparison.

use serde_json::json;
use thirtyfour::Key;

use crate::harness::{Page, Setup};
use crate::layout::MISFITS;

/// How many cells of the comparison hold a figure, by column.
const FILLED: &str = "
    const rows = [...document.querySelectorAll('[data-testid=measured] tbody tr')];
    return [0, 1, 2].map(at => rows.filter(row => /\\d/.test(row.querySelectorAll('td')[at].textContent)).length);";

async fn compared(page: &Page) {
    page.until(
        "everything is measured",
        "const c = document.querySelector('[data-testid=compare]'); return !!c && c.dataset.measured === '3'",
    )
    .await;
}

#[tokio::test]
async fn the_comparison_fills_three_columns_and_says_what_follows() {
    let page = Page::open().await;
    page.pause().await;
    page.click("view-compare").await;
    compared(&page).await;
    assert_eq!(page.ask(FILLED).await, json!([13, 13, 13]));
    let findings = page.text("findings").await;
    assert!(
        findings.contains("times as long as unaligned ones"),
        "{findings}"
    );
    assert!(findings.contains("After a failure it took"), "{findings}");

    // It is part of the address, and a link leads back to it.
    page.until(
        "the address has it",
        "return location.hash.includes('view=compare')",
    )
    .await;
    let fragment = page.ask("return location.hash.slice(1)").await;
    page.visit(fragment.as_str().expect("text")).await;
    compared(&page).await;
    assert_eq!(page.text("findings").await, findings, "the same figures");
    page.close().await;
}

#[tokio::test]
async fn without_a_failure_the_comparison_offers_one() {
    let page = Page::open_with(Setup {
        fragment: "crashes=[]&step=10&view=compare".to_owned(),
        ..Setup::default()
    })
    .await;
    compared(&page).await;
    assert_eq!(page.ask(FILLED).await, json!([11, 11, 11]), "no recovery");
    page.click("add-crash").await;
    page.until(
        "recovery is measured",
        "const f = document.querySelector('[data-testid=findings]'); return !!f && f.textContent.includes('After a failure')",
    )
    .await;
    assert_eq!(page.ask(FILLED).await, json!([13, 13, 13]));
    page.close().await;
}

#[tokio::test]
async fn a_checkpoint_opens_to_its_subtasks_and_leads_to_its_trigger() {
    let page = Page::open().await;
    page.go_to(page.last().await).await;
    page.press("k").await;
    page.until(
        "the table is there",
        "return document.querySelectorAll('table.checkpoints tr.whole').length > 3",
    )
    .await;
    page.click("open-checkpoint-2").await;
    page.until(
        "its six subtasks are listed",
        "return document.querySelectorAll('[data-testid=subtask-row]').length === 6",
    )
    .await;
    let opened = page.attribute("open-checkpoint-2", "aria-expanded").await;
    assert_eq!(opened, "true");
    let bars = page
        .number("return document.querySelectorAll('[data-testid=subtask-row] .bars i').length")
        .await;
    assert!(bars >= 6.0, "{bars} bars");
    page.click("open-checkpoint-2").await;
    page.until(
        "they are gone",
        "return document.querySelectorAll('[data-testid=subtask-row]').length === 0",
    )
    .await;
    page.click("checkpoint-2").await;
    page.until(
        "the stage is there",
        "return !!document.querySelector('[data-testid=dashboard-total]')",
    )
    .await;
    let sentence = page.text("sentence").await;
    assert!(sentence.contains("started checkpoint 2"), "{sentence}");
    // What had not been triggered then is not in the table.
    page.press("k").await;
    page.until(
        "two are known",
        "return document.querySelectorAll('table.checkpoints tr.whole').length === 2",
    )
    .await;
    page.press("w").await;
    page.until(
        "the stage is painted again",
        "const c = document.querySelector('canvas'); return !!c && c.width > 100",
    )
    .await;
    page.close().await;
}

#[tokio::test]
async fn a_setting_that_does_not_fit_is_refused_beside_it() {
    let page = Page::open().await;
    page.pause().await;
    page.click("more-knobs").await;
    page.ask(
        "const input = document.querySelector('[data-testid=\"knob-checkpointing.max_concurrent\"]');
         input.value = '3';
         input.dispatchEvent(new Event('change', {bubbles: true}));",
    )
    .await;
    page.until(
        "it is set",
        "return location.hash.includes('max_concurrent=3')",
    )
    .await;
    page.ask(
        "const select = document.querySelector('[data-testid=\"knob-checkpointing.unaligned\"]');
         select.selectedIndex = 1;
         select.dispatchEvent(new Event('change', {bubbles: true}));",
    )
    .await;
    page.until(
        "the reason stands there",
        "const r = document.querySelector('.knob .refused'); return !!r && r.textContent.includes('max_concurrent')",
    )
    .await;
    let in_force = page
        .ask(
            "return document.querySelector('[data-testid=\"knob-checkpointing.unaligned\"]').selectedIndex",
        )
        .await;
    assert_eq!(in_force, json!(0), "the list shows what is in force");
    // What is no number is refused beside its field too, and the old one stands there again.
    let interval = page
        .ask(
            "const input = document.querySelector('[data-testid=\"knob-checkpointing.interval_ms\"]');
             const before = input.value;
             input.value = '1e5';
             input.dispatchEvent(new Event('change', {bubbles: true}));
             return [before, input.value];",
        )
        .await;
    assert_eq!(interval[0], interval[1]);
    page.until(
        "it is said what is needed",
        "const r = document.querySelector('.knob .refused'); return !!r && r.textContent.includes('in digits')",
    )
    .await;
    page.close().await;
}

/// The fault matrix: every cell computed, nothing cut off, and a cell opens the run that it is the end of.
async fn fault_matrix(width: u32, height: u32) {
    for (dark, language) in [(false, "en-US"), (true, "zh-CN")] {
        let what = format!("{width}×{height}, {language}");
        let page = Page::open_with(Setup {
            width,
            height,
            dark,
            language,
            fragment: "model=kafka-to-kafka".to_owned(),
            ..Setup::default()
        })
        .await;
        for (cell, symptom, counted) in [
            (
                "BeforeNotification-EXACTLY_ONCE-read_committed",
                "fine",
                None,
            ),
            (
                "BeforeNotificationTimedOut-EXACTLY_ONCE-read_committed",
                "lost",
                Some("data-lost"),
            ),
            (
                "AfterCommit-AT_LEAST_ONCE-read_committed",
                "doubled",
                Some("data-doubled"),
            ),
        ] {
            page.press("t").await;
            page.until(
                "every cell is computed",
                "const m = document.querySelector('[data-testid=fault-matrix]'); return !!m && m.dataset.computed === '54'",
            )
            .await;
            assert_eq!(page.ask(MISFITS).await, json!([]), "{what}");
            page.picture(&format!("{width}x{height}-{language}-fault-matrix"))
                .await;
            let id = format!("fault-{cell}");
            assert_eq!(
                page.attribute(&id, "data-symptom").await,
                symptom,
                "{what}, {cell}"
            );
            page.ask(&format!(
                "document.querySelector('[data-testid={id}] button').click()"
            ))
            .await;
            page.until(
                "the run is on the stage",
                "return !!document.querySelector('[data-testid=verdict]') && !document.querySelector('[data-testid=fault-matrix]')",
            )
            .await;
            page.picture(&format!("{width}x{height}-{language}-fault-{cell}"))
                .await;
            page.press(Key::End).await;
            let last = page.last().await;
            page.wait_for_step(last).await;
            for name in ["data-lost", "data-doubled"] {
                let count: u32 = page
                    .attribute("verdict", name)
                    .await
                    .parse()
                    .expect("a number");
                assert_eq!(count > 0, counted == Some(name), "{what}, {cell}: {name}");
            }
            assert_eq!(page.ask(MISFITS).await, json!([]), "{what}, {cell}");
        }
        page.close().await;
    }
}

#[tokio::test]
async fn the_fault_matrix_opens_its_runs_on_a_desktop() {
    fault_matrix(1440, 900).await;
}

#[tokio::test]
async fn the_fault_matrix_opens_its_runs_on_a_tablet() {
    fault_matrix(1024, 768).await;
}

#[tokio::test]
async fn the_fault_matrix_opens_its_runs_on_a_phone() {
    fault_matrix(390, 844).await;
}
