//! The resolving reader (specification, *Schema Resolution*): what a reader's schema makes of a value that a writer's
//! schema describes.
//!
//! The deciding reader follows the specification where all its readers agree and the reference implementation where the
//! text leaves a choice: in a reader's union the branch of the very same type is taken before the first one that
//! matches by promotion. [`Dialect::Java`] models the reference implementation's reader, which does not look at the
//! names of records outside of unions.
//!
//! Types may refer to themselves and values cannot, so it is the value that is walked; what depends on the types only
//! is worked out once per pair and kept in a [`Reading`].

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::ordered::{InOrder, OrderedMap};
use crate::value::{Key, Record as RecordValue, Value};

use super::model::{By, Enum, Field, Kind, Primitive, Record, TypeId, Union, Use};
use super::resolve_java;
use super::resolve_java_default;
use super::resolve_terms::{Fields, Renames, Shapes, is_promoted, is_same_sort, simple};

pub use super::resolve_terms::Dialect;
pub(crate) use super::resolve_terms::{DEPTH_LIMIT, Failure, Reading, Reason, Resolver, Step};

impl<'s, 'w, 'r> Resolver<'s, 'w, 'r> {
    /// What the reader sees of a value of the writer's type.
    ///
    /// # Errors
    ///
    /// The first reason for which the reader rejects it.
    pub(crate) fn read(&self, writer: TypeId, reader: TypeId, value: &Value) -> Result<Value, Failure> {
        self.reading(writer, reader).read(value)
    }

    /// Prepares to read many values that were written with one type and are wanted as another.
    pub(crate) fn reading(&self, writer: TypeId, reader: TypeId) -> Reading<'s, 'w, 'r> {
        let renames = match self.dialect {
            Dialect::Specification => Renames::default(),
            Dialect::Java => Renames::of(self, writer, reader),
        };
        Reading {
            sides: *self,
            writer,
            reader,
            renames,
            fields: RefCell::default(),
            branches: RefCell::default(),
            equivalent: RefCell::default(),
            shapes: Shapes::default(),
            unmade: Rc::default(),
            useless: OnceCell::default(),
        }
    }
}

impl Reading<'_, '_, '_> {
    /// What the reader sees of a value.
    ///
    /// # Errors
    ///
    /// The first reason for which the reader rejects it.
    pub(crate) fn read(&self, value: &Value) -> Result<Value, Failure> {
        let mut walk = Walk::new(self);
        let read = walk.value((self.writer, self.reader), value);
        walk.result(read)
    }

    /// Takes over what another reading of the same schemas knows of the reader's unions and defaults.
    pub(super) fn share(&mut self, other: &Self) {
        self.unmade = other.unmade.clone();
        self.shapes.records = other.shapes.records.clone();
    }

    /// Why nothing can be read at all, and where.
    fn useless(&self) -> &Option<(Vec<Step>, Reason)> {
        self.useless.get_or_init(|| match (&self.renames.contradiction, self.sides.dialect) {
            (Some(contradiction), _) => Some(contradiction.clone()),
            (None, Dialect::Java) => self.unmade_default(),
            (None, Dialect::Specification) => None,
        })
    }

    /// What the reader sees of a value, the names of the two types themselves taken to match.
    ///
    /// # Errors
    ///
    /// The first reason for which the reader rejects it.
    pub(crate) fn read_inside(&self, value: &Value) -> Result<Value, Failure> {
        let mut walk = Walk::new(self);
        let read = walk.without_names(value);
        walk.result(read)
    }

    /// The branch of a union of the reader that takes a written type which is no union itself.
    pub(crate) fn branch_for(&self, writer: TypeId, union: TypeId) -> Option<usize> {
        if let Some(known) = self.branches.borrow().get(&(writer, union)) {
            return *known;
        }
        let Kind::Union(branches) = self.sides.reader.kind(union) else { return None };
        let found = match self.sides.dialect {
            Dialect::Specification => self.specified_branch(writer, branches),
            Dialect::Java => resolve_java::first_matching_branch(self, writer, (union, branches)),
        };
        self.branches.borrow_mut().insert((writer, union), found);
        found
    }

    /// By the full name, then by an alias, then by the unqualified name (a fixed of the right size first), then by
    /// promotion.
    fn specified_branch(&self, writer: TypeId, branches: &Union) -> Option<usize> {
        let Resolver { writer: from, reader: to, .. } = self.sides;
        let written = from.kind(writer);
        let Some(name) = written.name() else {
            let find =
                |matches: &dyn Fn(&Kind<'_>) -> bool| branches.iter().position(|branch| matches(to.kind(branch.ty)));
            return find(&|kind| is_same_sort(written, kind)).or_else(|| find(&|kind| is_promoted(written, kind)));
        };
        let kind = |index: usize| to.kind(branches[index].ty);
        let called = |by| branches.called(to, by).filter(|index| is_same_sort(written, kind(*index)));
        let fits = |index: &usize| sizes(written, kind(*index)).is_none_or(|(one, other)| one == other);
        called(By::Full(&name.full))
            .next()
            .or_else(|| called(By::Alias(&name.full)).next())
            .or_else(|| called(By::Simple(name.simple())).find(fits))
            .or_else(|| called(By::Simple(name.simple())).next())
    }

    /// Whether the names of two named types of the same sort allow one to be read as the other.
    fn names_match(&self, writer: TypeId, reader: TypeId) -> bool {
        let (from, to) = (self.sides.writer.kind(writer), self.sides.reader.kind(reader));
        let (Some(written), Some(wanted)) = (from.name(), to.name()) else { return true };
        match self.sides.dialect {
            Dialect::Specification => {
                written.simple() == wanted.simple() || to.aliases().iter().any(|alias| alias.full == written.full)
            }
            Dialect::Java => {
                matches!(from, Kind::Record(_)) || simple(self.renames.name(&written.full)) == wanted.simple()
            }
        }
    }

    /// The value that a field of the reader takes by default.
    pub(super) fn default(&self, field: &Field<'_>) -> Option<Value> {
        match self.sides.dialect {
            Dialect::Specification => field.default.as_ref().map(|default| default.value.clone()),
            Dialect::Java => resolve_java_default::default(self.sides.reader, field),
        }
    }

    /// Where the fields of the reader's record come from.
    pub(super) fn fields(&self, types: (TypeId, TypeId), records: (&Record<'_>, &Record<'_>)) -> Rc<Fields> {
        if let Some(known) = self.fields.borrow().get(&types) {
            return known.clone();
        }
        let fields = Rc::new(match self.sides.dialect {
            Dialect::Specification => specified_fields(records.0, records.1),
            Dialect::Java => resolve_java::fields(&self.renames, records.0, self.sides.reader, records.1),
        });
        self.fields.borrow_mut().insert(types, fields.clone());
        fields
    }
}

/// By name and by alias: the written field acts as though it were called what the reader calls it.
fn specified_fields(writer: &Record<'_>, reader: &Record<'_>) -> Fields {
    let by_name: FxHashMap<&str, usize> =
        writer.fields.iter().enumerate().map(|(index, field)| (&*field.name, index)).collect();
    let mut wanted: Vec<Option<usize>> = vec![None; writer.fields.len()];
    let mut fields = Fields::default();
    for (index, field) in reader.fields.iter().enumerate() {
        // A field that had the alias already, beside the other field, is read by its own name as before.
        let own = by_name.get(&*field.name).map(|index| &writer.fields[*index]);
        let had = |alias: &str| own.is_some_and(|own| own.aliases.iter().any(|(known, _)| known == alias));
        let aliases = field.aliases.iter().map(|(alias, _)| alias).filter(|alias| !had(alias));
        let names = std::iter::once(&field.name).chain(aliases);
        let mut sources: Vec<usize> = names.filter_map(|name| by_name.get(&**name).copied()).collect();
        sources.sort_in_order();
        sources.dedup();
        for source in &sources {
            let rival = wanted[*source].replace(index);
            if rival.is_some() || sources.len() > 1 {
                let step = Step::Field { writer: Some(*source), reader: Some(index) };
                fields.failing.get_or_insert((step, Reason::Ambiguous));
                fields.ambiguous.get_or_insert(index);
            }
        }
        fields.add(index, sources.first().copied(), field.default.is_some());
    }
    fields
}

fn sizes(one: &Kind<'_>, other: &Kind<'_>) -> Option<(u32, u32)> {
    match (one, other) {
        (Kind::Fixed(one), Kind::Fixed(other)) => Some((one.size, other.size)),
        _ => None,
    }
}

/// The walk through one value: where it is, and what went wrong first.
struct Walk<'k, 's, 'w, 'r> {
    reading: &'k Reading<'s, 'w, 'r>,
    steps: Vec<Step>,
    failure: Option<Failure>,
}

/// A written and a wanted type.
type Types = (TypeId, TypeId);

impl<'k, 's, 'w, 'r> Walk<'k, 's, 'w, 'r> {
    fn new(reading: &'k Reading<'s, 'w, 'r>) -> Self {
        let failure = reading.useless().clone().map(|(steps, reason)| Failure { reason, steps });
        Walk { reading, steps: Vec::new(), failure }
    }

    fn result(self, read: Option<Value>) -> Result<Value, Failure> {
        match (self.failure, read) {
            (None, Some(value)) => Ok(value),
            (failure, _) => Err(failure.expect("a value that is not read has a failure")),
        }
    }

    /// The first failure is the one that is told.
    fn fail(&mut self, reason: Reason) -> Option<Value> {
        self.failure.get_or_insert_with(|| Failure { reason, steps: self.steps.clone() });
        None
    }

    fn step(&mut self, step: Step, types: Types, value: &Value) -> Option<Value> {
        if self.steps.len() >= DEPTH_LIMIT {
            return self.fail(Reason::TooDeep);
        }
        self.steps.push(step);
        let read = self.value(types, value);
        self.steps.pop();
        read
    }

    fn without_names(&mut self, value: &Value) -> Option<Value> {
        let types = (self.reading.writer, self.reading.reader);
        let is_union = |kind: &Kind<'_>| matches!(kind, Kind::Union(_));
        let sides = self.reading.sides;
        if is_union(sides.writer.kind(types.0)) || is_union(sides.reader.kind(types.1)) {
            return self.value(types, value);
        }
        self.inside(types, value)
    }

    fn value(&mut self, types: Types, value: &Value) -> Option<Value> {
        let sides = self.reading.sides;
        let (writer, reader) = types;
        match (sides.writer.kind(writer), sides.reader.kind(reader)) {
            (Kind::Union(branches), _) => self.written_union(types, branches, value),
            (_, Kind::Union(branches)) => match self.reading.branch_for(writer, reader) {
                Some(index) => self.branch(index, (writer, branches[index].ty), value),
                None => self.fail(Reason::NoBranch { writer, reader }),
            },
            (from, to) if is_same_sort(from, to) && !self.reading.names_match(writer, reader) => {
                self.fail(Reason::NamesDiffer { writer, reader })
            }
            _ => self.inside(types, value),
        }
    }

    fn written_union(&mut self, (writer, reader): Types, branches: &[Use], value: &Value) -> Option<Value> {
        let Value::Branch { index, value } = value else { return self.fail(Reason::NotWritten) };
        let at = *index as usize;
        let Some(branch) = branches.get(at) else { return self.fail(Reason::NotWritten) };
        let sides = self.reading.sides;
        match sides.reader.kind(reader) {
            Kind::Union(theirs)
                if sides.dialect == Dialect::Java && resolve_java::is_equivalent(self.reading, writer, reader) =>
            {
                self.steps.push(Step::WriterBranch(at));
                let read = self.branch(at, (branch.ty, theirs[at].ty), value);
                self.steps.pop();
                read
            }
            _ => self.step(Step::WriterBranch(at), (branch.ty, reader), value),
        }
    }

    fn branch(&mut self, index: usize, types: Types, value: &Value) -> Option<Value> {
        let value = Box::new(self.step(Step::ReaderBranch(index), types, value)?);
        Some(Value::Branch { index: u32::try_from(index).ok()?, value })
    }

    /// Neither is a union, and the names do not count.
    fn inside(&mut self, types: Types, value: &Value) -> Option<Value> {
        let sides = self.reading.sides;
        let (writer, reader) = types;
        match (sides.writer.kind(writer), sides.reader.kind(reader)) {
            (Kind::Primitive(from), Kind::Primitive(to)) => match promote(*from, *to, value, sides.dialect) {
                Ok(value) => Some(value),
                Err(None) => self.fail(Reason::TypesDiffer { writer, reader }),
                Err(Some(reason)) => self.fail(reason),
            },
            (Kind::Array(from), Kind::Array(to)) => self.list((from.ty, to.ty), value),
            (Kind::Map(from), Kind::Map(to)) => self.map((from.ty, to.ty), value),
            (Kind::Record(from), Kind::Record(to)) => self.record(types, (from, to), value),
            (Kind::Enum(from), Kind::Enum(to)) => self.symbol(types, (from, to), value),
            (Kind::Fixed(from), Kind::Fixed(to)) => match value {
                _ if from.size != to.size => self.fail(Reason::SizesDiffer { writer, reader }),
                Value::Bytes(bytes) => Some(Value::Bytes(bytes.clone())),
                _ => self.fail(Reason::NotWritten),
            },
            _ => self.fail(Reason::TypesDiffer { writer, reader }),
        }
    }

    fn list(&mut self, items: Types, value: &Value) -> Option<Value> {
        let Value::List(values) = value else { return self.fail(Reason::NotWritten) };
        let mut read = Vec::with_capacity(values.len());
        for value in values {
            read.push(self.step(Step::Items, items, value)?);
        }
        Some(Value::List(read))
    }

    fn map(&mut self, items: Types, value: &Value) -> Option<Value> {
        let Value::Map(entries) = value else { return self.fail(Reason::NotWritten) };
        let mut read: OrderedMap<Key, Value> = OrderedMap::new();
        for (key, value) in entries {
            read.insert(key.clone(), self.step(Step::Values, items, value)?);
        }
        Some(Value::Map(read))
    }

    fn record(&mut self, types: Types, (from, to): (&Record<'_>, &Record<'_>), value: &Value) -> Option<Value> {
        let Value::Record(value) = value else { return self.fail(Reason::NotWritten) };
        let fields = self.reading.fields(types, (from, to));
        if let Some((step, reason)) = &fields.failing {
            self.steps.push(*step);
            return self.fail(reason.clone());
        }
        let mut read = RecordValue::empty(types.1.0);
        for ((index, field), source) in to.fields.iter().enumerate().zip(&fields.sources) {
            let seen = match source {
                Some(source) => {
                    let types = (from.fields[*source].schema.ty, field.schema.ty);
                    self.field((*source, index), types, value)?
                }
                None => self.reading.default(field)?,
            };
            read.fields.insert(i32::try_from(index).ok()?, seen);
        }
        Some(Value::Record(read))
    }

    fn field(&mut self, (source, index): (usize, usize), types: Types, record: &RecordValue) -> Option<Value> {
        let written = i32::try_from(source).ok().and_then(|key| record.fields.get(&key));
        match written {
            Some(value) => self.step(Step::Field { writer: Some(source), reader: Some(index) }, types, value),
            None => self.fail(Reason::NotWritten),
        }
    }

    fn symbol(&mut self, (writer, reader): Types, (from, to): (&Enum<'_>, &Enum<'_>), value: &Value) -> Option<Value> {
        let Value::Enum { number, .. } = value else { return self.fail(Reason::NotWritten) };
        let index = u32::try_from(*number).ok();
        let written = index.and_then(|index| Some((index, from.symbols.get(index as usize)?)));
        let Some((symbol, (name, _))) = written else { return self.fail(Reason::NotWritten) };
        let known = to.position(name).and_then(|index| i32::try_from(index).ok());
        let fallback = || to.default.and_then(|(index, _)| i32::try_from(index).ok());
        match known.or_else(fallback) {
            Some(number) => Some(Value::Enum { ty: reader.0, number }),
            None => self.fail(Reason::UnknownSymbol { symbol, writer, reader }),
        }
    }
}

/// A primitive value as the same or another primitive type; no reason where no promotion leads there.
fn promote(from: Primitive, to: Primitive, value: &Value, dialect: Dialect) -> Result<Value, Option<Reason>> {
    let is_known = from == to || is_promoted(&Kind::Primitive(from), &Kind::Primitive(to));
    if !is_known {
        return Err(None);
    }
    Ok(match (from, to, value) {
        (Primitive::Null, _, Value::Null) => Value::Null,
        (Primitive::Boolean, _, Value::Bool(value)) => Value::Bool(*value),
        (Primitive::Int | Primitive::Long, Primitive::Float, Value::Int(value)) => Value::Float(*value as f32),
        (Primitive::Int | Primitive::Long, Primitive::Double, Value::Int(value)) => Value::Double(*value as f64),
        (Primitive::Int | Primitive::Long, _, Value::Int(value)) => Value::Int(*value),
        (Primitive::Float, Primitive::Double, Value::Float(value)) => Value::Double(f64::from(*value)),
        (Primitive::Float, _, Value::Float(value)) => Value::Float(*value),
        (Primitive::Double, _, Value::Double(value)) => Value::Double(*value),
        (Primitive::Bytes, Primitive::String, Value::Bytes(bytes)) => {
            if dialect == Dialect::Specification && std::str::from_utf8(bytes).is_err() {
                return Err(Some(Reason::NotUtf8));
            }
            Value::Text(bytes.clone())
        }
        (Primitive::String, Primitive::Bytes, Value::Text(text)) => Value::Bytes(text.clone()),
        (Primitive::Bytes, _, Value::Bytes(bytes)) => Value::Bytes(bytes.clone()),
        (Primitive::String, _, Value::Text(text)) => Value::Text(text.clone()),
        _ => return Err(Some(Reason::NotWritten)),
    })
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
