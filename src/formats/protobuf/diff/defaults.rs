//! Defaults: what a field that is absent means to both sides.

use crate::change::{ChangeKind, FactKey, Pair};
use crate::evidence::Outcome;
use crate::value::{Value, same_default};

use super::super::ast::{OptionValue, OptionValueKind};
use super::super::codec::Types;
use super::super::model::{Cardinality, Constant, EnumId, Field, Kind, Presence};
use super::super::options_standard::standard;
use super::super::relation::End;
use super::super::types;
use super::fields::FieldPair;
use super::state::{Differ, Reads};

impl<'s, 'a> Differ<'s, 'a> {
    /// The value of a field that is absent, where it says one.
    pub(super) fn field_default(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let ends = pair.ends(self.schemas);
        if [ends.old, ends.new].into_iter().any(|end| end.field.kind == Kind::Opaque) {
            return self.unknown_default(pair);
        }
        let (Some(old), Some(new)) = (effective_default(ends.old), effective_default(ends.new)) else { return };
        let can_be_absent = |field: &Field<'_>| field.presence != Presence::Required;
        let enums = matches!((ends.old.field.kind, ends.new.field.kind), (Kind::Enum(_), Kind::Enum(_)));
        let explicit = ends.old.field.default.is_some() || ends.new.field.default.is_some();
        let is_renamed = is_named_otherwise(ends);
        // A float of 0.1 is a double of 0.1 to its reader, and not the other way round.
        let differs =
            Pair::new(is_renamed || !shows_same(ends.old, ends.new), is_renamed || !shows_same(ends.new, ends.old));
        // The default of an enum itself is a change of the enum, told once there.
        if !(differs.old || differs.new) || (enums && !explicit) {
            return;
        }
        // A reader that requires the field fails; that is a change of its own.
        let is_misread = can_be_absent(ends.old.field) && can_be_absent(ends.new.field);
        let wire = differs.map(|differs| if differs && is_misread { Outcome::Wrong } else { Outcome::Safe });
        let text = |end, constant: &Constant| match is_renamed {
            true => name_of(end, constant),
            false => constant_text(constant),
        };
        let draft = self
            .draft(ChangeKind::FieldDefaultChanged, pair)
            .fact(FactKey::Default, "known")
            .fact(FactKey::OldValue, text(ends.old, &old))
            .fact(FactKey::NewValue, text(ends.new, &new));
        self.push(Reads { wire, json: wire }.state(draft));
    }

    /// Which number a name of an enum stands for that is in no file that was found, and which one is the default where none
    /// is written, nobody knows.
    fn unknown_default(&mut self, pair: &FieldPair<'_, 's, 'a>) {
        let ends = pair.ends(self.schemas);
        let written = ends.map(|end| standard(&end.field.ast.options, "default").map(|option| &option.value));
        let is_same = match (&written.old, &written.new) {
            (Some(old), Some(new)) => old.kind == new.kind,
            (old, new) => old.is_none() && new.is_none(),
        };
        let can_be_absent = |end: End<'_, '_>| {
            end.field.cardinality == Cardinality::Singular && end.field.presence != Presence::Required
        };
        if is_same || ![ends.old, ends.new].into_iter().all(can_be_absent) {
            return;
        }
        let text = |value: Option<&OptionValue<'_>>| match value.map(|value| &value.kind) {
            None => "none".to_owned(),
            Some(OptionValueKind::Identifier { text, .. }) => (*text).to_owned(),
            Some(_) => "what is no name".to_owned(),
        };
        let wire = Pair::new(Outcome::Wrong, Outcome::Wrong);
        let draft = self
            .draft(ChangeKind::FieldDefaultChanged, pair)
            .fact(FactKey::Default, "unknown")
            .fact(FactKey::OldValue, text(written.old))
            .fact(FactKey::NewValue, text(written.new));
        self.push(Reads { wire, json: wire }.state(draft));
    }
}

/// What a reader sees when the field is absent; `None` where nothing comparable is seen.
fn effective_default(end: End<'_, '_>) -> Option<Constant> {
    if end.field.cardinality != Cardinality::Singular {
        return None;
    }
    if let Some(constant) = &end.field.default {
        return Some(constant.clone());
    }
    Some(match end.field.kind {
        Kind::Double | Kind::Float => Constant::Float(0.0),
        Kind::Bool => Constant::Bool(false),
        Kind::String | Kind::Bytes => Constant::Bytes(Vec::new()),
        Kind::Enum(id) => {
            let first = end.schema.enumeration(id).ast.values.first()?;
            Constant::Enum(i32::try_from(first.number).ok()?)
        }
        Kind::Message(_) | Kind::Opaque => return None,
        _ => Constant::Int(0),
    })
}

/// Whether the default that a reader shows is the one that a writer meant. Texts and numbers cannot be compared and count
/// as the same: the type change says it.
fn shows_same(writer: End<'_, '_>, reader: End<'_, '_>) -> bool {
    let of = |end: End<'_, '_>| Types::of(end.schema).default(end.field);
    let are_texts = |value: &Value| matches!(value, Value::Text(_) | Value::Bytes(_));
    match (of(writer), of(reader)) {
        // The name identifies a value that has another number now.
        (Some(Value::Enum { ty: meant, number: was }), Some(Value::Enum { ty: shown, number: is })) => {
            let (before, after) = (Types::of(writer.schema), Types::of(reader.schema));
            was == is || types::share_a_name(Pair::new((before, EnumId(meant), was), (after, EnumId(shown), is)))
        }
        (Some(meant), Some(shown)) => are_texts(&meant) != are_texts(&shown) || same_default(&meant, &shown),
        _ => true,
    }
}

/// Whether both sides have one number of an enum for a default, and it is called by a name that means another number to one
/// of them: nobody has a value for another, and yet another one is meant.
fn is_named_otherwise(ends: Pair<End<'_, '_>>) -> bool {
    let defaults = ends.map(|end| Types::of(end.schema).default(end.field));
    let (Some(Value::Enum { ty: old, number: was }), Some(Value::Enum { ty: new, number: is })) =
        (defaults.old, defaults.new)
    else {
        return false;
    };
    let (before, after) = (Types::of(ends.old.schema), Types::of(ends.new.schema));
    let names: Pair<Vec<&str>> =
        Pair::new(before.names_of_number(EnumId(old), was).collect(), after.names_of_number(EnumId(new), is).collect());
    let is_known = |types: Types<'_, '_>, id, names: &[&str]| {
        names.iter().any(|name| types.value_of_name(EnumId(id), name).is_some())
    };
    was == is
        && !names.new.is_empty()
        && !names.old.iter().any(|name| names.new.contains(name))
        && (is_known(after, new, &names.old) || is_known(before, old, &names.new))
}

/// The name of a default of an enum, or its number where it has none.
fn name_of(end: End<'_, '_>, constant: &Constant) -> String {
    let named = match (constant, end.field.kind) {
        (Constant::Enum(number), Kind::Enum(id)) => Types::of(end.schema).names_of_number(id, *number).next(),
        _ => None,
    };
    named.map_or_else(|| constant_text(constant), str::to_owned)
}

fn constant_text(constant: &Constant) -> String {
    match constant {
        Constant::Bool(value) => value.to_string(),
        Constant::Int(value) => value.to_string(),
        Constant::Float(value) => value.to_string(),
        Constant::Enum(value) => value.to_string(),
        Constant::Bytes(value) => format!("\"{}\"", value.escape_ascii()),
    }
}
