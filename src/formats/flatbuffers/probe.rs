//! The proof: synthetic buffers are written under one version and read under the other, and what readers see is told.
//!
//! Tables are written as roots; structs, enums and unions in a synthetic table, the way they are used. A reading counts
//! only when the writer's own schema reads the buffer back as written; otherwise the outcome is not due to the change. The
//! list of changes only says which elements deserve attention and which of them explains what was seen.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::change::{Change, Identity, Pair, Span};
use crate::evidence::{Direction, Observation, Observed, Outcome, Surface, Witness};
use crate::formats::division::{Division, Written};
use crate::value::{self, Names, Record, Value};

use super::codec::{self, HOLDER, Types, number_of};
use super::compare::{Comparer, Known, Note, Sides};
use super::generate;
use super::model::{Default as Absence, EnumId, Field, FileId, Object, ObjectId, Scalar, Schema, Spelled, Type};
use super::pairing::{self, Pairs, TypePair};
use super::parts;
use super::verify::{self, How, ReadError};

/// The reader that decides.
const SPEC: &str = "spec";
/// Longer buffers are not read.
const BYTES: usize = 1 << 20;
/// More numbers of an enum are not written.
const ENUM_NUMBERS: usize = 3000;

const DIRECTIONS: [Direction; 2] = [Direction::Backward, Direction::Forward];

type Place = (Identity, Direction);

/// Writes and reads synthetic buffers of every pair in which anything differs.
pub(super) fn probe(schemas: Pair<&Schema<'_>>, pairs: &Pairs, changes: &[Change], division: &Division) -> Observed {
    probe_changed(schemas, pairs, changes.iter().map(|change| &change.identity).collect(), division)
}

fn probe_changed(
    schemas: Pair<&Schema<'_>>,
    pairs: &Pairs,
    changed: FxHashSet<&Identity>,
    division: &Division,
) -> Observed {
    let run = Run { types: schemas.map(Types::of), known: Known::of(pairs, changed), pairs, uses: OnceLock::new() };
    let is_here = |new: FileId| division.is_here(&schemas.new.file(new).path);
    let objects = pairs.objects.iter().filter(|pair| pair.changed);
    let objects: Vec<TypePair<ObjectId>> =
        objects.filter(|pair| is_here(schemas.new.object(pair.types.new).file)).copied().collect();
    let enums = pairs.enums.iter().filter(|pair| pair.changed);
    let enums: Vec<TypePair<EnumId>> =
        enums.filter(|pair| is_here(schemas.new.enumeration(pair.types.new).file)).copied().collect();
    let mut found: Vec<Findings> = objects.par_iter().map(|pair| run.objects(pair.types)).collect();
    found.extend(enums.par_iter().map(|pair| run.enums(pair.types)).collect::<Vec<_>>());
    found.extend(run.files(division));
    gather(found)
}

/// The types of which data are written.
pub(super) fn written<'s>(schemas: Pair<&'s Schema<'_>>, pairs: &Pairs) -> Vec<Written<'s>> {
    let Pair { old, new } = schemas;
    let objects = pairs.objects.iter().filter(|pair| pair.changed).map(|pair| {
        let (before, after) = (old.object(pair.types.old), new.object(pair.types.new));
        (Pair::new(before.file, after.file), Pair::new(&*before.full_name, &*after.full_name))
    });
    let enums = pairs.enums.iter().filter(|pair| pair.changed).map(|pair| {
        let (before, after) = (old.enumeration(pair.types.old), new.enumeration(pair.types.new));
        (Pair::new(before.file, after.file), Pair::new(&*before.full_name, &*after.full_name))
    });
    let path = |files: Pair<FileId>| Pair::new(&*old.file(files.old).path, &*new.file(files.new).path);
    objects.chain(enums).map(|(files, names)| Written { files: path(files), names }).collect()
}

struct Run<'s, 'b, 'c> {
    types: Pair<Types<'s, 'b>>,
    known: Known<'c>,
    pairs: &'c Pairs,
    /// The ways in which tables use structs, once somebody asked.
    uses: OnceLock<Vec<Use>>,
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
    size: usize,
    observation: Observation,
}

/// One pair of types in one direction.
struct Stage<'s, 'b, 'k> {
    comparer: Comparer<'s, 'b, 'k>,
    ids: Sides<ObjectId>,
    type_name: String,
    identifiers: Sides<Option<&'s str>>,
    /// What everything is told of, if not of its own identity.
    outer: Option<Identity>,
}

/// What was written and what came of it.
struct Exchange<'r> {
    wrote: &'r Record,
    bytes: Vec<u8>,
    read: Result<Record, ReadError>,
}

/// How a struct or an enum is used.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Use {
    types: Pair<Type>,
}

impl<'s, 'b> Run<'s, 'b, '_> {
    fn objects(&self, ids: Pair<ObjectId>) -> Findings {
        let are_structs =
            (self.types.old.object(ids.old).layout.is_some(), self.types.new.object(ids.new).layout.is_some());
        match are_structs {
            (false, false) => self.tables(ids, None),
            _ => self.structs(ids),
        }
    }

    fn stage<'k>(&'k self, types: Pair<Types<'s, 'b>>, ids: Pair<ObjectId>, direction: Direction) -> Stage<'s, 'b, 'k> {
        let comparer = Comparer::new(roles(direction, types), direction, &self.known);
        let ids = roles(direction, ids);
        let type_name = comparer.objects(ids).writer.full_name.to_string();
        Stage { comparer, ids, type_name, identifiers: Sides { writer: None, reader: None }, outer: None }
    }

    fn tables(&self, ids: Pair<ObjectId>, outer: Option<&Identity>) -> Findings {
        let mut findings = Findings::default();
        for direction in DIRECTIONS {
            let stage = Stage { outer: outer.cloned(), ..self.stage(self.types, ids, direction) };
            let elements = stage.comparer.elements(stage.ids);
            let is_changed =
                |index: usize| outer.is_some() || self.known.changed.contains(&elements.list[index].identity);
            let generated = generate::records(&stage.comparer, stage.ids, &is_changed);
            findings.left_out.extend(generated.left_out);
            let read = self.exchange_all(&stage, &generated.records, &mut findings);
            let unwritten = elements.list.iter().filter(|element| read && element.writer.is_none());
            let mut exercised: Vec<Identity> = unwritten.map(|element| element.identity.clone()).collect();
            exercised.extend(outer.filter(|_| read).cloned());
            findings.exercise(&self.known, exercised, direction);
        }
        findings
    }

    /// Writes and reads every record, notes which changed elements were exercised, and says whether any could be read.
    fn exchange_all(&self, stage: &Stage<'s, 'b, '_>, records: &[Record], findings: &mut Findings) -> bool {
        let elements = stage.comparer.elements(stage.ids);
        let mut exercised = BTreeSet::new();
        let (before, mut is_read) = (findings.messages, false);
        for record in records {
            let Some(exchange) = stage.exchange(record) else { continue };
            findings.messages += 1;
            let notes = stage.notes(&exchange);
            exercised.extend(notes.iter().map(|note| note.identity.clone()));
            if exchange.read.is_ok() {
                is_read = true;
                let written = record.fields.keys().filter_map(|slot| elements.of_writer(*slot));
                exercised.extend(written.map(|index| elements.list[index].identity.clone()));
            }
            findings.take_in(stage, &exchange, notes);
        }
        if findings.messages == before {
            findings.left_out.push(format!("synthetic data of `{}`, because none can be written", stage.type_name));
        }
        findings.exercise(&self.known, exercised, stage.comparer.direction);
        is_read
    }

    /// A pair of structs in every way that tables use them.
    fn structs(&self, ids: Pair<ObjectId>) -> Findings {
        let mut findings = Findings::default();
        let uses: Vec<&Use> =
            self.uses.get_or_init(|| self.uses()).iter().filter(|one| self.holds(&one.types, ids, 0)).collect();
        for used in uses.iter().copied() {
            self.held(used, &mut findings);
        }
        if !uses.is_empty() {
            let schemas = self.types.map(|types| types.schema);
            let container = pairing::object_container(schemas, ids);
            let mut places = vec![pairing::layout(&container), pairing::declaration("sort", &container)];
            for pair in pairing::fields(Pair::new(schemas.old.object(ids.old), schemas.new.object(ids.new))) {
                let old = pair.at.old.map(|index| &schemas.old.object(ids.old).fields[index]);
                let new = pair.at.new.map(|index| &schemas.new.object(ids.new).fields[index]);
                let Some(field) = new.or(old) else { continue };
                places.push(match pair.by_name {
                    true => pairing::by_name(&container, &field.name.text),
                    false => pairing::by_number(&container, field.slot.into()),
                });
            }
            for direction in DIRECTIONS {
                findings.exercise(&self.known, places.clone(), direction);
            }
        }
        findings
    }

    /// The ways in which tables on both sides use structs, each once.
    fn uses(&self) -> Vec<Use> {
        let mut uses: Vec<Use> = Vec::new();
        let mut seen: FxHashSet<Use> = FxHashSet::default();
        let mut add = |old: &Type, new: &Type| {
            let used = Use { types: Pair::new(old.clone(), new.clone()) };
            if seen.insert(used.clone()) {
                uses.push(used);
            }
        };
        for pair in &self.pairs.objects {
            let (old, new) = (self.types.old.object(pair.types.old), self.types.new.object(pair.types.new));
            if old.layout.is_some() || new.layout.is_some() {
                continue;
            }
            for fields in pairing::fields(Pair::new(old, new)) {
                let (Some(before), Some(after)) = (fields.at.old, fields.at.new) else { continue };
                let (before, after) = (&old.fields[before].ty, &new.fields[after].ty);
                if is_use(before, after) {
                    add(before, after);
                }
            }
        }
        uses
    }

    /// Whether a struct pair stands in a use.
    fn holds(&self, types: &Pair<Type>, ids: Pair<ObjectId>, depth: usize) -> bool {
        if depth > 16 {
            return false;
        }
        match (&types.old, &types.new) {
            (Type::Struct(old), Type::Struct(new)) => {
                if *old == ids.old && *new == ids.new {
                    return true;
                }
                let objects = Pair::new(self.types.old.object(*old), self.types.new.object(*new));
                pairing::fields(objects).iter().any(|pair| match (pair.at.old, pair.at.new) {
                    (Some(old), Some(new)) => {
                        let types = Pair::new(objects.old.fields[old].ty.clone(), objects.new.fields[new].ty.clone());
                        self.holds(&types, ids, depth + 1)
                    }
                    _ => false,
                })
            }
            (Type::Struct(old), Type::Table(new)) | (Type::Table(old), Type::Struct(new)) => {
                *old == ids.old && *new == ids.new
            }
            (Type::Vector(old) | Type::Array(old, _), Type::Vector(new) | Type::Array(new, _)) => {
                self.holds(&Pair::new((**old).clone(), (**new).clone()), ids, depth + 1)
            }
            (Type::Union(old), Type::Union(new)) => {
                let members = &self.types.old.schema.enumeration(*old).values;
                members.iter().any(|member| {
                    let number = u32::try_from(member.number).unwrap_or_default();
                    match (&member.ty, self.types.new.member(*new, number)) {
                        (Some(old @ Type::Struct(_)), Some(new @ Type::Struct(_))) => {
                            self.holds(&Pair::new(old.clone(), new.clone()), ids, depth + 1)
                        }
                        _ => false,
                    }
                })
            }
            _ => false,
        }
    }

    /// Writes values of two types in a synthetic table: alone, and with something behind them.
    fn held(&self, used: &Use, findings: &mut Findings) {
        let holders = used.types.as_ref().map(holder);
        let types = Pair::new(
            Types { holder: Some(&holders.old), ..self.types.old },
            Types { holder: Some(&holders.new), ..self.types.new },
        );
        for direction in DIRECTIONS {
            let comparer = Comparer::new(roles(direction, types), direction, &self.known);
            let tys = roles(direction, used.types.as_ref());
            let values = match (tys.writer, tys.reader) {
                (Type::Enum(writer), Type::Enum(_)) => comparer
                    .types
                    .writer
                    .schema
                    .enumeration(*writer)
                    .values
                    .iter()
                    .take(ENUM_NUMBERS)
                    .map(|value| number_of(tys.writer, value.number))
                    .collect(),
                _ => generate::values(comparer.types, tys),
            };
            let type_name = comparer.types.writer.schema.spelled(tys.writer);
            let ids = Sides { writer: HOLDER, reader: HOLDER };
            let identifiers = Sides { writer: None, reader: None };
            let stage = Stage { comparer, ids, type_name, identifiers, outer: None };
            let vector = Value::List((1..=16).map(|index| Value::Int(0x0101_0101 * index)).collect());
            let mut records = Vec::new();
            for value in values {
                let alone = Record::empty(HOLDER.0).with(2, value);
                let beside = alone.clone().with(3, Value::Int(0x1234_5678));
                let before = beside.clone().with(0, vector.clone());
                records.extend([alone, beside, before]);
            }
            self.exchange_all(&stage, &records, findings);
        }
    }

    /// A pair of enums or unions, in a synthetic table. So a value that a reader has no name for is told alike, wherever
    /// it stands.
    fn enums(&self, ids: Pair<EnumId>) -> Findings {
        let mut findings = Findings::default();
        let schemas = self.types.map(|types| types.schema);
        let enums = Pair::new(schemas.old.enumeration(ids.old), schemas.new.enumeration(ids.new));
        let types = match (enums.old.is_union, enums.new.is_union) {
            (false, false) => ids.map(Type::Enum),
            (true, true) => ids.map(Type::Union),
            _ => return findings,
        };
        self.held(&Use { types }, &mut findings);
        if findings.messages > 0 {
            let container = pairing::enum_container(schemas, ids);
            let values = enums.old.values.iter().chain(&enums.new.values);
            let mut places: Vec<Identity> = values
                .flat_map(|value| {
                    [pairing::by_number(&container, value.number), pairing::by_name(&container, &value.name.text)]
                })
                .collect();
            places.push(pairing::declaration("underlying", &enums.new.full_name));
            for direction in DIRECTIONS {
                findings.exercise(&self.known, places.clone(), direction);
            }
        }
        findings
    }

    /// Roots and identifiers of the files that both sides have.
    fn files(&self, division: &Division) -> Vec<Findings> {
        let schemas = self.types.map(|types| types.schema);
        let mut found = Vec::new();
        for new in schemas.new.files.iter().filter(|new| division.is_here(&new.path)) {
            let Some(old) = schemas.old.files.iter().find(|old| old.path == new.path) else { continue };
            let (Some((before, _)), Some((after, _))) = (old.root, new.root) else { continue };
            let ids = Pair::new(before, after);
            let mut all = Findings::default();
            let root = pairing::of_file(&new.path, "root_type");
            if self.known.changed.contains(&root) {
                all.merge(self.tables(ids, Some(&root)));
            }
            let identity = pairing::of_file(&new.path, "file_identifier");
            if !self.known.changed.contains(&identity) {
                found.push(all);
                continue;
            }
            let identifiers = Pair::new(old, new).map(|file| file.identifier.as_ref().map(|one| &*one.text));
            for direction in DIRECTIONS {
                let stage = Stage {
                    identifiers: roles(direction, identifiers),
                    outer: Some(identity.clone()),
                    ..self.stage(self.types, ids, direction)
                };
                let records = generate::records(&stage.comparer, stage.ids, &|_| false).records;
                for record in &records {
                    let Some(exchange) = stage.exchange(record) else { continue };
                    all.messages += 1;
                    let is_rejected = matches!(&exchange.read, Err(error) if error.is_of_identifier);
                    let note = Note { identity: identity.clone(), outcome: Outcome::Fails };
                    all.take_in(&stage, &exchange, if is_rejected { vec![note] } else { Vec::new() });
                }
                all.exercise(&self.known, [identity.clone()], direction);
            }
            found.push(all);
        }
        found
    }
}

fn gather(found: Vec<Findings>) -> Observed {
    let mut observed = Observed::default();
    let mut all = Findings::default();
    for findings in found {
        observed.types += usize::from(findings.messages > 0);
        all.merge(findings);
    }
    observed.messages = all.messages;
    observed.left_out = all.left_out;
    let exercised = all.exercised.into_iter();
    observed.exercised = exercised.map(|(identity, direction)| (identity, Surface::Wire, direction)).collect();
    observed.observations = all.worst.into_values().map(|told| told.observation).collect();
    observed.left_out.sort();
    observed.left_out.dedup();
    observed.in_order()
}

impl Told {
    fn is_beaten_by(&self, outcome: Outcome, size: usize) -> bool {
        outcome > self.outcome || outcome == self.outcome && size < self.size
    }
}

impl Findings {
    fn take_in(&mut self, stage: &Stage<'_, '_, '_>, exchange: &Exchange<'_>, notes: Vec<Note>) {
        let size = exchange.bytes.len();
        for Note { identity, outcome } in notes {
            let place = (identity, stage.comparer.direction);
            let known = self.worst.get(&place);
            if outcome > Outcome::Safe && known.is_none_or(|known| known.is_beaten_by(outcome, size)) {
                let observation = Observation {
                    identity: place.0.clone(),
                    runtime: SPEC,
                    surface: Surface::Wire,
                    direction: place.1,
                    outcome,
                    witness: stage.witness(exchange),
                };
                self.worst.insert(place, Told { outcome, size, observation });
            }
        }
    }

    fn exercise(&mut self, known: &Known<'_>, places: impl IntoIterator<Item = Identity>, direction: Direction) {
        let changed = places.into_iter().filter(|identity| known.changed.contains(identity));
        self.exercised.extend(changed.map(|identity| (identity, direction)));
    }

    fn merge(&mut self, other: Findings) {
        self.messages += other.messages;
        self.exercised.extend(other.exercised);
        self.left_out.extend(other.left_out);
        for (place, told) in other.worst {
            if self.worst.get(&place).is_none_or(|known| known.is_beaten_by(told.outcome, told.size)) {
                self.worst.insert(place, told);
            }
        }
    }
}

impl<'s> Stage<'s, '_, '_> {
    /// Writes a record and reads it; `None` when the writer's own schema does not read it back as written.
    fn exchange<'r>(&self, record: &'r Record) -> Option<Exchange<'r>> {
        let Sides { writer, reader } = self.comparer.types;
        let identifiers = self.identifiers;
        let bytes = codec::encode(writer, self.ids.writer, record, identifiers.writer)?;
        if bytes.len() > BYTES {
            return None;
        }
        let own = How { identifier: identifiers.writer, with_deprecated: true };
        let control = verify::decode(writer, self.ids.writer, &bytes, own).ok()?;
        if completed(writer, &Value::Record(control)) != completed(writer, &Value::Record(record.clone())) {
            return None;
        }
        let how = How { identifier: identifiers.reader, with_deprecated: false };
        let read = verify::decode(reader, self.ids.reader, &bytes, how);
        Some(Exchange { wrote: record, bytes, read })
    }

    fn notes(&self, exchange: &Exchange<'_>) -> Vec<Note> {
        self.comparer.notes(self.outer.as_ref(), self.ids, exchange.wrote, exchange.read.as_ref())
    }

    fn witness(&self, exchange: &Exchange<'_>) -> Witness {
        let Sides { writer, reader } = self.comparer.types;
        let read = match &exchange.read {
            Ok(read) => {
                let mut shown = read.clone();
                let written = &exchange.wrote.fields;
                let object = reader.object(self.ids.reader);
                shown.fields.retain(|slot, value| {
                    let field = object.fields.iter().find(|field| i32::from(field.slot) == *slot);
                    let default = field.and_then(|field| reader.default_of(field));
                    written.is_empty() || written.contains_key(slot) || default.as_ref() != Some(value)
                });
                value::record_for_people(&shown, &SchemaNames(reader))
            }
            Err(error) => serde_json::Value::String(error.reason.clone()),
        };
        Witness {
            written_parts: parts::parts(
                writer,
                self.ids.writer,
                &exchange.bytes,
                How { identifier: None, with_deprecated: true },
            ),
            read_parts: parts::parts(reader, self.ids.reader, &exchange.bytes, How::default()),
            type_name: self.type_name.clone(),
            wrote: value::record_for_people(exchange.wrote, &SchemaNames(writer)),
            bytes: exchange.bytes.clone(),
            read,
        }
    }
}

/// A value with every default filled in.
fn completed(types: Types<'_, '_>, value: &Value) -> Value {
    match value {
        Value::Record(record) => {
            let mut full = Record::empty(record.ty);
            for field in &types.object(ObjectId(record.ty)).fields {
                let given = record.fields.get(&i32::from(field.slot)).map(|value| completed(types, value));
                let value = given.or_else(|| types.default_of(field)).or_else(|| {
                    let is_bytes = verify::is_bytes(&field.ty);
                    match (&field.default, &field.ty) {
                        (Absence::Empty, Type::String) => Some(Value::Text(Vec::new())),
                        (Absence::Empty, _) if is_bytes => Some(Value::Bytes(Vec::new())),
                        (Absence::Empty, _) => Some(Value::List(Vec::new())),
                        _ => None,
                    }
                });
                full.fields.extend(value.map(|value| (field.slot.into(), value)));
            }
            Value::Record(full)
        }
        Value::List(values) => Value::List(values.iter().map(|value| completed(types, value)).collect()),
        Value::Branch { index, value } => Value::Branch { index: *index, value: Box::new(completed(types, value)) },
        value => value.clone(),
    }
}

/// Whether two types of a field have structs in them, and tables at most on one side.
fn is_use(old: &Type, new: &Type) -> bool {
    match (old, new) {
        (Type::Struct(_), Type::Struct(_) | Type::Table(_)) | (Type::Table(_), Type::Struct(_)) => true,
        (Type::Union(_), Type::Union(_)) => true,
        (Type::Vector(old), Type::Vector(new)) => is_use(old, new),
        _ => false,
    }
}

/// The names of a schema, for people.
pub(super) struct SchemaNames<'s, 'b>(pub(super) Types<'s, 'b>);

impl Names for SchemaNames<'_, '_> {
    fn field(&self, record: u32, key: i32) -> Cow<'_, str> {
        let object = self.0.object(ObjectId(record));
        match object.fields.iter().find(|field| i32::from(field.slot) == key) {
            Some(field) => Cow::Borrowed(&field.name.text),
            None => Cow::Owned(key.to_string()),
        }
    }

    fn enum_value(&self, ty: u32, number: i32) -> Option<Cow<'_, str>> {
        let mut values = self.0.schema.enumeration(EnumId(ty)).values.iter();
        values.find(|value| value.number == i128::from(number)).map(|value| Cow::Borrowed(&*value.name.text))
    }
}

/// Writer and reader of a direction.
fn roles<T>(direction: Direction, pair: Pair<T>) -> Sides<T> {
    match direction {
        Direction::Backward => Sides { writer: pair.old, reader: pair.new },
        Direction::Forward => Sides { writer: pair.new, reader: pair.old },
    }
}

/// A table with something behind (0), a value (2, its discriminator 1) and something beside (3).
fn holder<'b>(ty: &Type) -> Object<'b> {
    let span = Span::new(0, 0);
    let spelled = |text: &'static str| Spelled { text: Cow::Borrowed(text), span };
    let field = |slot, name, ty| Field {
        name: spelled(name),
        span,
        slot,
        offset: 0,
        ty,
        written: spelled(name),
        default: Absence::Absent,
        default_written: None,
        id_span: None,
        is_deprecated: false,
        is_required: false,
        is_key: false,
        nested: None,
        is_offset64: false,
        attributes: Vec::new(),
    };
    let number = Type::Scalar(Scalar::U32);
    Object {
        full_name: "".into(),
        name_span: span,
        file: FileId(0),
        layout: None,
        fields: vec![
            field(0, "behind", Type::Vector(Box::new(number.clone()))),
            field(2, "value", ty.clone()),
            field(3, "beside", number),
        ],
        attributes: Vec::new(),
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
