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

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::change::{Change, Pair};
use crate::formats::frame::differ::{self, Continued, Draft, Queue, SAFE, yes};
use crate::formats::frame::replaced::Replaced;
use crate::formats::frame::roots::{Roots, simple_name};

use super::language::Diff;
use super::model::{EnumId, ObjectId, Schema, Type};
use super::pairing::Pairs;

/// Compares two sides.
pub(crate) fn diff(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Diff {
    let mut differ = Differ::new(schemas);
    differ.declare();
    let files = differ.file_pairs();
    let services = differ.pair_services();
    for types in reach::roots(schemas, roots, &files, &services) {
        differ.pair_objects(types);
    }
    differ.drain();
    differ.drain_replaced();
    differ.is_felt = false;
    differ.pair_the_rest();
    differ.drain();
    differ.pair_by_structure();
    differ.drain();
    differ.diff_layouts();
    differ.diff_files(&files);
    differ.leftovers();
    std::mem::replace(&mut differ.replaced, Replaced::new()).settle(&mut differ.changes);
    differ.settle_renames();
    differ.say_what_conform_says();
    let (objects, enums) = differ.queue.into_pairs();
    let unreached = if roots.is_everything() { reach::unreached(schemas, &differ.unfelt) } else { BTreeSet::new() };
    let mut found = Diff { changes: differ.changes, pairs: Pairs { objects, enums, unreached } };
    reach::limit_to_roots(schemas, roots, &mut found);
    found
}

/// Two types that meet in a field, a member, a root or a method.
type Met = differ::Met<ObjectId, EnumId>;

/// The state of one comparison.
struct Differ<'s, 'b> {
    schemas: Pair<&'s Schema<'b>>,
    changes: Vec<Change>,
    queue: Queue<ObjectId, EnumId>,
    /// What data starts from.
    /// Whether data of roots reaches what is being compared.
    is_felt: bool,
    /// The tables and structs that data of roots reaches.
    felt: FxHashSet<Pair<ObjectId>>,
    /// What changed inside and is not felt there.
    unfelt: Vec<Met>,
    /// The structs whose numbers met.
    numbered: FxHashSet<Pair<ObjectId>>,
    /// Types that found a counterpart as a declaration, by name or by structure.
    declared: Continued<ObjectId>,
    declared_enums: Continued<EnumId>,
    /// Changes that only say that a reference follows a replacement: index into `changes`.
    following: Vec<(usize, Vec<Met>)>,
    /// Where a type took the place of another.
    replaced: Replaced<Met>,
}

impl<'s, 'b> Differ<'s, 'b> {
    fn new(schemas: Pair<&'s Schema<'b>>) -> Self {
        Self {
            schemas,
            changes: Vec::new(),
            queue: Queue::new(),
            is_felt: true,
            felt: FxHashSet::default(),
            unfelt: Vec::new(),
            numbered: FxHashSet::default(),
            declared: Continued::new(),
            declared_enums: Continued::new(),
            following: Vec::new(),
            replaced: Replaced::new(),
        }
    }

    /// Compares pairs until no comparison leads to a new one.
    fn drain(&mut self) {
        while let Some(met) = self.queue.next() {
            let before = self.changes.len();
            let is_told = self.diff_met(met);
            match (is_told && self.changes.len() > before, self.is_felt) {
                (true, true) => self.queue.mark_changed(met),
                (true, false) => self.unfelt.push(met),
                (false, _) => {}
            }
        }
    }

    /// Compares a pair; whether what differs is felt in it.
    fn diff_met(&mut self, met: Met) -> bool {
        match met {
            Met::Type(types) => {
                if self.is_felt {
                    self.felt.insert(types);
                }
                self.diff_object(types);
                true
            }
            Met::Enum(types) => {
                self.diff_enum(types);
                // Values of another width are felt where they are stored, not in the enum.
                let Pair { old, new } = self.schemas;
                old.enumeration(types.old).underlying == new.enumeration(types.new).underlying
            }
        }
    }

    /// Compares what took the place of something else, for the places where it did.
    fn drain_replaced(&mut self) {
        while let Some(met) = self.replaced.enter(&mut self.changes) {
            let following = self.following.len();
            self.diff_met(met);
            // That a reference inside follows a rename is a reason, if anything.
            self.following.truncate(following);
            self.replaced.leave(&mut self.changes);
            self.drain();
        }
    }

    /// Asks for two tables or structs to be compared, once. Gives them back if they have different names.
    fn pair_objects(&mut self, types: Pair<ObjectId>) -> Option<Met> {
        self.queue.meet(Met::Type(types), self.object_names(types))
    }

    /// Asks for two enums or unions to be compared, once. Gives them back if they have different names.
    fn pair_enums(&mut self, types: Pair<EnumId>) -> Option<Met> {
        self.queue.meet(Met::Enum(types), self.enum_names(types))
    }

    /// Lets the types pair that meet where the two types do, and returns them if they have different names.
    fn pair_types(&mut self, types: Pair<&Type>) -> Option<Met> {
        if let (Type::Struct(old), Type::Struct(new)) = (types.old, types.new) {
            self.pair_numbers(Pair::new(*old, *new));
        }
        match (types.old, types.new) {
            // What readers of the one see of the other is told where it took the place.
            (Type::Struct(old), Type::Struct(new)) | (Type::Table(old), Type::Table(new))
                if self.is_replaced_object(Pair::new(*old, *new)) =>
            {
                None
            }
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
        let draft = if draft.is_claimed() && !self.is_felt { draft.reads(SAFE) } else { draft };
        self.changes.push(draft.finish());
    }
}
