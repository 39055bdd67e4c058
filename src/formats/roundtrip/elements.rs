//! The elements of a pair of types, as far as a number or a name says which is which, and the pairs of types that have
//! identities of their own.

use std::hash::Hash;
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Identity, Pair};
use crate::evidence::{Direction, Outcome};
use crate::formats::frame::differ::{FieldPair, TypePair, by_either_name, by_number};
use crate::formats::frame::places::first_places;
use crate::ordered::InOrder;
use crate::value::Record;

use super::stage::{Note, Sides};

/// The pairs of types that have identities of their own.
#[derive(Debug)]
pub(in crate::formats) struct OwnIdentities<T, E> {
    types: FxHashSet<Pair<T>>,
    enums: FxHashSet<Pair<E>>,
}

impl<T: Copy + Eq + Hash, E: Copy + Eq + Hash> OwnIdentities<T, E> {
    /// The pairs that are compared.
    pub(in crate::formats) fn of(types: &[TypePair<T>], enums: &[TypePair<E>]) -> Self {
        Self {
            types: types.iter().map(|pair| pair.types).collect(),
            enums: enums.iter().map(|pair| pair.types).collect(),
        }
    }

    /// Whether two types with fields have.
    pub(in crate::formats) fn has(&self, types: Pair<T>) -> bool {
        self.types.contains(&types)
    }

    /// Whether two enums have.
    pub(in crate::formats) fn has_enum(&self, enums: Pair<E>) -> bool {
        self.enums.contains(&enums)
    }
}

/// A field of a type.
pub(in crate::formats) trait Member {
    /// What it is called.
    fn name(&self) -> &str;
    /// The number that it has in data.
    fn number(&self) -> i32;
}

/// One element of a pair of types, seen from the writer to the reader.
pub(in crate::formats) struct Element<'s, F> {
    /// The writer's field.
    pub(in crate::formats) writer: Option<&'s F>,
    /// The reader's field.
    pub(in crate::formats) reader: Option<&'s F>,
    /// What identifies it.
    pub(in crate::formats) identity: Identity,
    /// Whether its name identifies it.
    pub(in crate::formats) is_moved: bool,
}

/// All elements of a pair.
pub(in crate::formats) struct Elements<'s, F> {
    /// The elements.
    pub(in crate::formats) list: Vec<Element<'s, F>>,
    by_writer: FxHashMap<i32, usize>,
    by_reader: FxHashMap<i32, usize>,
    by_identity: OnceLock<FxHashMap<Identity, usize>>,
    /// The elements of which something is experienced though nothing of them was written: those that only the reader
    /// has, and those whose defaults differ.
    pub(in crate::formats) always: Vec<usize>,
}

impl<'s, F: Member> Elements<'s, F> {
    /// The elements of two types whose fields have been paired.
    pub(in crate::formats) fn of(
        pairs: Vec<FieldPair>,
        direction: Direction,
        fields: Sides<&'s [F]>,
        container: &str,
    ) -> Self {
        let mut elements = Elements {
            list: Vec::new(),
            by_writer: FxHashMap::default(),
            by_reader: FxHashMap::default(),
            by_identity: OnceLock::new(),
            always: Vec::new(),
        };
        for pair in pairs {
            let at = Sides::of(direction, pair.at);
            let writer = at.writer.and_then(|index| fields.writer.get(index));
            let reader = at.reader.and_then(|index| fields.reader.get(index));
            let Some(field) = writer.or(reader) else { continue };
            let identity = match pair.by_name {
                true => {
                    let names = Pair::new(writer, reader).map(|field_there| field_there.unwrap_or(field).name());
                    by_either_name(container, names)
                }
                false => by_number(container, field.number().into()),
            };
            let index = elements.list.len();
            elements.by_writer.extend(writer.map(|field| (field.number(), index)));
            elements.by_reader.extend(reader.map(|field| (field.number(), index)));
            elements.list.push(Element { writer, reader, identity, is_moved: pair.by_name });
        }
        elements
    }

    /// The element of an identity.
    pub(in crate::formats) fn of_identity(&self, identity: &Identity) -> Option<&Element<'s, F>> {
        let find = || first_places(self.list.iter().map(|element| element.identity.clone()));
        self.by_identity.get_or_init(find).get(identity).map(|at| &self.list[*at])
    }

    /// The element of one of the writer's fields.
    pub(in crate::formats) fn of_writer(&self, number: i32) -> Option<usize> {
        self.by_writer.get(&number).copied()
    }

    /// The element of one of the reader's fields.
    pub(in crate::formats) fn of_reader(&self, number: i32) -> Option<usize> {
        self.by_reader.get(&number).copied()
    }

    /// The elements of which something was written or read, and those of which something is experienced always, if that is
    /// asked for; in order.
    pub(in crate::formats) fn felt(&self, wrote: &Record, read: &Record, with_always: bool) -> Vec<usize> {
        let written = wrote.fields.keys().filter_map(|number| self.of_writer(*number));
        let read = read.fields.keys().filter_map(|number| self.of_reader(*number));
        felt(written.chain(read), &self.always, with_always)
    }

    /// The element of the writer whose data arrive where the reader has this one.
    pub(in crate::formats) fn source_of(&self, index: usize) -> Option<usize> {
        let reader = self.list[index].reader?;
        self.of_writer(reader.number())
    }

    /// What is told where the reader has a value (or a fault) at which another element's data arrived: the elements that
    /// moved explain it. With `outer` everything is told of that.
    pub(in crate::formats) fn foreign(&self, outer: Option<&Identity>, index: usize, outcome: Outcome) -> Vec<Note> {
        let source = self.source_of(index).filter(|source| *source != index);
        let candidates = [Some(index), source].into_iter().flatten();
        let mut blamed: Vec<usize> = candidates.filter(|candidate| self.list[*candidate].is_moved).collect();
        if blamed.is_empty() {
            blamed.push(index);
        }
        let note = |index: usize| Note { identity: outer.unwrap_or(&self.list[index].identity).clone(), outcome };
        blamed.into_iter().map(note).collect()
    }
}

/// Elements in order and once each, with those of which something is experienced always, if that is asked for.
pub(in crate::formats) fn felt(some: impl Iterator<Item = usize>, always: &[usize], with_always: bool) -> Vec<usize> {
    let mut felt: Vec<usize> = some.chain(always.iter().copied().filter(|_| with_always)).collect();
    felt.sort_in_order();
    felt.dedup();
    felt
}
