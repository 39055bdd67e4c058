//! Which file of a version leads to which.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Pair;
use crate::snapshot::ContentId;

/// A file of a version or of the library.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Its path in the snapshot, or the path by which a file from outside is imported.
    pub path: Arc<str>,
    /// The path by which others import it.
    pub import_path: Arc<str>,
    /// What identifies its text, where it is of the snapshot.
    pub id: Option<ContentId>,
    /// The files that its imports lead to, in the order of the imports.
    pub imports: Vec<Option<usize>>,
    /// Whether its text is known to be one that could not be understood in whole.
    pub is_broken: bool,
}

/// The files of a version with what leads from one to another.
#[derive(Debug, Clone, Default)]
pub(super) struct Graph {
    /// The judged files in the order of their paths, then those that only supply types.
    pub files: Vec<Node>,
    /// How many of the files are judged.
    pub judged: usize,
    /// Which file leads to which, by its imports or by a name that it uses.
    pub references: Vec<(usize, usize)>,
}

impl Graph {
    /// Per file where its imports and its names lead; an import that leads nowhere counts as well.
    fn targets(&self) -> Vec<(Vec<Option<&str>>, Vec<&str>)> {
        let path = |target: usize| &*self.files[target].path;
        let imports = self.files.iter().map(|file| file.imports.iter().map(|target| target.map(path)).collect());
        let mut targets: Vec<(Vec<Option<&str>>, Vec<&str>)> = imports.map(|imports| (imports, Vec::new())).collect();
        for (from, to) in &self.references {
            targets[*from].1.push(path(*to));
        }
        targets.iter_mut().for_each(|(_, names)| names.sort_unstable());
        targets
    }
}

/// The paths of the files of the new side that are not the same on the old side, or lead elsewhere; that such a file leads
/// to; and that lead to such a file; be it by files in between. What is said to concern no other file is left out.
pub(super) fn affected(sides: Pair<&Graph>, concerns_none: &dyn Fn(&str) -> bool) -> FxHashSet<Arc<str>> {
    let new = &sides.new.files;
    let targets = sides.map(Graph::targets);
    let before: FxHashMap<&str, usize> =
        sides.old.files.iter().enumerate().map(|(index, file)| (&*file.path, index)).collect();
    let is_same = |index: &usize| {
        let old = before.get(&*new[*index].path);
        old.is_some_and(|old| sides.old.files[*old].id == new[*index].id && targets.old[*old] == targets.new[*index])
    };
    let changed = (0..new.len()).filter(|index| !is_same(index) && !concerns_none(&new[*index].path));
    let changed: Vec<usize> = changed.collect();
    let [mut uses, mut used_by] = [vec![Vec::new(); new.len()], vec![Vec::new(); new.len()]];
    for (from, to) in &sides.new.references {
        uses[*from].push(*to);
        used_by[*to].push(*from);
    }
    let mut affected = FxHashSet::default();
    for links in [uses, used_by] {
        let mut seen = vec![false; new.len()];
        let mut left = changed.clone();
        while let Some(file) = left.pop() {
            if !std::mem::replace(&mut seen[file], true) {
                affected.insert(new[file].path.clone());
                left.extend(&links[file]);
            }
        }
    }
    affected
}
