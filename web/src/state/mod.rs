//! The state of the page, and the one place where it changes.
//!
//! Nothing in here knows of a browser, so all of it is tested natively.

mod beside;
mod chart;
mod chronicle;
pub mod claims;
mod comparison;
mod default;
pub mod draft;
mod fault_matrix;
pub mod gallery;
mod guarantees;
mod history;
mod knob;
pub mod lesson;
mod life;
mod model;
mod opened;
mod past;
pub mod properties;
mod report;
mod run;
pub mod search;
mod sight;
mod subject;
#[cfg(test)]
mod tests;
pub mod trail;
mod tree;

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use barrierscope_core::id::{NodeId, RecordId};
use barrierscope_core::models::trail::TrailError;
use barrierscope_core::scenario::{Ignored, ScenarioError, Story};
use barrierscope_core::scene::Choice;
use barrierscope_core::session::Session;
use barrierscope_core::symptom::{Symptom, decided_at};
use barrierscope_core::time::Micros;
use barrierscope_search::Told;

use crate::address::{self, Address, AddressError, Theme};
use crate::text::{self, Label, Lang};
pub use beside::{Axis, Beside, Column, Side};
pub use chart::{Along, Chart, Cone};
use claims::Claims;
pub use comparison::{Comparison, Figures, barriers_of};
pub use default::{ByDefault, by_default};
use draft::Draft;
pub use fault_matrix::{FaultMatrix, Place};
use gallery::{Excerpt, Gallery};
use guarantees::shown_at;
pub use guarantees::{Assumed, Difference, Guarantees, Match, Outside, Proof, corresponding};
pub use history::{Entry, Line, history};
use knob::turned;
pub use knob::{Field, Knob};
pub use lesson::{Predicted, Predictions, Task};
pub use life::{Chapter, Life};
pub use model::Model;
use opened::Opened;
use past::Past;
pub use report::{REPORTS, Report, Reported, System, Words, place_of, titled};
use run::look;
pub use run::{AtStep, Origin, Outcome, Run, View, broker_of, can_crash, is_subtask, timeline};
use search::{Deed, Search, Wanted, Which, fit};
pub use sight::Sight;
pub use subject::Subject;
pub use tree::{Twig, tree};

/// The slowest and the fastest that the page plays.
pub const SPEEDS: (f64, f64) = (0.02, 20.0);

/// A step is told about for so many milliseconds at least, while time passes.
const LONG_ENOUGH: f64 = 1_400.0;

/// What a run is about is told for so many milliseconds when it begins.
const INTRODUCTION: f64 = 4_000.0;

/// One that is only told about because nothing notable had happened, for so many at least.
const GLANCE: f64 = 600.0;

/// So many steps before what a run was searched for it is looked at first.
const BEFORE: usize = 5;

/// So many seconds it takes at most from there to what it was searched for.
const PATIENCE: f64 = 10.0;
/// There are no more runs in a tree of branches: each takes its memory.
const MOST_RUNS: usize = 64;
/// No more is chosen on the way to one of them: a link has to be taken again, choice by choice.
const MOST_CHOICES: usize = 1_000;
/// What a lesson has its run answer takes so many seconds at least.
const TO_SEE: f64 = 6.0;

/// So much can be taken back.
const LONGEST_PAST: usize = 50;

/// A message to the person, until it is dismissed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What it is about.
    pub about: Label,
    /// What exactly is wrong.
    pub detail: String,
    /// The field of the scenario that was to be set, if it is about a setting: it is told beside that.
    pub field: Option<Field>,
}

impl Notice {
    /// What is wrong with an address.
    pub fn bad_link(lang: Lang, trouble: &[AddressError]) -> Self {
        let details: Vec<String> = trouble.iter().map(|error| bad_part(lang, error)).collect();
        let about = match trouble {
            [AddressError::Changed] => Label::LinkChanged,
            _ => Label::BadLink,
        };
        Self {
            about,
            detail: details.join(lang.pick("; ", "；")),
            field: None,
        }
    }
}

/// What is done to the scenario that is being written.
#[derive(Clone, Debug, PartialEq)]
pub enum Stroke {
    /// The text is this now.
    Type(String),
    /// Typing is over.
    Pause,
    /// One thing is changed by the form.
    Change(draft::Change),
    /// The last change is taken back.
    Undo,
    /// What was taken back is done again.
    Redo,
    /// It is run.
    Run,
    /// It begins again with the scenario of the run.
    Fresh,
}

/// How far things are that are given away or taken away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// What became of what was asked for last.
    pub says: Option<Label>,
    /// How many frames of a film are made, and of how many.
    pub film: Option<(u32, u32)>,
}

/// What is wrong with a part of an address.
fn bad_part(lang: Lang, error: &AddressError) -> String {
    match error {
        AddressError::TooLong => text::label(lang, Label::TooLongLink).to_owned(),
        AddressError::Newer(_) => text::label(lang, Label::NewerLink).to_owned(),
        AddressError::Changed => text::label(lang, Label::LinkChangedHint).to_owned(),
        AddressError::Scenario(error) => text::original(lang, &error.to_string()),
        AddressError::Trail(error) => text::original(lang, &error.to_string()),
        AddressError::Part(part) => match (address::possible(part), lang) {
            (Some(all), Lang::En) => format!("{error}: possible are {all}"),
            (Some(all), Lang::Zh) => format!("{error}：可用的值有 {all}"),
            (None, Lang::En) if !part.contains('=') => format!("{error}: it has to be name=value"),
            (None, Lang::Zh) if !part.contains('=') => format!("{error}：应为 名称=值"),
            (None, _) => error.to_string(),
        },
        AddressError::TooManyBranches => text::label(lang, Label::TooManyBranches).to_owned(),
        AddressError::Branch { step, choice } => match lang {
            Lang::En => format!("{error}: at step {step} there is no choice {choice}"),
            Lang::Zh => format!("{error}：第 {step} 步没有选项 {choice}"),
        },
    }
}

/// What can happen to the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// So many milliseconds of wall time have passed.
    Tick(f64),
    /// Play if paused, pause if playing.
    Toggle,
    /// Play, if it does not yet.
    Play,
    /// Stop playing.
    Pause,
    /// Look at a step.
    GoTo(usize),
    /// Look at a step on the stage.
    Visit(usize),
    /// Look at the run in another way.
    Look(Sight),
    /// Have the runs that stand side by side differ in this.
    Beside(Axis),
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
    /// Crash a subtask, a client or a broker.
    Crash(NodeId),
    /// Look at another run, by its place in the list.
    Run(usize),
    /// Tell the life of a record, or of none.
    Trace(Option<RecordId>),
    /// Close a branch, by its place in the list, and the branches that have left it.
    Close(usize),
    /// Select a node, or follow what happens.
    Select(Option<NodeId>),
    /// Change a setting; the scenario is run again.
    Set(Knob),
    /// Open a scenario.
    Open(String),
    /// Open the scenario that a model starts with.
    Model(Model),
    /// Open a fault report; or switch its fix on or off, if it is open.
    Report(Reported),
    /// Open a part of a lesson.
    Learn(Task),
    /// Predict what the part that is open asks for.
    Predict(usize),
    /// Go on to what the part that is open asks, or to what its run answers.
    Onward,
    /// Have the gallery show only what went wrong in this way, or everything.
    Only(Option<Symptom>),
    /// Have the gallery show only what says these words.
    Find(String),
    /// Open a card of the gallery, by its place, or close the one that is open.
    Card(Option<usize>),
    /// Take back what was done last: a choice, a fault, a setting, or another scenario.
    Undo,
    /// Open the run that shows something of a cell of the table of guarantees.
    Prove(usize, Proof),
    /// Open the run of a cell of the fault matrix.
    Fault(Place),
    /// Do something about the search for a counterexample.
    Search(Deed),
    /// Do something about the statements that searches decide.
    Claims(claims::Deed),
    /// A worker tells of the task with this number.
    Told(u64, Box<Told>),
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
    /// Show or hide what can be given away and taken away.
    Share(bool),
    /// Say what became of something that was to be saved or copied.
    Shared(Label),
    /// So many frames of a film are made, of so many; none: it is over.
    Filmed(Option<(u32, u32)>),
    /// Change the scenario that is being written.
    Draft(Stroke),
    /// Look at a moment, between two steps even, in microseconds.
    Moment(f64),
    /// Show or hide the knobs.
    Knobs(bool),
    /// Show the textbook's names of two-phase commit beside Flink's, or do not.
    Names(bool),
    /// Show the logs of all replicas, or only which brokers have them.
    Replicas(bool),
    /// Show the space-time diagram with this along it, or do not show it.
    SpaceTime(Option<Along>),
    /// The address was changed by hand, or is that of an earlier state of the page.
    Address(Address),
    /// The address was changed by hand to one of which some means nothing: what can be read of it, and what is wrong.
    BadAddress(Address, Vec<AddressError>),
}

impl Action {
    /// Whether it leads away from the run that is looked at, so that one may want to come back.
    pub const fn leads_elsewhere(&self) -> bool {
        matches!(
            self,
            Self::Choose(_)
                | Self::Do(_)
                | Self::Crash(_)
                | Self::Close(_)
                | Self::Set(_)
                | Self::Open(_)
                | Self::Draft(Stroke::Run)
                | Self::Model(_)
                | Self::Report(_)
                | Self::Learn(_)
                | Self::Prove(..)
                | Self::Fault(_)
                | Self::Search(Deed::Small | Deed::Open(_))
                | Self::Claims(claims::Deed::Open(..))
        )
    }
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
    /// The runs that stand side by side.
    pub beside: Rc<Beside>,
    /// The ways of taking checkpoints, as far as they are measured.
    pub comparison: Rc<Comparison>,
    /// What settings of producer and consumer come to, as far as it is computed.
    pub guarantees: Rc<Guarantees>,
    /// What becomes of a record at every crash point, as far as it is computed.
    pub fault_matrix: Rc<FaultMatrix>,
    /// The search for a counterexample.
    pub search: Rc<Search>,
    /// The statements that searches decide.
    pub claims: Rc<Claims>,
    /// What was predicted in the lessons.
    pub predictions: Rc<Predictions>,
    /// What the fault reports come to, as far as they were run.
    pub gallery: Rc<Gallery>,
    /// What of the gallery is shown.
    pub excerpt: Excerpt,
    /// Whether time passes.
    pub playing: bool,
    /// Virtual time per wall time.
    pub speed: f64,
    /// The speed that somebody has set, while it plays at another one.
    hurried: Option<f64>,
    /// The virtual moment that is shown, in microseconds, between the time of this step and the next one's.
    pub now: f64,
    /// The step that is told about: the one that is looked at, or, while time passes, the last notable
    /// one, for long enough to be read.
    pub told: Rc<View>,
    /// For how long it has been told, in milliseconds.
    told_for: f64,
    /// The life of the record that was asked for.
    pub life: Option<Rc<Life>>,
    /// The node that was selected; without one the page follows what happens.
    pub selected: Option<NodeId>,
    /// The node that the inspector shows.
    pub inspected: Option<NodeId>,
    /// A message, if there is one.
    pub notice: Option<Notice>,
    /// Whether the list of keys is shown.
    pub help: bool,
    /// The scenario that is being written, once the editor was opened.
    pub draft: Option<Rc<Draft>>,
    /// How far things are that are given away or taken away, while the dialog about it is open.
    pub sharing: Option<Sharing>,
    /// Whether the knobs are shown where there is little room.
    pub knobs: bool,
    /// Whether the textbook's names of two-phase commit are shown beside Flink's.
    pub names: bool,
    /// Whether the logs of all replicas of a job's output topic are shown.
    pub replicas: bool,
    /// What runs along the space-time diagram, if it is shown.
    pub spacetime: Option<Along>,
    /// What can be taken back, the newest last.
    past: Vec<Past>,
    /// What runs are to differ in that stand side by side, if they can.
    axis: Option<Axis>,
    /// Where the fix of a report was switched last.
    switched: Option<Switched>,
    serial: u64,
}

/// Where the fix of a report was switched: the other side may end before that moment, and the way back leads to it
/// nevertheless.
struct Switched {
    /// The run that was switched to, and the step of it that is looked at.
    run: Rc<Run>,
    step: usize,
    /// The moment that one has looked at, and whether it was the end.
    moment: Micros,
    at_end: bool,
}

/// The faults among the first steps of a run, each with the moment at which it was chosen.
fn faults_along(session: &mut dyn Session, steps: usize) -> Vec<(Micros, Choice)> {
    let chosen = (1..=steps).filter_map(|step| {
        session.go_to(step);
        let choice = session.chosen().filter(Choice::is_fault)?;
        Some((session.time(step - 1), choice))
    });
    chosen.collect()
}

impl Page {
    /// The page as an address describes it. A bad address is told about, and the default story opened.
    ///
    /// # Errors
    /// None, as long as the default story is whole.
    pub fn open(fragment: &str, lang: Lang) -> Result<Self, ScenarioError> {
        let (address, mut trouble) = Address::read(fragment);
        let (mut page, further) = Self::at(&address)?;
        trouble.extend(further);
        page.lang = address.lang.unwrap_or(lang);
        page.follow(&address, trouble);
        Ok(page)
    }

    /// The run that an address is about, from its start, as far as it makes sense; and what does not.
    fn at(address: &Address) -> Result<(Self, Vec<AddressError>), ScenarioError> {
        let (story, mut trouble) = address.story_as_far_as_it_goes()?;
        if !address.trail.is_empty() {
            match Self::start_along(story.clone(), address.subject, &address.trail) {
                Ok(page) => return Ok((page, trouble)),
                Err(error) => trouble.push(AddressError::Trail(error)),
            }
        }
        Ok((Self::start(story, address.subject)?, trouble))
    }

    fn start(story: Story, subject: Option<Subject>) -> Result<Self, ScenarioError> {
        Ok(Self::hold(
            barrierscope_core::start(story)?,
            subject,
            &[],
            Vec::new(),
        ))
    }

    /// A run that begins as one that was found.
    fn start_along(
        story: Story,
        subject: Option<Subject>,
        trail: &[u16],
    ) -> Result<Self, TrailError> {
        let mut session = barrierscope_core::replay(story, trail)?;
        let faults = faults_along(session.as_mut(), trail.len());
        session.go_to(0);
        Ok(Self::hold(session, subject, trail, faults))
    }

    fn hold(
        session: Box<dyn Session>,
        subject: Option<Subject>,
        trail: &[u16],
        faults: Vec<(Micros, Choice)>,
    ) -> Self {
        let run = Rc::new(Run {
            number: 1,
            origin: None,
            branches: Vec::new(),
            trail: trail.into(),
            faults,
            subject,
            changes: OnceCell::new(),
            chronicle: OnceCell::new(),
            chart: OnceCell::new(),
            tip: 0,
            seen: Cell::default(),
            session: RefCell::new(session),
        });
        let view = Rc::new(look(&run, 0, 0));
        let mut page = Self {
            lang: Lang::default(),
            theme: Theme::default(),
            runs: vec![run],
            told: Rc::clone(&view),
            told_for: 0.0,
            view,
            sight: Sight::default(),
            beside: Rc::new(Beside::default()),
            comparison: Rc::new(Comparison::default()),
            guarantees: Rc::new(Guarantees::default()),
            fault_matrix: Rc::new(FaultMatrix::default()),
            search: Rc::new(Search::default()),
            claims: Rc::new(Claims::default()),
            predictions: Rc::new(Predictions::default()),
            gallery: Rc::new(Gallery::default()),
            excerpt: Excerpt::default(),
            playing: false,
            speed: 1.0,
            hurried: None,
            now: 0.0,
            life: None,
            selected: None,
            inspected: None,
            notice: None,
            help: false,
            draft: None,
            sharing: None,
            knobs: false,
            names: false,
            replicas: false,
            spacetime: None,
            past: Vec::new(),
            axis: None,
            switched: None,
            serial: 1,
        };
        page.speed = page.view.pace();
        page.inspect();
        page
    }

    /// Takes over what an address says besides the scenario, and tells what could not be read of it.
    fn follow(&mut self, address: &Address, mut trouble: Vec<AddressError>) {
        if let Some(lang) = address.lang {
            self.lang = lang;
        }
        self.theme = address.theme.unwrap_or_default();
        self.replicas = address.replicas;
        self.spacetime = address.spacetime;
        self.name(address.names);
        self.axis = address.axis;
        self.look(address.sight);
        self.excerpt = address.excerpt.clone();
        if self.search.running().is_none() && self.sight == Sight::Search {
            Rc::make_mut(&mut self.search).wanted = address.wanted.clone();
        }
        trouble.extend(self.choose_along(address));
        let stamp = address.stamp.and_then(|stamp| stamp.print);
        if trouble.is_empty() && stamp.is_some_and(|print| print != self.fingerprint() as u16) {
            trouble.push(AddressError::Changed);
        }
        if !trouble.is_empty() {
            self.notice = Some(Notice::bad_link(self.lang, &trouble));
        }
        self.compare();
    }

    /// Makes the choices of an address again, and looks at its step; tells which choice cannot be made.
    fn choose_along(&mut self, address: &Address) -> Option<AddressError> {
        let mut trouble = None;
        for (step, choice) in &address.branches {
            self.show(*step);
            if self.view.step != *step || !self.branch(*choice) {
                let (step, choice) = (*step, *choice);
                trouble = Some(match self.is_full() {
                    true => AddressError::TooManyBranches,
                    false => AddressError::Branch { step, choice },
                });
                break;
            }
        }
        if let Some(step) = address.step {
            self.show_within(step);
        }
        trouble
    }

    /// The fingerprint of the state that is shown.
    fn fingerprint(&self) -> u64 {
        self.view.run.with(|session| session.fingerprint())
    }

    /// The address that is given away: it says by what version it was written, and which state it shows.
    pub fn link(&self, browser: Lang) -> Address {
        Address {
            stamp: Some(address::Stamp::now(self.fingerprint())),
            ..self.address(browser)
        }
    }

    /// The address that leads back to what is shown.
    pub fn address(&self, browser: Lang) -> Address {
        Address {
            model: self.view.run.model(),
            subject: self.view.run.subject,
            changes: self.view.run.changes().to_vec(),
            trail: self.view.run.trail.to_vec(),
            branches: self.view.run.branches.clone(),
            step: Some(self.view.step),
            sight: self.sight,
            axis: (self.axis).filter(|_| self.sight == Sight::Compare),
            names: self.names,
            replicas: self.replicas,
            spacetime: self.spacetime,
            excerpt: match self.sight {
                Sight::Gallery => self.excerpt.clone(),
                _ => Excerpt::default(),
            },
            wanted: match self.sight {
                Sight::Search => self.search.wanted.clone(),
                _ => Wanted::default(),
            },
            lang: (self.lang != browser).then_some(self.lang),
            theme: (self.theme != Theme::Auto).then_some(self.theme),
            stamp: None,
        }
    }

    /// The setting that was refused last, and why, if there is a place beside it to say so.
    pub fn refused(&self) -> Option<(&Field, &str)> {
        let notice = self.notice.as_ref().filter(|_| self.knobs)?;
        Some((notice.field.as_ref()?, notice.detail.as_str()))
    }

    /// Whether the run is looked at from its end.
    pub fn at_end(&self) -> bool {
        self.view.step == self.view.last
    }

    /// Does what was asked for; tells whether anything that the page shows has changed.
    pub fn update(&mut self, action: Action) -> bool {
        let before = action.leads_elsewhere().then(|| Past::of(self));
        match action {
            Action::Tick(millis) => return self.tick(millis),
            Action::Toggle => self.toggle(),
            Action::Play if self.playing => return false,
            Action::Play => self.toggle(),
            Action::Pause => self.pause(),
            Action::GoTo(step) => self.rest(step),
            Action::Visit(step) => {
                self.sight = Sight::Watch;
                self.rest(step);
            }
            Action::Look(sight) => self.look(sight),
            Action::Beside(axis) => self.axis = Some(axis),
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
            Action::Speed(speed) => {
                self.hurried = None;
                self.speed = speed.clamp(SPEEDS.0, SPEEDS.1);
            }
            Action::Choose(number) => {
                if !self.branch(number) {
                    self.refuse();
                }
            }
            Action::Do(choice) => self.act_on(choice),
            Action::Crash(node) => match self.view.crash_of(node) {
                Some(crash) => self.act_on(crash),
                None => self.refuse(),
            },
            Action::Run(place) => self.switch(place),
            Action::Trace(record) => {
                let run = &self.view.run;
                self.life = record.map(|record| Rc::new(Life::of(run, record)));
            }
            Action::Close(place) => self.close(place),
            Action::Select(node) => {
                self.selected = node;
                self.inspect();
            }
            Action::Set(knob) => self.set(knob),
            Action::Open(text) if let Some(file) = trail::of_file(&text) => self.open_run(file),
            Action::Open(text) => self.open_file(&text),
            Action::Model(model) => self.load(model.story(), None),
            Action::Report(reported) => self.report(reported),
            Action::Learn(task) => self.learn(task),
            Action::Predict(answer) => self.predict(answer),
            Action::Onward => self.go_onward(),
            Action::Only(only) => self.excerpt.only = only,
            Action::Find(text) => self.excerpt.find = text,
            Action::Card(place) => self.excerpt.card = place,
            Action::Undo => self.undo(),
            Action::Prove(cell, proof) => self.prove(cell, proof),
            Action::Fault(place) => self.open_cell(place),
            Action::Search(deed) => self.search(deed),
            Action::Claims(deed) => self.claim(deed),
            Action::Told(serial, told) => self.hear(serial, *told),
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
            Action::Share(shown) => {
                self.sharing = shown.then(Sharing::default);
                if shown {
                    self.pause();
                }
            }
            Action::Shared(says) => {
                if let Some(sharing) = &mut self.sharing {
                    sharing.says = Some(says);
                }
            }
            Action::Filmed(film) => {
                if let Some(sharing) = &mut self.sharing {
                    sharing.film = film;
                }
            }
            Action::Draft(stroke) => self.draw_up(stroke),
            Action::Moment(moment) => self.show_moment(moment),
            Action::Knobs(shown) => self.knobs = shown,
            Action::Names(shown) => self.name(shown),
            Action::Replicas(shown) => self.replicas = shown,
            Action::SpaceTime(axis) => self.spacetime = axis,
            Action::Address(address) => self.readdress(&address, Vec::new()),
            Action::BadAddress(address, trouble) => self.readdress(&address, trouble),
        }
        // What was refused has led nowhere.
        if let Some(mut before) = before
            && (!Rc::ptr_eq(before.run(), &self.view.run) || before.runs() > self.runs.len())
        {
            before.in_place = Rc::ptr_eq(before.run(), &self.view.run);
            self.past.push(before);
            if self.past.len() > LONGEST_PAST {
                self.past.remove(0);
            }
        }
        self.compare();
        true
    }

    /// Whether there is something that can be taken back.
    pub const fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether what can be taken back next leaves the run that is looked at: a branch was closed beside it.
    pub fn undoes_in_place(&self) -> bool {
        self.past.last().is_some_and(|past| past.in_place)
    }

    /// Shows the textbook's names, or does not: what is looked at is told anew.
    fn name(&mut self, names: bool) {
        if self.names == names {
            return;
        }
        self.names = names;
        let (view, is_told) = (Rc::clone(&self.view), Rc::ptr_eq(&self.view, &self.told));
        let told = Rc::clone(&self.told);
        self.view = self.named(&view);
        self.told = match is_told {
            true => Rc::clone(&self.view),
            false => self.named(&told),
        };
    }

    /// The same view, told in the names that are wanted.
    fn named(&mut self, view: &View) -> Rc<View> {
        self.serial += 1;
        Rc::new(view.named(self.names, self.serial))
    }

    fn undo(&mut self) {
        if let Some(past) = self.past.pop() {
            past.restore(self);
        }
    }

    /// Changes the scenario that is being written, or runs it.
    fn draw_up(&mut self, stroke: Stroke) {
        let mut draft = self.draft.as_deref().cloned().unwrap_or_default();
        match stroke {
            Stroke::Type(text) => draft.type_in(text),
            Stroke::Pause => draft.pause(),
            Stroke::Change(change) => draft.change(change),
            Stroke::Undo => draft.undo(),
            Stroke::Redo => draft.redo(),
            Stroke::Fresh => draft = Draft::of(&self.scenario()),
            Stroke::Run => {
                let before = Rc::clone(&self.view.run);
                self.open_file(&draft.text);
                if !Rc::ptr_eq(&before, &self.view.run) {
                    draft.is_run();
                }
            }
        }
        self.draft = Some(Rc::new(draft));
    }

    /// The scenario of the run, as JSON.
    fn scenario(&self) -> String {
        self.view.run.with(|session| session.story().to_json())
    }

    /// Looks at the run in another way, if it is one of those that its model has.
    fn look(&mut self, sight: Sight) {
        if self.view.run.model().sights().contains(&sight) {
            self.sight = sight;
        }
        // What was written and not run yet is kept; what was not touched is what is open.
        let is_touched = self.draft.as_ref().is_some_and(|draft| draft.is_changed());
        if self.sight == Sight::Editor && !is_touched {
            self.draft = Some(Rc::new(Draft::of(&self.scenario())));
        }
        // Nobody sees time pass there.
        if !self.sight.has_time() && self.playing {
            self.pause();
        }
    }

    /// Has the comparison be about the run that is looked at, while it is looked at, and whatever else stands beside a
    /// run and is not part of it.
    fn compare(&mut self) {
        // Another run, another life of the same record.
        if let Some(life) = self
            .life
            .as_ref()
            .filter(|life| !life.is_of(&self.view.run))
        {
            self.life = Some(Rc::new(Life::of(&self.view.run, life.record)));
        }
        if self.sight == Sight::Guarantees && self.guarantees.cells.is_empty() {
            self.guarantees = Rc::new(Guarantees::empty());
        }
        if self.sight == Sight::FaultMatrix && self.fault_matrix.is_new() {
            self.fault_matrix = Rc::new(FaultMatrix::empty());
        }
        if self.sight == Sight::Compare {
            if let Some(anew) = self.comparison.anew(&self.view.run) {
                self.comparison = Rc::new(anew);
            }
            if let Some(anew) = self.beside.anew(&self.view, &self.runs, self.axis) {
                self.beside = Rc::new(anew);
            }
            self.keep_in_step();
        }
        // Beside the stage stands what a report comes to on both sides.
        if let Some(open) = self.view.run.report()
            && let Some(known) = self.gallery.with_both(open)
        {
            self.gallery = Rc::new(known);
        }
    }

    /// Whether something has still to be measured for the table that is looked at.
    pub fn is_measuring(&self) -> bool {
        match self.sight {
            Sight::Watch => self.life.as_ref().is_some_and(|life| !life.is_complete()),
            Sight::Checkpoints | Sight::Search | Sight::Claims | Sight::Editor | Sight::Lessons => {
                false
            }
            Sight::Compare => {
                self.beside.is_incomplete()
                    || self.beside.axis == Axis::Barriers && self.comparison.is_incomplete()
            }
            Sight::Guarantees => self.guarantees.done() < self.guarantees.cells.len(),
            Sight::FaultMatrix => self.fault_matrix.done() < self.fault_matrix.all(),
            Sight::Gallery => self.gallery.done() < Gallery::all(),
        }
    }

    /// Measures one more thing for the table that is looked at; tells whether it did.
    pub fn measure_next(&mut self) -> bool {
        match self.sight {
            Sight::Watch => match &mut self.life {
                Some(life) => advance(life, Life::with_next),
                None => false,
            },
            Sight::Checkpoints | Sight::Search | Sight::Claims | Sight::Editor | Sight::Lessons => {
                false
            }
            Sight::Compare if self.beside.is_incomplete() => {
                let more = advance(&mut self.beside, Beside::with_next);
                self.keep_in_step();
                more
            }
            Sight::Compare => advance(&mut self.comparison, Comparison::with_next),
            Sight::Guarantees => advance(&mut self.guarantees, Guarantees::with_next),
            Sight::FaultMatrix => advance(&mut self.fault_matrix, FaultMatrix::with_next),
            Sight::Gallery => {
                let card = self.excerpt.card;
                advance(&mut self.gallery, |gallery| gallery.with_next(card))
            }
        }
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
            let halt = self.halt().or(self.limit()).or(self.breaks_at());
            if let Some(halt) = halt.filter(|halt| *halt <= step) {
                self.rest(halt);
                return true;
            }
            // Steps of the same moment as the shown one may still be ahead, never behind.
            (step.max(self.view.step), false)
        };
        let moved = step != self.view.step;
        if moved {
            self.show_only(step);
        }
        if over {
            self.stop();
            self.now = end;
            self.tell();
        }
        let in_step = self.sight == Sight::Compare && self.keep_in_step();
        moved || over || in_step
    }

    /// Has the runs that stand side by side be looked at in the same moment; tells whether one of them has moved.
    fn keep_in_step(&mut self) -> bool {
        let moment = Micros(self.now.max(self.view.time.0 as f64) as u64);
        let next = self.beside.at(&self.view, moment);
        let moved = next.is_some();
        if let Some(next) = next {
            self.beside = Rc::new(next);
        }
        moved
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

    /// Plays at another speed until it stops, wherever that is.
    fn hurry(&mut self, speed: f64) {
        let own = self.hurried.unwrap_or(self.speed);
        self.speed = speed.clamp(SPEEDS.0, SPEEDS.1);
        self.hurried = Some(own);
    }

    /// Time stops: from now on it passes at the speed that somebody has set.
    fn stop(&mut self) {
        self.playing = false;
        if let Some(own) = self.hurried.take() {
            self.speed = own;
        }
    }

    fn pause(&mut self) {
        self.stop();
        self.now = self.view.time.0 as f64;
        self.tell();
    }

    /// Looks at a step and stays there.
    fn rest(&mut self, step: usize) {
        self.stop();
        self.show_within(step);
    }

    /// Looks at a step, or at the question of a lesson that lies before it.
    fn show_within(&mut self, step: usize) {
        self.show(self.limit().map_or(step, |limit| step.min(limit)));
    }

    /// Looks at a step, exactly.
    fn show(&mut self, step: usize) {
        self.show_only(step);
        self.now = self.view.time.0 as f64;
    }

    /// Looks at a moment: at the last step that is not later, and at what is under way since.
    fn show_moment(&mut self, moment: f64) {
        self.playing = false;
        let step = (self.view.run).with(|session| session.step_at(Micros(moment.max(0.0) as u64)));
        self.show_only(step);
        self.now = moment;
    }

    fn show_only(&mut self, step: usize) {
        let run = Rc::clone(&self.view.run);
        self.look_at(&run, step);
    }

    fn look_at(&mut self, run: &Rc<Run>, step: usize) {
        self.serial += 1;
        self.view = Rc::new(look(run, step, 0).named(self.names, self.serial));
        run.seen.set(run.seen.get().max(self.view.step));
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
            _ if self.told.step == 0 => INTRODUCTION,
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
        if self.view.run.branches.len() >= MOST_CHOICES {
            return false;
        }
        let (from, step) = (Rc::clone(&self.view.run), self.view.step);
        let Ok(session) = from.with(|session| session.branch(choice)) else {
            return false;
        };
        let (mut branches, trail) = (from.branches.clone(), Rc::clone(&from.trail));
        branches.push((step, number));
        let mut faults = from.faults.clone();
        if choice.is_fault() {
            faults.push((self.view.time, choice));
        }
        let at = session.at();
        // Who drives a run by hand, step by step, makes one branch: nobody has seen how the one before would have gone on.
        let is_left =
            |run: &Rc<Run>| (run.origin.as_ref()).is_some_and(|it| it.from == from.number);
        let goes_on = from.tip == step && from.seen.get() == step && !self.runs.iter().any(is_left);
        let (number, origin) = match from.origin.clone().filter(|_| goes_on) {
            Some(origin) => (
                from.number,
                Origin {
                    more: origin.more + 1,
                    ..origin
                },
            ),
            None if self.is_full() => return false,
            None => (
                self.runs.iter().map(|run| run.number).max().unwrap_or(0) + 1,
                Origin {
                    from: from.number,
                    step,
                    choice,
                    more: 0,
                },
            ),
        };
        let run = Rc::new(Run {
            number,
            origin: Some(origin),
            branches,
            trail,
            faults,
            subject: from.subject,
            changes: OnceCell::new(),
            chronicle: OnceCell::new(),
            chart: OnceCell::new(),
            tip: at,
            seen: Cell::default(),
            session: RefCell::new(session),
        });
        match self.runs.iter_mut().find(|known| known.number == number) {
            Some(known) => *known = Rc::clone(&run),
            None => self.runs.push(Rc::clone(&run)),
        }
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

    /// Whether there are as many branches, or as many choices on the way to this one, as a page can hold.
    fn is_full(&self) -> bool {
        self.runs.len() >= MOST_RUNS || self.view.run.branches.len() >= MOST_CHOICES
    }

    fn refuse(&mut self) {
        let why = match self.is_full() {
            true => Label::TooManyBranches,
            false => Label::CannotCrash,
        };
        self.notice = Some(Notice {
            about: Label::BadChoice,
            detail: text::label(self.lang, why).to_owned(),
            field: None,
        });
    }

    /// The run that is so many rows further down in the tree, by its place in the list.
    pub fn neighbour(&self, way: isize) -> Option<usize> {
        let rows = tree(&self.runs);
        let is_here = |twig: &Twig| Rc::ptr_eq(&self.runs[twig.place], &self.view.run);
        let here = rows.iter().position(is_here)?;
        let row = here.checked_add_signed(way)?;
        rows.get(row).map(|twig| twig.place)
    }

    /// Closes a branch with all that have left it. Whoever looks at one of them looks at the run that it left, where
    /// it left it.
    fn close(&mut self, place: usize) {
        let Some(closed) = self.runs.get(place).map(Rc::clone) else {
            return;
        };
        let Some(origin) = &closed.origin else {
            return;
        };
        let parent = tree::parent(&self.runs, &closed).map(|place| Rc::clone(&self.runs[place]));
        let is_closed = |run: &Run| tree::is_of(&self.runs, run, closed.number);
        let leaves = is_closed(&self.view.run);
        let kept = self.runs.iter().filter(|run| !is_closed(run));
        self.runs = kept.map(Rc::clone).collect();
        if let (true, Some(parent)) = (leaves, parent.or_else(|| self.runs.first().map(Rc::clone)))
        {
            let step = origin.step;
            self.playing = false;
            self.look_at(&parent, step);
            self.now = self.view.time.0 as f64;
        }
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
        let story = self.view.run.with(|session| session.story().to_story());
        let field = knob.field();
        let fresh = match turned(&story, knob) {
            Ok(turned) if turned == story => {
                self.notice = None;
                return;
            }
            turned => turned.and_then(|turned| Self::start(turned, self.view.run.subject)),
        };
        let fresh = match fresh {
            Ok(fresh) => fresh,
            Err(error) => return self.bad_scenario(&error, Some(field)),
        };
        let (at_end, before) = (self.at_end() && !self.playing, Rc::clone(&self.view));
        self.notice = None;
        self.runs = fresh.runs;
        let run = Rc::clone(&self.runs[0]);
        self.look_at(&run, 0);
        // With other nodes the same choice would be about something else.
        let same = have_the_same_nodes(&before, &self.view);
        let mut dropped = Vec::new();
        for (moment, choice) in &before.run.faults {
            let step = self.view.run.with(|session| session.step_at(*moment));
            self.show(step);
            let again = self.view.choices.iter().position(|other| other == choice);
            if !again.is_some_and(|number| same && self.branch(number)) {
                dropped.push(text::choice(&before.lexicon(self.lang), *choice));
            }
        }
        if !dropped.is_empty() {
            self.notice = Some(Notice {
                about: Label::FaultsDropped,
                detail: dropped.join(self.lang.pick("; ", "；")),
                field: None,
            });
        }
        let step = if at_end {
            self.view.last
        } else {
            self.view.run.with(|session| session.step_at(before.time))
        };
        self.show(step);
    }

    /// Opens a fault report where it goes wrong. Its other side is looked at from the same moment, to see what the
    /// fix comes to; from its end, if one looks at the end.
    fn report(&mut self, reported: Reported) {
        let (before, was_playing) = (Rc::clone(&self.view), self.playing);
        let switched = self.switched.take();
        let still =
            switched.filter(|it| Rc::ptr_eq(&it.run, &before.run) && it.step == before.step);
        let (moment, at_end) = match still {
            Some(still) => (still.moment, still.at_end),
            None => (before.time, self.at_end() && !was_playing),
        };
        let open = before.run.report();
        let is_other_side = open.is_some_and(|open| open.place() == reported.place());
        self.load(reported.story(), Some(Subject::Report(reported)));
        if Rc::ptr_eq(&before.run, &self.view.run) {
            return;
        }
        if !is_other_side {
            self.sight = Sight::Watch;
        }
        let run = Rc::clone(&self.view.run);
        let step = match is_other_side {
            true if at_end => usize::MAX,
            true => run.with(|session| session.step_at(moment)),
            false => decided_at(run.session.borrow_mut().as_mut()),
        };
        self.rest(step);
        self.switched = is_other_side.then(|| Switched {
            run,
            step: self.view.step,
            moment,
            at_end,
        });
        self.playing = is_other_side && was_playing;
    }

    /// Opens a part of a lesson, and plays it.
    fn learn(&mut self, task: Task) {
        self.load(task.story(), Some(Subject::Task(task)));
        self.sight = Sight::Watch;
    }

    /// Takes down what a person predicts. The run goes on, and answers.
    fn predict(&mut self, given: usize) {
        let Some(task) = self.view.run.task() else {
            return;
        };
        let Some(right) = task.right().filter(|_| given < task.part().answers.len()) else {
            return;
        };
        let mut predictions = Predictions::clone(&self.predictions);
        predictions.insert(task, Predicted { given, right });
        self.predictions = Rc::new(predictions);
        if self.view.run.is_untouched() {
            let asks = self.view.run.with(|it| task.part().asks_at(it));
            self.rest(self.view.step.max(asks));
            self.playing = self.halt().is_some();
            // What may be over in a blink is to be seen.
            if let Some(halt) = self.halt() {
                let end = self.view.run.with(|run| run.time(halt));
                let seconds = (end - self.view.time).0 as f64 / 1_000_000.0;
                self.hurry(self.speed.min(seconds / TO_SEE));
            }
        }
    }

    /// The step at which a lesson stops next: to ask, or when its run has answered.
    pub fn halt(&self) -> Option<usize> {
        let run = &self.view.run;
        let part = run.task().filter(|_| run.is_untouched())?.part();
        let tells = || run.with(|it| part.tells_at(it));
        let step = self.limit().unwrap_or_else(tells);
        (self.view.step < step).then_some(step)
    }

    /// The step beyond which a lesson shows nothing of its run, as long as it waits for a prediction.
    pub fn limit(&self) -> Option<usize> {
        let run = &self.view.run;
        let task = run.task().filter(|_| run.is_untouched())?;
        let is_answered = self.predictions.contains_key(&task);
        (!is_answered).then(|| run.with(|it| task.part().asks_at(it)))
    }

    fn go_onward(&mut self) {
        if let Some(halt) = self.halt() {
            self.rest(halt);
        }
    }

    fn load(&mut self, story: Result<Story, ScenarioError>, subject: Option<Subject>) {
        match story.and_then(|story| Self::start(story, subject)) {
            Ok(fresh) => {
                self.take_over(fresh);
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

    /// Options that Kafka has, and that make no difference here, do not disappear without a word.
    fn tell_ignored(&mut self, ignored: &[Ignored]) {
        if ignored.is_empty() || self.notice.is_some() {
            return;
        }
        // Whose they are does not matter, where they make no difference anyway.
        let name = |field: &'_ str| match field.split_once(".config.") {
            Some((_, name)) => name.to_owned(),
            None => field.to_owned(),
        };
        let mut fields: Vec<String> = ignored.iter().map(|it| name(&it.field)).collect();
        fields.sort();
        fields.dedup();
        self.notice = Some(Notice {
            about: Label::OptionsIgnored,
            detail: fields.join(", "),
            field: None,
        });
    }

    /// Sets options as a configuration file has them, as far as the scenario has them and they make sense; tells of the
    /// others.
    fn set_properties(&mut self, properties: &[properties::Property]) {
        let story = self.view.run.with(|session| session.story().to_story());
        let scenario = serde_json::from_str(&story.as_ref().to_json()).unwrap_or_default();
        let (mut changes, mut unknown) = (Vec::new(), Vec::new());
        for property in properties {
            let found = properties::changes(&scenario, property);
            match found.is_empty() {
                true => unknown.push(property.name.clone()),
                false => changes.extend(found),
            }
        }
        let (changed, trouble) = address::with_changes(&story, &changes);
        if changed != story {
            match Self::start(changed, self.view.run.subject) {
                Ok(fresh) => self.take_over(fresh),
                Err(error) => return self.bad_scenario(&error, None),
            }
        }
        let mut details: Vec<String> = trouble.iter().map(|it| bad_part(self.lang, it)).collect();
        if !unknown.is_empty() {
            let none = text::label(self.lang, Label::NoSuchOptions);
            details.push(format!("{none} {}", unknown.join(", ")));
        }
        self.notice = (!details.is_empty()).then(|| Notice {
            about: if trouble.is_empty() {
                Label::OptionsIgnored
            } else {
                Label::OptionsRefused
            },
            detail: details.join(self.lang.pick("; ", "；")),
            field: None,
        });
    }

    /// Opens what a file has: a scenario, a run that was saved, or options. What is wrong with it is told with its line.
    fn open_file(&mut self, text: &str) {
        if let Some(properties) = properties::read(text) {
            return self.set_properties(&properties);
        }
        match Opened::read(text) {
            Ok(Opened::Scenario(story, ignored)) => {
                self.load(Ok(*story), None);
                self.tell_ignored(&ignored);
            }
            Ok(Opened::Run(story, way)) => match Self::start(*story, None) {
                Ok(fresh) => {
                    self.take_over(fresh);
                    let way = Address {
                        branches: way.branches,
                        step: Some(way.step),
                        ..self.address(self.lang)
                    };
                    if let Some(trouble) = self.choose_along(&way) {
                        self.notice = Some(Notice::bad_link(self.lang, &[trouble]));
                    }
                }
                Err(error) => self.bad_scenario(&error, None),
            },
            Err(trouble) => {
                self.notice = Some(Notice {
                    about: Label::BadScenario,
                    detail: trouble.told(self.lang),
                    field: None,
                });
            }
        }
    }

    /// Looks at another story, from its start.
    fn take_over(&mut self, fresh: Self) {
        self.runs = fresh.runs;
        self.speed = fresh.speed;
        self.hurried = None;
        // What has its number is another record there.
        self.life = None;
        self.selected = None;
        self.inspected = None;
        self.notice = None;
        self.playing = false;
        let run = Rc::clone(&self.runs[0]);
        self.look_at(&run, 0);
        self.now = 0.0;
        // Whatever was opened where there is no stage is on it.
        if !self.sight.is_about_a_run() || !run.model().sights().contains(&self.sight) {
            self.sight = Sight::Watch;
        }
    }

    /// Opens the run that shows something of a cell, at the step where it does.
    fn prove(&mut self, cell: usize, proof: Proof) {
        let Some(scenario) = self.guarantees.proof(cell, proof) else {
            return;
        };
        let story = Story::Delivery(scenario.clone());
        self.open_at(story, |session| shown_at(session, proof));
    }

    /// Opens the run of a cell of the fault matrix, at the step where it goes wrong.
    fn open_cell(&mut self, place: Place) {
        let Some(cell) = self.fault_matrix.cell(place) else {
            return;
        };
        let symptom = cell.symptom;
        let story = Story::Pipeline(cell.scenario.clone());
        self.open_at(story, |session| fault_matrix::shown_at(session, symptom));
    }

    /// Opens a run on the stage, at the step that shows what it is opened for.
    fn open_at(&mut self, story: Story, shown_at: impl FnOnce(&mut dyn Session) -> usize) {
        match Self::start(story, None) {
            Ok(fresh) => {
                self.take_over(fresh);
                let step = shown_at(self.view.run.session.borrow_mut().as_mut());
                self.show(step);
                self.sight = Sight::Watch;
            }
            Err(error) => self.bad_scenario(&error, None),
        }
    }

    /// The step of a run that was found at which what it was searched for shows, if it is still ahead.
    pub fn breaks_at(&self) -> Option<usize> {
        let run = &self.view.run;
        let step = run.trail.len();
        (run.branches.is_empty() && self.view.step < step).then_some(step)
    }

    /// What a worker is to do now.
    pub fn task(&self) -> Option<&search::Task> {
        let searched = self.search.running().map(|running| &running.task);
        searched.or_else(|| self.claims.task())
    }

    fn claim(&mut self, deed: claims::Deed) {
        let (claims, serial) = (Rc::make_mut(&mut self.claims), &mut self.serial);
        match deed {
            claims::Deed::Decide(place) => claims.decide([place].into_iter(), serial),
            claims::Deed::DecideAll => claims.decide(0..claims::CLAIMS.len(), serial),
            claims::Deed::Stop => claims.stop(),
            claims::Deed::Open(place, at) => {
                let case = claims::CLAIMS.get(place).and_then(|it| it.cases.get(at));
                let shown = self.claims.known(place, at).and_then(|it| it.shown.clone());
                if let (Some(Ok(story)), Some(shown)) = (case.map(claims::Case::story), shown) {
                    self.open_trail(story, None, &shown.choices);
                }
                return;
            }
        }
        // One thing at a time is searched.
        Rc::make_mut(&mut self.search).act(Deed::Cancel);
    }

    fn search(&mut self, deed: Deed) {
        match deed {
            Deed::Begin => {
                let story = self.view.run.with(|session| session.story().to_story());
                self.begin(&story, self.view.run.subject, false);
            }
            Deed::BeginFixed => {
                let answer = self.search.answers[0].clone();
                let fixed = answer.and_then(|it| Some((fit::fixed(&it.story, it.subject)?, it)));
                if let Some((story, answer)) = fixed {
                    self.begin(&story, answer.subject, true);
                }
            }
            Deed::Small => {
                let story = self.view.run.with(|session| fit::small(session.story()));
                self.load(story, None);
                self.pause();
            }
            Deed::Open(which) => self.open_found(which),
            deed => Rc::make_mut(&mut self.search).act(deed),
        }
    }

    fn begin(&mut self, story: &Story, subject: Option<Subject>, fixed: bool) {
        self.serial += 1;
        let serial = self.serial;
        Rc::make_mut(&mut self.claims).stop();
        Rc::make_mut(&mut self.search).begin(serial, story, subject, fixed);
    }

    fn hear(&mut self, serial: u64, told: Told) {
        // What an earlier one still says does not matter any more.
        if self.task().is_none_or(|task| task.serial != serial) {
            return;
        }
        if self.search.running().is_some() {
            Rc::make_mut(&mut self.search).hear(told);
        } else {
            Rc::make_mut(&mut self.claims).hear(told, &mut self.serial);
        }
    }

    /// Opens a run that was found, a few steps before what it shows, and plays it up to there.
    fn open_found(&mut self, which: Which) {
        let (story, subject, choices) = {
            let fixed = matches!(which, Which::Broken(true));
            let Some(answer) = &self.search.answers[usize::from(fixed)] else {
                return;
            };
            let found = match which {
                Which::Broken(_) => answer.outcome.counterexample(),
                Which::Reached(property) => answer.outcome.shown(property),
            };
            let Some(shown) = found else {
                return;
            };
            let story = Story::clone(&answer.story);
            (story, answer.subject, shown.choices.clone())
        };
        self.open_trail(story, subject, &choices);
    }

    fn open_trail(&mut self, story: Story, subject: Option<Subject>, choices: &[u16]) {
        match Self::start_along(story, subject, choices) {
            Ok(fresh) => {
                self.take_over(fresh);
                self.show(choices.len().saturating_sub(BEFORE));
                // A timer may have to run out on the way: nobody waits for that.
                let end = self.view.run.with(|session| session.time(choices.len()));
                let seconds = (end - self.view.time).0 as f64 / 1_000_000.0;
                self.hurry(self.speed.max(seconds / PATIENCE));
                self.sight = Sight::Watch;
                self.playing = true;
            }
            Err(error) => self.bad_run(text::original(self.lang, &error.to_string())),
        }
    }

    fn open_run(&mut self, file: Result<(Story, Vec<u16>), String>) {
        match file {
            Ok((story, choices)) => self.open_trail(story, None, &choices),
            Err(error) => self.bad_run(text::original(self.lang, &error)),
        }
    }

    fn bad_run(&mut self, detail: String) {
        self.notice = Some(Notice {
            about: Label::BadRun,
            detail,
            field: None,
        });
    }

    fn bad_scenario(&mut self, error: &ScenarioError, field: Option<Field>) {
        self.notice = Some(Notice {
            about: Label::BadScenario,
            detail: text::original(self.lang, &error.to_string()),
            field,
        });
    }

    /// Opens what an address describes, as far as it can be read.
    fn readdress(&mut self, address: &Address, mut trouble: Vec<AddressError>) {
        // The browser's way back leads to what the page still knows.
        let elsewhere = self.past.iter().rposition(|past| !past.in_place);
        let known = elsewhere.filter(|place| self.past[*place].is_at(address));
        if let Some(place) = known.filter(|_| trouble.is_empty()) {
            while self.past.len() > place {
                self.undo();
            }
            return;
        }
        match Self::at(address) {
            Ok((fresh, further)) => {
                trouble.extend(further);
                self.take_over(fresh);
                self.follow(address, trouble);
            }
            Err(error) => self.bad_scenario(&error, None),
        }
    }
}

/// Whether two runs have the same things on the stage.
fn have_the_same_nodes(one: &View, other: &View) -> bool {
    let nodes = |view: &View| -> Vec<(String, u16)> {
        let nodes = view.scene.nodes.iter();
        nodes.map(|node| (node.name.clone(), node.number)).collect()
    };
    nodes(one) == nodes(other)
}

/// Adds one more thing to a table; tells whether there was one.
fn advance<T>(table: &mut Rc<T>, with_next: impl FnOnce(&T) -> Option<T>) -> bool {
    let next = with_next(table).map(Rc::new);
    let is_more = next.is_some();
    if let Some(next) = next {
        *table = next;
    }
    is_more
}
