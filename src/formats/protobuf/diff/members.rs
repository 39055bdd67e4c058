//! The members of two paired messages: their fields, extensions included, and which oneof continues which.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use crate::change::Pair;
use crate::ordered::{OrderedMap, OrderedSet};

use super::super::builtin;
use super::super::model::{Field, MessageId, Schema};
use super::super::pairing;
use super::crossing::Crossing;

/// Everything about a pair of messages that their fields' comparison needs.
pub(super) struct Members<'s, 'a> {
    pub types: Pair<MessageId>,
    pub container: String,
    pub path: String,
    pub replaced: bool,
    pub fields: Pair<Vec<&'s Field<'a>>>,
    /// For each oneof of the old message the one of the new message that continues it.
    pub oneofs: Vec<Option<u32>>,
    schemas: Pair<&'s Schema<'a>>,
    /// The numbers of extensions that more than one file declares on a side.
    several: OrderedSet<i32>,
    crossing: OnceCell<Crossing<'s, 'a>>,
    /// By each new oneof the old one that it continues.
    old_oneofs: OnceCell<FxHashMap<u32, u32>>,
}

fn as_slices<F>(fields: &Pair<Vec<F>>) -> Pair<&[F]> {
    Pair::new(&*fields.old, &*fields.new)
}

/// The numbers of extensions of a message that more than one file declares on a side.
fn declared_by_several(schemas: Pair<&Schema<'_>>, types: Pair<MessageId>) -> OrderedSet<i32> {
    let of = |schema: &Schema<'_>, id: MessageId| -> Vec<i32> {
        schema.message(id).extended_elsewhere.iter().map(|extension| schema.extension(*extension).number).collect()
    };
    of(schemas.old, types.old).into_iter().chain(of(schemas.new, types.new)).collect()
}

impl<'s, 'a> Members<'s, 'a> {
    pub(super) fn new(schemas: Pair<&'s Schema<'a>>, types: Pair<MessageId>, replaced: bool) -> Self {
        let is_builtin = |schema: &Schema<'_>, file| schema.file(file).is_builtin;
        let only_extensions = builtin::are_one(schemas.zip(types, |schema, id| schema.file(schema.message(id).file)));
        let several = declared_by_several(schemas, types);
        let of = |schema: &'s Schema<'a>, id: MessageId| {
            let is_own = |field: &&Field<'_>| {
                (!only_extensions || field.is_extension && !is_builtin(schema, field.file))
                    && !(field.is_extension && several.contains(&field.number))
            };
            schema.all_fields(id).filter(is_own).collect::<Vec<_>>()
        };
        let is_same_name = schemas.old.message(types.old).full_name == schemas.new.message(types.new).full_name;
        let fields = match is_same_name {
            true => Pair::new(of(schemas.old, types.old), of(schemas.new, types.new)),
            false => {
                Pair::new(schemas.old.all_fields(types.old).collect(), schemas.new.all_fields(types.new).collect())
            }
        };
        let crossing = OnceCell::new();
        let messages = Pair::new(schemas.old.message(types.old), schemas.new.message(types.new));
        let oneofs = pairing::oneofs(messages, || {
            let crossing: &Crossing<'s, 'a> = crossing.get_or_init(|| Crossing::new(schemas, as_slices(&fields)));
            fields.old.iter().filter_map(|old| Some(Pair::new(*old, crossing.continued(old)?))).collect()
        });
        Self {
            schemas,
            crossing,
            types,
            container: pairing::message_container(schemas, types),
            path: schemas.new.message(types.new).full_name.to_string(),
            replaced,
            fields,
            oneofs,
            old_oneofs: OnceCell::new(),
            several,
        }
    }

    /// Extensions of numbers that several files declare, which no program holds together: those of each file by themselves,
    /// and at last those that moved, came or went. What comes or goes while another file still declares it is none of them.
    pub(super) fn of_other_programs(&self) -> Vec<Self> {
        if self.several.is_empty() {
            return Vec::new();
        }
        let by_file = |schema: &'s Schema<'a>, id| {
            let mut files: OrderedMap<&str, Vec<&'s Field<'a>>> = OrderedMap::new();
            for field in schema.extensions_of(id).filter(|field| self.several.contains(&field.number)) {
                files.entry(&schema.file(field.file).path).or_default().push(field);
            }
            files
        };
        let mut files = Pair::new(by_file(self.schemas.old, self.types.old), by_file(self.schemas.new, self.types.new));
        let key = |field: &Field<'_>| (field.number, field.name.to_string());
        let known =
            files.as_ref().map(|files| files.values().flatten().map(|field| key(field)).collect::<OrderedSet<_>>());
        let mut worlds = Vec::new();
        let mut left = Pair::<Vec<&'s Field<'a>>>::default();
        for (path, old) in &mut files.old {
            let Some(new) = files.new.get_mut(path) else {
                left.old.append(old);
                continue;
            };
            let is_there = |one: &Field<'_>, others: &[&Field<'_>]| {
                others.iter().any(|other| other.number == one.number || other.name == one.name)
            };
            let (of_old, gone) = old.iter().copied().partition(|field| is_there(field, new));
            let (of_new, come): (Vec<_>, Vec<_>) = new.drain(..).partition(|field| is_there(field, old));
            left.old.extend::<Vec<_>>(gone);
            left.new.extend(come);
            worlds.push(self.with_fields(Pair::new(of_old, of_new)));
        }
        left.new.extend(files.new.into_values().flatten());
        let has = |fields: &[&Field<'_>], one: &Field<'_>| fields.iter().any(|other| other.number == one.number);
        let mut moved = Pair::<Vec<&'s Field<'a>>>::default();
        moved.old.extend(left.old.iter().filter(|old| has(&left.new, old) || !known.new.contains(&key(old))));
        moved.new.extend(left.new.iter().filter(|new| has(&left.old, new) || !known.old.contains(&key(new))));
        worlds.push(self.with_fields(moved));
        worlds
    }

    fn with_fields(&self, fields: Pair<Vec<&'s Field<'a>>>) -> Self {
        Members {
            types: self.types,
            container: self.container.clone(),
            path: self.path.clone(),
            replaced: self.replaced,
            fields,
            oneofs: self.oneofs.clone(),
            old_oneofs: OnceCell::new(),
            schemas: self.schemas,
            several: OrderedSet::new(),
            crossing: OnceCell::new(),
        }
    }

    /// What becomes of the data of one field in another; most pairs of messages never ask.
    pub(super) fn crossing(&self) -> &Crossing<'s, 'a> {
        self.crossing.get_or_init(|| Crossing::new(self.schemas, as_slices(&self.fields)))
    }

    /// The old oneof that a new one continues.
    pub(super) fn old_oneof(&self, new: u32) -> Option<u32> {
        let by_new = self.old_oneofs.get_or_init(|| {
            let continued = (0u32..).zip(&self.oneofs).filter_map(|(old, new)| Some(((*new)?, old)));
            // Of several the first.
            continued.collect::<Vec<_>>().into_iter().rev().collect()
        });
        by_new.get(&new).copied()
    }
}
