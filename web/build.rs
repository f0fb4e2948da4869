//! Makes tables of the public fault reports, of the lessons and of the statements that searches decide, out of
//! `scenarios/cases.json`, `scenarios/lessons.json`, `scenarios/claims.json` and the scenarios beside them, so that the page has them without a request and without reading JSON. A text that is
//! missing in a language does not compile.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

fn main() {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    table(&scenarios, "cases", "reports", report);
    table(&scenarios, "lessons", "lessons", lesson);
    table(&scenarios, "claims", "claims", claim);
}

/// Makes the table `name` of a list and the folder beside it, entry by entry.
fn table(scenarios: &Path, from: &str, name: &str, entry: fn(&Value, &Path) -> String) {
    let (list, folder) = (scenarios.join(format!("{from}.json")), scenarios.join(from));
    for path in [&list, &folder] {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let entries = read(&list);
    let entries = entries.as_array().expect("a list");
    let entries = entries.iter().map(|it| entry(it, &folder));
    let table = format!("&[{}]", entries.collect::<String>());
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo says where to write"));
    fs::write(out.join(format!("{name}.rs")), table).expect("the table can be written");
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A report as Rust writes it.
fn report(case: &Value, folder: &Path) -> String {
    let id = text(case, "id", "");
    let system = match id.get(..2) {
        Some("KP") => "Producers",
        Some("KC") => "Consumers",
        Some("KT") => "Transactions",
        Some("KS") => "Streams",
        _ => "Flink",
    };
    let symptom = match text(case, "observed", id) {
        "ok" => "Ok",
        "loss" => "Loss",
        "duplicates" => "Duplicates",
        "stuck" => "Stuck",
        "fenced" => "Fenced",
        "miscounted" => "Miscounted",
        other => panic!("{id}: nothing is observed as {other:?}"),
    };
    let scenario = |ending: &str| {
        let path = folder.join(format!("{id}{ending}"));
        // As short as JSON can be.
        path.exists().then(|| read(&path).to_string())
    };
    let mut rust = String::new();
    let _ = write!(
        rust,
        "Report {{ id: {:?}, ticket: {:?}, link: {:?}, system: System::{system}, observed: Symptom::{symptom}, \
         words: [{}, {}], files: [{:?}, {:?}] }},",
        id.split('-').next().unwrap_or(id),
        text(case, "ticket", id),
        case.get("link").and_then(Value::as_str),
        words(&case["en"], id),
        words(&case["zh"], id),
        scenario(".json"),
        scenario(".fixed.json"),
    );
    rust
}

/// A lesson as Rust writes it.
fn lesson(lesson: &Value, folder: &Path) -> String {
    let title = text(&lesson["en"], "title", "a lesson");
    let said = |of: &Value, lang: &str, names: &[&str], kind: &str| {
        let fields = names
            .iter()
            .map(|name| format!("{name}: {:?},", text(&of[lang], name, title)));
        format!("{kind} {{ {} }}", fields.collect::<String>())
    };
    let both = |of: &Value, names: &[&str], kind: &str| {
        let [en, zh] = ["en", "zh"].map(|lang| said(of, lang, names, kind));
        format!("[{en}, {zh}]")
    };
    let list = |of: &Value, name: &str| of[name].as_array().cloned().unwrap_or_default();
    let millis = |of: &Value, name: &str| of[name].as_u64().map(|at| at as u32);
    let parts = list(lesson, "parts").into_iter().map(|part| {
        let scenario = text(&part, "scenario", title);
        let options = list(&part, "options").into_iter().map(|option| {
            format!(
                "Answer {{ words: [{:?}, {:?}], when: {} }},",
                text(&option, "en", title),
                text(&option, "zh", title),
                when(&option["when"], title),
            )
        });
        format!(
            "Part {{ scenario: {:?}, ask: Millis({}), tell: {}, words: {}, answers: &[{}] }},",
            read(&folder.join(format!("{scenario}.json"))).to_string(),
            millis(&part, "ask_ms").unwrap_or_else(|| panic!("{title}: when does it ask?")),
            millis(&part, "tell_ms").map_or("None".to_owned(), |at| format!("Some(Millis({at}))")),
            both(&part, &["ask", "why"], "Asked"),
            options.collect::<String>(),
        )
    });
    format!(
        "Lesson {{ words: {}, parts: &[{}] }},",
        both(lesson, &["title", "idea", "keep"], "Taught"),
        parts.collect::<String>(),
    )
}

/// A statement as Rust writes it.
fn claim(claim: &Value, folder: &Path) -> String {
    let id = text(claim, "id", "a statement");
    let both = |of: &Value, name: &str| {
        let [en, zh] = ["en", "zh"].map(|lang| text(&of[lang], name, id));
        format!("[{en:?}, {zh:?}]")
    };
    let cases = claim["cases"].as_array().into_iter().flatten().map(|case| {
        let scenario = text(case, "scenario", id);
        let spares = |kind: &str| case["spare"][kind].as_bool().unwrap_or_default();
        let nodes = case["spare"]["nodes"].as_array().cloned().unwrap_or_default();
        let nodes: Vec<u64> = nodes.iter().filter_map(Value::as_u64).collect();
        let steps = case["steps"].as_u64();
        format!(
            "Case {{ scenario: {:?}, words: [{:?}, {:?}], faults: {}, spares: [{}, {}], nodes: &{nodes:?}, of: Of::{}, claimed: Claimed::{}, \
             but: {}, expected: {steps:?} }},",
            read(&folder.join(format!("{scenario}.json"))).to_string(),
            text(case, "en", id),
            text(case, "zh", id),
            case["faults"],
            spares("crashes"),
            spares("messages"),
            camel(text(case, "of", id)),
            camel(text(case, "claimed", id)),
            case["but"].as_bool().unwrap_or_default(),
        )
    });
    format!(
        "Claim {{ id: {id:?}, says: {}, why: {}, expected: Verdict::{}, cases: &[{}] }},",
        both(claim, "claim"),
        both(claim, "why"),
        camel(text(claim, "verdict", id)),
        cases.collect::<String>(),
    )
}

/// A word as Rust writes the variant of an enumeration.
fn camel(word: &str) -> String {
    let parts = word.split('-').map(|part| {
        let (first, rest) = part.split_at(1.min(part.len()));
        first.to_uppercase() + rest
    });
    parts.collect()
}

/// What an answer says of the run.
fn when(when: &Value, title: &str) -> String {
    let said = when.as_object().and_then(|it| it.iter().next());
    let (name, value) = said.unwrap_or_else(|| panic!("{title}: an answer that says nothing"));
    let list = || {
        let list = value.as_array().into_iter().flatten();
        list.map(|it| it.to_string()).collect::<Vec<_>>().join(", ")
    };
    match name.as_str() {
        "symptom" => {
            let symptom = value.as_str().unwrap_or_default();
            let (first, rest) = symptom.split_at(1.min(symptom.len()));
            format!("When::Symptom(Symptom::{}{rest})", first.to_uppercase())
        }
        "doubles" => format!("When::Doubles({value})"),
        "loses" => format!("When::Loses({value})"),
        "takes" => format!("When::Takes({value})"),
        "sees" => format!("When::Sees({value})"),
        "snapshot" => format!("When::Snapshot({value})"),
        "ms" => format!("When::Lasts([{}])", list()),
        "bytes" => format!("When::Stores([{}])", list()),
        "votes" => format!("When::Votes([{}])", list()),
        other => panic!("{title}: nothing is known of {other:?}"),
    }
}

fn words(words: &Value, id: &str) -> String {
    let mut rust = String::from("Words {");
    for name in ["title", "source", "versions", "wrong", "why", "fix"] {
        let _ = write!(rust, "{name}: {:?},", text(words, name, id));
    }
    let note = words.get("note").and_then(Value::as_str);
    let _ = write!(rust, "note: {note:?} }}");
    rust
}

fn text<'a>(of: &'a Value, name: &str, id: &str) -> &'a str {
    let text = of.get(name).and_then(Value::as_str);
    text.filter(|text| !text.is_empty())
        .unwrap_or_else(|| panic!("{id}: `{name}` is missing in a language"))
}
