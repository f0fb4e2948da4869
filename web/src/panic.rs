//! If the program makes a mistake, the page says so and offers a way on, instead of standing still.

use std::panic::PanicHookInfo;

use crate::browser::{document, language};
use crate::text::{Label, label};

/// Has mistakes shown on the page.
pub fn show_on_page() {
    std::panic::set_hook(Box::new(|info| {
        // A hook must not fail in its turn; where there is no page there is nothing to show.
        let _ = show(info);
    }));
}

fn show(info: &PanicHookInfo<'_>) -> Option<()> {
    let lang = language();
    let document = document()?;
    let make = |tag: &str, class: &str, text: &str| {
        let element = document.create_element(tag).ok()?;
        element.set_class_name(class);
        element.set_text_content(Some(text));
        Some(element)
    };
    let place = make("div", "panic", "")?;
    place.set_attribute("role", "alert").ok()?;
    let says = make("p", "", label(lang, Label::Panicked))?;
    let details = make("pre", "", &info.to_string())?;
    place.append_with_node_1(&says).ok()?;
    place.append_with_node_1(&details).ok()?;
    // Plain links, as nothing of the program can be relied on any more.
    for (words, address) in [
        (Label::Reload, document.location()?.href().ok()?),
        (Label::StartAfresh, document.location()?.pathname().ok()?),
    ] {
        let link = make("a", "button", label(lang, words))?;
        link.set_attribute("href", &address).ok()?;
        if matches!(words, Label::Reload) {
            link.set_attribute("onclick", "location.reload()").ok()?;
        }
        place.append_with_node_1(&link).ok()?;
    }
    document.body()?.append_with_node_1(&place).ok()
}
