//! The files of one side with everything that they import.
//!
//! Only IDL files import. A path is looked up beside the importing file, then in the import roots, then in the root of
//! the snapshot, and then outside of it among the files that only supply types.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::formats::CheckOptions;
use crate::formats::sides::{missing_import_help, refuse_lost_import};
use crate::source::{ContentId, Snapshot, SnapshotFile};
use crate::syntax::json;
use crate::syntax::problem::{NotChecked, Problem};

use super::ast::{Document, Import, ImportKind};
use super::link::Input;
use super::{container, container_schema, idl, schema_json};

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Syntax {
    /// `.avsc`
    Schema,
    /// `.avpr`
    Protocol,
    /// `.avdl`
    Idl,
    /// `.avro`, or whatever begins like that
    Data,
}

/// What one file says.
#[derive(Debug, Default)]
pub(super) struct Content<'b> {
    pub(super) document: Document<'b>,
    pub(super) problems: Vec<Problem>,
    /// Of data without its schema, the fingerprint of that.
    pub(super) fingerprint: Option<u64>,
    /// What of the file is not looked at.
    pub(super) not_checked: Option<NotChecked>,
}

impl Syntax {
    fn of_file(path: &str, bytes: &[u8]) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "avro" | "avsc" | "avpr" | "avdl" if container::is_data(bytes) => Some(Syntax::Data),
            // Some call their schemas so, and so is a schema called that data is compared with.
            "avro" if matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'[' | b'"')) => Some(Syntax::Schema),
            "avro" => Some(Syntax::Data),
            _ => Self::of_path(path),
        }
    }

    fn of_path(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "avsc" => Some(Syntax::Schema),
            "avpr" => Some(Syntax::Protocol),
            "avdl" => Some(Syntax::Idl),
            _ => None,
        }
    }

    fn of_import(kind: ImportKind) -> Self {
        match kind {
            ImportKind::Idl => Syntax::Idl,
            ImportKind::Protocol => Syntax::Protocol,
            ImportKind::Schema => Syntax::Schema,
        }
    }

    fn parse<'b>(self, path: &Arc<str>, bytes: &'b [u8]) -> Content<'b> {
        let (document, problems) = match self {
            Syntax::Data => return container_schema::read(path, bytes),
            Syntax::Idl => idl::parse(path, bytes),
            Syntax::Schema | Syntax::Protocol => {
                let (json, mut problems) = json::parse(path, bytes);
                let (document, more) = match json {
                    Some(json) if self == Syntax::Protocol => schema_json::protocol(path, json),
                    Some(json) => schema_json::schema(path, json),
                    None => (Document::default(), Vec::new()),
                };
                problems.extend(more);
                (document, problems)
            }
        };
        Content { document, problems, fingerprint: None, not_checked: None }
    }
}

/// What stands in the files of both sides, each distinct content parsed once, and in the library as far as it is needed.
#[derive(Debug)]
pub(super) struct Contents<'b> {
    by_id: FxHashMap<(ContentId, Syntax), Content<'b>>,
    /// By the place of the file in the options; the syntax is that by which it is imported first.
    library: Vec<OnceLock<Content<'b>>>,
    /// The schemas of data that has only their fingerprints.
    writers: FxHashMap<ContentId, Writer<'b>>,
    is_large: bool,
}

/// The schema of data that has only its fingerprint.
#[derive(Debug)]
struct Writer<'b> {
    content: Content<'b>,
    /// The files that define its types.
    suppliers: Vec<Supplier>,
}

/// A file in which the schema of data may stand.
#[derive(Debug, Clone)]
enum Supplier {
    /// A file of a snapshot, by its path and its content.
    File(Arc<str>, (ContentId, Syntax)),
    /// A file of the library, by its place in the options.
    Library(usize),
}

/// Fewer bytes than this are read sooner than they are handed to another thread.
const WORTH_SHARING: usize = 1 << 18;

impl<'b> Contents<'b> {
    /// Whether it pays to work on several threads.
    pub(super) const fn is_large(&self) -> bool {
        self.is_large
    }

    /// Parses the Avro files of some snapshots.
    pub(super) fn new(snapshots: [&'b Snapshot; 2], options: &'b CheckOptions) -> Self {
        let mut seen = FxHashSet::default();
        let mut wanted = Vec::new();
        for (path, file) in snapshots.iter().flat_map(|snapshot| snapshot.iter()) {
            if let Some(syntax) = Syntax::of_file(path, &file.bytes)
                && seen.insert((file.id, syntax))
            {
                wanted.push((path, file, syntax));
            }
        }
        let is_large = wanted.iter().map(|(_, file, _)| file.bytes.len()).sum::<usize>() > WORTH_SHARING;
        let parse = |(path, file, syntax): (&Arc<str>, &'b SnapshotFile, Syntax)| {
            ((file.id, syntax), syntax.parse(path, &file.bytes))
        };
        let by_id = match is_large {
            true => wanted.into_par_iter().map(parse).collect::<Vec<_>>().into_iter().collect(),
            false => wanted.into_iter().map(parse).collect(),
        };
        let library = options.library.iter().map(|_| OnceLock::new()).collect();
        let mut contents = Contents { by_id, library, writers: FxHashMap::default(), is_large };
        if contents.by_id.values().any(|content| content.fingerprint.is_some()) {
            contents.writers = contents.find_writers(snapshots, options);
        }
        contents
    }

    /// Finds the schemas of data that has only their fingerprints among all other files.
    fn find_writers(
        &self,
        snapshots: [&'b Snapshot; 2],
        options: &'b CheckOptions,
    ) -> FxHashMap<ContentId, Writer<'b>> {
        let files = || snapshots.into_iter().flat_map(Snapshot::iter);
        let mut suppliers = Vec::new();
        let mut candidates = Vec::new();
        for (path, file) in files() {
            let key = Syntax::of_file(path, &file.bytes).map(|syntax| (file.id, syntax));
            let content = key.and_then(|key| Some((key, self.by_id.get(&key)?)));
            if let Some((key, content)) = content.filter(|(_, content)| content.fingerprint.is_none()) {
                suppliers.push(Supplier::File(path.clone(), key));
                candidates.push((path.clone(), &content.document));
            }
        }
        for (index, file) in options.library.iter().enumerate() {
            if let Some(syntax) = Syntax::of_path(&file.import_path) {
                let path: Arc<str> = Arc::from(file.import_path.as_str());
                let content = self.library[index].get_or_init(|| syntax.parse(&path, &file.bytes));
                suppliers.push(Supplier::Library(index));
                candidates.push((path, &content.document));
            }
        }
        let mut writers = FxHashMap::default();
        for (path, file) in files() {
            let content = self.by_id.get(&(file.id, Syntax::Data));
            if let Some(fingerprint) = content.and_then(|content| content.fingerprint) {
                let (content, group) = container_schema::writer(path, fingerprint, &candidates);
                let suppliers = group.into_iter().map(|index| suppliers[index].clone()).collect();
                writers.insert(file.id, Writer { content, suppliers });
            }
        }
        writers
    }

    /// How many distinct contents of the snapshots were parsed.
    pub(super) fn parsed(&self) -> usize {
        self.by_id.len()
    }
}

/// The files of one side.
#[derive(Debug, Default)]
pub(super) struct Gathered<'t> {
    /// The files of the snapshot in the order of their paths, then those that only supply types.
    pub(super) inputs: Vec<Input<'t>>,
    /// How many of the files are judged.
    pub(super) judged: usize,
    /// Imports that were not found.
    pub(super) not_checked: Vec<NotChecked>,
    /// The problem of each import that was not found: the file, the path as written, and which of its problems.
    missing: Vec<(usize, String, usize)>,
    /// Whether the library has more Avro files than were imported.
    pub(super) has_more: bool,
}

/// How much of the library is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// What is imported.
    Imported,
    /// Every Avro file, because a name was found nowhere else.
    Everything,
}

/// Finds the files of one side and what they import, transitively.
pub(super) fn gather<'t, 'b: 't>(
    snapshot: &'t Snapshot,
    contents: &'t Contents<'b>,
    options: &'b CheckOptions,
    extent: Extent,
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
    for (path, file) in snapshot.iter() {
        let content = Syntax::of_file(path, &file.bytes).and_then(|syntax| contents.by_id.get(&(file.id, syntax)));
        if let Some(content) = content {
            let content = contents.writers.get(&file.id).map_or(content, |writer| &writer.content);
            let gathered = &mut gatherer.gathered;
            gatherer.by_path.insert(path, gathered.inputs.len());
            gathered.inputs.push(Input::new(path.clone(), &content.document, &content.problems));
            let not_checked = content.not_checked.iter().cloned();
            gathered.not_checked.extend(not_checked.map(|gap| NotChecked { file: path.to_string(), ..gap }));
        }
    }
    gatherer.gathered.judged = gatherer.gathered.inputs.len();
    for (index, file) in options.library.iter().enumerate() {
        gatherer.library.entry(file.import_path.as_str()).or_insert(index);
    }
    let is_schema = |(_, file): &(usize, &crate::formats::LibraryFile)| Syntax::of_path(&file.import_path).is_some();
    let all = options.library.iter().enumerate().filter(is_schema);
    if extent == Extent::Everything {
        for (index, file) in all.clone() {
            let is_new = !gatherer.entered.contains_key(&index);
            let input = gatherer.enter_library(index, Syntax::of_path(&file.import_path).unwrap_or(Syntax::Schema));
            // Nobody named the file, so what is wrong with it concerns nobody.
            gatherer.gathered.inputs[input].is_unasked |= is_new;
        }
    }
    let writers = snapshot.iter().filter_map(|(_, file)| contents.writers.get(&file.id));
    for supplier in writers.flat_map(|writer| &writer.suppliers) {
        gatherer.enter_supplier(supplier);
    }
    let mut next = 0;
    while next < gatherer.gathered.inputs.len() {
        gatherer.follow(next);
        next += 1;
    }
    gatherer.gathered.has_more = all.clone().any(|(index, _)| !gatherer.entered.contains_key(&index));
    gatherer.gathered
}

/// An import of the new side that found its file on the old side has lost it: the schema is not whole, and its types must
/// not pass for opaque.
pub(super) fn refuse_lost(old: &Gathered<'_>, new: &mut Gathered<'_>) {
    for (file, import, problem) in &new.missing {
        let Some(before) = old.judged_file_of(import) else { continue };
        let problem = &mut new.inputs[*file].import_problems[*problem];
        refuse_lost_import(problem, import, before);
        problem.help = "bring the file back or remove the import".to_owned();
    }
}

impl Gathered<'_> {
    /// The judged file that an import of that path leads to.
    fn judged_file_of(&self, import: &str) -> Option<&Arc<str>> {
        let imports = self.inputs.iter().flat_map(|input| input.document.imports.iter().zip(&input.imports));
        let mut targets = imports.filter(|(written, _)| written.path.text == import).filter_map(|(_, target)| *target);
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
    /// The paths of imports that were said not to be checked.
    missing: FxHashSet<String>,
    gathered: Gathered<'t>,
}

impl<'t, 'b: 't> Gatherer<'t, 'b> {
    /// The input of a library file; read when it is met for the first time.
    fn enter_library(&mut self, index: usize, syntax: Syntax) -> usize {
        if let Some(input) = self.entered.get(&index) {
            return *input;
        }
        let file = &self.options.library[index];
        let path: Arc<str> = Arc::from(file.import_path.as_str());
        let content: &'t Content<'t> = self.contents.library[index].get_or_init(|| syntax.parse(&path, &file.bytes));
        let input = Input::new(path, &content.document, &content.problems);
        self.gathered.inputs.push(Input { is_library: true, ..input });
        self.entered.insert(index, self.gathered.inputs.len() - 1);
        self.gathered.inputs.len() - 1
    }

    /// Takes in a file that defines the types of data.
    fn enter_supplier(&mut self, supplier: &'t Supplier) {
        match supplier {
            Supplier::Library(index) => {
                self.enter_library(*index, Syntax::Schema);
            }
            Supplier::File(path, key) => {
                if let (None, Some(content)) = (self.by_path.get(&**path), self.contents.by_id.get(key)) {
                    self.by_path.insert(path, self.gathered.inputs.len());
                    let input = Input::new(path.clone(), &content.document, &content.problems);
                    self.gathered.inputs.push(Input { is_library: true, ..input });
                }
            }
        }
    }

    fn follow(&mut self, index: usize) {
        let document = self.gathered.inputs[index].document;
        if document.imports.is_empty() {
            return;
        }
        let path = self.gathered.inputs[index].path.clone();
        let mut imports = Vec::with_capacity(document.imports.len());
        for import in &document.imports {
            let found = self.find(&path, import);
            if found.is_none() {
                self.report_missing(index, import);
            }
            imports.push(found);
        }
        self.gathered.inputs[index].imports = imports;
    }

    /// The input that an import leads to.
    fn find(&mut self, from: &str, import: &Import<'_>) -> Option<usize> {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let include = self.options.include.iter().map(String::as_str);
        let roots: Vec<&str> = std::iter::once(folder).chain(include).chain([""]).collect();
        let places: Vec<String> = roots.into_iter().filter_map(|root| joined(root, &import.path.text)).collect();
        if let Some(input) = places.iter().find_map(|place| self.by_path.get(place.as_str())) {
            return Some(*input);
        }
        let index = *places.iter().find_map(|place| self.library.get(place.as_str()))?;
        Some(self.enter_library(index, Syntax::of_import(import.kind)))
    }

    fn report_missing(&mut self, index: usize, import: &Import<'_>) {
        let path = import.path.text.as_ref();
        let help = missing_import_help(path);
        let input = &mut self.gathered.inputs[index];
        let (file, problems) = (&input.path, &mut input.import_problems);
        if self.options.strict_imports {
            let message = format!("import `{path}` was not found: imports are strict");
            problems.push(Problem::error(file, import.path.span, message, help));
            return;
        }
        self.gathered.missing.push((index, path.to_owned(), problems.len()));
        let message = format!("import `{path}` was not found: its types are compared by name only");
        problems.push(Problem::warning(file, import.path.span, message, help.clone()));
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
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
