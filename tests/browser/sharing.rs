//! What can be given away and taken away: links, files of every kind, pictures; each read by who reads it elsewhere.

use std::fs;

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use crate::harness::{Page, Setup, variable};

/// Has the page keep what it offers as a file, so that a test can look into it.
async fn keep_files(page: &Page) {
    page.ask(
        "const old = URL.createObjectURL; window.saved = [];
         URL.createObjectURL = blob => { window.saved.push(blob); return old.call(URL, blob); };",
    )
    .await;
}

/// The text of the file that was offered last, once there is one more than before.
async fn saved_text(page: &Page, id: &str) -> String {
    let before = page.number("return window.saved.length").await;
    page.click(id).await;
    page.until(
        &format!("{id} has made a file"),
        &format!("return window.saved.length > {before}"),
    )
    .await;
    let text = page
        .driver
        .execute_async(
            "const done = arguments[0]; window.saved.at(-1).text().then(done);",
            vec![],
        )
        .await
        .expect("it can be read");
    text.json().as_str().expect("it is text").to_owned()
}

async fn open_at(fragment: &str) -> Page {
    let page = Page::open_with(Setup {
        fragment: fragment.to_owned(),
        ..Setup::default()
    })
    .await;
    page.pause().await;
    keep_files(&page).await;
    page.press("s").await;
    page.find("share-dialog").await;
    page
}

#[tokio::test]
async fn every_format_of_a_run_is_saved() {
    let page = open_at("sink=exactly-once&step=240").await;
    for (id, sign) in [
        ("save-trace", "barrierscope-trace"),
        ("save-perfetto", "traceEvents"),
        ("save-itf", "\"vars\""),
    ] {
        let text = saved_text(&page, id).await;
        let parsed: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert!(parsed.is_object() && text.contains(sign), "{id}");
    }
    let log = saved_text(&page, "save-shiviz").await;
    let (parser, rest) = log.split_once('\n').expect("it has a first line");
    // ShiViz reads with JavaScript's expressions.
    let read = page
        .driver
        .execute(
            "const [parser, log] = arguments; return [...log.trim().matchAll(new RegExp(parser, 'g'))]
                 .filter(m => m.groups.host in JSON.parse(m.groups.clock) && m.groups.event).length;",
            vec![json!(parser), json!(rest)],
        )
        .await
        .expect("the expression is one");
    let entries = rest.trim().lines().count() / 2;
    assert_eq!(
        read.json().as_u64(),
        Some(entries as u64),
        "every entry is read"
    );
    assert!(entries > 50, "{entries}");
    let diagram = saved_text(&page, "save-mermaid").await;
    assert!(diagram.starts_with("sequenceDiagram\n"), "{diagram:.80}");
    let scenario = saved_text(&page, "save-scenario").await;
    let scenario: Value = serde_json::from_str(&scenario).expect("it is JSON");
    assert_eq!(scenario["version"], 1);
    page.press(Key::Escape).await;
    page.until(
        "the dialog is closed",
        "return !document.querySelector('[data-testid=share-dialog]')",
    )
    .await;
    page.close().await;
}

/// Mermaid reads and draws the diagrams of every model, in both languages.
#[tokio::test]
async fn mermaid_draws_the_sequence_diagrams() {
    let script = fs::read_to_string(variable("MERMAID")).expect("mermaid is there");
    for fragment in [
        "sink=exactly-once&step=240",
        "step=600&lang=zh",
        "model=kafka-to-kafka&step=120",
        "model=delivery&step=30&lang=zh",
        "model=streams&step=30",
        "model=votes&step=12",
        "case=KP03&step=20",
    ] {
        let page = open_at(fragment).await;
        let diagram = saved_text(&page, "save-mermaid").await;
        // As a script of the page: within a function its names would be its own.
        page.driver
            .execute(
                "const s = document.createElement('script'); s.textContent = arguments[0]; document.head.append(s);",
                vec![json!(script)],
            )
            .await
            .expect("mermaid is loaded");
        let drawn = page
            .driver
            .execute_async(
                "const [text, done] = arguments;
                 (async () => { mermaid.initialize({startOnLoad: false});
                     await mermaid.parse(text);
                     return (await mermaid.render('drawn', text)).svg.length; })().then(done, e => done(String(e)));",
                vec![json!(diagram)],
            )
            .await
            .expect("it answers");
        assert!(
            drawn.json().as_u64().is_some_and(|length| length > 5_000),
            "{fragment}: {} of\n{diagram}",
            drawn.json()
        );
        page.close_whatever_went_wrong().await;
    }
}

#[tokio::test]
async fn a_saved_run_is_opened_again() {
    let page = Page::open().await;
    page.go_to(200).await;
    page.click("crash-total[1]").await;
    page.wait_for_step(201).await;
    page.go_to(260).await;
    let print = page.ask("return window.barrierscope.fingerprint()").await;
    keep_files(&page).await;
    page.click("share").await;
    let run = saved_text(&page, "save-trace").await;
    page.press(Key::Escape).await;
    page.visit("model=votes").await;
    page.driver
        .execute(
            "const data = new DataTransfer();
             data.items.add(new File([arguments[0]], 'a.run.json'));
             document.querySelector('[data-testid=app]').dispatchEvent(
                 new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));",
            vec![json!(run)],
        )
        .await
        .expect("it is dropped");
    page.wait_for_step(260).await;
    assert_eq!(
        page.ask("return window.barrierscope.fingerprint()").await,
        print
    );
    page.close().await;
}

/// The saved SVG, drawn by the browser, looks like the stage: in both themes, of every model.
#[tokio::test]
async fn the_saved_picture_looks_like_the_stage() {
    for (fragment, dark) in [
        ("sink=exactly-once&step=240", false),
        ("sink=exactly-once&step=240", true),
        ("model=kafka-to-kafka&step=120", false),
        ("model=delivery&step=30", true),
        ("model=votes&step=12", false),
    ] {
        let page = Page::open_with(Setup {
            fragment: fragment.to_owned(),
            dark,
            reduced_motion: true,
            ..Setup::default()
        })
        .await;
        page.pause().await;
        let shot = page.cdp("Page.captureScreenshot", json!({})).await;
        let shot = shot["data"].as_str().expect("a picture").to_owned();
        keep_files(&page).await;
        page.press("s").await;
        let svg = saved_text(&page, "save-svg").await;
        assert!(
            svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""),
            "{svg:.80}"
        );
        assert!(svg.contains("<title>") && svg.contains("<desc>"));
        assert!(
            !svg.contains("var(--") && !svg.contains("class="),
            "it needs no style sheet"
        );
        let compared = page
            .driver
            .execute_async(
                "const [svg, shot, done] = arguments;
                 const load = src => new Promise((y, n) => { const i = new Image(); i.onload = () => y(i); i.onerror = n; i.src = src; });
                 (async () => {
                     const stage = document.querySelector('#stage svg[viewBox]').getBoundingClientRect();
                     const w = Math.round(stage.width), h = Math.round(stage.height);
                     const paint = draw => { const c = new OffscreenCanvas(w, h).getContext('2d'); draw(c); return c.getImageData(0, 0, w, h).data; };
                     const own = await load('data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svg));
                     const seen = await load('data:image/png;base64,' + shot);
                     const a = paint(c => c.drawImage(own, 0, 0, w, h));
                     const b = paint(c => c.drawImage(seen, stage.x, stage.y, w, h, 0, 0, w, h));
                     let different = 0, drawn = 0;
                     for (let i = 0; i < a.length; i += 4) {
                         const apart = Math.max(...[0, 1, 2].map(n => Math.abs(a[i + n] - b[i + n])));
                         if (apart > 60) different++;
                         if (Math.max(...[0, 1, 2].map(n => Math.abs(a[i + n] - a[n]))) > 24) drawn++;
                     }
                     return [different / (w * h), drawn / (w * h)];
                 })().then(done, e => done(String(e)));",
                vec![json!(svg), json!(shot)],
            )
            .await
            .expect("it answers");
        let figures: Vec<f64> = serde_json::from_value(compared.json().clone())
            .unwrap_or_else(|_| panic!("{fragment}: {}", compared.json()));
        println!(
            "{fragment} dark={dark}: different {:.4}, drawn {:.4}",
            figures[0], figures[1]
        );
        assert!(figures[0] < 0.02, "{fragment}: {figures:?}");
        assert!(
            figures[1] > 0.02,
            "{fragment}: something is drawn: {figures:?}"
        );
        page.close().await;
    }
}

#[tokio::test]
async fn png_and_animated_gif_are_what_they_are_called() {
    let page = open_at("sink=exactly-once&step=240").await;
    let before = page.number("return window.saved.length").await;
    page.click("save-png").await;
    page.until(
        "there is a PNG",
        &format!("return window.saved.length > {before}"),
    )
    .await;
    // A short stretch, by hand.
    page.driver
        .execute(
            "const list = document.querySelector('[data-testid=stretch]');
             list.value = 'between'; list.dispatchEvent(new Event('change', {bubbles: true}));",
            vec![],
        )
        .await
        .expect("it is chosen");
    for (id, step) in [("stretch-from", 236), ("stretch-to", 240)] {
        page.find(id).await;
        page.ask(&format!(
            "const f = document.querySelector('[data-testid={id}]'); f.value = '{step}';
             f.dispatchEvent(new InputEvent('input', {{bubbles: true}}));"
        ))
        .await;
    }
    let before = page.number("return window.saved.length").await;
    page.click("save-film").await;
    page.until(
        "there is a GIF",
        &format!("return window.saved.length > {before}"),
    )
    .await;
    let decoded = page
        .driver
        .execute_async(
            "const done = arguments[0];
             (async () => {
                 const [png, gif] = window.saved.slice(-2);
                 const picture = await createImageBitmap(png);
                 const film = new ImageDecoder({data: await gif.arrayBuffer(), type: 'image/gif'});
                 await film.tracks.ready;
                 const frames = film.tracks.selectedTrack.frameCount;
                 const last = await film.decode({frameIndex: frames - 1});
                 return [png.type, picture.width, gif.type, frames, last.image.displayWidth, gif.size];
             })().then(done, e => done(String(e)));",
            vec![],
        )
        .await
        .expect("it answers");
    let decoded = decoded.json();
    assert_eq!(decoded[0], "image/png", "{decoded}");
    assert!(
        decoded[1].as_u64().is_some_and(|width| width > 900),
        "{decoded}"
    );
    assert_eq!(decoded[2], "image/gif", "{decoded}");
    assert!(
        decoded[3].as_u64().is_some_and(|frames| frames >= 2),
        "{decoded}"
    );
    assert!(
        decoded[4].as_u64().is_some_and(|width| width > 300),
        "{decoded}"
    );
    // One looks at the step again that one looked at.
    page.wait_for_step(240).await;
    page.close().await;
}

#[tokio::test]
async fn a_film_can_be_given_up() {
    let page = open_at("step=400").await;
    page.ask(
        "const list = document.querySelector('[data-testid=stretch]');
         list.value = 'all'; list.dispatchEvent(new Event('change', {bubbles: true}));",
    )
    .await;
    page.click("save-film").await;
    page.find("film-progress").await;
    page.click("stop-film").await;
    page.find("save-film").await;
    page.wait_for_step(400).await;
    assert_eq!(page.number("return window.saved.length").await, 0.0);
    page.close_whatever_went_wrong().await;
}

#[tokio::test]
async fn the_link_leads_to_what_is_shown() {
    let page = open_at("model=delivery&producers.0.config.acks=1&step=25&lang=zh").await;
    let link = page
        .ask("return document.querySelector('[data-testid=link-text]').value")
        .await;
    let link = link.as_str().expect("text").to_owned();
    assert!(
        link.contains("#model=delivery") && link.contains("v=1."),
        "{link}"
    );
    let frame = page
        .ask("return document.querySelector('[data-testid=frame-text]').value")
        .await;
    let frame = frame.as_str().expect("text").to_owned();
    assert!(
        frame.starts_with("<iframe src=\"http") && frame.contains("?embed=1#model=delivery"),
        "{frame}"
    );
    page.click("copy-link").await;
    page.until(
        "it says what became of it",
        "return document.querySelector('[data-testid=share-says]').textContent.length > 2",
    )
    .await;
    let print = page.ask("return window.barrierscope.fingerprint()").await;
    page.press(Key::Escape).await;
    let fragment = link.split_once('#').expect("it has one").1;
    page.visit(fragment).await;
    page.wait_for_step(25).await;
    assert_eq!(
        page.ask("return window.barrierscope.fingerprint()").await,
        print
    );
    assert_eq!(
        page.ask("return !!document.querySelector('[role=alert]')")
            .await,
        json!(false)
    );
    page.close().await;
}

#[tokio::test]
async fn the_dialog_keeps_the_focus_and_fits() {
    for (name, width, height, dark, language) in [
        ("share-light", 1440, 900, false, "en-US"),
        ("share-dark-zh", 1024, 768, true, "zh-CN"),
        ("share-narrow", 390, 844, false, "en-US"),
        ("share-narrow-zh", 320, 640, true, "zh-CN"),
    ] {
        let page = Page::open_with(Setup {
            width,
            height,
            dark,
            language,
            fragment: "sink=exactly-once&step=240".to_owned(),
            ..Setup::default()
        })
        .await;
        page.click("share").await;
        page.find("share-dialog").await;
        page.picture(name).await;
        let fits = page
            .ask(
                "const d = document.querySelector('[data-testid=share-dialog]');
                 return d.scrollWidth <= d.clientWidth && d.getBoundingClientRect().right <= innerWidth",
            )
            .await;
        assert_eq!(fits, json!(true), "{name}");
        for _ in 0..30 {
            page.press(Key::Tab).await;
            let inside = page
                .ask("return !!document.activeElement.closest('[data-testid=share-dialog]')")
                .await;
            assert_eq!(inside, json!(true), "{name}");
        }
        page.close().await;
    }
}
