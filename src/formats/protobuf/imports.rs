//! What an import leads to: a file of the snapshot, one from outside that only supplies types, a built-in one, or nothing.
//!
//! Import roots come from `--include`, else from `buf.yaml` and `buf.work.yaml`, else they are inferred: the snapshot's
//! own root, the directories above the importing file, and at last any file whose path ends in the import path. What nothing
//! of all that finds may begin with the path of a module (`github.com/owner/name/`), which no folder is called by.

use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::formats::check::{CheckOptions, mapped};
use crate::formats::frame::search::{Search, Target, library};
use crate::ordered::OrderedMap;
use crate::snapshot::{Snapshot, name_of};
use crate::syntax::problem::{NotChecked, Problem};

use super::{builtin, import_roots};

/// Whether a file is one of the language, by its own name or by one by which a text refers to it.
fn is_schema(side: &Snapshot, path: &str) -> bool {
    side.names(path).any(|name| name.ends_with(".proto"))
}

/// Looks imports up.
pub struct Finder<'t> {
    snapshot: &'t Snapshot,
    configured: import_roots::Roots,
    /// Roots in order; empty when they are inferred.
    roots: Vec<String>,
    /// Imports in which no path ends; most of them are built in.
    nowhere: RwLock<FxHashSet<Box<str>>>,
    library: FxHashMap<&'t str, usize>,
}

impl<'t> Finder<'t> {
    /// What one version says about where to look.
    pub(super) fn new(snapshot: &'t Snapshot, options: &'t CheckOptions) -> Self {
        let configured = import_roots::read(snapshot);
        let include = options.include.iter().map(|directory| import_roots::normal(directory));
        let roots = include.chain(configured.directories.iter().cloned()).collect();
        Finder { snapshot, configured, roots, nowhere: RwLock::default(), library: library(options) }
    }

    /// Looks in the declared roots: first in those that hold the importing file.
    fn in_roots(&self, from: &str, import: &str) -> Option<Target> {
        let holds = |root: &&String| {
            root.is_empty() || from.strip_prefix(root.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        let own = self.roots.iter().filter(holds);
        let others = self.roots.iter().filter(|root| !holds(root));
        own.chain(others).find_map(|root| self.at(root, import))
    }

    fn at(&self, root: &str, import: &str) -> Option<Target> {
        self.path_at(root, import).or_else(|| {
            let (prefix, folder) = mapped(root)?;
            self.path_at(folder, import.strip_prefix(prefix)?.strip_prefix('/')?)
        })
    }

    fn path_at(&self, folder: &str, import: &str) -> Option<Target> {
        let found = match folder {
            "" => self.snapshot.path(import),
            folder => self.snapshot.path(&format!("{folder}/{import}")),
        };
        found.filter(|path| is_schema(self.snapshot, path)).map(|path| Target::File(path.clone()))
    }

    /// The one file below a root whose path is an end of the import path, of two parts at least: the longest one. With it what
    /// stands before that end, and the root.
    fn without_prefix<'i>(&self, import: &'i str) -> Option<(Target, &'i str, &str)> {
        let ends = std::iter::successors(Some(import), |end| Some(end.split_once('/')?.1)).skip(1);
        for end in ends.filter(|end| end.contains('/')) {
            let roots = self.roots.iter().map(String::as_str).filter(|root| mapped(root).is_none()).chain([""]);
            let mut found = roots.filter_map(|root| Some((self.path_at(root, end)?, root)));
            if let Some((target, root)) = found.next() {
                let prefix = import.strip_suffix(end).unwrap_or_default().trim_end_matches('/');
                return found.all(|(other, _)| other == target).then_some((target, prefix, root));
            }
        }
        None
    }

    /// What an import leads to but for its prefix.
    fn whole(&self, from: &str, import: &str) -> Option<Target> {
        self.in_roots(from, import)
            .or_else(|| self.at("", import))
            .or_else(|| self.above(from, import))
            .or_else(|| self.anywhere(from, import))
            .or_else(|| self.library.get(import).map(|index| Target::Library(*index)))
            .or_else(|| builtin::find(import).map(|builtin| Target::Builtin(builtin.path())))
    }

    /// Takes every directory above the importing file for a root, the nearest first.
    fn above(&self, from: &str, import: &str) -> Option<Target> {
        std::iter::successors(from.rsplit_once('/'), |(directory, _)| directory.rsplit_once('/'))
            .find_map(|(directory, _)| self.at(directory, import))
    }

    /// The nearest file whose path ends in the import path; among equally near ones that with the shortest path.
    fn anywhere(&self, from: &str, import: &str) -> Option<Target> {
        if self.nowhere.read().unwrap_or_else(PoisonError::into_inner).contains(import) {
            return None;
        }
        let nearest = self.nearest(from, import);
        if nearest.is_none() {
            self.nowhere.write().unwrap_or_else(PoisonError::into_inner).insert(Box::from(import));
        }
        nearest.map(|path| Target::File(path.clone()))
    }

    fn nearest(&self, from: &str, import: &str) -> Option<&'t Arc<str>> {
        let is_meant =
            |path: &&Arc<str>| path.strip_suffix(import).is_some_and(|root| root.is_empty() || root.ends_with('/'));
        let distance = |path: &&Arc<str>| (std::cmp::Reverse(common_directories(from, path)), path.len());
        let schemas = self.snapshot.named(name_of(import)).filter(|path| is_schema(self.snapshot, path));
        schemas.filter(is_meant).min_by_key(distance)
    }
}

impl Search for Finder<'_> {
    fn find(&self, from: &str, import: &str) -> Option<Target> {
        if self.unusable(import).is_some() {
            return None;
        }
        self.whole(from, import).or_else(|| Some(self.without_prefix(import)?.0))
    }

    fn left_out_of<'i>(&self, from: &str, import: &'i str) -> Option<(&'i str, String)> {
        if self.whole(from, import).is_some() {
            return None;
        }
        let (_, prefix, root) = self.without_prefix(import)?;
        Some((prefix, if root.is_empty() { ".".to_owned() } else { root.to_owned() }))
    }

    fn is_inferred(&self, from: &str, import: &str) -> bool {
        self.in_roots(from, import).is_none()
    }

    fn find_from_anywhere(&self, import: &str) -> Option<Target> {
        (self.roots.is_empty() && self.unusable(import).is_none()).then(|| self.at("", import)).flatten()
    }

    fn rules(&self) -> Option<String> {
        let library: OrderedMap<_, _> = self.library.iter().collect();
        Some(format!("{:?} {} {library:?}", self.roots, self.configured.rules()))
    }

    fn ends_with_import(&self) -> bool {
        self.roots.iter().all(|root| mapped(root).is_none())
    }

    fn is_guess(&self, from: &str, import: &str) -> bool {
        let found = self.in_roots(from, import).or_else(|| self.at("", import)).or_else(|| self.above(from, import));
        found.is_none() && self.unusable(import).is_none()
    }

    fn judges(&self, path: &str) -> bool {
        !self.configured.excludes(path)
    }

    fn import_path<'p>(&self, path: &'p str) -> &'p str {
        self.configured.import_path(path)
    }

    fn unusable(&self, import: &str) -> Option<(String, &'static str)> {
        let is_odd = |part: &str| matches!(part, "" | "." | "..");
        let odd = import.is_empty() || import.contains('\\') || import.split('/').any(is_odd);
        let message = || {
            format!(
                "import `{import}` cannot be followed: backslashes, `//`, `.` and `..` are not allowed in an import path"
            )
        };
        odd.then(|| (message(), "write the path relative to an import root, with single `/` between its parts"))
    }

    fn must_exist(&self, from: &str, import: &str) -> Option<&'static str> {
        let is_beside = !import.contains('/') && !from.contains('/');
        is_beside.then_some("a path without a directory names a file beside this one or in an import root")
    }

    fn help(&self, import: &str) -> String {
        if self.configured.has_dependencies {
            return "run `buf export . --output .deps` (it downloads what buf.yaml depends on), then pass `-I .deps`"
                .to_owned();
        }
        let known = KNOWN.iter().find(|(prefix, _)| import.starts_with(prefix));
        match known {
            Some((_, repository)) => format!(
                "pass `-I DIR`, DIR being the directory below which `{import}` lies; it is published at {repository}"
            ),
            None => match import.split_once('/') {
                Some((module, _)) if module.contains('.') => format!(
                    "pass `-I DIR`, DIR being the directory below which `{import}` lies, or `-I PREFIX=DIR` where no directory is called like the PREFIX of the import"
                ),
                _ => format!("pass `-I DIR`, DIR being the directory below which `{import}` lies"),
            },
        }
    }

    fn left_out(&self) -> Vec<NotChecked> {
        let is_there = |folder: &str| {
            let is_below = |path: &str| import_roots::is_below(path, folder) && is_schema(self.snapshot, path);
            self.snapshot.iter().any(|(path, _)| is_below(path))
        };
        let excluded = self.configured.excluded().iter().filter(|excluded| is_there(&excluded.folder));
        let told = excluded.map(|excluded| NotChecked {
            file: excluded.said_in.clone(),
            what: format!("the files below {}, which it excludes", excluded.folder),
            help: "take the folder out of `excludes` to have it judged".to_owned(),
        });
        told.collect()
    }

    fn problems(&self) -> &[Problem] {
        &self.configured.problems
    }
}

/// Where widely used imports are published.
const KNOWN: &[(&str, &str)] = &[
    ("buf/validate/", "https://github.com/bufbuild/protovalidate (proto/protovalidate)"),
    ("gogoproto/", "https://github.com/cosmos/gogoproto"),
    ("google/api/", "https://github.com/googleapis/googleapis"),
    ("google/iam/", "https://github.com/googleapis/googleapis"),
    ("google/longrunning/", "https://github.com/googleapis/googleapis"),
    ("google/rpc/", "https://github.com/googleapis/googleapis"),
    ("google/type/", "https://github.com/googleapis/googleapis"),
    ("protoc-gen-openapiv2/", "https://github.com/grpc-ecosystem/grpc-gateway"),
    ("validate/validate.proto", "https://github.com/bufbuild/protoc-gen-validate"),
];

/// How many leading directories two paths share.
fn common_directories(from: &str, target: &str) -> usize {
    let directories = |path: &'_ str| path.matches('/').count();
    from.split('/')
        .zip(target.split('/'))
        .take_while(|(here, there)| here == there)
        .count()
        .min(directories(from))
        .min(directories(target))
}
