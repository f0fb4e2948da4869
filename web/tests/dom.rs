//! The page in a browser: what a click, a key and an address do to it.
//!
//! These tests run in headless Chromium, one after another, each with the whole page mounted anew.

#![cfg(target_arch = "wasm32")]

use barrierscope_web::app::{App, Message};
use barrierscope_web::state::{Action, Model};
use gloo_timers::future::sleep;
use js_sys::Promise;
use std::time::Duration;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{
    Element, HtmlElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent, KeyboardEventInit,
    PointerEvent, PointerEventInit,
};
use yew::AppHandle;

wasm_bindgen_test_configure!(run_in_browser);

/// The page, mounted at an address.
struct Mounted {
    handle: Option<AppHandle<App>>,
    place: Element,
}

impl Mounted {
    async fn at(fragment: &str) -> Self {
        let window = web_sys::window().unwrap();
        // What the page of another test remembers is nothing to this one.
        window.local_storage().unwrap().unwrap().clear().unwrap();
        let address = format!("#{fragment}");
        let history = window.history().unwrap();
        history
            .replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&address))
            .unwrap();
        let document = window.document().unwrap();
        let place = document.create_element("div").unwrap();
        document.body().unwrap().append_child(&place).unwrap();
        let handle = yew::Renderer::<App>::with_root(place.clone()).render();
        settle().await;
        let page = Self {
            handle: Some(handle),
            place,
        };
        // The stage is there once it knows how much room there is.
        while page.try_find("guarantees").is_none()
            && page.place.query_selector("[data-node]").unwrap().is_none()
        {
            settle().await;
        }
        page
    }

    fn find(&self, id: &str) -> Element {
        self.try_find(id)
            .unwrap_or_else(|| panic!("no element `{id}` on the page"))
    }

    fn try_find(&self, id: &str) -> Option<Element> {
        self.place
            .query_selector(&format!("[data-testid='{id}']"))
            .unwrap()
    }

    async fn click(&self, id: &str) {
        self.find(id).dyn_into::<HtmlElement>().unwrap().click();
        settle().await;
    }

    async fn key(&self, key: &str, shift: bool) {
        let init = KeyboardEventInit::new();
        init.set_key(key);
        init.set_shift_key(shift);
        init.set_bubbles(true);
        init.set_cancelable(true);
        let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).unwrap();
        self.place.dispatch_event(&event).unwrap();
        settle().await;
    }

    async fn act(&self, action: Action) {
        self.handle
            .as_ref()
            .unwrap()
            .send_message(Message::Act(action));
        settle().await;
    }

    /// The step that the timeline shows.
    fn step(&self) -> usize {
        self.find("scrubber")
            .get_attribute("aria-valuenow")
            .unwrap()
            .parse()
            .unwrap()
    }

    fn last(&self) -> usize {
        self.find("scrubber")
            .get_attribute("aria-valuemax")
            .unwrap()
            .parse()
            .unwrap()
    }

    fn text(&self, id: &str) -> String {
        self.find(id).text_content().unwrap()
    }

    fn number(&self, id: &str, attribute: &str) -> u64 {
        self.find(id)
            .get_attribute(attribute)
            .unwrap()
            .parse()
            .unwrap()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            handle.destroy();
        }
        self.place.remove();
    }
}

/// Lets the page render: what follows from an action is done when a few frames have been drawn, however long
/// that takes on a busy machine.
async fn settle() {
    for _ in 0..4 {
        let frame = Promise::new(&mut |resolve, _| {
            let window = web_sys::window().unwrap();
            window.request_animation_frame(&resolve).unwrap();
        });
        JsFuture::from(frame).await.unwrap();
        // Behind what the frame has put off to the next task.
        sleep(Duration::ZERO).await;
    }
}

fn fragment() -> String {
    web_sys::window().unwrap().location().hash().unwrap()
}

#[wasm_bindgen_test]
async fn a_click_steps_and_steps_back() {
    let page = Mounted::at("step=10").await;
    assert_eq!(page.step(), 10);
    page.click("step").await;
    assert_eq!(page.step(), 11);
    page.click("back").await;
    page.click("back").await;
    assert_eq!(page.step(), 9);
    assert_eq!(fragment(), "#step=9");
}

#[wasm_bindgen_test]
async fn without_a_step_in_the_address_the_story_runs() {
    let page = Mounted::at("").await;
    sleep(Duration::from_millis(1_500)).await;
    assert!(page.step() > 0, "time passes by itself");
    page.key(" ", false).await;
    let step = page.step();
    sleep(Duration::from_millis(400)).await;
    assert_eq!(page.step(), step, "space stops it");
}

#[wasm_bindgen_test]
async fn keys_go_through_the_run() {
    let page = Mounted::at("step=5").await;
    page.key("ArrowRight", false).await;
    assert_eq!(page.step(), 6);
    page.key("ArrowLeft", false).await;
    assert_eq!(page.step(), 5);
    page.key("ArrowRight", true).await;
    let landmark = page.step();
    assert!(landmark > 6, "the first checkpoint is further away");
    page.key("ArrowLeft", true).await;
    assert!(page.step() < landmark);
    page.key("End", false).await;
    assert_eq!(page.step(), page.last());
    page.key("Home", false).await;
    assert_eq!(page.step(), 0);
    page.key("?", false).await;
    assert!(page.try_find("help").is_some());
}

#[wasm_bindgen_test]
async fn keys_mean_nothing_inside_an_input() {
    let page = Mounted::at("step=5").await;
    page.act(Action::Knobs(true)).await;
    let input = page
        .place
        .query_selector("input[type=number]")
        .unwrap()
        .unwrap();
    let init = KeyboardEventInit::new();
    init.set_key("ArrowRight");
    init.set_bubbles(true);
    let event = KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).unwrap();
    input.dispatch_event(&event).unwrap();
    settle().await;
    assert_eq!(page.step(), 5);
}

#[wasm_bindgen_test]
async fn the_scrubber_seeks() {
    let page = Mounted::at("step=0").await;
    let rail = page.find("scrubber");
    let place = rail.get_bounding_client_rect();
    let press = |part: f64| {
        let init = PointerEventInit::new();
        init.set_client_x((place.x() + place.width() * part) as i32);
        init.set_client_y((place.y() + 5.0) as i32);
        init.set_buttons(1);
        init.set_bubbles(true);
        let event = PointerEvent::new_with_event_init_dict("pointerdown", &init).unwrap();
        rail.dispatch_event(&event).unwrap();
    };
    press(0.5);
    settle().await;
    let middle = page.step();
    assert!(
        middle > page.last() / 5 && middle < page.last() * 4 / 5,
        "{middle}"
    );
    press(1.0);
    settle().await;
    assert_eq!(page.step(), page.last());
}

#[wasm_bindgen_test]
async fn a_crash_makes_a_branch_and_keeps_the_run() {
    let page = Mounted::at("step=200").await;
    page.act(Action::Knobs(true)).await;
    page.click("crash-total[1]").await;
    assert_eq!(page.step(), 201);
    assert!(
        page.text("sentence").contains("total 2/2 crashed"),
        "{}",
        page.text("sentence")
    );
    assert!(fragment().contains("b=200."), "{}", fragment());
    let runs = page.text("runs");
    assert!(
        runs.contains("as the scenario has it") && runs.contains("total 2/2 crashes"),
        "{runs}"
    );
    page.act(Action::Run(0)).await;
    assert!(!page.text("sentence").contains("crashed"));
    assert!(!fragment().contains("b="));
}

#[wasm_bindgen_test]
async fn the_address_leads_back_to_a_branch() {
    let page = Mounted::at("step=200").await;
    page.act(Action::Knobs(true)).await;
    page.click("crash-total[1]").await;
    let (address, told) = (fragment(), page.text("sentence"));
    drop(page);
    let page = Mounted::at(address.trim_start_matches('#')).await;
    assert_eq!(page.text("sentence"), told);
    assert_eq!(page.step(), 201);
}

#[wasm_bindgen_test]
async fn the_sink_decides_what_the_dashboard_shows() {
    let page = Mounted::at("step=999999").await;
    assert!(page.number("dashboard-total", "data-value") > 2_000_000);
    assert!(page.number("verdict", "data-doubled") > 0);
    page.click("sink-exactly-once").await;
    assert_eq!(page.number("dashboard-total", "data-value"), 1_991_379);
    assert_eq!(page.number("verdict", "data-doubled"), 0);
    assert_eq!(page.number("verdict", "data-lost"), 0);
    assert_eq!(page.number("verdict", "data-visible"), 190);
}

#[wasm_bindgen_test]
async fn both_languages_are_spoken() {
    for (lang, word) in [("en", "checkpoint coordinator"), ("zh", "检查点协调器")] {
        let page = Mounted::at(&format!("lang={lang}&step=120")).await;
        page.key("ArrowRight", true).await;
        assert!(page.text("app").contains(word), "{lang}");
        assert!(!page.text("sentence").is_empty(), "{lang}");
    }
}

#[wasm_bindgen_test]
async fn a_wrong_scenario_is_told_about_and_the_stage_stays() {
    let page = Mounted::at("step=50").await;
    let shown = page.text("sentence");
    page.act(Action::Open(
        r#"{ "version": 1, "name": "none" }"#.to_owned(),
    ))
    .await;
    assert!(
        page.text("notice").contains("inputs"),
        "{}",
        page.text("notice")
    );
    assert_eq!(page.step(), 50);
    assert_eq!(page.text("sentence"), shown);
    page.key("Escape", false).await;
    assert!(page.try_find("notice").is_none());
}

#[wasm_bindgen_test]
async fn a_bad_address_is_told_about_and_the_story_shown() {
    let page = Mounted::at("step=20&interval=0").await;
    assert!(
        page.text("notice").contains("checkpointing.interval_ms"),
        "{}",
        page.text("notice")
    );
    assert!(page.last() > 100);
}

#[wasm_bindgen_test]
async fn a_setting_runs_the_story_again() {
    let page = Mounted::at("step=100").await;
    page.act(Action::Knobs(true)).await;
    let seed = page.place.query_selector_all("input[type=number]").unwrap();
    let seed: HtmlInputElement = seed.get(seed.length() - 1).unwrap().dyn_into().unwrap();
    seed.set_value("99");
    let event = web_sys::Event::new_with_event_init_dict("change", &{
        let init = web_sys::EventInit::new();
        init.set_bubbles(true);
        init
    })
    .unwrap();
    seed.dispatch_event(&event).unwrap();
    settle().await;
    assert!(fragment().contains("seed=99"), "{}", fragment());
}

#[wasm_bindgen_test]
async fn the_stage_shows_every_node_and_the_canvas_is_painted() {
    let page = Mounted::at("step=233").await;
    sleep(Duration::from_millis(300)).await;
    let nodes = page.place.query_selector_all("[data-node]").unwrap();
    assert_eq!(nodes.length(), 13);
    let canvas: web_sys::HtmlCanvasElement = page
        .place
        .query_selector("canvas")
        .unwrap()
        .unwrap()
        .dyn_into()
        .unwrap();
    assert!(canvas.width() > 100 && canvas.height() > 100);
    assert_eq!(
        web_sys::window()
            .unwrap()
            .document()
            .unwrap()
            .document_element()
            .unwrap()
            .get_attribute("data-step")
            .as_deref(),
        Some("233")
    );
}

#[wasm_bindgen_test]
async fn cells_of_the_table_of_guarantees_open_runs_that_prove_them() {
    let page = Mounted::at("model=delivery&view=guarantees&step=0").await;
    let all = page
        .place
        .query_selector_all(".guarantees td")
        .unwrap()
        .length();
    assert!(all > 0);
    while page.number("guarantees", "data-computed") < u64::from(all) {
        settle().await;
    }
    let proofs = page.place.query_selector_all(".proof").unwrap();
    let ids: Vec<String> = (0..proofs.length())
        .filter_map(|at| {
            let proof: Element = proofs.get(at)?.dyn_into().ok()?;
            proof.get_attribute("data-testid")
        })
        .collect();
    let first = |end: &str| ids.iter().find(|id| id.ends_with(end)).cloned();
    let last = |end: &str| ids.iter().rfind(|id| id.ends_with(end)).cloned();
    let chosen = [
        first("loss"),
        last("duplicate"),
        last("calm").or(last("loss")),
    ];
    drop(page);
    for id in chosen.into_iter().flatten() {
        let page = Mounted::at("model=delivery&view=guarantees&step=0").await;
        while page.try_find(&id).is_none() {
            settle().await;
        }
        page.click(&id).await;
        assert!(page.try_find("guarantees").is_none(), "the stage is shown");
        let step = page.step();
        assert!(step > 0, "{id}");
        if id.ends_with("duplicate") {
            assert!(page.number("verdict", "data-doubled") > 0, "{id}");
        }
        page.key("ArrowLeft", false).await;
        assert_eq!(page.step(), step - 1, "{id}");
        assert_eq!(page.number("verdict", "data-doubled"), 0, "{id}");
        page.key("ArrowRight", false).await;
        assert_eq!(page.step(), step, "{id}");
        assert!(!page.text("sentence").is_empty());
        let address = fragment();
        assert!(address.contains("model=delivery"), "{address}");
        let told = page.text("sentence");
        drop(page);
        let again = Mounted::at(address.trim_start_matches('#')).await;
        assert_eq!(again.text("sentence"), told, "{id}");
    }
}

#[wasm_bindgen_test]
async fn a_refused_option_of_kafka_says_why_beside_itself() {
    let page =
        Mounted::at("model=delivery&step=5&producers.0.config.enable.idempotence=true").await;
    page.act(Action::Knobs(true)).await;
    let list: HtmlSelectElement = page
        .find("knob/producers/0/config/acks")
        .dyn_into()
        .unwrap();
    list.set_selected_index(2);
    let init = web_sys::EventInit::new();
    init.set_bubbles(true);
    let event = web_sys::Event::new_with_event_init_dict("change", &init).unwrap();
    list.dispatch_event(&event).unwrap();
    settle().await;
    let refused = page.place.query_selector(".refused").unwrap().unwrap();
    let says = refused.text_content().unwrap();
    assert!(says.contains("acks"), "{says}");
    assert_eq!(list.selected_index(), 3, "what is in force is shown");
}

#[wasm_bindgen_test]
async fn the_browser_leads_back_from_one_model_to_the_other() {
    let page = Mounted::at("step=7").await;
    page.act(Action::Model(Model::Delivery)).await;
    page.act(Action::GoTo(3)).await;
    assert!(fragment().contains("model=delivery"), "{}", fragment());
    assert!(page.text("app").contains("orders-0"));
    web_sys::window()
        .unwrap()
        .history()
        .unwrap()
        .back()
        .unwrap();
    settle().await;
    settle().await;
    assert_eq!(fragment(), "#step=7");
    assert_eq!(page.step(), 7);
    assert!(page.try_find("dashboard-total").is_some());
}

#[wasm_bindgen_test]
async fn clients_and_brokers_can_be_broken_from_the_panel() {
    let page = Mounted::at("model=delivery&step=40&faults.schedule=[]&faults.messages=[]").await;
    page.act(Action::Knobs(true)).await;
    page.click("crash-broker-1").await;
    assert_eq!(page.step(), 41);
    assert!(
        page.text("sentence").contains("Broker 1 crashed"),
        "{}",
        page.text("sentence")
    );
    page.click("pause-shop").await;
    assert!(page.text("sentence").contains("shop stands still"));
    page.click("pause-shop").await;
    assert!(page.text("sentence").contains("shop goes on"));
}

#[wasm_bindgen_test]
async fn kafka_is_told_in_both_languages() {
    for model in ["delivery", "streams"] {
        for (lang, word) in [("en", "transaction coordinator"), ("zh", "事务协调器")] {
            let page = Mounted::at(&format!("model={model}&lang={lang}&step=20")).await;
            assert!(page.text("app").contains(word), "{model}, {lang}");
            assert!(!page.text("sentence").is_empty(), "{model}, {lang}");
        }
    }
}
