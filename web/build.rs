//! Makes a table of the public fault reports out of `scenarios/cases.json` and the scenarios beside it, so that the
//! page has them without a request and without reading JSON. A text that is missing in a language does not compile.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

fn main() {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    let (list, folder) = (scenarios.join("cases.json"), scenarios.join("cases"));
    for path in [&list, &folder] {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let cases = read(&list);
    let cases = cases.as_array().expect("the list of reports is a list");
    let mut table = String::from("&[");
    for case in cases {
        table.push_str(&report(case, &folder));
    }
    table.push(']');
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo says where to write"));
    fs::write(out.join("reports.rs"), table).expect("the table can be written");
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
        .unwrap_or_else(|| panic!("scenarios/cases.json: {id}: `{name}` is missing in a language"))
}
