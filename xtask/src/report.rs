//! How what happens, and how long it took, is told.

use std::fmt;
use std::time::{Duration, Instant};

/// A duration as a person says it: `0.4 s`, `38 s`, `4 min 05 s`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spoken(pub(crate) Duration);

impl fmt::Display for Spoken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs_f64();
        let text = match seconds {
            ..9.95 => format!("{seconds:.1} s"),
            ..59.5 => format!("{seconds:.0} s"),
            _ => {
                let whole = seconds.round() as u64;
                format!("{} min {:02} s", whole / 60, whole % 60)
            }
        };
        f.pad(&text)
    }
}

/// Says what begins, does it, and says how long it took.
pub(crate) fn timed<T>(what: &str, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    println!("{what}");
    let start = Instant::now();
    let done = work()?;
    println!("  done in {}", Spoken(start.elapsed()));
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_told_to_a_sensible_precision() {
        let spoken = |ms| Spoken(Duration::from_millis(ms)).to_string();
        assert_eq!(spoken(40), "0.0 s");
        assert_eq!(spoken(9_940), "9.9 s");
        assert_eq!(spoken(9_960), "10 s");
        assert_eq!(spoken(59_400), "59 s");
        assert_eq!(spoken(59_700), "1 min 00 s");
        assert_eq!(spoken(245_000), "4 min 05 s");
        assert_eq!(format!("{:>8}", Spoken(Duration::from_secs(3))), "   3.0 s");
    }
}
