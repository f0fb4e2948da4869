//! Gives the person a file, or puts text onto the clipboard.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, HtmlTextAreaElement, Url};

use crate::browser::{document, window};

/// How long a file may be fetched after it was offered, in milliseconds.
const OFFERED: u32 = 60_000;

/// Offers bytes as a file. False if the browser does not take them.
pub fn file(name: &str, kind: &str, bytes: &[u8]) -> bool {
    let parts = Array::of1(&Uint8Array::from(bytes));
    let bag = BlobPropertyBag::new();
    bag.set_type(kind);
    Blob::new_with_u8_array_sequence_and_options(&parts, &bag)
        .ok()
        .and_then(|blob| offer(name, &blob))
        .is_some()
}

/// Offers what is there as a file.
pub fn offer(name: &str, blob: &Blob) -> Option<()> {
    let address = Url::create_object_url_with_blob(blob).ok()?;
    let document = document()?;
    let link: HtmlAnchorElement = document.create_element("a").ok()?.dyn_into().ok()?;
    link.set_href(&address);
    link.set_download(name);
    // Some browsers follow only what is in the document.
    let body = document.body()?;
    body.append_child(&link).ok()?;
    link.click();
    link.remove();
    gloo_timers::callback::Timeout::new(OFFERED, move || {
        // An address that is no longer known does no harm.
        let _ = Url::revoke_object_url(&address);
    })
    .forget();
    Some(())
}

/// Puts text onto the clipboard. False if the browser does not allow it.
pub async fn copy(text: &str) -> bool {
    copy_by_interface(text).await.is_some() || copy_by_selection(text).is_some()
}

async fn copy_by_interface(text: &str) -> Option<()> {
    // There is none where the page comes over an open connection.
    let navigator: JsValue = window()?.navigator().into();
    let clipboard = js_sys::Reflect::get(&navigator, &"clipboard".into()).ok()?;
    let clipboard: web_sys::Clipboard =
        (!clipboard.is_undefined()).then(|| clipboard.unchecked_into())?;
    JsFuture::from(clipboard.write_text(text))
        .await
        .ok()
        .map(drop)
}

/// The old way: select it, and have the browser copy what is selected.
fn copy_by_selection(text: &str) -> Option<()> {
    let document = document()?;
    let area: HtmlTextAreaElement = document.create_element("textarea").ok()?.dyn_into().ok()?;
    area.set_value(text);
    area.set_class_name("unseen");
    let before = crate::browser::focused();
    document.body()?.append_child(&area).ok()?;
    area.select();
    let document: web_sys::HtmlDocument = document.dyn_into().ok()?;
    let copied = document.exec_command("copy").unwrap_or(false);
    area.remove();
    if let Some(before) = before {
        crate::browser::focus(&before);
    }
    copied.then_some(())
}

/// A name for a file: what the scenario is called, without what a file's name must not have.
pub fn file_name(scenario: &str, ending: &str) -> String {
    let mut name = String::new();
    for letter in scenario.trim().chars().take(60) {
        match letter {
            letter if letter.is_alphanumeric() => name.extend(letter.to_lowercase()),
            _ if name.ends_with('-') || name.is_empty() => {}
            _ => name.push('-'),
        }
    }
    let name = name.trim_end_matches('-');
    let name = if name.is_empty() {
        "barrierscope"
    } else {
        name
    };
    format!("{name}.{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_is_that_of_the_scenario() {
        assert_eq!(
            file_name("Two million / never: were?", "svg"),
            "two-million-never-were.svg"
        );
        assert_eq!(
            file_name("从未存在的两百万", "json"),
            "从未存在的两百万.json"
        );
        assert_eq!(file_name("../..", "json"), "barrierscope.json");
    }
}
