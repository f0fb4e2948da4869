//! Nothing cut off, nothing too wide, in every size, theme and language.

use serde_json::json;

use crate::harness::{Page, Setup};

/// Text that cannot be read: smaller than one can read, cut off by its own box or by one around it, beyond the
/// edge of the page, or with a word that is broken in two.
///
/// What scrolls downwards may hide what is further down; what scrolls sideways may only if it says that it is
/// meant to (`data-scrolls`). An option's name may break behind a dot: there the page has a `<wbr>`, which
/// parts the text.
pub(crate) const MISFITS: &str = "
    const wrong = new Set();
    const say = (what, text) => wrong.add(what + ': ' + text.trim().replace(/\\s+/g, ' ').slice(0, 60));
    // What stands in a list that is not open is laid out, and not seen.
    const seen = e => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;
    const hides = way => way === 'hidden' || way === 'clip';
    const scrolls = way => way === 'auto' || way === 'scroll';
    const range = document.createRange();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const text = texts.currentNode, e = text.parentElement;
        if (!text.textContent.trim() || !seen(e) || e.closest('.unseen, svg, option, script, style, noscript')) continue;
        const style = getComputedStyle(e);
        if (parseFloat(style.fontSize) < 11) say('small', text.textContent);
        range.selectNodeContents(text);
        const lines = [...range.getClientRects()].filter(line => line.width > 0.5);
        const left = Math.min(...lines.map(line => line.left)), right = Math.max(...lines.map(line => line.right));
        const bottom = Math.max(...lines.map(line => line.bottom));
        let across = true, down = true;
        for (let box = e; box && box !== document.body && (across || down); box = box.parentElement) {
            const around = getComputedStyle(box), edge = box.getBoundingClientRect();
            const isMeant = scrolls(around.overflowX) && box.hasAttribute('data-scrolls');
            if (across && around.overflowX !== 'visible' && !isMeant && (right > edge.right + 1 || left < edge.left - 1)) say('cut off', text.textContent);
            if (down && hides(around.overflowY) && bottom > edge.bottom + 1) say('cut off below', text.textContent);
            if (isMeant) across = false;
            if (scrolls(around.overflowY)) down = false;
            if (around.position === 'fixed') break;
        }
        if (across && right > innerWidth + 1) say('beyond the edge', text.textContent);
        for (const word of text.textContent.matchAll(/[A-Za-z0-9_.=#]{2,}/g)) {
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            const tops = new Set([...range.getClientRects()].filter(part => part.width > 0.5).map(part => Math.round(part.top)));
            if (tops.size > 1) say('broken', word[0]);
        }
    }
    // What is picked in a list has to fit beside its arrow; no line box tells whether it does.
    const pen = document.createElement('canvas').getContext('2d');
    for (const list of document.querySelectorAll('select')) {
        if (!seen(list) || !list.selectedOptions[0]) continue;
        const style = getComputedStyle(list), picked = list.selectedOptions[0].textContent;
        pen.font = style.fontWeight + ' ' + style.fontSize + ' ' + style.fontFamily;
        if (pen.measureText(picked).width > list.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16) say('cut off in its list', picked);
    }
    if (document.documentElement.scrollWidth > innerWidth + 1) wrong.add('the page is ' + document.documentElement.scrollWidth + ' wide');
    return [...wrong];";

async fn look(width: u32, height: u32) {
    for (language, short) in [("en-US", "en"), ("zh-CN", "zh")] {
        for dark in [false, true] {
            let page = Page::open_with(Setup {
                width,
                height,
                dark,
                language,
                ..Setup::default()
            })
            .await;
            let theme = if dark { "dark" } else { "light" };
            let last = page.last().await;
            for (moment, step) in [("flow", 60), ("aligned", 0), ("end", last)] {
                page.go_to(step).await;
                if moment == "aligned" {
                    // To the first blocked channel: landmarks lead there.
                    for _ in 0..2 {
                        page.press_with_shift(thirtyfour::Key::Right).await;
                    }
                }
                page.picture(&format!("{width}x{height}-{theme}-{short}-{moment}"))
                    .await;
                assert_eq!(
                    page.ask(MISFITS).await,
                    json!([]),
                    "{width}×{height}, {theme}, {short}, {moment}"
                );
            }
            page.go_to(500).await;
            for (view, opens) in [
                ("checkpoints", "open-checkpoint-2"),
                ("compare", "findings"),
            ] {
                page.click(&format!("view-{view}")).await;
                page.until(
                    "it is there",
                    &format!("return !!document.querySelector('[data-testid={opens}]')"),
                )
                .await;
                if view == "checkpoints" {
                    page.click(opens).await;
                }
                page.picture(&format!("{width}x{height}-{theme}-{short}-{view}"))
                    .await;
                assert_eq!(
                    page.ask(MISFITS).await,
                    json!([]),
                    "{width}×{height}, {theme}, {short}, {view}"
                );
            }
            let lang = page.ask("return document.documentElement.lang").await;
            assert!(
                lang.as_str().is_some_and(|lang| lang.starts_with(short)),
                "{lang}"
            );
            page.close().await;
        }
    }
}

#[tokio::test]
async fn fits_a_large_screen() {
    look(1440, 900).await;
}

#[tokio::test]
async fn fits_a_small_screen() {
    look(1024, 768).await;
}

#[tokio::test]
async fn fits_a_phone() {
    look(390, 844).await;
}
