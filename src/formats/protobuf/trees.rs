//! The syntax trees of both sides: each distinct content is parsed once, however many paths have it.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::formats::{CheckOptions, LibraryFile};
use crate::source::{ContentId, SnapshotFile};
use crate::syntax::problem::{Problem, Severity};

use super::{ast, parse};

/// One parsed content.
#[derive(Debug)]
pub(super) struct Tree<'b> {
    /// What could be understood.
    pub(super) ast: ast::File<'b>,
    problems: Vec<Problem>,
}

impl<'b> Tree<'b> {
    fn parse(path: &Arc<str>, bytes: &'b [u8]) -> Self {
        let (ast, problems) = parse::parse(path, bytes);
        Tree { ast, problems }
    }

    /// Whether the content is not a valid file by itself.
    pub(super) fn is_broken(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }

    /// The problems, as those of the file at `path`: several paths may share the content.
    pub(super) fn problems_at(&self, path: &Arc<str>) -> impl Iterator<Item = Problem> {
        self.problems.iter().cloned().map(|mut problem| {
            if let Some(site) = &mut problem.site {
                site.file = path.clone();
            }
            problem
        })
    }
}

/// The trees, by content.
#[derive(Debug)]
pub(super) struct Trees<'b> {
    contents: FxHashMap<ContentId, Slot<'b>>,
    library: Vec<OnceLock<Tree<'b>>>,
}

#[derive(Debug)]
struct Slot<'b> {
    bytes: &'b [u8],
    tree: OnceLock<Tree<'b>>,
}

impl<'b> Trees<'b> {
    /// Room for the trees of all files of the two snapshots; those of `wanted` are parsed now, in parallel.
    pub(super) fn new(
        files: impl Iterator<Item = (&'b Arc<str>, &'b SnapshotFile)>,
        wanted: &[(&Arc<str>, ContentId)],
        options: &CheckOptions,
    ) -> Self {
        let contents = files
            .filter(|(path, _)| path.ends_with(".proto"))
            .map(|(_, file)| (file.id, Slot { bytes: &file.bytes, tree: OnceLock::new() }))
            .collect();
        let trees = Trees { contents, library: options.library.iter().map(|_| OnceLock::new()).collect() };
        wanted.par_iter().for_each(|(path, id)| {
            if let Some(slot) = trees.contents.get(id) {
                slot.tree.get_or_init(|| Tree::parse(path, slot.bytes));
            }
        });
        trees
    }

    /// The tree of a file of either snapshot.
    pub(super) fn of_snapshot(&self, path: &Arc<str>, file: &SnapshotFile) -> &Tree<'b> {
        let slot = self.contents.get(&file.id).expect("every schema file of both snapshots has its slot");
        slot.tree.get_or_init(|| Tree::parse(path, slot.bytes))
    }

    /// The tree of a library file.
    pub(super) fn of_library(&self, index: usize, file: &'b LibraryFile) -> &Tree<'b> {
        self.library[index].get_or_init(|| Tree::parse(&Arc::from(file.import_path.as_str()), &file.bytes))
    }

    /// How many contents were parsed.
    pub(super) fn parsed(&self) -> usize {
        let contents = self.contents.len() - self.unparsed();
        contents + self.library.iter().filter(|tree| tree.get().is_some()).count()
    }

    #[expect(clippy::iter_over_hash_type, reason = "a count does not depend on the order")]
    fn unparsed(&self) -> usize {
        let mut count = 0;
        for slot in self.contents.values() {
            count += usize::from(slot.tree.get().is_none());
        }
        count
    }
}
