//! What a reader saw of what a writer wrote: visible values, element by element, never bytes.
//!
//! Elements pair exactly as [`super::pairing`] says. Outcomes follow from the two records and the two schemas alone; where
//! a field lies, this comparison does not know.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::change::Identity;
use crate::evidence::{Direction, Outcome};
use crate::formats::frame::differ::declaration;
use crate::formats::frame::meanings::Meaning;
use crate::formats::roundtrip::{Note, OwnIdentities, Shared, Sides};
use crate::ordered::InOrder;
use crate::value::{Record, Value, same_to_reader};

use super::defaults::{self, is_any, items};
use super::felt::follows_what_is_given;
use super::model::{Absence, EnumId, Field, Schema, Slot, Sort, Space, Struct, StructId, Type};
use super::names::for_people;
use super::pairing::{self, by_name, by_number, enum_container};
use super::reader::{is_hidden, is_other_seen, nothing, rejected, seen};

/// One element of a pair of structs, seen from the writer to the reader.
pub(super) struct Element<'s, 'b> {
    /// The writer's field.
    pub(super) writer: Option<&'s Field<'b>>,
    /// The reader's field.
    pub(super) reader: Option<&'s Field<'b>>,
    /// What identifies it.
    pub(super) identity: Identity,
    /// What what is felt of it is told of.
    pub(super) told_of: Identity,
    /// Whether its name identifies it.
    pub(super) is_moved: bool,
    /// Whether another field moved it and its default is another as well: what is felt of it is told of both.
    has_own_default: bool,
    /// Who is told of what the struct is given, where that alone decides what it holds.
    given: Given,
}

/// Who is told of what a generic struct is given.
#[derive(Debug, Clone)]
enum Given {
    /// Nothing of that concerns the field.
    No,
    /// Who gives it.
    ByUser,
    /// Who takes it, at another place than before.
    ByTaker(Identity),
}

impl<'s, 'b> Element<'s, 'b> {
    /// Both fields.
    fn fields(&self) -> Sides<Option<&'s Field<'b>>> {
        Sides { writer: self.writer, reader: self.reader }
    }

    /// Whether what it holds depends on what the struct is given.
    pub(super) fn depends(&self) -> bool {
        [self.writer, self.reader].into_iter().flatten().any(|field| field.ty.depends())
    }

    /// All that what is felt of it is told of.
    pub(super) fn reached(&self) -> impl Iterator<Item = &Identity> {
        [&self.told_of].into_iter().chain(self.has_own_default.then_some(&self.identity))
    }
}

/// What what is felt of a value is told of.
#[derive(Debug, Clone, Copy)]
struct Told<'i> {
    identity: &'i Identity,
    /// Whether that is so of everything inside as well: what is read is not what was written there.
    is_all: bool,
}

/// Fields that are shown of a struct though they are the default, at most.
const SHOWN: usize = 12;

/// All elements of a pair of structs, and which of them a message says anything of.
pub(super) struct Elements<'s, 'b> {
    all: Vec<Element<'s, 'b>>,
    /// Those of which something may be told whether they were written or not.
    busy: Vec<usize>,
    /// The others, by the keys of their fields: nothing is told of them where neither record has these.
    quiet: Sides<FxHashMap<i32, usize>>,
}

impl<'s, 'b> std::ops::Deref for Elements<'s, 'b> {
    type Target = [Element<'s, 'b>];

    fn deref(&self) -> &Self::Target {
        &self.all
    }
}

impl Elements<'_, '_> {
    /// The elements of which two records may tell something, in their order.
    fn told_by(&self, records: Sides<&Record>) -> Vec<usize> {
        let written = records.writer.fields.keys().filter_map(|key| self.quiet.writer.get(key));
        let read = records.reader.fields.keys().filter_map(|key| self.quiet.reader.get(key));
        let mut found: Vec<usize> = self.busy.iter().chain(written).chain(read).copied().collect();
        found.sort_in_order();
        found.dedup();
        found
    }
}

/// Compares records of one writer and one reader.
pub(super) struct Comparer<'s, 'b, 'k> {
    /// Both sides.
    pub(super) schemas: Sides<&'s Schema<'b>>,
    /// Who is old and who is new.
    pub(super) direction: Direction,
    /// What has identities of its own.
    pub(super) own: &'k OwnIdentities<StructId, EnumId>,
    cache: Shared<Sides<StructId>, Elements<'s, 'b>>,
}

impl<'s, 'b, 'k> Comparer<'s, 'b, 'k> {
    /// A comparer without anything compared yet.
    pub(super) fn new(
        schemas: Sides<&'s Schema<'b>>,
        direction: Direction,
        own: &'k OwnIdentities<StructId, EnumId>,
    ) -> Self {
        Self { schemas, direction, own, cache: Shared::default() }
    }

    /// Both structs of a pair.
    pub(super) fn structs(&self, ids: Sides<StructId>) -> Sides<&'s Struct<'b>> {
        Sides { writer: self.schemas.writer.structure(ids.writer), reader: self.schemas.reader.structure(ids.reader) }
    }

    /// The elements of a pair.
    pub(super) fn elements(&self, ids: Sides<StructId>) -> Arc<Elements<'s, 'b>> {
        self.cache.get(ids, || self.paired(ids))
    }

    fn paired(&self, ids: Sides<StructId>) -> Elements<'s, 'b> {
        let structs = self.structs(ids);
        let in_order = structs.in_order(self.direction);
        let container = pairing::container(in_order.map(|of| &*of.full_name));
        let paired = pairing::paired(in_order, &container);
        let names = paired.fields.iter().zip(paired.identities.into_iter().zip(paired.told_of));
        let element = |(pair, (identity, told_of)): (&pairing::FieldPair, _)| {
            let at = Sides::of(self.direction, pair.at);
            let writer = at.writer.map(|at| &structs.writer.fields[at]);
            let reader = at.reader.map(|at| &structs.reader.fields[at]);
            let has_own_default = identity != told_of && defaults::are_others(writer, reader);
            let given = self.given(ids, Sides { writer, reader });
            Element { writer, reader, identity, told_of, is_moved: pair.by_name, has_own_default, given }
        };
        self.sorted_out(ids, names.map(element).collect())
    }

    /// Finds out which of all elements are quiet.
    fn sorted_out(&self, ids: Sides<StructId>, all: Vec<Element<'s, 'b>>) -> Elements<'s, 'b> {
        let mut found = Elements {
            all,
            busy: Vec::new(),
            quiet: Sides { writer: FxHashMap::default(), reader: FxHashMap::default() },
        };
        let (mut busy, mut quiet) = (Vec::new(), found.quiet.clone());
        for (at, element) in found.all.iter().enumerate() {
            match (element.writer, element.reader) {
                (Some(writer), Some(reader)) if self.is_quiet(ids, (&found, element), Sides { writer, reader }) => {
                    quiet.writer.insert(writer.ordinal.into(), at);
                    quiet.reader.insert(reader.ordinal.into(), at);
                }
                // What only the writer has is told of where a union of the reader knows no such member.
                (Some(writer), None) if writer.guards.is_empty() => {}
                _ => busy.push(at),
            }
        }
        (found.busy, found.quiet) = (busy, quiet);
        found
    }

    /// Whether nothing is told of an element where nothing was written and nothing is read, whoever is told of it.
    fn is_quiet(
        &self,
        ids: Sides<StructId>,
        (elements, element): (&Elements<'_, '_>, &Element<'_, '_>),
        fields: Sides<&Field<'_>>,
    ) -> bool {
        let both = [fields.writer, fields.reader];
        let is_plain = |field: &Field<'_>| field.guards.is_empty();
        if !both.into_iter().all(is_plain) || element.has_own_default || !matches!(element.given, Given::No) {
            return false;
        }
        match both.map(|field| field.held.space()) {
            [Space::Nothing, Space::Nothing] => true,
            [Space::Pointer, Space::Pointer] => both.into_iter().all(|field| field.default == Absence::Zero),
            _ => {
                let nothing = [ids.writer, ids.reader].map(|id| Record::empty(id.0));
                let records = Sides { writer: &nothing[0], reader: &nothing[1] };
                let all = Told { identity: &element.told_of, is_all: true };
                let mut notes = Vec::new();
                for outer in [None, Some(all)] {
                    self.element(outer, (elements, element), ids, records, &mut notes);
                }
                notes.is_empty()
            }
        }
    }

    /// Who is told of what a field of a generic struct holds where that is not declared otherwise.
    fn given(&self, ids: Sides<StructId>, fields: Sides<Option<&Field<'b>>>) -> Given {
        let is_instance = self.schemas.writer.instance_index(ids.writer).is_some()
            || self.schemas.reader.instance_index(ids.reader).is_some();
        let (Some(writer), Some(reader), true) = (fields.writer, fields.reader, is_instance) else { return Given::No };
        let fields = Sides { writer, reader }.in_order(self.direction);
        let structs = self.structs(ids).in_order(self.direction);
        let schemas = self.schemas.in_order(self.direction);
        let is_declared_so = pairing::lies_elsewhere(structs, fields) || defaults::differ(schemas, fields);
        if is_declared_so || !follows_what_is_given(schemas, structs, fields) {
            return Given::No;
        }
        let parameters = fields.map(|field| field.ty.parameters());
        let mut pairs = parameters.old.iter().zip(&parameters.new);
        match pairs.find(|(old, new)| old.index != new.index) {
            Some((_, new)) => Given::ByTaker(declaration("generic", taker(structs.new, new.level))),
            None => Given::ByUser,
        }
    }

    /// What a reader experienced. Of what an instance is given, its user is told, who is not looked at here.
    pub(super) fn notes(&self, ids: Sides<StructId>, records: Sides<&Record>) -> Vec<Note> {
        let mut notes = Vec::new();
        self.records((None, None), ids, records, &mut notes);
        notes
    }

    /// With the first identity everything is told of that; the second is who gives the struct its types.
    fn records(
        &self,
        (outer, giver): (Option<Told<'_>>, Option<&Identity>),
        ids: Sides<StructId>,
        records: Sides<&Record>,
        notes: &mut Vec<Note>,
    ) {
        let elements = self.elements(ids);
        for element in elements.told_by(records).into_iter().map(|at| &elements[at]) {
            let before = notes.len();
            let given = match (&element.given, giver) {
                (Given::No, _) => None,
                (Given::ByTaker(taker), _) => Some(taker),
                (Given::ByUser, Some(user)) => Some(user),
                (Given::ByUser, None) => continue,
            };
            let given = given.map(|identity| Told { identity, is_all: false });
            self.element(outer.or(given), (&elements, element), ids, records, notes);
            if element.has_own_default && outer.is_none() {
                let told = notes[before..].iter().map(|note| note.outcome);
                let own: Vec<Note> = told.map(|outcome| Note { identity: element.identity.clone(), outcome }).collect();
                notes.extend(own);
            }
        }
    }

    /// Both records with those fields that are the default where they are not in them: the one that is spoken of, and those
    /// that are another value to the reader, or that only one of them sees in its union.
    pub(super) fn told(
        &self,
        about: Option<&Element<'_, '_>>,
        ids: Sides<StructId>,
        records: Sides<&Record>,
    ) -> Sides<Record> {
        let mut told = Sides { writer: records.writer.clone(), reader: records.reader.clone() };
        let mut left = SHOWN;
        for element in self.elements(ids).iter() {
            let (Some(writer), Some(reader)) = (element.writer, element.reader) else { continue };
            let keys = Sides { writer: i32::from(writer.ordinal), reader: i32::from(reader.ordinal) };
            let (has_written, has_read) =
                (records.writer.fields.contains_key(&keys.writer), records.reader.fields.contains_key(&keys.reader));
            let is_about = about.is_some_and(|about| about.identity == element.identity);
            let is_in_union = !(writer.guards.is_empty() && reader.guards.is_empty());
            let may_differ = has_written != has_read || writer.default != reader.default || is_in_union;
            if has_written && has_read || !(is_about || may_differ && left > 0) {
                continue;
            }
            let (wrote, read) = (seen(writer, records.writer), seen(reader, records.reader));
            let schemas = self.schemas;
            let people = (
                wrote.as_ref().map(|value| for_people(schemas.writer, value)),
                read.as_ref().map(|value| for_people(schemas.reader, value)),
            );
            if is_about || people.0 != people.1 {
                left = left.saturating_sub(1);
                wrote.iter().for_each(|value| tell(&mut told.writer, keys.writer, value));
                read.iter().for_each(|value| tell(&mut told.reader, keys.reader, value));
            }
        }
        told
    }

    fn element(
        &self,
        outer: Option<Told<'_>>,
        (elements, element): (&Elements<'_, '_>, &Element<'_, '_>),
        ids: Sides<StructId>,
        records: Sides<&Record>,
        notes: &mut Vec<Note>,
    ) {
        let told = outer.unwrap_or(Told { identity: &element.told_of, is_all: false });
        let mut tell = |outcome| notes.push(Note { identity: told.identity.clone(), outcome });
        let wrote = element.writer.and_then(|field| seen(field, records.writer));
        let read = element.reader.and_then(|field| seen(field, records.reader));
        match (element.writer, element.reader, wrote, read) {
            (Some(writer), Some(reader), Some(wrote), Some(read)) => {
                let fields = Sides { writer, reader };
                if self.is_under_another_name(ids, fields) {
                    tell(Outcome::Wrong);
                }
                if let Some(outcome) = self.unwritten(fields, records) {
                    return if outcome > Outcome::Safe {
                        tell(outcome)
                    };
                }
                self.fields(told, fields, Sides { writer: &*wrote, reader: &*read }, records.reader, notes);
            }
            (Some(writer), Some(reader), Some(_), None) => {
                let is_alone = writer.guards.len() < reader.guards.len() && is_default(writer, records.writer);
                match is_hidden(self.schemas.reader, ids.reader, reader, records.reader) {
                    true => tell(Outcome::Unrecognized),
                    false if !is_other_seen(elements.iter().map(Element::fields), reader, records) => {
                        tell(Outcome::Wrong)
                    }
                    // Nothing is lost of what was not written.
                    false if is_alone => {}
                    false => tell(Outcome::Lossy),
                }
            }
            // A value of no type is there in any case, and says nothing where no union says it is meant.
            (Some(writer), Some(reader), None, Some(read)) => {
                let is_alone = reader.guards.len() < writer.guards.len();
                match (&*read, is_default(reader, records.reader), is_alone) {
                    (Value::Null, _, true) => {}
                    (_, true, true) => tell(Outcome::Unrecognized),
                    (_, false, _) | (_, _, false) => tell(Outcome::Wrong),
                }
            }
            (Some(writer), None, Some(_), _) if self.is_unknown_member(ids, writer, records.reader) => {
                tell(Outcome::Unrecognized);
            }
            (None, Some(reader), _, Some(_)) => match is_default(reader, records.reader) {
                true => tell(Outcome::Defaulted),
                false => {
                    let of = self.structs(ids).reader;
                    notes.extend(self.foreign(outer, (elements, element), (of, reader), records.writer));
                }
            },
            _ => {}
        }
    }

    /// What a reader sees of a pointer that was not written, where no more than that is known of it.
    fn unwritten(&self, fields: Sides<&Field<'_>>, records: Sides<&Record>) -> Option<Outcome> {
        let Sides { writer, reader } = fields;
        if !is_null(writer, records.writer) {
            return None;
        }
        // Nothing on both sides is what both defaults are, however deep types hold themselves.
        if is_null(reader, records.reader) {
            return Some(defaults::absent((self.schemas, self.direction), fields));
        }
        // Perhaps something stands there all the same.
        let is_unknown = is_any(&writer.held) || is_any(&reader.held);
        let outcome = if is_default(reader, records.reader) { Outcome::Safe } else { Outcome::Wrong };
        is_unknown.then_some(outcome)
    }

    /// Whether a member of a union that holds a field is called as another member of it is on the other side: readers are told
    /// that the other one is set.
    fn is_under_another_name(&self, ids: Sides<StructId>, fields: Sides<&Field<'_>>) -> bool {
        let structs = self.structs(ids).in_order(self.direction);
        pairing::stands_in_exchanged_members(structs, fields.in_order(self.direction))
    }

    /// What is told where the reader sees something in a field that the writer does not have: the fields that moved and lie
    /// there explain it, if they were written; of two members of a union that share the place, one is.
    fn foreign(
        &self,
        outer: Option<Told<'_>>,
        (elements, element): (&Elements<'_, '_>, &Element<'_, '_>),
        (of, reader): (&Struct<'_>, &Field<'_>),
        wrote: &Record,
    ) -> Vec<Note> {
        let places = pairing::looked_at(of, reader);
        let is_there = |slot: Slot| places.iter().any(|place| pairing::overlap(slot, *place));
        let is_written = |writer: &Field<'_>| is_there(writer.slot) && seen(writer, wrote).is_some();
        let lies_there = |other: &&Element<'_, '_>| other.is_moved && other.writer.is_some_and(is_written);
        let mut blamed: Vec<&Identity> = elements.iter().filter(lies_there).map(|other| &other.told_of).collect();
        if blamed.is_empty() {
            blamed.push(&element.told_of);
        }
        let outer = outer.map(|told| told.identity);
        let note = |told: &Identity| Note { identity: outer.unwrap_or(told).clone(), outcome: Outcome::Wrong };
        blamed.into_iter().map(note).collect()
    }

    /// Whether the reader has the union that a field of the writer stands in, and no name for the member that it holds.
    fn is_unknown_member(&self, ids: Sides<StructId>, field: &Field<'_>, read: &Record) -> bool {
        let Sides { writer, reader } = self.structs(ids);
        let offsets: Vec<u32> = field.guards.iter().map(|guard| writer.unions[guard.union].offset).collect();
        let hides = |(index, union): (usize, &super::model::Union<'_>)| {
            offsets.contains(&union.offset) && super::codec::held(index, read) >= union.members.len() as i128
        };
        reader.unions.iter().enumerate().any(hides)
    }

    /// A field that both sides have and in which both see something.
    fn fields(
        &self,
        told: Told<'_>,
        fields: Sides<&Field<'_>>,
        values: Sides<&Value>,
        read: &Record,
        notes: &mut Vec<Note>,
    ) {
        let before = notes.len();
        let types = Sides { writer: &fields.writer.held, reader: &fields.reader.held };
        let is_default_read = is_default(fields.reader, read);
        match (types.writer, types.reader) {
            (_, Type::Void) => return,
            (Type::Void, _) => {
                let outcome = if is_default_read { Outcome::Defaulted } else { Outcome::Wrong };
                return notes.push(Note { identity: told.identity.clone(), outcome });
            }
            // Nothing was written, and nothing is seen.
            _ if types.writer.space() != types.reader.space()
                && is_default_read
                && *values.writer == nothing(types.writer) =>
            {
                return;
            }
            // What a pointer to anything holds is not looked at where no pointer is read, or none was written.
            _ if types.writer.space() != types.reader.space() && (is_any(types.writer) || is_any(types.reader)) => {
                let outcome = match rejected(values.reader) {
                    Some(_) => Outcome::Fails,
                    None if is_default_read => Outcome::Lossy,
                    None => Outcome::Wrong,
                };
                return notes.push(Note { identity: told.identity.clone(), outcome });
            }
            _ => {}
        }
        let is_elsewhere = fields.writer.slot != fields.reader.slot;
        let told = Told { is_all: told.is_all || is_elsewhere, ..told };
        self.values(told, types, values, notes);
        // What nobody reads any more is lost; what is read as something else is wrong.
        if is_elsewhere && is_default_read {
            for note in notes[before..].iter_mut().filter(|note| note.identity == *told.identity) {
                note.outcome = note.outcome.min(Outcome::Lossy);
            }
        }
    }

    /// Whether what is in two structs is told of itself.
    fn are_own(&self, ids: Sides<StructId>) -> bool {
        let writer = self.schemas.writer.declared_struct(ids.writer);
        let reader = self.schemas.reader.declared_struct(ids.reader);
        self.own.has(Sides { writer, reader }.in_order(self.direction))
    }

    /// One value of the writer and what the reader has there.
    fn values(&self, told: Told<'_>, types: Sides<&Type>, values: Sides<&Value>, notes: &mut Vec<Note>) {
        let mut tell = |outcome| notes.push(Note { identity: told.identity.clone(), outcome });
        if rejected(values.reader).is_some() {
            return tell(Outcome::Fails);
        }
        match (types.writer, types.reader, values.writer, values.reader) {
            (Type::Struct(writer, _), Type::Struct(reader, _), Value::Record(wrote), Value::Record(read)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                let outer = (told.is_all || !self.are_own(ids)).then_some(told);
                self.records((outer, Some(told.identity)), ids, Sides { writer: wrote, reader: read }, notes);
            }
            (Type::Enum(writer), Type::Enum(reader), Value::Enum { number: wrote, .. }, Value::Enum { number, .. }) => {
                let ids = Sides { writer: *writer, reader: *reader };
                self.enums(told, ids, Sides { writer: *wrote, reader: *number }, notes);
            }
            (_, Type::Enum(reader), wrote, read @ Value::Enum { number, .. }) => {
                let is_known = u16::try_from(*number).is_ok_and(|number| self.read_name(*reader, number).is_some());
                // The same bits are another number where one has a sign; of wider numbers the rest is lost.
                let is_same = match (types.writer, wrote) {
                    (Type::Int(4, _), Value::Int(wrote)) => *wrote & 0xffff == i128::from(*number),
                    (_, Value::Int(wrote)) => *wrote == i128::from(*number),
                    (_, other) => same_to_reader(other, read),
                };
                match (is_same, is_known) {
                    (true, true) => {}
                    (true, false) => tell(Outcome::Unrecognized),
                    (false, _) => tell(Outcome::Wrong),
                }
            }
            // The byte that ends a text is one more byte of data.
            (Type::Text, Type::Data, Value::Text(wrote), Value::Bytes(read)) => {
                match (read.strip_suffix(&[0]).unwrap_or(read) == wrote, read.is_empty()) {
                    (true, true) => {}
                    (true, false) => tell(Outcome::Lossy),
                    (false, _) => tell(Outcome::Wrong),
                }
            }
            (Type::Data, Type::Text, Value::Bytes(wrote), Value::Text(read)) => {
                match (wrote.strip_suffix(&[0]).unwrap_or(wrote) == read, wrote.is_empty()) {
                    (true, true) => {}
                    (true, false) => tell(Outcome::Lossy),
                    (false, _) => tell(Outcome::Wrong),
                }
            }
            (writer, reader, wrote, read) if is_any(writer) || is_any(reader) => {
                if let Some(outcome) = opaque(types, Sides { writer: wrote, reader: read }) {
                    tell(outcome);
                }
            }
            (writer, reader, wrote, read) => match (items(writer, wrote), items(reader, read)) {
                (Some((writer, wrote)), Some((reader, read))) => {
                    let types = Sides { writer: &*writer, reader: &*reader };
                    self.lists(told, types, Sides { writer: &wrote, reader: &read }, notes);
                }
                _ if same_to_reader(wrote, read) => {}
                _ => tell(Outcome::Wrong),
            },
        }
    }

    fn lists(&self, told: Told<'_>, types: Sides<&Type>, lists: Sides<&[Value]>, notes: &mut Vec<Note>) {
        if lists.writer.len() != lists.reader.len() {
            notes.push(Note { identity: told.identity.clone(), outcome: Outcome::Wrong });
        }
        for (wrote, read) in lists.writer.iter().zip(lists.reader) {
            let values = Sides { writer: wrote, reader: read };
            match (types.writer, types.reader, wrote, read) {
                // Only how many there are is seen.
                (writer, Type::Void, ..) if *wrote == nothing(writer) => {}
                (_, Type::Void, ..) => {
                    notes.push(Note { identity: told.identity.clone(), outcome: Outcome::Lossy });
                }
                (Type::Struct(..), Type::Struct(..), ..) => self.values(told, types, values, notes),
                (_, Type::Struct(id, _), _, Value::Record(read)) => {
                    self.upgraded(told, types.writer, (self.schemas.reader, *id), (wrote, read), notes);
                }
                (Type::Struct(id, _), _, Value::Record(wrote), _) if rejected(read).is_none() => {
                    self.downgraded(told, (*id, wrote), types.reader, read, notes);
                }
                _ => self.values(told, types, values, notes),
            }
        }
    }

    /// An item that is no struct, read as a struct: it is the struct's first field.
    fn upgraded(
        &self,
        told: Told<'_>,
        writer: &Type,
        (schema, id): (&Schema<'_>, StructId),
        (wrote, read): (&Value, &Record),
        notes: &mut Vec<Note>,
    ) {
        let first = schema.structure(id).first_like(writer);
        let found = first.and_then(|field| Some((field, seen(field, read)?)));
        match found {
            Some((field, read)) => {
                let types = Sides { writer, reader: &field.held };
                self.values(told, types, Sides { writer: wrote, reader: &*read }, notes);
            }
            None if *wrote == nothing(writer) => {}
            None => notes.push(Note { identity: told.identity.clone(), outcome: Outcome::Lossy }),
        }
    }

    /// A struct that is read as something that fits into its first field: the other fields are the writer's alone.
    fn downgraded(
        &self,
        told: Told<'_>,
        (id, wrote): (StructId, &Record),
        reader: &Type,
        read: &Value,
        notes: &mut Vec<Note>,
    ) {
        let of = self.schemas.writer.structure(id);
        let first = of.first_like(reader);
        let value = first.and_then(|field| Some((field, seen(field, wrote)?)));
        if let Some((field, wrote)) = &value {
            let types = Sides { writer: &field.held, reader };
            self.values(told, types, Sides { writer: wrote, reader: read }, notes);
        } else if *read != nothing(reader) {
            notes.push(Note { identity: told.identity.clone(), outcome: Outcome::Wrong });
        }
    }

    fn read_name(&self, id: EnumId, number: u16) -> Option<&'s str> {
        self.schemas.reader.enumeration(id).name_of(number)
    }

    /// An enum value of the writer and what the reader calls it.
    fn enums(&self, told: Told<'_>, ids: Sides<EnumId>, numbers: Sides<i32>, notes: &mut Vec<Note>) {
        let mut tell = |identity: Identity, outcome| notes.push(Note { identity, outcome });
        let (Ok(wrote), Ok(read)) = (u16::try_from(numbers.writer), u16::try_from(numbers.reader)) else {
            return tell(told.identity.clone(), Outcome::Wrong);
        };
        let enums = Sides {
            writer: self.schemas.writer.enumeration(ids.writer),
            reader: self.schemas.reader.enumeration(ids.reader),
        };
        if wrote != read {
            let numbers = Sides { writer: wrote, reader: read }.in_order(self.direction);
            // Another default makes another number of what is written, and it may be the one of the same name.
            if !pairing::is_same_value(enums.in_order(self.direction), numbers) {
                tell(told.identity.clone(), Outcome::Wrong);
            }
            return;
        }
        let Some(meant) = enums.writer.name_of(wrote) else { return };
        let shown = enums.reader.name_of(read);
        if shown == Some(meant) {
            return;
        }
        let in_order = ids.in_order(self.direction);
        let schemas = self.schemas.in_order(self.direction);
        let container = enum_container(schemas, in_order);
        let is_own = self.own.has_enum(in_order) && !told.is_all;
        let identity = |own: Identity| if is_own { own } else { told.identity.clone() };
        let moved = pairing::moved_value(schemas.zip(in_order, |schema, id| schema.enumeration(id)), meant);
        let taken = shown
            .filter(|shown| pairing::moved_value(schemas.zip(in_order, |schema, id| schema.enumeration(id)), shown));
        match (moved, taken, shown) {
            (true, ..) => {
                let outcome = if shown.is_some() { Outcome::Wrong } else { Outcome::Unrecognized };
                tell(identity(by_name(&container, meant)), outcome);
            }
            (false, Some(taken), _) => tell(identity(by_name(&container, taken)), Outcome::Wrong),
            (false, None, None) => tell(identity(by_number(&container, wrote)), Outcome::Unrecognized),
            // Renamed, or another one: of two enums, or where its name is taken.
            (false, None, Some(_)) => match pairing::meaning(enums.in_order(self.direction), wrote, !is_own) {
                Meaning::Renamed => {}
                Meaning::Exchanged | Meaning::Replaced => tell(identity(by_number(&container, wrote)), Outcome::Wrong),
            },
        }
    }
}

/// The full name of the declaration that a struct stands in, so many further out.
fn taker<'n>(of: &'n Struct<'_>, level: u32) -> &'n str {
    let (mut name, is_data) = (&*of.full_name, of.sort != Sort::Struct);
    for _ in 0..level + u32::from(is_data) {
        name = name.rsplit_once('.').map_or(name, |(around, _)| around);
    }
    name
}

/// Shows a field that is not in a record, unless it is nothing at all.
fn tell(record: &mut Record, key: i32, value: &Value) {
    if *value != Value::Null {
        record.fields.entry(key).or_insert_with(|| value.clone());
    }
}

/// Whether a reader sees the default of a field.
fn is_default(field: &Field<'_>, record: &Record) -> bool {
    match record.fields.get(&i32::from(field.ordinal)) {
        None => true,
        Some(value) => *value == nothing(&field.held) && field.default == Absence::Zero,
    }
}

/// Whether a pointer is null.
fn is_null(field: &Field<'_>, record: &Record) -> bool {
    let is_pointer = field.held.space() == Space::Pointer;
    is_pointer && !record.fields.contains_key(&field.ordinal.into())
}

/// What a reader experiences where one side does not say what a pointer leads to: only whether it leads anywhere that can
/// be read.
fn opaque(types: Sides<&Type>, values: Sides<&Value>) -> Option<Outcome> {
    let is_there = |ty: &Type, value: &Value| match value {
        // A member that nobody knows shows nothing.
        Value::Record(record) => record.fields.keys().any(|key| *key >= 0),
        other => *other != nothing(ty) && *other != Value::Null,
    };
    match (is_there(types.writer, values.writer), is_there(types.reader, values.reader)) {
        _ if is_rejected_inside(values.reader) && !is_rejected_inside(values.writer) => Some(Outcome::Fails),
        (true, false) => Some(Outcome::Lossy),
        _ => None,
    }
}

/// Whether anything in a value cannot be read.
fn is_rejected_inside(value: &Value) -> bool {
    rejected(value).is_some()
        || match value {
            Value::Record(record) => record.fields.values().any(is_rejected_inside),
            Value::List(items) => items.iter().any(is_rejected_inside),
            _ => false,
        }
}
