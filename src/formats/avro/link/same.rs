//! Whether two definitions of one side mean the same.

use rustc_hash::FxHashSet;

use super::super::model::{Field, Kind, Name, Schema, TypeId};

/// Whether two types write and read the same data in the same way: what documents them does not count. Types that refer
/// to themselves mean the same where no difference can be found.
pub(super) fn is_same(schema: &Schema<'_>, one: TypeId, other: TypeId) -> bool {
    let mut compared = FxHashSet::default();
    let mut left = vec![(one, other)];
    while let Some(pair) = left.pop() {
        if pair.0 != pair.1 && compared.insert(pair) && !is_alike(schema, pair, &mut left) {
            return false;
        }
    }
    true
}

/// Whether two types are the same but for the types in them, which are added to those that are left to compare.
fn is_alike(schema: &Schema<'_>, (one, other): (TypeId, TypeId), left: &mut Vec<(TypeId, TypeId)>) -> bool {
    let names = |names: &[Name]| names.iter().map(|name| name.full.clone()).collect::<Vec<_>>();
    let (one, other) = (schema.ty(one), schema.ty(other));
    let same_names = one.kind.name().map(|name| &name.full) == other.kind.name().map(|name| &name.full);
    if !same_names || one.logical != other.logical || names(one.kind.aliases()) != names(other.kind.aliases()) {
        return false;
    }
    match (&one.kind, &other.kind) {
        (Kind::Primitive(one), Kind::Primitive(other)) => one == other,
        (Kind::Fixed(one), Kind::Fixed(other)) => one.size == other.size,
        (Kind::Enum(one), Kind::Enum(other)) => {
            let symbols = one.symbols.iter().map(|(symbol, _)| symbol);
            symbols.eq(other.symbols.iter().map(|(symbol, _)| symbol))
                && one.default.map(|(index, _)| index) == other.default.map(|(index, _)| index)
        }
        (Kind::Array(one), Kind::Array(other)) | (Kind::Map(one), Kind::Map(other)) => {
            left.push((one.ty, other.ty));
            true
        }
        (Kind::Union(one), Kind::Union(other)) => {
            left.extend(one.iter().zip(other).map(|(one, other)| (one.ty, other.ty)));
            one.len() == other.len()
        }
        (Kind::Record(one), Kind::Record(other)) => {
            let fields = || one.fields.iter().zip(&other.fields);
            left.extend(fields().map(|(one, other)| (one.schema.ty, other.schema.ty)));
            one.is_error == other.is_error
                && one.fields.len() == other.fields.len()
                && fields().all(|(one, other)| is_alike_field(one, other))
        }
        (Kind::Opaque(_), Kind::Opaque(_)) => true,
        _ => false,
    }
}

fn is_alike_field(one: &Field<'_>, other: &Field<'_>) -> bool {
    let aliases = |field: &Field<'_>| field.aliases.iter().map(|(alias, _)| alias.to_string()).collect::<Vec<_>>();
    one.name == other.name
        && aliases(one) == aliases(other)
        && match (&one.default, &other.default) {
            (None, None) => true,
            (Some(one), Some(other)) => one.json.same_meaning(other.json),
            _ => false,
        }
}
