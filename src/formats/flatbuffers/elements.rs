//! What is compared: the elements of a pair of tables or structs, and which pairs have identities of their own.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Identity, Pair};
use crate::evidence::Direction;
use crate::formats::roundtrip::{EnumNames, Lazily, Sides};

use super::model::{EnumId, Field, ObjectId, Schema};
use super::pairing::Pairs;

/// The type pairs that have identities of their own, and the identities that changed.
#[derive(Debug)]
pub(super) struct Known<'c> {
    pub(super) objects: FxHashSet<(ObjectId, ObjectId)>,
    pub(super) enums: FxHashSet<(EnumId, EnumId)>,
    /// What changed.
    pub(super) changed: FxHashSet<&'c Identity>,
    names: Pair<Lazily<EnumNames>>,
}

impl<'c> Known<'c> {
    /// The pairs that are compared.
    pub(super) fn of(schemas: Pair<&Schema<'_>>, pairs: &Pairs, changed: FxHashSet<&'c Identity>) -> Self {
        Self {
            objects: pairs.objects.iter().map(|pair| (pair.types.old, pair.types.new)).collect(),
            enums: pairs.enums.iter().map(|pair| (pair.types.old, pair.types.new)).collect(),
            changed,
            names: schemas.map(|schema| Lazily::new(schema.enums.len())),
        }
    }

    /// The names of the writer's and the reader's enums.
    pub(super) fn names(&self, direction: Direction) -> Sides<&Lazily<EnumNames>> {
        Sides::of(direction, self.names.as_ref())
    }

    /// Everything that changed inside a container.
    pub(super) fn inside(&self, container: &str) -> Vec<Identity> {
        let of = |identity: &&&Identity| {
            let rest = identity.0.strip_prefix(container);
            rest.is_some_and(|rest| rest.starts_with(['#', '@', '=']))
        };
        let mut inside: Vec<Identity> = self.changed.iter().filter(of).map(|identity| (**identity).clone()).collect();
        inside.sort();
        inside
    }
}

/// One element of a pair of tables or structs, seen from the writer to the reader.
pub(super) struct Element<'s, 'b> {
    /// The writer's field.
    pub(super) writer: Option<&'s Field<'b>>,
    /// The reader's field.
    pub(super) reader: Option<&'s Field<'b>>,
    /// What identifies it.
    pub(super) identity: Identity,
    /// Whether its name identifies it.
    pub(super) is_moved: bool,
}

/// All elements of a pair.
#[derive(Default)]
pub(super) struct Elements<'s, 'b> {
    /// The elements.
    pub(super) list: Vec<Element<'s, 'b>>,
    pub(super) by_writer: FxHashMap<i32, usize>,
    pub(super) by_reader: FxHashMap<i32, usize>,
    /// The elements of which something is experienced though nothing of them was written.
    pub(super) always: Vec<usize>,
}

impl Elements<'_, '_> {
    /// The element of one of the writer's fields.
    pub(super) fn of_writer(&self, slot: i32) -> Option<usize> {
        self.by_writer.get(&slot).copied()
    }

    /// The element of one of the reader's fields.
    pub(super) fn of_reader(&self, slot: i32) -> Option<usize> {
        self.by_reader.get(&slot).copied()
    }

    /// The element of the writer whose data arrive where the reader has this one.
    pub(super) fn source_of(&self, index: usize) -> Option<usize> {
        let reader = self.list[index].reader?;
        self.of_writer(reader.slot.into())
    }
}
