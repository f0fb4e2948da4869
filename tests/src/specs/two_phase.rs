//! Lamport's two-phase commit: resource managers prepare or abort by themselves, the transaction manager hears of
//! those that are prepared, and decides. Messages stay for ever.
//!
//! With N resource managers there are 6ᴺ + 4ᴺ + 2ᴺ states; 2 + (N+1)·4ᴺ + N·2ᴺ + 8N·6ᴺ⁻¹ are generated, and the depth is
//! 3N + 2.

use barrierscope_core::explorer::question::Property;

use super::Spec;

/// Two-phase commit with so many resource managers, at most 9.
#[derive(Clone, Copy, Debug)]
pub struct TwoPhase {
    /// How many.
    pub managers: u8,
}

/// A state in one word: four bits for each resource manager, and two for the transaction manager above them.
///
/// Of a resource manager: its state in two bits, whether it has sent `Prepared`, and whether the transaction manager
/// has heard of it. That `Commit` or `Abort` was sent is what the transaction manager has decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State(u64);

const WORKING: u64 = 0;
const PREPARED: u64 = 1;
const COMMITTED: u64 = 2;
const ABORTED: u64 = 3;
const SENT: u64 = 4;
const HEARD: u64 = 8;
const LOCAL: u64 = 15;

/// Where the transaction manager's decision is.
const DECISION: u32 = 36;
/// The bit in which a resource manager has its own.
const EACH: u64 = 0x1_1111_1111;

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Step {
    ManagerCommits,
    ManagerAborts,
    ManagerHears(u8),
    Prepare(u8),
    ChooseToAbort(u8),
    HearCommit(u8),
    HearAbort(u8),
}

impl State {
    fn of(self, manager: u8) -> u64 {
        self.0 >> (4 * manager) & LOCAL
    }

    fn set(&mut self, manager: u8, bits: u64, value: u64) {
        let at = 4 * manager;
        self.0 = self.0 & !(bits << at) | value << at;
    }

    fn decision(self) -> u64 {
        self.0 >> DECISION
    }
}

impl Spec for TwoPhase {
    type State = State;
    type Step = Step;

    const PROPERTY: Property = Property::always("no two managers decide differently");

    fn starts(&self) -> Vec<State> {
        vec![State(0)]
    }

    fn steps(&self, state: &State, into: &mut Vec<Step>) {
        let decision = state.decision();
        if decision == WORKING {
            let all = EACH & ((1 << (4 * self.managers)) - 1);
            if (state.0 / HEARD) & all == all {
                into.push(Step::ManagerCommits);
            }
            into.push(Step::ManagerAborts);
        }
        for manager in 0..self.managers {
            let own = state.of(manager);
            if decision == WORKING && own & SENT != 0 {
                into.push(Step::ManagerHears(manager));
            }
            if own & 3 == WORKING {
                into.push(Step::Prepare(manager));
                into.push(Step::ChooseToAbort(manager));
            }
            match decision {
                COMMITTED => into.push(Step::HearCommit(manager)),
                ABORTED => into.push(Step::HearAbort(manager)),
                _ => {}
            }
        }
    }

    fn take(&self, state: &mut State, step: Step) {
        match step {
            Step::ManagerCommits => state.0 |= COMMITTED << DECISION,
            Step::ManagerAborts => state.0 |= ABORTED << DECISION,
            Step::ManagerHears(manager) => state.set(manager, HEARD, HEARD),
            Step::Prepare(manager) => state.set(manager, 3 | SENT, PREPARED | SENT),
            Step::ChooseToAbort(manager) | Step::HearAbort(manager) => {
                state.set(manager, 3, ABORTED);
            }
            Step::HearCommit(manager) => state.set(manager, 3, COMMITTED),
        }
    }

    fn is_broken(&self, state: &State) -> bool {
        let decided = (state.0 >> 1) & EACH;
        let aborted = decided & state.0;
        aborted != 0 && aborted != decided
    }

    /// Resource managers that are equal, in the order of what they are.
    fn representative(&self, state: &State) -> State {
        let mut own = [0; 9];
        let own = &mut own[..usize::from(self.managers)];
        for (manager, own) in (0..).zip(own.iter_mut()) {
            *own = state.of(manager);
        }
        own.sort_unstable();
        let mut sorted = State(state.decision() << DECISION);
        for (manager, own) in (0..).zip(own.iter()) {
            sorted.set(manager, LOCAL, *own);
        }
        sorted
    }
}
