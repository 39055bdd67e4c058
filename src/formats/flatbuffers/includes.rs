//! The files of one side with everything that they include.
//!
//! An include is looked up beside the including file, then in the include roots, then in the root of the snapshot, then
//! in the folders above the including file, and then outside of the snapshot among the files that only supply types.

use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::{Pair, Site};
use crate::formats::CheckOptions;
use crate::formats::sides::missing_import_help;
use crate::formats::unchanged::{self, Files};
use crate::source::{ContentId, Snapshot};
use crate::syntax::problem::{NotChecked, Problem, Severity};

use super::link::Linkage;
use super::model::Spelled;
use super::parse::{self, Document};

/// What one file says, and what is wrong with its text.
#[derive(Debug, Default)]
pub(super) struct Content<'b> {
    document: Document<'b>,
    problems: Vec<Problem>,
}

/// What stands in the files of both sides, each distinct content parsed once, and in the library as far as it is needed.
#[derive(Debug)]
pub(super) struct Contents<'b> {
    by_id: FxHashMap<ContentId, Content<'b>>,
    /// By the place of the file in the options.
    library: Vec<OnceLock<Content<'b>>>,
}

impl<'b> Contents<'b> {
    /// Parses the `.fbs` files of some snapshots.
    pub(super) fn new(snapshots: [&'b Snapshot; 2], options: &CheckOptions) -> Self {
        let mut by_id = FxHashMap::default();
        for (path, file) in snapshots.into_iter().flat_map(Snapshot::iter).filter(|(path, _)| is_schema(path)) {
            by_id.entry(file.id).or_insert_with(|| Content::of(path, &file.bytes));
        }
        Contents { by_id, library: options.library.iter().map(|_| OnceLock::new()).collect() }
    }

    /// How many distinct contents of the snapshots were parsed.
    pub(super) fn parsed(&self) -> usize {
        self.by_id.len()
    }
}

impl<'b> Content<'b> {
    fn of(path: &Arc<str>, bytes: &'b [u8]) -> Self {
        let (document, problems) = parse::parse(path, bytes);
        Content { document, problems }
    }
}

fn is_schema(path: &str) -> bool {
    path.ends_with(".fbs")
}

/// A file to link.
#[derive(Debug)]
pub(super) struct Input<'t> {
    /// Its path in the snapshot, or the path by which a library file is included.
    pub(super) path: Arc<str>,
    /// What it says.
    pub(super) document: &'t Document<'t>,
    /// What was wrong with its text; the places may name another file of the same content.
    pub(super) problems: &'t [Problem],
    /// Whether it only supplies types.
    pub(super) is_library: bool,
    /// The inputs that its includes lead to, in the order of the includes.
    pub(super) includes: Vec<Option<usize>>,
    /// What is wrong with its includes.
    pub(super) include_problems: Vec<Problem>,
}

impl<'t> Input<'t> {
    /// A file of the snapshot.
    fn new(path: Arc<str>, content: &'t Content<'t>) -> Self {
        Input {
            path,
            document: &content.document,
            problems: &content.problems,
            is_library: false,
            includes: Vec::new(),
            include_problems: Vec::new(),
        }
    }
}

/// The files of one side.
#[derive(Debug, Default)]
pub(super) struct Gathered<'t> {
    /// The files of the snapshot in the order of their paths, then those that only supply types.
    pub(super) inputs: Vec<Input<'t>>,
    /// How many of the files are judged.
    pub(super) judged: usize,
    /// Includes that were not found.
    pub(super) not_checked: Vec<NotChecked>,
}

/// Finds the files of one side and what they include, transitively.
pub(super) fn gather<'t, 'b: 't>(
    snapshot: &'t Snapshot,
    contents: &'t Contents<'b>,
    options: &'b CheckOptions,
) -> Gathered<'t> {
    let mut gatherer = Gatherer {
        contents,
        options,
        by_path: FxHashMap::default(),
        library: FxHashMap::default(),
        entered: FxHashMap::default(),
        missing: FxHashSet::default(),
        gathered: Gathered::default(),
    };
    for (path, file) in snapshot.iter().filter(|(path, _)| is_schema(path)) {
        if let Some(content) = contents.by_id.get(&file.id) {
            gatherer.by_path.insert(path, gatherer.gathered.inputs.len());
            gatherer.gathered.inputs.push(Input::new(path.clone(), content));
        }
    }
    gatherer.gathered.judged = gatherer.gathered.inputs.len();
    for (index, file) in options.library.iter().enumerate() {
        gatherer.library.entry(file.import_path.as_str()).or_insert(index);
    }
    let mut next = 0;
    while next < gatherer.gathered.inputs.len() {
        gatherer.follow(next);
        next += 1;
    }
    gatherer.gathered
}

/// An include of the new side that found its file on the old side has lost it: where its types are used the schema is
/// not whole, and they must not pass for opaque.
pub(super) fn refuse_lost(sides: Pair<&Gathered<'_>>, new: &mut Linkage<'_>) {
    for (file, include) in &new.lacking {
        let input = &sides.new.inputs[*file];
        let path = &input.document.includes[*include];
        let Some(before) = sides.old.judged_file_of(&path.text) else { continue };
        let site = Site { file: input.path.clone(), span: path.span };
        let told = new.problems.iter_mut().filter(|problem| problem.site.as_ref() == Some(&site));
        for problem in told {
            problem.severity = Severity::Error;
            problem.message = format!(
                "include `{}` was not found: in the old version it leads to {before}, which the new version does not have",
                path.text
            );
            problem.help = "bring the file back or remove the include".to_owned();
        }
    }
}

impl Gathered<'_> {
    /// Makes warnings of the errors in files which no change has to do with; a file that has
    /// lost an include has to do with one. These files are those of the new side.
    pub(super) fn excuse(&self, pair: Pair<&Snapshot>, before: &Gathered<'_>, new: &mut Linkage<'_>) {
        let paths: Vec<&str> = self.inputs.iter().map(|input| &*input.path).collect();
        let inputs = self.inputs.iter().enumerate();
        let references = inputs.flat_map(|(from, input)| input.includes.iter().flatten().map(move |to| (from, *to)));
        let lost = new.lacking.iter().filter(|(file, include)| {
            let written = &self.inputs[*file].document.includes[*include];
            before.judged_file_of(&written.text).is_some()
        });
        let files = Files { paths, bereft: lost.map(|(file, _)| *file).collect() };
        unchanged::excuse(pair, &files, references, &mut new.problems);
    }

    /// The judged file that an include of that path leads to.
    fn judged_file_of(&self, include: &str) -> Option<&Arc<str>> {
        let includes = self.inputs.iter().flat_map(|input| input.document.includes.iter().zip(&input.includes));
        let mut targets = includes.filter(|(written, _)| written.text == include).filter_map(|(_, target)| *target);
        targets.find(|target| *target < self.judged).map(|target| &self.inputs[target].path)
    }
}

struct Gatherer<'t, 'b> {
    contents: &'t Contents<'b>,
    options: &'b CheckOptions,
    /// The files of the snapshot.
    by_path: FxHashMap<&'t str, usize>,
    /// The files of the library.
    library: FxHashMap<&'t str, usize>,
    /// Those of the library that are among the inputs.
    entered: FxHashMap<usize, usize>,
    /// The paths of includes that were said not to be checked.
    missing: FxHashSet<String>,
    gathered: Gathered<'t>,
}

impl<'t, 'b: 't> Gatherer<'t, 'b> {
    /// The input of a library file; read when it is met for the first time.
    fn enter_library(&mut self, index: usize) -> usize {
        if let Some(input) = self.entered.get(&index) {
            return *input;
        }
        let file = &self.options.library[index];
        let path: Arc<str> = Arc::from(file.import_path.as_str());
        let content: &'t Content<'t> = self.contents.library[index].get_or_init(|| Content::of(&path, &file.bytes));
        self.gathered.inputs.push(Input { is_library: true, ..Input::new(path, content) });
        self.entered.insert(index, self.gathered.inputs.len() - 1);
        self.gathered.inputs.len() - 1
    }

    fn follow(&mut self, index: usize) {
        let document = self.gathered.inputs[index].document;
        let path = self.gathered.inputs[index].path.clone();
        let mut includes = Vec::with_capacity(document.includes.len());
        for include in &document.includes {
            let found = self.find(&path, &include.text);
            if found.is_none() {
                self.report_missing(index, include);
            }
            includes.push(found);
        }
        self.gathered.inputs[index].includes = includes;
    }

    /// The input that an include leads to.
    fn find(&mut self, from: &str, include: &str) -> Option<usize> {
        let mut above = std::iter::successors(from.rsplit_once('/'), |(folder, _)| folder.rsplit_once('/'));
        let own = above.next().map_or("", |(folder, _)| folder);
        let roots = std::iter::once(own).chain(self.options.include.iter().map(String::as_str)).chain([""]);
        let roots: Vec<&str> = roots.chain(above.map(|(folder, _)| folder)).collect();
        let mut places = Vec::new();
        for place in roots.into_iter().filter_map(|root| joined(root, include)) {
            if let Some(input) = self.by_path.get(place.as_str()) {
                return Some(*input);
            }
            places.push(place);
        }
        let index = *places.iter().find_map(|place| self.library.get(place.as_str()))?;
        Some(self.enter_library(index))
    }

    fn report_missing(&mut self, index: usize, include: &Spelled<'_>) {
        let path = include.text.as_ref();
        let help = missing_import_help(path);
        let input = &mut self.gathered.inputs[index];
        let (file, problems) = (&input.path, &mut input.include_problems);
        if self.options.strict_imports {
            let message = format!("include `{path}` was not found: imports are strict");
            problems.push(Problem::error(file, include.span, message, help));
            return;
        }
        let message = format!("include `{path}` was not found: its types are compared by name only");
        problems.push(Problem::warning(file, include.span, message, help.clone()));
        if self.missing.insert(path.to_owned()) {
            let file = file.to_string();
            self.gathered.not_checked.push(NotChecked { file, what: format!("types of {path}"), help });
        }
    }
}

/// A path inside a folder, without `.` and `..`; nothing where it leads out of the root.
fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
