//! Which files count whose names say too little: those of a format that was asked for, and those that say what they are
//! under what was named, on the command line or by `include`.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::names::is_relevant;
use super::select::{Selection, is_under};
use crate::change::Pair;
use crate::formats::Format;
use crate::snapshot::{Lent, Snapshot};

/// What counts beside what its name says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sought {
    format: Option<Format>,
    selection: Selection,
    /// Whether the places of both sides were named, and not only versions of a repository.
    is_place: bool,
    /// The named folders, and those of named files: what a file refers to lies beside it.
    folders: Vec<String>,
}

impl Sought {
    /// Files of a format in every folder, if one is asked for, and files that are selected by name; where the places of both
    /// sides were named, all in them.
    pub(crate) fn new(format: Option<Format>, selection: &Selection, is_place: bool) -> Sought {
        let folder = |path: &String| match Format::of_path(path) {
            Some(_) => path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned(),
            None => path.clone(),
        };
        let folders = selection.paths.iter().map(folder).collect();
        Sought { format, selection: selection.clone(), is_place, folders }
    }

    fn is_named(&self) -> bool {
        self.is_place || !self.selection.paths.is_empty() || self.selection.include.is_some()
    }

    /// Whether a file may count, wherever the folder lies in which it is listed.
    pub(crate) fn may_count(&self, path: &str) -> bool {
        is_relevant(path) || (self.is_named() || self.format.is_some()) && self.is_of_sort(path)
    }

    /// Whether a file counts, by its path in a snapshot.
    pub(crate) fn counts(&self, path: &str) -> bool {
        is_relevant(path) || self.is_of_sort(path) && self.is_inside(path)
    }

    /// Whether it may be a schema and may be anything else.
    fn is_of_sort(&self, path: &str) -> bool {
        let format = Format::of_path(path).filter(|format| format.is_of_schemas());
        format.is_some_and(|format| self.format.is_none_or(|asked| asked == format))
    }

    fn is_inside(&self, path: &str) -> bool {
        let is_below = || self.folders.iter().any(|folder| folder.is_empty() || is_under(path, folder));
        match (self.is_named(), self.selection.paths.is_empty()) {
            (false, _) => self.format.is_some(),
            (true, false) => is_below(),
            (true, true) => self.selection.selects(path),
        }
    }

    /// Has those files judged only that say what they are, on either side; others may still be referred to.
    pub(crate) fn lend_others(&self, snapshots: &mut Pair<Snapshot>) {
        if self.format.is_some() || !self.is_named() {
            return;
        }
        let sides = [&snapshots.old, &snapshots.new];
        let listed = sides.into_iter().flat_map(|side| side.iter()).filter(|(path, _)| !is_relevant(path));
        let candidates: BTreeSet<Arc<str>> =
            listed.map(|(path, _)| path.clone()).filter(|path| self.is_of_sort(path)).collect();
        for path in candidates {
            let says_so = |side: &Snapshot| {
                let file = side.get(&path);
                Format::of_path(&path).zip(file).is_some_and(|(format, file)| format.is_said_by(&file.bytes))
            };
            if !says_so(&snapshots.old) && !says_so(&snapshots.new) {
                for side in [&mut snapshots.old, &mut snapshots.new] {
                    if side.get(&path).is_some() {
                        side.lend(path.clone(), Lent::Unselected);
                    }
                }
            }
        }
    }
}
