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

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{ChangeKind, Identity, Pair};
use crate::formats::frame::comparison::{self, Compare, Found};
use crate::formats::frame::differ::{self, Draft, SAFE, yes};
use crate::formats::frame::roots::Roots;
use crate::formats::frame::{Diff, Diffs};
use crate::ordered::OrderedSet;

use super::language::Flatbuffers;
use super::model::{EnumId, FileId, ObjectId, Schema, Type};
use super::pairing::{self, Pairs};
use super::positions;

/// How often is asked what became of what data starts from.
const ROUNDS: usize = 8;

impl Diffs for Flatbuffers {
    type Pairs = Pairs;

    fn diff(schemas: Pair<&Schema<'_>>, roots: &Roots) -> Diff<Self::Pairs> {
        let mut differ = Differ::new(schemas, Own::default());
        differ.declare_namesakes();
        let files = pairing::files(schemas);
        let services = differ.pair_services();
        files.iter().for_each(|ids| differ.exchange_root(*ids));
        let found = reach::roots(schemas, roots, &files, (&services, &differ.declared));
        differ.compare_roots(found);
        // What data starts from is still that under another name, which what is in it shows. What is found of the one may leave
        // no choice for another.
        for _ in 0..ROUNDS {
            let known = differ.declared.pairs.len();
            differ.continue_by_structure();
            let mut found = reach::roots(schemas, roots, &files, (&services, &differ.declared));
            if roots.is_everything() {
                found.extend(reach::last_roots(schemas, &found, &differ.declared));
            }
            differ.compare_roots(found);
            differ.pair_by_references();
            if differ.declared.pairs.len() == known {
                break;
            }
        }
        differ.pair_tags();
        differ.is_felt = false;
        differ.pair_given_up();
        differ.pair_declared();
        differ.drain();
        differ.pair_by_structure();
        differ.drain();
        differ.pair_by_references();
        differ.diff_layouts();
        differ.diff_files(&files);
        differ.leftovers();
        differ.settle_replaced();
        differ.settle_renames();
        differ.say_what_conform_says();
        let unreached =
            if roots.is_everything() { reach::unreached(schemas, &differ.unfelt) } else { OrderedSet::new() };
        let of_roots = reach::files_of(schemas, roots, &files);
        let reach = |schema: &Schema<'_>, roots: &Roots| {
            let mut reached = reach::reach(schema, roots);
            reached.names.extend(of_roots.iter().cloned());
            reached
        };
        let Found { mut changes, types, enums, own } = differ.finish(roots, reach);
        let is_of_data = |kind| matches!(kind, ChangeKind::RootTypeChanged | ChangeKind::FileIdentifierChanged);
        // Of a file only that is asked for what data that start from the root begin with.
        changes.retain(|change| !of_roots.contains(&*change.path) || is_of_data(change.kind));
        Diff { changes, pairs: Pairs { objects: types, enums, replaced: own.replaced, unreached, calls: own.calls } }
    }

    fn unknown(schema: &Schema<'_>, roots: &Roots) -> OrderedSet<(Arc<str>, String)> {
        reach::reach(schema, roots).unknown
    }
}

/// Two types that meet in a field, a member, a root or a method.
type Met = differ::Met<ObjectId, EnumId>;

/// The state of one comparison.
type Differ<'s, 'b> = comparison::Differ<'s, Schema<'b>, Own>;

/// What is FlatBuffers' of it.
#[derive(Default)]
struct Own {
    /// The tables and structs that data of roots reaches.
    felt: FxHashSet<Pair<ObjectId>>,
    /// The structs whose numbers met, perhaps with what is a number itself.
    numbered: FxHashSet<Pair<Type>>,
    /// The types of fields that both sides have given up.
    given_up: Vec<Pair<Type>>,
    /// The files of which it is told that another type took the place of their root.
    exchanged: FxHashSet<Pair<FileId>>,
    /// The requests and responses of which another type took the place.
    calls: Vec<pairing::Call>,
    /// Enums of which the one took the place of the other.
    replaced: FxHashSet<Pair<EnumId>>,
    /// Of fields that another field moved, what identifies that one.
    moved_by: FxHashMap<Identity, Identity>,
}

impl<'b> Compare<Schema<'b>> for Differ<'_, 'b> {
    fn compare(&mut self, met: Met) {
        match met {
            Met::Type(types) => {
                if self.is_felt {
                    self.own.felt.insert(types);
                }
                self.diff_object(types);
            }
            Met::Enum(types) => self.diff_enum(types),
        }
    }

    /// Values of another width are felt where they are stored, not in the enum.
    fn is_felt_inside(&self, met: Met) -> bool {
        match met {
            Met::Type(_) => true,
            Met::Enum(types) => {
                let Pair { old, new } = self.enums(types);
                old.underlying == new.underlying
            }
        }
    }
}

impl Differ<'_, '_> {
    /// Compares what data starts from on both sides, and all that it leads to.
    fn compare_roots(&mut self, found: Vec<Pair<ObjectId>>) {
        for types in found {
            // What readers of the one see of the other is told of the root or the method where the one took the place.
            if !self.is_replaced(Met::Type(types)) {
                self.pair(Met::Type(types));
            }
        }
        self.drain();
        self.drain_replaced();
    }

    /// Compares the enums that no field of one version names with what they continue as. Their numbers are written all the
    /// same, into fields of plain numbers or beside buffers, where no schema shows it.
    fn pair_tags(&mut self) {
        let tags = self.schemas.map(reach::tags);
        for enums in self.declared_enums.pairs.clone() {
            let is_tag = tags.old.contains(&enums.old) || tags.new.contains(&enums.new);
            if is_tag && !self.enums(enums).old.is_union && !self.enums(enums).new.is_union {
                self.pair(Met::Enum(enums));
                self.drain();
            }
        }
    }

    /// Lets the types pair that meet in fields which nobody reads any more.
    fn pair_given_up(&mut self) {
        while let Some(types) = self.own.given_up.pop() {
            self.pair_types(types.as_ref());
            self.drain();
        }
    }

    /// Lets the types pair that meet where the two types do, and returns them if they have different names.
    fn pair_types(&mut self, types: Pair<&Type>) -> Option<Met> {
        if positions::are_inline(types) {
            self.pair_numbers(types);
        }
        match (types.old, types.new) {
            // What readers of the one see of the other is told where it took the place.
            (Type::Struct(old), Type::Struct(new)) | (Type::Table(old), Type::Table(new))
                if self.is_replaced(Met::Type(Pair::new(*old, *new))) =>
            {
                None
            }
            (Type::Struct(old), Type::Struct(new)) | (Type::Table(old), Type::Table(new)) => {
                self.pair(Met::Type(Pair::new(*old, *new)))
            }
            (Type::Enum(old), Type::Enum(new)) if self.is_replaced(Met::Enum(Pair::new(*old, *new))) => None,
            (Type::Enum(old), Type::Enum(new)) | (Type::Union(old), Type::Union(new)) => {
                self.pair(Met::Enum(Pair::new(*old, *new)))
            }
            (Type::Vector(old), Type::Vector(new))
            | (Type::Vector64(old), Type::Vector64(new))
            | (Type::Array(old, _), Type::Array(new, _)) => self.pair_types(Pair::new(old, new)),
            _ => None,
        }
    }
}
