//! What is compared: the elements of a pair of messages, and which pairs have identities of their own.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::change::{Identity, Pair};
use crate::formats::frame::differ::by_either_name;
use crate::formats::frame::places::first_places;
use crate::formats::roundtrip::OwnIdentities;
use crate::ordered::OrderedMap;

use super::model::{EnumId, Field, MessageId};
use super::pairing;

/// The pairs of messages and of enums that have identities of their own.
pub(super) type Identities = OwnIdentities<MessageId, EnumId>;

/// One element of a pair of messages, seen from the writer to the reader.
pub(super) struct Element<'s, 'a> {
    /// The writer's field.
    pub(super) writer: Option<&'s Field<'a>>,
    /// The reader's field.
    pub(super) reader: Option<&'s Field<'a>>,
    /// Whether the name identifies, because it sits at different numbers.
    pub(super) is_moved: bool,
}

impl Element<'_, '_> {
    /// Whether JSON names the reader's field otherwise than the writer's, or the writer has none.
    pub(super) fn is_renamed(&self) -> bool {
        match (self.writer, self.reader) {
            (Some(writer), Some(reader)) => writer.name != reader.name || writer.json_name != reader.json_name,
            (None, Some(_)) => true,
            (_, None) => false,
        }
    }
}

/// All elements of a pair of messages.
pub(super) struct Elements<'s, 'a> {
    pub(super) container: String,
    /// When set, everything is told of this identity.
    pub(super) fixed: Option<Identity>,
    /// The elements: the writer's in its order, then those that only the reader has.
    pub(super) list: Vec<Element<'s, 'a>>,
    pub(super) by_writer: FxHashMap<i32, usize>,
    pub(super) by_reader: FxHashMap<i32, usize>,
    /// The reader's oneof for each of the writer's.
    pub(super) oneofs: OrderedMap<u32, u32>,
    /// The elements of which something is experienced though nothing of them was written: those that only the reader
    /// has, and those whose defaults differ.
    pub(super) always: Vec<usize>,
    /// Where an identity stands first.
    pub(super) by_identity: OnceLock<FxHashMap<Identity, usize>>,
}

impl Elements<'_, '_> {
    /// Whether both messages have members and share none.
    pub(super) fn are_disjoint(&self) -> bool {
        let is_shared = |element: &Element<'_, '_>| element.writer.is_some() && element.reader.is_some();
        let has = |is: fn(&Element<'_, '_>) -> bool| self.list.iter().any(is);
        has(|element| element.writer.is_some())
            && has(|element| element.reader.is_some())
            && !self.list.iter().any(is_shared)
    }

    /// The element of one of the writer's fields.
    pub(super) fn of_writer(&self, number: i32) -> Option<usize> {
        self.by_writer.get(&number).copied()
    }

    /// The element of an identity.
    pub(super) fn of_identity(&self, identity: &Identity) -> Option<usize> {
        let find = || first_places((0..self.list.len()).map(|index| self.identity(index)));
        self.by_identity.get_or_init(find).get(identity).copied()
    }

    /// What identifies an element.
    pub(super) fn identity(&self, index: usize) -> Identity {
        if let Some(fixed) = &self.fixed {
            return fixed.clone();
        }
        let element = &self.list[index];
        match element.writer.or(element.reader) {
            Some(field) if element.is_moved => {
                let names = Pair::new(element.writer, element.reader).map(|there| &*there.unwrap_or(field).name);
                by_either_name(&self.container, names)
            }
            Some(field) => pairing::by_number(&self.container, field.number),
            None => pairing::by_number(&self.container, 0),
        }
    }

    /// The reader's oneof that a writer's field is an arm of, whether or not the reader has the field.
    pub(super) fn shared_oneof(&self, writer: &Field<'_>) -> Option<u32> {
        self.oneofs.get(&writer.oneof?).copied()
    }

    /// Whether a field is in different oneofs on the two sides.
    pub(super) fn oneof_differs(&self, index: usize) -> bool {
        match (self.list[index].writer, self.list[index].reader) {
            (Some(writer), Some(reader)) => {
                writer.oneof.is_some() != reader.oneof.is_some() || self.shared_oneof(writer) != reader.oneof
            }
            _ => false,
        }
    }
}
