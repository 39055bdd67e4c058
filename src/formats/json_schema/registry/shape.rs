//! A schema as the checker of the registry holds it: one kind of thing with what belongs to it, or several that hold at
//! once. Which keywords make which kind is for the loaders to say; here nothing is left out that asserts nothing.

use std::sync::Arc;

use crate::formats::json_schema::linker::Place;
use crate::ordered::{OrderedMap, OrderedSet};

/// A schema of one side as the checker has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::formats::json_schema) struct ShapeId(pub(super) u32);

/// The schemas of one side.
#[derive(Debug, Default)]
pub(in crate::formats::json_schema) struct Shapes {
    pub(super) list: Vec<Shape>,
    /// Per document the schema of all of it, where it could be loaded.
    pub(super) roots: Vec<Option<ShapeId>>,
}

/// A schema.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    /// Where it stands.
    pub(super) place: Arc<Place>,
    /// All of its text, in one spelling; two with the same text count once among branches.
    pub(super) text: Option<Arc<str>>,
    /// Whether it has a default.
    pub(super) has_default: bool,
    /// Whether `connect.type` calls it `bytes`.
    pub(super) is_connect_bytes: bool,
    pub(super) kind: Kind,
}

/// What a schema is.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// What is valid elsewhere; `None` where it was not found.
    Reference(Option<ShapeId>),
    /// Everything is valid.
    Empty,
    /// Nothing is valid.
    False,
    Boolean,
    Null,
    Conditional,
    Text(Text),
    Number(Number),
    Array(Box<Array>),
    Object(Box<Object>),
    /// The values, each in one spelling.
    Enum(OrderedSet<String>),
    /// The value in one spelling.
    Const(String),
    Not(ShapeId),
    Combined(Combined),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    pub(super) max_length: Option<f64>,
    pub(super) min_length: Option<f64>,
    pub(super) pattern: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Number {
    pub(super) maximum: Option<f64>,
    pub(super) minimum: Option<f64>,
    pub(super) exclusive_maximum: Option<f64>,
    pub(super) exclusive_minimum: Option<f64>,
    /// As it is written.
    pub(super) multiple_of: Option<String>,
    pub(super) is_integer: bool,
}

/// What is said of members or items beyond those that are named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Rest {
    /// There may be any.
    #[default]
    Open,
    /// There may be none.
    Closed,
    /// There may be those that are valid.
    Schema(ShapeId),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Array {
    pub(super) max_items: Option<f64>,
    pub(super) min_items: Option<f64>,
    pub(super) max_contains: Option<f64>,
    pub(super) min_contains: Option<f64>,
    pub(super) is_unique: bool,
    /// One schema for all items.
    pub(super) all: Option<ShapeId>,
    /// The schemas of the first items.
    pub(super) first: Vec<ShapeId>,
    /// `additionalItems`, or `items` behind `prefixItems`.
    pub(super) additional: Rest,
    pub(super) unevaluated: Option<ShapeId>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Object {
    pub(super) max_properties: Option<f64>,
    pub(super) min_properties: Option<f64>,
    pub(super) properties: OrderedMap<String, ShapeId>,
    /// In the order in which they are written.
    pub(super) patterns: Vec<(String, ShapeId)>,
    pub(super) required: OrderedSet<String>,
    pub(super) additional: Rest,
    pub(super) unevaluated: Option<ShapeId>,
    pub(super) names_needed: OrderedMap<String, OrderedSet<String>>,
    pub(super) schemas_needed: OrderedMap<String, ShapeId>,
}

/// How many of several schemas have to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Criterion {
    All,
    Any,
    One,
}

impl Criterion {
    /// The keyword.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Criterion::All => "allOf",
            Criterion::Any => "anyOf",
            Criterion::One => "oneOf",
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Combined {
    pub(super) criterion: Criterion,
    pub(super) parts: Vec<ShapeId>,
    /// Whether no keyword says so: it came about where keywords of several kinds stand side by side.
    pub(super) is_generated: bool,
}

impl Kind {
    /// Whether two schemas are of one kind.
    pub(super) fn is_like(&self, other: &Kind) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl Shapes {
    pub(super) fn get(&self, id: ShapeId) -> &Shape {
        &self.list[id.0 as usize]
    }

    pub(super) fn kind(&self, id: ShapeId) -> &Kind {
        &self.get(id).kind
    }

    pub(super) fn add(&mut self, shape: Shape) -> ShapeId {
        let id = ShapeId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        self.list.push(shape);
        id
    }

    /// What a reference refers to; a reference to a reference is one still.
    pub(super) fn seen_through(&self, id: ShapeId) -> ShapeId {
        match self.kind(id) {
            Kind::Reference(Some(target)) => *target,
            _ => id,
        }
    }

    /// The schema of a document.
    pub(in crate::formats::json_schema) fn root(&self, document: usize) -> Option<ShapeId> {
        self.roots.get(document).copied().flatten()
    }
}
