//! What the page showed before something was done that leads elsewhere, so that it can be taken back.

use std::rc::Rc;

use super::{Page, Run, Sight};
use crate::address::Address;
use crate::text::Lang;

/// An earlier state of the page.
pub(super) struct Past {
    address: Address,
    runs: Vec<Rc<Run>>,
    run: Rc<Run>,
    step: usize,
    sight: Sight,
    speed: f64,
    /// What was done then has left the run that is looked at.
    pub(super) in_place: bool,
}

impl Past {
    /// The state of the page as it is.
    pub(super) fn of(page: &Page) -> Self {
        Self {
            address: page.address(Lang::default()),
            runs: page.runs.clone(),
            run: Rc::clone(&page.view.run),
            step: page.view.step,
            sight: page.sight,
            speed: page.hurried.unwrap_or(page.speed),
            in_place: false,
        }
    }

    /// How many runs there were.
    pub(super) const fn runs(&self) -> usize {
        self.runs.len()
    }

    /// The run that was looked at.
    pub(super) const fn run(&self) -> &Rc<Run> {
        &self.run
    }

    /// Whether an address leads to it. The language, the theme and what more is shown
    /// are no part of what is taken back.
    pub(super) fn is_at(&self, address: &Address) -> bool {
        let bare = |address: &Address| {
            let (lang, theme) = (None, None);
            let (names, replicas, spacetime) = (false, false, None);
            Address {
                lang,
                theme,
                names,
                replicas,
                spacetime,
                ..address.clone()
            }
        };
        // As it is written: what was read may hold the same thing in another form.
        bare(&self.address).write() == bare(address).write()
    }

    /// Has the page show it again.
    pub(super) fn restore(self, page: &mut Page) {
        page.runs = self.runs;
        page.speed = self.speed;
        page.hurried = None;
        page.playing = false;
        page.notice = None;
        // Nodes of another run have other names.
        page.selected = None;
        page.look_at(&self.run, self.step);
        page.now = page.view.time.0 as f64;
        page.sight = self.sight;
    }
}
