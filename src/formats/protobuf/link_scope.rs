//! Names: which declarations there are, which of them a file can see, and what a name written somewhere means.
//!
//! A file sees itself, what it imports, and what those import publicly. Names that are not absolute are searched from
//! the innermost scope outwards as protoc does: the first scope in which the *first* part of the name is something that
//! can contain others decides, even if the rest is then not found there.

use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::model::{EnumId, ExtensionId, FileId, MessageId};

/// What a full name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entity {
    /// A message.
    Message(MessageId),
    /// An enum.
    Enum(EnumId),
    /// A service, by index.
    Service(u32),
    /// An extension field.
    Extension(ExtensionId),
    /// A value of an enum.
    Value(EnumId),
    /// Some files say `package` with this name or one below it.
    Package,
}

impl Entity {
    /// Whether other names can stand inside.
    const fn is_container(self) -> bool {
        match self {
            Entity::Message(_) | Entity::Enum(_) | Entity::Service(_) | Entity::Package => true,
            Entity::Extension(_) | Entity::Value(_) => false,
        }
    }

    /// Whether a field can have it as its type.
    const fn is_type(self) -> bool {
        match self {
            Entity::Message(_) | Entity::Enum(_) => true,
            Entity::Service(_) | Entity::Package | Entity::Extension(_) | Entity::Value(_) => false,
        }
    }
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// A message or an enum: anything else by that name is passed over.
    Type,
    /// The first thing of that name.
    Anything,
}

/// The answer of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// This.
    Entity(Entity, FileId),
    /// An inner scope has the first part of the name but not the rest; the name that was then looked for.
    Hidden(String),
    /// Another file that this one does not import declares it.
    NotImported(FileId),
    /// Nothing.
    Missing,
}

#[derive(Debug, Clone, Copy)]
struct Definition {
    entity: Entity,
    file: FileId,
    /// The next definition of the same name.
    next: Option<u32>,
}

/// All declarations of one side that other declarations can refer to.
#[derive(Debug, Default)]
pub(super) struct Symbols<'a> {
    first: FxHashMap<Arc<str>, u32>,
    definitions: Vec<Definition>,
    packages: FxHashSet<&'a str>,
    /// What the last parts of all names hash to that have more than one.
    last_parts: FxHashSet<u64>,
    /// Names that more than one file defines.
    pub(super) shared: Vec<Arc<str>>,
    /// Of each file: the package.
    file_packages: Vec<&'a str>,
    /// Of each file: the files whose types it sees, sorted.
    types: Vec<Vec<FileId>>,
    /// Of each file: the files that it sees in options only, sorted.
    options: Vec<Vec<FileId>>,
}

/// The files that one file sees.
#[derive(Debug, Default)]
pub(super) struct Visible {
    /// For everything.
    pub(super) types: Vec<FileId>,
    /// For options only, in addition (`import option`).
    pub(super) options: Vec<FileId>,
}

impl<'a> Symbols<'a> {
    /// Adds the next file, with its package and what it sees.
    pub(super) fn add_file(&mut self, package: &'a str, visible: Visible) {
        self.file_packages.push(package);
        self.types.push(visible.types);
        self.options.push(visible.options);
        let mut prefix = package;
        while !prefix.is_empty() && self.packages.insert(prefix) {
            self.add_last_part(prefix);
            prefix = prefix.rsplit_once('.').map_or("", |(parent, _)| parent);
        }
    }

    fn add_last_part(&mut self, full_name: &str) {
        if let Some((_, last)) = full_name.rsplit_once('.') {
            self.last_parts.insert(FxBuildHasher.hash_one(last));
        }
    }

    /// Whether something may be called so inside of something else.
    fn may_be_inside(&self, name: &str) -> bool {
        self.last_parts.contains(&FxBuildHasher.hash_one(name))
    }

    /// Adds a declaration.
    pub(super) fn add(&mut self, full_name: Arc<str>, entity: Entity, file: FileId) {
        let index = u32::try_from(self.definitions.len()).expect("files are limited to 4 GiB, declarations to fewer");
        let mut definition = Definition { entity, file, next: None };
        self.add_last_part(&full_name);
        match self.first.entry(full_name) {
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(index);
            }
            std::collections::hash_map::Entry::Occupied(mut place) => {
                let previous = *place.get();
                if self.definitions[previous as usize].next.is_none() {
                    self.shared.push(place.key().clone());
                }
                definition.next = Some(previous);
                place.insert(index);
            }
        }
        self.definitions.push(definition);
    }

    /// Every definition of a name, the last one first.
    pub(super) fn all(&self, full_name: &str) -> impl Iterator<Item = (Entity, FileId)> {
        let mut next = self.first.get(full_name).copied();
        std::iter::from_fn(move || {
            let definition = self.definitions[next? as usize];
            next = definition.next;
            Some((definition.entity, definition.file))
        })
    }

    /// Whether any file says `package` with this name or one below it.
    pub(super) fn is_package(&self, name: &str) -> bool {
        self.packages.contains(name)
    }

    /// Whether one file sees the types of another.
    pub(super) fn sees(&self, from: FileId, target: FileId) -> bool {
        from == target || self.types[from.0 as usize].binary_search(&target).is_ok()
    }

    fn sees_in(&self, from: FileId, target: FileId, wanted: Wanted) -> bool {
        self.sees(from, target)
            || (wanted == Wanted::Anything && self.options[from.0 as usize].binary_search(&target).is_ok())
    }

    fn sees_package(&self, from: FileId, name: &str, wanted: Wanted) -> bool {
        let inside = |file: FileId| {
            let package = self.file_packages[file.0 as usize];
            package.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.is_package(name)
            && (inside(from)
                || self.types[from.0 as usize].iter().any(|file| inside(*file))
                || (wanted == Wanted::Anything && self.options[from.0 as usize].iter().any(|file| inside(*file))))
    }

    /// The declaration of a full name that a file sees.
    fn exact(&self, from: FileId, full_name: &str, wanted: Wanted) -> Option<(Entity, FileId)> {
        let mut best = None;
        for (entity, file) in self.all(full_name) {
            if file == from {
                return Some((entity, file));
            }
            if self.sees_in(from, file, wanted) {
                best = Some((entity, file));
            }
        }
        best.or_else(|| self.sees_package(from, full_name, wanted).then_some((Entity::Package, from)))
    }

    /// What `name` means when it is written in `scope` (a full name, empty for none) of a file.
    pub(super) fn find(&self, from: FileId, scope: &str, name: &str, wanted: Wanted) -> Found {
        if let Some(absolute) = name.strip_prefix('.') {
            return match self.exact(from, absolute, wanted) {
                Some((entity, file)) => Found::Entity(entity, file),
                None => self.elsewhere(std::iter::once(absolute.to_owned())),
            };
        }
        let first = name.split_once('.').map_or(name, |(first, _)| first);
        let mut candidate = String::with_capacity(scope.len() + name.len() + 1);
        // Paths that begin with a package are mostly written out.
        let mut inner = if self.may_be_inside(first) { scope } else { "" };
        while !inner.is_empty() {
            candidate.clear();
            candidate.push_str(inner);
            candidate.push('.');
            candidate.push_str(first);
            if let Some((entity, file)) = self.exact(from, &candidate, wanted) {
                if first.len() == name.len() {
                    if wanted == Wanted::Anything || entity.is_type() {
                        return Found::Entity(entity, file);
                    }
                } else if entity.is_container() {
                    candidate.push_str(&name[first.len()..]);
                    return match self.exact(from, &candidate, wanted) {
                        Some((entity, file)) => Found::Entity(entity, file),
                        None => self.hidden(candidate),
                    };
                }
            }
            inner = inner.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
        match self.exact(from, name, wanted) {
            Some((entity, file)) => Found::Entity(entity, file),
            None => self.elsewhere(scopes(scope).map(|inner| format!("{inner}.{name}")).chain([name.to_owned()])),
        }
    }

    fn hidden(&self, full_name: String) -> Found {
        let elsewhere = self.all(&full_name).next();
        elsewhere.map_or(Found::Hidden(full_name), |(_, file)| Found::NotImported(file))
    }

    fn elsewhere(&self, mut candidates: impl Iterator<Item = String>) -> Found {
        let found = candidates.find_map(|name| {
            self.all(&name).find(|(entity, _)| entity.is_type() || matches!(entity, Entity::Extension(_)))
        });
        found.map_or(Found::Missing, |(_, file)| Found::NotImported(file))
    }
}

/// A scope and the ones around it, innermost first; the outermost, which has no name, is left out.
fn scopes(scope: &str) -> impl Iterator<Item = &str> {
    std::iter::successors((!scope.is_empty()).then_some(scope), |inner| inner.rsplit_once('.').map(|(outer, _)| outer))
}
