//! Two types that meet → what they do to each other, without looking at data.
//!
//! What is said of readers is the worst that there can be: of what has bytes, the round trips decide.

use crate::change::Pair;
use crate::evidence::Outcome;
use crate::ordered::OrderedMap;

use super::model::{Absence, AnyKind, Field, InterfaceId, Schema, Sort, Space, Struct, Type};
use super::types::{ANYTHING, Brand, Given};

/// How values of one type come out when read as the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// The same type.
    Same,
    /// Structs, enums or interfaces, or lists of them, that are called differently or are others.
    Named,
    /// The same generic type for other types.
    Binding,
    /// Numbers that take the same space and mean something else.
    SameBits,
    /// A number of 16 bits and an enum.
    EnumNumber,
    /// What takes another space, or none.
    Space,
    /// Text and data.
    TextData,
    /// Data and a list of bytes.
    Bytes,
    /// Something, and a pointer to anything.
    Any,
    /// Something, and the type that a generic type takes.
    Taken,
    /// A list of something, and a list of structs.
    ListUpgrade,
    /// Lists of other items.
    ListItems,
    /// Pointers to other things.
    Pointers,
    /// A type that nothing is known of.
    Unknown,
}

impl Relation {
    /// The word in facts.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Relation::Same => "same",
            Relation::Named => "named",
            Relation::Binding => "binding",
            Relation::SameBits => "same-bits",
            Relation::EnumNumber => "enum-number",
            Relation::Space => "space",
            Relation::TextData => "text-data",
            Relation::Bytes => "bytes",
            Relation::Any => "any",
            Relation::Taken => "type-parameter",
            Relation::ListUpgrade => "list-upgrade",
            Relation::ListItems => "list-items",
            Relation::Pointers => "pointers",
            Relation::Unknown => "unknown",
        }
    }
}

/// How two types are related.
pub(super) fn relation(schemas: Pair<&Schema<'_>>, types: Pair<&Type>) -> Relation {
    let named = |old: &str, new: &str, bound: bool| match (old == new, bound) {
        (true, true) => Relation::Same,
        (true, false) => Relation::Binding,
        (false, _) => Relation::Named,
    };
    match (types.old, types.new) {
        (Type::Struct(old, was), Type::Struct(new, is)) => {
            let of = Pair::new(schemas.old.structure(*old), schemas.new.structure(*new));
            let around = of.map(|of| &*of.around);
            named(&of.old.full_name, &of.new.full_name, are_same(schemas, Pair::new(was, is), around))
        }
        (Type::Interface(old, was), Type::Interface(new, is)) => {
            let of = Pair::new(schemas.old.interface(*old), schemas.new.interface(*new));
            let around = of.map(|of| &*of.around);
            // Calls carry ids and no names. What has another name is told of the interface.
            let name = if of.old.id == of.new.id { &of.old.full_name } else { &of.new.full_name };
            named(&of.old.full_name, name, are_same(schemas, Pair::new(was, is), around))
        }
        (Type::Enum(old), Type::Enum(new)) => {
            named(&schemas.old.enumeration(*old).full_name, &schemas.new.enumeration(*new).full_name, true)
        }
        // What a parameter is called concerns nobody.
        (Type::Parameter(old), Type::Parameter(new)) if old.goes_on_as(new) => Relation::Same,
        (Type::Parameter(_), other) | (other, Type::Parameter(_)) if other.space() == Space::Pointer => Relation::Taken,
        // What types in a list are called decides, and not where each side keeps them.
        (Type::List(old), Type::List(new)) => list_relation(schemas, Pair::new(old, new)),
        (old, new) if old == new => Relation::Same,
        // What a lost import declares is compared by its name.
        (Type::Opaque(name), other) if is_called(schemas.new, other, name) => Relation::Same,
        (other, Type::Opaque(name)) if is_called(schemas.old, other, name) => Relation::Same,
        (Type::Opaque(_), _) | (_, Type::Opaque(_)) => Relation::Unknown,
        (Type::Int(4, _), Type::Enum(_)) | (Type::Enum(_), Type::Int(4, _)) => Relation::EnumNumber,
        (Type::Text, Type::Data) | (Type::Data, Type::Text) => Relation::TextData,
        (Type::Data, Type::List(items)) | (Type::List(items), Type::Data) if matches!(**items, Type::Int(3, _)) => {
            Relation::Bytes
        }
        (old, new) => match (old.space(), new.space()) {
            (Space::Pointer, Space::Pointer) if is_any(old) || is_any(new) => Relation::Any,
            (Space::Pointer, Space::Pointer) => Relation::Pointers,
            (old, new) if old == new => Relation::SameBits,
            _ => Relation::Space,
        },
    }
}

/// How what is declared of two fields is related. What a method takes or gives by itself stands in the interface, as a struct
/// inside of that does.
pub(super) fn of_fields(schemas: Pair<&Schema<'_>>, structs: Pair<&Struct<'_>>, fields: Pair<&Field<'_>>) -> Relation {
    let types = fields.map(|field| &field.ty);
    if (structs.old.sort == Sort::Struct) == (structs.new.sort == Sort::Struct) {
        return relation(schemas, types);
    }
    let types = types.zip(structs, |ty, of| ty.seen_from(super::types::number(of.around.len())));
    relation(schemas, types.as_ref())
}

fn list_relation(schemas: Pair<&Schema<'_>>, items: Pair<&Type>) -> Relation {
    match (items.old, items.new, relation(schemas, items)) {
        (.., Relation::Binding) => Relation::Binding,
        (.., inner @ (Relation::Same | Relation::Named | Relation::Unknown)) => inner,
        (Type::List(_), Type::List(_), Relation::ListUpgrade) => Relation::ListUpgrade,
        (Type::Struct(..), _, _) | (_, Type::Struct(..), _) => Relation::ListUpgrade,
        _ => Relation::ListItems,
    }
}

/// Whether what is given to one generic type is the same on both sides, as it is written. `around` says how many types each
/// declaration takes; the innermost ones are the same.
pub(super) fn are_same(schemas: Pair<&Schema<'_>>, brands: Pair<&Brand>, around: Pair<&[usize]>) -> bool {
    let most = around.old.len().max(around.new.len());
    (0..most).all(|out| {
        let depths = around.map(|around| around.len().checked_sub(out));
        let given = brands.zip(depths, |brand, depth| brand.at(depth?));
        let counts =
            around.zip(depths, |around, depth| depth.and_then(|depth| around.get(depth.checked_sub(1)?)).copied());
        is_same(schemas, given, counts.map(|count| count.unwrap_or(0)))
    })
}

/// The same of what is given to one declaration, which takes so many types.
fn is_same(schemas: Pair<&Schema<'_>>, given: Pair<Option<&Given>>, counts: Pair<usize>) -> bool {
    let are_own = |types: &[Type]| (0..).zip(types).all(|(at, ty)| matches!(ty, Type::Parameter(of) if of.index == at));
    match (given.old.map(|given| given.types.as_deref()), given.new.map(|given| given.types.as_deref())) {
        (None, None) | (Some(None), Some(None)) => true,
        (None, Some(None)) => counts.old == 0,
        (Some(None), None) => counts.new == 0,
        (Some(None), Some(Some(types))) | (Some(Some(types)), Some(None)) => are_own(types),
        (old, new) => {
            let bound = Pair::new(old.flatten().unwrap_or_default(), new.flatten().unwrap_or_default());
            pairs_of_bound(bound).all(|pair| relation(schemas, pair) == Relation::Same)
        }
    }
}

/// What stands for each parameter of one declaration on both sides. What is not given is a pointer to anything
/// (<https://capnproto.org/language.html#generic-types>).
fn pairs_of_bound(bound: Pair<&[Type]>) -> impl Iterator<Item = Pair<&Type>> {
    (0..bound.old.len().max(bound.new.len())).map(move |at| bound.map(|bound| bound.get(at).unwrap_or(&ANY)))
}

static ANY: Type = ANYTHING;

/// Whether a type is called by the last part of a name as written.
fn is_called(schema: &Schema<'_>, ty: &Type, written: &str) -> bool {
    fn last(name: &str) -> &str {
        let name = name.split('(').next().unwrap_or(name);
        name.rsplit('.').next().unwrap_or(name)
    }
    last(&schema.spelled(ty)) == last(written)
}

fn is_any(ty: &Type) -> bool {
    matches!(ty, Type::Any(_))
}

/// The worst that new readers may see of old data, and old readers of new data.
pub(super) fn reads(schemas: Pair<&Schema<'_>>, types: Pair<&Type>) -> Pair<Outcome> {
    let (old, new) = ((schemas.old, types.old), (schemas.new, types.new));
    Pair::new(seen(old, new), seen(new, old))
}

/// A type of a side.
type Of<'s, 'b> = (&'s Schema<'b>, &'s Type);

/// The worst that a reader of the second type may see of the first.
fn seen(writer: Of<'_, '_>, reader: Of<'_, '_>) -> Outcome {
    let (schemas, types) = (Pair::new(writer.0, reader.0), Pair::new(writer.1, reader.1));
    match relation(schemas, types) {
        Relation::Same => Outcome::Safe,
        Relation::Binding => bound_seen(schemas, types),
        _ => read(writer, reader),
    }
}

/// The same of what stands for the parameters of a generic type, as it is written, whatever they are used for.
fn bound_seen(schemas: Pair<&Schema<'_>>, types: Pair<&Type>) -> Outcome {
    let bound: Pair<Vec<Type>> = types.map(|ty| match innermost(ty) {
        Type::Struct(_, brand) | Type::Interface(_, brand) => brand.types().cloned().collect(),
        _ => Vec::new(),
    });
    let pairs = pairs_of_bound(bound.as_ref().map(Vec::as_slice));
    pairs.map(|pair| seen((schemas.old, pair.old), (schemas.new, pair.new))).max().unwrap_or(Outcome::Safe)
}

/// Whether two types are interfaces, one of which may be that of any capability, or lists of them.
pub(super) fn are_interfaces(types: Pair<&Type>) -> bool {
    let is_called = |ty: &Type| matches!(innermost(ty), Type::Interface(..) | Type::Any(AnyKind::Capability));
    [types.old, types.new].into_iter().all(is_called)
}

/// What is in a list, in the lists in it.
fn innermost(mut ty: &Type) -> &Type {
    while let Type::List(items) = ty {
        ty = items;
    }
    ty
}

/// What a reader of the second type may see of the first, which is another one.
fn read(writer: Of<'_, '_>, reader: Of<'_, '_>) -> Outcome {
    match (writer.1, reader.1) {
        (Type::Struct(..), Type::Struct(..)) | (Type::Enum(_), Type::Enum(_)) => Outcome::Safe,
        (Type::Interface(given, _), Type::Interface(called, _)) => answered((writer.0, *given), (reader.0, *called)),
        // Who knows of no value misses none, as with a field that is there no more.
        (Type::Enum(_), Type::Int(4, _)) | (_, Type::Void) => Outcome::Safe,
        (Type::Int(4, _), Type::Enum(_)) => Outcome::Unrecognized,
        (writer, reader) if writer.space() != reader.space() => Outcome::Wrong,
        (Type::Text, Type::Data) => Outcome::Lossy,
        (Type::Data, Type::Text) => Outcome::Fails,
        (_, Type::Any(AnyKind::Pointer) | Type::Parameter(_)) => Outcome::Safe,
        (Type::Struct(..), Type::Any(AnyKind::Struct)) => Outcome::Safe,
        (Type::Text | Type::Data | Type::List(_), Type::Any(AnyKind::List)) => Outcome::Safe,
        (Type::Interface(..), Type::Any(AnyKind::Capability)) => Outcome::Safe,
        (Type::Any(AnyKind::Capability), Type::Interface(called, _)) => called_of_any((reader.0, *called)),
        (_, Type::Any(_)) | (Type::Any(_) | Type::Parameter(_), _) => Outcome::Fails,
        (wrote, shown) => match (items(wrote), items(shown)) {
            (Some(wrote), Some(shown)) => read_item((writer.0, wrote), (reader.0, shown)),
            _ => Outcome::Wrong,
        },
    }
}

/// An interface of a side.
type Capability<'s, 'b> = (&'s Schema<'b>, InterfaceId);

/// What becomes of the calls of one who takes an object of the first interface for one of the second. A call carries the id of
/// the interface that declares the method, and an object answers those of every interface that its own one extends.
fn answered(given: Capability<'_, '_>, called: Capability<'_, '_>) -> Outcome {
    let (Some(answers), Some(calls)) = (answers(given), answers(called)) else { return Outcome::Fails };
    let is_answered = |(id, has_methods): (&u64, &bool)| !has_methods || answers.contains_key(id);
    if calls.iter().all(is_answered) { Outcome::Safe } else { Outcome::Fails }
}

/// The same of any object at all, which answers no call for certain.
fn called_of_any(called: Capability<'_, '_>) -> Outcome {
    match answers(called) {
        Some(calls) if calls.values().all(|has_methods| !has_methods) => Outcome::Safe,
        _ => Outcome::Fails,
    }
}

/// The ids whose calls an object answers, and whether there are any calls of each; nothing where not every interface above is
/// known, or one takes types, which may be others.
fn answers((schema, id): Capability<'_, '_>) -> Option<OrderedMap<u64, bool>> {
    let mut found: OrderedMap<u64, bool> = OrderedMap::new();
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        let one = schema.interface(id);
        if one.around.iter().any(|count| *count > 0) {
            return None;
        }
        if found.insert(one.id, !one.methods.is_empty()).is_none() {
            for above in &one.extends {
                open.push(above.id?);
            }
        }
    }
    Some(found)
}

/// The same of items of lists. Structs lie in a list as they are, so that something else is read as their first field.
fn read_item(writer: Of<'_, '_>, reader: Of<'_, '_>) -> Outcome {
    match (writer.1, reader.1) {
        (Type::Opaque(_), _) | (_, Type::Opaque(_)) => Outcome::Wrong,
        (Type::Struct(..), Type::Struct(..)) | (Type::Void, Type::Struct(..)) => Outcome::Safe,
        // Bits are apart: nothing else is read of them.
        (Type::Bool, Type::Void) => Outcome::Fails,
        (_, Type::Void) => Outcome::Lossy,
        (wrote, Type::Struct(id, _)) => match item(reader.0.structure(*id), wrote) {
            Some(first) => seen(writer, (reader.0, &first.held)),
            None => Outcome::Wrong,
        },
        (Type::Struct(id, _), shown) => match item(writer.0.structure(*id), shown) {
            Some(first) => seen((writer.0, &first.held), reader),
            None => Outcome::Wrong,
        },
        _ => seen(writer, reader),
    }
}

/// The field of a struct that is what lists of something else have as their items: in no union, and written as it is.
fn item<'s, 'b>(of: &'s Struct<'b>, item: &Type) -> Option<&'s Field<'b>> {
    let is_plain = |first: &&Field<'_>| first.guards.is_empty() && first.default == Absence::Zero;
    of.first_like(item).filter(|_| item.space() != Space::Data(0)).filter(is_plain)
}

/// What is in a list; data are a list of bytes.
fn items(ty: &Type) -> Option<&Type> {
    static BYTE: Type = Type::Int(3, false);
    match ty {
        Type::List(items) => Some(items),
        Type::Data => Some(&BYTE),
        _ => None,
    }
}

#[cfg(test)]
#[path = "relation_tests.rs"]
mod tests;
