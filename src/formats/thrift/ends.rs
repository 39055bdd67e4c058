//! Where data come to an end: a struct that holds itself, however long the way, ends with a reference that is not set.

use rustc_hash::FxHashSet;

use super::model::{Field, Requiredness, Schema, Sort, StructId, Type};

/// Whether data have an end without the field: it leads back to its own struct, or nothing that it could hold has an end.
pub(super) fn is_end(schema: &Schema<'_>, of: StructId, field: &Field<'_>) -> bool {
    leads_back(schema, of, field) || matches!(field.ty, Type::Struct(id) if !has_value(schema, id))
}

/// Whether a struct has a value that ends: all that it requires has one, and of a union some member.
fn has_value(schema: &Schema<'_>, of: StructId) -> bool {
    let (mut reached, mut open, mut seen) = (Vec::new(), vec![of], FxHashSet::default());
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            reached.push(id);
            open.extend(needed(schema, id));
        }
    }
    // What was reached last mostly has to be known first.
    let mut ended = FxHashSet::default();
    loop {
        let before = ended.len();
        for id in reached.iter().rev() {
            let structure = schema.structure(*id);
            let mut needed = needed(schema, *id);
            let has = match structure.sort {
                Sort::Union => structure.fields.iter().any(|field| match field.ty {
                    Type::Struct(inner) => ended.contains(&inner),
                    _ => true,
                }),
                _ => needed.all(|inner| ended.contains(&inner)),
            };
            if has {
                ended.insert(*id);
            }
        }
        if ended.contains(&of) || ended.len() == before {
            return ended.contains(&of);
        }
    }
}

/// The structs that a struct requires, or that are members of a union.
fn needed(schema: &Schema<'_>, id: StructId) -> impl Iterator<Item = StructId> {
    let structure = schema.structure(id);
    let is_needed = |field: &&Field<'_>| structure.sort == Sort::Union || field.requiredness == Requiredness::Required;
    structure.fields.iter().filter(is_needed).filter_map(|field| match field.ty {
        Type::Struct(inner) => Some(inner),
        _ => None,
    })
}

/// Whether what a field holds leads back to the struct it is of, through fields that nobody says to be optional. Lists, sets
/// and maps may be empty, and of a union another member may be set. So data of such a struct end with one in which a field
/// on that way is not there: C++ writes a struct without any field for it, others leave it out.
fn leads_back(schema: &Schema<'_>, of: StructId, field: &Field<'_>) -> bool {
    let (mut seen, mut open) = (Vec::new(), vec![field]);
    while let Some(Field { ty: Type::Struct(id), .. }) = open.pop() {
        if *id == of {
            return true;
        }
        let structure = schema.structure(*id);
        if structure.sort == Sort::Union || seen.contains(id) {
            continue;
        }
        seen.push(*id);
        let held = structure.fields.iter();
        let held = held.filter(|field| field.requiredness != Requiredness::Optional);
        open.extend(held.filter(|field| matches!(field.ty, Type::Struct(_))));
    }
    false
}
