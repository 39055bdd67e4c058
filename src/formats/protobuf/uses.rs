//! Where an enum is used: a number without a name takes more with it in some fields than in others.
//!
//! A reader of a closed enum sets such a number aside, and a reader of JSON the name of any enum, open or closed. A single
//! field then looks absent, which is documented. A required field is missing, and the message is rejected. From a list or a
//! map the element vanishes, and nobody is told.

use crate::change::Pair;
use crate::evidence::{Direction, Outcome};
use crate::ordered::{OrderedMap, OrderedSet};

use super::model::{Cardinality, EnumId, Field, Kind, MessageId, Presence, Schema};

/// How a field holds values of an enum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// One value or none.
    Optional,
    /// One value, always.
    Required,
    /// A list.
    Listed,
    /// The values of a map.
    Mapped,
}

impl Shape {
    fn is_single(self) -> bool {
        matches!(self, Shape::Optional | Shape::Required)
    }
}

/// The fields of both schemas that hold the same enum, by the enum.
#[derive(Debug, Default)]
pub(super) struct Uses(OrderedMap<Pair<EnumId>, Vec<Use>>);

/// A field of both schemas.
#[derive(Debug)]
struct Use {
    name: String,
    shapes: Pair<Shape>,
    /// Where the values of a list stand one by one, and not in one record.
    is_apart: Pair<bool>,
    /// Where the field has no presence, so that zero is never written in JSON.
    hides_zero: Pair<bool>,
    /// Whether one side has a map, and the other messages that are like its entries.
    has_entries: bool,
}

impl Use {
    /// Whether both sides hold one value, or both a list, or both a map.
    fn is_alike(&self) -> bool {
        self.shapes.old == self.shapes.new || self.shapes.old.is_single() && self.shapes.new.is_single()
    }

    /// Whether the reader of a direction sees the values of the writer one by one as its own: a list takes a single value, and
    /// a single field takes one of a list.
    fn arrives(&self, direction: Direction) -> bool {
        let (writer, reader, is_apart) = match direction {
            Direction::Backward => (self.shapes.old, self.shapes.new, self.is_apart.old),
            Direction::Forward => (self.shapes.new, self.shapes.old, self.is_apart.new),
        };
        match self.has_entries {
            // What is no map is the value of a message that is like an entry.
            true => reader == Shape::Mapped || writer == Shape::Mapped && reader == Shape::Listed,
            false => {
                let is_one_of_them = writer == Shape::Listed && is_apart && reader.is_single();
                self.is_alike() || is_one_of_them || writer.is_single() && reader == Shape::Listed
            }
        }
    }
}

impl Uses {
    /// Every use of an enum in messages that are compared.
    pub(super) fn of(schemas: Pair<&Schema<'_>>, compared: impl Iterator<Item = Pair<MessageId>>) -> Self {
        let mut uses: OrderedMap<Pair<EnumId>, Vec<Use>> = OrderedMap::new();
        for types in compared {
            let message = schemas.new.message(types.new);
            for new in schemas.new.all_fields(types.new) {
                let Some(held) = held_enum(schemas.new, new) else { continue };
                let before = || schemas.old.all_fields(types.old);
                let named = before().find(|old| (old.is_extension, &old.name) == (new.is_extension, &new.name));
                let old = named.or_else(|| before().find(|old| old.number == new.number));
                let Some((old, was)) = old.and_then(|old| Some((old, held_enum(schemas.old, old)?))) else { continue };
                let has_entries = was.is_of_entry != held.is_of_entry;
                let is_map = |field: &Field<'_>| matches!(field.cardinality, Cardinality::Map { .. });
                // Two lists of messages hold the enum in fields of their own.
                if was.is_of_entry && held.is_of_entry || has_entries && !is_map(old) && !is_map(new) {
                    continue;
                }
                let name =
                    if new.is_extension { new.name.to_string() } else { format!("{}.{}", message.full_name, new.name) };
                let one = Use {
                    name,
                    shapes: Pair::new(was.shape, held.shape),
                    is_apart: Pair::new(was.is_apart, held.is_apart),
                    hides_zero: Pair::new(was.hides_zero, held.hides_zero),
                    has_entries,
                };
                uses.entry(Pair::new(was.id, held.id)).or_default().push(one);
            }
        }
        Uses(uses)
    }

    fn at(&self, enums: Pair<EnumId>) -> &[Use] {
        self.0.get(&enums).map_or(&[], Vec::as_slice)
    }

    /// The ways in which readers hold the enum where they take what writers hold; there always is the plain one. Whether a
    /// writer requires a value is nothing to a reader.
    pub(super) fn shapes(&self, enums: Pair<EnumId>, direction: Direction) -> OrderedSet<Shape> {
        let read = self.at(enums).iter().filter(|one| one.arrives(direction)).map(|one| match direction {
            Direction::Backward => one.shapes.new,
            Direction::Forward => one.shapes.old,
        });
        read.chain([Shape::Optional]).collect()
    }

    /// The fields from which a value without a name takes more with it than itself: five of them, and how many more.
    pub(super) fn named(&self, enums: Pair<EnumId>) -> String {
        let hard = self
            .at(enums)
            .iter()
            .filter(|one| one.arrives(Direction::Backward) || one.arrives(Direction::Forward))
            .filter(|one| one.shapes != Pair::new(Shape::Optional, Shape::Optional));
        let hard: Vec<String> = hard.map(|one| format!("`{}`", one.name)).collect();
        match hard.len() {
            0 => "none".to_owned(),
            count if count > NAMED => format!("{} and {} more", hard[..NAMED].join(", "), count - NAMED),
            _ => hard.join(", "),
        }
    }

    /// Whether the writer of a direction writes the zero of the enum in JSON anywhere.
    pub(super) fn shows_zero(&self, enums: Pair<EnumId>, direction: Direction) -> bool {
        let uses = self.at(enums);
        let hides_zero = |one: &Use| match direction {
            Direction::Backward => one.hides_zero.old,
            Direction::Forward => one.hides_zero.new,
        };
        uses.is_empty() || !uses.iter().all(hides_zero)
    }

    /// What a reader experiences of a value that it sets aside, wherever the enum is used.
    pub(super) fn dropped(&self, enums: Pair<EnumId>, direction: Direction, outcome: Outcome) -> Outcome {
        let shapes = self.shapes(enums, direction);
        match outcome {
            Outcome::Unrecognized | Outcome::Lossy if shapes.contains(&Shape::Required) => Outcome::Fails,
            Outcome::Unrecognized if shapes.len() > 1 => Outcome::Lossy,
            other => other,
        }
    }
}

/// The enum that a field holds.
struct Held {
    id: EnumId,
    /// Whether it is that of field 2 of a message: of what a map would take for the value of an entry.
    is_of_entry: bool,
    /// How the field, or that field 2, holds it, …
    shape: Shape,
    /// … and, of a list, whether its values are not packed.
    is_apart: bool,
    /// Whether it is the field's own and has no presence.
    hides_zero: bool,
}

fn held_enum(schema: &Schema<'_>, field: &Field<'_>) -> Option<Held> {
    let value = match field.kind {
        Kind::Enum(id) => {
            let hides_zero = field.cardinality == Cardinality::Singular && field.presence == Presence::Implicit;
            return Some(Held { id, is_of_entry: false, shape: shape(field), is_apart: !field.packed, hides_zero });
        }
        Kind::Message(_) if matches!(field.cardinality, Cardinality::Map { .. }) => return None,
        Kind::Message(id) => schema.all_fields(id).find(|field| field.number == 2)?,
        _ => return None,
    };
    match value.kind {
        Kind::Enum(id) => {
            let is_apart = !value.packed;
            Some(Held { id, is_of_entry: true, shape: shape(value), is_apart, hides_zero: false })
        }
        _ => None,
    }
}

/// Fields that are named.
const NAMED: usize = 5;

fn shape(field: &Field<'_>) -> Shape {
    match field.cardinality {
        Cardinality::Map { .. } => Shape::Mapped,
        Cardinality::Repeated => Shape::Listed,
        Cardinality::Singular if field.presence == Presence::Required => Shape::Required,
        Cardinality::Singular => Shape::Optional,
    }
}
