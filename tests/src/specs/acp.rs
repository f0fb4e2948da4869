//! Atomic commitment as Babaoğlu and Toueg have it: with a simple broadcast of the decision, which may break off; with
//! a reliable one, in which everybody forwards the decision before it takes it; and with that rule turned round.

use barrierscope_core::explorer::question::Property;

use super::Spec;

/// A protocol, with the constants of its published configuration.
#[derive(Clone, Copy, Debug)]
pub struct Acp {
    participants: usize,
    broadcast: Broadcast,
}

/// How the decision reaches the participants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Broadcast {
    Simple,
    Reliable,
    /// Taken first, and then forwarded.
    Wrong,
}

impl Acp {
    /// With a simple broadcast (`ACP_SB`).
    pub const SIMPLE: Self = Self {
        participants: 3,
        broadcast: Broadcast::Simple,
    };
    /// With a reliable one (`ACP_NB`).
    pub const RELIABLE: Self = Self {
        participants: 2,
        broadcast: Broadcast::Reliable,
    };
    /// With one that forwards too late (`ACP_NB_WRONG`).
    pub const WRONG: Self = Self {
        participants: 2,
        broadcast: Broadcast::Wrong,
    };
}

/// The most participants there may be.
const MOST: usize = 4;

/// What was decided, or forwarded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Decision {
    #[default]
    NotSent,
    Undecided,
    Commit,
    Abort,
}

/// A participant, and what the coordinator knows of it and has sent to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Participant {
    votes_yes: bool,
    alive: bool,
    decision: Decision,
    vote_sent: bool,
    requested: bool,
    vote_known: bool,
    told: Decision,
    forward: [Decision; MOST],
}

/// A state. Who is not alive is faulty: nobody comes back.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    alive: bool,
    decision: Decision,
    participants: [Participant; MOST],
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Step {
    Die(usize),
    SendVote(usize),
    AbortOnVote(usize),
    AbortOnTimeoutRequest(usize),
    Decide(usize),
    Forward(usize, usize),
    HearForward(usize, usize),
    AbortOnTimeout(usize),
    HearDecision(usize),
    DecideAfterForward(usize),
    CoordinatorDies,
    CoordinatorDecides(Decision),
    Request(usize),
    GetVote(usize),
    DetectFault(usize),
    Broadcast(usize),
}

impl Acp {
    fn all(&self) -> core::ops::Range<usize> {
        0..self.participants
    }

    fn coordinator(&self, state: &State, into: &mut Vec<Step>) {
        if !state.alive {
            return;
        }
        into.push(Step::CoordinatorDies);
        let all = &state.participants[..self.participants];
        let undecided = state.decision == Decision::Undecided;
        if undecided && all.iter().all(|it| it.vote_known) {
            if all.iter().all(|it| it.votes_yes) {
                into.push(Step::CoordinatorDecides(Decision::Commit));
            }
            // Each participant that votes no is a way of its own.
            for _ in all.iter().filter(|it| !it.votes_yes) {
                into.push(Step::CoordinatorDecides(Decision::Abort));
            }
        }
        let requested = all.iter().all(|it| it.requested);
        for (at, own) in all.iter().enumerate() {
            if !own.requested {
                into.push(Step::Request(at));
            }
            if undecided && requested && !own.vote_known {
                if own.vote_sent {
                    into.push(Step::GetVote(at));
                } else if !own.alive {
                    into.push(Step::DetectFault(at));
                }
            }
            if !undecided && own.told == Decision::NotSent {
                into.push(Step::Broadcast(at));
            }
        }
    }

    /// What every kind of participant does.
    fn participant(&self, state: &State, at: usize, into: &mut Vec<Step>) {
        let own = &state.participants[at];
        let undecided = own.decision == Decision::Undecided;
        if own.requested {
            into.push(Step::SendVote(at));
        }
        if undecided && own.vote_sent && !own.votes_yes {
            into.push(Step::AbortOnVote(at));
        }
        if undecided && !state.alive && !own.requested {
            into.push(Step::AbortOnTimeoutRequest(at));
        }
        if self.broadcast != Broadcast::Reliable && undecided && own.told != Decision::NotSent {
            into.push(Step::Decide(at));
        }
    }

    /// What it does for a better broadcast, with another one in mind.
    fn forwarding(&self, state: &State, at: usize, other: usize, into: &mut Vec<Step>) {
        let own = &state.participants[at];
        let heard = state.participants[other].forward[at];
        let wrong = self.broadcast == Broadcast::Wrong;
        let undecided = own.decision == Decision::Undecided;
        if at != other {
            // Wrongly, also that it is undecided is forwarded.
            let has = wrong || own.forward[at] != Decision::NotSent;
            if has && own.forward[other] == Decision::NotSent {
                into.push(Step::Forward(at, other));
            }
            let waits = match wrong {
                true => undecided,
                false => own.forward[at] == Decision::NotSent,
            };
            if waits && heard != Decision::NotSent {
                into.push(Step::HearForward(at, other));
            }
        }
        if undecided && !state.alive && self.nothing_will_come(state) {
            into.push(Step::AbortOnTimeout(at));
        }
        if !wrong {
            if own.forward[at] == Decision::NotSent && own.told != Decision::NotSent {
                into.push(Step::HearDecision(at));
            }
            if self.all().all(|to| own.forward[to] != Decision::NotSent) {
                into.push(Step::DecideAfterForward(at));
            }
        }
    }

    /// Neither the coordinator nor anybody who is dead has sent a decision to somebody who lives.
    fn nothing_will_come(&self, state: &State) -> bool {
        let all = &state.participants[..self.participants];
        let living = || self.all().filter(|at| all[*at].alive);
        living().all(|at| all[at].told == Decision::NotSent)
            && all
                .iter()
                .filter(|it| !it.alive)
                .all(|dead| living().all(|at| dead.forward[at] == Decision::NotSent))
    }

    /// The same state with the participants in another order.
    fn permuted(&self, state: &State, order: &[usize]) -> State {
        let mut permuted = state.clone();
        for (to, from) in order.iter().enumerate() {
            let own = &mut permuted.participants[to];
            *own = state.participants[*from];
            for (at, old) in order.iter().enumerate() {
                own.forward[at] = state.participants[*from].forward[*old];
            }
        }
        permuted
    }
}

impl Spec for Acp {
    type State = State;
    type Step = Step;

    const PROPERTY: Property = Property::always("AC1: all that decide reach the same decision");

    fn starts(&self) -> Vec<State> {
        let votes = 0..1_u8 << self.participants;
        let start = |votes: u8| State {
            alive: true,
            decision: Decision::Undecided,
            participants: core::array::from_fn(|at| Participant {
                votes_yes: votes >> at & 1 != 0,
                alive: true,
                decision: Decision::Undecided,
                vote_sent: false,
                requested: false,
                vote_known: false,
                told: Decision::NotSent,
                forward: [Decision::NotSent; MOST],
            }),
        };
        votes.map(start).collect()
    }

    fn steps(&self, state: &State, into: &mut Vec<Step>) {
        let simple = self.broadcast == Broadcast::Simple;
        for at in self.all() {
            // With the others in mind there are as many ways to each step as there are others.
            let others = if simple { 0..1 } else { self.all() };
            for other in others {
                if !state.participants[at].alive {
                    continue;
                }
                into.push(Step::Die(at));
                self.participant(state, at, into);
                if !simple {
                    self.forwarding(state, at, other, into);
                }
            }
        }
        self.coordinator(state, into);
    }

    fn take(&self, state: &mut State, step: Step) {
        let all = &mut state.participants;
        match step {
            Step::Die(at) => all[at].alive = false,
            Step::SendVote(at) => all[at].vote_sent = true,
            Step::AbortOnVote(at) | Step::AbortOnTimeoutRequest(at) | Step::AbortOnTimeout(at) => {
                all[at].decision = Decision::Abort;
            }
            Step::Decide(at) => all[at].decision = all[at].told,
            Step::Forward(at, to) => {
                all[at].forward[to] = match self.broadcast {
                    Broadcast::Wrong => all[at].decision,
                    _ => all[at].forward[at],
                };
            }
            Step::HearForward(at, from) => match self.broadcast {
                Broadcast::Wrong => all[at].decision = all[from].forward[at],
                _ => all[at].forward[at] = all[from].forward[at],
            },
            Step::HearDecision(at) => all[at].forward[at] = all[at].told,
            Step::DecideAfterForward(at) => all[at].decision = all[at].forward[at],
            Step::CoordinatorDies => state.alive = false,
            Step::CoordinatorDecides(decision) => state.decision = decision,
            Step::Request(at) => all[at].requested = true,
            Step::GetVote(at) => all[at].vote_known = true,
            Step::DetectFault(_) => state.decision = Decision::Abort,
            Step::Broadcast(at) => all[at].told = state.decision,
        }
    }

    fn is_broken(&self, state: &State) -> bool {
        let mut all = state.participants[..self.participants].iter();
        let mut others = all.clone();
        all.any(|it| it.decision == Decision::Commit)
            && others.any(|it| it.decision == Decision::Abort)
    }

    fn representative(&self, state: &State) -> State {
        let orders: &[&[usize]] = match self.participants {
            2 => &[&[0, 1], &[1, 0]],
            _ => &[
                &[0, 1, 2],
                &[0, 2, 1],
                &[1, 0, 2],
                &[1, 2, 0],
                &[2, 0, 1],
                &[2, 1, 0],
            ],
        };
        let mut all = orders.iter().map(|order| self.permuted(state, order));
        let first = all.next().unwrap_or_else(|| state.clone());
        all.fold(first, Ord::min)
    }
}
