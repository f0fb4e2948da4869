//! How the rate of a search and its memory grow with the number of states: what `cargo xtask bench growth` prints.

use std::time::Instant;

use barrierscope_core::explorer::Settings;
use barrierscope_core::scenario::{DeliveryGuarantee, Story};
use barrierscope_core::search;
use barrierscope_tests::scenarios::{BARRIERS, small, with_barriers};

/// Where it is told.
const MARKS: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
/// Bytes that ten million states do not need.
const MEMORY: usize = 4_000_000_000;

fn main() {
    // Unaligned checkpoints of two lanes and six records: more states than anybody waits for.
    let scenario = with_barriers(
        small(DeliveryGuarantee::ExactlyOnce, 6, 2, 0),
        BARRIERS[1].1,
    );
    let story = Story::from(scenario).for_search(2);
    let settings = Settings {
        memory: MEMORY,
        faults: Some(2),
        states: MARKS[MARKS.len() - 1],
        ..Settings::default()
    };
    let mut search = search(story, settings).expect("the scenario makes sense");
    let began = Instant::now();
    let mut last = (0, 0.0);
    for mark in MARKS {
        let mut progress = search.progress().clone();
        while progress.status.is_running() && progress.distinct < mark {
            progress = search.step(10_000).clone();
        }
        let seconds = began.elapsed().as_secs_f64();
        println!(
            "figure: growth, {} distinct states: {:.0} a second in all, {:.0} a second since the last mark; {:.1} bytes a \
             state at the peak, {} on the frontier at most, depth {}",
            progress.distinct,
            progress.distinct as f64 / seconds,
            (progress.distinct - last.0) as f64 / (seconds - last.1),
            progress.most_bytes as f64 / progress.distinct as f64,
            progress.widest,
            progress.depth
        );
        last = (progress.distinct, seconds);
        if !progress.status.is_running() {
            break;
        }
    }
}
