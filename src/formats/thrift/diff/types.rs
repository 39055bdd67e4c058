//! Declarations of structs and enums: which continue, under which name, and what else of a struct differs.

use rustc_hash::FxHashSet;

use crate::change::{ChangeKind, FactKey, Pair};
use crate::evidence::Outcome;

use super::super::model::{EnumId, Schema, Sort, Struct, StructId};
use super::super::pairing;
use super::annotations::Declared;
use super::differ::{Differ, Met};
use super::members::Members;
use crate::formats::frame::declarations::{alike, candidates, leftovers, renamed_or_moved, twins};
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::{Candidate, Draft, counterparts, settle_renames};
use crate::formats::frame::roots::simple_name;

impl<'s, 'b> Differ<'s, 'b> {
    /// Pairs all declarations: by full name (and path, where a name is declared more than once), then by simple name
    /// where a declaration moved to another program.
    pub(super) fn pair_declarations(&mut self) {
        let schemas = self.schemas;
        for types in counterparts(Pair::new(struct_candidates(schemas.old), struct_candidates(schemas.new))) {
            self.declare_structs(types);
        }
        for types in counterparts(Pair::new(enum_candidates(schemas.old), enum_candidates(schemas.new))) {
            self.declare_enums(types);
        }
    }

    fn declare_structs(&mut self, types: Pair<StructId>) {
        self.declared.add(types);
        self.pair_structs(types);
        let of = self.structs(types);
        let draft =
            renamed_or_moved((ChangeKind::MessageRenamed, sort_name(of.new.sort)), self.schemas, of, simple_name);
        draft.into_iter().for_each(|draft| self.push(draft));
    }

    fn declare_enums(&mut self, types: Pair<EnumId>) {
        self.declared_enums.add(types);
        self.pair_enums(types);
        let of = self.schemas.zip(types, |schema, id| schema.enumeration(id));
        let draft = renamed_or_moved((ChangeKind::EnumRenamed, "enum"), self.schemas, of, simple_name);
        draft.into_iter().for_each(|draft| self.push(draft));
    }

    /// Declares as continued what references have paired one to one, then structs with exactly one structural twin.
    pub(super) fn pair_by_structure(&mut self) {
        for replacement in self.queue.replacements.clone() {
            match replacement {
                Met::Type(types) if !self.is_replaced_struct(types) => self.declare_if_free(types),
                Met::Enum(types) if !self.is_replaced_enum(types) && self.declared_enums.are_free(types) => {
                    self.declare_enums(types);
                }
                Met::Type(_) | Met::Enum(_) => {}
            }
        }
        let candidates = self.schemas.map(struct_candidates);
        for twin in twins(self.schemas, candidates.clone(), &self.declared, shape) {
            self.declare_if_free(twin);
        }
        for one in alike(self.schemas, &candidates, &self.declared, members) {
            self.declare_if_free(one);
        }
    }

    fn declare_if_free(&mut self, types: Pair<StructId>) {
        let is_own = |schema: &Schema<'_>, id: StructId| !schema.file(schema.structure(id).file).is_library;
        if self.declared.are_free(types) && is_own(self.schemas.old, types.old) && is_own(self.schemas.new, types.new) {
            self.declare_structs(types);
        }
    }

    /// Compares two structs.
    pub(super) fn diff_struct(&mut self, types: Pair<StructId>) {
        let mut members = Members::new(self.schemas, types, self.is_replaced_struct(types));
        members.in_keys = self.are_in_keys(types);
        self.diff_fields(&members);
        self.diff_sort(&members);
        if !members.replaced && !self.is_of_function(types) {
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
        if old.sort == new.sort || self.is_of_function(members.types) {
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
        let Pair { old, new } = self.schemas;
        let all = Pair::new((&*old.structs, struct_candidates(old)), (&*new.structs, struct_candidates(new)));
        let kinds = Pair::new(ChangeKind::MessageRemoved, ChangeKind::MessageAdded);
        let mut alone = leftovers(kinds, self.schemas, all, |id| id.0, &self.declared, |of| sort_name(of.sort));
        let all = Pair::new((&*old.enums, enum_candidates(old)), (&*new.enums, enum_candidates(new)));
        let kinds = Pair::new(ChangeKind::EnumRemoved, ChangeKind::EnumAdded);
        alone.extend(leftovers(kinds, self.schemas, all, |id| id.0, &self.declared_enums, |_| "enum"));
        alone.into_iter().for_each(|draft| self.push(draft));
    }

    /// A reference that follows a type under its new name is told once, at the type.
    pub(super) fn settle_renames(&mut self) {
        let (structs, enums) = (&self.declared, &self.declared_enums);
        let continues = |met: &Met| match *met {
            Met::Type(types) => {
                !self.is_replaced_struct(types) && structs.has_old(types.old) && structs.has_new(types.new)
            }
            Met::Enum(types) => !self.is_replaced_enum(types) && enums.has_old(types.old) && enums.has_new(types.new),
        };
        let told: FxHashSet<Met> = self.queue.replacements.iter().copied().filter(continues).collect();
        settle_renames(&mut self.changes, &self.following, |met| told.contains(met));
    }

    /// Whether the new type merely took the old one's place: one of the two names exists on both sides, so that no id of
    /// the one was ever an id of the other.
    pub(super) fn is_replaced_struct(&self, types: Pair<StructId>) -> bool {
        let names = self.struct_names(types);
        names.old != names.new
            && !self.is_of_function(types)
            && (self.schemas.new.structs_by_name.contains_key(names.old)
                || self.schemas.old.structs_by_name.contains_key(names.new))
    }

    pub(super) fn is_replaced_enum(&self, types: Pair<EnumId>) -> bool {
        let names = self.enum_names(types);
        names.old != names.new
            && (self.schemas.new.enums_by_name.contains_key(names.old)
                || self.schemas.old.enums_by_name.contains_key(names.new))
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

fn struct_candidates(schema: &Schema<'_>) -> Vec<Candidate<StructId>> {
    let mut declared = candidates(schema, &schema.structs, StructId);
    declared.retain(|one| !schema.structure(one.id).sort.is_of_function());
    declared
}

fn enum_candidates(schema: &Schema<'_>) -> Vec<Candidate<EnumId>> {
    candidates(schema, &schema.enums, EnumId)
}

/// What is in a struct: id and type of every field.
/// What a struct holds, whatever its types are.
fn members(schema: &Schema<'_>, id: StructId) -> Vec<String> {
    schema.structure(id).fields.iter().map(|field| format!("{} {}", field.id, field.name.text)).collect()
}

fn shape(schema: &Schema<'_>, id: StructId) -> Vec<String> {
    let fields = schema.structure(id).fields.iter();
    fields.map(|field| format!("{} {}", field.id, schema.spelled(&field.ty))).collect()
}
