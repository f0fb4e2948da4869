//! The state of the page, and the one place where it changes.
//!
//! Nothing in here knows of a browser, so all of it is tested natively.

mod comparison;
mod history;
mod knob;
mod run;
mod sight;
#[cfg(test)]
mod tests;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use barrierscope_core::id::NodeId;
use barrierscope_core::scenario::{Scenario, ScenarioError};
use barrierscope_core::scene::Choice;
use barrierscope_core::time::Micros;

use crate::address::{self, Address, AddressError, Theme};
use crate::text::{self, Label, Lang};
pub use comparison::{Comparison, Figures, barriers_of};
pub use history::{Entry, Line, history};
pub use knob::Knob;
use knob::turn;
use run::look;
pub use run::{Origin, Outcome, Run, View, is_subtask, timeline};
pub use sight::Sight;

/// The slowest and the fastest that the page plays.
pub const SPEEDS: (f64, f64) = (0.05, 20.0);

/// A step is told about for so many milliseconds at least, while time passes.
const LONG_ENOUGH: f64 = 1_400.0;

/// One that is only told about because nothing notable had happened, for so many at least.
const GLANCE: f64 = 600.0;

/// A message to the person, until it is dismissed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What it is about.
    pub about: Label,
    /// What exactly is wrong.
    pub detail: String,
    /// The field of the scenario that was to be set, if it is about a setting: it is told beside that.
    pub field: Option<&'static str>,
}

impl Notice {
    /// What is wrong with an address.
    pub fn bad_link(lang: Lang, error: &AddressError) -> Self {
        let detail = match error {
            AddressError::TooLong => text::label(lang, Label::TooLongLink).to_owned(),
            AddressError::Scenario(error) => text::original(lang, &error.to_string()),
            AddressError::Part(_) | AddressError::Branch { .. } => error.to_string(),
        };
        Self {
            about: Label::BadLink,
            detail,
            field: None,
        }
    }
}

/// What can happen to the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// So many milliseconds of wall time have passed.
    Tick(f64),
    /// Play if paused, pause if playing.
    Toggle,
    /// Stop playing.
    Pause,
    /// Look at a step.
    GoTo(usize),
    /// Look at a step on the stage.
    Visit(usize),
    /// Look at the run in another way.
    Look(Sight),
    /// Look at the step that was the last one at a moment.
    Seek(Micros),
    /// One step on.
    Step,
    /// One step back.
    Back,
    /// To the first step.
    Start,
    /// To the last step.
    End,
    /// To the next landmark.
    NextMark,
    /// To the landmark before.
    PreviousMark,
    /// Play this fast.
    Speed(f64),
    /// Do what has this number among the choices.
    Choose(usize),
    /// Do this, if it can be done now.
    Do(Choice),
    /// Crash a subtask.
    Crash(NodeId),
    /// Look at another run, by its place in the list.
    Run(usize),
    /// Select a node, or follow what happens.
    Select(Option<NodeId>),
    /// Change a setting; the scenario is run again.
    Set(Knob),
    /// Open a scenario.
    Open(String),
    /// Something could not be done.
    Notify(Notice),
    /// The message was read.
    Dismiss,
    /// Speak another language.
    Language(Lang),
    /// Another theme.
    Theme(Theme),
    /// Show or hide the list of keys.
    Help(bool),
    /// Show or hide the knobs.
    Knobs(bool),
    /// The address was changed by hand.
    Address(Address),
}

/// The page.
pub struct Page {
    /// The language.
    pub lang: Lang,
    /// The theme.
    pub theme: Theme,
    /// The runs, the first one as the scenario says, the others branches of it.
    pub runs: Vec<Rc<Run>>,
    /// What is looked at.
    pub view: Rc<View>,
    /// In which way.
    pub sight: Sight,
    /// The ways of taking checkpoints, as far as they are measured.
    pub comparison: Rc<Comparison>,
    /// Whether time passes.
    pub playing: bool,
    /// Virtual time per wall time.
    pub speed: f64,
    /// The virtual moment that is shown, in microseconds, between the time of this step and the next one's.
    pub now: f64,
    /// The step that is told about: the one that is looked at, or, while time passes, the last notable
    /// one, for long enough to be read.
    pub told: Rc<View>,
    /// For how long it has been told, in milliseconds.
    told_for: f64,
    /// The node that was selected; without one the page follows what happens.
    pub selected: Option<NodeId>,
    /// The node that the inspector shows.
    pub inspected: Option<NodeId>,
    /// A message, if there is one.
    pub notice: Option<Notice>,
    /// Whether the list of keys is shown.
    pub help: bool,
    /// Whether the knobs are shown where there is little room.
    pub knobs: bool,
    serial: u64,
}

impl Page {
    /// The page as an address describes it. A bad address is told about, and the default story opened.
    ///
    /// # Errors
    /// None, as long as the default story is whole.
    pub fn open(fragment: &str, lang: Lang) -> Result<Self, ScenarioError> {
        let address = Address::parse(fragment);
        let opened = address.clone().and_then(|address| {
            let scenario = address.scenario()?;
            Self::start(scenario).map_err(AddressError::Scenario)
        });
        let (mut page, trouble) = match opened {
            Ok(page) => (page, None),
            Err(error) => (Self::start(Scenario::default_story()?)?, Some(error)),
        };
        let look = Address::look(fragment);
        page.lang = look.lang.unwrap_or(lang);
        page.theme = look.theme.unwrap_or_default();
        match (address, trouble) {
            (_, Some(error)) => page.bad_link(&error),
            (Ok(address), None) => page.follow(&address),
            (Err(_), None) => {}
        }
        Ok(page)
    }

    fn start(scenario: Scenario) -> Result<Self, ScenarioError> {
        let run = Rc::new(Run {
            number: 1,
            origin: None,
            branches: Vec::new(),
            faults: Vec::new(),
            changes: OnceCell::new(),
            session: RefCell::new(barrierscope_core::start(scenario)?),
        });
        let view = Rc::new(look(&run, 0, 0));
        let mut page = Self {
            lang: Lang::default(),
            theme: Theme::default(),
            runs: vec![run],
            told: Rc::clone(&view),
            told_for: f64::INFINITY,
            view,
            sight: Sight::default(),
            comparison: Rc::new(Comparison::default()),
            playing: false,
            speed: 1.0,
            now: 0.0,
            selected: None,
            inspected: None,
            notice: None,
            help: false,
            knobs: false,
            serial: 1,
        };
        page.inspect();
        Ok(page)
    }

    /// Takes over what an address says besides the scenario.
    fn follow(&mut self, address: &Address) {
        if let Some(lang) = address.lang {
            self.lang = lang;
        }
        self.theme = address.theme.unwrap_or_default();
        self.sight = address.sight;
        for (step, choice) in &address.branches {
            self.show(*step);
            if self.view.step != *step || !self.branch(*choice) {
                let (step, choice) = (*step, *choice);
                self.bad_link(&AddressError::Branch { step, choice });
                break;
            }
        }
        if let Some(step) = address.step {
            self.show(step);
        }
        self.compare();
    }

    fn bad_link(&mut self, error: &AddressError) {
        self.notice = Some(Notice::bad_link(self.lang, error));
    }

    /// The address that leads back to what is shown.
    pub fn address(&self, browser: Lang) -> Address {
        Address {
            changes: self.view.run.changes().to_vec(),
            branches: self.view.run.branches.clone(),
            step: Some(self.view.step),
            sight: self.sight,
            lang: (self.lang != browser).then_some(self.lang),
            theme: (self.theme != Theme::Auto).then_some(self.theme),
        }
    }

    /// The setting that was refused last, and why, if there is a place beside it to say so.
    pub fn refused(&self) -> Option<(&'static str, &str)> {
        let notice = self.notice.as_ref().filter(|_| self.knobs)?;
        Some((notice.field?, notice.detail.as_str()))
    }

    /// Whether the run is looked at from its end.
    pub fn at_end(&self) -> bool {
        self.view.step == self.view.last
    }

    /// Does what was asked for; tells whether anything that the page shows has changed.
    pub fn update(&mut self, action: Action) -> bool {
        match action {
            Action::Tick(millis) => return self.tick(millis),
            Action::Toggle => self.toggle(),
            Action::Pause => self.pause(),
            Action::GoTo(step) => self.rest(step),
            Action::Visit(step) => {
                self.sight = Sight::Watch;
                self.rest(step);
            }
            Action::Look(sight) => self.sight = sight,
            Action::Seek(moment) => {
                let step = self.view.run.with(|session| session.step_at(moment));
                self.rest(step);
            }
            Action::Step => self.rest(self.view.step.saturating_add(1)),
            Action::Back => self.rest(self.view.step.saturating_sub(1)),
            Action::Start => self.rest(0),
            Action::End => self.rest(self.view.last),
            Action::NextMark => {
                let here = self.view.step;
                let next = self.marks().into_iter().find(|step| *step > here);
                self.rest(next.unwrap_or(self.view.last));
            }
            Action::PreviousMark => {
                let here = self.view.step;
                let previous = self.marks().into_iter().rfind(|step| *step < here);
                self.rest(previous.unwrap_or(0));
            }
            Action::Speed(speed) => self.speed = speed.clamp(SPEEDS.0, SPEEDS.1),
            Action::Choose(number) => {
                if !self.branch(number) {
                    self.refuse();
                }
            }
            Action::Do(choice) => self.act_on(choice),
            Action::Crash(node) => self.act_on(Choice::Crash { subtask: node }),
            Action::Run(place) => self.switch(place),
            Action::Select(node) => {
                self.selected = node;
                self.inspect();
            }
            Action::Set(knob) => self.set(knob),
            Action::Open(json) => self.load(&json),
            Action::Notify(notice) => self.notice = Some(notice),
            Action::Dismiss => self.notice = None,
            Action::Language(lang) => self.lang = lang,
            Action::Theme(theme) => self.theme = theme,
            Action::Help(shown) => {
                self.help = shown;
                if shown {
                    self.pause();
                }
            }
            Action::Knobs(shown) => self.knobs = shown,
            Action::Address(address) => self.readdress(&address),
        }
        self.compare();
        true
    }

    /// Has the comparison be about the run that is looked at, while it is looked at.
    fn compare(&mut self) {
        if self.sight == Sight::Compare
            && let Some(anew) = self.comparison.anew(&self.view.run)
        {
            self.comparison = Rc::new(anew);
        }
    }

    /// Whether something has still to be measured for the comparison.
    pub fn is_measuring(&self) -> bool {
        self.sight == Sight::Compare && self.comparison.is_incomplete()
    }

    /// Measures one more way of taking checkpoints; tells whether it did.
    pub fn measure_next(&mut self) -> bool {
        let next = self.is_measuring().then(|| self.comparison.with_next());
        let Some(next) = next.flatten() else {
            return false;
        };
        self.comparison = Rc::new(next);
        true
    }

    fn tick(&mut self, millis: f64) -> bool {
        if !self.playing {
            return false;
        }
        self.now += millis * 1_000.0 * self.speed;
        self.told_for += millis;
        let end = self.view.end.0 as f64;
        let (step, over) = if self.now >= end {
            (self.view.last, true)
        } else {
            let moment = Micros(self.now as u64);
            let step = self.view.run.with(|session| session.step_at(moment));
            // Steps of the same moment as the shown one may still be ahead, never behind.
            (step.max(self.view.step), false)
        };
        let moved = step != self.view.step;
        if moved {
            self.show_only(step);
        }
        if over {
            self.playing = false;
            self.now = end;
            self.tell();
        }
        moved || over
    }

    fn toggle(&mut self) {
        if self.playing {
            self.pause();
            return;
        }
        if self.at_end() {
            self.show(0);
        }
        self.playing = true;
    }

    fn pause(&mut self) {
        self.playing = false;
        self.now = self.view.time.0 as f64;
        self.tell();
    }

    /// Looks at a step and stays there.
    fn rest(&mut self, step: usize) {
        self.playing = false;
        self.show(step);
    }

    /// Looks at a step, exactly.
    fn show(&mut self, step: usize) {
        self.show_only(step);
        self.now = self.view.time.0 as f64;
    }

    fn show_only(&mut self, step: usize) {
        let run = Rc::clone(&self.view.run);
        self.look_at(&run, step);
    }

    fn look_at(&mut self, run: &Rc<Run>, step: usize) {
        self.view = Rc::new(look(run, step, self.serial));
        self.serial += 1;
        if !self.playing
            || text::is_striking(&self.view.events)
            || self.is_told_enough()
            || !Rc::ptr_eq(&self.told.run, &self.view.run)
        {
            self.tell();
        }
    }

    /// Whether what is told about has been told for long enough to tell about this step instead. What is
    /// told never stays behind what is shown for longer than it takes to read it.
    fn is_told_enough(&self) -> bool {
        let is_notable = text::is_notable(&self.view.events);
        let enough = match (is_notable, text::is_notable(&self.told.events)) {
            (true, false) => GLANCE,
            _ => LONG_ENOUGH,
        };
        self.told_for >= enough && !self.view.events.is_empty()
    }

    /// Tells about what is looked at.
    fn tell(&mut self) {
        self.told = Rc::clone(&self.view);
        self.told_for = 0.0;
        self.inspect();
    }

    fn inspect(&mut self) {
        self.inspected = self
            .selected
            .or_else(|| self.view.subject())
            .or(self.inspected);
    }

    /// The steps that stand out, each once.
    fn marks(&self) -> Vec<usize> {
        let mut steps: Vec<usize> = (self.view.run).with(|session| {
            session
                .marks()
                .iter()
                .map(|mark| mark.step as usize)
                .collect()
        });
        steps.dedup();
        steps
    }

    fn branch(&mut self, number: usize) -> bool {
        let Some(choice) = self.view.choices.get(number).copied() else {
            return false;
        };
        let (from, step) = (Rc::clone(&self.view.run), self.view.step);
        let Ok(session) = from.with(|session| session.branch(choice)) else {
            return false;
        };
        let mut branches = from.branches.clone();
        branches.push((step, number));
        let mut faults = from.faults.clone();
        if choice.is_fault() {
            faults.push((self.view.time, choice));
        }
        let at = session.at();
        let run = Rc::new(Run {
            number: self.runs.iter().map(|run| run.number).max().unwrap_or(0) + 1,
            origin: Some(Origin { step, choice }),
            branches,
            faults,
            changes: OnceCell::new(),
            session: RefCell::new(session),
        });
        self.runs.push(Rc::clone(&run));
        self.look_at(&run, at);
        self.now = self.view.time.0 as f64;
        true
    }

    fn act_on(&mut self, wanted: Choice) {
        let mut choices = self.view.choices.iter();
        let number = choices.position(|choice| *choice == wanted);
        if !number.is_some_and(|number| self.branch(number)) {
            self.refuse();
        }
    }

    fn refuse(&mut self) {
        self.notice = Some(Notice {
            about: Label::BadChoice,
            detail: text::label(self.lang, Label::CannotCrash).to_owned(),
            field: None,
        });
    }

    fn switch(&mut self, place: usize) {
        let Some(run) = self.runs.get(place).map(Rc::clone) else {
            return;
        };
        // The same moment of the other run, so that the two can be compared.
        let step = if self.at_end() && !self.playing {
            usize::MAX
        } else {
            run.with(|session| session.step_at(self.view.time))
        };
        self.look_at(&run, step);
        if !self.playing {
            self.now = self.view.time.0 as f64;
        }
    }

    /// Runs the scenario again with one setting changed, and looks at the same moment of it; what a
    /// person broke is broken again at the same moment.
    fn set(&mut self, knob: Knob) {
        let mut scenario = self.view.run.with(|session| session.scenario().clone());
        let field = knob.field();
        turn(&mut scenario, knob);
        if self
            .view
            .run
            .with(|session| *session.scenario() == scenario)
        {
            self.notice = None;
            return;
        }
        let (at_end, time, faults) = (
            self.at_end() && !self.playing,
            self.view.time,
            self.view.run.faults.clone(),
        );
        match Self::start(scenario) {
            Ok(fresh) => {
                self.notice = None;
                self.runs = fresh.runs;
                let run = Rc::clone(&self.runs[0]);
                self.look_at(&run, 0);
                for (moment, choice) in faults {
                    let step = self.view.run.with(|session| session.step_at(moment));
                    self.show(step);
                    let again = self.view.choices.iter().position(|other| *other == choice);
                    if let Some(number) = again {
                        self.branch(number);
                    }
                }
                let step = if at_end {
                    self.view.last
                } else {
                    self.view.run.with(|session| session.step_at(time))
                };
                self.show(step);
            }
            Err(error) => self.bad_scenario(&error, Some(field)),
        }
    }

    fn load(&mut self, json: &str) {
        match Scenario::from_json(json).and_then(Self::start) {
            Ok(fresh) => {
                self.runs = fresh.runs;
                self.selected = None;
                self.notice = None;
                let run = Rc::clone(&self.runs[0]);
                self.look_at(&run, 0);
                self.now = 0.0;
                self.playing = true;
                if address::is_too_long(self.view.run.changes()) {
                    self.notice = Some(Notice {
                        about: Label::TooLong,
                        detail: text::label(self.lang, Label::TooLongHint).to_owned(),
                        field: None,
                    });
                }
            }
            Err(error) => self.bad_scenario(&error, None),
        }
    }

    fn bad_scenario(&mut self, error: &ScenarioError, field: Option<&'static str>) {
        self.notice = Some(Notice {
            about: Label::BadScenario,
            detail: text::original(self.lang, &error.to_string()),
            field,
        });
    }

    fn readdress(&mut self, address: &Address) {
        let fresh = address
            .scenario()
            .and_then(|scenario| Self::start(scenario).map_err(AddressError::Scenario));
        match fresh {
            Ok(fresh) => {
                self.runs = fresh.runs;
                self.selected = None;
                self.playing = false;
                let run = Rc::clone(&self.runs[0]);
                self.look_at(&run, 0);
                self.now = 0.0;
                self.follow(address);
            }
            Err(error) => self.bad_link(&error),
        }
    }
}
