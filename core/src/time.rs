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
///
/// Scenarios write it as a number of milliseconds, with up to three decimals: `5.8`.
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

impl Serialize for Micros {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_multiple_of(1_000) {
            serializer.serialize_u64(self.0 / 1_000)
        } else {
            serializer.serialize_f64(self.0 as f64 / 1_000.0)
        }
    }
}

impl<'de> Deserialize<'de> for Micros {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Decimal)
    }
}

/// Reads milliseconds with decimals.
struct Decimal;

impl serde::de::Visitor<'_> for Decimal {
    type Value = Micros;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of milliseconds, 0 or more, with at most three decimals")
    }

    fn visit_u64<E: serde::de::Error>(self, millis: u64) -> Result<Micros, E> {
        Ok(Micros(millis.saturating_mul(1_000)))
    }

    fn visit_f64<E: serde::de::Error>(self, millis: f64) -> Result<Micros, E> {
        let micros = millis * 1_000.0;
        if !(0.0..=1.0e15).contains(&micros) {
            return Err(E::invalid_value(
                serde::de::Unexpected::Float(millis),
                &self,
            ));
        }
        Ok(Micros((micros + 0.5) as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_milliseconds_with_decimals() {
        let read = serde_json::from_str::<Micros>;
        assert_eq!(read("5.8").unwrap(), Micros(5_800));
        assert_eq!(read("5").unwrap(), Micros(5_000));
        assert!(read("-1").is_err());
        assert!(read("-0.5").is_err());
        assert!(read("\"5\"").is_err());
        let write = |micros| serde_json::to_string(&Micros(micros)).unwrap();
        assert_eq!((write(5_800), write(5_000)), ("5.8".into(), "5".into()));
    }
}
