//! The public fault reports that the page knows: producers, consumers, transactions and Streams of Kafka, and Flink,
//! each a scenario without and with its fix.

use barrierscope_core::scenario::{ScenarioError, Story};
use barrierscope_core::session::Session;
use barrierscope_core::symptom::{Found, Symptom};

use crate::text::Lang;

/// A fault report.
#[derive(Debug)]
pub struct Report {
    /// Its name in an address, and the beginning of that of its scenario's files.
    pub id: &'static str,
    /// Where it was reported, or what is documented, as short as it can be said.
    pub ticket: &'static str,
    /// Where to read on.
    pub link: Option<&'static str>,
    /// What it is about.
    pub system: System,
    /// What went wrong, as it was reported.
    pub observed: Symptom,
    words: [Words; 2],
    /// The scenario without the fix, and with it.
    files: [Option<&'static str>; 2],
}

/// What there is to say about a report, in one language.
#[derive(Debug)]
pub struct Words {
    /// What it is about.
    pub title: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The versions for which it holds.
    pub versions: &'static str,
    /// What went wrong.
    pub wrong: &'static str,
    /// The cause.
    pub why: &'static str,
    /// What avoids it.
    pub fix: &'static str,
    /// Where the scenario differs from the report.
    pub note: Option<&'static str>,
}

/// What a report is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Kafka's producers, and what its brokers do with what they send.
    Producers,
    /// Kafka's consumers, and their groups.
    Consumers,
    /// Kafka's transactions.
    Transactions,
    /// Kafka Streams.
    Streams,
    /// Flink and its connectors.
    Flink,
}

impl System {
    /// All of them, in the order in which the gallery has them.
    pub const ALL: [Self; 5] = [
        Self::Producers,
        Self::Consumers,
        Self::Transactions,
        Self::Streams,
        Self::Flink,
    ];
}

/// All of them. The build script makes the table.
pub const REPORTS: &[Report] = include!(concat!(env!("OUT_DIR"), "/reports.rs"));

impl Report {
    /// What there is to say about it.
    pub const fn words(&self, lang: Lang) -> &Words {
        let [en, zh] = &self.words;
        lang.pick(en, zh)
    }

    /// Whether there is a scenario of it.
    pub const fn can_be_opened(&self) -> bool {
        self.files[0].is_some()
    }

    /// Whether there is one with a fix: there is none where nothing goes wrong.
    pub const fn has_fix(&self) -> bool {
        self.files[1].is_some()
    }

    /// Its scenario's file, without its fix or with it.
    pub(super) fn file(&self, fixed: bool) -> Option<&'static str> {
        self.files[usize::from(fixed)]
    }
}

/// A fault report as it is opened: which, by its place in [`REPORTS`], and whether with its fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    place: usize,
    /// Whether with its fix.
    pub fixed: bool,
}

/// Behind the name of a report, in an address: with its fix.
const FIXED: &str = ".fixed";

impl Reported {
    /// A report by its place in [`REPORTS`], without its fix; nothing if there is no scenario of it.
    pub fn at(place: usize) -> Option<Self> {
        let report = REPORTS.get(place)?;
        report.can_be_opened().then_some(Self {
            place,
            fixed: false,
        })
    }

    /// The one that an address names.
    pub fn of(code: &str) -> Option<Self> {
        let (id, fixed) = match code.strip_suffix(FIXED) {
            Some(id) => (id, true),
            None => (code, false),
        };
        let reported = Self::at(place_of(id)?)?;
        (!fixed || reported.report().has_fix()).then(|| reported.with_fix(fixed))
    }

    /// The word for it in an address.
    pub fn code(self) -> String {
        let id = self.report().id;
        let fixed = if self.fixed { FIXED } else { "" };
        format!("{id}{fixed}")
    }

    /// Its place in [`REPORTS`].
    pub const fn place(self) -> usize {
        self.place
    }

    /// The report.
    pub fn report(self) -> &'static Report {
        // Nothing else makes one of these.
        REPORTS.get(self.place).unwrap_or(&REPORTS[0])
    }

    /// The same report with its fix, if there is one, or without.
    #[must_use]
    pub fn with_fix(self, fixed: bool) -> Self {
        let fixed = fixed && self.report().has_fix();
        Self { fixed, ..self }
    }

    /// Its scenario.
    ///
    /// # Errors
    /// None, as long as the scenarios that come with the program are whole.
    pub fn story(self) -> Result<Story, ScenarioError> {
        Story::from_json(self.report().file(self.fixed).unwrap_or_default())
    }

    /// What it comes to: runs it to its end.
    pub(super) fn found(self) -> Option<Found> {
        let mut run = barrierscope_core::start(self.story().ok()?).ok()?;
        run.go_to(run.last());
        Found::of(run.as_ref() as &dyn Session)
    }
}

/// The place of a report in [`REPORTS`], by its name in an address.
pub fn place_of(id: &str) -> Option<usize> {
    REPORTS.iter().position(|report| report.id == id)
}

/// The title of the scenario of a report, if it is one's; any scenario may have any name.
pub fn titled(lang: Lang, name: &str) -> Option<&'static str> {
    let mut reports = REPORTS.iter();
    let report = reports.find(|report| report.words(Lang::En).title == name)?;
    Some(report.words(lang).title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_opens_without_and_with_its_fix() {
        let mut opened = 0;
        for reported in (0..REPORTS.len()).filter_map(Reported::at) {
            for reported in [reported, reported.with_fix(true)] {
                let story = reported.story().expect("it is whole");
                let name = story.as_ref().name().to_owned();
                assert!(barrierscope_core::start(story).is_ok());
                assert_eq!(Reported::of(&reported.code()), Some(reported));
                let title = reported.report().words(Lang::Zh).title;
                assert_eq!(titled(Lang::Zh, &name), Some(title));
                opened += 1;
            }
        }
        assert!(opened >= 50, "{opened}");
        assert_eq!(Reported::at(REPORTS.len()), None);
        assert_eq!(Reported::of("KX99"), None);
    }

    #[test]
    fn every_report_comes_out_as_reported() {
        for reported in (0..REPORTS.len()).filter_map(Reported::at) {
            let report = reported.report();
            let found = reported.found().expect("somebody is judged");
            let is_reported = found.symptom == report.observed
                || found.symptom == Symptom::Miscounted && report.system == System::Flink;
            assert!(is_reported, "{}: {found:?}", report.id);
            if report.has_fix() {
                let fixed = reported.with_fix(true).found().expect("somebody is judged");
                assert_eq!(fixed.symptom, Symptom::Ok, "{}", report.id);
            }
        }
    }
}
