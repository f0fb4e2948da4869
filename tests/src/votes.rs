//! Two-phase commit for tests: its configurations, random fault schedules, and the claim about blocking, written
//! against the plain state.

use barrierscope_core::commit::coordinator::CoordinatorState;
use barrierscope_core::commit::log::Record;
use barrierscope_core::commit::message::Message;
use barrierscope_core::commit::options::Presumed;
use barrierscope_core::commit::participant::ParticipantState;
use barrierscope_core::commit::{Process, Vote};
use barrierscope_core::models::votes::{State, Votes};
use barrierscope_core::scenario;
use barrierscope_core::scenario::VERSION;
use barrierscope_core::scenario::votes::{
    COORDINATOR, Deed, Member, Moment, VotesBreakage, VotesCosts, VotesFault, VotesFaults,
    VotesMessageFault, VotesName, VotesProtocol, When,
};
use barrierscope_core::time::{Micros, Millis};

use crate::random::Dice;

/// Whether termination is cooperative, and what is presumed.
pub type Configuration = (bool, Presumed);

/// All configurations of the protocol.
pub const CONFIGURATIONS: [Configuration; 4] = [
    (false, Presumed::Nothing),
    (false, Presumed::Abort),
    (true, Presumed::Nothing),
    (true, Presumed::Abort),
];

/// Participants `p1`, `p2`, … that vote so, and nothing that breaks.
pub fn calm(votes: &[Vote], (cooperative_termination, presumed): Configuration) -> scenario::Votes {
    let members = votes.iter().zip(1..);
    scenario::Votes {
        version: VERSION,
        model: VotesName::Votes,
        name: String::from("votes"),
        seed: 0,
        participants: members
            .map(|(vote, number)| Member {
                name: format!("p{number}"),
                vote: *vote,
            })
            .collect(),
        protocol: VotesProtocol {
            cooperative_termination,
            presumed,
        },
        costs: VotesCosts::default(),
        faults: VotesFaults::default(),
        until_ms: None,
        max_steps: 20_000,
    }
}

/// The same with one crash anywhere, and no time-out that comes too early: small enough to be walked to the end.
pub fn small(votes: &[Vote], configuration: Configuration, crashes: u8) -> scenario::Votes {
    let mut scenario = calm(votes, configuration);
    scenario.faults.max_crashes = crashes;
    scenario.faults.max_losses = 0;
    scenario.faults.max_duplicates = 0;
    scenario.faults.max_early_timeouts = Some(0);
    scenario
}

/// A random fault schedule: crashes of anybody at any time or moment of the protocol, and messages that are lost,
/// late or duplicated. Whoever crashes comes back; whoever is stopped may stay down.
pub fn scenario(seed: u64, participants: u8, configuration: Configuration) -> scenario::Votes {
    let mut dice = Dice::of(seed, "votes");
    let abort = dice.chance(20);
    let votes: Vec<Vote> = (0..participants)
        .map(|_| match abort && dice.chance(30) {
            true => Vote::Abort,
            false => Vote::Commit,
        })
        .collect();
    let mut scenario = calm(&votes, configuration);
    scenario.seed = seed;
    scenario.costs = VotesCosts {
        network_ms: Micros(u64::from(dice.between(1, 20)) * 1_000),
        send_ms: Micros(u64::from(dice.between(0, 3)) * 500),
        force_ms: Micros(u64::from(dice.between(0, 10)) * 1_000),
        flush_ms: Millis(dice.one_of(&[1, 20, 1_000])),
        timeout_ms: Millis(dice.between(15, 150)),
        restart_ms: Millis(dice.between(0, 400)),
        jitter_percent: dice.one_of(&[0, 30, 90]),
    };
    scenario.faults.max_crashes = 20;
    let names: Vec<String> = core::iter::once(COORDINATOR.into())
        .chain(scenario.participants.iter().map(|it| it.name.clone()))
        .collect();
    let crashes = dice.between(0, 3);
    scenario.faults.schedule = (0..crashes).map(|_| crash(&mut dice, &names)).collect();
    for fault in scenario.faults.schedule.clone() {
        if let (VotesBreakage::Stop(name), When::At(at)) = (fault.what, fault.when)
            && dice.chance(50)
        {
            let later = dice.between(1, 500);
            scenario.faults.schedule.push(VotesFault {
                when: When::At(Millis(at.0 + later)),
                what: VotesBreakage::Recover(name),
            });
        }
    }
    let messages = dice.between(0, 4);
    scenario.faults.messages = (0..messages)
        .map(|_| message(&mut dice, &names, configuration.0))
        .collect();
    scenario
}

fn crash(dice: &mut Dice, names: &[String]) -> VotesFault {
    let at = match dice.chance(50) {
        true => 0,
        false => dice.between(0, names.len() as u32 - 1) as usize,
    };
    let name = names[at].clone();
    if dice.chance(50) {
        let when = When::At(Millis(dice.between(0, 250)));
        let what = match dice.chance(30) {
            true => VotesBreakage::Stop(name),
            false => VotesBreakage::Crash(name),
        };
        return VotesFault { when, what };
    }
    let participants = names.len() as u32 - 1;
    let done = match at {
        0 => dice.one_of(&[
            Deed::Sent(Message::VoteRequest),
            Deed::Sent(Message::GlobalCommit),
            Deed::Sent(Message::GlobalCommit),
            Deed::Sent(Message::GlobalAbort),
            Deed::Received(Message::VoteCommit),
            Deed::Received(Message::Ack),
            Deed::Received(Message::DecisionRequest),
            Deed::Written(Record::GlobalCommit),
            Deed::Written(Record::GlobalAbort),
            Deed::Forced(Record::GlobalCommit),
            Deed::Written(Record::End),
        ]),
        _ => dice.one_of(&[
            Deed::Received(Message::VoteRequest),
            Deed::Written(Record::GlobalCommit),
            Deed::Forced(Record::GlobalCommit),
            Deed::Written(Record::GlobalAbort),
            Deed::Written(Record::VoteAbort),
            Deed::Sent(Message::Ack),
            Deed::Sent(Message::DecisionRequest),
            Deed::Received(Message::GlobalCommit),
        ]),
    };
    let most = if at == 0 { participants } else { 2 };
    VotesFault {
        when: When::After(Moment {
            done,
            number: dice.between(1, most) as u16,
            by: None,
        }),
        what: VotesBreakage::Crash(name),
    }
}

fn message(dice: &mut Dice, names: &[String], cooperative: bool) -> VotesMessageFault {
    let at = dice.between(0, names.len() as u32 - 1) as usize;
    let message = match at {
        0 => dice.one_of(&[
            Message::VoteCommit,
            Message::VoteAbort,
            Message::Ack,
            Message::DecisionRequest,
        ]),
        _ => dice.one_of(&[
            Message::VoteRequest,
            Message::GlobalCommit,
            Message::GlobalCommit,
            Message::GlobalAbort,
            match cooperative {
                true => Message::DecisionRequest,
                false => Message::VoteRequest,
            },
        ]),
    };
    let (delay_ms, duplicate) = match dice.between(0, 3) {
        0 | 1 => (None, false),
        2 => (Some(Millis(dice.between(1, 600))), false),
        _ => (None, true),
    };
    VotesMessageFault {
        message,
        to: names[at].clone(),
        from: None,
        number: dice.between(1, 2) as u16,
        count: dice.between(1, 2) as u16,
        delay_ms,
        duplicate,
    }
}

/// Whether a participant is blocked, by the claim of the literature, from the plain state: the coordinator is down; the
/// participant runs, and has voted commit without knowing the decision; the decision is not on its way to it; and,
/// with cooperative termination, every other participant that runs is in doubt too, and the decision is not on
/// its way to it either.
pub fn claim(votes: &Votes, state: &State, process: Process) -> bool {
    let decision = |message| matches!(message, Message::GlobalCommit | Message::GlobalAbort);
    let under_way = |to: Process| {
        votes
            .messages(state)
            .any(|it| it.to == to && decision(it.message))
    };
    let own = |of: Process| &state.participants()[usize::from(of.0) - 1];
    let knows = |of: Process| {
        let decided = [Record::GlobalCommit, Record::GlobalAbort, Record::VoteAbort];
        let written = decided.into_iter().any(|it| own(of).log().contains(it));
        let voted = own(of).log().contains(Record::VoteCommit);
        written || !voted || under_way(of)
    };
    let in_doubt = own(process).state() == ParticipantState::Ready && !knows(process);
    let others = (1..=votes.options().participants).map(Process);
    let helped = votes.options().cooperative_termination
        && others
            .filter(|other| *other != process && state.is_running(*other))
            .any(knows);
    !state.is_running(Process::COORDINATOR) && state.is_running(process) && in_doubt && !helped
}

/// Whether everybody has decided, and nobody waits.
pub fn is_finished(state: &State) -> bool {
    let coordinator = state.coordinator().state();
    state
        .participants()
        .iter()
        .all(|it| it.decision().is_some())
        && matches!(coordinator, CoordinatorState::End | CoordinatorState::Init)
}
