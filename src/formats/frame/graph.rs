//! Which file of a version leads to which.
//!
//! Files have the same numbers in all versions that are looked at together, and what is said of a file is shared by the
//! versions in which it is the same: to go from one version to the next costs what differs between them.

use std::hash::BuildHasher;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::change::Pair;
use crate::formats::outline::Outline;
use crate::ordered::InOrder;
use crate::snapshot::{ContentId, name_of};

/// The numbers of files, and what of all versions helps to find some of them. Clones number alike.
#[derive(Debug, Clone, Default)]
pub(super) struct FileIds(Arc<RwLock<Numbers>>);

/// What is known of the files of all versions: which of it holds for one of them is seen there.
#[derive(Debug, Default)]
struct Numbers {
    ids: FxHashMap<(Arc<str>, Origin), usize>,
    /// The files that lead to each.
    leading: Vec<FxHashSet<usize>>,
    /// The files that declare a name.
    declaring: FxHashMap<u64, Vec<usize>>,
    /// The files of each package; and those that are of none.
    packages: FxHashMap<Box<str>, FxHashSet<usize>>,
    of_no_package: FxHashSet<usize>,
    /// The files that import something whose path ends so.
    importing: FxHashMap<Box<str>, FxHashSet<usize>>,
    /// The files in which data of any type may have a place.
    carrying: FxHashSet<usize>,
    /// The files whose texts could not be understood in whole.
    broken: FxHashSet<usize>,
}

/// Where a file comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// From a version: its path there says which it is.
    Version,
    /// From outside: the path by which it is imported, and which of those that are imported so.
    Outside(usize),
}

impl FileIds {
    /// The number of a file, from now on.
    pub(super) fn of(&self, path: &Arc<str>, origin: Origin) -> usize {
        let key = (path.clone(), origin);
        if let Some(known) = self.read().ids.get(&key) {
            return *known;
        }
        let ids = &mut self.write().ids;
        let next = ids.len();
        *ids.entry(key).or_insert(next)
    }

    fn read(&self) -> RwLockReadGuard<'_, Numbers> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Numbers> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn are(&self, other: &FileIds) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A file of a version or of the library.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Its path in the snapshot, or the path by which a file from outside is imported.
    pub path: Arc<str>,
    /// The path by which others import it.
    pub import_path: Arc<str>,
    /// What identifies its text, where it is of the snapshot.
    pub id: Option<ContentId>,
    /// Whether it is judged, and does not only supply types.
    pub is_judged: bool,
    /// Whether its text is known to be one that could not be understood in whole.
    pub is_broken: bool,
    /// The files that its imports lead to, in the order of the imports.
    pub imports: Vec<Option<usize>>,
    /// The files that it leads to, by its imports or by a name that it uses, in the order of their numbers.
    pub leads_to: Vec<usize>,
    /// What its text says at a glance.
    pub outline: Arc<Outline>,
    /// Numbers for the names that it declares: that of two names is one now and then, and then more is looked at.
    pub names: Arc<[u64]>,
}

impl Node {
    /// A file that leads nowhere.
    pub(super) fn new(path: Arc<str>, id: Option<ContentId>, outline: Arc<Outline>) -> Self {
        Node {
            import_path: path.clone(),
            path,
            id,
            is_judged: false,
            is_broken: false,
            imports: Vec::new(),
            leads_to: Vec::new(),
            names: outline.ties.names.iter().map(|name| FxBuildHasher.hash_one(name)).collect(),
            outline,
        }
    }

    /// By which path a judged file is imported.
    pub(super) fn place(&self) -> Option<&Arc<str>> {
        self.is_judged.then_some(&self.import_path)
    }

    /// Whether two versions of a file say the same and lead to the same; `alike` are the files that are not the same and say
    /// the same.
    pub(super) fn is_same_as(&self, other: &Node, alike: &FxHashSet<Arc<str>>) -> bool {
        let says_the_same = || self.id == other.id || alike.contains(&self.path);
        self.imports == other.imports && self.leads_to == other.leads_to && says_the_same()
    }
}

impl Numbers {
    /// Notes what a file of some version declares, and where.
    fn declare(&mut self, at: usize, node: &Node) {
        for name in &*node.names {
            let declaring = self.declaring.entry(*name).or_default();
            if !declaring.contains(&at) {
                declaring.push(at);
            }
        }
        let Outline { imports, ties } = &*node.outline;
        ties.packages.iter().for_each(|package| note(&mut self.packages, package, at));
        imports.iter().for_each(|import| note(&mut self.importing, name_of(import), at));
        let of_those = [
            (&mut self.of_no_package, ties.packages.is_empty()),
            (&mut self.carrying, ties.carries_any),
            (&mut self.broken, node.is_broken),
        ];
        for (files, _) in of_those.into_iter().filter(|(_, is_one)| *is_one) {
            files.insert(at);
        }
    }

    /// Notes where a file of some version leads.
    fn lead(&mut self, at: usize, leads_to: &[usize]) {
        if let Some(last) = leads_to.last().filter(|last| **last >= self.leading.len()) {
            self.leading.resize(last + 1, FxHashSet::default());
        }
        leads_to.iter().for_each(|to| _ = self.leading[*to].insert(at));
    }
}

/// Notes a file under a word.
fn note(files: &mut FxHashMap<Box<str>, FxHashSet<usize>>, word: &str, at: usize) {
    match files.get_mut(word) {
        Some(files) => _ = files.insert(at),
        None => _ = files.insert(Box::from(word), FxHashSet::from_iter([at])),
    }
}

/// The files of a version with what leads from one to another.
#[derive(Debug, Clone, Default)]
pub(super) struct Graph {
    /// By their numbers.
    files: Vec<Option<Arc<Node>>>,
    /// How many of them are judged.
    judged: usize,
    ids: FileIds,
}

impl Graph {
    /// No files yet, which will have these numbers.
    pub(super) fn new(ids: FileIds) -> Self {
        Graph { ids, ..Graph::default() }
    }

    /// The numbers that its files have.
    pub(super) const fn ids(&self) -> &FileIds {
        &self.ids
    }

    /// Whether files have the same numbers in another version.
    pub(super) fn numbers_as(&self, other: &Graph) -> bool {
        self.ids.are(&other.ids)
    }

    /// More than the largest number.
    pub(super) fn size(&self) -> usize {
        self.files.len()
    }

    /// Adds a file or puts it in the place of what has its number.
    pub(super) fn put(&mut self, at: usize, node: Node) {
        if self.files.len() <= at {
            self.files.resize(at + 1, None);
        }
        self.ids.write().declare(at, &node);
        self.take(at);
        self.judged += usize::from(node.is_judged);
        self.files[at] = Some(Arc::new(node));
    }

    /// Says where a file leads: by its imports, and in other ways.
    pub(super) fn lead(&mut self, at: usize, imports: Vec<Option<usize>>, more: Vec<usize>) {
        let Some(node) = self.files.get_mut(at).and_then(Option::as_mut) else { return };
        let mut leads_to = more;
        leads_to.extend(imports.iter().flatten());
        leads_to.sort_in_order();
        leads_to.dedup();
        if node.imports != imports || node.leads_to != leads_to {
            self.ids.write().lead(at, &leads_to);
            let node = Arc::make_mut(node);
            (node.imports, node.leads_to) = (imports, leads_to);
        }
    }

    /// Takes a file away.
    pub(super) fn take(&mut self, at: usize) {
        let taken = self.files.get_mut(at).and_then(Option::take);
        self.judged -= usize::from(taken.is_some_and(|node| node.is_judged));
    }

    /// How many files are judged.
    pub(super) const fn judged(&self) -> usize {
        self.judged
    }

    /// A file by its number.
    pub(super) fn get(&self, at: usize) -> Option<&Arc<Node>> {
        self.files.get(at)?.as_ref()
    }

    /// The number of a file of the version.
    pub(super) fn find(&self, path: &Arc<str>) -> Option<usize> {
        let at = self.ids.of(path, Origin::Version);
        self.get(at).map(|_| at)
    }

    /// The files with their numbers.
    pub(super) fn files(&self) -> impl Iterator<Item = (usize, &Arc<Node>)> {
        self.files.iter().enumerate().filter_map(|(at, file)| Some((at, file.as_ref()?)))
    }

    /// The files that lead to a file.
    pub(super) fn used_by(&self, file: usize) -> Vec<usize> {
        let numbers = self.ids.read();
        numbers.leading.get(file).into_iter().flatten().copied().filter(|at| self.leads(*at, file)).collect()
    }

    fn leads(&self, from: usize, to: usize) -> bool {
        self.get(from).is_some_and(|node| node.leads_to.binary_search(&to).is_ok())
    }

    /// The files of those packages that are meant.
    pub(super) fn of_packages(&self, mut is_meant: impl FnMut(&str) -> bool) -> Vec<(usize, &Arc<Node>)> {
        let numbers = self.ids.read();
        let mut packages: FxHashSet<&str> = numbers.packages.keys().map(|package| &**package).collect();
        packages.retain(|package| is_meant(package));
        let all = packages.iter().filter_map(|package| numbers.packages.get(*package)).flatten().copied().collect();
        self.those(all, |node| node.outline.ties.packages.iter().any(|package| packages.contains(&**package)))
    }

    /// The files of no package.
    pub(super) fn of_no_package(&self) -> Vec<(usize, &Arc<Node>)> {
        let all = self.ids.read().of_no_package.clone();
        self.those(all, |node| node.outline.ties.packages.is_empty())
    }

    /// The files in which data of any type may have a place.
    pub(super) fn carrying(&self) -> Vec<(usize, &Arc<Node>)> {
        let all = self.ids.read().carrying.clone();
        self.those(all, |node| node.outline.ties.carries_any)
    }

    /// The files whose texts could not be understood in whole.
    pub(super) fn broken(&self) -> Vec<(usize, &Arc<Node>)> {
        let all = self.ids.read().broken.clone();
        self.those(all, |node| node.is_broken)
    }

    /// The files with an import whose path ends in one of these names.
    pub(super) fn importing(&self, names: &FxHashSet<&str>) -> Vec<(usize, &Arc<Node>)> {
        let numbers = self.ids.read();
        let all = names.iter().filter_map(|name| numbers.importing.get(*name)).flatten().copied().collect();
        drop(numbers);
        self.those(all, |node| node.outline.imports.iter().any(|import| names.contains(name_of(import))))
    }

    /// Those of some files that are what is asked for in this version, in the order of their numbers.
    fn those(&self, all: FxHashSet<usize>, is_one: impl Fn(&Node) -> bool) -> Vec<(usize, &Arc<Node>)> {
        let there = all.into_iter().filter_map(|at| Some((at, self.get(at)?)));
        let mut found: Vec<(usize, &Arc<Node>)> = there.filter(|(_, node)| is_one(node)).collect();
        found.sort_in_order_by_key(|(at, _)| *at);
        found
    }

    /// What some files lead to, and they: none of the others is looked at.
    pub(super) fn reached_from(&self, files: impl Iterator<Item = usize>) -> Vec<usize> {
        self.reached(files, |at, open| open.extend(self.get(at).iter().flat_map(|node| &node.leads_to)))
    }

    /// What leads to some files, and they.
    fn leading_to(&self, files: impl Iterator<Item = usize>) -> Vec<usize> {
        self.reached(files, |at, open| open.extend(self.used_by(at)))
    }

    /// What leads to one file, and that file: where these are few, none of the others is looked at.
    pub(super) fn all_leading_to(&self, file: usize) -> Vec<usize> {
        let (mut found, mut seen) = (vec![file], FxHashSet::from_iter([file]));
        let mut at = 0;
        while let Some(next) = found.get(at) {
            at += 1;
            let mut fresh = self.used_by(*next);
            fresh.retain(|from| seen.insert(*from));
            found.extend(fresh);
        }
        found
    }

    fn reached(&self, files: impl Iterator<Item = usize>, follow: impl Fn(usize, &mut Vec<usize>)) -> Vec<usize> {
        let (mut seen, mut found) = (vec![false; self.files.len()], Vec::new());
        let mut open: Vec<usize> = files.filter(|at| self.get(*at).is_some()).collect();
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                found.push(at);
                follow(at, &mut open);
            }
        }
        found
    }

    /// Leaves out the files that only supply types and to which no judged file leads.
    pub(super) fn drop_unused(&mut self) {
        let suppliers: Vec<usize> = self.files().filter(|(_, node)| !node.is_judged).map(|(at, _)| at).collect();
        let unused: Vec<usize> = suppliers.into_iter().filter(|at| !self.is_led_to_by_judged(*at)).collect();
        unused.into_iter().for_each(|at| self.take(at));
    }

    /// Whether a judged file leads to a file, be it by others.
    fn is_led_to_by_judged(&self, file: usize) -> bool {
        let numbers = self.ids.read();
        let (mut open, mut seen) = (vec![file], FxHashSet::from_iter([file]));
        while let Some(next) = open.pop() {
            for from in numbers.leading.get(next).into_iter().flatten() {
                if !self.leads(*from, next) || !seen.insert(*from) {
                    continue;
                }
                if self.get(*from).is_some_and(|node| node.is_judged) {
                    return true;
                }
                open.push(*from);
            }
        }
        false
    }

    /// Adds the files that declare one of these names, of each name that several files declare.
    pub(super) fn add_declaring(&self, names: &[u64], found: &mut Vec<usize>) {
        let numbers = self.ids.read();
        for name in names {
            let Some(all) = numbers.declaring.get(name).filter(|all| all.len() > 1) else { continue };
            let before = found.len();
            let declares = |at: &usize| self.get(*at).is_some_and(|node| node.names.contains(name));
            found.extend(all.iter().copied().filter(declares));
            if found.len() == before + 1 {
                found.truncate(before);
            }
        }
    }
}

/// The files of the new side that are not the same on the old side, or lead elsewhere; that such a file leads to; and that
/// lead to such a file; be it by files in between. What is said to concern no other file is left out.
pub(super) fn affected(
    sides: Pair<&Graph>,
    alike: &FxHashSet<Arc<str>>,
    concerns_none: &dyn Fn(&str) -> bool,
) -> Vec<bool> {
    let is_same = |at: usize, node: &Arc<Node>| {
        let before = sides.old.get(at);
        before.is_some_and(|before| Arc::ptr_eq(before, node) || before.is_same_as(node, alike))
    };
    around(sides.new, |at, node| !is_same(at, node) && !concerns_none(&node.path))
}

/// The files of a version that are meant, those that one of them leads to, and those that lead to one.
fn around(graph: &Graph, is_meant: impl Fn(usize, &Arc<Node>) -> bool) -> Vec<bool> {
    let meant: Vec<usize> = graph.files().filter(|(at, node)| is_meant(*at, node)).map(|(at, _)| at).collect();
    let mut around = vec![false; graph.size()];
    let reached = graph.reached_from(meant.iter().copied());
    reached.into_iter().chain(graph.leading_to(meant.into_iter())).for_each(|at| around[at] = true);
    around
}

/// The paths of the same, where files may lie elsewhere that say what they said: where each is on the new side, by where it is
/// on the old one.
pub(super) fn affected_paths(
    sides: Pair<&Graph>,
    alike: &FxHashSet<Arc<str>>,
    carried: &FxHashMap<Arc<str>, Arc<str>>,
) -> FxHashSet<Arc<str>> {
    let numbers = carried.iter().filter_map(|(old, new)| Some((sides.new.find(new)?, sides.old.find(old)?)));
    let was: FxHashMap<usize, usize> = numbers.collect();
    let before = |at: usize| was.get(&at).copied().unwrap_or(at);
    let is_same = |at: usize, node: &Arc<Node>| {
        let Some(old) = sides.old.get(before(at)) else { return false };
        if was.is_empty() {
            return Arc::ptr_eq(old, node) || old.is_same_as(node, alike);
        }
        let mut now = Node::clone(node);
        now.imports.iter_mut().flatten().for_each(|to| *to = before(*to));
        now.leads_to.iter_mut().for_each(|to| *to = before(*to));
        now.leads_to.sort_in_order();
        old.is_same_as(&now, alike)
    };
    let affected = around(sides.new, |at, node| !is_same(at, node));
    sides.new.files().filter(|(at, _)| affected[*at]).map(|(_, node)| node.path.clone()).collect()
}
