//! Whatever may happen may happen in any order: actions are chosen at random among those that are enabled,
//! faults among them, with no regard to time. In every state nothing is lost; with aligned or unaligned
//! checkpoints no state counts a record too often; with the transactional sink no reader sees one twice.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::Protocol as _;
use barrierscope_core::event::Event;
use barrierscope_core::fingerprint::fingerprint;
use barrierscope_core::id::ActorId;
use barrierscope_core::models::Model as _;
use barrierscope_core::models::pipeline::{Action, Pipeline};
use barrierscope_core::scenario::{CheckpointingMode, DeliveryGuarantee, Scenario};
use barrierscope_tests::random::scenario;

/// Actions of one run at most.
const STEPS: u64 = 1_000;

fn is_fault(action: &Action) -> bool {
    matches!(
        action,
        Action::Crash(_)
            | Action::LoseTaskManager(_)
            | Action::LoseJobManager
            | Action::FailSnapshot(..)
            | Action::Refuse(..)
            | Action::LoseNotification(_)
            | Action::Savepoint(_)
            | Action::Expire(_)
    )
}

/// Walks through a scenario in the order that a seed chooses. How many checkpoints were completed.
fn walk(seed: u64) -> u32 {
    let mut scenario = scenario(seed);
    let state_exact = scenario.checkpointing.mode == CheckpointingMode::ExactlyOnce;
    let exact =
        state_exact && scenario.delivery_guarantee() == Some(DeliveryGuarantee::ExactlyOnce);
    scenario.faults.schedule.clear();
    scenario.savepoints.schedule.clear();
    let pipeline = Pipeline::new(scenario).expect("it makes sense");
    let mut state = pipeline.initial();
    let (mut stopped, mut excused, mut completed) = (false, false, 0);
    let mut actions = Vec::new();
    let mut events: Vec<Event> = Vec::new();
    for step in 0..STEPS {
        let chance = |what: u64| fingerprint(&(seed, step, what));
        actions.clear();
        for actor in 0..pipeline.actors() {
            pipeline.enabled(&state, ActorId(actor as u16), &mut actions);
        }
        // One step in forty may break something; a checkpoint is started one step in eight.
        let faulty = chance(0) % 40 == 0;
        actions.retain(|action| match action {
            Action::Trigger => chance(1) % 8 == 0,
            action => is_fault(action) == faulty,
        });
        let Some(action) = actions.get((chance(2) % actions.len().max(1) as u64) as usize) else {
            continue;
        };
        events.clear();
        assert!(
            pipeline.apply(&mut state, *action, &mut events).is_ok(),
            "seed {seed}, step {step}: {action:?} was enabled"
        );
        for event in &events {
            match event {
                Event::JobStopped { .. } => stopped = true,
                // A savepoint is not recovered from: what was committed because of it comes again.
                Event::JobRestored { .. } => excused |= stopped,
                Event::CheckpointCompleted { .. } => completed += 1,
                _ => {}
            }
        }
        let verdict = pipeline.verdict(&state);
        let place = || format!("seed {seed}, step {step}, {action:?}: {verdict:?}");
        assert_eq!(verdict.lost, 0, "{}", place());
        assert!(!state_exact || verdict.miscounted == 0, "{}", place());
        assert!(!exact || excused || verdict.doubled == 0, "{}", place());
    }
    completed
}

#[test]
fn in_any_order_nothing_is_lost() {
    let completed: u32 = (0..4_000).map(walk).sum();
    assert!(completed > 4_000, "{completed}");
}

#[test]
fn in_flight_data_behind_the_barrier_of_a_checkpoint_that_is_subsumed_is_stored() {
    // An aligned barrier has blocked a channel; the first unaligned barrier of the next checkpoint comes on
    // the other one. What has come to the blocked channel since belongs to that checkpoint.
    let json = include_str!("../scenarios/subsumed-while-blocked.json");
    let scenario = Scenario::from_json(json).expect("it makes sense");
    let measured = barrierscope_core::measure(scenario).expect("it makes sense");
    let verdict = &measured.verdict;
    assert_eq!((verdict.lost, verdict.doubled), (0, 0));
    assert_eq!(verdict.visible, verdict.expected);
}
