//! Virtual time, in whole microseconds. It belongs to the Clock: no protocol state holds one.

use core::fmt;
use core::ops::{Add, Sub};

use serde::{Deserialize, Serialize};

/// A duration in whole milliseconds, as scenarios give it: at most [`LONGEST`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Millis(pub u32);

/// The longest duration that a scenario may give, 24 days: the most that fits into Kafka's type `int`.
pub const LONGEST: Millis = Millis(i32::MAX as u32);

/// A moment of virtual time since the start of the run, or a duration, in microseconds.
///
/// Scenarios write it as a number of milliseconds, with up to three decimals: `5.8`; at most [`LONGEST`].
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

/// Writes a moment or a duration in whole microseconds, where it is no part of a scenario.
///
/// # Errors
/// Those of the serializer.
pub(crate) fn whole<S: serde::Serializer>(
    micros: &Micros,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(micros.0)
}

/// The same for one that there may be.
///
/// # Errors
/// Those of the serializer.
pub(crate) fn whole_if_any<S: serde::Serializer>(
    micros: &Option<Micros>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    micros.map(|micros| micros.0).serialize(serializer)
}

impl<'de> Deserialize<'de> for Micros {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Decimal)
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u32(Whole)
    }
}

/// Reads whole milliseconds.
struct Whole;

impl serde::de::Visitor<'_> for Whole {
    type Value = Millis;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number of milliseconds from 0 to {}", LONGEST.0)
    }

    fn visit_u64<E: serde::de::Error>(self, millis: u64) -> Result<Millis, E> {
        let fitting = u32::try_from(millis).ok().map(Millis);
        fitting
            .filter(|millis| *millis <= LONGEST)
            .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Unsigned(millis), &self))
    }
}

/// Reads milliseconds with decimals.
struct Decimal;

impl serde::de::Visitor<'_> for Decimal {
    type Value = Micros;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a number of milliseconds from 0 to {}, with at most three decimals",
            LONGEST.0
        )
    }

    fn visit_u64<E: serde::de::Error>(self, millis: u64) -> Result<Micros, E> {
        Whole
            .visit_u64(millis)
            .map(Micros::from)
            .map_err(|_: E| E::invalid_value(serde::de::Unexpected::Unsigned(millis), &self))
    }

    fn visit_f64<E: serde::de::Error>(self, millis: f64) -> Result<Micros, E> {
        if !(0.0..=f64::from(LONGEST.0)).contains(&millis) {
            return Err(E::invalid_value(
                serde::de::Unexpected::Float(millis),
                &self,
            ));
        }
        Ok(Micros((millis * 1_000.0 + 0.5) as u64))
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

    #[test]
    fn a_duration_survives_being_written_and_read_at_both_ends() {
        let longest = Micros::from(LONGEST);
        for micros in [
            0,
            1,
            999,
            longest.0 - 1_000,
            longest.0 - 999,
            longest.0 - 1,
            longest.0,
        ] {
            let written = serde_json::to_string(&Micros(micros)).unwrap();
            let read = serde_json::from_str::<Micros>(&written).ok();
            assert_eq!(read, Some(Micros(micros)), "{written}");
        }
        for millis in [Millis(0), Millis(1), LONGEST] {
            let written = serde_json::to_string(&millis).unwrap();
            let read = serde_json::from_str::<Millis>(&written).ok();
            assert_eq!(read, Some(millis), "{written}");
        }
    }

    #[test]
    fn what_is_longer_than_the_longest_duration_is_refused() {
        for long in ["2147483648", "4294967296", "18446744073709551615", "1e300"] {
            assert!(serde_json::from_str::<Millis>(long).is_err(), "{long}");
            assert!(serde_json::from_str::<Micros>(long).is_err(), "{long}");
        }
        assert!(serde_json::from_str::<Micros>("2147483647.001").is_err());
        let told = serde_json::from_str::<Millis>("-1").unwrap_err();
        let told = alloc::format!("{told}");
        let expected = "invalid type: integer `-1`, expected a whole number of milliseconds from 0 to 2147483647";
        assert!(told.starts_with(expected), "{told}");
    }
}
