//! What a reader saw of what a writer wrote: visible values, element by element, never bytes.
//!
//! Elements pair exactly as [`super::pairing`] says. Outcomes follow from the two records alone. Where something went
//! wrong at an element that itself did not change, the layout of the struct or the enum that it is of explains it, if that
//! changed; only for this the comparison knows which identities changed.

use std::sync::Arc;

use crate::change::{Identity, Pair};
use crate::evidence::{Direction, Outcome};
use crate::formats::roundtrip::{Note, Shared, Sides};
use crate::value::{Record, Value, is_zero, same_to_reader};

use super::codec::{self, HOLDER, Types};
use super::elements::{Elements, Identities};
use super::model::{Default as Absence, EnumId, Field, Object, ObjectId, Scalar, Type};
use super::pairing;
use super::positions::{self, Place};
use super::values::{enum_number, items, listed};
use super::verify::ReadError;

mod blame;
mod enums;
mod structs;

/// That a reader rejects something.
pub(super) fn fails(identity: &Identity) -> Note {
    Note { identity: identity.clone(), outcome: Outcome::Fails }
}

/// Compares records of one writer and one reader.
pub(super) struct Comparer<'s, 'b, 'k> {
    /// Both sides' types.
    pub(super) types: Sides<Types<'s, 'b>>,
    /// Who is old and who is new.
    pub(super) direction: Direction,
    /// What has identities.
    pub(super) identities: &'k Identities<'k>,
    cache: Shared<Sides<ObjectId>, Elements<'s, 'b>>,
    places: Shared<Sides<Type>, Vec<Place>>,
}

impl<'s, 'b, 'k> Comparer<'s, 'b, 'k> {
    /// A comparer without anything compared yet.
    pub(super) fn new(types: Sides<Types<'s, 'b>>, direction: Direction, identities: &'k Identities<'k>) -> Self {
        Self { types, direction, identities, cache: Shared::default(), places: Shared::default() }
    }

    /// Both types of a pair.
    pub(super) fn objects(&self, ids: Sides<ObjectId>) -> Sides<&'s Object<'b>> {
        Sides { writer: self.types.writer.object(ids.writer), reader: self.types.reader.object(ids.reader) }
    }

    /// The elements of a pair.
    pub(super) fn elements(&self, ids: Sides<ObjectId>) -> Arc<Elements<'s, 'b>> {
        self.cache.get(ids, || self.paired(ids))
    }

    fn paired(&self, ids: Sides<ObjectId>) -> Elements<'s, 'b> {
        let objects = self.objects(ids);
        let fields = Sides { writer: &objects.writer.fields[..], reader: &objects.reader.fields[..] };
        let pairs = pairing::fields(objects.in_order(self.direction));
        let are_tables = objects.writer.layout.is_none() && objects.reader.layout.is_none();
        let moved_by = match are_tables {
            true => pairing::moved_by(objects.in_order(self.direction), &pairs),
            false => Vec::new(),
        };
        let mut elements = Elements::of(pairs, self.direction, fields, &self.container(ids));
        for (at, cause) in moved_by {
            elements.list[at].identity = elements.list[cause].identity.clone();
        }
        if are_tables {
            let nothing = Record::empty(ids.writer.0);
            let nothing = Sides { writer: &nothing, reader: &nothing };
            let is_felt = |index: &usize| {
                let mut notes = Vec::new();
                self.element(None, &elements, *index, nothing, &mut notes);
                !notes.is_empty()
            };
            elements.always = (0..elements.list.len()).filter(is_felt).collect();
        }
        elements
    }

    fn container(&self, ids: Sides<ObjectId>) -> String {
        let objects = self.objects(ids);
        let names = Sides { writer: &*objects.writer.full_name, reader: &*objects.reader.full_name };
        pairing::container(names.in_order(self.direction))
    }

    fn enum_container(&self, ids: Sides<EnumId>) -> String {
        let schemas = Sides { writer: self.types.writer.schema, reader: self.types.reader.schema };
        pairing::enum_container(schemas.in_order(self.direction), ids.in_order(self.direction))
    }

    /// What a reader experienced; of what nobody wrote or read, if that is asked for. With `outer` everything is told of
    /// that.
    pub(super) fn notes(
        &self,
        outer: Option<&Identity>,
        ids: Sides<ObjectId>,
        wrote: &Record,
        (read, with_always): (Result<&Record, &ReadError>, bool),
    ) -> Vec<Note> {
        let mut notes = Vec::new();
        match read {
            Ok(read) => self.felt(outer, ids, (Sides { writer: wrote, reader: read }, with_always), &mut notes),
            Err(error) => self.blame(outer, ids, wrote, &error.path, &mut notes),
        }
        // The synthetic table has no name, and nothing of it is told.
        notes.retain(|note| !note.identity.0.starts_with(['#', '@', '=']));
        notes
    }

    fn records(&self, outer: Option<&Identity>, ids: Sides<ObjectId>, records: Sides<&Record>, notes: &mut Vec<Note>) {
        self.felt(outer, ids, (records, true), notes);
    }

    fn felt(
        &self,
        outer: Option<&Identity>,
        ids: Sides<ObjectId>,
        (records, with_always): (Sides<&Record>, bool),
        notes: &mut Vec<Note>,
    ) {
        let elements = self.elements(ids);
        for index in elements.felt(records.writer, records.reader, with_always) {
            self.element(outer, &elements, index, records, notes);
        }
    }

    fn element(
        &self,
        outer: Option<&Identity>,
        elements: &Elements<'_, '_>,
        index: usize,
        records: Sides<&Record>,
        notes: &mut Vec<Note>,
    ) {
        let element = &elements.list[index];
        let Some(reader) = element.reader.filter(|field| !field.is_deprecated) else { return };
        let identity = outer.unwrap_or(&element.identity);
        let absent = self.types.reader.absent(reader);
        let read = records.reader.fields.get(&i32::from(reader.slot)).or(absent.as_ref());
        let is_default = read.is_none() || read == absent.as_ref();
        let Some(writer) = element.writer else {
            match is_default || reader.default == Absence::Empty && read.is_some_and(is_zero) {
                true => notes.push(Note { identity: identity.clone(), outcome: Outcome::Defaulted }),
                false => notes.extend(elements.foreign(outer, index, Outcome::Wrong)),
            }
            return;
        };
        if !codec::is_known(&writer.ty) || !codec::is_known(&reader.ty) {
            return;
        }
        let default = self.types.writer.default_of(writer).filter(|_| !writer.is_deprecated);
        let wrote = records.writer.fields.get(&i32::from(writer.slot)).or(default.as_ref());
        let unopened = self.unopened(Sides { writer, reader }, wrote);
        let wrote = unopened.as_ref().or(wrote);
        if writer.slot == reader.slot {
            return self.fields(identity, Sides { writer, reader }, Sides { writer: wrote, reader: read }, notes);
        }
        let types = Sides { writer: &writer.ty, reader: &reader.ty };
        let meant = self.types.writer.absent(writer).filter(|_| !writer.is_deprecated);
        match (wrote.or(meant.as_ref()), read) {
            (Some(wrote), Some(read)) if self.is_same(types, Sides { writer: wrote, reader: read }) => {}
            (None, None) => {}
            (_, _) if is_default => notes.push(Note { identity: identity.clone(), outcome: Outcome::Lossy }),
            (_, Some(read)) if self.is_nameless(&reader.ty, read) => {
                notes.extend(elements.foreign(outer, index, nameless(&writer.ty)));
            }
            _ => notes.extend(elements.foreign(outer, index, Outcome::Wrong)),
        }
    }

    /// A field that both sides have at one slot.
    fn fields(
        &self,
        identity: &Identity,
        fields: Sides<&Field<'_>>,
        values: Sides<Option<&Value>>,
        notes: &mut Vec<Note>,
    ) {
        let tell = |outcome| Note { identity: identity.clone(), outcome };
        let is_meant_empty = fields.writer.default == Absence::Empty && !fields.writer.is_deprecated;
        if let (Some(Value::Record(wrote)), Some(Value::Record(read))) = (values.writer, values.reader)
            && let (Some(writer), Some(reader)) = (fields.writer.nested, fields.reader.nested)
        {
            let ids = Sides { writer, reader };
            let outer = self.outer(ids, identity);
            return self.records(outer, ids, Sides { writer: wrote, reader: read }, notes);
        }
        match (values.writer, values.reader) {
            // The same bytes, which the writer does not look into.
            (Some(Value::Bytes(_)), Some(Value::Record(_))) if fields.reader.nested.is_some() => {}
            (Some(wrote), Some(read)) => {
                let types = Sides { writer: &fields.writer.ty, reader: &fields.reader.ty };
                self.values(identity, types, Sides { writer: wrote, reader: read }, notes);
            }
            (Some(_), None) => notes.push(tell(Outcome::Lossy)),
            // Both sides take nothing for an empty text or vector, but what is no longer written may have been anything.
            (None, Some(read)) if is_zero(read) && is_meant_empty => {}
            (None, Some(read)) if is_zero(read) => {
                notes.push(tell(if fields.writer.is_deprecated { Outcome::Defaulted } else { Outcome::Lossy }));
            }
            (None, Some(_)) if fields.writer.is_deprecated => notes.push(tell(Outcome::Defaulted)),
            (None, Some(_)) => notes.push(tell(Outcome::Wrong)),
            (None, None) => {}
        }
    }

    /// A buffer inside of bytes as the vector that it is to a reader who does not look into it.
    fn unopened(&self, fields: Sides<&Field<'_>>, wrote: Option<&Value>) -> Option<Value> {
        let root = fields.writer.nested.filter(|_| fields.reader.nested.is_none())?;
        let are_bytes = matches!(items(&fields.reader.ty), Some(Type::Scalar(Scalar::I8 | Scalar::U8)));
        match wrote? {
            Value::Record(record) if are_bytes => {
                codec::encode(self.types.writer, root, record, None).map(Value::Bytes)
            }
            _ => None,
        }
    }

    fn knows(&self, ids: Sides<ObjectId>) -> bool {
        ids.writer == HOLDER || self.identities.own.has(ids.in_order(self.direction))
    }

    pub(super) fn knows_enums(&self, ids: Sides<EnumId>) -> bool {
        self.identities.own.has_enum(ids.in_order(self.direction))
    }

    /// Whether one table took the place of another, so that what is inside is told of the place.
    pub(super) fn is_replaced(&self, ids: Sides<ObjectId>) -> bool {
        !self.knows(ids) && {
            let Sides { writer, reader } = self.objects(ids);
            writer.full_name != reader.full_name
        }
    }

    fn outer<'i>(&self, ids: Sides<ObjectId>, identity: &'i Identity) -> Option<&'i Identity> {
        (!self.knows(ids)).then_some(identity)
    }

    /// One value of the writer and what the reader has there.
    fn values(&self, identity: &Identity, types: Sides<&Type>, values: Sides<&Value>, notes: &mut Vec<Note>) {
        let tell = |outcome| Note { identity: identity.clone(), outcome };
        match (types.writer, types.reader, values.writer, values.reader) {
            (Type::Table(writer), Type::Table(reader), Value::Record(wrote), Value::Record(read)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                self.records(self.outer(ids, identity), ids, Sides { writer: wrote, reader: read }, notes);
            }
            (writer, reader, _, _) if positions::are_inline(Pair::new(writer, reader)) => {
                self.inline(identity, types, values, notes);
            }
            (Type::Struct(writer), Type::Table(reader), Value::Record(wrote), Value::Record(read)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                match self.taken_for_table(ids, Sides { writer: wrote, reader: read }) {
                    Some(Outcome::Wrong) => self.explain(identity, types, Outcome::Wrong, notes),
                    outcome => notes.extend(outcome.map(tell)),
                }
            }
            (Type::Union(writer), Type::Union(reader), wrote, read) => {
                let ids = Sides { writer: *writer, reader: *reader };
                self.unions(identity, ids, Sides { writer: wrote, reader: read }, notes);
            }
            (Type::Enum(writer), Type::Enum(reader), wrote, read) => match (enum_number(wrote), enum_number(read)) {
                (Some(wrote), Some(read)) => {
                    let ids = Sides { writer: *writer, reader: *reader };
                    let mut seen = Vec::new();
                    self.enum_numbers(identity, ids, Sides { writer: wrote, reader: read }, &mut seen);
                    // What took the place of another enum is told of the place.
                    let place = |note: Note| if self.is_replaced_enum(ids) { tell(note.outcome) } else { note };
                    notes.extend(seen.into_iter().map(place));
                }
                _ => notes.push(tell(Outcome::Wrong)),
            },
            (writer, reader, _, read) if self.is_nameless(reader, read) => notes.push(tell(nameless(writer))),
            (writer, reader, wrote, read) => match (items(writer), items(reader), listed(wrote), listed(read)) {
                (Some(writer), Some(reader), Some(wrote), Some(read)) => {
                    let types = Sides { writer, reader };
                    self.lists(identity, types, Sides { writer: &wrote, reader: &read }, notes);
                }
                _ if !same_to_reader(wrote, read) => self.explain(identity, types, Outcome::Wrong, notes),
                _ => {
                    if let (Type::Enum(id), Some(number)) = (reader, enum_number(read))
                        && self.read_names(*id).names(number).is_empty()
                    {
                        notes.push(tell(Outcome::Unrecognized));
                    }
                }
            },
        }
    }

    /// What a reader experiences who takes the bytes of a struct for a table: zeros are a table with nothing in it.
    fn taken_for_table(&self, ids: Sides<ObjectId>, records: Sides<&Record>) -> Option<Outcome> {
        let Sides { writer, reader } = self.objects(ids);
        let mut worst = None;
        for field in &reader.fields {
            let own = writer.fields.iter().find(|own| own.name.text == field.name.text);
            let wrote = own.and_then(|own| records.writer.fields.get(&i32::from(own.slot)));
            match (wrote, records.reader.fields.get(&i32::from(field.slot))) {
                (Some(wrote), Some(read)) if same_to_reader(wrote, read) => {}
                (_, Some(_)) => return Some(Outcome::Wrong),
                (Some(wrote), None) if self.types.reader.default_of(field).as_ref() == Some(wrote) => {}
                (Some(_), None) => worst = Some(Outcome::Lossy),
                (None, None) => {}
            }
        }
        worst
    }

    /// Whether a value is a member of a union that the reader has no name for.
    fn is_nameless(&self, reader: &Type, read: &Value) -> bool {
        match (reader, read) {
            (Type::Union(id), Value::Branch { index, .. }) => self.types.reader.member(*id, *index).is_none(),
            _ => false,
        }
    }

    fn lists(&self, identity: &Identity, types: Sides<&Type>, lists: Sides<&[Value]>, notes: &mut Vec<Note>) {
        if lists.writer.len() != lists.reader.len() {
            self.explain(identity, types, Outcome::Wrong, notes);
        }
        for (wrote, read) in lists.writer.iter().zip(lists.reader) {
            self.values(identity, types, Sides { writer: wrote, reader: read }, notes);
        }
    }

    fn is_same(&self, types: Sides<&Type>, values: Sides<&Value>) -> bool {
        let mut notes = Vec::new();
        self.values(&Identity("?".to_owned()), types, values, &mut notes);
        notes.iter().all(|note| note.outcome <= Outcome::Unrecognized)
    }
}

/// What a member without a name is to its reader: if the writer had no union there, nobody wrote one, and what was written
/// is gone.
fn nameless(writer: &Type) -> Outcome {
    if matches!(writer, Type::Union(_)) { Outcome::Unrecognized } else { Outcome::Lossy }
}
