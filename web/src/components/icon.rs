//! The icons, drawn as paths so that they take the colour of the text around them.

use yew::{Html, html};

/// An icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// To the start.
    Start,
    /// One step back.
    Back,
    /// Play.
    Play,
    /// Pause.
    Pause,
    /// One step on.
    Step,
    /// To the next landmark.
    Next,
    /// To the landmark before.
    Previous,
    /// To the end.
    End,
    /// Right.
    Right,
    /// Wrong.
    Wrong,
    /// Neither right nor wrong.
    Neither,
    /// As the system has it.
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
    /// The knobs.
    Knobs,
    /// Take back.
    Undo,
    /// Write.
    Edit,
    /// Give away, or take away.
    Share,
}

/// An icon: decoration, never the only sign.
pub fn icon(shape: Shape) -> Html {
    let (path, filled) = match shape {
        Shape::Start => ("M4 3v10M13 3.5v9L6 8z", true),
        Shape::Back => ("M11.5 3.5v9L4.5 8z", true),
        Shape::Play => ("M5 3v10l8-5z", true),
        Shape::Pause => ("M4.5 3h2.6v10H4.5zM8.9 3h2.6v10H8.9z", true),
        Shape::Step => ("M4.5 3.5v9l7-4.5z", true),
        Shape::Next => ("M3 3.5v9L8.5 8zM9 3.5v9L14.5 8z", true),
        Shape::Previous => ("M13 3.5v9L7.5 8zM7 3.5v9L1.5 8z", true),
        Shape::End => ("M12 3v10M3 3.5v9L10 8z", true),
        Shape::Right => ("M3 8.5l3.5 3.5L13 4.5", false),
        Shape::Wrong => ("M4 4l8 8M12 4l-8 8", false),
        Shape::Neither => ("M3.5 8h9", false),
        Shape::Auto => ("M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11", false),
        Shape::Light => (
            "M8 5.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 0 0 0-5.6M8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M3.2 12.8l1.1-1.1M11.7 4.3l1.1-1.1",
            false,
        ),
        Shape::Dark => ("M13 9.6A5.6 5.6 0 0 1 6.4 3 5.4 5.4 0 1 0 13 9.6z", false),
        Shape::Undo => ("M5.5 2.5L2.5 5.5l3 3M2.8 5.5h6.4a4 4 0 0 1 0 8H5.5", false),
        Shape::Edit => (
            "M3 13l.6-2.8L11 2.8l2.2 2.2-7.4 7.4zM9.4 4.4l2.2 2.2",
            false,
        ),
        Shape::Share => (
            "M8 10V2M4.8 4.8L8 1.8l3.2 3M4 7.5H2.8v6.7h10.4V7.5H12",
            false,
        ),
        Shape::Knobs => (
            "M2 4.5h5M11 4.5h3M2 11.5h3M9 11.5h5M7 2.7v3.6h4V2.7zM5 9.7v3.6h4V9.7z",
            false,
        ),
    };
    html! {
        <svg class={if filled { "icon filled" } else { "icon" }} viewBox="0 0 16 16" aria-hidden="true">
            <path d={path} />
        </svg>
    }
}
