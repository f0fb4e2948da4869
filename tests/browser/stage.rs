//! The stage as a whole: it fits, it is zoomed and moved, and subtasks fold and unfold.

use barrierscope_tests::scenarios::wide;
use serde_json::json;
use thirtyfour::prelude::*;

use crate::harness::{Page, Setup};

/// Whether all of the stage is in its frame.
const FITS: &str = "const frame = document.querySelector('.stage-frame');
    return frame.scrollWidth <= frame.clientWidth + 1 && frame.scrollHeight <= frame.clientHeight + 1;";
const ZOOM: &str =
    "return Number(document.querySelector('[data-testid=stage-frame]').dataset.zoom)";
/// Boxes of nodes that lie on each other.
const OVERLAPS: &str = "
    const boxes = [...document.querySelectorAll('.stage .node > .box')].map(box => box.getBoundingClientRect());
    const found = [];
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b => {
        if (a.left + 0.5 < b.right && b.left + 0.5 < a.right && a.top + 0.5 < b.bottom && b.top + 0.5 < a.bottom) found.push(i);
    }));
    return found;";

#[tokio::test]
async fn all_of_it_is_in_sight_in_every_model() {
    for (width, height) in [(1440, 900), (1024, 768)] {
        for model in [
            "",
            "model=kafka-to-kafka&",
            "model=delivery&",
            "model=streams&",
            "model=votes&",
        ] {
            // A run of two-phase commit is short.
            let fragment = format!("{model}step=12");
            let page = Page::open_with(Setup {
                width,
                height,
                fragment,
                ..Setup::default()
            })
            .await;
            page.until(
                "it is drawn",
                "return !!document.querySelector('.stage .node')",
            )
            .await;
            page.until("all of it is in sight", FITS).await;
            page.picture(&format!("stage-{width}-{}", model.replace(['=', '&'], "-")))
                .await;
            assert_eq!(page.ask(OVERLAPS).await, json!([]), "{width} {model}");
            page.close().await;
        }
    }
}

#[tokio::test]
async fn buttons_and_keys_zoom_and_arrows_move() {
    let page = Page::open_with(Setup {
        fragment: "step=100".to_owned(),
        ..Setup::default()
    })
    .await;
    page.until("it fits", FITS).await;
    let fit = page.number(ZOOM).await;
    page.click("stage-in").await;
    page.until("it is larger", &format!("{ZOOM} > {fit}")).await;
    page.ask("document.querySelector('[data-testid=stage-frame]').focus()")
        .await;
    page.press("+").await;
    page.press("+").await;
    page.until(
        "it is larger than its frame",
        &FITS.replace("return ", "return !(").replace("1;", "1);"),
    )
    .await;
    let left = "return document.querySelector('.stage-frame').scrollLeft";
    let before = page.number(left).await;
    page.press(Key::Right).await;
    page.until("it moves", &format!("{left} > {before}")).await;
    assert_eq!(page.step().await, 100, "no step is made");
    page.press("0").await;
    page.until("it fits again", FITS).await;
    page.press(Key::Right).await;
    page.wait_for_step(101).await;
    page.close().await;
}

#[tokio::test]
async fn many_subtasks_fold_into_their_operators_and_unfold() {
    let page = Page::open().await;
    let scenario = serde_json::to_string(&wide(5, 60, 3_000).to_json()).expect("text");
    page.ask(&format!("return window.barrierscope.open({scenario})"))
        .await;
    page.until(
        "it is opened",
        "return !!document.querySelector('.node.family')",
    )
    .await;
    page.go_to(1_500).await;
    let families = page
        .number("return document.querySelectorAll('.node.family').length")
        .await;
    assert!(families >= 4.0, "{families} families");
    page.until("all of it is in sight", FITS).await;
    assert_eq!(page.ask(OVERLAPS).await, json!([]));
    page.picture("stage-300-folded").await;
    // Enter on a folded box unfolds it; the button folds it again.
    let nodes = "return document.querySelectorAll('.stage .node').length";
    let before = page.number(nodes).await;
    page.ask("document.querySelector('.node.family.subtask').focus()")
        .await;
    page.press(Key::Enter).await;
    page.until("it is unfolded", &format!("{nodes} > {before} + 50"))
        .await;
    assert_eq!(page.ask(OVERLAPS).await, json!([]));
    page.picture("stage-300-unfolded").await;
    page.ask("document.querySelector('[data-testid^=\"fold-\"][aria-expanded=true]').click()")
        .await;
    page.until("it is folded", &format!("{nodes} === {before}"))
        .await;
    page.close().await;
}
