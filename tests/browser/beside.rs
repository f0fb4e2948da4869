//! Runs side by side, and the life of a record.

use serde_json::json;
use thirtyfour::Key;

use crate::harness::{Page, Setup};
use crate::layout::MISFITS;

/// The steps at which the runs stand that are side by side.
const STEPS: &str = "return [...document.querySelectorAll('[data-testid=beside-run]')]
    .map(run => Number(run.dataset.step ?? -1));";

/// How many of their canvases something is painted on.
const PAINTED: &str = "return [...document.querySelectorAll('[data-testid=beside-run] canvas')].filter(canvas =>
    canvas.width > 100 && canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(dot => dot > 0)
).length";

async fn ran(page: &Page, count: usize) {
    page.until(
        "all of them are run",
        &format!(
            "const runs = document.querySelectorAll('[data-testid=beside-run]');
             return runs.length === {count} && [...runs].every(run => run.dataset.step);"
        ),
    )
    .await;
}

#[tokio::test]
async fn three_runs_play_side_by_side_in_step() {
    let page = Page::open_with(Setup {
        fragment: "step=300&view=compare".to_owned(),
        ..Setup::default()
    })
    .await;
    ran(&page, 3).await;
    page.until(
        "each is painted",
        &format!("return (() => {{ {PAINTED} }})() === 3"),
    )
    .await;
    let before = page.ask(STEPS).await;
    page.press(" ").await;
    page.until(
        "each has gone on",
        &format!(
            "const before = {before}; const now = (() => {{ {STEPS} }})();
             return now.every((step, at) => step > before[at] + 5);"
        ),
    )
    .await;
    page.pause().await;

    // Another knob, and it is part of the address.
    page.click("beside-sink").await;
    ran(&page, 2).await;
    page.until(
        "the address has it",
        "return location.hash.includes('by=sink')",
    )
    .await;

    // What is broken is broken in both.
    let both = "[...document.querySelectorAll('[data-testid=beside-run] .node.crashed')].length";
    assert_eq!(page.number(&format!("return {both}")).await, 0.0);
    page.ask("document.querySelector('.crashes button:not([disabled])').click()")
        .await;
    ran(&page, 2).await;
    page.until("it has crashed in both", &format!("return {both} >= 2"))
        .await;
    page.press(Key::End).await;
    page.until(
        "what they come to differs",
        "const chips = [...document.querySelectorAll('[data-testid=beside-run] header .chip')];
         return chips.length === 2 && chips[0].dataset.symptom !== chips[1].dataset.symptom;",
    )
    .await;
    assert_eq!(page.ask(MISFITS).await, json!([]));
    page.picture("1440x900-beside-sink").await;
    page.close().await;
}

#[tokio::test]
async fn runs_of_every_model_fit_side_by_side() {
    for (width, height) in [(1440, 900), (1024, 768), (390, 844)] {
        for (model, language) in [
            ("delivery", "en-US"),
            ("votes", "zh-CN"),
            ("streams", "en-US"),
        ] {
            let page = Page::open_with(Setup {
                width,
                height,
                language,
                dark: model == "votes",
                fragment: format!("model={model}&step=60&view=compare"),
                ..Setup::default()
            })
            .await;
            page.until(
                "all of them are run",
                "const runs = [...document.querySelectorAll('[data-testid=beside-run]')];
                 return runs.length > 1 && runs.every(run => run.dataset.step);",
            )
            .await;
            page.picture(&format!("{width}x{height}-beside-{model}"))
                .await;
            assert_eq!(page.ask(MISFITS).await, json!([]), "{width} {model}");
            page.close().await;
        }
    }
}

#[tokio::test]
async fn a_record_tells_its_life() {
    let page = Page::open_with(Setup {
        fragment: "step=0".to_owned(),
        ..Setup::default()
    })
    .await;
    page.press(Key::End).await;
    page.click("name-witnesses").await;
    page.click("witness").await;
    page.until(
        "its life is told",
        "return document.querySelectorAll('.chapters li').length > 8 && !document.querySelector('.life [role=status]')",
    )
    .await;
    // It was doubled: it stands in the output twice.
    let places = page.text("whereabouts").await;
    assert_eq!(places.matches("offset").count(), 3, "{places}");
    page.ask("document.querySelector('.chapters .link').click()")
        .await;
    page.until(
        "it is read there",
        "return document.querySelector('[data-testid=sentence]').textContent.includes('read')",
    )
    .await;
    page.ask(
        "const select = document.querySelector('[data-testid=traced]');
         select.selectedIndex = 0;
         select.dispatchEvent(new Event('change', {bubbles: true}));",
    )
    .await;
    page.until(
        "nothing is told",
        "return !document.querySelector('.chapters')",
    )
    .await;
    page.close().await;
}
