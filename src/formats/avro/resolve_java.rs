//! What Java's generic reader (release 1.12.1) does that the specification does not say: aliases rewrite the whole
//! writer's schema beforehand, unions that are alike are read branch by branch, and a union's branch for a record is
//! found by its structure.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::model::{Field, Kind, Record, Schema, TypeId, Union, Use};
use super::resolve_java_default::default;
use super::resolve_terms::{
    Fields, Group, Reading, Reason, Records, Renames, Resolver, Shape, Shapes, Sort, Step, is_promoted, is_same_sort,
    simple,
};
use crate::ordered::InOrder;

impl<'s> Renames<'s> {
    /// Collects the aliases of all types that the reader's type reaches; none count where the schemas are the same.
    pub(super) fn of(sides: &Resolver<'s, '_, '_>, writer: TypeId, reader: TypeId) -> Self {
        let mut renames = Renames::default();
        for (id, _) in reachable(sides.reader, reader) {
            renames.collect(sides.reader.kind(id));
        }
        let has_none = renames.types.is_empty() && renames.fields.is_empty();
        if has_none || is_same_schema(sides, writer, reader) {
            return Renames::default();
        }
        let types = reachable(sides.writer, writer);
        let reason = |at: usize, id: TypeId| match renames.is_contradiction(sides.writer, id) {
            true => Some(Reason::Ambiguous),
            false => renames.broken_default(sides.writer, id, || around(&types, at)),
        };
        let useless =
            types.iter().enumerate().find_map(|(at, (id, _))| reason(at, *id).map(|reason| (way(&types, at), reason)));
        renames.contradiction = useless;
        renames
    }

    fn collect(&mut self, kind: &'s Kind<'_>) {
        let Some(name) = kind.name() else { return };
        self.types.extend(kind.aliases().iter().map(|alias| (&*alias.full, &*name.full)));
        let Kind::Record(record) = kind else { return };
        for field in &record.fields {
            for (alias, _) in &field.aliases {
                self.fields.entry(&name.full).or_default().insert(alias, &field.name);
            }
        }
    }

    /// What a writer's type is called after rewriting.
    pub(super) fn name<'n>(&self, full: &'n str) -> &'n str
    where
        's: 'n,
    {
        self.types.get(full).copied().unwrap_or(full)
    }

    /// What a field of a writer's record is called after rewriting.
    pub(super) fn field<'n>(&self, record: &Record<'_>, field: &'n Field<'_>) -> &'n str
    where
        's: 'n,
    {
        let aliases = self.fields.get(self.name(&record.name.full));
        aliases.and_then(|aliases| aliases.get(&*field.name).copied()).unwrap_or(&field.name)
    }

    fn is_contradiction(&self, writer: &Schema<'_>, id: TypeId) -> bool {
        let mut seen = FxHashSet::default();
        match writer.kind(id) {
            Kind::Record(record) => !record.fields.iter().all(|field| seen.insert(self.field(record, field))),
            Kind::Union(branches) => !branches.iter().all(|branch| seen.insert(self.name(writer.called(branch.ty)))),
            _ => false,
        }
    }
}

/// The types that a type reaches, itself first, each before those inside of it and with the index of the one it was
/// reached from and the step from there: as Java comes to them.
fn reachable(schema: &Schema<'_>, root: TypeId) -> Vec<(TypeId, Option<(usize, Step)>)> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut waiting = vec![(root, None)];
    while let Some((id, from)) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        let (at, first) = (found.len(), waiting.len());
        found.push((id, from));
        let mut reach = |step, part: TypeId| waiting.push((part, Some((at, step))));
        match schema.kind(id) {
            Kind::Array(items) => reach(Step::Items, items.ty),
            Kind::Map(values) => reach(Step::Values, values.ty),
            Kind::Union(branches) => {
                for (index, branch) in branches.iter().enumerate() {
                    reach(Step::WriterBranch(index), branch.ty);
                }
            }
            Kind::Record(record) => {
                for (index, field) in record.fields.iter().enumerate() {
                    reach(Step::Field { writer: Some(index), reader: None }, field.schema.ty);
                }
            }
            Kind::Primitive(_) | Kind::Enum(_) | Kind::Fixed(_) | Kind::Opaque(_) => {}
        }
        waiting[first..].reverse();
    }
    found
}

/// What was reached, and all that it is inside of.
fn around(reached: &[(TypeId, Option<(usize, Step)>)], at: usize) -> FxHashSet<TypeId> {
    let mut next = Some(at);
    let mut open = FxHashSet::default();
    while let Some(at) = next {
        open.insert(reached[at].0);
        next = reached[at].1.map(|(before, _)| before);
    }
    open
}

/// The steps from the root to what was reached.
pub(super) fn way<T>(reached: &[(T, Option<(usize, Step)>)], mut at: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some((before, step)) = reached[at].1 {
        steps.push(step);
        at = before;
    }
    steps.reverse();
    steps
}

/// Whether every pair of types that two types reach side by side passes a test, which also says which pairs come next.
fn all_pairs(root: (TypeId, TypeId), mut test: impl FnMut(TypeId, TypeId) -> Option<Vec<(TypeId, TypeId)>>) -> bool {
    let mut waiting = vec![root];
    let mut seen = FxHashSet::from_iter([root]);
    while let Some((writer, reader)) = waiting.pop() {
        match test(writer, reader) {
            Some(parts) => waiting.extend(parts.into_iter().filter(|part| seen.insert(*part))),
            None => return false,
        }
    }
    true
}

/// Whether two schemas are equal, attributes without a meaning here left aside.
fn is_same_schema(sides: &Resolver<'_, '_, '_>, writer: TypeId, reader: TypeId) -> bool {
    let default = |field: &Field<'_>, other: &Field<'_>| match (&field.default, &other.default) {
        (None, None) => true,
        (Some(one), Some(other)) => one.value == other.value,
        _ => false,
    };
    let same = |field: &Field<'_>, other: &Field<'_>| {
        field.name == other.name && field.order == other.order && default(field, other)
    };
    all_pairs((writer, reader), |writer, reader| {
        let (from, to) = (sides.writer.kind(writer), sides.reader.kind(reader));
        let is_same_name = from.name().map(|name| &name.full) == to.name().map(|name| &name.full);
        is_same_name.then(|| pair_parts(from, to, same)).flatten()
    })
}

/// Whether two unions are alike down to the unqualified names, so that their branches are read one by one.
pub(super) fn is_equivalent(reading: &Reading<'_, '_, '_>, writer: TypeId, reader: TypeId) -> bool {
    if let Some(known) = reading.equivalent.borrow().get(&(writer, reader)) {
        return *known;
    }
    let is_equivalent = are_alike(reading, writer, reader);
    reading.equivalent.borrow_mut().insert((writer, reader), is_equivalent);
    is_equivalent
}

fn are_alike(reading: &Reading<'_, '_, '_>, writer: TypeId, reader: TypeId) -> bool {
    let sides = reading.sides;
    all_pairs((writer, reader), |writer, reader| {
        let (from, to) = (sides.writer.kind(writer), sides.reader.kind(reader));
        let is_same_name = match (from.name(), to.name()) {
            (Some(one), Some(other)) => simple(reading.renames.name(&one.full)) == other.simple(),
            _ => true,
        };
        let same = |field: &Field<'_>, other: &Field<'_>| match from {
            Kind::Record(record) => reading.renames.field(record, field) == other.name,
            _ => false,
        };
        is_same_name.then(|| pair_parts(from, to, same)).flatten()
    })
}

/// The parts of two types that have the same shape; `None` where the shapes differ.
fn pair_parts(
    from: &Kind<'_>,
    to: &Kind<'_>,
    same: impl Fn(&Field<'_>, &Field<'_>) -> bool,
) -> Option<Vec<(TypeId, TypeId)>> {
    match (from, to) {
        (Kind::Primitive(one), Kind::Primitive(other)) => (one == other).then(Vec::new),
        (Kind::Array(one), Kind::Array(other)) | (Kind::Map(one), Kind::Map(other)) => Some(vec![(one.ty, other.ty)]),
        (Kind::Fixed(one), Kind::Fixed(other)) => (one.size == other.size).then(Vec::new),
        (Kind::Enum(one), Kind::Enum(other)) => {
            let symbols = one.symbols.iter().map(|(symbol, _)| symbol);
            symbols.eq(other.symbols.iter().map(|(symbol, _)| symbol)).then(Vec::new)
        }
        (Kind::Union(ours), Kind::Union(theirs)) => (ours.len() == theirs.len())
            .then(|| ours.iter().zip(theirs).map(|(one, other)| (one.ty, other.ty)).collect()),
        (Kind::Record(one), Kind::Record(other)) => {
            let are_same = one.fields.len() == other.fields.len()
                && one.fields.iter().zip(&other.fields).all(|(field, other)| same(field, other));
            let pairs = one.fields.iter().zip(&other.fields);
            are_same.then(|| pairs.map(|(field, other)| (field.schema.ty, other.schema.ty)).collect())
        }
        _ => None,
    }
}

/// Where the fields of the reader's record come from, after rewriting.
pub(super) fn fields(renames: &Renames<'_>, writer: &Record<'_>, schema: &Schema<'_>, reader: &Record<'_>) -> Fields {
    let by_name: FxHashMap<&str, usize> =
        writer.fields.iter().enumerate().map(|(index, field)| (renames.field(writer, field), index)).collect();
    let mut fields = Fields::default();
    for (index, field) in reader.fields.iter().enumerate() {
        fields.add(index, by_name.get(&*field.name).copied(), default(schema, field).is_some());
    }
    fields
}

/// The branch for a written type: the very same, else for a record the first that fits by its structure unless a later
/// one also has the right unqualified name, else the first to which a promotion leads.
pub(super) fn first_matching_branch(
    reading: &Reading<'_, '_, '_>,
    writer: TypeId,
    (union, branches): (TypeId, &Union),
) -> Option<usize> {
    let sides = reading.sides;
    let written = sides.writer.kind(writer);
    if let Kind::Record(record) = written {
        return reading.shapes.branch(reading, (writer, record), union);
    }
    let is_it = |kind: &Kind<'_>| match (written.name(), kind.name()) {
        (Some(name), Some(other)) => reading.renames.name(&name.full) == &*other.full,
        _ => true,
    };
    let mut kinds = branches.iter().map(|branch| sides.reader.kind(branch.ty));
    let same = kinds.position(|kind| is_same_sort(written, kind) && is_it(kind));
    same.or_else(|| branches.iter().position(|branch| is_promoted(written, sides.reader.kind(branch.ty))))
}

impl<'s> Shapes<'s> {
    /// The branch for a record.
    fn branch(
        &self,
        reading: &Reading<'s, '_, '_>,
        (writer, record): (TypeId, &Record<'_>),
        union: TypeId,
    ) -> Option<usize> {
        let records = self.records(reading, union);
        let name = reading.renames.name(&record.name.full);
        if let Some(index) = records.by_name.get(name) {
            return Some(*index);
        }
        let (schema, branches) = (reading.sides.reader, reading.sides.reader.kind(union));
        let Kind::Union(branches) = branches else { return None };
        let fits = |index: &usize| {
            let ty = branches[*index].ty;
            schema.record(ty).is_some_and(|other| fits(reading, (writer, record), (ty, other)))
        };
        let alike = records.by_simple_name.get(simple(name));
        if let Some(index) = alike.and_then(|alike| alike.iter().rev().find(|index| fits(index))) {
            return Some(*index);
        }
        let written = |field| reading.renames.field(record, field);
        let shape: Shape =
            record.fields.iter().map(|field| (written(field).to_owned(), sort(reading.sides.writer, field))).collect();
        if let Some(known) = self.first.borrow().get(&(shape.clone(), union)) {
            return *known;
        }
        let names: FxHashSet<&str> = shape.iter().map(|(name, _)| &**name).collect();
        let has_all = |group: &&Group<'_>| group.needed.iter().all(|name| names.contains(name));
        let mut near: Vec<usize> =
            names.iter().map(|name| Some(*name)).chain([None]).flat_map(|name| records.near(name)).collect();
        near.sort_in_order();
        let first = near.into_iter().map(|at| &records.groups[at]).filter(has_all).map(|group| group.first).find(fits);
        self.first.borrow_mut().insert((shape, union), first);
        first
    }

    /// The records of a union, those that are alike by structure together.
    fn records(&self, reading: &Reading<'s, '_, '_>, union: TypeId) -> Rc<Records<'s>> {
        if let Some(known) = self.records.borrow().get(&union) {
            return known.clone();
        }
        let schema = reading.sides.reader;
        let mut records = Records::default();
        let mut seen = FxHashSet::default();
        let branches: &[Use] = if let Kind::Union(branches) = schema.kind(union) { branches } else { &[] };
        for (index, branch) in branches.iter().enumerate() {
            let Some(record) = schema.record(branch.ty) else { continue };
            records.by_name.entry(&*record.name.full).or_insert(index);
            records.by_simple_name.entry(record.name.simple()).or_default().push(index);
            let has_default = |field: &Field<'_>| default(schema, field).is_some();
            let fields = record.fields.iter().map(|field| (&*field.name, sort(schema, field), has_default(field)));
            let fields: Vec<_> = fields.collect();
            if !seen.contains(&fields) {
                let needed = fields.iter().filter(|(.., has_default)| !has_default).map(|(name, ..)| *name).collect();
                records.groups.push(Group { first: index, needed });
                seen.insert(fields);
            }
        }
        records.sort_by_needed();
        let records = Rc::new(records);
        self.records.borrow_mut().insert(union, records.clone());
        records
    }
}

impl Records<'_> {
    fn sort_by_needed(&mut self) {
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        for name in self.groups.iter().flat_map(|group| &group.needed) {
            *counts.entry(name).or_default() += 1;
        }
        for (at, group) in self.groups.iter().enumerate() {
            let rarest = group.needed.iter().copied().min_by_key(|name| counts[name]);
            self.by_needed.entry(rarest).or_default().push(at);
        }
    }

    /// The groups of which one needs this field, or which need none.
    fn near<'n>(&'n self, name: Option<&'n str>) -> impl Iterator<Item = usize> + 'n {
        self.by_needed.get(&name).into_iter().flatten().copied()
    }
}

/// What of a field decides whether it can be read at first sight.
fn sort(schema: &Schema<'_>, field: &Field<'_>) -> Sort {
    match schema.kind(field.schema.ty) {
        Kind::Primitive(primitive) => Sort::Primitive(*primitive),
        _ => Sort::Other(field.schema.ty),
    }
}

/// Whether a record can be read as another as far as can be told without looking into the records, arrays, maps and
/// unions below.
fn fits(reading: &Reading<'_, '_, '_>, from: (TypeId, &Record<'_>), to: (TypeId, &Record<'_>)) -> bool {
    let fields = reading.fields((from.0, to.0), (from.1, to.1));
    fields.failing.is_none()
        && to.1.fields.iter().zip(&fields.sources).all(|(field, source)| match source {
            Some(source) => !is_error(reading, from.1.fields[*source].schema.ty, field.schema.ty),
            None => true,
        })
}

/// Whether reading one type as another fails at once, whatever the value.
fn is_error(reading: &Reading<'_, '_, '_>, writer: TypeId, reader: TypeId) -> bool {
    let sides = reading.sides;
    let (from, to) = (sides.writer.kind(writer), sides.reader.kind(reader));
    match (from, to) {
        (Kind::Union(_), _) => false,
        (_, Kind::Union(branches)) => match to_known_branch(reading, writer, from, branches) {
            Some(known) => !known,
            None => reading.branch_for(writer, reader).is_none(),
        },
        (Kind::Record(one), Kind::Record(other)) => reading.fields((writer, reader), (one, other)).failing.is_some(),
        (Kind::Fixed(one), Kind::Fixed(other)) => {
            simple(reading.renames.name(&one.name.full)) != other.name.simple() || one.size != other.size
        }
        (Kind::Enum(one), Kind::Enum(other)) => simple(reading.renames.name(&one.name.full)) != other.name.simple(),
        _ => !is_same_sort(from, to) && !is_promoted(from, to),
    }
}

/// For a record, whether the union has a branch that it may be read as; decided by the fields that every reading needs,
/// so that records which contain each other come to an end.
fn to_known_branch(reading: &Reading<'_, '_, '_>, writer: TypeId, from: &Kind<'_>, branches: &[Use]) -> Option<bool> {
    let Kind::Record(record) = from else { return None };
    let name = reading.renames.name(&record.name.full);
    Some(branches.iter().any(|branch| match reading.sides.reader.kind(branch.ty) {
        Kind::Record(other) => {
            *name == *other.name.full || reading.fields((writer, branch.ty), (record, other)).failing.is_none()
        }
        _ => false,
    }))
}
