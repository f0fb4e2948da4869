//! Two-phase commit: whatever breaks, the properties of atomic commitment hold at every step; a participant is
//! blocked exactly when the coordinator is down and it is in doubt, and with cooperative termination only while no
//! running participant knows; and every run ends once everybody is back.
#![cfg(not(target_arch = "wasm32"))]
#![allow(missing_docs)]

use std::collections::HashMap;

use barrierscope_core::Protocol as _;
use barrierscope_core::commit::costs::Costs;
use barrierscope_core::commit::log::Record;
use barrierscope_core::commit::message::Message;
use barrierscope_core::commit::options::Presumed;
use barrierscope_core::commit::participant::ParticipantState;
use barrierscope_core::commit::{Process, Vote};
use barrierscope_core::event::{Event, VotesEvent};
use barrierscope_core::fingerprint::fingerprint;
use barrierscope_core::id::{ActorId, NodeId};
use barrierscope_core::mark::{Ending, MarkKind};
use barrierscope_core::models::votes::{Action, State, Votes};
use barrierscope_core::scenario;
use barrierscope_core::scenario::votes::{
    DEFAULT_VOTES, VOTES_COOPERATIVE, VotesBreakage, VotesFault, When,
};
use barrierscope_core::scene::votes::{PropertyStatus, PropertyView};
use barrierscope_core::scene::{Choice, Facts};
use barrierscope_core::time::{Micros, Millis};
use barrierscope_core::timeline::Simulation;
use barrierscope_tests::votes::{CONFIGURATIONS, calm, claim, is_finished, scenario, small};

/// Schedules for each number of participants, all configurations together.
const SCHEDULES: u64 = 100_000;
/// Walks in random order for each configuration.
const WALKS: u64 = 2_000;

/// What was seen in some runs.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    steps: u64,
    committed: u64,
    /// States in which somebody is blocked.
    blocked: u64,
    /// Runs in which somebody was.
    blocking: u64,
    /// States in which somebody is in doubt with the coordinator down, and not blocked.
    helped: u64,
}

impl Seen {
    fn add(self, other: Self) -> Self {
        Self {
            steps: self.steps + other.steps,
            committed: self.committed + other.committed,
            blocked: self.blocked + other.blocked,
            blocking: self.blocking + other.blocking,
            helped: self.helped + other.helped,
        }
    }
}

fn model(scenario: scenario::Votes) -> Votes {
    Votes::new(scenario).expect("it makes sense")
}

fn participants(votes: &Votes) -> impl Iterator<Item = Process> + use<> {
    (1..=votes.options().participants).map(Process)
}

fn processes(votes: &Votes) -> impl Iterator<Item = Process> + use<> {
    (0..=votes.options().participants).map(Process)
}

/// Holds a state against the properties and the claim; whether somebody is blocked, and whether somebody in doubt is
/// not although the coordinator is down.
fn hold(votes: &Votes, state: &State, told: impl Fn() -> String) -> (bool, bool) {
    assert!(votes.is_sound(state), "{}\n{:?}", told(), state.history());
    let blocked = votes.blocked(state);
    let mut helped = false;
    for process in participants(votes) {
        let claimed = claim(votes, state, process);
        assert_eq!(
            blocked.contains(process),
            claimed,
            "{}: {process:?} in {state:?}",
            told()
        );
        helped |= !claimed
            && !state.is_running(Process::COORDINATOR)
            && state.is_running(process)
            && state
                .participant(process)
                .is_some_and(|own| own.state() == ParticipantState::Ready);
    }
    (!blocked.is_empty(), helped)
}

/// Runs a schedule on the clock to its end.
fn run(scenario: scenario::Votes) -> Seen {
    let told = || scenario.to_json();
    let limit = u64::from(scenario.max_steps);
    let votes = model(scenario.clone());
    let mut simulation = Simulation::new(&votes, &votes.pace());
    let mut seen = Seen::default();
    let mut blocking = false;
    loop {
        if simulation.step(&votes, &mut ()).is_none() {
            // Whoever was stopped for good is brought back once there is nothing else to wait for.
            let back = processes(&votes).find(|it| !simulation.state.is_running(*it));
            let Some(back) = back else {
                break;
            };
            let Simulation { state, clock } = &mut simulation;
            let done = clock.force(&votes, state, Action::Recover(back), &mut ());
            assert!(done.is_ok(), "{}", told());
        }
        let (blocked, helped) = hold(&votes, &simulation.state, told);
        seen.steps += 1;
        seen.blocked += u64::from(blocked);
        seen.helped += u64::from(helped);
        blocking |= blocked;
        assert!(seen.steps < limit, "it does not end\n{}", told());
    }
    let state = &simulation.state;
    assert!(
        votes.is_done(state) && is_finished(state),
        "{}\n{state:?}",
        told()
    );
    seen.blocking = u64::from(blocking);
    seen.committed = u64::from(!state.history().committed().is_empty());
    seen
}

/// All schedules of one number of participants, on two threads.
fn schedules(count: u8) {
    let part = |number: u64| {
        let seeds = (0..SCHEDULES).filter(move |seed| seed / 4 % 2 == number);
        seeds.fold([Seen::default(); 4], |mut seen, seed| {
            let at = (seed % 4) as usize;
            seen[at] = seen[at].add(run(scenario(seed, count, CONFIGURATIONS[at])));
            seen
        })
    };
    let (one, other) = std::thread::scope(|scope| {
        let other = scope.spawn(move || part(1));
        (part(0), other.join().expect("no run has failed"))
    });
    for (at, configuration) in CONFIGURATIONS.into_iter().enumerate() {
        let seen = one[at].add(other[at]);
        println!("{count} participants, {configuration:?}: {seen:?}");
        assert!(seen.committed > 1_000 && seen.blocking > 1_000, "{seen:?}");
    }
}

#[test]
fn three_participants_agree_whatever_breaks() {
    schedules(3);
}

#[test]
fn five_participants_agree_whatever_breaks() {
    schedules(5);
}

#[test]
fn without_faults_all_commit_at_the_cost_that_the_literature_gives() {
    for (cooperative, presumed) in CONFIGURATIONS {
        for n in 1..=9_u32 {
            let mut votes = vec![Vote::Commit; n as usize];
            let costs = |votes: &[Vote]| {
                let mut run = barrierscope_core::start(calm(votes, (cooperative, presumed)))
                    .expect("it makes sense");
                run.go_to(run.last());
                assert_eq!(run.ending(), Ending::Done);
                let all = run.properties();
                assert!(all.iter().all(|it| it.status == PropertyStatus::Holds));
                let decided = run.marks().iter().map(|mark| mark.kind);
                let decided: Vec<_> = decided
                    .filter(|kind| matches!(kind, MarkKind::CommitReached | MarkKind::AbortReached))
                    .collect();
                assert_eq!(decided.len(), n as usize + 1);
                (run.costs(), decided.contains(&MarkKind::CommitReached))
            };
            // START_2PC and END are not forced; presumed abort writes no START_2PC.
            let basic = presumed == Presumed::Nothing;
            let commit = Costs {
                forced: 2 * n + 1,
                lazy: if basic { 2 } else { 1 },
                messages: 4 * n,
            };
            assert_eq!(costs(&votes), (commit, true), "{presumed:?}, {n} commit");
            if let Some(last) = votes.last_mut() {
                *last = Vote::Abort;
            }
            let abort = match presumed {
                Presumed::Nothing => Costs {
                    forced: 2 * n,
                    lazy: 2,
                    messages: 4 * n - 2,
                },
                // GLOBAL_ABORT of the coordinator and of those that had voted commit, and VOTE_ABORT.
                Presumed::Abort => Costs {
                    forced: n - 1,
                    lazy: n + 1,
                    messages: 3 * n - 1,
                },
            };
            assert_eq!(costs(&votes), (abort, false), "{presumed:?}, {n} abort");
        }
    }
}

/// Who is blocked at a step, by name, and who would release them.
fn blocked_at(run: &dyn barrierscope_core::session::Session) -> Vec<(String, Vec<NodeId>)> {
    let nodes = run.scene().nodes.into_iter();
    let blocked = nodes.filter_map(|node| match node.facts {
        Facts::Participant(own) if !own.blocked_by.is_empty() => Some((node.name, own.blocked_by)),
        _ => None,
    });
    blocked.collect()
}

#[test]
fn the_two_stories_differ_in_what_releases_those_in_doubt() {
    let tell = |json: &str| {
        let mut run = barrierscope_core::open(json).expect("it makes sense");
        let mut told = Vec::new();
        let mut most = Vec::new();
        for step in 1..=run.last() {
            run.go_to(step);
            let blocked = blocked_at(&*run);
            if blocked.len() > most.len() {
                most = blocked;
            }
            for event in run.events() {
                match event {
                    Event::Votes(VotesEvent::Blocked { node }) => told.push((node.0, None)),
                    Event::Votes(VotesEvent::Released { node, by }) => {
                        told.push((node.0, Some(by.0)));
                    }
                    _ => {}
                }
            }
        }
        assert_eq!(run.ending(), Ending::Done);
        (told, most)
    };
    // They are in doubt since they have voted, and blocked since the coordinator is down.
    let mut run = barrierscope_core::open(DEFAULT_VOTES).expect("it makes sense");
    run.go_to(run.step_at(Micros(200_000)));
    let since = run
        .scene()
        .nodes
        .into_iter()
        .filter_map(|node| match node.facts {
            Facts::Participant(own) => Some((own.in_doubt_since, own.blocked_since)),
            _ => None,
        });
    let crash = Some(Micros(35_000));
    let expected = [
        (None, None),
        (Some(Micros(17_000)), crash),
        (Some(Micros(18_000)), crash),
    ];
    assert_eq!(since.collect::<Vec<_>>(), expected);
    let (told, most) = tell(DEFAULT_VOTES);
    // Two wait, until the coordinator is back.
    assert_eq!(told, [(2, None), (3, None), (2, Some(0)), (3, Some(0))]);
    let coordinator = vec![NodeId(0)];
    let names = ["stock", "payments"].map(|it| (it.to_string(), coordinator.clone()));
    assert_eq!(most, names);
    // With cooperative termination the one that is told tells them: they never have to wait for a repair.
    let (told, _) = tell(VOTES_COOPERATIVE);
    assert_eq!(told, []);
}

#[test]
fn who_waits_for_a_coordinator_that_stays_away_waits_for_good() {
    let mut idle = [0_u32; 4];
    for seed in 0..4_000_u64 {
        let at = (seed % 4) as usize;
        let mut scenario = scenario(seed, 3, CONFIGURATIONS[at]);
        scenario.faults.schedule = vec![VotesFault {
            when: When::At(Millis((seed % 120) as u32)),
            what: VotesBreakage::Stop("coordinator".into()),
        }];
        let json = scenario.to_json();
        let votes = model(scenario);
        let mut simulation = Simulation::new(&votes, &votes.pace());
        while simulation.step(&votes, &mut ()).is_some() {
            hold(&votes, &simulation.state, || json.clone());
        }
        let state = &simulation.state;
        assert!(votes.is_done(state), "{json}");
        let blocked = votes.blocked(state);
        let undecided = participants(&votes).filter(|it| {
            state
                .participant(*it)
                .is_some_and(|own| own.decision().is_none())
        });
        let undecided: Vec<Process> = undecided.collect();
        assert!(undecided.iter().all(|it| blocked.contains(*it)), "{json}");
        let ended = barrierscope_core::open(&json)
            .expect("it makes sense")
            .ending();
        assert_eq!(ended == Ending::Idle, !undecided.is_empty(), "{json}");
        // With cooperative termination all wait, or nobody: whoever knows tells the others.
        let together = CONFIGURATIONS[at].0;
        assert!(
            !together || undecided.is_empty() || undecided.len() == 3,
            "{json}"
        );
        idle[at] += u32::from(!undecided.is_empty());
    }
    println!("idle: {idle:?} of 1,000 each");
    assert!(idle[0] > idle[2] && idle[1] > idle[3], "{idle:?}");
    assert!(idle[2] > 0, "cooperation does not always help");
}

#[test]
fn a_run_ends_for_a_reason() {
    let ending = |until: Option<u32>, steps: u32| {
        let mut scenario = calm(&[Vote::Commit; 3], CONFIGURATIONS[0]);
        scenario.until_ms = until.map(Millis);
        scenario.max_steps = steps;
        let run = barrierscope_core::start(scenario).expect("it makes sense");
        run.ending()
    };
    assert_eq!(ending(None, 1_000), Ending::Done);
    assert_eq!(ending(Some(30), 1_000), Ending::Limit);
    assert_eq!(ending(None, 10), Ending::Limit);
}

#[test]
fn a_branch_crashes_whom_one_chooses_and_the_old_run_stays() {
    let mut run = barrierscope_core::start(calm(&[Vote::Commit; 2], CONFIGURATIONS[0]))
        .expect("it makes sense");
    for step in 0..run.last() {
        run.go_to(step);
        let faults = run.choices().into_iter().filter(Choice::is_fault);
        for fault in faults.collect::<Vec<_>>() {
            let mut branch = run.branch(fault).expect("it is offered");
            assert_eq!(branch.at(), step + 1);
            branch.go_to(branch.last());
            let broken = |view: &PropertyView| matches!(view.status, PropertyStatus::Broken(_));
            assert!(!branch.properties().iter().any(broken), "{fault:?}");
            assert!(branch.costs().messages > 0 || branch.ending() == Ending::Done);
        }
    }
    run.go_to(run.last());
    assert_eq!(run.ending(), Ending::Done);
}

/// How often an action is among those to choose from: one time in so many.
fn rarity(action: &Action) -> u64 {
    match action {
        Action::Crash(_) | Action::Stop(_) => 40,
        Action::Lose(..) | Action::Duplicate(..) => 25,
        Action::TimeOut(_) => 15,
        Action::Recover(_) => 10,
        _ => 1,
    }
}

fn is_fault(action: &Action) -> bool {
    matches!(
        action,
        Action::Crash(_) | Action::Stop(_) | Action::Lose(..) | Action::Duplicate(..)
    )
}

fn enabled(votes: &Votes, state: &State) -> Vec<Action> {
    let mut actions = Vec::new();
    for actor in 0..votes.actors() {
        votes.enabled(state, ActorId(actor as u16), &mut actions);
    }
    actions
}

#[test]
fn in_any_order_the_properties_hold_and_everybody_decides_in_the_end() {
    for configuration in CONFIGURATIONS {
        let mut seen = Seen::default();
        for seed in 0..WALKS {
            let vote = |at: u64| match fingerprint(&(seed, at, "vote")) % 8 {
                0 => Vote::Abort,
                _ => Vote::Commit,
            };
            let voters: Vec<Vote> = (0..2 + seed % 3).map(vote).collect();
            let votes = model(calm(&voters, configuration));
            let mut state = votes.initial();
            let mut trail = String::new();
            // At first anything may happen; then nothing breaks any more, and everybody is back.
            for step in 0..3_000_u64 {
                let healing = step >= 150;
                if healing && votes.is_done(&state) && is_finished(&state) {
                    break;
                }
                let mut actions = enabled(&votes, &state);
                actions.retain(|action| {
                    let rarity = rarity(action);
                    !(healing && is_fault(action))
                        && fingerprint(&(seed, step, *action)) % rarity == 0
                });
                let chance = fingerprint(&(seed, step));
                let chosen = (chance % actions.len().max(1) as u64) as usize;
                let Some(action) = actions.get(chosen) else {
                    continue;
                };
                let done = votes.apply(&mut state, *action, &mut ());
                assert!(done.is_ok(), "{seed}, step {step}: {action:?} was enabled");
                trail += &format!("{step}: {action:?}\n");
                let told = || format!("{configuration:?} {seed}, step {step}\n{trail}");
                let (blocked, helped) = hold(&votes, &state, told);
                seen.steps += 1;
                seen.blocked += u64::from(blocked);
                seen.helped += u64::from(helped);
            }
            assert!(
                is_finished(&state) && votes.is_done(&state),
                "{configuration:?} {seed} does not end: {state:?}\n{trail}"
            );
            seen.committed += u64::from(!state.history().committed().is_empty());
        }
        println!("{configuration:?} in any order: {seen:?}");
        assert!(seen.committed > WALKS / 20, "{seen:?}");
        assert!(seen.blocked > WALKS, "{seen:?}");
    }
}

/// Every state of a small transaction, and which states each one leads to without a fault and without a recovery.
struct Graph {
    states: Vec<State>,
    before: Vec<Vec<u32>>,
}

fn graph(votes: &Votes) -> Graph {
    let mut known: HashMap<u64, u32> = HashMap::new();
    let mut graph = Graph {
        states: vec![votes.initial()],
        before: vec![Vec::new()],
    };
    known.insert(fingerprint(&graph.states[0]), 0);
    let mut at = 0;
    while at < graph.states.len() {
        let state = graph.states[at].clone();
        for action in enabled(votes, &state) {
            let mut reached = state.clone();
            let done = votes.apply(&mut reached, action, &mut ());
            done.expect("it is enabled");
            let next = *known.entry(fingerprint(&reached)).or_insert_with(|| {
                graph.states.push(reached);
                graph.before.push(Vec::new());
                graph.states.len() as u32 - 1
            });
            if !is_fault(&action) && !matches!(action, Action::Recover(_)) {
                graph.before[next as usize].push(at as u32);
            }
        }
        at += 1;
    }
    graph
}

/// What blocking *means*, held against what the program says: a participant in doubt is blocked if and only if
/// nothing that can happen without a repair and without another fault brings it a decision.
#[test]
fn blocked_is_who_cannot_decide_before_somebody_is_back() {
    let all = CONFIGURATIONS.into_iter();
    for (configuration, early) in all.flat_map(|it| [(it, 0), (it, 1)]) {
        // Each time-out that may come too early makes the graph ten times as large.
        if early == 1 && configuration.1 == Presumed::Nothing {
            continue;
        }
        let mut scenario = small(&[Vote::Commit; 2], configuration, 1);
        scenario.faults.max_early_timeouts = Some(early);
        let votes = model(scenario);
        let graph = graph(&votes);
        let (mut blocked, mut doubts) = (0_u32, 0_u32);
        for process in participants(&votes) {
            let own = |state: &State| state.participant(process).cloned().expect("it is there");
            let mut decides = vec![false; graph.states.len()];
            let mut todo: Vec<u32> = Vec::new();
            for (at, state) in graph.states.iter().enumerate() {
                if own(state).decision().is_some() {
                    decides[at] = true;
                    todo.push(at as u32);
                }
            }
            while let Some(at) = todo.pop() {
                for before in &graph.before[at as usize] {
                    if !std::mem::replace(&mut decides[*before as usize], true) {
                        todo.push(*before);
                    }
                }
            }
            for (state, decides) in graph.states.iter().zip(&decides) {
                let runs = state.is_running(process);
                let voted = own(state).state() == ParticipantState::Ready;
                let knows = own(state).log().contains(Record::GlobalCommit);
                let doubt = runs && voted && !knows;
                let says = votes.blocked(state).contains(process);
                // Whoever is asked to vote might still abort instead; but here no time-out comes too early.
                let asked = votes
                    .messages(state)
                    .any(|it| it.message == Message::VoteRequest);
                let may = configuration.0 && asked;
                assert!(
                    says == (doubt && !decides) || may && !says,
                    "{configuration:?} {process:?}: {state:?}"
                );
                assert_eq!(says, claim(&votes, state, process));
                blocked += u32::from(says);
                doubts += u32::from(doubt);
            }
        }
        println!(
            "{configuration:?}, {early} early: {} states, in doubt in {doubts}, blocked in {blocked}",
            graph.states.len()
        );
        assert!(blocked > 0 && graph.states.len() > 1_000);
    }
}
