//! The types that data starts from where nobody names them.
//!
//! In files that declare no root and no service, whatever nothing refers to is what somebody sends: nobody would write it
//! down otherwise. Where such a type goes, its data can be read no more. Files belong together that share a package, or of
//! which one leads to the other by imports.
//!
//! Types that refer to each other, and to which nothing else leads, are such types as well, if none of them is left: then
//! nobody can say that the others hold it.

use crate::change::{Change, ChangeKind, FactKey};
use crate::ordered::{OrderedMap, OrderedSet};

use super::components::together;

/// What a schema says of where data can start.
#[derive(Debug, Default)]
pub struct Starts<'s> {
    /// Types that can be data by themselves, of judged files.
    pub(crate) types: Vec<Start<'s>>,
    /// The types that another type or a method refers to.
    used: OrderedSet<Start<'s>>,
    /// Those that something leads to which is no type.
    led_to: OrderedSet<Start<'s>>,
    /// Which type refers to which.
    references: OrderedSet<(Start<'s>, Start<'s>)>,
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
    /// Notes that a type refers to one; to itself it says nothing.
    pub(crate) fn refers(&mut self, by: Start<'s>, to: Start<'s>) {
        if by != to {
            self.used.insert(to);
            self.references.insert((by, to));
        }
    }

    /// Notes that something else leads to a type.
    pub(crate) fn leads(&mut self, to: Start<'s>) {
        self.used.insert(to);
        self.led_to.insert(to);
    }

    /// Whether anything refers to a type.
    pub(crate) fn is_used(&self, one: Start<'_>) -> bool {
        self.used.contains(&one)
    }

    /// Notes the file of a root or of a service.
    pub(crate) fn declares(&mut self, file: &'s str) {
        self.files.insert(file);
    }

    /// Notes a root or a service, by its full name, where what is said of a package holds for all of its files.
    pub(crate) fn declares_in_package(&mut self, name: &'s str, file: &'s str) {
        self.packages.extend(package(name));
        self.files.insert(file);
    }

    /// The types that data starts from. `imports` are files that lead to files, `gone` the types that went.
    pub(crate) fn all(&self, imports: &[(&str, &str)], gone: &OrderedSet<Start<'_>>) -> OrderedSet<Start<'s>> {
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
        let rings = self.rings(gone);
        for start in self.types.iter().filter(|start| !self.used.contains(*start) || rings.contains(*start)) {
            let (name, file) = *start;
            let is_declared = package(name).is_some_and(|package| self.packages.contains(package));
            if !is_declared && !says_itself(file) {
                found.insert(*start);
            }
        }
        found
    }

    /// Types that went with all that refer to them and to which they refer, where nothing else leads to any of these.
    fn rings(&self, gone: &OrderedSet<Start<'_>>) -> OrderedSet<Start<'s>> {
        let all: OrderedSet<Start<'s>> = self.references.iter().flat_map(|(by, to)| [*by, *to]).collect();
        let all: Vec<Start<'s>> = all.into_iter().collect();
        let places: OrderedMap<Start<'s>, usize> = all.iter().enumerate().map(|(at, one)| (*one, at)).collect();
        let mut edges = vec![Vec::new(); all.len()];
        for (by, to) in &self.references {
            edges[places[by]].push(places[to]);
        }
        let edges: Vec<&[usize]> = edges.iter().map(Vec::as_slice).collect();
        let (number, each) = together(&edges);
        let mut is_led_to = vec![false; each.len()];
        for (by, others) in edges.iter().enumerate() {
            let outside = others.iter().map(|to| number[*to]).filter(|to| *to != number[by]);
            outside.for_each(|to| is_led_to[to] = true);
        }
        let is_gone =
            |members: &[usize]| members.iter().all(|at| gone.contains(&all[*at]) && !self.led_to.contains(&all[*at]));
        let rings = each.iter().zip(is_led_to).filter(|(members, is_led_to)| !is_led_to && is_gone(members));
        rings.flat_map(|(members, _)| members.iter().map(|at| all[*at])).collect()
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
pub(super) fn mark<'s>(changes: &mut [Change], starts: impl FnOnce(&OrderedSet<Start<'_>>) -> OrderedSet<Start<'s>>) {
    let is_gone = |change: &Change| {
        matches!(change.kind, ChangeKind::MessageRemoved | ChangeKind::EnumRemoved)
            && change.facts.get(FactKey::Needed) == Some("no")
    };
    if !changes.iter().any(is_gone) {
        return;
    }
    let gone: OrderedSet<Start<'_>> = changes.iter().filter_map(removed).collect();
    let starts = starts(&gone);
    let is_start = |change: &Change| removed(change).is_some_and(|one| starts.contains(&one));
    for change in changes.iter_mut().filter(|change| is_gone(change) && is_start(change)) {
        change.facts = std::mem::take(&mut change.facts).with(FactKey::Needed, "yes");
    }
}

/// The type that a change says is gone.
fn removed(change: &Change) -> Option<Start<'_>> {
    let is_removal = matches!(change.kind, ChangeKind::MessageRemoved | ChangeKind::EnumRemoved);
    let file = change.at.old.as_ref().map(|site| &*site.file).filter(|_| is_removal)?;
    Some((change.path.as_str(), file))
}
