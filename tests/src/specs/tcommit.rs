//! Transaction commit: what two-phase commit implements. Resource managers see each other's states.

use barrierscope_core::explorer::question::Property;

use super::Spec;

/// Transaction commit with so many resource managers, at most 8.
#[derive(Clone, Copy, Debug)]
pub struct TCommit {
    /// How many.
    pub managers: usize,
}

/// What a resource manager has come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Manager {
    #[default]
    Working,
    Prepared,
    Committed,
    Aborted,
}

/// A step of a resource manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Step {
    Prepare(usize),
    Commit(usize),
    Abort(usize),
}

impl Spec for TCommit {
    type State = [Manager; 8];
    type Step = Step;

    const PROPERTY: Property = Property::always("no two managers decide differently");

    fn starts(&self) -> Vec<Self::State> {
        vec![Default::default()]
    }

    fn steps(&self, state: &Self::State, into: &mut Vec<Step>) {
        let all = &state[..self.managers];
        let ready = |it: &Manager| matches!(it, Manager::Prepared | Manager::Committed);
        let can_commit = all.iter().all(ready);
        let not_committed = !all.contains(&Manager::Committed);
        for (at, own) in all.iter().enumerate() {
            let undecided = matches!(own, Manager::Working | Manager::Prepared);
            if *own == Manager::Working {
                into.push(Step::Prepare(at));
            }
            if *own == Manager::Prepared && can_commit {
                into.push(Step::Commit(at));
            }
            if undecided && not_committed {
                into.push(Step::Abort(at));
            }
        }
    }

    fn take(&self, state: &mut Self::State, step: Step) {
        match step {
            Step::Prepare(at) => state[at] = Manager::Prepared,
            Step::Commit(at) => state[at] = Manager::Committed,
            Step::Abort(at) => state[at] = Manager::Aborted,
        }
    }

    fn is_broken(&self, state: &Self::State) -> bool {
        state.contains(&Manager::Committed) && state.contains(&Manager::Aborted)
    }
}
