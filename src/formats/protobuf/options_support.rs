//! Options that say themselves where and when they may be used: `targets` and `feature_support` of their declaration.

use crate::change::Span;

use super::ast::{self, OptionNode, OptionValueKind};
use super::model::{Edition, Enum, Field};
use super::options_target::Target;
use super::universe::FileContext;

/// Checks one use of an option's field.
pub(super) fn check_use(context: &mut FileContext<'_, '_>, target: Target, field: &Field<'_>, span: Span) {
    let options = &field.ast.options;
    if options.is_empty() {
        return;
    }
    let mut targets =
        options.iter().filter(|option| is_named(option, "targets")).map(|option| &option.value.kind).peekable();
    let is_target = |kind: &OptionValueKind<'_>| matches!(kind, OptionValueKind::Identifier { text, .. } if *text == target.target_type());
    if targets.peek().is_some() && !targets.any(is_target) {
        context.refuse(
            span,
            format!("option `{}` cannot be set on {}", field.name, target.word()),
            "set it on what it is declared for (`targets` of its declaration)",
        );
    }
    check_support(context, &field.name, options, span);
}

/// Checks one use of an enum value as the value of an option.
pub(super) fn check_enum_value_use(
    context: &mut FileContext<'_, '_>,
    item: &Enum<'_>,
    value: &ast::EnumValue<'_>,
    span: Span,
) {
    let is_core = item.full_name.starts_with("google.protobuf.FeatureSet.");
    if is_core && value.number == 0 {
        context.refuse(
            span,
            format!("`{}` decides nothing, and a feature must decide", value.name.text),
            "write another value of the feature",
        );
    }
    check_support(context, &value.name.text, &value.options, span);
}

fn is_named(option: &OptionNode<'_>, name: &str) -> bool {
    matches!(option.name.as_slice(), [part] if !part.is_extension && part.name.text == name)
}

/// In which editions something exists.
#[derive(Debug, Default)]
struct Support {
    introduced: Option<i32>,
    deprecated: Option<i32>,
    removed: Option<i32>,
    warns: bool,
    removal_error: Option<String>,
}

fn support(options: &[OptionNode<'_>]) -> Option<Support> {
    let mut support = Support::default();
    let mut any = false;
    for option in options {
        match (option.name.as_slice(), &option.value.kind) {
            ([part], OptionValueKind::Message(fields)) if is_support(part) => {
                any = true;
                for field in fields {
                    support.set(&field.name.text, &field.value.kind);
                }
            }
            ([part, inner], value) if is_support(part) => {
                any = true;
                support.set(&inner.name.text, value);
            }
            _ => {}
        }
    }
    any.then_some(support)
}

fn is_support(part: &ast::OptionNamePart<'_>) -> bool {
    !part.is_extension && part.name.text == "feature_support"
}

impl Support {
    fn set(&mut self, name: &str, value: &OptionValueKind<'_>) {
        match (name, value) {
            ("edition_introduced", OptionValueKind::Identifier { text, .. }) => self.introduced = edition_number(text),
            ("edition_deprecated", OptionValueKind::Identifier { text, .. }) => self.deprecated = edition_number(text),
            ("edition_removed", OptionValueKind::Identifier { text, .. }) => self.removed = edition_number(text),
            ("deprecation_warning", _) => self.warns = true,
            ("removal_error", OptionValueKind::Bytes(text)) => {
                self.removal_error = Some(String::from_utf8_lossy(text).into_owned())
            }
            _ => {}
        }
    }
}

/// The number of a value of `google.protobuf.Edition`, as far as its order matters.
fn edition_number(name: &str) -> Option<i32> {
    Some(match name {
        "EDITION_LEGACY" => 900,
        "EDITION_PROTO2" => 998,
        "EDITION_PROTO3" => 999,
        "EDITION_2023" => 1000,
        "EDITION_2024" => 1001,
        "EDITION_2026" => 1002,
        "EDITION_UNSTABLE" => 9999,
        "EDITION_MAX" => i32::MAX,
        _ => return None,
    })
}

const fn own_number(edition: Edition) -> i32 {
    match edition {
        Edition::Proto2 => 998,
        Edition::Proto3 => 999,
        Edition::E2023 => 1000,
        Edition::E2024 => 1001,
        Edition::E2026 => 1002,
    }
}

fn check_support(context: &mut FileContext<'_, '_>, name: &str, options: &[OptionNode<'_>], span: Span) {
    if options.is_empty() {
        return;
    }
    let Some(support) = support(options) else { return };
    let own = own_number(context.file().edition);
    if support.introduced.is_some_and(|introduced| introduced > own) {
        context.refuse(
            span,
            format!("`{name}` does not exist yet in the edition of this file"),
            "take it out, or use a later edition",
        );
    }
    if support.removed.is_some_and(|removed| removed <= own) {
        let why = support.removal_error.unwrap_or_else(|| "take it out".to_owned());
        context.refuse(span, format!("`{name}` does not exist any more in the edition of this file"), why);
    }
}

/// Checks the `feature_support` that a declaration states about itself.
pub(super) fn check_definition(context: &mut FileContext<'_, '_>, name: &ast::Name<'_>, options: &[OptionNode<'_>]) {
    if options.is_empty() {
        return;
    }
    let Some(support) = support(options) else { return };
    let Support { introduced, deprecated, removed, warns, removal_error } = support;
    let before = |one: Option<i32>, other: Option<i32>| one.zip(other).is_some_and(|(one, other)| one < other);
    let wrong = if before(deprecated, introduced) {
        "is deprecated before it is introduced"
    } else if before(removed, introduced) {
        "is removed before it is introduced"
    } else if before(removed, deprecated) {
        "is removed before it is deprecated"
    } else if deprecated.is_some() && !warns {
        "is deprecated without a `deprecation_warning`"
    } else if deprecated.is_none() && warns {
        "has a `deprecation_warning` without being deprecated"
    } else if removed.is_some() && removal_error.is_none() {
        "is removed without a `removal_error`"
    } else if removed.is_none() && removal_error.is_some() {
        "has a `removal_error` without being removed"
    } else {
        return;
    };
    context.refuse(name.span, format!("`{}` {wrong}", name.text), "correct its `feature_support`");
}
