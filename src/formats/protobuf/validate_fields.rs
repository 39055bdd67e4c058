//! Fields and extensions: what labels, types, options and features may stand together.

use crate::change::Span;

use super::ast::{Label, OptionNode, OptionValueKind, Type};
use super::features;
use super::link_fields::lower_camel;
use super::model::{Cardinality, Edition, Field, Kind, MessageId, Presence};
use super::options_standard::{is_true, standard, value_span};
use super::universe::FileContext;

/// Checks the fields of one message.
pub(super) fn check_message(context: &mut FileContext<'_, '_>, id: MessageId) {
    let message = context.schema().message(id);
    for field in &message.fields {
        check(context, field, &message.full_name);
    }
}

/// Checks an extension as far as it is a field like any other.
pub(super) fn check_extension(context: &mut FileContext<'_, '_>, index: usize) {
    let field = &context.schema().extensions[index];
    let extendee = field.extendee.map(|extendee| context.schema().message(extendee).full_name.clone());
    check(context, field, extendee.as_deref().unwrap_or_default());
}

fn check(context: &mut FileContext<'_, '_>, field: &Field<'_>, message: &str) {
    match context.file().edition {
        Edition::Proto2 => {}
        Edition::Proto3 => check_proto3(context, field, message),
        Edition::E2023 | Edition::E2024 | Edition::E2026 => check_features(context, field),
    }
    check_map(context, field);
    if !field.ast.options.is_empty() {
        check_default(context, field);
        check_options(context, field);
    }
}

fn check_proto3(context: &mut FileContext<'_, '_>, field: &Field<'_>, message: &str) {
    let ast = field.ast;
    if let Some((Label::Required, span)) = ast.label {
        context.error(
            span,
            "proto3 has no required fields",
            "remove the word; a reader cannot rely on a field in any case",
        );
    }
    if matches!(ast.ty, Type::Group(_)) {
        context.error(ast.type_span, "proto3 has no groups", "declare a message and a field of its type");
    }
    if let Some(option) = standard(&ast.options, "default") {
        context.refuse(
            option.span,
            "proto3 has no defaults of its own: an absent field holds 0, false, an empty text or the first enum value",
            "take the default out; `optional` tells an absent field apart",
        );
    }
    if let Kind::Enum(id) = field.kind {
        let item = context.schema().enumeration(id);
        if item.is_closed {
            context.refuse(
                ast.type_span,
                format!("`{}` is a closed enum, which `{message}`, a proto3 message, cannot hold", item.full_name),
                "declare the enum in a proto3 file or as open, or the message in a proto2 file",
            );
        }
    }
}

fn check_map(context: &mut FileContext<'_, '_>, field: &Field<'_>) {
    let (Cardinality::Map { key }, Type::Map { key: name, .. }) = (field.cardinality, &field.ast.ty) else { return };
    let wrong = match key {
        Kind::Double | Kind::Float | Kind::Bytes | Kind::Message(_) => {
            "floating-point numbers, bytes and messages cannot be the keys of a map"
        }
        Kind::Enum(_) => "enums cannot be the keys of a map",
        Kind::Int32
        | Kind::Int64
        | Kind::Uint32
        | Kind::Uint64
        | Kind::Sint32
        | Kind::Sint64
        | Kind::Fixed32
        | Kind::Fixed64
        | Kind::Sfixed32
        | Kind::Sfixed64
        | Kind::Bool
        | Kind::String
        | Kind::Opaque => "",
    };
    if !wrong.is_empty() {
        context.error(name.span, wrong, "use an integer, a bool or a string as the key");
    }
    if let Kind::Enum(id) = field.kind {
        let item = context.schema().enumeration(id);
        if item.ast.values.first().is_some_and(|first| first.number != 0) {
            context.refuse(
                field.ast.type_span,
                format!("the values of a map need an enum whose first value is 0; that of `{}` is not", item.full_name),
                "put a value with the number 0 first",
            );
        }
        if item.is_closed
            && field.features.field_presence == Presence::Implicit
            && context.file().edition >= Edition::E2023
        {
            context.refuse(
                field.ast.type_span,
                format!("`{}` is a closed enum, and this file's fields do not track presence", item.full_name),
                "make the enum open",
            );
        }
    }
}

fn check_default(context: &mut FileContext<'_, '_>, field: &Field<'_>) {
    if standard(&field.ast.options, "default").is_none() {
        return;
    }
    if field.cardinality != Cardinality::Singular {
        context.refuse(
            value_span(field.ast, "default"),
            "a repeated field or a map cannot have a default",
            "take the default out",
        );
    }
}

fn check_options(context: &mut FileContext<'_, '_>, field: &Field<'_>) {
    let options = &field.ast.options;
    let edition = context.file().edition;
    let is_packable =
        field.cardinality == Cardinality::Repeated && (field.kind.is_packable() || field.kind == Kind::Opaque);
    if is_true(options, "packed") && !is_packable && edition < Edition::E2023 {
        context.refuse(
            value_span(field.ast, "packed"),
            "only repeated numbers, bools and enums can be packed",
            "take `packed` out",
        );
    }
    let is_message =
        matches!(field.kind, Kind::Message(_) | Kind::Opaque) || matches!(field.cardinality, Cardinality::Map { .. });
    for option in ["lazy", "unverified_lazy"] {
        if is_true(options, option) && (!is_message || matches!(field.ast.ty, Type::Group(_)) || is_group_like(field)) {
            context.refuse(
                value_span(field.ast, option),
                format!("only message fields can be `{option}`"),
                "take the option out",
            );
        }
    }
    if field.is_extension && is_true(options, "unverified_lazy") {
        context.refuse(
            value_span(field.ast, "unverified_lazy"),
            "an extension cannot be `unverified_lazy`",
            "take the option out",
        );
    }
    if let Some(option) = standard(options, "jstype")
        && matches!(option.value.kind, OptionValueKind::Identifier { text: "JS_STRING" | "JS_NUMBER", .. })
        && !is_64_bits(field.kind)
    {
        context.refuse(option.span, "`jstype` is for integers of 64 bits only", "take the option out");
    }
    if edition >= Edition::E2024
        && let Some(option) = standard(options, "ctype")
    {
        context.refuse(
            option.span,
            "`ctype` does not exist since edition 2024",
            "use the feature `(pb.cpp).string_type`",
        );
    }
    check_json_name(context, field);
}

/// A message that is written between group tags.
fn is_group_like(field: &Field<'_>) -> bool {
    field.delimited
}

const fn is_64_bits(kind: Kind) -> bool {
    match kind {
        Kind::Int64 | Kind::Uint64 | Kind::Sint64 | Kind::Fixed64 | Kind::Sfixed64 => true,
        Kind::Double
        | Kind::Float
        | Kind::Int32
        | Kind::Uint32
        | Kind::Sint32
        | Kind::Fixed32
        | Kind::Sfixed32
        | Kind::Bool
        | Kind::String
        | Kind::Bytes
        | Kind::Message(_)
        | Kind::Enum(_)
        | Kind::Opaque => false,
    }
}

fn check_json_name(context: &mut FileContext<'_, '_>, field: &Field<'_>) {
    let Some(option) = standard(&field.ast.options, "json_name") else { return };
    if field.is_extension {
        let usual = lower_camel(&super::link_fields::field_name(field.ast));
        if matches!(&option.value.kind, OptionValueKind::Bytes(name) if **name == *usual.as_bytes()) {
            return; // It says what the compiler would say.
        }
        context.refuse(
            option.span,
            "an extension cannot have a `json_name`: JSON writes its full name in brackets",
            "take the option out",
        );
        return;
    }
    match &option.value.kind {
        OptionValueKind::Bytes(bytes) if bytes.contains(&0) => {
            context.refuse(option.value.span, "a JSON name cannot hold a null character", "take it out");
        }
        OptionValueKind::Bytes(_) => {}
        OptionValueKind::Identifier { .. }
        | OptionValueKind::Integer { .. }
        | OptionValueKind::Float(_)
        | OptionValueKind::Message(_)
        | OptionValueKind::List(_) => {
            context.refuse(option.value.span, "a JSON name is a text in quotes", "put it in quotes");
        }
    }
}

/// Features may say only what can be true of the field.
fn check_features(context: &mut FileContext<'_, '_>, field: &Field<'_>) {
    let options = &field.ast.options;
    if let Some(option) = standard(options, "packed") {
        context.refuse(
            option.span,
            "`packed` does not exist in editions",
            "use `features.repeated_field_encoding = PACKED` or `EXPANDED`",
        );
    }
    check_implicit(context, field);
    if options.iter().any(|option| option.name.first().is_some_and(|part| part.name.text == "features")) {
        check_presence_feature(context, field);
        check_encoding_features(context, field, options);
    }
}

fn check_implicit(context: &mut FileContext<'_, '_>, field: &Field<'_>) {
    if field.cardinality != Cardinality::Singular || field.presence != Presence::Implicit {
        return;
    }
    if let Some(option) = standard(&field.ast.options, "default") {
        context.refuse(
            option.span,
            "a field that does not track presence cannot have a default",
            "take the default out, or set `features.field_presence = EXPLICIT`",
        );
    }
    if let Kind::Enum(id) = field.kind
        && context.schema().enumeration(id).is_closed
    {
        let name = context.schema().enumeration(id).full_name.clone();
        context.refuse(
            field.ast.type_span,
            format!("`{name}` is a closed enum, which a field that does not track presence cannot hold"),
            "make the enum open, or set `features.field_presence = EXPLICIT`",
        );
    }
}

fn check_presence_feature(context: &mut FileContext<'_, '_>, field: &Field<'_>) {
    let Some(value) = features::own(&field.ast.options, "field_presence") else { return };
    let is = |word: &str| matches!(value.kind, OptionValueKind::Identifier { text, .. } if text == word);
    let wrong = if field.is_extension && is("LEGACY_REQUIRED") {
        "an extension cannot be required"
    } else if field.ast.oneof.is_some() {
        "a member of a oneof always tracks presence, so it cannot set `field_presence`"
    } else if field.cardinality != Cardinality::Singular {
        "a repeated field or a map never tracks presence, so it cannot set `field_presence`"
    } else if field.is_extension {
        "an extension always tracks presence, so it cannot set `field_presence`"
    } else if matches!(field.kind, Kind::Message(_)) && is("IMPLICIT") {
        "a message field always tracks presence"
    } else {
        return;
    };
    context.refuse(value.span, wrong, "take the feature out");
}

fn check_encoding_features(context: &mut FileContext<'_, '_>, field: &Field<'_>, options: &[OptionNode<'_>]) {
    let mut wrong: Vec<(Span, &str)> = Vec::new();
    let is_repeated = field.cardinality == Cardinality::Repeated;
    let is_map = matches!(field.cardinality, Cardinality::Map { .. });
    let is_text = field.kind == Kind::String || field.cardinality == Cardinality::Map { key: Kind::String };
    features::each_override(options, |name, value| {
        let packed = matches!(value.kind, OptionValueKind::Identifier { text: "PACKED", .. });
        match name {
            "repeated_field_encoding" if !is_repeated && !is_map => {
                wrong.push((value.span, "only a repeated field can set `repeated_field_encoding`"));
            }
            "repeated_field_encoding"
                if packed && !(is_repeated && (field.kind.is_packable() || field.kind == Kind::Opaque)) =>
            {
                wrong.push((value.span, "only repeated numbers, bools and enums can be packed"));
            }
            "utf8_validation" if !is_text => {
                wrong.push((value.span, "only a field that holds text can set `utf8_validation`"));
            }
            "message_encoding" if is_map || !matches!(field.kind, Kind::Message(_) | Kind::Opaque) => {
                wrong.push((value.span, "only a message field can set `message_encoding`"));
            }
            _ => {}
        }
    });
    for (span, message) in wrong {
        context.refuse(span, message, "take the feature out");
    }
}
