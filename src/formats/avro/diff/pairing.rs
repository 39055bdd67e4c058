//! Which root of the one side is compared with which of the other, by names and paths alone.
//!
//! A root is the schema of a file, or a protocol. People keep several versions of one side by side, told apart by a
//! number in the path or in the namespace: these are a *family*. A version that comes is compared with the newest one
//! before it, and a version that goes takes no type away.

use rustc_hash::FxHashMap;

use crate::change::Pair;
use crate::ordered::{InOrder, OrderedMap};

/// What a root is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key<'s> {
    /// The full name; a schema need not have one.
    pub(super) name: Option<&'s str>,
    /// The path of its file.
    pub(super) path: &'s str,
    /// What that says, as a number: the same on both sides where the text is.
    pub(super) content: Option<usize>,
}

/// Why two roots are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    /// The new one is what became of the old one.
    Continues,
    /// The new one came beside the old one, which is still there or became another.
    Beside,
}

/// What becomes of the roots of two sides, by their places in the lists.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pairing {
    /// What is compared with what.
    pub(super) ties: Vec<(Pair<usize>, Tie)>,
    /// Old roots that are gone while another version of them, the second one, is there.
    pub(super) outlived: Vec<Pair<usize>>,
    /// Old roots that nothing continues.
    pub(super) gone: Vec<usize>,
    /// New roots that were there under no name.
    pub(super) added: Vec<usize>,
    /// New roots that are versions from before all that the old side has.
    pub(super) earliest: Vec<usize>,
    /// New roots, each with the version between it and the one that it is compared with, which comes with it.
    pub(super) skipped: Vec<(usize, usize)>,
}

/// Pairs the roots of two sides. `is_known` says whether a full name of the one side has a meaning on the other one,
/// `are_alone` whether each side has one file, which is known without its name, and `shape` what a root says but for its name,
/// where that is enough to know it by.
pub(super) fn pair(
    roots: Pair<&[Key<'_>]>,
    is_known: Pair<&dyn Fn(&str) -> bool>,
    are_alone: bool,
    shape: Pair<&dyn Fn(usize) -> Option<String>>,
) -> Pairing {
    let mut pairer = Pairer {
        roots,
        families: Pair::default(),
        partner: roots.map(|list| vec![None; list.len()]),
        found: Pairing::default(),
    };
    pairer.same_places();
    if pairer.left_old().next().is_some() || pairer.left_new().next().is_some() {
        pairer.families = roots.map(|list| list.iter().map(Family::of).collect());
        // A file that moved as it was is nobody else's.
        pairer.nearest(|old, new| old.name == new.name && old.content.is_some() && old.content == new.content);
        pairer.earlier_versions();
        pairer.nearest(|old, new| old.name.is_some() && old.name == new.name);
        pairer.short_names(is_known);
        pairer.nearest(|old, new| old.path == new.path);
        // A folder that moved has its files with it, whatever they say now.
        pairer.nearest(|old, new| have_one_end(old.path, new.path));
        if are_alone {
            pairer.last(is_known);
        }
        pairer.same_shapes(is_known, shape);
        pairer.other_versions();
    }
    pairer.found
}

/// Whether two paths end in the same folder and file.
fn have_one_end(one: &str, other: &str) -> bool {
    one.contains('/') && one.rsplit('/').take(2).eq(other.rsplit('/').take(2))
}

struct Pairer<'k> {
    roots: Pair<&'k [Key<'k>]>,
    families: Pair<Vec<Family>>,
    partner: Pair<Vec<Option<usize>>>,
    found: Pairing,
}

impl<'k> Pairer<'k> {
    fn left_old(&self) -> impl Iterator<Item = usize> + use<'_, 'k> {
        (0..self.roots.old.len()).filter(|old| self.partner.old[*old].is_none())
    }

    fn left_new(&self) -> impl Iterator<Item = usize> + use<'_, 'k> {
        (0..self.roots.new.len()).filter(|new| self.partner.new[*new].is_none())
    }

    fn continues(&mut self, old: usize, new: usize) {
        self.partner.old[old] = Some(new);
        self.partner.new[new] = Some(old);
        self.found.ties.push((Pair::new(old, new), Tie::Continues));
    }

    fn beside(&mut self, old: usize, new: usize) {
        self.partner.new[new] = Some(old);
        self.found.ties.push((Pair::new(old, new), Tie::Beside));
    }

    /// The same name in the same file.
    fn same_places(&mut self) {
        let mut places: FxHashMap<(Option<&str>, &str), Vec<usize>> = FxHashMap::default();
        for (new, key) in self.roots.new.iter().enumerate().rev() {
            places.entry((key.name, key.path)).or_default().push(new);
        }
        for (old, key) in self.roots.old.iter().enumerate() {
            if let Some(new) = places.get_mut(&(key.name, key.path)).and_then(Vec::pop) {
                self.continues(old, new);
            }
        }
    }

    /// The newest version before each new one: what it continues where that is gone, else what it came beside.
    fn earlier_versions(&mut self) {
        let left: Vec<usize> = self.left_new().collect();
        for new in left {
            let family = &self.families.new[new];
            let earlier = |old: &usize| {
                let other = &self.families.old[*old];
                family.is_one_with(other) && other.version < family.version
            };
            let newest = (0..self.roots.old.len()).filter(earlier).max_by_key(|old| &self.families.old[*old].version);
            let Some(old) = newest else { continue };
            let is_between = |other: &usize| {
                let (version, other) = (&self.families.old[old].version, &self.families.new[*other]);
                family.is_one_with(other) && *version < other.version && other.version < family.version
            };
            let between = (0..self.roots.new.len()).filter(is_between);
            let between = between.max_by_key(|other| &self.families.new[*other].version);
            self.found.skipped.extend(between.map(|between| (new, between)));
            match self.partner.old[old] {
                None => self.continues(old, new),
                Some(_) => self.beside(old, new),
            }
        }
    }

    /// Of what is left and alike, those nearest to each other first.
    fn nearest(&mut self, is_alike: impl Fn(&Key<'k>, &Key<'k>) -> bool) {
        let mut found = Vec::new();
        for old in self.left_old() {
            let alike = self.left_new().filter(|new| is_alike(&self.roots.old[old], &self.roots.new[*new]));
            let nearness = |new: usize| nearness(self.roots.old[old].path, self.roots.new[new].path);
            found.extend(alike.map(|new| (std::cmp::Reverse(nearness(new)), old, new)));
        }
        found.sort_in_order();
        for (_, old, new) in found {
            if self.partner.old[old].is_none() && self.partner.new[new].is_none() {
                self.continues(old, new);
            }
        }
    }

    /// Names that are the same but for their namespaces, where each is the only one of its side that is left. Of several
    /// old ones that are versions of one the nearest counts, and of those as near the newest.
    fn short_names(&mut self, is_known: Pair<&dyn Fn(&str) -> bool>) {
        let short = |key: &Key<'k>| key.name.map(|name| name.rsplit('.').next().unwrap_or(name));
        let mut by_name: FxHashMap<&str, Pair<Vec<usize>>> = FxHashMap::default();
        for old in self.left_old() {
            let Some(name) = short(&self.roots.old[old]) else { continue };
            by_name.entry(name).or_default().old.push(old);
        }
        for new in self.left_new() {
            let Some(name) = short(&self.roots.new[new]) else { continue };
            by_name.entry(name).or_default().new.push(new);
        }
        let only = by_name.into_values().filter_map(|found| match (&*found.old, &*found.new) {
            ([first, others @ ..], [new]) => {
                let families = &self.families.old;
                let is_one = others.iter().all(|other| families[*first].is_one_with(&families[*other]));
                let rank = |old: &&usize| {
                    (
                        nearness_of_folders(self.roots.old[**old].path, self.roots.new[*new].path),
                        &families[**old].version,
                    )
                };
                found.old.iter().max_by_key(rank).filter(|_| is_one).map(|old| (*old, *new))
            }
            _ => None,
        });
        let is_free = |(old, new): &(usize, usize)| {
            let (old, new) = (self.roots.old[*old].name, self.roots.new[*new].name);
            !old.is_some_and(is_known.new) && !new.is_some_and(is_known.old)
        };
        let mut only: Vec<(usize, usize)> = only.filter(is_free).collect();
        only.sort_in_order();
        only.into_iter().for_each(|(old, new)| self.continues(old, new));
    }

    /// One root on each side, and no type of the old name lives on elsewhere.
    fn last(&mut self, is_known: Pair<&dyn Fn(&str) -> bool>) {
        if let ([old], [new], None, None) = (
            self.roots.old,
            self.roots.new,
            self.partner.old.first().copied().flatten(),
            self.partner.new.first().copied().flatten(),
        ) && !old.name.is_some_and(is_known.new)
            && !new.name.is_some_and(is_known.old)
        {
            self.continues(0, 0);
        }
    }

    /// The only two that say the same under other names, which nobody has on the other side.
    fn same_shapes(&mut self, is_known: Pair<&dyn Fn(&str) -> bool>, shape: Pair<&dyn Fn(usize) -> Option<String>>) {
        let mut alike: OrderedMap<String, Pair<Vec<usize>>> = OrderedMap::new();
        let is_new_name = |key: &Key<'k>, is_known: &dyn Fn(&str) -> bool| key.name.is_some_and(|name| !is_known(name));
        for old in self.left_old().filter(|old| is_new_name(&self.roots.old[*old], is_known.new)) {
            if let Some(shape) = (shape.old)(old) {
                alike.entry(shape).or_default().old.push(old);
            }
        }
        if alike.is_empty() {
            return;
        }
        for new in self.left_new().filter(|new| is_new_name(&self.roots.new[*new], is_known.old)) {
            let found = (shape.new)(new).and_then(|shape| alike.get_mut(&shape));
            if let Some(found) = found {
                found.new.push(new);
            }
        }
        for found in alike.into_values() {
            if let ([old], [new]) = (&*found.old, &*found.new) {
                self.continues(*old, *new);
            }
        }
    }

    /// What is still left: another version of something, or gone, or added.
    fn other_versions(&mut self) {
        let left: Vec<usize> = self.left_new().collect();
        for new in left {
            match self.namesake_before(new) {
                Some(old) => self.beside(old, new),
                None if (0..self.roots.old.len()).any(|old| self.is_later(old, new)) => self.found.earliest.push(new),
                None => self.found.added.push(new),
            }
        }
        let left: Vec<usize> = self.left_old().collect();
        for old in left {
            let family = &self.families.old[old];
            let others = (0..self.roots.new.len()).filter(|new| family.is_one_with(&self.families.new[*new]));
            let newest = others.max_by_key(|new| &self.families.new[*new].version);
            match newest.or_else(|| self.heir(old)) {
                Some(new) => self.found.outlived.push(Pair::new(old, new)),
                None => self.found.gone.push(old),
            }
        }
    }

    /// What the newest of the other versions of an old root became, under whatever name.
    fn heir(&self, old: usize) -> Option<usize> {
        let family = &self.families.old[old];
        let others = (0..self.roots.old.len()).filter(|other| family.is_one_with(&self.families.old[*other]));
        let continued = others.filter(|other| self.partner.old[*other].is_some());
        self.partner.old[continued.max_by_key(|other| &self.families.old[*other].version)?]
    }

    /// Whether an old root is a version that comes after a new one.
    fn is_later(&self, old: usize, new: usize) -> bool {
        let (key, family, other) = (self.roots.old[old], &self.families.new[new], &self.families.old[old]);
        let is_namesake = key.name == self.roots.new[new].name && other.is_in_later_folder(family);
        key.name.is_some() && (is_namesake || family.is_one_with(other))
    }

    /// An earlier version of a new root in another file, whatever that is called: in an earlier folder under the same
    /// name, or with an earlier version in its namespace. Of several the nearest, and of those as near the newest.
    fn namesake_before(&self, new: usize) -> Option<usize> {
        let (key, family) = (self.roots.new[new], &self.families.new[new]);
        key.name?;
        let is_in_earlier_folder =
            |old: &usize| self.roots.old[*old].name == key.name && family.is_in_later_folder(&self.families.old[*old]);
        let has_earlier_name = |old: &usize| family.has_later_name(&self.families.old[*old]);
        let all = 0..self.roots.old.len();
        // What comes before all versions that there are is compared with nothing.
        if all.clone().any(|old| self.is_later(old, new)) && !all.clone().any(|old| is_in_earlier_folder(&old)) {
            return None;
        }
        let rank = |old: &usize| (nearness(self.roots.old[*old].path, key.path), &self.families.old[*old].version);
        let earlier = all.filter(|old| is_in_earlier_folder(old) || has_earlier_name(old));
        earlier.filter(|old| !self.is_later(*old, new)).max_by_key(rank)
    }
}

/// What versions of one root have in common, and which version this one is.
#[derive(Debug)]
struct Family {
    /// The path with one mark for every number.
    path: String,
    /// How much of it is that of the folder, and how many numbers that has.
    folder: (usize, usize),
    name: FamilyName,
    version: Version,
}

#[derive(Debug, PartialEq, Eq)]
struct FamilyName {
    /// The full name with one mark for every version in its namespace.
    text: Option<String>,
    is_versioned: bool,
}

/// Versions in their natural order: `v9` before `v10`.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    path: Vec<u64>,
    name: Vec<u64>,
}

impl Family {
    fn of(key: &Key<'_>) -> Self {
        let (path, in_path) = without_numbers(key.path);
        let folder = without_numbers(folder_of(key.path));
        let folder = (folder.0.len(), folder.1.len());
        let mut in_name = Vec::new();
        let text = key.name.map(|name| without_versions(name, &mut in_name));
        let name = FamilyName { text, is_versioned: !in_name.is_empty() };
        Family { path, folder, name, version: Version { path: in_path, name: in_name } }
    }

    /// Whether two roots are versions of one: there is a version, and nothing else tells them apart.
    fn is_one_with(&self, other: &Family) -> bool {
        self.path == other.path && self.name == other.name && self.version != other.version
    }

    /// Whether the namespace is that of a later version, and the names differ in nothing else.
    fn has_later_name(&self, other: &Family) -> bool {
        self.name.is_versioned && self.name == other.name && self.version.name > other.version.name
    }

    /// Whether the folder is that of a later version, whatever the file is called.
    fn is_in_later_folder(&self, other: &Family) -> bool {
        self.path[..self.folder.0] == other.path[..other.folder.0]
            && self.version.path[..self.folder.1] > other.version.path[..other.folder.1]
    }
}

/// A path in which one mark stands for every number, and the numbers; those of `1.2.3`, `10_0` or `2026-01-31` are one.
fn without_numbers(path: &str) -> (String, Vec<u64>) {
    let (mut text, mut numbers) = (String::with_capacity(path.len()), Vec::new());
    let mut rest = path;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let before = &rest[..at];
        // A point, a line or a dash between two numbers belongs to them.
        if !(text.ends_with('#') && matches!(before, "." | "_" | "-")) {
            text.push_str(before);
            text.push('#');
        }
        rest = &rest[at..];
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        numbers.push(rest[..end].parse().unwrap_or(u64::MAX));
        rest = &rest[end..];
    }
    text.push_str(rest);
    (text, numbers)
}

/// A full name in which one mark stands for every part of the namespace that says a version: `v2`, `v10_0`, `events_v2`.
fn without_versions(name: &str, numbers: &mut Vec<u64>) -> String {
    let Some((namespace, simple)) = name.rsplit_once('.') else { return name.to_owned() };
    let mut text = String::with_capacity(name.len());
    for part in namespace.split('.') {
        let stem = part.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '_');
        let before = stem.strip_suffix(['v', 'V']).unwrap_or("-");
        let is_version = stem.len() < part.len() && (before.is_empty() || before.ends_with('_'));
        if is_version {
            let parts = part[stem.len()..].split('_').filter(|digits| !digits.is_empty());
            numbers.extend(parts.map(|digits| digits.parse::<u64>().unwrap_or(u64::MAX)));
            text.extend([stem, "#."]);
        } else {
            text.extend([part, "."]);
        }
    }
    text + simple
}

/// Whether two full names differ in nothing but a version in their namespaces.
pub(super) fn are_versions(one: &str, other: &str) -> bool {
    let (mut versions, mut others) = (Vec::new(), Vec::new());
    without_versions(one, &mut versions) == without_versions(other, &mut others) && !versions.is_empty()
}

/// How near two paths are to each other: by what they have in common at their ends, then at their beginnings.
pub(super) fn nearness(one: &str, other: &str) -> (usize, usize) {
    let common = |pairs: &mut dyn Iterator<Item = (&str, &str)>| pairs.take_while(|(one, other)| one == other).count();
    let ends = common(&mut one.rsplit('/').zip(other.rsplit('/')));
    (ends, common(&mut one.split('/').zip(other.split('/'))))
}

/// How much of their folders two paths have in common.
fn nearness_of_folders(one: &str, other: &str) -> usize {
    nearness(folder_of(one), folder_of(other)).1
}

/// The folder that a path lies in.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
#[path = "pairing_tests.rs"]
mod tests;
