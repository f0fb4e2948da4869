//! An option's name, and words that contain some: they may break behind a dot, and nowhere else.

use yew::{Html, html};

/// Words in which a line may end behind the dots of an option's name, as it may between words.
pub fn breakable(words: &str) -> Html {
    html! {
        for (at, part) in parts(words).enumerate() {
            if at > 0 {
                <wbr />
            }
            { part }
        }
    }
}

/// A word longer than this may be wider than a narrow panel: the name of an error breaks behind its strokes.
const LONG: usize = 24;

/// The parts of words, each up to where a line may end.
fn parts(words: &str) -> impl Iterator<Item = &str> {
    let dotted = words.split_inclusive('.');
    dotted.flat_map(|part| {
        let is_long = part.split_whitespace().any(|word| word.len() > LONG);
        let end = move |sign: char| is_long && sign == '_';
        part.split_inclusive(end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_breaks_behind_its_dots() {
        let all: Vec<&str> = parts("enable.auto.commit=true").collect();
        assert_eq!(all, ["enable.", "auto.", "commit=true"]);
        assert_eq!(parts("acks=all, read_committed").count(), 1);
        let all: Vec<&str> = parts("told OUT_OF_ORDER_SEQUENCE_NUMBER for it").collect();
        assert_eq!(all.first(), Some(&"told OUT_"));
    }
}
