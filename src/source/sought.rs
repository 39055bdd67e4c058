//! Which files count whose names say too little: those of a format that was asked for, and those that say what they are
//! under what was named, on the command line or by `include`.

use std::sync::Arc;

use super::names::is_relevant;
use super::select::{Selection, is_under};
use crate::change::Pair;
use crate::formats::Format;
use crate::ordered::OrderedSet;
use crate::snapshot::Snapshot;

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
        let folders = selection.named.iter().map(folder).collect();
        Sought { format, selection: selection.clone(), is_place, folders }
    }

    fn is_named(&self) -> bool {
        self.is_place || !self.folders.is_empty() || self.selection.include.is_some()
    }

    /// Whether a file may count, wherever the folder lies in which it is listed.
    pub(crate) fn may_count(&self, path: &str) -> bool {
        is_relevant(path) || self.may_count_others() && self.is_of_sort(path)
    }

    /// Whether files may count whose names say too little.
    pub(crate) fn may_count_others(&self) -> bool {
        self.is_named() || self.format.is_some()
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
        let is_included = || self.selection.include.is_some() && self.selection.selects(path);
        self.is_place || self.format.is_some() && self.selection.paths.is_empty() || is_below() || is_included()
    }

    /// Leaves of those files the ones that say what they are, on either side. What these refer to comes back.
    pub(crate) fn leave_schemas(&self, snapshots: &mut Pair<Snapshot>) {
        if self.format.is_some() || !self.is_named() {
            return;
        }
        let sides = [&snapshots.old, &snapshots.new];
        let listed = sides.into_iter().flat_map(|side| side.iter()).map(|(path, _)| path);
        let others: OrderedSet<&Arc<str>> = listed.filter(|path| !is_relevant(path) && self.is_of_sort(path)).collect();
        let says_so = |path: &Arc<str>| {
            let texts = sides.into_iter().filter_map(|side| Some(&side.get(path)?.bytes));
            Format::of_path(path).is_some_and(|of| texts.into_iter().any(|text| of.is_said_by(text)))
        };
        let left: Vec<Arc<str>> = others.into_iter().filter(|path| !says_so(path)).cloned().collect();
        for side in [&mut snapshots.old, &mut snapshots.new] {
            left.iter().for_each(|path| side.remove(path));
        }
    }
}
