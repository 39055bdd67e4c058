//! Pairs of types that were compared: which the roots reach, and of which data are written.

use crate::change::Pair;
use crate::formats::division::{Division, Written};
use crate::ordered::OrderedSet;

use super::declared::{InFiles, Named};
use super::differ::TypePair;
use super::types::Types;

/// Leaves only the pairs of which a type is reached, by its full name.
pub(super) fn limit<S, T: Named, Id: Copy>(
    schemas: Pair<&S>,
    pairs: &mut Vec<TypePair<Id>>,
    reached: &OrderedSet<&str>,
    of: fn(&S, Id) -> &T,
) {
    let is_reached = |schema, id| reached.contains(of(schema, id).named().0);
    pairs.retain(|pair| {
        let Pair { old, new } = schemas.zip(pair.types, is_reached);
        old || new
    });
}

/// The pairs that differ and that this part writes.
pub(crate) fn here<S: InFiles, T: Named, Id: Copy>(
    schemas: Pair<&S>,
    pairs: &[TypePair<Id>],
    division: &Division,
    of: impl Fn(&S, Id) -> &T,
) -> Vec<TypePair<Id>> {
    let path = |schema, id| file_and_name(schema, of(schema, id)).0;
    let is_here = |pair: &&TypePair<Id>| pair.changed && division.writes(schemas.zip(pair.types, path));
    pairs.iter().filter(is_here).copied().collect()
}

/// The pairs that differ, as whoever divides the work sees them.
pub(crate) fn written<'s, S: Types>(
    schemas: Pair<&'s S>,
    types: &[TypePair<S::TypeId>],
    enums: &[TypePair<S::EnumId>],
) -> Vec<Written<'s>> {
    let types = types.iter().filter(|pair| pair.changed);
    let types = types.map(|pair| schemas.zip(pair.types, |schema, id| file_and_name(schema, schema.type_of(id))));
    let enums = enums.iter().filter(|pair| pair.changed);
    let enums = enums.map(|pair| schemas.zip(pair.types, |schema, id| file_and_name(schema, schema.enum_of(id))));
    let one = |sides: Pair<(&'s str, &'s str)>| Written {
        files: Pair::new(sides.old.0, sides.new.0),
        names: Pair::new(sides.old.1, sides.new.1),
    };
    types.chain(enums).map(one).collect()
}

/// The path of the file that a type stands in, and what it is called.
fn file_and_name<'s>(schema: &'s impl InFiles, of: &'s impl Named) -> (&'s str, &'s str) {
    let (name, file, _) = of.named();
    (schema.source(file).0, name)
}
