//! What the page asks of the browser, in one place.

use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Blob, BlobPropertyBag, Clipboard, Document, Element, File, HtmlAnchorElement, HtmlElement,
    ResizeObserver, SvgElement, Url, WheelEvent, Window,
};
use yew::{Callback, NodeRef, hook, use_effect_with, use_mut_ref};

use crate::stage::geometry::{Point, Size, point};
use crate::state::{Action, Notice};
use crate::text::{Label, Lang};

/// The window, if this runs in one.
pub fn window() -> Option<Window> {
    web_sys::window()
}

/// The document.
pub fn document() -> Option<Document> {
    window()?.document()
}

/// The element at the root of the document.
pub fn root() -> Option<HtmlElement> {
    document()?.document_element()?.dyn_into().ok()
}

/// How large the window is.
pub fn window_size() -> (f64, f64) {
    let size = || {
        let window = window()?;
        let w = window.inner_width().ok()?.as_f64()?;
        Some((w, window.inner_height().ok()?.as_f64()?))
    };
    size().unwrap_or((1024.0, 768.0))
}

/// Whether the person asked for a certain thing, such as less movement.
pub fn prefers(query: &str) -> bool {
    window()
        .and_then(|window| window.match_media(query).ok().flatten())
        .is_some_and(|answer| answer.matches())
}

/// The person's language, as far as the page speaks it.
pub fn language() -> Lang {
    window()
        .and_then(|window| window.navigator().language())
        .and_then(|code| Lang::of(&code))
        .unwrap_or_default()
}

/// The fragment of the address.
pub fn fragment() -> String {
    window()
        .and_then(|window| window.location().hash().ok())
        .unwrap_or_default()
}

/// The text of a file that comes with the page, by its address.
pub async fn fetch_text(address: &str) -> Option<String> {
    let answer = JsFuture::from(window()?.fetch_with_str(address))
        .await
        .ok()?;
    let answer: web_sys::Response = answer.dyn_into().ok()?;
    if !answer.ok() {
        return None;
    }
    JsFuture::from(answer.text().ok()?).await.ok()?.as_string()
}

/// Where the browser keeps things from visit to visit, if it does.
pub fn storage() -> Option<web_sys::Storage> {
    // To ask is refused where cookies are.
    window()?.local_storage().ok()?
}

/// The address of the page, without what it shows.
pub fn page_address() -> String {
    let address = || {
        let location = window()?.location();
        let (origin, path) = (location.origin().ok()?, location.pathname().ok()?);
        Some(format!("{origin}{path}"))
    };
    address().unwrap_or_default()
}

/// Writes the fragment of the address, without making an entry in the history.
pub fn set_fragment(fragment: &str) {
    // A browser refuses if this is done too often, some two hundred times in ten seconds: none of them in vain.
    if self::fragment().trim_start_matches('#') == fragment {
        return;
    }
    if let Some(history) = history() {
        let address = format!("#{fragment}");
        let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&address));
    }
}

/// Writes the fragment of the address, so that the browser's way back leads to the one before.
pub fn push_fragment(fragment: &str) {
    if let Some(history) = history() {
        let address = format!("#{fragment}");
        let _ = history.push_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&address));
    }
}

/// Goes the browser's way back.
pub fn back() {
    if let Some(history) = history() {
        // A browser that does not go back leaves the page as it is.
        let _ = history.back();
    }
}

/// The whole address of the page, with this fragment.
pub fn link(fragment: &str) -> String {
    let href = window().and_then(|window| window.location().href().ok());
    let href = href.unwrap_or_default();
    let page = href.split('#').next().unwrap_or_default();
    format!("{page}#{fragment}")
}

/// Copies a text, and tells whether the browser let it.
pub fn copy(text: String, done: impl FnOnce(bool) + 'static) {
    spawn_local(async move {
        let copied = match clipboard() {
            Some(clipboard) => JsFuture::from(clipboard.write_text(&text)).await.is_ok(),
            None => false,
        };
        done(copied);
    });
}

/// The clipboard. A page that does not come by https, or from this machine, has none.
fn clipboard() -> Option<Clipboard> {
    let navigator = window()?.navigator();
    let has_one = js_sys::Reflect::get(&navigator, &"clipboard".into());
    has_one
        .is_ok_and(|it| it.is_object())
        .then(|| navigator.clipboard())
}

/// Saves a text as a file, where the browser saves downloads.
pub fn save(name: &str, text: &str) {
    let saved = || {
        let parts = js_sys::Array::of1(&text.into());
        let options = BlobPropertyBag::new();
        options.set_type("application/json");
        let blob = Blob::new_with_str_sequence_and_options(&parts, &options).ok()?;
        let address = Url::create_object_url_with_blob(&blob).ok()?;
        let anchor = document()?.create_element("a").ok()?;
        let anchor: HtmlAnchorElement = anchor.dyn_into().ok()?;
        anchor.set_href(&address);
        anchor.set_download(name);
        anchor.click();
        Url::revoke_object_url(&address).ok()
    };
    // A browser that saves nothing says so itself.
    let _ = saved();
}

/// Looks at what scrolls from its top.
pub fn scroll_to_top(selector: &str) {
    let found = document().and_then(|document| document.query_selector(selector).ok().flatten());
    if let Some(element) = found {
        element.set_scroll_top(0);
    }
}

fn history() -> Option<web_sys::History> {
    window()?.history().ok()
}

/// Scrolls everything that a selector finds to where one element is scrolled to.
pub fn scroll_along(selector: &str, leader: &Element) {
    let found = document().and_then(|document| document.query_selector_all(selector).ok());
    let Some(found) = found else {
        return;
    };
    let elements = (0..found.length()).filter_map(|at| found.item(at)?.dyn_into::<Element>().ok());
    // What is where it should be is left alone: it would have the others follow it.
    for other in elements.filter(|other| other != leader) {
        if other.scroll_top() != leader.scroll_top() {
            other.set_scroll_top(leader.scroll_top());
        }
    }
}

/// Scrolls what an element lies in, as far as it takes to see it, and nothing else.
pub fn scroll_into_view(element: &Element) {
    let Some(frame) = element.parent_element() else {
        return;
    };
    let (frame_box, place) = (
        frame.get_bounding_client_rect(),
        element.get_bounding_client_rect(),
    );
    let above = frame_box.top() - place.top();
    let below = place.bottom() - frame_box.bottom();
    let way = if above > 0.0 { -above } else { below.max(0.0) };
    frame.set_scroll_top(frame.scroll_top() + way.round() as i32);
}

/// Gives an element the focus.
pub fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        // What cannot have the focus does not get it.
        let _ = element.focus();
    } else if let Some(element) = element.dyn_ref::<SvgElement>() {
        let _ = element.focus();
    }
}

/// The element that has the focus.
pub fn focused() -> Option<Element> {
    document()?.active_element()
}

/// The node of the stage that has the focus.
pub fn focused_node() -> Option<u16> {
    let active = focused()?;
    active.get_attribute("data-node")?.parse().ok()
}

/// Wall time in milliseconds.
pub fn wall_time() -> f64 {
    window()
        .and_then(|window| window.performance())
        .map_or(0.0, |performance| performance.now())
}

/// Reads a file as text, and opens what it holds as a scenario.
pub fn read_file(file: File, on: Callback<Action>) {
    spawn_local(async move {
        let text = JsFuture::from(file.text()).await;
        match text.ok().and_then(|text| text.as_string()) {
            Some(json) => on.emit(Action::Open(json)),
            None => on.emit(Action::Notify(Notice {
                about: Label::BadFile,
                detail: file.name(),
                field: None,
            })),
        }
    });
}

/// How many bytes the program has taken so far; none where it is not WebAssembly.
pub fn memory() -> usize {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size(0) * 65_536;
    #[cfg(not(target_arch = "wasm32"))]
    0
}

/// Keeps an account of how much room there is.
pub fn watch_size(
    element: &Element,
    room: yew::UseStateHandle<Size>,
) -> Option<impl Sized + use<>> {
    struct Watch {
        observer: ResizeObserver,
        _measure: Closure<dyn FnMut()>,
    }
    impl Drop for Watch {
        fn drop(&mut self) {
            self.observer.disconnect();
        }
    }
    let frame: HtmlElement = element.clone().dyn_into().ok()?;
    let size = move || Size {
        w: f64::from(frame.client_width()),
        h: f64::from(frame.client_height()),
    };
    room.set(size());
    let measure = Closure::<dyn FnMut()>::new(move || {
        let size = size();
        // Not at once: what is laid out anew while sizes are being told would change them again.
        let room = room.clone();
        Timeout::new(0, move || room.set(size)).forget();
    });
    let observer = ResizeObserver::new(measure.as_ref().unchecked_ref()).ok()?;
    observer.observe(element);
    Some(Watch {
        observer,
        _measure: measure,
    })
}

/// Has a wheel that turns over an element be heard, with the place on it. Whoever hears says whether it meant something;
/// otherwise the page scrolls.
#[hook]
pub fn use_wheel(element: &NodeRef, hear: impl Fn(&WheelEvent, Point) -> bool + 'static) {
    // What hears changes with every rendering, the listener does not.
    let latest = use_mut_ref(|| None::<Box<dyn Fn(&WheelEvent, Point) -> bool>>);
    *latest.borrow_mut() = Some(Box::new(hear));
    use_effect_with(element.clone(), move |element| {
        let listener = element.cast::<Element>().map(|element| {
            let active = EventListenerOptions::enable_prevent_default();
            let corner = element.clone();
            EventListener::new_with_options(&element, "wheel", active, move |event| {
                let Some(event) = event.dyn_ref::<WheelEvent>() else {
                    return;
                };
                let corner = corner.get_bounding_client_rect();
                let at = point(
                    f64::from(event.client_x()) - corner.x(),
                    f64::from(event.client_y()) - corner.y(),
                );
                let hear = latest.borrow();
                if hear.as_ref().is_some_and(|hear| hear(event, at)) {
                    event.prevent_default();
                }
            })
        });
        move || drop(listener)
    });
}
