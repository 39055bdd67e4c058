//! What `flatc --conform` (25.12) fails on.
//!
//! Tables, structs, enums and unions meet by qualified name only, fields and values by name, defaults as the text that
//! the compiler keeps. It stops at the first problem; here all are told. It is blind in some points (layouts, required,
//! removed values, renamed types) and strict in others (how a default is spelled), so it has its own implementation.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Pair;
use crate::formats::frame::declared::{FileId, InFiles};
use crate::formats::frame::peers::{self, Where};
use crate::formats::frame::places::first_places;

use super::model::{Default, Enum, EnumId, Field, Object, ObjectId, Scalar, Schema, Type};

/// Something it fails on.
pub(super) type Failure = peers::Failure<Subject>;

/// What a failure is about.
#[derive(Debug)]
pub(super) enum Subject {
    /// A field of two types with its name and slot.
    Field(Pair<ObjectId>, String, u16),
    /// A value or a member of two enums or unions with its name.
    Value(Pair<EnumId>, String),
    /// An enum or a union as a whole.
    Enum(Pair<EnumId>),
}

const OFFSETS_DIFFER: &str = "offsets-differ";
const DEFAULTS_DIFFER: &str = "defaults-differ";
const TYPES_DIFFER: &str = "types-differ";
const OFFSET_TYPES_DIFFER: &str = "offset-types-differ";
const RENAMED_TO_DIFFERENT_TYPE: &str = "field-renamed-to-different-type";
const FIELD_DELETED: &str = "field-deleted";
const VALUES_DIFFER: &str = "values-differ";
const UNDERLYING_TYPES_DIFFER: &str = "underlying-types-differ";

/// Everything it fails on.
pub(super) fn conform(schemas: Pair<&Schema<'_>>) -> Vec<Failure> {
    let mut conform = Conform { schemas, failures: Vec::new() };
    for (object, id) in schemas.new.objects.iter().zip((0..).map(ObjectId)) {
        let known = schemas.as_ref().map(|side| side.objects_by_name.get(&object.full_name));
        if let Some(base) = base(known, id, |id| schemas.old.object(id).file, |id| schemas.new.object(id).file, schemas)
        {
            conform.fields(Pair::new(base, id));
        }
    }
    for (enumeration, id) in schemas.new.enums.iter().zip((0..).map(EnumId)) {
        let known = schemas.as_ref().map(|side| side.enums_by_name.get(&enumeration.full_name));
        if let Some(base) =
            base(known, id, |id| schemas.old.enumeration(id).file, |id| schemas.new.enumeration(id).file, schemas)
        {
            conform.values(Pair::new(base, id));
        }
    }
    conform.failures
}

/// What a declaration meets among those of its name: the one of the file with its path, of several there the one in its
/// turn; where that file has none, one of a file that was moved there, and else the first whose own file has none any more.
fn base<Id: Copy + PartialEq>(
    known: Pair<Option<&Vec<Id>>>,
    id: Id,
    old_file: impl Fn(Id) -> FileId,
    new_file: impl Fn(Id) -> FileId,
    schemas: Pair<&Schema<'_>>,
) -> Option<Id> {
    let (olds, news) = (known.old?, known.new?);
    let file = new_file(id);
    let path = schemas.new.source(file).0;
    let turn = news.iter().filter(|other| new_file(**other) == file).position(|other| *other == id)?;
    let beside: Vec<Id> = olds.iter().copied().filter(|other| schemas.old.source(old_file(*other)).0 == path).collect();
    if let Some(base) = beside.get(turn).or(beside.first()) {
        return Some(*base);
    }
    // A file that was moved says the same. What has one of its name in its own file is nobody else's.
    let there: FxHashSet<&Arc<str>> = news.iter().map(|new| schemas.new.source(new_file(*new)).0).collect();
    let is_free = |old: &&Id| !there.contains(schemas.old.source(old_file(**old)).0);
    let free: Vec<Id> = olds.iter().filter(is_free).copied().collect();
    let moved = free.iter().find(|old| schemas.old.content(old_file(**old)) == schemas.new.content(file));
    moved.or(free.first()).copied()
}

/// A field as the compiler keeps it: a union is two.
struct Kept<'f, 'b> {
    name: String,
    slot: u16,
    offset: u32,
    constant: String,
    ty: Named,
    is_offset64: bool,
    field: &'f Field<'b>,
}

/// A type as the compiler compares it.
#[derive(Debug, PartialEq)]
struct Named {
    base: Base,
    element: Option<Base>,
    object: Option<Arc<str>>,
    enumeration: Option<Arc<str>>,
}

/// Whether one side knows a type that the other did not find, and the same is written: the compiler reads no such file.
fn is_found_by_one(types: Pair<&Named>) -> bool {
    let is_unknown = |ty: &Named| ty.element.unwrap_or(ty.base) == Base::Unknown;
    let Pair { old, new } = types.map(|ty| (ty.element.is_some(), ty.object.as_ref().or(ty.enumeration.as_ref())));
    is_unknown(types.old) != is_unknown(types.new) && old == new
}

/// What the compiler calls a base type.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Base {
    Scalar(Scalar),
    Discriminator,
    String,
    Object,
    Union,
    Vector,
    Vector64,
    Array,
    Unknown,
}

struct Conform<'s, 'b> {
    schemas: Pair<&'s Schema<'b>>,
    failures: Vec<Failure>,
}

impl Conform<'_, '_> {
    fn fields(&mut self, types: Pair<ObjectId>) {
        let objects = Pair::new(self.schemas.old.object(types.old), self.schemas.new.object(types.new));
        let kept = Pair::new(keep(self.schemas.old, objects.old), keep(self.schemas.new, objects.new));
        let mut renamed = vec![false; kept.old.len()];
        let names = kept.as_ref().map(|side| first_places(side.iter().map(|one| one.name.as_str())));
        let mut at_offset: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (at, old) in kept.old.iter().enumerate() {
            at_offset.entry(old.offset).or_default().push(at);
        }
        for new in &kept.new {
            if let Some(old) = names.old.get(new.name.as_str()).map(|at| &kept.old[*at]) {
                let is_told = !is_found_by_one(Pair::new(&old.ty, &new.ty));
                let checks = [
                    (old.offset != new.offset, OFFSETS_DIFFER),
                    (is_told && old.constant != new.constant, DEFAULTS_DIFFER),
                    (is_told && old.ty != new.ty, TYPES_DIFFER),
                    (old.is_offset64 != new.is_offset64, OFFSET_TYPES_DIFFER),
                ];
                for (_, check) in checks.into_iter().filter(|(fails, _)| *fails) {
                    self.fail(check, types, Pair::new(Some(old), Some(new)));
                }
                continue;
            }
            for index in at_offset.get(&new.offset).into_iter().flatten().copied() {
                let old = &kept.old[index];
                if old.ty == new.ty {
                    renamed[index] = true;
                    break;
                }
                self.fail(RENAMED_TO_DIFFERENT_TYPE, types, Pair::new(Some(old), Some(new)));
            }
        }
        for (old, _) in kept.old.iter().zip(&renamed).filter(|(_, renamed)| !**renamed) {
            if !names.new.contains_key(old.name.as_str()) {
                self.fail(FIELD_DELETED, types, Pair::new(Some(old), None));
            }
        }
    }

    fn fail(&mut self, check: &'static str, types: Pair<ObjectId>, fields: Pair<Option<&Kept<'_, '_>>>) {
        let Pair { old, new } = self.schemas;
        let at = Where::of(Pair::new(
            fields.old.map(|kept| old.site(old.object(types.old).file, kept.field.span)),
            fields.new.map(|kept| new.site(new.object(types.new).file, kept.field.span)),
        ));
        let (Some(told), Some(at)) = (fields.new.or(fields.old), at) else { return };
        let subject = Subject::Field(types, told.field.name.text.to_string(), told.slot);
        self.failures.push(Failure { check, subject, at });
    }

    fn values(&mut self, types: Pair<EnumId>) {
        let Pair { old, new } = self.schemas;
        let (before, after) = (old.enumeration(types.old), new.enumeration(types.new));
        for value in &after.values {
            let base = before.named(&value.name.text);
            if let Some(base) = base.filter(|base| base.number != value.number) {
                let at = Where::Both(Pair::new(old.site(before.file, base.span), new.site(after.file, value.span)));
                let subject = Subject::Value(types, value.name.text.to_string());
                self.failures.push(Failure { check: VALUES_DIFFER, subject, at });
            }
        }
        if stored(before) != stored(after) {
            let sites = Pair::new(old.name_site(before), new.name_site(after));
            let at = Where::Both(sites);
            self.failures.push(Failure { check: UNDERLYING_TYPES_DIFFER, subject: Subject::Enum(types), at });
        }
    }
}

/// The underlying type of a union is the discriminator's own base type, unless another one is written.
fn stored(of: &Enum<'_>) -> Base {
    if !of.names_underlying { Base::Discriminator } else { Base::Scalar(of.underlying) }
}

fn keep<'f, 'b>(schema: &Schema<'_>, object: &'f Object<'b>) -> Vec<Kept<'f, 'b>> {
    let mut kept = Vec::new();
    for field in &object.fields {
        let offset = if object.layout.is_some() { field.offset } else { vtable_offset(field.slot) };
        if let Some(discriminator) = discriminator(schema, &field.ty) {
            let slot = field.slot.saturating_sub(1);
            kept.push(Kept {
                name: format!("{}_type", field.name.text),
                slot,
                offset: vtable_offset(slot),
                constant: "0".to_owned(),
                ty: discriminator,
                is_offset64: false,
                field,
            });
        }
        kept.push(Kept {
            name: field.name.text.to_string(),
            slot: field.slot,
            offset,
            constant: constant(field),
            ty: named(schema, &field.ty),
            is_offset64: field.is_offset64,
            field,
        });
    }
    kept
}

/// Where the entry of a slot lies in a table's index.
fn vtable_offset(slot: u16) -> u32 {
    4 + 2 * u32::from(slot)
}

fn discriminator(schema: &Schema<'_>, ty: &Type) -> Option<Named> {
    let union = |id: &EnumId| {
        let of = schema.enumeration(*id);
        (stored(of), Some(simple(&of.full_name)))
    };
    match ty {
        Type::Union(id) => {
            let (base, enumeration) = union(id);
            Some(Named { base, element: None, object: None, enumeration })
        }
        Type::Vector(items) => match &**items {
            Type::Union(id) => {
                let (element, enumeration) = union(id);
                Some(Named { base: Base::Vector, element: Some(element), object: None, enumeration })
            }
            _ => None,
        },
        _ => None,
    }
}

fn simple(name: &Arc<str>) -> Arc<str> {
    name.rsplit_once('.').map_or_else(|| name.clone(), |(_, last)| Arc::from(last))
}

fn named(schema: &Schema<'_>, ty: &Type) -> Named {
    let list = |base, items: &Type| {
        let inner = direct(schema, items);
        Named { base, element: Some(inner.base), ..inner }
    };
    match ty {
        Type::Vector(items) => list(Base::Vector, items),
        Type::Vector64(items) => list(Base::Vector64, items),
        Type::Array(items, _) => list(Base::Array, items),
        other => direct(schema, other),
    }
}

/// A type that holds no other.
fn direct(schema: &Schema<'_>, ty: &Type) -> Named {
    let (base, object, enumeration) = match ty {
        Type::Scalar(scalar) => (Base::Scalar(*scalar), None, None),
        Type::String => (Base::String, None, None),
        Type::Struct(id) | Type::Table(id) => (Base::Object, Some(simple(&schema.object(*id).full_name)), None),
        Type::Enum(id) => {
            let of = schema.enumeration(*id);
            (Base::Scalar(of.underlying), None, Some(simple(&of.full_name)))
        }
        Type::Union(id) => (Base::Union, None, Some(simple(&schema.enumeration(*id).full_name))),
        Type::Opaque(name) => (Base::Unknown, Some(simple(name)), None),
        Type::Vector(_) | Type::Vector64(_) | Type::Array(..) => (Base::Unknown, None, None),
    };
    Named { base, element: None, object, enumeration }
}

/// The default as the compiler keeps it: whole numbers in decimal, fractions as they are written.
fn constant(field: &Field<'_>) -> String {
    let is_real = matches!(field.ty, Type::Scalar(Scalar::F32 | Scalar::F64));
    match (&field.default_written, field.default) {
        (Some(written), Default::Real(_) | Default::Integer(_)) if is_real => with_point(&written.text),
        (None, _) if is_real => "0.0".to_owned(),
        (Some(_), Default::Absent) => "null".to_owned(),
        (_, Default::Integer(number)) => number.to_string(),
        (Some(_), Default::Text) => String::from_utf8_lossy(&field.default_text().unwrap_or_default()).into_owned(),
        (Some(_), Default::Empty) if field.ty == Type::String => String::new(),
        (Some(written), Default::Empty | Default::Real(_)) => written.text.to_string(),
        (None, _) => "0".to_owned(),
    }
}

/// The compiler adds `.0` to a number that has neither point nor exponent. What it makes of a word is a name of its own
/// all the same.
fn with_point(text: &str) -> String {
    match text.contains(['.', 'e', 'E', 'p', 'P']) {
        true => text.to_owned(),
        false => format!("{text}.0"),
    }
}

#[cfg(test)]
mod tests {
    use crate::formats::flatbuffers::Flatbuffers;
    use crate::formats::table_tests::{assert_table, told};

    #[test]
    fn the_comparison_fails_where_the_table_says() {
        assert_table("formats/flatbuffers/conform_tests.jsonl", "t.fbs", told::<Flatbuffers>);
    }
}
