//! The walk through what was written and what was read.

use std::rc::Rc;

use crate::change::{Identity, Pair};
use crate::evidence::Outcome;
use crate::formats::roundtrip::Sides;
use crate::ordered::OrderedMap;
use crate::value::{Key, Record as RecordValue, Value};

use super::super::compare_scalars::{because, same_meaning};
use super::super::model::{Kind, Schema, TypeId};
use super::super::names::field_key;
use super::super::place::{FieldPair, Place};
use super::super::resolve_terms::{Dialect, Failure, Fields, Reason, Step};
use super::{Comparer, Element, Experience, Felt};

/// Where the walk is.
struct At<'p> {
    types: Sides<TypeId>,
    /// The place by the way to it.
    position: Place,
    /// The place of the named types that met there.
    named: Option<Place>,
    /// Whether the place has the branch of the reader's union already.
    is_joined: bool,
    outer: Option<&'p At<'p>>,
}

impl At<'_> {
    fn here(&self) -> &Place {
        self.named.as_ref().unwrap_or(&self.position)
    }
}

impl Comparer<'_, '_> {
    /// Reads a value, and says what was experienced.
    pub(in super::super) fn experience(
        &self,
        dialect: Dialect,
        types: Sides<TypeId>,
        place: &Place,
        wrote: &Value,
    ) -> Experience {
        let reading = self.reading(dialect, types);
        let at = At { types, position: place.clone(), named: None, is_joined: false, outer: None };
        let mut walk = Walk::new(self, By::Resolving(dialect));
        let read = match reading.read(wrote) {
            Err(failure) if failure.steps.is_empty() && matches!(failure.reason, Reason::NamesDiffer { .. }) => {
                walk.reach(&at);
                walk.fail(&at, &failure.reason);
                match reading.read_inside(wrote) {
                    Ok(read) => walk.accepted(&at, wrote, read),
                    Err(inside) if inside == failure => None,
                    Err(inside) => walk.rejected(&at, wrote, &inside),
                }
            }
            Ok(read) => walk.accepted(&at, wrote, read),
            Err(failure) => walk.rejected(&at, wrote, &failure),
        };
        Experience { read, ..walk.seen }
    }

    /// What another reader, who accepted a value, experienced of it.
    pub(in super::super) fn compare(
        &self,
        types: Sides<TypeId>,
        place: &Place,
        wrote: &Value,
        read: Value,
    ) -> Experience {
        let at = At { types, position: place.clone(), named: None, is_joined: false, outer: None };
        let mut walk = Walk::new(self, By::Another);
        let read = walk.accepted(&at, wrote, read);
        Experience { read, ..walk.seen }
    }
}

const NO_FIELD: Sides<Option<usize>> = Sides { writer: None, reader: None };

/// Who reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// Our own reader.
    Resolving(Dialect),
    /// A reader of which only the values are known.
    Another,
}

impl By {
    fn dialect(self) -> Dialect {
        match self {
            By::Resolving(dialect) => dialect,
            By::Another => Dialect::Specification,
        }
    }
}

/// One walk through one value.
struct Walk<'c, 's, 'a> {
    comparer: &'c Comparer<'s, 'a>,
    by: By,
    seen: Experience,
    /// How often something failed.
    failures: usize,
    /// The field of the records at the top that is being looked at.
    field: Sides<Option<usize>>,
}

impl<'c, 's, 'a> Walk<'c, 's, 'a> {
    /// A walk on which nothing was seen yet.
    fn new(comparer: &'c Comparer<'s, 'a>, by: By) -> Self {
        Walk { comparer, by, seen: Experience::default(), failures: 0, field: NO_FIELD }
    }
}

impl Walk<'_, '_, '_> {
    fn schemas(&self) -> Sides<&Schema<'_>> {
        self.comparer.schemas
    }

    fn is_changed(&self, identity: &Identity) -> bool {
        self.comparer.identities.changed.contains(identity)
    }

    fn reach_identity(&mut self, identity: Identity) {
        if self.is_changed(&identity) {
            self.seen.reached.insert(identity);
        }
    }

    fn reach(&mut self, at: &At<'_>) {
        self.reach_identity(at.position.identity());
        if let Some(named) = &at.named {
            self.reach_identity(named.identity());
        }
    }

    /// The identity to tell something of: that of the innermost place that changed; if none did, of the place itself.
    fn blame(&self, at: &At<'_>, place: &Place) -> Identity {
        let own = place.identity();
        if self.is_changed(&own) {
            return own;
        }
        let mut outer = Some(at);
        while let Some(at) = outer {
            for place in at.named.iter().chain([&at.position]) {
                let identity = place.identity();
                if self.is_changed(&identity) {
                    return identity;
                }
            }
            outer = at.outer;
        }
        own
    }

    fn tell(&mut self, at: &At<'_>, place: &Place, outcome: Outcome, reason: Option<String>) {
        let identity = self.blame(at, place);
        self.reach_identity(identity.clone());
        match self.seen.told.get_mut(&identity) {
            // What is rejected has no value that could be wrong.
            Some(known) if known.reason.is_some() || known.outcome >= outcome && reason.is_none() => {}
            _ => {
                self.seen.told.insert(identity, Felt { outcome, reason, field: self.field });
            }
        }
    }

    fn fail(&mut self, at: &At<'_>, reason: &Reason) {
        self.failures += 1;
        let place = match reason {
            Reason::UnknownSymbol { symbol, writer, .. } => match self.schemas().writer.kind(*writer) {
                Kind::Enum(definition) => {
                    let symbol = definition.symbols.get(*symbol as usize);
                    symbol.map_or_else(|| at.here().clone(), |(symbol, _)| at.here().symbol(symbol))
                }
                _ => at.here().clone(),
            },
            Reason::DefaultOfRenamed { record, field } => {
                self.place_of_field(*record, *field).unwrap_or_else(|| at.here().clone())
            }
            Reason::TypesDiffer { .. }
            | Reason::NamesDiffer { .. }
            | Reason::SizesDiffer { .. }
            | Reason::NoDefault
            | Reason::NoBranch { .. }
            | Reason::NotUtf8
            | Reason::Ambiguous
            | Reason::TooDeep
            | Reason::NotWritten => at.here().clone(),
        };
        let sentence = because(self.comparer.schemas, at.types, reason);
        self.tell(at, &place, Outcome::Fails, Some(sentence));
    }

    /// The place of a field of a writer's record, wherever that met a record of the reader.
    fn place_of_field(&self, record: TypeId, field: usize) -> Option<Place> {
        let types = |(old, new): &(TypeId, TypeId)| Sides::of(self.comparer.direction, Pair::new(*old, *new));
        let met = self.comparer.identities.places.keys().filter(|met| types(met).writer == record);
        let types = types(met.min()?);
        let elements = self.comparer.elements(types);
        elements.iter().find(|element| element.writer == Some(field)).map(|element| element.place.clone())
    }

    /// One step down.
    fn child<'p>(&mut self, outer: &'p At<'p>, types: Sides<TypeId>, position: Place, is_joined: bool) -> At<'p> {
        let at = At { types, position, named: self.comparer.place_of_named(types), is_joined, outer: Some(outer) };
        self.reach(&at);
        at
    }

    /// Into a branch of the writer's union.
    fn writer_branch<'p>(&mut self, at: &'p At<'p>, index: usize) -> Option<At<'p>> {
        let schemas = self.comparer.schemas;
        let Kind::Union(written) = schemas.writer.kind(at.types.writer) else { return None };
        let branch = written.get(index)?.ty;
        let types = Sides { writer: branch, reader: at.types.reader };
        let called = schemas.writer.called(branch);
        let Kind::Union(read) = schemas.reader.kind(at.types.reader) else {
            let names = Sides { writer: Some(called), reader: None }.in_order(self.comparer.direction);
            return Some(self.child(at, types, at.here().branch(names), false));
        };
        let paired = self.comparer.branches(at.types, Sides { writer: written, reader: read });
        let indices = |FieldPair(pair): &FieldPair| Sides::of(self.comparer.direction, *pair);
        let unwritten = self.comparer.unwritten(at.types, at.here(), || {
            let lone = paired.iter().map(indices).filter(|indices| indices.writer.is_none());
            let lone = lone.filter_map(|indices| read.get(indices.reader?));
            lone.map(|branch| self.lone_branch(at, schemas.reader.called(branch.ty))).collect()
        });
        let partner = paired.iter().map(indices).find(|indices| indices.writer == Some(index));
        let partner = partner.and_then(|indices| read.get(indices.reader?));
        self.seen.reached.extend(unwritten.iter().cloned());
        let place = match partner.map(|partner| schemas.reader.called(partner.ty)) {
            Some(other) => {
                at.here().branch(Sides { writer: Some(called), reader: Some(other) }.in_order(self.comparer.direction))
            }
            None => self.lone_branch(at, called),
        };
        let mut child = self.child(at, types, place, true);
        // That a name has no counterpart is told of the types that belong together.
        child.named =
            partner.and_then(|partner| self.comparer.place_of_named(Sides { writer: branch, reader: partner.ty }));
        Some(child)
    }

    /// The place of a branch that only one of two unions has.
    fn lone_branch(&self, at: &At<'_>, called: &str) -> Place {
        at.here().branch(Pair::new(Some(called), Some(called)))
    }

    /// Into a branch of the reader's union.
    fn reader_branch<'p>(&mut self, at: &'p At<'p>, index: usize) -> Option<At<'p>> {
        let schemas = self.comparer.schemas;
        let Kind::Union(read) = schemas.reader.kind(at.types.reader) else { return None };
        let branch = read.get(index)?.ty;
        let types = Sides { writer: at.types.writer, reader: branch };
        if at.is_joined {
            return Some(self.child(at, types, at.here().clone(), false));
        }
        let place_of =
            |called| at.here().branch(Sides { writer: None, reader: Some(called) }.in_order(self.comparer.direction));
        let unwritten = self.comparer.unwritten(at.types, at.here(), || {
            read.iter().map(|other| place_of(schemas.reader.called(other.ty))).collect()
        });
        self.seen.reached.extend(unwritten.iter().cloned());
        let place = place_of(schemas.reader.called(branch));
        Some(self.child(at, types, place, false))
    }

    fn items<'p>(&mut self, at: &'p At<'p>) -> Option<At<'p>> {
        let schemas = self.comparer.schemas;
        match (schemas.writer.kind(at.types.writer), schemas.reader.kind(at.types.reader)) {
            (Kind::Array(writer), Kind::Array(reader)) => {
                Some(self.child(at, Sides { writer: writer.ty, reader: reader.ty }, at.here().items(), false))
            }
            (Kind::Map(writer), Kind::Map(reader)) => {
                Some(self.child(at, Sides { writer: writer.ty, reader: reader.ty }, at.here().values(), false))
            }
            _ => None,
        }
    }

    fn field<'p>(&mut self, at: &'p At<'p>, element: &Element) -> Option<At<'p>> {
        let schemas = self.comparer.schemas;
        let writer = schemas.writer.record(at.types.writer)?.fields.get(element.writer?)?.schema.ty;
        let reader = schemas.reader.record(at.types.reader)?.fields.get(element.reader?)?.schema.ty;
        Some(self.child(at, Sides { writer, reader }, element.place.clone(), false))
    }

    fn accepted(&mut self, at: &At<'_>, wrote: &Value, read: Value) -> Option<Value> {
        self.reach(at);
        self.compare(at, wrote, &read);
        Some(read)
    }

    fn compare(&mut self, at: &At<'_>, wrote: &Value, read: &Value) {
        match (wrote, read) {
            (Value::Branch { index, value }, _) => match self.writer_branch(at, *index as usize) {
                Some(at) => self.compare(&at, value, read),
                None => self.tell(at, at.here(), Outcome::Wrong, None),
            },
            (_, Value::Branch { index, value }) => match self.reader_branch(at, *index as usize) {
                Some(at) => self.compare(&at, wrote, value),
                None => self.tell(at, at.here(), Outcome::Wrong, None),
            },
            (Value::Record(wrote), Value::Record(read)) => self.compare_records(at, wrote, read),
            (Value::Enum { number: wrote, .. }, Value::Enum { number: read, .. }) => {
                self.compare_symbols(at, *wrote, *read);
            }
            (Value::List(wrote), Value::List(read)) if wrote.len() == read.len() => {
                self.compare_items(at, wrote.iter().zip(read));
            }
            (Value::Map(wrote), Value::Map(read)) if wrote.keys().eq(read.keys()) => {
                self.compare_items(at, wrote.values().zip(read.values()));
            }
            _ => {
                let logical = Sides {
                    writer: self.schemas().writer.ty(at.types.writer).logical,
                    reader: self.schemas().reader.ty(at.types.reader).logical,
                };
                if !same_meaning(logical, wrote, read) {
                    self.tell(at, at.here(), Outcome::Wrong, None);
                }
            }
        }
    }

    fn compare_items<'v>(&mut self, at: &At<'_>, both: impl Iterator<Item = (&'v Value, &'v Value)>) {
        let mut inner = None;
        for (wrote, read) in both {
            if inner.is_none() {
                inner = self.items(at);
            }
            if let Some(at) = &inner {
                self.compare(at, wrote, read);
            }
        }
    }

    fn compare_records(&mut self, at: &At<'_>, wrote: &RecordValue, read: &RecordValue) {
        let fields = self.fields(at);
        for element in self.comparer.elements(at.types).iter() {
            let source = source_of(&fields, element);
            self.come_to(at, element, source);
            let Some(reader) = element.reader else { continue };
            let source = match source {
                Source::Own(source) => source,
                Source::Foreign => continue,
                Source::Default => {
                    let took = read.fields.get(&field_key(reader));
                    if !self.is_null_on_both(at, element, wrote, took) {
                        self.defaulted(at, element, took);
                    }
                    self.pass_by(at, element, wrote);
                    continue;
                }
            };
            let values = (wrote.fields.get(&field_key(source)), read.fields.get(&field_key(reader)));
            let (Some(wrote), Some(read)) = values else { continue };
            if element.is_same && wrote == read {
                continue;
            }
            let inner = self.field(at, element);
            if self.by == By::Another && self.is_default(at, reader, read) {
                // Where the default is what was written, nothing is lost.
                if !inner.is_some_and(|at| self.is_as_written(&at, wrote, read)) {
                    self.tell(at, &element.place, Outcome::Lossy, None);
                }
                continue;
            }
            if let Some(at) = inner {
                self.compare(&at, wrote, read);
            }
        }
    }

    /// Whether a value that was read says what was written.
    fn is_as_written(&self, at: &At<'_>, wrote: &Value, read: &Value) -> bool {
        let mut walk = Walk::new(self.comparer, self.by);
        walk.compare(at, wrote, read);
        walk.seen.told.is_empty()
    }

    /// Whether a value is the default of a field that the reader has.
    fn is_default(&self, at: &At<'_>, reader: usize, read: &Value) -> bool {
        let record = self.comparer.schemas.reader.record(at.types.reader);
        let field = record.and_then(|record| record.fields.get(reader));
        field.and_then(|field| field.default.as_ref()).is_some_and(|default| default.value == *read)
    }

    /// Where the fields of two records come from.
    fn fields(&self, at: &At<'_>) -> Rc<Fields> {
        let schemas = self.comparer.schemas;
        let records = (schemas.writer.record(at.types.writer), schemas.reader.record(at.types.reader));
        match records {
            (Some(writer), Some(reader)) => {
                let reading = self.comparer.reading(self.by.dialect(), at.types);
                reading.fields((at.types.writer, at.types.reader), (writer, reader))
            }
            _ => Rc::default(),
        }
    }

    fn come_to(&mut self, at: &At<'_>, element: &Element, source: Source) {
        if at.outer.is_none() {
            self.field = Sides { writer: element.writer, reader: element.reader };
        }
        if element.is_changed && !matches!(source, Source::Foreign) {
            self.seen.reached.insert(element.identity.clone());
        }
    }

    /// The reader took its default. Where the writer has the field under a name that the reader does not know, what
    /// was written is dropped.
    fn defaulted(&mut self, at: &At<'_>, element: &Element, took: Option<&Value>) {
        let declared = self.default_declared(at, element);
        let outcome = match (declared, took) {
            _ if element.is_shared => Outcome::Lossy,
            (Some(declared), Some(took)) if self.by.dialect() == Dialect::Java && declared != took => Outcome::Wrong,
            _ => Outcome::Defaulted,
        };
        self.tell(at, &element.place, outcome, None);
    }

    fn default_declared(&self, at: &At<'_>, element: &Element) -> Option<&Value> {
        let record = self.comparer.schemas.reader.record(at.types.reader)?;
        record.fields.get(element.reader?)?.default.as_ref().map(|default| &default.value)
    }

    /// Whether null was written where there was a choice, and null is what the reader takes: nothing is lost with it.
    fn is_null_on_both(&self, at: &At<'_>, element: &Element, wrote: &RecordValue, read: Option<&Value>) -> bool {
        let is_null = |value: &Value| match value {
            Value::Branch { value, .. } => matches!(**value, Value::Null),
            other => matches!(other, Value::Null),
        };
        let Some(writer) = element.writer else { return false };
        let record = self.schemas().writer.record(at.types.writer);
        let ty = record.and_then(|record| record.fields.get(writer)).map(|field| field.schema.ty);
        let has_choice = ty.is_some_and(|ty| match self.schemas().writer.kind(ty) {
            Kind::Union(branches) => branches.len() > 1,
            _ => false,
        });
        has_choice && wrote.fields.get(&field_key(writer)).is_some_and(is_null) && read.is_some_and(is_null)
    }

    /// Reads a field that the reader does not find because of its aliases as if it did, so that what differs inside is
    /// seen as well.
    fn look_inside(&mut self, at: &At<'_>, element: &Element, wrote: &RecordValue) {
        let wrote = element.writer.and_then(|writer| wrote.fields.get(&field_key(writer)));
        if let (Some(wrote), Some(at)) = (wrote, self.field(at, element)) {
            self.read_part(&at, wrote);
        }
    }

    /// Comes to everything in a field that the reader does not find: whatever differs there, nothing comes of it.
    fn pass_by(&mut self, at: &At<'_>, element: &Element, wrote: &RecordValue) {
        let (told, rejected) = (std::mem::take(&mut self.seen.told), self.seen.rejected.clone());
        let failures = self.failures;
        self.look_inside(at, element, wrote);
        (self.seen.told, self.seen.rejected, self.failures) = (told, rejected, failures);
    }

    fn compare_symbols(&mut self, at: &At<'_>, wrote: i32, read: i32) {
        let symbol = |schema: &Schema<'_>, id: TypeId, number: i32| match schema.kind(id) {
            Kind::Enum(definition) => {
                let symbol = usize::try_from(number).ok().and_then(|number| definition.symbols.get(number));
                symbol.map(|(symbol, _)| symbol.to_string())
            }
            _ => None,
        };
        let schemas = self.comparer.schemas;
        let wrote = symbol(schemas.writer, at.types.writer, wrote);
        let read = symbol(schemas.reader, at.types.reader, read);
        for identity in self.comparer.unwritten_symbols(at.types, at.here()).iter() {
            self.seen.reached.insert(identity.clone());
        }
        let place = at.here().symbol(wrote.as_deref().unwrap_or_default());
        self.reach_identity(place.identity());
        if wrote != read {
            self.tell(at, &place, Outcome::Unrecognized, None);
        }
    }

    /// Reads a part on its own.
    fn read_part(&mut self, at: &At<'_>, wrote: &Value) -> Option<Value> {
        match self.comparer.reading(self.by.dialect(), at.types).read(wrote) {
            Ok(read) => self.accepted(at, wrote, read),
            Err(failure) => self.rejected(at, wrote, &failure),
        }
    }

    /// Tells of everything in a rejected value that fails, and of what its other parts come out as; returns those.
    fn rejected(&mut self, at: &At<'_>, wrote: &Value, failure: &Failure) -> Option<Value> {
        self.reach(at);
        let before = self.failures;
        let part = match (failure.steps.first(), wrote) {
            (Some(Step::WriterBranch(index)), Value::Branch { value, .. }) => {
                self.writer_branch(at, *index).and_then(|at| self.read_part(&at, value))
            }
            (Some(Step::ReaderBranch(index)), _) => {
                let part = self.reader_branch(at, *index).and_then(|at| self.read_part(&at, wrote));
                let index = u32::try_from(*index).unwrap_or(u32::MAX);
                part.map(|value| Value::Branch { index, value: Box::new(value) })
            }
            (Some(Step::Items), Value::List(values)) => self
                .items(at)
                .map(|at| Value::List(values.iter().filter_map(|value| self.read_part(&at, value)).collect())),
            (Some(Step::Values), Value::Map(entries)) => self.items(at).map(|at| {
                let read = entries.iter().filter_map(|(key, value)| Some((key.clone(), self.read_part(&at, value)?)));
                Value::Map(read.collect::<OrderedMap<Key, Value>>())
            }),
            (Some(Step::Field { .. }), Value::Record(record)) => Some(self.rejected_record(at, record)),
            _ => None,
        };
        if self.failures == before {
            self.fail(at, &failure.reason);
        }
        part
    }

    fn rejected_record(&mut self, at: &At<'_>, wrote: &RecordValue) -> Value {
        let mut part = RecordValue::empty(at.types.reader.0);
        let fields = self.fields(at);
        for element in self.comparer.elements(at.types).iter() {
            let source = source_of(&fields, element);
            self.come_to(at, element, source);
            let Some(reader) = element.reader else { continue };
            let read = match source {
                _ if self.is_ambiguous(at, &fields, element) => {
                    self.look_inside(at, element, wrote);
                    None
                }
                Source::Own(source) => {
                    let wrote = wrote.fields.get(&field_key(source));
                    wrote.and_then(|wrote| self.field(at, element).and_then(|at| self.read_part(&at, wrote)))
                }
                Source::Foreign => None,
                Source::Default => {
                    let default = self.default_of_rejected(at, element, reader);
                    self.pass_by(at, element, wrote);
                    default
                }
            };
            if let Some(read) = read {
                part.fields.insert(field_key(reader), read);
            }
        }
        Value::Record(part)
    }

    /// Whether the aliases of a field make it fail; then that is told.
    fn is_ambiguous(&mut self, at: &At<'_>, fields: &Fields, element: &Element) -> bool {
        let is_ambiguous = element.reader.is_some() && fields.ambiguous == element.reader;
        if is_ambiguous {
            let sentence = because(self.comparer.schemas, at.types, &Reason::Ambiguous);
            self.fail_at(at, &element.place, sentence);
        }
        is_ambiguous
    }

    fn default_of_rejected(&mut self, at: &At<'_>, element: &Element, reader: usize) -> Option<Value> {
        let field = self.comparer.schemas.reader.record(at.types.reader)?.fields.get(reader)?;
        let took = self.comparer.reading(self.by.dialect(), at.types).default(field);
        match (&field.default, took) {
            (Some(_), Some(took)) => {
                self.defaulted(at, element, Some(&took));
                Some(took)
            }
            (Some(_), None) => {
                let sentence = format!("no value can be made of the default of `{}`", field.name);
                self.fail_at(at, &element.place, sentence);
                None
            }
            (None, _) => {
                let sentence = format!("`{}` has no default and the writer does not have it", field.name);
                self.fail_at(at, &element.place, sentence);
                None
            }
        }
    }

    fn fail_at(&mut self, at: &At<'_>, place: &Place, sentence: String) {
        self.failures += 1;
        self.seen.rejected.get_or_insert_with(|| sentence.clone());
        self.tell(at, place, Outcome::Fails, Some(sentence));
    }
}

/// Where a reader's field takes its value from.
#[derive(Debug, Clone, Copy)]
enum Source {
    /// From the writer's version of it.
    Own(usize),
    /// From another field, to which a stray alias leads.
    Foreign,
    /// From its default, if it has one.
    Default,
}

fn source_of(fields: &Fields, element: &Element) -> Source {
    let source = element.reader.and_then(|reader| fields.sources.get(reader).copied().flatten());
    match source {
        Some(source) if element.writer == Some(source) => Source::Own(source),
        Some(_) => Source::Foreign,
        None => Source::Default,
    }
}
