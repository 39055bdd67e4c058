//! The slots of fields, the ordinals of members of unions and the numbers of enum values, by the full names of their types.

use super::ast::{Definition, DefinitionKind, Document, EnumValue, Field, TypeKind, TypeNode};
use crate::formats::used::{Role, Used};
use crate::ordered::OrderedMap;

/// Everything that data of a file's types are known by, as far as the file says it. A field without an id has the slot
/// after those before it, and a union takes two: where a type of another file comes between, nobody can count on.
pub(super) fn used(document: &Document<'_>) -> Vec<Used> {
    let unions: OrderedMap<&str, bool> =
        document.definitions.iter().map(|one| (&*one.name.text, is_union(one))).collect();
    let mut found = Vec::new();
    for definition in &document.definitions {
        let scope = &definition.namespace;
        let name = &definition.name.text;
        let element = if scope.is_empty() { name.to_string() } else { format!("{scope}.{name}") };
        match &definition.kind {
            DefinitionKind::Table(fields) => in_table(&element, fields, &unions, &mut found),
            DefinitionKind::Enum { values, .. } => in_list(&element, (Role::EnumNumber, 0), values, &mut found),
            DefinitionKind::Union { values, .. } => in_list(&element, (Role::Ordinal, 1), values, &mut found),
            // A struct has no slots: its fields lie one behind the other, and each of them always.
            DefinitionKind::Struct(_) | DefinitionKind::Service(_) => {}
        }
    }
    found
}

fn is_union(definition: &Definition<'_>) -> bool {
    matches!(definition.kind, DefinitionKind::Union { .. })
}

fn in_table(element: &str, fields: &[Field<'_>], unions: &OrderedMap<&str, bool>, found: &mut Vec<Used>) {
    let mut next = Some(0u32);
    for field in fields {
        let width = width(&field.ty, unions);
        let id = field.attributes.iter().find(|attribute| attribute.name.text == "id");
        let slot = match id {
            Some(id) => id.value.trim().parse::<u32>().ok(),
            // The second of the two is that of the value.
            None => next.zip(width).and_then(|(next, width)| next.checked_add(width - 1)),
        };
        next = slot.and_then(|slot| slot.checked_add(1)).filter(|_| width.is_some());
        let Some(slot) = slot else { continue };
        found.push(Used {
            element: element.to_owned(),
            role: Role::Slot,
            slot: slot.to_string(),
            name: field.name.text.to_string(),
            ty: field.ty.written().text.into_owned(),
            span: field.span,
        });
    }
}

/// How many slots a field takes; `None` where its type is none of this file's.
fn width(ty: &TypeNode<'_>, unions: &OrderedMap<&str, bool>) -> Option<u32> {
    match &ty.kind {
        TypeKind::Scalar(..) | TypeKind::String | TypeKind::Array(..) => Some(1),
        TypeKind::Name(name) => unions.get(&**name).map(|is_union| if *is_union { 2 } else { 1 }),
        // Vectors do not nest.
        TypeKind::Vector(items) => match &items.kind {
            TypeKind::Name(name) => unions.get(&**name).map(|is_union| if *is_union { 2 } else { 1 }),
            TypeKind::Scalar(..) | TypeKind::String | TypeKind::Vector(_) | TypeKind::Array(..) => Some(1),
        },
    }
}

/// A value without a number has the one after the value before it.
fn in_list(element: &str, (role, start): (Role, i128), values: &[EnumValue<'_>], found: &mut Vec<Used>) {
    let mut next = Some(start);
    for value in values {
        let number = value.number.map(|(number, _)| number).or(next);
        next = number.and_then(|number| number.checked_add(1));
        let Some(number) = number else { continue };
        found.push(Used {
            element: element.to_owned(),
            role,
            slot: number.to_string(),
            name: value.name.text.to_string(),
            ty: value.ty.as_ref().map_or_else(String::new, |ty| ty.written().text.into_owned()),
            span: value.span,
        });
    }
}
