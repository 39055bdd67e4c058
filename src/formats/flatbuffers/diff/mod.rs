//! What differs between two linked sides: everything that matters in buffers, in calls or in generated code.
//!
//! Data starts from roots; what they reach on both sides is compared first and is felt. Everything else pairs by name and
//! matters to generated code only. Facts only: whether a change is good or bad is said in `rules/flatbuffers/`.

mod conforms;
mod enums;
mod fields;
mod files;
mod layouts;
mod reach;
mod services;
mod types;
mod unions;

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Site, Suggestion};
use crate::evidence::Outcome;
use crate::formats::frame;
use crate::formats::frame::roots::Roots;

use super::model::{EnumId, ObjectId, Schema, Type};
use super::pairing::{Pairs, TypePair};

/// What changed, and what was compared with what.
type Diff = frame::Diff<Pairs>;

/// Compares two sides.
pub(crate) fn diff(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Diff {
    let mut differ = Differ::new(schemas);
    differ.declare();
    let files = differ.file_pairs();
    let services = differ.pair_services();
    for types in reach::roots(schemas, roots, &files, &services) {
        differ.pairs.roots.push(types);
        differ.pair_objects(types);
    }
    differ.drain();
    differ.is_felt = false;
    differ.pair_the_rest();
    differ.drain();
    differ.pair_by_structure();
    differ.drain();
    differ.is_felt = true;
    differ.diff_files(&files);
    differ.leftovers();
    differ.settle_renames();
    differ.say_what_conform_says();
    let mut found = Diff { changes: differ.changes, pairs: differ.pairs };
    reach::limit_to_roots(schemas, roots, &mut found);
    found
}

/// Two types of different names that meet in a field, a member, a root or a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Replacement {
    Object(ObjectId, ObjectId),
    Enum(EnumId, EnumId),
}

/// The state of one comparison.
struct Differ<'s, 'b> {
    schemas: Pair<&'s Schema<'b>>,
    changes: Vec<Change>,
    pairs: Pairs,
    /// Whether data of roots reaches what is being compared.
    is_felt: bool,
    /// Index into `pairs` of every pair seen.
    seen_objects: FxHashMap<(ObjectId, ObjectId), usize>,
    seen_enums: FxHashMap<(EnumId, EnumId), usize>,
    queue: VecDeque<Work>,
    /// Types that found a counterpart as a declaration, by name or by structure.
    declared: Vec<Pair<ObjectId>>,
    declared_enums: Vec<Pair<EnumId>>,
    taken: Pair<FxHashSet<ObjectId>>,
    taken_enums: Pair<FxHashSet<EnumId>>,
    /// Pairs of different full names, in the order in which they were found.
    replacements: Vec<Replacement>,
    /// Changes that only say that a reference follows a replacement: index into `changes`.
    following: Vec<(usize, Replacement)>,
}

/// A pair of types still to be compared.
#[derive(Debug, Clone, Copy)]
enum Work {
    Object(Pair<ObjectId>),
    Enum(Pair<EnumId>),
}

impl<'s, 'b> Differ<'s, 'b> {
    fn new(schemas: Pair<&'s Schema<'b>>) -> Self {
        Self {
            schemas,
            changes: Vec::new(),
            pairs: Pairs::default(),
            is_felt: true,
            seen_objects: FxHashMap::default(),
            seen_enums: FxHashMap::default(),
            queue: VecDeque::new(),
            declared: Vec::new(),
            declared_enums: Vec::new(),
            taken: Pair::default(),
            taken_enums: Pair::default(),
            replacements: Vec::new(),
            following: Vec::new(),
        }
    }

    /// Compares pairs until no comparison leads to a new one.
    fn drain(&mut self) {
        while let Some(work) = self.queue.pop_front() {
            let before = self.changes.len();
            match work {
                Work::Object(types) => {
                    self.diff_object(types);
                    let index = self.seen_objects[&(types.old, types.new)];
                    self.pairs.objects[index].changed |= self.is_felt && self.changes.len() > before;
                }
                Work::Enum(types) => {
                    self.diff_enum(types);
                    let index = self.seen_enums[&(types.old, types.new)];
                    // Values of another width are felt where they are stored, not in the enum.
                    let stored = Pair::new(
                        self.schemas.old.enumeration(types.old).underlying,
                        self.schemas.new.enumeration(types.new).underlying,
                    );
                    let is_told = self.is_felt && stored.old == stored.new;
                    self.pairs.enums[index].changed |= is_told && self.changes.len() > before;
                }
            }
        }
    }

    /// Asks for two tables or structs to be compared, once.
    fn pair_objects(&mut self, types: Pair<ObjectId>) -> Option<Replacement> {
        let names = self.object_names(types);
        let replacement = (names.old != names.new).then_some(Replacement::Object(types.old, types.new));
        let key = (types.old, types.new);
        if !self.seen_objects.contains_key(&key) {
            self.seen_objects.insert(key, self.pairs.objects.len());
            self.pairs.objects.push(TypePair { types, changed: false });
            self.queue.push_back(Work::Object(types));
            self.replacements.extend(replacement);
        }
        replacement
    }

    /// Asks for two enums or unions to be compared, once.
    fn pair_enums(&mut self, types: Pair<EnumId>) -> Option<Replacement> {
        let names = self.enum_names(types);
        let replacement = (names.old != names.new).then_some(Replacement::Enum(types.old, types.new));
        let key = (types.old, types.new);
        if !self.seen_enums.contains_key(&key) {
            self.seen_enums.insert(key, self.pairs.enums.len());
            self.pairs.enums.push(TypePair { types, changed: false });
            self.queue.push_back(Work::Enum(types));
            self.replacements.extend(replacement);
        }
        replacement
    }

    /// Lets the types pair that meet where the two types do, and returns them if they have different names.
    fn pair_types(&mut self, types: Pair<&Type>) -> Option<Replacement> {
        match (types.old, types.new) {
            (Type::Struct(old), Type::Struct(new)) | (Type::Table(old), Type::Table(new)) => {
                self.pair_objects(Pair::new(*old, *new))
            }
            (Type::Enum(old), Type::Enum(new)) | (Type::Union(old), Type::Union(new)) => {
                self.pair_enums(Pair::new(*old, *new))
            }
            (Type::Vector(old), Type::Vector(new))
            | (Type::Vector64(old), Type::Vector64(new))
            | (Type::Array(old, _), Type::Array(new, _)) => self.pair_types(Pair::new(old, new)),
            _ => None,
        }
    }

    fn object_names(&self, types: Pair<ObjectId>) -> Pair<&'s str> {
        let Pair { old, new } = self.schemas;
        Pair::new(&*old.object(types.old).full_name, &*new.object(types.new).full_name)
    }

    fn enum_names(&self, types: Pair<EnumId>) -> Pair<&'s str> {
        let Pair { old, new } = self.schemas;
        Pair::new(&*old.enumeration(types.old).full_name, &*new.enumeration(types.new).full_name)
    }

    /// Adds a change. Nobody feels what no data reaches.
    fn push(&mut self, draft: Draft) {
        let is_claimed = draft.facts.get(FactKey::ReadsOld).is_some();
        let draft = if is_claimed && !self.is_felt { draft.reads(SAFE) } else { draft };
        self.changes.push(draft.finish());
    }
}

/// A change in the making.
struct Draft {
    kind: ChangeKind,
    path: String,
    identity: Identity,
    at: Pair<Option<Site>>,
    facts: Facts,
    suggestion: Option<Suggestion>,
}

impl Draft {
    fn new(kind: ChangeKind, path: impl Into<String>, identity: Identity) -> Self {
        Self { kind, path: path.into(), identity, at: Pair::default(), facts: Facts::none(), suggestion: None }
    }

    fn at(mut self, at: Pair<Option<Site>>) -> Self {
        self.at = at;
        self
    }

    fn fact(mut self, key: FactKey, value: impl Into<String>) -> Self {
        self.facts = self.facts.with(key, value);
        self
    }

    /// What new readers see of old data, and old readers of new data.
    fn reads(self, reads: Pair<Outcome>) -> Self {
        self.fact(FactKey::ReadsOld, reads.old.name()).fact(FactKey::ReadsNew, reads.new.name())
    }

    fn suggest(mut self, suggestion: Option<Suggestion>) -> Self {
        self.suggestion = suggestion;
        self
    }

    fn finish(self) -> Change {
        let Draft { kind, path, identity, at, facts, suggestion } = self;
        Change { kind, path, identity, at, facts, suggestion, reports: Vec::new() }
    }
}

/// `yes` or `no`.
fn yes(condition: bool) -> &'static str {
    if condition { "yes" } else { "no" }
}

/// The last part of a dotted name.
fn simple_name(full_name: &str) -> &str {
    full_name.rsplit_once('.').map_or(full_name, |(_, last)| last)
}

const SAFE: Pair<Outcome> = Pair::new(Outcome::Safe, Outcome::Safe);
