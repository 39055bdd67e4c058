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

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Change, Pair};
use crate::formats::frame;
use crate::formats::frame::differ::{self, Continued, Draft, Queue, SAFE, yes};
use crate::formats::frame::roots::Roots;

use super::model::{EnumId, Schema, ServiceId, StructId, Type};
use super::pairing::Pairs;

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
    let (structs, enums) = differ.queue.into_pairs();
    let mut found = Diff { changes: differ.changes, pairs: Pairs { structs, enums } };
    reach::limit_to_roots(schemas, roots, &mut found);
    found
}

/// Two types that meet in a field, a container or a function.
type Met = differ::Met<StructId, EnumId>;

/// The state of one comparison.
struct Differ<'s, 'b> {
    schemas: Pair<&'s Schema<'b>>,
    changes: Vec<Change>,
    queue: Queue<StructId, EnumId>,
    /// Types that found a counterpart as a declaration (by name or by structure).
    declared: Continued<StructId>,
    declared_enums: Continued<EnumId>,
    declared_services: Pair<FxHashSet<ServiceId>>,
    /// The new version of an old service.
    services: FxHashMap<ServiceId, ServiceId>,
    /// Changes that only say that a reference follows replacements: index into `changes`.
    following: Vec<(usize, Vec<Met>)>,
}

impl<'s, 'b> Differ<'s, 'b> {
    fn new(schemas: Pair<&'s Schema<'b>>) -> Self {
        Self {
            schemas,
            changes: Vec::new(),
            queue: Queue::new(),
            declared: Continued::new(),
            declared_enums: Continued::new(),
            declared_services: Pair::default(),
            services: FxHashMap::default(),
            following: Vec::new(),
        }
    }

    /// Compares pairs until no comparison leads to a new one.
    fn drain(&mut self) {
        while let Some(met) = self.queue.next() {
            let before = self.changes.len();
            match met {
                Met::Type(types) => self.diff_struct(types),
                Met::Enum(types) => self.diff_enum(types),
            }
            if self.changes.len() > before {
                self.queue.mark_changed(met);
            }
        }
    }

    /// Asks for two structs to be compared, once. Gives them back if they have different names.
    fn pair_structs(&mut self, types: Pair<StructId>) -> Option<Met> {
        match self.is_of_function(types) {
            true => {
                self.queue.meet_nameless(Met::Type(types));
                None
            }
            false => self.queue.meet(Met::Type(types), self.struct_names(types)),
        }
    }

    /// Asks for two enums to be compared, once. Gives them back if they have different names.
    fn pair_enums(&mut self, types: Pair<EnumId>) -> Option<Met> {
        self.queue.meet(Met::Enum(types), self.enum_names(types))
    }

    /// Lets the types pair that meet where the two types do, and returns those that have different names.
    fn pair_types(&mut self, types: Pair<&Type>) -> Vec<Met> {
        match (types.old, types.new) {
            (Type::Struct(old), Type::Struct(new)) => self.pair_structs(Pair::new(*old, *new)).into_iter().collect(),
            (Type::Enum(old), Type::Enum(new)) => self.pair_enums(Pair::new(*old, *new)).into_iter().collect(),
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
