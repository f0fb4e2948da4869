//! Figures of the page in this browser on this machine. Time limits decide no test: the figures are
//! printed (`cargo xtask bench` shows them), and only what is not a matter of speed is demanded.

use barrierscope_core::scenario::DeliveryGuarantee::{self, AtLeastOnce};
use barrierscope_core::scenario::{Operator, Scenario};
use barrierscope_core::scene::TokenKind;
use barrierscope_core::session::Session;
use barrierscope_core::time::Millis;
use barrierscope_tests::golden;
use barrierscope_tests::scenarios::{GRAPHS, long, small, wide};

use serde_json::json;

use crate::harness::Page;

/// Opens a long run, and tells how long jumps in it take and how much memory it needs.
async fn jumps(steps: u32) {
    let page = Page::open().await;
    page.pause().await;
    let before = page.number("return window.barrierscope.memory()").await;
    let scenario = serde_json::to_string(&long(AtLeastOnce, steps).to_json()).expect("text");
    page.ask(&format!("return window.barrierscope.open({scenario})"))
        .await;
    page.until(
        "it is opened",
        &format!("return window.barrierscope.last() === {steps}"),
    )
    .await;
    page.pause().await;
    let after = page.number("return window.barrierscope.memory()").await;
    let times = page
        .ask(&format!(
            "const times = []; let step = 7;
             for (let i = 0; i < 500; i++) {{
                 step = step * 7919 % {};
                 times.push(window.barrierscope.goTo(step));
             }}
             return times.sort((a, b) => a - b);",
            steps + 1
        ))
        .await;
    let times: Vec<f64> = serde_json::from_value(times).expect("numbers");
    assert_eq!(times.len(), 500);
    println!(
        "figure: 500 jumps in a run of {steps} steps: median {:.2} ms, 99th percentile {:.2} ms, longest {:.2} ms; \
         the run takes {:.1} MB",
        times[250],
        times[495],
        times[499],
        (after - before) / 1e6
    );
    page.close().await;
}

#[tokio::test]
async fn measure_jumps_in_a_run_of_20_000_steps() {
    jumps(20_000).await;
}

#[tokio::test]
async fn measure_jumps_in_a_run_of_100_000_steps() {
    jumps(100_000).await;
}

/// From navigation to the first moving record, with a processor so many times slower.
async fn first_moving_record(slower: u32) {
    let page = Page::open().await;
    page.cdp("Emulation.setCPUThrottlingRate", json!({ "rate": slower }))
        .await;
    let mut times = Vec::new();
    for _ in 0..5 {
        page.visit("").await;
        page.until(
            "a record moves",
            "return performance.getEntriesByName('first-moving-record').length > 0",
        )
        .await;
        times.push(
            page.number("return performance.getEntriesByName('first-moving-record')[0].startTime")
                .await,
        );
    }
    times.sort_by(f64::total_cmp);
    println!(
        "figure: from navigation to the first moving record, the processor slowed {slower} times: median of 5 {:.0} ms",
        times[2]
    );
    page.close().await;
}

#[tokio::test]
async fn measure_the_first_moving_record() {
    first_moving_record(1).await;
}

#[tokio::test]
async fn measure_the_first_moving_record_on_a_slow_processor() {
    first_moving_record(4).await;
}

#[tokio::test]
async fn a_simulation_in_the_page_takes_the_steps_it_takes_natively() {
    let page = Page::open().await;
    page.pause().await;
    for (vertices, parallelism) in GRAPHS {
        let scenario = wide(vertices, parallelism, 20_000);
        let native = barrierscope_core::measure(scenario.clone()).expect("it makes sense");
        let json = serde_json::to_string(&scenario.to_json()).expect("text");
        let found = page
            .ask(&format!("return window.barrierscope.measure({json})"))
            .await;
        assert_eq!(found["steps"].as_u64(), Some(native.steps), "{found}");
        assert_eq!(found["events"].as_u64(), Some(native.events), "{found}");
        let events = native.events as f64 / found["ms"].as_f64().unwrap_or(1.0) * 1_000.0;
        println!(
            "figure: simulation in the page, {} subtasks: {} steps, {} events; {events:.0} events a second",
            vertices * parallelism,
            native.steps,
            native.events
        );
    }
    page.close().await;
}

#[tokio::test]
async fn the_walk_in_the_page_counts_what_it_counts_natively() {
    let page = Page::open().await;
    page.pause().await;
    let native = golden::walks();
    for sink in [
        DeliveryGuarantee::ExactlyOnce,
        DeliveryGuarantee::AtLeastOnce,
    ] {
        let scenario = small(sink, 2, 1, 1).to_json();
        let scenario = serde_json::to_string(&scenario).expect("text");
        let found = page
            .ask(&format!("return window.barrierscope.walk({scenario})"))
            .await;
        let counts = format!(
            "distinct {} generated {} depth {}",
            found["distinct"], found["generated"], found["depth"]
        );
        assert!(
            native.contains(&counts),
            "{sink:?}: {found}, natively:\n{native}"
        );
        let (distinct, ms) = (&found["distinct"], &found["ms"]);
        let rate = distinct.as_f64().unwrap_or(0.0) / ms.as_f64().unwrap_or(1.0) * 1_000.0;
        println!(
            "figure: walk in the page, {sink:?}: {counts}, {rate:.0} distinct states a second"
        );
    }
    page.close().await;
}

/// A job of 64 subtasks with many records on their way: long ways, large buffers.
fn crowded() -> (Scenario, usize) {
    let mut scenario = wide(4, 16, 20_000);
    scenario.costs.hop_ms = Millis(1_000);
    scenario.costs.buffers_per_channel = 64;
    for vertex in &mut scenario.job.vertices {
        if let Operator::Source { interval_ms, .. } = &mut vertex.operator {
            *interval_ms = Millis(5);
        }
    }
    scenario.max_steps = 20_000;
    let mut run = barrierscope_core::start(scenario.clone()).expect("it makes sense");
    let crowd = |run: &dyn Session| {
        let wires = run.scene().links;
        let tokens = wires.iter().flat_map(|wire| &wire.tokens);
        tokens
            .filter(|token| matches!(token.kind, TokenKind::Record(_)))
            .count()
    };
    let step = (0..run.last()).step_by(100).find(|step| {
        run.go_to(*step);
        crowd(run.as_ref()) >= 500
    });
    (scenario, step.expect("500 records are under way at once"))
}

/// The times between frames while the page plays, sorted, in milliseconds.
async fn frames(page: &Page) -> Vec<f64> {
    page.click("play").await;
    let times = page
        .driver
        .execute_async(
            "const done = arguments[0], times = []; let last = null;
             const frame = time => {
                 if (last !== null) times.push(time - last);
                 last = time;
                 times.length < 300 ? requestAnimationFrame(frame) : done(times.sort((a, b) => a - b));
             };
             requestAnimationFrame(frame);",
            vec![],
        )
        .await
        .expect("frames are drawn");
    let times: Vec<f64> = serde_json::from_value(times.json().clone()).expect("numbers");
    assert_eq!(times.len(), 300);
    page.pause().await;
    times
}

#[tokio::test]
async fn frames_while_it_plays() {
    let page = Page::open().await;
    let say = |what: &str, times: &[f64]| {
        println!(
            "figure: frame times while playing, {what}: median {:.1} ms, 95th percentile {:.1} ms, longest {:.1} ms",
            times[150], times[285], times[299]
        );
    };
    page.go_to(20).await;
    say("the default story", &frames(&page).await);
    page.visit("spacetime=steps&step=20").await;
    say(
        "the default story with the space-time diagram",
        &frames(&page).await,
    );
    let (scenario, step) = crowded();
    let folded = (wide(5, 60, 6_000), 2_000);
    for (what, (scenario, step)) in [
        ("64 subtasks, 500 records under way", (scenario, step)),
        ("300 subtasks, folded", folded),
    ] {
        let json = serde_json::to_string(&scenario.to_json()).expect("text");
        page.ask(&format!("return window.barrierscope.open({json})"))
            .await;
        page.go_to(step).await;
        say(what, &frames(&page).await);
    }
    page.close().await;
}
