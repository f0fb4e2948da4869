//! The state machines as tables: what is there, what comes, and what it leads to.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::coordinator::Coordinator;
use super::log::{Log, Record};
use super::message::{Letter, Message, Outbox};
use super::options::{Options, Presumed};
use super::participant::{Participant, Seat};
use super::properties::{
    Breach, History, Knowledge, Property, Standpoint, Status, blocked, releasers,
};
use super::{Decision, Process, Processes, Vote};

const A: Process = Process::participant(0);
const B: Process = Process::participant(1);
const C: Process = Process::COORDINATOR;

/// What happens to a process.
#[derive(Clone, Copy)]
enum Input {
    Begin,
    Get(Message, Process),
    Force,
    /// Everything in the outbox is sent.
    Send,
    TimeOut,
    Crash,
    Recover,
}
use Input::{Begin, Crash, Force, Get, Recover, Send, TimeOut};

fn options(presumed: Presumed) -> Options {
    Options {
        presumed,
        ..Options::new(2)
    }
}

/// `READY VOTE_COMMIT*| VOTE_COMMIT>0`: the state; the log, what is on disk before the bar, a star for what is
/// waited for; the outbox.
fn told(state: impl core::fmt::Debug, log: &Log, forcing: bool, outbox: &Outbox) -> String {
    let mut text = format!("{state:?}").to_uppercase();
    for (at, record) in log.records().iter().enumerate() {
        text += if at == log.forced() { " |" } else { " " };
        text += record.name();
    }
    if forcing {
        text += "*";
    }
    for letter in outbox.letters() {
        text += &format!(" {}>{}", letter.message, letter.to.0);
    }
    text
}

fn coordinator(options: &Options, inputs: &[Input]) -> String {
    let mut own = Coordinator::default();
    for input in inputs {
        match *input {
            Begin => drop(own.begin(options)),
            Get(message, from) => drop(own.receive(from, message, options)),
            Force => drop(own.force(options)),
            Send => {
                for letter in own.outbox().letters().to_vec() {
                    assert!(own.sent(letter, options));
                }
            }
            TimeOut => drop(own.time_out(options)),
            Crash => drop(own.crash()),
            Recover => own.recover(options),
        }
    }
    told(own.state(), own.log(), own.is_forcing(), own.outbox())
}

fn participant(vote: Vote, options: &Options, inputs: &[Input]) -> String {
    let seat = Seat { process: A, vote };
    let mut own = Participant::default();
    for input in inputs {
        match *input {
            Begin => unreachable!("a participant begins nothing"),
            Get(message, from) => drop(own.receive(from, message, &seat, options)),
            Force => drop(own.force()),
            Send => {
                for letter in own.outbox().letters().to_vec() {
                    assert!(own.sent(letter));
                }
            }
            TimeOut => drop(own.time_out(&seat, options)),
            Crash => drop(own.crash()),
            Recover => own.recover(&seat, options),
        }
    }
    told(own.state(), own.log(), own.is_forcing(), own.outbox())
}

fn hold(cases: &[(&[Input], &str)], run: impl Fn(&[Input]) -> String) {
    let wrong: Vec<String> = cases
        .iter()
        .enumerate()
        .filter_map(|(at, (inputs, expected))| {
            let found = run(inputs);
            (found != *expected).then(|| format!("{at}: expected {expected}\n   found    {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

use Message::{
    Ack, DecisionRequest, GlobalAbort, GlobalCommit, VoteAbort, VoteCommit, VoteRequest,
};

/// Both have voted commit.
const ALL_VOTE: [Input; 4] = [Begin, Send, Get(VoteCommit, A), Get(VoteCommit, B)];

fn after<const N: usize>(before: &[Input], inputs: [Input; N]) -> Vec<Input> {
    [before, &inputs[..]].concat()
}

#[test]
fn the_coordinator_of_the_basic_protocol() {
    let all = |inputs: &[Input]| {
        after(&ALL_VOTE, [])
            .into_iter()
            .chain(inputs.iter().copied())
            .collect::<Vec<_>>()
    };
    let cases: [(Vec<Input>, &str); 21] = [
        (Vec::from([]), "INIT"),
        (
            Vec::from([Begin]),
            "WAIT |START_2PC VOTE_REQUEST>1 VOTE_REQUEST>2",
        ),
        (
            Vec::from([Begin, Begin]),
            "WAIT |START_2PC VOTE_REQUEST>1 VOTE_REQUEST>2",
        ),
        (
            Vec::from([Begin, Send, Get(VoteCommit, A)]),
            "WAIT |START_2PC",
        ),
        // A vote that comes twice counts once.
        (
            Vec::from([Begin, Send, Get(VoteCommit, A), Get(VoteCommit, A)]),
            "WAIT |START_2PC",
        ),
        // The decision is on disk before anybody is told: what is in the outbox waits for the force.
        (
            all(&[]),
            "WAIT |START_2PC GLOBAL_COMMIT* GLOBAL_COMMIT>1 GLOBAL_COMMIT>2",
        ),
        (
            all(&[Force]),
            "COMMIT START_2PC GLOBAL_COMMIT GLOBAL_COMMIT>1 GLOBAL_COMMIT>2",
        ),
        (
            all(&[Force, Send, Get(Ack, A)]),
            "COMMIT START_2PC GLOBAL_COMMIT",
        ),
        (
            all(&[Force, Send, Get(Ack, A), TimeOut]),
            "COMMIT START_2PC GLOBAL_COMMIT GLOBAL_COMMIT>2",
        ),
        (
            all(&[Force, Send, Get(Ack, A), Get(Ack, B)]),
            "END START_2PC GLOBAL_COMMIT |END",
        ),
        (
            all(&[
                Force,
                Send,
                Get(Ack, A),
                Get(Ack, B),
                Get(DecisionRequest, B),
            ]),
            "END START_2PC GLOBAL_COMMIT |END GLOBAL_COMMIT>2",
        ),
        // Who has voted abort is not told.
        (
            Vec::from([Begin, Send, Get(VoteAbort, A)]),
            "WAIT |START_2PC GLOBAL_ABORT* GLOBAL_ABORT>2",
        ),
        (
            Vec::from([Begin, Send, Get(VoteAbort, A), Force, Send, Get(Ack, B)]),
            "END START_2PC GLOBAL_ABORT |END",
        ),
        (
            Vec::from([Begin, Send, TimeOut]),
            "WAIT |START_2PC GLOBAL_ABORT* GLOBAL_ABORT>1 GLOBAL_ABORT>2",
        ),
        // Who asks while votes are missing gets no answer.
        (
            Vec::from([Begin, Send, Get(DecisionRequest, A)]),
            "WAIT |START_2PC",
        ),
        // What was not forced is gone; without a record it knows nothing, and aborts when it is asked.
        (Vec::from([Begin, Send, Crash, Recover]), "INIT"),
        (
            Vec::from([Begin, Send, Crash, Recover, Get(VoteCommit, A)]),
            "INIT",
        ),
        (
            Vec::from([Begin, Send, Crash, Recover, Get(DecisionRequest, A)]),
            "INIT |GLOBAL_ABORT* GLOBAL_ABORT>1 GLOBAL_ABORT>2",
        ),
        // Begun and not decided: it aborts.
        (
            Vec::from([Begin, Force, Crash, Recover]),
            "INIT START_2PC |GLOBAL_ABORT* GLOBAL_ABORT>1 GLOBAL_ABORT>2",
        ),
        (
            all(&[Force, Crash, Recover]),
            "COMMIT START_2PC GLOBAL_COMMIT GLOBAL_COMMIT>1 GLOBAL_COMMIT>2",
        ),
        (
            all(&[Force, Send, Get(Ack, A), Get(Ack, B), Force, Crash, Recover]),
            "END START_2PC GLOBAL_COMMIT END",
        ),
    ];
    let cases: Vec<(&[Input], &str)> = cases.iter().map(|(it, told)| (&it[..], *told)).collect();
    hold(&cases, |inputs| {
        coordinator(&options(Presumed::Nothing), inputs)
    });
}

#[test]
fn the_coordinator_that_presumes_abort() {
    let commit = after(&ALL_VOTE, [Force]);
    let acknowledged = after(&commit, [Send, Get(Ack, A), Get(Ack, B)]);
    let cases: [(&[Input], &str); 8] = [
        (&[Begin], "WAIT VOTE_REQUEST>1 VOTE_REQUEST>2"),
        (
            &commit,
            "COMMIT GLOBAL_COMMIT GLOBAL_COMMIT>1 GLOBAL_COMMIT>2",
        ),
        (&acknowledged, "END GLOBAL_COMMIT |END"),
        // Nothing is forced, and nobody acknowledges.
        (
            &[Begin, Send, Get(VoteAbort, A)],
            "ABORT |GLOBAL_ABORT GLOBAL_ABORT>2",
        ),
        (&[Begin, Send, Get(VoteAbort, A), Send], "END |GLOBAL_ABORT"),
        (
            &[Begin, Send, Get(VoteAbort, A), Send, Crash, Recover],
            "INIT",
        ),
        (
            &[Begin, Send, Get(VoteAbort, A), Force, Crash, Recover],
            "END GLOBAL_ABORT",
        ),
        // Nothing is known, so that it is aborted.
        (&[Get(DecisionRequest, B)], "INIT GLOBAL_ABORT>2"),
    ];
    hold(&cases, |inputs| {
        coordinator(&options(Presumed::Abort), inputs)
    });
}

#[test]
fn a_participant_of_the_basic_protocol() {
    let asked = Get(VoteRequest, C);
    let ready = [asked, Force, Send];
    let commit = after(&ready, [Get(GlobalCommit, C)]);
    let commit_told_by_another = after(&ready, [Get(GlobalCommit, B)]);
    let committed = after(&commit, [Force, Send]);
    let cases: [(&[Input], &str); 17] = [
        (&[asked], "INIT |VOTE_COMMIT* VOTE_COMMIT>0"),
        (&[asked, Force], "READY VOTE_COMMIT VOTE_COMMIT>0"),
        (&ready, "READY VOTE_COMMIT"),
        // The same once more.
        (
            &[asked, Force, Send, asked],
            "READY VOTE_COMMIT VOTE_COMMIT>0",
        ),
        // In doubt it may only ask.
        (
            &[asked, Force, Send, TimeOut],
            "READY VOTE_COMMIT DECISION_REQUEST>0",
        ),
        (&commit, "READY VOTE_COMMIT |GLOBAL_COMMIT* ACK>0"),
        (&commit_told_by_another, "READY VOTE_COMMIT |GLOBAL_COMMIT*"),
        (&committed, "COMMIT VOTE_COMMIT GLOBAL_COMMIT"),
        (
            &after(&committed, [Get(GlobalCommit, C)]),
            "COMMIT VOTE_COMMIT GLOBAL_COMMIT ACK>0",
        ),
        // Before it has voted it may abort by itself, and then votes abort.
        (&[TimeOut, Force], "ABORT VOTE_ABORT"),
        (&[TimeOut, Force, asked], "ABORT VOTE_ABORT VOTE_ABORT>0"),
        (&[Get(GlobalAbort, C), Force], "ABORT GLOBAL_ABORT ACK>0"),
        // A vote that was not forced was not cast.
        (&[asked, Crash, Recover], "INIT |VOTE_ABORT*"),
        (
            &[asked, Force, Crash, Recover],
            "READY VOTE_COMMIT DECISION_REQUEST>0",
        ),
        (
            &after(&commit, [Crash, Recover]),
            "READY VOTE_COMMIT DECISION_REQUEST>0",
        ),
        (
            &after(&committed, [Crash, Recover]),
            "COMMIT VOTE_COMMIT GLOBAL_COMMIT",
        ),
        // Another participant asks: who has not voted aborts, who is in doubt does not know.
        (
            &[Get(DecisionRequest, B)],
            "INIT |VOTE_ABORT* GLOBAL_ABORT>2",
        ),
    ];
    let basic = options(Presumed::Nothing);
    hold(&cases, |inputs| participant(Vote::Commit, &basic, inputs));
    let cooperative = Options {
        cooperative_termination: true,
        ..basic
    };
    let cases: [(&[Input], &str); 3] = [
        (
            &[asked, Force, Send, TimeOut],
            "READY VOTE_COMMIT DECISION_REQUEST>0 DECISION_REQUEST>2",
        ),
        (
            &[asked, Force, Send, Get(DecisionRequest, B)],
            "READY VOTE_COMMIT",
        ),
        (
            &after(&committed, [Get(DecisionRequest, B)]),
            "COMMIT VOTE_COMMIT GLOBAL_COMMIT GLOBAL_COMMIT>2",
        ),
    ];
    hold(&cases, |inputs| {
        participant(Vote::Commit, &cooperative, inputs)
    });
    let cases: [(&[Input], &str); 2] = [
        (&[asked], "INIT |VOTE_ABORT* VOTE_ABORT>0"),
        (&[asked, Force, Crash, Recover], "ABORT VOTE_ABORT"),
    ];
    hold(&cases, |inputs| participant(Vote::Abort, &basic, inputs));
}

#[test]
fn a_participant_where_abort_is_presumed() {
    let asked = Get(VoteRequest, C);
    let presumed = options(Presumed::Abort);
    let cases: [(&[Input], &str); 5] = [
        (
            &[asked, Force, Send, Get(GlobalAbort, C)],
            "ABORT VOTE_COMMIT |GLOBAL_ABORT",
        ),
        (
            &[asked, Force, Send, Get(GlobalAbort, C), Crash, Recover],
            "READY VOTE_COMMIT DECISION_REQUEST>0",
        ),
        (
            &[asked, Force, Send, Get(GlobalAbort, C), Get(GlobalAbort, C)],
            "ABORT VOTE_COMMIT |GLOBAL_ABORT",
        ),
        (&[TimeOut], "ABORT |VOTE_ABORT"),
        (
            &[asked, Force, Send, Get(GlobalCommit, C), Force],
            "COMMIT VOTE_COMMIT GLOBAL_COMMIT ACK>0",
        ),
    ];
    hold(&cases, |inputs| {
        participant(Vote::Commit, &presumed, inputs)
    });
    let cases: [(&[Input], &str); 1] = [(&[asked], "ABORT |VOTE_ABORT VOTE_ABORT>0")];
    hold(&cases, |inputs| participant(Vote::Abort, &presumed, inputs));
}

#[test]
fn nothing_comes_to_who_waits_for_the_disk() {
    let options = options(Presumed::Nothing);
    let seat = Seat {
        process: A,
        vote: Vote::Commit,
    };
    let mut own = Participant::default();
    assert!(own.receive(C, VoteRequest, &seat, &options));
    let before = own.clone();
    assert!(!own.receive(C, GlobalAbort, &seat, &options));
    assert!(!own.time_out(&seat, &options));
    assert!(own == before);
    let strange = Letter {
        to: B,
        message: Ack,
    };
    assert!(!own.sent(strange));
}

#[test]
fn a_log_keeps_what_is_forced() {
    let mut log = Log::default();
    log.write(Record::VoteCommit);
    assert_eq!((log.force(), log.is_forced()), (1, true));
    log.write(Record::GlobalCommit);
    assert_eq!(log.decision(), Some(Decision::Commit));
    assert!(log.contains(Record::GlobalCommit) && !log.has_forced(Record::GlobalCommit));
    assert_eq!(log.crash(), 1);
    assert_eq!(
        (log.records(), log.decision()),
        (&[Record::VoteCommit][..], None)
    );
}

#[test]
fn who_is_in_doubt_is_blocked_while_nobody_that_runs_knows() {
    let at = |running, knowledge, told| Standpoint {
        running,
        knowledge,
        told,
    };
    let doubt = at(true, Knowledge::InDoubt, false);
    let told = at(true, Knowledge::InDoubt, true);
    let voting = at(true, Knowledge::Voting, false);
    let free = at(true, Knowledge::Free, false);
    let knows = at(true, Knowledge::Knows(Decision::Commit), false);
    let down = |it: Standpoint| Standpoint {
        running: false,
        ..it
    };
    // Two participants with the coordinator down: who is blocked, without and with cooperative termination, and
    // whose recovery releases them in the latter case.
    type Case = (
        Standpoint,
        Standpoint,
        &'static [u8],
        &'static [u8],
        &'static [u8],
    );
    let cases: [Case; 9] = [
        (doubt, doubt, &[1, 2], &[1, 2], &[0]),
        (doubt, knows, &[1], &[], &[0]),
        (doubt, free, &[1], &[], &[0]),
        (doubt, voting, &[1], &[1], &[0]),
        (doubt, told, &[1], &[], &[0]),
        (doubt, down(doubt), &[1], &[1], &[0]),
        (doubt, down(knows), &[1], &[1], &[0, 2]),
        (doubt, down(free), &[1], &[1], &[0, 2]),
        (knows, free, &[], &[], &[0]),
    ];
    let set = |numbers: &[u8]| numbers.iter().map(|it| Process(*it)).collect::<Processes>();
    for (one, other, alone, together, by) in cases {
        let both = [one, other];
        assert_eq!(blocked(false, false, &both), set(alone), "{both:?}");
        assert_eq!(blocked(false, true, &both), set(together), "{both:?}");
        assert_eq!(blocked(true, false, &both), Processes::NONE, "{both:?}");
        assert_eq!(releasers(true, &both), set(by), "{both:?}");
        assert_eq!(releasers(false, &both), set(&[0]), "{both:?}");
    }
}

#[test]
fn the_properties_are_judged_from_everything_that_ever_was() {
    let all = Processes::participants(2);
    let options = options(Presumed::Nothing);
    let run = |inputs: &[Input]| {
        let seat = Seat {
            process: A,
            vote: Vote::Commit,
        };
        let mut own = Participant::default();
        for input in inputs {
            match *input {
                Get(message, from) => drop(own.receive(from, message, &seat, &options)),
                Force => drop(own.force()),
                TimeOut => drop(own.time_out(&seat, &options)),
                _ => {}
            }
        }
        own
    };
    let ready = run(&[Get(VoteRequest, C), Force]);
    let committed = run(&[Get(VoteRequest, C), Force, Get(GlobalCommit, C), Force]);
    let aborted = run(&[Get(VoteRequest, C), Force, Get(GlobalAbort, C), Force]);
    let refused = run(&[TimeOut, Force]);
    let history = |notes: &[(Process, &Participant)], failed: bool| {
        let mut history = History::default();
        for (process, participant) in notes {
            history.note_participant(*process, participant);
        }
        if failed {
            history.note_failure();
        }
        history
    };
    let broken = |history: &History| -> Vec<Property> {
        let broken = |it: &Property| history.breach(*it, all).is_some();
        let found: Vec<_> = Property::ALL.into_iter().filter(broken).collect();
        assert_eq!(history.is_sound(all), found.is_empty());
        found
    };
    let both_ready = [(A, &ready), (B, &ready)];
    assert_eq!(broken(&history(&both_ready, false)), []);
    let fine = [(A, &ready), (B, &ready), (A, &committed), (B, &committed)];
    assert_eq!(broken(&history(&fine, false)), []);
    let holds = Property::ALL.map(|it| history(&fine, false).status(it, all));
    assert_eq!(holds, [Status::Holds; 5]);
    let one = [(A, &ready), (B, &ready), (A, &committed)];
    assert_eq!(
        history(&one, false).status(Property::Termination, all),
        Status::NotYet([B].into_iter().collect())
    );
    let disagree = [(A, &ready), (B, &ready), (A, &committed), (B, &aborted)];
    assert_eq!(broken(&history(&disagree, true)), [Property::Agreement]);
    assert_eq!(
        history(&disagree, true).breach(Property::Agreement, all),
        Some(Breach::Disagree {
            committed: A,
            aborted: B
        })
    );
    let reversed = [(A, &committed), (A, &aborted), (A, &ready), (B, &ready)];
    assert_eq!(broken(&history(&reversed, true)), [Property::Stability]);
    let early = [(A, &ready), (A, &committed)];
    assert_eq!(broken(&history(&early, false)), [Property::Validity]);
    let for_nothing = [(A, &ready), (B, &ready), (A, &aborted)];
    let both = [Property::Validity, Property::NonTriviality];
    assert_eq!(broken(&history(&for_nothing, false)), both);
    assert_eq!(broken(&history(&for_nothing, true)), []);
    assert_eq!(broken(&history(&[(A, &refused)], false)), []);
}
