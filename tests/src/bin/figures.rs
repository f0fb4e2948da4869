//! Native figures of speed and size, one a line: what `cargo xtask bench` prints.

use std::mem::size_of;
use std::time::Instant;

use barrierscope_core::explorer::{self, Settings};
use barrierscope_core::models::pipeline::{Pipeline, State};
use barrierscope_core::scenario::DeliveryGuarantee::{self, AtLeastOnce, ExactlyOnce};
use barrierscope_core::scenario::Story;
use barrierscope_core::search;
use barrierscope_core::session::Session;
use barrierscope_tests::scenarios::{BARRIERS, GRAPHS, long, small, wide, with_barriers};

fn main() {
    // Some of them, by name.
    if std::env::args().nth(1).as_deref() == Some("exhaust") {
        return exhaust();
    }
    #[cfg(not(target_arch = "wasm32"))]
    two_phase();
    for (sink, records, checkpoints, crashes) in [
        (ExactlyOnce, 2, 1, 1),
        (AtLeastOnce, 2, 1, 1),
        (ExactlyOnce, 4, 1, 1),
    ] {
        walk(sink, records, checkpoints, crashes);
    }
    exhaust();
    for steps in [1_000, 20_000, 100_000] {
        run(steps);
    }
    for (vertices, parallelism) in GRAPHS {
        simulate(vertices, parallelism);
    }
}

/// Lamport's two-phase commit with eight resource managers, beside Stateright's breadth-first search, on one thread.
#[cfg(not(target_arch = "wasm32"))]
fn two_phase() {
    use barrierscope_tests::{answers, threads};

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut distinct, mut bytes) = (0, 0);
    for _ in 0..5 {
        let start = Instant::now();
        let found = answers::search("two-phase:8", Settings::default()).expect("it has a name");
        ours.push(start.elapsed().as_secs_f64());
        (distinct, bytes) = (found.progress.distinct, found.progress.most_bytes);
        let start = Instant::now();
        let found = threads::search("two-phase:8", 1, None).expect("it has a name");
        theirs.push(start.elapsed().as_secs_f64());
        assert_eq!(found.distinct, distinct, "both see the same");
    }
    let [ours, theirs] = [ours, theirs].map(|mut seconds| distinct as f64 / median(&mut seconds));
    println!(
        "figure: search, two-phase commit with 8 resource managers: {distinct} distinct; {ours:.0} distinct states a \
         second, {} bytes a state at the peak; Stateright's breadth-first search {theirs:.0}; {:.1} times as fast \
         (medians of 5, one thread, turn about)",
        bytes / distinct,
        ours / theirs
    );
}

fn walk(sink: DeliveryGuarantee, records: u32, checkpoints: u32, crashes: u8) {
    let scenario = small(sink, records, checkpoints, crashes);
    let pipeline = Pipeline::new(scenario).expect("it makes sense");
    let mut seconds = Vec::new();
    let mut report = None;
    for _ in 0..5 {
        let start = Instant::now();
        report = Some(explorer::walk(&pipeline, usize::MAX, |_, _| false));
        seconds.push(start.elapsed().as_secs_f64());
    }
    let Some(report) = report else { return };
    let rate = report.distinct as f64 / median(&mut seconds);
    let bytes = report.bytes / report.distinct;
    println!(
        "figure: walk, {sink:?}, {records} records, {checkpoints} checkpoint, {crashes} crash: \
         {} distinct, {} generated, depth {}; {rate:.0} distinct states a second (median of 5), \
         {bytes} bytes a state at the peak (a state itself takes {})",
        report.distinct,
        report.generated,
        report.depth,
        size_of::<State>(),
    );
}

/// Two sources, two operators, two sinks, four records, two checkpoints, two crashes anywhere: what the page is asked for.
fn exhaust() {
    let ways = BARRIERS.map(|(name, barriers)| (name, barriers, ExactlyOnce));
    let plain = ("aligned, a plain sink", BARRIERS[0].1, AtLeastOnce);
    for (name, barriers, sink) in ways.into_iter().chain([plain]) {
        let story = Story::from(with_barriers(small(sink, 4, 2, 2), barriers)).for_search(2);
        let settings = Settings {
            memory: 4 << 30,
            states: 20_000_000,
            faults: Some(2),
            symmetry: true,
            order: true,
            ..Settings::default()
        };
        let start = Instant::now();
        let mut search = search(story, settings).expect("it makes sense");
        while search.step(1 << 16).status.is_running() {}
        let (progress, seconds) = (search.progress(), start.elapsed().as_secs_f64());
        println!(
            "figure: search, pipeline of 2 × 2 × 2, 4 records, 2 checkpoints, 2 crashes, {name}: {:?}, {} distinct, {} \
             generated, depth {}, in {seconds:.1} s; {:.0} distinct states a second, {} bytes a state at the peak",
            progress.status,
            progress.distinct,
            progress.generated,
            progress.depth,
            progress.distinct as f64 / seconds,
            progress.most_bytes / progress.distinct,
        );
    }
}

fn run(steps: u32) {
    let start = Instant::now();
    let mut run = barrierscope_core::start(long(ExactlyOnce, steps)).expect("it makes sense");
    let recorded = start.elapsed();
    let mut times: Vec<f64> = (0..200).map(|n| jump(&mut *run, n * 7_919)).collect();
    println!(
        "figure: a run of {steps} steps: recorded in {:.1} ms ({:.0} steps a second); \
         200 jumps: median {:.3} ms",
        recorded.as_secs_f64() * 1_000.0,
        f64::from(steps) / recorded.as_secs_f64(),
        median(&mut times) * 1_000.0,
    );
}

fn simulate(vertices: u16, parallelism: u16) {
    let scenario = wide(vertices, parallelism, 20_000);
    let pipeline = Pipeline::new(scenario.clone()).expect("it makes sense");
    let mut seconds = Vec::new();
    let mut measured = None;
    for _ in 0..3 {
        let start = Instant::now();
        measured = Some(barrierscope_core::measure(scenario.clone()).expect("it makes sense"));
        seconds.push(start.elapsed().as_secs_f64());
    }
    let Some(measured) = measured else { return };
    println!(
        "figure: simulation, {} subtasks, {} channels, 20000 records: {} steps, {} events; \
         {:.0} events a second (median of 3), {:.0} steps a second",
        vertices * parallelism,
        pipeline.channels(),
        measured.steps,
        measured.events,
        measured.events as f64 / median(&mut seconds),
        measured.steps as f64 / median(&mut seconds),
    );
}

fn jump(run: &mut dyn Session, to: usize) -> f64 {
    let to = to % (run.last() + 1);
    let start = Instant::now();
    run.go_to(to);
    let _ = std::hint::black_box(run.scene());
    start.elapsed().as_secs_f64()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
