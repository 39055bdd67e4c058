//! The ids that fields have and the numbers of enum values, where they are written, by the names of their types.

use super::ast::{Definition, Enum, Field, Program, Service};
use crate::formats::used::{Role, Used};

/// All ids and numbers of a program that are written. Names stand for themselves: a program is its file, and files move.
pub(super) fn used(program: &Program<'_>) -> Vec<Used> {
    let mut found = Vec::new();
    for definition in &program.definitions {
        match definition {
            Definition::Struct(one) => fields(&one.name.text, &one.fields, &mut found),
            Definition::Enum(one) => in_enum(one, &mut found),
            Definition::Service(service) => in_service(service, &mut found),
            Definition::Typedef(_) | Definition::Constant(_) => {}
        }
    }
    found
}

fn in_service(service: &Service<'_>, found: &mut Vec<Used>) {
    for function in &service.functions {
        let element = format!("{}.{}()", service.name.text, function.name.text);
        fields(&element, &function.arguments, found);
    }
}

fn fields(element: &str, fields: &[Field<'_>], found: &mut Vec<Used>) {
    found.extend(fields.iter().filter_map(|field| {
        let (id, _) = field.id?;
        Some(Used {
            element: element.to_owned(),
            role: Role::Id,
            slot: id.to_string(),
            name: field.name.text.to_string(),
            ty: field.ty.written().text.into_owned(),
            span: field.span,
        })
    }));
}

/// A value without a number has the one after the value before it.
fn in_enum(one: &Enum<'_>, found: &mut Vec<Used>) {
    let mut next = Some(0i64);
    for value in &one.values {
        let number = value.number.map(|(number, _)| number).or(next);
        next = number.and_then(|number| number.checked_add(1));
        let Some(number) = number else { continue };
        found.push(Used {
            element: one.name.text.to_string(),
            role: Role::EnumNumber,
            slot: number.to_string(),
            name: value.name.text.to_string(),
            ty: String::new(),
            span: value.span,
        });
    }
}
