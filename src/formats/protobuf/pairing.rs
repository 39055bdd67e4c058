//! Which type of the old side is compared with which type of the new side, and what identifies the elements inside.
//!
//! Types pair by full name; where a field, a method or a map of a pair leads to types of different names, these pair
//! as well, so that a renamed type is compared by its structure. Each pair is compared once, which also ends recursion.
//!
//! Inside a container the number identifies, unless the old name now sits at another number: then the name does
//! (`contract.md`, *What identifies*). The diff and the round trips both take identities from here, and from nowhere else.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Identity, Pair};
use crate::formats::frame::differ;
pub(crate) use crate::formats::frame::differ::{TypePair, by_name, container, declaration};
use crate::formats::frame::meanings;
use crate::formats::frame::roots::simple_name;
pub(crate) use crate::formats::frame::types::{enum_container, type_container as message_container};
use crate::ordered::{InOrder, OrderedMap};

use super::model::{EnumId, Field, Message, MessageId, Schema};

/// Everything that is compared.
#[derive(Debug, Default)]
pub struct Pairs {
    /// Messages.
    pub messages: Vec<TypePair<MessageId>>,
    /// Enums.
    pub enums: Vec<TypePair<EnumId>>,
    /// What methods carry instead of what they carried.
    pub calls: Vec<Call>,
}

/// The request or the response of a method, where a message took the place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The messages.
    pub types: Pair<MessageId>,
    /// What everything inside is told of.
    pub identity: Identity,
}

/// For each oneof of the old message the one of the new message that continues it: of the same name, else the one where
/// a member of it is now. `shared` are the fields that both sides have; they are asked for only when names do not do.
pub(super) fn oneofs<'f, 'a: 'f>(
    messages: Pair<&Message<'_>>,
    shared: impl FnOnce() -> Vec<Pair<&'f Field<'a>>>,
) -> Vec<Option<u32>> {
    let Pair { old, new } = messages;
    let by_name = new.oneofs.iter().enumerate().rev().map(|(at, oneof)| (&*oneof.name.text, at));
    let by_name: FxHashMap<&str, usize> = by_name.collect();
    let mut matched: Vec<Option<usize>> =
        old.oneofs.iter().map(|oneof| by_name.get(&*oneof.name.text).copied()).collect();
    if matched.iter().any(Option::is_none) && !new.oneofs.is_empty() {
        let mut taken: FxHashSet<usize> = matched.iter().copied().flatten().collect();
        let mut shared = shared();
        // The order must not depend on which side is the old one.
        shared.sort_in_order_by_key(|field| {
            (field.old.number.min(field.new.number), field.old.number.max(field.new.number))
        });
        for field in shared {
            if let (Some(oneof), Some(continued)) = (field.old.oneof, field.new.oneof)
                && matched.get(oneof as usize).is_some_and(Option::is_none)
                && taken.insert(continued as usize)
            {
                matched[oneof as usize] = Some(continued as usize);
            }
        }
    }
    matched.into_iter().map(|index| index.and_then(|index| u32::try_from(index).ok())).collect()
}

/// The fields of which the name is written otherwise and now at another number, as places of both lists: fields that are spelled
/// otherwise, and extensions that went to another package or into another message.
pub(super) fn crossed(schemas: Pair<&Schema<'_>>, fields: Pair<&[&Field<'_>]>) -> Vec<Pair<usize>> {
    let own = fields.map(|side| {
        let own = side.iter().enumerate().filter(|(_, field)| !field.is_extension);
        own.map(|(at, field)| (at, (&*field.name, i128::from(field.number)))).collect::<Vec<_>>()
    });
    let named = own.as_ref().map(|side| side.iter().map(|(_, named)| *named).collect::<Vec<_>>());
    let found = meanings::crossed(named.as_ref().map(Vec::as_slice));
    let found = found.into_iter().map(|at| Pair::new(own.old[at.old].0, own.new[at.new].0));
    found.chain(crossed_extensions(schemas, fields)).collect()
}

/// The extensions that have another full name, the same simple name, which is the only one of its side, and another number: one
/// that another extension has or had, or they stand in one file.
fn crossed_extensions(schemas: Pair<&Schema<'_>>, fields: Pair<&[&Field<'_>]>) -> Vec<Pair<usize>> {
    let names = fields.map(|side| side.iter().map(|field| &*field.name).collect::<FxHashSet<_>>());
    let numbers = fields.map(|side| side.iter().map(|field| field.number).collect::<FxHashSet<_>>());
    let alone = |side: &[&Field<'_>], others: &FxHashSet<&str>| {
        let mut alone: OrderedMap<String, Vec<usize>> = OrderedMap::new();
        let extensions = side.iter().enumerate().filter(|(_, field)| field.is_extension);
        for (at, field) in extensions.filter(|(_, field)| !others.contains(&*field.name)) {
            alone.entry(simple_name(&field.name).to_owned()).or_default().push(at);
        }
        alone
    };
    let (olds, news) = (alone(fields.old, &names.new), alone(fields.new, &names.old));
    let pair = |(name, old): (&String, &Vec<usize>)| match (&old[..], news.get(name).map(Vec::as_slice)) {
        (&[old], Some(&[new])) => Some(Pair::new(old, new)),
        _ => None,
    };
    let is_crossed = |at: &Pair<usize>| {
        let (before, after) = (fields.old[at.old], fields.new[at.new]);
        let is_taken = numbers.new.contains(&before.number) || numbers.old.contains(&after.number);
        let is_same_file = || schemas.old.file(before.file).path == schemas.new.file(after.file).path;
        before.number != after.number && (is_taken || is_same_file())
    };
    olds.iter().filter_map(pair).filter(is_crossed).collect()
}

/// The default value of an enum (the value an absent field has).
pub fn enum_default(container: &str) -> Identity {
    Identity(format!("{container}=default"))
}

/// How the extensions of a message are written, by the name that it has now.
pub fn message_set(name: &str) -> Identity {
    declaration("option", &format!("{name} message_set_wire_format"))
}

/// How an enum treats numbers that have no name on either side.
pub fn enum_openness(container: &str) -> Identity {
    Identity(format!("{container}=openness"))
}

/// A field or an enum value that its number identifies.
pub(super) fn by_number(container: &str, number: i32) -> Identity {
    differ::by_number(container, number.into())
}
