//! Standard options as they are written on a declaration: those that decide something are looked up by name.

use crate::change::Span;

use super::ast::{self, OptionValueKind};

/// Whether a standard option is set to `true`.
pub(super) fn is_true(options: &[ast::OptionNode<'_>], name: &str) -> bool {
    boolean(options, name) == Some(true)
}

/// The value of a standard option that is a boolean.
pub(super) fn boolean(options: &[ast::OptionNode<'_>], name: &str) -> Option<bool> {
    match standard(options, name)?.value.kind {
        OptionValueKind::Identifier { text: "true", negative: false } => Some(true),
        OptionValueKind::Identifier { text: "false", negative: false } => Some(false),
        _ => None,
    }
}

/// A standard option of one part.
pub(super) fn standard<'o, 'a>(options: &'o [ast::OptionNode<'a>], name: &str) -> Option<&'o ast::OptionNode<'a>> {
    options.iter().find(|option| match option.name.as_slice() {
        [part] => !part.is_extension && part.name.text == name,
        _ => false,
    })
}

/// Whether a file's code is generated for the lite runtime.
pub(super) fn is_lite(options: &[ast::OptionNode<'_>]) -> bool {
    standard(options, "optimize_for")
        .is_some_and(|option| matches!(option.value.kind, OptionValueKind::Identifier { text: "LITE_RUNTIME", .. }))
}

/// The bytes of an option's value, for other checks.
pub(super) fn value_span(field: &ast::Field<'_>, option: &str) -> Span {
    standard(&field.options, option).map_or(field.span, |option| option.value.span)
}
