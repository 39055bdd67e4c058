//! The numbers that fields and values of enums have, by the full names of their messages and enums.

use super::ast::{Enum, Field, File, Message, Type};
use crate::formats::used::{Role, Used};

/// All numbers of a file. Those of extensions are not among them: whom they extend is known only when names are resolved.
pub(super) fn used(file: &File<'_>) -> Vec<Used> {
    let package = file.package.as_ref().map_or("", |package| &*package.text);
    let scope = if package.is_empty() { String::new() } else { format!("{package}.") };
    let mut found = Vec::new();
    file.messages.iter().for_each(|message| in_message(message, &scope, &mut found));
    file.enums.iter().for_each(|one| in_enum(one, &scope, &mut found));
    found
}

fn in_message(message: &Message<'_>, scope: &str, found: &mut Vec<Used>) {
    let element = format!("{scope}{}", message.name.text);
    let inner = format!("{element}.");
    for field in message.fields.iter().filter(|field| field.number != 0) {
        found.push(Used {
            element: element.clone(),
            role: Role::Number,
            slot: field.number.to_string(),
            name: field.name.text.to_string(),
            ty: type_of(field),
            span: field.span,
        });
    }
    message.messages.iter().for_each(|message| in_message(message, &inner, found));
    message.enums.iter().for_each(|one| in_enum(one, &inner, found));
}

fn in_enum(one: &Enum<'_>, scope: &str, found: &mut Vec<Used>) {
    let element = format!("{scope}{}", one.name.text);
    found.extend(one.values.iter().map(|value| Used {
        element: element.clone(),
        role: Role::EnumNumber,
        slot: value.number.to_string(),
        name: value.name.text.to_string(),
        ty: String::new(),
        span: value.span,
    }));
}

fn type_of(field: &Field<'_>) -> String {
    match &field.ty {
        Type::Named(name) => name.text.to_string(),
        Type::Map { key, value } => format!("map<{}, {}>", key.text, value.text),
        Type::Group(_) => "group".to_owned(),
    }
}
