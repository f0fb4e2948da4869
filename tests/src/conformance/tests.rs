//! The runner sees what is wrong.

use std::path::Path;

use serde::Deserialize as _;
use serde_json::{Value, json};

use super::*;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance")
}

fn files() -> Vec<(String, Vec<Value>)> {
    let names = [
        "aligned",
        "aligned_withhold",
        "alternating",
        "at_least_once",
        "unaligned",
    ];
    let read = |name: &str| {
        let text = fs::read_to_string(folder().join(name).with_extension("json"));
        serde_json::from_str(&text.expect("the file is there")).expect("it is JSON")
    };
    names
        .map(|name| (name.to_owned(), read(name)))
        .into_iter()
        .collect()
}

/// Runs one case that is given as JSON.
fn run(case: &Value) -> Result<(), Mismatch> {
    let case = Case::deserialize(case).expect("the case is well-formed");
    case.validate().expect("its parts fit");
    run_case(&case)
}

/// Something else in the place of what is expected, if anything else could be.
fn altered(name: &str, expected: &Value) -> Option<Value> {
    Some(match (name, expected) {
        // An instruction; and what can only be demanded, not denied.
        ("set_trigger_guard" | "ends" | "never_triggered_unaligned" | "persisted_any", _) => {
            return None;
        }
        ("polled", Value::String(kind)) if kind == "data" => json!("barrier"),
        ("polled", _) => json!("data"),
        ("last_triggered_alignment", Value::String(kind)) if kind == "aligned" => {
            json!("unaligned")
        }
        ("last_triggered_alignment", _) => json!("aligned"),
        ("notifications_prefix_of", Value::Array(list)) => json!(list[..list.len() - 1]),
        ("triggered_options", Value::Array(list)) => {
            json!([&list[..], &[json!({"alignment": "unaligned"})]].concat())
        }
        ("network_blocked", Value::Object(marks)) => marks
            .iter()
            .map(|(channel, mark)| (channel.clone(), json!(mark == false)))
            .collect(),
        (_, Value::Bool(value)) => json!(!value),
        (_, Value::Number(number)) => json!(number.as_i64()? + 1),
        (_, Value::Null) => json!(1),
        (_, Value::String(id)) => json!(format!("{id}0")),
        (_, Value::Array(list)) => match list.first() {
            Some(Value::String(_)) => json!(list[1..]),
            Some(Value::Number(_)) => json!(list[1..]),
            None if name == "blocked" => json!([0]),
            None => json!(["b99"]),
            Some(_) => return None,
        },
        // No figure is negative.
        (name, _) if name.ends_with("_ns") => json!({"max": -1}),
        // The word in it that can be denied, or the first figure.
        (_, Value::Object(object)) => {
            let mut object = object.clone();
            let denied = object.values_mut().find(|value| value.is_boolean());
            let value = match denied {
                Some(value) => value,
                None => object.values_mut().find(|value| value.is_number())?,
            };
            *value = altered("", value)?;
            Value::Object(object)
        }
    })
}

#[test]
fn every_expectation_that_is_altered_is_seen_to_fail() {
    let mut count = 0;
    for (file, cases) in files() {
        for case in cases {
            let expectations = case["expect"].as_array().expect("it is a list").clone();
            for (place, expectation) in expectations.iter().enumerate() {
                let mut names = expectation.as_object().expect("it is an object").keys();
                let name = names.find(|name| *name != "after").expect("one");
                let Some(other) = altered(name, &expectation[name]) else {
                    continue;
                };
                let mut case = case.clone();
                case["expect"][place][name] = other;
                let mismatch = run(&case).expect_err(&format!(
                    "{file}: {}: {} is not what comes",
                    case["id"], case["expect"][place]
                ));
                assert_eq!(
                    mismatch.step.map_or(-1, |step| step as i64),
                    expectation["after"],
                    "{}: {mismatch:?}",
                    case["id"]
                );
                count += 1;
            }
        }
    }
    assert!(count > 900, "only {count} were altered");
}

#[test]
fn what_can_only_be_demanded_can_fail_too() {
    let files = files();
    let case_of = |id: &str| {
        let mut cases = files.iter().flat_map(|(_, cases)| cases);
        cases
            .find(|case| case["id"] == id)
            .expect("there is one")
            .clone()
    };
    let mut unfinished = case_of("unaligned/single-channel-no-barriers");
    unfinished["input"]
        .as_array_mut()
        .expect("it is a list")
        .pop();
    unfinished["expect"] = json!([{"after": 2, "ends": true}]);
    assert_eq!(
        run(&unfinished)
            .expect_err("the channel has not ended")
            .came,
        "the gate is not finished"
    );
    let mut left_over = case_of("aligned_withhold/early-cleanup");
    left_over["expect"] = json!([{"after": 25, "ends": true}]);
    assert_eq!(
        run(&left_over).expect_err("more is there").came,
        "one more pull returned b13"
    );
    let mut unaligned = case_of("alternating/timeout-alignment");
    unaligned["expect"] = json!([{"after": 12, "never_triggered_unaligned": true}]);
    run(&unaligned).expect_err("it was");
    unaligned["expect"] = json!([{"after": 2, "persisted_any": true}]);
    run(&unaligned).expect_err("nothing was");
}

/// The schema beside the cases and the runner know the same words.
#[test]
fn every_word_of_the_schema_is_known() {
    let text = fs::read_to_string(folder().join("schema.json")).expect("it is there");
    let schema: Value = serde_json::from_str(&text).expect("it is JSON");
    let words = |field: &str| -> Vec<String> {
        let choices = &schema["items"]["properties"][field]["items"]["oneOf"];
        let choices = choices.as_array().expect("it is a list").iter();
        let words = choices.flat_map(|choice| choice["properties"].as_object().expect("it is one"));
        words.map(|(word, _)| word.clone()).collect()
    };
    let is_known = |word: &str, error: Option<serde_json::Error>| {
        let unknown = format!("unknown variant `{word}`");
        error.is_none_or(|error| !error.to_string().starts_with(&unknown))
    };
    let steps = words("input");
    assert!(steps.len() > 10);
    for word in steps.iter().filter(|word| *word != "advance_clock_ms") {
        let step = case::Step::deserialize(json!({word: []}));
        assert!(is_known(word, step.err()), "{word}");
    }
    let demands = words("expect");
    assert!(demands.len() > 40);
    for word in demands.iter().filter(|word| *word != "after") {
        let demand = case::Demand::deserialize(json!({word: {}}));
        assert!(is_known(word, demand.err()), "{word}");
    }
    let demand = case::Demand::deserialize(json!({"delivers": "b0"}));
    assert!(!is_known("delivers", demand.err()));
}

#[test]
fn a_guard_refuses_triggers() {
    let (_, cases) = files().swap_remove(0);
    let mut case = cases[3].clone();
    assert_eq!(case["id"], "aligned/multi-channel-with-barriers");
    case["trigger_guard"]["initial"] = json!(2);
    let mismatch = run(&case).expect_err("checkpoint 1 comes first");
    assert_eq!(mismatch.came, "1 triggered");
}

#[test]
fn what_is_not_known_is_an_error_that_names_its_place() {
    let text = fs::read_to_string(folder().join("unaligned.json")).expect("it is there");
    let problem = |from: &str, to: &str| {
        let text = text.replacen(from, to, 1);
        run_file("cases.json", &text)
            .expect_err("it is not known")
            .to_string()
    };
    for (from, to, place, what) in [
        (
            r#""gate""#,
            r#""gait""#,
            "[0].gait, line ",
            "unknown field `gait`",
        ),
        (
            r#""drain""#,
            r#""drains""#,
            "[0].gate, line ",
            "unknown variant `drains`",
        ),
        (
            r#""buffer""#,
            r#""puffer""#,
            "[0].input[0], line ",
            "unknown variant `puffer`",
        ),
        (
            r#""channel": 0"#,
            r#""canal": 0"#,
            "[0].input[0], line ",
            "unknown field `canal`",
        ),
        (
            r#""output""#,
            r#""put""#,
            "[0].expect[0], line ",
            "unknown variant `put`",
        ),
        (
            r#""ends": true"#,
            r#""ends": false"#,
            "line ",
            "only `true` makes sense here",
        ),
        (r#""drain","#, r#""drain""#, "line ", "expected `,` or `}`"),
    ] {
        let problem = problem(from, to);
        assert!(
            problem.starts_with("cases.json: ")
                && problem.contains(place)
                && problem.contains(what),
            "{problem}"
        );
    }
    assert!(problem(r#""channels": 1"#, r#""channels": 0"#).contains("kinds for 0 channels"));
}

#[test]
fn a_case_that_contradicts_itself_is_an_error() {
    let (_, cases) = files().swap_remove(0);
    let problem = |change: &dyn Fn(&mut Value)| {
        let mut case = cases[0].clone();
        change(&mut case);
        let text = json!([case]).to_string();
        run_file("cases.json", &text)
            .expect_err("it makes no sense")
            .to_string()
    };
    for (change, what) in [
        (
            &(|case: &mut Value| case["expect"][0]["after"] = json!(99)) as &dyn Fn(&mut Value),
            "aligned/single-channel-no-barriers: no step comes before",
        ),
        (
            &|case| case["input"][0]["buffer"]["channel"] = json!(1),
            "step 0: there is no channel 1",
        ),
        (
            &|case| case["gate"] = json!("queued"),
            "plain channels have no queue",
        ),
        (
            &|case| {
                case["gate"] = json!("withhold");
                case["mode"] = json!("unaligned");
            },
            "`withhold` is for the mode `aligned` alone",
        ),
    ] {
        let problem = problem(change);
        assert!(problem.contains(what), "{problem}");
    }
    let twice = json!([cases[0], cases[0]]).to_string();
    let problem = run_file("cases.json", &twice).expect_err("two are one too many");
    assert!(problem.to_string().contains("two cases have this id"));
}

#[test]
fn a_folder_without_cases_is_an_error() {
    let missing = run_folder(&folder().join("nowhere")).expect_err("there is no such folder");
    assert!(missing.to_string().starts_with("cannot read"));
    let none = run_folder(&folder().join("../src")).expect_err("there is no case in it");
    assert!(none.to_string().starts_with("there is no case file in"));
}

#[test]
fn a_failure_says_where_and_what() {
    let (_, mut cases) = files().swap_remove(0);
    cases.truncate(2);
    cases[1]["expect"][3]["deliver"] = json!("b8");
    let report = run_file("aligned.json", &json!(cases).to_string()).expect("it can be read");
    assert_eq!(
        report.to_string(),
        "aligned.json: aligned/multi-channel-no-barriers: step 3\n  \
         expected {\"deliver\":\"b8\"}\n  came     b3\n\
         1 passed, 1 failed"
    );
}

/// A case of our own: what the unit tests behind the cases do not reach.
fn own(change: Value) -> Value {
    let mut case = json!({
        "id": "alternating/own",
        "flink_test": "none",
        "source": {"repo": "", "path": "", "commit": ""},
        "mode": "alternating",
        "gate": "drain",
        "channels": 2,
        "channel_kinds": "remote",
        "alignment_timeout_ms": 100,
        "enable_checkpoints_after_tasks_finish": true,
        "depends_on_enable_flag": false,
        "feeds_blocked_channel": false,
        "clock_start_ms": 100,
        "trigger_guard": null,
        "input": [],
        "expect": []
    });
    for (field, value) in change.as_object().expect("it is an object") {
        case[field] = value.clone();
    }
    case
}

fn timeoutable(id: &str, channel: u16, checkpoint: u32) -> Value {
    json!({"barrier": {
        "id": id, "channel": channel, "checkpoint": checkpoint,
        "kind": "aligned_with_timeout", "timeout_ms": 100, "timestamp": 100
    }})
}

#[test]
fn a_timer_does_nothing_after_close() {
    for (close, triggers) in [(json!({"close": true}), 0), (json!({"drain": true}), 1)] {
        let case = own(json!({
            "uncancellable_timers": true,
            "input": [
                timeoutable("e0", 0, 1),
                close,
                {"advance_clock_ms": 101, "run_timers": true}
            ],
            "expect": [{"after": 2, "trigger_count": triggers}]
        }));
        assert_eq!(run(&case), Ok(()));
    }
}

#[test]
fn the_promise_is_kept_after_the_abort_notice() {
    let input = json!([
        timeoutable("e0", 0, 1),
        {"cancel": {"id": "e1", "channel": 1, "checkpoint": 1}}
    ]);
    let expect = |done: bool| {
        own(json!({
            "input": input,
            "expect": [
                {"after": 0, "all_barriers_received": {"checkpoint": 1, "done": false}},
                {"after": 1, "during_abort": {"id": 1, "all_barriers_received_done": done}},
                {"after": 1, "all_barriers_received": {"checkpoint": 1, "done": true}}
            ]
        }))
    };
    assert_eq!(run(&expect(false)), Ok(()));
    run(&expect(true)).expect_err("it is not");
}

#[test]
fn a_checkpoint_that_a_newer_barrier_has_overtaken_is_aborted() {
    let unaligned = |id: &str, channel: u16, checkpoint: u32| {
        json!({"barrier": {
            "id": id, "channel": channel, "checkpoint": checkpoint, "kind": "unaligned"
        }})
    };
    let case = own(json!({
        "gate": "queued",
        "input": [
            unaligned("e0", 0, 1),
            {"buffer": {"id": "b1", "channel": 1}},
            unaligned("e2", 1, 2),
            {"poll": true},
            {"poll": true}
        ],
        "expect": [
            {"after": 3, "trigger_count": 0},
            {"after": 3, "aborted": [1]},
            {"after": 3, "last_started_inflight": -1},
            {"after": 4, "triggered": [2]},
            {"after": 4, "persisted_inflight": ["b1"]}
        ]
    }));
    assert_eq!(run(&case), Ok(()));
}

#[test]
fn a_tracker_forgets_the_oldest_of_too_many() {
    let mut input: Vec<_> = (1..=51)
        .map(|n| json!({"barrier": {"id": format!("e{n}"), "channel": 0, "checkpoint": n, "kind": "aligned"}}))
        .collect();
    input.push(json!({"barrier": {"id": "e52", "channel": 1, "checkpoint": 1, "kind": "aligned"}}));
    let case = own(json!({
        "mode": "at_least_once",
        "gate": "fifo",
        "input": input,
        "expect": [
            {"after": 49, "pending_checkpoints": (1..=50).collect::<Vec<_>>()},
            {"after": 50, "pending_checkpoints": (2..=51).collect::<Vec<_>>()},
            {"after": 51, "trigger_count": 0},
            {"after": 51, "abort_count": 0}
        ]
    }));
    assert_eq!(run(&case), Ok(()));
}
