//! The space-time diagram: opened in every model, in step with the stage, by mouse and by keyboard.

use serde_json::json;
use thirtyfour::prelude::*;

use crate::harness::{Page, Setup};
use crate::layout::MISFITS;

/// What is pointed at, if anything is.
const HERE: &str =
    "return Number(document.querySelector('[data-testid=spacetime-frame]').dataset.here ?? -1);";

async fn open(setup: Setup) -> Page {
    let page = Page::open_with(setup).await;
    page.until(
        "the diagram is drawn",
        "const canvas = document.querySelector('.chart-frame canvas');
         return !!canvas && canvas.width > 50 && canvas.getContext('2d')
             .getImageData(0, 0, canvas.width, canvas.height).data.some(byte => byte > 0);",
    )
    .await;
    page
}

/// Moves the pointer over the diagram to a step, on each lane in turn, until the step is found; clicks there if asked.
async fn point_at(page: &Page, step: usize, click: bool) {
    let script = format!(
        "const frame = document.querySelector('[data-testid=spacetime-frame]');
         const box = frame.getBoundingClientRect();
         const part = ({step} - frame.dataset.from) / (frame.dataset.to - frame.dataset.from);
         const lanes = [...document.querySelectorAll('.lanes li')];
         const height = lanes[0].getBoundingClientRect().height;
         const say = (kind, lane, buttons) => frame.dispatchEvent(new PointerEvent(kind, {{
             bubbles: true, pointerType: 'mouse', buttons, clientX: box.x + part * box.width,
             clientY: box.y + height * (lane + 0.5) }}));
         window.laneOf ??= 0;
         // What it shows is what the move before this one has led to.
         if (Number(frame.dataset.here) === {step}) {{
             if ({click}) {{
                 say('pointerdown', window.laneOf, 1);
                 say('pointerup', window.laneOf, 0);
             }}
             return true;
         }}
         window.laneOf = (window.laneOf + 1) % lanes.length;
         say('pointermove', window.laneOf, 0);
         return false;"
    );
    page.until(&format!("step {step} is found"), &script).await;
}

#[tokio::test]
async fn it_opens_in_every_model_and_goes_with_the_stage() {
    for model in [
        "",
        "model=delivery&",
        "model=streams&",
        "model=votes&",
        "model=kafka-to-kafka&",
    ] {
        let page = Page::open_with(Setup {
            fragment: format!("{model}step=10"),
            ..Setup::default()
        })
        .await;
        page.press("d").await;
        page.until(
            "the diagram is shown",
            "return !!document.querySelector('[data-testid=spacetime-cursor]')",
        )
        .await;
        let lanes = page
            .number("return document.querySelectorAll('.lanes li').length")
            .await;
        assert!(lanes >= 4.0, "{model}: {lanes} lanes");
        let place = "return document.querySelector('[data-testid=spacetime-cursor]').getBoundingClientRect().x";
        let before = page.number(place).await;
        page.press(Key::Right).await;
        page.wait_for_step(11).await;
        page.until("the cursor moves", &format!("{place} > {before}"))
            .await;
        page.until(
            "the address says so",
            "return location.hash.includes('spacetime=steps')",
        )
        .await;
        page.click("axis-time").await;
        page.until(
            "the address says so",
            "return location.hash.includes('spacetime=time')",
        )
        .await;
        page.click("spacetime-switch").await;
        page.until(
            "the diagram is closed",
            "return !document.querySelector('[data-testid=spacetime]') && !location.hash.includes('spacetime')",
        )
        .await;
        page.close().await;
    }
}

#[tokio::test]
async fn pointing_shows_past_and_future_and_a_click_goes_there() {
    let page = open(Setup {
        fragment: "spacetime=steps&step=412".to_owned(),
        ..Setup::default()
    })
    .await;
    point_at(&page, 400, false).await;
    page.until(
        "it says how much depends on it",
        "const told = document.querySelector('[data-testid=spacetime-told]').textContent;
         return told.includes('Step 400') && /[\\d,]+ steps had to happen before it, [\\d,]+ depend on it/.test(told);",
    )
    .await;
    page.picture("spacetime-pointed").await;
    assert_eq!(page.step().await, 412, "pointing does not move");
    point_at(&page, 390, true).await;
    page.wait_for_step(390).await;
    page.close().await;
}

#[tokio::test]
async fn keys_walk_along_lanes_and_zoom() {
    let page = open(Setup {
        fragment: "spacetime=steps&step=300".to_owned(),
        ..Setup::default()
    })
    .await;
    page.ask("document.querySelector('[data-testid=spacetime-frame]').focus()")
        .await;
    page.press(Key::Right).await;
    page.until("something is held", &HERE.replace(';', " > 300"))
        .await;
    let first = page.number(HERE).await;
    page.press(Key::Down).await;
    page.until("another lane", &HERE.replace(';', &format!(" !== {first}")))
        .await;
    let second = page.number(HERE).await;
    page.press(Key::Right).await;
    page.until(
        "the next one there",
        &HERE.replace(';', &format!(" > {second}")),
    )
    .await;
    assert_eq!(page.step().await, 300, "the run stays where it is");
    let there = page.number(HERE).await as usize;
    page.press(Key::Enter).await;
    page.wait_for_step(there).await;
    let span = "const f = document.querySelector('[data-testid=spacetime-frame]').dataset; return f.to - f.from";
    let before = page.number(span).await;
    page.press("+").await;
    page.until("it is nearer", &format!("{span} < {before}"))
        .await;
    page.press("0").await;
    let last = page.last().await;
    page.until("all of it", &format!("{span} === {last}")).await;
    page.picture("spacetime-whole").await;
    page.press(Key::Escape).await;
    page.until("nothing is held", &HERE.replace(';', " === -1"))
        .await;
    page.close().await;
}

#[tokio::test]
async fn it_can_be_read_in_every_size_theme_and_language() {
    for (width, height) in [(1440, 900), (1024, 768), (390, 844)] {
        for (language, dark) in [("en-US", false), ("zh-CN", true)] {
            for model in ["", "model=delivery&", "model=votes&"] {
                let page = open(Setup {
                    width,
                    height,
                    dark,
                    language,
                    fragment: format!("{model}spacetime=steps&step=40"),
                    ..Setup::default()
                })
                .await;
                page.ask("document.querySelector('[data-testid=spacetime]').scrollIntoView()")
                    .await;
                let model = model.trim_start_matches("model=").trim_end_matches('&');
                page.picture(&format!("spacetime-{width}-{language}-{model}"))
                    .await;
                assert_eq!(
                    page.ask(MISFITS).await,
                    json!([]),
                    "{width}, {language}, {model}"
                );
                page.close().await;
            }
        }
    }
}
