//! Kafka's clients on the page: the table of guarantees, the runs that prove its cells, and what can be taken back.

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

/// The sizes of a desktop, a tablet and a phone.
const SIZES: [(u32, u32); 3] = [(1440, 900), (1024, 768), (390, 844)];

/// The cells that are marked as those of what is open.
async fn marked(page: &Page) -> serde_json::Value {
    page.ask(
        "return [...document.querySelectorAll('[data-testid=guarantees] [aria-current=true]')].map(e => e.dataset.testid)",
    )
    .await
}

#[tokio::test]
async fn the_cell_of_what_is_open_is_marked() {
    for (width, height) in SIZES {
        let page = delivery(width, height, false, "en-US").await;
        guarantees(&page).await;
        // acks=all, retries, no idempotence, automatic commits: as the story has it.
        assert_eq!(marked(&page).await, json!(["cell-21"]));
        let assumed = page.text("assumed").await;
        for word in ["replication.factor=3", "min.insync.replicas=2", "166 runs"] {
            assert!(assumed.contains(word), "{word}: {assumed}");
        }
        page.click("proof-47-calm").await;
        page.until(
            "the run is on the stage",
            "return !document.querySelector('[data-testid=guarantees]')",
        )
        .await;
        page.press("g").await;
        assert_eq!(marked(&page).await, json!(["cell-47"]));
        fits(&page, &format!("{width}×{height}, marked")).await;
        page.close().await;
    }
}

#[tokio::test]
async fn a_proof_is_looked_at_from_the_top_of_the_stage() {
    let page = delivery(390, 844, false, "en-US").await;
    guarantees(&page).await;
    page.click("proof-47-calm").await;
    page.until(
        "the stage is in sight, from its top",
        "const stage = document.querySelector('#stage:not([data-testid=guarantees])');
         if (!stage || document.querySelector('.middle').scrollTop > 0) return false;
         const top = stage.getBoundingClientRect().top;
         return top >= 0 && top < innerHeight / 4",
    )
    .await;
    page.picture("390x844-proof").await;
    page.close().await;
}

#[tokio::test]
async fn a_fault_and_a_setting_are_taken_back() {
    let page = delivery(1440, 900, false, "en-US").await;
    page.go_to(60).await;
    let there = page.ask("return location.hash").await;
    page.click("crash-broker-1").await;
    page.until(
        "the fault is in the address",
        "return location.hash.includes('b=60.')",
    )
    .await;
    page.ask("history.back()").await;
    page.until(
        "the run without the fault is back",
        &format!("return location.hash === {there} && document.querySelector('[data-testid=runs]').hidden"),
    )
    .await;
    let acks = "document.querySelector('[data-testid=\"knob/producers/0/config/acks\"]')";
    page.ask(&format!(
        "const list = {acks}; list.value = '1'; list.dispatchEvent(new Event('change', {{ bubbles: true }}))"
    ))
    .await;
    page.until(
        "the setting is in force",
        &format!("return {acks}.value === '1' && location.hash.includes('config.acks=')"),
    )
    .await;
    page.click("undo").await;
    page.until(
        "the setting is as before",
        &format!("return {acks}.value === 'all' && location.hash === {there}"),
    )
    .await;
    let off = page
        .ask("return document.querySelector('[data-testid=undo]').disabled")
        .await;
    assert_eq!(off, json!(true), "there is nothing left to take back");
    page.close().await;
}

#[tokio::test]
async fn a_bad_link_says_what_is_wrong_and_keeps_its_model() {
    let page = delivery(1024, 768, false, "en-US").await;
    for (fragment, model) in [
        ("model=delivery&producers.0.config.acks=7", "delivery"),
        ("model=streams&topics=3", "streams"),
        ("case=KP03&cluster.brokers=0", "KP03"),
    ] {
        page.visit(fragment).await;
        assert!(page.text("notice").await.len() > 40, "{fragment}");
        let open = page
            .ask("return document.querySelector('[data-testid=model]').value")
            .await;
        assert_eq!(open, json!(model), "{fragment}");
        fits(&page, fragment).await;
    }
    page.close().await;
}
