//! Where an enum is used: a number without a name takes more with it in some fields than in others.
//!
//! A reader of a closed enum sets such a number aside. A single field then looks absent, which is documented. A required
//! field is missing, and the message is rejected. From a list or a map the element vanishes, and nobody is told.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::Pair;
use crate::evidence::Outcome;

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

/// The fields of both schemas that hold the same enum, by the enum.
#[derive(Debug, Default)]
pub(super) struct Uses(BTreeMap<Pair<EnumId>, Vec<Use>>);

/// A field of both schemas.
#[derive(Debug)]
struct Use {
    name: String,
    shapes: Pair<Shape>,
}

impl Uses {
    /// Every use of an enum in two schemas.
    pub(super) fn of(schemas: Pair<&Schema<'_>>) -> Self {
        let mut uses: BTreeMap<Pair<EnumId>, Vec<Use>> = BTreeMap::new();
        for (index, message) in schemas.new.messages.iter().enumerate() {
            let before = schemas.old.messages_by_name.get(&*message.full_name).and_then(|ids| ids.first().copied());
            let (Some(before), Ok(after)) = (before, u32::try_from(index)) else { continue };
            for new in schemas.new.all_fields(MessageId(after)) {
                let Kind::Enum(held) = new.kind else { continue };
                let old = schemas.old.all_fields(before).find(|old| old.number == new.number);
                if let Some((old, Kind::Enum(was))) = old.map(|old| (old, old.kind)) {
                    let name = if new.is_extension {
                        new.name.to_string()
                    } else {
                        format!("{}.{}", message.full_name, new.name)
                    };
                    let shapes = Pair::new(shape(old), shape(new));
                    uses.entry(Pair::new(was, held)).or_default().push(Use { name, shapes });
                }
            }
        }
        Uses(uses)
    }

    fn at(&self, enums: Pair<EnumId>) -> &[Use] {
        self.0.get(&enums).map_or(&[], Vec::as_slice)
    }

    /// The ways in which fields hold the enum alike on both sides; there always is the plain one.
    pub(super) fn shapes(&self, enums: Pair<EnumId>) -> BTreeSet<Shape> {
        let alike = self.at(enums).iter().filter(|one| one.shapes.old == one.shapes.new).map(|one| one.shapes.new);
        alike.chain([Shape::Optional]).collect()
    }

    /// The fields from which a value without a name takes more with it than itself: five of them, and how many more.
    pub(super) fn named(&self, enums: Pair<EnumId>) -> String {
        let hard = self.at(enums).iter().filter(|one| one.shapes.old == one.shapes.new);
        let hard: Vec<String> =
            hard.filter(|one| one.shapes.new != Shape::Optional).map(|one| format!("`{}`", one.name)).collect();
        match hard.len() {
            0 => "none".to_owned(),
            count if count > NAMED => format!("{} and {} more", hard[..NAMED].join(", "), count - NAMED),
            _ => hard.join(", "),
        }
    }

    /// What a reader experiences of a value that it sets aside, wherever the enum is used.
    pub(super) fn dropped(&self, enums: Pair<EnumId>, outcome: Outcome) -> Outcome {
        let shapes = self.shapes(enums);
        match outcome {
            Outcome::Unrecognized | Outcome::Lossy if shapes.contains(&Shape::Required) => Outcome::Fails,
            Outcome::Unrecognized if shapes.len() > 1 => Outcome::Lossy,
            other => other,
        }
    }

    /// What a reader of JSON experiences of a name that it does not know: a field that requires the enum is missing.
    pub(super) fn unknown_name(&self, enums: Pair<EnumId>, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Unrecognized | Outcome::Lossy if self.shapes(enums).contains(&Shape::Required) => Outcome::Fails,
            other => other,
        }
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
