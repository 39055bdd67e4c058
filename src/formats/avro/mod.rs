//! Apache Avro: schemas, protocols and IDL, by the specification 1.12.

pub mod ast;
pub(crate) mod codec;
mod compare;
mod compare_scalars;
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

use rustc_hash::{FxHashMap, FxHashSet};

use crate::change::Pair;
use crate::evidence::Observed;
use crate::formats::{CheckOptions, Checked, Format};
use crate::source::{ContentId, Snapshot};
use crate::syntax::json as syntax_json;
use crate::syntax::problem::{NotChecked, Problem, Severity};

use self::ast::Document;
use self::link::{Input, Linkage};
use self::model::Schema;

/// Compares the Avro files of two snapshots.
pub fn check(pair: Pair<&Snapshot>, options: &CheckOptions) -> Checked {
    let parsed = Parsed::new(pair, options);
    let linked = parsed.link();
    let mut differences = linked.diff();
    linked.drop_doubtful(&mut differences);
    let observed = linked.probe(&differences);
    let Linked { sides, files, .. } = linked;
    let mut problems = Pair::new(sides.old.problems, sides.new.problems);
    problems.new.extend(differences.0.unknown_roots.iter().map(|root| unknown_root(root)));
    let not_checked: std::collections::BTreeSet<NotChecked> =
        sides.old.not_checked.into_iter().chain(sides.new.not_checked).collect();
    Checked {
        changes: differences.0.changes,
        observed,
        problems,
        not_checked: not_checked.into_iter().collect(),
        files,
        files_parsed: parsed.documents.len(),
    }
}

fn unknown_root(root: &str) -> Problem {
    Problem {
        severity: Severity::Error,
        site: None,
        message: format!("neither side declares the root `{root}`"),
        help: "give `--root` the full name of a record, an enum, a fixed or a protocol".to_owned(),
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

    /// Leaves out what was found in files that one side could not read: an element that seems to be gone may stand in
    /// the part that was not understood. The problems of these files say that the verdict does not cover them.
    fn drop_doubtful(&self, differences: &mut Differences) {
        let doubtful: FxHashSet<&str> = [&self.sides.old, &self.sides.new]
            .into_iter()
            .flat_map(|side| &side.problems)
            .filter(|problem| problem.severity == Severity::Error)
            .filter_map(|problem| problem.site.as_ref().map(|site| &*site.file))
            .collect();
        if doubtful.is_empty() {
            return;
        }
        let diff::Diff { changes, meetings, .. } = &mut differences.0;
        changes.retain(|change| {
            let mut sites = [&change.at.old, &change.at.new].into_iter().flatten();
            sites.all(|site| !doubtful.contains(&*site.file))
        });
        let schemas = self.schemas();
        let is_sound = |schema: &Schema<'_>, ty| !doubtful.contains(&*schema.file(schema.ty(ty).file).path);
        meetings.retain(|meeting| is_sound(schemas.old, meeting.types.old) && is_sound(schemas.new, meeting.types.new));
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
