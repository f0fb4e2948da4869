//! What a search leaves out makes no difference: the rules by which it does hold in every state of small jobs, and no verdict
//! changes.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use barrierscope_core::Protocol;
use barrierscope_core::explorer::Settings;
use barrierscope_core::explorer::progress::Status;
use barrierscope_core::id::ActorId;
use barrierscope_core::models::pipeline::{Action, Pipeline};
use barrierscope_core::scenario::DeliveryGuarantee::{AtLeastOnce, ExactlyOnce};
use barrierscope_core::scenario::{DeliveryGuarantee, Scenario, Story};
use barrierscope_core::search;
use barrierscope_tests::scenarios::{BARRIERS, Barriers, small, with_barriers};
use barrierscope_tests::votes;

fn for_search(scenario: Scenario, faults: u8) -> Scenario {
    match Story::from(scenario).for_search(faults) {
        Story::Pipeline(scenario) => scenario,
        _ => unreachable!("it is a pipeline"),
    }
}

/// Two sources, one operator, one sink: what comes from two inputs, in as few states as possible.
fn job(sink: DeliveryGuarantee, barriers: Barriers, faults: u8) -> Scenario {
    let mut scenario = with_barriers(small(sink, 2, 1, 0), barriers);
    for vertex in scenario.job.vertices.iter_mut().skip(1) {
        vertex.parallelism = 1;
    }
    for_search(scenario, faults)
}

fn enabled<P: Protocol>(protocol: &P, state: &P::State) -> Vec<P::Action> {
    let mut actions = Vec::new();
    for actor in 0..protocol.actors() {
        protocol.enabled(state, ActorId(actor as u16), &mut actions);
    }
    actions
}

fn after<P: Protocol>(protocol: &P, state: &P::State, action: P::Action) -> Option<P::State> {
    let mut next = state.clone();
    protocol.apply(&mut next, action, &mut ()).ok()?;
    protocol.forget(&mut next);
    Some(next)
}

/// Every state that can be reached.
fn states(protocol: &Pipeline) -> Vec<<Pipeline as Protocol>::State> {
    let mut seen = HashSet::from([protocol.initial()]);
    let mut queue = VecDeque::from([protocol.initial()]);
    while let Some(state) = queue.pop_front() {
        for action in enabled(protocol, &state) {
            let next = after(protocol, &state, action).expect("it is enabled");
            if seen.insert(next.clone()) {
                queue.push_back(next);
            }
        }
    }
    seen.into_iter().collect()
}

#[test]
fn what_stands_alone_commutes_with_everything_else_in_every_state() {
    for (name, barriers) in BARRIERS {
        for sink in [ExactlyOnce, AtLeastOnce] {
            let protocol = Pipeline::new(job(sink, barriers, 1)).unwrap();
            let mut alone = 0;
            for state in states(&protocol) {
                let actions = enabled(&protocol, &state);
                for action in actions
                    .iter()
                    .filter(|it| protocol.stands_alone(&state, **it))
                {
                    alone += 1;
                    let first = after(&protocol, &state, *action).unwrap();
                    for other in actions.iter().filter(|it| *it != action) {
                        if protocol.is_fault(&state, *other) {
                            continue;
                        }
                        let both = after(&protocol, &first, *other);
                        let second = after(&protocol, &state, *other).unwrap();
                        let reversed = after(&protocol, &second, *action);
                        assert!(both.is_some(), "{name}: {action:?} disables {other:?}");
                        assert_eq!(both, reversed, "{name}: {action:?} and {other:?}");
                        // Of acknowledgements the last one completes the checkpoint, whichever that is.
                        assert!(
                            protocol.stands_alone(&second, *action)
                                || matches!(action, Action::Acknowledge(..)),
                            "{name}: {action:?} does not stand alone after {other:?}"
                        );
                    }
                    let broken = protocol.is_broken(&state);
                    assert!(!broken || protocol.is_broken(&first), "{name}: {action:?}");
                }
            }
            assert!(alone > 100, "{name}, {sink:?}: only {alone}");
        }
    }
}

#[test]
fn what_is_alike_leads_to_the_same_state() {
    for (name, barriers) in BARRIERS {
        for sink in [ExactlyOnce, AtLeastOnce] {
            // Two subtasks of each vertex, so that a TaskManager takes one of each along.
            let small = with_barriers(small(sink, 1, 1, 1), barriers);
            for scenario in [job(sink, barriers, 1), for_search(small, 1)] {
                let protocol = Pipeline::new(scenario).unwrap();
                let mut pairs = 0;
                for state in states(&protocol) {
                    let mut known = BTreeMap::new();
                    for action in enabled(&protocol, &state) {
                        let Some(like) = protocol.likeness(&state, action) else {
                            continue;
                        };
                        let next = after(&protocol, &state, action).unwrap();
                        let (first, same) = known.entry(like).or_insert((action, next.clone()));
                        assert_eq!(*same, next, "{name}: {first:?} and {action:?}");
                        pairs += usize::from(*first != action);
                    }
                }
                assert!(pairs > 100, "{name}, {sink:?}: only {pairs}");
            }
        }
    }
}

#[test]
fn what_is_forgotten_allows_the_same_actions_and_is_forgotten_once() {
    for (name, barriers) in BARRIERS {
        let protocol = Pipeline::new(job(ExactlyOnce, barriers, 1)).unwrap();
        for state in states(&protocol) {
            for action in enabled(&protocol, &state) {
                let mut raw = state.clone();
                protocol.apply(&mut raw, action, &mut ()).unwrap();
                let mut forgotten = raw.clone();
                protocol.forget(&mut forgotten);
                assert_eq!(
                    enabled(&protocol, &raw),
                    enabled(&protocol, &forgotten),
                    "{name}"
                );
                assert_eq!(
                    protocol.is_broken(&raw),
                    protocol.is_broken(&forgotten),
                    "{name}"
                );
                // Whatever follows comes to the same.
                for next in enabled(&protocol, &raw) {
                    let one = after(&protocol, &raw, next);
                    assert_eq!(one, after(&protocol, &forgotten, next), "{name}: {next:?}");
                }
            }
        }
    }
}

#[test]
fn a_packed_state_is_the_state() {
    let mut bytes = Vec::new();
    for (name, barriers) in BARRIERS {
        let protocol = Pipeline::new(job(ExactlyOnce, barriers, 1)).unwrap();
        let (mut all, mut count) = (0, 0);
        for state in states(&protocol) {
            assert!(protocol.pack(&state, &mut bytes));
            assert_eq!(protocol.unpack(&bytes).as_ref(), Some(&state), "{name}");
            all += bytes.len();
            count += 1;
        }
        assert!(all / count < 300, "{name}: {} bytes a state", all / count);
    }
}

/// Whether it is broken, after how many steps, and in how many states that was seen.
fn verdict(story: &Story, faults: u8, order: bool) -> (Option<usize>, u64) {
    let settings = Settings {
        faults: Some(faults),
        order,
        ..Settings::default()
    };
    let mut search = search(story.clone(), settings).unwrap();
    while search.step(100_000).status.is_running() {}
    let length = search.counterexample().map(|run| run.steps.len());
    let status = search.progress().status;
    assert!(
        length.is_some() || status == Status::Exhausted,
        "{status:?}"
    );
    (length, search.progress().distinct)
}

#[test]
fn no_order_that_is_left_out_changes_a_verdict_or_the_length_of_what_is_told() {
    for (name, barriers) in BARRIERS {
        for (sink, faults) in [(ExactlyOnce, 1), (ExactlyOnce, 2), (AtLeastOnce, 1)] {
            let story = Story::from(job(sink, barriers, faults));
            let (whole, all) = verdict(&story, faults, false);
            let (reduced, fewer) = verdict(&story, faults, true);
            assert_eq!(whole, reduced, "{name}, {sink:?}, {faults}");
            if whole.is_none() {
                assert!(fewer * 3 < all * 2, "{name}, {sink:?}: {fewer} of {all}");
            }
        }
    }
    // What at-least-once barriers do needs two operators' worth of records.
    let wide = with_barriers(small(ExactlyOnce, 2, 1, 0), BARRIERS[3].1);
    let story = Story::from(for_search(wide, 1));
    assert_eq!(verdict(&story, 1, false).0, verdict(&story, 1, true).0);
}

/// Equal participants: what may follow a state may follow its representative, with other names.
#[test]
fn a_representative_allows_what_its_state_allows() {
    use barrierscope_core::commit::Vote::{Abort, Commit};
    use barrierscope_core::fingerprint::fingerprint;
    use barrierscope_core::models::votes::Votes;
    for (votes_of, halves) in [([Commit, Commit], true), ([Commit, Abort], false)] {
        let protocol = Votes::new(votes::small(&votes_of, votes::CONFIGURATIONS[2], 1)).unwrap();
        let follow = |state: &<Votes as Protocol>::State| {
            let print = |action| {
                let next = after(&protocol, state, action).expect("it is enabled");
                fingerprint(&protocol.canonical(&next))
            };
            enabled(&protocol, state)
                .into_iter()
                .map(print)
                .collect::<BTreeSet<_>>()
        };
        let (mut seen, mut all) = (HashSet::new(), HashSet::new());
        let mut queue = VecDeque::from([protocol.initial()]);
        while let Some(state) = queue.pop_front() {
            let representative = protocol.canonical(&state);
            assert_eq!(protocol.canonical(&representative), representative);
            assert_eq!(follow(&state), follow(&representative));
            assert_eq!(
                protocol.is_sound(&state),
                protocol.is_sound(&representative)
            );
            seen.insert(representative);
            for action in enabled(&protocol, &state) {
                let next = after(&protocol, &state, action).expect("it is enabled");
                if all.insert(next.clone()) {
                    queue.push_back(next);
                }
            }
        }
        assert_eq!(
            seen.len() * 4 < all.len() * 3,
            halves,
            "{} of {}",
            seen.len(),
            all.len()
        );
    }
}

#[test]
fn symmetry_changes_no_verdict() {
    use barrierscope_core::commit::Vote::Commit;
    for configuration in votes::CONFIGURATIONS {
        let story = Story::Votes(votes::small(&[Commit; 2], configuration, 1));
        let [all, fewer] = [false, true].map(|symmetry| {
            let settings = Settings {
                symmetry,
                faults: Some(1),
                ..Settings::default()
            };
            let mut search = search(story.clone(), settings).unwrap();
            while search.step(100_000).status.is_running() {}
            assert!(search.progress().is_exhausted());
            let blocked = search.witness(5).map(|run| run.steps.len());
            (search.progress().distinct, search.progress().depth, blocked)
        });
        assert_eq!((all.1, all.2), (fewer.1, fewer.2));
        assert!(fewer.0 * 4 < all.0 * 3, "{fewer:?} of {all:?}");
    }
}
