//! Apache Avro: schemas, protocols and IDL, by the specification 1.12.

pub mod ast;
mod canonical;
pub(crate) mod codec;
mod compare;
mod compare_scalars;
mod container;
mod container_schema;
mod diff;
mod generate;
mod idl;
mod idl_json;
mod idl_types;
pub(crate) mod json;
mod link;
mod log;
pub mod model;
mod place;
pub(crate) mod probe;
mod registry;
mod relation;
pub(crate) mod resolve;
mod resolve_java;
mod schema_json;
mod trail;

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::change::{Pair, Side};
use crate::evidence::Observed;
use crate::formats::{CheckOptions, Checked, Format, LibraryFile};
use crate::source::{ContentId, Snapshot, SnapshotFile};
use crate::syntax::json as syntax_json;
use crate::syntax::problem::{NotChecked, Problem};

pub(super) use self::container::text_part;

use self::ast::Document;
use self::container_schema::{Candidate, Said, Writer};
use self::link::{Input, Linkage};
use self::model::Schema;

/// Compares the Avro files of two snapshots.
pub fn check(pair: Pair<&Snapshot>, options: &CheckOptions) -> Checked {
    let parsed = Parsed::new(pair, options);
    let linked = parsed.link();
    let differences = linked.diff();
    let observed = linked.probe(&differences);
    let Linked { sides, files, .. } = linked;
    let of_data = parsed.documents.values().filter_map(|content| content.not_checked.clone());
    let not_checked: std::collections::BTreeSet<NotChecked> =
        sides.old.not_checked.into_iter().chain(sides.new.not_checked).chain(of_data).collect();
    Checked {
        changes: differences.0.changes,
        observed,
        problems: Pair::new(sides.old.problems, sides.new.problems),
        not_checked: not_checked.into_iter().collect(),
        files,
        files_parsed: parsed.documents.len(),
    }
}

/// The first stage: what stands in the files of both sides, each distinct content parsed once.
#[derive(Debug)]
pub struct Parsed<'b> {
    pair: Pair<&'b Snapshot>,
    options: &'b CheckOptions,
    documents: FxHashMap<(ContentId, Syntax), Content<'b>>,
    /// Files that only supply types; read when there is data without its schema.
    library: Vec<(Arc<str>, Content<'b>)>,
    /// The schemas of data without its schema.
    writers: BTreeMap<(Side, Arc<str>), Writer<'b>>,
}

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
#[derive(Debug)]
pub(crate) struct Content<'b> {
    document: Document<'b>,
    problems: Vec<Problem>,
    /// Of data without its schema, the fingerprint of that; `document` is found elsewhere then.
    fingerprint: Option<u64>,
    /// What is not looked at.
    not_checked: Option<NotChecked>,
}

impl Syntax {
    fn of(path: &str, bytes: &[u8]) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "avro" | "avsc" | "avpr" | "avdl" if container::is_data(bytes) => Some(Syntax::Data),
            // Some call their schemas so, and so is a schema called that data is compared with.
            "avro" if matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'[' | b'"')) => Some(Syntax::Schema),
            "avro" => Some(Syntax::Data),
            "avsc" => Some(Syntax::Schema),
            "avpr" => Some(Syntax::Protocol),
            "avdl" => Some(Syntax::Idl),
            _ => None,
        }
    }

    fn parse<'b>(self, path: &Arc<str>, bytes: &'b [u8]) -> Content<'b> {
        let (document, problems) = match self {
            Syntax::Data => {
                let Said { document, problems, fingerprint, not_checked } = container_schema::read(path, bytes);
                return Content { document, problems, fingerprint, not_checked };
            }
            Syntax::Idl => idl::parse(path, bytes),
            Syntax::Schema | Syntax::Protocol => {
                let (json, mut problems) = syntax_json::parse(path, bytes);
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

impl<'b> Parsed<'b> {
    /// Parses the Avro files of two snapshots.
    pub fn new(pair: Pair<&'b Snapshot>, options: &'b CheckOptions) -> Self {
        let mut documents = FxHashMap::default();
        for (path, file) in pair.old.iter().chain(pair.new.iter()) {
            if let Some(syntax) = Syntax::of(path, &file.bytes) {
                documents.entry((file.id, syntax)).or_insert_with(|| syntax.parse(path, &file.bytes));
            }
        }
        let mut parsed = Parsed { pair, options, documents, library: Vec::new(), writers: BTreeMap::new() };
        if parsed.documents.values().any(|content| content.fingerprint.is_some()) {
            parsed.find_writers();
        }
        parsed
    }

    /// Finds the schemas of data that has only their fingerprints: on the other side, else among the files that supply types.
    fn find_writers(&mut self) {
        for LibraryFile { import_path, bytes } in &self.options.library {
            if let Some(syntax) = Syntax::of(import_path, bytes).filter(|syntax| *syntax != Syntax::Data) {
                let path = Arc::from(import_path.as_str());
                let content = syntax.parse(&path, bytes);
                self.library.push((path, content));
            }
        }
        let mut writers = BTreeMap::new();
        for side in [Side::Old, Side::New] {
            for (path, content) in self.files(side) {
                if let Some(fingerprint) = content.fingerprint {
                    let found = container_schema::writer(path, fingerprint, &self.candidates(side), self.options);
                    writers.insert((side, path.clone()), found);
                }
            }
        }
        self.writers = writers;
    }

    /// The Avro files of a side.
    fn files(&self, side: Side) -> impl Iterator<Item = (&'b Arc<str>, &Content<'b>)> {
        let content = |(path, file): (&'b Arc<str>, &'b SnapshotFile)| {
            Some((path, self.documents.get(&(file.id, Syntax::of(path, &file.bytes)?))?))
        };
        self.pair.side(side).iter().filter_map(content)
    }

    /// The files that may hold the schemas of data of a side.
    fn candidates(&self, side: Side) -> Vec<Candidate<'_, 'b>> {
        let other = match side {
            Side::Old => Side::New,
            Side::New => Side::Old,
        };
        let own = self.files(other).filter(|(_, content)| content.fingerprint.is_none());
        let own = own.map(|(path, content)| Candidate { path, document: &content.document });
        let supplied = self.library.iter();
        own.chain(supplied.map(|(path, content)| Candidate { path, document: &content.document })).collect()
    }

    /// Resolves every name of both sides and checks what the reference parser checks.
    pub fn link(&self) -> Linked<'_> {
        let side = |side: Side| {
            let (mut inputs, mut supplied): (Vec<Input<'_>>, Vec<usize>) = (Vec::new(), Vec::new());
            for (path, content) in self.files(side) {
                let (document, problems) = match self.writers.get(&(side, path.clone())) {
                    None => (&content.document, &content.problems),
                    Some(writer) => {
                        supplied.extend(&writer.supplied_by);
                        (&writer.document, &writer.problems)
                    }
                };
                inputs.push(Input { path, document, problems, is_library: false });
            }
            let files = inputs.len();
            if !supplied.is_empty() {
                let candidates = self.candidates(side);
                supplied.sort_unstable();
                supplied.dedup();
                inputs.extend(supplied.into_iter().map(|index| {
                    let Candidate { path, document } = candidates[index];
                    Input { path, document, problems: &[], is_library: true }
                }));
            }
            (files, link::link(&inputs, self.options))
        };
        let (old, new) = (side(Side::Old), side(Side::New));
        Linked { sides: Pair::new(old.1, new.1), files: Pair::new(old.0, new.0), options: self.options }
    }
}

/// The second stage: two linked sides.
pub struct Linked<'t> {
    sides: Pair<Linkage<'t>>,
    files: Pair<usize>,
    options: &'t CheckOptions,
}

impl Linked<'_> {
    /// What changed, and which types were compared with which.
    pub fn diff(&self) -> Differences {
        Differences(diff::diff(self.schemas(), self.options))
    }

    /// Writes synthetic data with one side and reads it with the other.
    pub fn probe(&self, differences: &Differences) -> Observed {
        probe::probe(self.schemas(), &differences.0.meetings, &differences.0.changes)
    }

    fn schemas(&self) -> Pair<&Schema<'_>> {
        Pair::new(&self.sides.old.schema, &self.sides.new.schema)
    }
}

/// The third stage: what differs.
#[derive(Debug)]
pub struct Differences(diff::Diff);

/// Whether a path names an Avro file.
pub(crate) fn is_schema(path: &str) -> bool {
    Format::of_path(path) == Some(Format::Avro)
}
