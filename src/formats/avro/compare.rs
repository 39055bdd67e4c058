//! What a reader saw of what a writer wrote: values, part by part, never bytes.
//!
//! The walk follows the schemas of both sides and knows at every step which [`Place`] it is at; so each outcome is told
//! of the identity that the comparison of schemas gives to the same place. Where a reader rejects a value, its parts are
//! read on their own, so that one failure does not hide the others. This module does not know the rules; of the
//! changes it knows the identities only, to tell what lies inside a place that changed as a whole of that place.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Identity, Pair};
use crate::evidence::{Direction, Outcome};
use crate::formats::roundtrip::Sides;
use crate::ordered::{OrderedMap, OrderedSet};
use crate::value::Value;

use super::model::{Kind, Record, Schema, TypeId, Use};
use super::place::{self, FieldPair, Place};
use super::resolve::{Dialect, Reading, Resolver};

mod walk;

/// The identities of the two sides: those of types, and those that changed.
pub(super) struct Identities<'c> {
    /// The place of each pair of named types that met, old and new.
    pub(super) places: FxHashMap<(TypeId, TypeId), Place>,
    /// What changed.
    pub(super) changed: FxHashSet<&'c Identity>,
}

/// One field of a pair of records, seen from the writer to the reader.
pub(super) struct Element {
    /// The field of the writer's record, if that has it.
    pub(super) writer: Option<usize>,
    /// The field of the reader's record, if that has it.
    pub(super) reader: Option<usize>,
    /// Whether the types of the two differ, the named types in them not looked into.
    pub(super) differs: bool,
    /// Whether the types are the same and nothing named is in them.
    is_same: bool,
    /// Whether both sides have the field.
    is_shared: bool,
    place: Place,
    /// What identifies it.
    pub(super) identity: Identity,
    is_changed: bool,
}

/// Compares the values of one writer and one reader.
pub(super) struct Comparer<'s, 'a> {
    /// The types of both.
    pub(super) schemas: Sides<&'s Schema<'a>>,
    /// Who is old and who is new.
    pub(super) direction: Direction,
    /// What is shared.
    pub(super) identities: &'s Identities<'s>,
    elements: RefCell<FxHashMap<Sides<TypeId>, Rc<Vec<Element>>>>,
    unions: RefCell<FxHashMap<Sides<TypeId>, Rc<Vec<FieldPair>>>>,
    /// Of unions and enums, wherever they stand; and how often they were met.
    unwritten: RefCell<FxHashMap<(Sides<TypeId>, Place), Met>>,
    specified: RefCell<FxHashMap<Sides<TypeId>, Rc<Reading<'s, 'a, 'a>>>>,
    java: RefCell<FxHashMap<Sides<TypeId>, Rc<Reading<'s, 'a, 'a>>>>,
}

/// How often a type was met, and its parts.
type Met = (usize, Rc<Vec<Identity>>);

/// Values of a type that are told to have come to parts that nobody can write.
const FIRST: usize = 64;

/// What a reader experienced of one value.
#[derive(Debug, Default)]
pub(super) struct Experience {
    /// What is worse than `safe`.
    pub(super) told: OrderedMap<Identity, Felt>,
    /// The changed identities that the reader came to.
    pub(super) reached: OrderedSet<Identity>,
    /// What was read; the parts of it that can be read where the whole is rejected.
    pub(super) read: Option<Value>,
    /// Why the whole was rejected, if it was: the first reason.
    pub(super) rejected: Option<String>,
}

/// What was experienced of one identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Felt {
    /// The outcome.
    pub(super) outcome: Outcome,
    /// Why the reader fails, if it does.
    pub(super) reason: Option<String>,
    /// The field of the records at the top through which the way leads.
    pub(super) field: Sides<Option<usize>>,
}

impl Experience {
    /// Why the whole was rejected, if it was.
    pub(super) fn rejection(&self) -> Option<&str> {
        self.told.values().find_map(|told| told.reason.as_deref()).or(self.rejected.as_deref())
    }
}

impl<'s, 'a> Comparer<'s, 'a> {
    /// A comparer without anything compared yet.
    pub(super) fn new(schemas: Pair<&'s Schema<'a>>, direction: Direction, identities: &'s Identities<'s>) -> Self {
        Self {
            schemas: Sides::of(direction, schemas),
            direction,
            identities,
            elements: RefCell::default(),
            unions: RefCell::default(),
            unwritten: RefCell::default(),
            specified: RefCell::default(),
            java: RefCell::default(),
        }
    }

    /// How a reader of a dialect reads what was written with one type as the other.
    pub(super) fn reading(&self, dialect: Dialect, types: Sides<TypeId>) -> Rc<Reading<'s, 'a, 'a>> {
        let known = match dialect {
            Dialect::Specification => &self.specified,
            Dialect::Java => &self.java,
        };
        if let Some(reading) = known.borrow().get(&types) {
            return reading.clone();
        }
        let resolver = Resolver { writer: self.schemas.writer, reader: self.schemas.reader, dialect };
        let mut reading = resolver.reading(types.writer, types.reader);
        if let Some(other) = known.borrow().values().next() {
            reading.share(other);
        }
        let reading = Rc::new(reading);
        known.borrow_mut().insert(types, reading.clone());
        reading
    }

    /// The fields of two records, those of the reader first.
    pub(super) fn elements(&self, types: Sides<TypeId>) -> Rc<Vec<Element>> {
        if let Some(elements) = self.elements.borrow().get(&types) {
            return elements.clone();
        }
        let records = (self.schemas.writer.record(types.writer), self.schemas.reader.record(types.reader));
        let elements = match records {
            (Some(writer), Some(reader)) => self.pair_fields(types, Sides { writer, reader }),
            _ => Vec::new(),
        };
        let elements = Rc::new(elements);
        self.elements.borrow_mut().insert(types, elements.clone());
        elements
    }

    fn pair_fields(&self, types: Sides<TypeId>, records: Sides<&Record<'_>>) -> Vec<Element> {
        let place = self.place_of_named(types).unwrap_or_else(|| {
            let names = Sides { writer: &*records.writer.name.full, reader: &*records.reader.name.full };
            Place::named(names.in_order(self.direction))
        });
        let paired = place::fields(records.in_order(self.direction));
        let of_pair = |FieldPair(pair): FieldPair| {
            let indices = Sides::of(self.direction, pair);
            let wrote = indices.writer.and_then(|index| records.writer.fields.get(index));
            let read = indices.reader.and_then(|index| records.reader.fields.get(index));
            let names = Sides { writer: wrote.map(|field| &*field.name), reader: read.map(|field| &*field.name) };
            let place = place.field(names.in_order(self.direction));
            let identity = place.identity();
            let met = wrote.zip(read).map(|(wrote, read)| Sides { writer: wrote.schema.ty, reader: read.schema.ty });
            Element {
                writer: indices.writer,
                reader: indices.reader,
                differs: met.is_some_and(|types| self.differ(types)),
                is_same: met.is_some_and(|types| self.are_same(types)),
                is_shared: wrote.is_some() && read.is_some(),
                is_changed: self.identities.changed.contains(&identity),
                place,
                identity,
            }
        };
        paired.into_iter().map(of_pair).collect()
    }

    fn branches(&self, types: Sides<TypeId>, unions: Sides<&[Use]>) -> Rc<Vec<FieldPair>> {
        if let Some(paired) = self.unions.borrow().get(&types) {
            return paired.clone();
        }
        let paired = place::branches(self.schemas.in_order(self.direction), unions.in_order(self.direction));
        let paired = Rc::new(paired);
        self.unions.borrow_mut().insert(types, paired.clone());
        paired
    }

    /// The identities of the changed parts that only the reader's type has, or that it gives to what was none, branches of a
    /// union and symbols of an enum: nobody can write them. Every value of the type comes to all of them, which is told of the
    /// first values only.
    fn unwritten(&self, types: Sides<TypeId>, place: &Place, parts: impl FnOnce() -> Vec<Place>) -> Rc<Vec<Identity>> {
        let mut known = self.unwritten.borrow_mut();
        let (met, identities) = known.entry((types, place.clone())).or_insert_with(|| {
            let identities = parts().into_iter().map(|part| part.identity());
            (0, Rc::new(identities.filter(|identity| self.identities.changed.contains(identity)).collect()))
        });
        *met += 1;
        if *met > FIRST { Rc::default() } else { identities.clone() }
    }

    /// The symbols that only the reader's enum has.
    fn unwritten_symbols(&self, types: Sides<TypeId>, place: &Place) -> Rc<Vec<Identity>> {
        let kinds = (self.schemas.writer.kind(types.writer), self.schemas.reader.kind(types.reader));
        let (Kind::Enum(writer), Kind::Enum(reader)) = kinds else { return Rc::default() };
        self.unwritten(types, place, || {
            let written: FxHashSet<&str> = writer.symbols.iter().map(|(symbol, _)| &**symbol).collect();
            let others = reader.symbols.iter().filter(|(symbol, _)| !written.contains(&**symbol));
            others.map(|(symbol, _)| place.symbol(symbol)).collect()
        })
    }

    /// The place of two named types of one sort, wherever they are used.
    fn place_of_named(&self, types: Sides<TypeId>) -> Option<Place> {
        let (writer, reader) = (self.schemas.writer.kind(types.writer), self.schemas.reader.kind(types.reader));
        let names = Sides { writer: &*writer.name()?.full, reader: &*reader.name()?.full };
        if std::mem::discriminant(writer) != std::mem::discriminant(reader) {
            return None;
        }
        let ids = types.in_order(self.direction);
        let met = self.identities.places.get(&(ids.old, ids.new)).cloned();
        Some(met.unwrap_or_else(|| Place::named(names.in_order(self.direction))))
    }

    /// Whether two types differ, named types by their names only.
    fn differ(&self, types: Sides<TypeId>) -> bool {
        let (writer, reader) = (self.schemas.writer.ty(types.writer), self.schemas.reader.ty(types.reader));
        let both = |writer: &Use, reader: &Use| Sides { writer: writer.ty, reader: reader.ty };
        match (&writer.kind, &reader.kind) {
            (Kind::Array(writer), Kind::Array(reader)) | (Kind::Map(writer), Kind::Map(reader)) => {
                self.differ(both(writer, reader))
            }
            (Kind::Union(writer), Kind::Union(reader)) => {
                writer.len() != reader.len() || writer.iter().zip(reader).any(|(w, r)| self.differ(both(w, r)))
            }
            (Kind::Primitive(one), Kind::Primitive(other)) => one != other || writer.logical != reader.logical,
            (Kind::Opaque(one), other) | (other, Kind::Opaque(one)) => {
                other.name().is_none_or(|name| name.full != one.full)
            }
            (one, other) => {
                std::mem::discriminant(one) != std::mem::discriminant(other)
                    || one.name().map(|name| &name.full) != other.name().map(|name| &name.full)
            }
        }
    }

    /// Whether two types are the same and use no named types.
    fn are_same(&self, types: Sides<TypeId>) -> bool {
        !self.differ(types) && is_nameless(self.schemas.writer, types.writer)
    }
}

fn is_nameless(schema: &Schema<'_>, id: TypeId) -> bool {
    match schema.kind(id) {
        Kind::Primitive(_) => true,
        Kind::Array(inner) | Kind::Map(inner) => is_nameless(schema, inner.ty),
        Kind::Union(branches) => branches.iter().all(|branch| is_nameless(schema, branch.ty)),
        Kind::Record(_) | Kind::Enum(_) | Kind::Fixed(_) | Kind::Opaque(_) => false,
    }
}
