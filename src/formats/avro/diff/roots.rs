//! What data starts from: the schemas of the files, the declarations and the messages of the protocols.
//!
//! Which of them are compared is found in `pairing`; here it is said what became of them.

use super::super::canonical::canonical_form;
use super::super::model::Root;
use super::pairing::{self, Key, Pairing, Tie};
use super::*;
use crate::change::Side;

/// Whether data is known to start from something.
#[derive(Debug, Clone, Copy)]
pub(super) enum Needed {
    /// Somebody said so, or nothing else is left that it could start from.
    Yes,
    /// Nobody said so.
    No,
}

impl Needed {
    const fn word(self) -> &'static str {
        match self {
            Needed::Yes => "yes",
            Needed::No => "no",
        }
    }
}

impl<'s, 'b> Differ<'s, 'b> {
    /// Finds the counterparts of all roots and puts them in the queue. With names only what they name counts.
    pub(super) fn pair_roots(&mut self, names: &Roots) {
        let schemas = self.schemas;
        let is_wanted = |name: Option<&str>| names.is_everything() || name.is_some_and(|name| names.has(name));
        let roots = schemas.map(|schema: &'s Schema<'b>| -> Vec<Root> {
            let judged = schema.roots.iter().filter(|root| !schema.file(root.file).is_library);
            judged.filter(|root| is_wanted(schema.name(root.schema.ty).map(|name| &*name.full))).copied().collect()
        });
        let found = self.pairing(roots.as_ref().map(Vec::as_slice));
        for (places, tie) in &found.ties {
            self.root(Pair::new(roots.old[places.old], roots.new[places.new]), *tie);
        }
        for places in &found.outlived {
            let paths = Pair::new(
                self.path(Side::Old, roots.old[places.old].file),
                self.path(Side::New, roots.new[places.new].file),
            );
            self.version_removed(roots.old[places.old], paths);
        }
        let gone: Vec<Root> =
            found.gone.iter().map(|old| roots.old[*old]).filter(|root| !self.lives_on(Side::Old, *root)).collect();
        let added: Vec<Root> =
            found.added.iter().map(|new| roots.new[*new]).filter(|root| !self.lives_on(Side::New, *root)).collect();
        // Where others have come and nothing of the old side is left, what data starts from is gone.
        let is_all = gone.len() == roots.old.len() && !roots.new.is_empty();
        for root in gone {
            self.declaration_gone(root, if is_all || !names.is_everything() { Needed::Yes } else { Needed::No });
        }
        added.into_iter().for_each(|root| self.declaration_added(root));
        found.earliest.iter().for_each(|new| self.declaration_added(roots.new[*new]));
        for (new, between) in &found.skipped {
            let root = roots.new[*new];
            let paths = Pair::new(self.path(Side::New, roots.new[*between].file), self.path(Side::New, root.file));
            self.moved(Pair::new(None, Some(root.schema.ty)), paths, "version-skipped");
        }
        self.protocols(&is_wanted);
        self.other_roots(names, roots.as_ref().map(Vec::as_slice));
    }

    fn pairing(&self, roots: Pair<&[Root]>) -> Pairing {
        let keys = |side: Side, roots: &[Root]| -> Vec<Key<'s>> {
            let schema = *self.schemas.side(side);
            let key = |root: &Root| Key {
                name: schema.name(root.schema.ty).map(|name| &*name.full),
                path: self.path(side, root.file),
                content: Some(schema.file(root.file).content),
            };
            roots.iter().map(key).collect()
        };
        let keys = Pair::new(keys(Side::Old, roots.old), keys(Side::New, roots.new));
        let is_known = self.schemas.map(|schema| |name: &str| schema.by_name.contains_key(name));
        let are_alone = self.schemas.old.is_alone && self.schemas.new.is_alone;
        let shape = |schema: &Schema<'_>, root: &Root| shape_but_for_its_name(schema, root.schema.ty);
        let old = |at: usize| shape(self.schemas.old, &roots.old[at]);
        let new = |at: usize| shape(self.schemas.new, &roots.new[at]);
        let is_known = Pair::<&dyn Fn(&str) -> bool>::new(&is_known.old, &is_known.new);
        pairing::pair(keys.as_ref().map(Vec::as_slice), is_known, are_alone, Pair::new(&old, &new))
    }

    pub(super) fn path(&self, side: Side, file: FileId) -> &'s str {
        &self.schemas.side(side).file(file).path
    }

    /// Two versions of a root.
    fn root(&mut self, roots: Pair<Root>, tie: Tie) {
        let types = roots.map(|root| root.schema.ty);
        let files = Pair::new(self.schemas.old.file(roots.old.file), self.schemas.new.file(roots.new.file));
        let paths = Pair::new(&*files.old.path, &*files.new.path);
        let uses = roots.map(|root| root.schema);
        if self.is_named_pair(types) {
            self.meet(types, None);
            // Two files that were named to be compared may be called what they like.
            let is_one_each = [self.schemas.old, self.schemas.new].iter().all(|schema| schema.judged_files() == 1);
            match tie {
                Tie::Beside => self.moved(types.map(Some), paths, "version-added"),
                Tie::Continues if paths.old != paths.new && !is_one_each => self.moved(types.map(Some), paths, "moved"),
                Tie::Continues => {}
            }
            return;
        }
        let trail = Trail::top(paths);
        let meeting = self.add_meeting(types, roots.map(|root| root.file), trail.place(), String::new());
        self.starts.push(meeting);
        self.position(meeting, &trail, uses, types);
    }

    pub(super) fn is_named_pair(&self, types: Pair<TypeId>) -> bool {
        let kinds = (self.schemas.old.kind(types.old), self.schemas.new.kind(types.new));
        kinds.0.name().is_some() && std::mem::discriminant(kinds.0) == std::mem::discriminant(kinds.1)
    }

    /// A named type in another file: it moved there, it came beside the one it is compared with, or it went and left the
    /// other one.
    fn moved(&mut self, types: Pair<Option<TypeId>>, paths: Pair<&str>, relation: &'static str) {
        let name = |side: Side, ty: Option<TypeId>| ty.map(|ty| self.schemas.side(side).called(ty));
        let Some(name) = name(Side::New, types.new).or(name(Side::Old, types.old)) else { return };
        let at = self.definition_sites(types);
        self.in_another_file(name, at, paths, relation);
    }

    /// States that something is in another file than what it is compared with.
    pub(super) fn in_another_file(
        &mut self,
        name: &str,
        at: Pair<Option<Site>>,
        paths: Pair<&str>,
        relation: &'static str,
    ) {
        let facts = Facts::none()
            .with(FactKey::Relation, relation)
            .with(FactKey::OldValue, paths.old)
            .with(FactKey::NewValue, paths.new);
        self.push_declaration(ChangeKind::TypeMoved, name, name.to_owned(), at, facts);
    }

    fn version_removed(&mut self, old: Root, paths: Pair<&str>) {
        if self.schemas.old.name(old.schema.ty).is_some() {
            self.moved(Pair::new(Some(old.schema.ty), None), paths, "version-removed");
        }
    }

    fn definition_sites(&self, types: Pair<Option<TypeId>>) -> Pair<Option<Site>> {
        let place = |schema: &Schema<'_>, ty: TypeId| {
            let span = schema.name(ty).map_or(schema.ty(ty).span, |name| name.span);
            (schema.ty(ty).file, span)
        };
        self.at(Pair::new(
            types.old.map(|ty| place(self.schemas.old, ty)),
            types.new.map(|ty| place(self.schemas.new, ty)),
        ))
    }

    /// Whether a root that no root of the other side continues lives on there as a type inside another schema, with which
    /// it is compared then.
    pub(super) fn lives_on(&mut self, side: Side, root: Root) -> bool {
        let Some(other) = self.counterpart(side, root.schema.ty) else { return false };
        let types = match side {
            Side::Old => Pair::new(root.schema.ty, other),
            Side::New => Pair::new(other, root.schema.ty),
        };
        self.meet(types, None);
        true
    }

    /// The definition of the same full name and kind on the other side; of several that in the nearest file. One that
    /// continues another definition of the name, in its own file, is none, unless the two were the same.
    fn counterpart(&self, side: Side, ty: TypeId) -> Option<TypeId> {
        let (here, there) = match side {
            Side::Old => (self.schemas.old, self.schemas.new),
            Side::New => (self.schemas.new, self.schemas.old),
        };
        let kind = std::mem::discriminant(here.kind(ty));
        let full = &here.name(ty)?.full;
        let path_here = |ty: TypeId| &here.file(here.ty(ty).file).path;
        let path_there = |ty: TypeId| &there.file(there.ty(ty).file).path;
        let namesakes = here.by_name.get(full)?.iter().copied();
        let namesakes = namesakes.filter(|one| std::mem::discriminant(here.kind(*one)) == kind);
        let stands_for = |path: &str| {
            let mut own = namesakes.clone().filter(|one| **path_here(*one) == *path).peekable();
            own.peek().is_none() || own.any(|one| is_same_definition(here, one, ty))
        };
        let alike = there.by_name.get(full)?.iter().copied();
        let alike = alike.filter(|other| std::mem::discriminant(there.kind(*other)) == kind);
        // Of equally near ones the first.
        let nearest = alike.rev().filter(|other| stands_for(path_there(*other)));
        nearest.max_by_key(|other| pairing::nearness(path_here(ty), path_there(*other)))
    }

    pub(super) fn declaration_gone(&mut self, root: Root, needed: Needed) {
        let ty = root.schema.ty;
        let name = self.schemas.old.name(ty).map(|name| name.full.clone());
        let path = self.schemas.old.file(root.file).path.clone();
        let kind = match self.schemas.old.kind(ty) {
            Kind::Enum(_) => ChangeKind::EnumRemoved,
            _ => ChangeKind::MessageRemoved,
        };
        let facts = Facts::none()
            .with(FactKey::Role, role(self.schemas.old.kind(ty)))
            .with(FactKey::Needed, needed.word())
            .with(FactKey::OldValue, &*path);
        let at = match name {
            Some(_) => self.definition_sites(Pair::new(Some(ty), None)),
            None => self.at(Pair::new(Some((root.file, root.schema.span)), None)),
        };
        let called = name.as_deref().unwrap_or(&path).to_owned();
        self.push_declaration(kind, &called, called.clone(), at, facts);
    }

    pub(super) fn declaration_added(&mut self, root: Root) {
        let ty = root.schema.ty;
        let name = self.schemas.new.name(ty).map(|name| name.full.clone());
        let path = self.schemas.new.file(root.file).path.clone();
        let kind = match self.schemas.new.kind(ty) {
            Kind::Enum(_) => ChangeKind::EnumAdded,
            _ => ChangeKind::MessageAdded,
        };
        let facts = Facts::none().with(FactKey::Role, role(self.schemas.new.kind(ty))).with(FactKey::NewValue, &*path);
        let at = match name {
            Some(_) => self.definition_sites(Pair::new(None, Some(ty))),
            None => self.at(Pair::new(None, Some((root.file, root.schema.span)))),
        };
        let called = name.as_deref().unwrap_or(&path).to_owned();
        self.push_declaration(kind, &called, called.clone(), at, facts);
    }

    /// Names that are no root of their own, or on one side only: any named type of both sides.
    fn other_roots(&mut self, names: &Roots, roots: Pair<&[Root]>) {
        for name in names.iter() {
            let is_root = |schema: &Schema<'_>, roots: &[Root]| {
                roots.iter().any(|root| schema.name(root.schema.ty).is_some_and(|root| *root.full == *name))
            };
            if is_root(self.schemas.old, roots.old) && is_root(self.schemas.new, roots.new) {
                continue;
            }
            for old in self.schemas.old.by_name.get(name).into_iter().flatten() {
                if let Some(new) = self.counterpart(Side::Old, *old) {
                    self.meet(Pair::new(*old, new), None);
                }
            }
        }
    }
}

/// Fields that tell a record whatever it is called; fewer are alike by chance.
const TELLING: usize = 2;

/// The canonical form of a record without its name; `None` where it would be alike by chance.
fn shape_but_for_its_name(schema: &Schema<'_>, ty: TypeId) -> Option<String> {
    let Kind::Record(record) = schema.kind(ty) else { return None };
    let form = canonical_form(schema, ty).filter(|_| record.fields.len() >= TELLING)?;
    Some(form.replace(&format!("\"{}\"", record.name.full), "\"\""))
}

/// Whether two definitions of one side say the same.
fn is_same_definition(schema: &Schema<'_>, one: TypeId, other: TypeId) -> bool {
    one == other || canonical_form(schema, one).is_some_and(|form| canonical_form(schema, other) == Some(form))
}

fn role(kind: &Kind<'_>) -> &'static str {
    match kind {
        Kind::Record(record) if record.is_error => "error",
        Kind::Record(_) => "record",
        Kind::Enum(_) => "enum",
        Kind::Fixed(_) => "fixed",
        _ => "schema",
    }
}
