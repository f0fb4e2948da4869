//! Grants what a person asks to have: files, pictures, text on the clipboard.

use wasm_bindgen_futures::spawn_local;
use yew::Context;

use super::{App, Message};
use crate::browser;
use crate::export::picture::{self, Picture};
use crate::export::wish::Wish;
use crate::remember;
use crate::save::{self, file_name};
use crate::state::{Action, Page};
use crate::text::{self, Label};

/// A picture of pixels has so many for each of the page's.
const SHARP: f64 = 2.0;

impl App {
    /// Grants a wish; tells whether something on the page changes.
    pub(super) fn grant(&mut self, ctx: &Context<Self>, wish: Wish) -> bool {
        let page = self.page.borrow();
        let name = page
            .view
            .run
            .with(|session| session.story().name().to_owned());
        let (view, lang) = (&page.view, page.lang);
        let saved = |done: bool| if done { Label::Saved } else { Label::NotSaved };
        let says = match wish {
            Wish::CopyLink => return self.copy(ctx, self.link_of(&page)),
            Wish::CopyFrame => return self.copy(ctx, self.frame_of(&page)),
            Wish::CopySteps(format, stretch) => {
                return self.copy(ctx, format.write(view, lang, stretch));
            }
            Wish::SaveScenario => {
                let json = view.run.with(|session| session.story().to_json());
                let file = file_name(&name, "json");
                saved(save::file(&file, "application/json", json.as_bytes()))
            }
            Wish::SaveSteps(format, stretch) => {
                let text = format.write(view, lang, stretch);
                let file = file_name(&name, format.ending());
                saved(save::file(&file, format.mime(), text.as_bytes()))
            }
            Wish::SaveSvg => match self.picture(&page) {
                Some(picture) => {
                    let file = file_name(&name, "svg");
                    saved(save::file(&file, "image/svg+xml", picture.svg.as_bytes()))
                }
                None => Label::NotSaved,
            },
            Wish::SavePng => {
                let Some(picture) = self.picture(&page) else {
                    return self.told(ctx, Label::NotSaved);
                };
                let link = ctx.link().clone();
                spawn_local(async move {
                    let canvas = picture::rasterize(&picture, SHARP).await;
                    let blob = match canvas {
                        Some(canvas) => picture::png(&canvas).await,
                        None => None,
                    };
                    let done = blob.and_then(|blob| save::offer(&file_name(&name, "png"), &blob));
                    let says = saved(done.is_some());
                    link.send_message(Message::Act(Action::Shared(says)));
                });
                return false;
            }
            Wish::Film(stretch) => {
                drop(page);
                return self.begin_film(ctx, stretch);
            }
            Wish::StopFilm => {
                drop(page);
                return self.stop_film();
            }
            Wish::Afresh => {
                drop(page);
                return self.start_afresh();
            }
        };
        drop(page);
        self.told(ctx, says)
    }

    /// Forgets what was kept, and opens what a first visit shows.
    fn start_afresh(&mut self) -> bool {
        remember::forget();
        let fresh = match Page::open("", self.browser_lang) {
            Ok(fresh) => fresh,
            Err(error) => panic!("the default story is broken: {error}"),
        };
        let mut page = self.page.borrow_mut();
        let knobs = page.knobs;
        *page = fresh;
        (page.knobs, page.playing) = (knobs, !self.canvas.motion.borrow().reduced);
        drop(page);
        self.palette = None;
        self.dress();
        self.wake();
        true
    }

    fn told(&self, ctx: &Context<Self>, says: Label) -> bool {
        ctx.link().send_message(Message::Act(Action::Shared(says)));
        false
    }

    /// Puts text onto the clipboard, and says whether it is there.
    fn copy(&self, ctx: &Context<Self>, text: String) -> bool {
        let link = ctx.link().clone();
        spawn_local(async move {
            let says = match save::copy(&text).await {
                true => Label::Copied,
                false => Label::NotCopied,
            };
            link.send_message(Message::Act(Action::Shared(says)));
        });
        false
    }

    /// The stage as it is now.
    pub(super) fn picture(&self, page: &Page) -> Option<Picture> {
        let (view, lang) = (&page.view, page.lang);
        let name = view
            .run
            .with(|session| text::scenario(lang, session.story().name()));
        let step = match lang {
            text::Lang::En => format!("{name}, step {} of {}", view.step, view.last),
            text::Lang::Zh => format!("{name}，第 {} / {} 步", view.step, view.last),
        };
        let told = text::tell(&view.lexicon(lang), &view.events);
        let palette = self.palette.as_ref()?;
        let lang = lang.pick("en", "zh-CN");
        picture::draw(
            &step,
            &told.aloud(),
            lang,
            &self.canvas.motion.borrow(),
            palette,
        )
    }

    /// The link to what is shown.
    pub(super) fn link_of(&self, page: &Page) -> String {
        let fragment = page.link(self.browser_lang).write();
        format!("{}#{fragment}", browser::page_address())
    }

    /// What a page has to hold to have this in a frame.
    pub(super) fn frame_of(&self, page: &Page) -> String {
        let name = page
            .view
            .run
            .with(|session| text::scenario(page.lang, session.story().name()));
        let fragment = page.link(self.browser_lang).write();
        let address = format!("{}?embed=1#{fragment}", browser::page_address());
        let escaped = crate::export::pen::escaped;
        format!(
            "<iframe src=\"{}\" title=\"{} · Barrierscope\" width=\"900\" height=\"560\" style=\"border:0\" loading=\"lazy\"></iframe>",
            escaped(&address),
            escaped(&name)
        )
    }
}
