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
pub(crate) use crate::formats::frame::types::{enum_container, type_container as message_container};
use crate::ordered::InOrder;

use super::model::{EnumId, Field, Message, MessageId};

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
