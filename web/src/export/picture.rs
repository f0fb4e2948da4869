//! The stage as a picture that stands alone: what is drawn in SVG with its looks written into it, and what moves drawn
//! once more on top.

use wasm_bindgen::{Clamped, JsCast};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, CanvasRenderingContext2d, CssStyleDeclaration, Element, HtmlCanvasElement,
    HtmlImageElement, XmlSerializer,
};

use super::canvas::SvgCanvas;
use super::pen::{escaped, short};
use crate::browser::{document, window};
use crate::stage::motion::Motion;
use crate::stage::paint::{Painter, Palette};

/// What of its looks an element has from those around it, unless it says something else.
const INHERITED: [&str; 20] = [
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-opacity",
    "font-family",
    "font-size",
    "font-style",
    "font-weight",
    "font-variant-numeric",
    "letter-spacing",
    "text-anchor",
    "dominant-baseline",
    "paint-order",
    "visibility",
    "clip-rule",
    "color",
];

/// What it has for itself, and what that is if nothing is said.
const OWN: [(&str, &str); 4] = [
    ("opacity", "1"),
    ("rx", "auto"),
    ("stop-color", "rgb(0, 0, 0)"),
    ("text-decoration-line", "none"),
];

/// Attributes that mean something only in the page.
const OF_THE_PAGE: [&str; 6] = ["class", "tabindex", "role", "style", "width", "height"];

/// A picture and its size in pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// SVG.
    pub svg: String,
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
}

/// Draws the stage as it is now; nothing if it is not shown.
pub fn draw(
    title: &str,
    description: &str,
    lang: &str,
    motion: &Motion,
    palette: &Palette,
) -> Option<Picture> {
    let document = document()?;
    let stage = document.query_selector("#stage svg[viewBox]").ok()??;
    let inner = still(&stage)?;
    let bounds = stage.get_attribute("viewBox")?;
    let mut sides = bounds
        .split_whitespace()
        .skip(2)
        .filter_map(|it| it.parse::<f64>().ok());
    let (width, height) = (sides.next()?, sides.next()?);
    let style = window()?.get_computed_style(&stage).ok()??;
    let surface = surface(&stage)?;
    let family = style.get_property_value("font-family").unwrap_or_default();
    let moving = moving(motion, palette, width).unwrap_or_default();
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{bounds}\" width=\"{w}\" height=\"{h}\" lang=\"{lang}\" \
         font-family=\"{}\" role=\"img\"><title>{}</title><desc>{}</desc>\
         <rect width=\"{w}\" height=\"{h}\" fill=\"{}\"/>{inner}{moving}</svg>",
        escaped(&family),
        escaped(title),
        escaped(description),
        escaped(&surface),
        w = short(width),
        h = short(height),
    );
    Some(Picture { svg, width, height })
}

/// The colour of what the stage stands on.
fn surface(stage: &Element) -> Option<String> {
    let panel = stage.closest(".stage").ok()??;
    let style = window()?.get_computed_style(&panel).ok()??;
    style.get_property_value("background-color").ok()
}

/// What moves, in the units of the picture.
fn moving(motion: &Motion, palette: &Palette, width: f64) -> Option<String> {
    let canvas: HtmlCanvasElement = document()?.create_element("canvas").ok()?.dyn_into().ok()?;
    let svg = SvgCanvas::new();
    let painter = Painter::with(canvas, svg.context());
    painter.paint(motion, palette);
    let scale = width / f64::from(painter.canvas().width()).max(1.0);
    drop(painter);
    Some(format!(
        "<g transform=\"scale({})\">{}</g>",
        short_scale(scale),
        svg.into_svg()
    ))
}

/// More decimals than a place needs: it is multiplied by one.
fn short_scale(scale: f64) -> String {
    format!("{}", (scale * 1_000_000.0).round() / 1_000_000.0)
}

/// What stands still, with its looks written into each element.
fn still(stage: &Element) -> Option<String> {
    let copy: Element = stage.clone_node_with_deep(true).ok()?.dyn_into().ok()?;
    let (old, new) = (
        stage.query_selector_all("*").ok()?,
        copy.query_selector_all("*").ok()?,
    );
    let window = window()?;
    let mut superfluous = Vec::new();
    for at in 0..old.length().min(new.length()) {
        let (Some(old), Some(new)) = (old.item(at), new.item(at)) else {
            continue;
        };
        let (Ok(old), Ok(new)) = (old.dyn_into::<Element>(), new.dyn_into::<Element>()) else {
            continue;
        };
        let around = old
            .parent_element()
            .filter(|around| !around.is_same_node(Some(stage)));
        let (Ok(Some(style)), around) = (
            window.get_computed_style(&old),
            around.and_then(|around| window.get_computed_style(&around).ok().flatten()),
        ) else {
            continue;
        };
        let says = |name: &str| style.get_property_value(name).unwrap_or_default();
        if says("display") == "none" || new.tag_name() == "foreignObject" {
            superfluous.push(new);
            continue;
        }
        let moved = new
            .get_attribute("style")
            .is_some_and(|it| it.contains("transform"));
        dress(&new, &style, around.as_ref());
        if moved && says("transform") != "none" {
            let _ = new.set_attribute("transform", &says("transform"));
        }
    }
    for element in superfluous {
        element.remove();
    }
    let writer = XmlSerializer::new().ok()?;
    let mut inner = String::new();
    let mut child = copy.first_element_child();
    while let Some(element) = child {
        inner.push_str(&writer.serialize_to_string(&element).ok()?);
        child = element.next_element_sibling();
    }
    // The root says it for all.
    Some(inner.replace(" xmlns=\"http://www.w3.org/2000/svg\"", ""))
}

/// Writes its looks into an element, and takes out what means something only in the page.
fn dress(element: &Element, style: &CssStyleDeclaration, around: Option<&CssStyleDeclaration>) {
    let is_rect = matches!(element.tag_name().as_str(), "rect" | "svg" | "image");
    for name in element
        .get_attribute_names()
        .iter()
        .filter_map(|name| name.as_string())
    {
        let means_nothing = OF_THE_PAGE.contains(&name.as_str())
            && !(is_rect && matches!(name.as_str(), "width" | "height"))
            || name.starts_with("data-")
            || name.starts_with("aria-")
            || name.starts_with("on");
        let is_pattern =
            element.tag_name() == "pattern" && matches!(name.as_str(), "width" | "height");
        if means_nothing && !is_pattern {
            let _ = element.remove_attribute(&name);
        }
    }
    for name in INHERITED {
        let value = style.get_property_value(name).unwrap_or_default();
        let inherited = around.map(|around| around.get_property_value(name).unwrap_or_default());
        // What an element says itself goes, if it is what those around it say.
        if inherited.as_ref() == Some(&value) {
            let _ = element.remove_attribute(name);
        } else if !value.is_empty() {
            let _ = element.set_attribute(name, &value);
        }
    }
    for (name, usual) in OWN {
        let value = style.get_property_value(name).unwrap_or_default();
        if !value.is_empty() && value != usual && (name != "rx" || is_rect) {
            let _ = element.set_attribute(name, value.trim_end_matches("px"));
        }
    }
}

/// Has the browser draw a picture onto a canvas, so many times as large.
pub async fn rasterize(picture: &Picture, scale: f64) -> Option<HtmlCanvasElement> {
    let image = HtmlImageElement::new().ok()?;
    let encoded = String::from(js_sys::encode_uri_component(&picture.svg));
    image.set_src(&format!("data:image/svg+xml;charset=utf-8,{encoded}"));
    JsFuture::from(image.decode()).await.ok()?;
    let canvas: HtmlCanvasElement = document()?.create_element("canvas").ok()?.dyn_into().ok()?;
    let (width, height) = (
        (picture.width * scale).round(),
        (picture.height * scale).round(),
    );
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    let context = context(&canvas)?;
    context
        .draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height)
        .ok()?;
    Some(canvas)
}

fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok()??.dyn_into().ok()
}

/// The pixels of a canvas: four bytes each.
pub fn pixels(canvas: &HtmlCanvasElement) -> Option<Vec<u8>> {
    let (width, height) = (f64::from(canvas.width()), f64::from(canvas.height()));
    let data = context(canvas)?
        .get_image_data(0.0, 0.0, width, height)
        .ok()?;
    let Clamped(pixels) = data.data();
    Some(pixels)
}

/// A canvas as PNG.
pub async fn png(canvas: &HtmlCanvasElement) -> Option<Blob> {
    let made = js_sys::Promise::new(&mut |resolve, _| {
        // A canvas that cannot be written gives no blob either.
        if canvas.to_blob(&resolve).is_err() {
            let _ = resolve.call0(&wasm_bindgen::JsValue::NULL);
        }
    });
    JsFuture::from(made).await.ok()?.dyn_into().ok()
}
