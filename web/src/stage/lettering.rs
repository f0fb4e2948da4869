//! About how wide words are on the stage, and words that fit into the room there is: what is drawn knows no layout of
//! its own.

/// About how wide small words are, in one of the wider typefaces.
pub fn width_of(text: &str) -> f64 {
    text.chars()
        .map(|sign| match sign {
            'i' | 'j' | 'l' | '|' => 3.4,
            ' ' | '.' | ',' | ':' | 't' | 'f' | 'r' | '-' | '(' | ')' | '·' => 4.6,
            'm' | 'w' | '=' | '→' | '×' | '✓' | '✕' | '…' => 10.6,
            'A'..='Z' | '–' => 8.2,
            '0'..='9' => 7.4,
            _ if sign.is_ascii() => 7.1,
            _ => 12.0,
        })
        .sum()
}

/// Words cut down to the room that there is.
pub fn fitted(text: &str, room: f64) -> String {
    if width_of(text) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    for sign in text.chars() {
        short.push(sign);
        if width_of(&short) + 11.0 > room {
            short.pop();
            break;
        }
    }
    format!("{}…", short.trim_end())
}
