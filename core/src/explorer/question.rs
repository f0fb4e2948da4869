//! What is asked of every state.

use serde::Serialize;

use crate::protocol::Protocol;

/// What a search asks of a protocol: properties, and which steps are tried at all.
pub trait Question<P: Protocol> {
    /// The properties, at most 32. Their order is their number.
    fn properties(&self) -> &[Property];

    /// Which properties show themselves in this state: those that must always hold and do not, and those that are to
    /// be reached and are.
    fn judge(&mut self, protocol: &P, state: &P::State) -> Shown;

    /// Which properties of ends do not hold in this state, in which nothing is left to happen but faults, or the story
    /// is over. Asked only if there are any.
    fn judge_end(&mut self, _protocol: &P, _state: &P::State) -> Shown {
        Shown::NONE
    }

    /// Whether the search tries this step. By this one says which faults may happen, and to whom.
    fn admits(&self, _protocol: &P, _state: &P::State, _action: P::Action) -> bool {
        true
    }
}

/// Something that is said of a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Property {
    /// Its name: `nothing lost`.
    pub name: &'static str,
    /// Of which states it is said.
    pub kind: Kind,
}

/// Of which states a property is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It holds in every state. Where it does not, the run that leads there is a counterexample.
    Always,
    /// It holds wherever nothing is left to happen: otherwise something is stuck.
    AtEnds,
    /// It holds in some state: something can be reached. The run that leads there is a witness.
    Sometimes,
}

impl Property {
    /// What holds in every state.
    pub const fn always(name: &'static str) -> Self {
        Self {
            name,
            kind: Kind::Always,
        }
    }

    /// What holds wherever nothing is left to happen.
    pub const fn at_ends(name: &'static str) -> Self {
        Self {
            name,
            kind: Kind::AtEnds,
        }
    }

    /// What can be reached.
    pub const fn sometimes(name: &'static str) -> Self {
        Self {
            name,
            kind: Kind::Sometimes,
        }
    }
}

/// A set of properties, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown(u32);

impl Shown {
    /// None of them.
    pub const NONE: Self = Self(0);

    /// With one more, if `shows`. Numbers from 32 on are ignored.
    #[must_use]
    pub const fn with(self, number: u32, shows: bool) -> Self {
        match 1_u32.checked_shl(number) {
            Some(bit) if shows => Self(self.0 | bit),
            _ => self,
        }
    }

    /// Whether a property is among them.
    pub const fn contains(self, number: u32) -> bool {
        match 1_u32.checked_shl(number) {
            Some(bit) => self.0 & bit != 0,
            None => false,
        }
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The question that is none: only to count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl<P: Protocol> Question<P> for Nothing {
    fn properties(&self) -> &[Property] {
        &[]
    }

    fn judge(&mut self, _protocol: &P, _state: &P::State) -> Shown {
        Shown::NONE
    }
}
