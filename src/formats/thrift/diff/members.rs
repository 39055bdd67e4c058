//! The members of two structs that were paired, and what readers see of one that does not reach its place.

use crate::change::Pair;
use crate::evidence::Outcome;
use crate::formats::roundtrip::Sides;

use super::super::keys;
use super::super::model::{Field, Requiredness, Schema, Sort, Struct, StructId};
use super::super::pairing;
use super::super::relation;

/// Everything about a pair of structs that their fields' comparison needs.
pub(super) struct Members<'s, 'b> {
    pub types: Pair<StructId>,
    pub structs: Pair<&'s Struct<'b>>,
    pub container: String,
    /// The new name; of arguments and results that of the function.
    pub path: String,
    pub replaced: bool,
    /// Whether they stand in keys of maps or in items of sets.
    pub in_keys: bool,
}

impl<'s, 'b> Members<'s, 'b> {
    pub(super) fn new(schemas: Pair<&'s Schema<'b>>, types: Pair<StructId>, replaced: bool) -> Self {
        let structs = Pair::new(schemas.old.structure(types.old), schemas.new.structure(types.new));
        let name = &*structs.new.full_name;
        let function = name.strip_suffix(" arguments").or_else(|| name.strip_suffix(" result"));
        let path = function.unwrap_or(name).to_owned();
        Self { types, structs, container: pairing::struct_container(schemas, types), path, replaced, in_keys: false }
    }

    pub(super) fn is_result(&self) -> bool {
        self.structs.new.sort == Sort::Result
    }

    /// What a reader sees of a value that does not reach its field, though both sides have it.
    pub(super) fn lost(&self, reader: &Struct<'_>, field: &Field<'_>) -> Outcome {
        match reader.sort {
            Sort::Result => empty_result(reader),
            Sort::Struct | Sort::Union | Sort::Exception | Sort::Arguments => match requiredness(reader, field) {
                Requiredness::Required => Outcome::Fails,
                Requiredness::Optional | Requiredness::Default => Outcome::Lossy,
            },
        }
    }

    /// Whether keys of maps or items of sets may differ in a field that the reader lacks, and in nothing else.
    pub(super) fn tells_keys_apart(&self, writer: &Schema<'_>, field: &Field<'_>, structs: Sides<&Struct<'_>>) -> bool {
        self.in_keys && keys::may_differ_in(writer, structs.writer, field, structs.reader)
    }

    /// What a reader sees who lacks a field that is written, and in which keys may differ alone or not. Where it takes the
    /// value for another field's, that is told of the other field.
    pub(super) fn unknown(&self, reader: &Struct<'_>, field: &Field<'_>, is_in_keys: bool) -> Outcome {
        let takes = |other: &Field<'_>| relation::same_header(Pair::new(&field.ty, &other.ty));
        match reader.sort {
            _ if reader.field(field.id).is_some_and(takes) => Outcome::Safe,
            // Keys and items that differ in this alone are one to it.
            Sort::Union | Sort::Struct | Sort::Exception if is_in_keys => Outcome::Lossy,
            Sort::Union => Outcome::Unrecognized,
            Sort::Result => empty_result(reader),
            Sort::Struct | Sort::Exception | Sort::Arguments => Outcome::Safe,
        }
    }

    /// What a reader sees of a field that is never written, unless another field of the same wire type always fills it.
    pub(super) fn absent(reader: &Struct<'_>, field: &Field<'_>, filler: Option<&Field<'_>>) -> Outcome {
        let fills = |filler: &Field<'_>| {
            filler.requiredness == Requiredness::Required && relation::same_header(Pair::new(&filler.ty, &field.ty))
        };
        match (reader.sort, requiredness(reader, field)) {
            (Sort::Union | Sort::Result, _) => Outcome::Safe,
            _ if filler.is_some_and(fills) => Outcome::Safe,
            (_, Requiredness::Required) => Outcome::Fails,
            (_, Requiredness::Optional | Requiredness::Default) => Outcome::Defaulted,
        }
    }
}

/// An exception that the caller does not know leaves the result empty: where a value is awaited that is an error, where
/// none is it passes for success.
pub(super) fn empty_result(reader: &Struct<'_>) -> Outcome {
    if reader.fields.iter().any(|field| field.id == 0) { Outcome::Fails } else { Outcome::Wrong }
}

/// Members of unions are optional, whatever is written.
pub(super) fn requiredness(of: &Struct<'_>, field: &Field<'_>) -> Requiredness {
    match of.sort {
        Sort::Union | Sort::Result => Requiredness::Optional,
        Sort::Struct | Sort::Exception | Sort::Arguments => field.requiredness,
    }
}
