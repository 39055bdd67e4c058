//! The members of two paired messages: their fields, extensions included, and which oneof continues which.

use std::cell::OnceCell;

use crate::change::Pair;

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
    crossing: OnceCell<Crossing<'s, 'a>>,
}

fn as_slices<F>(fields: &Pair<Vec<F>>) -> Pair<&[F]> {
    Pair::new(&*fields.old, &*fields.new)
}

impl<'s, 'a> Members<'s, 'a> {
    pub(super) fn new(schemas: Pair<&'s Schema<'a>>, types: Pair<MessageId>, replaced: bool) -> Self {
        let is_builtin = |schema: &Schema<'_>, file| schema.file(file).is_builtin;
        let only_extensions = builtin::is_one(schemas.old.file(schemas.old.message(types.old).file))
            || builtin::is_one(schemas.new.file(schemas.new.message(types.new).file));
        let of = |schema: &'s Schema<'a>, id: MessageId| {
            let is_own = |field: &&Field<'_>| !only_extensions || field.is_extension && !is_builtin(schema, field.file);
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
        }
    }

    /// What becomes of the data of one field in another; most pairs of messages never ask.
    pub(super) fn crossing(&self) -> &Crossing<'s, 'a> {
        self.crossing.get_or_init(|| Crossing::new(self.schemas, as_slices(&self.fields)))
    }

    /// The old oneof that a new one continues.
    pub(super) fn old_oneof(&self, new: u32) -> Option<u32> {
        self.oneofs.iter().position(|continued| *continued == Some(new)).and_then(|index| u32::try_from(index).ok())
    }
}
