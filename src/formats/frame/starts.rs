//! The types that data starts from where nobody names them.
//!
//! In files that declare no root and no service, whatever nothing refers to is what somebody sends: nobody would write it
//! down otherwise. Where such a type goes, its data can be read no more. Files belong together that share a package, or of
//! which one leads to the other by imports.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::{Change, ChangeKind, FactKey};

/// What a schema says of where data can start.
#[derive(Debug, Default)]
pub struct Starts<'s> {
    /// Types that can be data by themselves, of judged files: full name and file.
    pub(crate) types: Vec<(&'s str, &'s str)>,
    /// Full names of the types that another type, a method or a root refers to.
    pub(crate) used: BTreeSet<&'s str>,
    /// Roots that files declare themselves.
    pub(crate) roots: BTreeSet<&'s str>,
    /// Roots and services: full name and file.
    pub(crate) declaring: Vec<(&'s str, &'s str)>,
}

impl<'s> Starts<'s> {
    /// The full names of the types that data starts from. `imports` are files that lead to files.
    pub(crate) fn names(&self, imports: &[(&str, &str)]) -> BTreeSet<&'s str> {
        let mut down: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut up: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (from, to) in imports {
            down.entry(from).or_default().push(to);
            up.entry(to).or_default().push(from);
        }
        let packages: BTreeSet<&str> = self.declaring.iter().filter_map(|(name, _)| package(name)).collect();
        let files: BTreeSet<&str> = self.declaring.iter().map(|(_, file)| *file).collect();
        let mut known: BTreeMap<&str, bool> = BTreeMap::new();
        let mut says_itself = |file: &'s str| {
            *known.entry(file).or_insert_with(|| [&down, &up].iter().any(|ways| reaches(file, ways, &files)))
        };
        let mut found = self.roots.clone();
        for (name, file) in self.types.iter().filter(|(name, _)| !self.used.contains(name)) {
            let is_declared = package(name).is_some_and(|package| packages.contains(package));
            if !is_declared && !says_itself(file) {
                found.insert(name);
            }
        }
        found
    }
}

/// Whether a file is one of some, or leads to one.
fn reaches(file: &str, ways: &BTreeMap<&str, Vec<&str>>, some: &BTreeSet<&str>) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([file]), vec![file]);
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
pub(super) fn mark<'s>(changes: &mut [Change], names: impl FnOnce() -> BTreeSet<&'s str>) {
    let is_gone = |change: &Change| {
        matches!(change.kind, ChangeKind::MessageRemoved | ChangeKind::EnumRemoved)
            && change.facts.get(FactKey::Needed) == Some("no")
    };
    if !changes.iter().any(is_gone) {
        return;
    }
    let names = names();
    for change in changes.iter_mut().filter(|change| is_gone(change) && names.contains(change.path.as_str())) {
        change.facts = std::mem::take(&mut change.facts).with(FactKey::Needed, "yes");
    }
}
