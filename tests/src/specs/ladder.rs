//! A ladder to exactly once: a record is consumed, produced and its offset committed, by a process that may restart,
//! or by two of them.

use barrierscope_core::explorer::question::Property;

use super::Spec;

/// A rung of the ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    /// How many processes there are; of two, one may be a zombie.
    processes: usize,
    /// Whether the record and its offset are one transaction.
    transaction: bool,
    /// Whether a process may start again, and how often; `u8::MAX`: as often as it likes.
    restarts: u8,
    /// Whether only who has taken the newest token may produce.
    fencing: bool,
}

impl Rung {
    /// The rung of this name.
    pub fn named(name: &str) -> Option<Self> {
        let sequential = Self {
            processes: 1,
            transaction: false,
            restarts: 0,
            fencing: false,
        };
        let crash = Self {
            restarts: u8::MAX,
            ..sequential
        };
        let transaction = Self {
            transaction: true,
            ..crash
        };
        let zombie = Self {
            processes: 2,
            ..transaction
        };
        Some(match name {
            "sequential" => sequential,
            "crash" => crash,
            "transaction" => transaction,
            "zombie" => zombie,
            "fencing" => Self {
                restarts: 1,
                fencing: true,
                ..zombie
            },
            _ => return None,
        })
    }
}

/// How far a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum At {
    AcquireToken,
    Consume,
    Produce,
    Commit,
    Done,
    Fenced,
}

/// A process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Process {
    at: At,
    holds_record: bool,
    token: u8,
    restarts: u8,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    processes: [Process; 2],
    /// How often the record was produced.
    output: u8,
    /// Whether its offset was committed.
    committed: bool,
    /// The newest token.
    token: u8,
}

/// A step of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Step {
    AcquireToken(usize),
    Consume(usize),
    Produce(usize),
    Commit(usize),
    Restart(usize),
    /// It has come to its end.
    Stay(usize),
}

impl Spec for Rung {
    type State = State;
    type Step = Step;

    const PROPERTY: Property = Property::always("no duplicates");

    fn starts(&self) -> Vec<State> {
        let process = Process {
            at: match self.fencing {
                true => At::AcquireToken,
                false => At::Consume,
            },
            holds_record: false,
            token: 0,
            restarts: 0,
        };
        vec![State {
            processes: [process; 2],
            output: 0,
            committed: false,
            token: 0,
        }]
    }

    fn steps(&self, state: &State, into: &mut Vec<Step>) {
        for (number, own) in state.processes[..self.processes].iter().enumerate() {
            match own.at {
                At::AcquireToken => into.push(Step::AcquireToken(number)),
                At::Consume => into.push(Step::Consume(number)),
                At::Produce => into.push(Step::Produce(number)),
                At::Commit => into.push(Step::Commit(number)),
                At::Done | At::Fenced => into.push(Step::Stay(number)),
            }
            let ended = matches!(own.at, At::Done | At::Fenced);
            let may = self.restarts == u8::MAX || own.restarts < self.restarts;
            if !ended && may {
                into.push(Step::Restart(number));
            }
        }
    }

    fn take(&self, state: &mut State, step: Step) {
        match step {
            Step::AcquireToken(number) => {
                state.token += 1;
                state.processes[number].token = state.token;
                state.processes[number].at = At::Consume;
            }
            Step::Consume(number) => {
                let own = &mut state.processes[number];
                own.holds_record = !state.committed;
                own.at = match state.committed {
                    true => At::Done,
                    false => At::Produce,
                };
            }
            Step::Produce(number) => {
                let own = &mut state.processes[number];
                if self.fencing && own.token != state.token {
                    own.at = At::Fenced;
                    return;
                }
                state.output += 1;
                state.committed |= self.transaction;
                own.at = match self.transaction {
                    true => At::Consume,
                    false => At::Commit,
                };
            }
            Step::Commit(number) => {
                state.committed = true;
                state.processes[number].at = At::Consume;
            }
            Step::Restart(number) => {
                let first = self.starts()[0].processes[number].at;
                let own = &mut state.processes[number];
                own.holds_record = false;
                own.at = first;
                if self.restarts != u8::MAX {
                    own.restarts += 1;
                }
            }
            Step::Stay(_) => {}
        }
    }

    fn is_broken(&self, state: &State) -> bool {
        state.output > 1
    }
}
