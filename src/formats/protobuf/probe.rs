//! The proof: synthetic messages are written under one version and read under the other, and what readers see is told.
//!
//! Every pair of types in which anything differs is written by both sides, in both encodings. A reading counts only when
//! the writer's own schema reads the message back as written; otherwise the outcome is not due to the change.
//! What readers see is found by running the codecs. The list of changes only says which elements deserve attention.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::change::{Change, Identity, Pair, Span};
use crate::evidence::{BytePart, Direction, Observation, Observed, Outcome, Surface, Witness};
use crate::formats::division::{Division, Written};
use crate::value::{self, Names, Record, Value};

use super::ast;
use super::codec::{self, HOLDER, Index, ReadError, Types};
use super::compare::{Comparer, Known, Note, in_order};
use super::generate;
use super::json;
use super::model::{Cardinality, EnumId, Features, Field, FileId, Kind, MessageId, Presence, Schema};
use super::observer::{self, Pool};
use super::pairing::{self, Pairs, TypePair};
use super::parts;
use super::probe_any;

/// The reader that decides.
pub(super) const SPEC: &str = "spec";
/// Longer messages are not read.
const BYTES: usize = 1 << 20;

/// More numbers of an enum are not written.
const ENUM_NUMBERS: usize = 3000;

type Place = (Identity, Surface, Direction);

/// Writes and reads synthetic messages of every pair in which anything differs.
pub(crate) fn probe(schemas: Pair<&Schema<'_>>, pairs: &Pairs, changes: &[Change], division: &Division) -> Observed {
    let index = schemas.map(Index::of);
    let types = Pair::new(
        Types { index: Some(&index.old), ..Types::of(schemas.old) },
        Types { index: Some(&index.new), ..Types::of(schemas.new) },
    );
    let run = Run { types, known: Known::of(pairs), changed: changes.iter().map(|change| &change.identity).collect() };
    let is_here = |new: FileId| division.is_here(&schemas.new.file(new).path);
    let messages: Vec<TypePair<MessageId>> = written_messages(schemas, pairs)
        .filter(|pair| is_here(schemas.new.message(pair.types.new).file))
        .copied()
        .collect();
    let enums: Vec<TypePair<EnumId>> =
        written_enums(pairs).filter(|pair| is_here(schemas.new.enumeration(pair.types.new).file)).copied().collect();
    let mut found: Vec<Findings> = messages.par_iter().map(|pair| run.messages(pair.types)).collect();
    found.extend(enums.par_iter().map(|pair| run.enums(pair.types)).collect::<Vec<_>>());
    let mut observed = run.gather(found);
    let is_here_too = |change: &&Change| change.at.new.as_ref().is_none_or(|site| division.is_here(&site.file));
    observed.observations.extend(probe_any::observations(types, changes.iter().filter(is_here_too)));
    observed
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

/// The types of which messages are written.
pub(super) fn written<'s>(schemas: Pair<&'s Schema<'_>>, pairs: &Pairs) -> Vec<Written<'s>> {
    let Pair { old, new } = schemas;
    let messages = written_messages(schemas, pairs).map(|pair| {
        let (before, after) = (old.message(pair.types.old), new.message(pair.types.new));
        (Pair::new(before.file, after.file), Pair::new(&*before.full_name, &*after.full_name))
    });
    let enums = written_enums(pairs).map(|pair| {
        let (before, after) = (old.enumeration(pair.types.old), new.enumeration(pair.types.new));
        (Pair::new(before.file, after.file), Pair::new(&*before.full_name, &*after.full_name))
    });
    let path = |files: Pair<FileId>| Pair::new(&*old.file(files.old).path, &*new.file(files.new).path);
    messages.chain(enums).map(|(files, names)| Written { files: path(files), names }).collect()
}

/// An extension is declared outside the message that it extends, so the message itself may look unchanged.
fn extensions_differ(schemas: Pair<&Schema<'_>>, types: Pair<MessageId>) -> bool {
    let numbers = |schema: &Schema<'_>, id| -> Vec<i32> {
        schema.message(id).extended_by.iter().map(|extension| schema.extension(*extension).number).collect()
    };
    let (old, new) = (numbers(schemas.old, types.old), numbers(schemas.new, types.new));
    old.len() != new.len() || old.iter().any(|number| !new.contains(number))
}

struct Run<'s, 'a, 'c> {
    types: Pair<Types<'s, 'a>>,
    known: Known,
    changed: FxHashSet<&'c Identity>,
}

/// What the messages of one pair showed.
#[derive(Default)]
struct Findings {
    worst: BTreeMap<Place, Reading>,
    exercised: Vec<Place>,
    messages: usize,
    left_out: Vec<String>,
}

/// The reading that showed the worst of something.
struct Reading {
    outcome: Outcome,
    observations: Vec<Observation>,
    size: usize,
}

/// One pair of types in one direction.
struct Stage<'s, 'a, 'k> {
    comparer: Comparer<'s, 'a, 'k>,
    types: (MessageId, MessageId),
    type_name: String,
    /// The reader's types as the second reader wants them; made when first needed.
    pool: OnceCell<Option<Pool>>,
    /// Messages that were not read for their length.
    too_long: Cell<usize>,
}

/// What was written and what came of it.
struct Exchange<'r> {
    surface: Surface,
    wrote: &'r Record,
    bytes: Vec<u8>,
    read: Result<Record, ReadError>,
}

const DIRECTIONS: [Direction; 2] = [Direction::Backward, Direction::Forward];
const SURFACES: [Surface; 2] = [Surface::Wire, Surface::Json];

impl<'s, 'a> Run<'s, 'a, '_> {
    fn messages(&self, types: Pair<MessageId>) -> Findings {
        let mut findings = Findings::default();
        for direction in DIRECTIONS {
            let (writer, reader) = roles(direction, self.types);
            let types = roles(direction, types);
            let comparer = Comparer::new(writer, reader, direction, &self.known);
            let type_name = writer.schema.message(types.0).full_name.to_string();
            let stage = Stage { comparer, types, type_name, pool: OnceCell::new(), too_long: Cell::new(0) };
            let exercised = self.exchange_all(&stage, &mut findings);
            findings.exercised.extend(exercised);
        }
        self.earlier_writers(types, &mut findings);
        findings
    }

    /// Writes and reads every message of a stage; returns the changed elements that were exercised.
    fn exchange_all(&self, stage: &Stage<'s, 'a, '_>, findings: &mut Findings) -> Vec<Place> {
        let elements = stage.comparer.elements(stage.types.0, stage.types.1);
        let identities: Vec<Option<Identity>> = (0..elements.list.len())
            .map(|index| Some(elements.identity(index)).filter(|identity| self.changed.contains(identity)))
            .collect();
        let messages = generate::messages(&stage.comparer, stage.types, &|index| identities[index].is_some());
        findings.left_out.extend(messages.left_out);
        let before = findings.messages;
        let mut exercised = Vec::new();
        for surface in SURFACES.into_iter().filter(|surface| stage.comparer.pairs_fields(*surface, stage.types)) {
            let mut is_exercised = vec![false; elements.list.len()];
            let mut any_accepted = false;
            for record in &messages.records {
                let Some(exchange) = stage.exchange(surface, record) else {
                    continue;
                };
                findings.messages += 1;
                let notes = stage.notes(&exchange);
                if exchange.read.is_ok() {
                    any_accepted = true;
                    for index in record.fields.keys().filter_map(|number| elements.of_writer(*number)) {
                        is_exercised[index] = true;
                    }
                } else {
                    for (index, identity) in identities.iter().enumerate() {
                        is_exercised[index] |= notes.iter().any(|note| Some(&note.identity) == identity.as_ref());
                    }
                }
                findings.take_in(stage, &exchange, notes);
            }
            for (index, element) in elements.list.iter().enumerate() {
                is_exercised[index] |= any_accepted && element.writer.is_none();
            }
            let identities = identities.iter().zip(is_exercised);
            exercised.extend(identities.filter(|(_, is_exercised)| *is_exercised).filter_map(|(identity, _)| {
                identity.clone().map(|identity| (identity, surface, stage.comparer.direction))
            }));
        }
        let name = &stage.type_name;
        if stage.too_long.get() > 0 {
            findings
                .left_out
                .push(format!("{} synthetic messages of `{name}`, because they are long", stage.too_long.get()));
        }
        if findings.messages == before {
            findings.left_out.push(format!("synthetic messages of `{name}`, because none can be written"));
        }
        exercised
    }

    /// Old data outlives the schema: a number that the old side reserves may still hold what an earlier writer put there.
    fn earlier_writers(&self, types: Pair<MessageId>, findings: &mut Findings) {
        let Pair { old, new } = self.types;
        let reserved = &old.schema.message(types.old).reserved;
        if reserved.is_empty() {
            return;
        }
        let comparer = Comparer::new(old, new, Direction::Backward, &self.known);
        let earlier = Comparer::new(new, new, Direction::Forward, &self.known);
        let elements = comparer.elements(types.old, types.new);
        for (index, element) in elements.list.iter().enumerate() {
            let Some(field) = element.reader else {
                continue;
            };
            if !reserved.iter().any(|(start, end)| (*start..=*end).contains(&field.number)) {
                continue;
            }
            let Some(value) = generate::sample(&earlier, field) else {
                continue;
            };
            let base = generate::base(&comparer, (types.old, types.new));
            let mut bytes = codec::encode(old, types.old, &base);
            let held = Record::empty(types.new.0).with(field.number, value.clone());
            bytes.extend(codec::encode(new, types.new, &held));
            if codec::decode(old, types.old, &bytes).as_ref() != Ok(&base) {
                continue;
            }
            let Ok(read) = codec::decode(new, types.new, &bytes) else {
                continue;
            };
            findings.messages += 1;
            if !read.fields.contains_key(&field.number) {
                continue;
            }
            let mut wrote = value::record_for_people(&base, &SchemaNames(old));
            if let Some(members) = wrote.as_object_mut() {
                let shown = value::for_people(&value, &SchemaNames(new));
                members.insert(format!("{} (of an earlier writer)", field.number), shown);
            }
            let witness = Witness {
                type_name: old.schema.message(types.old).full_name.to_string(),
                wrote,
                written_parts: parts::parts(old, types.old, &bytes),
                read_parts: parts::parts(new, types.new, &bytes),
                bytes,
                read: value::record_for_people(&read, &SchemaNames(new)),
            };
            let place = (elements.identity(index), Surface::Wire, Direction::Backward);
            findings.keep(place, Outcome::Wrong, witness.bytes.len(), || (witness, None));
        }
    }

    /// A pair of enums, in a message with one field that tracks presence. So a value that a reader has no name for is
    /// told alike, wherever it stands; that it takes a required field with it is not told.
    fn enums(&self, types: Pair<EnumId>) -> Findings {
        let mut findings = Findings::default();
        for direction in DIRECTIONS {
            self.exchange_enum(types, direction, &mut findings);
        }
        findings.exercised = self.enum_identities(types);
        findings
    }

    fn exchange_enum(&self, types: Pair<EnumId>, direction: Direction, findings: &mut Findings) {
        let (writer, reader) = roles(direction, self.types);
        let enums = roles(direction, types);
        let holders = ([holder_field(enums.0)], [holder_field(enums.1)]);
        let writer = Types { holder: &holders.0, ..writer };
        let reader = Types { holder: &holders.1, ..reader };
        let comparer = Comparer::new(writer, reader, direction, &self.known);
        let type_name = writer.schema.enumeration(enums.0).full_name.to_string();
        let stage =
            Stage { comparer, types: (HOLDER, HOLDER), type_name, pool: OnceCell::new(), too_long: Cell::new(0) };
        let mut numbers = generate::enum_numbers(writer, reader, enums);
        if numbers.len() > ENUM_NUMBERS {
            let more = numbers.len() - ENUM_NUMBERS;
            findings.left_out.push(format!("{more} numbers of the enum `{}`", stage.type_name));
            numbers.truncate(ENUM_NUMBERS);
        }
        let values = numbers.into_iter().map(|number| Value::Enum { ty: enums.0.0, number });
        let mut records = vec![Record::empty(HOLDER.0)];
        records.extend(values.map(|value| Record::empty(HOLDER.0).with(1, value)));
        for surface in SURFACES {
            for record in &records {
                let Some(exchange) = stage.exchange(surface, record) else { continue };
                findings.messages += 1;
                let notes = stage.notes(&exchange);
                findings.take_in(&stage, &exchange, notes);
            }
        }
    }

    /// Everything of an enum that was written or is absent by nature: all of it, because enums are written in full.
    fn enum_identities(&self, types: Pair<EnumId>) -> Vec<Place> {
        let container = pairing::enum_container(self.types.map(|types| types.schema), types);
        let mut identities = vec![pairing::enum_default(&container), pairing::enum_openness(&container)];
        for (schema, id) in [(self.types.old.schema, types.old), (self.types.new.schema, types.new)] {
            for value in &schema.enumeration(id).ast.values {
                identities.push(pairing::by_number(&container, i32::try_from(value.number).unwrap_or_default()));
                identities.push(pairing::by_name(&container, &value.name.text));
            }
        }
        identities.sort();
        identities.dedup();
        let changed = identities.into_iter().filter(|identity| self.changed.contains(identity));
        let cells = SURFACES.into_iter().flat_map(|surface| DIRECTIONS.map(|direction| (surface, direction)));
        changed
            .flat_map(|identity| cells.clone().map(move |(surface, direction)| (identity.clone(), surface, direction)))
            .collect()
    }

    fn gather(&self, found: Vec<Findings>) -> Observed {
        let mut observed = Observed::default();
        let mut worst: BTreeMap<Place, Reading> = BTreeMap::new();
        for findings in found {
            observed.count(findings.messages, findings.exercised, findings.left_out);
            for (place, reading) in findings.worst {
                match worst.get(&place) {
                    Some(known) if !reading.beats(known) => {}
                    _ => {
                        worst.insert(place, reading);
                    }
                }
            }
        }
        observed.observations = worst.into_values().flat_map(|reading| reading.observations).collect();
        observed.in_order()
    }
}

impl Reading {
    fn beats(&self, known: &Reading) -> bool {
        self.outcome > known.outcome || self.outcome == known.outcome && self.size < known.size
    }
}

impl Findings {
    fn take_in(&mut self, stage: &Stage<'_, '_, '_>, exchange: &Exchange<'_>, notes: Vec<Note>) {
        let mut told: BTreeMap<Identity, Outcome> = BTreeMap::new();
        for note in notes {
            let outcome = told.entry(note.identity).or_insert(note.outcome);
            *outcome = note.outcome.max(*outcome);
        }
        for (identity, outcome) in told {
            let place = (identity, exchange.surface, stage.comparer.direction);
            self.keep(place.clone(), outcome, exchange.bytes.len(), || {
                (stage.witness(exchange), stage.second_reading(exchange, &place.0, outcome))
            });
        }
    }

    /// Keeps a reading when it is worse than what is known, or as bad and smaller.
    fn keep(
        &mut self,
        place: Place,
        outcome: Outcome,
        size: usize,
        tell: impl FnOnce() -> (Witness, Option<(Outcome, serde_json::Value)>),
    ) {
        let known = self.worst.get(&place);
        let is_better =
            known.is_none_or(|known| outcome > known.outcome || outcome == known.outcome && size < known.size);
        if !is_better || outcome == Outcome::Safe {
            return;
        }
        let (identity, surface, direction) = place.clone();
        let (witness, other) = tell();
        let observation = Observation { identity, runtime: SPEC, surface, direction, outcome, witness };
        let mut observations = vec![observation];
        if let Some((outcome, read)) = other {
            let mut illustration = observations[0].clone();
            illustration.runtime = observer::NAME;
            illustration.outcome = outcome;
            illustration.witness.read = read;
            observations.push(illustration);
        }
        self.worst.insert(place, Reading { outcome, observations, size });
    }
}

impl Stage<'_, '_, '_> {
    /// Writes a record and reads it; `None` when the writer's own schema does not read it back as written.
    fn exchange<'r>(&self, surface: Surface, record: &'r Record) -> Option<Exchange<'r>> {
        let (writer, reader) = (self.comparer.writer, self.comparer.reader);
        let (bytes, control) = match surface {
            Surface::Json => {
                let text = json::encode(writer, self.types.0, record).ok()?;
                let control = json::decode(writer, self.types.0, &text);
                (text, control)
            }
            Surface::Wire | Surface::Source => {
                let bytes = codec::encode(writer, self.types.0, record);
                let control = codec::decode(writer, self.types.0, &bytes);
                (bytes, control)
            }
        };
        if bytes.len() > BYTES {
            self.too_long.set(self.too_long.get() + 1);
            return None;
        }
        if control.as_ref() != Ok(record) {
            return None;
        }
        let read = match surface {
            Surface::Json => json::decode(reader, self.types.1, &bytes),
            Surface::Wire | Surface::Source => codec::decode(reader, self.types.1, &bytes),
        };
        Some(Exchange { surface, wrote: record, bytes, read })
    }

    fn notes(&self, exchange: &Exchange<'_>) -> Vec<Note> {
        match &exchange.read {
            Ok(read) => self.comparer.compare(exchange.surface, self.types, exchange.wrote, read),
            Err(error) => self.comparer.rejected(exchange.surface, self.types, exchange.wrote, error),
        }
    }

    /// What the second reader makes of a witness on the wire.
    fn second_reading(
        &self,
        exchange: &Exchange<'_>,
        identity: &Identity,
        outcome: Outcome,
    ) -> Option<(Outcome, serde_json::Value)> {
        if exchange.surface != Surface::Wire || outcome <= Outcome::Defaulted {
            return None;
        }
        let pool = self.pool.get_or_init(|| Pool::of(self.comparer.reader, self.types.1)).as_ref()?;
        pool.observe(&self.comparer, self.types, identity, (exchange.wrote, &exchange.bytes))
    }

    fn byte_parts(&self, exchange: &Exchange<'_>, types: Types<'_, '_>, id: MessageId) -> Vec<BytePart> {
        match exchange.surface {
            Surface::Wire => parts::parts(types, id, &exchange.bytes),
            Surface::Json | Surface::Source => Vec::new(),
        }
    }

    fn witness(&self, exchange: &Exchange<'_>) -> Witness {
        Witness {
            type_name: self.type_name.clone(),
            wrote: value::record_for_people(exchange.wrote, &SchemaNames(self.comparer.writer)),
            bytes: exchange.bytes.clone(),
            read: match &exchange.read {
                Ok(read) => value::record_for_people(read, &SchemaNames(self.comparer.reader)),
                Err(error) => serde_json::Value::String(error.reason.to_string()),
            },
            written_parts: self.byte_parts(exchange, self.comparer.writer, self.types.0),
            read_parts: self.byte_parts(exchange, self.comparer.reader, self.types.1),
        }
    }
}

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

/// The names of a schema, for people.
pub(super) struct SchemaNames<'s, 'a>(pub(super) Types<'s, 'a>);

impl Names for SchemaNames<'_, '_> {
    fn field(&self, record: u32, key: i32) -> Cow<'_, str> {
        match self.0.field(MessageId(record), key) {
            Some(field) if field.is_extension => Cow::Owned(format!("[{}]", field.name)),
            Some(field) => Cow::Borrowed(&field.name),
            None => Cow::Owned(key.to_string()),
        }
    }

    fn enum_value(&self, ty: u32, number: i32) -> Option<Cow<'_, str>> {
        let values = &self.0.schema.enumeration(EnumId(ty)).ast.values;
        let value = values.iter().find(|value| value.number == i64::from(number));
        value.map(|value| Cow::Borrowed(&*value.name.text))
    }
}

/// Writer and reader of a direction.
fn roles<T>(direction: Direction, pair: Pair<T>) -> (T, T) {
    let pair = in_order(direction, pair.old, pair.new);
    (pair.old, pair.new)
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

/// Field number 1 of an enum type, tracking presence.
fn holder_field<'a>(id: EnumId) -> Field<'a> {
    Field {
        name: Cow::Borrowed("value"),
        number: 1,
        kind: Kind::Enum(id),
        cardinality: Cardinality::Singular,
        presence: Presence::Explicit,
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
