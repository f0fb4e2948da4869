//! The gallery of fault reports: which of them are shown, what each comes to, and what its fix changes.

use std::rc::Rc;

use barrierscope_core::symptom::{Found, Symptom};
use serde_json::Value;

use super::report::{REPORTS, Report, Reported, System};
use crate::text::Lang;

/// What of the gallery is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// Only those in which this went wrong.
    pub only: Option<Symptom>,
    /// Only those that say all of these words.
    pub find: String,
    /// The one that is open, by its place in [`REPORTS`].
    pub card: Option<usize>,
}

/// What may have gone wrong in a report, in the order in which the gallery offers it.
pub const SYMPTOMS: [Symptom; 5] = [
    Symptom::Loss,
    Symptom::Duplicates,
    Symptom::Stuck,
    Symptom::Fenced,
    Symptom::Ok,
];

/// The word for a symptom in the address.
pub const fn code(symptom: Symptom) -> &'static str {
    match symptom {
        Symptom::Ok => "fine",
        Symptom::Loss => "lost",
        // No report is of both.
        Symptom::Duplicates | Symptom::Both => "doubled",
        Symptom::Stuck => "stuck",
        Symptom::Fenced => "fenced",
        Symptom::Miscounted => "miscounted",
    }
}

/// The symptom that a report is filed under: a state that counts wrongly counts a record twice, or not at all.
const fn filed(report: &Report) -> Symptom {
    match report.observed {
        Symptom::Miscounted | Symptom::Both => Symptom::Duplicates,
        other => other,
    }
}

impl Excerpt {
    /// The places of those that are shown, system by system; systems of which none is shown are left out.
    pub fn shown(&self, lang: Lang) -> Vec<(System, Vec<usize>)> {
        let all = System::ALL.into_iter();
        let groups = all.map(|system| {
            let places = REPORTS.iter().enumerate();
            let of_it = places.filter(|(_, report)| report.system == system);
            let shown = of_it.filter(|(_, report)| self.shows(lang, report));
            (system, shown.map(|(place, _)| place).collect())
        });
        groups
            .filter(|(_, places): &(System, Vec<usize>)| !places.is_empty())
            .collect()
    }

    fn shows(&self, lang: Lang, report: &Report) -> bool {
        self.only.is_none_or(|only| filed(report) == only) && self.finds(lang, report)
    }

    /// Whether a report says all the words that are searched for, in the language that is spoken or in English.
    fn finds(&self, lang: Lang, report: &Report) -> bool {
        let mut said = format!("{} {} ", report.id, report.ticket);
        for lang in [lang, Lang::En] {
            let words = report.words(lang);
            for part in [
                words.title,
                words.source,
                words.versions,
                words.wrong,
                words.why,
                words.fix,
            ] {
                said.push_str(part);
                said.push(' ');
            }
        }
        let said = said.to_lowercase();
        let find = self.find.to_lowercase();
        find.split_whitespace().all(|word| said.contains(word))
    }

    /// How many would be shown if only those were in which this went wrong.
    pub fn count(&self, lang: Lang, only: Option<Symptom>) -> usize {
        let filed_there = |report: &&Report| only.is_none_or(|only| filed(report) == only);
        let reports = REPORTS.iter().filter(filed_there);
        reports.filter(|report| self.finds(lang, report)).count()
    }
}

/// What the reports come to, as far as they were run.
pub struct Gallery {
    /// In the order of [`REPORTS`]: without the fix, and with it.
    found: Vec<[Option<Rc<Found>>; 2]>,
}

impl Default for Gallery {
    fn default() -> Self {
        Self {
            found: vec![[None, None]; REPORTS.len()],
        }
    }
}

impl Gallery {
    /// What a report comes to, if it was run.
    pub fn found(&self, place: usize, fixed: bool) -> Option<&Rc<Found>> {
        self.found.get(place)?[usize::from(fixed)].as_ref()
    }

    /// How many runs are done.
    pub fn done(&self) -> usize {
        self.found.iter().flatten().flatten().count()
    }

    /// How many there are.
    pub fn all() -> usize {
        let files = REPORTS
            .iter()
            .flat_map(|report| [report.file(false), report.file(true)]);
        files.flatten().count()
    }

    /// The next one to be run: those of the report that is looked at come first.
    fn next(&self, first: Option<usize>) -> Option<Reported> {
        let places = first.into_iter().chain(0..REPORTS.len());
        let both = places.filter_map(Reported::at).flat_map(|reported| {
            let fixed = Some(reported.with_fix(true)).filter(|it| it.fixed);
            [Some(reported), fixed].into_iter().flatten()
        });
        both.into_iter()
            .find(|it| self.found(it.place(), it.fixed).is_none())
    }

    /// What is known, with one more run: that takes as long as it takes.
    pub(super) fn with_next(&self, first: Option<usize>) -> Option<Self> {
        let next = self.next(first)?;
        self.with(next)
    }

    /// What is known, with both runs of a report.
    pub(super) fn with_both(&self, reported: Reported) -> Option<Self> {
        let both = [reported.with_fix(false), reported.with_fix(true)];
        let mut known = None;
        for side in both {
            let so_far = known.as_ref().unwrap_or(self);
            if so_far.found(side.place(), side.fixed).is_none() {
                known = so_far.with(side).or(known);
            }
        }
        known
    }

    fn with(&self, reported: Reported) -> Option<Self> {
        let mut found = self.found.clone();
        let place = found.get_mut(reported.place())?;
        place[usize::from(reported.fixed)] = Some(Rc::new(reported.found()?));
        Some(Self { found })
    }
}

/// An option that a fix changes in a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Where it stands: `producers[P].config.acks`.
    pub path: String,
    /// What it was; nothing if it was not set.
    pub old: Option<String>,
    /// What it is; nothing if it is not set any more.
    pub new: Option<String>,
}

/// What a report's fix changes, option by option: the one scenario compared with the other.
pub fn changed(report: &Report) -> Vec<Changed> {
    let read = |fixed| serde_json::from_str::<Value>(report.file(fixed)?).ok();
    let mut found = Vec::new();
    if let (Some(old), Some(new)) = (read(false), read(true)) {
        compare(Some(&old), Some(&new), String::new(), &mut found);
    }
    found
}

fn compare(old: Option<&Value>, new: Option<&Value>, path: String, found: &mut Vec<Changed>) {
    let fields = |value: Option<&Value>| match value {
        Some(Value::Object(fields)) => Some(fields.clone()),
        None => Some(serde_json::Map::new()),
        Some(_) => None,
    };
    let is_object = [old, new].into_iter().flatten().all(Value::is_object);
    match (old, new) {
        _ if old == new => {}
        // Also where one side has no such object: each option stands for itself.
        _ if is_object && let (Some(a), Some(b)) = (fields(old), fields(new)) => {
            let added = b.keys().filter(|key| !a.contains_key(*key));
            for key in a.keys().chain(added) {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{key}");
                compare(a.get(key), b.get(key), path, found);
            }
        }
        (Some(Value::Array(a)), Some(Value::Array(b)))
            if a.iter().chain(b).all(Value::is_object) =>
        {
            for at in 0..a.len().max(b.len()) {
                let item = a.get(at).or(b.get(at));
                let named = item.and_then(|item| item.get("name")?.as_str());
                let name = named.map_or_else(|| at.to_string(), str::to_owned);
                compare(a.get(at), b.get(at), format!("{path}[{name}]"), found);
            }
        }
        _ => found.push(Changed {
            path,
            old: old.map(written),
            new: new.map(written),
        }),
    }
}

/// A value as one reads it.
fn written(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::state::report::place_of;

    fn report(id: &str) -> &'static Report {
        &REPORTS[place_of(id).expect("it is there")]
    }

    fn row(path: &str, old: Option<&str>, new: Option<&str>) -> Changed {
        let own = |it: Option<&str>| it.map(str::to_owned);
        Changed {
            path: path.to_owned(),
            old: own(old),
            new: own(new),
        }
    }

    #[test]
    fn a_fix_is_told_option_by_option() {
        assert_eq!(
            changed(report("KP03")),
            [row(
                "producers[P].config.enable.idempotence",
                Some("false"),
                Some("true")
            )]
        );
        let kc01 = changed(report("KC01"));
        assert!(
            kc01.contains(&row("consumers[C].commit", None, Some("never"))),
            "{kc01:?}"
        );
    }

    #[test]
    fn every_fix_changes_something() {
        for report in REPORTS.iter().filter(|report| report.has_fix()) {
            assert!(!changed(report).is_empty(), "{}", report.id);
        }
    }

    #[test]
    fn what_is_added_or_left_out_is_told_too() {
        let old =
            json!({"a": {"x": 1}, "list": [{"name": "n", "y": 1}], "gone": true, "same": [1]});
        let new = json!({"a": {"x": 1, "z": {"deep": "w"}}, "list": [{"name": "n", "y": 2}, {"t": 3}], "same": [1]});
        let mut found = Vec::new();
        compare(Some(&old), Some(&new), String::new(), &mut found);
        assert_eq!(
            found,
            [
                row("a.z.deep", None, Some("w")),
                row("gone", Some("true"), None),
                row("list[n].y", Some("1"), Some("2")),
                row("list[1].t", None, Some("3")),
            ]
        );
    }

    #[test]
    fn the_gallery_is_filtered_and_searched() {
        let all = Excerpt::default();
        assert_eq!(all.shown(Lang::En).len(), 5);
        assert_eq!(all.count(Lang::En, None), REPORTS.len());
        let by_kind: usize = SYMPTOMS
            .iter()
            .map(|it| all.count(Lang::En, Some(*it)))
            .sum();
        assert_eq!(by_kind, REPORTS.len());
        let fenced = Excerpt {
            only: Some(Symptom::Fenced),
            ..Excerpt::default()
        };
        let kt14 = place_of("KT14").expect("it is there");
        assert!(
            fenced
                .shown(Lang::En)
                .contains(&(System::Transactions, vec![kt14]))
        );
        let find = |text: &str, lang| {
            let excerpt = Excerpt {
                find: text.to_owned(),
                ..Excerpt::default()
            };
            excerpt
                .shown(lang)
                .into_iter()
                .flat_map(|(_, it)| it)
                .collect::<Vec<_>>()
        };
        let kp03 = place_of("KP03").expect("it is there");
        assert_eq!(find("LIBRDKAFKA#1958", Lang::En), [kp03]);
        assert_eq!(find("确认丢失后的重试 broker", Lang::Zh), [kp03]);
        assert_eq!(find("no such words", Lang::En), Vec::<usize>::new());
    }

    #[test]
    fn the_report_that_is_looked_at_is_run_first() {
        let kt14 = place_of("KT14").expect("it is there");
        let gallery = Gallery::default();
        let once = gallery.with_next(Some(kt14)).expect("there is one to run");
        assert!(once.found(kt14, false).is_some());
        let twice = once.with_next(Some(kt14)).expect("there is one to run");
        assert!(twice.found(kt14, true).is_some());
        assert_eq!(twice.done(), 2);
        let reported = Reported::at(0).expect("it has a scenario");
        let both = twice.with_both(reported).expect("they were not run");
        assert_eq!(both.done(), 4);
        assert!(both.with_both(reported).is_none());
    }
}
