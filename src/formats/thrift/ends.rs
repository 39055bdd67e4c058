//! Where data come to an end: a struct that holds itself, however long the way, ends with a reference that is not set.

use super::model::{Field, Requiredness, Schema, Sort, StructId, Type};

/// Whether what a field holds leads back to the struct it is of, through fields that nobody says to be optional. Lists, sets
/// and maps may be empty, and of a union another member may be set. So data of such a struct end with one in which a field
/// on that way is not there: C++ writes a struct without any field for it, others leave it out.
pub(super) fn leads_back(schema: &Schema<'_>, of: StructId, field: &Field<'_>) -> bool {
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
