//! The few SVG elements that the stage is made of.

use yew::{AttrValue, Classes, Html, html};

use super::geometry::{Point, Rect, point, px};

/// A box with round corners.
pub fn rect(class: impl Into<Classes>, place: &Rect, corner: f64) -> Html {
    let class = class.into();
    html! {
        <rect
            {class}
            x={px(place.x)}
            y={px(place.y)}
            width={px(place.w)}
            height={px(place.h)}
            rx={px(corner)}
        />
    }
}

/// The cross at the corner of a box whose owner is down.
pub fn cross(place: &Rect) -> Html {
    html! {
        <g class="dead" transform={format!("translate({} 2)", px(place.w - 10.0))}>
            { disc("", point(0.0, 0.0), 9.0) }
            { stroke("", "M-3.6 -3.6L3.6 3.6M3.6 -3.6L-3.6 3.6") }
        </g>
    }
}

/// A disc.
pub fn disc(class: &'static str, at: Point, radius: f64) -> Html {
    html! { <circle {class} cx={px(at.x)} cy={px(at.y)} r={px(radius)} /> }
}

/// A stroke.
pub fn stroke(class: &'static str, outline: impl Into<AttrValue>) -> Html {
    html! { <path {class} d={outline.into()} /> }
}

/// On which side of its place a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// It stands around it.
    Middle,
    /// It ends there.
    End,
}

/// Words.
pub fn words(class: &'static str, at: Point, anchor: Anchor, text: impl Into<AttrValue>) -> Html {
    let text: AttrValue = text.into();
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    html! { <text {class} x={px(at.x)} y={px(at.y)} text-anchor={anchor}>{ text }</text> }
}
