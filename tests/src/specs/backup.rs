//! Two-phase commit with three resource managers, of which one may fail, and a backup for a transaction manager that
//! fails after its decision.

use barrierscope_core::explorer::question::Property;

use super::Spec;

/// The specification, with the constants of its published configuration.
#[derive(Clone, Copy, Debug)]
pub struct WithBackup;

/// What a resource manager has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Manager {
    Working,
    Prepared,
    Committed,
    Aborted,
    Failed,
}

/// What is known of the transaction manager's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Decision {
    None,
    Commit,
    Abort,
    /// It has failed.
    Hidden,
}

/// How far a process is that decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum At {
    Start,
    WillSay(Decision),
    HasSaid,
    Done,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    managers: [Manager; 3],
    /// Which of them have come to their end.
    done: [bool; 3],
    decision: Decision,
    manager: At,
    backup: At,
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Step {
    Prepare(usize),
    Commit(usize),
    Abort(usize),
    Fail(usize),
    /// Nothing: another one has failed already.
    DoNotFail(usize),
    End(usize),
    Choose(Decision),
    Say,
    ManagerFails,
    BackupChooses(Decision),
    BackupSays,
    /// Everybody is done.
    Stay,
}

impl State {
    /// In how many ways a decision to commit is possible: for each resource manager, it is prepared, or one of those is
    /// committed that are.
    fn ways_to_commit(&self) -> usize {
        let is = |what| self.managers.iter().filter(move |it| **it == what);
        let committed = is(Manager::Committed).count();
        let ways = |it: &Manager| committed + usize::from(*it == Manager::Prepared);
        self.managers.iter().map(ways).product()
    }

    /// Because of how many a decision to abort is possible: each is a way of its own.
    fn reasons_to_abort(&self) -> usize {
        if self.managers.contains(&Manager::Committed) {
            return 0;
        }
        let gone = |it: &&Manager| matches!(it, Manager::Aborted | Manager::Failed);
        self.managers.iter().filter(gone).count()
    }

    fn choices(&self) -> impl Iterator<Item = Decision> {
        let commits = core::iter::repeat_n(Decision::Commit, self.ways_to_commit());
        commits.chain(core::iter::repeat_n(
            Decision::Abort,
            self.reasons_to_abort(),
        ))
    }
}

impl Spec for WithBackup {
    type State = State;
    type Step = Step;

    const PROPERTY: Property = Property::always("no two managers decide differently");

    fn starts(&self) -> Vec<State> {
        vec![State {
            managers: [Manager::Working; 3],
            done: [false; 3],
            decision: Decision::None,
            manager: At::Start,
            backup: At::Start,
        }]
    }

    fn steps(&self, state: &State, into: &mut Vec<Step>) {
        match state.manager {
            At::Start => into.extend(state.choices().map(Step::Choose)),
            At::WillSay(_) => into.push(Step::Say),
            At::HasSaid => into.push(Step::ManagerFails),
            At::Done => {}
        }
        match state.backup {
            At::Start if state.decision == Decision::Hidden => {
                into.extend(state.choices().map(Step::BackupChooses));
            }
            At::WillSay(_) => into.push(Step::BackupSays),
            _ => {}
        }
        for (at, own) in state.managers.iter().enumerate() {
            if state.done[at] {
                continue;
            }
            if !matches!(own, Manager::Working | Manager::Prepared) {
                into.push(Step::End(at));
                continue;
            }
            if *own == Manager::Working {
                into.push(Step::Prepare(at));
            }
            if state.decision == Decision::Commit {
                into.push(Step::Commit(at));
            }
            // Two reasons, each of which is a way of its own.
            if *own == Manager::Working {
                into.push(Step::Abort(at));
            }
            if state.decision == Decision::Abort {
                into.push(Step::Abort(at));
            }
            into.push(match state.managers.contains(&Manager::Failed) {
                true => Step::DoNotFail(at),
                false => Step::Fail(at),
            });
        }
        if state.done == [true; 3] && state.manager == At::Done && state.backup == At::Done {
            into.push(Step::Stay);
        }
    }

    fn take(&self, state: &mut State, step: Step) {
        match step {
            Step::Prepare(at) => state.managers[at] = Manager::Prepared,
            Step::Commit(at) => state.managers[at] = Manager::Committed,
            Step::Abort(at) => state.managers[at] = Manager::Aborted,
            Step::Fail(at) => state.managers[at] = Manager::Failed,
            Step::End(at) => state.done[at] = true,
            Step::Choose(decision) => state.manager = At::WillSay(decision),
            Step::Say => {
                if let At::WillSay(decision) = state.manager {
                    state.decision = decision;
                }
                state.manager = At::HasSaid;
            }
            Step::ManagerFails => {
                state.decision = Decision::Hidden;
                state.manager = At::Done;
            }
            Step::BackupChooses(decision) => state.backup = At::WillSay(decision),
            Step::BackupSays => {
                if let At::WillSay(decision) = state.backup {
                    state.decision = decision;
                }
                state.backup = At::Done;
            }
            Step::DoNotFail(_) | Step::Stay => {}
        }
    }

    fn is_broken(&self, state: &State) -> bool {
        let all = &state.managers;
        all.contains(&Manager::Committed) && all.contains(&Manager::Aborted)
    }
}
