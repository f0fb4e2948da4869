//! Where in a JSON text each field stands: for errors that name a field, and for a cursor that stands in one.
//!
//! It reads as far as the text is JSON: what is wrong further on does not spoil what stands before.

/// A place in a text, counted from 1, columns in letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// How many bytes stand before.
    pub offset: usize,
}

/// Where each field of a text begins and ends.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The path of a field as errors write it (`job.vertices[1].name`), where its name begins, and the end of its value.
    fields: Vec<(String, Place, usize)>,
}

impl Places {
    /// Reads a text.
    pub fn of(text: &str) -> Self {
        let mut reader = Reader {
            text,
            at: Place {
                line: 1,
                column: 1,
                offset: 0,
            },
            places: Self::default(),
        };
        // Where it ends too early, what was read before stays known.
        let _ = reader.value("", 0);
        reader.places
    }

    /// Where a field begins; of one that is not there, where that begins in which it is missing.
    pub fn of_field(&self, field: &str) -> Option<Place> {
        let mut path = field;
        loop {
            let known = self.fields.iter().find(|(known, ..)| known == path);
            if let Some((_, place, _)) = known {
                return Some(*place);
            }
            // Kafka's options have dots in their names: shorter and shorter, up to a field that is there.
            path = &path[..path.rfind(['.', '['])?];
        }
    }

    /// The path of the innermost field in which a place lies, counted in bytes from the beginning.
    pub fn field_at(&self, offset: usize) -> Option<&str> {
        let around = self
            .fields
            .iter()
            .filter(|(_, from, to)| (from.offset..=*to).contains(&offset));
        around
            .max_by_key(|(_, from, _)| from.offset)
            .map(|(path, ..)| path.as_str())
    }
}

/// Deeper than any scenario.
const DEEPEST: usize = 64;

struct Reader<'a> {
    text: &'a str,
    at: Place,
    places: Places,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at.offset..)?.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at.offset += letter.len_utf8();
        if letter == '\n' {
            (self.at.line, self.at.column) = (self.at.line + 1, 1);
        } else {
            self.at.column += 1;
        }
        Some(letter)
    }

    fn skip_space(&mut self) {
        while self
            .peek()
            .is_some_and(|letter| letter.is_whitespace() || letter == '\u{feff}')
        {
            self.next();
        }
    }

    fn expect(&mut self, wanted: char) -> Option<()> {
        self.skip_space();
        (self.next()? == wanted).then_some(())
    }

    /// Reads a value. None where the text is no JSON any more.
    fn value(&mut self, path: &str, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        self.skip_space();
        match self.peek()? {
            '{' => self.object(path, depth),
            '[' => self.list(path, depth),
            '"' => self.string().map(drop),
            _ => {
                let is_part =
                    |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
                let before = self.at.offset;
                while self.peek().is_some_and(is_part) {
                    self.next();
                }
                (self.at.offset > before).then_some(())
            }
        }
    }

    fn object(&mut self, path: &str, depth: usize) -> Option<()> {
        self.expect('{')?;
        self.skip_space();
        if self.peek()? == '}' {
            return self.next().map(drop);
        }
        loop {
            self.skip_space();
            let begin = self.at;
            let name = self.string()?;
            let path = match path {
                "" => name,
                path => format!("{path}.{name}"),
            };
            let entry = self.enter(&path, begin);
            self.expect(':')?;
            self.value(&path, depth + 1)?;
            self.leave(entry);
            self.skip_space();
            match self.next()? {
                ',' => {}
                '}' => return Some(()),
                _ => return None,
            }
        }
    }

    fn list(&mut self, path: &str, depth: usize) -> Option<()> {
        self.expect('[')?;
        self.skip_space();
        if self.peek()? == ']' {
            return self.next().map(drop);
        }
        for number in 0.. {
            self.skip_space();
            let path = format!("{path}[{number}]");
            let entry = self.enter(&path, self.at);
            self.value(&path, depth + 1)?;
            self.leave(entry);
            self.skip_space();
            match self.next()? {
                ',' => {}
                ']' => return Some(()),
                _ => return None,
            }
        }
        None
    }

    fn string(&mut self) -> Option<String> {
        self.expect('"')?;
        let mut text = String::new();
        loop {
            match self.next()? {
                '"' => return Some(text),
                // Names of fields are plain: what is escaped need only be passed.
                '\\' => text.push(self.next()?),
                '\n' => return None,
                letter => text.push(letter),
            }
        }
    }

    fn enter(&mut self, path: &str, begin: Place) -> usize {
        let fields = &mut self.places.fields;
        // As long as it is open, it goes on to the end of the text.
        fields.push((path.to_owned(), begin, usize::MAX));
        fields.len() - 1
    }

    fn leave(&mut self, entry: usize) {
        if let Some((.., end)) = self.places.fields.get_mut(entry) {
            *end = self.at.offset;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\n  \"name\": \"a \\\" } ä\",\n  \"job\": {\n    \"vertices\": [ { \"x\": 1 },\n      { \"parallelism\": 0 } ]\n  },\n  \"config\": { \"linger.ms\": 5 }\n}";

    #[test]
    fn fields_are_found() {
        let places = Places::of(TEXT);
        let at = |field: &str| {
            places
                .of_field(field)
                .map(|place| (place.line, place.column))
        };
        assert_eq!(at("name"), Some((2, 3)));
        assert_eq!(at("job.vertices[1].parallelism"), Some((5, 9)));
        assert_eq!(at("job.vertices[1]"), Some((5, 7)));
        assert_eq!(at("config.linger.ms"), Some((7, 15)));
        assert_eq!(
            at("job.edges[0].from"),
            Some((3, 3)),
            "in what it is missing"
        );
        assert_eq!(at("none"), None);
    }

    #[test]
    fn the_field_of_a_place_is_found() {
        let places = Places::of(TEXT);
        let at = |word: &str| places.field_at(TEXT.find(word).unwrap());
        assert_eq!(at("a \\"), Some("name"));
        assert_eq!(at("parallelism"), Some("job.vertices[1].parallelism"));
        assert_eq!(at("vertices"), Some("job.vertices"));
        assert_eq!(places.field_at(0), None);
    }

    #[test]
    fn what_stands_before_a_mistake_is_known() {
        let places = Places::of("{\"a\": 1, \"b\": {\"c\": 2,,");
        assert!(places.of_field("b.c").is_some());
        assert_eq!(places.field_at(23), Some("b"));
        for broken in ["", "{", "[", "{\"", "{\"a\":[[[[1", "]", &"[".repeat(5_000)] {
            let _ = Places::of(broken);
        }
    }
}
