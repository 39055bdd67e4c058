//! The ways in which tables use structs, and the synthetic table in which structs, enums and unions are written.

use std::borrow::Cow;

use rustc_hash::FxHashSet;

use crate::change::{Pair, Span};

use super::codec::{Types, is_union};
use super::model::{Default as Absence, Field, FileId, Object, ObjectId, Scalar, Spelled, Type};
use super::pairing::{self, Pairs};
use super::values::items;

/// How a struct or an enum is used.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Use {
    /// The types of a field on both sides.
    pub(super) types: Pair<Type>,
}

impl Use {
    /// Whether it is of the types of another one: those or vectors of them.
    pub(super) fn is_of(&self, other: &Use) -> bool {
        let items = self.types.as_ref().map(|ty| items(ty).unwrap_or(ty));
        items == other.types.as_ref()
    }
}

/// The ways in which tables on both sides use structs, each once.
pub(super) fn uses(types: Pair<Types<'_, '_>>, pairs: &Pairs) -> Vec<Use> {
    let mut uses: Vec<Use> = Vec::new();
    let mut seen: FxHashSet<Use> = FxHashSet::default();
    let mut add = |old: &Type, new: &Type| {
        let used = Use { types: Pair::new(old.clone(), new.clone()) };
        if seen.insert(used.clone()) {
            uses.push(used);
        }
    };
    for pair in &pairs.objects {
        let (old, new) = (types.old.object(pair.types.old), types.new.object(pair.types.new));
        if old.layout.is_some() || new.layout.is_some() {
            continue;
        }
        for fields in pairing::fields(Pair::new(old, new)) {
            let (Some(before), Some(after)) = (fields.at.old, fields.at.new) else { continue };
            let (before, after) = (&old.fields[before].ty, &new.fields[after].ty);
            if is_use(before, after) {
                add(before, after);
            }
        }
    }
    uses
}

/// Whether a struct pair stands in a use. What was looked into is not looked into again.
pub(super) fn holds(
    side: Pair<Types<'_, '_>>,
    types: Pair<&Type>,
    ids: Pair<ObjectId>,
    seen: &mut FxHashSet<(Pair<ObjectId>, usize)>,
    depth: usize,
) -> bool {
    if depth > 16 {
        return false;
    }
    match (types.old, types.new) {
        (Type::Struct(old), Type::Struct(new)) => {
            let held = Pair::new(*old, *new);
            if held == ids || !seen.insert((held, depth)) {
                return held == ids;
            }
            let objects = Pair::new(side.old.object(*old), side.new.object(*new));
            pairing::fields(objects).iter().any(|pair| match (pair.at.old, pair.at.new) {
                (Some(old), Some(new)) => {
                    let types = Pair::new(&objects.old.fields[old].ty, &objects.new.fields[new].ty);
                    holds(side, types, ids, seen, depth + 1)
                }
                _ => false,
            })
        }
        (Type::Vector(old) | Type::Array(old, _), Type::Vector(new) | Type::Array(new, _)) => {
            holds(side, Pair::new(old, new), ids, seen, depth + 1)
        }
        (Type::Union(old), Type::Union(new)) => {
            let members = &side.old.schema.enumeration(*old).values;
            members.iter().any(|member| {
                let number = u32::try_from(member.number).unwrap_or_default();
                match (&member.ty, side.new.member(*new, number)) {
                    (Some(old @ Type::Struct(_)), Some(new @ Type::Struct(_))) => {
                        holds(side, Pair::new(old, new), ids, seen, depth + 1)
                    }
                    _ => false,
                }
            })
        }
        _ => false,
    }
}

/// Whether two types of a field have structs in them.
fn is_use(old: &Type, new: &Type) -> bool {
    match (old, new) {
        (Type::Struct(_), Type::Struct(_)) | (Type::Union(_), Type::Union(_)) => true,
        (Type::Vector(old), Type::Vector(new)) => is_use(old, new),
        _ => false,
    }
}

/// A table with something behind (0), a value (2, its discriminator 1) and something beside (3).
pub(super) fn holder<'b>(ty: &Type) -> Object<'b> {
    let span = Span::new(0, 0);
    let spelled = |text: &'static str| Spelled { text: Cow::Borrowed(text), span };
    let field = |slot, name, ty| Field {
        name: spelled(name),
        span,
        slot,
        offset: 0,
        ty,
        written: spelled(name),
        default: Absence::Absent,
        default_written: None,
        id_span: None,
        is_deprecated: false,
        is_required: false,
        is_key: false,
        nested: None,
        is_offset64: false,
        attributes: Vec::new(),
    };
    let number = Type::Scalar(Scalar::U32);
    Object {
        full_name: "".into(),
        name_span: span,
        file: FileId(0),
        layout: None,
        weight: 0,
        fields: vec![
            field(0, "behind", Type::Vector(Box::new(number.clone()))),
            field(2, "value", ty.clone()),
            field(3, "beside", number),
        ],
        attributes: Vec::new(),
    }
}

/// The synthetic table as a schema says it. A union takes the slot of its discriminator as well.
pub(super) fn wrapper(ty: &Type) -> &'static str {
    match ty {
        ty if is_union(ty) => {
            "table Wrapper { behind: [uint] (id: 0); value: TYPE (id: 2); beside: uint (id: 3); } root_type Wrapper;"
        }
        // It may lack the number zero.
        Type::Enum(_) => {
            "table Wrapper { behind: [uint] (id: 0); unused: bool (id: 1); value: TYPE = null (id: 2); beside: uint (id: 3); \
             } root_type Wrapper;"
        }
        _ => {
            "table Wrapper { behind: [uint] (id: 0); unused: bool (id: 1); value: TYPE (id: 2); beside: uint (id: 3); } \
             root_type Wrapper;"
        }
    }
}
