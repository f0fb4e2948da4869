use alloc::format;
use alloc::vec::Vec;

use super::Votes;
use super::action::Action;
use super::state::State;
use crate::commit::Process;
use crate::commit::message::{Letter, Message};
use crate::commit::options::{Flaw, Presumed};
use crate::commit::properties::Property;
use crate::event::{Event, VotesEvent};
use crate::explorer;
use crate::id::{ActorId, LinkId};
use crate::mark::Ending;
use crate::models::Model as _;
use crate::protocol::{Disabled, Protocol as _};
use crate::scenario;
use crate::scenario::votes::{DEFAULT_VOTES, Member, VOTES_COOPERATIVE, VotesFaults};
use crate::timeline::Simulation;

/// Two participants that vote commit; one crash, and no time-out that comes too early.
fn story() -> scenario::Votes {
    let mut story = scenario::Votes::from_json(DEFAULT_VOTES).expect("it makes sense");
    story.participants = ["a", "b"]
        .map(|name| Member {
            name: name.into(),
            vote: Default::default(),
        })
        .into();
    story.faults = VotesFaults {
        max_crashes: 1,
        max_losses: 0,
        max_duplicates: 0,
        max_early_timeouts: Some(0),
        ..VotesFaults::default()
    };
    story
}

fn model(story: scenario::Votes) -> Votes {
    Votes::new(story).expect("it makes sense")
}

/// The events along a run, and the properties that are broken at its end.
fn replay(votes: &Votes, actions: &[Action]) -> (Vec<Event>, Vec<Property>) {
    let mut state = votes.initial();
    let mut events = Vec::new();
    for action in actions {
        let done = votes.apply(&mut state, *action, &mut events);
        done.expect("it is enabled");
    }
    let broken = |it: &Property| {
        let breach = state.history().breach(*it, votes.options().all());
        breach.is_some()
    };
    (events, Property::ALL.into_iter().filter(broken).collect())
}

#[test]
fn each_rule_that_is_broken_on_purpose_breaks_a_property() {
    let cases = [
        (Flaw::VoteNotForced, Property::Agreement),
        (Flaw::CommitNotForced, Property::Agreement),
        (Flaw::AbortsInDoubt, Property::Agreement),
        (Flaw::CommitsEarly, Property::Validity),
        (Flaw::NeverCommits, Property::NonTriviality),
    ];
    for presumed in [Presumed::Nothing, Presumed::Abort] {
        for (flaw, property) in cases {
            let mut story = story();
            story.protocol.presumed = presumed;
            let mut votes = model(story);
            votes.options.flaw = Some(flaw);
            let all = votes.options().all();
            let found = explorer::walk(&votes, 2_000_000, |state, _| {
                state.history().breach(property, all).is_some()
            });
            let run = found.counterexample;
            let run = run.unwrap_or_else(|| panic!("{flaw:?} breaks nothing"));
            let (events, broken) = replay(&votes, &run);
            assert!(broken.contains(&property), "{flaw:?}: {broken:?}");
            // The step that breaks it says so.
            let said = events.iter().any(|event| {
                matches!(event, Event::Votes(VotesEvent::PropertyBroken { property: it, .. }) if *it == property)
            });
            assert!(said, "{flaw:?}: {events:?}");
        }
    }
}

#[test]
fn without_a_flaw_nothing_breaks_with_one_crash_anywhere() {
    for presumed in [Presumed::Nothing, Presumed::Abort] {
        let mut story = story();
        story.protocol.presumed = presumed;
        let votes = model(story);
        let found = explorer::walk(&votes, 2_000_000, |state, _| !votes.is_sound(state));
        assert!(
            found.exhausted && found.counterexample.is_none(),
            "{found:?}"
        );
    }
}

#[test]
fn what_is_not_enabled_changes_nothing() {
    let votes = model(story());
    let state = votes.initial();
    let letter = Letter {
        to: Process(1),
        message: Message::VoteRequest,
    };
    for action in [
        Action::Force(Process(1)),
        Action::Force(Process(99)),
        Action::Send(Process::COORDINATOR, letter),
        Action::Send(Process(99), letter),
        Action::Receive(LinkId(0), 0),
        Action::Receive(LinkId(u32::MAX), u16::MAX),
        Action::TimeOut(Process::COORDINATOR),
        Action::TimeOut(Process(200)),
        Action::Recover(Process(1)),
        Action::Recover(Process(77)),
        Action::Crash(Process(77)),
        Action::Lose(LinkId(2), 0),
        Action::Duplicate(LinkId(2), 0),
    ] {
        let mut after = state.clone();
        assert_eq!(votes.apply(&mut after, action, &mut ()), Err(Disabled));
        assert!(after == state, "{action:?}");
        let _ = (votes.timing(&state, action), votes.choice(&state, action));
    }
}

#[test]
fn every_action_that_is_offered_can_be_done_and_told() {
    for json in [DEFAULT_VOTES, VOTES_COOPERATIVE] {
        let story = scenario::Votes::from_json(json).expect("it makes sense");
        let votes = model(story);
        let mut simulation = Simulation::new(&votes, &votes.pace());
        while simulation.step(&votes, &mut ()).is_some() {
            let mut actions = Vec::new();
            for actor in 0..votes.actors() {
                votes.enabled(&simulation.state, ActorId(actor as u16), &mut actions);
            }
            let mut told = Vec::new();
            for action in actions {
                let choice = votes.choice(&simulation.state, action);
                assert!(!told.contains(&choice), "{action:?} is told as another one");
                told.push(choice);
                let mut after = simulation.state.clone();
                let mut events: Vec<Event> = Vec::new();
                let done = votes.apply(&mut after, action, &mut events);
                assert_eq!(done, Ok(()), "{action:?}");
                assert!(!events.is_empty(), "{action:?} is silent");
            }
            assert_eq!(
                votes
                    .scene(&simulation.state, &simulation.clock)
                    .nodes
                    .len(),
                4
            );
        }
        assert!(votes.is_done(&simulation.state));
        assert_eq!(votes.ending(&simulation.state), Ending::Done);
    }
}

#[test]
fn a_state_of_three_participants_is_off_the_heap() {
    let votes = model(scenario::Votes::from_json(DEFAULT_VOTES).expect("it makes sense"));
    let mut simulation = Simulation::new(&votes, &votes.pace());
    while simulation.step(&votes, &mut ()).is_some() {
        let state: &State = &simulation.state;
        assert!(!state.participants.spilled() && !state.standing.spilled());
        assert!(!state.wire.spilled() && !state.counted.spilled());
    }
    assert!(core::mem::size_of::<State>() <= 384);
    let told = format!("{:?}", simulation.state);
    assert!(told.contains("Commit"), "{told}");
}
