//! Makes an animated picture of a stretch of steps: goes through its time, and takes a picture of the stage at every
//! moment of it.

use wasm_bindgen_futures::spawn_local;
use yew::Context;

use super::{App, Message};
use crate::export::film::{self, Film, RATE};
use crate::export::picture;
use crate::export::recording::Stretch;
use crate::save::{self, file_name};
use crate::state::Action;
use crate::text::Label;

/// A film is no wider than this, in pixels.
const WIDEST: f64 = 960.0;

/// A film that is being made.
pub(super) struct Shooting {
    film: Film,
    /// The first moment, and how much time each frame is.
    from: f64,
    each: f64,
    frames: u32,
    done: u32,
    scale: f64,
    /// Where one looked before.
    back: usize,
    /// The page is drawn anew for a frame that is to be taken.
    pub(super) is_due: bool,
}

impl App {
    /// Begins with a film.
    pub(super) fn begin_film(&mut self, ctx: &Context<Self>, stretch: Stretch) -> bool {
        self.page.borrow_mut().update(Action::Pause);
        let page = self.page.borrow();
        let (view, speed) = (&page.view, page.speed);
        let (from, to) = stretch.bounds(view.last);
        let time = |step: usize| view.run.with(|session| session.time(step)).0;
        let (from, to) = (time(from), time(to));
        let frames = film::frames(to.saturating_sub(from), speed);
        let shooting = self.picture(&page).and_then(|picture| {
            let scale = (WIDEST / picture.width).min(1.0);
            let side = |length: f64| (length * scale).round().clamp(1.0, 4_096.0) as u16;
            let film = Film::new(side(picture.width), side(picture.height)).ok()?;
            Some(Shooting {
                film,
                from: from as f64,
                each: to.saturating_sub(from) as f64 / f64::from(frames - 1),
                frames,
                done: 0,
                scale,
                back: view.step,
                is_due: false,
            })
        });
        drop(page);
        self.shooting = shooting;
        if self.shooting.is_none() {
            ctx.link()
                .send_message(Message::Act(Action::Shared(Label::NotSaved)));
            return false;
        }
        self.next_frame();
        true
    }

    /// Goes to the moment of the next frame: when the page shows it, a picture is taken.
    fn next_frame(&mut self) {
        let Some(shooting) = &mut self.shooting else {
            return;
        };
        let moment = shooting.from + shooting.each * f64::from(shooting.done);
        shooting.is_due = true;
        let progress = (shooting.done, shooting.frames);
        let mut page = self.page.borrow_mut();
        page.update(Action::Moment(moment));
        page.update(Action::Filmed(Some(progress)));
        let mut motion = self.canvas.motion.borrow_mut();
        motion.show(&page.view.scene, page.view.step);
        motion.advance(moment, 1_000.0 / f64::from(RATE));
    }

    /// The page shows the moment: takes a picture of it.
    pub(super) fn take_frame(&mut self, ctx: &Context<Self>) {
        let Some(shooting) = self.shooting.as_mut().filter(|it| it.is_due) else {
            return;
        };
        shooting.is_due = false;
        let (scale, link) = (shooting.scale, ctx.link().clone());
        let picture = self.picture(&self.page.borrow());
        spawn_local(async move {
            let canvas = match picture {
                Some(picture) => picture::rasterize(&picture, scale).await,
                None => None,
            };
            let pixels = canvas.and_then(|canvas| picture::pixels(&canvas));
            link.send_message(Message::Shot(pixels));
        });
    }

    /// Adds a frame to the film, and goes on; saves the film after the last.
    pub(super) fn add_frame(&mut self, ctx: &Context<Self>, pixels: Option<Vec<u8>>) -> bool {
        let Some(shooting) = &mut self.shooting else {
            // It was given up meanwhile.
            return false;
        };
        shooting.done += 1;
        let is_last = shooting.done == shooting.frames;
        let added = pixels.is_some_and(|pixels| shooting.film.add(&pixels, is_last).is_ok());
        if added && !is_last {
            self.next_frame();
            return true;
        }
        let film = self.shooting.take().filter(|_| added);
        let bytes = film.map(|shooting| (shooting.back, shooting.film.finish()));
        let page = self.page.borrow();
        let name = page
            .view
            .run
            .with(|session| session.story().name().to_owned());
        drop(page);
        let saved = match bytes {
            Some((back, Ok(bytes))) => {
                self.look_back(back);
                save::file(&file_name(&name, "gif"), "image/gif", &bytes)
            }
            _ => false,
        };
        let says = if saved { Label::Saved } else { Label::NotSaved };
        self.page.borrow_mut().update(Action::Filmed(None));
        ctx.link().send_message(Message::Act(Action::Shared(says)));
        true
    }

    /// Gives a film up.
    pub(super) fn stop_film(&mut self) -> bool {
        if let Some(shooting) = self.shooting.take() {
            self.look_back(shooting.back);
        }
        let mut page = self.page.borrow_mut();
        page.update(Action::Filmed(None));
        page.update(Action::Shared(Label::FilmStopped))
    }

    fn look_back(&mut self, step: usize) {
        self.page.borrow_mut().update(Action::GoTo(step));
        self.wake();
    }
}
