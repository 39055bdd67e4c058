//! The elements of a pair of structs, which of them a message says anything of, and where they are: what is asked for each message
//! or witness of a wide struct is looked up.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::change::Identity;
use crate::formats::frame::places::first_places;
use crate::formats::roundtrip::Sides;
use crate::ordered::InOrder;
use crate::value::Record;

use super::model::Field;

/// One element of a pair of structs, seen from the writer to the reader.
pub(super) struct Element<'s, 'b> {
    /// The writer's field.
    pub(super) writer: Option<&'s Field<'b>>,
    /// The reader's field.
    pub(super) reader: Option<&'s Field<'b>>,
    /// What identifies it.
    pub(super) identity: Identity,
    /// What what is felt of it is told of.
    pub(super) told_of: Identity,
    /// Whether its name identifies it.
    pub(super) is_moved: bool,
    /// Whether another field moved it and its default is another as well: what is felt of it is told of both.
    pub(super) has_own_default: bool,
    /// Who is told of what the struct is given, where that alone decides what it holds.
    pub(super) given: Given,
}

/// Who is told of what a generic struct is given.
#[derive(Debug, Clone)]
pub(super) enum Given {
    /// Nothing of that concerns the field.
    No,
    /// Who gives it.
    ByUser,
    /// Who takes it, at another place than before.
    ByTaker(Identity),
}

impl<'s, 'b> Element<'s, 'b> {
    /// Both fields.
    pub(super) fn fields(&self) -> Sides<Option<&'s Field<'b>>> {
        Sides { writer: self.writer, reader: self.reader }
    }

    /// Whether what it holds depends on what the struct is given.
    pub(super) fn depends(&self) -> bool {
        [self.writer, self.reader].into_iter().flatten().any(|field| field.ty.depends())
    }

    /// All that what is felt of it is told of.
    pub(super) fn reached(&self) -> impl Iterator<Item = &Identity> {
        [&self.told_of].into_iter().chain(self.has_own_default.then_some(&self.identity))
    }
}

/// All elements of a pair of structs, and which of them a message says anything of.
pub(super) struct Elements<'s, 'b> {
    all: Vec<Element<'s, 'b>>,
    /// Those of which something may be told whether they were written or not.
    pub(super) busy: Vec<usize>,
    /// The others, by the keys of their fields: nothing is told of them where neither record has these.
    pub(super) quiet: Sides<FxHashMap<i32, usize>>,
    /// What is looked up of witnesses and of messages.
    places: OnceLock<Places>,
}

/// Where elements are.
struct Places {
    of_identity: FxHashMap<Identity, Vec<usize>>,
    /// Those that are told of an identity.
    told_of: FxHashMap<Identity, usize>,
    /// Those whose fields stand in unions, on the writer's side.
    in_unions: Vec<usize>,
    /// Of those that both sides have, the ones that may be another value to the reader though neither record has them.
    others: Vec<usize>,
    /// All that both sides have, by the keys of their fields.
    of_key: Sides<FxHashMap<i32, usize>>,
}

impl<'s, 'b> std::ops::Deref for Elements<'s, 'b> {
    type Target = [Element<'s, 'b>];

    fn deref(&self) -> &Self::Target {
        &self.all
    }
}

impl<'s, 'b> Elements<'s, 'b> {
    /// Elements of which nothing is known yet.
    pub(super) fn of(all: Vec<Element<'s, 'b>>) -> Self {
        let quiet = Sides { writer: FxHashMap::default(), reader: FxHashMap::default() };
        Elements { all, busy: Vec::new(), quiet, places: OnceLock::new() }
    }

    /// The elements of which two records may tell something, in their order.
    pub(super) fn told_by(&self, records: Sides<&Record>) -> Vec<usize> {
        let written = records.writer.fields.keys().filter_map(|key| self.quiet.writer.get(key));
        let read = records.reader.fields.keys().filter_map(|key| self.quiet.reader.get(key));
        let mut found: Vec<usize> = self.busy.iter().chain(written).chain(read).copied().collect();
        found.sort_in_order();
        found.dedup();
        found
    }

    /// Where the elements of an identity are; where there are none, those that are told of it.
    pub(super) fn about(&self, identity: &Identity) -> &[usize] {
        let Places { of_identity, told_of, .. } = self.places();
        let other = || of_identity.get(&self.all[*told_of.get(identity)?].identity);
        of_identity.get(identity).or_else(other).map_or(&[], Vec::as_slice)
    }

    /// The elements whose fields stand in unions of the writer.
    pub(super) fn in_unions(&self) -> Vec<&Element<'s, 'b>> {
        self.places().in_unions.iter().map(|at| &self.all[*at]).collect()
    }

    /// In their order the elements of both sides that may be something else in two records, until so many are.
    pub(super) fn first_of(&self, records: Sides<&Record>, count: usize, is: impl Fn(usize) -> bool) -> Vec<usize> {
        let Places { others, of_key, .. } = self.places();
        let written = records.writer.fields.keys().filter_map(|key| of_key.writer.get(key));
        let read = records.reader.fields.keys().filter_map(|key| of_key.reader.get(key));
        let mut there: Vec<usize> = written.chain(read).copied().collect();
        there.sort_in_order();
        let (mut there, mut others) = (there.into_iter().peekable(), others.iter().copied().peekable());
        let mut found: Vec<usize> = Vec::new();
        while found.len() < count {
            let next = match (there.peek(), others.peek()) {
                (Some(one), Some(other)) if one <= other => there.next(),
                (_, Some(_)) => others.next(),
                (_, None) => there.next(),
            };
            let Some(next) = next else { break };
            if found.last() != Some(&next) && is(next) {
                found.push(next);
            }
        }
        found
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| {
            let mut places = Places {
                of_identity: FxHashMap::default(),
                told_of: first_places(self.all.iter().map(|element| element.told_of.clone())),
                in_unions: Vec::new(),
                others: Vec::new(),
                of_key: Sides { writer: FxHashMap::default(), reader: FxHashMap::default() },
            };
            let is_in_union = |field: Option<&Field<'_>>| field.is_some_and(|field| !field.guards.is_empty());
            for (at, element) in self.all.iter().enumerate() {
                places.of_identity.entry(element.identity.clone()).or_default().push(at);
                places.in_unions.extend(is_in_union(element.writer).then_some(at));
                let (Some(writer), Some(reader)) = (element.writer, element.reader) else { continue };
                places.of_key.writer.insert(writer.ordinal.into(), at);
                places.of_key.reader.insert(reader.ordinal.into(), at);
                let are_others = writer.default != reader.default;
                let may_differ = are_others || is_in_union(element.writer) || is_in_union(element.reader);
                places.others.extend(may_differ.then_some(at));
            }
            places
        })
    }
}
