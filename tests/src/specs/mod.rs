//! Published specifications with known answers, each a small protocol of its own: what the Explorer is tried on.
//!
//! They are written from what the specifications say, and count as TLC counts: every way in which a step can come about
//! is a step generated, also where it changes nothing.
//!
//! | name | source | what it is |
//! | --- | --- | --- |
//! | `two-phase:N` | tlaplus/Examples, `transaction_commit/TwoPhase.tla` | Lamport's two-phase commit with N resource managers |
//! | `tcommit` | the same, `TCommit.tla` | what it implements, with 3 |
//! | `two-phase-with-backup` | the same, `2PCwithBTM.tla` | with a backup of the transaction manager, who may fail |
//! | `acp-sb`, `acp-nb`, `acp-nb-wrong` | the same, `acp/` | atomic commitment with a simple and a reliable broadcast (Babaoğlu, Toueg 1993) |
//! | `alternating-bit` | the same, `SpecifyingSystems/TLC/MCAlternatingBit.tla` | the alternating bit over lossy queues |
//! | `ladder:RUNG` | fqaiser94/tla-exactly-once | from a loop without crashes to a fenced transaction |

pub mod acp;
pub mod alternating_bit;
pub mod backup;
pub mod ladder;
pub mod tcommit;
pub mod two_phase;

use core::fmt::{self, Debug};
use core::hash::Hash;

use barrierscope_core::explorer::question::{Property, Question, Shown};
use barrierscope_core::id::{ActorId, LinkId};
use barrierscope_core::protocol::{Disabled, Link, Observer, Protocol, Taking, Timing};
use barrierscope_core::time::Micros;

/// A specification in which there is no time: only states, and steps between them.
pub trait Spec: Copy + Debug + Send + Sync + 'static {
    /// A state. What can be compared is compared word by word.
    type State: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    /// A step.
    type Step: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;

    /// What must always hold.
    const PROPERTY: Property;

    /// Where a run may start.
    fn starts(&self) -> Vec<Self::State>;
    /// Appends the steps that are possible, in the order of the specification; one that comes about in several ways,
    /// several times.
    fn steps(&self, state: &Self::State, into: &mut Vec<Self::Step>);
    /// Takes a step that is possible.
    fn take(&self, state: &mut Self::State, step: Self::Step);
    /// Whether the property does not hold here.
    fn is_broken(&self, state: &Self::State) -> bool;
    /// The representative of all states that differ in the numbers of equal parts only.
    fn representative(&self, state: &Self::State) -> Self::State {
        state.clone()
    }
}

/// A specification as a protocol: one actor does everything, and nothing takes time.
#[derive(Clone, Debug)]
pub struct Of<S>(pub S);

impl<S: Spec> Protocol for Of<S> {
    type State = S::State;
    type Action = S::Step;

    fn initial(&self) -> S::State {
        self.0.starts().swap_remove(0)
    }

    fn initials(&self) -> Vec<S::State> {
        self.0.starts()
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

    fn enabled(&self, state: &S::State, _actor: ActorId, into: &mut Vec<S::Step>) {
        self.0.steps(state, into);
    }

    fn actor(&self, _action: S::Step) -> ActorId {
        ActorId(0)
    }

    fn takes(&self, _state: &S::State, _action: S::Step) -> Option<Taking> {
        None
    }

    fn timing(&self, _state: &S::State, _action: S::Step) -> Timing {
        Timing::Work(Micros::ZERO)
    }

    fn apply(
        &self,
        state: &mut S::State,
        action: S::Step,
        _observer: &mut impl Observer,
    ) -> Result<(), Disabled> {
        self.0.take(state, action);
        Ok(())
    }

    fn is_done(&self, _state: &S::State) -> bool {
        false
    }

    fn canonical(&self, state: &S::State) -> S::State {
        self.0.representative(state)
    }
}

/// Whether the specification's property always holds.
#[derive(Clone, Copy, Debug)]
pub struct Holds<S: Spec>([Property; 1], core::marker::PhantomData<fn() -> S>);

impl<S: Spec> Default for Holds<S> {
    fn default() -> Self {
        Self([S::PROPERTY], core::marker::PhantomData)
    }
}

impl<S: Spec> Question<Of<S>> for Holds<S> {
    fn properties(&self) -> &[Property] {
        &self.0
    }

    fn judge(&mut self, protocol: &Of<S>, state: &S::State) -> Shown {
        Shown::NONE.with(0, protocol.0.is_broken(state))
    }
}

/// Something that can be done with any specification.
pub trait Use {
    /// What comes out.
    type Out;
    /// Does it.
    fn with<S: Spec>(self, spec: S) -> Self::Out;
}

/// There is no specification of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown(String);

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "there is no specification {:?}; there are {}",
            self.0,
            NAMES.join(", ")
        )
    }
}

impl std::error::Error for Unknown {}

/// Whether it is meant as the name of a specification.
pub fn is_name(name: &str) -> bool {
    let kind = name.split(':').next().unwrap_or_default();
    NAMES
        .iter()
        .any(|known| known.split(':').next() == Some(kind))
}

/// Their names; N is from 1 to 9.
pub const NAMES: [&str; 12] = [
    "two-phase:N (1 to 9)",
    "tcommit",
    "two-phase-with-backup",
    "acp-sb",
    "acp-nb",
    "acp-nb-wrong",
    "alternating-bit",
    "ladder:sequential",
    "ladder:crash",
    "ladder:transaction",
    "ladder:zombie",
    "ladder:fencing",
];

/// Does something with the specification of a name.
///
/// # Errors
/// [`Unknown`] if there is none of this name; it lists those that there are.
pub fn named<U: Use>(name: &str, what: U) -> Result<U::Out, Unknown> {
    let unknown = || Unknown(name.to_owned());
    if let Some(managers) = name.strip_prefix("two-phase:") {
        let managers = managers.parse().ok().filter(|it| (1..=9).contains(it));
        let managers = managers.ok_or_else(unknown)?;
        return Ok(what.with(two_phase::TwoPhase { managers }));
    }
    if let Some(rung) = name.strip_prefix("ladder:") {
        return Ok(what.with(ladder::Rung::named(rung).ok_or_else(unknown)?));
    }
    Ok(match name {
        "tcommit" => what.with(tcommit::TCommit { managers: 3 }),
        "two-phase-with-backup" => what.with(backup::WithBackup),
        "acp-sb" => what.with(acp::Acp::SIMPLE),
        "acp-nb" => what.with(acp::Acp::RELIABLE),
        "acp-nb-wrong" => what.with(acp::Acp::WRONG),
        "alternating-bit" => what.with(alternating_bit::AlternatingBit),
        _ => return Err(unknown()),
    })
}
