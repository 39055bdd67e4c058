//! What an edition stands for and how options refine it: file → message → oneof → field, or file → enum.
//!
//! Only the six features that change what bytes or JSON mean are decided here. Whether a feature may stand where it
//! stands is a question about options in general ([`super::options`]).

use crate::change::Span;

use super::ast::{OptionNode, OptionValue, OptionValueKind};
use super::model::{Edition, Features, Presence};

/// What an edition means before any option is applied (`edition_defaults` in `google/protobuf/descriptor.proto`).
pub(super) const fn defaults(edition: Edition) -> Features {
    match edition {
        Edition::Proto2 => Features {
            field_presence: Presence::Explicit,
            enum_closed: true,
            packed: false,
            utf8: false,
            delimited: false,
            json_allow: false,
        },
        Edition::Proto3 => Features {
            field_presence: Presence::Implicit,
            enum_closed: false,
            packed: true,
            utf8: true,
            delimited: false,
            json_allow: true,
        },
        Edition::E2023 | Edition::E2024 | Edition::E2026 => Features {
            field_presence: Presence::Explicit,
            enum_closed: false,
            packed: true,
            utf8: true,
            delimited: false,
            json_allow: true,
        },
    }
}

/// The features of an element: those of its parent, refined by its own options.
///
/// Words that are no value of their feature change nothing; they are reported where options are checked.
pub(super) fn refine(edition: Edition, parent: Features, options: &[OptionNode<'_>]) -> Features {
    let mut features = parent;
    if edition >= Edition::E2023 {
        each_override(options, |name, value| set(&mut features, name, value));
    }
    features
}

/// Calls `visit` with the name and value of every core feature that the options set, in both notations:
/// `features.x = Y` and `features = { x: Y }`.
pub(super) fn each_override<'o, 'a>(
    options: &'o [OptionNode<'a>],
    mut visit: impl FnMut(&'o str, &'o OptionValue<'a>),
) {
    for option in options {
        let [first, rest @ ..] = option.name.as_slice() else { continue };
        if first.is_extension || first.name.text != "features" {
            continue;
        }
        match (rest, &option.value.kind) {
            ([part], _) if !part.is_extension => visit(&part.name.text, &option.value),
            ([], OptionValueKind::Message(fields)) => {
                for field in fields.iter().filter(|field| !field.is_bracketed) {
                    visit(&field.name.text, &field.value);
                }
            }
            _ => {}
        }
    }
}

fn set(features: &mut Features, name: &str, value: &OptionValue<'_>) {
    let text = match value.kind {
        OptionValueKind::Identifier { text, negative: false } => text,
        OptionValueKind::Integer { magnitude, negative: false } => by_number(name, magnitude),
        _ => return,
    };
    match (name, text) {
        ("field_presence", "EXPLICIT") => features.field_presence = Presence::Explicit,
        ("field_presence", "IMPLICIT") => features.field_presence = Presence::Implicit,
        ("field_presence", "LEGACY_REQUIRED") => features.field_presence = Presence::Required,
        ("enum_type", "OPEN") => features.enum_closed = false,
        ("enum_type", "CLOSED") => features.enum_closed = true,
        ("repeated_field_encoding", "PACKED") => features.packed = true,
        ("repeated_field_encoding", "EXPANDED") => features.packed = false,
        ("utf8_validation", "VERIFY") => features.utf8 = true,
        ("utf8_validation", "NONE") => features.utf8 = false,
        ("message_encoding", "LENGTH_PREFIXED") => features.delimited = false,
        ("message_encoding", "DELIMITED") => features.delimited = true,
        ("json_format", "ALLOW") => features.json_allow = true,
        ("json_format", "LEGACY_BEST_EFFORT") => features.json_allow = false,
        _ => {}
    }
}

/// The name of a feature's value: message literals may give its number.
fn by_number(feature: &str, number: u64) -> &'static str {
    match (feature, number) {
        ("field_presence", 1) => "EXPLICIT",
        ("field_presence", 2) => "IMPLICIT",
        ("field_presence", 3) => "LEGACY_REQUIRED",
        ("enum_type", 1) => "OPEN",
        ("enum_type", 2) => "CLOSED",
        ("repeated_field_encoding", 1) => "PACKED",
        ("repeated_field_encoding", 2) => "EXPANDED",
        ("utf8_validation", 2) => "VERIFY",
        ("utf8_validation", 3) => "NONE",
        ("message_encoding", 1) => "LENGTH_PREFIXED",
        ("message_encoding", 2) => "DELIMITED",
        ("json_format", 1) => "ALLOW",
        ("json_format", 2) => "LEGACY_BEST_EFFORT",
        _ => "",
    }
}

/// The value of a core feature that the element's own options set.
pub(super) fn own<'o, 'a>(options: &'o [OptionNode<'a>], feature: &str) -> Option<&'o OptionValue<'a>> {
    let mut found = None;
    each_override(options, |name, value| {
        if name == feature {
            found = Some(value);
        }
    });
    found
}

/// Every `features.(pb.x).y = Z`, in all three notations: language, feature, value, place.
pub(super) fn each_of_language<'o, 'a>(
    options: &'o [OptionNode<'a>],
    mut visit: impl FnMut(&'o str, &'o str, &'o OptionValue<'a>, Span),
) {
    for option in options {
        let [first, rest @ ..] = &*option.name else { continue };
        if first.is_extension || first.name.text != "features" {
            continue;
        }
        match (rest, &option.value.kind) {
            ([extension, feature], _) if extension.is_extension => {
                visit(language(&extension.name.text), &feature.name.text, &option.value, option.span);
            }
            ([extension], OptionValueKind::Message(fields)) if extension.is_extension => {
                for field in fields {
                    visit(language(&extension.name.text), &field.name.text, &field.value, field.span);
                }
            }
            ([], OptionValueKind::Message(fields)) => {
                for field in fields.iter().filter(|field| field.is_bracketed) {
                    let OptionValueKind::Message(inner) = &field.value.kind else { continue };
                    for feature in inner {
                        visit(language(&field.name.text), &feature.name.text, &feature.value, feature.span);
                    }
                }
            }
            _ => {}
        }
    }
}

/// `pb.cpp` is `cpp`.
pub(super) fn language(extension: &str) -> &str {
    let name = extension.trim_start_matches('.');
    name.strip_prefix("pb.").unwrap_or(name)
}

/// The value of a feature of a language where nothing sets it (`edition_defaults` in `google/protobuf/*_features.proto`).
pub(super) fn default_of_language(edition: Edition, language: &str, feature: &str) -> Option<&'static str> {
    let since_2024 = |before, since| if edition >= Edition::E2024 { since } else { before };
    Some(match (language, feature) {
        ("cpp" | "java", "legacy_closed_enum") | ("go", "legacy_unmarshal_json_enum") => {
            if edition == Edition::Proto2 {
                "true"
            } else {
                "false"
            }
        }
        ("cpp", "string_type") => since_2024("STRING", "VIEW"),
        ("cpp", "enum_name_uses_string_view") => since_2024("false", "true"),
        ("cpp", "repeated_type") => "LEGACY",
        ("java", "utf8_validation") => "DEFAULT",
        ("java", "large_enum") => "false",
        ("java", "nest_in_file_class") => since_2024("LEGACY", "NO"),
        ("go", "api_level") => since_2024("API_LEVEL_UNSPECIFIED", "API_OPAQUE"),
        ("go", "strip_enum_prefix") => "STRIP_ENUM_PREFIX_KEEP",
        _ => return None,
    })
}
