//! Two-phase commit on the page: stepped through with a crash of the coordinator after its first GLOBAL_COMMIT.

use serde_json::json;
use thirtyfour::Key;

use crate::harness::{Page, Setup};
use crate::layout::MISFITS;

/// The sizes of a desktop, a tablet and a phone.
const SIZES: [(u32, u32); 3] = [(1440, 900), (1024, 768), (390, 844)];

async fn votes(width: u32, height: u32, dark: bool, language: &'static str) -> Page {
    Page::open_with(Setup {
        width,
        height,
        dark,
        language,
        fragment: "model=votes&step=0".to_owned(),
        ..Setup::default()
    })
    .await
}

async fn fits(page: &Page, what: &str) {
    assert_eq!(page.ask(MISFITS).await, json!([]), "{what}");
}

/// How many participants the stage shows as blocked, and whether the account says so.
async fn blocked(page: &Page) -> usize {
    let shown = page
        .ask("return document.querySelectorAll('.node.participant.blocked').length")
        .await;
    let told = page.attribute("verdict", "data-blocked").await;
    assert_eq!(shown, json!(told.parse::<u32>().expect("a number")));
    usize::try_from(shown.as_u64().expect("a number")).expect("few")
}

/// The states of the processes, as the stage writes them, the coordinator first.
async fn states(page: &Page) -> serde_json::Value {
    page.ask(
        "return [...document.querySelectorAll('.node .standing text')].map(e => e.textContent)",
    )
    .await
}

/// The story from its start to its end, by the keyboard: how many are blocked at each step.
async fn step_through(page: &Page, what: &str) -> Vec<usize> {
    page.press(Key::Home).await;
    page.wait_for_step(0).await;
    let last = page.last().await;
    let mut all = vec![blocked(page).await];
    for step in 1..=last {
        page.press(Key::Right).await;
        page.wait_for_step(step).await;
        all.push(blocked(page).await);
        if step % 6 == 0 {
            fits(page, &format!("{what}, step {step}")).await;
        }
        assert!(
            page.text("sentence").await.len() > 10,
            "{what}, step {step}"
        );
    }
    all
}

async fn the_story(width: u32, height: u32) {
    for (dark, language) in [(false, "en-US"), (true, "zh-CN")] {
        let page = votes(width, height, dark, language).await;
        let what = format!("{width}×{height}, {language}");
        let all = step_through(&page, &what).await;
        let first = all.iter().position(|count| *count == 2);
        let first = first.unwrap_or_else(|| panic!("{what}: two are blocked: {all:?}"));
        let released = all
            .iter()
            .rposition(|count| *count == 2)
            .expect("it was there")
            + 1;
        assert_eq!(all[first - 1], 0, "{what}: by the crash, both at once");
        assert_eq!(all[released], 0, "{what}: by the return, both at once");
        for status in ["ac1", "ac2", "ac3", "ac4", "ac5"] {
            assert_eq!(
                page.attribute(status, "data-status").await,
                "holds",
                "{what}"
            );
        }
        page.picture(&format!("{width}x{height}-{language}-votes-end"))
            .await;

        page.go_to(first).await;
        let says = page.text("sentence").await;
        let words = match language {
            "en-US" => ["crashed", "stock and payments are blocked"],
            _ => ["崩溃", "stock、payments 被阻塞"],
        };
        for word in words {
            assert!(says.contains(word), "{what}: {says}");
        }
        assert_eq!(
            page.attribute("ac5", "data-status").await,
            "not-yet",
            "{what}"
        );
        page.picture(&format!("{width}x{height}-{language}-votes-blocked"))
            .await;

        page.go_to(released).await;
        let says = page.text("sentence").await;
        let back = if language == "en-US" {
            "is back"
        } else {
            "已恢复"
        };
        assert!(says.contains(back), "{what}: {says}");
        page.picture(&format!("{width}x{height}-{language}-votes-released"))
            .await;

        // With cooperative termination the one that knows releases them: nobody is ever blocked.
        page.click("ask-all").await;
        page.until(
            "it is in the address",
            "return location.hash.includes('cooperative_termination=true')",
        )
        .await;
        let all = step_through(&page, &format!("{what}, cooperative")).await;
        assert!(all.iter().all(|count| *count == 0), "{what}: {all:?}");
        let last = states(&page).await;
        let commits = last.as_array().expect("a list").iter().skip(1);
        assert!(
            commits.clone().count() == 3 && commits.clone().all(|it| it == "COMMIT"),
            "{last}"
        );
        page.picture(&format!("{width}x{height}-{language}-votes-cooperative"))
            .await;
        page.close().await;
    }
}

#[tokio::test]
async fn the_votes_are_stepped_through_on_a_desktop() {
    let (width, height) = SIZES[0];
    the_story(width, height).await;
}

#[tokio::test]
async fn the_votes_are_stepped_through_on_a_tablet() {
    let (width, height) = SIZES[1];
    the_story(width, height).await;
}

#[tokio::test]
async fn the_votes_are_stepped_through_on_a_phone() {
    let (width, height) = SIZES[2];
    the_story(width, height).await;
}

#[tokio::test]
async fn one_to_nine_participants_fit() {
    let page = votes(1440, 900, false, "en-US").await;
    for count in [1, 2, 4, 6, 9] {
        page.ask(&format!(
            "const field = document.querySelector('[data-testid=\"knob/participants\"]');
             field.value = '{count}'; field.dispatchEvent(new Event('change', {{ bubbles: true }}))"
        ))
        .await;
        page.until(
            "they are on the stage",
            &format!("return document.querySelectorAll('.node.participant').length === {count}"),
        )
        .await;
        for (width, height) in SIZES {
            page.resize(width, height).await;
            page.go_to(page.last().await / 3).await;
            fits(&page, &format!("{count} participants, {width}×{height}")).await;
            page.picture(&format!("{width}x{height}-votes-{count}"))
                .await;
        }
        page.resize(1440, 900).await;
    }
    page.close().await;
}

#[tokio::test]
async fn a_vote_to_abort_and_a_crash_by_hand_are_taken_back() {
    let page = votes(1440, 900, false, "en-US").await;
    let vote = "document.querySelector('[data-testid=\"knob/participants/1/vote\"]')";
    page.ask(&format!(
        "const list = {vote}; list.value = 'abort'; list.dispatchEvent(new Event('change', {{ bubbles: true }}))"
    ))
    .await;
    page.until(
        "the vote is in the address",
        "return location.hash.includes('participants.1.vote=abort')",
    )
    .await;
    page.go_to(page.last().await).await;
    let all = states(&page).await;
    assert!(
        all.as_array()
            .expect("a list")
            .iter()
            .skip(1)
            .all(|it| it == "ABORT"),
        "{all}"
    );
    page.go_to(9).await;
    page.click("crash-orders").await;
    page.until(
        "the crash is in the address",
        "return location.hash.includes('b=9.')",
    )
    .await;
    page.ask("history.back()").await;
    page.until(
        "the run without it is back",
        "return !location.hash.includes('b=9.')",
    )
    .await;
    page.click("undo").await;
    page.until(
        "all vote commit again",
        "return !location.hash.includes('vote=abort')",
    )
    .await;
    // Nothing but the stage is offered here.
    for key in ["g", "m", "k"] {
        page.press(key).await;
        let stage = page
            .ask("return !!document.querySelector('#stage .node.committer')")
            .await;
        assert_eq!(stage, json!(true), "{key}");
    }
    page.press("?").await;
    page.until(
        "the keys are shown",
        "return !!document.querySelector('[data-testid=help]')",
    )
    .await;
    fits(&page, "the keys").await;
    page.close().await;
}

#[tokio::test]
async fn the_second_scenario_is_opened_from_the_list_and_its_address_leads_back() {
    let page = votes(1024, 768, false, "en-US").await;
    page.ask(
        "const list = document.querySelector('[data-testid=model]');
         list.value = 'votes-cooperative';
         list.dispatchEvent(new Event('change', { bubbles: true }))",
    )
    .await;
    page.until(
        "it is open",
        "return location.hash.includes('cooperative_termination=true')",
    )
    .await;
    page.pause().await;
    page.go_to(20).await;
    let hash = page.ask("return location.hash").await;
    let says = page.text("sentence").await;
    page.visit(hash.as_str().expect("text").trim_start_matches('#'))
        .await;
    assert_eq!(page.text("sentence").await, says);
    page.close().await;
}
