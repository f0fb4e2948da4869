//! A job that writes to brokers, on the page: stepped through with a crash between completion and commit, in the
//! textbook's names, and with a broker crashed by hand.

use std::collections::BTreeSet;

use serde_json::json;
use thirtyfour::Key;

use crate::harness::{Page, Setup};
use crate::layout::MISFITS;

async fn sink(width: u32, height: u32, dark: bool, language: &'static str) -> Page {
    Page::open_with(Setup {
        width,
        height,
        dark,
        language,
        fragment: "model=kafka-to-kafka&step=0".to_owned(),
        ..Setup::default()
    })
    .await
}

async fn fits(page: &Page, what: &str) {
    assert_eq!(page.ask(MISFITS).await, json!([]), "{what}");
}

/// Boxes of the stage that overlap each other, and words that leave their box: nothing does.
const CROWDED: &str = "
    const nodes = [...document.querySelectorAll('.stage .node')];
    const wrong = [];
    const boxes = nodes.map(node => node.querySelector('.box').getBoundingClientRect());
    nodes.forEach((node, a) => {
        const name = node.dataset.name;
        boxes.forEach((box, b) => {
            const mine = boxes[a];
            const over = Math.min(mine.right, box.right) - Math.max(mine.left, box.left) > 1
                && Math.min(mine.bottom, box.bottom) - Math.max(mine.top, box.top) > 1;
            if (a < b && over) wrong.push(name + ' over ' + nodes[b].dataset.name);
        });
        for (const text of node.querySelectorAll('text')) {
            const at = text.getBoundingClientRect();
            if (at.width > 0 && (at.right > boxes[a].right + 3 || at.left < boxes[a].left - 3)) wrong.push(name + ': ' + text.textContent);
        }
    });
    return wrong;";

async fn is_calm(page: &Page, what: &str) {
    assert_eq!(page.ask(CROWDED).await, json!([]), "{what}");
}

/// The words on the box of the sink.
async fn on_sink(page: &Page) -> String {
    let words = page
        .ask(
            "const sink = [...document.querySelectorAll('.node.subtask')].find(e => e.dataset.name.startsWith('sink'));
             return [...sink.querySelectorAll('text')].map(e => e.textContent).join(' | ')",
        )
        .await;
    words.as_str().unwrap_or_default().to_owned()
}

/// The story from its start to its end, by the keyboard: what is said at each step, and what the sink shows.
async fn step_through(page: &Page, what: &str) -> (Vec<String>, BTreeSet<String>) {
    page.press(Key::Home).await;
    page.wait_for_step(0).await;
    let last = page.last().await;
    assert!((100..=250).contains(&last), "{what}: {last} steps");
    let (mut told, mut shown) = (vec![page.text("sentence").await], BTreeSet::new());
    for step in 1..=last {
        page.press(Key::Right).await;
        page.wait_for_step(step).await;
        told.push(page.text("sentence").await);
        shown.insert(on_sink(page).await);
        if step % 12 == 0 {
            fits(page, &format!("{what}, step {step}")).await;
            is_calm(page, &format!("{what}, step {step}")).await;
        }
    }
    (told, shown)
}

async fn the_story(width: u32, height: u32) {
    for (dark, language) in [(false, "en-US"), (true, "zh-CN")] {
        let page = sink(width, height, dark, language).await;
        let what = format!("{width}×{height}, {language}");
        fits(&page, &what).await;
        let (told, shown) = step_through(&page, &what).await;
        let (crash, recommit, lingering) = match language {
            "en-US" => (
                "sink 1/1 crashed",
                "from the restored checkpoint",
                "was used before",
            ),
            _ => (
                "sink 1/1 崩溃",
                "从恢复的检查点取出 totals-0-1",
                "曾被 sink 1/1 先前的尝试用过",
            ),
        };
        let at = |words: &str| {
            let found = told.iter().position(|says| says.contains(words));
            found.unwrap_or_else(|| panic!("{what}: nobody says {words}"))
        };
        assert!(at(crash) < at(recommit), "{what}");
        assert!(at(recommit) < at(lingering), "{what}");
        let waits = match language {
            "en-US" => [
                "flushes at barrier 1",
                "InitProducerId",
                "commits checkpoint 2",
                "prepared",
                "open",
            ],
            _ => [
                "flush · barrier 1",
                "InitProducerId",
                "提交检查点 2",
                "预提交",
                "未提交",
            ],
        };
        for words in waits {
            assert!(
                shown.iter().any(|says| says.contains(words)),
                "{what}: the sink never shows {words}: {shown:?}"
            );
        }
        assert_eq!(page.attribute("verdict", "data-lost").await, "0", "{what}");
        assert_eq!(
            page.attribute("verdict", "data-doubled").await,
            "0",
            "{what}"
        );
        assert_eq!(
            page.attribute("verdict", "data-visible").await,
            "6",
            "{what}"
        );
        page.picture(&format!("{width}x{height}-{language}-sink-end"))
            .await;
        for (moment, words) in [("crash", crash), ("recommit", recommit)] {
            page.go_to(at(words)).await;
            is_calm(&page, &format!("{what}, {moment}")).await;
            page.picture(&format!("{width}x{height}-{language}-sink-{moment}"))
                .await;
        }
        // The logs of the replicas are unfolded on demand.
        page.press("r").await;
        page.until(
            "the replicas are unfolded",
            "return document.querySelectorAll('.node.replica').length === 3 && location.hash.includes('replicas=all')",
        )
        .await;
        is_calm(&page, &format!("{what}, unfolded")).await;
        page.picture(&format!("{width}x{height}-{language}-sink-unfolded"))
            .await;
        page.press("r").await;
        page.until(
            "they are folded",
            "return document.querySelectorAll('.node.broker').length === 3",
        )
        .await;
        page.close().await;
    }
}

#[tokio::test]
async fn the_story_of_the_sink_is_stepped_through_on_a_desktop() {
    the_story(1440, 900).await;
}

#[tokio::test]
async fn the_story_of_the_sink_is_stepped_through_on_a_tablet() {
    the_story(1024, 768).await;
}

#[tokio::test]
async fn the_story_of_the_sink_is_stepped_through_on_a_phone() {
    the_story(390, 844).await;
}

#[tokio::test]
async fn the_textbooks_names_stand_beside_flinks() {
    let page = sink(1440, 900, false, "en-US").await;
    page.press("n").await;
    page.until(
        "the address says so",
        "return location.hash.includes('names=2pc')",
    )
    .await;
    assert_eq!(page.attribute("names", "aria-pressed").await, "true");
    let last = page.last().await;
    let mut told = String::new();
    for step in 1..=last {
        page.go_to(step).await;
        let names = page
            .ask("return document.querySelector('[data-testid=names-told]')?.textContent ?? ''")
            .await;
        told.push_str(names.as_str().unwrap_or_default());
        if step % 40 == 0 {
            is_calm(&page, &format!("names, step {step}")).await;
        }
    }
    for name in [
        "VOTE_REQUEST",
        "VOTE_COMMIT",
        "in doubt",
        "GLOBAL_COMMIT into its log",
        "hears GLOBAL_COMMIT",
    ] {
        assert!(told.contains(name), "{name}: {told}");
    }
    let stage = page
        .ask("return [...document.querySelectorAll('.stage text')].map(e => e.textContent).join(' | ')")
        .await;
    for name in ["= coordinator", "participant", "coordinator’s log"] {
        assert!(
            stage.as_str().unwrap_or_default().contains(name),
            "{name}: {stage}"
        );
    }
    page.picture("1440x900-en-US-sink-names").await;
    // Whoever is given the link sees the same.
    let fragment = page.ask("return location.hash.slice(1)").await;
    page.visit(fragment.as_str().expect("it is text")).await;
    assert_eq!(page.attribute("names", "aria-pressed").await, "true");
    page.click("names").await;
    page.until(
        "the names are gone",
        "return !location.hash.includes('names=') && !document.querySelector('[data-testid=names-told]')",
    )
    .await;
    page.close().await;
}

#[tokio::test]
async fn a_broker_is_crashed_by_hand() {
    let page = sink(1440, 900, false, "en-US").await;
    page.go_to(40).await;
    page.click("crash-broker-1").await;
    page.until(
        "another run is looked at, in which the broker is down",
        "return location.hash.includes('b=40.') && document.querySelectorAll('.node.broker.crashed').length === 1",
    )
    .await;
    let says = page.text("sentence").await;
    assert!(
        says.contains("Broker 1 crashed") || says.contains("broker 1 crashed"),
        "{says}"
    );
    fits(&page, "a broker is down").await;
    is_calm(&page, "a broker is down").await;
    page.picture("1440x900-en-US-sink-broker-down").await;
    // Another broker leads, and nothing is lost: two replicas were in sync.
    page.press(Key::End).await;
    assert_eq!(page.attribute("verdict", "data-lost").await, "0");
    assert_eq!(page.attribute("verdict", "data-doubled").await, "0");
    // The coordinator can be crashed, too, and a message lost.
    page.go_to(45).await;
    for id in [
        "crash-transaction-coordinator",
        "lose-request",
        "lose-response",
        "pause-broker-2",
        "stop-broker-3",
    ] {
        page.find(id).await;
    }
    page.close().await;
}

#[tokio::test]
async fn brokers_are_switched_on_and_off_and_the_guarantee_is_picked() {
    let page = Page::open_with(Setup {
        width: 1440,
        height: 900,
        fragment: "step=0".to_owned(),
        ..Setup::default()
    })
    .await;
    let pick = async |id: &str, word: &str| {
        page.ask(&format!(
            "const list = document.querySelector('[data-testid=\"{id}\"]');
             list.value = '{word}';
             list.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ))
        .await;
    };
    pick("knob-kafka", "on").await;
    page.until(
        "there are brokers",
        "return document.querySelectorAll('.node.broker').length === 6 && location.hash.includes('model=kafka-to-kafka')",
    )
    .await;
    is_calm(&page, "brokers are switched on").await;
    page.picture("1440x900-en-US-sink-switched-on").await;
    page.click("sink-none").await;
    page.until(
        "nobody waits for the brokers",
        "return document.querySelector('[data-testid=sink-none]').getAttribute('aria-pressed') === 'true'",
    )
    .await;
    pick("knob-kafka", "off").await;
    page.until(
        "there are none, and a guarantee that needs none",
        "return document.querySelectorAll('.node.broker').length === 0 && document.querySelector('[data-testid=sink-at-least-once]').getAttribute('aria-pressed') === 'true'",
    )
    .await;
    page.close().await;
}
