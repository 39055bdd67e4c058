//! Whether a change of one file concerns others.
//!
//! Others take from a file its package, its names, what enums and extensions say, and what an option may set: the fields of
//! its messages, where they have a name, a type, a label and a oneof. Numbers, new fields and methods are nobody else's.

use rustc_hash::FxHashSet;

use super::ast::{Enum, Extend, Field, File, Label, Message, OptionNode, Type};
use crate::change::Span;

/// Whether others find in the new text whatever they may have taken from the old one, and no more names.
pub(super) fn stays_inside(old: &File<'_>, new: &File<'_>) -> bool {
    let (was, is) = (Text(old.bytes), Text(new.bytes));
    // What every compiler brings along is extended and read by all.
    let is_of_the_language =
        |file: &File<'_>| file.package.as_ref().is_some_and(|name| name.text.starts_with("google.protobuf"));
    !is_of_the_language(old)
        && !is_of_the_language(new)
        && was.of_file(old) == is.of_file(new)
        && have(was, &old.messages, is, &new.messages)
}

/// The bytes of a file.
#[derive(Clone, Copy)]
struct Text<'a>(&'a [u8]);

impl<'a> Text<'a> {
    fn of(self, span: Span) -> &'a [u8] {
        self.0.get(span.range()).unwrap_or_default()
    }

    /// What of a file others see, beside its messages.
    fn of_file(self, file: &File<'_>) -> Vec<&'a [u8]> {
        let mut parts = vec![file.syntax.as_ref().map_or(&[][..], |statement| self.of(statement.span))];
        parts.push(self.of(file.package_span));
        parts.extend(file.imports.iter().map(|import| self.of(import.span)));
        parts.extend(self.options(&file.options));
        parts.extend(self.declarations(&file.enums, &file.extends));
        for service in &file.services {
            parts.push(self.of(service.name.span));
            parts.extend(self.options(&service.options));
        }
        parts
    }

    fn options(self, options: &[OptionNode<'_>]) -> impl Iterator<Item = &'a [u8]> {
        options.iter().map(move |option| self.of(option.span))
    }

    fn declarations(self, enums: &[Enum<'_>], extends: &[Extend<'_>]) -> impl Iterator<Item = &'a [u8]> {
        let enums = enums.iter().map(|one| one.span);
        enums.chain(extends.iter().map(|one| one.span)).map(move |span| self.of(span))
    }

    /// What of a message others see, beside its fields and what is nested in it.
    fn of_message(self, message: &Message<'_>) -> Vec<&'a [u8]> {
        let visibility = message.visibility.map_or(&[][..], |(_, span)| self.of(span));
        let mut parts = vec![self.of(message.name.span), visibility];
        parts.extend(self.options(&message.options));
        parts.extend(self.declarations(&message.enums, &message.extends));
        parts.extend(message.oneofs.iter().flat_map(|oneof| &oneof.options).map(|option| self.of(option.span)));
        if !message.extension_ranges.is_empty() {
            // Others put fields of their own into it.
            parts.push(self.of(message.span));
        }
        parts
    }

    /// What of a field an option can meet.
    fn of_field(self, message: &Message<'_>, field: &Field<'_>) -> Option<[&'a [u8]; 5]> {
        let label = field.label.map_or(&[][..], |(_, span)| self.of(span));
        let oneof = field.oneof.and_then(|index| message.oneofs.get(index as usize));
        let oneof = oneof.map_or(&[][..], |oneof| self.of(oneof.name.span));
        let ty = match &field.ty {
            Type::Named(_) | Type::Map { .. } => self.of(field.type_span),
            // Its message is compared by itself.
            Type::Group(_) => b"group",
        };
        // How a field is present is an option of it.
        let features = field
            .options
            .iter()
            .filter(|option| option.name.first().is_some_and(|part| &*part.name.text == "features"));
        let mut features = features.map(|option| self.of(option.span));
        let feature = features.next().unwrap_or_default();
        features.next().is_none().then_some([self.of(field.name.span), ty, label, oneof, feature])
    }
}

/// Whether messages have all that they had, and no new one is there.
fn have(was: Text<'_>, old: &[Message<'_>], is: Text<'_>, new: &[Message<'_>]) -> bool {
    old.len() == new.len()
        && old.iter().zip(new).all(|(old, new)| {
            old.is_group == new.is_group
                && was.of_message(old) == is.of_message(new)
                && has_fields(was, old, is, new)
                && have(was, &old.messages, is, &new.messages)
        })
}

fn has_fields(was: Text<'_>, old: &Message<'_>, is: Text<'_>, new: &Message<'_>) -> bool {
    let fields: Option<Vec<_>> = new.fields.iter().map(|field| Some((is.of_field(new, field)?, field))).collect();
    let before: Option<Vec<_>> = old.fields.iter().map(|field| was.of_field(old, field)).collect();
    let (Some(fields), Some(before)) = (fields, before) else { return false };
    let now: FxHashSet<_> = fields.iter().map(|(said, _)| *said).collect();
    let had: FxHashSet<_> = before.iter().copied().collect();
    // What is required of a message is required wherever somebody spells one out.
    let asks = |field: &Field<'_>| matches!(field.label, Some((Label::Required, _)));
    had.iter().all(|said| now.contains(said))
        && fields.iter().all(|(said, field)| had.contains(said) || !asks(field) && said[4].is_empty())
}
