//! The life of a record in a run: every place that it, or a copy of it, comes to, step by step.

use std::rc::Rc;

use barrierscope_core::event::Event;
use barrierscope_core::id::RecordId;
use barrierscope_core::scene::whereabouts::Whereabouts;
use barrierscope_core::time::Micros;

use super::run::Run;

/// So many steps are gone through at once: a frame's time.
const AT_ONCE: usize = 40;

/// A step in which a record came to a place, or something became of it where it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Chapter {
    /// The step.
    pub step: usize,
    /// Its moment.
    pub time: Micros,
    /// What happened in it.
    pub events: Vec<Event>,
    /// Where the record is since then.
    pub came: Vec<Whereabouts>,
    /// Where it is no longer, or not as it was.
    pub went: Vec<Whereabouts>,
}

/// The life of a record, as far as the run was gone through.
#[derive(Clone)]
pub struct Life {
    /// The record.
    pub record: RecordId,
    /// What happened to it, in order.
    pub chapters: Vec<Chapter>,
    run: Rc<Run>,
    /// Up to which step the run was gone through.
    known: usize,
    last: usize,
    /// Where the record is at that step.
    now: Vec<Whereabouts>,
}

impl Life {
    /// Of a record in a run, nothing of it known yet.
    pub(super) fn of(run: &Rc<Run>, record: RecordId) -> Self {
        let mut session = run.session.borrow_mut();
        let (at, last) = (session.at(), session.last());
        session.go_to(0);
        let now = session.scene().whereabouts(record);
        session.go_to(at);
        Self {
            record,
            chapters: Vec::new(),
            run: Rc::clone(run),
            known: 0,
            last,
            now,
        }
    }

    /// Whether it is of a run.
    pub(super) fn is_of(&self, run: &Rc<Run>) -> bool {
        Rc::ptr_eq(&self.run, run)
    }

    /// Whether the whole run was gone through.
    pub const fn is_complete(&self) -> bool {
        self.known >= self.last
    }

    /// How much of the run was gone through, from 0 to 100.
    pub fn percent(&self) -> usize {
        (self.known * 100).checked_div(self.last).unwrap_or(100)
    }

    /// The same with some more of the run gone through.
    pub(super) fn with_next(&self) -> Option<Self> {
        if self.is_complete() {
            return None;
        }
        let mut next = self.clone();
        let mut session = self.run.session.borrow_mut();
        let at = session.at();
        let until = self.last.min(self.known + AT_ONCE);
        for step in self.known + 1..=until {
            session.go_to(step);
            let now = session.scene().whereabouts(self.record);
            if now == next.now {
                continue;
            }
            let only = |these: &[Whereabouts], others: &[Whereabouts]| {
                let these = these.iter().filter(|it| !others.contains(it));
                these.copied().collect::<Vec<_>>()
            };
            let (came, went) = (only(&now, &next.now), only(&next.now, &now));
            next.now = now;
            // Copies that change places among each other are where they were.
            if came.is_empty() && went.is_empty() {
                continue;
            }
            next.chapters.push(Chapter {
                step,
                time: session.time(step),
                events: session.events(),
                came,
                went,
            });
        }
        session.go_to(at);
        next.known = until;
        Some(next)
    }
}
