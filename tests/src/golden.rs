//! Figures that must come out alike natively and in WebAssembly. The native tests hold them against the
//! files under `golden/`, and so do the WebAssembly tests; `BLESS=1 cargo test -p barrierscope-tests`
//! writes the files anew.

use core::fmt::Write;

use barrierscope_core::commit::Vote;
use barrierscope_core::explorer;
use barrierscope_core::models::pipeline::Pipeline;
use barrierscope_core::models::votes::Votes;
use barrierscope_core::scenario::{DeliveryGuarantee, Scenario};

use crate::delivery::{self, Configuration};
use crate::scenarios;
use crate::votes;

/// The fingerprints of the first 1,000 states of the default story with each sink, one a line. The
/// story is shorter than that: it is begun with more records, the reports taken again and again.
pub fn fingerprints() -> String {
    let mut lines = String::new();
    for sink in [
        DeliveryGuarantee::AtLeastOnce,
        DeliveryGuarantee::ExactlyOnce,
    ] {
        let mut scenario = scenarios::story(sink);
        let records = scenario.records();
        scenario.inputs[0].workload =
            barrierscope_core::scenario::Workload::Records([&records[..], &records[..]].concat());
        let mut run = barrierscope_core::start(scenario).expect("the story makes sense");
        for step in 0..=1_000 {
            run.go_to(step);
            let _ = writeln!(lines, "{sink:?} {step} {:016x}", run.fingerprint());
        }
    }
    lines
}

/// How Kafka's clients fare against the faults of some seeds in each configuration, one run a line: the last
/// state, and the account in it.
pub fn deliveries() -> String {
    let mut lines = String::new();
    let weaker = Configuration::WEAKER.map(|(configuration, _)| configuration);
    for configuration in Configuration::EXACT.into_iter().chain(weaker) {
        for seed in 0..8 {
            let scenario = delivery::scenario(configuration, seed);
            let mut run = barrierscope_core::start(scenario).expect("it makes sense");
            run.go_to(run.last());
            let verdict = run.verdict();
            let _ = writeln!(
                lines,
                "{configuration:?} {seed}: {} steps, {:016x}, lost {} doubled {} failed {} stuck {}",
                run.last(),
                run.fingerprint(),
                verdict.lost,
                verdict.doubled,
                verdict.failed,
                verdict.stuck,
            );
        }
    }
    lines
}

/// What the walk finds in the small pipelines, one a line.
pub fn walks() -> String {
    let barriers = (0..scenarios::BARRIERS.len()).map(walks_with);
    barriers.chain([walks_with_faults()]).collect()
}

/// The lines for one way of taking checkpoints, by its place. A browser gives up on a page that is silent for half a
/// minute: each way is a test of its own.
pub fn walks_with(barriers: usize) -> String {
    let mut lines = String::new();
    let (name, barriers) = scenarios::BARRIERS[barriers];
    for (sink, crashes) in [
        (DeliveryGuarantee::ExactlyOnce, 0),
        (DeliveryGuarantee::ExactlyOnce, 1),
        (DeliveryGuarantee::AtLeastOnce, 1),
    ] {
        let scenario = scenarios::small(sink, 2, 1, crashes);
        let found = walk(scenarios::with_barriers(scenario, barriers));
        let _ = writeln!(
            lines,
            "{name} checkpoints, {sink:?} sink, 2 records, 1 checkpoint, {crashes} crashes: {found}"
        );
    }
    lines
}

/// The lines for other faults than crashes.
pub fn walks_with_faults() -> String {
    let mut lines = String::new();
    for (name, scenario) in scenarios::faulty() {
        let _ = writeln!(lines, "{name}: {}", walk(scenario));
    }
    lines
}

/// What the walk finds in two-phase commit with one crash anywhere, one a line.
pub fn votes_walks() -> String {
    let mut lines = String::new();
    for (cooperative, presumed) in votes::CONFIGURATIONS {
        for second in [Vote::Commit, Vote::Abort] {
            let scenario = votes::small(&[Vote::Commit, second], (cooperative, presumed), 1);
            let model = Votes::new(scenario).expect("the scenario makes sense");
            let found = explorer::walk(&model, 10_000_000, |state, _| !model.is_sound(state));
            let broken = match found.counterexample {
                Some(run) => format!("broken after {} steps", run.len()),
                None => "nothing broken".into(),
            };
            let _ = writeln!(
                lines,
                "two participants, the second votes {second:?}, cooperative termination {cooperative}, presumed \
                 {presumed:?}, 1 crash: distinct {} generated {} depth {} ends {} exhausted {}: {broken}",
                found.distinct, found.generated, found.depth, found.ends, found.exhausted
            );
        }
    }
    lines
}

/// Walks a scenario until something is broken; if something is, then again to the end.
fn walk(scenario: Scenario) -> String {
    let pipeline = Pipeline::new(scenario).expect("the scenario makes sense");
    let first = explorer::walk(&pipeline, 10_000_000, |state, _| pipeline.is_broken(state));
    let to_the_end = first
        .counterexample
        .as_ref()
        .map(|_| explorer::walk(&pipeline, 10_000_000, |_, _| false));
    let all = to_the_end.as_ref().unwrap_or(&first);
    let verdict = match &first.counterexample {
        Some(run) => format!("broken after {} steps", run.len()),
        None if first.exhausted => "nothing lost or doubled".into(),
        None => "not exhausted".into(),
    };
    format!(
        "distinct {} generated {} depth {} ends {} exhausted {}: {verdict}",
        all.distinct, all.generated, all.depth, all.ends, all.exhausted
    )
}
