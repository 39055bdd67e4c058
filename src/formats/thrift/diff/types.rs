//! Declarations of structs and enums: which continue, under which name, and what else of a struct differs.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::change::{ChangeKind, FactKey, Pair, Site, Span};
use crate::evidence::Outcome;

use super::super::model::{EnumId, FileId, Schema, Sort, Struct, StructId};
use super::super::pairing;
use super::annotations::Declared;
use super::differ::{Differ, Met};
use super::members::Members;
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
        let Pair { old, new } = self.structs(types);
        self.renamed_or_moved(ChangeKind::MessageRenamed, sort_name(new.sort), Pair::new(whole(old), whole(new)));
    }

    fn declare_enums(&mut self, types: Pair<EnumId>) {
        self.declared_enums.add(types);
        self.pair_enums(types);
        let (old, new) = (self.schemas.old.enumeration(types.old), self.schemas.new.enumeration(types.new));
        let of = Pair::new((&*old.full_name, old.file, old.name_span), (&*new.full_name, new.file, new.name_span));
        self.renamed_or_moved(ChangeKind::EnumRenamed, "enum", of);
    }

    fn renamed_or_moved(&mut self, kind: ChangeKind, role: &str, of: Pair<(&'s str, FileId, Span)>) {
        let Pair { old, new } = of;
        let paths = Pair::new(&self.schemas.old.file(old.1).path, &self.schemas.new.file(new.1).path);
        let kind = match simple_name(old.0) == simple_name(new.0) {
            true if old.0 == new.0 && paths.old == paths.new => return,
            true => ChangeKind::TypeMoved,
            false => kind,
        };
        let draft = Draft::new(kind, new.0, pairing::declaration("type", new.0))
            .at(Pair::new(Some(self.schemas.old.site(old.1, old.2)), Some(self.schemas.new.site(new.1, new.2))))
            .fact(FactKey::Role, role)
            .fact(FactKey::OldName, old.0)
            .fact(FactKey::NewName, new.0)
            .fact(FactKey::OldValue, &**paths.old)
            .fact(FactKey::NewValue, &**paths.new);
        self.push(draft);
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
        let old = shapes(self.schemas.old, |id| self.declared.has_old(id));
        let new = shapes(self.schemas.new, |id| self.declared.has_new(id));
        for (shape, candidates) in &old {
            if let ([one], Some([other])) = (&candidates[..], new.get(shape).map(Vec::as_slice)) {
                self.declare_if_free(Pair::new(*one, *other));
            }
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
        let members = Members::new(self.schemas, types, self.is_replaced_struct(types));
        self.diff_fields(&members);
        self.diff_sort(&members);
        if !members.replaced && !self.is_of_function(types) {
            let Pair { old, new } = members.structs;
            let declared = Declared {
                role: sort_name(new.sort),
                path: &members.path,
                sites: Pair::new(
                    self.schemas.old.site(old.file, old.name_span),
                    self.schemas.new.site(new.file, new.name_span),
                ),
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
            .at(Pair::new(
                Some(self.schemas.old.site(old.file, old.name_span)),
                Some(self.schemas.new.site(new.file, new.name_span)),
            ))
            .fact(FactKey::Role, if is_union { "union" } else { "exception" })
            .fact(FactKey::OldValue, sort_name(old.sort))
            .fact(FactKey::NewValue, sort_name(new.sort))
            .fact(FactKey::Container, &*new.full_name)
            .reads(Pair::new(read(old, new), read(new, old)));
        self.push(draft);
    }

    /// Everything that has no counterpart.
    pub(super) fn leftovers(&mut self) {
        let schemas = self.schemas;
        let site = |schema: &Schema<'_>, file, span| Some(schema.site(file, span));
        for one in
            struct_candidates(schemas.old).iter().filter(|one| !self.declared.has_old(one.id)).collect::<Vec<_>>()
        {
            let of = schemas.old.structure(one.id);
            let at = Pair::new(site(schemas.old, of.file, of.name_span), None);
            self.type_alone(ChangeKind::MessageRemoved, sort_name(of.sort), &of.full_name, at);
        }
        for one in
            struct_candidates(schemas.new).iter().filter(|one| !self.declared.has_new(one.id)).collect::<Vec<_>>()
        {
            let of = schemas.new.structure(one.id);
            let at = Pair::new(None, site(schemas.new, of.file, of.name_span));
            self.type_alone(ChangeKind::MessageAdded, sort_name(of.sort), &of.full_name, at);
        }
        for one in
            enum_candidates(schemas.old).iter().filter(|one| !self.declared_enums.has_old(one.id)).collect::<Vec<_>>()
        {
            let of = schemas.old.enumeration(one.id);
            let at = Pair::new(site(schemas.old, of.file, of.name_span), None);
            self.type_alone(ChangeKind::EnumRemoved, "enum", &of.full_name, at);
        }
        for one in
            enum_candidates(schemas.new).iter().filter(|one| !self.declared_enums.has_new(one.id)).collect::<Vec<_>>()
        {
            let of = schemas.new.enumeration(one.id);
            let at = Pair::new(None, site(schemas.new, of.file, of.name_span));
            self.type_alone(ChangeKind::EnumAdded, "enum", &of.full_name, at);
        }
    }

    fn type_alone(&mut self, kind: ChangeKind, role: &str, name: &str, at: Pair<Option<Site>>) {
        let draft = Draft::new(kind, name, pairing::declaration("type", name))
            .at(at)
            .fact(FactKey::Role, role)
            .fact(FactKey::Needed, "no");
        self.push(draft);
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

fn whole<'s>(of: &'s Struct<'_>) -> (&'s str, FileId, Span) {
    (&of.full_name, of.file, of.name_span)
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
    let ids = (0..).map(StructId);
    let declared = schema.structs.iter().zip(ids).filter(|(one, _)| {
        matches!(one.sort, Sort::Struct | Sort::Union | Sort::Exception) && !schema.file(one.file).is_library
    });
    declared
        .map(|(one, id)| Candidate {
            id,
            name: one.full_name.to_string(),
            path: schema.file(one.file).path.to_string(),
        })
        .collect()
}

fn enum_candidates(schema: &Schema<'_>) -> Vec<Candidate<EnumId>> {
    let ids = (0..).map(EnumId);
    let declared = schema.enums.iter().zip(ids).filter(|(one, _)| !schema.file(one.file).is_library);
    declared
        .map(|(one, id)| Candidate {
            id,
            name: one.full_name.to_string(),
            path: schema.file(one.file).path.to_string(),
        })
        .collect()
}

/// Structs that are not declared yet, by what is in them: id, type and requiredness of every field.
fn shapes(schema: &Schema<'_>, is_declared: impl Fn(StructId) -> bool) -> BTreeMap<Vec<String>, Vec<StructId>> {
    let mut shapes: BTreeMap<Vec<String>, Vec<StructId>> = BTreeMap::new();
    for one in struct_candidates(schema).iter().filter(|one| !is_declared(one.id)) {
        let of = schema.structure(one.id);
        let field = |field: &super::super::model::Field<'_>| format!("{} {}", field.id, schema.spelled(&field.ty));
        let mut shape: Vec<String> = of.fields.iter().map(field).collect();
        shape.sort();
        if !shape.is_empty() {
            shapes.entry(shape).or_default().push(one.id);
        }
    }
    shapes
}
