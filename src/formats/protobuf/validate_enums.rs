//! Enums: numbers, aliases, reserved numbers and names, names that are equal in JSON style.

use rustc_hash::FxHashMap;

use super::ast::{self, EnumValue};
use super::model::{Enum, EnumId};
use super::options_standard::{boolean, standard};
use super::universe::FileContext;
use super::validate_messages::{report_overlaps, report_repeated};
use crate::ordered::InOrder;

/// Checks one enum.
pub(super) fn check(context: &mut FileContext<'_, '_>, id: EnumId) {
    let item = context.schema().enumeration(id);
    check_first_value(context, item);
    check_aliases(context, item);
    check_reserved(context, item);
    check_similar_names(context, item);
}

fn check_first_value(context: &mut FileContext<'_, '_>, item: &Enum<'_>) {
    let Some(first) = item.ast.values.first() else { return };
    if !item.is_closed && first.number != 0 {
        context.refuse(
            first.number_span,
            format!(
                "the first value of the open enum `{}` must be 0: it is what an absent field holds",
                item.full_name
            ),
            format!("put a value such as `{}_UNSPECIFIED = 0;` first", upper_snake(&item.ast.name.text)),
        );
    }
}

fn upper_snake(name: &str) -> String {
    let mut result = String::with_capacity(name.len() + 4);
    for (index, character) in name.char_indices() {
        if character.is_ascii_uppercase() && index > 0 && !result.ends_with('_') {
            result.push('_');
        }
        result.push(character.to_ascii_uppercase());
    }
    result
}

fn check_aliases(context: &mut FileContext<'_, '_>, item: &Enum<'_>) {
    let mut values: Vec<&EnumValue<'_>> = item.ast.values.iter().collect();
    values.sort_in_order_by_key(|value| value.number);
    let mut has_alias = false;
    let allowed = boolean(&item.ast.options, "allow_alias");
    for pair in values.windows(2) {
        let [first, second] = pair else { continue };
        if first.number != second.number {
            continue;
        }
        has_alias = true;
        if allowed != Some(true) {
            context.error(
                second.number_span,
                format!("`{}` and `{}` of enum `{}` have the same number {}", first.name.text, second.name.text, item.full_name, first.number),
                format!(
                    "give one of them another number, {} is free; if two names are meant, write `option allow_alias = true;`",
                    values.last().map_or(0, |last| last.number.saturating_add(1))
                ),
            );
        }
    }
    let option = standard(&item.ast.options, "allow_alias");
    match (allowed, option) {
        (Some(false), Some(option)) => context.refuse(
            option.span,
            format!("`allow_alias = false` has no effect on enum `{}`", item.full_name),
            "take the option out",
        ),
        (Some(true), Some(option)) if !has_alias => context.refuse(
            option.span,
            format!("enum `{}` allows aliases but no two of its values share a number", item.full_name),
            "take `option allow_alias = true;` out",
        ),
        _ => {}
    }
}

fn check_reserved(context: &mut FileContext<'_, '_>, item: &Enum<'_>) {
    if item.ast.reserved.is_empty() {
        return;
    }
    let ranges: Vec<_> = item.ast.reserved.iter().flat_map(|statement| &statement.ranges).collect();
    report_overlaps(context, ranges.iter().map(|range| (*range, "reserved")).collect());
    let mut names: Vec<&ast::Name<'_>> =
        item.ast.reserved.iter().flat_map(|statement| &statement.names).map(|reserved| &reserved.name).collect();
    names.sort_in_order_by(|one, other| (&one.text, one.span.start).cmp(&(&other.text, other.span.start)));
    report_repeated(context, &names);
    for value in &item.ast.values {
        if ranges.iter().any(|range| (range.start..=range.end).contains(&value.number)) {
            context.refuse(
                value.number_span,
                format!("`{}` of enum `{}` has the reserved number {}", value.name.text, item.full_name, value.number),
                "give it a number that was never used; old data may still hold the reserved one",
            );
        }
        if names.binary_search_by(|reserved| reserved.text.cmp(&value.name.text)).is_ok() {
            context.refuse(
                value.name.span,
                format!("`{}` of enum `{}` has a reserved name", value.name.text, item.full_name),
                "choose another name",
            );
        }
    }
}

/// Generators drop the enum's name from its values and change their case; what is left must differ.
fn check_similar_names(context: &mut FileContext<'_, '_>, item: &Enum<'_>) {
    let prefix: Vec<u8> =
        item.ast.name.text.bytes().filter(|byte| *byte != b'_').map(|byte| byte.to_ascii_lowercase()).collect();
    let mut seen: FxHashMap<String, &EnumValue<'_>> = FxHashMap::default();
    for value in &item.ast.values {
        let short = pascal_case(without_prefix(&value.name.text, &prefix));
        let first = *seen.entry(short).or_insert(value);
        if first.name.text != value.name.text && first.number != value.number {
            context.refuse(
                value.name.span,
                format!(
                    "`{}` and `{}` of enum `{}` are the same name once case and the enum's own name are left out",
                    first.name.text, value.name.text, item.full_name
                ),
                "rename one of them, or give both the same number and allow aliases",
            );
        }
    }
}

/// The name without the enum's name at its beginning, whatever its case and underscores.
fn without_prefix<'n>(name: &'n str, prefix: &[u8]) -> &'n str {
    let bytes = name.as_bytes();
    let (mut position, mut matched) = (0, 0);
    while position < bytes.len() && matched < prefix.len() {
        if bytes[position] != b'_' {
            if bytes[position].to_ascii_lowercase() != prefix[matched] {
                return name;
            }
            matched += 1;
        }
        position += 1;
    }
    if matched < prefix.len() {
        return name;
    }
    let rest = name[position..].trim_start_matches('_');
    if rest.is_empty() { name } else { rest }
}

fn pascal_case(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    let mut raise = true;
    for character in name.chars() {
        if character == '_' {
            raise = true;
        } else {
            result.push(if raise { character.to_ascii_uppercase() } else { character.to_ascii_lowercase() });
            raise = false;
        }
    }
    result
}
