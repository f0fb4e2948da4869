//! The default story: what the dashboard shows in the end, whatever the sink and the moment of the crash.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::flink::coordinator::FailureReason;
use barrierscope_core::mark::{Ending, MarkKind};
use barrierscope_core::scenario::DeliveryGuarantee::{AtLeastOnce, ExactlyOnce};
use barrierscope_core::scenario::Scenario;
use barrierscope_core::session::Session;
use barrierscope_core::statistics::Status;
use barrierscope_core::time::Millis;
use barrierscope_core::verdict::{Guarantee, Verdict};
use barrierscope_tests::scenarios::{story, with_crash};

const TRUE_TOTAL: u64 = 1_991_379;

fn run(scenario: Scenario) -> (Box<dyn Session>, Verdict) {
    let mut run = barrierscope_core::start(scenario).expect("the scenario makes sense");
    run.go_to(run.last());
    assert_eq!(run.ending(), Ending::Done);
    let verdict = run.verdict();
    (run, verdict)
}

#[test]
fn with_the_transactional_sink_the_dashboard_is_right() {
    let (run, verdict) = run(story(ExactlyOnce));
    assert!(run.marks().iter().any(|mark| mark.kind == MarkKind::Fault));
    assert_eq!(verdict.total, TRUE_TOTAL);
    assert_eq!(
        (verdict.visible, verdict.lost, verdict.doubled),
        (190, 0, 0)
    );
    assert_eq!(verdict.guarantee(), Guarantee::ExactlyOnce);
}

#[test]
fn with_the_plain_sink_the_same_crash_takes_it_past_two_million() {
    let (run, verdict) = run(story(AtLeastOnce));
    assert!(verdict.total > 2_000_000, "{}", verdict.total);
    assert_eq!((verdict.visible, verdict.lost), (190, 0));
    assert_eq!(verdict.guarantee(), Guarantee::AtLeastOnce);
    let doubled: u64 = verdict
        .witnesses
        .iter()
        .filter_map(|witness| Some(run.record(witness.record)?.1 * u64::from(witness.copies - 1)))
        .sum();
    assert_eq!(
        TRUE_TOTAL + doubled,
        verdict.total,
        "the witnesses account for all of it"
    );
}

#[test]
fn without_a_crash_both_sinks_are_right() {
    for sink in [AtLeastOnce, ExactlyOnce] {
        let mut scenario = story(sink);
        scenario.faults.schedule.clear();
        let (_, verdict) = run(scenario);
        assert_eq!((verdict.total, verdict.doubled), (TRUE_TOTAL, 0));
    }
}

/// A moment within the story and a subtask, both chosen by the seed.
fn crash_by(seed: u64) -> (Millis, String) {
    let mix = barrierscope_core::fingerprint::fingerprint(&seed);
    let vertex = ["source", "total", "sink"][(mix % 3) as usize];
    let moment = Millis((mix >> 8) as u32 % 26_000 + 100);
    (moment, format!("{vertex}[{}]", mix >> 4 & 1))
}

#[test]
fn fifty_seeds_with_a_crash_each_lose_and_double_nothing() {
    let mut doubled_by_the_plain_sink = 0;
    for seed in 0..50 {
        let (at, subtask) = crash_by(seed);
        let scenario = |sink| {
            let mut scenario = with_crash(story(sink), at, &subtask);
            scenario.seed = seed;
            scenario
        };
        let (crashed, verdict) = run(scenario(ExactlyOnce));
        assert!(
            crashed
                .marks()
                .iter()
                .any(|mark| mark.kind == MarkKind::Fault),
            "seed {seed}: {subtask} at {at:?} did not crash"
        );
        assert_eq!(
            (
                verdict.total,
                verdict.lost,
                verdict.doubled,
                verdict.miscounted
            ),
            (TRUE_TOTAL, 0, 0, 0),
            "seed {seed}: {subtask} at {at:?}"
        );
        let (_, plain) = run(scenario(AtLeastOnce));
        assert_eq!(plain.lost, 0, "seed {seed}");
        doubled_by_the_plain_sink += u32::from(plain.doubled > 0);
    }
    assert!(
        doubled_by_the_plain_sink > 25,
        "the crashes do hit something: {doubled_by_the_plain_sink} of 50"
    );
}

#[test]
fn a_read_uncommitted_reader_sees_what_was_aborted() {
    let mut scenario = story(ExactlyOnce);
    scenario.reader.isolation_level =
        barrierscope_core::kafka::log::IsolationLevel::ReadUncommitted;
    let (_, verdict) = run(scenario);
    assert!(verdict.doubled > 0);
    assert_eq!(verdict.guarantee(), Guarantee::AtLeastOnce);
}

#[test]
fn every_scenario_that_comes_with_the_program_runs_to_its_end() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios");
    for file in std::fs::read_dir(folder).expect("the folder is there") {
        let path = file.expect("it can be read").path();
        // The fault reports, the lessons, the claims and their lists have tests of their own.
        let lists = ["cases.json", "lessons.json", "claims.json"];
        if path.is_dir() || lists.iter().any(|list| path.ends_with(list)) {
            continue;
        }
        let json = std::fs::read_to_string(&path).expect("it can be read");
        let mut run = barrierscope_core::open(&json)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(run.ending(), Ending::Done, "{}", path.display());
        run.go_to(run.last());
        let verdict = run.verdict();
        assert_eq!(
            (verdict.lost, verdict.miscounted),
            (0, 0),
            "{}",
            path.display()
        );
    }
}

#[test]
fn a_barrier_that_is_aligned_behind_one_that_overtook_may_stop_the_job() {
    // An unaligned barrier that an operator passes on early becomes an aligned one on a broadcast edge:
    // its receiver blocks the channel and waits for a barrier that cannot come through the full buffers.
    // To be told that the checkpoint has expired opens no channel.
    let json = include_str!("../scenarios/expires.json");
    let scenario = Scenario::from_json(json).expect("it makes sense");
    let mut stuck = barrierscope_core::start(scenario.clone()).expect("it makes sense");
    stuck.go_to(stuck.last());
    assert_eq!(stuck.ending(), Ending::Limit);
    assert_eq!((stuck.verdict().lost, stuck.verdict().doubled), (0, 0));
    let expired = stuck
        .checkpoints()
        .iter()
        .filter(|c| c.status == Status::Failed(FailureReason::Expired));
    assert!(expired.count() > 10);
    // Without a timeout there is nothing that could ever happen, and with aligned barriers no need for it.
    let mut endless = scenario.clone();
    endless.checkpointing.timeout_ms = Millis(0);
    let waiting = barrierscope_core::start(endless).expect("it makes sense");
    assert_eq!(waiting.ending(), Ending::Idle);
    let mut aligned = scenario;
    aligned.checkpointing.unaligned = false;
    aligned.checkpointing.aligned_timeout_ms = Millis(0);
    let (_, verdict) = run(aligned);
    assert_eq!(verdict.visible, verdict.expected);
}
