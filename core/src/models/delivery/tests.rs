use alloc::vec::Vec;

use super::Delivery;
use super::action::{Action, Body, ClientId};
use super::matrix::{self, Cell, Setting};
use super::state::{Standing, State};
use crate::event::{Event, KafkaEvent};
use crate::id::{ActorId, LinkId};
use crate::kafka::log::IsolationLevel;
use crate::kafka::replicated_log::Acks;
use crate::models::Model as _;
use crate::protocol::{Disabled, Protocol as _};
use crate::scenario;
use crate::scenario::delivery::{
    CommitWhen, DEFAULT_DELIVERY, DEFAULT_STREAMS, DeliveryFaults, Part,
};
use crate::scene::kafka::Audience;
use crate::verdict::Guarantee;

const SHOP: ClientId = ClientId(0);

fn story(json: &str) -> scenario::Delivery {
    let mut story = scenario::Delivery::from_json(json).expect("it makes sense");
    story.faults = DeliveryFaults::default();
    story
}

fn model(json: &str) -> Delivery {
    Delivery::new(story(json)).expect("it makes sense")
}

/// Performs the first enabled action that `wanted` names, again and again, until none is left.
fn perform(model: &Delivery, state: &mut State, wanted: impl Fn(&Action) -> bool) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        let mut actions = Vec::new();
        for actor in 0..model.actors() {
            model.enabled(state, ActorId(actor as u16), &mut actions);
        }
        let Some(action) = actions.into_iter().find(|action| wanted(action)) else {
            return events;
        };
        model
            .apply(state, action, &mut events)
            .expect("it is enabled");
    }
}

fn start(model: &Delivery) -> State {
    let mut state = model.initial();
    perform(model, &mut state, |it| matches!(it, Action::Start(_)));
    state
}

#[test]
fn what_is_not_enabled_changes_nothing() {
    for json in [DEFAULT_DELIVERY, DEFAULT_STREAMS] {
        let model = model(json);
        let state = start(&model);
        let impossible = [
            Action::Receive(LinkId(0), 0),
            Action::Receive(LinkId(u32::MAX), u16::MAX),
            Action::Send(ClientId(99)),
            Action::Process(SHOP, 7),
            Action::Start(Body::Client(SHOP)),
            Action::Resume(Body::Broker(0)),
            Action::LoseLog(0),
            Action::Lose(LinkId(3), 9),
        ];
        for action in impossible {
            let mut after = state.clone();
            assert_eq!(model.apply(&mut after, action, &mut ()), Err(Disabled));
            assert!(after == state, "{action:?}");
        }
    }
}

#[test]
fn every_action_that_is_offered_can_be_done_and_told() {
    for json in [DEFAULT_DELIVERY, DEFAULT_STREAMS] {
        let model = model(json);
        let mut simulation = crate::timeline::Simulation::new(&model, &model.pace());
        while simulation.step(&model, &mut ()).is_some() {
            let mut actions = Vec::new();
            for actor in 0..model.actors() {
                model.enabled(&simulation.state, ActorId(actor as u16), &mut actions);
            }
            for action in actions {
                let told = model.choice(&simulation.state, action);
                assert!(told.is_some(), "{action:?}");
                let mut after = simulation.state.clone();
                let done = model.apply(&mut after, action, &mut ());
                assert_eq!(done, Ok(()), "{action:?}");
            }
        }
        assert!(model.is_done(&simulation.state));
    }
}

#[test]
fn what_is_behind_a_lost_request_on_its_connection_is_lost_too() {
    let model = model(DEFAULT_DELIVERY);
    let mut state = start(&model);
    let sends = |it: &Action| matches!(it, Action::Send(_) | Action::Transmit(..));
    perform(&model, &mut state, sends);
    let link = model.link_to(SHOP, 0);
    let before = model.under_way(&state, link);
    assert!(before > 1, "{before} requests are under way");
    model
        .apply(&mut state, Action::Lose(link, 1), &mut ())
        .expect("it is there");
    assert_eq!(model.under_way(&state, link), 1);
    // Only a new connection gets anything through.
    perform(&model, &mut state, sends);
    assert_eq!(model.under_way(&state, link), 1);
    model
        .apply(&mut state, Action::TimeOut(SHOP, 0), &mut ())
        .expect("something is awaited");
    perform(&model, &mut state, sends);
    assert!(model.under_way(&state, link) > 1);
    let places: Vec<u16> = model.takable(&state, link).collect();
    assert_eq!(
        places,
        [0, 1],
        "the straggler, and the first of the new one"
    );
}

#[test]
fn a_broker_that_is_down_takes_nothing_and_says_so() {
    let model = model(DEFAULT_DELIVERY);
    let mut state = start(&model);
    perform(&model, &mut state, |it| {
        matches!(it, Action::Send(_) | Action::Transmit(..))
    });
    let crash = Action::Crash(Body::Broker(0));
    model.apply(&mut state, crash, &mut ()).expect("it runs");
    assert_eq!(model.under_way(&state, model.link_to(SHOP, 0)), 0);
    assert_eq!(Delivery::standing(&state, Body::Broker(0)), Standing::Down);
    let events = perform(&model, &mut state, |it| {
        matches!(it, Action::TimeOut(..) | Action::Elect(..))
    });
    let elected =
        |event: &Event| matches!(event, Event::Kafka(KafkaEvent::Elected { clean: true, .. }));
    assert!(events.iter().any(elected), "{events:?}");
}

#[test]
fn a_changelog_says_how_often_a_record_is_counted() {
    let model = model(DEFAULT_STREAMS);
    for (record, count) in [(0, 0), (3, 1), (9, 4)] {
        let record = crate::id::RecordId(record);
        let change = model.change(record, count);
        assert_eq!(model.changed(change), Some((record, count)));
    }
    assert_eq!(model.audiences().len(), 3, "two readers and a store");
    assert_eq!(
        model.judged(),
        Audience::Reader(IsolationLevel::ReadCommitted)
    );
}

#[test]
fn a_cell_is_what_the_worst_of_its_runs_was() {
    let cell = |acks, retries, idempotence, commit| {
        let setting = Setting {
            acks,
            retries,
            idempotence,
            commit,
        };
        match matrix::compute(setting) {
            Cell::Computed {
                guarantee,
                loss,
                duplicate,
                ..
            } => {
                // The runs that prove it do.
                if let Some(proof) = loss {
                    let (verdict, _) = matrix::run(&proof).expect("it makes sense");
                    assert!(verdict.lost + verdict.failed > 0);
                }
                if let Some(proof) = duplicate {
                    let (verdict, _) = matrix::run(&proof).expect("it makes sense");
                    assert!(verdict.doubled > 0);
                }
                guarantee
            }
            Cell::Refused { reason } => panic!("{reason}"),
        }
    };
    let (before, auto) = (CommitWhen::BeforeProcessing, CommitWhen::Auto);
    let (after, with) = (CommitWhen::AfterProcessing, CommitWhen::Never);
    assert_eq!(cell(Acks::None, true, false, with), Guarantee::AtMostOnce);
    assert_eq!(cell(Acks::All, false, false, with), Guarantee::AtMostOnce);
    assert_eq!(cell(Acks::Leader, true, false, with), Guarantee::None);
    assert_eq!(cell(Acks::All, true, false, with), Guarantee::AtLeastOnce);
    assert_eq!(cell(Acks::All, true, true, before), Guarantee::AtMostOnce);
    assert_eq!(cell(Acks::All, true, true, auto), Guarantee::AtLeastOnce);
    assert_eq!(cell(Acks::All, true, true, after), Guarantee::AtLeastOnce);
    assert_eq!(cell(Acks::All, true, true, with), Guarantee::ExactlyOnce);
    let refused = matrix::settings()
        .into_iter()
        .filter(|setting| matches!(matrix::compute(*setting), Cell::Refused { .. }));
    assert_eq!(
        refused.count(),
        20,
        "idempotence without retries or acks=all"
    );
}

#[test]
fn a_fault_of_messages_counts_what_it_is_about() {
    let mut story = story(DEFAULT_DELIVERY);
    story.faults = scenario::Delivery::from_json(DEFAULT_DELIVERY)
        .expect("it makes sense")
        .faults;
    let fault = story.faults.messages.first().expect("there is one").clone();
    assert_eq!((fault.part, fault.number), (Part::Response, 5));
    let model = Delivery::new(story).expect("it makes sense");
    let mut simulation = crate::timeline::Simulation::new(&model, &model.pace());
    let mut events: Vec<Event> = Vec::new();
    while simulation.step(&model, &mut events).is_some() {}
    let lost = |event: &&Event| matches!(event, Event::Kafka(KafkaEvent::MessageLost { .. }));
    assert_eq!(events.iter().filter(lost).count(), 1);
}
