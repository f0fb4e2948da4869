//! In a frame of another page, which drives it by messages.

use serde_json::{Value, json};

use crate::harness::{Page, Setup};

/// A page of another origin with the lab in a frame; it keeps what it hears in `window.heard`.
async fn host(page: &Page, query: &str) {
    let (origin, other) = (
        page.address.clone(),
        page.address.replace("127.0.0.1", "localhost"),
    );
    page.driver
        .goto("about:blank")
        .await
        .expect("it can be left");
    page.driver
        .goto(format!("{other}scenario.schema.json"))
        .await
        .expect("the host is served");
    page.driver
        .execute(
            "window.faults = []; window.heard = [];
             addEventListener('message', e => window.heard.push({origin: e.origin, ...e.data}));
             document.body.innerHTML = '<iframe style=\"width:900px;height:560px;border:0\"></iframe>';
             const frame = document.querySelector('iframe');
             frame.src = arguments[0];
             window.say = (type, more) => frame.contentWindow.postMessage({type: 'barrierscope:' + type, ...more}, '*');",
            vec![json!(format!("{origin}?embed=1{query}#sink=exactly-once&step=100"))],
        )
        .await
        .expect("the frame is made");
    page.until(
        "the frame is ready",
        "return window.heard.some(m => m.type === 'barrierscope:ready')",
    )
    .await;
}

async fn heard(page: &Page, kind: &str) -> Vec<Value> {
    let all = page
        .ask(&format!(
            "return window.heard.filter(m => m.type === 'barrierscope:{kind}')"
        ))
        .await;
    all.as_array().cloned().unwrap_or_default()
}

async fn wait_for(page: &Page, what: &str, test: &str) {
    page.until(what, &format!("return window.heard.some(m => {test})"))
        .await;
}

#[tokio::test]
async fn a_host_page_drives_the_frame() {
    let page = Page::open_with(Setup {
        reduced_motion: true,
        ..Setup::default()
    })
    .await;
    host(&page, "").await;
    page.picture("embed").await;
    // Before it has asked, it is neither told anything nor obeyed.
    page.ask("say('goTo', {step: 7})").await;
    page.ask("say('ping')").await;
    wait_for(
        &page,
        "it answers",
        "m.type === 'barrierscope:pong' && m.version === 1",
    )
    .await;
    let pong = heard(&page, "pong").await;
    assert_eq!(pong[0]["origin"], json!(page.address.trim_end_matches('/')));
    assert!(
        pong[0]["address"]
            .as_str()
            .is_some_and(|it| it.contains("step=100")),
        "{pong:?}"
    );
    wait_for(
        &page,
        "it tells the step",
        "m.type === 'barrierscope:step' && m.step === 100",
    )
    .await;
    assert!(heard(&page, "step").await.iter().all(|it| it["step"] != 7));
    page.ask("say('step')").await;
    wait_for(&page, "one step on", "m.step === 101").await;
    page.ask("say('back')").await;
    page.ask("say('goTo', {step: 42})").await;
    wait_for(&page, "another step", "m.step === 42").await;
    page.ask("say('play')").await;
    wait_for(&page, "it plays", "m.playing === true && m.step > 42").await;
    page.ask("say('pause')").await;
    page.until(
        "it pauses",
        "return window.heard.filter(m => m.type === 'barrierscope:step').at(-1).playing === false",
    )
    .await;
    page.ask("say('open', {address: 'model=votes&step=5'})")
        .await;
    wait_for(&page, "another scenario", "m.step === 5 && m.last < 300").await;
    wait_for(
        &page,
        "a verdict",
        "m.type === 'barrierscope:verdict' && 'guarantee' in m",
    )
    .await;
    page.ask("say('goTo', {step: 'x'})").await;
    page.ask("say('dance')").await;
    page.until(
        "what means nothing is said to",
        "return window.heard.filter(m => m.type === 'barrierscope:error').length === 2",
    )
    .await;
    page.close_whatever_went_wrong().await;
}

#[tokio::test]
async fn a_frame_for_one_host_hears_no_other() {
    let page = Page::open_with(Setup {
        reduced_motion: true,
        ..Setup::default()
    })
    .await;
    let other = page.address.replace("127.0.0.1", "localhost");
    let own = other
        .trim_end_matches('/')
        .replace(':', "%3A")
        .replace('/', "%2F");
    host(&page, &format!("&host={own}")).await;
    page.ask("say('ping')").await;
    wait_for(
        &page,
        "its own host is answered",
        "m.type === 'barrierscope:pong'",
    )
    .await;
    // For somebody else: it is not even told that the frame is there.
    page.ask(
        "window.heard = []; const frame = document.querySelector('iframe');
         frame.src = frame.src.replace(/host=[^#]*/, 'host=https%3A%2F%2Fexample.org')",
    )
    .await;
    page.driver.enter_frame(0).await.expect("there is a frame");
    page.until("it runs", "return !!window.barrierscope").await;
    page.driver.enter_default_frame().await.expect("back");
    for _ in 0..5 {
        page.ask("say('ping')").await;
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(page.ask("return window.heard.length").await, json!(0));
    page.close_whatever_went_wrong().await;
}

#[tokio::test]
async fn the_frame_has_a_bar_of_its_own() {
    for (name, width, dark) in [("embed-wide", 900, false), ("embed-narrow", 360, true)] {
        let page = Page::open_with(Setup {
            width,
            height: 560,
            dark,
            reduced_motion: true,
            ..Setup::default()
        })
        .await;
        let address = format!("{}?embed=1#sink=exactly-once&step=240", page.address);
        page.driver
            .goto("about:blank")
            .await
            .expect("it can be left");
        page.driver.goto(address).await.expect("it is served");
        page.until(
            "it runs",
            "return !!window.barrierscope && !!document.querySelector('.embed-bar')",
        )
        .await;
        page.wait_for_step(240).await;
        page.picture(name).await;
        page.click("step").await;
        page.wait_for_step(241).await;
        page.click("play").await;
        page.until(
            "it plays",
            "return document.documentElement.dataset.step > 241",
        )
        .await;
        let link = page.attribute("open-whole", "href").await;
        assert!(
            link.contains("#sink=exactly-once") && !link.contains("embed"),
            "{link}"
        );
        assert_eq!(
            page.ask("return document.querySelectorAll('.inspector, .top-bar').length")
                .await,
            json!(0)
        );
        page.close().await;
    }
}
