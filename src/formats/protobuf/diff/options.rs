//! Options that change nothing on the wire: which of them differ, by effective value.

use crate::change::{FactKey, Pair, Span};
use crate::formats::frame::differ::Draft;

use super::super::ast::{LiteralField, OptionNamePart, OptionNode, OptionValue, OptionValueKind};
use super::super::features::each_of_language;

/// The options that said the same before there were features.
const EARLIER: [(&str, &str, &str); 2] =
    [("ctype", "cpp", "string_type"), ("java_string_check_utf8", "java", "utf8_validation")];

/// Field options whose effect is a change of its own.
pub(super) const FIELD_EFFECTS: &[&str] = &["packed", "default", "json_name"];

/// The option by which extensions are written as items of a set.
pub(super) const MESSAGE_SET: &str = "message_set_wire_format";

/// An option with different values on the two sides.
pub(super) struct OptionDifference {
    pub name: String,
    pub at: Pair<Option<Span>>,
    pub values: Pair<Option<String>>,
}

impl OptionDifference {
    pub(super) fn state(&self, draft: Draft) -> Draft {
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "unset".to_owned());
        draft
            .fact(FactKey::Effect, effect(&self.name))
            .fact(FactKey::Name, &*self.name)
            .fact(FactKey::OldValue, text(&self.values.old))
            .fact(FactKey::NewValue, text(&self.values.new))
    }
}

/// Standard options, and features of languages, change what code generators write; every other option is metadata for
/// people and tools.
fn effect(name: &str) -> &'static str {
    const GENERATED_CODE: &[&str] = &[
        "cc_enable_arenas",
        "cc_generic_services",
        "csharp_namespace",
        "ctype",
        "go_package",
        "java_generate_equals_and_hash",
        "java_generic_services",
        "java_multiple_files",
        "java_outer_classname",
        "java_package",
        "java_string_check_utf8",
        "jstype",
        "no_standard_descriptor_accessor",
        "objc_class_prefix",
        "optimize_for",
        "php_class_prefix",
        "php_metadata_namespace",
        "php_namespace",
        "py_generic_services",
        "ruby_package",
        "swift_prefix",
    ];
    if GENERATED_CODE.contains(&name) || name.starts_with("features.(") { "generated-code" } else { "metadata" }
}

/// The options that differ, in the order of the old side, then of the new. Features are told apart: those of
/// the language by their effects, and those of languages by their values. `effects` names further options that are.
pub(super) fn differences(old: &[OptionNode<'_>], new: &[OptionNode<'_>], effects: &[&str]) -> Vec<OptionDifference> {
    if are_same(old, new) {
        return Vec::new();
    }
    let mut names: Vec<String> = Vec::new();
    for option in old.iter().chain(new) {
        let name = option_name(option);
        let by_effect = name == "features" || name.starts_with("features.") || effects.contains(&&*name);
        let by_effect = by_effect || is_a_feature_now(&name, Pair::new(old, new));
        if !by_effect && !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().filter_map(|name| difference(name, Pair::new(old, new))).collect()
}

/// Whether an option is one that a feature stands for, which one of the sides sets.
fn is_a_feature_now(name: &str, options: Pair<&[OptionNode<'_>]>) -> bool {
    let same = EARLIER.iter().find(|(earlier, ..)| *earlier == name);
    same.is_some_and(|(_, language, feature)| {
        [options.old, options.new]
            .into_iter()
            .any(|options| language_features(options).any(|set| set == (*language, *feature)))
    })
}

/// The features of languages that options set.
pub(super) fn language_features<'o>(options: &'o [OptionNode<'_>]) -> impl Iterator<Item = (&'o str, &'o str)> {
    let mut found = Vec::new();
    each_of_language(options, |language, feature, _, _| found.push((language, feature)));
    found.into_iter()
}

/// The value that options set, also by the option that was there before the feature, and where.
pub(super) fn set_for_language(options: &[OptionNode<'_>], language: &str, feature: &str) -> Option<(String, Span)> {
    let mut found = None;
    each_of_language(options, |of, name, value, span| {
        if (of, name) == (language, feature) {
            found = Some((value_text(value), span));
        }
    });
    let earlier = || {
        let (earlier, ..) = EARLIER.iter().find(|(_, of, name)| (*of, *name) == (language, feature))?;
        let is_it = |option: &&OptionNode<'_>| matches!(&*option.name, [part] if part.name.text == *earlier);
        let option = options.iter().find(is_it)?;
        let said = match value_text(&option.value).as_str() {
            "true" => "VERIFY".to_owned(),
            "false" => "DEFAULT".to_owned(),
            word => word.to_owned(),
        };
        Some((said, option.span))
    };
    found.or_else(earlier)
}

/// Where an option is set.
pub(super) fn span_of(options: &[OptionNode<'_>], name: &str) -> Option<Span> {
    options.iter().find(|option| option_name(option) == name).map(|option| option.span)
}

fn difference(name: String, sides: Pair<&[OptionNode<'_>]>) -> Option<OptionDifference> {
    let values = sides.map(|options| {
        let texts: Vec<String> = options
            .iter()
            .filter(|option| option_name(option) == name)
            .map(|option| value_text(&option.value))
            .collect();
        (!texts.is_empty()).then(|| texts.join(", "))
    });
    if values.old == values.new {
        return None;
    }
    // Where the encoding differs that is a change of its own.
    let is_set = |value: &Option<String>| value.as_deref() == Some("true");
    if name == MESSAGE_SET && is_set(&values.old) != is_set(&values.new) {
        return None;
    }
    let at = sides.map(|options| span_of(options, &name));
    Some(OptionDifference { name, at, values })
}

/// Whether options are the same but for where they stand.
pub(super) fn are_same(old: &[OptionNode<'_>], new: &[OptionNode<'_>]) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| is_same(old, new))
}

fn is_same(old: &OptionNode<'_>, new: &OptionNode<'_>) -> bool {
    let is_part = |(old, new): (&OptionNamePart<'_>, &OptionNamePart<'_>)| {
        (old.is_extension, &old.name.text) == (new.is_extension, &new.name.text)
    };
    old.name.len() == new.name.len() && old.name.iter().zip(&new.name).all(is_part) && says_same(&old.value, &new.value)
}

fn says_same(old: &OptionValue<'_>, new: &OptionValue<'_>) -> bool {
    match (&old.kind, &new.kind) {
        (OptionValueKind::Message(old), OptionValueKind::Message(new)) => {
            let is_field = |(old, new): (&LiteralField<'_>, &LiteralField<'_>)| {
                (old.is_bracketed, &old.name.text) == (new.is_bracketed, &new.name.text)
                    && says_same(&old.value, &new.value)
            };
            old.len() == new.len() && old.iter().zip(new).all(is_field)
        }
        (OptionValueKind::List(old), OptionValueKind::List(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| says_same(old, new))
        }
        (OptionValueKind::Float(old), OptionValueKind::Float(new)) => old.to_bits() == new.to_bits(),
        (old, new) => old == new,
    }
}

fn option_name(option: &OptionNode<'_>) -> String {
    let part = |part: &OptionNamePart<'_>| {
        if part.is_extension { format!("({})", part.name.text) } else { part.name.text.to_string() }
    };
    option.name.iter().map(part).collect::<Vec<_>>().join(".")
}

/// A value in one line, in a canonical form: white space, comments and quoting do not count.
pub(super) fn value_text(value: &OptionValue<'_>) -> String {
    let sign = |negative: bool| if negative { "-" } else { "" };
    match &value.kind {
        OptionValueKind::Identifier { text, negative } => format!("{}{text}", sign(*negative)),
        OptionValueKind::Integer { magnitude, negative } => format!("{}{magnitude}", sign(*negative)),
        OptionValueKind::Float(value) => value.to_string(),
        OptionValueKind::Bytes(bytes) => format!("\"{}\"", String::from_utf8_lossy(bytes).escape_debug()),
        OptionValueKind::Message(fields) => {
            let field = |field: &LiteralField<'_>| {
                let name =
                    if field.is_bracketed { format!("[{}]", field.name.text) } else { field.name.text.to_string() };
                format!("{name}: {}", value_text(&field.value))
            };
            format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        OptionValueKind::List(values) => format!("[{}]", values.iter().map(value_text).collect::<Vec<_>>().join(", ")),
    }
}
