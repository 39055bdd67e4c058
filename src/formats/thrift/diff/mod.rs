//! What differs between two linked sides: everything that matters on the wire, in calls or in generated code.
//!
//! Types pair by full name, then by simple name where they moved to another program, then by the fields, containers and
//! functions that lead to them; each pair is compared once. Facts only: whether a change is good or bad is said in
//! `rules/thrift/`.

mod audits;
mod enums;
mod fields;
mod files;
mod reach;
mod results;
mod services;
mod types;

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair, Site, Suggestion};
use crate::evidence::Outcome;
use crate::formats::frame;
use crate::formats::frame::roots::Roots;

use super::model::{EnumId, Schema, ServiceId, StructId, Type};
use super::pairing::{Pairs, TypePair};

/// What changed, and what was compared with what.
type Diff = frame::Diff<Pairs>;

/// Compares two sides.
pub(crate) fn diff(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Diff {
    let mut differ = Differ::new(schemas);
    differ.pair_declarations();
    differ.pair_services();
    differ.drain();
    differ.pair_by_structure();
    differ.drain();
    differ.pair_files();
    differ.leftovers();
    differ.settle_renames();
    differ.say_what_the_audit_says();
    let mut found = Diff { changes: differ.changes, pairs: differ.pairs };
    reach::limit_to_roots(schemas, roots, &mut found);
    found
}

/// Two types of different names that meet in a field, a container or a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Replacement {
    Struct(StructId, StructId),
    Enum(EnumId, EnumId),
}

/// The state of one comparison.
struct Differ<'s, 'b> {
    schemas: Pair<&'s Schema<'b>>,
    changes: Vec<Change>,
    pairs: Pairs,
    /// Index into `pairs` of every pair seen.
    seen_structs: FxHashMap<(StructId, StructId), usize>,
    seen_enums: FxHashMap<(EnumId, EnumId), usize>,
    queue: VecDeque<Work>,
    /// Types that found a counterpart as a declaration (by name or by structure).
    declared: Pair<FxHashSet<StructId>>,
    declared_enums: Pair<FxHashSet<EnumId>>,
    declared_services: Pair<FxHashSet<ServiceId>>,
    /// The new version of an old service.
    services: FxHashMap<ServiceId, ServiceId>,
    /// Pairs of different full names, in the order in which they were found.
    replacements: Vec<Replacement>,
    /// Changes that only say that a reference follows replacements: index into `changes`.
    following: Vec<(usize, Vec<Replacement>)>,
}

/// A pair of types still to be compared.
#[derive(Debug, Clone, Copy)]
enum Work {
    Struct(Pair<StructId>),
    Enum(Pair<EnumId>),
}

impl<'s, 'b> Differ<'s, 'b> {
    fn new(schemas: Pair<&'s Schema<'b>>) -> Self {
        Self {
            schemas,
            changes: Vec::new(),
            pairs: Pairs::default(),
            seen_structs: FxHashMap::default(),
            seen_enums: FxHashMap::default(),
            queue: VecDeque::new(),
            declared: Pair::default(),
            declared_enums: Pair::default(),
            declared_services: Pair::default(),
            services: FxHashMap::default(),
            replacements: Vec::new(),
            following: Vec::new(),
        }
    }

    /// Compares pairs until no comparison leads to a new one.
    fn drain(&mut self) {
        while let Some(work) = self.queue.pop_front() {
            let before = self.changes.len();
            match work {
                Work::Struct(types) => {
                    self.diff_struct(types);
                    let index = self.seen_structs[&(types.old, types.new)];
                    self.pairs.structs[index].changed |= self.changes.len() > before;
                }
                Work::Enum(types) => {
                    self.diff_enum(types);
                    let index = self.seen_enums[&(types.old, types.new)];
                    self.pairs.enums[index].changed |= self.changes.len() > before;
                }
            }
        }
    }

    /// Asks for two structs to be compared, once.
    fn pair_structs(&mut self, types: Pair<StructId>) {
        let key = (types.old, types.new);
        if self.seen_structs.contains_key(&key) {
            return;
        }
        self.seen_structs.insert(key, self.pairs.structs.len());
        self.pairs.structs.push(TypePair { types, changed: false });
        self.queue.push_back(Work::Struct(types));
        let names = self.struct_names(types);
        if names.old != names.new && !self.is_of_function(types) {
            self.replacements.push(Replacement::Struct(types.old, types.new));
        }
    }

    /// Asks for two enums to be compared, once.
    fn pair_enums(&mut self, types: Pair<EnumId>) {
        let key = (types.old, types.new);
        if self.seen_enums.contains_key(&key) {
            return;
        }
        self.seen_enums.insert(key, self.pairs.enums.len());
        self.pairs.enums.push(TypePair { types, changed: false });
        self.queue.push_back(Work::Enum(types));
        let names = self.enum_names(types);
        if names.old != names.new {
            self.replacements.push(Replacement::Enum(types.old, types.new));
        }
    }

    /// Lets the types pair that meet where the two types do, and returns those that have different names.
    fn pair_types(&mut self, types: Pair<&Type>) -> Vec<Replacement> {
        match (types.old, types.new) {
            (Type::Struct(old), Type::Struct(new)) => {
                let types = Pair::new(*old, *new);
                self.pair_structs(types);
                let names = self.struct_names(types);
                if names.old == names.new { Vec::new() } else { vec![Replacement::Struct(*old, *new)] }
            }
            (Type::Enum(old), Type::Enum(new)) => {
                let types = Pair::new(*old, *new);
                self.pair_enums(types);
                let names = self.enum_names(types);
                if names.old == names.new { Vec::new() } else { vec![Replacement::Enum(*old, *new)] }
            }
            (Type::List(old), Type::List(new)) | (Type::Set(old), Type::Set(new)) => {
                self.pair_types(Pair::new(old, new))
            }
            (Type::Map(old), Type::Map(new)) => {
                let mut found = self.pair_types(Pair::new(&old.0, &new.0));
                found.extend(self.pair_types(Pair::new(&old.1, &new.1)));
                found
            }
            _ => Vec::new(),
        }
    }

    fn struct_names(&self, types: Pair<StructId>) -> Pair<&'s str> {
        let Pair { old, new } = self.schemas;
        Pair::new(&*old.structure(types.old).full_name, &*new.structure(types.new).full_name)
    }

    fn enum_names(&self, types: Pair<EnumId>) -> Pair<&'s str> {
        let Pair { old, new } = self.schemas;
        Pair::new(&*old.enumeration(types.old).full_name, &*new.enumeration(types.new).full_name)
    }

    fn push(&mut self, change: Draft) {
        self.changes.push(change.finish());
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
