//! Any protocol as a model of Stateright, a model checker that searches on several threads: for what outgrows a page,
//! and to hold the Explorer against somebody else's.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use barrierscope_core::explorer::question::{Kind, Question, Shown};
use barrierscope_core::id::ActorId;
use barrierscope_core::protocol::Protocol;
use stateright::{Checker, Model, Property};

use crate::specs::{Holds, Of, Spec, Unknown, Use, named};

/// A protocol and what is asked of it.
#[derive(Clone, Debug)]
pub struct Checked<P, Q> {
    protocol: Arc<P>,
    question: Q,
    /// How many faults a run may have besides the protocol's own budget.
    faults: Option<u8>,
}

/// A state, and how many faults led to it where they are limited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<S> {
    state: S,
    faults: u8,
}

impl<S: Hash> Hash for Node<S> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
        self.faults.hash(hasher);
    }
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<A> {
    /// Distinct states.
    pub distinct: u64,
    /// Steps taken, and states in which runs start.
    pub generated: u64,
    /// States in the longest run by which one was reached; with one thread a shortest run to it.
    pub depth: u32,
    /// A run that breaks a property; with one thread a shortest one.
    pub counterexample: Option<Vec<A>>,
}

/// Searches the specification of a name on so many threads: what was found, with a counterexample in words.
///
/// # Errors
/// [`Unknown`] if there is none of this name; it lists those that there are.
pub fn search(name: &str, threads: usize, limit: Option<usize>) -> Result<Found<String>, Unknown> {
    struct Search(usize, Option<usize>);
    impl Use for Search {
        type Out = Found<String>;
        fn with<S: Spec>(self, spec: S) -> Found<String> {
            let checked = Checked::new(Arc::new(Of(spec)), Holds::<S>::default(), None);
            let found = checked.search(self.0, self.1);
            let run = found.counterexample;
            Found {
                distinct: found.distinct,
                generated: found.generated,
                depth: found.depth,
                counterexample: run.map(|run| run.iter().map(|it| format!("{it:?}")).collect()),
            }
        }
    }
    named(name, Search(threads, limit))
}

/// The one property: that none of those asked for is broken.
const SOUND: &str = "sound";

impl<P, Q> Checked<P, Q>
where
    P: Protocol + Send + Sync + 'static,
    P::State: Send + Sync + 'static,
    Q: Question<P> + Clone + Send + Sync + 'static,
{
    /// With what is asked of it, and how many faults a run may have besides the protocol's own budget.
    pub fn new(protocol: Arc<P>, question: Q, faults: Option<u8>) -> Self {
        Self {
            protocol,
            question,
            faults,
        }
    }

    /// Searches breadth-first on so many threads, until a property is broken or everything was seen, or so many states
    /// were.
    pub fn search(self, threads: usize, limit: Option<usize>) -> Found<P::Action> {
        let mut builder = self.checker().threads(threads);
        if let Some(limit) = limit {
            builder = builder.target_state_count(limit);
        }
        let checker = builder.spawn_bfs().join();
        let path = checker.discovery(SOUND);
        Found {
            distinct: checker.unique_state_count() as u64,
            generated: checker.state_count() as u64,
            depth: checker.max_depth() as u32,
            counterexample: path.map(|path| path.into_actions()),
        }
    }

    fn enabled(&self, node: &Node<P::State>) -> Vec<P::Action> {
        let mut actions = Vec::new();
        for actor in 0..self.protocol.actors() {
            let actor = ActorId(actor as u16);
            self.protocol.enabled(&node.state, actor, &mut actions);
        }
        actions.retain(|action| {
            let spent = self.faults.is_some_and(|most| node.faults >= most);
            self.question.admits(&self.protocol, &node.state, *action)
                && !(spent && self.protocol.is_fault(&node.state, *action))
        });
        actions
    }

    fn is_sound(&self, node: &Node<P::State>) -> bool {
        let mut question = self.question.clone();
        let properties = question.properties().to_vec();
        let breaks = |shown: Shown, kind| {
            let mut numbered = (0..).zip(&properties);
            numbered.any(|(number, it)| it.kind == kind && shown.contains(number))
        };
        let state = &node.state;
        if breaks(question.judge(&self.protocol, state), Kind::Always) {
            return false;
        }
        if !properties.iter().any(|it| it.kind == Kind::AtEnds) {
            return true;
        }
        let faults = |action: &P::Action| self.protocol.is_fault(state, *action);
        let ends = self.protocol.is_done(state) || self.enabled(node).iter().all(faults);
        !(ends && breaks(question.judge_end(&self.protocol, state), Kind::AtEnds))
    }
}

impl<P, Q> Model for Checked<P, Q>
where
    P: Protocol + Send + Sync + 'static,
    P::State: Send + Sync + 'static,
    Q: Question<P> + Clone + Send + Sync + 'static,
{
    type State = Node<P::State>;
    type Action = P::Action;

    fn init_states(&self) -> Vec<Self::State> {
        let starts = self.protocol.initials().into_iter();
        starts.map(|state| Node { state, faults: 0 }).collect()
    }

    fn actions(&self, node: &Self::State, actions: &mut Vec<P::Action>) {
        let mut tried = Vec::new();
        for action in self.enabled(node) {
            let like = self.protocol.likeness(&node.state, action);
            if like.is_none_or(|like| !tried.contains(&like)) {
                tried.extend(like);
                actions.push(action);
            }
        }
    }

    fn next_state(&self, node: &Self::State, action: P::Action) -> Option<Self::State> {
        let mut next = node.clone();
        if self.faults.is_some() && self.protocol.is_fault(&node.state, action) {
            next.faults = next.faults.saturating_add(1);
        }
        let taken = self.protocol.apply(&mut next.state, action, &mut ());
        self.protocol.forget(&mut next.state);
        taken.is_ok().then_some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always(SOUND, Self::is_sound)]
    }
}
