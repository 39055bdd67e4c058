//! What is compared: the elements of a pair of tables or structs, and which pairs have identities of their own.

use rustc_hash::FxHashSet;

use crate::change::{Identity, Pair};
use crate::evidence::Direction;
use crate::formats::roundtrip::{self, EnumNames, Lazily, OwnIdentities, Sides};
use crate::ordered::InOrder;

use super::model::{EnumId, Field, ObjectId, Schema};
use super::pairing::Pairs;

/// The type pairs that have identities of their own, and the identities that changed.
#[derive(Debug)]
pub(super) struct Identities<'c> {
    /// The pairs.
    pub(super) own: OwnIdentities<ObjectId, EnumId>,
    /// What changed.
    pub(super) changed: FxHashSet<&'c Identity>,
    /// The enums of which the one took the place of the other.
    pub(super) replaced: &'c FxHashSet<Pair<EnumId>>,
    names: Pair<Lazily<EnumNames>>,
}

impl<'c> Identities<'c> {
    /// The pairs that are compared.
    pub(super) fn of(schemas: Pair<&Schema<'_>>, pairs: &'c Pairs, changed: FxHashSet<&'c Identity>) -> Self {
        Self {
            own: OwnIdentities::of(&pairs.objects, &pairs.enums),
            changed,
            replaced: &pairs.replaced,
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
        inside.sort_in_order();
        inside
    }
}

/// One element of a pair of tables or structs, seen from the writer to the reader.
pub(super) type Element<'s, 'b> = roundtrip::Element<'s, Field<'b>>;

/// All elements of a pair of tables or structs.
pub(super) type Elements<'s, 'b> = roundtrip::Elements<'s, Field<'b>>;
