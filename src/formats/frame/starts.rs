//! The types that data starts from where nobody names them.
//!
//! In files that declare no root and no service, whatever nothing refers to is what somebody sends: nobody would write it
//! down otherwise. Where such a type goes, its data can be read no more. Files belong together that share a package, or of
//! which one leads to the other by imports.

use crate::change::{Change, ChangeKind, FactKey};
use crate::ordered::{OrderedMap, OrderedSet};

/// What a schema says of where data can start.
#[derive(Debug, Default)]
pub struct Starts<'s> {
    /// Types that can be data by themselves, of judged files.
    pub(crate) types: Vec<Start<'s>>,
    /// The types that another type, a method or a root refers to.
    pub(crate) used: OrderedSet<Start<'s>>,
    /// Roots that files declare themselves.
    pub(crate) roots: OrderedSet<Start<'s>>,
    /// The files that declare a root or a service.
    files: OrderedSet<&'s str>,
    /// Their packages, where files share one.
    packages: OrderedSet<&'s str>,
}

/// A type: its full name and its file, since files that have nothing to do with each other may use the same names.
pub type Start<'s> = (&'s str, &'s str);

impl<'s> Starts<'s> {
    /// Notes the file of a root or of a service.
    pub(crate) fn declares(&mut self, file: &'s str) {
        self.files.insert(file);
    }

    /// Notes a root or a service, by its full name, where what is said of a package holds for all of its files.
    pub(crate) fn declares_in_package(&mut self, name: &'s str, file: &'s str) {
        self.packages.extend(package(name));
        self.files.insert(file);
    }

    /// The types that data starts from. `imports` are files that lead to files.
    pub(crate) fn all(&self, imports: &[(&str, &str)]) -> OrderedSet<Start<'s>> {
        let mut down: OrderedMap<&str, Vec<&str>> = OrderedMap::new();
        let mut up: OrderedMap<&str, Vec<&str>> = OrderedMap::new();
        for (from, to) in imports {
            down.entry(from).or_default().push(to);
            up.entry(to).or_default().push(from);
        }
        let mut known: OrderedMap<&str, bool> = OrderedMap::new();
        let mut says_itself = |file: &'s str| {
            *known.entry(file).or_insert_with(|| [&down, &up].iter().any(|ways| reaches(file, ways, &self.files)))
        };
        let mut found = self.roots.clone();
        for start in self.types.iter().filter(|start| !self.used.contains(*start)) {
            let (name, file) = *start;
            let is_declared = package(name).is_some_and(|package| self.packages.contains(package));
            if !is_declared && !says_itself(file) {
                found.insert(*start);
            }
        }
        found
    }
}

/// Whether a file is one of some, or leads to one.
fn reaches(file: &str, ways: &OrderedMap<&str, Vec<&str>>, some: &OrderedSet<&str>) -> bool {
    let (mut seen, mut open) = (OrderedSet::from([file]), vec![file]);
    while let Some(file) = open.pop() {
        if some.contains(file) {
            return true;
        }
        for next in ways.get(file).into_iter().flatten() {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

fn package(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(package, _)| package)
}

/// Marks what went and was what data starts from.
pub(super) fn mark<'s>(changes: &mut [Change], starts: impl FnOnce() -> OrderedSet<Start<'s>>) {
    let is_gone = |change: &Change| {
        matches!(change.kind, ChangeKind::MessageRemoved | ChangeKind::EnumRemoved)
            && change.facts.get(FactKey::Needed) == Some("no")
    };
    if !changes.iter().any(is_gone) {
        return;
    }
    let starts = starts();
    let is_start = |change: &Change| {
        let file = change.at.old.as_ref().map(|site| &*site.file);
        file.is_some_and(|file| starts.contains(&(change.path.as_str(), file)))
    };
    for change in changes.iter_mut().filter(|change| is_gone(change) && is_start(change)) {
        change.facts = std::mem::take(&mut change.facts).with(FactKey::Needed, "yes");
    }
}
