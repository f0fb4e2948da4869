//! Kafka's clients on the page: the table of guarantees, the runs that prove its cells, and faults.

use serde_json::json;
use thirtyfour::Key;

use crate::harness::{Page, Setup};
use crate::layout::MISFITS;

/// A cell of the table: its number, what it says, its proof, and what the account then shows of
/// (lost, doubled).
const CELLS: [(u32, &str, &str, (bool, bool)); 3] = [
    // acks=0, retries, no idempotence, commit before processing.
    (12, "at-most-once", "loss", (true, false)),
    // acks=all, retries, no idempotence, commit after processing.
    (22, "at-least-once", "duplicate", (false, true)),
    // acks=all, retries, idempotence, the offset stored with the effect.
    (47, "exactly-once", "calm", (false, false)),
];

async fn delivery(width: u32, height: u32, dark: bool, language: &'static str) -> Page {
    Page::open_with(Setup {
        width,
        height,
        dark,
        language,
        fragment: "model=delivery".to_owned(),
        ..Setup::default()
    })
    .await
}

/// Opens the table and waits until each of its 48 cells is computed.
async fn guarantees(page: &Page) {
    page.press("g").await;
    page.until(
        "every cell is computed",
        "const g = document.querySelector('[data-testid=guarantees]'); return !!g && g.dataset.computed === '48'",
    )
    .await;
}

async fn fits(page: &Page, what: &str) {
    assert_eq!(page.ask(MISFITS).await, json!([]), "{what}");
}

async fn three_cells(width: u32, height: u32) {
    for (dark, language) in [(false, "en-US"), (true, "zh-CN")] {
        let page = delivery(width, height, dark, language).await;
        for (cell, guarantee, proof, (loses, doubles)) in CELLS {
            let what = format!("{width}×{height}, {language}, cell {cell}");
            guarantees(&page).await;
            fits(&page, &what).await;
            let says = page
                .attribute(&format!("cell-{cell}"), "data-guarantee")
                .await;
            assert_eq!(says, guarantee, "{what}");
            page.picture(&format!("{width}x{height}-{language}-guarantees"))
                .await;
            page.click(&format!("proof-{cell}-{proof}")).await;
            page.until(
                "the run is on the stage",
                "return !!document.querySelector('[data-testid=verdict]') && !document.querySelector('[data-testid=guarantees]')",
            )
            .await;
            page.picture(&format!("{width}x{height}-{language}-{proof}"))
                .await;
            fits(&page, &what).await;
            // From the start to the end, by the keyboard.
            page.press(Key::Home).await;
            page.wait_for_step(0).await;
            let last = page.last().await;
            assert!(last >= 10, "{what}: {last} steps");
            let mut sentences = std::collections::BTreeSet::new();
            for step in 1..=last {
                page.press(Key::Right).await;
                page.wait_for_step(step).await;
                if step % 4 == 0 {
                    sentences.insert(page.text("sentence").await);
                }
            }
            assert!(sentences.len() > last / 10, "{what}: {sentences:?}");
            let count = async |name: &str| {
                let text = page.attribute("verdict", name).await;
                text.parse::<u32>().expect("a number")
            };
            let lost = count("data-lost").await > 0;
            let doubled = count("data-doubled").await > 0;
            assert_eq!((lost, doubled), (loses, doubles), "{what}");
            fits(&page, &what).await;
        }
        page.close().await;
    }
}

#[tokio::test]
async fn three_cells_are_stepped_through_on_a_desktop() {
    three_cells(1440, 900).await;
}

#[tokio::test]
async fn three_cells_are_stepped_through_on_a_tablet() {
    three_cells(1024, 768).await;
}

#[tokio::test]
async fn three_cells_are_stepped_through_on_a_phone() {
    three_cells(390, 844).await;
}

#[tokio::test]
async fn a_proof_is_left_by_the_browsers_back() {
    let page = delivery(1440, 900, false, "en-US").await;
    guarantees(&page).await;
    page.click("proof-22-duplicate").await;
    page.until(
        "the proof is in the address",
        "return location.hash.includes('idempotence')",
    )
    .await;
    page.ask("history.back()").await;
    page.until(
        "the story is back",
        "return location.hash.includes('model=delivery') && !location.hash.includes('idempotence')",
    )
    .await;
    page.close().await;
}

#[tokio::test]
async fn streams_count_each_record_once() {
    let page = Page::open_with(Setup {
        fragment: "model=streams".to_owned(),
        ..Setup::default()
    })
    .await;
    page.go_to(page.last().await).await;
    for name in ["data-lost", "data-doubled"] {
        assert_eq!(page.attribute("verdict", name).await, "0", "{name}");
    }
    assert_eq!(page.attribute("verdict", "data-visible").await, "10");
    page.close().await;
}
