//! The dashboard: the sum that its reader sees, and how it stands to the true one.

use yew::{Html, html};

use super::geometry::{Rect, point, px};
use super::shape::{Anchor, rect, stroke, words};
use crate::text::{Account, number};

/// The true total is at this part of the bar; the rest is room to be too much.
const TRUTH: f64 = 0.88;

/// What the dashboard shows.
pub fn inside(
    place: &Rect,
    heading: String,
    total: u64,
    true_total: u64,
    account: Option<&Account>,
) -> Html {
    let look = match account.and_then(|account| account.right) {
        Some(true) => "right",
        Some(false) => "wrong",
        None => "",
    };
    let whole = Rect {
        x: 2.0,
        y: 60.0,
        w: place.w.min(330.0) - 4.0,
        h: 5.0,
    };
    let truth = whole.w * TRUTH;
    let filled = (truth * total as f64 / true_total.max(1) as f64).min(whole.w);
    let over = Rect {
        x: whole.x + truth,
        w: (filled - truth).max(0.0),
        ..whole
    };
    html! {
        <g class={look}>
            { words("label", point(2.0, 14.0), Anchor::Start, heading) }
            <text
                class="total"
                x="0"
                y="49"
                data-testid="dashboard-total"
                data-value={total.to_string()}
            >
                { number(total) }
            </text>
            { rect("meter", &whole, 2.5) }
            { rect("filled", &Rect { w: filled.min(truth), ..whole }, 2.5) }
            { rect("over", &over, 0.0) }
            { stroke("truth", format!("M{} 56v13", px(whole.x + truth))) }
            if let Some(account) = account {
                { words("says", point(2.0, 86.0), Anchor::Start, account.text.clone()) }
            }
        </g>
    }
}
