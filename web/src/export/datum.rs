//! Anything of the core's that can be serialized, as data that still knows what was a number, a list, a variant: JSON
//! alone has forgotten it, and formats for other tools differ in it.

use std::fmt;

use serde::ser::{
    Impossible, Serialize, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::{Map, Value, json};

/// A piece of data.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// Nothing, where there might be something.
    Nothing,
    /// Something, where there might be nothing.
    Something(Box<Datum>),
    /// Yes or no.
    Truth(bool),
    /// A whole number.
    Number(i64),
    /// A word, a name.
    Text(String),
    /// So many of the same kind, in order.
    List(Vec<Datum>),
    /// A few things that belong together.
    Tuple(Vec<Datum>),
    /// Named things that belong together.
    Record(Vec<(&'static str, Datum)>),
    /// One of several kinds of things, and what belongs to it.
    Variant(&'static str, Box<Datum>),
}

impl Datum {
    /// What something is, as data. Nothing of it is lost but fractions, which no state and no event has.
    pub fn of(value: &impl Serialize) -> Self {
        // The maker refuses only what the core's types are not made of: maps, bytes, numbers beyond 64 bits.
        value.serialize(Maker).unwrap_or(Self::Nothing)
    }

    /// As plain JSON: a variant is an object with a `type`; one within another has both names, with a dot.
    pub fn json(&self) -> Value {
        match self {
            Self::Nothing => Value::Null,
            Self::Something(inner) => inner.json(),
            Self::Truth(truth) => json!(truth),
            Self::Number(number) => json!(number),
            Self::Text(text) => json!(text),
            Self::List(items) | Self::Tuple(items) => items.iter().map(Self::json).collect(),
            Self::Record(fields) => Value::Object(object(fields)),
            Self::Variant(..) => {
                let (name, inner) = self.named();
                match inner {
                    Self::Tuple(none) if none.is_empty() => json!({ "type": name }),
                    Self::Record(fields) => {
                        let mut object = object(fields);
                        object.insert("type".to_owned(), name.into());
                        Value::Object(object)
                    }
                    other => json!({ "type": name, "value": other.json() }),
                }
            }
        }
    }

    /// The name of a variant with those of the variants within it, and what belongs to the innermost.
    pub fn named(&self) -> (String, &Self) {
        match self {
            Self::Variant(name, inner) => match inner.as_ref() {
                Self::Variant(..) => {
                    let (rest, innermost) = inner.named();
                    (format!("{name}.{rest}"), innermost)
                }
                inner => ((*name).to_owned(), inner),
            },
            other => (String::new(), other),
        }
    }

    /// In one line, for people: `ChannelBlocked subtask=3 channel=1 checkpoint=2 missing=1`.
    pub fn line(&self) -> String {
        let (name, inner) = self.named();
        let Self::Record(fields) = inner else {
            return name;
        };
        fields.iter().fold(name, |line, (name, value)| {
            format!("{line} {name}={}", value.word())
        })
    }

    fn word(&self) -> String {
        match self {
            Self::Nothing => "none".to_owned(),
            Self::Something(inner) => inner.word(),
            Self::Truth(truth) => truth.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
            Self::List(items) | Self::Tuple(items) => {
                let words: Vec<String> = items.iter().map(Self::word).collect();
                format!("({})", words.join(","))
            }
            Self::Record(_) => self.json().to_string(),
            Self::Variant(..) => self.line(),
        }
    }
}

fn object(fields: &[(&'static str, Datum)]) -> Map<String, Value> {
    let fields = fields.iter();
    fields
        .map(|(name, value)| ((*name).to_owned(), value.json()))
        .collect()
}

/// Something that has no place in a state or an event.
#[derive(Debug)]
struct NoDatum(String);

impl fmt::Display for NoDatum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoDatum {}

impl serde::ser::Error for NoDatum {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

type Made = Result<Datum, NoDatum>;

/// Makes data of what is serialized.
struct Maker;

/// A list, a tuple, or the fields of something, as far as it is made.
struct Parts {
    variant: Option<&'static str>,
    items: Vec<Datum>,
    fields: Vec<(&'static str, Datum)>,
}

impl Parts {
    fn new(variant: Option<&'static str>) -> Self {
        Self {
            variant,
            items: Vec::new(),
            fields: Vec::new(),
        }
    }

    fn add(&mut self, value: &(impl Serialize + ?Sized)) -> Result<(), NoDatum> {
        self.items.push(value.serialize(Maker)?);
        Ok(())
    }

    fn add_field(
        &mut self,
        name: &'static str,
        value: &(impl Serialize + ?Sized),
    ) -> Result<(), NoDatum> {
        self.fields.push((name, value.serialize(Maker)?));
        Ok(())
    }

    fn whole(self, inner: fn(Self) -> Datum) -> Made {
        let variant = self.variant;
        let datum = inner(self);
        Ok(match variant {
            Some(name) => Datum::Variant(name, Box::new(datum)),
            None => datum,
        })
    }
}

const fn nothing() -> Datum {
    Datum::Tuple(Vec::new())
}

impl Serializer for Maker {
    type Ok = Datum;
    type Error = NoDatum;
    type SerializeSeq = Parts;
    type SerializeTuple = Parts;
    type SerializeTupleStruct = Parts;
    type SerializeTupleVariant = Parts;
    type SerializeMap = Impossible<Datum, NoDatum>;
    type SerializeStruct = Parts;
    type SerializeStructVariant = Parts;

    fn serialize_bool(self, truth: bool) -> Made {
        Ok(Datum::Truth(truth))
    }
    fn serialize_i8(self, number: i8) -> Made {
        self.serialize_i64(number.into())
    }
    fn serialize_i16(self, number: i16) -> Made {
        self.serialize_i64(number.into())
    }
    fn serialize_i32(self, number: i32) -> Made {
        self.serialize_i64(number.into())
    }
    fn serialize_i64(self, number: i64) -> Made {
        Ok(Datum::Number(number))
    }
    fn serialize_u8(self, number: u8) -> Made {
        self.serialize_i64(number.into())
    }
    fn serialize_u16(self, number: u16) -> Made {
        self.serialize_i64(number.into())
    }
    fn serialize_u32(self, number: u32) -> Made {
        self.serialize_i64(number.into())
    }
    fn serialize_u64(self, number: u64) -> Made {
        let number =
            i64::try_from(number).map_err(|_| NoDatum(format!("{number} is too large")))?;
        self.serialize_i64(number)
    }
    fn serialize_f32(self, number: f32) -> Made {
        self.serialize_f64(number.into())
    }
    fn serialize_f64(self, number: f64) -> Made {
        Ok(Datum::Number(number.round() as i64))
    }
    fn serialize_char(self, letter: char) -> Made {
        Ok(Datum::Text(letter.to_string()))
    }
    fn serialize_str(self, text: &str) -> Made {
        Ok(Datum::Text(text.to_owned()))
    }
    fn serialize_bytes(self, _: &[u8]) -> Made {
        Err(NoDatum("bytes".to_owned()))
    }
    fn serialize_none(self) -> Made {
        Ok(Datum::Nothing)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Made {
        Ok(Datum::Something(Box::new(value.serialize(self)?)))
    }
    fn serialize_unit(self) -> Made {
        Ok(nothing())
    }
    fn serialize_unit_struct(self, _: &'static str) -> Made {
        Ok(nothing())
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Made {
        Ok(Datum::Variant(variant, Box::new(nothing())))
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Made {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Made {
        Ok(Datum::Variant(variant, Box::new(value.serialize(self)?)))
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Parts, NoDatum> {
        Ok(Parts::new(None))
    }
    fn serialize_tuple(self, _: usize) -> Result<Parts, NoDatum> {
        Ok(Parts::new(None))
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Parts, NoDatum> {
        Ok(Parts::new(None))
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts, NoDatum> {
        Ok(Parts::new(Some(variant)))
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, NoDatum> {
        Err(NoDatum("a map".to_owned()))
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts, NoDatum> {
        Ok(Parts::new(None))
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts, NoDatum> {
        Ok(Parts::new(Some(variant)))
    }
}

impl SerializeSeq for Parts {
    type Ok = Datum;
    type Error = NoDatum;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoDatum> {
        self.add(value)
    }
    fn end(self) -> Made {
        self.whole(|parts| Datum::List(parts.items))
    }
}

impl SerializeTuple for Parts {
    type Ok = Datum;
    type Error = NoDatum;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoDatum> {
        self.add(value)
    }
    fn end(self) -> Made {
        self.whole(|parts| Datum::Tuple(parts.items))
    }
}

impl SerializeTupleStruct for Parts {
    type Ok = Datum;
    type Error = NoDatum;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoDatum> {
        self.add(value)
    }
    fn end(self) -> Made {
        self.whole(|parts| Datum::Tuple(parts.items))
    }
}

impl SerializeTupleVariant for Parts {
    type Ok = Datum;
    type Error = NoDatum;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoDatum> {
        self.add(value)
    }
    fn end(self) -> Made {
        self.whole(|parts| Datum::Tuple(parts.items))
    }
}

impl SerializeStruct for Parts {
    type Ok = Datum;
    type Error = NoDatum;
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), NoDatum> {
        self.add_field(name, value)
    }
    fn end(self) -> Made {
        self.whole(|parts| Datum::Record(parts.fields))
    }
}

impl SerializeStructVariant for Parts {
    type Ok = Datum;
    type Error = NoDatum;
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), NoDatum> {
        self.add_field(name, value)
    }
    fn end(self) -> Made {
        self.whole(|parts| Datum::Record(parts.fields))
    }
}

#[cfg(test)]
mod tests {
    use barrierscope_core::event::{Event, SinkEvent};
    use barrierscope_core::id::{CheckpointId, NodeId};

    use super::*;

    #[test]
    fn an_event_is_an_object_with_its_type() {
        let event = Event::ChannelBlocked {
            subtask: NodeId(3),
            channel: 1,
            checkpoint: CheckpointId(2),
            missing: 1,
        };
        let datum = Datum::of(&event);
        let expected = json!({"type": "ChannelBlocked", "subtask": 3, "channel": 1, "checkpoint": 2, "missing": 1});
        assert_eq!(datum.json(), expected);
        assert_eq!(
            datum.line(),
            "ChannelBlocked subtask=3 channel=1 checkpoint=2 missing=1"
        );
        assert_eq!(
            Datum::of(&Event::JobRuns).json(),
            json!({"type": "JobRuns"})
        );
    }

    #[test]
    fn a_variant_within_another_has_both_names() {
        let event = Event::Sink(SinkEvent::Probes {
            subtask: NodeId(5),
            transactional_id: 0,
        });
        let expected = json!({"type": "Sink.Probes", "subtask": 5, "transactional_id": 0});
        assert_eq!(Datum::of(&event).json(), expected);
    }
}
