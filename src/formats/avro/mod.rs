//! Apache Avro: schemas, protocols and IDL, by the specification 1.12.

pub mod ast;
mod canonical;
pub(crate) mod codec;
mod compare;
mod compare_scalars;
mod container;
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

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::change::Pair;
use crate::evidence::Observed;
use crate::formats::{CheckOptions, Checked, Format};
use crate::source::{ContentId, Snapshot};
use crate::syntax::json as syntax_json;
use crate::syntax::problem::{NotChecked, Problem};

use self::ast::Document;
use self::link::{Input, Linkage};
use self::model::Schema;

/// Compares the Avro files of two snapshots.
pub fn check(pair: Pair<&Snapshot>, options: &CheckOptions) -> Checked {
    let parsed = Parsed::new(pair, options);
    let linked = parsed.link();
    let differences = linked.diff();
    let observed = linked.probe(&differences);
    let Linked { sides, files, .. } = linked;
    let not_checked: std::collections::BTreeSet<NotChecked> =
        sides.old.not_checked.into_iter().chain(sides.new.not_checked).collect();
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
}

/// What one file says.
#[derive(Debug)]
pub(crate) struct Content<'b> {
    document: Document<'b>,
    problems: Vec<Problem>,
}

impl Syntax {
    fn of_path(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "avsc" => Some(Syntax::Schema),
            "avpr" => Some(Syntax::Protocol),
            "avdl" => Some(Syntax::Idl),
            _ => None,
        }
    }

    fn parse<'b>(self, path: &Arc<str>, bytes: &'b [u8]) -> Content<'b> {
        let (document, problems) = match self {
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
        Content { document, problems }
    }
}

impl<'b> Parsed<'b> {
    /// Parses the Avro files of two snapshots.
    pub fn new(pair: Pair<&'b Snapshot>, options: &'b CheckOptions) -> Self {
        let mut documents = FxHashMap::default();
        for (path, file) in pair.old.iter().chain(pair.new.iter()) {
            if let Some(syntax) = Syntax::of_path(path) {
                documents.entry((file.id, syntax)).or_insert_with(|| syntax.parse(path, &file.bytes));
            }
        }
        Parsed { pair, options, documents }
    }

    /// Resolves every name of both sides and checks what the reference parser checks.
    pub fn link(&self) -> Linked<'_> {
        let side = |snapshot: &'b Snapshot| {
            let inputs: Vec<Input<'_>> = snapshot
                .iter()
                .filter_map(|(path, file)| {
                    let content = self.documents.get(&(file.id, Syntax::of_path(path)?))?;
                    Some(Input { path, document: &content.document, problems: &content.problems, is_library: false })
                })
                .collect();
            (inputs.len(), link::link(&inputs, self.options))
        };
        let (old, new) = (side(self.pair.old), side(self.pair.new));
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
