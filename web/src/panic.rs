//! If the program makes a mistake, the page says so and offers a way on, instead of standing still: the run can be saved,
//! and opened again.

use std::cell::RefCell;
use std::panic::PanicHookInfo;

use crate::browser::{document, language, root};
use crate::export::trace::{self, Way};
use crate::text::{Label, Lang, label};

thread_local! {
    /// What is saved if the program stops: after a mistake nothing of it can be relied on.
    static LAST: RefCell<(String, Way)> = const { RefCell::new((String::new(), Way { branches: Vec::new(), step: 0 })) };
}

/// Puts aside by which scenario, and on which way through it, one has come to what is shown.
pub fn put_aside(way: Way, scenario: impl FnOnce() -> Option<String>) {
    LAST.with(|last| {
        if let Ok(mut last) = last.try_borrow_mut() {
            if let Some(scenario) = scenario() {
                last.0 = scenario;
            }
            last.1 = way;
        }
    });
}

/// Has mistakes shown on the page.
pub fn show_on_page() {
    // By Yew's own door: it would put a hook of its own in the place of any other.
    yew::set_custom_panic_hook(Box::new(|info| {
        // For whoever looks for the mistake.
        web_sys::console::error_1(&info.to_string().into());
        // A hook must not fail in its turn; where there is no page there is nothing to show.
        let _ = show(info);
    }));
}

fn show(info: &PanicHookInfo<'_>) -> Option<()> {
    let said = root().and_then(|root| Lang::of(&root.lang()));
    let lang = said.unwrap_or_else(language);
    let document = document()?;
    let make = |tag: &str, class: &str, text: &str| {
        let element = document.create_element(tag).ok()?;
        element.set_class_name(class);
        element.set_text_content(Some(text));
        Some(element)
    };
    let place = make("div", "panic", "")?;
    place.set_attribute("role", "alert").ok()?;
    place.set_attribute("data-testid", "panic").ok()?;
    let says = make("p", "", label(lang, Label::Panicked))?;
    let details = make("pre", "", &info.to_string())?;
    place.append_with_node_1(&says).ok()?;
    place.append_with_node_1(&details).ok()?;
    // Plain links, as nothing of the program can be relied on any more.
    for (words, address) in [
        (Label::SaveRun, saved()),
        (Label::Reload, document.location()?.href().ok()),
        (Label::StartAfresh, document.location()?.pathname().ok()),
    ] {
        let Some(address) = address else { continue };
        let link = make("a", "button", label(lang, words))?;
        link.set_attribute("href", &address).ok()?;
        match words {
            Label::SaveRun => link
                .set_attribute("download", "barrierscope.run.json")
                .ok()?,
            Label::Reload => link.set_attribute("onclick", "location.reload()").ok()?,
            // Whatever was kept may be what it stumbles over.
            _ => {
                let forget = format!(
                    "try {{ localStorage.removeItem('{}') }} catch (_) {{}}",
                    crate::remember::NAME
                );
                link.set_attribute("onclick", &forget).ok()?;
            }
        }
        place.append_with_node_1(&link).ok()?;
    }
    document.body()?.append_with_node_1(&place).ok()
}

/// The run as a file, within an address: its scenario and the way through it, from which all else comes.
fn saved() -> Option<String> {
    let text = LAST.with(|last| {
        let last = last.try_borrow().ok()?;
        (!last.0.is_empty()).then(|| trace::write_way(&last.0, &last.1))
    })?;
    let encoded = String::from(js_sys::encode_uri_component(&text));
    Some(format!("data:application/json;charset=utf-8,{encoded}"))
}
