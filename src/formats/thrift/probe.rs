//! The proof: synthetic data is written under one version and read under the other, and what readers see is told.
//!
//! Every pair of types in which anything differs is written by both sides, in the binary and in the compact protocol; the
//! worse outcome counts, and the witness says which protocol it is of. A reading counts only when the writer's own schema
//! reads the bytes back as written; otherwise the outcome is not due to the change. The list of changes only says which
//! elements deserve attention.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde_json::Value as Json;

use crate::change::{Change, Identity, Pair, Span};
use crate::evidence::{Direction, Observation, Observed, Outcome, Surface, Witness};
use crate::formats::division::{Division, Written};
use crate::value::{self, Names, Record, Value};

use super::codec::{self, HOLDER, Headers, Protocol, Reading, Types};
use super::compare::{Comparer, Known, Note, Sides};
use super::generate;
use super::model::{
    EnumId, Field, FileId, Requiredness, Schema, Sort, Spelled, Struct, StructId, Type, Value as Constant, ValueKind,
};
use super::observer;
use super::pairing::{self, Pairs, TypePair};
use super::parts;

/// The reader that decides.
const SPEC: &str = "spec";
/// Longer data are not read.
const BYTES: usize = 1 << 20;
/// More numbers of an enum are not written.
const ENUM_NUMBERS: usize = 3000;

const DIRECTIONS: [Direction; 2] = [Direction::Backward, Direction::Forward];

type Place = (Identity, Direction);

/// Writes and reads synthetic data of every pair in which anything differs.
pub(super) fn probe(schemas: Pair<&Schema<'_>>, pairs: &Pairs, changes: &[Change], division: &Division) -> Observed {
    let run = Run {
        types: schemas.map(Types::of),
        known: Known::of(pairs),
        changed: changes.iter().map(|change| &change.identity).collect(),
    };
    let is_here = |new: FileId| division.is_here(&schemas.new.file(new).path);
    let structs = pairs.structs.iter().filter(|pair| pair.changed);
    let structs: Vec<TypePair<StructId>> =
        structs.filter(|pair| is_here(schemas.new.structure(pair.types.new).file)).copied().collect();
    let enums = pairs.enums.iter().filter(|pair| pair.changed);
    let enums: Vec<TypePair<EnumId>> =
        enums.filter(|pair| is_here(schemas.new.enumeration(pair.types.new).file)).copied().collect();
    let mut found: Vec<Findings> = structs.par_iter().map(|pair| run.structs(pair.types)).collect();
    found.extend(enums.par_iter().map(|pair| run.enums(pair.types)).collect::<Vec<_>>());
    gather(found)
}

/// The types of which data are written.
pub(super) fn written<'s>(schemas: Pair<&'s Schema<'_>>, pairs: &Pairs) -> Vec<Written<'s>> {
    let Pair { old, new } = schemas;
    let structs = pairs.structs.iter().filter(|pair| pair.changed).map(|pair| {
        let (before, after) = (old.structure(pair.types.old), new.structure(pair.types.new));
        (Pair::new(before.file, after.file), Pair::new(&*before.full_name, &*after.full_name))
    });
    let enums = pairs.enums.iter().filter(|pair| pair.changed).map(|pair| {
        let (before, after) = (old.enumeration(pair.types.old), new.enumeration(pair.types.new));
        (Pair::new(before.file, after.file), Pair::new(&*before.full_name, &*after.full_name))
    });
    let path = |files: Pair<FileId>| Pair::new(&*old.file(files.old).path, &*new.file(files.new).path);
    structs.chain(enums).map(|(files, names)| Written { files: path(files), names }).collect()
}

struct Run<'s, 'b, 'c> {
    types: Pair<Types<'s, 'b>>,
    known: Known,
    changed: FxHashSet<&'c Identity>,
}

/// What the data of one pair showed.
#[derive(Default)]
struct Findings {
    worst: BTreeMap<Place, Told>,
    exercised: Vec<Place>,
    messages: usize,
    left_out: Vec<String>,
}

/// The reading that showed the worst of something.
struct Told {
    outcome: Outcome,
    /// The smaller, the better it shows: the protocol that people read more easily first, then fewer bytes.
    size: (Protocol, usize),
    observations: Vec<Observation>,
}

/// One pair of types in one direction.
struct Stage<'s, 'b, 'k> {
    comparer: Comparer<'s, 'b, 'k>,
    ids: Sides<StructId>,
    type_name: String,
}

/// What was written and what came of it.
struct Exchange<'r> {
    protocol: Protocol,
    wrote: &'r Record,
    bytes: Vec<u8>,
    reading: Reading,
}

impl<'s, 'b> Run<'s, 'b, '_> {
    fn structs(&self, ids: Pair<StructId>) -> Findings {
        let mut findings = Findings::default();
        for direction in DIRECTIONS {
            let comparer = Comparer::new(roles(direction, self.types), direction, &self.known);
            let ids = roles(direction, ids);
            let type_name = comparer.structs(ids).writer.full_name.to_string();
            let stage = Stage { comparer, ids, type_name };
            self.exchange_all(&stage, &mut findings);
        }
        findings
    }

    /// Writes and reads every record of a stage in both protocols, and notes which changed elements were exercised.
    fn exchange_all(&self, stage: &Stage<'s, 'b, '_>, findings: &mut Findings) {
        let elements = stage.comparer.elements(stage.ids);
        let is_changed = |index: usize| self.changed.contains(&elements.list[index].identity);
        let generated = generate::records(&stage.comparer, stage.ids, &is_changed);
        findings.left_out.extend(generated.left_out);
        let mut exercised = BTreeSet::new();
        let before = findings.messages;
        for record in &generated.records {
            for protocol in Protocol::ALL {
                let Some(exchange) = stage.exchange(protocol, record) else { continue };
                findings.messages += 1;
                let notes = stage.notes(&exchange);
                exercised.extend(notes.iter().map(|note| note.identity.clone()));
                if exchange.reading.result.is_ok() {
                    let written = record.fields.keys().filter_map(|id| elements.of_writer(*id));
                    let written = written.map(|index| &elements.list[index]);
                    let unwritten = elements.list.iter().filter(|element| element.writer.is_none());
                    let felt = written.chain(unwritten).filter(|element| element.is_known());
                    exercised.extend(felt.map(|element| element.identity.clone()));
                    exercised.insert(elements.sort.clone());
                }
                findings.take_in(stage, &exchange, notes);
            }
        }
        if findings.messages == before {
            findings.left_out.push(format!("synthetic data of `{}`, because none can be written", stage.type_name));
        }
        let changed = exercised.into_iter().filter(|identity| self.changed.contains(identity));
        findings.exercised.extend(changed.map(|identity| (identity, stage.comparer.direction)));
    }

    /// A pair of enums, in a struct with one optional field. So a value that a reader has no name for is told alike,
    /// wherever it stands.
    fn enums(&self, ids: Pair<EnumId>) -> Findings {
        let mut findings = Findings::default();
        let holders = ids.map(holder);
        let types = Pair::new(
            Types { holder: Some(&holders.old), ..self.types.old },
            Types { holder: Some(&holders.new), ..self.types.new },
        );
        for direction in DIRECTIONS {
            let enums = roles(direction, ids);
            let name = roles(direction, self.types).writer.schema.enumeration(enums.writer).full_name.clone();
            let comparer = Comparer::new(roles(direction, types), direction, &self.known);
            let ids = Sides { writer: HOLDER, reader: HOLDER };
            let stage = Stage { comparer, ids, type_name: name.to_string() };
            let mut numbers = generate::enum_numbers(&stage.comparer, enums);
            if numbers.len() > ENUM_NUMBERS {
                findings.left_out.push(format!("{} numbers of the enum `{name}`", numbers.len() - ENUM_NUMBERS));
                numbers.truncate(ENUM_NUMBERS);
            }
            for number in numbers {
                let record = Record::empty(HOLDER.0).with(1, Value::Enum { ty: enums.writer.0, number });
                for exchange in Protocol::ALL.into_iter().filter_map(|protocol| stage.exchange(protocol, &record)) {
                    findings.messages += 1;
                    let notes = stage.notes(&exchange);
                    findings.take_in(&stage, &exchange, notes);
                }
            }
        }
        findings.exercised = self.enum_places(ids);
        findings
    }

    /// All that changed of an enum, because enums are written in full.
    fn enum_places(&self, ids: Pair<EnumId>) -> Vec<Place> {
        let container = pairing::enum_container(self.types.map(|types| types.schema), ids);
        let mut places = Vec::new();
        for (schema, id) in [(self.types.old.schema, ids.old), (self.types.new.schema, ids.new)] {
            for value in &schema.enumeration(id).values {
                let number = pairing::by_number(&container, value.number);
                let name = pairing::by_name(&container, &value.name.text);
                let changed = [number, name].into_iter().filter(|identity| self.changed.contains(identity));
                places.extend(changed.flat_map(|identity| DIRECTIONS.map(|direction| (identity.clone(), direction))));
            }
        }
        places
    }
}

fn gather(found: Vec<Findings>) -> Observed {
    let mut observed = Observed::default();
    let mut worst: BTreeMap<Place, Told> = BTreeMap::new();
    for findings in found {
        observed.types += usize::from(findings.messages > 0);
        observed.messages += findings.messages;
        let exercised = findings.exercised.into_iter();
        observed.exercised.extend(exercised.map(|(identity, direction)| (identity, Surface::Wire, direction)));
        observed.left_out.extend(findings.left_out);
        for (place, told) in findings.worst {
            if worst.get(&place).is_none_or(|known| known.is_beaten_by(told.outcome, told.size)) {
                worst.insert(place, told);
            }
        }
    }
    observed.observations = worst.into_values().flat_map(|told| told.observations).collect();
    observed.exercised.sort();
    observed.exercised.dedup();
    observed.left_out.sort();
    observed.left_out.dedup();
    observed
}

impl Told {
    fn is_beaten_by(&self, outcome: Outcome, size: (Protocol, usize)) -> bool {
        outcome > self.outcome || outcome == self.outcome && size < self.size
    }
}

impl Findings {
    fn take_in(&mut self, stage: &Stage<'_, '_, '_>, exchange: &Exchange<'_>, notes: Vec<Note>) {
        let mut told: BTreeMap<Identity, Outcome> = BTreeMap::new();
        for note in notes {
            let outcome = told.entry(note.identity).or_insert(note.outcome);
            *outcome = note.outcome.max(*outcome);
        }
        let size = (exchange.protocol, exchange.bytes.len() + weakness(exchange.wrote));
        for (identity, outcome) in told {
            let place = (identity, stage.comparer.direction);
            let known = self.worst.get(&place);
            if outcome > Outcome::Safe && known.is_none_or(|known| known.is_beaten_by(outcome, size)) {
                let observations = stage.observations(exchange, &place.0, outcome);
                self.worst.insert(place, Told { outcome, size, observations });
            }
        }
    }
}

impl Stage<'_, '_, '_> {
    /// Writes a record and reads it; `None` when the writer's own schema does not read it back as written.
    fn exchange<'r>(&self, protocol: Protocol, record: &'r Record) -> Option<Exchange<'r>> {
        let Sides { writer, reader } = self.comparer.types;
        let bytes = codec::encode(writer, self.ids.writer, record, protocol).filter(|bytes| bytes.len() <= BYTES)?;
        let how = (protocol, Headers::Compared);
        let control = codec::decode(writer, self.ids.writer, &bytes, how);
        if control.result.as_ref() != Ok(record) {
            return None;
        }
        let reading = codec::decode(reader, self.ids.reader, &bytes, how);
        Some(Exchange { protocol, wrote: record, bytes, reading })
    }

    fn notes(&self, exchange: &Exchange<'_>) -> Vec<Note> {
        self.comparer.notes(self.ids, exchange.wrote, &exchange.reading)
    }

    /// What the deciding reader saw, and where another fares otherwise, what that saw.
    fn observations(&self, exchange: &Exchange<'_>, identity: &Identity, outcome: Outcome) -> Vec<Observation> {
        let direction = self.comparer.direction;
        let told = |runtime, outcome, reading: &Reading, headers| Observation {
            identity: identity.clone(),
            runtime,
            surface: Surface::Wire,
            direction,
            outcome,
            witness: self.witness(exchange, (reading, headers), identity),
        };
        let mut observations = vec![told(SPEC, outcome, &exchange.reading, Headers::Compared)];
        if outcome > Outcome::Defaulted {
            let written = (exchange.wrote, &*exchange.bytes, exchange.protocol);
            let other = observer::observe(&self.comparer, self.ids, written, &exchange.reading);
            observations
                .extend(other.map(|(outcome, reading)| told(observer::NAME, outcome, &reading, Headers::Ignored)));
        }
        observations
    }

    fn witness(
        &self,
        exchange: &Exchange<'_>,
        (reading, headers): (&Reading, Headers),
        identity: &Identity,
    ) -> Witness {
        let Sides { writer, reader } = self.comparer.types;
        let elements = self.comparer.elements(self.ids);
        let element = elements.list.iter().find(|element| element.identity == *identity);
        let shown = |record: &Record, types, field: Option<&Field<'_>>| {
            with_default(value::record_for_people(record, &SchemaNames(types)), field, types)
        };
        Witness {
            written_parts: parts::parts(
                writer,
                self.ids.writer,
                &exchange.bytes,
                (exchange.protocol, Headers::Compared),
            ),
            read_parts: parts::parts(reader, self.ids.reader, &exchange.bytes, (exchange.protocol, headers)),
            type_name: format!("{} ({})", self.type_name, exchange.protocol.name()),
            wrote: shown(exchange.wrote, writer, element.and_then(|element| element.writer)),
            bytes: exchange.bytes.clone(),
            read: match &reading.result {
                Ok(read) => shown(read, reader, element.and_then(|element| element.reader)),
                Err(error) => serde_json::Value::String(error.reason.clone()),
            },
        }
    }
}

/// A record for people, with the default of a field that is not in it.
fn with_default(mut record: Json, field: Option<&Field<'_>>, types: Types<'_, '_>) -> Json {
    let default = field.and_then(|field| Some((&*field.name.text, field.default.as_ref()?)));
    if let (Some(members), Some((name, default))) = (record.as_object_mut(), default)
        && !members.contains_key(name)
    {
        members.insert(format!("{name} (default)"), constant(&default.kind, types));
    }
    record
}

/// A constant as JSON for people. Constants nest as deep as files may write them, which the parser limits.
fn constant(kind: &ValueKind<'_>, types: Types<'_, '_>) -> Json {
    match kind {
        ValueKind::Integer(number) => Json::from(*number),
        ValueKind::Double(number) => Json::from(*number),
        ValueKind::Text(bytes) => Json::String(String::from_utf8_lossy(bytes).into_owned()),
        ValueKind::Enum(EnumId(ty), number) => match SchemaNames(types).enum_value(*ty, *number) {
            Some(name) => Json::String(name.into_owned()),
            None => Json::from(*number),
        },
        ValueKind::Unknown(name) => Json::String(name.to_string()),
        ValueKind::List(values) => Json::Array(values.iter().map(|value| constant(&value.kind, types)).collect()),
        ValueKind::Map(entries) => {
            let entry = |(key, value): &(Constant<'_>, Constant<'_>)| {
                Json::Array(vec![constant(&key.kind, types), constant(&value.kind, types)])
            };
            Json::Array(entries.iter().map(entry).collect())
        }
    }
}

/// Reads bytes as a struct in both protocols, and asserts that what is accepted is read back the same after it was
/// written again; whether anything was accepted.
pub(super) fn reread(schema: &Schema<'_>, id: StructId, bytes: &[u8]) -> bool {
    let types = Types::of(schema);
    let mut any_accepted = false;
    for protocol in Protocol::ALL {
        let how = (protocol, Headers::Compared);
        let Reading { result: Ok(record), astray: None } = codec::decode(types, id, bytes, how) else { continue };
        any_accepted = true;
        let Some(written) = codec::encode(types, id, &record, protocol) else { continue };
        let again = codec::decode(types, id, &written, how);
        assert!(again.result.as_ref() == Ok(&record), "the {} changed {record:?} to {again:?}", protocol.name());
    }
    any_accepted
}

/// How many bytes a witness may be longer for showing more than that nothing and zero got lost.
fn weakness(record: &Record) -> usize {
    let is_weak = |value: &Value| match value {
        Value::Bool(value) => !value,
        Value::Int(number) => *number == 0,
        Value::Text(bytes) | Value::Bytes(bytes) => bytes.is_empty(),
        Value::List(values) => values.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Record(record) => record.fields.is_empty(),
        _ => false,
    };
    8 * record.fields.values().filter(|value| is_weak(value)).count()
}

/// The names of a schema, for people.
pub(super) struct SchemaNames<'s, 'b>(pub(super) Types<'s, 'b>);

impl Names for SchemaNames<'_, '_> {
    fn field(&self, record: u32, key: i32) -> Cow<'_, str> {
        if record == codec::ENTRY {
            return Cow::Borrowed(if key == 1 { "key" } else { "value" });
        }
        let structure = self.0.structure(StructId(record));
        match structure.fields.iter().find(|field| i32::from(field.id) == key) {
            Some(field) => Cow::Borrowed(&field.name.text),
            None => Cow::Owned(key.to_string()),
        }
    }

    fn enum_value(&self, ty: u32, number: i32) -> Option<Cow<'_, str>> {
        let mut values = self.0.schema.enumeration(EnumId(ty)).values.iter();
        values.find(|value| value.number == number).map(|value| Cow::Borrowed(&*value.name.text))
    }
}

/// Writer and reader of a direction.
fn roles<T>(direction: Direction, pair: Pair<T>) -> Sides<T> {
    match direction {
        Direction::Backward => Sides { writer: pair.old, reader: pair.new },
        Direction::Forward => Sides { writer: pair.new, reader: pair.old },
    }
}

/// A struct with an optional field 1 of an enum type.
fn holder<'b>(id: EnumId) -> Struct<'b> {
    let span = Span::new(0, 0);
    let name = || Spelled { text: Cow::Borrowed("value"), span };
    let field = Field {
        id: 1,
        id_span: None,
        name: name(),
        span,
        requiredness: Requiredness::Optional,
        ty: Type::Enum(id),
        written: name(),
        default: None,
        annotations: Vec::new(),
    };
    Struct {
        full_name: "".into(),
        name_span: span,
        span,
        file: FileId(0),
        sort: Sort::Struct,
        fields: vec![field],
        reserved: Vec::new(),
        annotations: Vec::new(),
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
