//! The search for a counterexample: started, watched, cancelled; what it finds, opened, played, shared and compared.

use serde_json::{Value, json};

use crate::harness::{Page, Setup};
use crate::layout::MISFITS;

async fn open(fragment: &str) -> Page {
    Page::open_with(Setup {
        fragment: fragment.to_owned(),
        ..Setup::default()
    })
    .await
}

async fn phase(page: &Page, name: &str) {
    page.until(
        &format!("the search is {name}"),
        &format!("return document.querySelector('[data-testid=hunt]')?.dataset.phase === '{name}'"),
    )
    .await;
}

/// A search of a pipeline that takes long: two lanes, eight records.
const LONG: &str = "view=search&budget=2&inputs=[{\"topic\":\"case-reports\",\"partitions\":2,\"workload\":{\"numbered\":{\"count\":8,\"keys\":4}}}]&sink=exactly-once&checkpointing.max_checkpoints=2";

/// A search of one record that a producer without idempotence sends.
const SHORT: &str = "model=delivery&view=search&cluster.brokers=1&topics=[{\"name\":\"t\"}]&producers=[{\"name\":\"P\",\"topic\":\"t\",\"sends\":[{\"key\":\"r1\"}],\"config\":{\"acks\":\"all\",\"enable.idempotence\":false}}]&consumers=[]&faults.schedule=[]&faults.messages=[]";

/// Has the page note every change of the progress, and every frame.
const WATCH: &str = "
    window.seen = []; window.frames = [];
    let last = performance.now();
    const frame = now => { window.frames.push(now - last); last = now; window.watching && requestAnimationFrame(frame); };
    window.watching = true; requestAnimationFrame(now => { last = now; requestAnimationFrame(frame); });
    const note = () => {
        const p = document.querySelector('[data-testid=search-progress]');
        if (!p) return;
        const known = window.seen.at(-1);
        if (!known || known.distinct !== +p.dataset.distinct) {
            window.seen.push({ at: performance.now(), distinct: +p.dataset.distinct, depth: +p.dataset.depth });
        }
    };
    window.observer = new MutationObserver(note);
    window.observer.observe(document.querySelector('[data-testid=hunt]'), { subtree: true, childList: true, attributes: true });";

#[tokio::test]
async fn a_search_is_started_watched_paused_and_cancelled() {
    let page = open(LONG).await;
    page.find("too-large").await;
    let loaded = "return performance.getEntriesByType('resource').filter(r => r.name.includes('barrierscope-search')).length";
    assert_eq!(
        page.number(loaded).await,
        0.0,
        "the worker is loaded before it is needed"
    );
    page.ask(WATCH).await;
    page.click("search-begin").await;
    phase(&page, "running").await;
    page.until("it tells how far it is", "return window.seen.length > 50")
        .await;
    let seen = page.ask("return window.seen").await;
    let seen: Vec<Value> = seen.as_array().cloned().unwrap_or_default();
    let number = |value: &Value, name: &str| value[name].as_f64().unwrap_or(0.0);
    for pair in seen.windows(2) {
        assert!(number(&pair[1], "distinct") > number(&pair[0], "distinct"));
        assert!(number(&pair[1], "depth") >= number(&pair[0], "depth"));
    }
    // A frame cannot be told anything more often than it is drawn; four times a second is what is promised.
    let [first, last] = [&seen[1], &seen[seen.len() - 1]];
    let seconds = (number(last, "at") - number(first, "at")) / 1_000.0;
    let often = (seen.len() - 2) as f64 / seconds;
    println!("figure: while it searches, the page is told {often:.1} times a second how far it is");
    page.picture("search-running").await;

    page.click("search-pause").await;
    phase(&page, "paused").await;
    let still = page
        .driver
        .execute_async(
            "const done = arguments[0]; const p = () => document.querySelector('[data-testid=search-progress]').dataset.distinct;
             setTimeout(() => { const before = p(); setTimeout(() => done([before, p()]), 600); }, 300);",
            vec![],
        )
        .await
        .expect("it runs");
    assert_eq!(
        still.json()[0],
        still.json()[1],
        "it goes on while it is paused"
    );
    page.click("search-pause").await;
    phase(&page, "running").await;

    let took = page
        .driver
        .execute_async(
            "const done = arguments[0]; const began = performance.now();
             const is = () => document.querySelector('[data-testid=hunt]').dataset.phase === 'cancelled';
             const look = () => is() ? done(performance.now() - began) : setTimeout(look, 1);
             document.querySelector('[data-testid=search-cancel]').click(); look();",
            vec![],
        )
        .await
        .expect("it is cancelled");
    let took = took.json().as_f64().unwrap_or(f64::MAX);
    println!("figure: from the click to cancelled: {took:.1} ms");
    page.find("search-cancelled").await;
    page.picture("search-cancelled").await;
    page.close().await;
}

#[tokio::test]
async fn the_page_stays_smooth_while_it_searches() {
    let page = open(LONG).await;
    page.click("search-begin").await;
    phase(&page, "running").await;
    // On the stage the run plays meanwhile.
    page.press("w").await;
    page.press(" ").await;
    let frames = page
        .driver
        .execute_async(
            "const done = arguments[0]; const times = []; let last, first;
             const frame = now => {
                 if (last !== undefined) times.push(now - last); else first = now;
                 last = now;
                 now - first < 6000 ? requestAnimationFrame(frame) : done(times);
             };
             requestAnimationFrame(frame);",
            vec![],
        )
        .await
        .expect("frames are counted");
    let mut frames: Vec<f64> = serde_json::from_value(frames.json().clone()).expect("numbers");
    frames.sort_by(f64::total_cmp);
    let count = frames.len();
    assert!(count > 10, "{count} frames in six seconds");
    let long = frames.iter().filter(|time| **time > 50.0).count();
    println!(
        "figure: while it searches and a run plays: {count} frames in 6 s, median {:.1} ms, p95 {:.1} ms, worst {:.1} ms, {long} over 50 ms",
        frames[count / 2],
        frames[count * 95 / 100],
        frames[count - 1]
    );
    page.press("b").await;
    phase(&page, "running").await;
    page.click("search-cancel").await;
    phase(&page, "cancelled").await;
    page.close().await;
}

#[tokio::test]
async fn a_counterexample_is_found_opened_played_and_shared() {
    let page = open(SHORT).await;
    page.click("search-begin").await;
    page.find("search-answer").await;
    assert_eq!(
        page.attribute("search-answer", "data-result").await,
        "broken"
    );
    let steps: usize = page
        .attribute("search-answer", "data-steps")
        .await
        .parse()
        .expect("a number");
    assert_eq!(steps, 7, "as natively (tests/golden/promises.txt)");
    let told = page
        .number("return document.querySelectorAll('[data-testid=search-steps] li').length")
        .await;
    assert_eq!(told as usize, steps);
    assert!(page.text("search-concerned").await.contains("r1"));
    assert_eq!(page.ask(MISFITS).await, json!([]));
    page.picture("search-broken").await;

    page.click("search-fix").await;
    page.find("search-answer-fixed").await;
    page.picture("search-compared").await;

    page.click("search-open").await;
    page.until(
        "it plays from before",
        "return document.querySelector('[data-testid=app]').dataset.playing === 'true'",
    )
    .await;
    page.go_to(steps).await;
    page.until(
        "the account is that of the step",
        "return document.querySelector('[data-testid=promise-1]')?.dataset.standing === 'broken'",
    )
    .await;
    assert_eq!(page.attribute("verdict", "data-doubled").await, "1");
    page.press(thirtyfour::Key::Left).await;
    page.wait_for_step(steps - 1).await;
    assert_eq!(page.attribute("verdict", "data-doubled").await, "0");
    page.press(thirtyfour::Key::Right).await;
    page.wait_for_step(steps).await;
    page.picture("search-opened").await;

    // The link alone leads to the same step of the same run, without a search.
    let fragment = page.ask("return location.hash.slice(1)").await;
    let fragment = fragment.as_str().expect("it is text").to_owned();
    assert!(fragment.contains("run=1."), "{fragment}");
    let print = page.ask("return window.barrierscope.fingerprint()").await;
    page.visit(&fragment).await;
    page.wait_for_step(steps).await;
    assert_eq!(
        page.ask("return window.barrierscope.fingerprint()").await,
        print
    );
    assert_eq!(page.attribute("verdict", "data-doubled").await, "1");

    // A link with a step that is not there says so.
    page.visit(&fragment.replace("run=1.", "run=1.zz")).await;
    page.find("notice").await;
    page.close().await;
}

#[tokio::test]
async fn a_small_scenario_is_offered_where_one_is_too_large() {
    let page = open("view=search").await;
    page.find("too-large").await;
    page.click("search-small").await;
    page.until(
        "it fits",
        "return !document.querySelector('[data-testid=too-large]')",
    )
    .await;
    page.click("search-begin").await;
    page.find("search-answer").await;
    assert_eq!(
        page.attribute("search-answer", "data-result").await,
        "broken"
    );
    page.click("search-fix").await;
    page.find("search-answer-fixed").await;
    assert_eq!(
        page.attribute("search-answer-fixed", "data-result").await,
        "holds"
    );
    page.picture("search-fixed").await;
    page.close().await;
}

#[tokio::test]
async fn two_phase_commit_holds_and_can_block() {
    let page = open("model=votes&view=search").await;
    page.click("search-small").await;
    page.click("search-begin").await;
    page.find("search-answer").await;
    assert_eq!(
        page.attribute("search-answer", "data-result").await,
        "holds"
    );
    page.picture("search-holds").await;
    page.click("search-reached-5").await;
    page.until(
        "somebody is blocked",
        "return document.querySelector('[data-testid=verdict]')?.dataset.blocked === '1'",
    )
    .await;
    page.close().await;
}

#[tokio::test]
async fn it_fits_on_every_screen() {
    for (width, height, dark, language) in [
        (1440, 900, true, "zh-CN"),
        (1024, 768, false, "en-US"),
        (390, 844, false, "zh-CN"),
        (390, 844, true, "en-US"),
    ] {
        let page = Page::open_with(Setup {
            width,
            height,
            dark,
            language,
            fragment: SHORT.to_owned(),
            ..Setup::default()
        })
        .await;
        let what = format!("{width}x{height}-{language}");
        assert_eq!(page.ask(MISFITS).await, json!([]), "{what}");
        let who = "return document.querySelector('.search-choice.who').open = ";
        page.ask(&format!("{who}true")).await;
        page.picture(&format!("search-{what}-who")).await;
        assert_eq!(page.ask(MISFITS).await, json!([]), "{what}, whom it hits");
        page.ask(&format!("{who}false")).await;
        page.click("search-begin").await;
        page.find("search-answer").await;
        assert_eq!(page.ask(MISFITS).await, json!([]), "{what}, answered");
        page.picture(&format!("search-{what}")).await;
        page.close().await;
    }
}
