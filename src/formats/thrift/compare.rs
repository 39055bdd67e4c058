//! What a reader saw of what a writer wrote: visible values, element by element, never bytes.
//!
//! Elements pair exactly as [`super::pairing`] says. Outcomes follow from the two records alone, and from where the
//! reader went astray; this module knows neither the changes nor the rules.

use std::sync::Arc;

use crate::change::{Identity, Pair};
use crate::evidence::{Direction, Outcome};
use crate::formats::frame::meanings::Meaning;
use crate::formats::roundtrip::{self, EnumNames, Lazily, Note, OwnIdentities, Shared, Sides};
use crate::value::{Record, Value, same_to_reader};

use super::codec::{
    CONTENT, Cause, HOLDER, KEY, ReadError, Reading, Types, entries_of, is_known, is_one_of, returns_something,
};
use super::made::{self, Likeness};
use super::model::{EnumId, Field, Requiredness, Schema, Sort, Struct, StructId, Type};
use super::pairing::{self, Pairs};

/// The type pairs that have identities of their own, and the names of the values of enums.
#[derive(Debug)]
pub(super) struct Identities {
    own: OwnIdentities<StructId, EnumId>,
    names: Pair<Lazily<EnumNames>>,
}

impl Identities {
    /// The pairs that are compared.
    pub(super) fn of(schemas: Pair<&Schema<'_>>, pairs: &Pairs) -> Self {
        Self {
            own: OwnIdentities::of(&pairs.structs, &pairs.enums),
            names: schemas.map(|schema| Lazily::new(schema.enums.len())),
        }
    }
}

/// One element of a pair of structs, seen from the writer to the reader.
pub(super) type Element<'s, 'b> = roundtrip::Element<'s, Field<'b>>;

/// All elements of a pair of structs.
pub(super) type Elements<'s, 'b> = roundtrip::Elements<'s, Field<'b>>;

impl Element<'_, '_> {
    /// Whether the types of both sides are looked into.
    pub(super) fn is_known(&self) -> bool {
        [self.writer, self.reader].into_iter().flatten().all(|field| is_known(&field.ty))
    }
}

/// Compares records of one writer and one reader.
pub(super) struct Comparer<'s, 'b, 'k> {
    /// Both sides' types.
    pub(super) types: Sides<Types<'s, 'b>>,
    /// Who is old and who is new.
    pub(super) direction: Direction,
    identities: &'k Identities,
    cache: Shared<Sides<StructId>, Elements<'s, 'b>>,
}

impl<'s, 'b, 'k> Comparer<'s, 'b, 'k> {
    /// A comparer without anything compared yet.
    pub(super) fn new(types: Sides<Types<'s, 'b>>, direction: Direction, identities: &'k Identities) -> Self {
        Self { types, direction, identities, cache: Shared::default() }
    }

    /// Both structs of a pair.
    pub(super) fn structs(&self, ids: Sides<StructId>) -> Sides<&'s Struct<'b>> {
        Sides { writer: self.types.writer.structure(ids.writer), reader: self.types.reader.structure(ids.reader) }
    }

    /// The elements of a pair of structs.
    pub(super) fn elements(&self, ids: Sides<StructId>) -> Arc<Elements<'s, 'b>> {
        self.cache.get(ids, || self.paired(ids))
    }

    fn paired(&self, ids: Sides<StructId>) -> Elements<'s, 'b> {
        let structs = self.structs(ids);
        let fields = Sides { writer: &structs.writer.fields[..], reader: &structs.reader.fields[..] };
        let pairs = pairing::fields(structs.in_order(self.direction));
        let mut elements = Elements::of(pairs, self.direction, fields, &self.container(ids));
        let is_felt = |element: &Element<'_, '_>| match (element.writer, element.reader) {
            (Some(writer), Some(reader)) => self.absent(structs, Sides { writer, reader }).is_some(),
            (writer, _) => writer.is_none(),
        };
        elements.always = (0..elements.list.len()).filter(|index| is_felt(&elements.list[*index])).collect();
        elements
    }

    fn container(&self, ids: Sides<StructId>) -> String {
        let structs = self.structs(ids);
        let names = Sides { writer: &*structs.writer.full_name, reader: &*structs.reader.full_name };
        pairing::container(names.in_order(self.direction))
    }

    /// What identifies whether the type is a struct or a union.
    pub(super) fn sort(&self, ids: Sides<StructId>) -> Identity {
        pairing::sort(&self.container(ids))
    }

    /// What a reader experienced; of what nobody wrote or read, if that is asked for.
    pub(super) fn notes(
        &self,
        ids: Sides<StructId>,
        wrote: &Record,
        (reading, with_always): (&Reading, bool),
    ) -> Vec<Note> {
        let mut notes = Vec::new();
        match &reading.result {
            Ok(read) => self.felt(None, ids, (Sides { writer: wrote, reader: read }, with_always), &mut notes),
            Err(error) => self.blame(None, ids, wrote, (&error.path, error), &mut notes),
        }
        let Some(path) = &reading.astray else { return notes };
        // Whatever went wrong went wrong there.
        let outcomes = notes.iter().map(|note| note.outcome).filter(|outcome| *outcome >= Outcome::Lossy);
        let Some(outcome) = outcomes.max() else { return notes };
        let reason = ReadError { path: path.clone(), cause: Cause::Malformed, reason: String::new() };
        let mut notes = Vec::new();
        self.blame(None, ids, wrote, (path, &reason), &mut notes);
        notes.iter_mut().for_each(|note| note.outcome = outcome);
        notes
    }

    fn records(&self, outer: Option<&Identity>, ids: Sides<StructId>, records: Sides<&Record>, notes: &mut Vec<Note>) {
        self.felt(outer, ids, (records, true), notes);
    }

    fn felt(
        &self,
        outer: Option<&Identity>,
        ids: Sides<StructId>,
        (records, with_always): (Sides<&Record>, bool),
        notes: &mut Vec<Note>,
    ) {
        let elements = self.elements(ids);
        let structs = self.structs(ids);
        for index in elements.felt(records.writer, records.reader, with_always) {
            let element = &elements.list[index];
            let identity = outer.unwrap_or(&element.identity);
            let tell = |outcome| Note { identity: identity.clone(), outcome };
            let wrote = element.writer.and_then(|field| records.writer.fields.get(&i32::from(field.id)));
            let read = element.reader.and_then(|field| records.reader.fields.get(&i32::from(field.id)));
            match (element.writer, element.reader) {
                (Some(writer), None) => {
                    let outcome = wrote.and_then(|_| unknown_arm(writer.id, structs.reader, records.reader));
                    notes.extend(outcome.map(tell));
                }
                (None, Some(_)) if read.is_none() => {
                    notes.extend((!is_one_of(structs.reader)).then(|| tell(Outcome::Defaulted)));
                }
                (Some(writer), Some(reader)) if is_known(&writer.ty) && is_known(&reader.ty) => match (wrote, read) {
                    (Some(wrote), Some(read)) if writer.id == reader.id => {
                        let types = Sides { writer: &writer.ty, reader: &reader.ty };
                        if structs.reader.sort == Sort::Result && writer.id != 0 && self.are_other_structs(types) {
                            // Whatever the bytes say, the caller is told of another failure.
                            notes.push(tell(Outcome::Wrong));
                        }
                        self.values(identity, types, Sides { writer: wrote, reader: read }, notes);
                    }
                    // Where no value is awaited, an exception that is not found is one that is not known.
                    (Some(_), None) => {
                        let unknown = unknown_arm(writer.id, structs.reader, records.reader);
                        notes.push(tell(unknown.map_or(Outcome::Lossy, |outcome| outcome.max(Outcome::Lossy))));
                    }
                    (None, None) => notes.extend(self.absent(structs, Sides { writer, reader }).map(tell)),
                    // Another field's value is no other value where both are equal.
                    (wrote, Some(read)) => {
                        let types = Sides { writer: &writer.ty, reader: &reader.ty };
                        if !wrote.is_some_and(|wrote| self.is_same(types, Sides { writer: wrote, reader: read })) {
                            notes.extend(elements.foreign(outer, index, Outcome::Wrong));
                        }
                    }
                },
                (None, Some(_)) => notes.extend(elements.foreign(outer, index, Outcome::Wrong)),
                (Some(_), Some(_)) | (None, None) => {}
            }
        }
    }

    /// Whether one struct took the place of another, so that what is inside is told of the place.
    pub(super) fn is_replaced(&self, ids: Sides<StructId>) -> bool {
        let are_holders = ids.writer == HOLDER || ids.reader == HOLDER;
        !are_holders && !self.knows(ids) && {
            let Sides { writer, reader } = self.structs(ids);
            writer.full_name != reader.full_name
        }
    }

    /// Whether one enum took the place of another.
    pub(super) fn is_replaced_enum(&self, ids: Sides<EnumId>) -> bool {
        let schemas = Sides { writer: self.types.writer.schema, reader: self.types.reader.schema };
        !self.identities.own.has_enum(ids.in_order(self.direction))
            && schemas.writer.enumeration(ids.writer).full_name != schemas.reader.enumeration(ids.reader).full_name
    }

    /// Whether the name of one of two structs goes on beside the other.
    fn are_other_structs(&self, types: Sides<&Type>) -> bool {
        let (Type::Struct(writer), Type::Struct(reader)) = (types.writer, types.reader) else { return false };
        let structs = self.structs(Sides { writer: *writer, reader: *reader });
        let Sides { writer, reader } = self.types;
        structs.writer.full_name != structs.reader.full_name
            && (reader.schema.structs_by_name.contains_key(&structs.writer.full_name)
                || writer.schema.structs_by_name.contains_key(&structs.reader.full_name))
    }

    /// Nothing was written and nothing read: does the absence mean the same to both?
    fn absent(&self, structs: Sides<&Struct<'_>>, fields: Sides<&Field<'_>>) -> Option<Outcome> {
        // All others are written always.
        let is_optional = fields.writer.requiredness == Requiredness::Optional;
        if !is_optional || is_one_of(structs.writer) || is_one_of(structs.reader) {
            return None;
        }
        match (&fields.writer.default, &fields.reader.default) {
            (Some(_), Some(_)) => self.defaults_differ(fields).then_some(Outcome::Wrong),
            // It is absent to both, and each side says what that means to it.
            (None, Some(_)) | (Some(_), None) => Some(Outcome::Defaulted),
            (None, None) => None,
        }
    }

    /// Whether two fields have defaults of which readers make different values, or only one has a default. Of those of which
    /// nobody knows, nothing is shown.
    pub(super) fn defaults_differ(&self, fields: Sides<&Field<'_>>) -> bool {
        match (&fields.writer.default, &fields.reader.default) {
            (Some(writer), Some(reader)) => {
                let schemas = Sides { writer: self.types.writer.schema, reader: self.types.reader.schema };
                let types = Sides { writer: &fields.writer.ty, reader: &fields.reader.ty };
                let values = Sides { writer, reader };
                let direction = self.direction;
                let likeness =
                    made::same(schemas.in_order(direction), types.in_order(direction), values.in_order(direction));
                likeness == Likeness::Other
            }
            (one, two) => one.is_some() != two.is_some(),
        }
    }

    /// Whether a pair of structs has identities of its own.
    pub(super) fn knows(&self, ids: Sides<StructId>) -> bool {
        self.identities.own.has(ids.in_order(self.direction))
    }

    /// One value of the writer and what the reader has there.
    fn values(&self, identity: &Identity, types: Sides<&Type>, values: Sides<&Value>, notes: &mut Vec<Note>) {
        let tell = |outcome| Note { identity: identity.clone(), outcome };
        match (types.writer, types.reader, values.writer, values.reader) {
            (Type::Struct(writer), Type::Struct(reader), Value::Record(wrote), Value::Record(read)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                let outer = (!self.knows(ids)).then_some(identity);
                self.records(outer, ids, Sides { writer: wrote, reader: read }, notes);
            }
            (
                Type::List(writer) | Type::Set(writer),
                Type::List(reader) | Type::Set(reader),
                Value::List(wrote),
                Value::List(read),
            ) => {
                if wrote.len() != read.len() {
                    notes.push(tell(Outcome::Wrong));
                }
                let is_twice = |(at, item): (usize, &Value)| wrote[..at].contains(item);
                if matches!((types.writer, types.reader), (Type::List(_), Type::Set(_)))
                    && wrote.iter().enumerate().any(is_twice)
                {
                    notes.push(tell(Outcome::Lossy));
                }
                if matches!(types.reader, Type::Set(_)) {
                    self.merged(identity, Sides { writer, reader }, (wrote, read), notes);
                }
                for (wrote, read) in wrote.iter().zip(read) {
                    let types = Sides { writer: &**writer, reader: &**reader };
                    self.values(identity, types, Sides { writer: wrote, reader: read }, notes);
                }
            }
            (Type::Map(writer), Type::Map(reader), wrote, read) => {
                let types = Sides { writer: &**writer, reader: &**reader };
                self.maps(identity, types, Sides { writer: wrote, reader: read }, notes);
            }
            (Type::Enum(writer), Type::Enum(reader), wrote, read) => match (enum_number(wrote), enum_number(read)) {
                (Some(wrote), Some(read)) => {
                    let ids = Sides { writer: *writer, reader: *reader };
                    self.enum_numbers(identity, ids, Sides { writer: wrote, reader: read }, notes);
                }
                _ => notes.push(tell(Outcome::Wrong)),
            },
            // Another value was skipped without being mistaken for something: the reader's struct is empty.
            (written, Type::Struct(_), _, Value::Record(read))
                if read.fields.is_empty() && !matches!(written, Type::Struct(_)) =>
            {
                notes.push(tell(Outcome::Lossy));
            }
            (_, reader, wrote, read) => {
                if !same_to_reader(wrote, read) {
                    notes.push(tell(Outcome::Wrong));
                } else if let (Type::Enum(reader), Some(number)) = (reader, enum_number(read))
                    && self.read_names(*reader).names(number.into()).is_empty()
                {
                    notes.push(tell(Outcome::Unrecognized));
                }
            }
        }
    }

    fn maps(&self, identity: &Identity, types: Sides<&(Type, Type)>, maps: Sides<&Value>, notes: &mut Vec<Note>) {
        let (wrote, mut read) = (entries_of(maps.writer), entries_of(maps.reader));
        let keys = Sides { writer: &types.writer.0, reader: &types.reader.0 };
        let contents = Sides { writer: &types.writer.1, reader: &types.reader.1 };
        let keys_of = |entries: &[(Value, Value)]| entries.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
        self.merged(identity, keys, (&keys_of(&wrote), &keys_of(&read)), notes);
        let are_lists = matches!((maps.writer, maps.reader), (Value::List(_), Value::List(_)));
        let are_same = || wrote.iter().zip(&read).all(|(wrote, read)| wrote.0 == read.0);
        if wrote.len() == read.len() && (are_lists || are_same()) {
            // Keys that hold something are read as they are, whatever is missing in them, and numbers are numbers.
            for ((key, value), (seen_key, seen)) in wrote.iter().zip(&read) {
                self.values(identity, keys, Sides { writer: key, reader: seen_key }, notes);
                self.values(identity, contents, Sides { writer: value, reader: seen }, notes);
            }
            return;
        }
        let mut lost = 0;
        for (key, value) in &wrote {
            let found = read.iter().position(|(other, _)| self.is_same(keys, Sides { writer: key, reader: other }));
            match found {
                Some(position) => {
                    let (seen_key, seen) = read.remove(position);
                    self.values(identity, keys, Sides { writer: key, reader: &seen_key }, notes);
                    self.values(identity, contents, Sides { writer: value, reader: &seen }, notes);
                }
                None => lost += 1,
            }
        }
        let tell = |outcome| Note { identity: identity.clone(), outcome };
        notes.extend((lost > 0).then(|| tell(Outcome::Lossy)));
        notes.extend((!read.is_empty()).then(|| tell(Outcome::Wrong)));
    }

    fn is_same(&self, types: Sides<&Type>, values: Sides<&Value>) -> bool {
        let mut notes = Vec::new();
        self.values(&Identity(String::new()), types, values, &mut notes);
        notes.iter().all(|note| note.outcome <= Outcome::Unrecognized)
    }

    /// The names of one of the writer's enums.
    pub(super) fn written_names(&self, id: EnumId) -> &'k EnumNames {
        let names = Sides::of(self.direction, self.identities.names.as_ref()).writer;
        names.get(id.0 as usize, || names_of(self.types.writer.schema, id))
    }

    /// The names of one of the reader's enums.
    pub(super) fn read_names(&self, id: EnumId) -> &'k EnumNames {
        let names = Sides::of(self.direction, self.identities.names.as_ref()).reader;
        names.get(id.0 as usize, || names_of(self.types.reader.schema, id))
    }

    /// The names of a number on both sides.
    pub(super) fn names_of(&self, ids: Sides<EnumId>, number: i32) -> impl Iterator<Item = &'k str> {
        let (written, read) = (self.written_names(ids.writer), self.read_names(ids.reader));
        written.names(number.into()).iter().chain(read.names(number.into())).map(|name| &**name)
    }

    /// A number of an enum was written, and a number was read.
    fn enum_numbers(&self, field: &Identity, ids: Sides<EnumId>, numbers: Sides<i32>, notes: &mut Vec<Note>) {
        let names = Sides { writer: self.written_names(ids.writer), reader: self.read_names(ids.reader) };
        if numbers.writer != numbers.reader {
            let meant = names.writer.names(numbers.writer.into());
            let seen = names.reader.names(numbers.reader.into());
            // A default that is left out means the same under another number.
            if !meant.iter().any(|name| seen.contains(name)) {
                notes.push(Note { identity: field.clone(), outcome: Outcome::Wrong });
            }
            return;
        }
        let number = i128::from(numbers.writer);
        let (written, read) = (names.writer.names(number), names.reader.names(number));
        if written.is_empty() || written.iter().any(|name| read.contains(name)) {
            return;
        }
        let pair = ids.in_order(self.direction);
        let identity = |make: &dyn Fn(&str) -> Identity| match self.identities.own.has_enum(pair) {
            true => make(&pairing::enum_container(
                Sides { writer: self.types.writer.schema, reader: self.types.reader.schema }.in_order(self.direction),
                pair,
            )),
            false => field.clone(),
        };
        let outcome = if read.is_empty() { Outcome::Lossy } else { Outcome::Wrong };
        let before = notes.len();
        for name in written.iter().chain(read).filter(|name| names.writer.is_moved(names.reader, name)) {
            notes.push(Note { identity: identity(&|container| pairing::by_name(container, name)), outcome });
        }
        if notes.len() > before {
            return;
        }
        if read.is_empty() {
            let identity = identity(&|container| pairing::by_number(container, numbers.writer));
            notes.push(Note { identity, outcome: Outcome::Unrecognized });
        } else if self.meaning(ids, Sides { writer: written, reader: read }, number) != Meaning::Renamed {
            let identity = identity(&|container| pairing::by_number(container, numbers.writer));
            notes.push(Note { identity, outcome: Outcome::Wrong });
        }
    }

    /// What a number means to the old side and to the new one, which have these names for it.
    fn meaning(&self, ids: Sides<EnumId>, names: Sides<&[Arc<str>]>, number: i128) -> Meaning {
        let called = Sides {
            writer: self.types.writer.schema.enumeration(ids.writer).called(),
            reader: self.types.reader.schema.enumeration(ids.reader).called(),
        };
        let names = names.map(|names| names.iter().map(|name| &**name).collect::<Vec<_>>()).in_order(self.direction);
        let names = names.as_ref().map(Vec::as_slice);
        Meaning::of(called.in_order(self.direction), names, number, self.is_replaced_enum(ids))
    }

    /// What a reader who rejected the bytes experienced: which element made it fail.
    fn blame(
        &self,
        outer: Option<&Identity>,
        ids: Sides<StructId>,
        wrote: &Record,
        (path, error): (&[i32], &ReadError),
        notes: &mut Vec<Note>,
    ) {
        let elements = self.elements(ids);
        let identity = |index: usize| outer.unwrap_or(&elements.list[index].identity).clone();
        let fails = |index| Note { identity: identity(index), outcome: Outcome::Fails };
        let index = path.first().and_then(|id| elements.of_reader(*id));
        if let (Some(index), Some(id)) = (index, path.first()) {
            let element = &elements.list[index];
            let written = element.writer.filter(|writer| i32::from(writer.id) == *id);
            let goes_on = path[1..].iter().any(|id| ![KEY, CONTENT].contains(id)) || !is_plain(error);
            if let (Some(writer), Some(reader), true) = (written, element.reader, goes_on)
                && let Some((nested, rest)) = inner_structs(&writer.ty, &reader.ty, &path[1..])
            {
                let child = wrote.fields.get(id).and_then(|value| first_record(value, &path[1..]));
                let empty = Record::empty(nested.writer.0);
                let outer = (!self.knows(nested)).then(|| outer.unwrap_or(&element.identity));
                return self.blame(outer, nested, child.unwrap_or(&empty), (rest, error), notes);
            }
            return match elements.source_of(index) {
                Some(source) if source != index => notes.extend(elements.foreign(outer, index, Outcome::Fails)),
                _ => notes.push(fails(index)),
            };
        }
        let at = |ids: &[i32]| -> Vec<usize> { ids.iter().filter_map(|id| elements.of_reader(*id)).collect() };
        // What its writer always writes is only missing here, where nobody knows the type and can make a value of it.
        let is_lacked = |index: &usize| {
            elements.list[*index]
                .writer
                .is_none_or(|writer| is_known(&writer.ty) || writer.requiredness == Requiredness::Optional)
        };
        let blamed = match &error.cause {
            Cause::Missing(missing) => match at(missing).into_iter().filter(is_lacked).collect::<Vec<_>>() {
                none if none.is_empty() => return,
                blamed => blamed,
            },
            // What was written as a struct, a union cannot hold.
            Cause::SetTwice(..) if !is_one_of(self.structs(ids).writer) => {
                let identity = outer.cloned().unwrap_or_else(|| self.sort(ids));
                return notes.push(Note { identity, outcome: Outcome::Fails });
            }
            Cause::SetTwice(one, two) => at(&[*one, *two]),
            Cause::NoResult | Cause::Malformed => Vec::new(),
        };
        if !blamed.is_empty() {
            notes.extend(blamed.into_iter().map(fails));
            return;
        }
        // The struct as a whole is at fault: what was written in it stands for it, else the value that is missing.
        let written = wrote.fields.keys().find_map(|id| elements.of_writer(*id));
        notes.extend(written.or(elements.of_reader(0)).map(fails));
    }
}

/// Whether an error is told of the innermost field of its path, not of something in the struct there.
fn is_plain(error: &ReadError) -> bool {
    error.cause == Cause::Malformed
}

/// What a reader experiences who knows nothing of the arm that was written.
fn unknown_arm(id: i16, reader: &Struct<'_>, read: &Record) -> Option<Outcome> {
    match reader.sort {
        Sort::Union if read.fields.is_empty() => Some(Outcome::Unrecognized),
        // A function without a return value is taken to have succeeded, which a return value does not belie.
        Sort::Result if id != 0 && read.fields.is_empty() && !returns_something(reader) => Some(Outcome::Wrong),
        Sort::Union | Sort::Result | Sort::Struct | Sort::Exception | Sort::Arguments => None,
    }
}

fn enum_number(value: &Value) -> Option<i32> {
    match value {
        Value::Enum { number, .. } => Some(*number),
        // As the key of a map.
        Value::Int(number) => i32::try_from(*number).ok(),
        _ => None,
    }
}

fn names_of(schema: &Schema<'_>, id: EnumId) -> EnumNames {
    EnumNames::of(schema.enumeration(id).values.iter().map(|value| (&*value.name.text, value.number.into())))
}

/// The structs at the same place of two types, as a path leads into items, keys and values, and the rest of the path.
fn inner_structs<'p>(writer: &Type, reader: &Type, path: &'p [i32]) -> Option<(Sides<StructId>, &'p [i32])> {
    match (writer, reader) {
        (Type::Struct(writer), Type::Struct(reader)) if *writer != HOLDER => {
            Some((Sides { writer: *writer, reader: *reader }, path))
        }
        // A list and a set are written alike.
        (Type::List(writer) | Type::Set(writer), Type::List(reader) | Type::Set(reader)) => {
            inner_structs(writer, reader, path)
        }
        (Type::Map(writer), Type::Map(reader)) => match path {
            [KEY, rest @ ..] => inner_structs(&writer.0, &reader.0, rest),
            [CONTENT, rest @ ..] => inner_structs(&writer.1, &reader.1, rest),
            _ => inner_structs(&writer.1, &reader.1, path),
        },
        _ => None,
    }
}

/// The first record in a value, as deep as containers go, in keys where a path leads into them.
fn first_record<'v>(value: &'v Value, path: &[i32]) -> Option<&'v Record> {
    match value {
        Value::Record(record) if record.ty == super::codec::ENTRY => match path {
            [KEY, rest @ ..] => first_record(record.fields.get(&1)?, rest),
            [CONTENT, rest @ ..] => first_record(record.fields.get(&2)?, rest),
            _ => first_record(record.fields.get(&2)?, path),
        },
        Value::Record(record) => Some(record),
        Value::List(values) => values.iter().find_map(|value| first_record(value, path)),
        Value::Map(entries) => {
            let path = path.strip_prefix(&[CONTENT]).unwrap_or(path);
            entries.values().find_map(|value| first_record(value, path))
        }
        _ => None,
    }
}
