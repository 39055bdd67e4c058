//! The state of one comparison: what met, what continues under which name, and what was found so far.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Pair;
use crate::formats::frame::{comparison, differ};

use super::super::model::{EnumId, Schema, ServiceId, StructId, Type};

/// Two types that meet in a field, a container or a function.
pub(super) type Met = differ::Met<StructId, EnumId>;

/// The types of different names that met where two types do.
pub(super) type Meetings = comparison::Meetings<Met>;

/// The state of one comparison.
pub(super) type Differ<'s, 'b> = comparison::Differ<'s, Schema<'b>, Own>;

/// What is Thrift's of it.
pub(super) struct Own {
    pub(super) declared_services: Pair<FxHashSet<ServiceId>>,
    /// The new version of an old service.
    pub(super) services: FxHashMap<ServiceId, ServiceId>,
    /// The structs of each side that stand in keys of maps or in items of sets.
    pub(super) in_keys: Pair<FxHashSet<StructId>>,
}

impl Own {
    pub(super) fn new(in_keys: Pair<FxHashSet<StructId>>) -> Self {
        Own { declared_services: Pair::default(), services: FxHashMap::default(), in_keys }
    }
}

impl Differ<'_, '_> {
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
            (Type::Struct(old), Type::Struct(new)) => self.meet(Met::Type(Pair::new(*old, *new)), meetings),
            (Type::Enum(old), Type::Enum(new)) => self.meet(Met::Enum(Pair::new(*old, *new)), meetings),
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

    /// Whether both versions of a struct stand in keys of maps or in items of sets.
    pub(super) fn are_in_keys(&self, types: Pair<StructId>) -> bool {
        self.own.in_keys.old.contains(&types.old) && self.own.in_keys.new.contains(&types.new)
    }
}
