//! Which defaults of a writer's schema Java takes no more once the reader's aliases have rewritten it.
//!
//! Java (1.12) holds the default of every field against its type when it makes the rewritten field. The names of fields are
//! new, the defaults are as they were. A union takes a default that any of its branches takes, so what is no record any
//! more may pass for a map.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::link::{is_whole, written_number};
use super::model::{Kind, Primitive, Schema, TypeId};
use super::resolve_terms::{Reason, Renames};
use crate::syntax::json::{Json, JsonKind};

/// Why a default does not fit.
#[derive(Clone)]
struct Misfit {
    /// The renamed field that it comes from, if it comes from one.
    renamed: Option<(TypeId, usize)>,
    /// Whether Java gives up: it looks for the fields of a record that has none yet.
    is_final: bool,
}

impl Renames<'_> {
    /// A field that the default of a field of this record spells by the name that it has no more. Java makes the record
    /// anew while it makes those around it.
    pub(super) fn broken_default(
        &self,
        writer: &Schema<'_>,
        id: TypeId,
        around: impl Fn() -> FxHashSet<TypeId>,
    ) -> Option<Reason> {
        let record = writer.record(id)?;
        let open = OnceCell::new();
        record.fields.iter().enumerate().find_map(|(index, field)| {
            let default = field.default.as_ref()?;
            let open = open.get_or_init(&around);
            let mut check = Check { renames: self, writer, open, known: FxHashMap::default() };
            let misfit = check.default(field.schema.ty, default.json).err()?;
            // Without a renamed field a default fits as well as before, unless it is looked at too early.
            if self.fields.is_empty() && !misfit.is_final {
                return None;
            }
            let (record, field) = misfit.renamed.unwrap_or((id, index));
            Some(Reason::DefaultOfRenamed { record, field })
        })
    }
}

/// A default that is held against its type.
struct Check<'c, 's, 'w> {
    renames: &'c Renames<'s>,
    writer: &'c Schema<'w>,
    /// The types that are being made, and have no fields yet.
    open: &'c FxHashSet<TypeId>,
    /// What was found for a record and a part of the default, which branches of unions ask for again and again.
    known: FxHashMap<(TypeId, *const ()), Result<(), Misfit>>,
}

impl Check<'_, '_, '_> {
    /// The default of a field. Only there numbers may be written as texts.
    fn default(&mut self, ty: TypeId, json: &Json<'_>) -> Result<(), Misfit> {
        match (self.writer.kind(ty), json.as_text()) {
            (Kind::Primitive(Primitive::Float | Primitive::Double), Some(text)) if written_number(text).is_some() => {
                Ok(())
            }
            _ => self.value(ty, json),
        }
    }

    fn value(&mut self, ty: TypeId, json: &Json<'_>) -> Result<(), Misfit> {
        let writer = self.writer;
        let fits = match (writer.kind(ty), &json.kind) {
            (Kind::Primitive(primitive), _) => is_of(*primitive, json),
            (Kind::Enum(_) | Kind::Fixed(_), kind) => matches!(kind, JsonKind::Text(_)),
            (Kind::Array(items), JsonKind::List(values)) => {
                return values.iter().try_for_each(|value| self.value(items.ty, value));
            }
            (Kind::Map(values), JsonKind::Object(members)) => {
                return members.iter().try_for_each(|member| self.value(values.ty, &member.value));
            }
            (Kind::Record(_), JsonKind::Object(_)) => {
                let place = (ty, std::ptr::from_ref(json).cast());
                if let Some(known) = self.known.get(&place) {
                    return known.clone();
                }
                let found = self.record(ty, json);
                self.known.insert(place, found.clone());
                return found;
            }
            (Kind::Union(branches), _) => {
                let mut first = None;
                for branch in branches {
                    match self.value(branch.ty, json) {
                        Ok(()) => return Ok(()),
                        Err(misfit) if misfit.is_final => return Err(misfit),
                        Err(misfit) if misfit.renamed.is_some() => drop(first.get_or_insert(misfit)),
                        Err(_) => {}
                    }
                }
                return Err(first.unwrap_or(Misfit { renamed: None, is_final: false }));
            }
            (Kind::Opaque(_), _) => true,
            (Kind::Array(_) | Kind::Map(_) | Kind::Record(_), _) => false,
        };
        if fits { Ok(()) } else { Err(Misfit { renamed: None, is_final: false }) }
    }

    /// The fields of a record. One that is left out has a default of its own, which is looked at for itself.
    fn record(&mut self, ty: TypeId, json: &Json<'_>) -> Result<(), Misfit> {
        if self.open.contains(&ty) {
            return Err(Misfit { renamed: None, is_final: true });
        }
        let Some(record) = self.writer.record(ty) else { return Ok(()) };
        record.fields.iter().enumerate().try_for_each(|(index, field)| {
            let name = self.renames.field(record, field);
            let renamed = (*name != *field.name).then_some((ty, index));
            match (json.get(name), &field.default) {
                (Some(stated), _) => self
                    .value(field.schema.ty, stated)
                    .map_err(|misfit| Misfit { renamed: misfit.renamed.or(renamed), ..misfit }),
                (None, Some(_)) => Ok(()),
                (None, None) => Err(Misfit { renamed, is_final: false }),
            }
        })
    }
}

/// Whether a JSON value is one of a primitive type.
fn is_of(primitive: Primitive, json: &Json<'_>) -> bool {
    match (primitive, &json.kind) {
        (Primitive::Null, JsonKind::Null)
        | (Primitive::Boolean, JsonKind::Bool(_))
        | (Primitive::Float | Primitive::Double, JsonKind::Number(_))
        | (Primitive::Bytes | Primitive::String, JsonKind::Text(_)) => true,
        (Primitive::Int, JsonKind::Number(digits)) => is_whole(digits) && digits.parse::<i32>().is_ok(),
        (Primitive::Long, JsonKind::Number(digits)) => is_whole(digits) && digits.parse::<i64>().is_ok(),
        _ => false,
    }
}
