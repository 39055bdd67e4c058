//! Where an import leads.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::formats::check::CheckOptions;
use crate::syntax::problem::{NotChecked, Problem};

/// A file that an import leads to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Target {
    /// A file of the snapshot, by its path.
    File(Arc<str>),
    /// A file of the library, by its place in the options.
    Library(usize),
    /// A file that is built into the language, by its import path.
    Builtin(&'static str),
}

/// Looks imports up in one version.
pub trait Search {
    /// The file that an import of the file `from` leads to. Files of one folder mean the same by it.
    fn find(&self, from: &str, import: &str) -> Option<Target>;

    /// The file that an import leads to wherever it is written; `None` where that depends on the file that imports.
    fn find_from_anywhere(&self, _import: &str) -> Option<Target> {
        None
    }

    /// The rules that say where imports lead. Where those of two versions are equal, an import leads elsewhere only where
    /// files came or went whose names are the last part of its path; and what is judged, and by which path it is imported,
    /// does not differ. `None` where that is not so.
    fn rules(&self) -> Option<String> {
        None
    }

    /// Whether an import leads only to files whose paths end in its own, or in an end of it that has two parts.
    fn ends_with_import(&self) -> bool {
        false
    }

    /// Whether it is only taken for likely where the path of an import starts, since nobody says so.
    fn is_inferred(&self, _from: &str, _import: &str) -> bool {
        false
    }

    /// Whether an import leads to a file only because of its name, somewhere in the version.
    fn is_guess(&self, _from: &str, _import: &str) -> bool {
        false
    }

    /// The part of an import that had to be left out for it to lead to a file, and the folder from which the rest leads there.
    fn left_out_of<'i>(&self, _from: &str, _import: &'i str) -> Option<(&'i str, String)> {
        None
    }

    /// Whether a file of the snapshot is judged; others only supply types.
    fn judges(&self, _path: &str) -> bool {
        true
    }

    /// The path by which a judged file is imported.
    fn import_path<'p>(&self, path: &'p str) -> &'p str {
        path
    }

    /// Why an import can never lead to a file, and what to do about it.
    fn unusable(&self, _import: &str) -> Option<(String, &'static str)> {
        None
    }

    /// Why an import that leads nowhere is an error in any case.
    fn must_exist(&self, _from: &str, _import: &str) -> Option<&'static str> {
        None
    }

    /// How to supply a file that was not found.
    fn help(&self, import: &str) -> String {
        let below = import.trim_start_matches("../");
        match below == import {
            true => format!("pass `-I DIR`, DIR being the directory below which `{import}` lies"),
            false => format!("compare the directory that holds `{below}` too: the path leads out of what is compared"),
        }
    }

    /// Files of the version that a configuration leaves out.
    fn left_out(&self) -> Vec<NotChecked> {
        Vec::new()
    }

    /// What is wrong with the files that say where to look.
    fn problems(&self) -> &[Problem] {
        &[]
    }
}

/// The files of the library by the paths by which they are imported; the first of several counts.
pub(crate) fn library(options: &CheckOptions) -> FxHashMap<&str, usize> {
    let mut library = FxHashMap::default();
    for (index, file) in options.library.iter().enumerate() {
        library.entry(file.import_path.as_str()).or_insert(index);
    }
    library
}
