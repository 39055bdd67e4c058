//! What readers may see of what a generic type is given, both ways: of each use what is really in its fields, looked at without
//! data.

use rustc_hash::FxHashSet;

use crate::change::Pair;
use crate::evidence::Outcome;
use crate::formats::frame::differ::SAFE;

use super::model::{Field, InterfaceId, Schema, Struct, StructId, Type};
use super::pairing;
use super::relation::{Relation, of_fields, reads};

/// What was looked at already.
pub(super) struct Felt<'s, 'b> {
    schemas: Pair<&'s Schema<'b>>,
    structs: FxHashSet<Pair<StructId>>,
    branded: FxHashSet<Pair<InterfaceId>>,
}

/// The worst that new readers may see of old data and old readers of new data, where two types as data have them meet.
pub(super) fn felt(schemas: Pair<&Schema<'_>>, types: Pair<&Type>) -> Pair<Outcome> {
    Felt::new(schemas).types(types)
}

/// The same of what two structs are given.
pub(super) fn felt_inside(schemas: Pair<&Schema<'_>>, ids: Pair<StructId>) -> Pair<Outcome> {
    Felt::new(schemas).structs(ids)
}

/// The same of what travels in calls of two interfaces.
pub(super) fn felt_in_calls(schemas: Pair<&Schema<'_>>, branded: Pair<InterfaceId>) -> Pair<Outcome> {
    Felt::new(schemas).branded(branded)
}

/// Whether what two fields hold differs only as far as they are given something else: who gives it is told of it.
pub(super) fn follows_what_is_given(
    schemas: Pair<&Schema<'_>>,
    structs: Pair<&Struct<'_>>,
    fields: Pair<&Field<'_>>,
) -> bool {
    (fields.old.ty.depends() || fields.new.ty.depends()) && of_fields(schemas, structs, fields) == Relation::Same
}

/// The worse of both, each way.
pub(super) fn worse(one: Pair<Outcome>, other: Pair<Outcome>) -> Pair<Outcome> {
    one.zip(other, Ord::max)
}

impl<'s, 'b> Felt<'s, 'b> {
    fn new(schemas: Pair<&'s Schema<'b>>) -> Self {
        Felt { schemas, structs: FxHashSet::default(), branded: FxHashSet::default() }
    }

    fn types(&mut self, types: Pair<&Type>) -> Pair<Outcome> {
        match (types.old, types.new) {
            (Type::Struct(old, _), Type::Struct(new, _)) => self.structs(Pair::new(*old, *new)),
            (Type::Interface(old, _), Type::Interface(new, _)) => {
                let branded = Pair::new(*old, *new);
                let of = self.schemas.zip(branded, |schema, id| schema.interface(id));
                // Calls carry the id.
                match of.old.id == of.new.id {
                    true => self.branded(branded),
                    false => reads(self.schemas, types),
                }
            }
            (Type::List(old), Type::List(new)) => {
                let items = Pair::new(&**old, &**new);
                match is_named(items) {
                    true => self.types(items),
                    false => reads(self.schemas, types),
                }
            }
            _ => reads(self.schemas, types),
        }
    }

    /// Fields that are declared as something else are told of themselves.
    fn structs(&mut self, ids: Pair<StructId>) -> Pair<Outcome> {
        let Pair { old, new } = self.schemas.zip(ids, |schema, id| schema.instance_index(id));
        let mut worst = SAFE;
        if (old.is_none() && new.is_none()) || !self.structs.insert(ids) {
            return worst;
        }
        let structs = self.schemas.zip(ids, |schema, id| schema.structure(id));
        for pair in pairing::fields(structs) {
            let (Some(old), Some(new)) = (pair.at.old, pair.at.new) else { continue };
            let fields = Pair::new(&structs.old.fields[old], &structs.new.fields[new]);
            if follows_what_is_given(self.schemas, structs, fields) {
                worst = worse(worst, self.types(fields.map(|field| &field.held)));
            }
        }
        worst
    }

    fn branded(&mut self, branded: Pair<InterfaceId>) -> Pair<Outcome> {
        let mut worst = SAFE;
        if !self.branded.insert(branded) {
            return worst;
        }
        let Pair { old, new } = self.schemas.zip(branded, |schema, id| schema.branded_interface(id));
        let of = Pair::new(self.schemas.old.interface(branded.old), self.schemas.new.interface(branded.new));
        for (before, old) in of.old.methods.iter().zip(&old.methods) {
            let after = of.new.methods.iter().zip(&new.methods).find(|(method, _)| method.ordinal == before.ordinal);
            let Some((_, new)) = after else { continue };
            for (old, new) in old.iter().zip(new) {
                if let (Some(old), Some(new)) = (old, new) {
                    worst = worse(worst, self.structs(Pair::new(*old, *new)));
                }
            }
        }
        for old in old.above.iter().flatten() {
            let is_same =
                |new: &&InterfaceId| self.schemas.old.interface(*old).id == self.schemas.new.interface(**new).id;
            if let Some(new) = new.above.iter().flatten().find(is_same) {
                worst = worse(worst, self.branded(Pair::new(*old, *new)));
            }
        }
        worst
    }
}

/// Whether both are structs or both interfaces, in as many lists.
fn is_named(items: Pair<&Type>) -> bool {
    match (items.old, items.new) {
        (Type::Struct(..), Type::Struct(..)) | (Type::Interface(..), Type::Interface(..)) => true,
        (Type::List(old), Type::List(new)) => is_named(Pair::new(old, new)),
        _ => false,
    }
}
