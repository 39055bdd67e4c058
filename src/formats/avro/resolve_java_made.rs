//! Defaults that Java fails to write when it lays two schemas beside each other, before it reads anything.
//!
//! Java (1.12) resolves every pair of types that the writer's and the reader's schemas lead to, whatever the data holds,
//! and writes the default of each field that the writer lacks. One that it cannot write ends the whole reader, even where
//! the data never comes to that record.

use rustc_hash::FxHashSet;

use super::model::{Field, Kind, Record, TypeId, Use};
use super::resolve_java::{is_equivalent, way};
use super::resolve_java_default::is_written;
use super::resolve_terms::{Reading, Reason, Step, is_same_sort};

/// Pairs of types that are looked at; unions of many records against many have too many of them.
const PAIRS: usize = 200_000;

/// A pair of a written and a wanted type.
type Types = (TypeId, TypeId);

impl Reading<'_, '_, '_> {
    /// The first default that ends the reader, and the way there.
    pub(super) fn unmade_default(&self) -> Option<(Vec<Step>, Reason)> {
        let unmade = self.unmade.get_or_init(|| {
            let schema = self.sides.reader;
            let is_unmade = |field: &Field<'_>| !is_written(schema, field);
            let ids = (0..schema.types.len()).filter_map(|id| u32::try_from(id).ok()).map(TypeId);
            let fields = ids.filter_map(|id| Some((id, schema.record(id)?)));
            fields
                .flat_map(|(id, record)| record.fields.iter().enumerate().map(move |(index, field)| (id, index, field)))
                .filter(|(.., field)| is_unmade(field))
                .map(|(id, index, _)| (id, index))
                .collect()
        });
        if unmade.is_empty() {
            return None;
        }
        let mut pairs = Pairs {
            reading: self,
            unmade,
            found: vec![((self.writer, self.reader), None)],
            seen: FxHashSet::default(),
        };
        pairs.seen.insert((self.writer, self.reader));
        let mut at = 0;
        while at < pairs.found.len().min(PAIRS) {
            if let Some(index) = pairs.look(at) {
                let mut steps = way(&pairs.found, at);
                steps.push(Step::Field { writer: None, reader: Some(index) });
                return Some((steps, Reason::NoDefault));
            }
            at += 1;
        }
        None
    }
}

/// The pairs that Java comes to, each with the index of the one before and the step from there.
struct Pairs<'p, 's, 'w, 'r> {
    reading: &'p Reading<'s, 'w, 'r>,
    unmade: &'p FxHashSet<(TypeId, usize)>,
    found: Vec<(Types, Option<(usize, Step)>)>,
    seen: FxHashSet<Types>,
}

impl Pairs<'_, '_, '_, '_> {
    /// Adds what a pair leads to, if its records can be paired; the field whose default cannot be made, if it has one.
    fn look(&mut self, at: usize) -> Option<usize> {
        let (types, sides) = (self.found[at].0, self.reading.sides);
        match (sides.writer.kind(types.0), sides.reader.kind(types.1)) {
            (Kind::Union(ours), Kind::Union(theirs)) if is_equivalent(self.reading, types.0, types.1) => {
                for (index, (one, other)) in ours.iter().zip(theirs).enumerate() {
                    self.add(at, Step::WriterBranch(index), (one.ty, other.ty));
                }
            }
            (Kind::Union(ours), _) => {
                for (index, branch) in ours.iter().enumerate() {
                    self.add(at, Step::WriterBranch(index), (branch.ty, types.1));
                }
            }
            (_, Kind::Union(theirs)) => self.branches(at, types.0, theirs),
            (Kind::Array(from), Kind::Array(to)) => self.add(at, Step::Items, (from.ty, to.ty)),
            (Kind::Map(from), Kind::Map(to)) => self.add(at, Step::Values, (from.ty, to.ty)),
            (Kind::Record(from), Kind::Record(to)) => return self.records(at, types, (from, to)),
            _ => {}
        }
        None
    }

    fn add(&mut self, at: usize, step: Step, types: Types) {
        if self.seen.insert(types) {
            self.found.push((types, Some((at, step))));
        }
    }

    /// A record is held against every record of the union until one has its name; other types have one branch at most.
    fn branches(&mut self, at: usize, writer: TypeId, branches: &[Use]) {
        let sides = self.reading.sides;
        let written = sides.writer.kind(writer);
        let name = written.name().map(|name| self.reading.renames.name(&name.full));
        for (index, branch) in branches.iter().enumerate() {
            let kind = sides.reader.kind(branch.ty);
            if !is_same_sort(written, kind) {
                continue;
            }
            self.add(at, Step::ReaderBranch(index), (writer, branch.ty));
            if name.is_none_or(|name| kind.name().is_some_and(|other| *name == *other.full)) {
                return;
            }
        }
    }

    /// The fields that the writer lacks come first; only where each has a default its other fields are held against each
    /// other.
    fn records(&mut self, at: usize, types: Types, (from, to): (&Record<'_>, &Record<'_>)) -> Option<usize> {
        let fields = self.reading.fields(types, (from, to));
        for (index, field) in to.fields.iter().enumerate().filter(|(index, _)| fields.sources[*index].is_none()) {
            if self.unmade.contains(&(types.1, index)) {
                return Some(index);
            }
            field.default.as_ref()?;
        }
        for (index, field) in to.fields.iter().enumerate() {
            if let Some(source) = fields.sources[index] {
                let step = Step::Field { writer: Some(source), reader: Some(index) };
                self.add(at, step, (from.fields[source].schema.ty, field.schema.ty));
            }
        }
        None
    }
}
