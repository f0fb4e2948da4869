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
    fn speeds_are_short() {
        assert_eq!(speed(1.0), "1×");
        assert_eq!(speed(0.25), "0.25×");
        assert_eq!(speed(2.5), "2.5×");
        assert_eq!(speed(12.59), "12×");
    }
}
