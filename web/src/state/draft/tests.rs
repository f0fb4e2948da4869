//! What forms and typing do to a draft.

use barrierscope_core::scenario::{
    Breakage, DEFAULT_STORY, DeliveryGuarantee, Operator, Partitioning, Story, Workload,
};

use super::*;

fn draft() -> Draft {
    let story = Scenario::from_json(DEFAULT_STORY).unwrap();
    Draft::of(&story.to_json())
}

fn names(draft: &Draft) -> Vec<String> {
    let scenario = draft.pipeline().unwrap();
    scenario
        .job
        .vertices
        .into_iter()
        .map(|it| it.name)
        .collect()
}

#[test]
fn each_operator_that_is_added_leaves_a_job_that_runs() {
    for kind in [Kind::Map, Kind::Filter, Kind::FlatMap, Kind::Sum] {
        let mut draft = draft();
        draft.change(Change::AddOperator(kind));
        assert_eq!(draft.flaw(), None, "{kind:?}: {}", draft.text);
        assert_eq!(names(&draft)[2], kind.code(), "before the sink");
        let story = Story::from_json(&draft.text).unwrap();
        assert!(barrierscope_core::start(story).unwrap().last() > 100);
    }
}

#[test]
fn what_is_removed_closes_the_gap_and_takes_its_faults_along() {
    let mut draft = draft();
    draft.change(Change::AddOperator(Kind::Map));
    draft.change(Change::RemoveOperator(1));
    assert_eq!(names(&draft), ["source", "map", "sink"]);
    let scenario = draft.pipeline().unwrap();
    let edges: Vec<_> = scenario
        .job
        .edges
        .iter()
        .map(|it| (it.from.as_str(), it.to.as_str()))
        .collect();
    assert!(
        edges.contains(&("source", "map")) && edges.contains(&("map", "sink")),
        "{edges:?}"
    );
    assert_eq!(
        scenario.faults.schedule,
        [],
        "the crash was that of a subtask that is gone"
    );
    assert_eq!(draft.flaw(), None);
}

#[test]
fn a_new_name_is_known_to_whoever_refers_to_it() {
    let mut draft = draft();
    draft.change(Change::RenameOperator(1, "sum".to_owned()));
    draft.change(Change::RenameTopic(0, "reports".to_owned()));
    assert_eq!(draft.flaw(), None);
    let scenario = draft.pipeline().unwrap();
    let Breakage::Crash(hit) = &scenario.faults.schedule[0].what else {
        panic!("{:?}", scenario.faults);
    };
    assert!(hit.starts_with("sum["), "{hit}");
    assert_eq!(scenario.job.edges[0].to, "sum");
}

#[test]
fn every_field_of_the_form_is_written() {
    let mut draft = draft();
    for change in [
        Change::Name("mine".to_owned()),
        Change::Parallelism(0, 1),
        Change::Cost(0, 50.0),
        Change::Cost(1, 2.5),
        Change::Guarantee(2, DeliveryGuarantee::ExactlyOnce),
        Change::Partitioning(1, Partitioning::Rebalance),
        Change::Partitions(0, 3),
        Change::Records(0, Source::Listed("a,5\nb 7\n\nc d".to_owned())),
        Change::AddFault,
        Change::FaultKind(1, FaultKind::TaskManager),
        Change::FaultMoment(1, 250),
        Change::FaultTarget(0, "sink[0]".to_owned()),
    ] {
        draft.change(change.clone());
        assert_eq!(draft.flaw(), None, "{change:?}");
    }
    let scenario = draft.pipeline().unwrap();
    assert_eq!(scenario.name, "mine");
    let Workload::Records(records) = &scenario.inputs[0].workload else {
        panic!("{:?}", scenario.inputs);
    };
    let records: Vec<_> = records
        .iter()
        .map(|it| (it.key.as_str(), it.value))
        .collect();
    assert_eq!(records, [("a", 5), ("b", 7), ("c d", 1)]);
    assert_eq!(scenario.faults.schedule[1].at_ms.0, 250);
    assert_eq!(
        scenario.faults.schedule[1].what,
        Breakage::LoseTaskManager(0)
    );
    assert!(
        matches!(&scenario.job.vertices[1].operator, Operator::Sum { cost_ms } if cost_ms.0 == 2_500)
    );
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let mut draft = draft();
    draft.change(Change::Parallelism(1, 0));
    let flaw = draft.flaw().unwrap();
    assert_eq!(flaw.error.field, "job.vertices[1].parallelism");
    let line = draft
        .text
        .lines()
        .nth(flaw.place.unwrap().line - 1)
        .unwrap();
    assert!(line.contains("\"parallelism\": 0"), "{line}");
    // A form goes on with what makes no sense yet.
    draft.change(Change::Parallelism(1, 2));
    assert_eq!(draft.flaw(), None);
    let broken = draft.text.replacen("\"name\":", "\"name\"", 1);
    draft.type_in(broken);
    let flaw = draft.flaw().unwrap();
    assert!(
        flaw.place
            .is_some_and(|place| place.line == 3 || place.line == 2),
        "{flaw:?}"
    );
    assert_eq!(draft.pipeline(), None, "no form for what is no JSON");
}

#[test]
fn changes_are_taken_back_one_by_one_and_letters_together() {
    let mut draft = draft();
    let first = draft.text.clone();
    draft.change(Change::Parallelism(1, 3));
    let second = draft.text.clone();
    draft.type_in(format!("{second} "));
    draft.type_in(format!("{second}  "));
    assert_eq!(draft.can_undo_and_redo(), (true, false));
    draft.undo();
    assert_eq!(draft.text, second);
    draft.undo();
    assert_eq!(draft.text, first);
    assert!(!draft.is_changed());
    assert_eq!(draft.can_undo_and_redo(), (false, true));
    draft.redo();
    draft.redo();
    assert_eq!(draft.text, format!("{second}  "));
    draft.pause();
    for name in ["x", "xy", "xyz"] {
        draft.change(Change::Name(name.to_owned()));
    }
    assert_eq!(draft.can_undo_and_redo(), (true, false));
    draft.undo();
    assert!(
        !draft.text.contains("\"x"),
        "letters of one field belong together"
    );
    draft.type_in(format!("{first}\n"));
    draft.type_in(format!("{first}\n\n"));
    draft.undo();
    assert_eq!(
        draft.text,
        format!("{first}\n"),
        "a line is taken back by itself"
    );
}

#[test]
fn the_form_is_for_pipelines_only() {
    for json in [
        barrierscope_core::scenario::delivery::DEFAULT_DELIVERY,
        barrierscope_core::scenario::votes::VOTES_COOPERATIVE,
    ] {
        let mut draft = Draft::of(json);
        assert_eq!(draft.pipeline(), None);
        assert_eq!(draft.flaw(), None);
        draft.change(Change::Name("x".to_owned()));
        assert_eq!(draft.text, json);
    }
}
