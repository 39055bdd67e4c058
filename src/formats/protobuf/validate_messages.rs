//! Messages: names, numbers, reserved and extension ranges, JSON names.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::change::Span;
use crate::ordered::InOrder;

use super::ast::{self, NumberRange, Type};
use super::link_fields::{MAX_NUMBER, lower_camel};
use super::model::{Edition, Field, Message, MessageId};
use super::options_standard::{boolean, is_true, standard, value_span};
use super::ranges::covers;
use super::universe::FileContext;
use super::validate_names::{Named, add_enums, check_names, extension_names};

/// Checks one message; its fields one by one are checked elsewhere.
pub(super) fn check(context: &mut FileContext<'_, '_>, id: MessageId) {
    let message = context.schema().message(id);
    check_scope(context, message);
    check_numbers(context, message);
    check_reserved_names(context, message);
    check_ranges(context, message);
    check_json_names(context, message);
    check_kind_of_message(context, message);
    super::validate_extensions::check_ranges(context, message);
}

fn check_scope(context: &mut FileContext<'_, '_>, message: &Message<'_>) {
    let ast = message.ast;
    let mut names: Vec<Named<'_>> = Vec::with_capacity(ast.fields.len() + ast.messages.len());
    let field_names: Vec<Cow<'_, str>> = ast.fields.iter().map(super::link_fields::field_name).collect();
    let fields = ast.fields.iter().zip(&field_names);
    names.extend(fields.map(|(field, name)| (name.as_ref(), field.name.span, "field")));
    names.extend(ast.oneofs.iter().map(|oneof| (oneof.name.text.as_ref(), oneof.name.span, "oneof")));
    names.extend(ast.messages.iter().map(|inner| (inner.name.text.as_ref(), inner.name.span, "message")));
    add_enums(&mut names, &ast.enums);
    let extensions = extension_names(&ast.extends);
    names.extend(extensions.iter().map(|(name, span)| (name.as_str(), *span, "extension")));
    let entries: Vec<(String, Span)> = ast
        .fields
        .iter()
        .filter(|field| matches!(field.ty, Type::Map { .. }))
        .map(|field| (entry_name(&field.name.text), field.name.span))
        .collect();
    names.extend(entries.iter().map(|(name, span)| (name.as_str(), *span, "entry type of a map")));
    check_names(context, &message.full_name, names);
}

/// The name of the message that stands for the entries of a map: `foo_bar` has `FooBarEntry`.
pub(super) fn entry_name(field: &str) -> String {
    let mut name = String::with_capacity(field.len() + 5);
    let mut raise = true;
    for character in field.chars() {
        if character == '_' {
            raise = true;
        } else {
            name.push(if raise { character.to_ascii_uppercase() } else { character });
            raise = false;
        }
    }
    name.push_str("Entry");
    name
}

fn check_numbers(context: &mut FileContext<'_, '_>, message: &Message<'_>) {
    let mut fields: Vec<&ast::Field<'_>> = message.ast.fields.iter().filter(|field| field.number > 0).collect();
    let numbers = Numbers::of(message);
    for field in &fields {
        check_number(context, &numbers, field);
    }
    fields.sort_in_order_by_key(|field| field.number);
    for pair in fields.windows(2) {
        let [first, second] = pair else { continue };
        if first.number == second.number {
            context.error(
                second.number_span,
                format!(
                    "fields `{}` and `{}` of `{}` have the same number {}: readers could not tell them apart",
                    first.name.text, second.name.text, message.full_name, first.number
                ),
                format!("give one of them a number that was never used; {} is free", numbers.next_free()),
            );
        }
    }
}

/// A message, and a number that is free in it: the same for everything that is wrong with its numbers.
struct Numbers<'m> {
    message: &'m Message<'m>,
    free: OnceCell<i64>,
}

impl<'m> Numbers<'m> {
    fn of(message: &'m Message<'m>) -> Self {
        Numbers { message, free: OnceCell::new() }
    }

    fn next_free(&self) -> i64 {
        *self.free.get_or_init(|| next_free(self.message))
    }
}

fn check_number(context: &mut FileContext<'_, '_>, numbers: &Numbers<'_>, field: &ast::Field<'_>) {
    let (message, number) = (numbers.message, field.number);
    if number > MAX_NUMBER {
        context.error(
            field.number_span,
            format!("field number {number} is too large: numbers go up to {MAX_NUMBER}"),
            format!("use a smaller one; {} is free", numbers.next_free()),
        );
    } else if (19000..20000).contains(&number) {
        context.error(
            field.number_span,
            format!("field number {number} is kept for protobuf itself, as are all from 19000 to 19999"),
            format!("use another one; {} is free", numbers.next_free()),
        );
    }
    // Numbers that are too large are no more than that.
    let narrow = i32::try_from(number).unwrap_or(i32::MAX);
    if covers(&message.reserved, narrow) {
        context.error(
            field.number_span,
            format!("field `{}` of `{}` has the reserved number {number}", field.name.text, message.full_name),
            format!(
                "give it a number that was never used, such as {}; old data may still hold the reserved one",
                numbers.next_free()
            ),
        );
    }
    let holds = |range: &&NumberRange| (range.start..=range.end).contains(&number);
    let mut ranges = message.ast.extension_ranges.iter().flat_map(|statement| &statement.ranges);
    if let Some(range) = covers(&message.extension_ranges, narrow).then(|| ranges.find(holds)).flatten() {
        context.error(
            range.span,
            format!("the extension range includes the number {number} of field `{}`", field.name.text),
            "make the range smaller or move the field out of it",
        );
    }
}

/// A number larger than every one that the message mentions, if there is room.
fn next_free(message: &Message<'_>) -> i64 {
    let fields = message.ast.fields.iter().map(|field| field.number);
    let reserved = message.ast.reserved.iter().flat_map(|statement| &statement.ranges);
    let extensions = message.ast.extension_ranges.iter().flat_map(|statement| &statement.ranges);
    let ends = reserved.chain(extensions).map(|range| range.end);
    let mut candidates: Vec<i64> =
        fields.chain(ends).filter(|number| *number < MAX_NUMBER).map(|number| number + 1).collect();
    candidates.push(1);
    candidates.sort_in_order();
    let is_free = |number: i64| {
        let ranges = message.ast.reserved.iter().flat_map(|statement| &statement.ranges);
        let mut ranges = ranges.chain(message.ast.extension_ranges.iter().flat_map(|statement| &statement.ranges));
        !ranges.any(|range| (range.start..=range.end).contains(&number))
            && !message.ast.fields.iter().any(|field| field.number == number)
            && !(19000..20000).contains(&number)
    };
    candidates.iter().rev().copied().find(|number| is_free(*number)).unwrap_or(20000)
}

fn check_reserved_names(context: &mut FileContext<'_, '_>, message: &Message<'_>) {
    let mut names: Vec<&ast::Name<'_>> =
        message.ast.reserved.iter().flat_map(|statement| &statement.names).map(|reserved| &reserved.name).collect();
    if names.is_empty() {
        return;
    }
    names.sort_in_order_by(|one, other| (&one.text, one.span.start).cmp(&(&other.text, other.span.start)));
    report_repeated(context, &names);
    for field in &message.ast.fields {
        let name = super::link_fields::field_name(field);
        if names.binary_search_by(|reserved| reserved.text.cmp(&name)).is_ok() {
            context.error(
                field.name.span,
                format!("field `{name}` of `{}` has a reserved name", message.full_name),
                "choose another name; readers of JSON may still meet the reserved one with its old meaning",
            );
        }
    }
}

/// One error for each name that stands again in a sorted list.
pub(super) fn report_repeated(context: &mut FileContext<'_, '_>, names: &[&ast::Name<'_>]) {
    for pair in names.windows(2) {
        if let [first, second] = pair
            && first.text == second.text
        {
            context.error(
                second.span,
                format!("the name `{}` is reserved twice", first.text),
                "take one of the two out",
            );
        }
    }
}

fn check_ranges(context: &mut FileContext<'_, '_>, message: &Message<'_>) {
    let reserved = message.ast.reserved.iter().flat_map(|statement| &statement.ranges).map(|range| (range, "reserved"));
    let extensions =
        message.ast.extension_ranges.iter().flat_map(|statement| &statement.ranges).map(|range| (range, "extension"));
    report_overlaps(context, reserved.chain(extensions).collect());
    if message.is_message_set {
        return;
    }
    for range in message.ast.extension_ranges.iter().flat_map(|statement| &statement.ranges) {
        if range.end > MAX_NUMBER {
            context.error(
                range.span,
                format!("the extension range goes beyond the largest field number, {MAX_NUMBER}"),
                "write `max` for its end",
            );
        }
    }
}

/// One error for each range that overlaps one before it.
pub(super) fn report_overlaps(context: &mut FileContext<'_, '_>, mut ranges: Vec<(&NumberRange, &str)>) {
    ranges.sort_in_order_by_key(|(range, _)| (range.start, range.end, range.span.start));
    let mut widest: Option<(&NumberRange, &str)> = None;
    for (range, kind) in ranges {
        if let Some((before, before_kind)) = widest
            && range.start <= before.end
        {
            let later = if before.span.start > range.span.start { before } else { range };
            context.error(
                later.span,
                format!(
                    "the {kind} range {} overlaps the {before_kind} range {}",
                    range_text(range),
                    range_text(before)
                ),
                "take the numbers out of one of the two",
            );
        }
        if widest.is_none_or(|(before, _)| before.end < range.end) {
            widest = Some((range, kind));
        }
    }
}

fn range_text(range: &NumberRange) -> String {
    match (range.start == range.end, range.to_max) {
        (_, true) => format!("{} to max", range.start),
        (true, false) => range.start.to_string(),
        (false, false) => format!("{} to {}", range.start, range.end),
    }
}

/// Members of one JSON object need different names. Field masks use the names without `json_name`, so both the names
/// with and without it must differ.
fn check_json_names(context: &mut FileContext<'_, '_>, message: &Message<'_>) {
    if is_true(&message.ast.options, "deprecated_legacy_json_field_conflicts") {
        return;
    }
    let custom = |field: &Field<'_>| standard(&field.ast.options, "json_name").is_some();
    let mut names: Vec<(Cow<'_, str>, &Field<'_>, bool)> = message
        .fields
        .iter()
        .map(|field| {
            let name =
                if custom(field) { lower_camel(&field.name).into() } else { Cow::Borrowed(field.json_name.as_ref()) };
            (name, field, false)
        })
        .collect();
    report_json_conflicts(context, message, &mut names);
    if !message.fields.iter().any(custom) {
        return;
    }
    for (name, field, is_custom) in &mut names {
        *is_custom = custom(field) && *name != field.json_name;
        *name = Cow::Borrowed(field.json_name.as_ref());
    }
    for (name, field, is_custom) in &names {
        if *is_custom && name.starts_with('[') && name.ends_with(']') {
            context.error(
                value_span(field.ast, "json_name"),
                format!("the JSON name `{name}` of field `{}` looks like the name of an extension", field.name),
                "choose a name without brackets",
            );
        }
    }
    let mut names: Vec<_> = names
        .into_iter()
        .filter(|(name, _, is_custom)| !(*is_custom && name.starts_with('[') && name.ends_with(']')))
        .collect();
    report_json_conflicts(context, message, &mut names);
}

/// Reports fields of one JSON name, in the pass with custom names only those that involve one.
fn report_json_conflicts(
    context: &mut FileContext<'_, '_>,
    message: &Message<'_>,
    names: &mut [(Cow<'_, str>, &Field<'_>, bool)],
) {
    names.sort_in_order_by(|one, other| one.0.cmp(&other.0).then(one.1.ast.span.start.cmp(&other.1.ast.span.start)));
    let with_custom = names.iter().any(|(_, _, is_custom)| *is_custom);
    let mut first: Option<usize> = None;
    for index in 0..names.len() {
        let Some(before) = first.filter(|before| names[*before].0 == names[index].0) else {
            first = Some(index);
            continue;
        };
        let (name, field, is_custom) = &names[index];
        let (_, earlier, earlier_is_custom) = &names[before];
        if with_custom && !is_custom && !earlier_is_custom {
            continue; // Reported in the pass without custom names.
        }
        let text = format!(
            "fields `{}` and `{}` of `{}` have the same JSON name `{name}`",
            earlier.name, field.name, message.full_name
        );
        let help = "rename one of them, or give one another `json_name`";
        if message.features.json_allow || (*is_custom && *earlier_is_custom) {
            context.error(field.ast.name.span, text, help);
        } else {
            context.warning(field.ast.name.span, text, help);
        }
    }
}

fn check_kind_of_message(context: &mut FileContext<'_, '_>, message: &Message<'_>) {
    let options = &message.ast.options;
    if boolean(options, "map_entry").is_some()
        && let Some(option) = standard(options, "map_entry")
    {
        context.error(
            option.span,
            "`map_entry` cannot be set by hand",
            "write a field of type `map<Key, Value>`, which declares the entries by itself",
        );
    }
    let is_proto3 = context.file().edition == Edition::Proto3;
    if is_proto3 && let Some(ranges) = message.ast.extension_ranges.first() {
        context.error(
            ranges.span,
            "proto3 has no extension ranges",
            "use a field of type `google.protobuf.Any`, or `syntax = \"proto2\";` or an edition for this file",
        );
    }
    if !message.is_message_set {
        return;
    }
    if is_proto3 && let Some(option) = standard(options, "message_set_wire_format") {
        context.error(option.span, "proto3 has no message sets", "take the option out");
    }
    for field in &message.ast.fields {
        context.error(
            field.span,
            format!("`{}` is a message set and cannot have fields of its own", message.full_name),
            "declare an extension of it instead",
        );
    }
}
