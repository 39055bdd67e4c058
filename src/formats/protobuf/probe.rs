//! The proof: synthetic messages are written under one version and read under the other, and what readers see is told.
//!
//! Every pair of types in which anything differs is written by both sides, in both encodings. A reading counts only when
//! the writer's own schema reads the message back as written; otherwise the outcome is not due to the change.
//! What readers see is found by running the codecs. The list of changes only says which elements deserve attention.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use crate::change::{Change, Identity, Pair, Span};
use crate::evidence::{Direction, Observed, Outcome, SPEC, Surface, Witness};
use crate::formats::division::{Division, Written};
use crate::formats::frame::{Compared, Probes};
use crate::formats::roundtrip::{DIRECTIONS, Findings, Sides, WorstReading, gather, observation, of_each, run};
use crate::ordered::OrderedMap;
use crate::value::{self, Key, Record, Value};

use super::ast;
use super::codec::{self, HOLDER, Index, Types};
use super::compare::{Comparer, Paired};
use super::elements::Identities;
use super::generate;
use super::json;
use super::language::Protobuf;
use super::maker::enum_numbers;
use super::model::{Cardinality, EnumId, Features, Field, FileId, Kind, MessageId, Presence, Schema};
use super::names::SchemaNames;
use super::pairing::{self, Call, Pairs, TypePair};
use super::parts;
use super::probe_any;
use super::stage::{Messages, SURFACES};
use super::uses::{Shape, Uses};

impl Probes for Protobuf {
    /// Writes and reads synthetic messages of every pair in which anything differs.
    fn probe(compared: &Compared<'_, '_, Self>, division: &Division) -> Observed {
        let Compared { schemas, pairs, changes, .. } = *compared;
        let index = schemas.map(Index::of);
        let types = Pair::new(
            Types { index: Some(&index.old), ..Types::of(schemas.old) },
            Types { index: Some(&index.new), ..Types::of(schemas.new) },
        );
        let (identities, paired) = (Identities::of(&pairs.messages, &pairs.enums), Paired::default());
        let changed = changes.iter().map(|change| &change.identity).collect();
        let uses = Uses::of(schemas, pairs.messages.iter().map(|pair| pair.types));
        let probe = Probe { types, identities: &identities, paired: &paired, changed, uses };
        let is_here =
            |files: Pair<FileId>| division.writes(schemas.zip(files, |schema, file| &*schema.file(file).path));
        let messages_here = |types| is_here(schemas.zip(types, |schema, id| schema.message(id).file));
        let enums_here = |types| is_here(schemas.zip(types, |schema, id| schema.enumeration(id).file));
        let messages: Vec<TypePair<MessageId>> =
            written_messages(schemas, pairs).filter(|pair| messages_here(pair.types)).copied().collect();
        let calls: Vec<&Call> = pairs.calls.iter().filter(|call| messages_here(call.types)).collect();
        let enums: Vec<TypePair<EnumId>> =
            written_enums(pairs).filter(|pair| enums_here(pair.types)).copied().collect();
        let mut found = Findings::default();
        of_each(&messages, &mut found, |pair, known| probe.messages(pair.types, known));
        of_each(&calls, &mut found, |call, known| probe.call(call, known));
        of_each(&enums, &mut found, |pair, known| probe.enums(pair.types, known));
        let mut observed = gather(found);
        let is_here_too = |change: &&Change| change.at.new.as_ref().is_none_or(|site| division.is_here(&site.file));
        observed.observations.extend(probe_any::observations(types, changes.iter().filter(is_here_too)));
        observed
    }

    fn written<'s>(compared: &Compared<'s, '_, Self>) -> Vec<Written<'s>> {
        let Compared { schemas, pairs, .. } = *compared;
        let Pair { old, new } = schemas;
        let calls = pairs.calls.iter().map(|call| call.types);
        let messages = written_messages(schemas, pairs).map(|pair| pair.types).chain(calls).map(|types| {
            let (before, after) = (old.message(types.old), new.message(types.new));
            (Pair::new(before.file, after.file), Pair::new(&*before.full_name, &*after.full_name))
        });
        let enums = written_enums(pairs).map(|pair| {
            let (before, after) = (old.enumeration(pair.types.old), new.enumeration(pair.types.new));
            (Pair::new(before.file, after.file), Pair::new(&*before.full_name, &*after.full_name))
        });
        let path = |files: Pair<FileId>| Pair::new(&*old.file(files.old).path, &*new.file(files.new).path);
        messages.chain(enums).map(|(files, names)| Written { files: path(files), names }).collect()
    }
}

fn written_messages<'p>(
    schemas: Pair<&'p Schema<'_>>,
    pairs: &'p Pairs,
) -> impl Iterator<Item = &'p TypePair<MessageId>> {
    pairs.messages.iter().filter(move |pair| pair.changed || extensions_differ(schemas, pair.types))
}

fn written_enums(pairs: &Pairs) -> impl Iterator<Item = &TypePair<EnumId>> {
    pairs.enums.iter().filter(|pair| pair.changed)
}

/// An extension is declared outside the message that it extends, so the message itself may look unchanged.
fn extensions_differ(schemas: Pair<&Schema<'_>>, types: Pair<MessageId>) -> bool {
    let numbers = |schema: &Schema<'_>, id| -> Vec<i32> {
        schema.message(id).extended_by.iter().map(|extension| schema.extension(*extension).number).collect()
    };
    let (old, new) = (numbers(schemas.old, types.old), numbers(schemas.new, types.new));
    old.len() != new.len() || old.iter().any(|number| !new.contains(number))
}

struct Probe<'s, 'a, 'c> {
    types: Pair<Types<'s, 'a>>,
    identities: &'c Identities,
    paired: &'c Paired<'s, 'a>,
    changed: FxHashSet<&'c Identity>,
    uses: Uses,
}

impl<'s, 'a, 'c> Probe<'s, 'a, 'c> {
    fn comparer(&self, direction: Direction) -> Comparer<'s, 'a, 'c> {
        let Sides { writer, reader } = Sides::of(direction, self.types);
        Comparer::new(writer, reader, direction, self.identities).sharing(self.paired)
    }

    fn messages(&self, types: Pair<MessageId>, known: &Findings) -> Findings {
        let mut findings = Findings::default();
        for direction in DIRECTIONS {
            self.exchange(self.comparer(direction), Sides::of(direction, types), (&mut findings, known));
        }
        self.earlier_writers(types, &mut findings);
        findings
    }

    /// What a method carries, told of the method.
    fn call(&self, call: &Call, known: &Findings) -> Findings {
        let mut findings = Findings::default();
        for direction in DIRECTIONS {
            let Sides { writer, reader } = Sides::of(direction, self.types);
            let comparer = Comparer::new(writer, reader, direction, self.identities).telling_of(&call.identity);
            self.exchange(comparer, Sides::of(direction, call.types), (&mut findings, known));
        }
        findings
    }

    fn exchange(
        &self,
        comparer: Comparer<'s, 'a, 'c>,
        ids: Sides<MessageId>,
        (findings, known): (&mut Findings, &Findings),
    ) {
        let type_name = comparer.writer.schema.message(ids.writer).full_name.to_string();
        let stage = Messages::new(comparer, ids, type_name);
        let tally = run(&stage, &self.changed, |outlet| {
            generate::messages(&stage.comparer, ids, &self.changed, outlet);
        });
        findings.take_in(&stage, tally, known);
    }

    /// Old data outlives the schema: a number that the old side reserves may still hold what an earlier writer put there.
    fn earlier_writers(&self, types: Pair<MessageId>, findings: &mut Findings) {
        let Pair { old, new } = self.types;
        let reserved = &old.schema.message(types.old).reserved;
        if reserved.is_empty() {
            return;
        }
        let comparer = self.comparer(Direction::Backward);
        let earlier = comparer.of_reader();
        let ids = Sides::of(Direction::Backward, types);
        let elements = comparer.elements(ids);
        let base = generate::base(&comparer, ids);
        for (index, element) in elements.list.iter().enumerate() {
            let Some(field) = element.reader else { continue };
            if !reserved.iter().any(|(start, end)| (*start..=*end).contains(&field.number)) {
                continue;
            }
            let Some(value) = generate::sample(&earlier, field) else { continue };
            let mut bytes = codec::encode(old, types.old, &base);
            let held = Record::empty(types.new.0).with(field.number, value.clone());
            bytes.extend(codec::encode(new, types.new, &held));
            if codec::decode(old, types.old, &bytes).as_ref() != Ok(&base) {
                continue;
            }
            let Ok(read) = codec::decode(new, types.new, &bytes) else { continue };
            findings.messages += 1;
            if !read.fields.contains_key(&field.number) {
                continue;
            }
            let mut wrote = value::record_for_people(&base, &SchemaNames(old));
            if let Some(members) = wrote.as_object_mut() {
                let shown = value::for_people(&value, &SchemaNames(new));
                members.insert(format!("{} (of an earlier writer)", field.number), shown);
            }
            let size = (0, bytes.len());
            let witness = Witness {
                type_name: old.schema.message(types.old).full_name.to_string(),
                reader: new.schema.message(types.new).full_name.to_string(),
                wrote: wrote.into(),
                written_parts: parts::parts(old, types.old, &bytes),
                read_parts: parts::parts(new, types.new, &bytes),
                bytes,
                read: value::record_for_people(&read, &SchemaNames(new)).into(),
                ..Witness::default()
            };
            let cell = (elements.identity(index), Surface::Wire, Direction::Backward);
            let observations = vec![observation(&cell, SPEC, Outcome::Wrong, witness)];
            findings.keep(cell, SPEC, WorstReading { outcome: Outcome::Wrong, size, observations });
        }
    }

    /// A pair of enums, in messages with one field each: one that tracks presence, and one of each other shape in which both
    /// versions hold the enum.
    fn enums(&self, types: Pair<EnumId>, known: &Findings) -> Findings {
        let mut findings = Findings::default();
        for direction in DIRECTIONS {
            for shape in self.uses.shapes(types, direction) {
                self.exchange_enum(types, direction, shape, (&mut findings, known));
            }
        }
        let container = pairing::enum_container(self.types.map(|types| types.schema), types);
        // Everything of an enum was written or is absent by nature, because enums are written in full.
        let mut identities = vec![pairing::enum_default(&container), pairing::enum_openness(&container)];
        for (schema, id) in [(self.types.old.schema, types.old), (self.types.new.schema, types.new)] {
            for value in &schema.enumeration(id).ast.values {
                identities.push(pairing::by_number(&container, i32::try_from(value.number).unwrap_or_default()));
                identities.push(pairing::by_name(&container, &value.name.text));
            }
        }
        findings.exercise(&self.changed, identities, (&SURFACES, &DIRECTIONS));
        findings
    }

    fn exchange_enum(
        &self,
        types: Pair<EnumId>,
        direction: Direction,
        shape: Shape,
        (findings, known): (&mut Findings, &Findings),
    ) {
        let container = pairing::enum_container(self.types.map(|types| types.schema), types);
        let enums = Sides::of(direction, types);
        let holders = ([holder_field(enums.writer, shape)], [holder_field(enums.reader, shape)]);
        let Sides { writer, reader } = Sides::of(direction, self.types);
        let (writer, reader) = (Types { holder: &holders.0, ..writer }, Types { holder: &holders.1, ..reader });
        let type_name = writer.schema.enumeration(enums.writer).full_name.to_string();
        let comparer = Comparer::new(writer, reader, direction, self.identities);
        let stage = Messages::new(comparer, Sides { writer: HOLDER, reader: HOLDER }, type_name);
        let tally = run(&stage, &self.changed, |outlet| {
            if shape != Shape::Required {
                outlet.write(Record::empty(HOLDER.0));
            }
            let mut left_out = 0;
            for number in enum_numbers(writer, reader, enums) {
                if outlet.is_full(HELD) {
                    left_out += 1;
                    outlet.limit([pairing::by_number(&container, number)]);
                    let named = [(writer, enums.writer), (reader, enums.reader)];
                    let names = named.into_iter().filter_map(|(types, id)| types.value_of_number(id, number));
                    outlet.limit(names.map(|value| pairing::by_name(&container, &value.name.text)));
                    continue;
                }
                outlet.write(Record::empty(HOLDER.0).with(1, held(shape, Value::Enum { ty: enums.writer.0, number })));
            }
            if left_out > 0 {
                outlet.leave_out(format!("{left_out} numbers of the enum `{}`", stage.type_name));
            }
        });
        findings.take_in(&stage, tally, known);
    }
}

/// Values of a message with one enum in it.
const HELD: usize = 2;

/// Reads bytes as a message in both encodings, and asserts that what is accepted is read back the same after it was
/// written again. This is what the fuzz target runs; a name that the schema does not know is of no interest to it.
pub fn reread(schema: &Schema<'_>, type_name: &str, bytes: &[u8]) {
    let Some(id) = schema.messages_by_name.get(type_name).and_then(|ids| ids.first().copied()) else { return };
    let types = Types::of(schema);
    if let Ok(record) = codec::decode(types, id, bytes) {
        let again = codec::decode(types, id, &codec::encode(types, id, &record));
        assert!(again.as_ref() == Ok(&record), "the wire changed {record:?} to {again:?}");
        if let Ok(text) = json::encode(types, id, &record) {
            let again = json::decode(types, id, &text);
            assert!(again.as_ref() == Ok(&record), "JSON changed {record:?} to {again:?}");
        }
    }
    if let Ok(record) = json::decode(types, id, bytes) {
        let again = codec::decode(types, id, &codec::encode(types, id, &record));
        assert!(again.as_ref() == Ok(&record), "the wire changed {record:?} to {again:?}");
    }
}

/// The syntax tree of a field that nobody wrote.
static NO_SYNTAX: ast::Field<'static> = ast::Field {
    name: NO_NAME,
    number: 1,
    number_span: Span::new(0, 0),
    label: None,
    ty: ast::Type::Named(NO_NAME),
    type_span: Span::new(0, 0),
    options: Vec::new(),
    oneof: None,
    span: Span::new(0, 0),
};
const NO_NAME: ast::Name<'static> = ast::Name { text: Cow::Borrowed("value"), span: Span::new(0, 0) };

/// A value as a field of that shape holds it.
fn held(shape: Shape, value: Value) -> Value {
    match shape {
        Shape::Optional | Shape::Required => value,
        Shape::Listed => Value::List(vec![value]),
        Shape::Mapped => Value::Map(OrderedMap::from([(Key::Text(b"k".to_vec()), value)])),
    }
}

/// Field number 1 of an enum type.
fn holder_field<'a>(id: EnumId, shape: Shape) -> Field<'a> {
    let (cardinality, presence) = match shape {
        Shape::Optional => (Cardinality::Singular, Presence::Explicit),
        Shape::Required => (Cardinality::Singular, Presence::Required),
        Shape::Listed => (Cardinality::Repeated, Presence::Implicit),
        Shape::Mapped => (Cardinality::Map { key: Kind::String }, Presence::Implicit),
    };
    Field {
        name: Cow::Borrowed("value"),
        number: 1,
        kind: Kind::Enum(id),
        cardinality,
        presence,
        oneof: None,
        packed: false,
        delimited: false,
        utf8: true,
        json_name: Cow::Borrowed("value"),
        default: None,
        features: Features {
            field_presence: Presence::Explicit,
            enum_closed: false,
            packed: false,
            utf8: true,
            delimited: false,
            json_allow: true,
        },
        extendee: None,
        is_extension: false,
        file: FileId(0),
        ast: &NO_SYNTAX,
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
