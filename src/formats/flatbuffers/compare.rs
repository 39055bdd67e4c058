//! What a reader saw of what a writer wrote: visible values, element by element, never bytes.
//!
//! Elements pair exactly as [`super::pairing`] says. Outcomes follow from the two records alone. Where something went
//! wrong at an element that itself did not change, the layout of the struct or the enum that it is of explains it, if that
//! changed; only for this the comparison knows which identities changed.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Identity, Pair};
use crate::evidence::{Direction, Outcome};
use crate::value::{Record, Value, same_to_reader};

use super::codec::{HOLDER, Types};
use super::model::{Default as Absence, EnumId, Field, Object, ObjectId, Scalar, Type};
use super::pairing::{self, Pairs};
use super::verify::ReadError;

/// The type pairs that have identities of their own, and the identities that changed.
#[derive(Debug, Default)]
pub(super) struct Known<'c> {
    objects: FxHashSet<(ObjectId, ObjectId)>,
    enums: FxHashSet<(EnumId, EnumId)>,
    /// What changed.
    pub(super) changed: FxHashSet<&'c Identity>,
}

impl<'c> Known<'c> {
    /// The pairs that are compared.
    pub(super) fn of(pairs: &Pairs, changed: FxHashSet<&'c Identity>) -> Self {
        Self {
            objects: pairs.objects.iter().map(|pair| (pair.types.old, pair.types.new)).collect(),
            enums: pairs.enums.iter().map(|pair| (pair.types.old, pair.types.new)).collect(),
            changed,
        }
    }

    /// Everything that changed inside a container.
    fn inside(&self, container: &str) -> Vec<Identity> {
        let of = |identity: &&&Identity| {
            let rest = identity.0.strip_prefix(container);
            rest.is_some_and(|rest| rest.starts_with(['#', '@', '=']))
        };
        let mut inside: Vec<Identity> = self.changed.iter().filter(of).map(|identity| (**identity).clone()).collect();
        inside.sort();
        inside
    }
}

/// One element of a pair of tables or structs, seen from the writer to the reader.
pub(super) struct Element<'s, 'b> {
    /// The writer's field.
    pub(super) writer: Option<&'s Field<'b>>,
    /// The reader's field.
    pub(super) reader: Option<&'s Field<'b>>,
    /// What identifies it.
    pub(super) identity: Identity,
    /// Whether its name identifies it.
    pub(super) is_moved: bool,
}

/// All elements of a pair.
pub(super) struct Elements<'s, 'b> {
    /// The elements.
    pub(super) list: Vec<Element<'s, 'b>>,
    by_writer: FxHashMap<i32, usize>,
    by_reader: FxHashMap<i32, usize>,
}

impl Elements<'_, '_> {
    /// The element of one of the writer's fields.
    pub(super) fn of_writer(&self, slot: i32) -> Option<usize> {
        self.by_writer.get(&slot).copied()
    }

    /// The element of the writer whose data arrive where the reader has this one.
    fn source_of(&self, index: usize) -> Option<usize> {
        let reader = self.list[index].reader?;
        self.of_writer(reader.slot.into())
    }
}

/// Two sides' view of one thing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sides<T> {
    /// What the writer has.
    pub(super) writer: T,
    /// What the reader has.
    pub(super) reader: T,
}

/// Puts writer and reader in the order of old and new.
pub(super) fn in_order<T>(direction: Direction, sides: Sides<T>) -> Pair<T> {
    match direction {
        Direction::Backward => Pair::new(sides.writer, sides.reader),
        Direction::Forward => Pair::new(sides.reader, sides.writer),
    }
}

/// Something a reader experienced that is worse than `safe`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Note {
    /// What it was experienced of.
    pub(super) identity: Identity,
    /// What was experienced.
    pub(super) outcome: Outcome,
}

/// Compares records of one writer and one reader.
pub(super) struct Comparer<'s, 'b, 'k> {
    /// Both sides' types.
    pub(super) types: Sides<Types<'s, 'b>>,
    /// Who is old and who is new.
    pub(super) direction: Direction,
    /// What has identities.
    pub(super) known: &'k Known<'k>,
    cache: RefCell<FxHashMap<(ObjectId, ObjectId), Rc<Elements<'s, 'b>>>>,
}

impl<'s, 'b, 'k> Comparer<'s, 'b, 'k> {
    /// A comparer without anything compared yet.
    pub(super) fn new(types: Sides<Types<'s, 'b>>, direction: Direction, known: &'k Known<'k>) -> Self {
        Self { types, direction, known, cache: RefCell::default() }
    }

    /// Both types of a pair.
    pub(super) fn objects(&self, ids: Sides<ObjectId>) -> Sides<&'s Object<'b>> {
        Sides { writer: self.types.writer.object(ids.writer), reader: self.types.reader.object(ids.reader) }
    }

    /// The elements of a pair.
    pub(super) fn elements(&self, ids: Sides<ObjectId>) -> Rc<Elements<'s, 'b>> {
        let key = (ids.writer, ids.reader);
        if let Some(elements) = self.cache.borrow().get(&key) {
            return elements.clone();
        }
        let elements = Rc::new(self.paired(ids));
        self.cache.borrow_mut().insert(key, elements.clone());
        elements
    }

    fn paired(&self, ids: Sides<ObjectId>) -> Elements<'s, 'b> {
        let objects = self.objects(ids);
        let container = self.container(ids);
        let mut elements =
            Elements { list: Vec::new(), by_writer: FxHashMap::default(), by_reader: FxHashMap::default() };
        for pair in pairing::fields(in_order(self.direction, objects)) {
            let (writer_at, reader_at) = match self.direction {
                Direction::Backward => (pair.at.old, pair.at.new),
                Direction::Forward => (pair.at.new, pair.at.old),
            };
            let writer = writer_at.and_then(|index| objects.writer.fields.get(index));
            let reader = reader_at.and_then(|index| objects.reader.fields.get(index));
            let Some(field) = writer.or(reader) else { continue };
            let identity = match pair.by_name {
                true => pairing::by_name(&container, &field.name.text),
                false => pairing::by_number(&container, field.slot.into()),
            };
            let index = elements.list.len();
            elements.by_writer.extend(writer.map(|field| (i32::from(field.slot), index)));
            elements.by_reader.extend(reader.map(|field| (i32::from(field.slot), index)));
            elements.list.push(Element { writer, reader, identity, is_moved: pair.by_name });
        }
        elements
    }

    fn container(&self, ids: Sides<ObjectId>) -> String {
        let objects = self.objects(ids);
        let names = Sides { writer: &*objects.writer.full_name, reader: &*objects.reader.full_name };
        pairing::container(in_order(self.direction, names))
    }

    fn enum_container(&self, ids: Sides<EnumId>) -> String {
        let schemas = Sides { writer: self.types.writer.schema, reader: self.types.reader.schema };
        pairing::enum_container(in_order(self.direction, schemas), in_order(self.direction, ids))
    }

    /// What a reader experienced. With `outer` everything is told of that.
    pub(super) fn notes(
        &self,
        outer: Option<&Identity>,
        ids: Sides<ObjectId>,
        wrote: &Record,
        read: Result<&Record, &ReadError>,
    ) -> Vec<Note> {
        let mut notes = Vec::new();
        match read {
            Ok(read) => self.records(outer, ids, Sides { writer: wrote, reader: read }, &mut notes),
            Err(error) => self.blame(outer, ids, wrote, &error.path, &mut notes),
        }
        // The synthetic table has no name, and nothing of it is told.
        notes.retain(|note| !note.identity.0.starts_with(['#', '@', '=']));
        notes
    }

    fn records(&self, outer: Option<&Identity>, ids: Sides<ObjectId>, records: Sides<&Record>, notes: &mut Vec<Note>) {
        let elements = self.elements(ids);
        for (index, element) in elements.list.iter().enumerate() {
            let Some(reader) = element.reader.filter(|field| !field.is_deprecated) else { continue };
            let identity = outer.unwrap_or(&element.identity);
            let read = records.reader.fields.get(&i32::from(reader.slot));
            let is_default = read.is_none() || read == self.types.reader.default_of(reader).as_ref();
            let Some(writer) = element.writer else {
                match is_default || reader.default == Absence::Empty && read.is_some_and(is_empty) {
                    true => notes.push(Note { identity: identity.clone(), outcome: Outcome::Defaulted }),
                    false => self.foreign(outer, &elements, index, Outcome::Wrong, notes),
                }
                continue;
            };
            let given = records.writer.fields.get(&i32::from(writer.slot)).cloned();
            let wrote = given.or_else(|| self.types.writer.default_of(writer).filter(|_| !writer.is_deprecated));
            if writer.slot == reader.slot {
                let values = Sides { writer: wrote.as_ref(), reader: read };
                self.fields(identity, Sides { writer, reader }, values, notes);
                continue;
            }
            let types = Sides { writer: &writer.ty, reader: &reader.ty };
            match (&wrote, read) {
                (Some(wrote), Some(read)) if self.is_same(types, Sides { writer: wrote, reader: read }) => {}
                (None, None) => {}
                (_, _) if is_default => notes.push(Note { identity: identity.clone(), outcome: Outcome::Lossy }),
                (_, Some(Value::Branch { value, .. })) if **value == Value::Null => {
                    self.foreign(outer, &elements, index, Outcome::Unrecognized, notes);
                }
                _ => self.foreign(outer, &elements, index, Outcome::Wrong, notes),
            }
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
        if let (Some(Value::Record(wrote)), Some(Value::Record(read))) = (values.writer, values.reader)
            && let (Some(writer), Some(reader)) = (fields.writer.nested, fields.reader.nested)
        {
            let ids = Sides { writer, reader };
            let outer = self.outer(ids, identity);
            return self.records(outer, ids, Sides { writer: wrote, reader: read }, notes);
        }
        match (values.writer, values.reader) {
            // The same bytes, which one side does not look into.
            (Some(Value::Record(_)), Some(Value::Bytes(_))) if fields.writer.nested.is_some() => {}
            (Some(Value::Bytes(_)), Some(Value::Record(_))) if fields.reader.nested.is_some() => {}
            (Some(wrote), Some(read)) => {
                let types = Sides { writer: &fields.writer.ty, reader: &fields.reader.ty };
                self.values(identity, types, Sides { writer: wrote, reader: read }, notes);
            }
            (Some(_), None) => notes.push(tell(Outcome::Lossy)),
            // Both sides take nothing for an empty text or vector.
            (None, Some(read)) if is_empty(read) && fields.writer.default == Absence::Empty => {}
            (None, Some(read)) if is_empty(read) => {
                notes.push(tell(if fields.writer.is_deprecated { Outcome::Defaulted } else { Outcome::Lossy }));
            }
            (None, Some(_)) if fields.writer.is_deprecated => notes.push(tell(Outcome::Defaulted)),
            (None, Some(_)) => notes.push(tell(Outcome::Wrong)),
            (None, None) => {}
        }
    }

    /// The reader has a value (or a fault) where another element's data arrived: the elements that moved explain it.
    fn foreign(
        &self,
        outer: Option<&Identity>,
        elements: &Elements<'_, '_>,
        index: usize,
        outcome: Outcome,
        notes: &mut Vec<Note>,
    ) {
        let source = elements.source_of(index).filter(|source| *source != index);
        let candidates = [Some(index), source].into_iter().flatten();
        let mut blamed: Vec<usize> = candidates.filter(|candidate| elements.list[*candidate].is_moved).collect();
        if blamed.is_empty() {
            blamed.push(index);
        }
        let identity = |index: usize| outer.unwrap_or(&elements.list[index].identity).clone();
        notes.extend(blamed.into_iter().map(|index| Note { identity: identity(index), outcome }));
    }

    fn knows(&self, ids: Sides<ObjectId>) -> bool {
        let pair = in_order(self.direction, ids);
        ids.writer == HOLDER || self.known.objects.contains(&(pair.old, pair.new))
    }

    fn knows_enums(&self, ids: Sides<EnumId>) -> bool {
        let pair = in_order(self.direction, ids);
        self.known.enums.contains(&(pair.old, pair.new))
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
            (Type::Struct(writer), Type::Struct(reader), Value::Record(wrote), Value::Record(read)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                self.structs(identity, ids, Sides { writer: wrote, reader: read }, notes);
            }
            (Type::Union(writer), Type::Union(reader), wrote, read) => {
                let ids = Sides { writer: *writer, reader: *reader };
                self.unions(identity, ids, Sides { writer: wrote, reader: read }, notes);
            }
            (Type::Enum(writer), Type::Enum(reader), wrote, read) => match (enum_number(wrote), enum_number(read)) {
                (Some(wrote), Some(read)) => {
                    let ids = Sides { writer: *writer, reader: *reader };
                    self.enum_numbers(identity, ids, Sides { writer: wrote, reader: read }, notes);
                }
                _ => notes.push(tell(Outcome::Wrong)),
            },
            (_, _, _, Value::Branch { value, .. }) if **value == Value::Null => {
                notes.push(tell(Outcome::Unrecognized));
            }
            (writer, reader, wrote, read) => match (items(writer), items(reader), listed(wrote), listed(read)) {
                (Some(writer), Some(reader), Some(wrote), Some(read)) => {
                    let types = Sides { writer, reader };
                    self.lists(identity, types, Sides { writer: &wrote, reader: &read }, notes);
                }
                _ if !same_to_reader(wrote, read) => self.explain(identity, types, Outcome::Wrong, notes),
                _ => {
                    if let (Type::Enum(id), Some(number)) = (reader, enum_number(read))
                        && names(self.types.reader, *id, number).next().is_none()
                    {
                        notes.push(tell(Outcome::Unrecognized));
                    }
                }
            },
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

    /// Structs are compared by what lies where: a field that covers the same numbers at the same places reads the same,
    /// however it is named or grouped.
    fn structs(&self, field: &Identity, ids: Sides<ObjectId>, records: Sides<&Record>, notes: &mut Vec<Note>) {
        let elements = self.elements(ids);
        let is_known = self.knows(ids);
        let mut written = Vec::new();
        flatten(self.types.writer, &Type::Struct(ids.writer), &Value::Record(records.writer.clone()), 0, &mut written);
        for element in &elements.list {
            let Some(reader) = element.reader else { continue };
            let Some(read) = records.reader.fields.get(&i32::from(reader.slot)) else { continue };
            let mut seen = Vec::new();
            flatten(self.types.reader, &reader.ty, read, reader.offset, &mut seen);
            let is_there = |leaf: &Leaf| {
                written.iter().any(|other| (other.0, other.1) == (leaf.0, leaf.1) && same_to_reader(&other.2, &leaf.2))
            };
            let mut inner = Vec::new();
            match element.writer {
                Some(writer) if element.is_moved || nests(&writer.ty) && nests(&reader.ty) => {
                    let Some(wrote) = records.writer.fields.get(&i32::from(writer.slot)) else { continue };
                    let types = Sides { writer: &writer.ty, reader: &reader.ty };
                    self.values(&element.identity, types, Sides { writer: wrote, reader: read }, &mut inner);
                }
                _ if seen.iter().all(is_there) => {}
                Some(writer) => {
                    let Some(wrote) = records.writer.fields.get(&i32::from(writer.slot)) else { continue };
                    let types = Sides { writer: &writer.ty, reader: &reader.ty };
                    self.values(&element.identity, types, Sides { writer: wrote, reader: read }, &mut inner);
                }
                None => {
                    let is_zero = seen.iter().all(|leaf| is_empty(&leaf.2));
                    let outcome = if is_zero { Outcome::Defaulted } else { Outcome::Wrong };
                    inner.push(Note { identity: element.identity.clone(), outcome });
                }
            }
            for note in inner {
                match is_known {
                    false => notes.push(Note { identity: field.clone(), ..note }),
                    true if note.identity == element.identity && note.outcome > Outcome::Defaulted => {
                        let types = Sides { writer: &Type::Struct(ids.writer), reader: &Type::Struct(ids.reader) };
                        self.explain(field, types, note.outcome, notes);
                    }
                    true => notes.push(note),
                }
            }
        }
    }

    /// Tells an outcome of a field: if the field itself did not change, of the struct or the enum that it is of.
    fn explain(&self, field: &Identity, types: Sides<&Type>, outcome: Outcome, notes: &mut Vec<Note>) {
        let inside = match self.known.changed.contains(field) {
            true => Vec::new(),
            false => self.inside(types, 0),
        };
        match inside.is_empty() {
            true => notes.push(Note { identity: field.clone(), outcome }),
            false => notes.extend(inside.into_iter().map(|identity| Note { identity, outcome })),
        }
    }

    /// What changed of two types: the layout, else everything.
    fn inside(&self, types: Sides<&Type>, depth: usize) -> Vec<Identity> {
        match (types.writer, types.reader) {
            (Type::Struct(writer), Type::Struct(reader)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                let container = self.container(ids);
                let layout = pairing::layout(&container);
                if self.known.changed.contains(&layout) {
                    return vec![layout];
                }
                let inside = self.known.inside(&container);
                if !inside.is_empty() || depth > 16 {
                    return inside;
                }
                let elements = self.elements(ids);
                let pairs = elements.list.iter().filter_map(|element| Some((element.writer?, element.reader?)));
                let all = pairs.flat_map(|(writer, reader)| {
                    self.inside(Sides { writer: &writer.ty, reader: &reader.ty }, depth + 1)
                });
                all.collect()
            }
            (Type::Enum(writer), Type::Enum(reader)) | (Type::Union(writer), Type::Union(reader)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                let new = in_order(
                    self.direction,
                    Sides {
                        writer: &self.types.writer.schema.enumeration(ids.writer).full_name,
                        reader: &self.types.reader.schema.enumeration(ids.reader).full_name,
                    },
                );
                let underlying = pairing::declaration("underlying", new.new);
                match self.known.changed.contains(&underlying) {
                    true => vec![underlying],
                    false => self.known.inside(&self.enum_container(ids)),
                }
            }
            (Type::Struct(writer), Type::Table(reader)) | (Type::Table(writer), Type::Struct(reader)) => {
                let container = self.container(Sides { writer: *writer, reader: *reader });
                let sort = pairing::declaration("sort", &container);
                if self.known.changed.contains(&sort) { vec![sort] } else { Vec::new() }
            }
            (writer, reader) => match (items(writer), items(reader)) {
                (Some(writer), Some(reader)) if depth <= 16 => self.inside(Sides { writer, reader }, depth + 1),
                _ => Vec::new(),
            },
        }
    }

    /// A number of an enum was written, and a number was read.
    fn enum_numbers(&self, field: &Identity, ids: Sides<EnumId>, numbers: Sides<i128>, notes: &mut Vec<Note>) {
        if numbers.writer != numbers.reader {
            let types = Sides { writer: &Type::Enum(ids.writer), reader: &Type::Enum(ids.reader) };
            return self.explain(field, types, Outcome::Wrong, notes);
        }
        if let Some(found) = self.renumbered(field, ids, numbers.writer) {
            notes.extend(found);
        }
    }

    /// What a number of an enum or a union means to both sides; `None` if nobody is mistaken.
    fn renumbered(&self, field: &Identity, ids: Sides<EnumId>, number: i128) -> Option<Vec<Note>> {
        let written: Vec<&str> = names(self.types.writer, ids.writer, number).collect();
        let read: Vec<&str> = names(self.types.reader, ids.reader, number).collect();
        if written.is_empty() || written.iter().any(|name| read.contains(name)) {
            return None;
        }
        let identity = |make: &dyn Fn(&str) -> Identity| match self.knows_enums(ids) {
            true => make(&self.enum_container(ids)),
            false => field.clone(),
        };
        let moved = |name: &&&str| {
            let numbers =
                (number_of(self.types.writer, ids.writer, name), number_of(self.types.reader, ids.reader, name));
            matches!(numbers, (Some(one), Some(two)) if one != two)
        };
        let outcome = if read.is_empty() { Outcome::Unrecognized } else { Outcome::Wrong };
        let mut notes = Vec::new();
        for name in written.iter().chain(&read).filter(moved) {
            notes.push(Note { identity: identity(&|container| pairing::by_name(container, name)), outcome });
        }
        if read.is_empty() && notes.is_empty() {
            notes.push(Note { identity: identity(&|container| pairing::by_number(container, number)), outcome });
        }
        Some(notes)
    }

    fn unions(&self, field: &Identity, ids: Sides<EnumId>, values: Sides<&Value>, notes: &mut Vec<Note>) {
        let (Value::Branch { index, value: wrote }, Value::Branch { index: seen, value: read }) =
            (values.writer, values.reader)
        else {
            return notes.push(Note { identity: field.clone(), outcome: Outcome::Wrong });
        };
        if index != seen {
            let types = Sides { writer: &Type::Union(ids.writer), reader: &Type::Union(ids.reader) };
            return self.explain(field, types, Outcome::Wrong, notes);
        }
        let number = i128::from(*index);
        let found = self.renumbered(field, ids, number);
        let own = match self.knows_enums(ids) {
            true => pairing::by_number(&self.enum_container(ids), number),
            false => field.clone(),
        };
        match (&found, self.members(ids, *index)) {
            (Some(notes_found), _) if !notes_found.is_empty() => notes.extend(found.into_iter().flatten()),
            (_, Some(types)) if found.is_none() || self.is_one_type(types) => {
                self.values(&own, types, Sides { writer: wrote, reader: read }, notes);
            }
            (Some(_), Some(_)) => notes.push(Note { identity: own, outcome: Outcome::Wrong }),
            _ => {}
        }
    }

    fn members(&self, ids: Sides<EnumId>, index: u32) -> Option<Sides<&Type>> {
        let writer = self.types.writer.member(ids.writer, index)?;
        Some(Sides { writer, reader: self.types.reader.member(ids.reader, index)? })
    }

    /// Whether two members are versions of one type.
    fn is_one_type(&self, types: Sides<&Type>) -> bool {
        match (types.writer, types.reader) {
            (Type::Table(writer), Type::Table(reader)) | (Type::Struct(writer), Type::Struct(reader)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                let Sides { writer, reader } = self.objects(ids);
                // Where the old name goes on elsewhere, another type took the place.
                let goes_on = self.types.reader.schema.objects_by_name.contains_key(&writer.full_name)
                    || self.types.writer.schema.objects_by_name.contains_key(&reader.full_name);
                self.knows(ids) && (writer.full_name == reader.full_name || !goes_on)
            }
            (writer, reader) => writer == reader,
        }
    }

    /// What a reader who rejected the bytes experienced: which element made it fail.
    fn blame(
        &self,
        outer: Option<&Identity>,
        ids: Sides<ObjectId>,
        wrote: &Record,
        path: &[i32],
        notes: &mut Vec<Note>,
    ) {
        let elements = self.elements(ids);
        let index = path.first().and_then(|slot| elements.by_reader.get(slot).copied());
        let Some(index) = index else {
            // The table as a whole is at fault: what was written in it stands for it.
            let written = wrote.fields.keys().filter_map(|slot| elements.of_writer(*slot));
            let changed = written.clone().find(|index| self.known.changed.contains(&elements.list[*index].identity));
            let first = changed.or_else(|| written.clone().next());
            let identity = outer.or(first.map(|index| &elements.list[index].identity));
            notes.extend(identity.map(|identity| Note { identity: identity.clone(), outcome: Outcome::Fails }));
            return;
        };
        let element = &elements.list[index];
        let identity = outer.unwrap_or(&element.identity);
        match (element.writer, element.reader) {
            (Some(writer), Some(reader)) if writer.slot == reader.slot => {
                let value = wrote.fields.get(&i32::from(writer.slot));
                self.blame_value(identity, Sides { writer, reader }, value, &path[1..], notes);
            }
            _ => self.foreign(outer, &elements, index, Outcome::Fails, notes),
        }
    }

    fn blame_value(
        &self,
        identity: &Identity,
        fields: Sides<&Field<'_>>,
        value: Option<&Value>,
        path: &[i32],
        notes: &mut Vec<Note>,
    ) {
        let types = Sides { writer: strip(&fields.writer.ty), reader: strip(&fields.reader.ty) };
        let nested = match (fields.writer.nested, fields.reader.nested, types.writer, types.reader) {
            (Some(writer), Some(reader), ..) => Some(Sides { writer, reader }),
            (_, _, Type::Table(writer), Type::Table(reader)) => Some(Sides { writer: *writer, reader: *reader }),
            _ => None,
        };
        let child = value.and_then(first_record);
        if let (Some(ids), Some(child), false) = (nested, child, path.is_empty()) {
            return self.blame(self.outer(ids, identity), ids, child, path, notes);
        }
        if let (Type::Union(writer), Type::Union(reader), Some(marker)) = (types.writer, types.reader, path.first()) {
            let ids = Sides { writer: *writer, reader: *reader };
            let index = u32::try_from(-1 - i64::from(*marker)).unwrap_or_default();
            return self.blame_member(identity, ids, (index, child), &path[1..], notes);
        }
        let types = Sides { writer: &fields.writer.ty, reader: &fields.reader.ty };
        self.explain(identity, types, Outcome::Fails, notes);
    }

    fn blame_member(
        &self,
        field: &Identity,
        ids: Sides<EnumId>,
        (index, child): (u32, Option<&Record>),
        path: &[i32],
        notes: &mut Vec<Note>,
    ) {
        let number = i128::from(index);
        let own = match self.knows_enums(ids) {
            true => pairing::by_number(&self.enum_container(ids), number),
            false => field.clone(),
        };
        let moved = self.renumbered(field, ids, number).unwrap_or_default();
        if !moved.is_empty() {
            return notes.extend(moved.into_iter().map(|note| Note { outcome: Outcome::Fails, ..note }));
        }
        match (self.members(ids, index), child) {
            (Some(Sides { writer: Type::Table(writer), reader: Type::Table(reader) }), Some(child)) => {
                let ids = Sides { writer: *writer, reader: *reader };
                self.blame(self.outer(ids, &own), ids, child, path, notes);
            }
            (Some(types), _) => self.explain(&own, types, Outcome::Fails, notes),
            (None, _) => notes.push(Note { identity: own, outcome: Outcome::Fails }),
        }
    }
}

/// A number at a place of a struct.
type Leaf = (u32, Scalar, Value);

/// The numbers of a value that stands inline, with their places.
fn flatten(types: Types<'_, '_>, ty: &Type, value: &Value, at: u32, into: &mut Vec<Leaf>) {
    match (ty, value) {
        (Type::Struct(id), Value::Record(record)) => {
            for field in &types.object(*id).fields {
                if let Some(value) = record.fields.get(&i32::from(field.slot)) {
                    flatten(types, &field.ty, value, at + field.offset, into);
                }
            }
        }
        (Type::Array(items, _), Value::List(values)) => {
            let (size, _) = types.inline(items);
            for (index, value) in values.iter().enumerate() {
                flatten(types, items, value, at + (index * size) as u32, into);
            }
        }
        (ty, value) => into.extend(types.scalar(ty).map(|scalar| (at, scalar, value.clone()))),
    }
}

/// Whether what lies inside has identities of its own.
fn nests(ty: &Type) -> bool {
    match ty {
        Type::Struct(_) | Type::Enum(_) => true,
        Type::Array(items, _) => nests(items),
        _ => false,
    }
}

/// The type of the items of a vector or an array.
pub(super) fn items(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Vector(items) | Type::Vector64(items) | Type::Array(items, _) => Some(items),
        _ => None,
    }
}

fn strip(ty: &Type) -> &Type {
    items(ty).unwrap_or(ty)
}

fn listed(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::List(values) => Some(values.clone()),
        Value::Bytes(bytes) => Some(bytes.iter().map(|byte| Value::Int((*byte).into())).collect()),
        _ => None,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::Int(number) => *number == 0,
        Value::Enum { number, .. } => *number == 0,
        Value::Float(number) => number.to_bits() == 0,
        Value::Double(number) => number.to_bits() == 0,
        Value::Text(bytes) | Value::Bytes(bytes) => bytes.is_empty(),
        Value::List(values) => values.is_empty(),
        _ => false,
    }
}

fn enum_number(value: &Value) -> Option<i128> {
    match value {
        Value::Enum { number, .. } => Some((*number).into()),
        Value::Int(number) => Some(*number),
        _ => None,
    }
}

/// The names of a number of an enum or a union.
pub(super) fn names<'s>(types: Types<'s, '_>, id: EnumId, number: i128) -> impl Iterator<Item = &'s str> {
    let values = types.schema.enumeration(id).values.iter();
    values.filter(move |value| value.number == number).map(|value| &*value.name.text)
}

fn number_of(types: Types<'_, '_>, id: EnumId, name: &str) -> Option<i128> {
    let mut values = types.schema.enumeration(id).values.iter();
    values.find(|value| value.name.text == name).map(|value| value.number)
}

/// The first record in a value.
fn first_record(value: &Value) -> Option<&Record> {
    match value {
        Value::Record(record) => Some(record),
        Value::Branch { value, .. } => first_record(value),
        Value::List(values) => values.iter().find_map(first_record),
        _ => None,
    }
}
