use alloc::vec::Vec;

use super::progress::Status;
use super::question::{Property, Question, Shown};
use super::{Explorer, Settings};
use crate::protocol::Protocol;

/// What a walk has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<A> {
    /// Distinct states, the initial one included.
    pub distinct: u64,
    /// Steps taken, the initial state included: what TLC calls states generated.
    pub generated: u64,
    /// States in the longest shortest run, the initial one included: what TLC calls depth.
    pub depth: u32,
    /// States from which nothing can happen.
    pub ends: u64,
    /// The most bytes that were in use.
    pub bytes: u64,
    /// Whether every reachable state was seen.
    pub exhausted: bool,
    /// A shortest run that leads to a state which `broken` names, if there is one.
    pub counterexample: Option<Vec<A>>,
}

/// A question in one word.
struct Broken<F>(F);

impl<P: Protocol, F: FnMut(&P::State, bool) -> bool> Question<P> for Broken<F> {
    fn properties(&self) -> &[Property] {
        const { &[Property::always("not broken")] }
    }

    fn judge(&mut self, _protocol: &P, state: &P::State) -> Shown {
        Shown::NONE.with(0, self.0(state, false))
    }
}

/// Visits every reachable state, or the first `limit` of them; stops at the first that is `broken`: a search in one
/// go, with one question.
pub fn walk<P: Protocol>(
    protocol: &P,
    limit: usize,
    broken: impl FnMut(&P::State, bool) -> bool,
) -> Report<P::Action> {
    let mut question = Broken(broken);
    let settings = Settings {
        memory: usize::MAX,
        states: limit as u64,
        ..Settings::default()
    };
    let mut explorer = Explorer::new(protocol, &mut question, settings);
    let progress = explorer.finish(protocol, &mut question).clone();
    let found = progress.finding(0);
    let run = found.and_then(|state| explorer.run_to(protocol, state));
    Report {
        distinct: progress.distinct,
        generated: progress.generated,
        depth: progress.depth,
        ends: progress.ends,
        bytes: progress.most_bytes,
        exhausted: progress.status == Status::Exhausted,
        counterexample: run.map(|run| run.actions),
    }
}
