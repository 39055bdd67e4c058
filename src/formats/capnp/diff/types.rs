//! Declarations of structs and enums: which continue, and under which name.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::change::{Change, ChangeKind, FactKey, Pair};

use super::super::model::{EnumId, Schema, Sort, StructId};
use super::differ::{Differ, Met, by_id_then_name};
use super::fields::Members;
use crate::formats::frame::declarations::{alike, candidates, leftovers, renamed_or_moved, twins};
use crate::formats::frame::declared::{InFiles, Named};
use crate::formats::frame::differ::{Candidate, Draft, declaration, settle_renames};
use crate::formats::frame::roots::simple_name;

impl<'s, 'b> Differ<'s, 'b> {
    /// Pairs all declarations: by id, by full name (and path, where a name is declared more than once), then by simple name
    /// where a declaration moved.
    pub(super) fn pair_declarations(&mut self) {
        let schemas = self.schemas;
        let structs = schemas.map(struct_candidates);
        for types in by_id_then_name(structs, schemas.map(|schema| |id: StructId| schema.structure(id).id)) {
            self.declare_structs(types);
        }
        let enums = schemas.map(enum_candidates);
        for types in by_id_then_name(enums, schemas.map(|schema| |id: EnumId| schema.enumeration(id).id)) {
            self.declare_enums(types);
        }
    }

    fn declare_structs(&mut self, types: Pair<StructId>) {
        self.declared.add(types);
        self.pair_structs(types);
        let of = self.structs(types);
        let draft = renamed_or_moved((ChangeKind::MessageRenamed, "struct"), self.schemas, of, simple_name);
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
        let are_own = is_own(self.schemas.old, types.old) && is_own(self.schemas.new, types.new);
        if self.declared.are_free(types) && are_own && !self.is_of_method(types) {
            self.declare_structs(types);
        }
    }

    /// Compares two structs.
    pub(super) fn diff_struct(&mut self, types: Pair<StructId>) {
        let members = Members::new(self.schemas, types, self.is_replaced_struct(types) && !self.declared.has(types));
        self.diff_fields(&members);
        let Pair { old, new } = members.structs;
        if old.sort == Sort::Struct && new.sort == Sort::Struct && !members.is_replaced {
            self.annotations("struct", members.structs, Pair::new(&old.annotations, &new.annotations));
        }
        self.type_parameters("struct", members.structs, members.structs.map(|of| &of.parameters));
    }

    /// The type parameters of a struct or an interface, as far as there are more or fewer.
    pub(super) fn type_parameters<T: Named>(&mut self, role: &str, of: Pair<&T>, parameters: Pair<&Vec<Arc<str>>>) {
        if parameters.old.len() == parameters.new.len() {
            return;
        }
        let path = of.new.named().0;
        let draft = Draft::new(ChangeKind::TypeOptionChanged, path, declaration("generic", path))
            .at(Pair::new(Some(self.schemas.old.name_site(of.old)), Some(self.schemas.new.name_site(of.new))))
            .fact(FactKey::Role, role)
            .fact(FactKey::Effect, "parameters")
            .fact(FactKey::Name, "type parameters")
            .fact(FactKey::OldValue, parameters.old.join(", "))
            .fact(FactKey::NewValue, parameters.new.join(", "));
        self.push(draft);
    }

    /// Everything that has no counterpart. What went as one kind and came as another is one change.
    pub(super) fn leftovers(&mut self) {
        let Pair { old, new } = self.schemas;
        let all = Pair::new((&*old.structs, struct_candidates(old)), (&*new.structs, struct_candidates(new)));
        let kinds = Pair::new(ChangeKind::MessageRemoved, ChangeKind::MessageAdded);
        let mut alone = leftovers(kinds, self.schemas, all, |id| id.0, &self.declared, |_| "struct");
        let all = Pair::new((&*old.enums, enum_candidates(old)), (&*new.enums, enum_candidates(new)));
        let kinds = Pair::new(ChangeKind::EnumRemoved, ChangeKind::EnumAdded);
        alone.extend(leftovers(kinds, self.schemas, all, |id| id.0, &self.declared_enums, |_| "enum"));
        let all = Pair::new(
            (&*old.interfaces, super::interfaces::candidates_of(old)),
            (&*new.interfaces, super::interfaces::candidates_of(new)),
        );
        let kinds = Pair::new(ChangeKind::ServiceRemoved, ChangeKind::ServiceAdded);
        alone.extend(leftovers(kinds, self.schemas, all, |id| id.0, &self.declared_interfaces, |_| "interface"));
        let mut by_path: BTreeMap<String, Vec<Change>> = BTreeMap::new();
        for change in alone.into_iter().map(Draft::finish) {
            by_path.entry(change.path.clone()).or_default().push(change);
        }
        for (path, changes) in by_path {
            match &changes[..] {
                [gone, come] if gone.at.new.is_none() && come.at.old.is_none() => {
                    let role = |change: &Change| change.facts.get(FactKey::Role).unwrap_or_default().to_owned();
                    let draft = Draft::new(ChangeKind::TypeSortChanged, &*path, declaration("sort", &path))
                        .at(Pair::new(gone.at.old.clone(), come.at.new.clone()))
                        .fact(FactKey::OldValue, role(gone))
                        .fact(FactKey::NewValue, role(come));
                    self.push(draft);
                }
                _ => self.changes.extend(changes),
            }
        }
    }

    /// A reference that follows a type under its new name is told once, at the type.
    pub(super) fn settle_renames(&mut self) {
        let (structs, enums) = (&self.declared, &self.declared_enums);
        let continues = |met: &Met| match *met {
            Met::Type(types) => structs.has(types),
            Met::Enum(types) => enums.has(types),
        };
        let told: FxHashSet<Met> = self.queue.replacements.iter().copied().filter(continues).collect();
        settle_renames(&mut self.changes, &self.following, |met| told.contains(met));
    }
}

fn struct_candidates(schema: &Schema<'_>) -> Vec<Candidate<StructId>> {
    let mut declared = candidates(schema, &schema.structs, StructId);
    declared.retain(|one| schema.structure(one.id).sort == Sort::Struct);
    declared
}

fn enum_candidates(schema: &Schema<'_>) -> Vec<Candidate<EnumId>> {
    candidates(schema, &schema.enums, EnumId)
}

/// What a struct holds, whatever its types are.
fn members(schema: &Schema<'_>, id: StructId) -> Vec<String> {
    schema.structure(id).fields.iter().map(|field| format!("{} {}", field.ordinal, field.path)).collect()
}

/// What is in a struct: ordinal and type of every field.
fn shape(schema: &Schema<'_>, id: StructId) -> Vec<String> {
    let fields = schema.structure(id).fields.iter();
    fields.map(|field| format!("{} {}", field.ordinal, schema.spelled(&field.ty))).collect()
}
