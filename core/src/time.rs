//! Virtual time, in whole microseconds. It belongs to the Clock: no protocol state holds one.

use core::fmt;
use core::ops::{Add, Sub};

use serde::{Deserialize, Serialize};

/// A duration in whole milliseconds, as scenarios give it.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Millis(pub u32);

/// A moment of virtual time since the start of the run, or a duration, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micros(pub u64);

impl Micros {
    /// The start of a run; no duration.
    pub const ZERO: Self = Self(0);
}

impl From<Millis> for Micros {
    fn from(millis: Millis) -> Self {
        Self(u64::from(millis.0).saturating_mul(1_000))
    }
}

impl Add for Micros {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Micros {
    type Output = Self;
    /// The time between two moments; zero where `other` is the later one.
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03} s", self.0 / 1_000_000, self.0 / 1_000 % 1_000)
    }
}
