//! Declarations of tables, structs, enums and unions: which continue, under which name, and what else differs.

use crate::change::{ChangeKind, FactKey, Pair};

use super::super::model::{Enum, EnumId, Object, ObjectId, Schema};
use super::super::pairing;
use super::fields::Members;
use super::files::Declared;
use super::{Differ, Met};
use crate::formats::frame::declarations::{alike, candidates, leftovers, renamed_or_moved, twins};
use crate::formats::frame::declared::InFiles;
use crate::formats::frame::differ::{Candidate, Draft, counterparts, settle_renames};

impl<'s, 'b> Differ<'s, 'b> {
    /// Says which declaration is which: by full name (and path, where a name is declared more than once), then by simple
    /// name where a declaration moved to another namespace.
    pub(super) fn declare(&mut self) {
        let schemas = self.schemas;
        for types in counterparts(Pair::new(object_candidates(schemas.old), object_candidates(schemas.new))) {
            self.declare_objects(types);
        }
        for types in counterparts(Pair::new(enum_candidates(schemas.old), enum_candidates(schemas.new))) {
            self.declare_enums(types);
        }
    }

    fn declare_objects(&mut self, types: Pair<ObjectId>) {
        self.declared.add(types);
        let of = self.objects(types);
        let draft = renamed_or_moved((ChangeKind::MessageRenamed, object_role(of.new)), self.schemas, of, |name| name);
        draft.into_iter().for_each(|draft| self.push(draft));
    }

    fn declare_enums(&mut self, types: Pair<EnumId>) {
        self.declared_enums.add(types);
        let of = self.schemas.zip(types, |schema, id| schema.enumeration(id));
        let draft = renamed_or_moved((ChangeKind::EnumRenamed, enum_role(of.new)), self.schemas, of, |name| name);
        draft.into_iter().for_each(|draft| self.push(draft));
    }

    /// Compares the declarations that no root has led to.
    pub(super) fn pair_the_rest(&mut self) {
        for types in self.declared.pairs.clone() {
            self.pair_objects(types);
        }
        for types in self.declared_enums.pairs.clone() {
            self.pair_enums(types);
        }
    }

    /// Declares as continued what references have paired one to one, then tables and structs with exactly one twin.
    pub(super) fn pair_by_structure(&mut self) {
        for replacement in self.queue.replacements.clone() {
            match replacement {
                Met::Type(types) if !self.is_replaced_object(types) => self.declare_if_free(types),
                Met::Enum(types) if !self.is_replaced_enum(types) && self.declared_enums.are_free(types) => {
                    self.declare_enums(types);
                }
                Met::Type(_) | Met::Enum(_) => {}
            }
        }
        let candidates = self.schemas.map(object_candidates);
        for twin in twins(self.schemas, candidates.clone(), &self.declared, shape) {
            self.declare_if_free(twin);
            self.pair_objects(twin);
        }
        for one in alike(self.schemas, &candidates, &self.declared, members) {
            self.declare_if_free(one);
            self.pair_objects(one);
        }
    }

    fn declare_if_free(&mut self, types: Pair<ObjectId>) {
        let is_own = |schema: &Schema<'_>, id: ObjectId| !schema.file(schema.object(id).file).is_library;
        if self.declared.are_free(types) && is_own(self.schemas.old, types.old) && is_own(self.schemas.new, types.new) {
            self.declare_objects(types);
        }
    }

    /// Compares two tables or structs.
    pub(super) fn diff_object(&mut self, types: Pair<ObjectId>) {
        let members = Members::new(self.schemas, types, self.is_replaced_object(types));
        let Pair { old, new } = members.objects;
        let sites = Pair::new(self.schemas.old.name_site(old), self.schemas.new.name_site(new));
        if old.layout.is_some() != new.layout.is_some() {
            let draft = Draft::new(
                ChangeKind::TypeSortChanged,
                &*new.full_name,
                pairing::declaration("sort", &members.container),
            )
            .at(Pair::new(Some(sites.old), Some(sites.new)))
            .fact(FactKey::OldValue, object_role(old))
            .fact(FactKey::NewValue, object_role(new))
            .fact(FactKey::Container, &*new.full_name);
            return self.push(draft);
        }
        self.diff_fields(&members);
        if !members.replaced {
            let declared = Declared { role: object_role(new), path: &new.full_name, sites };
            self.attributes(&declared, Pair::new(&old.attributes, &new.attributes));
        }
    }

    /// Everything that has no counterpart.
    pub(super) fn leftovers(&mut self) {
        let Pair { old, new } = self.schemas;
        let all = Pair::new((&*old.objects, object_candidates(old)), (&*new.objects, object_candidates(new)));
        let kinds = Pair::new(ChangeKind::MessageRemoved, ChangeKind::MessageAdded);
        let mut alone = leftovers(kinds, self.schemas, all, |id| id.0, &self.declared, object_role);
        let all = Pair::new((&*old.enums, enum_candidates(old)), (&*new.enums, enum_candidates(new)));
        let kinds = Pair::new(ChangeKind::EnumRemoved, ChangeKind::EnumAdded);
        alone.extend(leftovers(kinds, self.schemas, all, |id| id.0, &self.declared_enums, enum_role));
        alone.into_iter().for_each(|draft| self.push(draft));
    }

    /// A reference that follows a type under its new name is told once, at the type.
    pub(super) fn settle_renames(&mut self) {
        let is_told = |met: &Met| match *met {
            Met::Type(types) => self.declared.has(types),
            Met::Enum(types) => self.declared_enums.has(types),
        };
        settle_renames(&mut self.changes, &self.following, is_told);
    }

    pub(super) fn objects(&self, types: Pair<ObjectId>) -> Pair<&'s Object<'b>> {
        Pair::new(self.schemas.old.object(types.old), self.schemas.new.object(types.new))
    }

    /// Whether the new type merely took the old one's place: one of the two continues elsewhere, so that no slot of the
    /// one was ever a slot of the other.
    pub(super) fn is_replaced_object(&self, types: Pair<ObjectId>) -> bool {
        let names = self.object_names(types);
        names.old != names.new && !self.declared.has(types) && !self.declared.are_free(types)
    }

    pub(super) fn is_replaced_enum(&self, types: Pair<EnumId>) -> bool {
        let names = self.enum_names(types);
        names.old != names.new && !self.declared_enums.has(types) && !self.declared_enums.are_free(types)
    }
}

/// What a declaration is called.
fn object_role(of: &Object<'_>) -> &'static str {
    if of.layout.is_some() { "struct" } else { "table" }
}

fn enum_role(of: &Enum<'_>) -> &'static str {
    if of.is_union { "union" } else { "enum" }
}

fn object_candidates(schema: &Schema<'_>) -> Vec<Candidate<ObjectId>> {
    candidates(schema, &schema.objects, ObjectId)
}

fn enum_candidates(schema: &Schema<'_>) -> Vec<Candidate<EnumId>> {
    candidates(schema, &schema.enums, EnumId)
}

/// What is in a table or a struct: slot and type of every field, and which of the two it is.
/// What a type holds, whatever its types are.
fn members(schema: &Schema<'_>, id: ObjectId) -> Vec<String> {
    let of = schema.object(id);
    of.fields.iter().map(|field| format!("{} {}", object_role(of), field.name.text)).collect()
}

fn shape(schema: &Schema<'_>, id: ObjectId) -> Vec<String> {
    let of = schema.object(id);
    let fields = of.fields.iter().map(|field| format!("{} {}", field.slot, schema.spelled(&field.ty)));
    let role = (!of.fields.is_empty()).then(|| object_role(of).to_owned());
    fields.chain(role).collect()
}
