//! The naming style that editions enforce since 2024 (`features.enforce_naming_style`) and the limits of edition 2026.

use super::ast::{self, OptionNode, OptionValueKind};
use super::features;
use super::model::Edition;
use super::universe::FileContext;

/// What is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Style {
    Legacy,
    Style2024,
    Style2026,
}

/// Style and limits, as options refine them on the way down.
#[derive(Debug, Clone, Copy)]
struct Rules {
    style: Style,
    limits: bool,
}

impl Rules {
    fn refine(mut self, options: &[OptionNode<'_>]) -> Self {
        features::each_override(options, |name, value| {
            let OptionValueKind::Identifier { text, .. } = value.kind else { return };
            match (name, text) {
                ("enforce_naming_style", "STYLE_LEGACY") => self.style = Style::Legacy,
                ("enforce_naming_style", "STYLE2024") => self.style = Style::Style2024,
                ("enforce_naming_style", "STYLE2026") => self.style = Style::Style2026,
                ("enforce_proto_limits", "LEGACY_NO_EXPLICIT_LIMITS") => self.limits = false,
                ("enforce_proto_limits", "PROTO_LIMITS2026") => self.limits = true,
                _ => {}
            }
        });
        self
    }
}

/// Checks the names of one file.
pub(super) fn check(context: &mut FileContext<'_, '_>) {
    let file = context.file();
    let rules = match file.edition {
        Edition::Proto2 | Edition::Proto3 | Edition::E2023 => return,
        Edition::E2024 => Rules { style: Style::Style2024, limits: false },
        Edition::E2026 => Rules { style: Style::Style2026, limits: true },
    };
    let rules = rules.refine(&file.ast.options);
    if let Some(package) = &file.ast.package {
        check_name(context, rules, package, "package", Case::LowerSnake);
    }
    for message in &file.ast.messages {
        check_message(context, rules, message);
    }
    for item in &file.ast.enums {
        check_enum(context, rules, item);
    }
    check_extends(context, rules, &file.ast.extends);
    for service in &file.ast.services {
        let rules = rules.refine(&service.options);
        check_name(context, rules, &service.name, "service", Case::Title);
        for method in &service.methods {
            check_name(context, rules.refine(&method.options), &method.name, "method", Case::Title);
        }
    }
}

fn check_message(context: &mut FileContext<'_, '_>, rules: Rules, message: &ast::Message<'_>) {
    let rules = rules.refine(&message.options);
    check_name(context, rules, &message.name, "message", Case::Title);
    for oneof in &message.oneofs {
        let rules = rules.refine(&oneof.options);
        check_name(context, rules, &oneof.name, "oneof", Case::LowerSnake);
        check_collision(context, rules, message, &oneof.name, "oneof");
    }
    for field in &message.fields {
        let oneof = field.oneof.and_then(|index| message.oneofs.get(index as usize));
        let rules = oneof.map_or(rules, |oneof| rules.refine(&oneof.options)).refine(&field.options);
        check_name(context, rules, &field.name, "field", Case::LowerSnake);
        check_collision(context, rules, message, &field.name, "field");
    }
    if rules.limits {
        check_limit(context, &message.name, message.fields.len(), 1500, "fields");
        check_limit(context, &message.name, message.oneofs.len(), 1000, "oneofs");
    }
    for inner in &message.messages {
        check_message(context, rules, inner);
    }
    for item in &message.enums {
        check_enum(context, rules, item);
    }
    check_extends(context, rules, &message.extends);
}

fn check_enum(context: &mut FileContext<'_, '_>, rules: Rules, item: &ast::Enum<'_>) {
    let rules = rules.refine(&item.options);
    check_name(context, rules, &item.name, "enum", Case::Title);
    for value in &item.values {
        check_name(context, rules.refine(&value.options), &value.name, "enum value", Case::UpperSnake);
    }
    if rules.limits {
        check_limit(context, &item.name, item.values.len(), 1700, "values");
    }
}

fn check_extends(context: &mut FileContext<'_, '_>, rules: Rules, blocks: &[ast::Extend<'_>]) {
    for field in blocks.iter().flat_map(|block| &block.fields) {
        check_name(context, rules.refine(&field.options), &field.name, "field", Case::LowerSnake);
    }
}

fn check_limit(context: &mut FileContext<'_, '_>, name: &ast::Name<'_>, count: usize, limit: usize, what: &str) {
    if count > limit {
        context.error(
            name.span,
            format!("`{}` has {count} {what}; edition 2026 allows {limit}", name.text),
            "split it, or set `features.enforce_proto_limits = LEGACY_NO_EXPLICIT_LIMITS`",
        );
    }
}

#[derive(Clone, Copy)]
enum Case {
    Title,
    LowerSnake,
    UpperSnake,
}

fn check_name(context: &mut FileContext<'_, '_>, rules: Rules, name: &ast::Name<'_>, what: &str, case: Case) {
    if rules.style == Style::Legacy {
        return;
    }
    if let Some(wrong) = offence(&name.text, case) {
        context.error(
            name.span,
            format!("the {what} name `{}` {wrong}, which editions check since 2024", name.text),
            "rename it, or set `features.enforce_naming_style = STYLE_LEGACY`",
        );
    }
}

fn offence(name: &str, case: Case) -> Option<&'static str> {
    let first = name.bytes().next().unwrap_or_default();
    let all = |allowed: fn(u8) -> bool| name.bytes().all(allowed);
    match case {
        Case::Title if !all(|byte| byte.is_ascii_alphanumeric()) => Some("is not in TitleCase"),
        Case::Title if !first.is_ascii_uppercase() => Some("does not begin with a capital letter"),
        Case::LowerSnake
            if !all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'.')) =>
        {
            Some("is not in lower_snake_case")
        }
        Case::LowerSnake if !first.is_ascii_lowercase() => Some("does not begin with a lower-case letter"),
        Case::UpperSnake if !all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_') => {
            Some("is not in UPPER_SNAKE_CASE")
        }
        Case::UpperSnake if !first.is_ascii_uppercase() => Some("does not begin with a capital letter"),
        Case::LowerSnake | Case::UpperSnake if has_odd_underscore(name) => {
            Some("has an underscore that is not followed by a letter")
        }
        Case::Title | Case::LowerSnake | Case::UpperSnake => None,
    }
}

fn has_odd_underscore(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes
        .iter()
        .enumerate()
        .any(|(index, byte)| *byte == b'_' && !bytes.get(index + 1).is_some_and(u8::is_ascii_alphabetic))
}

/// Generated accessors of one field must not have the name of another field.
fn check_collision(
    context: &mut FileContext<'_, '_>,
    rules: Rules,
    message: &ast::Message<'_>,
    name: &ast::Name<'_>,
    what: &str,
) {
    if rules.style < Style::Style2026 {
        return;
    }
    let help = "rename one of them, or set `features.enforce_naming_style = STYLE2024`";
    if name.text == "descriptor" {
        context.error(
            name.span,
            format!("a {what} cannot be called `descriptor`: generated code has that name already"),
            help,
        );
    }
    let exists = |other: &str| {
        message.fields.iter().any(|field| field.name.text == other)
            || message.oneofs.iter().any(|oneof| oneof.name.text == other)
    };
    let prefixes = ["get_", "set_", "has_", "clear_"].iter().filter_map(|prefix| name.text.strip_prefix(prefix));
    for other in prefixes.chain(name.text.strip_suffix("_value")) {
        if exists(other) {
            context.error(
                name.span,
                format!("the {what} name `{}` collides with what is generated for `{other}`", name.text),
                help,
            );
        }
    }
}
