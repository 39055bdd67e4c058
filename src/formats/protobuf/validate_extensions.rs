//! Extensions: whether their number is free for them, and what the extended message declares about them.

use super::ast::{self, Label, LiteralField, OptionValueKind};
use super::link_fields::MAX_NUMBER;
use super::model::{Cardinality, Edition, ExtensionId, Field, Kind, Message};
use super::options_standard::{is_lite, standard};
use super::universe::FileContext;

/// Checks one extension against the message it extends.
pub(super) fn check(context: &mut FileContext<'_, '_>, index: usize) {
    let schema = context.schema();
    let field = &schema.extensions[index];
    if let Some((Label::Required, span)) = field.ast.label {
        context.error(span, "an extension cannot be required", "write `optional`");
    }
    let number = i64::from(field.number);
    if (19000..20000).contains(&number) {
        context.error(
            field.ast.number_span,
            format!("field number {number} is kept for protobuf itself, as are all from 19000 to 19999"),
            "use another number of the extension range",
        );
    }
    let Some(extendee) = field.extendee else { return };
    let message = schema.message(extendee);
    check_range(context, field, message);
    check_message_set(context, field, message);
    check_kind_of_file(context, index, field, message);
    check_unique(context, index, field, message);
    check_declaration(context, field, message);
}

fn check_range(context: &mut FileContext<'_, '_>, field: &Field<'_>, message: &Message<'_>) {
    let number = i64::from(field.number);
    if number > MAX_NUMBER && !message.is_message_set {
        context.error(
            field.ast.number_span,
            format!("field number {number} is too large: numbers go up to {MAX_NUMBER}"),
            "use a number of the extension range",
        );
    } else if !message.extension_ranges.iter().any(|(start, end)| (*start..=*end).contains(&field.number)) {
        let ranges: Vec<String> =
            message.extension_ranges.iter().map(|(start, end)| format!("{start} to {end}")).collect();
        let help = if ranges.is_empty() {
            format!("add an `extensions` statement to `{}`", message.full_name)
        } else {
            format!("its ranges are {}", ranges.join(", "))
        };
        context.error(
            field.ast.number_span,
            format!("`{}` does not keep the number {number} free for extensions", message.full_name),
            help,
        );
    }
}

fn check_message_set(context: &mut FileContext<'_, '_>, field: &Field<'_>, message: &Message<'_>) {
    let is_group = matches!(field.ast.ty, ast::Type::Group(_)) || field.delimited;
    let is_message = matches!(field.kind, Kind::Message(_) | Kind::Opaque) && !is_group;
    if message.is_message_set && !(is_message && field.cardinality == Cardinality::Singular) {
        context.error(
            field.ast.type_span,
            format!("`{}` is a message set: its extensions are single messages", message.full_name),
            "wrap the value in a message",
        );
    }
}

/// The messages that proto3 files may extend.
const OPTIONS: [&str; 9] = [
    "FileOptions",
    "MessageOptions",
    "FieldOptions",
    "EnumOptions",
    "EnumValueOptions",
    "ServiceOptions",
    "MethodOptions",
    "OneofOptions",
    "ExtensionRangeOptions",
];

fn check_kind_of_file(context: &mut FileContext<'_, '_>, index: usize, field: &Field<'_>, message: &Message<'_>) {
    let block = context.universe.extension_scopes[index].block;
    let is_option = message.full_name.strip_prefix("google.protobuf.").is_some_and(|name| OPTIONS.contains(&name));
    if context.file().edition == Edition::Proto3 && !is_option {
        context.error(
            block.extendee.span,
            format!("proto3 files can extend options only, not `{}`", message.full_name),
            "move the `extend` block to a proto2 file or to one with an edition",
        );
    }
    let extended = context.schema().file(message.file);
    if is_lite(&context.file().ast.options) && !is_lite(&extended.ast.options) {
        context.error(
            field.ast.span,
            format!("`{}` is of the full runtime, which a file for the lite runtime cannot extend", message.full_name),
            "move the `extend` block to a file without `optimize_for = LITE_RUNTIME`",
        );
    }
}

fn check_unique(context: &mut FileContext<'_, '_>, index: usize, field: &Field<'_>, message: &Message<'_>) {
    let schema = context.schema();
    let own = ExtensionId(u32::try_from(index).expect("ids are of 32 bits"));
    for other_id in message.extended_by.iter().chain(&message.extended_elsewhere) {
        let other = schema.extension(*other_id);
        if *other_id == own || other.number != field.number || other.name == field.name {
            continue;
        }
        let text = format!(
            "extensions `{}` and `{}` of `{}` have the same number {}",
            other.name, field.name, message.full_name, field.number
        );
        let help = "give one of them another number of the extension range";
        if other.file == field.file {
            if *other_id < own {
                context.error(field.ast.number_span, text, help);
            }
        } else if context.universe.symbols.sees(context.id, other.file) {
            context.warning(field.ast.number_span, text, help);
        }
    }
}

/// What the extended message says about one extension of it.
#[derive(Default)]
struct Declaration<'d> {
    number: Option<u64>,
    full_name: Option<&'d [u8]>,
    ty: Option<&'d [u8]>,
    is_reserved: bool,
    is_repeated: bool,
}

fn declarations<'d>(
    ranges: &'d ast::ExtensionRanges<'d>,
) -> impl Iterator<Item = (&'d ast::OptionNode<'d>, Declaration<'d>)> {
    ranges.options.iter().filter_map(|option| {
        let OptionValueKind::Message(fields) = &option.value.kind else { return None };
        let [part] = option.name.as_slice() else { return None };
        (!part.is_extension && part.name.text == "declaration").then(|| (option, declaration(fields)))
    })
}

fn declaration<'d>(fields: &'d [LiteralField<'d>]) -> Declaration<'d> {
    let mut result = Declaration::default();
    for field in fields {
        let is_true = matches!(
            field.value.kind,
            OptionValueKind::Identifier { text: "true" | "True" | "t", .. }
                | OptionValueKind::Integer { magnitude: 1, .. }
        );
        match (field.name.text.as_ref(), &field.value.kind) {
            ("number", OptionValueKind::Integer { magnitude, negative: false }) => result.number = Some(*magnitude),
            ("full_name", OptionValueKind::Bytes(name)) => result.full_name = Some(name),
            ("type", OptionValueKind::Bytes(ty)) => result.ty = Some(ty),
            ("reserved", _) => result.is_reserved = is_true,
            ("repeated", _) => result.is_repeated = is_true,
            _ => {}
        }
    }
    result
}

fn verification<'d>(ranges: &'d ast::ExtensionRanges<'d>) -> Option<(&'d ast::OptionNode<'d>, &'d str)> {
    let option = standard(&ranges.options, "verification")?;
    match option.value.kind {
        OptionValueKind::Identifier { text, .. } => Some((option, text)),
        _ => None,
    }
}

fn check_declaration(context: &mut FileContext<'_, '_>, field: &Field<'_>, message: &Message<'_>) {
    let number = i64::from(field.number);
    let holds = |ranges: &&ast::ExtensionRanges<'_>| {
        ranges.ranges.iter().any(|range| (range.start..=range.end).contains(&number))
    };
    let Some(ranges) = message.ast.extension_ranges.iter().find(holds) else { return };
    // The standard options declare well-known extensions without excluding others.
    if ranges.options.is_empty() || message.full_name.starts_with("google.protobuf.") {
        return;
    }
    let mut any = false;
    let own = declarations(ranges).find(|(_, declaration)| {
        any = true;
        declaration.number.is_some_and(|declared| i64::try_from(declared) == Ok(number))
    });
    let Some((_, declared)) = own else {
        if any || verification(ranges).is_some_and(|(_, state)| state == "DECLARATION") {
            context.error(
                field.ast.name.span,
                format!(
                    "`{}` declares the extensions of this range, and number {number} is not among them",
                    message.full_name
                ),
                "add a `declaration` there, or use another range",
            );
        }
        return;
    };
    if declared.is_reserved {
        context.error(
            field.ast.number_span,
            format!("`{}` declares the extension number {number} as reserved", message.full_name),
            "use another number",
        );
        return;
    }
    compare_with_declaration(context, field, &declared);
}

fn compare_with_declaration(context: &mut FileContext<'_, '_>, field: &Field<'_>, declared: &Declaration<'_>) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let help = "make the extension and its declaration agree";
    let full_name = format!(".{}", field.name);
    if let Some(name) = declared.full_name
        && name != full_name.as_bytes()
    {
        context.error(
            field.ast.name.span,
            format!("extension {} is declared with the name `{}`, not `{full_name}`", field.number, text(name)),
            help,
        );
    }
    let schema = context.schema();
    let ty = match field.kind {
        Kind::Message(id) => format!(".{}", schema.message(id).full_name),
        Kind::Enum(id) => format!(".{}", schema.enumeration(id).full_name),
        Kind::Opaque => return,
        scalar => scalar.keyword().unwrap_or_default().to_owned(),
    };
    if let Some(expected) = declared.ty
        && expected != ty.as_bytes()
    {
        context.error(
            field.ast.type_span,
            format!("extension {} is declared with the type `{}`, not `{ty}`", field.number, text(expected)),
            help,
        );
    }
    if declared.is_repeated != (field.cardinality == Cardinality::Repeated) {
        let expected = if declared.is_repeated { "repeated" } else { "optional" };
        context.error(field.ast.span, format!("extension {} is declared as {expected}", field.number), help);
    }
}

/// Checks the declarations of a message's extension ranges.
pub(super) fn check_ranges(context: &mut FileContext<'_, '_>, message: &Message<'_>) {
    let mut names: Vec<&[u8]> = Vec::new();
    for ranges in &message.ast.extension_ranges {
        if ranges.options.is_empty() {
            continue;
        }
        if let Some((option, "UNVERIFIED")) = verification(ranges)
            && declarations(ranges).next().is_some()
        {
            context.error(
                option.span,
                "a range with declarations cannot be unverified",
                "take `verification` or the declarations out",
            );
        }
        let mut numbers: Vec<u64> = Vec::new();
        for (option, declaration) in declarations(ranges) {
            let number = declaration.number.unwrap_or(0);
            let inside = |range: &ast::NumberRange| {
                i64::try_from(number).is_ok_and(|number| (range.start..=range.end).contains(&number))
            };
            if !ranges.ranges.iter().all(inside) {
                context.error(
                    option.span,
                    format!("the declared extension number {number} is not in the range"),
                    "correct the number or the range; a statement with several ranges declares for each of them",
                );
            }
            if numbers.contains(&number) {
                context.error(
                    option.span,
                    format!("the extension number {number} is declared twice"),
                    "take one of the two out",
                );
            }
            numbers.push(number);
            check_declared_names(context, option, &declaration, &mut names);
        }
    }
}

fn check_declared_names<'d>(
    context: &mut FileContext<'_, '_>,
    option: &ast::OptionNode<'_>,
    declaration: &Declaration<'d>,
    names: &mut Vec<&'d [u8]>,
) {
    let (name, ty) = match (declaration.full_name, declaration.ty) {
        (Some(name), Some(ty)) => (name, ty),
        (None, None) if declaration.is_reserved => return,
        _ => {
            context.error(
                option.span,
                "a declaration needs both `full_name` and `type`",
                "add the one that is missing",
            );
            return;
        }
    };
    let text = String::from_utf8_lossy(name).into_owned();
    if names.contains(&name) {
        context.error(option.span, format!("the extension `{text}` is declared twice"), "take one of the two out");
    }
    names.push(name);
    let is_scalar = std::str::from_utf8(ty).is_ok_and(|ty| Kind::from_keyword(ty).is_some());
    for (what, bytes) in [("name", name), ("type", ty)] {
        if (what == "type" && is_scalar) || is_absolute(bytes) {
            continue;
        }
        let text = String::from_utf8_lossy(bytes).into_owned();
        context.error(
            option.span,
            format!("the declared {what} `{text}` is not a full name with a leading dot"),
            "write it as `.package.Name`",
        );
    }
}

fn is_absolute(name: &[u8]) -> bool {
    let is_identifier = |part: &[u8]| {
        part.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
            && part.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    name.strip_prefix(b".").is_some_and(|rest| rest.split(|byte| *byte == b'.').all(is_identifier))
}
