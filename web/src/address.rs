//! The address of the page: its fragment holds the whole state, so that copying it is sharing it.
//!
//! A scenario is written as what differs from the one that its model starts with:
//! `sink=exactly-once&seed=7`, `model=delivery&producers.0.config.acks=1`; or from that of a fault report:
//! `case=KP03`, with its fix `case=KP03.fixed`. The most common settings have short names, all others the path of their
//! field. What a person chose is written as step and number among what could be chosen there. Of the gallery it says what
//! is shown: `view=gallery&only=lost&find=acks&card=KP03`; of a search what is asked for:
//! `view=search&budget=2&spare=crashes&order=random`. A run that a search has found is written as the numbers of its steps:
//! `run=1.02a01`.
//!
//! A link that is given away says by what version of this format it was written, and what state it shows: `v=1.3fa9`. One
//! without is of version 1 too. What of a link cannot be read is named, and the rest is shown nevertheless.

use std::fmt;

use barrierscope_core::models::spared::Spared;
use barrierscope_core::models::trail::TrailError;
use barrierscope_core::scenario::{ScenarioError, Story, StoryRef};
use serde_json::{Map, Value};

use crate::state::gallery::{Excerpt, SYMPTOMS, code};
use crate::state::properties::flinks_name;
use crate::state::search::{MEMORY, MOST_FAULTS, Wanted};
use crate::state::trail;
use crate::state::{Along, Axis, Model, REPORTS, Reported, Sight, Subject, Task, place_of};
use crate::text::Lang;

/// What an address says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Address {
    /// The model.
    pub model: Model,
    /// The fault report or the part of a lesson, if it is one.
    pub subject: Option<Subject>,
    /// Fields of the scenario that differ from the one that the model starts with, or from that of the
    /// report: path and value.
    pub changes: Vec<(String, Value)>,
    /// If it is a run that was found: the steps with which it begins, by their numbers.
    pub trail: Vec<u16>,
    /// What was chosen: at which step, and its number there.
    pub branches: Vec<(usize, usize)>,
    /// The step that is looked at; without one the page starts to play.
    pub step: Option<usize>,
    /// In which way it is looked at.
    pub sight: Sight,
    /// What runs differ in that stand side by side, if it was chosen.
    pub axis: Option<Axis>,
    /// Whether the textbook's names of two-phase commit are shown beside Flink's.
    pub names: bool,
    /// Whether the logs of all replicas of a job's output topic are shown.
    pub replicas: bool,
    /// What runs along the space-time diagram, if it is shown.
    pub spacetime: Option<Along>,
    /// What of the gallery is shown.
    pub excerpt: Excerpt,
    /// What a search is asked for.
    pub wanted: Wanted,
    /// The language, if it is not the browser's.
    pub lang: Option<Lang>,
    /// The theme, if it is not the system's.
    pub theme: Option<Theme>,
    /// What it says of itself, if it was made to be given away.
    pub stamp: Option<Stamp>,
}

/// The version of the format that this program writes, and the newest that it reads.
pub const VERSION: u32 = 1;

/// What a link says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The version of the format.
    pub version: u32,
    /// The end of the fingerprint of the state that it showed when it was made. Where another one is shown, the program
    /// or a scenario that comes with it has changed since.
    pub print: Option<u16>,
}

impl Stamp {
    /// That of a link that is made now, and shows a state with this fingerprint.
    pub const fn now(fingerprint: u64) -> Self {
        Self {
            version: VERSION,
            print: Some(fingerprint as u16),
        }
    }

    fn read(value: &str) -> Option<Self> {
        let (version, print) = match value.split_once('.') {
            Some((version, print)) => (version, Some(u16::from_str_radix(print, 16).ok()?)),
            None => (value, None),
        };
        let version = version.parse().ok().filter(|version| *version > 0)?;
        Some(Self { version, print })
    }

    fn write(self) -> String {
        let print = self
            .print
            .map_or_else(String::new, |print| format!(".{print:04x}"));
        format!("v={}{print}", self.version)
    }
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// The word for it in the address and in the style sheet.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The one after it, round and round.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Auto => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Auto,
        }
    }
}

/// The values that a part of an address can have, if they can be told.
pub fn possible(part: &str) -> Option<String> {
    fn words<T>(all: impl IntoIterator<Item = T>, code: impl Fn(T) -> &'static str) -> String {
        all.into_iter().map(code).collect::<Vec<_>>().join(", ")
    }
    let name = part.split_once('=').map_or(part, |(name, _)| name);
    Some(match name {
        "lang" => words(Lang::ALL, Lang::code),
        "theme" => words([Theme::Auto, Theme::Light, Theme::Dark], Theme::code),
        "model" => words(Model::ALL, Model::code),
        "view" => words(Sight::ALL, Sight::code),
        "by" => words(Axis::ALL, Axis::code),
        "spacetime" => words(Along::ALL, Along::code),
        "only" => words(SYMPTOMS, code),
        "names" => TEXTBOOK.to_owned(),
        "replicas" => UNFOLDED.to_owned(),
        "order" => RANDOM.to_owned(),
        "step" => "0, 1, 2, …".to_owned(),
        "budget" => format!("0 … {MOST_FAULTS}"),
        "memory" => MEMORY.map(|it| it.to_string()).join(", "),
        _ => return None,
    })
}

/// What is wrong with an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressError {
    /// A part that is not `name=value`, or whose value means nothing.
    Part(String),
    /// The scenario that it describes makes no sense.
    Scenario(ScenarioError),
    /// Whoever wrote it had a scenario that no address holds.
    TooLong,
    /// The run that it describes cannot be taken.
    Trail(TrailError),
    /// It was written by a newer program, in a format of which this one knows nothing.
    Newer(u32),
    /// It does not show what it showed when it was made.
    Changed,
    /// More was chosen than a page holds.
    TooManyBranches,
    /// What was chosen cannot be chosen at that step.
    Branch {
        /// At which step.
        step: usize,
        /// Its number.
        choice: usize,
    },
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Part(part) => write!(f, "`{part}`"),
            Self::Scenario(error) => error.fmt(f),
            Self::Trail(error) => write!(f, "`run`: {error}"),
            Self::TooLong => f.write_str(TOO_LONG),
            Self::Newer(version) => write!(f, "`v={version}`"),
            Self::Changed => f.write_str("v"),
            Self::TooManyBranches => f.write_str("`b`"),
            Self::Branch { step, choice } => write!(f, "`b={step}.{choice}`"),
        }
    }
}

impl std::error::Error for AddressError {}

/// A scenario that takes more room than this is not written into the address.
const LONGEST: usize = 6_000;

/// What stands in the address in the place of such a scenario.
const TOO_LONG: &str = "scenario=too-long";

/// The value of `names` that asks for those of the textbooks.
const TEXTBOOK: &str = "2pc";

/// The value of `replicas` that asks for their logs.
const UNFOLDED: &str = "all";

/// The value of `order` that asks for runs in which chance decides.
const RANDOM: &str = "random";

/// The short names of settings.
const SHORT: [(&str, &[&str]); 5] = [
    ("isolation", &["reader", "isolation_level"]),
    ("interval", &["checkpointing", "interval_ms"]),
    ("buffers", &["costs", "buffers_per_channel"]),
    ("restart", &["costs", "restart_ms"]),
    ("crashes", &["faults", "schedule"]),
];

impl Address {
    /// The scenario that its model starts with, or that of what it is about.
    ///
    /// # Errors
    /// None, as long as the scenarios that come with the program are whole.
    pub fn base(&self) -> Result<Story, ScenarioError> {
        match self.subject {
            Some(subject) => subject.story(),
            None => self.model.story(),
        }
    }

    /// That of a run that was found, at the step at which it shows what it was searched for.
    pub fn of_run(story: StoryRef<'_>, subject: Option<Subject>, choices: &[u16]) -> Self {
        Self {
            model: Model::of(story),
            subject,
            changes: changes(subject, story),
            trail: choices.to_vec(),
            step: Some(choices.len()),
            ..Self::default()
        }
    }

    /// Reads the fragment of an address, with or without its `#`. What of it means nothing is named, and left out.
    pub fn read(fragment: &str) -> (Self, Vec<AddressError>) {
        let mut address = Self::default();
        let mut trouble = Vec::new();
        for part in fragment.trim_start_matches('#').split('&') {
            if part.is_empty() {
                continue;
            }
            let read = match part {
                TOO_LONG => Err(AddressError::TooLong),
                part => address.take(part),
            };
            trouble.extend(read.err());
        }
        if let Some(Stamp { version, .. }) = address.stamp
            && version > VERSION
        {
            trouble.insert(0, AddressError::Newer(version));
        }
        (address, trouble)
    }

    /// Reads the fragment of an address of which everything means something.
    ///
    /// # Errors
    /// [`AddressError`] names the first part that means nothing.
    pub fn parse(fragment: &str) -> Result<Self, AddressError> {
        let (address, mut trouble) = Self::read(fragment);
        match trouble.is_empty() {
            true => Ok(address),
            false => Err(trouble.remove(0)),
        }
    }

    /// Takes over what one part says.
    fn take(&mut self, part: &str) -> Result<(), AddressError> {
        let wrong = || AddressError::Part(part.to_owned());
        let (name, value) = part.split_once('=').ok_or_else(wrong)?;
        let value = decode(value).ok_or_else(wrong)?;
        match name {
            "v" => self.stamp = Some(Stamp::read(&value).ok_or_else(wrong)?),
            "step" => self.step = Some(value.parse().map_err(|_| wrong())?),
            "lang" => self.lang = Some(Lang::of(&value).ok_or_else(wrong)?),
            "theme" => {
                let theme = [Theme::Auto, Theme::Light, Theme::Dark]
                    .into_iter()
                    .find(|theme| theme.code() == value);
                self.theme = Some(theme.ok_or_else(wrong)?);
            }
            "model" => {
                let mut all = Model::ALL.into_iter();
                let model = all.find(|model| model.code() == value);
                self.model = model.ok_or_else(wrong)?;
            }
            "case" => {
                let reported = Reported::of(&value).ok_or_else(wrong)?;
                self.be_about(Subject::Report(reported))?;
            }
            "lesson" => {
                let task = Task::of(&value).ok_or_else(wrong)?;
                self.be_about(Subject::Task(task))?;
            }
            "view" => {
                let mut all = Sight::ALL.into_iter();
                let sight = all.find(|sight| sight.code() == value);
                self.sight = sight.ok_or_else(wrong)?;
            }
            "by" => {
                let mut all = Axis::ALL.into_iter();
                let axis = all.find(|axis| axis.code() == value);
                self.axis = Some(axis.ok_or_else(wrong)?);
            }
            "names" if value == TEXTBOOK => self.names = true,
            "replicas" if value == UNFOLDED => self.replicas = true,
            "names" | "replicas" => return Err(wrong()),
            "spacetime" => {
                let axis = Along::ALL.into_iter().find(|axis| axis.code() == value);
                self.spacetime = Some(axis.ok_or_else(wrong)?);
            }
            "only" => {
                let mut all = SYMPTOMS.into_iter();
                let only = all.find(|symptom| code(*symptom) == value);
                self.excerpt.only = Some(only.ok_or_else(wrong)?);
            }
            "find" => self.excerpt.find = value,
            "card" => self.excerpt.card = Some(place_of(&value).ok_or_else(wrong)?),
            "run" => self.trail = trail::read(&value).ok_or_else(wrong)?,
            "budget" => {
                let faults = value.parse().ok().filter(|it| *it <= MOST_FAULTS);
                self.wanted.faults = faults.ok_or_else(wrong)?;
            }
            "memory" => {
                let memory = value.parse().ok().filter(|it| MEMORY.contains(it));
                self.wanted.memory = memory.ok_or_else(wrong)?;
            }
            "order" if value == RANDOM => self.wanted.random = true,
            "order" => return Err(wrong()),
            "spare" => self.wanted.spared = spared(&value).ok_or_else(wrong)?,
            "b" => {
                let branch = |branch: &str| {
                    let (step, choice) = branch.split_once('.')?;
                    Some((step.parse().ok()?, choice.parse().ok()?))
                };
                let branches: Option<Vec<_>> = value.split(',').map(branch).collect();
                self.branches.extend(branches.ok_or_else(wrong)?);
            }
            _ => {
                // Messages write places in lists as `[1]`.
                let path = decode(name).ok_or_else(wrong)?;
                let path = path.replace('[', ".").replace(']', "");
                // What is no JSON is a word.
                let value = serde_json::from_str(&value).unwrap_or(Value::String(value));
                self.changes.push((path, value));
            }
        }
        Ok(())
    }

    fn be_about(&mut self, subject: Subject) -> Result<(), AddressError> {
        let story = subject.story().map_err(AddressError::Scenario)?;
        self.model = Model::of(story.as_ref());
        self.subject = Some(subject);
        Ok(())
    }

    /// The fragment that says all this, without a `#`.
    pub fn write(&self) -> String {
        let mut parts = written(&self.changes);
        let is_too_long = length(&parts) > LONGEST;
        if is_too_long {
            parts = vec![TOO_LONG.to_owned()];
        } else if let Some(subject) = self.subject {
            let names_it = match subject {
                Subject::Report(reported) => format!("case={}", reported.code()),
                Subject::Task(task) => format!("lesson={}", task.code()),
            };
            parts.insert(0, names_it);
        } else if self.model != Model::default() {
            parts.insert(0, format!("model={}", self.model.code()));
        }
        if !self.trail.is_empty() && !is_too_long {
            parts.push(format!("run={}", trail::write(&self.trail)));
        }
        // What was chosen in a scenario means nothing without it.
        if !self.branches.is_empty() && !is_too_long {
            let branches: Vec<String> = (self.branches.iter())
                .map(|(step, choice)| format!("{step}.{choice}"))
                .collect();
            parts.push(format!("b={}", branches.join(",")));
        }
        if let Some(step) = self.step {
            parts.push(format!("step={step}"));
        }
        if self.sight != Sight::default() {
            parts.push(format!("view={}", self.sight.code()));
        }
        if let Some(axis) = self.axis {
            parts.push(format!("by={}", axis.code()));
        }
        if self.names {
            parts.push(format!("names={TEXTBOOK}"));
        }
        if self.replicas {
            parts.push(format!("replicas={UNFOLDED}"));
        }
        if let Some(axis) = self.spacetime {
            parts.push(format!("spacetime={}", axis.code()));
        }
        parts.extend(asked(&self.wanted));
        let Excerpt { only, find, card } = &self.excerpt;
        if let Some(only) = only {
            parts.push(format!("only={}", code(*only)));
        }
        if !find.is_empty() {
            parts.push(format!("find={}", encode(find)));
        }
        if let Some(report) = card.and_then(|place| REPORTS.get(place)) {
            parts.push(format!("card={}", report.id));
        }
        if let Some(lang) = self.lang {
            parts.push(format!("lang={}", lang.code()));
        }
        if let Some(theme) = self.theme {
            parts.push(format!("theme={}", theme.code()));
        }
        if let Some(stamp) = self.stamp {
            parts.push(stamp.write());
        }
        parts.join("&")
    }

    /// The scenario that the address describes.
    ///
    /// # Errors
    /// [`AddressError`] if the changes do not fit, or make no sense together.
    pub fn story(&self) -> Result<Story, AddressError> {
        let default = self.base().map_err(AddressError::Scenario)?;
        if self.changes.is_empty() {
            return Ok(default);
        }
        changed(&default, &self.changes)
    }

    /// The scenario that the address describes, as far as its changes make sense, and what is wrong with the others.
    ///
    /// # Errors
    /// None, as long as the scenarios that come with the program are whole.
    pub fn story_as_far_as_it_goes(&self) -> Result<(Story, Vec<AddressError>), ScenarioError> {
        Ok(with_changes(&self.base()?, &self.changes))
    }
}

/// A scenario with changes, as far as they make sense, and what is wrong with the others.
pub fn with_changes(base: &Story, changes: &[(String, Value)]) -> (Story, Vec<AddressError>) {
    let (mut left, mut trouble) = (changes.to_vec(), Vec::new());
    // Most often the error names the change that makes no sense: without it, the others may.
    while let Err(error) = changed(base, &left) {
        let Some(blamed) = blamed(base, &left, &error) else {
            break;
        };
        left.remove(blamed);
        trouble.push(error);
    }
    // Otherwise each is tried by itself, again and again, as one may make sense only after another.
    let (mut story, mut taken) = (base.clone(), Vec::new());
    match changed(base, &left) {
        Ok(fitting) => return (fitting, trouble),
        Err(error) => trouble.push(error),
    }
    let fits = |taken: &[(String, Value)], change: &(String, Value)| {
        let with = [taken, std::slice::from_ref(change)].concat();
        changed(base, &with).ok()
    };
    while let Some((at, fitting)) =
        (left.iter().enumerate()).find_map(|(at, it)| Some((at, fits(&taken, it)?)))
    {
        story = fitting;
        taken.push(left.remove(at));
    }
    (story, trouble)
}

/// A scenario with all of some changes.
fn changed(base: &Story, changes: &[(String, Value)]) -> Result<Story, AddressError> {
    if changes.is_empty() {
        return Ok(base.clone());
    }
    let mut story = json(base.as_ref());
    for (path, value) in changes {
        let long = long_name(&story, path);
        let wrong = || AddressError::Part(format!("{path}={value}"));
        *field(&mut story, &long).ok_or_else(wrong)? = value.clone();
    }
    if Model::of(base.as_ref()).is_job() {
        drop_nothing_of_a_job(&mut story);
    } else {
        drop_nothing(&mut story);
    }
    Story::from_json(&story.to_string()).map_err(AddressError::Scenario)
}

/// The change that an error is about, if it names one.
fn blamed(base: &Story, changes: &[(String, Value)], error: &AddressError) -> Option<usize> {
    let base = json(base.as_ref());
    let field = match error {
        AddressError::Scenario(error) => error.field.replace('[', ".").replace(']', ""),
        AddressError::Part(part) => part.split('=').next().unwrap_or_default().to_owned(),
        _ => return None,
    };
    let is_within = |inner: &str, outer: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let mut changes = changes.iter();
    changes.position(|(path, _)| {
        let long = long_name(&base, path);
        is_within(&field, &long) || is_within(&long, &field) && !field.is_empty()
    })
}

/// What is spared, as it stands in an address: `crashes,messages,3`.
fn spared(value: &str) -> Option<Spared> {
    let mut spared = Spared::default();
    for word in value.split(',') {
        match word {
            "crashes" => spared.crashes = true,
            "messages" => spared.messages = true,
            node => spared.nodes.push(node.parse().ok()?),
        }
    }
    Some(spared)
}

/// What a search is asked for that is not usual.
fn asked(wanted: &Wanted) -> Vec<String> {
    let (usual, mut parts) = (Wanted::default(), Vec::new());
    if wanted.faults != usual.faults {
        parts.push(format!("budget={}", wanted.faults));
    }
    let Spared {
        crashes,
        messages,
        nodes,
    } = &wanted.spared;
    let kinds = [("crashes", *crashes), ("messages", *messages)];
    let kinds = kinds.into_iter().filter(|(_, is_it)| *is_it);
    let words = kinds.map(|(word, _)| word.to_owned());
    let words: Vec<String> = words.chain(nodes.iter().map(u16::to_string)).collect();
    if !words.is_empty() {
        parts.push(format!("spare={}", words.join(",")));
    }
    if wanted.memory != usual.memory {
        parts.push(format!("memory={}", wanted.memory));
    }
    if wanted.random {
        parts.push(format!("order={RANDOM}"));
    }
    parts
}

/// Settings as they stand in an address.
fn written(changes: &[(String, Value)]) -> Vec<String> {
    (changes.iter())
        .map(|(path, value)| {
            let value = match value {
                Value::String(word) if serde_json::from_str::<Value>(word).is_err() => word.clone(),
                other => other.to_string(),
            };
            format!("{}={}", encode(path), encode(&value))
        })
        .collect()
}

fn length(parts: &[String]) -> usize {
    parts.iter().map(String::len).sum()
}

/// Whether a scenario takes more room than an address has for it.
pub fn is_too_long(changes: &[(String, Value)]) -> bool {
    length(&written(changes)) > LONGEST
}

/// What differs between a scenario and the one that its model starts with, or that of what it is about.
pub fn changes(subject: Option<Subject>, story: StoryRef<'_>) -> Vec<(String, Value)> {
    let base = Address {
        model: Model::of(story),
        subject,
        ..Address::default()
    };
    let Ok(default) = base.base() else {
        return Vec::new();
    };
    if default.as_ref() == story {
        return Vec::new();
    }
    let default = json(default.as_ref());
    let mut found = Vec::new();
    compare(&default, &json(story), &mut Vec::new(), &mut found);
    (found.into_iter())
        .map(|(path, value)| (short_name(&default, &path), value))
        .collect()
}

/// The options in which a scenario differs from another one, as they are written: `enable.idempotence=true`.
pub fn differences(from: StoryRef<'_>, to: StoryRef<'_>) -> Vec<String> {
    let mut found = Vec::new();
    compare(&json(from), &json(to), &mut Vec::new(), &mut found);
    let named = found.into_iter().map(|(path, value)| {
        // The name of a client's option has dots in it.
        let (name, unit) = match path.split_once(".config.") {
            Some((_, name)) => (name, ""),
            None => {
                flinks_name(&path).unwrap_or_else(|| (path.rsplit('.').next().unwrap_or(&path), ""))
            }
        };
        let value = match value {
            Value::String(word) => word,
            Value::Null => "default".to_owned(),
            other => other.to_string(),
        };
        format!("{name}={value}{unit}")
    });
    let mut named: Vec<String> = named.collect();
    named.dedup();
    named
}

fn json(story: StoryRef<'_>) -> Value {
    serde_json::from_str(&story.to_json()).unwrap_or_default()
}

/// Takes out the options of Kafka's clients that are null: they are left out, and have their defaults.
fn drop_nothing(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_nothing);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nothing),
        _ => {}
    }
}

/// Takes out what is null of a job that means something else when it is left out.
fn drop_nothing_of_a_job(story: &mut Value) {
    let Some(fields) = story.as_object_mut() else {
        return;
    };
    if fields.get("unfixed").is_some_and(Value::is_null) {
        fields.remove("unfixed");
    }
    for part in ["inputs", "job", "kafka"] {
        if let Some(part) = fields.get_mut(part) {
            drop_nothing(part);
        }
    }
    if let Some(Value::Object(checkpointing)) = fields.get_mut("checkpointing") {
        let name = "after_tasks_finish";
        if checkpointing.get(name).is_some_and(Value::is_null) {
            checkpointing.remove(name);
        }
    }
}

fn compare(old: &Value, new: &Value, path: &mut Vec<String>, found: &mut Vec<(String, Value)>) {
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                let nothing = Value::Null;
                path.push(key.clone());
                let (old, new) = (
                    a.get(key).unwrap_or(&nothing),
                    b.get(key).unwrap_or(&nothing),
                );
                compare(old, new, path, found);
                path.pop();
            }
        }
        // Lists of the same things are compared thing by thing; others are written as a whole.
        (Value::Array(a), Value::Array(b))
            if a.len() == b.len() && a.iter().all(Value::is_object) =>
        {
            for (at, (old, new)) in a.iter().zip(b).enumerate() {
                path.push(at.to_string());
                compare(old, new, path, found);
                path.pop();
            }
        }
        _ if old == new => {}
        _ => found.push((path.join("."), new.clone())),
    }
}

/// The path of the setting of the only vertex of a kind.
fn of_vertex(story: &Value, kind: &str, setting: &str) -> Option<String> {
    let vertices = story.get("job")?.get("vertices")?.as_array()?;
    let at = vertices.iter().position(|vertex| {
        vertex
            .get("operator")
            .and_then(|operator| operator.get("kind")?.as_str())
            == Some(kind)
    })?;
    Some(format!("job.vertices.{at}.operator.{setting}"))
}

fn shorts(story: &Value) -> impl Iterator<Item = (&'static str, String)> {
    let vertices = [
        ("sink", of_vertex(story, "sink", "delivery_guarantee")),
        ("every", of_vertex(story, "source", "interval_ms")),
        ("cost", of_vertex(story, "sum", "cost_ms")),
    ];
    (SHORT.iter().map(|(short, path)| (*short, path.join(".")))).chain(
        vertices
            .into_iter()
            .filter_map(|(short, path)| Some((short, path?))),
    )
}

fn long_name(story: &Value, name: &str) -> String {
    shorts(story)
        .find(|(short, _)| *short == name)
        .map_or_else(|| name.to_owned(), |(_, path)| path)
}

fn short_name(story: &Value, path: &str) -> String {
    shorts(story)
        .find(|(_, long)| long == path)
        .map_or_else(|| path.to_owned(), |(short, _)| short.to_owned())
}

/// The place of a field; made where an object does not have it yet. Kafka's options have dots in their
/// names: the longest name that is there is meant, and what is not there is one name to its end.
fn field<'a>(value: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    let (mut place, mut rest) = (value, path);
    while !rest.is_empty() {
        let (step, further) = match place {
            Value::Object(fields) => known_step(fields, rest),
            _ => rest.split_once('.').unwrap_or((rest, "")),
        };
        place = match place {
            Value::Object(fields) => fields.entry(step).or_insert(Value::Null),
            Value::Array(items) => items.get_mut(step.parse::<usize>().ok()?)?,
            _ => return None,
        };
        rest = further;
    }
    Some(place)
}

/// The longest beginning of a path that is the name of a field, and what follows; all of it if none is.
fn known_step<'p>(fields: &Map<String, Value>, path: &'p str) -> (&'p str, &'p str) {
    let ends = path.rmatch_indices('.').map(|(at, _)| (at, at + 1));
    let mut ends = std::iter::once((path.len(), path.len())).chain(ends);
    let known = ends.find(|(end, _)| {
        path.get(..*end)
            .is_some_and(|name| fields.contains_key(name))
    });
    match known {
        Some((end, next)) => (&path[..end], &path[next..]),
        None => (path, ""),
    }
}

/// Writes text so that it can stand in a fragment.
fn encode(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => written.push(char::from(byte)),
            b'-' | b'_' | b'.' | b'~' | b',' | b':' | b'[' | b']' | b'{' | b'}' => {
                written.push(char::from(byte));
            }
            _ => {
                const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
                written.push('%');
                written.push(char::from(DIGITS[usize::from(byte >> 4)]));
                written.push(char::from(DIGITS[usize::from(byte & 15)]));
            }
        }
    }
    written
}

/// Reads what [`encode`] or a browser wrote.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first == b'%' {
            let [high, low, tail @ ..] = rest else {
                return None;
            };
            let digit = |byte: u8| char::from(byte).to_digit(16);
            bytes.push(u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?);
            rest = tail;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use barrierscope_core::kafka::replicated_log::Acks;
    use barrierscope_core::scenario::{DeliveryGuarantee, Scenario};
    use barrierscope_core::time::Millis;

    fn story() -> Scenario {
        Scenario::default_story().unwrap()
    }

    fn changes(scenario: &Scenario) -> Vec<(String, Value)> {
        super::changes(None, StoryRef::Pipeline(scenario))
    }

    fn scenario(address: &Address) -> Scenario {
        address
            .story()
            .unwrap()
            .as_ref()
            .pipeline()
            .unwrap()
            .clone()
    }

    #[test]
    fn the_default_story_is_an_empty_address() {
        assert_eq!(changes(&story()), Vec::new());
        assert_eq!(Address::default().write(), "");
        assert_eq!(scenario(&Address::parse("").unwrap()), story());
    }

    #[test]
    fn common_settings_have_short_names() {
        let mut changed = story();
        *changed.sink_mut().unwrap() = DeliveryGuarantee::ExactlyOnce;
        changed.checkpointing.interval_ms = Millis(500);
        let address = Address {
            changes: changes(&changed),
            ..Address::default()
        };
        assert_eq!(address.write(), "interval=500&sink=exactly-once");
        assert_eq!(
            scenario(&Address::parse(&address.write()).unwrap()),
            changed
        );
    }

    #[test]
    fn any_change_comes_back() {
        let mut changed = story();
        changed.seed = 7;
        changed.name = "ä & = 100%".to_owned();
        changed.faults.schedule.clear();
        changed.job.vertices[1].parallelism = 3;
        changed.job.vertices[1].name = "sum".to_owned();
        changed.job.edges[0].to = "sum".to_owned();
        changed.job.edges[1].from = "sum".to_owned();
        changed.job.edges[1].partitioning = barrierscope_core::scenario::Partitioning::Hash;
        changed.output.partitions = Some(5);
        let address = Address {
            model: Model::Pipeline,
            subject: None,
            changes: changes(&changed),
            trail: vec![0, 3, 40, 11],
            branches: vec![(412, 7), (430, 0)],
            step: Some(431),
            sight: Sight::Compare,
            axis: Some(Axis::Sink),
            names: true,
            replicas: true,
            spacetime: Some(Along::Time),
            excerpt: Excerpt {
                only: Some(SYMPTOMS[1]),
                find: "确认 & retry=1".to_owned(),
                card: place_of("KP03"),
            },
            wanted: Wanted {
                faults: 3,
                spared: Spared {
                    crashes: false,
                    messages: true,
                    nodes: vec![2, 14],
                },
                memory: MEMORY[3],
                random: true,
            },
            lang: Some(Lang::Zh),
            theme: Some(Theme::Dark),
            stamp: Some(Stamp::now(0xfeed_0a12)),
        };
        assert!(address.write().ends_with("&v=1.0a12"));
        let again = Address::parse(&format!("#{}", address.write())).unwrap();
        assert_eq!(again, address);
        assert_eq!(scenario(&again), changed);
    }

    #[test]
    fn a_name_that_looks_like_a_number_stays_a_name() {
        let mut changed = story();
        changed.name = "12".to_owned();
        let address = Address {
            changes: changes(&changed),
            ..Address::default()
        };
        let again = Address::parse(&address.write()).unwrap();
        assert_eq!(scenario(&again), changed);
    }

    #[test]
    fn a_bad_part_is_named() {
        for bad in [
            "step=many",
            "lang=xx",
            "theme=pink",
            "view=nothing",
            "only=nothing",
            "card=KX99",
            "names=none",
            "replicas=some",
            "case=KX99",
            "model=nothing",
            "b=1",
            "run=1.",
            "run=7.00",
            "budget=9",
            "memory=5",
            "order=odd",
            "spare=all",
            "nonsense",
            "seed=%zz",
            "v=",
            "v=0",
            "v=1.wxyz",
        ] {
            assert_eq!(
                Address::parse(bad),
                Err(AddressError::Part(bad.to_owned())),
                "{bad}"
            );
        }
    }

    #[test]
    fn one_mistake_drops_nothing_else() {
        let fragment =
            "seed=7&nonsense&sink=exactly-once&buffers=0&no.such.field=1&step=5&theme=pink&lang=zh";
        let (address, trouble) = Address::read(fragment);
        assert_eq!(address.step, Some(5));
        assert_eq!(address.lang, Some(Lang::Zh));
        let named: Vec<String> = trouble.iter().map(ToString::to_string).collect();
        assert_eq!(named, ["`nonsense`", "`theme=pink`"]);
        let (story, trouble) = address.story_as_far_as_it_goes().unwrap();
        let scenario = story.as_ref().pipeline().unwrap().clone();
        assert_eq!(scenario.seed, 7);
        assert_eq!(
            scenario.delivery_guarantee(),
            Some(DeliveryGuarantee::ExactlyOnce)
        );
        let named: Vec<String> = trouble.iter().map(ToString::to_string).collect();
        assert_eq!(named.len(), 2, "{named:?}");
        assert!(named[0].starts_with("no.such.field: "), "{named:?}");
        assert!(
            named[1].starts_with("costs.buffers_per_channel: "),
            "{named:?}"
        );
    }

    #[test]
    fn changes_that_need_each_other_are_made_together() {
        // None fits alone: the names in the edges have to follow that of the vertex.
        let renamed = "job.edges.0.to=sum&crashes=[]&job.vertices.1.name=sum&job.edges.1.from=sum";
        for (fragment, wrong) in [(renamed.to_owned(), 0), (format!("{renamed}&buffers=0"), 1)] {
            let address = Address::parse(&fragment).unwrap();
            let (story, trouble) = address.story_as_far_as_it_goes().unwrap();
            assert_eq!(
                story.as_ref().pipeline().unwrap().job.vertices[1].name,
                "sum"
            );
            assert_eq!(trouble.len(), wrong, "{trouble:?}");
        }
    }

    #[test]
    fn a_link_says_by_what_version_it_was_written() {
        let (address, trouble) = Address::read("seed=3&v=1.0c0d");
        assert_eq!(trouble, Vec::new());
        assert_eq!(
            address.stamp,
            Some(Stamp {
                version: 1,
                print: Some(0x0c0d)
            })
        );
        // A link of an older version has none.
        assert_eq!(Address::read("seed=3").0.stamp, None);
        let (address, trouble) = Address::read("seed=3&v=2");
        assert_eq!(trouble, [AddressError::Newer(2)]);
        assert_eq!(address.changes.len(), 1, "what can be read is read");
    }

    #[test]
    fn a_senseless_setting_names_its_field() {
        let address = Address::parse("buffers=0").unwrap();
        let message = address.story().unwrap_err().to_string();
        assert!(
            message.starts_with("costs.buffers_per_channel: "),
            "{message}"
        );
        let address = Address::parse("no.such.field=1").unwrap();
        assert!(address.story().is_err());
    }

    #[test]
    fn options_with_dots_in_their_names_come_back() {
        let address = Address::parse(
            "model=delivery&producers.0.config.enable.idempotence=false&producers[0].config.acks=1\
             &cluster.transaction.version=1&producers.0.config.retries=null",
        )
        .unwrap();
        let story = address.story().unwrap();
        let delivery = story.as_ref().delivery().unwrap().clone();
        assert_eq!(delivery.producers[0].config.idempotence, Some(false));
        assert_eq!(delivery.producers[0].config.acks, Some(Acks::Leader));
        assert_eq!(delivery.producers[0].config.retries, None);
        assert_eq!(delivery.cluster.transaction_version, 1);
        let again = Address {
            model: Model::Delivery,
            changes: super::changes(None, story.as_ref()),
            ..Address::default()
        };
        let again = Address::parse(&again.write()).unwrap();
        assert_eq!(again.story().unwrap(), story);
    }

    #[test]
    fn brokers_come_and_go() {
        let with = Address::parse(
            "model=kafka-to-kafka&kafka.sink.config.delivery.timeout.ms=150000&unfixed=null",
        )
        .unwrap();
        let with = with.story().unwrap();
        let kafka = with.as_ref().pipeline().unwrap().kafka.as_ref().unwrap();
        let timeout = kafka.sink.config.delivery_timeout;
        assert_eq!(timeout, Some(Millis(150_000)));
        let without = Address::parse("model=kafka-to-kafka&kafka=null").unwrap();
        let without = without.story().unwrap();
        assert!(without.as_ref().pipeline().unwrap().kafka.is_none());
        for story in [with, without] {
            let again = Address {
                model: Model::of(story.as_ref()),
                changes: super::changes(None, story.as_ref()),
                ..Address::default()
            };
            let again = Address::parse(&again.write()).unwrap();
            assert_eq!(again.story().unwrap(), story);
        }
    }

    #[test]
    fn each_model_is_one_word() {
        for model in Model::ALL {
            let story = model.story().unwrap();
            assert_eq!(super::changes(None, story.as_ref()), Vec::new());
            let address = Address::parse(&format!("model={}", model.code())).unwrap();
            assert_eq!(address.story().unwrap(), story);
        }
    }
}
