//! What the registries' checker says: Java's `SchemaCompatibility.checkReaderWriterCompatibility` (Avro 1.12), on which
//! the registries of Confluent and Apicurio stand.
//!
//! It is stricter than any reader in some points (names of records) and blind in others (logical types), so it has its
//! own implementation beside the resolving reader. Where Java reports only that a union lacks a branch, the reasons inside
//! are kept here: the incompatibility is told of the innermost places that cause it.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::change::{Identity, Pair, Side};

use super::model::{Enum, Field, Kind, Primitive, Record, Schema, TypeId, Use};
use super::place;
use super::trail::{Step, Trail};

/// One incompatibility.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Incompatibility {
    /// Java's type of it.
    pub kind: &'static str,
    /// The place that causes it.
    pub identity: Identity,
    /// The named types that the place is in, the innermost ones.
    pub types: Option<Pair<TypeId>>,
}

const NAME_MISMATCH: &str = "NAME_MISMATCH";
const FIXED_SIZE_MISMATCH: &str = "FIXED_SIZE_MISMATCH";
const MISSING_ENUM_SYMBOLS: &str = "MISSING_ENUM_SYMBOLS";
const READER_FIELD_MISSING_DEFAULT_VALUE: &str = "READER_FIELD_MISSING_DEFAULT_VALUE";
const TYPE_MISMATCH: &str = "TYPE_MISMATCH";
const MISSING_UNION_BRANCH: &str = "MISSING_UNION_BRANCH";

const EXCEPTION: &str = "AvroRuntimeException";

type Found = Rc<Vec<Incompatibility>>;

/// The checker, with one side as reader.
pub(super) struct Checker<'s, 'b> {
    schemas: Pair<&'s Schema<'b>>,
    reader: Side,
    /// Results of pairs of named types (reader, writer); `None` while the pair is being looked at.
    known: FxHashMap<(TypeId, TypeId), Option<Found>>,
    nothing: Found,
}

impl<'s, 'b> Checker<'s, 'b> {
    /// A checker for data of the other side.
    pub(super) fn new(schemas: Pair<&'s Schema<'b>>, reader: Side) -> Self {
        Checker { schemas, reader, known: FxHashMap::default(), nothing: Rc::default() }
    }

    /// What is incompatible between two types whose values stand where the trail leads.
    pub(super) fn check(&mut self, trail: &Trail<'_>, types: Pair<TypeId>) -> Found {
        let (reader, writer) = self.roles(types);
        let is_named = self.readers().name(reader).is_some() || self.writers().name(writer).is_some();
        if !is_named {
            return self.calculate(trail, reader, writer);
        }
        match self.known.get(&(reader, writer)) {
            Some(Some(found)) => return found.clone(),
            Some(None) => return self.nothing.clone(),
            None => {}
        }
        self.known.insert((reader, writer), None);
        let mut found = self.calculate(trail, reader, writer);
        let told = Rc::make_mut(&mut found);
        for one in told.iter_mut() {
            one.types.get_or_insert(types);
        }
        // Many ways may lead to one pair, and more at each level: what is said once need not be said again.
        let mut seen = BTreeSet::new();
        told.retain(|one| seen.insert(one.clone()));
        self.known.insert((reader, writer), Some(found.clone()));
        found
    }

    fn readers(&self) -> &'s Schema<'b> {
        self.schemas.side(self.reader)
    }

    fn writers(&self) -> &'s Schema<'b> {
        match self.reader {
            Side::Old => self.schemas.new,
            Side::New => self.schemas.old,
        }
    }

    /// (reader, writer) from (old, new).
    fn roles<T: Copy>(&self, sides: Pair<T>) -> (T, T) {
        match self.reader {
            Side::Old => (sides.old, sides.new),
            Side::New => (sides.new, sides.old),
        }
    }

    /// (old, new) from (reader, writer).
    fn sides<T>(&self, reader: T, writer: T) -> Pair<T> {
        match self.reader {
            Side::Old => Pair::new(reader, writer),
            Side::New => Pair::new(writer, reader),
        }
    }

    fn calculate(&mut self, trail: &Trail<'_>, reader: TypeId, writer: TypeId) -> Found {
        let (wanted, written) = (self.readers().kind(reader), self.writers().kind(writer));
        match (wanted, written) {
            (Kind::Array(wanted), Kind::Array(written)) => {
                self.check(&trail.then(Step::Items), self.sides(wanted.ty, written.ty))
            }
            (Kind::Map(wanted), Kind::Map(written)) => {
                self.check(&trail.then(Step::Values), self.sides(wanted.ty, written.ty))
            }
            (Kind::Fixed(wanted), Kind::Fixed(written)) => {
                let mut found = self.names(reader, writer);
                if wanted.size != written.size {
                    found.push(self.at_named(FIXED_SIZE_MISMATCH, reader, writer));
                }
                Rc::new(found)
            }
            (Kind::Enum(wanted), Kind::Enum(written)) => {
                let mut found = self.names(reader, writer);
                found.extend(self.symbols(Pair::new(reader, writer), wanted, written));
                Rc::new(found)
            }
            (Kind::Record(wanted), Kind::Record(written)) => {
                let mut found = self.names(reader, writer);
                found.extend(self.fields((reader, writer), wanted, written));
                Rc::new(found)
            }
            (Kind::Union(wanted), Kind::Union(written)) => self.unions(trail, wanted, written),
            (Kind::Primitive(wanted), Kind::Primitive(written)) if promotes(*written, *wanted) => self.nothing.clone(),
            (Kind::Opaque(wanted), _) if self.writers().called(writer) == &*wanted.full => self.nothing.clone(),
            (_, Kind::Opaque(written)) if self.readers().called(reader) == &*written.full => self.nothing.clone(),
            (_, Kind::Union(written)) => self.writer_union(trail, reader, written),
            (Kind::Union(wanted), _) => self.reader_union(trail, wanted, writer),
            _ => Rc::new(vec![at(TYPE_MISMATCH, trail)]),
        }
    }

    fn names(&self, reader: TypeId, writer: TypeId) -> Vec<Incompatibility> {
        let (wanted, written) = (self.readers().kind(reader), self.writers().kind(writer));
        let (Some(name), Some(other)) = (wanted.name(), written.name()) else { return Vec::new() };
        let is_same = name.simple() == other.simple() || wanted.aliases().iter().any(|alias| alias.full == other.full);
        if is_same { Vec::new() } else { vec![self.at_named(NAME_MISMATCH, reader, writer)] }
    }

    /// Java makes one entry of all symbols that are missing; here it is told of each of them.
    fn symbols(&self, types: Pair<TypeId>, wanted: &Enum<'_>, written: &Enum<'_>) -> Vec<Incompatibility> {
        if wanted.default.is_some() {
            return Vec::new();
        }
        let names = self.called(types.old, types.new);
        let top = Trail::top(names);
        let knows: rustc_hash::FxHashSet<&str> = wanted.symbols.iter().map(|(symbol, _)| &**symbol).collect();
        let missing = written.symbols.iter().filter(|(symbol, _)| !knows.contains(&**symbol));
        missing
            .map(|(symbol, _)| Incompatibility {
                kind: MISSING_ENUM_SYMBOLS,
                identity: top.place().symbol(symbol).identity(),
                types: None,
            })
            .collect()
    }

    fn fields(&mut self, types: (TypeId, TypeId), wanted: &Record<'b>, written: &Record<'b>) -> Vec<Incompatibility> {
        let names = self.called(types.0, types.1);
        let top = Trail::top(names);
        let mut found = Vec::new();
        let by_name = place::Lookup::new(written);
        let reader = self.reader;
        let known = OnceCell::new();
        let partner = |index: usize| {
            let all = known.get_or_init(|| partners(reader, wanted, written));
            all.get(index).copied().flatten()
        };
        for (index, field) in wanted.fields.iter().enumerate() {
            let source = lookup(&by_name, written, field, index);
            let partner = match source {
                Lookup::One(other, _) if field.aliases.is_empty() => Some(other),
                _ => partner(index),
            };
            let called = self.sides(Some(&*field.name), partner.map(|partner| &*written.fields[partner].name));
            let trail = top.then(Step::Field(called));
            match source {
                Lookup::One(_, other) => {
                    let types = self.sides(field.schema.ty, other.schema.ty);
                    found.extend(self.check(&trail, types).iter().cloned());
                }
                Lookup::None if field.default.is_some() => {}
                Lookup::None => found.push(at(self.without_default(field), &trail)),
                // Java gives up with an exception that has no type of its own.
                Lookup::Several => found.push(at(EXCEPTION, &trail)),
            }
        }
        found
    }

    /// A field whose enum has a default of its own is compared with the whole record by mistake.
    fn without_default(&self, field: &Field<'_>) -> &'static str {
        match self.readers().kind(field.schema.ty) {
            Kind::Enum(Enum { default: Some(_), .. }) => TYPE_MISMATCH,
            _ => READER_FIELD_MISSING_DEFAULT_VALUE,
        }
    }

    /// Each branch of the writer's union must find a branch of the reader's; why it does not is not told by Java.
    fn unions(&mut self, trail: &Trail<'_>, wanted: &[Use], written: &[Use]) -> Found {
        let mut found: Option<Vec<Incompatibility>> = None;
        for (index, branch) in written.iter().enumerate() {
            if let Some(reasons) = self.refusals(trail, wanted, branch.ty, true) {
                let reasons = self.hidden(trail, wanted, (written, index), reasons, true);
                found.get_or_insert_default().extend(reasons);
            }
        }
        found.map_or_else(|| self.nothing.clone(), Rc::new)
    }

    fn reader_union(&mut self, trail: &Trail<'_>, wanted: &[Use], writer: TypeId) -> Found {
        let Some(reasons) = self.refusals(trail, wanted, writer, false) else { return self.nothing.clone() };
        let alone = [Use { ty: writer, ..wanted.first().copied().unwrap_or(NOWHERE) }];
        Rc::new(self.hidden(trail, wanted, (&alone, 0), reasons, false))
    }

    /// Nothing if some branch of the reader's union takes the written type; else why those refuse it that are of its sort.
    fn refusals(
        &mut self,
        trail: &Trail<'_>,
        wanted: &[Use],
        writer: TypeId,
        writer_has_union: bool,
    ) -> Option<Vec<(usize, Found)>> {
        let mut reasons = Vec::new();
        for (index, branch) in wanted.iter().enumerate() {
            if self.is_of_another_sort(branch.ty, writer) {
                continue;
            }
            let found = self.of_branch(trail, branch.ty, writer, writer_has_union);
            if found.is_empty() {
                return None;
            }
            reasons.push((index, found));
        }
        Some(reasons)
    }

    fn of_branch(&mut self, trail: &Trail<'_>, reader: TypeId, writer: TypeId, writer_has_union: bool) -> Found {
        let written_called = writer_has_union.then(|| self.writers().called(writer));
        let called = self.sides(Some(self.readers().called(reader)), written_called);
        self.check(&trail.then(Step::Branch(called)), self.sides(reader, writer))
    }

    /// The innermost reasons in the branch that was meant for a written type which none takes, all reported as a missing
    /// branch.
    fn hidden(
        &mut self,
        trail: &Trail<'_>,
        wanted: &[Use],
        (written, at): (&[Use], usize),
        reasons: Vec<(usize, Found)>,
        writer_has_union: bool,
    ) -> Vec<Incompatibility> {
        let writer = written[at].ty;
        let pairs = place::branches(self.schemas, self.sides(wanted, written));
        let partner = pairs.iter().find(|pair| self.roles(pair.0).1 == Some(at)).and_then(|pair| self.roles(pair.0).0);
        let known = reasons.into_iter().find(|(index, _)| Some(*index) == partner).map(|(_, found)| found);
        let inside = match (known, partner) {
            (None, Some(partner)) => Some(self.of_branch(trail, wanted[partner].ty, writer, writer_has_union)),
            (known, _) => known,
        };
        let reported = |identity: &Identity| Incompatibility {
            kind: MISSING_UNION_BRANCH,
            identity: identity.clone(),
            types: None,
        };
        match inside {
            // The position as a whole has a change of its own; what is inside of it is another one.
            Some(found) if found.iter().all(|one| one.kind != TYPE_MISMATCH) || writer_has_union => {
                found.iter().map(|one| reported(&one.identity)).collect()
            }
            _ if writer_has_union => {
                let name = Some(self.writers().called(writer));
                vec![reported(&trail.then(Step::Branch(self.sides(name, name))).place().identity())]
            }
            _ => vec![reported(&trail.place().identity())],
        }
    }

    /// Whether two types can only be a mismatch, whatever is inside of them.
    fn is_of_another_sort(&self, reader: TypeId, writer: TypeId) -> bool {
        match (self.readers().kind(reader), self.writers().kind(writer)) {
            (Kind::Primitive(wanted), Kind::Primitive(written)) => !promotes(*written, *wanted),
            (Kind::Opaque(_), _) | (_, Kind::Opaque(_)) => false,
            (wanted, written) => std::mem::discriminant(wanted) != std::mem::discriminant(written),
        }
    }

    fn writer_union(&mut self, trail: &Trail<'_>, reader: TypeId, written: &[Use]) -> Found {
        let alone = [Use { ty: reader, ..written.first().copied().unwrap_or(NOWHERE) }];
        let pairs = place::branches(self.schemas, self.sides(&alone, written));
        let mut found = Vec::new();
        for (index, branch) in written.iter().enumerate() {
            let inside = self.check(trail, self.sides(reader, branch.ty));
            let is_partner = pairs.iter().any(|pair| self.roles(pair.0) == (Some(0), Some(index)));
            // What is inside of a branch that is no version of the reader's type is nobody's change.
            let here = |one: &Incompatibility| match is_partner {
                true => one.clone(),
                false => at(one.kind, trail),
            };
            found.extend(inside.iter().map(here));
        }
        Rc::new(found)
    }

    fn called(&self, reader: TypeId, writer: TypeId) -> Pair<&'s str> {
        self.sides(self.readers().called(reader), self.writers().called(writer))
    }

    fn at_named(&self, kind: &'static str, reader: TypeId, writer: TypeId) -> Incompatibility {
        at(kind, &Trail::top(self.called(reader, writer)))
    }
}

const NOWHERE: Use = Use { ty: TypeId(0), file: super::model::FileId(0), span: crate::change::Span::new(0, 0) };

fn at(kind: &'static str, trail: &Trail<'_>) -> Incompatibility {
    Incompatibility { kind, identity: trail.place().identity(), types: None }
}

enum Lookup<'f, 'b> {
    None,
    One(usize, &'f Field<'b>),
    Several,
}

/// Per field of the reader, the field of the writer that is another version of it.
fn partners(reader: Side, wanted: &Record<'_>, written: &Record<'_>) -> Vec<Option<usize>> {
    let mut partners: Vec<Option<usize>> = vec![None; wanted.fields.len()];
    let pairs = match reader {
        Side::Old => place::fields(Pair::new(wanted, written)),
        Side::New => place::fields(Pair::new(written, wanted)),
    };
    for pair in pairs {
        let (of_reader, of_writer) = match reader {
            Side::Old => (pair.0.old, pair.0.new),
            Side::New => (pair.0.new, pair.0.old),
        };
        if let Some(of_reader) = of_reader {
            partners[of_reader] = of_writer;
        }
    }
    partners
}

/// The written field that a reader's field means: by its name and by every alias.
fn lookup<'f, 'b>(
    by_name: &place::Lookup<'_, 'b>,
    written: &'f Record<'b>,
    field: &Field<'_>,
    near: usize,
) -> Lookup<'f, 'b> {
    let names = std::iter::once(&*field.name).chain(field.aliases.iter().map(|(alias, _)| &**alias));
    let mut found = names.filter_map(|name| by_name.find(name, near));
    match (found.next(), found.next()) {
        (None, _) => Lookup::None,
        (Some(index), None) => Lookup::One(index, &written.fields[index]),
        (Some(_), Some(_)) => Lookup::Several,
    }
}

/// The eight promotions, and every type to itself.
const fn promotes(written: Primitive, wanted: Primitive) -> bool {
    use Primitive::{Bytes, Double, Float, Int, Long, String};
    written as u8 == wanted as u8
        || matches!(
            (written, wanted),
            (Int, Long | Float | Double) | (Long, Float | Double) | (Float, Double) | (String, Bytes) | (Bytes, String)
        )
}
