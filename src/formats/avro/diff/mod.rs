//! What differs between two linked sides, and who can read what of it.
//!
//! Types are compared where data leads them to meet: from the schemas of the files and the messages of the protocols
//! down through fields, arrays, maps and unions. Named types are compared once per pair, wherever they meet. Facts only:
//! whether a change is good or bad is said in `rules/avro/`.

mod fix;
mod named;
mod pairing;
mod protocols;
mod registries;
mod roots;
mod unions;

use std::cell::OnceCell;
use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Change, ChangeKind, FactKey, Facts, Pair, Site, Span, Suggestion};
use crate::evidence::Outcome;
use crate::formats::frame::differ::with_types;
use crate::formats::frame::roots::Roots;
use crate::formats::frame::{Diff, Diffs};
use crate::ordered::InOrder;

use super::ast::Attribute;
use super::language::Avro;
use super::link::is_known_logical;
use super::model::{FileId, Kind, Logical, Primitive, Schema, TypeId, Use};
use super::place::Place;
use super::relation::{Reading, exact_up_to, logical_relation, logical_spelled, named_sort, spelled};
use super::trail::{Step, Trail};

/// Two types whose data one side writes and the other reads: two versions of a named type, wherever it is used; the
/// schemas of a file where one of them has no name; the results of a message of a protocol.
#[derive(Debug, Clone)]
pub struct Meeting {
    /// The types.
    pub(super) types: Pair<TypeId>,
    /// Where their values stand.
    pub(super) place: Place,
    /// Where they are defined; where a type has no name, where it is used.
    pub(super) files: Pair<FileId>,
    /// Whether anything inside differs, the named types that it uses not counted.
    pub(super) changed: bool,
    /// Whether nobody looked inside.
    pub(super) left_out: bool,
}

impl Diffs for Avro {
    type Pairs = Vec<Meeting>;

    fn diff(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Diff<Self::Pairs> {
        let mut differ = Differ::new(schemas);
        differ.pair_roots(roots);
        differ.drain();
        differ.say_what_registries_say();
        differ.found
    }
}

/// The state of one comparison.
struct Differ<'s, 'b> {
    schemas: Pair<&'s Schema<'b>>,
    found: Diff<Vec<Meeting>>,
    /// The meeting of every pair of named types seen.
    seen: FxHashMap<(TypeId, TypeId), usize>,
    /// Per meeting, the way from a root to it, in words; empty for a root.
    through: Vec<String>,
    /// Meetings of named types still to be compared.
    queue: VecDeque<usize>,
    /// The meetings that data starts from.
    starts: Vec<usize>,
    /// Types that took each other's places and are compared.
    replaced: usize,
    /// Whether the registries' checker did not come to its end.
    is_cut: bool,
    /// What others use, once it was asked for.
    used: OnceCell<Pair<FxHashSet<TypeId>>>,
}

/// Types that took the places of each other and are compared, at most: where they hold each other, all meet all.
const MOST_REPLACED: usize = 200;

/// A change that is being put together.
struct Draft {
    kind: ChangeKind,
    place: Place,
    at: Pair<Option<Site>>,
    facts: Facts,
    suggestion: Option<Suggestion>,
}

/// What a reader on each side sees at a position: the whole union there, or the type itself.
type Wholes = Pair<TypeId>;

impl<'s, 'b> Differ<'s, 'b> {
    fn new(schemas: Pair<&'s Schema<'b>>) -> Self {
        Differ {
            schemas,
            found: Diff::default(),
            seen: FxHashMap::default(),
            through: Vec::new(),
            queue: VecDeque::new(),
            starts: Vec::new(),
            replaced: 0,
            is_cut: false,
            used: OnceCell::new(),
        }
    }

    /// Compares named types until no comparison leads to a new pair.
    fn drain(&mut self) {
        while let Some(meeting) = self.queue.pop_front() {
            self.named(meeting);
        }
    }

    /// Asks for two named types to be compared, once; `from` is the position where they meet.
    fn meet(&mut self, types: Pair<TypeId>, from: Option<(usize, &Trail<'_>)>) -> usize {
        if let Some(meeting) = self.seen.get(&(types.old, types.new)) {
            return *meeting;
        }
        let through = from.map_or_else(String::new, |(meeting, trail)| self.way_to(meeting, trail));
        let names = self.called(types);
        let files = Pair::new(self.schemas.old.ty(types.old).file, self.schemas.new.ty(types.new).file);
        let meeting = self.add_meeting(types, files, Place::named(names), through);
        self.seen.insert((types.old, types.new), meeting);
        if from.is_none() {
            self.starts.push(meeting);
        }
        self.queue.push_back(meeting);
        meeting
    }

    fn add_meeting(&mut self, types: Pair<TypeId>, files: Pair<FileId>, place: Place, through: String) -> usize {
        self.found.pairs.push(Meeting { types, place, files, changed: false, left_out: false });
        self.through.push(through);
        self.found.pairs.len() - 1
    }

    fn way_to(&self, meeting: usize, trail: &Trail<'_>) -> String {
        let here = trail.place().path();
        match self.through[meeting].as_str() {
            "" => here,
            above => format!("{above}, {here}"),
        }
    }

    fn called(&self, types: Pair<TypeId>) -> Pair<&'s str> {
        Pair::new(self.schemas.old.called(types.old), self.schemas.new.called(types.new))
    }

    /// Old data read by a new reader.
    fn backward(&self) -> Reading<'s, 'b, 'b> {
        Reading { writer: self.schemas.old, reader: self.schemas.new }
    }

    /// New data read by an old reader.
    fn forward(&self) -> Reading<'s, 'b, 'b> {
        Reading { writer: self.schemas.new, reader: self.schemas.old }
    }

    /// Compares what stands at a position.
    fn position(&mut self, meeting: usize, trail: &Trail<'_>, uses: Pair<Use>, wholes: Wholes) {
        let types = uses.map(|at| at.ty);
        match (self.schemas.old.kind(types.old), self.schemas.new.kind(types.new)) {
            (Kind::Union(old), Kind::Union(new)) => self.unions(meeting, trail, uses, Pair::new(old, new)),
            (Kind::Union(old), _) => self.union_lost(meeting, trail, uses, old),
            (_, Kind::Union(new)) => self.union_gained(meeting, trail, uses, new),
            (Kind::Array(old), Kind::Array(new)) => {
                self.position(meeting, &trail.then(Step::Items), Pair::new(*old, *new), Pair::new(old.ty, new.ty));
                self.attributes_of_types(meeting, trail, uses);
            }
            (Kind::Map(old), Kind::Map(new)) => {
                self.position(meeting, &trail.then(Step::Values), Pair::new(*old, *new), Pair::new(old.ty, new.ty));
                self.attributes_of_types(meeting, trail, uses);
            }
            (Kind::Record(_), Kind::Record(_)) | (Kind::Enum(_), Kind::Enum(_)) | (Kind::Fixed(_), Kind::Fixed(_)) => {
                self.meet(types, Some((meeting, trail)));
            }
            (Kind::Primitive(old), Kind::Primitive(new)) => {
                if old != new {
                    self.type_changed(meeting, trail, uses, wholes);
                }
                // Where no value arrives, its meaning is nobody's concern.
                let read =
                    [self.backward().outcome(types.old, types.new), self.forward().outcome(types.new, types.old)];
                if read != [Outcome::Fails; 2] {
                    self.logical_changed(meeting, &|| trail.place(), uses);
                }
                self.attributes_of_types(meeting, trail, uses);
            }
            // A name that one side cannot look up is taken to mean what the other side has under it.
            (Kind::Opaque(name), _) if *name.full == *self.schemas.new.called(types.new) => {}
            (_, Kind::Opaque(name)) if *name.full == *self.schemas.old.called(types.old) => {}
            _ => self.type_changed(meeting, trail, uses, wholes),
        }
    }

    fn type_changed(&mut self, meeting: usize, trail: &Trail<'_>, uses: Pair<Use>, wholes: Wholes) {
        let reads = |reading: Reading<'_, '_, '_>, writer, whole| match reading.reader.kind(whole) {
            // Another branch may take it.
            Kind::Union(_) => reading.outcome_beside(writer, whole, None),
            _ => reading.outcome(writer, whole),
        };
        let reads_old = reads(self.backward(), uses.old.ty, wholes.new);
        let reads_new = reads(self.forward(), uses.new.ty, wholes.old);
        let relation = self.relation(uses, Pair::new(reads_old, reads_new));
        let facts = self
            .facts_of_types(uses)
            .with(FactKey::Relation, relation)
            .with(FactKey::ReadsOld, reads_old.name())
            .with(FactKey::ReadsNew, reads_new.name());
        let kinds = (self.schemas.old.kind(uses.old.ty), self.schemas.new.kind(uses.new.ty));
        let exact = exact_up_to(kinds.0, kinds.1).or(exact_up_to(kinds.1, kinds.0));
        let facts = exact.into_iter().fold(facts, |facts, exact| facts.with(FactKey::ExactUpTo, exact));
        let draft = self.draft(ChangeKind::FieldTypeChanged, trail.place(), self.sites(uses), facts);
        self.push(meeting, draft);
    }

    /// How two types relate that differ, in one word.
    fn relation(&self, uses: Pair<Use>, reads: Pair<Outcome>) -> &'static str {
        let kinds = (self.schemas.old.kind(uses.old.ty), self.schemas.new.kind(uses.new.ty));
        match (kinds, reads.old, reads.new) {
            ((Kind::Primitive(Primitive::Bytes), Kind::Primitive(Primitive::String)), ..) => "text-from-bytes",
            ((Kind::Primitive(Primitive::String), Kind::Primitive(Primitive::Bytes)), ..) => "bytes-from-text",
            (_, Outcome::Wrong, _) => "rounded",
            (_, Outcome::Fails, Outcome::Fails) => "mismatch",
            (_, Outcome::Fails, _) => "narrowed",
            _ => "widened",
        }
    }

    fn facts_of_types(&self, uses: Pair<Use>) -> Facts {
        let Pair { old, new } = self.schemas;
        let types = Pair::new(spelled(old, uses.old.ty), spelled(new, uses.new.ty));
        with_types(Facts::none(), types, Pair::new(named_sort(old, uses.old.ty), named_sort(new, uses.new.ty)))
    }

    /// A logical type came, went or is another; how the type below it changed is said elsewhere.
    fn logical_changed(&mut self, meeting: usize, place: &dyn Fn() -> Place, uses: Pair<Use>) {
        let logical = Pair::new(self.schemas.old.ty(uses.old.ty).logical, self.schemas.new.ty(uses.new.ty).logical);
        if logical.old == logical.new {
            return;
        }
        let (relation, outcome) = logical_relation(logical);
        let name = |logical: Option<Logical>, schema: &Schema<'_>, ty| match logical {
            Some(logical) => logical_spelled(logical, schema.called(ty)),
            None => format!("plain {}", schema.called(ty)),
        };
        // Where nothing arrives nothing is meant; of bytes that are wanted as a text some arrive.
        let reads = |reading: Reading<'_, '_, '_>, writer, reader| {
            let kinds = (reading.writer.kind(writer), reading.reader.kind(reader));
            let is_text = matches!(kinds, (Kind::Primitive(Primitive::Bytes), Kind::Primitive(Primitive::String)));
            let is_lost = reading.outcome(writer, reader) == Outcome::Fails && !is_text;
            if is_lost { Outcome::Safe } else { outcome }
        };
        let facts = Facts::none()
            .with(FactKey::Relation, relation)
            .with(FactKey::OldType, name(logical.old, self.schemas.old, uses.old.ty))
            .with(FactKey::NewType, name(logical.new, self.schemas.new, uses.new.ty))
            .with(FactKey::ReadsOld, reads(self.backward(), uses.old.ty, uses.new.ty).name())
            .with(FactKey::ReadsNew, reads(self.forward(), uses.new.ty, uses.old.ty).name());
        let draft = self.draft(ChangeKind::LogicalTypeChanged, place(), self.sites(uses), facts);
        self.push(meeting, draft);
    }

    fn attributes_of_types(&mut self, meeting: usize, trail: &Trail<'_>, uses: Pair<Use>) {
        let attributes =
            Pair::new(self.schemas.old.ty(uses.old.ty).attributes, self.schemas.new.ty(uses.new.ty).attributes);
        let sites = self.sites(uses);
        self.attributes(meeting, ChangeKind::FieldOptionChanged, &|| trail.place(), sites, attributes);
    }

    /// One change per attribute that is not the same on both sides; what makes a logical type is not told again.
    fn attributes(
        &mut self,
        meeting: usize,
        kind: ChangeKind,
        place: &dyn Fn() -> Place,
        at: Pair<Option<Site>>,
        attributes: Pair<&'s [Attribute<'b>]>,
    ) {
        for facts in changed_attributes(attributes) {
            let draft = self.draft(kind, place(), at.clone(), facts);
            self.push(meeting, draft);
        }
    }

    fn draft(&self, kind: ChangeKind, place: Place, at: Pair<Option<Site>>, facts: Facts) -> Draft {
        Draft { kind, place, at, facts, suggestion: None }
    }

    /// The places of two uses.
    fn sites(&self, uses: Pair<Use>) -> Pair<Option<Site>> {
        self.at(Pair::new(Some((uses.old.file, uses.old.span)), Some((uses.new.file, uses.new.span))))
    }

    fn at(&self, places: Pair<Option<(FileId, Span)>>) -> Pair<Option<Site>> {
        Pair::new(
            places.old.map(|(file, span)| self.schemas.old.site(file, span)),
            places.new.map(|(file, span)| self.schemas.new.site(file, span)),
        )
    }

    fn push(&mut self, meeting: usize, draft: Draft) {
        let Draft { kind, place, at, facts, suggestion } = draft;
        let through = match self.through[meeting].as_str() {
            "" => String::new(),
            through => format!(" It is read as part of {through}."),
        };
        let facts = facts.with(FactKey::Through, through);
        let (path, identity) = (place.path(), place.identity());
        self.found.pairs[meeting].changed = true;
        self.found.changes.push(Change { suggestion, ..Change::new(kind, path, identity, at, facts) });
    }

    /// A change of something that has no data of its own.
    fn push_declaration(&mut self, kind: ChangeKind, name: &str, path: String, at: Pair<Option<Site>>, facts: Facts) {
        let identity = crate::change::Identity(format!("{kind}:{name}"));
        self.found.changes.push(Change::new(kind, path, identity, at, facts));
    }
}

/// What is to be told of each attribute that is not the same on both sides; what makes a logical type is told elsewhere.
fn changed_attributes(attributes: Pair<&[Attribute<'_>]>) -> Vec<Facts> {
    let Pair { old, new } = attributes;
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    let mut names: Vec<&str> = old.iter().chain(new).map(|attribute| &*attribute.name.text).collect();
    names.sort_in_order();
    names.dedup();
    let is_logical = [old, new].into_iter().any(is_logical);
    let changed = names.into_iter().filter(|name| !is_logical || !LOGICAL.contains(name)).filter_map(|name| {
        let values = attributes.map(|list| list.iter().rev().find(|one| one.name.text == name));
        if let Pair { old: Some(old), new: Some(new) } = values
            && old.value.same_meaning(&new.value)
        {
            return None;
        }
        let shown = |attribute: Option<&Attribute<'_>>| {
            attribute.map_or_else(|| "absent".to_owned(), |attribute| attribute.value.shown())
        };
        let facts = Facts::none()
            .with(FactKey::Name, name)
            .with(FactKey::OldValue, shown(values.old))
            .with(FactKey::NewValue, shown(values.new));
        Some(facts)
    });
    changed.collect()
}

/// Whether attributes make one of the logical types that Avro knows. To Avro, one of somebody's own is an attribute like any
/// other.
fn is_logical(attributes: &[Attribute<'_>]) -> bool {
    let stated = attributes.iter().rev().find(|one| one.name.text == LOGICAL[0]);
    stated.and_then(|one| one.value.as_text()).is_some_and(is_known_logical)
}

/// The attributes that make a logical type.
const LOGICAL: [&str; 3] = ["logicalType", "precision", "scale"];
