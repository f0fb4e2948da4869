//! What a user may get wrong in a scenario, and what they are told.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::models::delivery::matrix;
use barrierscope_core::scenario::delivery::{DEFAULT_DELIVERY, DEFAULT_STREAMS};
use barrierscope_core::scenario::votes::{DEFAULT_VOTES, VOTES_COOPERATIVE};
use barrierscope_core::scenario::{DEFAULT_STORY, Delivery, Scenario, Story, Votes};
use serde_json::{Value, json};

/// A scenario with some values replaced, and what is said of it.
fn told_of(scenario: &str, changes: &[(&str, Value)]) -> String {
    let mut story: Value = serde_json::from_str(scenario).expect("it is JSON");
    for (pointer, value) in changes {
        put(&mut story, pointer, value.clone());
    }
    match Story::from_json(&story.to_string()) {
        Ok(_) => "accepted".into(),
        Err(error) => error.to_string(),
    }
}

/// Replaces what a JSON pointer leads to, or puts it there; `-` is the end of a list, null takes it out.
fn put(story: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    match story.pointer_mut(parent).expect("the parent is there") {
        Value::Array(list) if name == "-" => list.push(value),
        Value::Array(list) => list[name.parse::<usize>().expect("a place")] = value,
        Value::Object(fields) if value.is_null() => {
            fields.remove(name);
        }
        parent => parent[name] = value,
    }
}

fn told(pointer: &str, value: Value) -> String {
    told_of(DEFAULT_STORY, &[(pointer, value)])
}

/// Each change to a scenario, with the beginning of what is said of it.
fn all_told(scenario: &str, cases: &[(&[(&str, Value)], &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(changes, expected)| {
            let told = told_of(scenario, changes);
            let fits = told.starts_with(expected);
            (!fits).then(|| format!("{changes:?}\n  expected {expected}\n  found    {told}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_message_names_the_field_and_the_reason() {
    let edges = |from: &str, to: &str| json!({"from": from, "to": to, "partitioning": "hash"});
    let cases = [
        (
            "/job/vertices/1/parallelism",
            json!(0),
            "job.vertices[1].parallelism: 0 is out of range: 1 to 128",
        ),
        (
            "/job/vertices/1/parallelism",
            json!("two"),
            "job.vertices[1].parallelism: \"two\" does not fit: it has to be a whole number from 0 to 65535 (line 1, column ",
        ),
        (
            "/job/vertices/1/operator/kind",
            json!("window"),
            "job.vertices[1].operator.kind: `window` is not possible; it has to be one of: source, map, filter",
        ),
        (
            "/job/vertices/0",
            json!({"name": "source", "operator": {"kind": "map"}, "parallelism": 2}),
            "job.vertices: no source: a job needs a vertex of the kind `source`",
        ),
        (
            "/job/edges/1",
            edges("total", "total"),
            "job.edges: the edges run in a circle through `total`: a job graph has none, but for edges with \
             `feedback` that lead back to an `iteration`",
        ),
        (
            "/job/edges/1",
            edges("total", "sunk"),
            "job.edges[1].to: there is no vertex `sunk`, but: source, total, sink",
        ),
        (
            "/job/edges/1",
            edges("source", "sink"),
            "job.vertices[1]: no edge leads on from `total`, so its results would go nowhere",
        ),
        (
            "/job/vertices/2/parallelism",
            json!(3),
            "job.edges[1].partitioning: `forward` needs the same parallelism on both sides; `hash` and `rebalance` do not",
        ),
        (
            "/job/edges/0/partitioning",
            json!("forward"),
            "job.edges[0].partitioning: `total` keeps its state by key, so the edge to it must be `hash`",
        ),
        (
            "/faults/schedule/0/crash",
            json!("total[2]"),
            "faults.schedule[0].crash: there is no subtask `total[2]`; a subtask is written `source[0]`, and there are: source[0] to [1], total[0] to [1], sink[0] to [1]",
        ),
        (
            "/faults/max_crashes",
            json!(0),
            "faults.max_crashes: 0 is less than the 1 crashes in faults.schedule",
        ),
        (
            "/faults/schedule/0",
            json!({"at_ms": 1, "lose_task_manager": 1}),
            "faults.schedule[0].lose_task_manager: 1 is out of range: 0 to 0",
        ),
        (
            "/faults/schedule/0",
            json!({"at_ms": 1}),
            "faults.schedule[0]: a fault has its moment and one of `crash`, `lose_task_manager`, `lose_job_manager`, `lose_notification`, `lose_commit_response`",
        ),
        (
            "/faults/schedule/0",
            json!({"at_ms": 1, "crash": "sink[0]", "lose_job_manager": true}),
            "faults.schedule[0]: a fault has its moment and one of `crash`,",
        ),
        (
            "/faults/snapshots",
            json!([{"checkpoint": 3, "phase": "async"}]),
            "faults.snapshots[0].subtask: it is missing: a snapshot is that of a subtask, as in `total[1]`",
        ),
        (
            "/faults/snapshots",
            json!([{"checkpoint": 0, "phase": "finalize"}]),
            "faults.snapshots[0].checkpoint: the first checkpoint is number 1",
        ),
        (
            "/savepoints",
            json!({"max": 0, "schedule": [{"at_ms": 1}]}),
            "savepoints.max: 0 is less than the 1 savepoints in savepoints.schedule",
        ),
        (
            "/checkpointing",
            json!({"interval_ms": 1000, "unaligned": true, "max_concurrent": 2}),
            "checkpointing.max_concurrent: unaligned checkpoints are taken one at a time: set checkpointing.max_concurrent to 1",
        ),
        (
            "/network",
            json!({"segment_bytes": 0}),
            "network.segment_bytes: 0 is out of range: 1 to 1073741824",
        ),
        (
            "/job/vertices/1/operator/cost_ms",
            json!(-0.5),
            "job.vertices[1].operator.cost_ms: -0.5 does not fit: it has to be a number of milliseconds from 0 to 2147483647, with at most three decimals",
        ),
        (
            "/job/vertices/1/operator/cost",
            json!(1),
            "job.vertices[1].operator.cost: there is no field `cost` here; did you mean `cost_ms`?",
        ),
        (
            "/job/vertices/0/operator/interval_ms",
            json!(4_294_967_296_u64),
            "job.vertices[0].operator.interval_ms: 4294967296 does not fit: it has to be a whole number of milliseconds from 0 to 2147483647",
        ),
        (
            "/job/task_managers",
            json!(0),
            "job.task_managers: 0 is out of range: 1 to 128",
        ),
        (
            "/version",
            json!(2),
            "version: this program reads version 1, the scenario has 2",
        ),
        (
            "/checkpointing/interval_ms",
            json!(0),
            "checkpointing.interval_ms: 0 is out of range: 1 to 86400000",
        ),
        (
            "/costs/buffers_per_channel",
            json!(0),
            "costs.buffers_per_channel: 0 is out of range: 1 to 10000",
        ),
        (
            "/inputs/0/workload",
            json!({"records": []}),
            "inputs[0].workload.records: 0 is out of range: 1 to 200000",
        ),
        (
            "/reader/isolation_level",
            json!("serializable"),
            "reader.isolation_level: `serializable` is not possible; it has to be one of: read_uncommitted, read_committed",
        ),
    ];
    for (pointer, value, expected) in cases {
        let told = told(pointer, value);
        assert!(
            told.starts_with(expected),
            "{pointer}:\n  expected {expected}\n  found    {told}"
        );
    }
}

#[test]
fn what_is_no_json_is_told_where() {
    let error = Scenario::from_json("{\n  \"version\": 1,,\n}").expect_err("no JSON");
    assert!(error.to_string().starts_with("no JSON: "), "{error}");
    assert!(error.to_string().contains("line 2 column"), "{error}");
    let error = Scenario::from_json(&format!("{DEFAULT_STORY} x")).expect_err("more follows");
    assert!(error.to_string().contains("trailing"), "{error}");
    let error = Scenario::from_json("{}").expect_err("nothing in it");
    assert!(
        error.to_string().contains("the field `version` is missing"),
        "{error}"
    );
}

#[test]
fn a_scenario_survives_being_written_and_read() {
    let story = Scenario::default_story().expect("the story is part of the program");
    assert_eq!(Scenario::from_json(&story.to_json()), Ok(story));
}

#[test]
fn kafkas_scenarios_survive_being_written_and_read() {
    for json in [DEFAULT_DELIVERY, DEFAULT_STREAMS] {
        let story = Delivery::from_json(json).expect("it is part of the program");
        assert_eq!(Delivery::from_json(&story.to_json()), Ok(story));
    }
}

#[test]
fn a_model_that_is_not_there_is_no_pipeline() {
    let there = "there are \"pipeline\", \"delivery\", \"streams\" and \"votes\"";
    for (model, hint) in [
        (json!("delivry"), "; did you mean `delivery`?"),
        (json!("Streams"), "; did you mean `streams`?"),
        (json!("vote"), "; did you mean `votes`?"),
        (json!("flink-on-mars"), ""),
        (json!(""), ""),
        (json!(5), ""),
        (json!(["delivery"]), ""),
    ] {
        for scenario in [DEFAULT_STORY, DEFAULT_DELIVERY, DEFAULT_STREAMS] {
            let told = told_of(scenario, &[("/model", model.clone())]);
            let expected = format!("model: there is no model {model}; {there}{hint}");
            assert_eq!(told, expected);
        }
    }
    let null = DEFAULT_DELIVERY.replace("\"model\": \"delivery\"", "\"model\": null");
    let told = Story::from_json(&null).expect_err("null is no model");
    assert!(
        told.to_string()
            .starts_with("model: there is no model null")
    );
}

#[test]
fn numbers_and_words_that_do_not_fit_are_told_by_field_and_place() {
    let whole = "a whole number from 0 to 2147483647";
    let cases = [
        (
            "acks",
            json!(3),
            "3 does not fit: it has to be \"0\", \"1\" or \"all\"",
        ),
        (
            "acks",
            json!("some"),
            "\"some\" does not fit: it has to be \"0\", \"1\" or \"all\"",
        ),
        (
            "acks",
            json!(1.5),
            "1.5 does not fit: it has to be \"0\", \"1\" or \"all\"",
        ),
        (
            "retries",
            json!(-1),
            &format!("-1 does not fit: it has to be {whole}"),
        ),
        (
            "retries",
            json!("many"),
            &format!("\"many\" does not fit: it has to be {whole}"),
        ),
        (
            "retries",
            json!("3"),
            &format!("\"3\" does not fit: it has to be {whole}, without quotes"),
        ),
        (
            "retries",
            json!(1.5),
            &format!("1.5 does not fit: it has to be {whole}"),
        ),
        (
            "retries",
            json!(2_147_483_648_u64),
            &format!("2147483648 does not fit: it has to be {whole}"),
        ),
        (
            "enable.idempotence",
            json!("yes"),
            "\"yes\" does not fit: it has to be true or false",
        ),
        (
            "transactional.id",
            json!(7),
            "7 does not fit: it has to be text in quotes",
        ),
        (
            "request.timeout.ms",
            json!(-1),
            "-1 does not fit: it has to be a whole number of milliseconds from 0 to 2147483647",
        ),
    ];
    for (option, value, expected) in cases {
        let told = told_of(
            DEFAULT_DELIVERY,
            &[(&format!("/producers/0/config/{option}"), value)],
        );
        let expected = format!("producers[0].config.{option}: {expected} (line 1, column ");
        assert!(told.starts_with(&expected), "\n{expected}\n{told}");
    }
    all_told(
        DEFAULT_DELIVERY,
        &[
            (
                &[("/producers/0/sends", json!([{"key": 5}]))],
                "producers[0].sends[0].key: 5 does not fit: it has to be text in quotes",
            ),
            (
                &[("/producers/0/sends", json!([{"kay": "a"}]))],
                "producers[0].sends[0].kay: there is no field `kay` here; did you mean `key`?",
            ),
            (
                &[("/producers/0/sends", json!({"count": -2, "keys": 1}))],
                "producers[0].sends.count: -2 does not fit: it has to be a whole number from 0 to",
            ),
            (
                &[("/producers/0/sends", json!("ten"))],
                "producers[0].sends: \"ten\" does not fit: it has to be a list of records, as in",
            ),
            (
                &[("/producers/0/sends", json!([[]]))],
                "producers[0].sends[0]",
            ),
            (
                &[("/producers/0/config", json!([]))],
                "producers[0].config: a list does not fit: it has to be options: {…}",
            ),
            (
                &[("/producers/0/client", json!("sarama 1.0"))],
                "producers[0].client: \"sarama 1.0\" is no client: write its library (java, librdkafka, kafkajs)",
            ),
            (
                &[("/topcis", json!([]))],
                "topcis: there is no field `topcis` here; did you mean `topics`?",
            ),
            (
                &[("/topics/0/name", json!(null))],
                "topics[0]: the field `name` is missing",
            ),
            (
                &[("/judge", json!("efects"))],
                "judge: `efects` is not possible; it has to be one of: read_committed, read_uncommitted, effects, store; did you mean `effects`?",
            ),
            (
                &[("/consumers/0/config/auto.offset.reset", json!("erliest"))],
                "consumers[0].config.auto.offset.reset: `erliest` is not possible; it has to be one of: latest, earliest, none; did you mean",
            ),
        ],
    );
    all_told(
        DEFAULT_STREAMS,
        &[
            (
                &[(
                    "/streams/0/config/processing.guarantee",
                    json!("exactly_once_beta"),
                )],
                "streams[0].config.processing.guarantee: `exactly_once_beta` is not possible: write `exactly_once_v2`, its name since 3.0",
            ),
            (
                &[(
                    "/streams/0/config/processing.guarantee",
                    json!("exactly_once"),
                )],
                "streams[0].config.processing.guarantee: `exactly_once` is not possible: version 1",
            ),
        ],
    );
}

#[test]
fn an_option_that_is_not_modelled_is_ignored_or_refused_and_never_silently() {
    let mut pasted: Value = serde_json::from_str(DEFAULT_STREAMS).expect("it is JSON");
    let options = [
        ("/producers/0/config", json!({})),
        (
            "/producers/0/config/bootstrap.servers",
            json!("localhost:9092"),
        ),
        ("/producers/0/config/linger.ms", json!("5")),
        (
            "/producers/0/config/key.serializer",
            json!("org.apache.kafka.StringSerializer"),
        ),
        ("/producers/0/config/ssl.keystore.location", json!("/tmp")),
        ("/streams/0/config/num.standby.replicas", json!(1)),
        ("/streams/0/config/consumer.fetch.min.bytes", json!(1)),
        (
            "/streams/0/config/producer",
            json!({"batch.size": 16_384, "acks": "all"}),
        ),
    ];
    for (pointer, value) in options {
        put(&mut pasted, pointer, value);
    }
    let (story, ignored) = Story::read(&pasted.to_string()).expect("it is Kafka's");
    let mut fields: Vec<String> = ignored.iter().map(|it| it.field.clone()).collect();
    fields.sort();
    let expected = [
        "producers[0].config.bootstrap.servers",
        "producers[0].config.key.serializer",
        "producers[0].config.linger.ms",
        "producers[0].config.ssl.keystore.location",
        "streams[0].config.consumer.fetch.min.bytes",
        "streams[0].config.num.standby.replicas",
        "streams[0].config.producer.batch.size",
    ];
    assert_eq!(fields, expected);
    let told = ignored[0].to_string();
    let known = ": known to Kafka, not modelled here: it changes no guarantee";
    assert!(told.ends_with(known), "{told}");
    let again = Story::read(&story.as_ref().to_json()).expect("it was written by itself");
    assert_eq!(again, (story, Vec::new()), "they are gone");

    let producer = |option: &str| format!("/producers/0/config/{option}");
    for (option, expected) in [
        ("ack", "Kafka has no such option; did you mean `acks`?"),
        (
            "transactionalId",
            "Kafka has no such option; did you mean `transactional.id`?",
        ),
        (
            "colour",
            "Kafka has no such option; there are: acks, retries, ",
        ),
        ("group.id", "this is an option of consumers"),
        (
            "processing.guarantee",
            "this is an option of Kafka Streams applications",
        ),
        (
            "message.timeout.ms",
            "write it as `delivery.timeout.ms`, Kafka's name for it",
        ),
        (
            "transaction.two.phase.commit.enable",
            "known to Kafka, not modelled here: here a transaction always ends by its timeout; leave it out",
        ),
    ] {
        let told = told_of(DEFAULT_DELIVERY, &[(&producer(option), json!(true))]);
        let expected = format!("producers[0].config.{option}: {expected}");
        assert!(told.starts_with(&expected), "\n{expected}\n{told}");
    }
    all_told(
        DEFAULT_DELIVERY,
        &[
            (
                &[("/consumers/0/config/group.instance.id", json!("a"))],
                "consumers[0].config.group.instance.id: known to Kafka, not modelled here: static membership (java since 2.3.0",
            ),
            (
                &[("/consumers/0/config/acks", json!("all"))],
                "consumers[0].config.acks: this is an option of producers",
            ),
            (
                &[
                    ("/consumers/0/config/heartbeat.interval.ms", json!(3_000)),
                    ("/consumers/0/config/session.timeout.ms", json!(3_000)),
                ],
                "consumers[0].config.heartbeat.interval.ms: Heartbeat must be set lower than the session timeout: 3000 ms is not",
            ),
            (
                &[("/consumers/0/config/heartbeat.interval.ms", json!(3_000))],
                "accepted",
            ),
        ],
    );
    all_told(
        DEFAULT_STREAMS,
        &[
            (
                &[("/streams/0/config/group.id", json!("a"))],
                "streams[0].config.group.id: Streams decides this by itself: it is the application.id; leave it out",
            ),
            (
                &[("/streams/0/config/producer.acks", json!("all"))],
                "streams[0].config.producer.acks: write it as `\"producer\": { \"acks\": … }`",
            ),
            (
                &[("/streams/0/config/acks", json!("all"))],
                "streams[0].config.acks: this is an option of its producer: write it into `producer`",
            ),
            (
                &[("/streams/0/config/consumer.session.timeout.ms", json!(1))],
                "streams[0].config.consumer.session.timeout.ms: write it as `session.timeout.ms`",
            ),
            (
                &[("/streams/0/config/num.stream.threads", json!(2))],
                "streams[0].config.num.stream.threads: known to Kafka, not modelled here: here an instance has one thread",
            ),
        ],
    );
}

/// A Streams application.
fn app(name: &str, id: &str, input: &str, output: &str) -> Value {
    json!({"name": name, "application.id": id, "input": input, "output": output})
}

#[test]
fn records_flow_one_way_and_never_in_a_circle() {
    let topics = json!([{"name": "a"}, {"name": "b"}, {"name": "c"}]);
    let flow = |apps: Value| {
        let producer = ("/producers/0/topic", json!("a"));
        told_of(
            DEFAULT_STREAMS,
            &[
                ("/topics", topics.clone()),
                producer,
                ("/streams", apps),
                ("/faults", json!(null)),
            ],
        )
    };
    let circle = "the topics run in a circle, ";
    for (apps, expected) in [
        (
            json!([app("x", "x", "a", "a")]),
            format!("streams[0].output: {circle}a → a: a record would go round for ever"),
        ),
        (
            json!([app("x", "x", "a", "b"), app("y", "y", "b", "a")]),
            format!("streams[0].output: {circle}a → b → a: "),
        ),
        (
            json!([app("x", "x", "a", "b"), app("y", "y", "b", "c"), app("z", "z", "c", "a")]),
            format!("streams[0].output: {circle}a → b → c → a: "),
        ),
        (
            json!([app("w", "w", "a", "b"), app("y", "y", "b", "c"), app("z", "z", "c", "b")]),
            format!("streams[1].output: {circle}b → c → b: "),
        ),
        (
            json!([app("x", "x", "a", "b"), app("y", "y", "a", "c")]),
            "streams[1].input: the application \"x\" reads \"a\" too: here a record goes one way".into(),
        ),
        (
            json!([app("x", "x", "a", "b"), app("y", "x", "c", "b")]),
            "streams[1].input: \"x\" and \"y\" are instances of one application, \"x\": both need the same `input`".into(),
        ),
        (
            json!([app("x", "x", "a", "b"), app("y", "x", "a", "c")]),
            "streams[1].output: \"x\" and \"y\" are instances of one application".into(),
        ),
        (json!([app("x", "x", "a", "b"), app("y", "x", "a", "b")]), "accepted".into()),
        (json!([app("x", "x", "a", "b"), app("y", "y", "b", "c")]), "accepted".into()),
        (json!([app("x", "x", "a", "c"), app("y", "y", "b", "c")]), "accepted".into()),
        (
            json!([app("x", "x y", "a", "c")]),
            "streams[0].application.id: Kafka takes letters from a to z, digits,".into(),
        ),
    ] {
        let told = flow(apps);
        assert!(told.starts_with(&expected), "\n{expected}\n{told}");
    }
}

/// What flows together is accepted, because each record is followed by itself: two applications and a producer
/// write one topic.
#[test]
fn what_flows_together_is_judged_record_by_record() {
    let application = |name: &str, input: &str, guarantee: &str| {
        let mut it = app(name, name, input, "c");
        it["store"] = json!(true);
        it["config"] = json!({"processing.guarantee": guarantee, "commit.interval.ms": 100});
        it
    };
    let producer = |topic: &str, count| json!({"name": format!("p-{topic}"), "topic": topic, "sends": {"count": count, "keys": 2}});
    let scenario = |judge: &str, faults: Value| {
        let scenario = json!({
            "version": 1,
            "model": "streams",
            "name": "together",
            "topics": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
            "producers": [producer("a", 6), producer("b", 5), producer("c", 3)],
            "consumers": [{
                "name": "r",
                "topic": "c",
                "effect": "idempotent",
                "config": {"group.id": "g", "auto.offset.reset": "earliest"},
            }],
            "streams": [
                application("x", "a", "exactly_once_v2"),
                application("y", "b", "at_least_once"),
            ],
            "judge": judge,
            "faults": {"schedule": faults},
        });
        let scenario = Delivery::from_json(&scenario.to_string()).expect("it makes sense");
        let (verdict, _) = matrix::run(&scenario).expect("it makes sense");
        (
            verdict.expected,
            verdict.visible,
            verdict.lost,
            verdict.doubled,
        )
    };
    for (judge, expected) in [
        ("read_committed", (14, 14, 0, 0)),
        ("read_uncommitted", (14, 14, 0, 0)),
        ("effects", (14, 14, 0, 0)),
        // The store of the first application, which sees what goes through it only.
        ("store", (6, 6, 0, 0)),
    ] {
        assert_eq!(scenario(judge, json!([])), expected, "{judge}");
    }
    let crash = |name: &str| json!([{"at_ms": 70, "crash": name}]);
    assert_eq!(scenario("read_committed", crash("x")), (14, 14, 0, 0));
    let (expected, visible, lost, doubled) = scenario("read_committed", crash("y"));
    assert_eq!((expected, visible, lost), (14, 14, 0));
    assert!((1..=5).contains(&doubled), "at_least_once: {doubled}");
}

#[test]
fn topics_have_names_that_kafka_takes_and_no_more_partitions_than_there_is_room_for() {
    let name = |name: &str| [("/topics/-", json!({ "name": name }))];
    let legal = "topics[2].name: Kafka takes letters from a to z, digits, `.`, `_` and `-`";
    all_told(
        DEFAULT_STREAMS,
        &[
            (
                &name("counter-changelog"),
                "topics[2].name: `counter-changelog` is the changelog of the application \"counter\", which makes it by itself",
            ),
            (
                &name("__consumer_offsets"),
                "topics[2].name: names that begin with `__` are Kafka's own",
            ),
            (&name("two words"), legal),
            (&name("."), legal),
            (&name(""), "topics[2].name: it must not be empty"),
            (
                &name(&"x".repeat(61)),
                "topics[2].name: 61 letters are too many for a name: at most 60",
            ),
            (
                &name("orders"),
                "topics[2].name: another topic has this name already",
            ),
            (
                &[
                    ("/topics/0/partitions", json!(11)),
                    ("/topics/1/partitions", json!(11)),
                ],
                "topics: there are 22 partitions and 11 of changelogs, as many as the inputs of the stores have; at most 32 are possible",
            ),
            (
                &[
                    ("/topics/0/partitions", json!(16)),
                    ("/topics/1/partitions", json!(16)),
                    ("/streams/0/store", json!(false)),
                ],
                "accepted",
            ),
            (
                &[("/topics/1/partitions", json!(33))],
                "topics[1].partitions: 33 is out of range: 1 to 32",
            ),
        ],
    );
}

#[test]
fn groups_and_transactional_ids_are_not_shared_where_one_would_take_from_the_other() {
    let consumer = |name: &str, group: &str, topic: &str| json!({"name": name, "topic": topic, "config": {"group.id": group}});
    all_told(
        DEFAULT_STREAMS,
        &[
            (
                &[("/consumers", json!([consumer("c", "counter", "counts")]))],
                "consumers[0].config.group.id: \"counter\" is an application.id, and Streams uses that as the group.id",
            ),
            (
                &[(
                    "/consumers",
                    json!([consumer("c", "g", "orders"), consumer("d", "g", "counts")]),
                )],
                "consumers[1].topic: \"c\" reads \"orders\" in the same group, \"g\": here all consumers of a group read one topic",
            ),
            (
                &[(
                    "/consumers",
                    json!([consumer("c", "g", "counts"), consumer("d", "g", "counts")]),
                )],
                "accepted",
            ),
            (
                &[(
                    "/producers/0/config",
                    json!({"transactional.id": "counter-counter-1"}),
                )],
                "streams[0].application.id: with the name of the instance it makes the transactional.id \"counter-counter-1\", which is that of producers[0].config.transactional.id already",
            ),
            (
                &[(
                    "/streams/0/config/producer",
                    json!({"transactional.id": "x"}),
                )],
                "streams[0].config.producer.transactional.id: Streams decides this by itself",
            ),
            (
                &[(
                    "/producers/-",
                    json!({"name": "counter-1", "topic": "orders", "sends": []}),
                )],
                "streams[0].name: another client is called \"counter-1\" already",
            ),
        ],
    );
}

/// The default delivery with another client and other options of its producer.
fn producer(client: &str, config: &Value) -> String {
    let mut changes = vec![
        ("/producers/0/client", json!(client)),
        ("/producers/0/config", config.clone()),
        ("/faults", json!(null)),
    ];
    if config.get("group.id").is_some() {
        changes[1].0 = "/consumers/0/config";
        changes[0].0 = "/consumers/0/client";
    }
    told_of(DEFAULT_DELIVERY, &changes)
}

#[test]
fn a_producer_that_would_not_start_is_told_so_in_its_librarys_words() {
    let field = "producers[0].config.";
    let idempotent = "to use the idempotent producer";
    for (client, config, expected) in [
        (
            "java 4.0.0",
            json!({"max.in.flight.requests.per.connection": 0}),
            "max.in.flight.requests.per.connection: 0 is out of range: ".to_owned(),
        ),
        (
            "java 4.0.0",
            json!({"delivery.timeout.ms": 30_000}),
            "delivery.timeout.ms: delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms: at least 30005 ms".into(),
        ),
        (
            "java 2.0.1",
            json!({"delivery.timeout.ms": 120_000}),
            "delivery.timeout.ms: delivery.timeout.ms is unknown to java 2.0.1; known to java since 2.1.0 and librdkafka".into(),
        ),
        (
            "librdkafka 2.0.0",
            json!({"transactional.id": "t", "delivery.timeout.ms": 60_001}),
            "delivery.timeout.ms: delivery.timeout.ms must be set <= transaction.timeout.ms, 60000 ms".into(),
        ),
        (
            "librdkafka 1.3.0",
            json!({"transactional.id": "t"}),
            "transactional.id: transactional.id is unknown to librdkafka 1.3.0; known to librdkafka since 1.4.0".into(),
        ),
        (
            "java 4.0.0",
            json!({"enable.idempotence": true, "acks": "1"}),
            format!("acks: Must set acks to all in order {idempotent}"),
        ),
        (
            "java 2.8.0",
            json!({"enable.idempotence": true, "retries": 0}),
            "retries: Must set retries to non-zero when using the idempotent producer".into(),
        ),
        (
            "java 3.7.0",
            json!({"enable.idempotence": true, "max.in.flight.requests.per.connection": 6}),
            format!("max.in.flight.requests.per.connection: Must set max.in.flight.requests.per.connection to at most 5 {idempotent}"),
        ),
        (
            "java 4.0.0",
            json!({"max.in.flight.requests.per.connection": 6}),
            "max.in.flight.requests.per.connection: Must set".into(),
        ),
        (
            "kafkajs 2.2.4",
            json!({"enable.idempotence": true, "acks": "1"}),
            "acks: Must set acks to all".into(),
        ),
        (
            "java 4.0.0",
            json!({"transactional.id": "t", "enable.idempotence": false}),
            "transactional.id: Cannot set a transactional.id without also enabling idempotence".into(),
        ),
        (
            "java 4.0.0",
            json!({"transactional.id": "t", "acks": "1"}),
            "transactional.id: Cannot set a transactional.id without also enabling idempotence".into(),
        ),
        (
            "java 4.0.0",
            json!({"transactional.id": "t", "acks": "1", "enable.idempotence": true}),
            "acks: Must set acks to all".into(),
        ),
        (
            "java 4.0.0",
            json!({"transactional.id": ""}),
            "transactional.id: it must not be empty".into(),
        ),
        (
            "java 4.0.0",
            json!({"transactional.id": "t", "transaction.timeout.ms": 0}),
            "transaction.timeout.ms: INVALID_TRANSACTION_TIMEOUT: 0 ms is out of range".into(),
        ),
        (
            "java 4.0.0",
            json!({"transactional.id": "t", "transaction.timeout.ms": 900_001}),
            "transaction.timeout.ms: INVALID_TRANSACTION_TIMEOUT: 900001 ms is longer than the broker's transaction.max.timeout.ms, 900000 ms".into(),
        ),
    ] {
        let told = producer(client, &config);
        let expected = format!("{field}{expected}");
        assert!(told.starts_with(&expected), "{client} {config}\n{expected}\n{told}");
    }
    // What Kafka only says in its log.
    for (client, config) in [
        ("java 3.7.0", json!({"acks": "1"})),
        ("java 3.7.0", json!({"retries": 0})),
        (
            "java 3.7.0",
            json!({"max.in.flight.requests.per.connection": 6}),
        ),
        (
            "java 2.8.0",
            json!({"max.in.flight.requests.per.connection": 6}),
        ),
        ("java 3.9.0", json!({"delivery.timeout.ms": 30_000})),
        ("java 4.0.0", json!({"request.timeout.ms": 2_147_483_647})),
        ("java 4.0.0", json!({"transaction.timeout.ms": 0})),
    ] {
        assert_eq!(producer(client, &config), "accepted", "{client} {config}");
    }
    // The default counts as much as what is written.
    all_told(
        DEFAULT_DELIVERY,
        &[(
            &[
                ("/producers/0/config", json!({"transactional.id": "t"})),
                ("/cluster/transaction.max.timeout.ms", json!(59_999)),
            ],
            "producers[0].config.transaction.timeout.ms: INVALID_TRANSACTION_TIMEOUT: 60000 ms is longer",
        )],
    );
}

#[test]
fn a_consumer_that_would_not_start_is_told_so_with_the_version_that_would() {
    let field = "consumers[0].config.";
    for (client, option, value, expected) in [
        (
            "java 3.6.2",
            "group.protocol",
            json!("consumer"),
            "group.protocol is unknown to java 3.6.2; known to java since 3.7.0 and librdkafka since 2.4.0",
        ),
        (
            "librdkafka 1.1.0",
            "isolation.level",
            json!("read_committed"),
            "isolation.level is unknown to librdkafka 1.1.0; known to librdkafka since 1.2.0",
        ),
        (
            "java 4.0.0",
            "enable.auto.offset.store",
            json!(false),
            "enable.auto.offset.store is unknown to java 4.0.0; known to librdkafka",
        ),
        (
            "librdkafka 2.0.0",
            "max.poll.interval.ms",
            json!(44_999),
            "max.poll.interval.ms must be at least session.timeout.ms, 45000 ms: librdkafka does not start otherwise",
        ),
        (
            "java 4.0.0",
            "max.poll.interval.ms",
            json!(0),
            "max.poll.interval.ms must be at least 1",
        ),
        (
            "java 4.0.0",
            "max.poll.records",
            json!(0),
            "max.poll.records must be at least 1",
        ),
        (
            "java 4.0.0",
            "session.timeout.ms",
            json!(0),
            "0 is out of range: 1 to 2147483647",
        ),
        ("java 4.0.0", "group.id", json!(""), "it must not be empty"),
    ] {
        let mut config = json!({"group.id": "g"});
        config[option] = value;
        let told = producer(client, &config);
        let expected = format!("{field}{option}: {expected}");
        assert_eq!(told, expected);
    }
}

#[test]
fn an_application_that_would_not_start_is_told_so() {
    let config = "/streams/0/config";
    all_told(
        DEFAULT_STREAMS,
        &[
            (
                &[("/streams/0/client", json!("java 2.5.0"))],
                "streams[0].config.processing.guarantee: exactly_once_v2 is unknown to java 2.5.0; known to java since 2.6.0, there as exactly_once_beta, and by this name since 3.0.0",
            ),
            (
                &[("/streams/0/client", json!("librdkafka 2.0.0"))],
                "streams[0].client: librdkafka has no Kafka Streams, java has",
            ),
            (
                &[("/cluster/transaction.max.timeout.ms", json!(9_999))],
                "streams[0].config.producer.transaction.timeout.ms: INVALID_TRANSACTION_TIMEOUT: 10000 ms is longer than the broker's",
            ),
            (
                &[(
                    &format!("{config}/producer"),
                    json!({"transaction.timeout.ms": 0}),
                )],
                "streams[0].config.producer.transaction.timeout.ms: INVALID_TRANSACTION_TIMEOUT: 0 ms",
            ),
            (
                &[(&format!("{config}/commit.interval.ms"), json!(10_001))],
                "streams[0].config.commit.interval.ms: Transaction timeout 10000 was set lower than streams commit interval 10001",
            ),
            (
                &[(&format!("{config}/producer"), json!({"acks": "1"}))],
                "streams[0].config.producer.acks: Must set acks to all",
            ),
            (
                &[(
                    &format!("{config}/producer"),
                    json!({"enable.idempotence": false}),
                )],
                "streams[0].config.producer.enable.idempotence: exactly_once_v2 needs it",
            ),
            (
                &[(&format!("{config}/max.poll.interval.ms"), json!(0))],
                "streams[0].config.max.poll.interval.ms: 0 is out of range: 1 to 2147483647",
            ),
        ],
    );
}

#[test]
fn what_a_verdict_or_a_transaction_refers_to_is_there() {
    let transactional = ("/producers/0/config", json!({"transactional.id": "t"}));
    let aborts = |numbers: Value| {
        [
            transactional.clone(),
            ("/producers/0/transaction_records", json!(5)),
            ("/producers/0/abort_transactions", numbers),
        ]
    };
    let field = "producers[0].abort_transactions";
    all_told(
        DEFAULT_DELIVERY,
        &[
            (
                &[("/judge", json!("store"))],
                "judge: no application has a store: set `store` to true",
            ),
            (
                &[
                    ("/judge", json!("effects")),
                    ("/consumers", json!([])),
                    ("/faults", json!(null)),
                ],
                "judge: `effects` are those of consumers, and there is none",
            ),
            (&aborts(json!([1, 3])), "accepted"),
            (
                &aborts(json!([0])),
                &format!("{field}[0]: there is no transaction 0: they are numbered from 1 to 3"),
            ),
            (
                &aborts(json!([1, 99])),
                &format!("{field}[1]: there is no transaction 99: they are numbered from 1 to 3"),
            ),
            (
                &aborts(json!([1, 1])),
                &format!("{field}[1]: transaction 1 is there twice"),
            ),
            (
                &[
                    transactional.clone(),
                    ("/producers/0/abort_transactions", json!([2])),
                ],
                &format!("{field}[0]: there is no transaction 2: there is one, number 1"),
            ),
            (
                &[("/producers/0/abort_transactions", json!([1]))],
                &format!("{field}: transactions need a `transactional.id` in `config`"),
            ),
            (
                &[("/producers/0/transaction_records", json!(1))],
                "producers[0].transaction_records: transactions need a `transactional.id`",
            ),
        ],
    );
}

#[test]
fn a_fault_that_can_never_happen_is_refused() {
    let faults = |schedule: Value| {
        told_of(
            DEFAULT_DELIVERY,
            &[("/faults", json!({ "schedule": schedule }))],
        )
    };
    let second = "faults.schedule[1]";
    let nothing_to_do =
        "nothing has a `transactional.id`, so that the transaction coordinator has nothing to do";
    for (schedule, expected) in [
        (json!([{"at_ms": 1, "crash": "transaction-coordinator"}]), format!("faults.schedule[0].crash: {nothing_to_do}")),
        (json!([{"at_ms": 1, "step_clock_back": true}]), format!("faults.schedule[0].step_clock_back: {nothing_to_do}")),
        (
            json!([{"at_ms": 1, "crash": "group-coordinator"}]),
            "faults.schedule[0].crash: the group coordinator cannot crash in this model".into(),
        ),
        (json!([{"at_ms": 1, "pause": "group-coordinator"}]), "faults.schedule[0].pause: \"group-coordinator\" can only crash".into()),
        (json!([{"at_ms": 1, "crash": "broker-4"}]), "faults.schedule[0].crash: \"broker-4\" is not a client, a broker or a coordinator here; there are: shop, billing, broker-1 to broker-3".into()),
        (json!([{"at_ms": 1, "crash": "broker-01"}]), "faults.schedule[0].crash: \"broker-01\" is not".into()),
        (json!([{"at_ms": 1, "stop": "nobody"}]), "faults.schedule[0].stop: \"nobody\" is not a client or a broker here".into()),
        (json!([{"at_ms": 1, "lose_log": "shop"}]), "faults.schedule[0].lose_log: \"shop\" is not a broker here; there are: broker-1 to broker-3".into()),
        (json!([{"at_ms": 9, "lose_log": "broker-1"}]), "faults.schedule[0].lose_log: \"broker-1\" runs at 9 ms, and a broker loses its log while it is down".into()),
        (json!([{"at_ms": 9, "resume": "shop"}]), "faults.schedule[0].resume: \"shop\" does not stand still at 9 ms: pause it before".into()),
        (
            json!([{"at_ms": 9, "pause": "shop"}, {"at_ms": 8, "resume": "shop"}]),
            format!("{second}.resume: \"shop\" does not stand still at 8 ms: pause it before"),
        ),
        (
            json!([{"at_ms": 9, "pause": "shop"}, {"at_ms": 10, "resume": "billing"}]),
            format!("{second}.resume: \"billing\" does not stand still"),
        ),
        (json!([{"at_ms": 9, "start": "shop"}]), "faults.schedule[0].start: \"shop\" runs at 9 ms: stop it or let it crash before".into()),
        (
            json!([{"at_ms": 8, "stop": "broker-1"}, {"at_ms": 9, "crash": "broker-1"}]),
            format!("{second}.crash: \"broker-1\" is stopped since 8 ms: start it before"),
        ),
        (
            json!([{"at_ms": 8, "pause": "shop"}, {"at_ms": 9, "stop": "shop"}]),
            format!("{second}.stop: \"shop\" stands still since 8 ms: resume it before"),
        ),
        (
            json!([
                {"at_ms": 1, "pause": "shop"}, {"at_ms": 2, "resume": "shop"},
                {"at_ms": 3, "stop": "shop"}, {"at_ms": 4, "start": "shop"},
                {"at_ms": 5, "crash": "shop"}, {"at_ms": 6, "start": "shop"},
                {"at_ms": 7, "stop": "broker-2"}, {"at_ms": 7, "lose_log": "broker-2"},
            ]),
            "accepted".into(),
        ),
        (
            Value::Array((0..10).map(|at| json!({"at_ms": at, "crash": "shop"})).collect()),
            "faults.max_crashes: 9 is less than the 10 crashes".into(),
        ),
    ] {
        let told = faults(schedule.clone());
        assert!(told.starts_with(&expected), "{schedule}\n{expected}\n{told}");
    }
    all_told(
        DEFAULT_DELIVERY,
        &[
            (
                &[
                    ("/consumers", json!([])),
                    (
                        "/faults",
                        json!({"schedule": [{"at_ms": 1, "crash": "group-coordinator"}]}),
                    ),
                ],
                "faults.schedule[0].crash: there is no consumer group, so that it has nothing to do",
            ),
            (
                &[("/faults/messages/0/client", json!("nobody"))],
                "faults.messages[0].client: there is no client \"nobody\"; there are: shop, billing",
            ),
        ],
    );
}

/// The paths of all durations that a scenario has: those of `*_ms` and `*.ms`.
fn durations(value: &Value, path: &str, found: &mut Vec<String>) {
    let inside: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, it)| (name.clone(), it)).collect(),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .map(|(at, it)| (at.to_string(), it))
            .collect(),
        _ => Vec::new(),
    };
    for (name, value) in inside {
        let path = format!("{path}/{name}");
        if value.is_number()
            && !name.ends_with("_per_ms")
            && (name.ends_with("_ms") || name.ends_with(".ms"))
        {
            found.push(path.clone());
        }
        durations(value, &path, found);
    }
}

#[test]
fn every_duration_is_refused_or_survives_being_written_and_read() {
    let mut delivery: Value = serde_json::from_str(DEFAULT_DELIVERY).expect("it is JSON");
    let mut streams: Value = serde_json::from_str(DEFAULT_STREAMS).expect("it is JSON");
    let options = [
        ("request.timeout.ms", 30_000),
        ("delivery.timeout.ms", 120_000),
        ("retry.backoff.ms", 100),
        ("transaction.timeout.ms", 10_000),
    ];
    for (option, time) in options {
        put(
            &mut delivery,
            &format!("/producers/0/config/{option}"),
            json!(time),
        );
    }
    for option in ["max.poll.interval.ms", "session.timeout.ms"] {
        put(
            &mut delivery,
            &format!("/consumers/0/config/{option}"),
            json!(50_000),
        );
        put(
            &mut streams,
            &format!("/streams/0/config/{option}"),
            json!(50_000),
        );
    }
    put(&mut delivery, "/topics/0/retention.ms", json!(1));
    put(&mut delivery, "/until_ms", json!(1));
    put(&mut delivery, "/faults/messages/0/delay_ms", json!(1));
    put(
        &mut streams,
        "/producers/0/sends",
        json!([{"key": "a", "wait_ms": 1, "processing_ms": 1}]),
    );
    put(
        &mut streams,
        "/streams/0/config/commit.interval.ms",
        json!(1),
    );
    put(
        &mut streams,
        "/streams/0/config/producer",
        json!({"transaction.timeout.ms": 1_000}),
    );
    let mut votes: Value = serde_json::from_str(DEFAULT_VOTES).expect("it is JSON");
    put(&mut votes, "/until_ms", json!(1));
    for fault in ["crash", "stop"] {
        put(
            &mut votes,
            "/faults/schedule/-",
            json!({"at_ms": 1, fault: "orders"}),
        );
    }
    put(
        &mut votes,
        "/faults/messages",
        json!([{"message": "ACK", "to": "coordinator", "delay_ms": 1}]),
    );
    // All that have a default are there when it is written.
    let scenarios = [delivery, streams, votes].map(|it| it.to_string());
    let all = scenarios.iter().map(String::as_str).chain([DEFAULT_STORY]);
    for scenario in all {
        let written = Story::from_json(scenario).expect("it makes sense");
        let written = written.as_ref().to_json();
        let written: Value = serde_json::from_str(&written).expect("it is JSON");
        let mut paths = Vec::new();
        durations(&written, "", &mut paths);
        assert!(paths.len() >= 10, "{paths:?}");
        for path in paths {
            for value in [
                json!(0),
                json!(0.001),
                json!(2_147_483_647_u64),
                json!(2_147_483_648_u64),
                json!(4_294_967_296_u64),
                json!(u64::MAX),
                json!(1e300),
                json!(-1),
            ] {
                let mut changed = written.clone();
                put(&mut changed, &path, value.clone());
                let read = Story::from_json(&changed.to_string());
                let too_long = value
                    .as_f64()
                    .is_none_or(|it| !(0.0..2_147_483_648.0).contains(&it));
                assert!(!too_long || read.is_err(), "{path} {value}");
                if let Ok(story) = read {
                    let again = Story::from_json(&story.as_ref().to_json());
                    assert_eq!(again.as_ref(), Ok(&story), "{path} {value}");
                }
            }
        }
    }
}

#[test]
fn votes_survive_being_written_and_read() {
    for json in [DEFAULT_VOTES, VOTES_COOPERATIVE] {
        let story = Votes::from_json(json).expect("it is part of the program");
        assert_eq!(Votes::from_json(&story.to_json()), Ok(story));
    }
    let mut full: Value = serde_json::from_str(DEFAULT_VOTES).expect("it is JSON");
    put(&mut full, "/protocol", json!({"presumed": "abort"}));
    put(&mut full, "/faults/max_early_timeouts", json!(3));
    for fault in [
        json!({"at_ms": 5, "stop": "stock"}),
        json!({"at_ms": 9, "recover": "stock"}),
        json!({"after": {"received": "VOTE_REQUEST"}, "crash": "orders"}),
        json!({"after": {"written": "VOTE_COMMIT"}, "crash": "orders"}),
        json!({"after": {"forced": "GLOBAL_ABORT", "by": "stock"}, "recover": "coordinator"}),
    ] {
        put(&mut full, "/faults/schedule/-", fault);
    }
    put(
        &mut full,
        "/faults/messages",
        json!([
            {"message": "ACK", "to": "coordinator", "from": "orders", "number": 2, "count": 3},
            {"message": "GLOBAL_COMMIT", "to": "stock", "delay_ms": 70},
            {"message": "VOTE_REQUEST", "to": "stock", "duplicate": true}
        ]),
    );
    let story = Votes::from_json(&full.to_string()).expect("it makes sense");
    assert_eq!(Votes::from_json(&story.to_json()), Ok(story));
}

#[test]
fn what_is_wrong_with_votes_is_told_with_its_field() {
    let many: Vec<Value> = (0..10)
        .map(|at| json!({"name": format!("p{at}")}))
        .collect();
    let fault = "/faults/schedule/0";
    let messages = "/faults/messages";
    let cases: [(&[(&str, Value)], &str); 41] = [
        (
            &[("/version", json!(2))],
            "version: this program reads version 1, the scenario has 2",
        ),
        (
            &[("/participants", json!([]))],
            "participants: 0 participants: there are 1 to 9",
        ),
        (
            &[("/participants", json!(many))],
            "participants: 10 participants: there are 1 to 9",
        ),
        (
            &[("/participants", json!({}))],
            "participants: an object does not fit: it has to be a list",
        ),
        (
            &[("/participants/0/name", json!(""))],
            "participants[0].name: it must not be empty",
        ),
        (
            &[("/participants/0/name", json!("stock"))],
            "participants[1].name: another participant has this name already",
        ),
        (
            &[("/participants/2/name", json!("coordinator"))],
            "participants[2].name: `coordinator` is the coordinator",
        ),
        (
            &[("/participants/0/vote", json!("no"))],
            "participants[0].vote: `no` is not possible; it has to be one of: commit, abort",
        ),
        (
            &[("/participants/0/vot", json!("abort"))],
            "participants[0].vot: there is no field `vot` here; did you mean `vote`?",
        ),
        (
            &[("/protocol", json!({"presumed": "commit"}))],
            "protocol.presumed: `commit` is not possible; it has to be one of: nothing, abort",
        ),
        (
            &[("/protocol", json!({"cooperative": true}))],
            "protocol.cooperative: there is no field `cooperative` here",
        ),
        (
            &[("/costs/timeout_ms", json!(0))],
            "costs.timeout_ms: 0 is out of range: 1 to 86400000",
        ),
        (
            &[("/costs/flush_ms", json!(0))],
            "costs.flush_ms: 0 is out of range: 1 to 86400000",
        ),
        (
            &[("/costs/network_ms", json!(-1))],
            "costs.network_ms: -1 does not fit",
        ),
        (
            &[("/costs/force_ms", json!(86_400_001_u32))],
            "costs.force_ms: 86400001 is out of range: 0 to 86400000",
        ),
        (
            &[("/costs/jitter_percent", json!(101))],
            "costs.jitter_percent: 101 is out of range: 0 to 100",
        ),
        (
            &[("/costs/jitter_percent", json!(256))],
            "costs.jitter_percent: 256 does not fit",
        ),
        (
            &[("/max_steps", json!(0))],
            "max_steps: 0 is out of range: 1 to 10000000",
        ),
        (&[("/until_ms", json!(0))], "until_ms: 0 is out of range"),
        (&[("/seed", json!("x"))], "seed: \"x\" does not fit"),
        (
            &[(fault, json!({"crash": "coordinator"}))],
            "faults.schedule[0]: a fault has one of `at_ms` and `after`",
        ),
        (
            &[(
                fault,
                json!({"at_ms": 1, "after": {"sent": "ACK"}, "crash": "stock"}),
            )],
            "faults.schedule[0]: a fault has one of `at_ms` and `after`",
        ),
        (
            &[(fault, json!({"at_ms": 1}))],
            "faults.schedule[0]: a fault has one of `crash`, `stop`, `recover`",
        ),
        (
            &[(fault, json!({"at_ms": 1, "crash": "a", "stop": "b"}))],
            "faults.schedule[0]: a fault has one of `crash`, `stop`, `recover`",
        ),
        (
            &[(fault, json!({"at_ms": 1, "crash": "billing"}))],
            "faults.schedule[0].crash: there is no \"billing\" here; there are: coordinator, orders, stock, payments",
        ),
        (
            &[(fault, json!({"at_ms": 1, "recover": "stock"}))],
            "faults.schedule[0].recover: \"stock\" runs at 1 ms: stop it or let it crash before",
        ),
        (
            &[(fault, json!({"after": {"number": 2}, "crash": "stock"}))],
            "faults.schedule[0]: `after` has one of `sent`, `received`, `written`, `forced`",
        ),
        (
            &[(
                fault,
                json!({"after": {"sent": "VOTE_REQUEST"}, "crash": "stock"}),
            )],
            "faults.schedule[0].after.sent: VOTE_REQUEST is never sent by \"stock\"; possible are: VOTE_COMMIT, VOTE_ABORT, ACK, DECISION_REQUEST",
        ),
        (
            &[(
                fault,
                json!({"after": {"received": "ACK"}, "crash": "stock"}),
            )],
            "faults.schedule[0].after.received: ACK is never received by \"stock\"; possible are: VOTE_REQUEST, GLOBAL_COMMIT, GLOBAL_ABORT",
        ),
        (
            &[(fault, json!({"after": {"forced": "END"}, "crash": "stock"}))],
            "faults.schedule[0].after.forced: END is never forced by \"stock\"; possible are: VOTE_COMMIT, VOTE_ABORT, GLOBAL_COMMIT, GLOBAL_ABORT",
        ),
        (
            &[
                ("/protocol", json!({"presumed": "abort"})),
                (
                    fault,
                    json!({"after": {"written": "START_2PC"}, "crash": "coordinator"}),
                ),
            ],
            "faults.schedule[0].after.written: START_2PC is never written by \"coordinator\"; possible are: GLOBAL_COMMIT, GLOBAL_ABORT, END",
        ),
        (
            &[(
                fault,
                json!({"after": {"sent": "GLOBAL_COMMIT", "number": 0}, "crash": "coordinator"}),
            )],
            "faults.schedule[0].after.number: 0 is out of range: 1 to 10000",
        ),
        (
            &[(
                fault,
                json!({"after": {"sent": "GLOBAL_COMMIT", "by": "nobody"}, "crash": "stock"}),
            )],
            "faults.schedule[0].after.by: there is no \"nobody\" here",
        ),
        (
            &[(fault, json!({"after": {"sent": "ACK"}, "recover": "stock"}))],
            "faults.schedule[0].after.by: what is down does nothing",
        ),
        (
            &[("/faults/max_crashes", json!(0))],
            "faults.max_crashes: 0 is less than the 1 crashes and stops in faults.schedule",
        ),
        (
            &[(messages, json!([{"message": "COMMIT", "to": "stock"}]))],
            "faults.messages[0].message: `COMMIT` is not possible; it has to be one of: VOTE_REQUEST, ",
        ),
        (
            &[(messages, json!([{"message": "ACK", "to": "stock"}]))],
            "faults.messages[0].message: ACK is never sent to \"stock\"; possible are: VOTE_REQUEST, GLOBAL_COMMIT, GLOBAL_ABORT",
        ),
        (
            &[(messages, json!([{"message": "ACK", "to": "shop"}]))],
            "faults.messages[0].to: there is no \"shop\" here",
        ),
        (
            &[(
                messages,
                json!([{"message": "GLOBAL_COMMIT", "to": "stock", "from": "orders"}]),
            )],
            "faults.messages[0].from: \"orders\" never sends GLOBAL_COMMIT",
        ),
        (
            &[(
                messages,
                json!([{"message": "ACK", "to": "coordinator", "count": 0}]),
            )],
            "faults.messages[0].count: 0 is out of range: 1 to 10000",
        ),
        (
            &[(
                messages,
                json!([{"message": "ACK", "to": "coordinator", "delay_ms": 5, "duplicate": true}]),
            )],
            "faults.messages[0].duplicate: a message is either late or duplicated",
        ),
    ];
    all_told(DEFAULT_VOTES, &cases);
}

#[test]
fn votes_with_values_at_both_ends_run_or_are_refused() {
    let paths = [
        "/seed",
        "/costs/network_ms",
        "/costs/send_ms",
        "/costs/force_ms",
        "/costs/flush_ms",
        "/costs/timeout_ms",
        "/costs/restart_ms",
        "/costs/jitter_percent",
        "/faults/max_crashes",
        "/faults/max_losses",
        "/faults/max_duplicates",
        "/faults/max_early_timeouts",
        "/faults/schedule/0/after/number",
        "/until_ms",
    ];
    let mut runs = 0;
    for scenario in [DEFAULT_VOTES, VOTES_COOPERATIVE] {
        for path in paths {
            for value in [0, 1, 2, 100, 255, 256, 65_535, 86_400_000, u64::MAX] {
                let mut changed: Value = serde_json::from_str(scenario).expect("it is JSON");
                put(&mut changed, path, json!(value));
                put(&mut changed, "/max_steps", json!(2_000));
                let Ok(mut run) = barrierscope_core::open(&changed.to_string()) else {
                    continue;
                };
                runs += 1;
                run.go_to(run.last() / 2);
                let _ = (run.scene(), run.choices(), run.properties(), run.costs());
                run.go_to(run.last());
                let _ = (run.scene(), run.events(), run.ending());
            }
        }
    }
    assert!(runs > 100, "{runs}");
}

#[test]
fn what_few_jobs_have_is_checked_too() {
    let loops = include_str!("../../scenarios/cases/F13-feedback-loop-records.json");
    all_told(
        loops,
        &[
            (
                &[("/checkpointing/force", Value::Null)],
                "job.edges[2].feedback: records on their way back are in no checkpoint, and a failure loses them",
            ),
            (
                &[("/job/edges/2/feedback", Value::Null)],
                "job.edges: the edges run in a circle through `head`: a job graph has none, but for edges with `feedback`",
            ),
            (
                &[("/job/edges/2/to", json!("sink"))],
                "job.edges[2].to: feedback leads to an `iteration`, and `sink` is none",
            ),
            (
                &[("/job/edges/2/from", json!("source"))],
                "job.vertices[2]: no edge leads on from `body`",
            ),
            (
                &[("/job/edges/2/partitioning", json!("rebalance"))],
                "job.edges[2].partitioning: a feedback edge is `forward`",
            ),
            (
                &[("/checkpointing/unaligned", json!(true))],
                "checkpointing.unaligned: a job with a loop takes aligned checkpoints",
            ),
            (
                &[
                    ("/job/edges/2/feedback", json!("logged")),
                    ("/checkpointing/mode", json!("at-least-once")),
                ],
                "job.edges[2].feedback: to log what comes back needs the mode `exactly-once`",
            ),
            (
                &[("/job/edges/2/feedback", json!("remembered"))],
                "job.edges[2].feedback: `remembered` is not possible; it has to be one of: in-memory, logged",
            ),
        ],
    );
    let broadcast = include_str!("../../scenarios/cases/F11-unaligned-broadcast-state.json");
    all_told(
        broadcast,
        &[
            (
                &[
                    ("/job/edges/0/partitioning", json!("rebalance")),
                    ("/job/edges/0/force_unaligned", Value::Null),
                ],
                "job.vertices[2]: no edge to `op` is `broadcast`: that is the control stream it applies",
            ),
            (
                &[("/job/edges/1/force_unaligned", json!(true))],
                "job.edges[1].force_unaligned: it is for `broadcast` edges alone",
            ),
            (
                &[("/checkpointing/unaligned", json!(false))],
                "job.edges[0].force_unaligned: it makes a difference with unaligned checkpoints only",
            ),
        ],
    );
    let latest = include_str!("../../scenarios/cases/F21-latest-reevaluated-on-recovery.json");
    all_told(
        latest,
        &[
            (
                &[("/inputs/0/arrival", Value::Null)],
                "job.vertices[0].operator.start.scan.startup.mode: all records of `p0` are there from the start",
            ),
            (
                &[("/inputs/0/arrival/present", json!(4))],
                "inputs[0].arrival.present: 4 is out of range: 0 to 3",
            ),
            (
                &[("/inputs/0/arrival/interval_ms", json!(0))],
                "inputs[0].arrival.interval_ms: 0 is out of range: 1 to 86400000",
            ),
            (
                &[("/job/vertices/0/operator/bounded", json!(true))],
                "job.vertices[0].operator.start.scan.startup.mode: a bounded source that begins at the end",
            ),
        ],
    );
    let pooled = include_str!("../../scenarios/cases/F07-pooling-orphan-pins-lso.json");
    all_told(
        pooled,
        &[
            (
                &[("/faults/schedule/0/redeploy/parallelism", json!(0))],
                "faults.schedule[0].redeploy.parallelism: 0 is out of range: 1 to 2",
            ),
            (
                &[("/faults/schedule/0/redeploy/parallelism", json!(3))],
                "faults.schedule[0].redeploy.parallelism: 3 is out of range: 1 to 2",
            ),
            (
                &[
                    ("/job/vertices/0/parallelism", json!(2)),
                    ("/job/edges/0/partitioning", json!("forward")),
                ],
                "faults.schedule[0].redeploy.parallelism: `job.edges[0]`, into `sink`, is `forward`: fewer subtasks \
                 would need `hash` or `rebalance` there",
            ),
            (
                &[("/job/edges/0/partitioning", json!("broadcast"))],
                "faults.schedule[0].redeploy.parallelism: `job.edges[0]`, into `sink`, is `broadcast`: fewer subtasks \
                 would need `hash` or `rebalance` there",
            ),
            (
                &[("/kafka", Value::Null), ("/unfixed", json!([]))],
                "faults.schedule[0].redeploy.parallelism: a sink may have another parallelism where it writes to \
                 brokers: add `\"kafka\": {}`",
            ),
        ],
    );
    let table = include_str!("../../scenarios/cases/F20-final-committables-lost.json");
    all_told(
        table,
        &[
            (
                &[("/job/vertices/2/operator", json!({"kind": "map"}))],
                "job.vertices[1].operator.kind: a table sink is a `table-writer`, then one `table-committer`",
            ),
            (
                &[("/job/vertices/3/parallelism", json!(2))],
                "job.edges[2].partitioning: `forward` needs the same parallelism on both sides",
            ),
            (
                &[(
                    "/faults",
                    json!({"schedule": [{"at_ms": 1, "lose_commit_response": "writer[0]"}]}),
                )],
                "faults.schedule[0].lose_commit_response: `writer[0]` commits to no catalog",
            ),
            (
                &[(
                    "/job/vertices/3/operator",
                    json!({"kind": "sink", "delivery_guarantee": "exactly-once"}),
                )],
                "job.vertices[2].operator.kind: a table sink is a `table-writer`, then one `table-committer`",
            ),
        ],
    );
}
