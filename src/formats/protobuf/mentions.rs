//! Whether a file that was only guessed declares anything of what another one uses: by names as they are spelled, because
//! nothing is resolved yet.

use super::ast::{Enum, Extend, Field, File, ImportModifier, Message, OptionNode, Type};
use super::model::Kind;
use crate::formats::frame::Ties;

/// Whether one of the names that `importing` spells can be one that `guessed` declares, or hands on from elsewhere, and
/// none of the files that are `sure` to be imported does.
pub(super) fn may_declare(importing: &File<'_>, guessed: &File<'_>, sure: &[&File<'_>]) -> bool {
    if guessed.imports.iter().any(|import| import.modifier == ImportModifier::Public) {
        return true;
    }
    let known: Vec<String> = sure.iter().flat_map(|file| declared(file)).collect();
    let mut declared = declared(guessed);
    declared.retain(|name| !known.contains(name));
    let mut used = Vec::new();
    uses(importing, &mut |name| used.push(name.trim_start_matches('.').to_owned()));
    // Of what uses nothing, nothing can go wrong by a guess.
    used.is_empty() || used.iter().any(|name| declared.iter().any(|full| is_spelled(full, name)))
}

/// What ties a file to others that it does not import.
pub(super) fn ties(file: &File<'_>) -> Ties {
    let package = file.package.as_ref().map_or("", |package| &*package.text);
    let extensions = file.extends.iter().flat_map(|extend| &extend.fields).map(|field| &field.name);
    let types = file.messages.iter().map(|of| &of.name).chain(file.enums.iter().map(|of| &of.name));
    let names = types.chain(file.services.iter().map(|of| &of.name)).chain(extensions);
    let names = names.map(|name| format!("{package}.{}", name.text)).collect();
    let mut carries_any = false;
    if file.imports.iter().any(|import| import.path.ends_with(ANY_FILE)) {
        uses(file, &mut |name| carries_any |= name.trim_start_matches('.') == ANY);
    }
    Ties { packages: vec![package.to_owned()], names, carries_any }
}

/// The message that stands for one of any type, and its file.
const ANY: &str = "google.protobuf.Any";
pub(super) const ANY_FILE: &str = "google/protobuf/any.proto";

fn is_spelled(full: &str, name: &str) -> bool {
    full.strip_suffix(name).is_some_and(|scope| scope.is_empty() || scope.ends_with('.'))
}

/// Full names of types and extensions.
fn declared(file: &File<'_>) -> Vec<String> {
    let package = file.package.as_ref().map_or("", |package| &*package.text);
    let scope = if package.is_empty() { String::new() } else { format!("{package}.") };
    let mut names = Vec::new();
    declare((&file.messages, &file.enums, &file.extends), &scope, &mut names);
    names
}

fn declare(
    (messages, enums, extends): (&[Message<'_>], &[Enum<'_>], &[Extend<'_>]),
    scope: &str,
    names: &mut Vec<String>,
) {
    names.extend(enums.iter().map(|one| format!("{scope}{}", one.name.text)));
    names.extend(extends.iter().flat_map(|extend| &extend.fields).map(|field| format!("{scope}{}", field.name.text)));
    for message in messages {
        let full = format!("{scope}{}", message.name.text);
        declare((&message.messages, &message.enums, &message.extends), &format!("{full}."), names);
        names.push(full);
    }
}

/// Every name of another declaration that a file spells.
fn uses(file: &File<'_>, tell: &mut dyn FnMut(&str)) {
    options(&file.options, tell);
    file.messages.iter().for_each(|message| in_message(message, tell));
    file.enums.iter().for_each(|one| in_enum(one, tell));
    file.extends.iter().for_each(|extend| in_extend(extend, tell));
    for service in &file.services {
        options(&service.options, tell);
        for method in &service.methods {
            tell(&method.input.text);
            tell(&method.output.text);
            options(&method.options, tell);
        }
    }
}

fn in_message(message: &Message<'_>, tell: &mut dyn FnMut(&str)) {
    options(&message.options, tell);
    message.fields.iter().for_each(|field| in_field(field, tell));
    message.oneofs.iter().for_each(|oneof| options(&oneof.options, tell));
    message.messages.iter().for_each(|inner| in_message(inner, tell));
    message.enums.iter().for_each(|one| in_enum(one, tell));
    message.extends.iter().for_each(|extend| in_extend(extend, tell));
}

fn in_enum(one: &Enum<'_>, tell: &mut dyn FnMut(&str)) {
    options(&one.options, tell);
    one.values.iter().for_each(|value| options(&value.options, tell));
}

fn in_extend(extend: &Extend<'_>, tell: &mut dyn FnMut(&str)) {
    tell(&extend.extendee.text);
    extend.fields.iter().for_each(|field| in_field(field, tell));
}

fn in_field(field: &Field<'_>, tell: &mut dyn FnMut(&str)) {
    match &field.ty {
        Type::Named(name) | Type::Map { value: name, .. } if Kind::from_keyword(&name.text).is_none() => {
            tell(&name.text);
        }
        Type::Named(_) | Type::Map { .. } => {}
        Type::Group(_) => {}
    }
    options(&field.options, tell);
}

fn options(options: &[OptionNode<'_>], tell: &mut dyn FnMut(&str)) {
    let parts = options.iter().flat_map(|option| &option.name);
    parts.filter(|part| part.is_extension).for_each(|part| tell(&part.name.text));
}
