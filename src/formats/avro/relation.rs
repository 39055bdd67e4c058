//! What a reader makes of what a writer wrote, as far as the two types themselves decide, without looking at data
//! (specification, *Schema Resolution*).
//!
//! What differs inside records, enums, arrays and maps is a change of its own and does not count here. The round trips
//! check these statements with an implementation that shares no code with them.

use crate::change::Pair;
use crate::evidence::Outcome;
use crate::text::first_of;

use rustc_hash::FxHashSet;

use super::model::{By, Enum, Field, Kind, Logical, Primitive, Record, Schema, TypeId, Union, Use};

/// A side that writes and a side that reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading<'s, 'w, 'r> {
    pub writer: &'s Schema<'w>,
    pub reader: &'s Schema<'r>,
}

impl Reading<'_, '_, '_> {
    /// What the reader sees at worst, where the two types stand alone or one of them in a union. `same` are the types that
    /// are two versions of one thing: what differs inside of them is told as changes of its own. What is inside of all
    /// others counts.
    pub(super) fn outcome_beside(self, writer: TypeId, reader: TypeId, same: Option<(TypeId, TypeId)>) -> Outcome {
        match (self.writer.kind(writer), self.reader.kind(reader)) {
            (Kind::Union(branches), _) => {
                let each = branches.iter().map(|branch| self.outcome_beside(branch.ty, reader, same));
                each.max().unwrap_or(Outcome::Safe)
            }
            (_, Kind::Union(branches)) => match self.branch_for(writer, branches) {
                Some(index) => self.outcome_beside(writer, branches[index].ty, same),
                None => Outcome::Fails,
            },
            // Of two primitive types that differ everything is told of the position.
            (Kind::Primitive(written), Kind::Primitive(wanted)) if written != wanted => {
                self.outcome(writer, reader).max(self.meaning(writer, reader))
            }
            _ if same == Some((writer, reader)) => self.outcome(writer, reader),
            _ => self.inside(writer, reader, &mut FxHashSet::default()),
        }
    }

    /// What the reader sees at worst of everything inside; what is being looked at already is taken to be fine.
    fn inside(self, writer: TypeId, reader: TypeId, open: &mut FxHashSet<(TypeId, TypeId)>) -> Outcome {
        let alone = self.outcome(writer, reader).max(self.meaning(writer, reader));
        if alone >= Outcome::Fails || !open.insert((writer, reader)) {
            return alone;
        }
        let within = match (self.writer.kind(writer), self.reader.kind(reader)) {
            (Kind::Union(branches), _) => {
                branches.iter().map(|branch| self.inside(branch.ty, reader, open)).max().unwrap_or(Outcome::Safe)
            }
            (_, Kind::Union(branches)) => match self.branch_for(writer, branches) {
                Some(index) => self.inside(writer, branches[index].ty, open),
                None => Outcome::Fails,
            },
            (Kind::Array(written), Kind::Array(wanted)) | (Kind::Map(written), Kind::Map(wanted)) => {
                self.inside(written.ty, wanted.ty, open)
            }
            (Kind::Enum(written), Kind::Enum(wanted)) => symbols(written, wanted),
            (Kind::Record(written), Kind::Record(wanted)) => self.fields(written, wanted, open),
            _ => Outcome::Safe,
        };
        alone.max(within)
    }

    /// What becomes of a meaning that both types have and that is not the same.
    fn meaning(self, writer: TypeId, reader: TypeId) -> Outcome {
        let logical = Pair::new(self.writer.ty(writer).logical, self.reader.ty(reader).logical);
        if logical.old == logical.new { Outcome::Safe } else { logical_relation(logical).1 }
    }

    /// What becomes of the fields of a record. Aliases that lead to several fields, or to one that is taken, make every
    /// reading fail.
    fn fields(self, written: &Record<'_>, wanted: &Record<'_>, open: &mut FxHashSet<(TypeId, TypeId)>) -> Outcome {
        let mut taken: FxHashSet<&str> = FxHashSet::default();
        let read = wanted.fields.iter().map(|field| match (sources(written, field).as_slice(), &field.default) {
            ([], Some(_)) => Outcome::Defaulted,
            ([source], _) if taken.insert(&source.name) => self.inside(source.schema.ty, field.schema.ty, open),
            _ => Outcome::Fails,
        });
        read.max().unwrap_or(Outcome::Safe)
    }

    /// What the reader sees at worst.
    pub(super) fn outcome(self, writer: TypeId, reader: TypeId) -> Outcome {
        match (self.writer.kind(writer), self.reader.kind(reader)) {
            (Kind::Union(branches), _) => {
                branches.iter().map(|branch| self.outcome(branch.ty, reader)).max().unwrap_or(Outcome::Safe)
            }
            (_, Kind::Union(branches)) => match self.branch_for(writer, branches) {
                Some(index) => self.outcome(writer, branches[index].ty),
                None => Outcome::Fails,
            },
            (Kind::Primitive(written), Kind::Primitive(wanted)) => promotion(*written, *wanted),
            (Kind::Array(_), Kind::Array(_)) | (Kind::Map(_), Kind::Map(_)) => Outcome::Safe,
            (Kind::Fixed(written), Kind::Fixed(wanted)) if written.size != wanted.size => Outcome::Fails,
            (Kind::Opaque(written), other) => same_opaque(&written.full, other),
            (other, Kind::Opaque(wanted)) => same_opaque(&wanted.full, other),
            _ if self.names_match(writer, reader) => Outcome::Safe,
            _ => Outcome::Fails,
        }
    }

    /// Whether two named types of the same sort match: by simple name, or by an alias of the reader.
    pub(super) fn names_match(self, writer: TypeId, reader: TypeId) -> bool {
        let (written, wanted) = (self.writer.kind(writer), self.reader.kind(reader));
        match (written.name(), wanted.name()) {
            (Some(name), Some(other)) => {
                std::mem::discriminant(written) == std::mem::discriminant(wanted)
                    && (name.simple() == other.simple() || wanted.aliases().iter().any(|alias| alias.full == name.full))
            }
            _ => false,
        }
    }

    /// The branch of the reader's union that takes a written type. A named type: that of the same full name, else that
    /// with an alias of this name, else that of the same unqualified name, for a fixed one of the right size first. Any
    /// other: the very same type, else the first to which it can be promoted.
    pub(super) fn branch_for(self, writer: TypeId, union: &Union) -> Option<usize> {
        let written = self.writer.kind(writer);
        let Some(name) = written.name() else { return self.nameless_branch_for(written, union) };
        let kind_of = |index: &usize| self.reader.kind(union[*index].ty);
        let is_same_sort = |index: &usize| std::mem::discriminant(written) == std::mem::discriminant(kind_of(index));
        let fits = |index: &usize| match (written, kind_of(index)) {
            (Kind::Fixed(written), Kind::Fixed(wanted)) => written.size == wanted.size,
            _ => true,
        };
        let named = |by| union.called(self.reader, by).find(is_same_sort);
        let alike = By::Simple(name.simple());
        named(By::Full(&name.full))
            .or_else(|| named(By::Alias(&name.full)))
            .or_else(|| union.called(self.reader, alike).filter(is_same_sort).find(fits))
            .or_else(|| named(alike))
    }

    fn nameless_branch_for(self, written: &Kind<'_>, union: &Union) -> Option<usize> {
        let position =
            |takes: &dyn Fn(&Kind<'_>) -> bool| union.iter().position(|branch| takes(self.reader.kind(branch.ty)));
        let is_same = |wanted: &Kind<'_>| match (written, wanted) {
            (Kind::Primitive(written), Kind::Primitive(wanted)) => written == wanted,
            _ => std::mem::discriminant(written) == std::mem::discriminant(wanted),
        };
        let promotes = |wanted: &Kind<'_>| match (written, wanted) {
            (Kind::Primitive(written), Kind::Primitive(wanted)) => is_promotion(*written, *wanted),
            _ => false,
        };
        position(&is_same).or_else(|| position(&promotes))
    }

    /// Why each branch of the reader's union refuses a written type, in words.
    pub(super) fn refusals(self, writer: TypeId, union: &[Use]) -> String {
        let refused = union.iter().map(|branch| {
            let called = self.reader.called(branch.ty);
            format!("`{called}`: {}", self.refusal(writer, branch.ty))
        });
        if union.is_empty() { "the union has no branch at all".to_owned() } else { first_of(refused, REFUSALS, "; ") }
    }

    /// Why one type does not take what was written as another, in words.
    fn refusal(self, writer: TypeId, reader: TypeId) -> String {
        let (written, wanted) = (self.writer.kind(writer), self.reader.kind(reader));
        match (written.name(), wanted.name()) {
            (Some(name), Some(_)) if std::mem::discriminant(written) == std::mem::discriminant(wanted) => {
                format!("another name, and no alias `{}`", name.full)
            }
            _ => format!("{} does not become {}", sort(written), sort(wanted)),
        }
    }
}

/// Branches of which it is told why they refuse a value.
const REFUSALS: usize = 12;

/// The written fields that a reader's field may stand for: that of its name, and those of its aliases but for the ones
/// that the former had already, beside the other field.
fn sources<'f, 'w>(written: &'f Record<'w>, wanted: &Field<'_>) -> Vec<&'f Field<'w>> {
    let find = |name: &str| written.fields.iter().find(|field| field.name == name);
    let own = find(&wanted.name);
    let mut sources: Vec<&Field<'_>> = own.into_iter().collect();
    for (alias, _) in &wanted.aliases {
        let had = own.is_some_and(|own| own.aliases.iter().any(|(known, _)| known == alias));
        let source = find(alias).filter(|source| !had && sources.iter().all(|known| known.name != source.name));
        sources.extend(source);
    }
    sources
}

/// What a reader makes of the symbols of another enum.
fn symbols(written: &Enum<'_>, wanted: &Enum<'_>) -> Outcome {
    let known: FxHashSet<&str> = wanted.symbols.iter().map(|(symbol, _)| &**symbol).collect();
    match (written.symbols.iter().all(|(symbol, _)| known.contains(&**symbol)), wanted.default) {
        (true, _) => Outcome::Safe,
        (false, Some(_)) => Outcome::Unrecognized,
        (false, None) => Outcome::Fails,
    }
}

/// A type that could not be found is compared by its name.
fn same_opaque(name: &str, other: &Kind<'_>) -> Outcome {
    let is_same = other.name().is_some_and(|other| *other.full == *name);
    if is_same { Outcome::Safe } else { Outcome::Fails }
}

/// What a reader of one primitive type makes of another.
const fn promotion(written: Primitive, wanted: Primitive) -> Outcome {
    use Primitive::{Boolean, Bytes, Double, Float, Int, Long, Null, String};
    match (written, wanted) {
        (Int, Long | Double) | (Float, Double) | (String, Bytes) => Outcome::Safe,
        // Above 2^24 and 2^53 whole numbers are rounded: the reader sees a number that nobody wrote.
        (Int, Float) | (Long, Float | Double) => Outcome::Wrong,
        // Bytes that are not UTF-8 are no text.
        (Bytes, String) => Outcome::Fails,
        (Null, Null) | (Boolean, Boolean) | (Int, Int) | (Long, Long) => Outcome::Safe,
        (Float, Float) | (Double, Double) | (Bytes, Bytes) | (String, String) => Outcome::Safe,
        _ => Outcome::Fails,
    }
}

/// Up to which whole number a promotion keeps every one, where it rounds larger ones.
pub(super) const fn exact_up_to(written: &Kind<'_>, wanted: &Kind<'_>) -> Option<&'static str> {
    use Primitive::{Double, Float, Int, Long};
    match (written, wanted) {
        (Kind::Primitive(Int | Long), Kind::Primitive(Float)) => Some("2^24"),
        (Kind::Primitive(Long), Kind::Primitive(Double)) => Some("2^53"),
        _ => None,
    }
}

/// Whether a value of the first type may be read as one of the second, which is another one.
fn is_promotion(written: Primitive, wanted: Primitive) -> bool {
    promotion(written, wanted) != Outcome::Fails || (written, wanted) == (Primitive::Bytes, Primitive::String)
}

/// How two logical types relate that differ, and what a reader of one sees of the other where the bytes arrive.
pub(super) fn logical_relation(logical: Pair<Option<Logical>>) -> (&'static str, Outcome) {
    match (logical.old, logical.new) {
        (None, _) => ("added", Outcome::Safe),
        (_, None) => ("removed", Outcome::Safe),
        (Some(Logical::Decimal { scale: old, .. }), Some(Logical::Decimal { scale: new, .. })) => {
            if old == new {
                ("precision", Outcome::Safe)
            } else {
                ("scale", Outcome::Wrong)
            }
        }
        (Some(Logical::Timestamp(_)), Some(Logical::Timestamp(_)))
        | (Some(Logical::LocalTimestamp(_)), Some(Logical::LocalTimestamp(_)))
        | (Some(Logical::TimeMillis), Some(Logical::TimeMicros))
        | (Some(Logical::TimeMicros), Some(Logical::TimeMillis)) => ("unit", Outcome::Wrong),
        _ => ("meaning", Outcome::Wrong),
    }
}

/// What sort of type something is, with its article.
fn sort(kind: &Kind<'_>) -> &'static str {
    match kind {
        Kind::Primitive(Primitive::Int) => "an int",
        Kind::Primitive(Primitive::Null) => "null",
        Kind::Primitive(Primitive::Boolean) => "a boolean",
        Kind::Primitive(Primitive::Long) => "a long",
        Kind::Primitive(Primitive::Float) => "a float",
        Kind::Primitive(Primitive::Double) => "a double",
        Kind::Primitive(Primitive::Bytes) => "bytes",
        Kind::Primitive(Primitive::String) => "a string",
        Kind::Record(record) if record.is_error => "an error",
        Kind::Record(_) => "a record",
        Kind::Enum(_) => "an enum",
        Kind::Fixed(_) => "a fixed",
        Kind::Array(_) => "an array",
        Kind::Map(_) => "a map",
        Kind::Union(_) => "a union",
        Kind::Opaque(_) => "an unknown type",
    }
}

/// A type as people write it: `int`, `array<Item>`, `[null, string]`, `timestamp-millis`.
pub(super) fn spelled(schema: &Schema<'_>, ty: TypeId) -> String {
    let mut out = String::new();
    spell(schema, ty, 0, &mut out);
    out
}

const DEEPEST: usize = 6;
const BRANCHES_SPELLED: usize = 8;

fn spell(schema: &Schema<'_>, ty: TypeId, depth: usize, out: &mut String) {
    if depth > DEEPEST {
        return out.push('…');
    }
    if let Some(logical) = schema.ty(ty).logical {
        return out.push_str(&logical_spelled(logical, schema.called(ty)));
    }
    match schema.kind(ty) {
        Kind::Array(items) => {
            out.push_str("array<");
            spell(schema, items.ty, depth + 1, out);
            out.push('>');
        }
        Kind::Map(values) => {
            out.push_str("map<");
            spell(schema, values.ty, depth + 1, out);
            out.push('>');
        }
        Kind::Union(branches) => {
            out.push('[');
            for (index, branch) in branches.iter().enumerate().take(BRANCHES_SPELLED) {
                out.push_str(if index > 0 { ", " } else { "" });
                spell(schema, branch.ty, depth + 1, out);
            }
            out.push_str(if branches.len() > BRANCHES_SPELLED { ", …]" } else { "]" });
        }
        Kind::Fixed(fixed) => out.push_str(&format!("{} (fixed, {} bytes)", fixed.name.full, fixed.size)),
        _ => out.push_str(schema.called(ty)),
    }
}

/// What a type with a name is; of arrays, maps and unions, what they hold.
pub(super) fn named_sort(schema: &Schema<'_>, ty: TypeId) -> Option<&'static str> {
    named_within(schema, ty, DEEPEST)
}

fn named_within(schema: &Schema<'_>, ty: TypeId, depth: usize) -> Option<&'static str> {
    let depth = depth.checked_sub(1)?;
    match schema.kind(ty) {
        Kind::Record(_) => Some("a record"),
        Kind::Enum(_) => Some("an enum"),
        Kind::Array(held) | Kind::Map(held) => named_within(schema, held.ty, depth),
        Kind::Union(branches) => branches.iter().find_map(|branch| named_within(schema, branch.ty, depth)),
        // Of these the name is not all that is written.
        Kind::Fixed(_) | Kind::Primitive(_) | Kind::Opaque(_) => None,
    }
}

/// A logical type as people write it, with what it stands on where that is not clear.
pub(super) fn logical_spelled(logical: Logical, on: &str) -> String {
    match logical {
        Logical::Decimal { precision, scale } => format!("decimal({precision}, {scale}) on {on}"),
        Logical::Uuid => format!("uuid on {on}"),
        _ => logical.name().to_owned(),
    }
}

#[cfg(test)]
#[path = "relation_tests.rs"]
mod tests;
