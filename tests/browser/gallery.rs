//! The gallery of fault reports: what it shows, what it opens, and the switch of a fix.

use serde_json::json;
use thirtyfour::Key;

use crate::harness::{Page, Setup};
use crate::layout::MISFITS;

/// The sizes of a desktop, a tablet, a phone, and a narrow phone.
const SIZES: [(u32, u32); 4] = [(1440, 900), (1024, 768), (390, 844), (320, 640)];

/// Two reports: of producers and of consumers, each with what its account counts without the fix.
const OPENED: [(&str, &str); 2] = [("KP03", "data-doubled"), ("KC07", "data-lost")];

async fn open(width: u32, height: u32, dark: bool, language: &'static str, fragment: &str) -> Page {
    Page::open_with(Setup {
        width,
        height,
        dark,
        language,
        fragment: fragment.to_owned(),
        ..Setup::default()
    })
    .await
}

async fn fits(page: &Page, what: &str) {
    assert_eq!(page.ask(MISFITS).await, json!([]), "{what}");
}

async fn counted(page: &Page, name: &str) -> u32 {
    let text = page.attribute("verdict", name).await;
    text.parse().expect("a number")
}

/// Waits until the gallery is there and every report is run.
async fn all_run(page: &Page) {
    page.until(
        "every report is run",
        "const g = document.querySelector('[data-testid=gallery]'); return !!g && g.dataset.toRun === '0'",
    )
    .await;
}

async fn shown(page: &Page) -> u32 {
    let text = page.attribute("gallery", "data-shown").await;
    text.parse().expect("a number")
}

/// What a report came to here: without its fix, and with it.
async fn came_to(page: &Page, id: &str) -> serde_json::Value {
    page.ask(&format!(
        "return [...document.querySelectorAll('[data-testid=found-{id}] [data-symptom]')].map(e => e.dataset.symptom)"
    ))
    .await
}

async fn on_the_stage(page: &Page) {
    page.until(
        "the report is on the stage",
        "return !!document.querySelector('[data-testid=case]') && !document.querySelector('[data-testid=gallery]')",
    )
    .await;
}

/// Waits until the address names a report.
async fn named(page: &Page, code: &str) {
    page.until(
        "the address names it",
        &format!("return location.hash.slice(1).split('&').includes('case={code}')"),
    )
    .await;
}

async fn gallery(width: u32, height: u32) {
    for (dark, language) in [(false, "en-US"), (true, "zh-CN")] {
        let page = open(width, height, dark, language, "").await;
        let what = format!("{width}×{height}, {language}");
        page.click("view-gallery").await;
        all_run(&page).await;
        fits(&page, &format!("{what}, the gallery")).await;
        page.picture(&format!("{width}x{height}-{language}-gallery"))
            .await;
        let all = shown(&page).await;
        assert_eq!(all, 44, "{what}");
        page.click("only-doubled").await;
        let doubled = shown(&page).await;
        assert!((1..all).contains(&doubled), "{what}: {doubled}");
        assert_eq!(came_to(&page, "KP03").await, json!(["doubled", "fine"]));
        assert_eq!(came_to(&page, "KC07").await, json!([]), "it is not shown");
        page.click("only-all").await;
        for (id, count) in OPENED {
            if id == "KC07" {
                page.press("f").await;
                all_run(&page).await;
            }
            page.click(&format!("report-{id}")).await;
            fits(&page, &format!("{what}, {id} in the gallery")).await;
            page.picture(&format!("{width}x{height}-{language}-gallery-{id}"))
                .await;
            page.click(&format!("open-{id}")).await;
            on_the_stage(&page).await;
            page.picture(&format!("{width}x{height}-{language}-{id}"))
                .await;
            fits(&page, &format!("{what}, {id}")).await;
            page.click("fix-changes").await;
            fits(&page, &format!("{what}, {id}, what its fix changes")).await;
            page.picture(&format!("{width}x{height}-{language}-{id}-changes"))
                .await;
            page.click("fix-changes").await;
            assert_eq!(counted(&page, count).await, 1, "{what}, {id}");
            for fixed in [true, false, true] {
                page.click("fix").await;
                let code = if fixed {
                    format!("{id}.fixed")
                } else {
                    id.to_owned()
                };
                named(&page, &code).await;
                let state = page.attribute("fix", "aria-checked").await;
                assert_eq!(state, fixed.to_string(), "{what}, {id}");
                assert_eq!(
                    counted(&page, count).await,
                    u32::from(!fixed),
                    "{what}, {id}"
                );
            }
            page.go_to(page.last().await).await;
            assert_eq!(counted(&page, count).await, 0, "{what}, {id}");
            fits(&page, &format!("{what}, {id} with its fix")).await;
            page.picture(&format!("{width}x{height}-{language}-{id}-fixed"))
                .await;
        }
        page.close().await;
    }
}

#[tokio::test]
async fn the_gallery_opens_reports_on_a_desktop() {
    gallery(SIZES[0].0, SIZES[0].1).await;
}

#[tokio::test]
async fn the_gallery_opens_reports_on_a_tablet() {
    gallery(SIZES[1].0, SIZES[1].1).await;
}

#[tokio::test]
async fn the_gallery_opens_reports_on_a_phone() {
    gallery(SIZES[2].0, SIZES[2].1).await;
}

#[tokio::test]
async fn the_gallery_opens_reports_on_a_narrow_phone() {
    gallery(SIZES[3].0, SIZES[3].1).await;
}

/// Presses Tab until an element has the focus.
async fn tab_to(page: &Page, id: &str) {
    for _ in 0..80 {
        page.press(Key::Tab).await;
        let focused = page
            .ask("return document.activeElement?.dataset.testid ?? ''")
            .await;
        if focused == json!(id) {
            return;
        }
    }
    panic!("Tab does not lead to {id}");
}

#[tokio::test]
async fn a_report_is_found_opened_and_mended_by_the_keyboard_alone() {
    let page = open(1440, 900, false, "en-US", "step=0").await;
    page.press("f").await;
    all_run(&page).await;
    tab_to(&page, "search").await;
    page.press("librdkafka#1958").await;
    page.until(
        "one report is left",
        "return document.querySelector('[data-testid=gallery]').dataset.shown === '1'",
    )
    .await;
    tab_to(&page, "report-KP03").await;
    page.press(Key::Enter).await;
    tab_to(&page, "open-KP03").await;
    page.press(Key::Enter).await;
    on_the_stage(&page).await;
    named(&page, "KP03").await;
    assert_eq!(counted(&page, "data-doubled").await, 1);
    page.press("x").await;
    named(&page, "KP03.fixed").await;
    assert_eq!(counted(&page, "data-doubled").await, 0);
    tab_to(&page, "fix").await;
    page.press(" ").await;
    named(&page, "KP03").await;
    assert_eq!(counted(&page, "data-doubled").await, 1);
    // Back where it was opened: the search and the card are as they were.
    page.press("f").await;
    let address = page.ask("return location.hash").await;
    let address = address.as_str().unwrap_or_default();
    for part in ["view=gallery", "find=librdkafka", "card=KP03"] {
        assert!(address.contains(part), "{part}: {address}");
    }
    page.close().await;
}

#[tokio::test]
async fn a_link_leads_to_a_card_of_the_gallery() {
    let page = open(
        390,
        844,
        false,
        "en-US",
        "view=gallery&only=stuck&card=KT06",
    )
    .await;
    all_run(&page).await;
    page.until(
        "the card is in sight",
        "const card = document.querySelector('.report.opened').getBoundingClientRect();
         return card.top >= 0 && card.top < innerHeight / 2",
    )
    .await;
    assert_eq!(came_to(&page, "KT06").await, json!(["stuck", "fine"]));
    // Each of what the fix changes is told with what it was and what it is.
    let rows = page
        .ask("return [...document.querySelectorAll('.changes tbody tr')].map(e => e.innerText.trim().split(/\\s+/))")
        .await;
    assert_eq!(
        rows,
        json!([["cluster.coordinator_locks_on_clock_step", "true", "false"]])
    );
    page.close().await;
}

#[tokio::test]
async fn every_report_fits() {
    let page = open(1024, 768, false, "en-US", "view=gallery").await;
    let codes = page
        .ask("return [...document.querySelectorAll('[data-testid^=report-]')].map(e => e.dataset.testid.slice(7))")
        .await;
    let codes = codes.as_array().expect("a list").clone();
    assert_eq!(codes.len(), 44);
    for code in codes {
        let code = code.as_str().expect("a word");
        page.visit(&format!("view=gallery&card={code}")).await;
        fits(&page, &format!("{code} in the gallery")).await;
        page.resize(390, 844).await;
        fits(&page, &format!("{code} in the gallery, on a phone")).await;
        page.resize(1024, 768).await;
        let opens = page
            .ask("return !!document.querySelector('[data-testid^=open-]')")
            .await;
        if opens != json!(true) {
            continue;
        }
        page.visit(&format!("case={code}&step=9999")).await;
        fits(&page, code).await;
        page.resize(390, 844).await;
        fits(&page, &format!("{code} on a phone")).await;
        page.resize(1024, 768).await;
    }
    page.close().await;
}
