//! The formats, each held against the rules of those who read it, and against files that are read as diffs when they
//! change: `BLESS=1 cargo test -p barrierscope-web export` writes them anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{env, fs};

use serde::de::IgnoredAny;
use serde_json::Value;

use super::format::Format;
use super::recording::Stretch;
use super::trace;
use crate::state::Page;
use crate::text::Lang;

/// Runs of every model, and a stretch of each in which something happens.
const RUNS: [(&str, &str, Stretch); 4] = [
    (
        "pipeline",
        "sink=exactly-once&step=240",
        Stretch::Around(240),
    ),
    (
        "sink",
        "model=kafka-to-kafka&step=120",
        Stretch::Around(120),
    ),
    ("delivery", "model=delivery&step=30", Stretch::All),
    ("votes", "model=votes&step=12", Stretch::All),
];

fn page(fragment: &str) -> Page {
    let page = Page::open(fragment, Lang::En).unwrap();
    assert_eq!(page.notice, None);
    page
}

fn written(format: Format, lang: Lang, fragment: &str, stretch: Stretch) -> String {
    format.write(&page(fragment).view, lang, stretch)
}

/// The files are short: of each run some lines at the beginning, and how many there are.
#[test]
fn what_is_written_stays_as_it_is() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    for (name, fragment, stretch) in RUNS {
        for format in Format::ALL {
            let whole = written(format, Lang::En, fragment, stretch);
            let mut lines: Vec<String> = whole.lines().take(60).map(shortened).collect();
            lines.push(format!(
                "… {} lines, {} bytes",
                whole.lines().count(),
                whole.len()
            ));
            let text = lines.join("\n") + "\n";
            let file = folder.join(format!("{name}.{}", format.ending()));
            if env::var_os("BLESS").is_some() {
                fs::create_dir_all(&folder).unwrap();
                fs::write(&file, &text).unwrap();
            }
            let known = fs::read_to_string(&file).unwrap_or_default();
            assert!(
                known == text,
                "{} is no longer what is written; BLESS=1 writes it anew",
                file.display()
            );
        }
    }
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(400) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[test]
fn a_run_that_is_saved_leads_back_to_the_same_state() {
    let mut first = page("sink=exactly-once&b=200.0&step=260");
    let text = Format::Trace.write(&first.view, Lang::En, Stretch::All);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert!(trace::is_trace(&value));
    let (scenario, way) = trace::read(&value).unwrap();
    assert_eq!(way.branches, [(200, 0)]);
    assert_eq!(way.step, 260);
    let story = first.view.run.with(|session| session.story().to_json());
    let same = |a: &str, b: &str| {
        serde_json::from_str::<Value>(a).unwrap() == serde_json::from_str::<Value>(b).unwrap()
    };
    assert!(same(&scenario, &story));
    let print = first.view.run.with(|session| session.fingerprint());
    first.update(crate::state::Action::Start);
    let mut again = page("");
    again.update(crate::state::Action::Open(text));
    assert_eq!(again.notice, None);
    assert_eq!(again.view.step, 260);
    assert_eq!(again.view.run.with(|session| session.fingerprint()), print);
    assert!(!again.playing, "one looks at the step that was saved");
}

#[test]
fn a_run_of_a_newer_program_is_refused() {
    let text = written(Format::Trace, Lang::En, "", Stretch::Between(0, 3));
    let newer = text.replacen("\"version\": 1", "\"version\": 2", 1);
    let value: Value = serde_json::from_str(&newer).unwrap();
    assert_eq!(trace::read(&value), Err(trace::TraceError::Newer(2)));
    let mut page = page("step=50");
    page.update(crate::state::Action::Open(newer));
    assert!(page.notice.is_some());
    assert_eq!(page.view.step, 50);
}

/// A trace has every step of its stretch, with every event, and messages whose ends are steps of the lanes.
#[test]
fn a_trace_is_whole() {
    for (_, fragment, _) in RUNS {
        let page = page(fragment);
        let text = Format::Trace.write(&page.view, Lang::En, Stretch::All);
        let trace: Value = serde_json::from_str(&text).unwrap();
        let steps = trace["steps"].as_array().unwrap();
        assert_eq!(steps.len(), page.view.last);
        let mut events = 0;
        page.view.run.walk(1..=page.view.last, |session| {
            events += session.events().len()
        });
        let told: usize = steps
            .iter()
            .map(|step| step["events"].as_array().unwrap().len())
            .sum();
        assert_eq!(told, events, "{fragment}");
        let actors = trace["actors"].as_array().unwrap().len() as u64;
        for message in trace["messages"].as_array().unwrap() {
            assert!(message["from"].as_u64().unwrap() < actors);
            let sent = message["sent"].as_u64().unwrap();
            if let Some(received) = message["received"].as_u64() {
                assert!(sent <= received, "{message}");
            }
        }
    }
}

/// The rules of ShiViz: the host is in its own clock; its first entry is 1, and each further one is one more; and what a
/// clock says of others has happened.
#[test]
fn vector_clocks_are_as_shiviz_demands() {
    for (_, fragment, stretch) in RUNS {
        let log = written(Format::Shiviz, Lang::En, fragment, stretch);
        let mut lines = log.lines();
        assert_eq!(lines.next(), Some(super::shiviz::PARSER));
        assert_eq!(lines.next(), Some(""), "one execution: no delimiter");
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut edges = 0;
        while let (Some(head), Some(event)) = (lines.next(), lines.next()) {
            let (host, clock) = head.split_once(' ').unwrap();
            assert!(!host.is_empty() && !event.is_empty(), "{head}");
            let clock: BTreeMap<String, u64> = serde_json::from_str(clock).unwrap();
            let own = clock
                .get(host)
                .unwrap_or_else(|| panic!("{host} is not in {head}"));
            assert_eq!(*own, counts.get(host).copied().unwrap_or(0) + 1, "{head}");
            counts.insert(host.to_owned(), *own);
            for (other, count) in clock.iter().filter(|(other, _)| other.as_str() != host) {
                assert!(
                    counts.get(other).is_some_and(|known| known >= count),
                    "{head}"
                );
                edges += 1;
            }
        }
        assert!(edges > 20, "{fragment}: clocks know of each other");
    }
}

/// The rules of Trace Event JSON: known phases with their fields, slices of one line that nest or follow each other,
/// flows with two ends that lie on slices.
#[test]
fn trace_events_are_as_perfetto_demands() {
    for (_, fragment, stretch) in RUNS {
        let text = written(Format::Perfetto, Lang::En, fragment, stretch);
        let trace: Value = serde_json::from_str(&text).unwrap();
        let mut slices: BTreeMap<(u64, u64), Vec<(u64, u64)>> = BTreeMap::new();
        let mut flows: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        let mut named = BTreeSet::new();
        for event in trace["traceEvents"].as_array().unwrap() {
            let number = |name: &str| {
                event[name]
                    .as_u64()
                    .unwrap_or_else(|| panic!("{name}: {event}"))
            };
            let place = (number("pid"), number("tid"));
            let ts = number("ts");
            assert!(event["name"].is_string(), "{event}");
            match event["ph"].as_str().unwrap() {
                "X" => slices.entry(place).or_default().push((ts, number("dur"))),
                "M" => drop(named.insert(place.0)),
                "C" => assert!(
                    event["args"]
                        .as_object()
                        .unwrap()
                        .values()
                        .all(Value::is_u64)
                ),
                end @ ("s" | "f") => {
                    let on_slice = slices[&place]
                        .iter()
                        .any(|(from, dur)| (*from..from + dur).contains(&ts));
                    assert!(on_slice, "{event}");
                    flows.entry(number("id")).or_default().push(end);
                    assert_eq!(end == "f", event["bp"] == "e", "{event}");
                }
                other => panic!("{other} is no phase that is used here"),
            }
        }
        for (place, mut slices) in slices {
            assert!(named.contains(&place.0), "process {} has a name", place.0);
            slices.sort_unstable();
            for pair in slices.windows(2) {
                assert!(
                    pair[0].0 + pair[0].1 <= pair[1].0,
                    "{fragment}: {place:?} {pair:?}"
                );
            }
        }
        assert!(flows.values().all(|ends| ends == &["s", "f"]), "{flows:?}");
        assert!(!flows.is_empty(), "{fragment}");
    }
}

/// A state, as a reader of the format would ask for it.
#[derive(serde::Deserialize)]
struct State {
    time_us: i64,
    events: Vec<IgnoredAny>,
    nodes: BTreeMap<i64, IgnoredAny>,
    links: BTreeMap<i64, IgnoredAny>,
}

/// ITF as its own reader reads it.
#[test]
fn the_informal_trace_format_is_read_by_its_reader() {
    for (_, fragment, stretch) in RUNS {
        let text = written(Format::Itf, Lang::En, fragment, stretch);
        let trace: itf::Trace<State> = itf::trace_from_str(&text).unwrap();
        assert_eq!(trace.meta.format.as_deref(), Some("ITF"));
        let variables: BTreeSet<&str> = trace.vars.iter().map(String::as_str).collect();
        assert_eq!(variables.len(), 4);
        assert!(trace.states.len() > 5);
        let times: Vec<i64> = trace.states.iter().map(|it| it.value.time_us).collect();
        assert!(times.is_sorted(), "{times:?}");
        let things = |state: &State| state.nodes.len() > 2 && !state.links.is_empty();
        assert!(trace.states.iter().all(|it| things(&it.value)));
        let events: usize = trace.states.iter().map(|it| it.value.events.len()).sum();
        assert!(events >= trace.states.len() - 1, "{events}");
        let raw: Value = serde_json::from_str(&text).unwrap();
        for (at, state) in raw["states"].as_array().unwrap().iter().enumerate() {
            assert_eq!(state["#meta"]["index"], at);
            let names = state
                .as_object()
                .unwrap()
                .keys()
                .filter(|name| !name.starts_with('#'));
            assert_eq!(
                names.map(String::as_str).collect::<BTreeSet<_>>(),
                variables
            );
            assert_no_plain_numbers(state, true);
        }
    }
}

/// Numbers are `#bigint`, and there is no null: neither Apalache nor Quint has one.
fn assert_no_plain_numbers(value: &Value, is_state: bool) {
    match value {
        Value::Number(_) | Value::Null => panic!("{value} stands alone"),
        Value::Array(items) => items
            .iter()
            .for_each(|it| assert_no_plain_numbers(it, false)),
        Value::Object(fields) => {
            for (name, value) in fields {
                if !(is_state && name == "#meta") {
                    assert_no_plain_numbers(value, false);
                }
            }
        }
        Value::Bool(_) | Value::String(_) => {}
    }
}

/// What Mermaid's grammar demands of each line; its own parser reads the whole in the browser tests.
#[test]
fn a_sequence_diagram_names_everybody_before_they_speak() {
    for lang in Lang::ALL {
        for (_, fragment, stretch) in RUNS {
            let text = written(Format::Mermaid, lang, fragment, stretch);
            let mut lines = text.lines();
            assert_eq!(lines.next(), Some("sequenceDiagram"));
            assert!(lines.next().unwrap().starts_with("  title "));
            let (mut known, mut arrows, mut notes) = (BTreeSet::new(), 0, 0);
            for line in lines {
                let line = line.trim_start();
                if let Some(rest) = line.strip_prefix("participant ") {
                    known.insert(rest.split_once(" as ").unwrap().0.to_owned());
                    continue;
                }
                let (head, says) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
                assert!(
                    !says.is_empty() && !says.contains([';', '{', '}', '"']) || says.contains("#"),
                    "{line}"
                );
                if let Some(who) = head.strip_prefix("Note over ") {
                    assert!(known.contains(who), "{line}");
                    notes += 1;
                    continue;
                }
                let arrow = ["-->>", "->>", "--x", "-x", "-)"]
                    .into_iter()
                    .find(|it| head.contains(it));
                let (from, to) = head
                    .split_once(arrow.unwrap_or_else(|| panic!("{line}")))
                    .unwrap();
                assert!(known.contains(from) && known.contains(to), "{line}");
                arrows += 1;
            }
            assert!(
                arrows > 5 && notes > 0,
                "{fragment}: {arrows} arrows, {notes} notes"
            );
        }
    }
}

#[test]
fn a_stretch_keeps_within_its_run() {
    assert_eq!(Stretch::All.bounds(7), (0, 7));
    assert_eq!(Stretch::Around(100).bounds(1_000), (60, 140));
    assert_eq!(Stretch::Around(3).bounds(5), (0, 5));
    assert_eq!(Stretch::Between(9, 2).bounds(5), (2, 5));
    assert_eq!(Format::Itf.too_many(Stretch::All, 100_000), Some(100_001));
    assert_eq!(Format::Itf.too_many(Stretch::Around(5), 100_000), None);
}
