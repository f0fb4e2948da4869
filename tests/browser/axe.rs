//! Whether everybody can use the page, as far as axe can tell: contrast, names, roles, landmarks, in every view.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Page, Setup, variable};

/// Where the page is looked at, besides every view of every model.
const STATES: [&str; 4] = [
    "case=KP03&step=60",
    "lesson=4.2&step=40",
    "step=300&names=2pc",
    "model=votes&step=45",
];

const MODELS: [&str; 5] = ["pipeline", "kafka-to-kafka", "delivery", "streams", "votes"];

/// What axe finds wrong: the rule, and the first few elements that break it.
async fn violations(page: &Page) -> Value {
    page.driver
        .execute_async(
            "const done = arguments[arguments.length - 1];
             axe.run(document, { resultTypes: ['violations'] }).then(
                 found => done(found.violations.map(it => [it.id, it.nodes.length, ...it.nodes.slice(0, 4).map(node => node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? ''))])),
                 error => done([String(error)]),
             );",
            vec![],
        )
        .await
        .expect("axe runs")
        .json()
        .clone()
}

async fn all_views(width: u32, height: u32, looks: [(bool, &'static str); 2]) {
    let axe = fs::read_to_string(variable("AXE")).expect("axe is there");
    let mut wrong = Vec::new();
    for (dark, language) in looks {
        let page = Page::open_with(Setup {
            width,
            height,
            dark,
            language,
            // What fades in is not yet what one reads.
            reduced_motion: true,
            ..Setup::default()
        })
        .await;
        let mut fragments: Vec<String> = STATES.iter().map(|it| (*it).to_owned()).collect();
        for model in MODELS {
            page.visit(&format!("model={model}&step=60")).await;
            let views = page
                .ask("return [...document.querySelectorAll('.views button')].map(b => b.dataset.testid.slice(5))")
                .await;
            let views: Vec<String> = serde_json::from_value(views).expect("names of views");
            fragments.extend(
                views
                    .iter()
                    .map(|view| format!("model={model}&step=60&view={view}")),
            );
        }
        fragments.push("view=fault-matrix".to_owned());
        for fragment in fragments {
            page.visit(&fragment).await;
            page.until(
                "nothing is computed any more",
                "return !document.querySelector('[aria-busy=true]')",
            )
            .await;
            page.ask(&axe).await;
            let found = violations(&page).await;
            if found != json!([]) {
                wrong.push(format!(
                    "{width}, dark {dark}, {language}, {fragment}: {found:#}"
                ));
            }
        }
        page.close().await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn everybody_can_use_the_page_on_a_large_screen() {
    all_views(1440, 900, [(false, "en-US"), (true, "zh-CN")]).await;
}

#[tokio::test]
async fn everybody_can_use_the_page_on_a_phone() {
    all_views(390, 844, [(true, "en-US"), (false, "zh-CN")]).await;
}
