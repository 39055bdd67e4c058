//! What an import leads to: a file of the snapshot, one from outside that only supplies types, a built-in one, or nothing.
//!
//! Import roots come from `--include`, else from `buf.yaml` and `buf.work.yaml`, else they are inferred: the snapshot's
//! own root, the directories above the importing file, and at last any file whose path ends in the import path.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::formats::CheckOptions;
use crate::formats::sides::refuse_lost_import;
use crate::source::Snapshot;
use crate::syntax::problem::{NotChecked, Problem, Severity};

use super::ast;
use super::builtin::{self, Builtin};
use super::import_roots::{self, Roots};
use super::link::LinkFile;
use super::model::FileId;
use super::trees::{Tree, Trees};

/// The files of one side with everything they import.
#[derive(Debug, Default)]
pub(super) struct Gathered<'a> {
    /// The files of the snapshot, sorted by path, then those that only supply types.
    pub(super) files: Vec<LinkFile<'a>>,
    /// The built-in definition of the standard options.
    pub(super) descriptor: Option<FileId>,
    /// How many of the files are compared.
    pub(super) judged: usize,
    /// What is wrong with the files and their imports.
    pub(super) problems: Vec<Problem>,
    /// Imports that were not found.
    pub(super) not_checked: Vec<NotChecked>,
    missing: Vec<Missing>,
}

/// The paths of the files that are compared: every `.proto` file that `buf.yaml` does not exclude.
pub(super) fn judged<'s>(snapshot: &'s Snapshot, roots: &Roots) -> impl Iterator<Item = &'s Arc<str>> {
    snapshot.iter().map(|(path, _)| path).filter(|path| path.ends_with(".proto") && !roots.excludes(path))
}

/// Finds the files of one side and what they import, transitively.
pub(super) fn gather<'t, 'b: 't>(
    snapshot: &'b Snapshot,
    roots: &Roots,
    options: &'b CheckOptions,
    trees: &'t Trees<'b>,
) -> Gathered<'t> {
    let mut gatherer = Gatherer {
        snapshot,
        options,
        trees,
        finder: Finder::new(snapshot, roots, options),
        files: FxHashMap::default(),
        missing: FxHashSet::default(),
        is_judging: true,
        gathered: Gathered::default(),
    };
    gatherer.gathered.problems.extend(roots.problems.iter().cloned());
    for path in judged(snapshot, roots) {
        gatherer.enter(Target::Snapshot(path.clone()));
    }
    for file in &mut gatherer.gathered.files {
        file.import_path = Arc::from(roots.import_path(&file.path));
    }
    let judged = gatherer.gathered.files.len();
    gatherer.is_judging = false;
    let mut next = 0;
    while next < gatherer.gathered.files.len() {
        gatherer.follow(next);
        next += 1;
    }
    if let Some(descriptor) = builtin::find(builtin::DESCRIPTOR) {
        gatherer.gathered.descriptor = Some(gatherer.enter(Target::Builtin(descriptor)));
    }
    Gathered { judged, ..gatherer.gathered }
}

/// An import of the new side that found its file on the old side has lost it: the schema is not whole, and its types must
/// not pass for opaque.
pub(super) fn refuse_lost(old: &Gathered<'_>, new: &mut Gathered<'_>) {
    for lost in &new.missing {
        let Some(before) = old.snapshot_file_of(&lost.import) else { continue };
        let problem = &mut new.problems[lost.problem];
        refuse_lost_import(problem, &lost.import, before);
        problem.help =
            format!("bring the file back or remove the import; where the file moved elsewhere, {}", lost.help);
    }
}

/// An import that was not found, and the warning about it.
#[derive(Debug)]
struct Missing {
    import: String,
    problem: usize,
    help: String,
}

impl Gathered<'_> {
    /// The compared file that an import of that path leads to.
    fn snapshot_file_of(&self, import: &str) -> Option<&Arc<str>> {
        let imports = self.files.iter().flat_map(|file| file.ast.imports.iter().zip(&file.imports));
        let mut targets = imports.filter(|(written, _)| written.path == import).filter_map(|(_, target)| *target);
        let target = targets.find(|target| (target.0 as usize) < self.judged)?;
        Some(&self.files[target.0 as usize].path)
    }
}

/// Where an import leads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Target {
    Snapshot(Arc<str>),
    Library(usize),
    Builtin(Builtin),
}

struct Gatherer<'t, 'b> {
    snapshot: &'b Snapshot,
    options: &'b CheckOptions,
    trees: &'t Trees<'b>,
    finder: Finder<'t>,
    files: FxHashMap<Target, FileId>,
    missing: FxHashSet<String>,
    is_judging: bool,
    gathered: Gathered<'t>,
}

impl<'t, 'b: 't> Gatherer<'t, 'b> {
    /// The file of a target; read when it is met for the first time.
    fn enter(&mut self, target: Target) -> FileId {
        if let Some(id) = self.files.get(&target) {
            return *id;
        }
        let id =
            FileId(u32::try_from(self.gathered.files.len()).expect("a snapshot has fewer than four billion files"));
        let (path, tree): (Arc<str>, Option<&'t Tree<'t>>) = match &target {
            Target::Snapshot(path) => {
                let file = self.snapshot.get(path).expect("the path came from the snapshot's own listing");
                (path.clone(), Some(self.trees.of_snapshot(path, file)))
            }
            Target::Library(index) => {
                let file = &self.options.library[*index];
                (Arc::from(file.import_path.as_str()), Some(self.trees.of_library(*index, file)))
            }
            Target::Builtin(builtin) => (Arc::from(builtin.path()), None),
        };
        let ast: &'t ast::File<'t> = match (&target, tree) {
            (Target::Builtin(builtin), _) => builtin.ast(),
            (_, Some(tree)) => &tree.ast,
            (_, None) => unreachable!("only built-in files have no tree of their own"),
        };
        if let Some(tree) = tree {
            let is_judged = self.is_judging;
            self.gathered.problems.extend(tree.problems_at(&path).map(|mut problem| {
                if !is_judged {
                    problem.severity = Severity::Warning; // The file only supplies types.
                }
                problem
            }));
        }
        self.gathered.files.push(LinkFile {
            import_path: path.clone(),
            path,
            ast,
            is_builtin: !self.is_judging,
            is_broken: tree.is_some_and(Tree::is_broken),
            imports: Vec::new(),
        });
        self.files.insert(target, id);
        id
    }

    fn follow(&mut self, index: usize) {
        let ast = self.gathered.files[index].ast;
        let path = self.gathered.files[index].path.clone();
        let mut imports = Vec::with_capacity(ast.imports.len());
        for import in &ast.imports {
            let found = match self.finder.find(&path, &import.path) {
                Some(target) => Some(self.enter(target)),
                None => {
                    self.report_missing(&path, import);
                    None
                }
            };
            imports.push(found);
        }
        self.gathered.files[index].imports = imports;
    }

    fn report_missing(&mut self, file: &Arc<str>, import: &ast::Import<'_>) {
        let path = import.path.as_ref();
        if let Some(message) = unusable(path) {
            self.gathered.problems.push(Problem::error(
                file,
                import.path_span,
                message,
                "write the path relative to an import root, with single `/` between its parts",
            ));
            return;
        }
        let help = self.finder.help(path);
        let beside = !path.contains('/') && !file.contains('/');
        if self.options.strict_imports || beside {
            let why = if beside {
                "a path without a directory names a file beside this one or in an import root"
            } else {
                "imports are strict"
            };
            self.gathered.problems.push(Problem::error(
                file,
                import.path_span,
                format!("import `{path}` was not found: {why}"),
                help,
            ));
            return;
        }
        let problem = self.gathered.problems.len();
        self.gathered.missing.push(Missing { import: path.to_owned(), problem, help: help.clone() });
        self.gathered.problems.push(Problem::warning(
            file,
            import.path_span,
            format!("import `{path}` was not found: its types are compared by name only"),
            help.clone(),
        ));
        if self.missing.insert(path.to_owned()) {
            self.gathered.not_checked.push(NotChecked {
                file: file.to_string(),
                what: format!("types of {path}"),
                help,
            });
        }
    }
}

/// Why a path can never lead to a file.
fn unusable(path: &str) -> Option<String> {
    let odd = path.is_empty() || path.contains('\\') || path.split('/').any(|part| matches!(part, "" | "." | ".."));
    odd.then(|| {
        format!("import `{path}` cannot be followed: backslashes, `//`, `.` and `..` are not allowed in an import path")
    })
}

/// Looks imports up.
struct Finder<'t> {
    snapshot: &'t Snapshot,
    /// Roots in order; empty when they are inferred.
    roots: Vec<String>,
    has_dependencies: bool,
    /// Schema files of the snapshot by the last part of their path.
    by_name: FxHashMap<&'t str, Vec<&'t Arc<str>>>,
    library: FxHashMap<&'t str, usize>,
}

impl<'t> Finder<'t> {
    fn new(snapshot: &'t Snapshot, roots: &Roots, options: &'t CheckOptions) -> Self {
        let mut by_name: FxHashMap<&str, Vec<&Arc<str>>> = FxHashMap::default();
        for (path, _) in snapshot.iter() {
            let name = path.rsplit_once('/').map_or(path.as_ref(), |(_, name)| name);
            if name.ends_with(".proto") {
                by_name.entry(name).or_default().push(path);
            }
        }
        let mut library = FxHashMap::default();
        for (index, file) in options.library.iter().enumerate() {
            library.entry(file.import_path.as_str()).or_insert(index);
        }
        let include = options.include.iter().map(|directory| import_roots::normal(directory));
        Finder {
            snapshot,
            roots: include.chain(roots.directories.iter().cloned()).collect(),
            has_dependencies: roots.has_dependencies,
            by_name,
            library,
        }
    }

    fn find(&self, from: &str, import: &str) -> Option<Target> {
        if unusable(import).is_some() {
            return None;
        }
        self.in_roots(from, import)
            .or_else(|| self.at("", import))
            .or_else(|| self.above(from, import))
            .or_else(|| self.anywhere(from, import))
            .or_else(|| self.library.get(import).map(|index| Target::Library(*index)))
            .or_else(|| builtin::find(import).map(Target::Builtin))
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
        let found =
            if root.is_empty() { self.snapshot.path(import) } else { self.snapshot.path(&format!("{root}/{import}")) };
        found.map(|path| Target::Snapshot(path.clone()))
    }

    /// Takes every directory above the importing file for a root, the nearest first.
    fn above(&self, from: &str, import: &str) -> Option<Target> {
        std::iter::successors(from.rsplit_once('/'), |(directory, _)| directory.rsplit_once('/'))
            .find_map(|(directory, _)| self.at(directory, import))
    }

    /// The nearest file whose path ends in the import path; among equally near ones that with the shortest path.
    fn anywhere(&self, from: &str, import: &str) -> Option<Target> {
        let name = import.rsplit_once('/').map_or(import, |(_, name)| name);
        let candidates = self
            .by_name
            .get(name)?
            .iter()
            .filter(|path| path.strip_suffix(import).is_some_and(|root| root.is_empty() || root.ends_with('/')));
        let nearest = candidates.min_by_key(|path| (std::cmp::Reverse(common_directories(from, path)), path.len()))?;
        Some(Target::Snapshot((*nearest).clone()))
    }

    /// How to supply what is missing.
    fn help(&self, import: &str) -> String {
        if self.has_dependencies {
            return "run `buf export . --output .deps` (it downloads what buf.yaml depends on), then pass `-I .deps`"
                .to_owned();
        }
        let known = KNOWN.iter().find(|(prefix, _)| import.starts_with(prefix));
        match known {
            Some((_, repository)) => format!(
                "pass `-I DIR`, DIR being the directory below which `{import}` lies; it is published at {repository}"
            ),
            None => format!("pass `-I DIR`, DIR being the directory below which `{import}` lies"),
        }
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
