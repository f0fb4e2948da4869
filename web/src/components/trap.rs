//! Keeps the focus within a dialog, as long as it is open.

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::KeyboardEvent;

use crate::browser::{focus, focused};

/// What can have the focus.
const FOCUSABLE: &str =
    "button:not(:disabled), input, select, textarea, a[href], summary, [tabindex='0']";

/// After the last thing in a dialog comes the first one, and before the first one the last.
pub(super) fn keep_within(event: &KeyboardEvent, dialog: Option<HtmlElement>) {
    let Some(all) = dialog.and_then(|dialog| dialog.query_selector_all(FOCUSABLE).ok()) else {
        return;
    };
    let element = |at: u32| all.item(at).and_then(|it| it.dyn_into::<Element>().ok());
    let (first, last) = (element(0), element(all.length().saturating_sub(1)));
    let (edge, other) = match event.shift_key() {
        true => (&first, &last),
        false => (&last, &first),
    };
    if focused() == *edge
        && let Some(other) = other
    {
        event.prevent_default();
        focus(other);
    }
}
