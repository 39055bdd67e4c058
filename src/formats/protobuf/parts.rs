//! What the bytes of a message are to one schema: tags, lengths and values, and the fields that they belong to.
//!
//! This tells what [`super::codec`] reads, for people who look at a witness; it decides nothing. Where the reader would
//! reject the message, the parts end.

use crate::evidence::BytePart;
use crate::formats::parts::{Parts, inside, words};
use crate::ordered::OrderedMap;

use super::codec::{
    DEPTH_LIMIT, END_GROUP, Input, Nesting, Types, WireType, is_packable, read_scalar, skip, wire_type,
};
use super::model::{Cardinality, Field, Kind, MessageId};
use super::names::SchemaNames;

/// The parts of a message, as a reader with these types takes them.
pub(super) fn parts(types: Types<'_, '_>, id: MessageId, bytes: &[u8]) -> Vec<BytePart> {
    let Some(parts) = Parts::of(bytes) else { return Vec::new() };
    let mut walk = Walk { types, parts };
    let mut input = Input(bytes);
    // What cannot be read ends the list; the witness says why.
    let _ = walk.message(id, &mut input, "", Nesting { depth: 0, group: None });
    walk.parts.finish()
}

struct Walk<'s, 'a, 'b> {
    types: Types<'s, 'a>,
    parts: Parts<'b>,
}

/// A tag that was read: where it starts, and what it says.
struct Tag {
    start: usize,
    number: i32,
    wire: u32,
}

impl Tag {
    fn words(&self) -> String {
        format!("tag: field {}, {}", self.number, wire_name(self.wire))
    }
}

fn wire_name(wire: u32) -> &'static str {
    match wire {
        0 => "varint",
        1 => "8 bytes",
        2 => "length-delimited",
        3 => "group starts",
        END_GROUP => "group ends",
        5 => "4 bytes",
        _ => "no wire type",
    }
}

impl Walk<'_, '_, '_> {
    fn tag(&self, input: &mut Input<'_>) -> Option<Tag> {
        let start = self.parts.at(input.0);
        let (number, wire) = input.tag().ok()?;
        Some(Tag { start, number, wire })
    }

    fn message(&mut self, id: MessageId, input: &mut Input<'_>, path: &str, nesting: Nesting) -> Option<()> {
        let mut counts: OrderedMap<i32, usize> = OrderedMap::new();
        while !input.0.is_empty() {
            let tag = self.tag(input)?;
            if tag.wire == END_GROUP {
                self.parts.add((tag.start, self.parts.at(input.0)), path, tag.words());
                return nesting.group.filter(|group| *group == tag.number).map(drop);
            }
            match self.types.field(id, tag.number) {
                Some(field) => {
                    let count = counts.entry(tag.number).or_default();
                    let path = inside(path, &element_name(field, *count));
                    *count += 1;
                    self.field(field, &tag, input, &path, nesting)?;
                }
                None => self.skipped(&tag, input, "", "skipped: no such field", nesting)?,
            }
        }
        nesting.group.is_none().then_some(())
    }

    /// Bytes that the reader passes over.
    fn skipped(&mut self, tag: &Tag, input: &mut Input<'_>, path: &str, why: &str, nesting: Nesting) -> Option<()> {
        let behind = self.parts.at(input.0);
        self.parts.add((tag.start, behind), path, tag.words());
        skip(tag.number, tag.wire, input, nesting).ok()?;
        self.parts.add((behind, self.parts.at(input.0)), path, why);
        Some(())
    }

    fn field(
        &mut self,
        field: &Field<'_>,
        tag: &Tag,
        input: &mut Input<'_>,
        path: &str,
        nesting: Nesting,
    ) -> Option<()> {
        let expected = wire_type(field.kind, field.delimited);
        let is_expected = expected.is_some_and(|expected| expected.code() == tag.wire);
        let is_delimited = tag.wire == WireType::Len.code();
        let is_packed = field.cardinality == Cardinality::Repeated && is_delimited && is_packable(field.kind);
        let behind = self.parts.at(input.0);
        if let (Cardinality::Map { key }, true) = (field.cardinality, is_delimited && expected.is_some()) {
            self.parts.add((tag.start, behind), path, tag.words());
            let mut entry = self.delimited(input, path)?;
            return self.entry(field, key, &mut entry, path, nesting.deeper(None).ok()?);
        }
        if is_packed && !is_expected {
            self.parts.add((tag.start, behind), path, tag.words());
            let mut packed = self.delimited(input, path)?;
            while !packed.0.is_empty() {
                self.scalar(field.kind, field.utf8, &mut packed, path)?;
            }
            return Some(());
        }
        if !is_expected || matches!(field.cardinality, Cardinality::Map { .. }) {
            let why = expected.map_or_else(
                || "skipped: the type is not known".to_owned(),
                |expected| format!("skipped: the reader expects {}", wire_name(expected.code())),
            );
            return self.skipped(tag, input, path, &why, nesting);
        }
        self.parts.add((tag.start, behind), path, tag.words());
        self.value(field, field.kind, input, path, nesting)
    }

    /// A length; what it covers comes back.
    fn delimited<'i>(&mut self, input: &mut Input<'i>, path: &str) -> Option<Input<'i>> {
        let start = self.parts.at(input.0);
        let length = input.varint().ok()?;
        self.parts.add((start, self.parts.at(input.0)), path, format!("length {length}"));
        Some(Input(input.take(length).ok()?))
    }

    fn value(
        &mut self,
        field: &Field<'_>,
        kind: Kind,
        input: &mut Input<'_>,
        path: &str,
        nesting: Nesting,
    ) -> Option<()> {
        match kind {
            Kind::Message(_) if nesting.depth >= DEPTH_LIMIT => None,
            Kind::Message(id) if field.delimited => {
                self.message(id, input, path, nesting.deeper(Some(field.number)).ok()?)
            }
            Kind::Message(id) => {
                let mut content = self.delimited(input, path)?;
                self.message(id, &mut content, path, nesting.deeper(None).ok()?)
            }
            kind => self.scalar(kind, field.utf8, input, path),
        }
    }

    fn scalar(&mut self, kind: Kind, utf8: bool, input: &mut Input<'_>, path: &str) -> Option<()> {
        let start = self.parts.at(input.0);
        if matches!(kind, Kind::String | Kind::Bytes) {
            let mut ahead = Input(input.0);
            let length = ahead.varint().ok()?;
            self.parts.add((start, self.parts.at(ahead.0)), path, format!("length {length}"));
            let content = self.parts.at(ahead.0);
            let value = read_scalar(self.types, kind, utf8, input).ok()??;
            self.parts.add((content, self.parts.at(input.0)), path, words(&value, &SchemaNames(self.types)));
            return Some(());
        }
        let what = match read_scalar(self.types, kind, utf8, input).ok()? {
            Some(value) => words(&value, &SchemaNames(self.types)),
            None => "a number that the closed enum does not have: set aside".to_owned(),
        };
        self.parts.add((start, self.parts.at(input.0)), path, what);
        Some(())
    }

    fn entry(
        &mut self,
        field: &Field<'_>,
        key: Kind,
        input: &mut Input<'_>,
        path: &str,
        nesting: Nesting,
    ) -> Option<()> {
        while !input.0.is_empty() {
            let tag = self.tag(input)?;
            let expects = |kind: Kind| wire_type(kind, false).is_some_and(|expected| expected.code() == tag.wire);
            let (kind, name) = match tag.number {
                1 if expects(key) => (key, "key"),
                2 if expects(field.kind) => (field.kind, "value"),
                _ => {
                    self.skipped(&tag, input, path, "skipped: no part of an entry", nesting)?;
                    continue;
                }
            };
            let path = inside(path, name);
            self.parts.add((tag.start, self.parts.at(input.0)), &path, tag.words());
            self.value(field, kind, input, &path, nesting)?;
        }
        Some(())
    }
}

/// A field by its name; of a repeated one, which element.
fn element_name(field: &Field<'_>, count: usize) -> String {
    let name = if field.is_extension { format!("[{}]", field.name) } else { field.name.to_string() };
    match field.cardinality {
        Cardinality::Singular => name,
        Cardinality::Repeated | Cardinality::Map { .. } => format!("{name}[{count}]"),
    }
}
