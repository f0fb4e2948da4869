//! Numbers and times as people read them.

use barrierscope_core::time::Micros;

/// A number with its thousands set apart.
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A moment or a duration, in seconds to the millisecond.
pub fn seconds(moment: Micros) -> String {
    moment.to_string()
}

/// A duration in the unit that suits it: `0.4 ms`, `182 ms`, `3.49 s`.
pub fn duration(duration: Micros) -> String {
    match duration.0 {
        0 => "0 ms".to_owned(),
        micros @ ..10_000 if !micros.is_multiple_of(1_000) => three(micros, 1_000, "ms"),
        micros @ ..1_000_000 => format!("{} ms", (micros + 500) / 1_000),
        micros => three(micros, 1_000_000, "s"),
    }
}

/// A number of bytes in the unit that suits it: `800 B`, `2.1 kB`, `1.25 MB`.
pub fn bytes(count: u64) -> String {
    match count {
        ..1_000 => format!("{count} B"),
        1_000..1_000_000 => three(count, 1_000, "kB"),
        1_000_000..1_000_000_000 => three(count, 1_000_000, "MB"),
        _ => three(count, 1_000_000_000, "GB"),
    }
}

/// A quantity in some unit, with three digits as far as they say something.
fn three(count: u64, unit: u64, name: &str) -> String {
    let decimals = match count / unit {
        100.. => 0,
        10.. => 1,
        _ => 2,
    };
    let scale = 10_u64.pow(decimals);
    let scaled =
        ((u128::from(count) * u128::from(scale) + u128::from(unit) / 2) / u128::from(unit)) as u64;
    let (whole, rest) = (number(scaled / scale), scaled % scale);
    let rest = format!("{rest:0width$}", width = decimals as usize);
    match rest.trim_end_matches('0') {
        "" => format!("{whole} {name}"),
        digits => format!("{whole}.{digits} {name}"),
    }
}

/// A speed: `0.25×`.
pub fn speed(factor: f64) -> String {
    let hundredths = (factor * 100.0).round() as u64;
    let (whole, rest) = (hundredths / 100, hundredths % 100);
    match (whole, rest) {
        (10.., _) => format!("{whole}×"),
        (_, 0) => format!("{whole}×"),
        (_, rest) if rest.is_multiple_of(10) => format!("{whole}.{}×", rest / 10),
        _ => format!("{whole}.{rest:02}×"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!(number(0), "0");
        assert_eq!(number(999), "999");
        assert_eq!(number(27_035), "27,035");
        assert_eq!(number(1_991_379), "1,991,379");
    }

    #[test]
    fn durations_have_the_unit_that_suits_them() {
        for (micros, written) in [
            (0, "0 ms"),
            (400, "0.4 ms"),
            (5_800, "5.8 ms"),
            (5_000, "5 ms"),
            (182_400, "182 ms"),
            (999_400, "999 ms"),
            (1_000_000, "1 s"),
            (3_494_000, "3.49 s"),
            (29_246_000, "29.2 s"),
            (10_000_000, "10 s"),
            (134_600_000, "135 s"),
        ] {
            assert_eq!(duration(Micros(micros)), written);
        }
    }

    #[test]
    fn sizes_have_the_unit_that_suits_them() {
        for (count, written) in [
            (0, "0 B"),
            (800, "800 B"),
            (2_100, "2.1 kB"),
            (75_930, "75.9 kB"),
            (1_246_812, "1.25 MB"),
            (26_144_769, "26.1 MB"),
        ] {
            assert_eq!(bytes(count), written);
        }
    }

    #[test]
    fn speeds_are_short() {
        assert_eq!(speed(1.0), "1×");
        assert_eq!(speed(0.25), "0.25×");
        assert_eq!(speed(2.5), "2.5×");
        assert_eq!(speed(12.59), "12×");
    }
}
