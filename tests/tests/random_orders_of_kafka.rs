//! Kafka's clients, brokers and coordinators in any order: actions are chosen at random among those that are
//! enabled, faults among them, with no regard to time. In no state do configurations that promise exactly once
//! show a record twice, or have lost one.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use barrierscope_core::Protocol as _;
use barrierscope_core::event::{Event, KafkaEvent};
use barrierscope_core::fingerprint::fingerprint;
use barrierscope_core::id::ActorId;
use barrierscope_core::kafka::error::ProduceError;
use barrierscope_core::models::Model as _;
use barrierscope_core::models::delivery::{Action, Body, ClientId, Delivery};
use barrierscope_tests::delivery::{Configuration, scenario};

/// Actions of one walk at most.
const STEPS: u64 = 700;
/// Walks for each configuration.
const WALKS: u64 = 1_500;

/// The application whose records are counted: a scenario's producers come first.
const PRODUCER: ClientId = ClientId(0);

/// How often an action is among those to choose from: one time in so many.
fn rarity(action: &Action) -> u64 {
    match action {
        // Nobody could tell what an application has sent before it died.
        Action::Crash(Body::Client(PRODUCER)) | Action::Stop(Body::Client(PRODUCER)) => u64::MAX,
        Action::Crash(_)
        | Action::Stop(_)
        | Action::Pause(_)
        | Action::Lose(..)
        | Action::StepClockBack => 60,
        Action::TimeOut(..)
        | Action::Expire(..)
        | Action::Evict(_)
        | Action::Leave(_)
        | Action::Overdue(_)
        | Action::FallBehind(..) => 25,
        // Somebody has to wait for days before these happen; who is that slow is promised nothing. A broker
        // that loses its disk may be the only one that has a record.
        Action::Forget(..) | Action::ExpireOffsets(_) | Action::LoseLog(_) => u64::MAX,
        _ => 1,
    }
}

/// A batch of which nothing was appended, and the leader does not remember it: it takes the next one, whatever
/// its sequence, refuses the first when it comes again, and the producer repeats both under a new epoch. Kafka
/// has closed this for transactions only (`VerificationStateEntry`).
fn is_refused_for_replicas(event: &Event) -> bool {
    matches!(
        event,
        Event::Kafka(KafkaEvent::Refused {
            error: ProduceError::NotEnoughReplicas,
            ..
        })
    )
}

fn walk(configuration: Configuration, seed: u64) -> (u32, bool) {
    let mut scenario = scenario(configuration, seed);
    scenario.faults.schedule.clear();
    scenario.faults.messages.clear();
    let json = scenario.to_json();
    let delivery = Delivery::new(scenario).expect("it makes sense");
    let mut state = delivery.initial();
    let mut actions = Vec::new();
    let mut events: Vec<Event> = Vec::new();
    let mut trail = String::new();
    let verified = !matches!(
        configuration,
        Configuration::Idempotent
            | Configuration::OffsetWithEffect
            | Configuration::IdempotentEffect
    );
    let mut hole = false;
    for step in 0..STEPS {
        actions.clear();
        for actor in 0..delivery.actors() {
            delivery.enabled(&state, ActorId(actor as u16), &mut actions);
        }
        actions.retain(|action| {
            let rarity = rarity(action);
            rarity == 1 || rarity != u64::MAX && fingerprint(&(seed, step, *action)) % rarity == 0
        });
        let chance = fingerprint(&(seed, step));
        let Some(action) = actions.get((chance % actions.len().max(1) as u64) as usize) else {
            continue;
        };
        events.clear();
        assert!(
            delivery.apply(&mut state, *action, &mut events).is_ok(),
            "{configuration:?} {seed}, step {step}: {action:?} was enabled"
        );
        trail += &format!("{step}: {action:?}\n");
        for event in &events {
            trail += &format!("    {event:?}\n");
        }
        hole |= !verified && events.iter().any(is_refused_for_replicas);
        let verdict = delivery.verdict(&state);
        let accounted =
            verdict.visible + verdict.waiting + verdict.stuck + verdict.failed + verdict.lost;
        assert_eq!(
            verdict.expected, accounted,
            "{configuration:?} {seed}, step {step}"
        );
        assert!(
            verdict.lost == 0 && (hole || verdict.doubled == 0),
            "{configuration:?} {seed}, step {step}: {verdict:?}\n{json}\n{trail}"
        );
    }
    let verdict = delivery.verdict(&state);
    (verdict.visible, verdict.done)
}

#[test]
fn in_any_order_what_promises_exactly_once_keeps_it() {
    for configuration in Configuration::EXACT {
        let walks: Vec<(u32, bool)> = (0..WALKS).map(|seed| walk(configuration, seed)).collect();
        let seen: u32 = walks.iter().map(|(visible, _)| visible).sum();
        let done = walks.iter().filter(|(_, done)| *done).count();
        println!("{configuration:?}: {seen} records seen, {done} of {WALKS} walks at their end");
        assert!(u64::from(seen) > WALKS, "{configuration:?} gets on: {seen}");
    }
}
