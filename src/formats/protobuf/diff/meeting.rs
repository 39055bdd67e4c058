//! How the types of two fields meet: one type, one that was renamed, or one in the place of another.

use crate::change::Pair;

use super::super::ast::Type;
use super::super::model::{Cardinality, Field, Kind, Schema};
use super::super::types::Types;
use super::state::{Differ, Meeting, Met};

/// How the types of a field differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeDifference {
    None,
    /// A message or enum of another name, compared by its structure.
    Name(Met),
    Kind,
}

impl<'s, 'a> Differ<'s, 'a> {
    /// Lets the types of two fields meet, and says whether the field's type differs in any way but the name of a message or
    /// enum that both sides have paired; and which type took the place of which.
    pub(super) fn pair_field_types(&mut self, fields: Pair<&'s Field<'a>>) -> (TypeDifference, Option<Met>) {
        let Pair { old, new } = fields;
        let is_map = |field: &Field<'_>| matches!(field.cardinality, Cardinality::Map { .. });
        if is_map(old) != is_map(new) {
            return self.pair_with_entry(fields);
        }
        match self.meet_kinds(Pair::new(old.kind, new.kind)) {
            Some(meeting) => {
                let difference = match meeting {
                    _ if old.delimited != new.delimited => TypeDifference::Kind,
                    Meeting::Same => TypeDifference::None,
                    Meeting::Renamed(met) | Meeting::Replaced(met) => TypeDifference::Name(met),
                };
                (difference, replaced(meeting))
            }
            None => (difference(fields), None),
        }
    }

    /// A map beside a list of messages, or beside one: the messages are its entries, and what stands at their number 2 is the
    /// value.
    fn pair_with_entry(&mut self, fields: Pair<&'s Field<'a>>) -> (TypeDifference, Option<Met>) {
        let schemas = self.schemas;
        let value = |schema: &Schema<'_>, field: &Field<'_>| match (field.cardinality, field.kind) {
            (Cardinality::Map { .. }, kind) => Some(kind),
            (_, Kind::Message(id)) => Types::of(schema).value_of_entry(id),
            _ => None,
        };
        let values = Pair::new(value(schemas.old, fields.old), value(schemas.new, fields.new));
        let meeting = match values {
            Pair { old: Some(old), new: Some(new) } => self.meet_kinds(Pair::new(old, new)),
            _ => None,
        };
        (difference(fields), meeting.and_then(replaced))
    }

    /// Lets two messages or two enums meet.
    fn meet_kinds(&mut self, kinds: Pair<Kind>) -> Option<Meeting> {
        match (kinds.old, kinds.new) {
            (Kind::Message(old), Kind::Message(new)) => Some(self.pair_messages(Pair::new(old, new))),
            (Kind::Enum(old), Kind::Enum(new)) => Some(self.pair_enums(Pair::new(old, new))),
            _ => None,
        }
    }
}

fn replaced(meeting: Meeting) -> Option<Met> {
    match meeting {
        Meeting::Replaced(met) => Some(met),
        Meeting::Same | Meeting::Renamed(_) => None,
    }
}

/// How the types of two fields differ, as far as their kinds say it.
fn difference(fields: Pair<&Field<'_>>) -> TypeDifference {
    let Pair { old, new } = fields;
    match (old.kind, new.kind) {
        (Kind::Message(_), Kind::Message(_)) if old.delimited != new.delimited => TypeDifference::Kind,
        (Kind::Message(_), Kind::Message(_)) | (Kind::Enum(_), Kind::Enum(_)) => TypeDifference::None,
        (Kind::Opaque, _) | (_, Kind::Opaque) if same_spelling(old, new) => TypeDifference::None,
        (before, after) if before == after && before != Kind::Opaque => TypeDifference::None,
        _ => TypeDifference::Kind,
    }
}

/// Opaque types are compared by the names as spelled: equal, or one the tail of the other.
fn same_spelling(old: &Field<'_>, new: &Field<'_>) -> bool {
    let spelled = |field: &Field<'_>| match &field.ast.ty {
        Type::Named(name) | Type::Map { value: name, .. } => name.text.trim_start_matches('.').to_owned(),
        Type::Group(_) => field.name.to_string(),
    };
    let (old, new) = (spelled(old), spelled(new));
    let tail = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('.'));
    old == new || tail(&old, &new) || tail(&new, &old)
}
