//! Message literals in options, read as the text format reads them.

use crate::change::Span;

use super::ast::{LiteralField, OptionValue, OptionValueKind};
use super::link_scope::{Entity, Found, Wanted};
use super::model::{Cardinality, Field, Kind, Message, MessageId, Presence};
use super::options_support;
use super::options_target::Target;
use super::universe::FileContext;

/// Where a literal stands and what it must be.
pub(super) struct Literal {
    pub(super) target: Target,
    pub(super) message: MessageId,
    pub(super) span: Span,
}

/// The paths of what a literal sets.
pub(super) struct Paths {
    pub(super) path: Vec<i32>,
    pub(super) set: Vec<Vec<i32>>,
}

/// Checks the fields of a literal against its message.
pub(super) fn check(
    context: &mut FileContext<'_, '_>,
    literal: &Literal,
    fields: &[LiteralField<'_>],
    paths: &mut Paths,
) {
    let schema = context.schema();
    let message = schema.message(literal.message);
    let mut set: Vec<&Field<'_>> = Vec::new();
    let mut is_expanded_any = false;
    for written in fields {
        if written.is_bracketed && written.name.text.contains('/') {
            if std::mem::replace(&mut is_expanded_any, true) {
                context.refuse(written.span, "an Any holds one message only", "keep one of them");
            }
            check_any(context, literal, message, written);
            continue;
        }
        let Some(field) = find(context, message, written) else { continue };
        options_support::check_use(context, literal.target, field, written.name.span);
        check_repetition(context, message, &set, field, written);
        if is_expanded_any {
            context.refuse(written.span, "an Any that is written out has no further fields", "take the field out");
        }
        set.push(field);
        check_values(context, literal, field, &written.value, paths);
    }
    check_required(context, literal, message, &set);
}

fn check_required(context: &mut FileContext<'_, '_>, literal: &Literal, message: &Message<'_>, set: &[&Field<'_>]) {
    for field in message.fields.iter().filter(|field| field.presence == Presence::Required) {
        if !set.iter().any(|other| other.number == field.number) {
            context.refuse(
                literal.span,
                format!("the required field `{}` of `{}` is missing", field.name, message.full_name),
                format!("add `{}: …`", field.name),
            );
        }
    }
}

fn find<'u>(
    context: &mut FileContext<'u, '_>,
    message: &'u Message<'u>,
    written: &LiteralField<'_>,
) -> Option<&'u Field<'u>> {
    let name = &written.name;
    if written.is_bracketed {
        return find_extension(context, message, written);
    }
    let is_group = |field: &&Field<'_>| field.is_group_named(&name.text);
    let found =
        message.fields.iter().find(|field| field.name == name.text).or_else(|| message.fields.iter().find(is_group));
    let is_reserved = || {
        message
            .ast
            .reserved
            .iter()
            .flat_map(|statement| &statement.names)
            .any(|reserved| reserved.name.text == name.text)
    };
    if found.is_none() && !is_reserved() {
        context.refuse(
            name.span,
            format!("`{}` has no field `{}`", message.full_name, name.text),
            "correct the name; an extension stands in brackets",
        );
    }
    found
}

impl Field<'_> {
    /// Whether the field is a group that a literal names by its message.
    fn is_group_named(&self, name: &str) -> bool {
        matches!(self.ast.ty, super::ast::Type::Group(_)) && self.ast.name.text == name
    }
}

fn find_extension<'u>(
    context: &mut FileContext<'u, '_>,
    message: &Message<'_>,
    written: &LiteralField<'_>,
) -> Option<&'u Field<'u>> {
    let schema = context.schema();
    let name = &written.name;
    let scope = message.full_name.rsplit_once('.').map_or("", |(scope, _)| scope);
    let found = context.universe.symbols.find(context.id, scope, &name.text, Wanted::Anything);
    let extension = match found {
        Found::Entity(Entity::Extension(id), _) => Some(schema.extension(id)),
        Found::Entity(Entity::Message(id), _) if message.is_message_set => {
            let inside = schema.message(id).extensions.iter().map(|extension| schema.extension(*extension));
            inside
                .into_iter()
                .find(|extension| extension.kind == Kind::Message(id) && extends(context, extension, message))
        }
        _ => None,
    };
    match extension {
        Some(extension) if extends(context, extension, message) => return Some(extension),
        Some(extension) if extension.extendee.is_none() => return None,
        None if context.is_incomplete() => return None,
        _ => {}
    }
    context.refuse(
        name.span,
        format!("there is no extension `{}` of `{}`", name.text, message.full_name),
        "correct the name, or import the file that declares the extension",
    );
    None
}

fn extends(context: &FileContext<'_, '_>, extension: &Field<'_>, message: &Message<'_>) -> bool {
    extension.extendee.is_some_and(|extendee| context.schema().message(extendee).full_name == message.full_name)
}

fn check_repetition(
    context: &mut FileContext<'_, '_>,
    message: &Message<'_>,
    set: &[&Field<'_>],
    field: &Field<'_>,
    written: &LiteralField<'_>,
) {
    if field.cardinality == Cardinality::Singular && set.iter().any(|other| other.number == field.number) {
        context.refuse(
            written.span,
            format!("`{}` is set twice, and it is not repeated", written.name.text),
            "keep one of the two",
        );
        return;
    }
    let Some(oneof) = field.oneof else { return };
    if field.is_extension {
        return;
    }
    if let Some(other) = set.iter().find(|other| !other.is_extension && other.oneof == Some(oneof)) {
        let name = message.oneofs.get(oneof as usize).map_or("", |oneof| &oneof.name.text);
        context.refuse(
            written.span,
            format!("`{}` and `{}` are members of the oneof `{name}`: only one can be set", other.name, field.name),
            "keep one of the two",
        );
    }
}

/// `[type.googleapis.com/package.Message] { … }`
fn check_any(context: &mut FileContext<'_, '_>, literal: &Literal, message: &Message<'_>, written: &LiteralField<'_>) {
    if *message.full_name != *"google.protobuf.Any" {
        context.refuse(
            written.name.span,
            format!("`{}` is not an Any, so it cannot be written as `[…/…]`", message.full_name),
            "write the name of a field or, in brackets, of an extension",
        );
        return;
    }
    let (prefix, name) = written.name.text.rsplit_once('/').unwrap_or_default();
    let is_known = matches!(prefix, "type.googleapis.com" | "type.googleprod.com");
    let absolute = format!(".{name}");
    let found = context.universe.symbols.find(context.id, "", &absolute, Wanted::Anything);
    match (found, &written.value.kind) {
        (Found::Entity(Entity::Message(id), _), OptionValueKind::Message(fields)) if is_known => {
            let inner = Literal { target: literal.target, message: id, span: written.value.span };
            check(context, &inner, fields, &mut Paths { path: Vec::new(), set: Vec::new() });
        }
        (Found::Entity(Entity::Message(_), _), _) if is_known => {
            context.refuse(written.value.span, "the content of an Any is a message", "write it as `{ … }`");
        }
        _ if context.is_incomplete() && is_known => {}
        _ => context.refuse(
            written.name.span,
            format!("there is no message `{}` to be held by an Any", written.name.text),
            "write `type.googleapis.com/` and the full name of a message that this file imports",
        ),
    }
}

fn check_values(
    context: &mut FileContext<'_, '_>,
    literal: &Literal,
    field: &Field<'_>,
    value: &OptionValue<'_>,
    paths: &mut Paths,
) {
    paths.path.push(field.number);
    if field.cardinality == Cardinality::Singular {
        paths.set.push(paths.path.clone());
    }
    match &value.kind {
        OptionValueKind::List(values) if field.cardinality != Cardinality::Singular => {
            for value in values {
                check_one(context, literal, field, value, paths);
            }
        }
        _ => check_one(context, literal, field, value, paths),
    }
    paths.path.pop();
}

fn check_one(
    context: &mut FileContext<'_, '_>,
    literal: &Literal,
    field: &Field<'_>,
    value: &OptionValue<'_>,
    paths: &mut Paths,
) {
    if matches!(field.cardinality, Cardinality::Map { .. }) {
        check_map(context, literal.target, field, value);
    } else {
        check_single(context, literal.target, field.kind, &field.name, value, paths);
    }
}

/// An entry of a map: a message with the fields `key` and `value`.
pub(super) fn check_map(context: &mut FileContext<'_, '_>, target: Target, field: &Field<'_>, value: &OptionValue<'_>) {
    let (Cardinality::Map { key }, OptionValueKind::Message(fields)) = (field.cardinality, &value.kind) else {
        context.refuse(
            value.span,
            format!("an entry of the map `{}` is a message", field.name),
            "write it as `{ key: … value: … }`",
        );
        return;
    };
    let mut seen: Vec<&str> = Vec::new();
    for written in fields {
        let name = written.name.text.as_ref();
        let kind = match (written.is_bracketed, name) {
            (false, "key") => key,
            (false, "value") => field.kind,
            _ => {
                context.refuse(
                    written.name.span,
                    format!("an entry of the map `{}` has no field `{name}`", field.name),
                    "its fields are `key` and `value`",
                );
                continue;
            }
        };
        if seen.contains(&name) {
            context.refuse(written.span, format!("`{name}` is set twice"), "keep one of the two");
        }
        seen.push(name);
        let mut paths = Paths { path: Vec::new(), set: Vec::new() };
        check_single(context, target, kind, name, &written.value, &mut paths);
    }
}

fn check_single(
    context: &mut FileContext<'_, '_>,
    target: Target,
    kind: Kind,
    name: &str,
    value: &OptionValue<'_>,
    paths: &mut Paths,
) {
    match (kind, &value.kind) {
        (Kind::Opaque, _) => {}
        (Kind::Message(message), OptionValueKind::Message(fields)) => {
            check(context, &Literal { target, message, span: value.span }, fields, paths);
        }
        (Kind::Message(_), _) => context.refuse(value.span, format!("`{name}` is a message"), "write it as `{ … }`"),
        (Kind::Enum(id), written) => {
            let item = context.schema().enumeration(id);
            let found = item.ast.values.iter().find(|candidate| match written {
                OptionValueKind::Identifier { text, negative: false } => candidate.name.text == *text,
                OptionValueKind::Integer { magnitude, negative } => {
                    i128::from(candidate.number) == signed(*magnitude, *negative)
                }
                _ => false,
            });
            let in_range = matches!(written, OptionValueKind::Integer { magnitude, negative } if i32::try_from(signed(*magnitude, *negative)).is_ok());
            match found {
                Some(found) => options_support::check_enum_value_use(context, item, found, value.span),
                None if in_range && !item.is_closed => {}
                None => context.refuse(
                    value.span,
                    format!("`{name}` needs a value of the enum `{}`", item.full_name),
                    "write one of its names",
                ),
            }
        }
        (kind, written) => {
            if let Some(wrong) = scalar_offence(kind, written) {
                context.refuse(value.span, format!("`{name}` needs {wrong}"), "correct the value");
            }
        }
    }
}

fn signed(magnitude: u64, negative: bool) -> i128 {
    if negative { -i128::from(magnitude) } else { i128::from(magnitude) }
}

/// What a scalar of the text format needs when its value is not that.
fn scalar_offence(kind: Kind, value: &OptionValueKind<'_>) -> Option<String> {
    let integer = |min: i128, max: i128| {
        let fits = match value {
            OptionValueKind::Integer { magnitude, negative } => {
                (min..=max).contains(&signed(*magnitude, *negative)) && !(*negative && min == 0)
            }
            _ => false,
        };
        (!fits).then(|| format!("an integer from {min} to {max}"))
    };
    match kind {
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => integer(i128::from(i32::MIN), i128::from(i32::MAX)),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => integer(i128::from(i64::MIN), i128::from(i64::MAX)),
        Kind::Uint32 | Kind::Fixed32 => integer(0, i128::from(u32::MAX)),
        Kind::Uint64 | Kind::Fixed64 => integer(0, i128::from(u64::MAX)),
        Kind::Double | Kind::Float => match value {
            OptionValueKind::Integer { .. } | OptionValueKind::Float(_) => None,
            OptionValueKind::Identifier { text, .. }
                if ["inf", "infinity", "nan"].contains(&text.to_ascii_lowercase().as_str()) =>
            {
                None
            }
            _ => Some("a number".to_owned()),
        },
        Kind::Bool => match value {
            OptionValueKind::Identifier { text: "true" | "True" | "t" | "false" | "False" | "f", negative: false }
            | OptionValueKind::Integer { magnitude: 0 | 1, negative: false } => None,
            _ => Some("`true` or `false`".to_owned()),
        },
        Kind::String | Kind::Bytes => match value {
            OptionValueKind::Bytes(_) => None,
            _ => Some("a text in quotes".to_owned()),
        },
        Kind::Message(_) | Kind::Enum(_) | Kind::Opaque => None,
    }
}
