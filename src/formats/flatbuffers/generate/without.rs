//! Tables that lack what their readers require.

use super::super::codec::Types;
use super::super::elements::Element;
use super::super::model::Type;
use crate::formats::roundtrip::{Outlet, Sides};
use crate::value::Record;

/// Writes the table without what the reader requires and the writer may leave out, one at a time.
pub(super) fn lacking(
    types: Sides<Types<'_, '_>>,
    elements: &[Element<'_, '_>],
    (base, full): (&Record, &Record),
    outlet: &mut Outlet<'_>,
) {
    // A reader who takes what lies at the end for something longer rejects that first.
    let is_longer = elements.iter().any(|element| match (element.writer, element.reader) {
        (Some(writer), Some(reader)) if base.fields.contains_key(&i32::from(writer.slot)) => {
            matches!(writer.ty, Type::Struct(_)) && types.reader.inline(&reader.ty) > types.writer.inline(&writer.ty)
        }
        _ => false,
    });
    for Element { writer, reader, identity, .. } in elements {
        let Some(field) = writer.filter(|field| !field.is_required) else { continue };
        if !reader.is_some_and(|reader| reader.is_required) {
            continue;
        }
        if is_longer {
            outlet.limit([identity.clone()]);
        }
        for record in [Some(base), Some(full).filter(|_| is_longer)].into_iter().flatten() {
            if outlet.is_half_full(record.fields.len()) {
                outlet.limit([identity.clone()]);
                continue;
            }
            let mut without = record.clone();
            without.fields.remove(&i32::from(field.slot));
            outlet.write(without);
        }
    }
}
