//! Declarations of tables, structs, enums and unions: which continue, under which name, and what else differs.

use std::collections::BTreeMap;

use crate::change::{ChangeKind, FactKey, Pair, Site, Span};

use super::super::model::{Enum, EnumId, FileId, Object, ObjectId, Schema};
use super::super::pairing;
use super::fields::Members;
use super::files::Declared;
use super::{Differ, Met, yes};
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
        let Pair { old, new } = self.objects(types);
        let of = Pair::new((&*old.full_name, old.file, old.name_span), (&*new.full_name, new.file, new.name_span));
        self.renamed_or_moved(ChangeKind::MessageRenamed, object_role(new), of);
    }

    fn declare_enums(&mut self, types: Pair<EnumId>) {
        self.declared_enums.add(types);
        let (old, new) = (self.schemas.old.enumeration(types.old), self.schemas.new.enumeration(types.new));
        let of = Pair::new((&*old.full_name, old.file, old.name_span), (&*new.full_name, new.file, new.name_span));
        self.renamed_or_moved(ChangeKind::EnumRenamed, enum_role(new), of);
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

    fn renamed_or_moved(&mut self, kind: ChangeKind, role: &str, of: Pair<(&'s str, FileId, Span)>) {
        let Pair { old, new } = of;
        let paths = Pair::new(&self.schemas.old.file(old.1).path, &self.schemas.new.file(new.1).path);
        let kind = match old.0 == new.0 {
            true if paths.old == paths.new => return,
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
        let old = shapes(self.schemas.old, |id| self.declared.has_old(id));
        let new = shapes(self.schemas.new, |id| self.declared.has_new(id));
        for (shape, candidates) in &old {
            if let ([one], Some([other])) = (&candidates[..], new.get(shape).map(Vec::as_slice)) {
                self.declare_if_free(Pair::new(*one, *other));
                self.pair_objects(Pair::new(*one, *other));
            }
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
        let sites =
            Pair::new(self.schemas.old.site(old.file, old.name_span), self.schemas.new.site(new.file, new.name_span));
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
        let objects = Pair::new(object_candidates(old), object_candidates(new));
        let enums = Pair::new(enum_candidates(old), enum_candidates(new));
        for of in objects
            .old
            .iter()
            .filter(|one| !self.declared.has_old(one.id))
            .map(|one| old.object(one.id))
            .collect::<Vec<_>>()
        {
            let at = Pair::new(Some(old.site(of.file, of.name_span)), None);
            self.type_alone(ChangeKind::MessageRemoved, object_role(of), &of.full_name, at);
        }
        for of in objects
            .new
            .iter()
            .filter(|one| !self.declared.has_new(one.id))
            .map(|one| new.object(one.id))
            .collect::<Vec<_>>()
        {
            let at = Pair::new(None, Some(new.site(of.file, of.name_span)));
            self.type_alone(ChangeKind::MessageAdded, object_role(of), &of.full_name, at);
        }
        for of in enums
            .old
            .iter()
            .filter(|one| !self.declared_enums.has_old(one.id))
            .map(|one| old.enumeration(one.id))
            .collect::<Vec<_>>()
        {
            let at = Pair::new(Some(old.site(of.file, of.name_span)), None);
            self.type_alone(ChangeKind::EnumRemoved, enum_role(of), &of.full_name, at);
        }
        for of in enums
            .new
            .iter()
            .filter(|one| !self.declared_enums.has_new(one.id))
            .map(|one| new.enumeration(one.id))
            .collect::<Vec<_>>()
        {
            let at = Pair::new(None, Some(new.site(of.file, of.name_span)));
            self.type_alone(ChangeKind::EnumAdded, enum_role(of), &of.full_name, at);
        }
    }

    fn type_alone(&mut self, kind: ChangeKind, role: &str, name: &str, at: Pair<Option<Site>>) {
        let draft = Draft::new(kind, name, pairing::declaration("type", name))
            .at(at)
            .fact(FactKey::Role, role)
            .fact(FactKey::Needed, yes(false));
        self.push(draft);
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
    let own = schema.objects.iter().zip((0..).map(ObjectId)).filter(|(one, _)| !schema.file(one.file).is_library);
    own.map(|(one, id)| Candidate { id, name: one.full_name.to_string(), path: schema.file(one.file).path.to_string() })
        .collect()
}

fn enum_candidates(schema: &Schema<'_>) -> Vec<Candidate<EnumId>> {
    let own = schema.enums.iter().zip((0..).map(EnumId)).filter(|(one, _)| !schema.file(one.file).is_library);
    own.map(|(one, id)| Candidate { id, name: one.full_name.to_string(), path: schema.file(one.file).path.to_string() })
        .collect()
}

/// Tables and structs that are not declared yet, by what is in them: slot and type of every field.
fn shapes(schema: &Schema<'_>, is_taken: impl Fn(ObjectId) -> bool) -> BTreeMap<Vec<String>, Vec<ObjectId>> {
    let mut shapes: BTreeMap<Vec<String>, Vec<ObjectId>> = BTreeMap::new();
    for one in object_candidates(schema).iter().filter(|one| !is_taken(one.id)) {
        let of = schema.object(one.id);
        let mut shape: Vec<String> =
            of.fields.iter().map(|field| format!("{} {}", field.slot, schema.spelled(&field.ty))).collect();
        shape.sort();
        if !shape.is_empty() {
            shape.push(object_role(of).to_owned());
            shapes.entry(shape).or_default().push(one.id);
        }
    }
    shapes
}
