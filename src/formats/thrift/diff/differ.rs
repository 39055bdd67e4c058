//! The state of one comparison: what met, what continues under which name, and what was found so far.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Change, Pair};
use crate::formats::frame;
use crate::formats::frame::differ::{self, Continued, Draft, Queue};
use crate::formats::frame::replaced::Replaced;

use super::super::model::{EnumId, Schema, ServiceId, Struct, StructId, Type};
use super::super::pairing::Pairs;

/// What changed, and what was compared with what.
pub(super) type Diff = frame::Diff<Pairs>;

/// Two types that meet in a field, a container or a function.
pub(super) type Met = differ::Met<StructId, EnumId>;

/// The types of different names that met where two types do.
#[derive(Default)]
pub(super) struct Meetings {
    /// Those under which both may be the same.
    pub(super) renamed: Vec<Met>,
    /// Those of which one took the place of the other.
    pub(super) replaced: Vec<Met>,
}

/// The state of one comparison.
pub(super) struct Differ<'s, 'b> {
    pub(super) schemas: Pair<&'s Schema<'b>>,
    pub(super) changes: Vec<Change>,
    pub(super) queue: Queue<StructId, EnumId>,
    /// Types that found a counterpart as a declaration (by name or by structure).
    pub(super) declared: Continued<StructId>,
    pub(super) declared_enums: Continued<EnumId>,
    pub(super) declared_services: Pair<FxHashSet<ServiceId>>,
    /// The new version of an old service.
    pub(super) services: FxHashMap<ServiceId, ServiceId>,
    /// The structs of each side that stand in keys of maps or in items of sets.
    pub(super) in_keys: Pair<FxHashSet<StructId>>,
    /// Changes that only say that a reference follows replacements: index into `changes`.
    pub(super) following: Vec<(usize, Vec<Met>)>,
    /// Where a type took the place of another.
    pub(super) replaced: Replaced<Met>,
}

impl<'s, 'b> Differ<'s, 'b> {
    pub(super) fn new(schemas: Pair<&'s Schema<'b>>) -> Self {
        Self {
            schemas,
            changes: Vec::new(),
            queue: Queue::new(),
            declared: Continued::new(),
            declared_enums: Continued::new(),
            declared_services: Pair::default(),
            services: FxHashMap::default(),
            in_keys: Pair::default(),
            following: Vec::new(),
            replaced: Replaced::new(),
        }
    }

    /// Asks for two structs to be compared, once. Gives them back if they have different names.
    pub(super) fn pair_structs(&mut self, types: Pair<StructId>) -> Option<Met> {
        match self.is_of_function(types) {
            true => {
                self.queue.meet_nameless(Met::Type(types));
                None
            }
            false => self.queue.meet(Met::Type(types), self.struct_names(types)),
        }
    }

    /// Asks for two enums to be compared, once. Gives them back if they have different names.
    pub(super) fn pair_enums(&mut self, types: Pair<EnumId>) -> Option<Met> {
        self.queue.meet(Met::Enum(types), self.enum_names(types))
    }

    /// Lets the types pair that meet where the two types do, and returns those that have different names. What took the
    /// place of another type is not paired: that is told of the place.
    pub(super) fn pair_types(&mut self, types: Pair<&Type>) -> Meetings {
        let mut meetings = Meetings::default();
        self.meet_types(types, false, &mut meetings);
        meetings
    }

    /// A field of another wire type is skipped, but items of containers are read whatever they are: there a set is read as a
    /// list and a list as a set.
    fn meet_types(&mut self, types: Pair<&Type>, are_items: bool, meetings: &mut Meetings) {
        match (types.old, types.new) {
            (Type::Struct(old), Type::Struct(new)) => {
                let types = Pair::new(*old, *new);
                match self.is_replaced_struct(types) && !self.declared.has(types) {
                    true => meetings.replaced.push(Met::Type(types)),
                    false => meetings.renamed.extend(self.pair_structs(types)),
                }
            }
            (Type::Enum(old), Type::Enum(new)) => {
                let types = Pair::new(*old, *new);
                match self.is_replaced_enum(types) && !self.declared_enums.has(types) {
                    true => meetings.replaced.push(Met::Enum(types)),
                    false => meetings.renamed.extend(self.pair_enums(types)),
                }
            }
            (Type::List(old), Type::List(new)) | (Type::Set(old), Type::Set(new)) => {
                self.meet_types(Pair::new(old, new), true, meetings);
            }
            (Type::List(old), Type::Set(new)) | (Type::Set(old), Type::List(new)) if are_items => {
                self.meet_types(Pair::new(old, new), true, meetings);
            }
            (Type::Map(old), Type::Map(new)) => {
                self.meet_types(Pair::new(&old.0, &new.0), true, meetings);
                self.meet_types(Pair::new(&old.1, &new.1), true, meetings);
            }
            _ => {}
        }
    }

    pub(super) fn struct_names(&self, types: Pair<StructId>) -> Pair<&'s str> {
        let Pair { old, new } = self.schemas;
        Pair::new(&*old.structure(types.old).full_name, &*new.structure(types.new).full_name)
    }

    pub(super) fn enum_names(&self, types: Pair<EnumId>) -> Pair<&'s str> {
        let Pair { old, new } = self.schemas;
        Pair::new(&*old.enumeration(types.old).full_name, &*new.enumeration(types.new).full_name)
    }

    pub(super) fn push(&mut self, change: Draft) {
        self.changes.push(change.finish());
    }

    pub(super) fn structs(&self, types: Pair<StructId>) -> Pair<&'s Struct<'b>> {
        Pair::new(self.schemas.old.structure(types.old), self.schemas.new.structure(types.new))
    }

    /// Whether both versions of a struct stand in keys of maps or in items of sets.
    pub(super) fn are_in_keys(&self, types: Pair<StructId>) -> bool {
        self.in_keys.old.contains(&types.old) && self.in_keys.new.contains(&types.new)
    }

    /// Arguments and results are no declarations of their own.
    pub(super) fn is_of_function(&self, types: Pair<StructId>) -> bool {
        let Pair { old, new } = self.structs(types);
        old.sort.is_of_function() || new.sort.is_of_function()
    }
}
