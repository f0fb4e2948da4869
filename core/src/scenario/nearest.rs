//! The known word that somebody may have meant.

use alloc::string::String;
use alloc::vec::Vec;

/// Words that are longer are no slips of the pen.
const LONGEST: usize = 80;

/// Which of the known words is so close to a word that it was probably meant. Case, dots, dashes and
/// underscores do not count: `transactionalId` is `transactional.id`.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let word = letters(word);
    let apart = known.into_iter().map(|known| {
        let known_letters = letters(known);
        // Who leaves the unit out has meant it all the same.
        let unitless = known_letters.strip_suffix(&['m', 's']);
        let whole = distance(&word, &known_letters);
        let least = unitless.map_or(whole, |it| whole.min(distance(&word, it)));
        (least, known)
    });
    let (apart, known) = apart.min_by_key(|(apart, _)| *apart)?;
    // About one slip in five letters.
    (apart <= 1 + word.len() / 5 && apart < word.len().max(1)).then_some(known)
}

/// `; did you mean …?`, if there is a word that may have been meant.
pub(super) fn suggestion<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(word, known).map(|known| alloc::format!("did you mean `{known}`?"))
}

fn letters(word: &str) -> Vec<char> {
    let letters = word
        .chars()
        .filter(|it| !matches!(it, '.' | '-' | '_' | ' '));
    letters.flat_map(char::to_lowercase).collect()
}

/// How many letters have to be put in, taken out or replaced (Levenshtein).
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = at;
        let mut left = at + 1;
        let mut next = Vec::with_capacity(row.len());
        next.push(left);
        for (above, known) in row.iter().skip(1).zip(other) {
            let replaced = diagonal + usize::from(letter != known);
            left = replaced.min(left + 1).min(above + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_seen_and_another_word_is_not() {
        let known = ["acks", "retries", "enable.idempotence", "transactional.id"];
        let meant = |word| nearest(word, known);
        assert_eq!(meant("ack"), Some("acks"));
        assert_eq!(meant("retires"), Some("retries"));
        assert_eq!(meant("transactionalId"), Some("transactional.id"));
        assert_eq!(meant("enable.idempotent"), Some("enable.idempotence"));
        assert_eq!(nearest("cost", ["cost_ms"]), Some("cost_ms"));
        for other in ["", "x", "linger.ms", "topic", &"acks".repeat(99)] {
            assert_eq!(meant(other), None, "{other}");
        }
    }

    #[test]
    fn the_distance_is_that_of_levenshtein() {
        let of = |one, other| distance(&letters(one), &letters(other));
        assert_eq!(of("", "abc"), 3);
        assert_eq!(of("kitten", "sitting"), 3);
        assert_eq!(of("acks", "acks"), 0);
    }
}
