//! Declarations of tables, structs, enums and unions: which continue, under which name, and what else differs.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::change::{ChangeKind, FactKey, Pair, Site, Span};

use super::super::model::{Enum, EnumId, FileId, Object, ObjectId, Schema};
use super::super::pairing;
use super::fields::Members;
use super::files::Declared;
use super::{Differ, Draft, Replacement, simple_name, yes};

/// A declaration that can continue on the other side.
struct Candidate<Id> {
    id: Id,
    name: String,
    path: String,
}

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
        self.taken.old.insert(types.old);
        self.taken.new.insert(types.new);
        self.declared.push(types);
        let Pair { old, new } = self.objects(types);
        let of = Pair::new((&*old.full_name, old.file, old.name_span), (&*new.full_name, new.file, new.name_span));
        self.renamed_or_moved(ChangeKind::MessageRenamed, object_role(new), of);
    }

    fn declare_enums(&mut self, types: Pair<EnumId>) {
        self.taken_enums.old.insert(types.old);
        self.taken_enums.new.insert(types.new);
        self.declared_enums.push(types);
        let (old, new) = (self.schemas.old.enumeration(types.old), self.schemas.new.enumeration(types.new));
        let of = Pair::new((&*old.full_name, old.file, old.name_span), (&*new.full_name, new.file, new.name_span));
        self.renamed_or_moved(ChangeKind::EnumRenamed, enum_role(new), of);
    }

    /// Compares the declarations that no root has led to.
    pub(super) fn pair_the_rest(&mut self) {
        for types in self.declared.clone() {
            self.pair_objects(types);
        }
        for types in self.declared_enums.clone() {
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
        for replacement in self.replacements.clone() {
            match replacement {
                Replacement::Object(old, new) if self.is_replaced_object(Pair::new(old, new)) => {}
                Replacement::Enum(old, new) if self.is_replaced_enum(Pair::new(old, new)) => {}
                Replacement::Object(old, new) => self.declare_if_free(Pair::new(old, new)),
                Replacement::Enum(old, new) => {
                    if !self.taken_enums.old.contains(&old) && !self.taken_enums.new.contains(&new) {
                        self.declare_enums(Pair::new(old, new));
                    }
                }
            }
        }
        let old = shapes(self.schemas.old, &self.taken.old);
        let new = shapes(self.schemas.new, &self.taken.new);
        for (shape, candidates) in &old {
            if let ([one], Some([other])) = (&candidates[..], new.get(shape).map(Vec::as_slice)) {
                self.declare_if_free(Pair::new(*one, *other));
                self.pair_objects(Pair::new(*one, *other));
            }
        }
    }

    fn declare_if_free(&mut self, types: Pair<ObjectId>) {
        let is_own = |schema: &Schema<'_>, id: ObjectId| !schema.file(schema.object(id).file).is_library;
        if !self.taken.old.contains(&types.old)
            && !self.taken.new.contains(&types.new)
            && is_own(self.schemas.old, types.old)
            && is_own(self.schemas.new, types.new)
        {
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
        self.diff_layout(&members, types);
        if !members.replaced {
            let declared = Declared { role: object_role(new), path: &new.full_name, sites };
            self.attributes(&declared, Pair::new(&old.attributes, &new.attributes));
        }
    }

    /// Everything that has no counterpart.
    pub(super) fn leftovers(&mut self) {
        let schemas = self.schemas;
        for one in
            object_candidates(schemas.old).iter().filter(|one| !self.taken.old.contains(&one.id)).collect::<Vec<_>>()
        {
            let of = schemas.old.object(one.id);
            let at = Pair::new(Some(schemas.old.site(of.file, of.name_span)), None);
            self.type_alone(ChangeKind::MessageRemoved, object_role(of), &of.full_name, at);
        }
        for one in
            object_candidates(schemas.new).iter().filter(|one| !self.taken.new.contains(&one.id)).collect::<Vec<_>>()
        {
            let of = schemas.new.object(one.id);
            let at = Pair::new(None, Some(schemas.new.site(of.file, of.name_span)));
            self.type_alone(ChangeKind::MessageAdded, object_role(of), &of.full_name, at);
        }
        for one in enum_candidates(schemas.old)
            .iter()
            .filter(|one| !self.taken_enums.old.contains(&one.id))
            .collect::<Vec<_>>()
        {
            let of = schemas.old.enumeration(one.id);
            let at = Pair::new(Some(schemas.old.site(of.file, of.name_span)), None);
            self.type_alone(ChangeKind::EnumRemoved, enum_role(of), &of.full_name, at);
        }
        for one in enum_candidates(schemas.new)
            .iter()
            .filter(|one| !self.taken_enums.new.contains(&one.id))
            .collect::<Vec<_>>()
        {
            let of = schemas.new.enumeration(one.id);
            let at = Pair::new(None, Some(schemas.new.site(of.file, of.name_span)));
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
        let is_told = |replacement: &Replacement| match *replacement {
            Replacement::Object(old, new) => self.declared.contains(&Pair::new(old, new)),
            Replacement::Enum(old, new) => self.declared_enums.contains(&Pair::new(old, new)),
        };
        let told: FxHashSet<usize> =
            self.following.iter().filter(|(_, replacement)| is_told(replacement)).map(|(index, _)| *index).collect();
        let mut index = 0;
        self.changes.retain(|_| {
            index += 1;
            !told.contains(&(index - 1))
        });
    }

    pub(super) fn objects(&self, types: Pair<ObjectId>) -> Pair<&'s Object<'b>> {
        Pair::new(self.schemas.old.object(types.old), self.schemas.new.object(types.new))
    }

    /// Whether the new type merely took the old one's place: one of the two continues elsewhere, so that no slot of the
    /// one was ever a slot of the other.
    pub(super) fn is_replaced_object(&self, types: Pair<ObjectId>) -> bool {
        let names = self.object_names(types);
        let is_declared = || self.declared.contains(&types);
        names.old != names.new
            && !is_declared()
            && (self.taken.old.contains(&types.old) || self.taken.new.contains(&types.new))
    }

    pub(super) fn is_replaced_enum(&self, types: Pair<EnumId>) -> bool {
        let names = self.enum_names(types);
        names.old != names.new
            && !self.declared_enums.contains(&types)
            && (self.taken_enums.old.contains(&types.old) || self.taken_enums.new.contains(&types.new))
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

/// Which declaration of the old side is which of the new: by name and path, then by name, then by simple name where that
/// leaves no choice.
fn counterparts<Id: Copy>(sides: Pair<Vec<Candidate<Id>>>) -> Vec<Pair<Id>> {
    type Key<Id> = fn(&Candidate<Id>) -> (String, String);
    let keys: [Key<Id>; 3] = [
        |one| (one.name.clone(), one.path.clone()),
        |one| (one.name.clone(), String::new()),
        |one| (simple_name(&one.name).to_owned(), String::new()),
    ];
    let mut taken = sides.as_ref().map(|side| vec![false; side.len()]);
    let mut pairs = Vec::new();
    for key in keys {
        let index = |side: &[Candidate<Id>], taken: &[bool]| {
            let mut found: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
            for (at, one) in side.iter().enumerate().filter(|(at, _)| !taken[*at]) {
                found.entry(key(one)).or_default().push(at);
            }
            found
        };
        let (olds, news) = (index(&sides.old, &taken.old), index(&sides.new, &taken.new));
        for (key, old) in &olds {
            if let ([old], Some([new])) = (&old[..], news.get(key).map(Vec::as_slice)) {
                taken.old[*old] = true;
                taken.new[*new] = true;
                pairs.push(Pair::new(sides.old[*old].id, sides.new[*new].id));
            }
        }
    }
    pairs
}

/// Tables and structs that are not declared yet, by what is in them: slot and type of every field.
fn shapes(schema: &Schema<'_>, taken: &FxHashSet<ObjectId>) -> BTreeMap<Vec<String>, Vec<ObjectId>> {
    let mut shapes: BTreeMap<Vec<String>, Vec<ObjectId>> = BTreeMap::new();
    for one in object_candidates(schema).iter().filter(|one| !taken.contains(&one.id)) {
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
