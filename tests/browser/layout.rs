//! Nothing cut off, nothing too wide, in every size, theme and language.

use serde_json::json;

use crate::harness::{Page, Setup};

/// Elements whose text does not fit into them, and text that is smaller than one can read.
pub(crate) const MISFITS: &str = "
    const wrong = [];
    const seen = e => { const s = getComputedStyle(e); return s.display !== 'none' && s.visibility !== 'hidden' && e.getClientRects().length > 0; };
    for (const e of document.querySelectorAll('body *')) {
        if (!seen(e) || e.closest('.unseen') || e.closest('svg')) continue;
        const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
        if (!own) continue;
        const style = getComputedStyle(e);
        if (parseFloat(style.fontSize) < 11) wrong.push('small: ' + e.textContent.trim().slice(0, 40));
        const box = e.getBoundingClientRect();
        if (style.overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1 && style.overflowX !== 'auto' && style.overflowX !== 'scroll')
            wrong.push('cut off: ' + e.textContent.trim().slice(0, 40));
        if (box.right > innerWidth + 1 && !e.closest('[data-scrolls]')) wrong.push('beyond the edge: ' + e.textContent.trim().slice(0, 40));
    }
    if (document.documentElement.scrollWidth > innerWidth + 1) wrong.push('the page is ' + document.documentElement.scrollWidth + ' wide');
    return wrong;";

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
