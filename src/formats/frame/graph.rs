//! Which file of a version leads to which.
//!
//! Files have the same numbers in all versions that are looked at together, and what is said of a file is shared by the
//! versions in which it is the same: to go from one version to the next costs what differs between them.

use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::change::Pair;
use crate::formats::outline::Outline;
use crate::snapshot::ContentId;

/// The numbers of files. Clones number alike.
#[derive(Debug, Clone, Default)]
pub(super) struct FileIds(Arc<Mutex<Numbers>>);

type Numbers = FxHashMap<(Arc<str>, Origin), usize>;

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
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = ids.len();
        *ids.entry((path.clone(), origin)).or_insert(next)
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

    /// Whether two versions of a file say the same and lead to the same.
    pub(super) fn is_same_as(&self, other: &Node) -> bool {
        self.id == other.id && self.imports == other.imports && self.leads_to == other.leads_to
    }
}

/// The files of a version with what leads from one to another.
#[derive(Debug, Clone, Default)]
pub(super) struct Graph {
    /// By their numbers.
    files: Vec<Option<Arc<Node>>>,
    ids: FileIds,
    links: OnceLock<Arc<Links>>,
    shared_names: OnceLock<Arc<FxHashMap<u64, Vec<usize>>>>,
}

/// From which files to which: those of each behind each other, by where they begin.
#[derive(Debug)]
struct Links {
    begin: Vec<usize>,
    from: Vec<usize>,
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
        self.files[at] = Some(Arc::new(node));
        self.forget();
    }

    /// Says where a file leads: by its imports, and in other ways.
    pub(super) fn lead(&mut self, at: usize, imports: Vec<Option<usize>>, more: Vec<usize>) {
        let Some(node) = self.files.get_mut(at).and_then(Option::as_mut) else { return };
        let mut leads_to = more;
        leads_to.extend(imports.iter().flatten());
        leads_to.sort_unstable();
        leads_to.dedup();
        if node.imports != imports || node.leads_to != leads_to {
            let node = Arc::make_mut(node);
            (node.imports, node.leads_to) = (imports, leads_to);
            self.links = OnceLock::new();
        }
    }

    /// Takes a file away.
    pub(super) fn take(&mut self, at: usize) {
        if let Some(file) = self.files.get_mut(at) {
            *file = None;
            self.forget();
        }
    }

    /// Forgets what was found out of other files than there are now.
    fn forget(&mut self) {
        (self.links, self.shared_names) = Default::default();
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
    pub(super) fn used_by(&self, at: usize) -> &[usize] {
        let links = self.links.get_or_init(|| Arc::new(Links::of(&self.files)));
        match links.begin.get(at..at + 2) {
            Some([from, to]) => &links.from[*from..*to],
            _ => &[],
        }
    }

    /// What some files lead to, and they.
    pub(super) fn reached_from(&self, files: impl Iterator<Item = usize>) -> Vec<bool> {
        self.reached(files, |at| self.get(at).map_or(&[], |node| &node.leads_to))
    }

    /// What leads to some files, and they.
    pub(super) fn leading_to(&self, files: impl Iterator<Item = usize>) -> Vec<bool> {
        self.reached(files, |at| self.used_by(at))
    }

    /// What leads to one file, and that file: where these are few, none of the others is looked at.
    pub(super) fn all_leading_to(&self, file: usize) -> Vec<usize> {
        let (mut found, mut seen) = (vec![file], FxHashSet::from_iter([file]));
        let mut at = 0;
        while let Some(next) = found.get(at) {
            at += 1;
            let fresh: Vec<usize> = self.used_by(*next).iter().copied().filter(|from| seen.insert(*from)).collect();
            found.extend(fresh);
        }
        found
    }

    fn reached<'g>(&'g self, files: impl Iterator<Item = usize>, next: impl Fn(usize) -> &'g [usize]) -> Vec<bool> {
        let mut seen = vec![false; self.files.len()];
        let mut open: Vec<usize> = files.filter(|at| self.get(*at).is_some()).collect();
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                open.extend(next(at));
            }
        }
        seen
    }

    /// Leaves out the files that only supply types and to which no judged file leads.
    pub(super) fn drop_unused(&mut self) {
        let seen = self.reached_from(self.files().filter(|(_, node)| node.is_judged).map(|(at, _)| at));
        for (file, _) in self.files.iter_mut().zip(seen).filter(|(_, is_seen)| !is_seen) {
            if file.take().is_some() {
                (self.links, self.shared_names) = Default::default();
            }
        }
    }

    /// The files that declare a name, where these are several.
    pub(super) fn declaring(&self, name: u64) -> &[usize] {
        let shared = self.shared_names.get_or_init(|| {
            let (mut first, mut shared) = (FxHashMap::default(), FxHashMap::default());
            for (at, node) in self.files() {
                for name in &*node.names {
                    let before = *first.entry(*name).or_insert(at);
                    if before != at {
                        shared.entry(*name).or_insert_with(|| vec![before]).push(at);
                    }
                }
            }
            Arc::new(shared)
        });
        shared.get(&name).map_or(&[], Vec::as_slice)
    }
}

impl Links {
    fn of(files: &[Option<Arc<Node>>]) -> Self {
        let mut begin = vec![0; files.len() + 1];
        let leading = || files.iter().enumerate().filter_map(|(at, file)| Some((at, file.as_ref()?)));
        for (_, node) in leading() {
            node.leads_to.iter().filter(|to| **to < files.len()).for_each(|to| begin[*to + 1] += 1);
        }
        for at in 1..begin.len() {
            begin[at] += begin[at - 1];
        }
        let mut next = begin.clone();
        let mut from = vec![0; begin.last().copied().unwrap_or_default()];
        for (at, node) in leading() {
            for to in node.leads_to.iter().filter(|to| **to < files.len()) {
                from[next[*to]] = at;
                next[*to] += 1;
            }
        }
        Links { begin, from }
    }
}

/// The files of the new side that are not the same on the old side, or lead elsewhere; that such a file leads to; and that
/// lead to such a file; be it by files in between. What is said to concern no other file is left out.
pub(super) fn affected(sides: Pair<&Graph>, concerns_none: &dyn Fn(&str) -> bool) -> Vec<bool> {
    let is_same = |at: usize, node: &Arc<Node>| {
        let before = sides.old.get(at);
        before.is_some_and(|before| Arc::ptr_eq(before, node) || before.is_same_as(node))
    };
    let changed = sides.new.files().filter(|(at, node)| !is_same(*at, node) && !concerns_none(&node.path));
    let changed: Vec<usize> = changed.map(|(at, _)| at).collect();
    let mut affected = sides.new.reached_from(changed.iter().copied());
    let leading = sides.new.leading_to(changed.into_iter());
    affected.iter_mut().zip(leading).for_each(|(one, other)| *one |= other);
    affected
}

/// The paths of the same.
pub(super) fn affected_paths(sides: Pair<&Graph>) -> FxHashSet<Arc<str>> {
    let affected = affected(sides, &|_| false);
    sides.new.files().filter(|(at, _)| affected[*at]).map(|(_, node)| node.path.clone()).collect()
}
