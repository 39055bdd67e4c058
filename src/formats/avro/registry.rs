//! What the registries' checker says: Java's `SchemaCompatibility.checkReaderWriterCompatibility` (Avro 1.12), on which
//! the registries of Confluent and Apicurio stand.
//!
//! It is stricter than any reader in some points (names of records) and blind in others (logical types), so it has its
//! own implementation beside the resolving reader. Where Java reports only that a union lacks a branch, the reasons inside
//! are kept here: the incompatibility is told of the innermost places that cause it.

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Identity, Pair, Side, Span};
use crate::ordered::OrderedSet;

use super::model::{Enum, Field, FileId, Kind, Name, Primitive, Record, Schema, TypeId, Use};
use super::place;
use super::trail::{Step, Trail};

/// One incompatibility.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Incompatibility {
    /// The place that causes it.
    pub identity: Identity,
    /// What Java prints.
    pub printed: Printed,
    /// The named types that the place is in, the innermost ones.
    pub types: Option<Pair<TypeId>>,
}

/// An incompatibility as Java prints it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Printed {
    /// Its type.
    pub kind: &'static str,
    /// Its message.
    pub message: Arc<str>,
    /// The JSON pointer into the reader's schema.
    pub pointer: Arc<str>,
}

const NAME_MISMATCH: &str = "NAME_MISMATCH";
const FIXED_SIZE_MISMATCH: &str = "FIXED_SIZE_MISMATCH";
const MISSING_ENUM_SYMBOLS: &str = "MISSING_ENUM_SYMBOLS";
const READER_FIELD_MISSING_DEFAULT_VALUE: &str = "READER_FIELD_MISSING_DEFAULT_VALUE";
const TYPE_MISMATCH: &str = "TYPE_MISMATCH";
const MISSING_UNION_BRANCH: &str = "MISSING_UNION_BRANCH";

const EXCEPTION: &str = "AvroRuntimeException";

type Found = Rc<Vec<Incompatibility>>;

/// Pairs that are looked at beside those of each type with one other: there are more only where types that hold each other take
/// each other's places, so that all meet all.
const MOST: usize = 8_000;

/// Incompatibilities that are kept, of all pairs together: each pair has those of what it holds.
const MOST_KEPT: usize = 200_000;

/// Where the checker is: the place that both sides have, and the pointer that Java has by then. Inside of unions and
/// where a type is used once more they are not of the same length.
#[derive(Clone, Copy)]
struct At<'t> {
    trail: &'t Trail<'t>,
    pointer: &'t Pointer<'t>,
}

/// A JSON pointer on the stack.
#[derive(Clone, Copy)]
enum Pointer<'t> {
    Root,
    Name(&'t Pointer<'t>, &'static str),
    Index(&'t Pointer<'t>, usize),
}

impl Pointer<'_> {
    fn text(&self) -> String {
        let above = |up: &Pointer<'_>| if matches!(up, Pointer::Root) { String::new() } else { up.text() };
        match self {
            Pointer::Root => "/".to_owned(),
            Pointer::Name(up, name) => format!("{}/{name}", above(up)),
            Pointer::Index(up, index) => format!("{}/{index}", above(up)),
        }
    }

    fn printed(&self, kind: &'static str, message: impl Into<Arc<str>>) -> Printed {
        Printed { kind, message: message.into(), pointer: self.text().into() }
    }
}

/// The checker, with one side as reader.
pub(super) struct Checker<'s, 'b> {
    schemas: Pair<&'s Schema<'b>>,
    reader: Side,
    /// Results of pairs (reader, writer) of which one has a name; `None` while the pair is being looked at.
    known: FxHashMap<(Use, Use), Option<Found>>,
    /// The pairs that are being looked at, and how often.
    open: FxHashMap<(TypeId, TypeId), usize>,
    /// Pairs of a union of the reader and a written type that Java has asked of, from no pointer, and whose results nobody
    /// wanted yet.
    asked: FxHashSet<(Use, Use)>,
    /// How often a pair was come to that was being looked at, which Java takes to be compatible.
    guesses: usize,
    /// Known pairs whose results hold for what is being checked only, because of such a guess.
    guessed: FxHashSet<(Use, Use)>,
    /// How many pairs it looks at.
    most: usize,
    /// How many incompatibilities are kept for pairs that are known.
    kept: usize,
    /// What it gave up with, wherever that was.
    thrown: Option<Incompatibility>,
    nothing: Found,
}

impl<'s, 'b> Checker<'s, 'b> {
    /// A checker for data of the other side.
    pub(super) fn new(schemas: Pair<&'s Schema<'b>>, reader: Side) -> Self {
        Checker {
            schemas,
            reader,
            known: FxHashMap::default(),
            open: FxHashMap::default(),
            asked: FxHashSet::default(),
            most: MOST + schemas.old.types.len() + schemas.new.types.len(),
            guesses: 0,
            guessed: FxHashSet::default(),
            kept: 0,
            thrown: None,
            nothing: Rc::default(),
        }
    }

    /// What is incompatible between two types whose values stand where the trail leads.
    pub(super) fn check(&mut self, trail: &Trail<'_>, types: Pair<TypeId>) -> Found {
        let found = self.check_at(At { trail, pointer: &Pointer::Root }, types.map(anywhere));
        self.guessed.drain().for_each(|pair| drop(self.known.remove(&pair)));
        // What it would have said besides is not known.
        self.thrown.take().map_or(found, |thrown| Rc::new(vec![thrown]))
    }

    /// Whether there are pairs that it did not come to.
    pub(super) fn is_cut(&self) -> bool {
        self.known.len() >= self.most || self.kept >= MOST_KEPT
    }

    fn check_at(&mut self, at: At<'_>, types: Pair<Use>) -> Found {
        let (reader, writer) = self.roles(types);
        let names = (self.readers().name(reader.ty).is_some(), self.writers().name(writer.ty).is_some());
        if names == (false, false) {
            return self.calculate(at, reader, writer);
        }
        let pair = (instance(self.readers(), reader), instance(self.writers(), writer));
        match self.known.get(&pair) {
            Some(Some(found)) => {
                self.guesses += usize::from(self.guessed.contains(&pair));
                return at.mentioned(names, found);
            }
            Some(None) => {
                self.guesses += 1;
                return self.nothing.clone();
            }
            None if self.is_cut() => return self.nothing.clone(),
            None => {}
        }
        let was_asked = self.asked.remove(&pair);
        let pointer = if was_asked { &Pointer::Root } else { at.pointer };
        let guesses = self.guesses;
        self.known.insert(pair, None);
        *self.open.entry((reader.ty, writer.ty)).or_default() += 1;
        let mut found = self.calculate(At { pointer, ..at }, reader, writer);
        self.close((reader.ty, writer.ty));
        // What is told of what is open would be told at every level.
        if self.is_cut() {
            return self.nothing.clone();
        }
        let told = Rc::make_mut(&mut found);
        if names == (true, true) {
            for one in told.iter_mut() {
                one.types.get_or_insert(types.map(|at| at.ty));
            }
        }
        // Many ways may lead to one pair, and more at each level: what is said once need not be said again.
        let mut seen = OrderedSet::new();
        told.retain(|one| seen.insert(one.clone()));
        self.kept += told.len();
        self.known.insert(pair, Some(found.clone()));
        if self.guesses > guesses {
            self.guessed.insert(pair);
        }
        if was_asked { at.mentioned(names, &found) } else { found }
    }

    fn close(&mut self, pair: (TypeId, TypeId)) {
        match self.open.get_mut(&pair) {
            Some(times) if *times > 1 => *times -= 1,
            _ => drop(self.open.remove(&pair)),
        }
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

    fn calculate(&mut self, at: At<'_>, reader: Use, writer: Use) -> Found {
        let At { trail, pointer } = at;
        let (wanted, written) = (self.readers().kind(reader.ty), self.writers().kind(writer.ty));
        match (wanted, written) {
            (Kind::Array(wanted), Kind::Array(written)) => {
                let inside = At { trail: &trail.then(Step::Items), pointer: &Pointer::Name(pointer, "items") };
                self.check_at(inside, self.sides(*wanted, *written))
            }
            (Kind::Map(wanted), Kind::Map(written)) => {
                let inside = At { trail: &trail.then(Step::Values), pointer: &Pointer::Name(pointer, "values") };
                self.check_at(inside, self.sides(*wanted, *written))
            }
            (Kind::Fixed(wanted), Kind::Fixed(written)) => {
                let mut found = self.names(pointer, reader.ty, writer.ty);
                if wanted.size != written.size {
                    let message = format!("expected: {}, found: {}", written.size, wanted.size);
                    let printed = Pointer::Name(pointer, "size").printed(FIXED_SIZE_MISMATCH, message);
                    found.push(self.of_named(printed, reader.ty, writer.ty));
                }
                Rc::new(found)
            }
            (Kind::Enum(wanted), Kind::Enum(written)) => {
                let mut found = self.names(pointer, reader.ty, writer.ty);
                found.extend(self.symbols(pointer, Pair::new(reader.ty, writer.ty), wanted, written));
                Rc::new(found)
            }
            (Kind::Record(wanted), Kind::Record(written)) => {
                let mut found = self.names(pointer, reader.ty, writer.ty);
                found.extend(self.fields(pointer, (reader.ty, writer.ty), wanted, written));
                Rc::new(found)
            }
            (Kind::Union(wanted), Kind::Union(written)) => self.unions(at, reader, (wanted, written)),
            (Kind::Primitive(wanted), Kind::Primitive(written)) if promotes(*written, *wanted) => self.nothing.clone(),
            (Kind::Opaque(wanted), _) if self.writers().called(writer.ty) == &*wanted.full => self.nothing.clone(),
            (_, Kind::Opaque(written)) if self.readers().called(reader.ty) == &*written.full => self.nothing.clone(),
            (_, Kind::Union(written)) => self.writer_union(at, reader, written),
            (Kind::Union(wanted), _) => self.reader_union(at, wanted, writer),
            _ => Rc::new(vec![at.told(mismatch(wanted, written, pointer))]),
        }
    }

    fn names(&self, pointer: &Pointer<'_>, reader: TypeId, writer: TypeId) -> Vec<Incompatibility> {
        let (wanted, written) = (self.readers().kind(reader), self.writers().kind(writer));
        let (Some(name), Some(other)) = (wanted.name(), written.name()) else { return Vec::new() };
        let is_alias = |alias: &Name| alias.full == other.full && !has_leading_dot(name, alias);
        let is_same = name.simple() == other.simple() || wanted.aliases().iter().any(is_alias);
        if is_same {
            return Vec::new();
        }
        let message = format!("expected: {}", other.full);
        let printed = Pointer::Name(pointer, "name").printed(NAME_MISMATCH, message);
        vec![self.of_named(printed, reader, writer)]
    }

    /// Java makes one entry of all symbols that are missing; here it is told of each of them.
    fn symbols(
        &self,
        pointer: &Pointer<'_>,
        types: Pair<TypeId>,
        wanted: &Enum<'_>,
        written: &Enum<'_>,
    ) -> Vec<Incompatibility> {
        if wanted.default.is_some() {
            return Vec::new();
        }
        let names = self.called(types.old, types.new);
        let top = Trail::top(names);
        let knows: FxHashSet<&str> = wanted.symbols.iter().map(|(symbol, _)| &**symbol).collect();
        let missing = written.symbols.iter().map(|(symbol, _)| &**symbol).filter(|symbol| !knows.contains(symbol));
        let missing: OrderedSet<&str> = missing.collect();
        let listed: Vec<&str> = missing.iter().copied().collect();
        let message = format!("[{}]", listed.join(", "));
        let printed = Pointer::Name(pointer, "symbols").printed(MISSING_ENUM_SYMBOLS, message);
        let told = |symbol: &str| Incompatibility {
            identity: top.place().symbol(symbol).identity(),
            printed: printed.clone(),
            types: None,
        };
        missing.into_iter().map(told).collect()
    }

    fn fields(
        &mut self,
        pointer: &Pointer<'_>,
        types: (TypeId, TypeId),
        wanted: &Record<'b>,
        written: &Record<'b>,
    ) -> Vec<Incompatibility> {
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
        let fields = Pointer::Name(pointer, "fields");
        for (index, field) in wanted.fields.iter().enumerate() {
            let source = lookup(&by_name, written, field, index);
            let partner = match source {
                Lookup::One(other, _) if field.aliases.is_empty() => Some(other),
                _ => partner(index),
            };
            let called = self.sides(Some(&*field.name), partner.map(|partner| &*written.fields[partner].name));
            let trail = top.then(Step::Field(called));
            let pointer = Pointer::Index(&fields, index);
            let inside = At { trail: &trail, pointer: &Pointer::Name(&pointer, "type") };
            match source {
                Lookup::One(_, other) => {
                    let types = self.sides(field.schema, other.schema);
                    found.extend(self.check_at(inside, types).iter().cloned());
                }
                Lookup::None if field.default.is_some() => {}
                // A field whose enum has a default of its own is compared with the whole record by mistake.
                Lookup::None => match self.readers().kind(field.schema.ty) {
                    Kind::Enum(Enum { default: Some(_), .. }) => {
                        let types = self.sides(field.schema, anywhere(types.1));
                        let mistaken = self.check_at(inside, types);
                        let told = |one: &Incompatibility| inside.told(one.printed.clone());
                        found.extend(mistaken.iter().map(told));
                    }
                    _ => {
                        let printed = pointer.printed(READER_FIELD_MISSING_DEFAULT_VALUE, &*field.name);
                        found.push(inside.told(printed));
                    }
                },
                Lookup::Several => found.push(self.give_up(inside, &pointer, &field.name, types.1)),
            }
        }
        found
    }

    /// Java gives up with an exception that has no type of its own.
    fn give_up(&mut self, inside: At<'_>, pointer: &Pointer<'_>, field: &str, writer: TypeId) -> Incompatibility {
        let called = self.writers().called(writer);
        let message = format!("Reader record field {field} matches multiple fields in writer record schema {called}");
        let thrown = inside.told(pointer.printed(EXCEPTION, message));
        self.thrown.get_or_insert_with(|| thrown.clone());
        thrown
    }

    /// Each branch of the writer's union must find a branch of the reader's; why it does not is not told by Java.
    fn unions(&mut self, at: At<'_>, reader: Use, (wanted, written): (&[Use], &[Use])) -> Found {
        let mut found: Option<Vec<Incompatibility>> = None;
        let (takers, partners) = (Takers::of(self.readers(), wanted), OnceCell::new());
        for (index, branch) in written.iter().enumerate() {
            if let Some(reasons) = self.refusals(at.trail, &takers, (*branch, true)) {
                let find = || self.partners(wanted, written);
                let partner = partners.get_or_init(find).get(&branch.ty).copied();
                let pointer = &Pointer::Index(at.pointer, index);
                let reasons = self.hidden(At { pointer, ..at }, wanted, (*branch, partner), reasons, true);
                found.get_or_insert_default().extend(reasons);
                // It asked the whole union about the branch, from no pointer: of one that has a name that is known from
                // here on, and no other is met again.
                let pair = (instance(self.readers(), reader), instance(self.writers(), *branch));
                if self.writers().name(branch.ty).is_some() {
                    match self.known.contains_key(&pair) {
                        true => drop(self.check_at(At { pointer: &Pointer::Root, ..at }, self.sides(reader, *branch))),
                        false => _ = self.asked.insert(pair),
                    }
                }
            }
        }
        found.map_or_else(|| self.nothing.clone(), Rc::new)
    }

    fn reader_union(&mut self, at: At<'_>, wanted: &[Use], writer: Use) -> Found {
        let takers = Takers::of(self.readers(), wanted);
        let Some(reasons) = self.refusals(at.trail, &takers, (writer, false)) else { return self.nothing.clone() };
        let partner = self.partners(wanted, &[writer]).get(&writer.ty).copied();
        Rc::new(self.hidden(at, wanted, (writer, partner), reasons, false))
    }

    /// Nothing if some branch of the reader's union takes the written type; else why those refuse it that are of its sort.
    fn refusals(
        &mut self,
        trail: &Trail<'_>,
        takers: &Takers<'_, '_>,
        (writer, writer_has_union): (Use, bool),
    ) -> Option<Vec<(usize, Found)>> {
        let mut reasons = Vec::new();
        // A pair that is being looked at counts as compatible, whatever the two are called; what stands before it is tried.
        let is_open = |branch: &Use| !self.open.is_empty() && self.open.contains_key(&(branch.ty, writer.ty));
        let open = takers.wanted.iter().position(is_open);
        let end = open.unwrap_or(takers.wanted.len());
        for index in takers.of_writer(self.writers(), writer.ty).into_iter().filter(|index| *index < end) {
            let branch = takers.wanted[index];
            // What it says of a type that has a name is known from here on, and with it the pointer.
            if self.readers().name(branch.ty).is_none() && self.is_of_another_sort(branch.ty, writer.ty) {
                continue;
            }
            let found = self.of_branch(trail, branch, writer, writer_has_union);
            if found.is_empty() {
                return None;
            }
            reasons.push((index, found));
        }
        self.guesses += usize::from(open.is_some());
        open.is_none().then_some(reasons)
    }

    /// Java starts with a pointer of its own inside of each branch.
    fn of_branch(&mut self, trail: &Trail<'_>, reader: Use, writer: Use, writer_has_union: bool) -> Found {
        let written_called = writer_has_union.then(|| self.writers().called(writer.ty));
        let called = self.sides(Some(self.readers().called(reader.ty)), written_called);
        let trail = &trail.then(Step::Branch(called));
        self.check_at(At { trail, pointer: &Pointer::Root }, self.sides(reader, writer))
    }

    /// The reader's branch that each of the writer's was meant for.
    fn partners(&self, wanted: &[Use], written: &[Use]) -> FxHashMap<TypeId, usize> {
        let pairs = place::branches(self.schemas, self.sides(wanted, written));
        let both = pairs.iter().filter_map(|pair| match self.roles(pair.0) {
            (Some(reader), Some(writer)) => Some((written[writer].ty, reader)),
            _ => None,
        });
        both.collect()
    }

    /// The innermost reasons in the branch that was meant for a written type which none takes, all reported as a missing
    /// branch.
    fn hidden(
        &mut self,
        At { trail, pointer }: At<'_>,
        wanted: &[Use],
        (writer, partner): (Use, Option<usize>),
        reasons: Vec<(usize, Found)>,
        writer_has_union: bool,
    ) -> Vec<Incompatibility> {
        let known = reasons.into_iter().find(|(index, _)| Some(*index) == partner).map(|(_, found)| found);
        let inside = match (known, partner) {
            (None, Some(partner)) => Some(self.of_branch(trail, wanted[partner], writer, writer_has_union)),
            (known, _) => known,
        };
        let message = format!("reader union lacking writer type: {}", sort(self.writers().kind(writer.ty)));
        let printed = pointer.printed(MISSING_UNION_BRANCH, message);
        let reported = |identity: Identity| Incompatibility { identity, printed: printed.clone(), types: None };
        match inside {
            // The position as a whole has a change of its own; what is inside of it is another one.
            Some(found) if found.iter().all(|one| one.printed.kind != TYPE_MISMATCH) || writer_has_union => {
                found.iter().map(|one| reported(one.identity.clone())).collect()
            }
            _ if writer_has_union => {
                let name = Some(self.writers().called(writer.ty));
                vec![reported(trail.then(Step::Branch(self.sides(name, name))).place().identity())]
            }
            _ => vec![reported(trail.place().identity())],
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

    fn writer_union(&mut self, at: At<'_>, reader: Use, written: &[Use]) -> Found {
        let pairs = place::branches(self.schemas, self.sides(&[reader], written));
        let mut found = Vec::new();
        for (index, branch) in written.iter().enumerate() {
            let pointer = &Pointer::Index(at.pointer, index);
            let trail = at.trail.then(Step::Branch(self.sides(None, Some(self.writers().called(branch.ty)))));
            let inside = self.check_at(At { trail: &trail, pointer }, self.sides(reader, *branch));
            if inside.is_empty() {
                continue;
            }
            let is_partner = pairs.iter().any(|pair| self.roles(pair.0) == (Some(0), Some(index)));
            let whole = trail.place().identity();
            // What is inside of a branch that is no version of the reader's type is nobody's change.
            let here = |one: &Incompatibility| match is_partner && one.identity != whole {
                true => one.clone(),
                false => at.told(one.printed.clone()),
            };
            found.extend(inside.iter().map(here));
        }
        Rc::new(found)
    }

    fn called(&self, reader: TypeId, writer: TypeId) -> Pair<&'s str> {
        self.sides(self.readers().called(reader), self.writers().called(writer))
    }

    /// Told of two named types as such.
    fn of_named(&self, printed: Printed, reader: TypeId, writer: TypeId) -> Incompatibility {
        let place = Trail::top(self.called(reader, writer)).place();
        Incompatibility { identity: place.identity(), printed, types: None }
    }
}

impl At<'_> {
    /// What is known of two types, of which some have names, where they are mentioned here.
    fn mentioned(self, have_names: (bool, bool), found: &Found) -> Found {
        match have_names {
            (true, true) => found.clone(),
            // It stands where one of them is mentioned.
            _ => Rc::new(found.iter().map(|one| self.told(one.printed.clone())).collect()),
        }
    }

    /// Told of this place.
    fn told(self, printed: Printed) -> Incompatibility {
        Incompatibility { identity: self.trail.place().identity(), printed, types: None }
    }
}

/// In unions of fewer branches each is asked, as Java does: what was asked once is not asked again, so that the places of
/// what is told later depend on it.
const FEW: usize = 32;

/// The branches of a reader's union, and which may take a written type: one that has a name is taken by the branch of
/// that name or with that alias, or by none.
struct Takers<'u, 's> {
    wanted: &'u [Use],
    by_name: FxHashMap<&'s str, Vec<usize>>,
}

impl<'u, 's> Takers<'u, 's> {
    fn of(readers: &'s Schema<'_>, wanted: &'u [Use]) -> Self {
        let mut by_name: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (index, branch) in wanted.iter().enumerate() {
            let kind = readers.kind(branch.ty);
            let aliases = kind.aliases().iter().map(|alias| &*alias.full);
            for known in kind.name().map(|name| name.simple()).into_iter().chain(aliases) {
                by_name.entry(known).or_default().push(index);
            }
        }
        Takers { wanted, by_name }
    }

    /// The branches that may take a type.
    fn of_writer(&self, writers: &Schema<'_>, writer: TypeId) -> Vec<usize> {
        match writers.kind(writer).name().filter(|_| self.wanted.len() >= FEW) {
            Some(name) => {
                let named = [name.simple(), &*name.full].map(|name| self.by_name.get(name).into_iter().flatten());
                named.into_iter().flatten().copied().collect()
            }
            None => (0..self.wanted.len()).collect(),
        }
    }
}

/// What is one type to Java: of a primitive one, each mention.
fn instance(schema: &Schema<'_>, mention: Use) -> Use {
    match schema.kind(mention.ty) {
        Kind::Primitive(_) => mention,
        _ => anywhere(mention.ty),
    }
}

/// A type, wherever it is used.
const fn anywhere(ty: TypeId) -> Use {
    Use { ty, file: FileId(0), span: Span::new(0, 0) }
}

/// Whether an alias of a type in a namespace lies in none, `.Order`. Since 1.12 Java keeps the point of such an alias, so that
/// it is no name at all.
fn has_leading_dot(name: &Name, alias: &Name) -> bool {
    !alias.full.contains('.') && !name.namespace().is_empty()
}

fn mismatch(wanted: &Kind<'_>, written: &Kind<'_>, pointer: &Pointer<'_>) -> Printed {
    let message = format!("reader type: {} not compatible with writer type: {}", sort(wanted), sort(written));
    pointer.printed(TYPE_MISMATCH, message)
}

/// What Java calls a sort of types.
fn sort(kind: &Kind<'_>) -> String {
    match kind {
        Kind::Primitive(primitive) => primitive.name().to_uppercase(),
        Kind::Array(_) => "ARRAY".to_owned(),
        Kind::Map(_) => "MAP".to_owned(),
        Kind::Union(_) => "UNION".to_owned(),
        Kind::Record(_) | Kind::Opaque(_) => "RECORD".to_owned(),
        Kind::Enum(_) => "ENUM".to_owned(),
        Kind::Fixed(_) => "FIXED".to_owned(),
    }
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

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
