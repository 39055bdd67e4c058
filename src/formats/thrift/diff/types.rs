//! Declarations of structs and enums: which continue, under which name, and what else of a struct differs.

use crate::change::{ChangeKind, FactKey, Pair};
use crate::evidence::Outcome;

use super::super::model::{EnumId, Schema, Sort, Struct, StructId};
use super::super::pairing;
use super::annotations::Declared;
use super::differ::{Differ, Met};
use super::members::Members;
use crate::formats::frame::comparison::Declares;
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::Draft;

impl<'s, 'b> Differ<'s, 'b> {
    /// Compares two structs.
    pub(super) fn diff_struct(&mut self, types: Pair<StructId>) {
        let mut members = Members::new(self.schemas, types, self.is_replaced(Met::Type(types)));
        members.in_keys = self.are_in_keys(types);
        self.diff_fields(&members);
        self.diff_sort(&members);
        if !members.replaced && self.are_declarations(types) {
            let Pair { old, new } = members.structs;
            let declared = Declared {
                role: sort_name(new.sort),
                path: &members.path,
                sites: Pair::new(self.schemas.old.name_site(old), self.schemas.new.name_site(new)),
            };
            self.annotations(&declared, Pair::new(&old.annotations, &new.annotations));
        }
    }

    fn diff_sort(&mut self, members: &Members<'s, 'b>) {
        let Pair { old, new } = members.structs;
        if old.sort == new.sort || !self.are_declarations(members.types) {
            return;
        }
        // A union is read from exactly one field.
        let read = |writer: &Struct<'_>, reader: &Struct<'_>| match (writer.sort, reader.sort) {
            (Sort::Struct | Sort::Exception, Sort::Union) if writer.fields.len() > 1 => Outcome::Fails,
            _ => Outcome::Safe,
        };
        let is_union = [old.sort, new.sort].contains(&Sort::Union);
        let draft = Draft::new(ChangeKind::TypeSortChanged, &*members.path, pairing::sort(&members.container))
            .at(Pair::new(Some(self.schemas.old.name_site(old)), Some(self.schemas.new.name_site(new))))
            .fact(FactKey::Role, if is_union { "union" } else { "exception" })
            .fact(FactKey::OldValue, sort_name(old.sort))
            .fact(FactKey::NewValue, sort_name(new.sort))
            .fact(FactKey::Container, &*new.full_name)
            .reads(Pair::new(read(old, new), read(new, old)));
        self.push(draft);
    }

    /// Everything that has no counterpart.
    pub(super) fn leftovers(&mut self) {
        self.without_counterpart().into_iter().for_each(|draft| self.push(draft));
    }
}

impl Declares for Schema<'_> {
    fn is_declaration(of: &Struct<'_>) -> bool {
        !of.sort.is_of_function()
    }

    fn role(of: &Struct<'_>) -> &'static str {
        sort_name(of.sort)
    }

    fn shape(&self, id: StructId) -> Vec<String> {
        let fields = self.structure(id).fields.iter();
        fields.map(|field| format!("{} {}", field.id, self.spelled(&field.ty))).collect()
    }

    fn values(&self, id: EnumId) -> Vec<String> {
        let values = self.enumeration(id).values.iter();
        values.map(|value| format!("{} {}", value.number, value.name.text)).collect()
    }

    fn members(&self, id: StructId) -> Vec<String> {
        self.structure(id).fields.iter().map(|field| format!("{} {}", field.id, field.name.text)).collect()
    }

    fn demands(&self, id: StructId) -> Vec<String> {
        let fields = self.structure(id).fields.iter();
        fields.map(|field| format!("{} {:?}", field.id, field.requiredness)).collect()
    }

    /// One of the two names exists on both sides.
    fn are_others(schemas: Pair<&Self>, met: Met, _are_free: bool) -> bool {
        let Pair { old, new } = schemas;
        match met {
            Met::Type(types) => {
                old.structs_by_name.contains_key(&new.structure(types.new).full_name)
                    || new.structs_by_name.contains_key(&old.structure(types.old).full_name)
            }
            Met::Enum(enums) => {
                old.enums_by_name.contains_key(&new.enumeration(enums.new).full_name)
                    || new.enums_by_name.contains_key(&old.enumeration(enums.old).full_name)
            }
        }
    }
}

/// What a declaration is called.
pub(super) fn sort_name(sort: Sort) -> &'static str {
    match sort {
        Sort::Struct => "struct",
        Sort::Union => "union",
        Sort::Exception => "exception",
        Sort::Arguments => "arguments",
        Sort::Result => "result",
    }
}
