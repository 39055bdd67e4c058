//! What the bytes of a datum are: to the schema that wrote it, and to a reader that resolves it.
//!
//! This tells what [`super::codec`] and [`super::resolve`] read, for people who look at a witness; it decides nothing.
//! Where the reader would reject the datum, the parts end.

use crate::evidence::BytePart;
use crate::formats::parts::{Parts, inside, words};
use crate::value::Value;

use super::codec::{Input, read_primitive};
use super::legible::legible;
use super::model::{Kind, Primitive, Record, Schema, TypeId, Use};
use super::names::SchemaNames;
use super::resolve_terms::{Reading, is_promoted, is_same_sort};

/// The parts of a datum as its writer meant them.
pub(super) fn written(schema: &Schema<'_>, ty: TypeId, bytes: &[u8]) -> Vec<BytePart> {
    walk(schema, None, (ty, View::Written), bytes)
}

/// The parts of a datum as a reader takes them: its own names, and what it passes over.
pub(super) fn read(reading: &Reading<'_, '_, '_>, writer: TypeId, reader: TypeId, bytes: &[u8]) -> Vec<BytePart> {
    walk(reading.sides.writer, Some(reading), (writer, View::Read(reader)), bytes)
}

fn walk<'s, 'w>(
    writer: &'s Schema<'w>,
    reading: Option<&Reading<'s, 'w, '_>>,
    (ty, view): (TypeId, View),
    bytes: &[u8],
) -> Vec<BytePart> {
    let Some(parts) = Parts::of(bytes) else { return Vec::new() };
    let mut walk = Walk { writer, reading, parts };
    let mut input = Input::of(bytes);
    // What cannot be read ends the list; the witness says why.
    let _ = walk.value((ty, view), &mut input, "", 0);
    walk.parts.finish()
}

/// As whom to look at bytes.
#[derive(Debug, Clone, Copy)]
enum View {
    /// As the writer.
    Written,
    /// As a reader that wants this type.
    Read(TypeId),
    /// As a reader that wants nothing of it.
    Skipped,
}

/// Deeper data is no picture.
const DEEPEST: usize = 40;

struct Walk<'k, 's, 'w, 'r, 'b> {
    writer: &'s Schema<'w>,
    reading: Option<&'k Reading<'s, 'w, 'r>>,
    parts: Parts<'b>,
}

impl<'s, 'w> Walk<'_, 's, 'w, '_, '_> {
    fn value(&mut self, (ty, view): (TypeId, View), input: &mut Input<'_>, path: &str, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        let writer: &'s Schema<'w> = self.writer;
        let kind = writer.kind(ty);
        let view = if matches!(kind, Kind::Union(_)) { view } else { self.fitting(ty, view)? };
        let start = self.parts.at(input.bytes);
        match kind {
            Kind::Primitive(primitive) => self.primitive((ty, *primitive), view, input, path),
            Kind::Record(record) => self.record((ty, record), view, input, path, depth),
            Kind::Enum(symbols) => {
                let number = input.int().ok()?;
                let symbol = usize::try_from(number).ok().and_then(|index| symbols.symbols.get(index));
                let what = match symbol {
                    Some(symbol) if self.has_symbol(view, &symbol.0) => format!("symbol {}", symbol.0),
                    Some(symbol) => format!("symbol {}, which the reader lacks", symbol.0),
                    None => format!("no symbol {number}"),
                };
                self.tell(start, input, path, view, what);
                Some(())
            }
            Kind::Fixed(fixed) => {
                let content = Value::Bytes(input.take(fixed.size as usize).ok()?.to_vec());
                self.tell(start, input, path, view, self.words(ty, view, &content));
                Some(())
            }
            Kind::Array(items) => self.blocks((items, None), view, input, path, depth),
            Kind::Map(values) => self.blocks((values, Some(())), view, input, path, depth),
            Kind::Union(branches) => {
                let number = input.long().ok()?;
                let branch = branches.get(usize::try_from(number).ok()?)?;
                self.tell(start, input, path, view, format!("branch {number}"));
                self.value((branch.ty, view), input, path, depth + 1)
            }
            Kind::Opaque(_) => None,
        }
    }

    /// The type inside a reader's union that takes a written type; `None` where the reader rejects it.
    fn fitting(&self, ty: TypeId, view: View) -> Option<View> {
        let (View::Read(wanted), Some(reading)) = (view, self.reading) else { return Some(view) };
        let reader = reading.sides.reader;
        let wanted = match reader.kind(wanted) {
            Kind::Union(branches) => branches.get(reading.branch_for(ty, wanted)?)?.ty,
            _ => wanted,
        };
        let (written, kind) = (self.writer.kind(ty), reader.kind(wanted));
        (is_same_sort(written, kind) || is_promoted(written, kind)).then_some(View::Read(wanted))
    }

    /// A value as the schema of whoever looks understands it: its logical type, and its names.
    fn words(&self, ty: TypeId, view: View, value: &Value) -> String {
        match (view, self.reading) {
            (View::Read(wanted), Some(reading)) => {
                let reader = reading.sides.reader;
                words(&legible(reader, wanted, value), &SchemaNames(reader))
            }
            _ => words(&legible(self.writer, ty, value), &SchemaNames(self.writer)),
        }
    }

    /// Whether the one who looks has a symbol.
    fn has_symbol(&self, view: View, symbol: &str) -> bool {
        let (View::Read(wanted), Some(reading)) = (view, self.reading) else { return true };
        match reading.sides.reader.kind(wanted) {
            Kind::Enum(symbols) => symbols.position(symbol).is_some(),
            _ => true,
        }
    }

    /// A part from `start` to where the input is now.
    fn tell(&mut self, start: usize, input: &Input<'_>, path: &str, view: View, what: String) {
        let what = if matches!(view, View::Skipped) { "skipped: no such field".to_owned() } else { what };
        self.parts.add((start, self.parts.at(input.bytes)), path, what);
    }

    fn primitive(
        &mut self,
        (ty, primitive): (TypeId, Primitive),
        view: View,
        input: &mut Input<'_>,
        path: &str,
    ) -> Option<()> {
        let start = self.parts.at(input.bytes);
        let mut content = start;
        if matches!(primitive, Primitive::String | Primitive::Bytes) {
            let mut ahead = Input::of(input.bytes);
            let length = ahead.long().ok()?;
            content = self.parts.at(ahead.bytes);
            self.tell(start, &ahead, path, view, format!("length {length}"));
        }
        let value = read_primitive(primitive, input).ok()?;
        let mut what = self.words(ty, view, &value);
        if let (View::Read(wanted), Some(reading)) = (view, self.reading)
            && let Kind::Primitive(other) = reading.sides.reader.kind(wanted)
            && *other != primitive
        {
            what = format!("{what}, read as {}", other.name());
        }
        self.tell(content, input, path, view, what);
        Some(())
    }

    fn record(
        &mut self,
        (ty, record): (TypeId, &Record<'_>),
        view: View,
        input: &mut Input<'_>,
        path: &str,
        depth: usize,
    ) -> Option<()> {
        for (index, field) in record.fields.iter().enumerate() {
            let (name, view) = self.field((ty, record), index, view);
            let name = name.unwrap_or_else(|| field.name.to_string());
            self.value((field.schema.ty, view), input, &inside(path, &name), depth + 1)?;
        }
        Some(())
    }

    /// What a reader calls a written field, and as what it wants it.
    fn field(&self, (ty, record): (TypeId, &Record<'_>), index: usize, view: View) -> (Option<String>, View) {
        let (View::Read(wanted), Some(reading)) = (view, self.reading) else { return (None, view) };
        let Kind::Record(reader) = reading.sides.reader.kind(wanted) else { return (None, View::Skipped) };
        let fields = reading.fields((ty, wanted), (record, reader));
        let taker = fields.sources.iter().position(|source| *source == Some(index));
        match taker.and_then(|taker| reader.fields.get(taker)) {
            Some(field) => (Some(field.name.to_string()), View::Read(field.schema.ty)),
            None => (None, View::Skipped),
        }
    }

    /// The blocks of an array, or of a map when there are keys.
    fn blocks(
        &mut self,
        (items, keys): (&Use, Option<()>),
        view: View,
        input: &mut Input<'_>,
        path: &str,
        depth: usize,
    ) -> Option<()> {
        let inner = match (view, self.reading) {
            (View::Read(wanted), Some(reading)) => match reading.sides.reader.kind(wanted) {
                Kind::Array(items) | Kind::Map(items) => View::Read(items.ty),
                _ => return None,
            },
            (view, _) => view,
        };
        let mut index = 0;
        loop {
            let start = self.parts.at(input.bytes);
            let count = input.long().ok()?;
            if count < 0 {
                input.long().ok()?;
            }
            let what =
                if count == 0 { "the end of the items".to_owned() } else { format!("count {}", count.unsigned_abs()) };
            self.tell(start, input, path, view, what);
            if count == 0 {
                return Some(());
            }
            for _ in 0..count.unsigned_abs() {
                let place = format!("{path}[{index}]");
                index += 1;
                if keys.is_some() {
                    let start = self.parts.at(input.bytes);
                    let key = input.text().ok()?;
                    let key = words(&Value::Text(key), &SchemaNames(self.writer));
                    self.tell(start, input, &place, view, format!("key {key}"));
                }
                self.value((items.ty, inner), input, &place, depth + 1)?;
            }
        }
    }
}
