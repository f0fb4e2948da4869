use alloc::vec;
use alloc::vec::Vec;

use super::progress::Status;
use super::question::{Nothing, Property, Question, Shown};
use super::random_walk::{Chance, RandomWalk};
use super::tidy::tidy;
use super::{Explorer, Settings};
use crate::id::{ActorId, LinkId};
use crate::protocol::{Disabled, Link, Observer, Protocol, Taking, Timing};
use crate::time::Micros;

/// A protocol that is nothing but a graph: its steps, each from one state to another, some of them faults.
struct Steps(Vec<(u16, u16, bool)>);

impl Protocol for Steps {
    type State = u16;
    type Action = usize;

    fn initial(&self) -> u16 {
        0
    }
    fn actors(&self) -> usize {
        1
    }
    fn links(&self) -> usize {
        0
    }
    fn link(&self, _link: LinkId) -> Link {
        Link {
            from: ActorId(0),
            to: ActorId(0),
            input: None,
            delay: Micros::ZERO,
        }
    }
    fn enabled(&self, state: &u16, _actor: ActorId, into: &mut Vec<usize>) {
        into.extend((0..self.0.len()).filter(|at| self.0[*at].0 == *state));
    }
    fn actor(&self, _action: usize) -> ActorId {
        ActorId(0)
    }
    fn takes(&self, _state: &u16, _action: usize) -> Option<Taking> {
        None
    }
    fn timing(&self, _state: &u16, action: usize) -> Timing {
        match self.0[action].2 {
            true => Timing::Never,
            false => Timing::Urgent,
        }
    }
    fn apply(
        &self,
        state: &mut u16,
        action: usize,
        _observer: &mut impl Observer,
    ) -> Result<(), Disabled> {
        *state = self.0[action].1;
        Ok(())
    }
    fn is_done(&self, _state: &u16) -> bool {
        false
    }
    /// Odd and even are equal.
    fn canonical(&self, state: &u16) -> u16 {
        state & !1
    }
}

/// States that must not be, ends that must not be, states to be reached.
struct Marked {
    bad: Vec<u16>,
    stuck: Vec<u16>,
    wanted: Vec<u16>,
}

const PROPERTIES: [Property; 3] = [
    Property::always("never bad"),
    Property::at_ends("not stuck"),
    Property::sometimes("wanted"),
];

impl Question<Steps> for Marked {
    fn properties(&self) -> &[Property] {
        &PROPERTIES
    }
    fn judge(&mut self, _protocol: &Steps, state: &u16) -> Shown {
        Shown::NONE
            .with(0, self.bad.contains(state))
            .with(2, self.wanted.contains(state))
    }
    fn judge_end(&mut self, _protocol: &Steps, state: &u16) -> Shown {
        Shown::NONE.with(1, self.stuck.contains(state))
    }
}

/// A chain of so many steps, with a way back from its end.
fn ring(states: u16) -> Steps {
    let step = |at| (at, (at + 1) % states, false);
    Steps((0..states).map(step).collect())
}

/// A binary tree, its leaves included, as far as there are states for it.
fn tree(inner: u16) -> Steps {
    let children = |at| [(at, 2 * at + 1, false), (at, 2 * at + 2, false)];
    Steps((0..inner).flat_map(children).collect())
}

fn search<Q: Question<Steps>>(steps: &Steps, asked: &mut Q, settings: Settings) -> Explorer<Steps> {
    let mut explorer = Explorer::new(steps, asked, settings);
    explorer.finish(steps, asked);
    explorer
}

#[test]
fn it_counts_states_steps_and_depth() {
    let explorer = search(&tree(31), &mut Nothing, Settings::default());
    let progress = explorer.progress();
    assert_eq!(
        (progress.distinct, progress.generated, progress.depth),
        (63, 63, 6)
    );
    assert_eq!((progress.ends, progress.status), (32, Status::Exhausted));
    let ring = search(&ring(5_000), &mut Nothing, Settings::default());
    let progress = ring.progress();
    assert_eq!(
        (progress.distinct, progress.generated, progress.depth),
        (5_000, 5_001, 5_000)
    );
}

#[test]
fn slices_of_any_size_come_to_the_same() {
    let (steps, whole) = (
        tree(2_000),
        search(&tree(2_000), &mut Nothing, Settings::default()),
    );
    for slice in [1, 7, 1_000] {
        let mut explorer = Explorer::new(&steps, &mut Nothing, Settings::default());
        let mut slices = 0;
        while explorer
            .step(&steps, &mut Nothing, slice)
            .status
            .is_running()
        {
            slices += 1;
        }
        assert!(slices >= 1_000 / slice);
        let (found, expected) = (explorer.progress(), whole.progress());
        assert_eq!(found.distinct, expected.distinct);
        assert_eq!(found.generated, expected.generated);
        assert_eq!(found.depth, expected.depth);
    }
}

#[test]
fn the_counterexample_is_a_shortest_one_whatever_is_found_first() {
    // Two ways to 9; and an end that is nearer than the bad state behind the first branch.
    let steps = Steps(vec![
        (0, 1, false),
        (0, 2, false),
        (1, 3, false),
        (2, 4, false),
        (3, 9, false),
        (4, 9, false),
    ]);
    let mut asked = Marked {
        bad: vec![9],
        stuck: vec![],
        wanted: vec![4],
    };
    let explorer = search(&steps, &mut asked, Settings::default());
    let found = explorer.counterexample(&asked).unwrap();
    assert_eq!(found.property, 0);
    let run = explorer.run_to(&steps, found.state).unwrap();
    assert_eq!(run.actions, [0, 2, 4]);
    let reached = explorer.progress().finding(2).unwrap();
    assert_eq!(explorer.run_to(&steps, reached).unwrap().actions, [1, 3]);

    let mut steps = steps;
    steps.0[3] = (2, 2, true);
    asked.bad = vec![3];
    asked.stuck = vec![2];
    let explorer = search(&steps, &mut asked, Settings::default());
    let found = explorer.counterexample(&asked).unwrap();
    assert_eq!(found.property, 1, "a fault is no way out");
    let run = explorer.run_to(&steps, found.state).unwrap();
    assert_eq!(run.actions, [1]);
}

#[test]
fn it_goes_on_for_a_counterexample_of_each() {
    let mut asked = Marked {
        bad: vec![3, 4],
        stuck: vec![61, 62],
        wanted: vec![40],
    };
    let goes_on = Settings {
        goes_on: true,
        ..Settings::default()
    };
    let explorer = search(&tree(31), &mut asked, goes_on);
    let progress = explorer.progress();
    assert!(progress.is_exhausted());
    assert_eq!(progress.findings.len(), 3);
}

#[test]
fn faults_are_limited_besides_what_the_protocol_allows() {
    // A fault at every third state.
    let mut steps = ring(1);
    steps.0 = (0..30).map(|at| (at, at + 1, at % 3 == 2)).collect();
    for (faults, distinct) in [(0, 3), (1, 6), (4, 15)] {
        let settings = Settings {
            faults: Some(faults),
            ..Settings::default()
        };
        let explorer = search(&steps, &mut Nothing, settings);
        assert_eq!(explorer.progress().distinct, distinct);
    }
}

#[test]
fn memory_and_the_number_of_states_are_respected() {
    let steps = ring(60_000);
    let settings = Settings {
        memory: 400_000,
        ..Settings::default()
    };
    let explorer = search(&Steps(steps.0[..20_000].to_vec()), &mut Nothing, settings);
    let progress = explorer.progress();
    assert_eq!(progress.status, Status::Full);
    assert!(progress.most_bytes <= 400_000, "{progress:?}");
    assert!(progress.distinct > 5_000, "{progress:?}");
    let settings = Settings {
        states: 100,
        ..Settings::default()
    };
    let explorer = search(&tree(500), &mut Nothing, settings);
    let progress = explorer.progress();
    assert_eq!((progress.status, progress.distinct), (Status::Limited, 100));
    // Exactly as many as there are is no limit.
    let settings = Settings {
        states: 5,
        ..Settings::default()
    };
    let explorer = search(&ring(5), &mut Nothing, settings);
    assert!(explorer.progress().is_exhausted());
}

#[test]
fn equal_parts_are_seen_once() {
    let settings = Settings {
        symmetry: true,
        ..Settings::default()
    };
    // 0 → 2 and 0 → 3, which are equal, and then on.
    let steps = Steps(vec![
        (0, 3, false),
        (0, 2, false),
        (3, 4, false),
        (2, 5, false),
    ]);
    let explorer = search(&steps, &mut Nothing, settings);
    assert_eq!(explorer.progress().distinct, 3);
    // The run is a real one, though it was found by its fingerprint.
    assert_eq!(explorer.run_to(&steps, 2).unwrap().actions, [0, 2]);
}

#[test]
fn a_cycle_without_a_way_out_is_told() {
    let cycles = Settings {
        cycles: true,
        ..Settings::default()
    };
    // 0 ⇄ 1 has a way out to 2; 3 → 4 → 5 → 3 has none.
    let mut steps = Steps(vec![
        (0, 1, false),
        (1, 0, false),
        (1, 2, false),
        (1, 3, false),
        (3, 4, false),
        (4, 5, false),
        (5, 3, false),
    ]);
    let explorer = search(&steps, &mut Nothing, cycles);
    let trap = explorer.trap(&steps).unwrap();
    assert_eq!(trap.run.actions, [0, 3]);
    assert_eq!(trap.round, [4, 5, 6]);
    steps.0.push((5, 2, false));
    let explorer = search(&steps, &mut Nothing, cycles);
    assert_eq!(explorer.trap(&steps), None);
}

/// Two actors, each of which counts to three by itself: the state is what they have counted to.
struct Counters;

impl Protocol for Counters {
    type State = [u8; 2];
    /// Who counts.
    type Action = u16;

    fn initial(&self) -> [u8; 2] {
        [0; 2]
    }
    fn actors(&self) -> usize {
        2
    }
    fn links(&self) -> usize {
        0
    }
    fn link(&self, _link: LinkId) -> Link {
        Link {
            from: ActorId(0),
            to: ActorId(0),
            input: None,
            delay: Micros::ZERO,
        }
    }
    fn enabled(&self, state: &[u8; 2], actor: ActorId, into: &mut Vec<u16>) {
        into.extend((state[actor.index()] < 3).then_some(actor.0));
    }
    fn actor(&self, action: u16) -> ActorId {
        ActorId(action)
    }
    fn takes(&self, _state: &[u8; 2], _action: u16) -> Option<Taking> {
        None
    }
    fn timing(&self, _state: &[u8; 2], _action: u16) -> Timing {
        Timing::Urgent
    }
    fn apply(
        &self,
        state: &mut [u8; 2],
        action: u16,
        _observer: &mut impl Observer,
    ) -> Result<(), Disabled> {
        state[usize::from(action)] += 1;
        Ok(())
    }
    fn is_done(&self, _state: &[u8; 2]) -> bool {
        false
    }
    /// The first may always count before the second.
    fn stands_alone(&self, _state: &[u8; 2], action: u16) -> bool {
        action == 0
    }
}

#[test]
fn what_one_actor_does_stands_together_and_what_is_not_needed_is_dropped() {
    let both = |state: &[u8; 2]| *state == [3, 3];
    let tidied = tidy(&Counters, &[0; 2], vec![0, 1, 0, 1, 0, 1], both);
    assert_eq!(tidied, [0, 0, 0, 1, 1, 1]);
    let second = |state: &[u8; 2]| state[1] >= 2;
    assert_eq!(
        tidy(&Counters, &[0; 2], vec![0, 1, 0, 1, 1], second),
        [1, 1]
    );
}

#[test]
fn of_orders_that_make_no_difference_one_is_tried() {
    let count = |order| {
        let settings = Settings {
            order,
            ..Settings::default()
        };
        let mut explorer = Explorer::new(&Counters, &mut Nothing, settings);
        explorer.finish(&Counters, &mut Nothing).distinct
    };
    assert_eq!((count(false), count(true)), (16, 7));
}

#[test]
fn random_runs_find_and_never_say_that_something_holds() {
    let chance = Chance {
        seed: 1,
        longest: 100,
        faults: None,
        memory: 1 << 20,
    };
    let mut asked = Marked {
        bad: vec![97],
        stuck: vec![],
        wanted: vec![],
    };
    let steps = tree(63);
    let mut walk = RandomWalk::new(&steps, chance);
    let sample = walk.step(&steps, &mut asked, 100_000).clone();
    assert!(sample.found.is_some());
    let mut at = 0;
    for action in &walk.run().actions {
        steps.apply(&mut at, *action, &mut ()).unwrap();
    }
    assert_eq!(at, 97);
    asked.bad.clear();
    let mut walk = RandomWalk::new(&steps, chance);
    let sample = walk.step(&steps, &mut asked, 20_000).clone();
    assert_eq!((sample.found, sample.distinct), (None, 127));
    assert!(sample.runs > 1_000 && sample.longest == 6, "{sample:?}");
}
